/*
 * fts5_compare.c - compare two FTS5 indexes word by word
 *
 * A contentless index cannot be compared with the text. It can be compared with
 * another one built from the same text: every word at every place, the length
 * of every text, and the sums of these that ranking by length uses.
 */
#include <stdlib.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/fts5.h"

enum { COLUMNS_MAX = FULLTEXT_COLUMNS_MAX + 1 }; /* with the scope */

/* ---- two statements, row by row ----------------------------------------- */

static quire_status compare_rows(struct stmt *a, struct stmt *b, int columns,
                                 bool *same, quire_error *err)
{
    bool row_a = true, row_b = true;
    quire_status st = QUIRE_OK;
    int i;

    while (!st && *same && row_a) {
        st = stmt_step(a, &row_a, err);
        if (!st)
            st = stmt_step(b, &row_b, err);
        if (st)
            break;
        *same = row_a == row_b;
        for (i = 0; *same && row_a && i < columns; i++)
            *same = bytes_equal(stmt_column_bytes(a, i),
                                stmt_column_bytes(b, i));
    }
    return st;
}

/* Of `a` the rows of the documents `ids`, which is bound as ?1, with all of
 * `b`. */
static quire_status compare_sql(struct db *a, const char *sql_a, struct db *b,
                                const char *sql_b, quire_bytes ids, int columns,
                                bool *same, quire_error *err)
{
    struct stmt *x = NULL, *y = NULL;
    quire_status st = db_prepare(a, sql_a, &x, err);

    if (!st)
        st = db_prepare(b, sql_b, &y, err);
    if (!st) {
        stmt_bind_bytes(x, 1, ids);
        st = compare_rows(x, y, columns, same, err);
    }
    if (x)
        stmt_finalize(x);
    if (y)
        stmt_finalize(y);
    return st;
}

/* ---- words and lengths -------------------------------------------------- */

static quire_status create_vocab_table(struct db *db, const char *name,
                                       quire_error *err)
{
    char sql[320];

    /* The only thing a read-only connection writes. */
    snprintf(sql, sizeof sql,
             "PRAGMA query_only=OFF; DROP TABLE IF EXISTS temp.vocabulary;"
             "CREATE VIRTUAL TABLE temp.vocabulary USING"
             " fts5vocab(main, %s, instance)",
             name);
    return db_exec(db, sql, err);
}

/* The ids of all documents, ascending, as quire_among() wants them. */
static quire_status read_ids(struct db *db, const char *name, struct buf *ids,
                             quire_error *err)
{
    struct stmt *s;
    char sql[160];
    bool row = true;
    quire_status st;

    snprintf(sql, sizeof sql, "SELECT id FROM %s_docsize ORDER BY id", name);
    st = db_prepare(db, sql, &s, err);
    if (st)
        return st;
    while (!(st = stmt_step(s, &row, err)) && row) {
        int64_t id = stmt_column_int(s, 0);

        buf_add(ids, &id, sizeof id);
    }
    stmt_finalize(s);
    return st ? st : buf_status(ids, "the list of documents", err);
}

static quire_status equal_words(struct db *db, struct db *other,
                                const char *name, bool *same, quire_error *err)
{
#define WORDS "SELECT term, doc, col, \"offset\" FROM temp.vocabulary"
#define SIZES "SELECT id, sz FROM %s_docsize"
    struct buf ids = BUF_INIT(SIZE_MAX);
    char sql[160], sql_other[160];
    quire_status st = read_ids(other, name, &ids, err);

    if (!st)
        st = compare_sql(db, WORDS " WHERE quire_among(doc, ?1)", other, WORDS,
                         buf_bytes(&ids), 4, same, err);
    snprintf(sql, sizeof sql, SIZES " WHERE quire_among(id, ?1) ORDER BY id",
             name);
    snprintf(sql_other, sizeof sql_other, SIZES " ORDER BY id", name);
    if (!st && *same)
        st = compare_sql(db, sql, other, sql_other, buf_bytes(&ids), 2, same,
                         err);
    buf_release(&ids);
    return st;
}

/* ---- sums --------------------------------------------------------------- */

/* SQLite's varints: seven bits a byte, the highest first. */
static bool next_number(quire_bytes *bytes, uint64_t *out)
{
    const unsigned char *p = bytes->data;
    size_t at = 0;

    for (*out = 0; at < bytes->len;) {
        *out = *out << 7 | (p[at] & 0x7f);
        if (!(p[at++] & 0x80)) {
            *bytes = bytes_sub(*bytes, at, bytes->len);
            return true;
        }
    }
    return false;
}

/* The number of texts, and the number of words of all of them in each column.
 */
static quire_status sum_lengths(struct db *db, const char *name,
                                uint64_t sums[1 + COLUMNS_MAX],
                                quire_error *err)
{
    struct stmt *s;
    char sql[160];
    bool row = true;
    quire_status st;

    snprintf(sql, sizeof sql, "SELECT sz FROM %s_docsize", name);
    st = db_prepare(db, sql, &s, err);
    if (st)
        return st;
    while (!(st = stmt_step(s, &row, err)) && row) {
        quire_bytes sizes = stmt_column_bytes(s, 0);
        uint64_t n;
        int i;

        sums[0]++;
        for (i = 1; i <= COLUMNS_MAX && next_number(&sizes, &n); i++)
            sums[i] += n;
    }
    stmt_finalize(s);
    return st;
}

/* FTS5 keeps these sums in row 1 of its data. */
static quire_status equal_sums(struct db *db, const char *name, bool *same,
                               quire_error *err)
{
    uint64_t sums[1 + COLUMNS_MAX] = {0}, n;
    struct stmt *s;
    char sql[160];
    bool row = false;
    quire_status st = sum_lengths(db, name, sums, err);
    int i;

    snprintf(sql, sizeof sql, "SELECT block FROM %s_data WHERE id = 1", name);
    if (!st)
        st = db_prepare(db, sql, &s, err);
    if (st)
        return st;
    st = stmt_step(s, &row, err);
    if (!st) {
        quire_bytes block = row ? stmt_column_bytes(s, 0) : bytes_of("", 0);

        for (i = 0; i <= COLUMNS_MAX && next_number(&block, &n); i++)
            *same = *same && sums[i] == n;
        *same = *same && (i > 0 || sums[0] == 0);
    }
    stmt_finalize(s);
    return st;
}

quire_status fts5_stats(struct db *db, const char *name,
                        struct fulltext_stats *out, quire_error *err)
{
    uint64_t sums[1 + COLUMNS_MAX] = {0};
    quire_status st = sum_lengths(db, name, sums, err);
    size_t i;

    out->n_documents = sums[0];
    for (i = 0; i < FULLTEXT_COLUMNS_MAX; i++)
        out->n_words[i] = sums[1 + i];
    return st;
}

quire_status fts5_includes(struct db *db, struct db *other, const char *name,
                           bool *same, quire_error *err)
{
    quire_status st = create_vocab_table(db, name, err);

    *same = true;
    if (!st)
        st = create_vocab_table(other, name, err);
    if (!st)
        st = equal_words(db, other, name, same, err);
    if (!st && *same)
        st = equal_sums(db, name, same, err);
    return st;
}

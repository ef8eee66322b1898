/*
 * fts5.c - full-text index in an FTS5 table of SQLite
 *
 * The table is contentless, so a deletion must supply the text that was
 * inserted. Statements are prepared on first use and kept, one for each
 * combination of what a query asks for.
 */
#include "search/fts5.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "store/fts_tokenizer.h"
#include "store/sql.h"

_Static_assert((int)FULLTEXT_PHRASES_MAX == (int)FTS_PHRASES_MAX,
               "the tokenizer reports as many phrases as the interface");

/* BM25 as a whole number: the score of a word that most documents have is some
 * millionths, and their order matters, too. */
#define BM25_SCALE      1e12
#define BM25_SCALE_TEXT "1e12"

/* A query is at most 8 KiB of text, and its tree has each term three times. */
#define EXPRESSION_MAX ((size_t)64 * 1024)

/* What FIND may have besides; the statements follow it. */
enum { WITH_SCORE = 1, WITH_PHRASES = 2, WITH_ALSO = 4, N_FIND = 8 };

enum { ADD, REMOVE, COUNT, EACH_ID, FIND, N_SQL = FIND + N_FIND };

struct fts5 {
    struct fulltext base;
    const struct fulltext_kind *kind; /* borrowed */
    struct db *db;
    bool temporary; /* `db` is owned */
    char name[64];
    struct arena keep;        /* `texts` */
    const char *texts[N_SQL]; /* NULL until the first use */
    struct sql sql;
    struct buf expression; /* of the current query */
    struct stmt *cursor;   /* its statement; NULL: no hits are left */
    bool scoped;           /* its first phrase is the scope */
};

static struct fts5 *of(struct fulltext *x)
{
    return (struct fts5 *)x;
}

/* ---- statements --------------------------------------------------------- */

/* "path, purpose, tags, body, scope" */
static void add_columns(const struct fts5 *x, struct buf *out)
{
    size_t i;

    for (i = 0; i < x->kind->n_columns; i++)
        buf_addf(out, i ? ", %s" : "%s", x->kind->columns[i].name);
    if (x->kind->scoped)
        buf_add_str(out, ", scope");
}

static void add_values(const struct fts5 *x, struct buf *out)
{
    size_t i, n = x->kind->n_columns + x->kind->scoped;

    for (i = 0; i < n; i++)
        buf_addf(out, ", ?%d", (int)i + 2);
    buf_add_char(out, ')');
}

static void add_weights(const struct fts5 *x, struct buf *out)
{
    size_t i;

    for (i = 0; i < x->kind->n_columns; i++)
        buf_addf(out, ", %d", x->kind->columns[i].weight);
    buf_add_str(out, x->kind->scoped ? ", 0)" : ")");
}

static void add_score(const struct fts5 *x, struct buf *out)
{
    if (x->kind->ranking == FULLTEXT_BY_PLACE) {
        buf_addf(out, "quire_rank(%s", x->name);
        add_weights(x, out);
    } else {
        buf_addf(out, "CAST(bm25(%s", x->name);
        add_weights(x, out);
        buf_add_str(out, " * -" BM25_SCALE_TEXT " AS INTEGER)");
    }
}

/* ?1 expression, ?2 and ?6 ids are above, ?3 limit, ?4 skip, ?5 also. */
static void add_find(const struct fts5 *x, int with, struct buf *out)
{
    buf_add_str(out, "SELECT rowid, ");
    if (with & WITH_SCORE)
        add_score(x, out);
    else
        buf_add_char(out, '0');
    if (with & WITH_PHRASES)
        buf_addf(out, ", quire_phrases(%s)", x->name);
    else
        buf_add_str(out, ", 0");
    buf_addf(out, " FROM %s WHERE %s MATCH ?1 AND rowid > ?2", x->name,
             x->name);
    if (with & WITH_ALSO)
        buf_add_str(out, " AND (rowid > ?6 OR quire_among(rowid, ?5))");
    buf_add_str(out, " ORDER BY rowid DESC LIMIT ?3 OFFSET ?4");
}

static void add_sql(const struct fts5 *x, int which, struct buf *out)
{
    switch (which) {
    case ADD:
        buf_addf(out, "INSERT INTO %s(rowid, ", x->name);
        add_columns(x, out);
        buf_add_str(out, ") VALUES(?1");
        add_values(x, out);
        break;
    case REMOVE:
        buf_addf(out, "INSERT INTO %s(%s, rowid, ", x->name, x->name);
        add_columns(x, out);
        buf_add_str(out, ") VALUES('delete', ?1");
        add_values(x, out);
        break;
    case COUNT:
        buf_addf(out, "SELECT count(*) FROM %s WHERE %s MATCH ?1", x->name,
                 x->name);
        break;
    case EACH_ID:
        buf_addf(out, "SELECT id FROM %s_docsize ORDER BY id", x->name);
        break;
    default: add_find(x, which - FIND, out);
    }
}

static quire_status use(struct fts5 *x, int which, struct stmt **out,
                        quire_error *err)
{
    struct buf text = BUF_INIT(4096);

    if (!x->texts[which]) {
        add_sql(x, which, &text);
        x->texts[which] = text.failed ? NULL
                                      : arena_text(&x->keep, buf_bytes(&text));
        buf_release(&text);
    }
    return x->texts[which] ? sql_use(&x->sql, which, out, err)
                           : err_memory(err);
}

/* ---- the index ---------------------------------------------------------- */

static quire_status fts5_exists(struct fulltext *base, bool *exists,
                                quire_error *err)
{
    return db_has_table(of(base)->db, of(base)->name, exists, err);
}

static quire_status fts5_create(struct fulltext *base, quire_error *err)
{
    struct fts5 *x = of(base);
    struct buf sql = BUF_INIT(4096);
    quire_status st;

    buf_addf(&sql, "CREATE VIRTUAL TABLE %s USING fts5(", x->name);
    add_columns(x, &sql);
    buf_addf(&sql, ", content='',%s tokenize='quire')",
             x->kind->prefixes ? " prefix='3'," : "");
    st = buf_text(&sql) ? db_exec(x->db, sql.data, err) : err_memory(err);
    buf_release(&sql);
    return st;
}

/* A table can be dropped only if no statement on it is active. */
static quire_status fts5_drop(struct fulltext *base, quire_error *err)
{
    struct fts5 *x = of(base);
    char sql[96];
    quire_status st;

    x->cursor = NULL;
    sql_release(&x->sql);
    st = sql_init(&x->sql, x->db, x->texts, N_SQL, err);
    snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s", x->name);
    return st ? st : db_exec(x->db, sql, err);
}

/* ---- documents ---------------------------------------------------------- */

/* A scope as one word of letters: a digit would be a word of its own. */
static void format_scope(int64_t scope, char out[32])
{
    char digits[24];
    size_t i;

    snprintf(digits, sizeof digits, "%lld", (long long)scope);
    snprintf(out, 32, "scope");
    for (i = 0; digits[i]; i++)
        out[5 + i] = digits[i] == '-' ? 'n' : (char)('a' + digits[i] - '0');
    out[5 + i] = '\0';
}

static quire_status write_document(struct fts5 *x, int which,
                                   const struct fulltext_document *d,
                                   quire_error *err)
{
    int n = (int)x->kind->n_columns, i;
    char scope[32];
    struct stmt *s;
    quire_status st = use(x, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, d->id);
    for (i = 0; i < n; i++)
        stmt_bind_text(s, i + 2, d->texts[i]);
    if (x->kind->scoped) {
        format_scope(d->scope, scope);
        stmt_bind_text(s, n + 2, bytes_str(scope));
    }
    return stmt_post(s, err);
}

static quire_status fts5_add(struct fulltext *base,
                             const struct fulltext_document *d,
                             quire_error *err)
{
    return write_document(of(base), ADD, d, err);
}

static quire_status fts5_remove(struct fulltext *base,
                                const struct fulltext_document *d,
                                quire_error *err)
{
    return write_document(of(base), REMOVE, d, err);
}

/* A temporary index is filled in one transaction: otherwise each document would
 * be a segment of its own. The first query ends it. */
static quire_status end_filling(struct fts5 *x, quire_error *err)
{
    return x->temporary && db_inside(x->db) ? db_commit(x->db, err) : QUIRE_OK;
}

/* ---- queries ------------------------------------------------------------ */

/* Begin an expression within a scope and the columns of the kind. */
static void begin_expression(struct fts5 *x, int64_t scope)
{
    char word[32];
    size_t i;

    buf_clear(&x->expression);
    x->scoped = x->kind->scoped && scope;
    if (!x->kind->scoped)
        return;
    if (scope) {
        format_scope(scope, word);
        buf_addf(&x->expression, "scope:\"%s\" AND ", word);
    }
    for (i = 0; i < x->kind->n_columns; i++)
        buf_addf(&x->expression, i ? " %s" : "{%s", x->kind->columns[i].name);
    buf_add_str(&x->expression, "} : (");
}

/* An expression is a few times as long as its terms: a short one cannot fail
 * for its length. */
static quire_status end_expression(struct fts5 *x, quire_error *err)
{
    if (x->kind->scoped)
        buf_add_char(&x->expression, ')');
    if (!x->expression.failed)
        return QUIRE_OK;
    if (x->expression.len < 2048)
        return err_memory(err);
    return err_fail(err, QUIRE_INVALID, "search for fewer words",
                    "query is longer than 64 KiB");
}

static quire_status begin_find(struct fts5 *x, const struct fulltext_find *f,
                               quire_error *err)
{
    int with = (f->scored ? WITH_SCORE : 0) | (f->phrases ? WITH_PHRASES : 0) |
               (f->n_also ? WITH_ALSO : 0);
    int64_t above = f->n_also && f->also[0] <= f->above ? f->also[0] - 1
                                                        : f->above;
    struct stmt *s;
    quire_status st = end_filling(x, err);

    if (!st)
        st = use(x, FIND + with, &s, err);
    if (st)
        return st;
    stmt_bind_text(s, 1, buf_bytes(&x->expression));
    stmt_bind_int(s, 2, above);
    stmt_bind_int(s, 3, f->limit ? (int64_t)f->limit : -1);
    stmt_bind_int(s, 4, (int64_t)f->skip);
    if (f->n_also) {
        stmt_bind_bytes(s, 5, bytes_of(f->also, f->n_also * sizeof *f->also));
        stmt_bind_int(s, 6, f->above);
    }
    x->cursor = s;
    return QUIRE_OK;
}

static void fts5_end(struct fulltext *base)
{
    struct fts5 *x = of(base);

    if (x->cursor)
        stmt_reset(x->cursor);
    x->cursor = NULL;
}

static quire_status fts5_find(struct fulltext *base,
                              const struct fulltext_find *f, quire_error *err)
{
    struct fts5 *x = of(base);
    quire_status st;

    fts5_end(base);
    if (!f->query)
        return QUIRE_OK;
    begin_expression(x, f->scope);
    fts5_expression(f->query, &x->expression);
    st = end_expression(x, err);
    return st ? st : begin_find(x, f, err);
}

static quire_status fts5_find_native(struct fulltext *base,
                                     quire_bytes expression,
                                     const struct fulltext_find *f,
                                     quire_error *err)
{
    struct fts5 *x = of(base);
    quire_status st;

    fts5_end(base);
    begin_expression(x, f->scope);
    buf_add(&x->expression, expression.data, expression.len);
    st = end_expression(x, err);
    return st ? st : begin_find(x, f, err);
}

static quire_status fts5_fetch(struct fulltext *base, struct fulltext_hit *hits,
                               size_t max, size_t *n, quire_error *err)
{
    struct fts5 *x = of(base);
    double unit = x->kind->ranking == FULLTEXT_BY_BM25 ? BM25_SCALE : 1;
    quire_status st = QUIRE_OK;
    bool row = true;

    *n = 0;
    while (x->cursor && *n < max) {
        st = stmt_step(x->cursor, &row, err);
        if (st || !row) {
            fts5_end(base);
            break;
        }
        hits[(*n)++] = (struct fulltext_hit){
            .id = stmt_column_int(x->cursor, 0),
            .score = (double)stmt_column_int(x->cursor, 1) / unit,
            .phrases = (uint64_t)stmt_column_int(x->cursor, 2) >> x->scoped,
        };
    }
    return st;
}

/* ---- statistics and comparison ------------------------------------------ */

static quire_status fts5_index_stats(struct fulltext *base,
                                     struct fulltext_stats *out,
                                     quire_error *err)
{
    size_t i;
    quire_status st = fts5_stats(of(base)->db, of(base)->name, out, err);

    for (i = of(base)->kind->n_columns; i < FULLTEXT_COLUMNS_MAX; i++)
        out->n_words[i] = 0;
    return st;
}

static quire_status fts5_frequency(struct fulltext *base,
                                   const struct query *words, uint64_t *n,
                                   quire_error *err)
{
    struct fts5 *x = of(base);
    struct stmt *s;
    quire_status st;

    fts5_end(base);
    *n = 0;
    begin_expression(x, 0);
    fts5_expression(words, &x->expression);
    st = end_expression(x, err);
    if (!st)
        st = use(x, COUNT, &s, err);
    if (st)
        return st;
    stmt_bind_text(s, 1, buf_bytes(&x->expression));
    st = sql_row(s, err);
    if (!st)
        *n = (uint64_t)stmt_column_int(s, 0);
    stmt_reset(s);
    return st;
}

static quire_status fts5_each_id(struct fulltext *base, fulltext_id_fn each,
                                 void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(of(base), EACH_ID, &s, err);
    bool row = true;

    if (st)
        return st;
    while (!st && !(st = stmt_step(s, &row, err)) && row)
        st = each(ctx, stmt_column_int(s, 0), err);
    stmt_reset(s);
    return st;
}

static quire_status fts5_index_includes(struct fulltext *base,
                                        struct fulltext *other, bool *same,
                                        quire_error *err)
{
    quire_status st = end_filling(of(base), err);

    if (!st)
        st = end_filling(of(other), err);
    return st ? st
              : fts5_includes(of(base)->db, of(other)->db, of(base)->name, same,
                              err);
}

/* ---- handles ------------------------------------------------------------ */

static void fts5_close(struct fulltext *base)
{
    struct fts5 *x = of(base);

    sql_release(&x->sql);
    buf_release(&x->expression);
    arena_release(&x->keep);
    if (x->temporary)
        db_close(x->db);
    free(x);
}

static const struct fulltext_ops fts5_ops = {
    .exists = fts5_exists,
    .create = fts5_create,
    .drop = fts5_drop,
    .add = fts5_add,
    .remove = fts5_remove,
    .find = fts5_find,
    .find_native = fts5_find_native,
    .fetch = fts5_fetch,
    .end = fts5_end,
    .stats = fts5_index_stats,
    .frequency = fts5_frequency,
    .each_id = fts5_each_id,
    .includes = fts5_index_includes,
    .close = fts5_close,
};

quire_status fulltext_open(struct db *db, const struct fulltext_kind *kind,
                           int64_t tenant, struct fulltext **out,
                           quire_error *err)
{
    struct fts5 *x = calloc(1, sizeof *x);
    quire_status st;

    if (!x)
        return err_memory(err);
    x->base.ops = &fts5_ops;
    x->kind = kind;
    x->db = db;
    x->expression.max = EXPRESSION_MAX;
    snprintf(x->name, sizeof x->name, "%s_%lld", kind->name, (long long)tenant);
    st = sql_init(&x->sql, db, x->texts, N_SQL, err);
    if (st)
        free(x);
    else
        *out = &x->base;
    return st;
}

quire_status fulltext_open_temporary(const struct fulltext_kind *kind,
                                     int64_t tenant, struct fulltext **out,
                                     quire_error *err)
{
    struct db_config config = {.access = DB_WRITE};
    struct fulltext *x = NULL;
    struct db *db;
    quire_status st = db_sqlite_open(&config, &db, err);

    if (st)
        return st;
    st = fulltext_open(db, kind, tenant, &x, err);
    if (st) {
        db_close(db);
        return st;
    }
    of(x)->temporary = true;
    st = fts5_create(x, err);
    if (!st)
        st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    if (st)
        fts5_close(x);
    else
        *out = x;
    return st;
}

/*
 * session_totals.c - what a listing shows of each session: names, counts, usage
 *
 * Totals are derived from the session's file, with the state of the file that was
 * counted: a file that has grown is counted on from there.
 */
#include "base/bytes.h"
#include "base/err.h"
#include "catalog/priv.h"

static uint64_t column_count(struct stmt *s, int at)
{
    int64_t n = stmt_column_int(s, at);

    return n < 0 ? 0 : (uint64_t)n;
}

/* The columns of `tally`, from `at` on, in the order of SQL_TOTALS_STORE. */
static quire_status read_totals(struct stmt *s, int at, struct arena *keep,
                                struct session_totals *t, quire_error *err)
{
    const char **const text[] = {&t->name, &t->title, &t->state, &t->parent};
    uint64_t *const sums[] = {&t->entries, &t->messages,   &t->input,
                              &t->output,  &t->cache_read, &t->cache_write,
                              &t->total,   &t->cost};
    size_t i;

    for (i = 0; i < sizeof text / sizeof *text; i++) {
        *text[i] = arena_text(keep, stmt_column_bytes(s, at++));
        if (!*text[i])
            return err_memory(err);
    }
    t->inode = (uint64_t)stmt_column_int(s, at++);
    t->size = column_count(s, at++);
    t->modified_ns = stmt_column_int(s, at++);
    t->changed_ns = stmt_column_int(s, at++);
    t->damaged = column_count(s, at++) > 0;
    t->scanned = column_count(s, at++);
    t->tail = arena_dup(keep, stmt_column_bytes(s, at));
    if (!t->tail.data && stmt_column_bytes(s, at).len)
        return err_memory(err);
    at++;
    for (i = 0; i < sizeof sums / sizeof *sums; i++)
        *sums[i] = column_count(s, at++);
    return QUIRE_OK;
}

quire_status session_totals_find(struct catalog *c, int64_t tenant,
                                 const char *key, struct arena *keep,
                                 struct session_totals *out, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_TOTALS_FIND, &s, err);

    *out = (struct session_totals){.number = 0};
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(key));
    st = sql_row(s, err);
    if (!st) {
        out->number = stmt_column_int(s, 0);
        out->created_us = stmt_column_int(s, 1);
        out->artifacts = column_count(s, 2);
        out->artifact_bytes = column_count(s, 3);
        out->counted = !stmt_column_null(s, 4);
        if (out->counted)
            st = read_totals(s, 5, keep, out, err);
    }
    stmt_reset(s);
    return st;
}

quire_status session_totals_store(struct catalog *c, int64_t tenant,
                                  const struct session_totals *t,
                                  quire_error *err)
{
    const char *text[] = {t->name, t->title, t->state, t->parent};
    const int64_t file[] = {(int64_t)t->inode, (int64_t)t->size,
                            t->modified_ns,    t->changed_ns,
                            t->damaged,        (int64_t)t->scanned};
    const uint64_t sums[] = {t->entries,    t->messages,    t->input, t->output,
                             t->cache_read, t->cache_write, t->total, t->cost};
    struct stmt *s;
    quire_status st = use(c, SQL_TOTALS_STORE, &s, err);
    size_t i;
    int at = 1;

    if (st)
        return st;
    stmt_bind_int(s, at++, t->number);
    for (i = 0; i < sizeof text / sizeof *text; i++)
        stmt_bind_text(s, at++, bytes_str(text[i]));
    for (i = 0; i < sizeof file / sizeof *file; i++)
        stmt_bind_int(s, at++, file[i]);
    stmt_bind_bytes(s, at++, t->tail);
    for (i = 0; i < sizeof sums / sizeof *sums; i++)
        stmt_bind_int(s, at++, (int64_t)sums[i]);
    stmt_bind_int(s, at, tenant);
    return stmt_post(s, err);
}

quire_status session_row_key(struct catalog *c, int64_t tenant, int64_t number,
                             struct arena *keep, const char **key,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_SESSION_KEY, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, number);
    stmt_bind_int(s, 2, tenant);
    st = sql_row(s, err);
    if (!st) {
        *key = arena_text(keep, stmt_column_bytes(s, 0));
        st = *key ? QUIRE_OK : err_memory(err);
    }
    stmt_reset(s);
    return st;
}

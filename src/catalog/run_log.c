/*
 * run_log.c - commands that were run
 *
 * A row is written before the command's first instruction and completed when it
 * has ended: a row without an end is a run whose end was not recorded. Rows
 * outlive their sessions. They survive a crash of the process, and a power cut
 * from the next durable commit on.
 */
#include <stdio.h>

#include "base/bytes.h"
#include "base/err.h"
#include "catalog/priv.h"

quire_status run_log_start(struct catalog *c, int64_t tenant,
                           const char *session, const char *command,
                           bool unconfined, int64_t *id, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_RUN_START, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(session));
    stmt_bind_text(s, 3, bytes_str(command));
    stmt_bind_int(s, 4, unconfined);
    stmt_bind_int(s, 5, clock_us(c->clock));
    st = db_begin(c->db, DB_SOON, tenant, err);
    return st ? st : sql_end(c->db, sql_take_number(s, id, err), err);
}

quire_status run_log_end(struct catalog *c, int64_t tenant,
                         const quire_run_record *r, quire_error *err)
{
    struct stmt *s;
    quire_status st = use(c, SQL_RUN_END, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, r->id);
    stmt_bind_int(s, 2, r->duration_us);
    stmt_bind_int(s, 3, r->exit);
    stmt_bind_int(s, 4, r->signal);
    stmt_bind_int(s, 5, (int64_t)r->out_bytes);
    stmt_bind_int(s, 6, (int64_t)r->err_bytes);
    stmt_bind_text(s, 7, bytes_str(r->hit));
    stmt_bind_text(s, 8, bytes_str(r->confined));
    stmt_bind_int(s, 9, tenant);
    return sql_commit(c->db, DB_SOON, tenant, s, err);
}

/* Text is in `keep`. */
static bool read_record(struct stmt *s, struct arena *keep,
                        quire_run_record *out)
{
    *out = (quire_run_record){
        .id = stmt_column_int(s, 0),
        .session = arena_text(keep, stmt_column_bytes(s, 1)),
        .command = arena_text(keep, stmt_column_bytes(s, 2)),
        .unconfined = stmt_column_int(s, 3) != 0,
        .started_us = stmt_column_int(s, 4),
        .ended = !stmt_column_null(s, 5),
        .duration_us = stmt_column_int(s, 5),
        .exit = (int)stmt_column_int(s, 6),
        .signal = (int)stmt_column_int(s, 7),
        .out_bytes = (uint64_t)stmt_column_int(s, 8),
        .err_bytes = (uint64_t)stmt_column_int(s, 9),
        .hit = "[]",
        .confined = "[]",
    };
    if (out->ended) {
        out->hit = arena_text(keep, stmt_column_bytes(s, 10));
        out->confined = arena_text(keep, stmt_column_bytes(s, 11));
    }
    return out->session && out->command && out->hit && out->confined;
}

quire_status run_log_list(struct catalog *c, int64_t tenant,
                          const char *session, uint64_t limit,
                          quire_run_fn each, void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    quire_run_record one;
    bool row = true;
    quire_status st = use(c, SQL_RUN_LIST, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(session));
    stmt_bind_int(s, 3, sql_limit(limit));
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        arena_reset(&tmp);
        st = read_record(s, &tmp, &one) ? each(ctx, &one, err)
                                        : err_memory(err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

static quire_status delete_records(struct catalog *c, int64_t tenant,
                                   const char *session, quire_error *err)
{
    char before[64];
    struct stmt *s;
    quire_status st = use(c, SQL_RUN_CLEAR, &s, err);
    int64_t n;

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, bytes_str(session));
    st = sql_run(s, err);
    n = db_changes(c->db);
    if (st || n == 0 || !catalog_has(c, SCHEMA_AUDIT_LOG))
        return st;
    snprintf(before, sizeof before, "{\"runs\":%lld}", (long long)n);
    return audit_log_add(c, "run_log.clear", tenant, session, before, NULL,
                         err);
}

quire_status run_log_clear(struct catalog *c, int64_t tenant,
                           const char *session, quire_run_fn each, void *ctx,
                           quire_error *err)
{
    quire_status st = db_begin(c->db, DB_DURABLE, tenant, err);

    if (st)
        return st;
    if (each)
        st = run_log_list(c, tenant, session, 0, each, ctx, err);
    if (!st)
        st = delete_records(c, tenant, session, err);
    return sql_end(c->db, st, err);
}

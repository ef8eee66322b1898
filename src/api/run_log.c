/*
 * run_log.c - the record of commands that were run
 *
 * A row is there before its command's first instruction, and gets its end when
 * that is known: one without an end tells of a run that nobody saw end. Rows
 * outlive their sessions. They survive the process, and are on the disk with the
 * next commit that waits for it.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "api/run.h"
#include "store/sql.h"

const char run_schema[] =
    "CREATE TABLE run("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " tenant INTEGER NOT NULL REFERENCES tenant(id) ON DELETE CASCADE,"
    " session TEXT NOT NULL," /* its own id                              */
    " command TEXT NOT NULL," /* JSON: an array of words                 */
    " unconfined INTEGER NOT NULL,"
    " started INTEGER NOT NULL," /* microseconds                          */
    " duration INTEGER,"         /* the same; NULL: its end was not seen  */
    " exit INTEGER,"             /* -1: a signal ended it                 */
    " signal INTEGER,"
    " out_bytes INTEGER,"
    " err_bytes INTEGER,"
    " hit TEXT," /* limits it met, and layers that held: JSON arrays   */
    " confined TEXT);";

#define COLUMNS                                                         \
    "SELECT id, session, command, unconfined, started, duration, exit," \
    " signal, out_bytes, err_bytes, hit, confined FROM run "

quire_status runs_begin(struct quire *q, const char *session,
                        const char *command, bool unconfined, int64_t *id,
                        quire_error *err)
{
    struct db *db = q->db;
    struct stmt *s;
    quire_status st = db_prepare(
        db,
        "INSERT INTO run(tenant, session, command, unconfined, started)"
        " VALUES(?1, ?2, ?3, ?4, ?5)",
        &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, q->tenant);
    stmt_bind_text(s, 2, bytes_str(session));
    stmt_bind_text(s, 3, bytes_str(command));
    stmt_bind_int(s, 4, unconfined);
    stmt_bind_int(s, 5, clock_us(&q->clock));
    st = sql_commit(db, DB_SOON, s, err);
    *id = db_last_id(db);
    stmt_finalize(s);
    return st;
}

quire_status runs_end(struct quire *q, const quire_run_record *r,
                      quire_error *err)
{
    struct db *db = q->db;
    struct stmt *s;
    quire_status st = db_prepare(
        db,
        "UPDATE run SET duration = ?2, exit = ?3, signal = ?4, out_bytes = ?5,"
        " err_bytes = ?6, hit = ?7, confined = ?8 WHERE id = ?1",
        &s, err);

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
    st = sql_commit(db, DB_SOON, s, err);
    stmt_finalize(s);
    return st;
}

/* ---- reading ------------------------------------------------------------ */

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

static quire_status give_records(struct quire *q, struct stmt *s,
                                 quire_run_fn each, void *ctx, quire_error *err)
{
    struct arena keep = ARENA_INIT;
    quire_run_record one;
    bool row = true;
    quire_status st = QUIRE_OK;

    while (!st && row) {
        arena_reset(&keep);
        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        if (!read_record(s, &keep, &one)) {
            st = err_memory(err);
            break;
        }
        q->in_callback = true;
        st = each(ctx, &one, err);
        q->in_callback = false;
    }
    arena_release(&keep);
    return st;
}

quire_status quire_run_list(quire *q, const char *session, uint64_t limit,
                            quire_run_fn each, void *ctx, quire_error *err)
{
    const char *key = "";
    struct stmt *s;
    quire_status st = need_artifacts(q, false, err);

    if (st == QUIRE_NOT_FOUND || (!st && q->schema < SCHEMA_RUNS))
        return QUIRE_OK;
    if (!st && session)
        st = artifacts_key(q, session, &q->loan, &key, err);
    if (!st)
        st = db_prepare(q->db,
                        COLUMNS "WHERE tenant = ?1 AND (?2 = '' OR session ="
                                " ?2) ORDER BY id DESC LIMIT ?3",
                        &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, q->tenant);
    stmt_bind_text(s, 2, bytes_str(key));
    stmt_bind_int(s, 3, limit && limit < INT64_MAX ? (int64_t)limit : -1);
    st = give_records(q, s, each, ctx, err);
    stmt_finalize(s);
    return st;
}

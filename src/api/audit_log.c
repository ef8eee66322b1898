/*
 * audit_log.c - the record of who was let in, shut out and set otherwise
 *
 * What an admin does concerns others, who may ask later what was done, when and
 * by whom. So a change of a tenant or of a setting is noted in the transaction
 * that makes it: there is no change without its row, and no row without its
 * change. Rows are only added. They name tenants that are gone.
 *
 * No token is in there, nor its hash: that there is another one is all.
 */
#include "api/audit_log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "store/sql.h"

const char audit_log_schema[] =
    "CREATE TABLE journal("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " at INTEGER NOT NULL,"     /* microseconds                         */
    " actor TEXT NOT NULL,"     /* who did it                           */
    " action TEXT NOT NULL,"    /* tenant.add, tenant.rotate, …         */
    " tenant INTEGER NOT NULL," /* whom it concerns, gone or not; 0: all */
    " name TEXT NOT NULL,"      /* of the tenant, or the setting        */
    " before TEXT,"             /* JSON                                 */
    " after TEXT);";

static void bind_or_null(struct stmt *s, int at, const char *text)
{
    if (text)
        stmt_bind_text(s, at, bytes_str(text));
    else
        stmt_bind_null(s, at);
}

quire_status audit_log_add(struct quire *q, const char *action, int64_t tenant,
                           const char *name, const char *before,
                           const char *after, quire_error *err)
{
    char uid[32];
    struct stmt *s;
    quire_status st = db_prepare(
        q->db,
        "INSERT INTO journal(at, actor, action, tenant, name, before, after)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        &s, err);

    if (st)
        return st;
    snprintf(uid, sizeof uid, "uid:%u", (unsigned)geteuid());
    stmt_bind_int(s, 1, clock_us(&q->clock));
    stmt_bind_text(s, 2, bytes_str(*q->actor ? q->actor : uid));
    stmt_bind_text(s, 3, bytes_str(action));
    stmt_bind_int(s, 4, tenant);
    stmt_bind_text(s, 5, bytes_str(name));
    bind_or_null(s, 6, before);
    bind_or_null(s, 7, after);
    st = sql_run(s, err);
    stmt_finalize(s);
    return st;
}

const char *audit_log_add_tenant(const quire_tenant *t, struct arena *keep)
{
    struct buf out = BUF_INIT(4096);
    struct json_writer w;
    const char *text;

    json_begin(&w, &out);
    json_object(&w);
    json_put_str(&w, "name", t->name);
    json_put_bool(&w, "disabled", t->disabled);
    json_put_bool(&w, "has_token", t->has_token);
    json_object_end(&w);
    text = out.failed ? NULL : arena_text(keep, buf_bytes(&out));
    buf_release(&out);
    return text;
}

/* ---- reading ------------------------------------------------------------ */

static bool read_text(struct stmt *s, int at, struct arena *keep,
                      const char **out)
{
    *out = stmt_column_null(s, at) ? NULL
                                   : arena_text(keep, stmt_column_bytes(s, at));
    return *out || stmt_column_null(s, at);
}

static bool read_audit(struct stmt *s, struct arena *keep, quire_audit *out)
{
    *out = (quire_audit){.id = stmt_column_int(s, 0),
                         .at_us = stmt_column_int(s, 1),
                         .tenant = stmt_column_int(s, 4)};
    return read_text(s, 2, keep, &out->actor) &&
           read_text(s, 3, keep, &out->action) &&
           read_text(s, 5, keep, &out->name) &&
           read_text(s, 6, keep, &out->before) &&
           read_text(s, 7, keep, &out->after);
}

static quire_status give(struct quire *q, struct stmt *s, quire_audit_fn each,
                         void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_audit one;
    bool row = true;
    quire_status st = QUIRE_OK;

    while (!st) {
        arena_reset(&tmp);
        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        if (!read_audit(s, &tmp, &one)) {
            st = err_memory(err);
            break;
        }
        q->in_callback = true;
        st = each(ctx, &one, err);
        q->in_callback = false;
    }
    arena_release(&tmp);
    return st;
}

quire_status quire_audit_list(quire *q, int64_t before_id, uint64_t limit,
                              quire_audit_fn each, void *ctx, quire_error *err)
{
    struct stmt *s;
    quire_status st = need_rows(q, false, err);

    if (st == QUIRE_NOT_FOUND || (!st && q->schema < SCHEMA_AUDIT_LOG))
        return QUIRE_OK;
    if (!st)
        st = db_prepare(q->db,
                        "SELECT id, at, actor, action, tenant, name,"
                        " before, after FROM journal WHERE ?1 = 0 OR"
                        " id < ?1 ORDER BY id DESC LIMIT ?2",
                        &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, before_id);
    stmt_bind_int(s, 2, limit && limit < INT64_MAX ? (int64_t)limit : -1);
    st = give(q, s, each, ctx, err);
    stmt_finalize(s);
    return st;
}

/*
 * audit_log.c - changes of tenants and settings
 *
 * A change and its row are one transaction. Rows are only added, and keep the
 * names of tenants that are gone. Neither a token nor its hash is recorded.
 */
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "catalog/priv.h"

static void bind_or_null(struct stmt *s, int at, const char *text)
{
    if (text)
        stmt_bind_text(s, at, bytes_str(text));
    else
        stmt_bind_null(s, at);
}

quire_status audit_log_add(struct catalog *c, const char *action,
                           int64_t tenant, const char *name, const char *before,
                           const char *after, quire_error *err)
{
    char uid[32];
    struct stmt *s;
    quire_status st = use(c, SQL_AUDIT_ADD, &s, err);

    if (st)
        return st;
    snprintf(uid, sizeof uid, "uid:%u", (unsigned)geteuid());
    stmt_bind_int(s, 1, clock_us(c->clock));
    stmt_bind_text(s, 2, bytes_str(c->actor && *c->actor ? c->actor : uid));
    stmt_bind_text(s, 3, bytes_str(action));
    stmt_bind_int(s, 4, tenant);
    stmt_bind_text(s, 5, bytes_str(name));
    bind_or_null(s, 6, before);
    bind_or_null(s, 7, after);
    return sql_run(s, err);
}

/* A tenant as JSON, in `keep`; NULL: out of memory. */
static const char *format_tenant(const quire_tenant *t, struct arena *keep)
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

quire_status audit_log_add_tenant(struct catalog *c, const char *action,
                                  const quire_tenant *before,
                                  const quire_tenant *after, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const quire_tenant *t = after ? after : before;
    const char *was = before ? format_tenant(before, &tmp) : NULL;
    const char *is = after ? format_tenant(after, &tmp) : NULL;
    quire_status st;

    assert(t);
    st = (before && !was) || (after && !is)
             ? err_memory(err)
             : audit_log_add(c, action, t->id, t->name, was, is, err);
    arena_release(&tmp);
    return st;
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

quire_status audit_log_list(struct catalog *c, int64_t before_id,
                            uint64_t limit, quire_audit_fn each, void *ctx,
                            quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    quire_audit one;
    bool row = true;
    quire_status st = use(c, SQL_AUDIT_LIST, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, before_id);
    stmt_bind_int(s, 2, sql_limit(limit));
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        arena_reset(&tmp);
        st = read_audit(s, &tmp, &one) ? each(ctx, &one, err) : err_memory(err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

/* session_keep.c - pins and holds, as quire/keep.h has them */

#include <string.h>
#include <unistd.h>

#include "api/core/handle.h"
#include "catalog/session_keep.h"

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "api/token.h"

enum { REASON_BYTES_MAX = 500 };

quire_status quire_session_keep_of(quire *q, const char *which,
                                   quire_session_keep *out, quire_error *err)
{
    struct session_keep k = {.holder = "", .reason = ""};
    struct session_row row;
    const char *id;
    quire_status st = quire_session_id(q, which, &id, err);

    *out = (quire_session_keep){.holder = "", .reason = ""};
    if (st || q->kind != QUIRE_KIND_NATIVE ||
        !catalog_has(&q->catalog, SCHEMA_KEEPING))
        return st;
    st = session_row_find(&q->catalog, q->tenant, id, &row, err);
    if (!st)
        st = session_keep_of(&q->catalog, q->tenant, row.session, &q->loan, &k,
                             err);
    out->pinned_us = k.pinned_us;
    out->held_us = k.held_us;
    out->holder = k.holder;
    out->reason = k.reason;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* A change of one. Text is in `keep`. */
struct change {
    struct quire *q;
    struct arena keep;
    int64_t session;
    const char *id;
    struct session_keep now;
};

/* Find the session and begin a transaction. */
static quire_status begin_change(struct change *c, const char *which,
                                 quire_error *err)
{
    quire_session_row row;
    quire_status st = quire_session_row_of(c->q, which, &row, err);

    if (!st && !row.number)
        st = err_fail(err, QUIRE_INVALID, "name a session of a native home",
                      "session %.60s cannot be pinned or held where it is",
                      which);
    if (st)
        return st;
    c->session = row.number;
    c->id = arena_text(&c->keep, bytes_str(row.id));
    st = c->id ? need_own_rows(c->q, true, err) : err_memory(err);
    if (!st)
        st = db_begin(c->q->catalog.db, DB_DURABLE, c->q->tenant, err);
    if (st)
        return st;
    st = session_keep_of(&c->q->catalog, c->q->tenant, c->session, &c->keep,
                         &c->now, err);
    return st ? sql_end(c->q->catalog.db, st, err) : QUIRE_OK;
}

/* Store the change, and end the transaction. */
static quire_status end_change(struct change *c, quire_status st,
                               quire_error *err)
{
    struct catalog *catalog = &c->q->catalog;

    if (!st)
        st = session_keep_set(catalog, c->q->tenant, c->session, &c->now, err);
    return sql_end(catalog->db, st, err);
}

quire_status quire_session_pin(quire *q, const char *which, int pinned,
                               quire_error *err)
{
    struct change c = {.q = q, .keep = ARENA_INIT};
    quire_status st = begin_change(&c, which, err);

    if (!st) {
        if (!pinned)
            c.now.pinned_us = 0;
        else if (!c.now.pinned_us)
            c.now.pinned_us = clock_us(&q->clock);
        st = end_change(&c, QUIRE_OK, err);
    }
    arena_release(&c.keep);
    return st;
}

static quire_status check_reason(const char *reason, quire_error *err)
{
    size_t len = strnlen(reason, REASON_BYTES_MAX + 1);

    if (len > 0 && len <= REASON_BYTES_MAX && utf8_check(bytes_str(reason)) &&
        !text_has_controls(bytes_str(reason)))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "say why, such as \"case 12\"",
                    "reason of a hold is not UTF-8 of 1 to %d bytes without "
                    "control characters",
                    REASON_BYTES_MAX);
}

/* Record the hold, or its end, in the audit log. */
static quire_status record_hold(struct change *c, const char *action,
                                const char *reason, bool ends, quire_error *err)
{
    struct buf out = BUF_INIT(16 * 1024);
    struct json_writer w;
    const char *text;
    quire_status st;

    json_begin(&w, &out);
    json_object(&w);
    json_put_str(&w, "reason", reason);
    json_object_end(&w);
    text = buf_text(&out);
    st = out.failed
             ? err_memory(err)
             : audit_log_add(&c->q->catalog, action, c->q->tenant, c->id,
                             ends ? text : NULL, ends ? NULL : text, err);
    buf_release(&out);
    return st;
}

/* Who holds, as the audit log names him. */
static const char *holder_name(struct change *c)
{
    const char *actor = c->q->catalog.actor;

    return actor && *actor
               ? actor
               : arena_printf(&c->keep, "uid:%u", (unsigned)geteuid());
}

static quire_status begin_hold(struct change *c, const char *reason,
                               quire_error *err)
{
    if (c->now.held_us)
        return strcmp(c->now.reason, reason) != 0
                   ? session_keep_check(&c->q->catalog, c->q->tenant,
                                        c->session, c->id, err)
                   : QUIRE_OK;
    c->now.held_us = clock_us(&c->q->clock);
    c->now.holder = holder_name(c);
    c->now.reason = reason;
    return c->now.holder ? record_hold(c, "session.hold", reason, false, err)
                         : err_memory(err);
}

quire_status quire_session_hold(quire *q, const char *which, const char *reason,
                                quire_error *err)
{
    struct change c = {.q = q, .keep = ARENA_INIT};
    quire_status st = check_reason(reason, err);

    if (!st)
        st = begin_change(&c, which, err);
    if (!st)
        st = end_change(&c, begin_hold(&c, reason, err), err);
    arena_release(&c.keep);
    return st;
}

quire_status quire_session_release(quire *q, const char *which,
                                   quire_error *err)
{
    struct change c = {.q = q, .keep = ARENA_INIT};
    quire_status st = begin_change(&c, which, err), done = QUIRE_OK;

    if (!st) {
        if (c.now.held_us)
            done = record_hold(&c, "session.release", c.now.reason, true, err);
        c.now.held_us = 0;
        c.now.holder = c.now.reason = "";
        st = end_change(&c, done, err);
    }
    arena_release(&c.keep);
    return st;
}

/* open_session.c - see open_session.h */
#include "server/open_session.h"

#include "base/bytes.h"
#include "base/err.h"
#include "server/response_json.h"
#include "server/server.h"
#include "server/session_pool.h"

quire_session *request_open_session(struct request *c, unsigned flags)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    const char *id = request_session(c);
    quire_session *s = NULL;
    quire_error err;
    quire_status st;

    if (!id)
        return NULL;
    o.flags = flags;
    o.sync = QUIRE_SYNC_EACH;
    st = session_pool_take(thread_ctx_sessions(c->thread_ctx), c->q,
                           c->tenant.id, id, &o, &s, &err);
    if (st)
        request_fail(c, st, &err);
    return s;
}

void request_close_session(struct request *c, quire_session *s)
{
    session_pool_put(thread_ctx_sessions(c->thread_ctx), c->tenant.id,
                     c->session, s);
}

/* The session was imported: the request is about the one in which it goes on. */
static quire_status follow(struct request *c, quire_session *s,
                           quire_error *err)
{
    quire_session_info info;
    quire_session_row row;
    quire_status st;

    quire_session_describe(s, &info);
    c->session = arena_text(&c->keep, bytes_str(info.id));
    if (!c->session)
        return err_memory(err);
    st = quire_session_row_of(c->q, c->session, &row, err);
    c->session_number = st ? 0 : row.number;
    return st;
}

void request_answer_appended(struct request *c, quire_session *s,
                             quire_status st, const quire_appended *done,
                             quire_error *err)
{
    if (!st)
        st = quire_session_flush(s, err);
    if (!st && done->continued)
        st = follow(c, s, err);
    if (st) {
        quire_session_close(s); /* it may be another one by now */
        request_fail(c, st, err);
        return;
    }
    request_close_session(c, s);
    json_object(&c->w);
    put_text(c, "id", done->id);
    put_text(c, "parentId", *done->parent ? done->parent : NULL);
    put_flag(c, "existed", done->existed);
    if (done->continued) {
        put_text(c, "session", c->session);
        put_number(c, "conversation_id", c->session_number);
    }
    json_object_end(&c->w);
}

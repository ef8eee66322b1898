/* history.c - prompts that were typed, and what a tenant uses */

#include "base/bytes.h"
#include "base/err.h"
#include "server/page.h"
#include "server/routes/handlers.h"

/* ---- prompts ------------------------------------------------------------ */

static quire_status give(void *ctx, const quire_prompt *p, quire_error *err)
{
    struct page *page = ctx;
    struct request *c = page->c;

    (void)err;
    json_object(&c->w);
    put_number(c, "id", p->id);
    put_bytes(c, "prompt", p->prompt);
    put_number(c, "created_at", p->created_at_s);
    put_text(c, "cwd", p->cwd);
    put_text(c, "session", p->session);
    json_object_end(&c->w);
    return page_take(page, 0, 0);
}

void route_history_list(struct request *c)
{
    quire_history_options o = QUIRE_HISTORY_OPTIONS_INIT;
    struct page p = {.c = c};
    quire_bytes query = request_bytes(c, "q");
    quire_error err;
    quire_status st;

    if (!request_cwd(c, &o.cwd))
        return;
    o.limit = request_limit(c);
    page_begin(&p, "prompts");
    st = query.data ? quire_history_search(c->q, query, &o, give, &p, &err)
                    : quire_history_list(c->q, &o, give, &p, &err);
    page_end_rows(&p);
    page_end(&p, st, &err);
}

/* The last one that was typed. */
static quire_status note_last(void *ctx, const quire_prompt *p,
                              quire_error *err)
{
    (void)err;
    *(int64_t *)ctx = p->id;
    return QUIRE_OK;
}

void route_history_add(struct request *c)
{
    quire_history_options newest = QUIRE_HISTORY_OPTIONS_INIT;
    const char *session, *cwd;
    int64_t id = 0, last = 0;
    quire_error err;
    quire_status st;

    if (!request_session_field(c, "conversation_id", &session) ||
        !request_cwd(c, &cwd))
        return;
    newest.limit = 1;
    if (quire_history_list(c->q, &newest, note_last, &last, NULL))
        last = 0; /* then an event is published */
    /* Without one it would be the server's own. */
    st = quire_history_add(c->q, request_bytes(c, "prompt"), cwd ? cwd : "/",
                           session, &id, &err);
    if (!st && !id) {
        st = err_fail(&err, QUIRE_INVALID, "send what was typed",
                      "prompt has nothing but blanks");
    }
    if (st) {
        request_fail(c, st, &err);
        return;
    }
    c->unchanged = id == last;
    json_object(&c->w);
    put_number(c, "id", id);
    json_object_end(&c->w);
}

/* ---- usage -------------------------------------------------------------- */

/* A member of "quotas". */
static quire_status put_quota(struct request *c, const char *name,
                              quire_error *err)
{
    const char *key = arena_printf(&c->keep, "quota.%s", name);
    quire_setting setting;
    quire_status st = key ? quire_config_get(c->q, key, &setting, err)
                          : err_memory(err);

    if (!st) {
        json_put_raw(&c->w, name, bytes_str(setting.value)); /* digits */
    }
    return st;
}

void route_usage(struct request *c)
{
    static const char *const names[] = {"file", "session", "tenant"};
    quire_status st = QUIRE_OK;
    quire_error err;
    size_t i;

    json_object(&c->w);
    put_number(c, "tenant_id", c->tenant.id);
    put_text(c, "name", c->tenant.name);
    put_number(c, "bytes_used", (int64_t)c->tenant.used);
    put_number(c, "artifacts", (int64_t)c->tenant.artifacts);
    json_key(&c->w, "quotas");
    json_object(&c->w);
    for (i = 0; i < sizeof names / sizeof *names && !st; i++)
        st = put_quota(c, names[i], &err);
    json_object_end(&c->w);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
}

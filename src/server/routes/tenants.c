/* tenants.c - tenants, for the admin; and what anybody may ask */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/route.h"
#include "server/page.h"
#include "server/server.h"

static void put_tenant(struct request *c, const quire_tenant *t)
{
    put_number(c, "id", t->id);
    put_text(c, "name", t->name);
    put_flag(c, "disabled", t->disabled);
    put_flag(c, "has_token", t->has_token);
    put_time(c, "created_at", t->created_us);
    put_number(c, "bytes_used", (int64_t)t->used);
    put_number(c, "artifacts", (int64_t)t->artifacts);
}

static void answer_tenant(struct request *c, const quire_tenant *t,
                          const char *token)
{
    json_object(&c->w);
    put_tenant(c, t);
    if (token)
        put_text(c, "token", token);
    json_object_end(&c->w);
}

static quire_status give(void *ctx, const quire_tenant *t, quire_error *err)
{
    struct request *c = ctx;

    (void)err;
    answer_tenant(c, t, NULL);
    return QUIRE_OK;
}

void route_tenants_list(struct request *c)
{
    quire_error err;
    quire_status st;

    json_object(&c->w);
    json_key(&c->w, "tenants");
    json_array(&c->w);
    st = quire_tenant_list(c->q, give, c, &err);
    json_array_end(&c->w);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
}

void route_tenants_add(struct request *c)
{
    char token[QUIRE_TOKEN_SIZE];
    quire_tenant t;
    quire_error err;
    quire_status st = quire_tenant_add(c->q, request_text(c, "name"), token, &t,
                                       &err);

    if (st)
        request_fail(c, st, &err);
    else
        answer_tenant(c, &t, token);
}

void route_tenants_get(struct request *c)
{
    quire_tenant t;
    quire_error err;
    quire_status st = quire_tenant_get(c->q, request_ref(c, 0), &t, &err);

    if (st)
        request_fail(c, st, &err);
    else
        answer_tenant(c, &t, NULL);
}

void route_tenants_patch(struct request *c)
{
    quire_tenant t;
    quire_error err;
    quire_status st = quire_tenant_disable(c->q, request_ref(c, 0),
                                           request_flag(c, "disabled", false),
                                           &t, &err);

    if (st)
        request_fail(c, st, &err);
    else
        answer_tenant(c, &t, NULL);
    if (!st && t.disabled)
        events_shut_out(thread_ctx_events(c->thread_ctx), t.id);
}

void route_tenants_rotate(struct request *c)
{
    char token[QUIRE_TOKEN_SIZE];
    quire_tenant t;
    quire_error err;
    quire_status st = quire_tenant_rotate(c->q, request_ref(c, 0), token, &t,
                                          &err);

    if (st)
        request_fail(c, st, &err);
    else
        answer_tenant(c, &t, token);
    if (!st)
        events_shut_out(thread_ctx_events(c->thread_ctx), t.id);
}

void route_tenants_remove(struct request *c)
{
    quire_error err;
    quire_status st = quire_tenant_remove(c->q, request_ref(c, 0),
                                          request_flag(c, "all", false), &err);

    if (st == QUIRE_EXISTS)
        request_fail_as(c, 409, quire_status_name(st),
                        "?all=true removes it with all of that, for good",
                        &err);
    else
        answer_deleted(c, st, &err);
    if (!st)
        events_shut_out(thread_ctx_events(c->thread_ctx), request_id(c, 0));
}

/* ---- what was done ------------------------------------------------------ */

static void put_json(struct request *c, const char *key, const char *json)
{
    json_key(&c->w, key);
    if (json)
        json_raw(&c->w, bytes_str(json));
    else
        json_null(&c->w);
}

static quire_status give_change(void *ctx, const quire_audit *change,
                                quire_error *err)
{
    struct page *p = ctx;
    struct request *c = p->c;
    quire_status st = page_take(p, change->at_us, change->id);

    (void)err;
    if (st)
        return st;
    json_object(&c->w);
    put_number(c, "id", change->id);
    put_time(c, "created_at", change->at_us);
    put_text(c, "actor", change->actor);
    put_text(c, "action", change->action);
    put_id(c, "tenant_id", change->tenant);
    put_text(c, "name", change->name);
    put_json(c, "before", change->before);
    put_json(c, "after", change->after);
    json_object_end(&c->w);
    return QUIRE_OK;
}

void route_audit(struct request *c)
{
    struct page p = {.c = c, .limit = request_limit(c, 50, 200)};
    quire_error err;
    quire_status st;

    page_begin(&p, "entries");
    st = quire_audit_list(c->q, (int64_t)request_number(c, "before_id", 0),
                          p.limit + 1, give_change, &p, &err);
    page_end_rows(&p);
    put_id(c, "next_before_id", p.more ? p.last_id : 0);
    page_end(&p, st, &err);
}

/* ---- for anybody -------------------------------------------------------- */

static void say(struct request *c, const char *key, const char *value)
{
    json_object(&c->w);
    put_text(c, key, value);
    json_object_end(&c->w);
}

void route_health(struct request *c)
{
    say(c, "status", "ok");
}

void route_ready(struct request *c)
{
    if (thread_ctx_is_ready(c->thread_ctx))
        say(c, "status", "ready");
    else
        request_refuse(
            c, 503, "not_ready", "ask again in a moment",
            "the server is draining, or its store cannot be written");
}

void route_version(struct request *c)
{
    say(c, "version", quire_version());
}

void route_metrics(struct request *c)
{
    thread_ctx_write_metrics(c->thread_ctx, &c->answer.body);
    response_header(&c->answer, "Content-Type",
                    "text/plain; version=0.0.4; charset=utf-8");
}

void route_openapi(struct request *c)
{
    openapi_write(&c->answer.body);
}

/* ---- blobs -------------------------------------------------------------- */

void route_blobs_put(struct request *c)
{
    quire_blob_info info;
    quire_error err;
    quire_status st = quire_blob_put(c->q, exchange_body(c->x), 0, &info, &err);
    char ref[QUIRE_REF_SIZE];

    if (st) {
        request_fail(c, st, &err);
        return;
    }
    quire_ref_format(&info.digest, ref);
    c->answer.status = info.existed ? 200 : 201;
    c->unchanged = info.existed;
    json_object(&c->w);
    put_text(c, "ref", ref);
    put_text(c, "sha256", ref + sizeof "blob:sha256:" - 1);
    put_number(c, "size", (int64_t)info.size);
    put_flag(c, "existed", info.existed);
    json_object_end(&c->w);
}

/* By its digest, or by the `ref` that it was given when it was put. */
void route_blobs_get(struct request *c)
{
    quire_blob_info info;
    quire_digest digest;
    quire_error err;
    quire_status st;

    if (quire_ref_parse(c->params[0], &digest, NULL)) {
        request_refuse(c, 400, "invalid",
                       "send 64 hex digits, or the whole ref",
                       "that is no digest of a blob");
        return;
    }
    st = quire_blob_stat(c->q, &digest, &info, &err);
    if (st == QUIRE_NOT_FOUND)
        request_refuse(c, 404, "not_found", "POST /v1/blobs puts it there",
                       "there is no such blob");
    else if (st)
        request_fail(c, st, &err);
    else
        blob_response_send(c, &digest, info.size, "application/octet-stream");
}

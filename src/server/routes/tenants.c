/* tenants.c - administration of tenants, and the audit log */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/page.h"
#include "server/server.h"
#include "server/blob_response.h"
#include "server/routes/handlers.h"

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

static quire_status write_tenant(void *ctx, const quire_tenant *t,
                                 quire_error *err)
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
    st = quire_tenant_list(c->q, write_tenant, c, &err);
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
        thread_ctx_end_streams(c->thread_ctx, t.id);
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
        thread_ctx_end_streams(c->thread_ctx, t.id);
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
        thread_ctx_end_streams(c->thread_ctx, request_id(c, 0));
}

/* ---- the client itself -------------------------------------------------- */

void route_me(struct request *c)
{
    json_object(&c->w);
    put_number(c, "tenant_id", c->tenant.id);
    put_text(c, "name", c->tenant.name);
    put_flag(c, "read_only", c->tenant.token_flags & QUIRE_TOKEN_READ_ONLY);
    put_flag(c, "local", c->tenant.token_flags & QUIRE_TOKEN_LOCAL);
    put_text(c, "version", quire_version());
    json_object_end(&c->w);
}

/* ---- further tokens ----------------------------------------------------- */

static void answer_token(struct request *c, const quire_token *t,
                         const char *token)
{
    json_object(&c->w);
    put_number(c, "id", t->id);
    put_text(c, "label", t->label);
    put_flag(c, "read_only", t->flags & QUIRE_TOKEN_READ_ONLY);
    put_flag(c, "local", t->flags & QUIRE_TOKEN_LOCAL);
    put_time(c, "created_at", t->created_us);
    json_key(&c->w, "expires_at");
    if (t->expires_us)
        json_int(&c->w, t->expires_us / 1000000);
    else
        json_null(&c->w);
    if (token)
        put_text(c, "token", token);
    json_object_end(&c->w);
}

static quire_status write_token(void *ctx, const quire_token *t,
                                quire_error *err)
{
    (void)err;
    answer_token(ctx, t, NULL);
    return QUIRE_OK;
}

void route_tokens_list(struct request *c)
{
    quire_error err;
    quire_status st;

    json_object(&c->w);
    json_key(&c->w, "tokens");
    json_array(&c->w);
    st = quire_token_list(c->q, request_ref(c, 0), write_token, c, &err);
    json_array_end(&c->w);
    json_object_end(&c->w);
    if (st)
        request_fail(c, st, &err);
}

void route_tokens_add(struct request *c)
{
    uint64_t expires = request_number(c, "expires_at", 0);
    quire_token t = {.label = request_text(c, "label")};
    char token[QUIRE_TOKEN_SIZE];
    quire_error err;
    quire_status st;

    t.flags = (request_flag(c, "read_only", false) ? QUIRE_TOKEN_READ_ONLY
                                                   : 0u) |
              (request_flag(c, "local", false) ? QUIRE_TOKEN_LOCAL : 0u);
    t.expires_us = expires < INT64_MAX / 1000000 ? (int64_t)expires * 1000000
                                                 : INT64_MAX;
    st = quire_token_add(c->q, request_ref(c, 0), &t, token, &err);
    if (st)
        request_fail(c, st, &err);
    else
        answer_token(c, &t, token);
}

void route_tokens_remove(struct request *c)
{
    quire_error err;
    quire_status st = quire_token_remove(c->q, request_ref(c, 0),
                                         request_id(c, 1), &err);

    answer_deleted(c, st, &err);
    if (!st)
        thread_ctx_end_streams(c->thread_ctx, request_id(c, 0));
}

/* ---- audit log ---------------------------------------------------------- */

static void put_json(struct request *c, const char *key, const char *json)
{
    json_key(&c->w, key);
    if (json)
        json_raw(&c->w, bytes_str(json));
    else
        json_null(&c->w);
}

/* The name that arbiter has for an action, or gives to ones like it. */
static const char *arbiter_action(const char *action)
{
    static const char *const names[][2] = {
        {"tenant.add", "create_tenant"},    {"tenant.disable", "update_tenant"},
        {"tenant.enable", "update_tenant"}, {"tenant.rotate", "rotate_token"},
        {"tenant.remove", "delete_tenant"}, {"config.set", "update_setting"},
    };
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(action, names[i][0]))
            return names[i][1];
    return action;
}

/* A tenant by its number, a setting by its key; both as text. */
static void put_target(struct request *c, const quire_audit *change)
{
    char id[32];

    snprintf(id, sizeof id, "%lld", (long long)change->tenant);
    put_text(c, "target_kind", change->tenant ? "tenant" : "setting");
    put_text(c, "target_id", change->tenant ? id : change->name);
}

static quire_status write_change(void *ctx, const quire_audit *change,
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
    put_time(c, "ts", change->at_us);
    put_text(c, "actor", change->actor);
    put_text(c, "action", arbiter_action(change->action));
    put_text(c, "event", change->action);
    put_target(c, change);
    put_id(c, "tenant_id", change->tenant);
    put_text(c, "name", change->name);
    put_json(c, "before", change->before);
    put_json(c, "after", change->after);
    json_object_end(&c->w);
    return QUIRE_OK;
}

void route_audit(struct request *c)
{
    struct page p = {.c = c, .limit = request_limit(c)};
    quire_error err;
    quire_status st;

    page_begin(&p, "entries");
    st = quire_audit_list(c->q, (int64_t)request_number(c, "before_id", 0),
                          p.limit + 1, write_change, &p, &err);
    page_end_rows(&p);
    put_id(c, "next_before_id", p.more ? p.last_id : 0);
    page_end(&p, st, &err);
}

/* health.c - health, readiness, version, metrics, OpenAPI */
#include "server/openapi/openapi.h"
#include "server/routes/handlers.h"
#include "server/server.h"

static void answer_member(struct request *c, const char *key, const char *value)
{
    json_object(&c->w);
    put_text(c, key, value);
    json_object_end(&c->w);
}

void route_health(struct request *c)
{
    answer_member(c, "status", "ok");
}

void route_ready(struct request *c)
{
    if (thread_ctx_is_ready(c->thread_ctx))
        answer_member(c, "status", "ready");
    else
        request_refuse(c, 503, "not_ready", "ask again in a moment",
                       "the server is draining, or its store is not writable");
}

void route_version(struct request *c)
{
    answer_member(c, "version", quire_version());
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

/* complete.c - completion of ids and queries */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "mcp/priv.h"

/* Of memory the last that were changed. */
enum { TITLES_MAX = 1000 };

struct completion {
    struct mcp_call *call;
    const char *value;  /* what there is so far     */
    const char *scheme; /* outputs: of these alone  */
    uint64_t n;
};

/* Those that begin so, up to a hundred; the others are counted. */
static void offer(struct completion *o, const char *text)
{
    if (strncmp(text, o->value, strlen(o->value)) != 0)
        return;
    if (o->n++ < COMPLETIONS_MAX)
        json_str(&o->call->w, text);
}

static quire_status offer_artifact(void *ctx, const quire_artifact *a,
                                   quire_error *err)
{
    char id[32];

    (void)err;
    snprintf(id, sizeof id, "%" PRId64, a->id);
    offer(ctx, id);
    return QUIRE_OK;
}

static quire_status offer_output(void *ctx, const quire_output *one,
                                 quire_error *err)
{
    struct completion *o = ctx;

    (void)err;
    if (!strncmp(one->address, o->scheme, strlen(o->scheme)) &&
        handle_sees(o->call->peer->m, one->address))
        offer(o, one->id);
    return QUIRE_OK;
}

static quire_status offer_session(void *ctx, const quire_session_info *s,
                                  quire_error *err)
{
    (void)err;
    offer(ctx, s->id);
    return QUIRE_OK;
}

/* What a recall could be about. */
static quire_status offer_title(void *ctx, const quire_memory *one,
                                quire_error *err)
{
    struct completion *o = ctx;
    const char *title = arena_text(&o->call->keep, one->title);

    if (!title)
        return err_memory(err);
    offer(o, title);
    return QUIRE_OK;
}

static quire_status offer_titles(struct completion *o, struct mcp_handle *h,
                                 quire_error *err)
{
    quire_memory_list_options all = QUIRE_MEMORY_LIST_OPTIONS_INIT;

    if (quire_home_kind(h->q) != QUIRE_KIND_NATIVE)
        return QUIRE_OK;
    all.limit = TITLES_MAX;
    return quire_memory_list(h->q, &all, offer_title, o, err);
}

static quire_status offer_ids(struct completion *o, struct mcp_handle *h,
                              enum uri_kind kind, quire_error *err)
{
    quire_artifact_list_options all = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    quire_status st = QUIRE_OK;

    all.all_sessions = h->m->read_all;
    if (!h->m->session && !h->m->read_all)
        return QUIRE_OK;
    if (kind == URI_ARTIFACT && quire_home_kind(h->q) != QUIRE_KIND_NATIVE)
        return QUIRE_OK;
    if (kind == URI_ARTIFACT)
        return quire_artifact_list(h->q, h->m->session, &all, offer_artifact, o,
                                   err);
    if (kind == URI_SESSION && h->m->read_all)
        return quire_session_list(h->q, NULL, offer_session, o, err);
    if (kind == URI_SESSION) {
        offer(o, h->m->session);
        return QUIRE_OK;
    }
    o->scheme = kind == URI_OUTPUT ? "artifact://" : "agent://";
    st = handle_outputs(h, err);
    return st ? st : quire_outputs_list(h->outputs, offer_output, o, err);
}

/* What is to be completed; false if there is no such thing. */
static bool find_kind(struct mcp_call *c, enum uri_kind *kind)
{
    quire_bytes ref = json_get(c->params, "ref");
    const char *uri = message_text(c, ref, "uri");
    struct uri u;

    *kind = URI_NONE;
    if (json_is(json_get(ref, "type"), "ref/prompt"))
        return json_is(json_get(ref, "name"), "recall") ||
               json_is(json_get(ref, "name"), "hand-off");
    if (!json_is(json_get(ref, "type"), "ref/resource") || !uri)
        return false;
    if (!strcmp(uri, "quire://artifact/{id}")) {
        *kind = URI_ARTIFACT;
        return true;
    }
    if (!uri_read(uri, &u) || u.kind == URI_ARTIFACT)
        return false;
    *kind = u.kind;
    return true;
}

void do_complete(struct mcp_call *c, struct mcp_handle *h)
{
    quire_bytes argument = json_get(c->params, "argument");
    struct completion o = {.call = c,
                           .value = message_text(c, argument, "value")};
    quire_error err = {.what = ""};
    quire_status st = QUIRE_OK;
    enum uri_kind kind;

    if (!find_kind(c, &kind) || !o.value ||
        json_kind(json_get(argument, "name")) != JSON_STRING) {
        message_refuse(c, CODE_PARAMS,
                       "resources/templates/list lists the templates",
                       "nothing of this kind can be completed");
        return;
    }
    json_key(&c->w, "completion");
    json_object(&c->w);
    json_key(&c->w, "values");
    json_array(&c->w);
    if (kind != URI_NONE)
        st = offer_ids(&o, h, kind, &err);
    else if (json_is(json_get(argument, "name"), "query"))
        st = offer_titles(&o, h, &err);
    json_array_end(&c->w);
    json_put_uint(&c->w, "total", o.n);
    json_put_bool(&c->w, "hasMore", o.n > COMPLETIONS_MAX);
    json_object_end(&c->w);
    if (st)
        message_refuse_status(c, st, &err);
}

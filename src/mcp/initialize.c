/*
 * initialize.c - what the server offers: `initialize`, `server/discover`, `ping`
 */
#include "mcp/priv.h"

static const char capabilities[] =
    "{\"tools\":{},\"resources\":{\"subscribe\":true,\"listChanged\":true},"
    "\"prompts\":{},\"completions\":{}}";

static const char instructions[] =
    "`recall` before you begin: what is known. `remember` what should outlive "
    "this session. `read` reads any address that a hit or a result has. "
    "`workspace` keeps files of this session, with their versions. The prompts "
    "`recall` and `hand-off` search earlier sessions and summarize this one.";

void do_initialize(struct mcp_call *c, struct mcp_handle *h)
{
    quire_bytes asked = json_get(c->params, "protocolVersion");
    int v = V_2025_11_25, i;

    (void)h;
    if (json_kind(asked) != JSON_STRING) {
        message_refuse(c, CODE_PARAMS, "for example 2025-11-25",
                       "initialize needs a protocolVersion");
        return;
    }
    for (i = V_2024_11_05; i <= V_2025_11_25; i++)
        if (json_is(asked, mcp_versions[i]))
            v = i;
    pthread_mutex_lock(&c->peer->m->lock);
    c->peer->version = (enum mcp_version)v;
    c->peer->has_roots = json_kind(json_get(json_get(c->params, "capabilities"),
                                            "roots")) == JSON_OBJECT;
    pthread_mutex_unlock(&c->peer->m->lock);
    json_put_str(&c->w, "protocolVersion", mcp_versions[v]);
    put_raw(&c->w, "capabilities", capabilities);
    put_raw(
        &c->w, "serverInfo",
        "{\"name\":\"quire\",\"title\":\"Quire\",\"version\":\"" QUIRE_VERSION
        "\"}");
    json_put_str(&c->w, "instructions", instructions);
}

void do_ping(struct mcp_call *c, struct mcp_handle *h)
{
    (void)c;
    (void)h;
}

void do_discover(struct mcp_call *c, struct mcp_handle *h)
{
    int i;

    (void)h;
    json_key(&c->w, "supportedVersions");
    json_array(&c->w);
    for (i = N_VERSIONS - 1; i > V_NONE; i--)
        json_str(&c->w, mcp_versions[i]);
    json_array_end(&c->w);
    put_raw(&c->w, "capabilities", capabilities);
    json_put_str(&c->w, "instructions", instructions);
    answer_cache(c, 3600000, true);
}

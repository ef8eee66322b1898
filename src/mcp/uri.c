/*
 * uri.c - addresses of resources
 *
 *     artifact://3            what a tool printed, as `quire read` has it
 *     agent://0-Scout         a sub-agent's report, or a value in it
 *     quire://artifact/12     a file of the session
 *     quire://session/ID      the session itself
 *     quire://session/ID#E    an entry of it, as hits of a search have it
 */
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "mcp/priv.h"

/* "ID#E" of a session; false: too long. */
static bool split_entry(struct uri *u)
{
    size_t len = strcspn(u->id, "#");

    if (u->id[len] == '\0')
        return true;
    if (len >= sizeof u->session)
        return false;
    memcpy(u->session, u->id, len);
    u->session[len] = '\0';
    u->entry = u->id + len + 1;
    u->id = u->session;
    return true;
}

bool uri_read(const char *text, struct uri *out)
{
    static const struct {
        const char *begins;
        enum uri_kind kind;
    } kinds[] = {
        {"artifact://", URI_OUTPUT},
        {"agent://", URI_REPORT},
        {"quire://artifact/", URI_ARTIFACT},
        {"quire://session/", URI_SESSION},
    };
    size_t i, len;

    *out = (struct uri){.kind = URI_NONE, .id = ""};
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        len = strlen(kinds[i].begins);
        if (strncmp(text, kinds[i].begins, len) != 0)
            continue;
        out->kind = kinds[i].kind;
        out->id = text + len;
    }
    if (out->kind == URI_ARTIFACT) {
        /* No sign, no zero in front: one spelling for each. */
        len = strspn(out->id, "0123456789");
        if (len == 0 || len > 18 || out->id[len] || *out->id == '0')
            return false;
    }
    return (out->kind != URI_SESSION || split_entry(out)) && *out->id != '\0';
}

bool uri_allowed(const struct mcp *m, const struct uri *u)
{
    return u->kind != URI_SESSION || m->read_all ||
           (m->session && !strcmp(u->id, m->session));
}

/* ---- stamps ------------------------------------------------------------ */

/* FNV-1a over what tells one state from another; never 0. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t hash = 14695981039346656037u;
    int i;

    for (i = 0; i < 8; i++)
        hash = (hash ^ (a >> (8 * i) & 0xff)) * 1099511628211u;
    for (i = 0; i < 8; i++)
        hash = (hash ^ (b >> (8 * i) & 0xff)) * 1099511628211u;
    return hash ? hash : 1;
}

static uint64_t artifact_stamp(struct mcp_handle *h, const struct uri *u)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_artifact a;
    char which[32] = "#";

    if (!h->m->session && !h->m->read_all)
        return 0;
    o.any_session = h->m->read_all;
    strncat(which, u->id, sizeof which - 2);
    if (quire_artifact_stat(h->q, h->m->session, which, &o, &a, NULL))
        return 0;
    return mix((uint64_t)a.updated_us,
               (uint64_t)a.version << 1 | (a.deleted_us != 0));
}

struct find_output {
    const char *uri;
    uint64_t stamp;
};

/* A value in a report changes when the report does. */
static quire_status see_output(void *ctx, const quire_output *o,
                               quire_error *err)
{
    struct find_output *f = ctx;
    size_t len = strlen(o->address);

    (void)err;
    if (strncmp(f->uri, o->address, len) != 0 || !strchr("/?", f->uri[len]))
        return QUIRE_OK;
    f->stamp = mix((uint64_t)o->modified_us, o->bytes);
    return QUIRE_STOPPED;
}

static uint64_t output_stamp(struct mcp_handle *h, const char *uri)
{
    struct find_output f = {uri, 0};

    if (handle_sees(h->m, uri) && handle_outputs(h, NULL) == QUIRE_OK)
        quire_outputs_list(h->outputs, see_output, &f, NULL);
    return f.stamp;
}

static uint64_t session_stamp(struct mcp_handle *h, const struct uri *u)
{
    const char *path;
    struct stat st;

    if (handle_built_in(u->id) ||
        quire_session_find(h->q, u->id, &path, NULL) || stat(path, &st) < 0)
        return 0;
    return mix((uint64_t)st.st_mtim.tv_sec * 1000000000u +
                   (uint64_t)st.st_mtim.tv_nsec,
               (uint64_t)st.st_size);
}

uint64_t resource_stamp(struct mcp_handle *h, const char *uri)
{
    struct uri u;

    if (!uri_read(uri, &u) || !uri_allowed(h->m, &u))
        return 0;
    switch (u.kind) {
    case URI_ARTIFACT: return artifact_stamp(h, &u);
    case URI_SESSION: return session_stamp(h, &u);
    default: return output_stamp(h, uri);
    }
}

/*
 * resources.c - what there is to read: files, outputs, reports, the session
 *
 * The list is newest first: artifacts come from the store a page at a time,
 * outputs are few enough to be looked at all. A cursor is the place of the last
 * one that was given, so that what is added meanwhile shifts nothing:
 *
 *     <time>.a.<id>      behind this artifact
 *     <time>.o.<address> behind this output
 *
 * Of things of one time artifacts come first, outputs by address.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "base/timestamp.h"
#include "mcp/priv.h"

static const char templates[] =
    "[{\"uriTemplate\":\"quire://artifact/{id}\",\"name\":\"artifact\","
    "\"description\":\"a file of the session, by its artifact_id\"},"
    "{\"uriTemplate\":\"quire://session/{id}\",\"name\":\"session\","
    "\"description\":\"what was said in a session\","
    "\"mimeType\":\"application/json\"},"
    "{\"uriTemplate\":\"artifact://{n}\",\"name\":\"output\","
    "\"description\":\"all that a tool printed\",\"mimeType\":\"text/plain\"},"
    "{\"uriTemplate\":\"agent://{id}\",\"name\":\"report\","
    "\"description\":\"a sub-agent's report; agent://{id}/key is a value in "
    "one that is JSON\"}]";

void message_refuse_resource(struct mcp_call *c, const char *uri)
{
    struct buf quoted = BUF_INIT((size_t)64 << 20);

    message_refuse(c, c->version == V_2026_07_28 ? CODE_PARAMS : CODE_RESOURCE,
                   "resources/list lists the resources", "no such resource");
    c->kind = "not_found";
    json_add_quoted(&quoted, bytes_str(uri));
    c->about_value = arena_dup(&c->keep, buf_bytes(&quoted));
    c->about = c->about_value.data && quoted.len < 1024 ? "uri" : NULL;
    buf_release(&quoted);
}

void do_resources_templates(struct mcp_call *c, struct mcp_handle *h)
{
    (void)h;
    put_raw(&c->w, "resourceTemplates", templates);
    answer_cache(c, 3600000, true);
}

/* ---- one of them, as it is listed -------------------------------------- */

static void put_modified(struct mcp_call *c, int64_t us)
{
    char when[TIMESTAMP_SIZE];

    if (c->version < V_2025_06_18)
        return;
    timestamp_format(us, when);
    json_key(&c->w, "annotations");
    json_object(&c->w);
    json_put_str(&c->w, "lastModified", when);
    json_object_end(&c->w);
}

static void put_artifact(struct mcp_call *c, const quire_artifact *a)
{
    char uri[64];

    snprintf(uri, sizeof uri, "quire://artifact/%" PRId64, a->id);
    json_put_str(&c->w, "uri", uri);
    json_put_str(&c->w, "name", a->path);
    if (*a->purpose)
        json_put_str(&c->w, "description", a->purpose);
    json_put_str(&c->w, "mimeType", a->mime);
    json_put_uint(&c->w, "size", a->size);
    put_modified(c, a->updated_us);
}

void put_link(struct mcp_call *c, const quire_artifact *a)
{
    json_object(&c->w);
    json_put_str(&c->w, "type", "resource_link");
    put_artifact(c, a);
    json_object_end(&c->w);
}

/* ---- the list ---------------------------------------------------------- */

/* Something in the list, in the arena of the call. */
struct item {
    int64_t us;
    bool output;
    int64_t id;          /* an artifact's                      */
    const char *address; /* an output's                        */
    quire_artifact a;    /* its text in the arena              */
    uint64_t bytes;      /* of an output                       */
    const char *tool;
};

struct listing {
    struct mcp_call *call;
    struct item *list;
    size_t n, cap;
    struct item after; /* the cursor; us 0: from the start */
};

static int by_place(const void *left, const void *right)
{
    const struct item *a = left, *b = right;

    if (a->us != b->us)
        return a->us > b->us ? -1 : 1;
    if (a->output != b->output)
        return a->output ? 1 : -1;
    if (a->output)
        return strcmp(a->address, b->address);
    return a->id > b->id ? -1 : a->id < b->id;
}

static struct item *add_item(struct listing *l, quire_error *err)
{
    struct item *bigger;

    if (l->n == l->cap) {
        bigger = realloc(l->list, (l->cap + 64) * sizeof *bigger);
        if (!bigger) {
            err_memory(err);
            return NULL;
        }
        l->list = bigger;
        l->cap += 64;
    }
    return &l->list[l->n];
}

static char *keep_text(struct listing *l, const char *text)
{
    return arena_text(&l->call->keep, bytes_str(text));
}

static quire_status list_artifact(void *ctx, const quire_artifact *a,
                                  quire_error *err)
{
    struct listing *l = ctx;
    struct item *i = add_item(l, err);

    if (!i)
        return QUIRE_NO_MEMORY;
    *i = (struct item){.us = a->updated_us, .id = a->id, .a = *a};
    i->a.path = keep_text(l, a->path);
    i->a.purpose = keep_text(l, a->purpose);
    i->a.mime = keep_text(l, a->mime);
    if (!i->a.path || !i->a.purpose || !i->a.mime)
        return err_memory(err);
    l->n++;
    return QUIRE_OK;
}

static quire_status list_output(void *ctx, const quire_output *o,
                                quire_error *err)
{
    struct listing *l = ctx;
    struct item *i = add_item(l, err);

    if (!i)
        return QUIRE_NO_MEMORY;
    if (!handle_sees(l->call->peer->m, o->address))
        return QUIRE_OK;
    *i = (struct item){.us = o->modified_us,
                       .output = true,
                       .bytes = o->bytes,
                       .address = keep_text(l, o->address),
                       .tool = keep_text(l, o->tool)};
    if (!i->address || !i->tool)
        return err_memory(err);
    if (l->after.us == 0 || by_place(i, &l->after) > 0)
        l->n++;
    return QUIRE_OK;
}

static bool read_cursor(struct mcp_call *c, struct item *out)
{
    const char *text = message_text(c, c->params, "cursor");
    const char *dot = text ? strchr(text, '.') : NULL;

    *out = (struct item){.us = 0};
    if (!json_get(c->params, "cursor").data)
        return true;
    if (!dot ||
        !json_read_int(bytes_of(text, (size_t)(dot - text)), &out->us) ||
        out->us <= 0 || !dot[1] || dot[2] != '.')
        return false;
    out->output = dot[1] == 'o';
    out->address = dot + 3;
    return out->output ||
           (dot[1] == 'a' && json_read_int(bytes_str(dot + 3), &out->id) &&
            out->id > 0);
}

static quire_status fill_list(struct listing *l, struct mcp_handle *h,
                              quire_error *err)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    quire_status st;

    o.limit = PAGE + 1;
    o.before_us = l->after.us;
    o.before_id = l->after.output ? 0 : l->after.id;
    if (!h->m->session)
        return QUIRE_OK;
    st = h->w ? quire_artifact_list(h->q, h->m->session, &o, list_artifact, l,
                                    err)
              : QUIRE_OK;
    if (!st)
        st = handle_outputs(h, err);
    if (!st)
        st = quire_outputs_list(h->outputs, list_output, l, err);
    if (!st && l->n > 1)
        qsort(l->list, l->n, sizeof *l->list, by_place);
    return st;
}

static void put_item(struct mcp_call *c, const struct item *i)
{
    json_object(&c->w);
    if (!i->output) {
        put_artifact(c, &i->a);
    } else {
        json_put_str(&c->w, "uri", i->address);
        json_put_str(&c->w, "name", *i->tool ? i->tool : i->address);
        json_put_str(&c->w, "mimeType",
                     *i->tool ? "text/plain" : "text/markdown");
        json_put_uint(&c->w, "size", i->bytes);
        put_modified(c, i->us);
    }
    json_object_end(&c->w);
}

static void put_session(struct mcp_call *c, const char *id)
{
    char uri[320];

    snprintf(uri, sizeof uri, "quire://session/%s", id);
    json_object(&c->w);
    json_put_str(&c->w, "uri", uri);
    json_put_str(&c->w, "name", "session");
    json_put_str(&c->w, "description", "what was said in this session");
    json_put_str(&c->w, "mimeType", "application/json");
    json_object_end(&c->w);
}

static void put_list(struct mcp_call *c, struct mcp_handle *h,
                     struct listing *l)
{
    char cursor[320];
    size_t i;

    json_key(&c->w, "resources");
    json_array(&c->w);
    if (l->after.us == 0 && h->m->session && !handle_built_in(h->m->session))
        put_session(c, h->m->session);
    for (i = 0; i < l->n && i < PAGE; i++)
        put_item(c, &l->list[i]);
    json_array_end(&c->w);
    if (l->n > PAGE) {
        const struct item *last = &l->list[PAGE - 1];

        if (last->output)
            snprintf(cursor, sizeof cursor, "%" PRId64 ".o.%s", last->us,
                     last->address);
        else
            snprintf(cursor, sizeof cursor, "%" PRId64 ".a.%" PRId64, last->us,
                     last->id);
        json_put_str(&c->w, "nextCursor", cursor);
    }
    answer_cache(c, 0, false);
}

void do_resources_list(struct mcp_call *c, struct mcp_handle *h)
{
    struct listing l = {.call = c};
    quire_error err = {.what = ""};
    quire_status st = QUIRE_OK;

    if (!read_cursor(c, &l.after))
        message_refuse(c, CODE_PARAMS,
                       "pass the nextCursor of the last result unchanged",
                       "invalid cursor");
    else
        st = fill_list(&l, h, &err);
    if (st)
        message_refuse_status(c, st, &err);
    else if (!c->code)
        put_list(c, h, &l);
    free(l.list);
}

/* ---- reading ----------------------------------------------------------- */

static quire_status take_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct buf *out = ctx;

    if (out->len + bytes.len > RESOURCE_MAX) {
        err_fail(err, QUIRE_TOO_LARGE,
                 "read pieces of it with the tool, or with `quire read`",
                 "the resource has more than %d MiB",
                 (int)(RESOURCE_MAX >> 20));
        return QUIRE_TOO_LARGE;
    }
    buf_add(out, bytes.data, bytes.len);
    return out->failed ? err_memory(err) : QUIRE_OK;
}

static quire_status take_line(void *ctx, const quire_line *line,
                              quire_error *err)
{
    return take_bytes(ctx, line->text, err);
}

static void put_contents(struct mcp_call *c, const char *uri, const char *mime,
                         quire_bytes content)
{
    struct buf encoded = BUF_INIT((size_t)64 << 20);
    bool text = utf8_check(content);

    json_key(&c->w, "contents");
    json_array(&c->w);
    json_object(&c->w);
    json_put_str(&c->w, "uri", uri);
    json_put_str(&c->w, "mimeType", mime);
    json_key(&c->w, text ? "text" : "blob");
    if (!text)
        base64_encode(content, &encoded);
    json_bytes(&c->w, text ? content : buf_bytes(&encoded));
    json_object_end(&c->w);
    json_array_end(&c->w);
    answer_cache(c, 0, false);
    if (encoded.failed)
        message_refuse_memory(c);
    buf_release(&encoded);
}

static quire_status read_artifact(struct mcp_call *c, struct mcp_handle *h,
                                  const struct uri *u, const char *uri,
                                  struct buf *out, quire_error *err)
{
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_artifact a;
    char which[32];
    quire_status st;

    if (!h->m->session && !h->m->read_all)
        return QUIRE_NOT_FOUND;
    o.any_session = h->m->read_all;
    snprintf(which, sizeof which, "#%s", u->id);
    st = quire_artifact_get(h->q, h->m->session, which, &o, take_bytes, out, &a,
                            err);
    if (!st && a.deleted_us)
        st = err_set(err, QUIRE_NOT_FOUND, "it was deleted");
    if (!st)
        put_contents(c, uri, a.mime, buf_bytes(out));
    return st;
}

/* What is said of a session before its messages. */
static void put_about(struct json_writer *w, const quire_session_info *i)
{
    json_put_str(w, "id", i->id);
    json_put_str(w, "title", i->title);
    json_put_str(w, "cwd", i->cwd);
    json_put_str(w, "created", i->created);
    json_put_uint(w, "entries", i->entries);
    json_key(w, "context");
}

static quire_status read_session(struct mcp_call *c, struct mcp_handle *h,
                                 const struct uri *u, const char *uri,
                                 struct buf *out, quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s = NULL;
    quire_session_info info;
    quire_entry e;
    struct json_writer w;
    quire_status st = QUIRE_NOT_FOUND;

    o.flags = QUIRE_SESSION_READ;
    if (!handle_built_in(u->id))
        st = quire_session_open(h->q, u->id, &o, &s, err);
    if (!st && u->entry) {
        st = quire_session_entry(s, u->entry, &e, err);
        if (!st)
            buf_add(out, e.json.data, e.json.len);
    } else if (!st) {
        quire_session_describe(s, &info);
        json_begin(&w, out);
        json_object(&w);
        put_about(&w, &info);
        st = quire_session_context(s, NULL, take_bytes, NULL, out, err);
        json_object_end(&w);
    }
    if (!st)
        put_contents(c, uri, "application/json", buf_bytes(out));
    quire_session_close(s);
    return st;
}

static quire_status read_output(struct mcp_call *c, struct mcp_handle *h,
                                const struct uri *u, const char *uri,
                                struct buf *out, quire_error *err)
{
    quire_status st = handle_outputs(h, err);
    const char *mime = u->kind == URI_OUTPUT  ? "text/plain"
                       : strpbrk(u->id, "/?") ? "application/json"
                                              : "text/markdown";

    if (!st && !handle_sees(h->m, uri))
        st = QUIRE_NOT_FOUND;
    if (!st)
        st = quire_read(h->q, h->outputs, uri, NULL, take_line, out, err);
    if (!st)
        put_contents(c, uri, mime, buf_bytes(out));
    return st;
}

void do_resources_read(struct mcp_call *c, struct mcp_handle *h)
{
    const char *uri = message_text(c, c->params, "uri");
    struct buf out = BUF_INIT(RESOURCE_MAX + (1 << 20));
    quire_error err = {.what = ""};
    quire_status st = QUIRE_NOT_FOUND;
    struct uri u;

    if (!uri) {
        message_refuse(c, CODE_PARAMS, "for example quire://artifact/1",
                       "resources/read needs a uri");
        return;
    }
    if (uri_read(uri, &u) && uri_allowed(h->m, &u))
        st = u.kind == URI_ARTIFACT  ? read_artifact(c, h, &u, uri, &out, &err)
             : u.kind == URI_SESSION ? read_session(c, h, &u, uri, &out, &err)
                                     : read_output(c, h, &u, uri, &out, &err);
    /* An address that cannot be is one of nothing. */
    if (st == QUIRE_NOT_FOUND || st == QUIRE_INVALID)
        message_refuse_resource(c, uri);
    else if (st)
        message_refuse_status(c, st, &err);
    buf_release(&out);
}

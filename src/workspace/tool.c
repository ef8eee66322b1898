/*
 * tool.c - the tool `workspace`
 *
 * Five actions, two scopes. The session is the workspace's own; a request
 * cannot name another. If its caller may read all sessions, a search covers them,
 * and what it found can be read by its id. An answer is one line with one JSON object:
 *
 *     {"success":true,"data":{...},"execution_time_ms":0}
 *     {"success":false,"error":{"code","message","retryable","suggestion"},...}
 *
 * Content is escaped, so that it cannot break the line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "base/timestamp.h"
#include "workspace/request.h"

/* Short: a model reads it in every conversation. source_agent_id is for the
 * program around the model, and left out. */
const char tool_description[] =
    "{\"name\":\"workspace\",\"description\":"
    "\"Files of this session. scope artifact (default): kept, versioned, "
    "searchable; scratchpad: temporary. "
    "write: filename, content (the whole file; replaces; base64 if binary). "
    "read: filename or artifact_id; long files come in pieces: repeat with offset = "
    "next_offset while truncated. "
    "list: newest first; cursor = next_cursor for more. "
    "search: query words, over names, purpose, tags and text of artifacts. "
    "delete: filename (artifacts can be restored by the user).\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{"
    "\"action\":{\"type\":\"string\",\"enum\":[\"write\",\"read\",\"list\","
    "\"search\",\"delete\"]},"
    "\"scope\":{\"type\":\"string\",\"enum\":[\"artifact\",\"scratchpad\"]},"
    "\"filename\":{\"type\":\"string\",\"description\":\"like "
    "notes/plan.md\"},"
    "\"content\":{\"type\":\"string\"},"
    "\"encoding\":{\"type\":\"string\",\"enum\":[\"text\",\"base64\"]},"
    "\"purpose\":{\"type\":\"string\"},"
    "\"artifact_id\":{\"type\":\"integer\"},"
    "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"query\":{\"type\":\"string\"},"
    "\"offset\":{\"type\":\"integer\"},"
    "\"limit\":{\"type\":\"integer\",\"description\":\"read: bytes; list, "
    "search: entries\"},"
    "\"cursor\":{\"type\":\"string\"}},"
    "\"required\":[\"action\"]}}";

struct call {
    struct workspace *s;
    struct request r;
    struct refusal no;
    struct json_writer w;
    struct arena keep;
    const char *session; /* of the artifact, if it is another's; NULL */
};

/* ---- parts of an answer ------------------------------------------------- */

static void put_text(struct call *c, const char *key, const char *value)
{
    json_put_str(&c->w, key, value);
}

static void put_number(struct call *c, const char *key, uint64_t value)
{
    json_put_uint(&c->w, key, value);
}

static void put_time(struct call *c, const char *key, int64_t us)
{
    char when[TIMESTAMP_SIZE];

    timestamp_format(us, when);
    put_text(c, key, when);
}

static void begin_data(struct call *c)
{
    json_object(&c->w);
    put_text(c, "action", request_action(c->r.action));
    put_text(c, "scope", request_scope(c->r.scope));
    if (*c->r.filename)
        put_text(c, "filename", c->r.filename);
}

static void end_data(struct call *c)
{
    put_text(c, "session_id", c->session ? c->session : workspace_key(c->s));
    json_object_end(&c->w);
}

/* Members of an artifact in lists and searches. */
static void put_artifact(struct call *c, const quire_artifact *a)
{
    put_text(c, "filename", a->path);
    json_put_int(&c->w, "artifact_id", a->id);
    put_text(c, "content_type", a->mime);
    put_number(c, "size_bytes", a->size);
    put_time(c, "created_at", a->created_us);
    put_time(c, "updated_at", a->updated_us);
    put_text(c, "purpose", a->purpose);
    json_put_raw(&c->w, "tags", bytes_str(a->tags));
    put_text(c, "source_agent_id", a->agent);
}

static quire_status report_missing(struct call *c, quire_error *err)
{
    quire_status st;

    if (c->r.id)
        return err_fail(err, QUIRE_NOT_FOUND,
                        "Use an artifact_id from \"list\" or \"search\".",
                        "no artifact with the id %" PRId64, c->r.id);
    st = err_set(err, QUIRE_NOT_FOUND, "no %s %s",
                 c->r.scope == WORKSPACE_SCRATCH ? "scratchpad file"
                                                 : "artifact",
                 c->r.filename);

    err_next(err, "Use action \"list\" to see what there is%s.",
             c->r.scope == WORKSPACE_SCRATCH
                 ? " in scope \"scratchpad\""
                 : ", or scope \"scratchpad\" if it was written there");
    return st;
}

/* ---- actions ------------------------------------------------------------ */

static quire_status do_write(struct call *c, quire_error *err)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    bool kept = c->r.scope == WORKSPACE_ARTIFACT;
    quire_artifact a;
    quire_status st;

    o.purpose = c->r.purpose;
    o.tags = c->r.tags;
    o.source = "agent";
    o.agent = c->r.agent;
    st = workspace_write(c->s, c->r.scope, c->r.filename, c->r.content, &o,
                         &c->keep, &a, err);
    if (st)
        return st;
    begin_data(c);
    json_put_str(&c->w, "path",
                 arena_printf(&c->keep, "%s/%s",
                              workspace_dir(c->s, c->r.scope), c->r.filename));
    if (kept) {
        json_put_int(&c->w, "artifact_id", a.id);
        put_text(c, "content_type", a.mime);
    }
    put_number(c, "size_bytes", c->r.content.len);
    json_put_bool(&c->w, "indexed", kept);
    if (kept)
        put_number(c, "version", (uint64_t)a.version);
    end_data(c);
    return QUIRE_OK;
}

/* Cut an incomplete UTF-8 character off the end: the next piece begins with it.
 * Invalid bytes at the beginning stay, since the piece before did not contain
 * them. */
static quire_bytes whole_characters(quire_bytes piece)
{
    const unsigned char *t = piece.data;
    size_t to = piece.len, back;

    for (back = 1; back <= 3 && back <= to; back++)
        if ((t[to - back] & 0xc0) != 0x80) {
            size_t need = t[to - back] >= 0xf0   ? 4
                          : t[to - back] >= 0xe0 ? 3
                          : t[to - back] >= 0xc0 ? 2
                                                 : 1;
            to -= need > back ? back : 0;
            break;
        }
    return bytes_of(t, to);
}

static void put_content(struct call *c, quire_bytes raw, uint64_t size)
{
    uint64_t end = c->r.offset + raw.len;
    quire_bytes text = end < size ? whole_characters(raw) : raw;
    bool as_text = !c->r.base64 && utf8_check(text) &&
                   (text.len > 0 || raw.len == 0);

    json_key(&c->w, "content");
    if (as_text) {
        json_bytes(&c->w, text);
        end -= raw.len - text.len;
    } else {
        json_base64(&c->w, raw);
    }
    put_text(c, "encoding", as_text ? "text" : "base64");
    put_number(c, "size_bytes", size);
    put_number(c, "offset", c->r.offset);
    json_put_bool(&c->w, "truncated", end < size);
    if (end < size)
        put_number(c, "next_offset", end);
}

/* Read an artifact by its id. Of this session the file counts, as by name. */
static quire_status read_by_id(struct call *c, struct buf *out, uint64_t *size,
                               quire_error *err)
{
    const struct workspace_callbacks *callbacks = &c->s->c.callbacks;
    uint64_t to = c->r.offset + c->r.limit;
    quire_artifact a;
    quire_status st = callbacks->find_id(callbacks->ctx, c->r.id, &c->keep, &a,
                                         err);

    if (st)
        return st;
    c->r.filename = a.path;
    if (!strcmp(a.session, workspace_key(c->s)))
        return workspace_read(c->s, c->r.scope, a.path, c->r.offset, c->r.limit,
                              out, size, err);
    c->session = a.session;
    *size = a.size;
    if (c->r.offset >= a.size)
        return QUIRE_OK;
    return callbacks->read(callbacks->ctx, &a.digest, c->r.offset,
                           to < a.size ? to : a.size, buf_write, out, err);
}

static quire_status do_read(struct call *c, quire_error *err)
{
    struct buf raw = BUF_INIT((size_t)1 << 30);
    uint64_t size = 0;
    quire_status st = c->r.id ? read_by_id(c, &raw, &size, err)
                              : workspace_read(c->s, c->r.scope, c->r.filename,
                                               c->r.offset, c->r.limit, &raw,
                                               &size, err);

    if (st == QUIRE_NOT_FOUND)
        st = report_missing(c, err);
    if (!st && c->r.offset > size) {
        st = err_set(err, QUIRE_INVALID,
                     "offset is beyond the end of %s, which has %" PRIu64
                     " bytes",
                     c->r.filename, size);
        err_next(err, "Use an offset from 0 to %" PRIu64 ".", size);
    }
    if (!st) {
        begin_data(c);
        if (c->r.id)
            json_put_int(&c->w, "artifact_id", c->r.id);
        put_content(c, raw.len ? buf_bytes(&raw) : bytes_of("", 0), size);
        end_data(c);
        if (c->r.scope == WORKSPACE_ARTIFACT && !c->session)
            read_counts_add(c->s, c->r.filename);
    }
    buf_release(&raw);
    return st;
}

static quire_status do_delete(struct call *c, quire_error *err)
{
    quire_artifact a;
    quire_status st = workspace_delete(c->s, c->r.scope, c->r.filename,
                                       &c->keep, &a, err);

    if (st)
        return st == QUIRE_NOT_FOUND ? report_missing(c, err) : st;
    begin_data(c);
    if (c->r.scope == WORKSPACE_ARTIFACT) {
        json_put_int(&c->w, "artifact_id", a.id);
    }
    put_text(c, "deleted", c->r.scope == WORKSPACE_ARTIFACT ? "soft" : "hard");
    end_data(c);
    return QUIRE_OK;
}

/* ---- lists -------------------------------------------------------------- */

struct listing {
    struct call *call;
    uint64_t n;
    bool more;
    int64_t last_us, last_id; /* of the last artifact emitted */
    char last[4096];
};

static quire_status emit_artifact(void *ctx, const quire_artifact *a,
                                  quire_error *err)
{
    struct listing *l = ctx;

    (void)err;
    if (l->n == l->call->r.limit) {
        l->more = true;
        return QUIRE_STOPPED;
    }
    json_object(&l->call->w);
    put_artifact(l->call, a);
    json_object_end(&l->call->w);
    l->last_us = a->updated_us;
    l->last_id = a->id;
    l->n++;
    return QUIRE_OK;
}

static quire_status reject_cursor(quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_INVALID,
                 "Use the next_cursor of the last answer as it is, or leave "
                 "it out.",
                 "invalid cursor");
    return st;
}

/* "<updated>.<id>" of the last artifact of the page before. */
static bool read_cursor(const char *text, struct workspace_range *out)
{
    const char *dot = strchr(text, '.');

    return dot &&
           json_read_int(bytes_of(text, (size_t)(dot - text)),
                         &out->before_us) &&
           json_read_int(bytes_str(dot + 1), &out->before_id) &&
           out->before_us > 0 && out->before_id > 0;
}

static quire_status list_artifacts(struct call *c, struct listing *l,
                                   quire_error *err)
{
    const struct workspace_callbacks *callbacks = &c->s->c.callbacks;
    struct workspace_range range = {.limit = c->r.limit + 1};
    quire_status st;

    if (c->r.cursor && !read_cursor(c->r.cursor, &range))
        return reject_cursor(err);
    st = callbacks->list(callbacks->ctx, &range, emit_artifact, l, err);
    return st == QUIRE_STOPPED ? QUIRE_OK : st;
}

static quire_status emit_file(void *ctx, const char *name, uint64_t size,
                              int64_t modified_ns, quire_error *err)
{
    struct listing *l = ctx;
    struct call *c = l->call;
    char clean[257];

    (void)err;
    if (c->r.cursor && strcmp(name, c->r.cursor) <= 0)
        return QUIRE_OK;
    /* A name that cannot be requested is neither listed nor usable as a cursor.
     */
    if (c->s->c.callbacks.clean(bytes_str(name), clean, NULL, NULL) ||
        strcmp(clean, name) != 0)
        return QUIRE_OK;
    if (l->n == c->r.limit) {
        l->more = true;
        return QUIRE_STOPPED;
    }
    json_object(&c->w);
    put_text(c, "filename", name);
    put_number(c, "size_bytes", size);
    put_time(c, "modified", modified_ns / 1000);
    json_object_end(&c->w);
    snprintf(l->last, sizeof l->last, "%s", name);
    l->n++;
    return QUIRE_OK;
}

static quire_status do_list(struct call *c, quire_error *err)
{
    bool kept = c->r.scope == WORKSPACE_ARTIFACT;
    struct listing l = {.call = c};
    char cursor[64];
    quire_status st;

    begin_data(c);
    json_key(&c->w, kept ? "artifacts" : "files");
    json_array(&c->w);
    st = kept ? list_artifacts(c, &l, err)
              : workspace_files(c->s, emit_file, &l, err);
    if (st == QUIRE_STOPPED)
        st = QUIRE_OK;
    json_array_end(&c->w);
    put_number(c, "count", l.n);
    if (l.more) {
        snprintf(cursor, sizeof cursor, "%" PRId64 ".%" PRId64, l.last_us,
                 l.last_id);
        put_text(c, "next_cursor", kept ? cursor : l.last);
    }
    end_data(c);
    return st;
}

static quire_status emit_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    struct listing *l = ctx;

    (void)err;
    json_object(&l->call->w);
    put_artifact(l->call, &hit->artifact);
    put_text(l->call, "session_id", hit->artifact.session);
    put_text(l->call, "snippet", hit->snippet);
    json_object_end(&l->call->w);
    l->n++;
    return QUIRE_OK;
}

static quire_status do_search(struct call *c, quire_error *err)
{
    const struct workspace_callbacks *callbacks = &c->s->c.callbacks;
    struct listing l = {.call = c};
    quire_status st;

    begin_data(c);
    put_text(c, "query", c->r.query);
    json_key(&c->w, "results");
    json_array(&c->w);
    st = callbacks->search(callbacks->ctx, c->r.query, c->r.limit, emit_hit, &l,
                           err);
    json_array_end(&c->w);
    put_number(c, "count", l.n);
    end_data(c);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* ---- one call ----------------------------------------------------------- */

static void put_refusal(struct json_writer *w, const struct refusal *no)
{
    json_object(w);
    json_put_str(w, "code", no->code);
    json_put_str(w, "message", no->message);
    json_put_bool(w, "retryable", no->retryable);
    json_put_str(w, "suggestion", no->suggestion);
    json_object_end(w);
}

static quire_status run_action(struct call *c, quire_error *err)
{
    static quire_status (*const actions[N_TOOL_ACTIONS])(struct call *,
                                                         quire_error *) =
        {do_write, do_read, do_list, do_search, do_delete};

    return actions[c->r.action](c, err);
}

quire_status tool_answer(struct workspace *s, quire_bytes request,
                         struct buf *answer, quire_error *err)
{
    struct call c = {.s = s};
    struct buf data = BUF_INIT((size_t)1 << 31);
    int64_t begun = clock_us(s->c.clock);
    quire_error why = {.what = ""};
    struct json_writer w;
    bool fine = request_read(s, request, &c.keep, &c.r, &c.no);
    quire_status st;

    json_begin(&c.w, &data);
    if (fine) {
        st = run_action(&c, &why);
        if (!st && data.failed)
            st = err_memory(&why);
        if (st)
            refuse_status(&c.no, st, &why);
        read_counts_flush(s, false);
    }
    json_begin(&w, answer);
    json_object(&w);
    json_put_bool(&w, "success", !c.no.code);
    json_key(&w, c.no.code ? "error" : "data");
    if (c.no.code)
        put_refusal(&w, &c.no);
    else
        json_raw(&w, buf_bytes(&data));
    json_put_int(&w, "execution_time_ms",
                 (clock_us(s->c.clock) - begun) / 1000);
    json_object_end(&w);
    buf_release(&data);
    arena_release(&c.keep);
    return answer->failed ? err_memory(err) : QUIRE_OK;
}

/* request.c - see request.h */
#include "workspace/request.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"

/* Bytes per read: default and maximum. */
#define READ_BYTES     ((uint64_t)256 * 1024)
#define READ_BYTES_MAX ((uint64_t)10 * 1024 * 1024)

enum { LIST_N = 100, SEARCH_N = 20, LIST_MAX = 1000, TAGS_MAX = 32 };

static const char *const actions[N_TOOL_ACTIONS] = {"write", "read", "list",
                                                    "search", "delete"};
static const char *const scopes[] = {"artifact", "scratchpad"};

enum {
    W_ACTION,
    W_SCOPE,
    W_FILENAME,
    W_CONTENT,
    W_PURPOSE,
    W_TAGS,
    W_QUERY,
    W_ENCODING,
    W_OFFSET,
    W_LIMIT,
    W_CURSOR,
    W_ID,
    W_AGENT,
    N_WANTS
};

static const struct json_want names[N_WANTS] = {
    [W_ACTION] = JSON_WANT("action"),
    [W_SCOPE] = JSON_WANT("scope"),
    [W_FILENAME] = JSON_WANT("filename"),
    [W_CONTENT] = JSON_WANT("content"),
    [W_PURPOSE] = JSON_WANT("purpose"),
    [W_TAGS] = JSON_WANT("tags"),
    [W_QUERY] = JSON_WANT("query"),
    [W_ENCODING] = JSON_WANT("encoding"),
    [W_OFFSET] = JSON_WANT("offset"),
    [W_LIMIT] = JSON_WANT("limit"),
    [W_CURSOR] = JSON_WANT("cursor"),
    [W_ID] = JSON_WANT("artifact_id"),
    [W_AGENT] = JSON_WANT("source_agent_id"),
};

const char *request_action(enum tool_action action)
{
    return actions[action];
}

const char *request_scope(enum workspace_scope scope)
{
    return scopes[scope];
}

bool refuse(struct refusal *no, const char *code, const char *suggestion,
            const char *fmt, ...)
{
    va_list ap;

    no->code = code;
    no->retryable = false;
    snprintf(no->suggestion, sizeof no->suggestion, "%s", suggestion);
    va_start(ap, fmt);
    vsnprintf(no->message, sizeof no->message, fmt, ap);
    va_end(ap);
    return false;
}

void refuse_status(struct refusal *no, quire_status st, const quire_error *err)
{
    static const struct {
        const char *code;
        quire_status status;
        bool retryable;
    } codes[] = {
        {"invalid_params", QUIRE_INVALID, false},
        {"not_found", QUIRE_NOT_FOUND, false},
        {"quota", QUIRE_QUOTA, false},
        {"too_large", QUIRE_TOO_LARGE, false},
        {"exists", QUIRE_EXISTS, false},
        {"busy", QUIRE_BUSY, true},
        {"busy", QUIRE_CHANGED, true},
        {"damaged", QUIRE_DAMAGED, false},
        {"out_of_memory", QUIRE_NO_MEMORY, true},
        {"io", QUIRE_IO, true},
    };
    size_t i;

    refuse(no, "error", err->next, "%s", err->what);
    for (i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].status == st) {
            no->code = codes[i].code;
            no->retryable = codes[i].retryable;
        }
    /* Default hint, unless the cause has set one. */
    if (!*no->suggestion)
        snprintf(no->suggestion, sizeof no->suggestion, "%s",
                 no->retryable ? "Try again later."
                               : "Change what the message names.");
}

/* ---- values ------------------------------------------------------------- */

/* Models often send null for a member they mean to omit. */
static bool is_given(quire_bytes value)
{
    return value.data && json_kind(value) != JSON_NULL;
}

static bool refuse_type(struct refusal *no, const char *name, const char *kind)
{
    char suggestion[128];

    snprintf(suggestion, sizeof suggestion, "Give \"%s\" as %s.", name, kind);
    return refuse(no, "invalid_params", suggestion, "%s must be %s", name,
                  kind);
}

static bool refuse_memory(struct refusal *no)
{
    refuse(no, "out_of_memory", "Try again later.", "out of memory");
    no->retryable = true;
    return false;
}

/* Text without a NUL, NUL-terminated; *out is unchanged if none is given. */
static bool read_text(const struct json_want *w, struct arena *keep,
                      const char **out, struct refusal *no)
{
    quire_bytes text;

    if (!is_given(w->value))
        return true;
    if (json_kind(w->value) != JSON_STRING)
        return refuse_type(no, w->key, "a string");
    text = json_text(w->value, keep);
    *out = text.data ? arena_text(keep, text) : NULL;
    if (!*out)
        return refuse_memory(no);
    if (memchr(text.data, '\0', text.len))
        return refuse_type(no, w->key, "a string without NUL characters");
    return true;
}

static bool read_number(const struct json_want *w, uint64_t *out,
                        struct refusal *no)
{
    int64_t n;

    if (!is_given(w->value))
        return true;
    if (!json_read_int(w->value, &n) || n < 0)
        return refuse_type(no, w->key, "a whole number, 0 or more");
    *out = (uint64_t)n;
    return true;
}

static bool read_tags(const struct json_want *w, struct arena *keep,
                      struct request *r, struct refusal *no)
{
    const char **tags = arena_array(keep, TAGS_MAX + 1, sizeof *tags);
    struct json_want one = JSON_WANT("tags");
    struct json_scan it;
    size_t n = 0;

    if (!is_given(w->value))
        return true;
    if (!tags)
        return refuse_memory(no);
    if (json_kind(w->value) != JSON_ARRAY)
        return refuse_type(no, "tags", "an array of strings");
    json_iter_init(&it, w->value);
    while (json_next(&it)) {
        one.value = it.value;
        if (json_kind(it.value) != JSON_STRING)
            return refuse_type(no, "tags", "an array of strings");
        if (n == TAGS_MAX)
            return refuse(no, "invalid_params", "Give fewer tags.",
                          "more than %d tags", TAGS_MAX);
        if (!read_text(&one, keep, &tags[n++], no))
            return false;
    }
    r->tags = tags;
    return true;
}

/* ---- which action ------------------------------------------------------- */

static bool read_action(const struct json_want *w, struct request *r,
                        struct refusal *no)
{
    static const char which[] =
        "Use one of: write, read, list, search, delete.";
    int i;

    if (!is_given(w->value))
        return refuse(no, "invalid_params", which, "action is missing");
    if (json_kind(w->value) != JSON_STRING)
        return refuse_type(no, "action", "a string");
    for (i = 0; i < N_TOOL_ACTIONS; i++)
        if (json_is(w->value, actions[i])) {
            r->action = (enum tool_action)i;
            return true;
        }
    return refuse(no, "invalid_action", which, "unknown action %.*s",
                  w->value.len < 60 ? (int)w->value.len : 60,
                  (const char *)w->value.data);
}

static bool read_scope(const struct json_want *w, struct request *r,
                       struct refusal *no)
{
    static const char which[] = "Use \"artifact\" (kept and searchable, the "
                                "default) or \"scratchpad\".";

    r->scope = WORKSPACE_ARTIFACT;
    if (!is_given(w->value))
        return true;
    if (json_kind(w->value) != JSON_STRING)
        return refuse_type(no, "scope", "a string");
    if (json_is(w->value, "scratchpad"))
        r->scope = WORKSPACE_SCRATCH;
    else if (!json_is(w->value, "artifact"))
        return refuse(no, "invalid_scope", which, "unknown scope %.*s",
                      w->value.len < 60 ? (int)w->value.len : 60,
                      (const char *)w->value.data);
    if (r->scope == WORKSPACE_SCRATCH && r->action == TOOL_SEARCH)
        return refuse(
            no, "invalid_scope",
            "Use action \"list\" with scope \"scratchpad\", or search "
            "in scope \"artifact\".",
            "the scratchpad is not indexed and cannot be searched");
    return true;
}

static bool action_needs_name(const struct request *r)
{
    return r->action == TOOL_WRITE || r->action == TOOL_READ ||
           r->action == TOOL_DELETE;
}

/* A number, of an artifact that is to be read. */
static bool read_id(const struct json_want *w, struct request *r,
                    struct refusal *no)
{
    uint64_t id = 0;

    if (r->action != TOOL_READ || r->scope != WORKSPACE_ARTIFACT)
        return true;
    if (!read_number(w, &id, no))
        return false;
    r->id = id <= INT64_MAX ? (int64_t)id : INT64_MAX;
    return true;
}

static bool read_filename(const struct workspace *s, const struct json_want *w,
                          struct arena *keep, struct request *r,
                          struct refusal *no)
{
    static const char like[] = "Use a relative path such as \"report.md\" or "
                               "\"data/sales.csv\".";
    char clean[257];
    const char *reason;
    quire_error why;
    quire_bytes text;

    r->filename = "";
    if (!action_needs_name(r) || r->id)
        return true;
    if (!is_given(w->value))
        return refuse(no, "invalid_params", like, "%s needs a filename",
                      actions[r->action]);
    if (json_kind(w->value) != JSON_STRING)
        return refuse_type(no, "filename", "a string");
    text = json_text(w->value, keep);
    if (!text.data)
        return refuse_memory(no);
    if (s->c.callbacks.clean(text, clean, &reason, &why))
        return refuse(no, "invalid_filename", like, "%s", why.what);
    r->filename = arena_text(keep, bytes_str(clean));
    return r->filename || refuse_memory(no);
}

/* ---- content ------------------------------------------------------------ */

static bool read_encoding(const struct json_want *w, struct request *r,
                          struct refusal *no)
{
    if (!is_given(w->value) || json_is(w->value, "text") ||
        json_is(w->value, "utf-8"))
        return true;
    if (!json_is(w->value, "base64"))
        return refuse(no, "invalid_params",
                      "Leave \"encoding\" out for text, or use \"base64\".",
                      "unknown encoding");
    r->base64 = true;
    return true;
}

static bool read_content(const struct json_want *w, struct arena *keep,
                         struct request *r, struct refusal *no)
{
    struct buf raw = BUF_INIT((size_t)1 << 31);
    quire_bytes text;
    bool fine;

    if (r->action != TOOL_WRITE)
        return true;
    if (!is_given(w->value))
        return refuse(no, "invalid_params",
                      "Give the whole text of the file as \"content\".",
                      "write needs content");
    if (json_kind(w->value) != JSON_STRING)
        return refuse_type(no, "content", "a string");
    if (!json_is_text(w->value))
        return refuse(no, "invalid_params",
                      "Send whole characters, or the bytes as base64.",
                      "content has half of a surrogate pair");
    text = json_text(w->value, keep);
    if (!text.data)
        return refuse_memory(no);
    r->content = text;
    if (!r->base64)
        return true;
    fine = base64_decode(text, &raw);
    if (!fine)
        refuse(no, "invalid_params",
               "Encode the bytes as base64, or leave \"encoding\" out for "
               "text.",
               "content is not base64");
    else if (raw.failed)
        fine = refuse_memory(no);
    else if (raw.len > 0)
        r->content = arena_dup(keep, buf_bytes(&raw));
    else
        r->content = bytes_of("", 0);
    if (fine && !r->content.data)
        fine = refuse_memory(no);
    buf_release(&raw);
    return fine;
}

static bool read_query(const struct json_want *w, struct arena *keep,
                       struct request *r, struct refusal *no)
{
    if (!read_text(w, keep, &r->query, no))
        return false;
    if (r->action != TOOL_SEARCH || (r->query && *r->query))
        return true;
    return refuse(no, "invalid_params",
                  "Give some words to look for as \"query\".",
                  "search needs a query");
}

/* Read limit and offset. */
static bool read_window(const struct json_want *wants, struct arena *keep,
                        struct request *r, struct refusal *no)
{
    bool reads = r->action == TOOL_READ;
    uint64_t max = reads ? READ_BYTES_MAX : LIST_MAX;

    r->limit = reads                      ? READ_BYTES
               : r->action == TOOL_SEARCH ? SEARCH_N
                                          : LIST_N;
    if (!read_number(&wants[W_OFFSET], &r->offset, no) ||
        !read_number(&wants[W_LIMIT], &r->limit, no) ||
        !read_text(&wants[W_CURSOR], keep, &r->cursor, no))
        return false;
    if (r->limit == 0 || r->limit > max) {
        char like[96];

        snprintf(like, sizeof like, "Use a limit from 1 to %" PRIu64 ".", max);
        return refuse(no, "invalid_params", like, "limit is out of range");
    }
    return true;
}

bool request_read(const struct workspace *s, quire_bytes text,
                  struct arena *keep, struct request *out, struct refusal *no)
{
    struct json_want wants[N_WANTS];
    struct json_error e = {.why = NULL};

    memcpy(wants, names, sizeof wants);
    *out = (struct request){.filename = ""};
    *no = (struct refusal){.code = NULL};
    if (!json_pick(text, wants, N_WANTS, &e))
        return refuse(no, "invalid_params",
                      "Send one JSON object with an \"action\".",
                      "the request is not a JSON object: %s",
                      e.why ? e.why : "it is something else");
    return read_action(&wants[W_ACTION], out, no) &&
           read_scope(&wants[W_SCOPE], out, no) &&
           read_id(&wants[W_ID], out, no) &&
           read_filename(s, &wants[W_FILENAME], keep, out, no) &&
           read_encoding(&wants[W_ENCODING], out, no) &&
           read_content(&wants[W_CONTENT], keep, out, no) &&
           read_text(&wants[W_PURPOSE], keep, &out->purpose, no) &&
           read_text(&wants[W_AGENT], keep, &out->agent, no) &&
           read_tags(&wants[W_TAGS], keep, out, no) &&
           read_query(&wants[W_QUERY], keep, out, no) &&
           read_window(wants, keep, out, no);
}

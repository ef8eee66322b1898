/*
 * openapi.c - the table of operations, described for programs
 *
 * Made of the entries in routes.c. What an answer looks like is named there and
 * spelled in schema.c. What an operation does beyond its entry, the headers it
 * heeds and how much it lists, is said here by its function.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "server/routes/handlers.h"
#include "server/openapi/openapi.h"
#include "server/openapi/schema.h"

typedef void (*op_fn)(struct request *c);

static const char *const kinds[] = {
    [FIELD_TEXT] = "text",      [FIELD_NUMBER] = "count",
    [FIELD_FLAG] = "flag",      [FIELD_TEXTS] = "text*",
    [FIELD_NUMBERS] = "count*", [FIELD_OBJECT] = "object",
    [FIELD_ANY] = "any",
};

/* Fields that do not take any text. An array in a query has commas between. */
static const struct {
    op_fn run; /* NULL: of any */
    const char *field, *type;
} choices[] = {
    {NULL, "relation", RELATIONS},
    {NULL, "encoding", "text/base64"},
    {NULL, "intent", "off/"},
    {NULL, "decay", "off/"},
    {route_memory_add, "type", MEMORY_TYPES},
    {route_memory_patch, "type", MEMORY_TYPES},
    {route_memory_list, "type", MEMORY_TYPES "*"},
    {route_graph, "type", MEMORY_TYPES "*"},
    {route_events, "types", "text*"},
    {route_messages_add, "role",
     "user/assistant/toolResult/developer/custom/hookMessage/bashExecution/"
     "pythonExecution/tool/system/fileMention"},
};

/* What a number is unless it is given, and at most. */
static const struct {
    op_fn run;
    const char *field;
    int otherwise, max;
} bounds[] = {
    {route_audit, "limit", 50, 200},
    {route_conversations_list, "limit", 50, 200},
    {route_entries_list, "limit", 200, 500},
    {route_messages_list, "limit", 200, 500},
    {route_artifacts_list, "limit", 200, 1000},
    {route_artifacts_all, "limit", 200, 1000},
    {route_artifacts_search, "limit", 20, 200},
    {route_memory_list, "limit", 50, 200},
    {route_relations_list, "limit", 200, 1000},
    {route_history_list, "limit", 100, 1000},
    {route_outputs_add, "threshold", 51200, 1024 * 1024},
    {route_outputs_add, "head", 0, 1024 * 1024},
};

/* Of the elements of an array. */
enum { ELEMENTS_MAX = 1000 };

/* Parts of an address that are no numbers. */
static const struct {
    const char *name, *type, *prose;
} parts[] = {
    {"sha256", "sha256", "the digest"},
    {"path", "text", "like notes/today.md; slashes stay as they are"},
    {"name", "text", "3 is what a tool printed, 0-Scout a report"},
    {"agent", "text", "the name of an agent"},
    {"session", "text", "its id, a conversation's number, temp or user"},
};

enum {
    SENT_KEY = 1 << 0,
    SENT_MATCH = 1 << 1,
    SENT_RANGE = 1 << 2,
    SENT_EVENT = 1 << 3,
    SENT_MCP = 1 << 4,
};

/* Headers that are heeded. */
static const struct {
    const char *name;
    unsigned by;
    const char *prose;
} sent[] = {
    {"Idempotency-Key", SENT_KEY,
     "a name of this request: sent again it is not done again, and answered "
     "as it was"},
    {"If-Match", SENT_MATCH, "ETags: go on if it is one of these"},
    {"If-None-Match", SENT_MATCH,
     "ETags: go on if it is none of these; *: if there is nothing"},
    {"Range", SENT_RANGE, "like bytes=0-999: this part alone"},
    {"If-Range", SENT_RANGE,
     "an ETag: if it has another by now, all of it in place of the part"},
    {"Last-Event-ID", SENT_EVENT, "what came after this event"},
    {"Quire-Session", SENT_MCP, "the session /mcp is about; temp unless given"},
    {"Mcp-Session-Id", SENT_MCP, "as `initialize` has given it"},
    {"MCP-Protocol-Version", SENT_MCP, "the revision of MCP that is spoken"},
};

enum {
    TOLD_ALWAYS = 1 << 0,
    TOLD_ETAG = 1 << 1,
    TOLD_PART = 1 << 2,
    TOLD_WAIT = 1 << 3,
    TOLD_AGAIN = 1 << 4,
    TOLD_MCP = 1 << 5,
};

/* Headers of answers. */
static const struct {
    const char *name;
    unsigned by;
    const char *type, *prose;
} told[] = {
    {"X-Request-Id", TOLD_ALWAYS, "text",
     "as it was sent, else one that was made; the log has it, too"},
    {"ETag", TOLD_ETAG, "text", "a name of the content"},
    {"Content-Range", TOLD_PART, "text", "which part it is"},
    {"Retry-After", TOLD_WAIT, "count", "seconds to wait"},
    {"Idempotency-Replayed", TOLD_AGAIN, "true/",
     "the request with this Idempotency-Key was done before"},
    {"Mcp-Session-Id", TOLD_MCP, "text",
     "the answer to `initialize` has it; to be sent from then on"},
};

/* What a client may want to tell apart; any other is `default`. */
static const struct refusal {
    int status;
    unsigned told;
    const char *name, *prose;
} refusals[] = {
    {400, 0, "Invalid", "what was sent makes no sense"},
    {401, 0, "Unauthorized", "there is no token, or none that is known"},
    {404, 0, "NotFound", "it is not there, or another tenant's"},
    {409, TOLD_WAIT | TOLD_AGAIN, "Conflict",
     "it exists, or is not as `expect` says; or a request with this "
     "Idempotency-Key is under way (in_progress), or was done and its answer "
     "is not kept (done_before)"},
    {412, 0, "Changed", "it is not as If-Match or If-None-Match says"},
    {413, 0, "TooLarge", "the body is too long, or the quota used up"},
    {415, 0, "Unsupported", "the body is no JSON, or is packed"},
    {416, TOLD_PART, "NoRange", "there are no such bytes"},
    {422, 0, "KeyReused", "the Idempotency-Key was used for another request"},
    {429, TOLD_WAIT, "TooMany", "too many requests, or too many streams"},
    {503, TOLD_WAIT, "Busy", "not now"},
    {507, 0, "NoSpace", "there is no room on the server's disk"},
    {0, 0, "Refused", "refused"},
};

#define N(list) (sizeof(list) / sizeof *(list))

/* ---- what operations do ------------------------------------------------- */

static bool is_mcp(const struct route *route)
{
    return route->run == route_mcp_post || route->run == route_mcp_get ||
           route->run == route_mcp_delete;
}

static bool heeds_match(const struct route *route)
{
    return route->flags & ROUTE_RANGES || route->run == route_files_put ||
           route->run == route_artifacts_add ||
           route->run == route_files_remove ||
           route->run == route_artifacts_remove;
}

static unsigned sent_to(const struct route *route)
{
    return (route->flags & ROUTE_WRITE ? SENT_KEY : 0u) |
           (heeds_match(route) ? SENT_MATCH : 0u) |
           (route->flags & ROUTE_RANGES ? SENT_RANGE : 0u) |
           (route->run == route_events ? SENT_EVENT : 0u) |
           (is_mcp(route) ? SENT_MCP : 0u);
}

static unsigned told_by(const struct route *route)
{
    bool puts = route->run == route_files_put ||
                route->run == route_artifacts_add;

    return TOLD_ALWAYS | (route->flags & ROUTE_WRITE ? TOLD_AGAIN : 0u) |
           (route->flags & ROUTE_RANGES || puts ? TOLD_ETAG : 0u) |
           (route->run == route_mcp_post ? TOLD_MCP : 0u);
}

static bool refuses(const struct route *route, int status)
{
    switch (status) {
    case 401:
    case 429: return !(route->flags & ROUTE_PUBLIC);
    case 404: return strpbrk(route->pattern, ":*") || is_mcp(route);
    case 409:
    case 422: return route->flags & ROUTE_WRITE;
    case 412: return heeds_match(route);
    case 413:
    case 415:
    case 507: return route->flags & (ROUTE_WRITE | ROUTE_BIG_JSON);
    case 416: return route->flags & ROUTE_RANGES;
    default: return true;
    }
}

/* How long the body may be: server.c, most_of(). */
static const char *most_of(const struct route *route)
{
    return route->flags & ROUTE_FILE       ? "as much as the quota of a file"
           : route->flags & ROUTE_LARGE    ? "1 GiB at most"
           : route->flags & ROUTE_BIG_JSON ? "64 MiB at most"
                                           : "1 MiB at most";
}

/* ---- pieces ------------------------------------------------------------- */

static void raw(struct json_writer *w, const char *key, const char *json)
{
    json_put_raw(w, key, bytes_str(json));
}

static void text(struct json_writer *w, const char *key, const char *value)
{
    json_put_str(w, key, value);
}

static void number(struct json_writer *w, const char *key, int value)
{
    json_put_int(w, key, value);
}

static void flag(struct json_writer *w, const char *key, bool value)
{
    json_put_bool(w, key, value);
}

static void put_ref(struct json_writer *w, const char *list, const char *name)
{
    char ref[96];

    snprintf(ref, sizeof ref, "#/components/%s/%s", list, name);
    json_object(w);
    text(w, "$ref", ref);
    json_object_end(w);
}

static void put_schema(struct json_writer *w, const char *type)
{
    json_key(w, "schema");
    schema_begin(w, bytes_str(type));
    json_object_end(w);
}

/* "/v1/conversations/{id}" of "/v1/conversations/:id". */
static void spell_path(const char *pattern, char out[256])
{
    size_t n = 0;

    while (*pattern && n < 250) {
        if (*pattern == ':' || *pattern == '*') {
            out[n++] = '{';
            for (pattern++; *pattern && *pattern != '/'; pattern++)
                out[n++] = *pattern;
            out[n++] = '}';
        } else {
            out[n++] = *pattern++;
        }
    }
    out[n] = '\0';
}

/* ---- what is sent ------------------------------------------------------- */

static const char *type_of(const struct route *route, const struct field *f)
{
    size_t i;

    for (i = 0; i < N(choices); i++)
        if (!strcmp(choices[i].field, f->name) &&
            (!choices[i].run || choices[i].run == route->run))
            return choices[i].type;
    return f->flags & FIELD_FROM_1 ? "id" : kinds[f->kind];
}

/* The schema of a field; its words are beside it in a query, and in it in a
 * body. */
static void put_field(struct json_writer *w, const struct route *route,
                      const struct field *f)
{
    char type[160];
    size_t i;

    snprintf(type, sizeof type, "%s%s", type_of(route, f),
             f->flags & FIELD_NULL ? "?" : "");
    schema_begin(w, bytes_str(type));
    for (i = 0; i < N(bounds); i++) {
        if (bounds[i].run != route->run ||
            strcmp(bounds[i].field, f->name) != 0)
            continue;
        number(w, "default", bounds[i].otherwise);
        number(w, "maximum", bounds[i].max);
    }
    if (f->kind == FIELD_TEXTS || f->kind == FIELD_NUMBERS)
        number(w, "maxItems", ELEMENTS_MAX);
    if (!(f->flags & FIELD_QUERY))
        text(w, "description", f->prose);
    json_object_end(w);
}

static void put_part(struct json_writer *w, const char *name)
{
    size_t i;

    for (i = 0; i < N(parts) && strcmp(parts[i].name, name) != 0; i++)
        ;
    json_object(w);
    text(w, "name", name);
    text(w, "in", "path");
    flag(w, "required", true);
    if (i < N(parts))
        text(w, "description", parts[i].prose);
    put_schema(w, i < N(parts) ? parts[i].type : "id");
    json_object_end(w);
}

static void put_query(struct json_writer *w, const struct route *route,
                      const struct field *f)
{
    json_object(w);
    text(w, "name", f->name);
    text(w, "in", "query");
    text(w, "description", f->prose);
    flag(w, "required", f->flags & FIELD_NEEDED);
    if (strchr(type_of(route, f), '*'))
        flag(w, "explode", false);
    json_key(w, "schema");
    put_field(w, route, f);
    json_object_end(w);
}

static void put_parameters(struct json_writer *w, const struct route *route)
{
    const struct field *f;
    const char *at, *end;
    char name[64];
    size_t i;

    json_key(w, "parameters");
    json_array(w);
    for (at = route->pattern; (at = strpbrk(at, ":*")); at = end) {
        end = strchrnul(at, '/');
        snprintf(name, sizeof name, "%.*s", (int)(end - at - 1), at + 1);
        put_part(w, name);
    }
    for (f = route->fields; f && f->name; f++)
        if (f->flags & FIELD_QUERY)
            put_query(w, route, f);
    for (i = 0; i < N(sent); i++)
        if (sent[i].by & sent_to(route))
            put_ref(w, "parameters", sent[i].name);
    json_array_end(w);
}

static void put_fields(struct json_writer *w, const struct route *route)
{
    const struct field *f;

    json_object(w);
    text(w, "type", "object");
    json_key(w, "properties");
    json_object(w);
    for (f = route->fields; f->name; f++) {
        if (f->flags & FIELD_QUERY)
            continue;
        json_key(w, f->name);
        put_field(w, route, f);
    }
    json_object_end(w);
    json_key(w, "required");
    json_array(w);
    for (f = route->fields; f->name; f++)
        if (f->flags & FIELD_NEEDED && !(f->flags & FIELD_QUERY))
            json_str(w, f->name);
    json_array_end(w);
    flag(w, "additionalProperties", false);
    json_object_end(w);
}

static bool has_body(const struct route *route)
{
    const struct field *f;

    for (f = route->fields; f && f->name; f++)
        if (!(f->flags & FIELD_QUERY))
            return true;
    return route->flags & ROUTE_RAW;
}

static bool needs_body(const struct route *route)
{
    const struct field *f;

    for (f = route->fields; f && f->name; f++)
        if (f->flags & FIELD_NEEDED && !(f->flags & FIELD_QUERY))
            return true;
    return route->flags & ROUTE_RAW;
}

static void put_body(struct json_writer *w, const struct route *route)
{
    const char *own = route->run == route_mcp_post    ? "RpcMessage"
                      : route->run == route_workspace ? "WorkspaceRequest"
                                                      : NULL;
    bool bytes = route->flags & ROUTE_RAW && !own;

    json_key(w, "requestBody");
    json_object(w);
    text(w, "description", most_of(route));
    flag(w, "required", needs_body(route));
    json_key(w, "content");
    json_object(w);
    json_key(w, bytes ? "*/*" : "application/json");
    json_object(w);
    if (bytes || own) {
        put_schema(w, own ? own : "any");
    } else {
        json_key(w, "schema");
        put_fields(w, route);
    }
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
}

/* ---- what is answered --------------------------------------------------- */

static void put_content(struct json_writer *w, const char *type,
                        const char *schema)
{
    json_key(w, type);
    json_object(w);
    put_schema(w, schema);
    json_object_end(w);
}

/* `schema` NULL: nothing but the head. */
static void put_answer(struct json_writer *w, const char *key,
                       const char *words, unsigned headers, const char *schema)
{
    size_t i;

    json_key(w, key);
    json_object(w);
    text(w, "description", words);
    json_key(w, "headers");
    json_object(w);
    for (i = 0; i < N(told); i++) {
        if (!(told[i].by & (headers | TOLD_ALWAYS)))
            continue;
        json_key(w, told[i].name);
        put_ref(w, "headers", told[i].name);
    }
    json_object_end(w);
    if (schema) {
        json_key(w, "content");
        json_object(w);
        if (!strcmp(schema, "Events"))
            put_content(w, "text/event-stream", "text");
        else if (!strcmp(schema, "Bytes"))
            put_content(w, "*/*", "any");
        else
            put_content(w, "application/json", schema);
        /* Which of the two it is depends on what is asked. */
        if (!strcmp(schema, "RpcMessage"))
            put_content(w, "text/event-stream", "text");
        json_object_end(w);
    }
    json_object_end(w);
}

static void put_success(struct json_writer *w, const struct route *route)
{
    unsigned headers = told_by(route);
    const char *again = route->run == route_outputs_add
                            ? "it is short, and nothing is kept"
                            : "done; it was there already";

    put_answer(w,
               route->status == 201   ? "201"
               : route->status == 204 ? "204"
                                      : "200",
               "done", headers, route->status == 204 ? NULL : route->answer);
    if (route->flags & ROUTE_REPLAY_200)
        put_answer(w, "200", again, headers, route->answer);
    if (route->run == route_mcp_post)
        put_answer(w, "202", "taken; there is nothing to say to it", headers,
                   NULL);
    if (route->flags & ROUTE_RANGES) {
        put_answer(w, "206", "the part that was asked for", headers | TOLD_PART,
                   route->answer);
        put_answer(w, "304", "it is as you have it", headers, NULL);
    }
}

/* A refusal that says more than others, or in other words; NULL: none. */
static const char *own_refusal(const struct route *route, int status)
{
    if (route->run == route_relations_add && status == 409)
        return "Existing";
    if (route->run == route_mcp_post && (status == 400 || status == 404))
        return "RpcRefused";
    return NULL;
}

static void put_refusals(struct json_writer *w, const struct route *route)
{
    const struct refusal *r;
    const char *own;
    char key[16];

    for (r = refusals; r->status; r++) {
        if (!refuses(route, r->status))
            continue;
        snprintf(key, sizeof key, "%d", r->status);
        own = own_refusal(route, r->status);
        if (own) {
            put_answer(w, key, r->prose, r->told, own);
        } else {
            json_key(w, key);
            put_ref(w, "responses", r->name);
        }
    }
    json_key(w, "default");
    put_ref(w, "responses", r->name);
}

/* ---- all of it ---------------------------------------------------------- */

static void put_op(struct json_writer *w, const struct route *route)
{
    char method[16];
    size_t i;

    for (i = 0; i < sizeof method - 1 && route->method[i]; i++)
        method[i] = (char)(route->method[i] | 0x20);
    method[i] = '\0';
    json_key(w, method);
    json_object(w);
    text(w, "operationId", route->name);
    text(w, "summary", route->prose);
    put_parameters(w, route);
    if (has_body(route))
        put_body(w, route);
    if (route->flags & ROUTE_PUBLIC)
        raw(w, "security", "[]");
    if (route->flags & ROUTE_LOCAL)
        raw(w, "security", "[{},{\"token\":[]}]");
    json_key(w, "responses");
    json_object(w);
    put_success(w, route);
    put_refusals(w, route);
    json_object_end(w);
    json_object_end(w);
}

/* Operations of one pattern are together, whatever their order in the table. */
static void put_paths(struct json_writer *w)
{
    const struct route *route, *other;
    char path[256];

    json_object(w);
    for (route = routes; route->name; route++) {
        for (other = routes; strcmp(other->pattern, route->pattern) != 0;
             other++)
            ;
        if (other != route)
            continue;
        spell_path(route->pattern, path);
        json_key(w, path);
        json_object(w);
        for (; other->name; other++)
            if (!strcmp(other->pattern, route->pattern))
                put_op(w, other);
        json_object_end(w);
    }
    json_object_end(w);
}

static void put_headers(struct json_writer *w)
{
    size_t i;

    json_key(w, "parameters");
    json_object(w);
    for (i = 0; i < N(sent); i++) {
        json_key(w, sent[i].name);
        json_object(w);
        text(w, "name", sent[i].name);
        text(w, "in", "header");
        text(w, "description", sent[i].prose);
        put_schema(w, "text");
        json_object_end(w);
    }
    json_object_end(w);
    json_key(w, "headers");
    json_object(w);
    for (i = 0; i < N(told); i++) {
        json_key(w, told[i].name);
        json_object(w);
        text(w, "description", told[i].prose);
        put_schema(w, told[i].type);
        json_object_end(w);
    }
    json_object_end(w);
}

static void put_components(struct json_writer *w)
{
    size_t i;

    json_object(w);
    raw(w, "securitySchemes",
        "{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}}");
    put_headers(w);
    json_key(w, "responses");
    json_object(w);
    for (i = 0; i < N(refusals); i++)
        put_answer(w, refusals[i].name, refusals[i].prose, refusals[i].told,
                   refusals[i].status == 429 ? "Limited" : "Error");
    json_object_end(w);
    json_key(w, "schemas");
    schema_write_all(w);
    json_object_end(w);
}

void openapi_write(struct buf *out)
{
    struct json_writer w;

    json_begin(&w, out);
    json_object(&w);
    text(&w, "openapi", "3.1.0");
    json_key(&w, "info");
    json_object(&w);
    text(&w, "title", "Quire");
    text(&w, "version", quire_version());
    text(&w, "description",
         "Sessions, artifacts, memory and blobs of AI agents.");
    json_object_end(&w);
    raw(&w, "servers", "[{\"url\":\"/\"}]");
    raw(&w, "security", "[{\"token\":[]}]");
    json_key(&w, "paths");
    put_paths(&w);
    json_key(&w, "components");
    put_components(&w);
    json_object_end(&w);
}

/*
 * openapi.c - see openapi.h
 *
 * Everything about an operation comes from its row in routes/table.c; the schemas
 * of answers are in schema.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "server/route.h"
#include "server/openapi/openapi.h"
#include "server/openapi/schema.h"

static const char *const kinds[] = {
    [FIELD_TEXT] = "text",      [FIELD_NUMBER] = "count",
    [FIELD_FLAG] = "flag",      [FIELD_TEXTS] = "text*",
    [FIELD_NUMBERS] = "count*", [FIELD_OBJECT] = "object",
    [FIELD_ANY] = "any",
};

/* Of the elements of an array. */
enum { ELEMENTS_MAX = 1000 };

enum {
    SENT_KEY = 1 << 0,
    SENT_MATCH = 1 << 1,
    SENT_RANGE = 1 << 2,
    SENT_EVENT = 1 << 3,
    SENT_MCP = 1 << 4,
    SENT_MARK = 1 << 5,
};

/* Headers of requests. */
static const struct {
    const char *name;
    unsigned by;
    const char *prose;
} sent[] = {
    {"Idempotency-Key", SENT_KEY,
     "unique name of this request: a repeat is not run again, and gets the "
     "same answer"},
    {"If-Match", SENT_MATCH, "ETags: proceed if it has one of these"},
    {"If-None-Match", SENT_MATCH,
     "ETags: proceed if it has none of these; *: if it does not exist"},
    {"Range", SENT_RANGE, "like bytes=0-999: only this range"},
    {"If-Range", SENT_RANGE, "an ETag: the whole content if it has changed"},
    {"Last-Event-ID", SENT_EVENT, "events after this id"},
    {"Quire-Session", SENT_MCP, "the session of /mcp; default temp"},
    {"Mcp-Session-Id", SENT_MCP, "as answered to `initialize`"},
    {"Quire-Mark", SENT_MARK,
     "secrets: an answer that is an object names the places of secrets in its strings, as "
     "`secret_places`"},
    {"MCP-Protocol-Version", SENT_MCP, "the revision of MCP"},
};

enum {
    GOT_ALWAYS = 1 << 0,
    GOT_ETAG = 1 << 1,
    GOT_RANGE = 1 << 2,
    GOT_RETRY = 1 << 3,
    GOT_REPLAYED = 1 << 4,
    GOT_MCP = 1 << 5,
};

/* Headers of answers. */
static const struct {
    const char *name;
    unsigned by;
    const char *type, *prose;
} answered[] = {
    {"X-Request-Id", GOT_ALWAYS, "text",
     "as sent, or a new one; also in the log"},
    {"ETag", GOT_ETAG, "text", "identifies the content"},
    {"Content-Range", GOT_RANGE, "text", "the range"},
    {"Retry-After", GOT_RETRY, "count", "seconds to wait"},
    {"Idempotency-Replayed", GOT_REPLAYED, "true/",
     "the response is a stored one"},
    {"Quire-Secrets", GOT_REPLAYED, "text",
     "secrets that were found in what was stored: kind, place, and whether they were "
     "masked"},
    {"Mcp-Session-Id", GOT_MCP, "text",
     "in the answer to `initialize`; send it from then on"},
};

/* Statuses a client may distinguish; any other is `default`. */
static const struct refusal {
    int status;
    unsigned headers;
    const char *name, *prose;
} refusals[] = {
    {400, 0, "Invalid", "invalid request"},
    {401, 0, "Unauthorized", "missing or unknown token"},
    {403, 0, "Forbidden",
     "the token does not have the right, or the origin is not allowed"},
    {404, 0, "NotFound", "not found, or of another tenant"},
    {409, GOT_RETRY | GOT_REPLAYED, "Conflict",
     "it exists, or does not match `expect`; or a request with this "
     "Idempotency-Key is running (in_progress), or was done and its response "
     "is not stored (done_before)"},
    {412, 0, "Changed", "If-Match or If-None-Match does not hold"},
    {413, 0, "TooLarge", "the body is too long, or the quota exceeded"},
    {415, 0, "Unsupported", "the body is not JSON, or is compressed"},
    {416, GOT_RANGE, "NoRange", "the range is not satisfiable"},
    {422, 0, "KeyReused", "the Idempotency-Key was used for another request"},
    {429, GOT_RETRY, "TooMany", "too many requests, or too many streams"},
    {503, GOT_RETRY, "Busy", "overloaded or locked; try again"},
    {507, 0, "NoSpace", "the server's disk is full"},
    {0, 0, "Refused", "refused"},
};

#define N(list) (sizeof(list) / sizeof *(list))

/* ---- derived from a row ------------------------------------------------- */

static bool is_conditional(const struct route *route)
{
    return route->flags & ROUTE_RANGES || route->headers & HEADER_MATCH;
}

static unsigned request_headers(const struct route *route)
{
    return (route->flags & ROUTE_WRITE ? SENT_KEY : 0u) |
           (is_conditional(route) ? SENT_MATCH : 0u) |
           (route->flags & ROUTE_RANGES ? SENT_RANGE : 0u) |
           (route->headers & HEADER_EVENT_ID ? SENT_EVENT : 0u) |
           (strcmp(route->method, "GET") || route->flags & ROUTE_RAW_ANSWER
                ? 0u
                : SENT_MARK) |
           (route->headers & HEADER_MCP ? SENT_MCP : 0u);
}

static unsigned answer_headers(const struct route *route)
{
    bool etag = route->flags & ROUTE_RANGES || route->headers & HEADER_ETAG;

    return GOT_ALWAYS | (route->flags & ROUTE_WRITE ? GOT_REPLAYED : 0u) |
           (etag ? GOT_ETAG : 0u) |
           (route->headers & HEADER_MCP_SESSION ? GOT_MCP : 0u);
}

static bool refuses(const struct route *route, int status)
{
    switch (status) {
    case 401:
    case 403:
    case 429: return !(route->flags & ROUTE_PUBLIC);
    case 404:
        return strpbrk(route->pattern, ":*") || route->headers & HEADER_MCP;
    case 409:
    case 422: return route->flags & ROUTE_WRITE;
    case 412: return is_conditional(route);
    case 413:
    case 415:
    case 507: return route->flags & (ROUTE_WRITE | ROUTE_BIG_JSON);
    case 416: return route->flags & ROUTE_RANGES;
    default: return true;
    }
}

/* The limit of the body: pipeline.c, max_body(). */
static const char *body_limit(const struct route *route)
{
    return route->flags & ROUTE_FILE       ? "as much as the quota of a file"
           : route->flags & ROUTE_LARGE    ? "1 GiB at most"
           : route->flags & ROUTE_BIG_JSON ? "64 MiB at most"
                                           : "1 MiB at most";
}

/* ---- pieces ------------------------------------------------------------- */

static void put_raw(struct json_writer *w, const char *key, const char *json)
{
    json_put_raw(w, key, bytes_str(json));
}

static void put_text(struct json_writer *w, const char *key, const char *value)
{
    json_put_str(w, key, value);
}

static void put_number(struct json_writer *w, const char *key, int64_t value)
{
    json_put_int(w, key, value);
}

static void put_flag(struct json_writer *w, const char *key, bool value)
{
    json_put_bool(w, key, value);
}

static void put_ref(struct json_writer *w, const char *list, const char *name)
{
    char ref[96];

    snprintf(ref, sizeof ref, "#/components/%s/%s", list, name);
    json_object(w);
    put_text(w, "$ref", ref);
    json_object_end(w);
}

static void put_schema(struct json_writer *w, const char *type)
{
    json_key(w, "schema");
    schema_begin(w, bytes_str(type));
    json_object_end(w);
}

static const struct path_param *param_of(const char *name, size_t len)
{
    const struct path_param *p = path_params;

    while (strncmp(p->name, name, len) != 0 || p->name[len])
        p++;
    return p;
}

/* The alternative `alias` of "a|b", up to a slash; *len is its length. */
static const char *alternative(const char *text, int alias, size_t *len)
{
    size_t n = strcspn(text, "|/");

    if (alias && text[n] == '|') {
        text += n + 1;
        n = strcspn(text, "|/");
    }
    *len = n;
    return text;
}

/* "/v1/sessions/{id}" of "/v1/conversations|sessions/:session". */
static void spell_path(const char *pattern, int alias, char out[256])
{
    int n = 0;

    *out = '\0';
    while (*pattern == '/' && n < 200) {
        const char *segment = ++pattern, *one;
        size_t len = strcspn(segment, "/");

        pattern += len;
        if (*segment == ':' || *segment == '*') {
            n += snprintf(out + n, (size_t)(256 - n), "/{%s}",
                          param_of(segment + 1, len - 1)->shown);
        } else {
            one = alternative(segment, alias, &len);
            n += snprintf(out + n, (size_t)(256 - n), "/%.*s", (int)len, one);
        }
    }
}

/* The schema of the answer: of "A|B" the one of this name. */
static const char *answer_of(const struct route *route, int alias, char out[64])
{
    size_t len;
    const char *one = alternative(route->answer, alias, &len);

    snprintf(out, 64, "%.*s", (int)len, one);
    return out;
}

/* ---- requests ----------------------------------------------------------- */

static const char *type_of(const struct field *f)
{
    return f->type ? f->type : f->flags & FIELD_FROM_1 ? "id" : kinds[f->kind];
}

/* The schema of a field; its words are beside it in a query, and in it in a
 * body. */
static void put_field(struct json_writer *w, const struct field *f)
{
    char type[160];

    snprintf(type, sizeof type, "%s%s", type_of(f),
             f->flags & FIELD_NULL ? "?" : "");
    schema_begin(w, bytes_str(type));
    if (f->max) {
        put_number(w, "default", (int64_t)f->otherwise);
        put_number(w, "maximum", (int64_t)f->max);
    }
    if (f->kind == FIELD_TEXTS || f->kind == FIELD_NUMBERS)
        put_number(w, "maxItems", ELEMENTS_MAX);
    if (!(f->flags & FIELD_QUERY))
        put_text(w, "description", f->prose);
    json_object_end(w);
}

static void put_part(struct json_writer *w, const struct path_param *p)
{
    static const char *const types[] = {[PARAM_NUMBER] = "id",
                                        [PARAM_TEXT] = "text",
                                        [PARAM_SHA256] = "sha256",
                                        [PARAM_SESSION] = "session"};

    json_object(w);
    put_text(w, "name", p->shown);
    put_text(w, "in", "path");
    put_flag(w, "required", true);
    put_text(w, "description", p->prose);
    put_schema(w, types[p->kind]);
    json_object_end(w);
}

static void put_query(struct json_writer *w, const struct field *f)
{
    json_object(w);
    put_text(w, "name", f->name);
    put_text(w, "in", "query");
    put_text(w, "description", f->prose);
    put_flag(w, "required", f->flags & FIELD_NEEDED);
    if (strchr(type_of(f), '*'))
        put_flag(w, "explode", false);
    json_key(w, "schema");
    put_field(w, f);
    json_object_end(w);
}

static void put_parameters(struct json_writer *w, const struct route *route)
{
    const struct field *f;
    const char *at, *end;
    size_t i;

    json_key(w, "parameters");
    json_array(w);
    for (at = route->pattern; (at = strpbrk(at, ":*")); at = end) {
        end = strchrnul(at, '/');
        put_part(w, param_of(at + 1, (size_t)(end - at - 1)));
    }
    for (f = route->fields; f && f->name; f++)
        if (f->flags & FIELD_QUERY)
            put_query(w, f);
    for (i = 0; i < N(sent); i++)
        if (sent[i].by & request_headers(route))
            put_ref(w, "parameters", sent[i].name);
    json_array_end(w);
}

static void put_fields(struct json_writer *w, const struct route *route)
{
    const struct field *f;

    json_object(w);
    put_text(w, "type", "object");
    json_key(w, "properties");
    json_object(w);
    for (f = route->fields; f->name; f++) {
        if (f->flags & FIELD_QUERY)
            continue;
        json_key(w, f->name);
        put_field(w, f);
    }
    json_object_end(w);
    json_key(w, "required");
    json_array(w);
    for (f = route->fields; f->name; f++)
        if (f->flags & FIELD_NEEDED && !(f->flags & FIELD_QUERY))
            json_str(w, f->name);
    json_array_end(w);
    put_flag(w, "additionalProperties", false);
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
    bool bytes = route->flags & ROUTE_RAW && !route->body;

    json_key(w, "requestBody");
    json_object(w);
    put_text(w, "description", body_limit(route));
    put_flag(w, "required", needs_body(route));
    json_key(w, "content");
    json_object(w);
    json_key(w, bytes ? "*/*" : "application/json");
    json_object(w);
    if (bytes || route->body) {
        put_schema(w, bytes ? "any" : route->body);
    } else {
        json_key(w, "schema");
        put_fields(w, route);
    }
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
}

/* ---- answers ------------------------------------------------------------ */

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
    put_text(w, "description", words);
    json_key(w, "headers");
    json_object(w);
    for (i = 0; i < N(answered); i++) {
        if (!(answered[i].by & (headers | GOT_ALWAYS)))
            continue;
        json_key(w, answered[i].name);
        put_ref(w, "headers", answered[i].name);
    }
    json_object_end(w);
    if (schema) {
        json_key(w, "content");
        json_object(w);
        if (!strcmp(schema, "Events"))
            put_content(w, "text/event-stream", "text");
        else if (!strcmp(schema, "Html"))
            put_content(w, "text/html", "text");
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

static void put_success(struct json_writer *w, const struct route *route,
                        int alias)
{
    char name[64], status[16];
    const char *answer = answer_of(route, alias, name);
    unsigned headers = answer_headers(route);
    const char *again = route->again ? route->again
                                     : "done; it existed already";

    snprintf(status, sizeof status, "%d", route->status);
    put_answer(w, status, route->status == 202 ? "begun" : "done", headers,
               route->status == 204 ? NULL : answer);
    if (route->flags & ROUTE_REPLAY_200)
        put_answer(w, "200", again, headers, answer);
    if (route->accepted)
        put_answer(w, "202", "accepted, without an answer", headers, NULL);
    if (route->flags & ROUTE_RANGES)
        put_answer(w, "206", "the requested range", headers | GOT_RANGE,
                   answer);
    if (headers & GOT_ETAG && !strcmp(route->method, "GET"))
        put_answer(w, "304", "not modified", headers, NULL);
}

/* A refusal that says more than others, or in other words; NULL: none. */
static const char *own_refusal(const struct route *route, int status)
{
    int i;

    for (i = 0; i < ROUTE_REFUSALS; i++)
        if (route->refusals[i].status == status)
            return route->refusals[i].schema;
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
            put_answer(w, key, r->prose, r->headers, own);
        } else {
            json_key(w, key);
            put_ref(w, "responses", r->name);
        }
    }
    json_key(w, "default");
    put_ref(w, "responses", r->name);
}

/* ---- all of it ---------------------------------------------------------- */

static void put_op(struct json_writer *w, const struct route *route, int alias)
{
    static const char first[] = "conversations.";
    char method[16], name[64];
    const char *of = route->name;
    size_t i;

    for (i = 0; i < sizeof method - 1 && route->method[i]; i++)
        method[i] = (char)(route->method[i] | 0x20);
    method[i] = '\0';
    json_key(w, method);
    json_object(w);
    if (!strncmp(of, first, sizeof first - 1))
        of += sizeof first - 1;
    snprintf(name, sizeof name, "sessions.%s", of);
    put_text(w, "operationId", alias ? name : route->name);
    put_text(w, "summary", route->prose);
    put_parameters(w, route);
    if (has_body(route))
        put_body(w, route);
    if (route->flags & ROUTE_PUBLIC)
        put_raw(w, "security", "[]");
    if (route->flags & ROUTE_LOCAL)
        put_raw(w, "security", "[{},{\"token\":[]}]");
    json_key(w, "responses");
    json_object(w);
    put_success(w, route, alias);
    put_refusals(w, route);
    json_object_end(w);
    json_object_end(w);
}

static void put_path(struct json_writer *w, const struct route *first,
                     int alias)
{
    const struct route *route;
    char path[256];

    spell_path(first->pattern, alias, path);
    json_key(w, path);
    json_object(w);
    for (route = first; route->name; route++)
        if (!strcmp(route->pattern, first->pattern))
            put_op(w, route, alias);
    json_object_end(w);
}

/* Operations of one pattern are together, whatever their order in the table. */
static void put_paths(struct json_writer *w)
{
    const struct route *route, *other;
    int alias;

    json_object(w);
    for (route = routes; route->name; route++) {
        for (other = routes; strcmp(other->pattern, route->pattern) != 0;
             other++)
            ;
        if (other != route)
            continue;
        for (alias = 0; alias < (strchr(route->pattern, '|') ? 2 : 1); alias++)
            put_path(w, route, alias);
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
        put_text(w, "name", sent[i].name);
        put_text(w, "in", "header");
        put_text(w, "description", sent[i].prose);
        put_schema(w, "text");
        json_object_end(w);
    }
    json_object_end(w);
    json_key(w, "headers");
    json_object(w);
    for (i = 0; i < N(answered); i++) {
        json_key(w, answered[i].name);
        json_object(w);
        put_text(w, "description", answered[i].prose);
        put_schema(w, answered[i].type);
        json_object_end(w);
    }
    json_object_end(w);
}

static void put_components(struct json_writer *w)
{
    size_t i;

    json_object(w);
    put_raw(w, "securitySchemes",
            "{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}}");
    put_headers(w);
    json_key(w, "responses");
    json_object(w);
    for (i = 0; i < N(refusals); i++)
        put_answer(w, refusals[i].name, refusals[i].prose, refusals[i].headers,
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
    put_text(&w, "openapi", "3.1.0");
    json_key(&w, "info");
    json_object(&w);
    put_text(&w, "title", "Quire");
    put_text(&w, "version", quire_version());
    put_text(&w, "description",
             "Sessions, artifacts, memory and blobs of AI agents.");
    json_object_end(&w);
    put_raw(&w, "servers", "[{\"url\":\"/\"}]");
    put_raw(&w, "security", "[{\"token\":[]}]");
    json_key(&w, "paths");
    put_paths(&w);
    json_key(&w, "components");
    put_components(&w);
    json_object_end(&w);
}

/*
 * openapi.c - the table of operations, described for programs
 *
 * Made of the entries in ops.c; what an answer looks like is named there and
 * spelled here.
 */
#include <string.h>

#include "base/bytes.h"
#include "serve/op.h"

/* Schemas of answers: JSON. */
static const struct {
    const char *name, *schema;
} schemas[] = {
    {"Any", "{\"type\":\"object\"}"},
    {"Status", "{\"type\":\"object\",\"properties\":{\"status\":{\"type\":"
               "\"string\"}},\"required\":[\"status\"]}"},
    {"Version", "{\"type\":\"object\",\"properties\":{\"version\":{\"type\":"
                "\"string\"}},\"required\":[\"version\"]}"},
    {"Deleted", "{\"type\":\"object\",\"properties\":{\"deleted\":{\"type\":"
                "\"boolean\"}},\"required\":[\"deleted\"]}"},
    {"Error", "{\"type\":\"object\",\"properties\":{\"error\":{\"type\":"
              "\"string\"},\"kind\":{\"type\":\"string\"},\"hint\":{\"type\":"
              "\"string\"}},\"required\":[\"error\",\"kind\",\"hint\"]}"},
    {"Tenant", "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":"
               "\"integer\"},\"name\":{\"type\":\"string\"},\"disabled\":{"
               "\"type\":\"boolean\"},\"has_token\":{\"type\":\"boolean\"},"
               "\"created_at\":{\"type\":\"integer\"},\"bytes_used\":{\"type\":"
               "\"integer\"},\"artifacts\":{\"type\":\"integer\"},\"token\":{"
               "\"type\":\"string\"}},\"required\":[\"id\",\"name\","
               "\"disabled\"]}"},
    {"Tenants", "{\"type\":\"object\",\"properties\":{\"tenants\":{\"type\":"
                "\"array\",\"items\":{\"$ref\":\"#/components/schemas/"
                "Tenant\"}}},\"required\":[\"tenants\"]}"},
    {"Conversation",
     "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"},"
     "\"session\":{\"type\":\"string\"},\"title\":{\"type\":\"string\"},"
     "\"cwd\":{\"type\":[\"string\",\"null\"]},"
     "\"archived\":{\"type\":\"boolean\"},\"folder_id\":{\"type\":["
     "\"integer\",\"null\"]},\"parent\":{\"type\":[\"string\","
     "\"null\"]},\"entries\":{\"type\":\"integer\"},\"messages\":{\"type\":"
     "\"integer\"},\"created_at\":{\"type\":\"integer\"},\"updated_at\":{"
     "\"type\":\"integer\"}},\"required\":[\"id\",\"session\",\"title\"]}"},
    {"Conversations",
     "{\"type\":\"object\",\"properties\":{\"conversations\":{\"type\":"
     "\"array\",\"items\":{\"$ref\":\"#/components/schemas/Conversation\"}},"
     "\"count\":{\"type\":\"integer\"},\"next_cursor\":{\"type\":[\"string\","
     "\"null\"]}},\"required\":[\"conversations\",\"count\"]}"},
    {"Entries", "{\"type\":\"object\",\"properties\":{\"entries\":{\"type\":"
                "\"array\",\"items\":{\"type\":\"object\"}},\"count\":{"
                "\"type\":\"integer\"},\"next_after\":{\"type\":[\"integer\","
                "\"null\"]}},\"required\":[\"entries\",\"count\"]}"},
    {"Messages", "{\"type\":\"object\",\"properties\":{\"messages\":{\"type\":"
                 "\"array\",\"items\":{\"type\":\"object\"}},\"count\":{"
                 "\"type\":\"integer\"},\"next_after\":{\"type\":[\"integer\","
                 "\"null\"]}},\"required\":[\"messages\",\"count\"]}"},
    {"Appended", "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":"
                 "\"string\"},\"parentId\":{\"type\":[\"string\",\"null\"]},"
                 "\"existed\":{\"type\":\"boolean\"}},\"required\":[\"id\"]}"},
    {"Folder",
     "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"}"
     ",\"name\":{\"type\":\"string\"},\"conversations\":{\"type\":\"inte"
     "ger\"},\"created_at\":{\"type\":\"integer\"},\"updated_at\":{\"typ"
     "e\":\"integer\"}},\"required\":[\"id\",\"name\"]}"},
    {"Folders",
     "{\"type\":\"object\",\"properties\":{\"folders\":{\"type\":\"array"
     "\",\"items\":{\"$ref\":\"#/components/schemas/Folder\"}},\"count\""
     ":{\"type\":\"integer\"}},\"required\":[\"folders\",\"count\"]}"},
    {"Audit",
     "{\"type\":\"object\",\"properties\":{\"entries\":{\"type\":\"array"
     "\",\"items\":{\"type\":\"object\",\"properties\":{\"id\":{\"type\""
     ":\"integer\"},\"created_at\":{\"type\":\"integer\"},\"actor\":{\"t"
     "ype\":\"string\"},\"action\":{\"type\":\"string\"},\"tenant_id\":{"
     "\"type\":[\"integer\",\"null\"]},\"name\":{\"type\":\"string\"},\""
     "before\":{},\"after\":{}},\"required\":[\"id\",\"created_at\",\"ac"
     "tor\",\"action\",\"name\"]}},\"count\":{\"type\":\"integer\"},\"ne"
     "xt_before_id\":{\"type\":[\"integer\",\"null\"]}},\"required\":[\""
     "entries\",\"count\"]}"},
    {"Artifact",
     "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"},"
     "\"tenant_id\":{\"type\":\"integer\"},\"conversation_id\":{\"type\":"
     "\"integer\"},\"path\":{\"type\":\"string\"},\"sha256\":{\"type\":"
     "\"string\"},\"mime_type\":{\"type\":\"string\"},\"size\":{\"type\":"
     "\"integer\"},\"version\":{\"type\":\"integer\"},\"purpose\":{\"type\":"
     "\"string\"},\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}"
     "},\"created_at\":{\"type\":\"integer\"},\"updated_at\":{\"type\":"
     "\"integer\"}},\"required\":[\"id\",\"path\",\"sha256\",\"size\"]}"},
    {"Artifacts",
     "{\"type\":\"object\",\"properties\":{\"artifacts\":{\"type\":\"array\","
     "\"items\":{\"$ref\":\"#/components/schemas/Artifact\"}},\"count\":{"
     "\"type\":\"integer\"},\"bytes_used\":{\"type\":\"integer\"},"
     "\"tenant_bytes_used\":{\"type\":\"integer\"},\"next_cursor\":{\"type\":["
     "\"string\",\"null\"]}},\"required\":[\"artifacts\",\"count\"]}"},
    {"ArtifactPut",
     "{\"type\":\"object\",\"properties\":{\"artifact\":{\"$ref\":"
     "\"#/components/schemas/Artifact\"},\"created\":{\"type\":\"boolean\"},"
     "\"conversation_used_bytes\":{\"type\":\"integer\"},"
     "\"tenant_used_bytes\":{\"type\":\"integer\"}},\"required\":[\"artifact\","
     "\"created\"]}"},
    {"Outputs",
     "{\"type\":\"object\",\"properties\":{\"outputs\":{\"type\":\"array"
     "\",\"items\":{\"$ref\":\"#/components/schemas/Output\"}},\"count\""
     ":{\"type\":\"integer\"}},\"required\":[\"outputs\",\"count\"]}"},
    {"Output",
     "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
     "\"address\":{\"type\":\"string\"},\"tool\":{\"type\":[\"string\","
     "\"null\"]},\"bytes\":{\"type\":\"integer\"},\"modified_at\":{\"typ"
     "e\":\"integer\"}},\"required\":[\"id\",\"address\",\"bytes\"]}"},
    {"OutputPut",
     "{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"output\":{\"typ"
     "e\":\"string\"},\"truncated\":{\"type\":\"boolean\"},\"totalLines"
     "\":{\"type\":\"integer\"},\"totalBytes\":{\"type\":\"integer\"},\""
     "outputLines\":{\"type\":\"integer\"},\"outputBytes\":{\"type\":\"i"
     "nteger\"},\"artifactId\":{\"type\":[\"string\",\"null\"]},\"addres"
     "s\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"output\",\"t"
     "runcated\",\"artifactId\"]},{\"$ref\":\"#/components/schemas/Outpu"
     "t\"}]}"},
    {"Memory",
     "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"}"
     ",\"tenant_id\":{\"type\":\"integer\"},\"type\":{\"type\":\"string"
     "\"},\"title\":{\"type\":\"string\"},\"content\":{\"type\":\"string"
     "\"},\"source\":{\"type\":\"string\"},\"tags\":{\"type\":\"array\","
     "\"items\":{\"type\":\"string\"}},\"artifact_id\":{\"type\":[\"inte"
     "ger\",\"null\"]},\"conversation_id\":{\"type\":[\"integer\",\"null"
     "\"]},\"valid_from\":{\"type\":\"integer\"},\"valid_to\":{\"type\":"
     "[\"integer\",\"null\"]},\"created_at\":{\"type\":\"integer\"},\"up"
     "dated_at\":{\"type\":\"integer\"},\"score\":{\"type\":\"number\"},"
     "\"artifact\":{\"$ref\":\"#/components/schemas/Artifact\"},\"supers"
     "edes_manual\":{\"type\":\"object\",\"properties\":{\"invalidated\""
     ":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}},\"required"
     "\":[\"invalidated\"]}},\"required\":[\"id\",\"type\",\"title\",\"c"
     "ontent\"]}"},
    {"Memories",
     "{\"type\":\"object\",\"properties\":{\"entries\":{\"type\":\"array"
     "\",\"items\":{\"$ref\":\"#/components/schemas/Memory\"}},\"count\""
     ":{\"type\":\"integer\"},\"partial\":{\"type\":\"boolean\"},\"next_"
     "cursor\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"entries"
     "\",\"count\"]}"},
    {"Invalidated",
     "{\"type\":\"object\",\"properties\":{\"invalidated\":{\"type\":\"b"
     "oolean\"},\"id\":{\"type\":\"integer\"}},\"required\":[\"invalidat"
     "ed\",\"id\"]}"},
    {"Relation",
     "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"}"
     ",\"tenant_id\":{\"type\":\"integer\"},\"source_id\":{\"type\":\"in"
     "teger\"},\"target_id\":{\"type\":\"integer\"},\"relation\":{\"type"
     "\":\"string\"},\"created_at\":{\"type\":\"integer\"}},\"required\""
     ":[\"id\",\"source_id\",\"target_id\",\"relation\"]}"},
    {"Relations",
     "{\"type\":\"object\",\"properties\":{\"relations\":{\"type\":\"arr"
     "ay\",\"items\":{\"$ref\":\"#/components/schemas/Relation\"}},\"cou"
     "nt\":{\"type\":\"integer\"},\"next_cursor\":{\"type\":[\"string\","
     "\"null\"]}},\"required\":[\"relations\",\"count\"]}"},
    {"Graph",
     "{\"type\":\"object\",\"properties\":{\"tenant_id\":{\"type\":\"int"
     "eger\"},\"entries\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/co"
     "mponents/schemas/Memory\"}},\"relations\":{\"type\":\"array\",\"it"
     "ems\":{\"$ref\":\"#/components/schemas/Relation\"}},\"entry_count"
     "\":{\"type\":\"integer\"},\"relation_count\":{\"type\":\"integer\""
     "}},\"required\":[\"entries\",\"relations\"]}"},
    {"Pad", "{\"type\":\"object\",\"properties\":{\"agent_id\":{\"type\":\"stri"
            "ng\"},\"kind\":{\"type\":\"string\"},\"exists\":{\"type\":\"boolea"
            "n\"},\"size\":{\"type\":\"integer\"},\"content\":{\"type\":\"strin"
            "g\"}},\"required\":[\"agent_id\",\"exists\",\"content\"]}"},
    {"Pads",
     "{\"type\":\"object\",\"properties\":{\"scratchpads\":{\"type\":"
     "\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
     "\"agent_id\":{\"type\":\"string\"},\"kind\":{\"type\":\"string\"},"
     "\"size\":{\"type\":\"integer\"},\"updated_at\":{\"type\":"
     "\"integer\"}},\"required\":[\"agent_id\",\"size\"]}}},\"required\":["
     "\"scratchpads\"]}"},
    {"Prompts",
     "{\"type\":\"object\",\"properties\":{\"prompts\":{\"type\":\"array"
     "\",\"items\":{\"type\":\"object\",\"properties\":{\"id\":{\"type\""
     ":\"integer\"},\"prompt\":{\"type\":\"string\"},\"created_at\":{\"t"
     "ype\":\"integer\"},\"cwd\":{\"type\":[\"string\",\"null\"]},\"sess"
     "ion\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"id\",\"pro"
     "mpt\"]}},\"count\":{\"type\":\"integer\"}},\"required\":[\"prompts"
     "\",\"count\"]}"},
    {"PromptPut",
     "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"}"
     "},\"required\":[\"id\"]}"},
    {"Replies",
     "{\"type\":\"object\",\"properties\":{\"replies\":{\"type\":\"array"
     "\",\"items\":{\"type\":\"object\",\"properties\":{\"command\":{\"t"
     "ype\":\"string\"},\"args\":{\"type\":\"string\"},\"line\":{\"type"
     "\":\"integer\"},\"status\":{\"type\":\"string\"},\"kind\":{\"type"
     "\":\"string\"},\"id\":{\"type\":[\"integer\",\"null\"]},\"truncate"
     "d\":{\"type\":\"boolean\"},\"skipped\":{\"type\":\"integer\"},\"en"
     "coding\":{\"type\":\"string\"},\"body\":{\"type\":\"string\"},\"pa"
     "rt\":{\"type\":\"object\"}},\"required\":[\"command\",\"status\","
     "\"body\"]}},\"text\":{\"type\":\"string\"},\"files\":{\"type\":\"a"
     "rray\",\"items\":{\"type\":\"object\",\"properties\":{\"path\":{\""
     "type\":\"string\"},\"size\":{\"type\":\"integer\"},\"artifact_id\""
     ":{\"type\":[\"integer\",\"null\"]},\"encoding\":{\"type\":\"string"
     "\"},\"content\":{\"type\":\"string\"}},\"required\":[\"path\",\"co"
     "ntent\"]}}},\"required\":[\"replies\",\"text\",\"files\"]}"},
    {"Usage",
     "{\"type\":\"object\",\"properties\":{\"tenant_id\":{\"type\":\"int"
     "eger\"},\"name\":{\"type\":\"string\"},\"bytes_used\":{\"type\":\""
     "integer\"},\"artifacts\":{\"type\":\"integer\"},\"quotas\":{\"type"
     "\":\"object\",\"properties\":{\"file\":{\"type\":\"integer\"},\"se"
     "ssion\":{\"type\":\"integer\"},\"tenant\":{\"type\":\"integer\"}},"
     "\"required\":[\"file\",\"session\",\"tenant\"]}},\"required\":[\"t"
     "enant_id\",\"bytes_used\",\"quotas\"]}"},
};

static const char *const types[] = {
    [FIELD_TEXT] = "{\"type\":\"string\"}",
    [FIELD_NUMBER] = "{\"type\":\"integer\",\"minimum\":0}",
    [FIELD_FLAG] = "{\"type\":\"boolean\"}",
    [FIELD_TEXTS] = "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",
    [FIELD_NUMBERS] = "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}",
    [FIELD_OBJECT] = "{\"type\":\"object\"}",
    [FIELD_ANY] = "{}",
};

static void raw(struct json_writer *w, const char *key, const char *json)
{
    json_key(w, key);
    json_raw(w, bytes_str(json));
}

static void text(struct json_writer *w, const char *key, const char *value)
{
    json_key(w, key);
    json_str(w, value);
}

/* "/v1/conversations/{id}" of "/v1/conversations/:id". */
static void spell_path(const char *route, char out[256])
{
    size_t n = 0;

    while (*route && n < 250) {
        if (*route == ':' || *route == '*') {
            out[n++] = '{';
            for (route++; *route && *route != '/'; route++)
                out[n++] = *route;
            out[n++] = '}';
        } else {
            out[n++] = *route++;
        }
    }
    out[n] = '\0';
}

static void put_parameters(struct json_writer *w, const struct op *op)
{
    const struct field *f;
    const char *at, *end;
    char name[64];

    json_key(w, "parameters");
    json_array(w);
    for (at = op->route; (at = strpbrk(at, ":*")); at = end) {
        size_t len;

        end = strchrnul(at, '/');
        len = (size_t)(end - at - 1);
        memcpy(name, at + 1, len);
        name[len] = '\0';
        json_object(w);
        text(w, "name", name);
        text(w, "in", "path");
        json_key(w, "required");
        json_bool(w, true);
        raw(w, "schema",
            len >= 2 && !strcmp(name + len - 2, "id")
                ? "{\"type\":\"integer\",\"minimum\":1}"
                : types[FIELD_TEXT]);
        json_object_end(w);
    }
    for (f = op->fields; f && f->name; f++) {
        if (!(f->flags & FIELD_QUERY))
            continue;
        json_object(w);
        text(w, "name", f->name);
        text(w, "in", "query");
        text(w, "description", f->prose);
        json_key(w, "required");
        json_bool(w, f->flags & FIELD_NEEDED);
        raw(w, "schema", types[f->kind]);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_fields(struct json_writer *w, const struct op *op)
{
    const struct field *f;

    json_object(w);
    text(w, "type", "object");
    json_key(w, "properties");
    json_object(w);
    for (f = op->fields; f->name; f++) {
        if (f->flags & FIELD_QUERY)
            continue;
        raw(w, f->name,
            !(f->flags & FIELD_NULL) ? types[f->kind]
            : f->kind == FIELD_TEXT  ? "{\"type\":[\"string\",\"null\"]}"
            : f->kind == FIELD_NUMBER
                ? "{\"type\":[\"integer\",\"null\"],\"minimum\":0}"
                : types[f->kind]);
    }
    json_object_end(w);
    json_key(w, "required");
    json_array(w);
    for (f = op->fields; f->name; f++)
        if (f->flags & FIELD_NEEDED && !(f->flags & FIELD_QUERY))
            json_str(w, f->name);
    json_array_end(w);
    json_object_end(w);
}

static bool has_body(const struct op *op)
{
    const struct field *f;

    for (f = op->fields; f && f->name; f++)
        if (!(f->flags & FIELD_QUERY))
            return true;
    return op->flags & OP_RAW;
}

static bool needs_body(const struct op *op)
{
    const struct field *f;

    for (f = op->fields; f && f->name; f++)
        if (f->flags & FIELD_NEEDED && !(f->flags & FIELD_QUERY))
            return true;
    return op->flags & OP_RAW;
}

static void put_body(struct json_writer *w, const struct op *op)
{
    json_key(w, "requestBody");
    json_object(w);
    json_key(w, "required");
    json_bool(w, needs_body(op));
    json_key(w, "content");
    json_object(w);
    json_key(w, op->flags & OP_RAW ? "*/*" : "application/json");
    json_object(w);
    json_key(w, "schema");
    if (op->flags & OP_RAW) {
        json_object(w);
        json_object_end(w);
    } else {
        put_fields(w, op);
    }
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
}

static void put_answer(struct json_writer *w, const char *status,
                       const char *words, const char *schema)
{
    bool events = !strcmp(schema, "Events");
    bool bytes = events || !strcmp(schema, "Bytes");

    json_key(w, status);
    json_object(w);
    text(w, "description", words);
    json_key(w, "content");
    json_object(w);
    json_key(w, events  ? "text/event-stream"
                : bytes ? "*/*"
                        : "application/json");
    json_object(w);
    json_key(w, "schema");
    json_object(w);
    if (!bytes) {
        char ref[96] = "#/components/schemas/";

        strncat(ref, schema, sizeof ref - strlen(ref) - 1);
        text(w, "$ref", ref);
    }
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
    json_object_end(w);
}

static void put_op(struct json_writer *w, const struct op *op)
{
    char method[16];
    size_t i;

    for (i = 0; i < sizeof method - 1 && op->method[i]; i++)
        method[i] = (char)(op->method[i] | 0x20);
    method[i] = '\0';
    json_key(w, method);
    json_object(w);
    text(w, "operationId", op->name);
    text(w, "summary", op->prose);
    put_parameters(w, op);
    if (has_body(op))
        put_body(w, op);
    if (op->flags & OP_OPEN)
        raw(w, "security", "[]");
    if (op->flags & OP_LOCAL)
        raw(w, "security", "[{},{\"token\":[]}]");
    json_key(w, "responses");
    json_object(w);
    put_answer(w, op->status == 201 ? "201" : "200", "done", op->answer);
    if (op->flags & OP_AGAIN)
        put_answer(w, "200", "done; it was there already", op->answer);
    if (op->flags & OP_RANGES) {
        put_answer(w, "206", "the part that was asked for", op->answer);
        raw(w, "304", "{\"description\":\"it is as you have it\"}");
    }
    put_answer(w, "default", "refused", "Error");
    json_object_end(w);
    json_object_end(w);
}

/* Operations of one route are together, whatever their order in the table. */
static void put_paths(struct json_writer *w)
{
    const struct op *op, *other;
    char path[256];

    json_object(w);
    for (op = ops; op->name; op++) {
        for (other = ops; strcmp(other->route, op->route) != 0; other++)
            ;
        if (other != op)
            continue;
        spell_path(op->route, path);
        json_key(w, path);
        json_object(w);
        for (; other->name; other++)
            if (!strcmp(other->route, op->route))
                put_op(w, other);
        json_object_end(w);
    }
    json_object_end(w);
}

void openapi_write(struct buf *out)
{
    struct json_writer w;
    size_t i;

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
    json_object(&w);
    raw(&w, "securitySchemes",
        "{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}}");
    json_key(&w, "schemas");
    json_object(&w);
    for (i = 0; i < sizeof schemas / sizeof *schemas; i++)
        raw(&w, schemas[i].name, schemas[i].schema);
    json_object_end(&w);
    json_object_end(&w);
    json_object_end(&w);
}

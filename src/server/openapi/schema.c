/* schema.c - see schema.h */
#include "server/openapi/schema.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

#define ERROR "error:text kind:text hint:text"
#define LIST  "count:int tenant_id:int"
#define ARTIFACT                                                        \
    "id:int tenant_id:int conversation_id:int path:text sha256:sha256 " \
    "mime_type:text size:int version:int purpose:text "                 \
    "source_agent_id:text tags:text* created_at:time updated_at:time"
#define HOLDING                                                             \
    "sessions:int archived:int session_bytes:int entries:int messages:int " \
    "outputs:int output_bytes:int artifacts:int artifact_bytes:int "        \
    "versions:int memories:int"
#define TOOL_FILE                                                     \
    "filename:text artifact_id:int content_type:text size_bytes:int " \
    "created_at:when updated_at:when purpose:text tags:text* "        \
    "source_agent_id:text"

static const struct {
    const char *name, *members;
} schemas[] = {
    {"Status", "status:text"},
    {"Version", "version:text"},
    {"Description", "openapi:text info:object servers:object* security:object* "
                    "paths:object components:object"},
    {"Deleted", "deleted:flag"},
    {"Error", ERROR},
    {"Existing", ERROR " existing_id?:int"},
    {"Limited", ERROR " reason?:text retry_after_seconds?:int"},

    {"Tenant", "id:int name:text disabled:flag has_token:flag created_at:time "
               "bytes_used:int artifacts:int token?:text"},
    {"Tenants", "tenants:Tenant*"},
    {"Token", "id:int label:text read_only:flag local:flag created_at:time "
              "expires_at:time? token?:text"},
    {"Tokens", "tokens:Token*"},
    {"Change", "id:int created_at:time ts:time actor:text action:text "
               "event:text target_kind:tenant/setting target_id:text "
               "tenant_id:int? name:text before:any after:any"},
    {"Audit", "entries:Change* count:int next_before_id:int?"},

    {"Holding", "id:int name:text " HOLDING " quota_bytes:int?"},
    {"Holdings", "tenants:Holding* total:object search:object blobs:int "
                 "content_bytes:int stored_bytes:int unreferenced:int "
                 "database_bytes:int free_bytes:int"},
    {"Collected",
     "scanned:int referenced:int marked:int removed:int freed_bytes:int "
     "waiting:int sources:int rescanned:int versions:int purged:int "
     "orphans:int litter:int returned_bytes:int dry_run:flag refused:flag"},
    {"Problem", "kind:text where:text message:text next:text line:int?"},
    {"Check", "problems:Problem* complete:flag sessions:int blobs:int "
              "references:int unreferenced:int n_problems:int"},
    {"Rebuilt", "rebuilt:flag duration_ms:int"},
    {"Setting", "key:text value:text from:text default:text about:text"},
    {"Settings", "settings:Setting*"},

    {"Me", "tenant_id:int name:text read_only:flag local:flag version:text"},

    {"SessionTable", "columns:text* rows:any* pending:int"},
    {"UsageTable", "columns:text* rows:any* totals:object pending:int"},
    {"StorageKind", "kind:text bytes:int n:int"},
    {"Storage", "kinds:StorageKind* content_bytes:int stored_bytes:int "
                "referenced_bytes:int free_bytes:int"},

    {"Folder", "id:int tenant_id:int name:text position:int conversations:int "
               "created_at:time updated_at:time"},
    {"Folders", "folders:Folder* " LIST},
    {"Conversation",
     "id:int tenant_id:int session:text title:text cwd:text? "
     "backend:file/memory archived:flag pinned:flag held:flag "
     "hold_reason:text? folder_id:int? agent_id:text agent_def?:object parent:text? "
     "entries:int messages:int message_count:int input_tokens:int "
     "output_tokens:int total_tokens:int cost_nano_usd:int artifacts:int "
     "bytes_used:int created_at:time updated_at:time"},
    {"Conversations",
     "conversations:Conversation* " LIST " next_cursor:cursor?"},
    {"Sessions", "sessions:Conversation* " LIST " next_cursor:cursor?"},
    {"Trashed", "id:int? session:text title:text path:text removed_at:time "
                "purge_at:time bytes:int"},
    {"Trash", "trash:Trashed* " LIST},
    {"Emptied", "removed:int"},
    {"Entry", "type:text id:text parentId?:text? timestamp?:text "
              "message?:object ..."},
    {"Entries", "entries:Entry* " LIST " conversation_id:int next_after:int?"},
    {"Messages",
     "messages:Entry* " LIST " conversation_id:int next_after:int?"},
    {"Appended", "id:text parentId:text? existed:flag session?:text "
                 "conversation_id?:int"},
    {"Context",
     "messages:object* thinkingLevel:text models:object "
     "injectedTtsrRules:text* mode:text modeData:any serviceTier?:any"},
    {"HeadsSession", "id:text title:text? cwd:text? parent:text? created:text? "
                     "bytes:int version:int archived:flag leaf:text? "
                     "problems:int"},
    {"Heads",
     "session:HeadsSession generation:text from:int n:int leaf:any "
     "types:text* roles:text* tools:text* models:text* t0:any id:text* "
     "up:any* type:any* role:any* tool:any* model:any* dt:any* size:int* "
     "lines:int* calls:int* tokens:int* context:int* flags:int*"},
    {"Cut", "pointer:text length:int lines:int"},
    {"WindowEntry", "position:int ordinal:int label?:text entry:Entry "
                    "cuts:Cut*"},
    {"Window", "entries:WindowEntry* leaf:text? n:int from:int more:flag"},
    {"EntryOrText", "Entry|EntryText"},
    {"EntryText", "offset:int length:int next:int? text:text"},
    {"VersionDiff", "from:int to:int hunks:Hunk* added:int removed:int "
                    "binary:flag cut:flag"},
    {"Hunk", "old:int new:int lines:any*"},
    {"Edit", "path:text call:text tool:text hunks:Hunk* added:int removed:int "
             "cut:flag"},
    {"Edits", "files:Edit*"},
    {"EditEntry",
     "entry:text ordinal:int position:int time_ms:any files:Edit*"},
    {"Changes", "changes:EditEntry* next:int?"},
    {"Rail", "ordinal:int id:text rail:int parent:any kind:text text:text "
             "label?:text time_ms:any children:int folded:int on_path:flag "
             "is_leaf:flag"},
    {"Rails", "n:int leaf:any rails:int rows:Rail*"},
    {"OutlineItem", "position:int ordinal:int id:text kind:text label?:text "
                    "text:text tool?:text time_ms:any branches:int"},
    {"Outline", "items:OutlineItem*"},
    {"Call", "id:text call:text tool:text summary:text position:int "
             "start_ms:any duration_ms:int? error:flag output_bytes:int"},
    {"Turn", "position:int id:text time_ms:any duration_ms:any model:text "
             "messages:int input_tokens:int output_tokens:int "
             "cached_tokens:int cost_micro_usd:int calls:Call*"},
    {"Turns", "turns:Turn*"},
    {"Image", "entry:text ordinal:int image:int mime:text bytes:int width:int "
              "height:int"},
    {"Images", "images:Image*"},
    {"ContextPart", "kind:text tool?:text message:int tokens:int bytes:int "
                    "text?:text"},
    {"Parts", "leaf:text? parts:ContextPart* by_kind:object total_tokens:int "
              "messages:int"},
    {"Node",
     "id:text parentId:text? type:text depth:int leaf:flag label:text?"},
    {"Tree", "nodes:Node*"},

    {"Artifact", ARTIFACT},
    {"Artifacts",
     "artifacts:Artifact* " LIST " conversation_id?:int bytes_used:int "
     "tenant_bytes_used:int next_cursor:cursor?"},
    {"ArtifactPut", "artifact:Artifact created:flag "
                    "conversation_used_bytes:int tenant_used_bytes:int"},
    {"ArtifactVersions", "versions:Artifact*"},
    {"ArtifactHit", ARTIFACT " score:number snippet:text"},
    {"ArtifactHits", "results:ArtifactHit* partial:flag"},
    {"Blob", "ref:text sha256:sha256 size:int existed:flag"},

    {"WorkspaceAnswer", "success:flag data?:WorkspaceData "
                        "error?:WorkspaceError execution_time_ms:int "
                        "secrets?:FoundSecret*"},
    {"FoundSecret", "kind:text place:text at:int bytes:int masked:flag"},
    {"WorkspaceError", "code:text message:text retryable:flag suggestion:text"},
    {"WorkspaceData",
     "action:write/read/list/search/delete scope:artifact/scratchpad "
     "session_id:text filename?:text path?:text artifact_id?:int "
     "content_type?:text size_bytes?:int indexed?:flag version?:int "
     "content?:text encoding?:text/base64 offset?:int truncated?:flag "
     "next_offset?:int artifacts?:WorkspaceArtifact* files?:WorkspaceFile* "
     "query?:text results?:WorkspaceHit* count?:int next_cursor?:text "
     "deleted?:soft/hard"},
    {"WorkspaceArtifact", TOOL_FILE},
    {"WorkspaceHit", TOOL_FILE " session_id:text snippet:text"},
    {"WorkspaceFile", "filename:text size_bytes:int modified:when"},

    {"Output", "id:text address:text tool:text? bytes:int modified_at:time"},
    {"Outputs", "outputs:Output* " LIST},
    {"OutputLines", "lines:any* more:flag"},
    {"OutputShown",
     "output:text truncated:flag totalLines:int totalBytes:int "
     "outputLines:int outputBytes:int artifactId:text? address:text?"},
    {"OutputPut", "OutputShown|Output"},

    {"Memory", "id:int tenant_id:int type:" MEMORY_TYPES " title:text "
               "content:text source:text tags:text* artifact_id:int? "
               "conversation_id:int? valid_from:time valid_to:time? "
               "created_at:time updated_at:time score?:number "
               "artifact?:Artifact supersedes_manual?:Superseded"},
    {"Superseded", "requested:int* invalidated:int*"},
    {"Memories", "entries:Memory* " LIST " partial?:flag next_cursor:cursor?"},
    {"Invalidated", "invalidated:flag id:int"},
    {"Relation", "id:int tenant_id:int source_id:int target_id:int "
                 "relation:" RELATIONS " created_at:time"},
    {"Relations", "relations:Relation* " LIST " next_cursor:cursor?"},
    {"Graph", "tenant_id:int entries:Memory* relations:Relation* "
              "entry_count:int relation_count:int"},
    {"Pad",
     "agent_id:text kind:agent/shared exists:flag size:int content:text"},
    {"PadRow", "agent_id:text kind:agent/shared size:int updated_at:time "
               "modified_at:time"},
    {"Pads", "scratchpads:PadRow* entries:PadRow* " LIST},

    {"Prompt", "id:int prompt:text created_at:time cwd:text? session:text?"},
    {"SearchHit",
     "kind:" SEARCH_KINDS " address:text session?:text entry?:text "
     "title?:text project?:text agent?:text role?:" SEARCH_ROLES " tool?:text "
     "model?:text created_at?:time turn?:int turn_first?:text "
     "turn_last?:text snippet:text matches:count** score:number "
     "how:exact/stem/prefix/substring/close active:flag error:flag "
     "in_session?:int"},
    {"SearchFacets", "kind?:object role?:object tool?:object model?:object "
                     "project?:object agent?:object"},
    {"SearchIgnored", "text:text why:text"},
    {"SearchResult",
     "hits:SearchHit* facets:SearchFacets total:int total_is_exact:flag "
     "total_is_at_most:flag "
     "next_cursor:cursor? ignored:SearchIgnored*"},
    {"Suggestions", "suggestions:text*"},
    {"Prompts", "prompts:Prompt* " LIST},
    {"PromptPut", "id:int"},
    {"Reply", "command:text args:text line:int status:text kind:text id:int? "
              "truncated:flag skipped:int encoding:utf-8/base64 body:text "
              "part?:Part"},
    {"Part", "mime:text media_type:text encoding:base64/ content:text"},
    {"Written", "path:text size:int artifact_id:int? encoding:utf-8/base64 "
                "content:text"},
    {"Replies", "replies:Reply* text:text files:Written*"},
    {"FoundAgent", "agent:text title:text sessions:int bytes:int newest:time "
                   "imported:int"},
    {"Found", "agents:FoundAgent*"},
    {"ImportReport", "path:text line:int byte:int message:text"},
    {"Import",
     "running:flag watching:flag agents:text* done:int total:int found:int "
     "imported:int unchanged:int problems:int bytes:int secrets:int "
     "reports:ImportReport* error:text? started_at:time? "
     "ended_at:time?"},
    {"ImportedFile",
     "agent:text source:text session:text main:flag title:text? cwd:text? "
     "entries:int bytes:int problems:int modified_at:time imported_at:time"},
    {"SecretPlace", "at:int length:int kind:text"},
    {"Secrets", "secrets:SecretPlace*"},
    {"Ledger", "files:ImportedFile* next_cursor:cursor?"},
    {"Usage",
     "tenant_id:int name:text bytes_used:int artifacts:int quotas:Quotas"},
    {"Quotas", "file:int session:int tenant:int"},

    {"RpcError", "code:int message:text data?:any"},
    {"RpcMessage", "jsonrpc:2.0/ id?:any method?:text params?:any result?:any "
                   "error?:RpcError"},
    {"RpcRefused", "RpcMessage|Error"},
};

#define INT64 "\"format\":\"int64\""

/* What each word is called in JSON Schema, and what else is to be said. */
static const struct word {
    const char *word, *type, *more;
} words[] = {
    {"int", "integer", INT64},
    {"count", "integer", INT64 ",\"minimum\":0"},
    {"id", "integer", INT64 ",\"minimum\":1"},
    {"time", "integer", INT64 ",\"description\":\"seconds since 1970\""},
    {"number", "number", NULL},
    {"flag", "boolean", NULL},
    {"text", "string", NULL},
    {"when", "string", "\"format\":\"date-time\""},
    {"sha256", "string", "\"pattern\":\"^[0-9a-f]{64}$\""},
    {"session", "string",
     "\"pattern\":\"^([1-9][0-9]{0,17}|[0-9A-Za-z_-]{8,128})$\""},
    {"cursor", "string",
     "\"description\":\"send it as cursor to go on; null: that was all\""},
    {"object", "object", NULL},
    {"any", NULL, NULL},
};

/* ---- types -------------------------------------------------------------- */

static bool ends(quire_bytes *type, char mark)
{
    const char *t = type->data;

    if (type->len == 0 || t[type->len - 1] != mark)
        return false;
    type->len--;
    return true;
}

static void put_name(struct json_writer *w, const char *name, bool null)
{
    json_key(w, "type");
    if (null)
        json_array(w);
    json_str(w, name);
    if (null) {
        json_str(w, "null");
        json_array_end(w);
    }
}

static void put_ref(struct json_writer *w, quire_bytes name)
{
    char ref[96];

    snprintf(ref, sizeof ref, "#/components/schemas/%.*s", (int)name.len,
             (const char *)name.data);
    json_put_str(w, "$ref", ref);
}

static void put_choice(struct json_writer *w, quire_bytes type)
{
    const char *at = type.data, *end = at + type.len, *slash;

    put_name(w, "string", false);
    json_key(w, "enum");
    json_array(w);
    for (; at < end; at = slash + 1) {
        slash = memchr(at, '/', (size_t)(end - at));
        slash = slash ? slash : end;
        json_bytes(w, bytes_of(at, (size_t)(slash - at)));
    }
    json_array_end(w);
}

static void put_word(struct json_writer *w, quire_bytes type, bool null)
{
    const struct word *word = words;

    while (!bytes_is(type, word->word))
        word++;
    if (word->type)
        put_name(w, word->type, null);
    if (word->more)
        json_raw(w, bytes_str(word->more));
}

void schema_begin(struct json_writer *w, quire_bytes type)
{
    bool null = ends(&type, '?'), array = ends(&type, '*');

    json_object(w);
    if (array) {
        put_name(w, "array", null);
        json_key(w, "items");
        schema_begin(w, type);
        json_object_end(w);
    } else if (isupper(*(const unsigned char *)type.data)) {
        put_ref(w, type);
    } else if (memchr(type.data, '/', type.len)) {
        put_choice(w, type);
    } else {
        put_word(w, type, null);
    }
}

/* ---- schemas ------------------------------------------------------------ */

/* One "name:type". */
struct member {
    quire_bytes name, type;
    bool optional, others;
};

static bool next_member(const char **at, struct member *m)
{
    const char *from = *at + strspn(*at, " "), *end = strchrnul(from, ' ');
    const char *colon = memchr(from, ':', (size_t)(end - from));

    *at = end;
    if (from == end)
        return false;
    m->others = !colon;
    colon = colon ? colon : end;
    m->name = bytes_of(from, (size_t)(colon - from));
    m->type = m->others ? m->name
                        : bytes_of(colon + 1, (size_t)(end - colon - 1));
    m->optional = ends(&m->name, '?');
    return true;
}

static void put_object(struct json_writer *w, const char *members)
{
    const char *at = members;
    struct member m;
    bool others = false;
    char name[64];

    json_object(w);
    put_name(w, "object", false);
    json_key(w, "properties");
    json_object(w);
    while (next_member(&at, &m)) {
        others |= m.others;
        if (m.others)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)m.name.len,
                 (const char *)m.name.data);
        json_key(w, name);
        schema_begin(w, m.type);
        json_object_end(w);
    }
    json_object_end(w);
    json_key(w, "required");
    json_array(w);
    for (at = members; next_member(&at, &m);)
        if (!m.optional && !m.others)
            json_bytes(w, m.name);
    json_array_end(w);
    if (others) {
        json_put_bool(w, "additionalProperties", true);
    }
    json_object_end(w);
}

/* "A|B" */
static void put_either(struct json_writer *w, const char *names)
{
    json_object(w);
    json_key(w, "anyOf");
    json_array(w);
    while (*names) {
        size_t len = strcspn(names, "|");

        schema_begin(w, bytes_of(names, len));
        json_object_end(w);
        names += len + (names[len] == '|');
    }
    json_array_end(w);
    json_object_end(w);
}

void schema_write_all(struct json_writer *w)
{
    bool either;
    size_t i;

    json_object(w);
    for (i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        either = strchr(schemas[i].members, '|');
        json_key(w, schemas[i].name);
        (either ? put_either : put_object)(w, schemas[i].members);
    }
    /* The tool describes itself. */
    json_put_raw(w, "WorkspaceRequest",
                 json_get(bytes_str(quire_workspace_schema()), "inputSchema"));
    json_object_end(w);
}

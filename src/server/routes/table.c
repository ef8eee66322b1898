/* table.c - all operations; see route.h */
#include "server/routes/handlers.h"

#include "server/openapi/schema.h"

#define QUERY FIELD_QUERY

/* name, kind, flags, prose; then members by name: FIELD(..., .max = 200) */
/* clang-format off */
#define FIELD(n, k, f, ...) {.name = (n), .kind = (k), .flags = (f), .prose = __VA_ARGS__}
#define END {.name = NULL}
/* clang-format on */

#define LIMIT(default_to, at_most)                      \
    FIELD("limit", FIELD_NUMBER, QUERY, "rows at most", \
          .otherwise = (default_to), .max = (at_most))
#define CURSOR \
    FIELD("cursor", FIELD_TEXT, QUERY, "next_cursor of the previous page")

static const struct field tenant_new[] = {
    FIELD("name", FIELD_TEXT, FIELD_NEEDED, "name of the tenant"),
    END,
};

static const struct field tenant_change[] = {
    FIELD("disabled", FIELD_FLAG, FIELD_NEEDED, "true: its token is refused"),
    END,
};

static const struct field tenant_end[] = {
    FIELD("all", FIELD_FLAG, QUERY, "remove it with its data"),
    END,
};

static const struct field audit_page[] = {
    LIMIT(50, 200),
    FIELD("before_id", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "entries before this one: next_before_id"),
    END,
};

static const struct field page[] = {
    LIMIT(50, 200),
    CURSOR,
    FIELD("before_updated_at", FIELD_NUMBER, QUERY,
          "changed before, in seconds"),
    FIELD("archived", FIELD_TEXT, QUERY,
          "true: archived ones only; all: these too", .type = "false/true/all"),
    FIELD("folder_id", FIELD_NUMBER, QUERY, "in this folder; 0: in none"),
    END,
};

static const struct field folder_new[] = {
    FIELD("name", FIELD_TEXT, FIELD_NEEDED, "1 to 200 bytes, unique"),
    END,
};

static const struct field folder_change[] = {
    FIELD("name", FIELD_TEXT, 0, "another name"),
    FIELD("position", FIELD_NUMBER, 0,
          "folders are listed by it; up to 2147483647"),
    END,
};

static const struct field artifact_page[] = {
    LIMIT(200, 1000),
    CURSOR,
    FIELD("deleted", FIELD_FLAG, QUERY, "soft-deleted ones only"),
    END,
};

static const struct field conversation_new[] = {
    FIELD("title", FIELD_TEXT, 0, "its title"),
    FIELD("cwd", FIELD_TEXT, 0, "the project's directory"),
    /* Clients of arbiter send these. */
    FIELD("agent_id", FIELD_TEXT, 0,
          "1 to 64 letters, digits, _ and -; stored and returned; default "
          "index"),
    FIELD("agent", FIELD_TEXT, 0, "the same"),
    FIELD("agent_def", FIELD_OBJECT, 0,
          "definition of the agent; stored and returned"),
    END,
};

static const struct field conversation_change[] = {
    FIELD("title", FIELD_TEXT, FIELD_NULL,
          "its title; null removes it, an empty one changes nothing"),
    FIELD("archived", FIELD_FLAG, 0, "whether it is archived"),
    FIELD("folder_id", FIELD_NUMBER, FIELD_NULL, "its folder; null or 0: none"),
    END,
};

static const struct field entry_page[] = {
    LIMIT(200, 500),
    FIELD("after", FIELD_NUMBER, QUERY, "entries to skip: next_after"),
    FIELD("after_id", FIELD_TEXT, QUERY,
          "entries after this one; 0: from the first"),
    FIELD("hydrate", FIELD_FLAG, QUERY, "with the content of images"),
    END,
};

#define EXPECT                              \
    FIELD("expect", FIELD_TEXT, FIELD_NULL, \
          "the leaf must be this entry; root or null: the session is empty")
#define OP                     \
    FIELD("op", FIELD_TEXT, 0, \
          "a name of this append, applied once; 409 if it was another one")

static const struct field entry_new[] = {
    FIELD("entry", FIELD_OBJECT, FIELD_NEEDED, "an object with a type"),
    FIELD("at", FIELD_TEXT, 0, "the parent's id, or root; else the leaf"),
    EXPECT,
    OP,
    END,
};

static const struct field message_new[] = {
    FIELD("message", FIELD_ANY, FIELD_NEEDED,
          "a text, an array of blocks, or an object with role and content"),
    FIELD(
        "role", FIELD_TEXT, 0, "role of the author; default user",
        .type =
            "user/assistant/toolResult/developer/custom/hookMessage/bashExecution/pythonExecution/tool/system/fileMention"),
    FIELD("at", FIELD_TEXT, 0, "the parent's id, or root; else the leaf"),
    EXPECT,
    OP,
    END,
};

static const struct field context_of[] = {
    FIELD("leaf", FIELD_TEXT, QUERY,
          "ends at this entry; null: empty; default: the current leaf"),
    END,
};

static const struct field artifact_new[] = {
    FIELD("path", FIELD_TEXT, FIELD_NEEDED, "its name, like notes/today.md"),
    FIELD("content", FIELD_TEXT, FIELD_NEEDED | FIELD_BYTES,
          "the whole content"),
    FIELD("encoding", FIELD_TEXT, 0, "of content: text or base64",
          .type = "text/base64"),
    FIELD("mime_type", FIELD_TEXT, 0,
          "its media type; by name and content if empty"),
    FIELD("purpose", FIELD_TEXT, 0, "what it is for"),
    FIELD("source_agent_id", FIELD_TEXT, 0, "the agent that wrote it"),
    FIELD("tags", FIELD_TEXTS, 0, "words to find it by"),
    END,
};

static const struct field version_of[] = {
    FIELD("version", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "an older version; default: the current"),
    END,
};

static const struct field artifact_end[] = {
    FIELD("purge", FIELD_FLAG, QUERY, "remove it for good, with its versions"),
    END,
};

static const struct field search_for[] = {
    FIELD("q", FIELD_TEXT, QUERY | FIELD_NEEDED, "words to search for"),
    FIELD("tag", FIELD_TEXT, QUERY, "with this tag"),
    FIELD("mime", FIELD_TEXT, QUERY, "with a media type that begins so"),
    LIMIT(20, 200),
    END,
};

static const struct field fork_to[] = {
    FIELD("cwd", FIELD_TEXT, 0, "directory of the copy; default: the same"),
    END,
};

static const struct field move_to[] = {
    FIELD("cwd", FIELD_TEXT, FIELD_NEEDED, "the directory of another project"),
    END,
};

static const struct field restore_of[] = {
    FIELD("path", FIELD_TEXT, FIELD_NEEDED, "path of the artifact"),
    END,
};

static const struct field output_new[] = {
    FIELD("tool", FIELD_TEXT, QUERY, "name of the tool"),
    FIELD("threshold", FIELD_NUMBER, QUERY,
          "bytes to return; a longer output is stored", .otherwise = 51200,
          .max = 1024 * 1024),
    FIELD("head", FIELD_NUMBER, QUERY, "of these, bytes from the beginning",
          .otherwise = 0, .max = 1024 * 1024),
    FIELD("columns", FIELD_NUMBER, QUERY, "bytes of a line; 0: all"),
    FIELD("agent", FIELD_TEXT, QUERY,
          "store it as the report of this sub-agent"),
    FIELD("parent", FIELD_TEXT, QUERY, "id of the parent report"),
    END,
};

static const struct field output_lines[] = {
    FIELD("offset", FIELD_NUMBER, QUERY, "from this line on, counting from 1"),
    FIELD("grep", FIELD_TEXT, QUERY, "lines that match this expression"),
    FIELD("ignore_case", FIELD_FLAG, QUERY, "for grep"),
    FIELD("limit", FIELD_NUMBER, QUERY, "first lines of these; 0: all"),
    FIELD("tail", FIELD_NUMBER, QUERY, "last lines of these; 0: all"),
    END,
};

#define AS_OF \
    FIELD("as_of", FIELD_NUMBER, QUERY, "valid at this time, in seconds")

static const struct field memory_page[] = {
    FIELD("type", FIELD_TEXT, QUERY, "of these types, like project,user",
          .type = MEMORY_TYPES "*"),
    FIELD("tag", FIELD_TEXT, QUERY, "with this tag"),
    FIELD("q", FIELD_TEXT, QUERY,
          "words to search for; type and tag then rank instead of filter"),
    FIELD("conversation_id", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "pinned to this conversation, or to none"),
    FIELD("since", FIELD_NUMBER, QUERY, "changed then or later, in seconds"),
    FIELD("before", FIELD_NUMBER, QUERY, "changed before, in seconds"),
    FIELD("before_updated_at", FIELD_NUMBER, QUERY, "the same as before"),
    AS_OF,
    FIELD("intent", FIELD_TEXT, QUERY,
          "off: do not infer a type from the query",
          .type = "on/off/true/false/auto/1/0"),
    FIELD("decay", FIELD_TEXT, QUERY, "off: ignore age in a search",
          .type = "on/off/true/false/auto/1/0"),
    FIELD("graduated", FIELD_TEXT, QUERY,
          "ignored: with conversation_id its own entries always come first"),
    LIMIT(50, 200),
    CURSOR,
    END,
};

#define MEMORY_TEXTS                                                           \
    FIELD("content", FIELD_TEXT, FIELD_BYTES, "the text of the entry"),        \
        FIELD("source", FIELD_TEXT, FIELD_BYTES, "where the fact comes from"), \
        FIELD("tags", FIELD_TEXTS, FIELD_BYTES, "words to find it by")

static const struct field memory_new[] = {
    FIELD("type", FIELD_TEXT, FIELD_NEEDED,
          "user, feedback, project, reference, learning or context",
          .type = MEMORY_TYPES),
    FIELD("title", FIELD_TEXT, FIELD_NEEDED | FIELD_BYTES,
          "the fact in a line"),
    MEMORY_TEXTS,
    FIELD("artifact_id", FIELD_NUMBER, 0, "an artifact that it links"),
    FIELD("conversation_id", FIELD_NUMBER, FIELD_FROM_1,
          "a conversation it is pinned to"),
    FIELD("supersedes_ids", FIELD_NUMBERS, 0, "entries that it invalidates"),
    FIELD("created_at", FIELD_NUMBER, 0, "valid since; default: now"),
    END,
};

static const struct field memory_change[] = {
    FIELD("type", FIELD_TEXT, 0, "another type", .type = MEMORY_TYPES),
    FIELD("title", FIELD_TEXT, FIELD_BYTES, "another title"),
    MEMORY_TEXTS,
    FIELD("artifact_id", FIELD_NUMBER, FIELD_NULL,
          "linked artifact; null or 0: none"),
    END,
};

static const struct field memory_of[] = {
    AS_OF,
    END,
};

static const struct field memory_end[] = {
    FIELD("when", FIELD_NUMBER, 0, "invalid since; default: now"),
    END,
};

static const struct field relation_page[] = {
    FIELD("source_id", FIELD_NUMBER, QUERY | FIELD_FROM_1, "from this entry"),
    FIELD("target_id", FIELD_NUMBER, QUERY | FIELD_FROM_1, "to this entry"),
    FIELD("relation", FIELD_TEXT, QUERY, "of this kind", .type = RELATIONS),
    LIMIT(200, 1000),
    CURSOR,
    END,
};

static const struct field relation_new[] = {
    FIELD("source_id", FIELD_NUMBER, FIELD_NEEDED | FIELD_FROM_1,
          "the entry it leads from"),
    FIELD("target_id", FIELD_NUMBER, FIELD_NEEDED | FIELD_FROM_1,
          "the entry it leads to"),
    FIELD("relation", FIELD_TEXT, FIELD_NEEDED,
          "relates_to, refines, contradicts, supersedes or supports",
          .type = RELATIONS),
    END,
};

static const struct field graph_of[] = {
    FIELD("type", FIELD_TEXT, QUERY, "of these types, like project,user",
          .type = MEMORY_TYPES "*"),
    FIELD("around", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "neighbours of this entry; default: all entries"),
    FIELD("depth", FIELD_NUMBER, QUERY, "distance from it; default 1"),
    FIELD("limit", FIELD_NUMBER, QUERY, "entries at most; default: all"),
    END,
};

static const struct field search_all[] = {
    FIELD("q", FIELD_TEXT, QUERY | FIELD_NEEDED,
          "words and filters, like deploy kind:message"),
    FIELD("kind", FIELD_TEXT, QUERY, "of these kinds, like message,output",
          .type = SEARCH_KINDS "*"),
    FIELD("role", FIELD_TEXT, QUERY, "of these roles, like user,assistant",
          .type = SEARCH_ROLES "*"),
    FIELD("tool", FIELD_TEXT, QUERY, "inputs and results of these tools",
          .type = "text*"),
    FIELD("project", FIELD_TEXT, QUERY,
          "in this directory or below it; its last parts are enough"),
    FIELD("session", FIELD_TEXT, QUERY,
          "in this session, by number, id or prefix of the id"),
    FIELD("agent", FIELD_TEXT, QUERY, "in sessions of this agent"),
    FIELD("since", FIELD_TEXT, QUERY,
          "from this time on: seconds since 1970, 2026-02-16, 7d, yesterday"),
    FIELD("until", FIELD_TEXT, QUERY, "before this time"),
    FIELD("sort", FIELD_TEXT, QUERY, "order of the hits; default rank",
          .type = "rank/newest/oldest"),
    FIELD("limit", FIELD_NUMBER, QUERY,
          "sessions at most, up to three hits of each; hits with flat",
          .otherwise = 20, .max = 1000),
    CURSOR,
    FIELD("regex", FIELD_FLAG, QUERY, "q is a regular expression of PCRE2"),
    FIELD("flat", FIELD_FLAG, QUERY, "every hit, not three of each session"),
    FIELD("versions", FIELD_FLAG, QUERY, "older versions of artifacts, too"),
    FIELD("facets", FIELD_FLAG, QUERY,
          "count all hits by kind, role, tool and model"),
    END,
};

static const struct field suggest_for[] = {
    FIELD("q", FIELD_TEXT, QUERY | FIELD_NEEDED, "the beginning of a word"),
    LIMIT(10, 100),
    END,
};

static const struct field prompt_page[] = {
    FIELD("q", FIELD_TEXT, QUERY, "with all of these words"),
    FIELD("cwd", FIELD_TEXT, QUERY, "typed in this directory"),
    LIMIT(100, 1000),
    END,
};

static const struct field prompt_new[] = {
    FIELD("prompt", FIELD_TEXT, FIELD_NEEDED, "the prompt"),
    FIELD("cwd", FIELD_TEXT, 0, "its directory"),
    FIELD("conversation_id", FIELD_NUMBER, FIELD_FROM_1, "its conversation"),
    END,
};

static const struct field slash_text[] = {
    FIELD("text", FIELD_TEXT, FIELD_NEEDED | FIELD_BYTES,
          "the text of the agent"),
    FIELD("conversation_id", FIELD_NUMBER, FIELD_FROM_1,
          "conversation of the artifacts; default: none"),
    FIELD("agent", FIELD_TEXT, 0,
          "name of the agent: 1 to 64 letters, digits, _ and -"),
    FIELD("allow", FIELD_TEXTS, 0, "allowed commands; default: all"),
    FIELD("style", FIELD_TEXT, 0,
          "wording of the replies: document (default) or arbiter",
          .type = "document/arbiter"),
    END,
};

static const struct field listen_to[] = {
    FIELD("conversation", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "events of this conversation"),
    FIELD("types", FIELD_TEXT, QUERY,
          "events of these types, like artifact,memory.added", .type = "text*"),
    FIELD("last_event_id", FIELD_TEXT, QUERY,
          "events after this id; same as the header Last-Event-ID"),
    END,
};

const struct path_param path_params[] = {
    {"id", "id", PARAM_NUMBER, "number of at least 1"},
    {"aid", "aid", PARAM_NUMBER, "number of the artifact"},
    {"sha256", "sha256", PARAM_SHA256, "the digest"},
    {"path", "path", PARAM_TEXT,
     "like notes/today.md; slashes stay as they are"},
    {"name", "name", PARAM_TEXT, "3 is the output of a tool, 0-Scout a report"},
    {"agent", "agent", PARAM_TEXT, "the name of an agent"},
    {"session", "id", PARAM_SESSION,
     "number of the session, its id, or at least 8 characters that only its id "
     "begins with"},
    {"target", "session", PARAM_TEXT,
     "session id, conversation number, temp or user"},
    {NULL, NULL, PARAM_TEXT, NULL},
};

/* name, method, pattern, prose, flags, fields, status, answer, handler; then
 * members by name */
/* clang-format off */
#define ROUTE(n, m, p, about, f, fs, st, an, ...) \
    {.name = (n), .method = (m), .pattern = (p), .prose = (about), .flags = (f), \
     .fields = (fs), .status = (st), .answer = (an), .run = __VA_ARGS__}
/* clang-format on */

const struct route routes[] = {
    ROUTE("health", "GET", "/healthz", "whether the server runs",
          ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Status", route_health),
    /* By the addresses of arbiter. */
    ROUTE("v1.health", "GET", "/v1/health", "the same as /healthz",
          ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Status", route_health),
    ROUTE("v1.metrics", "GET", "/v1/metrics", "the same as /metrics",
          ROUTE_ADMIN | ROUTE_LOCAL | ROUTE_INLINE | ROUTE_RAW_ANSWER, NULL,
          200, "Bytes", route_metrics),
    ROUTE("ready", "GET", "/readyz", "whether the server is ready",
          ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Status", route_ready),
    ROUTE("version", "GET", "/version", "version of the server",
          ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Version", route_version),
    ROUTE("openapi", "GET", "/openapi.json", "this description",
          ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Description", route_openapi),

    ROUTE("metrics", "GET", "/metrics",
          "metrics for Prometheus; no token needed from this machine",
          ROUTE_ADMIN | ROUTE_LOCAL | ROUTE_INLINE | ROUTE_RAW_ANSWER, NULL,
          200, "Bytes", route_metrics),
    ROUTE("root", "GET", "/", "what this server is, as a page for people",
          ROUTE_PUBLIC | ROUTE_INLINE | ROUTE_RAW_ANSWER | ROUTE_HTML, NULL,
          200, "Html", route_root),

    ROUTE("tenants.list", "GET", "/v1/admin/tenants", "all tenants",
          ROUTE_ADMIN, NULL, 200, "Tenants", route_tenants_list),
    ROUTE("tenants.add", "POST", "/v1/admin/tenants",
          "add a tenant; its token is returned only here",
          ROUTE_ADMIN | ROUTE_WRITE | ROUTE_SECRET, tenant_new, 201, "Tenant",
          route_tenants_add),
    ROUTE("tenants.get", "GET", "/v1/admin/tenants/:id", "one tenant",
          ROUTE_ADMIN, NULL, 200, "Tenant", route_tenants_get),
    ROUTE("tenants.patch", "PATCH", "/v1/admin/tenants/:id",
          "disable or enable a tenant", ROUTE_ADMIN | ROUTE_WRITE,
          tenant_change, 200, "Tenant", route_tenants_patch),
    ROUTE("tenants.rotate", "POST", "/v1/admin/tenants/:id/rotate-token",
          "replace the token of a tenant",
          ROUTE_ADMIN | ROUTE_WRITE | ROUTE_SECRET, NULL, 200, "Tenant",
          route_tenants_rotate),
    ROUTE("tenants.remove", "DELETE", "/v1/admin/tenants/:id",
          "remove a tenant with its data", ROUTE_ADMIN | ROUTE_WRITE,
          tenant_end, 200, "Deleted", route_tenants_remove),

    ROUTE("audit", "GET", "/v1/admin/audit",
          "changes of tenants and settings, the last first", ROUTE_ADMIN,
          audit_page, 200, "Audit", route_audit),

    ROUTE("folders.list", "GET", "/v1/conversation-folders",
          "folders of conversations, by position and name", 0, NULL, 200,
          "Folders", route_folders_list),
    ROUTE("folders.add", "POST", "/v1/conversation-folders", "add a folder",
          ROUTE_WRITES(EVENT_FOLDER_ADDED), folder_new, 201, "Folder",
          route_folders_add),
    ROUTE("folders.patch", "PATCH", "/v1/conversation-folders/:id",
          "rename a folder, or place it", ROUTE_WRITES(EVENT_FOLDER_CHANGED),
          folder_change, 200, "Folder", route_folders_patch),
    ROUTE("folders.remove", "DELETE", "/v1/conversation-folders/:id",
          "remove a folder; the conversations in it stay",
          ROUTE_WRITES(EVENT_FOLDER_REMOVED), NULL, 200, "Deleted",
          route_folders_remove),

    ROUTE("conversations.list", "GET", ROUTE_SESSIONS,
          "conversations, the last changed first", 0, page, 200,
          "Conversations|Sessions", route_conversations_list),
    ROUTE("conversations.add", "POST", ROUTE_SESSIONS, "create a conversation",
          ROUTE_WRITES(EVENT_CONVERSATION_CREATED), conversation_new, 201,
          "Conversation", route_conversations_add),
    ROUTE("conversations.get", "GET", ROUTE_SESSION, "one conversation", 0,
          NULL, 200, "Conversation", route_conversations_get),
    ROUTE("conversations.patch", "PATCH", ROUTE_SESSION,
          "change title, folder or archived",
          ROUTE_WRITES(EVENT_CONVERSATION_CHANGED), conversation_change, 200,
          "Conversation", route_conversations_patch),
    ROUTE("conversations.remove", "DELETE", ROUTE_SESSION,
          "remove a conversation with its artifacts",
          ROUTE_WRITES(EVENT_CONVERSATION_REMOVED), NULL, 200, "Deleted",
          route_conversations_remove),
    ROUTE("conversations.fork", "POST", ROUTE_SESSION "/fork",
          "another conversation with the same entries and outputs",
          ROUTE_WRITES(EVENT_CONVERSATION_CREATED), fork_to, 201,
          "Conversation", route_conversations_fork),
    ROUTE("conversations.move", "POST", ROUTE_SESSION "/move",
          "move it to the directory of another project",
          ROUTE_WRITES(EVENT_CONVERSATION_CHANGED), move_to, 200,
          "Conversation", route_conversations_move),
    ROUTE("entries.list", "GET", ROUTE_SESSION "/entries",
          "its entries, in the order of the file", 0, entry_page, 200,
          "Entries", route_entries_list),
    ROUTE("entries.add", "POST", ROUTE_SESSION "/entries",
          "append an entry; 200 if `op` was applied before",
          ROUTE_WRITES(EVENT_ENTRY_APPENDED) | ROUTE_BIG_JSON |
              ROUTE_REPLAY_200,
          entry_new, 201, "Appended", route_entries_add),
    ROUTE("messages.list", "GET", ROUTE_SESSION "/messages",
          "its messages, the oldest first", 0, entry_page, 200, "Messages",
          route_messages_list),
    ROUTE("messages.add", "POST", ROUTE_SESSION "/messages",
          "append a message; 200 if `op` was applied before",
          ROUTE_WRITES(EVENT_ENTRY_APPENDED) | ROUTE_BIG_JSON |
              ROUTE_REPLAY_200,
          message_new, 201, "Appended", route_messages_add),
    ROUTE("context", "GET", ROUTE_SESSION "/context", "messages for a model", 0,
          context_of, 200, "Context", route_context),
    ROUTE("tree", "GET", ROUTE_SESSION "/tree", "its entries as a tree", 0,
          NULL, 200, "Tree", route_tree),
    ROUTE("workspace", "POST", ROUTE_SESSION "/workspace",
          "a request of the tool workspace",
          ROUTE_WRITES(EVENT_OWN) | ROUTE_RAW | ROUTE_BIG_JSON, NULL, 200,
          "WorkspaceAnswer", route_workspace, .body = "WorkspaceRequest"),

    ROUTE("artifacts.list", "GET", ROUTE_SESSION "/artifacts",
          "artifacts of a conversation, the last changed first",
          ROUTE_CACHEABLE, artifact_page, 200, "Artifacts",
          route_artifacts_list),
    ROUTE("artifacts.add", "POST", ROUTE_SESSION "/artifacts",
          "put an artifact; 200 if it existed",
          ROUTE_WRITES(EVENT_ARTIFACT_WRITTEN) | ROUTE_GROUP |
              ROUTE_REPLAY_200 | ROUTE_BIG_JSON,
          artifact_new, 201, "ArtifactPut", route_artifacts_add,
          .headers = HEADER_MATCH | HEADER_ETAG),
    ROUTE("artifacts.restore", "POST", ROUTE_SESSION "/artifacts/restore",
          "restore a soft-deleted artifact",
          ROUTE_WRITES(EVENT_ARTIFACT_WRITTEN), restore_of, 200, "Artifact",
          route_artifacts_restore),
    ROUTE("artifacts.of", "GET", ROUTE_SESSION "/artifacts/:aid",
          "one artifact", ROUTE_CACHEABLE, version_of, 200, "Artifact",
          route_artifacts_get),
    ROUTE("artifacts.of.raw", "GET", ROUTE_SESSION "/artifacts/:aid/raw",
          "its content", ROUTE_RAW_ANSWER | ROUTE_RANGES | ROUTE_CACHEABLE,
          version_of, 200, "Bytes", route_artifacts_raw),
    ROUTE("artifacts.of.versions", "GET",
          ROUTE_SESSION "/artifacts/:aid/versions", "its versions",
          ROUTE_CACHEABLE, NULL, 200, "ArtifactVersions",
          route_artifacts_versions),
    ROUTE("artifacts.of.remove", "DELETE", ROUTE_SESSION "/artifacts/:aid",
          "soft-delete or purge an artifact",
          ROUTE_WRITES(EVENT_ARTIFACT_REMOVED), artifact_end, 200, "Deleted",
          route_artifacts_remove, .headers = HEADER_MATCH),
    ROUTE("files.put", "PUT", ROUTE_SESSION "/files/*path",
          "store bytes under a path",
          ROUTE_WRITES(EVENT_ARTIFACT_WRITTEN) | ROUTE_GROUP | ROUTE_RAW |
              ROUTE_LARGE | ROUTE_FILE | ROUTE_REPLAY_200,
          NULL, 201, "ArtifactPut", route_files_put,
          .headers = HEADER_MATCH | HEADER_ETAG),
    ROUTE("files.get", "GET", ROUTE_SESSION "/files/*path",
          "the content of a path",
          ROUTE_RAW_ANSWER | ROUTE_RANGES | ROUTE_CACHEABLE, version_of, 200,
          "Bytes", route_files_get),
    ROUTE("files.remove", "DELETE", ROUTE_SESSION "/files/*path",
          "soft-delete or purge the file of a path",
          ROUTE_WRITES(EVENT_ARTIFACT_REMOVED), artifact_end, 200, "Deleted",
          route_files_remove, .headers = HEADER_MATCH),

    ROUTE("outputs.list", "GET", ROUTE_SESSION "/outputs",
          "outputs of tools and reports of sub-agents", 0, NULL, 200, "Outputs",
          route_outputs_list),
    ROUTE(
        "outputs.add", "POST", ROUTE_SESSION "/outputs",
        "store a long output and return a short form; 200 if nothing is stored",
        ROUTE_WRITES(EVENT_OUTPUT_ADDED) | ROUTE_RAW | ROUTE_LARGE |
            ROUTE_REPLAY_200,
        output_new, 201, "OutputPut", route_outputs_add,
        .again = "short: returned whole, nothing is stored"),
    ROUTE("outputs.get", "GET", ROUTE_SESSION "/outputs/:name",
          "lines of an output: 3 of a tool, 0-Scout of a sub-agent",
          ROUTE_RAW_ANSWER, output_lines, 200, "Bytes", route_outputs_get),

    ROUTE("artifacts.all", "GET", "/v1/artifacts",
          "artifacts of all conversations, the last changed first",
          ROUTE_CACHEABLE, artifact_page, 200, "Artifacts",
          route_artifacts_all),
    ROUTE("artifacts.search", "GET", "/v1/artifacts/search", "search artifacts",
          ROUTE_CACHEABLE, search_for, 200, "ArtifactHits",
          route_artifacts_search),
    ROUTE("artifacts.get", "GET", "/v1/artifacts/:aid", "one artifact",
          ROUTE_CACHEABLE, version_of, 200, "Artifact", route_artifacts_get),
    ROUTE("artifacts.raw", "GET", "/v1/artifacts/:aid/raw", "its content",
          ROUTE_RAW_ANSWER | ROUTE_RANGES | ROUTE_CACHEABLE, version_of, 200,
          "Bytes", route_artifacts_raw),
    ROUTE("artifacts.remove", "DELETE", "/v1/artifacts/:aid",
          "soft-delete or purge an artifact",
          ROUTE_WRITES(EVENT_ARTIFACT_REMOVED), artifact_end, 200, "Deleted",
          route_artifacts_remove, .headers = HEADER_MATCH),

    ROUTE("memory.list", "GET", "/v1/memory/entries",
          "memory entries, the last changed first; with q the best first", 0,
          memory_page, 200, "Memories", route_memory_list),
    ROUTE("memory.add", "POST", "/v1/memory/entries", "add an entry",
          ROUTE_WRITES(EVENT_MEMORY_ADDED) | ROUTE_GROUP, memory_new, 201,
          "Memory", route_memory_add),
    ROUTE("memory.get", "GET", "/v1/memory/entries/:id", "one entry", 0,
          memory_of, 200, "Memory", route_memory_get),
    ROUTE("memory.patch", "PATCH", "/v1/memory/entries/:id", "change an entry",
          ROUTE_WRITES(EVENT_MEMORY_CHANGED) | ROUTE_GROUP, memory_change, 200,
          "Memory", route_memory_patch),
    ROUTE("memory.remove", "DELETE", "/v1/memory/entries/:id",
          "remove an entry with its relations",
          ROUTE_WRITES(EVENT_MEMORY_REMOVED) | ROUTE_GROUP, NULL, 200,
          "Deleted", route_memory_remove),
    ROUTE("memory.invalidate", "POST", "/v1/memory/entries/:id/invalidate",
          "end the validity of an entry",
          ROUTE_WRITES(EVENT_MEMORY_CHANGED) | ROUTE_GROUP, memory_end, 200,
          "Invalidated", route_memory_invalidate),
    ROUTE("relations.list", "GET", "/v1/memory/relations",
          "relations between entries, the newest first", 0, relation_page, 200,
          "Relations", route_relations_list),
    ROUTE("relations.add", "POST", "/v1/memory/relations",
          "relate two entries; 409 with existing_id if they are related",
          ROUTE_WRITES(EVENT_RELATION_ADDED) | ROUTE_GROUP, relation_new, 201,
          "Relation", route_relations_add, .refusals = {{409, "Existing"}}),
    ROUTE("relations.remove", "DELETE", "/v1/memory/relations/:id",
          "remove a relation",
          ROUTE_WRITES(EVENT_RELATION_REMOVED) | ROUTE_GROUP, NULL, 200,
          "Deleted", route_relations_remove),
    ROUTE("graph", "GET", "/v1/memory/graph",
          "entries, and the relations between them", 0, graph_of, 200, "Graph",
          route_graph),
    ROUTE("pads.list", "GET", "/v1/memory", "all scratchpads", 0, NULL, 200,
          "Pads", route_scratchpads_list),
    /* Fixed words before the name of an agent. */
    ROUTE("pads.shared", "GET", "/v1/memory/shared",
          "the scratchpad that all agents share", 0, NULL, 200, "Pad",
          route_scratchpads_shared),
    ROUTE("pads.get", "GET", "/v1/memory/:agent", "the scratchpad of an agent",
          0, NULL, 200, "Pad", route_scratchpads_get),

    /* Sessions and outputs are files: not ROUTE_CACHEABLE. */
    ROUTE("search", "GET", "/v1/search",
          "search sessions, outputs, artifacts, memory and history", 0,
          search_all, 200, "SearchResult", route_search),
    ROUTE("search.suggest", "GET", "/v1/search/suggest",
          "words that begin so, the most frequent first", 0, suggest_for, 200,
          "Suggestions", route_search_suggest),

    ROUTE("history.list", "GET", "/v1/history", "prompts, the newest first", 0,
          prompt_page, 200, "Prompts", route_history_list),
    ROUTE("history.add", "POST", "/v1/history", "add a prompt",
          ROUTE_WRITES(EVENT_HISTORY_ADDED) | ROUTE_BIG_JSON, prompt_new, 201,
          "PromptPut", route_history_add),
    ROUTE("slash", "POST", "/v1/slash", "run the commands in an agent's text",
          ROUTE_WRITES(EVENT_OWN) | ROUTE_BIG_JSON, slash_text, 200, "Replies",
          route_slash),
    ROUTE("events", "GET", "/v1/events", "changes, as server-sent events",
          ROUTE_RAW_ANSWER | ROUTE_INLINE, listen_to, 200, "Events",
          route_events, .headers = HEADER_EVENT_ID),
    ROUTE("usage", "GET", "/v1/usage", "usage and quotas of the tenant", 0,
          NULL, 200, "Usage", route_usage),

    ROUTE("mcp.send", "POST", "/mcp",
          "a message of MCP; about the session `temp`",
          ROUTE_RAW | ROUTE_RAW_ANSWER | ROUTE_BIG_JSON, NULL, 200,
          "RpcMessage", route_mcp_post,
          .headers = HEADER_MCP | HEADER_MCP_SESSION, .body = "RpcMessage",
          .accepted = true,
          .refusals = {{400, "RpcRefused"}, {404, "RpcRefused"}}),
    ROUTE("mcp.listen", "GET", "/mcp",
          "notifications of a client session, as server-sent events",
          ROUTE_RAW_ANSWER, NULL, 200, "Events", route_mcp_get,
          .headers = HEADER_MCP),
    ROUTE("mcp.end", "DELETE", "/mcp", "end a client session", ROUTE_RAW_ANSWER,
          NULL, 204, "Bytes", route_mcp_delete, .headers = HEADER_MCP),
    ROUTE("mcp.session.send", "POST", "/mcp/:target",
          "a message of MCP; the session is an id or a conversation's number",
          ROUTE_RAW | ROUTE_RAW_ANSWER | ROUTE_BIG_JSON, NULL, 200,
          "RpcMessage", route_mcp_post,
          .headers = HEADER_MCP | HEADER_MCP_SESSION, .body = "RpcMessage",
          .accepted = true,
          .refusals = {{400, "RpcRefused"}, {404, "RpcRefused"}}),
    ROUTE("mcp.session.listen", "GET", "/mcp/:target", "as for /mcp",
          ROUTE_RAW_ANSWER, NULL, 200, "Events", route_mcp_get,
          .headers = HEADER_MCP),
    ROUTE("mcp.session.end", "DELETE", "/mcp/:target", "as for /mcp",
          ROUTE_RAW_ANSWER, NULL, 204, "Bytes", route_mcp_delete,
          .headers = HEADER_MCP),

    ROUTE("blobs.put", "POST", "/v1/blobs", "store content under its digest",
          ROUTE_WRITES(EVENT_BLOB_ADDED) | ROUTE_GROUP | ROUTE_RAW |
              ROUTE_LARGE | ROUTE_REPLAY_200,
          NULL, 201, "Blob", route_blobs_put),
    ROUTE("blobs.get", "GET", "/v1/blobs/:sha256",
          "content by its digest or ref", ROUTE_RAW_ANSWER | ROUTE_RANGES, NULL,
          200, "Bytes", route_blobs_get),
    {.name = NULL},
};

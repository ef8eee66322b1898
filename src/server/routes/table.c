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

static const struct field token_new[] = {
    FIELD("label", FIELD_TEXT, FIELD_NEEDED, "its name, such as `laptop`"),
    FIELD("read_only", FIELD_FLAG, 0, "it may only read"),
    FIELD("local", FIELD_FLAG, 0, "it is valid only on the server's machine"),
    FIELD("expires_at", FIELD_NUMBER, 0,
          "valid until then, in seconds; default: for ever"),
    END,
};

static const struct field audit_page[] = {
    LIMIT(50, 200),
    FIELD("before_id", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "entries before this one: next_before_id"),
    END,
};

static const struct field collection[] = {
    FIELD("dry_run", FIELD_FLAG, 0, "remove nothing, report the same"),
    FIELD("yes", FIELD_FLAG, 0, "remove even more than half of the blobs"),
    FIELD("full", FIELD_FLAG, 0,
          "read every file again, and ignore the reference index"),
    END,
};

static const struct field check_of[] = {
    FIELD("depth", FIELD_TEXT, QUERY,
          "quick (default): of blobs only presence and size; usual: their "
          "content too; full: also every index and counter",
          .type = "quick/usual/full"),
    FIELD("seconds", FIELD_NUMBER, QUERY, "it ends after so many",
          .otherwise = 20, .max = 300),
    END,
};

static const struct field setting_change[] = {
    FIELD("key", FIELD_TEXT, FIELD_NEEDED, "its name, like quota.tenant"),
    FIELD("value", FIELD_TEXT, FIELD_NEEDED | FIELD_NULL,
          "its value, sizes also like 10M; null: the default"),
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
    FIELD("pinned", FIELD_FLAG, QUERY, "pinned ones only"),
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
    FIELD("pinned", FIELD_FLAG, 0, "whether it is pinned"),
    FIELD("hold_reason", FIELD_TEXT, FIELD_NULL,
          "hold it for this reason; null releases it"),
    END,
};

static const struct field conversation_end[] = {
    FIELD("trash", FIELD_FLAG, QUERY,
          "move it into the trash instead of removing it at once"),
    END,
};

static const struct field trash_end[] = {
    FIELD("older_than", FIELD_NUMBER, QUERY,
          "only what was removed at least so many seconds ago"),
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
    FIELD("any", FIELD_FLAG, 0,
          "take it without the fields that its type needs, or with a type that "
          "looks like a mistake"),
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

static const struct field heads_of[] = {
    FIELD("from", FIELD_NUMBER, QUERY,
          "from this entry on, in the order of the file, counting from 0"),
    END,
};

static const struct field path_of[] = {
    FIELD("leaf", FIELD_TEXT, QUERY,
          "of the path down to this entry; default: the current leaf"),
    END,
};

static const struct field changes_of[] = {
    FIELD("leaf", FIELD_TEXT, QUERY,
          "of the path down to this entry; default: the current leaf"),
    FIELD("from", FIELD_NUMBER, QUERY, "from this position on: next"),
    END,
};

static const struct field rails_of[] = {
    FIELD("leaf", FIELD_TEXT, QUERY, "the path to this entry is the main one"),
    FIELD("filter", FIELD_TEXT, QUERY,
          "which entries are rows besides branches and leaves: prompts and "
          "compactions, labelled ones, or all",
          .type = "user/labelled/all"),
    END,
};

static const struct field label_new[] = {
    FIELD("label", FIELD_TEXT, FIELD_NEEDED, "its label; empty: none"),
    END,
};

static const struct field leaf_new[] = {
    FIELD("to", FIELD_TEXT, FIELD_NEEDED,
          "the entry that the next append goes below; root: none"),
    END,
};

static const struct field versions_of[] = {
    FIELD("from", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "the version before; default: the one before `to`"),
    FIELD("to", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "the version after; default: the current one"),
    END,
};

static const struct field usage_of[] = {
    FIELD("by", FIELD_TEXT, QUERY,
          "what rows are for, like day,model; default: day", .type = "text*"),
    FIELD("from", FIELD_NUMBER, QUERY, "from this time on, in seconds"),
    FIELD("to", FIELD_NUMBER, QUERY, "before this time"),
    FIELD("zone", FIELD_NUMBER, QUERY,
          "minutes that the time zone of days is east of UTC", .max = 1440),
    FIELD("west", FIELD_FLAG, QUERY, "zone is west of UTC"),
    FIELD("project", FIELD_TEXT, QUERY, "sessions of this directory"),
    FIELD("agent", FIELD_TEXT, QUERY, "sessions imported from this agent"),
    FIELD("model", FIELD_TEXT, QUERY, "answers of this model"),
    END,
};

static const struct field import_new[] = {
    FIELD("agents", FIELD_TEXTS, 0, "import from these; default: from all"),
    END,
};

static const struct field ledger_page[] = {
    LIMIT(200, 1000),
    CURSOR,
    END,
};

static const struct field window_of[] = {
    FIELD("leaf", FIELD_TEXT, QUERY,
          "of the path down to this entry; default: the current leaf"),
    FIELD("at", FIELD_TEXT, QUERY, "around this entry of the path"),
    FIELD("from", FIELD_NUMBER, QUERY,
          "without at: from this position of the path on, counting from 0"),
    FIELD("before", FIELD_NUMBER, QUERY, "with at: entries before it",
          .otherwise = 20, .max = 200),
    LIMIT(60, 200),
    FIELD("cut", FIELD_NUMBER, QUERY, "cut strings after so many UTF-16 units",
          .otherwise = 4000, .max = 1000000),
    END,
};

static const struct field entry_of[] = {
    FIELD("pointer", FIELD_TEXT, QUERY,
          "only the string at this JSON pointer, like "
          "/message/content/0/text"),
    FIELD("offset", FIELD_NUMBER, QUERY,
          "with pointer: from this UTF-16 unit on"),
    FIELD("limit", FIELD_NUMBER, QUERY, "with pointer: so many units at most",
          .otherwise = 100000, .max = 10000000),
    END,
};

static const struct field export_to[] = {
    FIELD("to", FIELD_TEXT, QUERY, "an agent, or a format; default: jsonl",
          .type = "claude-code/codex/gemini/opencode/qwen/copilot/pi/omp/jp/"
                  "markdown/html/jsonl/otlp/atif"),
    FIELD("leaf", FIELD_TEXT, QUERY,
          "the path down to this entry; default: the current leaf"),
    FIELD("from", FIELD_TEXT, QUERY, "of the path, from this entry on"),
    FIELD("redact", FIELD_FLAG, QUERY,
          "replace secrets of known shapes, and the home directory by ~"),
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

static const struct field output_numbered[] = {
    FIELD("offset", FIELD_NUMBER, QUERY, "from this line on, counting from 1"),
    FIELD("grep", FIELD_TEXT, QUERY, "lines that match this expression"),
    FIELD("ignore_case", FIELD_FLAG, QUERY, "for grep"),
    FIELD("tail", FIELD_NUMBER, QUERY, "last lines of these; 0: the first"),
    LIMIT(200, 2000),
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
          "count all hits by kind, role, tool, model, project and agent"),
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

static const struct field secrets_of[] = {
    FIELD("text", FIELD_TEXT, FIELD_NEEDED | FIELD_BYTES, "the text"),
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
    {"token", "token", PARAM_NUMBER, "number of the token"},
    {"sha256", "sha256", PARAM_SHA256, "the digest"},
    {"path", "path", PARAM_TEXT,
     "like notes/today.md; slashes stay as they are"},
    {"name", "name", PARAM_TEXT, "3 is the output of a tool, 0-Scout a report"},
    {"agent", "agent", PARAM_TEXT, "the name of an agent"},
    {"entry", "entry", PARAM_TEXT, "id of an entry of the session"},
    {"image", "image", PARAM_NUMBER, "number of an image of the entry, from 1"},
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
    ROUTE("viewer", "GET", "/", "the viewer's page",
          ROUTE_PUBLIC | ROUTE_INLINE | ROUTE_RAW_ANSWER | ROUTE_HTML, NULL,
          200, "Html", route_viewer, .headers = HEADER_ETAG),
    ROUTE("viewer.asset", "GET", "/assets/*path", "a file of the viewer",
          ROUTE_PUBLIC | ROUTE_INLINE | ROUTE_RAW_ANSWER, NULL, 200, "Bytes",
          route_viewer_asset),

    ROUTE("me", "GET", "/v1/me", "whose token it is, and what it may do", 0,
          NULL, 200, "Me", route_me),
    ROUTE("stats.sessions", "GET", "/v1/stats/sessions",
          "all sessions at a glance, in columns", 0, NULL, 200, "SessionTable",
          route_stats_sessions),
    ROUTE("stats.usage", "GET", "/v1/stats/usage",
          "messages, calls, tokens and cost over time", 0, usage_of, 200,
          "UsageTable", route_stats_usage),
    ROUTE("stats.usage.csv", "GET", "/v1/stats/usage.csv",
          "the same as a table for other programs", ROUTE_RAW_ANSWER, usage_of,
          200, "Bytes", route_stats_usage_csv),
    ROUTE("stats.storage", "GET", "/v1/stats/storage",
          "what uses space; for the tenant default", 0, NULL, 200, "Storage",
          route_stats_storage),
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

    ROUTE("tokens.list", "GET", "/v1/admin/tenants/:id/tokens",
          "further tokens of a tenant", ROUTE_ADMIN, NULL, 200, "Tokens",
          route_tokens_list),
    ROUTE("tokens.add", "POST", "/v1/admin/tenants/:id/tokens",
          "add a token to a tenant; it is returned only here",
          ROUTE_ADMIN | ROUTE_WRITE | ROUTE_SECRET, token_new, 201, "Token",
          route_tokens_add),
    ROUTE("tokens.remove", "DELETE", "/v1/admin/tenants/:id/tokens/:token",
          "remove a further token", ROUTE_ADMIN | ROUTE_WRITE, NULL, 200,
          "Deleted", route_tokens_remove),

    ROUTE("audit", "GET", "/v1/admin/audit",
          "changes of tenants and settings, the last first", ROUTE_ADMIN,
          audit_page, 200, "Audit", route_audit),
    ROUTE("admin.stats", "GET", "/v1/admin/stats",
          "what the home and its tenants hold", ROUTE_ADMIN, NULL, 200,
          "Holdings", route_admin_stats),
    ROUTE("admin.gc", "POST", "/v1/admin/gc", "remove unreferenced content",
          ROUTE_ADMIN | ROUTE_WRITE, collection, 200, "Collected",
          route_admin_collect),
    ROUTE("admin.check", "GET", "/v1/admin/check",
          "verify the home; up to 1000 problems", ROUTE_ADMIN, check_of, 200,
          "Check", route_admin_check),
    ROUTE("admin.reindex", "POST", "/v1/admin/reindex",
          "rebuild derived data; writers wait meanwhile",
          ROUTE_ADMIN | ROUTE_WRITE, NULL, 200, "Rebuilt", route_admin_reindex),
    ROUTE("settings.list", "GET", "/v1/admin/settings",
          "settings of the home, quotas among them", ROUTE_ADMIN, NULL, 200,
          "Settings", route_settings_list),
    ROUTE("settings.put", "PUT", "/v1/admin/settings", "change a setting",
          ROUTE_ADMIN | ROUTE_WRITE, setting_change, 200, "Setting",
          route_settings_put),

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
          "remove a conversation with its artifacts, or move it into the trash",
          ROUTE_WRITES(EVENT_CONVERSATION_REMOVED), conversation_end, 200,
          "Deleted", route_conversations_remove),
    ROUTE("conversations.restore", "POST", ROUTE_SESSION "/restore",
          "bring a conversation back from the trash",
          ROUTE_WRITES(EVENT_CONVERSATION_CREATED), NULL, 200, "Conversation",
          route_conversations_restore),
    ROUTE("trash.list", "GET", "/v1/trash",
          "conversations in the trash, the last removed first", 0, NULL, 200,
          "Trash", route_trash_list),
    ROUTE("trash.empty", "DELETE", "/v1/trash",
          "remove what is in the trash for good", ROUTE_WRITES(EVENT_OWN),
          trash_end, 200, "Emptied", route_trash_empty),
    ROUTE("trash.remove", "DELETE", "/v1/trash/:session",
          "remove a conversation in the trash for good",
          ROUTE_WRITES(EVENT_OWN), NULL, 200, "Deleted", route_trash_remove),
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
    ROUTE("heads", "GET", ROUTE_SESSION "/heads",
          "what all entries are, without content, in columns", 0, heads_of, 200,
          "Heads", route_heads),
    ROUTE("window", "GET", ROUTE_SESSION "/window",
          "a part of a path, long strings cut, images left out", 0, window_of,
          200, "Window", route_window),
    ROUTE("entry", "GET", ROUTE_SESSION "/entries/:entry",
          "one entry, or a part of one of its strings", 0, entry_of, 200,
          "EntryOrText", route_entry),
    ROUTE("entry.image", "GET", ROUTE_SESSION "/entries/:entry/images/:image",
          "the bytes of an image", ROUTE_RAW_ANSWER, NULL, 200, "Bytes",
          route_entry_image),
    ROUTE("entry.diff", "GET", ROUTE_SESSION "/entries/:entry/diff",
          "what the calls of an entry change in files", 0, NULL, 200, "Edits",
          route_entry_diff),
    ROUTE("rails", "GET", ROUTE_SESSION "/rails",
          "the tree, ready to be drawn: rows on rails", 0, rails_of, 200,
          "Rails", route_rails),
    ROUTE("outline", "GET", ROUTE_SESSION "/outline",
          "prompts, compactions, errors, labels and branches of a path", 0,
          path_of, 200, "Outline", route_outline),
    ROUTE("turns", "GET", ROUTE_SESSION "/turns",
          "what each prompt led to: time, tokens, cost, calls", 0, path_of, 200,
          "Turns", route_turns),
    ROUTE("images", "GET", ROUTE_SESSION "/images", "all images of the session",
          0, NULL, 200, "Images", route_images),
    ROUTE("parts", "GET", ROUTE_SESSION "/parts",
          "what a model saw, by part, with estimated tokens", 0, path_of, 200,
          "Parts", route_parts),
    ROUTE("changes", "GET", ROUTE_SESSION "/changes",
          "what the calls of a path change in files", 0, changes_of, 200,
          "Changes", route_changes),
    ROUTE("label", "PUT", ROUTE_SESSION "/labels/:entry", "label an entry",
          ROUTE_WRITES(EVENT_ENTRY_APPENDED), label_new, 200, "Appended",
          route_label),
    ROUTE("leaf", "PUT", ROUTE_SESSION "/leaf", "move the leaf",
          ROUTE_WRITES(EVENT_ENTRY_APPENDED), leaf_new, 200, "Appended",
          route_leaf),
    ROUTE("context", "GET", ROUTE_SESSION "/context", "messages for a model", 0,
          context_of, 200, "Context", route_context),
    ROUTE("export", "GET", ROUTE_SESSION "/export",
          "the session for another agent, or in another format",
          ROUTE_RAW_ANSWER, export_to, 200, "Bytes", route_export),
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
    ROUTE("artifacts.of.diff", "GET", ROUTE_SESSION "/artifacts/:aid/diff",
          "what changed between two versions", ROUTE_CACHEABLE, versions_of,
          200, "VersionDiff", route_artifacts_diff),
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
    ROUTE("outputs.lines", "GET", ROUTE_SESSION "/outputs/:name/lines",
          "lines of an output as [number, text], with true if it is cut", 0,
          output_numbered, 200, "OutputLines", route_outputs_lines),

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
    ROUTE("artifacts.versions", "GET", "/v1/artifacts/:aid/versions",
          "its versions", ROUTE_CACHEABLE, NULL, 200, "ArtifactVersions",
          route_artifacts_versions),
    ROUTE("artifacts.diff", "GET", "/v1/artifacts/:aid/diff",
          "what changed between two versions", ROUTE_CACHEABLE, versions_of,
          200, "VersionDiff", route_artifacts_diff),
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
    ROUTE("import.found", "GET", "/v1/import/found",
          "sessions of other agents on the server's machine", ROUTE_HOME, NULL,
          200, "Found", route_import_found),
    ROUTE("import.start", "POST", "/v1/import",
          "import them, in the background; 409 while another import runs",
          ROUTE_HOME | ROUTE_WRITES(EVENT_OWN), import_new, 202, "Import",
          route_import_start),
    ROUTE("import.get", "GET", "/v1/import",
          "the import that runs, or the last one", ROUTE_HOME, NULL, 200,
          "Import", route_import_get),
    ROUTE("import.ledger", "GET", "/v1/import/ledger",
          "files that were imported, by path", 0, ledger_page, 200, "Ledger",
          route_import_ledger),
    ROUTE("secrets", "POST", "/v1/secrets",
          "the places of secrets in a text; nothing is stored",
          ROUTE_WRITES(EVENT_OWN) | ROUTE_READS | ROUTE_BIG_JSON, secrets_of,
          200, "Secrets", route_secrets),
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

/* table.c - all operations there are; see route.h */
#include "server/routes/handlers.h"

#define QUERY FIELD_QUERY
#define LIMIT                                            \
    {                                                    \
        "limit", FIELD_NUMBER, QUERY, "how many at most" \
    }
#define CURSOR                                                                 \
    {                                                                          \
        "cursor", FIELD_TEXT, QUERY, "next_cursor of the page before this one" \
    }
#define END \
    {       \
        0   \
    }

static const struct field tenant_new[] = {
    {"name", FIELD_TEXT, FIELD_NEEDED, "what it is called"},
    END,
};

static const struct field tenant_change[] = {
    {"disabled", FIELD_FLAG, FIELD_NEEDED, "whether it is shut out"},
    END,
};

static const struct field tenant_end[] = {
    {"all", FIELD_FLAG, QUERY, "also if it has anything"},
    END,
};

static const struct field audit_page[] = {
    LIMIT,
    {"before_id", FIELD_NUMBER, QUERY | FIELD_FROM_1,
     "those before it: next_before_id"},
    END,
};

static const struct field page[] = {
    LIMIT,
    CURSOR,
    {"before_updated_at", FIELD_NUMBER, QUERY, "changed before, in seconds"},
    {"archived", FIELD_FLAG, QUERY, "what was put away instead"},
    {"folder_id", FIELD_NUMBER, QUERY, "filed in this folder; 0: in none"},
    END,
};

static const struct field folder_new[] = {
    {"name", FIELD_TEXT, FIELD_NEEDED, "1 to 200 bytes, no other's"},
    END,
};

static const struct field artifact_page[] = {
    LIMIT,
    CURSOR,
    {"deleted", FIELD_FLAG, QUERY, "what was put away instead"},
    END,
};

static const struct field conversation_new[] = {
    {"title", FIELD_TEXT, 0, "its title"},
    {"cwd", FIELD_TEXT, 0, "the project's directory"},
    /* Clients of arbiter send these. */
    {"agent_id", FIELD_TEXT, 0,
     "1 to 64 letters, digits, _ and -; not kept: it is any agent's"},
    {"agent", FIELD_TEXT, 0, "the same"},
    {"agent_def", FIELD_ANY, 0, "the same"},
    END,
};

static const struct field conversation_change[] = {
    {"title", FIELD_TEXT, FIELD_NULL,
     "its title; null takes it away, an empty one leaves it as it was"},
    {"archived", FIELD_FLAG, 0, "whether it is put away"},
    {"folder_id", FIELD_NUMBER, FIELD_NULL,
     "the folder it is filed in; null or 0 takes it out"},
    END,
};

static const struct field entry_page[] = {
    LIMIT,
    {"after", FIELD_NUMBER, QUERY, "how many to pass over: next_after"},
    {"after_id", FIELD_TEXT, QUERY, "those behind this one; 0: from the first"},
    {"hydrate", FIELD_FLAG, QUERY, "with the content of images"},
    END,
};

#define EXPECT                                                 \
    {                                                          \
        "expect", FIELD_TEXT, FIELD_NULL,                      \
            "the leaf must be this one; root or null: no leaf" \
    }
#define OP                                                                \
    {                                                                     \
        "op", FIELD_TEXT, 0,                                              \
            "a name of this append, done once; 409 if it was another one" \
    }

static const struct field entry_new[] = {
    {"entry", FIELD_OBJECT, FIELD_NEEDED, "an object with a type"},
    {"at", FIELD_TEXT, 0, "the parent's id, or root; else the leaf"},
    EXPECT,
    OP,
    END,
};

static const struct field message_new[] = {
    {"message", FIELD_ANY, FIELD_NEEDED,
     "a text, an array of blocks, or an object with role and content"},
    {"role", FIELD_TEXT, 0,
     "who says it: assistant, toolResult, ...; user unless given"},
    {"at", FIELD_TEXT, 0, "the parent's id, or root; else the leaf"},
    EXPECT,
    OP,
    END,
};

static const struct field context_of[] = {
    {"leaf", FIELD_TEXT, QUERY,
     "of this entry, null: of none; the current leaf unless given"},
    END,
};

static const struct field artifact_new[] = {
    {"path", FIELD_TEXT, FIELD_NEEDED, "its name, like notes/today.md"},
    {"content", FIELD_TEXT, FIELD_NEEDED | FIELD_BYTES, "all of it"},
    {"encoding", FIELD_TEXT, 0, "of content: text or base64"},
    {"mime_type", FIELD_TEXT, 0,
     "its media type; by name and content if empty"},
    {"purpose", FIELD_TEXT, 0, "what it is for"},
    {"tags", FIELD_TEXTS, 0, "words to find it by"},
    END,
};

static const struct field version_of[] = {
    {"version", FIELD_NUMBER, QUERY | FIELD_FROM_1,
     "an older one; the current unless given"},
    END,
};

static const struct field search_for[] = {
    {"q", FIELD_TEXT, QUERY | FIELD_NEEDED, "words to look for"},
    {"tag", FIELD_TEXT, QUERY, "with this tag"},
    {"mime", FIELD_TEXT, QUERY, "with a type that begins so"},
    LIMIT,
    END,
};

static const struct field fork_to[] = {
    {"cwd", FIELD_TEXT, 0, "the copy's project; the same unless given"},
    END,
};

static const struct field move_to[] = {
    {"cwd", FIELD_TEXT, FIELD_NEEDED, "the directory of another project"},
    END,
};

static const struct field restore_of[] = {
    {"path", FIELD_TEXT, FIELD_NEEDED, "where it was"},
    END,
};

static const struct field output_new[] = {
    {"tool", FIELD_TEXT, QUERY, "who printed it"},
    {"threshold", FIELD_NUMBER, QUERY, "bytes to show; more than that is kept"},
    {"head", FIELD_NUMBER, QUERY, "of these, so many from the beginning"},
    {"columns", FIELD_NUMBER, QUERY, "bytes of a line to show; 0 is all"},
    {"agent", FIELD_TEXT, QUERY, "it is the report of this sub-agent"},
    {"parent", FIELD_TEXT, QUERY, "the report that one belongs to"},
    END,
};

static const struct field output_lines[] = {
    {"offset", FIELD_NUMBER, QUERY, "from this line on, counting from 1"},
    {"grep", FIELD_TEXT, QUERY, "of these the ones with this expression"},
    {"ignore_case", FIELD_FLAG, QUERY, "for grep"},
    {"limit", FIELD_NUMBER, QUERY, "of these the first; 0 is all"},
    {"tail", FIELD_NUMBER, QUERY, "of these the last; 0 is all"},
    END,
};

#define AS_OF                                                           \
    {                                                                   \
        "as_of", FIELD_NUMBER, QUERY, "what was valid then, in seconds" \
    }

static const struct field memory_page[] = {
    {"type", FIELD_TEXT, QUERY, "of these types, like project,user"},
    {"tag", FIELD_TEXT, QUERY, "with this tag"},
    {"q", FIELD_TEXT, QUERY,
     "words to look for; type and tag then rank, and leave nothing out"},
    {"conversation_id", FIELD_NUMBER, QUERY | FIELD_FROM_1,
     "pinned to this conversation, or to none"},
    {"since", FIELD_NUMBER, QUERY, "changed then or later, in seconds"},
    {"before", FIELD_NUMBER, QUERY, "changed before, in seconds"},
    {"before_updated_at", FIELD_NUMBER, QUERY, "the same as before"},
    AS_OF,
    {"intent", FIELD_TEXT, QUERY, "off: words of the question choose no type"},
    {"decay", FIELD_TEXT, QUERY, "off: age does not count in a search"},
    {"graduated", FIELD_TEXT, QUERY,
     "taken and not needed: with conversation_id its own always come first"},
    LIMIT,
    CURSOR,
    END,
};

#define MEMORY_TEXTS                                               \
    {"content", FIELD_TEXT, FIELD_BYTES, "what there is to know"}, \
        {"source", FIELD_TEXT, FIELD_BYTES, "who says so"},        \
    {                                                              \
        "tags", FIELD_TEXTS, FIELD_BYTES, "words to find it by"    \
    }

static const struct field memory_new[] = {
    {"type", FIELD_TEXT, FIELD_NEEDED,
     "user, feedback, project, reference, learning or context"},
    {"title", FIELD_TEXT, FIELD_NEEDED | FIELD_BYTES, "the fact in a line"},
    MEMORY_TEXTS,
    {"artifact_id", FIELD_NUMBER, 0, "an artifact that it links"},
    {"conversation_id", FIELD_NUMBER, FIELD_FROM_1,
     "a conversation it is pinned to"},
    {"supersedes_ids", FIELD_NUMBERS, 0, "entries it makes invalid"},
    {"created_at", FIELD_NUMBER, 0, "when it became true; now unless given"},
    END,
};

static const struct field memory_change[] = {
    {"type", FIELD_TEXT, 0, "another type"},
    {"title", FIELD_TEXT, FIELD_BYTES, "another title"},
    MEMORY_TEXTS,
    {"artifact_id", FIELD_NUMBER, FIELD_NULL,
     "another artifact; null or 0 takes the link away"},
    END,
};

static const struct field memory_of[] = {
    AS_OF,
    END,
};

static const struct field memory_end[] = {
    {"when", FIELD_NUMBER, 0, "true no longer since then; now unless given"},
    END,
};

static const struct field relation_page[] = {
    {"source_id", FIELD_NUMBER, QUERY | FIELD_FROM_1, "from this entry"},
    {"target_id", FIELD_NUMBER, QUERY | FIELD_FROM_1, "to this entry"},
    {"relation", FIELD_TEXT, QUERY, "of this kind"},
    LIMIT,
    CURSOR,
    END,
};

static const struct field relation_new[] = {
    {"source_id", FIELD_NUMBER, FIELD_NEEDED | FIELD_FROM_1,
     "the entry it leads from"},
    {"target_id", FIELD_NUMBER, FIELD_NEEDED | FIELD_FROM_1,
     "the entry it leads to"},
    {"relation", FIELD_TEXT, FIELD_NEEDED,
     "relates_to, refines, contradicts, supersedes or supports"},
    END,
};

static const struct field graph_of[] = {
    {"type", FIELD_TEXT, QUERY, "of these types, like project,user"},
    {"around", FIELD_NUMBER, QUERY | FIELD_FROM_1,
     "what is near this entry; else all"},
    {"depth", FIELD_NUMBER, QUERY, "so many steps from it; 1 unless given"},
    {"limit", FIELD_NUMBER, QUERY, "entries at most; all unless given"},
    END,
};

static const struct field prompt_page[] = {
    {"q", FIELD_TEXT, QUERY, "with all of these words"},
    {"cwd", FIELD_TEXT, QUERY, "typed in this directory"},
    LIMIT,
    END,
};

static const struct field prompt_new[] = {
    {"prompt", FIELD_TEXT, FIELD_NEEDED, "what was typed"},
    {"cwd", FIELD_TEXT, 0, "in which directory"},
    {"conversation_id", FIELD_NUMBER, FIELD_FROM_1, "in which conversation"},
    END,
};

static const struct field slash_text[] = {
    {"text", FIELD_TEXT, FIELD_NEEDED | FIELD_BYTES, "what the agent said"},
    {"conversation_id", FIELD_NUMBER, FIELD_FROM_1,
     "whose artifacts; there are none unless given"},
    {"agent", FIELD_TEXT, 0, "who speaks: 1 to 64 letters, digits, _ and -"},
    {"allow", FIELD_TEXTS, 0, "commands it may use; all unless given"},
    END,
};

static const struct field listen_to[] = {
    {"conversation", FIELD_NUMBER, QUERY | FIELD_FROM_1,
     "what belongs to this one"},
    {"types", FIELD_TEXT, QUERY, "of these, like artifact,memory.added"},
    {"last_event_id", FIELD_TEXT, QUERY,
     "what came after it; the header Last-Event-ID is the same"},
    END,
};

#define CONVERSATION "/v1/conversations/:id"

const struct route routes[] = {
    {"health", "GET", "/healthz", "whether the server lives",
     ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Status", route_health},
    /* By the addresses of arbiter. */
    {"v1.health", "GET", "/v1/health", "the same as /healthz",
     ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Status", route_health},
    {"v1.metrics", "GET", "/v1/metrics", "the same as /metrics",
     ROUTE_ADMIN | ROUTE_LOCAL | ROUTE_INLINE | ROUTE_RAW_ANSWER, NULL, 200,
     "Bytes", route_metrics},
    {"ready", "GET", "/readyz", "whether work is welcome",
     ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Status", route_ready},
    {"version", "GET", "/version", "which version it is",
     ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Version", route_version},
    {"openapi", "GET", "/openapi.json", "this description",
     ROUTE_PUBLIC | ROUTE_INLINE, NULL, 200, "Description", route_openapi},

    {"metrics", "GET", "/metrics",
     "what was counted, for Prometheus; without a token on this machine only",
     ROUTE_ADMIN | ROUTE_LOCAL | ROUTE_INLINE | ROUTE_RAW_ANSWER, NULL, 200,
     "Bytes", route_metrics},

    {"tenants.list", "GET", "/v1/admin/tenants", "all tenants", ROUTE_ADMIN,
     NULL, 200, "Tenants", route_tenants_list},
    {"tenants.add", "POST", "/v1/admin/tenants",
     "add a tenant; its token is shown this once",
     ROUTE_ADMIN | ROUTE_WRITE | ROUTE_SECRET, tenant_new, 201, "Tenant",
     route_tenants_add},
    {"tenants.get", "GET", "/v1/admin/tenants/:id", "one tenant", ROUTE_ADMIN,
     NULL, 200, "Tenant", route_tenants_get},
    {"tenants.patch", "PATCH", "/v1/admin/tenants/:id",
     "shut a tenant out, or let it in", ROUTE_ADMIN | ROUTE_WRITE,
     tenant_change, 200, "Tenant", route_tenants_patch},
    {"tenants.rotate", "POST", "/v1/admin/tenants/:id/rotate-token",
     "another token, and an end to the one before",
     ROUTE_ADMIN | ROUTE_WRITE | ROUTE_SECRET, NULL, 200, "Tenant",
     route_tenants_rotate},
    {"tenants.remove", "DELETE", "/v1/admin/tenants/:id",
     "remove a tenant with all it has", ROUTE_ADMIN | ROUTE_WRITE, tenant_end,
     200, "Deleted", route_tenants_remove},

    {"audit", "GET", "/v1/admin/audit",
     "changes of tenants and settings, the last first", ROUTE_ADMIN, audit_page,
     200, "Audit", route_audit},

    {"folders.list", "GET", "/v1/conversation-folders",
     "folders of conversations, by name", 0, NULL, 200, "Folders",
     route_folders_list},
    {"folders.add", "POST", "/v1/conversation-folders", "add a folder",
     ROUTE_WRITES(EVENT_FOLDER_ADDED), folder_new, 201, "Folder",
     route_folders_add},
    {"folders.patch", "PATCH", "/v1/conversation-folders/:id",
     "give a folder another name", ROUTE_WRITES(EVENT_FOLDER_CHANGED),
     folder_new, 200, "Folder", route_folders_patch},
    {"folders.remove", "DELETE", "/v1/conversation-folders/:id",
     "remove a folder; the conversations in it stay",
     ROUTE_WRITES(EVENT_FOLDER_REMOVED), NULL, 200, "Deleted",
     route_folders_remove},

    {"conversations.list", "GET", "/v1/conversations",
     "conversations, the last changed first", 0, page, 200, "Conversations",
     route_conversations_list},
    {"conversations.add", "POST", "/v1/conversations", "begin a conversation",
     ROUTE_WRITES(EVENT_CONVERSATION_CREATED), conversation_new, 201,
     "Conversation", route_conversations_add},
    {"conversations.get", "GET", CONVERSATION, "one conversation", 0, NULL, 200,
     "Conversation", route_conversations_get},
    {"conversations.patch", "PATCH", CONVERSATION,
     "change its title, file it, put it away or bring it back",
     ROUTE_WRITES(EVENT_CONVERSATION_CHANGED), conversation_change, 200,
     "Conversation", route_conversations_patch},
    {"conversations.remove", "DELETE", CONVERSATION,
     "delete a conversation with its artifacts, for good",
     ROUTE_WRITES(EVENT_CONVERSATION_REMOVED), NULL, 200, "Deleted",
     route_conversations_remove},
    {"conversations.fork", "POST", CONVERSATION "/fork",
     "another conversation with the same entries and outputs",
     ROUTE_WRITES(EVENT_CONVERSATION_CREATED), fork_to, 201, "Conversation",
     route_conversations_fork},
    {"conversations.move", "POST", CONVERSATION "/move",
     "move it to the directory of another project",
     ROUTE_WRITES(EVENT_CONVERSATION_CHANGED), move_to, 200, "Conversation",
     route_conversations_move},
    {"entries.list", "GET", CONVERSATION "/entries",
     "its entries, in the order of the file", 0, entry_page, 200, "Entries",
     route_entries_list},
    {"entries.add", "POST", CONVERSATION "/entries",
     "append an entry; 200 if it was done before",
     ROUTE_WRITES(EVENT_ENTRY_APPENDED) | ROUTE_BIG_JSON | ROUTE_REPLAY_200,
     entry_new, 201, "Appended", route_entries_add},
    {"messages.list", "GET", CONVERSATION "/messages",
     "its messages, the oldest first", 0, entry_page, 200, "Messages",
     route_messages_list},
    {"messages.add", "POST", CONVERSATION "/messages",
     "append a message; 200 if it was done before",
     ROUTE_WRITES(EVENT_ENTRY_APPENDED) | ROUTE_BIG_JSON | ROUTE_REPLAY_200,
     message_new, 201, "Appended", route_messages_add},
    {"context", "GET", CONVERSATION "/context", "what a model is to see", 0,
     context_of, 200, "Context", route_context},
    {"tree", "GET", CONVERSATION "/tree", "its entries as a tree", 0, NULL, 200,
     "Tree", route_tree},
    {"workspace", "POST", CONVERSATION "/workspace",
     "a request of the tool workspace",
     ROUTE_WRITES(EVENT_OWN) | ROUTE_RAW | ROUTE_BIG_JSON, NULL, 200,
     "WorkspaceAnswer", route_workspace},

    {"artifacts.list", "GET", CONVERSATION "/artifacts",
     "artifacts of a conversation, the last changed first", ROUTE_CACHEABLE,
     artifact_page, 200, "Artifacts", route_artifacts_list},
    {"artifacts.add", "POST", CONVERSATION "/artifacts",
     "put an artifact; 200 if it was there",
     ROUTE_WRITES(EVENT_ARTIFACT_WRITTEN) | ROUTE_GROUP | ROUTE_REPLAY_200 |
         ROUTE_BIG_JSON,
     artifact_new, 201, "ArtifactPut", route_artifacts_add},
    {"artifacts.restore", "POST", CONVERSATION "/artifacts/restore",
     "bring back what was put away", ROUTE_WRITES(EVENT_ARTIFACT_WRITTEN),
     restore_of, 200, "Artifact", route_artifacts_restore},
    {"artifacts.of", "GET", CONVERSATION "/artifacts/:aid", "one artifact",
     ROUTE_CACHEABLE, version_of, 200, "Artifact", route_artifacts_get},
    {"artifacts.of.raw", "GET", CONVERSATION "/artifacts/:aid/raw",
     "its content", ROUTE_RAW_ANSWER | ROUTE_RANGES | ROUTE_CACHEABLE,
     version_of, 200, "Bytes", route_artifacts_raw},
    {"artifacts.of.versions", "GET", CONVERSATION "/artifacts/:aid/versions",
     "its past", ROUTE_CACHEABLE, NULL, 200, "ArtifactVersions",
     route_artifacts_versions},
    {"artifacts.of.remove", "DELETE", CONVERSATION "/artifacts/:aid",
     "put an artifact away", ROUTE_WRITES(EVENT_ARTIFACT_REMOVED), NULL, 200,
     "Deleted", route_artifacts_remove},
    {"files.put", "PUT", CONVERSATION "/files/*path",
     "put any bytes under a path",
     ROUTE_WRITES(EVENT_ARTIFACT_WRITTEN) | ROUTE_GROUP | ROUTE_RAW |
         ROUTE_LARGE | ROUTE_FILE | ROUTE_REPLAY_200,
     NULL, 201, "ArtifactPut", route_files_put},
    {"files.get", "GET", CONVERSATION "/files/*path", "the content of a path",
     ROUTE_RAW_ANSWER | ROUTE_RANGES | ROUTE_CACHEABLE, version_of, 200,
     "Bytes", route_files_get},
    {"files.remove", "DELETE", CONVERSATION "/files/*path",
     "put what is at a path away", ROUTE_WRITES(EVENT_ARTIFACT_REMOVED), NULL,
     200, "Deleted", route_files_remove},

    {"outputs.list", "GET", CONVERSATION "/outputs",
     "what tools printed and sub-agents reported", 0, NULL, 200, "Outputs",
     route_outputs_list},
    {"outputs.add", "POST", CONVERSATION "/outputs",
     "keep a long output, and show a short one; 200 if nothing is kept",
     ROUTE_WRITES(EVENT_OUTPUT_ADDED) | ROUTE_RAW | ROUTE_LARGE |
         ROUTE_REPLAY_200,
     output_new, 201, "OutputPut", route_outputs_add},
    {"outputs.get", "GET", CONVERSATION "/outputs/:name",
     "lines of an output: 3 of a tool, 0-Scout of a sub-agent",
     ROUTE_RAW_ANSWER, output_lines, 200, "Bytes", route_outputs_get},

    {"artifacts.all", "GET", "/v1/artifacts",
     "artifacts of all conversations, the last changed first", ROUTE_CACHEABLE,
     artifact_page, 200, "Artifacts", route_artifacts_all},
    {"artifacts.search", "GET", "/v1/artifacts/search",
     "artifacts by their words", ROUTE_CACHEABLE, search_for, 200,
     "ArtifactHits", route_artifacts_search},
    {"artifacts.get", "GET", "/v1/artifacts/:aid", "one artifact",
     ROUTE_CACHEABLE, version_of, 200, "Artifact", route_artifacts_get},
    {"artifacts.raw", "GET", "/v1/artifacts/:aid/raw", "its content",
     ROUTE_RAW_ANSWER | ROUTE_RANGES | ROUTE_CACHEABLE, version_of, 200,
     "Bytes", route_artifacts_raw},
    {"artifacts.remove", "DELETE", "/v1/artifacts/:aid", "put an artifact away",
     ROUTE_WRITES(EVENT_ARTIFACT_REMOVED), NULL, 200, "Deleted",
     route_artifacts_remove},

    {"memory.list", "GET", "/v1/memory/entries",
     "memory entries, the last changed first; with q the best first", 0,
     memory_page, 200, "Memories", route_memory_list},
    {"memory.add", "POST", "/v1/memory/entries", "remember a fact",
     ROUTE_WRITES(EVENT_MEMORY_ADDED) | ROUTE_GROUP, memory_new, 201, "Memory",
     route_memory_add},
    {"memory.get", "GET", "/v1/memory/entries/:id", "one entry", 0, memory_of,
     200, "Memory", route_memory_get},
    {"memory.patch", "PATCH", "/v1/memory/entries/:id", "change an entry",
     ROUTE_WRITES(EVENT_MEMORY_CHANGED) | ROUTE_GROUP, memory_change, 200,
     "Memory", route_memory_patch},
    {"memory.remove", "DELETE", "/v1/memory/entries/:id",
     "delete an entry with its relations, for good",
     ROUTE_WRITES(EVENT_MEMORY_REMOVED) | ROUTE_GROUP, NULL, 200, "Deleted",
     route_memory_remove},
    {"memory.invalidate", "POST", "/v1/memory/entries/:id/invalidate",
     "say that an entry is true no longer",
     ROUTE_WRITES(EVENT_MEMORY_CHANGED) | ROUTE_GROUP, memory_end, 200,
     "Invalidated", route_memory_invalidate},
    {"relations.list", "GET", "/v1/memory/relations",
     "relations between entries, the newest first", 0, relation_page, 200,
     "Relations", route_relations_list},
    {"relations.add", "POST", "/v1/memory/relations",
     "relate two entries; 409 with existing_id if they are",
     ROUTE_WRITES(EVENT_RELATION_ADDED) | ROUTE_GROUP, relation_new, 201,
     "Relation", route_relations_add},
    {"relations.remove", "DELETE", "/v1/memory/relations/:id",
     "delete a relation", ROUTE_WRITES(EVENT_RELATION_REMOVED) | ROUTE_GROUP,
     NULL, 200, "Deleted", route_relations_remove},
    {"graph", "GET", "/v1/memory/graph",
     "entries, and the relations between them", 0, graph_of, 200, "Graph",
     route_graph},
    {"pads.list", "GET", "/v1/memory", "the scratchpads there are", 0, NULL,
     200, "Pads", route_scratchpads_list},
    /* Fixed words before the name of an agent. */
    {"pads.shared", "GET", "/v1/memory/shared",
     "the scratchpad that all agents share", 0, NULL, 200, "Pad",
     route_scratchpads_shared},
    {"pads.get", "GET", "/v1/memory/:agent", "the scratchpad of an agent", 0,
     NULL, 200, "Pad", route_scratchpads_get},

    {"history.list", "GET", "/v1/history",
     "prompts that were typed, the newest first", 0, prompt_page, 200,
     "Prompts", route_history_list},
    {"history.add", "POST", "/v1/history", "remember a prompt",
     ROUTE_WRITES(EVENT_HISTORY_ADDED) | ROUTE_BIG_JSON, prompt_new, 201,
     "PromptPut", route_history_add},
    {"slash", "POST", "/v1/slash", "run the commands in an agent's text",
     ROUTE_WRITES(EVENT_OWN) | ROUTE_BIG_JSON, slash_text, 200, "Replies",
     route_slash},
    {"events", "GET", "/v1/events",
     "what changes, as it does: server-sent events",
     ROUTE_RAW_ANSWER | ROUTE_INLINE, listen_to, 200, "Events", route_events},
    {"usage", "GET", "/v1/usage", "what the tenant has, and what it may have",
     0, NULL, 200, "Usage", route_usage},

    {"mcp.send", "POST", "/mcp", "a message of MCP; about the session `temp`",
     ROUTE_RAW | ROUTE_RAW_ANSWER | ROUTE_BIG_JSON, NULL, 200, "RpcMessage",
     route_mcp_post},
    {"mcp.listen", "GET", "/mcp",
     "what changes, for who opened with `initialize`: server-sent events",
     ROUTE_RAW_ANSWER, NULL, 200, "Events", route_mcp_get},
    {"mcp.end", "DELETE", "/mcp", "end what was opened with `initialize`",
     ROUTE_RAW_ANSWER, NULL, 204, "Bytes", route_mcp_delete},
    {"mcp.session.send", "POST", "/mcp/:session",
     "a message of MCP; the session is an id or a conversation's number",
     ROUTE_RAW | ROUTE_RAW_ANSWER | ROUTE_BIG_JSON, NULL, 200, "RpcMessage",
     route_mcp_post},
    {"mcp.session.listen", "GET", "/mcp/:session", "as for /mcp",
     ROUTE_RAW_ANSWER, NULL, 200, "Events", route_mcp_get},
    {"mcp.session.end", "DELETE", "/mcp/:session", "as for /mcp",
     ROUTE_RAW_ANSWER, NULL, 204, "Bytes", route_mcp_delete},

    {"blobs.put", "POST", "/v1/blobs", "store content under its digest",
     ROUTE_WRITES(EVENT_BLOB_ADDED) | ROUTE_GROUP | ROUTE_RAW | ROUTE_LARGE |
         ROUTE_REPLAY_200,
     NULL, 201, "Blob", route_blobs_put},
    {"blobs.get", "GET", "/v1/blobs/:sha256", "content by its digest or ref",
     ROUTE_RAW_ANSWER | ROUTE_RANGES, NULL, 200, "Bytes", route_blobs_get},
    {0},
};

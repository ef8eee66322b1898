/* table.c - all operations there are; see op.h */
#include "server/route.h"

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

const struct op ops[] = {
    {"health", "GET", "/healthz", "whether the server lives",
     OP_OPEN | OP_QUICK, NULL, 200, "Status", api_health},
    /* By the addresses of arbiter. */
    {"v1.health", "GET", "/v1/health", "the same as /healthz",
     OP_OPEN | OP_QUICK, NULL, 200, "Status", api_health},
    {"v1.metrics", "GET", "/v1/metrics", "the same as /metrics",
     OP_ADMIN | OP_LOCAL | OP_QUICK | OP_RAW_ANSWER, NULL, 200, "Bytes",
     api_metrics},
    {"ready", "GET", "/readyz", "whether work is welcome", OP_OPEN | OP_QUICK,
     NULL, 200, "Status", api_ready},
    {"version", "GET", "/version", "which version it is", OP_OPEN | OP_QUICK,
     NULL, 200, "Version", api_version},
    {"openapi", "GET", "/openapi.json", "this description", OP_OPEN | OP_QUICK,
     NULL, 200, "Description", api_openapi},

    {"metrics", "GET", "/metrics",
     "what was counted, for Prometheus; without a token on this machine only",
     OP_ADMIN | OP_LOCAL | OP_QUICK | OP_RAW_ANSWER, NULL, 200, "Bytes",
     api_metrics},

    {"tenants.list", "GET", "/v1/admin/tenants", "all tenants", OP_ADMIN, NULL,
     200, "Tenants", api_tenants_list},
    {"tenants.add", "POST", "/v1/admin/tenants",
     "add a tenant; its token is shown this once",
     OP_ADMIN | OP_WRITE | OP_SECRET, tenant_new, 201, "Tenant",
     api_tenants_add},
    {"tenants.get", "GET", "/v1/admin/tenants/:id", "one tenant", OP_ADMIN,
     NULL, 200, "Tenant", api_tenants_get},
    {"tenants.patch", "PATCH", "/v1/admin/tenants/:id",
     "shut a tenant out, or let it in", OP_ADMIN | OP_WRITE, tenant_change, 200,
     "Tenant", api_tenants_patch},
    {"tenants.rotate", "POST", "/v1/admin/tenants/:id/rotate-token",
     "another token, and an end to the one before",
     OP_ADMIN | OP_WRITE | OP_SECRET, NULL, 200, "Tenant", api_tenants_rotate},
    {"tenants.remove", "DELETE", "/v1/admin/tenants/:id",
     "remove a tenant with all it has", OP_ADMIN | OP_WRITE, tenant_end, 200,
     "Deleted", api_tenants_remove},

    {"audit", "GET", "/v1/admin/audit",
     "changes of tenants and settings, the last first", OP_ADMIN, audit_page,
     200, "Audit", api_audit},

    {"folders.list", "GET", "/v1/conversation-folders",
     "folders of conversations, by name", 0, NULL, 200, "Folders",
     api_folders_list},
    {"folders.add", "POST", "/v1/conversation-folders", "add a folder",
     OP_TELLS(EVENT_FOLDER_ADDED), folder_new, 201, "Folder", api_folders_add},
    {"folders.patch", "PATCH", "/v1/conversation-folders/:id",
     "give a folder another name", OP_TELLS(EVENT_FOLDER_CHANGED), folder_new,
     200, "Folder", api_folders_patch},
    {"folders.remove", "DELETE", "/v1/conversation-folders/:id",
     "remove a folder; the conversations in it stay",
     OP_TELLS(EVENT_FOLDER_REMOVED), NULL, 200, "Deleted", api_folders_remove},

    {"conversations.list", "GET", "/v1/conversations",
     "conversations, the last changed first", 0, page, 200, "Conversations",
     api_conversations_list},
    {"conversations.add", "POST", "/v1/conversations", "begin a conversation",
     OP_TELLS(EVENT_CONVERSATION_CREATED), conversation_new, 201,
     "Conversation", api_conversations_add},
    {"conversations.get", "GET", CONVERSATION, "one conversation", 0, NULL, 200,
     "Conversation", api_conversations_get},
    {"conversations.patch", "PATCH", CONVERSATION,
     "change its title, file it, put it away or bring it back",
     OP_TELLS(EVENT_CONVERSATION_CHANGED), conversation_change, 200,
     "Conversation", api_conversations_patch},
    {"conversations.remove", "DELETE", CONVERSATION,
     "delete a conversation with its artifacts, for good",
     OP_TELLS(EVENT_CONVERSATION_REMOVED), NULL, 200, "Deleted",
     api_conversations_remove},
    {"conversations.fork", "POST", CONVERSATION "/fork",
     "another conversation with the same entries and outputs",
     OP_TELLS(EVENT_CONVERSATION_CREATED), fork_to, 201, "Conversation",
     api_conversations_fork},
    {"conversations.move", "POST", CONVERSATION "/move",
     "move it to the directory of another project",
     OP_TELLS(EVENT_CONVERSATION_CHANGED), move_to, 200, "Conversation",
     api_conversations_move},
    {"entries.list", "GET", CONVERSATION "/entries",
     "its entries, in the order of the file", 0, entry_page, 200, "Entries",
     api_entries_list},
    {"entries.add", "POST", CONVERSATION "/entries",
     "append an entry; 200 if it was done before",
     OP_TELLS(EVENT_ENTRY_APPENDED) | OP_LONG | OP_AGAIN, entry_new, 201,
     "Appended", api_entries_add},
    {"messages.list", "GET", CONVERSATION "/messages",
     "its messages, the oldest first", 0, entry_page, 200, "Messages",
     api_messages_list},
    {"messages.add", "POST", CONVERSATION "/messages",
     "append a message; 200 if it was done before",
     OP_TELLS(EVENT_ENTRY_APPENDED) | OP_LONG | OP_AGAIN, message_new, 201,
     "Appended", api_messages_add},
    {"context", "GET", CONVERSATION "/context", "what a model is to see", 0,
     context_of, 200, "Context", api_context},
    {"tree", "GET", CONVERSATION "/tree", "its entries as a tree", 0, NULL, 200,
     "Tree", api_tree},
    {"workspace", "POST", CONVERSATION "/workspace",
     "a request of the tool workspace", OP_TELLS(EVENT_OWN) | OP_RAW | OP_LONG,
     NULL, 200, "WorkspaceAnswer", api_workspace},

    {"artifacts.list", "GET", CONVERSATION "/artifacts",
     "artifacts of a conversation, the last changed first", OP_STILL,
     artifact_page, 200, "Artifacts", api_artifacts_list},
    {"artifacts.add", "POST", CONVERSATION "/artifacts",
     "put an artifact; 200 if it was there",
     OP_TELLS(EVENT_ARTIFACT_WRITTEN) | OP_GROUP | OP_AGAIN | OP_LONG,
     artifact_new, 201, "ArtifactPut", api_artifacts_add},
    {"artifacts.restore", "POST", CONVERSATION "/artifacts/restore",
     "bring back what was put away", OP_TELLS(EVENT_ARTIFACT_WRITTEN),
     restore_of, 200, "Artifact", api_artifacts_restore},
    {"artifacts.of", "GET", CONVERSATION "/artifacts/:aid", "one artifact",
     OP_STILL, version_of, 200, "Artifact", api_artifacts_get},
    {"artifacts.of.raw", "GET", CONVERSATION "/artifacts/:aid/raw",
     "its content", OP_RAW_ANSWER | OP_RANGES | OP_STILL, version_of, 200,
     "Bytes", api_artifacts_raw},
    {"artifacts.of.versions", "GET", CONVERSATION "/artifacts/:aid/versions",
     "its past", OP_STILL, NULL, 200, "ArtifactVersions",
     api_artifacts_versions},
    {"artifacts.of.remove", "DELETE", CONVERSATION "/artifacts/:aid",
     "put an artifact away", OP_TELLS(EVENT_ARTIFACT_REMOVED), NULL, 200,
     "Deleted", api_artifacts_remove},
    {"files.put", "PUT", CONVERSATION "/files/*path",
     "put any bytes under a path",
     OP_TELLS(EVENT_ARTIFACT_WRITTEN) | OP_GROUP | OP_RAW | OP_LARGE | OP_FILE |
         OP_AGAIN,
     NULL, 201, "ArtifactPut", api_files_put},
    {"files.get", "GET", CONVERSATION "/files/*path", "the content of a path",
     OP_RAW_ANSWER | OP_RANGES | OP_STILL, version_of, 200, "Bytes",
     api_files_get},
    {"files.remove", "DELETE", CONVERSATION "/files/*path",
     "put what is at a path away", OP_TELLS(EVENT_ARTIFACT_REMOVED), NULL, 200,
     "Deleted", api_files_remove},

    {"outputs.list", "GET", CONVERSATION "/outputs",
     "what tools printed and sub-agents reported", 0, NULL, 200, "Outputs",
     api_outputs_list},
    {"outputs.add", "POST", CONVERSATION "/outputs",
     "keep a long output, and show a short one; 200 if nothing is kept",
     OP_TELLS(EVENT_OUTPUT_ADDED) | OP_RAW | OP_LARGE | OP_AGAIN, output_new,
     201, "OutputPut", api_outputs_add},
    {"outputs.get", "GET", CONVERSATION "/outputs/:name",
     "lines of an output: 3 of a tool, 0-Scout of a sub-agent", OP_RAW_ANSWER,
     output_lines, 200, "Bytes", api_outputs_get},

    {"artifacts.all", "GET", "/v1/artifacts",
     "artifacts of all conversations, the last changed first", OP_STILL,
     artifact_page, 200, "Artifacts", api_artifacts_all},
    {"artifacts.search", "GET", "/v1/artifacts/search",
     "artifacts by their words", OP_STILL, search_for, 200, "ArtifactHits",
     api_artifacts_search},
    {"artifacts.get", "GET", "/v1/artifacts/:aid", "one artifact", OP_STILL,
     version_of, 200, "Artifact", api_artifacts_get},
    {"artifacts.raw", "GET", "/v1/artifacts/:aid/raw", "its content",
     OP_RAW_ANSWER | OP_RANGES | OP_STILL, version_of, 200, "Bytes",
     api_artifacts_raw},
    {"artifacts.remove", "DELETE", "/v1/artifacts/:aid", "put an artifact away",
     OP_TELLS(EVENT_ARTIFACT_REMOVED), NULL, 200, "Deleted",
     api_artifacts_remove},

    {"memory.list", "GET", "/v1/memory/entries",
     "memory entries, the last changed first; with q the best first", 0,
     memory_page, 200, "Memories", api_memory_list},
    {"memory.add", "POST", "/v1/memory/entries", "remember a fact",
     OP_TELLS(EVENT_MEMORY_ADDED) | OP_GROUP, memory_new, 201, "Memory",
     api_memory_add},
    {"memory.get", "GET", "/v1/memory/entries/:id", "one entry", 0, memory_of,
     200, "Memory", api_memory_get},
    {"memory.patch", "PATCH", "/v1/memory/entries/:id", "change an entry",
     OP_TELLS(EVENT_MEMORY_CHANGED) | OP_GROUP, memory_change, 200, "Memory",
     api_memory_patch},
    {"memory.remove", "DELETE", "/v1/memory/entries/:id",
     "delete an entry with its relations, for good",
     OP_TELLS(EVENT_MEMORY_REMOVED) | OP_GROUP, NULL, 200, "Deleted",
     api_memory_remove},
    {"memory.invalidate", "POST", "/v1/memory/entries/:id/invalidate",
     "say that an entry is true no longer",
     OP_TELLS(EVENT_MEMORY_CHANGED) | OP_GROUP, memory_end, 200, "Invalidated",
     api_memory_invalidate},
    {"relations.list", "GET", "/v1/memory/relations",
     "relations between entries, the newest first", 0, relation_page, 200,
     "Relations", api_relations_list},
    {"relations.add", "POST", "/v1/memory/relations",
     "relate two entries; 409 with existing_id if they are",
     OP_TELLS(EVENT_RELATION_ADDED) | OP_GROUP, relation_new, 201, "Relation",
     api_relations_add},
    {"relations.remove", "DELETE", "/v1/memory/relations/:id",
     "delete a relation", OP_TELLS(EVENT_RELATION_REMOVED) | OP_GROUP, NULL,
     200, "Deleted", api_relations_remove},
    {"graph", "GET", "/v1/memory/graph",
     "entries, and the relations between them", 0, graph_of, 200, "Graph",
     api_graph},
    {"pads.list", "GET", "/v1/memory", "the scratchpads there are", 0, NULL,
     200, "Pads", api_pads_list},
    /* Fixed words before the name of an agent. */
    {"pads.shared", "GET", "/v1/memory/shared",
     "the scratchpad that all agents share", 0, NULL, 200, "Pad",
     api_pads_shared},
    {"pads.get", "GET", "/v1/memory/:agent", "the scratchpad of an agent", 0,
     NULL, 200, "Pad", api_pads_get},

    {"history.list", "GET", "/v1/history",
     "prompts that were typed, the newest first", 0, prompt_page, 200,
     "Prompts", api_history_list},
    {"history.add", "POST", "/v1/history", "remember a prompt",
     OP_TELLS(EVENT_HISTORY_ADDED) | OP_LONG, prompt_new, 201, "PromptPut",
     api_history_add},
    {"slash", "POST", "/v1/slash", "run the commands in an agent's text",
     OP_TELLS(EVENT_OWN) | OP_LONG, slash_text, 200, "Replies", api_slash},
    {"events", "GET", "/v1/events",
     "what changes, as it does: server-sent events", OP_RAW_ANSWER | OP_QUICK,
     listen_to, 200, "Events", api_events},
    {"usage", "GET", "/v1/usage", "what the tenant has, and what it may have",
     0, NULL, 200, "Usage", api_usage},

    {"mcp.send", "POST", "/mcp", "a message of MCP; about the session `temp`",
     OP_RAW | OP_RAW_ANSWER | OP_LONG, NULL, 200, "RpcMessage", api_mcp_post},
    {"mcp.listen", "GET", "/mcp",
     "what changes, for who opened with `initialize`: server-sent events",
     OP_RAW_ANSWER, NULL, 200, "Events", api_mcp_get},
    {"mcp.end", "DELETE", "/mcp", "end what was opened with `initialize`",
     OP_RAW_ANSWER, NULL, 204, "Bytes", api_mcp_delete},
    {"mcp.session.send", "POST", "/mcp/:session",
     "a message of MCP; the session is an id or a conversation's number",
     OP_RAW | OP_RAW_ANSWER | OP_LONG, NULL, 200, "RpcMessage", api_mcp_post},
    {"mcp.session.listen", "GET", "/mcp/:session", "as for /mcp", OP_RAW_ANSWER,
     NULL, 200, "Events", api_mcp_get},
    {"mcp.session.end", "DELETE", "/mcp/:session", "as for /mcp", OP_RAW_ANSWER,
     NULL, 204, "Bytes", api_mcp_delete},

    {"blobs.put", "POST", "/v1/blobs", "store content under its digest",
     OP_TELLS(EVENT_BLOB_ADDED) | OP_GROUP | OP_RAW | OP_LARGE | OP_AGAIN, NULL,
     201, "Blob", api_blobs_put},
    {"blobs.get", "GET", "/v1/blobs/:sha256", "content by its digest or ref",
     OP_RAW_ANSWER | OP_RANGES, NULL, 200, "Bytes", api_blobs_get},
    {0},
};

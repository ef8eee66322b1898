/* ops.c - all operations there are; see op.h */
#include "serve/op.h"

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

static const struct field page[] = {
    LIMIT,
    CURSOR,
    {"archived", FIELD_FLAG, QUERY, "what was put away instead"},
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
    END,
};

static const struct field conversation_change[] = {
    {"title", FIELD_TEXT, FIELD_NULL, "its title; null takes it away"},
    {"archived", FIELD_FLAG, 0, "whether it is put away"},
    END,
};

static const struct field entry_page[] = {
    LIMIT,
    {"after", FIELD_NUMBER, QUERY, "how many to pass over: next_after"},
    {"hydrate", FIELD_FLAG, QUERY, "with the content of images"},
    END,
};

static const struct field entry_new[] = {
    {"entry", FIELD_OBJECT, FIELD_NEEDED, "an object with a type"},
    {"at", FIELD_TEXT, 0, "the parent's id, or root; else the leaf"},
    {"expect", FIELD_TEXT, 0, "the leaf must be this one"},
    {"op", FIELD_TEXT, 0, "a name of this append: done once"},
    END,
};

static const struct field message_new[] = {
    {"message", FIELD_ANY, FIELD_NEEDED,
     "a text, an array of blocks, or an object with role and content"},
    {"role", FIELD_TEXT, 0, "who says it; user unless given"},
    {"at", FIELD_TEXT, 0, "the parent's id, or root; else the leaf"},
    {"expect", FIELD_TEXT, 0, "the leaf must be this one"},
    {"op", FIELD_TEXT, 0, "a name of this append: done once"},
    END,
};

static const struct field context_of[] = {
    {"leaf", FIELD_TEXT, QUERY, "of this entry; the current leaf unless given"},
    END,
};

static const struct field artifact_new[] = {
    {"path", FIELD_TEXT, FIELD_NEEDED, "its name, like notes/today.md"},
    {"content", FIELD_TEXT, FIELD_NEEDED, "all of it"},
    {"encoding", FIELD_TEXT, 0, "of content: text or base64"},
    {"mime_type", FIELD_TEXT, 0, "its media type"},
    {"purpose", FIELD_TEXT, 0, "what it is for"},
    {"tags", FIELD_TEXTS, 0, "words to find it by"},
    END,
};

static const struct field version_of[] = {
    {"version", FIELD_NUMBER, QUERY, "an older one; the current unless given"},
    END,
};

static const struct field search_for[] = {
    {"q", FIELD_TEXT, QUERY | FIELD_NEEDED, "words to look for"},
    {"tag", FIELD_TEXT, QUERY, "with this tag"},
    {"mime", FIELD_TEXT, QUERY, "with a type that begins so"},
    LIMIT,
    END,
};

#define CONVERSATION "/v1/conversations/:id"

const struct op ops[] = {
    {"health", "GET", "/healthz", "whether the server lives",
     OP_OPEN | OP_QUICK, NULL, 200, "Status", api_health},
    {"ready", "GET", "/readyz", "whether work is welcome", OP_OPEN | OP_QUICK,
     NULL, 200, "Status", api_ready},
    {"version", "GET", "/version", "which version it is", OP_OPEN | OP_QUICK,
     NULL, 200, "Version", api_version},
    {"openapi", "GET", "/openapi.json", "this description", OP_OPEN | OP_QUICK,
     NULL, 200, "Any", api_openapi},

    {"tenants.list", "GET", "/v1/admin/tenants", "all tenants", OP_ADMIN, NULL,
     200, "Tenants", api_tenants_list},
    {"tenants.add", "POST", "/v1/admin/tenants",
     "add a tenant; its token is shown this once", OP_ADMIN | OP_WRITE,
     tenant_new, 201, "Tenant", api_tenants_add},
    {"tenants.get", "GET", "/v1/admin/tenants/:id", "one tenant", OP_ADMIN,
     NULL, 200, "Tenant", api_tenants_get},
    {"tenants.patch", "PATCH", "/v1/admin/tenants/:id",
     "shut a tenant out, or let it in", OP_ADMIN | OP_WRITE, tenant_change, 200,
     "Tenant", api_tenants_patch},
    {"tenants.rotate", "POST", "/v1/admin/tenants/:id/rotate-token",
     "another token, and an end to the one before", OP_ADMIN | OP_WRITE, NULL,
     200, "Tenant", api_tenants_rotate},
    {"tenants.remove", "DELETE", "/v1/admin/tenants/:id",
     "remove a tenant with all it has", OP_ADMIN | OP_WRITE, tenant_end, 200,
     "Deleted", api_tenants_remove},

    {"conversations.list", "GET", "/v1/conversations",
     "conversations, the last changed first", 0, page, 200, "Conversations",
     api_conversations_list},
    {"conversations.add", "POST", "/v1/conversations", "begin a conversation",
     OP_WRITE, conversation_new, 201, "Conversation", api_conversations_add},
    {"conversations.get", "GET", CONVERSATION, "one conversation", 0, NULL, 200,
     "Conversation", api_conversations_get},
    {"conversations.patch", "PATCH", CONVERSATION,
     "change its title, put it away or bring it back", OP_WRITE,
     conversation_change, 200, "Conversation", api_conversations_patch},
    {"conversations.remove", "DELETE", CONVERSATION,
     "delete a conversation with its artifacts, for good", OP_WRITE, NULL, 200,
     "Deleted", api_conversations_remove},
    {"entries.list", "GET", CONVERSATION "/entries",
     "its entries, in the order of the file", 0, entry_page, 200, "Entries",
     api_entries_list},
    {"entries.add", "POST", CONVERSATION "/entries", "append an entry",
     OP_WRITE, entry_new, 201, "Appended", api_entries_add},
    {"messages.list", "GET", CONVERSATION "/messages",
     "its messages, the oldest first", 0, entry_page, 200, "Messages",
     api_messages_list},
    {"messages.add", "POST", CONVERSATION "/messages", "append a message",
     OP_WRITE, message_new, 201, "Appended", api_messages_add},
    {"context", "GET", CONVERSATION "/context", "what a model is to see", 0,
     context_of, 200, "Any", api_context},
    {"tree", "GET", CONVERSATION "/tree", "its entries as a tree", 0, NULL, 200,
     "Any", api_tree},
    {"workspace", "POST", CONVERSATION "/workspace",
     "a request of the tool workspace", OP_WRITE | OP_RAW, NULL, 200, "Any",
     api_workspace},

    {"artifacts.list", "GET", CONVERSATION "/artifacts",
     "artifacts of a conversation, the last changed first", 0, artifact_page,
     200, "Artifacts", api_artifacts_list},
    {"artifacts.add", "POST", CONVERSATION "/artifacts",
     "put an artifact; 200 if it was there", OP_WRITE, artifact_new, 201,
     "ArtifactPut", api_artifacts_add},
    {"artifacts.of", "GET", CONVERSATION "/artifacts/:aid", "one artifact", 0,
     version_of, 200, "Artifact", api_artifacts_get},
    {"artifacts.of.raw", "GET", CONVERSATION "/artifacts/:aid/raw",
     "its content", OP_RAW_ANSWER, version_of, 200, "Bytes", api_artifacts_raw},
    {"artifacts.of.versions", "GET", CONVERSATION "/artifacts/:aid/versions",
     "its past", 0, NULL, 200, "Any", api_artifacts_versions},
    {"artifacts.of.remove", "DELETE", CONVERSATION "/artifacts/:aid",
     "put an artifact away", OP_WRITE, NULL, 200, "Deleted",
     api_artifacts_remove},
    {"files.put", "PUT", CONVERSATION "/files/*path",
     "put any bytes under a path", OP_WRITE | OP_RAW, NULL, 201, "ArtifactPut",
     api_files_put},
    {"files.get", "GET", CONVERSATION "/files/*path", "the content of a path",
     OP_RAW_ANSWER, version_of, 200, "Bytes", api_files_get},
    {"files.remove", "DELETE", CONVERSATION "/files/*path",
     "put what is at a path away", OP_WRITE, NULL, 200, "Deleted",
     api_files_remove},

    {"artifacts.all", "GET", "/v1/artifacts",
     "artifacts of all conversations, the last changed first", 0, artifact_page,
     200, "Artifacts", api_artifacts_all},
    {"artifacts.search", "GET", "/v1/artifacts/search",
     "artifacts by their words", 0, search_for, 200, "Any",
     api_artifacts_search},
    {"artifacts.get", "GET", "/v1/artifacts/:aid", "one artifact", 0,
     version_of, 200, "Artifact", api_artifacts_get},
    {"artifacts.raw", "GET", "/v1/artifacts/:aid/raw", "its content",
     OP_RAW_ANSWER | OP_QUICK, version_of, 200, "Bytes", api_artifacts_raw},
    {"artifacts.remove", "DELETE", "/v1/artifacts/:aid", "put an artifact away",
     OP_WRITE, NULL, 200, "Deleted", api_artifacts_remove},

    {"blobs.put", "POST", "/v1/blobs", "store content under its digest",
     OP_WRITE | OP_RAW, NULL, 201, "Any", api_blobs_put},
    {"blobs.get", "GET", "/v1/blobs/:sha256", "content by its digest",
     OP_RAW_ANSWER, NULL, 200, "Bytes", api_blobs_get},
    {0},
};

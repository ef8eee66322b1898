/* fields_search.c - fields of operations: search, import, and what belongs to no noun */
#include "server/openapi/schema.h"
#include "server/routes/fields.h"

const struct field fields_search_all[] = {
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

const struct field fields_suggest_for[] = {
    FIELD("q", FIELD_TEXT, QUERY | FIELD_NEEDED, "the beginning of a word"),
    LIMIT(10, 100),
    END,
};

const struct field fields_import_new[] = {
    FIELD("agents", FIELD_TEXTS, 0, "import from these; default: from all"),
    END,
};

const struct field fields_ledger_page[] = {
    LIMIT(200, 1000),
    CURSOR,
    END,
};

const struct field fields_secrets_of[] = {
    FIELD("text", FIELD_TEXT, FIELD_NEEDED | FIELD_BYTES, "the text"),
    END,
};

const struct field fields_slash_text[] = {
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

const struct field fields_listen_to[] = {
    FIELD("conversation", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "events of this conversation"),
    FIELD("types", FIELD_TEXT, QUERY,
          "events of these types, like artifact,memory.added", .type = "text*"),
    FIELD("last_event_id", FIELD_TEXT, QUERY,
          "events after this id; same as the header Last-Event-ID"),
    END,
};

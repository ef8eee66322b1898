/* fields_memory.c - fields of operations: memory, relations, prompts */
#include "server/routes/fields.h"

#include "server/openapi/schema.h"

#define AS_OF \
    FIELD("as_of", FIELD_NUMBER, QUERY, "valid at this time, in seconds")

#define MEMORY_TEXTS                                                           \
    FIELD("content", FIELD_TEXT, FIELD_BYTES, "the text of the entry"),        \
        FIELD("source", FIELD_TEXT, FIELD_BYTES, "where the fact comes from"), \
        FIELD("tags", FIELD_TEXTS, FIELD_BYTES, "words to find it by")

const struct field fields_memory_page[] = {
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

const struct field fields_memory_new[] = {
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

const struct field fields_memory_change[] = {
    FIELD("type", FIELD_TEXT, 0, "another type", .type = MEMORY_TYPES),
    FIELD("title", FIELD_TEXT, FIELD_BYTES, "another title"),
    MEMORY_TEXTS,
    FIELD("artifact_id", FIELD_NUMBER, FIELD_NULL,
          "linked artifact; null or 0: none"),
    END,
};

const struct field fields_memory_of[] = {
    AS_OF,
    END,
};

const struct field fields_memory_end[] = {
    FIELD("when", FIELD_NUMBER, 0, "invalid since; default: now"),
    END,
};

const struct field fields_relation_page[] = {
    FIELD("source_id", FIELD_NUMBER, QUERY | FIELD_FROM_1, "from this entry"),
    FIELD("target_id", FIELD_NUMBER, QUERY | FIELD_FROM_1, "to this entry"),
    FIELD("relation", FIELD_TEXT, QUERY, "of this kind", .type = RELATIONS),
    LIMIT(200, 1000),
    CURSOR,
    END,
};

const struct field fields_relation_new[] = {
    FIELD("source_id", FIELD_NUMBER, FIELD_NEEDED | FIELD_FROM_1,
          "the entry it leads from"),
    FIELD("target_id", FIELD_NUMBER, FIELD_NEEDED | FIELD_FROM_1,
          "the entry it leads to"),
    FIELD("relation", FIELD_TEXT, FIELD_NEEDED,
          "relates_to, refines, contradicts, supersedes or supports",
          .type = RELATIONS),
    END,
};

const struct field fields_graph_of[] = {
    FIELD("type", FIELD_TEXT, QUERY, "of these types, like project,user",
          .type = MEMORY_TYPES "*"),
    FIELD("around", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "neighbours of this entry; default: all entries"),
    FIELD("depth", FIELD_NUMBER, QUERY, "distance from it; default 1"),
    FIELD("limit", FIELD_NUMBER, QUERY, "entries at most; default: all"),
    END,
};

const struct field fields_prompt_page[] = {
    FIELD("q", FIELD_TEXT, QUERY, "with all of these words"),
    FIELD("cwd", FIELD_TEXT, QUERY, "typed in this directory"),
    LIMIT(100, 1000),
    END,
};

const struct field fields_prompt_new[] = {
    FIELD("prompt", FIELD_TEXT, FIELD_NEEDED, "the prompt"),
    FIELD("cwd", FIELD_TEXT, 0, "its directory"),
    FIELD("conversation_id", FIELD_NUMBER, FIELD_FROM_1, "its conversation"),
    END,
};

/* fields_artifacts.c - fields of operations: artifacts and outputs */
#include "server/routes/fields.h"

const struct field fields_artifact_page[] = {
    LIMIT(200, 1000),
    CURSOR,
    FIELD("deleted", FIELD_FLAG, QUERY, "soft-deleted ones only"),
    END,
};

const struct field fields_artifact_new[] = {
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

const struct field fields_version_of[] = {
    FIELD("version", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "an older version; default: the current"),
    END,
};

const struct field fields_versions_of[] = {
    FIELD("from", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "the version before; default: the one before `to`"),
    FIELD("to", FIELD_NUMBER, QUERY | FIELD_FROM_1,
          "the version after; default: the current one"),
    END,
};

const struct field fields_artifact_end[] = {
    FIELD("purge", FIELD_FLAG, QUERY, "remove it for good, with its versions"),
    END,
};

const struct field fields_search_for[] = {
    FIELD("q", FIELD_TEXT, QUERY | FIELD_NEEDED, "words to search for"),
    FIELD("tag", FIELD_TEXT, QUERY, "with this tag"),
    FIELD("mime", FIELD_TEXT, QUERY, "with a media type that begins so"),
    LIMIT(20, 200),
    END,
};

const struct field fields_output_new[] = {
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

const struct field fields_output_lines[] = {
    FIELD("offset", FIELD_NUMBER, QUERY, "from this line on, counting from 1"),
    FIELD("grep", FIELD_TEXT, QUERY, "lines that match this expression"),
    FIELD("ignore_case", FIELD_FLAG, QUERY, "for grep"),
    FIELD("limit", FIELD_NUMBER, QUERY, "first lines of these; 0: all"),
    FIELD("tail", FIELD_NUMBER, QUERY, "last lines of these; 0: all"),
    END,
};

const struct field fields_output_numbered[] = {
    FIELD("offset", FIELD_NUMBER, QUERY, "from this line on, counting from 1"),
    FIELD("grep", FIELD_TEXT, QUERY, "lines that match this expression"),
    FIELD("ignore_case", FIELD_FLAG, QUERY, "for grep"),
    FIELD("tail", FIELD_NUMBER, QUERY, "last lines of these; 0: the first"),
    LIMIT(200, 2000),
    END,
};

/* fields_view.c - fields of operations: sessions for the viewer */
#include "server/routes/fields.h"

const struct field fields_heads_of[] = {
    FIELD("from", FIELD_NUMBER, QUERY,
          "from this entry on, in the order of the file, counting from 0"),
    END,
};

const struct field fields_path_of[] = {
    FIELD("leaf", FIELD_TEXT, QUERY,
          "of the path down to this entry; default: the current leaf"),
    END,
};

const struct field fields_changes_of[] = {
    FIELD("leaf", FIELD_TEXT, QUERY,
          "of the path down to this entry; default: the current leaf"),
    FIELD("from", FIELD_NUMBER, QUERY, "from this position on: next"),
    END,
};

const struct field fields_rails_of[] = {
    FIELD("leaf", FIELD_TEXT, QUERY, "the path to this entry is the main one"),
    FIELD("filter", FIELD_TEXT, QUERY,
          "which entries are rows besides branches and leaves: prompts and "
          "compactions, labelled ones, or all",
          .type = "user/labelled/all"),
    END,
};

const struct field fields_window_of[] = {
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

const struct field fields_entry_of[] = {
    FIELD("pointer", FIELD_TEXT, QUERY,
          "only the string at this JSON pointer, like "
          "/message/content/0/text"),
    FIELD("offset", FIELD_NUMBER, QUERY,
          "with pointer: from this UTF-16 unit on"),
    FIELD("limit", FIELD_NUMBER, QUERY, "with pointer: so many units at most",
          .otherwise = 100000, .max = 10000000),
    END,
};

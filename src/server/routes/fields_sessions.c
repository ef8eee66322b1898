/* fields_sessions.c - fields of operations: sessions, folders, entries, trash */
#include "server/routes/fields.h"

#define EXPECT                              \
    FIELD("expect", FIELD_TEXT, FIELD_NULL, \
          "the leaf must be this entry; root or null: the session is empty")

#define OP                     \
    FIELD("op", FIELD_TEXT, 0, \
          "a name of this append, applied once; 409 if it was another one")

const struct field fields_page[] = {
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

const struct field fields_folder_new[] = {
    FIELD("name", FIELD_TEXT, FIELD_NEEDED, "1 to 200 bytes, unique"),
    END,
};

const struct field fields_folder_change[] = {
    FIELD("name", FIELD_TEXT, 0, "another name"),
    FIELD("position", FIELD_NUMBER, 0,
          "folders are listed by it; up to 2147483647"),
    END,
};

const struct field fields_conversation_new[] = {
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

const struct field fields_conversation_change[] = {
    FIELD("title", FIELD_TEXT, FIELD_NULL,
          "its title; null removes it, an empty one changes nothing"),
    FIELD("archived", FIELD_FLAG, 0, "whether it is archived"),
    FIELD("folder_id", FIELD_NUMBER, FIELD_NULL, "its folder; null or 0: none"),
    FIELD("pinned", FIELD_FLAG, 0, "whether it is pinned"),
    FIELD("hold_reason", FIELD_TEXT, FIELD_NULL,
          "hold it for this reason; null releases it"),
    END,
};

const struct field fields_conversation_end[] = {
    FIELD("trash", FIELD_FLAG, QUERY,
          "move it into the trash instead of removing it at once"),
    END,
};

const struct field fields_trash_end[] = {
    FIELD("older_than", FIELD_NUMBER, QUERY,
          "only what was removed at least so many seconds ago"),
    END,
};

const struct field fields_entry_page[] = {
    LIMIT(200, 500),
    FIELD("after", FIELD_NUMBER, QUERY, "entries to skip: next_after"),
    FIELD("after_id", FIELD_TEXT, QUERY,
          "entries after this one; 0: from the first"),
    FIELD("hydrate", FIELD_FLAG, QUERY, "with the content of images"),
    END,
};

const struct field fields_entry_new[] = {
    FIELD("entry", FIELD_OBJECT, FIELD_NEEDED, "an object with a type"),
    FIELD("at", FIELD_TEXT, 0, "the parent's id, or root; else the leaf"),
    EXPECT,
    OP,
    FIELD("any", FIELD_FLAG, 0,
          "take it without the fields that its type needs, or with a type that "
          "looks like a mistake"),
    END,
};

const struct field fields_message_new[] = {
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

const struct field fields_context_of[] = {
    FIELD("leaf", FIELD_TEXT, QUERY,
          "ends at this entry; null: empty; default: the current leaf"),
    END,
};

const struct field fields_fork_to[] = {
    FIELD("cwd", FIELD_TEXT, 0, "directory of the copy; default: the same"),
    END,
};

const struct field fields_move_to[] = {
    FIELD("cwd", FIELD_TEXT, FIELD_NEEDED, "the directory of another project"),
    END,
};

const struct field fields_restore_of[] = {
    FIELD("path", FIELD_TEXT, FIELD_NEEDED, "path of the artifact"),
    END,
};

const struct field fields_label_new[] = {
    FIELD("label", FIELD_TEXT, FIELD_NEEDED, "its label; empty: none"),
    END,
};

const struct field fields_leaf_new[] = {
    FIELD("to", FIELD_TEXT, FIELD_NEEDED,
          "the entry that the next append goes below; root: none"),
    END,
};

const struct field fields_export_to[] = {
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

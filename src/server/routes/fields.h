/*
 * fields.h - the fields of operations; fields_<noun>.c has them
 */
#ifndef SERVER_ROUTES_FIELDS_H
#define SERVER_ROUTES_FIELDS_H

#include "server/route.h"

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

/* fields_admin.c */
extern const struct field fields_tenant_new[], fields_tenant_change[],
    fields_tenant_end[], fields_token_new[], fields_audit_page[],
    fields_collection[], fields_check_of[], fields_setting_change[],
    fields_usage_of[];

/* fields_sessions.c */
extern const struct field fields_page[], fields_folder_new[],
    fields_folder_change[], fields_conversation_new[],
    fields_conversation_change[], fields_conversation_end[], fields_trash_end[],
    fields_entry_page[], fields_entry_new[], fields_message_new[],
    fields_context_of[], fields_fork_to[], fields_move_to[],
    fields_restore_of[], fields_label_new[], fields_leaf_new[],
    fields_export_to[];

/* fields_view.c */
extern const struct field fields_heads_of[], fields_path_of[],
    fields_changes_of[], fields_rails_of[], fields_window_of[],
    fields_entry_of[];

/* fields_artifacts.c */
extern const struct field fields_artifact_page[], fields_artifact_new[],
    fields_version_of[], fields_versions_of[], fields_artifact_end[],
    fields_search_for[], fields_output_new[], fields_output_lines[],
    fields_output_numbered[];

/* fields_memory.c */
extern const struct field fields_memory_page[], fields_memory_new[],
    fields_memory_change[], fields_memory_of[], fields_memory_end[],
    fields_relation_page[], fields_relation_new[], fields_graph_of[],
    fields_prompt_page[], fields_prompt_new[];

/* fields_search.c */
extern const struct field fields_search_all[], fields_suggest_for[],
    fields_import_new[], fields_ledger_page[], fields_secrets_of[],
    fields_slash_text[], fields_listen_to[];

#endif

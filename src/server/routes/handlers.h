/*
 * handlers.h - what the files of routes/ share, and the handlers in the table
 */
#ifndef SERVER_ROUTES_HANDLERS_H
#define SERVER_ROUTES_HANDLERS_H

#include "server/response_json.h"

/* ---- artifacts.c -------------------------------------------------------- */

/* An artifact as a JSON object. */
void put_artifact(struct request *c, const quire_artifact *a);

/* Publish what a request of the tool workspace did to an artifact, by its
 * answer's data; `conversation` is 0 if the session has no number
 * (artifacts.c). */
void request_publish_workspace(struct request *c, int64_t conversation,
                               quire_bytes data);

/* ---- handlers ----------------------------------------------------------- */

void route_tenants_list(struct request *c);
void route_tenants_add(struct request *c);
void route_tenants_get(struct request *c);
void route_tenants_patch(struct request *c);
void route_tenants_rotate(struct request *c);
void route_tenants_remove(struct request *c);

void route_tokens_list(struct request *c);
void route_tokens_add(struct request *c);
void route_tokens_remove(struct request *c);

void route_audit(struct request *c);
void route_admin_collect(struct request *c);
void route_admin_check(struct request *c);
void route_admin_reindex(struct request *c);
void route_admin_stats(struct request *c);
void route_settings_list(struct request *c);
void route_settings_put(struct request *c);

void route_folders_list(struct request *c);
void route_folders_add(struct request *c);
void route_folders_patch(struct request *c);
void route_folders_remove(struct request *c);

/* What the address of a session in the trash names, as for
 * quire_session_restore(); trash.c. */
const char *request_trashed(struct request *c);

void route_trash_list(struct request *c);
void route_trash_empty(struct request *c);
void route_trash_remove(struct request *c);
void route_conversations_list(struct request *c);
void route_conversations_add(struct request *c);
void route_conversations_get(struct request *c);
void route_conversations_patch(struct request *c);
void route_conversations_remove(struct request *c);
void route_conversations_restore(struct request *c);
void route_conversations_fork(struct request *c);
void route_conversations_move(struct request *c);
void route_entries_list(struct request *c);
void route_entries_add(struct request *c);
void route_messages_list(struct request *c);
void route_messages_add(struct request *c);
void route_context(struct request *c);
void route_export(struct request *c);
void route_tree(struct request *c);

void route_artifacts_list(struct request *c);
void route_artifacts_add(struct request *c);
void route_artifacts_get(struct request *c);
void route_artifacts_raw(struct request *c);
void route_artifacts_remove(struct request *c);
void route_artifacts_restore(struct request *c);
void route_artifacts_versions(struct request *c);
void route_artifacts_all(struct request *c);
void route_artifacts_search(struct request *c);
void route_files_put(struct request *c);
void route_files_get(struct request *c);
void route_files_remove(struct request *c);
void route_workspace(struct request *c);

void route_outputs_list(struct request *c);
void route_outputs_add(struct request *c);
void route_outputs_get(struct request *c);
void route_outputs_lines(struct request *c);

void route_memory_list(struct request *c);
void route_memory_add(struct request *c);
void route_memory_get(struct request *c);
void route_memory_patch(struct request *c);
void route_memory_remove(struct request *c);
void route_memory_invalidate(struct request *c);
void route_relations_list(struct request *c);
void route_relations_add(struct request *c);
void route_relations_remove(struct request *c);
void route_graph(struct request *c);
void route_scratchpads_list(struct request *c);
void route_scratchpads_shared(struct request *c);
void route_scratchpads_get(struct request *c);

void route_search(struct request *c);
void route_search_suggest(struct request *c);

void route_history_list(struct request *c);
void route_history_add(struct request *c);
void route_usage(struct request *c);
void route_secrets(struct request *c);
void route_slash(struct request *c);

void route_import_found(struct request *c);
void route_import_get(struct request *c);
void route_import_start(struct request *c);
void route_import_ledger(struct request *c);

void route_blobs_put(struct request *c);
void route_blobs_get(struct request *c);

void route_events(struct request *c);

void route_mcp_post(struct request *c);
void route_mcp_get(struct request *c);
void route_mcp_delete(struct request *c);

void route_heads(struct request *c);
void route_window(struct request *c);
void route_entry(struct request *c);
void route_entry_image(struct request *c);
void route_entry_diff(struct request *c);
void route_rails(struct request *c);
void route_outline(struct request *c);
void route_turns(struct request *c);
void route_images(struct request *c);
void route_parts(struct request *c);
void route_changes(struct request *c);
void route_label(struct request *c);
void route_leaf(struct request *c);
void route_me(struct request *c);
void route_stats_sessions(struct request *c);
void route_stats_usage(struct request *c);
void route_stats_usage_csv(struct request *c);
void route_stats_storage(struct request *c);
void route_artifacts_diff(struct request *c);

void route_viewer(struct request *c);
void route_viewer_asset(struct request *c);
void route_health(struct request *c);
void route_ready(struct request *c);
void route_version(struct request *c);
void route_metrics(struct request *c);
void route_openapi(struct request *c);

#endif

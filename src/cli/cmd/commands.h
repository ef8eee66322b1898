/*
 * commands.h - every command, by noun
 *
 * A verb is defined in the file of its noun and listed in commands.c.
 */
#ifndef CLI_CMD_COMMANDS_H
#define CLI_CMD_COMMANDS_H

#include "cli/core/cli.h"

extern const struct cmd cmd_session_new, cmd_session_append, cmd_session_show,
    cmd_session_tree, cmd_session_context, cmd_session_branch,
    cmd_session_label, cmd_session_rename, cmd_session_fork,
    cmd_session_extract, cmd_session_move, cmd_session_ls, cmd_session_recent,
    cmd_session_files, cmd_session_export, cmd_session_check,
    cmd_session_repair, cmd_session_migrate, cmd_session_pin,
    cmd_session_restore, cmd_trash_ls, cmd_trash_empty, cmd_session_unpin,
    cmd_session_hold, cmd_session_release, cmd_session_archive,
    cmd_session_unarchive, cmd_session_rewrite, cmd_session_rm;

extern const struct cmd cmd_blob_put, cmd_blob_get, cmd_blob_stat, cmd_blob_ls,
    cmd_blob_check, cmd_blob_pin, cmd_blob_unpin;

extern const struct cmd cmd_output_sink, cmd_output_ls, cmd_output_read,
    cmd_output_agent, cmd_output_rm;

extern const struct cmd cmd_artifact_put, cmd_artifact_get, cmd_artifact_ls,
    cmd_artifact_search, cmd_artifact_stat, cmd_artifact_unpack,
    cmd_artifact_versions, cmd_artifact_rm, cmd_artifact_restore,
    cmd_artifact_recount, cmd_artifact_path;

extern const struct cmd cmd_memory_add, cmd_memory_ls, cmd_memory_show,
    cmd_memory_edit, cmd_memory_search, cmd_memory_relate, cmd_memory_unrelate,
    cmd_memory_graph, cmd_memory_invalidate, cmd_memory_rm;

extern const struct cmd cmd_history_add, cmd_history_ls, cmd_history_search,
    cmd_history_rm;

extern const struct cmd cmd_jp_externalize, cmd_jp_hydrate, cmd_jp_print,
    cmd_jp_files, cmd_jp_ls, cmd_jp_show, cmd_jp_new, cmd_jp_append,
    cmd_jp_fork, cmd_jp_archive, cmd_jp_unarchive, cmd_jp_rm;

extern const struct cmd cmd_tenant_token, cmd_tenant_add, cmd_tenant_ls,
    cmd_tenant_rotate, cmd_tenant_disable, cmd_tenant_enable, cmd_tenant_rm;

extern const struct cmd cmd_tool_workspace;

extern const struct cmd cmd_config_get, cmd_config_set, cmd_config_ls;

extern const struct cmd cmd_setup, cmd_open, cmd_resume, cmd_import, cmd_search,
    cmd_diff, cmd_read, cmd_run, cmd_serve, cmd_mcp, cmd_watch, cmd_slash,
    cmd_gc, cmd_check, cmd_repair, cmd_reindex, cmd_stats, cmd_du, cmd_retain,
    cmd_purge, cmd_sync, cmd_doctor, cmd_completion, cmd_help, cmd_version;

extern const struct cmd cmd_complete;

#endif

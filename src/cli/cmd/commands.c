/*
 * commands.c - the command table: every noun with its verbs, and the commands
 * without a noun
 *
 * A new noun is a struct here and its line in cli_nouns, a command without a
 * noun a line in cli_plain. Nothing in this directory calls into this file.
 */
#include "cli/cmd/commands.h"

static const struct cmd *const session_verbs[] = {
    &cmd_session_new,     &cmd_session_append,
    &cmd_session_show,    &cmd_session_tree,
    &cmd_session_context, &cmd_session_branch,
    &cmd_session_label,   &cmd_session_rename,
    &cmd_session_fork,    &cmd_session_extract,
    &cmd_session_move,    &cmd_session_ls,
    &cmd_session_recent,  &cmd_session_files,
    &cmd_session_export,  &cmd_session_check,
    &cmd_session_repair,  &cmd_session_migrate,
    &cmd_session_archive, &cmd_session_unarchive,
    &cmd_session_rewrite, &cmd_session_pin,
    &cmd_session_unpin,   &cmd_session_hold,
    &cmd_session_release, &cmd_session_rm,
    &cmd_session_restore, NULL,
};

static const struct noun noun_session = {
    .name = "session",
    .summary = "the entries of an agent's session, as a tree",
    .about =
        "A session is a file of JSON lines: a header, then entries, each "
        "naming its parent. Appending adds an entry below the current leaf; "
        "going back to an earlier entry starts a branch and erases nothing.\n\n"
        "S names a session: its id or the beginning of it, the path of a "
        "session file anywhere, or `last`, the one used last in this "
        "directory. Where S is optional, `--session` or QUIRE_SESSION replaces "
        "it.",
    .verbs = session_verbs,
};

static const struct cmd *const trash_verbs[] = {
    &cmd_trash_ls,
    &cmd_trash_empty,
    NULL,
};

static const struct noun noun_trash = {
    .name = "trash",
    .summary = "sessions that were removed and can be restored",
    .about =
        "`session rm` moves a session here with its outputs, artifacts and "
        "workspace, `session restore` brings it back. After the time of "
        "the setting trash.keep, 30 days unless changed, a collection "
        "removes it for good: `quire gc`, the one that runs by itself, or "
        "`quire serve`. In the trash a session is in no list and no "
        "search, and its artifacts count against no quota.",
    .verbs = trash_verbs,
};

static const struct cmd *const blob_verbs[] = {
    &cmd_blob_put,   &cmd_blob_get, &cmd_blob_stat,  &cmd_blob_ls,
    &cmd_blob_check, &cmd_blob_pin, &cmd_blob_unpin, NULL,
};

static const struct noun noun_blob = {
    .name = "blob",
    .summary = "immutable bytes named by their SHA-256",
    .about = "A blob is stored once, however often it is put, and every full "
             "read is checked against its digest. Its reference is "
             "`blob:sha256:` and 64 hex digits; commands accept the first six "
             "or more digits.\n\n"
             "`--store DIR` uses the blobs directory of another program: "
             "`loose` is JP's layout, `flat` oh-my-pi's.",
    .verbs = blob_verbs,
};

static const struct cmd *const output_verbs[] = {
    &cmd_output_sink,  &cmd_output_ls, &cmd_output_read,
    &cmd_output_agent, &cmd_output_rm, NULL,
};

static const struct noun noun_output = {
    .name = "output",
    .summary = "whole outputs of tools and reports of sub-agents",
    .about =
        "An output is stored in its session and has an address: artifact://3 is "
        "the fourth output of a tool, agent://0-Scout the report of a "
        "sub-agent. --session or QUIRE_SESSION names the session; without one, "
        "outputs are in $TMPDIR/quire-<uid>.",
    .verbs = output_verbs,
};

static const struct cmd *const artifact_verbs[] = {
    &cmd_artifact_put,      &cmd_artifact_get,  &cmd_artifact_ls,
    &cmd_artifact_search,   &cmd_artifact_stat, &cmd_artifact_unpack,
    &cmd_artifact_versions, &cmd_artifact_rm,   &cmd_artifact_restore,
    &cmd_artifact_recount,  &cmd_artifact_path, NULL,
};

static const struct noun noun_artifact = {
    .name = "artifact",
    .summary = "named files of a session, with versions",
    .about = "An artifact has a path in its session and an id; each put that "
             "changes it makes a version. Without --session, the last session "
             "of the current directory is used; `put` creates one if there is "
             "none. The built-in session `user` has what was stored without "
             "one.",
    .verbs = artifact_verbs,
};

static const struct cmd *const memory_verbs[] = {
    &cmd_memory_add,
    &cmd_memory_ls,
    &cmd_memory_show,
    &cmd_memory_edit,
    &cmd_memory_search,
    &cmd_memory_relate,
    &cmd_memory_unrelate,
    &cmd_memory_graph,
    &cmd_memory_invalidate,
    &cmd_memory_rm,
    NULL,
};

static const struct noun noun_memory = {
    .name = "memory",
    .summary = "facts that outlive their session",
    .about = "An entry is a typed fact: user, feedback, project, reference, "
             "learning or context. It belongs to the tenant, may be pinned to "
             "a session, may link an artifact, and may be related to others. "
             "Ids are written 12, #12 or mem:12.",
    .verbs = memory_verbs,
};

static const struct cmd *const history_verbs[] = {
    &cmd_history_add,
    &cmd_history_ls,
    &cmd_history_search,
    &cmd_history_rm,
    NULL,
};

static const struct noun noun_history = {
    .name = "history",
    .summary = "the prompts a person typed, searchable",
    .about =
        "Stored in history.db of the home, which oh-my-pi reads and writes, "
        "too. A prompt is stored once, with the time and directory of its "
        "last use.",
    .verbs = history_verbs,
};

static const struct cmd *const jp_verbs[] = {
    &cmd_jp_ls,     &cmd_jp_show,    &cmd_jp_print,       &cmd_jp_new,
    &cmd_jp_append, &cmd_jp_fork,    &cmd_jp_externalize, &cmd_jp_hydrate,
    &cmd_jp_files,  &cmd_jp_archive, &cmd_jp_unarchive,   &cmd_jp_rm,
    NULL,
};

static const struct noun noun_jp = {
    .name = "jp",
    .alias = "conversation",
    .summary = "conversations of JP, with their content in blobs",
    .about =
        "`quire conversation` is an alias of `quire jp`.\n\n"
        "A conversation is a directory that JP reads, in `.jp/conversations` of "
        "a workspace or in its private data. Quire reads and changes it in "
        "place, and stores content in `blobs` beside `conversations`, a file "
        "each, the same bytes on every machine. It needs no home.",
    .verbs = jp_verbs,
};

static const struct cmd *const tenant_verbs[] = {
    &cmd_tenant_add,     &cmd_tenant_ls,
    &cmd_tenant_rotate,  &cmd_tenant_token,
    &cmd_tenant_disable, &cmd_tenant_enable,
    &cmd_tenant_rm,      NULL,
};

static const struct noun noun_tenant = {
    .name = "tenant",
    .summary = "users of one home, each with separate sessions and artifacts",
    .about =
        "A home has the tenant `default`, and on your own machine needs no "
        "other. On a server each user is a tenant with a token: its sessions, "
        "artifacts, memory and history are separate, and another tenant's data "
        "is invisible. Blobs and settings belong to the home: a tenant reads a "
        "blob by its whole digest, and cannot list blobs.",
    .verbs = tenant_verbs,
    .all_tenants = true,
};

static const struct cmd *const tool_verbs[] = {
    &cmd_tool_workspace,
    NULL,
};

static const struct noun noun_tool = {
    .name = "tool",
    .summary = "tools for agents",
    .about = "JSON requests on standard input, JSON responses on standard "
             "output.",
    .verbs = tool_verbs,
};

static const struct cmd *const config_verbs[] = {
    &cmd_config_get,
    &cmd_config_set,
    &cmd_config_ls,
    NULL,
};

static const struct noun noun_config = {
    .name = "config",
    .summary = "settings of the home",
    .about = "Quotas of artifacts, how many versions to keep, where blobs are "
             "stored and what a write waits for. Each has a default.",
    .verbs = config_verbs,
};

const struct noun *const cli_nouns[] = {
    &noun_session, &noun_blob,    &noun_output, &noun_artifact,
    &noun_memory,  &noun_history, &noun_jp,     &noun_tenant,
    &noun_tool,    &noun_config,  &noun_trash,  NULL,
};

const struct cmd *const cli_plain[] = {
    &cmd_setup,   &cmd_open,   &cmd_import,     &cmd_resume, &cmd_search,
    &cmd_diff,    &cmd_read,   &cmd_run,        &cmd_serve,  &cmd_mcp,
    &cmd_watch,   &cmd_slash,  &cmd_gc,         &cmd_check,  &cmd_repair,
    &cmd_reindex, &cmd_stats,  &cmd_du,         &cmd_retain, &cmd_purge,
    &cmd_sync,    &cmd_doctor, &cmd_completion, &cmd_help,   &cmd_version,
    NULL,
};

const struct cmd *const cli_hidden[] = {&cmd_complete, NULL};

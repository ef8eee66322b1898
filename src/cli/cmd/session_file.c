/*
 * session_file.c - fork, extract, move and archive sessions
 */
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

/* ---- fork, extract, move ------------------------------------------------ */

static void warn_incomplete(void *ctx, const char *message)
{
    session_warn(ctx, "incomplete", "%s", message);
}

static int copy_session(struct cli *cli, const char *which, const char *cwd,
                        const char *entry)
{
    quire_session_copy_options o = QUIRE_SESSION_COPY_OPTIONS_INIT;
    quire_session *s = NULL;
    quire_error err = {0};

    o.cwd = cwd;
    o.entry = entry;
    o.warn = warn_incomplete;
    o.warn_ctx = cli;
    if (quire_session_copy(cli->q, which, &o, &s, &err))
        return session_fail(cli, &err);
    return session_print(cli, s);
}

static int session_fork(struct cli *cli, const struct args *args)
{
    const char *which;
    int code = session_named(cli, args, &which);

    return code ? code : copy_session(cli, which, args_text(args, "cwd"), NULL);
}

static const struct opt fork_opts[] = {
    {.name = "cwd",
     .kind = OPT_PATH,
     .value = "DIR",
     .help = "the project directory of the copy; the same unless given"},
    {0},
};

const struct cmd cmd_session_fork = {
    .name = "session fork",
    .args = "[S]",
    .summary = "copy a session",
    .about = "The copy has a new id; outputs are copied, too, and blobs if the "
             "session lies in another home. An output that cannot be read is "
             "left out with a warning. Prints one JSON object: id, path.",
    .opts = fork_opts,
    .examples = "quire session fork last",
    .store = STORE_WRITE,
    .run = session_fork,
};

static int session_extract(struct cli *cli, const struct args *args)
{
    return copy_session(cli, args->words[0], NULL, args->words[1]);
}

const struct cmd cmd_session_extract = {
    .name = "session extract",
    .args = "S ENTRY",
    .summary = "copy the path to an entry into a new session",
    .about = "The new session has the entries from the root to ENTRY, and no "
             "other branch. Prints one JSON object: id, path.",
    .examples = "quire session extract last a1",
    .store = STORE_WRITE,
    .run = session_extract,
};

static int session_move(struct cli *cli, const struct args *args)
{
    const char *cwd = args_text(args, "cwd");
    quire_session *s = NULL;
    quire_error err = {0};
    const char *which;
    int code;

    if (!cwd)
        return cli_usage(cli, "usage: quire session move S --cwd DIR",
                         "--cwd is missing");
    code = session_named(cli, args, &which);
    if (code)
        return code;
    if (quire_session_move(cli->q, which, cwd, &s, &err))
        return session_fail(cli, &err);
    return session_print(cli, s);
}

static const struct opt move_opts[] = {
    {.name = "cwd",
     .kind = OPT_PATH,
     .value = "DIR",
     .help = "its new project directory"},
    {0},
};

const struct cmd cmd_session_move = {
    .name = "session move",
    .args = "[S]",
    .summary = "move a session to another project directory",
    .about = "Moves its outputs, too, all or nothing. Prints one JSON object: "
             "id, path.",
    .opts = move_opts,
    .examples = "quire session move last --cwd ../elsewhere",
    .store = STORE_WRITE,
    .run = session_move,
};

/* ---- archive, unarchive ------------------------------------------------- */

void session_print_path(struct cli *cli, const char *path)
{
    struct row r;

    if (row_begin(&r, cli))
        json_put_str(&r.json, "path", path);
    else if (isatty(STDOUT_FILENO))
        term_add(&r.text, bytes_str(path), true);
    else
        buf_add_str(&r.text, path);
    row_print(&r);
}

static int archive_one(struct cli *cli, const char *which)
{
    const char *path = NULL;
    quire_error err = {0};

    if (quire_session_archive(cli->q, which, &path, &err))
        return session_fail(cli, &err);
    session_print_path(cli, path);
    return EXIT_DONE;
}

static int session_archive(struct cli *cli, const struct args *args)
{
    return each_session(cli, args, archive_one);
}

const struct cmd cmd_session_archive = {
    .name = "session archive",
    .args = "[S...]",
    .summary = "archive sessions",
    .about =
        "An archived session keeps its outputs and blobs, can be read by "
        "its id, and is listed by `session ls --archived` only. Prints the "
        "path of each file; with `--json`: path.",
    .examples = "quire session archive last",
    .store = STORE_WRITE,
    .run = session_archive,
};

static int unarchive_one(struct cli *cli, const char *which)
{
    const char *path = NULL;
    quire_error err = {0};

    if (quire_session_unarchive(cli->q, which, &path, &err))
        return session_fail(cli, &err);
    session_print_path(cli, path);
    return EXIT_DONE;
}

static int session_unarchive(struct cli *cli, const struct args *args)
{
    return each_session(cli, args, unarchive_one);
}

const struct cmd cmd_session_unarchive = {
    .name = "session unarchive",
    .args = "[S...]",
    .summary = "restore archived sessions",
    .about = "Prints the path of each file; with `--json`: path.",
    .examples = "quire session unarchive $(quire session ls --archived --ids)",
    .store = STORE_WRITE,
    .run = session_unarchive,
};

/*
 * session_file.c - fork, extract, move, archive and delete sessions
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/session.h"

/* ---- fork, extract, move ------------------------------------------------ */

static int session_fork(struct cli *cli, const struct args *args)
{
    quire_session *s = NULL;
    quire_error err = {0};
    const char *which;
    int code = session_named(cli, args, &which);

    if (code)
        return code;
    if (quire_session_fork(cli->q, which, args_text(args, "cwd"), &s, &err))
        return session_fail(cli, &err);
    return session_print(cli, s);
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
    .about = "The copy has a new id; outputs are copied, too. Prints one JSON "
             "object: id, path.",
    .opts = fork_opts,
    .examples = "quire session fork last",
    .store = STORE_WRITE,
    .run = session_fork,
};

static int session_extract(struct cli *cli, const struct args *args)
{
    quire_session *s = NULL;
    quire_error err = {0};

    if (quire_session_extract(cli->q, args->words[0], args->words[1], &s, &err))
        return session_fail(cli, &err);
    return session_print(cli, s);
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

static void print_path(struct cli *cli, const char *path)
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

static int session_archive(struct cli *cli, const struct args *args)
{
    const char *which, *path = NULL;
    quire_error err = {0};
    int code = session_named(cli, args, &which);

    if (code)
        return code;
    if (quire_session_archive(cli->q, which, &path, &err))
        return session_fail(cli, &err);
    print_path(cli, path);
    return EXIT_DONE;
}

const struct cmd cmd_session_archive = {
    .name = "session archive",
    .args = "[S]",
    .summary = "archive a session",
    .about = "It keeps its outputs and blobs, can be read by its id, and is "
             "listed by `session ls --archived` only. Prints the path of its "
             "file; with `--json`: path.",
    .examples = "quire session archive last",
    .store = STORE_WRITE,
    .run = session_archive,
};

static int session_unarchive(struct cli *cli, const struct args *args)
{
    const char *which, *path = NULL;
    quire_error err = {0};
    int code = session_named(cli, args, &which);

    if (code)
        return code;
    if (quire_session_unarchive(cli->q, which, &path, &err))
        return session_fail(cli, &err);
    print_path(cli, path);
    return EXIT_DONE;
}

const struct cmd cmd_session_unarchive = {
    .name = "session unarchive",
    .args = "[S]",
    .summary = "restore an archived session",
    .about = "Prints the path of its file; with `--json`: path.",
    .examples = "quire session unarchive $(quire session ls --archived --ids)",
    .store = STORE_WRITE,
    .run = session_unarchive,
};

/* ---- rm ----------------------------------------------------------------- */

static quire_status emit_file(void *ctx, const char *path, quire_error *err)
{
    print_path(ctx, path);
    return out_status(ctx, err);
}

/* The files that rm would delete. Of a file that cannot be opened, itself. */
static int print_files(struct cli *cli, const char *which)
{
    quire_session_options options = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s = NULL;
    quire_error err = {0};
    quire_status st;
    const char *path;

    options.flags = QUIRE_SESSION_READ;
    st = quire_session_open(cli->q, which, &options, &s, &err);
    if (!st)
        st = quire_session_files(s, emit_file, cli, &err);
    else if (st == QUIRE_DAMAGED &&
             !(st = quire_session_find(cli->q, which, &path, &err)))
        print_path(cli, path);
    quire_session_close(s);
    return st && !cli->out.error ? session_fail(cli, &err) : EXIT_DONE;
}

static int remove_one(struct cli *cli, const char *which)
{
    quire_error err = {0};
    const char *path;
    char *copy;

    if (quire_session_find(cli->q, which, &path, &err))
        return session_fail(cli, &err);
    copy = strdup(path);
    if (!copy) {
        err_memory(&err);
        return cli_fail(cli, &err);
    }
    if (quire_session_remove(cli->q, copy, &err)) {
        free(copy);
        return session_fail(cli, &err);
    }
    if (cli->json)
        print_path(cli, copy);
    free(copy);
    return EXIT_DONE;
}

static int session_rm(struct cli *cli, const struct args *args)
{
    bool dry = args_flag(args, "dry-run");
    quire_error err = {0};
    const char *path;
    int code = EXIT_DONE;
    size_t i;

    /* Check that all exist before the first is deleted. */
    for (i = 0; i < args->n_words && args->n_words > 1; i++) {
        if (quire_session_find(cli->q, args->words[i], &path, &err))
            return session_fail(cli, &err);
    }
    for (i = 0; i < args->n_words; i++) {
        const char *which = args->words[i];

        code = cli_worse(code, dry ? print_files(cli, which)
                                   : remove_one(cli, which));
    }
    return code;
}

static const struct opt rm_opts[] = {
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "delete nothing, print the files that would be deleted"},
    {0},
};

const struct cmd cmd_session_rm = {
    .name = "session rm",
    .args = "S...",
    .summary = "delete sessions and their outputs permanently",
    .about =
        "Deletes its outputs and artifacts, too. This cannot be undone; "
        "`session archive` hides a session instead. Blobs stay until `quire "
        "gc` removes them. With `--json`: the path of each deleted file.",
    .opts = rm_opts,
    .examples = "quire session rm --dry-run last",
    .store = STORE_WRITE,
    .run = session_rm,
};

/*
 * session_file.c - fork, extract, move, archive and delete sessions
 */
#include <stdlib.h>
#include <string.h>
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

static int archive_one(struct cli *cli, const char *which)
{
    const char *path = NULL;
    quire_error err = {0};

    if (quire_session_archive(cli->q, which, &path, &err))
        return session_fail(cli, &err);
    print_path(cli, path);
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
    print_path(cli, path);
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

/* ---- rm ----------------------------------------------------------------- */

/* A line for a file or row; `ctx` is the command line's. */
static quire_status emit_removal(void *ctx, const char *path, const char *row,
                                 uint64_t bytes, quire_error *err)
{
    struct cli *cli = ctx;
    const char *name = path ? path : row;
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_str(&r.json, path ? "path" : "row", name);
        json_put_uint(&r.json, "bytes", bytes);
    } else if (isatty(STDOUT_FILENO)) {
        term_add(&r.text, bytes_str(name), true);
    } else {
        buf_add_str(&r.text, name);
    }
    return row_emit(&r, err);
}

/* What is about to be removed, printed once it is. */
struct removal_line {
    char *path, *row;
    uint64_t bytes;
    struct removal_line *next;
};

struct removal_lines {
    struct removal_line *first, **last;
};

static quire_status keep_removal(void *ctx, const char *path, const char *row,
                                 uint64_t bytes, quire_error *err)
{
    struct removal_lines *lines = ctx;
    struct removal_line *line = calloc(1, sizeof *line);

    if (!line)
        return err_memory(err);
    line->path = path ? strdup(path) : NULL;
    line->row = row ? strdup(row) : NULL;
    line->bytes = bytes;
    *lines->last = line;
    lines->last = &line->next;
    return line->path || line->row ? QUIRE_OK : err_memory(err);
}

static void release_lines(struct removal_lines *lines)
{
    struct removal_line *line, *next;

    for (line = lines->first; line; line = next) {
        next = line->next;
        free(line->path);
        free(line->row);
        free(line);
    }
}

static int print_removal(struct cli *cli, const char *which)
{
    quire_error err = {0};
    quire_status st = quire_session_removal(cli->q, which, emit_removal, cli,
                                            &err);

    return st && !cli->out.error ? session_fail(cli, &err) : EXIT_DONE;
}

static int remove_one(struct cli *cli, const char *which)
{
    struct removal_lines lines = {NULL, &lines.first};
    const struct removal_line *line;
    quire_error err = {0};
    const char *path;
    char *copy = NULL;
    quire_status st = quire_session_find(cli->q, which, &path, &err);

    if (!st && !(copy = strdup(path)))
        st = err_memory(&err);
    if (!st && cli->json)
        st = quire_session_removal(cli->q, copy, keep_removal, &lines, &err);
    if (!st)
        st = quire_session_remove(cli->q, copy, &err);
    for (line = lines.first; line && !st; line = line->next)
        st = emit_removal(cli, line->path, line->row, line->bytes, &err);
    release_lines(&lines);
    free(copy);
    return st && !cli->out.error ? session_fail(cli, &err) : EXIT_DONE;
}

static int session_rm(struct cli *cli, const struct args *args)
{
    bool dry = args_flag(args, "dry-run");

    if (!dry)
        quire_make_room(cli->q);
    return each_session(cli, args, dry ? print_removal : remove_one);
}

static const struct opt rm_opts[] = {
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "delete nothing, print what would be deleted"},
    {0},
};

const struct cmd cmd_session_rm = {
    .name = "session rm",
    .args = "S...",
    .summary = "delete sessions and their outputs permanently",
    .about =
        "Deletes its outputs, artifacts and workspace, too. This cannot be "
        "undone; `session archive` hides a session instead. Blobs stay until "
        "`quire gc` removes them. `--dry-run` prints the files and artifacts "
        "that would be deleted. With `--json` both print a line for each: path "
        "or row, and bytes. Files that cannot be deleted are reported, with "
        "exit status 3; the next command that writes tries again.",
    .opts = rm_opts,
    .examples = "quire session rm --dry-run last",
    .store = STORE_WRITE,
    .run = session_rm,
};

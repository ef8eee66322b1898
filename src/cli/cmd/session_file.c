/*
 * session_file.c - fork, extract, move and archive sessions
 */
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

/* Sessions of a directory that was renamed, with their new directories. */
struct project {
    struct cli *cli;
    const char *from, *to;
    struct arena keep;
    struct moving_session {
        const char *id, *cwd;
        struct moving_session *next;
    } * list;
};

/* What follows `dir` in `cwd`; NULL: it is not that directory, nor below it. */
static const char *below(const char *cwd, const char *dir)
{
    size_t len = strlen(dir);

    while (len > 1 && dir[len - 1] == '/')
        len--;
    return !strncmp(cwd, dir, len) && (!cwd[len] || cwd[len] == '/') ? cwd + len
                                                                     : NULL;
}

static quire_status plan_session(void *ctx, const quire_session_info *info,
                                 quire_error *err)
{
    struct project *p = ctx;
    const char *rest = below(info->cwd, p->from);
    struct moving_session *m;

    if (!rest)
        return QUIRE_OK;
    m = arena_alloc(&p->keep, sizeof *m);
    if (!m)
        return err_memory(err);
    m->id = arena_text(&p->keep, bytes_str(info->id));
    m->cwd = arena_printf(&p->keep, "%s%s", p->to, rest);
    m->next = p->list;
    p->list = m;
    return m->id && m->cwd ? QUIRE_OK : err_memory(err);
}

/* A path as sessions have it: OLD is gone, so links in it are not resolved. */
static const char *absolute(const char *dir, struct arena *keep)
{
    char here[4096];

    return *dir == '/'                 ? dir
           : getcwd(here, sizeof here) ? arena_printf(keep, "%s/%s", here, dir)
                                       : NULL;
}

static int move_project(struct cli *cli, const char *from, const char *to)
{
    struct project p = {.cli = cli, .keep = ARENA_INIT};
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;
    struct moving_session *m;
    quire_error err = {0};
    int code = EXIT_DONE;

    p.from = absolute(from, &p.keep);
    p.to = absolute(to, &p.keep);
    if (!p.from || !p.to)
        err_set(&err, QUIRE_IO, "cannot tell the working directory");
    if (!err.status &&
        !quire_session_list(cli->q, &o, plan_session, &p, &err)) {
        o.archived = 1;
        quire_session_list(cli->q, &o, plan_session, &p, &err);
    }
    if (err.status) {
        arena_release(&p.keep);
        return cli_fail(cli, &err);
    }
    for (m = p.list; m; m = m->next) {
        quire_session *s = NULL;

        if (quire_session_move(cli->q, m->id, m->cwd, &s, &err))
            code = cli_worse(code, session_fail(cli, &err));
        else
            code = cli_worse(code, session_print(cli, s));
    }
    if (!p.list) {
        err_fail(&err, QUIRE_NOT_FOUND, "`quire session ls` shows directories",
                 "no session belongs to %.200s", p.from);
        code = cli_fail(cli, &err);
    }
    arena_release(&p.keep);
    return code;
}

static int session_move(struct cli *cli, const struct args *args)
{
    const char *cwd = args_text(args, "cwd"),
               *project = args_text(args, "project");
    quire_session *s = NULL;
    quire_error err = {0};
    const char *which;
    int code;

    if (project && !cwd && args->n_words == 1)
        return move_project(cli, project, args->words[0]);
    if (!cwd || project)
        return cli_usage(cli,
                         "usage: quire session move S --cwd DIR, or "
                         "--project OLD NEW",
                         project ? "--project needs the new directory alone"
                                 : "--cwd is missing");
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
    {.name = "project",
     .kind = OPT_PATH,
     .value = "OLD",
     .help =
         "move all sessions of the directory OLD, and of those below it, to "
         "the directory that is given in the place of S"},
    {0},
};

const struct cmd cmd_session_move = {
    .name = "session move",
    .args = "[S]",
    .summary = "move a session to another project directory",
    .about = "Moves its outputs, too, all or nothing. Prints one JSON object: "
             "id, path.\n"
             "\n"
             "After a project directory was renamed, `--project OLD NEW` moves "
             "its sessions along, archived ones too, and prints an object for "
             "each. One that another process writes to is reported and stays: "
             "run it again.",
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

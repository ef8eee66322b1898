/*
 * session_check.c - check, repair and migrate session files
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

enum { FORMAT_VERSION = 3 };

/* ---- check -------------------------------------------------------------- */

struct checking {
    struct cli *cli;
    const char *path; /* the current one; NULL: only one was named */
    int code;
};

static quire_status emit_problem(void *ctx, const quire_session_problem *p,
                                 quire_error *err)
{
    struct checking *c = ctx;
    struct row r;

    if (strcmp(p->kind, "unacknowledged") != 0)
        c->code = EXIT_DAMAGED;
    if (row_begin(&r, c->cli)) {
        json_put_uint(&r.json, "line", p->line);
        json_put_uint(&r.json, "byte", p->byte);
        json_put_str(&r.json, "kind", p->kind);
        json_put_str(&r.json, "message", p->message);
        if (c->path)
            json_put_str(&r.json, "path", c->path);
    } else {
        if (c->path) {
            term_add(&r.text, bytes_str(c->path), true);
            buf_add_str(&r.text, ": ");
        }
        buf_addf(&r.text,
                 "line %llu, byte %llu: %s: ", (unsigned long long)p->line,
                 (unsigned long long)p->byte, p->kind);
        term_add(&r.text, bytes_str(p->message), true);
    }
    return row_emit(&r, err);
}

static void check_one(struct checking *c, const char *which)
{
    quire_error err = {0};

    if (quire_session_check(c->cli->q, which, emit_problem, c, &err) &&
        !c->cli->out.error)
        c->code = cli_worse(c->code, session_fail(c->cli, &err));
}

/* The paths of all sessions, listed first: the callback of a list must not open
 * a session. */
struct paths {
    struct arena arena;
    const char **list;
    size_t n, cap;
};

static quire_status add_path(void *ctx, const quire_session_info *info,
                             quire_error *err)
{
    struct paths *p = ctx;
    const char *copy;

    if (!info->path)
        return QUIRE_OK;
    if (p->n == p->cap) {
        size_t cap = p->cap ? 2 * p->cap : 64;
        const char **list = realloc(p->list, cap * sizeof *list);

        if (!list)
            return err_memory(err);
        p->list = list;
        p->cap = cap;
    }
    copy = arena_text(&p->arena, bytes_str(info->path));
    if (!copy)
        return err_memory(err);
    p->list[p->n++] = copy;
    return QUIRE_OK;
}

static void check_all(struct checking *c)
{
    quire_list_options options = QUIRE_LIST_OPTIONS_INIT;
    struct paths paths = {.arena = ARENA_INIT};
    quire_error err = {0};
    quire_status st;
    size_t i;

    st = quire_session_list(c->cli->q, &options, add_path, &paths, &err);
    options.archived = 1;
    if (!st)
        st = quire_session_list(c->cli->q, &options, add_path, &paths, &err);
    if (st)
        c->code = cli_fail(c->cli, &err);
    progress_start(c->cli, "checking", false);
    for (i = 0; i < paths.n && !c->cli->out.error; i++) {
        progress_at(c->cli, i, paths.n);
        c->path = paths.list[i];
        check_one(c, c->path);
    }
    progress_end(c->cli);
    free(paths.list);
    arena_release(&paths.arena);
}

static int session_check(struct cli *cli, const struct args *args)
{
    struct checking c = {.cli = cli};
    const char *session = args_text(args, "session");
    size_t i;

    for (i = 0; i < args->n_words; i++) {
        c.path = args->n_words > 1 ? args->words[i] : NULL;
        check_one(&c, args->words[i]);
    }
    if (!args->n_words && session)
        check_one(&c, session);
    else if (!args->n_words)
        check_all(&c);
    return c.code;
}

const struct cmd cmd_session_check = {
    .name = "session check",
    .args = "[S...]",
    .summary = "check session files for damage",
    .about =
        "Without S and `--session`, all sessions of the home. Reads every byte "
        "and prints a line a problem: place, kind, message; nothing without a "
        "problem. Exit status 4: at least one problem. Changes nothing; `session "
        "repair` repairs.\n\n"
        "With `--json`: line, byte, kind, message, and path unless one S "
        "was named. The kinds are garbage, torn, no_newline, trailing, "
        "not_object, no_id, no_type, duplicate_id, missing_parent, cycle, "
        "second_header, header, utf8, too_long, too_deep, unacknowledged, missing_blob, damaged_blob, "
        "nul.",
    .examples = "quire session check\n"
                "quire session check last --json",
    .store = STORE_READ,
    .paged = true,
    .run = session_check,
};

/* ---- repair ------------------------------------------------------------- */

static void print_repaired(struct cli *cli, const char *path, const char *kept)
{
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_str(&r.json, "path", path);
        json_put_optional(&r.json, "kept", kept);
    } else {
        term_add(&r.text, bytes_str(path), true);
        buf_add_str(&r.text, kept ? " is repaired; the original is in "
                                  : " is not damaged");
        if (kept)
            term_add(&r.text, bytes_str(kept), true);
    }
    row_print(&r);
}

static int repair_one(struct cli *cli, const char *which)
{
    const char *found = NULL, *kept = NULL;
    char *path;
    quire_error err = {0};
    int code = EXIT_DONE;

    if (quire_session_find(cli->q, which, &found, &err))
        return session_fail(cli, &err);
    path = strdup(found);
    if (!path) {
        err_memory(&err);
        return cli_fail(cli, &err);
    }
    if (quire_session_repair(cli->q, path, &kept, &err))
        code = session_fail(cli, &err);
    else
        print_repaired(cli, path, kept);
    free(path);
    return code;
}

static int session_repair(struct cli *cli, const struct args *args)
{
    return each_session(cli, args, repair_one);
}

const struct cmd cmd_session_repair = {
    .name = "session repair",
    .args = "[S...]",
    .summary = "repair damaged session files",
    .about =
        "Replaces each file by its readable entries and keeps the original "
        "beside it. An undamaged file is not changed. Prints where the "
        "original is; with `--json`: path, kept (null if the file was not "
        "damaged).",
    .examples = "quire session repair last",
    .store = STORE_WRITE,
    .run = session_repair,
};

/* ---- migrate ------------------------------------------------------------ */

static int session_migrate(struct cli *cli, const struct args *args)
{
    quire_error err = {0};
    const char *which;
    struct row r;
    int from = 0, to;
    int code = session_named(cli, args, &which);

    if (code)
        return code;
    if (quire_session_migrate(cli->q, which, &from, &err))
        return session_fail(cli, &err);
    to = from > FORMAT_VERSION ? from : FORMAT_VERSION;
    if (row_begin(&r, cli)) {
        json_put_int(&r.json, "from", from);
        json_put_int(&r.json, "to", to);
    } else if (from == to) {
        buf_addf(&r.text, "already at version %d", to);
    } else {
        buf_addf(&r.text, "migrated from version %d to version %d", from, to);
    }
    row_print(&r);
    return EXIT_DONE;
}

const struct cmd cmd_session_migrate = {
    .name = "session migrate",
    .args = "[S]",
    .summary = "migrate an old session file to the current version",
    .about = "Rewrites a file of version 1 or 2 as version 3, atomically. "
             "Opening one for writing does the same; reading one changes "
             "nothing. With `--json`: from, to.",
    .examples = "quire session migrate last",
    .store = STORE_WRITE,
    .run = session_migrate,
};

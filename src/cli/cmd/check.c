/*
 * check.c - check and repair a whole home
 */
#include <stdio.h>

#include "base/bytes.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

struct checking {
    struct cli *cli;
    bool dry; /* --dry-run */
    uint64_t mended;
    int code;
};

/* ---- one problem -------------------------------------------------------- */

static void add_fields(struct json_writer *w, const quire_problem *p)
{
    json_put_str(w, "where", p->where);
    json_put_str(w, "kind", p->kind);
    if (p->line)
        json_put_uint(w, "line", p->line);
    if (p->has_byte)
        json_put_uint(w, "byte", p->byte);
    json_put_str(w, "message", p->what);
    json_put_str(w, "next", p->next);
}

static void add_place(struct buf *line, const quire_problem *p)
{
    term_add(line, bytes_str(p->where), true);
    if (p->line)
        buf_addf(line, ", line %llu", (unsigned long long)p->line);
    if (p->has_byte)
        buf_addf(line, ", byte %llu", (unsigned long long)p->byte);
}

/* `label` says what `p->next` is: "mended", "plan" or "next" for `repair`, ""
 * for `check`. */
static quire_status emit_problem(struct checking *c, const char *label,
                                 const quire_problem *p, quire_error *err)
{
    struct row r;

    if (row_begin(&r, c->cli)) {
        add_fields(&r.json, p);
        if (*label)
            json_put_bool(&r.json, "mended", label[0] == 'm');
    } else {
        add_place(&r.text, p);
        buf_addf(&r.text, ": %s: ", p->kind);
        term_add(&r.text, bytes_str(p->what), true);
        if (*p->next) {
            buf_addf(&r.text, "\n  %s: ", *label ? label : "next");
            term_add(&r.text, bytes_str(p->next), true);
        }
    }
    return row_emit(&r, err);
}

static quire_status show_problem(void *ctx, const quire_problem *problem,
                                 quire_error *err)
{
    struct checking *c = ctx;

    c->code = EXIT_DAMAGED;
    return emit_problem(c, "", problem, err);
}

static quire_status show_progress(void *ctx, uint64_t done, uint64_t total,
                                  quire_error *err)
{
    struct checking *c = ctx;

    (void)err;
    progress_at(c->cli, done, total);
    return QUIRE_OK;
}

/* ---- the summary -------------------------------------------------------- */

static void print_summary(struct cli *cli, const quire_check_summary *s)
{
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_uint(&r.json, "sessions", s->sessions);
        json_put_uint(&r.json, "blobs", s->blobs);
        json_put_uint(&r.json, "references", s->references);
        json_put_uint(&r.json, "unreferenced", s->unreferenced);
        json_put_uint(&r.json, "problems", s->problems);
    } else {
        add_count(&r.text, s->sessions, "session, ", "sessions, ");
        add_count(&r.text, s->blobs, "blob, ", "blobs, ");
        add_count(&r.text, s->references, "reference, ", "references, ");
        add_count(&r.text, s->unreferenced,
                  "blob unreferenced: ", "blobs unreferenced: ");
        add_count(&r.text, s->problems, "problem", "problems");
    }
    row_print(&r);
}

/* A check that failed exits with 3, not 1. */
static int fail(struct checking *c, const quire_error *err)
{
    int code;

    if (c->cli->out.error)
        return c->code;
    code = cli_fail(c->cli, err);
    if (code != EXIT_DAMAGED)
        code = EXIT_FAILED;
    return cli_worse(c->code, code);
}

/* ---- check -------------------------------------------------------------- */

static int check(struct cli *cli, const struct args *args)
{
    struct checking c = {.cli = cli};
    quire_check_summary sum = {0};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = show_problem,
                               .progress = show_progress,
                               .ctx = &c,
                               .summary = &sum};
    quire_error err = {0};
    unsigned flags = 0;
    quire_status st;

    if (args_flag(args, "quick") && args_flag(args, "full"))
        return cli_usage(cli, "leave out one of them",
                         "--quick and --full exclude each other");
    if (args_flag(args, "quick"))
        flags |= QUIRE_CHECK_QUICK;
    if (args_flag(args, "full"))
        flags |= QUIRE_CHECK_FULL;
    cli_warn_absent(cli);
    progress_start(cli, "checking", false);
    st = quire_check(cli->q, flags, &hooks, &err);
    progress_end(cli);
    if (st)
        return fail(&c, &err);
    print_summary(cli, &sum);
    return c.code;
}

static const struct opt check_opts[] = {
    {.name = "quick",
     .kind = OPT_FLAG,
     .help = "check presence and size of blobs and search indexes, without "
             "reading them"},
    {.name = "full",
     .kind = OPT_FLAG,
     .help = "also compare every derived index, list and counter with its "
             "source"},
    {0},
};

const struct cmd cmd_check = {
    .name = "check",
    .args = "",
    .summary = "check everything in the home",
    .about =
        "Checks the catalogue, every line of every session, every reference to "
        "a blob, every blob against its digest, and the search indexes; of all "
        "tenants, archived sessions too. Writes nothing, so that the home may be read-only.\n\n"
        "Prints each problem with its place and what to do, and a summary at "
        "the end. Unreferenced blobs are counted, but are not a problem. Exit "
        "status 4: at least one problem; 3: the check failed.\n\n"
        "A session has no checksums: a changed letter inside a message cannot "
        "be detected.\n\n"
        "With `--json`: a problem a line: where, kind, line and byte if known, "
        "message, next; then one line: sessions, blobs, references, "
        "unreferenced, problems.",
    .opts = check_opts,
    .examples = "quire check\nquire check --full",
    .store = STORE_READ,
    .paged = true,
    .run = check,
};

/* ---- repair ------------------------------------------------------------- */

static quire_status show_left(void *ctx, const quire_problem *problem,
                              quire_error *err)
{
    struct checking *c = ctx;

    c->code = EXIT_DAMAGED;
    return emit_problem(c, "next", problem, err);
}

static quire_status show_mended(void *ctx, const quire_problem *problem,
                                quire_error *err)
{
    struct checking *c = ctx;

    c->mended++;
    if (c->dry)
        c->code = EXIT_DAMAGED;
    return emit_problem(c, c->dry ? "plan" : "mended", problem, err);
}

static int repair(struct cli *cli, const struct args *args)
{
    struct checking c = {.cli = cli, .dry = args_flag(args, "dry-run")};
    quire_check_summary sum = {0};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = show_left,
                               .progress = show_progress,
                               .ctx = &c,
                               .mended = show_mended,
                               .summary = &sum};
    quire_error err = {0};
    quire_status st;

    progress_start(cli, "checking", false);
    cli_warn_absent(cli);
    st = quire_repair(cli->q, c.dry ? QUIRE_REPAIR_DRY : 0, &hooks, &err);
    progress_end(cli);
    if (st)
        return fail(&c, &err);
    print_summary(cli, &sum);
    return c.code;
}

static const struct opt repair_opts[] = {
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "print what would be repaired, and write nothing"},
    {0},
};

const struct cmd cmd_repair = {
    .name = "repair",
    .args = "",
    .summary = "repair what can be repaired without losing data",
    .about =
        "Checks the home like `check --full`. Wrong derived data is rebuilt: "
        "indexes, lists, counters. A blob file without a row in the catalogue "
        "is read and gets one. A damaged session is replaced by a repaired "
        "copy, with the original beside it. Nothing is deleted, and a home "
        "without problems is not changed.\n\n"
        "What is gone it cannot bring back: rows of a damaged quire.db, blobs "
        "that are damaged or missing, lines that cannot be read. Those come "
        "from a copy of the home only.\n\n"
        "Prints each problem, and how it was repaired or what you can do. Exit "
        "status 0: no problem is left; 4: some are.\n\n"
        "With `--json`: lines as by `check`, with `mended` true or false.",
    .opts = repair_opts,
    .examples = "quire repair --dry-run\nquire repair",
    .store = STORE_EITHER,
    .paged = true,
    .run = repair,
};

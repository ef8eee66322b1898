/*
 * output.c - list outputs, store reports of sub-agents
 */
#include "cli/cmd/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

int open_outputs(struct cli *cli, const struct args *args, quire_outputs **out)
{
    const char *session;
    quire_error err = {0};
    int code = session_default(cli, args, false, &session);

    if (code)
        return code;
    if (quire_outputs_open(cli->q, session, out, &err))
        return session_fail(cli, &err);
    return EXIT_DONE;
}

/* ---- ls ----------------------------------------------------------------- */

struct listing {
    struct cli *cli;
    size_t n;
};

static void add_members(struct json_writer *w, const quire_output *o)
{
    json_put_str(w, "address", o->address);
    json_put_str(w, "id", o->id);
    json_put_optional(w, "tool", o->tool);
    json_put_uint(w, "size_bytes", o->bytes);
    json_put_time(w, "modified_at", o->modified_us);
    json_put_str(w, "path", o->path);
}

static void add_row(struct buf *line, const quire_output *o)
{
    char when[LOCAL_TIME_SIZE], size[32];

    size_text(o->bytes, size, sizeof size);
    buf_addf(line, "%s  %10s  ", local_time(o->modified_us, when), size);
    term_add(line, bytes_str(o->address), true);
    if (*o->tool) {
        buf_add_str(line, "  ");
        term_add(line, bytes_str(o->tool), true);
    }
}

static quire_status list_one(void *ctx, const quire_output *o, quire_error *err)
{
    struct listing *l = ctx;
    struct row r;

    print_heading(l->cli, "modified                size  address  tool");
    if (row_begin(&r, l->cli))
        add_members(&r.json, o);
    else
        add_row(&r.text, o);
    l->n++;
    return row_emit(&r, err);
}

static int output_ls(struct cli *cli, const struct args *args)
{
    struct listing l = {cli, 0};
    quire_outputs *o = NULL;
    quire_error err = {0};
    int code = open_outputs(cli, args, &o);

    if (code)
        return code;
    if (quire_outputs_list(o, list_one, &l, &err))
        code = cli->out.error ? EXIT_DONE /* out_close() reports it */
                              : cli_fail(cli, &err);
    else if (l.n == 0 && !cli->json && !cli->quiet)
        fprintf(stderr, "no outputs in %s\n", quire_outputs_dir(o));
    quire_outputs_close(o);
    return code;
}

const struct cmd cmd_output_ls = {
    .name = "output ls",
    .args = "",
    .summary = "list the outputs of a session",
    .about = "Outputs of tools by number, then reports of sub-agents. "
             "With --json an object each: address, id, tool, size_bytes, "
             "modified_at, path.",
    .examples = "quire output ls --session last",
    .store = STORE_READ,
    .paged = true,
    .run = output_ls,
};

/* ---- agent -------------------------------------------------------------- */

static quire_status read_stdin(void *ctx, void *buf, size_t cap, size_t *n,
                               quire_error *err)
{
    ssize_t got;

    (void)ctx;
    do
        got = read(STDIN_FILENO, buf, cap);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        err_sys(err, errno, "cannot read standard input");
        if (err)
            err->status = QUIRE_IO;
        return QUIRE_IO;
    }
    *n = (size_t)got;
    return QUIRE_OK;
}

static void print_report(struct cli *cli, const quire_output *report,
                         bool temporary)
{
    struct row r;

    row_begin_json(&r, cli);
    json_put_str(&r.json, "id", report->id);
    json_put_str(&r.json, "path", report->path);
    json_put_str(&r.json, "address", report->address);
    if (temporary)
        json_put_bool(&r.json, "temporary", true);
    row_print(&r);
}

static int output_agent(struct cli *cli, const struct args *args)
{
    quire_outputs *o = NULL;
    quire_error err = {0};
    quire_output report;
    const char *parent;
    quire_status st;
    int code = open_outputs(cli, args, &o);

    if (code)
        return code;
    parent = args_text(args, "parent");
    if (parent && !strncmp(parent, "agent://", 8))
        parent += 8;
    st = quire_report_put(o, args->words[0], parent, read_stdin, NULL, &report,
                          &err);
    if (st) {
        code = cli_fail(cli, &err);
        if (st == QUIRE_INVALID)
            code = EXIT_USAGE;
    } else {
        print_report(cli, &report, quire_outputs_temporary(o));
    }
    quire_outputs_close(o);
    return code;
}

static const struct opt agent_opts[] = {
    {.name = "parent",
     .kind = OPT_TEXT,
     .value = "ID",
     .help = "the parent report, such as `0-Scout`; it need not exist yet"},
    {0},
};

const struct cmd cmd_output_agent = {
    .name = "output agent",
    .args = "NAME",
    .summary = "store the report of a sub-agent",
    .about =
        "Reads the report from standard input and stores it unchanged under the "
        "next index: the third one, of Scout, is agent://2-Scout. An existing "
        "report is never replaced. In NAME characters other than letters, "
        "digits, _ and - become _. Prints one JSON object: id, path, "
        "address.\n\n"
        "Without a session it is stored in a directory for temporary files.",
    .opts = agent_opts,
    .examples =
        "echo '{\"found\": 3}' | quire output agent Scout --session last",
    .store = STORE_WRITE,
    .run = output_agent,
};

/* ---- rm ----------------------------------------------------------------- */

struct removal {
    const struct args *args;
    struct listing listing;
    bool print; /* the outputs, instead of collecting their addresses  */
    struct arena keep;
    const char **addresses; /* of the outputs to remove, each once         */
    size_t n, cap;
    bool *found; /* for each word, whether there is such an output */
};

/* A word is a number, an id or an address. */
static bool is_named(struct removal *r, const quire_output *o)
{
    bool named = r->args->n_words == 0;
    size_t i;

    for (i = 0; i < r->args->n_words; i++) {
        if (strcmp(r->args->words[i], o->address) != 0 &&
            strcmp(r->args->words[i], o->id) != 0)
            continue;
        r->found[i] = true;
        named = true;
    }
    return named;
}

static quire_status take_output(void *ctx, const quire_output *o,
                                quire_error *err)
{
    struct removal *r = ctx;

    if (!is_named(r, o))
        return QUIRE_OK;
    if (r->print)
        return list_one(&r->listing, o, err);
    if (r->n == r->cap) {
        size_t cap = r->cap ? 2 * r->cap : 32;
        const char **more = arena_array(&r->keep, cap, sizeof *more);

        if (!more)
            return err_memory(err);
        if (r->n)
            memcpy(more, r->addresses, r->n * sizeof *more);
        r->addresses = more;
        r->cap = cap;
    }
    r->addresses[r->n] = arena_text(&r->keep, bytes_str(o->address));
    return r->addresses[r->n++] ? QUIRE_OK : err_memory(err);
}

/* All outputs named exist: else none is removed. */
static quire_status check_named(const struct removal *r, quire_error *err)
{
    size_t i;

    for (i = 0; i < r->args->n_words; i++) {
        if (!r->found[i])
            return err_fail(err, QUIRE_NOT_FOUND,
                            "`quire output ls` lists the outputs",
                            "no output %s", r->args->words[i]);
    }
    return QUIRE_OK;
}

static quire_status remove_outputs(struct cli *cli, quire_outputs *o,
                                   struct removal *r, quire_error *err)
{
    bool dry = args_flag(r->args, "dry-run");
    quire_status st = quire_outputs_list(o, take_output, r, err);
    size_t i;

    if (!st)
        st = check_named(r, err);
    if (!st && (dry || cli->json)) {
        r->print = true;
        st = quire_outputs_list(o, take_output, r, err);
    }
    for (i = 0; i < r->n && !st && !dry; i++)
        st = quire_output_remove(o, r->addresses[i], err);
    return st;
}

static int output_rm(struct cli *cli, const struct args *args)
{
    struct removal r = {.args = args, .listing = {cli, 0}};
    quire_outputs *o = NULL;
    quire_error err = {0};
    quire_status st;
    int code;

    if (!args->n_words != args_flag(args, "all"))
        return cli_usage(cli,
                         "give numbers or ids, as `quire output ls` prints "
                         "them, or --all",
                         args->n_words ? "outputs and --all are given"
                                       : "no output is named");
    code = open_outputs(cli, args, &o);
    if (code)
        return code;
    r.found = arena_array(&r.keep, args->n_words + 1, sizeof *r.found);
    st = r.found ? remove_outputs(cli, o, &r, &err) : err_memory(&err);
    if (st && !cli->out.error)
        code = cli_fail(cli, &err);
    quire_outputs_close(o);
    arena_release(&r.keep);
    return code;
}

static const struct opt rm_opts[] = {
    {.name = "all", .kind = OPT_FLAG, .help = "all outputs of the session"},
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "remove nothing, list the outputs that would be removed"},
    {0},
};

const struct cmd cmd_output_rm = {
    .name = "output rm",
    .args = "[N|ID|URL...]",
    .summary = "remove outputs of a session",
    .about = "N is the number of a tool's output, ID that of a report. This "
             "cannot be undone; a number is not given again. Prints nothing; "
             "with `--dry-run` or `--json` the outputs, as `output ls` prints "
             "them. Exits with 1, and removes nothing, if one of them does not "
             "exist.",
    .opts = rm_opts,
    .examples = "quire output rm --all --dry-run --session last",
    .store = STORE_WRITE,
    .run = output_rm,
};

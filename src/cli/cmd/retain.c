/* retain.c - move sessions into the trash by rules */
#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

static quire_status print_one(void *ctx, const char *session, const char *rule,
                              uint64_t bytes, const char *action,
                              quire_error *err)
{
    struct cli *cli = ctx;
    char size[32];
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_str(&r.json, "session", session);
        json_put_str(&r.json, "rule", rule);
        json_put_uint(&r.json, "bytes", bytes);
        json_put_str(&r.json, "action", action);
    } else {
        size_text(bytes, size, sizeof size);
        term_add(&r.text, bytes_str(session), true);
        buf_addf(&r.text, "  %10s  %-5s  %s", size, rule, action);
    }
    return row_emit(&r, err);
}

/* The number of an option; -1: the setting. */
static int64_t read_rule(const struct args *args, const char *name,
                         uint64_t unit)
{
    uint64_t n = args_number(args, name, UINT64_MAX);

    return n == UINT64_MAX ? -1 : (int64_t)(n / unit);
}

static int retain(struct cli *cli, const struct args *args)
{
    quire_retain_options o = QUIRE_RETAIN_OPTIONS_INIT;
    quire_error err = {0};

    o.apply = args_flag(args, "apply");
    if (o.apply == args_flag(args, "dry-run"))
        return cli_usage(cli, "usage: quire retain --dry-run|--apply",
                         "give --dry-run or --apply");
    o.age_s = read_rule(args, "age", 1000);
    o.bytes = read_rule(args, "size", 1);
    o.count = read_rule(args, "count", 1);
    o.each = print_one;
    o.ctx = cli;
    if (quire_retain(cli->q, &o, NULL, &err) && !cli->out.error)
        return cli_fail(cli, &err);
    return EXIT_DONE;
}

static const struct opt opts_retain[] = {
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "move nothing, print what would be moved"},
    {.name = "apply", .kind = OPT_FLAG, .help = "move it"},
    {.name = "age",
     .kind = OPT_TIME,
     .value = "DUR",
     .help = "what has not changed for so long goes, instead of retain.age"},
    {.name = "size",
     .kind = OPT_SIZE,
     .value = "SIZE",
     .help = "the oldest go until the files of the others have at most SIZE, "
             "instead of retain.size"},
    {.name = "count",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "the N that changed last stay, instead of retain.count"},
    {0},
};

const struct cmd cmd_retain = {
    .name = "retain",
    .args = "",
    .summary = "move old sessions into the trash, by rules",
    .about =
        "The settings retain.age, retain.size and retain.count are rules for "
        "the sessions of a tenant, archived ones too; 0, the default, is no "
        "rule. A server applies them once an hour. Pinned and held sessions "
        "stay. Each move is in the audit log. Prints a line for each session: "
        "with `--json` session, rule (age, size or count), bytes, action "
        "(trash; busy: a process writes to it, and it stays for now).",
    .opts = opts_retain,
    .examples = "quire retain --dry-run --age 90d",
    .store = STORE_WRITE,
    .run = retain,
};

/*
 * main.c - run one command
 *
 * Parse the command line, open the store if the command needs one, run it,
 * close everything, return the exit status. The table of commands is
 * cmd/commands.c.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "cli/cmd/foreign.h"
#include "cli/core/auto_gc.h"
#include "cli/core/cli.h"
#include "cli/core/help.h"
#include "cli/core/home.h"
#include "cli/core/secrets.h"

void cli_store_options(const struct args *args, quire_options *options)
{
    const char *kind = args_text(args, "kind");
    const char *layout = NULL;
    uint64_t wait_ms;
    int k, l;

    options->home = args_text(args, "home");
    options->database = args_text(args, "db");
    options->objects = args_text(args, "blobs");
    options->tenant = args_text(args, "tenant");
    if (args->noun && args->noun->all_tenants)
        options->tenant = "default";
    wait_ms = args_number(args, "wait", 5000);
    options->busy_ms = wait_ms < INT_MAX ? (int)wait_ms : INT_MAX;
    for (k = QUIRE_KIND_NATIVE; kind && k <= QUIRE_KIND_JP; k++) {
        if (!strcmp(kind, quire_kind_name((quire_kind)k)))
            options->kind = (quire_kind)k;
    }
    if (args->cmd && opt_find(args->cmd->opts, "store")) {
        options->blobs = args_text(args, "store");
        if (opt_find(args->cmd->opts, "layout"))
            layout = args_text(args, "layout");
    }
    for (l = QUIRE_LAYOUT_PACKED; layout && l <= QUIRE_LAYOUT_FLAT; l++) {
        if (!strcmp(layout, quire_layout_name((quire_layout)l)))
            options->layout = (quire_layout)l;
    }
}

void cli_warn_absent(struct cli *cli)
{
    bool told = args_text(cli->args, "db") ||
                (args_text(cli->args, "home") && !args_env(cli->args, "home") &&
                 cli->args->cmd->store != STORE_WRITE); /* by home_check() */

    if (told || cli->quiet || cli->json ||
        access(quire_home(cli->q), F_OK) == 0 || errno != ENOENT)
        return;
    out_flush(cli, NULL);
    fprintf(stderr, "quire: there is no home at %s yet\n", quire_home(cli->q));
}

static void apply_globals(struct cli *cli, const struct args *args)
{
    struct out *out = &cli->out;

    cli->args = args;
    cli->json = args_flag(args, "json");
    cli->quiet = args_flag(args, "quiet");
    if (args_text(args, "color"))
        out_colors(out, (enum color_mode)args_number(args, "color", 0));
    if (cli->quiet || cli->json || args_flag(args, "no-progress"))
        out->progress.enabled = false;
    if ((!args->cmd || args->cmd->paged || args_flag(args, "help")) &&
        !args_flag(args, "no-pager"))
        out_use_pager(out);
}

static void trace_line(void *ctx, const char *line)
{
    (void)ctx;
    fprintf(stderr, "trace: %s\n", line);
}

/* Whether an address has a password: "//user:password@". */
static bool has_password(const char *url)
{
    const char *at = strstr(url, "://");
    size_t len = at ? strcspn(at + 3, "/?") : 0;
    const char *end = at ? memchr(at + 3, '@', len) : NULL;

    return (end && memchr(at + 3, ':', (size_t)(end - at - 3))) ||
           strstr(url, "password=");
}

/* Arguments are in the process list, where every user sees them. */
static int check_addresses(struct cli *cli, const struct args *args,
                           const quire_options *options)
{
    if (options->objects && !options->database)
        return cli_usage(cli, "name the database with --db, or QUIRE_DB",
                         "--blobs needs --db");
    if (options->database && !args_env(args, "db") &&
        has_password(options->database))
        return cli_usage(
            cli,
            "set QUIRE_DB, or put it into the file that PGPASSFILE "
            "names (~/.pgpass)",
            "--db has a password, which the process list shows");
    return EXIT_DONE;
}

static int open_and_run(struct cli *cli, struct args *args)
{
    const struct cmd *cmd = args->cmd;
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_error err = {0};
    bool report = false;
    int code;

    if (cmd->store == STORE_NONE)
        return cmd->run(cli, args);
    cli_store_options(args, &options);
    if (options.layout && !options.blobs)
        return cli_usage(cli, "leave it out: a home has its own layout",
                         "--layout needs --store");
    if (cmd->store == STORE_READ)
        options.flags |= QUIRE_READ_ONLY;
    if (args_flag(args, "trace"))
        options.trace = trace_line;
    if (options.tenant && !*options.tenant)
        return cli_usage(cli, "leave it out for `default`",
                         "--tenant is empty");
    code = check_addresses(cli, args, &options);
    if (!code)
        code = foreign_use(cli, args, &options);
    if (!code && !options.blobs && !options.database)
        code = home_check(cli, args, &report);
    if (code)
        return code;
    if (quire_open(&options, &cli->q, &err)) {
        code = cli_fail(cli, &err);
        /* A disabled tenant is refused. */
        return err.status == QUIRE_INVALID && options.tenant ? EXIT_NO : code;
    }
    if (cmd->store == STORE_EITHER && access(quire_home(cli->q), W_OK) &&
        errno != ENOENT) {
        quire_close(cli->q);
        options.flags |= QUIRE_READ_ONLY;
        if (quire_open(&options, &cli->q, &err))
            return cli_fail(cli, &err);
    }
    quire_on_secret(cli->q, cli_note_secret, cli);
    code = cmd->run(cli, args);
    cli_count_secrets(cli);
    if (report)
        home_report_created(cli);
    if (cmd->store == STORE_WRITE && code == EXIT_DONE &&
        quire_collect_due(cli->q))
        auto_gc_start(quire_home(cli->q));
    quire_close(cli->q);
    return code;
}

/* Help on the noun or command given. A noun without a verb is an error, which
 * prints its verbs. */
static int print_help(struct cli *cli, const struct args *args)
{
    struct buf text = BUF_INIT(256 * 1024);
    bool asked = args_flag(args, "help");
    bool mistake = args->noun && !args->cmd && !asked;
    bool bold = mistake ? cli->out.color_err : cli->out.color;
    int code = EXIT_DONE;

    if (mistake && cli->json) {
        code = cli_usage(cli, "add --help for the list",
                         "`quire %s` needs a verb", args->noun->name);
    } else {
        if (args->cmd)
            help_cmd(&text, args->cmd, bold);
        else if (args->noun)
            help_noun(&text, args->noun, bold);
        else
            help_all(&text, bold);
        if (mistake) {
            fs_write_all(STDERR_FILENO, buf_bytes(&text));
            code = EXIT_USAGE;
        } else {
            out_write(cli, buf_bytes(&text));
        }
    }
    buf_release(&text);
    return code;
}

/* Before parsing, so that errors of the parser follow --json and --color, too. */
static void prescan_flags(struct cli *cli, int argc, char **argv)
{
    int i;

    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!strcmp(argv[i], "--json"))
            cli->json = true;
        else if (!strcmp(argv[i], "--color=always"))
            out_colors(&cli->out, COLOR_ALWAYS);
        else if (!strcmp(argv[i], "--color=never"))
            out_colors(&cli->out, COLOR_NEVER);
    }
}

int main(int argc, char **argv)
{
    static struct cli cli; /* its buffer is large for a stack */
    struct args args;
    int code;

    out_guard_descriptors();
    /* A closed pipe ends us silently, also if our parent ignores SIGPIPE. */
    signal(SIGPIPE, SIG_DFL);
    /* A file size limit is an error like a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    out_init(&cli.out);
    prescan_flags(&cli, argc, argv);

    code = args_parse(&cli, argc, (const char *const *)argv, &args);
    if (!code) {
        apply_globals(&cli, &args);
        if (args_ask_version(&args) && !args_flag(&args, "help"))
            code = cli_plain_cmd("version")->run(&cli, &args);
        else if (!args.cmd || args_flag(&args, "help"))
            code = print_help(&cli, &args);
        else
            code = open_and_run(&cli, &args);
    }
    code = out_close(&cli, code);
    args_release(&args);
    return code;
}

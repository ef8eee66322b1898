/* sync.c - exchange what two homes have */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

#include "cli/core/cli.h"
#include "cli/core/peer_process.h"

/* ---- the other side -------------------------------------------------------- */

/* host:dir, user@host, not a path: no slash stands before the colon or the at sign. */
static bool is_remote(const char *place)
{
    size_t at = strcspn(place, "/:@");

    return access(place, F_OK) != 0 && (place[at] == ':' || place[at] == '@');
}

/* Add a word for the shell at the other end. */
static void add_word(struct buf *out, const char *word)
{
    buf_add_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            buf_add_str(out, "'\\''");
        else
            buf_add_char(out, *word);
    buf_add_char(out, '\'');
}

struct remote {
    struct buf host, command;
    const char *shell; /* what is run with both: --ssh */
};

static void remote_release(struct remote *r)
{
    buf_release(&r->host);
    buf_release(&r->command);
}

/* "user@host:dir" as a host and a command. */
static quire_status plan_remote(struct remote *r, const char *place,
                                const char *program, const char *tenant,
                                quire_error *err)
{
    const char *colon = strchr(place, ':');

    buf_add(&r->host, place, colon ? (size_t)(colon - place) : strlen(place));
    if (r->host.len == 0 || *place == '-')
        return err_set(err, QUIRE_INVALID, "%.80s does not name a host", place);
    buf_add_str(&r->command, program);
    if (colon && colon[1]) {
        buf_add_str(&r->command, " --home ");
        add_word(&r->command, colon + 1);
    }
    if (tenant) {
        buf_add_str(&r->command, " --tenant ");
        add_word(&r->command, tenant);
    }
    buf_add_str(&r->command, " sync --serve");
    return buf_text(&r->host) && buf_text(&r->command) ? QUIRE_OK
                                                       : err_memory(err);
}

static quire_status start_remote(struct peer_process *p, const char *place,
                                 const struct args *args, const char *tenant,
                                 quire_error *err)
{
    const char *ssh = args_text(args, "ssh"),
               *program = args_text(args, "remote");
    struct remote r = {.host = BUF_INIT(4096), .command = BUF_INIT(65536)};
    char script[] = "eval \"exec $0 \\\"\\$1\\\" \\\"\\$2\\\"\"";
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL,
                    NULL,           NULL,           NULL};
    char *words = strdup(ssh ? ssh : "ssh");
    quire_status st = plan_remote(&r, place, program ? program : "quire",
                                  tenant, err);

    argv[3] = words;
    argv[4] = r.host.data;
    argv[5] = r.command.data;
    if (!st)
        st = words ? peer_start(p, argv, "ssh", err) : err_memory(err);
    free(words);
    remote_release(&r);
    return st;
}

/* Another home on this machine: this program, for it. */
static quire_status start_local(struct peer_process *p, const char *place,
                                const char *tenant, quire_error *err)
{
    char *home = strdup(place), *name = strdup(tenant ? tenant : "default");
    char *argv[] = {(char[]){"/proc/self/exe"},
                    (char[]){"--home"},
                    home,
                    (char[]){"--tenant"},
                    name,
                    (char[]){"sync"},
                    (char[]){"--serve"},
                    NULL};
    quire_status st = home && name ? peer_start(p, argv, "the other home", err)
                                   : err_memory(err);

    free(home);
    free(name);
    return st;
}

/* ---- the command ----------------------------------------------------------- */

static void print_result(struct cli *cli, const quire_sync_result *r)
{
    char out[32], in[32];
    struct row row;

    if (row_begin(&row, cli)) {
        json_put_uint(&row.json, "sent", r->sent);
        json_put_uint(&row.json, "received", r->received);
        json_put_uint(&row.json, "bytes_sent", r->bytes_sent);
        json_put_uint(&row.json, "bytes_received", r->bytes_received);
        json_put_uint(&row.json, "merged", r->merged);
        json_put_uint(&row.json, "skipped", r->skipped);
        json_put_uint(&row.json, "trips", r->trips);
    } else {
        size_text(r->bytes_sent, out, sizeof out);
        size_text(r->bytes_received, in, sizeof in);
        buf_addf(&row.text, "sent %llu (%s), received %llu (%s), merged %llu",
                 (unsigned long long)r->sent, out,
                 (unsigned long long)r->received, in,
                 (unsigned long long)r->merged);
        if (r->skipped)
            buf_addf(&row.text, ", skipped %llu",
                     (unsigned long long)r->skipped);
    }
    row_print(&row);
}

static int serve_one(struct cli *cli)
{
    struct peer_process p = {.in = STDIN_FILENO,
                             .out = STDOUT_FILENO,
                             .name = "the other side"};
    quire_sync_options o = QUIRE_SYNC_OPTIONS_INIT;
    quire_error err = {0};

    o.read = peer_read;
    o.write = peer_write;
    o.ctx = &p;
    signal(SIGPIPE, SIG_IGN);
    /* A failure is reported to the other side, which prints it. */
    return cli_exit(quire_sync_serve(cli->q, &o, NULL, &err));
}

static int sync_with(struct cli *cli, const struct args *args,
                     const char *place)
{
    quire_sync_options o = QUIRE_SYNC_OPTIONS_INIT;
    quire_options store = QUIRE_OPTIONS_INIT;
    quire_sync_result r = {0};
    struct peer_process p;
    quire_error err = {0}, why = {0};
    quire_status st, ended;

    cli_store_options(args, &store);
    st = is_remote(place) ? start_remote(&p, place, args, store.tenant, &err)
                          : start_local(&p, place, store.tenant, &err);
    if (st)
        return cli_fail(cli, &err);
    o.read = peer_read;
    o.write = peer_write;
    o.ctx = &p;
    st = quire_sync_home(cli->q, &o, &r, &err);
    ended = peer_end(&p, &why);
    /* The program that failed to start says more than the end of its stream. */
    if (st && ended && r.bytes_received == 0)
        err = why;
    if (st || ended)
        return cli_fail(cli, st ? &err : &why);
    print_result(cli, &r);
    return EXIT_DONE;
}

/* ---- what stays here -------------------------------------------------------- */

static const char *const kinds[] = {"session", "project", "folder"};

static int mark(struct cli *cli, const char *text, int on)
{
    size_t i, len = strcspn(text, "=");
    quire_error err = {0};

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text[len] && strlen(kinds[i]) == len &&
            !strncmp(text, kinds[i], len))
            return quire_sync_set_local(cli->q, (quire_sync_local)i,
                                        text + len + 1, on, &err)
                       ? cli_fail(cli, &err)
                       : EXIT_DONE;
    return cli_usage(cli, "such as project=/srv/private",
                     "%.60s is not session=S, project=DIR or folder=NAME",
                     text);
}

static quire_status print_mark(void *ctx, quire_sync_local kind,
                               const char *value, quire_error *err)
{
    struct row r;

    if (row_begin(&r, ctx)) {
        json_put_str(&r.json, "kind", kinds[kind]);
        json_put_str(&r.json, "value", value);
    } else {
        buf_addf(&r.text, "%s=", kinds[kind]);
        term_add(&r.text, bytes_str(value), true);
    }
    return row_emit(&r, err);
}

static int marks(struct cli *cli, const struct args *args)
{
    const char *text;
    quire_error err = {0};
    int code = EXIT_DONE;
    size_t i;

    for (i = 0; !code && (text = args_list(args, "keep-local", i)); i++)
        code = mark(cli, text, 1);
    for (i = 0; !code && (text = args_list(args, "share", i)); i++)
        code = mark(cli, text, 0);
    if (!code && args_flag(args, "list-local") &&
        quire_sync_locals(cli->q, print_mark, cli, &err) && !cli->out.error)
        code = cli_fail(cli, &err);
    return code;
}

static int sync_run(struct cli *cli, const struct args *args)
{
    bool marking = args_list(args, "keep-local", 0) ||
                   args_list(args, "share", 0) || args_flag(args, "list-local");
    bool serving = args_flag(args, "serve");
    int code;

    if ((args->n_words > 0) + serving > 1 ||
        (!args->n_words && !serving && !marking))
        return cli_usage(cli, "usage: quire sync PLACE",
                         "give one place, or --serve");
    code = marks(cli, args);
    if (code || (marking && !args->n_words))
        return code;
    return serving ? serve_one(cli) : sync_with(cli, args, args->words[0]);
}

static const struct opt opts_sync[] = {
    {.name = "ssh",
     .kind = OPT_TEXT,
     .value = "CMD",
     .help = "run CMD instead of ssh, with the host and the remote command as "
             "its last two arguments: \"ssh -p 2222\""},
    {.name = "remote",
     .kind = OPT_TEXT,
     .value = "CMD",
     .help = "what runs Quire on the other machine; quire unless given"},
    {.name = "serve",
     .kind = OPT_FLAG,
     .help = "be the other side, on standard input and output"},
    {.name = "keep-local",
     .kind = OPT_LIST,
     .value = "KIND=VALUE",
     .help = "from now on neither send nor take session=S, project=DIR (and "
             "below) or folder=NAME"},
    {.name = "share",
     .kind = OPT_LIST,
     .value = "KIND=VALUE",
     .help = "undo --keep-local"},
    {.name = "list-local",
     .kind = OPT_FLAG,
     .help = "list what stays in this home"},
    {0},
};

const struct cmd cmd_sync = {
    .name = "sync",
    .args = "[PLACE]",
    .summary = "exchange what two homes have",
    .about =
        "PLACE is another home: a directory (a USB stick, a mounted disk; it "
        "need not exist), or user@host or host:DIR, where ssh runs `quire sync "
        "--serve`. Each home gets what it lacks: sessions with their outputs, "
        "artifacts with their versions, memory, and the blobs they refer to. "
        "Nothing is removed in either, repeating it changes nothing, and an "
        "interrupted sync is continued by the next.\n"
        "\n"
        "A session is known by its id, wherever it lies. Where both homes have "
        "added to it, each gets the other's entries as a branch and keeps its "
        "own leaf; where one only continues the other, the leaf moves on. Of an "
        "artifact both contents are kept as versions. A session that another "
        "process writes to is left for the next run, and one in the trash is "
        "not taken back. Prompts, settings, pins and the trash stay in each "
        "home.\n"
        "\n"
        "With `--json`: sent and received (sessions, outputs, artifacts, memory "
        "entries), bytes_sent and bytes_received (of the compressed stream), "
        "merged (both homes had changed them), skipped, trips (how often this "
        "side waited for the other).",
    .opts = opts_sync,
    .examples = "quire sync ./stick",
    .store = STORE_WRITE,
    .run = sync_run,
};

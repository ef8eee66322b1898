/*
 * run_log.c - `quire run --log`: list and clear the records of past runs
 */
#include "cli/cmd/run_log.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/timestamp.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/session.h"
#include "cli/core/cli.h"

/* The command's arguments, separated by blanks. */
static void add_command(struct buf *line, const char *json)
{
    struct arena keep = ARENA_INIT;
    struct json_scan it;

    json_iter_init(&it, bytes_str(json));
    while (json_next(&it)) {
        buf_add_char(line, ' ');
        term_add(line, json_text(it.value, &keep), true);
    }
    arena_release(&keep);
}

/* "[time disk]": the limits it reached. */
static void add_hits(struct buf *line, const char *json)
{
    struct arena keep = ARENA_INIT;
    struct json_scan it;
    const char *before = " [";

    json_iter_init(&it, bytes_str(json));
    while (json_next(&it)) {
        buf_add_str(line, before);
        term_add(line, json_text(it.value, &keep), true);
        before = " ";
    }
    if (*before == ' ' && !before[1])
        buf_add_char(line, ']');
    arena_release(&keep);
}

static void add_record(struct buf *line, const quire_run_record *n)
{
    char when[TIMESTAMP_SIZE];

    timestamp_format(n->started_us, when);
    buf_addf(line, "#%-5" PRId64 " %.10s %.8s  %-10.10s ", n->id, when,
             when + 11, n->session);
    if (!n->ended)
        buf_add_str(line, "no end    ");
    else if (n->signal)
        buf_addf(line, "signal %-3d", n->signal);
    else if (n->exit < 0)
        buf_add_str(line, "not begun ");
    else
        buf_addf(line, "exit %-5d", n->exit);
    buf_addf(line, "%8" PRId64 " ms %s", n->duration_us / 1000,
             n->unconfined ? "UNCONFINED" : "");
    add_hits(line, n->hit);
    add_command(line, n->command);
}

static void add_members(struct json_writer *w, const quire_run_record *n)
{
    json_put_int(w, "id", n->id);
    json_put_str(w, "session", n->session);
    json_put_raw(w, "command", bytes_str(n->command));
    json_put_time(w, "started_at", n->started_us);
    json_put_bool(w, "ended", n->ended);
    json_put_int(w, "duration_ms", n->duration_us / 1000);
    json_put_int(w, "exit", n->exit);
    json_put_int(w, "signal", n->signal);
    json_put_uint(w, "stdout_bytes", n->out_bytes);
    json_put_uint(w, "stderr_bytes", n->err_bytes);
    json_put_raw(w, "limits_hit", bytes_str(n->hit));
    json_put_raw(w, "confined", bytes_str(n->confined));
    json_put_bool(w, "unconfined", n->unconfined);
}

static quire_status list_record(void *ctx, const quire_run_record *n,
                                quire_error *err)
{
    struct row r;

    if (row_begin(&r, ctx))
        add_members(&r.json, n);
    else
        add_record(&r.text, n);
    return row_emit(&r, err);
}

static int check_options(struct cli *cli, const struct args *args)
{
    if (!args_flag(args, "log") && args_flag(args, "clear"))
        return cli_usage(cli, "`quire run --log --clear` clears the log",
                         "--clear needs --log");
    if (!args_flag(args, "clear") && args_flag(args, "dry-run"))
        return cli_usage(cli,
                         "`quire run --log --clear --dry-run` lists what would "
                         "be removed",
                         "--dry-run needs --clear");
    if (args_flag(args, "clear") && args_text(args, "limit"))
        return cli_usage(cli, "leave it out",
                         "--limit does not apply to --clear");
    if (args->n_words || args_text(args, "command"))
        return cli_usage(cli, "leave out --log or the command",
                         "--log does not run a command");
    return EXIT_DONE;
}

int run_log(struct cli *cli, const struct args *args)
{
    const char *session = args_text(args, "session");
    bool clear = args_flag(args, "clear") && !args_flag(args, "dry-run");
    quire_error err = {0};
    quire_status st;
    int code = check_options(cli, args);

    if (code)
        return code;
    if (clear)
        st = quire_run_clear(cli->q, session, cli->json ? list_record : NULL,
                             cli, &err);
    else
        st = quire_run_list(cli->q, session, args_number(args, "limit", 0),
                            list_record, cli, &err);
    return st ? artifact_fail(cli, &err) : EXIT_DONE;
}

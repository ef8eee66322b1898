/*
 * resume.c - `quire resume`: go on with a session in an agent
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "cli/core/cli.h"

/* A word as a shell reads it. */
static void add_word(struct buf *out, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
        "VWXYZ0123456789_-./=:@%+,";

    if (*word && strspn(word, plain) == strlen(word)) {
        buf_add_str(out, word);
        return;
    }
    buf_add_char(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            buf_add_str(out, "'\\''");
        else
            buf_add_char(out, *word);
    }
    buf_add_char(out, '\'');
}

static void put_resume(struct json_writer *w, const quire_resume *r)
{
    size_t i;

    json_put_str(w, "agent", r->agent);
    json_key(w, "command");
    json_array(w);
    for (i = 0; r->argv[i]; i++)
        json_str(w, r->argv[i]);
    json_array_end(w);
    json_put_optional(w, "cwd", r->cwd);
    json_put_optional(w, "path", r->path);
    json_put_bool(w, "installed", r->installed != 0);
}

static quire_status print_command(void *ctx, const quire_resume *r,
                                  quire_error *err)
{
    struct cli *cli = ctx;
    struct buf line = BUF_INIT(64 * 1024);
    struct row row;
    size_t i;

    if (row_begin(&row, cli)) {
        put_resume(&row.json, r);
        return row_emit(&row, err);
    }
    if (*r->cwd) {
        buf_add_str(&line, "cd ");
        add_word(&line, r->cwd);
        buf_add_str(&line, " && ");
    }
    for (i = 0; r->argv[i]; i++) {
        if (i)
            buf_add_char(&line, ' ');
        add_word(&line, r->argv[i]);
    }
    term_add(&row.text, buf_bytes(&line), true);
    row.text.failed |= line.failed;
    buf_release(&line);
    return row_emit(&row, err);
}

/* The process becomes the agent. */
static quire_status run_command(void *ctx, const quire_resume *r,
                                quire_error *err)
{
    struct cli *cli = ctx;
    union {
        const char *const *given;
        char *const *taken;
    } argv = {r->argv}; /* execvp() changes nothing */
    quire_status st = out_flush(cli, err);

    if (st)
        return st;
    if (*r->cwd && chdir(r->cwd))
        return err_sys(err, errno, "cannot go to %s", r->cwd);
    execvp(r->argv[0], argv.taken);
    if (errno == ENOENT)
        return err_fail(err, QUIRE_NOT_FOUND, "install it, or set PATH",
                        "there is no program `%s`", r->argv[0]);
    return err_sys(err, errno, "cannot run %s", r->argv[0]);
}

static void warn_dropped(void *ctx, const char *kind, uint64_t n)
{
    session_warn(ctx, "dropped", "left out: %llu %s", (unsigned long long)n,
                 kind);
}

static int resume(struct cli *cli, const struct args *args)
{
    quire_export_options o = QUIRE_EXPORT_OPTIONS_INIT;
    quire_error err = {0};
    const char *which;
    quire_status st;
    int code = session_named(cli, args, &which);

    if (code)
        return code;
    o.leaf = args_text(args, "leaf");
    o.dropped = warn_dropped;
    o.dropped_ctx = cli;
    st = quire_export_resume(cli->q, which, args_text(args, "in"), &o,
                             args_flag(args, "run") ? run_command
                                                    : print_command,
                             cli, &err);
    return st && !cli->out.error ? session_fail(cli, &err) : EXIT_DONE;
}

/* "Agents: claude-code, …." */
static void add_agents(struct buf *out)
{
    quire_export_target t;
    const char *comma = "";
    unsigned i;

    buf_add_str(out, "Agents: ");
    for (i = 0; quire_export_target_at(i, &t); i++) {
        if (!t.can_resume)
            continue;
        buf_addf(out, "%s%s (%s)", comma, t.name, t.title);
        comma = ", ";
    }
    buf_add_char(out, '.');
}

static const struct opt resume_opts[] = {
    {.name = "in",
     .kind = OPT_TEXT,
     .value = "TARGET",
     .help = "the agent, see below; the one it was imported from unless given"},
    {.name = "leaf",
     .kind = OPT_TEXT,
     .value = "ENTRY",
     .help = "go on below this entry, instead of the current leaf"},
    {.name = "run",
     .kind = OPT_FLAG,
     .help = "run the command instead of printing it"},
    {0},
};

const struct cmd cmd_resume = {
    .name = "resume",
    .args = "[S]",
    .summary = "go on with a session in an agent",
    .about =
        "Prints the command that continues the session in the agent, in the "
        "session's directory. If the agent does not have the session yet, it is "
        "placed there first, as `quire session export --install` does; what the "
        "agent cannot hold is reported. With `--json`: agent, command, cwd, "
        "path, installed.",
    .add_about = add_agents,
    .opts = resume_opts,
    .examples = "quire resume last --in codex",
    .store = STORE_EITHER,
    .run = resume,
};

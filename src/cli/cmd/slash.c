/*
 * slash.c - `quire slash`: run the commands in an agent's text
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/session.h"
#include "slash/reply_json.h"

/* More than a model writes in one turn. */
#define TEXT_MAX ((size_t)256 << 20)

struct replying {
    struct cli *cli;
    bool failed; /* at least one command */
    bool guard;  /* standard output is a terminal */
    struct buf line;
};

/* ---- JSON --------------------------------------------------------------- */

static quire_status emit_line(struct replying *r, quire_error *err)
{
    quire_status st = buf_status(&r->line, "a reply", err);

    if (st)
        return st;
    out_line(r->cli, &r->line);
    return out_status(r->cli, err);
}

static quire_status emit_file(void *ctx, const quire_slash_file *file,
                              quire_error *err)
{
    struct replying *r = ctx;
    struct json_writer w;

    buf_clear(&r->line);
    json_begin(&w, &r->line);
    json_object(&w);
    json_put_str(&w, "event", "file");
    json_put_bytes(&w, "path", file->path);
    json_put_uint(&w, "size", file->content.len); /* the older name */
    json_put_uint(&w, "size_bytes", file->content.len);
    json_content(&w, "content", file->content);
    json_object_end(&w);
    return emit_line(r, err);
}

/* ---- running ------------------------------------------------------------ */

static quire_status emit_reply(void *ctx, const quire_slash_reply *reply,
                               quire_error *err)
{
    struct replying *r = ctx;
    struct cli *cli = r->cli;
    struct json_writer w;

    r->failed |= reply->status != QUIRE_OK;
    buf_clear(&r->line);
    if (cli->json) {
        json_begin(&w, &r->line);
        reply_write(&w, reply);
        return emit_line(r, err);
    }
    if (r->guard)
        term_add(&r->line, reply->block, false);
    if (r->line.failed)
        return err_memory(err);
    out_write(cli, r->guard ? buf_bytes(&r->line) : reply->block);
    return out_status(cli, err);
}

/* --allow, ended by NULL; NULL when it was not given. */
static const char **take_allowed(const struct args *args)
{
    size_t n = 0, i;
    const char **list;

    while (args_list(args, "allow", n))
        n++;
    list = n ? calloc(n + 1, sizeof *list) : NULL;
    for (i = 0; list && i < n; i++)
        list[i] = args_list(args, "allow", i);
    return list;
}

static int slash(struct cli *cli, const struct args *args)
{
    quire_slash_options o = QUIRE_SLASH_OPTIONS_INIT;
    struct replying r = {
        .cli = cli,
        .guard = isatty(STDOUT_FILENO) || cli->out.pager,
        .line = BUF_INIT(4 * TEXT_MAX),
    };
    const char **allowed = take_allowed(args);
    struct buf text = BUF_INIT(TEXT_MAX);
    quire_error err = {0};
    quire_status st = QUIRE_OK;
    int code;

    o.session = args_text(args, "session");
    o.agent = args_text(args, "agent");
    o.allowed = allowed;
    o.budget = args_number(args, "budget", 0);
    o.style = args_number(args, "style", 0) ? QUIRE_SLASH_ARBITER
                                            : QUIRE_SLASH_DOCUMENT;
    o.file = cli->json ? emit_file : NULL;
    o.file_ctx = &r;
    if (args_list(args, "allow", 0) && !allowed)
        st = err_memory(&err);
    if (!st)
        st = input_read(NULL, &text, &err);
    if (!st)
        st = quire_slash(cli->q, buf_bytes(&text), &o, emit_reply, &r, &err);
    if (st && !cli->out.error)
        code = cli_fail(cli, &err);
    else
        code = r.failed ? EXIT_NO : EXIT_DONE; /* out_close() reports it */
    buf_release(&text);
    buf_release(&r.line);
    free(allowed);
    return code;
}

static const struct opt slash_opts[] = {
    {.name = "agent",
     .kind = OPT_TEXT,
     .value = "NAME",
     .help =
         "the agent's name, which owns its scratchpad; `agent` unless given"},
    {.name = "allow",
     .kind = OPT_LIST,
     .value = "COMMAND",
     .help = "a command it may use, such as read or 'mem search'; may be given "
             "again; all unless given"},
    {.name = "budget",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "at most N bytes for all replies; 32k unless given"},
    {.name = "style",
     .kind = OPT_CHOICE,
     .value = "document|arbiter",
     .help = "wording of the replies: that of arbiter's documentation, or of "
             "its program; document unless given"},
    {0},
};

const struct cmd cmd_slash = {
    .name = "slash",
    .args = "",
    .summary = "run the commands in an agent's text",
    .about =
        "Reads an agent's text on standard input, and prints the reply to it: a "
        "block for each command. A command is a line that begins with /write, "
        "/read, /list or /mem, outside of code fences; /write and `/mem add "
        "entry` extend to /endwrite and /endmem. `/read PATH --from N` reads a "
        "long artifact on from byte N. Without --session, artifacts "
        "are unavailable.\n\n"
        "With --json one object a reply: command, args, line, status, kind, "
        "id, truncated, skipped, part (an image: media_type, encoding, "
        "content), encoding, body; before it, for a file that was written, one "
        "with event, path, size_bytes, encoding, content. Exits with 1 if a "
        "command failed.",
    .opts = slash_opts,
    .examples = "printf '/write --persist a.md\\nhello\\n/endwrite\\n' >turn\n"
                "quire slash --session user <turn\n"
                "echo '/mem search build' | quire slash --json",
    .store = STORE_EITHER,
    .run = slash,
};

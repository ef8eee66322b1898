/*
 * session_append.c - append entries from standard input
 *
 * Lines are appended as they come and acknowledged in groups: before each read
 * all entries so far are acknowledged, with --sync after one sync. A program
 * that sends a line and waits gets its answer at once; a thousand lines at a
 * time share one sync.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

enum {
    CHUNK_BYTES = 256 * 1024,
    ACKS_BYTES = 32 * 1024, /* printed at the latest then */
};

#define LINE_BYTES_MAX (512ULL * 1024 * 1024)

struct append {
    struct cli *cli;
    const struct args *args;
    quire_session *s;
    bool sync;
    struct buf acks; /* of what is appended and not acknowledged  */

    struct buf in;
    size_t at;     /* where the next line begins in `in`          */
    size_t seen;   /* up to here there is no newline              */
    bool ended;    /* at the end of the input                     */
    uint64_t line; /* the one at hand, from 1                     */

    uint64_t n;    /* entries so far                           */
    struct buf op; /* the name of the operation at hand        */
    quire_appended last;
    bool continued; /* the session was imported: these go to another one */
};

/* ---- acknowledging ------------------------------------------------------ */

static int acknowledge(struct append *a)
{
    quire_error err = {0};

    if (!a->acks.len)
        return EXIT_DONE;
    if (a->sync && quire_session_flush(a->s, &err)) {
        buf_clear(&a->acks);
        return cli_fail(a->cli, &err);
    }
    out_write(a->cli, buf_bytes(&a->acks));
    buf_clear(&a->acks);
    /* out_close() reports a failed write. */
    return out_flush(a->cli, &err) ? EXIT_FAILED : EXIT_DONE;
}

/* Report an error with its line number, after the acknowledgements of the lines
 * before it. */
static int report_line(struct append *a, const quire_error *err)
{
    quire_error numbered = *err;
    int code = acknowledge(a);

    err_set(&numbered, err->status, "line %llu: %s",
            (unsigned long long)a->line, err->what);
    memcpy(numbered.next, err->next, sizeof numbered.next);
    return cli_worse(code, cli_fail(a->cli, &numbered));
}

/* ---- reading ------------------------------------------------------------ */

/* Read more input behind the unread rest. */
static int read_more(struct append *a)
{
    quire_error err = {0};
    ssize_t got;
    char *room;
    int code = acknowledge(a);

    if (code)
        return code;
    if (a->at) {
        memmove(a->in.data, a->in.data + a->at, a->in.len - a->at);
        a->in.len -= a->at;
        a->at = 0;
    }
    a->seen = a->in.len;
    room = a->in.len > LINE_BYTES_MAX ? NULL : buf_room(&a->in, CHUNK_BYTES);
    if (!room) {
        if (a->in.len > LINE_BYTES_MAX)
            err_set(&err, QUIRE_INVALID, "longer than 512 MiB");
        else
            err_memory(&err);
        a->line++;
        return report_line(a, &err);
    }
    do
        got = read(STDIN_FILENO, room, CHUNK_BYTES);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        err_sys(&err, errno, "cannot read standard input");
        err.status = QUIRE_IO;
        return cli_fail(a->cli, &err);
    }
    buf_grow(&a->in, (size_t)got);
    a->ended = got == 0;
    return EXIT_DONE;
}

/* The next line, without its end; .data NULL at the end. Valid until the next
 * call. */
static int next_line(struct append *a, quire_bytes *line)
{
    *line = bytes_of(NULL, 0);
    for (;;) {
        const char *data = a->in.data, *end = NULL;
        int code;

        if (a->in.len > a->seen)
            end = memchr(data + a->seen, '\n', a->in.len - a->seen);
        if (end || (a->ended && a->in.len > a->at)) {
            size_t stop = end ? (size_t)(end - data) : a->in.len;

            *line = bytes_of(data + a->at, stop - a->at);
            a->at = a->seen = stop + (end != NULL);
            a->line++;
            return EXIT_DONE;
        }
        if (a->ended)
            return EXIT_DONE;
        code = read_more(a);
        if (code)
            return code;
    }
}

/* ---- appending ---------------------------------------------------------- */

/* --at and --expect are for the first entry; the others follow it. */
static int choose_options(struct append *a, quire_append_options *o)
{
    const char *op = args_text(a->args, "op");
    quire_error err = {0};

    o->any = args_flag(a->args, "any");
    if (a->n == 0) {
        o->at = args_text(a->args, "at");
        o->expect = args_text(a->args, "expect");
        o->op = op;
        return EXIT_DONE;
    }
    /* It existed already: the leaf may have moved since. */
    if (a->last.existed)
        o->at = a->last.id;
    if (op) {
        buf_clear(&a->op);
        /* \x1f is not allowed in --op. */
        buf_addf(&a->op, "%s\x1f%llu", op, (unsigned long long)a->n + 1);
        o->op = buf_text(&a->op);
        if (!o->op) {
            err_memory(&err);
            return report_line(a, &err);
        }
    }
    return EXIT_DONE;
}

static int append_one(struct append *a, quire_bytes entry)
{
    quire_append_options options = QUIRE_APPEND_OPTIONS_INIT;
    quire_appended done = {0};
    quire_error err = {0};
    int code = choose_options(a, &options);

    if (code)
        return code;
    if (quire_session_append(a->s, entry, &options, &done, &err))
        return report_line(a, &err);
    if (done.continued)
        session_continued(a->cli, a->s);
    a->continued = a->continued || done.continued;
    done.continued = a->continued;
    a->last = done;
    a->n++;
    if (done.truncated)
        session_warn(a->cli, "truncated",
                     "a string of entry %s is longer than 500,000 characters: "
                     "%s",
                     done.id,
                     done.truncated == 1
                         ? "it is cut, and the whole kept as a blob"
                         : "the rest of it was cut off");
    session_entry_json(&a->acks, a->s, &done);
    buf_add_char(&a->acks, '\n');
    return a->acks.len < ACKS_BYTES ? EXIT_DONE : acknowledge(a);
}

static int append_all(struct append *a)
{
    quire_error err = {0};
    int code;

    for (;;) {
        quire_bytes line;

        code = next_line(a, &line);
        if (code || !line.data)
            break;
        if (!ascii_is_blank(line))
            code = append_one(a, line);
        if (code)
            break;
    }
    if (!code)
        code = acknowledge(a);
    /* Also after a refused line: the entries before it are appended. */
    if (quire_session_flush(a->s, &err) && !code)
        code = cli_fail(a->cli, &err);
    return code;
}

static int session_append(struct cli *cli, const struct args *args)
{
    struct append a = {.cli = cli,
                       .args = args,
                       .sync = args_flag(args, "sync"),
                       .acks = BUF_INIT(1024 * 1024),
                       .in = BUF_INIT(LINE_BYTES_MAX + 2 * CHUNK_BYTES),
                       .op = BUF_INIT(64 * 1024)};
    const char *op = args_text(args, "op");
    int code;

    if (op && (!*op || strchr(op, '\x1f')))
        return cli_usage(cli, "give a key, such as the id of the request",
                         op[0] ? "--op contains a unit separator"
                               : "--op is empty");
    code = open_session(cli, args, 0, &a.s);

    if (!code)
        code = append_all(&a);
    quire_session_close(a.s);
    buf_release(&a.acks);
    buf_release(&a.in);
    buf_release(&a.op);
    return code;
}

static const struct opt append_opts[] = {
    {.name = "at",
     .kind = OPT_TEXT,
     .value = "ID|root",
     .help = "append below this entry instead of the current leaf; `root` "
             "starts a new tree"},
    {.name = "expect",
     .kind = OPT_TEXT,
     .value = "ID|root",
     .help = "append only if this is the current leaf (`root`: if there is no "
             "entry), else exit with 1"},
    {.name = "op",
     .kind = OPT_TEXT,
     .value = "KEY",
     .help = "an idempotency key: a repeat with the same key appends nothing, "
             "and a different entry with it is refused"},
    {.name = "any",
     .kind = OPT_FLAG,
     .help =
         "take entries of any shape: without the fields that their type needs, "
         "or with a type that looks like a mistake"},
    {.name = "sync",
     .kind = OPT_FLAG,
     .help = "acknowledge an entry only when it is durable"},
    {0},
};

const struct cmd cmd_session_append = {
    .name = "session append",
    .args = "[S]",
    .summary = "append entries, JSON lines on standard input",
    .about =
        "Each line is an object with a `type`; id, parentId and timestamp "
        "are kept if given, else generated. A message must have a role, and other "
        "known types the fields they need; an unknown type is kept, unless it is one "
        "letter from a known one: `mesage`. `--any` takes all. Each entry goes below the one "
        "before it. For every entry a JSON object is printed: id, parentId. "
        "Without `--sync` all entries are durable when the command ends.\n\n"
        "The first refused line ends the command: the error names the line, "
        "and the lines before it are appended. For safe retries give `--op`: "
        "entries that exist already are not appended again, and are printed "
        "with `\"existed\":true`.\n\n"
        "The options `--at` and `--expect` apply to the first line; an entry with a "
        "parentId goes below that. A string above 500,000 characters is cut, "
        "with a notice in it, a warning, and `\"truncated\":true`; `session show "
        "--json --hydrate`, `session context` and exports have all of it.\n\n"
        "A session that `quire import` has made stays as the agent's file is: the "
        "first append makes a fork of it, and each line has its id as `session`. "
        "Later appends to the imported session go to the same fork, until an import "
        "has changed it.",
    .opts = append_opts,
    .examples = "quire session append last <entries.jsonl\n"
                "echo '{\"type\":\"custom\"}' | quire session append last",
    .store = STORE_WRITE,
    .run = session_append,
};

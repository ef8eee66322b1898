/*
 * output_sink.c - the end of a pipe
 *
 *     make 2>&1 | quire output sink --tool make
 *
 * What stands on the left must not notice us: it is read to its end, whatever
 * becomes of the session, of the file, of our own reader or of the terminal.
 * Ctrl-C reaches both sides of a pipe; the left side ends by it, and then we
 * do, with all it printed kept. Who presses it again, or sends another signal,
 * is obeyed: what has been printed by then is kept, also what is still in the
 * pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "cli/core/cli.h"
#include "cli/cmd/output.h"

/* ---- signals ------------------------------------------------------------ */

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t stopped_by, times;

static void note_signal(int number)
{
    stopped_by = number;
    times++;
}

/* They are blocked, but for the time we wait: one that came between looking
 * and waiting would be slept through. `open` is what to wait with. */
static void catch_signals(sigset_t *open)
{
    struct sigaction action = {.sa_handler = note_signal}, old;
    sigset_t block;
    size_t i;

    sigemptyset(&block);
    for (i = 0; i < sizeof caught / sizeof *caught; i++) {
        sigaction(caught[i], NULL, &old);
        if (old.sa_handler == SIG_IGN)
            continue;
        sigaction(caught[i], &action, NULL);
        sigaddset(&block, caught[i]);
    }
    sigprocmask(SIG_BLOCK, &block, open);
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves must not end us early */
}

/* From here on a signal ends us: everything is kept, and whoever reads our
 * output may be in no hurry. */
static void release_signals(const sigset_t *open)
{
    struct sigaction old;
    size_t i;

    for (i = 0; i < sizeof caught / sizeof *caught; i++) {
        sigaction(caught[i], NULL, &old);
        if (old.sa_handler != SIG_IGN)
            signal(caught[i], SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, open, NULL);
}

static bool told_to_stop(void)
{
    return stopped_by && (stopped_by != SIGINT || times > 1);
}

/* End as the signal would have ended us. */
static void end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- the stream --------------------------------------------------------- */

#define PIECE     ((size_t)256 << 10)
#define PIPE_SIZE (1 << 20)

struct drain {
    struct cli *cli;
    quire_sink *sink;
    sigset_t open; /* signals that may come while we wait        */
    char *piece;
    uint64_t done;
    uint64_t after; /* bytes since we were told to stop           */
};

/* Whether there is something to read. We wait for it, or for a signal; once we
 * were told to stop, for nothing, and take no more than a pipe can hold. */
static bool wait_for_more(struct drain *d)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    struct timespec now = {0, 0};
    int n = 0;

    while (!told_to_stop()) {
        n = ppoll(&in, 1, NULL, &d->open);
        if (n >= 0 || errno != EINTR)
            return true; /* what is wrong the read will tell */
    }
    return d->after <= PIPE_SIZE && ppoll(&in, 1, &now, NULL) > 0;
}

/* All of standard input, or what has come when we are told to stop. */
static quire_status drain(struct drain *d, quire_error *err)
{
    quire_status st = QUIRE_OK;

    /* More room in the pipe, fewer turns between its two sides. It is no
     * pipe, or the system does not like it: as well. */
    fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_SIZE);
    progress_start(d->cli, "reading", true);
    while (!st && wait_for_more(d)) {
        ssize_t n = read(STDIN_FILENO, d->piece, PIECE);

        if (n < 0 && errno != EINTR && errno != EAGAIN) {
            err_sys(err, errno, "cannot read standard input");
            st = err->status = QUIRE_IO;
        }
        if (n == 0)
            break;
        if (n > 0) {
            quire_sink_write(d->sink, bytes_of(d->piece, (size_t)n));
            d->done += (uint64_t)n;
            d->after += told_to_stop() ? (uint64_t)n : 0;
            progress_at(d->cli, d->done, 0);
        }
    }
    progress_end(d->cli);
    return st;
}

/* ---- what came of it ---------------------------------------------------- */

static void add_file(struct json_writer *w, const quire_sink_result *r,
                     bool temporary)
{
    char address[64];

    snprintf(address, sizeof address, "artifact://%s", r->id ? r->id : "");
    json_put_optional(w, "artifactId", r->id);
    json_put_optional(w, "address", r->id ? address : NULL);
    json_put_optional(w, "path", r->id ? r->path : NULL);
    if (r->id && temporary) {
        json_put_bool(w, "temporary", true);
    }
    if (r->problem.status) {
        json_put_str(w, "artifactError", r->problem.what);
    }
}

/* A piece at a time: what is quote_text may be large, and is in memory already. */
static void say_quoted(struct cli *cli, quire_bytes text)
{
    struct buf quoted = BUF_INIT(8 * PIECE);

    while (text.len > 0) {
        size_t n = utf8_cut(text, PIECE);

        buf_clear(&quoted);
        json_add_quoted(&quoted, bytes_sub(text, 0, n));
        if (quoted.len >= 2)
            out_write(cli, bytes_of(quoted.data + 1, quoted.len - 2));
        text = bytes_sub(text, n, text.len);
    }
    buf_release(&quoted);
}

static void say_json(struct cli *cli, const quire_sink_result *r,
                     bool temporary)
{
    struct buf rest = BUF_INIT(64 * 1024);
    struct json_writer w;

    out_str(cli, "{\"output\":\"");
    say_quoted(cli, r->output);
    out_str(cli, "\"");
    json_begin(&w, &rest);
    w.comma = true; /* the output has just ended */
    json_put_bool(&w, "truncated", r->truncated);
    json_put_uint(&w, "totalLines", r->total_lines);
    json_put_uint(&w, "totalBytes", r->total_bytes);
    json_put_uint(&w, "outputLines", r->output_lines);
    json_put_uint(&w, "outputBytes", r->output_bytes);
    if (r->elided_bytes > 0) {
        json_put_uint(&w, "elidedLines", r->elided_lines);
        json_put_uint(&w, "elidedBytes", r->elided_bytes);
    }
    if (r->capped_lines > 0) {
        json_put_uint(&w, "columnTruncatedLines", r->capped_lines);
        json_put_uint(&w, "columnDroppedBytes", r->capped_bytes);
    }
    add_file(&w, r, temporary);
    json_object_end(&w);
    out_line(cli, &rest);
    buf_release(&rest);
}

static void say_text(struct cli *cli, const quire_sink_result *r)
{
    const char *text = r->output.data;

    out_write(cli, r->output);
    if (r->output.len > 0 && text[r->output.len - 1] != '\n' &&
        isatty(STDOUT_FILENO))
        out_str(cli, "\n");
}

/* Whether what is quote_text and what is said end up in one file, or on one
 * screen. There the end of the last line was seen to already. */
static bool same_place(void)
{
    struct stat out, talk;

    return !isatty(STDOUT_FILENO) && !fstat(STDOUT_FILENO, &out) &&
           !fstat(STDERR_FILENO, &talk) && out.st_dev == talk.st_dev &&
           out.st_ino == talk.st_ino;
}

/* In lines as a person counts them: what follows the last newline is none if
 * there is nothing. */
static void say_address(const quire_sink_result *r, bool temporary)
{
    uint64_t lines = r->total_lines - !r->ends_in_line;
    char size[32];

    size_text(r->total_bytes, size, sizeof size);
    if (r->ends_in_line && same_place())
        fputc('\n', stderr);
    fprintf(stderr, "full output: artifact://%s (%llu line%s, %s)%s%s\n", r->id,
            (unsigned long long)lines, lines == 1 ? "" : "s", size,
            temporary ? " in " : "", temporary ? r->path : "");
}

/* Results first, then the address: the last thing one sees. */
static int say(struct cli *cli, const quire_sink_result *r, bool temporary)
{
    int code = EXIT_DONE;

    if (cli->json)
        say_json(cli, r, temporary);
    else
        say_text(cli, r);
    out_flush(cli, NULL);
    if (r->problem.status) {
        quire_error err = r->problem;

        err_set(&err, r->problem.status, "%s%.200s",
                r->truncated ? "the whole output is not kept: " : "",
                r->problem.what);
        err_next(&err, "%s", r->problem.next);
        code = cli_fail(cli, &err) ? EXIT_FAILED : EXIT_DONE;
    } else if (r->id && !cli->json) {
        say_address(r, temporary);
    }
    if (cli->out.error == EPIPE)
        end_by(SIGPIPE);
    return code;
}

/* Without outputs the sink keeps no file; why not is said in the end, for what
 * stands in front of us goes on all the same. */
static int open_sink(struct cli *cli, const struct args *args, quire_outputs *o,
                     quire_sink **sink)
{
    quire_sink_options options = QUIRE_SINK_OPTIONS_INIT;
    quire_error err = {0};
    int code;

    options.tool = args_text(args, "tool");
    options.threshold = args_number(args, "threshold", options.threshold);
    options.head = args_number(args, "head", 0);
    options.columns = args_number(args, "columns", 0);
    if (!quire_sink_open(o, &options, sink, &err))
        return EXIT_DONE;
    code = cli_fail(cli, &err);
    return err.status == QUIRE_INVALID ? EXIT_USAGE : code;
}

static int output_sink(struct cli *cli, const struct args *args)
{
    struct drain d = {.cli = cli, .piece = malloc(PIECE)};
    quire_sink_result result;
    quire_outputs *o = NULL;
    quire_error why = {0}, err = {0};
    int code;

    quire_outputs_open(cli->q, args_text(args, "session"), &o, &why);
    code = open_sink(cli, args, o, &d.sink);
    if (code)
        goto out;
    if (!d.piece) {
        err_memory(&err);
        code = cli_fail(cli, &err);
        goto out;
    }
    catch_signals(&d.open);
    if (drain(&d, &err))
        code = cli_fail(cli, &err);
    quire_sink_finish(d.sink, &result);
    release_signals(&d.open);
    if (!o)
        result.problem = why;
    code = cli_worse(code, say(cli, &result, o && quire_outputs_temporary(o)));
    if (stopped_by)
        end_by(stopped_by);
out:
    quire_sink_free(d.sink);
    quire_outputs_close(o);
    free(d.piece);
    return code;
}

static const struct opt sink_opts[] = {
    {.name = "tool",
     .letter = 't',
     .kind = OPT_TEXT,
     .value = "T",
     .help = "who prints; part of the file's name. `tool` unless given"},
    {.name = "threshold",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "show up to N bytes, and of more the last N; 50K unless given"},
    {.name = "head",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "of these, N from the beginning; at most half"},
    {.name = "columns",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "show at most N bytes of a line"},
    {0},
};

const struct cmd cmd_output_sink = {
    .name = "output sink",
    .args = "",
    .summary = "keep all that comes, show its end",
    .about =
        "Reads standard input to its end and prints what is worth showing: "
        "all of it, or its last 50 KiB, from the middle of a line if need be. "
        "What is longer is kept whole in the session, and its address is the "
        "last thing on standard error, also with --quiet; `quire read` gives "
        "it back. Escape sequences and control characters are left out, CRLF "
        "and CR become newlines, and what is not UTF-8 is replaced by "
        "U+FFFD.\n\n"
        "If the file cannot be kept, or there is no such session, the end is "
        "shown all the same, and the exit status is 3. Ctrl-C ends the command "
        "in front of the pipe, and what it printed is kept; so it is when a "
        "signal ends the sink, but for SIGKILL. The status of that command is "
        "the shell's to tell: `set -o pipefail`.\n\n"
        "With --json one object: output, truncated, totalLines, totalBytes, "
        "outputLines, outputBytes, artifactId, address, path (null: there is "
        "no file); elidedLines, elidedBytes, columnTruncatedLines, "
        "columnDroppedBytes, artifactError where they apply. A newline at the "
        "end begins one more line in these counts. Without a session the file "
        "goes to a directory for temporary files, and `temporary` is true.",
    .opts = sink_opts,
    .examples = "seq 20000 | quire output sink --tool seq --session last\n"
                "quire output sink --head 20K --columns 768 </dev/null",
    .store = STORE_WRITE,
    .run = output_sink,
};

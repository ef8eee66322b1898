/*
 * output_sink.c - keep the output of a command
 *
 *     make 2>&1 | quire output sink --tool make
 *
 * The command on the left must not be disturbed: its output is read to the end
 * even if the session, the file, our reader or the terminal fails. Ctrl-C
 * reaches both sides of the pipe; the command ends, then the sink, with all
 * output kept. A second Ctrl-C or another signal ends the sink; what was
 * printed until then is kept, including what is still in the pipe.
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
#include "cli/cmd/commands.h"
#include "cli/core/signals.h"
#include "cli/cmd/output.h"

/* ---- signals ------------------------------------------------------------ */

/* Signals are blocked except in ppoll(): one between the check of the flag and
 * the wait would be missed. `open` is the mask to wait with. */
static void catch_signals(sigset_t *open)
{
    sigset_t block;

    signals_catch_set(0, &block);
    sigprocmask(SIG_BLOCK, &block, open);
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves must not end us early */
}

/* From here on a signal ends the process: all output is kept, and printing it
 * may block. */
static void release_signals(const sigset_t *open)
{
    signals_restore();
    sigprocmask(SIG_SETMASK, open, NULL);
}

static bool must_stop(void)
{
    int number = signals_caught();

    return number && (number != SIGINT || signals_count() > 1);
}

/* End the process by the default action of the signal. */
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
    sigset_t open; /* the signal mask while waiting              */
    char *piece;
    uint64_t done;
    uint64_t after; /* bytes since must_stop()                    */
};

/* Wait for input or a signal; whether to read. After must_stop() it does not
 * wait, and takes no more than a pipe holds. */
static bool wait_for_more(struct drain *d)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    struct timespec now = {0, 0};
    int n = 0;

    while (!must_stop()) {
        n = ppoll(&in, 1, NULL, &d->open);
        if (n >= 0 || errno != EINTR)
            return true; /* read() reports the error */
    }
    return d->after <= PIPE_SIZE && ppoll(&in, 1, &now, NULL) > 0;
}

/* Read standard input to its end, or until must_stop(). */
static quire_status drain_input(struct drain *d, quire_error *err)
{
    quire_status st = QUIRE_OK;

    /* A larger pipe needs fewer switches between its two sides. Fails harmlessly
     * if it is not a pipe. */
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
            d->after += must_stop() ? (uint64_t)n : 0;
            progress_at(d->cli, d->done, 0);
        }
    }
    progress_end(d->cli);
    return st;
}

/* ---- the result --------------------------------------------------------- */

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

/* A piece at a time: the text may be large. */
static void print_quoted(struct cli *cli, quire_bytes text)
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

static void print_json(struct cli *cli, const quire_sink_result *r,
                       bool temporary)
{
    struct buf rest = BUF_INIT(64 * 1024);
    struct json_writer w;

    out_str(cli, "{\"output\":\"");
    print_quoted(cli, r->output);
    out_str(cli, "\"");
    json_begin(&w, &rest);
    w.comma = true; /* after "output" */
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

static void print_text(struct cli *cli, const quire_sink_result *r)
{
    const char *text = r->output.data;

    out_write(cli, r->output);
    if (r->output.len > 0 && text[r->output.len - 1] != '\n' &&
        isatty(STDOUT_FILENO))
        out_str(cli, "\n");
}

/* Whether standard output and standard error are the same file. On a terminal
 * print_text() has ended the last line. */
static bool is_same_file(void)
{
    struct stat out, talk;

    return !isatty(STDOUT_FILENO) && !fstat(STDOUT_FILENO, &out) &&
           !fstat(STDERR_FILENO, &talk) && out.st_dev == talk.st_dev &&
           out.st_ino == talk.st_ino;
}

/* An empty rest after the last newline does not count as a line. */
static void print_address(const quire_sink_result *r, bool temporary)
{
    uint64_t lines = r->total_lines - !r->ends_in_line;
    char size[32];

    size_text(r->total_bytes, size, sizeof size);
    if (r->ends_in_line && is_same_file())
        fputc('\n', stderr);
    fprintf(stderr, "full output: artifact://%s (%llu line%s, %s)%s%s\n", r->id,
            (unsigned long long)lines, lines == 1 ? "" : "s", size,
            temporary ? " in " : "", temporary ? r->path : "");
}

/* The address comes last, where it is seen. */
static int print_result(struct cli *cli, const quire_sink_result *r,
                        bool temporary)
{
    int code = EXIT_DONE;

    if (cli->json)
        print_json(cli, r, temporary);
    else
        print_text(cli, r);
    out_flush(cli, NULL);
    if (r->problem.status) {
        quire_error err = r->problem;

        err_set(&err, r->problem.status, "%s%.200s",
                r->truncated ? "cannot keep the whole output: " : "",
                r->problem.what);
        err_next(&err, "%s", r->problem.next);
        code = cli_fail(cli, &err) ? EXIT_FAILED : EXIT_DONE;
    } else if (r->id && !cli->json) {
        print_address(r, temporary);
    }
    if (cli->out.error == EPIPE)
        end_by(SIGPIPE);
    return code;
}

/* Without outputs the sink keeps no file. The error is reported at the end, so
 * that the command is not interrupted. */
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

/* As session_default() of a command that reads: without a session the output is
 * kept in a temporary directory. An error is reported with the result, since the
 * input is passed on in any case. */
static const char *choose_session(struct cli *cli, const struct args *args)
{
    const char *session = args_text(args, "session"), *path;

    if (session || quire_home_kind(cli->q) == QUIRE_KIND_JP)
        return session;
    return quire_session_find(cli->q, "last", &path, NULL) ? NULL : "last";
}

static int output_sink(struct cli *cli, const struct args *args)
{
    struct drain d = {.cli = cli, .piece = malloc(PIECE)};
    quire_sink_result result;
    quire_outputs *o = NULL;
    quire_error why = {0}, err = {0};
    int code;

    quire_outputs_open(cli->q, choose_session(cli, args), &o, &why);
    code = open_sink(cli, args, o, &d.sink);
    if (code)
        goto out;
    if (!d.piece) {
        err_memory(&err);
        code = cli_fail(cli, &err);
        goto out;
    }
    catch_signals(&d.open);
    if (drain_input(&d, &err))
        code = cli_fail(cli, &err);
    quire_sink_finish(d.sink, &result);
    release_signals(&d.open);
    if (!o)
        result.problem = why;
    code = cli_worse(code, print_result(cli, &result,
                                        o && quire_outputs_temporary(o)));
    if (signals_caught())
        end_by(signals_caught());
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
     .help = "the tool's name, part of the file name; `tool` unless given"},
    {.name = "threshold",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "print at most N bytes, the last ones; 50K unless given"},
    {.name = "head",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "of these, N from the beginning; at most half"},
    {.name = "columns",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "print at most N bytes of a line"},
    {0},
};

const struct cmd cmd_output_sink = {
    .name = "output sink",
    .args = "",
    .summary = "keep a tool's output, print its end",
    .about =
        "Reads standard input to its end and prints all of it, or its last 50 "
        "KiB, from the middle of a line if necessary. Longer output is kept "
        "whole in the session, and its address is the last line on standard "
        "error, also with --quiet; `quire read` prints it. Escape sequences and "
        "control characters are removed, CRLF and CR become newlines, and "
        "invalid UTF-8 becomes U+FFFD.\n\n"
        "If the file cannot be kept, or the session does not exist, the end is "
        "printed all the same, and the exit status is 3. Ctrl-C ends the command "
        "in front of the pipe, and its output is kept; also when a signal other "
        "than SIGKILL ends the sink. For the status of that command use the "
        "shell's `set -o pipefail`.\n\n"
        "With --json one object: output, truncated, totalLines, totalBytes, "
        "outputLines, outputBytes, artifactId, address, path (null without a "
        "file); elidedLines, elidedBytes, columnTruncatedLines, "
        "columnDroppedBytes, artifactError where they apply. A newline at the "
        "end begins one more line in these counts. Without a session the file "
        "goes to a directory for temporary files, and `temporary` is true.",
    .opts = sink_opts,
    .examples = "seq 20000 | quire output sink --tool seq --session last\n"
                "quire output sink --head 20K --columns 768 </dev/null",
    .store = STORE_WRITE,
    .run = output_sink,
};

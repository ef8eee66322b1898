/*
 * cmd_output_sink.c - the end of a pipe
 *
 *     make 2>&1 | quire output sink --tool make
 *
 * What stands on the left must not notice us: it is read to its end, whatever
 * becomes of the file, of our own reader, or of the terminal. Ctrl-C reaches
 * both sides of a pipe; the left side ends by it, and then we do, with all it
 * printed kept. Who presses it again, or sends another signal, is obeyed: what
 * has come so far is kept.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/cmd_output.h"

/* ---- signals ------------------------------------------------------------ */

static volatile sig_atomic_t stopped_by, times;

static void note_signal(int number)
{
    stopped_by = number;
    times++;
}

/* No SA_RESTART: a signal must end the read it comes in. */
static void catch_signals(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_signal}, old;
    size_t i;

    for (i = 0; i < sizeof caught / sizeof *caught; i++) {
        sigaction(caught[i], NULL, &old);
        if (old.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves must not end us early */
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

#define PIECE ((size_t)256 << 10)

/* All of standard input, or what comes until we are told to stop. */
static quire_status drain(struct cli *cli, quire_sink *sink, quire_error *err)
{
    char *piece = malloc(PIECE);
    quire_status st = piece ? QUIRE_OK : err_memory(err);
    uint64_t done = 0;
    ssize_t n = 1;

    /* More room in the pipe, fewer turns between its two sides. It is no
     * pipe, or the system does not like it: as well. */
    fcntl(STDIN_FILENO, F_SETPIPE_SZ, 1 << 20);
    progress_start(cli, "reading", true);
    while (!st && n != 0 && !told_to_stop()) {
        n = read(STDIN_FILENO, piece, PIECE);
        if (n > 0) {
            quire_sink_write(sink, bytes_of(piece, (size_t)n));
            done += (uint64_t)n;
            progress_at(cli, done, 0);
        } else if (n < 0 && errno != EINTR) {
            st = err_sys(err, errno, "cannot read standard input");
        }
    }
    progress_end(cli);
    free(piece);
    return st;
}

/* ---- what came of it ---------------------------------------------------- */

static void add_count(struct json_writer *w, const char *key, uint64_t n)
{
    json_key(w, key);
    json_uint(w, n);
}

static void add_file(struct json_writer *w, const quire_sink_result *r,
                     bool temporary)
{
    json_key(w, "artifactId");
    if (r->id)
        json_str(w, r->id);
    else
        json_null(w);
    if (r->id) {
        json_key(w, "path");
        json_str(w, r->path);
    }
    if (r->id && temporary) {
        json_key(w, "temporary");
        json_bool(w, true);
    }
    if (r->problem.status) {
        json_key(w, "artifactError");
        json_str(w, r->problem.what);
    }
}

static void say_json(struct cli *cli, const quire_sink_result *r,
                     bool temporary)
{
    struct buf line = BUF_INIT((size_t)4 << 30);
    struct json_writer w;

    json_begin(&w, &line);
    json_object(&w);
    json_key(&w, "output");
    json_bytes(&w, r->output);
    json_key(&w, "truncated");
    json_bool(&w, r->truncated);
    add_count(&w, "totalLines", r->total_lines);
    add_count(&w, "totalBytes", r->total_bytes);
    add_count(&w, "outputLines", r->output_lines);
    add_count(&w, "outputBytes", r->output_bytes);
    if (r->elided_bytes > 0) {
        add_count(&w, "elidedLines", r->elided_lines);
        add_count(&w, "elidedBytes", r->elided_bytes);
    }
    if (r->capped_lines > 0) {
        add_count(&w, "columnTruncatedLines", r->capped_lines);
        add_count(&w, "columnDroppedBytes", r->capped_bytes);
    }
    add_file(&w, r, temporary);
    json_object_end(&w);
    out_line(cli, &line);
    buf_release(&line);
}

static void say_text(struct cli *cli, const quire_sink_result *r)
{
    const char *text = r->output.data;

    out_write(cli, r->output);
    if (r->output.len > 0 && text[r->output.len - 1] != '\n' &&
        isatty(STDOUT_FILENO))
        out_str(cli, "\n");
}

/* In lines as a person counts them: what follows the last newline is none if
 * there is nothing. */
static void say_address(const quire_sink_result *r, bool temporary)
{
    const char *text = r->output.data;
    bool ends = r->output.len > 0 && text[r->output.len - 1] == '\n';
    char size[32];

    size_words(r->total_bytes, size, sizeof size);
    fprintf(stderr, "full output: artifact://%s (%llu lines, %s)%s%s\n", r->id,
            (unsigned long long)(r->total_lines - ends), size,
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

        err_set(&err, r->problem.status, "the whole output is not kept: %.200s",
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

static int output_sink(struct cli *cli, const struct args *args)
{
    quire_sink_options options = QUIRE_SINK_OPTIONS_INIT;
    quire_sink_result result;
    quire_outputs *o = NULL;
    quire_sink *sink = NULL;
    quire_error err = {0};
    int code = open_outputs(cli, args, &o);

    if (code)
        return code;
    options.tool = args_text(args, "tool");
    options.threshold = args_number(args, "threshold", options.threshold);
    options.head = args_number(args, "head", 0);
    options.columns = args_number(args, "columns", 0);
    if (quire_sink_open(o, &options, &sink, &err)) {
        code = cli_fail(cli, &err);
        if (err.status == QUIRE_INVALID)
            code = EXIT_USAGE;
        goto out;
    }
    catch_signals();
    if (drain(cli, sink, &err))
        code = cli_fail(cli, &err);
    quire_sink_finish(sink, &result);
    code = cli_worse(code, say(cli, &result, quire_outputs_temporary(o)));
    if (stopped_by)
        end_by(stopped_by);
out:
    quire_sink_free(sink);
    quire_outputs_close(o);
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
        "all of it, or its last 50 KiB. What is longer is kept whole in the "
        "session, and its address is the last thing on standard error; `quire "
        "read` gives it back. Escape sequences and control "
        "characters are left out, CRLF and CR become newlines, and what is "
        "not UTF-8 is replaced by U+FFFD.\n\n"
        "If the file cannot be kept the end is shown all the same, and the "
        "exit status is 3. Ctrl-C ends the command in front of the pipe, and "
        "what it printed is kept.\n\n"
        "With --json one object: output, truncated, totalLines, totalBytes, "
        "outputLines, outputBytes, artifactId (null: there is no file), path; "
        "elidedLines, elidedBytes, columnTruncatedLines, columnDroppedBytes, "
        "artifactError where they apply. Without a session the file goes to a "
        "directory for temporary files, and `temporary` is true.",
    .opts = sink_opts,
    .examples = "seq 20000 | quire output sink --tool seq --session last\n"
                "quire output sink --head 20K --columns 768 </dev/null",
    .store = STORE_WRITE,
    .run = output_sink,
};

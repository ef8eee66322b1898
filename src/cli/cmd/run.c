/*
 * run.c - `quire run`: a command in a session's files, and nowhere else
 *
 * What the command says goes on as it comes, and its status is ours. With --json
 * all of it is one object, in the end. Words of our own, about limits, go to
 * standard error after what the command has said there.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/timestamp.h"
#include "cli/core/cli.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/session.h"
#include "mcp/run.h"

extern const struct cmd cmd_run;

/* As timeout(1) has it; and as shells tell of a signal. */
enum { EXIT_TIMED_OUT = 124, EXIT_SIGNAL = 128 };

/* Below this not even the loader can open its libraries. */
enum { OPEN_FILES_MIN = 8 };

struct run {
    struct cli *cli;
    struct buf out, err; /* with --json */
};

/* ---- output ------------------------------------------------------------- */

static quire_status take_output(void *ctx, int stream, quire_bytes bytes,
                                quire_error *err)
{
    struct run *r = ctx;
    struct buf *to = stream == 1 ? &r->out : &r->err;

    if (r->cli->json) {
        buf_add(to, bytes.data, bytes.len);
        return to->failed ? err_memory(err) : QUIRE_OK;
    }
    if (stream == 2)
        return fs_write_all(STDERR_FILENO, bytes) < 0
                   ? err_sys(err, errno, "cannot write to standard error")
                   : QUIRE_OK;
    out_write(r->cli, bytes);
    return out_flush(r->cli, err);
}

static void print_result(struct run *r, const quire_run_result *got)
{
    struct row row;

    row_begin_json(&row, r->cli);
    run_put(&row.json, got, buf_bytes(&r->out), buf_bytes(&r->err));
    row_print(&row);
}

/* Which limit ended it, and what to do. */
static void tell_limits(struct cli *cli, const quire_run_result *got,
                        bool drained)
{
    static const struct {
        const char *hit, *words, *hint;
    } limits[] = {
        {"\"time\"", "the command was ended: it took too long",
         "give it more time with --timeout"},
        {"\"output\"", "not all of the output was passed on",
         "raise --max-output; `quire output ls` shows what was kept"},
        {"\"processes\"", "the command was ended: too many processes",
         "raise --processes"},
        {"\"memory\"", "the command was ended: too much memory",
         "raise --memory"},
        {"\"disk\"", "the files of the session grew too much",
         "raise --disk, or quota.session"},
        {"\"file\"", "a file grew too large, and whoever wrote it was ended",
         "raise --file-size"},
    };
    size_t i;

    for (i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strstr(got->record.hit, limits[i].hit)) {
            quire_error err = {.status = QUIRE_QUOTA};

            snprintf(err.what, sizeof err.what, "%s%s", limits[i].words,
                     strstr(limits[i].hit, "output") && !drained
                         ? ", and the command was ended"
                         : "");
            snprintf(err.next, sizeof err.next, "%s", limits[i].hint);
            cli_fail(cli, &err);
        }
}

static int status_of(const quire_run_result *got)
{
    if (got->timed_out)
        return EXIT_TIMED_OUT;
    return got->record.exit >= 0 ? got->record.exit
                                 : EXIT_SIGNAL + got->record.signal;
}

/* ---- input -------------------------------------------------------------- */

/* What the command reads. A pipe goes on as it is. Whatever has a name, a file or
 * a fifo, does not: who has its descriptor can change its mode and its times,
 * however it was opened. It is fed through a pipe, and so is what comes from a
 * socket, which is not to be answered. A terminal stays here. */
struct feed {
    int fd;    /* -1: none                      */
    pid_t pid; /* who fills the pipe; 0: nobody */
};

static bool is_fed(const struct stat *st, int flags)
{
    return S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode) ||
           (S_ISREG(st->st_mode) && (flags & O_ACCMODE) != O_WRONLY);
}

static bool is_pipe(void)
{
    struct statfs fs;

    return fstatfs(STDIN_FILENO, &fs) == 0 && fs.f_type == PIPEFS_MAGIC;
}

/* In a process of its own, until the input or the reader ends. What splice moved
 * is in the pipe or was read: nothing is lost in between (see feed_stop). */
static _Noreturn void fill(int to)
{
    char chunk[4096];
    ssize_t n;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    while ((n = splice(STDIN_FILENO, NULL, to, NULL, 1 << 16, 0)) > 0)
        continue;
    if (n < 0 && errno == EINVAL)
        while ((n = read(STDIN_FILENO, chunk, sizeof chunk)) > 0)
            if (fs_write_all(to, (quire_bytes){chunk, (size_t)n}) < 0)
                break;
    _exit(0);
}

static quire_status feed_start(struct feed *f, quire_error *err)
{
    int flags = fcntl(STDIN_FILENO, F_GETFL), ends[2];
    struct stat st;

    *f = (struct feed){.fd = -1};
    if (flags < 0 || fstat(STDIN_FILENO, &st) < 0 || !is_fed(&st, flags))
        return QUIRE_OK;
    if (is_pipe()) {
        f->fd = STDIN_FILENO;
        return QUIRE_OK;
    }
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_sys(err, errno,
                       "cannot make a pipe for the command's input");
    f->pid = fork();
    if (f->pid == 0) {
        close(ends[0]);
        fill(ends[1]);
    }
    close(ends[1]);
    f->fd = ends[0];
    return f->pid < 0 ? err_sys(err, errno, "cannot feed the command's input")
                      : QUIRE_OK;
}

/* In a file the place is what was read: the next command goes on from there. */
static void feed_stop(struct feed *f)
{
    int unread = 0;

    if (f->pid > 0) {
        kill(f->pid, SIGKILL);
        waitpid(f->pid, NULL, 0);
        if (ioctl(f->fd, FIONREAD, &unread) == 0 && unread > 0)
            lseek(STDIN_FILENO, -(off_t)unread, SEEK_CUR);
    }
    if (f->fd > STDIN_FILENO)
        close(f->fd);
}

/* ---- signals ------------------------------------------------------------ */

static int stop_pipe[2] = {-1, -1};
static volatile sig_atomic_t asked_to_end;

static void note_signal(int number)
{
    int saved = errno;

    asked_to_end = number;
    if (write(stop_pipe[1], "", 1) < 0)
        errno = saved; /* it is full, so it was heard */
    errno = saved;
}

/* The command is ended first, and has its time to end; then we do. */
static quire_status heed_signals(int *stop_fd, quire_error *err)
{
    struct sigaction action = {.sa_handler = note_signal};

    if (pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
        return err_sys(err, errno, "cannot make a pipe");
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    *stop_fd = stop_pipe[0];
    return QUIRE_OK;
}

/* ---- what is asked for -------------------------------------------------- */

/* argv, with -c as `sh -c`; NULL and words if neither or both were given. The
 * list is the caller's to free. */
static const char **find_command(struct cli *cli, const struct args *args)
{
    const char *script = args_text(args, "command");
    const char **argv = calloc(args->n_words + 4, sizeof *argv);
    size_t i;

    if (!argv) {
        cli_usage(cli, "", "out of memory");
        return NULL;
    }
    if (!script == !args->n_words) {
        cli_usage(cli, "`quire run -- ls -l`, or `quire run -c 'ls | wc -l'`",
                  "give either a command or a script");
        free(argv);
        return NULL;
    }
    if (script) {
        argv[0] = "sh";
        argv[1] = "-c";
        argv[2] = script;
    }
    for (i = 0; i < args->n_words; i++)
        argv[i] = args->words[i];
    return argv;
}

/* Variables that were given, ended by NULL; the caller's to free. */
static const char **find_env(const struct args *args)
{
    const char **env;
    size_t n = 0;

    while (args_list(args, "env", n))
        n++;
    env = calloc(n + 1, sizeof *env);
    for (; env && n > 0; n--)
        env[n - 1] = args_list(args, "env", n - 1);
    return env;
}

static void fill_options(const struct args *args, quire_run_options *o)
{
    const char *read = args_text(args, "read");

    o->read_all = read && !strcmp(read, "all");
    o->cwd = args_text(args, "cwd");
    o->net = args_flag(args, "net");
    o->unconfined = args_flag(args, "unconfined");
    o->full_only = args_flag(args, "strict");
    o->drain = args_flag(args, "drain");
    o->timeout_ms = (int64_t)args_number(args, "timeout", 300000);
    o->max_output = args_number(args, "max-output", o->max_output);
    o->processes = args_number(args, "processes", 0);
    o->memory = args_number(args, "memory", 0);
    o->file_size = args_number(args, "file-size", 0);
    o->open_files = args_number(args, "open-files", 0);
    o->disk = args_number(args, "disk", 0);
}

/* ---- the record --------------------------------------------------------- */

/* The words of a command as a person would type most of them. */
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

/* "[time disk]": the limits it met. */
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

static int list_runs(struct cli *cli, const struct args *args)
{
    quire_error err = {0};

    if (args->n_words || args_text(args, "command"))
        return cli_usage(cli, "give one of the two",
                         "--log lists what was run, and runs nothing");
    if (quire_run_list(cli->q, args_text(args, "session"),
                       args_number(args, "limit", 0), list_record, cli, &err))
        return artifact_fail(cli, &err);
    return EXIT_DONE;
}

/* ---- the command -------------------------------------------------------- */

/* Files that are there and did not become artifacts. */
static void tell_passed(struct cli *cli, const quire_run_result *got)
{
    if (got->files.passed == 0 || cli->quiet || cli->json)
        return;
    out_flush(cli, NULL);
    fprintf(stderr,
            "quire: %" PRIu64 " %s did not become %s\nhint: `quire watch "
            "--once` says which, and why\n",
            got->files.passed, got->files.passed == 1 ? "file" : "files",
            got->files.passed == 1 ? "an artifact" : "artifacts");
}

/* A run that could not begin has a number, and ends as shells have it. */
static int cannot_run(struct run *r, const quire_run_result *got,
                      const quire_error *err)
{
    int code = r->cli->out.error ? EXIT_FAILED : artifact_fail(r->cli, err);

    return got->record.exit > 0 ? got->record.exit : code;
}

static bool is_built_in(const char *session)
{
    return session && (!strcmp(session, "user") || !strcmp(session, "temp"));
}

static int run_it(struct run *r, quire_run_options *o, const char *session)
{
    quire_workspace *w = NULL;
    quire_run_result got = {.timed_out = 0};
    quire_error err = {0};
    struct feed feed = {.fd = -1};
    quire_status st = quire_workspace_open(r->cli->q, session, &w, &err);
    int code;

    if (!st)
        st = heed_signals(&o->stop_fd, &err);
    if (!st)
        st = feed_start(&feed, &err);
    if (!st)
        st = quire_outputs_open(r->cli->q,
                                is_built_in(session) ? NULL : session,
                                &o->outputs, &err);
    o->output = take_output;
    o->ctx = r;
    o->stdin_fd = feed.fd;
    if (!st)
        st = quire_run(w, o, &got, &err);
    feed_stop(&feed);
    if (st) {
        code = cannot_run(r, &got, &err);
    } else {
        if (r->cli->json)
            print_result(r, &got);
        tell_limits(r->cli, &got, o->drain);
        tell_passed(r->cli, &got);
        code = got.stopped ? EXIT_SIGNAL + (int)asked_to_end : status_of(&got);
    }
    quire_outputs_close(o->outputs);
    quire_workspace_close(w);
    return code;
}

static int run(struct cli *cli, const struct args *args)
{
    quire_run_options o = QUIRE_RUN_OPTIONS_INIT;
    struct run r = {.cli = cli,
                    .out = BUF_INIT((size_t)1 << 30),
                    .err = BUF_INIT((size_t)1 << 30)};
    const char **argv, **env;
    quire_error err;
    int code;

    if (args_flag(args, "log"))
        return list_runs(cli, args);
    if (args_number(args, "open-files", OPEN_FILES_MIN) < OPEN_FILES_MIN)
        return cli_usage(cli, "leave it out for 1024",
                         "no program can begin with so few --open-files");
    argv = find_command(cli, args);
    if (!argv)
        return EXIT_USAGE;
    env = find_env(args);
    o.argv = argv;
    o.env = env;
    fill_options(args, &o);
    if (env)
        code = run_it(&r, &o, args_text(args, "session"));
    else
        code = (err_memory(&err), cli_fail(cli, &err));
    buf_release(&r.out);
    buf_release(&r.err);
    free(argv);
    free(env);
    return code;
}

static const struct opt run_opts[] = {
    {.name = "command",
     .letter = 'c',
     .kind = OPT_TEXT,
     .value = "SCRIPT",
     .help = "run a script with `sh`, instead of a command"},
    {.name = "read",
     .kind = OPT_CHOICE,
     .value = "session|all",
     .help = "all: other sessions' files can be read, never written"},
    {.name = "cwd",
     .kind = OPT_TEXT,
     .value = "DIR",
     .help = "where it begins: beneath the session's directories, or relative "
             "to its artifacts"},
    {.name = "env",
     .kind = OPT_LIST,
     .value = "K=V",
     .help = "a variable for the command; may be given again"},
    {.name = "net", .kind = OPT_FLAG, .help = "let it use the network"},
    {.name = "timeout",
     .kind = OPT_TIME,
     .value = "DUR",
     .help = "end it, and all it started, after so long; 5m unless given"},
    {.name = "max-output",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "end it when it has written so many bytes; 1m unless given, 0 is "
             "no limit"},
    {.name = "drain",
     .kind = OPT_FLAG,
     .help = "beyond --max-output let it go on, and keep what it writes as an "
             "output of the session"},
    {.name = "processes",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most so many at once; 512 unless given"},
    {.name = "memory",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "at most so much; 4g unless given"},
    {.name = "file-size",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "no file larger than this; 1g unless given"},
    {.name = "open-files",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most so many in a process; 1024 unless given"},
    {.name = "disk",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "how much its files may grow; what is left of quota.session "
             "unless given"},
    {.name = "strict",
     .kind = OPT_FLAG,
     .help = "refuse to run if any layer of confinement is missing"},
    {.name = "unconfined",
     .kind = OPT_FLAG,
     .help = "run it without confinement, with your rights; it is recorded"},
    {.name = "log",
     .kind = OPT_FLAG,
     .help = "list what was run, the last first, and run nothing"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "with --log: at most N; 0, the default, for all"},
    {0},
};

const struct cmd cmd_run = {
    .name = "run",
    .args = "[COMMAND...]",
    .summary = "run a command that cannot leave its session's files",
    .about =
        "Runs COMMAND, after `--`, in the files of --session, or of the "
        "built-in session `temp`. The kernel confines it, by namespaces, "
        "Landlock and seccomp: it can write to its session's artifacts, where "
        "it begins, to its scratchpad and to a private /tmp; it can read these, "
        "the system's programs and what is in `documentation` and `examples` of "
        "the home; there is no network, and no process but its own. In its "
        "environment are PATH, HOME, LANG, TERM, SESSION_ID, QUIRE_DATA_DIR, "
        "SESSION_ARTIFACT_DIR, SESSION_SCRATCHPAD_DIR and LOOM_DATA_DIR.\n\n"
        "Its output and its exit status are passed on: 124 if it took too long, "
        "127 and 126 if there is no such command or it cannot be run, 128 and "
        "the signal if one ended it. What it did to files becomes versions of "
        "artifacts, but for files larger than quota.file, hidden ones, "
        "links, and what tools make again (node_modules, __pycache__, "
        "directories with a CACHEDIR.TAG or a pyvenv.cfg). With --json one object: exit, signal, "
        "timed_out, stdout, stderr, truncated, artifact (the number of the "
        "output that has all), confined (the layers that held), limits_hit, "
        "duration_ms, session, run, files, files_passed.\n\n"
        "Where the machine does not have all layers it does what it can; where "
        "files cannot be isolated it refuses. `quire doctor` tells.",
    .opts = run_opts,
    .examples = "quire run -- sh -c 'echo hello > hello.txt'\n"
                "quire run -c 'ls | wc -l'\n"
                "quire run --timeout 10s --json -- id\n"
                "quire run --log",
    .store = STORE_WRITE,
    .run = run,
};

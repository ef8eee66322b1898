/*
 * run.c - `quire run`: a command confined to a session's files
 *
 * The command's output is passed on as it comes, and its exit status is ours.
 * With --json all of it is one object, at the end. Our own messages about
 * limits follow the command's on standard error.
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
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/core/signals.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/run_log.h"
#include "cli/cmd/session.h"
#include "mcp/run.h"

/* As timeout(1) and shells have it. */
enum { EXIT_TIMED_OUT = 124, EXIT_SIGNAL = 128 };

/* With less, the loader cannot open its libraries. */
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

/* Which limits the command reached, and what to do. */
static void report_limits(struct cli *cli, const quire_run_result *got,
                          bool drained)
{
    static const struct {
        const char *hit, *message, *hint;
    } limits[] = {
        {"\"time\"", "the command took too long and was ended",
         "give it more time with --timeout"},
        {"\"output\"", "the output was cut off",
         "raise --max-output; `quire output ls` shows what was kept"},
        {"\"processes\"",
         "the command started too many processes and was ended",
         "raise --processes"},
        {"\"memory\"", "the command used too much memory and was ended",
         "raise --memory"},
        {"\"disk\"", "the files of the session grew too much",
         "raise --disk, or quota.session"},
        {"\"file\"", "a file grew too large, and its writer was ended",
         "raise --file-size"},
        {"\"files\"", "the command added too many files", "raise --files"},
    };
    size_t i;

    for (i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strstr(got->record.hit, limits[i].hit)) {
            quire_error err = {.status = QUIRE_QUOTA};

            snprintf(err.what, sizeof err.what, "%s%s", limits[i].message,
                     strstr(limits[i].hit, "output") && !drained
                         ? ", and the command was ended"
                         : "");
            snprintf(err.next, sizeof err.next, "%s", limits[i].hint);
            cli_fail(cli, &err);
        }
}

/* A command that ended well before its excess was seen has not done well. */
static int status_of(const quire_run_result *got)
{
    if (got->timed_out)
        return EXIT_TIMED_OUT;
    if (got->record.exit == 0 && (strstr(got->record.hit, "\"disk\"") ||
                                  strstr(got->record.hit, "\"files\"")))
        return EXIT_SIGNAL + SIGXFSZ;
    return got->record.exit >= 0 ? got->record.exit
                                 : EXIT_SIGNAL + got->record.signal;
}

/* ---- input -------------------------------------------------------------- */

/* The command's standard input. A pipe is passed on. A file or named FIFO is not:
 * its descriptor would allow changing its mode and times. It is copied through a
 * pipe, and so is a socket, which must not be written to. A terminal is not
 * passed on. */
struct feed {
    int fd;    /* -1: none                        */
    pid_t pid; /* fills the pipe; 0: no process   */
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

/* In its own process, until the input or the reader ends. Bytes that splice moved
 * are in the pipe or were read; none is lost between (see feed_stop). */
static _Noreturn void fill_pipe(int to)
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
        fill_pipe(ends[1]);
    }
    close(ends[1]);
    f->fd = ends[0];
    return f->pid < 0 ? err_sys(err, errno, "cannot feed the command's input")
                      : QUIRE_OK;
}

/* The offset of a file is moved back to what was read: the next command continues
 * there. */
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

/* A signal ends the command first, then us. */
static quire_status catch_signals(int *stop_fd, quire_error *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return err_sys(err, errno, "cannot make a pipe");
    signals_notify(ends[1]);
    signals_catch(SIGNALS_FORCE);
    *stop_fd = ends[0];
    return QUIRE_OK;
}

/* ---- options ------------------------------------------------------------ */

/* argv, with -c as `sh -c`; NULL with an error if neither or both were given.
 * The caller frees it. */
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

/* --env, ended by NULL; the caller frees it. */
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
    o->files = args_number(args, "files", 0);
}

/* ---- the command -------------------------------------------------------- */

/* Files that did not become artifacts. */
static void report_passed(struct cli *cli, const quire_run_result *got)
{
    if (got->files.passed == 0 || cli->quiet || cli->json)
        return;
    out_flush(cli, NULL);
    fprintf(stderr,
            "quire: %" PRIu64 " %s did not become %s\nhint: `quire watch "
            "--once` lists them with the reason\n",
            got->files.passed, got->files.passed == 1 ? "file" : "files",
            got->files.passed == 1 ? "an artifact" : "artifacts");
}

/* A command that cannot be started ends with 126 or 127, as in a shell. */
static int report_failure(struct run *r, const quire_run_result *got,
                          const quire_error *err)
{
    int code = r->cli->out.error ? EXIT_FAILED : artifact_fail(r->cli, err);

    return got->record.exit > 0 ? got->record.exit : code;
}

static bool is_built_in(const char *session)
{
    return session && (!strcmp(session, "user") || !strcmp(session, "temp"));
}

static int run_command(struct run *r, quire_run_options *o, const char *session)
{
    quire_workspace *w = NULL;
    quire_run_result got = {.timed_out = 0};
    quire_error err = {0};
    struct feed feed = {.fd = -1};
    quire_status st = quire_workspace_open(r->cli->q, session, &w, &err);
    int code;

    if (!st)
        st = catch_signals(&o->stop_fd, &err);
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
        code = report_failure(r, &got, &err);
    } else {
        if (r->cli->json)
            print_result(r, &got);
        report_limits(r->cli, &got, o->drain);
        report_passed(r->cli, &got);
        code = got.stopped ? EXIT_SIGNAL + signals_caught() : status_of(&got);
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
    const char **argv, **env, *session;
    quire_error err;
    int code;

    if (args_flag(args, "log") || args_flag(args, "clear") ||
        args_flag(args, "dry-run"))
        return run_log(cli, args);
    if (args_number(args, "open-files", OPEN_FILES_MIN) < OPEN_FILES_MIN)
        return cli_usage(cli, "leave it out for 1024",
                         "--open-files is less than %d, too few to start a "
                         "program",
                         OPEN_FILES_MIN);
    argv = find_command(cli, args);
    if (!argv)
        return EXIT_USAGE;
    env = find_env(args);
    o.argv = argv;
    o.env = env;
    fill_options(args, &o);
    if (env) {
        code = session_default(cli, args, true, &session);
        if (!code)
            code = run_command(&r, &o, session);
    } else
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
     .help = "run a script with `sh` instead of a command"},
    {.name = "read",
     .kind = OPT_CHOICE,
     .value = "session|all",
     .help = "`all`: other sessions' files can be read, but not written"},
    {.name = "cwd",
     .kind = OPT_TEXT,
     .value = "DIR",
     .help = "its working directory: below the session's directories, or "
             "relative to its artifacts"},
    {.name = "env",
     .kind = OPT_LIST,
     .value = "K=V",
     .help = "a variable for the command; may be given again"},
    {.name = "net", .kind = OPT_FLAG, .help = "let it use the network"},
    {.name = "timeout",
     .kind = OPT_TIME,
     .value = "DUR",
     .help = "end it and its children after DUR; 5m unless given"},
    {.name = "max-output",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "end it after N bytes of output; 1m unless given, 0 for no limit"},
    {.name = "drain",
     .kind = OPT_FLAG,
     .help = "do not end it at --max-output, but keep the rest as an output of "
             "the session"},
    {.name = "processes",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N processes at once; 512 unless given"},
    {.name = "memory",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "at most N bytes of memory; 4g unless given"},
    {.name = "file-size",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "at most N bytes a file; 1g unless given"},
    {.name = "open-files",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N open files a process; 1024 unless given"},
    {.name = "disk",
     .kind = OPT_SIZE,
     .value = "N",
     .help = "how many bytes its files may grow; the rest of quota.session "
             "unless given"},
    {.name = "files",
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "how many files it may add; 262144 unless given"},
    {.name = "strict",
     .kind = OPT_FLAG,
     .help = "refuse to run if any layer of confinement is missing"},
    {.name = "unconfined",
     .kind = OPT_FLAG,
     .help = "run it without confinement, with your rights; the log says so"},
    {.name = "log",
     .kind = OPT_FLAG,
     .help = "list past runs, the newest first, and run nothing"},
    {.name = "clear",
     .kind = OPT_FLAG,
     .help =
         "with --log: delete the records of past runs, of --session or all"},
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "with --clear: delete nothing, list what would be deleted"},
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
    .summary = "run a command confined to its session's files",
    .about =
        "Runs COMMAND, after `--`, in the files of --session, else of the last "
        "session of the current directory, else of a new one. The kernel confines it with namespaces, "
        "Landlock and seccomp: it can write to its session's artifacts, which "
        "are its working directory, to its scratchpad and to a private /tmp; it "
        "can read these, the system's programs, and `documentation` and "
        "`examples` of the home; it has no network and sees only its own "
        "processes. Its environment has PATH, HOME, LANG, TERM, SESSION_ID, "
        "QUIRE_DATA_DIR, SESSION_ARTIFACT_DIR, SESSION_SCRATCHPAD_DIR and "
        "LOOM_DATA_DIR.\n\n"
        "Its output and exit status are passed on: 124 if it took too long, 127 "
        "if the command does not exist, 126 if it cannot be run, 128 plus the "
        "signal if one ended it, 153 if it exited 0 and its files exceed --disk "
        "or --files. Changed files become versions of artifacts, "
        "except files larger than quota.file, hidden files, links, and caches "
        "(node_modules, __pycache__, directories with a CACHEDIR.TAG or a "
        "pyvenv.cfg). With --json one object: exit, signal, timed_out, stdout, "
        "stderr, truncated, artifact (the number of the whole output), confined "
        "(the active layers), limits_hit, duration_ms, session, run, files, "
        "files_passed.\n\n"
        "Where the machine lacks a layer, the others apply; where files cannot "
        "be isolated, it refuses to run. `quire doctor` lists the layers.",
    .opts = run_opts,
    .examples = "quire run -- sh -c 'echo hello > hello.txt'\n"
                "quire run -c 'ls | wc -l'\n"
                "quire run --timeout 10s --json -- id\n"
                "quire run --log\n"
                "quire run --log --clear --dry-run",
    .store = STORE_WRITE,
    .run = run,
};

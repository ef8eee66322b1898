/*
 * main.c - the program behind `make bench`
 *
 *     bench [--json] [--quick] [--list] [NAME...]
 *
 * Runs the measurements that have a line whose name contains one of the
 * words, or all. Exits with 0 whatever they show: a number is information. 2
 * is wrong usage, 3 that it could not be measured.
 *
 * Two processes: one measures, the other waits for it and removes the scratch
 * directory, however the first one ends. So an interrupted run leaves no
 * gigabyte behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "bench.h"
#include "session_make.h"

static const struct measure *const themes[] = {
    blob_measures,    small_measures,        process_measures, json_measures,
    session_measures, session_work_measures, output_measures,  put_measures,
    search_measures,  everything_measures,   memory_measures,  collect_measures,
    check_measures,   workspace_measures,    tool_measures,    mcp_measures,
    serve_measures,   import_measures,       s3_measures,
};

enum { N_THEMES = sizeof themes / sizeof *themes };

static bool wanted(const struct bench *b, const struct measure *m)
{
    int i;

    for (i = 0; m->names[i]; i++) {
        if (bench_wants(b, m->names[i]))
            return true;
    }
    return false;
}

static void list(const struct bench *b)
{
    const struct measure *m;
    int i, k;

    for (i = 0; i < N_THEMES; i++) {
        for (m = themes[i]; m->run; m++) {
            for (k = 0; m->names[k]; k++) {
                if (bench_wants(b, m->names[k]))
                    puts(m->names[k]);
            }
        }
    }
}

/* ---- the scratch directory ---------------------------------------------- */

static bool in_memory(const char *path)
{
    struct statfs fs;

    return statfs(path, &fs) == 0 &&
           (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

static char *try_scratch(const char *place)
{
    static const char name[] = "/quire-bench-XXXXXX";
    char *path = malloc(strlen(place) + sizeof name);

    if (!path)
        bench_fail("no memory");
    strcpy(stpcpy(path, place), name);
    /* The workers of a peer's server run as another user. */
    if (mkdtemp(path) && chmod(path, 0711) == 0)
        return path;
    free(path);
    return NULL;
}

/* A sync that returns at once measures nothing, so a directory in memory is
 * the last resort. */
static char *make_scratch(void)
{
    const char *places[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int memory, i;

    for (memory = 0; memory < 2; memory++) {
        for (i = 0; i < 3; i++) {
            char *path = NULL;

            if (places[i] && in_memory(places[i]) == (memory == 1))
                path = try_scratch(places[i]);
            if (path && memory)
                fprintf(stderr,
                        "bench: %s is in memory: waiting for the disk costs "
                        "nothing there\n",
                        path);
            if (path)
                return path;
        }
    }
    bench_fail("no directory to work in: set TMPDIR");
}

static void remove_scratch(const char *path)
{
    const char *base = strrchr(path, '/') + 1;
    char *parent = strndup(path, (size_t)(base - path));
    int dir = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (dir < 0 || fs_remove_tree(dir, base) < 0)
        fprintf(stderr, "bench: cannot remove %s: %s\n", path, strerror(errno));
    if (dir >= 0)
        close(dir);
    free(parent);
}

/* ---- measuring ---------------------------------------------------------- */

/* Run one measurement in a directory of its own: no two share a name, and what
 * one leaves behind does not slow down the next. */
static void run_measure(struct bench *b, const struct measure *m)
{
    const char *top = b->scratch;
    char *dir = place_path(b, "measure");

    if (mkdir(dir, 0755) < 0)
        bench_fail("cannot make %s: %s", dir, strerror(errno));
    b->scratch = dir;
    m->run(b);
    b->scratch = top;
    place_clear(b, "measure");
    free(dir);
}

static void measure(struct bench *b)
{
    const struct measure *m;
    int i;

    if (b->quick)
        fputs("bench: --quick takes fewer and smaller things than the names "
              "say\n",
              stderr);
    for (i = 0; i < N_THEMES; i++) {
        for (m = themes[i]; m->run; m++) {
            if (wanted(b, m))
                run_measure(b, m);
        }
    }
}

/* ---- the two processes -------------------------------------------------- */

static volatile sig_atomic_t got_signal;

static void note_signal(int number)
{
    got_signal = number;
}

/* Without SA_RESTART, so that waiting ends. */
static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note_signal};
    size_t i;

    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static int supervise(struct bench *b)
{
    int status = 0;
    pid_t pid;

    catch_signals();
    fflush(NULL);
    pid = fork();
    if (pid < 0)
        bench_fail("cannot fork: %s", strerror(errno));
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        /* A group of its own, so that its children can be ended with it. */
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        measure(b);
        fflush(NULL);
        _exit(0);
    }
    setpgid(pid, pid);
    while (waitpid(pid, &status, 0) < 0) {
        if (got_signal)
            kill(-pid, SIGKILL);
    }
    if (got_signal)
        return 128 + got_signal;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static char *program_beside(const char *name)
{
    char self[PATH_MAX], *path;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    if (n < 0)
        bench_fail("cannot find my own directory: %s", strerror(errno));
    self[n] = '\0';
    if (asprintf(&path, "%s/%s", dirname(self), name) < 0)
        bench_fail("no memory");
    return path;
}

static int usage(void)
{
    fputs("usage: bench [--json] [--quick] [--list] [NAME...]\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    bool only_list = false;
    char *scratch, *program;
    int i, rc;

    if (argc > 4 && !strcmp(argv[1], "--peak"))
        return process_peak(argv + 2);
    if (argc == 5 && !strcmp(argv[1], "--session-child"))
        return session_child(argv + 2);
    for (i = 1; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--json"))
            b.json = true;
        else if (!strcmp(argv[i], "--quick"))
            b.quick = true;
        else if (!strcmp(argv[i], "--list"))
            only_list = true;
        else
            return usage();
    }
    b.words = argv + i;
    b.n_words = argc - i;
    if (only_list) {
        list(&b);
        return 0;
    }
    scratch = make_scratch();
    program = program_beside("quire");
    b.scratch = scratch;
    b.quire = program;
    rc = supervise(&b);
    remove_scratch(scratch);
    free(scratch);
    free(program);
    return rc;
}

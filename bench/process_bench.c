/*
 * process_bench.c - the program as a whole: its start and its memory
 *
 * The peak memory of a process that one starts is not simply what wait4()
 * says: on Linux the count goes through fork, vfork and exec, and begins with
 * what the *parent* had. So this program starts itself once more, which is
 * small then, and lets that one start the process to be measured. What is
 * reported is at least the size of that starter, some 5 MiB: never too low.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "bench.h"

extern char **environ;

/* The libraries' functions take `char *const *` and write to none of it. */
static char *arg(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* ---- peak memory -------------------------------------------------------- */

/* argv: the file for the result, the file for the program's output, and the
 * program. Allocates nothing to speak of. */
int process_peak(char **argv)
{
    posix_spawn_file_actions_t files;
    struct rusage usage;
    int status, fd, rc;
    char text[32];
    pid_t pid;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, argv[1],
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    rc = posix_spawn(&pid, argv[2], &files, NULL, argv + 2, environ);
    posix_spawn_file_actions_destroy(&files);
    if (rc || wait4(pid, &status, 0, &usage) < 0)
        return 127;
    snprintf(text, sizeof text, "%ld\n", usage.ru_maxrss);
    fd = open(argv[0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || fs_write_all(fd, (quire_bytes){text, strlen(text)}) < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void read_small(const char *path, char *out, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : fs_read_full(fd, out, cap - 1);

    if (n <= 0)
        bench_fail("cannot read %s", path);
    out[n] = '\0';
    out[strcspn(out, "\n")] = '\0';
    close(fd);
}

double peak_mib(const struct bench *b, char **command, const char *out,
                double *took)
{
    char *result = place_path(b, "peak"), *argv[16], text[32];
    double began;
    int i = 0, rc;

    argv[i++] = arg("/proc/self/exe");
    argv[i++] = arg("--peak");
    argv[i++] = result;
    argv[i++] = arg(out);
    while (*command)
        argv[i++] = *command++;
    argv[i] = NULL;
    began = now_s();
    rc = place_run(argv, NULL, NULL);
    *took = now_s() - began;
    if (rc)
        bench_fail("%s %s %s ended with %d", argv[4], argv[5], argv[6], rc);
    read_small(result, text, sizeof text);
    free(result);
    return atof(text) / 1024;
}

static void make_file(const char *path, bool text, uint64_t size)
{
    size_t step = (size_t)1 << 20;
    struct buf piece = BUF_INIT(4 << 20);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    uint64_t i;

    if (fd < 0)
        bench_fail("cannot make %s: %s", path, strerror(errno));
    for (i = 0; i < size / step; i++) {
        if (text)
            text_code(&piece, 7000 + i, step);
        else
            text_noise(&piece, 7000 + i, step);
        if (fs_write_all(fd, buf_bytes(&piece)) < 0)
            bench_fail("cannot write %s: %s", path, strerror(errno));
    }
    close(fd);
    buf_release(&piece);
}

static void large_file(struct bench *b, bool text, const char *put_name,
                       const char *get_name)
{
    uint64_t size = (uint64_t)(b->quick ? 64 : 1024) << 20;
    struct readings put = {.n = 0}, get = {.n = 0};
    char *file = place_path(b, "large"), *home = place_path(b, "home");
    char *out = place_path(b, "ref"), ref[128];
    char *store[] = {arg(b->quire), arg("--home"), home, arg("blob"),
                     arg("put"),    file,          NULL};
    char *fetch[] = {arg(b->quire), arg("--home"), home, arg("blob"),
                     arg("get"),    ref,           NULL};
    double took;

    make_file(file, text, size);
    readings_add(&put, peak_mib(b, store, out, &took), 32);
    report(b, (struct line){put_name, "MiB", "what it may take", NEED_BELOW, 1},
           &put);
    report_note(b, put_name, "%.0f MB/s", (double)size / took / 1e6);
    read_small(out, ref, sizeof ref);
    readings_add(&get, peak_mib(b, fetch, "/dev/null", &took), 32);
    report(b, (struct line){get_name, "MiB", "what it may take", NEED_BELOW, 1},
           &get);
    report_note(b, get_name, "%.0f MB/s", (double)size / took / 1e6);
    place_clear(b, "large");
    place_clear(b, "home");
    free(file);
    free(home);
    free(out);
}

#define PUT_TEXT  "memory to put 1 GiB of text"
#define GET_TEXT  "memory to get 1 GiB of text"
#define PUT_NOISE "memory to put 1 GiB of noise"
#define GET_NOISE "memory to get 1 GiB of noise"

static void memory(struct bench *b)
{
    if (bench_wants(b, PUT_TEXT) || bench_wants(b, GET_TEXT))
        large_file(b, true, PUT_TEXT, GET_TEXT);
    if (bench_wants(b, PUT_NOISE) || bench_wants(b, GET_NOISE))
        large_file(b, false, PUT_NOISE, GET_NOISE);
}

/* ---- start to end ------------------------------------------------------- */

static double time_of(char **argv)
{
    double began = now_s();

    if (place_run(argv, NULL, NULL))
        bench_fail("%s did not run", argv[0]);
    return (now_s() - began) * 1e3;
}

#define START "quire version, start to end"

static void start(struct bench *b)
{
    struct readings r = {.n = 0};
    const char *cc = getenv("CC");
    char *empty = place_path(b, "empty");
    char *compile[] = {arg("sh"),
                       arg("-c"),
                       arg("echo 'int main(void) { return 0; }' |"
                           " $1 -O2 -o \"$2\" -x c -"),
                       arg("sh"),
                       arg(cc && *cc ? cc : "cc"),
                       empty,
                       NULL};
    char *nothing[] = {empty, NULL};
    char *version[] = {arg(b->quire), arg("version"), NULL};
    int i, n = b->quick ? 20 : 500;

    if (place_run(compile, NULL, NULL)) {
        report_note(b, START, "not measured: no C compiler for an empty one");
        free(empty);
        return;
    }
    for (i = 0; i < n; i++) {
        double ours = time_of(version);

        readings_add(&r, ours, time_of(nothing));
    }
    free(empty);
    report(b,
           (struct line){START, "ms", "an empty C program", NEED_WITHIN, 1.5},
           &r);
}

const struct measure process_measures[] = {
    {memory, {PUT_TEXT, GET_TEXT, PUT_NOISE, GET_NOISE}},
    {start, {START}},
    {NULL, {NULL}},
};

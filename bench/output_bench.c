/*
 * output_bench.c - a hundred megabytes that nobody wants to see
 *
 * What a tool prints comes in pieces of a few KiB, is cleaned, quote_text in part
 * and kept whole. Beside it: the sinks of the programs people use today, given
 * the same text, and tee(1), which cleans nothing, counts nothing and does not
 * wait for the disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "bench.h"
#include "session_make.h"

#define PIECE ((size_t)4096)

#define BESIDE_RIVALS "sink, 100 MiB in 4 KiB pieces"
#define BESIDE_TEE    "sink command, 100 MiB"
#define COLOURED      "sink, 100 MiB in colour"
#define MEMORY        "sink memory, 1 GiB"

static char *arg(const char *text)
{
    return (char *)(uintptr_t)text;
}

static size_t total_bytes(const struct bench *b)
{
    return (size_t)(b->quick ? 10 : 100) << 20;
}

/* What is repeated until there is enough of it. */
#define TEXT_BYTES ((size_t)16 << 20)

static void make_file(const char *path, quire_bytes text, size_t size)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

    if (fd < 0)
        bench_fail("cannot make %s: %s", path, strerror(errno));
    while (size > 0) {
        text.len = text.len < size ? text.len : size;
        if (fs_write_all(fd, text) < 0)
            bench_fail("cannot write %s: %s", path, strerror(errno));
        size -= text.len;
    }
    fsync(fd);
    close(fd);
}

/* A session, and what is needed to put outputs in it. */
struct scene {
    quire *q;
    quire_session *session;
    quire_session_info info;
};

static struct scene scene_open(const struct bench *b)
{
    char *home = place_path(b, "home");
    struct scene s = {.q = make_home(home)};

    s.session = make_new(s.q, QUIRE_SESSION_AT_ONCE, QUIRE_SYNC_NONE);
    quire_session_describe(s.session, &s.info);
    free(home);
    return s;
}

static void scene_close(const struct bench *b, struct scene *s)
{
    quire_session_close(s->session);
    quire_close(s->q);
    place_clear(b, "home");
}

/* The whole way of one output; gives seconds. Its file is removed again. */
static double time_sink(const struct scene *s, quire_bytes text, size_t size)
{
    quire_sink_result result;
    quire_outputs *o;
    quire_sink *sink;
    quire_error err;
    size_t done, at = 0;
    double began;

    bench_ok(quire_outputs_open(s->q, s->info.path, &o, &err), &err);
    began = now_s();
    bench_ok(quire_sink_open(o, NULL, &sink, &err), &err);
    for (done = 0; done < size; done += PIECE, at += PIECE) {
        if (at + PIECE > text.len)
            at = 0;
        quire_sink_write(sink, bytes_sub(text, at, at + PIECE));
    }
    quire_sink_finish(sink, &result);
    began = now_s() - began;
    if (!result.id)
        bench_fail("the output was not kept: %s", result.problem.what);
    unlink(result.path);
    quire_sink_free(sink);
    quire_outputs_close(o);
    return began;
}

/* ---- beside other sinks ------------------------------------------------- */

struct rival {
    const char *name, *folder, *runner;
    double ms;
};

#define DRIVER "bench/rivals/sink.mjs"

static bool run_rival(const struct bench *b, const char *dir, struct rival *r,
                      char *text)
{
    char *own = place_path(b, "rival"), *runner, *pkg, *home;
    double got[2];
    bool ok;

    if (asprintf(&runner, "%s/bun/node_modules/.bin/bun", dir) < 0 ||
        asprintf(&pkg, "INTEROP_PKG=%s/%s", dir, r->folder) < 0 ||
        asprintf(&home, "HOME=%s/rival", b->scratch) < 0)
        bench_fail("no memory");
    if (mkdir(own, 0700) < 0)
        bench_fail("cannot make %s: %s", own, strerror(errno));
    {
        char *argv[] = {arg("env"),  home,
                        pkg,         r->runner ? arg(r->runner) : runner,
                        arg(DRIVER), arg(r->folder),
                        text,        own,
                        NULL};

        ok = place_numbers(b, argv, got, 2);
    }
    r->ms = ok ? got[0] : 0;
    place_clear(b, "rival");
    free(own);
    free(runner);
    free(pkg);
    free(home);
    return ok;
}

static void beside_rivals(struct bench *b)
{
    struct rival rivals[] = {{"omp 18.2.3", "omp18", NULL, 0},
                             {"pi 0.73.1", "pi", "node", 0}};
    const char *dir = getenv("INTEROP_DIR");
    struct buf text = BUF_INIT(64 << 20);
    char *path = place_path(b, "text");
    struct scene s = scene_open(b);
    struct readings r = {.n = 0};
    bool known = dir && !access(dir, F_OK) && !access(DRIVER, F_OK);
    int i;

    text_output(&text, 41, TEXT_BYTES);
    make_file(path, buf_bytes(&text), text.len);
    for (i = 0; i < (b->quick ? 1 : 7); i++) {
        double ms = 1e3 * time_sink(&s, buf_bytes(&text), (size_t)100 << 20);
        bool ok = known && run_rival(b, dir, &rivals[0], path) &&
                  run_rival(b, dir, &rivals[1], path);
        double best = rivals[0].ms < rivals[1].ms ? rivals[0].ms : rivals[1].ms;

        readings_add(&r, 1e5 / ms, ok ? 1e5 / best : 0);
        if (ok)
            report_note(b, BESIDE_RIVALS, "ours %.0f ms, %s %.0f, %s %.0f", ms,
                        rivals[0].name, rivals[0].ms, rivals[1].name,
                        rivals[1].ms);
    }
    report(b,
           (struct line){BESIDE_RIVALS, "MiB/s",
                         known ? "the faster of two programs" : NULL,
                         known ? NEED_RATIO : NEED_NOTHING, 10},
           &r);
    scene_close(b, &s);
    place_clear(b, "text");
    buf_release(&text);
    free(path);
}

static void coloured(struct bench *b)
{
    struct buf plain = BUF_INIT(64 << 20), text = BUF_INIT(64 << 20);
    struct scene s = scene_open(b);
    struct readings r = {.n = 0};
    size_t i;

    /* Every line in colour, and the ends of lines of another system. */
    text_output(&plain, 42, TEXT_BYTES / 2);
    for (i = 0; i < plain.len;) {
        const char *at = plain.data + i;
        const char *end = memchr(at, '\n', plain.len - i);
        size_t len = end ? (size_t)(end - at) : plain.len - i;

        buf_add_str(&text, "\x1b[01;31m");
        buf_add(&text, at, len);
        buf_add_str(&text, "\x1b[0m\r\n");
        i += len + 1;
    }
    for (i = 0; i < (b->quick ? 1 : 5); i++)
        readings_add(&r,
                     (double)total_bytes(b) / (1 << 20) /
                         time_sink(&s, buf_bytes(&text), total_bytes(b)),
                     0);
    report(b, (struct line){COLOURED, "MiB/s", NULL, NEED_NOTHING, 0}, &r);
    scene_close(b, &s);
    buf_release(&plain);
    buf_release(&text);
}

/* ---- the command -------------------------------------------------------- */

static double time_shell(const char *script, char *a, char *b, char *c)
{
    char *argv[] = {arg("sh"), arg("-c"), arg(script), arg("sh"),
                    a,         b,         c,           NULL};
    double began = now_s();

    if (place_run(argv, NULL, NULL))
        bench_fail("%s failed", script);
    return now_s() - began;
}

static void beside_tee(struct bench *b)
{
    char *path = place_path(b, "text"), *copy = place_path(b, "copy");
    char *home = place_path(b, "home");
    struct buf text = BUF_INIT(64 << 20);
    struct scene s = scene_open(b);
    double mib = (double)total_bytes(b) / (1 << 20);
    struct readings r = {.n = 0};
    char *session = strdup(s.info.path);
    int i;

    text_output(&text, 43, TEXT_BYTES);
    make_file(path, buf_bytes(&text), total_bytes(b));
    setenv("QUIRE_HOME", home, 1);
    setenv("QUIRE_SESSION", session, 1);
    for (i = 0; i < (b->quick ? 1 : 9); i++) {
        double ours = time_shell("cat \"$1\" | \"$2\" output sink >/dev/null "
                                 "2>&1",
                                 path, arg(b->quire), copy);
        double tee = time_shell("cat \"$1\" | tee \"$3\" >/dev/null", path,
                                copy, copy);

        readings_add(&r, mib / ours, mib / tee);
        place_clear(b, "copy");
    }
    report(b, (struct line){BESIDE_TEE, "MiB/s", "tee", NEED_RATIO, 0.4}, &r);
    unsetenv("QUIRE_HOME");
    unsetenv("QUIRE_SESSION");
    scene_close(b, &s);
    place_clear(b, "text");
    buf_release(&text);
    free(session);
    free(path);
    free(copy);
    free(home);
}

/* The peak of the command in KiB, for `mib` mebibytes of input. */
static double peak_kib(const struct bench *b, const char *mib)
{
    char *result = place_path(b, "peak"), *text;
    char *argv[] = {arg("sh"),
                    arg("-c"),
                    arg("yes 'what is printed, again and again' | "
                        "head -c \"$1\"M | "
                        "\"$2\" --peak \"$3\" /dev/null \"$4\" output sink "
                        "2>/dev/null; cat \"$3\""),
                    arg("sh"),
                    arg(mib),
                    NULL,
                    result,
                    arg(b->quire),
                    NULL};
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    double kib;

    self[n > 0 ? n : 0] = '\0';
    argv[5] = text = strdup(self);
    if (!place_numbers(b, argv, &kib, 1))
        bench_fail("cannot measure the memory of a sink");
    free(text);
    free(result);
    return kib;
}

static void memory(struct bench *b)
{
    struct readings r = {.n = 0};
    char *tmp = place_path(b, "tmp"), *home = place_path(b, "home");
    int i;

    if (mkdir(tmp, 0700) < 0)
        bench_fail("cannot make %s: %s", tmp, strerror(errno));
    setenv("TMPDIR", tmp, 1);
    setenv("QUIRE_HOME", home, 1);
    for (i = 0; i < 3; i++)
        readings_add(&r, peak_kib(b, b->quick ? "64" : "1024"),
                     peak_kib(b, "0"));
    report(b,
           (struct line){MEMORY, "KiB", "the same for nothing", NEED_WITHIN,
                         50 + 1024},
           &r);
    unsetenv("TMPDIR");
    unsetenv("QUIRE_HOME");
    place_clear(b, "tmp");
    place_clear(b, "home");
    free(tmp);
    free(home);
}

const struct measure output_measures[] = {
    {beside_rivals, {BESIDE_RIVALS}},
    {coloured, {COLOURED}},
    {beside_tee, {BESIDE_TEE}},
    {memory, {MEMORY}},
    {NULL, {NULL}},
};

/*
 * session_bench.c - opening long sessions, and what they take of memory
 *
 * 100 MB and 40,000 entries is a session of some weeks. The files are in the
 * page cache when they are timed, for both sides: what is measured is the
 * work, not the disk.
 *
 * Memory is measured in processes of their own that this program starts: one
 * that has freed something before would find room without asking for any.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "bench.h"
#include "session_make.h"

#define KIB 1024.0
#define MIB (1024.0 * 1024)

/* The libraries' functions take `char *const *` and write to none of it. */
static char *arg(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* ---- children ----------------------------------------------------------- */

static quire_status count_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    *(uint64_t *)ctx += bytes.len;
    return QUIRE_OK;
}

/* How much memory an open session takes. Not RssAnon of /proc/self/status,
 * which is an estimate and some hundred KiB off: this counts the pages. */
static void child_open(quire *q, const char *path)
{
    static const char pages[] = "/proc/self/smaps_rollup";
    double before = kernel_says(pages, "Anonymous:"), after;
    quire_session *s = make_open(q, path, QUIRE_SESSION_READ);
    quire_session_info info;

    after = kernel_says(pages, "Anonymous:");
    quire_session_describe(s, &info);
    printf("%.0f %.0f\n", (after - before) * KIB, (double)info.entries);
    quire_session_close(s);
}

/* How long it takes to open one and to give its context. */
static void child_context(quire *q, const char *path)
{
    double began = now_s(), took;
    uint64_t len = 0;
    quire_session *s = make_open(q, path, QUIRE_SESSION_READ);
    quire_error err;

    bench_ok(quire_session_context(s, NULL, count_bytes, NULL, &len, &err),
             &err);
    took = now_s() - began;
    printf("%.6f %.0f\n", took * 1e3, (double)len);
    quire_session_close(s);
}

struct sampler {
    atomic_bool stop;
    double peak; /* KiB */
};

static void *sample(void *ctx)
{
    struct sampler *sampler = ctx;

    while (!atomic_load(&sampler->stop)) {
        double now = kernel_says("/proc/self/status", "RssAnon:");

        if (now > sampler->peak)
            sampler->peak = now;
        usleep(500);
    }
    return NULL;
}

struct walk {
    double opened, walked, appended; /* milliseconds            */
    double heap;                     /* bytes, before the close */
};

static struct walk open_walk_append(quire *q, const char *path)
{
    struct buf message = BUF_INIT(1 << 16);
    double at[4];
    struct mallinfo2 heap;
    quire_session *s;
    uint64_t len = 0;
    quire_error err;

    make_message(&message, 1, 1000);
    at[0] = now_s();
    s = make_open(q, path, 0);
    at[1] = now_s();
    bench_ok(quire_session_context(s, NULL, count_bytes, NULL, &len, &err),
             &err);
    at[2] = now_s();
    bench_ok(quire_session_append(s, buf_bytes(&message), NULL, NULL, &err),
             &err);
    bench_ok(quire_session_flush(s, &err), &err);
    at[3] = now_s();
    heap = mallinfo2();
    quire_session_close(s);
    buf_release(&message);
    return (struct walk){(at[1] - at[0]) * 1e3, (at[2] - at[1]) * 1e3,
                         (at[3] - at[2]) * 1e3,
                         (double)(heap.arena + heap.hblkhd)};
}

/* The peak twice: what the kernel noted as the highest of everything, less
 * the program's own pages at the start, which is too low by its rounding at
 * most; and what a look twice a millisecond saw of anonymous memory alone. */
static void child_walk(quire *q, const char *path)
{
    double file = kernel_says("/proc/self/status", "RssFile:"), high;
    struct sampler sampler = {.peak = 0};
    struct walk walk;
    pthread_t thread;

    if (pthread_create(&thread, NULL, sample, &sampler))
        bench_fail("cannot start a thread");
    walk = open_walk_append(q, path);
    atomic_store(&sampler.stop, true);
    pthread_join(thread, NULL);
    high = kernel_says("/proc/self/status", "VmHWM:");
    printf("%.0f %.0f %.0f %.6f %.6f %.6f\n", (high - file) * KIB,
           sampler.peak * KIB, walk.heap, walk.opened, walk.walked,
           walk.appended);
}

int session_child(char **argv)
{
    quire *q = make_home(argv[1]);

    if (!strcmp(argv[0], "open"))
        child_open(q, argv[2]);
    else if (!strcmp(argv[0], "context"))
        child_context(q, argv[2]);
    else
        child_walk(q, argv[2]);
    quire_close(q);
    return 0;
}

static void ask_child(const struct bench *b, const char *work, const char *path,
                      double *out, int n)
{
    char *home = place_path(b, "home");
    char *argv[] = {arg("/proc/self/exe"),
                    arg("--session-child"),
                    arg(work),
                    home,
                    arg(path),
                    NULL};

    if (!place_numbers(b, argv, out, n))
        bench_fail("a child that was to %s a session failed", work);
    free(home);
}

/* ---- opening ------------------------------------------------------------ */

static double time_open(quire *q, const char *path)
{
    double began = now_s();

    quire_session_close(make_open(q, path, QUIRE_SESSION_READ));
    return now_s() - began;
}

static uint64_t count_lines(const char *at, size_t len)
{
    const char *end = at + len;
    uint64_t n = 0;

    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        n++;
        at++;
    }
    return n;
}

static void expect_lines(uint64_t n, const struct made *made)
{
    if (n != made->entries + 1)
        bench_fail("%llu lines where %llu were made", (unsigned long long)n,
                   (unsigned long long)made->entries + 1);
}

static double time_mapped(const char *path, const struct made *made)
{
    double began = now_s();
    int fd = make_fd(path);
    char *at = mmap(NULL, made->bytes, PROT_READ, MAP_PRIVATE, fd, 0);

    if (at == MAP_FAILED)
        bench_fail("cannot map %s: %s", path, strerror(errno));
    expect_lines(count_lines(at, made->bytes), made);
    munmap(at, made->bytes);
    close(fd);
    return now_s() - began;
}

static double time_read(const char *path, const struct made *made)
{
    static char piece[256 * 1024];
    double began = now_s();
    int fd = make_fd(path);
    uint64_t n = 0;
    ssize_t got;

    while ((got = read(fd, piece, sizeof piece)) > 0)
        n += count_lines(piece, (size_t)got);
    close(fd);
    expect_lines(n, made);
    return now_s() - began;
}

#define OPEN_MAPPED "session open, 100 MB"
#define OPEN_READ   "session open, 100 MB, beside read"
#define OPEN_MIXED  "session open, 100 MB, images inline"
#define PER_ENTRY   "session open, memory an entry"

static void open_kind(struct bench *b, quire *q, enum make_kind kind)
{
    struct readings mapped = {.n = 0}, plain = {.n = 0};
    const char *name = kind == MAKE_TEXT ? OPEN_MAPPED : OPEN_MIXED;
    char *path = place_path(b, "open.jsonl");
    struct made made = make_session(path, kind, make_bytes(b), 0);
    double gb = (double)made.bytes / 1e9;
    int i, n = b->quick ? 7 : 21;

    for (i = 0; i < n; i++) {
        double ours = gb / time_open(q, path);

        readings_add(&mapped, ours, gb / time_mapped(path, &made));
        readings_add(&plain, ours, gb / time_read(path, &made));
    }
    report(b,
           (struct line){name, "GB/s", "memchr in the mapped file",
                         kind == MAKE_TEXT ? NEED_RATIO : NEED_NOTHING, 0.5},
           &mapped);
    if (kind == MAKE_TEXT) {
        report(b,
               (struct line){OPEN_READ, "GB/s", "read of 256 KiB and memchr",
                             NEED_NOTHING, 0},
               &plain);
        report_note(b, OPEN_READ, "%.1f MB, %llu entries", gb * 1e3,
                    (unsigned long long)made.entries);
    }
    place_clear(b, "open.jsonl");
    free(path);
}

static void opening(struct bench *b)
{
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);

    if (bench_wants(b, OPEN_MAPPED) || bench_wants(b, OPEN_READ))
        open_kind(b, q, MAKE_TEXT);
    if (bench_wants(b, OPEN_MIXED))
        open_kind(b, q, MAKE_MIXED);
    quire_close(q);
}

/* Whatever the size, as a session keeps some buffers besides: with a tenth of
 * the entries they would be most of it. */
static void memory_an_entry(struct bench *b)
{
    char *path = place_path(b, "open.jsonl");
    struct readings r = {.n = 0};
    double got[2];
    int i;

    make_session(path, MAKE_TEXT, 100000000, 0);
    for (i = 0; i < (b->quick ? 3 : 7); i++) {
        ask_child(b, "open", path, got, 2);
        readings_add(&r, got[0] / got[1], 40);
    }
    report(b,
           (struct line){PER_ENTRY, "bytes", "its place in the index",
                         NEED_BELOW, 1.3},
           &r);
    report_note(b, PER_ENTRY, "%.0f KiB for %.0f entries", got[0] / KIB,
                got[1]);
    place_clear(b, "open.jsonl");
    free(path);
}

/* ---- beside the programs that share the format -------------------------- */

struct rival {
    const char *name, *folder, *runner;
    double best_ms, messages;
};

#define BUN    "bun/node_modules/.bin/bun"
#define DRIVER "bench/rivals/load.mjs"
#define RIVALS "session open and context, 100 MB"

/* One run in a process of its own, on a copy of its own: two of the three
 * may write to what they open. */
static bool run_rival(const struct bench *b, const char *dir, struct rival *r,
                      const char *path)
{
    char *copy = place_path(b, "rival/copy.jsonl"), *runner, *pkg, *home, *tmp;
    char *cp[] = {arg("cp"), arg(path), copy, NULL};
    double got[2];
    bool ok;

    if (asprintf(&runner, "%s/" BUN, dir) < 0 ||
        asprintf(&pkg, "INTEROP_PKG=%s/%s", dir, r->folder) < 0 ||
        asprintf(&home, "HOME=%s/rival", b->scratch) < 0 ||
        asprintf(&tmp, "TMPDIR=%s/rival", b->scratch) < 0)
        bench_fail("no memory");
    ok = place_run(cp, NULL, NULL) == 0;
    if (ok) {
        char *argv[] = {arg("env"),
                        home,
                        tmp,
                        pkg,
                        r->runner ? arg(r->runner) : runner,
                        arg(DRIVER),
                        arg(r->folder),
                        copy,
                        NULL};

        ok = place_numbers(b, argv, got, 2);
    }
    if (ok && (r->best_ms == 0 || got[0] < r->best_ms)) {
        r->best_ms = got[0];
        r->messages = got[1];
    }
    free(copy);
    free(runner);
    free(pkg);
    free(home);
    free(tmp);
    return ok;
}

static quire_status keep_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    buf_add(ctx, bytes.data, bytes.len);
    return buf_status(ctx, "a context", err);
}

static uint64_t our_messages(const struct bench *b, const char *path)
{
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    quire_session *s = make_open(q, path, QUIRE_SESSION_READ);
    struct buf out = BUF_INIT(1 << 30);
    struct arena arena = ARENA_INIT;
    struct json_node *node;
    quire_error err;
    uint64_t n = 0;

    bench_ok(quire_session_context(s, NULL, keep_bytes, NULL, &out, &err),
             &err);
    node = json_tree_get(json_tree_read(buf_bytes(&out), &arena, NULL),
                         "messages");
    for (node = node ? node->first : NULL; node; node = node->next)
        n++;
    arena_release(&arena);
    buf_release(&out);
    quire_session_close(s);
    quire_close(q);
    return n;
}

static void report_rivals(struct bench *b, const char *path,
                          const struct rival *rivals, int n)
{
    struct readings r = {.n = 0};
    double best = 0, got[2];
    int i;

    for (i = 0; i < n; i++) {
        if (rivals[i].best_ms > 0 && (best == 0 || rivals[i].best_ms < best))
            best = rivals[i].best_ms;
    }
    if (best == 0)
        return;
    for (i = 0; i < (b->quick ? 5 : 15); i++) {
        ask_child(b, "context", path, got, 2);
        readings_add(&r, 1e3 / got[0], 1e3 / best);
    }
    report(b,
           (struct line){RIVALS, "per s", "the fastest of three programs",
                         NEED_RATIO, 20},
           &r);
    report_note(b, RIVALS, "ours: %llu messages, %.0f bytes of context",
                (unsigned long long)our_messages(b, path), got[1]);
    for (i = 0; i < n; i++)
        report_note(b, RIVALS, "%s: %.1f ms, %.0f messages", rivals[i].name,
                    rivals[i].best_ms, rivals[i].messages);
}

static void beside_rivals(struct bench *b)
{
    struct rival rivals[] = {{"omp 18.2.3", "omp18", NULL, 0, 0},
                             {"omp 13.19.0", "omp13", NULL, 0, 0},
                             {"pi 0.73.1", "pi", "node", 0, 0}};
    const char *dir = getenv("INTEROP_DIR");
    char *path = place_path(b, "open.jsonl"), *own = place_path(b, "rival");
    int i, k, runs = b->quick ? 1 : 5;

    if (!dir || access(dir, F_OK) < 0 || access(DRIVER, F_OK) < 0) {
        report_note(b, RIVALS,
                    "not measured: INTEROP_DIR does not name the programs "
                    "that tests/interop/fetch installs, or " DRIVER
                    " is not here");
    } else {
        make_session(path, MAKE_TEXT, make_bytes(b), 0);
        if (mkdir(own, 0700) < 0)
            bench_fail("cannot make %s: %s", own, strerror(errno));
        for (k = 0; k < runs; k++) {
            for (i = 0; i < 3; i++) {
                if (!run_rival(b, dir, &rivals[i], path))
                    report_note(b, RIVALS, "%s did not run", rivals[i].name);
            }
        }
        report_rivals(b, path, rivals, 3);
        place_clear(b, "rival");
        place_clear(b, "open.jsonl");
    }
    free(path);
    free(own);
}

/* ---- a very long session ------------------------------------------------ */

#define LARGE "session memory, 1 GB"

static void large(struct bench *b)
{
    char *path = place_path(b, "large.jsonl");
    struct made made = make_session(path, MAKE_TEXT, make_bytes(b) * 10, 0);
    struct readings r = {.n = 0};
    double got[6];
    int i;

    for (i = 0; i < 3; i++) {
        ask_child(b, "walk", path, got, 6);
        readings_add(&r, got[0] / MIB, 64);
    }
    report(b, (struct line){LARGE, "MiB", "what it may take", NEED_BELOW, 1},
           &r);
    report_note(b, LARGE,
                "%.0f MB, %llu entries; seen at most %.1f MiB, heap "
                "%.1f MiB while open",
                (double)made.bytes / 1e6, (unsigned long long)made.entries,
                got[1] / MIB, got[2] / MIB);
    report_note(b, LARGE,
                "open %.1f ms, context %.2f ms, append and flush "
                "%.2f ms",
                got[3], got[4], got[5]);
    place_clear(b, "large.jsonl");
    free(path);
}

const struct measure session_measures[] = {
    {opening, {OPEN_MAPPED, OPEN_READ, OPEN_MIXED}},
    {memory_an_entry, {PER_ENTRY}},
    {beside_rivals, {RIVALS}},
    {large, {LARGE}},
    {NULL, {NULL}},
};

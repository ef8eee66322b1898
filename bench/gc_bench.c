/*
 * gc_bench.c - ten thousand sessions and a million blobs
 *
 * The home is that of home_make.h. Everything is in the page cache.
 *
 *   first            Nothing is known: every session is read, and every blob
 *                    judged. The limit is reading the same files, a quarter of
 *                    a mebibyte at a time.
 *   one new session  Everything is known but one session of a hundred blobs. The
 *                    limit is asking for size and time of all session files.
 *   longest put      A thirtieth of all sessions has gone, and what they referred
 *                    to is removed, while a writer puts small blobs without
 *                    waiting for the disk. The limit is the same writer alone,
 *                    for as long: its own checkpoints take their time, too.
 *   longest turn     How long the store or the database was kept from others; for
 *                    information, since a writer can also pay for what a
 *                    collection left in the log, and only its own clock tells.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "bench.h"
#include "home_make.h"

#define FIRST   "first collection, 1,000,000"
#define ONE     "collection after one new session"
#define WAITING "longest put of a writer while blobs go"
#define TURNS   "longest turn of a collection"

/* ---- the limits --------------------------------------------------------- */

/* Each session file: looked at, and read too if `buf`. */
static double go_through(const struct home *h, char *buf)
{
    double began = now_s();
    struct dirent *e;
    struct stat st;
    int i;

    for (i = 0; i <= h->n_sessions / PER_DIR; i++) {
        char path[512];
        DIR *dir;

        snprintf(path, sizeof path, "%s/home/sessions/--project-%d--",
                 h->b->scratch, i);
        dir = opendir(path);
        while (dir && (e = readdir(dir)) != NULL) {
            int fd;

            if (e->d_name[0] == '.')
                continue;
            if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
                bench_fail("cannot look at %s", e->d_name);
            if (!buf)
                continue;
            fd = openat(dirfd(dir), e->d_name, O_RDONLY | O_CLOEXEC);
            while (read(fd, buf, 256 * 1024) > 0)
                ;
            close(fd);
        }
        if (dir)
            closedir(dir);
    }
    return now_s() - began;
}

static double collect(struct home *h, int64_t grace_s, unsigned flags,
                      quire_collect_report *report)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_error err;
    double began = now_s();

    o.grace_s = grace_s;
    o.flags = flags;
    bench_ok(quire_collect(h->q, &o, report, &err), &err);
    return now_s() - began;
}

/* ---- the lines ---------------------------------------------------------- */

static void measure_first(struct home *h)
{
    struct readings r = {.n = 0};
    quire_collect_report report_;
    char *buf = malloc(256 * 1024);
    double mb = (double)h->bytes / 1e6, took;
    int i, rounds = h->b->quick ? 1 : 3;

    go_through(h, buf);
    for (i = 0; i < rounds; i++) {
        took = collect(h, 86400, i ? QUIRE_COLLECT_FULL : 0, &report_);
        if (report_.referenced != report_.scanned)
            bench_fail("%llu blobs are not referred to",
                       (unsigned long long)(report_.scanned -
                                            report_.referenced));
        readings_add(&r, mb / took, mb / go_through(h, buf));
        report_note(h->b, FIRST, "%.0f ms, %.0f MB", took * 1e3, mb);
    }
    report(h->b,
           (struct line){FIRST, "MB/s", "reading the files", NEED_RATIO, 0.5},
           &r);
    free(buf);
}

static void measure_one(struct home *h)
{
    struct readings r = {.n = 0};
    quire_collect_report report_;
    quire_digest digests[PER_SESSION];
    int i, rounds = h->b->quick ? 2 : 15;

    for (i = 0; i < rounds; i++) {
        double took;

        home_put_blobs(h, (uint64_t)1 << 40 | (uint64_t)i << 20, PER_SESSION,
                       digests);
        home_write_session(h, h->n_sessions + i, digests);
        usleep(50000); /* so that it is not looked at twice */
        took = collect(h, 86400, 0, &report_) * 1e3;
        readings_add(&r, took, go_through(h, NULL) * 1e3);
    }
    report(h->b,
           (struct line){ONE, "ms", "listing all sessions", NEED_WITHIN, 50},
           &r);
}

/* What keeps others from writing, heard by what is asked of the store and of the
 * database: from the start of a turn to its end. */
struct turns {
    double store_at, rows_at; /* 0: nobody is kept waiting */
    double longest_ms;
    int n;
};

static void end_turn(struct turns *t, double *at)
{
    double took = (now_s() - *at) * 1e3;

    if (*at > 0 && took > t->longest_ms)
        t->longest_ms = took;
    t->n += *at > 0;
    *at = 0;
}

static void hear(void *ctx, const char *line)
{
    struct turns *t = ctx;

    if (!strncmp(line, "lease lock exclusive", 20))
        t->store_at = now_s();
    else if (!strncmp(line, "lease lock shared", 17))
        end_turn(t, &t->store_at);
    else if (!strncmp(line, "db begin", 8))
        t->rows_at = now_s();
    else if (!strncmp(line, "db commit", 9) ||
             !strncmp(line, "db rollback", 11))
        end_turn(t, &t->rows_at);
}

/* A thirtieth of the sessions goes, and then what they referred to. */
static void remove_some(struct home *h, int round, double *turn_ms)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_options options = QUIRE_OPTIONS_INIT;
    struct turns t = {.n = 0};
    char *home = place_path(h->b, "home");
    quire_collect_report got;
    quire_error err;
    int k, gone = h->n_sessions / 30;
    quire *q;

    for (k = round * gone; k < (round + 1) * gone; k++) {
        char path[HOME_PATH];

        home_session_path(h, k, path);
        unlink(path);
    }
    options.home = home;
    options.trace = hear;
    options.trace_ctx = &t;
    o.grace_s = 0;
    o.flags = QUIRE_COLLECT_YES;
    bench_ok(quire_open(&options, &q, &err), &err);
    bench_ok(quire_collect(q, &o, &got, &err), &err);
    if (got.removed < (uint64_t)gone * PER_SESSION)
        bench_fail("%llu blobs were removed", (unsigned long long)got.removed);
    quire_close(q);
    free(home);
    *turn_ms = t.longest_ms;
}

struct writer {
    struct home *h;
    atomic_bool stop;
    double longest_ms;
    int n;
};

static void *write_on(void *ctx)
{
    struct writer *w = ctx;
    quire *q = place_store(w->h->b, "home", QUIRE_LAYOUT_PACKED, NULL);
    static atomic_int number;
    quire_error err;
    char text[64];

    while (!atomic_load(&w->stop)) {
        double began = now_s(), took;
        int len = snprintf(text, sizeof text, "written meanwhile %d",
                           atomic_fetch_add(&number, 1));

        bench_ok(quire_blob_put(q, bytes_of(text, (size_t)len), 0, NULL, &err),
                 &err);
        took = (now_s() - began) * 1e3;
        if (took > w->longest_ms)
            w->longest_ms = took;
        w->n++;
        usleep(200);
    }
    quire_close(q);
    return NULL;
}

/* Beside a collection, and then alone for as long. */
static void measure_waiting(struct home *h)
{
    struct readings puts = {.n = 0}, turns = {.n = 0};
    int i, rounds = h->b->quick ? 1 : 5;
    quire_error err;

    bench_ok(quire_config_set(h->q, "durability", "flush", &err), &err);
    for (i = 0; i < rounds; i++) {
        struct writer beside = {.h = h}, alone = {.h = h};
        double turn_ms, began = now_s();
        pthread_t thread;

        if (pthread_create(&thread, NULL, write_on, &beside))
            bench_fail("no thread");
        remove_some(h, i, &turn_ms);
        atomic_store(&beside.stop, true);
        pthread_join(thread, NULL);
        began = now_s() - began;
        if (pthread_create(&thread, NULL, write_on, &alone))
            bench_fail("no thread");
        usleep((useconds_t)(began * 1e6));
        atomic_store(&alone.stop, true);
        pthread_join(thread, NULL);
        readings_add(&puts, beside.longest_ms, alone.longest_ms);
        readings_add(&turns, turn_ms, 20);
    }
    report(h->b,
           (struct line){WAITING, "ms", "the same writer alone", NEED_WITHIN,
                         20},
           &puts);
    report(h->b, (struct line){TURNS, "ms", "20 ms", NEED_NOTHING, 0}, &turns);
}

static void run(struct bench *b)
{
    struct home h;

    home_make(&h, b, b->quick ? 200 : 10000);
    measure_first(&h);
    measure_one(&h);
    measure_waiting(&h);
    home_clear(&h);
}

const struct measure collect_measures[] = {
    {run, {FIRST, ONE, WAITING, TURNS, NULL}},
    {NULL, {NULL}},
};

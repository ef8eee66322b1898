/*
 * small_bench.c - many small things, in time and on the disk
 *
 * Ten thousand pieces of 1 KiB in one batch, beside the two ways people do it
 * otherwise: a file each, waiting for the disk each time, and a git process
 * each (which does not even wait). The slow ones are measured on fewer and
 * compared by the rate.
 *
 * And a thousand tool outputs, of the sizes real sessions have, beside the
 * sum of what gzip makes of each.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <isa-l/igzip_lib.h>
#include <sqlite3.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "bench.h"

enum { SMALL = 1024 };

#define SMALL_LOOSE "10,000 x 1 KiB, packed / loose each"
#define SMALL_GIT   "10,000 x 1 KiB, packed / git each"
#define LOOSE_BATCH "1 KiB, loose in one batch"
#define GIT_STDIN   "1 KiB, git hash-object --stdin-paths"
#define DISK        "1,000 tool outputs on disk"

/* ---- ten thousand ------------------------------------------------------- */

/* Seconds to put `n` new pieces; in one batch, or each on its own. */
static double put_small(quire *q, size_t n, uint64_t seed, bool batch)
{
    struct buf all = BUF_INIT(n * SMALL), one = BUF_INIT(4 * SMALL);
    quire_blob_info info;
    quire_error err;
    double began, took;
    size_t i;

    for (i = 0; i < n; i++) {
        text_code(&one, (seed << 32) + i, SMALL);
        buf_add(&all, one.data, one.len);
    }
    if (all.failed)
        bench_fail("no memory");
    began = now_s();
    if (batch)
        bench_ok(quire_begin(q, &err), &err);
    for (i = 0; i < n; i++) {
        bench_ok(quire_blob_put(q, bytes_of(all.data + i * SMALL, SMALL), 0,
                                &info, &err),
                 &err);
        if (info.existed)
            bench_fail("two pieces are the same");
    }
    if (batch)
        bench_ok(quire_commit(q, &err), &err);
    took = now_s() - began;
    buf_release(&all);
    buf_release(&one);
    return took;
}

/* A git repository, and files for it to take in. */
struct git {
    char *dir, *list, *home_env, *dir_env;
    char *env[8];
    bool there;
};

static char *joined(const char *name, const char *value)
{
    char *out;

    if (asprintf(&out, "%s=%s", name, value) < 0)
        bench_fail("no memory");
    return out;
}

/* Nobody's configuration shall decide what is measured. */
static void git_init(struct git *g, const struct bench *b)
{
    const char *path = getenv("PATH");
    char *argv[] = {(char[]){"git"}, (char[]){"init"}, (char[]){"--bare"},
                    (char[]){"-q"}, NULL};

    g->dir = place_path(b, "git");
    g->list = place_path(b, "list");
    g->dir_env = joined("GIT_DIR", g->dir);
    g->home_env = joined("HOME", b->scratch);
    g->env[0] = g->dir_env;
    g->env[1] = g->home_env;
    g->env[2] = (char *)(uintptr_t) "GIT_CONFIG_NOSYSTEM=1";
    g->env[3] = (char *)(uintptr_t) "GIT_CONFIG_GLOBAL=/dev/null";
    g->env[4] = joined("PATH", path ? path : "/usr/bin:/bin");
    g->there = place_run(argv, g->env, NULL) == 0;
}

static void git_release(struct git *g)
{
    free(g->dir);
    free(g->list);
    free(g->dir_env);
    free(g->home_env);
    free(g->env[4]);
}

static char *file_name(const struct bench *b, size_t i)
{
    char name[40];

    snprintf(name, sizeof name, "in/%zu", i);
    return place_path(b, name);
}

static void write_files(const struct bench *b, size_t n, uint64_t seed,
                        const char *list)
{
    struct buf one = BUF_INIT(4 * SMALL), names = BUF_INIT(1 << 24);
    char *dir = place_path(b, "in");
    size_t i;
    int fd;

    if (mkdir(dir, 0700) < 0)
        bench_fail("cannot make %s: %s", dir, strerror(errno));
    free(dir);
    for (i = 0; i < n; i++) {
        char *path = file_name(b, i);

        text_code(&one, (seed << 32) + i, SMALL);
        fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0 || fs_write_all(fd, buf_bytes(&one)) < 0)
            bench_fail("cannot write %s: %s", path, strerror(errno));
        close(fd);
        buf_addf(&names, "%s\n", path);
        free(path);
    }
    fd = open(list, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0 || fs_write_all(fd, buf_bytes(&names)) < 0)
        bench_fail("cannot write %s: %s", list, strerror(errno));
    close(fd);
    buf_release(&one);
    buf_release(&names);
}

/* Seconds for `n` files, a process each. */
static double git_each(const struct bench *b, struct git *g, size_t n,
                       uint64_t seed)
{
    double began, took;
    size_t i;

    write_files(b, n, seed, g->list);
    began = now_s();
    for (i = 0; i < n; i++) {
        char *path = file_name(b, i);
        char *argv[] = {(char[]){"git"}, (char[]){"hash-object"},
                        (char[]){"-w"}, path, NULL};

        if (place_run(argv, g->env, NULL))
            bench_fail("git hash-object failed");
        free(path);
    }
    took = now_s() - began;
    place_clear(b, "in");
    return took;
}

/* Seconds for `n` files, one process for all. */
static double git_all(const struct bench *b, struct git *g, size_t n,
                      uint64_t seed)
{
    char *argv[] = {(char[]){"sh"},
                    (char[]){"-c"},
                    (char[]){"git hash-object -w --stdin-paths <\"$1\""},
                    (char[]){"sh"},
                    g->list,
                    NULL};
    double began, took;

    write_files(b, n, seed, g->list);
    began = now_s();
    if (place_run(argv, g->env, NULL))
        bench_fail("git hash-object failed");
    took = now_s() - began;
    place_clear(b, "in");
    return took;
}

static void small(struct bench *b)
{
    size_t n = b->quick ? 1000 : 10000, n_each = b->quick ? 50 : 1000;
    size_t n_git = b->quick ? 20 : 100;
    int round, n_rounds = b->quick ? 2 : 5;
    struct readings each = {.n = 0}, by_git = {.n = 0};
    struct readings in_batch = {.n = 0}, by_stdin = {.n = 0};
    struct git git = {.there = false};
    quire *packed = place_store(b, "packed", QUIRE_LAYOUT_PACKED, NULL);
    quire *loose = place_store(b, "loose", QUIRE_LAYOUT_LOOSE, NULL);
    bool want_git = bench_wants(b, SMALL_GIT) || bench_wants(b, GIT_STDIN);

    if (want_git)
        git_init(&git, b);
    put_small(packed, 1, 1, false);
    put_small(loose, 1, 1, false);
    for (round = 0; round < n_rounds; round++) {
        uint64_t seed = 10 + (uint64_t)round * 8;
        double ours = (double)n / put_small(packed, n, seed, true);

        if (bench_wants(b, SMALL_LOOSE))
            readings_add(&each, ours,
                         (double)n_each /
                             put_small(loose, n_each, seed + 1, false));
        if (bench_wants(b, LOOSE_BATCH))
            readings_add(&in_batch,
                         (double)n_each /
                             put_small(loose, n_each, seed + 2, true),
                         ours);
        if (!git.there)
            continue;
        if (bench_wants(b, SMALL_GIT))
            readings_add(&by_git, ours,
                         (double)n_git / git_each(b, &git, n_git, seed + 3));
        if (bench_wants(b, GIT_STDIN))
            readings_add(&by_stdin,
                         (double)n_each / git_all(b, &git, n_each, seed + 4),
                         ours);
    }
    quire_close(packed);
    quire_close(loose);
    place_clear(b, "packed");
    place_clear(b, "loose");
    report(b,
           (struct line){SMALL_LOOSE, "/s", "a durable loose file each",
                         NEED_RATIO, 5},
           &each);
    report(b,
           (struct line){SMALL_GIT, "/s", "a `git hash-object -w` each",
                         NEED_RATIO, 10},
           &by_git);
    report(b, (struct line){LOOSE_BATCH, "/s", "packed", NEED_NOTHING, 0},
           &in_batch);
    report(b, (struct line){GIT_STDIN, "/s", "packed", NEED_NOTHING, 0},
           &by_stdin);
    if (want_git && !git.there)
        report_note(b, SMALL_GIT, "not measured: git is not installed");
    if (want_git) {
        git_release(&git);
        place_clear(b, "git");
    }
}

/* ---- tool outputs on the disk ------------------------------------------- */

static size_t gzip_size(quire_bytes bytes)
{
    size_t room = 2 * bytes.len + 1024;
    uint8_t *out = malloc(room), *level = malloc(ISAL_DEF_LVL2_DEFAULT);
    struct isal_zstream z;

    if (!out || !level)
        bench_fail("no memory");
    isal_deflate_stateless_init(&z);
    z.level = 2;
    z.level_buf = level;
    z.level_buf_size = ISAL_DEF_LVL2_DEFAULT;
    z.gzip_flag = IGZIP_GZIP;
    z.next_in = (uint8_t *)(uintptr_t)bytes.data;
    z.avail_in = (uint32_t)bytes.len;
    z.end_of_stream = 1;
    z.next_out = out;
    z.avail_out = (uint32_t)room;
    if (isal_deflate_stateless(&z) != COMP_OK)
        bench_fail("isa-l does not compress");
    free(out);
    free(level);
    return room - z.avail_out;
}

struct session_usage {
    size_t raw, gzip; /* sums over the outputs                     */
    size_t best;      /* the smaller of the two for each           */
    size_t stored;    /* what Quire says it keeps                  */
};

static void put_outputs(quire *q, int n, struct session_usage *t)
{
    struct buf one = BUF_INIT(1 << 20);
    quire_blob_info info;
    quire_error err;
    int i;

    for (i = 0; i < n; i++) {
        size_t gzip;

        /* In an order in which sizes are mixed. */
        text_output(&one, 1000 + (uint64_t)i,
                    text_output_size(i * 389 % n * 1000 / n + 1));
        gzip = gzip_size(buf_bytes(&one));
        if (i % 100 == 0)
            bench_ok(quire_begin(q, &err), &err);
        bench_ok(quire_blob_put(q, buf_bytes(&one), 0, &info, &err), &err);
        if (i % 100 == 99)
            bench_ok(quire_commit(q, &err), &err);
        if (info.existed)
            bench_fail("two outputs are the same");
        t->raw += one.len;
        t->gzip += gzip;
        t->best += gzip < one.len ? gzip : one.len;
        t->stored += info.stored;
    }
    buf_release(&one);
}

/* nftw() takes no context. */
static size_t walked;

static int add_blocks(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)path;
    (void)type;
    (void)ftw;
    walked += (size_t)st->st_blocks * 512;
    return 0;
}

/* What the file system has given to a directory and everything in it. */
static size_t disk_use(const char *path)
{
    walked = 0;
    if (nftw(path, add_blocks, 16, FTW_PHYS) < 0)
        bench_fail("cannot walk %s: %s", path, strerror(errno));
    return walked;
}

/* Where the bytes of quire.db went, by table, if this SQLite can tell. */
static void note_tables(struct bench *b, const char *home)
{
    sqlite3_stmt *s = NULL;
    sqlite3 *db = NULL;
    char *path;

    if (asprintf(&path, "%s/quire.db", home) < 0)
        bench_fail("no memory");
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db,
                           "SELECT name, count(*), sum(pgsize), sum(payload),"
                           " sum(unused) FROM dbstat GROUP BY name"
                           " ORDER BY 3 DESC",
                           -1, &s, NULL) == SQLITE_OK) {
        while (sqlite3_step(s) == SQLITE_ROW)
            report_note(b, DISK,
                        "%-26s %4d pages, %7d bytes: %7d payload, %6d unused",
                        (const char *)sqlite3_column_text(s, 0),
                        sqlite3_column_int(s, 1), sqlite3_column_int(s, 2),
                        sqlite3_column_int(s, 3), sqlite3_column_int(s, 4));
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    free(path);
}

static void disk(struct bench *b)
{
    struct readings r = {.n = 0};
    struct session_usage t = {.raw = 0};
    char *home = place_path(b, "outputs");
    quire *q = place_store(b, "outputs", QUIRE_LAYOUT_PACKED, NULL);
    size_t used;
    int n = 1000;

    put_outputs(q, n, &t);
    quire_close(q);
    used = disk_use(home);
    readings_add(&r, (double)used / 1024, (double)t.gzip / 1024);
    report(b,
           (struct line){DISK, "KiB", "the sum of gzip (isa-l 2) of each",
                         NEED_BELOW, 2},
           &r);
    report_note(b, DISK,
                "%zu bytes of output; %zu by gzip, %zu with the raw form where"
                " that is smaller, %zu as kept",
                t.raw, t.gzip, t.best, t.stored);
    note_tables(b, home);
    place_clear(b, "outputs");
    free(home);
}

const struct measure small_measures[] = {
    {small, {SMALL_LOOSE, SMALL_GIT, LOOSE_BATCH, GIT_STDIN}},
    {disk, {DISK}},
    {NULL, {NULL}},
};

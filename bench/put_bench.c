/*
 * put_bench.c - artifacts that are put, one by one and by many at once
 *
 * A put that lasts costs a wait for the disk. Beside it: the barest commit
 * there is, one row of the same bytes in a table of SQLite's own. Many writers
 * wait for the disk together, so that sixteen get done more than one alone.
 *
 * A put into a tenant that holds much costs what one into an empty tenant
 * costs: nothing is summed up.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "base/bytes.h"
#include "bench.h"

enum { SMALL = 1024, WRITERS = 16 };

#define PUT_ONE  "put 1 KiB, one writer / bare commit"
#define PUT_MANY "put 1 KiB, 16 writers / one"
#define REPLACE  "replace 1 KiB, 480 MiB held / none"

static void put(quire *q, uint64_t seed, const char *path)
{
    struct buf text = BUF_INIT(4 * SMALL);
    quire_error err;

    text_code(&text, seed, SMALL);
    bench_ok(quire_artifact_put(q, NULL, path, buf_bytes(&text), NULL, NULL,
                                &err),
             &err);
    buf_release(&text);
}

/* Seconds that `n` puts take, each under a path of its own. */
static double put_new(quire *q, uint64_t seed, int n)
{
    double began = now_s();
    char path[64];
    int i;

    for (i = 0; i < n; i++) {
        snprintf(path, sizeof path, "src/part_%d/file_%llu.c", i % 10,
                 (unsigned long long)(seed + (uint64_t)i));
        put(q, seed + (uint64_t)i, path);
    }
    return now_s() - began;
}

/* ---- beside a bare commit ----------------------------------------------- */

struct bare {
    sqlite3 *db;
    sqlite3_stmt *insert;
};

static void bare_do(struct bare *b, const char *sql)
{
    if (sqlite3_exec(b->db, sql, NULL, NULL, NULL))
        bench_fail("%s: %s", sql, sqlite3_errmsg(b->db));
}

static void bare_open(const struct bench *b, struct bare *bare)
{
    char *path = place_path(b, "bare.db");

    if (sqlite3_open(path, &bare->db))
        bench_fail("cannot open %s", path);
    bare_do(bare, "PRAGMA journal_mode=WAL");
    bare_do(bare, "PRAGMA synchronous=FULL");
    bare_do(bare, "CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB)");
    if (sqlite3_prepare_v2(bare->db, "INSERT INTO t(body) VALUES(?1)", -1,
                           &bare->insert, NULL))
        bench_fail("cannot prepare");
    free(path);
}

static double bare_put(struct bare *bare, uint64_t seed, int n)
{
    double began = now_s();
    struct buf text = BUF_INIT(4 * SMALL);
    int i;

    for (i = 0; i < n; i++) {
        text_code(&text, seed + (uint64_t)i, SMALL);
        sqlite3_bind_blob(bare->insert, 1, text.data, (int)text.len,
                          SQLITE_STATIC);
        if (sqlite3_step(bare->insert) != SQLITE_DONE)
            bench_fail("cannot insert: %s", sqlite3_errmsg(bare->db));
        sqlite3_reset(bare->insert);
    }
    buf_release(&text);
    return now_s() - began;
}

static void bare_close(struct bare *bare)
{
    sqlite3_finalize(bare->insert);
    sqlite3_close(bare->db);
}

static void one_writer(struct bench *b)
{
    int i, rounds = b->quick ? 3 : 25, n = b->quick ? 5 : 40;
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    struct readings r = {.n = 0};
    struct bare bare;

    bare_open(b, &bare);
    put_new(q, 1, 5);
    for (i = 0; i < rounds; i++) {
        double value = n / put_new(q, (uint64_t)(i + 1) << 20, n);

        readings_add(&r, value, n / bare_put(&bare, (uint64_t)i << 20, n));
    }
    report(b,
           (struct line){PUT_ONE, "put/s", "a row in SQLite", NEED_RATIO, 0.8},
           &r);
    bare_close(&bare);
    quire_close(q);
    place_clear(b, "home");
    place_clear(b, "bare.db");
}

/* ---- many at once ------------------------------------------------------- */

struct writer {
    pthread_t thread;
    quire *q;
    uint64_t seed;
    int n;
};

static void *write_some(void *ctx)
{
    struct writer *w = ctx;

    put_new(w->q, w->seed, w->n);
    return NULL;
}

/* Puts in a second, by `writers` at once. */
static double rate(struct writer *w, int writers, int n, uint64_t seed)
{
    double began = now_s();
    int i;

    for (i = 0; i < writers; i++) {
        w[i].n = n;
        w[i].seed = seed + ((uint64_t)i << 20);
        if (pthread_create(&w[i].thread, NULL, write_some, &w[i]))
            bench_fail("cannot start a thread");
    }
    for (i = 0; i < writers; i++)
        pthread_join(w[i].thread, NULL);
    return writers * n / (now_s() - began);
}

static void many_writers(struct bench *b)
{
    int i, rounds = b->quick ? 2 : 9, n = b->quick ? 5 : 40;
    struct writer w[WRITERS];
    struct readings r = {.n = 0};

    for (i = 0; i < WRITERS; i++)
        w[i] = (struct writer){.q = place_peer(b, "home", i ? w[0].q : NULL)};
    put_new(w[0].q, 1, 5);
    for (i = 0; i < rounds; i++) {
        double many = rate(w, WRITERS, n, (uint64_t)(2 * i + 1) << 40);

        readings_add(&r, many, rate(w, 1, 2 * n, (uint64_t)(2 * i + 2) << 40));
    }
    report(b,
           (struct line){PUT_MANY, "put/s", "one writer alone", NEED_RATIO, 6},
           &r);
    for (i = 0; i < WRITERS; i++)
        quire_close(w[i].q);
    place_clear(b, "home");
}

/* ---- in a full tenant --------------------------------------------------- */

static void fill(quire *q, int mib)
{
    struct buf noise = BUF_INIT(2 << 20);
    quire_error err;
    char path[64];
    int i;

    for (i = 0; i < mib; i++) {
        text_noise(&noise, 1000 + (uint64_t)i, 1 << 20);
        snprintf(path, sizeof path, "large/%d.bin", i);
        bench_ok(quire_artifact_put(q, NULL, path, buf_bytes(&noise), NULL,
                                    NULL, &err),
                 &err);
    }
    buf_release(&noise);
}

static double replace(quire *q, uint64_t seed, int n)
{
    double began = now_s();
    int i;

    for (i = 0; i < n; i++)
        put(q, seed + (uint64_t)i, "notes/one.md");
    return (now_s() - began) * 1e3 / n;
}

static void full_tenant(struct bench *b)
{
    int i, rounds = b->quick ? 3 : 25, n = b->quick ? 5 : 20;
    quire *full = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    quire *empty = place_store(b, "other", QUIRE_LAYOUT_PACKED, NULL);
    struct readings r = {.n = 0};
    quire_error err;

    bench_ok(quire_config_set(full, "quota.session", "1000000000", &err), &err);
    fill(full, b->quick ? 4 : 480);
    for (i = 0; i < rounds; i++) {
        double value = replace(full, (uint64_t)(i + 1) << 20, n);

        readings_add(&r, value, replace(empty, (uint64_t)(i + 1) << 20, n));
    }
    report(b,
           (struct line){REPLACE, "ms", "in an empty tenant", NEED_BELOW, 1.3},
           &r);
    quire_close(full);
    quire_close(empty);
    place_clear(b, "home");
    place_clear(b, "other");
}

const struct measure put_measures[] = {
    {one_writer, {PUT_ONE}},
    {many_writers, {PUT_MANY}},
    {full_tenant, {REPLACE}},
    {NULL, {NULL}},
};

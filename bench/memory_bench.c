/*
 * memory_bench.c - ten thousand memory entries
 *
 * A word that is in every entry is the worst question there is. And a session
 * with a thousand artifacts is removed while entries link some of them: it must
 * not cost a look at every entry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "bench.h"
#include "session_make.h"

enum { TEXT_BYTES = 300, ENTRIES = 10000, ARTIFACTS = 1000 };

#define RECALL "memory search, word in all, 10,000"
#define DROP   "delete a session of 1,000 artifacts"

static void add_entries(quire *q, int n, int64_t artifact)
{
    struct buf text = BUF_INIT(4096);
    quire_error err;
    int i;

    for (i = 0; i < n; i++) {
        quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
        char title[64];

        snprintf(title, sizeof title, "What was learnt, part %d", i);
        text_code(&text, (uint64_t)i, TEXT_BYTES);
        buf_add_str(&text, " everywhere");
        o.type = (quire_memory_type)(i % 6);
        o.title = bytes_str(title);
        o.content = buf_bytes(&text);
        o.artifact = i % 10 == 0 ? artifact : 0;
        bench_ok(quire_memory_add(q, NULL, &o, NULL, &err), &err);
    }
    buf_release(&text);
}

static quire_status count(void *ctx, const quire_memory *entry,
                          quire_error *err)
{
    (void)entry, (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static void recall(struct bench *b, quire *q)
{
    struct readings r = {.n = 0};
    int i, rounds = b->quick ? 3 : 31;
    quire_error err;

    for (i = 0; i < rounds; i++) {
        double began = now_s();
        int n = 0;

        bench_ok(quire_memory_search(q, bytes_str("everywhere"), NULL, count,
                                     &n, NULL, &err),
                 &err);
        if (n == 0)
            bench_fail("nothing was found");
        readings_add(&r, (now_s() - began) * 1e3, 5);
    }
    report(b,
           (struct line){RECALL, "ms", "milliseconds allowed", NEED_BELOW, 1},
           &r);
}

/* A session of `n` artifacts; its id is in `out`, the id of one in *one. */
static void make_artifacts(quire *q, int n, uint64_t seed, char out[64],
                           int64_t *one)
{
    struct buf text = BUF_INIT(8192);
    quire_artifact a;
    quire_error err;
    char path[64];
    int i;

    make_empty(q, out);
    for (i = 0; i < n; i++) {
        snprintf(path, sizeof path, "src/file_%d.c", i);
        text_code(&text, seed + (uint64_t)i, 1024);
        bench_ok(quire_artifact_put(q, out, path, buf_bytes(&text), NULL, &a,
                                    &err),
                 &err);
        *one = a.id;
    }
    buf_release(&text);
}

static double drop(quire *q, const char *session)
{
    quire_error err;
    double began = now_s();

    bench_ok(quire_session_remove(q, session, &err), &err);
    return (now_s() - began) * 1e3;
}

/* Each time some entries link an artifact of the session that goes. */
static void drop_sessions(struct bench *b, quire *q)
{
    int i, rounds = b->quick ? 2 : 9, n = b->quick ? 100 : ARTIFACTS;
    struct readings r = {.n = 0};
    char full[64], empty[64];
    int64_t one = 0;

    for (i = 0; i < rounds; i++) {
        double value;

        make_artifacts(q, n, (uint64_t)(i + 1) << 30, full, &one);
        make_empty(q, empty);
        add_entries(q, 20, one);
        value = drop(q, full);
        readings_add(&r, value, drop(q, empty));
    }
    report(b, (struct line){DROP, "ms", "removing its files", NEED_WITHIN, 40},
           &r);
}

static void memory(struct bench *b)
{
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    quire_error err;

    bench_ok(quire_config_set(q, "durability", "flush", &err), &err);
    quire_close(q);
    q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    add_entries(q, b->quick ? ENTRIES / 10 : ENTRIES, 0);
    recall(b, q);
    if (bench_wants(b, DROP))
        drop_sessions(b, q);
    quire_close(q);
    place_clear(b, "home");
}

const struct measure memory_measures[] = {
    {memory, {RECALL, DROP}},
    {NULL, {NULL}},
};

/*
 * search_bench.c - words in ten thousand artifacts, and in a hundred thousand
 *
 * The artifacts are texts of about a kilobyte, in twenty sessions' worth of
 * paths. Each has a word that all have, one that one in a thousand has, and one
 * of its own. What is asked: twenty hits with their snippets, as a program
 * would show them. The store is open and has been asked before.
 *
 * The limits are milliseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "bench.h"
#include "session_make.h"

enum { TEXT_BYTES = 900, SESSION_N = 200 };

#define AT(what, n) "search, " what ", " n
#define ACCESS      "count an access, 100,000"
#define DROP_20     "delete a session of 20, 100,000"

static quire_status count_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    (void)hit, (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static quire_status no_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)ctx, (void)bytes, (void)err;
    return QUIRE_OK;
}

/* ---- what is searched ---------------------------------------------------- */

static void put_text(quire *q, const char *session, uint64_t i)
{
    struct buf text = BUF_INIT(4 * TEXT_BYTES);
    quire_error err;
    char path[64];

    text_code(&text, i, TEXT_BYTES);
    buf_addf(&text, "\n/* everywhere: thousandth%llu own%llux */\n",
             (unsigned long long)(i / 1000), (unsigned long long)i);
    if (i % 1000 == 7)
        buf_add_str(&text, "a red lantern in the seldom used tower\n");
    snprintf(path, sizeof path, "src/part_%llu/file_%llu.c",
             (unsigned long long)(i % 20), (unsigned long long)i);
    bench_ok(quire_artifact_put(q, session, path, buf_bytes(&text), NULL, NULL,
                                &err),
             &err);
    buf_release(&text);
}

/* Put those from `from` to `to`; the first SESSION_N into a session. */
static void fill(quire *q, const char *session, uint64_t from, uint64_t to)
{
    quire_error err;
    uint64_t i;

    bench_ok(quire_config_set(q, "quota.session", "1000000000", &err), &err);
    for (i = from; i < to; i++)
        put_text(q, i < SESSION_N ? session : NULL, i);
}

/* Milliseconds that a question takes. */
static double ask(quire *q, const char *session, const char *query)
{
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    quire_error err;
    double began = now_s();
    int n = 0;

    o.all_sessions = !session;
    bench_ok(quire_artifact_search(q, session, query, &o, count_hit, &n, NULL,
                                   &err),
             &err);
    if (n == 0)
        bench_fail("%s is not found", query);
    return (now_s() - began) * 1e3;
}

struct question {
    const char *name[2]; /* at ten thousand, at a hundred thousand */
    const char *query;
    bool in_session;
    double limit_ms[2];
};

static const struct question questions[] = {
    {{AT("rare word", "10,000"), AT("rare word", "100,000")},
     "own77x",
     false,
     {1, 5}},
    {{AT("phrase", "10,000"), AT("phrase", "100,000")},
     "\"seldom used tower\"",
     false,
     {1, 5}},
    {{AT("two words", "10,000"), AT("two words", "100,000")},
     "lantern everywhere",
     false,
     {1, 5}},
    {{AT("word in all", "10,000"), AT("word in all", "100,000")},
     "everywhere",
     false,
     {6, 12}},
    {{AT("prefix of 3", "10,000"), AT("prefix of 3", "100,000")},
     "eve",
     false,
     {6, 12}},
    {{AT("in a session", "10,000"), AT("in a session", "100,000")},
     "everywhere",
     true,
     {3, 3}},
};

enum { N_QUESTIONS = sizeof questions / sizeof *questions };

static void ask_all(struct bench *b, quire *q, const char *session, int at)
{
    int i, k, rounds = b->quick ? 3 : 31;

    for (i = 0; i < N_QUESTIONS; i++) {
        const struct question *one = &questions[i];
        struct readings r = {.n = 0};

        for (k = 0; k < rounds; k++)
            readings_add(&r,
                         ask(q, one->in_session ? session : NULL, one->query),
                         one->limit_ms[at]);
        report(b,
               (struct line){one->name[at], "ms", "milliseconds allowed",
                             NEED_BELOW, 1},
               &r);
    }
}

/* ---- small changes in a large store -------------------------------------- */

static void small_changes(struct bench *b, quire *q)
{
    struct readings counted = {.n = 0}, dropped = {.n = 0};
    int i, k, rounds = b->quick ? 2 : 9;
    quire_error err;
    double began;

    for (i = 0; i < rounds; i++) {
        char session[64];

        began = now_s();
        bench_ok(quire_artifact_get(q, NULL, "src/part_1/file_1001.c", NULL,
                                    no_bytes, NULL, NULL, &err),
                 &err);
        readings_add(&counted, (now_s() - began) * 1e3, 3);
        make_empty(q, session);
        for (k = 0; k < 20; k++)
            put_text(q, session, (uint64_t)(1000000 + 20 * i + k));
        began = now_s();
        bench_ok(quire_session_remove(q, session, &err), &err);
        readings_add(&dropped, (now_s() - began) * 1e3, 3);
    }
    report(b,
           (struct line){ACCESS, "ms", "milliseconds allowed", NEED_BELOW, 1},
           &counted);
    report(b,
           (struct line){DROP_20, "ms", "milliseconds allowed", NEED_BELOW, 1},
           &dropped);
}

static void search(struct bench *b)
{
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    uint64_t few = b->quick ? 1000 : 10000, many = 10 * few;
    char session[64];
    quire_error err;

    bench_ok(quire_config_set(q, "durability", "flush", &err), &err);
    quire_close(q);
    q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    make_empty(q, session);
    fill(q, session, 0, few);
    ask_all(b, q, session, 0);
    fill(q, session, few, many);
    ask_all(b, q, session, 1);
    bench_ok(quire_config_set(q, "durability", "each", &err), &err);
    quire_close(q);
    q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    small_changes(b, q);
    quire_close(q);
    place_clear(b, "home");
}

const struct measure search_measures[] = {
    {search,
     {AT("rare word", "10,000"), AT("rare word", "100,000"),
      AT("phrase", "10,000"), AT("phrase", "100,000"),
      AT("two words", "10,000"), AT("two words", "100,000"),
      AT("word in all", "10,000"), AT("word in all", "100,000"),
      AT("prefix of 3", "10,000"), AT("prefix of 3", "100,000"),
      AT("in a session", "10,000"), AT("in a session", "100,000"), ACCESS,
      DROP_20}},
    {NULL, {NULL}},
};

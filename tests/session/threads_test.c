/*
 * One open session, many threads. Bounded: sixteen writers of a hundred
 * appends each, and readers for as long as they write.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "support/session.h"

enum { WRITERS = 16, READERS = 3, EACH = 100 };

/* A store that counts its syncs and makes each take a while, as a disk does;
 * it may also do something in the middle of one. */
struct slow {
    struct store *store;
    struct session_env env;
    atomic_int syncs;
    void (*during)(struct slow *w);
    quire_session *s;
    atomic_bool done;
};

static quire_status before(void *ctx, const char *call, const char *on,
                           quire_error *err)
{
    struct slow *w = ctx;

    (void)on;
    (void)err;
    if (strcmp(call, "log sync") != 0)
        return QUIRE_OK;
    atomic_fetch_add(&w->syncs, 1);
    if (w->during)
        w->during(w);
    else
        usleep(500);
    return QUIRE_OK;
}

static const struct session_birth birth = {.id = "s1", .cwd = "/w"};

static void slow_open(struct slow *w)
{
    struct intercept tap = {.before = before, .ctx = w};

    *w = (struct slow){.store = NULL};
    OK(store_files_open(test_path("home"), false, &w->store, &test_err));
    OK(store_intercept(w->store, tap, &test_err));
    w->env = (struct session_env){.clock = &clock_system, .rand = &rand_system};
}

static void slow_begin(struct slow *w)
{
    struct session_place place = {.store = w->store, .name = "p/f"};

    OK(session_new(&w->env, &place, &birth, QUIRE_SESSION_AT_ONCE,
                   QUIRE_SYNC_EACH, &w->s, &test_err));
}

static void slow_close(struct slow *w)
{
    quire_session_close(w->s);
    store_free(w->store);
}

/* ---- workers ------------------------------------------------------------ */

struct worker {
    pthread_t thread;
    struct slow *w;
    int who;
    char id[EACH][16];
    char failure[300]; /* "" when all went well */
};

static void *write_some(void *ctx)
{
    struct worker *k = ctx;
    quire_error err = {.what = ""};
    int i;

    for (i = 0; i < EACH && !k->failure[0]; i++) {
        quire_appended out;
        char json[200];

        snprintf(json, sizeof json,
                 "{\"type\":\"message\",\"message\":{\"role\":\"user\","
                 "\"content\":\"%d of %d\"}}",
                 i, k->who);
        if (quire_session_append(k->w->s, bytes_str(json), NULL, &out, &err))
            snprintf(k->failure, sizeof k->failure, "%s", err.what);
        snprintf(k->id[i], sizeof k->id[i], "%.15s", out.id);
    }
    return NULL;
}

static quire_status drop_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    *(size_t *)ctx += bytes.len;
    return QUIRE_OK;
}

static quire_status drop_entry(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    (void)err;
    *(size_t *)ctx += json_kind(e->json) == JSON_OBJECT;
    return QUIRE_OK;
}

static void *read_some(void *ctx)
{
    struct worker *k = ctx;
    quire_error err = {.what = ""};
    quire_session_info info;

    while (!atomic_load(&k->w->done) && !k->failure[0]) {
        size_t n = 0;

        quire_session_describe(k->w->s, &info);
        if (quire_session_context(k->w->s, NULL, drop_bytes, NULL, &n, &err) ||
            quire_session_tree(k->w->s, drop_entry, &n, &err) ||
            (k->who % 2 && quire_session_flush(k->w->s, &err)))
            snprintf(k->failure, sizeof k->failure, "%s", err.what);
        usleep(1000);
    }
    return NULL;
}

static void start_all(struct slow *w, struct worker *k)
{
    int i;

    for (i = 0; i < WRITERS + READERS; i++) {
        k[i] = (struct worker){.w = w, .who = i};
        EQ(0, pthread_create(&k[i].thread, NULL,
                             i < WRITERS ? write_some : read_some, &k[i]));
    }
}

static void join_all(struct slow *w, struct worker *k)
{
    int i;

    for (i = 0; i < WRITERS; i++)
        pthread_join(k[i].thread, NULL);
    atomic_store(&w->done, true);
    for (i = WRITERS; i < WRITERS + READERS; i++)
        pthread_join(k[i].thread, NULL);
    for (i = 0; i < WRITERS + READERS; i++)
        SAME_TEXT("", k[i].failure);
}

/* ---- what they wrote ---------------------------------------------------- */

/* Every line is an object, and the parent of each is the one before it. */
static int one_chain(quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;
    char last[32] = "";
    int n = 0;

    while (at < end) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        quire_bytes line, id, parent;

        YES(nl != NULL);
        line = bytes_of(at, (size_t)(nl - at));
        YES(json_check(line, JSON_UTF8, NULL));
        id = json_get(line, "id");
        parent = json_get(line, "parentId");
        if (n > 1)
            YES(json_is(parent, last));
        snprintf(last, sizeof last, "%.*s", (int)id.len - 2,
                 (const char *)id.data + 1);
        at = nl + 1;
        n++;
    }
    return n - 1; /* without the header */
}

static void all_there(quire_session *s, const struct worker *k)
{
    quire_entry e;
    int i, j;

    for (i = 0; i < WRITERS; i++) {
        for (j = 0; j < EACH; j++)
            OK(session_entry(s, k[i].id[j], &e, &test_err));
    }
}

TEST(threads_that_append_through_one_session_make_one_chain)
{
    struct worker *k = test_alloc(sizeof *k * (WRITERS + READERS));
    struct slow w;

    slow_open(&w);
    slow_begin(&w);
    start_all(&w, k);
    join_all(&w, k);
    all_there(w.s, k);
    EQ(WRITERS * EACH, one_chain(test_read_file(test_path("home/p/f"))));
    YES(atomic_load(&w.syncs) < WRITERS * EACH);
    YES(atomic_load(&w.syncs) > 0);
    slow_close(&w);
}

/* The file moves to the disk while others append and read. */
TEST(threads_may_append_while_the_first_answer_makes_the_file)
{
    struct session_place place = {.name = "p/f"};
    struct worker *k = test_alloc(sizeof *k * (WRITERS + READERS));
    struct slow w;

    slow_open(&w);
    place.store = w.store;
    OK(session_new(&w.env, &place, &birth, 0, QUIRE_SYNC_EACH, &w.s,
                   &test_err));
    start_all(&w, k);
    usleep(2000);
    say(w.s, "assistant", "yes");
    join_all(&w, k);
    all_there(w.s, k);
    EQ(WRITERS * EACH + 1, one_chain(test_read_file(test_path("home/p/f"))));
    slow_close(&w);
}

/* A title means a new file under the same name. */
TEST(threads_may_append_while_the_session_is_renamed)
{
    struct worker *k = test_alloc(sizeof *k * (WRITERS + READERS));
    struct slow w;
    int i;

    slow_open(&w);
    slow_begin(&w);
    start_all(&w, k);
    for (i = 0; i < 20; i++) {
        char title[32];

        snprintf(title, sizeof title, "title %d", i);
        OK(session_rename(w.s, title, &test_err));
        usleep(1000);
    }
    join_all(&w, k);
    all_there(w.s, k);
    EQ(WRITERS * EACH, one_chain(test_read_file(test_path("home/p/f"))));
    slow_close(&w);
}

/* ---- a sync under way --------------------------------------------------- */

/* Somebody else puts another file in the place of ours, and another thread of
 * ours comes to look at it. */
static void *look_again(void *ctx)
{
    struct slow *w = ctx;
    size_t n = 0;

    quire_session_tree(w->s, drop_entry, &n, NULL);
    return NULL;
}

static void replace_it(struct slow *w)
{
    pthread_t thread;

    w->during = NULL;
    test_write_file(test_path("home/p/other"),
                    test_read_file(test_path("home/p/f")));
    EQ(0, rename(test_path("home/p/other"), test_path("home/p/f")));
    EQ(0, pthread_create(&thread, NULL, look_again, w));
    usleep(30000); /* it waits for us, or it has taken our file away */
    pthread_detach(thread);
}

TEST(threads_do_not_take_the_file_from_one_that_syncs_it)
{
    struct slow w;

    slow_open(&w);
    slow_begin(&w);
    say(w.s, "user", "one");
    w.during = replace_it;
    say(w.s, "user", "two");
    usleep(30000);
    HAS(all_entries(w.s), "two");
    slow_close(&w);
}

/* An error that one of them meets is everybody's. */
static quire_status refuse(void *ctx, const char *call, const char *on,
                           quire_error *err)
{
    (void)ctx;
    (void)on;
    if (strcmp(call, "log sync") != 0)
        return QUIRE_OK;
    usleep(2000);
    snprintf(err->what, sizeof err->what, "the disk is gone");
    return err->status = QUIRE_IO;
}

TEST(threads_that_wait_for_a_sync_that_fails_all_hear_of_it)
{
    struct session_place place = {.name = "f"};
    struct worker *k = test_alloc(sizeof *k * WRITERS);
    struct slow w = {.store = NULL};
    int i;

    OK(store_files_open(test_path("home"), false, &w.store, &test_err));
    OK(store_intercept(w.store,
                       (struct intercept){.before = refuse, .ctx = NULL},
                       &test_err));
    w.env = (struct session_env){.clock = &clock_system, .rand = &rand_system};
    place.store = w.store;
    OK(session_new(&w.env, &place, &birth, QUIRE_SESSION_AT_ONCE,
                   QUIRE_SYNC_EACH, &w.s, &test_err));
    for (i = 0; i < WRITERS; i++) {
        k[i] = (struct worker){.w = &w, .who = i};
        EQ(0, pthread_create(&k[i].thread, NULL, write_some, &k[i]));
    }
    for (i = 0; i < WRITERS; i++) {
        pthread_join(k[i].thread, NULL);
        SAME_TEXT("the disk is gone", k[i].failure);
    }
    one_chain(test_read_file(test_path("home/f")));
    slow_close(&w);
}

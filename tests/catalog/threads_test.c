/*
 * Many at once: at the edge of a quota, in one commit, and at random. Each has
 * a handle of its own, in threads of one process and in processes of their own.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "blob/hash.h"
#include "api/core/handle.h"
#include "support/catalog.h"
#include "support/slow.h"
#include "support/tenants.h"

static void nap_ms(long ms)
{
    struct timespec nap = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&nap, NULL);
}

/* The handle whose commit queue all threads share. */
static quire *peer;

/* A handle for a thread: no cmocka there. */
static quire *open_for(const char *home, quire_error *err)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q = NULL;

    o.home = home;
    o.tenant = "default";
    o.busy_ms = 60000;
    o.peer = peer;
    return quire_open(&o, &q, err) ? NULL : q;
}

static void set_quota(const char *key, int64_t bytes)
{
    quire *q = tenants_open(NULL, 0);
    char value[32];

    snprintf(value, sizeof value, "%lld", (long long)bytes);
    OK(quire_config_set(q, key, value, &test_err));
    quire_close(q);
}

/* ---- the edge of a quota ------------------------------------------------ */

enum { CROWD = 8, PIECE = 100, FITS = 37 };

/* What all of them did, in memory that processes share. */
struct outcomes {
    atomic_int accepted, refused, failed, grown;
    atomic_long bytes;
};

struct pusher {
    pthread_t thread;
    struct outcomes *tally;
    char home[512];
    int who;
};

/* Put pieces until two in a row are refused: then there is no room, and it stays
 * so. In between some are replaced by as much, which always fits. */
static void push(struct pusher *p, quire *q, quire_error *err)
{
    char path[64], text[PIECE + 1];
    quire_artifact a;
    int i, refused = 0;

    for (i = 0; i < 1000 && refused < 2; i++) {
        quire_status st;

        memset(text, 'a' + p->who, sizeof text);
        snprintf(text, sizeof text, "of%dn%d ", p->who, i);
        text[strlen(text)] = ' ';
        text[PIECE] = '\0';
        snprintf(path, sizeof path, "w%d/f%d", p->who, i);
        st = quire_artifact_put(q, NULL, path, bytes_of(text, PIECE), NULL, &a,
                                err);
        if (st == QUIRE_QUOTA && strstr(err->what, "above the quota")) {
            atomic_fetch_add(&p->tally->refused, 1);
            refused++;
            continue;
        }
        if (st || a.session_used > FITS * PIECE) {
            fprintf(stderr, "put: %s\n", st ? err->what : "beyond the quota");
            atomic_fetch_add(&p->tally->failed, 1);
            return;
        }
        refused = 0;
        atomic_fetch_add(&p->tally->accepted, 1);
        text[0] = 'X';
        if (i % 3 == 0 &&
            quire_artifact_put(q, NULL, path, bytes_of(text, PIECE), NULL, NULL,
                               err))
            atomic_fetch_add(&p->tally->failed, 1);
    }
}

static void *push_thread(void *ctx)
{
    struct pusher *p = ctx;
    quire_error err = {.what = ""};
    quire *q = open_for(p->home, &err);

    if (q)
        push(p, q, &err);
    else
        atomic_fetch_add(&p->tally->failed, 1);
    quire_close(q);
    return NULL;
}

/* Some threads of one process. */
static void push_together(struct outcomes *tally, int from, int n)
{
    struct pusher *p = calloc((size_t)n, sizeof *p);
    int i;

    for (i = 0; i < n; i++) {
        p[i].tally = tally;
        p[i].who = from + i;
        snprintf(p[i].home, sizeof p[i].home, "%s", test_path("home"));
        if (pthread_create(&p[i].thread, NULL, push_thread, &p[i]))
            abort();
    }
    for (i = 0; i < n; i++)
        pthread_join(p[i].thread, NULL);
    free(p);
}

/* `processes` of them with as many threads each as make a crowd. */
static void crowd_at_the_edge(int processes)
{
    struct outcomes *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int i, status, each = CROWD / processes;
    pid_t child[CROWD];

    YES(t != MAP_FAILED);
    set_quota("quota.session", FITS * PIECE + PIECE - 1);
    for (i = 0; processes > 1 && i < processes; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            push_together(t, i * each, each);
            _exit(0);
        }
    }
    if (processes == 1)
        push_together(t, 0, CROWD);
    for (i = 0; processes > 1 && i < processes; i++) {
        waitpid(child[i], &status, 0);
        EQ(0, status);
    }
    EQ(0, t->failed);
    EQ(FITS, t->accepted);
    EQ(2 * CROWD, t->refused);
    EQ(FITS, catalogue_number("SELECT count(*) FROM artifact"));
    EQ(FITS * PIECE, catalogue_number("SELECT used FROM tenant"));
    EQ(FITS * PIECE, catalogue_number("SELECT sum(size) FROM artifact"));
    EQ(0, tenants_recount());
    catalogue_sound();
    munmap(t, sizeof *t);
}

TEST(threads_at_the_edge_of_a_quota_get_exactly_what_fits)
{
    crowd_at_the_edge(1);
}

TEST(processes_at_the_edge_of_a_quota_get_exactly_what_fits)
{
    crowd_at_the_edge(8);
}

TEST(processes_with_threads_at_the_edge_of_a_quota_get_exactly_what_fits)
{
    crowd_at_the_edge(2);
}

/* ---- one commit --------------------------------------------------------- */

/* What goes wrong in the second commit, which is the shared one. */
struct shared_fault {
    bool lost; /* the database gives the transaction up, as it may when memory
                  or disk fail it; else the n-th call inside SQLite fails */
    long n;
    atomic_int begun;
    atomic_long calls;
    atomic_bool struck;
};

/* What is heard in a thread that leads. */
struct shared_tap {
    struct shared_fault *fault;
    struct db *inner; /* its connection */
};

static void arm_inside(struct shared_fault *f, bool yes)
{
    if (yes) {
        sqlite_faults(true);
        fault_arm(f->n, ENOMEM, false);
    } else {
        if (fault_disarm())
            f->struck = true;
        sqlite_faults(false);
    }
}

static quire_status hear_leader(void *ctx, const char *call, const char *on,
                                quire_error *err)
{
    struct shared_tap *t = ctx;
    struct shared_fault *f = t->fault;

    if (!strcmp(call, "db begin")) {
        int nth = atomic_fetch_add(&f->begun, 1);

        if (!f->lost)
            arm_inside(f, nth == 1);
        return QUIRE_OK;
    }
    if (!f->lost || f->begun != 2 || atomic_fetch_add(&f->calls, 1) + 1 != f->n)
        return QUIRE_OK;
    f->struck = true;
    t->inner->ops->rollback(t->inner);
    return err_set(err, QUIRE_IO, "%s %.60s: lost", call, on);
}

/* Somebody else keeps the right to write, so that one thread leads and waits
 * for it, and all that come meanwhile go into the next commit together. */
struct put_thread {
    pthread_t thread;
    const char *home;
    const char *path;
    quire_bytes content;
    struct shared_tap tap; /* in the database's seam; fault NULL: none */
    quire_status st;
    quire_error err;
    quire_artifact out;
};

static atomic_int n_open; /* threads that have their store */

static void *put_thread(void *ctx)
{
    struct put_thread *p = ctx;
    quire_error err = {.what = ""};
    quire *q = open_for(p->home, &err);
    struct db *tapped;

    if (!q || need_catalog(q, true, &err)) {
        fprintf(stderr, "%s\n", err.what);
        abort();
    }
    p->tap.inner = q->catalog.db;
    if (p->tap.fault &&
        !db_intercept(q->catalog.db,
                      (struct intercept){.before = hear_leader, .ctx = &p->tap},
                      &tapped, &err))
        q->catalog.db = tapped;
    atomic_fetch_add(&n_open, 1);
    snprintf(p->err.what, sizeof p->err.what, "untouched");
    p->st = quire_artifact_put(q, NULL, p->path, p->content, NULL, &p->out,
                               &p->err);
    quire_close(q);
    return NULL;
}

static void gather(struct put_thread *puts, int n)
{
    const char *dir = test_path("home");
    struct db *blocker;
    int i;

    peer = NULL;
    peer = open_for(dir, &test_err);
    YES(peer);
    blocker = catalogue_open();
    OK(db_begin(blocker, DB_SOON, DB_ALL_TENANTS, &test_err));
    atomic_store(&n_open, 0);
    for (i = 0; i < n; i++) {
        puts[i].home = dir;
        EQ(0, pthread_create(&puts[i].thread, NULL, put_thread, &puts[i]));
        nap_ms(i == 0 || i == n - 1 ? 15 : 0);
    }
    /* What is to fail must not meet one that is still opening its own. */
    while (atomic_load(&n_open) < n)
        nap_ms(1);
    blocker->ops->rollback(blocker);
    for (i = 0; i < n; i++)
        EQ(0, pthread_join(puts[i].thread, NULL));
    quire_close(peer);
    peer = NULL;
    blocker->ops->close(blocker);
}

/* Make it impossible to store this content, which has a file of its own: where
 * its directory should be is a file. */
static void obstruct(quire_bytes content)
{
    char path[64];
    quire_digest d;

    hash_bytes(content, &d);
    mkdir(test_path("home/blobs"), 0700);
    snprintf(path, sizeof path, "home/blobs/%02x", d.byte[0]);
    test_write_file(test_path(path), bytes_str("in the way"));
}

/* Whether an answer is what became of it. */
static void is_answered(quire *q, const struct put_thread *p, quire_status st)
{
    quire_artifact a;

    test_err = p->err;
    IS(st, p->st);
    if (st) {
        IS(QUIRE_NOT_FOUND,
           quire_artifact_stat(q, NULL, p->path, NULL, &a, &test_err));
    } else {
        SAME_TEXT("untouched", p->err.what);
        OK(quire_artifact_stat(q, NULL, p->path, NULL, &a, &test_err));
        EQ(p->content.len, a.size);
        EQ(p->out.id, a.id);
        SAME_TEXT(p->content.data, tenants_read(q, p->path));
    }
}

/* Good, refused and failing ones, by turns. */
TEST(threads_that_put_in_one_commit_each_get_their_own_answer)
{
    enum { N = 10 };
    static const quire_status wanted[] = {QUIRE_OK,      QUIRE_OK,
                                          QUIRE_QUOTA,   QUIRE_OK,
                                          QUIRE_INVALID, QUIRE_OK,
                                          QUIRE_INVALID, QUIRE_QUOTA,
                                          QUIRE_OK,      QUIRE_TOO_LARGE};
    struct put_thread *puts = test_alloc(N * sizeof *puts);
    char *noise = test_alloc(200000), *large = test_alloc(300000);
    quire *q;
    int i, round;

    test_noise(3, noise, 90000);
    memset(large, 'x', 299999);
    for (round = 0; round < (catalogue_long() ? 40 : 3); round++) {
        set_quota("quota.session", 150000);
        set_quota("quota.file", 250000);
        q = tenants_open(NULL, 0);
        tenants_put(q, "before", "x");
        obstruct(bytes_of(noise, 90000));
        for (i = 0; i < N; i++) {
            char *path = test_alloc(16), *text = test_alloc(32);

            snprintf(path, 16, "p%d", i);
            snprintf(text, 32, "the text of %d", i);
            puts[i] = (struct put_thread){.path = path,
                                          .content = bytes_str(text)};
            if (wanted[i] == QUIRE_QUOTA)
                puts[i].content = bytes_of(large, 200000);
            if (wanted[i] == QUIRE_TOO_LARGE)
                puts[i].content = bytes_of(large, 299999);
            if (wanted[i] == QUIRE_INVALID) /* see obstruct() */
                puts[i].content = bytes_of(noise, 90000);
        }
        gather(puts, N);
        for (i = 0; i < N; i++)
            is_answered(q, &puts[i], wanted[i]);
        HAS(puts[2].err.what, "above the quota of 150000");
        HAS(puts[4].err.what, "home/blobs/");
        HAS(puts[9].err.what, "above the limit of 250000");
        quire_close(q);
        EQ(0, tenants_recount());
        catalogue_sound();
        test_forget_dir();
    }
}

/* Several replace what is there, one is refused: whatever happens to the
 * transaction they share, none of them is half there. */
static bool commit_queue_unluckily(bool lost, long n)
{
    enum { N = 6 };
    struct shared_fault fault = {.lost = lost, .n = n};
    struct put_thread *puts = test_alloc(N * sizeof *puts);
    quire *q = tenants_open(NULL, 0);
    char *large = test_alloc(3000);
    int i;

    memset(large, 'x', 3000);
    for (i = 0; i < N; i++) {
        char *path = test_alloc(16), *text = test_alloc(32);

        snprintf(path, 16, "p%d", i);
        snprintf(text, 32, "the new text of %d", i);
        puts[i] = (struct put_thread){.path = path, .content = bytes_str(text)};
        puts[i].tap.fault = &fault;
        if (i == 3)
            puts[i].content = bytes_of(large, 3000);
    }
    gather(puts, N);
    if (!lost)
        arm_inside(&fault, false);
    for (i = 0; i < N; i++) {
        char old[32];

        snprintf(old, sizeof old, "old %d", i);
        YES(puts[i].st || i != 3);
        YES(!puts[i].st || puts[i].err.what[0]);
        if (puts[i].st)
            SAME_TEXT(old, tenants_read(q, puts[i].path));
        else
            SAME_TEXT(puts[i].content.data, tenants_read(q, puts[i].path));
        if (!puts[i].st)
            SAME_TEXT("untouched", puts[i].err.what);
    }
    quire_close(q);
    return fault.struck;
}

static void furnish_paths(void)
{
    quire *q;
    int i;

    set_quota("quota.session", 1000);
    q = tenants_open(NULL, 0);
    for (i = 0; i < 6; i++) {
        char path[16], text[16];

        snprintf(path, sizeof path, "p%d", i);
        snprintf(text, sizeof text, "old %d", i);
        tenants_put(q, path, text);
    }
    quire_close(q);
}

static void sweep_shared(bool lost, long step)
{
    bool struck = true;
    long n;

    for (n = 1; struck; n += catalogue_long() ? 1 : step) {
        furnish_paths();
        struck = commit_queue_unluckily(lost, n);
        EQ(0, tenants_recount());
        catalogue_sound();
        test_forget_dir();
    }
}

TEST(threads_whose_shared_commit_fails_lose_only_what_they_are_told)
{
    sweep_shared(false, 127);
}

TEST(threads_whose_shared_transaction_is_lost_lose_only_what_they_are_told)
{
    sweep_shared(true, 9);
}

/* ---- at random ---------------------------------------------------------- */

struct player {
    pthread_t thread;
    char home[512];
    uint64_t seed;
    int64_t until_ms;
    long done;
    char failure[400];
};

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Answers that are no accident, where two play with the same things. */
static bool is_answer(quire_status st)
{
    return st == QUIRE_OK || st == QUIRE_NOT_FOUND || st == QUIRE_EXISTS ||
           st == QUIRE_QUOTA || st == QUIRE_CHANGED;
}

static quire_status play_memory(struct player *p, quire *q, quire_error *err)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    int64_t id = 1 + (int64_t)slow_random(&p->seed, 30);
    int64_t other = 1 + (int64_t)slow_random(&p->seed, 30);
    quire_status st;

    o.title = bytes_str(id % 2 ? "walrus and seal" : "penguin");
    o.content = bytes_str("so it is");
    switch (slow_random(&p->seed, 6)) {
    case 0: return quire_memory_remove(q, id, err);
    case 1: return quire_memory_invalidate(q, id, 0, err);
    case 2: return quire_memory_edit(q, NULL, id, &o, NULL, err);
    case 3:
        st = quire_relation_add(q, id, QUIRE_REFINES, other, NULL, err);
        return st == QUIRE_INVALID && id == other ? QUIRE_OK : st;
    case 4:
        o.supersedes = &other;
        o.n_supersedes = 1;
        /* fall through */
    default: return quire_memory_add(q, NULL, &o, NULL, err);
    }
}

static quire_status ignore_hit(void *ctx, const quire_hit *hit,
                               quire_error *err)
{
    (void)ctx;
    (void)hit;
    (void)err;
    return QUIRE_OK;
}

static quire_status play(struct player *p, quire *q, quire_error *err)
{
    static const char *const sessions[] = {"user", "temp"};
    const char *session = sessions[slow_random(&p->seed, 2)];
    quire_artifact_search_options so = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    char path[16], text[400];
    quire_artifact a;

    snprintf(path, sizeof path, "f%d", (int)slow_random(&p->seed, 8));
    snprintf(text, sizeof text, "walrus%*s", (int)sizeof text - 7, "");
    switch (slow_random(&p->seed, 8)) {
    case 0: return quire_artifact_remove(q, session, path, 0, err);
    case 1: return quire_artifact_remove(q, session, path, 1, err);
    case 2: return quire_artifact_restore(q, session, path, &a, err);
    case 3:
        return quire_artifact_search(q, session, "walrus", &so, ignore_hit,
                                     NULL, NULL, err);
    case 4: return play_memory(p, q, err);
    case 5: return quire_pad_append(q, "", bytes_str("note"), NULL, err);
    default:
        return quire_artifact_put(q, session, path,
                                  bytes_of(text,
                                           slow_random(&p->seed, sizeof text)),
                                  NULL, &a, err);
    }
}

static void *play_on(void *ctx)
{
    struct player *p = ctx;
    quire_error err = {.what = ""};
    quire *q = open_for(p->home, &err);
    quire_status st = q ? QUIRE_OK : QUIRE_IO;

    while (is_answer(st) && now_ms() < p->until_ms) {
        st = play(p, q, &err);
        p->done++;
    }
    if (!is_answer(st))
        snprintf(p->failure, sizeof p->failure, "%s: %s", quire_status_name(st),
                 err.what);
    quire_close(q);
    return NULL;
}

TEST(threads_that_do_anything_at_once_leave_the_totals_right)
{
    struct player *p = test_alloc(2 * sizeof *p);
    int i;

    set_quota("quota.session", 1500);
    set_quota("quota.tenant", 2500);
    for (i = 0; i < 2; i++) {
        snprintf(p[i].home, sizeof p[i].home, "%s", test_path("home"));
        p[i].seed = 77 + (uint64_t)i;
        p[i].until_ms = now_ms() + (catalogue_long() ? 20000 : 1000);
        EQ(0, pthread_create(&p[i].thread, NULL, play_on, &p[i]));
    }
    for (i = 0; i < 2; i++) {
        EQ(0, pthread_join(p[i].thread, NULL));
        SAME_TEXT("", p[i].failure);
        YES(p[i].done > 50);
    }
    YES(catalogue_number("SELECT max(used) FROM session") <= 1500);
    YES(catalogue_number("SELECT used FROM tenant") <= 2500);
    EQ(0, tenants_recount());
    catalogue_sound();
}

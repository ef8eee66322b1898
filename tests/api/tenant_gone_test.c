/*
 * Tenants that go: all of it or nothing, whatever happens on the way, and what
 * those are told who still work for them.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "store/db.h"
#include "support/catalog.h"
#include "support/tenants.h"

/* How many a statement counts; ?1 is `id`. */
static int64_t counts(const char *sql, int64_t id)
{
    struct db *db;
    struct stmt *s;
    int64_t n;
    bool row;

    db = catalogue_open();
    OK(db_prepare(db, sql, &s, &test_err));
    if (id)
        stmt_bind_int(s, 1, id);
    OK(stmt_step(s, &row, &test_err));
    n = stmt_column_int(s, 0);
    stmt_finalize(s);
    db_close(db);
    return n;
}

static int64_t count_tenants(void)
{
    return counts("SELECT count(*) FROM tenant", 0);
}

static int64_t count_notes(void)
{
    return counts("SELECT count(*) FROM removal", 0);
}

/* A tenant with one of everything; its id. */
static int64_t furnish(const char *name)
{
    int64_t id = tenants_add(name);
    quire *q = tenants_open(name, 0);
    struct tenants_session s = tenants_session(q, name);
    quire_artifact a;

    tenants_put(q, "one", "walrus one");
    tenants_put(q, "one", "walrus two");
    tenants_put(q, "two", "away");
    OK(quire_artifact_remove(q, NULL, "two", 0, &test_err));
    OK(quire_artifact_put(q, s.id, "three", bytes_str("in a session"), NULL, &a,
                          &test_err));
    OK(quire_history_add(q, bytes_str("typed"), "/", NULL, NULL, &test_err));
    tenants_sessions(q); /* which is remembered */
    quire_close(q);
    return id;
}

static const char *dir_of(int64_t id)
{
    char name[64];

    snprintf(name, sizeof name, "home/tenants/%lld", (long long)id);
    return test_path(name);
}

/* No row and no table is left of a tenant. */
static void has_no_rows(int64_t id)
{
    static const char *const queries[] = {
        "SELECT count(*) FROM tenant WHERE id = ?1",
        "SELECT count(*) FROM session WHERE tenant = ?1",
        "SELECT count(*) FROM artifact WHERE tenant = ?1",
        "SELECT count(*) FROM sqlite_schema WHERE name LIKE "
        "'artifact_words_' || ?1 || '%'",
        "SELECT count(*) FROM session_list WHERE dir LIKE "
        "'tenants/' || ?1 || '/%'",
        "SELECT count(*) FROM artifact_version WHERE ?1 AND artifact NOT IN "
        "(SELECT id FROM artifact)",
    };
    size_t i;

    for (i = 0; i < sizeof queries / sizeof *queries; i++)
        EQ(0, counts(queries[i], id));
}

static void is_gone(int64_t id)
{
    has_no_rows(id);
    NO(test_exists(dir_of(id)));
    EQ(0, count_notes());
    EQ(0, tenants_recount());
}

static void is_whole(const char *name)
{
    quire *q = tenants_open(name, QUIRE_READ_ONLY);
    quire_artifact a;
    char title[64];

    SAME_TEXT("walrus two", tenants_read(q, "one"));
    snprintf(title, sizeof title, "%s ", name);
    SAME_TEXT(title, tenants_sessions(q));
    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(q, NULL, "two", NULL, &a, &test_err));
    quire_close(q);
}

/* ---- all of it ---------------------------------------------------------- */

TEST(a_tenant_goes_with_all_it_has_and_nobody_else_notices)
{
    int64_t a = furnish("a"), b = furnish("b"), c;
    quire *q = tenants_open(NULL, 0);

    tenants_put(q, "mine", "stays");
    IS(QUIRE_EXISTS, quire_tenant_remove(q, "a", 0, &test_err));
    HAS(test_err.what, "1 session, 3 artifacts of 26 bytes, 0 notes and ");
    is_whole("a");
    OK(quire_tenant_remove(q, "a", 1, &test_err));
    is_gone(a);
    is_whole("b");
    SAME_TEXT("stays", tenants_read(q, "mine"));
    tenants_refused("a", QUIRE_NOT_FOUND);
    IS(QUIRE_NOT_FOUND, quire_tenant_remove(q, "a", 1, &test_err));
    c = furnish("a"); /* the name is free, the id is not */
    YES(c > b);
    is_whole("a");
    quire_close(q);
}

TEST(what_a_tenant_has_is_seen_before_it_is_removed)
{
    quire *q = tenants_open(NULL, 0), *own;
    struct tenants_session s;
    const char *path;

    tenants_add("a");
    own = tenants_open("a", 0);
    OK(quire_history_add(own, bytes_str("p"), "/", NULL, NULL, &test_err));
    IS(QUIRE_EXISTS, quire_tenant_remove(q, "a", 0, &test_err));
    HAS(test_err.what, "0 sessions, 0 artifacts of 0 bytes, 0 notes and ");
    OK(quire_tenant_remove(q, "a", 1, &test_err));
    quire_close(own);

    tenants_add("b");
    own = tenants_open("b", 0);
    s = tenants_session(own, "t");
    OK(quire_session_archive(own, s.id, &path, &test_err));
    IS(QUIRE_EXISTS, quire_tenant_remove(q, "b", 0, &test_err));
    HAS(test_err.what, "1 session,");
    OK(quire_session_remove(own, s.id, &test_err));
    tenants_put(own, "x", "y");
    OK(quire_artifact_remove(own, NULL, "x", 0, &test_err)); /* put away */
    IS(QUIRE_EXISTS, quire_tenant_remove(q, "b", 0, &test_err));
    HAS(test_err.what, "1 artifact of 1 bytes");
    OK(quire_artifact_remove(own, NULL, "#1", 1, &test_err));
    OK(quire_tenant_remove(q, "b", 0, &test_err));
    quire_close(own);
    quire_close(q);
}

/* ---- those who still work for it ---------------------------------------- */

TEST(a_handle_of_a_tenant_that_is_gone_is_told_so)
{
    int64_t id = furnish("a");
    quire_artifact_list_options all = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    quire_artifact_search_options so = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    quire *q = tenants_open(NULL, 0), *own = tenants_open("a", 0);
    quire_session *s;
    quire_artifact a;

    all.all_sessions = so.all_sessions = 1;
    SAME_TEXT("walrus two", tenants_read(own, "one"));
    OK(quire_tenant_remove(q, "a", 1, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_artifact_put(own, NULL, "x", bytes_str("y"), NULL, &a, &test_err));
    HAS(test_err.what, "tenant #2 has been removed");
    IS(QUIRE_NOT_FOUND,
       quire_artifact_list(own, NULL, &all, NULL, NULL, &test_err));
    HAS(test_err.what, "tenant #2 has been removed");
    IS(QUIRE_NOT_FOUND, quire_artifact_search(own, NULL, "walrus", &so, NULL,
                                              NULL, NULL, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(own, NULL, "one", NULL, &a, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_new(own, NULL, &s, &test_err));
    HAS(test_err.what, "tenant #2 has been removed");
    IS(QUIRE_NOT_FOUND, quire_session_list(own, NULL, NULL, NULL, &test_err));
    IS(QUIRE_NOT_FOUND, quire_history_list(own, NULL, NULL, NULL, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_history_add(own, bytes_str("p"), NULL, NULL, NULL, &test_err));
    NO(test_exists(dir_of(id)));
    /* It may still look after tenants. */
    OK(quire_tenant_disable(own, "default", 0, NULL, &test_err));
    quire_close(own);
    quire_close(q);
}

TEST(a_handle_may_remove_the_tenant_it_works_for)
{
    int64_t id = furnish("a");
    quire *own = tenants_open("a", 0);
    quire_artifact a;

    tenants_put(own, "x", "y"); /* its index is in use */
    OK(quire_tenant_remove(own, "a", 1, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_artifact_put(own, NULL, "x", bytes_str("y"), NULL, &a, &test_err));
    quire_close(own);
    is_gone(id);
}

TEST(a_session_that_is_open_ends_with_its_tenant)
{
    int64_t id = tenants_add("a");
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire *q = tenants_open(NULL, 0), *own = tenants_open("a", 0);
    struct timespec nap = {.tv_nsec = 50 * 1000000};
    quire_session *s;

    o.flags = QUIRE_SESSION_AT_ONCE;
    OK(quire_session_new(own, &o, &s, &test_err));
    OK(quire_session_append(s, bytes_str("{\"type\":\"custom\"}"), NULL, NULL,
                            &test_err));
    OK(quire_tenant_remove(q, "a", 1, &test_err));
    NO(test_exists(dir_of(id)));
    nanosleep(&nap, NULL); /* so long it may go unnoticed */
    NO(quire_session_append(s, bytes_str("{\"type\":\"custom\"}"), NULL, NULL,
                            &test_err) == QUIRE_OK);
    YES(test_err.what[0]);
    quire_session_close(s);
    quire_close(own);
    NO(test_exists(dir_of(id)));
    quire_close(q);
}

enum { WRITERS = 4 };

struct writer {
    pthread_t thread;
    char home[512];
    int n;           /* puts that were acknowledged */
    quire_status st; /* why it ended                */
    quire_error err;
};

/* Put until it is told that its tenant is gone. */
static void *write_on(void *ctx)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    struct writer *w = ctx;
    quire *q;

    o.home = w->home;
    o.tenant = "a";
    o.busy_ms = 20000;
    w->st = quire_open(&o, &q, &w->err);
    while (!w->st && w->n < 10000) {
        char path[32];

        snprintf(path, sizeof path, "f%d", w->n % 5);
        w->st = quire_artifact_put(q, NULL, path, bytes_str(path), NULL, NULL,
                                   &w->err);
        w->n += !w->st;
    }
    quire_close(q);
    return NULL;
}

TEST(threads_that_write_for_a_tenant_end_when_it_goes)
{
    struct writer *writers = test_alloc(WRITERS * sizeof *writers);
    struct timespec nap = {.tv_nsec = 30 * 1000000};
    int64_t id = furnish("a");
    quire *q = tenants_open(NULL, 0);
    int i;

    for (i = 0; i < WRITERS; i++) {
        snprintf(writers[i].home, sizeof writers[i].home, "%s",
                 test_path("home"));
        EQ(0, pthread_create(&writers[i].thread, NULL, write_on, &writers[i]));
    }
    nanosleep(&nap, NULL);
    OK(quire_tenant_remove(q, "a", 1, &test_err));
    for (i = 0; i < WRITERS; i++) {
        EQ(0, pthread_join(writers[i].thread, NULL));
        test_err = writers[i].err;
        IS(QUIRE_NOT_FOUND, writers[i].st);
    }
    quire_close(q);
    is_gone(id);
}

/* ---- interrupted -------------------------------------------------------- */

/* As if whoever removed it had died after the transaction. */
static void forget_rows(int64_t id)
{
    char sql[512];

    snprintf(sql, sizeof sql,
             "PRAGMA foreign_keys=ON; BEGIN;"
             "DROP TABLE IF EXISTS artifact_words_%lld;"
             "DELETE FROM session_list WHERE dir LIKE 'tenants/%lld/%%';"
             "DELETE FROM tenant WHERE id = %lld;"
             "INSERT INTO removal VALUES('tenants/%lld', -1, 0); COMMIT",
             (long long)id, (long long)id, (long long)id, (long long)id);
    tenants_sql(sql);
}

TEST(a_removal_that_was_noted_is_finished_by_whoever_writes_next)
{
    static const char *const next[] = {NULL, "b"}; /* whoever it works for */
    int64_t id;
    quire *q;
    int i;

    furnish("b");
    for (i = 0; i < 2; i++) {
        id = furnish("a");
        forget_rows(id);
        q = tenants_open(next[i], QUIRE_READ_ONLY);
        tenants_sessions(q);
        quire_close(q);
        YES(test_exists(dir_of(id))); /* who reads removes nothing */
        q = tenants_open(next[i], 0);
        tenants_put(q, "z", "x");
        quire_close(q);
        is_gone(id);
        is_whole("b");
    }
}

TEST(a_note_removes_nothing_but_what_nobody_owns)
{
    static const char *const notes[] = {
        "tenants",   "tenants/",   "tenants/1",        "tenants/02",
        "sessions",  "tenants/2/", "tenants/../blobs", "tenants/2/x",
        "tenants/x", "tenants/2",  "tenants/-2",       "blobs",
        "quire.db",  "tenants/2 ", "./tenants/9",      "tenants/09",
        "",          "tenants/9/", "tenants/9/x",      "tenants/9x",
    };
    quire *q;
    char sql[128];
    size_t i;

    EQ(2, furnish("a"));
    q = tenants_open(NULL, 0);
    tenants_session(q, "D");
    quire_close(q);
    EQ(0, mkdir(dir_of(9), 0700)); /* has no row, and no note of its own */
    for (i = 0; i < sizeof notes / sizeof *notes; i++) {
        snprintf(sql, sizeof sql, "INSERT INTO removal VALUES('%s', -1, 0)",
                 notes[i]);
        tenants_sql(sql);
    }
    q = tenants_open(NULL, 0);
    tenants_put(q, "x", "y");
    SAME_TEXT("D ", tenants_sessions(q));
    quire_close(q);
    is_whole("a");
    YES(test_exists(dir_of(9)));
}

/* Note a session's file as it is, or as it was when it was `older`. */
static void note_session(const char *path, bool older)
{
    struct stat info;
    char sql[700];

    EQ(0, stat(path, &info));
    snprintf(sql, sizeof sql, "INSERT INTO removal VALUES('%s', %lld, %lld)",
             strstr(path, "tenants/"), (long long)info.st_size,
             (long long)info.st_mtim.tv_sec * 1000000000 +
                 info.st_mtim.tv_nsec - older);
    tenants_sql(sql);
}

TEST(a_session_of_a_tenant_that_was_noted_goes_whoever_comes_next)
{
    static const char *const next[] = {"a", "b", NULL};
    struct tenants_session s;
    quire *q;
    int i;

    tenants_add("a");
    tenants_add("b");
    for (i = 0; i < 6; i++) {
        bool older = i >= 3;

        q = tenants_open("a", 0);
        s = tenants_session(q, "t");
        quire_close(q);
        note_session(s.path, older);
        q = tenants_open(next[i % 3], 0);
        tenants_put(q, "x", "y");
        quire_close(q);
        EQ(older, test_exists(s.path)); /* it is somebody's again */
        EQ(0, count_notes());
    }
    q = tenants_open("a", 0);
    OK(quire_session_remove(q, s.id, &test_err));
    NO(test_exists(s.path));
    EQ(0, count_notes());
    quire_close(q);
}

/* Each call in turn fails, once or for good: afterwards the tenant is whole, or
 * it is gone and its files go with the next write. */
static void sweep(bool stay, bool inside, long stride)
{
    quire *q = tenants_open(NULL, 0), *next;
    bool struck = true;
    long n;

    tenants_put(q, "mine", "stays");
    quire_close(q);
    for (n = 1; struck; n += stride) {
        int64_t id = furnish("a");
        quire_status st;

        q = tenants_open(NULL, 0);
        tenants_read(q, "mine");
        sqlite_faults(inside);
        fault_arm(n, n % 2 ? ENOMEM : EIO, stay);
        st = quire_tenant_remove(q, "a", 1, &test_err);
        struck = fault_disarm();
        sqlite_faults(false);
        quire_close(q);
        next = tenants_open(NULL, 0);
        if (count_tenants() == 2) {
            YES(st != QUIRE_OK);
            is_whole("a");
            OK(quire_tenant_remove(next, "a", 1, &test_err));
        } else {
            tenants_put(next, "next", "x");
        }
        is_gone(id);
        SAME_TEXT("stays", tenants_read(next, "mine"));
        quire_close(next);
    }
    YES(n > 10);
}

TEST(a_removal_survives_each_call_failing_once)
{
    sweep(false, false, 1);
}

TEST(a_removal_survives_calls_failing_for_good)
{
    sweep(true, false, 1);
}

/* Thousands of calls: some of them, or each with QUIRE_TEST_LONG set. */
TEST(a_removal_survives_sqlite_itself_failing)
{
    sweep(false, true, getenv("QUIRE_TEST_LONG") ? 1 : 23);
}

/* The same for a session within one: whoever comes next works for another. */
TEST(a_session_of_a_tenant_is_there_or_goes_with_the_next_write)
{
    bool struck = true;
    int finished = 0;
    long n;

    tenants_add("a");
    for (n = 1; struck; n++) {
        quire *q = tenants_open("a", 0), *next;
        struct tenants_session s = tenants_session(q, "t");
        quire_artifact a;
        bool noted;

        OK(quire_artifact_put(q, s.id, "f", bytes_str("x"), NULL, &a,
                              &test_err));
        fault_arm(n, n % 2 ? ENOMEM : EIO, true);
        quire_session_remove(q, s.id, &test_err);
        struck = fault_disarm();
        quire_close(q);
        noted = count_notes() > 0;
        finished += noted && test_exists(s.path);
        next = tenants_open(NULL, 0);
        tenants_put(next, "x", "y");
        quire_close(next);
        EQ(0, count_notes());
        q = tenants_open("a", 0);
        if (test_exists(s.path)) {
            NO(noted);
            OK(quire_artifact_stat(q, s.id, "f", NULL, &a, &test_err));
            OK(quire_session_remove(q, s.id, &test_err));
        }
        SAME_TEXT("", tenants_sessions(q));
        quire_close(q);
        EQ(0, tenants_recount());
    }
    YES(finished > 0);
}

TEST(a_removal_that_is_killed_is_whole_or_finished_later)
{
    quire *q;
    int round;

    for (round = 0; round < 15; round++) {
        struct timespec nap = {.tv_nsec = round * 150000};
        int64_t id = furnish("a");
        pid_t child = fork();
        int status;

        if (child == 0) {
            quire_options o = QUIRE_OPTIONS_INIT;

            o.home = test_path("home");
            if (!quire_open(&o, &q, &test_err))
                quire_tenant_remove(q, "a", 1, &test_err);
            _exit(0);
        }
        nanosleep(&nap, NULL);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        q = tenants_open(NULL, 0);
        if (count_tenants() == 2) {
            is_whole("a");
            OK(quire_tenant_remove(q, "a", 1, &test_err));
        } else {
            tenants_put(q, "next", "x");
        }
        quire_close(q);
        is_gone(id);
    }
}

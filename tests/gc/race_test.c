/*
 * A collection that is stopped at each of its steps, while others do what they
 * do; and one that dies there.
 *
 * The steps are the calls through the storage seams, which quire_options.trace
 * hears, or, closer together, all system calls. At the k-th one something else
 * happens, through a handle of its own or behind everybody's back. Afterwards
 * whatever anything refers to is there, and in the end nothing else is.
 *
 * What happens in the middle waits for nobody: QUIRE_BUSY is an answer, and
 * then nothing was promised.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/gc.h"

/* Contents of the ground. */
enum {
    DYING = 0,
    DYING_TOO = 1,
    DYING_LARGE = 2,
    KEPT = 3,
    KEPT_LARGE = 5,
    PUT_AWAY = 6,
    PUT_AWAY_LARGE = 8,
    VERSION_1 = 9,
    VERSION_2 = 10,
    DELETED = 11,
    TENANTS = 12,
    TENANTS_LARGE = 14,
    LAST = 16,
    LAST_LARGE = 17,
    PINNED = 18,
    FOREIGN = 21,
    NEW = 30,
    NEW_LARGE = 32,
};

static quire_kind kind;
static char kept[4096], away[4096], last[4096], tenants[4096];

/* ---- the ground --------------------------------------------------------- */

static void furnish_catalogue(quire *q)
{
    char token[QUIRE_TOKEN_SIZE];
    quire *t;

    OK(quire_artifact_put(q, NULL, "a", collect_content(VERSION_1), NULL, NULL,
                          &test_err));
    OK(quire_artifact_put(q, NULL, "a", collect_content(VERSION_2), NULL, NULL,
                          &test_err));
    OK(quire_artifact_put(q, NULL, "away", collect_content(DELETED), NULL, NULL,
                          &test_err));
    OK(quire_artifact_remove(q, NULL, "away", 0, &test_err));
    OK(quire_tenant_add(q, "other", token, NULL, &test_err));
    t = collect_open_as(kind, "other", NULL, 0);
    YES(t != NULL);
    OK(collect_session(t, TENANTS, tenants));
    OK(collect_append_to(t, tenants, TENANTS_LARGE));
    quire_close(t);
}

static void furnish_sessions(quire *q)
{
    const char *path;

    OK(collect_session(q, KEPT, kept));
    OK(collect_append_to(q, kept, KEPT_LARGE));
    OK(collect_session(q, PUT_AWAY, away));
    OK(collect_append_to(q, away, PUT_AWAY_LARGE));
    OK(quire_session_archive(q, away, &path, &test_err));
    snprintf(away, sizeof away, "%s", path);
    OK(collect_session(q, LAST, last));
    OK(collect_append_to(q, last, LAST_LARGE));
}

static void put(quire *q, int n)
{
    OK(quire_blob_put(q, collect_content(n), 0, NULL, &test_err));
}

static void furnish(quire_kind of)
{
    quire *q;

    kind = of;
    collect_clock_start();
    mkdir(test_path("home"), 0700);
    if (kind == QUIRE_KIND_JP)
        mkdir(test_path("home/conversations"), 0700);
    q = collect_open(kind);
    put(q, DYING);
    put(q, DYING_TOO);
    put(q, DYING_LARGE);
    put(q, PINNED);
    put(q, FOREIGN);
    OK(quire_blob_pin(q, collect_digest(PINNED), &test_err));
    if (kind == QUIRE_KIND_JP) {
        put(q, LAST);
        put(q, LAST_LARGE);
        collect_foreign(kind, "17780000011-last", LAST, LAST_LARGE);
    } else {
        furnish_sessions(q);
    }
    if (kind == QUIRE_KIND_NATIVE)
        furnish_catalogue(q);
    collect_foreign(kind, "17780000012-f", FOREIGN, -1);
    OK(collect_run(q, 0, 100, NULL));
    quire_close(q);
    catalogue_copy(test_path("home"), test_path("ground"));
}

/* Everything as it was, and what is dying has waited long enough. A copy is new
 * to the ledger; `warm`: it has seen it. */
static int64_t ground_us;

static void restore(bool warm)
{
    struct timespec pause = {.tv_nsec = 25000000};
    quire *q;

    catalogue_copy(test_path("ground"), test_path("home"));
    collect_now_us = ground_us;
    if (warm) {
        collect_clock_stop();
        nanosleep(&pause, NULL);
        collect_clock_start();
        collect_now_us = ground_us;
        q = collect_open(kind);
        OK(collect_run(q, 0, 100, NULL));
        quire_close(q);
    }
    collect_now_us += INT64_C(1000) * 1000000;
}

/* ---- what happens in the middle ----------------------------------------- */

static int64_t with_grace; /* of the collection that is stopped */
static struct collect_set promised;

static quire_status promise(quire_status st, int n)
{
    if (!st)
        promised.has[n] = true;
    return st;
}

static quire_status append_new(quire *q)
{
    quire_status st = collect_append_to(q, kept, NEW);

    return st ? st : collect_append_to(q, kept, NEW_LARGE);
}

static quire_status append_dying(quire *q)
{
    quire_status st = collect_append_to(q, kept, DYING);

    return st ? st : collect_append_to(q, kept, DYING_LARGE);
}

static quire_status pin_dying(quire *q)
{
    quire_status st = quire_blob_put(q, collect_content(DYING), 0, NULL,
                                     &test_err);

    if (!st)
        st = quire_blob_pin(q, collect_digest(DYING), &test_err);
    if (!st)
        st = quire_blob_put(q, collect_content(DYING_LARGE), 0, NULL,
                            &test_err);
    if (!st)
        st = quire_blob_pin(q, collect_digest(DYING_LARGE), &test_err);
    return st;
}

/* Not put again: either it was there and stays, or it is gone. */
static quire_status pin_only(quire *q)
{
    quire_status st = quire_blob_pin(q, collect_digest(DYING), &test_err);

    promise(st, DYING);
    st = quire_blob_pin(q, collect_digest(DYING_LARGE), &test_err);
    return promise(st, DYING_LARGE);
}

static quire_status put_dying(quire *q)
{
    quire_status st = quire_blob_put(q, collect_content(DYING), 0, NULL,
                                     &test_err);

    if (with_grace)
        promise(st, DYING);
    st = quire_blob_put(q, collect_content(DYING_LARGE), 0, NULL, &test_err);
    return with_grace ? promise(st, DYING_LARGE) : st;
}

static quire_status artifact_dying(quire *q)
{
    quire_status st = quire_artifact_put(q, NULL, "b", collect_content(DYING),
                                         NULL, NULL, &test_err);

    return st ? st
              : quire_artifact_put(q, NULL, "a", collect_content(DYING_LARGE),
                                   NULL, NULL, &test_err);
}

static quire_status artifact_restore(quire *q)
{
    return promise(quire_artifact_restore(q, NULL, "away", NULL, &test_err),
                   DELETED);
}

static quire_status fork_and_remove(quire *q)
{
    quire_session *s;
    quire_status st = quire_session_fork(q, last, NULL, &s, &test_err);

    if (st)
        return st;
    quire_session_close(s);
    promise(st, LAST);
    promise(st, LAST_LARGE);
    return quire_session_remove(q, last, &test_err);
}

static quire_status remove_last(quire *q)
{
    return quire_session_remove(q, last, &test_err);
}

static quire_status archive_last(quire *q)
{
    const char *path;

    return quire_session_archive(q, last, &path, &test_err);
}

static quire_status unarchive(quire *q)
{
    const char *path;

    return quire_session_unarchive(q, away, &path, &test_err);
}

static quire_status move_last(quire *q)
{
    quire_session *s;
    quire_status st = quire_session_move(q, last, "/a", &s, &test_err);

    if (!st)
        quire_session_close(s);
    return st;
}

static quire_status collect_too(quire *q)
{
    return collect_run(q, 0, with_grace, NULL);
}

static quire_status tenant_append(quire *q)
{
    quire *t = collect_open_as(kind, "other", NULL, 0);
    quire_status st = QUIRE_BUSY;

    (void)q;
    if (t)
        st = collect_append_to(t, tenants, DYING);
    if (!st)
        st = collect_append_to(t, tenants, DYING_LARGE);
    quire_close(t);
    return st;
}

static quire_status tenant_fork(quire *q)
{
    quire *t = collect_open_as(kind, "other", NULL, 0);
    quire_session *s;
    quire_status st = QUIRE_BUSY;

    (void)q;
    if (t)
        st = quire_session_fork(t, tenants, NULL, &s, &test_err);
    if (!st) {
        quire_session_close(s);
        promise(st, TENANTS);
        promise(st, TENANTS_LARGE);
        st = quire_session_remove(t, tenants, &test_err);
    }
    quire_close(t);
    return st;
}

static quire_status tenant_remove(quire *q)
{
    return quire_tenant_remove(q, "other", 1, &test_err);
}

/* Other programs. They are not kept out by anything. */

static FILE *open_foreign(const char *mode)
{
    return fopen(test_path(collect_path(kind, "17780000012-f")), mode);
}

static quire_status foreign_new(quire *q)
{
    (void)q;
    collect_foreign(kind, "17780000013-g", LAST, LAST_LARGE);
    return QUIRE_OK;
}

/* Content that is not dying, by a reference that nobody else has any more. */
static quire_status foreign_takes_over(quire *q)
{
    (void)q;
    collect_foreign(kind, "17780000012-f", LAST, LAST_LARGE);
    if (kind == QUIRE_KIND_JP)
        unlink(test_path(collect_path(kind, "17780000011-last")));
    else
        unlink(last);
    return QUIRE_OK;
}

static quire_status foreign_append(quire *q)
{
    FILE *f = open_foreign("a");

    (void)q;
    fprintf(f, "{\"type\":\"later\",\"$blob\":\"%s\"}\n",
            collect_ref(LAST) + 12);
    fclose(f);
    return remove(kind == QUIRE_KIND_JP
                      ? test_path(collect_path(kind, "17780000011-last"))
                      : last)
               ? QUIRE_IO
               : QUIRE_OK;
}

static quire_status foreign_truncate(quire *q)
{
    (void)q;
    return truncate(test_path(collect_path(kind, "17780000012-f")), 40)
               ? QUIRE_IO
               : QUIRE_OK;
}

/* In place, with the same size: one reference for another. */
static void rewrite_in_place(int from, int to)
{
    char text[4096], *at;
    FILE *f = open_foreign("r+");
    size_t n = fread(text, 1, sizeof text - 1, f);

    text[n] = '\0';
    at = strstr(text, collect_ref(from) + 12);
    if (at)
        memcpy(at, collect_ref(to) + 12, 64);
    rewind(f);
    fwrite(text, 1, n, f);
    fclose(f);
}

static quire_status foreign_rewrite(quire *q)
{
    (void)q;
    rewrite_in_place(FOREIGN, LAST);
    return remove(kind == QUIRE_KIND_JP
                      ? test_path(collect_path(kind, "17780000011-last"))
                      : last)
               ? QUIRE_IO
               : QUIRE_OK;
}

static quire_status foreign_rename(quire *q)
{
    (void)q;
    return rename(test_path(collect_path(kind, "17780000012-f")),
                  test_path(collect_path(kind, "17780000012-f-2")))
               ? QUIRE_IO
               : QUIRE_OK;
}

enum { ANY = 7, SESSIONS = 3, NATIVE = 1 };

static const struct action {
    const char *name;
    quire_status (*run)(quire *q);
    int kinds;
    bool foreign; /* it needs a grace time */
} actions[] = {
    {"append new", append_new, SESSIONS, false},
    {"append dying", append_dying, SESSIONS, false},
    {"put and pin dying", pin_dying, ANY, false},
    {"pin dying", pin_only, ANY, false},
    {"put dying", put_dying, ANY, false},
    {"artifact of dying", artifact_dying, NATIVE, false},
    {"artifact restore", artifact_restore, NATIVE, false},
    {"fork and remove", fork_and_remove, SESSIONS, false},
    {"remove the last", remove_last, SESSIONS, false},
    {"archive the last", archive_last, SESSIONS, false},
    {"unarchive", unarchive, SESSIONS, false},
    {"move the last", move_last, SESSIONS, false},
    {"collect too", collect_too, ANY, false},
    {"tenant appends dying", tenant_append, NATIVE, false},
    {"tenant forks", tenant_fork, NATIVE, false},
    {"tenant is removed", tenant_remove, NATIVE, false},
    {"another writes a file", foreign_new, ANY, true},
    {"another takes over", foreign_takes_over, ANY, true},
    {"another appends", foreign_append, ANY, true},
    {"another truncates", foreign_truncate, ANY, true},
    {"another rewrites in place", foreign_rewrite, ANY, true},
    {"another renames", foreign_rename, SESSIONS, true},
};
enum { N_ACTIONS = sizeof actions / sizeof *actions };

static bool applies(const struct action *a, int64_t grace)
{
    int bit = kind == QUIRE_KIND_NATIVE ? 1 : kind == QUIRE_KIND_OMP ? 2 : 4;

    return (a->kinds & bit) && !(a->foreign && grace == 0);
}

/* ---- stops -------------------------------------------------------------- */

static struct {
    const struct action *action;
    long at, n;
    bool off; /* in the middle, or outside the collection */
    bool happened;
    quire_status status;
    struct collect_set before;
} stop;

static void happen(void)
{
    quire *q;

    stop.off = true;
    stop.happened = true;
    stop.before = collect_wanted(kind);
    q = collect_open_as(kind, NULL, NULL, 0);
    stop.status = q ? stop.action->run(q) : QUIRE_BUSY;
    quire_close(q);
    stop.off = false;
}

static void pass_stop(void)
{
    if (!stop.off && ++stop.n == stop.at)
        happen();
}

static void hear(void *ctx, const char *line)
{
    (void)ctx;
    (void)line;
    pass_stop();
}

static void hear_call(const char *name)
{
    (void)name;
    pass_stop();
}

/* A collection with something in the middle; how many stops it has. */
static long collect_stopped(const struct action *a, long at, int64_t grace,
                            bool calls)
{
    quire *q = collect_open_as(kind, NULL, calls ? NULL : hear, 0);
    quire_status st;

    YES(q != NULL);
    memset(&stop, 0, sizeof stop);
    memset(&promised, 0, sizeof promised);
    with_grace = grace;
    stop.action = a;
    stop.at = at;
    if (calls)
        stop_each(hear_call);
    st = collect_run(q, 0, grace, NULL);
    stop_each(NULL);
    stop.off = true;
    OK(st);
    quire_close(q);
    return stop.n;
}

/* Within the grace time nothing goes that anything referred to when it began. */
static void check_grace(const char *what)
{
    quire *q = collect_open(kind);
    struct collect_set stored;
    int n;

    collect_now_us += INT64_C(10) * 1000000;
    OK(collect_run(q, 0, 100, NULL));
    OK(collect_run(q, 0, 100, NULL));
    stored = collect_stored(q);
    quire_close(q);
    for (n = 0; n < COLLECT_CONTENTS; n++) {
        if (stop.before.has[n] && !stored.has[n])
            fprintf(stderr, "%s: content %d had no grace time\n", what, n);
        YES(!stop.before.has[n] || stored.has[n]);
    }
}

static void check_promised(const char *what)
{
    quire *q = collect_open(kind);
    struct collect_set stored = collect_stored(q);
    int n;

    quire_close(q);
    for (n = 0; n < COLLECT_CONTENTS; n++) {
        if (promised.has[n] && !stored.has[n])
            fprintf(stderr, "%s: content %d was promised\n", what, n);
        YES(!promised.has[n] || stored.has[n]);
    }
}

static bool accepted(quire_status st)
{
    return !st || st == QUIRE_BUSY || st == QUIRE_NOT_FOUND;
}

static void race(const struct action *a, long at, int64_t grace, bool warm,
                 bool calls)
{
    char what[160];

    snprintf(what, sizeof what, "%s, %s, %s %ld, grace %d%s",
             quire_kind_name(kind), a->name, calls ? "call" : "step", at,
             (int)grace, warm ? ", warm" : "");
    restore(warm);
    collect_stopped(a, at, grace, calls);
    if (!stop.happened)
        return;
    if (!accepted(stop.status))
        fprintf(stderr, "%s: %s\n", what, test_err.what);
    YES(accepted(stop.status));
    check_promised(what);
    collect_sound(kind, what);
    if (grace)
        check_grace(what);
    collect_settles(kind, what);
}

/* `every`: how many stops are passed over in between, unless there is time. */
static void race_all(quire_kind of, int64_t grace, bool warm, bool calls,
                     long every)
{
    const struct action nothing = {.name = "nothing"};
    long n, at, i;

    furnish(of);
    ground_us = collect_now_us;
    restore(warm);
    n = collect_stopped(&nothing, -1, grace, calls);
    YES(n > 20);
    for (i = 0; i < N_ACTIONS; i++)
        for (at = catalogue_long() ? 1 : 1 + i * 7 % every;
             at <= n && applies(&actions[i], grace);
             at += catalogue_long() ? 1 : every)
            race(&actions[i], at, grace, warm, calls);
    collect_clock_stop();
}

/* Each step meets some of the actions; with time to spare, all of them. */

TEST(collect_race_at_every_step_of_a_native_home)
{
    race_all(QUIRE_KIND_NATIVE, 100, false, false, 31);
}

TEST(collect_race_at_every_step_of_a_native_home_with_no_grace_time)
{
    race_all(QUIRE_KIND_NATIVE, 0, false, false, 31);
}

TEST(collect_race_at_every_step_of_an_omp_home)
{
    race_all(QUIRE_KIND_OMP, 100, false, false, 31);
}

TEST(collect_race_at_every_step_of_an_omp_home_with_no_grace_time)
{
    race_all(QUIRE_KIND_OMP, 0, false, false, 31);
}

TEST(collect_race_at_every_step_of_a_jp_home)
{
    race_all(QUIRE_KIND_JP, 100, false, false, 17);
}

TEST(collect_race_at_every_step_of_a_jp_home_with_no_grace_time)
{
    race_all(QUIRE_KIND_JP, 0, false, false, 17);
}

TEST(collect_race_at_system_calls)
{
    race_all(QUIRE_KIND_NATIVE, 100, true, true, 293);
}

TEST(collect_race_at_system_calls_with_no_grace_time)
{
    race_all(QUIRE_KIND_OMP, 0, true, true, 197);
}

/* ---- the other way round ------------------------------------------------ */

/* In the middle of what is done a collection runs, and nothing has a grace
 * time; the session that is being copied is removed first. */
static quire_status collect_inside(quire *q)
{
    quire_status st = QUIRE_OK;

    if (kind != QUIRE_KIND_JP)
        quire_session_remove(q, last, NULL);
    st = collect_run(q, 0, 0, NULL);
    return st;
}

static long act_stopped(const struct action *a, long at)
{
    static const struct action inside = {"collect inside", collect_inside, ANY,
                                         false};
    quire *q = collect_open(kind);

    YES(q != NULL);
    memset(&stop, 0, sizeof stop);
    memset(&promised, 0, sizeof promised);
    with_grace = 0;
    stop.action = &inside;
    stop.at = at;
    stop_each(hear_call);
    a->run(q);
    stop_each(NULL);
    stop.off = true;
    quire_close(q);
    return stop.n;
}

static void collect_inside_all(quire_kind of, long every)
{
    char what[160];
    long n, at, i;

    furnish(of);
    ground_us = collect_now_us;
    for (i = 0; i < N_ACTIONS; i++) {
        if (!applies(&actions[i], 0) || actions[i].run == collect_too)
            continue;
        restore(false);
        n = act_stopped(&actions[i], -1);
        for (at = 1 + (catalogue_long() ? 0 : i % every); at <= n;
             at += catalogue_long() ? 1 : every) {
            restore(false);
            act_stopped(&actions[i], at);
            snprintf(what, sizeof what, "%s, %s, collected at call %ld",
                     quire_kind_name(kind), actions[i].name, at);
            check_promised(what);
            collect_sound(kind, what);
            collect_settles(kind, what);
        }
    }
    collect_clock_stop();
}

TEST(collect_inside_of_what_others_do)
{
    collect_inside_all(QUIRE_KIND_NATIVE, 9);
}

TEST(collect_inside_of_what_others_do_in_an_omp_home)
{
    collect_inside_all(QUIRE_KIND_OMP, 5);
}

/* ---- death -------------------------------------------------------------- */

static long die_at, lived;

static void die(const char *name)
{
    (void)name;
    if (++lived == die_at)
        _exit(7);
}

static void die_at_step(void *ctx, const char *line)
{
    (void)ctx;
    die(line);
}

/* Whether it came to that. */
static bool collect_dies(long at, int64_t grace, bool calls)
{
    int pid, status = 0;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        quire *q = collect_open_as(kind, NULL, calls ? NULL : die_at_step, 0);

        lived = 0;
        die_at = at;
        if (calls)
            stop_each(die);
        _exit(q && !collect_run(q, 0, grace, NULL) ? 0 : 1);
    }
    YES(waitpid(pid, &status, 0) == pid);
    YES(WIFEXITED(status) && WEXITSTATUS(status) != 1);
    return WEXITSTATUS(status) == 7;
}

/* What refers to LAST goes before, so that counts change, too. */
static void die_everywhere(quire_kind of, int64_t grace, bool calls, long every)
{
    char what[100];
    long at;

    furnish(of);
    ground_us = collect_now_us;
    for (at = 1;; at += catalogue_long() ? 1 : every) {
        restore(false);
        stop.before = collect_wanted(kind);
        unlink(kind == QUIRE_KIND_JP
                   ? test_path(collect_path(kind, "17780000011-last"))
                   : last);
        if (!collect_dies(at, grace, calls))
            break;
        snprintf(what, sizeof what, "%s, dead at %s %ld, grace %d",
                 quire_kind_name(kind), calls ? "call" : "step", at,
                 (int)grace);
        collect_sound(kind, what);
        if (grace)
            check_grace(what);
        collect_settles(kind, what);
        NO(test_litter(test_path("home")));
    }
    YES(at > 20);
    collect_clock_stop();
}

TEST(collect_dies_at_every_step)
{
    die_everywhere(QUIRE_KIND_NATIVE, 100, false, 4);
}

TEST(collect_dies_at_every_step_with_no_grace_time)
{
    die_everywhere(QUIRE_KIND_NATIVE, 0, false, 5);
}

TEST(collect_dies_at_every_step_in_an_omp_home)
{
    die_everywhere(QUIRE_KIND_OMP, 100, false, 5);
}

TEST(collect_dies_at_every_step_in_a_jp_home)
{
    die_everywhere(QUIRE_KIND_JP, 100, false, 5);
}

TEST(collect_dies_at_system_calls)
{
    die_everywhere(QUIRE_KIND_NATIVE, 100, true, 17);
}

/* ---- failure ------------------------------------------------------------ */

static void fail_everywhere(quire_kind of, int error, bool stay, bool sqlite,
                            long every)
{
    char what[100];
    bool struck = true;
    quire_status st;
    quire *q;
    long at;

    furnish(of);
    ground_us = collect_now_us;
    for (at = 1; struck; at += catalogue_long() ? 1 : every) {
        restore(false);
        stop.before = collect_wanted(kind);
        unlink(kind == QUIRE_KIND_JP
                   ? test_path(collect_path(kind, "17780000011-last"))
                   : last);
        q = collect_open(kind);
        test_err = (quire_error){0};
        sqlite_faults(sqlite);
        fault_arm(at, error, stay);
        st = collect_run(q, 0, 100, NULL);
        struck = fault_disarm();
        sqlite_faults(false);
        snprintf(what, sizeof what, "%s, %s fails (%ld)", quire_kind_name(kind),
                 fault_name(), at);
        if (st && !test_err.what[0])
            fprintf(stderr, "%s: no words\n", what);
        YES(!st || test_err.what[0]);
        if (collect_run(q, 0, 100, NULL)) /* the handle goes on */
            fprintf(stderr, "%s: then %s\n", what, test_err.what);
        OK(collect_run(q, 0, 100, NULL));
        quire_close(q);
        collect_sound(kind, what);
        check_grace(what);
        collect_settles(kind, what);
    }
    YES(at > 20);
    collect_clock_stop();
}

TEST(collect_survives_every_call_that_fails)
{
    fail_everywhere(QUIRE_KIND_NATIVE, EIO, false, false, 5);
}

TEST(collect_survives_every_call_that_fails_in_a_jp_home)
{
    fail_everywhere(QUIRE_KIND_JP, EACCES, false, false, 5);
}

TEST(collect_survives_a_system_that_has_nothing_left)
{
    fail_everywhere(QUIRE_KIND_OMP, ENOMEM, true, false, 9);
}

TEST(collect_survives_a_database_that_fails)
{
    fail_everywhere(QUIRE_KIND_NATIVE, EIO, false, true, 61);
}

/*
 * Each call that a group makes fails in turn: at the seams, in the system and in
 * SQLite itself. A group is many calls, so there are three ways for it to end:
 *
 *   (1) It is not kept: all is as it was before.
 *   (2) It is kept: all is as if just the calls that said so had been made, one
 *       by one. What failed in between has left nothing.
 *   (3) It is kept, and the disk did not say that it lasts: that is told apart
 *       from (1), because whoever makes it again would have it twice.
 *
 * The handle goes on, and can make the same group again. As whoever writes in
 * groups does, the calls after one that failed are made all the same.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "store/intercept.h"
#include "support/catalog.h"
#include "support/failing.h"
#include "support/tenants.h"

/* ---- the ground --------------------------------------------------------- */

static struct tenants_session inner;

/* States that were worked out, of this ground; the texts are the test's. */
enum { KNOWN_MAX = 64 };

static struct {
    const char *text;
    unsigned done;
} known[KNOWN_MAX];
static size_t n_known;

static void furnish(void)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire *q = tenants_open(NULL, 0);

    n_known = 0;
    inner = tenants_session(q, "inner");
    tenants_put(q, "a", "walrus one");
    tenants_put(q, "b", "penguin");
    o.title = o.content = bytes_str("an older one");
    OK(quire_memory_add(q, NULL, &o, NULL, &test_err));
    OK(quire_pad_append(q, "", bytes_str("a note"), NULL, &test_err));
    OK(quire_config_set(q, "quota.file", "100000", &test_err));
    OK(quire_config_set(q, "versions.kept", "2", &test_err));
    quire_close(q);
    tenants_add("other");
    catalogue_copy(test_path("home"), test_path("ground"));
}

static void restore_ground(void)
{
    catalogue_copy(test_path("ground"), test_path("home"));
}

/* ---- a group ------------------------------------------------------------ */

static quire_status put_new(quire *q)
{
    return quire_artifact_put(q, NULL, "c", bytes_str("fresh walrus"), NULL,
                              NULL, &test_err);
}

static quire_status put_version(quire *q)
{
    return quire_artifact_put(q, NULL, "a", bytes_str("walrus two"), NULL, NULL,
                              &test_err);
}

static quire_status put_file(quire *q)
{
    static char noise[90000];

    test_noise(7, noise, sizeof noise);
    return quire_artifact_put(q, NULL, "a", bytes_of(noise, sizeof noise), NULL,
                              NULL, &test_err);
}

static quire_status put_in_session(quire *q)
{
    return quire_artifact_put(q, inner.id, "s", bytes_str("of the session"),
                              NULL, NULL, &test_err);
}

static quire_status put_too_much(quire *q)
{
    static char text[100001];
    quire_status st = quire_artifact_put(q, inner.id, "large",
                                         bytes_of(text, sizeof text), NULL,
                                         NULL, &test_err);

    return st == QUIRE_TOO_LARGE ? QUIRE_OK : st;
}

static quire_status remember(quire *q)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    static const int64_t old[] = {1};

    o.title = bytes_str("the newcomer");
    o.content = bytes_str("instead of it");
    o.artifact = 1;
    o.supersedes = old;
    o.n_supersedes = 1;
    return quire_memory_add(q, NULL, &o, NULL, &test_err);
}

static quire_status note_down(quire *q)
{
    return quire_pad_append(q, "", bytes_str("another note"), NULL, &test_err);
}

static quire_status add_folder(quire *q)
{
    quire_folder folder;

    return quire_folder_add(q, "red", &folder, &test_err);
}

static quire_status put_blob(quire *q)
{
    static char noise[70000];
    quire_blob_info info;

    test_noise(8, noise, sizeof noise);
    return quire_blob_put(q, bytes_of(noise, sizeof noise), 0, &info,
                          &test_err);
}

static quire_status claim_key(quire *q)
{
    quire_idempotency claim;

    return quire_idempotency_begin(q, "key", bytes_str("x"), bytes_str(""),
                                   &claim, &test_err);
}

static quire_status put_once(quire *q)
{
    return quire_artifact_put(q, NULL, "d", bytes_str("once"), NULL, NULL,
                              &test_err);
}

static quire_status keep_answer(quire *q)
{
    return quire_idempotency_end(q, "key", 201, bytes_str("done"), &test_err);
}

static quire_status put_away(quire *q)
{
    return quire_artifact_remove(q, NULL, "b", 0, &test_err);
}

/* Whom it works for must be known, whatever fails. */
static quire_status put_theirs(quire *q)
{
    quire_status st = quire_tenant_use(q, "other", &test_err);

    if (st)
        return st;
    st = quire_artifact_put(q, NULL, "a", bytes_str("their walrus"), NULL, NULL,
                            &test_err);
    OK(quire_tenant_use(q, "#1", NULL));
    return st;
}

static quire_status (*const calls[])(quire *q) = {
    put_new,   put_version,    put_too_much, put_theirs,  remember,
    claim_key, put_in_session, put_once,     keep_answer, note_down,
    put_file,  add_folder,     put_blob,     put_away,
};

enum { N_CALLS = sizeof calls / sizeof *calls, ALL = (1 << N_CALLS) - 1 };

/* What became of it. */
struct outcome {
    quire_status begin, end;
    int kept;
    unsigned done; /* which of the calls said that they were made */
};

static struct outcome make_group(quire *q, unsigned which)
{
    struct outcome out = {.done = 0};
    int i;

    out.begin = quire_group_begin(q, &test_err);
    for (i = 0; i < N_CALLS && !out.begin; i++) {
        quire_status st;

        if (!(which & 1U << i))
            continue;
        st = calls[i](q);
        if (!st)
            out.done |= 1U << i;
        else if (!test_err.what[0] || test_err.status != st)
            fprintf(stderr, "call %d: %s without words\n", i,
                    quire_status_name(st));
        YES(!st || (test_err.what[0] && test_err.status == st));
    }
    if (!out.begin)
        out.end = quire_group_end(q, &out.kept, &test_err);
    YES(out.kept || out.begin || out.end);
    return out;
}

/* ---- what there is ------------------------------------------------------ */

static const char *state(void)
{
    const char *dump = catalogue_dump();
    size_t len = strlen(dump) + 100;
    char *text = test_alloc(len);

    snprintf(text, len, "%sfolders %d, keys %d, with answers %d\n", dump,
             (int)catalogue_number("SELECT count(*) FROM folder"),
             (int)catalogue_number("SELECT count(*) FROM claim"),
             (int)catalogue_number("SELECT count(*) FROM claim WHERE status = "
                                   "201"));
    return text;
}

/* The state after just these calls, one by one. The home is not the ground
 * afterwards. */
static const char *state_after(unsigned done)
{
    quire *q;
    int i;
    size_t k;

    for (k = 0; k < n_known; k++)
        if (known[k].done == done)
            return known[k].text;
    restore_ground();
    q = failing_open();
    for (i = 0; i < N_CALLS; i++)
        if (done & 1U << i)
            OK(calls[i](q));
    quire_close(q);
    k = n_known < KNOWN_MAX ? n_known++ : KNOWN_MAX - 1;
    known[k].done = done;
    known[k].text = state();
    return known[k].text;
}

/* ---- failures ----------------------------------------------------------- */

static void complain(const struct way *w, long n, const struct outcome *o)
{
    fprintf(stderr, "%s: begin %s, done %x, end %s\n", way_name(w, n),
            quire_status_name(o->begin), o->done, quire_status_name(o->end));
}

/* Whether the home is as it was before. */
static bool is_settled(const struct way *w, long n, const struct outcome *o,
                       const char *before)
{
    const char *now = state(), *want = before;

    if (o->kept)
        want = state_after(o->done);
    if (strcmp(want, now) != 0)
        complain(w, n, o);
    SAME_TEXT(want, now);
    return want == before;
}

static bool try_one(struct way *w, long n, const char *before)
{
    quire *q = failing_open();
    struct outcome o;
    bool struck, untouched;

    if (w->where == SEAMS)
        catalogue_tap(q, &w->seam);
    test_err = (quire_error){.what = ""};
    way_arm(w, n);
    o = make_group(q, ALL);
    struck = way_disarm(w);
    untouched = is_settled(w, n, &o, before);
    if (untouched && n % 3 == 0) {
        o = make_group(q, ALL);
        if (w->stay && o.begin) /* SQLite tells of it once more */
            o = make_group(q, ALL);
        if (o.begin || o.done != ALL || o.end)
            complain(w, n, &o);
        OK(o.begin);
        EQ(ALL, o.done);
        OK(o.end);
        SAME_TEXT(state_after(ALL), state());
        untouched = false;
    }
    quire_close(q);
    if (!untouched) {
        catalogue_sound();
        restore_ground();
    }
    return struck;
}

static void sweep(enum where where, bool stay, long step)
{
    struct way w = {.where = where, .stay = stay};
    const char *before;
    long n;

    furnish();
    before = state();
    SAME_TEXT(state_after(0), before);
    state_after(ALL);
    restore_ground();
    if (catalogue_long())
        step = 1;
    for (n = 1; try_one(&w, n, before); n += step)
        ;
    EQ(0, tenants_recount());
}

TEST(a_group_is_kept_or_not_whichever_call_at_a_seam_fails)
{
    sweep(SEAMS, false, 7);
}

TEST(a_group_is_kept_or_not_when_a_seam_fails_for_good)
{
    sweep(SEAMS, true, 19);
}

TEST(a_group_is_kept_or_not_whichever_call_fails)
{
    sweep(CALLS, false, 23);
}

TEST(a_group_is_kept_or_not_when_calls_fail_for_good)
{
    sweep(CALLS, true, 71);
}

/* Some ten thousand calls: all of them with QUIRE_LONG set. */
TEST(a_group_is_kept_or_not_whatever_fails_in_sqlite)
{
    sweep(SQLITE, false, 397);
}

TEST(a_group_is_kept_or_not_when_sqlite_fails_for_good)
{
    sweep(SQLITE, true, 997);
}

/* ---- deaths ------------------------------------------------------------- */

static long lived, die_at;

static void die(const char *name)
{
    (void)name;
    if (++lived == die_at)
        _exit(7);
}

/* Who makes the group dies before the n-th call, ours or SQLite's, or when it is
 * done, before anything is closed. Whether it was done. */
static bool dies(long n)
{
    int pid, status = 0;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        quire *q = failing_open();
        struct outcome o;

        die_at = n;
        lived = 0;
        sqlite_faults(true);
        stop_each(die);
        o = make_group(q, ALL);
        _exit(o.done == ALL && !o.end ? 8 : 1);
    }
    YES(waitpid(pid, &status, 0) == pid);
    YES(WIFEXITED(status));
    YES(WEXITSTATUS(status) == 7 || WEXITSTATUS(status) == 8);
    return WEXITSTATUS(status) == 8;
}

TEST(a_group_is_there_whole_or_not_at_all_wherever_its_writer_dies)
{
    const char *before, *after;
    bool done = false;
    int whole = 0, none = 0;
    long n;

    furnish();
    before = state();
    after = state_after(ALL);
    for (n = 1; !done; n += catalogue_long() ? 1 : 3) {
        const char *now;
        quire *q;

        restore_ground();
        done = dies(n);
        now = state();
        if (strcmp(now, before) != 0 && strcmp(now, after) != 0)
            fprintf(stderr, "dead at %ld\n", n);
        if (done || strcmp(now, before) != 0)
            SAME_TEXT(after, now);
        *(strcmp(now, before) ? &whole : &none) += 1;
        /* Whoever comes next can write, and finds nothing to finish. */
        q = failing_open();
        OK(quire_artifact_put(q, NULL, "c", bytes_str("fresh walrus"), NULL,
                              NULL, &test_err));
        quire_close(q);
        if (strcmp(now, before) != 0)
            SAME_TEXT(after, state());
        catalogue_sound();
    }
    YES(none > 10 && whole > 0);
}

/*
 * Each call that a change of the catalogue makes fails in turn: at the seams,
 * in the system and in SQLite itself. Afterwards all is as it was before or as
 * it would have been, and the handle goes on.
 *
 * The ground of every case is the same home, made once and copied. Clocks stand
 * still, so that two ways to the same state end in the same rows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "api/core/handle.h"
#include "support/catalog.h"
#include "support/failing.h"
#include "support/tenants.h"

/* ---- the ground --------------------------------------------------------- */

static struct tenants_session inner, others; /* of two tenants */

static void remember(quire *q, const char *session, const char *title,
                     int64_t artifact)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire_bytes tag = {"tag", 3};

    o.type = QUIRE_MEMORY_PROJECT;
    o.title = bytes_str(title);
    o.content = bytes_str("what there is to say");
    o.tags = &tag;
    o.n_tags = 1;
    o.artifact = artifact;
    OK(quire_memory_add(q, session, &o, NULL, &test_err));
}

static void furnish_default(void)
{
    quire *q = tenants_open(NULL, 0);
    quire_artifact a;

    inner = tenants_session(q, "inner");
    tenants_put(q, "a", "walrus one");
    tenants_put(q, "a", "walrus two");
    tenants_put(q, "away", "penguin");
    OK(quire_artifact_remove(q, NULL, "away", 0, &test_err));
    OK(quire_artifact_put(q, inner.id, "s", bytes_str("of the session"), NULL,
                          &a, &test_err));
    remember(q, NULL, "an older one", 0);
    remember(q, inner.id, "a linked one", a.id);
    remember(q, NULL, "a third one", 1);
    OK(quire_relation_add(q, 1, QUIRE_REFINES, 2, NULL, &test_err));
    OK(quire_pad_append(q, "", bytes_str("a note"), NULL, &test_err));
    OK(quire_config_set(q, "versions.kept", "2", &test_err));
    quire_close(q);
}

static void furnish(void)
{
    quire *q;

    furnish_default();
    tenants_add("other");
    q = tenants_open("other", 0);
    others = tenants_session(q, "others");
    tenants_put(q, "theirs", "seal");
    remember(q, NULL, "theirs too", 0);
    quire_close(q);
    catalogue_copy(test_path("home"), test_path("ground"));
}

static void restore_ground(void)
{
    catalogue_copy(test_path("ground"), test_path("home"));
}

/* ---- what is done ------------------------------------------------------- */

/* What a call answers besides its status, for comparing. */
static struct buf said = BUF_INIT(1 << 20);

static quire_status hear_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

static quire_status hear_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s ", hit->artifact.path);
    return QUIRE_OK;
}

static quire_status hear_artifact(void *ctx, const quire_artifact *a,
                                  quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s:%lld ", a->path, (long long)a->version);
    return QUIRE_OK;
}

static quire_status hear_memory(void *ctx, const quire_memory *m,
                                quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%lld ", (long long)m->id);
    return QUIRE_OK;
}

static quire_status put_text(quire *q, const char *path, quire_bytes text)
{
    quire_artifact a = {.id = 0};
    quire_status st = quire_artifact_put(q, NULL, path, text, NULL, &a,
                                         &test_err);

    if (!st)
        buf_addf(&said, "%llu %llu", (unsigned long long)a.session_used,
                 (unsigned long long)a.tenant_used);
    return st;
}

static quire_status put_new(quire *q)
{
    return put_text(q, "b", bytes_str("fresh walrus"));
}

static quire_status put_replace(quire *q)
{
    return put_text(q, "a", bytes_str("walrus three is longer"));
}

static quire_status put_file(quire *q)
{
    static char noise[90000];

    test_noise(7, noise, sizeof noise);
    return put_text(q, "a", bytes_of(noise, sizeof noise));
}

static quire_status put_first_of_session(quire *q)
{
    return quire_artifact_put(q, "temp", "t", bytes_str("x"), NULL, NULL,
                              &test_err);
}

static quire_status remove_one(quire *q)
{
    return quire_artifact_remove(q, NULL, "a", 0, &test_err);
}

static quire_status restore_one(quire *q)
{
    quire_artifact a;

    return quire_artifact_restore(q, NULL, "away", &a, &test_err);
}

static quire_status purge_one(quire *q)
{
    return quire_artifact_remove(q, NULL, "a", 1, &test_err);
}

static quire_status search_all(quire *q)
{
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;

    o.all_sessions = 1;
    return quire_artifact_search(q, NULL, "walrus", &o, hear_hit, &said, NULL,
                                 &test_err);
}

static quire_status list_all(quire *q)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;

    o.all_sessions = 1;
    return quire_artifact_list(q, NULL, &o, hear_artifact, &said, &test_err);
}

static quire_status get_one(quire *q)
{
    quire_artifact a;

    return quire_artifact_get(q, NULL, "a", NULL, hear_bytes, &said, &a,
                              &test_err);
}

static quire_status memory_add(quire *q)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    static const int64_t old[] = {1, 3};

    o.title = bytes_str("the newcomer");
    o.content = bytes_str("instead of them");
    o.artifact = 1;
    o.supersedes = old;
    o.n_supersedes = 2;
    return quire_memory_add(q, "user", &o, NULL, &test_err);
}

static quire_status memory_edit(quire *q)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    o.title = bytes_str("another title");
    o.artifact = -1;
    return quire_memory_edit(q, NULL, 3, &o, NULL, &test_err);
}

static quire_status memory_relate(quire *q)
{
    return quire_relation_add(q, 3, QUIRE_SUPPORTS, 1, NULL, &test_err);
}

static quire_status memory_invalidate(quire *q)
{
    return quire_memory_invalidate(q, 1, 0, &test_err);
}

static quire_status memory_remove(quire *q)
{
    return quire_memory_remove(q, 2, &test_err);
}

static quire_status memory_search(quire *q)
{
    return quire_memory_search(q, bytes_str("linked one"), NULL, hear_memory,
                               &said, NULL, &test_err);
}

static quire_status scratchpad_append(quire *q)
{
    return quire_pad_append(q, "", bytes_str("another note"), NULL, &test_err);
}

static quire_status scratchpad_clear(quire *q)
{
    return quire_pad_clear(q, "", &test_err);
}

static quire_status tenant_add_one(quire *q)
{
    char token[QUIRE_TOKEN_SIZE];
    quire_status st = quire_tenant_add(q, "third", token, NULL, &test_err);

    YES(!st == (token[0] != '\0'));
    return st;
}

static quire_status tenant_rotate_one(quire *q)
{
    char token[QUIRE_TOKEN_SIZE];
    quire_status st = quire_tenant_rotate(q, "other", token, NULL, &test_err);

    YES(!st == (token[0] != '\0'));
    return st;
}

static quire_status tenant_remove_one(quire *q)
{
    return quire_tenant_remove(q, "other", 1, &test_err);
}

static quire_status config_set_one(quire *q)
{
    return quire_config_set(q, "quota.file", "77", &test_err);
}

static quire_status session_remove_one(quire *q)
{
    return quire_session_remove(q, inner.id, &test_err);
}

static quire_status session_pin_one(quire *q)
{
    return quire_session_pin(q, inner.id, 1, &test_err);
}

static quire_status session_hold_one(quire *q)
{
    return quire_session_hold(q, inner.id, "case 12", &test_err);
}

enum {
    READS = 1,  /* it changes nothing, or only that it was read         */
    RANDOM = 2, /* what it writes is not the same twice                 */
    FILES = 4,  /* its files may go later, with whoever writes next     */
};

static const struct op {
    const char *name;
    quire_status (*run)(quire *q);
    unsigned flags;
} ops[] = {
    {"put a new one", put_new, 0},
    {"put a version", put_replace, 0},
    {"put a version in a file", put_file, FILES},
    {"put the first of a session", put_first_of_session, 0},
    {"remove", remove_one, 0},
    {"restore", restore_one, 0},
    {"purge", purge_one, 0},
    {"search", search_all, READS},
    {"list", list_all, READS},
    {"get", get_one, READS},
    {"memory add", memory_add, 0},
    {"memory edit", memory_edit, 0},
    {"memory relate", memory_relate, 0},
    {"memory invalidate", memory_invalidate, 0},
    {"memory remove", memory_remove, 0},
    {"memory search", memory_search, READS},
    {"pad append", scratchpad_append, RANDOM}, /* it says the time */
    {"pad clear", scratchpad_clear, 0},
    {"tenant add", tenant_add_one, RANDOM},
    {"tenant rotate", tenant_rotate_one, RANDOM},
    {"tenant remove", tenant_remove_one, FILES},
    {"config set", config_set_one, 0},
    {"session remove", session_remove_one, FILES},
    {"session pin", session_pin_one, 0},
    {"session hold", session_hold_one, 0},
};

/* ---- how it fails ------------------------------------------------------- */

static void complain(const struct op *op, const struct way *w, long n)
{
    fprintf(stderr, "%s, %s\n", op->name, way_name(w, n));
}

/* A way to say the state: random bytes are one letter. */
static const char *state(const struct op *op)
{
    char *text = test_alloc(64);

    if (!(op->flags & RANDOM))
        return catalogue_dump();
    snprintf(text, 64, "%lld %lld %lld",
             (long long)catalogue_number("SELECT count(*) FROM tenant"),
             (long long)catalogue_number("SELECT sum(used) FROM pad"),
             (long long)catalogue_number(
                 "SELECT count(*) FROM tenant t JOIN setting s ON "
                 "hex(t.token) = s.value"));
    return text;
}

/* What was noted to go goes with the next write, and with it nothing else. */
static void finish_removal(const struct op *op, bool done)
{
    quire *q;
    uint64_t wrong;

    if (!(op->flags & FILES))
        return;
    q = failing_open();
    OK(quire_artifact_recount(q, &wrong, &test_err));
    EQ(0, wrong);
    quire_close(q);
    EQ(0, catalogue_number("SELECT count(*) FROM removal"));
    if (op->run == session_remove_one)
        EQ(!done, test_exists(inner.path));
    if (op->run == tenant_remove_one)
        EQ(!done, test_exists(others.path));
}

/* After a failure, with the handle that saw it. */
static void goes_on(const struct op *op, const struct way *w, long n, quire *q,
                    const char *after, const char *answer)
{
    quire_status st;

    buf_clear(&said);
    st = op->run(q);
    if (st)
        complain(op, w, n);
    IS(QUIRE_OK, st);
    SAME(bytes_str(answer), buf_bytes(&said));
    SAME_TEXT(after, state(op));
}

/* One call fails. Whether any was left to fail. */
static bool try_one(const struct op *op, struct way *w, long n,
                    const char *before, const char *after, const char *answer)
{
    quire *q = failing_open();
    const char *now;
    quire_status st;
    bool struck, done;

    if (w->where == SEAMS)
        catalogue_tap(q, &w->seam);
    test_err = (quire_error){.what = ""};
    buf_clear(&said);
    way_arm(w, n);
    st = op->run(q);
    struck = way_disarm(w);
    now = state(op);
    if (st && (!test_err.what[0] || test_err.status != st ||
               st == QUIRE_NOT_FOUND || st == QUIRE_INVALID)) {
        complain(op, w, n);
        IS(QUIRE_OK, st); /* an accident must say that it is one */
    }
    if (!st && !bytes_equal(bytes_str(answer), buf_bytes(&said)))
        complain(op, w, n);
    if (!st)
        SAME(bytes_str(answer), buf_bytes(&said));
    if (strcmp(now, after) != 0 &&
        ((!st && !(op->flags & READS)) || strcmp(now, before) != 0))
        complain(op, w, n);
    done = !st || strcmp(now, before) != 0;
    /* Who searches may leave it to others to index what is due. */
    if (done && (!(op->flags & READS) || strcmp(now, before) != 0))
        SAME_TEXT(after, now);
    else if (n % 5 == 1 || op->flags & READS)
        goes_on(op, w, n, q, after, answer);
    quire_close(q);
    finish_removal(op, done || n % 5 == 1);
    if (done || n % 5 == 1) {
        catalogue_sound();
        restore_ground();
    }
    return struck;
}

static void sweep(const struct op *op, struct way w)
{
    const char *before, *after, *answer;
    quire *q;
    long n;

    restore_ground();
    before = state(op);
    q = failing_open();
    buf_clear(&said);
    OK(op->run(q));
    buf_add_char(&said, '\0');
    answer = strcpy(test_alloc(said.len), said.data);
    quire_close(q);
    after = state(op);
    catalogue_sound();
    restore_ground();
    for (n = w.first; try_one(op, &w, n, before, after, answer); n += w.step)
        ;
}

/* Every `step`-th call, in the long form each. Where it begins is another one
 * for every operation, so that the quick form is not always at the same. */
static void sweep_all(enum where where, bool stay, long step)
{
    long i;

    YES(buf_room(&said, 1 << 16) != NULL); /* it is not to fail */
    furnish();
    /* Where state() finds the token that was. */
    tenants_sql("INSERT INTO setting(key, value) SELECT 'token', hex(token) "
                "FROM tenant WHERE name = 'other'");
    catalogue_copy(test_path("home"), test_path("ground"));
    if (catalogue_long())
        step = 1;
    for (i = 0; i < (long)(sizeof ops / sizeof *ops); i++)
        sweep(&ops[i], (struct way){.where = where,
                                    .stay = stay,
                                    .first = 1 + i % (step < 9 ? step : 9),
                                    .step = step});
    buf_release(&said);
}

TEST(the_catalogue_is_before_or_after_whichever_call_at_a_seam_fails)
{
    sweep_all(SEAMS, false, 5);
}

TEST(the_catalogue_is_before_or_after_when_a_seam_fails_for_good)
{
    sweep_all(SEAMS, true, 17);
}

TEST(the_catalogue_is_before_or_after_whichever_call_fails)
{
    sweep_all(CALLS, false, 17);
}

TEST(the_catalogue_is_before_or_after_when_calls_fail_for_good)
{
    sweep_all(CALLS, true, 37);
}

/* Some thousand calls each: all of them with QUIRE_LONG set. */
TEST(the_catalogue_is_before_or_after_whatever_fails_in_sqlite)
{
    sweep_all(SQLITE, false, 797);
}

TEST(the_catalogue_is_before_or_after_when_sqlite_fails_for_good)
{
    sweep_all(SQLITE, true, 797);
}

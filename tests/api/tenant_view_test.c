/*
 * A handle that works for several tenants in turn: what one has is never seen by
 * another, however often the seats change, and who is shut out meanwhile stays
 * outside, whoever did it and wherever his seat waits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/slow.h"
#include "support/tenants.h"

static void use(quire *q, const char *tenant)
{
    OK(quire_tenant_use(q, tenant, &test_err));
}

static void use_id(quire *q, int64_t id)
{
    char which[32];

    snprintf(which, sizeof which, "#%lld", (long long)id);
    use(q, which);
}

/* ---- everything that a tenant can have ---------------------------------- */

static quire_status add_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

static quire_status add_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "hit %s; ", hit->artifact.path);
    return QUIRE_OK;
}

static quire_status add_artifact(void *ctx, const quire_artifact *a,
                                 quire_error *err)
{
    (void)err;
    buf_addf(ctx, "artifact %s; ", a->path);
    return QUIRE_OK;
}

static quire_status add_entry(void *ctx, const quire_memory *m,
                              quire_error *err)
{
    (void)err;
    buf_addf(ctx, "entry %.*s; ", (int)m->title.len,
             (const char *)m->title.data);
    return QUIRE_OK;
}

static quire_status add_folder(void *ctx, const quire_folder *f,
                               quire_error *err)
{
    (void)err;
    buf_addf(ctx, "folder %s; ", f->name);
    return QUIRE_OK;
}

static quire_status add_pad(void *ctx, const quire_pad *p, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "pad %s; ", p->name);
    return QUIRE_OK;
}

static quire_status add_prompt(void *ctx, const quire_prompt *p,
                               quire_error *err)
{
    (void)err;
    buf_addf(ctx, "prompt %.*s; ", (int)p->prompt.len,
             (const char *)p->prompt.data);
    return QUIRE_OK;
}

static quire_status add_session(void *ctx, const quire_session_info *info,
                                quire_error *err)
{
    (void)err;
    buf_addf(ctx, "session %s; ", info->title);
    return QUIRE_OK;
}

/* What it has, all called by its name. */
static struct tenants_session fill(quire *q, const char *name)
{
    quire_memory_options m = QUIRE_MEMORY_OPTIONS_INIT;
    struct tenants_session s = tenants_session(q, name);
    quire_idempotency claim;
    quire_folder folder;

    tenants_put(q, name, name);
    tenants_put(q, "same", name);
    OK(quire_artifact_put(q, s.id, name, bytes_str(name), NULL, NULL,
                          &test_err));
    m.title = m.content = bytes_str(name);
    OK(quire_memory_add(q, s.id, &m, NULL, &test_err));
    OK(quire_folder_add(q, name, &folder, &test_err));
    OK(quire_session_file(q, s.id, folder.id, &test_err));
    OK(quire_pad_append(q, name, bytes_str(name), NULL, &test_err));
    OK(quire_history_add(q, bytes_str(name), "/w", s.id, NULL, &test_err));
    OK(quire_idempotency_begin(q, "key", bytes_str(name), bytes_str(""), &claim,
                               &test_err));
    YES(claim.fresh);
    OK(quire_idempotency_end(q, "key", 200, bytes_str(name), &test_err));
    return s;
}

/* All that can be listed, as text. */
static const char *everything(quire *q)
{
    quire_artifact_list_options all = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    struct buf out = BUF_INIT(1 << 20);
    quire_idempotency claim;
    char *text;

    all.all_sessions = 1;
    OK(quire_session_list(q, NULL, add_session, &out, &test_err));
    OK(quire_artifact_list(q, NULL, &all, add_artifact, &out, &test_err));
    OK(quire_memory_list(q, NULL, add_entry, &out, &test_err));
    OK(quire_folder_list(q, add_folder, &out, &test_err));
    OK(quire_pad_list(q, add_pad, &out, &test_err));
    OK(quire_history_list(q, NULL, add_prompt, &out, &test_err));
    OK(quire_idempotency_begin(q, "key", bytes_str("x"), bytes_str(""), &claim,
                               &test_err));
    NO(claim.fresh || claim.same);
    buf_add(&out, claim.answer.data, claim.answer.len);
    text = test_alloc(out.len + 1);
    memcpy(text, out.data, out.len);
    buf_release(&out);
    return text;
}

/* What is looked for by the words of another is not found, nor by its ids. */
static void not_found(quire *q, const char *word, const char *session)
{
    quire_artifact_search_options all = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    struct buf out = BUF_INIT(1 << 20);
    quire_artifact a;
    quire_session *s;

    all.all_sessions = 1;
    IS(QUIRE_NOT_FOUND, quire_artifact_search(q, NULL, word, &all, add_hit,
                                              &out, NULL, &test_err));
    IS(QUIRE_NOT_FOUND, quire_memory_search(q, bytes_str(word), NULL, add_entry,
                                            &out, NULL, &test_err));
    OK(quire_history_search(q, bytes_str(word), NULL, add_prompt, &out,
                            &test_err));
    EQ(0, out.len);
    IS(QUIRE_NOT_FOUND,
       quire_artifact_get(q, NULL, word, NULL, add_bytes, &out, &a, &test_err));
    IS(QUIRE_NOT_FOUND, quire_pad_read(q, word, add_bytes, &out, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_open(q, session, NULL, &s, &test_err));
    IS(QUIRE_NOT_FOUND, quire_artifact_put(q, session, "mine", bytes_str("x"),
                                           NULL, NULL, &test_err));
    EQ(0, out.len);
    buf_release(&out);
}

static const char *const names[] = {"walrus", "penguin", "narwhal"};

enum { N = sizeof names / sizeof *names };

TEST(all_that_a_tenant_has_is_its_own_from_seat_to_seat)
{
    struct tenants_session s[N];
    const char *has[N];
    int64_t id[N];
    quire *q;
    int i, j, round;

    for (i = 0; i < N; i++)
        id[i] = tenants_add(names[i]);
    q = tenants_open(NULL, 0);
    for (i = 0; i < N; i++) {
        use_id(q, id[i]);
        s[i] = fill(q, names[i]);
        has[i] = everything(q);
    }
    for (round = 0; round < 4; round++) {
        for (i = 0; i < N; i++) {
            use_id(q, id[round % 2 ? N - 1 - i : i]);
            j = round % 2 ? N - 1 - i : i;
            SAME_TEXT(has[j], everything(q));
            SAME_TEXT(names[j], tenants_read(q, "same"));
            not_found(q, names[(j + 1) % N], s[(j + 1) % N].id);
            /* and again when it has been found by its own */
            OK(quire_artifact_put(q, s[j].id, "again", bytes_str("x"), NULL,
                                  NULL, &test_err));
            OK(quire_artifact_remove(q, s[j].id, "again", 1, &test_err));
        }
    }
    quire_close(q);
    catalogue_sound();
}

/* Ids of rows are the home's: those of another's are not there, for whatever is
 * done with them. */
TEST(the_ids_of_another_tenants_rows_are_no_ids)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire *q;
    quire_artifact a;
    quire_folder folder;
    struct tenants_session mine;
    const char *before;

    tenants_add("walrus");
    tenants_add("penguin");
    q = tenants_open("walrus", 0);
    fill(q, "walrus");
    before = everything(q);
    use(q, "penguin");
    mine = tenants_session(q, "own");
    o.title = bytes_str("taken");
    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(q, NULL, "#1", NULL, &a, &test_err));
    IS(QUIRE_NOT_FOUND, quire_artifact_remove(q, NULL, "#1", 1, &test_err));
    IS(QUIRE_NOT_FOUND, quire_memory_remove(q, 1, &test_err));
    IS(QUIRE_NOT_FOUND, quire_memory_edit(q, NULL, 1, &o, NULL, &test_err));
    IS(QUIRE_NOT_FOUND, quire_memory_invalidate(q, 1, 0, &test_err));
    IS(QUIRE_NOT_FOUND, quire_folder_rename(q, 1, "taken", &folder, &test_err));
    IS(QUIRE_NOT_FOUND, quire_folder_remove(q, 1, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_file(q, mine.id, 1, &test_err));
    OK(quire_pad_clear(q, "walrus", &test_err));
    o.content = bytes_str("x");
    o.artifact = 1;
    IS(QUIRE_NOT_FOUND, quire_memory_add(q, NULL, &o, NULL, &test_err));
    use(q, "walrus");
    SAME_TEXT(before, everything(q));
    quire_close(q);
    catalogue_sound();
}

/* ---- shut out ----------------------------------------------------------- */

/* By whom it is done. */
enum who { SAME_HANDLE, OTHER_HANDLE, OTHER_PROCESS };

static quire_status shut(quire *q, bool gone)
{
    return gone ? quire_tenant_remove(q, "acme", 1, &test_err)
                : quire_tenant_disable(q, "acme", 1, NULL, &test_err);
}

static void shut_by(quire *q, enum who who, bool gone)
{
    quire *other;
    pid_t child;
    int status;

    if (who == SAME_HANDLE) {
        OK(shut(q, gone));
    } else if (who == OTHER_HANDLE) {
        other = tenants_open(NULL, 0);
        OK(shut(other, gone));
        quire_close(other);
    } else {
        fflush(NULL);
        child = fork();
        if (child == 0) {
            other = tenants_open(NULL, 0);
            _exit(shut(other, gone) ? 1 : 0);
        }
        YES(waitpid(child, &status, 0) == child && status == 0);
    }
}

/* Each door, for a tenant that is not let in. */
static void no_door_opens(quire *q, const char *session, bool gone)
{
    quire_memory_options m = QUIRE_MEMORY_OPTIONS_INIT;
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct buf out = BUF_INIT(1 << 20);
    quire_artifact a;
    quire_idempotency claim;
    quire_folder folder;
    quire_session *s;

    m.title = m.content = bytes_str("x");
    o.flags = QUIRE_SESSION_AT_ONCE;
    o.cwd = "/w";
    YES(quire_artifact_put(q, NULL, "late", bytes_str("x"), NULL, NULL, NULL));
    YES(quire_artifact_put(q, session, "late", bytes_str("x"), NULL, NULL,
                           NULL));
    YES(quire_artifact_get(q, NULL, "a", NULL, add_bytes, &out, &a, NULL));
    YES(quire_artifact_remove(q, NULL, "a", 0, NULL));
    YES(quire_memory_add(q, NULL, &m, NULL, NULL));
    YES(quire_pad_append(q, "", bytes_str("x"), NULL, NULL));
    YES(quire_folder_add(q, "late", &folder, NULL));
    YES(quire_idempotency_begin(q, "late", bytes_str("x"), bytes_str(""),
                                &claim, NULL));
    YES(quire_blob_put(q, bytes_str("late"), 0, NULL, NULL));
    YES(quire_history_add(q, bytes_str("late"), "/w", NULL, NULL, NULL));
    YES(quire_session_new(q, &o, &s, NULL));
    /* Of one that was removed there is nothing, which may be said so, too. */
    YES(quire_memory_list(q, NULL, add_entry, &out, NULL) || gone);
    YES(quire_session_list(q, NULL, add_session, &out, NULL) || gone);
    EQ(0, out.len);
    buf_release(&out);
}

static void is_shut_out(enum who who, bool gone, bool waiting)
{
    struct tenants_session s;
    int64_t id;
    quire *q;
    char which[32];

    test_forget_dir();
    id = tenants_add("acme");
    q = tenants_open("acme", 0);
    s = tenants_session(q, "acme's");
    tenants_put(q, "a", "of acme");
    SAME_TEXT("of acme", tenants_read(q, "a")); /* and is known to be welcome */
    if (waiting) {
        use(q, "default");
        tenants_put(q, "a", "of all");
    }
    shut_by(q, who, gone);
    snprintf(which, sizeof which, "#%lld", (long long)id);
    if (quire_tenant_use(q, which, &test_err) == QUIRE_OK)
        no_door_opens(q, s.id, gone);
    EQ(0,
       catalogue_number("SELECT count(*) FROM artifact WHERE path = 'late'"));
    if (gone)
        NO(test_exists(s.path));
    use(q, "default");
    tenants_put(q, "b", "of all");
    SAME_TEXT("of all", tenants_read(q, "b"));
    quire_close(q);
    catalogue_sound();
}

TEST(a_tenant_who_is_disabled_is_refused_wherever_his_seat_is)
{
    is_shut_out(OTHER_PROCESS, false, true);
    is_shut_out(OTHER_PROCESS, false, false);
    is_shut_out(OTHER_HANDLE, false, true);
    is_shut_out(SAME_HANDLE, false, false);
    is_shut_out(SAME_HANDLE, false, true);
}

TEST(a_tenant_who_is_removed_is_refused_wherever_his_seat_is)
{
    is_shut_out(OTHER_PROCESS, true, true);
    is_shut_out(OTHER_HANDLE, true, true);
    is_shut_out(SAME_HANDLE, true, true);
}

TEST(a_tenant_who_is_let_in_again_finds_his_seat)
{
    quire *q, *other;

    tenants_add("acme");
    q = tenants_open("acme", 0);
    other = tenants_open(NULL, 0);
    tenants_put(q, "a", "of acme");
    use(q, "#1");
    OK(quire_tenant_disable(other, "acme", 1, NULL, &test_err));
    use(q, "#2");
    IS(QUIRE_INVALID,
       quire_artifact_put(q, NULL, "b", bytes_str("x"), NULL, NULL, &test_err));
    OK(quire_tenant_disable(other, "acme", 0, NULL, &test_err));
    SAME_TEXT("of acme", tenants_read(q, "a"));
    tenants_put(q, "b", "x");
    quire_close(other);
    quire_close(q);
}

/* In a group that was open while he was let in; nobody can shut him out then,
 * but whoever has the group. */
TEST(who_adds_a_tenant_in_a_group_that_fails_has_added_none)
{
    char token[QUIRE_TOKEN_SIZE];
    quire_tenant t;
    quire *q = tenants_open(NULL, 0);
    char which[32];

    tenants_put(q, "there", "before");
    OK(quire_group_begin(q, &test_err));
    OK(quire_tenant_add(q, "new", token, &t, &test_err));
    snprintf(which, sizeof which, "#%lld", (long long)t.id);
    use(q, which);
    tenants_put(q, "a", "of one who never was");
    use(q, "#1");
    sqlite_faults(true);
    fault_arm(1, 12, true); /* it cannot be kept */
    YES(quire_group_end(q, NULL, &test_err));
    fault_disarm();
    sqlite_faults(false);
    EQ(1, catalogue_number("SELECT count(*) FROM tenant"));
    if (quire_tenant_use(q, which, &test_err) == QUIRE_OK) {
        IS(QUIRE_NOT_FOUND, quire_artifact_put(q, NULL, "a", bytes_str("x"),
                                               NULL, NULL, &test_err));
        use(q, "#1");
    }
    tenants_put(q, "b", "after");
    quire_close(q);
    catalogue_sound();
}

/* ---- what is read once -------------------------------------------------- */

/* Settings are the home's. What a group changes and does not keep is not
 * believed afterwards, and what another process sets is. */
TEST(limits_are_what_they_are_for_every_seat)
{
    quire *q, *other;

    tenants_add("acme");
    q = tenants_open(NULL, 0);
    other = tenants_open(NULL, 0);
    tenants_put(q, "a", "12345");
    use(q, "acme");
    tenants_put(q, "a", "12345");
    OK(quire_config_set(other, "quota.file", "3", &test_err));
    IS(QUIRE_TOO_LARGE, quire_artifact_put(q, NULL, "b", bytes_str("12345"),
                                           NULL, NULL, &test_err));
    use(q, "#1");
    IS(QUIRE_TOO_LARGE, quire_artifact_put(q, NULL, "b", bytes_str("12345"),
                                           NULL, NULL, &test_err));
    OK(quire_config_set(q, "quota.file", "9", &test_err));
    use(q, "acme");
    tenants_put(q, "b", "12345");
    quire_close(other);
    quire_close(q);
}

TEST(the_default_tenant_has_larger_default_quotas_than_others)
{
    static const char text[1 << 20 | 1] = "x";
    quire_bytes large = bytes_of(text, sizeof text);
    quire_setting s;
    quire *q;
    int i;

    tenants_add("acme");
    q = tenants_open(NULL, 0);
    for (i = 0; i < 2; i++) { /* a second time from what was remembered */
        use(q, "acme");
        IS(QUIRE_TOO_LARGE,
           quire_artifact_put(q, NULL, "a", large, NULL, NULL, &test_err));
        OK(quire_config_get(q, "quota.tenant", &s, &test_err));
        SAME_TEXT("524288000", s.value);
        SAME_TEXT("524288000", s.otherwise);
        use(q, "#1");
        OK(quire_artifact_put(q, NULL, "a", large, NULL, NULL, &test_err));
        OK(quire_config_get(q, "quota.tenant", &s, &test_err));
        SAME_TEXT("10737418240", s.value);
    }
    OK(quire_config_set(q, "quota.file", "2M", &test_err));
    use(q, "acme");
    OK(quire_artifact_put(q, NULL, "a", large, NULL, NULL, &test_err));
    quire_close(q);
}

/* A session that goes, and one that comes back under its id, are not mistaken
 * for what a seat has found before. */
TEST(what_a_seat_has_found_is_looked_for_again_when_it_has_gone)
{
    quire *q, *other;
    struct tenants_session s;
    const char *moved;

    tenants_add("acme");
    q = tenants_open("acme", 0);
    other = tenants_open("acme", 0);
    s = tenants_session(q, "one");
    OK(quire_artifact_put(q, s.id, "a", bytes_str("1"), NULL, NULL, &test_err));
    use(q, "#1");
    OK(quire_session_archive(other, s.id, &moved, &test_err));
    use(q, "#2");
    OK(quire_artifact_put(q, s.id, "a", bytes_str("2"), NULL, NULL, &test_err));
    use(q, "#1");
    IS(QUIRE_NOT_FOUND,
       quire_artifact_put(q, s.id, "a", bytes_str("x"), NULL, NULL, &test_err));
    OK(quire_session_remove(other, s.id, &test_err));
    use(q, "#2");
    IS(QUIRE_NOT_FOUND,
       quire_artifact_put(q, s.id, "a", bytes_str("3"), NULL, NULL, &test_err));
    EQ(0, catalogue_number("SELECT count(*) FROM artifact"));
    quire_close(other);
    quire_close(q);
    catalogue_sound();
}

/* ---- any order ---------------------------------------------------------- */

/* More of them than there are seats, by name and by id, in groups and without,
 * each with sessions: each finds what it put last. */
TEST(seats_that_are_taken_in_any_order_keep_apart)
{
    enum { MANY = 24 };
    static int last[MANY];
    struct tenants_session s[MANY];
    int64_t id[MANY];
    uint64_t seed = 11;
    char name[16], text[16];
    quire *q;
    int i, at, n, turns = catalogue_long() ? 20000 : 600;

    memset(last, 0, sizeof last);
    for (i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "t%d", i);
        id[i] = tenants_add(name);
    }
    q = tenants_open(NULL, 0);
    for (i = 0; i < MANY; i++) {
        use_id(q, id[i]);
        s[i] = tenants_session(q, "x");
    }
    for (i = 0; i < turns; i++) {
        bool group = i % 3 == 0;

        if (group)
            OK(quire_group_begin(q, &test_err));
        for (n = 0; n < (group ? 8 : 1); n++) {
            at = (int)slow_random(&seed, MANY);
            snprintf(name, sizeof name, "t%d", at);
            if (slow_random(&seed, 2))
                use_id(q, id[at]);
            else
                use(q, name);
            if (last[at]) {
                snprintf(text, sizeof text, "%d-%d", at, last[at]);
                SAME_TEXT(text, tenants_read(q, "own"));
            }
            last[at] = i * 8 + n + 1;
            snprintf(text, sizeof text, "%d-%d", at, last[at]);
            tenants_put(q, "own", text);
            OK(quire_artifact_put(q, s[at].id, "own", bytes_str(text), NULL,
                                  NULL, &test_err));
        }
        if (group)
            OK(quire_group_end(q, NULL, &test_err));
    }
    quire_close(q);
    EQ(0, catalogue_number("SELECT count(*) FROM artifact a JOIN blob b ON "
                           "b.sha256 = a.sha256 JOIN body y ON y.id = b.id "
                           "WHERE CAST(y.bytes AS TEXT) NOT LIKE "
                           "(a.tenant - 2) || '-%'"));
    EQ(0, tenants_recount());
    catalogue_sound();
}

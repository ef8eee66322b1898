/*
 * search_rows_test.c - the index of artifacts, memory and prompts, against a model
 *
 * Random changes by two handles of one tenant, and by one of another, with rollbacks,
 * removed sessions and rebuilt indexes. After each, what a search finds is what the
 * model has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/tenants.h"
#include "support/test.h"

enum { SLOTS = 40, N_WORDS = 6, N_STEPS = 400, N_TENANTS = 2 };

static const char *const words[N_WORDS] = {"walrus",     "otter", "parseHeader",
                                           "snake_case", "東京",  "seal"};

enum slot_kind { ARTIFACT, MEMORY, PROMPT };

struct slot {
    enum slot_kind kind;
    bool is_there;
    unsigned words; /* bits */
    int64_t id;
    char path[32];
    char session[64]; /* of an artifact; "": the built-in one */
};

struct model {
    quire *handles[3]; /* two of the first tenant, one of the second */
    struct slot slots[N_TENANTS][SLOTS];
    size_t n[N_TENANTS];
    uint64_t seed;
};

static unsigned roll(struct model *m, unsigned below)
{
    m->seed = m->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(m->seed >> 33) % below;
}

static const char *text_of(unsigned set, unsigned salt)
{
    char *text = test_alloc(256);
    int i, len = snprintf(text, 256, "n%u", salt);

    for (i = 0; i < N_WORDS; i++)
        if (set & 1u << i)
            len += snprintf(text + len, 256 - (size_t)len, " %s", words[i]);
    return text;
}

/* ---- changes ------------------------------------------------------------- */

static void put(struct model *m, quire *q, struct slot *s)
{
    s->words = roll(m, 1u << N_WORDS);
    OK(quire_artifact_put(q, *s->session ? s->session : NULL, s->path,
                          bytes_str(text_of(s->words, roll(m, 1000))), NULL,
                          NULL, &test_err));
    s->is_there = true;
}

static void add(struct model *m, quire *q, int t)
{
    struct slot *s = &m->slots[t][m->n[t]];
    unsigned set = roll(m, 1u << N_WORDS);
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire_memory entry;

    if (m->n[t] == SLOTS)
        return;
    *s = (struct slot){.kind = (enum slot_kind)roll(m, 3), .words = set};
    snprintf(s->path, sizeof s->path, "dir/f%zu.txt", m->n[t]);
    if (s->kind == ARTIFACT) {
        if (roll(m, 3) == 0)
            snprintf(s->session, sizeof s->session, "%s",
                     tenants_session(q, "s").id);
        put(m, q, s);
    } else if (s->kind == MEMORY) {
        o.title = bytes_str("title");
        o.content = bytes_str(text_of(set, roll(m, 1000)));
        OK(quire_memory_add(q, NULL, &o, &entry, &test_err));
        s->id = entry.id;
        s->is_there = true;
    } else {
        OK(quire_history_add(q, bytes_str(text_of(set, 5000 + roll(m, 100000))),
                             NULL, NULL, &s->id, &test_err));
        s->is_there = true;
    }
    m->n[t]++;
}

static void change_artifact(struct model *m, quire *q, int t, struct slot *s)
{
    const char *session = *s->session ? s->session : NULL;
    size_t i;

    switch (roll(m, 5)) {
    case 0:
    case 1:
        if (s->is_there)
            put(m, q, s);
        break;
    case 2:
        if (s->is_there)
            OK(quire_artifact_remove(q, session, s->path, 0, &test_err));
        else if (s->id == 0)
            OK(quire_artifact_restore(q, session, s->path, NULL, &test_err));
        s->is_there = !s->is_there && s->id == 0;
        break;
    case 3:
        if (s->is_there)
            OK(quire_artifact_remove(q, session, s->path, 1, &test_err));
        s->is_there = false;
        s->id = -1; /* for good */
        break;
    default:
        if (!session)
            break;
        OK(quire_session_remove(q, session, &test_err));
        for (i = 0; i < m->n[t]; i++)
            if (m->slots[t][i].kind == ARTIFACT &&
                !strcmp(m->slots[t][i].session, s->session)) {
                m->slots[t][i].is_there = false;
                m->slots[t][i].id = -1;
            }
        break;
    }
}

static void change(struct model *m, quire *q, int t)
{
    struct slot *s;
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    if (m->n[t] == 0)
        return;
    s = &m->slots[t][roll(m, (unsigned)m->n[t])];
    if (s->kind == ARTIFACT && s->id >= 0) {
        change_artifact(m, q, t, s);
    } else if (s->kind == MEMORY && s->is_there && roll(m, 2)) {
        s->words = roll(m, 1u << N_WORDS);
        o.content = bytes_str(text_of(s->words, roll(m, 1000)));
        OK(quire_memory_edit(q, NULL, s->id, &o, NULL, &test_err));
    } else if (s->kind == MEMORY && s->is_there) {
        OK(roll(m, 2) ? quire_memory_remove(q, s->id, &test_err)
                      : quire_memory_invalidate(q, s->id, 0, &test_err));
        s->is_there = false;
    } else if (s->kind == PROMPT && s->is_there) {
        OK(quire_history_remove(q, &s->id, 1, &test_err));
        s->is_there = false;
    }
}

/* ---- comparing ------------------------------------------------------------- */

static quire_status count_hit(void *ctx, const quire_search_hit *hit,
                              quire_error *err)
{
    (void)err;
    NO(!strcmp(hit->kind, "message"));
    ++*(size_t *)ctx;
    return QUIRE_OK;
}

static quire_status count_artifact(void *ctx, const quire_hit *hit,
                                   quire_error *err)
{
    (void)err;
    if (!hit->part)
        ++*(size_t *)ctx;
    return QUIRE_OK;
}

static void compare(struct model *m, quire *q, int t)
{
    static const char *const kinds[] = {"artifact", "memory", "history", NULL};
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_artifact_search_options a = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    unsigned w = roll(m, N_WORDS);
    size_t wanted = 0, artifacts = 0, found = 0, i;
    quire_status st;

    for (i = 0; i < m->n[t]; i++) {
        const struct slot *s = &m->slots[t][i];
        bool has = s->is_there && s->words & 1u << w;

        wanted += has;
        artifacts += has && s->kind == ARTIFACT;
    }
    o.kinds = kinds;
    o.flat = 1;
    o.limit = 1000;
    o.words_only = 1;
    OK(quire_search(q, bytes_str(words[w]), &o, count_hit, &found, NULL,
                    &test_err));
    EQ(wanted, found);
    a.all_sessions = 1;
    a.limit = 0;
    found = 0;
    st = quire_artifact_search(q, NULL, words[w], &a, count_artifact, &found,
                               NULL, &test_err);
    IS(artifacts ? QUIRE_OK : QUIRE_NOT_FOUND, st);
    EQ(artifacts, found);
}

/* What is put within a transaction is found there, and not after its rollback. */
static void roll_back(struct model *m, quire *q)
{
    quire_artifact_search_options a = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    size_t found = 0;

    OK(quire_transaction_begin(q, &test_err));
    OK(quire_artifact_put(q, NULL, "undone.txt",
                          bytes_str(text_of(roll(m, 1u << N_WORDS), 77)), NULL,
                          NULL, &test_err));
    if (roll(m, 2)) {
        OK(quire_artifact_search(q, NULL, "undone", &a, count_artifact, &found,
                                 NULL, &test_err));
        EQ(1, found);
    }
    quire_transaction_rollback(q);
}

TEST(what_a_search_finds_is_what_a_simple_model_has)
{
    struct model *m = test_alloc(sizeof *m);
    char token[QUIRE_TOKEN_SIZE];
    int i, h;

    *m = (struct model){.seed = 11};
    m->handles[0] = tenants_open("default", 0);
    OK(quire_tenant_add(m->handles[0], "other", token, NULL, &test_err));
    m->handles[1] = tenants_open("default", 0);
    m->handles[2] = tenants_open("other", 0);
    for (i = 0; i < N_STEPS; i++) {
        h = (int)roll(m, 3);
        switch (roll(m, 12)) {
        case 0:
        case 1:
        case 2: add(m, m->handles[h], h == 2); break;
        case 3:
            roll_back(m, m->handles[h]);
            if (roll(m, 3) == 0)
                roll_back(m, m->handles[h]);
            break;
        case 4: OK(quire_search_update(m->handles[h], NULL, &test_err)); break;
        case 5:
            if (roll(m, 8) == 0)
                OK(quire_search_rebuild(m->handles[h], &test_err));
            break;
        default: change(m, m->handles[h], h == 2); break;
        }
        h = (int)roll(m, 3);
        compare(m, m->handles[h], h == 2);
    }
    YES(m->n[0] > SLOTS / 2 && m->n[1] > SLOTS / 4);
    for (i = 0; i < 3; i++)
        quire_close(m->handles[i]);
}

/* ---- the log of changes ------------------------------------------------------ */

static int64_t n_changes(void)
{
    return catalogue_number("SELECT count(*) FROM change_log");
}

static size_t found(quire *q, const char *word)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    size_t n = 0;

    o.flat = 1;
    OK(quire_search(q, bytes_str(word), &o, count_hit, &n, NULL, &test_err));
    return n;
}

/* An index that knows less than the log has compares all rows. */
TEST(a_long_log_of_changes_is_trimmed_and_an_old_index_catches_up)
{
    quire *q = tenants_open("default", 0), *old = tenants_open("default", 0);

    tenants_put(q, "a.txt", "walrus");
    EQ(1, found(old, "walrus"));
    OK(quire_search_update(old, NULL, &test_err));
    tenants_sql("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n"
                " WHERE i < 50000) INSERT INTO change_log SELECT 1, i, 1, 1, 0"
                " FROM n");
    tenants_put(q, "b.txt", "otter");
    EQ(50001, n_changes());
    OK(quire_search_update(q, NULL, &test_err));
    YES(n_changes() <= 20000);
    OK(quire_artifact_remove(q, NULL, "a.txt", 0, &test_err));
    EQ(0, found(old, "walrus"));
    EQ(1, found(old, "otter"));
    tenants_sql("DELETE FROM change_log WHERE seq < 50002");
    tenants_put(q, "c.txt", "seal");
    EQ(1, found(old, "seal"));
    quire_close(old);
    quire_close(q);
}

/* A copy of an earlier quire.db has other changes under the same numbers. */
TEST(a_catalogue_that_was_put_back_is_searched_as_it_is)
{
    quire *q = tenants_open("default", 0);

    tenants_put(q, "a.txt", "walrus");
    tenants_put(q, "b.txt", "otter");
    OK(quire_search_update(q, NULL, &test_err));
    quire_close(q);
    /* The last change did not happen, and another did. */
    tenants_sql("DELETE FROM artifact WHERE path = 'b.txt';"
                "DELETE FROM change_log WHERE seq = 2;"
                "UPDATE sqlite_sequence SET seq = 1 WHERE name = 'artifact'");
    q = tenants_open("default", 0);
    tenants_put(q, "c.txt", "seal");
    EQ(1, found(q, "seal"));
    EQ(0, found(q, "otter"));
    quire_close(q);
}

/* ---- callbacks, sessions, damage ------------------------------------------------ */

static quire_status search_again(void *ctx, const quire_search_hit *hit,
                                 quire_error *err)
{
    quire *q = ctx;
    size_t n = 0;
    char address[64];

    snprintf(address, sizeof address, "%s", hit->address);
    IS(QUIRE_INVALID,
       quire_search(q, bytes_str("otter"), NULL, count_hit, &n, NULL, err));
    IS(QUIRE_INVALID, quire_artifact_search(q, NULL, "otter", NULL,
                                            count_artifact, &n, NULL, err));
    SAME_TEXT(address, hit->address);
    return QUIRE_OK;
}

TEST(a_callback_of_a_search_cannot_search_with_its_handle)
{
    quire *q = tenants_open("default", 0);

    tenants_put(q, "a.txt", "walrus otter");
    OK(quire_search(q, bytes_str("walrus"), NULL, search_again, q, NULL,
                    &test_err));
    EQ(1, found(q, "otter"));
    quire_close(q);
}

static quire_status copy_session(void *ctx, const quire_search_hit *hit,
                                 quire_error *err)
{
    (void)err;
    snprintf(ctx, 64, "%s", hit->session);
    return QUIRE_OK;
}

TEST(a_memory_entry_of_a_removed_session_is_of_none)
{
    quire *q = tenants_open("default", 0);
    struct tenants_session s = tenants_session(q, "s");
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    char session[64] = "";

    o.title = bytes_str("walrus");
    OK(quire_memory_add(q, s.id, &o, NULL, &test_err));
    OK(quire_search(q, bytes_str("walrus"), NULL, copy_session, session, NULL,
                    &test_err));
    SAME_TEXT(s.id, session);
    OK(quire_session_remove(q, s.id, &test_err));
    OK(quire_search(q, bytes_str("walrus"), NULL, copy_session, session, NULL,
                    &test_err));
    SAME_TEXT("", session);
    quire_close(q);
}

TEST(a_reader_searches_a_home_whose_index_is_damaged)
{
    quire *q = tenants_open("default", 0);
    FILE *f;

    tenants_put(q, "a.txt", "walrus otter");
    OK(quire_search_update(q, NULL, &test_err));
    quire_close(q);
    f = fopen(test_path("home/search/rows/segments/0000000000000001.index"),
              "r+");
    YES(f && fputs("not an index", f) >= 0 && fclose(f) == 0);
    q = tenants_open("default", QUIRE_READ_ONLY);
    EQ(1, found(q, "walrus"));
    quire_close(q);
}

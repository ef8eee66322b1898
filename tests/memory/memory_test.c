/*
 * The memory room: what is found, in which order, and against a simple model.
 */
#include "memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "memory/priv.h"
#include "api/core/handle.h"
#include "support/finder.h"
#include "support/test.h"

#define DAY ((int64_t)86400 * 1000000)

static int64_t now_us;

static int64_t tell_time(void *ctx)
{
    (void)ctx;
    return now_us;
}

static const struct clock test_clock = {tell_time, NULL};

struct fix {
    struct db *db;
    struct memories *m;
    struct arena keep;
};

/* A catalogue in memory, with two tenants and a session each: 11 and 22. */
static void fix_open(struct fix *f)
{
    struct db_config config = {.path = NULL, .access = DB_WRITE, .busy_ms = 0};
    int steps;

    now_us = 1000 * DAY;
    *f = (struct fix){.db = NULL};
    OK(db_sqlite_open(&config, &f->db, &test_err));
    OK(schema_prepare(f->db, false, &steps, &test_err));
    YES(steps >= SCHEMA_MEMORY);
    OK(db_exec(
        f->db,
        "INSERT INTO tenant(id, name, created) VALUES(2, 'other', 0);"
        "INSERT INTO session(id, tenant, key, created) VALUES(11, 1, 's', 0),"
        " (22, 2, 's', 0);"
        "INSERT INTO artifact VALUES(101, 1, 11, 'p', 1, x'', 0, '', '', '', "
        "'', '[]', '{}', 0, 0, 0), (202, 2, 22, 'p', 1, x'', 0, '', '', '', "
        "'', '[]', '{}', 0, 0, 0)",
        &test_err));
    OK(memories_new(f->db, &test_clock, true, &f->m, &test_err));
}

static void fix_close(struct fix *f)
{
    memories_free(f->m);
    db_close(f->db);
    arena_release(&f->keep);
}

static quire_status try_add(struct fix *f, int64_t tenant, int64_t session,
                            const quire_memory_options *o, quire_memory *out)
{
    struct memory_owner owner = {tenant, session, NULL};
    struct stmt *next_id;
    quire_status st;

    OK(memory_begin(f->m, tenant, &test_err));
    OK(memory_id_ask(f->m, &next_id, &test_err));
    st = memory_add(f->m, &owner, next_id, o, &f->keep, out, &test_err);
    return memory_end(f->m, st, &test_err);
}

static quire_memory_options entry(const char *title, const char *content)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    o.title = bytes_str(title);
    o.content = bytes_str(content);
    return o;
}

static int64_t adds(struct fix *f, int64_t tenant, int64_t session,
                    const char *title, const char *content)
{
    quire_memory_options o = entry(title, content);
    quire_memory m;

    OK(try_add(f, tenant, session, &o, &m));
    return m.id;
}

static void invalidates(struct fix *f, int64_t tenant, int64_t id)
{
    OK(memory_begin(f->m, 1, &test_err));
    OK(memory_end(f->m, memory_invalidate(f->m, tenant, id, 0, &test_err),
                  &test_err));
}

static quire_status add_id(void *ctx, const quire_memory *m, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%lld ", (long long)m->id);
    return QUIRE_OK;
}

static struct memory_query question(const char *text)
{
    return (struct memory_query){
        .tenant = 1,
        .text = bytes_str(text),
        .decay = true,
        .half_life_days = 90,
        .limit = 20,
    };
}

static quire_status search(struct fix *f, const struct memory_query *q,
                           quire_memory_fn each, void *ctx, bool *partial)
{
    struct test_finder finder;

    test_finder_init(&finder, f->m, q->tenant, q->session);
    return memory_search(f->m, q, &finder.finder, each, ctx, partial,
                         &test_err);
}

static bool finds(struct fix *f, const struct memory_query *q,
                  const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);
    bool partial;

    IS(*wanted ? QUIRE_OK : QUIRE_NOT_FOUND,
       search(f, q, add_id, &got, &partial));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
    return partial;
}

/* ---- ranking ------------------------------------------------------------ */

TEST(a_word_in_the_title_counts_more_than_in_tags_text_and_source)
{
    struct memory_query q = question("needle");
    quire_memory_options o;
    quire_bytes tag = {"needle", 6};
    quire_memory m;
    struct fix f;
    int i;

    fix_open(&f);
    o = entry("hay", "stack hay");
    o.source = bytes_str("needle");
    OK(try_add(&f, 1, 0, &o, &m)); /* 1 */
    adds(&f, 1, 0, "hay", "needle hay");
    o = entry("hay", "stack hay");
    o.tags = &tag;
    o.n_tags = 1;
    OK(try_add(&f, 1, 0, &o, &m)); /* 3 */
    adds(&f, 1, 0, "needle", "stack hay");
    for (i = 0; i < 20; i++)
        adds(&f, 1, 0, "hay", "stack hay");
    NO(finds(&f, &q, "4 3 2 1 "));
    q.limit = 2;
    finds(&f, &q, "4 3 ");
    fix_close(&f);
}

TEST(words_together_rank_above_words_near_above_words_apart)
{
    struct memory_query q = question("the build cache");
    struct fix f;
    int i;

    fix_open(&f);
    adds(&f, 1, 0, "x",
         "build one two three four five six seven eight nine ten 11 12 cache");
    adds(&f, 1, 0, "x",
         "build cache one two three four five six seven eight nine ten 11 12");
    adds(&f, 1, 0, "x",
         "build one two cache three four five six seven eight nine ten 11 12");
    for (i = 0; i < 20; i++)
        adds(&f, 1, 0, "x", "one two three");
    finds(&f, &q, "2 3 1 ");
    fix_close(&f);
}

TEST(word_beginnings_and_stems_follow_the_words_themselves)
{
    struct memory_query q = question("deploy");
    struct fix f;

    fix_open(&f);
    adds(&f, 1, 0, "deployments", "on Fridays");
    adds(&f, 1, 0, "x", "one two three four five six seven deploy nine ten");
    adds(&f, 1, 0, "Deployment", "");
    adds(&f, 1, 11, "deploying deployed", "");
    adds(&f, 1, 0, "redeploy", "is another word");
    finds(&f, &q, "2 4 3 1 ");
    q.limit = 1;
    finds(&f, &q, "2 ");
    q = question("Deployments");
    finds(&f, &q, "1 4 3 2 ");
    q.session = 11;
    q.fused = true;
    finds(&f, &q, "1 4 3 2 ");
    q = question("\"deploy\"");
    finds(&f, &q, "2 ");
    fix_close(&f);
}

TEST(equals_are_given_the_newest_first)
{
    struct memory_query q = question("same");
    struct fix f;

    fix_open(&f);
    adds(&f, 1, 0, "same", "");
    adds(&f, 1, 0, "same", "");
    now_us -= 1;
    adds(&f, 1, 0, "same", "");
    now_us += 1;
    finds(&f, &q, "2 1 3 ");
    fix_close(&f);
}

TEST(age_types_and_tags_move_an_entry)
{
    static const struct {
        int days;
        const char *order; /* against one of today with a lesser type */
    } ages[] = {{30, "1 2 "}, {31, "1 2 "}, {91, "2 1 "}};
    size_t i;

    for (i = 0; i < 3; i++) {
        struct memory_query q = question("fact");
        quire_memory_options o = entry("fact", "");
        quire_memory m;
        struct fix f;

        fix_open(&f);
        o.type = QUIRE_MEMORY_REFERENCE;
        now_us -= ages[i].days * DAY;
        OK(try_add(&f, 1, 0, &o, &m));
        now_us += ages[i].days * DAY;
        adds(&f, 1, 0, "fact", ""); /* a user's */
        finds(&f, &q, "2 1 ");
        q.types = 1u << QUIRE_MEMORY_REFERENCE;
        finds(&f, &q, ages[i].order); /* 1.3 x 0.9 > 1 > 1.3 x 0.75 */
        q.types = 0;
        q.text = bytes_str("where is the fact");
        q.intent = true;
        finds(&f, &q, ages[i].order);
        q.intent = false;
        finds(&f, &q, "2 1 ");
        q.decay = false;
        q.types = 1u << QUIRE_MEMORY_REFERENCE;
        finds(&f, &q, "1 2 ");
        fix_close(&f);
    }
}

TEST(a_tag_that_is_asked_for_moves_an_entry_up)
{
    struct memory_query q = question("fact");
    quire_memory_options o = entry("fact", "a");
    quire_bytes tag = {"Red", 3};
    quire_memory m;
    struct fix f;
    int i;

    fix_open(&f);
    o.tags = &tag;
    o.n_tags = 1;
    OK(try_add(&f, 1, 0, &o, &m));
    adds(&f, 1, 0, "fact", "a");
    for (i = 0; i < 5; i++)
        adds(&f, 1, 0, "other", "a");
    finds(&f, &q, "2 1 ");
    q.tag = "red";
    finds(&f, &q, "1 2 ");
    fix_close(&f);
}

TEST(what_a_session_knows_itself_comes_first)
{
    struct memory_query q = question("fact");
    struct fix f;
    int i;

    fix_open(&f);
    adds(&f, 1, 11, "something", "a fact among many other words");
    adds(&f, 1, 0, "fact", "");
    for (i = 0; i < 10; i++)
        adds(&f, 1, 0, "other", "thing");
    finds(&f, &q, "2 1 ");
    q.fused = true;
    finds(&f, &q, "2 1 "); /* one without a row */
    q.session = 11;
    finds(&f, &q, "1 2 ");
    fix_close(&f);
}

TEST(very_many_hits_are_ranked_in_part_and_those_of_the_session_are_not_lost)
{
    struct memory_query q = question("everywhere");
    struct fix f;
    quire_memory m;
    int i;

    fix_open(&f);
    adds(&f, 1, 11, "everywhere", "");
    OK(memory_begin(f.m, 1, &test_err));
    for (i = 0; i < 999; i++) {
        quire_memory_options o = entry("note", "everywhere");
        struct memory_owner owner = {1, 0, NULL};
        struct stmt *next_id;

        arena_reset(&f.keep);
        OK(memory_id_ask(f.m, &next_id, &test_err));
        OK(memory_add(f.m, &owner, next_id, &o, &f.keep, &m, &test_err));
    }
    OK(memory_end(f.m, QUIRE_OK, &test_err));
    q.limit = 1;
    NO(finds(&f, &q, "1 ")); /* a thousand: all of them */
    adds(&f, 1, 0, "note", "everywhere");
    YES(finds(&f, &q, "1 ")); /* the title weighs most */
    q.fused = true;
    q.session = 11;
    YES(finds(&f, &q, "1 "));
    /* Those that are not valid any more are in nobody's way. */
    q.fused = false;
    OK(memory_begin(f.m, 1, &test_err));
    for (i = 2; i <= 1001; i++)
        OK(memory_invalidate(f.m, 1, i, 0, &test_err));
    OK(memory_end(f.m, QUIRE_OK, &test_err));
    q.limit = 20;
    NO(finds(&f, &q, "1 "));
    fix_close(&f);
}

/* Entries of all types and ages, some with a tag. */
static void add_various(struct fix *f, int n)
{
    static const char *const words[] = {"fact", "fact fact", "cache",
                                        "build cache fact", "fact of a build"};
    int64_t now = now_us;
    char text[128];
    int i;

    OK(memory_begin(f->m, 1, &test_err));
    for (i = 0; i < n; i++) {
        quire_memory_options o = entry(i % 7 ? "note" : "fact", text);
        struct memory_owner owner = {1, i % 3 ? 0 : 11, NULL};
        struct stmt *next_id;
        quire_bytes tag = {"red", 3};
        quire_memory m;

        snprintf(text, sizeof text, "%s %.*s", words[i % 5], i % 40,
                 "a b c d e f g h i j k l m n o p q r s t u v");
        o.content = bytes_str(text);
        o.type = (quire_memory_type)(i % 6);
        o.tags = &tag;
        o.n_tags = i % 11 == 0;
        now_us = now - (i * 7 % 500) * DAY;
        arena_reset(&f->keep);
        OK(memory_id_ask(f->m, &next_id, &test_err));
        OK(memory_add(f->m, &owner, next_id, &o, &f->keep, &m, &test_err));
    }
    now_us = now;
    OK(memory_end(f->m, QUIRE_OK, &test_err));
}

/* Only rows that can be among the results are read. */
TEST(the_best_are_the_first_of_all)
{
    static const char *const texts[] = {"fact", "build cache", "where is it",
                                        "facts of caching"};
    struct buf all = BUF_INIT(1 << 20), some = BUF_INIT(1 << 20);
    static const uint64_t limits[] = {1, 2, 20, 64, 100, 200};
    struct fix f;
    size_t i, k;
    bool partial;

    fix_open(&f);
    add_various(&f, 700);
    for (i = 0; i < 4 * 8; i++) {
        struct memory_query q = question(texts[i / 8]);

        q.types = i & 1 ? 1u << QUIRE_MEMORY_REFERENCE : 0;
        q.tag = i & 2 ? "red" : NULL;
        q.decay = i & 4;
        q.limit = 5000;
        buf_clear(&all);
        if (search(&f, &q, add_id, &all, &partial))
            continue;
        for (k = 0; k < sizeof limits / sizeof *limits; k++) {
            q.limit = limits[k];
            buf_clear(&some);
            OK(search(&f, &q, add_id, &some, &partial));
            YES(bytes_starts(buf_bytes(&all), buf_bytes(&some)));
        }
    }
    buf_release(&all);
    buf_release(&some);
    fix_close(&f);
}

TEST(the_past_is_found_however_much_came_later)
{
    struct memory_query q = question("fact");
    struct fix f;
    quire_memory m;
    int i;

    fix_open(&f);
    adds(&f, 1, 0, "fact", "that was");
    adds(&f, 1, 0, "fact", "that stays");
    now_us += DAY;
    q.as_of_us = now_us - 1;
    invalidates(&f, 1, 1);
    OK(memory_begin(f.m, 1, &test_err));
    for (i = 0; i < 1100; i++) {
        quire_memory_options o = entry("fact", "new");
        struct memory_owner owner = {1, 0, NULL};
        struct stmt *next_id;

        arena_reset(&f.keep);
        OK(memory_id_ask(f.m, &next_id, &test_err));
        OK(memory_add(f.m, &owner, next_id, &o, &f.keep, &m, &test_err));
    }
    OK(memory_end(f.m, QUIRE_OK, &test_err));
    q.decay = false;
    NO(finds(&f, &q, "2 1 "));
    q.as_of_us = now_us - DAY - 1;
    finds(&f, &q, "");
    fix_close(&f);
}

/* ---- tenants ------------------------------------------------------------ */

TEST(nobodys_order_tells_of_another_tenants_entries)
{
    struct memory_query q = question("alpha beta");
    struct fix f;
    int i;

    fix_open(&f);
    for (i = 0; i < 10; i++)
        adds(&f, 1, 0, "other", "things");
    adds(&f, 1, 0, "x", "alpha"); /* 11 */
    adds(&f, 1, 0, "y", "beta");  /* 12 */
    adds(&f, 1, 0, "z", "beta");  /* 13: alpha is the rarer word */
    finds(&f, &q, "11 13 12 ");
    for (i = 0; i < 50; i++)
        adds(&f, 2, 0, "x", "alpha");
    finds(&f, &q, "11 13 12 ");
    q.tenant = 2;
    q.text = bytes_str("beta");
    finds(&f, &q, "");
    fix_close(&f);
}

TEST(nothing_of_another_tenant_can_be_reached_by_its_id)
{
    quire_relation want = {.source = 1, .target = 2}, r;
    quire_memory_options o = entry("mine", "");
    int64_t theirs = 2;
    quire_memory m;
    struct fix f;

    fix_open(&f);
    adds(&f, 1, 0, "one", "");
    adds(&f, 2, 0, "two", "");
    IS(QUIRE_NOT_FOUND, memory_get(f.m, 1, 2, 0, &f.keep, &m, &test_err));
    IS(QUIRE_NOT_FOUND, memory_get(f.m, 1, 2, now_us, &f.keep, &m, &test_err));
    OK(memory_begin(f.m, 1, &test_err));
    IS(QUIRE_NOT_FOUND, memory_invalidate(f.m, 1, 2, 0, &test_err));
    IS(QUIRE_NOT_FOUND, memory_remove(f.m, 1, 2, &test_err));
    IS(QUIRE_NOT_FOUND, relation_add(f.m, 1, &want, &r, &test_err));
    IS(QUIRE_NOT_FOUND, relation_add(f.m, 2, &want, &r, &test_err));
    OK(memory_end(f.m, QUIRE_OK, &test_err));
    o.artifact = 202;
    IS(QUIRE_NOT_FOUND, try_add(&f, 1, 0, &o, &m));
    IS(QUIRE_NOT_FOUND, try_add(&f, 1, 11, &o, &m));
    o.artifact = 101;
    IS(QUIRE_NOT_FOUND, try_add(&f, 2, 0, &o, &m));
    OK(try_add(&f, 1, 0, &o, &m));
    o.artifact = 0;
    o.supersedes = &theirs;
    o.n_supersedes = 1;
    IS(QUIRE_NOT_FOUND, try_add(&f, 1, 0, &o, &m));
    OK(memory_get(f.m, 2, 2, 0, &f.keep, &m, &test_err));
    fix_close(&f);
}

/* ---- a model to compare with -------------------------------------------- */

enum { SLOTS = 200, VOCABULARY = 6, STEPS = 600 };

static const char *const vocabulary[VOCABULARY] = {"apple",      "parseHeader",
                                                   "snake_case", "東京都",
                                                   "Éclair",     "zebra42"};

struct slot {
    bool there, pinned;
    unsigned words; /* a bit each */
    int type;
    int64_t updated, from, to;
};

struct model {
    struct slot slots[SLOTS + 1]; /* by id */
    int n;
    unsigned seed;
    bool edge[SLOTS + 1][SLOTS + 1];
};

static unsigned pick(struct model *m, unsigned n)
{
    m->seed = m->seed * 1664525u + 1013904223u;
    return (m->seed >> 8) % n;
}

static const char *spell(unsigned words)
{
    static char out[200];
    int i;

    snprintf(out, sizeof out, "text ");
    for (i = 0; i < VOCABULARY; i++) {
        if (words >> i & 1) {
            strcat(out, vocabulary[i]);
            strcat(out, " ");
        }
    }
    return out;
}

static void model_add(struct fix *f, struct model *m, int64_t supersedes)
{
    unsigned words = pick(m, 1u << VOCABULARY);
    int type = (int)pick(m, 6);
    bool pinned = pick(m, 3) == 0;
    quire_memory_options o = entry("t", spell(words));
    quire_memory out;
    bool fine = true;

    o.type = (quire_memory_type)type;
    if (supersedes) {
        o.supersedes = &supersedes;
        o.n_supersedes = 1;
        fine = m->slots[supersedes].there && !m->slots[supersedes].to;
    }
    if (m->n == SLOTS)
        return;
    IS(fine ? QUIRE_OK : QUIRE_NOT_FOUND,
       try_add(f, 1, pinned ? 11 : 0, &o, &out));
    if (!fine)
        return;
    m->n++;
    EQ(m->n, out.id);
    m->slots[m->n] = (struct slot){
        .there = true,
        .pinned = pinned,
        .words = words,
        .type = type,
        .updated = now_us,
        .from = now_us,
    };
    if (supersedes) {
        m->slots[supersedes].to = now_us;
        m->edge[m->n][supersedes] = true;
    }
}

static void model_change(struct fix *f, struct model *m, int64_t id)
{
    struct slot *s = &m->slots[id];
    bool valid = s->there && !s->to;
    struct memory_owner owner = {1, 0, NULL};
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire_relation want = {.source = id, .kind = QUIRE_SUPERSEDES}, r;
    unsigned words;
    quire_memory out;
    quire_status st;
    int64_t k;

    OK(memory_begin(f->m, 1, &test_err));
    switch (pick(m, 4)) {
    case 0:
        st = memory_invalidate(f->m, 1, id, 0, &test_err);
        IS(valid ? QUIRE_OK : QUIRE_NOT_FOUND, st);
        if (valid)
            s->to = now_us;
        break;
    case 1:
        st = memory_remove(f->m, 1, id, &test_err);
        IS(s->there ? QUIRE_OK : QUIRE_NOT_FOUND, st);
        s->there = false;
        for (k = 0; k <= SLOTS; k++)
            m->edge[id][k] = m->edge[k][id] = false;
        break;
    case 2:
        words = pick(m, 1u << VOCABULARY);
        o.content = bytes_str(spell(words));
        st = memory_edit(f->m, &owner, id, &o, &f->keep, &out, &test_err);
        IS(valid ? QUIRE_OK : QUIRE_NOT_FOUND, st);
        if (valid) {
            s->words = words;
            s->updated = now_us;
        }
        break;
    default:
        want.target = 1 + (int64_t)pick(m, (unsigned)m->n);
        if (want.target == id)
            want.target = id % SLOTS + 1;
        valid = valid && m->slots[want.target].there &&
                !m->slots[want.target].to;
        st = relation_add(f->m, 1, &want, &r, &test_err);
        IS(!valid                     ? QUIRE_NOT_FOUND
           : m->edge[id][want.target] ? QUIRE_EXISTS
                                      : QUIRE_OK,
           st);
        if (valid)
            m->edge[id][want.target] = true;
    }
    if (st)
        IS(st, memory_end(f->m, st, &test_err));
    else
        OK(memory_end(f->m, st, &test_err));
}

struct seen {
    struct model *m;
    int64_t at;
    bool ids[SLOTS + 1];
    int64_t updated, id; /* of the last one */
    int n;
};

static bool is_seen_at(const struct slot *s, int64_t at)
{
    return s->there &&
           (at ? s->from <= at && (!s->to || s->to > at) : s->to == 0);
}

static quire_status see(void *ctx, const quire_memory *e, quire_error *err)
{
    struct seen *s = ctx;
    const struct slot *slot = &s->m->slots[e->id];

    (void)err;
    NO(s->ids[e->id]);
    s->ids[e->id] = true;
    s->n++;
    EQ(slot->type, e->type);
    EQ(slot->updated, e->updated_us);
    EQ(slot->to, e->valid_to_us);
    EQ(slot->pinned ? 11 : 0, e->session_id);
    SAME(bytes_str(spell(slot->words)), e->content);
    return QUIRE_OK;
}

static quire_status see_in_order(void *ctx, const quire_memory *e,
                                 quire_error *err)
{
    struct seen *s = ctx;

    YES(s->n == 0 || e->updated_us < s->updated ||
        (e->updated_us == s->updated && e->id < s->id));
    s->updated = e->updated_us;
    s->id = e->id;
    return see(ctx, e, err);
}

static quire_status count_edge(void *ctx, const quire_relation *r,
                               quire_error *err)
{
    struct seen *s = ctx;

    (void)err;
    YES(s->m->edge[r->source][r->target]);
    s->n++;
    return QUIRE_OK;
}

static void compare(struct fix *f, struct model *m)
{
    int64_t at = pick(m, 2) ? 0 : now_us - pick(m, 50);
    unsigned word = pick(m, VOCABULARY), types = pick(m, 64);
    struct memory_range range = {.tenant = 1,
                                 .types = types,
                                 .as_of_us = at,
                                 .in_session = pick(m, 2)};
    struct memory_query q = question(vocabulary[word]);
    struct relation_range all = {.tenant = 1, .kind = -1};
    struct seen listed = {.m = m}, found = {.m = m}, edges = {.m = m};
    int n = 0, i, k;
    bool partial;
    quire_status st;

    q.limit = SLOTS;
    q.as_of_us = at;
    OK(memory_list(f->m, &range, see_in_order, &listed, &test_err));
    st = search(f, &q, see, &found, &partial);
    IS(found.n ? QUIRE_OK : QUIRE_NOT_FOUND, st);
    for (i = 1; i <= SLOTS; i++) {
        const struct slot *s = &m->slots[i];

        EQ(is_seen_at(s, at) && (!types || (types >> s->type & 1)) &&
               (!range.in_session || !s->pinned),
           listed.ids[i]);
        EQ(is_seen_at(s, at) && (s->words >> word & 1), found.ids[i]);
    }
    OK(relation_list(f->m, &all, count_edge, &edges, &test_err));
    for (i = 0; i <= SLOTS; i++) {
        for (k = 0; k <= SLOTS; k++)
            n += m->edge[i][k];
    }
    EQ(n, edges.n);
}

TEST(memory_is_what_a_simple_model_says)
{
    struct model *m = test_alloc(sizeof *m);
    struct fix f;
    int i;

    memset(m, 0, sizeof *m);
    m->seed = 7;
    fix_open(&f);
    for (i = 0; i < STEPS; i++) {
        now_us += pick(m, 2);
        arena_reset(&f.keep);
        if (m->n == 0 || pick(m, 3) == 0)
            model_add(&f, m,
                      m->n && pick(m, 4) == 0
                          ? 1 + (int64_t)pick(m, (unsigned)m->n)
                          : 0);
        else
            model_change(&f, m, 1 + (int64_t)pick(m, (unsigned)m->n));
        compare(&f, m);
    }
    YES(m->n > 100);
    fix_close(&f);
}

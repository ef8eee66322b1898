/*
 * Memory through the public header.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "quire/priv.h"
#include "support/older.h"
#include "support/test.h"

static int64_t now_us;  /* what the handles believe */
static int64_t step_us; /* and how fast it goes     */

static int64_t tell_time(void *ctx)
{
    (void)ctx;
    return now_us += step_us;
}

static quire *open_home(unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    if (now_us == 0) {
        now_us = 1000000;
        step_us = 1000;
    }
    o.home = test_path("home");
    o.flags = flags;
    o.busy_ms = 20000;
    o.now_us = tell_time;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static quire_memory_options entry(const char *title)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    o.type = QUIRE_MEMORY_PROJECT;
    o.title = bytes_str(title);
    o.content = bytes_str("");
    return o;
}

static quire_memory adds(quire *q, const char *session, const char *title)
{
    quire_memory_options o = entry(title);
    quire_memory m;

    OK(quire_memory_add(q, session, &o, &m, &test_err));
    SAME(bytes_str(title), m.title);
    return m;
}

static void is_gone(quire *q, int64_t id)
{
    quire_memory m;

    IS(QUIRE_NOT_FOUND, quire_memory_get(q, id, 0, &m, &test_err));
    YES(test_err.what[0] && test_err.next[0]);
}

static quire_status add_id(void *ctx, const quire_memory *m, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%lld ", (long long)m->id);
    return QUIRE_OK;
}

static void lists(quire *q, const quire_memory_list_options *o,
                  const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_memory_list(q, o, add_id, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

static void finds(quire *q, const char *query, const quire_recall_options *o,
                  const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    IS(*wanted ? QUIRE_OK : QUIRE_NOT_FOUND,
       quire_memory_search(q, bytes_str(query), o, add_id, &got, NULL,
                           &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

static int64_t puts_artifact(quire *q, const char *session, const char *path)
{
    quire_artifact a;

    OK(quire_artifact_put(q, session, path, bytes_str("x"), NULL, &a,
                          &test_err));
    return a.id;
}

TEST(an_entry_is_added_read_changed_and_removed)
{
    quire *q = open_home(0);
    quire_bytes tags[] = {{"a", 1}, {"B", 1}, {"a", 1}};
    quire_memory_options o = entry("a title");
    quire_memory m;

    o.content = bytes_str("some content");
    o.source = bytes_str("me");
    o.tags = tags;
    o.n_tags = 3;
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    EQ(1, m.id);
    EQ(QUIRE_MEMORY_PROJECT, m.type);
    SAME_TEXT("[\"a\",\"B\",\"a\"]", m.tags);
    SAME_TEXT("", m.session);
    EQ(0, m.session_id);
    EQ(0, m.artifact);
    YES(m.created_us == m.updated_us && m.created_us == m.valid_from_us);
    EQ(0, m.valid_to_us);

    o = (quire_memory_options)QUIRE_MEMORY_OPTIONS_INIT;
    OK(quire_memory_edit(q, NULL, 1, &o, &m, &test_err));
    SAME(bytes_str("a title"), m.title);
    SAME(bytes_str("some content"), m.content);
    SAME(bytes_str("me"), m.source);
    SAME_TEXT("[\"a\",\"B\",\"a\"]", m.tags);
    YES(m.updated_us > m.created_us);
    o.title = bytes_str("other");
    o.content = bytes_str("");
    o.tags = tags;
    o.n_tags = 0;
    o.set_type = 1;
    o.type = QUIRE_MEMORY_CONTEXT;
    OK(quire_memory_edit(q, NULL, 1, &o, &m, &test_err));
    OK(quire_memory_get(q, 1, 0, &m, &test_err));
    SAME(bytes_str("other"), m.title);
    SAME(bytes_str(""), m.content);
    SAME_TEXT("[]", m.tags);
    EQ(QUIRE_MEMORY_CONTEXT, m.type);
    finds(q, "title", NULL, "");
    finds(q, "content", NULL, "");
    finds(q, "other", NULL, "1 ");

    OK(quire_memory_remove(q, 1, &test_err));
    is_gone(q, 1);
    finds(q, "other", NULL, "");
    IS(QUIRE_NOT_FOUND, quire_memory_remove(q, 1, &test_err));
    IS(QUIRE_NOT_FOUND, quire_memory_edit(q, NULL, 1, &o, &m, &test_err));
    EQ(2, adds(q, NULL, "ids are not given twice").id);
    quire_close(q);
}

TEST(nul_and_emoji_survive_in_every_text)
{
    static const char text[] = "a\0b \xf0\x9f\x98\x80 \0";
    quire_bytes whole = {text, sizeof text - 1};
    quire *q = open_home(0);
    quire_memory_options o = entry("");
    quire_memory m;

    o.title = o.content = o.source = whole;
    o.tags = &whole;
    o.n_tags = 1;
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    SAME(whole, m.title);
    quire_close(q);
    q = open_home(QUIRE_READ_ONLY);
    OK(quire_memory_get(q, 1, 0, &m, &test_err));
    SAME(whole, m.title);
    SAME(whole, m.content);
    SAME(whole, m.source);
    SAME_TEXT("[\"a\\u0000b \xf0\x9f\x98\x80 \\u0000\"]", m.tags);
    finds(q, "b", NULL, "1 ");
    quire_close(q);
    q = open_home(0);
    OK(quire_memory_remove(q, 1, &test_err));
    finds(q, "b", NULL, "");
    quire_close(q);
}

static void refuses(quire *q, const quire_memory_options *o)
{
    quire_memory m;

    IS(QUIRE_INVALID, quire_memory_add(q, NULL, o, &m, &test_err));
    YES(test_err.what[0]);
}

TEST(what_cannot_be_is_refused_and_what_just_can_is_not)
{
    static char big[64 * 1024 + 1];
    quire *q = open_home(0);
    quire_memory_options o = entry("fine");
    quire_bytes tags[33];
    quire_memory m;
    size_t i;

    memset(big, 'x', sizeof big);
    for (i = 0; i < 33; i++)
        tags[i] = bytes_of(big, 64);
    o.title = o.source = bytes_of(big, 200);
    o.content = bytes_of(big, sizeof big - 1);
    o.tags = tags;
    o.n_tags = 32;
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    EQ(sizeof big - 1, m.content.len);
    o.n_tags = 33;
    refuses(q, &o);
    o.n_tags = 1;
    tags[0].len = 65;
    refuses(q, &o);
    tags[0].len = 0;
    refuses(q, &o);
    tags[0] = bytes_str("\xff");
    refuses(q, &o);
    o.n_tags = 0;
    o.title.len = 201;
    refuses(q, &o);
    o.title.len = 0;
    refuses(q, &o);
    o.title = bytes_str("half \xf0\x9f\x98");
    refuses(q, &o);
    o.title = bytes_str("t");
    o.content.len = sizeof big;
    refuses(q, &o);
    o.content = bytes_str("\xed\xa0\x80"); /* half a pair */
    refuses(q, &o);
    o.content.len = 0;
    o.source.len = 201;
    refuses(q, &o);
    o.source.len = 0;
    o.type = (quire_memory_type)6;
    refuses(q, &o);
    o.type = QUIRE_MEMORY_USER;
    o.created_us = -1;
    refuses(q, &o);
    o.created_us = 77;
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    EQ(77, m.created_us);
    EQ(77, m.updated_us);
    EQ(77, m.valid_from_us);
    IS(QUIRE_INVALID,
       quire_memory_edit(q, NULL, 1,
                         &(quire_memory_options){.size = sizeof o,
                                                 .title = {"", 0}},
                         &m, &test_err));
    IS(QUIRE_INVALID, quire_memory_invalidate(q, 1, -5, &test_err));
    lists(q, NULL, "1 2 ");
    quire_close(q);
}

TEST(names_of_types_and_relations_go_both_ways)
{
    quire_memory_type type;
    quire_relation_kind kind;
    int i;

    for (i = 0; i < 6; i++) {
        OK(quire_memory_type_of(bytes_str(quire_memory_type_name(
                                    (quire_memory_type)i)),
                                &type, &test_err));
        EQ(i, type);
    }
    for (i = 0; i < 5; i++) {
        OK(quire_relation_of(bytes_str(
                                 quire_relation_name((quire_relation_kind)i)),
                             &kind, &test_err));
        EQ(i, kind);
    }
    YES(!quire_memory_type_name((quire_memory_type)6));
    YES(!quire_relation_name((quire_relation_kind)-1));
    IS(QUIRE_INVALID,
       quire_memory_type_of(bytes_str("User"), &type, &test_err));
    HAS(test_err.next, "feedback");
    IS(QUIRE_INVALID, quire_relation_of(bytes_str(""), &kind, &test_err));
    HAS(test_err.next, "relates_to");
}

TEST(a_window_is_half_open_and_an_end_in_the_future_hides_at_once)
{
    quire *q = open_home(0);
    quire_memory_options o = entry("a fact");
    quire_memory_list_options then = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_recall_options recall = QUIRE_RECALL_OPTIONS_INIT;
    quire_memory m;
    int64_t at;

    o.created_us = 1000;
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    OK(quire_memory_invalidate(q, 1, 2000, &test_err));
    is_gone(q, 1);
    IS(QUIRE_NOT_FOUND, quire_memory_invalidate(q, 1, 0, &test_err));
    IS(QUIRE_NOT_FOUND, quire_memory_edit(q, NULL, 1, &o, &m, &test_err));
    lists(q, NULL, "");
    finds(q, "fact", NULL, "");
    for (at = 999; at <= 2000; at += at == 999 || at == 1999 ? 1 : 999) {
        bool there = at >= 1000 && at < 2000;

        then.as_of_us = recall.as_of_us = at;
        lists(q, &then, there ? "1 " : "");
        finds(q, "fact", &recall, there ? "1 " : "");
        IS(there ? QUIRE_OK : QUIRE_NOT_FOUND,
           quire_memory_get(q, 1, at, &m, &test_err));
    }
    OK(quire_memory_get(q, 1, 1500, &m, &test_err));
    EQ(2000, m.valid_to_us);
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    OK(quire_memory_invalidate(q, 2, now_us + 1000000000, &test_err));
    is_gone(q, 2);
    then.as_of_us = now_us;
    lists(q, &then, "2 ");
    OK(quire_memory_remove(q, 1, &test_err)); /* also what is not valid */
    then.as_of_us = 1500;
    lists(q, &then, "2 ");
    quire_close(q);
}

static quire_status add_relation(void *ctx, const quire_relation *r,
                                 quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%lld:%lld-%s-%lld ", (long long)r->id, (long long)r->source,
             quire_relation_name(r->kind), (long long)r->target);
    return QUIRE_OK;
}

static void relations(quire *q, const quire_relation_list_options *o,
                      const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_relation_list(q, o, add_relation, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

TEST(what_is_superseded_is_invalid_and_all_or_nothing_is)
{
    quire *q = open_home(0);
    quire_memory_options o = entry("the new one");
    int64_t old[] = {1, 2, 9}, since;
    quire_memory m;

    adds(q, NULL, "old one");
    adds(q, NULL, "old two");
    o.supersedes = old;
    o.n_supersedes = 3;
    IS(QUIRE_NOT_FOUND, quire_memory_add(q, NULL, &o, &m, &test_err));
    HAS(test_err.what, "#9");
    lists(q, NULL, "2 1 ");
    relations(q, NULL, "");
    finds(q, "new", NULL, "");
    o.n_supersedes = 2;
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    EQ(3, m.id);
    lists(q, NULL, "3 ");
    relations(q, NULL, "2:3-supersedes-2 1:3-supersedes-1 ");
    finds(q, "old", NULL, "");
    since = m.valid_from_us;
    OK(quire_memory_get(q, 1, since - 1, &m, &test_err));
    EQ(since, m.valid_to_us);
    o.n_supersedes = 1; /* again: it is not valid any more */
    IS(QUIRE_NOT_FOUND, quire_memory_add(q, NULL, &o, &m, &test_err));
    old[0] = 4; /* nor can it be itself, whatever its id will be */
    IS(QUIRE_NOT_FOUND, quire_memory_add(q, NULL, &o, &m, &test_err));
    HAS(test_err.what, "no valid memory entry #4");
    old[1] = 3; /* named twice is named */
    old[0] = 3;
    o.n_supersedes = 2;
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    lists(q, NULL, "4 ");
    /* Nothing is invalid before it was valid. */
    IS(QUIRE_INVALID,
       quire_memory_invalidate(q, 4, m.valid_from_us - 1, &test_err));
    OK(quire_memory_invalidate(q, 4, m.valid_from_us, &test_err));
    quire_close(q);
}

TEST(relations_are_unique_between_valid_entries_and_die_with_them)
{
    quire *q = open_home(0);
    quire_relation_list_options o = QUIRE_RELATION_LIST_OPTIONS_INIT;
    quire_relation r;

    adds(q, NULL, "one");
    adds(q, NULL, "two");
    adds(q, NULL, "three");
    OK(quire_relation_add(q, 1, QUIRE_SUPPORTS, 2, &r, &test_err));
    EQ(1, r.id);
    IS(QUIRE_EXISTS,
       quire_relation_add(q, 1, QUIRE_SUPPORTS, 2, &r, &test_err));
    EQ(1, r.id);
    OK(quire_relation_add(q, 2, QUIRE_SUPPORTS, 1, &r, &test_err));
    OK(quire_relation_add(q, 1, QUIRE_REFINES, 2, &r, &test_err));
    OK(quire_relation_add(q, 3, QUIRE_REFINES, 1, &r, &test_err));
    IS(QUIRE_INVALID,
       quire_relation_add(q, 1, QUIRE_REFINES, 1, &r, &test_err));
    IS(QUIRE_INVALID,
       quire_relation_add(q, 1, (quire_relation_kind)5, 2, &r, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_relation_add(q, 1, QUIRE_REFINES, 4, &r, &test_err));
    HAS(test_err.what, "#4");
    relations(q, NULL,
              "4:3-refines-1 3:1-refines-2 2:2-supports-1 1:1-supports-2 ");
    o.source = 1;
    relations(q, &o, "3:1-refines-2 1:1-supports-2 ");
    o.target = 1;
    relations(q, &o, "");
    o.source = 0;
    relations(q, &o, "4:3-refines-1 2:2-supports-1 ");
    o.target = 0;
    o.either = 2;
    relations(q, &o, "3:1-refines-2 2:2-supports-1 1:1-supports-2 ");
    o.kind = QUIRE_SUPPORTS;
    relations(q, &o, "2:2-supports-1 1:1-supports-2 ");
    o.before_id = 2;
    relations(q, &o, "1:1-supports-2 ");
    o = (quire_relation_list_options)QUIRE_RELATION_LIST_OPTIONS_INIT;
    o.limit = 1;
    relations(q, &o, "4:3-refines-1 ");
    OK(quire_relation_remove(q, 4, &test_err));
    IS(QUIRE_NOT_FOUND, quire_relation_remove(q, 4, &test_err));
    OK(quire_memory_invalidate(q, 2, 0, &test_err));
    relations(q, NULL, "3:1-refines-2 2:2-supports-1 1:1-supports-2 ");
    IS(QUIRE_NOT_FOUND,
       quire_relation_add(q, 3, QUIRE_REFINES, 2, &r, &test_err));
    OK(quire_memory_remove(q, 2, &test_err));
    relations(q, NULL, "");
    quire_close(q);
}

TEST(tags_match_whole_in_any_case_and_signs_are_themselves)
{
    static const char *const tags[] = {"100%", "100x", "a_b", "axb", "Fix"};
    quire *q = open_home(0);
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_memory m;
    size_t i;

    for (i = 0; i < 5; i++) {
        quire_memory_options e = entry("tagged");
        quire_bytes tag = bytes_str(tags[i]);

        e.tags = &tag;
        e.n_tags = 1;
        OK(quire_memory_add(q, NULL, &e, &m, &test_err));
    }
    o.tag = "100%";
    lists(q, &o, "1 ");
    o.tag = "%";
    lists(q, &o, "");
    o.tag = "A_B";
    lists(q, &o, "3 ");
    o.tag = "fIX";
    lists(q, &o, "5 ");
    o.tag = "fi";
    lists(q, &o, "");
    o.tag = "";
    lists(q, &o, "");
    quire_close(q);
}

TEST(lists_are_by_type_time_and_session)
{
    quire *q = open_home(0);
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_memory_options e = entry("of a type");
    quire_memory m;

    adds(q, NULL, "first");
    adds(q, "user", "second");
    adds(q, "temp", "third");
    e.type = QUIRE_MEMORY_USER;
    OK(quire_memory_add(q, NULL, &e, &m, &test_err));
    lists(q, NULL, "4 3 2 1 ");
    o.types = 1u << QUIRE_MEMORY_USER | 1u << QUIRE_MEMORY_CONTEXT;
    lists(q, &o, "4 ");
    o.types = 0;
    o.session = "user";
    lists(q, &o, "4 2 1 ");
    o.session = "temp";
    lists(q, &o, "4 3 1 ");
    OK(quire_memory_get(q, 3, 0, &m, &test_err));
    SAME_TEXT("temp", m.session);
    YES(m.session_id != 0);
    o.since_us = m.updated_us;
    lists(q, &o, "4 3 ");
    o.session = "no-such-session";
    IS(QUIRE_NOT_FOUND, quire_memory_list(q, &o, add_id, NULL, &test_err));
    o.session = NULL;
    o.since_us = 0;
    e = (quire_memory_options)QUIRE_MEMORY_OPTIONS_INIT;
    OK(quire_memory_edit(q, NULL, 1, &e, &m, &test_err));
    lists(q, &o, "1 4 3 2 ");
    quire_close(q);
}

struct walk {
    int64_t last_us, last_id;
    int n;
    char seen[301];
};

static quire_status walk_one(void *ctx, const quire_memory *m, quire_error *err)
{
    struct walk *w = ctx;

    (void)err;
    w->last_us = m->updated_us;
    w->last_id = m->id;
    w->n++;
    EQ(0, w->seen[m->id]);
    w->seen[m->id] = 1;
    return QUIRE_OK;
}

TEST(a_walk_over_entries_of_one_moment_sees_each_once)
{
    quire *q = open_home(0);
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_memory_options e = entry("the same moment");
    struct walk w = {.n = 0};
    int64_t as_of;
    int i, before;

    e.created_us = 500;
    for (i = 0; i < 300; i++)
        OK(quire_memory_add(q, NULL, &e, NULL, &test_err));
    for (as_of = 0; as_of <= 500; as_of += 500) {
        w = (struct walk){.n = 0};
        o = (quire_memory_list_options)QUIRE_MEMORY_LIST_OPTIONS_INIT;
        o.limit = 49;
        o.as_of_us = as_of;
        do {
            before = w.n;
            OK(quire_memory_list(q, &o, walk_one, &w, &test_err));
            o.before_us = w.last_us;
            o.before_id = w.last_id;
            YES(w.n - before <= 49);
        } while (w.n > before);
        EQ(300, w.n);
    }
    w = (struct walk){.n = 0};
    OK(quire_memory_list(q, NULL, walk_one, &w, &test_err));
    EQ(50, w.n);
    quire_close(q);
}

TEST(a_link_goes_and_comes_with_its_artifact)
{
    quire *q = open_home(0);
    quire_memory_options o = entry("links one");
    quire_memory m;
    bool links;

    o.artifact = puts_artifact(q, NULL, "a");
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    EQ(1, m.artifact);
    OK(memory_links(q, 1, 1, &links, &test_err));
    YES(links);
    OK(memory_links(q, 1, 2, &links, &test_err));
    NO(links);
    OK(quire_artifact_remove(q, NULL, "a", 0, &test_err));
    OK(quire_memory_get(q, 1, 0, &m, &test_err));
    EQ(0, m.artifact);
    OK(memory_links(q, 1, 1, &links, &test_err));
    NO(links);
    IS(QUIRE_NOT_FOUND, quire_memory_add(q, NULL, &o, &m, &test_err));
    /* An edit that says nothing of the link leaves it. */
    o = (quire_memory_options)QUIRE_MEMORY_OPTIONS_INIT;
    OK(quire_memory_edit(q, NULL, 1, &o, &m, &test_err));
    OK(quire_artifact_restore(q, NULL, "a", NULL, &test_err));
    OK(quire_memory_get(q, 1, 0, &m, &test_err));
    EQ(1, m.artifact);
    o.artifact = -1;
    OK(quire_memory_edit(q, NULL, 1, &o, &m, &test_err));
    EQ(0, m.artifact);
    o.artifact = 1;
    OK(quire_memory_edit(q, NULL, 1, &o, &m, &test_err));
    EQ(1, m.artifact);
    OK(quire_artifact_remove(q, NULL, "#1", 1, &test_err));
    OK(quire_memory_get(q, 1, 0, &m, &test_err));
    EQ(0, m.artifact);
    OK(quire_memory_invalidate(q, 1, 0, &test_err));
    IS(QUIRE_NOT_FOUND, memory_links(q, 1, 1, &links, NULL));
    quire_close(q);
}

static quire_status links_as(quire *q, const char *session, int64_t artifact)
{
    quire_memory_options o = entry("a citation");
    quire_memory m;

    o.artifact = artifact;
    return quire_memory_add(q, session, &o, &m, &test_err);
}

TEST(a_session_links_only_what_it_may_read)
{
    quire *q = open_home(0);
    int64_t users = puts_artifact(q, "user", "a");
    int64_t temps = puts_artifact(q, "temp", "b");
    int64_t third = puts_artifact(q, "user", "c");
    quire_memory_options e = QUIRE_MEMORY_OPTIONS_INIT;
    quire_memory m;

    IS(QUIRE_NOT_FOUND, links_as(q, "user", temps));
    HAS(test_err.what, "there is no artifact #2");
    IS(QUIRE_NOT_FOUND, links_as(q, "temp", users));
    IS(QUIRE_NOT_FOUND, links_as(q, NULL, 99));
    OK(links_as(q, "user", users)); /* #1: now everybody can cite it */
    OK(links_as(q, NULL, users));   /* #2 */
    OK(links_as(q, "temp", users)); /* #3 */
    e.artifact = third;
    IS(QUIRE_NOT_FOUND, quire_memory_edit(q, "temp", 3, &e, &m, &test_err));
    OK(quire_memory_edit(q, NULL, 3, &e, &m, &test_err)); /* pinned to temp */
    OK(links_as(q, "temp", third));                       /* #4 */
    OK(quire_memory_remove(q, 1, &test_err));
    OK(quire_memory_invalidate(q, 2, 0, &test_err)); /* and it cannot now */
    IS(QUIRE_NOT_FOUND, links_as(q, "temp", users));
    quire_close(q);
}

static const char *new_session(quire *q)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;
    char *id = test_alloc(100);

    o.flags = QUIRE_SESSION_AT_ONCE;
    OK(quire_session_new(q, &o, &s, &test_err));
    quire_session_describe(s, &info);
    snprintf(id, 100, "%s", info.id);
    quire_session_close(s);
    return id;
}

TEST(entries_outlive_their_session_and_its_artifacts)
{
    quire *q = open_home(0);
    const char *session = new_session(q);
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_memory m;

    OK(links_as(q, session, puts_artifact(q, session, "a")));
    OK(quire_memory_get(q, 1, 0, &m, &test_err));
    SAME_TEXT(session, m.session);
    o.session = new_session(q); /* without a row */
    lists(q, &o, "");
    OK(quire_session_remove(q, session, &test_err));
    OK(quire_memory_get(q, 1, 0, &m, &test_err));
    SAME_TEXT("", m.session);
    EQ(0, m.session_id);
    EQ(0, m.artifact);
    finds(q, "citation", NULL, "1 ");
    OK(quire_memory_remove(q, 1, &test_err));
    finds(q, "citation", NULL, "");
    quire_close(q);
}

TEST(a_home_without_a_catalogue_has_no_memory)
{
    quire *q = open_home(QUIRE_READ_ONLY);
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_graph_options g = QUIRE_GRAPH_OPTIONS_INIT;
    quire_memory_options e = entry("x");
    quire_memory m;

    lists(q, NULL, "");
    relations(q, NULL, "");
    finds(q, "x", NULL, "");
    is_gone(q, 1);
    OK(quire_memory_graph(q, NULL, NULL, NULL, NULL, &test_err));
    g.around = 1;
    IS(QUIRE_NOT_FOUND, quire_memory_graph(q, &g, NULL, NULL, NULL, &test_err));
    o.session = "nowhere";
    IS(QUIRE_NOT_FOUND, quire_memory_list(q, &o, add_id, NULL, &test_err));
    IS(QUIRE_INVALID, quire_memory_search(q, bytes_str(" ? "), NULL, add_id,
                                          NULL, NULL, &test_err));
    IS(QUIRE_INVALID, quire_memory_add(q, NULL, &e, &m, &test_err));
    NO(test_exists(test_path("home/quire.db")));
    quire_close(q);
}

TEST(a_home_from_before_memory_is_read_and_brought_up_to_date)
{
    quire *q = open_home(0);

    puts_artifact(q, NULL, "a");
    quire_close(q);
    test_undo_steps(test_path("home/quire.db"), 5);
    q = open_home(QUIRE_READ_ONLY);
    lists(q, NULL, "");
    finds(q, "x", NULL, "");
    is_gone(q, 1);
    quire_close(q);
    q = open_home(0);
    adds(q, NULL, "new");
    finds(q, "new", NULL, "1 ");
    quire_close(q);
}

TEST(memory_and_batches_keep_apart)
{
    quire *q = open_home(0);
    quire_memory_options e = entry("x");

    OK(quire_begin(q, &test_err));
    IS(QUIRE_INVALID, quire_memory_add(q, NULL, &e, NULL, &test_err));
    HAS(test_err.what, "batch");
    quire_rollback(q);
    OK(quire_memory_add(q, NULL, &e, NULL, &test_err));
    quire_close(q);
}

struct stop {
    int n;
    quire *q;
};

static quire_status stop_at_once(void *ctx, const quire_memory *m,
                                 quire_error *err)
{
    struct stop *s = ctx;
    quire_memory again;

    s->n++;
    IS(QUIRE_INVALID, quire_memory_get(s->q, m->id, 0, &again, err));
    return QUIRE_STOPPED;
}

TEST(a_callback_can_stop_and_cannot_use_the_handle)
{
    quire *q = open_home(0);
    struct stop s = {0, q};

    adds(q, NULL, "one word");
    adds(q, NULL, "two word");
    IS(QUIRE_STOPPED, quire_memory_list(q, NULL, stop_at_once, &s, &test_err));
    IS(QUIRE_STOPPED, quire_memory_search(q, bytes_str("word"), NULL,
                                          stop_at_once, &s, NULL, &test_err));
    IS(QUIRE_STOPPED,
       quire_memory_graph(q, NULL, stop_at_once, NULL, &s, &test_err));
    EQ(3, s.n);
    adds(q, NULL, "and all goes on");
    quire_close(q);
}

/* ---- graph -------------------------------------------------------------- */

static void graphs(quire *q, const quire_graph_options *o, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_memory_graph(q, o, add_id, add_relation, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

TEST(a_graph_has_the_relations_of_its_entries)
{
    quire *q = open_home(0);
    quire_graph_options o = QUIRE_GRAPH_OPTIONS_INIT;
    quire_memory_options e = entry("of another type");
    int i;

    for (i = 0; i < 4; i++)
        adds(q, NULL, "node");
    e.type = QUIRE_MEMORY_USER;
    OK(quire_memory_add(q, NULL, &e, NULL, &test_err)); /* 5 */
    /* 1 -> 2 -> 3 -> 4, 5 -> 2 */
    OK(quire_relation_add(q, 1, QUIRE_REFINES, 2, NULL, &test_err));
    OK(quire_relation_add(q, 2, QUIRE_REFINES, 3, NULL, &test_err));
    OK(quire_relation_add(q, 3, QUIRE_REFINES, 4, NULL, &test_err));
    OK(quire_relation_add(q, 5, QUIRE_REFINES, 2, NULL, &test_err));
    graphs(q, NULL,
           "5 4 3 2 1 1:1-refines-2 2:2-refines-3 3:3-refines-4 "
           "4:5-refines-2 ");
    o.types = 1u << QUIRE_MEMORY_PROJECT;
    graphs(q, &o, "4 3 2 1 1:1-refines-2 2:2-refines-3 3:3-refines-4 ");
    o.max_nodes = 2;
    graphs(q, &o, "4 3 3:3-refines-4 ");
    o.max_nodes = 0;
    o.around = 1;
    graphs(q, &o, "1 2 1:1-refines-2 ");
    o.depth = 2;
    graphs(q, &o, "1 2 3 1:1-refines-2 2:2-refines-3 ");
    o.types = 0;
    graphs(q, &o, "1 2 5 3 1:1-refines-2 2:2-refines-3 4:5-refines-2 ");
    o.max_nodes = 3;
    graphs(q, &o, "1 2 5 1:1-refines-2 4:5-refines-2 ");
    o.depth = 0;
    graphs(q, &o, "1 ");
    o.around = 5;
    o.depth = 100;
    o.max_nodes = 0;
    o.types = 1u << QUIRE_MEMORY_PROJECT; /* the centre itself is there */
    graphs(q, &o,
           "5 2 3 1 4 1:1-refines-2 2:2-refines-3 3:3-refines-4 "
           "4:5-refines-2 ");
    OK(quire_memory_invalidate(q, 2, 0, &test_err));
    graphs(q, NULL, "5 4 3 1 3:3-refines-4 ");
    graphs(q, &o, "5 ");
    o.around = 2;
    IS(QUIRE_NOT_FOUND,
       quire_memory_graph(q, &o, add_id, add_relation, NULL, &test_err));
    quire_close(q);
}

/* ---- bad luck ----------------------------------------------------------- */

/* One entry that supersedes another and links an artifact; acknowledged it is
 * there whole, refused nothing of it is. */
static bool add_unluckily(int64_t *acked)
{
    quire_options ho = QUIRE_OPTIONS_INIT;
    quire_bytes tag = {"tag", 3};
    quire_memory_options o = entry("the newcomer");
    int64_t old = 1;
    quire_memory m;
    quire *q = NULL;
    quire_status st;

    *acked = 0;
    ho.home = test_path("home");
    ho.now_us = tell_time;
    o.tags = &tag;
    o.n_tags = 1;
    o.artifact = 1;
    o.supersedes = &old;
    o.n_supersedes = 1;
    st = quire_open(&ho, &q, &test_err);
    if (!st)
        st = quire_memory_add(q, "user", &o, &m, &test_err);
    if (!st)
        *acked = m.id;
    if (st)
        YES(test_err.what[0]);
    quire_close(q);
    return !st;
}

static void is_whole(int64_t acked)
{
    quire *q = open_home(0);
    quire_memory m;

    /* When the log cannot be synced nobody knows, and it may be there. */
    if (!acked && !strcmp(fault_name(), "sqlite Sync") &&
        !quire_memory_get(q, 2, 0, &m, &test_err))
        acked = 2;
    if (acked) {
        OK(quire_memory_get(q, acked, 0, &m, &test_err));
        EQ(1, m.artifact);
        is_gone(q, 1);
        finds(q, "newcomer", NULL, "2 ");
        finds(q, "older", NULL, "");
        relations(q, NULL, "1:2-supersedes-1 ");
    } else {
        lists(q, NULL, "1 ");
        finds(q, "newcomer", NULL, "");
        finds(q, "older", NULL, "1 ");
        relations(q, NULL, "");
    }
    /* And it works. */
    adds(q, "user", "afterwards");
    finds(q, "afterwards", NULL, acked ? "3 " : "2 ");
    quire_close(q);
}

static void sweep(bool inside_sqlite)
{
    int64_t acked;
    bool struck = true, done;
    long n;

    for (n = 1; struck; n += inside_sqlite ? 7 : 1) {
        quire *q = open_home(0);

        adds(q, NULL, "an older one");
        puts_artifact(q, NULL, "a");
        quire_close(q);
        sqlite_faults(inside_sqlite);
        fault_arm(n, n % 2 ? ENOMEM : ENOSPC, false);
        done = add_unluckily(&acked);
        struck = fault_disarm();
        sqlite_faults(false);
        if (!struck)
            YES(done);
        is_whole(acked);
        test_forget_dir();
    }
    YES(n > 10);
}

TEST(an_add_is_whole_or_nothing_whichever_call_fails)
{
    sweep(false);
}

TEST(an_add_is_whole_or_nothing_whatever_fails_in_the_database)
{
    sweep(true);
}

/*
 * What entries of memory are related to: each other, artifacts, sessions.
 */
#include <stdio.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "api/core/handle.h"
#include "support/memory.h"
#include "support/test.h"

/* ---- each other --------------------------------------------------------- */

TEST(what_is_superseded_is_invalid_and_all_or_nothing_is)
{
    quire *q = memories_home(0);
    quire_memory_options o = memories_entry("the new one");
    int64_t old[] = {1, 2, 9}, since;
    quire_memory m;

    memories_add(q, NULL, "old one");
    memories_add(q, NULL, "old two");
    o.supersedes = old;
    o.n_supersedes = 3;
    IS(QUIRE_NOT_FOUND, quire_memory_add(q, NULL, &o, &m, &test_err));
    HAS(test_err.what, "#9");
    memories_list(q, NULL, "2 1 ");
    memories_relations(q, NULL, "");
    memories_find(q, "new", NULL, "");
    o.n_supersedes = 2;
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
    EQ(3, m.id);
    memories_list(q, NULL, "3 ");
    memories_relations(q, NULL, "2:3-supersedes-2 1:3-supersedes-1 ");
    memories_find(q, "old", NULL, "");
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
    memories_list(q, NULL, "4 ");
    /* Nothing is invalid before it was valid. */
    IS(QUIRE_INVALID,
       quire_memory_invalidate(q, 4, m.valid_from_us - 1, &test_err));
    OK(quire_memory_invalidate(q, 4, m.valid_from_us, &test_err));
    quire_close(q);
}

TEST(relations_are_unique_between_valid_entries_and_die_with_them)
{
    quire *q = memories_home(0);
    quire_relation_list_options o = QUIRE_RELATION_LIST_OPTIONS_INIT;
    quire_relation r;

    memories_add(q, NULL, "one");
    memories_add(q, NULL, "two");
    memories_add(q, NULL, "three");
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
    memories_relations(
        q, NULL, "4:3-refines-1 3:1-refines-2 2:2-supports-1 1:1-supports-2 ");
    o.source = 1;
    memories_relations(q, &o, "3:1-refines-2 1:1-supports-2 ");
    o.target = 1;
    memories_relations(q, &o, "");
    o.source = 0;
    memories_relations(q, &o, "4:3-refines-1 2:2-supports-1 ");
    o.target = 0;
    o.either = 2;
    memories_relations(q, &o, "3:1-refines-2 2:2-supports-1 1:1-supports-2 ");
    o.kind = QUIRE_SUPPORTS;
    memories_relations(q, &o, "2:2-supports-1 1:1-supports-2 ");
    o.before_id = 2;
    memories_relations(q, &o, "1:1-supports-2 ");
    o = (quire_relation_list_options)QUIRE_RELATION_LIST_OPTIONS_INIT;
    o.limit = 1;
    memories_relations(q, &o, "4:3-refines-1 ");
    OK(quire_relation_remove(q, 4, &test_err));
    IS(QUIRE_NOT_FOUND, quire_relation_remove(q, 4, &test_err));
    OK(quire_memory_invalidate(q, 2, 0, &test_err));
    memories_relations(q, NULL, "3:1-refines-2 2:2-supports-1 1:1-supports-2 ");
    IS(QUIRE_NOT_FOUND,
       quire_relation_add(q, 3, QUIRE_REFINES, 2, &r, &test_err));
    OK(quire_memory_remove(q, 2, &test_err));
    memories_relations(q, NULL, "");
    quire_close(q);
}

/* ---- artifacts, sessions ------------------------------------------------ */

TEST(a_link_goes_and_comes_with_its_artifact)
{
    quire *q = memories_home(0);
    quire_memory_options o = memories_entry("links one");
    quire_memory m;
    bool links;

    o.artifact = memories_put_artifact(q, NULL, "a");
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
    quire_memory_options o = memories_entry("a citation");
    quire_memory m;

    o.artifact = artifact;
    return quire_memory_add(q, session, &o, &m, &test_err);
}

TEST(a_session_links_only_what_it_may_read)
{
    quire *q = memories_home(0);
    int64_t users = memories_put_artifact(q, "user", "a");
    int64_t temps = memories_put_artifact(q, "temp", "b");
    int64_t third = memories_put_artifact(q, "user", "c");
    quire_memory_options e = QUIRE_MEMORY_OPTIONS_INIT;
    quire_memory m;

    IS(QUIRE_NOT_FOUND, links_as(q, "user", temps));
    HAS(test_err.what, "no artifact #2");
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
    quire *q = memories_home(0);
    const char *session = new_session(q);
    quire_memory_list_options o = QUIRE_MEMORY_LIST_OPTIONS_INIT;
    quire_memory m;

    OK(links_as(q, session, memories_put_artifact(q, session, "a")));
    OK(quire_memory_get(q, 1, 0, &m, &test_err));
    SAME_TEXT(session, m.session);
    o.session = new_session(q); /* without a row */
    memories_list(q, &o, "");
    OK(quire_session_remove(q, session, &test_err));
    OK(quire_memory_get(q, 1, 0, &m, &test_err));
    SAME_TEXT("", m.session);
    EQ(0, m.session_id);
    EQ(0, m.artifact);
    memories_find(q, "citation", NULL, "1 ");
    OK(quire_memory_remove(q, 1, &test_err));
    memories_find(q, "citation", NULL, "");
    quire_close(q);
}

/* ---- graph -------------------------------------------------------------- */

static void graphs(quire *q, const quire_graph_options *o, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_memory_graph(q, o, memories_add_id, memories_add_relation, &got,
                          &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

TEST(a_graph_has_the_relations_of_its_entries)
{
    quire *q = memories_home(0);
    quire_graph_options o = QUIRE_GRAPH_OPTIONS_INIT;
    quire_memory_options e = memories_entry("of another type");
    int i;

    for (i = 0; i < 4; i++)
        memories_add(q, NULL, "node");
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
       quire_memory_graph(q, &o, memories_add_id, memories_add_relation, NULL,
                          &test_err));
    quire_close(q);
}

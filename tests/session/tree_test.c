/* The shape of a session. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/session.h"

#define E(id, parent, when)                                  \
    "{\"type\":\"x\",\"id\":\"" id "\",\"parentId\":" parent \
    ",\"timestamp\":\"2026-02-16T10:21:" when ".000Z\"}\n"

static void sorted(struct house *h)
{
    quire_session *s;

    house_write(h, "f",
                HEADER E("a", "null", "01") E("d", "\"a\"", "09")
                    E("b", "\"a\"", "02") E("c", "\"b\"", "03")
                        E("r", "null", "00") E("e", "\"a\"", "02"));
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    SAME_TEXT("r a(b(c) e* d)", tree_of(s));
    SAME_TEXT("a b c", path_of(s, "c"));
    SAME_TEXT("a e", path_of(s, NULL));
    IS(QUIRE_NOT_FOUND, session_path(s, "zz", 0, NULL, NULL, &test_err));
    quire_session_close(s);
}

TEST(children_come_in_the_order_of_their_times)
{
    house_each(sorted);
}

static void broken(struct house *h)
{
    quire_session *s;

    house_write(h, "f",
                HEADER E("a", "\"c\"", "01") E("b", "\"a\"", "02")
                    E("c", "\"b\"", "03") E("d", "\"c\"", "04")
                        E("o", "\"gone\"", "05") E("p", "\"o\"", "06")
                            E("q", "\"q\"", "07"));
    s = house_open_session(h, "f", QUIRE_SESSION_READ);
    /* Everything once, whatever it claims. */
    SAME_TEXT("a(b(c(d))) o(p) q*", tree_of(s));
    SAME_TEXT("a b c d", path_of(s, "d"));
    SAME_TEXT("o p", path_of(s, "p"));
    quire_session_close(s);
}

TEST(cycles_and_orphans_begin_trees_of_their_own)
{
    house_each(broken);
}

static void labelled(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);

    put(s, "{\"type\":\"x\",\"id\":\"a\"}");
    put(s, "{\"type\":\"x\",\"id\":\"b\"}");
    OK(quire_session_label(s, "a", "one", NULL, &test_err));
    OK(quire_session_label(s, "b", "two", NULL, &test_err));
    OK(quire_session_label(s, "a", "three", NULL, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_label(s, "zz", "x", NULL, &test_err));
    HAS(tree_of(s), "a[three](b[two](");
    OK(quire_session_label(s, "b", NULL, NULL, &test_err));
    OK(quire_session_label(s, "a", "", NULL, &test_err));
    HAS(tree_of(s), "a(b(");
    quire_session_close(s);
}

TEST(the_last_label_of_an_entry_counts_and_none_clears_it)
{
    house_each(labelled);
}

struct reenter {
    quire_session *s;
    quire_status st;
};

static quire_status try_again(void *ctx, const quire_entry *e, quire_error *err)
{
    struct reenter *r = ctx;

    (void)e;
    r->st = quire_session_flush(r->s, err);
    return QUIRE_OK;
}

static quire_status look_around(void *ctx, const quire_entry *e,
                                quire_error *err)
{
    quire_session_info info;

    (void)e;
    (void)err;
    quire_session_describe(ctx, &info); /* which cannot be refused */
    return info.entries == 3 ? QUIRE_OK : QUIRE_STOPPED;
}

static void described(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);

    put(s, "{\"type\":\"x\",\"id\":\"a\"}");
    put(s, "{\"type\":\"x\",\"id\":\"b\"}");
    OK(quire_session_label(s, "b", "named", NULL, &test_err));
    OK(quire_session_tree(s, look_around, s, &test_err));
    HAS(tree_of(s), "a(b[named](");
    quire_session_close(s);
}

TEST(a_session_may_be_described_from_within_a_walk)
{
    house_each(described);
}

static quire_status stop(void *ctx, const quire_entry *e, quire_error *err)
{
    (void)e;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_STOPPED;
}

static void called_back(struct house *h)
{
    quire_session *s = house_new(h, "f", QUIRE_SESSION_AT_ONCE);
    struct reenter r = {s, QUIRE_OK};
    int n = 0;

    put(s, "{\"type\":\"x\"}");
    put(s, "{\"type\":\"x\"}");
    OK(quire_session_entries(s, 0, try_again, &r, &test_err));
    EQ(QUIRE_INVALID, r.st);
    IS(QUIRE_STOPPED, quire_session_entries(s, 0, stop, &n, &test_err));
    EQ(1, n);
    quire_session_close(s);
}

TEST(a_callback_may_stop_a_walk_but_not_use_its_session)
{
    house_each(called_back);
}

/* A chain as long as sessions get must not cost a stack frame a step. */
TEST(a_chain_of_a_hundred_thousand_is_walked)
{
    struct house h;
    quire_session *s;
    int i;

    house_open(&h, false);
    s = house_new(&h, "f", QUIRE_SESSION_MEMORY);
    for (i = 0; i < 100000; i++)
        OK(quire_session_append(s, bytes_str("{\"type\":\"x\"}"), NULL, NULL,
                                &test_err));
    YES(strlen(tree_of(s)) > 900000);
    quire_session_close(s);
    house_close(&h);
}

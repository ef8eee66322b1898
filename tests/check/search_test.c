/*
 * A search index that is damaged is found by a check, and rebuilt by a repair.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/flip.h"
#include "support/tenants.h"
#include "support/test.h"

/* A home of two tenants, each with an index. */
static void make_home(void)
{
    static const char *const names[] = {"default", "other"};
    quire *q;
    int i;

    flip_furnish("home");
    for (i = 0; i < 2; i++) {
        q = tenants_open(names[i], 0);
        tenants_put(q, names[i], names[i]); /* so that the indexes differ */
        OK(quire_search_rebuild(q, &test_err));
        quire_close(q);
    }
}

static const char *index_of(int tenant)
{
    return test_path(tenant ? "home/tenants/2/search/rows"
                            : "home/search/rows");
}

static void finds_nothing(void)
{
    static const unsigned flags[] = {0, QUIRE_CHECK_QUICK, QUIRE_CHECK_FULL};
    int i;

    for (i = 0; i < 3; i++) {
        struct heard h = flip_check("home", flags[i]);

        OK(h.status);
        SAME_TEXT("", h.text);
    }
}

static void finds(const char *words)
{
    struct heard h = flip_check("home", 0);

    OK(h.status);
    EQ(1, h.n);
    HAS(h.text, words);
}

/* What is mended is sound, and nothing else is changed. */
static void repairs(int n)
{
    struct heard h = flip_repair("home", QUIRE_REPAIR_DRY);

    OK(h.status);
    EQ(n, h.mended);
    EQ(0, h.n);
    h = flip_repair("home", 0);
    OK(h.status);
    EQ(n, h.mended);
    EQ(0, h.n);
    finds_nothing();
}

struct hits {
    int n;
};

static quire_status count_hit(void *ctx, const quire_search_hit *hit,
                              quire_error *err)
{
    struct hits *h = ctx;

    (void)err;
    (void)hit;
    h->n++;
    return QUIRE_OK;
}

static int search(const char *tenant)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    struct hits h = {0};
    quire *q = tenants_open(tenant, 0);
    quire_status st = quire_search(q, bytes_str("walrus"), &o, count_hit, &h,
                                   NULL, &test_err);

    YES(st == QUIRE_OK || st == QUIRE_NOT_FOUND);
    quire_close(q);
    return h.n;
}

TEST(a_check_of_a_sound_search_index_finds_nothing)
{
    make_home();
    finds_nothing();
    YES(search("default") > 0);
    finds_nothing();
}

TEST(damage_of_a_search_index_is_found_and_repaired)
{
    int before, tenant;

    make_home();
    before = search("default");
    for (tenant = 0; tenant < 2; tenant++) {
        flip_bit(flip_find(index_of(tenant), ".postings", 0), 9, 3);
        finds(tenant
                  ? "tenants/2/search/rows search the search index is damaged: "
                  : "search/rows search the search index is damaged: ");
        EQ(0, flip_check("home", QUIRE_CHECK_QUICK).n);
        repairs(1);
    }
    EQ(before, search("default"));
    EQ(before, search("other"));
}

TEST(both_tenants_are_repaired_at_once)
{
    make_home();
    flip_bit(flip_find(index_of(0), ".postings", 0), 9, 3);
    flip_bit(flip_find(index_of(1), ".index", 0), 9, 3);
    repairs(2);
    YES(search("other") > 0);
}

TEST(a_segment_that_is_cut_missing_or_swapped_is_found_and_repaired)
{
    make_home();
    EQ(0, truncate(flip_find(index_of(0), ".index", 0), 1000));
    finds("its footer does not match");
    repairs(1);
    EQ(0, truncate(flip_find(index_of(0), ".index", 0), 100));
    finds("it is too short");
    repairs(1);
    EQ(0, truncate(flip_find(index_of(0), ".postings", 0), 100));
    finds("its tables do not fit");
    repairs(1);
    EQ(0, unlink(flip_find(index_of(0), ".index", 0)));
    finds("is missing");
    repairs(1);
    EQ(0, rename(flip_find(index_of(1), ".index", 0),
                 flip_find(index_of(0), ".index", 0)));
    EQ(2, flip_check("home", 0).n);
    repairs(2);
}

TEST(a_damaged_list_of_segments_is_found_and_repaired)
{
    const char *db;
    struct stat st;

    make_home();
    db = flip_find(index_of(0), "search.db", 0);
    test_write_file(db, bytes_str("this is no database at all"));
    finds("search/rows search ");
    repairs(1);
    db = flip_find(index_of(0), "search.db", 0);
    EQ(0, stat(db, &st));
    EQ(0, truncate(db, st.st_size / 2));
    YES(flip_check("home", 0).n > 0);
    flip_repair("home", 0);
    finds_nothing();
    YES(search("default") > 0);
}

TEST(reindexing_replaces_a_damaged_search_index)
{
    const char *db;
    struct stat st;
    quire *q;

    make_home();
    db = flip_find(index_of(0), "search.db", 0);
    EQ(0, stat(db, &st));
    EQ(0, truncate(db, st.st_size / 2));
    flip_bit(flip_find(index_of(0), ".postings", 0), 9, 3);
    q = tenants_open(NULL, 0);
    OK(quire_reindex(q, &test_err));
    quire_close(q);
    finds_nothing();
    YES(search("default") > 0);
}

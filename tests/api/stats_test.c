/* How much there is, against what was put. */
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/flip.h"
#include "support/tenants.h"

struct told {
    int n;
    quire_tenant_stats t[4];
};

static quire_status hear(void *ctx, const quire_tenant_stats *t,
                         quire_error *err)
{
    struct told *told = ctx;

    (void)err;
    told->t[told->n++] = *t;
    return QUIRE_OK;
}

static quire_stats stats_of(const char *name, struct told *told)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_stats s = {.size = sizeof s};
    quire *q;

    o.home = test_path(name);
    o.flags = QUIRE_READ_ONLY;
    OK(quire_open(&o, &q, &test_err));
    OK(quire_stats_read(q, &s, hear, told, &test_err));
    quire_close(q);
    return s;
}

TEST(stats_count_what_there_is_for_each_tenant)
{
    struct told told = {.n = 0};
    quire_stats s;
    int i;

    flip_furnish("home");
    s = stats_of("home", &told);
    EQ(2, told.n);
    EQ(2, s.tenants);
    for (i = 0; i < 2; i++) {
        EQ(i + 1, told.t[i].id);
        EQ(2, told.t[i].sessions);
        EQ(1, told.t[i].archived);
        EQ(8, told.t[i].entries);
        EQ(8, told.t[i].messages);
        EQ(2, told.t[i].artifacts);
        EQ(5, told.t[i].versions);
        EQ(3, told.t[i].memories);
    }
    EQ(4, s.total.sessions);
    EQ(16, s.total.messages);
    EQ(10, s.total.versions);
    SAME_TEXT("other", told.t[1].name);
}

TEST(stats_of_blobs_are_before_and_after_what_is_shared)
{
    struct told told = {.n = 0};
    quire_stats s;

    flip_furnish("home");
    s = stats_of("home", &told);
    /* Four images; five texts that both tenants have; four of nobody's. */
    EQ(4 + 5 + 4, s.blobs);
    EQ(4 + 10, s.references);
    EQ(4, s.unreferenced);
    EQ(300000, s.largest_blobs[0].size);
    EQ(90000, s.largest_blobs[1].size);
    YES(s.blob_bytes > 400000 && s.stored_bytes > 0);
    YES(s.referenced_bytes >= 4 * 900 && s.referenced_bytes < 10000);
    YES(s.database_bytes > 0);
    YES(*s.largest[3].id && !*s.largest[4].id);
    YES(*s.oldest.id && *s.newest.id);
    YES(s.oldest.created_us <= s.newest.created_us);
}

TEST(stats_of_other_homes_and_of_none)
{
    struct told told = {.n = 0};
    quire_stats s;

    flip_furnish_omp("omp");
    s = stats_of("omp", &told);
    EQ(2, s.total.sessions);
    EQ(3, s.blobs);
    EQ(2, s.references);
    flip_furnish_jp(".jp");
    s = stats_of(".jp", &told);
    EQ(1, s.total.sessions);
    EQ(1, s.references);
    EQ(3000, s.referenced_bytes);
    s = stats_of("nowhere", &told);
    EQ(0, s.total.sessions);
    EQ(0, s.blobs);
}

TEST(stats_are_for_whom_the_home_belongs_to)
{
    quire_stats s = {.size = sizeof s};
    quire *q;

    flip_furnish("home");
    q = tenants_open("other", QUIRE_READ_ONLY);
    IS(QUIRE_INVALID, quire_stats_read(q, &s, NULL, NULL, &test_err));
    quire_close(q);
}

static void index_tenant(const char *tenant)
{
    quire *q = tenants_open(tenant, 0);

    OK(quire_search_rebuild(q, &test_err));
    quire_close(q);
}

TEST(stats_count_the_search_indexes_of_all_tenants_and_build_none)
{
    struct told told = {.n = 0};
    quire_search_stats one;
    quire_stats s;
    quire *q;

    flip_furnish("home");
    s = stats_of("home", &told);
    EQ(0, s.search_bytes + s.search_texts + s.search_places + s.search_sources);
    NO(test_exists(test_path("home/search")));
    index_tenant(NULL);
    q = tenants_open(NULL, 0);
    OK(quire_search_describe(q, &one, &test_err));
    quire_close(q);
    told.n = 0;
    s = stats_of("home", &told);
    YES(s.search_texts > 0 && s.search_places > s.search_texts);
    EQ(one.bytes, s.search_bytes);
    EQ(one.n_texts, s.search_texts);
    EQ(one.n_places, s.search_places);
    EQ(one.n_sources, s.search_sources);
    NO(test_exists(test_path("home/tenants/2/search")));
    index_tenant("other");
    told.n = 0;
    s = stats_of("home", &told);
    EQ(2 * one.n_texts, s.search_texts);
    EQ(2 * one.n_sources, s.search_sources);
}

TEST(stats_pass_over_a_damaged_search_index)
{
    struct told told = {.n = 0};
    quire_stats s, before;

    flip_furnish("home");
    index_tenant(NULL);
    before = stats_of("home", &told);
    EQ(0, truncate(flip_find(test_path("home/search/rows"), ".index", 0), 100));
    s = stats_of("home", &told);
    YES(s.search_bytes < before.search_bytes && s.search_bytes > 0);
    EQ(4, s.total.sessions);
}

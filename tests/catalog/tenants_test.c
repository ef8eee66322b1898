/* Tenants as rows, below the checks of the handle. */
#include <string.h>

#include "artifact/artifact.h"
#include "base/bytes.h"
#include "support/store.h"

struct fixture {
    struct fix store;
    struct catalog catalog;
    struct artifacts *a;
    struct commit_queue *queue;
    struct arena keep;
};

static void fixture_open(struct fixture *r)
{
    struct artifacts_config config = {.catalog = &r->catalog};

    *r = (struct fixture){.a = NULL};
    fix_open(&r->store, QUIRE_LAYOUT_PACKED, true);
    r->catalog.clock = &test_clock;
    OK(db_exec(r->store.db, "DROP TABLE body; DROP TABLE blob;", &test_err));
    OK(catalog_open(&r->catalog, r->store.db, false, &test_err));
    config.blobs = r->store.blobs;
    r->queue = config.queue = commit_queue_new();
    OK(artifacts_new(&config, &r->a, &test_err));
}

static void fixture_close(struct fixture *r)
{
    artifacts_free(r->a);
    commit_queue_unref(r->queue);
    sql_release(&r->catalog.sql); /* the connection is the store's */
    fix_close(&r->store);
    arena_release(&r->keep);
}

static quire_status put(struct fixture *r, int64_t tenant, const char *text)
{
    static const struct artifact_limits limits = {1000, 1000, 1000, 20};
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire_artifact out;

    struct artifact_new what = {.tenant = tenant,
                                .key = "user",
                                .path = "a",
                                .content = bytes_str(text),
                                .options = &o,
                                .limits = &limits};

    return artifact_put(r->a, &what, &r->keep, &out, &test_err);
}

/* Within a transaction, as all changes are. */
static int64_t add(struct fixture *r, const char *name, uint8_t byte)
{
    struct db *db = r->store.db;
    quire_digest token;
    int64_t id;

    memset(token.byte, byte, sizeof token.byte);
    OK(db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    OK(tenant_add(&r->catalog, name, &token, &id, &test_err));
    OK(db_commit(db, &test_err));
    return id;
}

static void drop(struct fixture *r, int64_t id, bool keep)
{
    struct db *db = r->store.db;

    OK(db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    OK(tenant_drop(&r->catalog, id, "tenants/9", &test_err));
    if (keep)
        OK(db_commit(db, &test_err));
    else
        db_rollback(db);
}

/* Whoever looked before it went: the foreign key is what refuses. */
TEST(a_put_for_a_tenant_that_is_not_there_is_refused_in_words)
{
    struct fixture r;
    uint64_t wrong;
    int64_t id;

    fixture_open(&r);
    id = add(&r, "acme", 1);
    OK(put(&r, id, "x"));
    drop(&r, id, true);
    IS(QUIRE_NOT_FOUND, put(&r, id, "x"));
    HAS(test_err.what, "tenant #2 has been removed");
    YES(test_err.next[0]);
    IS(QUIRE_NOT_FOUND, put(&r, 99, "x"));
    OK(put(&r, TENANT_DEFAULT, "x")); /* nothing is left open */
    OK(catalog_recount(&r.catalog, &wrong, &test_err));
    EQ(0, wrong);
    fixture_close(&r);
}

TEST(a_tenant_whose_removal_is_undone_is_as_it_was)
{
    struct fixture r;
    quire_tenant t;
    struct removal *files;
    int64_t id;
    size_t n;

    fixture_open(&r);
    id = add(&r, "acme", 1);
    OK(put(&r, id, "walrus"));
    drop(&r, id, false);
    OK(tenant_by_id(&r.catalog, id, &r.keep, &t, &test_err));
    EQ(1, t.artifacts);
    EQ(6, t.used);
    OK(put(&r, id, "walrus again"));
    OK(removal_list(&r.catalog, &r.keep, &files, &n, &test_err));
    EQ(0, n);
    drop(&r, id, true);
    OK(removal_list(&r.catalog, &r.keep, &files, &n, &test_err));
    EQ(1, n);
    SAME_TEXT("tenants/9", files[0].name);
    YES(files[0].size == REMOVAL_TREE);
    fixture_close(&r);
}

static quire_status stop(void *ctx, const quire_tenant *t, quire_error *err)
{
    (void)t;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_NOT_FOUND;
}

TEST(tenants_are_found_by_name_and_token_and_listed_until_somebody_stops)
{
    quire_digest token;
    int64_t a, b, another;
    quire_tenant t;
    struct fixture r;
    int n = 0;

    fixture_open(&r);
    a = add(&r, "acme", 1);
    b = add(&r, "acme", 2);
    OK(tenant_by_name(&r.catalog, "acme", &r.keep, &t, &another, &test_err));
    EQ(a, t.id);
    EQ(b, another);
    OK(tenant_by_name(&r.catalog, "default", &r.keep, &t, &another, &test_err));
    EQ(0, another);
    NO(t.has_token);
    memset(token.byte, 2, sizeof token.byte);
    OK(tenant_by_token(&r.catalog, &token, &r.keep, &t, &test_err));
    EQ(b, t.id);
    memset(token.byte, 0, sizeof token.byte);
    IS(QUIRE_NOT_FOUND,
       tenant_by_token(&r.catalog, &token, &r.keep, &t, &test_err));
    IS(QUIRE_NOT_FOUND, tenant_list(&r.catalog, stop, &n, &test_err));
    EQ(1, n);
    fixture_close(&r);
}

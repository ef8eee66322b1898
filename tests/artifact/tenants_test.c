/*
 * Tenants as rows: what the room says by itself, without the looks that the
 * handle takes first.
 */
#include <string.h>

#include "artifact/artifact.h"
#include "base/bytes.h"
#include "support/store.h"

struct room {
    struct fix store;
    struct artifacts *a;
    struct arena keep;
};

static void room_open(struct room *r)
{
    struct artifacts_config config = {.clock = &test_clock, .due = true};

    *r = (struct room){.a = NULL};
    fix_open(&r->store, QUIRE_LAYOUT_PACKED, true);
    config.db = r->store.db;
    config.blobs = r->store.blobs;
    OK(db_exec(config.db, artifact_schema, &test_err));
    OK(db_exec(config.db, blob_tenant_schema, &test_err));
    OK(db_exec(config.db, removal_schema, &test_err));
    OK(db_exec(config.db, due_schema, &test_err));
    OK(artifacts_new(&config, &r->a, &test_err));
}

static void room_close(struct room *r)
{
    artifacts_free(r->a);
    fix_close(&r->store);
    arena_release(&r->keep);
}

static quire_status put(struct room *r, int64_t tenant, const char *text)
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
static int64_t add(struct room *r, const char *name, uint8_t byte)
{
    struct db *db = r->store.db;
    quire_digest token;
    int64_t id;

    memset(token.byte, byte, sizeof token.byte);
    OK(db_begin(db, DB_DURABLE, &test_err));
    OK(tenant_add(r->a, name, &token, &id, &test_err));
    OK(db_commit(db, &test_err));
    return id;
}

static void drop(struct room *r, int64_t id, bool keep)
{
    struct db *db = r->store.db;

    OK(db_begin(db, DB_DURABLE, &test_err));
    OK(tenant_drop(r->a, id, "tenants/9", &test_err));
    if (keep)
        OK(db_commit(db, &test_err));
    else
        db_rollback(db);
}

/* Whoever looked before it went: the foreign key is what refuses. */
TEST(a_put_for_a_tenant_that_is_not_there_is_refused_in_words)
{
    struct room r;
    uint64_t wrong;
    int64_t id;

    room_open(&r);
    id = add(&r, "acme", 1);
    OK(put(&r, id, "x"));
    drop(&r, id, true);
    IS(QUIRE_NOT_FOUND, put(&r, id, "x"));
    HAS(test_err.what, "tenant #2 has been removed");
    YES(test_err.next[0]);
    IS(QUIRE_NOT_FOUND, put(&r, 99, "x"));
    OK(put(&r, TENANT_DEFAULT, "x")); /* nothing is left open */
    OK(artifacts_recount(r.a, &wrong, &test_err));
    EQ(0, wrong);
    room_close(&r);
}

static quire_status count_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    (void)hit;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

TEST(a_tenant_whose_removal_is_undone_is_as_it_was)
{
    struct artifact_query q = {.text = "walrus", .limit = 5};
    struct room r;
    quire_tenant t;
    struct removal *files;
    bool partial = false;
    int hits = 0;
    size_t n;

    room_open(&r);
    q.tenant = add(&r, "acme", 1);
    OK(put(&r, q.tenant, "walrus"));
    drop(&r, q.tenant, false);
    OK(tenant_by_id(r.a, q.tenant, &r.keep, &t, &test_err));
    EQ(1, t.artifacts);
    EQ(6, t.used);
    OK(artifact_search(r.a, &q, count_hit, &hits, &partial, &test_err));
    EQ(1, hits); /* its index is there */
    OK(put(&r, q.tenant, "walrus again"));
    OK(owner_removals(r.a, &r.keep, &files, &n, &test_err));
    EQ(0, n);
    drop(&r, q.tenant, true);
    OK(owner_removals(r.a, &r.keep, &files, &n, &test_err));
    EQ(1, n);
    SAME_TEXT("tenants/9", files[0].name);
    YES(files[0].size == REMOVAL_TREE);
    room_close(&r);
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
    struct room r;
    int n = 0;

    room_open(&r);
    a = add(&r, "acme", 1);
    b = add(&r, "acme", 2);
    OK(tenant_by_name(r.a, "acme", &r.keep, &t, &another, &test_err));
    EQ(a, t.id);
    EQ(b, another);
    OK(tenant_by_name(r.a, "default", &r.keep, &t, &another, &test_err));
    EQ(0, another);
    NO(t.has_token);
    memset(token.byte, 2, sizeof token.byte);
    OK(tenant_by_token(r.a, &token, &r.keep, &t, &test_err));
    EQ(b, t.id);
    memset(token.byte, 0, sizeof token.byte);
    IS(QUIRE_NOT_FOUND, tenant_by_token(r.a, &token, &r.keep, &t, &test_err));
    IS(QUIRE_NOT_FOUND, tenant_list(r.a, stop, &n, &test_err));
    EQ(1, n);
    room_close(&r);
}

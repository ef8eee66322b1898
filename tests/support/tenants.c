/* tenants.c - a home that several share, for tests */
#include "support/catalog.h"
#include "support/tenants.h"

#include <stdio.h>
#include <string.h>

#include "catalog/catalog.h"
#include "base/bytes.h"
#include "store/db.h"

quire *tenants_open(const char *tenant, unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.flags = flags;
    o.busy_ms = 20000;
    o.tenant = tenant ? tenant : "default";
    OK(quire_open(&o, &q, &test_err));
    return q;
}

void tenants_refused(const char *tenant, quire_status status)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.tenant = tenant;
    IS(status, quire_open(&o, &q, &test_err));
    YES(q == NULL);
    YES(test_err.what[0] && test_err.next[0]);
}

int64_t tenants_add(const char *name)
{
    char token[QUIRE_TOKEN_SIZE];
    quire *q = tenants_open(NULL, 0);
    quire_tenant t;
    int64_t id;

    OK(quire_tenant_add(q, name, token, &t, &test_err));
    id = t.id;
    quire_close(q);
    return id;
}

quire_artifact tenants_put(quire *q, const char *path, const char *text)
{
    quire_artifact a;

    OK(quire_artifact_put(q, NULL, path, bytes_str(text), NULL, &a, &test_err));
    return a;
}

static quire_status add_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

/* What a buffer has, until the test ends. */
static const char *keep(struct buf *b)
{
    char *text = test_alloc(b->len);

    if (b->len)
        memcpy(text, b->data, b->len);
    buf_release(b);
    return text;
}

const char *tenants_read(quire *q, const char *which)
{
    struct buf got = BUF_INIT(1 << 22);
    quire_artifact a;

    OK(quire_artifact_get(q, NULL, which, NULL, add_bytes, &got, &a,
                          &test_err));
    return keep(&got);
}

struct tenants_session tenants_session(quire *q, const char *title)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct tenants_session out;
    struct buf text = BUF_INIT(4096);
    quire_session_info info;
    quire_session *s;

    o.flags = QUIRE_SESSION_AT_ONCE;
    o.title = title;
    o.cwd = "/w";
    OK(quire_session_new(q, &o, &s, &test_err));
    quire_session_describe(s, &info);
    buf_add_str(&text, info.id);
    out.id = keep(&text);
    buf_add_str(&text, info.path);
    out.path = keep(&text);
    quire_session_close(s);
    return out;
}

static quire_status add_title(void *ctx, const quire_session_info *info,
                              quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s ", info->title);
    return QUIRE_OK;
}

const char *tenants_sessions(quire *q)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_session_list(q, NULL, add_title, &got, &test_err));
    return keep(&got);
}

static struct db *open_db(void)
{
    struct db *db;

    db = catalogue_open();
    return db;
}

void tenants_sql(const char *sql)
{
    struct db *db = open_db();

    OK(db_exec(db, sql, &test_err));
    db_close(db);
}

uint64_t tenants_recount(void)
{
    struct catalog c = {.clock = &clock_system};
    uint64_t wrong;

    OK(catalog_open(&c, open_db(), false, &test_err));
    OK(catalog_recount(&c, &wrong, &test_err));
    catalog_close(&c);
    return wrong;
}

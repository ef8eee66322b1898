#include "support/backends.h"

#include <string.h>

#include "base/bytes.h"
#include "store/rows.h"
#include "support/postgres.h"
#include "support/s3.h"
#include "support/test.h"

static struct fault idle;

static struct store *open_memory(void)
{
    struct store *s;

    OK(store_memory_open(&clock_system, &s, &test_err));
    return s;
}

struct store *backend_files(void)
{
    struct store *s;

    OK(store_files_open(test_path("store"), false, &s, &test_err));
    return s;
}

static struct store *open_wrapped(void)
{
    struct store *s = backend_files();

    OK(store_intercept(s, fault_hook(&idle), &test_err));
    return s;
}

struct store *backend_rows(struct db *db)
{
    struct rows_config config = {.db = db,
                                 .root = "tenants/7",
                                 .place = "rows",
                                 .process = "test process",
                                 .clock = &clock_system};
    struct store *s;

    OK(store_rows_prepare(db, &test_err));
    OK(store_rows_prepare(db, &test_err)); /* they are there */
    OK(store_rows_open(&config, &s, &test_err));
    return s;
}

struct db *backend_database(void)
{
    struct db_config config = {.path = test_path("rows.db"),
                               .access = DB_WRITE,
                               .busy_ms = 2000};
    struct db *db;

    OK(db_sqlite_open(&config, &db, &test_err));
    return db;
}

static struct store *open_sqlite_rows(void)
{
    return backend_rows(backend_database());
}

static struct store *open_postgres_rows(void)
{
    return test_has_postgres() ? backend_rows(test_postgres()) : NULL;
}

static struct store *(*const backends[])(void) = {
    open_memory,      backend_files,      open_wrapped,
    open_sqlite_rows, open_postgres_rows,
};

void backend_each(void (*body)(struct store *s))
{
    size_t i;

    for (i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct store *s = backends[i]();

        if (!s)
            continue;
        body(s);
        store_free(s);
        test_forget_dir();
    }
}

/* ---- S3 ------------------------------------------------------------------- */

static void ignore_store(struct store *s)
{
    (void)s; /* it is on the stack */
}

static void ignore_line(void *ctx, const char *line)
{
    (void)ctx;
    YES(strncmp(line, "object ", 7) == 0);
}

static void over_bucket(void (*body)(struct store *s), bool wrapped)
{
    struct trace trace = {.line = ignore_line};
    struct store s = {.objects = test_s3_objects(), .free = ignore_store};

    if (wrapped) {
        OK(object_intercept(s.objects, fault_hook(&idle), &s.objects,
                            &test_err));
        OK(object_intercept(s.objects, trace_hook(&trace), &s.objects,
                            &test_err));
    }
    body(&s);
    OK(object_clear(s.objects, "", &test_err));
    store_free(&s);
    test_forget_dir();
}

void backend_each_s3(void (*body)(struct store *s))
{
    if (!test_has_s3())
        SKIP("QUIRE_TEST_S3 names no S3 store");
    over_bucket(body, false);
    over_bucket(body, true);
}

bool backend_is_bucket(const struct store *s)
{
    return !strncmp(object_place(s->objects), "s3://", 5);
}

/* ---- objects -------------------------------------------------------------- */

quire_status backend_put(struct store *s, const char *name, const char *text,
                         bool replace)
{
    struct draft *d;
    quire_status st;

    OK(object_create(s->objects, &d, &test_err));
    OK(object_write(d, bytes_of(text, strlen(text) / 2), &test_err));
    OK(object_write(d, bytes_str(text + strlen(text) / 2), &test_err));
    st = object_publish(d, name, replace, &test_err);
    if (st == QUIRE_EXISTS)
        object_discard(d);
    return st;
}

void backend_holds(struct store *s, const char *name, const char *text)
{
    struct object_info info, stat;
    struct object *o;
    char buf[256];
    size_t n;

    OK(object_stat(s->objects, name, &stat, &test_err));
    OK(object_open(s->objects, name, &o, &info, &test_err));
    EQ(strlen(text), info.size);
    EQ(strlen(text), stat.size);
    OK(object_read(o, 0, buf, sizeof buf, &n, &test_err));
    SAME(bytes_str(text), bytes_of(buf, n));
    object_close(o);
}

bool backend_lacks(struct store *s, const char *name)
{
    struct object_info info;

    return object_stat(s->objects, name, &info, &test_err) == QUIRE_NOT_FOUND;
}

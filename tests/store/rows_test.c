/* Stores in rows: what several of them over one database promise each other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "store/rows.h"
#include "support/backends.h"
#include "support/postgres.h"
#include "support/test.h"

static int64_t ahead_us; /* of the clock of the stores */

static int64_t shifted(void *ctx)
{
    (void)ctx;
    return clock_us(&clock_system) + ahead_us;
}

static const struct clock moved_clock = {shifted, NULL};

static struct store *open_over(struct db *db, const char *root)
{
    struct rows_config config = {.db = db,
                                 .root = root,
                                 .place = "rows",
                                 .process = "host process 1",
                                 .clock = &moved_clock};
    struct store *s;

    OK(store_rows_prepare(db, &test_err));
    OK(store_rows_open(&config, &s, &test_err));
    return s;
}

/* Two stores over one database, of SQLite and of PostgreSQL. */
static void with_two(void (*body)(struct store *a, struct store *b))
{
    struct postgres_pool *pool;
    struct store *a, *b;

    ahead_us = 0;
    a = open_over(backend_database(), "");
    b = open_over(backend_database(), "");
    body(a, b);
    store_free(a);
    store_free(b);
    test_forget_dir();
    if (!test_has_postgres())
        return;
    ahead_us = 0;
    pool = test_postgres_pool("", 2000);
    a = open_over(test_postgres_handle(pool, NULL), "");
    b = open_over(test_postgres_handle(pool, NULL), "");
    body(a, b);
    store_free(a);
    store_free(b);
    postgres_pool_close(pool);
}

static void put_log(struct store *s, const char *name, const char *text)
{
    struct log_draft *d;

    OK(log_create(s->logs, name, &d, &test_err));
    OK(log_write(d, bytes_str(text), &test_err));
    OK(log_publish(d, name, true, NULL, &test_err));
}

static struct log *edit(struct store *s, const char *name)
{
    struct object_info info;
    struct log *l;

    OK(log_open(s->logs, name, LOG_APPEND, &l, &info, &test_err));
    return l;
}

static void reads(struct log *l, const char *text)
{
    char buf[64];
    size_t n;

    OK(log_read(l, 0, buf, sizeof buf, &n, &test_err));
    SAME(bytes_str(text), bytes_of(buf, n));
}

/* ---- logs ---------------------------------------------------------------------- */

static void appends_in_turn(struct store *a, struct store *b)
{
    struct log *one, *two;

    put_log(a, "d/log", "0\n");
    one = edit(a, "d/log");
    two = edit(b, "d/log");
    OK(log_append(one, LOG_NO_EPOCH, 2, bytes_str("1\n"), &test_err));
    IS(QUIRE_CHANGED,
       log_append(two, LOG_NO_EPOCH, 2, bytes_str("x\n"), &test_err));
    HAS(test_err.what, "has 4 bytes, not the 2");
    OK(log_append(two, LOG_NO_EPOCH, 4, bytes_str("2\n"), &test_err));
    reads(one, "0\n1\n2\n");
    log_close(one);
    log_close(two);
}

TEST(rows_append_is_kept_only_at_the_expected_size)
{
    with_two(appends_in_turn);
}

static void holds(struct store *a, struct store *b)
{
    struct log *one, *two;

    put_log(a, "log", "0\n");
    one = edit(a, "log");
    two = edit(b, "log");
    OK(log_hold(one, 0, &test_err));
    IS(QUIRE_BUSY, log_hold(two, 30, &test_err));
    HAS(test_err.what, "host process 1 is writing to rows/log");
    OK(log_append(one, LOG_NO_EPOCH, 2, bytes_str("1\n"), &test_err));
    log_release(one);
    OK(log_hold(two, 0, &test_err));
    OK(log_append(two, LOG_NO_EPOCH, 4, bytes_str("2\n"), &test_err));
    log_close(two);
    OK(log_hold(one, 0, &test_err));
    log_close(one);
}

TEST(rows_hold_keeps_other_stores_out_and_names_the_holder)
{
    with_two(holds);
}

static void fences(struct store *a, struct store *b)
{
    struct log *one, *two;

    put_log(a, "log", "0\n");
    one = edit(a, "log");
    two = edit(b, "log");
    OK(log_hold(one, 0, &test_err));
    /* It goes on as long as nobody else has taken it. */
    ahead_us += (ROWS_HOLD_MS + 1000) * INT64_C(1000);
    OK(log_append(one, LOG_NO_EPOCH, 2, bytes_str("1\n"), &test_err));
    ahead_us += (ROWS_HOLD_MS + 1000) * INT64_C(1000);
    OK(log_hold(two, 0, &test_err));
    IS(QUIRE_CHANGED,
       log_append(one, LOG_NO_EPOCH, 4, bytes_str("x\n"), &test_err));
    HAS(test_err.what, "another writer has taken the lease");
    OK(log_append(two, LOG_NO_EPOCH, 4, bytes_str("2\n"), &test_err));
    /* Letting go of what was lost leaves the other's hold alone. */
    log_close(one);
    one = edit(a, "log");
    IS(QUIRE_BUSY, log_hold(one, 0, &test_err));
    reads(one, "0\n1\n2\n");
    log_close(one);
    log_close(two);
}

TEST(rows_hold_that_ended_is_fenced_off)
{
    with_two(fences);
}

static void replaces(struct store *a, struct store *b)
{
    struct log *one, *two;
    struct log_draft *d;

    put_log(a, "log", "old\n");
    one = edit(a, "log");
    two = edit(b, "log");
    OK(log_hold(one, 0, &test_err));
    OK(log_create(a->logs, "log", &d, &test_err));
    OK(log_write(d, bytes_str("new\n"), &test_err));
    OK(log_replace(one, d, &test_err));
    reads(one, "new\n");
    reads(two, "old\n"); /* the generation that it has open */
    log_close(two);
    two = edit(b, "log");
    reads(two, "new\n");
    IS(QUIRE_BUSY, log_hold(two, 0, &test_err));
    OK(log_append(one, LOG_NO_EPOCH, 4, bytes_str("1\n"), &test_err));
    log_close(one);
    OK(log_hold(two, 0, &test_err));
    OK(log_append(two, LOG_NO_EPOCH, 6, bytes_str("2\n"), &test_err));
    reads(two, "new\n1\n2\n");
    log_close(two);
}

TEST(rows_log_stays_held_when_a_generation_replaces_it)
{
    with_two(replaces);
}

/* A process for each, which appends its own digit. */
static void append_many(struct store *s, char digit, int n)
{
    struct log *l = edit(s, "log");
    uint64_t size;
    bool named;
    quire_status st;
    int i;

    for (i = 0; i < n; i++) {
        do {
            OK(log_status(l, &size, &named, &test_err));
            st = log_append(l, LOG_NO_EPOCH, size, bytes_of(&digit, 1),
                            &test_err);
        } while (st == QUIRE_CHANGED || st == QUIRE_BUSY);
        OK(st);
    }
    log_close(l);
}

enum { WRITERS = 4, EACH = 50 };

static void spawn(struct store *(*open)(void))
{
    char buf[WRITERS * EACH + 1];
    int i, status, count[WRITERS] = {0};
    struct log *l;
    struct store *s = open();
    pid_t pids[WRITERS];
    size_t n;

    put_log(s, "log", "");
    store_free(s);
    for (i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            append_many(open(), (char)('0' + i), EACH);
            _exit(0);
        }
    }
    for (i = 0; i < WRITERS; i++) {
        YES(waitpid(pids[i], &status, 0) == pids[i]);
        EQ(0, status);
    }
    s = open();
    l = edit(s, "log");
    OK(log_read(l, 0, buf, sizeof buf, &n, &test_err));
    EQ(WRITERS * EACH, n);
    while (n-- > 0)
        count[buf[n] - '0']++;
    for (i = 0; i < WRITERS; i++)
        EQ(EACH, count[i]);
    log_close(l);
    store_free(s);
}

static struct store *open_sqlite(void)
{
    return open_over(backend_database(), "");
}

TEST(rows_of_many_writers_are_all_kept_once)
{
    ahead_us = 0;
    spawn(open_sqlite);
}

/* ---- content without a name ------------------------------------------------------ */

static void outlives(struct store *a, struct store *b)
{
    struct object_info info;
    struct object *o;
    char buf[16];
    size_t n;

    OK(backend_put(a, "dir/x", "text", false));
    OK(object_open(b->objects, "dir/x", &o, &info, &test_err));
    EQ(4, info.size);
    OK(object_remove(a->objects, "dir/x", &test_err));
    YES(backend_lacks(b, "dir/x"));
    OK(object_read(o, 0, buf, sizeof buf, &n, &test_err));
    SAME(bytes_str("text"), bytes_of(buf, n));
    OK(object_read(o, 4, buf, sizeof buf, &n, &test_err));
    EQ(0, n);
    object_close(o);
}

TEST(rows_object_outlives_its_name_for_those_who_have_it_open)
{
    with_two(outlives);
}

static int64_t reap(void)
{
    struct db *db = backend_database();
    int64_t n;

    OK(store_rows_reap(db, &moved_clock, &n, &test_err));
    db_close(db);
    return n;
}

TEST(rows_reap_removes_what_has_had_no_name_for_an_hour)
{
    struct object_info info;
    struct object *open;
    struct store *s;
    struct draft *d;
    char *big = calloc(1, 1 << 20), buf[4];
    size_t n;

    ahead_us = 0;
    s = open_over(backend_database(), "");
    YES(big != NULL);
    OK(backend_put(s, "kept", "1", false));
    OK(backend_put(s, "gone", "2", false));
    OK(backend_put(s, "replaced", "3", false));
    OK(backend_put(s, "replaced", "4", true));
    OK(object_open(s->objects, "gone", &open, &info, &test_err));
    OK(object_remove(s->objects, "gone", &test_err));
    OK(object_create(s->objects, &d, &test_err)); /* stored in part */
    OK(object_write(d, bytes_of(big, 1 << 20), &test_err));
    EQ(0, reap());
    ahead_us += (ROWS_KEEP_S + 60) * INT64_C(1000000);
    EQ(3, reap());
    IS(QUIRE_CHANGED, object_read(open, 0, buf, sizeof buf, &n, &test_err));
    object_close(open);
    IS(QUIRE_CHANGED, object_publish(d, "late", false, &test_err));
    HAS(test_err.what, "removed after an hour");
    YES(backend_lacks(s, "late"));
    backend_holds(s, "kept", "1");
    backend_holds(s, "replaced", "4");
    EQ(0, reap());
    store_free(s);
    free(big);
}

/* ---- the lock of the store -------------------------------------------------------- */

static void locks(struct store *a, struct store *b)
{
    OK(lease_lock(a->leases, LEASE_SHARED, 0, &test_err));
    OK(lease_lock(b->leases, LEASE_SHARED, 0, &test_err));
    IS(QUIRE_BUSY, lease_lock(b->leases, LEASE_EXCLUSIVE, 20, &test_err));
    OK(lease_lock(b->leases, LEASE_UNLOCK, 0, &test_err));
    OK(lease_lock(a->leases, LEASE_UNLOCK, 0, &test_err));
    OK(lease_lock(b->leases, LEASE_EXCLUSIVE, 0, &test_err));
    IS(QUIRE_BUSY, lease_lock(a->leases, LEASE_SHARED, 20, &test_err));
    HAS(test_err.what, "holds the store rows exclusively");
    /* A process that died keeps it for a minute. */
    ahead_us += INT64_C(61) * 1000000;
    OK(lease_lock(a->leases, LEASE_SHARED, 0, &test_err));
    OK(lease_lock(a->leases, LEASE_UNLOCK, 0, &test_err));
}

TEST(rows_lock_of_the_store_is_shared_or_exclusive_among_stores)
{
    with_two(locks);
}

/* ---- roots -------------------------------------------------------------------------- */

static quire_status count(void *ctx, const char *name,
                          const struct object_info *info, quire_error *err)
{
    (void)name, (void)info, (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

TEST(rows_of_a_root_are_seen_below_it_and_in_the_whole)
{
    struct store *whole, *one, *other;
    int n = 0;

    ahead_us = 0;
    whole = open_over(backend_database(), "");
    one = open_over(backend_database(), "tenants/2");
    other = open_over(backend_database(), "tenants/22");
    OK(backend_put(one, "a/x", "1", false));
    OK(backend_put(other, "a/x", "22", false));
    OK(backend_put(whole, "a/x", "0", false));
    backend_holds(whole, "tenants/2/a/x", "1");
    backend_holds(whole, "tenants/22/a/x", "22");
    backend_holds(one, "a/x", "1");
    OK(object_list(one->objects, "", count, &n, &test_err));
    EQ(1, n);
    OK(object_clear(one->objects, "", &test_err));
    YES(backend_lacks(one, "a/x"));
    backend_holds(other, "a/x", "22");
    backend_holds(whole, "a/x", "0");
    store_free(whole);
    store_free(one);
    store_free(other);
}

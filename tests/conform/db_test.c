/* The promises of store/db.h, over every backend, bare and behind the tap. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "store/intercept.h"
#include "store/sqlite_ddl.h"
#include "support/postgres.h"
#include "support/store.h"

static struct fault idle;

static struct db *open_db(const char *path)
{
    struct db_config config = {.path = path,
                               .access = DB_WRITE,
                               .busy_ms = 200};
    struct db *db;

    OK(db_sqlite_open(&config, &db, &test_err));
    return db;
}

static struct db *open_file(void)
{
    return open_db(test_path("t.db"));
}

static struct db *open_memory(void)
{
    return open_db(NULL);
}

static struct db *open_tapped(void)
{
    struct db *db;

    OK(db_intercept(open_memory(), fault_hook(&idle), &db, &test_err));
    return db;
}

static struct db *open_tapped_postgres(void)
{
    struct db *db;

    OK(db_intercept(test_postgres(), fault_hook(&idle), &db, &test_err));
    return db;
}

static struct db *(*const backends[])(void) = {
    open_memory, open_file, open_tapped, test_postgres, open_tapped_postgres,
};

enum { N_LOCAL = 3 }; /* the others need a server */

static void over_all(void (*body)(struct db *db))
{
    size_t i;

    for (i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct db *db;

        if (i >= N_LOCAL && !test_has_postgres())
            break;
        db = backends[i]();
        OK(db_exec(db,
                   "CREATE TABLE t(id " DDL_SERIAL_KEY ", n "
                   "INTEGER, b BLOB, s TEXT UNIQUE)",
                   &test_err));
        body(db);
        db_close(db);
        test_postgres_close();
        test_forget_dir();
    }
}

static struct stmt *prepare(struct db *db, const char *sql)
{
    struct stmt *s;

    OK(db_prepare(db, sql, &s, &test_err));
    return s;
}

static int64_t ask(struct db *db, const char *sql)
{
    struct stmt *s = prepare(db, sql);
    int64_t n = -1;
    bool row;

    OK(stmt_step(s, &row, &test_err));
    if (row)
        n = stmt_column_int(s, 0);
    stmt_finalize(s);
    return n;
}

/* Some drivers look at a statement when it is executed. */
static quire_status run(struct db *db, const char *sql)
{
    struct stmt *s;
    bool row;
    quire_status st = db_prepare(db, sql, &s, &test_err);

    if (st)
        return st;
    st = stmt_step(s, &row, &test_err);
    stmt_finalize(s);
    return st;
}

static void values(struct db *db)
{
    struct stmt *in = prepare(db, "INSERT INTO t(n, b, s) VALUES(?1, ?2, ?3)");
    struct stmt *out;
    bool row;

    stmt_bind_int(in, 1, INT64_MIN);
    stmt_bind_bytes(in, 2, bytes_of("a\0b", 3));
    stmt_bind_text(in, 3, bytes_str("text"));
    OK(stmt_step(in, &row, &test_err));
    NO(row);
    EQ(1, db_changes(db));
    stmt_reset(in);
    stmt_bind_null(in, 1);
    stmt_bind_bytes(in, 2, bytes_of(NULL, 0)); /* empty is not NULL */
    stmt_bind_null(in, 3);
    OK(stmt_step(in, &row, &test_err));
    stmt_finalize(in);

    out = prepare(db, "SELECT n, b, s FROM t ORDER BY id");
    OK(stmt_step(out, &row, &test_err));
    YES(row);
    EQ(INT64_MIN, stmt_column_int(out, 0));
    SAME(bytes_of("a\0b", 3), stmt_column_bytes(out, 1));
    SAME(bytes_str("text"), stmt_column_bytes(out, 2));
    OK(stmt_step(out, &row, &test_err));
    YES(row);
    YES(stmt_column_null(out, 0));
    EQ(0, stmt_column_int(out, 0));
    NO(stmt_column_null(out, 1));
    EQ(0, stmt_column_bytes(out, 1).len);
    OK(stmt_step(out, &row, &test_err));
    NO(row);
    stmt_finalize(out);
}

static void asked(struct db *db)
{
    struct stmt *one = prepare(db, "SELECT n FROM t WHERE n = ?1");
    struct stmt *two = prepare(db, "SELECT n FROM t WHERE n > ?1 ORDER BY n");
    bool row;

    OK(db_exec(db, "INSERT INTO t(n) VALUES(1), (2), (3)", &test_err));
    stmt_bind_int(one, 1, 2);
    stmt_bind_int(two, 1, 1);
    stmt_ask(one);
    stmt_ask(two);
    OK(stmt_step(two, &row, &test_err)); /* in any order */
    YES(row);
    EQ(2, stmt_column_int(two, 0));
    OK(stmt_step(one, &row, &test_err));
    EQ(2, stmt_column_int(one, 0));
    OK(stmt_step(two, &row, &test_err));
    EQ(3, stmt_column_int(two, 0));
    OK(stmt_step(two, &row, &test_err));
    NO(row);
    /* An answer that is not read is dropped. */
    stmt_reset(one);
    stmt_bind_int(one, 1, 3);
    stmt_ask(one);
    stmt_reset(one);
    stmt_bind_int(one, 1, 9);
    OK(stmt_step(one, &row, &test_err));
    NO(row);
    stmt_finalize(one);
    stmt_finalize(two);
}

TEST(db_queries_are_asked_early_and_read_in_any_order)
{
    over_all(asked);
}

/* The failure of a posted statement may be reported by any of the calls. */
static quire_status post_two(struct db *db, const char *a, const char *b)
{
    struct stmt *in = prepare(db, "INSERT INTO t(s) VALUES(?1)");
    const char *const texts[] = {a, b};
    quire_status st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err);
    int i;

    for (i = 0; i < 2 && !st; i++) {
        stmt_bind_text(in, 1, bytes_str(texts[i]));
        st = stmt_post(in, &test_err);
    }
    if (st)
        db_rollback(db);
    else
        st = db_commit(db, &test_err);
    stmt_finalize(in);
    return st;
}

static void posted(struct db *db)
{
    OK(post_two(db, "a", "b"));
    EQ(2, ask(db, "SELECT count(*) FROM t"));
    EQ(QUIRE_EXISTS, post_two(db, "c", "a"));
    NO(db_inside(db));
    EQ(2, ask(db, "SELECT count(*) FROM t"));
    OK(post_two(db, "c", "d"));
    EQ(4, ask(db, "SELECT count(*) FROM t"));
}

TEST(db_posted_changes_are_kept_together_or_not_at_all)
{
    over_all(posted);
}

static void add_serial(struct db *db, int64_t id)
{
    struct stmt *s = prepare(db, "INSERT INTO serial(id) VALUES(?1)");
    bool row;

    stmt_bind_int(s, 1, id);
    OK(stmt_step(s, &row, &test_err));
    stmt_finalize(s);
}

static void next_ids(struct db *db)
{
    int64_t id, next;

    OK(db_exec(db,
               "CREATE TABLE serial(id " DDL_SERIAL_KEY ", n INTEGER);"
               "CREATE TABLE serial_two(id " DDL_SERIAL_KEY ")",
               &test_err));
    id = ask(db, DB_NEXT_ID("serial"));
    YES(id > 0);
    EQ(1, ask(db, DB_NEXT_ID("serial_two")));
    add_serial(db, id);
    next = ask(db, DB_NEXT_ID("serial"));
    YES(next > id);
    OK(db_exec(db, "INSERT INTO serial(n) VALUES(1)", &test_err));
    id = ask(db, "SELECT max(id) FROM serial");
    YES(id >= next);
    OK(db_exec(db, "DELETE FROM serial", &test_err));
    YES(ask(db, DB_NEXT_ID("serial")) > id);
}

TEST(db_an_id_is_never_returned_again)
{
    over_all(next_ids);
}

TEST(db_waits_are_counted_by_flight)
{
    struct waits w = {0};
    struct stmt *one, *two, *in;
    struct db *db;
    bool row;

    OK(db_intercept(open_memory(), waits_hook(&w), &db, &test_err));
    OK(db_exec(db, "CREATE TABLE t(n INTEGER)", &test_err));
    one = prepare(db, "SELECT n FROM t");
    two = prepare(db, "SELECT count(*) FROM t");
    in = prepare(db, "INSERT INTO t(n) VALUES(?1)");
    w.n = 0;
    OK(db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    stmt_ask(one);
    stmt_ask(two);
    EQ(0, w.n);
    OK(stmt_step(one, &row, &test_err));
    OK(stmt_step(two, &row, &test_err));
    EQ(1, w.n);
    OK(stmt_step(two, &row, &test_err)); /* the same answer */
    stmt_bind_int(in, 1, 5);
    OK(stmt_post(in, &test_err));
    EQ(1, w.n);
    OK(db_commit(db, &test_err));
    EQ(2, w.n);
    /* Without asking each waits for itself. */
    stmt_reset(one);
    stmt_reset(two);
    OK(db_begin(db, DB_LOOK, DB_ALL_TENANTS, &test_err));
    OK(stmt_step(one, &row, &test_err));
    OK(stmt_step(two, &row, &test_err));
    db_rollback(db);
    EQ(4, w.n);
    stmt_finalize(one);
    stmt_finalize(two);
    stmt_finalize(in);
    db_close(db);
    test_forget_dir();
}

/* ---- hooks of the wrapper ------------------------------------------------- */

struct recorded {
    char text[4096];
    size_t n;
};

static void record(struct recorded *r, const char *what, const char *on)
{
    r->n += (size_t)snprintf(r->text + r->n, sizeof r->text - r->n, "%s%s%s\n",
                             what, *on ? " " : "", on);
}

static void record_call(void *ctx, const char *call, const char *on,
                        quire_status result)
{
    YES(result == QUIRE_OK);
    record(ctx, call, on);
}

static void record_wait(void *ctx, const char *on)
{
    record(ctx, " wait", on);
}

/* Every slot once, in the order of db.h. */
static void call_every_slot(struct db *db)
{
    struct stmt *in, *out;
    int64_t number, other;
    bool yes;

    OK(db_exec(db, "CREATE TABLE t(n, s)", &test_err));
    in = prepare(db, "INSERT INTO t VALUES(?1, ?2)");
    out = prepare(db, "SELECT n, s FROM t");
    OK(db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    stmt_bind_int(in, 1, 1);
    stmt_bind_text(in, 2, bytes_str("x"));
    OK(stmt_post(in, &test_err));
    stmt_bind_null(in, 1);
    stmt_bind_bytes(in, 2, bytes_str("y"));
    OK(stmt_step(in, &yes, &test_err));
    EQ(1, db_changes(db));
    stmt_ask(out);
    OK(stmt_step(out, &yes, &test_err));
    EQ(1, stmt_column_int(out, 0));
    EQ(1, stmt_column_bytes(out, 1).len);
    NO(stmt_column_null(out, 0));
    stmt_reset(out);
    YES(db_inside(db));
    OK(db_commit(db, &test_err));
    db_rollback(db);
    stmt_finalize(in);
    stmt_finalize(out);
    OK(db_begin(db, DB_LOOK, DB_ALL_TENANTS, &test_err));
    OK(db_commit(db, &test_err));
    OK(db_open_group(db, &test_err));
    OK(db_close_group(db, true, &yes, &test_err));
    db_relax(db, true);
    OK(db_settle(db, &test_err));
    OK(db_schema_version(db, &number, &test_err));
    OK(db_set_schema_version(db, 3, &test_err));
    OK(db_data_version(db, &number, &test_err));
    OK(db_has_table(db, "t", &yes, &test_err));
    OK(db_has_only_tables(db, "t", "u", &yes, &test_err));
    OK(db_space(db, &number, &other, &test_err));
    OK(db_release_space(db, 1, &number, &test_err));
}

TEST(db_hooks_see_each_call_that_can_fail_and_each_wait)
{
    static const char expected[] = " wait CREATE TABLE t(n, s)\n"
                                   "db exec CREATE TABLE t(n, s)\n"
                                   "db prepare INSERT INTO t VALUES(?1, ?2)\n"
                                   "db prepare SELECT n, s FROM t\n"
                                   "db begin\n"
                                   "db post INSERT INTO t VALUES(?1, ?2)\n"
                                   " wait INSERT INTO t VALUES(?1, ?2)\n"
                                   "db step INSERT INTO t VALUES(?1, ?2)\n"
                                   " wait SELECT n, s FROM t\n"
                                   "db step SELECT n, s FROM t\n"
                                   " wait db commit\n"
                                   "db commit\n"
                                   "db begin\n"
                                   "db commit\n"
                                   "db open group\n"
                                   " wait db close group\n"
                                   "db close group\n"
                                   "db settle\n"
                                   " wait db schema version\n"
                                   "db schema version\n"
                                   " wait db set schema version\n"
                                   "db set schema version\n"
                                   "db data version\n"
                                   " wait t\n"
                                   "db has table t\n"
                                   " wait t\n"
                                   "db has only tables t\n"
                                   " wait db space\n"
                                   "db space\n"
                                   " wait db release space\n"
                                   "db release space\n";
    struct recorded r = {.n = 0};
    struct intercept hook = {.after = record_call,
                             .ctx = &r,
                             .wait = record_wait};
    struct db *db;

    OK(db_intercept(open_memory(), hook, &db, &test_err));
    call_every_slot(db);
    SAME_TEXT(expected, r.text);
    db_close(db);
    test_forget_dir();
}

TEST(db_values_come_back_as_they_went_in)
{
    over_all(values);
}

static void taken(struct db *db)
{
    OK(db_exec(db, "INSERT INTO t(s) VALUES('x')", &test_err));
    IS(QUIRE_EXISTS, db_exec(db, "INSERT INTO t(s) VALUES('x')", &test_err));
    IS(QUIRE_IO, db_exec(db, "no sql", &test_err));
    IS(QUIRE_IO, run(db, "SELECT nothing"));
    EQ(1, ask(db, "SELECT count(*) FROM t"));
}

TEST(db_constraint_is_an_answer)
{
    over_all(taken);
}

static void transactions(struct db *db)
{
    OK(db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    OK(db_exec(db, "INSERT INTO t(n) VALUES(1)", &test_err));
    db_rollback(db);
    EQ(0, ask(db, "SELECT count(*) FROM t"));
    OK(db_begin(db, DB_SOON, DB_ALL_TENANTS, &test_err));
    OK(db_exec(db, "INSERT INTO t(n) VALUES(1)", &test_err));
    OK(db_commit(db, &test_err));
    EQ(1, ask(db, "SELECT count(*) FROM t"));
    OK(db_begin(db, DB_LOOK, DB_ALL_TENANTS, &test_err));
    EQ(1, ask(db, "SELECT count(*) FROM t"));
    OK(db_commit(db, &test_err));
    db_rollback(db); /* without one: harmless */
}

TEST(db_transaction_keeps_all_or_nothing)
{
    over_all(transactions);
}

static void add_part(struct db *db, const char *sql, bool keep)
{
    OK(db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    YES(db_inside(db));
    if (sql)
        OK(db_exec(db, sql, &test_err));
    if (keep)
        OK(db_commit(db, &test_err));
    else
        db_rollback(db);
    NO(db_inside(db));
}

static void groups(struct db *db)
{
    bool kept;

    OK(db_open_group(db, &test_err));
    NO(db_inside(db));
    IS(QUIRE_INVALID, db_open_group(db, &test_err));
    add_part(db, "INSERT INTO t(n) VALUES(1)", true);
    add_part(db, NULL, false); /* it was refused */
    add_part(db, "INSERT INTO t(n) VALUES(2)", true);
    EQ(2, ask(db, "SELECT count(*) FROM t"));
    OK(db_settle(db, &test_err));
    OK(db_close_group(db, true, &kept, &test_err));
    YES(kept);
    EQ(2, ask(db, "SELECT count(*) FROM t"));
    OK(db_begin(db, DB_SOON, DB_ALL_TENANTS, &test_err));
    db_rollback(db);
}

TEST(db_group_keeps_all_its_parts)
{
    over_all(groups);
}

static void spoiled(struct db *db)
{
    struct stmt *s = prepare(db, "SELECT count(*) FROM t");
    bool row, kept;

    OK(db_open_group(db, &test_err));
    add_part(db, "INSERT INTO t(n) VALUES(1)", true);
    add_part(db, "INSERT INTO t(n) VALUES(2)", false);
    /* Whatever comes after it would be kept without the others. */
    IS(QUIRE_IO, db_begin(db, DB_SOON, DB_ALL_TENANTS, &test_err));
    IS(QUIRE_IO, db_exec(db, "INSERT INTO t(n) VALUES(3)", &test_err));
    IS(QUIRE_IO, stmt_step(s, &row, &test_err));
    NO(row);
    IS(QUIRE_IO, db_close_group(db, true, &kept, &test_err));
    NO(kept);
    HAS(test_err.next, "one by one");
    stmt_reset(s);
    stmt_finalize(s);
    EQ(0, ask(db, "SELECT count(*) FROM t"));
    OK(db_exec(db, "INSERT INTO t(n) VALUES(4)", &test_err));

    /* A failure may end its transaction. */
    OK(db_open_group(db, &test_err));
    add_part(db, "INSERT INTO t(n) VALUES(5)", true);
    OK(db_begin(db, DB_SOON, DB_ALL_TENANTS, &test_err));
    OK(db_exec(db, "ROLLBACK", &test_err));
    NO(db_inside(db));
    IS(QUIRE_IO, db_exec(db, "INSERT INTO t(n) VALUES(6)", &test_err));
    IS(QUIRE_IO, db_commit(db, &test_err));
    IS(QUIRE_IO, db_close_group(db, true, &kept, &test_err));
    NO(kept);
    EQ(1, ask(db, "SELECT count(*) FROM t"));
}

TEST(db_group_with_a_part_that_is_half_done_is_not_kept)
{
    over_all(spoiled);
}

static void given_up(struct db *db)
{
    bool kept = true;

    OK(db_exec(db, "DELETE FROM t", &test_err));
    OK(db_open_group(db, &test_err));
    add_part(db, "INSERT INTO t(n) VALUES(1)", true);
    OK(db_close_group(db, false, &kept, &test_err));
    NO(kept);
    EQ(0, ask(db, "SELECT count(*) FROM t"));
    OK(db_open_group(db, &test_err));
    add_part(db, "INSERT INTO t(n) VALUES(2)", true);
    OK(db_close_group(db, true, &kept, &test_err));
    EQ(1, ask(db, "SELECT count(*) FROM t"));
}

TEST(db_group_that_is_given_up_leaves_nothing)
{
    over_all(given_up);
}

TEST(db_group_has_the_right_to_write_until_it_ends)
{
    struct db *a = open_file(), *b = open_file();
    bool kept;

    OK(db_exec(a, "CREATE TABLE t(n)", &test_err));
    OK(db_open_group(a, &test_err));
    add_part(a, "INSERT INTO t VALUES(1)", true);
    IS(QUIRE_BUSY, db_begin(b, DB_SOON, DB_ALL_TENANTS, &test_err));
    EQ(0, ask(b, "SELECT count(*) FROM t"));
    OK(db_close_group(a, true, &kept, &test_err));
    YES(kept);
    EQ(1, ask(b, "SELECT count(*) FROM t"));
    OK(db_open_group(b, &test_err));
    IS(QUIRE_BUSY, db_open_group(a, &test_err));
    db_close(b); /* with all that is open */
    OK(db_open_group(a, &test_err));
    OK(db_close_group(a, true, &kept, &test_err));
    YES(kept);
    db_close(a);
}

static void bind_out_of_range(struct db *db)
{
    struct stmt *s;
    bool row;

    OK(db_prepare(db, "SELECT ?1", &s, &test_err));
    stmt_bind_int(s, 2, 1);
    YES(stmt_step(s, &row, &test_err) != QUIRE_OK);
    stmt_reset(s);
    stmt_bind_int(s, 1, 7);
    OK(stmt_step(s, &row, &test_err));
    EQ(7, stmt_column_int(s, 0));
    stmt_finalize(s);
}

TEST(db_failure_to_bind_is_reported_by_the_next_step)
{
    over_all(bind_out_of_range);
}

static void schema(struct db *db)
{
    bool is = true;
    int64_t n;

    OK(db_schema_version(db, &n, &test_err));
    EQ(0, n);
    OK(db_begin(db, DB_SOON, DB_ALL_TENANTS, &test_err));
    OK(db_set_schema_version(db, 7, &test_err));
    db_rollback(db);
    OK(db_schema_version(db, &n, &test_err));
    EQ(0, n);
    OK(db_set_schema_version(db, 7, &test_err));
    OK(db_schema_version(db, &n, &test_err));
    EQ(7, n);
    OK(db_has_table(db, "u", &is, &test_err));
    NO(is);
    OK(db_has_table(db, "t", &is, &test_err));
    YES(is);
    OK(db_has_only_tables(db, "t", "u", &is, &test_err));
    NO(is);
    OK(db_exec(db, "CREATE TABLE u(n INTEGER)", &test_err));
    OK(db_has_only_tables(db, "t", "u", &is, &test_err));
    YES(is);
    OK(db_exec(db, "CREATE VIEW v AS SELECT n FROM u", &test_err));
    OK(db_has_only_tables(db, "t", "u", &is, &test_err));
    NO(is);
}

TEST(db_knows_its_tables_and_keeps_the_version_of_its_schema)
{
    over_all(schema);
}

TEST(db_data_version_counts_the_commits_of_others_only)
{
    struct db *db = open_file(), *other = open_file();
    int64_t before, after;

    OK(db_exec(db, "CREATE TABLE t(n INTEGER)", &test_err));
    OK(db_data_version(db, &before, &test_err));
    OK(db_exec(db, "INSERT INTO t VALUES(1)", &test_err));
    OK(db_data_version(db, &after, &test_err));
    EQ(before, after);
    OK(db_exec(other, "INSERT INTO t VALUES(2)", &test_err));
    OK(db_data_version(db, &after, &test_err));
    YES(after != before);
    db_close(other);
    db_close(db);
}

TEST(db_releases_unused_space_in_steps)
{
    struct db *db = open_file();
    int64_t bytes, unused, left, n, sum = 0, steps = 0;

    OK(db_exec(db, "CREATE TABLE t(b BLOB)", &test_err));
    OK(db_exec(db, "INSERT INTO t VALUES(zeroblob(4000000))", &test_err));
    OK(db_exec(db, "DELETE FROM t", &test_err));
    OK(db_space(db, &bytes, &unused, &test_err));
    YES(unused > 3900000 && unused < bytes);
    do {
        OK(db_release_space(db, 1 << 20, &n, &test_err));
        YES(n <= 1 << 20);
        sum += n;
        steps++;
    } while (n > 0);
    EQ(unused, sum);
    YES(steps >= 4);
    OK(db_space(db, &n, &left, &test_err));
    EQ(0, left);
    EQ(bytes - unused, n);
    db_close(db);
}

static bool file_has(const char *name, const char *text)
{
    quire_bytes all;

    if (access(test_path(name), F_OK) != 0)
        return false;
    all = test_read_file(test_path(name));
    return all.len > 0 && memmem(all.data, all.len, text, strlen(text));
}

TEST(db_leaves_nothing_of_what_was_deleted)
{
    struct db_config config = {.path = test_path("t.db"),
                               .access = DB_WRITE,
                               .scrub = true};
    struct db *db, *reader;

    OK(db_sqlite_open(&config, &db, &test_err));
    OK(db_exec(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, s TEXT)",
               &test_err));
    OK(db_exec(db, "INSERT INTO t(s) VALUES('walrus'), ('otter')", &test_err));
    OK(db_exec(db, "INSERT INTO t(s) VALUES(hex(zeroblob(9000)) || 'walrus')",
               &test_err));
    reader = open_file();
    OK(db_begin(reader, DB_LOOK, DB_ALL_TENANTS, &test_err));
    EQ(3, ask(reader, "SELECT count(*) FROM t"));
    OK(db_exec(db, "DELETE FROM t WHERE s LIKE '%walrus'", &test_err));
    EQ(QUIRE_BUSY, db_scrub(db, &test_err));
    db_rollback(reader);
    OK(db_scrub(db, &test_err));
    NO(file_has("t.db", "walrus") || file_has("t.db-wal", "walrus"));
    YES(file_has("t.db", "otter"));
    NO(db_is_damaged(db));
    db_close(reader);
    db_close(db);
}

TEST(db_second_writer_waits_and_then_is_told)
{
    struct db *a = open_file(), *b = open_file();

    OK(db_exec(a, "CREATE TABLE t(n)", &test_err));
    OK(db_begin(a, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    IS(QUIRE_BUSY, db_begin(b, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    HAS(test_err.what, "another process holds the write lock");
    EQ(0, ask(b, "SELECT count(*) FROM t")); /* readers do not wait */
    OK(db_exec(a, "INSERT INTO t VALUES(1)", &test_err));
    OK(db_commit(a, &test_err));
    OK(db_begin(b, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    EQ(1, ask(b, "SELECT count(*) FROM t"));
    db_rollback(b);
    db_close(a);
    db_close(b);
}

TEST(db_that_is_absent_is_not_made_by_a_reader)
{
    struct db_config config = {.path = test_path("no.db"),
                               .access = DB_READ,
                               .busy_ms = 0};
    struct db *db;

    IS(QUIRE_NOT_FOUND, db_sqlite_open(&config, &db, &test_err));
    NO(test_exists(test_path("no.db")));
}

TEST(db_reader_cannot_write_and_leaves_no_files)
{
    struct db_config config = {.path = test_path("t.db"),
                               .access = DB_READ,
                               .busy_ms = 0};
    struct db *db = open_file();

    OK(db_exec(db, "CREATE TABLE t(n)", &test_err));
    db_close(db);
    OK(db_sqlite_open(&config, &db, &test_err));
    EQ(0, ask(db, "SELECT count(*) FROM t"));
    IS(QUIRE_IO, db_exec(db, "INSERT INTO t VALUES(1)", &test_err));
    db_close(db);
    EQ(1, test_count_files(test_dir()));
}

TEST(db_file_that_is_something_else_is_damaged)
{
    struct db_config config = {.path = test_path("t.db"),
                               .access = DB_WRITE,
                               .busy_ms = 0};
    char *junk = test_alloc(5000);
    struct db *db;

    test_noise(1, junk, 5000);
    test_write_file(config.path, bytes_of(junk, 5000));
    IS(QUIRE_DAMAGED, db_sqlite_open(&config, &db, &test_err));
    SAME(bytes_of(junk, 5000), test_read_file(config.path));
}

TEST(db_path_may_have_any_characters)
{
    struct db *db = open_db(test_path("a b?c#d%e.db"));

    OK(db_exec(db, "CREATE TABLE t(n)", &test_err));
    db_close(db);
    YES(test_exists(test_path("a b?c#d%e.db")));
}

TEST(db_may_be_reached_by_links_but_is_none)
{
    struct db_config config = {.path = test_path("link/t.db"),
                               .access = DB_WRITE,
                               .busy_ms = 0};
    struct db *db;

    mkdir(test_path("real"), 0700);
    YES(symlink("real", test_path("link")) == 0);
    OK(db_sqlite_open(&config, &db, &test_err));
    OK(db_exec(db, "CREATE TABLE t(n)", &test_err));
    db_close(db);
    YES(rename(test_path("real/t.db"), test_path("elsewhere.db")) == 0);
    YES(symlink("../elsewhere.db", test_path("real/t.db")) == 0);
    YES(db_sqlite_open(&config, &db, &test_err) != QUIRE_OK);
    HAS(test_err.what, "cannot open");
}

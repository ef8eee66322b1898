/* A write-ahead log that is gone: what a check says of it, and for how long. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "store/db.h"
#include "support/catalog.h"
#include "support/test.h"

static quire *open_home(unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.flags = flags;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static void remember(quire *q, const char *title)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;
    quire_memory m;

    o.type = QUIRE_MEMORY_PROJECT;
    o.title = bytes_str(title);
    OK(quire_memory_add(q, NULL, &o, &m, &test_err));
}

/* A process that writes and dies. */
static void write_and_die(const char *title)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        remember(open_home(0), title);
        _exit(0);
    }
    EQ(child, waitpid(child, &status, 0));
    EQ(0, status);
}

static quire_status add_kind(void *ctx, const quire_problem *p,
                             quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s ", p->kind);
    return QUIRE_OK;
}

/* The kinds of what is found, by a handle that only reads. */
static const char *found(void)
{
    static char text[200];
    struct buf b = BUF_INIT(4096);
    quire_check_hooks hooks = QUIRE_CHECK_HOOKS_INIT;
    quire *q = open_home(QUIRE_READ_ONLY);

    hooks.problem = add_kind;
    hooks.ctx = &b;
    OK(quire_check(q, 0, &hooks, &test_err));
    quire_close(q);
    snprintf(text, sizeof text, "%s", b.len ? buf_text(&b) : "");
    buf_release(&b);
    return text;
}

static void lose_log(void)
{
    EQ(0, unlink(catalogue_file_beside("-wal")));
    unlink(catalogue_file_beside("-shm"));
}

static void first_write(void)
{
    quire *q = open_home(0);

    remember(q, "first");
    quire_close(q);
    usleep(20000); /* times of files are as coarse as 10 ms */
}

TEST(a_home_that_was_closed_or_left_has_lost_nothing)
{
    quire *q;

    first_write();
    NO(test_exists(catalogue_file_beside("-mark")));
    SAME_TEXT("", found());
    write_and_die("second");
    YES(test_exists(catalogue_file_beside("-mark")));
    SAME_TEXT("", found());
    q = open_home(0);
    remember(q, "third");
    SAME_TEXT("", found());
    quire_close(q);
    NO(test_exists(catalogue_file_beside("-mark")));
    SAME_TEXT("", found());
}

TEST(a_lost_log_is_found_until_the_loss_is_accepted)
{
    quire_check_hooks hooks = QUIRE_CHECK_HOOKS_INIT;
    struct buf left = BUF_INIT(4096);
    quire *q;

    first_write();
    write_and_die("second");
    lose_log();
    SAME_TEXT("log_lost ", found());
    SAME_TEXT("log_lost ", found());
    q = open_home(0);
    remember(q, "third");
    quire_close(q);
    SAME_TEXT("log_lost ", found());
    q = open_home(0);
    hooks.problem = add_kind;
    hooks.ctx = &left;
    OK(quire_repair(q, 0, &hooks, &test_err));
    EQ(0, left.len);
    quire_close(q);
    SAME_TEXT("", found());
    buf_release(&left);
}

/* Another program copies the log into the database and deletes it. */
TEST(a_checkpoint_of_another_program_is_no_loss)
{
    struct db_config config = {.path = catalogue_file(),
                               .access = DB_WRITE,
                               .busy_ms = 1000};
    struct db *db;

    first_write();
    write_and_die("second");
    usleep(20000);
    OK(db_sqlite_open_foreign(&config, &db, &test_err));
    OK(db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", &test_err));
    db_close(db);
    NO(test_exists(catalogue_file_beside("-wal")));
    SAME_TEXT("", found());
}

/* Each commit copies the log into the database, and leaves it where it is. */
static void copy_and_die(void)
{
    struct db_config config = {.path = catalogue_file(),
                               .access = DB_WRITE,
                               .busy_ms = 1000};
    struct db *db;

    OK(db_sqlite_open(&config, &db, &test_err));
    OK(db_exec(db, "PRAGMA wal_autocheckpoint=1", &test_err));
    OK(db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    OK(db_exec(db, "UPDATE tenant SET created = created + 1", &test_err));
    OK(db_commit(db, &test_err));
    _exit(0);
}

TEST(a_log_that_was_copied_may_go)
{
    pid_t child;
    int status;

    first_write();
    child = fork();
    if (child == 0)
        copy_and_die();
    EQ(child, waitpid(child, &status, 0));
    EQ(0, status);
    YES(test_exists(catalogue_file_beside("-mark")));
    lose_log();
    SAME_TEXT("", found());
}

TEST(a_transaction_without_a_change_leaves_no_mark)
{
    struct db_config config = {.path = catalogue_file(),
                               .access = DB_WRITE,
                               .busy_ms = 1000};
    struct db *db;

    first_write();
    OK(db_sqlite_open(&config, &db, &test_err));
    OK(db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    OK(db_commit(db, &test_err));
    NO(test_exists(catalogue_file_beside("-mark")));
    OK(db_begin(db, DB_DURABLE, DB_ALL_TENANTS, &test_err));
    OK(db_exec(db, "UPDATE tenant SET created = created + 1", &test_err));
    OK(db_commit(db, &test_err));
    YES(test_exists(catalogue_file_beside("-mark")));
    db_close(db);
    NO(test_exists(catalogue_file_beside("-mark")));
}

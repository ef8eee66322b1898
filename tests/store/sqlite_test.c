/* Databases that are other programs' too: used, and not marked. */
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "base/bytes.h"
#include "store/db.h"
#include "support/test.h"

static void theirs(const char *sql)
{
    sqlite3 *db;

    EQ(SQLITE_OK, sqlite3_open(test_path("t.db"), &db));
    EQ(SQLITE_OK, sqlite3_exec(db, sql, NULL, NULL, NULL));
    sqlite3_close(db);
}

static int64_t ask(struct db *db, const char *sql)
{
    struct stmt *s;
    bool row;
    int64_t n = -1;

    OK(db_prepare(db, sql, &s, &test_err));
    OK(stmt_step(s, &row, &test_err));
    if (row)
        n = stmt_column_int(s, 0);
    stmt_finalize(s);
    return n;
}

static struct db *open_foreign(enum db_access access)
{
    struct db_config config = {.path = test_path("t.db"),
                               .access = access,
                               .busy_ms = 100};
    struct db *db;

    OK(db_sqlite_open_foreign(&config, &db, &test_err));
    return db;
}

TEST(db_of_another_program_is_opened_and_left_unmarked)
{
    struct db_config config = {.path = test_path("t.db"), .access = DB_WRITE};
    quire_bytes before;
    struct db *db;

    theirs(
        "PRAGMA application_id=77; PRAGMA user_version=9; CREATE TABLE a(n)");
    before = test_read_file(test_path("t.db"));
    IS(QUIRE_DAMAGED, db_sqlite_open(&config, &db, &test_err));
    db = open_foreign(DB_READ);
    EQ(77, ask(db, "PRAGMA application_id"));
    db_close(db);
    db = open_foreign(DB_WRITE);
    EQ(9, ask(db, "PRAGMA user_version"));
    db_close(db);
    SAME(before, test_read_file(test_path("t.db")));
    EQ(1, test_count_files(test_dir()));
}

TEST(db_for_other_programs_too_is_made_as_sqlite_makes_it)
{
    struct db *db = open_foreign(DB_WRITE);
    struct stat st;

    OK(db_exec(db, "CREATE TABLE a(n)", &test_err));
    EQ(0, ask(db, "PRAGMA application_id"));
    EQ(0, ask(db, "PRAGMA auto_vacuum"));
    EQ(4096, ask(db, "PRAGMA page_size"));
    YES(test_exists(test_path("t.db-wal")));
    YES(stat(test_path("t.db-wal"), &st) == 0);
    EQ(0600, st.st_mode & 07777);
    db_close(db);
}

/* Some versions of SQLite let a trigger fill one only if they trust it. */
TEST(db_of_another_program_may_fill_its_index_by_a_trigger)
{
    struct db *db;

    theirs("CREATE TABLE a(s); CREATE VIRTUAL TABLE f USING fts5(s);"
           "CREATE TRIGGER t AFTER INSERT ON a BEGIN"
           " INSERT INTO f(s) VALUES(new.s); END");
    db = open_foreign(DB_WRITE);
    OK(db_exec(db, "INSERT INTO a VALUES('word')", &test_err));
    EQ(1, ask(db, "SELECT count(*) FROM f WHERE f MATCH 'word'"));
    db_close(db);
}

TEST(db_of_another_program_that_is_damaged_can_be_moved_away)
{
    struct db_config config = {.path = test_path("t.db"), .access = DB_WRITE};
    struct db *db;

    test_write_file(config.path, bytes_str("no database, and not a short one, "
                                           "for that would be a new one"));
    IS(QUIRE_DAMAGED, db_sqlite_open_foreign(&config, &db, &test_err));
    HAS(test_err.next, "move it away");
}

/*
 * Prompt history: what is kept of what was typed, how it is found, and that a
 * file of oh-my-pi stays what it is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "memory/history.h"
#include "support/test.h"

/* The tables as the programs make them. */
static const char tables_13[] =
    "PRAGMA journal_mode=WAL;"
    "CREATE TABLE history(id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT"
    " NULL, created_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS"
    " INTEGER)), cwd TEXT);"
    "CREATE INDEX idx_history_created_at ON history(created_at DESC);"
    "CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history',"
    " content_rowid='id');"
    "CREATE TRIGGER history_ai AFTER INSERT ON history BEGIN INSERT INTO"
    " history_fts(rowid, prompt) VALUES (new.id, new.prompt); END";
static const char tables_18[] =
    "PRAGMA journal_mode=WAL;"
    "CREATE TABLE history(id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT"
    " NULL UNIQUE, created_at INTEGER NOT NULL DEFAULT"
    " (CAST(strftime('%s','now') AS INTEGER)), cwd TEXT, session_id TEXT);"
    "CREATE INDEX idx_history_created_at ON history(created_at DESC);"
    "CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history',"
    " content_rowid='id');"
    "CREATE TRIGGER history_ai AFTER INSERT ON history BEGIN INSERT INTO"
    " history_fts(rowid, prompt) VALUES (new.id, new.prompt); END;"
    "PRAGMA user_version=1";

static int64_t now_s;

static int64_t tell_time(void *ctx)
{
    (void)ctx;
    return now_s * 1000000;
}

static quire *open_home(unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    now_s = now_s ? now_s : 1000;
    o.home = test_path("home");
    o.flags = flags;
    o.busy_ms = 100;
    o.now_us = tell_time;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

/* As another program would. */
static void run_sql(const char *sql)
{
    sqlite3 *db;

    mkdir(test_path("home"), 0700);
    EQ(SQLITE_OK, sqlite3_open(test_path("home/history.db"), &db));
    sqlite3_exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
    EQ(SQLITE_OK, sqlite3_exec(db, sql, NULL, NULL, NULL));
    sqlite3_close(db);
}

static const char *ask_sql(const char *sql)
{
    char *answer = test_alloc(65536);
    sqlite3 *db;
    sqlite3_stmt *s;

    EQ(SQLITE_OK, sqlite3_open(test_path("home/history.db"), &db));
    EQ(SQLITE_OK, sqlite3_prepare_v2(db, sql, -1, &s, NULL));
    answer[0] = '\0';
    if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
        snprintf(answer, 65536, "%s", (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    sqlite3_close(db);
    return answer;
}

/* A second later. */
static int64_t add_at(quire *q, const char *text, const char *cwd,
                      const char *session)
{
    int64_t id = -1;

    now_s++;
    OK(quire_history_add(q, bytes_str(text), cwd, session, &id, &test_err));
    return id;
}

static int64_t add(quire *q, const char *text)
{
    return add_at(q, text, "/p", NULL);
}

static quire_status note(void *ctx, const quire_prompt *p, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%lld:%.*s ", (long long)p->id, (int)p->prompt.len,
             (const char *)p->prompt.data);
    return QUIRE_OK;
}

static void lists(quire *q, const char *cwd, uint64_t limit, const char *wanted)
{
    quire_history_options o = QUIRE_HISTORY_OPTIONS_INIT;
    struct buf got = BUF_INIT(1 << 24);

    o.cwd = cwd;
    o.limit = limit;
    OK(quire_history_list(q, &o, note, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

static void finds(quire *q, const char *query, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 24);

    OK(quire_history_search(q, bytes_str(query), NULL, note, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

/* ---- keeping ------------------------------------------------------------ */

TEST(history_that_is_absent_is_empty_and_is_not_made_by_a_reader)
{
    quire *q = open_home(QUIRE_READ_ONLY);

    lists(q, NULL, 0, "");
    finds(q, "x", "");
    IS(QUIRE_INVALID,
       quire_history_search(q, bytes_str(" "), NULL, note, NULL, &test_err));
    IS(QUIRE_INVALID,
       quire_history_add(q, bytes_str("x"), NULL, NULL, NULL, &test_err));
    quire_close(q);
    q = open_home(0);
    lists(q, NULL, 0, "");
    NO(test_exists(test_path("home")));
    add(q, "x");
    lists(q, NULL, 0, "1:x ");
    quire_close(q);
}

TEST(history_file_is_private_and_bears_no_mark_of_ours)
{
    quire *q = open_home(0);
    struct stat st;

    add(q, "one");
    YES(stat(test_path("home/history.db"), &st) == 0);
    EQ(0600, st.st_mode & 07777);
    quire_close(q);
    EQ(1, test_count_files(test_path("home")));
    SAME_TEXT("0", ask_sql("PRAGMA application_id"));
    SAME_TEXT("1", ask_sql("PRAGMA user_version"));
    SAME_TEXT("wal", ask_sql("PRAGMA journal_mode"));
    SAME_TEXT("0", ask_sql("PRAGMA auto_vacuum"));
    SAME_TEXT("ok", ask_sql("PRAGMA integrity_check"));
    SAME_TEXT("1", ask_sql("SELECT count(*) FROM history_fts WHERE history_fts "
                           "MATCH 'one'"));
}

TEST(history_keeps_a_prompt_once_with_the_last_time_and_place)
{
    quire *q = open_home(0);

    EQ(1, add_at(q, "again", "/a", "s1"));
    EQ(2, add(q, "other"));
    EQ(1, add_at(q, "  again \r\n", "/b/../c", "s2"));
    lists(q, NULL, 0, "1:again 2:other ");
    lists(q, "/c", 0, "1:again ");
    lists(q, "/c/.", 0, "1:again ");
    lists(q, "/a", 0, "");
    EQ(0, add(q, " \n"));
    quire_close(q);
    SAME_TEXT("s2", ask_sql("SELECT session_id FROM history WHERE id = 1"));
    SAME_TEXT("2", ask_sql("SELECT count(*) FROM history"));
}

static quire_status look_at(void *ctx, const quire_prompt *p, quire_error *err)
{
    (void)err;
    EQ(now_s, p->created_at_s);
    SAME_TEXT(ctx, p->cwd);
    YES(!p->session);
    return QUIRE_STOPPED;
}

TEST(history_takes_the_working_directory_unless_told)
{
    quire *q = open_home(0);
    char *here = getcwd(NULL, 0);

    add_at(q, "first", "/p", NULL);
    add_at(q, "here", NULL, NULL);
    IS(QUIRE_STOPPED, quire_history_list(q, NULL, look_at, here, &test_err));
    lists(q, ".", 0, "2:here ");
    quire_close(q);
    free(here);
}

TEST(history_refuses_what_is_too_long)
{
    quire *q = open_home(0);
    size_t len = HISTORY_PROMPT_MAX;
    char *text = test_alloc(len + 1);
    int64_t id;

    memset(text, 'x', len + 1);
    IS(QUIRE_INVALID, quire_history_add(q, bytes_of(text, len + 1), NULL, NULL,
                                        &id, &test_err));
    OK(quire_history_add(q, bytes_of(text, len), NULL, NULL, &id, &test_err));
    EQ(1, id);
    quire_close(q);
}

static quire_status come_back(void *ctx, const quire_prompt *p,
                              quire_error *err)
{
    (void)p;
    return quire_history_list(ctx, NULL, note, NULL, err);
}

TEST(history_callback_may_not_come_back)
{
    quire *q = open_home(0);

    add(q, "x");
    IS(QUIRE_INVALID, quire_history_list(q, NULL, come_back, q, &test_err));
    lists(q, NULL, 0, "1:x ");
    quire_close(q);
}

TEST(history_is_no_matter_of_a_blobs_directory)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.blobs = test_path("blobs");
    OK(quire_open(&o, &q, &test_err));
    IS(QUIRE_INVALID,
       quire_history_add(q, bytes_str("x"), NULL, NULL, NULL, &test_err));
    quire_close(q);
    NO(test_exists(test_path("blobs")));
}

/* ---- finding ------------------------------------------------------------ */

TEST(history_search_finds_words_beginnings_and_parts)
{
    quire *q = open_home(0);

    add(q, "git commit the FIX");
    add(q, "Größe in 100% of_cases");
    add(q, "fix the build");
    finds(q, "fix", "3:fix the build 1:git commit the FIX ");
    finds(q, "mit", "1:git commit the FIX ");
    finds(q, "THE fix", "3:fix the build 1:git commit the FIX ");
    finds(q, "bui fi", "3:fix the build ");
    finds(q, "git-commit", "1:git commit the FIX ");
    finds(q, "grosse", "");
    finds(q, "grö", "2:Größe in 100% of_cases ");
    finds(q, "gro", "2:Größe in 100% of_cases "); /* accents do not matter */
    finds(q, "%", "2:Größe in 100% of_cases ");
    finds(q, "_", "2:Größe in 100% of_cases ");
    finds(q, "%_", "");
    finds(q, "absent", "");
    quire_close(q);
}

TEST(history_search_takes_any_text)
{
    static const char *const odd[] = {"\"",    "'",         "*",        "NOT",
                                      "a AND", "NEAR(x y)", "prompt:x", "(",
                                      "x\"y",  "\\",        "%%",       "{x}",
                                      "^x",    "-x",        "\xff",     "x;--",
                                      "🎈",     "a\"*b",     "\x01\x02"};
    quire *q = open_home(0);
    struct buf many = BUF_INIT(1 << 24), got = BUF_INIT(1 << 24);
    size_t i;

    for (i = 0; i < 20000; i++)
        buf_addf(&many, "word%zu ", i % 3000);
    add(q, "a 🎈");
    OK(quire_history_add(q, buf_bytes(&many), NULL, NULL, NULL, &test_err));
    for (i = 0; i < sizeof odd / sizeof *odd; i++)
        OK(quire_history_search(q, bytes_str(odd[i]), NULL, note, &got,
                                &test_err));
    finds(q, "🎈", "1:a 🎈 ");
    /* a page of text finds that page; a word of a megabyte finds nothing */
    buf_clear(&got);
    OK(quire_history_search(q, buf_bytes(&many), NULL, note, &got, &test_err));
    YES(bytes_starts(buf_bytes(&got), bytes_str("2:word0 ")));
    memset(many.data, 'w', many.len);
    buf_clear(&got);
    OK(quire_history_search(q, buf_bytes(&many), NULL, note, &got, &test_err));
    EQ(0, got.len);
    buf_clear(&got);
    OK(quire_history_search(q, bytes_of("a\0b", 3), NULL, note, &got,
                            &test_err));
    EQ(0, got.len);
    buf_release(&many);
    buf_release(&got);
    quire_close(q);
}

TEST(history_limits_are_a_hundred_and_a_thousand)
{
    quire *q = open_home(0);
    struct buf got = BUF_INIT(1 << 24);
    quire_history_options o = QUIRE_HISTORY_OPTIONS_INIT;
    char text[32];
    int i;

    for (i = 0; i < 1010; i++) {
        snprintf(text, sizeof text, "p%d", i);
        add_at(q, text, i % 2 ? "/odd" : "/even", NULL);
    }
    lists(q, NULL, 2, "1010:p1009 1009:p1008 ");
    lists(q, "/even", 2, "1009:p1008 1007:p1006 ");
    OK(quire_history_list(q, NULL, note, &got, &test_err));
    EQ(100, bytes_count(buf_bytes(&got), ':'));
    buf_clear(&got);
    o.limit = UINT64_MAX - 1;
    OK(quire_history_search(q, bytes_str("p"), &o, note, &got, &test_err));
    EQ(1000, bytes_count(buf_bytes(&got), ':'));
    buf_clear(&got);
    o.limit = UINT64_MAX; /* all */
    OK(quire_history_search(q, bytes_str("p"), &o, note, &got, &test_err));
    EQ(1010, bytes_count(buf_bytes(&got), ':'));
    buf_release(&got);
    quire_close(q);
}

/* ---- other people's files ----------------------------------------------- */

TEST(history_of_omp_13_is_used_as_it_is)
{
    const char *before;
    quire *q;

    run_sql(tables_13);
    run_sql("INSERT INTO history(prompt, created_at, cwd) VALUES('old one', 5,"
            " '/a'), ('old two', 6, NULL)");
    before = ask_sql("SELECT group_concat(sql) FROM sqlite_schema");
    q = open_home(0);
    lists(q, NULL, 0, "2:old two 1:old one ");
    lists(q, "/a", 0, "1:old one ");
    EQ(2, add(q, "old two")); /* the last one, again */
    EQ(3, add(q, "old one"));
    EQ(4, add_at(q, "new \nthing", "/b", "session"));
    EQ(4, add(q, "new\nthing"));
    EQ(5, add(q, "old two"));
    finds(q, "two", "5:old two 2:old two ");
    finds(q, "hin", "4:new\nthing ");
    quire_close(q);
    SAME_TEXT(before, ask_sql("SELECT group_concat(sql) FROM sqlite_schema"));
    SAME_TEXT("0", ask_sql("PRAGMA user_version"));
    SAME_TEXT("0", ask_sql("PRAGMA application_id"));
    SAME_TEXT("2", ask_sql("SELECT count(*) FROM history_fts WHERE history_fts "
                           "MATCH 'two'"));
    run_sql("INSERT INTO history_fts(history_fts) VALUES('integrity-check')");
    SAME_TEXT("/b", ask_sql("SELECT cwd FROM history WHERE id = 4"));
}

TEST(history_of_omp_18_is_used_as_it_is)
{
    const char *before;
    quire *q;

    run_sql(tables_18);
    run_sql("INSERT INTO history(prompt, created_at, cwd, session_id)"
            " VALUES('old one', 5, '/a', 's'), ('old two', 6, NULL, NULL)");
    before = ask_sql("SELECT group_concat(sql) FROM sqlite_schema");
    q = open_home(0);
    EQ(1, add_at(q, "old one", "/b", NULL));
    lists(q, NULL, 0, "1:old one 2:old two ");
    EQ(4, add(q, "new")); /* an upsert uses up a number, theirs too */
    finds(q, "o", "1:old one 2:old two ");
    quire_close(q);
    SAME_TEXT(before, ask_sql("SELECT group_concat(sql) FROM sqlite_schema"));
    SAME_TEXT("1", ask_sql("PRAGMA user_version"));
    SAME_TEXT("/b", ask_sql("SELECT cwd FROM history WHERE id = 1"));
    SAME_TEXT("", ask_sql("SELECT session_id FROM history WHERE id = 1"));
    run_sql("INSERT INTO history_fts(history_fts) VALUES('integrity-check')");
}

TEST(history_that_we_make_has_the_columns_of_omp_18)
{
    static const char columns[] =
        "SELECT group_concat(name || type || \"notnull\" || "
        "coalesce(dflt_value, '') || pk) FROM pragma_table_info('history')";
    const char *ours;
    quire *q = open_home(0);

    add(q, "x");
    quire_close(q);
    ours = ask_sql(columns);
    YES(unlink(test_path("home/history.db")) == 0);
    run_sql(tables_18);
    SAME_TEXT(ours, ask_sql(columns));
}

static void removes_from(const char *tables)
{
    static const int64_t both[] = {1, 3}, absent[] = {2, 99}, none[] = {7};
    const char *before;
    quire *q;

    if (tables)
        run_sql(tables);
    q = open_home(0);
    EQ(1, add(q, "alpha secret"));
    EQ(2, add(q, "beta"));
    EQ(3, add(q, "gamma secret"));
    before = ask_sql("SELECT group_concat(sql) FROM sqlite_schema");
    /* One that does not exist: none is removed. */
    EQ(QUIRE_NOT_FOUND, quire_history_remove(q, absent, 2, &test_err));
    EQ(QUIRE_NOT_FOUND, quire_history_remove(q, none, 1, &test_err));
    OK(quire_history_remove(q, none, 0, &test_err));
    lists(q, NULL, 0, "3:gamma secret 2:beta 1:alpha secret ");
    OK(quire_history_remove(q, both, 2, &test_err));
    lists(q, NULL, 0, "2:beta ");
    finds(q, "secret", "");
    EQ(4, add(q, "alpha again"));
    finds(q, "alpha", "4:alpha again ");
    quire_close(q);
    SAME_TEXT(before, ask_sql("SELECT group_concat(sql) FROM sqlite_schema"));
    SAME_TEXT("0", ask_sql("SELECT count(*) FROM history_fts WHERE history_fts "
                           "MATCH 'secret'"));
    run_sql("INSERT INTO history_fts(history_fts) VALUES('integrity-check')");
    test_forget_dir();
}

TEST(removed_prompts_are_found_no_more_in_a_file_of_any_program)
{
    removes_from(NULL);
    removes_from(tables_13);
    removes_from(tables_18);
}

TEST(a_removed_prompt_leaves_no_bytes_in_the_file)
{
    quire *q = open_home(0);
    int64_t id = add(q, "correct horse battery staple");
    quire_bytes file;

    add(q, "something else");
    OK(quire_history_remove(q, &id, 1, &test_err));
    quire_close(q);
    run_sql("PRAGMA wal_checkpoint(TRUNCATE)");
    file = test_read_file(test_path("home/history.db"));
    NO(memmem(file.data, file.len, "battery", 7));
    YES(memmem(file.data, file.len, "something", 9));
}

TEST(nothing_is_removed_from_a_history_that_is_absent)
{
    const int64_t id = 1;
    quire *q = open_home(0);

    EQ(QUIRE_NOT_FOUND, quire_history_remove(q, &id, 1, &test_err));
    OK(quire_history_remove(q, &id, 0, &test_err));
    NO(access(test_path("home/history.db"), F_OK) == 0);
    quire_close(q);
    q = open_home(QUIRE_READ_ONLY);
    EQ(QUIRE_INVALID, quire_history_remove(q, &id, 1, &test_err));
    quire_close(q);
}

/* 18 does so when it opens a file of 13. */
TEST(history_may_be_rebuilt_by_another_program_meanwhile)
{
    quire *q;

    run_sql(tables_13);
    q = open_home(0);
    EQ(1, add(q, "one"));
    EQ(2, add(q, "two"));
    run_sql("DROP TABLE history; DROP TABLE history_fts");
    run_sql(tables_18);
    run_sql("INSERT INTO history(id, prompt) VALUES(1, 'one'), (2, 'two')");
    EQ(1, add_at(q, "one", "/q", "s"));
    lists(q, "/q", 0, "1:one ");
    finds(q, "tw", "2:two ");
    quire_close(q);
    SAME_TEXT("s", ask_sql("SELECT session_id FROM history WHERE id = 1"));
}

TEST(history_without_an_index_of_words_is_searched_all_the_same)
{
    quire *q;

    run_sql("CREATE TABLE history(id INTEGER PRIMARY KEY, prompt TEXT, "
            "created_at INTEGER, cwd TEXT)");
    q = open_home(0);
    add(q, "git commit");
    finds(q, "COM git", "1:git commit ");
    quire_close(q);
}

TEST(history_that_is_something_else_is_left_alone)
{
    char junk[5000];
    quire *q;

    test_noise(1, junk, sizeof junk);
    mkdir(test_path("home"), 0700);
    test_write_file(test_path("home/history.db"), bytes_of(junk, sizeof junk));
    q = open_home(0);
    IS(QUIRE_DAMAGED, quire_history_list(q, NULL, note, NULL, &test_err));
    HAS(test_err.next, "move it away");
    IS(QUIRE_DAMAGED,
       quire_history_add(q, bytes_str("x"), NULL, NULL, NULL, &test_err));
    HAS(test_err.next, "move it away");
    quire_close(q);
    SAME(bytes_of(junk, sizeof junk),
         test_read_file(test_path("home/history.db")));
    YES(unlink(test_path("home/history.db")) == 0);

    run_sql("CREATE TABLE visits(url)");
    q = open_home(0);
    IS(QUIRE_DAMAGED, quire_history_list(q, NULL, note, NULL, &test_err));
    IS(QUIRE_DAMAGED,
       quire_history_add(q, bytes_str("x"), NULL, NULL, NULL, &test_err));
    HAS(test_err.what, "without a prompt history");
    quire_close(q);
    SAME_TEXT("1", ask_sql("SELECT count(*) FROM sqlite_schema"));
}

TEST(history_view_in_the_place_of_the_table_is_refused)
{
    quire *q;

    run_sql("CREATE TABLE t(id, prompt, created_at, cwd);"
            "CREATE VIEW history AS SELECT * FROM t");
    q = open_home(0);
    IS(QUIRE_DAMAGED, quire_history_list(q, NULL, note, NULL, &test_err));
    quire_close(q);
}

TEST(history_that_is_empty_gets_its_tables_from_a_writer)
{
    quire *q;

    mkdir(test_path("home"), 0700);
    test_write_file(test_path("home/history.db"), bytes_str(""));
    q = open_home(QUIRE_READ_ONLY);
    lists(q, NULL, 0, "");
    quire_close(q);
    q = open_home(0);
    EQ(1, add(q, "x"));
    quire_close(q);
}

TEST(history_waits_for_another_writer_and_then_says_so)
{
    quire *q = open_home(0);
    sqlite3 *db;

    add(q, "one");
    EQ(SQLITE_OK, sqlite3_open(test_path("home/history.db"), &db));
    EQ(SQLITE_OK, sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL));
    IS(QUIRE_BUSY,
       quire_history_add(q, bytes_str("two"), NULL, NULL, NULL, &test_err));
    lists(q, NULL, 0, "1:one "); /* readers do not wait */
    EQ(SQLITE_OK, sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
    sqlite3_close(db);
    EQ(2, add(q, "two"));
    quire_close(q);
}

/* ---- everything that can fail ------------------------------------------- */

static quire_status use_all(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    struct buf got = BUF_INIT(1 << 20);
    quire_status st;
    quire *q = NULL;
    int64_t id = 0;

    o.home = test_path("home");
    o.busy_ms = 100;
    st = quire_open(&o, &q, &test_err);
    if (!st)
        st = quire_history_add(q, bytes_str("a prompt"), "/p", "s", NULL,
                               &test_err);
    if (!st)
        st = quire_history_add(q, bytes_str("another prompt"), NULL, NULL, &id,
                               &test_err);
    if (!st)
        st = quire_history_list(q, NULL, note, &got, &test_err);
    if (!st)
        st = quire_history_search(q, bytes_str("prom"), NULL, note, &got,
                                  &test_err);
    if (!st)
        st = quire_history_remove(q, &id, 1, &test_err);
    quire_close(q);
    buf_release(&got);
    return st;
}

static void sweep(const char *tables, bool inside)
{
    bool struck = true;
    long n;

    for (n = 1; struck; n += inside && n > 60 ? 1 + n / 40 : 1) {
        quire_status st;

        if (tables)
            run_sql(tables);
        sqlite_faults(inside);
        fault_arm(n, n % 2 ? ENOMEM : EIO, false);
        st = use_all();
        struck = fault_disarm();
        sqlite_faults(false);
        if (!struck)
            OK(st);
        /* an accident is neither an answer nor damage */
        NO(st == QUIRE_NOT_FOUND || st == QUIRE_EXISTS);
        NO(st == QUIRE_DAMAGED);
        /* and leaves what works */
        OK(use_all());
        SAME_TEXT("ok", ask_sql("PRAGMA integrity_check"));
        test_forget_dir();
    }
    YES(n > 5);
}

TEST(history_survives_each_call_failing)
{
    sweep(NULL, false);
    sweep(tables_13, false);
    sweep(tables_18, false);
}

TEST(history_survives_each_call_within_sqlite_failing)
{
    sweep(NULL, true);
    sweep(tables_13, true);
}

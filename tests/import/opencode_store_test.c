/* The database and the older files of opencode: found, imported, given back. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/json.h"
#include "foreign.h"
#include "support/catalog.h"

#define DB "h/.local/share/opencode/opencode.db"

static const char schema[] =
    "CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id "
    "text, slug text, directory text NOT NULL, title text, version text, cost "
    "real DEFAULT 0, revert text, time_created integer, time_updated integer);"
    "CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created "
    "integer, time_updated integer, data text);"
    "CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text,"
    " time_created integer, time_updated integer, data text);"
    "CREATE TABLE todo (session_id text, content text, position integer, "
    "time_created integer, time_updated integer);"
    "CREATE TABLE session_share (session_id text, secret text);"
    "INSERT INTO session_share VALUES ('ses_1a', 'hidden');";

static const char rows[] =
    "INSERT INTO session VALUES ('ses_1a','p',NULL,'s','/srv/demo','A talk',"
    "'1',0.5,NULL,1772359200000,1772359200000);"
    "INSERT INTO session VALUES ('ses_2b','p','ses_1a','s','/srv/demo','Sub',"
    "'1',0,NULL,1772359200000,1772359200000);"
    "INSERT INTO message VALUES ('msg_1','ses_1a',1772359200000,"
    "1772359200000,'{\"role\":\"user\"}');"
    "INSERT INTO part VALUES ('prt_1','msg_1','ses_1a',1772359200000,"
    "1772359200000,'{\"type\":\"text\",\"text\":\"one\"}');"
    "INSERT INTO message VALUES ('msg_2','ses_2b',1772359200000,"
    "1772359200000,'{\"role\":\"user\"}');"
    "INSERT INTO part VALUES ('prt_2','msg_2','ses_2b',1772359200000,"
    "1772359200000,'{\"type\":\"text\",\"text\":\"sub\"}');"
    "INSERT INTO todo VALUES ('ses_1a','do it',0,1772359200000,1772359200000);";

static const char original[] =
    "{\"session\":{\"id\":\"ses_1a\",\"project_id\":\"p\",\"parent_id\":null,"
    "\"slug\":\"s\",\"directory\":\"/srv/demo\",\"title\":\"A talk\","
    "\"version\":\"1\",\"cost\":0.5,\"revert\":null,\"time_created\":"
    "1772359200000,\"time_updated\":1772359200000}}\n"
    "{\"message\":{\"id\":\"msg_1\",\"session_id\":\"ses_1a\",\"time_created\":"
    "1772359200000,\"time_updated\":1772359200000,\"data\":{\"role\":\"user\"}}"
    ",\"parts\":[{\"id\":\"prt_1\",\"message_id\":\"msg_1\",\"session_id\":"
    "\"ses_1a\",\"time_created\":1772359200000,\"time_updated\":1772359200000,"
    "\"data\":{\"type\":\"text\",\"text\":\"one\"}}]}\n"
    "{\"table\":\"todo\",\"row\":{\"session_id\":\"ses_1a\",\"content\":"
    "\"do it\",\"position\":0,\"time_created\":1772359200000,"
    "\"time_updated\":1772359200000}}\n";

static const char *text_path(const char *name)
{
    char *copy = test_alloc(512);

    snprintf(copy, 512, "%s", test_path(name));
    return copy;
}

static void set_up(void)
{
    unsetenv("XDG_DATA_HOME");
    setenv("HOME", text_path("h"), 1);
    foreign_sql(text_path(DB), "wal", schema);
    foreign_sql(text_path(DB), NULL, rows);
}

static void change(const char *sql)
{
    foreign_sql(text_path(DB), NULL, sql);
}

TEST(a_session_in_the_database_of_opencode_is_its_rows)
{
    struct foreign_import got;
    quire_import_file f;
    quire *q;

    set_up();
    q = foreign_home();
    got = foreign_import(q, NULL);
    EQ(2, got.states[IMPORT_NEW]);
    EQ(0, got.sum.problems);
    SAME_TEXT(original, foreign_original(q, text_path(DB "#ses_1a")));
    OK(quire_import_find(q, text_path(DB "#ses_1a"), &f, &test_err));
    SAME_TEXT("1a", f.session);
    SAME_TEXT("opencode", f.agent);
    SAME_TEXT("/srv/demo", f.cwd);
    SAME_TEXT("A talk", f.title);
    EQ(1, f.entries);
    NO(strstr(foreign_original(q, text_path(DB "#ses_2b")), "hidden"));
    got = foreign_import(q, NULL);
    EQ(2, got.states[IMPORT_UNCHANGED]);
    EQ(0, got.sum.bytes);
    quire_close(q);
    catalogue_sound();
}

TEST(a_session_of_opencode_that_was_changed_in_any_row_is_imported_again)
{
    static const char *const changes[] = {
        "INSERT INTO message VALUES ('msg_3','ses_1a',1772359201000,"
        "1772359201000,'{\"role\":\"user\"}')",
        "UPDATE part SET data='{\"type\":\"text\",\"text\":\"two\"}', "
        "time_updated=1772359202000 WHERE id='prt_1'",
        "DELETE FROM todo WHERE session_id='ses_1a'",
        "UPDATE session SET title='Other', time_updated=1772359203000 WHERE "
        "id='ses_1a'",
        "DELETE FROM message WHERE id='msg_3'",
    };
    struct foreign_import got;
    quire *q;
    size_t i;

    set_up();
    q = foreign_home();
    foreign_import(q, NULL);
    for (i = 0; i < sizeof changes / sizeof *changes; i++) {
        change(changes[i]);
        got = foreign_import(q, NULL);
        EQ(1, got.states[IMPORT_REWRITTEN]);
        EQ(1, got.states[IMPORT_UNCHANGED]);
        EQ(0, got.sum.problems);
    }
    quire_close(q);
    catalogue_sound();
}

/* ---- nothing is written ------------------------------------------------- */

static void same_sessions(const char *from)
{
    quire *q = foreign_home();
    struct foreign_import got = foreign_import(q, from);
    char *path = test_alloc(512);

    EQ(2, got.sum.found);
    EQ(0, got.sum.problems);
    snprintf(path, 512, "%s#ses_1a", from);
    SAME_TEXT(original, foreign_original(q, path));
    quire_close(q);
}

static void copy_file(const char *from, const char *to)
{
    foreign_dirs(text_path(to));
    test_write_file(text_path(to), test_read_file(text_path(from)));
}

/* Import from test_path(name): not a byte there changes, and no file is made. */
static void reads_only(const char *name)
{
    const char *db = text_path(name);
    char log[512], index[512];
    uint64_t before[3];

    snprintf(log, sizeof log, "%s-wal", db);
    snprintf(index, sizeof index, "%s-shm", db);
    before[0] = foreign_state(db);
    before[1] = foreign_state(log);
    before[2] = foreign_state(index);
    same_sessions(db);
    EQ(before[0], foreign_state(db));
    EQ(before[1], foreign_state(log));
    EQ(before[2], foreign_state(index));
}

/* Another process that has the database open. */
static pid_t start_program(const char *path)
{
    int ready[2];
    char byte;
    pid_t pid;

    YES(pipe(ready) == 0);
    pid = fork();
    YES(pid >= 0);
    if (pid == 0) {
        sqlite3 *db;

        _exit(sqlite3_open(path, &db) ||
              sqlite3_exec(db, "PRAGMA journal_mode=wal", NULL, NULL, NULL) ||
              sqlite3_exec(db, schema, NULL, NULL, NULL) ||
              sqlite3_exec(db, rows, NULL, NULL, NULL) ||
              write(ready[1], "x", 1) != 1 || pause());
    }
    close(ready[1]);
    EQ(1, read(ready[0], &byte, 1));
    close(ready[0]);
    return pid;
}

TEST(a_database_in_use_is_read_as_it_is_now_and_not_written_to)
{
    pid_t pid;

    set_up();
    foreign_dirs(text_path("live/opencode.db"));
    pid = start_program(text_path("live/opencode.db"));
    YES(test_exists(text_path("live/opencode.db-wal")));
    YES(test_exists(text_path("live/opencode.db-shm")));
    reads_only("live/opencode.db");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    reads_only("live/opencode.db"); /* the log is as it was left */
}

TEST(a_database_with_a_log_without_its_index_is_read_and_not_written_to)
{
    sqlite3 *db;

    set_up();
    db = foreign_open(text_path("live/opencode.db"), "wal", schema);
    foreign_exec(db, rows);
    copy_file("live/opencode.db", "copy/opencode.db");
    copy_file("live/opencode.db-wal", "copy/opencode.db-wal");
    sqlite3_close(db);
    reads_only("copy/opencode.db");
    NO(test_exists(text_path("copy/opencode.db-shm")));
}

TEST(a_database_without_its_log_is_read_and_no_file_is_made)
{
    set_up();
    NO(test_exists(text_path(DB "-wal")));
    reads_only(DB);
    NO(test_exists(text_path(DB "-wal")));
    NO(test_exists(text_path(DB "-shm")));
}

TEST(a_database_with_a_rollback_journal_is_read_and_not_written_to)
{
    set_up();
    foreign_sql(text_path("old/opencode.db"), "delete", schema);
    foreign_sql(text_path("old/opencode.db"), NULL, rows);
    reads_only("old/opencode.db");
}

/* ---- damage ------------------------------------------------------------- */

TEST(rows_that_are_not_what_they_should_be_are_kept_and_reported)
{
    struct foreign_import got;
    const char *text;
    quire *q;

    set_up();
    change("INSERT INTO message VALUES ('msg_3','ses_1a',1772359201000,5,"
           "'{torn'), ('msg_4','ses_1a','later',NULL,x'00ff'), "
           "('msg_5','ses_1a',7,9.5,CAST(x'ff41' AS TEXT)), "
           "('msg_6','ses_1a',1e999,1,'{\"$blob\":\"x\"}');"
           "INSERT INTO part VALUES ('prt_9','gone','ses_1a',1,1,'[1,2]'), "
           "('prt_8','msg_1','ses_1a',1,1,'{\"type\":\"text\",\n\"text\":"
           "\"on two lines\"}');"
           "UPDATE session SET revert='{' WHERE id='ses_1a';");
    q = foreign_home();
    got = foreign_import(q, NULL);
    EQ(2, got.states[IMPORT_NEW]);
    YES(got.sum.problems > 0);
    text = foreign_original(q, text_path(DB "#ses_1a"));
    HAS(text, "\"data\":\"{torn\"");
    HAS(text, "\"time_updated\":null,\"data\":{\"$blob\":\"AP8=\"}");
    HAS(text, "\"time_updated\":9.5,\"data\":{\"$text\":\"/0E=\"}");
    HAS(text, "\"time_created\":{\"$real\":\"inf\"}");
    HAS(text, "\"data\":\"{\\\"$blob\\\":\\\"x\\\"}\"");
    HAS(text, "{\"message\":null,\"parts\":[{\"id\":\"prt_9\"");
    HAS(text, "\"data\":[1,2]");
    HAS(text, "\\n\\\"text\\\":\\\"on two lines\\\"");
    quire_close(q);
    catalogue_sound();
}

TEST(a_database_of_another_shape_is_passed_over)
{
    static const char *const shapes[] = {
        "CREATE TABLE session (id text);",
        "CREATE TABLE session (id text, directory text); CREATE TABLE message "
        "(session_id text, data text); CREATE VIEW part AS SELECT 1 AS "
        "message_id, 2 AS session_id;",
        "CREATE TABLE other (id text);",
    };
    char name[64];
    quire *q = foreign_home();
    size_t i;

    for (i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        snprintf(name, sizeof name, "d%zu/opencode/opencode.db", i);
        foreign_sql(text_path(name), NULL, shapes[i]);
        snprintf(name, sizeof name, "d%zu/opencode", i);
        EQ(0, foreign_import(q, text_path(name)).sum.found);
    }
    quire_close(q);
}

TEST(an_older_schema_without_some_columns_is_read)
{
    struct foreign_import got;
    quire *q = foreign_home();

    foreign_sql(
        text_path("old/opencode.db"), NULL,
        "CREATE TABLE session (id text, directory text);"
        "CREATE TABLE message (id text, session_id text, data text);"
        "CREATE TABLE part (id text, message_id text, session_id text,"
        " data text);"
        "INSERT INTO session VALUES ('ses_1','/srv');"
        "INSERT INTO message VALUES ('m','ses_1','{\"role\":\"user\"}');"
        "INSERT INTO part VALUES ('p','m','ses_1','{\"type\":\"text\","
        "\"text\":\"x\"}');");
    got = foreign_import(q, text_path("old/opencode.db"));
    EQ(1, got.states[IMPORT_NEW]);
    EQ(1, got.entries);
    EQ(0, got.sum.problems);
    quire_close(q);
}

TEST(a_session_whose_id_could_lead_elsewhere_is_reported)
{
    struct foreign_import got;
    quire *q;

    set_up();
    change("UPDATE session SET id='../../x', parent_id='/' WHERE id='ses_2b'");
    q = foreign_home();
    got = foreign_import(q, NULL);
    EQ(1, got.states[IMPORT_NEW]);
    EQ(1, got.sum.problems);
    HAS(got.problem, "id cannot be part of a path");
    quire_close(q);
}

TEST(a_database_that_is_damaged_anywhere_never_ends_an_import)
{
    quire_bytes file;
    char *bytes;
    quire *q;
    size_t at;

    set_up();
    file = test_read_file(text_path(DB));
    bytes = test_alloc(file.len);
    q = foreign_home();
    for (at = 18; at < file.len; at += at < 4200 ? 61 : 997) {
        memcpy(bytes, file.data, file.len);
        memset(bytes + at, at % 2 ? 0xff : 0x81, at % 5 + 1);
        test_write_file(text_path(DB), bytes_of(bytes, file.len));
        foreign_import(q, NULL);
    }
    for (at = 0; at < file.len; at += 1 + file.len / 40) {
        test_write_file(text_path(DB), bytes_of(file.data, at));
        foreign_import(q, NULL);
    }
    quire_close(q);
    catalogue_sound();
}

TEST(an_import_of_a_database_survives_every_call_that_fails)
{
    set_up();
    foreign_faults(DB, text_path(DB "#ses_1a"));
}

/* ---- the older files ---------------------------------------------------- */

#define STORAGE "h/.local/share/opencode/storage/"

static void set_up_files(void)
{
    unsetenv("XDG_DATA_HOME");
    setenv("HOME", text_path("h"), 1);
    foreign_write(text_path(STORAGE "session/p/ses_1a.json"),
                  "{\n  'id': 'ses_1a',\n  'directory': '/srv/demo',\n  "
                  "'title': 'Old'\n}");
    foreign_write(text_path(STORAGE "session/p/ses_3c.json"),
                  "{'id':'ses_3c','directory':'/srv','parentID':'ses_1a'}");
    foreign_write(text_path(STORAGE "message/ses_1a/msg_1.json"),
                  "{\n  'id': 'msg_1',\n  'role': 'user'\n}");
    foreign_write(text_path(STORAGE "part/msg_1/prt_1.json"),
                  "{\n  'id': 'prt_1',\n  'type': 'text',\n  'text': 'one'\n}");
    foreign_write(text_path(STORAGE "todo/ses_1a.json"), "[]");
}

TEST(the_older_files_of_opencode_are_sessions_with_every_byte)
{
    struct foreign_import got;
    const char *text;
    quire *q;

    set_up_files();
    q = foreign_home();
    got = foreign_import(q, NULL);
    EQ(2, got.states[IMPORT_NEW]);
    EQ(0, got.sum.problems);
    text = foreign_original(q, text_path(STORAGE "session/p/ses_1a.json"));
    HAS(text, "{\"session\":{\"file\":\"session/p/ses_1a.json\",\"data\":"
              "\"{\\n  \\\"id\\\": \\\"ses_1a\\\"");
    HAS(text, "{\"message\":{\"file\":\"message/ses_1a/msg_1.json\"");
    HAS(text, "\"parts\":[{\"file\":\"part/msg_1/prt_1.json\"");
    HAS(text, "{\"table\":\"todo\",\"row\":{\"file\":\"todo/ses_1a.json\"");
    EQ(2, foreign_import(q, NULL).states[IMPORT_UNCHANGED]);
    foreign_write(text_path(STORAGE "part/msg_1/prt_2.json"),
                  "{'id':'prt_2','type':'text','text':'two'}");
    EQ(1, foreign_import(q, NULL).states[IMPORT_REWRITTEN]);
    quire_close(q);
    catalogue_sound();
}

TEST(a_session_that_moved_into_the_database_stays_one_session)
{
    struct foreign_import got;
    quire_import_file f;
    quire *q;

    set_up_files();
    q = foreign_home();
    foreign_import(q, NULL);
    set_up();
    got = foreign_import(q, NULL);
    EQ(1, got.states[IMPORT_REWRITTEN]); /* 1a */
    EQ(1, got.states[IMPORT_NEW]);       /* 2b */
    EQ(1, got.states[IMPORT_UNCHANGED]); /* 3c, in files still */
    OK(quire_import_find(q, text_path(DB "#ses_1a"), &f, &test_err));
    SAME_TEXT("1a", f.session);
    EQ(3, foreign_import(q, NULL).states[IMPORT_UNCHANGED]);
    quire_close(q);
    catalogue_sound();
}

TEST(an_import_of_the_older_files_survives_every_call_that_fails)
{
    set_up_files();
    foreign_faults(STORAGE "session/p/ses_1a.json",
                   text_path(STORAGE "session/p/ses_1a.json"));
}

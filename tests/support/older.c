/* older.c - homes as older versions left them */
#include "support/older.h"

#include <stdio.h>

#include "store/db.h"
#include "support/catalog.h"
#include "support/test.h"

#define WITHOUT_TENANT(table, columns, names)                         \
    "CREATE TABLE old_" table "(" columns "); INSERT INTO old_" table \
    " SELECT " names " FROM " table "; DROP TABLE " table ";"         \
    "ALTER TABLE old_" table " RENAME TO " table ";"

/* What takes each step back, from the last one. */
static const struct {
    int step;
    const char *sql;
} undo[] = {
    {29, "DROP TABLE sync_local; DROP TABLE memory_uid; DROP TABLE sync_file;"},
    {28, "DROP TABLE exported"},
    {27, "DROP TABLE trash; DROP TABLE session_keep;"},
    {26, "DROP TABLE continuation"},
    {25, "DROP TABLE import_answer"},
    {24, "DROP TABLE activity"},
    {23, "DROP TABLE access_token"},
    {22, "ALTER TABLE import_part DROP COLUMN form"},
    {21, "DROP TABLE import_part; DROP TABLE import_state;"
         "DROP TABLE import_file;"},
    {20, "CREATE VIRTUAL TABLE artifact_words_1 USING fts5(path, content='',"
         " tokenize='quire'); CREATE VIRTUAL TABLE memory_past_1 USING"
         " fts5(title, content='', tokenize='quire');"
         "DROP TABLE change_log; CREATE TABLE artifact_due(tenant INTEGER NOT"
         " NULL REFERENCES tenant(id) ON DELETE CASCADE, artifact INTEGER NOT"
         " NULL, sha256 BLOB, session INTEGER, path TEXT, purpose TEXT,"
         " tags TEXT, mime TEXT, PRIMARY KEY(tenant, artifact)) WITHOUT ROWID"},
    {19,
     WITHOUT_TENANT("artifact_version",
                    "artifact INTEGER NOT NULL REFERENCES artifact(id)"
                    " ON DELETE CASCADE, version INTEGER NOT NULL,"
                    " sha256 BLOB NOT NULL, size INTEGER NOT NULL,"
                    " mime TEXT NOT NULL, created INTEGER NOT NULL,"
                    " PRIMARY KEY(artifact, version)",
                    "artifact, version, sha256, size, mime, created")
         WITHOUT_TENANT(
             "artifact_access",
             "artifact INTEGER PRIMARY KEY REFERENCES artifact(id)"
             " ON DELETE CASCADE, n INTEGER NOT NULL,"
             " last INTEGER NOT NULL",
             "artifact, n, last") WITHOUT_TENANT("filed",
                                                 "session INTEGER PRIMARY KEY REFERENCES session(id)"
                                                 " ON DELETE CASCADE, folder INTEGER NOT NULL REFERENCES"
                                                 " folder(id) ON DELETE CASCADE",
                                                 "session, folder")
             WITHOUT_TENANT("folder_place",
                            "folder INTEGER PRIMARY KEY REFERENCES folder(id)"
                            " ON DELETE CASCADE, position INTEGER NOT NULL",
                            "folder, position")
                 WITHOUT_TENANT(
                     "session_agent",
                     "session INTEGER PRIMARY KEY REFERENCES session(id)"
                     " ON DELETE CASCADE, agent TEXT NOT NULL, definition TEXT",
                     "session, agent, definition")
                     WITHOUT_TENANT(
                         "memory_link",
                         "memory INTEGER PRIMARY KEY REFERENCES memory(id)"
                         " ON DELETE CASCADE, artifact INTEGER NOT NULL",
                         "memory, artifact")
                         WITHOUT_TENANT(
                             "tally",
                             "session INTEGER PRIMARY KEY REFERENCES session(id)"
                             " ON DELETE CASCADE, name TEXT NOT NULL, title TEXT NOT"
                             " NULL, state TEXT NOT NULL, parent TEXT NOT NULL,"
                             " inode INTEGER NOT NULL, size INTEGER NOT NULL,"
                             " modified INTEGER NOT NULL, changed INTEGER NOT NULL,"
                             " damaged INTEGER NOT NULL, scanned INTEGER NOT NULL,"
                             " tail BLOB NOT NULL, entries INTEGER NOT NULL,"
                             " messages INTEGER NOT NULL, input INTEGER NOT NULL,"
                             " output INTEGER NOT NULL, cache_read INTEGER NOT NULL,"
                             " cache_write INTEGER NOT NULL, total INTEGER NOT NULL,"
                             " cost INTEGER NOT NULL",
                             "session, name, title, state, parent, inode, size,"
                             " modified, changed, damaged, scanned, tail, entries,"
                             " messages, input, output, cache_read, cache_write, total,"
                             " cost") "ALTER TABLE pad_block DROP COLUMN tenant;"},
    {18, "DROP TABLE memory_link; DROP TABLE folder_place;"
         "DROP TABLE session_agent;"},
    {17, "DROP TABLE blob_tenant;"},
    {16, "DROP TABLE filed; DROP TABLE folder;"},
    {15, "DROP TABLE journal;"},
    {14, "DROP TABLE artifact_due;"},
    {13, "DROP TABLE claim;"},
    {12, "DROP TABLE run;"},
    {11, "DROP TABLE copy;"},
    {10, "DROP TABLE mentioned; DROP TABLE source; DROP TABLE held;"
         "DROP TABLE doomed; DROP TABLE loose; DROP TABLE pin; DROP TABLE root;"
         "DROP TABLE collection;"},
    {9, "DROP TABLE tally;"},
    {8, "DROP TABLE artifact_access;"},
    {7, "DROP TABLE pad_block; DROP TABLE pad;"},
    {6, "DROP TABLE relation; DROP TABLE memory;"},
    {5, "DROP TABLE removal;"},
    {4, "DROP TABLE setting;"},
    {3, "DROP TABLE artifact_version; DROP TABLE artifact;"
        "DROP TABLE session; DROP TABLE tenant;"},
};

void test_undo_steps(int step)
{
    struct db *db = catalogue_open();
    char sql[64];
    size_t i;

    for (i = 0; i < sizeof undo / sizeof *undo && undo[i].step > step; i++)
        OK(db_exec(db, undo[i].sql, &test_err));
    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", step);
    OK(db_exec(db, sql, &test_err));
    db_close(db);
}

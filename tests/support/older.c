/* older.c - homes as older versions left them */
#include "support/older.h"

#include <stdio.h>

#include "store/db.h"
#include "support/test.h"

/* What takes each step back, from the last one. */
static const struct {
    int step;
    const char *sql;
} undo[] = {
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

void test_undo_steps(const char *db_path, int step)
{
    struct db_config config = {.path = db_path,
                               .access = DB_WRITE,
                               .busy_ms = 1000};
    struct db *db;
    char sql[64];
    size_t i;

    OK(db_sqlite_open(&config, &db, &test_err));
    for (i = 0; i < sizeof undo / sizeof *undo && undo[i].step > step; i++)
        OK(db_exec(db, undo[i].sql, &test_err));
    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", step);
    OK(db_exec(db, sql, &test_err));
    db_close(db);
}

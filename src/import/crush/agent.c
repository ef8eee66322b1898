/*
 * agent.c - where Crush keeps its sessions
 *
 *     <project>/.crush/crush.db     a database, of sessions of that project
 *     ~/.crush/crush.db
 *
 * The project is the current directory or one above it.
 */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "import/agents.h"
#include "import/database.h"

enum { SQL_SIZE = 1024 };

static const char database[] = "crush.db";

static bool is_ours(struct sqlite_reader *r)
{
    return sqlite_reader_has(r, "sessions", "id") &&
           sqlite_reader_has(r, "sessions", "message_count") &&
           sqlite_reader_has(r, "messages", "session_id") &&
           sqlite_reader_has(r, "messages", "parts");
}

/* ---- extracting --------------------------------------------------------- */

/* What belongs to a session, if there is such a table. */
static quire_status add_table(struct database_lines *l, const char *table,
                              const char *order, quire_error *err)
{
    char sql[SQL_SIZE];

    if (!sqlite_reader_has(l->r, table, "session_id"))
        return QUIRE_OK;
    snprintf(sql, sizeof sql,
             "SELECT * FROM %s WHERE session_id = ?1 ORDER BY %s, %s", table,
             database_column(l->r, table, order),
             database_column(l->r, table, "id"));
    return database_add_table(l, table, sql, err);
}

static quire_status write_session(struct database_lines *l, quire_error *err)
{
    char sql[SQL_SIZE];
    quire_status st;

    if (!is_ours(l->r))
        return err_set(err, QUIRE_DAMAGED, "it is no database of Crush");
    st = database_add_row(l, "session", "SELECT * FROM sessions WHERE id = ?1",
                          err);
    snprintf(sql, sizeof sql,
             "SELECT * FROM messages WHERE session_id = ?1 ORDER BY %s, %s",
             database_column(l->r, "messages", "created_at"),
             database_column(l->r, "messages", "id"));
    if (!st)
        st = database_add_row(l, "message", sql, err);
    if (!st)
        st = add_table(l, "files", "path", err);
    return st ? st : add_table(l, "read_files", "path", err);
}

static quire_status extract(const struct import_found *f, int fd,
                            quire_error *err)
{
    return database_extract(f, fd, write_session, err);
}

/* ---- finding ------------------------------------------------------------ */

struct finding {
    struct import_place *at;
    const char *file;
};

/* Add ", count, time" of a table, or zeros. */
static void add_state(struct sqlite_reader *r, const char *table, char *sql)
{
    size_t n = strlen(sql);

    if (!sqlite_reader_has(r, table, "session_id"))
        return;
    snprintf(sql + n, SQL_SIZE - n,
             ", (SELECT count(*) FROM %s t WHERE t.session_id = s.id)"
             ", (SELECT max(%s) FROM %s t WHERE t.session_id = s.id)",
             table, database_column(r, table, "updated_at"), table);
}

static quire_status list_sessions(struct sqlite_reader *r, void *ctx,
                                  quire_error *err)
{
    struct finding *f = ctx;
    char sql[SQL_SIZE];
    size_t n;

    snprintf(sql, sizeof sql,
             "SELECT s.id, %s, %s, NULL, s.message_count, %s, %s",
             database_column(r, "sessions", "parent_session_id"),
             database_column(r, "sessions", "title"),
             database_column(r, "sessions", "updated_at"),
             database_column(r, "sessions", "cost"));
    add_state(r, "messages", sql);
    add_state(r, "files", sql);
    add_state(r, "read_files", sql);
    n = strlen(sql);
    snprintf(sql + n, sizeof sql - n, " FROM sessions s ORDER BY s.id");
    return database_add_listed(r, f->at, f->file, sql, extract, err);
}

/* Sessions are of the directory that ".crush" is in, but for the one at home. */
static void set_cwd(struct import_places *p, size_t from, const char *file)
{
    const char *home = places_env("HOME"), *end = strstr(file, "/.crush/");
    const char *dir;
    size_t i, len = end ? (size_t)(end - file) : 0;

    if (!end || (home && strlen(home) == len && !strncmp(file, home, len)))
        return;
    dir = arena_text(p->keep, bytes_of(file, len));
    for (i = from; i < p->n && dir; i++)
        p->list[i].cwd = dir;
}

static quire_status add_database(struct import_place *at, const char *file,
                                 quire_error *err)
{
    struct finding f = {at, file};
    size_t n = at->p->n;
    quire_status st = database_find(at, file, is_ours, list_sessions, &f, err);

    if (!st)
        set_cwd(at->p, n, file);
    return st;
}

/* A directory with the database, or with ".crush". */
static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    struct import_place at = {p, &import_agent_crush, dir};
    const char *file = arena_printf(p->keep, "%s/%s", dir, database);

    if (file && access(file, F_OK) != 0)
        file = arena_printf(p->keep, "%s/.crush/%s", dir, database);
    if (!file)
        return err_memory(err);
    return access(file, F_OK) == 0 ? add_database(&at, file, err)
                                   : places_spot(p, at.agent, file, false, err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    if (!strcmp(name_base(dir), ".crush"))
        return IMPORT_LIKELY;
    return places_has_dir(p, dir, ".crush") ? IMPORT_MAYBE : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *home = places_env("HOME");
    quire_status st = places_below_home(p, &import_agent_crush, ".crush", err);
    char dir[PATH_MAX], *slash;
    const char *root;

    if (st || !getcwd(dir, sizeof dir))
        return st;
    while (*dir == '/' && dir[1]) {
        if ((!home || strcmp(dir, home) != 0) &&
            places_has_dir(p, dir, ".crush")) {
            root = arena_printf(p->keep, "%s/.crush", dir);
            return root ? add_dir(p, root, err) : err_memory(err);
        }
        slash = strrchr(dir, '/');
        *slash = '\0';
    }
    return QUIRE_OK;
}

static enum import_match match_file(const struct import_candidate *f)
{
    return database_is(f, is_ours) ? IMPORT_LIKELY : IMPORT_NOT;
}

static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);

    return f.path ? add_database(at, f.path, err) : err_memory(err);
}

const struct import_agent import_agent_crush = {
    .name = "crush",
    .title = "Crush",
    .where =
        "`.crush` in the current directory or one above it, and `~/.crush`",
    .format = &import_crush,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};

/*
 * agent.c - where Goose keeps its sessions
 *
 *     ~/.local/share/goose, or below XDG_DATA_HOME, or GOOSE_PATH_ROOT/data
 *         sessions/sessions.db     a database
 *         sessions/<id>.jsonl      before 1.10: a file a session
 *
 * Goose copied its files into the database and left them: a session that is in both
 * is imported from the database.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "import/agents.h"
#include "import/database.h"

enum { SQL_SIZE = 1024 };

static const char database[] = "sessions.db";

static bool is_ours(struct sqlite_reader *r)
{
    return sqlite_reader_has(r, "sessions", "id") &&
           sqlite_reader_has(r, "sessions", "working_dir") &&
           sqlite_reader_has(r, "messages", "session_id") &&
           sqlite_reader_has(r, "messages", "content_json");
}

/* ---- extracting --------------------------------------------------------- */

static quire_status write_session(struct database_lines *l, quire_error *err)
{
    char sql[SQL_SIZE];
    quire_status st;

    if (!is_ours(l->r))
        return err_set(err, QUIRE_DAMAGED, "it is no database of Goose");
    st = database_add_row(l, "session", "SELECT * FROM sessions WHERE id = ?1",
                          err);
    if (!st && sqlite_reader_has(l->r, "usage_ledger", "session_id")) {
        snprintf(sql, sizeof sql,
                 "SELECT * FROM usage_ledger WHERE session_id = ?1 ORDER BY %s",
                 database_column(l->r, "usage_ledger", "id"));
        st = database_add_table(l, "usage_ledger", sql, err);
    }
    snprintf(sql, sizeof sql,
             "SELECT * FROM messages WHERE session_id = ?1 ORDER BY %s, %s",
             database_column(l->r, "messages", "created_timestamp"),
             database_column(l->r, "messages", "id"));
    return st ? st : database_add_row(l, "message", sql, err);
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

static quire_status list_sessions(struct sqlite_reader *r, void *ctx,
                                  quire_error *err)
{
    struct finding *f = ctx;
    bool has_name = sqlite_reader_has(r, "sessions", "name");
    char sql[SQL_SIZE];

    snprintf(
        sql, sizeof sql,
        "SELECT s.id, %s, %s, s.working_dir, (SELECT count(*) FROM messages m "
        "WHERE m.session_id = s.id), (SELECT max(%s) FROM messages m WHERE "
        "m.session_id = s.id), (SELECT max(%s) FROM messages m WHERE "
        "m.session_id = s.id), %s, %s FROM sessions s ORDER BY s.id",
        database_column(r, "sessions", "parent_session_id"),
        database_column(r, "sessions", has_name ? "name" : "description"),
        database_column(r, "messages", "created_timestamp"),
        database_column(r, "messages", "id"),
        database_column(r, "sessions", "updated_at"),
        database_column(r, "sessions", "accumulated_output_tokens"));
    return database_add_listed(r, f->at, f->file, sql, extract, err);
}

static quire_status add_database(struct import_place *at, const char *file,
                                 quire_error *err)
{
    struct finding f = {at, file};

    return database_find(at, file, is_ours, list_sessions, &f, err);
}

/* Whether the database, whose sessions are listed from `from` on, has this id. The
 * file is one of its places then. */
static bool is_listed(struct import_places *p, size_t from,
                      const struct import_found *f)
{
    size_t i;

    for (i = from; i < p->n; i++)
        if (p->list[i].extract == extract && !strcmp(p->list[i].id, f->id)) {
            p->list[i].replaces = f->path;
            return true;
        }
    return false;
}

static quire_status add_lines(struct import_place *at, const char *name,
                              const struct stat *st, size_t listed,
                              quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *base = name_base(name), *dot = strrchr(base, '.');

    f.id = name_id_dashed(at->p->keep, bytes_of(base, dot ? (size_t)(dot - base)
                                                          : strlen(base)));
    if (!f.path || !f.id)
        return err_memory(err);
    return is_listed(at->p, listed, &f) ? QUIRE_OK : places_add(at->p, &f, err);
}

static int is_lines(const struct dirent *e)
{
    return name_ends(e->d_name, ".jsonl");
}

static quire_status add_files(struct import_place *at, size_t listed,
                              quire_error *err)
{
    struct dirent **list;
    quire_status status = QUIRE_OK;
    int i, n = scandir(at->root, &list, is_lines, alphasort);

    if (n < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? QUIRE_OK
                   : err_sys(err, errno, "cannot read %s", at->root);
    for (i = 0; i < n; i++) {
        const char *path = arena_printf(at->p->keep, "%s/%s", at->root,
                                        list[i]->d_name);
        struct stat st;

        if (!path && !status)
            status = err_memory(err);
        if (!status && lstat(path, &st) == 0 && S_ISREG(st.st_mode))
            status = add_lines(at, list[i]->d_name, &st, listed, err);
        free(list[i]);
    }
    free(list);
    return status;
}

/* Goose's directory, or that of the sessions. */
static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    struct import_place at = {p, &import_agent_goose, dir};
    size_t listed = p->n;
    const char *file;
    quire_status st = QUIRE_OK;

    if (places_has_dir(p, dir, "sessions"))
        at.root = arena_printf(p->keep, "%s/sessions", dir);
    file = at.root ? arena_printf(p->keep, "%s/%s", at.root, database) : NULL;
    if (!file)
        return err_memory(err);
    st = places_spot(p, at.agent, arena_printf(p->keep, "%s/", at.root), false,
                     err);
    if (!st && access(file, F_OK) == 0)
        st = add_database(&at, file, err);
    return st ? st : add_files(&at, listed, err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    const char *file = arena_printf(p->keep, "%s/%s", dir, database);

    if (!strcmp(name_base(dir), "goose") && places_has_dir(p, dir, "sessions"))
        return IMPORT_LIKELY;
    return file && access(file, F_OK) == 0 ? IMPORT_MAYBE : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *root = places_env("GOOSE_PATH_ROOT");
    const char *data = places_env("XDG_DATA_HOME");
    const char *dir;

    if (!root && !data)
        return places_below_home(p, &import_agent_goose, ".local/share/goose",
                                 err);
    dir = root ? arena_printf(p->keep, "%s/data", root)
               : arena_printf(p->keep, "%s/goose", data);
    return dir ? add_dir(p, dir, err) : err_memory(err);
}

/* ---- a file ------------------------------------------------------------- */

static enum import_match match_file(const struct import_candidate *f)
{
    struct json_want w[] = {JSON_WANT("working_dir"), JSON_WANT("description")};

    if (!name_ends(f->base, ".jsonl"))
        return database_is(f, is_ours) ? IMPORT_LIKELY : IMPORT_NOT;
    json_head(f->head, w, 2, NULL);
    return json_kind(w[0].value) == JSON_STRING &&
                   json_kind(w[1].value) == JSON_STRING
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);

    if (!f.path)
        return err_memory(err);
    return name_ends(name, ".jsonl") ? add_lines(at, name, st, at->p->n, err)
                                     : add_database(at, f.path, err);
}

const struct import_agent import_agent_goose = {
    .name = "goose",
    .title = "Goose",
    .where = "`~/.local/share/goose`, or below `XDG_DATA_HOME`, or `data` in "
             "`GOOSE_PATH_ROOT`",
    .format = &import_goose,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};

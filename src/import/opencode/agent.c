/*
 * agent.c - where opencode and its kin keep their sessions
 *
 *     ~/.local/share, or XDG_DATA_HOME
 *         opencode/opencode.db            a database; of another channel a suffix
 *         opencode/storage/session/…      before 2026: files (files.c)
 *         kilo/…  mimocode/…              the same, of Kilo and MiMo Code
 *
 * A session that was in files, and is in the database now, is one session. A file
 * that `opencode export` has written is imported by its name.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "import/agents.h"
#include "import/opencode/rows.h"

static const char *const programs[] = {"opencode", "kilo", "mimocode", NULL};

/* ---- a directory -------------------------------------------------------- */

static int is_database_name(const struct dirent *e)
{
    return name_ends(e->d_name, ".db");
}

static quire_status add_databases(struct import_place *at,
                                  struct import_places *tree, quire_error *err)
{
    struct dirent **list;
    quire_status st = QUIRE_OK;
    int i, n = scandir(at->root, &list, is_database_name, alphasort);

    if (n < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? QUIRE_OK
                   : err_sys(err, errno, "cannot read %s", at->root);
    for (i = 0; i < n; i++) {
        const char *path = arena_printf(at->p->keep, "%s/%s", at->root,
                                        list[i]->d_name);

        if (!st)
            st = path ? opencode_add_database(at, path, tree, err)
                      : err_memory(err);
        free(list[i]);
    }
    free(list);
    return st;
}

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    const struct import_agent *agent = &import_agent_opencode;
    struct import_places tree = {.keep = p->keep};
    struct import_place at = {p, agent, dir};
    quire_status st = places_walk(&tree, agent, dir, "storage/session",
                                  opencode_add_file, err);
    const char *databases = arena_printf(p->keep, "%s/", dir);
    const char *files = arena_printf(p->keep, "%s/storage", dir);
    size_t i;

    if (!st)
        st = places_spot(p, agent, databases, false, err);
    if (!st)
        st = places_spot(p, agent, files, true, err);
    if (!st)
        st = add_databases(&at, &tree, err);
    for (i = 0; i < tree.n && !st; i++)
        st = places_add(p, &tree.list[i], err);
    return st;
}

static bool is_program(const char *name)
{
    const char *const *program;

    for (program = programs; *program; program++)
        if (!strcmp(name, *program))
            return true;
    return false;
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    if (places_has_dir(p, dir, "storage/session"))
        return IMPORT_LIKELY;
    return is_program(name_base(dir)) ? IMPORT_MAYBE : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *data = places_env("XDG_DATA_HOME");
    const char *const *program;
    quire_status st = QUIRE_OK;

    for (program = programs; *program && !st; program++) {
        const char *name = arena_printf(p->keep, "%s/%s",
                                        data ? data : ".local/share", *program);

        if (!name)
            st = err_memory(err);
        else
            st = data ? add_dir(p, name, err)
                      : places_below_home(p, &import_agent_opencode, name, err);
    }
    return st;
}

/* ---- a file ------------------------------------------------------------- */

/* {"info": {"id": "ses_… */
static bool is_export(const struct import_candidate *f)
{
    struct json_want id[] = {JSON_WANT("id")};
    const char *at = memchr(f->head.data, '{', f->head.len);
    static const char key[] = "\"info\"";
    const char *end = (const char *)f->head.data + f->head.len;

    if (!name_ends(f->base, ".json") || !at)
        return false;
    for (at++; at < end && strchr(" \t\r\n", *at); at++)
        ;
    if ((size_t)(end - at) < sizeof key || memcmp(at, key, sizeof key - 1) != 0)
        return false;
    at = memchr(at, '{', (size_t)(end - at));
    if (!at)
        return false;
    json_head(bytes_of(at, (size_t)(end - at)), id, 1, NULL);
    return json_kind(id[0].value) == JSON_STRING &&
           bytes_starts(id[0].value, bytes_str("\"ses_"));
}

static bool is_session_file(const struct import_candidate *f)
{
    return !strncmp(f->base, "ses_", 4) && name_ends(f->base, ".json") &&
           strstr(f->path, "/storage/session/");
}

static enum import_match match_file(const struct import_candidate *f)
{
    return is_session_file(f) || database_is(f, opencode_is_database) ||
                   is_export(f)
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

static quire_status add_export(struct import_place *at, struct import_found *f,
                               quire_error *err)
{
    struct json_want id[] = {JSON_WANT("id")};
    char head[IMPORT_HEAD];
    quire_bytes text = places_head(f->path, head), name;
    const char *info = memmem(text.data, text.len, "\"info\"", 6), *from;
    const char *end = (const char *)text.data + text.len;

    from = info ? memchr(info, '{', (size_t)(end - info)) : NULL;
    if (from)
        json_head(bytes_of(from, (size_t)(end - from)), id, 1, NULL);
    name = id[0].value.len > 6 ? bytes_sub(id[0].value, 5, id[0].value.len - 1)
                               : bytes_str(name_base(f->path));
    f->id = name_id_dashed(at->p->keep, name);
    f->is_whole = true;
    return places_add(at->p, f, err);
}

static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    struct import_candidate c = {.path = f.path, .base = name_base(name)};

    if (!f.path)
        return err_memory(err);
    if (is_session_file(&c))
        return opencode_add_file(at, name, st, err);
    return name_ends(c.base, ".json")
               ? add_export(at, &f, err)
               : opencode_add_database(at, f.path, NULL, err);
}

const struct import_agent import_agent_opencode = {
    .name = "opencode",
    .title = "opencode, Kilo, MiMo Code",
    .where = "`~/.local/share/opencode`, `kilo` and `mimocode`, or below "
             "`XDG_DATA_HOME`; files of `opencode export`",
    .format = &import_opencode,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};

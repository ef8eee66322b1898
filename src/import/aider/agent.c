/*
 * agent.c - where Aider keeps its chat history
 *
 *     <repository>/.aider.chat.history.md, or AIDER_CHAT_HISTORY_FILE
 *
 * The repository is that of the current directory: it, or one above it.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "import/agents.h"

static const char history[] = ".aider.chat.history.md";
static const char start[] = "# aider chat started at ";

/* Its id follows from its path: there is one in each repository. */
static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    const char *base;

    if (!f.path)
        return err_memory(err);
    base = name_base(f.path);
    f.id = name_id(at->p->keep, bytes_str(f.path));
    if (base - f.path > 1) {
        f.cwd = arena_text(at->p->keep,
                           bytes_of(f.path, (size_t)(base - f.path) - 1));
        if (!f.cwd)
            return err_memory(err);
    }
    return places_add(at->p, &f, err);
}

/* A file by its path, if it is there. */
static quire_status add_path(struct import_places *p, const char *path,
                             quire_error *err)
{
    struct import_place at = {.p = p, .agent = &import_agent_aider};
    const char *base = name_base(path);
    quire_status status = places_spot(p, at.agent, path, false, err);
    struct stat st;

    if (status)
        return status;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) || base == path)
        return QUIRE_OK;
    at.root = arena_text(p->keep, bytes_of(path, (size_t)(base - path) - 1));
    return at.root ? add_file(&at, base, &st, err) : err_memory(err);
}

static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    const char *path = arena_printf(p->keep, "%s/%s", dir, history);

    return path ? add_path(p, path, err) : err_memory(err);
}

static bool has_history(struct import_places *p, const char *dir)
{
    const char *path = arena_printf(p->keep, "%s/%s", dir, history);

    return path && access(path, F_OK) == 0;
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    return has_history(p, dir) ? IMPORT_MAYBE : IMPORT_NOT;
}

static quire_status find(struct import_places *p, quire_error *err)
{
    const char *file = getenv("AIDER_CHAT_HISTORY_FILE");
    char dir[PATH_MAX], *slash;
    const char *path;

    if (file && *file == '/')
        return add_path(p, file, err);
    if (!getcwd(dir, sizeof dir))
        return QUIRE_OK;
    if (file && *file) {
        path = arena_printf(p->keep, "%s/%s", dir, file);
        return path ? add_path(p, path, err) : err_memory(err);
    }
    while (*dir == '/' && dir[1]) {
        if (has_history(p, dir))
            return add_dir(p, dir, err);
        slash = strrchr(dir, '/');
        *slash = '\0';
    }
    return QUIRE_OK;
}

static enum import_match match_file(const struct import_candidate *f)
{
    if (!strcmp(f->base, history))
        return IMPORT_LIKELY;
    return name_ends(f->base, ".md") &&
                   memmem(f->head.data, f->head.len, start, sizeof start - 1)
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

const struct import_agent import_agent_aider = {
    .name = "aider",
    .title = "Aider",
    .where = "`.aider.chat.history.md` in the current directory or one above "
             "it, or `AIDER_CHAT_HISTORY_FILE`",
    .format = &import_aider,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_file,
};

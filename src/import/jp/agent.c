/*
 * agent.c - where JP keeps its conversations
 *
 *     <workspace>/.jp/conversations/<number>[-<slug>]/events.json   a session
 *     <workspace>/.jp/conversations/.archive/<…>/events.json        a session
 *     beside them metadata.json, base_config.json                   files of it
 *
 * The workspace is the current directory or one above it. JP's own, private copy of
 * a conversation has the same shape, without ".jp"; --from names it.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "import/agents.h"

static const char main_name[] = "events.json";
static const char *const beside[] = {"metadata.json", "base_config.json", NULL};

/* "jp-c17780000011" of ".archive/17780000011-a-slug"; NULL: it is no
 * conversation. */
static const char *conversation_id(struct arena *keep, quire_bytes dir)
{
    const char *at = dir.data, *end = at + dir.len, *digits;

    for (digits = end; digits > at && digits[-1] != '/';)
        digits--;
    for (at = digits; at < end && *at >= '0' && *at <= '9'; at++)
        ;
    if (at == digits || at - digits > 20 || (at < end && *at != '-'))
        return NULL;
    return arena_printf(keep, "jp-c%.*s", (int)(at - digits), digits);
}

static void read_title(struct arena *keep, struct import_found *f, size_t dir)
{
    struct json_want w[] = {JSON_WANT("title")};
    const char *path = arena_printf(keep, "%.*smetadata.json", (int)dir,
                                    f->path);
    char head[IMPORT_HEAD];
    quire_bytes title;

    if (!path)
        return;
    json_head(places_head(path, head), w, 1, NULL);
    if (json_kind(w[0].value) != JSON_STRING)
        return;
    title = json_text(w[0].value, keep);
    if (title.len && !memchr(title.data, '\0', title.len))
        f->title = arena_text(keep, title);
}

/* The directory that ".jp" is in. */
static void read_cwd(struct arena *keep, struct import_found *f)
{
    const char *jp = NULL, *next;

    for (next = f->path; (next = strstr(next, "/.jp/")) != NULL; next++)
        jp = next;
    if (jp && jp > f->path)
        f->cwd = arena_text(keep, bytes_of(f->path, (size_t)(jp - f->path)));
}

/* A file of a conversation; another one is passed over. */
static quire_status add_file(struct import_place *at, const char *name,
                             const struct stat *st, quire_error *err)
{
    struct import_found f = places_found(at, name, st);
    struct arena *keep = at->p->keep;
    const char *base, *const *other;
    size_t dir;

    if (!f.path)
        return err_memory(err);
    base = name_base(f.path);
    dir = (size_t)(base - f.path);
    f.is_main = !strcmp(base, main_name);
    for (other = beside; *other && strcmp(base, *other) != 0; other++)
        ;
    if (!f.is_main && !*other)
        return QUIRE_OK;
    f.id = conversation_id(keep, bytes_of(f.path, dir ? dir - 1 : 0));
    if (!f.id)
        return QUIRE_OK;
    if (f.is_main) {
        f.is_whole = true;
        read_title(keep, &f, dir);
        read_cwd(keep, &f);
    }
    return places_add(at->p, &f, err);
}

/* "<number>-<slug>/events.json", or in the archive; the main file first. */
static quire_status visit(struct import_place *at, const char *name,
                          const struct stat *st, quire_error *err)
{
    if (!strncmp(name, ".trash/", 7) || strcmp(name_base(name), main_name) != 0)
        return QUIRE_OK;
    return add_file(at, name, st, err);
}

static quire_status visit_beside(struct import_place *at, const char *name,
                                 const struct stat *st, quire_error *err)
{
    if (!strncmp(name, ".trash/", 7) || !strcmp(name_base(name), main_name))
        return QUIRE_OK;
    return add_file(at, name, st, err);
}

static const char *const below[] = {".jp/conversations", "conversations", "",
                                    NULL};

/* A workspace, ".jp", or the directory of conversations. */
static quire_status add_dir(struct import_places *p, const char *dir,
                            quire_error *err)
{
    const struct import_agent *agent = &import_agent_jp;
    const char *const *name = below;
    quire_status st;

    while (**name && !places_has_dir(p, dir, *name))
        name++;
    st = places_walk(p, agent, dir, *name, visit, err);
    return st ? st : places_walk(p, agent, dir, *name, visit_beside, err);
}

static enum import_match match_dir(struct import_places *p, const char *dir)
{
    const char *base = name_base(dir);

    if (places_has_dir(p, dir, below[0]))
        return IMPORT_MAYBE;
    return (!strcmp(base, ".jp") && places_has_dir(p, dir, below[1])) ||
                   (!strcmp(base, "conversations") && strstr(dir, "/.jp/"))
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

/* The nearest workspace above. */
static quire_status find(struct import_places *p, quire_error *err)
{
    char dir[PATH_MAX], *slash;
    const char *root;

    if (!getcwd(dir, sizeof dir))
        return QUIRE_OK;
    while (*dir == '/' && dir[1]) {
        if (places_has_dir(p, dir, below[0])) {
            root = arena_text(p->keep, bytes_str(dir));
            return root ? add_dir(p, root, err) : err_memory(err);
        }
        slash = strrchr(dir, '/');
        *slash = '\0';
    }
    return QUIRE_OK;
}

/* An array of events with a time and a type. */
static enum import_match match_file(const struct import_candidate *f)
{
    static const char key[] = "\"type\"";

    if (strcmp(f->base, main_name) != 0 || f->head.len == 0 ||
        *(const char *)f->head.data != '[')
        return IMPORT_NOT;
    return memmem(f->head.data, f->head.len, key, sizeof key - 1) &&
                   memmem(f->head.data, f->head.len, "\"timestamp\"", 11)
               ? IMPORT_LIKELY
               : IMPORT_NOT;
}

/* A file that is named: its directory may be called anything. */
static quire_status add_named(struct import_place *at, const char *name,
                              const struct stat *st, quire_error *err)
{
    size_t before = at->p->n;
    struct import_found f = places_found(at, name, st);
    const char *end, *from;
    quire_status status = add_file(at, name, st, err);

    if (status || at->p->n > before)
        return status;
    if (!f.path)
        return err_memory(err);
    end = name_base(f.path);
    from = end > f.path ? --end : end;
    while (from > f.path && from[-1] != '/')
        from--;
    f.id = name_id(at->p->keep, bytes_of(from, (size_t)(end - from)));
    f.is_whole = true;
    return places_add(at->p, &f, err);
}

const struct import_agent import_agent_jp = {
    .name = "jp",
    .title = "JP",
    .where = "`.jp` in the current directory or one above it",
    .format = &import_jp,
    .find = find,
    .match_dir = match_dir,
    .add_dir = add_dir,
    .match_file = match_file,
    .add_file = add_named,
};

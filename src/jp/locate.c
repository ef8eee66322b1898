/*
 * locate.c - conversations by id
 *
 * JP works on two locations at once: the `.jp` of the workspace, which is the
 * nearest one upwards from the working directory, and a private one in the
 * user's data, <user data>/workspace/<slug>-<workspace id>. The id of the
 * workspace is the last line of `.jp/.id`; a private location without it is
 * known by its link `storage`, which leads back to the workspace.
 *
 * Most conversations are in both: they are one, and the workspace's comes
 * first.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "jp/jp.h"

#define WORKSPACE_ID 5 /* letters and digits */

static bool is_directory(const char *path)
{
    struct stat st;

    return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- locations ---------------------------------------------------------- */

/* The nearest `.jp` upwards; NULL: there is none. */
static const char *find_shared(struct arena *keep)
{
    char *here = getcwd(NULL, 0), *end;
    const char *found = NULL;

    for (end = here ? here + strlen(here) : NULL; end && !found;) {
        const char *path;

        *end = '\0';
        path = arena_printf(keep, "%s/.jp", here);
        if (is_directory(path))
            found = path;
        end = strrchr(here, '/');
    }
    free(here);
    return found;
}

/* The id of the workspace, or "". */
static void read_workspace_id(const char *shared, struct arena *keep,
                              char out[WORKSPACE_ID + 1])
{
    const char *path = arena_printf(keep, "%s/.id", shared);
    FILE *f = path ? fopen(path, "re") : NULL;
    char line[256];
    size_t n;

    *out = '\0';
    while (f && fgets(line, sizeof line, f)) {
        n = strspn(line, "0123456789abcdefghijklmnopqrstuvwxyz");
        if (n == WORKSPACE_ID && strspn(line + n, "\r\n") == strlen(line + n))
            snprintf(out, WORKSPACE_ID + 1, "%.*s", WORKSPACE_ID, line);
    }
    if (f)
        fclose(f);
}

static const char *private_base(struct arena *keep)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

    if (data && *data == '/')
        return arena_printf(keep, "%s/jp/workspace", data);
    return home && *home == '/'
               ? arena_printf(keep, "%s/.local/share/jp/workspace", home)
               : NULL;
}

/* Whether both paths exist and are the same. */
static bool is_same_dir(const char *a, const char *b)
{
    struct stat x, y;

    return a && b && stat(a, &x) == 0 && stat(b, &y) == 0 &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

struct private_search {
    const char *base, *shared;
    char id[WORKSPACE_ID + 1];
    struct arena *keep;
    const char *found;
};

static quire_status try_private(void *ctx, const char *name,
                                const struct object_info *info,
                                quire_error *err)
{
    struct private_search *s = ctx;
    const char *path, *link, *root;
    size_t len = strlen(name);
    bool ours;

    if (info || *name == '.')
        return QUIRE_OK;
    path = arena_printf(s->keep, "%s/%s", s->base, name);
    link = arena_printf(s->keep, "%s/%s/storage", s->base, name);
    root = arena_printf(s->keep, "%s/..", s->shared);
    if (!path || !link || !root)
        return err_memory(err);
    if (*s->id)
        ours = len >= WORKSPACE_ID &&
               !strcmp(name + len - WORKSPACE_ID, s->id) &&
               (len == WORKSPACE_ID || name[len - WORKSPACE_ID - 1] == '-');
    else
        ours = is_same_dir(link, s->shared) || is_same_dir(link, root);
    /* The first by name: directories come in any order. */
    if (ours && (!s->found || strcmp(path, s->found) < 0))
        s->found = path;
    return QUIRE_OK;
}

quire_status location_private(const char *shared, struct arena *keep,
                              const char **out, quire_error *err)
{
    struct private_search s = {.base = private_base(keep),
                               .shared = shared,
                               .keep = keep};
    struct store *store = NULL;
    quire_status st;

    *out = NULL;
    if (!is_directory(s.base))
        return QUIRE_OK;
    read_workspace_id(shared, keep, s.id);
    st = store_files_open(s.base, true, &store, err);
    if (!st)
        st = directory_scan(store->dirs, "", try_private, &s, err);
    store_free(store);
    *out = s.found;
    return st;
}

quire_status locations_find(struct arena *keep, struct locations *out,
                            quire_error *err)
{
    *out = (struct locations){.shared = find_shared(keep)};
    return out->shared ? location_private(out->shared, keep, &out->local, err)
                       : QUIRE_OK;
}

/* ---- ids ---------------------------------------------------------------- */

/* One that may be meant. */
struct match {
    const char *id, *path;
    bool exact;
};

struct id_search {
    const char *name;   /* as it was given          */
    const char *number; /* behind what ids begin with */
    struct arena *keep;
    struct match *found;
    size_t n, cap;
};

static bool starts_with(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static quire_status try_place(void *ctx, const struct place_info *place,
                              quire_error *err)
{
    struct id_search *s = ctx;
    const char *number = place->id + (starts_with(place->id, "jp-c") ? 4 : 0);
    struct match m = {.exact = !strcmp(number, s->number) ||
                               !strcmp(place->name, s->name)};

    if (!m.exact && !starts_with(number, s->number) &&
        !starts_with(place->name, s->name))
        return QUIRE_OK;
    if (s->n == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 8;
        struct match *more = arena_array(s->keep, cap, sizeof *more);

        if (!more)
            return err_memory(err);
        if (s->n)
            memcpy(more, s->found, s->n * sizeof *more);
        s->found = more;
        s->cap = cap;
    }
    m.id = arena_text(s->keep, bytes_str(place->id));
    m.path = arena_text(s->keep, bytes_str(place->path));
    s->found[s->n++] = m;
    return m.id && m.path ? QUIRE_OK : err_memory(err);
}

/* A location without conversations has none that is meant. */
static quire_status search_location(struct id_search *s, const char *location,
                                    quire_error *err)
{
    const char *dir = arena_printf(s->keep, "%s/conversations", location);

    if (!dir)
        return err_memory(err);
    return is_directory(dir) ? layout_each(dir, try_place, s, err) : QUIRE_OK;
}

/* Keep the exact ones, if there are any; then all must have one id. */
static quire_status choose(struct id_search *s, quire_error *err)
{
    size_t n_exact = 0, kept = 0, i;

    for (i = 0; i < s->n; i++)
        n_exact += s->found[i].exact;
    for (i = 0; i < s->n; i++) {
        if (!n_exact || s->found[i].exact)
            s->found[kept++] = s->found[i];
    }
    s->n = kept;
    for (i = 1; i < s->n; i++) {
        if (!strcmp(s->found[i].id, s->found[0].id))
            continue;
        return err_fail(err, QUIRE_INVALID, "give more digits",
                        "`%.60s` is the beginning of several conversations: "
                        "%.40s, %.40s",
                        s->name, s->found[0].id, s->found[i].id);
    }
    return QUIRE_OK;
}

static quire_status report_unknown(const struct id_search *s,
                                   const struct locations *where,
                                   quire_error *err)
{
    if (!where->shared)
        return err_fail(err, QUIRE_NOT_FOUND,
                        "name the path of a conversation, or change to its "
                        "workspace",
                        "no conversation `%.60s`: no directory from here "
                        "upwards has a .jp",
                        s->name);
    return err_fail(err, QUIRE_NOT_FOUND, HINT_SHELL "`quire jp ls` lists them",
                    "no conversation `%.60s` in %.150s", s->name,
                    where->shared);
}

/* What is no path, and begins as ids do. */
static bool is_id(const char *name)
{
    struct stat st;

    if (strchr(name, '/') || lstat(name, &st) == 0)
        return false;
    return starts_with(name, "jp-c") || (*name >= '0' && *name <= '9');
}

quire_status locate_each(const char *name, quire_text_fn each, void *ctx,
                         quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct id_search s = {.name = name, .number = name, .keep = &keep};
    struct locations where;
    quire_status st;
    size_t i;

    if (!is_id(name))
        return each(ctx, name, err);
    if (starts_with(name, "jp-c"))
        s.number += 4;
    st = locations_find(&keep, &where, err);
    if (!st && where.shared)
        st = search_location(&s, where.shared, err);
    if (!st && where.local)
        st = search_location(&s, where.local, err);
    if (!st)
        st = s.n ? choose(&s, err) : report_unknown(&s, &where, err);
    for (i = 0; i < s.n && !st; i++)
        st = each(ctx, s.found[i].path, err);
    arena_release(&keep);
    return st;
}

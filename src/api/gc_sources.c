/* gc_sources.c - see gc_sources.h */
#include "api/gc_sources.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "gc/roots.h"
#include "output/dir.h"

struct walk {
    gc_source_visit_fn each;
    void *ctx;
    struct store *store;
    const char *root;   /* in the store                                      */
    const char *prefix; /* of labels: "", or the whole path of the store     */
    bool outputs;       /* what looks like the output of a tool is one       */
    bool tenants;       /* `root` holds a directory for each tenant          */
    bool trash;         /* `root` holds a directory for each trashed session */
    const struct roots *roots;
    struct db *state; /* NULL: nothing is known                             */
    uint64_t n;       /* files so far                                       */
    struct arena tmp;
};

static bool wants(void *ctx, const char *name)
{
    const struct walk *w = ctx;

    size_t len = strlen(name);

    return strncmp(name, ".tmp-", 5) != 0 &&
           !(w->outputs && len > 4 && !strcmp(name + len - 4, ".log") &&
             output_dir_is_output(name));
}

/* "12/sessions/…": other files of a tenant do not refer to blobs. */
static bool is_sessions(const char *dir)
{
    const char *rest = strchr(dir, '/');

    rest = rest ? rest + 1 : "";
    return bytes_starts(bytes_str(rest), bytes_str("sessions")) ||
           bytes_starts(bytes_str(rest), bytes_str("archive"));
}

/* "12/artifacts/…", "12/tenants/3/artifacts/…": a workspace in the trash. */
static bool is_trashed_workspace(const char *dir)
{
    const char *rest = strchr(dir, '/');
    int64_t tenant;

    return rest && bytes_starts(bytes_str(tenants_skip(rest + 1, &tenant)),
                                bytes_str("artifacts/"));
}

/* Something else stands where a directory of a tenant should be. */
static bool hides_sessions(const char *dir, const char *name)
{
    if (!*dir)
        return name[strspn(name, "0123456789")] == '\0';
    return !strchr(dir, '/') &&
           (!strcmp(name, "sessions") || !strcmp(name, "archive"));
}

/* A link is fine if its target is a root too. */
static quire_status see_odd(const struct walk *w, const char *name,
                            quire_error *err)
{
    char *path = NULL, real[PATH_MAX] = "";
    struct stat s;
    quire_status st;
    size_t i;

    if (asprintf(&path, "%s/%s", store_place(w->store), name) < 0)
        return err_memory(err);
    if (!realpath(path, real))
        *real = '\0';
    for (i = 0; i < w->roots->n && strcmp(w->roots->list[i].path, real) != 0;)
        i++;
    st = i < w->roots->n ? QUIRE_OK
                         : err_set(err, QUIRE_IO,
                                   "%s is not a regular file: its references "
                                   "cannot be read",
                                   path);
    if (st && !lstat(path, &s) && S_ISLNK(s.st_mode))
        err_next(err,
                 HINT_SHELL
                 "replace the link with its target, or register the target: "
                 "quire gc --add-root %s",
                 *real ? real : "DIR");
    else if (st)
        err_next(err, "move it out of the home; Quire creates only regular "
                      "files there");
    free(path);
    return st;
}

static quire_status see(void *ctx, const char *dir, const char *name,
                        const struct object_info *info, quire_error *err)
{
    struct walk *w = ctx;
    struct gc_source s = {.store = w->store, .info = info};
    bool hidden = w->tenants && hides_sessions(dir, name);

    if (w->tenants && !hidden && !is_sessions(dir))
        return QUIRE_OK;
    if (w->trash && is_trashed_workspace(dir))
        return QUIRE_OK;
    w->n++;
    arena_reset(&w->tmp);
    s.name = arena_printf(&w->tmp, "%s%s%s%s%s", w->root, *w->root ? "/" : "",
                          dir, *dir ? "/" : "", name);
    if (!s.name)
        return err_memory(err);
    s.label = *w->prefix ? arena_printf(&w->tmp, "%s/%s", w->prefix, s.name)
                         : s.name;
    if (!s.label)
        return err_memory(err);
    return info && !hidden ? w->each(w->ctx, &s, err) : see_odd(w, s.name, err);
}

static quire_status comb(struct walk *w, const char *root, quire_error *err)
{
    w->root = root;
    return directory_find(w->store->dirs, root, wants, see, w, err);
}

static quire_status walk_home(struct quire *q, struct walk *w, quire_error *err)
{
    quire_status st = need_home(q, &w->store, err);

    if (st)
        return st;
    if (q->kind == QUIRE_KIND_JP)
        return comb(w, "conversations", err);
    w->outputs = true;
    st = comb(w, "sessions", err);
    if (!st)
        st = comb(w, "archive", err);
    w->tenants = true;
    if (!st && q->kind == QUIRE_KIND_NATIVE)
        st = comb(w, "tenants", err);
    w->tenants = false;
    w->trash = true;
    if (!st && q->kind == QUIRE_KIND_NATIVE)
        st = comb(w, "trash", err);
    w->trash = w->outputs = false;
    return st;
}

/* ---- roots -------------------------------------------------------------- */

static quire_status lost(const char *path, quire_error *err)
{
    quire_status st = err_set(err, QUIRE_NOT_FOUND, "root %s is missing", path);

    err_next(err,
             HINT_SHELL "restore it, or, if it is gone for good: quire gc "
                        "--drop-root %s",
             path);
    return st;
}

/* An empty directory: a disk may not be mounted. */
static bool is_bare(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0; /* with "." and ".." */

    while (dir && n < 3 && readdir(dir) != NULL)
        n++;
    if (dir)
        closedir(dir);
    return n < 3;
}

/* A single file that is missing from a directory with other files has been
 * removed. */
static quire_status walk_file(struct walk *w, const char *path,
                              quire_error *err)
{
    const char *slash = strrchr(path, '/');
    char *dir = strndup(path, slash > path ? (size_t)(slash - path) : 1);
    struct object_info info;
    struct stat st_dir;
    quire_status st = dir ? QUIRE_OK : err_memory(err);

    w->store = NULL;
    if (!st && stat(dir, &st_dir) < 0)
        st = lost(path, err);
    if (!st && stat(path, &st_dir) < 0 && is_bare(dir))
        st = lost(path, err);
    if (!st)
        st = store_files_open(dir, true, &w->store, err);
    if (!st)
        st = object_stat(w->store->objects, slash + 1, &info, err);
    if (!st) {
        struct gc_source s = {w->store, slash + 1, path, &info};

        st = w->each(w->ctx, &s, err);
    } else if (st == QUIRE_NOT_FOUND && w->store) {
        st = QUIRE_OK;
    }
    store_free(w->store);
    free(dir);
    return st;
}

/* A directory without a file may be where a disk was mounted. */
static quire_status check_empty(const struct walk *w, const struct root *root,
                                quire_error *err)
{
    bool had;
    quire_status st = roots_had_files(w->state, root, &had, err);

    if (st || !had)
        return st;
    st = err_set(err, QUIRE_NOT_FOUND, "root %s is empty and was not before",
                 root->path);
    err_next(err,
             HINT_SHELL
             "restore its files, or, if they are gone for good: quire gc "
             "--drop-root %s",
             root->path);
    return st;
}

static quire_status walk_root(struct walk *w, const struct root *root,
                              quire_error *err)
{
    struct stat s;
    quire_status st;

    if (!root->is_dir)
        return walk_file(w, root->path, err);
    if (stat(root->path, &s) < 0 && errno != ENOENT)
        return err_sys(err, errno, "cannot look at %s", root->path);
    if (stat(root->path, &s) < 0 || !S_ISDIR(s.st_mode))
        return lost(root->path, err);
    st = store_files_open(root->path, true, &w->store, err);
    if (st)
        return st;
    w->prefix = root->path;
    w->n = 0;
    st = comb(w, "", err);
    store_free(w->store);
    return st || w->n > 0 ? st : check_empty(w, root, err);
}

quire_status gc_sources_each(struct quire *q, gc_source_visit_fn each,
                             void *ctx, quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct roots roots = {NULL, 0};
    struct walk w = {.each = each, .ctx = ctx, .prefix = "", .roots = &roots};
    quire_status st = need_ref_index_db(q, false, &w.state, err);
    size_t i;

    if (!st)
        st = roots_load(w.state, &keep, &roots, err);
    if (!st)
        st = walk_home(q, &w, err);
    for (i = 0; !st && i < roots.n; i++)
        st = walk_root(&w, &roots.list[i], err);
    arena_release(&w.tmp);
    arena_release(&keep);
    return st;
}

quire_status gc_sources_register(struct quire *q, const char *path,
                                 quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct root root = {.path = absolute_cwd(path, &tmp)};
    struct roots known = {NULL, 0};
    struct db *state;
    quire_status st = root.path ? need_ref_index_db(q, true, &state, err)
                                : err_memory(err);
    size_t i = 0;

    if (!st)
        st = roots_load(state, &tmp, &known, err);
    while (!st && i < known.n && strcmp(known.list[i].path, root.path) != 0)
        i++;
    if (!st && i == known.n)
        st = roots_add(state, &root, clock_s(&q->clock), err);
    arena_release(&tmp);
    return st;
}

bool gc_sources_include(const char *name)
{
    int64_t tenant;

    if (!strncmp(name, "trash/", 6))
        return true;
    name = tenants_skip(name, &tenant);
    return !strncmp(name, "sessions/", 9) || !strncmp(name, "archive/", 8);
}

/* ---- reading ------------------------------------------------------------ */

/* The store of the directory that holds a file outside. */
static quire_status go_outside(struct gc_source_reader *r, const char *label,
                               quire_error *err)
{
    const char *slash = strrchr(label, '/');
    size_t len = slash > label ? (size_t)(slash - label) : 1;
    quire_status st;

    if (r->dir && strlen(r->dir) == len && !memcmp(r->dir, label, len))
        return QUIRE_OK;
    store_free(r->outside);
    r->outside = NULL;
    free(r->dir);
    r->dir = strndup(label, len);
    st = r->dir ? store_files_open(r->dir, true, &r->outside, err)
                : err_memory(err);
    if (st) {
        free(r->dir);
        r->dir = NULL;
    }
    return st;
}

quire_status gc_source_find(struct gc_source_reader *r, const char *label,
                            struct store **store, const char **name,
                            quire_error *err)
{
    bool outside = *label == '/';
    quire_status st = QUIRE_OK;

    if (outside)
        st = go_outside(r, label, err);
    else if (!r->in_home)
        st = open_whole_home(r->q, &r->in_home, err);
    *store = outside ? r->outside : r->in_home;
    *name = outside ? strrchr(label, '/') + 1 : label;
    return st;
}

quire_status gc_source_open(struct gc_source_reader *r, const char *label,
                            struct object **out, struct object_info *info,
                            quire_error *err)
{
    struct store *store;
    const char *name;
    quire_status st = gc_source_find(r, label, &store, &name, err);

    return st ? st : object_open(store->objects, name, out, info, err);
}

void gc_source_reader_release(struct gc_source_reader *r)
{
    store_free(r->in_home);
    store_free(r->outside);
    free(r->dir);
}

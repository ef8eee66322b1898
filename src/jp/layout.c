/*
 * layout.c - where conversations lie
 *
 *     <workspace>/.jp/                              a location: shared
 *     <user data>/workspace/<slug>-<workspace id>/  another one: private
 *         conversations/<number>[-<slug>]/          events.json and others
 *         conversations/.archive/<the same>/
 *         conversations/.trash/<the same>/          and TRASHED.md
 *         locks/<id>.lock
 *         blobs/                                    the store of this location
 *
 * Each location has blobs of its own, so a caller has to know the location of a conversation: the directory above the `conversations` that it lies
 * in. Directories may be named by way of links; a conversation is where it
 * really is.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/err.h"
#include "jp/jp.h"

/* What makes a directory a conversation; the first that is there is read. */
static const char *const files[] = {"events.json", "messages.json",
                                    "metadata.json", "base_config.json"};

/* What a name is: a directory that holds some, or one conversation. */
struct target {
    const char *path; /* absolute, without links */
    bool many;
};

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* That something is there, or that we are not allowed to know. */
static bool has_entry(const char *dir, const char *name, struct arena *tmp)
{
    const char *path = arena_printf(tmp, "%s/%s", dir, name);
    struct stat st;

    return path && (lstat(path, &st) == 0 || errno == EACCES);
}

static bool is_dir(const char *dir, const char *name, struct arena *tmp)
{
    const char *path = arena_printf(tmp, "%s/%s", dir, name);
    struct stat st;

    return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_conversation(const char *dir, struct arena *tmp)
{
    size_t i;

    for (i = 0; i < sizeof files / sizeof *files; i++) {
        if (has_entry(dir, files[i], tmp))
            return true;
    }
    return false;
}

/* ---- what is meant ------------------------------------------------------ */

static quire_status report_none(const char *dir, quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_NOT_FOUND,
                 "name the directory of one, its events.json, or a `.jp` "
                 "that holds some",
                 "no conversation in %.180s", dir);
    return st;
}

static quire_status real_path(const char *path, struct arena *keep,
                              const char **out, quire_error *err)
{
    char *real = realpath(path, NULL);
    quire_status st = QUIRE_OK;

    if (!real)
        st = err_sys(err, errno, "cannot open %.180s", path);
    *out = real ? arena_text(keep, bytes_str(real)) : NULL;
    free(real);
    return st || *out ? st : err_memory(err);
}

/* A file is named: it stands for its directory. */
static quire_status name_file(const char *path, struct arena *keep,
                              struct target *out, quire_error *err)
{
    const char *base = last_of(path), *dir;
    size_t len = (size_t)(base - path), i;

    for (i = 0; i < sizeof files / sizeof *files; i++) {
        if (!strcmp(base, files[i]))
            break;
    }
    if (i == sizeof files / sizeof *files)
        return report_none(path, err);
    dir = len ? arena_text(keep, bytes_of(path, len)) : ".";
    return dir ? real_path(dir, keep, &out->path, err) : err_memory(err);
}

static quire_status find_target(const char *dir, struct arena *keep,
                                struct target *out, quire_error *err)
{
    static const char *const below[] = {"conversations", ".jp/conversations"};
    struct stat st;
    quire_status status;
    size_t i;

    *out = (struct target){NULL, false};
    if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
        return name_file(dir, keep, out, err);
    status = real_path(dir, keep, &out->path, err);
    if (status || is_conversation(out->path, keep))
        return status;
    out->many = true;
    for (i = 0; i < 2; i++) {
        if (is_dir(out->path, below[i], keep)) {
            out->path = arena_printf(keep, "%s/%s", out->path, below[i]);
            return out->path ? QUIRE_OK : err_memory(err);
        }
    }
    if (!strcmp(last_of(out->path), "conversations") ||
        !strcmp(last_of(out->path), ".archive") ||
        !strcmp(last_of(out->path), ".trash"))
        return QUIRE_OK;
    return report_none(dir, err);
}

/* ---- one ---------------------------------------------------------------- */

static quire_conversation_state state_of(const char *path)
{
    const char *last = last_of(path);
    size_t len = (size_t)(last - path);
    const char *end = len ? last - 1 : path;

    if (len > 9 && !strncmp(end - 9, "/.archive", 9))
        return QUIRE_CONVERSATION_ARCHIVED;
    if (len > 7 && !strncmp(end - 7, "/.trash", 7))
        return QUIRE_CONVERSATION_TRASHED;
    return QUIRE_CONVERSATION_ACTIVE;
}

/* "jp-c17780000011" of "17780000011-a-title"; another name is its own id. */
static const char *id_of(const char *name, struct arena *keep)
{
    size_t n = 0;

    while (isdigit((unsigned char)name[n]))
        n++;
    if (n == 0 || (name[n] && name[n] != '-'))
        return name;
    return arena_printf(keep, "jp-c%.*s", (int)n, name);
}

static quire_status fill(const char *path, struct arena *keep,
                         struct place_info *out, quire_error *err)
{
    *out = (struct place_info){.path = path, .name = last_of(path)};
    out->id = id_of(out->name, keep);
    out->state = state_of(path);
    out->file = "";
    if (has_entry(path, files[0], keep))
        out->file = files[0];
    else if (has_entry(path, files[1], keep))
        out->file = files[1];
    return out->id ? QUIRE_OK : err_memory(err);
}

quire_status layout_one(const char *dir, struct arena *keep,
                        struct place_info *out, quire_error *err)
{
    struct target target;
    quire_status st = find_target(dir, keep, &target, err);

    if (!st && target.many) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL "name one of them; `quire jp ls` lists them",
                      "%.180s is a directory of conversations, not one of them",
                      dir);
    }
    return st ? st : fill(target.path, keep, out, err);
}

/* ---- all of them -------------------------------------------------------- */

struct listing {
    struct arena *keep;
    const char **names;
    size_t n, cap;
};

static quire_status add_name(void *ctx, const char *name,
                             const struct object_info *info, quire_error *err)
{
    struct listing *l = ctx;

    if (info || *name == '.')
        return QUIRE_OK;
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 64;
        const char **more = arena_array(l->keep, cap, sizeof *more);

        if (!more)
            return err_memory(err);
        if (l->n)
            memcpy(more, l->names, l->n * sizeof *more);
        l->names = more;
        l->cap = cap;
    }
    l->names[l->n] = arena_text(l->keep, bytes_str(name));
    return l->names[l->n++] ? QUIRE_OK : err_memory(err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Directories of `dir`, in order. A name that has come in by a link is not
 * among them: it is somewhere else. */
static quire_status list_dir(const char *dir, struct listing *l,
                             quire_error *err)
{
    struct store *store = NULL;
    quire_status st = store_files_open(dir, true, &store, err);

    if (st)
        return st;
    st = directory_scan(store->dirs, "", add_name, l, err);
    store_free(store);
    if (l->n)
        qsort(l->names, l->n, sizeof *l->names, by_name);
    return st;
}

static quire_status each_in(const char *dir, place_fn each, void *ctx,
                            quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct listing l = {.keep = &keep};
    quire_status st = list_dir(dir, &l, err);
    size_t i;

    for (i = 0; i < l.n && !st; i++) {
        const char *path = arena_printf(&keep, "%s/%s", dir, l.names[i]);
        struct place_info place;

        if (!path)
            st = err_memory(err);
        else if (is_conversation(path, &keep))
            st = fill(path, &keep, &place, err);
        else
            continue;
        if (!st)
            st = each(ctx, &place, err);
    }
    arena_release(&keep);
    return st;
}

quire_status layout_each(const char *dir, place_fn each, void *ctx,
                         quire_error *err)
{
    static const char *const others[] = {"/.archive", "/.trash"};
    struct arena keep = ARENA_INIT;
    struct place_info place;
    struct target target;
    quire_status st = find_target(dir, &keep, &target, err);
    size_t i;

    if (!st && !target.many) {
        st = fill(target.path, &keep, &place, err);
        if (!st)
            st = each(ctx, &place, err);
    } else if (!st) {
        st = each_in(target.path, each, ctx, err);
        for (i = 0; i < 2 && !st; i++) {
            const char *path = arena_printf(&keep, "%s%s", target.path,
                                            others[i]);

            st = path ? each_in(path, each, ctx, err) : err_memory(err);
        }
    }
    arena_release(&keep);
    return st;
}

quire_status layout_location(const char *dir, struct arena *keep,
                             const char **location, quire_error *err)
{
    struct target target;
    quire_status st = find_target(dir, keep, &target, err);
    char *path, *slash;

    if (st)
        return st;
    path = arena_text(keep, bytes_str(target.path));
    if (!path)
        return err_memory(err);
    while ((slash = strrchr(path, '/')) != NULL) {
        bool here = !strcmp(slash + 1, "conversations");

        *slash = '\0';
        if (here) {
            *location = slash == path ? "/" : path;
            return QUIRE_OK;
        }
    }
    return err_fail(err, QUIRE_NOT_FOUND,
                    HINT_SHELL "name their directory with --store",
                    "cannot tell where the blobs of %.120s are: it is not in a "
                    "directory called conversations",
                    dir);
}

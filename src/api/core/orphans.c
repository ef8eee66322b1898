/*
 * orphans.c - files left by sessions that no longer exist
 *
 *     artifacts/sessions/<id>       the id has no row, and no file of a session
 *     sessions/<project>/<name>/    there is no <name>.jsonl beside it
 *     sessions/<project>/           empty
 *
 * and the same below archive/ and tenants/<n>/. A program can leave them that
 * dies while it removes a session, or writes without Quire.
 *
 *   (1) A removal that is recorded is none: the next writer finishes it.
 *   (2) What may belong to a session is none: if a session's file cannot be
 *       read, its id is unknown, and no workspace of its tenant is an orphan.
 *       Only names that Quire gives to outputs count, and a directory with
 *       .jsonl files is left alone.
 *   (3) A session is created before its workspace, but copied and moved after
 *       its outputs: what has changed lately is no orphan yet.
 */
#include "api/core/orphans.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/walk.h"
#include "session/list.h"
#include "session/names.h"

struct search {
    struct quire *q;
    int home;
    int64_t before_ns;
    orphan_fn each;
    void *ctx;

    int64_t tenant;
    char prefix[48]; /* "" or "tenants/12/" */
    struct map ids;  /* of the tenant's session files, once read */
    bool has_ids, unsure;
    struct arena keep;
};

/* ---- directories -------------------------------------------------------- */

struct names {
    char **list;
    size_t n, cap;
};

static bool add_name(struct names *out, const char *name, struct arena *keep)
{
    size_t cap = out->cap ? 2 * out->cap : 64;
    char **grown;

    if (out->n == out->cap) {
        grown = realloc(out->list, cap * sizeof *grown);
        if (!grown)
            return false;
        out->list = grown;
        out->cap = cap;
    }
    out->list[out->n] = arena_text(keep, bytes_str(name));
    return out->list[out->n++] != NULL;
}

/* Whether a name exists, and its kind. */
static quire_status stat_name(struct search *s, const char *name,
                              struct stat *out, bool *is, quire_error *err)
{
    *is = !fstatat(s->home, name, out, AT_SYMLINK_NOFOLLOW);
    return *is || errno == ENOENT || errno == ENOTDIR
               ? QUIRE_OK
               : err_sys(err, errno, "cannot look at %s/%s", s->q->home, name);
}

/* The entries of a directory, hidden ones left out. One that does not exist or
 * is none has no entries. */
static quire_status read_dir(struct search *s, const char *dir,
                             struct names *out, quire_error *err)
{
    int fd = fs_open_beneath(s->home, dir, O_RDONLY | O_DIRECTORY, 0);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;
    quire_status st = QUIRE_OK;

    *out = (struct names){0};
    if (!stream) {
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
            st = err_sys(err, errno, "cannot read %s/%s", s->q->home, dir);
        if (fd >= 0)
            close(fd);
        return st;
    }
    while (!st && (errno = 0, e = readdir(stream)))
        if (e->d_name[0] != '.' && !add_name(out, e->d_name, &s->keep))
            st = err_memory(err);
    if (!st && errno)
        st = err_sys(err, errno, "cannot read %s/%s", s->q->home, dir);
    closedir(stream);
    return st;
}

/* ---- age and size ------------------------------------------------------- */

struct sum {
    struct orphan *o;
    int64_t changed_ns;
    bool sessions; /* it has some */
};

static int64_t change_of(const struct stat *st)
{
    int64_t m = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
    int64_t c = st->st_ctim.tv_sec * INT64_C(1000000000) + st->st_ctim.tv_nsec;

    return m > c ? m : c;
}

static quire_status add_file(void *ctx, const char *name, const struct stat *st,
                             quire_error *err)
{
    struct sum *sum = ctx;

    (void)err;
    sum->o->n_files++;
    sum->o->bytes += (uint64_t)st->st_size;
    sum->sessions |= names_is_session(bytes_str(name));
    if (change_of(st) > sum->changed_ns)
        sum->changed_ns = change_of(st);
    return QUIRE_OK;
}

/* Emit an orphan that is old enough, with what is in it. */
static quire_status emit_orphan(struct search *s, enum orphan_kind kind,
                                const char *name, quire_error *err)
{
    struct orphan o = {.kind = kind, .name = name};
    struct sum sum = {.o = &o};
    quire_error why;
    struct stat info;
    bool is;
    quire_status st = stat_name(s, name, &info, &is, err);

    if (st || !is)
        return st;
    sum.changed_ns = change_of(&info);
    o.n_files = !S_ISDIR(info.st_mode);
    if (!o.n_files &&
        walk_files(s->home, s->q->home, name, add_file, &sum, &why))
        o.why = &why;
    if (sum.changed_ns >= s->before_ns ||
        (kind != ORPHAN_WORKSPACE && sum.sessions))
        return QUIRE_OK;
    return s->each(s->ctx, &o, err);
}

/* ---- workspaces --------------------------------------------------------- */

static bool add_id(struct search *s, quire_bytes id)
{
    const char *kept = arena_text(&s->keep, id);

    return kept && map_put(&s->ids, bytes_str(kept), 1, NULL);
}

/* The id of the header, and the one in the name: a damaged file has that. */
static quire_status add_session(struct search *s, const struct list_item *item,
                                quire_error *err)
{
    const char *base = strrchr(item->name, '/');
    const char *mark = base ? strchr(base, '_') : NULL;
    bool fine = true;

    s->unsure |= item->unread;
    if (item->meta.id)
        fine = add_id(s, bytes_str(item->meta.id));
    if (fine && mark)
        fine = add_id(s, bytes_of(mark + 1, strcspn(mark + 1, ".")));
    return fine ? QUIRE_OK : err_memory(err);
}

static quire_status read_ids(struct search *s, quire_error *err)
{
    static const char *const roots[] = {"sessions", "archive/sessions"};
    struct store *home;
    quire_status st = need_home(s->q, &home, err);
    char root[80];
    size_t i, k;

    for (i = 0; i < 2 && !st; i++) {
        struct list l = {.arena = &s->keep};

        snprintf(root, sizeof root, "%s%s", s->prefix, roots[i]);
        st = list_find(&l, home->logs, root, s->q->catalog.db, false, err);
        for (k = 0; k < l.n && !st; k++)
            st = add_session(s, &l.items[k], err);
        list_release(&l);
    }
    s->has_ids = !st;
    return st;
}

/* Whether the id is that of a session, or may be. */
static quire_status is_session(struct search *s, const char *id,
                               const char *name, bool *is, quire_error *err)
{
    struct session_row row;
    quire_status st = session_row_find(&s->q->catalog, s->tenant, id, &row,
                                       err);

    *is = !st;
    if (st == QUIRE_NOT_FOUND)
        st = removal_is_pending(&s->q->catalog, name, is, err);
    if (!st && !*is && !s->has_ids)
        st = read_ids(s, err);
    if (!st && !*is)
        *is = s->unsure || map_get(&s->ids, bytes_str(id));
    return st;
}

static quire_status search_workspaces(struct search *s, quire_error *err)
{
    char dir[80];
    struct names names;
    quire_status st;
    size_t i;

    snprintf(dir, sizeof dir, "%sartifacts/sessions", s->prefix);
    st = read_dir(s, dir, &names, err);
    for (i = 0; i < names.n && !st; i++) {
        const char *name = arena_printf(&s->keep, "%s/%s", dir, names.list[i]);
        bool is = false;

        st = name ? is_session(s, names.list[i], name, &is, err)
                  : err_memory(err);
        if (!st && !is)
            st = emit_orphan(s, ORPHAN_WORKSPACE, name, err);
    }
    free(names.list);
    return st;
}

/* ---- outputs ------------------------------------------------------------ */

/* "2026-02-16T10-20-30-000Z_<id>". */
static bool is_session_base(const char *name)
{
    return strlen(name) > 25 && strspn(name, "0123456789-TZ") == 24 &&
           name[4] == '-' && name[10] == 'T' && name[23] == 'Z' &&
           name[24] == '_';
}

static quire_status check_outputs(struct search *s, const char *name,
                                  quire_error *err)
{
    const char *file = arena_printf(&s->keep, "%s.jsonl", name);
    const char *packed = arena_printf(&s->keep, "%s.jsonl.gz", name);
    struct stat info;
    bool is, has_session = true;
    quire_status st = file && packed ? stat_name(s, name, &info, &is, err)
                                     : err_memory(err);

    if (!st && is && S_ISDIR(info.st_mode))
        st = stat_name(s, file, &info, &has_session, err);
    if (!st && !has_session)
        st = stat_name(s, packed, &info, &has_session, err);
    /* On its way into the trash, or back. */
    if (!st && !has_session)
        st = removal_is_pending(&s->q->catalog, file, &has_session, err);
    return st || has_session ? st : emit_orphan(s, ORPHAN_OUTPUTS, name, err);
}

static quire_status search_project(struct search *s, const char *dir,
                                   quire_error *err)
{
    struct names names;
    quire_status st = read_dir(s, dir, &names, err);
    size_t i;

    for (i = 0; i < names.n && !st; i++) {
        const char *name = arena_printf(&s->keep, "%s/%s", dir, names.list[i]);

        if (!name)
            st = err_memory(err);
        else if (is_session_base(names.list[i]))
            st = check_outputs(s, name, err);
    }
    if (!st && names.n == 0)
        st = emit_orphan(s, ORPHAN_EMPTY, dir, err);
    free(names.list);
    return st;
}

static quire_status search_outputs(struct search *s, const char *root,
                                   quire_error *err)
{
    char top[80];
    struct names names;
    quire_status st;
    size_t i;

    snprintf(top, sizeof top, "%s%s", s->prefix, root);
    st = read_dir(s, top, &names, err);
    for (i = 0; i < names.n && !st; i++) {
        const char *dir = arena_printf(&s->keep, "%s/%s", top, names.list[i]);
        struct stat info;
        bool is;

        st = dir ? stat_name(s, dir, &info, &is, err) : err_memory(err);
        if (!st && is && S_ISDIR(info.st_mode))
            st = search_project(s, dir, err);
    }
    free(names.list);
    return st;
}

/* ---- all tenants -------------------------------------------------------- */

static quire_status search_tenant(void *ctx, const quire_tenant *t,
                                  quire_error *err)
{
    struct search *s = ctx;
    quire_status st;

    s->tenant = t->id;
    s->has_ids = s->unsure = false;
    if (t->id != TENANT_DEFAULT)
        snprintf(s->prefix, sizeof s->prefix, "tenants/%lld/",
                 (long long)t->id);
    map_init(&s->ids, (uint64_t)clock_us(&s->q->clock), (uintptr_t)s);
    st = search_workspaces(s, err);
    if (!st)
        st = search_outputs(s, "sessions", err);
    if (!st)
        st = search_outputs(s, "archive/sessions", err);
    map_release(&s->ids);
    arena_reset(&s->keep);
    return st;
}

quire_status orphans_each(struct quire *q, int64_t before_ns, orphan_fn each,
                          void *ctx, quire_error *err)
{
    struct search s = {.q = q,
                       .before_ns = before_ns,
                       .each = each,
                       .ctx = ctx};
    quire_status st = fs_open_dir(q->home, false, &s.home, err);

    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = tenant_list(&q->catalog, search_tenant, &s, err);
    close(s.home);
    arena_release(&s.keep);
    return st;
}

/*
 * du.c - what uses the space of a home, as quire/du.h has it
 *
 * One walk over the home. Names say what a file belongs to: the part that the first
 * components of its path name.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/core/owner.h"
#include "api/session_keeps.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "session/names.h"

struct part {
    const char *kind, *name; /* in the arena, or static */
    uint64_t bytes;
    int64_t modified_us;
    struct part *next;
};

struct measure {
    struct quire *q;
    struct arena keep;
    struct map parts; /* struct part by "kind name" */
    struct map links; /* "dev inode" of files with several names */
    struct part *first;
};

/* ---- adding up ------------------------------------------------------------- */

static quire_status find_part(struct measure *m, const struct owner *o,
                              struct part **out, quire_error *err)
{
    const char *key = arena_printf(&m->keep, "%s %.*s", o->kind,
                                   (int)o->name.len,
                                   (const char *)o->name.data);
    uint64_t *found = key ? map_get(&m->parts, bytes_str(key)) : NULL;

    if (found) {
        *out = (struct part *)(uintptr_t)*found;
        return QUIRE_OK;
    }
    *out = key ? arena_array(&m->keep, 1, sizeof **out) : NULL;
    if (!*out ||
        !map_put(&m->parts, bytes_str(key), (uint64_t)(uintptr_t)*out, NULL))
        return err_memory(err);
    **out = (struct part){.kind = o->kind,
                          .name = key + strlen(o->kind) + 1,
                          .next = m->first};
    m->first = *out;
    return QUIRE_OK;
}

/* Whether another name of the same file was counted. */
static quire_status is_counted(struct measure *m, const struct stat *info,
                               bool *is, quire_error *err)
{
    const char *key;
    bool fresh = true;

    *is = false;
    if (S_ISDIR(info->st_mode) || info->st_nlink < 2)
        return QUIRE_OK;
    key = arena_printf(&m->keep, "%" PRIu64 " %" PRIu64, (uint64_t)info->st_dev,
                       (uint64_t)info->st_ino);
    if (!key || !map_put(&m->links, bytes_str(key), 1, &fresh))
        return err_memory(err);
    *is = !fresh;
    return QUIRE_OK;
}

static quire_status add_name(struct measure *m, const char *path,
                             const struct stat *info, quire_error *err)
{
    struct owner o = owner_of(path);
    int64_t us = info->st_mtim.tv_sec * INT64_C(1000000) +
                 info->st_mtim.tv_nsec / 1000;
    struct part *part = NULL;
    bool counted;
    quire_status st = is_counted(m, info, &counted, err);

    if (!st)
        st = find_part(m, &o, &part, err);
    if (st || counted)
        return st;
    part->bytes += (uint64_t)info->st_blocks * 512;
    if (us > part->modified_us && !S_ISDIR(info->st_mode))
        part->modified_us = us;
    return QUIRE_OK;
}

/* Deeper than any name that Quire creates. */
enum { DEPTH_MAX = 256 };

/* Measure what is in a directory, which is open at `fd` and is closed. */
static quire_status measure_dir(struct measure *m, int fd, const char *path,
                                int depth, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    DIR *dir = fdopendir(fd);
    struct dirent *e;
    quire_status st = QUIRE_OK;

    if (!dir) {
        st = err_sys(err, errno, "cannot read %s/%s", m->q->home, path);
        close(fd);
        return st;
    }
    while (!st && (errno = 0, e = readdir(dir))) {
        const char *name;
        struct stat info;
        int below;

        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (fstatat(fd, e->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0)
            continue; /* it vanished */
        arena_reset(&tmp);
        name = arena_printf(&tmp, "%s%s%s", path, *path ? "/" : "", e->d_name);
        st = name ? add_name(m, name, &info, err) : err_memory(err);
        if (st || !S_ISDIR(info.st_mode) || depth == DEPTH_MAX)
            continue;
        below = openat(fd, e->d_name,
                       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0)
            st = measure_dir(m, below, name, depth + 1, err);
        else if (errno != ENOENT)
            st = err_sys(err, errno, "cannot read %s/%s", m->q->home, name);
    }
    closedir(dir);
    arena_release(&tmp);
    return st;
}

/* ---- what could be free ----------------------------------------------------- */

struct reclaim {
    uint64_t catalogue, blobs;
    struct session_keeps keeps;
};

/* What can be told without writing; a collection that cannot run frees nothing. */
static quire_status measure_free(struct quire *q, struct reclaim *r,
                                 quire_error *err)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report report = {.bytes_freed = 0};
    int64_t size = 0, unused = 0;
    quire_status st = need_catalog(q, false, err);

    o.flags = QUIRE_COLLECT_DRY_RUN;
    if (!st && q->catalog.db)
        st = db_space(q->catalog.db, &size, &unused, err);
    r->catalogue = (uint64_t)unused;
    if (!st)
        st = session_keeps_load(q, &r->keeps, err);
    if (!st && !quire_collect(q, &o, &report, NULL))
        r->blobs = report.bytes_freed;
    return st;
}

static uint64_t reclaimable(const struct part *p, const struct reclaim *r)
{
    const struct session_keep *keep;

    if (!strcmp(p->kind, "trash"))
        return p->bytes;
    if (!strcmp(p->kind, "session")) {
        keep = session_keeps_find(&r->keeps, p->name);
        return keep && keep->held_us ? 0 : p->bytes;
    }
    if (!strcmp(p->kind, "catalogue"))
        return r->catalogue < p->bytes ? r->catalogue : p->bytes;
    if (!strcmp(p->kind, "blobs"))
        return r->blobs < p->bytes ? r->blobs : p->bytes;
    return 0;
}

static quire_status emit_parts(struct measure *m, const struct reclaim *r,
                               quire_du_fn each, void *ctx, quire_error *err)
{
    const struct part *p;
    quire_status st = QUIRE_OK;

    m->q->in_callback = true;
    for (p = m->first; p && !st; p = p->next) {
        const quire_du_row row = {.kind = p->kind,
                                  .name = p->name,
                                  .bytes = p->bytes,
                                  .reclaimable_bytes = reclaimable(p, r),
                                  .modified_us = p->modified_us};

        st = each(ctx, &row, err);
    }
    m->q->in_callback = false;
    return st;
}

static quire_status check_handle(struct quire *q, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st && q->tenant != TENANT_DEFAULT)
        st = err_fail(err, QUIRE_INVALID, HINT_SHELL "leave out --tenant",
                      "the space of a home is measured for all tenants");
    return st;
}

quire_status quire_du(quire *q, quire_du_fn each, void *ctx, quire_error *err)
{
    struct measure m = {.q = q, .keep = ARENA_INIT};
    struct reclaim r = {.keeps = {.arena = ARENA_INIT}};
    struct stat info;
    int home = -1;
    quire_status st = check_handle(q, err);

    map_init(&m.parts, (uint64_t)clock_us(&clock_system), (uintptr_t)&m);
    map_init(&m.links, (uintptr_t)&m, (uint64_t)clock_us(&clock_system));
    if (!st)
        st = fs_open_dir(q->home, false, &home, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (!st && fstat(home, &info) == 0)
        st = add_name(&m, "", &info, err);
    if (home >= 0 && st)
        close(home);
    if (!st)
        st = measure_dir(&m, home, "", 0, err);
    if (!st)
        st = measure_free(q, &r, err);
    if (!st)
        st = emit_parts(&m, &r, each, ctx, err);
    session_keeps_release(&r.keeps);
    map_release(&m.parts);
    map_release(&m.links);
    arena_release(&m.keep);
    return st;
}

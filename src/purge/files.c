/*
 * files.c - every file of the home
 *
 * Whatever it is: what has no reader of its own (sessions, blobs, databases have one) is
 * searched as bytes. The search index is no place: it is emptied afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/core/owner.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/walk.h"
#include "purge/purge.h"

enum { PIECE = 256 << 10 };

/* ---- what a file is ------------------------------------------------------------ */

struct place {
    const char *kind, *session; /* static, and in an arena; "": none */
    int64_t tenant;
    bool log, history, skip;
};

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);

    return len >= n && !strcmp(text + len - n, end);
}

/* The name without "trash/12/". */
static const char *skip_trash(const char *name)
{
    const char *slash;

    if (strncmp(name, "trash/", 6) != 0)
        return name;
    slash = strchr(name + 6, '/');
    return slash ? slash + 1 : name;
}

/* What has a reader of its own, no content, or the secrets of the server itself. */
static bool is_skipped(const char *name, const char *rest)
{
    static const char *const names[] = {"quire.db",      "quire.db-wal",
                                        "quire.db-shm",  "quire.db-mark",
                                        "quire.db-lost", "reserve",
                                        "gc.lock",       "server.url",
                                        "admin.token"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(rest, "search/", 7) || !strcmp(rest, "history.db-wal") ||
           !strcmp(rest, "history.db-shm") ||
           (!strncmp(name, "blobs/", 6) && ends_with(name, ".blob.gz"));
}

static quire_status classify(const char *name, struct arena *keep,
                             struct place *out, quire_error *err)
{
    const char *inner = skip_trash(name), *rest;
    struct owner o = owner_of(inner);
    bool of_session = !strcmp(o.kind, "session");

    *out = (struct place){.kind = "file", .session = "", .tenant = o.tenant};
    rest = tenants_skip(inner, &o.tenant);
    out->skip = is_skipped(name, rest);
    out->history = inner == name && !strcmp(rest, "history.db");
    out->log = of_session && strncmp(rest, "artifacts/", 10) != 0 &&
               (ends_with(name, ".jsonl") || ends_with(name, ".jsonl.gz"));
    if (of_session) {
        out->session = arena_text(keep, o.name);
        out->kind = !strncmp(rest, "artifacts/", 10) ? "workspace"
                    : out->log                       ? "session"
                    : ends_with(name, ".bak")        ? "backup"
                                                     : "output";
    } else if (!strcmp(o.kind, "workspace")) {
        out->kind = o.kind;
    }
    if (inner != name)
        out->kind = "trash";
    return out->session ? QUIRE_OK : err_memory(err);
}

/* ---- bytes ----------------------------------------------------------------------- */

static quire_status read_all(int fd, const char *name, quire_write_fn take,
                             void *ctx, quire_error *err)
{
    char *piece = malloc(PIECE);
    quire_status st = piece ? QUIRE_OK : err_memory(err);
    off_t at = 0;
    ssize_t n = 1;

    while (!st && (n = fs_read_at(fd, piece, PIECE, at)) > 0) {
        st = take(ctx, bytes_of(piece, (size_t)n), err);
        at += n;
    }
    if (!st && n < 0)
        st = err_sys(err, errno, "cannot read %s", name);
    free(piece);
    return st;
}

static quire_status search_fd(struct purge *p, int fd, const char *name,
                              struct mask_counts *found, bool *whole,
                              quire_error *err)
{
    struct content c;
    quire_status st;

    content_init(&c, p->values, NULL, NULL);
    c.bytes.found.seen = found->seen;
    st = read_all(fd, name, content_add, &c, err);
    if (!st)
        st = content_end(&c, found, whole, err);
    content_release(&c);
    return st;
}

static quire_status search_file(struct purge *p, const char *name,
                                struct mask_counts *found, quire_error *err)
{
    int fd = fs_open_beneath(p->dir, name, O_RDONLY | O_NONBLOCK, 0);
    bool whole;
    quire_status st;

    if (fd < 0)
        return errno == ENOENT
                   ? QUIRE_OK
                   : err_sys(err, errno, "cannot open %s/%s", p->q->home, name);
    if (p->collect)
        st = read_all(fd, name, p->collect, p->collect_ctx, err);
    else
        st = search_fd(p, fd, name, found, &whole, err);
    if (!st && p->collect)
        st = purge_collected(p, err);
    close(fd);
    return st;
}

/* ---- the search ------------------------------------------------------------------ */

/* What is audited of a session, from now on. */
static quire_status need_session(struct purge *p, const struct place *at,
                                 struct purge_session **out, quire_error *err)
{
    const char *key = arena_printf(&p->keep, "%" PRId64 " %s", at->tenant,
                                   at->session);
    uint64_t *found = key ? map_get(&p->session_map, bytes_str(key)) : NULL;
    struct purge_session *s;

    *out = found ? (struct purge_session *)(uintptr_t)*found : NULL;
    if (*out)
        return QUIRE_OK;
    s = key ? arena_array(&p->keep, 1, sizeof *s) : NULL;
    if (!s ||
        !map_put(&p->session_map, bytes_str(key), (uint64_t)(uintptr_t)s, NULL))
        return err_memory(err);
    *s = (struct purge_session){.tenant = at->tenant,
                                .key = strchr(key, ' ') + 1,
                                .entries = BUF_INIT(1 << 20),
                                .next = p->sessions};
    p->sessions = s;
    *out = s;
    return QUIRE_OK;
}

static quire_status add_file(struct purge *p, const char *name,
                             enum purge_form form, quire_error *err)
{
    struct purge_file *f = arena_array(&p->keep, 1, sizeof *f);

    if (f)
        *f = (struct purge_file){arena_text(&p->keep, bytes_str(name)), form,
                                 NULL};
    if (!f || !f->name)
        return err_memory(err);
    *p->files_end = f;
    p->files_end = &f->next;
    return QUIRE_OK;
}

static quire_status search_place(struct purge *p, const char *name,
                                 const struct place *at, bool stays,
                                 quire_error *err)
{
    struct mask_counts found = {.seen = p->seen};
    struct purge_session *session = NULL;
    quire_status st = QUIRE_OK;

    if (at->log && !stays && !p->collect)
        st = need_session(p, at, &session, err);
    if (!st)
        st = at->log ? purge_search_log(p, name, session, &found, err)
                     : search_file(p, name, &found, err);
    if (st || !mask_any(&found))
        return st;
    purge_note_blobs(p, stays);
    if (!purge_is_ours(p,
                       at->tenant)) /* only what it refers to was asked for */
        return QUIRE_OK;
    /* A session that refers to a blob of another tenant's purge is not touched. */
    st = purge_found(p, at->kind, name, at->session,
                     found.values + found.digests, stays, err);
    return st || stays
               ? st
               : add_file(p, name, at->log ? PURGE_LOG : PURGE_BYTES, err);
}

static quire_status visit_file(void *ctx, const char *name,
                               const struct stat *info, quire_error *err)
{
    struct purge *p = ctx;
    struct arena tmp = ARENA_INIT;
    struct place at;
    bool stays, found;
    quire_status st = classify(name, &tmp, &at, err);

    if (!st && at.history && purge_is_ours(p, at.tenant)) {
        st = purge_history(p, name, false, &found, err);
        if (!st && (found || p->pending))
            st = add_file(p, name, PURGE_HISTORY, err);
    } else if (!st && !at.skip && !at.history) {
        stays = !purge_is_ours(p, at.tenant) ||
                purge_is_held(p, at.tenant, at.session);
        if (p->changed_ns <=
            info->st_ctim.tv_sec * INT64_C(1000000000) + info->st_ctim.tv_nsec)
            st = search_place(p, name, &at, stays, err);
    }
    if (st == QUIRE_DAMAGED) {
        p->report.unreadable++;
        st = QUIRE_OK;
    }
    arena_release(&tmp);
    return st;
}

quire_status purge_find_files(struct purge *p, quire_error *err)
{
    p->files = NULL;
    p->files_end = &p->files;
    return walk_files(p->dir, p->q->home, "", visit_file, p, err);
}

/* ---- changing -------------------------------------------------------------------- */

static quire_status fd_write(void *ctx, quire_bytes bytes, quire_error *err)
{
    return fs_write_all(*(int *)ctx, bytes) < 0
               ? err_sys(err, errno, "cannot write a file")
               : QUIRE_OK;
}

static quire_status write_changed(struct purge *p, int fd, int to, bool whole,
                                  uint64_t size, const char *name,
                                  quire_error *err)
{
    struct masker m;
    quire_status st;

    if (whole)
        return content_replace(size, fd_write, &to, err);
    masker_init(&m, p->values, fd_write, &to);
    st = read_all(fd, name, masker_add, &m, err);
    if (!st)
        st = masker_end(&m, err);
    masker_release(&m);
    return st;
}

/* Give the new file mode and time of the old one, and its name, unless that has changed
 * meanwhile: then the search at the end finds it. */
static quire_status publish(struct purge *p, struct fs_temp *temp, int dir,
                            const char *base, const struct stat *was,
                            quire_error *err)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, was->st_mtim};
    struct stat now;

    if (fchmod(temp->fd, was->st_mode & 07777) < 0 ||
        futimens(temp->fd, times) < 0 || fs_temp_sync(temp) < 0)
        return err_sys(err, errno, "cannot write in %s", p->q->home);
    if (fstatat(dir, base, &now, AT_SYMLINK_NOFOLLOW) < 0 ||
        now.st_ino != was->st_ino || now.st_size != was->st_size ||
        now.st_mtim.tv_sec != was->st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != was->st_mtim.tv_nsec)
        return QUIRE_OK;
    if (fs_temp_publish(temp, dir, base, true) < 0 || fsync(dir) < 0)
        return err_sys(err, errno, "cannot replace a file in %s", p->q->home);
    return QUIRE_OK;
}

static quire_status change_open(struct purge *p, int fd, const char *name,
                                quire_error *err)
{
    struct fs_temp temp = FS_TEMP_INIT;
    struct mask_counts found = {.values = 0};
    struct stat info;
    const char *base;
    bool whole;
    int dir = -1;
    quire_status st = search_fd(p, fd, name, &found, &whole, err);

    if (st || !mask_any(&found))
        return st;
    dir = fs_open_parent(p->dir, name, false, NULL, &base);
    if (fstat(fd, &info) < 0 || dir < 0 || fs_temp_open(&temp, dir) < 0)
        st = err_sys(err, errno, "cannot replace %s/%s", p->q->home, name);
    if (!st)
        st = write_changed(p, fd, temp.fd, whole, (uint64_t)info.st_size, name,
                           err);
    if (!st)
        st = publish(p, &temp, dir, base, &info, err);
    fs_temp_release(&temp);
    if (dir >= 0)
        close(dir);
    return st;
}

static quire_status change_file(struct purge *p, const char *name,
                                quire_error *err)
{
    int fd = fs_open_beneath(p->dir, name, O_RDONLY | O_NONBLOCK, 0);
    quire_status st;

    if (fd < 0)
        return errno == ENOENT
                   ? QUIRE_OK
                   : err_sys(err, errno, "cannot open %s/%s", p->q->home, name);
    st = change_open(p, fd, name, err);
    close(fd);
    return st;
}

quire_status purge_change_files(struct purge *p, quire_error *err)
{
    const struct purge_file *f;
    quire_status st = QUIRE_OK;
    bool found;

    for (f = p->files; f && !st; f = f->next) {
        st = f->form == PURGE_LOG ? purge_change_log(p, f->name, err)
             : f->form == PURGE_HISTORY
                 ? purge_history(p, f->name, true, &found, err)
                 : change_file(p, f->name, err);
        if (st == QUIRE_BUSY) {
            p->report.busy++;
            st = QUIRE_OK;
        }
    }
    return st;
}

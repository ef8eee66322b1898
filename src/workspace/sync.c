/*
 * sync.c - synchronise files and artifacts
 *
 * A three-way comparison. For each path there are the file, the artifact, and
 * the baseline: the state in which both last agreed. Which of them exist and
 * which differ from the baseline decides the action. Content is read only when
 * it has to be copied.
 */
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
#include "workspace/priv.h"

struct item {
    const char *path;
    bool has_file, has_baseline, has_row;
    bool unreadable; /* the file */
    struct stat file;
    struct baseline baseline;
    quire_digest digest; /* of the artifact */
    int64_t id;
};

struct sync_run {
    struct workspace *s;
    const struct workspace_access *v;
    const struct workspace_sync *how;
    struct workspace_report *report;
    uint64_t largest; /* maximum size of a file */
    int64_t session;  /* the number of its row; 0: it has none */
    struct arena keep;
    struct map by_path; /* index in items + 1 */
    struct item *items;
    size_t n, cap;
};

static void report_path(struct sync_run *y, const char *what, const char *path,
                        const char *why)
{
    if (y->how->report)
        y->how->report(y->how->ctx, what, path, why);
}

static void pass_path(struct sync_run *y, const char *path, const char *why)
{
    y->report->passed++;
    report_path(y, "passed", path, why);
}

/* ---- decide ------------------------------------------------------------- */

enum action {
    ACT_NONE,
    ACT_STORE_FILE,      /* file -> artifact */
    ACT_WRITE_FILE,      /* artifact -> file */
    ACT_DELETE_ARTIFACT, /* file removed: soft-delete the artifact */
    ACT_REMOVE_FILE,     /* artifact deleted: remove the file */
    ACT_DROP_BASELINE,   /* both gone: drop the baseline */
};

static bool is_edited(const struct item *i)
{
    return !i->has_baseline || i->baseline.inode != (uint64_t)i->file.st_ino ||
           i->baseline.size != (uint64_t)i->file.st_size ||
           i->baseline.modified_ns != ns_of(i->file.st_mtim) ||
           i->baseline.changed_ns != ns_of(i->file.st_ctim);
}

static bool is_put_again(const struct item *i)
{
    return !i->has_baseline || !is_same(&i->digest, &i->baseline.digest);
}

static enum action decide(const struct item *i,
                          const struct workspace_sync *how)
{
    if (!i->has_file && !i->has_row)
        return i->has_baseline ? ACT_DROP_BASELINE : ACT_NONE;
    if (!i->has_file)
        return how->put || is_put_again(i) ? ACT_WRITE_FILE
                                           : ACT_DELETE_ARTIFACT;
    if (!i->has_row)
        return is_edited(i) ? ACT_STORE_FILE : ACT_REMOVE_FILE;
    if (is_edited(i))
        return ACT_STORE_FILE;
    return is_put_again(i) ? ACT_WRITE_FILE : ACT_NONE;
}

/* ---- apply -------------------------------------------------------------- */

/* Read a file that may be changing: a consistent state, or QUIRE_CHANGED. */
static quire_status read_file(struct sync_run *y, struct item *i,
                              struct buf *out, quire_error *err)
{
    struct stat after;
    int fd = workspace_open_file(y->v->dir, i->path, &i->file);
    ssize_t n = -1;
    void *room;
    quire_status st = QUIRE_OK;

    i->unreadable = fd < 0 && errno == EACCES;
    if (i->unreadable)
        return QUIRE_INVALID; /* the mode forbids reading it */
    if (fd < 0)
        return errno == ENOENT || errno == ELOOP || errno == EISDIR ||
                       errno == ENOTDIR || errno == EXDEV
                   ? QUIRE_CHANGED
                   : err_sys(err, errno, "cannot open %s in %s", i->path,
                             workspace_dir(y->s, WORKSPACE_ARTIFACT));
    if ((uint64_t)i->file.st_size > y->largest)
        st = QUIRE_TOO_LARGE;
    /* One byte more than its size, to detect growth. */
    room = st ? NULL : buf_room(out, (size_t)i->file.st_size + 1);
    if (!st && !room)
        st = err_memory(err);
    if (!st) {
        n = fs_read_at(fd, room, (size_t)i->file.st_size + 1, 0);
        if (n < 0 || fstat(fd, &after) < 0)
            st = err_sys(err, errno, "cannot read %s in %s", i->path,
                         workspace_dir(y->s, WORKSPACE_ARTIFACT));
        else if (n != i->file.st_size ||
                 ns_of(after.st_mtim) != ns_of(i->file.st_mtim))
            st = QUIRE_CHANGED;
    }
    if (!st)
        buf_grow(out, (size_t)n);
    close(fd);
    return st;
}

/* *digest becomes that of what was stored: secrets may have been masked. */
static quire_status put_file(struct sync_run *y, const struct item *i,
                             quire_bytes content, quire_digest *digest,
                             quire_error *err)
{
    const struct workspace_callbacks *callbacks = &y->s->c.callbacks;
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire_artifact stored;
    quire_status st;

    if (!i->has_row)
        o.source = y->how->source;
    st = callbacks->put(callbacks->ctx, i->path, content, &o, &y->keep, &stored,
                        err);
    if (!st)
        *digest = stored.digest;
    return st;
}

struct version_match {
    const quire_digest *digest;
    bool found;
};

static quire_status match_version(void *ctx, const quire_artifact *version,
                                  quire_error *err)
{
    struct version_match *r = ctx;

    (void)err;
    r->found |= is_same(r->digest, &version->digest);
    return QUIRE_OK;
}

/* Whether the file holds an older version of the artifact: a power cut can lose
 * the last renames but not the rows. */
static quire_status is_older_version(struct sync_run *y, const struct item *i,
                                     const quire_digest *digest, bool *behind,
                                     quire_error *err)
{
    struct version_match r = {.digest = digest};
    quire_status st = QUIRE_OK;

    if (i->has_row && is_put_again(i) && !is_same(digest, &i->digest))
        st = y->s->c.callbacks.versions(y->s->c.callbacks.ctx, i->id,
                                        match_version, &r, err);
    *behind = r.found;
    return st;
}

static quire_status write_out_artifact(struct sync_run *y, struct item *i,
                                       quire_error *err);
static quire_status remove_file(struct sync_run *y, struct item *i,
                                quire_error *err);

/* Decide again for a touched file now that its content is known: it may be
 * unchanged. */
static quire_status decide_by_content(struct sync_run *y, const struct item *i,
                                      const quire_digest *digest,
                                      enum action *action, quire_error *err)
{
    bool behind = false;
    quire_status st = QUIRE_OK;

    *action = ACT_STORE_FILE;
    if (i->has_row && is_same(digest, &i->digest))
        *action = ACT_NONE;
    else if (i->has_baseline && is_same(digest, &i->baseline.digest))
        *action = i->has_row ? ACT_WRITE_FILE : ACT_REMOVE_FILE;
    else
        st = is_older_version(y, i, digest, &behind, err);
    if (behind)
        *action = ACT_WRITE_FILE;
    return st;
}

/* A file that cannot be stored now stays where it is. With `whole`, when the
 * caller is about to replace it, that is an error. */
static quire_status leave_file(struct sync_run *y, const struct item *i,
                               quire_status st, quire_error *err)
{
    const char *why = st == QUIRE_QUOTA     ? "it does not fit into the quota"
                      : st == QUIRE_INVALID ? "it cannot be read"
                      : st == QUIRE_EXISTS
                          ? "an artifact is in its place, as a "
                            "directory or as a file"
                      : st == QUIRE_TOO_LARGE
                          ? "it is larger than an artifact may be"
                          : "it is being written";

    if (y->how->whole) {
        st = err_fail(
            err, st,
            st == QUIRE_CHANGED
                ? "try again in a moment"
                : "use another filename, or move the file elsewhere",
            "the file %s has unsaved changes that cannot be stored: %s",
            i->path, why);
        return st;
    }
    if (st != QUIRE_CHANGED) /* the next sync handles it */
        pass_path(y, i->path, why);
    return QUIRE_OK;
}

static quire_status store_file(struct sync_run *y, struct item *i,
                               quire_error *err)
{
    struct buf content = BUF_INIT((size_t)y->largest + 2);
    enum action action = ACT_STORE_FILE;
    quire_digest digest;
    quire_status st = read_file(y, i, &content, err);

    if (!st) {
        y->s->c.callbacks.digest(buf_bytes(&content), &digest);
        st = decide_by_content(y, i, &digest, &action, err);
    }
    if (!st && action == ACT_STORE_FILE) {
        st = put_file(y, i, buf_bytes(&content), &digest, err);
        if (!st) {
            y->report->taken++;
            report_path(y, "taken", i->path, "");
        }
    }
    buf_release(&content);
    if (st == QUIRE_TOO_LARGE || st == QUIRE_QUOTA || st == QUIRE_CHANGED ||
        st == QUIRE_EXISTS || (st && i->unreadable))
        return leave_file(y, i, st, err);
    if (st)
        return st;
    if (action == ACT_WRITE_FILE && !y->how->files_stay)
        return write_out_artifact(y, i, err);
    if (action == ACT_REMOVE_FILE && !y->how->files_stay)
        return remove_file(y, i, err);
    baseline_put(y->s, i->path, &i->file, &digest);
    return QUIRE_OK;
}

/* Errors of a directory in the place of a file, or the reverse. */
static bool is_wrong_kind(int error)
{
    return error == EISDIR || error == ENOTDIR || error == EEXIST ||
           error == ELOOP || error == ENOTEMPTY;
}

static quire_status publish_file(struct sync_run *y, struct item *i,
                                 quire_bytes content, quire_error *err)
{
    struct fs_temp t = FS_TEMP_INIT;
    const char *base;
    int parent = workspace_parent(y->v->dir, i->path, true, &base);
    quire_status st = QUIRE_OK;

    if (parent >= 0)
        st = workspace_draft(y->s, parent, content, true, &t, err);
    if (!st &&
        (parent < 0 || workspace_publish(&t, parent, base,
                                         i->has_file ? &i->file : NULL) < 0))
        st = is_wrong_kind(errno) ? QUIRE_EXISTS
             : errno == EBUSY
                 ? QUIRE_CHANGED
                 : err_sys(err, errno, "cannot write %s in %s", i->path,
                           workspace_dir(y->s, WORKSPACE_ARTIFACT));
    if (!st && !fstat(t.fd, &i->file))
        baseline_put(y->s, i->path, &i->file, &i->digest);
    fs_temp_release(&t);
    if (parent >= 0)
        close(parent);
    return st;
}

static quire_status write_out_artifact(struct sync_run *y, struct item *i,
                                       quire_error *err)
{
    const struct workspace_callbacks *callbacks = &y->s->c.callbacks;
    struct buf content = BUF_INIT((size_t)1 << 31);
    quire_status st = callbacks->read(callbacks->ctx, &i->digest, 0, UINT64_MAX,
                                      buf_write, &content, err);

    if (!st)
        st = publish_file(y, i, buf_bytes(&content), err);
    buf_release(&content);
    if (!st) {
        y->report->given++;
        report_path(y, "given", i->path, "");
    } else if (st == QUIRE_EXISTS || st == QUIRE_NOT_FOUND ||
               st == QUIRE_DAMAGED) {
        pass_path(y, i->path,
                  st == QUIRE_EXISTS ? "something else has its name"
                                     : "its content is missing or damaged");
        st = QUIRE_OK;
    } else if (st == QUIRE_CHANGED) {
        st = QUIRE_OK; /* the file is newer: the next sync stores it */
    }
    return st;
}

int workspace_unlink(int dir, const char *path)
{
    char name[257], *slash;
    const char *base;
    int parent = workspace_parent(dir, path, false, &base), failed, why;

    if (parent < 0)
        return -1;
    failed = workspace_is_taken(parent, base) ||
             unlinkat(parent, base, 0) < 0 || fsync(parent) < 0;
    why = errno;
    close(parent);
    errno = why;
    if (failed || strlen(path) >= sizeof name)
        return failed ? -1 : 0;
    strcpy(name, path);
    while ((slash = strrchr(name, '/'))) {
        *slash = '\0';
        parent = workspace_parent(dir, name, false, &base);
        if (parent < 0)
            break;
        failed = unlinkat(parent, base, AT_REMOVEDIR) < 0;
        close(parent);
        if (failed)
            break;
    }
    return 0;
}

static quire_status remove_file(struct sync_run *y, struct item *i,
                                quire_error *err)
{
    struct stat now;
    int fd = workspace_open_file(y->v->dir, i->path, &now);
    bool is_still = fd >= 0 && workspace_is_still(&now, &i->file);

    if (fd >= 0)
        close(fd);
    if (!is_still)
        return QUIRE_OK; /* the next sync handles it */
    if (workspace_unlink(y->v->dir, i->path) < 0 && errno != ENOENT)
        return err_sys(err, errno, "cannot remove %s in %s", i->path,
                       workspace_dir(y->s, WORKSPACE_ARTIFACT));
    y->report->withdrawn++;
    report_path(y, "withdrawn", i->path, "");
    baseline_remove(y->s, i->path);
    return QUIRE_OK;
}

/* A file without an artifact and without a baseline. */
static bool is_new(const struct item *i, const struct workspace_sync *how)
{
    return !i->has_row && !i->has_baseline && decide(i, how) == ACT_STORE_FILE;
}

/* Skip generated files: thousands of them would bury the user's own. A path
 * that is an artifact already stays one, and a file about to be replaced is
 * always stored. */
static bool is_skipped(const struct sync_run *y, const struct item *i)
{
    return !y->how->whole && is_new(i, y->how) &&
           workspace_is_generated(y->v->dir, i->path, 0);
}

static quire_status sync_item(struct sync_run *y, struct item *i,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (is_skipped(y, i))
        return QUIRE_OK;
    switch (decide(i, y->how)) {
    case ACT_NONE: return QUIRE_OK;
    case ACT_STORE_FILE: return store_file(y, i, err);
    case ACT_WRITE_FILE:
        return y->how->files_stay ? QUIRE_OK : write_out_artifact(y, i, err);
    case ACT_DELETE_ARTIFACT:
        st = y->s->c.callbacks.remove(y->s->c.callbacks.ctx, i->id, err);
        if (st && st != QUIRE_NOT_FOUND)
            return st;
        y->report->dropped++;
        report_path(y, "dropped", i->path, "");
        break;
    case ACT_REMOVE_FILE:
        return y->how->files_stay ? QUIRE_OK : remove_file(y, i, err);
    case ACT_DROP_BASELINE: break;
    }
    baseline_remove(y->s, i->path);
    return QUIRE_OK;
}

/* ---- many new files ------------------------------------------------------ */

/* A command may leave thousands of new files, and a commit each would take
 * seconds. New files are stored in batches; a batch that fails is retried one
 * by one, so that each file gets its own result. */
enum { BATCH_MAX = 64 };
#define BATCH_BYTES ((size_t)4 << 20)

struct batch {
    struct item *items[BATCH_MAX];
    struct workspace_put puts[BATCH_MAX];
    struct buf content[BATCH_MAX];
    size_t n, bytes;
};

static quire_status put_batch(struct sync_run *y, struct batch *b,
                              quire_error *err)
{
    const struct workspace_callbacks *callbacks = &y->s->c.callbacks;
    quire_error why;
    quire_status st = b->n < 2 ? QUIRE_EXISTS
                               : callbacks->put_all(callbacks->ctx, b->puts,
                                                    b->n, &y->keep, &why);
    bool stored = !st;
    size_t i;

    st = QUIRE_OK;
    for (i = 0; i < b->n; i++) {
        if (stored) {
            y->report->taken++;
            report_path(y, "taken", b->items[i]->path, "");
            baseline_put(y->s, b->items[i]->path, &b->items[i]->file,
                         &b->puts[i].digest);
        } else if (!st) {
            st = store_file(y, b->items[i], err);
        }
        buf_release(&b->content[i]);
    }
    b->n = b->bytes = 0;
    return st;
}

/* Add a new file to the batch. */
static quire_status batch_new_file(struct sync_run *y, struct batch *b,
                                   struct item *i, quire_error *err)
{
    struct buf *content = &b->content[b->n];
    struct workspace_put *put = &b->puts[b->n];
    quire_status st;

    *content = (struct buf)BUF_INIT((size_t)y->largest + 2);
    *put = (struct workspace_put){.path = i->path,
                                  .options = QUIRE_ARTIFACT_OPTIONS_INIT};
    st = read_file(y, i, content, err);
    if (!st) {
        put->content = buf_bytes(content);
        put->options.source = y->how->source;
    }
    if (st) {
        buf_release(content);
        return st == QUIRE_TOO_LARGE || st == QUIRE_CHANGED || i->unreadable
                   ? leave_file(y, i, st, err)
                   : st;
    }
    b->items[b->n++] = i;
    b->bytes += content->len;
    return b->n == BATCH_MAX || b->bytes >= BATCH_BYTES ? put_batch(y, b, err)
                                                        : QUIRE_OK;
}

static quire_status store_new_files(struct sync_run *y, quire_error *err)
{
    struct batch *b = calloc(1, sizeof *b);
    quire_status st = b ? QUIRE_OK : err_memory(err);
    size_t i;

    for (i = 0; i < y->n && !st; i++)
        if (is_new(&y->items[i], y->how) && !is_skipped(y, &y->items[i]))
            st = batch_new_file(y, b, &y->items[i], err);
    if (!st && b->n > 0)
        st = put_batch(y, b, err);
    for (i = 0; b && i < b->n; i++)
        buf_release(&b->content[i]);
    free(b);
    return st;
}

/* ---- collect the three states ------------------------------------------- */

static struct item *item_of(struct sync_run *y, const char *path)
{
    uint64_t *at = map_get(&y->by_path, bytes_str(path));
    size_t cap = y->cap ? 2 * y->cap : 64;
    struct item *list;
    char *key;

    if (at)
        return &y->items[*at - 1];
    if (y->n == y->cap) {
        list = realloc(y->items, cap * sizeof *list);
        if (!list)
            return NULL;
        y->items = list;
        y->cap = cap;
    }
    key = arena_text(&y->keep, bytes_str(path));
    if (!key || !map_put(&y->by_path, bytes_str(key), y->n + 1, NULL))
        return NULL;
    y->items[y->n] = (struct item){.path = key};
    return &y->items[y->n++];
}

static quire_status add_file(void *ctx, const char *name, const struct stat *st,
                             quire_error *err)
{
    struct sync_run *y = ctx;
    char clean[257];
    const char *reason;
    struct item *i;

    if (y->s->c.callbacks.clean(bytes_str(name), clean, &reason, NULL)) {
        if (strcmp(reason, "hidden") != 0) /* hidden files belong to programs */
            pass_path(y, name, reason);
        return QUIRE_OK;
    }
    if (strcmp(clean, name) != 0) {
        pass_path(y, name, "not_canonical");
        return QUIRE_OK;
    }
    i = item_of(y, name);
    if (!i)
        return err_memory(err);
    i->has_file = true;
    i->file = *st;
    return QUIRE_OK;
}

static quire_status add_artifact(void *ctx, const quire_artifact *a,
                                 quire_error *err)
{
    struct item *i = item_of(ctx, a->path);

    if (!i)
        return err_memory(err);
    i->has_row = true;
    i->digest = a->digest;
    i->id = a->id;
    return QUIRE_OK;
}

static quire_status add_baseline(void *ctx, const char *path,
                                 const struct baseline *baseline,
                                 quire_error *err)
{
    struct item *i = item_of(ctx, path);

    if (!i)
        return err_memory(err);
    i->has_baseline = true;
    i->baseline = *baseline;
    return QUIRE_OK;
}

/* ---- all paths, or one -------------------------------------------------- */

static quire_status begin_sync(struct sync_run *y, struct workspace *s,
                               const struct workspace_access *v,
                               const struct workspace_sync *how,
                               struct workspace_report *report,
                               quire_error *err)
{
    quire_status st;

    *y = (struct sync_run){.s = s, .v = v, .how = how, .report = report};
    map_init(&y->by_path, (uint64_t)clock_us(s->c.clock), (uintptr_t)y);
    st = s->c.callbacks.largest(s->c.callbacks.ctx, &y->largest, err);
    return st ? st : workspace_session(s, &y->session, err);
}

static void end_sync(struct sync_run *y)
{
    map_release(&y->by_path);
    arena_release(&y->keep);
    free(y->items);
}

static quire_status collect_items(struct sync_run *y, quire_error *err)
{
    const struct workspace_callbacks *callbacks = &y->s->c.callbacks;
    struct workspace_range all = {.limit = 0};
    quire_status st;

    st = walk_files(y->v->dir, workspace_dir(y->s, WORKSPACE_ARTIFACT), "",
                    add_file, y, err);
    if (!st && y->session)
        st = callbacks->list(callbacks->ctx, &all, add_artifact, y, err);
    if (!st && y->session)
        st = baseline_each(y->s, y->session, add_baseline, y, err);
    return st;
}

quire_status sync_all(struct workspace *s, const struct workspace_access *v,
                      const struct workspace_sync *how,
                      struct workspace_report *report, quire_error *err)
{
    struct sync_run y;
    quire_status st = begin_sync(&y, s, v, how, report, err);
    size_t i;

    if (!st)
        st = collect_items(&y, err);
    /* Deletions first, to free quota: a renamed file is a deletion and a new
     * file. */
    for (i = 0; i < y.n && !st; i++)
        if (decide(&y.items[i], how) == ACT_DELETE_ARTIFACT)
            st = sync_item(&y, &y.items[i], err);
    for (i = 0; i < y.n && !st; i++)
        if (decide(&y.items[i], how) != ACT_DELETE_ARTIFACT &&
            !is_new(&y.items[i], how))
            st = sync_item(&y, &y.items[i], err);
    if (!st)
        st = store_new_files(&y, err);
    if (!st)
        st = baseline_flush(s, err);
    end_sync(&y);
    return st;
}

quire_status sync_path(struct workspace *s, const struct workspace_access *v,
                       const char *path, const struct workspace_sync *how,
                       struct workspace_report *report, quire_error *err)
{
    struct sync_run y;
    struct item i = {.path = path};
    quire_artifact one;
    int fd;
    quire_status st = begin_sync(&y, s, v, how, report, err);

    if (!st && y.session) {
        st = s->c.callbacks.find(s->c.callbacks.ctx, path, &y.keep, &one, err);
        if (!st)
            st = add_artifact(&y, &one, err);
        if (!st)
            i = y.items[0];
        if (!st || st == QUIRE_NOT_FOUND)
            st = baseline_get(s, y.session, path, &i.baseline, err);
        i.has_baseline = !st;
    }
    if (st == QUIRE_NOT_FOUND)
        st = QUIRE_OK;
    if (!st) {
        fd = workspace_open_file(v->dir, path, &i.file);
        i.has_file = fd >= 0;
        if (fd >= 0)
            close(fd);
        else if (errno != ENOENT && !is_wrong_kind(errno))
            st = err_sys(err, errno, "cannot open %s in %s", path,
                         workspace_dir(s, WORKSPACE_ARTIFACT));
    }
    if (!st)
        st = sync_item(&y, &i, err);
    end_sync(&y);
    return st;
}

quire_status workspace_sync_all(struct workspace *s,
                                const struct workspace_sync *how,
                                struct workspace_report *report,
                                quire_error *err)
{
    struct workspace_access v;
    int64_t session;
    quire_status st = workspace_access_begin(s, WORKSPACE_ARTIFACT, ACCESS_LOCK,
                                             &v, err);

    *report = (struct workspace_report){0};
    if (st == QUIRE_NOT_FOUND) {
        /* A missing directory does not mean that its files were deleted. */
        st = workspace_session(s, &session, err);
        return st || !session ? st : baseline_clear(s, session, err);
    }
    if (st)
        return st;
    st = sync_all(s, &v, how, report, err);
    workspace_access_end(&v);
    return st;
}

quire_status workspace_sync_path(struct workspace *s, const char *path,
                                 const struct workspace_sync *how,
                                 struct workspace_report *report,
                                 quire_error *err)
{
    struct workspace_access v;
    quire_status st = workspace_access_begin(s, WORKSPACE_ARTIFACT, ACCESS_LOCK,
                                             &v, err);

    *report = (struct workspace_report){0};
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    s->lost = false;
    st = sync_path(s, &v, path, how, report, err);
    if (!st && how->noted && s->lost)
        st = err_memory(err);
    if (!st && (how->noted || baseline_is_due(s)))
        st = baseline_flush(s, err);
    workspace_access_end(&v);
    return st;
}

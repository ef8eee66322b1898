/*
 * sync.c - files and artifacts, made to agree
 *
 * Of each path three things are known: the file, the artifact, and what both
 * were when they agreed. Which of them are there, and which have changed, says
 * what is to be done; what it is about, the content, is looked at only when it
 * has to move.
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
    bool has_file, has_copy, has_row;
    bool unreadable; /* the file */
    struct stat file;
    struct baseline copy;
    quire_digest digest; /* of the row */
    int64_t id;
};

struct syncing {
    struct workspace *s;
    const struct visit *v;
    const struct workspace_sync *how;
    struct workspace_report *report;
    uint64_t largest; /* that a file may be                */
    int64_t session;  /* the number of its row; 0: it has none */
    struct arena keep;
    struct map by_path; /* to index + 1 in items */
    struct item *items;
    size_t n, cap;
};

static void tell(struct syncing *y, const char *what, const char *path,
                 const char *why)
{
    if (y->how->tell)
        y->how->tell(y->how->ctx, what, path, why);
}

static void pass(struct syncing *y, const char *path, const char *why)
{
    y->report->passed++;
    tell(y, "passed", path, why);
}

/* ---- what is to be done ------------------------------------------------- */

enum verdict {
    AGREE,
    TAKE,     /* the file becomes the artifact     */
    GIVE,     /* the artifact becomes the file     */
    PUT_AWAY, /* the artifact goes, as the file did */
    WITHDRAW, /* the file goes, as the artifact did */
    FORGET,   /* both are gone                      */
};

static bool is_edited(const struct item *i)
{
    return !i->has_copy || i->copy.inode != (uint64_t)i->file.st_ino ||
           i->copy.size != (uint64_t)i->file.st_size ||
           i->copy.modified_ns != ns_of(i->file.st_mtim) ||
           i->copy.changed_ns != ns_of(i->file.st_ctim);
}

static bool is_put_again(const struct item *i)
{
    return !i->has_copy || !is_same(&i->digest, &i->copy.digest);
}

static enum verdict judge(const struct item *i,
                          const struct workspace_sync *how)
{
    if (!i->has_file && !i->has_row)
        return i->has_copy ? FORGET : AGREE;
    if (!i->has_file)
        return how->put || is_put_again(i) ? GIVE : PUT_AWAY;
    if (!i->has_row)
        return is_edited(i) ? TAKE : WITHDRAW;
    if (is_edited(i))
        return TAKE;
    return is_put_again(i) ? GIVE : AGREE;
}

/* ---- doing it ----------------------------------------------------------- */

/* Read a file that may be changing: as it was at one time, or QUIRE_CHANGED. */
static quire_status read_file(struct syncing *y, struct item *i,
                              struct buf *out, quire_error *err)
{
    struct stat after;
    int fd = workspace_open_file(y->v->dir, i->path, &i->file);
    ssize_t n = -1;
    void *room;
    quire_status st = QUIRE_OK;

    i->unreadable = fd < 0 && errno == EACCES;
    if (i->unreadable)
        return QUIRE_INVALID; /* whoever made it does not want it read */
    if (fd < 0)
        return errno == ENOENT || errno == ELOOP || errno == EISDIR ||
                       errno == ENOTDIR || errno == EXDEV
                   ? QUIRE_CHANGED
                   : err_sys(err, errno, "cannot open %s in %s", i->path,
                             workspace_dir(y->s, WORKSPACE_ARTIFACT));
    if ((uint64_t)i->file.st_size > y->largest)
        st = QUIRE_TOO_LARGE;
    /* One byte more, to see that there is none. */
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

/* What is said of an artifact that a file becomes. Text is in y->keep. */
static quire_status describe(struct syncing *y, const struct item *i,
                             quire_bytes content, quire_artifact_options *o,
                             quire_error *err)
{
    const struct workspace_callbacks *callbacks = &y->s->c.callbacks;
    const char *mime = callbacks->type(bytes_str(i->path), content);
    quire_artifact old = {.meta = "{}"};
    quire_status st = QUIRE_OK;

    if (i->has_row) {
        st = callbacks->find(callbacks->ctx, i->path, &y->keep, &old, err);
    } else {
        o->source = y->how->source;
        o->tags = analyse_tags(mime, i->path, NULL, &y->keep);
    }
    if (st)
        return st;
    o->meta = analyse_meta(old.meta, mime, content, &y->keep);
    return o->meta && (i->has_row || o->tags) ? QUIRE_OK : err_memory(err);
}

static quire_status put_file(struct syncing *y, const struct item *i,
                             quire_bytes content, quire_error *err)
{
    const struct workspace_callbacks *callbacks = &y->s->c.callbacks;
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire_artifact ignored;
    quire_status st = describe(y, i, content, &o, err);

    return st ? st
              : callbacks->put(callbacks->ctx, i->path, content, &o, &y->keep,
                               &ignored, err);
}

struct reverting {
    const quire_digest *digest;
    bool found;
};

static quire_status see_version(void *ctx, const quire_artifact *version,
                                quire_error *err)
{
    struct reverting *r = ctx;

    (void)err;
    r->found |= is_same(r->digest, &version->digest);
    return QUIRE_OK;
}

/* Whether the artifact has moved on from what the file has: a power cut can
 * lose the last names that were given, and not the rows. */
static quire_status is_behind(struct syncing *y, const struct item *i,
                              const quire_digest *digest, bool *behind,
                              quire_error *err)
{
    struct reverting r = {.digest = digest};
    quire_status st = QUIRE_OK;

    if (i->has_row && is_put_again(i) && !is_same(digest, &i->digest))
        st = y->s->c.callbacks.versions(y->s->c.callbacks.ctx, i->id,
                                        see_version, &r, err);
    *behind = r.found;
    return st;
}

static quire_status give(struct syncing *y, struct item *i, quire_error *err);
static quire_status withdraw(struct syncing *y, struct item *i,
                             quire_error *err);

/* What is to be done with a file that was touched, now that its content is
 * known: it may be what it was. */
static quire_status judge_again(struct syncing *y, const struct item *i,
                                const quire_digest *digest,
                                enum verdict *verdict, quire_error *err)
{
    bool behind = false;
    quire_status st = QUIRE_OK;

    *verdict = TAKE;
    if (i->has_row && is_same(digest, &i->digest))
        *verdict = AGREE;
    else if (i->has_copy && is_same(digest, &i->copy.digest))
        *verdict = i->has_row ? GIVE : WITHDRAW;
    else
        st = is_behind(y, i, digest, &behind, err);
    if (behind)
        *verdict = GIVE;
    return st;
}

/* A file that cannot be kept now stays where it is; that is an error for who
 * wants to put something else in its place. */
static quire_status leave(struct syncing *y, const struct item *i,
                          quire_status st, quire_error *err)
{
    const char *why = st == QUIRE_QUOTA     ? "it does not fit into the quota"
                      : st == QUIRE_INVALID ? "it cannot be read"
                      : st == QUIRE_EXISTS
                          ? "an artifact is in its place, as a "
                            "directory or as a file"
                      : st == QUIRE_TOO_LARGE
                          ? "it is larger than an artifact may be"
                          : "somebody is writing it";

    if (y->how->whole) {
        st = err_fail(err, st,
                      st == QUIRE_CHANGED
                          ? "try again in a moment"
                          : "use another filename, or move the file away",
                      "the file %s was changed and cannot be kept: %s", i->path,
                      why);
        return st;
    }
    if (st != QUIRE_CHANGED) /* whoever looks next sees what came of it */
        pass(y, i->path, why);
    return QUIRE_OK;
}

static quire_status take(struct syncing *y, struct item *i, quire_error *err)
{
    struct buf content = BUF_INIT((size_t)y->largest + 2);
    enum verdict verdict = TAKE;
    quire_digest digest;
    quire_status st = read_file(y, i, &content, err);

    if (!st) {
        y->s->c.callbacks.digest(buf_bytes(&content), &digest);
        st = judge_again(y, i, &digest, &verdict, err);
    }
    if (!st && verdict == TAKE) {
        st = put_file(y, i, buf_bytes(&content), err);
        if (!st) {
            y->report->taken++;
            tell(y, "taken", i->path, "");
        }
    }
    buf_release(&content);
    if (st == QUIRE_TOO_LARGE || st == QUIRE_QUOTA || st == QUIRE_CHANGED ||
        st == QUIRE_EXISTS || (st && i->unreadable))
        return leave(y, i, st, err);
    if (st)
        return st;
    if (verdict == GIVE && !y->how->files_stay)
        return give(y, i, err);
    if (verdict == WITHDRAW && !y->how->files_stay)
        return withdraw(y, i, err);
    baseline_put(y->s, i->path, &i->file, &digest);
    return QUIRE_OK;
}

/* Where a directory stands in the way of a file, or a file in that of one. */
static bool is_in_the_way(int error)
{
    return error == EISDIR || error == ENOTDIR || error == EEXIST ||
           error == ELOOP || error == ENOTEMPTY;
}

static quire_status publish(struct syncing *y, struct item *i,
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
        st = is_in_the_way(errno) ? QUIRE_EXISTS
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

static quire_status give(struct syncing *y, struct item *i, quire_error *err)
{
    const struct workspace_callbacks *callbacks = &y->s->c.callbacks;
    struct buf content = BUF_INIT((size_t)1 << 31);
    quire_status st = callbacks->read(callbacks->ctx, &i->digest, 0, UINT64_MAX,
                                      buf_write, &content, err);

    if (!st)
        st = publish(y, i, buf_bytes(&content), err);
    buf_release(&content);
    if (!st) {
        y->report->given++;
        tell(y, "given", i->path, "");
    } else if (st == QUIRE_EXISTS || st == QUIRE_NOT_FOUND ||
               st == QUIRE_DAMAGED) {
        pass(y, i->path,
             st == QUIRE_EXISTS ? "something else has its name"
                                : "its content is missing or damaged");
        st = QUIRE_OK;
    } else if (st == QUIRE_CHANGED) {
        st = QUIRE_OK; /* the file is newer: whoever looks next takes it */
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

static quire_status withdraw(struct syncing *y, struct item *i,
                             quire_error *err)
{
    struct stat now;
    int fd = workspace_open_file(y->v->dir, i->path, &now);
    bool is_still = fd >= 0 && workspace_is_still(&now, &i->file);

    if (fd >= 0)
        close(fd);
    if (!is_still)
        return QUIRE_OK; /* whoever looks next sees what came of it */
    if (workspace_unlink(y->v->dir, i->path) < 0 && errno != ENOENT)
        return err_sys(err, errno, "cannot remove %s in %s", i->path,
                       workspace_dir(y->s, WORKSPACE_ARTIFACT));
    y->report->withdrawn++;
    tell(y, "withdrawn", i->path, "");
    baseline_remove(y->s, i->path);
    return QUIRE_OK;
}

/* A file that nobody knows. */
static bool is_new(const struct item *i, const struct workspace_sync *how)
{
    return !i->has_row && !i->has_copy && judge(i, how) == TAKE;
}

/* Whether a directory that the file is in can be made again by a program: one
 * that package tools fill, or that says so of itself. */
static bool is_made_again(int dir, const char *path)
{
    static const char *const names[] = {"node_modules", "__pycache__"};
    static const char *const marks[] = {"CACHEDIR.TAG", "pyvenv.cfg"};
    const char *from = path, *slash;
    char mark[512];
    size_t i;

    for (; (slash = strchr(from, '/')); from = slash + 1) {
        for (i = 0; i < sizeof names / sizeof *names; i++)
            if (bytes_equal(bytes_of(from, (size_t)(slash - from)),
                            bytes_str(names[i])))
                return true;
        for (i = 0; i < sizeof marks / sizeof *marks; i++) {
            int len = snprintf(mark, sizeof mark, "%.*s/%s",
                               (int)(slash - path), path, marks[i]);

            if (len < (int)sizeof mark &&
                !faccessat(dir, mark, F_OK, AT_SYMLINK_NOFOLLOW))
                return true;
        }
    }
    return false;
}

/* Thousands of files that nobody wrote would be all that is found. What somebody
 * has made an artifact stays one, and a file that is to be replaced is kept
 * wherever it lies. */
static bool is_passed_over(const struct syncing *y, const struct item *i)
{
    return !y->how->whole && is_new(i, y->how) &&
           is_made_again(y->v->dir, i->path);
}

static quire_status act(struct syncing *y, struct item *i, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (is_passed_over(y, i))
        return QUIRE_OK;
    switch (judge(i, y->how)) {
    case AGREE: return QUIRE_OK;
    case TAKE: return take(y, i, err);
    case GIVE: return y->how->files_stay ? QUIRE_OK : give(y, i, err);
    case PUT_AWAY:
        st = y->s->c.callbacks.remove(y->s->c.callbacks.ctx, i->id, err);
        if (st && st != QUIRE_NOT_FOUND)
            return st;
        y->report->dropped++;
        tell(y, "dropped", i->path, "");
        break;
    case WITHDRAW: return y->how->files_stay ? QUIRE_OK : withdraw(y, i, err);
    case FORGET: break;
    }
    baseline_remove(y->s, i->path);
    return QUIRE_OK;
}

/* ---- many new files ------------------------------------------------------ */

/* A command may leave thousands. A commit each would take seconds, so they are put
 * together; where that fails, one by one, so that each is judged by itself. */
enum { TOGETHER = 64 };
#define TOGETHER_BYTES ((size_t)4 << 20)

struct batch {
    struct item *items[TOGETHER];
    struct workspace_put puts[TOGETHER];
    struct buf content[TOGETHER];
    quire_digest digest[TOGETHER];
    size_t n, bytes;
};

static quire_status put_batch(struct syncing *y, struct batch *b,
                              quire_error *err)
{
    const struct workspace_callbacks *callbacks = &y->s->c.callbacks;
    quire_error why;
    quire_status st = b->n < 2 ? QUIRE_EXISTS
                               : callbacks->put_all(callbacks->ctx, b->puts,
                                                    b->n, &y->keep, &why);
    bool together = !st;
    size_t i;

    st = QUIRE_OK;
    for (i = 0; i < b->n; i++) {
        if (together) {
            y->report->taken++;
            tell(y, "taken", b->items[i]->path, "");
            baseline_put(y->s, b->items[i]->path, &b->items[i]->file,
                         &b->digest[i]);
        } else if (!st) {
            st = take(y, b->items[i], err);
        }
        buf_release(&b->content[i]);
    }
    b->n = b->bytes = 0;
    return st;
}

/* A file that nobody knows. */
static quire_status take_new(struct syncing *y, struct batch *b, struct item *i,
                             quire_error *err)
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
        y->s->c.callbacks.digest(put->content, &b->digest[b->n]);
        st = describe(y, i, put->content, &put->options, err);
    }
    if (st) {
        buf_release(content);
        return st == QUIRE_TOO_LARGE || st == QUIRE_CHANGED || i->unreadable
                   ? leave(y, i, st, err)
                   : st;
    }
    b->items[b->n++] = i;
    b->bytes += content->len;
    return b->n == TOGETHER || b->bytes >= TOGETHER_BYTES ? put_batch(y, b, err)
                                                          : QUIRE_OK;
}

static quire_status take_all_new(struct syncing *y, quire_error *err)
{
    struct batch *b = calloc(1, sizeof *b);
    quire_status st = b ? QUIRE_OK : err_memory(err);
    size_t i;

    for (i = 0; i < y->n && !st; i++)
        if (is_new(&y->items[i], y->how) && !is_passed_over(y, &y->items[i]))
            st = take_new(y, b, &y->items[i], err);
    if (!st && b->n > 0)
        st = put_batch(y, b, err);
    for (i = 0; b && i < b->n; i++)
        buf_release(&b->content[i]);
    free(b);
    return st;
}

/* ---- what there is ------------------------------------------------------ */

static struct item *item_of(struct syncing *y, const char *path)
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

static quire_status see_file(void *ctx, const char *name, const struct stat *st,
                             quire_error *err)
{
    struct syncing *y = ctx;
    char clean[257];
    const char *reason;
    struct item *i;

    if (y->s->c.callbacks.clean(bytes_str(name), clean, &reason, NULL)) {
        if (strcmp(reason, "hidden") != 0) /* those are programs' own */
            pass(y, name, reason);
        return QUIRE_OK;
    }
    if (strcmp(clean, name) != 0) {
        pass(y, name, "not_canonical");
        return QUIRE_OK;
    }
    i = item_of(y, name);
    if (!i)
        return err_memory(err);
    i->has_file = true;
    i->file = *st;
    return QUIRE_OK;
}

static quire_status see_row(void *ctx, const quire_artifact *a,
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

static quire_status see_copy(void *ctx, const char *path,
                             const struct baseline *copy, quire_error *err)
{
    struct item *i = item_of(ctx, path);

    if (!i)
        return err_memory(err);
    i->has_copy = true;
    i->copy = *copy;
    return QUIRE_OK;
}

/* ---- all, or one -------------------------------------------------------- */

static quire_status begin(struct syncing *y, struct workspace *s,
                          const struct visit *v,
                          const struct workspace_sync *how,
                          struct workspace_report *report, quire_error *err)
{
    quire_status st;

    *y = (struct syncing){.s = s, .v = v, .how = how, .report = report};
    map_init(&y->by_path, (uint64_t)clock_us(s->c.clock), (uintptr_t)y);
    st = s->c.callbacks.largest(s->c.callbacks.ctx, &y->largest, err);
    return st ? st : workspace_session(s, &y->session, err);
}

static void end(struct syncing *y)
{
    map_release(&y->by_path);
    arena_release(&y->keep);
    free(y->items);
}

static quire_status gather(struct syncing *y, quire_error *err)
{
    const struct workspace_callbacks *callbacks = &y->s->c.callbacks;
    struct workspace_range all = {.limit = 0};
    quire_status st;

    st = walk_files(y->v->dir, workspace_dir(y->s, WORKSPACE_ARTIFACT), "",
                    see_file, y, err);
    if (!st && y->session)
        st = callbacks->list(callbacks->ctx, &all, see_row, y, err);
    if (!st && y->session)
        st = baseline_each(y->s, y->session, see_copy, y, err);
    return st;
}

quire_status sync_all(struct workspace *s, const struct visit *v,
                      const struct workspace_sync *how,
                      struct workspace_report *report, quire_error *err)
{
    struct syncing y;
    quire_status st = begin(&y, s, v, how, report, err);
    size_t i;

    if (!st)
        st = gather(&y, err);
    /* What is put away makes room: a file that was renamed is both. */
    for (i = 0; i < y.n && !st; i++)
        if (judge(&y.items[i], how) == PUT_AWAY)
            st = act(&y, &y.items[i], err);
    for (i = 0; i < y.n && !st; i++)
        if (judge(&y.items[i], how) != PUT_AWAY && !is_new(&y.items[i], how))
            st = act(&y, &y.items[i], err);
    if (!st)
        st = take_all_new(&y, err);
    if (!st)
        st = baseline_flush(s, err);
    end(&y);
    return st;
}

quire_status sync_path(struct workspace *s, const struct visit *v,
                       const char *path, const struct workspace_sync *how,
                       struct workspace_report *report, quire_error *err)
{
    struct syncing y;
    struct item i = {.path = path};
    quire_artifact one;
    int fd;
    quire_status st = begin(&y, s, v, how, report, err);

    if (!st && y.session) {
        st = s->c.callbacks.find(s->c.callbacks.ctx, path, &y.keep, &one, err);
        if (!st)
            st = see_row(&y, &one, err);
        if (!st)
            i = y.items[0];
        if (!st || st == QUIRE_NOT_FOUND)
            st = baseline_get(s, y.session, path, &i.copy, err);
        i.has_copy = !st;
    }
    if (st == QUIRE_NOT_FOUND)
        st = QUIRE_OK;
    if (!st) {
        fd = workspace_open_file(v->dir, path, &i.file);
        i.has_file = fd >= 0;
        if (fd >= 0)
            close(fd);
        else if (errno != ENOENT && !is_in_the_way(errno))
            st = err_sys(err, errno, "cannot open %s in %s", path,
                         workspace_dir(s, WORKSPACE_ARTIFACT));
    }
    if (!st)
        st = act(&y, &i, err);
    end(&y);
    return st;
}

quire_status workspace_sync_all(struct workspace *s,
                                const struct workspace_sync *how,
                                struct workspace_report *report,
                                quire_error *err)
{
    struct visit v;
    int64_t session;
    quire_status st = visit_begin(s, WORKSPACE_ARTIFACT, VISIT_LOCK, &v, err);

    *report = (struct workspace_report){0};
    if (st == QUIRE_NOT_FOUND) {
        /* Nothing is laid out: not that all of it was deleted. */
        st = workspace_session(s, &session, err);
        return st || !session ? st : baseline_clear(s, session, err);
    }
    if (st)
        return st;
    st = sync_all(s, &v, how, report, err);
    visit_end(&v);
    return st;
}

quire_status workspace_sync_path(struct workspace *s, const char *path,
                                 const struct workspace_sync *how,
                                 struct workspace_report *report,
                                 quire_error *err)
{
    struct visit v;
    quire_status st = visit_begin(s, WORKSPACE_ARTIFACT, VISIT_LOCK, &v, err);

    *report = (struct workspace_report){0};
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    s->lost = false;
    st = sync_path(s, &v, path, how, report, err);
    if (!st && how->noted && s->lost)
        st = err_memory(err);
    if (!st && (how->noted || baseline_is_due(s)))
        st = baseline_flush(s, err);
    visit_end(&v);
    return st;
}

/*
 * dirs.c - the directories of a workspace
 *
 * A directory is opened anew for each stay: a session can be removed, and its
 * directories with it, while somebody has a handle; what is written then must
 * not go to a directory that has no name any more.
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
#include "workspace/priv.h"

enum { DIR_MODE = 0750 };

/* ---- where -------------------------------------------------------------- */

static bool is_built_in(const char *key)
{
    return !strcmp(key, "user") || !strcmp(key, "temp");
}

/* Letters, digits, dash, underscore, dot; an id comes out of a file that
 * anybody may have written, and becomes the name of a directory. */
bool workspace_is_id(const char *key)
{
    const char *c;

    for (c = key; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');

        if (!letter && !(*c >= '0' && *c <= '9') && !strchr("-_.", *c))
            return false;
    }
    return *key && *key != '.' && !strstr(key, "..") && c - key <= 128;
}

static quire_status bad_id(const char *key, quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_INVALID,
                 HINT_SHELL
                 "ids are made of letters, digits, dash, underscore and dot; "
                 "`quire session fork` makes a session with an id of its own",
                 "session %.60s cannot have a workspace: its id "
                 "is no name for a directory",
                 key);
    return st;
}

/* What stands before and after the id in the name of the artifacts' directory,
 * from the root on. */
static const char *before(const char *key)
{
    return is_built_in(key) ? "artifacts/" : "artifacts/sessions/";
}

static const char *after(const char *key)
{
    return is_built_in(key) ? "" : "/agent";
}

bool workspace_is_there(const char *root, const char *key)
{
    char path[4096];
    int len;

    if (!workspace_is_id(key))
        return false;
    len = snprintf(path, sizeof path, "%s/%s%s%s", root, before(key), key,
                   after(key));
    return len > 0 && (size_t)len < sizeof path && !access(path, F_OK);
}

static bool name_dirs(struct workspace *s)
{
    const char *key = s->c.key;
    bool fine = asprintf(&s->names[0], "%s%s%s", before(key), key,
                         after(key)) >= 0;
    int i;

    if (is_built_in(key))
        fine = fine && asprintf(&s->around, "artifacts") >= 0 &&
               asprintf(&s->names[1], "artifacts/scratchpad/%s", key) >= 0;
    else
        fine = fine &&
               asprintf(&s->around, "artifacts/sessions/%s", key) >= 0 &&
               asprintf(&s->names[1], "%s/scratchpad", s->around) >= 0;
    for (i = 0; fine && i < 2; i++)
        fine = asprintf(&s->paths[i], "%s/%s", s->c.root, s->names[i]) >= 0;
    return fine;
}

/* ---- life --------------------------------------------------------------- */

static bool copy_text(const char **text)
{
    *text = strdup(*text);
    return *text;
}

quire_status workspace_open(const struct workspace_config *config,
                            struct workspace **out, quire_error *err)
{
    struct workspace *s = calloc(1, sizeof *s);
    bool has_root, has_key;
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (!s)
        return err_memory(err);
    s->c = *config;
    s->root = -1;
    /* Both, whatever comes of the first: then all of it is ours. */
    has_root = copy_text(&s->c.root);
    has_key = copy_text(&s->c.key);
    if (!has_root || !has_key)
        st = err_memory(err);
    if (!st && !workspace_is_id(s->c.key))
        st = bad_id(s->c.key, err);
    if (!st && !name_dirs(s))
        st = err_memory(err);
    if (!st)
        st = baseline_init(s, err);
    if (!st)
        st = fs_open_dir(s->c.root, true, &s->root, err);
    if (st)
        workspace_close(s);
    else
        *out = s;
    return st;
}

void workspace_close(struct workspace *s)
{
    size_t i;

    if (!s)
        return;
    if (s->n_notes > 0)
        baseline_flush(s, NULL); /* else they are compared once more */
    read_counts_flush(s, true);
    for (i = 0; i < s->n_notes; i++)
        free(s->notes[i].path);
    free(s->notes);
    sql_release(&s->sql);
    if (s->root >= 0)
        close(s->root);
    for (i = 0; i < 2; i++) {
        free(s->names[i]);
        free(s->paths[i]);
    }
    free(s->around);
    free((char *)(uintptr_t)s->c.root);
    free((char *)(uintptr_t)s->c.key);
    free(s);
}

const char *workspace_key(const struct workspace *s)
{
    return s->c.key;
}

const char *workspace_dir(const struct workspace *s, enum workspace_scope scope)
{
    return s->paths[scope];
}

quire_status workspace_session(struct workspace *s, int64_t *id,
                               quire_error *err)
{
    return s->c.callbacks.session(s->c.callbacks.ctx, id, err);
}

/* ---- names inside ------------------------------------------------------- */

int workspace_parent(int dir, const char *path, bool make, const char **base)
{
    const char *at = path, *slash;
    char name[256];
    int fd = fcntl(dir, F_DUPFD_CLOEXEC, 0), next;

    while (fd >= 0 && (slash = strchr(at, '/'))) {
        if ((size_t)(slash - at) >= sizeof name) {
            close(fd);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, at, (size_t)(slash - at));
        name[slash - at] = '\0';
        next = fs_open_beneath(fd, name, O_RDONLY | O_DIRECTORY, 0);
        if (next < 0 && errno == ENOENT && make &&
            (!mkdirat(fd, name, DIR_MODE) || errno == EEXIST))
            next = fs_open_beneath(fd, name, O_RDONLY | O_DIRECTORY, 0);
        close(fd);
        fd = next;
        at = slash + 1;
    }
    *base = at;
    return fd;
}

bool workspace_is_taken(int parent, const char *base)
{
    struct stat st;

    if (fstatat(parent, base, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        S_ISREG(st.st_mode))
        return false;
    errno = S_ISDIR(st.st_mode) ? EISDIR : S_ISLNK(st.st_mode) ? ELOOP : EEXIST;
    return true;
}

int workspace_open_file(int dir, const char *path, struct stat *st)
{
    int fd = fs_open_beneath(dir, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
    int why = 0;

    if (fd < 0)
        return -1;
    /* That it cannot be looked at does not say that it is no file. */
    if (fstat(fd, st) < 0)
        why = errno;
    else if (!S_ISREG(st->st_mode))
        why = EISDIR;
    if (why) {
        close(fd);
        errno = why;
        fd = -1;
    }
    return fd;
}

quire_status workspace_draft(struct workspace *s, int parent,
                             quire_bytes content, bool lasting,
                             struct fs_temp *t, quire_error *err)
{
    if (fs_temp_open(t, parent) < 0 || fs_write_all(t->fd, content) < 0 ||
        (lasting && fs_temp_sync(t) < 0))
        return err_sys(err, errno, "cannot write a file in %s",
                       s->paths[WORKSPACE_ARTIFACT]);
    return QUIRE_OK;
}

bool workspace_is_still(const struct stat *now, const struct stat *seen)
{
    return now->st_ino == seen->st_ino && now->st_size == seen->st_size &&
           now->st_mtim.tv_sec == seen->st_mtim.tv_sec &&
           now->st_mtim.tv_nsec == seen->st_mtim.tv_nsec &&
           now->st_ctim.tv_sec == seen->st_ctim.tv_sec &&
           now->st_ctim.tv_nsec == seen->st_ctim.tv_nsec;
}

int workspace_publish(struct fs_temp *t, int parent, const char *base,
                      const struct stat *seen)
{
    struct stat now;
    int rc;

    if (workspace_is_taken(parent, base))
        return -1;
    if (seen && !fstatat(parent, base, &now, AT_SYMLINK_NOFOLLOW) &&
        !workspace_is_still(&now, seen)) {
        errno = EBUSY;
        return -1;
    }
    /* A script stays one. */
    if (seen)
        (void)fchmod(t->fd, seen->st_mode & 0777);
    rc = fs_temp_publish(t, parent, base, seen != NULL);
    if (rc < 0 && errno == EEXIST && !workspace_is_taken(parent, base))
        errno = EBUSY;
    return rc;
}

/* ---- a stay ------------------------------------------------------------- */

/* Open a directory of ours, from the root on; make it if that is asked. */
static int open_dir(struct workspace *s, const char *name, bool make,
                    bool *made)
{
    int fd = fs_open_beneath(s->root, name, O_RDONLY | O_DIRECTORY, 0);
    const char *base;
    int parent;

    *made = false;
    if (fd >= 0 || errno != ENOENT || !make)
        return fd;
    parent = workspace_parent(s->root, name, true, &base);
    if (parent < 0)
        return -1;
    *made = !mkdirat(parent, base, DIR_MODE);
    if (*made || errno == EEXIST)
        fd = fs_open_beneath(parent, base, O_RDONLY | O_DIRECTORY, 0);
    close(parent);
    if (fd >= 0 && *made && fs_sync_parents(s->root, name) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static quire_status cannot_open(struct workspace *s, const char *name,
                                quire_error *err)
{
    if (errno == ENOENT)
        return QUIRE_NOT_FOUND;
    return err_sys(err, errno, "cannot open %s/%s", s->c.root, name);
}

/* Before there is an empty directory nothing is known of files in it: else each
 * of them would be one that somebody has removed. */
static quire_status forget_files(struct workspace *s, quire_error *err)
{
    int64_t session;
    quire_status st = workspace_session(s, &session, err);

    return st || !session ? st : baseline_clear(s, session, err);
}

/* Whoever waits for a lock may get that of a directory which has gone meanwhile,
 * and another one has its name. */
static bool has_gone(int dir)
{
    struct stat st;

    return !fstat(dir, &st) && st.st_nlink == 0;
}

static quire_status lock_around(struct workspace *s, bool make, struct visit *v,
                                quire_error *err)
{
    quire_status st;
    bool made;

    do {
        if (v->around >= 0)
            close(v->around);
        v->around = open_dir(s, s->around, make, &made);
        if (v->around < 0)
            return cannot_open(s, s->around, err);
        st = fs_lock(v->around, FS_EXCLUSIVE, s->c.busy_ms, err);
    } while (!st && has_gone(v->around));
    if (st == QUIRE_BUSY) {
        err_fail(err, st, "try again in a moment",
                 "the workspace of session %.60s is in use", s->c.key);
    }
    return st;
}

quire_status visit_begin(struct workspace *s, enum workspace_scope scope,
                         unsigned flags, struct visit *v, quire_error *err)
{
    bool make = flags & VISIT_MAKE, made;
    quire_status st = QUIRE_OK;

    *v = (struct visit){.around = -1, .dir = -1};
    if (flags & VISIT_LOCK)
        st = lock_around(s, make, v, err);
    if (!st) {
        v->dir = open_dir(s, s->names[scope], false, &made);
        if (v->dir < 0 && errno == ENOENT && make) {
            if (scope == WORKSPACE_ARTIFACT)
                st = forget_files(s, err);
            if (!st)
                v->dir = open_dir(s, s->names[scope], true, &v->fresh);
        }
        if (!st && v->dir < 0)
            st = cannot_open(s, s->names[scope], err);
    }
    if (st)
        visit_end(v);
    return st;
}

void visit_end(struct visit *v)
{
    if (v->dir >= 0)
        close(v->dir);
    if (v->around >= 0)
        close(v->around);
    v->dir = v->around = -1;
}

quire_status workspace_make(struct workspace *s, quire_error *err)
{
    static const struct workspace_sync how = {.source = "user"};
    struct workspace_report report = {0};
    struct visit v;
    quire_status st = visit_begin(s, WORKSPACE_SCRATCH, VISIT_MAKE, &v, err);

    if (st)
        return st;
    visit_end(&v);
    st = visit_begin(s, WORKSPACE_ARTIFACT, VISIT_MAKE | VISIT_LOCK, &v, err);
    if (!st && v.fresh)
        st = sync_all(s, &v, &how, &report, err);
    visit_end(&v);
    return st;
}

/*
 * dirs.c - the directories of a workspace
 *
 * Each access opens the directory again. A session and its directories can be
 * removed while a handle is open, and a write must not go to a directory that
 * has been unlinked.
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

/* ---- paths -------------------------------------------------------------- */

static bool is_built_in(const char *key)
{
    return !strcmp(key, "user") || !strcmp(key, "temp");
}

/* Letters, digits, dash, underscore, dot. An id comes from an untrusted file
 * and becomes the name of a directory. */
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

static quire_status reject_id(const char *key, quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_INVALID,
                 HINT_SHELL
                 "an id of letters, digits, dash, underscore and dot works; "
                 "`quire session fork` copies the session under a new id",
                 "session %.60s cannot have a workspace: its id "
                 "is not valid as a directory name",
                 key);
    return st;
}

/* Prefix and suffix of the id in the path of the artifact directory, relative
 * to the root. */
static const char *path_prefix(const char *key)
{
    return is_built_in(key) ? "artifacts/" : "artifacts/sessions/";
}

static const char *path_suffix(const char *key)
{
    return is_built_in(key) ? "" : "/agent";
}

bool workspace_is_there(const char *root, const char *key)
{
    char path[4096];
    int len;

    if (!workspace_is_id(key))
        return false;
    len = snprintf(path, sizeof path, "%s/%s%s%s", root, path_prefix(key), key,
                   path_suffix(key));
    return len > 0 && (size_t)len < sizeof path && !access(path, F_OK);
}

static bool name_dirs(struct workspace *s)
{
    const char *key = s->c.key;
    bool fine = asprintf(&s->names[0], "%s%s%s", path_prefix(key), key,
                         path_suffix(key)) >= 0;
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

/* ---- open and close ----------------------------------------------------- */

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
    /* Copy both even if the first fails: then it owns both pointers. */
    has_root = copy_text(&s->c.root);
    has_key = copy_text(&s->c.key);
    if (!has_root || !has_key)
        st = err_memory(err);
    if (!st && !workspace_is_id(s->c.key))
        st = reject_id(s->c.key, err);
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
    if (s->n_changes > 0)
        baseline_flush(s, NULL); /* on failure the files are compared again */
    read_counts_flush(s, true);
    for (i = 0; i < s->n_changes; i++)
        free(s->changes[i].path);
    free(s->changes);
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

/* ---- files inside ------------------------------------------------------- */

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
    /* fstat() failing does not mean that it is a special file. */
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
                             quire_bytes content, bool durable,
                             struct fs_temp *t, quire_error *err)
{
    if (fs_temp_open(t, parent) < 0 || fs_write_all(t->fd, content) < 0 ||
        (durable && fs_temp_sync(t) < 0))
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
    /* Keep the mode: a script stays executable. */
    if (seen)
        (void)fchmod(t->fd, seen->st_mode & 0777);
    rc = fs_temp_publish(t, parent, base, seen != NULL);
    if (rc < 0 && errno == EEXIST && !workspace_is_taken(parent, base))
        errno = EBUSY;
    return rc;
}

/* ---- access ------------------------------------------------------------- */

/* Open a directory relative to the root; create it with `make`. */
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

static quire_status open_failed(struct workspace *s, const char *name,
                                quire_error *err)
{
    if (errno == ENOENT)
        return QUIRE_NOT_FOUND;
    return err_sys(err, errno, "cannot open %s/%s", s->c.root, name);
}

/* Clear the baseline before an empty directory is created: otherwise each file
 * missing in it would count as removed by the user. */
static quire_status clear_baseline(struct workspace *s, quire_error *err)
{
    int64_t session;
    quire_status st = workspace_session(s, &session, err);

    return st || !session ? st : baseline_clear(s, session, err);
}

/* A lock may be granted on a directory that was unlinked and replaced
 * meanwhile. */
static bool is_unlinked(int dir)
{
    struct stat st;

    return !fstat(dir, &st) && st.st_nlink == 0;
}

static quire_status lock_session_dir(struct workspace *s, bool make,
                                     struct workspace_access *v,
                                     quire_error *err)
{
    quire_status st;
    bool made;

    do {
        if (v->around >= 0)
            close(v->around);
        v->around = open_dir(s, s->around, make, &made);
        if (v->around < 0)
            return open_failed(s, s->around, err);
        st = fs_lock(v->around, FS_EXCLUSIVE, s->c.busy_ms, err);
    } while (!st && is_unlinked(v->around));
    if (st == QUIRE_BUSY) {
        err_fail(err, st, "try again in a moment",
                 "the workspace of session %.60s is in use", s->c.key);
    }
    return st;
}

quire_status workspace_access_begin(struct workspace *s,
                                    enum workspace_scope scope, unsigned flags,
                                    struct workspace_access *v,
                                    quire_error *err)
{
    bool make = flags & ACCESS_MAKE, made;
    quire_status st = QUIRE_OK;

    *v = (struct workspace_access){.around = -1, .dir = -1};
    if (flags & ACCESS_LOCK)
        st = lock_session_dir(s, make, v, err);
    if (!st) {
        v->dir = open_dir(s, s->names[scope], false, &made);
        if (v->dir < 0 && errno == ENOENT && make) {
            if (scope == WORKSPACE_ARTIFACT)
                st = clear_baseline(s, err);
            if (!st)
                v->dir = open_dir(s, s->names[scope], true, &v->fresh);
        }
        if (!st && v->dir < 0)
            st = open_failed(s, s->names[scope], err);
    }
    if (st)
        workspace_access_end(v);
    return st;
}

void workspace_access_end(struct workspace_access *v)
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
    struct workspace_access v;
    quire_status st = workspace_access_begin(s, WORKSPACE_SCRATCH, ACCESS_MAKE,
                                             &v, err);

    if (st)
        return st;
    workspace_access_end(&v);
    st = workspace_access_begin(s, WORKSPACE_ARTIFACT,
                                ACCESS_MAKE | ACCESS_LOCK, &v, err);
    if (!st && v.fresh)
        st = sync_all(s, &v, &how, &report, err);
    workspace_access_end(&v);
    return st;
}

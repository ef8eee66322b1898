/*
 * access.c - open the directories of a workspace for one operation
 *
 * Each access opens the directory again. A session and its directories can be
 * removed while a handle is open, and a write must not go to a directory that
 * has been unlinked.
 *
 * A removal deletes the session's row, then its directories, then its file. An
 * access that creates directories asks for the session when they are open: if
 * the session exists then, a removal that begins later finds the directories,
 * and a file cannot be created in one that it has removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fs.h"
#include "workspace/priv.h"

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
        v->around = workspace_open_dir(s, s->around, make, &made);
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

/* Refuse to write for a session that no longer exists, and remove directories
 * that are empty: this access may have created them. */
static quire_status check_session(struct workspace *s,
                                  enum workspace_scope scope, quire_error *err)
{
    quire_status st = s->c.callbacks.exists(s->c.callbacks.ctx, err);

    if (st == QUIRE_NOT_FOUND && !workspace_is_built_in(s->c.key)) {
        unlinkat(s->root, s->names[scope], AT_REMOVEDIR);
        unlinkat(s->root, s->around, AT_REMOVEDIR);
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
        v->dir = workspace_open_dir(s, s->names[scope], false, &made);
        if (v->dir < 0 && errno == ENOENT && make) {
            if (scope == WORKSPACE_ARTIFACT)
                st = clear_baseline(s, err);
            if (!st)
                v->dir = workspace_open_dir(s, s->names[scope], true,
                                            &v->fresh);
        }
        if (!st && v->dir < 0)
            st = open_failed(s, s->names[scope], err);
    }
    if (!st && make)
        st = check_session(s, scope, err);
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

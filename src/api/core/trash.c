/*
 * trash.c - moving the files of sessions into the trash and back
 *
 * What belongs to a session keeps its name, below a directory of its own:
 *
 *     sessions/--w--/<name>.jsonl     trash/12/sessions/--w--/<name>.jsonl
 *     sessions/--w--/<name>/          trash/12/sessions/--w--/<name>/
 *     artifacts/sessions/<id>/        trash/12/artifacts/sessions/<id>/
 *
 *   (1) The row of the entry is durable before a file moves, and says which way.
 *       While files move the session counts as about to be removed
 *       (removal_is_pending()): nothing is added to it, and nothing of it is an
 *       orphan.
 *   (2) Its file moves last, both ways. So a session that is listed has all its
 *       files, and what is still to be moved is found by the name of the file.
 *   (3) After a crash the next writer of the home completes the move. A process
 *       that is at work holds the file.
 */
#include "api/core/trash.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/core/removals.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "session/session.h"
#include "workspace/workspace.h"

void trash_dir(const struct trash_entry *e, char out[TRASH_DIR_SIZE])
{
    snprintf(out, TRASH_DIR_SIZE, "trash/%lld", (long long)e->id);
}

const char *trash_name(const struct trash_entry *e, struct arena *keep)
{
    return arena_printf(keep, "trash/%lld/%s", (long long)e->id, e->name);
}

const char *trash_workspace(const struct trash_entry *e, struct arena *keep)
{
    if (!e->session || !workspace_is_id(e->key))
        return NULL;
    return e->tenant == TENANT_DEFAULT
               ? arena_printf(keep, "artifacts/sessions/%s", e->key)
               : arena_printf(keep, "tenants/%lld/artifacts/sessions/%s",
                              (long long)e->tenant, e->key);
}

/* One move. */
struct moving {
    struct quire *q;
    struct store *home;
    const struct trash_entry *e;
    struct arena tmp;
};

/* The name in the trash of a name in the home. */
static const char *name_in_trash(struct moving *m, const char *name)
{
    return arena_printf(&m->tmp, "trash/%lld/%s", (long long)m->e->id, name);
}

/* Move what is called `name` in the home. It may be moved, or never have been. */
static quire_status move_one(struct moving *m, const char *name,
                             quire_error *err)
{
    const char *away = name_in_trash(m, name);
    bool going = m->e->state == TRASH_GOING;
    const char *from = going ? name : away, *to = going ? away : name;
    quire_status st = away ? directory_rename(m->home->dirs, from, to, err)
                           : err_memory(err);

    if (st == QUIRE_EXISTS)
        err_set(err, st, "%s/%s already exists", m->q->home, to);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* The originals that a repair kept lie beside the file, on the side it comes
 * from. */
static quire_status move_backup(void *ctx, const char *name,
                                const struct object_info *info,
                                quire_error *err)
{
    struct moving *m = ctx;
    char dir[TRASH_DIR_SIZE];
    size_t len;

    (void)info;
    trash_dir(m->e, dir);
    len = strlen(dir);
    if (!strncmp(name, dir, len) && name[len] == '/')
        name += len + 1;
    return move_one(m, name, err);
}

static quire_status move_backups(struct moving *m, quire_error *err)
{
    const char *file = m->e->state == TRASH_GOING ? m->e->name
                                                  : trash_name(m->e, &m->tmp);

    return file ? session_each_backup(m->home, file, move_backup, m, err)
                : err_memory(err);
}

/* Rows are hidden, and files move, while no writer compares both. */
quire_status trash_hold_workspace(struct quire *q, const struct trash_entry *e,
                                  int wait_ms, int *held, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct moving m = {.q = q, .e = e, .tmp = ARENA_INIT};
    const char *name = trash_workspace(e, &tmp);
    quire_status st;
    int home;

    *held = -1;
    if (name && e->state != TRASH_GOING)
        name = name_in_trash(&m, name);
    st = name ? fs_open_dir(q->home, false, &home, err) : QUIRE_OK;
    if (!st && name) {
        *held = fs_open_beneath(home, name, O_RDONLY | O_DIRECTORY, 0);
        close(home);
    }
    if (*held >= 0)
        st = fs_lock(*held, FS_EXCLUSIVE, wait_ms, err);
    if (st == QUIRE_BUSY)
        err_fail(err, st, "try again when it has finished",
                 "another process is working in %s/%s", q->home, name);
    if (st && *held >= 0) {
        close(*held);
        *held = -1;
    }
    arena_release(&m.tmp);
    arena_release(&tmp);
    return st;
}

/* All but the file. */
static quire_status move_parts(struct moving *m, quire_error *err)
{
    const char *outputs = session_outputs_dir(m->e->name, &m->tmp);
    const char *workspace = trash_workspace(m->e, &m->tmp);
    quire_status st = workspace ? move_one(m, workspace, err) : QUIRE_OK;

    if (!st)
        st = outputs ? move_one(m, outputs, err) : err_memory(err);
    return st ? st : move_backups(m, err);
}

/* Outputs are numbered under the lock of the directory that a session is in. A
 * directory that does not exist has none. */
static quire_status move_files(struct moving *m, quire_error *err)
{
    struct lease_store *leases = m->home->leases;
    const char *from = m->e->state == TRASH_GOING ? m->e->name
                                                  : trash_name(m->e, &m->tmp);
    quire_error why = {0};
    quire_status st, locked;

    if (!from)
        return err_memory(err);
    locked = session_lock_dir(m->q, m->home, from, &m->tmp, &why);
    if (locked && locked != QUIRE_NOT_FOUND) {
        if (err)
            *err = why;
        return locked;
    }
    st = move_parts(m, err);
    if (!st)
        st = move_one(m, m->e->name, err);
    if (!locked)
        lease_unlock_dir(leases);
    return st;
}

/* Nothing is left in the directory but empty ones. */
static void remove_dir(struct moving *m)
{
    char dir[TRASH_DIR_SIZE];
    int home;

    trash_dir(m->e, dir);
    if (fs_open_dir(m->q->home, false, &home, NULL))
        return;
    fs_remove_tree(home, dir); /* what stays is empty */
    close(home);
}

quire_status trash_move(struct quire *q, const struct trash_entry *e,
                        quire_error *err)
{
    struct moving m = {.q = q, .e = e, .tmp = ARENA_INIT};
    quire_status st = need_home(q, &m.home, err);

    /* A collection that scans the target first and the source later would miss
     * the references. */
    if (!st)
        st = hold_blobs(q, err);
    if (!st) {
        st = move_files(&m, err);
        release_blobs(q);
    }
    if (!st)
        st = trash_settle(&q->catalog, e, err);
    if (!st && e->state == TRASH_LEAVING)
        remove_dir(&m);
    arena_release(&m.tmp);
    return st;
}

/* A file that is held is being moved by another process. */
static void finish_one(struct quire *q, struct store *home,
                       const struct trash_entry *e, struct arena *tmp)
{
    int workspace = -1;
    const char *away = trash_name(e, tmp);
    const char *from = e->state == TRASH_GOING ? e->name : away;
    const char *to = e->state == TRASH_GOING ? away : e->name;
    struct log *held = NULL;
    quire_status st = away ? session_hold(home->logs, from, 0, &held, NULL)
                           : QUIRE_NO_MEMORY;

    if (st == QUIRE_NOT_FOUND)
        st = session_hold(home->logs, to, 0, &held, NULL);
    if ((!st || st == QUIRE_NOT_FOUND) &&
        !trash_hold_workspace(q, e, 0, &workspace, NULL))
        trash_move(q, e, NULL);
    if (workspace >= 0)
        close(workspace);
    if (held)
        log_close(held);
}

void trash_finish(struct quire *q)
{
    struct arena tmp = ARENA_INIT;
    struct trash_list list;
    struct store *home;
    size_t i;

    if (!trash_moving(&q->catalog, &tmp, &list, NULL) && list.n > 0 &&
        !db_settle(q->catalog.db, NULL) && !need_home(q, &home, NULL))
        for (i = 0; i < list.n; i++)
            finish_one(q, home, &list.entries[i], &tmp);
    arena_release(&tmp);
}

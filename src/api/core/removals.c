/*
 * removals.c - removing the files of sessions, workspaces and tenants
 *
 * Rows are deleted and the names of their files recorded in one transaction; then
 * the files are removed, then the record. After a crash in between the next
 * writer of the home finishes what is recorded.
 *
 *   (1) Files are removed only after the deletion of their rows is durable: rows
 *       that a power cut restores must find their files.
 *   (2) A session file that has changed since it was recorded stays. The
 *       directory of a tenant or a workspace is removed only if it has no row.
 *   (3) A removal that fails stays recorded. It fails the call that removes the
 *       session, but not a later one that finishes it. Names are relative to
 *       the home, so that a handle of any tenant can finish it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/core/removals.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "output/dir.h"
#include "session/session.h"
#include "workspace/workspace.h"

/* ---- names --------------------------------------------------------------- */

/* The directory of a session's file, in the arena. */
static const char *dir_of(const char *name, struct arena *tmp)
{
    const char *slash = strrchr(name, '/');

    return slash ? arena_text(tmp, bytes_of(name, (size_t)(slash - name))) : "";
}

bool session_is_output(const char *name)
{
    return output_dir_is_output(strrchr(name, '/') + 1);
}

/* ---- a session ----------------------------------------------------------- */

/* The originals that repair keeps: "<name>.<anything>.bak", beside it. */
struct backups {
    const char *base;
    size_t len;
    const char *dir;
    quire_status (*each)(void *ctx, const char *name,
                         const struct object_info *info, quire_error *err);
    void *ctx;
};

static quire_status match_backup(void *ctx, const char *name,
                                 const struct object_info *info,
                                 quire_error *err)
{
    struct backups *b = ctx;
    size_t len = strlen(name);
    char *whole = NULL;
    quire_status st;

    if (!info || len < b->len + 5 || strncmp(name, b->base, b->len) != 0 ||
        name[b->len] != '.' || strcmp(name + len - 4, ".bak") != 0)
        return QUIRE_OK;
    if (asprintf(&whole, "%s%s%s", b->dir, *b->dir ? "/" : "", name) < 0)
        return err_memory(err);
    st = b->each(b->ctx, whole, info, err);
    free(whole);
    return st;
}

quire_status session_each_backup(struct store *store, const char *name,
                                 object_each_fn each, void *ctx,
                                 quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *slash = strrchr(name, '/');
    struct backups b = {.each = each, .ctx = ctx};
    quire_status st;

    b.base = slash ? slash + 1 : name;
    b.len = strlen(b.base);
    b.dir = dir_of(name, &tmp);
    st = b.dir ? directory_scan(store->dirs, b.dir, match_backup, &b, err)
               : err_memory(err);
    arena_release(&tmp);
    return st;
}

quire_status session_lock_dir(struct quire *q, struct store *store,
                              const char *name, struct arena *tmp,
                              quire_error *err)
{
    const char *dir = dir_of(name, tmp);
    quire_status st;

    if (!dir)
        return err_memory(err);
    st = lease_lock_dir(store->leases, dir, q->busy_ms, err);
    if (st == QUIRE_NOT_FOUND)
        err_set(err, st, "%s has been removed or moved", name);
    return st;
}

static quire_status remove_output(void *ctx, const char *name,
                                  const struct object_info *info,
                                  quire_error *err)
{
    struct store *store = ctx;
    quire_status st;

    (void)info;
    if (!session_is_output(name))
        return QUIRE_OK;
    st = object_remove(store->objects, name, err);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status remove_backup(void *ctx, const char *name,
                                  const struct object_info *info,
                                  quire_error *err)
{
    struct store *store = ctx;
    quire_status st = log_remove(store->logs, name, err);

    (void)info;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status clear_outputs(const struct session_location *p,
                                  const char *dir, quire_error *err)
{
    struct store *store = p->store;

    if (p->in_home)
        return object_clear(store->objects, dir, err);
    return object_list(store->objects, dir, remove_output, store, err);
}

quire_status session_remove_files(const struct session_location *p,
                                  struct arena *tmp, quire_error *err)
{
    const char *outputs = session_outputs_dir(p->name, tmp);
    quire_status st;

    /* Outputs first: a session without outputs can be removed again, outputs
     * without a session could not be found. */
    st = outputs ? clear_outputs(p, outputs, err) : err_memory(err);
    if (!st)
        st = session_each_backup(p->store, p->name, remove_backup, p->store,
                                 err);
    if (!st)
        st = log_remove(p->store->logs, p->name, err);
    if (st == QUIRE_NOT_FOUND)
        err_set(err, st, "%s has been removed or moved", p->name);
    return st;
}

/* Whether a recorded removal still describes the file. */
static bool is_as_recorded(struct store *home, const struct removal *file)
{
    struct object_info info;

    return !log_stat(home->logs, file->name, &info, NULL) &&
           info.size == file->size && info.modified_ns == file->modified_ns;
}

/* Whether a name in the home can be a session's, of any tenant. */
static bool is_session_name(const char *name)
{
    int64_t tenant;

    name = tenants_skip(name, &tenant);
    return !strncmp(name, "sessions/", 9) ||
           !strncmp(name, "archive/sessions/", 17);
}

/* Finish one recorded removal. Its process has died, or is at work and holds the
 * lock. A file that has changed since stays. */
static void finish_session(struct quire *q, struct store *home,
                           const struct removal *file, struct arena *tmp)
{
    struct session_location p = {.store = home, .in_home = true};
    struct log *held = NULL;
    quire_status st;

    p.name = arena_text(tmp, bytes_str(file->name));
    if (!p.name || !is_session_name(p.name))
        return;
    st = session_hold(p.store->logs, p.name, 0, &held, NULL);
    if (st == QUIRE_BUSY)
        return;
    if (!st && is_as_recorded(home, file))
        st = session_lock_dir(q, p.store, p.name, tmp, NULL);
    else if (!st)
        st = QUIRE_CHANGED;
    if (!st) {
        st = session_remove_files(&p, tmp, NULL);
        lease_unlock_dir(p.store->leases);
    }
    if (held)
        log_close(held);
    if (!st || st == QUIRE_NOT_FOUND || st == QUIRE_CHANGED)
        removal_done(&q->catalog, file->name, NULL);
}

/* ---- a workspace, a tenant ----------------------------------------------- */

const char *workspaces_dir(struct quire *q, const char *key, struct arena *keep)
{
    const char *name;

    if (!workspace_is_id(key))
        return NULL;
    name = arena_printf(keep, "artifacts/sessions/%s", key);
    return name ? session_name_from_home(q, name, keep) : NULL;
}

quire_status removal_finish_workspace(struct quire *q, const char *tree,
                                      bool *is, quire_error *err)
{
    static const char before[] = "artifacts/sessions/";
    int64_t tenant;
    const char *name = tenants_skip(tree, &tenant);
    const char *key = name + sizeof before - 1;
    struct session_row owner;
    quire_status st;
    int home;

    *is = !strncmp(name, before, sizeof before - 1) && workspace_is_id(key);
    if (!*is)
        return QUIRE_OK;
    if (tenant == 0)
        tenant = TENANT_DEFAULT;
    st = session_row_find(&q->catalog, tenant, key, &owner, err);
    if (st != QUIRE_NOT_FOUND)
        return st;
    st = fs_open_dir(q->home, false, &home, err);
    if (st)
        return st;
    if (fs_remove_tree(home, tree) < 0)
        st = err_sys(err, errno, "cannot remove all of %s/%s", q->home, tree);
    close(home);
    return st ? st : removal_done(&q->catalog, tree, err);
}

void tenants_dir(int64_t id, char out[TENANT_DIR_SIZE])
{
    snprintf(out, TENANT_DIR_SIZE, "tenants/%" PRId64, id);
}

quire_status removal_finish_tree(struct quire *q, struct store *home,
                                 const char *dir, quire_error *err)
{
    quire_status st = db_settle(q->catalog.db, err);

    if (!st)
        st = object_clear(home->objects, dir, err);
    return st ? st : removal_done(&q->catalog, dir, err);
}

/* "trash/12", of an entry that has no row any more. */
static bool is_trash(const char *name)
{
    const char *id = name + strlen("trash/");

    return !strncmp(name, "trash/", 6) && *id &&
           id[strspn(id, "0123456789")] == '\0';
}

static void finish_tenant(struct quire *q, struct store *home,
                          const struct removal *tree)
{
    struct arena tmp = ARENA_INIT;
    char dir[TENANT_DIR_SIZE];
    quire_tenant t = {.id = 0};
    int64_t id;

    tenants_skip(tree->name, &id);
    tenants_dir(id, dir);
    /* Only "tenants/12" is accepted from a recorded removal. */
    if (id > TENANT_DEFAULT && !strcmp(dir, tree->name) &&
        tenant_by_id(&q->catalog, id, &tmp, &t, NULL) == QUIRE_NOT_FOUND)
        removal_finish_tree(q, home, dir, NULL);
    arena_release(&tmp);
}

/* ---- all that is recorded ------------------------------------------------ */

void finish_removals(struct quire *q)
{
    struct arena tmp = ARENA_INIT;
    struct store *home;
    struct removal *files;
    size_t i, n = 0;

    /* A record may be visible before it is durable; files are removed after. */
    if (!removal_list(&q->catalog, &tmp, &files, &n, NULL) && n > 0 &&
        !db_settle(q->catalog.db, NULL) && !need_home(q, &home, NULL)) {
        for (i = 0; i < n; i++) {
            bool is = true;

            if (files[i].size != REMOVAL_TREE)
                finish_session(q, home, &files[i], &tmp);
            else if (is_trash(files[i].name))
                removal_finish_tree(q, home, files[i].name, NULL);
            else
                removal_finish_workspace(q, files[i].name, &is, NULL);
            if (!is)
                finish_tenant(q, home, &files[i]);
        }
    }
    arena_release(&tmp);
}

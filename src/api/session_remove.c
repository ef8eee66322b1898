/*
 * session_remove.c - remove a session with its files
 *
 * Outputs are removed before the session, because they are found through it.
 */
#include "api/session_remove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/core/removals.h"
#include "api/core/reserve.h"
#include "api/transaction.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/walk.h"

/* ---- locks --------------------------------------------------------------- */

quire_status session_hold_place(struct quire *q,
                                const struct session_location *p,
                                struct log **out, quire_error *err)
{
    quire_status st = session_hold(p->store->logs, p->name, q->busy_ms, out,
                                   err);

    if (st == QUIRE_NOT_FOUND)
        err_set(err, st, "%s has been removed or moved", p->name);
    return st;
}

quire_status session_lock_theirs(struct quire *q, const char *name,
                                 struct omp_lock *out, quire_error *err)
{
    char *path = NULL;
    quire_status st;

    if (q->kind != QUIRE_KIND_OMP)
        return QUIRE_OK;
    if (asprintf(&path, "%s/%s", store_place(q->all), name) < 0)
        return err_memory(err);
    st = omp_lock_acquire(path, q->busy_ms, out, err);
    free(path);
    return st;
}

/* ---- gone ---------------------------------------------------------------- */

/* Outside the home a file is removed only if it is a session: other files are
 * called .jsonl too, with directories of their name beside them. */
static quire_status
check_ours(struct quire *q, const struct session_location *p, quire_error *err)
{
    struct session_env env = sessions_env(q, false);
    struct session_place place = {.store = p->store, .name = p->name};
    quire_session *s;
    quire_status st;

    if (p->in_home)
        return QUIRE_OK;
    st = session_open(&env, &place, NULL, QUIRE_SESSION_READ, QUIRE_SYNC_NONE,
                      &s, err);
    if (!st)
        quire_session_close(s);
    return st;
}

/* Whether another file has the same id: a copy of the file. */
static bool is_shared(struct quire *q, const struct session_location *p,
                      const char *key, struct arena *tmp)
{
    struct session_location other;
    quire_status st = session_lookup(q, key, tmp, &other, NULL);
    bool shared = st == QUIRE_INVALID ||
                  (!st && strcmp(other.name, p->name) != 0);

    session_location_release(&other);
    return shared;
}

quire_status session_key_to_remove(struct quire *q,
                                   const struct session_location *p,
                                   struct arena *tmp, const char **key,
                                   quire_error *err)
{
    quire_error why;
    quire_status st = session_location_key(p, tmp, key, &why);

    if (st == QUIRE_NO_MEMORY || st == QUIRE_IO) {
        if (err)
            *err = why;
        return st;
    }
    if (st || is_shared(q, p, *key, tmp))
        *key = "";
    return QUIRE_OK;
}

/* Delete the row of a session and record the removal of its files under the name
 * `noted`. Its directory is locked. *dir is its workspace, NULL: none. */
static quire_status forget(struct quire *q, const struct session_location *p,
                           const char *noted, struct arena *tmp,
                           const char **dir, quire_error *err)
{
    struct removal file = {.name = noted};
    struct object_info info;
    const char *key;
    quire_status st = log_stat(p->store->logs, p->name, &info, err);

    if (st == QUIRE_NOT_FOUND)
        return err_set(err, st, "%s has been removed or moved", p->name);
    if (!st)
        st = session_key_to_remove(q, p, tmp, &key, err);
    if (st)
        return st;
    file.size = info.size;
    file.modified_ns = info.modified_ns;
    *dir = workspaces_dir(q, key, tmp);
    st = session_row_remove(&q->catalog, q->tenant, key, &file, *dir, err);
    return st ? st : db_settle(q->catalog.db, err);
}

/* Remove the files of a session whose directory is locked, all that can be. */
static quire_status remove_held(struct quire *q,
                                const struct session_location *p,
                                const char *noted, struct arena *tmp,
                                quire_error *err)
{
    const char *dir = NULL;
    quire_error why;
    bool is;
    quire_status left = QUIRE_OK, st = QUIRE_OK;

    if (noted)
        st = forget(q, p, noted, tmp, &dir, err);
    if (!st && dir)
        left = removal_finish_workspace(q, dir, &is, &why);
    if (!st)
        st = session_remove_files(p, tmp, err);
    if (!st && noted)
        st = removal_done(&q->catalog, noted, err);
    if (!st && left) {
        err_next(&why, "the session is removed; the next command that writes "
                       "tries again to remove these files");
        if (err)
            *err = why;
        st = left;
    }
    return st;
}

/* Whether there is a catalogue that may know of the session. */
static bool is_catalogued(const struct quire *q,
                          const struct session_location *p)
{
    return p->in_home && q->kind == QUIRE_KIND_NATIVE && catalog_exists(q);
}

quire_status quire_session_remove(quire *q, const char *which, quire_error *err)
{
    struct omp_lock theirs = OMP_LOCK_INIT;
    struct arena tmp = ARENA_INIT;
    struct log *held = NULL;
    struct session_location p = {0};
    const char *noted = NULL; /* relative to the home */
    quire_status st;

    reserve_release(q);
    st = sessions_may_write(q, err);
    if (!st)
        st = transaction_check_none(q, "removal of a session", err);
    if (!st)
        st = session_lookup(q, which, &tmp, &p, err);
    if (!st)
        st = check_ours(q, &p, err);
    if (!st)
        st = session_hold_place(q, &p, &held, err);
    /* Checks that can refuse come first, before anything is removed. */
    if (!st && p.in_home)
        st = session_lock_theirs(q, p.name, &theirs, err);
    if (!st && is_catalogued(q, &p)) {
        noted = session_name_from_home(q, p.name, &tmp);
        st = noted ? need_artifacts(q, true, err) : err_memory(err);
    }
    if (!st)
        st = session_lock_dir(q, p.store, p.name, &tmp, err);
    if (!st) {
        st = remove_held(q, &p, noted, &tmp, err);
        lease_unlock_dir(p.store->leases);
    }
    omp_lock_release(&theirs);
    if (held)
        log_close(held);
    session_location_release(&p);
    arena_release(&tmp);
    return st;
}

/* ---- what a removal takes along ------------------------------------------ */

struct removal_list {
    struct quire *q;
    struct store *store;
    const char *place; /* directory that names are relative to */
    bool only_outputs; /* files that are no outputs stay */
    quire_removal_fn each;
    void *ctx;
};

static quire_status list_file(struct removal_list *l, const char *name,
                              uint64_t size, quire_error *err)
{
    char *path = NULL;
    quire_status st;

    if (asprintf(&path, "%s/%s", l->place, name) < 0)
        return err_memory(err);
    st = l->each(l->ctx, path, NULL, size, err);
    free(path);
    return st;
}

static quire_status list_object(void *ctx, const char *name,
                                const struct object_info *info,
                                quire_error *err)
{
    struct removal_list *l = ctx;

    return l->only_outputs && !session_is_output(name)
               ? QUIRE_OK
               : list_file(l, name, info->size, err);
}

static quire_status list_work_file(void *ctx, const char *name,
                                   const struct stat *st, quire_error *err)
{
    return list_file(ctx, name, (uint64_t)st->st_size, err);
}

static quire_status list_artifact(void *ctx, const quire_artifact *a,
                                  quire_error *err)
{
    struct removal_list *l = ctx;
    char *row = NULL;
    quire_status st;

    if (asprintf(&row, "artifact #%lld %s", (long long)a->id, a->path) < 0)
        return err_memory(err);
    st = l->each(l->ctx, NULL, row, a->size, err);
    free(row);
    return st;
}

/* The file, its outputs, and originals that a repair kept. */
static quire_status list_session(struct removal_list *l,
                                 const struct session_location *p,
                                 struct arena *tmp, quire_error *err)
{
    const char *outputs = session_outputs_dir(p->name, tmp);
    struct store *store = p->store;
    struct object_info info;
    quire_status st = outputs ? log_stat(store->logs, p->name, &info, err)
                              : err_memory(err);

    l->place = store_place(store);
    if (!st)
        st = list_file(l, p->name, info.size, err);
    l->only_outputs = !p->in_home;
    if (!st)
        st = object_list(store->objects, outputs, list_object, l, err);
    l->only_outputs = false;
    return st ? st : session_each_backup(store, p->name, list_object, l, err);
}

/* Workspace files and artifacts, soft-deleted ones too. */
static quire_status list_rows(struct removal_list *l,
                              const struct session_location *p,
                              struct arena *tmp, quire_error *err)
{
    struct artifact_range range = {.tenant = l->q->tenant};
    struct session_row owner;
    const char *key, *dir;
    int home;
    quire_status st = session_key_to_remove(l->q, p, tmp, &key, err);

    if (st || !*key)
        return st;
    dir = workspaces_dir(l->q, key, tmp);
    if (dir)
        st = fs_open_dir(l->q->home, false, &home, err);
    if (!st && dir) {
        l->place = l->q->home;
        st = walk_files(home, l->q->home, dir, list_work_file, l, err);
        close(home);
    }
    if (!st)
        st = session_row_find(&l->q->catalog, range.tenant, key, &owner, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    range.session = owner.session;
    st = artifact_list(l->q->artifacts, &range, list_artifact, l, err);
    range.deleted = true;
    return st ? st
              : artifact_list(l->q->artifacts, &range, list_artifact, l, err);
}

quire_status quire_session_removal(quire *q, const char *which,
                                   quire_removal_fn each, void *ctx,
                                   quire_error *err)
{
    struct removal_list l = {.q = q, .each = each, .ctx = ctx};
    struct arena tmp = ARENA_INIT;
    struct session_location p = {0};
    quire_status st = check_free(q, err);

    if (!st)
        st = session_lookup(q, which, &tmp, &p, err);
    if (!st)
        st = check_ours(q, &p, err);
    if (!st)
        st = list_session(&l, &p, &tmp, err);
    if (!st && is_catalogued(q, &p)) {
        st = need_artifacts(q, false, err);
        st = st ? st : list_rows(&l, &p, &tmp, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    session_location_release(&p);
    arena_release(&tmp);
    return st;
}

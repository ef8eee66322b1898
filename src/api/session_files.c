/*
 * session_files.c - move and archive a session with its files
 *
 * A session is a file, and a directory of outputs beside it. An operation covers
 * both: if the second half of a move fails the first is undone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "api/core/removals.h"
#include "api/session.h"
#include "api/session_remove.h"
#include "api/transaction.h"
#include "catalog/import_ledger.h"

/* ---- files that belong together ----------------------------------------- */

struct file_walk {
    struct store *store;
    quire_text_fn each;
    void *ctx;
};

static quire_status emit_file(void *ctx, const char *name,
                              const struct object_info *info, quire_error *err)
{
    struct file_walk *w = ctx;
    char *path = NULL;
    quire_status st;

    (void)info;
    if (asprintf(&path, "%s/%s", store_place(w->store), name) < 0)
        return err_memory(err);
    st = w->each(w->ctx, path, err);
    free(path);
    return st;
}

quire_status quire_session_files(quire_session *s, quire_text_fn each,
                                 void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct file_walk w = {session_store(s), each, ctx};
    const char *name = session_name(s);
    const char *outputs = session_outputs_dir(name, &tmp);
    quire_session_info info;
    quire_status st = outputs ? QUIRE_OK : err_memory(err);

    quire_session_describe(s, &info);
    if (!st && info.path)
        st = emit_file(&w, name, NULL, err);
    if (!st)
        st = object_list(w.store->objects, outputs, emit_file, &w, err);
    if (!st)
        st = session_each_backup(w.store, name, emit_file, &w, err);
    arena_release(&tmp);
    return st;
}

static quire_status rename_both(struct quire *q, const char *from,
                                const char *to, struct arena *tmp,
                                quire_error *err)
{
    const char *from_dir = session_outputs_dir(from, tmp),
               *to_dir = session_outputs_dir(to, tmp);
    struct store *all = q->all;
    quire_error why = {0};
    quire_status st;
    bool outputs;

    if (!from_dir || !to_dir)
        return err_memory(err);
    /* Outputs first: after a crash in between, moving again completes it. */
    st = directory_rename(all->dirs, from_dir, to_dir, &why);
    outputs = !st;
    if (st == QUIRE_EXISTS)
        err_set(&why, st, "%s/%s already exists", q->root, to_dir);
    if (!st || st == QUIRE_NOT_FOUND) { /* most have none */
        st = log_rename(all->logs, from, to, &why);
        if (st == QUIRE_EXISTS)
            err_set(&why, st, "%s/%s already exists", q->root, to);
        else if (st == QUIRE_NOT_FOUND)
            err_set(&why, st, "%s/%s has been removed or moved", q->root, from);
        if (st && outputs &&
            directory_rename(all->dirs, to_dir, from_dir, NULL))
            err_next(&why,
                     "its outputs are now in %s/%s; move them back by "
                     "hand",
                     q->root, to_dir);
    }
    if (st && err)
        *err = why;
    return st;
}

/* Rename a session and its outputs in the home: both or neither. */
static quire_status move_both(struct quire *q, const char *from, const char *to,
                              struct arena *tmp, quire_error *err)
{
    struct omp_lock theirs = OMP_LOCK_INIT;
    struct store *all = q->all;
    /* A collection that scans the target first and the source later would
     * miss it. */
    quire_status st = hold_blobs(q, err);

    if (st)
        return st;
    st = session_lock_theirs(q, from, &theirs, err);
    if (!st)
        st = session_lock_dir(q, all, from, tmp, err);
    if (!st) {
        st = rename_both(q, from, to, tmp, err);
        lease_unlock_dir(all->leases);
    }
    omp_lock_release(&theirs);
    release_blobs(q);
    return st;
}

/* ---- move ---------------------------------------------------------------- */

static quire_status find_in_home(struct quire *q, const char *which,
                                 struct arena *tmp, struct session_location *p,
                                 quire_error *err)
{
    quire_status st = sessions_may_write(q, err);

    if (!st)
        st = session_lookup(q, which, tmp, p, err);
    if (st || p->in_home)
        return st;
    session_location_release(p);
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL "`quire session fork` brings a copy of it here",
                    "%s does not lie in %s", which, q->root);
}

/* Where a session of the home goes when it belongs to `cwd`. */
static quire_status plan_move(struct quire *q, const char *name,
                              const char *cwd, struct arena *tmp,
                              const char **abs, const char **to,
                              quire_error *err)
{
    const char *dir;

    *abs = absolute_cwd(cwd, tmp);
    dir = *abs ? session_dir_of_cwd(q, *abs, tmp) : NULL;
    *to = dir ? arena_printf(tmp, "%s%s", dir, strrchr(name, '/')) : NULL;
    return *to ? QUIRE_OK : err_memory(err);
}

/* The main file of an imported session, as the ledger has it. */
struct imported {
    struct arena *keep;
    bool found;
    quire_import_file row;
    uint64_t size; /* of the session file, before it is changed */
};

static quire_status take_main(void *ctx, const quire_import_file *f,
                              quire_error *err)
{
    struct imported *i = ctx;

    if (!f->is_main || i->found)
        return QUIRE_OK;
    i->found = true;
    i->row = *f;
    i->row.path = arena_text(i->keep, bytes_str(f->path));
    i->row.agent = arena_text(i->keep, bytes_str(f->agent));
    i->row.session = arena_text(i->keep, bytes_str(f->session));
    i->row.cwd = arena_text(i->keep, bytes_str(f->cwd));
    i->row.title = arena_text(i->keep, bytes_str(f->title));
    i->row.mark = arena_dup(i->keep, f->mark);
    if (!i->row.path || !i->row.agent || !i->row.session || !i->row.cwd ||
        !i->row.title || (f->mark.len > 0 && !i->row.mark.data))
        return err_memory(err);
    return QUIRE_OK;
}

static quire_status size_of(struct quire *q, const char *name, uint64_t *out,
                            quire_error *err)
{
    struct object_info info;
    struct log *log;
    quire_status st = log_open(q->all->logs, name, LOG_READ, &log, &info, err);

    if (st)
        return st;
    *out = info.size;
    log_close(log);
    return QUIRE_OK;
}

/* The ledger says how far the last import has written the session `name`, whose
 * header is about to change: until it has, it says that the session is being
 * written. After a crash in between, the next import writes it again. */
static quire_status begin_shift(struct quire *q, const char *id,
                                const char *name, struct imported *out,
                                quire_error *err)
{
    quire_status st;

    if (q->kind != QUIRE_KIND_NATIVE) /* nothing is imported there */
        return QUIRE_OK;
    st = need_own_rows(q, false, err);
    if (!st)
        st = import_list(&q->catalog, q->tenant, id, take_main, out, err);
    if (st || !out->found)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = transaction_check_none(q, "moving an imported session", err);
    if (!st)
        st = need_own_rows(q, true, err);
    if (!st)
        st = size_of(q, name, &out->size, err);
    return st ? st
              : import_writing(&q->catalog, q->tenant, out->row.path, 0, err);
}

/* What the session has grown by is its header. */
static quire_status end_shift(struct quire *q, const char *name,
                              struct imported *i, quire_error *err)
{
    struct import_update u = {.file = &i->row, .from = UINT64_MAX};
    uint64_t size;
    quire_status st;

    if (!i->found)
        return QUIRE_OK;
    st = size_of(q, name, &size, err);
    if (st)
        return st;
    if (i->row.settled_bytes > 0)
        i->row.settled_bytes += size - i->size;
    if (i->row.written_bytes != IMPORT_WRITING)
        i->row.written_bytes += size - i->size;
    return import_store(&q->catalog, q->tenant, &u, err);
}

/* The header first, then the files: the header says where a session belongs, so
 * an interrupted move leaves a usable session in an odd directory. */
static quire_status move_open(struct quire *q, quire_session *s,
                              const char *from, const char *to, const char *cwd,
                              struct arena *tmp, quire_error *err)
{
    struct imported imported = {.keep = tmp};
    quire_session_info info;
    const char *was, *id;
    quire_status st, ended;

    quire_session_describe(s, &info);
    was = arena_text(tmp, bytes_str(info.cwd));
    id = arena_text(tmp, bytes_str(info.id));
    st = was && id ? begin_shift(q, id, from, &imported, err) : err_memory(err);
    if (st)
        return st;
    st = session_rehome(s, cwd, err);
    if (!st && strcmp(from, to) != 0) {
        st = move_both(q, from, to, tmp, err);
        if (st)
            session_rehome(s, was, NULL);
    }
    ended = end_shift(q, st ? from : to, &imported, st ? NULL : err);
    return st ? st : ended;
}

quire_status quire_session_move(quire *q, const char *which, const char *cwd,
                                quire_session **out, quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct arena tmp = ARENA_INIT;
    const char *abs, *to;
    quire_session *s = NULL;
    struct session_location p = {0};
    quire_status st;

    *out = NULL;
    st = find_in_home(q, which, &tmp, &p, err);
    if (!st)
        st = plan_move(q, p.name, cwd, &tmp, &abs, &to, err);
    if (!st)
        st = session_open_location(q, &p, &o, &tmp, &s, err);
    if (!st)
        st = move_open(q, s, p.name, to, abs, &tmp, err);
    quire_session_close(s);
    if (!st)
        st = session_open_named(q, to, &tmp, out, err);
    arena_release(&tmp);
    return st;
}

/* ---- away, back ---------------------------------------------------------- */

static quire_status lend_path(struct quire *q, const char *name,
                              const char **path, quire_error *err)
{
    arena_reset(&q->loan);
    *path = arena_printf(&q->loan, "%s/%s", store_place(q->all), name);
    return *path ? QUIRE_OK : err_memory(err);
}

static quire_status set_archived(struct quire *q, const char *which, bool away,
                                 const char **path, quire_error *err)
{
    static const char archive[] = "archive/";
    struct arena tmp = ARENA_INIT;
    struct log *held = NULL;
    struct session_location p = {0};
    const char *to;
    quire_status st = find_in_home(q, which, &tmp, &p, err);

    if (!st && p.archived == away) {
        st = err_set(err, QUIRE_EXISTS, "session %.64s is %s", which,
                     away ? "in the archive already" : "not in the archive");
    }
    if (!st) {
        to = away ? arena_printf(&tmp, "%s%s", archive, p.name)
                  : p.name + strlen(archive);
        st = to ? session_hold_place(q, &p, &held, err) : err_memory(err);
        if (!st)
            st = move_both(q, p.name, to, &tmp, err);
        if (!st)
            st = lend_path(q, to, path, err);
    }
    if (held)
        log_close(held);
    session_location_release(&p);
    arena_release(&tmp);
    return st;
}

quire_status quire_session_archive(quire *q, const char *which,
                                   const char **path, quire_error *err)
{
    return set_archived(q, which, true, path, err);
}

quire_status quire_session_unarchive(quire *q, const char *which,
                                     const char **path, quire_error *err)
{
    return set_archived(q, which, false, path, err);
}

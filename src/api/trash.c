/* trash.c - the trash, as quire/keep.h has it */
#include "api/trash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/core/removals.h"
#include "api/core/reserve.h"
#include "api/core/trash.h"
#include "api/session_remove.h"
#include "api/transaction.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/opts.h"
#include "base/walk.h"

/* ---- into the trash -------------------------------------------------------- */

static quire_status add_bytes(void *ctx, const char *path, const char *row,
                              uint64_t bytes, quire_error *err)
{
    (void)path;
    (void)row;
    (void)err;
    *(uint64_t *)ctx += bytes;
    return QUIRE_OK;
}

/* Id and title of the header; of a file without one the id in its name. */
static quire_status read_header(const struct session_location *p,
                                struct trash_entry *e, struct arena *tmp,
                                quire_error *err)
{
    const char *base = strrchr(p->name, '/') + 1;
    struct list_meta meta = {.id = NULL};
    struct object_info info;
    struct log *file;
    quire_status st = log_open(p->store->logs, p->name, LOG_READ, &file, &info,
                               err);

    if (st)
        return st;
    st = list_read(file, info.size, tmp, &meta, err);
    log_close(file);
    e->key = meta.id ? meta.id
                     : arena_text(tmp, names_id_in_file(bytes_str(base)));
    e->title = meta.title ? meta.title : "";
    return st ? st : e->key ? QUIRE_OK : err_memory(err);
}

/* Record in the audit log which rule removes a session. */
static quire_status log_rule(struct quire *q, const struct trash_entry *e,
                             const char *rule, quire_error *err)
{
    char after[64];

    snprintf(after, sizeof after, "{\"rule\":\"%s\"}", rule);
    return audit_log_add(&q->catalog, "session.retain", e->tenant, e->key, NULL,
                         after, err);
}

/* Hide the rows and record the move: one durable transaction. */
static quire_status record_move(struct quire *q, struct trash_entry *e,
                                bool rows, const char *rule, quire_error *err)
{
    quire_status st = db_begin(q->catalog.db, DB_DURABLE, q->tenant, err);

    if (st)
        return st;
    st = trash_add(&q->catalog, e, rows, err);
    if (!st && rule)
        st = log_rule(q, e, rule, err);
    st = sql_end(q->catalog.db, st, err);
    return st ? st : db_settle(q->catalog.db, err);
}

/* The session is held. */
static quire_status trash_held(struct quire *q,
                               const struct session_location *p,
                               struct trash_entry *e, const char *rule,
                               struct arena *tmp, quire_error *err)
{
    const char *key;
    int workspace = -1;
    quire_status st = read_header(p, e, tmp, err);

    e->name = session_name_from_home(q, p->name, tmp);
    if (!st && !e->name)
        st = err_memory(err);
    if (!st)
        st = session_key_to_remove(q, p, tmp, &key, err);
    if (st)
        return st;
    e->session = *key ? 1 : 0; /* it will have a row */
    st = trash_hold_workspace(q, e, q->busy_ms, &workspace, err);
    if (!st)
        st = record_move(q, e, *key, rule, err);
    if (!st)
        st = trash_move(q, e, err);
    if (workspace >= 0)
        close(workspace);
    return st;
}

static quire_status refuse_trash(const char *which, quire_error *err)
{
    return err_fail(err, QUIRE_INVALID,
                    HINT_SHELL "`quire session rm --now` removes it for good",
                    "session %.100s is not in a home that has a trash", which);
}

/* Move a session of the home. */
static quire_status trash_found(struct quire *q, const char *which,
                                const struct session_location *p,
                                const char *rule, struct arena *tmp,
                                quire_error *err)
{
    struct trash_entry e = {.tenant = q->tenant, .state = TRASH_GOING};
    struct log *held = NULL;
    quire_status st = need_artifacts(q, true, err);

    if (!st)
        st = session_hold_place(q, p, &held, err);
    if (!st)
        st = quire_session_removal(q, which, add_bytes, &e.bytes, err);
    if (!st)
        st = trash_held(q, p, &e, rule, tmp, err);
    if (held)
        log_close(held);
    return st;
}

static quire_status trash_session(struct quire *q, const char *which,
                                  unsigned flags, const char *rule,
                                  int *trashed, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct session_location p = {0};
    bool has_trash;
    quire_status st;

    reserve_release(q);
    st = sessions_may_write(q, err);
    if (!st)
        st = transaction_check_none(q, "removal of a session", err);
    if (!st)
        st = session_lookup(q, which, &tmp, &p, err);
    has_trash = p.in_home && q->kind == QUIRE_KIND_NATIVE;
    if (trashed)
        *trashed = has_trash;
    if (!st && has_trash)
        st = trash_found(q, which, &p, rule, &tmp, err);
    session_location_release(&p);
    arena_release(&tmp);
    if (st || has_trash)
        return st;
    return flags & QUIRE_TRASH_OR_REMOVE ? quire_session_remove(q, which, err)
                                         : refuse_trash(which, err);
}

quire_status quire_session_trash(quire *q, const char *which, unsigned flags,
                                 int *trashed, quire_error *err)
{
    return trash_session(q, which, flags, NULL, trashed, err);
}

quire_status trash_by_rule(struct quire *q, const char *path, const char *rule,
                           quire_error *err)
{
    return trash_session(q, path, 0, rule, NULL, err);
}

/* ---- finding --------------------------------------------------------------- */

static quire_status report_several(const struct trash_list *list,
                                   const char *which, quire_error *err)
{
    size_t i;

    for (i = 1; i < list->n; i++)
        if (strcmp(list->entries[i].key, list->entries[0].key) != 0)
            return err_fail(err, QUIRE_INVALID,
                            HINT_SHELL "give more of the id; `quire trash ls` "
                                       "lists them",
                            "several sessions in the trash begin with %.64s, "
                            "such as %.40s and %.40s",
                            which, list->entries[0].key, list->entries[i].key);
    return QUIRE_OK;
}

/* The entry that `which` names, the last removed of several. */
static quire_status find_entry(struct quire *q, const char *which,
                               struct arena *keep, struct trash_entry *out,
                               quire_error *err)
{
    struct trash_list list = {NULL, 0, 0};
    int64_t number = 0;
    quire_status st = QUIRE_OK;
    size_t i;

    if (*which == '#' && !read_id(which + 1, &number))
        number = 0;
    if (*which)
        st = trash_find(&q->catalog, q->tenant, which, number, keep, &list,
                        err);
    for (i = 0; i < list.n; i++) /* the whole id is no prefix of another */
        if (!strcmp(list.entries[i].key, which)) {
            *out = list.entries[i];
            return st;
        }
    if (!st && list.n == 0)
        return err_fail(err, QUIRE_NOT_FOUND,
                        HINT_SHELL "`quire trash ls` lists the trash",
                        "no session %.100s in the trash", which);
    if (!st)
        st = report_several(&list, which, err);
    if (!st)
        *out = list.entries[0];
    return st;
}

/* ---- back ------------------------------------------------------------------ */

/* A file of the name, or another one with the id, would be in the way. */
static quire_status check_free_place(struct quire *q, struct store *home,
                                     const struct trash_entry *e,
                                     struct arena *tmp, quire_error *err)
{
    struct session_location other = {0};
    struct object_info info;
    quire_error why = {0};
    quire_status st = log_stat(home->logs, e->name, &info, &why);

    if (st == QUIRE_NOT_FOUND)
        st = session_lookup(q, e->key, tmp, &other, &why);
    session_location_release(&other);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (st && st != QUIRE_INVALID) { /* several have the id */
        if (err)
            *err = why;
        return st;
    }
    return err_fail(err, QUIRE_EXISTS,
                    HINT_SHELL "remove that one, or fork it and then remove it",
                    "there is a session %.60s again", e->key);
}

/* Show the rows and record the move: one durable transaction. */
static quire_status record_return(struct quire *q, struct trash_entry *e,
                                  quire_error *err)
{
    quire_status st = db_begin(q->catalog.db, DB_DURABLE, q->tenant, err);

    if (st)
        return st;
    st = sql_end(q->catalog.db, trash_show(&q->catalog, e, err), err);
    e->state = TRASH_LEAVING;
    return st ? st : db_settle(q->catalog.db, err);
}

static quire_status restore_entry(struct quire *q, struct trash_entry *e,
                                  struct arena *tmp, quire_error *err)
{
    const char *away = trash_name(e, tmp);
    struct log *held = NULL;
    struct store *home;
    int workspace = -1;
    quire_status st = away ? need_home(q, &home, err) : err_memory(err);

    if (!st)
        st = check_free_place(q, home, e, tmp, err);
    if (!st)
        st = session_hold(home->logs, away, q->busy_ms, &held, err);
    if (st == QUIRE_NOT_FOUND)
        err_set(err, st, "%s/%s has been removed or moved", q->home, away);
    if (!st)
        st = trash_hold_workspace(q, e, q->busy_ms, &workspace, err);
    if (!st)
        st = record_return(q, e, err);
    if (!st)
        st = trash_move(q, e, err);
    if (workspace >= 0)
        close(workspace);
    if (held)
        log_close(held);
    return st;
}

/* The catalogue, for changes of the trash. */
static quire_status begin_change(struct quire *q, quire_error *err)
{
    quire_status st;

    reserve_release(q);
    st = need_artifacts(q, true, err);
    return st ? st : transaction_check_none(q, "a change of the trash", err);
}

quire_status quire_session_restore(quire *q, const char *which,
                                   const char **path, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct trash_entry e = {.id = 0};
    quire_status st = begin_change(q, err);

    if (!st)
        st = find_entry(q, which, &tmp, &e, err);
    if (!st)
        st = restore_entry(q, &e, &tmp, err);
    if (!st) {
        arena_reset(&q->loan);
        *path = arena_printf(&q->loan, "%s/%s", q->home, e.name);
        st = *path ? QUIRE_OK : err_memory(err);
    }
    arena_release(&tmp);
    return st;
}

/* ---- listing --------------------------------------------------------------- */

/* The time before which a session was removed that goes now; 0: none does. */
static quire_status find_due(struct quire *q, int64_t *before_us,
                             quire_error *err)
{
    int64_t keep_s = 0;
    quire_status st = config_duration(q, "trash.keep", &keep_s, err);

    *before_us = keep_s < clock_s(&q->clock)
                     ? clock_us(&q->clock) - keep_s * 1000000
                     : 0;
    return st;
}

quire_status quire_trash_list(quire *q, quire_trashed_fn each, void *ctx,
                              quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct trash_list list = {NULL, 0, 0};
    int64_t keep_s = 0;
    size_t i;
    quire_status st = need_own_rows(q, false, err);

    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = config_duration(q, "trash.keep", &keep_s, err);
    if (!st)
        st = trash_of_tenant(&q->catalog, q->tenant, &keep, &list, err);
    q->in_callback = true;
    for (i = 0; i < list.n && !st; i++) {
        const struct trash_entry *e = &list.entries[i];
        quire_trashed t = {
            .session = e->key,
            .title = e->title,
            .path = arena_printf(&keep, "%s/%s", q->home, e->name),
            .number = e->session,
            .removed_us = e->removed_us,
            .purge_us = keep_s < INT64_MAX / 2000000 - e->removed_us / 1000000
                            ? e->removed_us + keep_s * 1000000
                            : INT64_MAX,
            .bytes = e->bytes,
        };

        st = t.path ? each(ctx, &t, err) : err_memory(err);
    }
    q->in_callback = false;
    arena_release(&keep);
    return st;
}

/* ---- for good --------------------------------------------------------------- */

struct lines {
    struct quire *q;
    quire_removal_fn each;
    void *ctx;
};

static quire_status list_file(void *ctx, const char *name,
                              const struct stat *st, quire_error *err)
{
    struct lines *l = ctx;
    char *path = NULL;
    quire_status done;

    if (asprintf(&path, "%s/%s", l->q->home, name) < 0)
        return err_memory(err);
    done = l->each(l->ctx, path, NULL, (uint64_t)st->st_size, err);
    free(path);
    return done;
}

static quire_status list_artifact(void *ctx, int64_t id, const char *path,
                                  uint64_t bytes, quire_error *err)
{
    struct lines *l = ctx;
    char *row = NULL;
    quire_status st;

    if (asprintf(&row, "artifact #%" PRId64 " %s", id, path) < 0)
        return err_memory(err);
    st = l->each(l->ctx, NULL, row, bytes, err);
    free(row);
    return st;
}

/* What goes with an entry. */
static quire_status list_entry(struct quire *q, const struct trash_entry *e,
                               quire_removal_fn each, void *ctx,
                               quire_error *err)
{
    struct lines l = {q, each, ctx};
    char dir[TRASH_DIR_SIZE];
    int home;
    quire_status st = fs_open_dir(q->home, false, &home, err);

    if (st)
        return st;
    trash_dir(e, dir);
    q->in_callback = true;
    st = walk_files(home, q->home, dir, list_file, &l, err);
    if (!st)
        st = trash_artifacts(&q->catalog, e, list_artifact, &l, err);
    q->in_callback = false;
    close(home);
    return st;
}

static quire_status purge_entry(struct quire *q, const struct trash_entry *e,
                                quire_error *err)
{
    char dir[TRASH_DIR_SIZE];
    int home;
    quire_status st;

    trash_dir(e, dir);
    st = trash_purge(&q->catalog, e, dir, err);
    if (!st)
        st = db_settle(q->catalog.db, err);
    if (!st)
        st = fs_open_dir(q->home, false, &home, err);
    if (st)
        return st;
    if (fs_remove_tree(home, dir) < 0)
        st = err_sys(err, errno, "cannot remove all of %s/%s", q->home, dir);
    close(home);
    return st ? st : removal_done(&q->catalog, dir, err);
}

/* The entries that are meant. */
static quire_status choose_entries(struct quire *q,
                                   const quire_trash_empty_options *o,
                                   struct arena *keep, struct trash_list *out,
                                   quire_error *err)
{
    *out = (struct trash_list){NULL, 0, 0};
    if (!o->which)
        return trash_of_tenant(&q->catalog, q->tenant, keep, out, err);
    out->entries = arena_array(keep, 1, sizeof *out->entries);
    out->n = 1;
    return out->entries ? find_entry(q, o->which, keep, out->entries, err)
                        : err_memory(err);
}

quire_status quire_trash_empty(quire *q,
                               const quire_trash_empty_options *options,
                               uint64_t *n, quire_error *err)
{
    quire_trash_empty_options o = QUIRE_TRASH_EMPTY_OPTIONS_INIT;
    struct arena keep = ARENA_INIT;
    struct trash_list list = {NULL, 0, 0};
    uint64_t gone = 0;
    int64_t before_us;
    size_t i;
    quire_status st;

    OPTIONS_READ(o, options);
    st = o.dry_run ? need_artifacts(q, false, err) : begin_change(q, err);
    if (!st)
        st = choose_entries(q, &o, &keep, &list, err);
    else if (st == QUIRE_NOT_FOUND && o.dry_run && !o.which)
        st = QUIRE_OK; /* a home that was never written to */
    before_us = o.older_s < clock_s(&q->clock)
                    ? clock_us(&q->clock) - o.older_s * 1000000
                    : 0;
    for (i = 0; i < list.n && !st; i++) {
        const struct trash_entry *e = &list.entries[i];

        if (o.older_s > 0 && e->removed_us > before_us)
            continue;
        if (o.each)
            st = list_entry(q, e, o.each, o.ctx, err);
        if (!st && !o.dry_run)
            st = purge_entry(q, e, err);
        gone += !st;
    }
    if (n)
        *n = gone;
    arena_release(&keep);
    return st;
}

quire_status trash_expire(struct quire *q, bool dry, uint64_t *n,
                          quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct trash_list list = {NULL, 0, 0};
    int64_t before_us;
    size_t i;
    quire_status st = find_due(q, &before_us, err);

    if (!st)
        st = trash_due(&q->catalog, before_us, &keep, &list, err);
    for (i = 0; i < list.n && !st; i++) {
        if (list.entries[i].state != TRASH_HERE)
            continue;
        if (!dry)
            st = purge_entry(q, &list.entries[i], err);
        *n += !st;
        if (st == QUIRE_NOT_FOUND || st == QUIRE_BUSY) /* another's turn */
            st = QUIRE_OK;
    }
    arena_release(&keep);
    return st;
}

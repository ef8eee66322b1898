/*
 * purge.c - remove a value from everything that a home holds
 *
 *     search   blobs first: references to those that have the value are changed, too;
 *              then files, then rows. Each place is reported; the caller confirms.
 *     put      the new content of blobs
 *     rows     in one transaction, with what is audited of each session
 *     files    each replaced by a new one, synced, under its lock
 *     index    emptied
 *     remove   the old blobs, unless something that stays refers to them
 *     rewrite  quire.db, so that none of its pages has what rows had before
 *     search   what was written since the first search
 *
 * Each step leaves a home that is whole. What is found is changed and what has been changed
 * is not found: so a purge that was killed is completed by the next one. The row of the
 * audit log comes before the change that it is about.
 *
 * docs/decisions/041-purge.md has the reasons.
 */
#include "purge/purge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/core/reserve.h"
#include "api/search.h"
#include "api/transaction.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/opts.h"
#include "gc/ref_index.h"

/* Searches until nothing new is found. */
enum { ROUNDS = 4 };

/* ---- searching ------------------------------------------------------------------ */

static quire_status search_rows(struct purge *p, quire_error *err)
{
    struct db *db = p->q->catalog.db;
    quire_status st = db_begin(db, DB_LOOK, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = purge_rows(p, db, "quire.db", false, err);
    db_rollback(db);
    return st;
}

static quire_status search_home(struct purge *p, quire_error *err)
{
    quire_status st = purge_find_blobs(p, err);

    if (!st)
        st = purge_find_files(p, err);
    if (!st)
        st = search_rows(p, err);
    return st ? st : purge_report_blobs(p, err);
}

/* ---- changing ------------------------------------------------------------------- */

/* A row for each session whose entries change, and one for all of it. */
static quire_status audit(struct purge *p, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const struct purge_session *s;
    const char *text = NULL;
    quire_status st = QUIRE_OK;

    for (s = p->sessions; s && !st; s = s->next) {
        if (!s->count)
            continue;
        text = arena_printf(&tmp, "{\"lines\":%" PRIu64 ",\"entries\":[%.*s]}",
                            s->count, (int)s->entries.len,
                            s->entries.data ? s->entries.data : "");
        st = text ? audit_log_add(&p->q->catalog, "session.purge", s->tenant,
                                  s->key, NULL, text, err)
                  : err_memory(err);
    }
    if (!st) {
        text = arena_printf(&tmp,
                            "{\"places\":%" PRIu64 ",\"count\":%" PRIu64 "}",
                            p->report.places, p->report.count);
        st = text ? audit_log_add(&p->q->catalog, "purge",
                                  p->options->own_tenant ? p->q->tenant : 0, "",
                                  NULL, text, err)
                  : err_memory(err);
    }
    arena_release(&tmp);
    return st;
}

static quire_status change_rows(struct purge *p, quire_error *err)
{
    struct db *db = p->q->catalog.db;
    quire_status st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = audit(p, err);
    if (!st)
        st = purge_rows(p, db, "quire.db", true, err);
    return sql_end(db, st, err);
}

struct tenants {
    struct arena keep;
    int64_t *list;
    size_t n, cap;
};

static quire_status add_tenant(void *ctx, const quire_tenant *t,
                               quire_error *err)
{
    struct tenants *all = ctx;

    if (all->n == all->cap) {
        size_t cap = all->cap ? 2 * all->cap : 16;
        int64_t *more = arena_array(&all->keep, cap, sizeof *more);

        if (!more)
            return err_memory(err);
        if (all->n)
            memcpy(more, all->list, all->n * sizeof *more);
        all->list = more;
        all->cap = cap;
    }
    all->list[all->n++] = t->id;
    return QUIRE_OK;
}

static quire_status empty_index(struct purge *p, int64_t tenant,
                                quire_error *err)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    struct arena tmp = ARENA_INIT;
    quire *theirs = NULL;
    quire_status st = QUIRE_OK;

    if (!purge_is_ours(p, tenant))
        return QUIRE_OK;
    if (tenant == p->q->tenant)
        return search_empty(p->q, err);
    o.home = p->q->home;
    o.kind = p->q->kind;
    o.busy_ms = p->q->busy_ms;
    o.tenant = arena_printf(&tmp, "#%" PRId64, tenant);
    st = o.tenant ? quire_open(&o, &theirs, err) : err_memory(err);
    if (!st)
        st = search_empty(theirs, err);
    quire_close(theirs);
    arena_release(&tmp);
    /* One that is disabled is emptied when it is enabled: it cannot be searched. */
    return st == QUIRE_INVALID || st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status empty_indexes(struct purge *p, quire_error *err)
{
    struct tenants all = {.keep = ARENA_INIT};
    quire_status st = tenant_list(&p->q->catalog, add_tenant, &all, err);
    size_t i;

    for (i = 0; i < all.n && !st; i++)
        st = empty_index(p, all.list[i], err);
    arena_release(&all.keep);
    return st;
}

/* Which source refers to which blob has changed with the digests; sources also keep a few
 * bytes of what they are. */
static quire_status forget_references(struct purge *p, quire_error *err)
{
    struct db *state;
    quire_status st = need_ref_index_db(p->q, true, &state, err);

    return st ? st : ref_index_clear(state, err);
}

static quire_status change_home(struct purge *p, quire_error *err)
{
    quire_status st = purge_put_blobs(p, err);

    if (!st)
        st = change_rows(p, err);
    if (!st)
        st = purge_change_files(p, err);
    if (!st)
        st = empty_indexes(p, err);
    if (!st && !p->report.busy)
        st = purge_remove_blobs(p, err);
    if (!st)
        st = forget_references(p, err);
    return st;
}

/* ---- the end --------------------------------------------------------------------- */

/* Whether a purge began to change rows and did not come to its end: then there may be
 * nothing left to find, but derived data and pages of databases that have the value. */
static quire_status find_pending(struct purge *p, quire_error *err)
{
    static const char sql[] =
        "SELECT count(*) FROM journal WHERE action = 'purge' AND id >"
        " (SELECT coalesce(max(id), 0) FROM journal WHERE action ="
        " 'purge.done')";
    int64_t n = 0;
    quire_status st = catalog_has(&p->q->catalog, SCHEMA_AUDIT_LOG)
                          ? sql_number(p->q->catalog.db, sql, &n, err)
                          : QUIRE_OK;

    p->pending = n > 0;
    return st;
}

static quire_status end_purge(struct purge *p, quire_error *err)
{
    struct db *db = p->q->catalog.db;
    quire_status st = purge_rewrite_db(db, err);

    /* The next purge does it, whatever it finds. */
    if (st == QUIRE_IO)
        err_next(err,
                 "the value is masked; run it again when there is room for "
                 "a second quire.db, which may have old bytes in unused "
                 "places");
    if (st || p->report.busy || p->report.left)
        return st;
    st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);
    if (st)
        return st;
    st = audit_log_add(&p->q->catalog, "purge.done", 0, "", NULL, NULL, err);
    return sql_end(db, st, err);
}

/* ---- all of it ------------------------------------------------------------------ */

static void forget_round(struct purge *p)
{
    struct purge_session *s;

    for (s = p->sessions; s; s = s->next)
        buf_release(&s->entries);
    p->sessions = NULL;
    map_release(&p->session_map);
    map_init(&p->session_map, (uintptr_t)p, 1);
}

/* What was written meanwhile is changed as well, in a few more rounds. What is left then
 * is in use. */
static quire_status change_all(struct purge *p, quire_error *err)
{
    int64_t began_ns = clock_us(&clock_system) * 1000;
    quire_status st = change_home(p, err);
    int round;

    p->quiet = true;
    for (round = 1; round < ROUNDS && !st; round++) {
        uint64_t busy = p->report.busy;

        forget_round(p);
        p->report.left = p->report.busy = 0;
        /* A second earlier: times of files are coarser than the clock. */
        p->changed_ns = began_ns - 1000000000;
        began_ns = clock_us(&clock_system) * 1000;
        st = search_home(p, err);
        if (!p->report.left || busy) {
            p->report.busy = busy;
            break;
        }
        if (!st)
            st = change_home(p, err);
    }
    return st ? st : end_purge(p, err);
}

static quire_status purge_begin(struct purge *p, quire_error *err)
{
    struct quire *q = p->q;
    quire_status st = check_free(q, err);

    if (!st && q->kind != QUIRE_KIND_NATIVE)
        st = err_fail(err, QUIRE_INVALID, "import it first",
                      "%s belongs to another program", q->home);
    if (!st && q->read_only && !p->options->dry_run)
        st = read_only_error(err);
    if (!st)
        st = transaction_check_none(q, "a purge", err);
    if (!st && !p->options->dry_run)
        reserve_release(q);
    if (!st)
        st = need_rows(q, !p->options->dry_run, err);
    if (!st)
        st = need_blobs(q, !p->options->dry_run, err);
    if (!st)
        st = need_home(q, &p->home, err);
    if (!st)
        st = fs_open_dir(q->home, false, &p->dir, err);
    if (!st && !p->options->dry_run)
        st = find_pending(p, err);
    return st ? st : purge_held_load(p, err);
}

static quire_status report_end(const struct purge *p, quire_error *err)
{
    const quire_purge_report *r = &p->report;

    if (r->busy || r->left)
        return err_fail(err, QUIRE_BUSY, "run it again when they are done",
                        "other processes write to %" PRIu64
                        " files that have the value",
                        r->busy ? r->busy : r->left);
    if (r->held_places)
        return err_fail(err, QUIRE_EXISTS,
                        HINT_SHELL "end the hold with `quire session release`",
                        "%" PRIu64 " places of held sessions have the value",
                        r->held_places);
    if (r->unreadable)
        return err_fail(err, QUIRE_DAMAGED,
                        HINT_SHELL "`quire check` names them",
                        "%" PRIu64 " blobs or files could not be read",
                        r->unreadable);
    return QUIRE_OK;
}

static bool is_confirmed(struct purge *p)
{
    bool yes = true;

    p->q->in_callback = true;
    if (p->options->confirm)
        yes = p->options->confirm(p->options->ctx, &p->report) != 0;
    p->q->in_callback = false;
    return yes;
}

static quire_status run(struct purge *p, quire_error *err)
{
    quire_status st = purge_begin(p, err);

    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK; /* a home that was never written to */
    if (!st)
        st = purge_read_values(p, err);
    if (st || !p->values)
        return st;
    st = search_home(p, err);
    if (st || p->options->dry_run)
        return st;
    if (!p->report.places && !p->pending)
        return report_end(p, err);
    if (p->report.places && !is_confirmed(p))
        return QUIRE_STOPPED;
    st = change_all(p, err);
    return st ? st : report_end(p, err);
}

quire_status quire_purge(quire *q, const quire_purge_options *options,
                         quire_purge_report *out, quire_error *err)
{
    quire_purge_options o = QUIRE_PURGE_OPTIONS_INIT;
    struct purge p = {.q = q, .options = &o, .dir = -1, .keep = ARENA_INIT};
    quire_status st;

    OPTIONS_READ(o, options);
    map_init(&p.session_map, (uintptr_t)q, 1);
    map_init(&p.blob_map, (uintptr_t)q, 2);
    st = run(&p, err);
    if (out)
        *out = p.report;
    forget_round(&p);
    map_release(&p.blob_map);
    purge_held_release(&p);
    values_free(p.values);
    free(p.blobs);
    free(p.seen);
    if (p.dir >= 0)
        close(p.dir);
    reserve_restore(q);
    arena_release(&p.keep);
    return st;
}

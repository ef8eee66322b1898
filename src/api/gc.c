/*
 * gc.c - a collection of the whole home
 *
 * src/gc counts references and removes blobs. This file supplies the files that
 * refer, keeps two collections from running at once, and handles what else
 * accumulates in a home: old versions, soft-deleted artifacts, stray temporary
 * files, free pages.
 *
 * In order: expire versions and artifacts, so that their content counts as
 * unreferenced; remove the files of sessions that no longer exist, which may
 * refer to blobs; collect; remove stray files, if the run scanned all files;
 * vacuum; write the parts of search indexes again that have words of what was removed.
 * Each step is complete by itself: after an interruption the next run does the
 * rest.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/core/cluster.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/opts.h"
#include "catalog/import_ledger.h"
#include "gc/gc.h"
#include "blob/hash.h"
#include "gc/pins.h"
#include "gc/roots.h"
#include "api/search.h"
#include "api/core/orphans.h"
#include "api/core/reserve.h"
#include "api/gc_sources.h"
#include "api/transaction.h"
#include "api/trash.h"

/* The least time between two automatic collections. */
enum { AUTO_EVERY_S = 3600 };

struct collecting {
    struct quire *q;
    struct db *state; /* NULL: a dry run without an index */
    const quire_collect_options *o;
    quire_collect_report *report;
    struct artifact_expiry expiry;
    bool reap; /* the run scans all files, stray ones too */
    int lock;
    struct lease_store *shared; /* NULL: no lease is held */
    uint64_t epoch;             /* of the lease */
};

/* The lease of collections among machines, and how long one that died keeps it. */
#define COLLECTION    "collection"
#define COLLECTION_MS (3600 * INT64_C(1000))

static bool is_dry(const struct collecting *c)
{
    return c->o->flags & QUIRE_COLLECT_DRY_RUN;
}

/* ---- what the blob room is told ----------------------------------------- */

struct passing {
    gc_source_fn each;
    void *ctx;
};

static quire_status pass_source(void *ctx, const struct gc_source *s,
                                quire_error *err)
{
    const struct passing *p = ctx;

    return p->each(p->ctx, s->label, s->info, err);
}

static quire_status tell_sources(void *ctx, gc_source_fn each, void *each_ctx,
                                 quire_error *err)
{
    struct collecting *c = ctx;
    struct passing p = {each, each_ctx};

    return gc_sources_each(c->q, pass_source, &p, err);
}

static quire_status add_key(void *ctx, const quire_digest *d, quire_error *err)
{
    return digest_set_add(ctx, key_of(d)) ? QUIRE_OK : err_memory(err);
}

static quire_status tell_rows(void *ctx, struct digest_set *out,
                              quire_error *err)
{
    struct collecting *c = ctx;
    quire_status st = QUIRE_OK;

    if (c->state)
        st = pins_each(c->state, add_key, out, err);
    if (!st && c->q->artifacts)
        st = artifacts_digests(c->q->artifacts, &c->expiry, add_key, out, err);
    if (!st && c->q->catalog.db)
        st = import_digests(&c->q->catalog, add_key, out, err);
    return st;
}

static quire_status worker_open(void *ctx, void **worker, quire_error *err)
{
    struct collecting *c = ctx;
    struct gc_source_reader *r = calloc(1, sizeof *r);

    if (!r)
        return err_memory(err);
    r->q = c->q;
    *worker = r;
    return QUIRE_OK;
}

static quire_status open_source(void *worker, const char *label,
                                struct object **out, struct object_info *info,
                                quire_error *err)
{
    return gc_source_open(worker, label, out, info, err);
}

static void worker_close(void *worker)
{
    gc_source_reader_release(worker);
    free(worker);
}

/* JP's location without a conversation: the directory is there, so they were
 * deleted, and are not merely out of reach. */
static bool is_emptied(const struct quire *q)
{
    char *path = NULL;
    bool there;

    if (q->kind != QUIRE_KIND_JP ||
        asprintf(&path, "%s/conversations", q->home) < 0)
        return false;
    there = access(path, R_OK | X_OK) == 0;
    free(path);
    return there;
}

static quire_status collect_blobs(struct collecting *c, quire_error *err)
{
    struct gc_config config = {
        .callbacks = {.ctx = c,
                      .sources = tell_sources,
                      .rows = tell_rows,
                      .worker_open = worker_open,
                      .open = open_source,
                      .worker_close = worker_close},
        .grace_s = c->o->grace_s,
        .dry_run = is_dry(c),
        .full = c->o->flags & QUIRE_COLLECT_FULL,
        .yes = c->o->flags & QUIRE_COLLECT_YES,
        .empty = is_emptied(c->q),
        .each = c->o->each,
        .each_ctx = c->o->ctx,
    };
    struct ref_index *ledger = NULL;
    struct gc_report r = {0};
    quire_status st = QUIRE_OK;

    if (c->state)
        st = ref_index_new(c->state, &ledger, err);
    c->q->in_callback = true;
    if (!st)
        st = gc_run(c->q->blobs, ledger, &config, &r, err);
    c->q->in_callback = false;
    ref_index_free(ledger);
    c->report->sources = r.sources;
    c->report->rescanned = r.rescanned;
    c->report->scanned = r.scanned;
    c->report->referenced = r.referenced;
    c->report->marked = r.marked;
    c->report->removed = r.removed;
    c->report->waiting = r.waiting;
    c->report->bytes_freed += r.bytes_freed;
    c->report->refused = r.refused;
    c->reap = r.strays;
    return st;
}

/* ---- what else gathers -------------------------------------------------- */

/* A dry run leaves out what would expire: see artifacts_digests(). */
static quire_status expire(struct collecting *c, quire_error *err)
{
    struct quire *q = c->q;
    int64_t purge_s;
    quire_status st;

    if (q->kind != QUIRE_KIND_NATIVE)
        return QUIRE_OK;
    st = need_all_artifacts(q, !is_dry(c), err);
    if (st) /* a home that was never written to */
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = config_number(q, "versions.kept", &c->expiry.kept, err);
    if (!st)
        st = config_duration(q, "gc.purge", &purge_s, err);
    if (st)
        return st;
    /* Many years are fine: nothing is that old. */
    c->expiry.before_us = purge_s < clock_s(&q->clock)
                              ? clock_us(&q->clock) - purge_s * 1000000
                              : 0;
    if (is_dry(c))
        return artifacts_expired(q->artifacts, &c->expiry, &c->report->versions,
                                 &c->report->purged, err);
    st = idempotency_expire(&q->catalog, INT64_MAX, err);
    if (st)
        return st;
    st = artifacts_expire(q->artifacts, &c->expiry, &c->report->versions,
                          &c->report->purged, err);
    if (!st)
        search_trim_changes(q);
    return st;
}

/* After the blobs were collected: a dry run reports the same. */
static quire_status expire_trash(struct collecting *c, quire_error *err)
{
    return c->q->artifacts && c->q->kind == QUIRE_KIND_NATIVE
               ? trash_expire(c->q, is_dry(c), &c->report->trashed, err)
               : QUIRE_OK;
}

struct orphan_removal {
    struct collecting *c;
    int home;
};

static quire_status remove_orphan(void *ctx, const struct orphan *o,
                                  quire_error *err)
{
    struct orphan_removal *r = ctx;
    int failed = o->why != NULL;

    if (!failed && !is_dry(r->c))
        failed = o->kind == ORPHAN_EMPTY
                     ? unlinkat(r->home, o->name, AT_REMOVEDIR)
                     : fs_remove_tree(r->home, o->name);
    (void)err;
    if (!failed) { /* else another run tries again */
        r->c->report->orphans += o->kind != ORPHAN_EMPTY;
        r->c->report->bytes_freed += o->bytes;
    }
    return QUIRE_OK;
}

/* A grace time of 0 removes what lies there now. */
static quire_status remove_orphans(struct collecting *c, quire_error *err)
{
    struct orphan_removal r = {.c = c};
    struct timespec now;
    int64_t before_s;
    quire_status st;

    if (!c->q->artifacts || c->q->kind != QUIRE_KIND_NATIVE)
        return QUIRE_OK;
    st = fs_open_dir(c->q->home, false, &r.home, err);
    if (st)
        return st;
    clock_gettime(CLOCK_REALTIME, &now);
    /* A grace time longer than the clock has run keeps all of them. */
    before_s = c->o->grace_s < now.tv_sec ? now.tv_sec - c->o->grace_s : 0;
    st = orphans_each(c->q, before_s * INT64_C(1000000000) + now.tv_nsec,
                      remove_orphan, &r, err);
    close(r.home);
    return st;
}

struct reaping {
    int home;
    bool dry;
    uint64_t n;
};

static bool is_temp(void *ctx, const char *name)
{
    (void)ctx;
    return fs_temp_is_name(name);
}

static quire_status reap_one(void *ctx, const char *dir, const char *name,
                             const struct object_info *info, quire_error *err)
{
    struct reaping *r = ctx;
    char *path = NULL;

    if (!info)
        return QUIRE_OK;
    if (asprintf(&path, "%s%s%s", dir, *dir ? "/" : "", name) < 0)
        return err_memory(err);
    r->n += fs_temp_reap(r->home, path, r->dry);
    free(path);
    return QUIRE_OK;
}

/* All of a native home; of another one only the blobs directory. */
static quire_status reap(struct collecting *c, quire_error *err)
{
    bool native = c->q->kind == QUIRE_KIND_NATIVE;
    struct reaping r = {.dry = is_dry(c)};
    struct store *home;
    quire_status st;

    if (!c->reap)
        return QUIRE_OK;
    st = need_home(c->q, &home, err);
    if (!st)
        st = fs_open_dir(c->q->home, false, &r.home, err);
    if (st)
        return st;
    st = directory_find(home->dirs, native ? "" : "blobs", is_temp, reap_one,
                        &r, err);
    close(r.home);
    c->report->litter = r.n;
    return st;
}

/* ---- pages -------------------------------------------------------------- */

/* Bytes released in one step, during which other writers wait. */
enum { RELEASED_AT_ONCE = 1 << 20 };

static quire_status release_pages(struct collecting *c, quire_error *err)
{
    quire_status st = QUIRE_OK;
    int64_t n = 1;

    if (!c->state || is_dry(c))
        return QUIRE_OK;
    while (!st && n > 0) {
        st = db_release_space(c->state, RELEASED_AT_ONCE, &n, err);
        if (!st)
            c->report->returned += (uint64_t)n;
    }
    /* Another time: pages that move need room in the log. */
    return st == QUIRE_BUSY || (st == QUIRE_IO && c->q->reserve_gone) ? QUIRE_OK
                                                                      : st;
}

/* ---- search indexes ----------------------------------------------------- */

/* Another process that reads or updates the index makes it wait for another run, and
 * so does a full disk. */
static quire_status purge_index(struct quire *q, quire_error *err)
{
    quire_status st;
    int more = 0;

    do
        st = quire_search_purge(q, &more, err);
    while (!st && more);
    return st == QUIRE_BUSY || (st == QUIRE_IO && q->reserve_gone) ? QUIRE_OK
                                                                   : st;
}

static quire_status add_tenant(void *ctx, const quire_tenant *t,
                               quire_error *err)
{
    buf_add(ctx, &t->id, sizeof t->id);
    return buf_status(ctx, "the list of tenants", err);
}

static quire_status purge_tenants(struct quire *q, const struct buf *ids,
                                  quire_error *err)
{
    quire_status st = QUIRE_OK;
    char which[32];
    int64_t id;
    size_t at;

    for (at = 0; at < ids->len && !st; at += sizeof id) {
        memcpy(&id, ids->data + at, sizeof id);
        snprintf(which, sizeof which, "#%lld", (long long)id);
        st = quire_tenant_use(q, which, err);
        if (!st)
            st = purge_index(q, err);
        if (st == QUIRE_NOT_FOUND) /* it was removed meanwhile */
            st = QUIRE_OK;
    }
    return st;
}

static quire_status purge_indexes(struct collecting *c, quire_error *err)
{
    struct quire *q = c->q;
    struct buf ids = BUF_INIT(SIZE_MAX);
    quire_status st;

    if (is_dry(c))
        return QUIRE_OK;
    st = purge_index(q, err);
    if (!st && q->kind == QUIRE_KIND_NATIVE && q->catalog.db)
        st = quire_tenant_list(q, add_tenant, &ids, err);
    if (!st && ids.len > sizeof(int64_t)) {
        tenant_views_keep_current(q, true);
        st = purge_tenants(q, &ids, err);
        quire_tenant_use(q, "#1", NULL);
        tenant_views_keep_current(q, false);
    }
    buf_release(&ids);
    return st;
}

/* ---- whose turn --------------------------------------------------------- */

/* Among machines. One that died keeps the others from it for an hour. */
static quire_status take_lease(struct collecting *c, quire_error *err)
{
    struct store *home;
    quire_status st = need_home(c->q, &home, err);

    if (st)
        return st;
    st = lease_take(home->leases, COLLECTION, cluster_process(c->q->cluster),
                    COLLECTION_MS, &c->epoch, err);
    c->shared = st ? NULL : home->leases;
    return st;
}

static quire_status take_turn(struct collecting *c, quire_error *err)
{
    quire_status st;

    c->lock = -1;
    if (is_dry(c))
        return QUIRE_OK;
    st = foreign_state_open_lock(c->q, &c->lock, err);
    if (!st)
        st = fs_lock(c->lock, FS_EXCLUSIVE, c->q->busy_ms, err);
    if (st == QUIRE_BUSY) {
        err_fail(err, st, "let it finish: it does what this one would",
                 "another collection of %s is running", c->q->home);
    }
    if (!st && c->q->cluster)
        st = take_lease(c, err);
    if (!st)
        futimens(c->lock, NULL); /* quire_collect_due() asks for the time */
    return st;
}

static quire_status may_collect(struct quire *q, bool dry, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st && !dry && q->read_only)
        st = read_only_error(err);
    if (!st && q->tenant != TENANT_DEFAULT) {
        st = err_fail(err, QUIRE_INVALID, HINT_SHELL "leave out --tenant",
                      "blobs are stored for all tenants together and are not "
                      "collected for one of them");
    }
    if (!st && !strcmp(q->home, q->blob_path)) {
        st =
            err_fail(err, QUIRE_INVALID,
                     HINT_SHELL
                     "name the home with --home: a directory with sessions or "
                     "conversations",
                     "a blobs directory alone does not tell what refers to it");
    }
    return st ? st : transaction_check_none(q, "a collection", err);
}

/* Blobs held by this handle would look unreferenced. */
static quire_status check_holds(const struct quire *q, quire_error *err)
{
    if (q->holds == 0)
        return QUIRE_OK;
    return err_fail(err, QUIRE_BUSY,
                    "let it be written, close it, or collect with another "
                    "handle",
                    "a session of this handle has an image and no file yet");
}

/* Whether there is anything that could be collected. */
static bool is_home(const struct quire *q)
{
    static const char *const signs[] = {"quire.db", "blobs", "sessions",
                                        "conversations", ".quire"};
    char *path = NULL;
    bool any = q->cluster != NULL;
    size_t i;

    for (i = 0; !any && i < sizeof signs / sizeof *signs; i++) {
        if (asprintf(&path, "%s/%s", q->home, signs[i]) < 0)
            return true;
        any = access(path, F_OK) == 0 || errno != ENOENT;
        free(path);
    }
    return any;
}

static quire_status read_options(struct quire *q,
                                 const quire_collect_options *options,
                                 quire_collect_options *o, quire_error *err)
{
    *o = (quire_collect_options)QUIRE_COLLECT_OPTIONS_INIT;
    OPTIONS_READ(*o, options);
    return o->grace_s < 0 ? config_duration(q, "gc.grace", &o->grace_s, err)
                          : QUIRE_OK;
}

quire_status quire_collect(quire *q, const quire_collect_options *options,
                           quire_collect_report *report, quire_error *err)
{
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report ignored = {0};
    struct collecting c = {.q = q, .o = &o, .lock = -1};
    quire_status st;

    if (!options || !(options->flags & QUIRE_COLLECT_DRY_RUN))
        reserve_release(q);
    st = read_options(q, options, &o, err);
    c.report = report ? report : &ignored;
    memset(c.report, 0, sizeof *c.report);
    if (!st)
        st = may_collect(q, is_dry(&c), err);
    if (!st && !is_dry(&c))
        st = check_holds(q, err);
    /* Does not create a home. */
    if (!st && !is_home(q))
        return QUIRE_OK;
    if (!st)
        st = take_turn(&c, err);
    if (!st)
        st = need_ref_index_db(q, !is_dry(&c), &c.state, err);
    if (!st)
        st = need_blobs(q, !is_dry(&c), err);
    if (!st)
        st = expire(&c, err);
    if (!st)
        st = remove_orphans(&c, err);
    if (!st)
        st = collect_blobs(&c, err);
    /* The log was full, and is emptied when the next transaction begins. */
    if (st == QUIRE_IO && q->reserve_gone)
        st = collect_blobs(&c, err);
    if (!st)
        st = expire_trash(&c, err);
    if (!st)
        st = reap(&c, err);
    if (!st)
        st = release_pages(&c, err);
    if (!st)
        st = purge_indexes(&c, err);
    if (c.lock >= 0)
        close(c.lock);
    if (c.shared)
        lease_release(c.shared, COLLECTION, c.epoch, NULL);
    return st;
}

int quire_collect_due(quire *q)
{
    struct stat s;
    bool due = false;
    int fd;

    if (q->read_only || q->in_callback || !strcmp(q->home, q->blob_path) ||
        access(q->kind == QUIRE_KIND_NATIVE ? q->db_path : q->blob_path,
               F_OK) != 0)
        return 0;
    if (foreign_state_open_lock(q, &fd, NULL))
        return 0;
    /* A new home has nothing to collect for the grace time. */
    if (!fstat(fd, &s) && llabs(time(NULL) - s.st_mtime) >= AUTO_EVERY_S &&
        !fs_lock(fd, FS_EXCLUSIVE, 0, NULL) && config_is(q, "gc.auto", "on"))
        due = !futimens(fd, NULL);
    close(fd);
    return due;
}

/* ---- roots and pins ----------------------------------------------------- */

static quire_status no_such(const char *path, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_NOT_FOUND,
                               HINT_SHELL "`quire gc --roots` lists what is",
                               "%s is not registered", path);
    return st;
}

quire_status quire_root_add(quire *q, const char *path, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct root root = {.path = absolute_cwd(path, &tmp)};
    struct db *state = NULL;
    struct stat s;
    quire_status st = may_collect(q, false, err);

    if (!st && !root.path)
        st = err_memory(err);
    if (!st && stat(root.path, &s) < 0)
        st = errno == ENOENT
                 ? err_set(err, QUIRE_NOT_FOUND, "there is no %s", root.path)
                 : err_sys(err, errno, "cannot look at %s", root.path);
    if (!st && !S_ISDIR(s.st_mode) && !S_ISREG(s.st_mode)) {
        st = err_fail(err, QUIRE_INVALID,
                      "name a session file, or the directory they lie in",
                      "%s is neither a file nor a directory", root.path);
    }
    if (!st)
        st = need_ref_index_db(q, true, &state, err);
    if (!st) {
        root.is_dir = S_ISDIR(s.st_mode);
        st = roots_add(state, &root, clock_s(&q->clock), err);
    }
    arena_release(&tmp);
    return st;
}

quire_status quire_root_drop(quire *q, const char *path, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *whole = absolute_cwd(path, &tmp);
    struct db *state = NULL;
    quire_status st = may_collect(q, false, err);

    if (!st && !whole)
        st = err_memory(err);
    if (!st)
        st = need_ref_index_db(q, false, &state, err);
    if (!st)
        st = state ? roots_drop(state, whole, err) : QUIRE_NOT_FOUND;
    if (st == QUIRE_NOT_FOUND)
        st = no_such(whole, err);
    arena_release(&tmp);
    return st;
}

quire_status quire_root_list(quire *q, quire_text_fn each, void *ctx,
                             quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct roots roots = {NULL, 0};
    struct db *state = NULL;
    quire_status st = may_collect(q, true, err);
    size_t i;

    if (!st)
        st = need_ref_index_db(q, false, &state, err);
    if (!st)
        st = roots_load(state, &tmp, &roots, err);
    q->in_callback = true;
    for (i = 0; !st && i < roots.n; i++)
        st = each(ctx, roots.list[i].path, err);
    q->in_callback = false;
    arena_release(&tmp);
    return st;
}

/* The blob is marked as seen first: a collection that missed the pin keeps it
 * for that. */
static quire_status pin(struct quire *q, struct db *state,
                        const quire_digest *digest, quire_error *err)
{
    quire_blob_info info;
    quire_status st = blob_freshen(q->blobs, digest, err);

    if (!st)
        st = pins_add(state, digest, clock_s(&q->clock), err);
    return st ? st : quire_blob_stat(q, digest, &info, err);
}

quire_status quire_blob_pin(quire *q, const quire_digest *digest,
                            quire_error *err)
{
    quire_blob_info info;
    struct db *state = NULL;
    quire_status st = may_collect(q, false, err);

    if (!st)
        st = quire_blob_stat(q, digest, &info, err);
    if (!st)
        st = need_ref_index_db(q, true, &state, err);
    if (!st)
        st = need_blobs(q, true, err);
    if (!st)
        st = blobs_hold(q->blobs, err);
    if (st)
        return st;
    st = pin(q, state, digest, err);
    blobs_release(q->blobs);
    return st;
}

quire_status quire_pin_list(quire *q, quire_digest_fn each, void *ctx,
                            quire_error *err)
{
    struct db *state = NULL;
    quire_status st = may_collect(q, true, err);

    if (!st)
        st = need_ref_index_db(q, false, &state, err);
    if (st || !state)
        return st;
    q->in_callback = true;
    st = pins_each(state, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_blob_unpin(quire *q, const quire_digest *digest,
                              quire_error *err)
{
    struct db *state = NULL;
    quire_status st = may_collect(q, false, err);

    if (!st)
        st = need_ref_index_db(q, false, &state, err);
    if (!st)
        st = state ? pins_drop(state, digest, err) : QUIRE_NOT_FOUND;
    if (st == QUIRE_NOT_FOUND) {
        err_fail(err, st, HINT_SHELL "`quire blob pin` lists what is",
                 "%s is not pinned", digest_short(digest).s);
    }
    return st;
}

/*
 * handle.c - open and close a handle
 *
 * Opening finds the home, its kind and the tenant. Files and database are opened
 * by the first call that needs them (parts.c).
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <isa-l.h>
#include <nettle/version.h>
#include <sqlite3.h>
#include <zlib.h>

#include "base/err.h"
#include "base/opts.h"
#include "memory/memory.h"
#include "memory/scratchpad.h"
#include "output/regex.h"
#include "api/core/cluster.h"
#include "api/core/handle.h"
#include "api/search.h"
#include "api/core/reserve.h"

const char *quire_version(void)
{
    return QUIRE_VERSION;
}

const char *quire_version_of(unsigned index, char out[64])
{
    switch (index) {
    case 0: snprintf(out, 64, "sqlite %s", sqlite3_libversion()); break;
    case 1:
        snprintf(out, 64, "nettle %d.%d", nettle_version_major(),
                 nettle_version_minor());
        break;
    case 2:
        snprintf(out, 64, "isa-l %d.%d.%d", ISAL_MAJOR_VERSION,
                 ISAL_MINOR_VERSION, ISAL_PATCH_VERSION);
        break;
    case 3: snprintf(out, 64, "zlib %s", zlibVersion()); break;
    case 4: regex_version(out, 64); break;
    default: return NULL;
    }
    return out;
}

/* ---- life --------------------------------------------------------------- */

void pending_files_free(struct pending_file *f)
{
    struct pending_file *next;

    for (; f; f = next) {
        next = f->next;
        free(f->key);
        free(f->path);
        free(f);
    }
}

/* The path is a directory, or nothing yet. */
static quire_status check_dir(const char *path, quire_error *err)
{
    struct stat s;

    if (stat(path, &s) < 0)
        return errno == ENOENT ? QUIRE_OK
                               : err_sys(err, errno, "cannot open %s", path);
    if (S_ISDIR(s.st_mode))
        return QUIRE_OK;
    return err_fail(err, QUIRE_IO, "name the directory that holds the store",
                    "%s is not a directory", path);
}

/* An older program passes a shorter struct; the rest stays default. */
static quire_status read_options(const quire_options *options, quire_options *o,
                                 quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (!options)
        return QUIRE_OK;
    if (options->size >= offsetof(quire_options, kind))
        memcpy(o, options,
               options->size < sizeof *o ? options->size : sizeof *o);
    else
        st = QUIRE_INVALID;
    if (st || (unsigned)o->kind > QUIRE_KIND_JP ||
        (unsigned)o->layout > QUIRE_LAYOUT_FLAT ||
        o->flags & ~(unsigned)QUIRE_READ_ONLY || o->cache_kib < 0) {
        st = err_fail(err, QUIRE_INVALID,
                      HINT_SHELL "start from QUIRE_OPTIONS_INIT",
                      "invalid options: size, kind, layout, flags or "
                      "cache_kib is out of range");
    }
    return st;
}

/* The commit queue of the peer, or a new one. */
static quire_status join_commit_queue(struct quire *q, const quire *peer,
                                      quire_error *err)
{
    if (peer && (!q->db_path || !peer->db_path ||
                 strcmp(q->db_path, peer->db_path) != 0))
        return err_fail(err, QUIRE_INVALID, "open both on one home",
                        "the peer handle is open on another home");
    q->commit_queue = peer ? commit_queue_ref(peer->commit_queue)
                           : commit_queue_new();
    return q->commit_queue ? QUIRE_OK : err_memory(err);
}

/* That of the peer, or a new one. The address takes the place of the path. */
static quire_status join_cluster(struct quire *q, const quire_options *o,
                                 quire_error *err)
{
    struct cluster_config config = {o->database, o->objects, o->busy_ms};
    struct cluster *shared = o->peer ? o->peer->cluster : NULL;
    quire_status st = QUIRE_OK;

    if (q->kind != QUIRE_KIND_NATIVE || o->blobs)
        return err_fail(err, QUIRE_INVALID, "name another home, or none",
                        "%s belongs to another program: a database needs a "
                        "home of its own beside it",
                        q->home);
    if (shared && cluster_is(shared, o->database, o->objects))
        q->cluster = cluster_ref(shared);
    else
        st = cluster_open(&config, &q->cluster, err);
    if (st)
        return st;
    free(q->db_path);
    q->db_path = strdup(cluster_place(q->cluster));
    return q->db_path ? QUIRE_OK : err_memory(err);
}

static void init_turn(pthread_mutex_t *turn)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(turn, &attr);
    pthread_mutexattr_destroy(&attr);
}

quire_status quire_open(const quire_options *options, quire **out,
                        quire_error *err)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    struct quire *q;
    quire_status st;

    *out = NULL;
    st = read_options(options, &o, err);
    if (st)
        return st;
    q = calloc(1, sizeof *q);
    if (!q)
        return err_memory(err);
    init_turn(&q->blob_turn);
    q->read_only = o.flags & QUIRE_READ_ONLY;
    q->busy_ms = o.busy_ms;
    q->cache_kib = o.cache_kib;
    q->search_watch = o.search_watch;
    q->tenant = TENANT_DEFAULT;
    snprintf(q->actor, sizeof q->actor, "%s", o.actor ? o.actor : "");
    q->clock = clock_system;
    if (o.now_us)
        q->clock = (struct clock){o.now_us, o.now_ctx};
    q->trace = (struct trace){o.trace, o.trace_ctx};
    q->catalog.clock = &q->clock;
    q->catalog.actor = q->actor;
    st = home_find(q, &o, err);
    if (!st && o.database)
        st = join_cluster(q, &o, err);
    if (q->cluster)
        q->search_watch = NULL; /* it sees files only */
    if (!st)
        st = check_dir(q->home, err);
    if (!st)
        st = join_commit_queue(q, o.peer, err);
    if (!st)
        st = tenants_enter(q, &o, err);
    if (st)
        quire_close(q);
    else
        *out = q;
    return st;
}

void quire_close(quire *q)
{
    if (!q)
        return;
    import_drop_all(q);
    pending_files_free(q->pending_files);
    memories_free(q->memories);
    artifacts_free(q->artifacts);
    commit_queue_unref(q->commit_queue);
    scratchpads_free(q->pads);
    blobs_free(q->blobs);
    store_free(q->files);
    store_free(q->whole);
    catalog_close(&q->catalog);
    tenant_views_release(q);
    cluster_unref(q->cluster);
    foreign_state_close(q);
    reserve_restore(q);
    free(q->home);
    free(q->blob_path);
    free(q->db_path);
    arena_release(&q->loan);
    arena_release(&q->search_loan);
    pthread_mutex_destroy(&q->blob_turn);
    free(q);
}

const char *quire_home(const quire *q)
{
    return q->home;
}

const char *quire_database(const quire *q)
{
    return q->cluster ? cluster_place(q->cluster) : NULL;
}

quire_kind quire_home_kind(const quire *q)
{
    return q->kind;
}

quire_layout quire_blob_layout(const quire *q)
{
    return q->layout;
}

quire_status quire_sync(quire *q, quire_error *err)
{
    quire_status st = check_free(q, err);

    /* What another thread put for us is to be seen first. */
    if (!st && q->catalog.db)
        st = db_exec(q->catalog.db, "SELECT 1 FROM blob LIMIT 1", err);
    return st || !q->catalog.db ? st : db_settle(q->catalog.db, err);
}

/*
 * handle.c - the handle behind quire.h
 *
 * Opening finds out where the store is and whose; files and database are
 * opened by the first call that needs them, so that a command pays for what
 * it uses and reading an absent home makes nothing. Answers get their words
 * here, at the door.
 */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <isa-l.h>
#include <nettle/version.h>
#include <sqlite3.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/opts.h"
#include "blob/hash.h"
#include "memory/memory.h"
#include "memory/scratchpad.h"
#include "output/regex.h"
#include "api/verify.h"
#include "api/workspace.h"
#include "api/priv.h"

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
                      "the options make no sense");
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
    pthread_mutex_init(&q->blob_turn, NULL);
    q->read_only = o.flags & QUIRE_READ_ONLY;
    q->busy_ms = o.busy_ms;
    q->cache_kib = o.cache_kib;
    q->tenant = TENANT_DEFAULT;
    snprintf(q->actor, sizeof q->actor, "%s", o.actor ? o.actor : "");
    q->clock = clock_system;
    if (o.now_us)
        q->clock = (struct clock){o.now_us, o.now_ctx};
    q->trace = (struct trace){o.trace, o.trace_ctx};
    q->catalog.clock = &q->clock;
    q->catalog.actor = q->actor;
    st = home_find(q, &o, err);
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
    workspace_drop_pending(q);
    memories_free(q->memories);
    artifacts_free(q->artifacts);
    commit_queue_unref(q->commit_queue);
    scratchpads_free(q->pads);
    sql_release(&q->session_rows);
    if (q->changes)
        stmt_finalize(q->changes);
    blobs_free(q->blobs);
    if (q->files)
        q->files->ops->free(q->files);
    if (q->whole)
        q->whole->ops->free(q->whole);
    catalog_close(&q->catalog);
    tenant_views_release(q);
    foreign_state_close(q);
    free(q->home);
    free(q->blob_path);
    free(q->db_path);
    arena_release(&q->loan);
    pthread_mutex_destroy(&q->blob_turn);
    free(q);
}

const char *quire_home(const quire *q)
{
    return q->home;
}

quire_kind quire_home_kind(const quire *q)
{
    return q->kind;
}

quire_layout quire_blob_layout(const quire *q)
{
    return q->layout;
}

/* ---- opening what a call needs ------------------------------------------ */

quire_status trace_db(struct quire *q, struct db **db, quire_error *err)
{
    struct db *tapped;
    quire_status st;

    if (!q->trace.line)
        return QUIRE_OK;
    st = db_intercept(*db, trace_hook(&q->trace), &tapped, err);
    if (!st)
        *db = tapped;
    return st;
}

quire_status need_catalog(struct quire *q, bool write, quire_error *err)
{
    struct db_config config = {
        .path = q->db_path,
        .access = q->read_only ? DB_READ : DB_WRITE,
        .busy_ms = q->busy_ms,
        .cache_kib = q->cache_kib,
    };
    struct db *db;
    quire_status st = QUIRE_OK;
    int dir;

    if (q->catalog.db || !q->db_path)
        return QUIRE_OK;
    if (!write && access(q->db_path, F_OK) != 0 && errno == ENOENT)
        return QUIRE_OK;
    if (write) {
        st = fs_open_dir(q->home, true, &dir, err);
        if (st)
            return st;
        close(dir);
    }
    st = db_sqlite_open(&config, &db, err);
    if (!st) {
        st = trace_db(q, &db, err);
        if (st)
            db_close(db);
    }
    if (!st)
        st = catalog_open(&q->catalog, db, q->read_only, err);
    return st == QUIRE_NOT_FOUND && !write ? QUIRE_OK : st;
}

quire_status need_rows(struct quire *q, bool write, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (st)
        return st;
    if (q->kind != QUIRE_KIND_NATIVE)
        return err_fail(err, QUIRE_INVALID,
                        HINT_SHELL "name a home of Quire's own with --home",
                        "%s is a home of another program: it has no artifacts "
                        "and no tenants",
                        q->home);
    if (write && q->read_only)
        return read_only_error(err);
    st = need_catalog(q, write, err);
    if (st)
        return st;
    if (!catalog_has(&q->catalog, SCHEMA_ARTIFACTS))
        return QUIRE_NOT_FOUND;
    arena_reset(&q->loan);
    if (write && !q->finished) {
        q->finished = true;
        finish_removals(q);
    }
    return QUIRE_OK;
}

quire_status need_own_rows(struct quire *q, bool write, quire_error *err)
{
    quire_status st = need_rows(q, write, err);

    return st ? st : tenants_check(q, err);
}

quire_status quire_sync(quire *q, quire_error *err)
{
    quire_status st = check_free(q, err);

    /* What another thread put for us is to be seen first. */
    if (!st && q->catalog.db)
        st = db_exec(q->catalog.db, "SELECT 1 FROM blob LIMIT 1", err);
    return st || !q->catalog.db ? st : db_settle(q->catalog.db, err);
}

/* A store of the files in a directory, traced if the handle traces. */
static quire_status open_files(struct quire *q, const char *path,
                               struct object_store **out, quire_error *err)
{
    struct object_store *tapped;
    quire_status st;

    if (*out)
        return QUIRE_OK;
    st = object_files_open(path, q->read_only, out, err);
    if (st || !q->trace.line)
        return st;
    st = object_intercept(*out, trace_hook(&q->trace), &tapped, err);
    if (!st)
        *out = tapped;
    return st;
}

/* By its whole path: sessions are found by theirs from other directories. */
static quire_status open_whole(struct quire *q, const char *dir,
                               struct object_store **out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *path = absolute_cwd(dir, &tmp);
    quire_status st;

    st = path ? open_files(q, path, out, err)
              : err_sys(err, errno, "cannot tell the working directory");
    arena_release(&tmp);
    return st;
}

quire_status open_home_store(struct quire *q, struct object_store **out,
                             quire_error *err)
{
    return open_whole(q, q->root, out, err);
}

quire_status need_all(struct quire *q, quire_error *err)
{
    return q->all ? QUIRE_OK : open_home_store(q, &q->all, err);
}

quire_status need_home(struct quire *q, struct object_store **out,
                       quire_error *err)
{
    bool same = q->tenant == TENANT_DEFAULT;
    quire_status st = QUIRE_OK;

    if (same)
        st = need_all(q, err);
    else if (!q->whole)
        st = open_whole(q, q->home, &q->whole, err);
    *out = same ? q->all : q->whole;
    return st;
}

quire_status read_only_error(quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_INVALID,
                               HINT_SHELL "open it without QUIRE_READ_ONLY",
                               "the store is open for reading only");
    return st;
}

/* A callback that came back to us would find the handle's buffers and
 * statements in use. */
quire_status check_free(const struct quire *q, quire_error *err)
{
    if (!q->in_callback)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "open a second handle on the same store",
                    "a callback may not use the handle that called it");
}

/* What the settings say of blobs; a reader does not ask. */
static quire_status read_blob_settings(struct quire *q,
                                       struct blobs_config *config,
                                       quire_error *err)
{
    uint64_t row_max = 0;
    quire_status st = QUIRE_OK;

    if (q->read_only || q->layout != QUIRE_LAYOUT_PACKED)
        return QUIRE_OK;
    if (!config_is(q, "blob.layout", "loose"))
        st = config_number(q, "blob.inline", &row_max, err);
    config->row_max = (size_t)row_max;
    config->relaxed = q->catalog.relaxed;
    return st;
}

quire_status need_blobs(struct quire *q, bool write, quire_error *err)
{
    struct blobs_config config = {
        .layout = q->layout,
        .clock = &q->clock,
        .busy_ms = q->busy_ms,
    };
    quire_status st = check_free(q, err);

    if (!st && write && q->read_only)
        st = read_only_error(err);
    if (!st)
        st = need_catalog(q, write, err);
    if (!st)
        st = open_files(q, q->blob_path, &q->files, err);
    if (st || (q->blobs && q->blobs_db == q->catalog.db))
        return st;
    /* A reader that found no database has become a writer, which made one; or
     * something else did, that needs no blobs. */
    memories_free(q->memories);
    q->memories = NULL;
    artifacts_free(q->artifacts);
    q->artifacts = NULL;
    blobs_free(q->blobs);
    q->blobs = NULL;
    config.files = q->files;
    config.holds = &q->holds;
    config.db = q->blobs_db = q->catalog.db;
    st = read_blob_settings(q, &config, err);
    return st ? st : blobs_new(&config, &q->blobs, err);
}

quire_status need_own_blobs(struct quire *q, bool write, struct blob_view *out,
                            quire_error *err)
{
    quire_status st = need_blobs(q, write, err);

    if (!st)
        st = tenants_check(q, err);
    /* An older home that is only read does not record tenants of blobs. */
    *out = (struct blob_view){q->blobs, q->tenant != TENANT_DEFAULT &&
                                                catalog_has(&q->catalog,
                                                            SCHEMA_BLOB_TENANTS)
                                            ? q->tenant
                                            : 0};
    return st;
}

quire_status hold_blobs(struct quire *q, quire_error *err)
{
    quire_status st;

    pthread_mutex_lock(&q->blob_turn);
    st = need_blobs(q, true, err);
    if (!st)
        st = blobs_hold(q->blobs, err);
    pthread_mutex_unlock(&q->blob_turn);
    return st;
}

void release_blobs(struct quire *q)
{
    pthread_mutex_lock(&q->blob_turn);
    if (q->blobs)
        blobs_release(q->blobs);
    else if (--q->holds == 0) /* they could not be opened again */
        q->files->ops->lock(q->files, OBJECT_UNLOCK, 0, NULL);
    pthread_mutex_unlock(&q->blob_turn);
}

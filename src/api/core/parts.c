/*
 * parts.c - the parts of a handle, each opened by the first call that needs it
 *
 * A command pays for what it uses, and reading an absent home creates nothing.
 * The order is fixed: catalogue, blob files, blob store. A reader that found no
 * catalogue and becomes a writer opens the modules above it again.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/core/cluster.h"
#include "api/core/handle.h"
#include "api/core/reserve.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/opts.h"
#include "base/utf8.h"
#include "memory/memory.h"

/* ---- what a call may do -------------------------------------------------- */

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

static quire_status ignore_problem(void *ctx, const quire_problem *problem,
                                   quire_error *err)
{
    (void)ctx, (void)problem, (void)err;
    return QUIRE_OK;
}

void read_check_hooks(const quire_check_hooks *from, quire_check_hooks *to)
{
    *to = (quire_check_hooks)QUIRE_CHECK_HOOKS_INIT;
    OPTIONS_READ(*to, from);
    if (!to->problem)
        to->problem = ignore_problem;
}

bool read_id(const char *digits, int64_t *id)
{
    char *end;

    /* More digits do not fit an id. */
    if (*digits < '0' || *digits > '9' || strlen(digits) > 18)
        return false;
    *id = strtoll(digits, &end, 10);
    return *end == '\0';
}

/* ---- the catalogue ------------------------------------------------------- */

bool catalog_exists(const struct quire *q)
{
    return q->cluster || (q->db_path && access(q->db_path, F_OK) == 0);
}

quire_status trace_db(struct quire *q, struct db **db, quire_error *err)
{
    struct intercept hook = q->trace.line ? trace_hook(&q->trace) : q->db_hook;
    struct db *tapped;
    quire_status st;

    if (!q->trace.line && !q->db_hook.ctx)
        return QUIRE_OK;
    st = db_intercept(*db, hook, &tapped, err);
    if (!st)
        *db = tapped;
    return st;
}

/* Views in place of tables that an older version did not have are of one connection, and
 * there are several: a reader brings the tables of a shared database up to date first, if
 * there are any. */
static quire_status migrate_shared(struct quire *q, struct db *db,
                                   quire_error *err)
{
    struct catalog writer = {.clock = &q->clock, .actor = q->actor};
    struct db *own = NULL;
    int64_t version = 0;
    quire_status st = db_schema_version(db, &version, err);

    if (st || version == 0 || version >= SCHEMA_STEPS)
        return st;
    st = cluster_catalog(q->cluster, false, &own, err);
    if (!st)
        st = catalog_open(&writer, own, false, err);
    if (!st)
        catalog_close(&writer);
    return st;
}

static quire_status open_catalog(struct quire *q, bool write, quire_error *err)
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
    if (!write && !catalog_exists(q) && errno == ENOENT)
        return QUIRE_OK;
    if (write) {
        st = fs_open_dir(q->home, true, &dir, err);
        if (st)
            return st;
        close(dir);
    }
    st = q->cluster ? cluster_catalog(q->cluster, q->read_only, &db, err)
                    : db_sqlite_open(&config, &db, err);
    if (!st) {
        st = trace_db(q, &db, err);
        if (st)
            db_close(db);
    }
    if (!st && q->cluster && q->read_only) {
        st = migrate_shared(q, db, err);
        if (st)
            db_close(db);
    }
    q->catalog.has_files = q->cluster != NULL;
    if (!st)
        st = catalog_open(&q->catalog, db, q->read_only, err);
    return st == QUIRE_NOT_FOUND && !write ? QUIRE_OK : st;
}

quire_status need_catalog(struct quire *q, bool write, quire_error *err)
{
    quire_status st = open_catalog(q, write, err);

    if (!st && write)
        reserve_keep(q);
    return st;
}

int64_t quire_changes(quire *q)
{
    int64_t version = 0;

    if (q->in_callback || need_catalog(q, false, NULL) || !q->catalog.db)
        return 0;
    return db_data_version(q->catalog.db, &version, NULL) ? 0 : version;
}

bool config_is(struct quire *q, const char *key, const char *value)
{
    return !need_catalog(q, false, NULL) &&
           settings_is(&q->catalog, key, value);
}

quire_status config_number(struct quire *q, const char *key, uint64_t *out,
                           quire_error *err)
{
    quire_status st = need_catalog(q, false, err);

    return st ? st : settings_number(&q->catalog, q->tenant, key, out, err);
}

quire_status config_duration(struct quire *q, const char *key, int64_t *seconds,
                             quire_error *err)
{
    quire_status st = need_catalog(q, false, err);

    return st ? st : settings_duration(&q->catalog, key, seconds, err);
}

/* ---- files --------------------------------------------------------------- */

/* A header is JSON, so a path that is not UTF-8 is known by its repaired form,
 * everywhere. */
static char *mended(char *path, struct arena *keep)
{
    struct buf b = BUF_INIT(1 << 20);

    if (utf8_check(bytes_str(path)))
        return path;
    utf8_add_mended(&b, bytes_str(path));
    path = b.failed ? NULL : arena_text(keep, buf_bytes(&b));
    buf_release(&b);
    return path;
}

char *absolute_cwd(const char *cwd, struct arena *keep)
{
    char here[PATH_MAX] = "", *out, *at;
    const char *from = cwd;

    if (!cwd || *cwd != '/') {
        if (!getcwd(here, sizeof here))
            return NULL;
    }
    out = arena_alloc(keep, strlen(here) + (cwd ? strlen(cwd) : 0) + 3);
    if (!out)
        return NULL;
    strcpy(out, here);
    at = out + strlen(out);
    while (from && *from) {
        size_t len = strcspn(from, "/");

        if (len == 2 && !memcmp(from, "..", 2)) {
            while (at > out && *--at != '/')
                ;
        } else if (len > 0 && !(len == 1 && *from == '.')) {
            if (at == out || at[-1] != '/')
                *at++ = '/';
            memcpy(at, from, len);
            at += len;
        }
        *at = '\0';
        from += len;
        from += *from == '/';
    }
    if (at == out)
        strcpy(out, "/");
    /* One name for a directory: links are resolved. */
    if (realpath(out, here))
        out = arena_text(keep, bytes_str(here));
    return out ? mended(out, keep) : NULL;
}

/* A store of the files in a directory, traced if the handle traces. */
static quire_status open_files(struct quire *q, const char *path,
                               struct store **out, quire_error *err)
{
    struct store *files;
    quire_status st;

    if (*out)
        return QUIRE_OK;
    if (!q->cluster)
        st = store_files_open(path, q->read_only, &files, err);
    else if (path == q->blob_path)
        st = cluster_blobs(q->cluster, &q->clock, q->read_only, &files, err);
    else
        st = cluster_store(q->cluster,
                           path + strlen(q->home) +
                               (path[strlen(q->home)] == '/'),
                           &q->clock, q->read_only, &files, err);
    if (st)
        return st;
    if (q->trace.line)
        st = store_intercept(files, trace_hook(&q->trace), err);
    if (st)
        store_free(files);
    else
        *out = files;
    return st;
}

/* By its whole path: sessions are found by theirs from other directories. */
static quire_status open_whole(struct quire *q, const char *dir,
                               struct store **out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *path = q->cluster ? dir : absolute_cwd(dir, &tmp);
    quire_status st;

    st = path ? open_files(q, path, out, err)
              : err_sys(err, errno, "cannot tell the working directory");
    arena_release(&tmp);
    return st;
}

quire_status open_home_store(struct quire *q, struct store **out,
                             quire_error *err)
{
    return open_whole(q, q->root, out, err);
}

quire_status open_whole_home(const struct quire *q, struct store **out,
                             quire_error *err)
{
    return q->cluster ? cluster_store(q->cluster, "", &q->clock, true, out, err)
                      : store_files_open(q->home, true, out, err);
}

quire_status open_blob_files(const struct quire *q, struct store **out,
                             quire_error *err)
{
    return q->cluster ? cluster_blobs(q->cluster, &q->clock, true, out, err)
                      : store_files_open(q->blob_path, true, out, err);
}

quire_status open_another_db(const struct quire *q, struct db **out,
                             quire_error *err)
{
    struct db_config config = {.path = q->db_path,
                               .access = DB_READ,
                               .busy_ms = q->busy_ms};

    return q->cluster ? cluster_catalog(q->cluster, true, out, err)
                      : db_sqlite_open(&config, out, err);
}

quire_status need_all(struct quire *q, quire_error *err)
{
    return q->all ? QUIRE_OK : open_home_store(q, &q->all, err);
}

quire_status need_home(struct quire *q, struct store **out, quire_error *err)
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

/* ---- blobs --------------------------------------------------------------- */

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
    config.files = q->files->objects;
    config.leases = q->files->leases;
    config.holds = &q->holds;
    config.db = q->blobs_db = q->catalog.db;
    st = read_blob_settings(q, &config, err);
    return st ? st : blobs_new(&config, &q->blobs, err);
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
        lease_lock(q->files->leases, LEASE_UNLOCK, 0, NULL);
    pthread_mutex_unlock(&q->blob_turn);
}

const char *tenants_skip(const char *name, int64_t *id)
{
    static const char prefix[] = "tenants/";
    size_t digits;
    const char *at;

    *id = 0;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return name;
    at = name + sizeof prefix - 1;
    digits = strspn(at, "0123456789");
    if (digits == 0 || (at[digits] != '/' && at[digits] != '\0'))
        return name;
    *id = strtoll(at, NULL, 10);
    return at + digits + (at[digits] == '/');
}

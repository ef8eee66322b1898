/* search_index.c - open the search indexes of a handle: see search.h */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/sha2.h>

#include "api/search.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "memory/history.h"

/* Memory of an update before it writes a segment. The writer needs about as much
 * again as a fifth of it. */
#define UPDATE_MEMORY ((size_t)44 << 20)

/* A larger index is not kept open for a tenant that is not worked for: a part of it is
 * in memory. */
#define PARKED_MAX ((uint64_t)1 << 20)

/* Up to here new content stays in memory; and up to here while another process, or
 * another thread, writes the home's index. */
#define PENDING_MAX      ((uint64_t)256 << 10)
#define PENDING_BUSY_MAX ((uint64_t)32 << 20)

/* What differs between the indexes. Each engine has numbers of its own, so that hits
 * of all of them can be told apart. */
static const struct {
    const char *dir; /* below search/ */
    uint32_t home_source, pending_source;
    uint64_t home_text, pending_text;
} parts[N_SEARCH_PARTS] = {
    [SEARCH_FILES] = {"files", 0, UINT32_C(2) << 30, 0, UINT64_C(1) << 40},
    [SEARCH_ROWS] = {"rows", UINT32_C(1) << 30, UINT32_C(3) << 30,
                     UINT64_C(2) << 40, UINT64_C(3) << 40},
};

uint32_t search_group(const char *session)
{
    uint32_t h = 2166136261u;

    for (; *session; session++)
        h = (h ^ (uint8_t)*session) * 16777619u;
    return h;
}

/* ---- place ----------------------------------------------------------------------- */

/* The indexes of another program's home are in the user's cache directory, by a digest
 * of the home's path. NULL: out of memory, or no such directory. */
static char *cache_place(const struct quire *q, const char *dir,
                         struct arena *keep)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *user = getenv("HOME");
    struct sha256_ctx sha;
    uint8_t digest[16];
    char hex[33];

    sha256_init(&sha);
    sha256_update(&sha, strlen(q->root), (const uint8_t *)q->root);
    sha256_digest(&sha, sizeof digest, digest);
    hex_encode(digest, sizeof digest, hex);
    if (cache && cache[0] == '/')
        return arena_printf(keep, "%s/quire/search/%s/%s", cache, hex, dir);
    if (user && user[0] == '/')
        return arena_printf(keep, "%s/.cache/quire/search/%s/%s", user, hex,
                            dir);
    return NULL;
}

static char *home_place(const struct quire *q, enum search_part part,
                        struct arena *keep)
{
    return arena_printf(keep, "%s/search/%s", q->root, parts[part].dir);
}

/* A reader uses the home's index as it is, with what is new in memory. If the home has
 * none, that of a reader is in the cache directory, too: without one that it can write,
 * it would have to hold all of a large home in memory. *fixed: it is not written. */
static char *index_place(const struct quire *q, enum search_part part,
                         struct arena *keep, bool *fixed)
{
    char *place = home_place(q, part, keep);

    *fixed = false;
    if (q->kind != QUIRE_KIND_NATIVE)
        return cache_place(q, parts[part].dir, keep);
    if (!q->read_only || !place)
        return place;
    *fixed = access(place, F_OK) == 0;
    return *fixed ? place : cache_place(q, parts[part].dir, keep);
}

/* ---- removing ---------------------------------------------------------------------- */

static quire_status open_parent(const char *place, int *dir, quire_error *err)
{
    const char *base = strrchr(place, '/');
    struct arena tmp = ARENA_INIT;
    char *parent = arena_text(&tmp, bytes_of(place, (size_t)(base - place)));
    quire_status st = parent ? fs_open_dir(parent, false, dir, err)
                             : err_memory(err);

    arena_release(&tmp);
    return st;
}

static quire_status remove_place(const char *place, quire_error *err)
{
    int dir;
    quire_status st = open_parent(place, &dir, err);

    if (!st) {
        if (fs_remove_tree(dir, strrchr(place, '/') + 1) != 0 &&
            errno != ENOENT)
            st = err_sys(err, errno, "cannot remove %s", place);
        close(dir);
    }
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st; /* there is none */
}

/* Development versions had one index, in the directory above. */
static void remove_older_layout(const char *place)
{
    static const char *const names[] = {"segments",       "search.db",
                                        "search.db-wal",  "search.db-shm",
                                        "search.db-mark", "search.db-lost"};
    size_t i;
    int dir;

    if (open_parent(place, &dir, NULL))
        return;
    if (faccessat(dir, "segments", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
        faccessat(dir, "search.db", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        for (i = 0; i < sizeof names / sizeof *names; i++)
            fs_remove_tree(dir, names[i]);
    close(dir);
}

/* ---- opening ----------------------------------------------------------------------- */

/* Segments are only removed where we have put them. */
static quire_status refuse_link(int dir, const char *place, quire_error *err)
{
    struct stat s;

    if (fstatat(dir, "segments", &s, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISDIR(s.st_mode))
        return QUIRE_OK;
    return err_set(err, QUIRE_DAMAGED, "%s/segments is not a directory", place);
}

static quire_status open_engine(struct quire *q, enum search_part part,
                                const char *place, bool fixed,
                                struct engine **out, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    char *path = arena_printf(&tmp, "%s/search.db", place);
    char *segments = arena_printf(&tmp, "%s/segments", place);
    struct db_config config = {.path = path,
                               .access = fixed ? DB_READ : DB_WRITE,
                               .busy_ms = q->busy_ms,
                               .cache_kib = 1024,
                               .scrub = true};
    struct engine_config c = {.read_only = fixed,
                              .memory_max = UPDATE_MEMORY,
                              .first_source = parts[part].home_source,
                              .first_text = parts[part].home_text};
    struct store *store = NULL;
    quire_status st = path && segments ? QUIRE_OK : err_memory(err);
    int dir = -1;

    if (!st)
        st = fs_open_dir(place, !fixed, &dir, err);
    if (!st)
        st = refuse_link(dir, place, err);
    if (dir >= 0)
        close(dir);
    if (!st && !fixed)
        remove_older_layout(place);
    if (!st)
        st = db_sqlite_open(&config, &c.db, err);
    /* Not for the hook of tests: it counts waits for the catalogue. */
    if (!st && q->trace.line)
        st = trace_db(q, &c.db, err);
    if (!st)
        st = store_files_open(segments, fixed, &store, err);
    if (st) {
        db_close(c.db);
    } else {
        c.store = store->objects;
        store->objects = NULL;
        st = engine_open(&c, out, err);
    }
    store_free(store);
    arena_release(&tmp);
    return st;
}

/* An index that cannot be read is removed and built again: it is derived. */
static quire_status open_or_replace(struct quire *q, enum search_part part,
                                    const char *place, bool fixed,
                                    struct engine **out, quire_error *err)
{
    quire_status st = open_engine(q, part, place, fixed, out, err);

    if (st != QUIRE_DAMAGED || fixed)
        return st;
    st = remove_place(place, err);
    return st ? st : open_engine(q, part, place, false, out, err);
}

quire_status search_index_remove(struct search_index *x, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    bool fixed;
    char *place = index_place(x->q, x->part, &tmp, &fixed);
    quire_status st = place ? QUIRE_OK : err_memory(err);

    if (fixed)
        st = err_set(err, QUIRE_INVALID, "the search index cannot be written");

    if (!st) {
        x->q->search[x->part] = NULL;
        search_index_close(x);
    }
    if (!st)
        st = remove_place(place, err);
    arena_release(&tmp);
    return st;
}

/* Without an index that can be used, a search is in memory. */
quire_status search_open_home(struct search_index *x, bool create,
                              quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    char *place = index_place(x->q, x->part, &tmp, &x->fixed);
    quire_status st = QUIRE_OK;

    if (!x->home && place && (create || access(place, F_OK) == 0))
        st = open_or_replace(x->q, x->part, place, x->fixed, &x->home, err);
    if (st && st != QUIRE_NO_MEMORY && (x->q->read_only || !create))
        st = QUIRE_OK;
    arena_release(&tmp);
    return st;
}

static quire_status open_index(struct quire *q, enum search_part part,
                               quire_error *err)
{
    struct search_index *x = calloc(1, sizeof *x);
    quire_status st;

    if (!x)
        return err_memory(err);
    x->q = q;
    x->part = part;
    x->scratch = (struct entry_text_scratch)ENTRY_TEXT_SCRATCH_INIT;
    x->text = (struct buf)BUF_INIT(SIZE_MAX);
    st = search_open_home(x, false, err);
    if (st)
        search_index_close(x);
    else
        q->search[part] = x;
    return st;
}

quire_status need_search(struct quire *q, enum search_part part,
                         struct search_index **out, quire_error *err)
{
    quire_status st = check_free(q, err);

    *out = NULL;
    if (!st && !strcmp(q->home, q->blob_path))
        st = err_fail(err, QUIRE_INVALID, "open a home",
                      "%s has blobs, and nothing to search", q->home);
    if (!st)
        st = tenants_check(q, err);
    if (!st && !q->search[part])
        st = open_index(q, part, err);
    *out = st ? NULL : q->search[part];
    return st;
}

void search_index_close(struct search_index *x)
{
    if (!x)
        return;
    text_cache_free(x->cache);
    engine_close(x->pending);
    engine_close(x->home);
    entry_text_scratch_release(&x->scratch);
    buf_release(&x->text);
    free(x);
}

void search_index_park(struct search_index **x)
{
    if (!*x)
        return;
    search_drop_pending(*x);
    if (!(*x)->home || engine_bytes((*x)->home) <= PARKED_MAX)
        return;
    search_index_close(*x);
    *x = NULL;
}

/* ---- engines ------------------------------------------------------------------------- */

void search_engines(const struct search_index *x,
                    struct engine *out[RUN_ENGINES_MAX])
{
    out[SEARCH_ENGINES * x->part] = x->home;
    out[SEARCH_ENGINES * x->part + 1] = x->pending;
}

struct search_index *search_index_of(struct quire *q, size_t engine)
{
    return q->search[engine / SEARCH_ENGINES];
}

void search_pass_over_home(struct search_index *x)
{
    search_drop_pending(x);
    engine_close(x->home);
    x->home = NULL;
}

bool search_rows_are_damaged(const struct quire *q)
{
    int i;

    if (db_is_damaged(q->catalog.db) || db_is_damaged(q->blobs_db) ||
        history_is_damaged(q->history))
        return true;
    for (i = 0; i < N_SEARCH_PARTS; i++)
        if (q->search[i] && q->search[i]->rows_damaged)
            return true;
    return false;
}

void search_forget_texts(struct quire *q)
{
    int i;

    for (i = 0; i < N_SEARCH_PARTS; i++)
        if (q->search[i])
            text_cache_clear(q->search[i]->cache);
}

void search_drop_pending(struct search_index *x)
{
    text_cache_clear(x->cache);
    engine_close(x->pending);
    x->pending = NULL;
    x->pending_bytes = 0;
    x->list_known = false;
    if (x->home)
        engine_show_hidden(x->home);
}

quire_status search_need_pending(struct search_index *x, quire_error *err)
{
    struct db_config config = {.path = NULL, .access = DB_WRITE};
    struct engine_config c = {.first_source = parts[x->part].pending_source,
                              .first_text = parts[x->part].pending_text,
                              .temporary = true,
                              .memory_max = SIZE_MAX};
    struct store *store = NULL;
    quire_status st;

    if (x->pending)
        return QUIRE_OK;
    st = db_sqlite_open(&config, &c.db, err);
    if (!st)
        st = store_memory_open(&x->q->clock, &store, err);
    if (st) {
        db_close(c.db);
        return st;
    }
    c.store = store->objects;
    store->objects = NULL;
    st = engine_open(&c, &x->pending, err);
    store_free(store);
    return st;
}

quire_status search_choose_engine(struct search_index *x,
                                  enum search_target target, uint64_t bytes,
                                  struct engine **to, quire_error *err)
{
    uint64_t pending = x->pending_bytes + bytes;
    bool inside = x->part == SEARCH_ROWS && x->q->in_transaction;
    bool large = target == TARGET_HOME ||
                 (target == TARGET_ANY && pending > PENDING_MAX);
    quire_status st = QUIRE_OK;

    if (large && !inside && !x->fixed)
        st = search_open_home(x, true, err);
    if (st)
        return st;
    if (large && !inside && x->home && !x->fixed) {
        *to = x->home;
        return QUIRE_OK;
    }
    if (x->home && !inside && !x->fixed && pending > PENDING_BUSY_MAX)
        return err_fail(err, QUIRE_BUSY, "try again when it is done",
                        "another process builds the search index");
    st = search_need_pending(x, err);
    *to = x->pending;
    x->pending_bytes += bytes;
    if (inside)
        x->transaction = x->q->n_transactions;
    return st;
}

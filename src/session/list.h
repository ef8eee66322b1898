/*
 * list.h - list the sessions of a home
 *
 * Of each file only the beginning and the end are read, whatever its size. The
 * result is cached in the catalogue, by the file's inode, size and time, so
 * that a second listing of ten thousand sessions reads none of them.
 */
#ifndef SESSION_LIST_H
#define SESSION_LIST_H

#include "base/arena.h"
#include "quire.h"
#include "store/db.h"
#include "store/log.h"

/* A file changed this recently may change again without a new time: the clocks
 * of file systems tick. */
#define LIST_FRESH_NS INT64_C(20000000)

/* The table of the cache. */

/* Metadata from a file. Strings are in an arena, "" for what is absent. */
struct list_meta {
    const char *id; /* NULL: not a session */
    const char *cwd, *title, *parent, *created, *first;
    const char *status;
    uint64_t messages; /* UINT64_MAX: it was not read whole */
    int version;
};

struct list_item {
    const char *name; /* in the store */
    struct object_info info;
    struct list_meta meta;
    bool unread; /* it could not be read; the next listing tries again */
};

struct list_cache;

struct list {
    struct list_item *items;  /* owned, as they were found             */
    struct list_item **order; /* owned, the last changed first         */
    size_t n, cap;
    struct arena *arena;      /* for what was read                     */
    const char *key;          /* of its cache; NULL: as the root       */
    struct list_cache *cache; /* has the strings of cached items */
    bool only_kept;           /* skip what the cache does not have */
};

void list_release(struct list *l);

/* Read the metadata of one file from its first 4 KiB and its last 32. */
quire_status list_read(struct log *file, uint64_t size, struct arena *keep,
                       struct list_meta *out, quire_error *err);

/* Read the file of an item again, bypassing the cache; the name stays. One that
 * is not a session or cannot be read is reported as damaged. QUIRE_NOT_FOUND.
 */
quire_status list_reread(struct log_store *store, struct list_item *item,
                         struct arena *keep, quire_error *err);

/* Find the sessions below `root`, a directory of directories. All of them,
 * whatever the project: the naming of directories has changed over time, and
 * only the header is authoritative. `cache` may be NULL; its failures do not
 * fail the list. */
quire_status list_find(struct list *l, struct log_store *store,
                       const char *root, struct db *cache, bool may_write,
                       quire_error *err);

/* The order of a list: compares two pointers to items, for qsort(). */
int list_newest_first(const void *a, const void *b);

/* ---- list_cache.c ------------------------------------------------------- */

/* The cached records under `key` for the files below `root`; never fails, at
 * worst it is empty. */
struct list_cache *list_cache_open(struct db *db, const char *key,
                                   const char *root, struct arena *keep);

/* Drop the records under `key`. */
quire_status list_cache_forget(struct db *db, const char *key,
                               quire_error *err);

/* False if the file has changed or is unknown. The strings, and item->name, are
 * valid as long as the cache. */
bool list_cache_get(struct list_cache *c, const char *dir, const char *base,
                    struct list_item *item);

/* Store these items, if enough of them are new. */
void list_cache_put(struct list_cache *c, const struct list *l, size_t n_new);
void list_cache_close(struct list_cache *c);

#endif

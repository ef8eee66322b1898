/*
 * list.h - which sessions there are
 *
 * Of each file only the beginning and the end are read, whatever its size.
 * What was learnt is kept in the catalogue, by the file's inode, size and
 * time, so that a second look at ten thousand sessions reads none of them.
 */
#ifndef SESSION_LIST_H
#define SESSION_LIST_H

#include "base/arena.h"
#include "quire.h"
#include "store/db.h"
#include "store/object.h"

/* A file that changed so short a time ago may change again and keep its time:
 * the clocks of file systems tick. */
#define LIST_FRESH_NS INT64_C(20000000)

/* The table behind it. */

/* What a file tells of itself. Strings are in an arena, "" for what it does
 * not tell. */
struct list_meta {
    const char *id; /* NULL: it is no session */
    const char *cwd, *title, *parent, *created, *first;
    const char *status;
    uint64_t messages; /* UINT64_MAX: it was not read whole */
    int version;
};

struct list_item {
    const char *name; /* in the store */
    struct object_info info;
    struct list_meta meta;
    bool unread; /* it could not be read; perhaps it can next time */
};

struct list_cache;

struct list {
    struct list_item *items;  /* owned, as they were found             */
    struct list_item **order; /* owned, the last changed first         */
    size_t n, cap;
    struct arena *arena;      /* for what was read                     */
    const char *key;          /* of its cache; NULL: as the root       */
    struct list_cache *cache; /* has the strings of what was not       */
    bool only_kept;           /* what the cache does not know is left out */
};

void list_release(struct list *l);

/* Read what one file tells: its first 4 KiB and its last 32. */
quire_status list_read(struct object *file, uint64_t size, struct arena *keep,
                       struct list_meta *out, quire_error *err);

/* The file of an item anew, whatever was known of it; the name stays. One that
 * is no session or cannot be read is called damaged. QUIRE_NOT_FOUND. */
quire_status list_reread(struct object_store *store, struct list_item *item,
                         struct arena *keep, quire_error *err);

/* Find the sessions below `root`, a directory of directories. All of them,
 * whichever project is asked for: names of directories have changed over
 * time, and the header alone is the truth. `cache` may be NULL; trouble with
 * it is no trouble of the list. */
quire_status list_find(struct list *l, struct object_store *store,
                       const char *root, struct db *cache, bool may_write,
                       quire_error *err);

/* ---- list_cache.c ------------------------------------------------------- */

/* What is known under `key` of the files below `root`; never fails, at worst
 * nothing. */
struct list_cache *list_cache_open(struct db *db, const char *key,
                                   const char *root, struct arena *keep);

/* Forget what is known under `key`. */
quire_status list_cache_forget(struct db *db, const char *key,
                               quire_error *err);

/* False if the file has changed or was never seen. The strings, and
 * item->name, are good as long as the cache. */
bool list_cache_get(struct list_cache *c, const char *dir, const char *base,
                    struct list_item *item);

/* Remember these items, if enough of them are new. */
void list_cache_put(struct list_cache *c, const struct list *l, size_t n_new);
void list_cache_close(struct list_cache *c);

#endif

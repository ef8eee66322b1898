/* rows_priv.h - shared by the files of the backend in rows */
#ifndef STORE_ROWS_PRIV_H
#define STORE_ROWS_PRIV_H

#include <pthread.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "store/rows.h"
#include "store/sql.h"

/* Bytes of a draft in memory, and of a piece of it. */
#define ROWS_PIECE ((size_t)256 << 10)

enum rows_sql {
    ROWS_FIND,
    ROWS_IN_DIR,
    ROWS_BELOW,
    ROWS_EVERY,
    ROWS_NAME,
    ROWS_NAME_REPLACE,
    ROWS_NAME_MOVE,
    ROWS_NAME_SWAP,
    ROWS_UNNAME,
    ROWS_NEXT_BLOCK,
    ROWS_ADD,
    ROWS_TOUCH,
    ROWS_TOUCH_NAMED,
    ROWS_DROP,
    ROWS_STATUS,
    ROWS_APPEND,
    ROWS_APPEND_HELD,
    ROWS_GROW,
    ROWS_CUT,
    ROWS_HOLD,
    ROWS_RENEW,
    ROWS_RELEASE,
    ROWS_HOLDER,
    ROWS_PIECES,
    ROWS_ADD_PIECE,
    ROWS_SET_PIECE,
    ROWS_CUT_PIECES,
    ROWS_LEASE_GET,
    ROWS_LEASE_PUT,
    ROWS_LEASE_COUNT,
    ROWS_LOCK_PUT,
    ROWS_LOCK_DROP,
    ROWS_LOCK_OTHERS,
    N_ROWS_SQL
};

struct rows {
    struct store store;
    struct object_store objects;
    struct log_store logs;
    struct lease_store leases;
    struct directory_store dirs;
    int n_parts; /* of these that are in use; the last one frees all */
    struct db *db;
    struct sql sql;
    pthread_mutex_t turn; /* a log is synced by a thread of its own */
    const struct clock *clock;
    char *root, *place; /* owned */
    bool read_only;
    bool batch;               /* of object.h: a transaction is open */
    int64_t next_id;          /* of a content */
    int ids_left;             /* in its block */
    char me[LEASE_NAME_SIZE]; /* this store, as a holder */
    enum lease_mode locked;   /* the lock of the store */
    int64_t lock_until_ms;
    char *dir_lease; /* owned; the locked directory, NULL: none */
    uint64_t dir_epoch;
};

static inline struct rows *rows_of_store(struct store *s)
{
    return (struct rows *)(void *)((char *)s - offsetof(struct rows, store));
}

static inline struct rows *rows_of_objects(const struct object_store *s)
{
    return (struct rows *)(void *)((char *)(uintptr_t)s -
                                   offsetof(struct rows, objects));
}

static inline struct rows *rows_of_logs(const struct log_store *s)
{
    return (struct rows *)(void *)((char *)(uintptr_t)s -
                                   offsetof(struct rows, logs));
}

static inline struct rows *rows_of_leases(struct lease_store *s)
{
    return (struct rows *)(void *)((char *)s - offsetof(struct rows, leases));
}

static inline struct rows *rows_of_dirs(struct directory_store *s)
{
    return (struct rows *)(void *)((char *)s - offsetof(struct rows, dirs));
}

/* ---- rows.c: names, and what is common ------------------------------------- */

/* A name in two parts, as the tables have it: `dir` may be empty. Borrows the
 * names; `whole` is the directory below the root, in `keep`. */
struct rows_name {
    quire_bytes dir, base;
};

quire_status rows_split(const struct rows *r, const char *name,
                        struct arena *keep, struct rows_name *out,
                        quire_error *err);

/* The name of a directory in the tables. */
quire_status rows_dir(const struct rows *r, const char *dir, struct arena *keep,
                      quire_bytes *out, quire_error *err);

/* What a name stands for. */
struct rows_entry {
    const char *dir, *base; /* below the root, in the arena */
    int64_t content;
    struct object_info info;
};

/* Find by name. QUIRE_NOT_FOUND leaves `err` alone. */
quire_status rows_find(struct rows *r, const char *name, struct rows_entry *out,
                       quire_error *err);

/* All entries in `dir` (deep: and below it), by directory and base. */
quire_status rows_list(struct rows *r, const char *dir, bool deep,
                       struct arena *keep, struct rows_entry **out, size_t *n,
                       quire_error *err);

/* A statement of this store, ready to be bound. */
quire_status rows_use(struct rows *r, enum rows_sql which, struct stmt **out,
                      quire_error *err);

/* Begin a transaction, or go on in that of the batch; end it likewise. */
quire_status rows_begin(struct rows *r, quire_error *err);
quire_status rows_end(struct rows *r, quire_status st, quire_error *err);

/* The error of a store open for reading; QUIRE_OK if it is not. */
quire_status rows_writable(const struct rows *r, quire_error *err);

/* Take a name from the content that has it; QUIRE_NOT_FOUND. In a transaction. */
quire_status rows_unname(struct rows *r, const struct rows_name *n,
                         quire_error *err);

/* Give a file, or all below a directory, another name. */
quire_status rows_rename(struct rows *r, const char *from, const char *to,
                         bool deep, quire_error *err);

/* Take the database over and prepare for its statements. */
quire_status rows_init(struct rows *r, struct db *db, quire_error *err);

int64_t rows_now(const struct rows *r); /* microseconds */
void rows_drop_part(struct rows *r);

/* ---- rows_content.c: bytes -------------------------------------------------- */

/* Up to `cap` bytes of a content from `offset`. QUIRE_CHANGED: it was removed too
 * long ago. */
quire_status rows_read(struct rows *r, int64_t content, uint64_t offset,
                       void *buf, size_t cap, size_t *n, quire_error *err);

/* Bytes on their way to a name. */
struct rows_draft {
    struct buf bytes; /* not stored yet */
    int64_t content;  /* 0: nothing is stored */
    uint64_t stored;  /* bytes of it */
};

quire_status rows_draft_write(struct rows *r, struct rows_draft *d,
                              quire_bytes bytes, quire_error *err);

/* Store the rest, in a transaction. */
quire_status rows_draft_finish(struct rows *r, struct rows_draft *d,
                               quire_error *err);

void rows_draft_release(struct rows_draft *d);

/* Give the draft's content a name, in a transaction of its own or the batch.
 * QUIRE_EXISTS: it is taken, and the draft is as before. */
quire_status rows_draft_publish(struct rows *r, struct rows_draft *d,
                                const char *name, bool replace,
                                quire_error *err);

/* ---- the tables of functions ------------------------------------------------- */

extern const struct object_ops rows_object_ops;
extern const struct log_ops rows_log_ops;
extern const struct lease_ops rows_lease_ops;
extern const struct directory_ops rows_directory_ops;

#endif

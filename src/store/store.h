/*
 * store.h - the storage interfaces of one place, and the backends of one machine
 *
 * A home on a disk is one directory that gives all of them. The struct also
 * joins interfaces of different backends, such as objects in a bucket and logs
 * in a database; modules take the one that they use:
 *
 *     objects   store/object.h   immutable bytes under a name
 *     logs      store/log.h      bytes that are appended to
 *     leases    store/lease.h    locks and leases
 *     dirs      store/directory.h   the names as directories, on a disk only
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/clock.h"
#include "store/directory.h"
#include "store/lease.h"
#include "store/log.h"
#include "store/object.h"

struct store {
    struct object_store *objects;
    struct log_store *logs;
    struct lease_store *leases;
    struct directory_store *dirs;  /* NULL: not on one machine */
    void (*free)(struct store *s); /* the struct, after its parts */
};

/* Frees every part and the struct. NULL is fine. */
void store_free(struct store *s);

/* The path of the store, for messages. */
const char *store_place(const struct store *s);

/* Everything beneath the directory `path`, which is created with the first
 * write (not at all if `read_only`). The parts share one descriptor. */
quire_status store_files_open(const char *path, bool read_only,
                              struct store **out, quire_error *err);

/* The same for a directory that is open at `fd`, which the store takes, also on
 * failure; `path` is its name in messages. */
quire_status store_files_adopt(int fd, const char *path, bool read_only,
                               struct store **out, quire_error *err);

/* In memory, for one thread: dropped when it is freed. */
quire_status store_memory_open(const struct clock *clock, struct store **out,
                               quire_error *err);

#endif

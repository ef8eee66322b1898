/*
 * preloaded.h - a small object held in memory for several readers
 *
 * A store that contains just this object serves its bytes from memory. Later
 * changes of the object are not seen.
 */
#ifndef STORE_PRELOADED_H
#define STORE_PRELOADED_H

#include "base/buf.h"
#include "store/object.h"

struct preloaded {
    struct object_store store;
    struct object object;
    struct object_store *from; /* borrowed */
    struct object_info info;
    struct buf bytes;
    uint64_t unfinished; /* as object_ops has it */
};

/* The largest object that can be preloaded. */
enum { WHOLE_MAX = 8 << 20 };

void preloaded_init(struct preloaded *w);
void preloaded_release(struct preloaded *w);

/* Read all of an open object, in the place of the one before. `info` is its
 * state as listed; it may have grown since. */
quire_status preloaded_read(struct preloaded *w, struct object_store *from,
                            struct object *file, const struct object_info *info,
                            quire_error *err);

#endif

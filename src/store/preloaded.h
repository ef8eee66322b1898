/*
 * preloaded.h - a small object read once, for those who look at it several times
 *
 * Its bytes lie in memory, and a store that has nothing but this object gives
 * them to whoever wants to open and read it. What happens to the object
 * meanwhile nobody sees.
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
};

/* Larger objects are not for this. */
enum { WHOLE_MAX = 8 << 20 };

void preloaded_init(struct preloaded *w);
void preloaded_release(struct preloaded *w);

/* Read all of an open object, in the place of the one before. `info` is told of
 * it; it may have grown since. */
quire_status preloaded_read(struct preloaded *w, struct object_store *from,
                            struct object *file, const struct object_info *info,
                            quire_error *err);

#endif

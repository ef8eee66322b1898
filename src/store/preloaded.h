/*
 * preloaded.h - a small file held in memory for several readers
 *
 * A store that contains just this one serves its bytes from memory, as a log
 * and as an object. Later changes of the file are not seen.
 */
#ifndef STORE_PRELOADED_H
#define STORE_PRELOADED_H

#include "base/buf.h"
#include "store/store.h"

struct preloaded {
    struct store
        store; /* its logs and objects: the two below; not to be freed */
    struct object_store objects;
    struct log_store logs;
    struct object object;
    struct log log;
    struct store *from; /* borrowed */
    struct object_info info;
    struct buf bytes;
    uint64_t unfinished; /* as log_ops has it */
};

/* The largest file that can be preloaded. */
enum { WHOLE_MAX = 8 << 20 };

void preloaded_init(struct preloaded *w);
void preloaded_release(struct preloaded *w);

/* Read all of an open log, in the place of the one before. `info` is its state
 * as listed; it may have grown since. */
quire_status preloaded_read(struct preloaded *w, struct store *from,
                            struct log *file, const struct object_info *info,
                            quire_error *err);

#endif

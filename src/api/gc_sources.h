/*
 * gc_sources.h - the files that may refer to blobs
 *
 *     native, oh-my-pi   sessions/ and archive/, of every tenant
 *     JP                 conversations/, with .archive and .trash
 *     all                what was registered: sessions that lie elsewhere
 *
 * at any depth, whatever they are called, also if they are no sessions; what
 * ends in .gz is unpacked. Only the logs of tools are left out, in the home:
 * they are no entries. What cannot be looked
 * at, and what is a link, stops the walk: a file that is not seen must not count
 * as one that refers to nothing.
 */
#ifndef API_GC_SOURCES_H
#define API_GC_SOURCES_H

#include "api/priv.h"

struct gc_source {
    struct object_store *store; /* borrowed, until the walk goes on           */
    const char *name;           /* in the store                               */
    const char *label; /* from the home on, or a whole path: what it is called
                          in answers, and known by                            */
    const struct object_info *info;
};

typedef quire_status (*gc_source_visit_fn)(void *ctx, const struct gc_source *s,
                                           quire_error *err);

quire_status gc_sources_each(struct quire *q, gc_source_visit_fn each,
                             void *ctx, quire_error *err);

/* Whether a file of the home, by its name in it, lies where it is met. */
bool gc_sources_include(const char *name);

/* Make a file outside the home a source. Cheap if it is one already. */
quire_status gc_sources_register(struct quire *q, const char *path,
                                 quire_error *err);

/* Opening by label, for one thread; the stores are opened when first needed. */
struct gc_source_reader {
    const char *home; /* borrowed */
    struct object_store *in_home, *outside;
    char *dir; /* owned; of `outside` */
};

/* The store that a label leads to, until the next one is asked for, and the name
 * in it. */
quire_status gc_source_find(struct gc_source_reader *r, const char *label,
                            struct object_store **store, const char **name,
                            quire_error *err);

/* For reading, one at a time. QUIRE_NOT_FOUND without words. */
quire_status gc_source_open(struct gc_source_reader *r, const char *label,
                            struct object **out, struct object_info *info,
                            quire_error *err);
void gc_source_reader_release(struct gc_source_reader *r);

#endif

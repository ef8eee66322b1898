/*
 * gc_sources.h - the files that may refer to blobs
 *
 *     native, oh-my-pi   sessions/ and archive/, of every tenant
 *     JP                 conversations/, with .archive and .trash
 *     all                registered files and directories elsewhere
 *
 * at any depth and under any name, sessions or not; .gz files are unpacked. Only
 * the logs of tools are left out. An unreadable file and a link stop the walk: a
 * file that is not read must not count as one without references.
 */
#ifndef API_GC_SOURCES_H
#define API_GC_SOURCES_H

#include "api/core/handle.h"

struct gc_source {
    struct store *store; /* borrowed, until the walk goes on           */
    const char *name;    /* in the store                               */
    const char *label; /* relative to the home, or an absolute path; identifies
                          it                                                  */
    const struct object_info *info;
};

typedef quire_status (*gc_source_visit_fn)(void *ctx, const struct gc_source *s,
                                           quire_error *err);

quire_status gc_sources_each(struct quire *q, gc_source_visit_fn each,
                             void *ctx, quire_error *err);

/* Whether the walk covers a file of the home, by its name. */
bool gc_sources_include(const char *name);

/* Register a file outside the home. Cheap if it is registered. */
quire_status gc_sources_register(struct quire *q, const char *path,
                                 quire_error *err);

/* Opening by label, for one thread; the stores are opened when first needed. */
struct gc_source_reader {
    struct quire *q; /* borrowed; of `in_home` */
    struct store *in_home, *outside;
    char *dir; /* owned; of `outside` */
};

/* The store of a label, valid until the next call, and the name in it. */
quire_status gc_source_find(struct gc_source_reader *r, const char *label,
                            struct store **store, const char **name,
                            quire_error *err);

/* For reading, one at a time. QUIRE_NOT_FOUND without a
 * message. */
quire_status gc_source_open(struct gc_source_reader *r, const char *label,
                            struct object **out, struct object_info *info,
                            quire_error *err);
void gc_source_reader_release(struct gc_source_reader *r);

#endif

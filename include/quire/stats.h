/*
 * quire/stats.h - what a home holds and how much space it uses
 */
#ifndef QUIRE_STATS_H
#define QUIRE_STATS_H

#include "quire/blob.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* One of the largest sessions, or blobs. */
typedef struct quire_stat_session {
    char id[64];     /* "": none                                             */
    char title[128]; /* its beginning                                        */
    uint64_t bytes;
    int64_t created_us; /* 0: not known                                      */
} quire_stat_session;

typedef struct quire_stat_blob {
    quire_digest digest;
    uint64_t size, stored;
} quire_stat_blob;

typedef struct quire_tenant_stats {
    int64_t id;
    char name[128];
    uint64_t sessions, archived; /* files, and those of them archived        */
    uint64_t session_bytes;
    uint64_t entries, messages;
    uint64_t outputs, output_bytes;
    uint64_t artifacts, artifact_bytes; /* soft-deleted ones not counted     */
    uint64_t versions;
    uint64_t memories; /* valid or not                                       */
} quire_tenant_stats;

enum { QUIRE_STATS_TOP = 5 };

typedef struct quire_stats {
    size_t size;              /* sizeof(quire_stats)                          */
    quire_tenant_stats total; /* of all tenants; id 0                         */
    uint64_t tenants;
    uint64_t blobs, blob_bytes; /* distinct content                           */
    uint64_t stored_bytes;      /* compressed                                 */
    uint64_t references, referenced_bytes; /* each as often as it occurs      */
    uint64_t unreferenced;
    uint64_t database_bytes, free_bytes; /* of quire.db; within it            */
    quire_stat_session largest[QUIRE_STATS_TOP], oldest, newest;
    quire_stat_blob largest_blobs[QUIRE_STATS_TOP]; /* size 0: none           */
    /* The search indexes in the home, as they are; 0: none, or it is damaged. Texts
     * are counted once, places as often as a text occurs. */
    uint64_t search_bytes, search_texts, search_places, search_sources;
} quire_stats;

typedef quire_status (*quire_tenant_stats_fn)(void *ctx,
                                              const quire_tenant_stats *t,
                                              quire_error *err);

/* Measure a home. Session files are read for their references; blobs are not.
 * `each` (may be NULL) gets every tenant.
 *
 * Owns: *out is the caller's, with `size` set; *t is lent until `each` returns.
 * Fails: common
 *   QUIRE_INVALID  the handle is not the default tenant's
 * Durable: reads only. */
quire_status quire_stats_read(quire *q, quire_stats *out,
                              quire_tenant_stats_fn each, void *ctx,
                              quire_error *err);

QUIRE_DECLS_END

#endif

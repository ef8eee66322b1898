/* quire/stats.h - what a home holds */
#ifndef QUIRE_STATS_H
#define QUIRE_STATS_H

#include "quire/blob.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A session or a blob, among the largest. */
typedef struct quire_stat_session {
    char id[64];     /* "": there is none                                    */
    char title[128]; /* the beginning of it                                  */
    uint64_t bytes;
    int64_t created_us; /* 0: not known                                      */
} quire_stat_session;

typedef struct quire_stat_blob {
    quire_digest digest;
    uint64_t size, stored;
} quire_stat_blob;

/* What one tenant has. */
typedef struct quire_tenant_stats {
    int64_t id;
    char name[128];
    uint64_t sessions, archived; /* files, and those of them put away        */
    uint64_t session_bytes;
    uint64_t entries, messages;
    uint64_t outputs, output_bytes;
    uint64_t artifacts, artifact_bytes; /* living                            */
    uint64_t versions;
    uint64_t memories; /* valid or not                                       */
} quire_tenant_stats;

enum { QUIRE_STATS_TOP = 5 };

typedef struct quire_stats {
    size_t size;              /* sizeof(quire_stats)                          */
    quire_tenant_stats total; /* of all tenants; id 0                         */
    uint64_t tenants;
    uint64_t blobs, blob_bytes; /* distinct content                           */
    uint64_t stored_bytes;      /* what it takes, compressed                  */
    uint64_t references, referenced_bytes; /* each as often as it occurs      */
    uint64_t unreferenced;
    uint64_t database_bytes, free_bytes; /* of quire.db; within it            */
    quire_stat_session largest[QUIRE_STATS_TOP], oldest, newest;
    quire_stat_blob largest_blobs[QUIRE_STATS_TOP]; /* size 0: none           */
} quire_stats;

typedef quire_status (*quire_tenant_stats_fn)(void *ctx,
                                              const quire_tenant_stats *t,
                                              quire_error *err);

/* How much there is. Session files are read, for what they refer to; blobs are
 * not. `each` (may be NULL) is given every tenant. */
quire_status quire_stats_read(quire *q, quire_stats *out,
                              quire_tenant_stats_fn each, void *ctx,
                              quire_error *err);

QUIRE_DECLS_END

#endif

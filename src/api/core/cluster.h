/*
 * cluster.h - the database and the object store that several machines share
 *
 * A handle opened with quire_options.database works over PostgreSQL, and keeps nothing
 * in its home but what is derived or a working copy: workspaces, search index, caches.
 * The handles of a process share the connections, as peers.
 *
 * Two pools: a handle may use its stores while its catalogue has a transaction open, so
 * handles that wait for a connection must not hold those that others wait for.
 */
#ifndef API_CORE_CLUSTER_H
#define API_CORE_CLUSTER_H

#include <stdbool.h>

#include "base/clock.h"
#include "quire.h"
#include "store/db.h"
#include "store/store.h"

struct cluster;

struct cluster_config {
    const char *database; /* postgres://... */
    const char *objects;  /* s3://...; NULL: larger blobs are rows, too */
    int busy_ms;
};

/* Connect. QUIRE_INVALID: an address is none. */
quire_status cluster_open(const struct cluster_config *config,
                          struct cluster **out, quire_error *err);
struct cluster *cluster_ref(struct cluster *c); /* NULL is fine */
void cluster_unref(struct cluster *c);          /* NULL is fine */

/* The database without user and password, for messages. */
const char *cluster_place(const struct cluster *c);

/* A line that no other process uses: the holder of leases. */
const char *cluster_process(const struct cluster *c);

/* Whether both addresses are those of the other options. */
bool cluster_is(const struct cluster *c, const char *database,
                const char *objects);

/* A number that tells the database from any other; 0: it cannot be asked. */
int64_t cluster_identity(struct cluster *c);

/* A handle of the catalogue, whose write lock is that of a tenant. QUIRE_NOT_FOUND:
 * it is opened for reading, and there are no tables. */
quire_status cluster_catalog(struct cluster *c, bool read_only, struct db **out,
                             quire_error *err);

/* What is below `root` ("", or "tenants/<id>"). */
quire_status cluster_store(struct cluster *c, const char *root,
                           const struct clock *clock, bool read_only,
                           struct store **out, quire_error *err);

/* Where larger blobs are: the bucket, with locks in the database. */
quire_status cluster_blobs(struct cluster *c, const struct clock *clock,
                           bool read_only, struct store **out,
                           quire_error *err);

#endif

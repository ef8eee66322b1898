/*
 * response_cache.h - cached answers
 *
 * Direct-mapped: each request hashes to one slot, and a new entry overwrites the
 * old. An answer that reads only the catalogue is a function of the request and of
 * the catalogue's state, and SQLite reports in a microsecond whether that has
 * changed (quire_changes()). The token is part of the request and tenants are part
 * of the catalogue, so an entry never reaches another client, nor a revoked token.
 *
 * Each loop has its own cache: states of two connections to the catalogue are not
 * comparable. A worker adds its answer to the cache of the loop that read the
 * request, with the state the loop saw before the work began; hence the lock.
 *
 * Bounded in entries, in bytes of one and in bytes of all.
 */
#ifndef SERVER_RESPONSE_CACHE_H
#define SERVER_RESPONSE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "quire.h"
#include "http/http.h"

struct response_cache;

/* NULL: no memory. */
struct response_cache *response_cache_new(void);
void response_cache_free(struct response_cache *m);

/* Find the answer to a request in this state, and its tenant. Headers and body are
 * appended to *answer. False: none. */
bool response_cache_find(struct response_cache *m, quire_bytes request,
                         int64_t state, struct response *answer,
                         int64_t *tenant);

/* Store an answer, if it is small. */
void response_cache_add(struct response_cache *m, quire_bytes request,
                        int64_t state, const struct response *answer,
                        int64_t tenant);

#endif

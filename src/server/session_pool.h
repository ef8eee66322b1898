/*
 * session_pool.h - open sessions, kept between requests
 *
 * Loading a session takes time that grows with its file. A session that a request
 * has used is parked (quire/session.h) and resumed by the next one: then an append
 * costs the same in a session of any size. A parked session holds no lock, so other
 * processes write to it as they like.
 *
 *   (1) A session in the pool is parked, and no request uses it: a request takes it
 *       out, or opens another one if it is not there. Requests never wait for each
 *       other here.
 *   (2) At most one session of a tenant and id is in the pool.
 *   (3) The pool holds at most so many sessions and about so many bytes; the one
 *       that was used longest ago is closed first. One that was not used for five
 *       minutes is closed with the next put.
 */
#ifndef SERVER_SESSION_POOL_H
#define SERVER_SESSION_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

struct session_pool;

/* NULL: out of memory. */
struct session_pool *session_pool_new(size_t sessions_max, uint64_t bytes_max);
void session_pool_free(struct session_pool *p);

/* Open the session `id`, or resume it; close it with session_pool_put(). */
quire_status session_pool_take(struct session_pool *p, quire *q, int64_t tenant,
                               const char *id,
                               const quire_session_options *options,
                               quire_session **out, quire_error *err);

/* Park the session for the next request, or close it. NULL does nothing. */
void session_pool_put(struct session_pool *p, int64_t tenant, const char *id,
                      quire_session *s);

/* Close a parked session, because its file is about to be moved or removed. */
void session_pool_drop(struct session_pool *p, int64_t tenant, const char *id);

/* The same for all of a tenant, which is about to be removed. */
void session_pool_drop_tenant(struct session_pool *p, int64_t tenant);

#endif

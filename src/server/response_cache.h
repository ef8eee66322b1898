/*
 * response_cache.h - answers that are still right
 *
 * Most of what a server is asked it was asked a moment before. What an operation
 * answers that only reads the catalogue is a function of the request and of the
 * catalogue's state, and SQLite tells in a microsecond whether that has changed
 * (quire_changes()): an answer that was given in the same state is given again.
 * Who may ask is part of the catalogue, and the token part of the request, so an
 * answer is never given to anybody it was not made for, nor after a token was
 * taken away.
 *
 * Each loop has its own: states of one connection to the catalogue cannot be
 * compared with those of another. A worker that has made an answer for a request
 * of a loop adds it to that loop's, with the state that the loop saw before the
 * work began. Hence the lock, which nobody holds for long.
 *
 * Bounded: so many answers, none of them long, so many bytes together.
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

/* The answer to a request, given in this state, and the tenant it is for. The
 * headers and the body are added to *answer. */
bool response_cache_find(struct response_cache *m, quire_bytes request,
                         int64_t state, struct response *answer,
                         int64_t *tenant);

/* Keep an answer, if it is short. */
void response_cache_add(struct response_cache *m, quire_bytes request,
                        int64_t state, const struct response *answer,
                        int64_t tenant);

#endif

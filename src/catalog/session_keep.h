/* session_keep.h - pins and holds of sessions as rows; see api/session_keep.c */
#ifndef CATALOG_SESSION_KEEP_H
#define CATALOG_SESSION_KEEP_H

#include "catalog/catalog.h"

/* Times are microseconds, 0: not pinned, not held. Text is in an arena or
 * static. */
struct session_keep {
    int64_t pinned_us, held_us;
    const char *holder, *reason; /* "" if it is not held */
};

/* The pin and hold of the session with a number; without a row, neither. An older
 * catalogue has none. */
quire_status session_keep_of(struct catalog *c, int64_t tenant, int64_t session,
                             struct arena *keep, struct session_keep *out,
                             quire_error *err);

/* Store both. Inside a write transaction. */
quire_status session_keep_set(struct catalog *c, int64_t tenant,
                              int64_t session, const struct session_keep *k,
                              quire_error *err);

typedef quire_status (*session_keep_fn)(void *ctx, const char *key,
                                        const struct session_keep *k,
                                        quire_error *err);

/* All of a tenant; what `each` gets is in `keep`. */
quire_status session_keeps(struct catalog *c, int64_t tenant,
                           struct arena *keep, session_keep_fn each, void *ctx,
                           quire_error *err);

/* QUIRE_EXISTS, with who holds it and why, if the session is held. `key` is for
 * the message. */
quire_status session_keep_check(struct catalog *c, int64_t tenant,
                                int64_t session, const char *key,
                                quire_error *err);

/* How many sessions of a tenant are held. */
quire_status session_keeps_held(struct catalog *c, int64_t tenant, uint64_t *n,
                                quire_error *err);

#endif

/*
 * intercept.h - a wrapper that intercepts every call of a backend
 *
 * object_intercept() and its like wrap any backend of their interface. The hook
 * runs before each call that can fail; a status other than QUIRE_OK becomes the result, and
 * the backend is not called. It runs again after the call, with the result.
 *
 * Two hooks: fault_hook() makes the n-th call fail, so that the suites can run
 * with n = 1, 2, 3 … until no call is left to fail; trace_hook() logs each
 * call.
 */
#ifndef STORE_INTERCEPT_H
#define STORE_INTERCEPT_H

#include "store/db.h"
#include "store/store.h"

struct intercept {
    /* May be NULL. `on` is the object's name or the SQL. */
    quire_status (*before)(void *ctx, const char *call, const char *on,
                           quire_error *err);
    /* May be NULL. */
    void (*after)(void *ctx, const char *call, const char *on,
                  quire_status result);
    void *ctx;
    /* May be NULL. A database a network away would make the caller wait here for
     * an answer; `on` is the SQL or the call. */
    void (*wait)(void *ctx, const char *on);
};

/* The wrapper owns the backend: freeing or closing it does both. On failure
 * (out of memory) `inner` is still the caller's. */
quire_status object_intercept(struct object_store *inner,
                              struct intercept intercept,
                              struct object_store **out, quire_error *err);
quire_status log_intercept(struct log_store *inner, struct intercept intercept,
                           struct log_store **out, quire_error *err);
quire_status lease_intercept(struct lease_store *inner,
                             struct intercept intercept,
                             struct lease_store **out, quire_error *err);
quire_status directory_intercept(struct directory_store *inner,
                                 struct intercept intercept,
                                 struct directory_store **out,
                                 quire_error *err);
quire_status db_intercept(struct db *inner, struct intercept intercept,
                          struct db **out, quire_error *err);

/* Wrap every part of a store, in place. On failure some parts may be wrapped; it
 * is whole, and the caller's. */
quire_status store_intercept(struct store *s, struct intercept intercept,
                             quire_error *err);

/* Fails the call that brings `left` to zero, and every later one if `stay`.
 * `calls` counts them all. */
struct fault {
    long left; /* 0: never */
    bool stay;
    quire_status status;
    long calls;
    bool struck;
};

struct intercept fault_hook(struct fault *f);

/* Writes one line for each call: "object publish aa/bb/cc: ok". */
struct trace {
    void (*line)(void *ctx, const char *line);
    void *ctx;
};

struct intercept trace_hook(struct trace *t);

/* Counts the waits of a database, see db.h. `on` may be NULL. */
struct waits {
    long n;
    void (*on)(const char *what);
};

struct intercept waits_hook(struct waits *w);

#endif

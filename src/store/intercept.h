/*
 * intercept.h - a wrapper that hears every call through a seam
 *
 * object_intercept() and db_intercept() wrap any backend. Before each call that can fail
 * the hook is asked; what it answers other than QUIRE_OK becomes the result
 * and the backend never hears of it. After each call it is told the result.
 *
 * Two listeners: fault_hook() makes the n-th call fail, so that the suites
 * can run with n = 1, 2, 3 … until no call is left to fail; trace_hook()
 * writes down what happened.
 */
#ifndef STORE_INTERCEPT_H
#define STORE_INTERCEPT_H

#include "store/db.h"
#include "store/object.h"

struct intercept {
    /* May be NULL. `on` is the object's name or the SQL. */
    quire_status (*before)(void *ctx, const char *call, const char *on,
                           quire_error *err);
    /* May be NULL. */
    void (*after)(void *ctx, const char *call, const char *on,
                  quire_status result);
    void *ctx;
};

/* The wrapper owns what it wraps: freeing or closing it does both. On failure
 * (no memory) `inner` is still the caller's. */
quire_status object_intercept(struct object_store *inner,
                              struct intercept intercept,
                              struct object_store **out, quire_error *err);
quire_status db_intercept(struct db *inner, struct intercept intercept,
                          struct db **out, quire_error *err);

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

/* Gives one line for each call: "object publish aa/bb/cc: ok". */
struct trace {
    void (*line)(void *ctx, const char *line);
    void *ctx;
};

struct intercept trace_hook(struct trace *t);

#endif

/*
 * intercept.h - a wrapper that intercepts every call of a full-text index
 *
 * As store/intercept.h does for objects and databases: `before` runs before
 * each call that can fail and may fail it, `after` runs after it. The hooks of
 * store/intercept.h fit: fault_hook() fails the n-th call, trace_hook() logs
 * each.
 */
#ifndef SEARCH_INTERCEPT_H
#define SEARCH_INTERCEPT_H

#include "search/index.h"
#include "store/intercept.h"

/* The wrapper owns the index: closing it closes both. On failure (out of
 * memory) `inner` is still the caller's. */
quire_status fulltext_intercept(struct fulltext *inner,
                                struct intercept intercept,
                                struct fulltext **out, quire_error *err);

#endif

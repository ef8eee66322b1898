/* engine_verify.h - check the search index of a tenant as a whole */
#ifndef SEARCH_ENGINE_VERIFY_H
#define SEARCH_ENGINE_VERIFY_H

#include "search/engine.h"

/* One damage, worded like an error message. Anything but QUIRE_OK ends the check,
 * which returns it. */
typedef quire_status (*engine_problem_fn)(void *ctx, const char *what,
                                          quire_error *err);

/* Check each segment (segment_verify.h), and that segments, sources and places agree.
 * One problem at most is reported for each segment. QUIRE_OK: all of it was checked,
 * whatever was found. Changes nothing; other processes may update meanwhile. */
quire_status engine_verify(struct engine *e, engine_problem_fn each, void *ctx,
                           quire_error *err);

#endif

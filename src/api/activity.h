/*
 * activity.h - the activity of every session, counted where it has changed
 */
#ifndef API_ACTIVITY_H
#define API_ACTIVITY_H

#include "quire.h"
#include "session/activity.h"

/* `a` is NULL for a session that is not counted yet, because time has run out. */
typedef quire_status (*activity_fn)(void *ctx, const quire_session_row *row,
                                    const struct activity *a, quire_error *err);

/* Call `each` for all sessions, archived ones too, the last modified first. Files that
 * have changed are read for `budget_ms` at most; *pending is how many are left. */
quire_status activity_walk(struct quire *q, int64_t budget_ms, activity_fn each,
                           void *ctx, uint64_t *pending, quire_error *err);

#endif

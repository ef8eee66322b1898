/* session_remove.h - what moving and removing a session share; see session_remove.c */
#ifndef API_SESSION_REMOVE_H
#define API_SESSION_REMOVE_H

#include "api/session.h"
#include "session/omp_lock.h"

/* A session, locked while it is moved or removed. */
quire_status session_hold_place(struct quire *q,
                                const struct session_location *p,
                                struct log **out, quire_error *err);

/* Take oh-my-pi's lock of a session of its home. */
quire_status session_lock_theirs(struct quire *q, const char *name,
                                 struct omp_lock *out, quire_error *err);

/* The key of the row that goes with a session, "" if none does: a file without
 * a valid header never had a row, and a row shared with a copy stays. */
quire_status session_key_to_remove(struct quire *q,
                                   const struct session_location *p,
                                   struct arena *tmp, const char **key,
                                   quire_error *err);

#endif

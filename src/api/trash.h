/* trash.h - what a collection does with the trash; see trash.c */
#ifndef API_TRASH_H
#define API_TRASH_H

#include "api/core/handle.h"

/* Remove what has been in the trash of any tenant for longer than trash.keep; with
 * `dry` only count it. */
quire_status trash_expire(struct quire *q, bool dry, uint64_t *n,
                          quire_error *err);

/* quire_session_trash() of a session of a native home by a rule of retention, which
 * the audit log gets. */
quire_status trash_by_rule(struct quire *q, const char *path, const char *rule,
                           quire_error *err);

#endif

/* audit_log.h - see journal.c */
#ifndef API_AUDIT_LOG_H
#define API_AUDIT_LOG_H

#include "api/priv.h"

/* The table, for the schema of quire.db. */
extern const char audit_log_schema[];

/* Note a change, in the transaction that makes it. `tenant` 0: it is nobody's.
 * `before` and `after` are JSON; NULL: there was, or is, nothing. */
quire_status audit_log_add(struct quire *q, const char *action, int64_t tenant,
                           const char *name, const char *before,
                           const char *after, quire_error *err);

/* What a tenant is, as JSON, in `keep`; NULL when there is no memory. */
const char *audit_log_add_tenant(const quire_tenant *t, struct arena *keep);

#endif

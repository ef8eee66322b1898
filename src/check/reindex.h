/* reindex.h - rebuild derived data */
#ifndef CHECK_REINDEX_H
#define CHECK_REINDEX_H

#include "api/core/handle.h"

/* Each of them for one tenant, in a home of ours that is open for writing; the
 * rooms are open. */
quire_status reindex_sessions(struct quire *q, int64_t tenant,
                              quire_error *err);

/* Remove the search indexes of a tenant; that of the handle's is built again, that of
 * another at its next search. */
quire_status replace_search(struct quire *q, int64_t tenant, quire_error *err);

/* For all tenants. */
quire_status reindex_counters(struct quire *q, quire_error *err);

#endif

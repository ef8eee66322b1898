/* derived.h - what can be made again */
#ifndef QUIRE_DERIVED_H
#define QUIRE_DERIVED_H

#include "quire/priv.h"

/* Each of them for one tenant, in a home of ours that is open for writing; the
 * rooms are open. */
quire_status derived_words(struct quire *q, int64_t tenant, quire_error *err);
quire_status derived_sessions(struct quire *q, int64_t tenant,
                              quire_error *err);

/* For all tenants. */
quire_status derived_counters(struct quire *q, quire_error *err);

#endif

/* verify.h - all blobs of a home, checked on all processors */
#ifndef API_VERIFY_H
#define API_VERIFY_H

#include "api/priv.h"

/* Whether other threads may look at the home beside the caller, with stores and
 * connections of their own. */
bool verify_can_share(const struct quire *q);

/* blob_check_all() of the home's blobs, which are open. `flags` are of the
 * blob room. */
quire_status verify_all_blobs(struct quire *q, unsigned flags,
                              const quire_check_hooks *hooks, quire_error *err);

#endif

/* verify.h - verify all blobs of a home, on all cores */
#ifndef API_VERIFY_H
#define API_VERIFY_H

#include "api/core/handle.h"

/* Whether worker threads with stores and connections of their own see the same
 * as the caller. */
bool verify_can_share(const struct quire *q);

/* blob_check_all() over the open blobs of the home; `flags` as there. */
quire_status verify_all_blobs(struct quire *q, unsigned flags,
                              const quire_check_hooks *hooks, quire_error *err);

#endif

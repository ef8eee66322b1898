/* pins.h - pinned blobs: kept on request */
#ifndef GC_PINS_H
#define GC_PINS_H

#include "quire.h"
#include "store/sql.h"

/* QUIRE_NOT_FOUND without a message: it was not pinned. Pinning twice is fine.
 */
quire_status pins_add(struct db *db, const quire_digest *d, int64_t now_s,
                      quire_error *err);
quire_status pins_drop(struct db *db, const quire_digest *d, quire_error *err);

quire_status pins_each(struct db *db, sql_digest_fn each, void *ctx,
                       quire_error *err);

#endif

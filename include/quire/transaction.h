/* quire/transaction.h - writes that share a commit */
#ifndef QUIRE_TRANSACTION_H
#define QUIRE_TRANSACTION_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* Group what follows into one batch: writes between quire_begin() and
 * quire_commit() share one wait for the disk, and are durable when
 * quire_commit() returns QUIRE_OK, not before. In a packed store other writers
 * wait meanwhile, so keep a batch to some hundred pieces. Batches do not nest.
 *
 * quire_rollback() forgets what the batch wrote; blobs with files of their own
 * may be there all the same, if there were many. After a write inside a batch
 * has failed, quire_commit() keeps nothing and says so. */
quire_status quire_begin(quire *q, quire_error *err);
quire_status quire_commit(quire *q, quire_error *err);
void quire_rollback(quire *q);

/* Group whole calls: what they change in the catalogue between
 * quire_group_begin() and quire_group_end() is kept together, with one wait for
 * the disk. None of it may be told to anybody before quire_group_end() has
 * returned QUIRE_OK. Other writers wait meanwhile.
 *
 * A call that is refused has changed nothing, and spoils nothing. One that fails
 * otherwise may have: then those after it fail, and quire_group_end() keeps
 * nothing and returns QUIRE_IO; make each again alone. But if it fails and *kept
 * is 1, all of it is there, and only the disk did not say that it lasts: then
 * nothing is to be made again, and the handle is of no use to whoever wants to
 * know, until it is opened anew. `kept` may be NULL.
 *
 * To remove an artifact whose workspace is in use is refused with QUIRE_BUSY. For
 * artifacts, memory, scratchpads, folders, blobs and keys of requests, of any
 * tenant; calls that write to other files, like those of sessions, do not belong
 * into a group. */
quire_status quire_group_begin(quire *q, quire_error *err);
quire_status quire_group_end(quire *q, int *kept, quire_error *err);

/* Wait until all that was put into the catalogue through this handle survives a
 * power cut. Where the setting `durability` is "each", it does already. */
quire_status quire_sync(quire *q, quire_error *err);

QUIRE_DECLS_END

#endif

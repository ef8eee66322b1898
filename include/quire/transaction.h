/*
 * quire/transaction.h - writes that share one commit, and one wait for the disk
 */
#ifndef QUIRE_TRANSACTION_H
#define QUIRE_TRANSACTION_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A batch of blobs: puts between quire_begin() and quire_commit() share one
 * sync. In a packed store other writers wait meanwhile, so keep a batch to a
 * few hundred blobs. Batches do not nest, and exclude artifacts, tenants,
 * memory and scratchpads. quire_rollback() drops what the batch wrote; of many
 * blobs those with files of their own may remain.
 *
 * Owns: the batch belongs to the handle; quire_close() rolls it back.
 * Fails: common
 *   QUIRE_INVALID  begin: a batch or a group is open; commit: none is
 *   any status     commit: a put inside the batch failed; nothing is kept
 * Durable: all of it when quire_commit() returns QUIRE_OK. */
quire_status quire_begin(quire *q, quire_error *err);
quire_status quire_commit(quire *q, quire_error *err);
void quire_rollback(quire *q);

/* A group of whole calls: what they change in the catalogue between
 * quire_group_begin() and quire_group_end() becomes one transaction, for any
 * tenants. Do not report success of any call in it before quire_group_end()
 * returns QUIRE_OK. Other writers wait meanwhile. For artifacts, memory,
 * scratchpads, folders, blobs and idempotency keys; calls that write other
 * files, such as those of sessions, do not belong into a group.
 *
 * A call that is refused has changed nothing, and the group goes on. A call
 * that fails otherwise spoils the group: later calls fail, and
 * quire_group_end() keeps nothing; repeat each call alone. Removing an
 * artifact whose workspace is in use returns QUIRE_BUSY.
 *
 * Owns: the group belongs to the handle. `kept` may be NULL.
 * Fails: common
 *   QUIRE_INVALID  begin: a group or a batch is open; end: none is
 *   QUIRE_IO       end: the group was spoiled, or the commit failed. With
 *                  *kept 0 nothing is kept. With *kept 1 all changes are
 *                  applied but the sync failed: repeat nothing, and open a new
 *                  handle
 * Durable: all of it when quire_group_end() returns QUIRE_OK. */
quire_status quire_group_begin(quire *q, quire_error *err);
quire_status quire_group_end(quire *q, int *kept, quire_error *err);

/* Wait until every change made to the catalogue through this handle survives a
 * power cut. With durability=each, the default, that is so already.
 *
 * Owns: nothing.
 * Fails: common
 * Durable: all of the handle's changes to the catalogue, on return. */
quire_status quire_sync(quire *q, quire_error *err);

QUIRE_DECLS_END

#endif

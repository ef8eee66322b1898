/*
 * quire/transaction.h - writes that share one commit, and one wait for the disk
 */
#ifndef QUIRE_TRANSACTION_H
#define QUIRE_TRANSACTION_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A transaction: what calls change in the catalogue and in the blob store
 * between begin and end is committed at once, with one wait for the disk. For
 * blobs, artifacts, memory, scratchpads, folders and idempotency keys, of any
 * tenants. Other writers wait meanwhile, so keep it to a few hundred calls.
 * Calls that write other files, such as those of sessions, are refused or take
 * effect at once. Transactions do not nest. Rollback undoes all of it; blobs
 * with files of their own may remain, without a row, until a collection.
 * Inside a callback rollback does nothing.
 *
 * A call that is refused has changed nothing, and the transaction goes on. A
 * call that fails otherwise spoils it: later calls may fail, and end keeps
 * nothing; repeat each call alone. Do not report success of any call in it
 * before end returns QUIRE_OK. Removing an artifact whose workspace is in use
 * returns QUIRE_BUSY.
 *
 * Owns: the transaction belongs to the handle; quire_close() rolls it back.
 *   `kept` may be NULL.
 * Fails: common
 *   QUIRE_INVALID  begin: a transaction is open; end: none is
 *   QUIRE_IO       end: the transaction was spoiled, or the commit failed.
 *                  With *kept 0 nothing is kept. With *kept 1 all changes are
 *                  applied but the sync failed: repeat nothing, and open a new
 *                  handle
 * Durable: all of it when quire_transaction_end() returns QUIRE_OK. */
quire_status quire_transaction_begin(quire *q, quire_error *err);
quire_status quire_transaction_end(quire *q, int *kept, quire_error *err);
void quire_transaction_rollback(quire *q);

/* Other names of the three functions above, kept until version 0.2.
 *
 * Owns: as above.
 * Fails: as above
 * Durable: all of it when quire_commit() or quire_group_end() returns
 *   QUIRE_OK. */
quire_status quire_begin(quire *q, quire_error *err);
quire_status quire_commit(quire *q, quire_error *err);
void quire_rollback(quire *q);
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

/* transaction.h - what other files need to know of an open transaction */
#ifndef API_TRANSACTION_H
#define API_TRANSACTION_H

#include "api/priv.h"
#include "api/workspace.h"

/* Update the workspace file of an artifact after the commit. */
void transaction_add_pending_file(struct quire *q, const char *key,
                                  const char *path, enum follow when);
void transaction_drop_pending_files(struct quire *q);

/* QUIRE_INVALID inside a transaction: `what` changes files, which a rollback
 * could not undo. */
quire_status transaction_check_none(const struct quire *q, const char *what,
                                    quire_error *err);

#endif

/* transaction.h - see transaction.c */
#ifndef API_TRANSACTION_H
#define API_TRANSACTION_H

#include "api/core/handle.h"

/* QUIRE_INVALID inside a transaction: `what` changes files, which a rollback
 * could not undo. */
quire_status transaction_check_none(const struct quire *q, const char *what,
                                    quire_error *err);

#endif

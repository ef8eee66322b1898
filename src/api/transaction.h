/* transaction.h - calls that are kept together, for the other files here */
#ifndef API_TRANSACTION_H
#define API_TRANSACTION_H

#include "api/priv.h"
#include "api/workspace.h"

/* The file of a workspace is to follow when the group is kept. */
void transaction_add_pending_file(struct quire *q, const char *key,
                                  const char *path, enum follow when);

/* QUIRE_INVALID with words in a group: files would be gone that rows, if it is
 * not kept, still tell of. */
quire_status transaction_check_none(const struct quire *q, quire_error *err);

/* None is to follow. */
void transaction_drop_pending_files(struct quire *q);

#endif

/* session_rows.h - rows of sessions with their files */
#ifndef API_SESSION_ROWS_H
#define API_SESSION_ROWS_H

#include "quire.h"
#include "session/list.h"
#include "store/store.h"

typedef quire_status (*session_file_fn)(void *ctx, const quire_session_row *row,
                                        struct store *store,
                                        const struct list_item *item,
                                        quire_error *err);

/* quire_session_rows() for functions of this module: `each` may use the handle. */
quire_status session_rows_walk(struct quire *q,
                               const quire_row_options *options,
                               session_file_fn each, void *ctx,
                               quire_error *err);

#endif

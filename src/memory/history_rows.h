/*
 * history_rows.h - the prompt history in a database that several machines share
 *
 * One table for all tenants beside the catalogue: a prompt has one row a tenant, known by
 * its digest. The functions do what history.h says of those of the same name.
 */
#ifndef MEMORY_HISTORY_ROWS_H
#define MEMORY_HISTORY_ROWS_H

#include "memory/history.h"

struct history_rows;

/* `db` is a handle of the catalogue's database, owned from now on; on failure it is
 * still the caller's. The table is created if it is absent, unless `read_only`. */
quire_status history_rows_open(struct db *db, int64_t tenant, bool read_only,
                               struct history_rows **out, quire_error *err);
void history_rows_close(struct history_rows *h);

/* `text` is normalized. */
quire_status history_rows_add(struct history_rows *h,
                              const struct history_new *prompt,
                              quire_bytes text, int64_t *id, quire_error *err);
quire_status history_rows_remove(struct history_rows *h, const int64_t *ids,
                                 size_t n, quire_error *err);
quire_status history_rows_find(struct history_rows *h,
                               const struct history_find *find, uint64_t limit,
                               quire_prompt_fn each, void *ctx,
                               quire_error *err);
quire_status history_rows_get(struct history_rows *h, int64_t id,
                              quire_prompt_fn each, void *ctx,
                              quire_error *err);
quire_status history_rows_state(struct history_rows *h,
                                struct history_state *state, quire_error *err);

#endif

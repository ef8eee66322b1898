/*
 * fts_vocab.h - compare two full-text indexes word by word
 *
 * A contentless index cannot be compared with the text. It can be compared with
 * another one built from the same text: every word at every place, the length
 * of every text, and the sums of these that ranking by length uses.
 */
#ifndef STORE_FTS_VOCAB_H
#define STORE_FTS_VOCAB_H

#include <stdbool.h>

#include "store/db.h"

/* Whether the index `name` of `db` equals that of `fresh`, for the rows with
 * the ids that the statement `among` returns. Both connections get a temporary
 * table, so neither may be shared. */
quire_status fts_vocab_equal(struct db *db, const char *among, struct db *fresh,
                             const char *name, bool *same, quire_error *err);

#endif

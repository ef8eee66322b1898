/*
 * fts_vocab.h - what an index of words holds, word by word
 *
 * An index that keeps no text cannot be compared with the text. It can be
 * compared with another one that was made of the same text: every word at every
 * place, the length of every text, and the sums of these that rank by length
 * goes by.
 */
#ifndef STORE_FTS_VOCAB_H
#define STORE_FTS_VOCAB_H

#include <stdbool.h>

#include "store/db.h"

/* Whether the index `name` of `db` holds the same as that of `fresh`, as far as
 * the rows are concerned whose ids the statement `among` gives. Both
 * connections get a temporary table, so neither may be one that others use. */
quire_status fts_vocab_equal(struct db *db, const char *among, struct db *fresh,
                             const char *name, bool *same, quire_error *err);

#endif

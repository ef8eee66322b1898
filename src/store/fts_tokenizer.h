/*
 * fts_tokenizer.h - tokenizer "quire" and functions of rows for FTS5
 *
 * search/query.h describes what a word is.
 *
 * quire_rank(table, weight, ...) has a weight for each column and returns an
 * integer score for a row: for each phrase of the query and each column that
 * contains it, the column's weight, and a little more for each repetition. It
 * reads the row alone. bm25() reads, for every query, every row that has any of
 * its words, to learn how rare they are.
 *
 * quire_phrases(table) returns which phrases of the query a row has: bit i for
 * the i-th, of the first FTS_PHRASES_MAX.
 *
 * quire_among(id, ids) returns whether an integer is in a blob of ascending
 * 64-bit integers, in the byte order of the machine.
 */
#ifndef STORE_FTS_TOKENIZER_H
#define STORE_FTS_TOKENIZER_H

#include <sqlite3.h>
#include <stdbool.h>

#include "quire.h"

enum { FTS_PHRASES_MAX = 63 };

/* Register all with a connection; every connection that uses such a table
 * needs it. Returns SQLite's code. */
int fts_tokenizer_register(sqlite3 *handle);

/* The tokenizer without a table, for indexes of another kind. A connection in
 * memory lends it SQLite's own. */
struct fts_splitter;

/* A word; `beside`: at the place of the one before it. */
typedef quire_status (*fts_word_fn)(void *ctx, quire_bytes word, bool beside,
                                    quire_error *err);

quire_status fts_splitter_new(struct fts_splitter **out, quire_error *err);

/* Split a text as a document or, with `query`, as a query. */
quire_status fts_split(struct fts_splitter *s, quire_bytes text, bool query,
                       fts_word_fn each, void *ctx, quire_error *err);
void fts_splitter_free(struct fts_splitter *s);

#endif

/*
 * fts_tokenizer.h - tokenizer "quire" and functions of rows for FTS5
 *
 * fts_query.h describes what a word is.
 *
 * quire_rank(table, weight, ...) has a weight for each column and returns an
 * integer score for a row: for each phrase of the query and each column that
 * contains it, the column's weight, and a little more for each repetition. It
 * reads the row alone. bm25() reads, for every query, every row that has any of
 * its words, to learn how rare they are.
 *
 * quire_phrases(table) returns which phrases of the query a row has: bit i for
 * the i-th, of the first FTS_PHRASES_MAX (store/fts_query.h).
 */
#ifndef STORE_FTS_TOKENIZER_H
#define STORE_FTS_TOKENIZER_H

#include <sqlite3.h>

/* Register all with a connection; every connection that uses such a table
 * needs it. Returns SQLite's code. */
int fts_tokenizer_register(sqlite3 *handle);

#endif

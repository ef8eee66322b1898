/*
 * fts_tokenizer.h - the tokenizer "quire" and the rank "quire_rank", for FTS5
 *
 * What makes a word is told in fulltext.h.
 *
 * quire_rank(table, weight, ...) has a weight for each column and says, as a
 * whole number, how well a row answers: for each phrase of the question and
 * each column it is in, the column's weight, and a little more the more often
 * it is there. It looks at the row alone. bm25() looks, for every question, at
 * every row that has any of its words, to know how rare they are.
 */
#ifndef STORE_FTS_TOKENIZER_H
#define STORE_FTS_TOKENIZER_H

#include <sqlite3.h>

/* Make both known to a connection; every connection that uses such a table
 * needs it. Gives SQLite's code. */
int fts_tokenizer_register(sqlite3 *handle);

#endif

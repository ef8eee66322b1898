/*
 * sqlite_words.h - the tokenizer "quire", for tables of FTS5
 *
 * What makes a word is told in fulltext.h.
 */
#ifndef STORE_SQLITE_WORDS_H
#define STORE_SQLITE_WORDS_H

#include <sqlite3.h>

/* Make `tokenize='quire'` known to a connection; every connection that uses
 * such a table needs it. Gives SQLite's code. */
int sqlite_words_register(sqlite3 *handle);

#endif

/*
 * fts5.h - shared by the files of the FTS5 backend
 *
 * An index is a contentless FTS5 table with the tokenizer "quire", named after
 * its kind and tenant: memory_words_1. Its columns are those of the kind; a
 * scoped one has a further column, `scope`, with one word.
 *
 * Known deviations of SQLite, in scores and phrases only:
 *   - NEAR below another operator, with a phrase of several words that the
 *     document has in another order: the phrases before that one count;
 *   - NOT below another operator, and nothing matches its first operand: the
 *     second may count;
 *   - operators three deep: a phrase that matches may not count.
 */
#ifndef SEARCH_FTS5_H
#define SEARCH_FTS5_H

#include "base/buf.h"
#include "search/index.h"

/* Add the FTS5 expression of a tree; of NULL, nothing. Every leaf is a quoted
 * string, so no text is an operator. */
void fts5_expression(const struct query *q, struct buf *out);

/* Add up the lengths of the documents of the index `name`. */
quire_status fts5_stats(struct db *db, const char *name,
                        struct fulltext_stats *out, quire_error *err);

/* Compare every word at every place of the documents that `other` has, their
 * lengths, and the sums of these that BM25 uses. Both connections get a
 * temporary table. */
quire_status fts5_includes(struct db *db, struct db *other, const char *name,
                           bool *same, quire_error *err);

#endif

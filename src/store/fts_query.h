/*
 * fts_query.h - full-text queries
 *
 * The index splits text with our own tokenizer, "quire" (fts_tokenizer.c):
 *
 *   - Letters and digits of any script form words; case and accents are
 *     ignored. "_" belongs to a word.
 *   - An identifier is found whole and by its parts: parseHTTPHeader,
 *     snake_case, utf8, report-2024.csv.
 *   - Chinese, Japanese and Korean are found by any piece of a sentence: they
 *     are indexed as overlapping pairs.
 *
 * Any text is a valid query, and none can reach columns of the index. Of its
 * operators there are AND, OR and AND NOT, in capitals between two terms.
 */
#ifndef STORE_FTS_QUERY_H
#define STORE_FTS_QUERY_H

#include <stdbool.h>

#include "base/buf.h"
#include "quire.h"

/* The phrases of an expression that quire_phrases() of SQLite reports. */
enum { FTS_PHRASES_MAX = 63 };

enum fts_mode {
    FTS_ALL,    /* every word, as a word or as part of an identifier */
    FTS_PREFIX, /* the same, and each word may go on: "conf" finds
                        "configuration"                                    */
    FTS_ANY,    /* any of the words                                      */
};

/* Add the expression for `text` to `out`. Words are separated by white space;
 * text in double quotes is a phrase (a missing last quote is added). AND joins
 * more closely than OR. In FTS_ANY there are no operators. Returns
 * the number of terms; with none, `out` is unchanged: there is nothing to
 * search for. */
size_t fts_query(quire_bytes text, enum fts_mode mode, struct buf *out);

/* Whether the text has OR or AND NOT as an operator: then a match need not have
 * all of its terms. */
bool fts_has_alternatives(quire_bytes text);

/* The terms of a text, one after the other, for expressions of another shape.
 * Up to 64 are returned, and each has a letter or a digit. They are slices of
 * the text, and may hold anything but a double quote. */
struct fts_terms {
    quire_bytes text;
    size_t at, n;
    bool quoted;    /* the next one is in quotes */
    bool in_quotes; /* the last one was          */
};

void fts_terms_init(struct fts_terms *t, quire_bytes text);
bool fts_next_term(struct fts_terms *t, quire_bytes *term);

/* Add terms as one string of an expression: a phrase, if there are several. */
void fts_add_phrase(const quire_bytes *terms, size_t n, struct buf *out);

#endif

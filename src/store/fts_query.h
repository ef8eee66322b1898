/*
 * fts_query.h - a question to an index of words
 *
 * The index splits text with a tokenizer of our own, "quire" (sqlite_words.c):
 *
 *   - Letters and digits of any script make words; case and accents do not
 *     count. "_" belongs to a word.
 *   - A code word is found whole and by its parts: parseHTTPHeader, snake_case,
 *     utf8, report-2024.csv.
 *   - Chinese, Japanese and Korean are found by any piece of a sentence: they
 *     are indexed as overlapping pairs.
 *
 * What a person types is no query language. Any text is a question here, none
 * is an error, and none can reach columns or operators of the index.
 */
#ifndef STORE_FTS_QUERY_H
#define STORE_FTS_QUERY_H

#include <stdbool.h>

#include "base/buf.h"
#include "quire.h"

enum fulltext_mode {
    FULLTEXT_ALL,    /* every word, as a word or as part of a code word       */
    FULLTEXT_PREFIX, /* the same, and each word may go on: "conf" finds
                        "configuration"                                    */
    FULLTEXT_ANY,    /* any of the words                                      */
};

/* Add the expression that `text` means to `out`. Words are separated by white
 * space; what stands in double quotes is a phrase (a missing last quote is
 * added). Gives how many terms there are; with none, `out` is left alone: there
 * is nothing to ask. */
size_t fulltext_query(quire_bytes text, enum fulltext_mode mode,
                      struct buf *out);

/* The terms of a text, one after the other, for expressions of another shape.
 * Up to 64 are given, and each has a letter or a digit. They are slices of the
 * text, and may hold anything but a double quote. */
struct fulltext_terms {
    quire_bytes text;
    size_t at, n;
    bool quoted;
};

void fulltext_terms_init(struct fulltext_terms *t, quire_bytes text);
bool fulltext_next(struct fulltext_terms *t, quire_bytes *term);

/* Add terms as one string of an expression: a phrase, if there are several. */
void fulltext_add(const quire_bytes *terms, size_t n, struct buf *out);

#endif

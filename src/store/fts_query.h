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

enum fts_mode {
    FTS_ALL,    /* every word, as a word or as part of a code word       */
    FTS_PREFIX, /* the same, and each word may go on: "conf" finds
                        "configuration"                                    */
    FTS_ANY,    /* any of the words                                      */
};

/* Add the expression that `text` means to `out`. Words are separated by white
 * space; what stands in double quotes is a phrase (a missing last quote is
 * added). Gives how many terms there are; with none, `out` is left alone: there
 * is nothing to ask. */
size_t fts_query(quire_bytes text, enum fts_mode mode, struct buf *out);

/* The terms of a text, one after the other, for expressions of another shape.
 * Up to 64 are given, and each has a letter or a digit. They are slices of the
 * text, and may hold anything but a double quote. */
struct fts_terms {
    quire_bytes text;
    size_t at, n;
    bool quoted;
};

void fts_terms_init(struct fts_terms *t, quire_bytes text);
bool fts_next_term(struct fts_terms *t, quire_bytes *term);

/* Add terms as one string of an expression: a phrase, if there are several. */
void fts_add_phrase(const quire_bytes *terms, size_t n, struct buf *out);

#endif

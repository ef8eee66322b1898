/*
 * literals.h - words of a query whose signs matter: C++, C#, $HOME, a->b
 *
 * The full-text index has letters and digits only, so it finds every C for C++.
 * What it finds for such a word is compared with the text itself. Marks of a
 * sentence around a word, and . - / : ' inside of one, separate words in the text
 * as in the index, and are not compared. Nor are words of a query with OR or AND
 * NOT, where a match need not have them all.
 */
#ifndef ARTIFACT_LITERALS_H
#define ARTIFACT_LITERALS_H

#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

enum { LITERALS_MAX = 16 };

struct literals {
    quire_bytes words[LITERALS_MAX]; /* slices of the query */
    size_t n;
};

void literals_read(struct literals *l, const char *query);

/* Whether each of the words is in one of the texts; case of A to Z ignored. A word
 * that begins with a letter or digit begins a word there; one that ends with one
 * also ends it, unless `prefix`. */
bool literals_match(const struct literals *l, const quire_bytes *texts,
                    size_t n, bool prefix);

/* Whether a longer word may match with `prefix`: one of them ends with a letter or
 * digit. */
bool literals_have_prefix(const struct literals *l);

#endif

/*
 * utf8.h - text as bytes
 *
 * Well-formed means what RFC 3629 says: no overlong forms, no surrogates,
 * nothing above U+10FFFF. Where bytes are not well-formed, the unit of damage
 * is the *maximal subpart*, as browsers have it: as many bytes as could have
 * begun a character, at least one. Each becomes one U+FFFD, so that every
 * reader that repairs the same bytes gets the same text.
 *
 * Nothing here reads past the length it is given.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

#define UTF8_REPLACEMENT 0xFFFDu

/* Is all of it well-formed? */
bool utf8_check(quire_bytes text);

/* The offset of the first byte that is not part of a well-formed character;
 * text.len if there is none. */
size_t utf8_find_bad(quire_bytes text);

/* Decode the character at the start of `text`, which is not empty, and return
 * the number of its bytes. If they are damaged, *cp is UTF8_REPLACEMENT, *bad
 * (may be NULL) is true, and the count is that of the maximal subpart. */
size_t utf8_decode(quire_bytes text, uint32_t *cp, bool *bad);

/* Write a code point and return the number of its bytes. A surrogate, or
 * anything above U+10FFFF, is written as U+FFFD. */
size_t utf8_encode(uint32_t cp, char out[4]);

/* How many UTF-16 units the text has: JavaScript's `length`. Damage counts
 * as the U+FFFD it would be replaced by. */
size_t utf8_count_utf16(quire_bytes text);

/* The longest prefix, in bytes, of at most `max_bytes` bytes that splits no
 * character. Damaged bytes are characters of their own: they may be cut
 * anywhere. */
size_t utf8_cut(quire_bytes text, size_t max_bytes);

/* The longest prefix, in bytes, of at most `max_units` UTF-16 units that
 * splits no character: one unit less than asked where a pair would be split. */
size_t utf8_cut_utf16(quire_bytes text, size_t max_units);

/* Add the text to `out`, with U+FFFD for each maximal subpart of damage.
 * Returns how many were replaced. */
size_t utf8_add_mended(struct buf *out, quire_bytes text);

#endif

/*
 * base64.h - bytes as base64, in one spelling only
 *
 * RFC 4648, section 4: the standard alphabet, padded, no line breaks. What is
 * decoded here can be thrown away and written again from the bytes, to the
 * last character. That is the point of being strict: whoever stores the bytes
 * in place of the text must be able to give the text back. Text in any other
 * spelling (the URL alphabet, white space, no padding, stray bits behind the
 * last byte) may well mean something to somebody; it is just not decoded.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "quire.h"

/* How many characters `raw` bytes take; SIZE_MAX if that is no size. */
size_t base64_size(size_t raw);

/* Add the bytes that `text` spells. False, with nothing added, unless
 * encoding them gives `text` again. No memory is the buffer's failure, not an
 * answer. */
bool base64_decode(quire_bytes text, struct buf *out);

/* Add the text for `raw`. */
void base64_encode(quire_bytes raw, struct buf *out);

/* The same to memory that has base64_size(raw.len) bytes. No NUL. */
void base64_write(quire_bytes raw, char *out);

#endif

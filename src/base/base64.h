/*
 * base64.h - strict base64 (RFC 4648, section 4)
 *
 * The standard alphabet, padded, without line breaks. Decoding accepts exactly
 * the text that encoding produces, so a caller can store the bytes in place of
 * the text and rebuild the text to the last character. Other spellings (the URL
 * alphabet, white space, missing padding, stray bits behind the last byte) are
 * refused.
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "quire.h"

/* The number of characters for `raw` bytes; SIZE_MAX on overflow. */
size_t base64_size(size_t raw);

/* Add the bytes that `text` encodes. False, with nothing added, unless encoding
 * them yields `text` again. Out of memory is recorded in the buffer, not
 * returned. */
bool base64_decode(quire_bytes text, struct buf *out);

/* Add `raw` as base64. */
void base64_encode(quire_bytes raw, struct buf *out);

/* The same into memory of base64_size(raw.len) bytes. No NUL. */
void base64_write(quire_bytes raw, char *out);

#endif

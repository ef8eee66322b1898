/*
 * text_join.h - one text from the strings of a JSON document
 *
 * Strings are joined with line breaks. A text of one string without escapes is
 * lent as it stands in the document; others are decoded into a buffer. The
 * text is always UTF-8: damage and half surrogate pairs become U+FFFD.
 *
 * Left out: empty strings, and what is not text but bytes in an encoding or a
 * reference to them: "blob:sha256:<64 hex>", data: URLs in base64, and 256 or
 * more characters of base64 and nothing else.
 */
#ifndef SEARCH_TEXT_JOIN_H
#define SEARCH_TEXT_JOIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "quire.h"

struct text_join {
    struct buf *out;   /* borrowed                                      */
    quire_bytes first; /* while `lent`: decoded when there is a second  */
    bool first_plain;  /* it is text already, not JSON                  */
    bool lent;         /* nothing is in `out` yet                       */
    size_t n;          /* strings so far                                */
};

/* Begin a text in `out`, which is cleared. */
void text_join_begin(struct text_join *j, struct buf *out);

/* Add a JSON string or number; other values add nothing. The value stays valid
 * until the text has been used. */
void text_join_value(struct text_join *j, quire_bytes value);

/* Add each string and number in a JSON value, at any depth and in order. Keys,
 * booleans and null are left out. */
void text_join_within(struct text_join *j, quire_bytes value);

/* Add text that is decoded already. It stays valid likewise. */
void text_join_plain(struct text_join *j, quire_bytes text);

/* Copy what was added, which need not stay valid from then on. */
void text_join_settle(struct text_join *j);

/* The text, in the buffer or in what was added. QUIRE_NO_MEMORY. */
quire_status text_join_end(struct text_join *j, quire_bytes *text,
                           quire_error *err);

#endif

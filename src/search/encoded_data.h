/*
 * encoded_data.h - base64, hex and their like within a text
 *
 * Data is at least 200 bytes of letters, digits and "+/=_-", in one run or in
 * lines of 60 to 76 bytes as PEM and MIME have it, that does not look like
 * words; or any such run behind "base64,".
 */
#ifndef SEARCH_ENCODED_DATA_H
#define SEARCH_ENCODED_DATA_H

#include <stddef.h>

#include "quire.h"

/* The end of the data that begins at `from`, the beginning of a word; `from` if
 * there is none. No other begins before *clear: a caller that walks over the
 * words of a text calls again from there on, and all calls together take time
 * linear in the length of the text. */
size_t encoded_data_end(quire_bytes text, size_t from, size_t *clear);

#endif

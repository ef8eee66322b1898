/* unescape.h - the escapes of JSON strings, apart from any string */
#ifndef PURGE_UNESCAPE_H
#define PURGE_UNESCAPE_H

#include <stdbool.h>

#include "base/buf.h"
#include "quire.h"

/* Add `text` as it is between the quotes of a JSON string. */
void escape_once(quire_bytes text, struct buf *out);

/* Whether decoding `text` once, or the result again, up to four times, gives `value`. A
 * backslash that escapes nothing stays. */
bool unescapes_to(quire_bytes text, quire_bytes value);

#endif

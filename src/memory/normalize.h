/*
 * normalize.h - normalize the text of prompts for storing and searching
 */
#ifndef MEMORY_NORMALIZE_H
#define MEMORY_NORMALIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "quire.h"

/* Add `text` in its stored form: CRLF and CR as a newline, no blanks at the end
 * of a line, none around the whole, U+FFFD for malformed UTF-8. Blanks are
 * those of Unicode, as in oh-my-pi. */
void normalize_stored(struct buf *out, quire_bytes text);

#endif

/*
 * normalize.h - the text of prompts: how it is stored, how it is looked for
 */
#ifndef MEMORY_NORMALIZE_H
#define MEMORY_NORMALIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "quire.h"

/* Add `text` in the form that is stored: CRLF and CR as a newline, no blanks
 * at the end of a line, none around the whole, U+FFFD for what is not UTF-8.
 * Blanks are those of Unicode, as oh-my-pi has them. */
void normalize_stored(struct buf *out, quire_bytes text);

/* Add `text` with A-Z as a-z. */
void normalize_case(struct buf *out, quire_bytes text);

/* Take the next word, a run of letters and digits, off the start of *text;
 * false when there is none left. */
bool normalize_next_word(quire_bytes *text, quire_bytes *word);

#endif

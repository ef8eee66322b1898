/*
 * sound.h - what holds of every converter, checked over one file
 */
#ifndef TESTS_IMPORT_SOUND_H
#define TESTS_IMPORT_SOUND_H

#include "converted.h"

/* A text with ' for ", until the test ends: JSON that can be read in C. */
const char *quoted(const char *text);

/* Convert a file that has no damage: in chunks of any size, continued at any
 * byte, with CRLF, with foreign and torn lines between and behind its own, and
 * without memory. The file is a text with ' for "; `whole`: one document. */
void sound(const struct import_format *format, const char *text, bool whole);

/* The same of a file of plain text, but for damage, which it cannot have. */
void sound_text(const struct import_format *format, const char *text);

/* Convert it, with the checks of converted_check(). */
void converted_quoted(struct converted *r, const struct import_format *format,
                      const char *text, bool whole);

#endif

/*
 * sanitize.h - convert program output to plain text
 *
 * Programs print for terminals: colours, titles, cursor movements, progress
 * bars, and sometimes binary data. The result is UTF-8 with tabs and newlines
 * and no other control character:
 *
 *   - Escape sequences are removed. An unfinished one ends with its line, or
 *     with what aborts it on a terminal.
 *   - CRLF and CR become a newline.
 *   - All other control characters are removed (C0, DEL, C1).
 *   - Malformed UTF-8 becomes U+FFFD, one for each maximal subpart.
 *
 * The stream may be cut anywhere; the text does not depend on where.
 */
#ifndef OUTPUT_SANITIZE_H
#define OUTPUT_SANITIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

/* A title or an image may continue over several lines, to be removed; or its
 * end was forgotten, and the lines are text. So many bytes are held until it is
 * known which. Images that terminals show are within it. */
#define SANITIZE_HOLD ((size_t)256 << 10)

/* The least output space that lets sanitize_text() continue. */
#define SANITIZE_ROOM 16

enum sanitize_state {
    SANITIZE_TEXT,
    SANITIZE_ESCAPE, /* after ESC                                        */
    SANITIZE_INTERMEDIATE, /* after ESC and 20..2f: one more byte ends it      */
    SANITIZE_CONTROL,    /* after ESC [, parameters                          */
    SANITIZE_STRING,     /* after ESC ] and its like, until BEL or ESC \     */
    SANITIZE_STRING_END, /* in there, after ESC                              */
};

struct sanitizer {
    enum sanitize_state state;
    bool after_cr;         /* a following newline has been written already */
    unsigned char part[4]; /* the beginning of a character                   */
    unsigned n_part;
    bool holding;  /* SANITIZE_STRING: a newline has been seen       */
    bool ended;    /* no more is to come                          */
    size_t n_held; /* bytes held */
    size_t give_at, give_end; /* of these: to be emitted as text after all */
    char held[SANITIZE_HOLD + 1]; /* and what aborted it                      */
};

void sanitize_init(struct sanitizer *c);

/* Consume bytes from the front of *in and write clean text to `out`, until *in
 * is empty and nothing is left to emit, or less than SANITIZE_ROOM of `cap`
 * bytes are left. Returns how many were written. */
size_t sanitize_text(struct sanitizer *c, quire_bytes *in, char *out,
                     size_t cap);

/* The end of the input: sanitize_text() emits the held bytes with an empty *in,
 * in as many calls as it takes. */
void sanitize_end(struct sanitizer *c);

/* Whether sanitize_text() has something to emit without any input. */
bool sanitize_has_more(const struct sanitizer *c);

#endif

/*
 * sanitize.h - what a program prints, as text
 *
 * Programs print for terminals: colours, titles, cursor movements, progress
 * bars, and now and then bytes that are no text at all. What goes in here comes
 * out as UTF-8 with tabs and newlines and no other control character:
 *
 *   - Escape sequences go. One that is not finished ends with its line, or
 *     with what aborts it on a terminal.
 *   - CRLF and CR become a newline.
 *   - All other control characters go (C0, DEL, C1).
 *   - What is not UTF-8 becomes U+FFFD, one for each maximal subpart.
 *
 * The stream may be cut anywhere; the text does not depend on where.
 */
#ifndef OUTPUT_SANITIZE_H
#define OUTPUT_SANITIZE_H

#include <stdbool.h>
#include <stddef.h>

#include "quire.h"

/* A title or an image in the stream may go on over several lines, and then we
 * want none of it; or its end was forgotten, and then we want the lines. So
 * much is put aside until it is known which. Images that terminals show are
 * within it. */
#define SANITIZE_HOLD ((size_t)256 << 10)

/* The least room for output that lets sanitize_text() go on. */
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
    bool after_cr;         /* a newline that follows has been given already  */
    unsigned char part[4]; /* the beginning of a character                   */
    unsigned n_part;
    bool holding;  /* SANITIZE_STRING: a newline has been seen       */
    bool ended;    /* no more is to come                          */
    size_t n_held; /* what is put aside                           */
    size_t give_at, give_end; /* of that: to be given as text after all      */
    char held[SANITIZE_HOLD + 1]; /* and what aborted it                      */
};

void sanitize_init(struct sanitizer *c);

/* Take bytes from the front of *in and write clean text to `out`, until *in is
 * empty and nothing is left to give, or less than SANITIZE_ROOM of `cap` bytes are
 * left. Gives how many were written. */
size_t sanitize_text(struct sanitizer *c, quire_bytes *in, char *out,
                     size_t cap);

/* Nothing more is to come: what was put aside is given by sanitize_text() with an
 * empty *in, as often as it takes. */
void sanitize_end(struct sanitizer *c);

/* Whether sanitize_text() has something to give without any input. */
bool sanitize_has_more(const struct sanitizer *c);

#endif

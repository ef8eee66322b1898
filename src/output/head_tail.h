/*
 * head_tail.h - the beginning and the end of a text
 *
 * Of a text of any length, the part to show: the first bytes, if wanted, and
 * the last, with long lines cut. Memory is allocated once, at the start; after
 * that nothing can fail.
 */
#ifndef OUTPUT_HEAD_TAIL_H
#define OUTPUT_HEAD_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quire.h"

/* Bytes of a long line held back until its length is known: the three that "…"
 * takes, and a character that would have been split. */
#define HEAD_TAIL_HOLD 8

struct head_tail {
    size_t threshold, head_max;
    uint64_t columns; /* 0: lines are never cut                             */

    char *memory; /* owned: head, space for the marker, ring */
    size_t n_head;
    bool head_full; /* further text goes to the ring */
    char *ring;     /* in `memory`                                          */
    size_t n_ring, ring_at; /* how much is in it; where the next byte goes */
    size_t ring_max;

    uint64_t total; /* bytes shown or elided: of lines after cutting */

    /* The line that is being read. */
    uint64_t n_line;        /* its bytes so far                             */
    bool keeping, dropping; /* hold back; cut already */
    char held[HEAD_TAIL_HOLD];
    unsigned n_held;

    uint64_t capped_lines, capped_bytes;
};

/* QUIRE_NO_MEMORY. `head` is at most half of `threshold`. */
quire_status head_tail_init(struct head_tail *w, size_t threshold, size_t head,
                            uint64_t columns, quire_error *err);
void head_tail_release(struct head_tail *w);

/* Whether everything added so far, followed by `text`, can be shown in full. */
bool head_tail_fits(const struct head_tail *w, quire_bytes text);

/* More text: well-formed UTF-8, cut anywhere. */
void head_tail_add(struct head_tail *w, quire_bytes text);

/* While everything fits: what has been added so far, in three pieces. */
void head_tail_pieces(const struct head_tail *w, quire_bytes pieces[3]);

/* Assemble the text to show, and fill in its part of the result: output and its
 * counts, what was elided and capped. The text had `total_lines` lines. Nothing
 * is added afterwards. */
void head_tail_finish(struct head_tail *w, uint64_t total_lines,
                      quire_sink_result *result);

#endif

/*
 * lines.h - select lines of a text of any length
 *
 * The selection applies in this order: from line `offset` on, the lines that
 * match `grep`, at most the first `limit` of these, of these the last `tail`. A
 * line ends with a newline; text behind the last one is a line too, unless it
 * is empty. Memory does not depend on the text: a line above LINES_PIECE comes
 * in pieces, and only its first piece is searched.
 */
#ifndef OUTPUT_LINES_H
#define OUTPUT_LINES_H

#include <stdbool.h>

#include "quire.h"

#define LINES_PIECE ((size_t)1 << 20)

/* Where the text comes from. */
struct lines_source {
    bool seeks; /* reading from the middle costs no more than that */

    /* Pass everything from byte `from` to the end, in order, to `write`, in
     * pieces of any size. A status from `write` ends it and is returned. May be
     * called again. */
    quire_status (*read)(void *ctx, uint64_t from, quire_write_fn write,
                         void *write_ctx, quire_error *err);
    void *ctx;
};

/* The options are those of quire_read_options. *n_lines (may be NULL) is the
 * number of lines emitted.
 *
 * QUIRE_INVALID    `grep` is not a valid expression, or is too large
 * QUIRE_NOT_FOUND  the text has fewer lines than `offset`, or `grep` matched
 *                  nothing; `err` has the reason. Never for an empty text
 *                  with offset 0 or 1 and no grep. */
quire_status lines_read(const struct lines_source *source,
                        const quire_read_options *choice, quire_line_fn each,
                        void *ctx, uint64_t *n_lines, quire_error *err);

#endif

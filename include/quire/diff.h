/*
 * quire/diff.h - what changed between two texts
 *
 * Lines are compared, by the shortest script of removed and added lines (Myers). In
 * lines that were changed, not replaced, the words that differ are marked. The work is
 * bounded: two texts that have little in common get a script that is right, but not
 * the shortest.
 */
#ifndef QUIRE_DIFF_H
#define QUIRE_DIFF_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* Begin with QUIRE_DIFF_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_diff_options {
    size_t size;
    size_t context; /* unchanged lines around changes                       */
    int words;      /* mark words                                           */
} quire_diff_options;

#define QUIRE_DIFF_OPTIONS_INIT          \
    {                                    \
        sizeof(quire_diff_options), 3, 1 \
    }

typedef struct quire_span {
    size_t from, to; /* bytes of the line                                   */
} quire_span;

enum {
    QUIRE_DIFF_SAME = '=',
    QUIRE_DIFF_REMOVED = '-',
    QUIRE_DIFF_ADDED = '+'
};

typedef struct quire_diff_line {
    int kind;         /* QUIRE_DIFF_...                                   */
    int begins_hunk;  /* lines before it were left out, or it is the first */
    size_t old_line;  /* number in the old text from 1; added: of the line
                           behind it                                        */
    size_t new_line;  /* the same in the new text                         */
    quire_bytes text; /* with its line break, if it has one               */
    const quire_span *marks;
    size_t n_marks;
    uint64_t reserved[4];
} quire_diff_line;

typedef quire_status (*quire_diff_fn)(void *ctx, const quire_diff_line *line,
                                      quire_error *err);

typedef struct quire_diff_summary {
    size_t added, removed; /* lines                                         */
    size_t hunks;
    int is_binary; /* one of the texts has a NUL byte: nothing was listed   */
    uint64_t reserved[4];
} quire_diff_summary;

/* Compare two texts and list the hunks: changed lines, and those around them.
 * `options` and `out` may be NULL.
 *
 * Owns: lines are lent until `each` returns; *out is the caller's.
 * Fails: common
 *   QUIRE_INVALID  a text has more than 2^31 lines
 * Durable: reads only. */
quire_status quire_diff(quire_bytes before, quire_bytes after,
                        const quire_diff_options *options, quire_diff_fn each,
                        void *ctx, quire_diff_summary *out, quire_error *err);

QUIRE_DECLS_END

#endif

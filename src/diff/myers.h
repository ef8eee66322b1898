/*
 * myers.h - the shortest edit script of two sequences of numbers
 *
 * Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), section 4b: find
 * the middle of an optimal path from both ends at once, and solve both halves the same
 * way. Linear space.
 *
 *   (1) A step is an edit; common elements are free. After `d` steps the furthest
 *       place on each diagonal k = x - y is kept, for both directions.
 *   (2) Where both searches meet, an optimal path passes.
 *   (3) A search that has taken MYERS_STEPS_MAX steps is cut off at the place that has
 *       come furthest: the script stays right, and is longer than necessary. So the
 *       time is at most (n + m) * MYERS_STEPS_MAX for each level, and levels that are
 *       cut off become smaller.
 */
#ifndef DIFF_MYERS_H
#define DIFF_MYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MYERS_STEPS_MAX = 1024 };

struct myers_side {
    const uint32_t *item;
    size_t n;
    bool *changed; /* set for each item that the other side lacks            */
};

/* `room` has myers_room(a->n, b->n) elements. */
void myers_diff(struct myers_side *a, struct myers_side *b, ptrdiff_t *room);
size_t myers_room(size_t n, size_t m);

#endif

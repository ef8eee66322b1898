/*
 * counts.h - how often each name occurred
 *
 * A list in the order of first occurrence. Look-ups begin behind the last hit,
 * since records repeat in cycles. At most COUNTS_MAX names; further ones share
 * the last, "other".
 */
#ifndef IMPORT_COUNTS_H
#define IMPORT_COUNTS_H

#include <stdint.h>

#include "quire.h"

enum { COUNTS_MAX = 512, COUNTS_NAME_SIZE = 72 };

struct count {
    char name[COUNTS_NAME_SIZE]; /* cut to fit */
    size_t len;
    uint64_t n;
};

struct counts {
    struct count *list; /* owned; NULL: none yet */
    size_t n, cap, guess;
};

void counts_release(struct counts *c);

/* Count "<what> <name>", or "<what> <name>.<field>" where the field has a
 * length. Names are content of JSON strings, shown as they stand, control
 * characters as "?". Without memory nothing is counted. */
void counts_add(struct counts *c, const char *what, quire_bytes name,
                quire_bytes field);

#endif

/*
 * units.h - numbers with a unit, as people write them: 10M, 500ms
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct unit {
    const char *name; /* NULL ends a table */
    uint64_t factor;
};

extern const struct unit units_none[];  /* a whole number                     */
extern const struct unit units_bytes[]; /* k, M, GiB: powers of 1024; kB, MB:
                                         * of 1000                            */
extern const struct unit units_ms[];    /* ms, s, m, h, d; none: seconds      */

/* Digits and a unit of the table, nothing else. False: it is neither, or too
 * large; *out is then undefined. */
bool units_parse(const char *text, const struct unit *units, uint64_t *out);

#endif

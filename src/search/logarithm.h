/*
 * logarithm.h - the natural logarithm, without libm
 *
 * The same on every machine: scores are part of cursors. Accurate to about twelve
 * digits.
 */
#ifndef SEARCH_LOGARITHM_H
#define SEARCH_LOGARITHM_H

#include <stdint.h>
#include <string.h>

/* Of a normal number above 0. */
static inline double natural_log(double x)
{
    const double ln2 = 0.693147180559945309417;
    uint64_t bits;
    int exponent, i;
    double t, square, power, sum = 0;

    memcpy(&bits, &x, sizeof bits);
    exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    bits = (bits & 0xfffffffffffffu) | UINT64_C(1023) << 52;
    memcpy(&x, &bits, sizeof x); /* 1 <= x < 2 */
    /* ln x = 2 artanh((x - 1) / (x + 1)) */
    t = (x - 1) / (x + 1);
    square = t * t;
    for (power = t, i = 1; i < 24; i += 2, power *= square)
        sum += power / i;
    return 2 * sum + exponent * ln2;
}

#endif

/*
 * flip.h - a furnished home, and what a check of it says
 */
#ifndef TESTS_FLIP_H
#define TESTS_FLIP_H

#include "support/test.h"

/* What a check found. */
struct heard {
    quire_status status; /* of opening it, or of the check               */
    int n, mended;
    char text[8192]; /* "where kind what\n" of each, as far as it fits    */
    quire_check_summary sum;
};

/* Check the home of this name, read-only; `kind` QUIRE_KIND_AUTO looks. */
struct heard flip_check(const char *name, unsigned flags);

/* Repair it; status and findings as above. */
struct heard flip_repair(const char *name, unsigned flags);

/* Make a home with all there is: sessions with images, in the archive and of
 * two tenants, blobs of all sizes, versions, memory, a scratchpad, outputs. */
void flip_furnish(const char *name);

/* The n-th session file of it, in the order of names; NULL past the end. */
const char *flip_session(const char *name, int n);

/* An oh-my-pi home with sessions and flat blobs; a JP workspace. */
void flip_furnish_omp(const char *name);
void flip_furnish_jp(const char *name);

/* The first file below a directory whose name ends so; until the test ends. */
const char *flip_find(const char *dir, const char *ending, int n);

/* Flip one bit of a file, where it lies. */
void flip_bit(const char *path, size_t at, int bit);

#endif

/*
 * failing.h - ways in which calls fail, and a home whose clock stands still
 *
 * A sweep makes the n-th call fail: at the seams, in our own calls, or in
 * SQLite's too; that one alone, or everything from there on.
 */
#ifndef SUPPORT_FAILING_H
#define SUPPORT_FAILING_H

#include <stdbool.h>

#include "quire.h"
#include "store/intercept.h"

enum where { SEAMS, CALLS, SQLITE };

struct way {
    enum where where;
    bool stay;         /* everything from there on fails */
    long first, step;  /* which calls                    */
    struct fault seam; /* for SEAMS                      */
};

void way_arm(struct way *w, long n);

/* Whether it has come to that. */
bool way_disarm(struct way *w);

/* "sqlite 12 (xSync, on)": what fails, in memory that is the test's. */
const char *way_name(const struct way *w, long n);

/* The home "home", for the default tenant, at a time that is later than any. */
quire *failing_open(void);

#endif

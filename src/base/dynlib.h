/*
 * dynlib.h - a shared library that is loaded when it is first needed
 *
 * What few commands use costs the others no start-up time, and need not be
 * installed for them.
 */
#ifndef BASE_DYNLIB_H
#define BASE_DYNLIB_H

#include <stdbool.h>
#include <stddef.h>

struct dynlib_symbol {
    const char *name;
    void *to; /* a pointer to a function, which is filled in */
};

/* Load `file` and find all of the calls in it; it stays loaded. False: it is not
 * there, or lacks one of them. */
bool dynlib_load(const char *file, const struct dynlib_symbol *calls, size_t n);

#endif

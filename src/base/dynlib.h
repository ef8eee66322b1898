/*
 * dynlib.h - shared libraries loaded on first use
 *
 * A library that few commands use costs the others no start-up time, and need
 * not be installed for them.
 */
#ifndef BASE_DYNLIB_H
#define BASE_DYNLIB_H

#include <stdbool.h>
#include <stddef.h>

struct dynlib_symbol {
    const char *name;
    void *to; /* address of a function pointer to fill in */
};

/* Load `file` and resolve all symbols of `calls`; it stays loaded. False: the
 * file or one of the symbols is missing. */
bool dynlib_load(const char *file, const struct dynlib_symbol *calls, size_t n);

#endif

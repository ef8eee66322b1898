/*
 * path.h - the one rule for the names of artifacts
 *
 * A path comes from an agent, a client or a person, and becomes the name of a
 * file on somebody's disk. Every door asks this function and no other: it
 * gives the one canonical spelling, or the reason why there is none.
 *
 * It is text that is judged here; no file is looked at.
 */
#ifndef ARTIFACT_PATH_H
#define ARTIFACT_PATH_H

#include "quire.h"

#define PATH_BYTES_MAX     256
#define PATH_COMPONENT_MAX 128

enum path_fault {
    PATH_FINE,
    PATH_EMPTY,
    PATH_TOO_LONG, /* as given, before anything is done to it  */
    PATH_ABSOLUTE,
    PATH_COMPONENT_TOO_LONG,
    PATH_TRAVERSAL, /* "." or ".."                              */
    PATH_HIDDEN,
    PATH_NUL,
    PATH_CONTROL,
    PATH_COLON,
    PATH_RESERVED, /* CON, NUL, COM1 ... of another system     */
    PATH_NOT_UTF8,
};

/* The canonical form of `path`, with a NUL, in `out`; *len (may be NULL)
 * without it. Its first fault otherwise, and `out` is worthless then. */
enum path_fault path_clean(quire_bytes path, char out[PATH_BYTES_MAX + 1],
                           size_t *len);

/* "path_too_long": stable, for programs. And in words, for people: "a part of
 * it begins with a dot". Static strings; of PATH_FINE "". */
const char *path_reason(enum path_fault fault);
const char *path_words(enum path_fault fault);

#endif

/*
 * path.h - the rule for artifact paths
 *
 * A path comes from an agent, a client or a person, and becomes a file name on
 * disk. Every interface uses this function: it returns the canonical spelling,
 * or the reason for a refusal. It judges text and does not touch files.
 */
#ifndef ARTIFACT_PATH_H
#define ARTIFACT_PATH_H

#include "quire.h"

#define PATH_BYTES_MAX     256
#define PATH_COMPONENT_MAX 128

enum path_fault {
    PATH_FINE,
    PATH_EMPTY,
    PATH_TOO_LONG, /* as given, before cleaning */
    PATH_ABSOLUTE,
    PATH_COMPONENT_TOO_LONG,
    PATH_TRAVERSAL, /* "." or ".."                              */
    PATH_HIDDEN,
    PATH_NUL,
    PATH_CONTROL,
    PATH_COLON,
    PATH_RESERVED, /* CON, NUL, COM1 ... of Windows */
    PATH_NOT_UTF8,
};

/* The canonical form of `path`, with a NUL, in `out`; *len (may be NULL)
 * without it. Otherwise the first fault, and `out` is undefined. */
enum path_fault path_clean(quire_bytes path, char out[PATH_BYTES_MAX + 1],
                           size_t *len);

/* "path_too_long": stable, for programs. And a message for people: "a part of
 * it begins with a dot". Static strings; "" for PATH_FINE. */
const char *path_reason(enum path_fault fault);
const char *path_message(enum path_fault fault);

/* path_clean() with a message. *reason (may be NULL) is path_reason().
 * QUIRE_INVALID. */
quire_status path_check(quire_bytes path, char out[PATH_BYTES_MAX + 1],
                        const char **reason, quire_error *err);

#endif

/*
 * err.h - error messages
 *
 * A bug is an assert. An answer (not found, exists) is a status that the API
 * layer words. An accident gets its message where it is understood: what
 * failed, on which object, why; the hint says what to do next. Lower case, no
 * full stop.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "quire.h"

/* Begins a hint for the shell, one that names a command or an option: it is not
 * part of the text, and sets the audience of the error. */
#define HINT_SHELL "\001"

/* Fill `err` (NULL is fine) and return `status`. Clears the hint. */
quire_status err_set(quire_error *err, quire_status status, const char *fmt,
                     ...) __attribute__((format(printf, 3, 4)));

/* The same with a hint that needs no formatting; NULL: none. */
quire_status err_fail(quire_error *err, quire_status status, const char *hint,
                      const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The hint of the error just set. */
void err_next(quire_error *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Report a failed system call: "<fmt>: No space left on device", with the
 * status and the hint that belong to the errno `number`. */
quire_status err_sys(quire_error *err, int number, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static inline quire_status err_memory(quire_error *err)
{
    err_set(err, QUIRE_NO_MEMORY, "out of memory");
    return QUIRE_NO_MEMORY;
}

#endif

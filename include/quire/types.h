/* quire/types.h - version, status, error, bytes and callbacks */
#ifndef QUIRE_TYPES_H
#define QUIRE_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* C names for C++, and what the shared library exports. */
#ifdef __cplusplus
#define QUIRE_C_BEGIN extern "C" {
#define QUIRE_C_END   }
#else
#define QUIRE_C_BEGIN
#define QUIRE_C_END
#endif
#ifdef __GNUC__
#define QUIRE_DECLS_BEGIN _Pragma("GCC visibility push(default)") QUIRE_C_BEGIN
#define QUIRE_DECLS_END   QUIRE_C_END _Pragma("GCC visibility pop")
#else
#define QUIRE_DECLS_BEGIN QUIRE_C_BEGIN
#define QUIRE_DECLS_END   QUIRE_C_END
#endif

QUIRE_DECLS_BEGIN

#define QUIRE_VERSION_MAJOR 0
#define QUIRE_VERSION_MINOR 1
#define QUIRE_VERSION_PATCH 0
#define QUIRE_VERSION       "0.1.0"

/* The version of the library that is running, which may be newer than the
 * header a program was compiled with. A static string. */
const char *quire_version(void);

/* The libraries Quire stands on, each with the version that is running:
 * "sqlite 3.40.1" into `out`, which is returned. `index` counts from 0; NULL
 * past the last. */
const char *quire_version_of(unsigned index, char out[64]);

/* ------------------------------------------------------------------ status */

typedef enum quire_status {
    QUIRE_OK = 0,
    QUIRE_NOT_FOUND, /* an answer, not an accident                      */
    QUIRE_EXISTS,    /* an answer too: it is there already              */
    QUIRE_BUSY,      /* someone else is writing; trying again is right  */
    QUIRE_INVALID,   /* your input; trying again is useless             */
    QUIRE_DAMAGED,   /* stored bytes fail their own check               */
    QUIRE_IO,        /* the system refused: disk full, no permission    */
    QUIRE_NO_MEMORY, /* allocation failed, or a ceiling was reached     */
    QUIRE_STOPPED,   /* a callback of yours asked to stop               */
    QUIRE_CHANGED,   /* not as you expected it any more: look again     */
    QUIRE_TOO_LARGE, /* more than one thing of its kind may have        */
    QUIRE_QUOTA,     /* no room left for it among the others            */
} quire_status;

/* "not_found", "busy" and so on: stable, for programs. A static string. */
const char *quire_status_name(quire_status status);

/* Filled on failure, untouched on success, NULL if you do not care. It is
 * yours, on your stack: nothing to free, nothing another thread can replace. */
typedef struct quire_error {
    quire_status status;
    char what[256]; /* what failed, on which object, and why     */
    char next[192]; /* what the user can do about it; may be ""  */
} quire_error;

/* Bytes on loan: any content, no terminator. */
typedef struct quire_bytes {
    const void *data;
    size_t len;
} quire_bytes;

/* An open store: see quire/store.h. */
typedef struct quire quire;

/* A callback may not call Quire with the handle that is calling it: that is
 * answered with QUIRE_INVALID. */

/* Gives the next bytes of a stream: up to `cap` of them into `buf`, how many
 * in *n; zero means the end. Any other status than QUIRE_OK ends the call it
 * was given to, which returns that status and leaves nothing behind; the
 * callback fills `err` then. */
typedef quire_status (*quire_read_fn)(void *ctx, void *buf, size_t cap,
                                      size_t *n, quire_error *err);

/* Takes the next bytes of a stream; the same rules. */
typedef quire_status (*quire_write_fn)(void *ctx, quire_bytes bytes,
                                       quire_error *err);

/* Takes a text, on loan until it returns; the same rules. */
typedef quire_status (*quire_text_fn)(void *ctx, const char *text,
                                      quire_error *err);

QUIRE_DECLS_END

#endif

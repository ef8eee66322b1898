/*
 * quire/types.h - status, error, bytes and callbacks; how to read the headers
 *
 * Comments. The comment of a function, or of a group of functions without a
 * blank line between them, answers four questions in this order: what it does
 * (the text), ownership (`Owns:`), how it fails (`Fails:`, one status a line)
 * and what survives a power cut afterwards (`Durable:`).
 *
 * Owns. Bytes and text that a call takes are copied. What a call returns is
 * lent: valid until the next call with the same handle, or in a callback until
 * the callback returns.
 *
 * Fails. `common` stands for what any call with a handle may return:
 *
 *   QUIRE_IO         the system refused: disk full, no permission
 *   QUIRE_NO_MEMORY  an allocation failed
 *   QUIRE_BUSY       another writer held a lock for longer than busy_ms
 *   QUIRE_DAMAGED    quire.db is not a Quire database, or a row of it is
 *                    damaged
 *   QUIRE_INVALID    a newer Quire wrote the home; a write through a handle
 *                    that is read-only; a call from a callback of the same
 *                    handle; a topic that this kind of home does not have; a
 *                    transaction is open that excludes the call
 *   QUIRE_NOT_FOUND  the handle's tenant was removed (QUIRE_INVALID: disabled)
 *   any status       what a callback of the caller returned
 *
 * A call that fails has changed nothing, unless its comment says otherwise.
 *
 * Durable. `on return`: when the call returns QUIRE_OK its change survives a
 * power cut. Two things postpone that: an open transaction, until it ends
 * (quire/transaction.h), and the setting durability=flush, until quire_sync().
 * A crash of the process alone never loses a change that was reported as done.
 * `reads only`: nothing changes but caches that are rebuilt on demand.
 *
 * Threads. One thread at a time uses a `quire` handle. Other threads and other
 * processes open their own handle on the same store; handles of one process
 * may share commits (`peer` of quire_options). After fork() the
 * child neither uses nor closes a handle of its parent. Nothing has to be
 * initialised.
 *
 * The library prints nothing, never exits and installs no signal handler.
 */
#ifndef QUIRE_TYPES_H
#define QUIRE_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* C linkage, and visibility in the shared library, for all declarations. */
#ifdef __cplusplus
#define QUIRE_C_BEGIN extern "C" {
#define QUIRE_C_END   }
#else
#define QUIRE_C_BEGIN
#define QUIRE_C_END
#endif
#ifdef __GNUC__
#define QUIRE_DECLS_BEGIN _Pragma("GCC visibility push(default)") QUIRE_C_BEGIN
#define QUIRE_DECLS_END \
    QUIRE_C_END         \
    _Pragma("GCC visibility pop")
#else
#define QUIRE_DECLS_BEGIN QUIRE_C_BEGIN
#define QUIRE_DECLS_END   QUIRE_C_END
#endif

QUIRE_DECLS_BEGIN

#define QUIRE_VERSION_MAJOR 0
#define QUIRE_VERSION_MINOR 1
#define QUIRE_VERSION_PATCH 0
#define QUIRE_VERSION       "0.1.0"

/* quire_version() returns the version of the running library, which may be
 * newer than the header a program was compiled with. quire_version_of() writes
 * name and version of a library that Quire uses, "sqlite 3.40.1", and returns
 * `out`; `index` counts from 0.
 *
 * Owns: the version is a static string; `out` is the caller's.
 * Fails: quire_version_of() returns NULL past the last library.
 * Durable: reads only. */
const char *quire_version(void);
const char *quire_version_of(unsigned index, char out[64]);

typedef enum quire_status {
    QUIRE_OK = 0,
    QUIRE_NOT_FOUND, /* an answer: the object does not exist            */
    QUIRE_EXISTS,    /* an answer: the object exists already            */
    QUIRE_BUSY,      /* another writer is active; a retry may succeed   */
    QUIRE_INVALID,   /* the input is wrong; a retry fails again         */
    QUIRE_DAMAGED,   /* stored bytes fail their own check               */
    QUIRE_IO,        /* the system refused: disk full, no permission    */
    QUIRE_NO_MEMORY, /* allocation failed, or a ceiling was reached     */
    QUIRE_STOPPED,   /* a callback of the caller asked to stop          */
    QUIRE_CHANGED,   /* the object differs from what the caller expects */
    QUIRE_TOO_LARGE, /* a limit on one object                           */
    QUIRE_QUOTA,     /* a limit on all objects of a session or tenant   */
} quire_status;

/* Return the stable name of a status for programs: "not_found", "busy", …
 *
 * Owns: a static string.
 * Fails: never; "unknown" for other numbers.
 * Durable: reads only. */
const char *quire_status_name(quire_status status);

/* What a status alone does not tell, for programs. */
typedef enum quire_error_code {
    QUIRE_CODE_NONE = 0, /* the status says it all                        */
    QUIRE_CODE_LIMIT,    /* with QUIRE_BUSY: a limit of this process is
                            reached; otherwise another writer is at work  */
} quire_error_code;

/* Which reader `next` is written for. Front ends other than the shell replace a
 * hint for the shell by one of their own. */
typedef enum quire_audience {
    QUIRE_FOR_ALL = 0,
    QUIRE_FOR_SHELL, /* it names a command or an option of `quire` */
} quire_audience;

/* Filled on failure, untouched on success; calls accept NULL for it. It lives
 * in the caller's memory: nothing to free, and no other thread replaces it. */
typedef struct quire_error {
    quire_status status;
    char what[256]; /* what failed, on which object, and why   */
    char next[192]; /* what the user can do about it; may be "" */
    quire_error_code code;
    quire_audience audience; /* of `next` */
} quire_error;

/* Borrowed bytes: any content, no terminator. */
typedef struct quire_bytes {
    const void *data;
    size_t len;
} quire_bytes;

/* An open store: quire/store.h. */
typedef struct quire quire;

/* A callback must not call Quire with the handle that called it; such a call
 * returns QUIRE_INVALID. When a callback returns another status than QUIRE_OK,
 * after filling `err`, the call that runs it stops and returns that status. */

/* Reads the next bytes of a stream: up to `cap` into `buf`, their number into
 * *n; zero means end of stream. */
typedef quire_status (*quire_read_fn)(void *ctx, void *buf, size_t cap,
                                      size_t *n, quire_error *err);

/* Takes the next bytes of a stream. */
typedef quire_status (*quire_write_fn)(void *ctx, quire_bytes bytes,
                                       quire_error *err);

/* Takes one text of a list. */
typedef quire_status (*quire_text_fn)(void *ctx, const char *text,
                                      quire_error *err);

QUIRE_DECLS_END

#endif

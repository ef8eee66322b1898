/*
 * names.h - names of sessions, entries, files and directories
 *
 * Names built here follow the other programs of the format, so that a home can
 * be shared with them. Names parsed here are untrusted.
 *
 * A directory's name does not identify a project: "/srv/a/b" and "/srv/a-b"
 * share one, and so may two long paths. The header's `cwd` is authoritative.
 */
#ifndef SESSION_NAMES_H
#define SESSION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "quire.h"

enum {
    NAMES_ID_SIZE = 40,       /* any id made here, and its NUL           */
    NAMES_COMPONENT_MAX = 255 /* bytes of a file name, on every system   */
};

/* ---------------------------------------------------------------------- ids */

/* An id for a new entry: eight random hex digits that are not `taken` (NULL:
 * nothing is). After a hundred that are, 32 digits, which are unique.
 *
 * QUIRE_IO  random bytes are unavailable */
quire_status names_entry_id(const struct rand_source *r,
                            bool (*taken)(void *ctx, quire_bytes id), void *ctx,
                            char out[NAMES_ID_SIZE], quire_error *err);

/* An id for a new session: 16 hex digits, 42 bits of milliseconds since 2015
 * and 22 random ones; or with `uuid` the text of a version 7 UUID. Either way
 * ids sort by time.
 *
 * QUIRE_IO  random bytes are unavailable */
quire_status names_session_id(const struct rand_source *r, int64_t now_us,
                              bool uuid, char out[NAMES_ID_SIZE],
                              quire_error *err);

/* ---------------------------------------------------- files and directories */

/* Add the name of a session's file: 2026-02-16T10-20-30-000Z_<id>.jsonl, or
 * .jsonl.gz for one that is kept compressed (store/log.h). */
void names_file(int64_t created_us, const char *id, bool compressed,
                struct buf *out);

/* Whether a file with this name is a session; the name without the ending. */
bool names_is_session(quire_bytes file_name);
quire_bytes names_stem(quire_bytes file_name);

/* Add the name of the directory for sessions of `cwd`, an absolute path.
 *
 *     native   --<path without its first slash>--
 *     omp      -<path within home>, "-" for home itself
 *              -tmp-<path within tmp>, "-tmp" for tmp itself
 *              --<path without its first slash>-- for the rest
 *
 * Slashes, backslashes, colons and control characters become "-". `home` and
 * `tmp` (for omp only; NULL or empty: none) must be real paths, as `cwd` is;
 * this does not access the disk. A path within home that begins with two dots,
 * like "..hidden", counts as outside, as in oh-my-pi.
 *
 * A name above NAMES_COMPONENT_MAX bytes keeps as much of its beginning as
 * fits, without splitting a character, followed by "-" and the first 16 hex
 * digits of the SHA-256 of the whole name, and "--" if that ended so. */
void names_dir(const char *cwd, bool omp, const char *home, const char *tmp,
               struct buf *out);

/* The id in a file's name: the part behind the last "_", without its ending; all
 * of it if there is no "_". A slice of the name; directories may precede it. */
quire_bytes names_id_in_file(quire_bytes file_name);

/* Does `wanted` select this session? It must be a prefix, ignoring case, of the
 * header's id, of the file's name or of the id in the file's name. An empty one
 * selects nothing. */
bool names_match(quire_bytes header_id, quire_bytes file_name,
                 quire_bytes wanted);

/* -------------------------------------------------------- terminals, crumbs */

/* A name for the current terminal, valid as a file name: the device on
 * `stdin_fd` ("pts-0"), else from the environment variables of a multiplexer or
 * an emulator ("tmux-%3"). False if unknown, or too long. */
bool names_terminal(char *out, size_t cap, int stdin_fd,
                    const char *(*env)(const char *name));

/* What was last open in a terminal. */
struct breadcrumb {
    quire_bytes cwd;  /* slices of the text that was read    */
    quire_bytes path; /* of the session's file               */
    bool fresh;       /* that file may not exist yet */
};

/* Add the text of a breadcrumb: two lines. False, with nothing added, if a
 * path is empty or has a line break, and so cannot be a line. */
bool names_breadcrumb(const char *cwd, const char *path, struct buf *out);

/* Parse one; lines behind the second are read for `fresh` only. False if there
 * are fewer than two lines. */
bool names_read_breadcrumb(quire_bytes text, struct breadcrumb *out);

#endif

/*
 * home_make.h - a home of very many sessions, each with blobs of its own
 *
 * Each session has a hundred entries of about a kilobyte and a half, each with a
 * reference to a small blob that no other has. A hundred sessions are in one
 * directory.
 */
#ifndef BENCH_HOME_MAKE_H
#define BENCH_HOME_MAKE_H

#include "bench.h"

enum { PER_SESSION = 100, PER_DIR = 100 };

struct home {
    struct bench *b;
    quire *q; /* "home" in the scratch directory */
    int n_sessions;
    quire_digest *digests; /* of the blobs, in the order of the sessions */
    uint64_t bytes;        /* of session files                           */
};

/* Make it, in the place of what was there; and remove it. */
void home_make(struct home *h, struct bench *b, int n_sessions);
void home_clear(struct home *h);

/* What blob number `i` holds; `text` has HOME_BLOB bytes. */
enum { HOME_BLOB = 128 };
size_t home_blob(uint64_t i, char text[HOME_BLOB]);

/* Put `n` of them, from number `from` on. */
void home_put_blobs(struct home *h, uint64_t from, uint64_t n,
                    quire_digest *digests);

/* One more session; its file, as a program would have written it. */
void home_write_session(struct home *h, int number,
                        const quire_digest *digests);

/* Where a session's file is. */
enum { HOME_PATH = 640 };
void home_session_path(const struct home *h, int number, char path[HOME_PATH]);

#endif

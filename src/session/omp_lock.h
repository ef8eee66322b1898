/*
 * omp_lock.h - the file locks of oh-my-pi
 */
#ifndef SESSION_OMP_LOCK_H
#define SESSION_OMP_LOCK_H

#include <stdint.h>

#include "quire.h"

/* Both locks of oh-my-pi for one session file. Hold them as briefly as
 * possible: it waits for half a second at most. */
struct omp_lock {
    int socket;
    char *file; /* owned; NULL: not locked */
};

/* clang-format off */
#define OMP_LOCK_INIT {.socket = -1}
/* clang-format on */

/* `path` is that of the session, absolute, as oh-my-pi would name it.
 * QUIRE_BUSY after `wait_ms`. */
quire_status omp_lock_acquire(const char *path, int wait_ms,
                              struct omp_lock *out, quire_error *err);
void omp_lock_release(struct omp_lock *l);

/* XXH64, for its test vectors. */
uint64_t omp_lock_hash(quire_bytes text, uint64_t seed);

#endif

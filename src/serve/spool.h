/*
 * spool.h - bodies and answers that are too long for memory
 *
 * They lie in a file without a name below the home, and are looked at as memory,
 * by a map: what is read of it costs memory only while there is enough. The file
 * is gone with whoever has it. All of them together have a room, so that many
 * who send much cannot fill the disk.
 */
#ifndef SERVE_SPOOL_H
#define SERVE_SPOOL_H

#include <stdatomic.h>
#include <stdint.h>

#include "quire.h"

/* From so many bytes on it is worth a file. */
enum { SPOOL_FROM = 1 << 20 };

struct spool_room {
    const char *dir; /* made if it is not there   */
    uint64_t max;    /* bytes that all may have   */
    atomic_uint_fast64_t used;
};

struct spool;

/* `first` is in it already; `expected` bytes in sum are kept free for it.
 * QUIRE_BUSY: the room is full, for now. Anything else: the disk is. */
quire_status spool_open(struct spool_room *room, quire_bytes first,
                        uint64_t expected, struct spool **out,
                        quire_error *err);

quire_status spool_add(struct spool *s, quire_bytes piece, quire_error *err);
uint64_t spool_len(const struct spool *s);

/* All of it, until it is freed; nothing is added any more. .data NULL: it cannot
 * be had, for want of memory. */
quire_bytes spool_bytes(struct spool *s);

void spool_free(struct spool *s); /* NULL is fine */

#endif

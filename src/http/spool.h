/*
 * spool.h - bodies and answers that are too long for memory
 *
 * They lie in a file without a name below the home, and are looked at as memory,
 * by a map: what is read of it costs memory only while there is enough. The file
 * is gone with whoever has it. All of them together have a room, so that what is
 * under way cannot fill the disk, and one who sends much has half of it at most.
 */
#ifndef HTTP_SPOOL_H
#define HTTP_SPOOL_H

#include <stdatomic.h>
#include <stdint.h>

#include "quire.h"

/* From so many bytes on it is worth a file. */
enum { SPOOL_FROM = 1 << 20 };

/* Whose it is, of so many. */
enum { SPOOL_SHARES = 256 };

struct spool_room {
    const char *dir; /* made if it is not there   */
    uint64_t max;    /* bytes that all may have   */
    atomic_uint_fast64_t used;
    atomic_uint_fast64_t of[SPOOL_SHARES]; /* of these, by whose they are */
};

struct spool;

/* `first` is in it already. QUIRE_BUSY: the room is full, for now, or what one
 * may have of it. Anything else: the disk is. */
quire_status spool_open(struct spool_room *room, unsigned whose,
                        quire_bytes first, struct spool **out,
                        quire_error *err);

quire_status spool_add(struct spool *s, quire_bytes piece, quire_error *err);
uint64_t spool_len(const struct spool *s);

/* All of it, until it is freed; nothing is added any more. .data NULL: it cannot
 * be had, for want of memory. */
quire_bytes spool_bytes(struct spool *s);

void spool_free(struct spool *s); /* NULL is fine */

#endif

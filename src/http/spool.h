/*
 * spool.h - bodies and answers that are too long for memory
 *
 * They are in an unnamed file below the home, mapped into memory, and vanish with
 * their owner. All spools together have a quota, so that requests cannot fill the
 * disk, and one tenant may use half of it.
 */
#ifndef HTTP_SPOOL_H
#define HTTP_SPOOL_H

#include <stdatomic.h>
#include <stdint.h>

#include "quire.h"

/* Longer ones go to a file. */
enum { SPOOL_FROM = 1 << 20 };

/* Tenants are counted modulo this. */
enum { SPOOL_SHARES = 256 };

struct spool_room {
    const char *dir; /* created if absent         */
    uint64_t max;    /* bytes of all spools       */
    atomic_uint_fast64_t used;
    atomic_uint_fast64_t of[SPOOL_SHARES]; /* of these, by tenant         */
};

struct spool;

/* Begins with `first`. QUIRE_BUSY: the quota of all or of this tenant is used up
 * for now. Anything else: the disk failed. */
quire_status spool_open(struct spool_room *room, unsigned owner,
                        quire_bytes first, struct spool **out,
                        quire_error *err);

quire_status spool_add(struct spool *s, quire_bytes piece, quire_error *err);
uint64_t spool_len(const struct spool *s);

/* All of it, valid until it is freed; nothing may be added then. .data NULL: no
 * memory. */
quire_bytes spool_bytes(struct spool *s);

void spool_free(struct spool *s); /* NULL is fine */

#endif

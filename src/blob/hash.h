/*
 * hash.h - SHA-256, the name of every blob
 *
 * Other modules do not hash content.
 */
#ifndef BLOB_HASH_H
#define BLOB_HASH_H

#include <stdbool.h>
#include <string.h>

#include <nettle/sha2.h>

#include "quire.h"

struct hash {
    struct sha256_ctx ctx;
};

void hash_init(struct hash *h);
void hash_add(struct hash *h, quire_bytes bytes);
void hash_end(struct hash *h, quire_digest *out);

void hash_bytes(quire_bytes bytes, quire_digest *out);

/* Hash two messages at once: a processor with SHA instructions does both in
 * little more than the time of one. Call hash_can_pair() once and keep the
 * result: it costs microseconds in a virtual machine. */
bool hash_can_pair(void);
void hash_pair(quire_bytes a, quire_bytes b, quire_digest *out_a,
               quire_digest *out_b);

static inline bool digest_equal(const quire_digest *a, const quire_digest *b)
{
    return !memcmp(a->byte, b->byte, sizeof a->byte);
}

/* The first digits, enough to distinguish blobs in a message. */
struct digest_text {
    char s[13];
};
struct digest_text digest_short(const quire_digest *d);

#endif

/* segment_priv.h - layout of the objects of a segment */
#ifndef SEARCH_SEGMENT_PRIV_H
#define SEARCH_SEGMENT_PRIV_H

#include <stdint.h>
#include <string.h>

#include <isa-l/crc64.h>

#include "search/segment.h"

#define SEGMENT_MAGIC "quireseg"

/* The end of the index object. Offsets are in that object. */
struct segment_footer {
    char magic[8];
    uint32_t version;
    uint32_t fields;
    uint64_t number, first_text;
    uint32_t n_texts, n_extra, n_blocks, n_names;
    uint64_t n_live, n_words;
    uint64_t blocks_at;    /* index of the blocks; the blocks are before it */
    uint64_t columns_at;   /* see segment_columns_size()                    */
    uint64_t cold_at;      /* struct cold_place, by text                    */
    uint64_t extra_at;     /* struct place, by text                         */
    uint64_t digests_at;   /* struct digest_slot, by digest                 */
    uint64_t names_at;     /* u16 length and bytes each                     */
    uint64_t postings_len; /* of the other object                           */
    uint64_t index_sum;    /* segment_sum() of what is before the footer    */
    uint64_t postings_sum; /* of the other object                           */
    uint64_t checksum;     /* of the bytes above                            */
};

/* What of a place only hits need. */
struct cold_place {
    uint32_t offset_low;
    uint16_t offset_high;
    uint16_t time_ms; /* beyond the seconds of the column */
    uint32_t length;
    uint16_t part;
    uint16_t unused;
};

struct digest_slot {
    uint8_t digest[DIGEST_BYTES];
    uint32_t doc;
};

/* An entry of the index of blocks, followed by the first term. */
struct block_entry {
    uint64_t at, postings;
    uint32_t len;
    uint32_t first_len;
};

/* The columns one after the other, each aligned to four bytes: times, sources,
 * groups, metas, tools, models, lengths. */
static inline uint64_t segment_columns_size(uint64_t n_texts)
{
    uint64_t n = (n_texts + 3) & ~(uint64_t)3;

    return n * (4 + 4 + 4 + 2 + 2 + 2 + 1);
}

static inline uint32_t load_u32(const uint8_t *at)
{
    uint32_t v;

    memcpy(&v, at, sizeof v);
    return v;
}

/* FNV-1a over the bytes: a torn or damaged footer is noticed. */
static inline uint64_t segment_checksum(const void *data, size_t len)
{
    const uint8_t *at = data;
    uint64_t h = 0xcbf29ce484222325u;
    size_t i;

    for (i = 0; i < len; i++)
        h = (h ^ at[i]) * 0x100000001b3u;
    return h;
}

/* CRC-64 of the bytes of an object, piece by piece; 0 at first. Only a check of the
 * whole segment compares it: a query reads a small part. */
static inline uint64_t segment_sum(uint64_t sum, const void *data, size_t len)
{
    return len ? crc64_ecma_refl(sum, data, len) : sum;
}

/* QUIRE_DAMAGED with a message. */
quire_status segment_damaged(const struct segment *s, const char *what,
                             quire_error *err);

/* Exactly `len` bytes of an object, or QUIRE_DAMAGED. */
quire_status segment_read_exactly(const struct segment *s, struct object *o,
                                  uint64_t at, void *out, size_t len,
                                  quire_error *err);

/* All digests, sorted; s->digests. */
quire_status segment_load_digests(struct segment *s, quire_error *err);

void segment_object_name(char out[32], uint64_t number, const char *suffix);

#endif

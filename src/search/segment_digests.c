/*
 * segment_digests.c - texts by their digests
 *
 * An update looks up each new text in every segment. The slots on the disk are sorted
 * by digest; in memory are two bytes of each, from which all but one of 65,536 absent
 * digests is known to be absent, and for each value of its first bits where its slots
 * begin. What may be there is read.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "search/segment_priv.h"

/* Slots read at once; slots of a bucket, about. */
enum { READ_SLOTS = 4096, BUCKET_SLOTS = 8 };

quire_status segment_load_digests(struct segment *s, quire_error *err)
{
    uint64_t n = s->stats.n_texts, i;
    quire_status st;

    if (s->digests)
        return QUIRE_OK;
    s->digests = malloc((size_t)(n + 1) * sizeof *s->digests);
    if (!s->digests)
        return err_memory(err);
    st = segment_read_exactly(s, s->index, s->digests_at, s->digests,
                              (size_t)n * sizeof *s->digests, err);
    for (i = 0; i < n && !st; i++)
        if (s->digests[i].doc >= s->n_texts)
            st = segment_damaged(s, "a digest has no text", err);
    if (st) {
        free(s->digests);
        s->digests = NULL;
    }
    return st;
}

/* The first bits of a digest. */
static uint32_t bucket_of(const struct segment *s, const uint8_t *digest)
{
    uint32_t first = (uint32_t)digest[0] << 24 | (uint32_t)digest[1] << 16 |
                     (uint32_t)digest[2] << 8 | digest[3];

    return s->bucket_bits ? first >> (32 - s->bucket_bits) : 0;
}

/* Two bytes that are not among the first bits. */
static uint16_t print_of(const uint8_t *digest)
{
    return (uint16_t)(digest[4] << 8 | digest[5]);
}

/* Take slots into the tables. *bucket: the one of the slot before. */
static quire_status take_slots(struct segment *s,
                               const struct digest_slot *list, uint64_t from,
                               size_t n, uint32_t *bucket, quire_error *err)
{
    size_t i;

    for (i = 0; i < n; i++) {
        uint32_t at = bucket_of(s, list[i].digest);

        if (at < *bucket)
            return segment_damaged(s, "digests are not in order", err);
        while (*bucket < at)
            s->buckets[++*bucket] = (uint32_t)(from + i);
        s->prints[from + i] = print_of(list[i].digest);
    }
    return QUIRE_OK;
}

static quire_status fill_prints(struct segment *s, quire_error *err)
{
    struct digest_slot *list = malloc(READ_SLOTS * sizeof *list);
    uint64_t n = s->stats.n_texts, at;
    uint32_t bucket = 0;
    quire_status st = list ? QUIRE_OK : err_memory(err);

    for (at = 0; at < n && !st; at += READ_SLOTS) {
        size_t count = n - at < READ_SLOTS ? (size_t)(n - at) : READ_SLOTS;

        st = segment_read_exactly(s, s->index,
                                  s->digests_at + at * sizeof *list, list,
                                  count * sizeof *list, err);
        if (!st)
            st = take_slots(s, list, at, count, &bucket, err);
    }
    while (!st && bucket < (uint32_t)1 << s->bucket_bits)
        s->buckets[++bucket] = (uint32_t)n;
    free(list);
    return st;
}

static quire_status load_prints(struct segment *s, quire_error *err)
{
    uint64_t n = s->stats.n_texts;
    quire_status st = QUIRE_OK;

    if (s->prints)
        return QUIRE_OK;
    for (s->bucket_bits = 0; n >> s->bucket_bits > BUCKET_SLOTS;)
        s->bucket_bits++;
    s->prints = calloc((size_t)n + 1, sizeof *s->prints);
    s->buckets = calloc(((size_t)1 << s->bucket_bits) + 1, sizeof *s->buckets);
    st = s->prints && s->buckets ? fill_prints(s, err) : err_memory(err);
    if (st) {
        free(s->prints);
        free(s->buckets);
        s->prints = NULL;
        s->buckets = NULL;
    }
    return st;
}

static quire_status check_slot(struct segment *s, uint32_t slot,
                               const uint8_t digest[DIGEST_BYTES], int64_t *doc,
                               quire_error *err)
{
    struct digest_slot found;
    quire_status st = segment_read_exactly(s, s->index,
                                           s->digests_at +
                                               (uint64_t)slot * sizeof found,
                                           &found, sizeof found, err);

    if (st || memcmp(found.digest, digest, DIGEST_BYTES) != 0)
        return st;
    *doc = found.doc;
    return found.doc < s->n_texts
               ? QUIRE_OK
               : segment_damaged(s, "a digest has no text", err);
}

quire_status segment_find_digest(struct segment *s,
                                 const uint8_t digest[DIGEST_BYTES],
                                 int64_t *doc, quire_error *err)
{
    quire_status st = load_prints(s, err);
    uint32_t bucket = bucket_of(s, digest), i;

    *doc = -1;
    for (i = st ? 0 : s->buckets[bucket];
         !st && i < s->buckets[bucket + 1] && *doc < 0; i++)
        if (s->prints[i] == print_of(digest))
            st = check_slot(s, i, digest, doc, err);
    return st;
}

/*
 * segment_fuzz.c - any bytes as the two objects of a segment
 *
 * The first four bytes of the input are the length of the index object; the rest
 * of it is the postings. The footer is mended where chance would never get past it:
 * magic, version, number, length and checksums. Whatever is opened is read as a whole
 * and merged; what the merge writes can be read. What is found to be sound can be read,
 * too, and its merge is sound.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "holds.h"
#include "search/segment_priv.h"
#include "search/segment_verify.h"
#include "store/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_object(struct object_store *store, const char *suffix,
                       const void *data, size_t len)
{
    struct draft *d;
    char name[32];

    segment_object_name(name, 1, suffix);
    HOLDS(!object_create(store, &d, NULL));
    HOLDS(!object_write(d, bytes_of(data, len), NULL));
    HOLDS(!object_publish(d, name, true, NULL));
}

static void mend_footer(uint8_t *index, size_t len, const uint8_t *postings,
                        uint64_t postings_len)
{
    struct segment_footer f;

    memcpy(&f, index + len - sizeof f, sizeof f);
    memcpy(f.magic, SEGMENT_MAGIC, sizeof f.magic);
    f.version = SEGMENT_VERSION;
    f.number = 1;
    f.postings_len = postings_len;
    f.index_sum = segment_sum(0, index, len - sizeof f);
    f.postings_sum = segment_sum(0, postings, postings_len);
    f.checksum = segment_checksum(&f,
                                  offsetof(struct segment_footer, checksum));
    memcpy(index + len - sizeof f, &f, sizeof f);
}

/* ---- reading ------------------------------------------------------------- */

struct reading {
    struct segment *s;
    bool damaged; /* something was; in what a merge wrote nothing is */
    size_t n_terms;
};

static quire_status read_positions(void *ctx, size_t i,
                                   const uint32_t *positions, size_t n,
                                   quire_error *err)
{
    (void)err;
    (void)ctx;
    (void)i;
    HOLDS(n > 0 && positions[n - 1] >= positions[0]);
    return QUIRE_OK;
}

static quire_status read_term(void *ctx, quire_bytes name, const struct term *t,
                              bool *more, quire_error *err)
{
    struct reading *r = ctx;
    uint32_t *docs = malloc(t->n_docs * sizeof *docs);
    uint32_t *tfs = malloc(t->n_docs * sizeof *tfs), i;
    size_t n = t->n_docs;

    (void)more;
    HOLDS(docs && tfs && name.len <= SEGMENT_TERM_MAX);
    if (segment_read_docs(r->s, t, docs, tfs, err)) {
        r->damaged = true;
    } else {
        for (i = 0; i < t->n_docs; i++)
            HOLDS(docs[i] < r->s->n_texts && tfs[i] > 0 &&
                  (i == 0 || docs[i - 1] < docs[i]));
        r->damaged |= segment_positions(r->s, t, docs, n, read_positions, NULL,
                                        err) != QUIRE_OK;
        r->damaged |= segment_intersect(r->s, t, docs, tfs, &n, err) ||
                      n != t->n_docs;
    }
    r->n_terms++;
    free(tfs);
    free(docs);
    return QUIRE_OK;
}

static quire_status count_term(void *ctx, quire_bytes name,
                               const struct term *t, bool *more,
                               quire_error *err)
{
    (void)name;
    (void)t;
    (void)more;
    (void)err;
    ++*(size_t *)ctx;
    return QUIRE_OK;
}

static void read_texts(struct reading *r)
{
    struct segment *s = r->s;
    struct place place;
    size_t from, to, n = 0;
    uint32_t i;
    int64_t doc;

    for (i = 0; i < s->n_texts; i++) {
        r->damaged |= segment_place(s, i, &place, NULL) != QUIRE_OK;
        HOLDS(segment_name(s, place.tool).data);
        segment_extra_of(s, s->first_text + i, &from, &to);
        HOLDS(from <= to && to <= s->n_extra);
    }
    r->damaged |= segment_find_digest(s, (const uint8_t *)"0123456789ab", &doc,
                                      NULL) != QUIRE_OK;
    HOLDS(doc < (int64_t)s->n_texts);
    r->damaged |= segment_terms_with(s, bytes_str("a"), count_term, &n, NULL) !=
                  QUIRE_OK;
}

static bool read_all(struct segment *s)
{
    struct reading r = {.s = s};
    bool found;
    struct term t;

    r.damaged = segment_terms(s, bytes_of("", 0), read_term, &r, NULL) !=
                QUIRE_OK;
    r.damaged |= segment_find_term(s, bytes_str("word"), &found, &t, NULL) !=
                 QUIRE_OK;
    read_texts(&r);
    return !r.damaged;
}

/* ---- merging -------------------------------------------------------------- */

static bool is_live(void *ctx, uint32_t source)
{
    (void)ctx;
    return source % 3 != 1;
}

static bool has_extra(void *ctx, uint64_t text)
{
    (void)ctx;
    return text % 5 == 0;
}

static void merge(struct object_store *store, struct segment *s, bool sound)
{
    static const struct merge_filter filter = {is_live, has_extra, NULL};
    struct segment *out;

    if (segment_merge(store, &s, 1, 2, &filter, NULL, NULL))
        return;
    HOLDS(!segment_open(store, 2, &out, NULL));
    HOLDS(read_all(out));
    HOLDS(!sound || !segment_verify(out, NULL));
    segment_close(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct store *store;
    struct segment *s;
    uint8_t *index;
    uint32_t len;
    bool sound;

    if (size < 4)
        return 0;
    len = load_u32(data);
    data += 4;
    size -= 4;
    len = len < size ? len : (uint32_t)size;
    index = malloc((size_t)len + 1);
    HOLDS(index && !store_memory_open(&clock_system, &store, NULL));
    memcpy(index, data, len);
    if (len >= sizeof(struct segment_footer))
        mend_footer(index, len, data + len, size - len);
    put_object(store->objects, "index", index, len);
    put_object(store->objects, "postings", data + len, size - len);
    if (!segment_open(store->objects, 1, &s, NULL)) {
        sound = !segment_verify(s, NULL);
        HOLDS(read_all(s) || !sound);
        merge(store->objects, s, sound);
        segment_close(s);
    }
    free(index);
    store_free(store);
    return 0;
}

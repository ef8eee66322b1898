/*
 * Whatever bytes a segment has, reading all of it ends; and where a bit is flipped,
 * or a byte is missing, that is found.
 */
#include "search/segment_verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "search/segment_priv.h"
#include "store/store.h"
#include "support/test.h"

enum { TEXTS = 140 };

static struct store *open_memory(void)
{
    struct store *s;

    OK(store_memory_open(&clock_system, &s, &test_err));
    return s;
}

/* A text of words some of which every text has, and one none has. */
static struct segment_text text_of(uint64_t seed, int i)
{
    struct segment_text t = {.fields = {{NULL, 0}}};
    char *body = test_alloc(128), *title = test_alloc(32);

    sprintf(body, "common words_and%d words w%d CamelCase%llu common", i % 7, i,
            (unsigned long long)seed);
    sprintf(title, "title %d", i % 3);
    t.fields[FIELD_BODY] = bytes_str(body);
    if (i % 5 == 0)
        t.fields[FIELD_TITLE] = bytes_str(title);
    return t;
}

static void build(struct object_store *store, uint64_t number, uint64_t seed,
                  int n_texts)
{
    struct segment_builder *b;
    int i;

    OK(segment_builder_new(&b, &test_err));
    for (i = 0; i < n_texts; i++) {
        struct segment_text t = text_of(seed, i);
        struct place p = {.source = 1 + (uint32_t)i % 9,
                          .offset = (uint64_t)i * 1000,
                          .length = 10,
                          .time_us = 1000000 + i};
        uint8_t digest[DIGEST_BYTES];

        segment_text_digest(&t, digest);
        OK(segment_builder_add(b, &t, digest, &p,
                               bytes_str(i % 2 ? "bash" : ""),
                               bytes_str("model"), &test_err));
        if (i % 10 == 0)
            OK(segment_builder_extra(b, true, &p, bytes_str("read"),
                                     bytes_str(""), &test_err));
    }
    OK(segment_builder_write(b, store, number, 100, NULL, &test_err));
    segment_builder_free(b);
}

struct bytes_of_segment {
    uint8_t *index, *postings;
    size_t index_len, postings_len;
};

static uint8_t *read_object(struct object_store *store, uint64_t number,
                            const char *suffix, size_t *len)
{
    struct object_info info;
    struct object *o;
    uint8_t *out;
    char name[32];

    segment_object_name(name, number, suffix);
    OK(object_open(store, name, &o, &info, &test_err));
    out = test_alloc((size_t)info.size + 1);
    OK(object_read(o, 0, out, (size_t)info.size, len, &test_err));
    EQ(info.size, *len);
    object_close(o);
    return out;
}

static struct bytes_of_segment read_segment(struct object_store *store,
                                            uint64_t number)
{
    struct bytes_of_segment b;

    b.index = read_object(store, number, "index", &b.index_len);
    b.postings = read_object(store, number, "postings", &b.postings_len);
    return b;
}

static void put_object(struct object_store *store, uint64_t number,
                       const char *suffix, const uint8_t *data, size_t len)
{
    struct draft *d;
    char name[32];

    segment_object_name(name, number, suffix);
    OK(object_create(store, &d, &test_err));
    OK(object_write(d, bytes_of(data, len), &test_err));
    OK(object_publish(d, name, true, &test_err));
}

static void put_segment(struct object_store *store, uint64_t number,
                        const struct bytes_of_segment *b)
{
    put_object(store, number, "index", b->index, b->index_len);
    put_object(store, number, "postings", b->postings, b->postings_len);
}

/* Of opening it, or of its check. */
static quire_status verify(struct object_store *store, uint64_t number)
{
    struct segment *s;
    quire_status st = segment_open(store, number, &s, &test_err);

    if (st)
        return st;
    st = segment_verify(s, &test_err);
    NO(s->window.bytes);
    segment_close(s);
    return st;
}

TEST(a_segment_that_was_written_is_sound)
{
    static const int sizes[] = {0, 1, 2, 127, 128, 129, 257, 3000};
    struct store *store = open_memory();
    size_t i;

    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        build(store->objects, i + 1, i, sizes[i]);
        OK(verify(store->objects, i + 1));
    }
    store_free(store);
}

static void damaged(struct object_store *store,
                    const struct bytes_of_segment *b)
{
    put_segment(store, 1, b);
    IS(QUIRE_DAMAGED, verify(store, 1));
    HAS(test_err.what, "the search index is damaged: ");
    HAS(test_err.next, "quire reindex");
}

/* Each byte of both objects, one of its bits. */
TEST(every_flipped_bit_of_a_segment_is_found)
{
    struct store *store = open_memory();
    struct bytes_of_segment b;
    size_t i;

    build(store->objects, 1, 0, TEXTS);
    b = read_segment(store->objects, 1);
    for (i = 0; i < b.index_len + b.postings_len; i++) {
        uint8_t *at = i < b.index_len ? &b.index[i]
                                      : &b.postings[i - b.index_len];
        uint8_t bit = (uint8_t)(1u << (i * 5 + i / 8) % 8);

        *at ^= bit;
        damaged(store->objects, &b);
        *at ^= bit;
    }
    put_segment(store->objects, 1, &b);
    OK(verify(store->objects, 1));
    store_free(store);
}

TEST(a_segment_that_is_cut_or_too_long_is_found)
{
    struct store *store = open_memory();
    struct bytes_of_segment b, cut;
    size_t i;

    build(store->objects, 1, 0, TEXTS);
    b = read_segment(store->objects, 1);
    for (i = 0; i < 200; i++) {
        cut = b;
        cut.index_len = i < 100 ? i : b.index_len - (i - 99);
        damaged(store->objects, &cut);
        cut = b;
        cut.postings_len = i < 100 ? i : b.postings_len - (i - 99);
        damaged(store->objects, &cut);
    }
    cut = b;
    cut.postings_len++; /* test_alloc() has one byte more */
    damaged(store->objects, &cut);
    cut = b;
    cut.index_len++;
    damaged(store->objects, &cut);
    store_free(store);
}

TEST(objects_of_another_segment_are_found)
{
    struct store *store = open_memory();
    struct bytes_of_segment a, b, mixed;

    build(store->objects, 1, 1, TEXTS);
    build(store->objects, 2, 2, TEXTS);
    a = read_segment(store->objects, 1);
    b = read_segment(store->objects, 2);
    damaged(store->objects, &b); /* under the number 1 */
    EQ(a.postings_len, b.postings_len);
    mixed = a;
    mixed.postings = b.postings;
    put_segment(store->objects, 1, &a);
    OK(verify(store->objects, 1));
    mixed.postings[0] ^= 1; /* the lists of both have the same bytes */
    damaged(store->objects, &mixed);
    store_free(store);
}

/* ---- bytes with right checksums -------------------------------------------- */

static void mend_sums(struct bytes_of_segment *b)
{
    struct segment_footer f;
    size_t at = b->index_len - sizeof f;

    memcpy(&f, b->index + at, sizeof f);
    f.index_sum = segment_sum(0, b->index, at);
    f.postings_sum = segment_sum(0, b->postings, b->postings_len);
    f.checksum = segment_checksum(&f,
                                  offsetof(struct segment_footer, checksum));
    memcpy(b->index + at, &f, sizeof f);
}

static quire_status nothing(void *ctx, quire_bytes name, const struct term *t,
                            bool *more, quire_error *err)
{
    struct segment *s = ctx;
    uint32_t *docs = malloc(t->n_docs * sizeof *docs);
    quire_status st = segment_read_docs(s, t, docs, NULL, err);

    (void)more;
    YES(name.len > 0);
    free(docs);
    return st;
}

/* Without the checksums: a check ends, and what it accepts can be read. */
TEST(a_check_accepts_only_what_can_be_read)
{
    struct store *store = open_memory();
    struct bytes_of_segment b;
    size_t i, n_found = 0, n;

    build(store->objects, 1, 0, 40);
    b = read_segment(store->objects, 1);
    n = b.index_len - sizeof(struct segment_footer) + b.postings_len;
    for (i = 0; i < n; i++) {
        size_t split = b.index_len - sizeof(struct segment_footer);
        uint8_t *at = i < split ? &b.index[i] : &b.postings[i - split];
        uint8_t was = *at;
        struct segment *s;

        *at = (uint8_t)(i % 3 ? was ^ (1u << i % 8) : was ^ 255u);
        mend_sums(&b);
        put_segment(store->objects, 1, &b);
        if (verify(store->objects, 1)) {
            HAS(test_err.what, "the search index is damaged: ");
            n_found++;
        } else {
            OK(segment_open(store->objects, 1, &s, &test_err));
            OK(segment_terms(s, bytes_of("", 0), nothing, s, &test_err));
            segment_close(s);
        }
        *at = was;
    }
    /* Offsets, times and the like may be anything. */
    YES(n_found > n / 5);
    store_free(store);
}

TEST(a_check_reports_lack_of_memory_as_such)
{
    struct store *store = open_memory();
    struct segment *s;
    long n;

    build(store->objects, 1, 0, TEXTS);
    OK(segment_open(store->objects, 1, &s, &test_err));
    for (n = 1;; n++) {
        quire_status st;

        free(s->digests);
        s->digests = NULL;
        fault_arm(n, ENOMEM, false);
        st = segment_verify(s, &test_err);
        if (!fault_disarm()) {
            OK(st);
            break;
        }
        IS(QUIRE_NO_MEMORY, st);
    }
    YES(n > 5);
    segment_close(s);
    store_free(store);
}

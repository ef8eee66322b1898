/* What the blob store promises, over every layout and backend. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "blob/priv.h"
#include "support/store.h"

/* Sizes around every border the store knows: empty, plain, row, probe. */
static const size_t sizes[] = {
    0,       1,     199,    200,     1024,        65535,
    65536,   65537, 100000, 1048575, 1024 * 1024, 1024 * 1024 + 1,
    3000000,
};

static quire_bytes noise(size_t len, uint64_t seed)
{
    void *p = test_alloc(len);

    test_noise(seed, p, len);
    return bytes_of(p, len);
}

static quire_bytes prose(size_t len, uint64_t seed)
{
    char *p = test_alloc(len);

    test_prose(seed, p, len);
    return bytes_of(p, len);
}

/* A stream in pieces of awkward sizes. */
struct source {
    quire_bytes rest;
    size_t piece;
};

static quire_status pull(void *ctx, void *buf, size_t cap, size_t *n,
                         quire_error *err)
{
    struct source *s = ctx;

    (void)err;
    *n = s->piece < cap ? s->piece : cap;
    if (*n > s->rest.len)
        *n = s->rest.len;
    if (*n)
        memcpy(buf, s->rest.data, *n);
    s->rest = bytes_sub(s->rest, *n, s->rest.len);
    s->piece = s->piece * 7 % 100003 + 1;
    return QUIRE_OK;
}

static quire_status collect(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

static void reads_back(struct fix *f, const quire_digest *d,
                       quire_bytes content)
{
    struct buf got = BUF_INIT((size_t)1 << 26);
    quire_bytes whole;
    quire_blob_info info;

    OK(blob_stat(blob_view_all(f->blobs), d, &info, &test_err));
    EQ(content.len, info.size);
    OK(blob_get(blob_view_all(f->blobs), d, &whole, &test_err));
    SAME(content, whole);
    OK(blob_read(blob_view_all(f->blobs), d, 0, UINT64_MAX, collect, &got,
                 &test_err));
    SAME(content, buf_bytes(&got));
    buf_release(&got);
}

static void every_size(struct fix *f)
{
    size_t i;

    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        quire_bytes a = noise(sizes[i], i + 1), b = prose(sizes[i], i + 1);
        quire_digest da = fix_put(f, a), db = fix_put(f, b);

        reads_back(f, &da, a);
        reads_back(f, &db, b);
    }
}

TEST(content_of_every_size_is_given_back_as_it_was)
{
    fix_each(every_size);
}

static void stream_equals_buffer(struct fix *f)
{
    size_t i;

    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        quire_bytes content = prose(sizes[i], 77 + i);
        struct source s = {content, 4093};
        quire_blob_info info, again;

        OK(blob_put_stream(blob_view_all(f->blobs), pull, &s, 0, &info,
                           &test_err));
        EQ(0, info.existed);
        EQ(sizes[i], info.size);
        reads_back(f, &info.digest, content);
        OK(blob_put(blob_view_all(f->blobs), content, 0, &again, &test_err));
        EQ(1, again.existed);
        YES(digest_equal(&info.digest, &again.digest));
        EQ(info.stored, again.stored);
    }
}

TEST(a_stream_and_a_buffer_of_the_same_bytes_are_one_blob)
{
    fix_each(stream_equals_buffer);
}

static void second_put_writes_nothing(struct fix *f)
{
    quire_bytes content = prose(300000, 5);
    quire_digest d = fix_put(f, content);
    quire_blob_info info;
    int before = f->dir ? test_count_files(f->dir) : 0;
    quire_bytes bytes = f->dir && f->layout != QUIRE_LAYOUT_PACKED
                            ? test_read_file(fix_file(f, &d))
                            : bytes_of(NULL, 0);

    test_now_s += 60;
    OK(blob_put(blob_view_all(f->blobs), content, 0, &info, &test_err));
    EQ(1, info.existed);
    EQ(test_now_s, info.seen_s);
    OK(blob_stat(blob_view_all(f->blobs), &d, &info, &test_err));
    EQ(test_now_s, info.seen_s);
    if (f->dir)
        EQ(before, test_count_files(f->dir));
    if (bytes.len)
        SAME(bytes, test_read_file(fix_file(f, &d)));
}

TEST(content_that_is_there_is_marked_as_seen_and_not_written_again)
{
    fix_each(second_put_writes_nothing);
}

static void ranges(struct fix *f)
{
    static const size_t lens[] = {1000, 100000, 3000000};
    size_t i;

    for (i = 0; i < 3; i++) {
        quire_bytes content = i % 2 ? noise(lens[i], i) : prose(lens[i], i);
        quire_digest d = fix_put(f, content);
        size_t n = lens[i],
               cuts[][2] = {{0, 1},     {0, n},         {1, n - 1},
                            {n - 1, n}, {n / 2, n / 2}, {n / 3, n / 2},
                            {n, n},     {0, 0}};
        size_t j;

        for (j = 0; j < sizeof cuts / sizeof *cuts; j++) {
            struct buf got = BUF_INIT((size_t)1 << 24);

            OK(blob_read(blob_view_all(f->blobs), &d, cuts[j][0], cuts[j][1],
                         collect, &got, &test_err));
            SAME(bytes_sub(content, cuts[j][0], cuts[j][1]), buf_bytes(&got));
            buf_release(&got);
        }
        IS(QUIRE_INVALID, blob_read(blob_view_all(f->blobs), &d, n + 1,
                                    UINT64_MAX, collect, NULL, &test_err));
        IS(QUIRE_INVALID, blob_read(blob_view_all(f->blobs), &d, 5, 4, collect,
                                    NULL, &test_err));
    }
}

TEST(ranges_give_exactly_the_bytes_asked_for)
{
    fix_each(ranges);
}

static void absent(struct fix *f)
{
    quire_digest d = {{1, 2, 3}};
    quire_blob_info info;
    quire_bytes out;

    IS(QUIRE_NOT_FOUND, blob_get(blob_view_all(f->blobs), &d, &out, &test_err));
    IS(QUIRE_NOT_FOUND,
       blob_stat(blob_view_all(f->blobs), &d, &info, &test_err));
    IS(QUIRE_NOT_FOUND,
       blob_read(blob_view_all(f->blobs), &d, 0, 1, collect, NULL, &test_err));
    IS(QUIRE_NOT_FOUND, blob_find_prefix(f->blobs, "010203", &d, &test_err));
}

TEST(what_is_absent_is_an_answer)
{
    fix_each(absent);
}

struct seen {
    int n;
    quire_digest last;
};

static quire_status note(void *ctx, const quire_blob_info *info,
                         quire_error *err)
{
    struct seen *s = ctx;

    (void)err;
    if (s->n)
        YES(memcmp(s->last.byte, info->digest.byte, 32) < 0);
    s->last = info->digest;
    s->n++;
    return QUIRE_OK;
}

static void listing(struct fix *f)
{
    struct seen seen = {0};
    quire_digest d, found;
    char hex[65], prefix[9];
    int i;

    for (i = 0; i < 200; i++)
        d = fix_put(f, prose((size_t)i * 5, (uint64_t)i + 1));
    d = fix_put(f, noise(200000, 9));
    OK(blob_list(f->blobs, note, &seen, &test_err));
    EQ(201, seen.n);
    hex_encode(d.byte, 32, hex);
    snprintf(prefix, sizeof prefix, "%.8s", hex);
    OK(blob_find_prefix(f->blobs, prefix, &found, &test_err));
    YES(digest_equal(&d, &found));
}

TEST(a_list_has_every_blob_once_in_ascending_order)
{
    fix_each(listing);
}

static void batches(struct fix *f)
{
    quire_bytes content[300];
    quire_digest d[300];
    int i;

    OK(blobs_begin(f->blobs, DB_ALL_TENANTS, &test_err));
    for (i = 0; i < 300; i++) {
        content[i] = prose((size_t)i * 900, (uint64_t)i);
        d[i] = fix_put(f, content[i]);
        if (i % 50 == 0) /* a batch sees its own writes */
            reads_back(f, &d[i], content[i]);
        if (i % 3 == 0) /* and knows what it has */
            fix_put(f, content[i]);
    }
    OK(blobs_commit(f->blobs, &test_err));
    for (i = 0; i < 300; i++)
        reads_back(f, &d[i], content[i]);
    IS(QUIRE_INVALID, blobs_commit(f->blobs, &test_err));
}

TEST(a_batch_sees_its_own_writes_and_keeps_them)
{
    fix_each(batches);
}

static void rolled_back(struct fix *f)
{
    quire_bytes small = prose(500, 3), large = noise(80000, 4);
    quire_digest a, b;

    OK(blobs_begin(f->blobs, DB_ALL_TENANTS, &test_err));
    a = fix_put(f, small);
    b = fix_put(f, large);
    blobs_rollback(f->blobs);
    NO(fix_has(f, &a));
    NO(fix_has(f, &b));
    if (f->dir)
        EQ(0, test_count_files(f->dir));
    a = fix_put(f, small);
    reads_back(f, &a, small);
}

TEST(a_batch_that_is_rolled_back_leaves_nothing)
{
    fix_each(rolled_back);
}

static void same_either_way(quire_bytes content, size_t piece)
{
    struct source s = {content, piece};
    quire_blob_info info;
    quire_bytes first;
    quire_digest d;
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_LOOSE, true);
    d = fix_put(&f, content);
    first = test_read_file(fix_file(&f, &d));
    unlink(fix_file(&f, &d));
    OK(blob_put_stream(blob_view_all(f.blobs), pull, &s, 0, &info, &test_err));
    SAME(first, test_read_file(fix_file(&f, &d)));
    fix_close(&f);
    test_forget_dir();
}

TEST(a_loose_file_is_the_same_bytes_whichever_way_it_came)
{
    size_t i;

    for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
        same_either_way(i % 2 ? prose(sizes[i], i) : noise(sizes[i], i), 1);
}

/* The first mebibyte just fails to shrink, one byte more just does: both ways
 * must look at the same bytes before they decide. */
TEST(a_stream_decides_by_the_same_bytes_as_a_buffer)
{
    size_t len = 1024 * 1024 + 70000, tail;

    for (tail = 0; tail < 400; tail += 13) {
        char *content = test_alloc(len);

        test_noise(tail, content, len);
        memset(content + 1024 * 1024 - 300 - tail, 'a', 300 + tail);
        same_either_way(bytes_of(content, len), 65536);
    }
}

/* Written down, not computed: what is in people's repositories must not
 * change with the next release. */
TEST(a_loose_file_has_the_bytes_it_always_had)
{
    static const uint8_t hello[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0xff, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xe7, 0x02, 0x00,
        0x20, 0x30, 0x3a, 0x36, 0x06, 0x00, 0x00, 0x00,
    };
    static const uint8_t stored[] = {
        /* before short content was deflated */
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff,
        0x01, 0x06, 0x00, 0xf9, 0xff, 'h',  'e',  'l',  'l',  'o',
        '\n', 0x20, 0x30, 0x3a, 0x36, 0x06, 0x00, 0x00, 0x00,
    };
    static const uint8_t forty[] = {
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x4b, 0x4c,
        0x24, 0x0e, 0x00, 0x00, 0x25, 0x8a, 0x5b, 0xc9, 0x28, 0x00, 0x00, 0x00,
    };
    quire_digest d;
    quire_bytes out;
    struct fix f;

    fix_open(&f, QUIRE_LAYOUT_LOOSE, true);
    d = fix_put(&f, bytes_str("hello\n"));
    SAME(bytes_of(hello, sizeof hello), test_read_file(fix_file(&f, &d)));
    test_write_file(fix_file(&f, &d), bytes_of(stored, sizeof stored));
    OK(blob_get(blob_view_all(f.blobs), &d, &out, &test_err));
    SAME(bytes_str("hello\n"), out);
    d = fix_put(&f, bytes_str("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    SAME(bytes_of(forty, sizeof forty), test_read_file(fix_file(&f, &d)));
    fix_close(&f);
}

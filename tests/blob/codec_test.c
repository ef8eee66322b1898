#include "blob/codec.h"

#include <errno.h>
#include <string.h>

#include <zlib.h>

#include "base/bytes.h"
#include "support/test.h"

enum { BIG = 3 * 1024 * 1024 };

/* What zlib, who did not write it, makes of our gzip. */
static quire_bytes gunzip(quire_bytes packed, size_t room)
{
    z_stream z = {.next_in = (uint8_t *)(uintptr_t)packed.data,
                  .avail_in = (uInt)packed.len};
    uint8_t *out = test_alloc(room + 1);

    EQ(Z_OK, inflateInit2(&z, 16 + MAX_WBITS));
    z.next_out = out;
    z.avail_out = (uInt)room + 1;
    EQ(Z_STREAM_END, inflate(&z, Z_FINISH));
    EQ(0, z.avail_in);
    inflateEnd(&z);
    return bytes_of(out, z.total_out);
}

static quire_bytes pack(enum pack_how how, quire_bytes content, bool *shrank)
{
    struct packer *p = packer_new(how);
    struct buf out = BUF_INIT((size_t)1 << 26);
    uint8_t *copy;

    packer_whole(p, content, &out, shrank);
    NO(out.failed);
    copy = test_alloc(out.len);
    memcpy(copy, out.data, out.len);
    content.len = out.len;
    content.data = copy;
    buf_release(&out);
    packer_free(p);
    return content;
}

static quire_status to_buf(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

static const size_t lens[] = {0,      1,      100,     65534,
                              65535,  65536,  65537,   131070,
                              131072, 200000, 1 << 20, (1 << 20) + 1,
                              BIG};

TEST(what_we_pack_anyone_can_unpack)
{
    char *prose = test_alloc(BIG), *noise = test_alloc(BIG);
    enum pack_how how;
    size_t i;

    test_prose(1, prose, BIG);
    test_noise(2, noise, BIG);
    for (how = PACK_FAST; how <= PACK_STABLE; how++) {
        for (i = 0; i < sizeof lens / sizeof *lens; i++) {
            quire_bytes a = bytes_of(prose, lens[i]);
            quire_bytes b = bytes_of(noise, lens[i]), packed;
            bool shrank;

            packed = pack(how, a, &shrank);
            YES(shrank || lens[i] <= 100);
            SAME(a, gunzip(packed, lens[i]));
            packed = pack(how, b, &shrank);
            NO(shrank);
            SAME(b, gunzip(packed, lens[i]));
            YES(packed.len <= lens[i] + 18 + 5 * (lens[i] / 65535 + 1) +
                                  (lens[i] <= 1024 ? lens[i] / 8 : 0));
        }
    }
}

/* Longer than the probe, that is: below it the fast manner has a short cut. */
TEST(a_stream_in_any_pieces_packs_to_the_same_bytes)
{
    char *content = test_alloc(BIG);
    enum pack_how how;
    size_t piece;

    test_prose(3, content, BIG);
    for (how = PACK_FAST; how <= PACK_STABLE; how++) {
        struct packer *p = packer_new(how);
        bool shrank;
        quire_bytes whole = pack(how, bytes_of(content, BIG), &shrank);

        for (piece = 1; piece < 400000; piece = piece * 31 + 6) {
            struct buf out = BUF_INIT((size_t)1 << 26);
            size_t at;

            OK(packer_begin(p, bytes_of(content, CODEC_PROBE_BYTES), to_buf,
                            &out, &test_err));
            for (at = 0; at < BIG; at += piece)
                OK(packer_add(p,
                              bytes_of(content + at,
                                       at + piece > BIG ? BIG - at : piece),
                              &test_err));
            OK(packer_end(p, &test_err));
            SAME(whole, buf_bytes(&out));
            buf_release(&out);
        }
        packer_free(p);
    }
}

/* Unpack as a stream, fed in pieces, from memory that ends where it ends. */
static enum damage drain(struct unpacker *u, quire_bytes packed, size_t piece,
                         uint64_t limit, struct buf *out)
{
    enum damage d = DAMAGE_NONE;
    char room[5000];
    size_t at, n;

    unpacker_begin(u, limit);
    for (at = 0; at < packed.len && !d; at += piece) {
        size_t len = at + piece > packed.len ? packed.len - at : piece;

        unpacker_feed(u, bytes_sub(packed, at, at + len));
        do {
            d = unpacker_take(u, room, sizeof room, &n);
            if (!d)
                buf_add(out, room, n);
        } while (!d && n > 0);
    }
    return d ? d : unpacker_end(u);
}

TEST(every_beginning_of_a_packed_file_is_known_to_be_cut)
{
    char *content = test_alloc(3000);
    struct unpacker *u = unpacker_new();
    struct buf out = BUF_INIT(1 << 20);
    uint8_t *plain = test_alloc(3001);
    quire_bytes packed;
    bool shrank;
    size_t n;

    test_prose(4, content, 3000);
    packed = pack(PACK_FAST, bytes_of(content, 3000), &shrank);
    for (n = 0; n < packed.len; n++) {
        enum damage whole, stream;

        whole = unpacker_whole(u, bytes_of(packed.data, n), plain, 3000);
        stream = drain(u, bytes_of(packed.data, n), 7, 3000, &out);
        YES(whole != DAMAGE_NONE);
        YES(stream != DAMAGE_NONE);
        if (n >= 2)
            EQ(DAMAGE_CUT, stream);
    }
    EQ(DAMAGE_NONE, unpacker_whole(u, packed, plain, 3000));
    SAME(bytes_of(content, 3000), bytes_of(plain, 3000));
    buf_clear(&out);
    EQ(DAMAGE_NONE, drain(u, packed, 7, 3000, &out));
    SAME(bytes_of(content, 3000), buf_bytes(&out));
    buf_release(&out);
    unpacker_free(u);
}

/* A few bits mean nothing: the header's time, padding, a code nobody uses. */
TEST(every_flipped_bit_that_changes_the_content_is_noticed)
{
    char *content = test_alloc(1500);
    struct unpacker *u = unpacker_new();
    uint8_t *plain = test_alloc(1501), *copy;
    quire_bytes packed;
    bool shrank;
    size_t bit, noticed = 0;

    test_prose(5, content, 1500);
    packed = pack(PACK_STABLE, bytes_of(content, 1500), &shrank);
    copy = test_alloc(packed.len);
    for (bit = 0; bit < packed.len * 8; bit++) {
        enum damage d;

        memcpy(copy, packed.data, packed.len);
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        d = unpacker_whole(u, bytes_of(copy, packed.len), plain, 1500);
        if (d == DAMAGE_NONE)
            SAME(bytes_of(content, 1500), bytes_of(plain, 1500));
        else
            noticed++;
    }
    YES(noticed > packed.len * 8 - 80);
    unpacker_free(u);
}

TEST(a_bomb_is_stopped_at_its_recorded_size)
{
    struct unpacker *u = unpacker_new();
    struct buf out = BUF_INIT(1 << 20);
    char *zeros = test_alloc(BIG);
    uint8_t *plain = test_alloc(1001);
    quire_bytes packed;
    bool shrank;

    packed = pack(PACK_FAST, bytes_of(zeros, BIG), &shrank);
    YES(packed.len < BIG / 100);
    EQ(DAMAGE_TOO_LONG, unpacker_whole(u, packed, plain, 1000));
    EQ(DAMAGE_TOO_LONG, drain(u, packed, 100000, 1000, &out));
    YES(out.len <= 5000 + 1000);
    EQ(DAMAGE_TOO_SHORT,
       unpacker_whole(u, packed, test_alloc(BIG + 2), BIG + 1));
    buf_release(&out);
    unpacker_free(u);
}

TEST(bytes_after_the_end_are_noticed)
{
    struct unpacker *u = unpacker_new();
    struct buf out = BUF_INIT(1 << 20);
    char *content = test_alloc(1000);
    uint8_t *longer, *plain = test_alloc(1001);
    quire_bytes packed;
    bool shrank;
    size_t extra;

    test_prose(6, content, 1000);
    packed = pack(PACK_FAST, bytes_of(content, 1000), &shrank);
    for (extra = 1; extra < 40; extra += 3) {
        longer = test_alloc(packed.len + extra);
        memcpy(longer, packed.data, packed.len);
        EQ(DAMAGE_TRAILING,
           unpacker_whole(u, bytes_of(longer, packed.len + extra), plain,
                          1000));
        EQ(DAMAGE_TRAILING, drain(u, bytes_of(longer, packed.len + extra),
                                  packed.len, 1000, &out));
        EQ(DAMAGE_TRAILING,
           drain(u, bytes_of(longer, packed.len + extra), 11, 1000, &out));
    }
    buf_release(&out);
    unpacker_free(u);
}

TEST(what_is_not_gzip_is_said_to_be_something_else)
{
    struct unpacker *u = unpacker_new();
    struct buf out = BUF_INIT(1 << 20);
    uint8_t plain[101];
    quire_bytes text = bytes_str("PK\3\4 not a gzip file, but long enough");

    EQ(DAMAGE_NOT_GZIP, unpacker_whole(u, text, plain, 100));
    EQ(DAMAGE_NOT_GZIP, drain(u, text, 5, 100, &out));
    EQ(DAMAGE_NOT_GZIP, unpacker_whole(u, bytes_of("", 0), plain, 100));
    EQ(DAMAGE_NOT_GZIP, drain(u, bytes_of("", 0), 5, 100, &out));
    buf_release(&out);
    unpacker_free(u);
}

TEST(the_ends_of_a_file_tell_size_and_checksum)
{
    char *content = test_alloc(1000);
    struct gzip_ends ends;
    quire_bytes packed;
    bool shrank;

    test_prose(7, content, 1000);
    packed = pack(PACK_FAST, bytes_of(content, 1000), &shrank);
    YES(gzip_ends_read(packed.data,
                       (const uint8_t *)packed.data + packed.len - 8, &ends));
    EQ(1000, ends.size_low);
    EQ(gzip_crc(0, bytes_of(content, 1000)), ends.crc);
    EQ(crc32(0, (const uint8_t *)content, 1000), ends.crc);
    NO(gzip_ends_read((const uint8_t *)"not a gzip", packed.data, &ends));
}

static quire_status refuse(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)bytes;
    (void)err;
    return --*(int *)ctx < 0 ? QUIRE_IO : QUIRE_OK;
}

TEST(a_writer_that_fails_ends_the_packing)
{
    char *content = test_alloc(BIG);
    struct packer *p = packer_new(PACK_FAST);
    int left;

    test_prose(8, content, BIG);
    for (left = 0; left < 6; left++) {
        int n = left;
        quire_status st = packer_begin(p, bytes_of(content, 1000), refuse, &n,
                                       &test_err);

        if (!st)
            st = packer_add(p, bytes_of(content, BIG), &test_err);
        if (!st)
            st = packer_end(p, &test_err);
        IS(QUIRE_IO, st);
    }
    packer_free(p);
}

TEST(no_memory_for_a_codec_is_no_codec)
{
    fault_arm(1, ENOMEM, true);
    YES(packer_new(PACK_FAST) == NULL);
    YES(unpacker_new() == NULL);
    fault_disarm();
    fault_arm(2, ENOMEM, true);
    YES(packer_new(PACK_FAST) == NULL);
    fault_disarm();
}

/* Also text that deflate cannot make smaller, such as a few Chinese words. */
TEST(no_short_content_is_readable_in_its_packed_form)
{
    char *noise = test_alloc(1024);
    enum pack_how how;
    size_t len;
    bool shrank;

    test_noise(21, noise, 1024);
    for (how = PACK_FAST; how <= PACK_STABLE; how++) {
        for (len = 8; len <= 1024; len++) {
            quire_bytes content = bytes_of(noise, len);
            quire_bytes packed = pack(how, content, &shrank);

            SAME(content, gunzip(packed, len));
            NO(memmem(packed.data, packed.len, noise, 8));
            YES(packed.len <= 18 + len * 9 / 8 + 3);
        }
    }
}

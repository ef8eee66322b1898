/* Who wants gzip, and what it is then. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "server/priv.h"
#include "support/test.h"

static bool wants(const char *header)
{
    return compress_wants_gzip(bytes_str(header));
}

TEST(gzip_is_wanted_by_name_by_star_and_by_weight)
{
    YES(wants("gzip"));
    YES(wants("br, gzip;q=0.1"));
    YES(wants("*"));
    YES(wants("*;q=0.001"));
    YES(wants(" x-gzip\t;\tq=1.000"));
    NO(compress_wants_gzip(bytes_of(NULL, 0)));
    NO(wants(""));
    NO(wants("br"));
    NO(wants("gzip;q=0"));
    NO(wants("gzip;q=0.000, *"));
    NO(wants("identity, gzip;q=0.9"));
    NO(wants("gzip;q=1.001"));
    NO(wants("gzip;q=.5"));
    NO(wants("gzip;q="));
    NO(wants(",;,;q=1"));
}

static void unpack(quire_bytes packed, struct buf *out)
{
    static unsigned char piece[1 << 16];
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)packed.data,
                  .avail_in = (unsigned)packed.len};
    int rc = inflateInit2(&z, 15 + 16);

    while (rc == Z_OK) {
        z.next_out = piece;
        z.avail_out = sizeof piece;
        rc = inflate(&z, Z_NO_FLUSH);
        buf_add(out, piece, sizeof piece - z.avail_out);
    }
    EQ(Z_STREAM_END, rc);
    inflateEnd(&z);
}

TEST(what_is_packed_is_gzip_and_the_same)
{
    static const size_t sizes[] = {64, 1024, 70000, 3000000};
    struct gzip *g = gzip_new();
    size_t i, k;

    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buf plain = BUF_INIT(8 << 20), packed = BUF_INIT(8 << 20);
        struct buf back = BUF_INIT(8 << 20);

        for (k = 0; plain.len < sizes[i]; k++)
            buf_addf(&plain, "{\"line\":%zu,\"text\":\"much the same\"}\n",
                     k % 100);
        YES(gzip_pack(g, buf_bytes(&plain), &packed));
        YES(packed.len < plain.len);
        unpack(buf_bytes(&packed), &back);
        YES(bytes_equal(buf_bytes(&plain), buf_bytes(&back)));
        buf_release(&plain);
        buf_release(&packed);
        buf_release(&back);
    }
    gzip_free(g);
}

TEST(what_does_not_shrink_is_left_alone)
{
    struct gzip *g = gzip_new();
    struct buf out = BUF_INIT(1 << 20), noise = BUF_INIT(1 << 20);
    uint32_t seed = 1;

    while (noise.len < 100000) {
        seed = seed * 1664525 + 1013904223;
        buf_add_char(&noise, (char)(seed >> 24));
    }
    buf_add_str(&out, "before");
    NO(gzip_pack(g, buf_bytes(&noise), &out));
    NO(gzip_pack(g, bytes_of("", 0), &out));
    NO(gzip_pack(g, bytes_str("ab"), &out));
    SAME_TEXT("before", buf_text(&out));
    buf_release(&out);
    buf_release(&noise);
    gzip_free(g);
}

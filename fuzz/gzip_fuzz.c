/*
 * gzip_fuzz.c - everything codec.h does, against itself and against zlib
 *
 * Unpacking: hostile bytes at once and in pieces, with limits. Every way to
 * look gives the same verdict and the same content, no more bytes come out
 * than were allowed, and zlib's inflate has the last word on what is right.
 * Then once more with the checksum mended, which no mutation would hit: only
 * so does anyone see what becomes of odd but acceptable data.
 *
 * Packing: any content comes back from either manner, in the stable one a
 * stream packs to the same bytes as a buffer, and zlib reads all.
 *
 * isa-l is assembly, which no sanitizer looks into. So whatever it is given
 * ends where a page begins that nobody may touch, and in a second round starts
 * where such a page ends: one byte too far is a fault.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "blob/codec.h"
#include "holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX ((size_t)1 << 18)

/* The most content we follow. 4 KiB of input can unpack to 4 MiB; most of
 * that would be time spent on copying the same byte. */
#define CONTENT_MAX ((size_t)1 << 18)

/* In pieces of a few bytes, less: each costs a call. */
#define PIECES_MAX ((size_t)1 << 13)

/* ---- memory with an edge ------------------------------------------------ */

struct yard {
    uint8_t *start, *end; /* a forbidden page before and after */
};

static struct yard yard_new(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (bytes + page - 1) / page * page;
    uint8_t *map = mmap(NULL, room + 2 * page, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    HOLDS(map != MAP_FAILED);
    HOLDS(!mprotect(map + page, room, PROT_READ | PROT_WRITE));
    return (struct yard){map + page, map + page + room};
}

enum edge { AT_END, AT_START };

static uint8_t *yard_place(const struct yard *y, size_t len, enum edge edge)
{
    HOLDS(len <= (size_t)(y->end - y->start));
    return edge == AT_END ? y->end - len : y->start;
}

static quire_bytes yard_copy(const struct yard *y, quire_bytes bytes,
                             enum edge edge)
{
    uint8_t *at = yard_place(y, bytes.len, edge);

    if (bytes.len)
        memcpy(at, bytes.data, bytes.len);
    return bytes_of(at, bytes.len);
}

static struct yard in_yard, out_yard;

/* ---- the oracle --------------------------------------------------------- */

/* A fuzzer cannot see which branches the two libraries take, so it is told
 * the little that shows. Who replays does not look. */
__attribute__((section("__libfuzzer_extra_counters"),
               used)) static uint8_t counters[1024];

static void note(const char *message, size_t len)
{
    uint32_t h = message ? gzip_crc(0, bytes_str(message)) : 0;
    uint32_t magnitude = 0;

    for (; len; len /= 2)
        magnitude++;
    counters[(h + magnitude) % sizeof counters]++;
}

/*
 * Where isa-l (2.30) is known to differ from zlib. None of it matters to a
 * store: what we write has none of these, files are read in pieces much longer
 * than a header, and content is compared with its name in the end.
 *
 * It passes over flags that RFC 1952 reserves. It accepts sets of Huffman
 * codes that leave some codes unused, which RFC 1951 does not forbid. And when
 * a header that has a checksum of its own comes in several pieces, it computes
 * that over the last piece only: so no pieces then.
 */
#define FLAGS_RESERVED  0xe0
#define FLAG_HEADER_CRC 0x02

static unsigned flags_of(quire_bytes packed)
{
    return packed.len > 3 ? ((const uint8_t *)packed.data)[3] : 0;
}

/* zlib refused it, for `why`, and isa-l need not. */
static bool lax(quire_bytes packed, const char *why)
{
    return flags_of(packed) & FLAGS_RESERVED ||
           (why && (!strcmp(why, "invalid code lengths set") ||
                    !strcmp(why, "invalid literal/lengths set") ||
                    !strcmp(why, "invalid distances set")));
}

/* Whether zlib takes `packed` as one member with nothing behind it, or else
 * *why not, and what it unpacked until it stopped, which may be a little more
 * than CONTENT_MAX. */
static bool oracle(quire_bytes packed, struct buf *got, const char **why)
{
    z_stream z = {0};
    uint8_t out[4096];
    int rc = Z_OK;
    bool whole;

    HOLDS(inflateInit2(&z, 16 + MAX_WBITS) == Z_OK);
    z.next_in = (uint8_t *)(uintptr_t)packed.data;
    z.avail_in = (uInt)packed.len;
    while (rc == Z_OK && got->len <= CONTENT_MAX) {
        z.next_out = out;
        z.avail_out = sizeof out;
        rc = inflate(&z, Z_NO_FLUSH);
        buf_add(got, out, sizeof out - z.avail_out);
    }
    whole = rc == Z_STREAM_END && z.avail_in == 0;
    *why = z.msg;
    inflateEnd(&z);
    return whole;
}

/* ---- unpacking ---------------------------------------------------------- */

/* One way through a stream. */
struct way {
    size_t in_piece, out_cap;
    uint64_t limit;
    enum edge edge;
};

/* `got` is what came out, with the last complaint or before it. */
static enum damage by_stream(struct unpacker *u, quire_bytes packed,
                             const struct way *way, struct buf *got)
{
    uint8_t *out = yard_place(&out_yard, way->out_cap, way->edge);
    enum damage damage = DAMAGE_NONE;
    size_t at = 0, n;

    unpacker_begin(u, way->limit);
    while (!damage && at < packed.len) {
        size_t to = packed.len - at < way->in_piece ? packed.len
                                                    : at + way->in_piece;

        unpacker_feed(u, yard_copy(&in_yard, bytes_sub(packed, at, to),
                                   way->edge));
        at = to;
        do {
            damage = unpacker_take(u, out, way->out_cap, &n);
            HOLDS(n <= way->out_cap);
            buf_add(got, out, n);
            HOLDS(got->len <= way->limit ||
                  (damage && damage != DAMAGE_TRAILING));
            HOLDS(got->len <= way->limit + way->out_cap);
        } while (!damage && n > 0);
    }
    return damage ? damage : unpacker_end(u);
}

/* At both edges; the content is at the end of the yard afterwards. */
static enum damage at_once(struct unpacker *u, quire_bytes packed, size_t size)
{
    enum damage damage[2];
    int edge;

    for (edge = AT_START; edge >= AT_END; edge--)
        damage[edge] =
            unpacker_whole(u, yard_copy(&in_yard, packed, (enum edge)edge),
                           yard_place(&out_yard, size + 1, (enum edge)edge),
                           size);
    HOLDS(damage[AT_START] == damage[AT_END]);
    return damage[AT_END];
}

static void preloaded_agrees(struct unpacker *u, quire_bytes packed,
                             enum damage damage, quire_bytes content)
{
    size_t size = content.len;

    if (damage) {
        if (size <= CONTENT_MAX)
            HOLDS(at_once(u, packed, size));
        /* The size that a reader of such a file would go by. */
        if (packed.len >= GZIP_TRAILER_BYTES) {
            uint32_t claimed;

            memcpy(&claimed, (const uint8_t *)packed.data + packed.len - 4, 4);
            if (claimed <= CONTENT_MAX)
                HOLDS(at_once(u, packed, claimed));
        }
        return;
    }
    HOLDS(!at_once(u, packed, size));
    HOLDS(bytes_equal(content,
                      bytes_of(yard_place(&out_yard, size + 1, AT_END), size)));
    HOLDS(at_once(u, packed, size + 1) == DAMAGE_TOO_SHORT);
    if (size > 0)
        HOLDS(at_once(u, packed, size - 1) == DAMAGE_TOO_LONG);
}

static void pieces_agree(struct unpacker *u, quire_bytes packed,
                         const struct way *way, enum damage damage,
                         quire_bytes content)
{
    struct buf got = BUF_INIT(SIZE_MAX / 2);
    enum damage again = by_stream(u, packed, way, &got);

    if (!damage && content.len > way->limit) {
        HOLDS(again == DAMAGE_TOO_LONG);
    } else {
        HOLDS(!again == !damage);
        HOLDS(again || bytes_equal(buf_bytes(&got), content));
    }
    buf_release(&got);
}

static void unpacking(quire_bytes packed, uint32_t noise)
{
    const struct way straight = {INPUT_MAX, CONTENT_MAX, CONTENT_MAX, AT_END};
    const struct way ways[] = {
        {1, 1, PIECES_MAX, AT_END},
        {1 + noise % 40, 1 + noise / 64 % 300, PIECES_MAX, AT_START},
        {1 + noise % 500, CONTENT_MAX, CONTENT_MAX, AT_START},
        {INPUT_MAX, 1 + noise % 70000, noise / 16 % CONTENT_MAX, AT_END},
    };
    struct buf ours = BUF_INIT(SIZE_MAX / 2), theirs = BUF_INIT(SIZE_MAX / 2);
    struct unpacker *u = unpacker_new();
    enum damage damage;
    const char *why;
    bool whole = oracle(packed, &theirs, &why);
    bool pieces = !(flags_of(packed) & FLAG_HEADER_CRC);
    size_t i;

    HOLDS(u);
    damage = by_stream(u, packed, &straight, &ours);
    HOLDS(damage_name(damage) && damage_message(damage));
    if (theirs.len > CONTENT_MAX) {
        HOLDS(damage);
    } else if (whole || !lax(packed, why)) {
        HOLDS(!damage == whole);
        HOLDS(damage || bytes_equal(buf_bytes(&ours), buf_bytes(&theirs)));
    }
    preloaded_agrees(u, packed, damage, buf_bytes(&ours));
    for (i = 0; i < sizeof ways / sizeof *ways && pieces; i++)
        pieces_agree(u, packed, &ways[i], damage, buf_bytes(&ours));
    unpacker_free(u);
    buf_release(&ours);
    buf_release(&theirs);
}

/* ---- a trailer that fits ------------------------------------------------ */

static void add_trailer(struct buf *out, quire_bytes content)
{
    uint32_t crc = gzip_crc(0, content), size = (uint32_t)content.len;

    buf_add(out, &crc, sizeof crc);
    buf_add(out, &size, sizeof size);
}

/* What the compressed data unpacks to, and how long it is, asking zlib; false
 * when it is not acceptable or goes on for too long. */
static bool raw_oracle(quire_bytes raw, struct buf *got, size_t *used)
{
    z_stream z = {0};
    uint8_t out[4096];
    int rc = Z_OK;

    HOLDS(inflateInit2(&z, -MAX_WBITS) == Z_OK);
    z.next_in = (uint8_t *)(uintptr_t)raw.data;
    z.avail_in = (uInt)raw.len;
    while (rc == Z_OK && got->len <= CONTENT_MAX) {
        z.next_out = out;
        z.avail_out = sizeof out;
        rc = inflate(&z, Z_NO_FLUSH);
        buf_add(got, out, sizeof out - z.avail_out);
    }
    note(z.msg, got->len);
    *used = raw.len - z.avail_in;
    inflateEnd(&z);
    return rc == Z_STREAM_END;
}

/* The same asked of isa-l, which tells by its complaint about the checksum
 * that the rest was to its liking. The trailer is then what ended the input. */
static bool raw_ours(quire_bytes packed, struct buf *got)
{
    const struct way way = {INPUT_MAX, CONTENT_MAX, CONTENT_MAX, AT_END};
    struct unpacker *u = unpacker_new();
    enum damage damage;

    HOLDS(u);
    damage = by_stream(u, packed, &way, got);
    unpacker_free(u);
    return damage == DAMAGE_CHECKSUM && got->len <= CONTENT_MAX;
}

/* A member with a plain header, the input's compressed data and a trailer that
 * fits it; false when neither library can make anything of the data. */
static bool mend(quire_bytes input, struct buf *out)
{
    static const uint8_t header[GZIP_HEADER_BYTES] = {0x1f, 0x8b, 8};
    struct buf content = BUF_INIT(SIZE_MAX / 2);
    quire_bytes raw;
    size_t used;
    bool yes;

    if (input.len < GZIP_HEADER_BYTES + GZIP_TRAILER_BYTES)
        return false;
    raw = bytes_sub(input, GZIP_HEADER_BYTES, input.len);
    buf_add(out, header, sizeof header);
    yes = raw_oracle(raw, &content, &used);
    buf_add(out, raw.data, used);
    if (!yes) {
        buf_clear(&content);
        buf_add(out, (const uint8_t *)raw.data + used, raw.len - used);
        yes = raw_ours(buf_bytes(out), &content);
        out->len -= GZIP_TRAILER_BYTES;
    }
    add_trailer(out, buf_bytes(&content));
    buf_release(&content);
    return yes && out->len <= INPUT_MAX;
}

/* ---- packing ------------------------------------------------------------ */

static quire_status to_buf(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

static void pack_pieces(struct packer *p, quire_bytes content, size_t piece,
                        struct buf *out)
{
    size_t probe = content.len < CODEC_PROBE_BYTES ? content.len
                                                   : CODEC_PROBE_BYTES;
    size_t at = 0;

    HOLDS(!packer_begin(p, bytes_sub(content, 0, probe), to_buf, out, NULL));
    while (at < content.len) {
        size_t to = content.len - at < piece ? content.len : at + piece;

        HOLDS(!packer_add(p, bytes_sub(content, at, to), NULL));
        at = to;
    }
    HOLDS(!packer_end(p, NULL));
}

/* Stored blocks, or up to 1 KiB literals of nine bits. */
static size_t most_overhead(size_t len)
{
    size_t stored = 18 + 5 * (len / 65535 + 1);

    return len <= 1024 ? stored + len / 8 : stored;
}

static void round_trip(enum pack_how how, quire_bytes content, size_t piece)
{
    struct buf whole = BUF_INIT(SIZE_MAX / 2), parts = BUF_INIT(SIZE_MAX / 2);
    struct buf back = BUF_INIT(SIZE_MAX / 2);
    struct packer *p = packer_new(how);
    struct unpacker *u = unpacker_new();
    const char *why;
    bool shrank;

    HOLDS(p && u);
    packer_whole(p, content, &whole, &shrank);
    HOLDS(!whole.failed);
    HOLDS(whole.len <= content.len + most_overhead(content.len));
    HOLDS(shrank == (whole.len < content.len));
    pack_pieces(p, content, piece, &parts);
    /* In the fast manner a stream may come out differently. */
    HOLDS(how == PACK_FAST ||
          bytes_equal(buf_bytes(&whole), buf_bytes(&parts)));
    HOLDS(oracle(buf_bytes(&parts), &back, &why));
    HOLDS(bytes_equal(content, buf_bytes(&back)));
    buf_clear(&back);

    HOLDS(oracle(buf_bytes(&whole), &back, &why));
    HOLDS(bytes_equal(content, buf_bytes(&back)));
    HOLDS(!unpacker_whole(u, buf_bytes(&whole),
                          yard_place(&out_yard, content.len + 1, AT_END),
                          content.len));
    HOLDS(bytes_equal(content,
                      bytes_of(yard_place(&out_yard, content.len + 1, AT_END),
                               content.len)));
    packer_free(p);
    unpacker_free(u);
    buf_release(&whole);
    buf_release(&parts);
    buf_release(&back);
}

/* Only what is longer than a piece is given to isa-l and zlib where it lies,
 * without a copy. So now and then the input is said again and again, to a
 * length around the edges of one and two pieces. */
static quire_bytes lengthen(quire_bytes content, uint32_t noise)
{
    size_t len = 65530 * (1 + noise / 64 % 2) + noise / 128 % 16;
    uint8_t *at = yard_place(&in_yard, len, AT_END);
    size_t i;

    for (i = 0; i < len; i++)
        at[i] = (uint8_t)(((const uint8_t *)content.data)[i % content.len] +
                          (noise & 1 ? i / content.len * 31 : 0));
    return bytes_of(at, len);
}

static void packing(quire_bytes content, uint32_t noise)
{
    quire_bytes kept = yard_copy(&in_yard, content, AT_END);

    round_trip(PACK_FAST, kept, 1 + noise % 97);
    round_trip(PACK_STABLE, kept, 1 + noise % 97);
    if (content.len == 0 || noise % 16 != 0)
        return;
    kept = lengthen(content, noise / 16);
    round_trip(PACK_FAST, kept, 1 + noise % 70001);
    round_trip(PACK_STABLE, kept, 1 + noise % 70001);
}

/* Sizes of pieces and the like come from the input, so that the same file
 * always does the same, and a corpus of gzip files is just that. */
static uint32_t noise_of(quire_bytes bytes)
{
    return gzip_crc(0, bytes) * 2654435761u;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_bytes input = bytes_of(data, size);
    struct buf mended = BUF_INIT(SIZE_MAX / 2);

    if (size > INPUT_MAX)
        return 0;
    if (!in_yard.start) {
        in_yard = yard_new(INPUT_MAX);
        out_yard = yard_new(CONTENT_MAX + 2);
    }
    unpacking(input, noise_of(input));
    if (mend(input, &mended))
        unpacking(buf_bytes(&mended), noise_of(input));
    buf_release(&mended);
    packing(input, noise_of(input));
    return 0;
}

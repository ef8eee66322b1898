#include "blob/codec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/err.h"

/* zlib always gets pieces of exactly this size, except the last. The position
 * of its window depends on the sizes of its inputs, and with it, in rare cases,
 * a match: pieces of one size give one result. */
#define STABLE_PIECE ((size_t)64 * 1024)

#define OUT_BYTES    ((size_t)64 * 1024)
#define STORED_BLOCK ((size_t)65535)

/* Up to here content is never in stored blocks, where a search through the
 * files of a store would find its text. Longer text always shrinks. */
#define OPAQUE_BYTES ((size_t)1024)

/* ---- the gzip wrapper --------------------------------------------------- */

static const uint8_t gzip_header[GZIP_HEADER_BYTES] = {
    0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255,
};

static void put_u32(uint8_t *at, uint32_t v)
{
    at[0] = (uint8_t)v;
    at[1] = (uint8_t)(v >> 8);
    at[2] = (uint8_t)(v >> 16);
    at[3] = (uint8_t)(v >> 24);
}

static uint32_t get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
}

bool gzip_head_read(const uint8_t header[GZIP_HEADER_BYTES])
{
    return memcmp(header, gzip_header, 3) == 0;
}

bool gzip_ends_read(const uint8_t *header,
                    const uint8_t trailer[GZIP_TRAILER_BYTES],
                    struct gzip_ends *out)
{
    if (header && !gzip_head_read(header))
        return false;
    out->crc = get_u32(trailer);
    out->size_low = get_u32(trailer + 4);
    return true;
}

uint32_t gzip_crc(uint32_t crc, quire_bytes bytes)
{
    return bytes.len ? crc32_gzip_refl(crc, bytes.data, bytes.len) : crc;
}

/* ---- packing ------------------------------------------------------------ */

struct packer {
    enum pack_how how;
    bool stored; /* this member is in stored blocks */
    uint32_t crc;
    uint64_t size;
    quire_write_fn write;
    void *ctx;
    size_t n_piece; /* bytes waiting in `piece` */
    uint8_t *level_buf;
    struct isal_zstream fast;
    z_stream stable;
    uint8_t piece[STORED_BLOCK + 1];
    uint8_t out[OUT_BYTES];
};

struct packer *packer_new(enum pack_how how)
{
    struct packer *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->how = how;
    if (how == PACK_FAST) {
        p->level_buf = malloc(ISAL_DEF_LVL2_DEFAULT);
        if (p->level_buf)
            return p;
    } else if (deflateInit2(&p->stable, 6, Z_DEFLATED, -MAX_WBITS, 8,
                            Z_DEFAULT_STRATEGY) == Z_OK) {
        return p;
    }
    free(p);
    return NULL;
}

void packer_free(struct packer *p)
{
    if (!p)
        return;
    if (p->how == PACK_STABLE)
        deflateEnd(&p->stable);
    free(p->level_buf);
    free(p);
}

static quire_status emit(struct packer *p, size_t n, quire_error *err)
{
    return n ? p->write(p->ctx, bytes_of(p->out, n), err) : QUIRE_OK;
}

static quire_status fast_piece(struct packer *p, quire_bytes in, bool last,
                               quire_error *err)
{
    struct isal_zstream *z = &p->fast;
    quire_status st = QUIRE_OK;

    /* The libraries take no const pointer, and do not write to their input. */
    z->next_in = (uint8_t *)(uintptr_t)in.data;
    z->avail_in = (uint32_t)in.len;
    z->end_of_stream = last;
    do {
        z->next_out = p->out;
        z->avail_out = OUT_BYTES;
        if (isal_deflate(z) != COMP_OK)
            return err_set(err, QUIRE_IO, "isa-l cannot compress");
        st = emit(p, OUT_BYTES - z->avail_out, err);
    } while (!st && (z->avail_in || z->avail_out == 0 ||
                     (last && z->internal_state.state != ZSTATE_END)));
    return st;
}

static quire_status stable_piece(struct packer *p, quire_bytes in, bool last,
                                 quire_error *err)
{
    z_stream *z = &p->stable;
    quire_status st;
    int rc;

    z->next_in = (uint8_t *)(uintptr_t)in.data;
    z->avail_in = (uInt)in.len;
    do {
        z->next_out = p->out;
        z->avail_out = (uInt)OUT_BYTES;
        rc = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
        if (rc == Z_STREAM_ERROR)
            return err_set(err, QUIRE_IO, "zlib cannot compress");
        st = emit(p, OUT_BYTES - z->avail_out, err);
    } while (!st && (last ? rc != Z_STREAM_END : z->avail_out == 0));
    return st;
}

/* One stored block: a header of five bytes, and the content. */
static quire_status stored_piece(struct packer *p, quire_bytes in, bool last,
                                 quire_error *err)
{
    uint8_t head[5] = {last};
    quire_status st;

    put_u32(head + 1, (uint32_t)in.len | (~(uint32_t)in.len & 0xffff) << 16);
    st = p->write(p->ctx, bytes_of(head, sizeof head), err);
    return st || !in.len ? st : p->write(p->ctx, in, err);
}

static size_t piece_size(const struct packer *p)
{
    return p->stored ? STORED_BLOCK : STABLE_PIECE;
}

static void put_bits(uint8_t *at, size_t *n_bits, unsigned bits, int n)
{
    for (; n > 0; n--, bits >>= 1, ++*n_bits)
        at[*n_bits / 8] |= (uint8_t)((bits & 1) << *n_bits % 8);
}

/* Huffman codes are written from their highest bit on. */
static void put_code(uint8_t *at, size_t *n_bits, unsigned code, int n)
{
    while (n-- > 0)
        put_bits(at, n_bits, code >> n & 1, 1);
}

/* One block of literals in deflate's fixed code (RFC 1951, 3.2.6): the form of
 * short content, all of which is in `in`. */
static quire_status literal_piece(struct packer *p, quire_bytes in,
                                  quire_error *err)
{
    uint8_t bits[OPAQUE_BYTES * 9 / 8 + 4] = {0};
    const uint8_t *at = in.data;
    size_t n_bits = 0, i;

    assert(in.len == p->size && in.len <= OPAQUE_BYTES);
    put_bits(bits, &n_bits, 1 | 1 << 1, 3); /* last block, fixed code */
    for (i = 0; i < in.len; i++) {
        if (at[i] < 144)
            put_code(bits, &n_bits, 0x30u + at[i], 8);
        else
            put_code(bits, &n_bits, 0x190u + at[i] - 144u, 9);
    }
    n_bits += 7; /* the code of the end: seven zeros */
    return p->write(p->ctx, bytes_of(bits, (n_bits + 7) / 8), err);
}

static quire_status pack_piece(struct packer *p, quire_bytes in, bool last,
                               quire_error *err)
{
    if (p->stored)
        return last && p->size <= OPAQUE_BYTES ? literal_piece(p, in, err)
                                               : stored_piece(p, in, last, err);
    return p->how == PACK_FAST ? fast_piece(p, in, last, err)
                               : stable_piece(p, in, last, err);
}

static quire_status start_member(struct packer *p, bool stored,
                                 quire_write_fn write, void *ctx,
                                 quire_error *err)
{
    p->stored = stored;
    p->crc = 0;
    p->size = 0;
    p->n_piece = 0;
    p->write = write;
    p->ctx = ctx;
    if (p->how == PACK_FAST) {
        isal_deflate_init(&p->fast);
        p->fast.level = 2;
        p->fast.level_buf = p->level_buf;
        p->fast.level_buf_size = ISAL_DEF_LVL2_DEFAULT;
    } else {
        deflateReset(&p->stable);
    }
    return write(ctx, bytes_of(gzip_header, sizeof gzip_header), err);
}

quire_status packer_add(struct packer *p, quire_bytes bytes, quire_error *err)
{
    size_t whole = piece_size(p);
    const uint8_t *at = bytes.data;
    size_t left = bytes.len;
    quire_status st = QUIRE_OK;

    p->crc = gzip_crc(p->crc, bytes);
    p->size += bytes.len;
    while (left > 0 && !st) {
        size_t n = whole - p->n_piece;

        /* A full piece is written when more input follows, so that the last one
         * is known to be the last. */
        if (p->n_piece == whole) {
            st = pack_piece(p, bytes_of(p->piece, whole), false, err);
            p->n_piece = 0;
            continue;
        }
        if (p->n_piece == 0 && left > whole) {
            st = pack_piece(p, bytes_of(at, whole), false, err);
            at += whole;
            left -= whole;
            continue;
        }
        if (n > left)
            n = left;
        memcpy(p->piece + p->n_piece, at, n);
        p->n_piece += n;
        at += n;
        left -= n;
    }
    return st;
}

quire_status packer_end(struct packer *p, quire_error *err)
{
    uint8_t trailer[GZIP_TRAILER_BYTES];
    quire_status st;

    st = pack_piece(p, bytes_of(p->piece, p->n_piece), true, err);
    if (st)
        return st;
    put_u32(trailer, p->crc);
    put_u32(trailer + 4, (uint32_t)p->size);
    return p->write(p->ctx, bytes_of(trailer, sizeof trailer), err);
}

static quire_status to_buf(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return ((struct buf *)ctx)->failed ? QUIRE_NO_MEMORY : QUIRE_OK;
}

/* isa-l compresses content in memory in one call, without pieces or copies. A
 * stream may give other bytes, which is allowed for the fast kind. */
static void pack_fast(struct packer *p, quire_bytes content, struct buf *out)
{
    struct isal_zstream *z = &p->fast;
    size_t room = content.len + content.len / 1024 + 1024;
    uint8_t trailer[GZIP_TRAILER_BYTES];

    if (start_member(p, false, to_buf, out, NULL) || !buf_room(out, room)) {
        out->failed = true;
        return;
    }
    z->next_in = (uint8_t *)(uintptr_t)content.data;
    z->avail_in = (uint32_t)content.len;
    z->next_out = (uint8_t *)out->data + out->len;
    z->avail_out = (uint32_t)room;
    z->end_of_stream = 1;
    if (isal_deflate(z) != COMP_OK || z->internal_state.state != ZSTATE_END)
        out->failed = true;
    buf_grow(out, room - z->avail_out);
    put_u32(trailer, gzip_crc(0, content));
    put_u32(trailer + 4, (uint32_t)content.len);
    buf_add(out, trailer, sizeof trailer);
}

static void pack_into(struct packer *p, quire_bytes content, bool stored,
                      struct buf *out)
{
    if (p->how == PACK_FAST && !stored && content.len <= CODEC_PROBE_BYTES)
        pack_fast(p, content, out);
    else if (start_member(p, stored, to_buf, out, NULL) ||
             packer_add(p, content, NULL) || packer_end(p, NULL))
        out->failed = true;
}

/* Size of a member in stored blocks. */
static size_t stored_size(size_t len)
{
    size_t blocks = len ? (len + STORED_BLOCK - 1) / STORED_BLOCK : 1;

    return GZIP_HEADER_BYTES + 5 * blocks + len + GZIP_TRAILER_BYTES;
}

/* Whether deflate shrinks these bytes: tried, since a histogram guesses wrong
 * where it matters, on base64. False if it could not be tried. */
static bool does_shrink(struct packer *p, quire_bytes probe, bool *yes)
{
    struct buf trial = BUF_INIT(2 * CODEC_PROBE_BYTES);
    bool tried;

    assert(probe.len <= CODEC_PROBE_BYTES);
    pack_into(p, probe, false, &trial);
    tried = !trial.failed;
    *yes = trial.len < stored_size(probe.len);
    buf_release(&trial);
    return tried;
}

void packer_whole(struct packer *p, quire_bytes content, struct buf *out,
                  bool *shrank)
{
    size_t was = out->len;

    if (content.len > CODEC_PROBE_BYTES) {
        if (does_shrink(p, bytes_sub(content, 0, CODEC_PROBE_BYTES), shrank))
            pack_into(p, content, !*shrank, out);
        else
            out->failed = true;
        return;
    }
    pack_into(p, content, false, out);
    *shrank = !out->failed && out->len - was < content.len;
    if (out->failed || out->len - was < stored_size(content.len))
        return;
    out->len = was;
    pack_into(p, content, true, out);
}

quire_status packer_begin(struct packer *p, quire_bytes probe,
                          quire_write_fn write, void *ctx, quire_error *err)
{
    bool yes;

    if (!does_shrink(p, probe, &yes))
        return err_memory(err);
    return start_member(p, !yes, write, ctx, err);
}

/* ---- unpacking ---------------------------------------------------------- */

static const struct {
    const char *name, *words;
} damages[] = {
    [DAMAGE_NONE] = {"none", "is whole"},
    [DAMAGE_CUT] = {"cut", "ends too early"},
    [DAMAGE_NOT_GZIP] = {"not_gzip", "is not gzip data"},
    [DAMAGE_BROKEN] = {"broken", "cannot be unpacked"},
    [DAMAGE_CHECKSUM] = {"checksum", "fails its gzip checksum"},
    [DAMAGE_TRAILING] = {"trailing", "goes on after its end"},
    [DAMAGE_TOO_LONG] = {"too_long", "unpacks to more than its recorded size"},
    [DAMAGE_TOO_SHORT] = {"too_short",
                          "unpacks to less than its recorded size"},
    [DAMAGE_CONTENT] = {"content", "is not the content its name says"},
    [DAMAGE_MISSING] = {"missing", "has lost its file"},
    [DAMAGE_ROW] = {"row", "has a row that makes no sense"},
};

const char *damage_name(enum damage d)
{
    return damages[d].name;
}

const char *damage_message(enum damage d)
{
    return damages[d].words;
}

struct unpacker {
    uint64_t limit, given;
    bool started; /* some input was seen */
    struct inflate_state z;
};

struct unpacker *unpacker_new(void)
{
    return malloc(sizeof(struct unpacker));
}

void unpacker_free(struct unpacker *u)
{
    free(u);
}

static enum damage damage_entry(int rc)
{
    switch (rc) {
    case ISAL_DECOMP_OK: return DAMAGE_NONE;
    case ISAL_END_INPUT: return DAMAGE_CUT;
    case ISAL_INVALID_WRAPPER:
    case ISAL_UNSUPPORTED_METHOD: return DAMAGE_NOT_GZIP;
    case ISAL_INCORRECT_CHECKSUM: return DAMAGE_CHECKSUM;
    case ISAL_OUT_OVERFLOW: return DAMAGE_TOO_LONG;
    default: return DAMAGE_BROKEN;
    }
}

void unpacker_begin(struct unpacker *u, uint64_t limit)
{
    u->limit = limit;
    u->given = 0;
    u->started = false;
    isal_inflate_init(&u->z);
    u->z.crc_flag = ISAL_GZIP;
    u->z.avail_in = 0;
}

void unpacker_feed(struct unpacker *u, quire_bytes packed)
{
    u->z.next_in = (uint8_t *)(uintptr_t)packed.data;
    u->z.avail_in = (uint32_t)packed.len;
    u->started |= packed.len > 0;
}

enum damage unpacker_take(struct unpacker *u, void *out, size_t cap, size_t *n)
{
    int rc;

    *n = 0;
    if (u->z.block_state == ISAL_BLOCK_FINISH)
        return u->z.avail_in ? DAMAGE_TRAILING : DAMAGE_NONE;
    u->z.next_out = out;
    u->z.avail_out = (uint32_t)cap;
    rc = isal_inflate(&u->z);
    *n = cap - u->z.avail_out;
    u->given += *n;
    if (rc < 0 || rc == ISAL_NEED_DICT)
        return damage_entry(rc);
    if (u->given > u->limit)
        return DAMAGE_TOO_LONG;
    if (u->z.block_state == ISAL_BLOCK_FINISH && u->z.avail_in)
        return DAMAGE_TRAILING;
    return DAMAGE_NONE;
}

enum damage unpacker_end(struct unpacker *u)
{
    if (u->z.block_state != ISAL_BLOCK_FINISH)
        return u->started ? DAMAGE_CUT : DAMAGE_NOT_GZIP;
    return DAMAGE_NONE;
}

enum damage unpacker_whole(struct unpacker *u, quire_bytes packed, uint8_t *out,
                           size_t size)
{
    int rc;

    if (packed.len < GZIP_HEADER_BYTES + GZIP_TRAILER_BYTES)
        return packed.len >= 2 && !memcmp(packed.data, gzip_header, 2)
                   ? DAMAGE_CUT
                   : DAMAGE_NOT_GZIP;
    unpacker_begin(u, size);
    unpacker_feed(u, packed);
    u->z.next_out = out;
    u->z.avail_out = (uint32_t)size + 1;
    rc = isal_inflate_stateless(&u->z);
    if (rc)
        return damage_entry(rc);
    if (u->z.total_out > size)
        return DAMAGE_TOO_LONG;
    if (u->z.total_out < size)
        return DAMAGE_TOO_SHORT;
    return u->z.avail_in ? DAMAGE_TRAILING : DAMAGE_NONE;
}

/* gzip_blocks.c - see gzip_blocks.h */
#include "store/gzip_blocks.h"

#include <stdlib.h>
#include <string.h>

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include "base/bytes.h"

struct gzip_packer {
    struct isal_zstream z;
    uint8_t level_buf[ISAL_DEF_LVL2_DEFAULT];
};

struct gzip_unpacker {
    struct inflate_state z;
};

/* ---- the header ------------------------------------------------------------ */

static const uint8_t fixed[16] = {0x1f, 0x8b, 8,    4, 0,   0,   0,    0,
                                  0,    0xff, 0x14, 0, 'Q', 'L', 0x10, 0};

static void put_number(uint8_t *to, uint64_t n, int bytes)
{
    int i;

    for (i = 0; i < bytes; i++)
        to[i] = (uint8_t)(n >> 8 * i);
}

static uint64_t get_number(const uint8_t *from, int bytes)
{
    uint64_t n = 0;
    int i;

    for (i = bytes - 1; i >= 0; i--)
        n = n << 8 | from[i];
    return n;
}

static void put_head(uint8_t *to, size_t member, size_t content,
                     uint64_t offset)
{
    memcpy(to, fixed, sizeof fixed);
    put_number(to + 16, member, 4);
    put_number(to + 20, content, 4);
    put_number(to + 24, offset, 8);
}

bool gzip_head_parse(const uint8_t bytes[GZIP_HEAD], struct gzip_head *out)
{
    if (memcmp(bytes, fixed, sizeof fixed) != 0)
        return false;
    out->member = (uint32_t)get_number(bytes + 16, 4);
    out->content = (uint32_t)get_number(bytes + 20, 4);
    out->offset = get_number(bytes + 24, 8);
    return out->member >= GZIP_END_MARK && out->member <= GZIP_MEMBER_MAX &&
           out->content <= GZIP_BLOCK && out->offset <= INT64_MAX &&
           (out->content > 0 || out->member == GZIP_END_MARK);
}

bool gzip_is_log(const char *name)
{
    size_t n = strlen(name), ending = sizeof GZIP_LOG_ENDING - 1;

    return n > ending && !strcmp(name + n - ending, GZIP_LOG_ENDING);
}

/* ---- packing --------------------------------------------------------------- */

struct gzip_packer *gzip_packer_new(void)
{
    return malloc(sizeof(struct gzip_packer));
}

void gzip_packer_free(struct gzip_packer *p)
{
    free(p);
}

void gzip_tail(quire_bytes content, uint8_t out[GZIP_TAIL])
{
    put_number(out, crc32_gzip_refl(0, content.data, content.len), 4);
    put_number(out + 4, content.len, 4);
}

/* Deflate's own form for bytes as they are, in pieces. */
static size_t store_bytes(quire_bytes content, uint8_t *to)
{
    uint8_t *at = to;

    while (content.len > 0) {
        size_t n = content.len < UINT16_MAX ? content.len : UINT16_MAX;

        *at = n == content.len; /* the last one */
        put_number(at + 1, n, 2);
        put_number(at + 3, ~(uint64_t)n, 2);
        memcpy(at + 5, content.data, n);
        at += 5 + n;
        content = bytes_sub(content, n, content.len);
    }
    return (size_t)(at - to);
}

/* 0: it does not fit `cap` bytes. */
static size_t deflate_bytes(struct gzip_packer *p, quire_bytes content,
                            uint8_t *to, size_t cap)
{
    struct isal_zstream *z = &p->z;

    isal_deflate_init(z);
    z->level = 2;
    z->level_buf = p->level_buf;
    z->level_buf_size = sizeof p->level_buf;
    z->gzip_flag = IGZIP_DEFLATE;
    z->end_of_stream = 1;
    /* It takes no const, and does not write there. */
    z->next_in = (uint8_t *)(uintptr_t)content.data;
    z->avail_in = (uint32_t)content.len;
    z->next_out = to;
    z->avail_out = (uint32_t)cap;
    if (isal_deflate(z) != COMP_OK || z->internal_state.state != ZSTATE_END)
        return 0;
    return z->total_out;
}

static void pack_block(struct gzip_packer *p, quire_bytes content,
                       uint64_t offset, struct buf *out)
{
    uint8_t *to = buf_room(out, GZIP_MEMBER_MAX);
    size_t n = 0, cap = GZIP_MEMBER_MAX - GZIP_HEAD - GZIP_TAIL;

    if (!to)
        return;
    if (offset > 0 || content.len > GZIP_STORED)
        n = deflate_bytes(p, content, to + GZIP_HEAD, cap);
    if (n == 0)
        n = store_bytes(content, to + GZIP_HEAD);
    gzip_tail(content, to + GZIP_HEAD + n);
    n += GZIP_HEAD + GZIP_TAIL;
    put_head(to, n, content.len, offset);
    buf_grow(out, n);
}

void gzip_blocks_add(struct gzip_packer *p, quire_bytes content,
                     uint64_t offset, struct buf *out)
{
    while (content.len > 0 && !out->failed) {
        size_t n = offset == 0 ? GZIP_STORED : GZIP_BLOCK;

        if (n > content.len)
            n = content.len;
        pack_block(p, bytes_sub(content, 0, n), offset, out);
        content = bytes_sub(content, n, content.len);
        offset += n;
    }
}

void gzip_blocks_end(uint64_t size, struct buf *out)
{
    static const uint8_t nothing[] = {3, 0};
    uint8_t *to = buf_room(out, GZIP_END_MARK);

    if (!to)
        return;
    put_head(to, GZIP_END_MARK, 0, size);
    memcpy(to + GZIP_HEAD, nothing, sizeof nothing);
    memset(to + GZIP_HEAD + sizeof nothing, 0, GZIP_TAIL);
    buf_grow(out, GZIP_END_MARK);
}

/* ---- unpacking ------------------------------------------------------------- */

struct gzip_unpacker *gzip_unpacker_new(void)
{
    return malloc(sizeof(struct gzip_unpacker));
}

void gzip_unpacker_free(struct gzip_unpacker *u)
{
    free(u);
}

bool gzip_unpack(struct gzip_unpacker *u, quire_bytes member,
                 const struct gzip_head *h, uint8_t *out)
{
    struct inflate_state *z = &u->z;
    const uint8_t *bytes = member.data;
    uint8_t tail[GZIP_TAIL];

    isal_inflate_init(z);
    z->crc_flag = ISAL_DEFLATE;
    z->next_in = (uint8_t *)(uintptr_t)bytes + GZIP_HEAD;
    z->avail_in = (uint32_t)(member.len - GZIP_HEAD - GZIP_TAIL);
    z->next_out = out;
    z->avail_out = h->content;
    if (isal_inflate(z) != ISAL_DECOMP_OK ||
        z->block_state != ISAL_BLOCK_FINISH || z->total_out != h->content)
        return false;
    gzip_tail(bytes_of(out, h->content), tail);
    return !memcmp(tail, bytes + member.len - GZIP_TAIL, GZIP_TAIL);
}

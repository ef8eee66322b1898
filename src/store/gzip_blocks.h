/*
 * gzip_blocks.h - a log as gzip members that can be read from anywhere
 *
 * A compressed log is a sequence of blocks. Each is one gzip member of at most
 * GZIP_BLOCK bytes of content, so that gzip(1) and zcat(1) read the file as they
 * read any other. An extra field (RFC 1952) in its header says how long the
 * member is and where its content stands in the log:
 *
 *     1f 8b 08 04  00 00 00 00  00 ff  14 00       gzip, with an extra field
 *     'Q' 'L' 10 00                                of ours, 16 bytes:
 *     member u32, content u32, offset u64          little-endian
 *     deflate ... crc u32, content u32
 *
 * After the last block comes a member without content, the end mark: its offset
 * is the size of the log, which is so known without a walk over the blocks. A
 * mark may be missing, after a crash, and one may stand between blocks.
 *
 * The first block is short and stored, not compressed: it holds what is patched
 * in place.
 *
 * No I/O here: gzip_file.h reads and writes such files.
 */
#ifndef STORE_GZIP_BLOCKS_H
#define STORE_GZIP_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

/* A name that ends so is that of a compressed log. */
#define GZIP_LOG_ENDING ".jsonl.gz"

enum {
    GZIP_BLOCK = 128 << 10, /* content of one block, at most                */
    GZIP_STORED = 1 << 10,  /* of the first one                             */
    GZIP_HEAD = 32,         /* bytes before the deflate data                */
    GZIP_TAIL = 8,          /* and after it                                 */
    GZIP_END_MARK = 42,
    GZIP_STORED_AT = 37, /* where the content of a stored block begins      */
    GZIP_MEMBER_MAX = GZIP_BLOCK + 1024,
};

struct gzip_head {
    uint32_t member;  /* bytes in the file   */
    uint32_t content; /* 0: an end mark      */
    uint64_t offset;  /* in the log          */
};

/* False: not the header of a block. */
bool gzip_head_parse(const uint8_t bytes[GZIP_HEAD], struct gzip_head *out);

/* Whether a name is that of a compressed log. */
bool gzip_is_log(const char *name);

/* ---- packing --------------------------------------------------------------- */

struct gzip_packer;

/* NULL: no memory. */
struct gzip_packer *gzip_packer_new(void);
void gzip_packer_free(struct gzip_packer *p);

/* Add the blocks of `content`, which stands at `offset` of the log. Failure is
 * out->failed. */
void gzip_blocks_add(struct gzip_packer *p, quire_bytes content,
                     uint64_t offset, struct buf *out);

/* Add the end mark of a log of `size` bytes. */
void gzip_blocks_end(uint64_t size, struct buf *out);

/* The CRC and the length behind the content. */
void gzip_tail(quire_bytes content, uint8_t out[GZIP_TAIL]);

/* ---- unpacking ------------------------------------------------------------- */

struct gzip_unpacker;

/* NULL: no memory. */
struct gzip_unpacker *gzip_unpacker_new(void);
void gzip_unpacker_free(struct gzip_unpacker *u);

/* Unpack a whole member of h->content bytes to `out`. False: it is damaged. */
bool gzip_unpack(struct gzip_unpacker *u, quire_bytes member,
                 const struct gzip_head *h, uint8_t *out);

#endif

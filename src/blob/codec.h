/*
 * codec.h - gzip, fast or stable, and back
 *
 * Fast (isa-l level 2) is for our own store. Stable (zlib level 6) is for
 * stores that people keep in version control: the same content gives the same
 * bytes on every machine, from memory or as a stream.
 *
 * Both write one gzip member with no name, no time and operating system 255,
 * and are read the same way. Content for which stored blocks are smaller is
 * written so: that costs 18 bytes and 5 a block, and unpacks at the speed of a
 * copy. Content of up to 1 KiB is in a fixed Huffman code instead, so that no
 * short text is readable in a file.
 *
 * The codec does no I/O and knows no blobs: it returns a kind of damage, and
 * the caller adds the object.
 */
#ifndef BLOB_CODEC_H
#define BLOB_CODEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

/* The codecs of a stored record. These numbers are on disk. */
enum codec { CODEC_PLAIN = 0, CODEC_GZIP = 1 };

/* How much of the content decides whether it shrinks. Depends only on the
 * content, so that a stream and a buffer give the same bytes. */
#define CODEC_PROBE_BYTES ((size_t)1024 * 1024)

/* Header and trailer of a gzip member. */
#define GZIP_HEADER_BYTES  10
#define GZIP_TRAILER_BYTES 8

/* What the header and trailer of a gzip file show without unpacking it. */
struct gzip_ends {
    uint32_t crc;
    uint32_t size_low; /* size modulo 2^32 */
};

/* Whether a gzip file can begin with these bytes. */
bool gzip_head_read(const uint8_t header[GZIP_HEADER_BYTES]);

/* False if these are not the first and last bytes of a gzip file. Without a
 * header (NULL), the trailer is not checked. */
bool gzip_ends_read(const uint8_t *header,
                    const uint8_t trailer[GZIP_TRAILER_BYTES],
                    struct gzip_ends *out);

/* Deflate shrinks to no less than 1/1032. So a file of up to 4 MiB cannot hold
 * 2^32 bytes, and its trailer has the exact size; a trailer that claims more
 * than this ratio is invalid. */
#define GZIP_RATIO_MAX ((uint64_t)1032)

/* CRC-32 as gzip uses it. */
uint32_t gzip_crc(uint32_t crc, quire_bytes bytes);

/* ---- packing ------------------------------------------------------------ */

enum pack_how { PACK_FAST, PACK_STABLE };

struct packer;

/* NULL when there is no memory. */
struct packer *packer_new(enum pack_how how);
void packer_free(struct packer *p);

/* Append the gzip form of `content` to `out`; *shrank: deflate made it smaller.
 * Failure is out->failed. */
void packer_whole(struct packer *p, quire_bytes content, struct buf *out,
                  bool *shrank);

/* A stream: begin with its first CODEC_PROBE_BYTES, or all of it if it is
 * shorter (inspected, not consumed); add everything in pieces of any size; end.
 * Packed bytes go to `write` as they are produced. */
quire_status packer_begin(struct packer *p, quire_bytes probe,
                          quire_write_fn write, void *ctx, quire_error *err);
quire_status packer_add(struct packer *p, quire_bytes bytes, quire_error *err);
quire_status packer_end(struct packer *p, quire_error *err);

/* ---- unpacking ---------------------------------------------------------- */

enum damage {
    DAMAGE_NONE,
    DAMAGE_CUT,       /* ends too early                                  */
    DAMAGE_NOT_GZIP,  /* the first bytes are something else              */
    DAMAGE_BROKEN,    /* the compressed data contradicts itself          */
    DAMAGE_CHECKSUM,  /* gzip's own checksum does not match */
    DAMAGE_TRAILING,  /* data after the end */
    DAMAGE_TOO_LONG,  /* more content than recorded: perhaps a bomb */
    DAMAGE_TOO_SHORT, /* less than recorded */
    DAMAGE_CONTENT,   /* unpacks, but does not hash to its name */
    DAMAGE_MISSING,   /* its file does not exist */
    DAMAGE_ROW,       /* its row in the catalogue is invalid */
};

const char *damage_name(enum damage d);    /* "cut": stable, for programs  */
const char *damage_message(enum damage d); /* "ends too early", for people */

struct unpacker;

struct unpacker *unpacker_new(void);
void unpacker_free(struct unpacker *u);

/* Unpack a whole member of exactly `size` bytes of content into `out`, which
 * has space for one byte more. */
enum damage unpacker_whole(struct unpacker *u, quire_bytes packed, uint8_t *out,
                           size_t size);

/* A stream. Pass input to unpacker_feed(); call unpacker_take() until it
 * returns no output; feed again; at the end of the input, unpacker_end() checks
 * that the member was complete. At most `limit` bytes are returned: one more is
 * DAMAGE_TOO_LONG. */
void unpacker_begin(struct unpacker *u, uint64_t limit);
void unpacker_feed(struct unpacker *u, quire_bytes packed);
enum damage unpacker_take(struct unpacker *u, void *out, size_t cap, size_t *n);
enum damage unpacker_end(struct unpacker *u);

#endif

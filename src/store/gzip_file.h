/*
 * gzip_file.h - a compressed log in a file: gzip_blocks.h on a descriptor
 *
 * Offsets and sizes are those of the content. All calls return 0, or -1 and
 * errno; EBADMSG is damage.
 *
 *   (1) Blocks are only ever added, and cut off at the end. What a reader knows
 *       of the blocks before stays true; it looks at each again before it
 *       believes it.
 *   (2) An append that a crash interrupts leaves the blocks before it, and
 *       perhaps some of its own. What is not a whole block is cut off by the
 *       next append.
 *   (3) A file whose end mark promises more than its blocks hold is damaged: it
 *       can be read up to there, and not be appended to.
 */
#ifndef STORE_GZIP_FILE_H
#define STORE_GZIP_FILE_H

#include <sys/types.h>

#include "store/gzip_blocks.h"

struct gzip_file {
    int fd; /* the caller's                                                 */
    struct gzip_block *blocks; /* owned, in order                           */
    size_t n, cap;
    uint64_t size;    /* of the log: what the end mark or the blocks say    */
    uint64_t walked;  /* of the log, as far as its blocks were looked at    */
    uint64_t end;     /* in the file, of these blocks                       */
    uint64_t seen;    /* size of the file then                              */
    bool known;       /* `size` and `seen` are set                          */
    size_t unpacked;  /* the block in `content`; SIZE_MAX: none             */
    uint8_t *member;  /* owned: a block as it is in the file                */
    uint8_t *content; /* owned: unpacked                                    */
    uint8_t tail[GZIP_TAIL]; /* of `content`                                */
    struct gzip_packer *packer;     /* owned, when needed                   */
    struct gzip_unpacker *unpacker; /* owned, when needed                   */
};

void gzip_file_init(struct gzip_file *f, int fd);
void gzip_file_release(struct gzip_file *f);

/* Replace *size, that of the file at `fd`, by that of the log. EBADMSG: it is no
 * file of ours; *size stays. */
int gzip_file_size(int fd, uint64_t *size);

/* Set f->size to the present one, for a file of `file_size` bytes. */
int gzip_file_look(struct gzip_file *f, uint64_t file_size);

/* Up to `cap` bytes from `offset`, fewer only at the end; -1: see above. */
ssize_t gzip_file_read(struct gzip_file *f, uint64_t offset, void *buf,
                       size_t cap);

/* Add at the end; after a failure the log is what it was. The descriptor is
 * open with O_APPEND, and nobody else writes. */
int gzip_file_append(struct gzip_file *f, quire_bytes bytes);

/* Cut it off behind `size` bytes. Where a write began, nothing but the rest is
 * touched; within a block, a crash may cost the whole block. */
int gzip_file_cut(struct gzip_file *f, uint64_t size);

/* Overwrite bytes of the first block, by a descriptor without O_APPEND. EINVAL:
 * they are not within it. */
int gzip_file_patch(struct gzip_file *f, int fd, uint64_t offset,
                    quire_bytes bytes);

#endif

/* gzip_file.c - see gzip_file.h */
#include "store/gzip_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fs.h"

/* A block begins at `at` in the file. */
struct gzip_block {
    uint64_t at, offset;
};

#define NONE    SIZE_MAX
#define CEILING ((size_t)1 << 31)

void gzip_file_init(struct gzip_file *f, int fd)
{
    *f = (struct gzip_file){.fd = fd, .unpacked = NONE};
}

void gzip_file_release(struct gzip_file *f)
{
    free(f->blocks);
    free(f->member);
    free(f->content);
    gzip_packer_free(f->packer);
    gzip_unpacker_free(f->unpacker);
    gzip_file_init(f, -1);
}

static int fail(int number)
{
    errno = number;
    return -1;
}

/* ---- where the blocks are --------------------------------------------------- */

static int add_block(struct gzip_file *f, uint64_t at, uint64_t offset)
{
    size_t cap = f->cap ? f->cap * 2 : 16;
    struct gzip_block *blocks = f->blocks;

    if (f->n == f->cap) {
        blocks = realloc(blocks, cap * sizeof *blocks);
        if (!blocks)
            return fail(ENOMEM);
        f->blocks = blocks;
        f->cap = cap;
    }
    blocks[f->n++] = (struct gzip_block){at, offset};
    return 0;
}

/* 1: a header that continues at `offset`; 0: there is none. */
static int read_head(int fd, uint64_t at, struct gzip_head *h)
{
    uint8_t bytes[GZIP_HEAD];
    ssize_t n = fs_read_at(fd, bytes, sizeof bytes, (off_t)at);

    if (n < 0)
        return -1;
    return n == (ssize_t)sizeof bytes && gzip_head_parse(bytes, h);
}

static void forget_blocks(struct gzip_file *f)
{
    f->n = 0;
    f->end = f->walked = 0;
    f->unpacked = NONE;
}

/* Look at the blocks behind those that are known, as far as there are whole
 * ones. */
static int walk(struct gzip_file *f)
{
    struct gzip_head h;
    uint64_t at = f->end;
    int found;

    while ((found = read_head(f->fd, at, &h)) == 1 && h.offset == f->walked &&
           at + h.member <= f->seen) {
        at += h.member;
        if (h.content == 0)
            continue;
        if (add_block(f, at - h.member, h.offset) < 0)
            return -1;
        f->walked += h.content;
        f->end = at;
    }
    return found < 0 ? -1 : 0;
}

/* What the end mark says; 0: there is none. */
static int read_mark(int fd, uint64_t file_size, uint64_t *size)
{
    struct gzip_head h;
    int found = 0;

    if (file_size >= GZIP_END_MARK)
        found = read_head(fd, file_size - GZIP_END_MARK, &h);
    if (found == 1 && h.content == 0)
        *size = h.offset;
    return found == 1 && h.content > 0 ? 0 : found;
}

int gzip_file_look(struct gzip_file *f, uint64_t file_size)
{
    int marked;

    if (f->known && file_size == f->seen)
        return 0;
    if (file_size < f->end)
        forget_blocks(f);
    f->seen = file_size;
    f->known = false;
    marked = read_mark(f->fd, file_size, &f->size);
    if (marked < 0 || (marked == 0 && walk(f) < 0))
        return -1;
    if (marked == 0)
        f->size = f->walked;
    if (marked == 0 && f->size == 0 && file_size > 0)
        return fail(EBADMSG); /* another kind of file */
    f->known = true;
    return 0;
}

int gzip_file_size(int fd, uint64_t *size)
{
    struct gzip_file f;
    int rc;

    gzip_file_init(&f, fd);
    rc = gzip_file_look(&f, *size);
    if (rc == 0)
        *size = f.size;
    gzip_file_release(&f);
    return rc;
}

static int look_now(struct gzip_file *f)
{
    struct stat st;

    if (fstat(f->fd, &st) < 0)
        return -1;
    return gzip_file_look(f, (uint64_t)st.st_size);
}

/* Know all blocks. */
static int walk_all(struct gzip_file *f)
{
    if (look_now(f) < 0 || (f->walked < f->size && walk(f) < 0))
        return -1;
    return f->walked == f->size ? 0 : fail(EBADMSG);
}

/* The block that holds byte `offset`, which is below f->walked. */
static size_t block_of(const struct gzip_file *f, uint64_t offset)
{
    size_t from = 0, to = f->n, middle;

    while (to - from > 1) {
        middle = from + (to - from) / 2;
        if (f->blocks[middle].offset <= offset)
            from = middle;
        else
            to = middle;
    }
    return from;
}

static uint64_t block_end(const struct gzip_file *f, size_t i)
{
    return i + 1 < f->n ? f->blocks[i + 1].offset : f->walked;
}

/* ---- reading ---------------------------------------------------------------- */

static int make_room(struct gzip_file *f)
{
    if (!f->member)
        f->member = malloc(GZIP_MEMBER_MAX);
    if (!f->content)
        f->content = malloc(GZIP_BLOCK);
    if (!f->unpacker)
        f->unpacker = gzip_unpacker_new();
    return f->member && f->content && f->unpacker ? 0 : fail(ENOMEM);
}

/* Whether block `i` is the one in f->content, by its checksum. */
static bool is_unpacked(const struct gzip_file *f, size_t i)
{
    uint64_t end = i + 1 < f->n ? f->blocks[i + 1].at : f->end;
    uint64_t at = f->blocks[i].at;
    uint8_t head[GZIP_HEAD], tail[GZIP_TAIL];
    struct gzip_head h;

    /* The first block is patched in place. */
    if (f->unpacked != i || i == 0)
        return false;
    if (fs_read_at(f->fd, head, sizeof head, (off_t)at) != sizeof head ||
        !gzip_head_parse(head, &h) || h.offset != f->blocks[i].offset ||
        h.content != block_end(f, i) - h.offset || at + h.member > end)
        return false;
    return fs_read_at(f->fd, tail, sizeof tail,
                      (off_t)(at + h.member - GZIP_TAIL)) == sizeof tail &&
           !memcmp(tail, f->tail, sizeof tail);
}

/* Unpack block `i` into f->content. EBADMSG: it is damaged, or has changed. */
static int load_block(struct gzip_file *f, size_t i)
{
    const struct gzip_block *b = &f->blocks[i];
    uint64_t end = i + 1 < f->n ? f->blocks[i + 1].at : f->end;
    size_t want = (size_t)(end - b->at);
    struct gzip_head h;
    ssize_t n;

    if (make_room(f) < 0)
        return -1;
    if (is_unpacked(f, i))
        return 0;
    f->unpacked = NONE;
    if (want > GZIP_MEMBER_MAX) /* an end mark follows it */
        want = GZIP_MEMBER_MAX;
    n = fs_read_at(f->fd, f->member, want, (off_t)b->at);
    if (n < 0)
        return -1;
    if ((size_t)n < GZIP_HEAD || !gzip_head_parse(f->member, &h) ||
        h.offset != b->offset || h.content != block_end(f, i) - b->offset ||
        h.member > (size_t)n ||
        !gzip_unpack(f->unpacker, bytes_of(f->member, h.member), &h,
                     f->content))
        return fail(EBADMSG);
    memcpy(f->tail, f->member + h.member - GZIP_TAIL, GZIP_TAIL);
    f->unpacked = i;
    return 0;
}

/* Bytes of one block; 0 at the end. */
static ssize_t read_piece(struct gzip_file *f, uint64_t offset, uint8_t *buf,
                          size_t cap)
{
    size_t i, n;

    if (look_now(f) < 0 || (f->walked < f->size && walk(f) < 0))
        return -1;
    if (offset >= f->size)
        return 0;
    if (offset >= f->walked)
        return fail(EBADMSG);
    i = block_of(f, offset);
    if (load_block(f, i) < 0)
        return -1;
    n = (size_t)(block_end(f, i) - offset);
    if (n > cap)
        n = cap;
    memcpy(buf, f->content + (offset - f->blocks[i].offset), n);
    return (ssize_t)n;
}

ssize_t gzip_file_read(struct gzip_file *f, uint64_t offset, void *buf,
                       size_t cap)
{
    uint8_t *to = buf;
    size_t done = 0;
    bool again = false;
    ssize_t n = 1;

    while (done < cap && n > 0) {
        n = read_piece(f, offset + done, to + done, cap - done);
        if (n < 0 && errno == EBADMSG && !again) {
            /* A writer may have cut the end off and added to it meanwhile. */
            forget_blocks(f);
            f->known = false;
            again = true;
            n = 1;
        } else if (n > 0) {
            done += (size_t)n;
            again = false;
        }
    }
    return n < 0 ? -1 : (ssize_t)done;
}

/* ---- writing ---------------------------------------------------------------- */

/* Write blocks, and let nothing of them remain on failure. */
static int write_end(struct gzip_file *f, const struct buf *out)
{
    int number;

    f->known = false;
    if (out->failed)
        return fail(ENOMEM);
    if (fs_write_all(f->fd, buf_bytes(out)) == 0)
        return look_now(f);
    number = errno;
    if (ftruncate(f->fd, (off_t)f->end) < 0)
        return fail(number); /* readers skip what is not whole */
    return fail(number);
}

/* Cut off what is not a block: an end mark, a part of an append. */
static int cut_rest(struct gzip_file *f)
{
    if (f->seen == f->end)
        return 0;
    f->known = false;
    return ftruncate(f->fd, (off_t)f->end);
}

int gzip_file_append(struct gzip_file *f, quire_bytes bytes)
{
    struct buf out = BUF_INIT(CEILING);
    int rc = walk_all(f);

    if (rc == 0 && !f->packer && !(f->packer = gzip_packer_new()))
        rc = fail(ENOMEM);
    if (rc == 0) {
        gzip_blocks_add(f->packer, bytes, f->size, &out);
        gzip_blocks_end(f->size + bytes.len, &out);
        rc = out.failed ? fail(ENOMEM) : cut_rest(f);
    }
    if (rc == 0)
        rc = write_end(f, &out);
    buf_release(&out);
    return rc;
}

int gzip_file_cut(struct gzip_file *f, uint64_t size)
{
    struct buf out = BUF_INIT(CEILING);
    int rc = walk_all(f);
    size_t i, rest = 0;

    if (rc < 0 || size >= f->size)
        return rc;
    i = block_of(f, size);
    rest = (size_t)(size - f->blocks[i].offset);
    if (rest > 0 && !f->packer && !(f->packer = gzip_packer_new()))
        rc = fail(ENOMEM);
    if (rc == 0 && rest > 0)
        rc = load_block(f, i);
    if (rc == 0 && rest > 0)
        gzip_blocks_add(f->packer, bytes_of(f->content, rest), size - rest,
                        &out);
    if (rc == 0) {
        gzip_blocks_end(size, &out);
        f->end = f->blocks[i].at;
        f->walked = f->blocks[i].offset;
        f->n = i;
        f->unpacked = NONE;
        rc = out.failed ? fail(ENOMEM) : cut_rest(f);
    }
    if (rc == 0)
        rc = write_end(f, &out);
    buf_release(&out);
    return rc;
}

int gzip_file_patch(struct gzip_file *f, int fd, uint64_t offset,
                    quire_bytes bytes)
{
    size_t n, at;
    ssize_t done;

    if (look_now(f) < 0 || (f->walked == 0 && walk(f) < 0))
        return -1;
    if (f->n == 0 || offset + bytes.len > block_end(f, 0))
        return fail(EINVAL);
    if (load_block(f, 0) < 0)
        return -1;
    if (f->member[GZIP_HEAD] != 1) /* one stored piece */
        return fail(EINVAL);
    n = (size_t)block_end(f, 0);
    at = GZIP_STORED_AT + (size_t)offset;
    memcpy(f->member + at, bytes.data, bytes.len);
    gzip_tail(bytes_of(f->member + GZIP_STORED_AT, n),
              f->member + GZIP_STORED_AT + n);
    n = GZIP_STORED_AT + n + GZIP_TAIL - at;
    f->unpacked = NONE;
    while (n > 0) {
        done = pwrite(fd, f->member + at, n, (off_t)at);
        if (done < 0 && errno != EINTR)
            return -1;
        if (done > 0) {
            at += (size_t)done;
            n -= (size_t)done;
        }
    }
    return 0;
}

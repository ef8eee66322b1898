/* content.c - see content.h */
#include "purge/content.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/zstd.h"

enum { FORM_UNKNOWN, FORM_PLAIN, FORM_GZIP, FORM_ZSTD };

enum { PIECE = 256 << 10 };

/* What one compressed file may hold: a bomb is not unpacked further. */
#define INSIDE_MAX ((uint64_t)16 << 30)

void content_init(struct content *c, const struct values *values,
                  quire_write_fn write, void *ctx)
{
    memset(c, 0, sizeof *c);
    c->values = values;
    c->fd = -1;
    c->out = (struct buf)BUF_INIT(PIECE);
    masker_init(&c->bytes, values, write, ctx);
    masker_init(&c->inside, values, NULL, NULL);
}

void content_release(struct content *c)
{
    if (c->form == FORM_GZIP)
        inflateEnd(&c->z);
    if (c->fd >= 0)
        close(c->fd);
    buf_release(&c->out);
    masker_release(&c->bytes);
    masker_release(&c->inside);
}

/* ---- inside ----------------------------------------------------------------- */

/* What cannot be unpacked any further is searched as it is, and no more. */
static void stop_unpacking(struct content *c)
{
    if (c->form == FORM_GZIP)
        inflateEnd(&c->z);
    c->form = FORM_PLAIN;
}

static quire_status add_gzip(struct content *c, quire_bytes bytes,
                             quire_error *err)
{
    quire_status st = QUIRE_OK;
    int rc = Z_OK;

    c->z.next_in = (Bytef *)(uintptr_t)bytes.data;
    c->z.avail_in = (uInt)bytes.len;
    while (!st && c->form == FORM_GZIP && rc != Z_BUF_ERROR) {
        char *room;

        buf_clear(&c->out);
        room = buf_room(&c->out, PIECE);
        if (!room)
            return err_memory(err);
        c->z.next_out = (Bytef *)room;
        c->z.avail_out = PIECE;
        rc = inflate(&c->z, Z_NO_FLUSH);
        st = masker_add(&c->inside, bytes_of(room, PIECE - c->z.avail_out),
                        err);
        if (rc == Z_STREAM_END && c->z.avail_in > 0)
            rc = inflateReset(&c->z); /* another member */
        else if (rc == Z_STREAM_END)
            break;
        if (rc == Z_MEM_ERROR)
            return err_memory(err);
        if ((rc != Z_OK && rc != Z_BUF_ERROR) || c->z.total_out > INSIDE_MAX)
            stop_unpacking(c);
        if (c->z.avail_in == 0 && c->z.avail_out > 0)
            break;
    }
    return st;
}

static quire_status add_inside(struct content *c, quire_bytes bytes,
                               quire_error *err)
{
    /* zlib counts in 32 bits. */
    for (; bytes.len > 1 << 30 && c->form == FORM_GZIP;
         bytes = bytes_sub(bytes, 1 << 30, bytes.len)) {
        quire_status st = add_gzip(c, bytes_of(bytes.data, 1 << 30), err);

        if (st)
            return st;
    }
    if (c->form == FORM_GZIP)
        return add_gzip(c, bytes, err);
    if (c->form == FORM_ZSTD && fs_write_all(c->fd, bytes) < 0)
        return err_sys(err, errno, "cannot keep a file to decompress it");
    return QUIRE_OK;
}

/* The first four bytes are known. */
static quire_status choose_form(struct content *c, quire_error *err)
{
    c->form = FORM_PLAIN;
    if (!memcmp(c->head, "\x1f\x8b\x08", 3)) {
        memset(&c->z, 0, sizeof c->z);
        if (inflateInit2(&c->z, 15 + 16) != Z_OK)
            return err_memory(err);
        c->form = FORM_GZIP;
    } else if (!memcmp(c->head, "\x28\xb5\x2f\xfd", 4)) {
        c->fd = memfd_create("zstd", MFD_CLOEXEC);
        if (c->fd < 0)
            return err_sys(err, errno, "cannot decompress a file");
        c->form = FORM_ZSTD;
    }
    return add_inside(c, bytes_of(c->head, c->n_head), err);
}

quire_status content_add(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct content *c = ctx;
    quire_status st = masker_add(&c->bytes, bytes, err);

    while (!st && bytes.len > 0 && c->form == FORM_UNKNOWN) {
        c->head[c->n_head++] = *(const char *)bytes.data;
        bytes = bytes_sub(bytes, 1, bytes.len);
        if (c->n_head == sizeof c->head)
            st = choose_form(c, err);
    }
    return st || bytes.len == 0 || c->form == FORM_PLAIN
               ? st
               : add_inside(c, bytes, err);
}

/* zstd is decompressed when all of it is there. Damage, or a system without a library for
 * it, leaves it as it is. */
static quire_status search_zstd(struct content *c, quire_error *err)
{
    int to = memfd_create("content", MFD_CLOEXEC);
    char *piece = malloc(PIECE);
    quire_status st = QUIRE_OK;
    ssize_t n = 1;

    if (to < 0 || !piece)
        st = err_memory(err);
    else
        zstd_expand(c->fd, "a file", to, INSIDE_MAX, NULL);
    if (!st && lseek(to, 0, SEEK_SET) < 0)
        st = err_sys(err, errno, "cannot read a decompressed file");
    while (!st && (n = fs_read_full(to, piece, PIECE)) > 0)
        st = masker_add(&c->inside, bytes_of(piece, (size_t)n), err);
    if (!st && n < 0)
        st = err_sys(err, errno, "cannot read a decompressed file");
    free(piece);
    if (to >= 0)
        close(to);
    return st;
}

quire_status content_end(struct content *c, struct mask_counts *found,
                         bool *whole, quire_error *err)
{
    quire_status st = masker_end(&c->bytes, err);

    if (!st && c->form == FORM_ZSTD) {
        if (lseek(c->fd, 0, SEEK_SET) < 0)
            return err_sys(err, errno, "cannot read a compressed file");
        st = search_zstd(c, err);
    }
    if (!st)
        st = masker_end(&c->inside, err);
    found->values += c->bytes.found.values + c->inside.found.values;
    found->digests += c->bytes.found.digests;
    *whole = c->inside.found.values > 0;
    return st;
}

quire_status content_replace(uint64_t size, quire_write_fn write, void *ctx,
                             quire_error *err)
{
    static const char text[] = "[purged]";
    char fill[4096];
    quire_status st = QUIRE_OK;

    memset(fill, '*', sizeof fill);
    if (size >= sizeof text - 1) {
        st = write(ctx, bytes_str(text), err);
        size -= sizeof text - 1;
    }
    while (!st && size > 0) {
        size_t now = size < sizeof fill ? (size_t)size : sizeof fill;

        st = write(ctx, bytes_of(fill, now), err);
        size -= now;
    }
    return st;
}

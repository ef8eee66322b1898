/*
 * get.c - read content and verify it
 *
 * Small content is unpacked whole and hashed before the caller sees it. Large
 * content is streamed and hashed on the way; damage is reported after the last
 * piece.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "blob/priv.h"

quire_status blob_damaged(struct blobs *b, const quire_digest *d,
                          const struct blob_location *p, enum damage damage,
                          quire_error *err)
{
    char name[NAME_BYTES];
    static const char hint[] = HINT_SHELL
        "if you have the content, put it again, into the same store, with "
        "`quire blob put --verify FILE`";

    trust_set(b, d, TRUST_DAMAGED); /* the next put writes it again */
    if (p->where == IN_ROW)
        return err_fail(err, QUIRE_DAMAGED, hint, "blob %s in quire.db %s",
                        digest_short(d).s, damage_message(damage));
    layout_name(b->c.layout, d, name);
    return err_fail(err, QUIRE_DAMAGED, hint, "blob %s %s (file %s/%s)",
                    digest_short(d).s, damage_message(damage),
                    object_place(b->c.files), name);
}

static quire_status need_unpacker(struct blobs *b, quire_error *err)
{
    if (!b->unpacker)
        b->unpacker = unpacker_new();
    return b->unpacker ? QUIRE_OK : err_memory(err);
}

/* ---- small -------------------------------------------------------------- */

/* Unpack the stored bytes to b->plain. */
static quire_status unpack(struct blobs *b, quire_bytes stored,
                           const struct blob_location *p, enum damage *damage,
                           quire_error *err)
{
    quire_status st;
    void *room;

    buf_clear(&b->plain);
    if (p->codec == CODEC_PLAIN) {
        if (p->size_known && stored.len != p->size)
            *damage = stored.len < p->size ? DAMAGE_TOO_SHORT : DAMAGE_TOO_LONG;
        buf_add(&b->plain, stored.data, stored.len);
        return buf_status(&b->plain, "a blob", err);
    }
    st = need_unpacker(b, err);
    if (st)
        return st;
    room = buf_room(&b->plain, (size_t)p->size + 1);
    if (!room)
        return buf_status(&b->plain, "a blob", err);
    *damage = unpacker_whole(b->unpacker, stored, room, (size_t)p->size);
    buf_grow(&b->plain, (size_t)p->size);
    return QUIRE_OK;
}

/* Read the stored bytes of a file to b->packed. */
static quire_status read_file(struct blobs *b, const quire_digest *d,
                              const struct blob_location *p,
                              enum damage *damage, quire_error *err)
{
    struct object_store *files = b->c.files;
    struct object_info info;
    struct object *o;
    char name[NAME_BYTES];
    quire_status st;
    size_t n = 0;
    void *room;

    layout_name(b->c.layout, d, name);
    buf_clear(&b->packed);
    st = object_open(files, name, &o, &info, err);
    if (st == QUIRE_NOT_FOUND) {
        *damage = DAMAGE_MISSING;
        return QUIRE_OK;
    }
    if (st)
        return st;
    if (info.size != p->stored) {
        *damage = info.size < p->stored ? DAMAGE_CUT : DAMAGE_TRAILING;
    } else {
        room = buf_room(&b->packed, (size_t)info.size);
        st = room ? object_read(o, 0, room, (size_t)info.size, &n, err)
                  : buf_status(&b->packed, "a blob's file", err);
        buf_grow(&b->packed, n);
    }
    object_close(o);
    return st;
}

quire_status blob_unpack(struct blobs *b, const quire_digest *d,
                         const struct blob_location *p, enum damage *damage,
                         quire_error *err)
{
    quire_bytes body;
    quire_status st;

    *damage = p->odd ? DAMAGE_ROW : DAMAGE_NONE;
    if (p->odd)
        return QUIRE_OK;
    if (p->where == IN_FILE) {
        st = read_file(b, d, p, damage, err);
        if (st || *damage)
            return st;
        return unpack(b, buf_bytes(&b->packed), p, damage, err);
    }
    if (!p->whole) {
        *damage = DAMAGE_CUT;
        return QUIRE_OK;
    }
    if (p->body.data)
        return unpack(b, p->body, p, damage, err);
    st = blob_table_body(b->rows, d, &body, err);
    if (st == QUIRE_NOT_FOUND) {
        *damage = DAMAGE_CUT;
        return QUIRE_OK;
    }
    if (st)
        return st;
    st = unpack(b, body, p, damage, err);
    blob_table_done(b->rows);
    return st;
}

/* Read content that fits into memory to b->plain, verified. */
static quire_status get_whole(struct blobs *b, const quire_digest *d,
                              const struct blob_location *p, quire_error *err)
{
    enum damage damage;
    quire_digest actual;
    quire_status st = blob_unpack(b, d, p, &damage, err);

    if (st)
        return st;
    if (!damage) {
        hash_bytes(buf_bytes(&b->plain), &actual);
        if (digest_equal(&actual, d))
            return QUIRE_OK;
        damage = DAMAGE_CONTENT;
    }
    return blob_damaged(b, d, p, damage, err);
}

/* ---- large -------------------------------------------------------------- */

/* One pass over a file. */
struct reading {
    struct object *object;
    uint64_t at;         /* position in the file */
    uint64_t content_at; /* bytes of content so far */
    uint64_t from, to;   /* the range that the caller asked for */
    quire_write_fn write;
    void *ctx;
    struct hash hash;
};

/* Write the part of a piece that is in the range. */
static quire_status emit_range(struct reading *r, quire_bytes piece,
                               quire_error *err)
{
    uint64_t start = r->content_at, end = start + piece.len;
    uint64_t from = start > r->from ? start : r->from;
    uint64_t to = end < r->to ? end : r->to;

    hash_add(&r->hash, piece);
    r->content_at = end;
    if (!r->write || from >= to)
        return QUIRE_OK;
    return r->write(r->ctx,
                    bytes_sub(piece, (size_t)(from - start),
                              (size_t)(to - start)),
                    err);
}

static quire_status next_piece(struct blobs *b, struct reading *r,
                               quire_bytes *out, quire_error *err)
{
    quire_status st;
    size_t n = 0;
    void *room;

    buf_clear(&b->packed);
    room = buf_room(&b->packed, PIECE_BYTES);
    if (!room)
        return buf_status(&b->packed, "a piece of a blob", err);
    st = object_read(r->object, r->at, room, PIECE_BYTES, &n, err);
    r->at += n;
    *out = bytes_of(room, n);
    return st;
}

static quire_status read_plain(struct blobs *b, struct reading *r,
                               quire_error *err)
{
    quire_bytes piece = {NULL, 1};
    quire_status st = QUIRE_OK;

    /* A raw file can be read from any offset; only a full read is hashed. */
    if (r->from > 0) {
        r->at = r->from;
        r->content_at = r->from;
    }
    while (!st && piece.len > 0 && r->content_at < r->to) {
        st = next_piece(b, r, &piece, err);
        if (!st)
            st = emit_range(r, piece, err);
    }
    return st;
}

/* Emit everything that one piece of packed input unpacks to. */
static quire_status emit_unpacked(struct blobs *b, struct reading *r,
                                  enum damage *damage, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t n;
    void *room;

    buf_clear(&b->plain);
    room = buf_room(&b->plain, PIECE_BYTES);
    if (!room)
        return buf_status(&b->plain, "a piece of a blob", err);
    do {
        *damage = unpacker_take(b->unpacker, room, PIECE_BYTES, &n);
        if (!*damage || *damage == DAMAGE_TRAILING)
            st = emit_range(r, bytes_of(room, n), err);
    } while (!st && !*damage && n > 0);
    return st;
}

static quire_status read_gzip(struct blobs *b, const struct blob_location *p,
                              struct reading *r, enum damage *damage,
                              quire_error *err)
{
    quire_bytes piece = {NULL, 1};
    quire_status st = need_unpacker(b, err);

    if (st)
        return st;
    unpacker_begin(b->unpacker, p->size_known ? p->size : UINT64_MAX);
    while (!st && !*damage && piece.len > 0 && r->content_at < r->to) {
        st = next_piece(b, r, &piece, err);
        if (st)
            break;
        if (piece.len == 0) {
            *damage = unpacker_end(b->unpacker);
            break;
        }
        unpacker_feed(b->unpacker, piece);
        st = emit_unpacked(b, r, damage, err);
    }
    if (!st && !*damage && piece.len == 0 && p->size_known &&
        r->content_at < p->size)
        *damage = DAMAGE_TOO_SHORT;
    return st;
}

static quire_status stream_file(struct blobs *b, const quire_digest *d,
                                const struct blob_location *p,
                                struct reading *r, enum damage *damage,
                                quire_error *err)
{
    struct object_store *files = b->c.files;
    bool all = r->from == 0 && r->to == UINT64_MAX;
    struct object_info info;
    quire_digest actual;
    char name[NAME_BYTES];
    quire_status st;

    layout_name(b->c.layout, d, name);
    st = object_open(files, name, &r->object, &info, err);
    if (st == QUIRE_NOT_FOUND) {
        *damage = DAMAGE_MISSING;
        return QUIRE_OK;
    }
    if (st)
        return st;
    if (info.size != p->stored)
        *damage = info.size < p->stored ? DAMAGE_CUT : DAMAGE_TRAILING;
    else if (p->codec == CODEC_PLAIN)
        st = read_plain(b, r, err);
    else
        st = read_gzip(b, p, r, damage, err);
    object_close(r->object);
    if (!st && !*damage && all) {
        hash_end(&r->hash, &actual);
        if (!digest_equal(&actual, d))
            *damage = DAMAGE_CONTENT;
    }
    return st;
}

quire_status blob_stream(struct blobs *b, const quire_digest *d,
                         const struct blob_location *p, uint64_t from,
                         uint64_t to, quire_write_fn write, void *ctx,
                         enum damage *damage, quire_error *err)
{
    struct reading r = {.from = from, .to = to, .write = write, .ctx = ctx};
    quire_digest actual;
    quire_status st;

    *damage = p->odd ? DAMAGE_ROW : DAMAGE_NONE;
    if (p->odd)
        return QUIRE_OK;
    hash_init(&r.hash);
    if (p->where == IN_FILE) {
        st = stream_file(b, d, p, &r, damage, err);
    } else {
        st = blob_unpack(b, d, p, damage, err);
        if (st || *damage)
            return st;
        hash_bytes(buf_bytes(&b->plain), &actual);
        if (!digest_equal(&actual, d))
            *damage = DAMAGE_CONTENT;
        else
            st = emit_range(&r, buf_bytes(&b->plain), err);
    }
    if (!st && !*damage && from > r.content_at)
        st = err_set(err, QUIRE_INVALID,
                     "blob %s has %llu bytes: byte %llu is past its end",
                     digest_short(d).s, (unsigned long long)r.content_at,
                     (unsigned long long)from);
    return st;
}

/* ---- public functions --------------------------------------------------- */

static quire_status append_piece(void *ctx, quire_bytes bytes, quire_error *err)
{
    buf_add(ctx, bytes.data, bytes.len);
    return buf_status(ctx, "a blob", err);
}

/* Read a file of unknown size piece by piece. */
static quire_status get_unsized(struct blobs *b, const quire_digest *d,
                                const struct blob_location *p, quire_error *err)
{
    struct buf whole = BUF_INIT((size_t)GET_BYTES);
    enum damage damage;
    quire_status st = blob_stream(b, d, p, 0, UINT64_MAX, append_piece, &whole,
                                  &damage, err);

    if (!st && damage)
        st = blob_damaged(b, d, p, damage, err);
    if (!st) {
        struct buf was = b->plain;

        b->plain = whole;
        b->plain.max = was.max;
        whole = was;
    }
    buf_release(&whole);
    return st;
}

quire_status blob_get(struct blob_view v, const quire_digest *digest,
                      quire_bytes *out, quire_error *err)
{
    struct blobs *b = v.store;
    struct blob_location p;
    quire_status st = blob_find_for_tenant(v, digest, &p, err);

    if (st)
        return st;
    if (p.size_known && p.size > GET_BYTES) {
        st = err_fail(err, QUIRE_NO_MEMORY, "read it as a stream",
                      "blob %s has %llu bytes, too many to hold in memory",
                      digest_short(digest).s, (unsigned long long)p.size);
        return st;
    }
    st = p.size_known ? get_whole(b, digest, &p, err)
                      : get_unsized(b, digest, &p, err);
    if (!st)
        *out = buf_bytes(&b->plain);
    return st;
}

static quire_status report_out_of_range(const quire_digest *d,
                                        const struct blob_location *p,
                                        uint64_t from, uint64_t to,
                                        quire_error *err)
{
    if (from > to)
        return err_set(err, QUIRE_INVALID,
                       "the range begins at byte %llu and ends before it",
                       (unsigned long long)from);
    return err_set(err, QUIRE_INVALID,
                   "blob %s has %llu bytes: byte %llu is past its end",
                   digest_short(d).s, (unsigned long long)p->size,
                   (unsigned long long)from);
}

quire_status blob_get_joined(struct blobs *b, const quire_digest *digest,
                             struct stmt *s, int first_column, bool *has,
                             quire_bytes *out, quire_error *err)
{
    struct blob_location p;
    quire_status st;

    *has = !stmt_column_null(s, first_column) &&
           stmt_column_int(s, first_column + 3) == 0;
    if (!*has)
        return QUIRE_OK;
    blob_table_read_joined(s, first_column, &p);
    st = get_whole(b, digest, &p, err);
    *out = buf_bytes(&b->plain);
    return st;
}

quire_status blob_read(struct blob_view v, const quire_digest *digest,
                       uint64_t from, uint64_t to, quire_write_fn write,
                       void *ctx, quire_error *err)
{
    struct blobs *b = v.store;
    enum damage damage;
    struct blob_location p;
    quire_bytes all;
    quire_status st = blob_find_for_tenant(v, digest, &p, err);

    if (st)
        return st;
    if (from > to || (p.size_known && from > p.size))
        return report_out_of_range(digest, &p, from, to, err);
    if (p.size_known && p.size <= SMALL_BYTES) {
        st = get_whole(b, digest, &p, err);
        if (st)
            return st;
        all = buf_bytes(&b->plain);
        if (to > all.len)
            to = all.len;
        if (from == to)
            return QUIRE_OK;
        return write(ctx, bytes_sub(all, (size_t)from, (size_t)to), err);
    }
    if (p.size_known && to >= p.size)
        to = UINT64_MAX;
    st = blob_stream(b, digest, &p, from, to, write, ctx, &damage, err);
    return st || !damage ? st : blob_damaged(b, digest, &p, damage, err);
}

/* Count the content of a file that does not record its size, up to one byte
 * more than `limit`; then the size is UINT64_MAX. */
static quire_status count_content(struct blobs *b, const quire_digest *d,
                                  struct blob_location *p, uint64_t limit,
                                  enum damage *damage, quire_error *err)
{
    struct blob_location bounded = *p;
    struct reading r = {.to = UINT64_MAX};
    quire_status st;

    hash_init(&r.hash);
    bounded.size = limit;
    bounded.size_known = limit != UINT64_MAX;
    st = stream_file(b, d, &bounded, &r, damage, err);
    p->size = *damage == DAMAGE_TOO_LONG ? UINT64_MAX : r.content_at;
    p->size_known = true;
    if (*damage == DAMAGE_TOO_LONG || *damage == DAMAGE_TOO_SHORT)
        *damage = DAMAGE_NONE;
    return st;
}

quire_status blob_stat(struct blob_view v, const quire_digest *digest,
                       quire_blob_info *info, quire_error *err)
{
    return blob_stat_within(v, digest, UINT64_MAX, info, err);
}

quire_status blob_stat_within(struct blob_view v, const quire_digest *digest,
                              uint64_t limit, quire_blob_info *info,
                              quire_error *err)
{
    struct blobs *b = v.store;
    enum damage damage = DAMAGE_NONE;
    struct blob_location p;
    quire_status st = blob_find_for_tenant(v, digest, &p, err);

    if (st)
        return st;
    if (p.odd)
        return blob_damaged(b, digest, &p, DAMAGE_ROW, err);
    /* A gzip file that could hold more than 2^32 bytes does not record its
     * size: it has to be counted. */
    if (!p.size_known)
        st = count_content(b, digest, &p, limit, &damage, err);
    if (st)
        return st;
    if (damage)
        return blob_damaged(b, digest, &p, damage, err);
    blob_describe(digest, &p, info);
    return QUIRE_OK;
}

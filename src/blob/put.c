/*
 * put.c - store content once
 *
 * Content is hashed first. If a blob with that name exists, the tenant has put it
 * before and it has the right size, it is marked as seen and not written. Otherwise the content is packed
 * and written, over a damaged copy if there is one. A caller that gives up its
 * own copy (QUIRE_PUT_MOVE) has the stored one verified before.
 *
 * Content of up to a mebibyte is handled in memory. More is a stream: packed
 * into an unnamed file while it is hashed, and published under its name at the
 * end, or discarded if the name exists.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "blob/priv.h"

/* Digest and size of content, and the tenant it is stored for (0: none). */
struct identity {
    quire_digest digest;
    uint64_t size;
    int64_t tenant;
    bool absent; /* the open transaction has seen that there is no row */
};

/* ---- critical sections -------------------------------------------------- */

static quire_status begin_rows(struct blobs *b, enum db_begin mode,
                               quire_error *err)
{
    if (!b->batch)
        return db_begin(b->c.db, mode, DB_ALL_TENANTS, err);
    /* Outside a transaction each row would be committed by itself. */
    if (db_inside(b->c.db))
        return QUIRE_OK;
    return err_set(err, QUIRE_IO,
                   "the transaction was lost with an earlier failure");
}

/* A batch with half-written rows cannot be committed. */
static quire_status end_rows(struct blobs *b, quire_status st, quire_error *err)
{
    if (b->batch) {
        if (st && st != QUIRE_NOT_FOUND)
            b->failed = true;
        return st;
    }
    return sql_end(b->c.db, st, err);
}

/* Add the row of the blob, or replace it, and add that of its tenant. */
static quire_status add_row(struct blobs *b, const struct identity *id,
                            const struct blob_location *p,
                            const quire_bytes *body, quire_error *err)
{
    bool exists = false;
    quire_status st = id->absent ? QUIRE_OK
                                 : blob_table_has(b->rows, &id->digest,
                                                  id->tenant, &exists, err);

    if (!st)
        st = blob_table_add(b->rows, &id->digest, p, exists, body, err);
    return st ? st : blob_grant(b, &id->digest, id->tenant, err);
}

/* ---- content that exists ------------------------------------------------ */

/* Read the stored blob whole. Its size is known, and bounds the reading. */
static quire_status verify_stored(struct blobs *b, const struct identity *id,
                                  const struct blob_location *p, bool *whole,
                                  quire_error *err)
{
    struct blob_location sized = *p;
    quire_error why = {.what = ""};
    enum damage damage = DAMAGE_NONE;
    quire_status st = QUIRE_OK;

    if (p->size_known && p->size != id->size)
        damage = DAMAGE_CONTENT;
    sized.size = id->size;
    sized.size_known = true;
    if (!damage)
        st = blob_stream(b, &id->digest, &sized, 0, UINT64_MAX, NULL, NULL,
                         &damage, &why);
    *whole = !st && damage == DAMAGE_NONE;
    if (!st)
        trust_set(b, &id->digest, *whole ? TRUST_VERIFIED : TRUST_DAMAGED);
    /* A copy that cannot be read is replaced. */
    if (st == QUIRE_IO)
        return QUIRE_OK;
    if (st && err)
        *err = why;
    return st;
}

/* A file with a row: its length, and that it begins as gzip does. */
static quire_status check_file_of_row(struct blobs *b,
                                      const struct identity *id,
                                      const struct blob_location *p,
                                      bool *whole, quire_error *err)
{
    uint8_t head[GZIP_HEADER_BYTES];
    struct object_info info;
    struct object *o;
    char name[NAME_BYTES];
    size_t n = 0;
    quire_status st;

    layout_name(b->c.layout, &id->digest, name);
    st = object_open(b->c.files, name, &o, &info, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    *whole = info.size == p->stored;
    if (*whole && p->codec == CODEC_GZIP) {
        st = object_read(o, 0, head, sizeof head, &n, err);
        *whole = !st && n == sizeof head && gzip_head_read(head);
    }
    object_close(o);
    return st;
}

/* Whether the stored blob can be the content `id`, judged by its size and, of
 * a file, its first bytes: that detects what a crash of another program left.
 * A closer check costs as much as the hash: it is made when the caller asks for
 * it, and, once a store and blob, when the caller gives up its own copy. */
static quire_status check_stored_blob(struct blobs *b,
                                      const struct identity *id,
                                      const struct blob_location *p,
                                      unsigned flags, bool *whole,
                                      quire_error *err)
{
    enum trust trust = trust_get(b, &id->digest);

    *whole = false;
    if (p->odd || (trust == TRUST_DAMAGED && !(flags & QUIRE_PUT_VERIFY)))
        return QUIRE_OK;
    if (flags & QUIRE_PUT_VERIFY ||
        (flags & QUIRE_PUT_MOVE && trust != TRUST_VERIFIED))
        return verify_stored(b, id, p, whole, err);
    if (p->has_row && p->size != id->size)
        return QUIRE_OK;
    if (p->where == IN_ROW) {
        *whole = p->whole;
        return QUIRE_OK;
    }
    if (!p->has_row) {
        *whole = p->codec == CODEC_PLAIN
                     ? p->stored == id->size
                     : p->ends_read && p->ends.size_low == (uint32_t)id->size &&
                           (!p->size_known || p->size == id->size);
        return QUIRE_OK;
    }
    return check_file_of_row(b, id, p, whole, err);
}

/* Mark as seen. QUIRE_NOT_FOUND: collected since it was found. */
static quire_status mark_seen(struct blobs *b, const struct identity *id,
                              struct blob_location *p, struct object *open,
                              quire_error *err)
{
    int64_t now_s = clock_s(b->c.clock);
    quire_status st;

    /* Its writer may not have synced it. A batch syncs at its end. */
    assert(p->has_row || open);
    st = !p->has_row                               ? object_sync(open, err)
         : !b->batch && !b->group && !b->c.relaxed ? db_settle(b->c.db, err)
                                                   : QUIRE_OK;
    if (st)
        return st;
    /* A collection spares what was seen in the same second anyway. After the
     * clock was set back, the row is updated. */
    if (p->seen_s == now_s)
        return QUIRE_OK;
    now_s = p->seen_s = now_s > p->seen_s ? now_s : p->seen_s + 1;
    if (!p->has_row)
        return object_touch(open, now_s, err);
    st = begin_rows(b, DB_SOON, err);
    return st ? st
              : end_rows(b, blob_table_seen(b->rows, &id->digest, now_s, err),
                         err);
}

/* Add the row of a file that a crash left without one, once the file is
 * durable. */
static quire_status add_missing_row(struct blobs *b, const struct identity *id,
                                    struct blob_location *p,
                                    struct object *open, quire_error *err)
{
    quire_status st;

    assert(open);
    p->seen_s = clock_s(b->c.clock);
    st = object_sync(open, err);
    /* A collection that saw the file before its row goes by the file's time. */
    if (!st)
        st = object_touch(open, p->seen_s, err);
    if (!st)
        st = begin_rows(b, DB_DURABLE, err);
    if (st)
        return st;
    p->size = id->size;
    p->size_known = true;
    return end_rows(b, add_row(b, id, p, NULL, err), err);
}

/* *done: the blob exists for the tenant, is whole, and is marked. What only other
 * tenants have is absent, and written again: neither the answer nor its time
 * reveals it. */
static quire_status accept_present(struct blobs *b, struct identity *id,
                                   unsigned flags, quire_blob_info *info,
                                   bool *done, quire_error *err)
{
    struct blob_view v = {b, id->tenant};
    struct object *open;
    struct blob_location p;
    bool whole = false, had;
    quire_status st = tenant_can_read(v, &id->digest, &had, err);

    *done = false;
    if (st || !had)
        return st;
    st = blob_find_open(v, &id->digest, &p, &open, err);
    /* Rely on a file only under the lock, and then check it again. */
    if (!st && open && !b->locked) {
        object_close(open);
        open = NULL;
        st = blobs_lock(b, err);
        if (!st)
            st = blob_find_open(v, &id->digest, &p, &open, err);
    }
    id->absent = b->batch && (st == QUIRE_NOT_FOUND || (!st && !p.has_row));
    if (!st)
        st = check_stored_blob(b, id, &p, flags, &whole, err);
    if (!st && whole) {
        st = b->rows && !p.has_row ? add_missing_row(b, id, &p, open, err)
                                   : mark_seen(b, id, &p, open, err);
        *done = !st;
    }
    if (open)
        object_close(open);
    if (*done) {
        p.size = id->size;
        p.size_known = true;
        blob_describe(&id->digest, &p, info);
        info->existed = true;
    }
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status blob_freshen(struct blobs *b, const quire_digest *d,
                          quire_error *err)
{
    struct identity id = {.digest = *d};
    struct object *open = NULL;
    struct blob_location p;
    quire_status st = blobs_lock(b, err);

    if (!st)
        st = blob_find_open(blob_view_all(b), d, &p, &open, err);
    if (!st)
        st = mark_seen(b, &id, &p, open, err);
    if (open)
        object_close(open);
    blobs_unlock(b);
    return st;
}

/* ---- new content -------------------------------------------------------- */

static quire_status need_packer(struct blobs *b, quire_error *err)
{
    if (!b->packer)
        b->packer = packer_new(
            b->c.layout == QUIRE_LAYOUT_PACKED ? PACK_FAST : PACK_STABLE);
    return b->packer ? QUIRE_OK : err_memory(err);
}

static quire_status store_row(struct blobs *b, const struct identity *id,
                              struct blob_location *p, const quire_bytes *body,
                              quire_error *err)
{
    quire_status st;

    if (!b->rows)
        return QUIRE_OK;
    st = begin_rows(b, DB_DURABLE, err);
    return st ? st : end_rows(b, add_row(b, id, p, body, err), err);
}

/* Publish a finished draft, which is consumed, and record it. */
static quire_status store_draft(struct blobs *b, const struct identity *id,
                                struct draft *draft, struct blob_location *p,
                                quire_error *err)
{
    char name[NAME_BYTES];
    quire_status st;

    layout_name(b->c.layout, &id->digest, name);
    /* Replacing is harmless: another copy has the same content, or is damaged.
     */
    st = object_publish(draft, name, true, err);
    return st ? st : store_row(b, id, p, NULL, err);
}

static quire_status store_file(struct blobs *b, const struct identity *id,
                               quire_bytes stored, struct blob_location *p,
                               quire_error *err)
{
    struct object_store *files = b->c.files;
    struct draft *draft;
    quire_status st = object_create(files, &draft, err);

    if (st)
        return st;
    st = object_write(draft, stored, err);
    if (st) {
        object_discard(draft);
        return st;
    }
    return store_draft(b, id, draft, p, err);
}

/* How small content is stored: packed or plain. */
static quire_status pack_small(struct blobs *b, quire_bytes content,
                               enum codec *codec, quire_bytes *stored,
                               quire_error *err)
{
    bool rows = b->rows && b->c.row_max > 0, shrank;
    size_t plain_max = rows && b->c.row_max < PLAIN_BELOW ? b->c.row_max
                                                          : PLAIN_BELOW - 1;
    quire_status st;

    *codec = CODEC_PLAIN;
    *stored = content;
    if (!layout_is_gzip(b->c.layout) || (rows && content.len <= plain_max))
        return QUIRE_OK;
    st = need_packer(b, err);
    if (st)
        return st;
    buf_clear(&b->packed);
    packer_whole(b->packer, content, &b->packed, &shrank);
    st = buf_status(&b->packed, "a packed blob", err);
    if (st)
        return st;
    /* A row is stored plain unless gzip saves 5 %. */
    if (!rows || content.len > b->c.row_max ||
        b->packed.len < content.len - content.len / 20) {
        *codec = CODEC_GZIP;
        *stored = buf_bytes(&b->packed);
    }
    return QUIRE_OK;
}

quire_status blob_pack(struct blob_view v, quire_bytes content,
                       const quire_digest *digest, struct buf *out,
                       struct blob_packed *p, quire_error *err)
{
    struct blobs *b = v.store;
    quire_bytes stored;
    enum codec codec;
    bool has = false;
    quire_status st = QUIRE_OK;

    *p = (struct blob_packed){.at = out->len};
    if (content.len > SMALL_BYTES)
        return QUIRE_OK;
    if (b->rows)
        st = blob_table_has(b->rows, digest, v.tenant, &has, err);
    if (st || has)
        return st;
    st = pack_small(b, content, &codec, &stored, err);
    if (st)
        return st;
    p->is_packed = true;
    p->gzip = codec == CODEC_GZIP;
    if (p->gzip) {
        buf_add(out, stored.data, stored.len);
        p->len = stored.len;
    }
    return buf_status(out, "packed blobs", err);
}

static void describe_written(struct blobs *b, const struct identity *id,
                             const struct blob_location *p,
                             quire_blob_info *info)
{
    trust_set(b, &id->digest, TRUST_VERIFIED);
    blob_describe(&id->digest, p, info);
}

/* `packed` NULL: pack it. */
static quire_status put_small(struct blobs *b, const struct identity *id,
                              quire_bytes content,
                              const struct blob_packed *packed,
                              quire_bytes stored, quire_blob_info *info,
                              quire_error *err)
{
    struct blob_location p = {.size = id->size, .size_known = true};
    bool rows = b->rows && b->c.row_max > 0;
    quire_status st = QUIRE_OK;

    if (!packed)
        st = pack_small(b, content, &p.codec, &stored, err);
    else if (packed->gzip)
        p.codec = CODEC_GZIP;
    else
        stored = content;
    if (st)
        return st;
    p.stored = stored.len;
    p.where = rows && stored.len <= b->c.row_max ? IN_ROW : IN_FILE;
    p.seen_s = clock_s(b->c.clock);
    if (p.where == IN_ROW) {
        st = store_row(b, id, &p, &stored, err);
    } else {
        st = blobs_lock(b, err);
        if (!st)
            st = store_file(b, id, stored, &p, err);
    }
    if (!st)
        describe_written(b, id, &p, info);
    return st;
}

/* ---- large content ------------------------------------------------------ */

/* Destination of the packed bytes of a stream. */
struct drain {
    struct draft *draft;
    uint64_t stored;
};

static quire_status drain_write(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct drain *d = ctx;

    d->stored += bytes.len;
    return object_write(d->draft, bytes, err);
}

static quire_status begin_packing(struct blobs *b, quire_bytes first,
                                  struct drain *drain, quire_error *err)
{
    quire_status st = need_packer(b, err);

    if (first.len > CODEC_PROBE_BYTES)
        first.len = CODEC_PROBE_BYTES;
    return st ? st : packer_begin(b->packer, first, drain_write, drain, err);
}

/* Publish the drained stream, unless `st` is an error. The draft is consumed
 * either way. The caller holds the lock of the files. */
static quire_status finish_large(struct blobs *b, const struct identity *id,
                                 struct drain *drain, quire_status st,
                                 quire_blob_info *info, quire_error *err)
{
    struct blob_location p = {
        .where = IN_FILE,
        .size = id->size,
        .size_known = true,
        .stored = drain->stored,
        .codec = layout_is_gzip(b->c.layout) ? CODEC_GZIP : CODEC_PLAIN,
        .seen_s = clock_s(b->c.clock),
    };

    if (st) {
        object_discard(drain->draft);
        return st;
    }
    st = store_draft(b, id, drain->draft, &p, err);
    if (!st)
        describe_written(b, id, &p, info);
    return st;
}

/* Content in memory that is too large to be packed in memory. */
static quire_status put_large(struct blobs *b, const struct identity *id,
                              quire_bytes content, quire_blob_info *info,
                              quire_error *err)
{
    struct object_store *files = b->c.files;
    struct drain drain = {0};
    quire_status st = object_create(files, &drain.draft, err);

    if (st)
        return st;
    if (layout_is_gzip(b->c.layout)) {
        st = begin_packing(b, content, &drain, err);
        if (!st)
            st = packer_add(b->packer, content, err);
        if (!st)
            st = packer_end(b->packer, err);
    } else {
        st = drain_write(&drain, content, err);
    }
    if (!st)
        st = blobs_lock(b, err);
    return finish_large(b, id, &drain, st, info, err);
}

/* The end of every put. A transaction with a failed write is rolled back. */
static quire_status finish_put(struct blobs *b, quire_status st)
{
    blobs_unlock(b);
    if (st && (b->batch || b->group))
        b->failed = true;
    return st;
}

quire_status blob_put_ask(struct blob_view v, quire_bytes content,
                          quire_digest *digest, quire_error *err)
{
    hash_bytes(content, digest);
    return v.store->rows ? blob_table_ask(v.store->rows, digest, v.tenant, err)
                         : QUIRE_OK;
}

quire_status blob_put(struct blob_view v, quire_bytes content, unsigned flags,
                      quire_blob_info *info, quire_error *err)
{
    quire_digest digest;

    hash_bytes(content, &digest);
    return blob_put_asked(v, content, &digest, flags, info, err);
}

static quire_status put_content(struct blob_view v, quire_bytes content,
                                const quire_digest *digest, unsigned flags,
                                const struct blob_packed *packed,
                                quire_bytes stored, quire_blob_info *info,
                                quire_error *err)
{
    struct blobs *b = v.store;
    struct identity id = {.digest = *digest,
                          .size = content.len,
                          .tenant = v.tenant};
    quire_blob_info ignored;
    quire_status st = QUIRE_OK;
    bool done;

    if (!info)
        info = &ignored;
    if (!b->rows)
        st = blobs_lock(b, err);
    if (!st)
        st = accept_present(b, &id, flags, info, &done, err);
    if (!st && !done)
        st = content.len > SMALL_BYTES
                 ? put_large(b, &id, content, info, err)
                 : put_small(b, &id, content, packed, stored, info, err);
    return finish_put(b, st);
}

quire_status blob_put_asked(struct blob_view v, quire_bytes content,
                            const quire_digest *digest, unsigned flags,
                            quire_blob_info *info, quire_error *err)
{
    return put_content(v, content, digest, flags, NULL, bytes_of(NULL, 0), info,
                       err);
}

quire_status blob_put_packed(struct blob_view v, quire_bytes content,
                             const quire_digest *digest,
                             const struct blob_packed *p, quire_bytes stored,
                             quire_error *err)
{
    return put_content(v, content, digest, 0, p->is_packed ? p : NULL, stored,
                       NULL, err);
}

/* ---- streams ------------------------------------------------------------ */

/* Read until `cap` bytes or the end. */
static quire_status read_full(quire_read_fn read, void *ctx, char *buf,
                              size_t cap, size_t *got, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t n = 1;

    *got = 0;
    while (!st && n > 0 && *got < cap) {
        st = read(ctx, buf + *got, cap - *got, &n, err);
        if (!st)
            *got += n;
    }
    return st;
}

/* Hash and pack the `have` bytes in `buf`, then the rest of the stream. */
static quire_status pack_stream(struct blobs *b, quire_read_fn read, void *ctx,
                                char *buf, size_t have, struct drain *drain,
                                struct identity *id, quire_error *err)
{
    bool gzip = layout_is_gzip(b->c.layout);
    struct hash hash;
    quire_status st = QUIRE_OK;

    hash_init(&hash);
    if (gzip)
        st = begin_packing(b, bytes_of(buf, have), drain, err);
    while (!st && have > 0) {
        quire_bytes piece = bytes_of(buf, have);

        hash_add(&hash, piece);
        id->size += have;
        st = gzip ? packer_add(b->packer, piece, err)
                  : drain_write(drain, piece, err);
        if (!st)
            st = read_full(read, ctx, buf, PIECE_BYTES, &have, err);
    }
    if (!st && gzip)
        st = packer_end(b->packer, err);
    hash_end(&hash, &id->digest);
    return st;
}

static quire_status put_large_stream(struct blob_view v, quire_read_fn read,
                                     void *ctx, char *buf, size_t have,
                                     unsigned flags, quire_blob_info *info,
                                     quire_error *err)
{
    struct blobs *b = v.store;
    struct object_store *files = b->c.files;
    struct identity id = {.tenant = v.tenant};
    struct drain drain = {0};
    bool done = false;
    quire_status st;

    st = object_create(files, &drain.draft, err);
    if (st)
        return st;
    st = pack_stream(b, read, ctx, buf, have, &drain, &id, err);
    if (!st)
        st = blobs_lock(b, err);
    if (!st)
        st = accept_present(b, &id, flags, info, &done, err);
    if (!done)
        return finish_large(b, &id, &drain, st, info, err);
    object_discard(drain.draft);
    return QUIRE_OK;
}

quire_status blob_put_stream(struct blob_view v, quire_read_fn read, void *ctx,
                             unsigned flags, quire_blob_info *info,
                             quire_error *err)
{
    quire_blob_info ignored;
    char *buf = malloc(SMALL_BYTES + 1);
    quire_status st;
    size_t have;

    if (!info)
        info = &ignored;
    /* One byte more than SMALL_BYTES shows that the content is large. */
    st = buf ? read_full(read, ctx, buf, SMALL_BYTES + 1, &have, err)
             : err_memory(err);
    if (!st && have <= SMALL_BYTES)
        st = blob_put(v, bytes_of(buf, have), flags, info, err);
    else if (!st)
        st = put_large_stream(v, read, ctx, buf, have, flags, info, err);
    free(buf);
    return finish_put(v.store, st);
}

/* ---- files -------------------------------------------------------------- */

struct cursor {
    int fd;
    off_t at;
};

static quire_status read_fd(void *ctx, void *buf, size_t cap, size_t *n,
                            quire_error *err)
{
    struct cursor *c = ctx;
    ssize_t got = fs_read_at(c->fd, buf, cap, c->at);

    if (got < 0)
        return err_sys(err, errno, "cannot read the file to be stored");
    c->at += got;
    *n = (size_t)got;
    return QUIRE_OK;
}

/* Hash the content of a file without storing it. */
static quire_status hash_file(int fd, struct identity *id, quire_error *err)
{
    struct cursor c = {.fd = fd};
    char *buf = malloc(PIECE_BYTES);
    struct hash hash;
    quire_status st = buf ? QUIRE_OK : err_memory(err);
    size_t n = 1;

    *id = (struct identity){0};
    hash_init(&hash);
    while (!st && n > 0) {
        st = read_fd(&c, buf, PIECE_BYTES, &n, err);
        if (st)
            break;
        hash_add(&hash, bytes_of(buf, n));
        id->size += n;
    }
    hash_end(&hash, &id->digest);
    free(buf);
    return st;
}

/* A large file is read twice: once to see whether its content exists, and if
 * not, once more to store it. If it changes between the two, what the second
 * pass read is stored, under the name of that content. */
quire_status blob_put_fd(struct blob_view v, int fd, unsigned flags,
                         quire_blob_info *info, quire_error *err)
{
    struct blobs *b = v.store;
    struct cursor c = {.fd = fd};
    quire_blob_info ignored;
    struct identity id;
    struct stat file;
    bool done = false;
    quire_status st;

    if (!info)
        info = &ignored;
    if (fstat(fd, &file) < 0)
        return finish_put(b, err_sys(err, errno,
                                     "cannot stat the file to be stored"));
    if (!S_ISREG(file.st_mode))
        return finish_put(b, err_set(err, QUIRE_INVALID, "not a regular file"));
    if ((uint64_t)file.st_size > SMALL_BYTES) {
        st = hash_file(fd, &id, err);
        id.tenant = v.tenant;
        if (!st)
            st = blobs_lock(b, err);
        if (!st)
            st = accept_present(b, &id, flags, info, &done, err);
        finish_put(b, st);
        if (st || done)
            return st;
    }
    return blob_put_stream(v, read_fd, &c, flags, info, err);
}

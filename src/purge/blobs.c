/*
 * blobs.c - blobs that have a value
 *
 * The new content is as long as the old. It is stored as a blob of its own; then whatever
 * refers to the old digest is changed; then the old blob is removed, unless something that
 * stays refers to it. A crash in between leaves both, and the next purge finds the old
 * one again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "blob/hash.h"
#include "purge/purge.h"

/* New content up to this size is put from memory. */
#define MEMORY_BYTES ((uint64_t)32 << 20)

/* ---- every blob -------------------------------------------------------------- */

struct digests {
    quire_digest *list; /* owned */
    size_t n, cap;
};

static quire_status add_name(void *ctx, const quire_blob_info *info,
                             quire_error *err)
{
    struct digests *all = ctx;

    if (all->n == all->cap) {
        size_t cap = all->cap ? 2 * all->cap : 1024;
        quire_digest *more = realloc(all->list, cap * sizeof *more);

        if (!more)
            return err_memory(err);
        all->list = more;
        all->cap = cap;
    }
    all->list[all->n++] = info->digest;
    return QUIRE_OK;
}

/* Those that were put since then. */
static quire_status list_new(struct purge *p, struct digests *out,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(p->q->catalog.db,
                                 "SELECT sha256 FROM blob WHERE seen >= ?1", &s,
                                 err);
    quire_blob_info info;
    bool row = true;

    if (st)
        return st;
    stmt_bind_int(s, 1, p->changed_ns / 1000000000);
    while (!st && !(st = stmt_step(s, &row, err)) && row)
        if (sql_digest(s, 0, &info.digest))
            st = add_name(out, &info, err);
    stmt_finalize(s);
    return st;
}

typedef quire_status (*blob_fn)(struct purge *p, const quire_digest *digest,
                                quire_error *err);

static quire_status each_blob(struct purge *p, blob_fn each, quire_error *err)
{
    struct digests all = {.n = 0};
    quire_status st = p->changed_ns
                          ? list_new(p, &all, err)
                          : blob_names(p->q->blobs, add_name, &all, err);
    size_t i;

    for (i = 0; i < all.n && !st; i++)
        st = each(p, &all.list[i], err);
    free(all.list);
    return st;
}

static quire_status read_blob(struct purge *p, const quire_digest *d,
                              quire_write_fn write, void *ctx, quire_error *err)
{
    return blob_read(blob_view_all(p->q->blobs), d, 0, UINT64_MAX, write, ctx,
                     err);
}

/* ---- finding ----------------------------------------------------------------- */

/* The new content of a blob. */
static quire_status write_new(struct purge *p, const struct purge_blob *b,
                              quire_write_fn write, void *ctx, quire_error *err)
{
    struct mask_counts found = {.values = 0};
    struct masker m;
    quire_status st;

    if (b->whole)
        return content_replace(b->size, write, ctx, err);
    masker_init(&m, p->values, write, ctx);
    st = read_blob(p, &b->old, masker_add, &m, err);
    if (!st)
        st = masker_end(&m, err);
    found = m.found;
    masker_release(&m);
    return st || found.values ? st
                              : err_set(err, QUIRE_CHANGED,
                                        "a blob changed while it was read");
}

static quire_status hash_write(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    hash_add(ctx, bytes);
    return QUIRE_OK;
}

static quire_status add_blob(struct purge *p, const struct purge_blob *b,
                             quire_error *err)
{
    struct purge_blob *one;
    quire_bytes key;
    struct hash h;
    quire_status st;
    bool *seen;

    if (p->n_blobs == p->cap_blobs) {
        size_t cap = p->cap_blobs ? 2 * p->cap_blobs : 64;
        struct purge_blob *more = realloc(p->blobs, cap * sizeof *more);

        if (!more)
            return err_memory(err);
        p->blobs = more;
        p->cap_blobs = cap;
        seen = realloc(p->seen, cap * sizeof *seen);
        if (!seen)
            return err_memory(err);
        p->seen = seen;
    }
    one = &p->blobs[p->n_blobs];
    *one = *b;
    key = arena_dup(&p->keep, bytes_of(b->old.byte, sizeof b->old.byte));
    if (!key.data || !map_put(&p->blob_map, key, p->n_blobs, NULL))
        return err_memory(err);
    p->seen[p->n_blobs++] = false;
    hash_init(&h);
    st = write_new(p, one, hash_write, &h, err);
    hash_end(&h, &one->now);
    return st ? st : values_add_digest(p->values, &one->old, &one->now, err);
}

static quire_status count_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    *(uint64_t *)ctx += bytes.len;
    return QUIRE_OK;
}

/* A blob that cannot be read cannot be searched. */
static quire_status search_blob(struct purge *p, const quire_digest *digest,
                                quire_error *err)
{
    struct purge_blob b = {.old = *digest};
    struct mask_counts found = {.values = 0};
    struct content c;
    uint64_t *again;
    quire_error why = {.what = ""};
    quire_status st;

    content_init(&c, p->values, count_bytes, &b.size);
    st = read_blob(p, digest, content_add, &c, &why);
    if (!st)
        st = content_end(&c, &found, &b.whole, &why);
    content_release(&c);
    if (st == QUIRE_DAMAGED) {
        p->report.unreadable++;
        return QUIRE_OK;
    }
    if (st == QUIRE_NOT_FOUND) /* it was collected */
        return QUIRE_OK;
    if (st && err)
        *err = why;
    b.count = found.values;
    if (st || !b.count)
        return st;
    again = map_get(&p->blob_map, bytes_of(digest->byte, sizeof digest->byte));
    if (!again)
        return add_blob(p, &b, err);
    if (!p->blobs[*again].kept)
        p->blobs[*again].done = false; /* it was put again */
    return QUIRE_OK;
}

static quire_status collect_blob(struct purge *p, const quire_digest *digest,
                                 quire_error *err)
{
    quire_status st = read_blob(p, digest, p->collect, p->collect_ctx, err);

    if (st == QUIRE_DAMAGED || st == QUIRE_NOT_FOUND)
        st = QUIRE_OK;
    return st ? st : purge_collected(p, err);
}

quire_status purge_find_blobs(struct purge *p, quire_error *err)
{
    quire_status st = each_blob(p, p->collect ? collect_blob : search_blob,
                                err);

    return st || p->collect ? st : values_ready(p->values, err);
}

quire_status purge_report_blobs(struct purge *p, quire_error *err)
{
    char where[QUIRE_REF_SIZE];
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < p->n_blobs && !st; i++) {
        const struct purge_blob *b = &p->blobs[i];

        if (b->done || (p->options->own_tenant && !b->wanted))
            continue;
        quire_ref_format(&b->old, where);
        st = purge_found(p, "blob", where, NULL, b->count,
                         b->kept && !p->options->own_tenant, err);
        p->report.blobs += !p->quiet;
    }
    return st;
}

/* ---- storing ------------------------------------------------------------------ */

static quire_status fd_write(void *ctx, quire_bytes bytes, quire_error *err)
{
    return fs_write_all(*(int *)ctx, bytes) < 0
               ? err_sys(err, errno, "cannot write the new content of a blob")
               : QUIRE_OK;
}

/* By way of a file without a name. */
static quire_status put_large(struct purge *p, const struct purge_blob *b,
                              quire_blob_info *info, quire_error *err)
{
    struct fs_temp temp = FS_TEMP_INIT;
    quire_status st = QUIRE_OK;

    if (fs_temp_open(&temp, p->dir) < 0)
        return err_sys(err, errno, "cannot create a file in %s", p->q->home);
    st = write_new(p, b, fd_write, &temp.fd, err);
    if (!st && lseek(temp.fd, 0, SEEK_SET) < 0)
        st = err_sys(err, errno, "cannot read the new content of a blob");
    if (!st)
        st = blob_put_fd(blob_view_all(p->q->blobs), temp.fd, 0, info, err);
    fs_temp_release(&temp);
    return st;
}

static quire_status put_small(struct purge *p, const struct purge_blob *b,
                              quire_blob_info *info, quire_error *err)
{
    struct buf content = BUF_INIT(MEMORY_BYTES + 1);
    quire_status st = write_new(p, b, buf_write, &content, err);

    if (!st)
        st = buf_status(&content, "the new content of a blob", err);
    if (!st)
        st = blob_put(blob_view_all(p->q->blobs), buf_bytes(&content), 0, info,
                      err);
    buf_release(&content);
    return st;
}

/* Who could read the old content can read the new. */
static quire_status copy_access(struct purge *p, const struct purge_blob *b,
                                quire_error *err)
{
    static const char sql[] =
        "INSERT INTO blob_tenant(sha256, tenant) SELECT b.sha256, t.tenant"
        " FROM blob_tenant t JOIN blob b ON b.sha256 = ?2 WHERE t.sha256 = ?1"
        " ON CONFLICT DO NOTHING";
    struct stmt *s;
    quire_status st = db_prepare(p->q->catalog.db, sql, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_of(b->old.byte, sizeof b->old.byte));
    stmt_bind_bytes(s, 2, bytes_of(b->now.byte, sizeof b->now.byte));
    st = sql_commit(p->q->catalog.db, DB_DURABLE, DB_ALL_TENANTS, s, err);
    stmt_finalize(s);
    return st;
}

quire_status purge_put_blobs(struct purge *p, quire_error *err)
{
    quire_status st = QUIRE_OK;
    quire_blob_info info;
    size_t i;

    for (i = 0; i < p->n_blobs && !st; i++) {
        const struct purge_blob *b = &p->blobs[i];

        if (b->done || (p->options->own_tenant && !b->wanted))
            continue;
        st = b->size <= MEMORY_BYTES ? put_small(p, b, &info, err)
                                     : put_large(p, b, &info, err);
        if (!st && !digest_equal(&info.digest, &b->now))
            st = err_set(err, QUIRE_CHANGED,
                         "a blob changed while it was read");
        if (!st)
            st = copy_access(p, b, err);
    }
    return st;
}

quire_status purge_remove_blobs(struct purge *p, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < p->n_blobs && !st; i++) {
        struct purge_blob *b = &p->blobs[i];

        if (b->done || (p->options->own_tenant && !b->wanted))
            continue;
        if (!b->kept)
            st = blob_remove(p->q->blobs, &b->old, err);
        b->done = !st;
    }
    return st;
}

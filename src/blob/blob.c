/* blob.c - find and list blobs, transactions; see put.c and get.c for the rest
 */
#include "blob/blob.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "blob/priv.h"

/* Two mebibytes more than any stored form of GET_BYTES. */
#define SCRATCH_MAX ((size_t)GET_BYTES + ((size_t)2 << 20))

#define SCRATCH_KEEP ((size_t)16 << 20)

quire_status blobs_new(const struct blobs_config *config, struct blobs **out,
                       quire_error *err)
{
    struct blobs *b = calloc(1, sizeof *b);
    quire_status st = QUIRE_OK;

    if (!b)
        return err_memory(err);
    b->c = *config;
    if (!b->c.holds)
        b->c.holds = &b->own_holds;
    b->locked = *b->c.holds > 0;
    b->packed = (struct buf)BUF_INIT(SCRATCH_MAX);
    b->plain = (struct buf)BUF_INIT(SCRATCH_MAX);
    if (config->db)
        st = blob_table_new(config->db, &b->rows, err);
    if (st)
        blobs_free(b);
    else
        *out = b;
    return st;
}

void blobs_free(struct blobs *b)
{
    bool kept;

    if (!b)
        return;
    blobs_rollback(b);
    if (b->group)
        blobs_close_group(b, false, &kept, NULL);
    blob_table_free(b->rows);
    packer_free(b->packer);
    unpacker_free(b->unpacker);
    buf_release(&b->packed);
    buf_release(&b->plain);
    free(b->trust);
    free(b);
}

/* ---- lock of the files -------------------------------------------------- */

quire_status blobs_lock(struct blobs *b, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (!b->locked)
        st = lease_lock(b->c.leases, LEASE_SHARED, b->c.busy_ms, err);
    b->locked = !st;
    return st;
}

void blobs_unlock(struct blobs *b)
{
    if (b->batch || *b->c.holds || !b->locked)
        return;
    lease_lock(b->c.leases, LEASE_UNLOCK, 0, NULL);
    b->locked = false;
}

quire_status blobs_hold_lock(struct blobs *b, quire_error *err)
{
    quire_status st = blobs_lock(b, err);

    if (!st)
        ++*b->c.holds;
    return st;
}

quire_status blobs_hold(struct blobs *b, quire_error *err)
{
    quire_status st = blobs_hold_lock(b, err);

    if (st)
        return st;
    /* A running collection must mark again, even if this process crashes after
     * it has written a reference: so the generation is raised first. */
    lease_touch_gen(b->c.leases);
    return QUIRE_OK;
}

void blobs_release(struct blobs *b)
{
    --*b->c.holds;
    blobs_unlock(b);
}

/* ---- find --------------------------------------------------------------- */

/* Read the header and trailer of a gzip file. A file that is not gzip is found
 * all the same; reading it reports the damage. */
static quire_status read_ends(struct object *o, struct blob_location *p,
                              quire_error *err)
{
    uint8_t header[GZIP_HEADER_BYTES], trailer[GZIP_TRAILER_BYTES];
    quire_status st;
    size_t n = 0;

    if (p->stored < sizeof header + sizeof trailer)
        return QUIRE_OK;
    st = object_read(o, 0, header, sizeof header, &n, err);
    if (!st && n == sizeof header)
        st = object_read(o, p->stored - sizeof trailer, trailer, sizeof trailer,
                         &n, err);
    if (st)
        return st;
    p->ends_read = n == sizeof trailer &&
                   gzip_ends_read(header, trailer, &p->ends);
    p->size_known = p->ends_read &&
                    p->stored * GZIP_RATIO_MAX < (uint64_t)1 << 32 &&
                    p->ends.size_low <= p->stored * GZIP_RATIO_MAX;
    p->size = p->size_known ? p->ends.size_low : 0;
    return QUIRE_OK;
}

static quire_status find_file(struct blobs *b, const quire_digest *d,
                              struct blob_location *out, struct object **open,
                              quire_error *err)
{
    struct object_store *files = b->c.files;
    struct object_info info;
    char name[NAME_BYTES];
    quire_status st;

    layout_name(b->c.layout, d, name);
    st = object_open(files, name, open, &info, err);
    if (st)
        return st;
    *out = (struct blob_location){
        .where = IN_FILE,
        .stored = info.size,
        .size = info.size,
        .size_known = true,
        .seen_s = info.modified_s,
        .codec = CODEC_PLAIN,
    };
    if (layout_is_gzip(b->c.layout)) {
        out->codec = CODEC_GZIP;
        out->size_known = false;
        st = read_ends(*open, out, err);
    }
    if (st) {
        object_close(*open);
        *open = NULL;
    }
    return st;
}

/* In `packed` the row has everything. A file without a row is left by a crash
 * between the two writes; it is a valid blob. */
quire_status blob_find_open(struct blob_view v, const quire_digest *d,
                            struct blob_location *out, struct object **open,
                            quire_error *err)
{
    struct blobs *b = v.store;
    quire_status st = QUIRE_NOT_FOUND;

    /* Do not keep a buffer that one huge blob needed. */
    if (b->plain.cap > SCRATCH_KEEP)
        buf_release(&b->plain);
    if (b->packed.cap > SCRATCH_KEEP)
        buf_release(&b->packed);
    *open = NULL;
    if (b->rows)
        st = blob_table_find(b->rows, d, v.tenant, out, err);
    if (st == QUIRE_NOT_FOUND)
        st = find_file(b, d, out, open, err);
    return st;
}

quire_status blob_find(struct blobs *b, const quire_digest *d,
                       struct blob_location *out, quire_error *err)
{
    struct object *open;
    quire_status st = blob_find_open(blob_view_all(b), d, out, &open, err);

    if (open)
        object_close(open);
    return st;
}

void blob_describe(const quire_digest *d, const struct blob_location *p,
                   quire_blob_info *info)
{
    *info = (quire_blob_info){
        .digest = *d,
        .size = p->size_known ? p->size : UINT64_MAX,
        .stored = p->stored,
        .in_file = p->where == IN_FILE,
        .seen_s = p->seen_s,
    };
}

const char *blob_path(struct blob_view v, const quire_digest *digest,
                      struct arena *keep)
{
    struct object_store *files = v.store->c.files;
    char name[NAME_BYTES];

    layout_name(v.store->c.layout, digest, name);
    return arena_printf(keep, "%s/%s", object_place(files), name);
}

/* ---- list --------------------------------------------------------------- */

struct listing {
    struct blobs *b;
    quire_blob_fn each;
    void *ctx;
};

static quire_status list_row(void *ctx, const quire_digest *d,
                             const struct blob_location *p, quire_error *err)
{
    const struct listing *l = ctx;
    quire_blob_info info;

    blob_describe(d, p, &info);
    return l->each(l->ctx, &info, err);
}

static quire_status list_file(void *ctx, const char *name,
                              const struct object_info *o, quire_error *err)
{
    const struct listing *l = ctx;
    struct blob_location p;
    quire_digest d;
    quire_status st;

    (void)o;
    if (!layout_parse(l->b->c.layout, name, &d))
        return QUIRE_OK;
    st = blob_find(l->b, &d, &p, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK; /* removed since */
    return st ? st : list_row(ctx, &d, &p, err);
}

static const quire_digest first_digest;

static quire_digest last_digest(void)
{
    quire_digest d;

    memset(d.byte, 0xff, sizeof d.byte);
    return d;
}

/* In `packed` the rows are the list: a file without one was never acknowledged.
 */
quire_status blob_list(struct blobs *b, quire_blob_fn each, void *ctx,
                       quire_error *err)
{
    struct listing l = {b, each, ctx};
    quire_digest last = last_digest();

    if (b->c.layout != QUIRE_LAYOUT_PACKED)
        return object_list(b->c.files, "", list_file, &l, err);
    if (!b->rows)
        return QUIRE_OK;
    return blob_table_list(b->rows, &first_digest, &last, list_row, &l, err);
}

static quire_status name_file(void *ctx, const char *name,
                              const struct object_info *o, quire_error *err)
{
    const struct listing *l = ctx;
    struct blob_location p = {.where = IN_FILE,
                              .stored = o->size,
                              .size = o->size,
                              .size_known = !layout_is_gzip(l->b->c.layout),
                              .seen_s = o->modified_s};
    struct blob_location row;
    quire_digest d;
    quire_status st = QUIRE_NOT_FOUND;

    if (!layout_parse(l->b->c.layout, name, &d))
        return QUIRE_OK;
    if (l->b->rows)
        st = blob_table_find(l->b->rows, &d, 0, &row, err);
    return st == QUIRE_NOT_FOUND ? list_row(ctx, &d, &p, err) : st;
}

quire_status blob_names(struct blobs *b, quire_blob_fn each, void *ctx,
                        quire_error *err)
{
    struct listing l = {b, each, ctx};
    quire_status st = QUIRE_OK;

    if (b->rows)
        st = blob_table_walk(b->rows, INT64_MIN, INT64_MAX, false, list_row, &l,
                             err);
    return st ? st : object_list(b->c.files, "", name_file, &l, err);
}

/* ---- find by prefix ----------------------------------------------------- */

struct search {
    quire_layout layout;
    const char *hex;
    quire_digest found;
    int n;
};

static quire_status match_prefix(struct search *s, const quire_digest *d)
{
    char hex[65];

    hex_encode(d->byte, sizeof d->byte, hex);
    if (strncmp(hex, s->hex, strlen(s->hex)) != 0)
        return QUIRE_OK;
    s->found = *d;
    return ++s->n > 1 ? QUIRE_STOPPED : QUIRE_OK;
}

static quire_status match_row(void *ctx, const quire_digest *d,
                              const struct blob_location *p, quire_error *err)
{
    (void)p;
    (void)err;
    return match_prefix(ctx, d);
}

static quire_status match_file(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    struct search *s = ctx;
    quire_digest d;

    (void)info;
    (void)err;
    return layout_parse(s->layout, name, &d) ? match_prefix(s, &d) : QUIRE_OK;
}

/* Lowest and highest digest with this prefix. */
static void prefix_bounds(const char *hex, quire_digest *from, quire_digest *to)
{
    size_t i;

    *from = first_digest;
    *to = last_digest();
    for (i = 0; hex[i]; i++) {
        int shift = i % 2 ? 0 : 4;
        unsigned digit = (unsigned)hex_digit(hex[i]) & 15;

        from->byte[i / 2] |= (uint8_t)(digit << shift);
        to->byte[i / 2] &= (uint8_t) ~((15 ^ digit) << shift);
    }
}

quire_status blob_find_prefix(struct blobs *b, const char *hex,
                              quire_digest *out, quire_error *err)
{
    struct search s = {.layout = b->c.layout, .hex = hex};
    quire_digest from, to;
    char dir[6] = "";
    quire_status st = QUIRE_OK;

    prefix_bounds(hex, &from, &to);
    if (b->rows) {
        st = blob_table_list(b->rows, &from, &to, match_row, &s, err);
    } else if (b->c.layout != QUIRE_LAYOUT_PACKED) {
        if (b->c.layout == QUIRE_LAYOUT_LOOSE)
            memcpy(dir, (char[]){hex[0], hex[1], '/', hex[2], hex[3], 0}, 6);
        st = object_list(b->c.files, dir, match_file, &s, err);
    }
    if (st && st != QUIRE_STOPPED)
        return st;
    *out = s.found;
    return s.n == 1 ? QUIRE_OK : s.n ? QUIRE_EXISTS : QUIRE_NOT_FOUND;
}

void blob_file_name(const struct blobs *b, const quire_digest *digest,
                    char name[BLOB_NAME_BYTES])
{
    static_assert((int)NAME_BYTES <= (int)BLOB_NAME_BYTES, "a name has room");
    layout_name(b->c.layout, digest, name);
}

/* ---- transactions --------------------------------------------------------
 *
 * A batch is one transaction of rows and one batch of files. A group is the
 * same over many calls: batches inside it are parts of its transaction, and all
 * files wait for its end. Files are synced before rows are committed: a row must
 * not name a file that may still be lost.
 */

static void end_batch(struct blobs *b)
{
    b->batch = false;
    blobs_unlock(b);
}

static quire_status begin_files(struct blobs *b, quire_error *err)
{
    struct object_store *files = b->c.files;

    return b->group ? QUIRE_OK : object_begin(files, err);
}

static quire_status commit_files(struct blobs *b, quire_error *err)
{
    struct object_store *files = b->c.files;

    return b->group ? QUIRE_OK : object_commit(files, err);
}

/* In a group the files stay: they are complete, and a collection removes them.
 */
static void rollback_files(struct blobs *b)
{
    if (!b->group)
        object_rollback(b->c.files);
}

quire_status blobs_begin(struct blobs *b, int64_t scope, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (b->batch)
        return err_set(err, QUIRE_INVALID, "a batch is open already");
    /* Files before database, as in every put: a collector locks them in the
     * same order. */
    st = blobs_lock(b, err);
    if (st)
        return st;
    if (b->rows) {
        blob_table_drop_asked(b->rows);
        st = db_begin(b->c.db, DB_DURABLE, scope, err);
    }
    if (!st) {
        st = begin_files(b, err);
        if (st && b->rows)
            db_rollback(b->c.db);
    }
    if (st)
        end_batch(b);
    else
        b->batch = true;
    if (!b->group)
        b->failed = false;
    return st;
}

static quire_status report_lost(quire_error *err)
{
    return err_set(err, QUIRE_IO,
                   "transaction rolled back: a write in it failed");
}

quire_status blobs_commit(struct blobs *b, quire_error *err)
{
    quire_status st;

    if (!b->batch)
        return err_set(err, QUIRE_INVALID, "no batch is open");
    if (b->failed || (b->rows && !db_inside(b->c.db))) {
        blobs_rollback(b);
        return report_lost(err);
    }
    st = commit_files(b, err);
    if (st) {
        blobs_rollback(b);
        return st;
    }
    if (b->rows)
        st = db_commit(b->c.db, err);
    if (st)
        trust_clear(b);
    end_batch(b);
    return st;
}

void blobs_rollback(struct blobs *b)
{
    if (!b->batch)
        return;
    rollback_files(b);
    trust_clear(b);
    if (b->rows)
        db_rollback(b->c.db);
    end_batch(b);
}

quire_status blobs_open_group(struct blobs *b, quire_error *err)
{
    struct object_store *files = b->c.files;
    bool kept;
    quire_status st = blobs_hold_lock(b, err);

    if (st)
        return st;
    if (b->rows)
        st = db_open_group(b->c.db, err);
    if (!st) {
        st = object_begin(files, err);
        if (st && b->rows)
            db_close_group(b->c.db, false, &kept, NULL);
    }
    if (st)
        blobs_release(b);
    b->group = !st;
    b->failed = false;
    return st;
}

quire_status blobs_close_group(struct blobs *b, bool keep, bool *kept,
                               quire_error *err)
{
    struct object_store *files = b->c.files;
    quire_error why = {0};
    bool wanted = keep;
    quire_status st = QUIRE_OK;

    assert(b->group && !b->batch);
    if (keep && b->failed)
        st = report_lost(&why);
    else if (keep)
        st = object_commit(files, &why);
    if (st || !keep) {
        keep = false;
        object_rollback(files);
    }
    b->group = false;
    *kept = keep;
    if (b->rows && !st)
        st = db_close_group(b->c.db, wanted, kept, err);
    else if (b->rows)
        db_close_group(b->c.db, false, kept, NULL);
    if (*why.what && err)
        *err = why;
    if (!*kept)
        trust_clear(b);
    blobs_release(b);
    return st;
}

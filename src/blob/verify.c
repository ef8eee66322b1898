/*
 * verify.c - verify every blob against its name
 *
 * Small blobs are unpacked one after the other and hashed two at a time where
 * the processor can (see hash.c); large ones are streamed. Read only. This file
 * is what one thread does; verify_parallel.c runs several.
 */
#include <stdio.h>

#include "base/bytes.h"
#include "base/err.h"
#include "blob/verify.h"

void verify_init(struct verify *c, struct blobs *b, unsigned flags,
                 const struct verify_callbacks *callbacks)
{
    *c = (struct verify){
        .b = b,
        .flags = flags,
        .callbacks = *callbacks,
        .pairs = hash_can_pair(),
        .pending_plain = BUF_INIT(b->plain.max),
    };
}

void verify_release(struct verify *c)
{
    buf_release(&c->pending_plain);
}

static quire_status report_problem(struct verify *c, const quire_digest *d,
                                   const char *kind, const quire_error *why,
                                   quire_error *err)
{
    quire_problem problem = {.kind = kind};
    char ref[QUIRE_REF_SIZE];

    quire_ref_format(d, ref);
    problem.where = ref;
    snprintf(problem.what, sizeof problem.what, "%s", why->what);
    snprintf(problem.next, sizeof problem.next, "%s", why->next);
    return c->callbacks.problem(c->callbacks.ctx, &problem, err);
}

static quire_status report_damage(struct verify *c, const quire_digest *d,
                                  const struct blob_location *p,
                                  enum damage damage, quire_error *err)
{
    quire_error why;

    blob_damaged(c->b, d, p, damage, &why);
    return report_problem(c, d, damage_name(damage), &why, err);
}

/* A blob that cannot be read is reported, and the check goes on. */
static quire_status report_unreadable(struct verify *c, const quire_digest *d,
                                      const quire_error *why, quire_error *err)
{
    return report_problem(c, d, "unreadable", why, err);
}

/* An intact file without a row: left by a crash. */
static quire_status report_stray(struct verify *c, const quire_digest *d,
                                 const struct blob_location *p,
                                 quire_error *err)
{
    quire_error why;
    char name[NAME_BYTES];

    if (p->has_row || !c->b->rows || !(c->flags & BLOB_CHECK_STRAYS))
        return QUIRE_OK;
    layout_name(c->b->c.layout, d, name);
    err_fail(&why, QUIRE_OK, HINT_SHELL "`quire repair` adds it",
             "quire.db has no row for the file %s/%s",
             object_place(c->b->c.files), name);
    return report_problem(c, d, "stray", &why, err);
}

static quire_status count_blob(struct verify *c, quire_error *err)
{
    return c->callbacks.counted(c->callbacks.ctx, err);
}

static quire_status compare_digest(struct verify *c, const quire_digest *d,
                                   const struct blob_location *p,
                                   const quire_digest *actual, quire_error *err)
{
    quire_status st;

    if (digest_equal(actual, d))
        st = report_stray(c, d, p, err);
    else
        st = report_damage(c, d, p, DAMAGE_CONTENT, err);
    return st ? st : count_blob(c, err);
}

/* Hash and compare the pending blob. */
quire_status verify_finish(struct verify *c, quire_error *err)
{
    quire_digest actual;

    if (!c->pending)
        return QUIRE_OK;
    c->pending = false;
    hash_bytes(buf_bytes(&c->pending_plain), &actual);
    return compare_digest(c, &c->pending_digest, &c->pending_place, &actual,
                          err);
}

/* The content of `d` is in b->plain. */
static quire_status hash_content(struct verify *c, const quire_digest *d,
                                 const struct blob_location *p,
                                 quire_error *err)
{
    struct buf *plain = &c->b->plain;
    quire_digest first, second;
    quire_status st;

    if (!c->pending) {
        struct buf other = c->pending_plain;

        c->pending_plain = *plain;
        *plain = other;
        c->pending_digest = *d;
        c->pending_place = *p;
        c->pending_place.body = bytes_of(NULL, 0); /* borrowed only until now */
        c->pending = true;
        return c->pairs ? QUIRE_OK : verify_finish(c, err);
    }
    c->pending = false;
    hash_pair(buf_bytes(&c->pending_plain), buf_bytes(plain), &first, &second);
    st = compare_digest(c, &c->pending_digest, &c->pending_place, &first, err);
    return st ? st : compare_digest(c, d, p, &second, err);
}

/* Quick check: presence and size. */
static quire_status check_presence(struct verify *c, const quire_digest *d,
                                   const struct blob_location *p,
                                   enum damage *damage, quire_error *err)
{
    struct object_store *files = c->b->c.files;
    struct object_info info;
    char name[NAME_BYTES];
    quire_status st;

    *damage = p->odd ? DAMAGE_ROW : p->whole ? DAMAGE_NONE : DAMAGE_CUT;
    if (*damage || p->where == IN_ROW)
        return QUIRE_OK;
    layout_name(c->b->c.layout, d, name);
    st = object_stat(files, name, &info, err);
    if (st == QUIRE_NOT_FOUND)
        *damage = DAMAGE_MISSING;
    else if (!st && info.size != p->stored)
        *damage = info.size < p->stored ? DAMAGE_CUT : DAMAGE_TRAILING;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* The same for a file that has no row to compare with. */
static enum damage check_file_ends(const struct verify *c,
                                   const struct blob_location *p)
{
    if (!layout_is_gzip(c->b->c.layout) || p->ends_read)
        return DAMAGE_NONE;
    return p->stored < GZIP_HEADER_BYTES + GZIP_TRAILER_BYTES ? DAMAGE_CUT
                                                              : DAMAGE_NOT_GZIP;
}

/* Everything but hashing small content: *small means that it is in b->plain. */
static quire_status check_stored(struct verify *c, const quire_digest *d,
                                 const struct blob_location *p,
                                 enum damage *damage, bool *small,
                                 quire_error *why)
{
    quire_status st;

    *small = false;
    if (c->flags & BLOB_CHECK_QUICK) {
        if (p->has_row)
            return check_presence(c, d, p, damage, why);
        *damage = check_file_ends(c, p);
        return QUIRE_OK;
    }
    if (!p->size_known || p->size > SMALL_BYTES)
        return blob_stream(c->b, d, p, 0, UINT64_MAX, NULL, NULL, damage, why);
    st = blob_unpack(c->b, d, p, damage, why);
    *small = !st && !*damage;
    return st;
}

quire_status verify_one(struct verify *c, const quire_digest *d,
                        const struct blob_location *p, quire_error *err)
{
    enum damage damage = DAMAGE_NONE;
    quire_error why = {.what = ""};
    bool small;
    quire_status st, seen = check_stored(c, d, p, &damage, &small, &why);

    if (small)
        return hash_content(c, d, p, err);
    st = verify_finish(c, err); /* keep the order: the pending blob first */
    if (!st && seen == QUIRE_NO_MEMORY) {
        st = err_memory(err);
    } else if (!st && seen) {
        st = report_unreadable(c, d, &why, err);
    } else if (!st) {
        st = damage ? report_damage(c, d, p, damage, err)
                    : report_stray(c, d, p, err);
    }
    return st ? st : count_blob(c, err);
}

static quire_status check_row(void *ctx, const quire_digest *d,
                              const struct blob_location *p, quire_error *err)
{
    return verify_one(ctx, d, p, err);
}

quire_status verify_rows(struct verify *c, int64_t from, int64_t to,
                         quire_error *err)
{
    quire_status st = blob_table_walk(c->b->rows, from, to, true, check_row, c,
                                      err);

    return st ? st : verify_finish(c, err);
}

/* Check a file of the store. In `packed`, only files without a row: they are
 * still found by name, so they must be intact. */
static quire_status check_file(struct verify *c, const quire_digest *d,
                               quire_error *err)
{
    quire_error why = {.what = ""};
    struct blob_location p;
    quire_status st = blob_find(c->b, d, &p, &why);

    if (st == QUIRE_NOT_FOUND || (!st && p.has_row))
        return QUIRE_OK;
    c->strays++;
    if (!st)
        return verify_one(c, d, &p, err);
    if (st == QUIRE_NO_MEMORY)
        return err_memory(err);
    st = verify_finish(c, err);
    if (!st)
        st = report_unreadable(c, d, &why, err);
    return st ? st : count_blob(c, err);
}

quire_status verify_files(struct verify *c, const quire_digest *list, size_t n,
                          quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < n && !st; i++)
        st = check_file(c, &list[i], err);
    return st ? st : verify_finish(c, err);
}

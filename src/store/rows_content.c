/*
 * rows_content.c - bytes in rows: reading pieces, drafts
 *
 * A draft is in memory up to ROWS_PIECE, and is stored by pieces of that size under
 * a content that has no name yet: one that is abandoned is reaped. The database gives
 * ids of contents by the block, so that few drafts wait for theirs.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/rows_priv.h"

/* Ids that the database gives at a time. */
#define ID_BLOCK 64

/* ---- reading ------------------------------------------------------------- */

/* Copy what the piece at `at` has of the range; the offset after it, 0: a gap. */
static uint64_t copy_piece(uint64_t at, quire_bytes piece, uint64_t offset,
                           char *buf, size_t cap, size_t *n)
{
    size_t skip, len;

    if (at > offset + *n)
        return 0;
    skip = (size_t)(offset + *n - at);
    if (skip < piece.len) {
        len = piece.len - skip < cap - *n ? piece.len - skip : cap - *n;
        memcpy(buf + *n, (const char *)piece.data + skip, len);
        *n += len;
    }
    return at + piece.len + 1;
}

/* Without a piece: behind the end, or reaped. */
static quire_status check_there(struct rows *r, int64_t content,
                                quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = rows_use(r, ROWS_HOLDER, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, content);
    st = sql_row(s, err);
    stmt_reset(s);
    if (st == QUIRE_NOT_FOUND)
        return err_fail(
            err, QUIRE_CHANGED, "open it again",
            "what is read from %s was removed or replaced more than "
            "an hour ago",
            r->place);
    return st;
}

quire_status rows_read(struct rows *r, int64_t content, uint64_t offset,
                       void *buf, size_t cap, size_t *n, quire_error *err)
{
    struct stmt *s = NULL;
    bool row = false, any = false;
    quire_status st;

    *n = 0;
    if (cap == 0 || offset > INT64_MAX)
        return QUIRE_OK;
    if (cap > INT64_MAX - offset)
        cap = (size_t)(INT64_MAX - offset);
    st = rows_use(r, ROWS_PIECES, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, content);
    stmt_bind_int(s, 2, (int64_t)offset);
    stmt_bind_int(s, 3, (int64_t)(offset + cap));
    while (!st && !(st = stmt_step(s, &row, err)) && row && *n < cap) {
        any = true;
        if (!copy_piece((uint64_t)stmt_column_int(s, 0),
                        stmt_column_bytes(s, 1), offset, buf, cap, n))
            st = err_set(err, QUIRE_DAMAGED,
                         "bytes at %llu of a content in %s are missing",
                         (unsigned long long)(offset + *n), r->place);
    }
    stmt_reset(s);
    return st || any ? st : check_there(r, content, err);
}

/* ---- drafts -------------------------------------------------------------- */

static quire_status next_id(struct rows *r, int64_t *id, quire_error *err)
{
    struct stmt *s = NULL;
    int64_t block;
    quire_status st = QUIRE_OK;

    if (r->ids_left == 0) {
        st = rows_use(r, ROWS_NEXT_BLOCK, &s, err);
        if (st)
            return st;
        stmt_bind_int(s, 1, rows_now(r));
        st = sql_take_number(s, &block, err);
        if (st)
            return st;
        r->next_id = block * ID_BLOCK;
        r->ids_left = ID_BLOCK;
    }
    r->ids_left--;
    *id = r->next_id++;
    return st;
}

static quire_status new_content(struct rows *r, int64_t *id, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = next_id(r, id, err);

    if (!st)
        st = rows_use(r, ROWS_ADD, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, *id);
    stmt_bind_int(s, 2, rows_now(r));
    return stmt_post(s, err);
}

static quire_status add_piece(struct rows *r, struct rows_draft *d,
                              quire_bytes bytes, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = rows_use(r, ROWS_ADD_PIECE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, d->content);
    stmt_bind_int(s, 2, (int64_t)d->stored);
    stmt_bind_bytes(s, 3, bytes);
    st = stmt_post(s, err);
    if (!st)
        st = rows_use(r, ROWS_GROW, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, d->content);
    stmt_bind_int(s, 2, (int64_t)bytes.len);
    stmt_bind_int(s, 3, rows_now(r));
    d->stored += bytes.len;
    return stmt_post(s, err);
}

quire_status rows_draft_finish(struct rows *r, struct rows_draft *d,
                               quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (!d->content)
        st = new_content(r, &d->content, err);
    if (!st && d->bytes.len > 0)
        st = add_piece(r, d, buf_bytes(&d->bytes), err);
    d->bytes.len = 0;
    return st;
}

quire_status rows_draft_write(struct rows *r, struct rows_draft *d,
                              quire_bytes bytes, quire_error *err)
{
    quire_status st = rows_writable(r, err);

    while (!st && bytes.len > 0) {
        size_t room = ROWS_PIECE - d->bytes.len;
        size_t len = bytes.len < room ? bytes.len : room;

        buf_add(&d->bytes, bytes.data, len);
        bytes = bytes_of((const char *)bytes.data + len, bytes.len - len);
        st = buf_status(&d->bytes, "a draft", err);
        if (st || d->bytes.len < ROWS_PIECE)
            continue;
        st = rows_begin(r, err);
        if (!st)
            st = rows_end(r, rows_draft_finish(r, d, err), err);
    }
    return st;
}

void rows_draft_release(struct rows_draft *d)
{
    buf_release(&d->bytes);
}

/* In a transaction. */
static quire_status name_content(struct rows *r, int64_t content,
                                 const struct rows_name *n, bool replace,
                                 bool *taken, quire_error *err)
{
    struct stmt *s = NULL;
    int64_t got;
    quire_status st = replace ? rows_unname(r, n, err) : QUIRE_OK;

    if (st && st != QUIRE_NOT_FOUND)
        return st;
    st = rows_use(r, replace ? ROWS_NAME_REPLACE : ROWS_NAME, &s, err);
    if (st)
        return st;
    stmt_bind_bytes(s, 1, n->dir);
    stmt_bind_bytes(s, 2, n->base);
    stmt_bind_int(s, 3, content);
    if (replace)
        return stmt_post(s, err);
    st = sql_take_number(s, &got, err);
    *taken = st == QUIRE_NOT_FOUND;
    return *taken ? QUIRE_OK : st;
}

quire_status rows_draft_publish(struct rows *r, struct rows_draft *d,
                                const char *name, bool replace,
                                quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct rows_name n;
    bool taken = false;
    quire_status st = rows_split(r, name, &tmp, &n, err);

    if (!st)
        st = rows_begin(r, err);
    if (st) {
        arena_release(&tmp);
        return st;
    }
    st = rows_draft_finish(r, d, err);
    if (!st)
        st = name_content(r, d->content, &n, replace, &taken, err);
    /* What is stored stays, without a name: the draft may get another one. */
    st = rows_end(r, st, err);
    arena_release(&tmp);
    if (st == QUIRE_EXISTS) /* a constraint: its content is gone */
        return err_fail(err, QUIRE_CHANGED, "write it again",
                        "what was written to %s/%s was removed after an hour "
                        "without a name",
                        r->place, name);
    return !st && taken ? QUIRE_EXISTS : st;
}

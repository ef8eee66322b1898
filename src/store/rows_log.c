/*
 * rows_log.c - logs in rows: see rows.h
 *
 * An append is one transaction whose statements are sent together: the size grows if
 * it and the fences are what the writer expects, and the piece is added behind it. What
 * a condition that does not hold means is asked afterwards.
 *
 * A handle that holds the log trusts its own last look for LOG_NAME_MS, so that
 * an append and the check before it wait once.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/rows_priv.h"

/* A hold is renewed when less than this is left of it. */
#define RENEW_MS (ROWS_HOLD_MS * 2 / 3)

struct rows_log {
    struct log base;
    struct rows *store;
    int64_t content;
    int64_t hold_epoch; /* 0: it is not held */
    int64_t held_until_ms;
    int64_t seen_us;    /* the steady clock at the last look; 0: never */
    uint64_t seen_size; /* what it saw */
    bool seen_named;
    char name[];
};

struct rows_log_draft {
    struct log_draft base;
    struct rows *store;
    struct rows_draft bytes;
};

static struct rows_log *log_of(struct log *l)
{
    return (struct rows_log *)l;
}

static quire_status unlock(struct rows *r, quire_status st)
{
    pthread_mutex_unlock(&r->turn);
    return st;
}

static int64_t now_ms(const struct rows *r)
{
    return rows_now(r) / 1000;
}

/* ---- opening, reading ------------------------------------------------------- */

static quire_status rows_log_stat(struct log_store *s, const char *name,
                                  struct object_info *info, quire_error *err)
{
    struct rows *r = rows_of_logs(s);
    struct rows_entry e;
    quire_status st;

    pthread_mutex_lock(&r->turn);
    st = rows_find(r, name, &e, err);
    *info = e.info;
    return unlock(r, st);
}

static quire_status new_log(struct rows *r, const char *name, int64_t content,
                            struct rows_log **out, quire_error *err)
{
    struct rows_log *l = calloc(1, sizeof *l + strlen(name) + 1);

    *out = l;
    if (!l)
        return err_memory(err);
    l->base.ops = &rows_log_ops;
    l->store = r;
    l->content = content;
    strcpy(l->name, name);
    return QUIRE_OK;
}

static quire_status rows_log_open(struct log_store *s, const char *name,
                                  enum log_mode mode, struct log **out,
                                  struct object_info *info, quire_error *err)
{
    struct rows *r = rows_of_logs(s);
    struct rows_entry e;
    struct rows_log *l;
    quire_status st = mode == LOG_APPEND ? rows_writable(r, err) : QUIRE_OK;

    if (st)
        return st;
    pthread_mutex_lock(&r->turn);
    st = unlock(r, rows_find(r, name, &e, err));
    if (!st)
        st = new_log(r, name, e.content, &l, err);
    if (st)
        return st;
    *info = e.info;
    *out = &l->base;
    return QUIRE_OK;
}

static quire_status rows_log_read(struct log *base, uint64_t offset, void *buf,
                                  size_t cap, size_t *n, quire_error *err)
{
    struct rows_log *l = log_of(base);

    pthread_mutex_lock(&l->store->turn);
    return unlock(l->store,
                  rows_read(l->store, l->content, offset, buf, cap, n, err));
}

/* ---- holding ---------------------------------------------------------------- */

static quire_status held_by_other(struct rows_log *l, quire_error *err)
{
    struct rows *r = l->store;
    char holder[LEASE_NAME_SIZE] = "another process", *space;
    struct stmt *s = NULL;
    quire_status st = rows_use(r, ROWS_HOLDER, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, l->content);
    if (!sql_row(s, NULL) && stmt_column_bytes(s, 0).len > 0) {
        sql_copy_text(s, 0, holder, sizeof holder);
        /* Behind the last blank: which store of the process. */
        space = strrchr(holder, ' ');
        if (space)
            *space = '\0';
    }
    stmt_reset(s);
    return err_fail(err, QUIRE_BUSY, "try again when it has finished",
                    "%s is writing to %s/%s", holder, r->place, l->name);
}

/* Once. QUIRE_BUSY without a message. */
static quire_status try_hold(struct rows_log *l, quire_error *err)
{
    struct rows *r = l->store;
    struct stmt *s = NULL;
    int64_t epoch, until = now_ms(r) + ROWS_HOLD_MS;
    quire_status st = rows_use(r, ROWS_HOLD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, l->content);
    stmt_bind_text(s, 2, bytes_str(r->me));
    stmt_bind_int(s, 3, until);
    stmt_bind_int(s, 4, now_ms(r));
    st = sql_take_number(s, &epoch, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_BUSY;
    if (!st) {
        l->hold_epoch = epoch;
        l->held_until_ms = until;
        l->seen_us = 0;
    }
    return st;
}

static quire_status rows_log_hold(struct log *base, int wait_ms,
                                  quire_error *err)
{
    struct rows_log *l = log_of(base);
    struct rows *r = l->store;
    struct timespec pause = {.tv_nsec = 2 * 1000000};
    int64_t end = clock_steady_us() + wait_ms * INT64_C(1000);
    quire_status st;

    pthread_mutex_lock(&r->turn);
    st = l->hold_epoch ? QUIRE_OK : try_hold(l, err);
    while (st == QUIRE_BUSY && clock_steady_us() < end) {
        pthread_mutex_unlock(&r->turn);
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 20 * 1000000)
            pause.tv_nsec *= 2;
        pthread_mutex_lock(&r->turn);
        st = try_hold(l, err);
    }
    if (st == QUIRE_BUSY)
        st = held_by_other(l, err);
    return unlock(r, st);
}

static void drop_hold(struct rows_log *l)
{
    struct stmt *s = NULL;

    if (l->hold_epoch && !rows_use(l->store, ROWS_RELEASE, &s, NULL)) {
        stmt_bind_int(s, 1, l->content);
        stmt_bind_int(s, 2, l->hold_epoch);
        /* A failure leaves a hold that ends by itself. */
        (void)stmt_post(s, NULL);
    }
    l->hold_epoch = 0;
}

static void rows_log_release(struct log *base)
{
    struct rows *r = log_of(base)->store;

    pthread_mutex_lock(&r->turn);
    drop_hold(log_of(base));
    unlock(r, QUIRE_OK);
}

static void rows_log_close(struct log *base)
{
    rows_log_release(base);
    free(base);
}

/* Renew the hold if it ends soon. One that has ended goes on, unless another process has
 * taken the log. */
static quire_status renew(struct rows_log *l, quire_error *err)
{
    struct rows *r = l->store;
    int64_t got, now = now_ms(r);
    struct stmt *s = NULL;
    quire_status st;

    if (!l->hold_epoch || l->held_until_ms - now > RENEW_MS)
        return QUIRE_OK;
    st = rows_use(r, ROWS_RENEW, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, l->content);
    stmt_bind_int(s, 2, l->hold_epoch);
    stmt_bind_int(s, 3, now + ROWS_HOLD_MS);
    st = sql_take_number(s, &got, err);
    if (!st)
        l->held_until_ms = now + ROWS_HOLD_MS;
    return st == QUIRE_NOT_FOUND ? log_lost_lease(&r->logs, l->name, err) : st;
}

/* ---- appending ---------------------------------------------------------------- */

/* What the database says of the log now. */
struct log_state {
    uint64_t size;
    int64_t epoch, hold_epoch;
    bool named;
};

/* QUIRE_CHANGED: it was removed, and is gone. */
static quire_status look(struct rows_log *l, struct log_state *out,
                         quire_error *err)
{
    struct rows *r = l->store;
    struct arena tmp = ARENA_INIT;
    struct rows_name n;
    struct stmt *s = NULL;
    quire_status st = rows_split(r, l->name, &tmp, &n, err);

    *out = (struct log_state){0};
    if (!st)
        st = rows_use(r, ROWS_STATUS, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, l->content);
        stmt_bind_bytes(s, 2, n.dir);
        stmt_bind_bytes(s, 3, n.base);
        st = sql_row(s, err);
    }
    if (!st)
        *out = (struct log_state){(uint64_t)stmt_column_int(s, 0),
                                  stmt_column_int(s, 1), stmt_column_int(s, 2),
                                  stmt_column_int(s, 3) > 0};
    sql_reset(&r->sql, ROWS_STATUS);
    arena_release(&tmp);
    if (st == QUIRE_NOT_FOUND)
        return log_lost_name(&r->logs, l->name, err);
    if (!st) {
        l->seen_us = clock_steady_us();
        l->seen_size = out->size;
        l->seen_named = out->named;
    }
    return st;
}

static bool has_looked(const struct rows_log *l)
{
    return l->hold_epoch && l->seen_us &&
           clock_steady_us() - l->seen_us < LOG_NAME_MS * INT64_C(1000);
}

static quire_status rows_log_status(struct log *base, uint64_t *size,
                                    bool *named, quire_error *err)
{
    struct rows_log *l = log_of(base);
    struct rows *r = l->store;
    struct log_state now = {0};
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&r->turn);
    if (!has_looked(l))
        st = look(l, &now, err);
    *size = l->seen_size;
    *named = l->seen_named;
    return unlock(r, st);
}

/* In a transaction. */
static quire_status send_append(struct rows_log *l, uint64_t epoch,
                                uint64_t size, quire_bytes bytes,
                                quire_error *err)
{
    struct rows *r = l->store;
    struct stmt *s = NULL;
    quire_status st = rows_use(r,
                               l->hold_epoch ? ROWS_APPEND_HELD : ROWS_APPEND,
                               &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, l->content);
    stmt_bind_int(s, 2, (int64_t)size);
    stmt_bind_int(s, 3, (int64_t)bytes.len);
    stmt_bind_int(s, 4, (int64_t)epoch);
    stmt_bind_int(s, 5, rows_now(r));
    if (l->hold_epoch)
        stmt_bind_int(s, 6, l->hold_epoch);
    st = stmt_post(s, err);
    if (!st)
        st = rows_use(r, ROWS_ADD_PIECE, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, l->content);
    stmt_bind_int(s, 2, (int64_t)size);
    stmt_bind_bytes(s, 3, bytes);
    return stmt_post(s, err);
}

/* Why an append was not kept. */
static quire_status explain(struct rows_log *l, uint64_t epoch, uint64_t size,
                            quire_error *err)
{
    struct log_state now;
    quire_status st;

    l->seen_us = 0;
    st = look(l, &now, err);
    if (st)
        return st;
    if ((uint64_t)now.epoch > epoch ||
        (l->hold_epoch && now.hold_epoch != l->hold_epoch))
        return log_lost_lease(&l->store->logs, l->name, err);
    if (now.size != size)
        return err_fail(err, QUIRE_CHANGED, "read what is new, and try again",
                        "%s/%s has %llu bytes, not the %llu that were expected",
                        l->store->place, l->name, (unsigned long long)now.size,
                        (unsigned long long)size);
    return err_set(err, QUIRE_IO, "cannot append to %s/%s", l->store->place,
                   l->name);
}

static quire_status rows_log_append(struct log *base, uint64_t epoch,
                                    uint64_t size, quire_bytes bytes,
                                    quire_error *err)
{
    struct rows_log *l = log_of(base);
    struct rows *r = l->store;
    quire_status st = rows_writable(r, err);

    if (st || bytes.len == 0)
        return st;
    pthread_mutex_lock(&r->turn);
    st = renew(l, err);
    if (!st)
        st = rows_begin(r, err);
    if (!st)
        st = rows_end(r, send_append(l, epoch, size, bytes, err), err);
    if (st == QUIRE_EXISTS)
        st = explain(l, epoch, size, err);
    else if (!st)
        l->seen_size = size + bytes.len;
    return unlock(r, st);
}

static uint64_t rows_log_unfinished(struct log *base)
{
    (void)base;
    return UINT64_MAX; /* an append is kept whole or not at all */
}

/* ---- changing what is there --------------------------------------------------- */

/* The piece that has the byte at `offset`: where it begins, and its bytes in `keep`.
 * QUIRE_NOT_FOUND: there is none. */
static quire_status piece_at(struct rows_log *l, uint64_t offset,
                             struct arena *keep, uint64_t *at,
                             quire_bytes *bytes, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = rows_use(l->store, ROWS_PIECES, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, l->content);
    stmt_bind_int(s, 2, (int64_t)offset);
    stmt_bind_int(s, 3, (int64_t)offset + 1);
    st = sql_row(s, err);
    if (!st) {
        *at = (uint64_t)stmt_column_int(s, 0);
        *bytes = arena_dup(keep, stmt_column_bytes(s, 1));
        st = bytes->data ? QUIRE_OK : err_memory(err);
    }
    stmt_reset(s);
    return st || offset < *at + bytes->len ? st : QUIRE_NOT_FOUND;
}

static quire_status set_piece(struct rows_log *l, uint64_t at,
                              quire_bytes bytes, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = rows_use(l->store, ROWS_SET_PIECE, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, l->content);
    stmt_bind_int(s, 2, (int64_t)at);
    stmt_bind_bytes(s, 3, bytes);
    return stmt_post(s, err);
}

static quire_status set_size(struct rows_log *l, uint64_t size,
                             quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = rows_use(l->store, ROWS_CUT, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, l->content);
    stmt_bind_int(s, 2, (int64_t)size);
    stmt_bind_int(s, 3, rows_now(l->store));
    return stmt_post(s, err);
}

/* In a transaction. */
static quire_status cut_pieces(struct rows_log *l, uint64_t size,
                               struct arena *keep, quire_error *err)
{
    struct stmt *s = NULL;
    struct log_state now;
    quire_bytes piece;
    uint64_t at = size;
    quire_status st = look(l, &now, err);

    if (st || now.size <= size)
        return st;
    st = piece_at(l, size, keep, &at, &piece, err);
    if (!st && at < size) {
        st = set_piece(l, at, bytes_of(piece.data, (size_t)(size - at)), err);
        at = size;
    }
    if (!st)
        st = rows_use(l->store, ROWS_CUT_PIECES, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, l->content);
    stmt_bind_int(s, 2, (int64_t)at);
    st = stmt_post(s, err);
    return st ? st : set_size(l, size, err);
}

static quire_status rows_log_cut(struct log *base, uint64_t size,
                                 quire_error *err)
{
    struct rows_log *l = log_of(base);
    struct rows *r = l->store;
    struct arena tmp = ARENA_INIT;
    quire_status st = rows_writable(r, err);

    if (st)
        return st;
    pthread_mutex_lock(&r->turn);
    st = rows_begin(r, err);
    if (!st)
        st = rows_end(r, cut_pieces(l, size, &tmp, err), err);
    l->seen_us = 0;
    arena_release(&tmp);
    return unlock(r, st);
}

/* In a transaction: the pieces that the bytes touch, one after the other. */
static quire_status patch_pieces(struct rows_log *l, uint64_t offset,
                                 quire_bytes bytes, struct arena *keep,
                                 quire_error *err)
{
    struct log_state now;
    quire_bytes piece;
    uint64_t at;
    size_t done = 0, len;
    quire_status st = look(l, &now, err);

    if (!st && offset + bytes.len > now.size)
        st = err_set(err, QUIRE_CHANGED, "%s/%s was truncated", l->store->place,
                     l->name);
    while (!st && done < bytes.len) {
        st = piece_at(l, offset + done, keep, &at, &piece, err);
        if (st)
            break;
        len = piece.len - (size_t)(offset + done - at);
        len = len < bytes.len - done ? len : bytes.len - done;
        memcpy((char *)(uintptr_t)piece.data + (offset + done - at),
               (const char *)bytes.data + done, len);
        st = set_piece(l, at, piece, err);
        done += len;
    }
    return st ? st : set_size(l, now.size, err); /* its time is new */
}

static quire_status rows_log_patch(struct log *base, uint64_t offset,
                                   quire_bytes bytes, quire_error *err)
{
    struct rows_log *l = log_of(base);
    struct rows *r = l->store;
    struct arena tmp = ARENA_INIT;
    quire_status st = rows_writable(r, err);

    if (st)
        return st;
    pthread_mutex_lock(&r->turn);
    st = rows_begin(r, err);
    if (!st)
        st = rows_end(r, patch_pieces(l, offset, bytes, &tmp, err), err);
    arena_release(&tmp);
    return unlock(r, st);
}

/* Everything is durable since it was committed; the name may be gone. */
static quire_status rows_log_sync(struct log *base, quire_error *err)
{
    struct rows_log *l = log_of(base);
    struct rows *r = l->store;
    struct log_state now;
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&r->turn);
    if (l->hold_epoch)
        st = look(l, &now, err);
    if (!st && l->hold_epoch && !l->seen_named)
        st = log_lost_name(&r->logs, l->name, err);
    return unlock(r, st);
}

/* ---- drafts ------------------------------------------------------------------- */

static quire_status rows_log_create(struct log_store *s, const char *name,
                                    struct log_draft **out, quire_error *err)
{
    struct rows *r = rows_of_logs(s);
    struct rows_log_draft *d;
    quire_status st = rows_writable(r, err);

    (void)name;
    if (st)
        return st;
    d = malloc(sizeof *d);
    if (!d)
        return err_memory(err);
    *d = (struct rows_log_draft){{&rows_log_ops},
                                 r,
                                 {BUF_INIT(ROWS_PIECE), 0, 0}};
    *out = &d->base;
    return QUIRE_OK;
}

static quire_status rows_log_write(struct log_draft *base, quire_bytes bytes,
                                   quire_error *err)
{
    struct rows_log_draft *d = (struct rows_log_draft *)base;

    pthread_mutex_lock(&d->store->turn);
    return unlock(d->store, rows_draft_write(d->store, &d->bytes, bytes, err));
}

static quire_status rows_log_section(struct log_draft *base, quire_error *err)
{
    (void)base;
    (void)err;
    return QUIRE_OK;
}

static quire_status rows_log_settle(struct log_draft *base, quire_error *err)
{
    (void)base; /* publishing is one commit */
    (void)err;
    return QUIRE_OK;
}

static void rows_log_discard(struct log_draft *base)
{
    struct rows_log_draft *d = (struct rows_log_draft *)base;

    rows_draft_release(&d->bytes);
    free(d);
}

/* Store the draft and hold it, before it has a name. */
static quire_status hold_draft(struct rows_log_draft *d, const char *name,
                               struct rows_log **out, quire_error *err)
{
    struct rows *r = d->store;
    quire_status st = rows_begin(r, err);

    if (!st)
        st = rows_end(r, rows_draft_finish(r, &d->bytes, err), err);
    if (!st)
        st = new_log(r, name, d->bytes.content, out, err);
    return st ? st : try_hold(*out, err);
}

static quire_status rows_log_publish(struct log_draft *base, const char *name,
                                     bool replace, struct log **out,
                                     quire_error *err)
{
    struct rows_log_draft *d = (struct rows_log_draft *)base;
    struct rows *r = d->store;
    struct rows_log *l = NULL;
    quire_status st = QUIRE_OK;

    assert(!out || !replace);
    pthread_mutex_lock(&r->turn);
    if (out)
        st = hold_draft(d, name, &l, err);
    if (!st)
        st = rows_draft_publish(r, &d->bytes, name, replace, err);
    unlock(r, st);
    if (st && l)
        rows_log_close(&l->base);
    else if (l)
        *out = &l->base;
    if (st != QUIRE_EXISTS)
        rows_log_discard(base);
    return st;
}

/* In a transaction: the name goes from one content to the other. */
static quire_status swap_content(struct rows_log *l, int64_t content,
                                 quire_error *err)
{
    struct rows *r = l->store;
    struct arena tmp = ARENA_INIT;
    struct rows_name n;
    struct stmt *s = NULL;
    int64_t got;
    quire_status st = rows_split(r, l->name, &tmp, &n, err);

    if (!st)
        st = rows_use(r, ROWS_NAME_SWAP, &s, err);
    if (!st) {
        stmt_bind_bytes(s, 1, n.dir);
        stmt_bind_bytes(s, 2, n.base);
        stmt_bind_int(s, 3, l->content);
        stmt_bind_int(s, 4, content);
        st = sql_take_number(s, &got, err);
    }
    if (st == QUIRE_NOT_FOUND)
        st = err_set(err, QUIRE_CHANGED, "%s/%s was moved or removed", r->place,
                     l->name);
    if (!st)
        st = rows_use(r, ROWS_TOUCH, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, l->content);
        stmt_bind_int(s, 2, rows_now(r));
        st = stmt_post(s, err);
    }
    arena_release(&tmp);
    return st;
}

static quire_status rows_log_replace(struct log *base, struct log_draft *draft,
                                     quire_error *err)
{
    struct rows_log *l = log_of(base), *next = NULL;
    struct rows_log_draft *d = (struct rows_log_draft *)draft;
    struct rows *r = l->store;
    quire_status st;

    pthread_mutex_lock(&r->turn);
    st = renew(l, err);
    if (!st)
        st = hold_draft(d, l->name, &next, err);
    if (!st)
        st = rows_begin(r, err);
    if (!st)
        st = rows_end(r, swap_content(l, d->bytes.content, err), err);
    if (!st) {
        /* The hold of the old generation ends with it. */
        next->seen_us = 0;
        if (!l->hold_epoch)
            drop_hold(next);
        l->content = next->content;
        l->hold_epoch = next->hold_epoch;
        l->held_until_ms = next->held_until_ms;
        next->hold_epoch = 0;
    }
    l->seen_us = 0;
    unlock(r, st);
    if (next)
        rows_log_close(&next->base);
    rows_log_discard(draft);
    return st;
}

/* ---- names -------------------------------------------------------------------- */

static quire_status rows_log_rename(struct log_store *s, const char *from,
                                    const char *to, quire_error *err)
{
    struct rows *r = rows_of_logs(s);

    pthread_mutex_lock(&r->turn);
    return unlock(r, rows_rename(r, from, to, false, err));
}

static quire_status rows_log_remove(struct log_store *s, const char *name,
                                    quire_error *err)
{
    return object_remove(&rows_of_logs(s)->objects, name, err);
}

static quire_status rows_log_list(struct log_store *s, const char *root,
                                  log_each_fn each, void *ctx, quire_error *err)
{
    struct rows *r = rows_of_logs(s);
    struct arena tmp = ARENA_INIT;
    struct rows_entry *all = NULL;
    size_t i, n = 0, skip = *root ? strlen(root) + 1 : 0;
    quire_status st;

    pthread_mutex_lock(&r->turn);
    st = unlock(r, rows_list(r, root, true, &tmp, &all, &n, err));
    for (i = 0; i < n && !st; i++) {
        const char *dir = all[i].dir;

        if (strlen(dir) > skip && !strchr(dir + skip, '/'))
            st = each(ctx, dir + skip, all[i].base, &all[i].info, err);
    }
    arena_release(&tmp);
    return st;
}

static const char *rows_log_place(const struct log_store *s)
{
    return rows_of_logs(s)->place;
}

static void rows_log_free(struct log_store *s)
{
    rows_drop_part(rows_of_logs(s));
}

const struct log_ops rows_log_ops = {
    .stat = rows_log_stat,
    .open = rows_log_open,
    .read = rows_log_read,
    .close = rows_log_close,
    .hold = rows_log_hold,
    .release = rows_log_release,
    .status = rows_log_status,
    .append = rows_log_append,
    .unfinished = rows_log_unfinished,
    .cut = rows_log_cut,
    .patch = rows_log_patch,
    .sync = rows_log_sync,
    .create = rows_log_create,
    .write = rows_log_write,
    .section = rows_log_section,
    .settle = rows_log_settle,
    .publish = rows_log_publish,
    .discard = rows_log_discard,
    .replace = rows_log_replace,
    .rename = rows_log_rename,
    .remove = rows_log_remove,
    .list = rows_log_list,
    .place = rows_log_place,
    .free = rows_log_free,
};

/*
 * body.c - reading the body of a request
 *
 * A short body stays behind its head in the buffer it was read into; chunks are
 * decoded into a buffer of their own; one longer than SPOOL_FROM goes to a file.
 * Memory and files have budgets that all connections share.
 */
#include <string.h>

#include "base/bytes.h"
#include "http/loop.h"

/* Less than this is not counted: of all connections together, which are 10000, and
 * of those of one owner. Small requests work although the memory for all is used
 * up, but one owner cannot use all connections to hold small answers. */
enum { FREE_OF_ALL = 64 * 1024, FREE_OF_OWNER = 4 * 1024 };

static uint64_t counted_for_all(uint64_t n)
{
    return n < FREE_OF_ALL ? 0 : n;
}

enum hold body_hold(struct exchange *x, uint64_t n)
{
    struct http *h = x->loop->http;
    uint64_t before = x->held, all_before = counted_for_all(before), all, own;
    enum hold hold;

    n = n < FREE_OF_OWNER ? 0 : n;
    all = counted_for_all(n) - all_before;
    all += atomic_fetch_add(&h->held, all);
    own = atomic_fetch_add(&h->held_of[x->owner], n - before) + n - before;
    x->held = n;
    hold = n <= before                                              ? HELD
           : own > h->c.held_max / 2                                ? HOLD_SHARE
           : all > h->c.held_max && counted_for_all(n) > all_before ? HOLD_ALL
                                                                    : HELD;
    if (hold == HELD)
        return HELD;
    atomic_fetch_sub(&h->held, counted_for_all(n) - all_before);
    atomic_fetch_sub(&h->held_of[x->owner], n - before);
    x->held = before;
    return hold;
}

void body_release(struct exchange *x)
{
    buf_release(&x->body);
    spool_free(x->spool);
    x->spool = NULL;
    x->most = 0;
    if (x->attached)
        x->loop->http->c.release(x->loop->http->c.ctx, x->attached);
    x->attached = NULL;
    x->body_later = false;
    x->chunks = (struct chunks){0};
    body_hold(x, 0);
    x->owner = 0;
}

void exchange_allow(struct exchange *x, uint64_t most)
{
    x->most = most;
}

void exchange_attach(struct exchange *x, void *data)
{
    x->attached = data;
}

void *exchange_detach(struct exchange *x)
{
    void *data = x->attached;

    x->attached = NULL;
    return data;
}

bool exchange_body_came_later(const struct exchange *x)
{
    return x->body_later;
}

/* Held bytes are released under the owner they were counted for. */
void exchange_own(struct exchange *x, uint64_t owner)
{
    if (!x->held)
        x->owner = (unsigned)(owner % SPOOL_SHARES);
}

quire_status exchange_spool(struct exchange *x, quire_bytes first,
                            struct spool **out, quire_error *err)
{
    return spool_open(&x->loop->http->room, x->owner, first, out, err);
}

quire_bytes exchange_body(const struct exchange *x)
{
    if (x->spool)
        return spool_bytes(x->spool);
    if (x->head.chunked)
        return buf_bytes(&x->body);
    return bytes_of((const char *)x->in.data + x->head_len,
                    (size_t)x->head.length);
}

/* ---- reading ----------------------------------------------------------- */

static size_t max_of(const struct exchange *x)
{
    const struct http_config *c = &x->loop->http->c;
    uint64_t most = x->most ? x->most : c->body_max;

    return most < c->large_max ? (size_t)most : c->large_max;
}

static enum body_state state_of(quire_status st)
{
    return st == QUIRE_BUSY || st == QUIRE_NO_MEMORY ? BODY_FULL : BODY_NO_DISK;
}

enum body_state body_begin(struct exchange *x)
{
    quire_status st;

    x->body = (struct buf)BUF_INIT((size_t)1 << 31);
    if (x->head.length > max_of(x))
        return BODY_LONG;
    if (x->head.length <= SPOOL_FROM)
        return body_hold(x, x->head.length) == HELD ? BODY_MORE : BODY_FULL;
    st = exchange_spool(x, bytes_of("", 0), &x->spool, NULL);
    return st ? state_of(st) : BODY_MORE;
}

/* Take chunks out of what has come. */
static enum head_state take_chunks(struct exchange *x)
{
    enum head_state st = HEAD_MORE;
    size_t at = x->head_len, used = 1;
    quire_bytes piece;

    while (st == HEAD_MORE && at < x->in.len && used > 0) {
        st = http_parse_chunk(&x->chunks,
                              bytes_of((char *)x->in.data + at, x->in.len - at),
                              &used, &piece);
        if (st == HEAD_BAD)
            break;
        buf_add(&x->body, piece.data, piece.len);
        at += used;
    }
    /* The head's slices point into what is kept. */
    if (st != HEAD_BAD && at > x->head_len) {
        memmove((char *)x->in.data + x->head_len, (char *)x->in.data + at,
                x->in.len - at);
        x->in.len -= at - x->head_len;
    }
    return st;
}

/* A longer body goes to a file. */
static quire_status spool_chunks(struct exchange *x)
{
    quire_status st;

    if (!x->spool && x->body.len <= SPOOL_FROM)
        return QUIRE_OK;
    if (x->spool)
        st = spool_add(x->spool, buf_bytes(&x->body), NULL);
    else
        st = exchange_spool(x, buf_bytes(&x->body), &x->spool, NULL);
    buf_release(&x->body); /* no longer counted */
    x->body = (struct buf)BUF_INIT((size_t)1 << 31);
    return st;
}

static enum body_state take_chunked(struct exchange *x)
{
    enum head_state state = take_chunks(x);
    uint64_t len = x->body.len + (x->spool ? spool_len(x->spool) : 0);
    quire_status st;

    if (state == HEAD_BAD)
        return BODY_BAD;
    if (x->body.failed || len > max_of(x))
        return BODY_LONG;
    st = spool_chunks(x);
    if (st)
        return state_of(st);
    if (body_hold(x, x->body.len) != HELD)
        return BODY_FULL;
    return state == HEAD_DONE ? BODY_DONE : BODY_MORE;
}

/* Move what has arrived to the file; the rest belongs to the next request. */
static enum body_state take_long(struct exchange *x)
{
    char *from = (char *)x->in.data + x->head_len;
    size_t there = x->in.len - x->head_len;
    uint64_t wanted = x->head.length - spool_len(x->spool);
    size_t n = there < wanted ? there : (size_t)wanted;
    quire_status st = spool_add(x->spool, bytes_of(from, n), NULL);

    if (st)
        return state_of(st);
    memmove(from, from + n, there - n);
    x->in.len -= n;
    return n == wanted ? BODY_DONE : BODY_MORE;
}

enum body_state body_take(struct exchange *x)
{
    enum body_state state;

    if (x->head.chunked)
        state = take_chunked(x);
    else if (x->spool)
        state = take_long(x);
    else
        state = x->in.len - x->head_len < x->head.length ? BODY_MORE
                                                         : BODY_DONE;
    /* Mapping the file may fail. */
    if (state == BODY_DONE && x->spool && !spool_bytes(x->spool).data)
        state = BODY_FULL;
    return state;
}

size_t body_behind_head(const struct exchange *x)
{
    return x->head.chunked || x->spool ? 0 : (size_t)x->head.length;
}

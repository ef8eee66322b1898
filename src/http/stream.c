/*
 * stream.c - streams; see http.h
 *
 * A bounded buffer connects writers and the loop. A writer appends to it and wakes
 * the loop, once until the loop has taken the bytes; the loop takes all of them when
 * it has sent the previous ones. A slow client makes the buffer grow, and is
 * disconnected when it reaches its limit.
 *
 * A stream is shared by its connection, its writers and, while there is news in
 * it, by the loop's mailbox. Each has a reference. What connects it with its
 * connection is the loop's alone.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "http/loop.h"

struct stream {
    struct stream_config c;
    atomic_int refs;
    pthread_mutex_t lock; /* of what follows, down to `next` */
    struct loop *loop;    /* NULL: not begun, or over                        */
    struct buf waiting;   /* written, and not taken by the loop              */
    bool ended;           /* nothing more is to come                         */
    bool stuck;           /* the buffer was full                             */
    bool over;            /* the client has gone                             */
    bool mailed;          /* it is in the mailbox                            */
    struct stream *next;  /* there; the mailbox's                            */
    struct exchange *x;   /* the loop's alone; NULL as `loop`                */
};

struct stream *stream_new(const struct stream_config *config)
{
    struct stream *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->c = *config;
    s->waiting = (struct buf)BUF_INIT(config->backlog);
    atomic_init(&s->refs, 1);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

struct stream *stream_hold(struct stream *s)
{
    atomic_fetch_add(&s->refs, 1);
    return s;
}

void stream_free(struct stream *s)
{
    if (!s || atomic_fetch_sub(&s->refs, 1) > 1)
        return;
    buf_release(&s->waiting);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Put it into the loop's mailbox. The lock is held. */
static void notify_loop(struct stream *s)
{
    if (!s->loop || s->mailed)
        return;
    s->mailed = true;
    loop_mail_stream(s->loop, stream_hold(s), &s->next);
}

bool stream_write(struct stream *s, quire_bytes piece)
{
    bool open;

    pthread_mutex_lock(&s->lock);
    open = !s->over && !s->ended && !s->stuck;
    if (open) {
        buf_add(&s->waiting, piece.data, piece.len);
        s->stuck = s->waiting.failed;
        notify_loop(s);
    }
    pthread_mutex_unlock(&s->lock);
    return open;
}

void stream_end(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    notify_loop(s);
    pthread_mutex_unlock(&s->lock);
}

/* ---- for the loop ------------------------------------------------------- */

const struct stream_config *stream_config(const struct stream *s)
{
    return &s->c;
}

void stream_begin(struct stream *s, struct exchange *x)
{
    pthread_mutex_lock(&s->lock);
    s->loop = x->loop;
    s->x = x;
    pthread_mutex_unlock(&s->lock);
}

enum stream_state stream_take(struct stream *s, struct buf *out)
{
    enum stream_state st;

    pthread_mutex_lock(&s->lock);
    st = s->stuck ? STREAM_STUCK : s->ended ? STREAM_ENDED : STREAM_OPEN;
    *out = s->waiting;
    s->waiting = (struct buf)BUF_INIT(s->c.backlog);
    pthread_mutex_unlock(&s->lock);
    return st;
}

void stream_over(struct stream *s)
{
    pthread_mutex_lock(&s->lock);
    s->over = true;
    s->loop = NULL;
    s->x = NULL;
    pthread_mutex_unlock(&s->lock);
    if (s->c.over)
        s->c.over(s->c.ctx);
    stream_free(s);
}

bool stream_read_mail(struct stream *s, struct exchange **x,
                      struct stream **next)
{
    bool stuck;

    pthread_mutex_lock(&s->lock);
    s->mailed = false;
    *next = s->next;
    *x = s->x;
    stuck = s->stuck;
    pthread_mutex_unlock(&s->lock);
    return stuck;
}

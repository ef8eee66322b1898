/*
 * mailbox.c - how other threads reach a loop
 *
 * Another thread puts an answered exchange or a stream with news into the
 * loop's mailbox and wakes the loop by its eventfd; the loop takes all of them.
 */
#include <unistd.h>

#include "http/loop.h"

/* The loop of this thread. */
static _Thread_local struct loop *here;

void loop_enter(struct loop *l)
{
    here = l;
}

bool loop_is_here(const struct loop *l)
{
    return here == l;
}

void loop_wake(struct loop *l)
{
    uint64_t one = 1;

    if (write(l->wake, &one, sizeof one) < 0)
        return; /* it is full, so it will wake */
}

void loop_mail(struct loop *l, struct exchange *x)
{
    bool first;

    pthread_mutex_lock(&l->lock);
    first = !l->mail;
    x->mail = NULL;
    *l->mail_end = x;
    l->mail_end = &x->mail;
    pthread_mutex_unlock(&l->lock);
    if (first) /* else it has been woken, and has not looked yet */
        loop_wake(l);
}

void loop_mail_stream(struct loop *l, struct stream *s, struct stream **next)
{
    pthread_mutex_lock(&l->lock);
    *next = NULL;
    *l->news_end = s;
    l->news_end = next;
    pthread_mutex_unlock(&l->lock);
    loop_wake(l);
}

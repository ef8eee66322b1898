/* log.c - see log.h */
#include "server/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/parallel.h"

/* A line is written to a pipe in one piece; so many bytes may wait. */
enum { LINE_MAX_BYTES = 4096, WAITING_MAX = 1 << 20, LAST_WAIT_MS = 1000 };

struct log {
    int fd;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct buf waiting;
    uint64_t dropped;
    bool ending;
};

static bool is_ending(struct log *l)
{
    bool ending;

    pthread_mutex_lock(&l->lock);
    ending = l->ending;
    pthread_mutex_unlock(&l->lock);
    return ending;
}

/* Wait until a line can be written without blocking. A pipe is writable when a whole
 * line fits. False: shutdown, and the reader takes nothing. */
static bool has_room(struct log *l)
{
    struct pollfd p = {.fd = l->fd, .events = POLLOUT};
    int waited = 0, n;

    for (;;) {
        n = poll(&p, 1, 100);
        if (n > 0 || (n < 0 && errno != EINTR))
            return n > 0;
        waited += 100;
        if (is_ending(l) && waited >= LAST_WAIT_MS)
            return false;
    }
}

static void write_lines(struct log *l, const struct buf *lines)
{
    const char *at = lines->data, *end = at + lines->len, *newline;
    uint64_t lost = 0;
    bool room = true;

    for (; at < end; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        room = room && has_room(l);
        if (!room || write(l->fd, at, (size_t)(newline - at) + 1) <= 0)
            lost++;
    }
    pthread_mutex_lock(&l->lock);
    l->dropped += lost;
    pthread_mutex_unlock(&l->lock);
}

static void *work(void *arg)
{
    struct log *l = arg;
    struct buf lines = BUF_INIT(WAITING_MAX);
    bool ending = false;

    while (!ending) {
        struct buf empty = lines;

        pthread_mutex_lock(&l->lock);
        while (l->waiting.len == 0 && !l->ending)
            pthread_cond_wait(&l->more, &l->lock);
        lines = l->waiting;
        l->waiting = empty;
        ending = l->ending;
        pthread_mutex_unlock(&l->lock);
        if (lines.len > 0)
            write_lines(l, &lines);
        buf_clear(&lines);
    }
    buf_release(&lines);
    return NULL;
}

quire_status log_open(int fd, struct log **out, quire_error *err)
{
    struct log *l = calloc(1, sizeof *l);

    *out = NULL;
    if (!l)
        return err_memory(err);
    l->fd = fd;
    l->waiting = (struct buf)BUF_INIT(WAITING_MAX);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->more, NULL);
    if (parallel_thread_start(&l->thread, work, l)) {
        *out = l;
        return QUIRE_OK;
    }
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->more);
    free(l);
    return err_set(err, QUIRE_NO_MEMORY, "cannot start the log thread");
}

void log_close(struct log *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->ending = true;
    pthread_cond_signal(&l->more);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    buf_release(&l->waiting);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->more);
    free(l);
}

void log_add(struct log *l, const struct buf *line)
{
    pthread_mutex_lock(&l->lock);
    if (line->failed || line->len > LINE_MAX_BYTES) {
        l->dropped++;
    } else {
        buf_add(&l->waiting, line->data, line->len);
        l->dropped += l->waiting.failed;
        l->waiting.failed = false;
        pthread_cond_signal(&l->more);
    }
    pthread_mutex_unlock(&l->lock);
}

uint64_t log_dropped(struct log *l)
{
    uint64_t n;

    pthread_mutex_lock(&l->lock);
    n = l->dropped;
    pthread_mutex_unlock(&l->lock);
    return n;
}

/* lifecycle.c - see lifecycle.h */
#include "server/lifecycle.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/parallel.h"
#include "server/sd_notify.h"
#include "server/priv.h"

struct lifecycle {
    struct server *server;
    pthread_t thread;
    int wake;
    atomic_bool reload, ending;
};

void lifecycle_wake(struct lifecycle *w)
{
    uint64_t one = 1;

    if (write(w->wake, &one, sizeof one) < 0)
        return; /* it is awake */
}

void lifecycle_reload(struct lifecycle *w)
{
    atomic_store(&w->reload, true);
    lifecycle_wake(w);
}

static void reload(struct server *s)
{
    quire_error err = {0};
    char words[80];

    snprintf(words, sizeof words, "RELOADING=1\nMONOTONIC_USEC=%lld",
             (long long)clock_steady_us());
    sd_notify_send(words);
    if (server_reload(s, &err))
        log_event(s, "error", "the settings are as they were", &err);
    else
        log_event(s, "info", "the settings were read again", NULL);
    sd_notify_send("READY=1");
}

/* How far workers and group_commit had come. */
struct seen {
    uint64_t jobs_done, scribed;
};

/* Work that waits while none gets done would wait for ever: then nobody hears
 * from us, and whoever waits for it begins the server again. */
static bool is_well(struct server *s, struct seen *before)
{
    struct seen now = {atomic_load(&s->jobs_done), atomic_load(&s->scribed)};
    size_t given, others;
    bool stuck;

    pthread_mutex_lock(&s->lock);
    given = s->n_given;
    others = s->n_jobs - given;
    pthread_mutex_unlock(&s->lock);
    stuck = (given > 0 && now.scribed == before->scribed) ||
            (others > 0 && now.jobs_done == before->jobs_done);
    *before = now;
    return !stuck;
}

static void *work(void *arg)
{
    struct lifecycle *w = arg;
    struct server *s = w->server;
    int64_t watchdog_us = sd_notify_watchdog_us();
    int step_ms = watchdog_us ? (int)(watchdog_us / 3000) + 1 : -1;
    struct pollfd p = {.fd = w->wake, .events = POLLIN};
    struct seen before = {0};
    uint64_t n;
    bool told = false;

    while (!atomic_load(&w->ending)) {
        int came = poll(&p, 1, step_ms);

        if (came > 0 && read(w->wake, &n, sizeof n) < 0)
            continue;
        if (atomic_exchange(&w->reload, false))
            reload(s);
        if (atomic_load(&s->draining) && !told) {
            told = true;
            sd_notify_send("STOPPING=1");
        }
        if (came == 0 && is_well(s, &before))
            sd_notify_send("WATCHDOG=1");
    }
    return NULL;
}

quire_status lifecycle_begin(struct server *s, struct lifecycle **out,
                             quire_error *err)
{
    struct lifecycle *w = calloc(1, sizeof *w);
    quire_status st;

    *out = NULL;
    if (!w)
        return err_memory(err);
    w->server = s;
    w->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (w->wake >= 0 && parallel_thread_start(&w->thread, work, w)) {
        *out = w;
        return QUIRE_OK;
    }
    st = err_sys(err, errno, "cannot begin a thread");
    if (w->wake >= 0)
        close(w->wake);
    free(w);
    return st;
}

void lifecycle_end(struct lifecycle *w)
{
    if (!w)
        return;
    atomic_store(&w->ending, true);
    lifecycle_wake(w);
    pthread_join(w->thread, NULL);
    close(w->wake);
    free(w);
}

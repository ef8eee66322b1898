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

struct steward {
    struct service *service;
    pthread_t thread;
    int wake;
    atomic_bool reload, ending;
};

void steward_wake(struct steward *w)
{
    uint64_t one = 1;

    if (write(w->wake, &one, sizeof one) < 0)
        return; /* it is awake */
}

void steward_reload(struct steward *w)
{
    atomic_store(&w->reload, true);
    steward_wake(w);
}

static void reload(struct service *s)
{
    quire_error err = {0};
    char words[80];

    snprintf(words, sizeof words, "RELOADING=1\nMONOTONIC_USEC=%lld",
             (long long)clock_steady_us());
    notify_say(words);
    if (service_reload(s, &err))
        record_event(s, "error", "the settings are as they were", &err);
    else
        record_event(s, "info", "the settings were read again", NULL);
    notify_say("READY=1");
}

/* How far workers and scribe had come. */
struct seen {
    uint64_t jobs_done, scribed;
};

/* Work that waits while none gets done would wait for ever: then nobody hears
 * from us, and whoever waits for it begins the server again. */
static bool is_well(struct service *s, struct seen *before)
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
    struct steward *w = arg;
    struct service *s = w->service;
    int64_t watchdog_us = notify_watchdog_us();
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
            notify_say("STOPPING=1");
        }
        if (came == 0 && is_well(s, &before))
            notify_say("WATCHDOG=1");
    }
    return NULL;
}

quire_status steward_begin(struct service *s, struct steward **out,
                           quire_error *err)
{
    struct steward *w = calloc(1, sizeof *w);
    quire_status st;

    *out = NULL;
    if (!w)
        return err_memory(err);
    w->service = s;
    w->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (w->wake >= 0 && team_thread(&w->thread, work, w)) {
        *out = w;
        return QUIRE_OK;
    }
    st = err_sys(err, errno, "cannot begin a thread");
    if (w->wake >= 0)
        close(w->wake);
    free(w);
    return st;
}

void steward_end(struct steward *w)
{
    if (!w)
        return;
    atomic_store(&w->ending, true);
    steward_wake(w);
    pthread_join(w->thread, NULL);
    close(w->wake);
    free(w);
}

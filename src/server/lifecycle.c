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

static void reload_settings(struct server *s)
{
    quire_error err = {0};
    char message[80];

    snprintf(message, sizeof message, "RELOADING=1\nMONOTONIC_USEC=%lld",
             (long long)clock_steady_us());
    sd_notify_send(message);
    if (server_reload(s, &err))
        log_event(s, "error", "reload failed; settings unchanged", &err);
    else
        log_event(s, "info", "settings reloaded", NULL);
    sd_notify_send("READY=1");
}

/* Requests that workers and the group commit had finished. */
struct progress {
    uint64_t jobs_done, group_jobs_done;
};

/* Requests wait and none was finished since: then no WATCHDOG=1 is sent, and
 * systemd restarts the server. */
static bool makes_progress(struct server *s, struct progress *before)
{
    struct progress now = {atomic_load(&s->jobs_done),
                           atomic_load(&s->group_jobs_done)};
    size_t grouped, others;
    bool stuck;

    pthread_mutex_lock(&s->lock);
    grouped = s->n_group_jobs;
    others = s->n_jobs - grouped;
    pthread_mutex_unlock(&s->lock);
    stuck = (grouped > 0 && now.group_jobs_done == before->group_jobs_done) ||
            (others > 0 && now.jobs_done == before->jobs_done);
    *before = now;
    return !stuck;
}

static void *run_lifecycle(void *arg)
{
    struct lifecycle *w = arg;
    struct server *s = w->server;
    int64_t watchdog_us = sd_notify_watchdog_us();
    int step_ms = watchdog_us ? (int)(watchdog_us / 3000) + 1 : -1;
    struct pollfd p = {.fd = w->wake, .events = POLLIN};
    struct progress before = {0};
    uint64_t n;
    bool announced = false;

    while (!atomic_load(&w->ending)) {
        int came = poll(&p, 1, step_ms);

        if (came > 0 && read(w->wake, &n, sizeof n) < 0)
            continue;
        if (atomic_exchange(&w->reload, false))
            reload_settings(s);
        if (atomic_load(&s->draining) && !announced) {
            announced = true;
            sd_notify_send("STOPPING=1");
        }
        if (came == 0 && makes_progress(s, &before))
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
    if (w->wake >= 0 && parallel_thread_start(&w->thread, run_lifecycle, w)) {
        *out = w;
        return QUIRE_OK;
    }
    st = err_sys(err, errno, "cannot start a thread");
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

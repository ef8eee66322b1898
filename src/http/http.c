/* http.c - the whole of the loops; see http.h */
#include "http/http.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "http/loop.h"

quire_status http_open(const struct http_config *config, struct http **out,
                       quire_error *err)
{
    struct http *h = calloc(1, sizeof *h);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    quire_status st;
    int i;

    *out = NULL;
    if (!h)
        return err_memory(err);
    h->c = *config;
    h->listener = -1;
    h->room = (struct spool_room){.dir = h->c.spool, .max = h->c.spool_max};
    h->n_loops = h->c.loops ? h->c.loops : cores > 0 ? (int)cores : 1;
    h->loops = calloc((size_t)h->n_loops, sizeof *h->loops);
    st = h->loops ? QUIRE_OK : err_memory(err);
    for (i = 0; h->loops && i < h->n_loops; i++)
        h->loops[i].wake = h->loops[i].epoll = -1;
    if (!st && h->c.tls_cert)
        st = tls_open(h->c.tls_cert, h->c.tls_key, &h->tls, err);
    if (!st)
        st = h->c.listener >= 0
                 ? http_adopt(h->c.listener, &h->listener, &h->port, err)
                 : http_listen(h->c.host, h->c.port, &h->listener, &h->port,
                               err);
    for (i = 0; i < h->n_loops && !st; i++)
        st = loop_open(&h->loops[i], h, err);
    if (st)
        http_close(h);
    else
        *out = h;
    return st;
}

quire_status http_reload(struct http *h, quire_error *err)
{
    return h->tls ? tls_reload(h->tls, err) : QUIRE_OK;
}

uint16_t http_port(const struct http *h)
{
    return h->port;
}

quire_status http_run(struct http *h, quire_error *err)
{
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < h->n_loops && !st; i++) {
        int why = pthread_create(&h->loops[i].thread, NULL, loop_run,
                                 &h->loops[i]);

        h->loops[i].started = !why;
        if (why)
            st = err_sys(err, why, "cannot begin to serve");
    }
    if (st)
        http_drain(h, 0);
    for (i = 0; i < h->n_loops; i++)
        if (h->loops[i].started) {
            pthread_join(h->loops[i].thread, NULL);
            h->loops[i].started = false;
        }
    return st;
}

void http_drain(struct http *h, int wait_ms)
{
    int i;

    atomic_store(&h->until_ms, now_ms() + wait_ms);
    atomic_store(&h->draining, 1);
    for (i = 0; i < h->n_loops; i++)
        loop_wake(&h->loops[i]);
}

void http_load(const struct http *h, uint64_t *connections, uint64_t *busy,
               uint64_t *spooled)
{
    *connections = atomic_load(&h->connections);
    *busy = atomic_load(&h->busy);
    *spooled = atomic_load(&h->room.used);
}

void http_close(struct http *h)
{
    int i;

    if (!h)
        return;
    for (i = 0; h->loops && i < h->n_loops; i++)
        loop_close(&h->loops[i]);
    if (h->listener >= 0)
        close(h->listener);
    tls_close(h->tls);
    free(h->loops);
    free(h);
}

/*
 * service.h - the server: who may ask, and who does the work
 *
 * Short operations are done by the loop that read them, each with handles of its
 * own; the others wait in a queue for a worker, and are refused when it is full.
 * Puts of several workers share commits (artifact/gather.c): a worker that waits
 * for the disk costs a thread, and nothing else.
 */
#ifndef SERVE_SERVICE_H
#define SERVE_SERVICE_H

#include "quire.h"
#include "serve/http.h"

struct service;
struct desk;

struct service_config {
    const char *home;         /* NULL: the usual one                   */
    const char *host;         /* where to listen                       */
    uint16_t port;            /* 0: any that is free                   */
    const char *admin_token;  /* NULL: there is no admin               */
    const char *const *hosts; /* more names it is called by; NULL: none */
    int workers;              /* 0: the usual number                   */
    const char *tls_cert;     /* files in PEM; NULL: no TLS            */
    const char *tls_key;
};

quire_status service_open(const struct service_config *config,
                          struct service **out, quire_error *err);
uint16_t service_port(const struct service *s);

/* Serve until service_stop(). */
quire_status service_run(struct service *s, quire_error *err);

/* Read what can change while it runs: the certificate. After a failure all is as
 * it was. From any thread, but from no signal handler. */
quire_status service_reload(struct service *s, quire_error *err);

/* Drain and end. From a signal handler, too. */
void service_stop(struct service *s);
void service_close(struct service *s);

/* What is told to who listens. */
struct events *desk_events(struct desk *d);

/* Whether new work is welcome. */
bool desk_is_ready(struct desk *d);

#endif

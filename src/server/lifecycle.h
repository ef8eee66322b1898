/*
 * lifecycle.h - reload, shutdown and watchdog
 *
 * A signal handler can do little. It wakes a thread, which reloads the settings
 * and notifies systemd: reloading, stopping, alive.
 */
#ifndef SERVER_LIFECYCLE_H
#define SERVER_LIFECYCLE_H

#include "quire.h"

struct server;
struct lifecycle;

quire_status lifecycle_begin(struct server *s, struct lifecycle **out,
                             quire_error *err);
void lifecycle_end(struct lifecycle *w); /* NULL is fine */

/* Wake the thread: to look again, or to reload. From a signal handler, too. */
void lifecycle_wake(struct lifecycle *w);
void lifecycle_reload(struct lifecycle *w);

#endif

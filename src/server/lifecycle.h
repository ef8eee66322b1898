/*
 * lifecycle.h - who minds what signals ask for
 *
 * A signal can do little where it arrives. It leaves word with the lifecycle, a
 * thread, who reads the settings again, and tells whoever started the server how
 * it is: that it reloads, that it stops, that it lives.
 */
#ifndef SERVER_LIFECYCLE_H
#define SERVER_LIFECYCLE_H

#include "quire.h"

struct server;
struct lifecycle;

quire_status lifecycle_begin(struct server *s, struct lifecycle **out,
                             quire_error *err);
void lifecycle_end(struct lifecycle *w); /* NULL is fine */

/* There is something new. From a signal handler, too. */
void lifecycle_wake(struct lifecycle *w);
void lifecycle_reload(struct lifecycle *w);

#endif

/*
 * lifecycle.h - who minds what signals ask for
 *
 * A signal can do little where it arrives. It leaves word with the steward, a
 * thread, who reads the settings again, and tells whoever started the server how
 * it is: that it reloads, that it stops, that it lives.
 */
#ifndef SERVER_LIFECYCLE_H
#define SERVER_LIFECYCLE_H

#include "quire.h"

struct service;
struct steward;

quire_status steward_begin(struct service *s, struct steward **out,
                           quire_error *err);
void steward_end(struct steward *w); /* NULL is fine */

/* There is something new. From a signal handler, too. */
void steward_wake(struct steward *w);
void steward_reload(struct steward *w);

#endif

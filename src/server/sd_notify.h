/*
 * sd_notify.h - words to whoever started the server, if it is systemd
 *
 * Its protocol is a datagram of lines to the socket that NOTIFY_SOCKET names, and
 * sockets handed over from descriptor 3 on: no library is needed for it.
 */
#ifndef SERVER_SD_NOTIFY_H
#define SERVER_SD_NOTIFY_H

#include <stdint.h>

#include "quire.h"

/* Say it, "READY=1"; without anybody to say it to, or if he does not listen,
 * nothing happens. */
void sd_notify_send(const char *words);

/* Within which time he wants to hear from this process; 0: he does not. */
int64_t sd_notify_watchdog_us(void);

/* *fd: the socket that was handed over; -1: there is none. Later calls, and
 * processes that this one starts, find none. */
quire_status sd_notify_take_listener(int *fd, quire_error *err);

#endif

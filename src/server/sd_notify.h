/*
 * sd_notify.h - systemd: notifications and socket activation
 *
 * The protocol is a datagram of lines to the socket that NOTIFY_SOCKET names, and
 * sockets passed from descriptor 3 on; it needs no library.
 */
#ifndef SERVER_SD_NOTIFY_H
#define SERVER_SD_NOTIFY_H

#include <stdint.h>

#include "quire.h"

/* Send a message, like "READY=1"; nothing without NOTIFY_SOCKET. */
void sd_notify_send(const char *message);

/* The interval of the watchdog; 0: none. */
int64_t sd_notify_watchdog_us(void);

/* *fd: the socket that systemd passed; -1: none. Later calls and child processes
 * find none. */
quire_status sd_notify_take_listener(int *fd, quire_error *err);

#endif

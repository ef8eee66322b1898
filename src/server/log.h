/*
 * log.h - log lines on standard error
 *
 * A thread writes them, each with one write(), so a reader that has stopped
 * reading blocks no request. Lines that do not fit the buffer are dropped and
 * counted.
 */
#ifndef SERVER_LOG_H
#define SERVER_LOG_H

#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

struct log;

/* To `fd`, which the caller owns. */
quire_status log_open(int fd, struct log **out, quire_error *err);

/* Writes what is buffered, for at most a second. NULL is fine. */
void log_close(struct log *l);

/* Add a line, with its newline. From any thread; never blocks. */
void log_add(struct log *l, const struct buf *line);

/* Lines dropped so far. */
uint64_t log_dropped(struct log *l);

#endif

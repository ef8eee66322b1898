/*
 * log.h - lines on standard error, for whoever runs the server
 *
 * A thread of its own writes them, each with one write(), so that a reader who
 * has stopped reading holds up nobody. What he does not take in time is dropped,
 * and counted.
 */
#ifndef SERVER_LOG_H
#define SERVER_LOG_H

#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

struct log;

/* To `fd`, which is the caller's. */
quire_status log_open(int fd, struct log **out, quire_error *err);

/* What was added is written first, if somebody takes it within a second. NULL is
 * fine. */
void log_close(struct log *l);

/* A line, with its newline. From any thread; waits for nobody. */
void log_add(struct log *l, const struct buf *line);

/* Lines that were dropped so far. */
uint64_t log_dropped(struct log *l);

#endif

/*
 * queue.h - calls in the order they came, and which may be done next
 *
 * A line that is not served strictly from its head:
 *
 *     a look    waits for changes before it
 *     a change  waits for looks and changes before it
 *     a run     waits for changes before it, and for its share of the workers
 *
 * No call waits for a run. The caller locks.
 */
#ifndef MCP_QUEUE_H
#define MCP_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/mcp.h"

struct job {
    struct job *next;
    struct mcp_call *call;
    enum mcp_state kind; /* MCP_LOOK, MCP_CHANGE or MCP_LONG */
    size_t bytes;        /* of its message                   */
    bool running;
};

struct queue {
    struct job *first, **last; /* all that have not ended, running ones too */
    size_t n, bytes;
    unsigned n_long, max_long; /* that are running, that may be             */
};

void queue_init(struct queue *q, unsigned max_long);

/* False: no memory. */
bool queue_add(struct queue *q, struct mcp_call *c, size_t bytes);

/* The first that may be done now, marked as running; NULL: none. */
struct job *queue_take(struct queue *q);

/* It has ended, and is freed. */
void queue_drop(struct queue *q, struct job *job);

#endif

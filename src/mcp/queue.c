/* queue.c - see queue.h */
#include "mcp/queue.h"

#include <stdlib.h>

void queue_init(struct queue *q, unsigned max_long)
{
    *q = (struct queue){.max_long = max_long};
    q->last = &q->first;
}

bool queue_add(struct queue *q, struct mcp_call *c, size_t bytes)
{
    struct job *job = calloc(1, sizeof *job);

    if (!job)
        return false;
    job->call = c;
    job->kind = mcp_state(c);
    job->bytes = bytes;
    *q->last = job;
    q->last = &job->next;
    q->n++;
    q->bytes += bytes;
    return true;
}

struct job *queue_take(struct queue *q)
{
    bool looks = false, changes = false, may;
    struct job *job;

    for (job = q->first; job; job = job->next) {
        may = job->kind == MCP_LOOK     ? !changes
              : job->kind == MCP_CHANGE ? !changes && !looks
                                        : !changes && q->n_long < q->max_long;
        if (may && !job->running)
            break;
        looks |= job->kind == MCP_LOOK;
        changes |= job->kind == MCP_CHANGE;
    }
    if (!job)
        return NULL;
    job->running = true;
    q->n_long += job->kind == MCP_LONG;
    return job;
}

void queue_drop(struct queue *q, struct job *job)
{
    struct job **at = &q->first;

    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    if (q->last == &job->next)
        q->last = at;
    q->n--;
    q->bytes -= job->bytes;
    q->n_long -= job->kind == MCP_LONG;
    free(job);
}

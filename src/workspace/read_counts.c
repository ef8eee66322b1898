/*
 * read_counts.c - how often artifacts were read
 *
 * That is for information, and a transaction for each takes longer than the
 * read itself. So reads are noted here and written for many at once: when there
 * are some, or after a second, by the next request; else when the workspace is
 * closed. A process that dies loses the last of them.
 */
#include <stdlib.h>
#include <string.h>

#include "workspace/priv.h"

#define READS_US 1000000

void read_counts_add(struct workspace *s, const char *path)
{
    int64_t now = clock_us(s->c.clock);
    char *copy;
    size_t i;

    for (i = 0; i < s->n_reads; i++)
        if (!strcmp(s->reads[i].path, path)) {
            s->reads[i].n++;
            s->reads[i].last_us = now;
            return;
        }
    /* Full: somebody has been in the way for long. */
    copy = s->n_reads < WORKSPACE_READS_MAX ? strdup(path) : NULL;
    if (!copy)
        return;
    if (s->n_reads == 0)
        s->reads_us = now;
    s->reads[s->n_reads++] = (struct workspace_read){.path = copy,
                                                     .n = 1,
                                                     .last_us = now};
}

/* A clock that was set back makes it time, too. */
static bool is_due(const struct workspace *s)
{
    return s->n_reads == WORKSPACE_READS_MAX ||
           (uint64_t)(clock_us(s->c.clock) - s->reads_us) > READS_US;
}

void read_counts_flush(struct workspace *s, bool last)
{
    const struct workspace_callbacks *callbacks = &s->c.callbacks;
    size_t i;

    if (s->n_reads == 0 || (!last && !is_due(s)))
        return;
    if (callbacks->count_reads(callbacks->ctx, s->reads, s->n_reads, NULL) &&
        !last)
        return; /* the next request tries again */
    for (i = 0; i < s->n_reads; i++)
        free(s->reads[i].path);
    s->n_reads = 0;
}

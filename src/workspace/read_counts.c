/*
 * read_counts.c - how often artifacts were read
 *
 * The counts are for information, and a transaction for each read would take
 * longer than the read. So reads are queued and written together: when enough
 * are queued, or after a second, by the next request, or when the workspace is
 * closed. A crash loses the last ones.
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
    /* Full: the database has been busy for long. */
    copy = s->n_reads < WORKSPACE_READS_MAX ? strdup(path) : NULL;
    if (!copy)
        return;
    if (s->n_reads == 0)
        s->reads_us = now;
    s->reads[s->n_reads++] = (struct workspace_read){.path = copy,
                                                     .n = 1,
                                                     .last_us = now};
}

/* A clock that was set back also makes them due. */
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

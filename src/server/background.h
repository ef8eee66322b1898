/*
 * background.h - what a server does without being asked
 *
 * One thread collects what nothing refers to, when that is due, and keeps the
 * files of all tenants' workspaces in step with their artifacts. It has handles
 * of its own, and nobody waits for it. What fails is tried again. What it
 * finds is told to who listens.
 */
#ifndef SERVER_BACKGROUND_H
#define SERVER_BACKGROUND_H

#include <stdatomic.h>

#include "quire.h"
#include "server/metrics.h"

struct background;
struct events;

struct background_config {
    const char *home;
    struct events *events;
    /* How many calls were begun, and are done. While there is one, what changes
     * may be by it; else it is by another process, and told as `changed`. */
    const atomic_uint_fast64_t *begun, *done;
};

quire_status background_begin(const struct background_config *config,
                              struct background **out, quire_error *err);

/* How much there is and what was collected, as far as it is known. How much there
 * is is counted while somebody asks for it, now and then, and told the next time:
 * to count reads every session. Any thread. */
void background_report(struct background *u, struct metrics_state *state);

/* Ends when what it is at is done; NULL is fine. */
void background_end(struct background *u);

#endif

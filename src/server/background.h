/*
 * background.h - periodic work of a server
 *
 * One thread, with handles of its own, runs gc when it is due, keeps the files of
 * all tenants' workspaces in sync with their artifacts, and publishes what it
 * finds. A failure is retried.
 */
#ifndef SERVER_BACKGROUND_H
#define SERVER_BACKGROUND_H

#include <stdatomic.h>

#include "quire.h"
#include "server/metrics.h"

struct background;
struct events;
struct mcp_registry;

/* Requests begun and done. */
struct request_count {
    atomic_uint_fast64_t begun, done;
};

struct background_config {
    const quire_options *store; /* borrowed */
    size_t watched_max; /* workspaces; others are synchronised when used */
    struct events *events;
    struct mcp_registry *mcp_registry;
    /* If no request runs, a change of the catalogue is another process's, and published
     * as `changed`; if no write runs, that of a session file, too. */
    const struct request_count *requests, *writes;
    quire_search_watch *search_watch; /* of the server; borrowed */
};

quire_status background_begin(const struct background_config *config,
                              struct background **out, quire_error *err);

/* Counts of the store and of gc, as of the last count. A call schedules the next
 * count, because counting reads every session. Any thread. */
void background_report(struct background *u, struct metrics_state *state);

/* Waits for the step that runs; NULL is fine. */
void background_end(struct background *u);

#endif

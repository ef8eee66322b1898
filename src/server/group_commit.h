/*
 * group_commit.h - one transaction for the small writes of many requests
 *
 * One thread applies small writes to the catalogue from all requests; everything
 * that arrived during the last sync shares the next transaction. Responses are
 * sent once the commit is durable. A single write waits for no other.
 *
 * The thread's page cache stays valid, because no other thread writes meanwhile;
 * an idempotency key and its effects are committed together.
 */
#ifndef SERVER_GROUP_COMMIT_H
#define SERVER_GROUP_COMMIT_H

#include <stdbool.h>

#include "quire.h"

struct request;
struct group_commit;
struct server;

quire_status group_commit_begin(struct server *s, struct group_commit **out,
                                quire_error *err);

/* Whether the request is such a write. */
bool group_commit_accepts(const struct request *c);

/* Queue the request; the thread runs and answers it. False: too many wait. */
bool group_commit_submit(struct group_commit *s, struct request *c);

/* After all queued requests. */
void group_commit_end(struct group_commit *s);

#endif

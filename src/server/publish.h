/* publish.h - the event of a request that has changed something */
#ifndef SERVER_PUBLISH_H
#define SERVER_PUBLISH_H

#include "server/request.h"

/* Publish the event of the request's route, derived from its path and answer;
 * nothing if it failed or changed nothing. */
void request_publish_event(struct request *c);

/* Publish one of several changes that a request has made. */
void request_publish_one(struct request *c, enum event_kind kind,
                         int64_t conversation, quire_bytes data);

#endif

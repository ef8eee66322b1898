/*
 * group_commit.h - the one who writes what many ask for
 *
 * Small changes of the catalogue wait here, and are made by one thread with one
 * handle: all that came while it waited for the disk are one group, one
 * transaction and one wait more. They are answered when they last. One alone
 * waits for nobody.
 *
 * What the handle read stays read, because nobody else changes it meanwhile; and
 * a request with a key and what it does are kept together or not at all.
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

/* Whether the call is one of those. */
bool group_commit_accepts(const struct request *c);

/* Have it made and answered. False: too many are waiting. */
bool group_commit_submit(struct group_commit *s, struct request *c);

/* After what waits is done. */
void group_commit_end(struct group_commit *s);

#endif

/*
 * answers.h - which session has the usage of an answer
 *
 * A fork begins with a copy of its origin's records, a sub-agent's file may, too. The
 * first session that is imported with an answer has its usage; in others it is zero.
 * The ledger knows the answers of earlier imports, this table those of the one that
 * runs, whose threads share it.
 */
#ifndef IMPORT_ANSWERS_H
#define IMPORT_ANSWERS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/map.h"
#include "import/convert.h"
#include "quire.h"

struct import_answers {
    pthread_mutex_t lock;
    struct map owners; /* by answer: a hash of the session's id */
    struct arena keep;
};

void answers_init(struct import_answers *a);
void answers_release(struct import_answers *a);

/* Whether another session than `session` has the answer; from now on one has. `q` may
 * be NULL. Where it cannot be told, the answer counts here. */
bool answers_elsewhere(struct import_answers *a, quire *q, uint64_t answer,
                       const char *session);

/* A number for the answer of an agent; 0: it has no id. */
uint64_t answers_key(const char *agent, const struct import_usage *u);

#endif

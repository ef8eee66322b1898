/*
 * survey.h - what agents have on this machine, and how much of it was imported
 *
 * Counts the files that were found (places.h), without opening them.
 */
#ifndef IMPORT_SURVEY_H
#define IMPORT_SURVEY_H

#include "import/agents.h"

struct import_survey_row {
    const struct import_agent *agent;
    uint64_t sessions; /* that can be read                              */
    uint64_t imported; /* of these, in the ledger under this path       */
    uint64_t bytes;    /* of sessions, and of files that belong to them */
    int64_t newest_ns; /* when a session was changed last               */
};

/* A row for each agent that has a session, in the order of the registry. `q` NULL:
 * nothing was imported. */
quire_status import_survey(quire *q, const struct import_places *places,
                           struct import_survey_row rows[IMPORT_AGENTS_MAX],
                           size_t *n, quire_error *err);

#endif

/* run.h - the record of commands that were run, for the other files here */
#ifndef API_RUN_H
#define API_RUN_H

#include "api/priv.h"

/* The table, for the schema of quire.db. */
extern const char run_schema[];

/* Note that a command begins; *id is its number. Then that it has ended. */
quire_status runs_begin(struct quire *q, const char *session,
                        const char *command, bool unconfined, int64_t *id,
                        quire_error *err);
quire_status runs_end(struct quire *q, const quire_run_record *r,
                      quire_error *err);

#endif

/* postgres_error.h - failures that a PostgreSQL server reports */
#ifndef STORE_POSTGRES_ERROR_H
#define STORE_POSTGRES_ERROR_H

#include "quire.h"
#include "store/postgres_lib.h"

/* QUIRE_OK for a result that is none of a failure; else the status and message that
 * belong to its code (SQLSTATE). `what` names the server. Of statements that were
 * skipped because an earlier one failed: QUIRE_OK, the earlier one is reported. */
quire_status postgres_check(const struct libpq *lib, const PGresult *r,
                            const char *what, quire_error *err);

#endif

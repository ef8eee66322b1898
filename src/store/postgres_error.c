/* postgres_error.c - see postgres_error.h */
#include "store/postgres_error.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

/* By code, or by the class that its first two characters are. */
static const struct {
    const char *code;
    quire_status status;
    const char *hint;
} known[] = {
    {"23", QUIRE_EXISTS, NULL},
    {"22", QUIRE_INVALID, NULL},
    {"40", QUIRE_BUSY, "try again: another transaction came between"},
    {"55P03", QUIRE_BUSY, "try again when the other writer has finished"},
    {"57014", QUIRE_BUSY, "try again: the statement took too long"},
    {"53200", QUIRE_NO_MEMORY, "give the database server more memory"},
    {"53100", QUIRE_IO, "free space on the disk of the database server"},
    {"53300", QUIRE_BUSY,
     "raise max_connections of the server, or lower the number of connections"},
    {"25006", QUIRE_IO, "connect to the primary: this server is read-only"},
    {"28", QUIRE_IO, "check the user and the password of the database"},
    {"3D", QUIRE_NOT_FOUND, "create the database first"},
    {"XX", QUIRE_DAMAGED, "look into the log of the database server"},
    {"57P", QUIRE_IO, "try again when the server is up"},
    {"08", QUIRE_IO, "try again when the server is reachable"},
};

quire_status postgres_check(const struct libpq *lib, const PGresult *r,
                            const char *what, quire_error *err)
{
    ExecStatusType status = r ? lib->resultStatus(r) : PGRES_COMMAND_OK;
    const char *code, *why;
    size_t i;

    if (status != PGRES_FATAL_ERROR && status != PGRES_BAD_RESPONSE)
        return QUIRE_OK;
    code = lib->resultErrorField(r, PG_DIAG_SQLSTATE);
    why = lib->resultErrorField(r, PG_DIAG_MESSAGE_PRIMARY);
    for (i = 0; code && i < sizeof known / sizeof *known; i++)
        if (!strncmp(code, known[i].code, strlen(known[i].code)))
            return err_fail(err, known[i].status, known[i].hint, "%s: %s", what,
                            why ? why : code);
    return err_fail(err, QUIRE_IO, "look into the log of the database server",
                    "%s: %s", what, why ? why : "the connection was lost");
}

/* open.h - the address that opens the viewer */
#ifndef CLI_CMD_OPEN_H
#define CLI_CMD_OPEN_H

#include "quire.h"

enum { LOGIN_URL_SIZE = 640 };

/* "http://127.0.0.1:7733/#token=qrt_...": a new token of the tenant, valid on this
 * machine alone, for a month. The fragment is never sent to a server. `session` is
 * the id of one to open; NULL: the first page. */
quire_status login_url(quire *q, const char *tenant, const char *server,
                       const char *session, char url[LOGIN_URL_SIZE],
                       quire_error *err);

#endif

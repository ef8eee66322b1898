/* openapi.h - /openapi.json, generated from the table of routes */
#ifndef SERVER_OPENAPI_OPENAPI_H
#define SERVER_OPENAPI_OPENAPI_H

#include "base/buf.h"

void openapi_write(struct buf *out);

#endif

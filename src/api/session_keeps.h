/* session_keeps.h - pins and holds in lists of sessions */
#ifndef API_SESSION_KEEPS_H
#define API_SESSION_KEEPS_H

#include "api/core/handle.h"
#include "base/map.h"
#include "catalog/session_keep.h"

/* Those of a tenant, by the ids of sessions. */
struct session_keeps {
    struct map by_id;  /* struct session_keep      */
    struct map pinned; /* ids of pinned ones alone */
    struct arena arena;
};

/* Load them, of the handle's tenant; a home without pins has none. Release them, on
 * failure too. The catalogue need not be open. */
quire_status session_keeps_load(struct quire *q, struct session_keeps *out,
                                quire_error *err);
void session_keeps_release(struct session_keeps *k);

/* Those of a session; NULL: neither. */
const struct session_keep *session_keeps_find(const struct session_keeps *k,
                                              const char *id);

/* Describe them. Text is borrowed. */
void session_keep_describe(const struct session_keep *k,
                           quire_session_info *info);

#endif

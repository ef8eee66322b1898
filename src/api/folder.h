/* folder.h - see folders.c */
#ifndef API_FOLDER_H
#define API_FOLDER_H

#include "base/map.h"
#include "api/priv.h"

/* The tables, for the schema of quire.db. */
extern const char folder_schema[];

/* In which folder the session with this number is; 0: in none. Text on loan
 * stays. */
quire_status folders_find(struct quire *q, int64_t number, int64_t *folder,
                          quire_error *err);

/* Put the ids of all sessions in one folder, or with -1 in any, into a map; they
 * are in `keep`. QUIRE_NOT_FOUND with words: no such folder. */
quire_status folders_keys(struct quire *q, int64_t folder, struct map *keys,
                          struct arena *keep, quire_error *err);

#endif

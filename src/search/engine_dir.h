/* engine_dir.h - the files of a search index, opened to be looked at */
#ifndef SEARCH_ENGINE_DIR_H
#define SEARCH_ENGINE_DIR_H

#include "search/engine.h"

/* The directories of a tenant's indexes, below its own; the last is NULL. */
extern const char *const engine_dirs[];

/* "<dir>/search.db", in `keep`; NULL: out of memory. */
char *engine_dir_database(const char *dir, struct arena *keep);

/* Open the index in a directory for reading; creates and updates nothing.
 * QUIRE_NOT_FOUND without a message: there is none. */
quire_status engine_dir_open(const char *dir, int busy_ms, struct engine **out,
                             quire_error *err);

#endif

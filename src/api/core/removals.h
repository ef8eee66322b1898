/* removals.h - removing the files of sessions, workspaces and tenants; see removals.c */
#ifndef API_CORE_REMOVALS_H
#define API_CORE_REMOVALS_H

#include "api/core/handle.h"

/* Finish removals that a crashed process recorded. */
void finish_removals(struct quire *q);

/* ---- a session ----------------------------------------------------------- */

/* Whether a file in the outputs directory of a session is an output. In the home
 * all files there belong to the session; elsewhere a directory of that name may
 * hold other files. */
bool session_is_output(const char *name);

/* Call `each` for the originals that repair keeps: "<name>.<anything>.bak". */
quire_status session_each_backup(struct store *store, const char *name,
                                 object_each_fn each, void *ctx,
                                 quire_error *err);

/* Lock the directory that a session is about to leave, so that no output is added
 * there. */
quire_status session_lock_dir(struct quire *q, struct store *store,
                              const char *name, struct arena *tmp,
                              quire_error *err);

/* Remove the locked session and its files. Its directory is locked: an output
 * added meanwhile would remain. */
quire_status session_remove_files(const struct session_location *p,
                                  struct arena *tmp, quire_error *err);

/* ---- a workspace --------------------------------------------------------- */

/* The directory of a session's workspace, relative to the home, in `keep`; NULL:
 * the id cannot be a directory, or out of memory. */
const char *workspaces_dir(struct quire *q, const char *key,
                           struct arena *keep);

/* Whether a recorded removal is the workspace of a session (*is); if so it is
 * removed, unless the session has a row. A failure leaves the record. */
quire_status removal_finish_workspace(struct quire *q, const char *tree,
                                      bool *is, quire_error *err);

/* ---- a tenant ------------------------------------------------------------ */

/* "tenants/12". */
enum { TENANT_DIR_SIZE = 40 };
void tenants_dir(int64_t id, char out[TENANT_DIR_SIZE]);

/* Remove a recorded directory, once the record is durable. */
quire_status removal_finish_tree(struct quire *q, struct store *home,
                                 const char *dir, quire_error *err);

#endif

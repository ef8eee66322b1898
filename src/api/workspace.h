/* workspace.h - workspaces, for the other files of this module */
#ifndef API_WORKSPACE_H
#define API_WORKSPACE_H

#include "api/core/handle.h"

/* Bring the workspace file of an artifact up to date, if the session has a
 * workspace; in a transaction after the commit. What fails is repeated by the
 * next sync, except for FOLLOW_BEFORE. Keeps text in q->loan. */
quire_status workspace_follow_artifact(struct quire *q, const char *key,
                                       const char *path, enum follow when,
                                       quire_error *err);

/* At the end of a transaction: do what was left for the commit, or drop it. */
void workspace_follow_pending(struct quire *q);
void workspace_drop_pending(struct quire *q);

/* Sync one path of a session's workspace, or with NULL all of it. `key` is the
 * session's id. */
quire_status workspaces_sync(struct quire *q, const char *key, const char *path,
                             quire_workspace_fn each, void *ctx,
                             quire_error *err);

/* The handle of a workspace. */
struct quire *workspaces_handle(quire_workspace *w);

/* An emptied arena for results, valid until the next run in the workspace. */
struct arena *workspaces_loan(quire_workspace *w);

#endif

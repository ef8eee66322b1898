/* workspace.h - files of sessions that lie open, for the other files here */
#ifndef API_WORKSPACE_H
#define API_WORKSPACE_H

#include "api/priv.h"

enum follow {
    FOLLOW_PUT,    /* it was put, or brought back                        */
    FOLLOW_BEFORE, /* it is to go: what somebody did to its file becomes a
                      version, and that both agree is on record          */
    FOLLOW_AWAY,   /* it was put away                                    */
};

/* An artifact is put or put away by another door: its file follows, if its
 * session has a workspace. What cannot be done now is done by whoever looks
 * next, but for FOLLOW_BEFORE. Text on loan stays. */
quire_status workspace_follow_artifact(struct quire *q, const char *key,
                                       const char *path, enum follow when,
                                       quire_error *err);

/* The directory of a session's workspace, from the home on, in `keep`; NULL: it
 * can have none, or there is no memory. */
const char *workspaces_dir(struct quire *q, const char *key,
                           struct arena *keep);

/* Whether a tree that is noted to go is the workspace of a session; it is
 * removed, if the session has gone. */
bool workspaces_finish(struct quire *q, const char *tree);

/* Look at one path of a session's workspace, or with NULL at all: quire.h's
 * quire_workspace_sync(). `key` is the session's own id. */
quire_status workspaces_sync(struct quire *q, const char *key, const char *path,
                             quire_workspace_fn each, void *ctx,
                             quire_error *err);

/* The handle that a workspace was opened with. */
struct quire *workspaces_handle(quire_workspace *w);

/* Emptied: for text that is lent out until the next run in the workspace. */
struct arena *workspaces_loan(quire_workspace *w);

#endif

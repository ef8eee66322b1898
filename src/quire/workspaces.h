/* workspaces.h - files of sessions that lie open, for the other files here */
#ifndef QUIRE_WORKSPACES_H
#define QUIRE_WORKSPACES_H

#include "quire/priv.h"

/* An artifact was put or put away by another door: its file follows, if its
 * session has a workspace. What cannot be done now is done by whoever looks
 * next. Text on loan stays. */
void workspaces_follow(struct quire *q, const char *key, const char *path);

/* The directory of a session's workspace, from the home on, in `keep`; NULL: it
 * can have none, or there is no memory. */
const char *workspaces_dir(struct quire *q, const char *key,
                           struct arena *keep);

/* Whether a tree that is noted to go is the workspace of a session; it is
 * removed, if the session has gone. */
bool workspaces_finish(struct quire *q, const char *tree);

#endif

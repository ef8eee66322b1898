/* trash.h - moving the files of sessions into the trash and back; see trash.c */
#ifndef API_CORE_TRASH_H
#define API_CORE_TRASH_H

#include "api/core/handle.h"
#include "catalog/trash.h"

/* "trash/12", the directory of an entry. */
enum { TRASH_DIR_SIZE = 32 };
void trash_dir(const struct trash_entry *e, char out[TRASH_DIR_SIZE]);

/* Where the file of an entry is in the trash, relative to the home; NULL: out of
 * memory. */
const char *trash_name(const struct trash_entry *e, struct arena *keep);

/* The workspace of its session, relative to the home, in `keep`; NULL: it cannot
 * have one, or out of memory. */
const char *trash_workspace(const struct trash_entry *e, struct arena *keep);

/* Lock the directory of the workspace, on the side it comes from; *held is to be
 * closed, -1: there is none. */
quire_status trash_hold_workspace(struct quire *q, const struct trash_entry *e,
                                  int wait_ms, int *held, quire_error *err);

/* Move the files of an entry as its state says, then settle it. The caller holds its
 * file and its workspace. What has been moved already stays where it is, so that a second call
 * completes the first. */
quire_status trash_move(struct quire *q, const struct trash_entry *e,
                        quire_error *err);

/* Complete the moves that a crashed process began. */
void trash_finish(struct quire *q);

#endif

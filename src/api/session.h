/* session.h - what the files of session functions share */
#ifndef API_SESSION_H
#define API_SESSION_H

#include "api/core/handle.h"
#include "session/list.h"
#include "session/names.h"
#include "session/session.h"

/* Id and file name of a new session, in an arena. */
struct new_session {
    struct session_birth birth;
    char id[NAMES_ID_SIZE];
    const char *name; /* in the home */
};

struct session_env sessions_env(struct quire *q, bool omp);

/* session_env.next, in session_continue.c. */
quire_status session_next(void *ctx, const char *id, const char *name,
                          bool make, quire_session **out, quire_error *err);

quire_status sessions_may_write(struct quire *q, quire_error *err);

/* Choose id and file name of a new session of `cwd` (NULL: the process's). */
quire_status new_session_plan(struct quire *q, const char *cwd,
                              const char *title, const char *parent,
                              struct arena *keep, struct new_session *b,
                              quire_error *err);

/* Create the catalogue before the first session: a home with sessions alone would
 * be taken for another program's. */
quire_status sessions_mark_home(struct quire *q, quire_error *err);

/* Open a location, and take it over. */
quire_status session_open_location(struct quire *q, struct session_location *p,
                                   const quire_session_options *o,
                                   struct arena *tmp, quire_session **out,
                                   quire_error *err);

/* Open a session of the home by its file name, for writing; if another writer
 * has it, for reading. */
quire_status session_open_named(struct quire *q, const char *name,
                                struct arena *tmp, quire_session **out,
                                quire_error *err);

/* List the active or the archived sessions. Release the list, on failure too. */
quire_status sessions_list(struct quire *q, bool archived, struct list *l,
                           quire_error *err);

/* Describe a list item; its path is in `path`. */
quire_status session_describe_item(struct store *store,
                                   const struct list_item *item,
                                   struct buf *path, quire_session_info *out,
                                   quire_error *err);

/* Add a message to a status about an entry. */
quire_status session_entry_not_found(quire_session *s, const char *id,
                                     quire_status st, quire_error *err);

#endif

/* session.h - what the two halves of the session functions share */
#ifndef API_SESSION_H
#define API_SESSION_H

#include "api/priv.h"
#include "session/list.h"
#include "session/names.h"
#include "session/session.h"

struct quire_session {
    struct quire *q;
    struct session *s;
};

/* What a new session is called, in an arena. */
struct new_session {
    struct session_birth birth;
    char id[NAMES_ID_SIZE];
    const char *name; /* in the home */
};

struct session_env sessions_env(struct quire *q, bool omp);
quire_status sessions_may_write(struct quire *q, quire_error *err);

/* A name, and a place, for a new session of `cwd` (NULL: the process's). */
quire_status new_session_plan(struct quire *q, const char *cwd,
                              const char *title, const char *parent,
                              struct arena *keep, struct new_session *b,
                              quire_error *err);

/* Before a first session is written. A home is recognised by its catalogue:
 * one with sessions alone would be taken for another program's. */
quire_status sessions_mark_home(struct quire *q, quire_error *err);

/* Open what was found; the place is used up. */
quire_status session_open_location(struct quire *q, struct session_location *p,
                                   const quire_session_options *o,
                                   struct arena *tmp, quire_session **out,
                                   quire_error *err);

/* Find the sessions in use, or those put away. The list has its arena; release
 * it, whatever the status. */
quire_status sessions_list(struct quire *q, bool archived, struct list *l,
                           quire_error *err);

/* What there is to tell of one of them, in a store; its path is in `path`. */
quire_status session_describe_item(struct object_store *store,
                                   const struct list_item *item,
                                   struct buf *path, quire_session_info *out,
                                   quire_error *err);

/* An answer about an entry, in words. */
quire_status session_entry_not_found(quire_session *s, const char *id,
                                     quire_status st, quire_error *err);

#endif

/* quire/folder.h - folders of sessions */
#ifndef QUIRE_FOLDER_H
#define QUIRE_FOLDER_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/*
 * A folder is a name that a tenant gives to some of its sessions, for people to
 * find them by: a label, not a directory. A session is in one folder, or in
 * none. Filing it changes nothing in it.
 */
typedef struct quire_folder {
    int64_t id;
    const char *name;  /* no two of a tenant have the same                   */
    uint64_t sessions; /* that are in it, archived ones too                  */
    int64_t created_us;
    int64_t updated_us; /* when it got its name                              */
    uint64_t reserved[4];
} quire_folder;

typedef quire_status (*quire_folder_fn)(void *ctx, const quire_folder *folder,
                                        quire_error *err);

/* Each of the tenant's, by name; what `each` is given is good until it returns.
 * One by its id; its name is on loan until the next call. */
quire_status quire_folder_list(quire *q, quire_folder_fn each, void *ctx,
                               quire_error *err);
quire_status quire_folder_get(quire *q, int64_t id, quire_folder *out,
                              quire_error *err);

/* Add a folder, give one another name, remove one: the sessions in it are in
 * none then. Blanks at the ends of a name are dropped. Lasting.
 *
 * QUIRE_INVALID    the name is empty, longer than 200 bytes, or not UTF-8
 * QUIRE_EXISTS     another folder has the name
 * QUIRE_NOT_FOUND  no such folder */
quire_status quire_folder_add(quire *q, const char *name, quire_folder *out,
                              quire_error *err);
quire_status quire_folder_rename(quire *q, int64_t id, const char *name,
                                 quire_folder *out, quire_error *err);
quire_status quire_folder_remove(quire *q, int64_t id, quire_error *err);

/* File a session, named as for quire_session_row_of(), in a folder; 0: in none.
 * Lasting. QUIRE_NOT_FOUND: no such session, or folder. */
quire_status quire_session_file(quire *q, const char *which, int64_t folder,
                                quire_error *err);

QUIRE_DECLS_END

#endif

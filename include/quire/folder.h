/*
 * quire/folder.h - folders of sessions
 *
 * A folder is a label, not a directory: a name that a tenant gives to some of
 * its sessions. A session is in at most one folder; filing it changes nothing
 * in it.
 */
#ifndef QUIRE_FOLDER_H
#define QUIRE_FOLDER_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_folder {
    int64_t id;
    const char *name;  /* unique within the tenant               */
    uint64_t sessions; /* in it, archived ones included          */
    int64_t created_us;
    int64_t updated_us; /* when it was created or renamed         */
    uint64_t position;  /* folders are listed by it; 0 at first   */
    uint64_t reserved[3];
} quire_folder;

typedef quire_status (*quire_folder_fn)(void *ctx, const quire_folder *folder,
                                        quire_error *err);

/* List the tenant's folders by position and name, or return one by its id.
 *
 * Owns: list: lent until `each` returns; get: until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  get: no such folder
 * Durable: reads only. */
quire_status quire_folder_list(quire *q, quire_folder_fn each, void *ctx,
                               quire_error *err);
quire_status quire_folder_get(quire *q, int64_t id, quire_folder *out,
                              quire_error *err);

/* Add, rename, place or remove a folder. The sessions of a removed one are in none
 * afterwards. Blanks at the ends of a name are dropped.
 *
 * Owns: the text of *out is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_INVALID    the name is empty, longer than 200 bytes, or not UTF-8; the
 *                    position is above 2147483647
 *   QUIRE_EXISTS     another folder has the name
 *   QUIRE_NOT_FOUND  no such folder
 * Durable: on return. */
quire_status quire_folder_add(quire *q, const char *name, quire_folder *out,
                              quire_error *err);
quire_status quire_folder_rename(quire *q, int64_t id, const char *name,
                                 quire_folder *out, quire_error *err);
quire_status quire_folder_place(quire *q, int64_t id, uint64_t position,
                                quire_folder *out, quire_error *err);
quire_status quire_folder_remove(quire *q, int64_t id, quire_error *err);

/* File a session, named as for quire_session_row_of(), in a folder; 0: in none.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such session or folder
 *   QUIRE_INVALID    the session does not lie in this home
 * Durable: on return. */
quire_status quire_session_file(quire *q, const char *which, int64_t folder,
                                quire_error *err);

QUIRE_DECLS_END

#endif

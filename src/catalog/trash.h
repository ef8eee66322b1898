/*
 * trash.h - sessions in the trash as rows
 *
 * The rows of a session in the trash stay, and are hidden: the key of its row is
 * "trash:<id of the entry>", so that no look-up finds it and another session may
 * have its id; and `deleted` of its artifacts is -1 - deleted, negative, so that
 * they count for nothing, are listed nowhere, and become what they were.
 */
#ifndef CATALOG_TRASH_H
#define CATALOG_TRASH_H

#include "catalog/catalog.h"

enum trash_state {
    TRASH_GOING = 1, /* the rows are hidden, files are being moved here */
    TRASH_HERE = 2,
    TRASH_LEAVING = 3, /* the rows are shown, files are being moved back */
};

/* Text is in an arena. */
struct trash_entry {
    int64_t id, tenant;
    const char *key;  /* the id of the session                           */
    int64_t session;  /* its row, in the trash, too; 0: none             */
    int64_t folder;   /* that it was in; 0: none                         */
    const char *name; /* where its file was, relative to the home        */
    const char *title;
    int64_t removed_us;
    uint64_t bytes; /* of its files and artifacts                      */
    enum trash_state state;
};

/* Add an entry, whose number is set, and with `rows` hide the rows of the session.
 * Inside a write transaction. QUIRE_EXISTS with a message: the session is held. */
quire_status trash_add(struct catalog *c, struct trash_entry *e, bool rows,
                       quire_error *err);

/* Show the rows again; the entry is leaving. Inside a write transaction.
 * QUIRE_EXISTS with a message: there is a row of this id again. QUIRE_BUSY with a
 * message: it is being moved. */
quire_status trash_show(struct catalog *c, const struct trash_entry *e,
                        quire_error *err);

/* Delete an entry with its rows, and record that the directory `dir` is to be removed.
 * A transaction of its own. QUIRE_BUSY as trash_show(). */
quire_status trash_purge(struct catalog *c, const struct trash_entry *e,
                         const char *dir, quire_error *err);

/* Its files have arrived: in the trash, or where they were. A transaction of its
 * own. */
quire_status trash_settle(struct catalog *c, const struct trash_entry *e,
                          quire_error *err);

/* All of some, in `keep`. */
struct trash_list {
    struct trash_entry *entries;
    size_t n, cap;
};

/* Those of a tenant, the last removed first; whose session's id begins with `id`, or
 * whose row has the number; removed before a time, of all tenants, the oldest first;
 * being moved. An older catalogue has none. */
quire_status trash_of_tenant(struct catalog *c, int64_t tenant,
                             struct arena *keep, struct trash_list *out,
                             quire_error *err);
quire_status trash_find(struct catalog *c, int64_t tenant, const char *id,
                        int64_t number, struct arena *keep,
                        struct trash_list *out, quire_error *err);
quire_status trash_due(struct catalog *c, int64_t before_us, struct arena *keep,
                       struct trash_list *out, quire_error *err);
quire_status trash_moving(struct catalog *c, struct arena *keep,
                          struct trash_list *out, quire_error *err);

typedef quire_status (*trash_artifact_fn)(void *ctx, int64_t id,
                                          const char *path, uint64_t bytes,
                                          quire_error *err);

/* The artifacts of an entry, deleted ones last; the path is lent. */
quire_status trash_artifacts(struct catalog *c, const struct trash_entry *e,
                             trash_artifact_fn each, void *ctx,
                             quire_error *err);

#endif

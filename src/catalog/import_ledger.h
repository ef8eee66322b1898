/*
 * import_ledger.h - which files of other agents were imported, and how far
 *
 *     import_file   a file: what it was when it was imported, the session that
 *                   was made of it, and how much of that session is settled
 *     import_state  the state of its converter, for when the file grows
 *     import_part   the bytes of the file, in order, each part a blob
 *     import_answer which session has the usage of a model's answer, so that files
 *                   that repeat it do not count it again. It stays when the session
 *                   is removed
 *     continuation  the native session in which an imported one goes on
 *     exported      which session was placed for an agent, under which id there: it
 *                   is not imported again, and what the agent makes of it is known
 *                   as its continuation. It stays when the session is removed
 *
 *   (1) A row is committed after the blobs of its parts and after the session
 *       file: a crash leaves the ledger behind the files, never ahead.
 *   (2) Parts of a file are consecutive from 0; together they are its first
 *       `size` bytes. They are roots of a collection.
 *   (3) A session that was removed keeps the rows of its files, so that they are
 *       not imported again as long as they stay as they are; its parts are gone.
 */
#ifndef CATALOG_IMPORT_LEDGER_H
#define CATALOG_IMPORT_LEDGER_H

#include "catalog/catalog.h"

/* The session that was placed for an agent under this id. Text but agent and id is in
 * `keep`. */
quire_status exported_find(struct catalog *c, int64_t tenant, const char *agent,
                           const char *id, struct arena *keep,
                           quire_import_export *out, quire_error *err);
quire_status exported_put(struct catalog *c, int64_t tenant,
                          const quire_import_export *e, quire_error *err);

/* `written` while the session file is being changed. */
#define IMPORT_WRITING UINT64_MAX

/* The row of a file. Text is in `keep`. */
quire_status import_find(struct catalog *c, int64_t tenant, const char *path,
                         struct arena *keep, quire_import_file *out,
                         quire_error *err);

/* All rows by path, or those of a session, its main file first. Text is lent
 * until `each` returns. */
quire_status import_list(struct catalog *c, int64_t tenant, const char *session,
                         quire_import_file_fn each, void *ctx,
                         quire_error *err);

/* What comparing all files with their rows takes: no more is read, and rows come
 * in any order. Those that are being written are left out. */
quire_status import_scan(struct catalog *c, int64_t tenant,
                         quire_import_scan_fn each, void *ctx,
                         quire_error *err);

/* The state of its converter, in `keep`. */
quire_status import_state(struct catalog *c, int64_t tenant, const char *path,
                          struct arena *keep, quire_bytes *out,
                          quire_error *err);

/* How the bytes of a part are spelled that its blob stands for. These numbers are
 * on disk. */
enum import_part_form {
    IMPORT_PART_RAW = 0,
    IMPORT_PART_BASE64 = 1, /* base64 of the blob                            */
    IMPORT_PART_TEXT = 2,   /* the blob as a JSON string, without its quotes */
};

struct import_part {
    uint64_t at, size;
    enum import_part_form form;
    quire_digest digest;
};

/* The parts of a file, in `keep`. */
quire_status import_parts(struct catalog *c, int64_t tenant, const char *path,
                          struct arena *keep, struct import_part **out,
                          size_t *n, quire_error *err);

/* Store the row of a file. Parts from parts[0].at on are replaced, and the state
 * if one is given; with `from` UINT64_MAX no part changes. One durable
 * transaction. */
struct import_update {
    const quire_import_file *file;
    quire_bytes state; /* .data NULL: as it is */
    uint64_t from;
    const struct import_part *parts;
    size_t n;
    const uint64_t *answers; /* whose usage the session has */
    size_t n_answers;
    uint64_t owner; /* of these: a hash of the session's id */
    bool again;     /* the session may have been removed: the files that
                       belong to it and have no parts are imported again */
};
quire_status import_store(struct catalog *c, int64_t tenant,
                          const struct import_update *u, quire_error *err);

/* The same inside a write transaction. */
quire_status import_put_rows(struct catalog *c, int64_t tenant,
                             const struct import_update *u, quire_error *err);

/* Record that the session file of a row is about to be changed behind its first
 * `settled` bytes, or replaced (0); durable. */
quire_status import_writing(struct catalog *c, int64_t tenant, const char *path,
                            uint64_t settled, quire_error *err);

/* The session in which `session` goes on: since its last import appends went to it.
 * QUIRE_NOT_FOUND: there is none. continuation_put() records it, durable. */
quire_status continuation_find(struct catalog *c, int64_t tenant,
                               const char *session, struct arena *keep,
                               const char **child, quire_error *err);
quire_status continuation_put(struct catalog *c, int64_t tenant,
                              const char *session, const char *child,
                              quire_error *err);

/* The file is called `to` now. One durable transaction. */
quire_status import_move(struct catalog *c, int64_t tenant, const char *path,
                         const char *to, quire_error *err);

/* The session `key` was removed at a time; what was imported after it stays. Inside a
 * write transaction. */
quire_status import_forget(struct catalog *c, int64_t tenant, const char *key,
                           int64_t removed_us, quire_error *err);

/* Which session has the usage of an answer. */
quire_status import_answer_owner(struct catalog *c, int64_t tenant,
                                 uint64_t answer, uint64_t *owner,
                                 quire_error *err);

/* The digests of all parts of all tenants, for a collection. */
quire_status import_digests(struct catalog *c, sql_digest_fn each, void *ctx,
                            quire_error *err);

#endif

/*
 * quire/import.h - sessions of other agents, as they are imported
 *
 * The bytes of an imported file are kept, as blobs, and are the truth. The session
 * is a view of them, with entries that an importer makes (`quire import` has
 * converters for several agents). The ledger records which files were imported,
 * and how far, so that a file that grew is continued, and an unchanged one is not
 * read.
 *
 * The session of an imported file has a title slot and a header with two more
 * members: "agent" and "source", the path of the file.
 */
#ifndef QUIRE_IMPORT_H
#define QUIRE_IMPORT_H

#include "quire/blob.h"
#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A file in the ledger. */
typedef struct quire_import_file {
    const char *path;    /* of the file, absolute; of a session in a database
                            with "#" and its id behind that                  */
    const char *agent;   /* its name, such as "codex"                        */
    const char *session; /* id of the session in this home                   */
    int is_main; /* the session was made of it; 0: it belongs to that session */
    const char *cwd;   /* of the session; "": unknown                      */
    const char *title; /* "": none                                         */
    uint64_t inode, bytes; /* of the file, when it was imported              */
    int64_t modified_ns;
    quire_bytes mark; /* of its content, as the importer passed it         */
    uint64_t version; /* of the converter                                  */
    uint64_t settled_bytes; /* of the session file: they stay when it grows */
    uint64_t written_bytes; /* of the session file; UINT64_MAX: an import of
                               it was interrupted                           */
    uint64_t entries, settled_entries, problems;
    int64_t imported_us;
    const char *output; /* commit, of a file that belongs to a session: its name
                           among the session's outputs (quire/output.h); NULL:
                           it is none. Not in the ledger                    */
    uint64_t reserved[3]; /* zero */
} quire_import_file;

typedef quire_status (*quire_import_file_fn)(void *ctx,
                                             const quire_import_file *file,
                                             quire_error *err);

/* quire_import_find() returns what the ledger has of a file.
 * quire_import_list() lists all files by path, or those of one session, its main
 * file first (`session` is a whole id; NULL: all). quire_import_state() returns the
 * state of the converter that was passed with quire_import_commit().
 *
 * Owns: text and bytes are lent until the next call with `q`, in the callback
 *   until it returns. The callback must not use `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  find, state: it was not imported
 * Durable: reads only. */
quire_status quire_import_find(quire *q, const char *path,
                               quire_import_file *out, quire_error *err);
quire_status quire_import_list(quire *q, const char *session,
                               quire_import_file_fn each, void *ctx,
                               quire_error *err);
quire_status quire_import_state(quire *q, const char *path, quire_bytes *out,
                                quire_error *err);

/* What the ledger has of a file that is compared with the file. */
typedef struct quire_import_row {
    quire_bytes path, agent, session, cwd; /* as in quire_import_file */
    uint64_t inode, bytes;
    int64_t modified_ns;
    uint64_t entries, problems;
    uint64_t reserved[2]; /* zero */
} quire_import_row;

typedef quire_status (*quire_import_scan_fn)(void *ctx,
                                             const quire_import_row *row,
                                             quire_error *err);

/* Call `each` for every file in the ledger, in any order, but for those whose import
 * was interrupted. Reads less than quire_import_list().
 *
 * Owns: bytes are lent until `each` returns, which must not use `q`.
 * Fails: common; with what `each` returns
 * Durable: reads only. */
quire_status quire_import_scan(quire *q, quire_import_scan_fn each, void *ctx,
                               quire_error *err);

/* Write the bytes of an imported file, each of them, as they were.
 *
 * Owns: bytes are lent until `write` returns.
 * Fails: common
 *   QUIRE_NOT_FOUND  it was not imported, or its session was removed
 *   QUIRE_DAMAGED    stored bytes are damaged or missing: discard what came
 * Durable: reads only. */
quire_status quire_import_original(quire *q, const char *path,
                                   quire_write_fn write, void *ctx,
                                   quire_error *err);

/* A session that was placed for an agent (quire/export.h). */
typedef struct quire_import_export {
    const char *agent;
    const char *id;        /* of the session there                            */
    const char *session;   /* here                                            */
    const char *path;      /* of its file there                               */
    uint64_t inode, bytes; /* of the file, as it was placed                 */
    int64_t modified_ns, exported_us;
    uint64_t reserved[2]; /* zero */
} quire_import_export;

/* quire_import_export_put() records that a session of the home was placed for an
 * agent; quire_import_export_find() returns it by the agent's name and its id there,
 * if the session is still in the home. In ids "_" is the same as "-". The importer
 * does not import such a file again as long as it is as it was placed; if the agent
 * has continued it, the import names the session as its parent.
 *
 * Owns: find: text of *out is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  find: there is none. put: nothing was stored in the home yet
 * Durable: put: on return; find reads only. */
quire_status quire_import_export_put(quire *q, const quire_import_export *e,
                                     quire_error *err);
quire_status quire_import_export_find(quire *q, const char *agent,
                                      const char *id, quire_import_export *out,
                                      quire_error *err);

/* The import of one file, under way. */
typedef struct quire_import quire_import;

/* Begin to import the file `path`: anew, or with `grown` from where the last
 * import of it ended.
 *
 * Owns: *out is the caller's until quire_import_commit() or quire_import_abort();
 *   several may be under way.
 * Fails: common
 *   QUIRE_NOT_FOUND  `grown`: it was not imported, or its session was removed
 *   QUIRE_CHANGED    `grown`: its session was changed since: entries were appended
 * Durable: nothing. */
quire_status quire_import_begin(quire *q, const char *path, int grown,
                                quire_import **out, quire_error *err);

/* quire_import_bytes() adds the next bytes of the file, those behind
 * quire_import_file.bytes if it has grown. quire_import_blob() stores content that
 * entries refer to, and returns its reference. quire_import_entry() adds an entry:
 * one JSON object, without a line break. Provisional ones come last; they are
 * removed when the file grows.
 *
 * Owns: bytes are copied; `ref` is the caller's.
 * Fails: common. The import can only be aborted then.
 * Durable: with quire_import_commit(). */
quire_status quire_import_bytes(quire_import *im, quire_bytes bytes,
                                quire_error *err);
quire_status quire_import_blob(quire_import *im, quire_bytes content,
                               char ref[QUIRE_REF_SIZE], quire_error *err);
quire_status quire_import_entry(quire_import *im, quire_bytes json,
                                int provisional, quire_error *err);

/* The usage of a model's answer belongs to one session, although files of forks and
 * sub-agents repeat it. `answer` is a hash that the importer makes of its ids.
 * quire_import_answered() returns whether a session has it: *elsewhere, another one
 * than `session`. quire_import_answer() gives it to the session of the import, unless
 * another has it.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_NOT_FOUND  answered: no session has it
 * Durable: answered reads only; answer with quire_import_commit(). */
quire_status quire_import_answered(quire *q, uint64_t answer,
                                   const char *session, int *elsewhere,
                                   quire_error *err);
quire_status quire_import_answer(quire_import *im, uint64_t answer,
                                 quire_error *err);

/* The header of the session. */
typedef struct quire_import_header {
    const char *parent;   /* of the session; NULL: none                    */
    int64_t created_us;   /* of the session                                */
    int64_t updated_us;   /* when it got its title                         */
    uint64_t reserved[4]; /* zero */
} quire_import_header;

/* End an import: write blobs, then the session file, then the ledger. Of `file`
 * the members agent, session, is_main, cwd, title, inode, modified_ns, mark, version,
 * problems and output are read; the rest is set. A session of this id that an earlier
 * import of the same agent has left is replaced. With `header` NULL there are no
 * entries and no session file is written; with `output` as well the bytes become an
 * output of the session, if it is in the home and has none of that name. A grown file keeps its session's header,
 * and `file` has the id of the ledger.
 *
 * Owns: frees `im`, on failure too. Everything is copied.
 * Fails: common
 *   QUIRE_EXISTS   a session of this id exists that was not imported from there
 *   QUIRE_CHANGED  the session was changed meanwhile
 *   QUIRE_BUSY     the session is open for writing
 * Durable: all of it, on return. After a crash either the ledger has all of it, or
 *   the next import repeats it. */
quire_status quire_import_commit(quire_import *im, quire_import_file *file,
                                 const quire_import_header *header,
                                 quire_bytes state, quire_error *err);

/* The same for many files at once: quire_import_commit_later() keeps what one import
 * has collected, quire_import_commit_all() commits all that wait, which share the
 * waits for the disk, and calls `done` for each in the order in which they came, with
 * what quire_import_commit() would have returned. Of imports that wait, no two are of
 * one file or one session.
 *
 * Owns: both free `im`, on failure too. Everything is copied; the arguments of `done`
 *   are lent until it returns.
 * Fails: common
 *   all  what `done` returned; or none of them is committed
 * Durable: with quire_import_commit_all(), on return. */
typedef quire_status (*quire_import_done_fn)(void *ctx, const char *path,
                                             quire_status status,
                                             quire_error *error);
quire_status quire_import_commit_later(quire_import *im,
                                       const quire_import_file *file,
                                       const quire_import_header *header,
                                       quire_bytes state, quire_error *err);
quire_status quire_import_commit_all(quire *q, quire_import_done_fn done,
                                     void *ctx, quire_error *err);

/* End it without effect, but for blobs that are collected later; NULL does
 * nothing.
 *
 * Owns: frees `im`.
 * Fails: never.
 * Durable: nothing. */
void quire_import_abort(quire_import *im);

/* Record that the imported file `path` is called `to` now.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_EXISTS  `to` was imported, too
 * Durable: on return. */
quire_status quire_import_move(quire *q, const char *path, const char *to,
                               quire_error *err);

/* Record that an imported file has been looked at and found to be the same, with
 * the inode and time of `file`.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_NOT_FOUND  it was not imported
 * Durable: on return. */
quire_status quire_import_touch(quire *q, const quire_import_file *file,
                                quire_error *err);

QUIRE_DECLS_END

#endif

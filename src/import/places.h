/*
 * places.h - the files that were found, and what finding them takes
 *
 * An agent walks its places and adds each session, and each file that belongs to
 * one. A place that does not exist has no files.
 */
#ifndef IMPORT_PLACES_H
#define IMPORT_PLACES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/walk.h"
#include "quire.h"

struct import_agent;
struct import_found;

/* Write the bytes to import to the file open at `fd`. */
typedef quire_status (*import_extract_fn)(const struct import_found *f, int fd,
                                          quire_error *err);

/* Take a file that belongs to no session (sidecar.h). */
struct import_taking;
typedef quire_status (*import_take_fn)(const struct import_taking *t,
                                       quire_error *err);

enum { IMPORT_HEAD = 4096 };

struct import_found {
    const struct import_agent *agent;
    const char *path;   /* absolute; of a session in a database with "#" and
                           its id behind the file's                      */
    const char *id;     /* of the session, from the name of the file      */
    const char *parent; /* of a sub-agent: the session it belongs to; NULL */
    const char *unreadable; /* why it cannot be read; NULL: it can            */
    const char *cwd,
        *title;          /* of the session, from beside it; NULL: unknown  */
    const char *blobs;   /* directory of content that entries refer to; NULL */
    const char *output;  /* not main: the name it has among the session's
                                outputs; NULL: it is only kept               */
    import_take_fn take; /* not main: it belongs to no session; NULL     */
    import_extract_fn extract; /* NULL: the bytes of the file are imported  */
    const char *from; /* extract: the file to read; NULL: `path`           */
    const char
        *replaces; /* another place of the same session: if it was imported
                             from there, it was moved; NULL: none             */
    bool is_rows;  /* rows of a database, or files, of which any may have
                         changed: it never grows. `inode` and `modified_ns` are
                         of the rows                                       */
    bool is_main;  /* false: a file that belongs to session `id`     */
    bool is_whole; /* one JSON document, not lines                   */
    uint64_t size, inode;
    int64_t modified_ns;
};

/* Where files may appear that finding would add. */
struct import_spot {
    const struct import_agent *agent; /* NULL: any                          */
    const char *path; /* absolute; it may not exist. Not a tree: a file, and
                         names that begin so; "dir/" is all names in dir    */
    bool is_tree;     /* a directory with all below it                      */
};

struct import_known_files;

struct import_places {
    struct import_known_files
        *known; /* what the ledger has (known.h); NULL: nothing is known */
    struct import_found
        *list; /* a session before the files that belong to it */
    size_t n, cap;
    struct import_spot *spots;
    size_t n_spots, cap_spots;
    struct arena *keep;
};

/* A directory that is walked. */
struct import_place {
    struct import_places *p;
    const struct import_agent *agent;
    const char *root;
};

/* A file of it; `name` is its path below the root. */
typedef quire_status (*import_visit_fn)(struct import_place *at,
                                        const char *name, const struct stat *st,
                                        quire_error *err);

/* Visit every file below root/sub ("": root), in ascending order of names. */
quire_status places_walk(struct import_places *p,
                         const struct import_agent *agent, const char *root,
                         const char *sub, import_visit_fn visit,
                         quire_error *err);

/* The same for what is open at `dir`, without a spot. A directory below
 * it that may not be listed is added as a file of `agent` that cannot be read. All files are listed before
 * the first is visited, and the ledger is read meanwhile. Of `st` inode, size, mode
 * and time of modification are set. */
quire_status places_list(struct import_places *p,
                         const struct import_agent *agent, int dir,
                         const char *root, walk_each_fn each, void *ctx,
                         quire_error *err);

int64_t stat_modified_ns(const struct stat *st);

/* What is known of a file that is visited: a main file without an id. */
struct import_found places_found(const struct import_place *at,
                                 const char *name, const struct stat *st);

/* Add a copy. Its path and id may be NULL: then memory was short. */
quire_status places_add(struct import_places *p, const struct import_found *f,
                        quire_error *err);

/* Record a spot. places_walk() and database_find() record theirs. */
quire_status places_spot(struct import_places *p,
                         const struct import_agent *agent, const char *path,
                         bool is_tree, quire_error *err);

/* Call add_dir() of the agent for ~/name. */
quire_status places_below_home(struct import_places *p,
                               const struct import_agent *agent,
                               const char *name, quire_error *err);

/* An absolute path in the environment, else NULL. */
const char *places_env(const char *name);

/* Read the first IMPORT_HEAD bytes of a file, or all; none if it cannot be read:
 * that is reported when it is imported. */
quire_bytes places_head(const char *path, char head[IMPORT_HEAD]);

bool places_has_dir(struct import_places *p, const char *root,
                    const char *name);

/* ---- names -------------------------------------------------------------- */

bool name_ends(const char *name, const char *end); /* and begins before it */
const char *name_base(const char *name);           /* behind the last '/'  */
quire_bytes name_stem(const char *base,
                      const char *end); /* without the end   */

/* An id as names of session files can have it; another text becomes a hash. The
 * second makes "_" "-" first. */
const char *name_id(struct arena *keep, quire_bytes text);
const char *name_id_dashed(struct arena *keep, quire_bytes text);

#endif

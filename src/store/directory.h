/*
 * directory.h - directory interface: names as a tree of directories
 *
 * What only a local directory of files can do cheaply: list one level, walk
 * everything, links and hidden files included, and move all that is below a
 * name. For code of homes on a disk: finding a session by its name, numbering
 * outputs, the files that a collection must read, other programs' homes. A
 * remote backend does not offer it: there, rows of a database answer these
 * questions.
 *
 * Names are those of store/object.h; objects and logs share them.
 *
 * The conformance suite is tests/conform/directory_test.c; the backends are
 * files_directory.c and memory_directory.c.
 */
#ifndef STORE_DIRECTORY_H
#define STORE_DIRECTORY_H

#include <stdbool.h>

#include "quire.h"
#include "store/info.h"

/* Backends put it in structs of their own. */
struct directory_store {
    const struct directory_ops *ops;
};

/* `info` is NULL for a directory: `name` is then the next component. */
typedef quire_status (*directory_scan_fn)(void *ctx, const char *name,
                                          const struct object_info *info,
                                          quire_error *err);

typedef bool (*directory_want_fn)(void *ctx, const char *name);

typedef quire_status (*directory_find_fn)(void *ctx, const char *dir,
                                          const char *name,
                                          const struct object_info *info,
                                          quire_error *err);

struct directory_ops {
    /* The direct contents of `dir`, unordered: files, and once each the names
     * that have files below them. For large stores: nothing is sorted and
     * nothing below is visited. An absent `dir` is empty. */
    quire_status (*scan)(struct directory_store *s, const char *dir,
                         directory_scan_fn each, void *ctx, quire_error *err);

    /* Every file below `root`, at any depth and also if hidden, for which
     * `wants` accepts the last component; `dir` is "" for the contents of
     * `root` itself. Those of one directory come together, otherwise unordered.
     * Several threads may stat them, but `each` is called from this one. Files
     * that vanish meanwhile are left out. An absent `root` is empty. `info` is
     * NULL for anything that is neither a file nor a directory: a link, a
     * socket. Nothing is skipped silently. */
    quire_status (*find)(struct directory_store *s, const char *root,
                         directory_want_fn wants, directory_find_fn each,
                         void *ctx, quire_error *err);

    /* Move a file, or a directory (whole components) with all that is below it.
     * At any time exactly one of both names exists; durable. A taken `to` is
     * QUIRE_EXISTS. QUIRE_NOT_FOUND when `from` is absent. */
    quire_status (*rename)(struct directory_store *s, const char *from,
                           const char *to, quire_error *err);

    /* No walk is running. */
    void (*free)(struct directory_store *s);
};

/* ---- calls -------------------------------------------------------------- */

static inline quire_status directory_scan(struct directory_store *s,
                                          const char *dir,
                                          directory_scan_fn each, void *ctx,
                                          quire_error *err)
{
    return s->ops->scan(s, dir, each, ctx, err);
}

static inline quire_status directory_find(struct directory_store *s,
                                          const char *root,
                                          directory_want_fn wants,
                                          directory_find_fn each, void *ctx,
                                          quire_error *err)
{
    return s->ops->find(s, root, wants, each, ctx, err);
}

static inline quire_status directory_rename(struct directory_store *s,
                                            const char *from, const char *to,
                                            quire_error *err)
{
    return s->ops->rename(s, from, to, err);
}

/* NULL is fine. */
static inline void directory_store_free(struct directory_store *s)
{
    if (s)
        s->ops->free(s);
}

#endif

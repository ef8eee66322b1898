/* intercept_directory.c - the wrapper of directories: see intercept.h */
#include <stdlib.h>

#include "base/err.h"
#include "store/intercept_priv.h"

struct intercepted {
    struct directory_store base;
    struct directory_store *inner;
    struct intercept intercept;
};

static struct intercepted *of_store(struct directory_store *s)
{
    return (struct intercepted *)s;
}

static void intercepted_free(struct directory_store *s)
{
    directory_store_free(of_store(s)->inner);
    free(s);
}

#define DIRECTORY_SLOTS(X)                                                    \
    X(STORE, scan, "directory scan", dir,                                     \
      (struct directory_store * s, const char *dir, directory_scan_fn each,   \
       void *ctx, quire_error *err),                                          \
      (dir, each, ctx, err))                                                  \
    X(STORE, find, "directory find", root,                                    \
      (struct directory_store * s, const char *root, directory_want_fn wants, \
       directory_find_fn each, void *ctx, quire_error *err),                  \
      (root, wants, each, ctx, err))                                          \
    X(STORE, rename, "directory rename", from,                                \
      (struct directory_store * s, const char *from, const char *to,          \
       quire_error *err),                                                     \
      (from, to, err))                                                        \
    X(OWN, free, "", "", (), ())

INTERCEPT_TABLE(struct directory_ops, DIRECTORY_SLOTS);

quire_status directory_intercept(struct directory_store *inner,
                                 struct intercept intercept,
                                 struct directory_store **out, quire_error *err)
{
    struct intercepted *t = malloc(sizeof *t);

    if (!t)
        return err_memory(err);
    *t = (struct intercepted){{&intercepted_ops}, inner, intercept};
    *out = &t->base;
    return QUIRE_OK;
}

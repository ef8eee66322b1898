/* intercept_directory.c - the wrapper of directories: see intercept.h */
#include "store/intercept_priv.h"

INTERCEPT_STORE_TYPE(struct directory_store, struct directory_ops)

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
    X(END_STORE, free, "", "", (struct directory_store * s), ())

INTERCEPT_TABLE(struct directory_ops, DIRECTORY_SLOTS);

INTERCEPT_WRAP(directory_intercept, struct directory_store)

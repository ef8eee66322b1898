/* verify.h - shared by verify.c, verify_parallel.c and check.c */
#ifndef BLOB_VERIFY_H
#define BLOB_VERIFY_H

#include "blob/priv.h"

/* Called for each problem found, and for each blob checked. */
struct verify_callbacks {
    quire_status (*problem)(void *ctx, const quire_problem *problem,
                            quire_error *err);
    quire_status (*counted)(void *ctx, quire_error *err);
    void *ctx;
};

/* State of one thread. */
struct verify {
    struct blobs *b;
    unsigned flags;
    struct verify_callbacks callbacks;
    uint64_t strays; /* packed: files without a row */
    bool pairs;

    /* A small blob, unpacked, waiting to be hashed together with a second one.
     */
    bool pending;
    quire_digest pending_digest;
    struct blob_location pending_place;
    struct buf pending_plain;
};

void verify_init(struct verify *c, struct blobs *b, unsigned flags,
                 const struct verify_callbacks *callbacks);
void verify_release(struct verify *c);

/* Verify a blob that was found. A small one may be pending afterwards. */
quire_status verify_one(struct verify *c, const quire_digest *d,
                        const struct blob_location *p, quire_error *err);

/* Hash and compare the pending blob, if there is one. */
quire_status verify_finish(struct verify *c, quire_error *err);

/* Verify the rows from one id to another; the files of these names. */
quire_status verify_rows(struct verify *c, int64_t from, int64_t to,
                         quire_error *err);
quire_status verify_files(struct verify *c, const quire_digest *list, size_t n,
                          quire_error *err);

struct check_names {
    quire_layout layout;
    const quire_check_hooks *hooks; /* receives foreign files; NULL: not
                                     * reported */
    quire_digest *list;             /* owned, ascending */
    size_t n, cap;
    uint64_t bytes; /* of all of them */
};

/* ---- verify_parallel.c: the threads ------------------------------------- */

struct verify_caller {
    struct blobs *b; /* the caller's */
    unsigned flags;
    const struct blob_workers *workers; /* NULL: only the calling thread */
    const quire_check_hooks *hooks;
    uint64_t done, total;
};

void verify_caller_init(struct verify_caller *c, struct blobs *b,
                        unsigned flags, const struct blob_workers *workers,
                        const quire_check_hooks *hooks);

/* Callbacks for the calling thread: the hooks themselves. */
struct verify_callbacks verify_caller_callbacks(struct verify_caller *c);

quire_status verify_rows_parallel(struct verify_caller *c, uint64_t n,
                                  uint64_t bytes, int64_t last,
                                  quire_error *err);
quire_status verify_files_parallel(struct verify_caller *c,
                                   const struct check_names *names,
                                   uint64_t *strays, quire_error *err);

#endif

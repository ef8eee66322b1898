/* verify.h - what the two files that check blobs share */
#ifndef BLOB_VERIFY_H
#define BLOB_VERIFY_H

#include "blob/priv.h"

/* Who is told what is found, and that one more was looked at. */
struct check_ears {
    quire_status (*problem)(void *ctx, const quire_problem *problem,
                            quire_error *err);
    quire_status (*counted)(void *ctx, quire_error *err);
    void *ctx;
};

/* The work of one thread. */
struct verify {
    struct blobs *b;
    unsigned flags;
    struct check_ears ears;
    uint64_t strays; /* packed: files that no row speaks for */
    bool pairs;

    /* A small blob unpacked and waiting for a second one. */
    bool held;
    quire_digest held_digest;
    struct blob_location held_place;
    struct buf held_plain;
};

void verify_init(struct verify *c, struct blobs *b, unsigned flags,
                 const struct check_ears *ears);
void verify_release(struct verify *c);

/* Judge the one that waits. */
quire_status verify_finish(struct verify *c, quire_error *err);

/* The rows from one id to another; the files of these names. */
quire_status verify_rows(struct verify *c, int64_t from, int64_t to,
                         quire_error *err);
quire_status verify_files(struct verify *c, const quire_digest *list, size_t n,
                          quire_error *err);

struct check_names {
    quire_layout layout;
    const quire_check_hooks *hooks; /* told of other files; NULL: nobody is */
    quire_digest *list;             /* owned, ascending */
    size_t n, cap;
    uint64_t bytes; /* of all of them */
};

/* ---- crew.c: the threads ------------------------------------------------ */

struct verify_worker {
    struct blobs *b; /* the caller's */
    unsigned flags;
    const struct blob_workers *hands; /* NULL: the caller alone */
    const quire_check_hooks *hooks;
    uint64_t done, total;
};

void verify_worker_init(struct verify_worker *c, struct blobs *b,
                        unsigned flags, const struct blob_workers *hands,
                        const quire_check_hooks *hooks);

/* Of the thread that called: the hooks themselves. */
struct check_ears verify_worker_hooks(struct verify_worker *c);

quire_status verify_rows_parallel(struct verify_worker *c, uint64_t n,
                                  uint64_t bytes, int64_t last,
                                  quire_error *err);
quire_status verify_files_parallel(struct verify_worker *c,
                                   const struct check_names *names,
                                   uint64_t *strays, quire_error *err);

#endif

/* All blobs, checked by several threads: the same findings in the same order,
 * whoever finds them. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "api/verify.h"
#include "api/core/handle.h"
#include "support/flip.h"
#include "support/test.h"

struct findings {
    char last[QUIRE_REF_SIZE];
    int n, stop_at;
    bool sorted;
    uint64_t order; /* a sum that another order would change */
    uint64_t done, total;
};

static quire_status hear(void *ctx, const quire_problem *p, quire_error *err)
{
    struct findings *f = ctx;

    (void)err;
    f->sorted = f->sorted && strcmp(f->last, p->where) < 0;
    f->order = f->order * 31 + (unsigned char)p->where[20];
    snprintf(f->last, sizeof f->last, "%s", p->where);
    return ++f->n == f->stop_at ? QUIRE_STOPPED : QUIRE_OK;
}

static quire_status count(void *ctx, uint64_t done, uint64_t total,
                          quire_error *err)
{
    struct findings *f = ctx;

    (void)err;
    YES(done >= f->done);
    f->done = done;
    f->total = total;
    return QUIRE_OK;
}

static struct findings check(quire *q, int stop_at, quire_status want)
{
    struct findings f = {.stop_at = stop_at, .sorted = true};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = hear,
                               .progress = count,
                               .ctx = &f};

    IS(want, quire_blob_check(q, NULL, &hooks, &test_err));
    return f;
}

static quire *open_as(quire_kind kind, quire_layout layout)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.kind = kind;
    o.layout = layout;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

enum { MANY = 400 };

/* More blobs than one thread would do alone. */
static quire *furnish(quire_kind kind)
{
    quire *q = open_as(kind, QUIRE_LAYOUT_AUTO);
    char noise[3000];
    int i;

    OK(quire_begin(q, &test_err));
    for (i = 0; i < MANY; i++) {
        quire_blob_info info;

        test_noise((uint64_t)i, noise, sizeof noise);
        OK(quire_blob_put(q, bytes_of(noise, (size_t)(i % 7 ? 700 : 2999)), 0,
                          &info, &test_err));
    }
    OK(quire_commit(q, &test_err));
    return q;
}

TEST(threads_find_the_same_in_the_same_order)
{
    quire *q = furnish(QUIRE_KIND_NATIVE);
    struct findings f = check(q, 0, QUIRE_OK), again;

    EQ(0, f.n);
    EQ(MANY, f.done);
    EQ(MANY, f.total);
    OK(db_exec(q->catalog.db,
               "UPDATE body SET bytes = zeroblob(length(bytes))"
               " WHERE id % 4 = 0",
               &test_err));
    f = check(q, 0, QUIRE_OK);
    EQ(MANY / 4, f.n);
    EQ(MANY, f.done);
    again = check(q, 0, QUIRE_OK);
    EQ(f.order, again.order);
    f = check(q, 7, QUIRE_STOPPED);
    EQ(7, f.n);
    quire_close(q);
}

TEST(threads_share_files_as_they_share_rows)
{
    const char *path;
    quire *q = furnish(QUIRE_KIND_OMP);
    struct findings f = check(q, 0, QUIRE_OK);
    int i;

    EQ(0, f.n);
    EQ(MANY, f.done);
    for (i = 0; i < MANY; i += 40) {
        path = flip_find(test_path("home/blobs"), "", i);
        flip_bit(path, 100, 3);
    }
    f = check(q, 0, QUIRE_OK);
    EQ(MANY / 40, f.n);
    YES(f.sorted);
    quire_close(q);
}

/* A home whose blobs no second store can be had for. */
static quire_status refuse(void *ctx, struct blobs **out, quire_error *err)
{
    (void)ctx;
    (void)out;
    (void)err;
    return QUIRE_IO;
}

static void never(void *ctx, struct blobs *b)
{
    (void)ctx;
    (void)b;
    YES(false);
}

TEST(threads_that_cannot_be_had_are_done_without)
{
    quire *q = furnish(QUIRE_KIND_NATIVE);
    struct blob_workers crew = {4, refuse, never, NULL};
    struct findings f = {.sorted = true};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = hear,
                               .progress = count,
                               .ctx = &f};

    OK(blob_check_all(q->blobs, 0, &crew, &hooks, &test_err));
    EQ(0, f.n);
    EQ(MANY, f.done);
    quire_close(q);
}

/*
 * Everything that can fail, failing in turn: each call through the seams, and
 * each allocation and system call of ours. After every failure the store is
 * whole, nothing acknowledged is missing, and no litter is left.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "blob/hash.h"
#include "support/store.h"

/* Just over what is handled in memory, and quick to pack. */
enum { LARGE = 1024 * 1024 + 7 };

static char *prose, *noise;

struct source {
    const char *at;
    size_t left;
};

static quire_status pull(void *ctx, void *buf, size_t cap, size_t *n,
                         quire_error *err)
{
    struct source *s = ctx;

    (void)err;
    *n = s->left < cap ? s->left : cap;
    memcpy(buf, s->at, *n);
    s->at += *n;
    s->left -= *n;
    return QUIRE_OK;
}

static quire_status swallow(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    *(uint64_t *)ctx += bytes.len;
    return QUIRE_OK;
}

/* One of everything. Each put that was acknowledged is remembered. */
struct acked {
    quire_digest digest[16];
    int n;
    bool failed;
};

static void ack(struct acked *a, quire_status st, const quire_blob_info *info)
{
    if (st)
        a->failed = true;
    else
        a->digest[a->n++] = info->digest;
}

static quire_status no_problem(void *ctx, const quire_problem *p,
                               quire_error *err)
{
    (void)p;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static void everything(struct fix *f, struct acked *a)
{
    quire_blob_info info[4];
    struct source s = {prose, LARGE};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = no_problem,
                               .ctx = &(int){0}};
    quire_bytes out;
    uint64_t total = 0;
    quire_status st, batch[3];
    int i;

    ack(a,
        blob_put(blob_view_all(f->blobs), bytes_str("small"), 0, info,
                 &test_err),
        info);
    ack(a,
        blob_put(blob_view_all(f->blobs), bytes_of(noise, 90000), 0, info,
                 &test_err),
        info);
    ack(a,
        blob_put_stream(blob_view_all(f->blobs), pull, &s, 0, info, &test_err),
        info);
    test_now_s += 5;
    ack(a,
        blob_put(blob_view_all(f->blobs), bytes_str("small"), 0, info,
                 &test_err),
        info);
    ack(a,
        blob_put(blob_view_all(f->blobs), bytes_of(noise, 90000), 0, info,
                 &test_err),
        info);
    st = blobs_begin(f->blobs, DB_ALL_TENANTS, &test_err);
    a->failed |= st != QUIRE_OK;
    if (!st) {
        for (i = 0; i < 3; i++)
            batch[i] = blob_put(blob_view_all(f->blobs),
                                bytes_of(prose + i, 3000), 0, &info[i],
                                &test_err);
        st = blobs_commit(f->blobs, &test_err);
        for (i = 0; i < 3; i++)
            ack(a, st ? st : batch[i], &info[i]);
    }
    if (a->n) {
        a->failed |= blob_get(blob_view_all(f->blobs), &a->digest[0], &out,
                              &test_err) != 0;
        a->failed |= blob_read(blob_view_all(f->blobs), &a->digest[a->n - 1], 0,
                               UINT64_MAX, swallow, &total, &test_err) != 0;
    }
    a->failed |= blob_check(blob_view_all(f->blobs), NULL, &hooks, &test_err) !=
                 0;
}

/* All that was acknowledged is there; all that is there is whole. */
static void is_sound(struct fix *f, const struct acked *a)
{
    int problems = 0, i;
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = no_problem,
                               .ctx = &problems};
    quire_bytes out;

    for (i = 0; i < a->n; i++)
        OK(blob_get(blob_view_all(f->blobs), &a->digest[i], &out, &test_err));
    OK(blob_check(blob_view_all(f->blobs), NULL, &hooks, &test_err));
    EQ(0, problems);
    if (f->dir && test_exists(f->dir)) {
        NO(test_litter(f->dir));
    }
}

static void sweep(quire_layout layout, bool disk, bool seams, bool stay,
                  long stride)
{
    long n;

    for (n = 1;; n += stride) {
        struct acked a = {.n = 0};
        struct fix f;
        bool struck;

        fix_open(&f, layout, disk);
        if (seams) {
            f.fault = (struct fault){.left = n,
                                     .stay = stay,
                                     .status = QUIRE_IO};
            everything(&f, &a);
            struck = f.fault.struck;
            f.fault.left = 0;
        } else {
            fault_arm(n, n % 2 ? ENOMEM : ENOSPC, stay);
            everything(&f, &a);
            struck = fault_disarm();
        }
        if (!struck)
            NO(a.failed);
        if (disk) { /* as another process would find it */
            blobs_rollback(f.blobs);
            fix_close(&f);
            fix_open(&f, layout, true);
        }
        if (disk || struck)
            is_sound(&f, &a);
        fix_close(&f);
        test_forget_dir();
        if (!struck)
            break;
    }
    YES(n > 10);
}

static void content_init(void)
{
    prose = test_alloc(LARGE);
    noise = test_alloc(LARGE);
    memset(prose, 'p', LARGE);
    test_prose(1, prose, 4000);
    test_noise(2, noise, LARGE);
}

static void all_sweeps(bool seams, bool stay)
{
    content_init();
    sweep(QUIRE_LAYOUT_PACKED, true, seams, stay, 1);
    sweep(QUIRE_LAYOUT_LOOSE, true, seams, stay, 1);
    sweep(QUIRE_LAYOUT_FLAT, true, seams, stay, 1);
    if (!stay)
        sweep(QUIRE_LAYOUT_PACKED, false, seams, stay, 1);
}

TEST(blobs_survive_each_call_through_the_seams_failing_once)
{
    all_sweeps(true, false);
}

TEST(blobs_survive_the_seams_failing_for_good)
{
    all_sweeps(true, true);
}

TEST(blobs_survive_each_system_call_and_allocation_failing_once)
{
    all_sweeps(false, false);
}

/* Thousands of calls: every seventh, or each with QUIRE_TEST_LONG set. */
TEST(blobs_survive_sqlite_itself_failing)
{
    content_init();
    sqlite_faults(true);
    sweep(QUIRE_LAYOUT_PACKED, true, false, false,
          getenv("QUIRE_TEST_LONG") ? 1 : 7);
}

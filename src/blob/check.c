/*
 * check.c - every blob against its name
 *
 * Small blobs are unpacked in turn and hashed two at a time where the
 * processor can (see hash.c); large ones stream. Nothing is written.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "blob/priv.h"

struct checking {
    struct blobs *b;
    const quire_check_hooks *hooks;
    uint64_t done, total;
    uint64_t strays; /* packed: files that no row speaks for */
    bool pairs;

    /* A small blob unpacked and waiting for a second one. */
    bool held;
    quire_digest held_digest;
    struct place held_place;
    struct buf held_plain;
};

static quire_status report(struct checking *c, const quire_digest *d,
                           const struct place *p, enum damage damage,
                           quire_error *err)
{
    quire_problem problem = {.kind = damage_name(damage)};
    char ref[QUIRE_REF_SIZE];
    quire_error words;

    blob_damaged(c->b, d, p, damage, &words);
    quire_ref_format(d, ref);
    problem.where = ref;
    snprintf(problem.what, sizeof problem.what, "%s", words.what);
    return c->hooks->problem(c->hooks->ctx, &problem, err);
}

/* One that cannot be looked at is a finding, not the end of the check. */
static quire_status report_unreadable(struct checking *c, const quire_digest *d,
                                      const quire_error *why, quire_error *err)
{
    quire_problem problem = {.kind = "unreadable"};
    char ref[QUIRE_REF_SIZE];

    quire_ref_format(d, ref);
    problem.where = ref;
    snprintf(problem.what, sizeof problem.what, "%s", why->what);
    return c->hooks->problem(c->hooks->ctx, &problem, err);
}

static quire_status counted(struct checking *c, quire_error *err)
{
    c->done++;
    if (!c->hooks->progress)
        return QUIRE_OK;
    return c->hooks->progress(c->hooks->ctx, c->done, c->total, err);
}

static quire_status judge(struct checking *c, const quire_digest *d,
                          const struct place *p, const quire_digest *actual,
                          quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (!digest_equal(actual, d))
        st = report(c, d, p, DAMAGE_CONTENT, err);
    return st ? st : counted(c, err);
}

/* Judge the one that waits. */
static quire_status settle(struct checking *c, quire_error *err)
{
    quire_digest actual;

    if (!c->held)
        return QUIRE_OK;
    c->held = false;
    hash_bytes(buf_bytes(&c->held_plain), &actual);
    return judge(c, &c->held_digest, &c->held_place, &actual, err);
}

/* The content of `d` is in b->plain. */
static quire_status weigh(struct checking *c, const quire_digest *d,
                          const struct place *p, quire_error *err)
{
    struct buf *plain = &c->b->plain;
    quire_digest first, second;
    quire_status st;

    if (!c->held) {
        struct buf other = c->held_plain;

        c->held_plain = *plain;
        *plain = other;
        c->held_digest = *d;
        c->held_place = *p;
        c->held = true;
        return c->pairs ? QUIRE_OK : settle(c, err);
    }
    c->held = false;
    hash_pair(buf_bytes(&c->held_plain), buf_bytes(plain), &first, &second);
    st = judge(c, &c->held_digest, &c->held_place, &first, err);
    return st ? st : judge(c, d, p, &second, err);
}

static quire_status check_one(void *ctx, const quire_digest *d,
                              const struct place *p, quire_error *err)
{
    struct checking *c = ctx;
    enum damage damage = DAMAGE_NONE;
    quire_error why = {.what = ""};
    quire_status st, seen;

    if (p->size_known && p->size <= SMALL_BYTES) {
        seen = blob_unpack(c->b, d, p, &damage, &why);
        if (!seen && !damage)
            return weigh(c, d, p, err);
    } else {
        seen = blob_stream(c->b, d, p, 0, UINT64_MAX, NULL, NULL, &damage,
                           &why);
    }
    st = settle(c, err); /* the one that waits comes before it */
    if (!st && (seen == QUIRE_IO || seen == QUIRE_INVALID)) {
        st = report_unreadable(c, d, &why, err);
    } else if (!st && seen) {
        st = err_set(err, seen, "%s", why.what);
        err_next(err, "%s", why.next);
    } else if (!st && damage) {
        st = report(c, d, p, damage, err);
    }
    return st ? st : counted(c, err);
}

/* A file of the store. In `packed`, only those that no row speaks for: they
 * are still found by name, so they must still be right. */
static quire_status check_file(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    struct checking *c = ctx;
    quire_error why = {.what = ""};
    struct place p;
    quire_digest d;
    quire_status st;

    (void)info;
    if (!layout_parse(c->b->c.layout, name, &d))
        return QUIRE_OK;
    st = blob_find(c->b, &d, &p, &why);
    if (st == QUIRE_NOT_FOUND || (!st && p.has_row))
        return QUIRE_OK;
    c->strays++;
    if (!st)
        return check_one(c, &d, &p, err);
    st = settle(c, err);
    if (!st)
        st = report_unreadable(c, &d, &why, err);
    return st ? st : counted(c, err);
}

static quire_status count_file(void *ctx, const char *name,
                               const struct object_info *info, quire_error *err)
{
    struct checking *c = ctx;
    quire_digest d;

    (void)info;
    (void)err;
    c->total += layout_parse(c->b->c.layout, name, &d);
    return QUIRE_OK;
}

/* Rows whose name is no digest belong to no blob that could be checked. */
static quire_status check_odd_rows(struct checking *c, quire_error *err)
{
    quire_problem problem = {.kind = damage_name(DAMAGE_ROW),
                             .where = "quire.db"};
    uint64_t n = 0;
    quire_status st = rows_count(c->b->rows, true, &n, err);

    if (st || n == 0)
        return st;
    snprintf(problem.what, sizeof problem.what,
             "%llu rows of the table blob have no digest",
             (unsigned long long)n);
    return c->hooks->problem(c->hooks->ctx, &problem, err);
}

/* A file without a row is what a crash leaves. Files and no rows at all are
 * what is left when the database is lost, and the small blobs with it. */
static quire_status report_lost_rows(struct checking *c, quire_error *err)
{
    quire_problem problem = {.kind = damage_name(DAMAGE_ROW),
                             .where = "quire.db"};

    snprintf(problem.what, sizeof problem.what,
             "there are %llu blob files, and quire.db knows none of them: it "
             "may have been lost",
             (unsigned long long)c->strays);
    return c->hooks->problem(c->hooks->ctx, &problem, err);
}

static quire_status check_all(struct checking *c, quire_error *err)
{
    struct object_store *files = c->b->c.files;
    quire_digest first = {{0}}, last;
    quire_status st = QUIRE_OK;
    uint64_t rows;

    memset(last.byte, 0xff, sizeof last.byte);
    if (c->b->rows)
        st = rows_count(c->b->rows, false, &c->total, err);
    else if (c->b->c.layout != QUIRE_LAYOUT_PACKED)
        st = files->ops->list(files, "", count_file, c, err);
    if (!st && c->b->rows)
        st = rows_list(c->b->rows, &first, &last, check_one, c, err);
    if (!st)
        st = settle(c, err);
    if (!st && c->b->rows)
        st = check_odd_rows(c, err);
    rows = c->total;
    if (!st)
        st = files->ops->list(files, "", check_file, c, err);
    if (!st && c->b->c.layout == QUIRE_LAYOUT_PACKED && rows == 0 && c->strays)
        st = report_lost_rows(c, err);
    return st;
}

quire_status blob_check(struct blobs *b, const quire_digest *only,
                        const quire_check_hooks *hooks, quire_error *err)
{
    struct checking c = {
        .b = b,
        .hooks = hooks,
        .pairs = hash_can_pair(),
        .held_plain = BUF_INIT(b->plain.max),
    };
    struct place p;
    quire_status st;

    if (only) {
        c.total = 1;
        st = blob_find(b, only, &p, err);
        if (!st)
            st = check_one(&c, only, &p, err);
    } else {
        st = check_all(&c, err);
    }
    if (!st)
        st = settle(&c, err);
    buf_release(&c.held_plain);
    return st;
}

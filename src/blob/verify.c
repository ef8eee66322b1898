/*
 * verify.c - every blob against its name
 *
 * Small blobs are unpacked in turn and hashed two at a time where the
 * processor can (see hash.c); large ones stream. Nothing is written. Here is
 * what one thread does; crew.c lets several do it side by side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "blob/verify.h"

void verify_init(struct verify *c, struct blobs *b, unsigned flags,
                 const struct check_ears *ears)
{
    *c = (struct verify){
        .b = b,
        .flags = flags,
        .ears = *ears,
        .pairs = hash_can_pair(),
        .held_plain = BUF_INIT(b->plain.max),
    };
}

void verify_release(struct verify *c)
{
    buf_release(&c->held_plain);
}

static quire_status tell(struct verify *c, const quire_digest *d,
                         const char *kind, const quire_error *words,
                         quire_error *err)
{
    quire_problem problem = {.kind = kind};
    char ref[QUIRE_REF_SIZE];

    quire_ref_format(d, ref);
    problem.where = ref;
    snprintf(problem.what, sizeof problem.what, "%s", words->what);
    snprintf(problem.next, sizeof problem.next, "%s", words->next);
    return c->ears.problem(c->ears.ctx, &problem, err);
}

static quire_status report(struct verify *c, const quire_digest *d,
                           const struct blob_location *p, enum damage damage,
                           quire_error *err)
{
    quire_error words;

    blob_damaged(c->b, d, p, damage, &words);
    return tell(c, d, damage_name(damage), &words, err);
}

/* One that cannot be looked at is a finding, not the end of the check. */
static quire_status report_unreadable(struct verify *c, const quire_digest *d,
                                      const quire_error *why, quire_error *err)
{
    return tell(c, d, "unreadable", why, err);
}

/* A file that is right, and that no row speaks for: what a crash leaves. */
static quire_status report_stray(struct verify *c, const quire_digest *d,
                                 const struct blob_location *p,
                                 quire_error *err)
{
    quire_error words;
    char name[NAME_BYTES];

    if (p->has_row || !c->b->rows || !(c->flags & BLOB_CHECK_STRAYS))
        return QUIRE_OK;
    layout_name(c->b->c.layout, d, name);
    err_fail(&words, QUIRE_OK, HINT_SHELL "`quire repair` gives it one",
             "no row of quire.db speaks for the file %s/%s",
             c->b->c.files->ops->place(c->b->c.files), name);
    return tell(c, d, "stray", &words, err);
}

static quire_status counted(struct verify *c, quire_error *err)
{
    return c->ears.counted(c->ears.ctx, err);
}

static quire_status judge(struct verify *c, const quire_digest *d,
                          const struct blob_location *p,
                          const quire_digest *actual, quire_error *err)
{
    quire_status st;

    if (digest_equal(actual, d))
        st = report_stray(c, d, p, err);
    else
        st = report(c, d, p, DAMAGE_CONTENT, err);
    return st ? st : counted(c, err);
}

/* Judge the one that waits. */
quire_status verify_finish(struct verify *c, quire_error *err)
{
    quire_digest actual;

    if (!c->held)
        return QUIRE_OK;
    c->held = false;
    hash_bytes(buf_bytes(&c->held_plain), &actual);
    return judge(c, &c->held_digest, &c->held_place, &actual, err);
}

/* The content of `d` is in b->plain. */
static quire_status weigh(struct verify *c, const quire_digest *d,
                          const struct blob_location *p, quire_error *err)
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
        c->held_place.body = bytes_of(NULL, 0); /* it is not kept */
        c->held = true;
        return c->pairs ? QUIRE_OK : verify_finish(c, err);
    }
    c->held = false;
    hash_pair(buf_bytes(&c->held_plain), buf_bytes(plain), &first, &second);
    st = judge(c, &c->held_digest, &c->held_place, &first, err);
    return st ? st : judge(c, d, p, &second, err);
}

/* How it looks from outside: presence and size. */
static quire_status glance(struct verify *c, const quire_digest *d,
                           const struct blob_location *p, enum damage *damage,
                           quire_error *err)
{
    struct object_store *files = c->b->c.files;
    struct object_info info;
    char name[NAME_BYTES];
    quire_status st;

    *damage = p->odd ? DAMAGE_ROW : p->whole ? DAMAGE_NONE : DAMAGE_CUT;
    if (*damage || p->where == IN_ROW)
        return QUIRE_OK;
    layout_name(c->b->c.layout, d, name);
    st = files->ops->stat(files, name, &info, err);
    if (st == QUIRE_NOT_FOUND)
        *damage = DAMAGE_MISSING;
    else if (!st && info.size != p->stored)
        *damage = info.size < p->stored ? DAMAGE_CUT : DAMAGE_TRAILING;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* The same for a file that has no row to be compared with. */
static enum damage glance_file(const struct verify *c,
                               const struct blob_location *p)
{
    if (!layout_is_gzip(c->b->c.layout) || p->ends_read)
        return DAMAGE_NONE;
    return p->stored < GZIP_HEADER_BYTES + GZIP_TRAILER_BYTES ? DAMAGE_CUT
                                                              : DAMAGE_NOT_GZIP;
}

/* All but hashing what is small: *small says that it waits in b->plain. */
static quire_status look_at(struct verify *c, const quire_digest *d,
                            const struct blob_location *p, enum damage *damage,
                            bool *small, quire_error *why)
{
    quire_status st;

    *small = false;
    if (c->flags & BLOB_CHECK_QUICK) {
        if (p->has_row)
            return glance(c, d, p, damage, why);
        *damage = glance_file(c, p);
        return QUIRE_OK;
    }
    if (!p->size_known || p->size > SMALL_BYTES)
        return blob_stream(c->b, d, p, 0, UINT64_MAX, NULL, NULL, damage, why);
    st = blob_unpack(c->b, d, p, damage, why);
    *small = !st && !*damage;
    return st;
}

static quire_status check_one(void *ctx, const quire_digest *d,
                              const struct blob_location *p, quire_error *err)
{
    struct verify *c = ctx;
    enum damage damage = DAMAGE_NONE;
    quire_error why = {.what = ""};
    bool small;
    quire_status st, seen = look_at(c, d, p, &damage, &small, &why);

    if (small)
        return weigh(c, d, p, err);
    st = verify_finish(c, err); /* the one that waits comes before it */
    if (!st && seen == QUIRE_NO_MEMORY) {
        st = err_memory(err);
    } else if (!st && seen) {
        st = report_unreadable(c, d, &why, err);
    } else if (!st) {
        st = damage ? report(c, d, p, damage, err) : report_stray(c, d, p, err);
    }
    return st ? st : counted(c, err);
}

quire_status verify_rows(struct verify *c, int64_t from, int64_t to,
                         quire_error *err)
{
    quire_status st = blob_table_walk(c->b->rows, from, to, true, check_one, c,
                                      err);

    return st ? st : verify_finish(c, err);
}

/* A file of the store. In `packed`, only those that no row speaks for: they
 * are still found by name, so they must still be right. */
static quire_status check_file(struct verify *c, const quire_digest *d,
                               quire_error *err)
{
    quire_error why = {.what = ""};
    struct blob_location p;
    quire_status st = blob_find(c->b, d, &p, &why);

    if (st == QUIRE_NOT_FOUND || (!st && p.has_row))
        return QUIRE_OK;
    c->strays++;
    if (!st)
        return check_one(c, d, &p, err);
    if (st == QUIRE_NO_MEMORY)
        return err_memory(err);
    st = verify_finish(c, err);
    if (!st)
        st = report_unreadable(c, d, &why, err);
    return st ? st : counted(c, err);
}

quire_status verify_files(struct verify *c, const quire_digest *list, size_t n,
                          quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < n && !st; i++)
        st = check_file(c, &list[i], err);
    return st ? st : verify_finish(c, err);
}

/* ---- all of them -------------------------------------------------------- */

/* A file among the blobs that is none. The database may lie there, where a
 * store is no home. */
static quire_status report_foreign(const struct check_names *n,
                                   const char *name, quire_error *err)
{
    quire_problem problem = {.kind = "stray", .where = name};

    if (!n->hooks || !strncmp(name, "quire.db", 8))
        return QUIRE_OK;
    snprintf(problem.what, sizeof problem.what,
             "it lies among the blobs, and has no blob's name");
    snprintf(problem.next, sizeof problem.next,
             "nobody reads it; move it away if it is yours");
    return n->hooks->problem(n->hooks->ctx, &problem, err);
}

/* The names of files, which come in ascending order. */
static quire_status add_name(void *ctx, const char *name,
                             const struct object_info *info, quire_error *err)
{
    struct check_names *n = ctx;
    quire_digest *list, d;

    if (!layout_parse(n->layout, name, &d))
        return report_foreign(n, name, err);
    if (n->n == n->cap) {
        n->cap = n->cap ? 2 * n->cap : 256;
        list = realloc(n->list, n->cap * sizeof *list);
        if (!list)
            return err_memory(err);
        n->list = list;
    }
    n->list[n->n++] = d;
    n->bytes += info->size;
    return QUIRE_OK;
}

/* Rows whose name is no digest belong to no blob that could be checked. */
static quire_status check_odd_rows(struct blobs *b,
                                   const quire_check_hooks *hooks,
                                   quire_error *err)
{
    quire_problem problem = {.kind = damage_name(DAMAGE_ROW),
                             .where = "quire.db"};
    uint64_t n = 0;
    quire_status st = blob_table_count(b->rows, true, &n, err);

    if (st || n == 0)
        return st;
    snprintf(problem.what, sizeof problem.what,
             "%llu rows of the table blob have no digest",
             (unsigned long long)n);
    snprintf(problem.next, sizeof problem.next,
             "keep a copy of quire.db; what they held is lost unless it is put "
             "again");
    return hooks->problem(hooks->ctx, &problem, err);
}

/* A file without a row is what a crash leaves. Files and no rows at all are
 * what is left when the database is lost, and the small blobs with it. */
static quire_status report_lost_rows(const quire_check_hooks *hooks,
                                     uint64_t strays, quire_error *err)
{
    quire_problem problem = {.kind = damage_name(DAMAGE_ROW),
                             .where = "quire.db"};

    snprintf(problem.what, sizeof problem.what,
             "there are %llu blob files, and quire.db knows none of them: it "
             "may have been lost",
             (unsigned long long)strays);
    snprintf(problem.next, sizeof problem.next,
             "bring quire.db back from a copy; `quire repair` makes rows for "
             "the files that are there");
    return hooks->problem(hooks->ctx, &problem, err);
}

quire_status blob_check_all(struct blobs *b, unsigned flags,
                            const struct blob_workers *crew,
                            const quire_check_hooks *hooks, quire_error *err)
{
    struct object_store *files = b->c.files;
    struct check_names names = {.layout = b->c.layout};
    bool packed = b->c.layout == QUIRE_LAYOUT_PACKED;
    uint64_t rows = 0, bytes = 0, strays = 0;
    int64_t last = 0;
    struct verify_worker c;
    quire_status st = QUIRE_OK;

    if (b->rows)
        st = blob_table_weigh(b->rows, &rows, &bytes, err);
    if (!st && b->rows)
        st = blob_table_last(b->rows, &last, err);
    if (b->rows && flags & BLOB_CHECK_STRAYS)
        names.hooks = hooks;
    if (!st)
        st = files->ops->list(files, "", add_name, &names, err);
    verify_worker_init(&c, b, flags, crew, hooks);
    c.total = packed ? rows : names.n;
    if (!st && b->rows)
        st = verify_rows_parallel(&c, rows, bytes, last, err);
    if (!st && b->rows)
        st = check_odd_rows(b, hooks, err);
    if (!st)
        st = verify_files_parallel(&c, &names, &strays, err);
    if (!st && packed && rows == 0 && strays)
        st = report_lost_rows(hooks, strays, err);
    free(names.list);
    return st;
}

quire_status blob_check(struct blob_view v, const quire_digest *only,
                        const quire_check_hooks *hooks, quire_error *err)
{
    struct blobs *b = v.store;
    struct verify_worker crew;
    struct check_ears ears;
    struct verify c;
    struct blob_location p;
    quire_status st;

    if (!only)
        return blob_check_all(b, 0, NULL, hooks, err);
    verify_worker_init(&crew, b, 0, NULL, hooks);
    crew.total = 1;
    ears = verify_worker_hooks(&crew);
    verify_init(&c, b, 0, &ears);
    st = blob_find_for_tenant(v, only, &p, err);
    if (!st)
        st = check_one(&c, only, &p, err);
    if (!st)
        st = verify_finish(&c, err);
    verify_release(&c);
    return st;
}

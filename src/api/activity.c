/* activity.c - see activity.h */
#include "api/activity.h"

#include <string.h>

#include "api/core/handle.h"
#include "api/session_rows.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"

/* Records that are stored in one transaction. */
enum { BATCH = 128 };

struct walk {
    struct quire *q;
    activity_fn each;
    void *ctx;
    int64_t until_us; /* nothing is read after that                          */
    uint64_t *pending;
    bool begun, keeps; /* the catalogue has records                          */
    struct arena tmp;  /* of one session                                     */

    struct activity_record batch[BATCH]; /* `data` in `keep`                 */
    size_t n_batch;
    struct arena keep;
};

/* ---- records ------------------------------------------------------------ */

/* What is not stored is counted again. */
static quire_status store_batch(struct walk *w, quire_error *err)
{
    struct db *db = w->q->catalog.db;
    quire_status st;
    size_t i;

    if (w->n_batch == 0)
        return QUIRE_OK;
    st = db_begin(db, DB_IF_FREE, w->q->tenant, err);
    if (!st) {
        for (i = 0; i < w->n_batch && !st; i++)
            st = activity_store(&w->q->catalog, w->q->tenant, &w->batch[i],
                                err);
        st = sql_end(db, st, err);
    }
    w->n_batch = 0;
    arena_reset(&w->keep);
    return st == QUIRE_BUSY ? QUIRE_OK : st;
}

static quire_status add_to_batch(struct walk *w, const struct activity *a,
                                 int64_t number, const struct object_info *info,
                                 quire_error *err)
{
    struct activity_record *r = &w->batch[w->n_batch];
    struct buf text = BUF_INIT(64 << 20);
    bool fresh = clock_us(&clock_system) * 1000 - info->changed_ns <=
                 LIST_FRESH_NS;
    quire_status st;

    activity_save(a, &text);
    st = buf_status(&text, "the activity of a session", err);
    if (!st) {
        *r = (struct activity_record){
            .session = number,
            .inode = info->inode,
            .size = info->size,
            .modified_ns = info->modified_ns,
            .changed_ns = fresh ? 0 : info->changed_ns,
            .data = arena_dup(&w->keep, buf_bytes(&text)),
        };
        st = r->data.data ? QUIRE_OK : err_memory(err);
    }
    buf_release(&text);
    if (!st && ++w->n_batch == BATCH)
        st = store_batch(w, err);
    return st;
}

/* ---- sessions ----------------------------------------------------------- */

static bool is_same_file(const struct activity_record *r,
                         const struct object_info *info)
{
    return r->data.data && r->inode == info->inode && r->size == info->size &&
           r->modified_ns == info->modified_ns &&
           r->changed_ns == info->changed_ns;
}

/* Read what the file has that was not counted. A file that cannot be read has no
 * activity. */
static quire_status read_file(struct walk *w, const quire_session_row *row,
                              struct store *store, const struct list_item *item,
                              struct activity *a, quire_error *err)
{
    struct object_info info;
    struct log *file;
    quire_status st = log_open(store->logs, item->name, LOG_READ, &file, &info,
                               NULL);

    if (st)
        return st == QUIRE_NO_MEMORY ? err_memory(err) : QUIRE_OK;
    st = activity_read(file, a, NULL);
    log_close(file);
    if (st)
        return st == QUIRE_NO_MEMORY ? err_memory(err) : QUIRE_OK;
    return w->keeps && row->number && !w->q->read_only
               ? add_to_batch(w, a, row->number, &info, err)
               : QUIRE_OK;
}

/* Only now: the listing has brought the catalogue up to date, if it could. */
static void look_at_catalog(struct walk *w)
{
    struct quire *q = w->q;

    w->keeps = !w->begun && q->kind == QUIRE_KIND_NATIVE && q->db_path &&
               !need_rows(q, false, NULL) &&
               catalog_has(&q->catalog, SCHEMA_ACTIVITY);
    w->begun = true;
}

static quire_status find_record(struct walk *w, int64_t number,
                                struct activity_record *out, quire_error *err)
{
    quire_status st = QUIRE_NOT_FOUND;

    *out = (struct activity_record){.session = number};
    if (w->keeps && number)
        st = activity_find(&w->q->catalog, w->q->tenant, number, &w->tmp, out,
                           err);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status visit(void *ctx, const quire_session_row *row,
                          struct store *store, const struct list_item *item,
                          quire_error *err)
{
    struct walk *w = ctx;
    struct activity a = {.keep = ARENA_INIT};
    struct activity_record r;
    bool known = false, late;
    quire_status st;

    arena_reset(&w->tmp);
    if (!w->begun)
        look_at_catalog(w);
    st = find_record(w, row->number, &r, err);
    if (st)
        return st;
    if (r.data.data && activity_load(r.data, &a))
        known = is_same_file(&r, &item->info);
    late = !known && clock_steady_us() > w->until_us;
    st = known || late ? QUIRE_OK : read_file(w, row, store, item, &a, err);
    *w->pending += late;
    if (!a.agent)
        a.agent = a.last = a.model = "";
    if (!st)
        st = w->each(w->ctx, row, late ? NULL : &a, err);
    activity_release(&a);
    return st;
}

quire_status activity_walk(struct quire *q, int64_t budget_ms, activity_fn each,
                           void *ctx, uint64_t *pending, quire_error *err)
{
    quire_row_options o = QUIRE_ROW_OPTIONS_INIT;
    struct walk w = {.q = q,
                     .each = each,
                     .ctx = ctx,
                     .until_us = clock_steady_us() +
                                 (budget_ms < 3600000 ? budget_ms : 3600000) *
                                     1000,
                     .pending = pending,
                     .tmp = ARENA_INIT,
                     .keep = ARENA_INIT};
    quire_status st;

    *pending = 0;
    o.archived = 2;
    st = session_rows_walk(q, &o, visit, &w, err);
    if (!st)
        st = store_batch(&w, err);
    arena_release(&w.tmp);
    arena_release(&w.keep);
    return st;
}

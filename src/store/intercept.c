/*
 * intercept.c - the wrappers behind tap.h
 *
 * Each function is the same three steps: ask, call, tell. PASS spells them.
 * Calls that cannot fail go straight through.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/intercept.h"

static quire_status ask(const struct tap *t, const char *call, const char *on,
                        quire_error *err)
{
    return t->before ? t->before(t->ctx, call, on, err) : QUIRE_OK;
}

static quire_status tell(const struct tap *t, const char *call, const char *on,
                         quire_status result)
{
    if (t->after)
        t->after(t->ctx, call, on, result);
    return result;
}

#define PASS(t, call, on, expression)                             \
    do {                                                          \
        quire_status st_ = ask((t), (call), (on), err);           \
        return tell((t), (call), (on), st_ ? st_ : (expression)); \
    } while (0)

/* ---- objects ------------------------------------------------------------ */

struct tapped {
    struct object_store base;
    struct object_store *inner;
    struct tap tap;
};

struct tapped_object {
    struct object base;
    struct object *inner;
    const struct tap *tap;
};

struct tapped_draft {
    struct draft base;
    struct draft *inner;
    const struct tap *tap;
};

static const struct object_ops tapped_ops;

static struct tapped *of_store(struct object_store *s)
{
    return (struct tapped *)s;
}

static quire_status tapped_stat(struct object_store *s, const char *name,
                                struct object_info *info, quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object stat", name,
         in->ops->stat(in, name, info, err));
}

typedef quire_status (*open_fn)(struct object_store *s, const char *name,
                                struct object **out, struct object_info *info,
                                quire_error *err);

static quire_status open_inner(struct tapped *t, open_fn open, const char *name,
                               struct object **out, struct object_info *info,
                               quire_error *err)
{
    struct tapped_object *o = malloc(sizeof *o);
    quire_status st;

    if (!o)
        return err_memory(err);
    o->base.ops = &tapped_ops;
    o->tap = &t->tap;
    st = open(t->inner, name, &o->inner, info, err);
    if (st)
        free(o);
    else
        *out = &o->base;
    return st;
}

static quire_status tapped_open(struct object_store *s, const char *name,
                                struct object **out, struct object_info *info,
                                quire_error *err)
{
    PASS(&of_store(s)->tap, "object open", name,
         open_inner(of_store(s), of_store(s)->inner->ops->open, name, out, info,
                    err));
}

static quire_status tapped_read(struct object *base, uint64_t offset, void *buf,
                                size_t cap, size_t *n, quire_error *err)
{
    struct tapped_object *o = (struct tapped_object *)base;

    PASS(o->tap, "object read", "",
         o->inner->ops->read(o->inner, offset, buf, cap, n, err));
}

static void tapped_close(struct object *base)
{
    struct tapped_object *o = (struct tapped_object *)base;

    o->inner->ops->close(o->inner);
    free(o);
}

static quire_status create_inner(struct tapped *t, struct draft **out,
                                 quire_error *err)
{
    struct tapped_draft *d = malloc(sizeof *d);
    quire_status st;

    if (!d)
        return err_memory(err);
    d->base.ops = &tapped_ops;
    d->tap = &t->tap;
    st = t->inner->ops->create(t->inner, &d->inner, err);
    if (st)
        free(d);
    else
        *out = &d->base;
    return st;
}

static quire_status tapped_create(struct object_store *s, struct draft **out,
                                  quire_error *err)
{
    PASS(&of_store(s)->tap, "object create", "",
         create_inner(of_store(s), out, err));
}

static quire_status tapped_write(struct draft *base, quire_bytes bytes,
                                 quire_error *err)
{
    struct tapped_draft *d = (struct tapped_draft *)base;

    PASS(d->tap, "object write", "",
         d->inner->ops->write(d->inner, bytes, err));
}

static void tapped_discard(struct draft *base)
{
    struct tapped_draft *d = (struct tapped_draft *)base;

    d->inner->ops->discard(d->inner);
    free(d);
}

static quire_status tapped_settle(struct draft *base, quire_error *err)
{
    struct tapped_draft *d = (struct tapped_draft *)base;

    PASS(d->tap, "object settle", "", d->inner->ops->settle(d->inner, err));
}

/* The draft is gone afterwards, also when the hook said no; unless the name is
 * taken. */
static quire_status tapped_publish(struct draft *base, const char *name,
                                   bool replace, quire_error *err)
{
    struct tapped_draft *d = (struct tapped_draft *)base;
    const struct tap *tap = d->tap;
    quire_status st = ask(tap, "object publish", name, err);
    bool taken = false;

    if (st) {
        d->inner->ops->discard(d->inner);
    } else {
        st = d->inner->ops->publish(d->inner, name, replace, err);
        taken = st == QUIRE_EXISTS;
    }
    if (!taken)
        free(d);
    return tell(tap, "object publish", name, st);
}

static quire_status tapped_append(struct object_store *s, const char *name,
                                  quire_bytes bytes, uint64_t *size,
                                  quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object append", name,
         in->ops->append(in, name, bytes, size, err));
}

static quire_status tapped_touch(struct object *base, int64_t now_s,
                                 quire_error *err)
{
    struct tapped_object *o = (struct tapped_object *)base;

    PASS(o->tap, "object touch", "",
         o->inner->ops->touch(o->inner, now_s, err));
}

static quire_status tapped_sync(struct object *base, quire_error *err)
{
    struct tapped_object *o = (struct tapped_object *)base;

    PASS(o->tap, "object sync", "", o->inner->ops->sync(o->inner, err));
}

static quire_status tapped_rename(struct object_store *s, const char *from,
                                  const char *to, quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object rename", from,
         in->ops->rename(in, from, to, err));
}

static quire_status tapped_remove(struct object_store *s, const char *name,
                                  quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object remove", name,
         in->ops->remove(in, name, err));
}

static quire_status tapped_list(struct object_store *s, const char *prefix,
                                object_each_fn each, void *ctx,
                                quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object list", prefix,
         in->ops->list(in, prefix, each, ctx, err));
}

static quire_status tapped_scan(struct object_store *s, const char *dir,
                                object_scan_fn each, void *ctx,
                                quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object scan", dir,
         in->ops->scan(in, dir, each, ctx, err));
}

static quire_status tapped_survey(struct object_store *s, const char *root,
                                  object_survey_fn each, void *ctx,
                                  quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object survey", root,
         in->ops->survey(in, root, each, ctx, err));
}

static quire_status tapped_comb(struct object_store *s, const char *root,
                                object_want_fn wants, object_survey_fn each,
                                void *ctx, quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object comb", root,
         in->ops->comb(in, root, wants, each, ctx, err));
}

static quire_status tapped_clear(struct object_store *s, const char *prefix,
                                 quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object clear", prefix,
         in->ops->clear(in, prefix, err));
}

static quire_status tapped_edit(struct object_store *s, const char *name,
                                struct object **out, struct object_info *info,
                                quire_error *err)
{
    PASS(&of_store(s)->tap, "object edit", name,
         open_inner(of_store(s), of_store(s)->inner->ops->edit, name, out, info,
                    err));
}

static quire_status tapped_hold(struct object *base, int wait_ms,
                                quire_error *err)
{
    struct tapped_object *o = (struct tapped_object *)base;

    PASS(o->tap, "object hold", "",
         o->inner->ops->hold(o->inner, wait_ms, err));
}

static quire_status tapped_look(struct object *base, uint64_t *size,
                                bool *named, quire_error *err)
{
    struct tapped_object *o = (struct tapped_object *)base;

    PASS(o->tap, "object look", "",
         o->inner->ops->look(o->inner, size, named, err));
}

static quire_status tapped_extend(struct object *base, uint64_t size,
                                  quire_bytes bytes, quire_error *err)
{
    struct tapped_object *o = (struct tapped_object *)base;

    PASS(o->tap, "object extend", "",
         o->inner->ops->extend(o->inner, size, bytes, err));
}

static quire_status tapped_patch(struct object *base, uint64_t offset,
                                 quire_bytes bytes, quire_error *err)
{
    struct tapped_object *o = (struct tapped_object *)base;

    PASS(o->tap, "object patch", "",
         o->inner->ops->patch(o->inner, offset, bytes, err));
}

static quire_status found_inner(struct tapped_draft *d, const char *name,
                                struct object **out, quire_error *err)
{
    struct tapped_object *o = malloc(sizeof *o);
    quire_status st;

    if (!o) {
        d->inner->ops->discard(d->inner);
        return err_memory(err);
    }
    o->base.ops = &tapped_ops;
    o->tap = d->tap;
    st = d->inner->ops->found(d->inner, name, &o->inner, err);
    if (st)
        free(o);
    else
        *out = &o->base;
    return st;
}

static quire_status tapped_found(struct draft *draft, const char *name,
                                 struct object **out, quire_error *err)
{
    struct tapped_draft *d = (struct tapped_draft *)draft;
    const struct tap *tap = d->tap;
    quire_status st = ask(tap, "object found", name, err);

    if (st)
        d->inner->ops->discard(d->inner);
    else
        st = found_inner(d, name, out, err);
    free(d);
    return tell(tap, "object found", name, st);
}

/* The draft is gone afterwards, as after publish. */
static quire_status tapped_swap(struct object *base, struct draft *draft,
                                quire_error *err)
{
    struct tapped_object *o = (struct tapped_object *)base;
    struct tapped_draft *d = (struct tapped_draft *)draft;
    quire_status st = ask(o->tap, "object swap", "", err);

    if (st)
        d->inner->ops->discard(d->inner);
    else
        st = o->inner->ops->swap(o->inner, d->inner, err);
    free(d);
    return tell(o->tap, "object swap", "", st);
}

static quire_status tapped_begin(struct object_store *s, quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object begin", "", in->ops->begin(in, err));
}

static quire_status tapped_commit(struct object_store *s, quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object commit", "", in->ops->commit(in, err));
}

static void tapped_rollback(struct object_store *s)
{
    of_store(s)->inner->ops->rollback(of_store(s)->inner);
}

/* Letting go cannot fail, so it is not asked about. */
static quire_status tapped_lock(struct object_store *s, enum object_lock mode,
                                int wait_ms, quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    if (mode == OBJECT_UNLOCK)
        return in->ops->lock(in, mode, wait_ms, err);
    PASS(&of_store(s)->tap, "object lock",
         mode == OBJECT_SHARED ? "shared" : "exclusive",
         in->ops->lock(in, mode, wait_ms, err));
}

static void tapped_mark(struct object_store *s)
{
    struct object_store *in = of_store(s)->inner;

    in->ops->mark(in);
}

static quire_status tapped_marked(struct object_store *s, int64_t *mark,
                                  quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object marked", "",
         in->ops->marked(in, mark, err));
}

static quire_status tapped_claim(struct object_store *s, const char *dir,
                                 int wait_ms, quire_error *err)
{
    struct object_store *in = of_store(s)->inner;

    PASS(&of_store(s)->tap, "object claim", dir,
         in->ops->claim(in, dir, wait_ms, err));
}

static void tapped_let_go(struct object_store *s)
{
    struct object_store *in = of_store(s)->inner;

    in->ops->let_go(in);
}

static const char *tapped_place(const struct object_store *s)
{
    const struct object_store *in = ((const struct tapped *)s)->inner;

    return in->ops->place(in);
}

static void tapped_free(struct object_store *s)
{
    of_store(s)->inner->ops->free(of_store(s)->inner);
    free(s);
}

static const struct object_ops tapped_ops = {
    .stat = tapped_stat,
    .open = tapped_open,
    .read = tapped_read,
    .close = tapped_close,
    .create = tapped_create,
    .write = tapped_write,
    .settle = tapped_settle,
    .publish = tapped_publish,
    .discard = tapped_discard,
    .append = tapped_append,
    .touch = tapped_touch,
    .sync = tapped_sync,
    .rename = tapped_rename,
    .remove = tapped_remove,
    .list = tapped_list,
    .scan = tapped_scan,
    .survey = tapped_survey,
    .comb = tapped_comb,
    .clear = tapped_clear,
    .edit = tapped_edit,
    .hold = tapped_hold,
    .look = tapped_look,
    .extend = tapped_extend,
    .patch = tapped_patch,
    .found = tapped_found,
    .swap = tapped_swap,
    .begin = tapped_begin,
    .commit = tapped_commit,
    .rollback = tapped_rollback,
    .lock = tapped_lock,
    .mark = tapped_mark,
    .marked = tapped_marked,
    .claim = tapped_claim,
    .let_go = tapped_let_go,
    .place = tapped_place,
    .free = tapped_free,
};

quire_status object_tap(struct object_store *inner, struct tap tap,
                        struct object_store **out, quire_error *err)
{
    struct tapped *t = malloc(sizeof *t);

    if (!t)
        return err_memory(err);
    *t = (struct tapped){{&tapped_ops}, inner, tap};
    *out = &t->base;
    return QUIRE_OK;
}

/* ---- database ----------------------------------------------------------- */

struct tapped_db {
    struct db base;
    struct db *inner;
    struct tap tap;
};

struct tapped_stmt {
    struct stmt base;
    struct stmt *inner;
    const struct tap *tap;
    char *sql; /* owned */
};

static const struct db_ops tapped_db_ops;

static struct tapped_db *of_db(struct db *db)
{
    return (struct tapped_db *)db;
}

static struct stmt *in_stmt(struct stmt *s)
{
    return ((struct tapped_stmt *)s)->inner;
}

static quire_status tapped_exec(struct db *db, const char *sql,
                                quire_error *err)
{
    struct db *in = of_db(db)->inner;

    PASS(&of_db(db)->tap, "db exec", sql, in->ops->exec(in, sql, err));
}

static quire_status prepare_inner(struct tapped_db *t, const char *sql,
                                  struct stmt **out, quire_error *err)
{
    struct tapped_stmt *s = calloc(1, sizeof *s);
    quire_status st = QUIRE_OK;

    if (s)
        s->sql = strdup(sql);
    if (!s || !s->sql)
        st = err_memory(err);
    if (!st)
        st = t->inner->ops->prepare(t->inner, sql, &s->inner, err);
    if (st) {
        if (s)
            free(s->sql);
        free(s);
        return st;
    }
    s->base.ops = &tapped_db_ops;
    s->tap = &t->tap;
    *out = &s->base;
    return QUIRE_OK;
}

static quire_status tapped_prepare(struct db *db, const char *sql,
                                   struct stmt **out, quire_error *err)
{
    PASS(&of_db(db)->tap, "db prepare", sql,
         prepare_inner(of_db(db), sql, out, err));
}

static void tapped_bind_int(struct stmt *s, int at, int64_t value)
{
    in_stmt(s)->ops->bind_int(in_stmt(s), at, value);
}

static void tapped_bind_bytes(struct stmt *s, int at, quire_bytes value)
{
    in_stmt(s)->ops->bind_bytes(in_stmt(s), at, value);
}

static void tapped_bind_text(struct stmt *s, int at, quire_bytes value)
{
    in_stmt(s)->ops->bind_text(in_stmt(s), at, value);
}

static void tapped_bind_null(struct stmt *s, int at)
{
    in_stmt(s)->ops->bind_null(in_stmt(s), at);
}

static quire_status tapped_step(struct stmt *s, bool *row, quire_error *err)
{
    struct tapped_stmt *t = (struct tapped_stmt *)s;

    PASS(t->tap, "db step", t->sql, t->inner->ops->step(t->inner, row, err));
}

static int64_t tapped_column_int(struct stmt *s, int at)
{
    return in_stmt(s)->ops->column_int(in_stmt(s), at);
}

static quire_bytes tapped_column_bytes(struct stmt *s, int at)
{
    return in_stmt(s)->ops->column_bytes(in_stmt(s), at);
}

static bool tapped_column_null(struct stmt *s, int at)
{
    return in_stmt(s)->ops->column_null(in_stmt(s), at);
}

static void tapped_reset(struct stmt *s)
{
    in_stmt(s)->ops->reset(in_stmt(s));
}

static void tapped_finalize(struct stmt *s)
{
    in_stmt(s)->ops->finalize(in_stmt(s));
    free(((struct tapped_stmt *)s)->sql);
    free(s);
}

static quire_status tapped_db_begin(struct db *db, enum db_begin mode,
                                    quire_error *err)
{
    struct db *in = of_db(db)->inner;

    PASS(&of_db(db)->tap, "db begin", "", in->ops->begin(in, mode, err));
}

/* A commit that fails leaves no transaction, also when the hook said no. */
static quire_status tapped_db_commit(struct db *db, quire_error *err)
{
    struct tapped_db *t = of_db(db);
    quire_status st = ask(&t->tap, "db commit", "", err);

    if (st)
        t->inner->ops->rollback(t->inner);
    else
        st = t->inner->ops->commit(t->inner, err);
    return tell(&t->tap, "db commit", "", st);
}

static void tapped_db_rollback(struct db *db)
{
    of_db(db)->inner->ops->rollback(of_db(db)->inner);
}

static quire_status tapped_open_group(struct db *db, quire_error *err)
{
    struct db *in = of_db(db)->inner;

    PASS(&of_db(db)->tap, "db open group", "", in->ops->open_group(in, err));
}

/* The same for a group. */
static quire_status tapped_close_group(struct db *db, bool *kept,
                                       quire_error *err)
{
    struct tapped_db *t = of_db(db);
    quire_status st = ask(&t->tap, "db close group", "", err);

    /* What ends its transaction spoils it. */
    if (st) {
        t->inner->ops->exec(t->inner, "ROLLBACK", NULL);
        t->inner->ops->close_group(t->inner, kept, NULL);
    } else {
        st = t->inner->ops->close_group(t->inner, kept, err);
    }
    return tell(&t->tap, "db close group", "", st);
}

static void tapped_relax(struct db *db, bool on)
{
    of_db(db)->inner->ops->relax(of_db(db)->inner, on);
}

static quire_status tapped_db_settle(struct db *db, quire_error *err)
{
    struct db *in = of_db(db)->inner;

    PASS(&of_db(db)->tap, "db settle", "", in->ops->settle(in, err));
}

static bool tapped_inside(struct db *db)
{
    return of_db(db)->inner->ops->inside(of_db(db)->inner);
}

static int64_t tapped_changes(struct db *db)
{
    return of_db(db)->inner->ops->changes(of_db(db)->inner);
}

static int64_t tapped_last_id(struct db *db)
{
    return of_db(db)->inner->ops->last_id(of_db(db)->inner);
}

static const char *tapped_snippet(const struct db *db, enum db_snippet which)
{
    const struct db *in = ((const struct tapped_db *)db)->inner;

    return in->ops->snippet(in, which);
}

static void tapped_db_close(struct db *db)
{
    of_db(db)->inner->ops->close(of_db(db)->inner);
    free(db);
}

static const struct db_ops tapped_db_ops = {
    .exec = tapped_exec,
    .prepare = tapped_prepare,
    .bind_int = tapped_bind_int,
    .bind_bytes = tapped_bind_bytes,
    .bind_text = tapped_bind_text,
    .bind_null = tapped_bind_null,
    .step = tapped_step,
    .column_int = tapped_column_int,
    .column_bytes = tapped_column_bytes,
    .column_null = tapped_column_null,
    .reset = tapped_reset,
    .finalize = tapped_finalize,
    .begin = tapped_db_begin,
    .commit = tapped_db_commit,
    .rollback = tapped_db_rollback,
    .open_group = tapped_open_group,
    .close_group = tapped_close_group,
    .relax = tapped_relax,
    .settle = tapped_db_settle,
    .inside = tapped_inside,
    .changes = tapped_changes,
    .last_id = tapped_last_id,
    .snippet = tapped_snippet,
    .close = tapped_db_close,
};

quire_status db_tap(struct db *inner, struct tap tap, struct db **out,
                    quire_error *err)
{
    struct tapped_db *t = malloc(sizeof *t);

    if (!t)
        return err_memory(err);
    *t = (struct tapped_db){{&tapped_db_ops}, inner, tap};
    *out = &t->base;
    return QUIRE_OK;
}

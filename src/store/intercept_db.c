/* intercept_db.c - the wrapper of a database: see intercept.h */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/intercept_priv.h"

#define DB_CALL(fn, slot, call, on, params, ...)                         \
    PASS_ON(fn, slot, of_db(db)->inner, &of_db(db)->intercept, call, on, \
            params, __VA_ARGS__)

struct intercepted_db {
    struct db base;
    struct db *inner;
    struct intercept intercept;
    unsigned flight; /* waits so far, plus 1 */
    bool waits;      /* the commit of the open transaction does */
};

struct intercepted_stmt {
    struct stmt base;
    struct stmt *inner;
    struct intercepted_db *db;
    char *sql;     /* owned */
    unsigned sent; /* the flight that it was asked in; 0: it was not */
    bool begun;    /* it was stepped since it was reset */
};

static const struct db_ops intercepted_db_ops;

static struct intercepted_db *of_db(struct db *db)
{
    return (struct intercepted_db *)db;
}

static struct stmt *in_stmt(struct stmt *s)
{
    return ((struct intercepted_stmt *)s)->inner;
}

/* A call that a distant database answers after a round trip: everything sent before
 * has been answered then, too. */
static void count_wait(struct intercepted_db *t, const char *on)
{
    t->flight++;
    if (t->intercept.wait)
        t->intercept.wait(t->intercept.ctx, on);
}

#define DB_WAIT(fn, slot, call, on, params, ...)          \
    static quire_status intercepted_##fn params           \
    {                                                     \
        struct intercepted_db *t = of_db(db);             \
                                                          \
        count_wait(t, *(on) ? (on) : (call));             \
        PASS(&t->intercept, call, on,                     \
             t->inner->ops->slot(t->inner, __VA_ARGS__)); \
    }

DB_WAIT(exec, exec, "db exec", sql,
        (struct db * db, const char *sql, quire_error *err), sql, err)

static quire_status prepare_inner(struct intercepted_db *t, const char *sql,
                                  struct stmt **out, quire_error *err)
{
    struct intercepted_stmt *s = calloc(1, sizeof *s);
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
    s->base.ops = &intercepted_db_ops;
    s->db = t;
    *out = &s->base;
    return QUIRE_OK;
}

static quire_status intercepted_prepare(struct db *db, const char *sql,
                                        struct stmt **out, quire_error *err)
{
    PASS(&of_db(db)->intercept, "db prepare", sql,
         prepare_inner(of_db(db), sql, out, err));
}

static void intercepted_bind_int(struct stmt *s, int at, int64_t value)
{
    in_stmt(s)->ops->bind_int(in_stmt(s), at, value);
}

static void intercepted_bind_bytes(struct stmt *s, int at, quire_bytes value)
{
    in_stmt(s)->ops->bind_bytes(in_stmt(s), at, value);
}

static void intercepted_bind_text(struct stmt *s, int at, quire_bytes value)
{
    in_stmt(s)->ops->bind_text(in_stmt(s), at, value);
}

static void intercepted_bind_null(struct stmt *s, int at)
{
    in_stmt(s)->ops->bind_null(in_stmt(s), at);
}

static void intercepted_ask(struct stmt *s)
{
    struct intercepted_stmt *t = (struct intercepted_stmt *)s;

    t->sent = t->db->flight;
    stmt_ask(t->inner);
}

static quire_status intercepted_post(struct stmt *s, quire_error *err)
{
    struct intercepted_stmt *t = (struct intercepted_stmt *)s;

    PASS(&t->db->intercept, "db post", t->sql, stmt_post(t->inner, err));
}

static quire_status intercepted_step(struct stmt *s, bool *row,
                                     quire_error *err)
{
    struct intercepted_stmt *t = (struct intercepted_stmt *)s;

    /* Its first row waits, unless it was asked and another wait came since. */
    if (!t->begun && (!t->sent || t->sent == t->db->flight))
        count_wait(t->db, t->sql);
    t->begun = true;
    PASS(&t->db->intercept, "db step", t->sql, stmt_step(t->inner, row, err));
}

static int64_t intercepted_column_int(struct stmt *s, int at)
{
    return in_stmt(s)->ops->column_int(in_stmt(s), at);
}

static quire_bytes intercepted_column_bytes(struct stmt *s, int at)
{
    return in_stmt(s)->ops->column_bytes(in_stmt(s), at);
}

static bool intercepted_column_null(struct stmt *s, int at)
{
    return in_stmt(s)->ops->column_null(in_stmt(s), at);
}

static void intercepted_reset(struct stmt *s)
{
    struct intercepted_stmt *t = (struct intercepted_stmt *)s;

    t->sent = 0;
    t->begun = false;
    in_stmt(s)->ops->reset(in_stmt(s));
}

static void intercepted_finalize(struct stmt *s)
{
    in_stmt(s)->ops->finalize(in_stmt(s));
    free(((struct intercepted_stmt *)s)->sql);
    free(s);
}

/* Sent with the next statement. */
static quire_status intercepted_db_begin(struct db *db, enum db_begin mode,
                                         int64_t scope, quire_error *err)
{
    of_db(db)->waits = mode == DB_SOON || mode == DB_DURABLE;
    PASS(&of_db(db)->intercept, "db begin", "",
         db_begin(of_db(db)->inner, mode, scope, err));
}

/* After a failed commit no transaction is open, also when the hook failed the
 * call. */
static quire_status intercepted_db_commit(struct db *db, quire_error *err)
{
    struct intercepted_db *t = of_db(db);
    quire_status st = call_before(&t->intercept, "db commit", "", err);

    if (t->waits)
        count_wait(t, "db commit");
    if (st)
        t->inner->ops->rollback(t->inner);
    else
        st = t->inner->ops->commit(t->inner, err);
    return call_after(&t->intercept, "db commit", "", st);
}

static void intercepted_db_rollback(struct db *db)
{
    of_db(db)->inner->ops->rollback(of_db(db)->inner);
}

DB_CALL(open_group, open_group, "db open group", "",
        (struct db * db, quire_error *err), err)

/* The same for a group. */
static quire_status intercepted_close_group(struct db *db, bool keep,
                                            bool *kept, quire_error *err)
{
    struct intercepted_db *t = of_db(db);
    quire_status st = call_before(&t->intercept, "db close group", "", err);

    count_wait(t, "db close group");
    /* A failure that ends its transaction spoils the group. */
    if (st) {
        t->inner->ops->exec(t->inner, "ROLLBACK", NULL);
        t->inner->ops->close_group(t->inner, keep, kept, NULL);
    } else {
        st = t->inner->ops->close_group(t->inner, keep, kept, err);
    }
    return call_after(&t->intercept, "db close group", "", st);
}

static void intercepted_relax(struct db *db, bool on)
{
    of_db(db)->inner->ops->relax(of_db(db)->inner, on);
}

DB_CALL(db_settle, settle, "db settle", "", (struct db * db, quire_error *err),
        err)

static bool intercepted_inside(struct db *db)
{
    return of_db(db)->inner->ops->inside(of_db(db)->inner);
}

static int64_t intercepted_changes(struct db *db)
{
    return of_db(db)->inner->ops->changes(of_db(db)->inner);
}

DB_WAIT(schema_version, schema_version, "db schema version", "",
        (struct db * db, int64_t *version, quire_error *err), version, err)

DB_WAIT(set_schema_version, set_schema_version, "db set schema version", "",
        (struct db * db, int version, quire_error *err), version, err)

DB_CALL(data_version, data_version, "db data version", "",
        (struct db * db, int64_t *version, quire_error *err), version, err)

DB_WAIT(has_table, has_table, "db has table", name,
        (struct db * db, const char *name, bool *has, quire_error *err), name,
        has, err)

DB_WAIT(has_only_tables, has_only_tables, "db has only tables", a,
        (struct db * db, const char *a, const char *b, bool *only,
         quire_error *err),
        a, b, only, err)

DB_WAIT(space, space, "db space", "",
        (struct db * db, int64_t *bytes, int64_t *unused, quire_error *err),
        bytes, unused, err)

DB_WAIT(release_space, release_space, "db release space", "",
        (struct db * db, int64_t max, int64_t *released, quire_error *err), max,
        released, err)

static void intercepted_db_close(struct db *db)
{
    of_db(db)->inner->ops->close(of_db(db)->inner);
    free(db);
}

static const struct db_ops intercepted_db_ops = {
    .exec = intercepted_exec,
    .prepare = intercepted_prepare,
    .bind_int = intercepted_bind_int,
    .bind_bytes = intercepted_bind_bytes,
    .bind_text = intercepted_bind_text,
    .bind_null = intercepted_bind_null,
    .ask = intercepted_ask,
    .post = intercepted_post,
    .step = intercepted_step,
    .column_int = intercepted_column_int,
    .column_bytes = intercepted_column_bytes,
    .column_null = intercepted_column_null,
    .reset = intercepted_reset,
    .finalize = intercepted_finalize,
    .begin = intercepted_db_begin,
    .commit = intercepted_db_commit,
    .rollback = intercepted_db_rollback,
    .open_group = intercepted_open_group,
    .close_group = intercepted_close_group,
    .relax = intercepted_relax,
    .settle = intercepted_db_settle,
    .inside = intercepted_inside,
    .changes = intercepted_changes,
    .schema_version = intercepted_schema_version,
    .set_schema_version = intercepted_set_schema_version,
    .data_version = intercepted_data_version,
    .has_table = intercepted_has_table,
    .has_only_tables = intercepted_has_only_tables,
    .space = intercepted_space,
    .release_space = intercepted_release_space,
    .close = intercepted_db_close,
};

quire_status db_intercept(struct db *inner, struct intercept intercept,
                          struct db **out, quire_error *err)
{
    struct intercepted_db *t = malloc(sizeof *t);

    if (!t)
        return err_memory(err);
    *t = (struct intercepted_db){{&intercepted_db_ops},
                                 inner,
                                 intercept,
                                 1,
                                 false};
    *out = &t->base;
    return QUIRE_OK;
}

/*
 * intercept_db.c - the wrapper of a database: see intercept.h
 *
 * The list DB_SLOTS below has three kinds of slots besides OWN:
 *
 * DB        the three steps of intercept_priv.h
 * DB_WAIT   the same, after a wait has been counted: a distant database answers
 *           the call after a round trip
 * OWN_WAIT  written by hand, like OWN, and counts a wait
 *
 * The others are sent with a later call, or need no database.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/intercept_priv.h"

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

static const struct db_ops intercepted_ops;

static struct intercepted_db *of_db(struct db *db)
{
    return (struct intercepted_db *)db;
}

static struct intercepted_stmt *of_stmt(struct stmt *s)
{
    return (struct intercepted_stmt *)s;
}

/* Everything sent before has been answered then, too. */
static void count_wait(struct intercepted_db *t, const char *on)
{
    t->flight++;
    if (t->intercept.wait)
        t->intercept.wait(t->intercept.ctx, on);
}

/* ---- statements ----------------------------------------------------------- */

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
    s->base.ops = &intercepted_ops;
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

static void intercepted_ask(struct stmt *s)
{
    of_stmt(s)->sent = of_stmt(s)->db->flight;
    stmt_ask(of_stmt(s)->inner);
}

static quire_status intercepted_post(struct stmt *s, quire_error *err)
{
    struct intercepted_stmt *t = of_stmt(s);

    PASS(&t->db->intercept, "db post", t->sql, stmt_post(t->inner, err));
}

static quire_status intercepted_step(struct stmt *s, bool *row,
                                     quire_error *err)
{
    struct intercepted_stmt *t = of_stmt(s);

    /* Its first row waits, unless it was asked and another wait came since. */
    if (!t->begun && (!t->sent || t->sent == t->db->flight))
        count_wait(t->db, t->sql);
    t->begun = true;
    PASS(&t->db->intercept, "db step", t->sql, stmt_step(t->inner, row, err));
}

static void intercepted_reset(struct stmt *s)
{
    of_stmt(s)->sent = 0;
    of_stmt(s)->begun = false;
    stmt_reset(of_stmt(s)->inner);
}

static void intercepted_finalize(struct stmt *s)
{
    stmt_finalize(of_stmt(s)->inner);
    free(of_stmt(s)->sql);
    free(s);
}

/* ---- transactions --------------------------------------------------------- */

static quire_status intercepted_begin(struct db *db, enum db_begin mode,
                                      int64_t scope, quire_error *err)
{
    of_db(db)->waits = mode == DB_SOON || mode == DB_DURABLE;
    PASS(&of_db(db)->intercept, "db begin", "",
         db_begin(of_db(db)->inner, mode, scope, err));
}

/* After a failed commit no transaction is open, also when the hook failed the
 * call. Waits if the transaction could write. */
static quire_status intercepted_commit(struct db *db, quire_error *err)
{
    struct intercepted_db *t = of_db(db);
    quire_status st = call_before(&t->intercept, "db commit", "", err);

    if (t->waits)
        count_wait(t, "db commit");
    if (st)
        db_rollback(t->inner);
    else
        st = db_commit(t->inner, err);
    return call_after(&t->intercept, "db commit", "", st);
}

/* The same for a group. */
static quire_status intercepted_close_group(struct db *db, bool keep,
                                            bool *kept, quire_error *err)
{
    struct intercepted_db *t = of_db(db);
    quire_status st = call_before(&t->intercept, "db close group", "", err);

    count_wait(t, "db close group");
    /* A failure that ends its transaction spoils the group. */
    if (st) {
        db_exec(t->inner, "ROLLBACK", NULL);
        db_close_group(t->inner, keep, kept, NULL);
    } else {
        st = db_close_group(t->inner, keep, kept, err);
    }
    return call_after(&t->intercept, "db close group", "", st);
}

/* ---- calls that cannot fail ----------------------------------------------- */

static void intercepted_bind_int(struct stmt *s, int at, int64_t value)
{
    stmt_bind_int(of_stmt(s)->inner, at, value);
}

static void intercepted_bind_bytes(struct stmt *s, int at, quire_bytes value)
{
    stmt_bind_bytes(of_stmt(s)->inner, at, value);
}

static void intercepted_bind_text(struct stmt *s, int at, quire_bytes value)
{
    stmt_bind_text(of_stmt(s)->inner, at, value);
}

static void intercepted_bind_null(struct stmt *s, int at)
{
    stmt_bind_null(of_stmt(s)->inner, at);
}

static int64_t intercepted_column_int(struct stmt *s, int at)
{
    return stmt_column_int(of_stmt(s)->inner, at);
}

static quire_bytes intercepted_column_bytes(struct stmt *s, int at)
{
    return stmt_column_bytes(of_stmt(s)->inner, at);
}

static bool intercepted_column_null(struct stmt *s, int at)
{
    return stmt_column_null(of_stmt(s)->inner, at);
}

static void intercepted_rollback(struct db *db)
{
    db_rollback(of_db(db)->inner);
}

static void intercepted_relax(struct db *db, bool on)
{
    db_relax(of_db(db)->inner, on);
}

static bool intercepted_inside(struct db *db)
{
    return db_inside(of_db(db)->inner);
}

static int64_t intercepted_changes(struct db *db)
{
    return db_changes(of_db(db)->inner);
}

static bool intercepted_is_damaged(const struct db *db)
{
    return db_is_damaged(((const struct intercepted_db *)db)->inner);
}

static void intercepted_close(struct db *db)
{
    db_close(of_db(db)->inner);
    free(db);
}

/* ---- every slot ----------------------------------------------------------- */

#define INTERCEPT_DB(slot, call, on, params, args)                          \
    INTERCEPT_CALL(slot, of_db(db)->inner, &of_db(db)->intercept, call, on, \
                   params, args)
#define INTERCEPT_DB_WAIT(slot, call, on, params, args)           \
    static quire_status intercepted_##slot params                 \
    {                                                             \
        struct intercepted_db *t = of_db(db);                     \
                                                                  \
        count_wait(t, *(on) ? (on) : (call));                     \
        PASS(&t->intercept, call, on,                             \
             t->inner->ops->slot(t->inner, INTERCEPT_ARGS args)); \
    }
#define INTERCEPT_OWN_WAIT(slot, call, on, params, args)

#define DB_SLOTS(X)                                                            \
    X(DB_WAIT, exec, "db exec", sql,                                           \
      (struct db * db, const char *sql, quire_error *err), (sql, err))         \
    X(OWN, prepare, "db prepare", sql, (), ())                                 \
    X(OWN, bind_int, "", "", (), ())                                           \
    X(OWN, bind_bytes, "", "", (), ())                                         \
    X(OWN, bind_text, "", "", (), ())                                          \
    X(OWN, bind_null, "", "", (), ())                                          \
    X(OWN, ask, "", "", (), ())                                                \
    X(OWN, post, "db post", sql, (), ())                                       \
    X(OWN_WAIT, step, "db step", sql, (), ())                                  \
    X(OWN, column_int, "", "", (), ())                                         \
    X(OWN, column_bytes, "", "", (), ())                                       \
    X(OWN, column_null, "", "", (), ())                                        \
    X(OWN, reset, "", "", (), ())                                              \
    X(OWN, finalize, "", "", (), ())                                           \
    X(OWN, begin, "db begin", "", (), ())                                      \
    X(OWN_WAIT, commit, "db commit", "", (), ())                               \
    X(OWN, rollback, "", "", (), ())                                           \
    X(DB, open_group, "db open group", "",                                     \
      (struct db * db, quire_error * err), (err))                              \
    X(OWN_WAIT, close_group, "db close group", "", (), ())                     \
    X(OWN, relax, "", "", (), ())                                              \
    X(DB, settle, "db settle", "", (struct db * db, quire_error * err), (err)) \
    X(OWN, inside, "", "", (), ())                                             \
    X(OWN, changes, "", "", (), ())                                            \
    X(DB_WAIT, schema_version, "db schema version", "",                        \
      (struct db * db, int64_t * version, quire_error * err), (version, err))  \
    X(DB_WAIT, set_schema_version, "db set schema version", "",                \
      (struct db * db, int version, quire_error *err), (version, err))         \
    X(DB, data_version, "db data version", "",                                 \
      (struct db * db, int64_t * version, quire_error * err), (version, err))  \
    X(DB_WAIT, has_table, "db has table", name,                                \
      (struct db * db, const char *name, bool *has, quire_error *err),         \
      (name, has, err))                                                        \
    X(DB_WAIT, has_only_tables, "db has only tables", a,                       \
      (struct db * db, const char *a, const char *b, bool *only,               \
       quire_error *err),                                                      \
      (a, b, only, err))                                                       \
    X(DB_WAIT, space, "db space", "",                                          \
      (struct db * db, int64_t * bytes, int64_t * unused, quire_error * err),  \
      (bytes, unused, err))                                                    \
    X(DB_WAIT, release_space, "db release space", "",                          \
      (struct db * db, int64_t max, int64_t * released, quire_error * err),    \
      (max, released, err))                                                    \
    X(DB_WAIT, scrub, "db scrub", "", (struct db * db, quire_error * err),     \
      (err))                                                                   \
    X(OWN, is_damaged, "", "", (), ())                                         \
    X(OWN, close, "", "", (), ())

INTERCEPT_TABLE(struct db_ops, DB_SLOTS);

quire_status db_intercept(struct db *inner, struct intercept intercept,
                          struct db **out, quire_error *err)
{
    struct intercepted_db *t = malloc(sizeof *t);

    if (!t)
        return err_memory(err);
    *t =
        (struct intercepted_db){{&intercepted_ops}, inner, intercept, 1, false};
    *out = &t->base;
    return QUIRE_OK;
}

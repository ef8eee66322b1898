/* postgres_stmt.c - statements of the PostgreSQL driver */
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "store/postgres_priv.h"
#include "store/postgres_sql.h"
#include "store/postgres_value.h"

enum { SQL_MAX = 1 << 20 };

static struct pg_stmt *stmt_of(struct stmt *s)
{
    return (struct pg_stmt *)s;
}

static void take_result(struct pg_receiver *to, PGresult *result)
{
    struct pg_stmt *s =
        (struct pg_stmt *)(void *)((char *)to - offsetof(struct pg_stmt, to));

    s->result = result;
    s->row = -1;
    s->arrived = true;
}

/* The server looks at the statement when it is executed first. */
quire_status pg_stmt_prepare(struct db *db, const char *sql, struct stmt **out,
                             quire_error *err)
{
    struct buf text = BUF_INIT(SQL_MAX);
    int n = postgres_translate(sql, &text);
    struct pg_stmt *s = n < 0 ? NULL
                              : calloc(1, sizeof *s +
                                              (size_t)n * sizeof *s->params);

    *out = NULL;
    if (n < 0) {
        buf_release(&text);
        return err_set(err, QUIRE_INVALID,
                       "a statement has a parameter that is not ?1 to ?64: %s",
                       sql);
    }
    if (!s || !buf_text(&text)) {
        free(s);
        buf_release(&text);
        return err_memory(err);
    }
    s->base.ops = db->ops;
    s->db = (struct pg_db *)db;
    s->sql = text.data;
    s->n_params = n;
    s->changes_rows = postgres_changes_rows(s->sql);
    s->to.take = take_result;
    *out = &s->base;
    return QUIRE_OK;
}

/* ---- parameters --------------------------------------------------------- */

static struct pg_param *param_at(struct stmt *base, int at)
{
    struct pg_stmt *s = stmt_of(base);

    if (at < 1 || at > s->n_params) {
        s->misbound = true;
        return NULL;
    }
    s->bound |= UINT64_C(1) << (at - 1);
    return &s->params[at - 1];
}

void pg_bind_int(struct stmt *s, int at, int64_t value)
{
    struct pg_param *p = param_at(s, at);

    if (!p)
        return;
    postgres_put_int8(p->number, value);
    p->type = POSTGRES_INT8;
    p->data = p->number;
    p->len = sizeof p->number;
}

/* Text and bytes are sent alike: the server infers which the column is. */
void pg_bind_bytes(struct stmt *s, int at, quire_bytes value)
{
    struct pg_param *p = param_at(s, at);

    if (!p)
        return;
    stmt_of(s)->misbound |= value.len > INT_MAX;
    p->type = 0;
    p->data = value.data ? value.data : "";
    p->len = (int)(value.len & INT_MAX);
}

/* The type stays that of the last value: the statement then stays prepared. */
void pg_bind_null(struct stmt *s, int at)
{
    struct pg_param *p = param_at(s, at);

    if (p)
        p->data = NULL;
}

/* ---- sending ------------------------------------------------------------ */

static quire_status check_sendable(const struct pg_stmt *s, quire_error *err)
{
    const struct pg_db *d = s->db;
    uint64_t all = s->n_params ? UINT64_MAX >> (64 - s->n_params) : 0;
    quire_status st = pg_db_check(d, err);

    if (st)
        return st;
    if (s->misbound)
        return err_set(err, QUIRE_INVALID, "a value does not fit: %s", s->sql);
    assert((s->bound & all) == all);
    if (s->changes_rows && (d->access == DB_READ || (d->open && !d->writes)))
        return err_set(err, QUIRE_IO, "%s is open for reading only",
                       pg_pool_what(d->pool));
    return QUIRE_OK;
}

static quire_status send_stmt(struct pg_stmt *s, struct pg_receiver *to,
                              quire_error *err)
{
    struct pg_call call = {s->sql, s->params, s->n_params};
    quire_status st = check_sendable(s, err);

    if (!st)
        st = pg_db_connect(s->db, err);
    /* A connection that breaks here is reported by the next wait. */
    if (!st)
        (void)pg_conn_send(s->db->conn, &call, to);
    return st;
}

/* A failure to send is repeated, and reported, by step(). */
void pg_stmt_ask(struct stmt *base)
{
    struct pg_stmt *s = stmt_of(base);

    s->sent = !send_stmt(s, &s->to, NULL);
}

/* Values are borrowed only until the reset: libpq copies them when it sends. */
quire_status pg_stmt_post(struct stmt *base, quire_error *err)
{
    struct pg_stmt *s = stmt_of(base);
    struct pg_db *d = s->db;
    quire_status st = send_stmt(s, NULL, err);

    d->changed = true;
    pg_stmt_reset(base);
    if (!st && !d->open)
        st = pg_db_wait(d, err);
    return st;
}

static quire_status fetch(struct pg_stmt *s, quire_error *err)
{
    struct pg_db *d = s->db;
    quire_status st = QUIRE_OK;

    if (!s->sent) {
        st = send_stmt(s, &s->to, err);
        s->sent = !st;
    }
    if (!st && !s->arrived)
        st = pg_db_wait(d, err);
    if (!st && !s->result)
        st = err_set(err, QUIRE_IO, "%s did not answer", pg_pool_what(d->pool));
    return st;
}

/* Of a result that is stepped to first. */
static void note_changes(struct pg_stmt *s)
{
    struct pg_db *d = s->db;

    d->changes = strtoll(d->lib->cmdTuples(s->result), NULL, 10);
    d->changed |= s->changes_rows && d->changes > 0;
}

/* Outside of a transaction a query that met a connection which had ended since it was
 * used last is sent again, over another one. */
static bool may_repeat(const struct pg_stmt *s, quire_status st)
{
    return st == QUIRE_IO && !s->changes_rows && !s->db->open && !s->db->conn;
}

quire_status pg_stmt_step(struct stmt *base, bool *row, quire_error *err)
{
    struct pg_stmt *s = stmt_of(base);
    quire_status st = QUIRE_OK;

    *row = false;
    if (!s->result) {
        st = fetch(s, err);
        if (may_repeat(s, st)) {
            s->sent = s->arrived = false;
            st = fetch(s, err);
        }
    }
    if (st)
        return st;
    if (s->row < 0)
        note_changes(s);
    if (s->row < s->db->lib->ntuples(s->result))
        s->row++;
    *row = s->row < s->db->lib->ntuples(s->result);
    return QUIRE_OK;
}

/* ---- results ------------------------------------------------------------ */

quire_bytes pg_column_bytes(struct stmt *base, int at)
{
    struct pg_stmt *s = stmt_of(base);
    const struct libpq *lib = s->db->lib;

    if (lib->getisnull(s->result, s->row, at))
        return (quire_bytes){NULL, 0};
    return bytes_of(lib->getvalue(s->result, s->row, at),
                    (size_t)lib->getlength(s->result, s->row, at));
}

int64_t pg_column_int(struct stmt *base, int at)
{
    struct pg_stmt *s = stmt_of(base);

    return postgres_number(s->db->lib->ftype(s->result, at),
                           pg_column_bytes(base, at));
}

bool pg_column_null(struct stmt *base, int at)
{
    struct pg_stmt *s = stmt_of(base);

    return s->db->lib->getisnull(s->result, s->row, at);
}

void pg_stmt_reset(struct stmt *base)
{
    struct pg_stmt *s = stmt_of(base);

    if (s->sent && !s->arrived && s->db->conn)
        pg_conn_forget(s->db->conn, &s->to);
    s->db->lib->clear(s->result);
    s->result = NULL;
    s->sent = s->arrived = s->misbound = false;
    s->bound = 0;
}

void pg_stmt_finalize(struct stmt *base)
{
    pg_stmt_reset(base);
    free(stmt_of(base)->sql);
    free(base);
}

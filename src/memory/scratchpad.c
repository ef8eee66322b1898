/* scratchpad.c - see scratchpad.h */
#include "memory/scratchpad.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "store/sql.h"

enum { SQL_GROW, SQL_ADD, SQL_READ, SQL_LIST, SQL_CLEAR, N_SQL };

static const char *const texts[N_SQL] = {
    [SQL_GROW] = ("INSERT INTO pad(tenant, name, used, updated)"
                  " VALUES(?1, ?2, ?3, ?4) ON CONFLICT(tenant, name) DO UPDATE"
                  " SET used = pad.used + excluded.used,"
                  " updated = excluded.updated WHERE"
                  " pad.used + excluded.used <= ?5 RETURNING id, used"),
    [SQL_ADD] = "INSERT INTO pad_block(pad, text, tenant) VALUES(?1, ?2, ?3)",
    [SQL_READ] =
        ("SELECT b.text FROM pad_block b JOIN pad p ON p.id = b.pad"
         " AND p.tenant = b.tenant WHERE p.tenant = ?1 AND p.name = ?2 ORDER BY b.id"),
    [SQL_LIST] = ("SELECT name, used, updated FROM pad WHERE tenant = ?1"
                  " ORDER BY name"),
    [SQL_CLEAR] = "DELETE FROM pad WHERE tenant = ?1 AND name = ?2",
};

struct scratchpads {
    struct db *db;
    const struct clock *clock;
    struct sql sql;
};

quire_status scratchpads_new(struct db *db, const struct clock *clock,
                             struct scratchpads **out, quire_error *err)
{
    struct scratchpads *p = calloc(1, sizeof *p);
    quire_status st;

    if (!p)
        return err_memory(err);
    p->db = db;
    p->clock = clock;
    st = sql_init(&p->sql, db, texts, N_SQL, err);
    if (st)
        scratchpads_free(p);
    else
        *out = p;
    return st;
}

void scratchpads_free(struct scratchpads *p)
{
    if (!p)
        return;
    sql_release(&p->sql);
    free(p);
}

/* ---- adding ------------------------------------------------------------- */

static void write_block(struct buf *out, int64_t now_us, quire_bytes text)
{
    time_t now_s = (time_t)(now_us / 1000000);
    char when[32] = "";
    struct tm tm;

    if (localtime_r(&now_s, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    buf_addf(out, "<!-- %s -->\n", when);
    buf_add(out, text.data, text.len);
    if (text.len > 0 && ((const char *)text.data)[text.len - 1] != '\n')
        buf_add_char(out, '\n');
    buf_add_char(out, '\n');
}

static quire_status fail_full(quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_QUOTA,
                               "clear it, or keep the text as an artifact",
                               "the scratchpad would be larger than %d "
                               "bytes",
                               PAD_BYTES_MAX);
    return st;
}

/* Reserve the space: the pad's id, and its size afterwards. If it is full
 * nothing is changed. */
static quire_status reserve_bytes(struct scratchpads *p, int64_t tenant,
                                  quire_bytes name, size_t bytes,
                                  int64_t now_us, int64_t *id, uint64_t *size,
                                  quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&p->sql, SQL_GROW, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, name);
    stmt_bind_int(s, 3, (int64_t)bytes);
    stmt_bind_int(s, 4, now_us);
    stmt_bind_int(s, 5, PAD_BYTES_MAX);
    st = sql_row(s, err);
    if (!st) {
        *id = stmt_column_int(s, 0);
        *size = (uint64_t)stmt_column_int(s, 1);
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? fail_full(err) : st;
}

static quire_status add_block(struct scratchpads *p, int64_t tenant,
                              int64_t pad, quire_bytes block, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&p->sql, SQL_ADD, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, pad);
    stmt_bind_text(s, 2, block);
    stmt_bind_int(s, 3, tenant);
    return stmt_post(s, err);
}

quire_status scratchpad_append(struct scratchpads *p, int64_t tenant,
                               quire_bytes name, quire_bytes text,
                               uint64_t *size, quire_error *err)
{
    struct buf block = BUF_INIT(PAD_BYTES_MAX + 128);
    int64_t now_us = clock_us(p->clock), id = 0;
    quire_status st;

    if (text.len > PAD_BYTES_MAX)
        return fail_full(err);
    write_block(&block, now_us, text);
    st = buf_status(&block, "the note", err);
    if (!st && block.len > PAD_BYTES_MAX)
        st = fail_full(err);
    if (!st)
        st = db_begin(p->db, DB_DURABLE, tenant, err);
    if (!st) {
        st = reserve_bytes(p, tenant, name, block.len, now_us, &id, size, err);
        if (!st)
            st = add_block(p, tenant, id, buf_bytes(&block), err);
        st = sql_end(p->db, st, err);
    }
    buf_release(&block);
    return st;
}

/* ---- reading, clearing -------------------------------------------------- */

quire_status scratchpad_read(struct scratchpads *p, int64_t tenant,
                             quire_bytes name, quire_write_fn write, void *ctx,
                             bool *any, quire_error *err)
{
    struct stmt *s;
    bool row = true;
    quire_status st = sql_use(&p->sql, SQL_READ, &s, err);

    *any = false;
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    stmt_bind_text(s, 2, name);
    while (!st) {
        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        *any = true;
        st = write(ctx, stmt_column_bytes(s, 0), err);
    }
    stmt_reset(s);
    return st;
}

quire_status scratchpad_list(struct scratchpads *p, int64_t tenant,
                             quire_pad_fn each, void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct stmt *s;
    bool row = true;
    quire_status st = sql_use(&p->sql, SQL_LIST, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    while (!st) {
        quire_pad one;

        st = stmt_step(s, &row, err);
        if (st || !row)
            break;
        arena_reset(&tmp);
        one = (quire_pad){arena_text(&tmp, stmt_column_bytes(s, 0)),
                          (uint64_t)stmt_column_int(s, 1),
                          stmt_column_int(s, 2)};
        st = one.name ? each(ctx, &one, err) : err_memory(err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st;
}

quire_status scratchpad_clear(struct scratchpads *p, int64_t tenant,
                              quire_bytes name, quire_error *err)
{
    struct stmt *s;
    quire_status st = db_begin(p->db, DB_DURABLE, tenant, err);

    if (st)
        return st;
    st = sql_use(&p->sql, SQL_CLEAR, &s, err);
    if (!st) {
        stmt_bind_int(s, 1, tenant);
        stmt_bind_text(s, 2, name);
        st = sql_run(s, err);
    }
    return sql_end(p->db, st, err);
}

/* engine_turns.c - rows of turns */
#include "base/bytes.h"
#include "base/err.h"
#include "search/engine_priv.h"

quire_status engine_put_turn(struct engine *e, uint32_t source,
                             const struct turn *t, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&e->sql, SQL_PUT_TURN, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, source);
    stmt_bind_int(s, 2, (int64_t)t->at);
    stmt_bind_int(s, 3, t->number);
    stmt_bind_text(s, 4, bytes_str(t->first));
    stmt_bind_text(s, 5, bytes_str(t->last));
    return stmt_post(s, err);
}

/* The row of a bound statement. */
static quire_status take_turn(struct stmt *s, struct arena *keep,
                              struct turn *out, quire_error *err)
{
    quire_status st = sql_row(s, err);

    if (!st) {
        *out = (struct turn){
            .at = (uint64_t)stmt_column_int(s, 0),
            .number = (uint32_t)stmt_column_int(s, 1),
            .first = arena_text(keep, stmt_column_bytes(s, 2)),
            .last = arena_text(keep, stmt_column_bytes(s, 3)),
        };
        st = out->first && out->last ? QUIRE_OK : err_memory(err);
    }
    stmt_reset(s);
    return st;
}

quire_status engine_find_turn(struct engine *e, uint32_t source,
                              uint64_t offset, struct arena *keep,
                              struct turn *out, quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!e->ready)
        return QUIRE_NOT_FOUND;
    st = sql_use(&e->sql, SQL_FIND_TURN, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, source);
    stmt_bind_int(s, 2, offset < INT64_MAX ? (int64_t)offset : INT64_MAX);
    return take_turn(s, keep, out, err);
}

quire_status engine_first_turn(struct engine *e, uint32_t source,
                               struct arena *keep, struct turn *out,
                               quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!e->ready)
        return QUIRE_NOT_FOUND;
    st = sql_use(&e->sql, SQL_FIRST_TURN, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, source);
    return take_turn(s, keep, out, err);
}

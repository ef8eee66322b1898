/* engine_update.c - changes of an engine: see engine.h */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/engine_priv.h"

/* ---- numbers ------------------------------------------------------------------- */

static quire_status add_number(struct numbers *s, uint32_t number,
                               quire_error *err)
{
    uint32_t *more;
    size_t i;

    if (engine_has_number(s, number))
        return QUIRE_OK;
    more = realloc(s->list, (s->n + 1) * sizeof *more);
    if (!more)
        return err_memory(err);
    s->list = more;
    for (i = s->n; i > 0 && more[i - 1] > number; i--)
        more[i] = more[i - 1];
    more[i] = number;
    s->n++;
    return QUIRE_OK;
}

/* ---- updates ------------------------------------------------------------------------ */

quire_status engine_begin(struct engine *e, quire_error *err)
{
    bool changed = false;
    quire_status st;

    if (!e->ready || e->c.read_only)
        return err_set(err, QUIRE_INVALID, "the search index is read-only");
    st = db_begin(e->c.db, DB_IF_FREE, DB_ALL_TENANTS, err);
    if (st)
        return st;
    st = engine_load_state(e, &changed, err);
    if (!st && !e->builder)
        st = segment_builder_new(&e->builder, err);
    if (st)
        db_rollback(e->c.db);
    e->updating = !st;
    e->begun_stamp = e->now.stamp;
    return st;
}

static quire_status set_counter(struct engine *e, const char *name,
                                int64_t value, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&e->sql, SQL_SET_COUNTER, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    stmt_bind_int(s, 2, value);
    return stmt_post(s, err);
}

static quire_status write_counters(struct engine *e, quire_error *err)
{
    quire_status st = set_counter(e, "epoch", e->now.epoch, err);

    if (!st)
        st = set_counter(e, "text", e->now.text, err);
    if (!st)
        st = set_counter(e, "segment", e->now.segment, err);
    if (!st)
        st = set_counter(e, "source", e->now.source, err);
    return st ? st : set_counter(e, "stamp", e->now.stamp, err);
}

quire_status engine_run_number(struct engine *e, int which, int64_t a,
                               int64_t b, bool both, quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&e->sql, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, a);
    if (both)
        stmt_bind_int(s, 2, b);
    return stmt_post(s, err);
}

quire_status engine_hide_source(struct engine *e, uint32_t number,
                                quire_error *err)
{
    return add_number(&e->hidden, number, err);
}

void engine_show_hidden(struct engine *e)
{
    e->hidden.n = 0;
}

quire_status engine_kill_source(struct engine *e, uint32_t number,
                                quire_error *err)
{
    quire_status st = add_number(&e->dead, number, err);

    if (!st)
        st = engine_run_number(e, SQL_ADD_DEAD, number, ++e->now.stamp, true,
                               err);
    if (!st)
        st = engine_run_number(e, SQL_DROP_TURNS, number, 0, false, err);
    return st ? st
              : engine_run_number(e, SQL_DROP_SOURCE, number, 0, false, err);
}

quire_status engine_mark(struct engine *e, const char *name, int64_t *value,
                         quire_error *err)
{
    struct stmt *s;
    quire_status st;

    *value = 0;
    if (!e->ready)
        return QUIRE_OK;
    st = sql_use(&e->sql, SQL_MARK, &s, err);
    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    st = sql_take_number(s, value, err);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status engine_set_mark(struct engine *e, const char *name, int64_t value,
                             quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&e->sql, SQL_SET_MARK, &s, err);

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(name));
    stmt_bind_int(s, 2, value);
    return stmt_post(s, err);
}

/* The number of a text that has the digest: in the builder (*own) or in a segment;
 * -1: none. */
static quire_status find_text(struct engine *e,
                              const uint8_t digest[DIGEST_BYTES], bool *own,
                              int64_t *text, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    *text = segment_builder_find(e->builder, digest);
    *own = *text >= 0;
    for (i = 0; i < e->n_open && *text < 0 && !st; i++) {
        st = segment_find_digest(e->list[i], digest, text, err);
        if (!st && *text >= 0)
            *text += (int64_t)e->list[i]->first_text;
    }
    return st;
}

quire_status engine_add(struct engine *e, const struct segment_text *t,
                        const struct place *place, quire_bytes tool,
                        quire_bytes model, quire_error *err)
{
    uint8_t digest[DIGEST_BYTES];
    struct place p = *place;
    int64_t text;
    bool own;
    quire_status st;

    segment_text_digest(t, digest);
    st = find_text(e, digest, &own, &text, err);
    if (st)
        return st;
    if (text < 0)
        return segment_builder_add(e->builder, t, digest, &p, tool, model, err);
    p.text = (uint64_t)text;
    return segment_builder_extra(e->builder, own, &p, tool, model, err);
}

bool engine_is_full(const struct engine *e)
{
    return segment_builder_memory(e->builder) >= e->c.memory_max;
}

/* Write the builder as a segment; its row is in the transaction. It may have places
 * of sources that this update has killed. A segment takes at least one number of a
 * text: these order its further places, too. */
static quire_status write_segment(struct engine *e, quire_error *err)
{
    uint64_t number = (uint64_t)e->now.segment, first = (uint64_t)e->now.text;
    uint32_t n = segment_builder_texts(e->builder);
    uint64_t bytes = 0;
    struct stmt *s;
    quire_status st;

    if (segment_builder_is_empty(e->builder))
        return QUIRE_OK;
    st = segment_builder_write(e->builder, e->c.store, number, first, &bytes,
                               err);
    if (!st)
        st = sql_use(&e->sql, SQL_ADD_SEGMENT, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, (int64_t)number);
    stmt_bind_int(s, 2, (int64_t)first);
    stmt_bind_int(s, 3, (int64_t)bytes);
    stmt_bind_int(s, 4, e->begun_stamp);
    e->now.segment++;
    e->now.text += n ? n : 1;
    return stmt_post(s, err);
}

/* The segments that a crash or an undone update has left are removed when their
 * number is used again. */
static quire_status commit_update(struct engine *e, quire_error *err)
{
    quire_status st = write_segment(e, err);

    e->now.epoch++;
    if (!st)
        st = write_counters(e, err);
    st = sql_end(e->c.db, st, err);
    e->updating = false;
    /* What was counted so far is not what the database has. */
    e->now.epoch = 0;
    return st;
}

quire_status engine_flush(struct engine *e, quire_error *err)
{
    int64_t before = e->now.epoch;
    quire_status st = commit_update(e, err);

    if (!st)
        st = engine_begin(e, err);
    if (!st && e->now.epoch != before + 1) {
        db_rollback(e->c.db);
        e->updating = false;
        st = err_set(err, QUIRE_BUSY,
                     "another process updates the search index");
    }
    return st;
}

quire_status engine_end(struct engine *e, quire_status st, quire_error *err)
{
    quire_status loaded;

    if (!e->updating)
        return st;
    if (!st)
        st = commit_update(e, err);
    else
        db_rollback(e->c.db);
    e->updating = false;
    segment_builder_free(e->builder);
    e->builder = NULL;
    if (st)
        e->now.epoch = 0;
    loaded = engine_reload(e, NULL, st ? NULL : err);
    return st ? st : loaded;
}

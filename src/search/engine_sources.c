/* engine_sources.c - rows of sources */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/engine_priv.h"

static void bind_source(struct stmt *s, const struct source *x)
{
    stmt_bind_int(s, 1, x->number);
    stmt_bind_int(s, 2, x->kind);
    stmt_bind_text(s, 3, bytes_str(x->key));
    stmt_bind_text(s, 4, bytes_str(x->session));
    stmt_bind_text(s, 5, bytes_str(x->title));
    stmt_bind_text(s, 6, bytes_str(x->project));
    stmt_bind_text(s, 7, bytes_str(x->agent));
    stmt_bind_int(s, 8, x->created_us);
    stmt_bind_int(s, 9, x->modified_us);
    stmt_bind_int(s, 10, x->flags);
    stmt_bind_int(s, 11, (int64_t)x->inode);
    stmt_bind_int(s, 12, (int64_t)x->size);
    stmt_bind_int(s, 13, (int64_t)x->file_size);
    stmt_bind_int(s, 14, x->mtime_ns);
    stmt_bind_int(s, 15, x->ctime_ns);
    stmt_bind_bytes(s, 16, bytes_of(x->tail, sizeof x->tail));
    stmt_bind_text(s, 17, bytes_str(x->tags ? x->tags : ""));
}

static quire_status read_source(struct stmt *s, struct arena *keep,
                                struct source *out, quire_error *err)
{
    quire_bytes tail = stmt_column_bytes(s, 15);

    *out = (struct source){
        .number = (uint32_t)stmt_column_int(s, 0),
        .kind = (enum source_kind)stmt_column_int(s, 1),
        .key = arena_text(keep, stmt_column_bytes(s, 2)),
        .session = arena_text(keep, stmt_column_bytes(s, 3)),
        .title = arena_text(keep, stmt_column_bytes(s, 4)),
        .project = arena_text(keep, stmt_column_bytes(s, 5)),
        .agent = arena_text(keep, stmt_column_bytes(s, 6)),
        .created_us = stmt_column_int(s, 7),
        .modified_us = stmt_column_int(s, 8),
        .flags = (unsigned)stmt_column_int(s, 9),
        .inode = (uint64_t)stmt_column_int(s, 10),
        .size = (uint64_t)stmt_column_int(s, 11),
        .file_size = (uint64_t)stmt_column_int(s, 12),
        .mtime_ns = stmt_column_int(s, 13),
        .ctime_ns = stmt_column_int(s, 14),
        .tags = arena_text(keep, stmt_column_bytes(s, 16)),
    };
    if (tail.len == sizeof out->tail)
        memcpy(out->tail, tail.data, tail.len);
    return out->key && out->session && out->title && out->project &&
                   out->agent && out->tags
               ? QUIRE_OK
               : err_memory(err);
}

quire_status engine_hold(struct engine *e, quire_error *err)
{
    return e->ready ? db_begin(e->c.db, DB_LOOK, DB_ALL_TENANTS, err)
                    : QUIRE_OK;
}

void engine_release(struct engine *e)
{
    if (e->ready)
        db_rollback(e->c.db);
}

quire_status engine_find_source(struct engine *e, enum source_kind kind,
                                const char *key, struct arena *keep,
                                struct source *out, quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!e->ready)
        return QUIRE_NOT_FOUND;
    st = sql_use(&e->sql, SQL_FIND_SOURCE, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, kind);
    stmt_bind_text(s, 2, bytes_str(key));
    st = sql_row(s, err);
    if (!st)
        st = read_source(s, keep, out, err);
    stmt_reset(s);
    return st;
}

quire_status engine_source(struct engine *e, uint32_t number,
                           struct arena *keep, struct source *out,
                           quire_error *err)
{
    struct stmt *s;
    quire_status st;

    if (!e->ready)
        return QUIRE_NOT_FOUND;
    st = sql_use(&e->sql, SQL_SOURCE, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, number);
    st = sql_row(s, err);
    if (!st)
        st = read_source(s, keep, out, err);
    stmt_reset(s);
    return st;
}

quire_status engine_sources(struct engine *e, enum source_kind kind,
                            source_fn each, void *ctx, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct source one;
    struct stmt *s;
    quire_status st;

    if (!e->ready)
        return QUIRE_OK;
    st = sql_use(&e->sql, SQL_SOURCES, &s, err);
    if (st)
        return st;
    stmt_bind_int(s, 1, kind);
    while (!st && !(st = sql_row(s, err))) {
        arena_reset(&tmp);
        st = read_source(s, &tmp, &one, err);
        if (!st)
            st = each(ctx, &one, err);
    }
    stmt_reset(s);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status engine_put_source(struct engine *e, struct source *s,
                               quire_error *err)
{
    struct stmt *put;
    quire_status st;

    if (s->number == 0)
        s->number = (uint32_t)e->now.source++;
    st = sql_use(&e->sql, SQL_PUT_SOURCE, &put, err);
    if (st)
        return st;
    bind_source(put, s);
    return sql_run(put, err);
}

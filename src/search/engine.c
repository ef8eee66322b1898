/* engine.c - segments, sources and updates: see engine.h */
#include "search/engine_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/sql.h"
#include "store/sqlite_ddl.h"

/* Changes when segments or tokens do: an older index is then rebuilt. */
enum { ENGINE_VERSION = 5 };

enum { RELOAD_TRIES = 5 };

static const char schema[] =
    "CREATE TABLE source("
    " number INTEGER PRIMARY KEY,"
    " kind INTEGER NOT NULL,"
    " key TEXT NOT NULL,"
    " session TEXT NOT NULL,"
    " title TEXT NOT NULL,"
    " project TEXT NOT NULL,"
    " agent TEXT NOT NULL,"
    " tags TEXT NOT NULL,"
    " created INTEGER NOT NULL," /* microseconds */
    " modified INTEGER NOT NULL,"
    " flags INTEGER NOT NULL,"
    " inode INTEGER NOT NULL,"
    " size INTEGER NOT NULL,"
    " file_size INTEGER NOT NULL,"
    " mtime INTEGER NOT NULL," /* nanoseconds */
    " ctime INTEGER NOT NULL,"
    " tail BLOB NOT NULL,"
    " UNIQUE(kind, key));"
    "CREATE TABLE segment("
    " number INTEGER PRIMARY KEY,"
    " first_text INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL,"
    " stamp INTEGER NOT NULL);" /* dead sources up to here left it          */
    "CREATE TABLE dead("
    " source INTEGER PRIMARY KEY,"
    " stamp INTEGER NOT NULL);"
    "CREATE TABLE mark("
    " name TEXT PRIMARY KEY,"
    " value INTEGER NOT NULL)" DDL_CLUSTERED ";"
    "CREATE TABLE counter("
    " name TEXT PRIMARY KEY,"
    " value INTEGER NOT NULL)" DDL_CLUSTERED ";"
    "INSERT INTO counter(name, value) VALUES('epoch', 1), ('text', 0),"
    " ('segment', 1), ('source', 1), ('stamp', 1);";

#define SOURCE_COLUMNS                                                      \
    "number, kind, key, session, title, project, agent, created, modified," \
    " flags, inode, size, file_size, mtime, ctime, tail, tags"

static const char *const texts[N_SQL] = {
    [SQL_COUNTERS] = "SELECT name, value FROM counter",
    [SQL_SET_COUNTER] = "UPDATE counter SET value = ?2 WHERE name = ?1",
    [SQL_SEGMENTS] =
        "SELECT number, bytes, stamp FROM segment ORDER BY first_text, number",
    [SQL_ADD_SEGMENT] = "INSERT INTO segment(number, first_text, bytes, stamp)"
                        " VALUES(?1, ?2, ?3, ?4)",
    [SQL_DROP_SEGMENT] = "DELETE FROM segment WHERE number = ?1",
    [SQL_DEAD] = "SELECT source FROM dead ORDER BY source",
    [SQL_ADD_DEAD] = "INSERT INTO dead(source, stamp) VALUES(?1, ?2)"
                     " ON CONFLICT(source) DO NOTHING",
    [SQL_DROP_DEAD] = "DELETE FROM dead WHERE stamp <= ?1",
    [SQL_PUT_SOURCE] =
        "INSERT INTO source(" SOURCE_COLUMNS ") VALUES(?1, ?2, ?3, ?4, ?5, ?6,"
        " ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
        " ON CONFLICT(number) DO UPDATE SET key = excluded.key,"
        " session = excluded.session, title = excluded.title,"
        " project = excluded.project, agent = excluded.agent,"
        " created = excluded.created, modified = excluded.modified,"
        " flags = excluded.flags, inode = excluded.inode,"
        " size = excluded.size, file_size = excluded.file_size,"
        " mtime = excluded.mtime, ctime = excluded.ctime,"
        " tail = excluded.tail, tags = excluded.tags",
    [SQL_DROP_SOURCE] = "DELETE FROM source WHERE number = ?1",
    [SQL_FIND_SOURCE] = "SELECT " SOURCE_COLUMNS
                        " FROM source WHERE kind = ?1 AND key = ?2",
    [SQL_SOURCE] = "SELECT " SOURCE_COLUMNS " FROM source WHERE number = ?1",
    [SQL_SOURCES] = "SELECT " SOURCE_COLUMNS
                    " FROM source WHERE kind = ?1 ORDER BY key",
    [SQL_ALL_SOURCES] =
        "SELECT number, session, project, agent, flags, key, kind, title, tags"
        " FROM source",
    [SQL_COUNT_SOURCES] = "SELECT count(*) FROM source",
    [SQL_MARK] = "SELECT value FROM mark WHERE name = ?1",
    [SQL_SET_MARK] = "INSERT INTO mark(name, value) VALUES(?1, ?2)"
                     " ON CONFLICT(name) DO UPDATE SET value = excluded.value",
};

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

/* ---- objects --------------------------------------------------------------------- */

struct unlisted {
    struct engine *e;
    uint64_t below;
    struct buf numbers; /* uint64_t */
};

/* A segment has two objects, named after its number. */
static quire_status add_unlisted(void *ctx, const char *name,
                                 const struct object_info *info,
                                 quire_error *err)
{
    struct unlisted *k = ctx;
    uint64_t number = strtoull(name, NULL, 16);
    size_t i;

    (void)info;
    if (number >= k->below)
        return QUIRE_OK;
    for (i = 0; i < k->e->n_open; i++)
        if (k->e->list[i]->number == number)
            return QUIRE_OK;
    buf_add(&k->numbers, &number, sizeof number);
    return buf_status(&k->numbers, "the list of segments", err);
}

/* Remove the objects of segments with numbers below `below` that are not open: those
 * that were merged or forgotten, by this update or by one that ended in a crash. A
 * process that has them open can go on reading. */
quire_status engine_remove_unlisted(struct engine *e, uint64_t below,
                                    quire_error *err)
{
    struct unlisted k = {e, below, BUF_INIT(SIZE_MAX)};
    quire_status st = object_list(e->c.store, "", add_unlisted, &k, err);
    uint64_t number;
    size_t at;

    for (at = 0; at < k.numbers.len && !st; at += sizeof number) {
        memcpy(&number, k.numbers.data + at, sizeof number);
        st = segment_remove(e->c.store, number, err);
    }
    buf_release(&k.numbers);
    return st;
}

/* ---- opening ------------------------------------------------------------------- */

static void drop_segments(struct engine *e)
{
    size_t i;

    for (i = 0; i < e->n_open; i++)
        segment_close(e->open[i].s);
    free(e->open);
    free(e->list);
    e->open = NULL;
    e->list = NULL;
    e->n_open = 0;
}

void engine_close(struct engine *e)
{
    if (!e)
        return;
    if (e->updating)
        db_rollback(e->c.db);
    drop_segments(e);
    segment_builder_free(e->builder);
    free(e->dead.list);
    free(e->hidden.list);
    sql_release(&e->sql);
    db_close(e->c.db);
    object_store_free(e->c.store);
    free(e);
}

static quire_status create_tables(struct engine *e, quire_error *err)
{
    int64_t version = 0;
    quire_status st = db_begin(e->c.db, DB_SOON, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = db_schema_version(e->c.db, &version, err);
    if (!st && version != ENGINE_VERSION) {
        if (version != 0)
            st = db_exec(e->c.db,
                         "DROP TABLE IF EXISTS source;"
                         "DROP TABLE IF EXISTS segment;"
                         "DROP TABLE IF EXISTS dead;"
                         "DROP TABLE IF EXISTS mark;"
                         "DROP TABLE IF EXISTS counter;",
                         err);
        /* Numbers begin again, so nothing else may have them. */
        if (!st)
            st = engine_remove_unlisted(e, UINT64_MAX, err);
        if (!st)
            st = db_exec(e->c.db, schema, err);
        if (!st)
            st = db_set_schema_version(e->c.db, ENGINE_VERSION, err);
    }
    return sql_end(e->c.db, st, err);
}

quire_status engine_open(const struct engine_config *c, struct engine **out,
                         quire_error *err)
{
    struct engine *e = calloc(1, sizeof *e);
    int64_t version = 0;
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (!e) {
        db_close(c->db);
        object_store_free(c->store);
        return err_memory(err);
    }
    e->c = *c;
    st = db_schema_version(c->db, &version, err);
    if (!st && version != ENGINE_VERSION && !c->read_only)
        st = create_tables(e, err);
    e->ready = !st && (version == ENGINE_VERSION || !c->read_only);
    if (!st)
        st = sql_init(&e->sql, c->db, texts, N_SQL, err);
    if (!st && e->ready)
        st = engine_reload(e, NULL, err);
    if (st)
        engine_close(e);
    else
        *out = e;
    return st;
}

/* ---- state ------------------------------------------------------------------------ */

static quire_status read_counters(struct engine *e, struct counters *out,
                                  quire_error *err)
{
    struct {
        const char *name;
        int64_t *value;
    } known[] = {
        {"epoch", &out->epoch},     {"text", &out->text},
        {"segment", &out->segment}, {"source", &out->source},
        {"stamp", &out->stamp},
    };
    struct stmt *s;
    quire_status st = sql_use(&e->sql, SQL_COUNTERS, &s, err);
    size_t i;

    *out = (struct counters){0};
    while (!st && !(st = sql_row(s, err))) {
        for (i = 0; i < sizeof known / sizeof *known; i++)
            if (bytes_is(stmt_column_bytes(s, 0), known[i].name))
                *known[i].value = stmt_column_int(s, 1);
    }
    if (s)
        stmt_reset(s);
    if (out->source < (int64_t)e->c.first_source)
        out->source = e->c.first_source;
    if (out->text < (int64_t)e->c.first_text)
        out->text = (int64_t)e->c.first_text;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status read_dead(struct engine *e, quire_error *err)
{
    struct buf list = BUF_INIT(SIZE_MAX);
    struct stmt *s;
    quire_status st = sql_use(&e->sql, SQL_DEAD, &s, err);
    uint32_t number;

    while (!st && !(st = sql_row(s, err))) {
        number = (uint32_t)stmt_column_int(s, 0);
        buf_add(&list, &number, sizeof number);
    }
    if (s)
        stmt_reset(s);
    if (st == QUIRE_NOT_FOUND)
        st = buf_status(&list, "the list of dead sources", err);
    if (st) {
        buf_release(&list);
        return st;
    }
    free(e->dead.list);
    e->dead.list = (uint32_t *)(void *)list.data;
    e->dead.n = list.len / sizeof number;
    return QUIRE_OK;
}

/* An open segment that is still listed, taken from the old list. */
static struct segment *take_open(struct engine *e, uint64_t number)
{
    struct segment *s = NULL;
    size_t i;

    for (i = 0; i < e->n_open && !s; i++) {
        if (e->open[i].s && e->open[i].s->number == number) {
            s = e->open[i].s;
            e->open[i].s = NULL;
        }
    }
    return s;
}

static quire_status read_segments(struct engine *e, struct buf *open,
                                  quire_error *err)
{
    struct stmt *s;
    quire_status st = sql_use(&e->sql, SQL_SEGMENTS, &s, err);

    while (!st && !(st = sql_row(s, err))) {
        struct open_segment one = {.stamp = stmt_column_int(s, 2)};
        uint64_t number = (uint64_t)stmt_column_int(s, 0);

        one.s = take_open(e, number);
        if (!one.s)
            st = segment_open(e->c.store, number, &one.s, err);
        if (st == QUIRE_NOT_FOUND)
            st = err_fail(err, QUIRE_CHANGED, HINT_SHELL "run quire reindex",
                          "segment %llx of the search index is missing",
                          (unsigned long long)number);
        if (!st)
            buf_add(open, &one, sizeof one);
        if (!st && open->failed) {
            segment_close(one.s);
            st = err_memory(err);
        }
    }
    if (s)
        stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status load_segments(struct engine *e, quire_error *err)
{
    struct buf open = BUF_INIT(SIZE_MAX);
    struct open_segment *list;
    quire_status st = read_segments(e, &open, err);
    size_t i;

    drop_segments(e);
    list = (struct open_segment *)(void *)open.data;
    e->open = list;
    e->n_open = open.len / sizeof *list;
    e->list = calloc(e->n_open + 1, sizeof(void *));
    if (!st && !e->list)
        st = err_memory(err);
    if (st) {
        /* Not some of them: a query then finds nothing. */
        drop_segments(e);
        return st;
    }
    for (i = 0; i < e->n_open; i++)
        e->list[i] = e->open[i].s;
    return QUIRE_OK;
}

/* Within a transaction. */
static quire_status load_state(struct engine *e, bool *changed,
                               quire_error *err)
{
    struct counters found;
    quire_status st = read_counters(e, &found, err);

    if (st || (found.epoch == e->now.epoch && e->list))
        return st;
    *changed = true;
    e->now = found;
    e->hidden.n = 0;
    st = read_dead(e, err);
    if (!st)
        st = load_segments(e, err);
    if (st)
        e->now.epoch = 0;
    return st;
}

/* A merge may remove a segment between the moment it is listed and the one it is
 * opened: then the list is out of date, and is read again. */
quire_status engine_reload(struct engine *e, bool *changed, quire_error *err)
{
    bool mine = false;
    quire_status st = QUIRE_CHANGED;
    int tries;

    if (changed)
        *changed = false;
    if (e->updating || !e->ready)
        return QUIRE_OK;
    for (tries = 0; tries < RELOAD_TRIES && st == QUIRE_CHANGED; tries++) {
        st = db_begin(e->c.db, DB_LOOK, DB_ALL_TENANTS, err);
        if (st)
            return st;
        st = load_state(e, changed ? changed : &mine, err);
        db_rollback(e->c.db);
    }
    return st == QUIRE_CHANGED ? QUIRE_DAMAGED : st;
}

size_t engine_segments(const struct engine *e, struct segment *const **out)
{
    *out = e->list;
    return e->n_open;
}

bool engine_is_live(const struct engine *e, uint32_t source)
{
    return source != 0 && !engine_has_number(&e->dead, source) &&
           !engine_has_number(&e->hidden, source);
}

void engine_source_range(const struct engine *e, uint32_t *first, uint32_t *end)
{
    *first = e->c.first_source;
    *end = (uint32_t)e->now.source;
}

uint64_t engine_first_text(const struct engine *e)
{
    return e->c.first_text;
}

bool engine_is_temporary(const struct engine *e)
{
    return e->c.temporary;
}

uint64_t engine_next_text(const struct engine *e)
{
    return (uint64_t)e->now.text;
}

uint64_t engine_bytes(const struct engine *e)
{
    uint64_t bytes = 0;
    size_t i;

    for (i = 0; i < e->n_open; i++)
        bytes += e->list[i]->bytes;
    return bytes;
}

int64_t engine_epoch(const struct engine *e)
{
    return e->now.epoch;
}

/* ---- sources ---------------------------------------------------------------------- */

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
    st = load_state(e, &changed, err);
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
    if (st) {
        segment_builder_free(e->builder);
        e->builder = NULL;
        e->now.epoch = 0;
    }
    loaded = engine_reload(e, NULL, st ? NULL : err);
    return st ? st : loaded;
}

/* ---- everything -------------------------------------------------------------------------- */

quire_status engine_clear(struct engine *e, quire_error *err)
{
    quire_status st;

    if (!e->ready)
        return QUIRE_OK;
    st = db_begin(e->c.db, DB_DURABLE, DB_ALL_TENANTS, err);
    if (st)
        return st;
    st = db_exec(e->c.db,
                 "DELETE FROM source; DELETE FROM segment; DELETE FROM dead;"
                 "DELETE FROM mark;"
                 "UPDATE counter SET value = value + 1 WHERE name = 'epoch';",
                 err);
    st = sql_end(e->c.db, st, err);
    if (!st)
        st = engine_reload(e, NULL, err);
    return st ? st : engine_remove_unlisted(e, (uint64_t)e->now.segment, err);
}

quire_status engine_info(struct engine *e, struct engine_info *out,
                         quire_error *err)
{
    struct stmt *s;
    quire_status st = QUIRE_OK;
    int64_t n = 0;
    size_t i;

    *out = (struct engine_info){.n_segments = e->n_open, .n_dead = e->dead.n};
    for (i = 0; i < e->n_open; i++) {
        out->n_texts += e->list[i]->stats.n_texts;
        out->n_places += e->list[i]->stats.n_texts + e->list[i]->n_extra;
        out->bytes += e->list[i]->bytes;
    }
    if (e->ready) {
        st = sql_use(&e->sql, SQL_COUNT_SOURCES, &s, err);
        if (!st)
            st = sql_take_number(s, &n, err);
    }
    out->n_sources = (uint64_t)n;
    return st;
}

/* engine.c - open an engine, and load its state: see engine.h */
#include "search/engine_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/sql.h"
#include "store/sqlite_ddl.h"

/* Changes when segments or tokens do: an older index is then rebuilt. */
enum { ENGINE_VERSION = 6 };

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
    "CREATE TABLE turn("
    " source INTEGER NOT NULL,"
    " at INTEGER NOT NULL," /* offset of the first line */
    " number INTEGER NOT NULL,"
    " first TEXT NOT NULL," /* ids of entries */
    " last TEXT NOT NULL,"
    " PRIMARY KEY(source, at))" DDL_CLUSTERED ";"
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
    [SQL_STAMP_SEGMENTS] = "UPDATE segment SET stamp = ?1",
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
    [SQL_PUT_TURN] =
        "INSERT INTO turn(source, at, number, first, last)"
        " VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(source, at) DO UPDATE SET"
        " number = excluded.number, first = excluded.first,"
        " last = excluded.last",
    [SQL_FIND_TURN] =
        "SELECT at, number, first, last FROM turn"
        " WHERE source = ?1 AND at <= ?2 ORDER BY at DESC LIMIT 1",
    [SQL_FIRST_TURN] = "SELECT at, number, first, last FROM turn"
                       " WHERE source = ?1 ORDER BY at LIMIT 1",
    [SQL_DROP_TURNS] = "DELETE FROM turn WHERE source = ?1",
    [SQL_MARK] = "SELECT value FROM mark WHERE name = ?1",
    [SQL_SET_MARK] = "INSERT INTO mark(name, value) VALUES(?1, ?2)"
                     " ON CONFLICT(name) DO UPDATE SET value = excluded.value",
};

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
                         "DROP TABLE IF EXISTS turn;"
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
quire_status engine_load_state(struct engine *e, bool *changed,
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
        st = engine_load_state(e, changed ? changed : &mine, err);
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
                 "DELETE FROM source; DELETE FROM turn; DELETE FROM segment;"
                 "DELETE FROM dead;"
                 "DELETE FROM mark;"
                 "UPDATE counter SET value = value + 1 WHERE name = 'epoch';",
                 err);
    st = sql_end(e->c.db, st, err);
    if (!st)
        st = engine_reload(e, NULL, err);
    if (!st)
        st = engine_remove_unlisted(e, (uint64_t)e->now.segment, err);
    /* A reader keeps the log; the next checkpoint has it. */
    if (!st)
        (void)db_scrub(e->c.db, NULL);
    return st;
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

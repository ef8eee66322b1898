/*
 * sqlite_rows.c - every row of a database
 *
 * Whatever tables there are: a row is searched column by column. Text and bytes are masked
 * in place, a column of 32 bytes that is the digest of a purged blob gets the new one. Bodies
 * of blobs have their own search (blobs.c), and what only indexes blobs follows from files
 * and rows.
 *
 * Columns say whose a row is: `tenant`; `session`, a number or an id; `artifact`; the
 * `path` of an import.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "purge/purge.h"

enum { COLUMNS_MAX = 32, NAME_SIZE = 64 };

enum column_kind { COLUMN_NUMBER, COLUMN_TEXT, COLUMN_BYTES };

struct column {
    char name[NAME_SIZE];
    enum column_kind kind;
    int key; /* place in the primary key, from 1; 0: not in it */
};

struct table {
    char name[NAME_SIZE];
    bool has_rowid;
    struct column columns[COLUMNS_MAX];
    int n;
    /* Their places; -1: it has none. */
    int tenant, session, artifact, path;
};

/* A column of a row that has changed, or of its key. */
struct cell {
    bool changed, number;
    int64_t n;
    quire_bytes was, now; /* in an arena */
};

/* A row that has to change. */
struct change {
    struct change *next;
    int64_t rowid;
    struct cell cells[];
};

struct rows {
    struct purge *p;
    struct db *db;
    const char *place;
    bool change, all_ours;
    bool found; /* a row that is to be changed */
    struct arena keep;
    struct spans spans;
    struct change *changes;
};

/* ---- tables ------------------------------------------------------------------- */

/* Derived from blobs, or from rows and files that refer to them. */
static bool is_index_of_blobs(const char *table)
{
    static const char *const names[] = {"blob",     "body",  "blob_tenant",
                                        "held",     "loose", "doomed",
                                        "mentioned"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(table, names[i]))
            return true;
    return false;
}

static const char *kind_of(const char *table)
{
    static const struct {
        const char *table, *kind;
    } kinds[] = {
        {"artifact", "artifact"},
        {"artifact_version", "artifact"},
        {"memory", "memory"},
        {"pad", "scratchpad"},
        {"pad_block", "scratchpad"},
        {"history", "history"},
        {"run", "run"},
        {"journal", "audit"},
        {"claim", "idempotency"},
        {"import_file", "import"},
        {"import_part", "import"},
        {"import_state", "import"},
        {"setting", "setting"},
        {"tenant", "tenant"},
        {"access_token", "tenant"},
        {"folder", "folder"},
        {"trash", "trash"},
        {"session_list", "cache"},
        {"tally", "cache"},
        {"activity", "cache"},
        {"source", "cache"},
        {"copy", "cache"},
    };
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(table, kinds[i].table))
            return kinds[i].kind;
    return "row";
}

/* Names are ours; one that is not would be quoted wrongly. */
static bool read_name(struct stmt *s, int column, char out[NAME_SIZE])
{
    sql_copy_text(s, column, out, NAME_SIZE);
    return *out &&
           strspn(out, "abcdefghijklmnopqrstuvwxyz"
                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(out);
}

static void place_column(struct table *t, int i)
{
    const struct column *c = &t->columns[i];

    if (!strcmp(c->name, "tenant") ||
        (!strcmp(t->name, "tenant") && !strcmp(c->name, "id")))
        t->tenant = i;
    if (!strcmp(c->name, "session"))
        t->session = i;
    if (!strcmp(c->name, "artifact") ||
        (!strcmp(t->name, "artifact") && !strcmp(c->name, "id")))
        t->artifact = i;
    if (!strcmp(c->name, "path") && !strncmp(t->name, "import_", 7))
        t->path = i;
}

static quire_status read_columns(struct rows *r, struct table *t,
                                 quire_error *err)
{
    struct stmt *s;
    quire_status st = db_prepare(r->db,
                                 "SELECT name, type, pk FROM"
                                 " pragma_table_info(?1) ORDER BY cid",
                                 &s, err);
    bool row = true;

    if (st)
        return st;
    stmt_bind_text(s, 1, bytes_str(t->name));
    t->n = 0;
    t->tenant = t->session = t->artifact = t->path = -1;
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        struct column *c = &t->columns[t->n];
        char type[NAME_SIZE];

        if (t->n == COLUMNS_MAX || !read_name(s, 0, c->name)) {
            st = err_set(err, QUIRE_DAMAGED, "table %s of %s has odd columns",
                         t->name, r->place);
            break;
        }
        sql_copy_text(s, 1, type, sizeof type);
        c->kind = !strncmp(type, "INT", 3) || !strncmp(type, "BIGINT", 6)
                      ? COLUMN_NUMBER
                  : !strcmp(type, "BLOB") ? COLUMN_BYTES
                                          : COLUMN_TEXT;
        c->key = (int)stmt_column_int(s, 2);
        place_column(t, t->n++);
    }
    stmt_finalize(s);
    return st;
}

/* ---- a row ---------------------------------------------------------------------- */

static int64_t number_at(struct stmt *s, int column)
{
    return column < 0 ? 0 : stmt_column_int(s, column + 1);
}

static bool has_number(const struct map *m, int64_t id)
{
    return map_get(m, bytes_of(&id, sizeof id)) != NULL;
}

/* Whether the row is of something that is held. */
static bool is_row_held(const struct rows *r, const struct table *t,
                        struct stmt *s)
{
    const struct purge_held *h = &r->p->held;
    int64_t tenant = number_at(s, t->tenant);
    quire_bytes key = {NULL, 0};

    if (t->session >= 0 && t->columns[t->session].kind == COLUMN_TEXT)
        key = stmt_column_bytes(s, t->session + 1);
    if (key.len && purge_has_key(&h->keys, tenant, key))
        return true;
    if (t->session >= 0 && !key.len &&
        has_number(&h->rows, number_at(s, t->session)))
        return true;
    if (t->artifact >= 0 &&
        has_number(&h->artifacts, number_at(s, t->artifact)))
        return true;
    return t->path >= 0 &&
           purge_has_key(&h->paths, tenant, stmt_column_bytes(s, t->path + 1));
}

/* A digest of a purged blob gets the new one. */
static bool follow_digest(struct rows *r, struct cell *cell)
{
    const uint64_t *found = cell->was.len == sizeof(quire_digest)
                                ? map_get(&r->p->blob_map, cell->was)
                                : NULL;

    if (!found)
        return false;
    r->p->seen[*found] = true;
    cell->now = bytes_of(r->p->blobs[*found].now.byte, cell->was.len);
    return true;
}

/* Search one column; what changes is in the arena. */
static quire_status search_cell(struct rows *r, enum column_kind kind,
                                struct cell *cell, uint64_t *count,
                                quire_error *err)
{
    struct mask_counts found = {.seen = r->p->seen};
    quire_status st;
    size_t i;

    if (r->p->collect) {
        st = r->p->collect(r->p->collect_ctx, cell->was, err);
        return st ? st : purge_collected(r->p, err);
    }
    if (kind == COLUMN_BYTES && follow_digest(r, cell)) {
        cell->changed = true;
        ++*count;
        return QUIRE_OK;
    }
    if (!cell->was.len)
        return QUIRE_OK;
    values_find(r->p->values, cell->was, &r->spans);
    if (r->spans.failed)
        return err_memory(err);
    if (!r->spans.n)
        return QUIRE_OK;
    cell->now = arena_dup(&r->keep, cell->was);
    if (!cell->now.data)
        return err_memory(err);
    cell->changed = true;
    *count += r->spans.n;
    if (kind == COLUMN_TEXT) {
        st = mask_lines(r->p->values, (char *)(uintptr_t)cell->now.data,
                        cell->now.len, true, &r->spans, &found, NULL, NULL,
                        err);
        return st;
    }
    for (i = 0; i < r->spans.n; i++)
        values_mask(r->p->values, (char *)(uintptr_t)cell->now.data,
                    cell->now.len, &r->spans.list[i]);
    return QUIRE_OK;
}

static quire_status keep_change(struct rows *r, const struct table *t,
                                const struct cell *cells, int64_t rowid,
                                struct stmt *s, quire_error *err)
{
    struct change *c = arena_alloc(&r->keep,
                                   sizeof *c + (size_t)t->n * sizeof *cells);
    int i;

    if (!c)
        return err_memory(err);
    c->next = r->changes;
    c->rowid = rowid;
    memcpy(c->cells, cells, (size_t)t->n * sizeof *cells);
    for (i = 0; i < t->n; i++) {
        struct cell *cell = &c->cells[i];

        if (!t->columns[i].key || t->has_rowid)
            continue;
        cell->number = t->columns[i].kind == COLUMN_NUMBER;
        cell->n = stmt_column_int(s, i + 1);
        cell->was = arena_dup(&r->keep, stmt_column_bytes(s, i + 1));
        if (!cell->was.data)
            return err_memory(err);
    }
    r->changes = c;
    return QUIRE_OK;
}

static quire_status report_row(struct rows *r, const struct table *t,
                               int64_t rowid, uint64_t count, bool held,
                               struct stmt *s, quire_error *err)
{
    quire_bytes key = t->session >= 0 &&
                              t->columns[t->session].kind == COLUMN_TEXT
                          ? stmt_column_bytes(s, t->session + 1)
                          : bytes_of(NULL, 0);
    struct arena tmp = ARENA_INIT;
    const char *where = t->has_rowid
                            ? arena_printf(&tmp, "%s %s #%" PRId64, r->place,
                                           t->name, rowid)
                            : arena_printf(&tmp, "%s %s", r->place, t->name);
    const char *session = key.len ? arena_text(&tmp, key) : "";
    quire_status st = where && session
                          ? purge_found(r->p, kind_of(t->name), where, session,
                                        count, held, err)
                          : err_memory(err);

    arena_release(&tmp);
    return st;
}

static quire_status search_row(struct rows *r, const struct table *t,
                               struct stmt *s, quire_error *err)
{
    struct cell cells[COLUMNS_MAX];
    int64_t rowid = t->has_rowid ? stmt_column_int(s, 0) : 0;
    uint64_t count = 0;
    quire_status st = QUIRE_OK;
    bool held, ours;
    int i;

    memset(cells, 0, sizeof cells);
    for (i = 0; i < t->n && !st; i++) {
        if (t->columns[i].kind == COLUMN_NUMBER || stmt_column_null(s, i + 1))
            continue;
        cells[i].was = stmt_column_bytes(s, i + 1);
        st = search_cell(r, t->columns[i].kind, &cells[i], &count, err);
    }
    if (st || !count)
        return st;
    held = is_row_held(r, t, s);
    ours = r->all_ours || !r->p->options->own_tenant ||
           (t->tenant >= 0 && number_at(s, t->tenant) == r->p->q->tenant);
    purge_note_blobs(r->p, held || !ours);
    if (!ours)
        return QUIRE_OK;
    r->found = r->found || !held;
    if (!r->change)
        return report_row(r, t, rowid, count, held, s, err);
    return held ? QUIRE_OK : keep_change(r, t, cells, rowid, s, err);
}

/* ---- changing ------------------------------------------------------------------- */

static void bind_cell(struct stmt *s, int at, enum column_kind kind,
                      const struct cell *cell, bool now)
{
    quire_bytes value = now && cell->changed ? cell->now : cell->was;

    if (cell->number)
        stmt_bind_int(s, at, cell->n);
    else if (kind == COLUMN_BYTES)
        stmt_bind_bytes(s, at, value);
    else
        stmt_bind_text(s, at, value);
}

/* "UPDATE t SET a = ?1, b = ?2 WHERE rowid = ?3", or by the columns of its key. */
static void format_update(const struct table *t, const struct change *c,
                          struct buf *sql)
{
    int at = 0, i, n = 0;

    buf_addf(sql, "UPDATE \"%s\" SET ", t->name);
    for (i = 0; i < t->n; i++)
        if (c->cells[i].changed)
            buf_addf(sql, "%s\"%s\" = ?%d", at ? ", " : "", t->columns[i].name,
                     at + 1),
                at++;
    buf_add_str(sql, " WHERE ");
    if (t->has_rowid)
        buf_addf(sql, "rowid = ?%d", at + 1);
    for (i = 0; i < t->n && !t->has_rowid; i++)
        if (t->columns[i].key)
            buf_addf(sql, "%s\"%s\" = ?%d", n++ ? " AND " : "",
                     t->columns[i].name, ++at);
}

static void bind_update(struct stmt *s, const struct table *t,
                        const struct change *c)
{
    int at = 0, i;

    for (i = 0; i < t->n; i++)
        if (c->cells[i].changed)
            bind_cell(s, ++at, t->columns[i].kind,
                      &(struct cell){.changed = true, .now = c->cells[i].now},
                      true);
    if (t->has_rowid)
        stmt_bind_int(s, at + 1, c->rowid);
    for (i = 0; i < t->n && !t->has_rowid; i++)
        if (t->columns[i].key)
            bind_cell(s, ++at, t->columns[i].kind, &c->cells[i], false);
}

/* Two names that differed in the value alone are told apart by a number. */
static bool number_names(const struct table *t, struct change *c, int n)
{
    char digits[16];
    bool any = false;
    int i;

    snprintf(digits, sizeof digits, "%03d", n);
    for (i = 0; i < t->n; i++) {
        char *text = (char *)(uintptr_t)c->cells[i].now.data;
        char *at = c->cells[i].changed && t->columns[i].kind == COLUMN_TEXT
                       ? memmem(text, c->cells[i].now.len, "***", 3)
                       : NULL;

        if (!at && c->cells[i].changed && n > 1 &&
            t->columns[i].kind == COLUMN_TEXT && n <= 1000) {
            snprintf(digits, sizeof digits, "%03d", n - 1);
            at = memmem(text, c->cells[i].now.len, digits, 3);
            snprintf(digits, sizeof digits, "%03d", n);
        }
        if (at) {
            memcpy(at, digits, 3);
            any = true;
        }
    }
    return any && n < 1000;
}

static quire_status apply_change(struct rows *r, const struct table *t,
                                 struct change *c, quire_error *err)
{
    struct buf sql = BUF_INIT(4096);
    struct stmt *s = NULL;
    quire_status st;
    int n = 0;

    format_update(t, c, &sql);
    st = buf_text(&sql) ? db_prepare(r->db, sql.data, &s, err)
                        : err_memory(err);
    if (!st)
        do {
            bind_update(s, t, c);
            st = sql_run(s, err);
        } while (st == QUIRE_EXISTS && number_names(t, c, ++n));
    if (s)
        stmt_finalize(s);
    buf_release(&sql);
    return st;
}

static quire_status search_table(struct rows *r, const struct table *t,
                                 quire_error *err)
{
    char sql[128];
    struct change *c;
    struct stmt *s;
    quire_status st;
    bool row = true;

    snprintf(sql, sizeof sql, "SELECT %s, * FROM \"%s\"",
             t->has_rowid ? "rowid" : "0", t->name);
    st = db_prepare(r->db, sql, &s, err);
    if (st)
        return st;
    while (!st && !(st = stmt_step(s, &row, err)) && row)
        st = search_row(r, t, s, err);
    stmt_finalize(s);
    for (c = r->changes; c && !st; c = c->next)
        st = apply_change(r, t, c, err);
    r->changes = NULL;
    arena_reset(&r->keep);
    return st;
}

struct tables {
    struct table *list; /* owned */
    size_t n;
};

static quire_status list_tables(struct rows *r, struct tables *out,
                                quire_error *err)
{
    static const char sql[] =
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND"
        " type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    struct stmt *s;
    quire_status st = db_prepare(r->db, sql, &s, err);
    bool row = true;

    if (st)
        return st;
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        struct table *more = realloc(out->list,
                                     (out->n + 1) * sizeof *out->list);

        if (!more) {
            st = err_memory(err);
            break;
        }
        out->list = more;
        if (read_name(s, 0, more[out->n].name))
            more[out->n++].has_rowid = stmt_column_int(s, 1) == 0;
    }
    stmt_finalize(s);
    return st;
}

static quire_status search_tables(struct rows *r, quire_error *err)
{
    struct tables all = {.n = 0};
    quire_status st = list_tables(r, &all, err);
    size_t i;

    for (i = 0; i < all.n && !st; i++) {
        if (is_index_of_blobs(all.list[i].name))
            continue;
        st = read_columns(r, &all.list[i], err);
        if (!st)
            st = search_table(r, &all.list[i], err);
    }
    free(all.list);
    spans_release(&r->spans);
    arena_release(&r->keep);
    return st;
}

quire_status purge_rows(struct purge *p, struct db *db, const char *place,
                        bool change, quire_error *err)
{
    struct rows r = {.p = p, .db = db, .place = place, .change = change};
    /* A name may change in the table that others refer to before it does in them. */
    quire_status st = change ? db_exec(db,
                                       "PRAGMA secure_delete=ON;"
                                       "PRAGMA defer_foreign_keys=ON",
                                       err)
                             : QUIRE_OK;

    return st ? st : search_tables(&r, err);
}

/* ---- whole databases -------------------------------------------------------------- */

quire_status purge_rewrite_db(struct db *db, quire_error *err)
{
    quire_status st = db_exec(db, "PRAGMA temp_store=FILE; VACUUM", err);

    db_exec(db, "PRAGMA temp_store=MEMORY", NULL);
    if (!st)
        return db_scrub(db, err);
    (void)db_scrub(db, NULL); /* the log at least */
    return st;
}

/* The words of prompts, if they are indexed. */
static quire_status rebuild_words(struct db *db, quire_error *err)
{
    bool has;
    quire_status st = db_has_table(db, "history_fts", &has, err);

    return st || !has ? st
                      : db_exec(db,
                                "INSERT INTO history_fts(history_fts)"
                                " VALUES('rebuild')",
                                err);
}

static quire_status change_history(struct rows *r, quire_error *err)
{
    struct db *db = r->db;
    quire_status st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = search_tables(r, err);
    if (!st)
        st = rebuild_words(db, err);
    st = sql_end(db, st, err);
    return st ? st : purge_rewrite_db(db, err);
}

quire_status purge_history(struct purge *p, const char *place, bool change,
                           bool *found, quire_error *err)
{
    struct rows r = {.p = p,
                     .place = place,
                     .change = change,
                     .all_ours = true};
    struct arena tmp = ARENA_INIT;
    struct db_config config = {.path = arena_printf(&tmp, "%s/%s", p->q->home,
                                                    place),
                               .access = change ? DB_WRITE : DB_READ,
                               .busy_ms = p->q->busy_ms,
                               .cache_kib = 1024,
                               .scrub = change};
    quire_status st = config.path ? db_sqlite_open_foreign(&config, &r.db, err)
                                  : err_memory(err);

    if (!st)
        st = change ? change_history(&r, err) : search_tables(&r, err);
    *found = r.found;
    db_close(r.db);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/*
 * database.c - sessions in the database of opencode: see rows.h
 *
 *     {"session": row}
 *     {"message": row, "parts": [row]}     in the order of their times and ids
 *     {"message": null, "parts": [row]}    parts of a message that is not there
 *     {"table": "todo", "row": row}        and of the other tables that have
 *                                          something of the session
 *
 * The secret by which a session is shared is not read. Newer versions have columns,
 * older ones lack some: only the few that are asked for by name have to be there.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "import/opencode/rows.h"

enum { SQL_SIZE = 2048 };

/* Tables with rows of a session, beside messages and parts; what orders them. */
static const struct {
    const char *table, *order;
} others[] = {
    {"todo", "position"},
    {"session_message", "seq"},
    {"session_input", "admitted_seq"},
    {"session_context_epoch", "baseline_seq"},
};

enum { N_OTHERS = sizeof others / sizeof *others };

bool opencode_is_database(struct sqlite_reader *r)
{
    return sqlite_reader_has(r, "session", "directory") &&
           sqlite_reader_has(r, "message", "session_id") &&
           sqlite_reader_has(r, "message", "data") &&
           sqlite_reader_has(r, "part", "message_id") &&
           sqlite_reader_has(r, "part", "session_id");
}

/* ---- extracting --------------------------------------------------------- */

static quire_status note_row(void *ctx, const struct sqlite_row *row,
                             quire_error *err)
{
    (void)row, (void)err;
    *(bool *)ctx = true;
    return QUIRE_OK;
}

/* A list of parts, in a line that has been begun. */
struct part_list {
    struct database_lines *l;
    bool comma;
};

static quire_status add_part(void *ctx, const struct sqlite_row *row,
                             quire_error *err)
{
    struct part_list *p = ctx;

    if (p->comma)
        buf_add_char(&p->l->text, ',');
    p->comma = true;
    sqlite_row_json(row, &p->l->text);
    return database_write(p->l, false, err);
}

static quire_status add_message(void *ctx, const struct sqlite_row *row,
                                quire_error *err)
{
    static const char sql[] = "SELECT * FROM part WHERE session_id = ?1 AND "
                              "message_id = ?2 ORDER BY id";
    struct database_lines *l = ctx;
    struct part_list parts = {l, false};
    struct buf id = BUF_INIT(4096);
    int column = sqlite_row_column(row, "id");
    quire_status st;

    if (column >= 0)
        buf_add(&id, sqlite_row_text(row, column).data,
                sqlite_row_text(row, column).len);
    buf_add_str(&l->text, "{\"message\":");
    sqlite_row_json(row, &l->text);
    buf_add_str(&l->text, ",\"parts\":[");
    st = buf_text(&id) ? sqlite_reader_query(l->r, sql, l->id, buf_text(&id),
                                             add_part, &parts, err)
                       : buf_status(&id, "the id of a message", err);
    buf_release(&id);
    buf_add_str(&l->text, "]}\n");
    return st ? st : database_write(l, false, err);
}

static quire_status add_messages(struct database_lines *l, quire_error *err)
{
    char sql[256];

    snprintf(sql, sizeof sql,
             "SELECT * FROM message WHERE session_id = ?1 ORDER BY %sid",
             sqlite_reader_has(l->r, "message", "time_created")
                 ? "time_created, "
                 : "");
    return sqlite_reader_query(l->r, sql, l->id, NULL, add_message, l, err);
}

/* Parts whose message is not in the session, in one line. */
static quire_status add_strays(struct database_lines *l, quire_error *err)
{
    static const char any[] =
        "SELECT 1 FROM part WHERE session_id = ?1 AND message_id NOT IN "
        "(SELECT id FROM message WHERE session_id = ?1) LIMIT 1";
    static const char sql[] =
        "SELECT * FROM part WHERE session_id = ?1 AND message_id NOT IN "
        "(SELECT id FROM message WHERE session_id = ?1) ORDER BY id";
    struct part_list parts = {l, false};
    bool some = false;
    quire_status st = sqlite_reader_query(l->r, any, l->id, NULL, note_row,
                                          &some, err);

    if (st || !some)
        return st;
    buf_add_str(&l->text, "{\"message\":null,\"parts\":[");
    st = sqlite_reader_query(l->r, sql, l->id, NULL, add_part, &parts, err);
    buf_add_str(&l->text, "]}\n");
    return st;
}

static quire_status add_others(struct database_lines *l, quire_error *err)
{
    quire_status st = QUIRE_OK;
    char sql[256];
    size_t i;

    for (i = 0; i < N_OTHERS && !st; i++) {
        if (!sqlite_reader_has(l->r, others[i].table, "session_id"))
            continue;
        snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE session_id = ?1%s%s",
                 others[i].table,
                 sqlite_reader_has(l->r, others[i].table, others[i].order)
                     ? " ORDER BY "
                     : "",
                 sqlite_reader_has(l->r, others[i].table, others[i].order)
                     ? others[i].order
                     : "");
        st = database_add_table(l, others[i].table, sql, err);
    }
    return st;
}

static quire_status write_session(struct database_lines *l, quire_error *err)
{
    quire_status st;

    if (!opencode_is_database(l->r))
        return err_set(err, QUIRE_DAMAGED, "it is no database of opencode");
    st = database_add_row(l, "session", "SELECT * FROM session WHERE id = ?1",
                          err);
    if (!st)
        st = add_messages(l, err);
    if (!st)
        st = add_strays(l, err);
    return st ? st : add_others(l, err);
}

static quire_status extract(const struct import_found *f, int fd,
                            quire_error *err)
{
    return database_extract(f, fd, write_session, err);
}

/* ---- finding ------------------------------------------------------------ */

enum column {
    COLUMN_ID,
    COLUMN_DIRECTORY,
    COLUMN_PARENT,
    COLUMN_TITLE,
    COLUMN_UPDATED,
    COLUMN_N, /* then count and last time of each table */
};

struct finding {
    struct import_place *at;
    const char *file;
    struct import_places *tree;
    int n_tables;
};

/* The file of a session that was in files before: take it off the list. */
static const char *take_file(struct import_places *tree, quire_bytes id)
{
    const char *base, *path;
    size_t i;

    for (i = 0; tree && i < tree->n; i++) {
        path = tree->list[i].path;
        base = name_base(path);
        if (strlen(base) != id.len + strlen(".json") ||
            memcmp(base, id.data, id.len) != 0)
            continue;
        tree->list[i] = tree->list[--tree->n];
        return path;
    }
    return NULL;
}

static void add_column(struct sqlite_reader *r, const char *column, char *sql)
{
    size_t n = strlen(sql);
    bool has = sqlite_reader_has(r, "session", column);

    snprintf(sql + n, SQL_SIZE - n, has ? ", s.%s" : ", NULL", column);
}

static void add_counts(struct sqlite_reader *r, const char *table, char *sql)
{
    size_t n = strlen(sql);
    const char *time = sqlite_reader_has(r, table, "time_updated")
                           ? "max(t.time_updated)"
                       : sqlite_reader_has(r, table, "time_created")
                           ? "max(t.time_created)"
                           : "0";

    snprintf(sql + n, SQL_SIZE - n,
             ", (SELECT count(*) FROM %s t WHERE t.session_id = s.id)"
             ", (SELECT %s FROM %s t WHERE t.session_id = s.id)",
             table, time, table);
}

static void make_list_sql(struct sqlite_reader *r, struct finding *f, char *sql)
{
    size_t i, n;

    snprintf(sql, SQL_SIZE, "SELECT s.id, s.directory");
    add_column(r, "parent_id", sql);
    add_column(r, "title", sql);
    add_column(r, "time_updated", sql);
    add_counts(r, "message", sql);
    add_counts(r, "part", sql);
    f->n_tables = 2;
    for (i = 0; i < N_OTHERS; i++) {
        if (!sqlite_reader_has(r, others[i].table, "session_id"))
            continue;
        add_counts(r, others[i].table, sql);
        f->n_tables++;
    }
    n = strlen(sql);
    snprintf(sql + n, SQL_SIZE - n, " FROM session s ORDER BY s.id");
}

static quire_status add_session(void *ctx, const struct sqlite_row *row,
                                quire_error *err)
{
    struct finding *f = ctx;
    struct database_session s = {
        .id = sqlite_row_text(row, COLUMN_ID),
        .parent = sqlite_row_text(row, COLUMN_PARENT),
        .title = sqlite_row_text(row, COLUMN_TITLE),
        .cwd = sqlite_row_text(row, COLUMN_DIRECTORY),
        .modified_ms = sqlite_row_int(row, COLUMN_UPDATED),
    };
    int i;

    if (bytes_starts(s.id, bytes_str("ses_")))
        s.prefix = strlen("ses_");
    for (i = 0; i < f->n_tables; i++) {
        uint64_t n = (uint64_t)sqlite_row_int(row, COLUMN_N + 2 * i);
        int64_t time = sqlite_row_int(row, COLUMN_N + 2 * i + 1);

        s.n_rows += n;
        s.state = s.state * 31 + n;
        s.state = s.state * 31 + (uint64_t)time;
        s.modified_ms = time > s.modified_ms ? time : s.modified_ms;
    }
    s.replaces = take_file(f->tree, s.id);
    return database_add(f->at, f->file, &s, extract, err);
}

static quire_status list_sessions(struct sqlite_reader *r, void *ctx,
                                  quire_error *err)
{
    char sql[SQL_SIZE];

    make_list_sql(r, ctx, sql);
    return sqlite_reader_query(r, sql, NULL, NULL, add_session, ctx, err);
}

quire_status opencode_add_database(struct import_place *at, const char *file,
                                   struct import_places *tree, quire_error *err)
{
    struct finding f = {.at = at, .file = file, .tree = tree};

    return database_find(at, file, opencode_is_database, list_sessions, &f,
                         err);
}

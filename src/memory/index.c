/*
 * index.c - the full-text indexes of entries
 *
 * Each tenant has two indexes of its own, memory_words_<tenant> of valid
 * entries and memory_past_<tenant> of invalid ones. The frequency of a word
 * decides the ranking, and the ranking must not reveal entries of other
 * tenants. Invalid entries have an index of their own so that they do not
 * affect the ranking of valid ones, however many there are.
 *
 * The indexes are contentless, so removing an entry needs the text that was
 * added. That text is a function of its title, content, tags and source, which
 * only this module changes. So deleting a session or an artifact, which clears
 * a column of the row, leaves the indexes right.
 */
#include <stdio.h>

#include "base/bytes.h"
#include "memory/priv.h"
#include "store/fts_vocab.h"

/* ?3 is a time in the past; for the present, 0, every row matches. */
#define THEN                                                              \
    "(?3 = 0 OR (m.valid_from <= ?3 AND (m.valid_to = 0 OR m.valid_to > " \
    "?3)))"

/* A word in the title weighs more than one in the text. The score of a word
 * that most entries have is some millionths, and their order matters, too. */
#define HIT                                                            \
    "SELECT %s.rowid, CAST(bm25(%s, 10, 4, 8, 2) * -1e12 AS INTEGER)," \
    " m.type, m.updated, m.tags, coalesce(m.session, 0) FROM %s"       \
    " CROSS JOIN memory m ON m.id = %s.rowid WHERE %s MATCH ?1 AND " THEN

/* Every %s is the name of an index. */
static const char *const patterns[N_FULLTEXT_SQL] = {
    [FULLTEXT_ADD] = "INSERT INTO %s(rowid, title, content, tags, source)"
                     " VALUES(?1, ?2, ?3, ?4, ?5)",
    [FULLTEXT_DROP] = "INSERT INTO %s(%s, rowid, title, content, tags, source)"
                      " VALUES('delete', ?1, ?2, ?3, ?4, ?5)",
    [FULLTEXT_FLOOR] = "SELECT rowid FROM %s WHERE %s MATCH ?1"
                       " ORDER BY rowid DESC LIMIT 1 OFFSET ?2",
    [FULLTEXT_FLOOR_THEN] = "SELECT %s.rowid FROM %s CROSS JOIN memory m"
                            " ON m.id = %s.rowid WHERE %s MATCH ?1 AND " THEN
                            " ORDER BY %s.rowid DESC LIMIT 1 OFFSET ?2",
    [FULLTEXT_FIND] = HIT " AND %s.rowid > ?2",
    /* Most entries of a session are recent: its first entry bounds the walk.
     * The plus sign: walking the hits once is cheaper than querying the index
     * for each entry of the session. */
    [FULLTEXT_FIND_FUSED] = HIT
    " AND %s.rowid >= (SELECT min(coalesce(min(id), ?2 + 1), ?2 + 1)"
    " FROM memory WHERE session = ?4)"
    " AND (%s.rowid > ?2 OR +%s.rowid IN (SELECT id FROM memory"
    " WHERE session = ?4)) ORDER BY %s.rowid DESC LIMIT ?5",
};

static const char *const names[N_FULLTEXT] = {
    [FULLTEXT_NOW] = "memory_words",
    [FULLTEXT_PAST] = "memory_past",
};

void memory_fulltext_close(struct memory_fulltext *w)
{
    int i;

    for (i = 0; i < N_FULLTEXT; i++)
        sql_release(&w->sql[i]);
    *w = (struct memory_fulltext){.tenant = 0};
}

static void format_name(int which, int64_t tenant, char out[64])
{
    snprintf(out, 64, "%s_%lld", names[which], (long long)tenant);
}

/* ---- entries ------------------------------------------------------------ */

static quire_status write_words(struct memories *m, int which,
                                const quire_memory *one, quire_error *err)
{
    struct sql *sql =
        &m->words.sql[one->valid_to_us ? FULLTEXT_PAST : FULLTEXT_NOW];
    struct stmt *s;
    quire_status st = sql_use(sql, which, &s, err);

    if (st)
        return st;
    stmt_bind_int(s, 1, one->id);
    stmt_bind_text(s, 2, one->title);
    stmt_bind_text(s, 3, one->content);
    stmt_bind_text(s, 4, bytes_str(one->tags));
    stmt_bind_text(s, 5, one->source);
    return stmt_post(s, err);
}

quire_status memory_fulltext_add(struct memories *m, const quire_memory *one,
                                 quire_error *err)
{
    return write_words(m, FULLTEXT_ADD, one, err);
}

quire_status memory_fulltext_remove(struct memories *m, const quire_memory *one,
                                    quire_error *err)
{
    return write_words(m, FULLTEXT_DROP, one, err);
}

/* ---- indexes ------------------------------------------------------------ */

/* Both are created in one transaction, so one shows that both exist. */
static quire_status add_one(void *ctx, const quire_memory *one,
                            quire_error *err)
{
    return memory_fulltext_add(ctx, one, err);
}

static quire_status create_tables(struct db *db, int64_t tenant,
                                  quire_error *err)
{
    char name[64], sql[256];
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < N_FULLTEXT && !st; i++) {
        format_name(i, tenant, name);
        snprintf(sql, sizeof sql,
                 "CREATE VIRTUAL TABLE %s USING fts5(title, content, tags,"
                 " source, content='', tokenize='quire')",
                 name);
        st = db_exec(db, sql, err);
    }
    return st;
}

/* A tenant's first indexes, or new ones if they were dropped. */
static quire_status create_indexes(struct memories *m, int64_t tenant,
                                   quire_error *err)
{
    quire_status st = create_tables(m->db, tenant, err);

    return st ? st : entry_each(m, tenant, add_one, m, err);
}

quire_status memory_fulltext_drop(struct db *db, struct memories *m,
                                  int64_t tenant, quire_error *err)
{
    char name[64], sql[96];
    quire_status st = QUIRE_OK;
    int i;

    /* A table can be dropped only while no statement of it is active. */
    if (m)
        memory_fulltext_close(&m->words);
    for (i = 0; i < N_FULLTEXT && !st; i++) {
        format_name(i, tenant, name);
        snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS %s", name);
        st = db_exec(db, sql, err);
    }
    return st;
}

quire_status memory_count(struct db *db, int64_t tenant, uint64_t *n,
                          quire_error *err)
{
    struct stmt *s;
    quire_status st =
        db_prepare(db,
                   "SELECT (SELECT count(*) FROM memory WHERE tenant = ?1) +"
                   " (SELECT count(*) FROM pad WHERE tenant = ?1)",
                   &s, err);

    *n = 0;
    if (st)
        return st;
    stmt_bind_int(s, 1, tenant);
    st = sql_row(s, err);
    if (!st)
        *n = (uint64_t)stmt_column_int(s, 0);
    stmt_finalize(s);
    return st;
}

static quire_status open_statements(struct memory_fulltext *w, struct db *db,
                                    int64_t tenant, quire_error *err)
{
    quire_status st = QUIRE_OK;
    char name[64];
    int i;

    for (i = 0; i < N_FULLTEXT && !st; i++) {
        format_name(i, tenant, name);
        st = sql_init_named(&w->sql[i], db, patterns, N_FULLTEXT_SQL, name,
                            err);
    }
    return st;
}

/* Temporary second indexes of the same entries, in `db`. */
static quire_status create_beside(struct memories *m, int64_t tenant,
                                  struct db *db, quire_error *err)
{
    struct memories beside = {.db = db};
    quire_status st = create_tables(db, tenant, err);

    if (!st)
        st = open_statements(&beside.words, db, tenant, err);
    if (!st)
        st = entry_each(m, tenant, add_one, &beside, err);
    memory_fulltext_close(&beside.words);
    return st;
}

quire_status memory_fulltext_equal(struct memories *m, int64_t tenant,
                                   struct db *aside, bool *sound,
                                   quire_error *err)
{
    static const char *const ended[N_FULLTEXT] =
        {[FULLTEXT_NOW] = "=", [FULLTEXT_PAST] = "<>"};
    struct db_config config = {.access = DB_WRITE};
    struct db *fresh = NULL;
    char name[64], among[128];
    quire_status st = db_sqlite_open(&config, &fresh, err);
    int i;

    *sound = true;
    if (!st)
        st = create_beside(m, tenant, fresh, err);
    for (i = 0; i < N_FULLTEXT && !st && *sound; i++) {
        format_name(i, tenant, name);
        snprintf(among, sizeof among,
                 "SELECT id FROM memory WHERE tenant = %lld AND valid_to %s 0",
                 (long long)tenant, ended[i]);
        st = fts_vocab_equal(aside, among, fresh, name, sound, err);
    }
    if (fresh)
        fresh->ops->close(fresh);
    return st;
}

quire_status memory_fulltext_open(struct memories *m, int64_t tenant,
                                  bool write, quire_error *err)
{
    bool there = false;
    char name[64];
    quire_status st;

    if (m->words.tenant == tenant)
        return QUIRE_OK;
    memory_fulltext_close(&m->words);
    format_name(FULLTEXT_NOW, tenant, name);
    st = db_has_table(m->db, name, &there, err);
    if (!st && !there && !write)
        return QUIRE_NOT_FOUND;
    if (!st)
        st = open_statements(&m->words, m->db, tenant, err);
    if (!st && !there)
        st = create_indexes(m, tenant, err);
    if (!st)
        m->words.tenant = tenant;
    else
        memory_fulltext_close(&m->words);
    return st;
}

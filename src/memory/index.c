/*
 * index.c - the full-text indexes of entries
 *
 * Each tenant has two indexes of its own, memory_words_<tenant> of valid
 * entries and memory_past_<tenant> of invalid ones. The frequency of a word
 * decides the ranking, and the ranking must not reveal entries of other
 * tenants. Invalid entries have an index of their own so that they do not
 * affect the ranking of valid ones, however many there are.
 *
 * Removing an entry from an index needs the text that was added
 * (search/index.h). That text is a function of its title, content, tags and
 * source, which only this module changes. So deleting a session or an artifact,
 * which clears a column of the row, leaves the indexes right.
 */
#include "base/bytes.h"
#include "catalog/change_log.h"
#include "memory/priv.h"
#include "search/lot.h"

enum { TITLE, CONTENT, TAGS, SOURCE };

/* A word in the title weighs more than one in the text. */
#define COLUMNS                                              \
    {                                                        \
        [TITLE] = {"title", 10}, [CONTENT] = {"content", 4}, \
        [TAGS] = {"tags", 8}, [SOURCE] = {"source", 2},      \
    }

const struct fulltext_kind memory_fulltext_kinds[N_FULLTEXT] = {
    [FULLTEXT_NOW] = {.name = "memory_words",
                      .columns = COLUMNS,
                      .n_columns = 4,
                      .ranking = FULLTEXT_BY_BM25},
    [FULLTEXT_PAST] = {.name = "memory_past",
                       .columns = COLUMNS,
                       .n_columns = 4,
                       .ranking = FULLTEXT_BY_BM25},
};

/* The rows behind hits. */
#define ROWS                                                            \
    "SELECT id, type, updated, tags, coalesce(session, 0), valid_from," \
    " valid_to FROM memory WHERE id IN ("

static const char *const row_texts[N_HIT_SQL] = {
    [HIT_ROWS] = ROWS LOT_PARAMETERS ")",
    [HIT_ROWS_FEW] = ROWS LOT_FEW_PARAMETERS ")",
    [HIT_SESSION_IDS] = ("SELECT id FROM memory WHERE session = ?1"
                         " AND id <= ?2 ORDER BY id"),
};

void memory_fulltext_close(struct memory_fulltext *w)
{
    int i;

    for (i = 0; i < N_FULLTEXT; i++)
        fulltext_close(w->index[i]);
    sql_release(&w->rows);
    *w = (struct memory_fulltext){.tenant = 0};
}

/* ---- entries ------------------------------------------------------------ */

static struct fulltext_document document_of(const quire_memory *one)
{
    return (struct fulltext_document){
        .id = one->id,
        .texts = {[TITLE] = one->title,
                  [CONTENT] = one->content,
                  [TAGS] = bytes_str(one->tags),
                  [SOURCE] = one->source},
    };
}

static struct fulltext *index_of(const struct memory_fulltext *w,
                                 const quire_memory *one)
{
    return w->index[one->valid_to_us ? FULLTEXT_PAST : FULLTEXT_NOW];
}

quire_status memory_fulltext_add(struct memories *m, const quire_memory *one,
                                 quire_error *err)
{
    struct fulltext_document d = document_of(one);
    quire_status st = change_log_add(&m->sql, SQL_LOG_CHANGE, m->words.tenant,
                                     CHANGE_MEMORY, one->id, err);

    return st ? st : fulltext_add(index_of(&m->words, one), &d, err);
}

quire_status memory_fulltext_remove(struct memories *m, const quire_memory *one,
                                    quire_error *err)
{
    struct fulltext_document d = document_of(one);
    quire_status st = change_log_add(&m->sql, SQL_LOG_CHANGE, m->words.tenant,
                                     CHANGE_MEMORY, one->id, err);

    return st ? st : fulltext_remove(index_of(&m->words, one), &d, err);
}

/* ---- indexes ------------------------------------------------------------ */

static quire_status add_one(void *ctx, const quire_memory *one,
                            quire_error *err)
{
    struct fulltext_document d = document_of(one);

    return fulltext_add(index_of(ctx, one), &d, err);
}

/* A tenant's first indexes, or new ones if they were dropped. Both are created
 * in one transaction, so one shows that both exist. */
static quire_status create_indexes(struct memories *m, int64_t tenant,
                                   quire_error *err)
{
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < N_FULLTEXT && !st; i++)
        st = fulltext_create(m->words.index[i], err);
    return st ? st : memory_each(m, tenant, add_one, &m->words, err);
}

static quire_status open_indexes(struct memory_fulltext *w, struct db *db,
                                 int64_t tenant, quire_error *err)
{
    quire_status st = sql_init(&w->rows, db, row_texts, N_HIT_SQL, err);
    int i;

    for (i = 0; i < N_FULLTEXT && !st; i++)
        st = fulltext_open(db, &memory_fulltext_kinds[i], tenant, &w->index[i],
                           err);
    return st;
}

quire_status memory_fulltext_drop(struct db *db, struct memories *m,
                                  int64_t tenant, quire_error *err)
{
    struct memory_fulltext all = {.tenant = 0};
    quire_status st;
    int i;

    if (m)
        memory_fulltext_close(&m->words);
    st = open_indexes(&all, db, tenant, err);
    for (i = 0; i < N_FULLTEXT && !st; i++)
        st = fulltext_drop(all.index[i], err);
    memory_fulltext_close(&all);
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

/* Temporary second indexes of the same entries. */
static quire_status create_beside(struct memories *m, int64_t tenant,
                                  struct memory_fulltext *beside,
                                  quire_error *err)
{
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; i < N_FULLTEXT && !st; i++)
        st = fulltext_open_temporary(&memory_fulltext_kinds[i], tenant,
                                     &beside->index[i], err);
    return st ? st : memory_each(m, tenant, add_one, beside, err);
}

quire_status memory_fulltext_equal(struct memories *m, int64_t tenant,
                                   struct db *aside, bool *sound,
                                   quire_error *err)
{
    struct memory_fulltext beside = {.tenant = 0}, stored = {.tenant = 0};
    quire_status st = create_beside(m, tenant, &beside, err);
    int i;

    *sound = true;
    if (!st)
        st = open_indexes(&stored, aside, tenant, err);
    for (i = 0; i < N_FULLTEXT && !st && *sound; i++)
        st = fulltext_includes(stored.index[i], beside.index[i], sound, err);
    memory_fulltext_close(&stored);
    memory_fulltext_close(&beside);
    return st;
}

quire_status memory_fulltext_open(struct memories *m, int64_t tenant,
                                  bool write, quire_error *err)
{
    bool there = false;
    quire_status st;

    if (m->words.tenant == tenant)
        return QUIRE_OK;
    memory_fulltext_close(&m->words);
    st = open_indexes(&m->words, m->db, tenant, err);
    if (!st)
        st = fulltext_exists(m->words.index[FULLTEXT_NOW], &there, err);
    if (!st && !there)
        st = write ? create_indexes(m, tenant, err) : QUIRE_NOT_FOUND;
    if (!st)
        m->words.tenant = tenant;
    else
        memory_fulltext_close(&m->words);
    return st;
}

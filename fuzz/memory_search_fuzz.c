/*
 * memory_search_fuzz.c - what may be asked of memory
 *
 * The input is a question, and an entry that says just that. Whatever it is, it
 * makes an expression that the index accepts; the short form of it has the same
 * hits as the long one, on which the bound of a ranking rests; and the entry is
 * found by it, if the index sees a word in it at all.
 */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "ask.h"
#include "holds.h"
#include "memory/memory.h"
#include "search/fts5.h"
#include "store/db.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct db *open_words(void)
{
    struct db_config config = {.path = NULL, .access = DB_WRITE, .busy_ms = 0};
    struct db *db;

    HOLDS(!db_sqlite_open(&config, &db, NULL));
    HOLDS(!db_exec(
        db,
        "CREATE VIRTUAL TABLE t USING fts5(title, content, tags, source,"
        " content='', tokenize='quire');"
        "CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);"
        "INSERT INTO t(rowid, title, content, tags, source) VALUES(1, 'the',"
        " 'a word and what is near 1 2 3', '[\"x\"]', 'and NOT')",
        NULL));
    return db;
}

enum form { WHOLE, PLAIN, BEGINNINGS };

static int64_t hits(struct db *db, quire_bytes text, enum form form, bool *any)
{
    struct buf b = BUF_INIT((size_t)1 << 20);
    struct arena keep = ARENA_INIT;
    struct query *q;
    int64_t n = 0;

    if (form == BEGINNINGS)
        HOLDS(!memory_stem_query(text, &keep, &q, NULL));
    else
        HOLDS(!memory_words_query(text, form == PLAIN, &keep, &q, NULL));
    *any = q != NULL;
    fts5_expression(q, &b);
    arena_release(&keep);
    HOLDS(!b.failed && *any == (b.len > 0));
    HOLDS(utf8_check(buf_bytes(&b)));
    HOLDS(!b.len || !memchr(b.data, '\0', b.len));
    /* The ids as one number; there are two. */
    if (*any)
        n = ask(db,
                "SELECT sum(id) FROM (SELECT rowid AS id FROM t WHERE t MATCH"
                " ?1 ORDER BY bm25(t, 10, 4, 8, 2) LIMIT 10)",
                buf_bytes(&b));
    buf_release(&b);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_bytes text = bytes_of(size ? (const void *)data : "", size);
    static struct db *db; /* making one costs more than all the rest */
    bool any, any_plain, any_stem;
    int64_t found;

    if (!db)
        db = open_words();
    HOLDS(memory_intent(text) < 1u << 6);
    HOLDS(!db_begin(db, DB_SOON, DB_ALL_TENANTS, NULL));
    ask(db,
        "INSERT INTO t(rowid, title, content, tags, source)"
        " VALUES(2, '', ?1, '', '')",
        text);
    found = hits(db, text, WHOLE, &any);
    HOLDS(found == hits(db, text, PLAIN, &any_plain) && any == any_plain);
    HOLDS(!(found & hits(db, text, BEGINNINGS, &any_stem)));
    HOLDS(any || !any_stem);
    /* Of a long text the words that count may be cut off, or in half. */
    if (any && size < 60)
        HOLDS((found >= 2) == (ask(db, "SELECT count(*) FROM v WHERE doc = 2",
                                   bytes_of(NULL, 0)) > 0));
    db_rollback(db);
    return 0;
}

/*
 * fts_query_fuzz.c - what a person may ask, and what a document may hold
 *
 * The input is both. Whatever it is, it makes an expression that the index
 * accepts, in every mode; and a document that is the question itself is found
 * by it, if the index sees a word in it at all.
 */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "ask.h"
#include "holds.h"
#include "search/fts5.h"
#include "store/db.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct db *open_words(void)
{
    struct db_config config = {.path = NULL, .access = DB_WRITE, .busy_ms = 0};
    struct db *db;

    HOLDS(!db_sqlite_open(&config, &db, NULL));
    HOLDS(!db_exec(db,
                   "CREATE VIRTUAL TABLE t USING fts5(body, "
                   "tokenize='quire');"
                   "CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)",
                   NULL));
    return db;
}

/* Marked text is the text, but for the marks. */
static void marked_holds(struct db *db, quire_bytes expression)
{
    int64_t n = ask(db,
                    "SELECT length(CAST(replace(highlight(t, 0, char(1), ''), "
                    "char(1), '') AS BLOB)) - length(CAST(replace(body, "
                    "char(1), '') AS BLOB)) FROM t WHERE t MATCH ?1",
                    expression);

    HOLDS(n == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A longer question is cut, perhaps within a word. */
    quire_bytes text = bytes_of(size ? (const void *)data : "",
                                size < 8192 ? size : 8192);
    static struct db *db; /* making one costs more than all the rest */
    int mode;

    if (!db)
        db = open_words();
    HOLDS(!db_begin(db, DB_SOON, DB_ALL_TENANTS, NULL));
    ask(db, "INSERT INTO t VALUES(?1)", text);
    for (mode = QUERY_ALL; mode <= QUERY_ANY; mode++) {
        struct buf b = BUF_INIT((size_t)1 << 20);
        struct arena keep = ARENA_INIT;
        struct query *q;
        size_t n;
        int64_t found = 0;

        HOLDS(!query_parse(text, (enum query_mode)mode, &keep, &q, &n, NULL));
        HOLDS((n == 0) == (q == NULL));
        fts5_expression(q, &b);
        arena_release(&keep);
        HOLDS(!b.failed && (n == 0) == (b.len == 0) && n <= 64);
        HOLDS(utf8_check(buf_bytes(&b)));
        HOLDS(!b.len || !memchr(b.data, '\0', b.len));
        if (n)
            found = ask(db, "SELECT count(*) FROM t WHERE t MATCH ?1",
                        buf_bytes(&b));
        /* Of 64 terms it may be the next that has the first word. */
        if (n < 64)
            HOLDS(found ==
                  (ask(db, "SELECT count(*) FROM v", bytes_of(NULL, 0)) > 0));
        if (found && !memchr(text.data, '\0', text.len))
            marked_holds(db, buf_bytes(&b));
        buf_release(&b);
    }
    db_rollback(db);
    return 0;
}

/*
 * An index whose parts do not belong together is found to be damaged. That a sound
 * one is not, whatever was done to it, is shown by engine_test.c.
 */
#include "search/engine_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/store.h"
#include "support/flip.h"
#include "support/test.h"

static struct engine *open_engine(bool read_only)
{
    struct engine_config c = {.memory_max = 1 << 20, .read_only = read_only};
    struct db_config config = {.access = read_only ? DB_READ : DB_WRITE,
                               .path = test_path("index/search.db")};
    struct store *store;
    struct engine *e;

    mkdir(test_path("index"), 0700);
    OK(db_sqlite_open(&config, &c.db, &test_err));
    OK(store_files_open(test_path("index/segments"), read_only, &store,
                        &test_err));
    c.store = store->objects;
    store->objects = NULL;
    store_free(store);
    OK(engine_open(&c, &e, &test_err));
    return e;
}

/* An update that adds a source with two texts; "again" is known from the second
 * one on. */
static void update(struct engine *e, int i)
{
    struct segment_text t = {.fields = {{NULL, 0}}};
    struct source s = {.kind = SOURCE_SESSION,
                       .session = "s",
                       .title = "",
                       .project = "",
                       .agent = ""};
    struct place p = {.length = 1};
    char key[16], text[32];

    snprintf(key, sizeof key, "key%d", i);
    snprintf(text, sizeof text, "text number%d", i);
    s.key = key;
    OK(engine_begin(e, &test_err));
    OK(engine_put_source(e, &s, &test_err));
    p.source = s.number;
    t.fields[FIELD_BODY] = bytes_str(text);
    OK(engine_add(e, &t, &p, bytes_str("bash"), bytes_str(""), &test_err));
    t.fields[FIELD_BODY] = bytes_str("again and again");
    OK(engine_add(e, &t, &p, bytes_str(""), bytes_str(""), &test_err));
    OK(engine_end(e, QUIRE_OK, &test_err));
}

static void make_index(void)
{
    struct engine *e = open_engine(false);
    int i;

    for (i = 0; i < 3; i++)
        update(e, i);
    engine_close(e);
}

struct findings {
    int n;
    char first[256];
    quire_status say;
};

static quire_status see(void *ctx, const char *what, quire_error *err)
{
    struct findings *f = ctx;

    if (f->n++ == 0)
        snprintf(f->first, sizeof f->first, "%s", what);
    return f->say ? err_set(err, f->say, "enough") : QUIRE_OK;
}

static struct findings verify(void)
{
    struct engine *e = open_engine(true);
    struct findings f = {.n = 0};

    OK(engine_verify(e, see, &f, &test_err));
    engine_close(e);
    return f;
}

static void finds(const char *words)
{
    struct findings f = verify();

    EQ(1, f.n);
    HAS(f.first, words);
}

static void alter(const char *sql)
{
    struct db_config config = {.access = DB_WRITE,
                               .path = test_path("index/search.db")};
    struct db *db;

    OK(db_sqlite_open(&config, &db, &test_err));
    OK(db_exec(db, sql, &test_err));
    db_close(db);
}

TEST(an_index_that_was_written_is_sound)
{
    struct engine *e;
    struct findings f = {.n = 0};
    bool more;

    make_index();
    EQ(0, verify().n);
    e = open_engine(false);
    OK(engine_verify(e, see, &f, &test_err));
    OK(engine_begin(e, &test_err));
    OK(engine_kill_source(e, 1, &test_err));
    OK(engine_end(e, QUIRE_OK, &test_err));
    OK(engine_verify(e, see, &f, &test_err));
    OK(engine_merge(e, true, &more, &test_err));
    OK(engine_verify(e, see, &f, &test_err));
    OK(engine_clear(e, &test_err));
    OK(engine_verify(e, see, &f, &test_err));
    EQ(0, f.n);
    engine_close(e);
}

TEST(damage_of_each_segment_is_reported)
{
    struct findings f = {.n = 0, .say = QUIRE_INVALID};
    struct engine *e;
    int i;

    make_index();
    for (i = 0; i < 2; i++)
        flip_bit(flip_find(test_path("index"), ".postings", i), 1, 3);
    EQ(2, verify().n);
    e = open_engine(true);
    IS(QUIRE_INVALID, engine_verify(e, see, &f, &test_err));
    SAME_TEXT("enough", test_err.what);
    EQ(1, f.n);
    HAS(f.first, ".postings, byte ");
    engine_close(e);
}

TEST(a_source_that_is_not_listed_is_found)
{
    make_index();
    alter("DELETE FROM source WHERE key = 'key1'");
    finds("a text has unknown source 2");
    alter("INSERT INTO dead(source, stamp) VALUES(2, 9);"
          "UPDATE counter SET value = value + 1 WHERE name = 'epoch'");
    EQ(0, verify().n);
    /* Its other place is of the text that all have in common. */
    alter("DELETE FROM dead; DELETE FROM segment WHERE number = 2");
    EQ(0, verify().n);
    alter("DELETE FROM source WHERE key = 'key2'");
    finds("unknown source 3");
}

TEST(a_text_that_no_segment_has_is_found)
{
    struct findings f;

    make_index();
    alter("DELETE FROM segment WHERE number = 1");
    f = verify();
    EQ(2, f.n); /* the places in the two others */
    HAS(f.first, "a place has missing text 1");
}

TEST(numbers_of_texts_that_do_not_fit_are_found)
{
    make_index();
    alter("UPDATE counter SET value = 2 WHERE name = 'text'");
    EQ(2, verify().n);
    alter("UPDATE counter SET value = 4 WHERE name = 'text';"
          "UPDATE segment SET first_text = 9 WHERE number = 1");
    YES(verify().n > 0);
}

static quire_status never(void *ctx, const char *what, quire_error *err)
{
    (void)ctx;
    (void)err;
    SAME_TEXT("", what);
    return QUIRE_OK;
}

TEST(an_index_that_is_updated_meanwhile_is_sound)
{
    struct engine *writer, *reader;
    bool more;
    int i;

    make_index();
    writer = open_engine(false);
    reader = open_engine(true);
    for (i = 3; i < 40; i++) {
        update(writer, i);
        if (i % 5 == 0) {
            OK(engine_begin(writer, &test_err));
            OK(engine_kill_source(writer, (uint32_t)i - 2, &test_err));
            OK(engine_end(writer, QUIRE_OK, &test_err));
        }
        if (i % 9 == 0)
            OK(engine_merge(writer, true, &more, &test_err));
        OK(engine_verify(reader, never, NULL, &test_err));
    }
    engine_close(reader);
    engine_close(writer);
}

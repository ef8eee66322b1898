#include "search/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "search/fts5.h"
#include "store/db.h"
#include "support/test.h"

#define MAX_OUT ((size_t)1 << 20)

/* Add the expression of a text; returns the number of terms. */
static size_t add_query(quire_bytes text, enum query_mode mode, struct buf *out)
{
    struct arena keep = ARENA_INIT;
    struct query *q;
    size_t n;

    OK(query_parse(text, mode, &keep, &q, &n, &test_err));
    YES((n == 0) == (q == NULL));
    EQ(n > 0, query_has_terms(text));
    fts5_expression(q, out);
    arena_release(&keep);
    return n;
}

static const char *query(quire_bytes text, enum query_mode mode)
{
    struct buf b = BUF_INIT(MAX_OUT);
    size_t n = add_query(text, mode, &b);
    char *out;

    NO(b.failed);
    YES((n == 0) == (b.len == 0));
    out = test_alloc(b.len + 1);
    if (b.len)
        memcpy(out, b.data, b.len);
    out[b.len] = '\0';
    EQ(b.len, strlen(out));
    YES(utf8_check(buf_bytes(&b)));
    buf_release(&b);
    return out;
}

TEST(fulltext_makes_a_string_of_every_term)
{
    static const struct {
        const char *text;
        enum query_mode mode;
        const char *want;
    } cases[] = {
        {"", QUERY_ALL, ""},
        {"  \t\n ", QUERY_ALL, ""},
        {"... -- * ^ () _ \"\" \"!\"", QUERY_ALL, ""},
        {"word", QUERY_ALL, "\"word\""},
        {" two  words ", QUERY_ALL, "\"two\" \"words\""},
        {"two words", QUERY_ANY, "\"two\" OR \"words\""},
        {"two words", QUERY_BEGINNING, "\"two\" * \"words\" *"},
        {"\"a phrase\" more", QUERY_ALL, "\"a phrase\" \"more\""},
        {"\"never closed", QUERY_ALL, "\"never closed\""},
        {"x\"a b\"y", QUERY_ALL, "\"x\" \"a b\" \"y\""},
        {"a AND b OR NOT c", QUERY_ALL, "\"a\" \"b\" OR \"NOT\" \"c\""},
        {"sales AND Q4", QUERY_ALL, "\"sales\" \"Q4\""},
        {"a AND b OR c", QUERY_BEGINNING, "\"a\" * \"b\" * OR \"c\" *"},
        {"a b AND NOT c OR d AND NOT e AND NOT \"f g\" h", QUERY_ALL,
         "(\"a\" \"b\") NOT (\"c\") OR (\"d\" \"h\") NOT (\"e\" OR "
         "\"f g\")"},
        {"IF NOT EXISTS", QUERY_ALL, "\"IF\" \"NOT\" \"EXISTS\""},
        {"AND a and b \"OR\" c OR", QUERY_ALL,
         "\"AND\" \"a\" \"and\" \"b\" \"OR\" \"c\" \"OR\""},
        {"a OR OR b", QUERY_ALL, "\"a\" OR \"OR\" \"b\""},
        {"a OR AND NOT b", QUERY_ALL, "\"a\" OR \"AND\" \"NOT\" \"b\""},
        {"a AND NOT AND NOT b", QUERY_ALL,
         "(\"a\" \"NOT\" \"b\") NOT (\"AND\")"},
        {"a AND NOT", QUERY_ALL, "\"a\" \"NOT\""},
        {"a OR b", QUERY_ANY, "\"a\" OR \"OR\" OR \"b\""},
        {"NEAR(a b, 2)", QUERY_ALL, "\"NEAR(a\" \"b,\" \"2)\""},
        {"a:b ^a -x c++ it's main.rs", QUERY_ALL,
         "\"a:b\" \"^a\" \"-x\" \"c++\" \"it's\" \"main.rs\""},
        {"body : * x", QUERY_ALL, "\"body\" \"x\""},
        {"a\xe3\x80\x80"
         "b\xc2\xa0"
         "c",
         QUERY_ALL, "\"a\" \"b\" \"c\""},
        {"a\xff"
         "b \xe4\xb8",
         QUERY_ALL, "\"a\" \"b\""},
        {"\"a\xff\tb\"", QUERY_ALL, "\"a  b\""},
        {"。 \xf0\x9f\x98\x80 中", QUERY_ALL, "\"中\""},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        SAME_TEXT(cases[i].want,
                  query(bytes_str(cases[i].text), cases[i].mode));
    SAME_TEXT("\"a\" \"b\"", query(bytes_of("a\0b\0", 4), QUERY_ALL));
}

TEST(fulltext_leaves_the_buffer_alone_without_terms)
{
    struct buf b = BUF_INIT(100);

    buf_add_str(&b, "tenant:x ");
    EQ(0, add_query(bytes_str("\"...\" !"), QUERY_ALL, &b));
    SAME(bytes_str("tenant:x "), buf_bytes(&b));
    EQ(2, add_query(bytes_str("a b"), QUERY_ALL, &b));
    SAME(bytes_str("tenant:x \"a\" \"b\""), buf_bytes(&b));
    buf_release(&b);
}

TEST(fulltext_reads_no_more_than_a_question)
{
    char *text = test_alloc(40000);
    struct buf b = BUF_INIT(MAX_OUT);
    size_t i;

    for (i = 0; i < 40000; i++)
        text[i] = i % 2 ? ' ' : 'a';
    EQ(64, add_query(bytes_of(text, 40000), QUERY_ALL, &b));
    buf_clear(&b);

    /* 8 KiB end within a word: it is left out, and not asked by half. */
    memset(text, 'w', 40000);
    for (i = 1000; i < 40000; i += 1000)
        text[i] = ' ';
    EQ(8, add_query(bytes_of(text, 40000), QUERY_ALL, &b));
    buf_clear(&b);
    memset(text, 'w', 40000);
    EQ(1, add_query(bytes_of(text, 40000), QUERY_ALL, &b));
    EQ(8192 + 2, b.len);
    buf_release(&b);
}

/* ---- with an index ------------------------------------------------------ */

static struct db *open_words(void)
{
    struct db_config config = {.path = NULL, .access = DB_WRITE, .busy_ms = 0};
    struct db *db;

    OK(db_sqlite_open(&config, &db, &test_err));
    OK(db_exec(db,
               "CREATE VIRTUAL TABLE t USING fts5(title, body, "
               "tokenize='quire');"
               "CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)",
               &test_err));
    return db;
}

static int64_t run(struct db *db, const char *sql, quire_bytes value)
{
    struct stmt *s;
    int64_t n;
    bool row;

    OK(db_prepare(db, sql, &s, &test_err));
    if (value.data)
        stmt_bind_text(s, 1, value);
    OK(stmt_step(s, &row, &test_err));
    n = row ? stmt_column_int(s, 0) : 0;
    stmt_finalize(s);
    return n;
}

static int64_t found(struct db *db, quire_bytes text, enum query_mode mode)
{
    return run(db, "SELECT count(*) FROM t WHERE t MATCH ?1",
               bytes_str(query(text, mode)));
}

static void keep_only(struct db *db, quire_bytes text)
{
    OK(db_exec(db, "DELETE FROM t", &test_err));
    run(db, "INSERT INTO t(body) VALUES(?1)", text);
}

TEST(fulltext_finds_what_was_asked)
{
    static const struct {
        const char *text, *question;
        bool all, prefix, any;
    } cases[] = {
        {"see main.rs line 3", "main.rs", true, true, true},
        {"see main.rs line 3", "rs.main", false, false, false},
        {"see main.rs line 3", "3 see", true, true, true},
        {"see main.rs line 3", "see nothing", false, false, true},
        {"see main.rs line 3", "lin", false, true, false},
        {"see main.rs line 3", "\"rs line\"", true, true, true},
        {"see main.rs line 3", "\"rs li", false, true, false},
        {"the configuration", "conf", false, true, false},
        {"the configuration", "conf *", false, true, false},
        {"it's C++ (really)", "it's c++", true, true, true},
        {"rock AND roll", "rock AND roll", true, true, true},
        {"rock roll", "rock AND roll", true, true, true},
        {"a report-2024.csv b", "report-2024.csv", true, true, true},
        {"a report-2024.csv b", "report_2024", false, false, false},
        {"call parseHTTPHeader()", "parseHTTPHeader()", true, true, true},
        {"call parseHTTPHeader()", "header", true, true, true},
        {"call parseHTTPHeader()", "parsehttp", false, true, false},
        {"全文检索，很快", "检索 很", true, true, true},
        {"全文检索，很快", "检", true, true, true},
        {"全文检索，很快", "\xf0\x9f\x98\x80 全文", true, true, true},
        /* U+2E3A: no letter, and not known here as such */
        {"全文检索，很快", "\xe2\xb8\xba 全文", true, true, true},
        {"全文检索，很快", "全文 \xe2\xb8\xba 很快", true, true, true},
        {"plain", "\xe2\xb8\xba", false, false, false},
        {"title body", "title:body", true, true, true},
        {"body", "title:body", false, false, false},
        {"x", "-x", true, true, true},
    };
    struct db *db = open_words();
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        quire_bytes q = bytes_str(cases[i].question);

        keep_only(db, bytes_str(cases[i].text));
        if (found(db, q, QUERY_ALL) != cases[i].all ||
            found(db, q, QUERY_BEGINNING) != cases[i].prefix)
            printf("# %s in %s\n", cases[i].question, cases[i].text);
        EQ(cases[i].all, found(db, q, QUERY_ALL));
        EQ(cases[i].prefix, found(db, q, QUERY_BEGINNING));
        EQ(cases[i].any, found(db, q, QUERY_ANY));
    }
    db_close(db);
}

/* What fulltext.c takes for no letter, the index must not take for one: the
 * term would be dropped and its word could not be asked for. */
TEST(fulltext_drops_no_letter_of_any_script)
{
    struct db *db = open_words();
    struct buf all = BUF_INIT((size_t)8 << 20), out = BUF_INIT(MAX_OUT);
    uint32_t cp;
    char c[4];

    for (cp = 1; cp < 0x110000; cp++) {
        size_t len = utf8_encode(cp, c);

        if (add_query(bytes_of(c, len), QUERY_ALL, &out) == 0) {
            buf_add(&all, c, len);
            buf_add_char(&all, ' ');
        }
        buf_clear(&out);
    }
    NO(all.failed);
    YES(all.len > 5000);
    keep_only(db, buf_bytes(&all));
    EQ(0, run(db, "SELECT count(*) FROM v", bytes_of(NULL, 0)));
    buf_release(&all);
    buf_release(&out);
    db_close(db);
}

TEST(fulltext_of_any_bytes_is_an_expression)
{
    static const char odd[] = "\"'*^(){}:,+-\\ aB_7.\0\xff\xe4\xb8\xad";
    struct db *db = open_words();
    char text[512];
    uint8_t noise[512];
    uint64_t seed;
    size_t i;
    int mode;

    for (seed = 1; seed <= 300; seed++) {
        size_t len = (size_t)seed + 50;

        test_noise(seed, noise, len);
        for (i = 0; i < len; i++)
            text[i] = seed % 3 ? odd[noise[i] % (sizeof odd - 1)]
                               : (char)noise[i];
        keep_only(db, bytes_of(text, len));
        for (mode = QUERY_ALL; mode <= QUERY_ANY; mode++) {
            if (*query(bytes_of(text, len), (enum query_mode)mode))
                EQ(1, found(db, bytes_of(text, len), (enum query_mode)mode));
        }
    }
    db_close(db);
}

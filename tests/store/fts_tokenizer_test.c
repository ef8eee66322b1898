/* The tokenizer "quire", through tables of FTS5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "store/db.h"
#include "support/test.h"

static struct db *open_words(void)
{
    struct db_config config = {.path = NULL, .access = DB_WRITE, .busy_ms = 0};
    struct db *db;

    OK(db_sqlite_open(&config, &db, &test_err));
    OK(db_exec(db,
               "CREATE VIRTUAL TABLE t USING fts5(body, "
               "tokenize='quire');"
               "CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)",
               &test_err));
    return db;
}

static struct stmt *ask(struct db *db, const char *sql, quire_bytes value)
{
    struct stmt *s;
    bool row;

    OK(db_prepare(db, sql, &s, &test_err));
    if (value.data)
        stmt_bind_text(s, 1, value);
    OK(stmt_step(s, &row, &test_err));
    return s;
}

static void keep_only(struct db *db, quire_bytes text)
{
    struct stmt *s;

    OK(db_exec(db, "DELETE FROM t", &test_err));
    s = ask(db, "INSERT INTO t VALUES(?1)", text);
    stmt_finalize(s);
}

/* A string of FTS5, and how many documents have it. */
static int64_t found(struct db *db, const char *question, const char *more)
{
    char sql[1024];
    struct stmt *s;
    int64_t n;

    snprintf(sql, sizeof sql, "\"%s\"%s", question, more);
    s = ask(db, "SELECT count(*) FROM t WHERE t MATCH ?1", bytes_str(sql));
    n = stmt_column_int(s, 0);
    stmt_finalize(s);
    return n;
}

/* Every token and where it stands: "get getusername|user|name". */
static const char *tokens(struct db *db, const char *text)
{
    static char out[1024];
    struct stmt *s;
    int64_t before = -1;
    size_t len = 0;
    bool row;

    keep_only(db, bytes_str(text));
    OK(db_prepare(db, "SELECT offset, term FROM v ORDER BY 1, length(2)", &s,
                  &test_err));
    out[0] = '\0';
    for (;;) {
        quire_bytes term;

        OK(stmt_step(s, &row, &test_err));
        if (!row)
            break;
        term = stmt_column_bytes(s, 1);
        len += (size_t)snprintf(out + len, sizeof out - len, "%s%.*s",
                                before < 0                        ? ""
                                : before == stmt_column_int(s, 0) ? " "
                                                                  : "|",
                                (int)term.len, (const char *)term.data);
        before = stmt_column_int(s, 0);
    }
    stmt_finalize(s);
    return out;
}

TEST(words_of_a_document_stand_in_these_places)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"The quick, brown Fox", "the|quick|brown|fox"},
        {"snake_case", "snake snake_case|case"},
        {"getUserName", "get getusername|user|name"},
        {"HTTPServer", "http httpserver|server"},
        {"parseHTTPHeader2x", "parse parsehttpheader2x|http|header|2|x"},
        {"utf8", "utf utf8|8"},
        {"SCREAMING_SNAKE_9", "screaming screaming_snake_9|snake|9"},
        {"__init__", "__init__ init"},
        {"_private_name", "_private_name private private_name|name"},
        {"a__b", "a a__b|b"},
        {"___ _ x", "x"},
        {"URLs IDs NASA", "urls|ids|nasa"},
        {"XMLsFound", "xmls xmlsfound|found"},
        {"report-2024.csv", "report|2024|csv"},
        {"it's C++", "it|s|c"},
        {"x86_64", "x x86_64|86|64"},
        {"\xc3\x89"
         "cole caf\xc3\xa9Name CAF\xc3\x89",
         "ecole|cafe cafename|name|cafe"},
        {"get\xc3\x89"
         "cole",
         "get getecole|ecole"},
        {"приветМир", "привет приветмир|мир"},
        {"cafe\xcc\x81", "cafe"},
        {"中", "中"},
        {"中文", "中 中文|文"},
        {"全文检索", "全 全文|文 文检|检 检索|索"},
        {"中文，检索", "中 中文|文|检 检索|索"},
        {"utf8中文", "utf utf8|8|中 中文|文"},
        {"中_文", "中|文"},
        {"한국어 검색", "한 한국|국 국어|어|검 검색|색"},
        {"ｶﾀｶﾅ", "ｶ ｶﾀ|ﾀ ﾀｶ|ｶ ｶﾅ|ﾅ"},
        {"か\xe3\x82\x99き", "か\xe3\x82\x99 か\xe3\x82\x99き|き"},
        {"", ""},
        {"\xf0\x9f\x98\x80 ...", ""},
        {"done\xf0\x9f\xa4\x94\xf0\x9f\xa4\x94 \xee\x82\xb0main", "done|main"},
        {"\xf0\x9f\xa4\x94\xcc\x81", ""},
    };
    struct db *db = open_words();
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        SAME_TEXT(cases[i].want, tokens(db, cases[i].text));
    db_close(db);
}

TEST(words_are_found_by_what_they_are_made_of)
{
    static const struct {
        const char *text, *question;
        bool yes, prefix;
    } cases[] = {
        {"call snake_case here", "snake case", true, false},
        {"call snake_case here", "snake_case", true, false},
        {"call snake_case here", "case", true, false},
        {"call snake_case here", "SNAKE_CASE", true, false},
        {"call snake_case here", "call snake_case here", true, false},
        {"call snake_case here", "case here", true, false},
        {"call snake_case here", "case snake", false, false},
        {"call snake_case here", "nake", false, false},
        {"x getUserName y", "getusername", true, false},
        {"x getUserName y", "getUserName", true, false},
        {"x getUserName y", "user name", true, false},
        {"x getUserName y", "x getUserName y", true, false},
        {"x getUserName y", "getuser", false, false},
        {"x getUserName y", "getuser", true, true},
        {"x getUserName y", "x.getUs", true, true},
        {"x getUserName y", "na", true, true},
        {"see src/store/sqlite_words.c:12", "src/store/sqlite_words.c", true,
         false},
        {"see src/store/sqlite_words.c:12", "sqlite_words.c", true, false},
        {"see src/store/sqlite_words.c:12", "store/words", false, false},
        {"self.__init__(x)", "__init__", true, false},
        {"self.__init__(x)", "init", true, false},
        {"self.__init__(x)", "self.__init__", true, false},
        {"_private_name", "private_name", true, false},
        {"_private_name", "_private_name", true, false},
        {"utf8", "utf-8", true, false},
        {"UTF-8", "utf 8", true, false},
        {"le CAF\xc3\x89 noir", "le cafe noir", true, false},
        {"stra\xc3\x9f"
         "e na\xc3\xafve",
         "naive", true, false},
        {"全文检索引擎", "全", true, false},
        {"全文检索引擎", "检", true, false},
        {"全文检索引擎", "擎", true, false},
        {"全文检索引擎", "文检", true, false},
        {"全文检索引擎", "检索引", true, false},
        {"全文检索引擎", "文检索引擎", true, false},
        {"全文检索引擎", "全检", false, false},
        {"全文检索引擎", "引擎全", false, false},
        {"全文，检索。", "全文，检索", true, false},
        {"全文，检索。", "文 检", true, false},
        {"全文，检索。", "文检", false, false},
        {"使用SQLite全文检索", "用SQLite全文", true, false},
        {"使用SQLite全文检索", "sqlite", true, false},
        {"使用SQLite全文检索", "SQLite全", true, false},
        {"使用SQLite全文检索", "使用", true, false},
        {"哈哈哈", "哈哈", true, false},
        {"データベースを検索する", "データ", true, false},
        {"データベースを検索する", "ベース", true, false},
        {"データベースを検索する", "を検索", true, false},
        {"データベースを検索する", "タデ", false, false},
        {"한국어를 검색합니다", "한국어", true, false},
        {"한국어를 검색합니다", "국어", true, false},
        {"한국어를 검색합니다", "검색", true, false},
        {"한국어를 검색합니다", "를검", false, false},
        {"ㄅㄆㄇ", "ㄆㄇ", true, false},
        {"\xf0\xa0\x80\x80\xf0\xa0\x80\x81\xf0\xa0\x80\x82",
         "\xf0\xa0\x80\x81\xf0\xa0\x80\x82", true, false},
        {"全文检索", "文检", true, true},
        {"broken \xe4\xb8 bytes\xff"
         "here",
         "bytes here", true, false},
    };
    struct db *db = open_words();
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t n;

        keep_only(db, bytes_str(cases[i].text));
        n = found(db, cases[i].question, cases[i].prefix ? " *" : "");
        if (n != cases[i].yes)
            printf("# %s in %s\n", cases[i].question, cases[i].text);
        EQ(cases[i].yes, n);
    }
    db_close(db);
}

TEST(words_are_marked_where_they_stand)
{
    static const struct {
        const char *text, *question, *want;
    } cases[] = {
        {"a getUserName b", "\"user\"", "a get[User]Name b"},
        {"a snake_case b", "\"case b\"", "a snake_[case b]"},
        {"a __init__ b", "\"init\"", "a __[init]__ b"},
        {"a __init__ b", "\"__init__\"", "a __[init]__ b"},
        {"call HTTPServer", "\"server\" \"call\"", "[call] HTTP[Server]"},
        {"全文检索引擎", "\"检索\"", "全文[检索]引擎"},
        {"全文检索引擎", "\"检索引擎\"", "全文[检索引擎]"},
        {"全文检索引擎", "\"文\"", "全[文]检索引擎"},
        {"哈哈哈哈", "\"哈哈\"", "[哈哈哈哈]"},
        {"数据库存储", "\"数据库\" \"库存\"", "[数据库存]储"},
        {"用SQLite全文", "\"SQLite全\"", "用[SQLite全]文"},
        {"caf\xc3\xa9 noir", "\"CAFE\"", "[caf\xc3\xa9] noir"},
    };
    struct db *db = open_words();
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stmt *s;

        keep_only(db, bytes_str(cases[i].text));
        s = ask(db,
                "SELECT highlight(t, 0, '[', ']'), bm25(t), "
                "snippet(t, 0, '[', ']', '...', 64) FROM t WHERE t MATCH ?1",
                bytes_str(cases[i].question));
        SAME(bytes_str(cases[i].want), stmt_column_bytes(s, 0));
        SAME(bytes_str(cases[i].want), stmt_column_bytes(s, 2));
        stmt_finalize(s);
    }
    db_close(db);
}

static int64_t count_tokens(struct db *db)
{
    struct stmt *s = ask(db, "SELECT count(*) FROM v", bytes_of(NULL, 0));
    int64_t n = stmt_column_int(s, 0);

    stmt_finalize(s);
    return n;
}

TEST(words_that_are_too_long_are_kept_by_their_beginning)
{
    struct db *db = open_words();
    size_t len = (size_t)1 << 20, i;
    char *text = test_alloc(len + 1), word[129];

    for (i = 0; i < len; i++)
        text[i] = "aB3_"[i % 4];
    text[len] = '\0';
    keep_only(db, bytes_of(text, len));
    EQ(1, count_tokens(db));
    memcpy(word, text, 128);
    word[128] = '\0';
    EQ(1, found(db, word, ""));
    EQ(1, found(db, "ab3_ab", " *"));
    EQ(0, found(db, "ab", ""));

    /* The cut goes around a character: 127 bytes and one of two. */
    memset(text, 'a', 127);
    memcpy(text + 127, "\xc3\xa9tail", 7);
    keep_only(db, bytes_str(text));
    memset(word, 'a', 127);
    word[127] = '\0';
    EQ(1, found(db, word, ""));
    db_close(db);
}

TEST(words_of_too_many_parts_are_found_whole)
{
    struct db *db = open_words();
    const char *hash = "1a2b3c4d5e6f7a8b9c0d";

    SAME_TEXT(hash, tokens(db, hash));
    EQ(1, found(db, hash, ""));
    keep_only(db, bytes_str("a_b_c_d_e_f_g_h_i_j_k_l_m_n_o_p"));
    EQ(17, count_tokens(db));
    keep_only(db, bytes_str("a_b_c_d_e_f_g_h_i_j_k_l_m_n_o_p_q"));
    EQ(1, count_tokens(db));
    db_close(db);
}

/* Chinese has no spaces to be found: a long stretch of it is no long word. */
TEST(words_of_a_long_chinese_text_are_found_to_its_end)
{
    struct db *db = open_words();
    char *text = test_alloc(30000 + 7);
    size_t i;

    for (i = 0; i < 10000; i++)
        utf8_encode(0x4e00 + (uint32_t)i, text + 3 * i);
    memcpy(text + 30000, "终点", 6);
    keep_only(db, bytes_of(text, 30006));
    EQ(1, found(db, "终点", ""));
    db_close(db);
}

TEST(words_of_any_bytes_are_no_error)
{
    struct db *db = open_words();
    char *text = test_alloc(4097);
    uint64_t seed;
    struct stmt *s;

    for (seed = 1; seed <= 200; seed++) {
        size_t len = (size_t)seed * 20;

        test_noise(seed, text, len);
        keep_only(db, bytes_of(text, len));
        s = ask(db, "INSERT INTO t(t) VALUES('integrity-check')",
                bytes_of(NULL, 0));
        stmt_finalize(s);
    }
    keep_only(db, bytes_of("a\0b_c\0", 6));
    EQ(1, found(db, "b_c", ""));
    db_close(db);
}

TEST(words_take_no_options)
{
    struct db *db = open_words();

    IS(QUIRE_IO, db_exec(db,
                         "CREATE VIRTUAL TABLE u USING fts5(b, "
                         "tokenize='quire more')",
                         &test_err));
    db_close(db);
}

/* Each allocation of SQLite fails once, from opening to asking. */
TEST(words_survive_every_lack_of_memory)
{
    struct db_config config = {.path = NULL, .access = DB_WRITE, .busy_ms = 0};
    quire_status st;
    long n;

    for (n = 1;; n++) {
        struct db *db = NULL;

        sqlite_faults(true);
        fault_arm(n, 12, false);
        st = db_sqlite_open(&config, &db, &test_err);
        if (!st)
            st = db_exec(
                db,
                "CREATE VIRTUAL TABLE t USING fts5(b, tokenize='quire');"
                "INSERT INTO t VALUES('getUser_Name caf\xc3\xa9Name 全文检索');"
                "SELECT highlight(t, 0, '[', ']') FROM t('全文 user')",
                &test_err);
        if (db)
            db_close(db);
        sqlite_faults(false);
        if (!fault_disarm())
            break;
        YES(st == QUIRE_OK || st == QUIRE_NO_MEMORY || st == QUIRE_IO);
    }
    OK(st);
    YES(n > 50);
}

/*
 * The promises of search/index.h, over every backend, bare and behind a wrapper;
 * and what FTS5 finds is what the specification in memory finds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "search/fts5.h"
#include "search/index.h"
#include "search/intercept.h"
#include "support/test.h"

enum { TENANT = 7, HITS_MAX = 512 };

static const struct fulltext_kind files = {
    .name = "files",
    .columns = {{"path", 8}, {"body", 1}},
    .n_columns = 2,
    .scoped = true,
    .prefixes = true,
    .ranking = FULLTEXT_BY_PLACE,
};

static const struct fulltext_kind notes = {
    .name = "notes",
    .columns = {{"title", 10}, {"body", 4}},
    .n_columns = 2,
    .ranking = FULLTEXT_BY_BM25,
};

static struct fault idle;

/* ---- backends ----------------------------------------------------------- */

struct opened {
    struct fulltext *x;
    struct db *db; /* owned; NULL: it has none of its own */
};

static struct opened open_db(const char *path, const struct fulltext_kind *kind)
{
    struct db_config config = {.path = path, .access = DB_WRITE};
    struct opened o;

    OK(db_sqlite_open(&config, &o.db, &test_err));
    OK(fulltext_open(o.db, kind, TENANT, &o.x, &test_err));
    return o;
}

static struct opened open_fts5(const struct fulltext_kind *kind)
{
    return open_db(NULL, kind);
}

static struct opened open_fts5_file(const struct fulltext_kind *kind)
{
    return open_db(test_path("t.db"), kind);
}

static struct opened open_memory(const struct fulltext_kind *kind)
{
    struct opened o = {.db = NULL};

    OK(fulltext_memory_open(kind, &o.x, &test_err));
    return o;
}

static struct opened open_tapped(const struct fulltext_kind *kind)
{
    struct opened o = open_db(NULL, kind);

    OK(fulltext_intercept(o.x, fault_hook(&idle), &o.x, &test_err));
    return o;
}

static void close_index(struct opened *o)
{
    fulltext_close(o->x);
    db_close(o->db);
}

static struct opened (*const backends[])(const struct fulltext_kind *kind) = {
    open_fts5,
    open_fts5_file,
    open_memory,
    open_tapped,
};

static void over_all(const struct fulltext_kind *kind,
                     void (*body)(struct fulltext *x))
{
    size_t i;

    for (i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct opened o = backends[i](kind);

        OK(fulltext_create(o.x, &test_err));
        body(o.x);
        close_index(&o);
        test_forget_dir();
    }
}

/* ---- documents and queries ---------------------------------------------- */

static struct fulltext_document document(int64_t id, const char *first,
                                         const char *second, int64_t scope)
{
    return (struct fulltext_document){
        .id = id,
        .texts = {bytes_str(first), bytes_str(second)},
        .scope = scope,
    };
}

static void add(struct fulltext *x, int64_t id, const char *first,
                const char *second, int64_t scope)
{
    struct fulltext_document d = document(id, first, second, scope);

    OK(fulltext_add(x, &d, &test_err));
}

static struct arena keep = ARENA_INIT; /* trees of one test */

static struct query *leaf(const char *text, bool prefix)
{
    quire_bytes term = bytes_str(text);
    struct query *q = query_words(&term, 1, prefix, &keep);

    YES(q != NULL);
    return q;
}

/* A small language for trees, so that a case fits a line: 'word words',
 * 'begin*', and (op a b …) with op &, |, - or ~ (NEAR, within 2). */
static struct query *tree(const char **at);

static struct query *tree_leaf(const char **at)
{
    char text[256];
    size_t n = 0;
    bool prefix;

    for (++*at; **at != '\''; ++*at)
        text[n++] = **at;
    ++*at;
    prefix = n > 0 && text[n - 1] == '*';
    text[n - prefix] = '\0';
    return leaf(text, prefix);
}

static struct query *tree(const char **at)
{
    static const char ops[] = "&|-~";
    static const enum query_op kinds[] = {QUERY_AND, QUERY_OR, QUERY_NOT,
                                          QUERY_NEAR};
    struct query *q;

    if (**at == '\'')
        return tree_leaf(at);
    q = query_new(kinds[strchr(ops, (*at)[1]) - ops], &keep);
    q->reach = 2;
    for (*at += 2; **at != ')';) {
        if (**at == ' ')
            ++*at;
        else
            YES(query_add(q, tree(at)));
    }
    ++*at;
    return q;
}

static struct query *read_tree(const char *text)
{
    struct query *q = tree(&text);

    EQ('\0', *text);
    return q;
}

static size_t hits_of(struct fulltext *x, const struct fulltext_find *f,
                      struct fulltext_hit *hits)
{
    size_t n = 0, some = 3;

    OK(fulltext_find(x, f, &test_err));
    while (some == 3) { /* a few at a time */
        YES(n + 3 <= HITS_MAX);
        OK(fulltext_fetch(x, hits + n, 3, &some, &test_err));
        n += some;
    }
    return n;
}

/* The ids of hits: "3 1". */
static const char *found(struct fulltext *x, const struct fulltext_find *f)
{
    struct fulltext_hit hits[HITS_MAX];
    size_t n = hits_of(x, f, hits), i, len = 0;
    char *out = test_alloc(4096);

    out[0] = '\0';
    for (i = 0; i < n; i++)
        len += (size_t)snprintf(out + len, 4096 - len, i ? " %lld" : "%lld",
                                (long long)hits[i].id);
    return out;
}

static void finds(struct fulltext *x, const char *ids, const char *text)
{
    struct fulltext_find f = {.query = read_tree(text), .newest_first = true};
    const char *got = found(x, &f);

    if (strcmp(ids, got))
        printf("# %s\n", text);
    SAME_TEXT(ids, got);
}

/* ---- the index ---------------------------------------------------------- */

TEST(index_is_there_from_create_to_drop)
{
    size_t i;

    for (i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct opened o = backends[i](&notes);
        bool there = true;

        OK(fulltext_exists(o.x, &there, &test_err));
        NO(there);
        OK(fulltext_drop(o.x, &test_err)); /* there is nothing to drop */
        OK(fulltext_create(o.x, &test_err));
        OK(fulltext_exists(o.x, &there, &test_err));
        YES(there);
        add(o.x, 1, "walrus", "", 0);
        finds(o.x, "1", "'walrus'");
        OK(fulltext_drop(o.x, &test_err));
        OK(fulltext_exists(o.x, &there, &test_err));
        NO(there);
        OK(fulltext_create(o.x, &test_err));
        finds(o.x, "", "'walrus'");
        close_index(&o);
        test_forget_dir();
    }
    arena_release(&keep);
}

TEST(index_in_a_file_is_there_after_closing)
{
    struct opened o = open_fts5_file(&notes);

    OK(fulltext_create(o.x, &test_err));
    add(o.x, 1, "walrus", "", 0);
    close_index(&o);
    o = open_fts5_file(&notes);
    finds(o.x, "1", "'walrus'");
    close_index(&o);
    arena_release(&keep);
}

TEST(index_takes_part_in_transactions)
{
    struct opened o = open_fts5(&notes);

    OK(fulltext_create(o.x, &test_err));
    add(o.x, 1, "walrus", "", 0);
    OK(db_begin(o.db, DB_SOON, DB_ALL_TENANTS, &test_err));
    add(o.x, 2, "walrus", "", 0);
    finds(o.x, "2 1", "'walrus'");
    db_rollback(o.db);
    finds(o.x, "1", "'walrus'");
    close_index(&o);
    arena_release(&keep);
}

TEST(a_temporary_index_is_created_empty)
{
    struct fulltext *x;

    OK(fulltext_open_temporary(&files, TENANT, &x, &test_err));
    finds(x, "", "'walrus'");
    fulltext_close(x);
    OK(fulltext_open_temporary(&files, TENANT, &x, &test_err));
    add(x, 1, "walrus", "", 3);
    add(x, 2, "seal", "walrus", 3);
    finds(x, "2 1", "'walrus'");
    fulltext_close(x);
    arena_release(&keep);
}

/* ---- queries ------------------------------------------------------------ */

static void queries(struct fulltext *x)
{
    static const struct {
        const char *tree, *ids;
    } cases[] = {
        {"'walrus'", "5 2 1"},
        {"'WALRUS'", "5 2 1"},
        {"'walrus seal'", "1"},
        {"'seal walrus'", ""},
        {"'wal*'", "5 2 1"},
        {"'walrus se*'", "1"},
        {"'wal'", ""},
        {"(& 'walrus' 'otter')", "2"},
        {"(& 'walrus' '')", "5 2 1"},
        {"(& '' '!')", ""},
        {"(| 'seal' 'otter')", "2 1"},
        {"(| 'seal' '')", "1"},
        {"''", ""},
        {"(- 'walrus' 'seal')", "5 2"},
        {"(- 'walrus' '')", "5 2 1"},
        {"(- '' 'walrus')", ""},
        {"(- (& 'walrus' 'otter') (| 'seal' 'ice'))", "2"},
        {"(| (& 'walrus' 'otter') (- 'walrus' 'otter'))", "5 2 1"},
        {"(& 'walrus' (| 'seal' 'otter'))", "2 1"},
        {"(& '' (| 'seal' 'otter'))", ""},
        {"(& (- 'walrus' 'seal') 'otter')", "2"},
        {"(~ 'walrus' 'ice')", "5"},
        {"(~ 'ice' 'walrus')", "5"},
        {"(~ 'walrus' 'north')", ""},
        {"(~ 'on thin' 'walrus')", "5"},
        {"(~ 'walrus' 'i*')", "5"},
        {"(~ 'walrus' '')", "5 2 1"},
        {"(| (~ 'walrus' 'ice') 'otter')", "5 2"},
        {"'getUserName'", "3"},
        {"'user name'", "3"},
        {"'getusername'", "3"},
        {"'username'", ""},
        {"'snake_case'", "3"},
        {"'case'", "3"},
        {"'report-2024.csv'", "3"},
        {"'2024'", "3"},
        {"'\xe5\x85\xa8\xe6\x96\x87'", "4"},         /* 全文 */
        {"'\xe6\x96\x87\xe6\xa3\x80'", "4"},         /* 文检 */
        {"'\xe6\xa3\x80'", "4"},                     /* 检   */
        {"'\xe6\xa3\x80\xe6\x96\x87'", ""},          /* 检文 */
        {"(& '\xe5\x85\xa8*' '\xe7\xb4\xa2')", "4"}, /* 全* 索 */
        {"'caf\xc3\xa9'", "4"},                      /* café */
        {"'cafe'", "4"},
        {"'\"'", ""},
    };
    size_t i;

    add(x, 1, "walrus seal", "", 1);
    add(x, 2, "x", "an otter and a walrus", 1);
    add(x, 3, "report-2024.csv", "getUserName() of snake_case", 1);
    add(x, 4, "",
        "\xe5\x85\xa8\xe6\x96\x87\xe6\xa3\x80\xe7\xb4\xa2 caf\xc3\xa9", 1);
    add(x, 5, "north", "a walrus on thin ice", 1);
    add(x, 6, "", "", 1);
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        finds(x, cases[i].ids, cases[i].tree);
}

TEST(index_finds_words_phrases_prefixes_and_what_joins_them)
{
    over_all(&notes, queries);
    over_all(&files, queries);
    arena_release(&keep);
}

static void bytes_of_any_kind(struct fulltext *x)
{
    struct fulltext_document d = {.id = 1,
                                  .texts = {bytes_of("a\0walrus \xff\xfe seal",
                                                     17),
                                            bytes_of(NULL, 0)}};

    OK(fulltext_add(x, &d, &test_err));
    finds(x, "1", "'seal'");
    OK(fulltext_remove(x, &d, &test_err));
    finds(x, "", "'seal'");
}

TEST(index_takes_any_bytes)
{
    over_all(&notes, bytes_of_any_kind);
    arena_release(&keep);
}

static void removal(struct fulltext *x)
{
    struct fulltext_document d = document(2, "walrus", "otter", 5);

    add(x, 1, "walrus", "", 5);
    OK(fulltext_add(x, &d, &test_err));
    finds(x, "2 1", "'walrus'");
    OK(fulltext_remove(x, &d, &test_err));
    finds(x, "1", "'walrus'");
    finds(x, "", "'otter'");
    d = document(2, "seal", "", 5);
    OK(fulltext_add(x, &d, &test_err));
    finds(x, "1", "'walrus'");
    finds(x, "2", "'seal'");
}

TEST(index_forgets_what_was_removed)
{
    over_all(&notes, removal);
    over_all(&files, removal);
    arena_release(&keep);
}

static void scopes(struct fulltext *x)
{
    struct fulltext_find f = {.query = read_tree("'walrus'"),
                              .newest_first = true};

    add(x, 1, "walrus", "", 1);
    add(x, 2, "walrus", "", 12);
    add(x, 3, "walrus", "", 1);
    add(x, 4, "walrus", "", -1);
    SAME_TEXT("4 3 2 1", found(x, &f));
    f.scope = 1;
    SAME_TEXT("3 1", found(x, &f));
    f.scope = 12;
    SAME_TEXT("2", found(x, &f));
    f.scope = -1;
    SAME_TEXT("4", found(x, &f));
    f.scope = 2;
    SAME_TEXT("", found(x, &f));
    /* The word of a scope is not a word of the document. */
    finds(x, "", "'scopeb'");
    f = (struct fulltext_find){.query = read_tree("(| 'walrus' 'scopeb')"),
                               .scope = 12};
    SAME_TEXT("2", found(x, &f));
}

TEST(index_keeps_a_query_within_its_scope)
{
    over_all(&files, scopes);
    arena_release(&keep);
}

static void bounds(struct fulltext *x)
{
    static const int64_t also[] = {1, 2, 5};
    struct fulltext_find f = {.query = read_tree("'walrus'"),
                              .newest_first = true};
    struct fulltext_hit hit;
    int64_t id;
    size_t n;

    for (id = 1; id <= 9; id++)
        add(x, id, id == 2 ? "seal" : "walrus", "", 1);
    SAME_TEXT("9 8 7 6 5 4 3 1", found(x, &f));
    f.above = 6;
    SAME_TEXT("9 8 7", found(x, &f));
    f.also = also;
    f.n_also = 3;
    SAME_TEXT("9 8 7 5 1", found(x, &f));
    f.limit = 2;
    SAME_TEXT("9 8", found(x, &f));
    f.skip = 2;
    SAME_TEXT("7 5", found(x, &f));
    f.limit = 0;
    SAME_TEXT("7 5 1", found(x, &f));
    f.skip = 5;
    SAME_TEXT("", found(x, &f));
    f = (struct fulltext_find){.query = f.query, .above = 9};
    SAME_TEXT("", found(x, &f));

    /* A query replaces another; without one there are no hits. */
    f.above = 0;
    OK(fulltext_find(x, &f, &test_err));
    OK(fulltext_fetch(x, &hit, 1, &n, &test_err));
    EQ(1, n);
    fulltext_end(x);
    OK(fulltext_fetch(x, &hit, 1, &n, &test_err));
    EQ(0, n);
    fulltext_end(x);
    f.query = NULL;
    SAME_TEXT("", found(x, &f));
}

TEST(index_returns_ids_above_a_bound_and_some_below_it)
{
    over_all(&notes, bounds);
    over_all(&files, bounds);
    arena_release(&keep);
}

static void by_place(struct fulltext *x)
{
    struct fulltext_find f = {.query = read_tree("(| 'walrus' 'seal')"),
                              .newest_first = true,
                              .scored = true,
                              .phrases = true};
    struct fulltext_hit hits[HITS_MAX];

    add(x, 1, "walrus", "seal seal", 1);
    add(x, 2, "x", "walrus walrus walrus", 1);
    EQ(2, hits_of(x, &f, hits));
    EQ(1790, hits[0].score);
    EQ(1, hits[0].phrases);
    EQ(8 * 1000 + 1500, hits[1].score);
    EQ(3, hits[1].phrases);
    f.scope = 1;
    EQ(2, hits_of(x, &f, hits));
    EQ(1790, hits[0].score);
    EQ(1, hits[0].phrases);
    f.scored = f.phrases = false;
    EQ(2, hits_of(x, &f, hits));
    EQ(0, hits[0].score);
    EQ(0, hits[0].phrases);
}

TEST(index_scores_by_place)
{
    over_all(&files, by_place);
    arena_release(&keep);
}

TEST(a_native_expression_is_of_one_backend_only)
{
    struct opened o = open_fts5(&files);
    struct fulltext_find f = {.scope = 1, .newest_first = true};
    struct fulltext_hit hits[4];
    size_t n;

    OK(fulltext_create(o.x, &test_err));
    add(o.x, 1, "walrus", "", 1);
    add(o.x, 2, "x", "walrus", 1);
    add(o.x, 3, "walrus", "", 2);
    OK(fulltext_find_native(o.x, bytes_str("path : walrus"), &f, &test_err));
    OK(fulltext_fetch(o.x, hits, 4, &n, &test_err));
    EQ(1, n);
    EQ(1, hits[0].id);
    OK(fulltext_find_native(o.x, bytes_str("x OR walrus"), &f, &test_err));
    OK(fulltext_fetch(o.x, hits, 4, &n, &test_err));
    EQ(2, n);
    OK(fulltext_find_native(o.x, bytes_str("walrus AND"), &f, &test_err));
    IS(QUIRE_INVALID, fulltext_fetch(o.x, hits, 4, &n, &test_err));
    fulltext_end(o.x);
    finds(o.x, "3 2 1", "'walrus'");
    close_index(&o);

    o = open_memory(&files);
    OK(fulltext_create(o.x, &test_err));
    IS(QUIRE_INVALID,
       fulltext_find_native(o.x, bytes_str("walrus"), &f, &test_err));
    close_index(&o);
    arena_release(&keep);
}

/* ---- statistics and comparison ------------------------------------------ */

static quire_status note_id(void *ctx, int64_t id, quire_error *err)
{
    (void)err;
    *(int64_t *)ctx = *(int64_t *)ctx * 10 + id;
    return id == 7 ? QUIRE_STOPPED : QUIRE_OK;
}

static void statistics(struct fulltext *x)
{
    struct fulltext_document gone = document(3, "otter", "", 1);
    struct fulltext_stats stats;
    int64_t ids = 0;
    uint64_t n;

    OK(fulltext_stats(x, &stats, &test_err));
    EQ(0, stats.n_documents);
    add(x, 5, "walrus seal", "getUserName", 1);
    add(x, 2, "walrus", "\xe5\x85\xa8\xe6\x96\x87", 1);
    OK(fulltext_add(x, &gone, &test_err));
    OK(fulltext_remove(x, &gone, &test_err));
    OK(fulltext_stats(x, &stats, &test_err));
    EQ(2, stats.n_documents);
    EQ(3, stats.n_words[0]);
    EQ(5, stats.n_words[1]);
    EQ(0, stats.n_words[2]);
    OK(fulltext_frequency(x, leaf("walrus", false), &n, &test_err));
    EQ(2, n);
    OK(fulltext_frequency(x, leaf("walrus seal", false), &n, &test_err));
    EQ(1, n);
    OK(fulltext_frequency(x, leaf("otter", false), &n, &test_err));
    EQ(0, n);
    OK(fulltext_each_id(x, note_id, &ids, &test_err));
    EQ(25, ids);
    add(x, 7, "", "", 1);
    add(x, 8, "", "", 1);
    ids = 0;
    IS(QUIRE_STOPPED, fulltext_each_id(x, note_id, &ids, &test_err));
    EQ(257, ids);
}

TEST(index_counts_documents_and_words)
{
    over_all(&notes, statistics);
    over_all(&files, statistics);
    arena_release(&keep);
}

static void includes(const struct fulltext_kind *kind, struct opened *a,
                     struct opened *b)
{
    bool same = false;

    OK(fulltext_create(a->x, &test_err));
    OK(fulltext_create(b->x, &test_err));
    OK(fulltext_includes(a->x, b->x, &same, &test_err));
    YES(same);
    add(a->x, 1, "walrus", "on ice", 1);
    add(a->x, 2, "seal", "", 1);
    add(b->x, 1, "walrus", "on ice", 1);
    OK(fulltext_includes(a->x, b->x, &same, &test_err));
    YES(same);
    OK(fulltext_includes(b->x, a->x, &same, &test_err));
    NO(same);
    add(b->x, 2, "seals", "", 1);
    OK(fulltext_includes(a->x, b->x, &same, &test_err));
    NO(same);
    (void)kind;
}

TEST(index_is_compared_word_by_word)
{
    size_t i;

    for (i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct opened a = backends[i](&files), b;

        b = i == 1 ? open_fts5(&files) : backends[i](&files);
        includes(&files, &a, &b);
        close_index(&a);
        close_index(&b);
        test_forget_dir();
    }
    arena_release(&keep);
}

/* ---- generated ---------------------------------------------------------- */

static const char *const vocabulary[] = {
    "walrus",
    "seal",
    "otter",
    "ice",
    "getUserName",
    "config",
    "walruses",
    "get_user_name",
    "HTTPServer2",
    "snake_case",
    "report-2024.csv",
    "C++",
    "caf\xc3\xa9",
    "\xe5\x85\xa8\xe6\x96\x87\xe6\xa3\x80\xe7\xb4\xa2",
    "\xe6\x96\x87\xe6\x9c\xac",
    "\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4",
    "configuration",
    "_x_",
    "\xf0\x9f\x98\x80",
    "...",
};

static uint64_t state;

static size_t any(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 11) % n;
}

enum { N_VOCABULARY = sizeof vocabulary / sizeof *vocabulary };

/* The last two are not words. A query that is scored has none of them. */
static size_t n_vocabulary;

static const char *any_word(void)
{
    return vocabulary[any(n_vocabulary)];
}

static const char *any_text(size_t n)
{
    char *out = test_alloc(n * 24 + 1);
    size_t len = 0;

    out[0] = '\0';
    while (n-- > 0)
        len += (size_t)sprintf(out + len, "%s%s", any_word(),
                               any(5) ? " " : "");
    return out;
}

static struct query *any_leaf(void)
{
    char text[64];
    size_t len;

    if (any(3) == 0)
        return leaf(any_text(1 + any(3)), any(4) == 0);
    snprintf(text, sizeof text, "%s", any_word());
    len = strlen(text);
    if (any(3) == 0 && len > 3 && !((unsigned char)text[len - 2] & 0x80))
        text[len - 1 - any(2)] = '\0';
    return leaf(text, any(3) == 0);
}

/* The first words of the vocabulary are one token each. */
static struct query *any_single(void)
{
    return leaf(vocabulary[any(7)], any(3) == 0);
}

/* `root`: below another operator FTS5 may count phrases of NEAR that are not
 * near, if they have several words (search/fts5.h). */
static struct query *any_tree(int depth, bool root)
{
    static const enum query_op kinds[] = {QUERY_AND, QUERY_OR, QUERY_NOT,
                                          QUERY_NEAR, QUERY_OR};
    struct query *q;
    size_t i, n = 2 + any(2);

    if (depth == 0 || any(4) == 0)
        return any_leaf();
    q = query_new(kinds[any(5)], &keep);
    q->reach = (int)any(6);
    for (i = 0; i < (q->op == QUERY_NOT ? 2 : n); i++)
        YES(query_add(q, q->op != QUERY_NEAR ? any_tree(depth - 1, false)
                         : root              ? any_leaf()
                                             : any_single()));
    return q;
}

static bool close_to(double a, double b)
{
    double d = a - b;

    return d < 1e-9 && d > -1e-9;
}

/* The bits of a mask that are set in `of`, close together. */
static uint64_t squeeze(uint64_t mask, uint64_t of)
{
    uint64_t out = 0;
    int bit, n = 0;

    for (bit = 0; bit < 64; bit++) {
        if (of >> bit & 1)
            out |= (mask >> bit & 1) << n++;
    }
    return out;
}

/* Which leaves have bits is left to the backend. */
static void squeeze_phrases(struct fulltext_hit *hits, size_t n)
{
    uint64_t all = 0;
    size_t i;

    for (i = 0; i < n; i++)
        all |= hits[i].phrases;
    for (i = 0; i < n; i++)
        hits[i].phrases = squeeze(hits[i].phrases, all);
}

static void show(const struct query *q, const struct fulltext_hit *a,
                 const struct fulltext_hit *b)
{
    struct buf text = BUF_INIT(1 << 16);

    fts5_expression(q, &text);
    printf("# %s: %lld %.12f %llx, specified %lld %.12f %llx\n",
           buf_text(&text), (long long)a->id, a->score,
           (unsigned long long)a->phrases, (long long)b->id, b->score,
           (unsigned long long)b->phrases);
    buf_release(&text);
}

static bool has_prefix(const struct query *q)
{
    if (q->prefix)
        return true;
    for (q = q->first; q; q = q->next) {
        if (has_prefix(q))
            return true;
    }
    return false;
}

/* Whether FTS5 scores a query as it is specified (search/fts5.h). */
static bool is_scored_alike(const struct query *q, int depth)
{
    if ((q->op == QUERY_NOT && depth > 0) ||
        (q->op != QUERY_WORDS && depth > 1))
        return false;
    for (q = q->first; q; q = q->next) {
        if (!is_scored_alike(q, depth + 1))
            return false;
    }
    return true;
}

static void compare(struct fulltext *x, struct fulltext *y,
                    const struct fulltext_find *f, bool prefixes)
{
    static struct fulltext_hit a[HITS_MAX], b[HITS_MAX];
    size_t n = hits_of(x, f, a), i;

    EQ(n, hits_of(y, f, b));
    squeeze_phrases(a, n);
    squeeze_phrases(b, n);
    for (i = 0; i < n; i++) {
        /* Two words of one place may count twice for a prefix. */
        if (prefixes && has_prefix(f->query))
            a[i].score = b[i].score;
        if (!is_scored_alike(f->query, 0)) {
            a[i].score = b[i].score;
            a[i].phrases = b[i].phrases;
        }
    }
    for (i = 0; i < n; i++) {
        if (a[i].id != b[i].id || !close_to(a[i].score, b[i].score) ||
            a[i].phrases != b[i].phrases)
            show(f->query, &a[i], &b[i]);
        EQ(b[i].id, a[i].id);
        YES(close_to(a[i].score, b[i].score));
        EQ(b[i].phrases, a[i].phrases);
    }
}

static void generate(const struct fulltext_kind *kind)
{
    struct opened a = open_fts5(kind), b = open_memory(kind);
    struct fulltext_document docs[120];
    size_t i, n = sizeof docs / sizeof *docs, found_any = 0;
    struct fulltext_hit hits[HITS_MAX];
    int64_t also[8];

    OK(fulltext_create(a.x, &test_err));
    OK(fulltext_create(b.x, &test_err));
    n_vocabulary = N_VOCABULARY;
    for (i = 0; i < n; i++) {
        docs[i] = document((int64_t)(2 * i + 1), any_text(any(4)),
                           any_text(any(25)), (int64_t)any(3) + 1);
        OK(fulltext_add(a.x, &docs[i], &test_err));
        OK(fulltext_add(b.x, &docs[i], &test_err));
    }
    for (i = 0; i < n; i += 3) {
        OK(fulltext_remove(a.x, &docs[i], &test_err));
        OK(fulltext_remove(b.x, &docs[i], &test_err));
    }
    for (i = 0; i < 600; i++) {
        struct fulltext_find f = {.newest_first = true,
                                  .scored = any(4) > 0,
                                  .phrases = any(2) > 0};
        size_t k;

        n_vocabulary = N_VOCABULARY - (f.scored || f.phrases ? 2 : 0);
        f.query = any_tree((int)any(4), true);
        f.scope = kind->scoped && any(3) == 0 ? (int64_t)any(3) + 1 : 0;
        f.above = any(3) ? 0 : (int64_t)any(2 * n);
        f.skip = any(4) ? 0 : any(10);
        f.limit = any(4) ? 0 : any(10);
        f.n_also = f.above > 50 && any(2) ? 8 : 0;
        for (k = 0; k < 8; k++)
            also[k] = (int64_t)(6 * k + 1 + any(6));
        f.also = also;
        compare(a.x, b.x, &f, kind->prefixes);
        found_any += hits_of(b.x, &f, hits) > 0;
    }
    YES(found_any > 200);
    close_index(&a);
    close_index(&b);
}

TEST(what_is_found_is_what_the_specification_finds)
{
    uint64_t seed;

    for (seed = 1; seed <= 6; seed++) {
        state = seed * 0x9e3779b97f4a7c15u;
        generate(seed % 2 ? &files : &notes);
        arena_release(&keep);
    }
}

/* ---- faults ------------------------------------------------------------- */

/* One call of each slot; the status of the first that fails. */
static quire_status use_all(struct fulltext *x)
{
    struct fulltext_document d = document(1, "walrus", "", 1);
    struct fulltext_find f = {.query = read_tree("'walrus'")};
    struct fulltext_stats stats;
    struct fulltext_hit hit;
    uint64_t count;
    int64_t ids = 0;
    bool yes;
    size_t n;
    quire_status st = fulltext_exists(x, &yes, NULL);

    if (!st)
        st = fulltext_create(x, NULL);
    if (!st)
        st = fulltext_add(x, &d, NULL);
    if (!st)
        st = fulltext_find(x, &f, NULL);
    if (!st)
        st = fulltext_fetch(x, &hit, 1, &n, NULL);
    fulltext_end(x);
    if (!st)
        st = fulltext_find_native(x, bytes_str("walrus"), &f, NULL);
    fulltext_end(x);
    if (!st)
        st = fulltext_stats(x, &stats, NULL);
    if (!st)
        st = fulltext_frequency(x, f.query, &count, NULL);
    if (!st)
        st = fulltext_each_id(x, note_id, &ids, NULL);
    if (!st)
        st = fulltext_includes(x, x, &yes, NULL);
    if (!st)
        st = fulltext_remove(x, &d, NULL);
    return st ? st : fulltext_drop(x, NULL);
}

TEST(each_call_of_an_index_can_be_made_to_fail)
{
    long n;

    for (n = 1; n < 100; n++) {
        struct fault fault = {.left = n, .status = QUIRE_IO};
        struct opened o = open_fts5(&files);
        quire_status st;

        OK(fulltext_intercept(o.x, fault_hook(&fault), &o.x, &test_err));
        st = use_all(o.x);
        close_index(&o);
        IS(fault.struck ? QUIRE_IO : QUIRE_OK, st);
        if (!fault.struck)
            break;
    }
    EQ(13, n); /* twelve slots can fail */
    arena_release(&keep);
}

TEST(an_index_survives_each_allocation_failing)
{
    long n;
    bool struck = true;

    for (n = 1; n < 400 && struck; n++) {
        struct fulltext *x = NULL;
        quire_status st;

        arena_release(&keep);
        read_tree("'walrus'");
        fault_arm(n, 0, false);
        st = fulltext_memory_open(&files, &x, NULL);
        if (!st)
            st = fulltext_create(x, NULL);
        if (!st) {
            struct fulltext_document d = document(1, "walrus", "x", 1);

            st = fulltext_add(x, &d, NULL);
        }
        fulltext_close(x);
        struck = fault_disarm();
        IS(struck ? QUIRE_NO_MEMORY : QUIRE_OK, st);
    }
    NO(struck);
    arena_release(&keep);
}

#include "search/language.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "support/test.h"

#define MAX_OUT ((size_t)1 << 20)

/* 2026-03-31T12:34:56.789Z */
#define NOW_US ((int64_t)1774960496789000)

static struct arena arena; /* released by each test that parses */

static struct search_language parse(quire_bytes text, bool words_only)
{
    struct search_language l;

    OK(search_language_parse(text, NOW_US, words_only, &arena, &l, &test_err));
    return l;
}

static const char *take_text(struct buf *b)
{
    char *out;

    NO(b->failed);
    out = test_alloc(b->len + 1);
    if (b->len)
        memcpy(out, b->data, b->len);
    out[b->len] = '\0';
    buf_release(b);
    return out;
}

static void add_filters(const struct search_filter *f, struct buf *b)
{
    for (; f; f = f->next) {
        buf_addf(b, " {%s%s=", f->negated ? "-" : "", filter_key_name(f->key));
        buf_add(b, f->value.data, f->value.len);
        buf_add_char(b, '}');
    }
}

static void add_ignored(const struct search_ignored *i, struct buf *b)
{
    for (; i; i = i->next) {
        buf_add_str(b, " [");
        buf_add(b, i->text.data, i->text.len);
        buf_addf(b, ": %s]", i->why);
    }
}

/* The tree as a query, then filters, then what is ignored. */
static const char *meaning_of(quire_bytes text, bool words_only)
{
    struct search_language l = parse(text, words_only);
    struct buf b = BUF_INIT(MAX_OUT);
    const char *out;

    search_language_print(l.tree, &b);
    add_filters(l.filters, &b);
    add_ignored(l.ignored, &b);
    out = take_text(&b);
    arena_release(&arena);
    return *out == ' ' ? out + 1 : out;
}

struct language_case {
    const char *text, *want;
};

static void check_cases(const struct language_case *cases, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        const char *got = meaning_of(bytes_str(cases[i].text), false);

        if (strcmp(got, cases[i].want))
            printf("# query: %s\n", cases[i].text);
        SAME_TEXT(cases[i].want, got);
    }
}

#define CHECK(cases) check_cases(cases, sizeof(cases) / sizeof *(cases))

/* ---- terms -------------------------------------------------------------- */

TEST(language_has_words_phrases_prefixes_and_substrings)
{
    static const struct language_case cases[] = {
        {"", ""},
        {" \t\n ", ""},
        {"word", "\"word\""},
        {" two  words\n", "\"two\" \"words\""},
        {"\"a phrase\" more", "\"a phrase\" \"more\""},
        {"\"never closed", "\"never closed\""},
        {"“a phrase” x", "\"a phrase\" \"x\""},
        {"„a phrase“ x", "\"a phrase\" \"x\""},
        {"\"one “two” three\"", "\"one “two” three\""},
        {"x\"a b\"y", "\"x\" \"a b\" \"y\""},
        {"conf*", "\"conf\"*"},
        {"\"a phr\"*", "\"a phr\"*"},
        {"\"a phr\"*x", "\"a phr\" \"*x\""},
        {"a**", "\"a\"*"},
        {"*config*", "*\"config\"*"},
        {"*.c", "*\".c\"*"},
        {"**bold**", "*\"bold\"*"},
        {"*\"foo: bar\"* x", "*\"foo: bar\"* \"x\""},
        {"src/*.c", "\"src/*.c\""},
        {"全文 检索", "\"全文\" \"检索\""},
        {"a\xe3\x80\x80"
         "b",
         "\"a\" \"b\""},
        {"or and not near x", "\"or\" \"and\" \"not\" \"near\" \"x\""},
        {"a-b f(x) it's c++ --force #12",
         "\"a-b\" \"f(x)\" \"it's\" \"c++\" \"--force\" \"#12\""},
        {"http://x.org std::vector foo:bar C:\\x\\new",
         "\"http://x.org\" \"std::vector\" \"foo:bar\" \"C:\\\\x\\\\new\""},
        {"agent://0-x path::join Session::open",
         "\"agent://0-x\" \"path::join\" \"Session::open\""},
    };

    CHECK(cases);
}

TEST(language_escapes_with_a_backslash_before_syntax_only)
{
    static const struct language_case cases[] = {
        {"\\-word", "\"-word\""},     {"\\(a\\)", "\"(a)\""},
        {"word\\*", "\"word*\""},     {"word\\\\*", "\"word\\\\\"*"},
        {"*a\\**", "*\"a*\"*"},       {"kind\\:message", "\"kind:message\""},
        {"\\/a+/", "\"/a+/\""},       {"\"a \\\"b\\\" c\"", "\"a  b  c\""},
        {"*a\\\"b*", "*\"a\\\"b\"*"}, {"a\\b", "\"a\\\\b\""},
        {"end\\", "\"end\\\\\""},
    };

    CHECK(cases);
}

TEST(language_of_words_only_has_no_syntax_but_quotes)
{
    SAME_TEXT("\"-a\" \"OR\" \"b*\" \"(c\" \"kind:x\" \"/d+/\" \"e f\"",
              meaning_of(bytes_str("-a OR b* (c kind:x /d+/ \"e f\""), true));
    SAME_TEXT("\"a\\\\\" \"b\"", meaning_of(bytes_str("\"a\\\" b"), true));
    SAME_TEXT("\"a\" [... |: no letter or digit]",
              meaning_of(bytes_str("a ... |"), true));
}

/* ---- operators ---------------------------------------------------------- */

TEST(language_binds_not_near_and_or_in_this_order)
{
    static const struct language_case cases[] = {
        {"a b OR c d", "\"a\" \"b\" OR \"c\" \"d\""},
        {"a | b || c", "\"a\" OR \"b\" OR \"c\""},
        {"a AND b && c", "\"a\" \"b\" \"c\""},
        {"(a OR b) c", "(\"a\" OR \"b\") \"c\""},
        {"(a b) c", "\"a\" \"b\" \"c\""},
        {"(a OR b) OR c", "\"a\" OR \"b\" OR \"c\""},
        {"-word", "-\"word\""},
        {"a -b -\"c d\"", "\"a\" -\"b\" -\"c d\""},
        {"-b a", "\"a\" -\"b\""},
        {"a -(b c)", "\"a\" -(\"b\" \"c\")"},
        {"a -(b OR c)", "\"a\" -\"b\" -\"c\""},
        {"a NOT b", "\"a\" -\"b\""},
        {"a AND NOT b", "\"a\" -\"b\""},
        {"a OR NOT b", "\"a\" OR -\"b\""},
        {"NOT NOT a", "\"a\""},
        {"-(-a)", "-(-\"a\")"},
        {"a -b OR c", "\"a\" -\"b\" OR \"c\""},
        {"(a -b) c", "(\"a\" -\"b\") \"c\""},
        {"(a)(b)", "\"a\" \"b\""},
        {"-*part*", "-*\"part\"*"},
    };

    CHECK(cases);
}

TEST(language_has_near_between_words_and_as_a_call)
{
    static const struct language_case cases[] = {
        {"a near/5 b", "NEAR(\"a\" \"b\", 5)"},
        {"a NEAR/5 \"b c\"", "NEAR(\"a\" \"b c\", 5)"},
        {"x a near/5 b* y", "\"x\" NEAR(\"a\" \"b\"*, 5) \"y\""},
        {"a near/5 b near/2 c", "NEAR(\"a\" \"b\", 5) NEAR(\"b\" \"c\", 2)"},
        {"NEAR(a b, 5)", "NEAR(\"a\" \"b\", 5)"},
        {"NEAR(a \"b, c\" d)", "NEAR(\"a\" \"b, c\" \"d\", 10)"},
        {"(NEAR(a b, 2) OR c)", "NEAR(\"a\" \"b\", 2) OR \"c\""},
        {"-NEAR(a b, 5)", "-NEAR(\"a\" \"b\", 5)"},
        {"-a near/5 b", "-NEAR(\"a\" \"b\", 5)"},
        {"NEAR(a, 5)", "\"a\""},
        {"NEAR(a ... b, 5)", "NEAR(\"a\" \"b\", 5) [...: no letter or digit]"},
        {"near/x a", "\"near/x\" \"a\""},
        {"near/5 a", "\"near/5\" \"a\""},
        {"a near/5", "\"a\" \"near/5\""},
        {"a near/5 *b*", "\"a\" \"near/5\" *\"b\"*"},
        {"a near/5000 b", "\"a\" \"near/5000\" \"b\""},
        {"NEAR(a b, x)", "\"NEAR(a\" \"b,\" \"x)\""},
        {"NEAR(a b", "\"NEAR(a\" \"b\""},
        {"NEAR(a (b) c)", "\"NEAR(a\" \"b\" \"c)\""},
    };

    CHECK(cases);
}

TEST(language_reads_what_is_malformed_as_text)
{
    static const struct language_case cases[] = {
        {"a OR", "\"a\" \"OR\""},
        {"OR a", "\"OR\" \"a\""},
        {"a OR OR b", "\"a\" OR \"OR\" \"b\""},
        {"a AND OR b", "\"a\" \"OR\" \"b\""},
        {"a NOT", "\"a\" \"NOT\""},
        {"a NOT OR b", "\"a\" \"NOT\" OR \"b\""},
        {"(a OR) b", "\"a\" \"OR\" \"b\""},
        {"-OR", "-\"OR\""},
        {"a |", "\"a\" [|: operator without terms on both sides]"},
        {"| a", "\"a\" [|: operator without terms on both sides]"},
        {"(a b", "\"a\" \"b\" [(: parenthesis is not closed]"},
        {"-(a b", "\"a\" \"b\" [-(: parenthesis is not closed]"},
        {"((a) OR b", "\"a\" OR \"b\" [(: parenthesis is not closed]"},
        {"a) b", "\"a)\" \"b\""},
        {"a ) b", "\"a\" \"b\" [): no letter or digit]"},
        {"a - b", "\"a\" \"b\" [-: no letter or digit]"},
        {"a -> b ... --", "\"a\" \"b\" [->: no letter or digit] "
                          "[... --: no letter or digit]"},
        {"a () -(...)", "\"a\" [() -(...): no letter or digit]"},
        {"\"...\" a \"\"",
         "\"a\" [\"...\": no letter or digit] [\"\": no letter or digit]"},
        {"a \xff\xfe b", "\"a\" \"b\" [\xff\xfe: not UTF-8]"},
        {"*", "[*: no letter or digit]"},
    };

    CHECK(cases);
}

/* ---- patterns ----------------------------------------------------------- */

TEST(language_tells_patterns_from_paths)
{
    static const struct language_case cases[] = {
        {"/fo+/", "/fo+/i"},
        {"/Fo+/", "/Fo+/"},
        {"/Fo+/i", "/Fo+/i"},
        {"/\\S+\\x4A\\p{Lu}(?P<n>a)/", "/\\S+\\x4A\\p{Lu}(?P<n>a)/i"},
        {"/Ärger?/", "/Ärger?/"},
        {"-/fo+/", "-/fo+/i"},
        {"(/a|b/ OR c)", "/a|b/i OR \"c\""},
        {"/error: .* failed/ x", "/error: .* failed/i \"x\""},
        {"/to do/", "/to do/i"},
        {"/src\\/.*\\.c/", "/src\\/.*\\.c/i"},
        {"/src/.*\\.c/", "/src/.*\\.c/i"},
        {"/a[/]b/", "/a[/]b/i"},
        {"/foo/i", "/foo/i"},
        {"/foo/", "\"/foo/\""},
        {"/tmp/", "\"/tmp/\""},
        {"/usr/lib/x", "\"/usr/lib/x\""},
        {"/usr/bin/ x/", "\"/usr/bin/\" \"x/\""},
        {"/app/[id]/", "\"/app/[id]/\""},
        {"/usr/lib* and /opt/", "\"/usr/lib\"* \"and\" \"/opt/\""},
        {"/* comment */", "\"comment\" [/*: no letter or digit] "
                          "[*/: no letter or digit]"},
        {"// a/", "\"a/\" [//: no letter or digit]"},
        {"/fo+/g", "\"/fo+/g\""},
        {"x/fo+/", "\"x/fo+/\""},
        {"/fo+", "\"/fo+\""},
        {"/a+\nb/", "\"/a+\" \"b/\""},
        {"/a+\xff/", "\"/a+\" [\xff: not UTF-8] [/: no letter or digit]"},
        {"/ a+/", "\"a+/\" [/: no letter or digit]"},
    };

    CHECK(cases);
}

/* ---- filters ------------------------------------------------------------ */

TEST(language_has_filters_that_apply_to_the_whole_query)
{
    static const struct language_case cases[] = {
        {"a kind:message b", "\"a\" \"b\" {kind=message}"},
        {"KIND:Message Is:error", "{kind=message} {is=error}"},
        {"kind:message,thinking", "{kind=message} {kind=thinking}"},
        {"kind:message OR kind:title", "{kind=message} {kind=title}"},
        {"-kind:tool_result NOT role:user", "{-kind=tool_result} {-role=user}"},
        {"project:\"my dir\" x", "\"x\" {project=my dir}"},
        {"project:“my dir”", "{project=my dir}"},
        {"project:\"a,b\" tag:c,d", "{project=a,b} {tag=c} {tag=d}"},
        {"path:C:\\x\\y tool:bash", "{path=C:\\x\\y} {tool=bash}"},
        {"before:-7d since:\"last week\" until:2026-01-01",
         "{before=-7d} {after=last week} {before=2026-01-01}"},
        {"(a tag:x) OR b", "\"a\" OR \"b\" {tag=x}"},
        {"(tag:x)", "{tag=x}"},
        {"tag:x AND a", "\"a\" {tag=x}"},
        {"a AND NOT tag:x", "\"a\" {-tag=x}"},
        {"a OR tag:x", "\"a\" {tag=x} [OR: filters apply to the whole query]"},
        {"(tag:x) OR a",
         "\"a\" {tag=x} [OR: filters apply to the whole query]"},
        {"-(a tag:x)", "-\"a\" [tag:x: filter within negated parentheses]"},
        {"\"kind:message\"", "\"kind:message\""},
        {"session: x", "\"x\" [session:: filter without a value]"},
        {"tag:a,,b,", "{tag=a} {tag=b}"},
        {"tag:, x", "\"x\" [tag:,: filter without a value]"},
        {"tag:\" \"", "[tag:\" \": filter without a value]"},
        {"kind:nonsense x", "\"x\" [kind:nonsense: unknown kind]"},
        {"kind:message,nonsense", "{kind=message} [nonsense: unknown kind]"},
        {"role:x is:x has:x before:whatever",
         "[role:x: unknown role] [is:x: unknown state] "
         "[has:x: unknown content] [before:whatever: not a time]"},
    };

    CHECK(cases);
}

TEST(language_reads_times_as_users_write_them)
{
    static const struct {
        const char *text, *want; /* NULL: not a time */
    } cases[] = {
        {"2026-02-16", "2026-02-16T00:00:00.000Z"},
        {"2026-02", "2026-02-01T00:00:00.000Z"},
        {"2026-02-16T10:20:30+02:00", "2026-02-16T08:20:30.000Z"},
        {"2026-02-16 10:20", "2026-02-16T10:20:00.000Z"},
        {"2026-02-16t10:20:30z", "2026-02-16T10:20:30.000Z"},
        {"1771237230", "2026-02-16T10:20:30.000Z"},
        {"1771237230123", "2026-02-16T10:20:30.123Z"},
        {"-7d", "2026-03-24T12:34:56.789Z"},
        {"7d", "2026-03-24T12:34:56.789Z"},
        {"7 days ago", "2026-03-24T12:34:56.789Z"},
        {"24h", "2026-03-30T12:34:56.789Z"},
        {"30m", "2026-03-31T12:04:56.789Z"},
        {"2W", "2026-03-17T12:34:56.789Z"},
        {"1mo", "2026-02-28T12:34:56.789Z"},
        {"3mo", "2025-12-31T12:34:56.789Z"},
        {"2y", "2024-03-31T12:34:56.789Z"},
        {"now", "2026-03-31T12:34:56.789Z"},
        {"today", "2026-03-31T00:00:00.000Z"},
        {"Yesterday", "2026-03-30T00:00:00.000Z"},
        {"last week", "2026-03-24T12:34:56.789Z"},
        {"last-month", "2026-02-28T12:34:56.789Z"},
        {"last_year", "2025-03-31T12:34:56.789Z"},
        {"", NULL},
        {"whatever", NULL},
        {"2026-02-30", NULL},
        {"12345", NULL},
        {"7", NULL},
        {"7x", NULL},
        {"ds", NULL},
        {"7 days hence", NULL},
        {"999999999y", NULL},
        {"9999999999d", NULL},
        {"last", NULL},
        {"last x", NULL},
        {"a text that is far too long to be a time of any kind", NULL},
    };
    char got[TIMESTAMP_SIZE];
    int64_t us;
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool is_time = search_parse_time(bytes_str(cases[i].text), NOW_US, &us);

        if (is_time != (cases[i].want != NULL))
            printf("# time: %s\n", cases[i].text);
        EQ(cases[i].want != NULL, is_time);
        if (is_time) {
            timestamp_format(us, got);
            SAME_TEXT(cases[i].want, got);
        }
    }
    NO(search_parse_time(bytes_of("now\0", 4), NOW_US, &us));
    NO(search_parse_time(bytes_str("9d"), INT64_MIN, &us));
}

/* ---- limits ------------------------------------------------------------- */

TEST(language_ignores_what_is_beyond_64_terms)
{
    struct buf b = BUF_INIT(MAX_OUT);
    struct search_language l;
    int i;

    for (i = 0; i < 100; i++)
        buf_addf(&b, "w%d %s", i, i == 63 ? "OR -" : "");
    l = parse(buf_bytes(&b), false);
    EQ(64, l.n_terms);
    YES(l.ignored && !l.ignored->next);
    SAME_TEXT("more than 64 terms", l.ignored->why);
    SAME(bytes_str("OR -w64"), bytes_sub(l.ignored->text, 0, 7));
    YES((const char *)l.ignored->text.data + l.ignored->text.len ==
        b.data + b.len);
    buf_clear(&b);

    /* Operators that become words count, too. */
    for (i = 0; i < 200; i++)
        buf_add_str(&b, "OR ");
    l = parse(buf_bytes(&b), false);
    EQ(64, l.n_terms);
    YES(l.ignored != NULL);
    buf_release(&b);
    arena_release(&arena);
}

TEST(language_ignores_what_is_beyond_8_kib)
{
    char *text = test_alloc(20000);
    struct search_language l;
    size_t i;

    memset(text, 'w', 20000);
    for (i = 1000; i < 20000; i += 1000)
        text[i] = ' ';
    l = parse(bytes_of(text, 20000), false);
    EQ(8, l.n_terms);
    YES(l.plain);
    YES(l.ignored && !l.ignored->next);
    SAME_TEXT("longer than 8 KiB", l.ignored->why);
    EQ(12000, l.ignored->text.len);
    arena_release(&arena);
}

TEST(language_has_patterns_of_at_most_1_kib)
{
    char text[1200];
    size_t len;

    memset(text, 'a', sizeof text);
    memcpy(text, "/a+", 3);
    for (len = 1024; len <= 1025; len++) {
        struct search_language l;

        memset(text + 3, 'a', sizeof text - 3);
        text[len + 1] = '/';
        l = parse(bytes_of(text, len + 2), false);
        EQ(len == 1024 ? QUERY_REGEX : QUERY_WORDS, l.tree->op);
    }
    arena_release(&arena);
}

TEST(language_nests_parentheses_to_a_limit)
{
    struct buf b = BUF_INIT(MAX_OUT);
    struct search_language l;
    int depth, i;

    for (depth = 32; depth <= 34; depth++) {
        for (i = 0; i < depth; i++)
            buf_add_str(&b, "a OR (b ");
        for (i = 0; i < depth; i++)
            buf_add_str(&b, ") ");
        l = parse(buf_bytes(&b), false);
        EQ(2 * depth > 64 ? 64 : 2 * depth, l.n_terms);
        EQ(depth > 32, l.ignored != NULL);
        buf_clear(&b);
    }
    buf_release(&b);
    arena_release(&arena);
}

TEST(language_is_plain_without_operators)
{
    static const struct {
        const char *text;
        bool plain;
    } cases[] = {
        {"", false},         {"a", true},       {"a b \"c d\" e*", true},
        {"a kind:x", true},  {"a ...", true},   {"a AND b", false},
        {"a -b", false},     {"(a b)", true},   {"a near/5 b", false},
        {"*a*", false},      {"/a+/", false},   {"a OR b", false},
        {"tag:x", false},    {"a (b c)", true}, {"a (b OR c)", false},
        {"a -(b c)", false},
    };
    size_t i;

    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        EQ(cases[i].plain, parse(bytes_str(cases[i].text), false).plain);
    arena_release(&arena);
}

/* ---- any text ----------------------------------------------------------- */

static const char *print_tree(const struct query *tree)
{
    struct buf b = BUF_INIT(MAX_OUT);

    search_language_print(tree, &b);
    return take_text(&b);
}

TEST(language_prints_a_tree_that_parses_to_itself)
{
    static const char *const pieces[] = {
        "a",    "bc", "D",     " ",     "  ",       "\"",    "(", ")",
        "-",    "*",  "/",     "\\",    ":",        " OR ",  "|", " AND ",
        "NOT ", "+",  "kind:", "title", " near/3 ", "NEAR(", ",", " 7)",
        "“",    "”",  "ä",     "\xff",  "/x+/",     "tag:",  "i", "中",
        "\n",   " (", ") ",    " -",
    };
    uint64_t seed;

    for (seed = 1; seed <= 20000; seed++) {
        struct buf b = BUF_INIT(MAX_OUT);
        struct search_language l;
        const char *once;
        uint8_t noise[24];
        size_t i, n = 1 + seed % sizeof noise;

        test_noise(seed, noise, n);
        for (i = 0; i < n; i++)
            buf_add_str(&b,
                        pieces[noise[i] % (sizeof pieces / sizeof *pieces)]);
        l = parse(buf_bytes(&b), seed % 7 == 0);
        once = print_tree(l.tree);
        YES(utf8_check(bytes_str(once)));
        EQ(l.n_terms > 0, l.tree != NULL);
        l = parse(bytes_str(once), false);
        if (strcmp(once, print_tree(l.tree)))
            printf("# query: %.*s\n", (int)b.len, b.data);
        SAME_TEXT(once, print_tree(l.tree));
        YES(!l.ignored && !l.filters);
        buf_release(&b);
        arena_release(&arena);
    }
}

TEST(language_reports_that_memory_ran_out)
{
    quire_bytes text = bytes_str("a -(b OR c) near/5 kind:x tag:y ... NEAR(a "
                                 "b) a near/1 b near/2 c *d* /e+/");
    struct search_language l;
    quire_status st;
    long n;

    for (n = 1; n < 100; n++) {
        fault_arm(n, 12, false);
        st = search_language_parse(text, NOW_US, false, &arena, &l, NULL);
        if (!fault_disarm())
            break;
        EQ(QUIRE_NO_MEMORY, st);
        arena_release(&arena);
    }
    YES(n > 1 && n < 100);
    arena_release(&arena);
}

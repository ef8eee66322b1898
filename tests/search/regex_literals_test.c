#include "search/regex_literals.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "search/language.h"
#include "support/test.h"

#define MAX_OUT ((size_t)1 << 20)

/* Patterns tried against PCRE2. */
#define N_SAMPLES   20000
#define N_ARBITRARY 60000

/* The tree as a query: *"a"* OR ... */
static const char *literals_of(const char *pattern)
{
    struct buf b = BUF_INIT(MAX_OUT);
    struct arena keep = ARENA_INIT;
    struct query *tree;
    char *out;

    OK(regex_literals(bytes_str(pattern), &keep, &tree, &test_err));
    search_language_print(tree, &b);
    NO(b.failed);
    out = test_alloc(b.len + 1);
    if (b.len)
        memcpy(out, b.data, b.len);
    out[b.len] = '\0';
    buf_release(&b);
    arena_release(&keep);
    return out;
}

struct literals_case {
    const char *pattern, *want;
};

static void check_cases(const struct literals_case *cases, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        const char *got = literals_of(cases[i].pattern);

        if (strcmp(got, cases[i].want))
            printf("# pattern: %s\n", cases[i].pattern);
        SAME_TEXT(cases[i].want, got);
    }
}

#define CHECK(cases) check_cases(cases, sizeof(cases) / sizeof *(cases))

TEST(regex_literals_are_the_longest_runs)
{
    static const struct literals_case cases[] = {
        {"", ""},
        {"foo", "*\"foo\"*"},
        {"fo", ""},
        {"foo.*bar", "*\"foo\"* *\"bar\"*"},
        {"foo?bar", "*\"bar\"*"},
        {"food*bar", "*\"foo\"* *\"bar\"*"},
        {"foo+bar", "*\"foo\"* *\"bar\"*"},
        {"foo{2}bar", "*\"foo\"* *\"bar\"*"},
        {"food{0,2}bar", "*\"foo\"* *\"bar\"*"},
        {"food{,2}bar", "*\"foo\"* *\"bar\"*"},
        {"foo{bar}", "*\"foo{bar}\"*"},
        {"foo+?bar++baz", "*\"foo\"* *\"bar\"* *\"baz\"*"},
        {"^foo\\b-bar$", "*\"foo-bar\"*"},
        {"foo\\.c\\/x", "*\"foo.c/x\"*"},
        {"a\\tb\\x41\\x{e4}", "*\"a\tbAä\"*"},
        {"foo\\dbar\\w+baz", "*\"foo\"* *\"bar\"* *\"baz\"*"},
        {"\\Qa.b|c\\E+d", "*\"a.b|c\"*"},
        {"foo[.]bar", "*\"foo.bar\"*"},
        {"[Ee]rror[0-9]", "*\"error\"*"},
        {"foo[[:space:]]bar[]]x", "*\"foo\"* *\"bar]x\"*"},
        {"foo[^b]bar[b-d]baz", "*\"foo\"* *\"bar\"* *\"baz\"*"},
        {"中文", "*\"中文\"*"},
        {"中", ""},
        {"äa", ""},
        {"fo\\x00o", ""},
    };

    CHECK(cases);
}

TEST(regex_literals_follow_groups_and_alternatives)
{
    static const struct literals_case cases[] = {
        {"foo|bar", "*\"foo\"* OR *\"bar\"*"},
        {"foo|b.r", ""},
        {"foo|", ""},
        {"(foo)(?:bar)", "*\"foobar\"*"},
        {"(?<n>foo)(?P<m>bar)(?'o'baz)(?>qux)", "*\"foobarbazqux\"*"},
        {"x(foo|bar)+yyy", "(*\"foo\"* OR *\"bar\"*) *\"yyy\"*"},
        {"(foo|bar)?yyy", "*\"yyy\"*"},
        {"(foo.*bar)baz", "*\"foo\"* *\"bar\"* *\"baz\"*"},
        {"(foo.*bar|qux)", "*\"foo\"* *\"bar\"* OR *\"qux\"*"},
        {"((a|b)foo|bar)", "*\"foo\"* OR *\"bar\"*"},
        {"(?i)foo(?-i:bar)", "*\"foobar\"*"},
        {"foo(?=bar)baz(?!qux)", "*\"foobaz\"*"},
        {"(?<=foo)bar(?<!baz)", "*\"bar\"*"},
        {"(foo)\\1bar\\g{1}baz", "*\"foo\"* *\"bar\"* *\"baz\"*"},
        {"foo\\k<n>bar\\p{Lu}baz", "*\"foo\"* *\"bar\"* *\"baz\"*"},
    };

    CHECK(cases);
}

TEST(regex_literals_require_nothing_of_what_is_not_understood)
{
    static const char *const patterns[] = {
        "(?x)foo bar",     "(?xi:foo bar)",
        "foo(*ACCEPT)bar", "(*UTF)foo",
        "(foo)(?1)",       "(foo)(?R)?",
        "(?(1)foo|bar)",   "foo(?#note)bar",
        "foo(?C1)bar",     "(?<n>foo)(?&n)bar",
        "foo**",           "foo{2}{3}bar",
        "foo(bar",         "foo)bar",
        "foo[bar",         "foo\\",
        "foo\\N{U+41}",    "foo(?<*bar)baz",
        "foo\\x{110000}",  "*foo",
        "foo[\\Qa\\E]bar", "foo\\Cbar",
        "foo(?^x)b ar",    "foo(*atomic:bar)",
    };
    size_t i;

    for (i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (*literals_of(patterns[i]))
            printf("# pattern: %s\n", patterns[i]);
        SAME_TEXT("", literals_of(patterns[i]));
    }
}

static size_t count_leaves(const struct query *q)
{
    size_t n = !q->first;

    for (q = q->first; q; q = q->next)
        n += count_leaves(q);
    return n;
}

TEST(regex_literals_are_at_most_64)
{
    static const struct {
        const char *piece, *between;
        int n;
        size_t want;
    } cases[] = {
        {"foo", ".", 100, 64},
        {"foo", "|", 64, 64},
        {"foo", "|", 65, 0},
        {"foo.food", "|", 60, 60},
        {"(foo|bar|baz)", ".", 30, 63},
    };
    size_t i;
    int k;

    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf b = BUF_INIT(MAX_OUT);
        struct arena keep = ARENA_INIT;
        struct query *tree;

        for (k = 0; k < cases[i].n; k++) {
            buf_add_str(&b, k ? cases[i].between : "");
            buf_add_str(&b, cases[i].piece);
        }
        OK(regex_literals(buf_bytes(&b), &keep, &tree, &test_err));
        EQ(cases[i].want, tree ? count_leaves(tree) : 0);
        buf_release(&b);
        arena_release(&keep);
    }
}

TEST(regex_literals_nest_to_a_limit)
{
    struct buf b = BUF_INIT(MAX_OUT);
    int depth, i;

    for (depth = 64; depth <= 65; depth++) {
        for (i = 0; i < depth; i++)
            buf_add_char(&b, '(');
        buf_add_str(&b, "foo");
        for (i = 0; i < depth; i++)
            buf_add_char(&b, ')');
        SAME_TEXT(depth > 64 ? "" : "*\"foo\"*", literals_of(buf_text(&b)));
        buf_clear(&b);
    }
    buf_release(&b);
}

TEST(regex_literals_report_that_memory_ran_out)
{
    struct arena keep = ARENA_INIT;
    struct query *tree;
    quire_status st;
    long n;

    for (n = 1; n < 100; n++) {
        fault_arm(n, 12, false);
        st = regex_literals(bytes_str("a(foo|bar.*(baz))+(qux)quux"), &keep,
                            &tree, NULL);
        if (!fault_disarm())
            break;
        EQ(QUIRE_NO_MEMORY, st);
        arena_release(&keep);
    }
    YES(n > 1 && n < 100);
    EQ(QUIRE_OK, st);
    arena_release(&keep);
}

/* ---- against PCRE2 ------------------------------------------------------ */

static bool is_match(quire_bytes pattern, uint32_t options, quire_bytes text)
{
    int code;
    size_t at;
    pcre2_code *c = pcre2_compile(pattern.data, pattern.len,
                                  options | PCRE2_UTF, &code, &at, NULL);
    pcre2_match_data *data;
    bool found = false;

    if (!c)
        return false;
    data = pcre2_match_data_create(1, NULL);
    YES(data != NULL);
    found = pcre2_match(c, text.data, text.len, 0, 0, data, NULL) >= 0;
    pcre2_match_data_free(data);
    pcre2_code_free(c);
    return found;
}

/* Folding is PCRE2's own. */
static bool satisfies(quire_bytes text, const struct query *q)
{
    const struct query *one;

    if (q->op == QUERY_SUBSTRING)
        return is_match(q->text, PCRE2_LITERAL | PCRE2_CASELESS, text);
    for (one = q->first; one; one = one->next) {
        if (satisfies(text, one) == (q->op == QUERY_OR))
            return q->op == QUERY_OR;
    }
    return q->op == QUERY_AND;
}

static void add_pieces(struct buf *b, const char *const *pieces, size_t n,
                       const uint8_t *noise, size_t len)
{
    size_t i;

    buf_clear(b);
    for (i = 0; i < len; i++)
        buf_add_str(b, pieces[noise[i] % n]);
}

static const char *const pattern_pieces[] = {
    "a",           "b",     "c",     "abc",       "bca",   "K",
    "s",           "ä",     "中文",  "\\",        "\\Q",   "\\E",
    ".",           "*",     "+",     "?",         "{2}",   "{0}",
    "{1,}",        "{,2}",  "{0,1}", "(",         "(",     ")",
    ")",           "|",     "|",     "[",         "]",     "^",
    "$",           "-",     "[ab]",  "[aA]",      "[^a]",  "[]a]",
    "[[:alpha:]]", "(?:",   "(?i)",  "(?i:",      "(?=",   "(?!",
    "(?<=",        "(?<n>", "(?>",   "(?|",       "\\1",   "\\d",
    "\\b",         "\\B",   "\\x41", "\\x{62}",   "\\.",   "\\K",
    "\\R",         "\\n",   "\\g1",  "\\k<n>",    "\\pL",  "\\p{Lu}",
    "\\ca",        "\\061", "{",     "}",         "(?#",   "(?x)",
    " ",           "(?R)",  "(?1)",  "(*ACCEPT)", "(?(1)", "\\N",
    "\\o{141}",    "[\\",   "(?-i)", "(?^)",
};

static const char *const text_pieces[] = {
    "a", "b", "c",    "abc", "bca", "ABC", "k", "\xe2\x84\xaa", "S",   "ſ",
    "ä", "Ä", "中文", "1",   ".",   "*",   " ", "\n",           "{2}", "]",
};

/* Whether a match is there. Then the text must satisfy the tree. */
static bool check_match(quire_bytes pattern, const struct query *tree,
                        uint32_t options, quire_bytes text)
{
    if (!is_match(pattern, options, text))
        return false;
    if (!satisfies(text, tree))
        printf("# pattern: %.*s\n# text: %.*s\n", (int)pattern.len,
               (const char *)pattern.data, (int)text.len,
               (const char *)text.data);
    YES(satisfies(text, tree));
    return true;
}

/* Few of these patterns are well-formed: each shows where one ends. */
TEST(regex_literals_hold_for_matches_of_arbitrary_patterns)
{
    enum { N_PATTERNS = sizeof pattern_pieces / sizeof *pattern_pieces };
    enum { N_TEXTS = sizeof text_pieces / sizeof *text_pieces };
    struct buf pattern = BUF_INIT(MAX_OUT), text = BUF_INIT(MAX_OUT);
    size_t n_matches = 0;
    uint64_t seed;

    for (seed = 1; seed <= N_ARBITRARY; seed++) {
        struct arena keep = ARENA_INIT;
        struct query *tree;
        uint8_t noise[64];
        size_t k;

        test_noise(seed, noise, sizeof noise);
        add_pieces(&pattern, pattern_pieces, N_PATTERNS, noise, 2 + seed % 7);
        OK(regex_literals(buf_bytes(&pattern), &keep, &tree, &test_err));
        for (k = 0; tree && k < 4; k++) {
            test_noise(seed * 8 + k, noise, sizeof noise);
            add_pieces(&text, text_pieces, N_TEXTS, noise, 8 + k * 8);
            n_matches += check_match(buf_bytes(&pattern), tree,
                                     k % 2 ? PCRE2_CASELESS : 0,
                                     buf_bytes(&text));
        }
        arena_release(&keep);
    }
    YES(n_matches > 100);
    buf_release(&pattern);
    buf_release(&text);
}

/* A pattern, and a text that is likely to match it. */
struct sample {
    struct buf pattern, text;
    uint8_t noise[512];
    size_t n; /* used */
};

static size_t choose(struct sample *s, size_t n)
{
    return s->noise[s->n++ % sizeof s->noise] % n;
}

static void add_atom(struct sample *s)
{
    static const char *const atoms[][2] = {
        {"a", "a"},           {"b", "B"},        {"abc", "abc"},
        {"bca", "BCA"},       {"cab", "cab"},    {"k", "\xe2\x84\xaa"},
        {"s", "ſ"},           {"ä", "Ä"},        {"中文", "中文"},
        {".", "x"},           {"\\.", "."},      {"\\x41", "A"},
        {"\\x{62}", "b"},     {"[ab]", "b"},     {"[aA]", "a"},
        {"[.]", "."},         {"[]a]", "]"},     {"[^a]", "q"},
        {"[[:alpha:]]", "z"}, {"[\\]\\d]", "]"}, {"\\Qa.b*\\E", "a.b*"},
        {"\\d", "7"},         {"\\w", "c"},      {"\\pL", "y"},
        {"\\p{Lu}", "Q"},     {"\\061", "1"},    {"\\o{141}", "a"},
        {"\\cA", "\001"},     {"\\t", "\t"},     {"\\R", "\n"},
        {"\\b", ""},          {"\\B", ""},       {"(?i)", ""},
        {"(?-i)", ""},        {"^", ""},         {"$", ""},
        {"\\K", ""},          {"(?=a)", ""},     {"(?!q)", ""},
        {"(?<=a)", ""},       {"(?<!q)", ""},    {"\\E", ""},
        {"{", "{"},           {"}", "}"},        {"{,2}", "{,2}"},
        {"a{}", "a{}"},       {"-", "-"},        {"]", "]"},
        {"\\Qab", "ab"},      {"\\ä", "ä"},      {"\\g{-1}", "a"},
        {"\\1", "a"},         {"[a\\-c]", "-"},  {"[\\x41a]", "A"},
        {"x{2}", "xx"},       {"\\N", "u"},      {"\\h", " "},
    };
    size_t i = choose(s, 4) ? choose(s, 9)
                            : choose(s, sizeof atoms / sizeof *atoms);

    buf_add_str(&s->pattern, atoms[i][0]);
    buf_add_str(&s->text, atoms[i][1]);
}

static void add_quantifier(struct sample *s, size_t from)
{
    static const struct {
        const char *text;
        size_t times;
    } quantifiers[] = {
        {"?", 0},    {"?", 1},     {"*", 0},    {"*", 2},
        {"+", 1},    {"+", 2},     {"{2}", 2},  {"{0}", 0},
        {"{1,}", 3}, {"{0,2}", 0}, {"??", 0},   {"*+", 2},
        {"+?", 1},   {"{2}+", 2},  {"\\E*", 0}, {"\\Q\\E?", 0},
    };
    size_t i = choose(s, sizeof quantifiers / sizeof *quantifiers), k;
    size_t len = s->text.len - from;
    char once[256];

    if (len > sizeof once)
        return;
    buf_add_str(&s->pattern, quantifiers[i].text);
    if (len)
        memcpy(once, s->text.data + from, len);
    s->text.len = from;
    for (k = 0; k < quantifiers[i].times; k++)
        buf_add(&s->text, once, len);
}

static void add_alternatives(struct sample *s, int depth);

static void add_group(struct sample *s, int depth)
{
    static const char *const starts[] = {"(",   "(?:", "(?<n>",  "(?i:",
                                         "(?>", "(?|", "(?P<m>", "(?'o'"};

    buf_add_str(&s->pattern, starts[choose(s, sizeof starts / sizeof *starts)]);
    add_alternatives(s, depth - 1);
    buf_add_char(&s->pattern, ')');
}

static void add_branch(struct sample *s, int depth)
{
    size_t n = 1 + choose(s, 4), i;

    for (i = 0; i < n; i++) {
        size_t from = s->text.len;

        if (depth > 0 && choose(s, 3) == 0)
            add_group(s, depth);
        else
            add_atom(s);
        if (choose(s, 4) == 0)
            add_quantifier(s, from);
    }
}

/* The text is that of the last branch. */
static void add_alternatives(struct sample *s, int depth)
{
    size_t n = choose(s, 3) ? 1 : 1 + choose(s, 3), i, from = s->text.len;

    for (i = 0; i < n; i++) {
        buf_add_str(&s->pattern, i ? "|" : "");
        s->text.len = from;
        add_branch(s, depth);
    }
}

TEST(regex_literals_hold_for_every_match_of_pcre2)
{
    struct sample s = {.pattern = BUF_INIT(MAX_OUT), .text = BUF_INIT(MAX_OUT)};
    size_t n_matches = 0;
    uint64_t seed;

    for (seed = 1; seed <= N_SAMPLES; seed++) {
        struct arena keep = ARENA_INIT;
        struct query *tree;

        buf_clear(&s.pattern);
        buf_clear(&s.text);
        test_noise(seed, s.noise, sizeof s.noise);
        s.n = 0;
        add_alternatives(&s, 3);
        OK(regex_literals(buf_bytes(&s.pattern), &keep, &tree, &test_err));
        n_matches += tree && check_match(buf_bytes(&s.pattern), tree,
                                         seed % 4 ? PCRE2_CASELESS : 0,
                                         buf_bytes(&s.text));
        arena_release(&keep);
    }
    YES(n_matches > N_SAMPLES / 20);
    buf_release(&s.pattern);
    buf_release(&s.text);
}

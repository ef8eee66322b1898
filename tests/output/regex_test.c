#include "output/regex.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "support/test.h"

/* What comes of looking for `grep` in `line`; *found if QUIRE_OK. */
static quire_status look(const char *grep, quire_bytes line, bool *found)
{
    struct regex *m;
    quire_status st = regex_new(grep, false, &m, &test_err);

    if (!st)
        st = regex_find(m, line, true, found, &test_err);
    regex_free(m);
    return st;
}

static bool finds(const char *grep, quire_bytes line)
{
    bool found = false;

    OK(look(grep, line, &found));
    return found;
}

static void refuses(const char *grep, quire_bytes line, const char *words)
{
    bool found;

    IS(QUIRE_INVALID, look(grep, line, &found));
    HAS(test_err.what, words);
}

/* The same by the interpreter, where there is no compiling. */
static const char *slowly(const char *grep)
{
    static char slow[256];

    snprintf(slow, sizeof slow, "(*NO_JIT)%s", grep);
    return slow;
}

static void put(char *at, const char *text)
{
    quire_bytes bytes = bytes_str(text);

    memcpy(at, bytes.data, bytes.len);
}

static const char as[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";

TEST(an_expression_that_cannot_be_read_says_where_and_why)
{
    quire_bytes line = bytes_str("x");

    refuses("(ab", line,
            "cannot read the expression \"(ab\" at character 3: missing "
            "closing parenthesis");
    YES(test_err.next[0] != '\0');
    refuses("é€[x", line, "at character 4: missing terminating ]");
    refuses("*a", line, "at character 1: ");
    refuses("a\xff", line, "UTF-8 error");
    /* Half characters cannot be asked for. */
    refuses("\\C", line, "\\C");
}

TEST(an_expression_has_a_greatest_length)
{
    char *grep = test_alloc(MATCH_EXPRESSION_MAX + 2);

    memset(grep, 'a', MATCH_EXPRESSION_MAX + 1);
    grep[MATCH_EXPRESSION_MAX + 1] = '\0';
    refuses(grep, bytes_str("a"), "the expression is longer than 4096 bytes");
    grep[MATCH_EXPRESSION_MAX] = '\0';
    NO(finds(grep, bytes_str("a")));
    YES(finds(grep, bytes_str(grep)));
}

TEST(an_expression_that_grows_too_large_is_refused)
{
    refuses("(((((a{1,99}){1,99}){1,99}){1,99}){1,99})", bytes_str("a"),
            "cannot read the expression");
    refuses("(?<=a{1,60000}b{1,60000})c", bytes_str("a"),
            "cannot read the expression");
}

TEST(a_costly_expression_is_refused_soon)
{
    static const char *const greps[] = {
        "(a+)+$",
        "(a|aa)+$",
        "(a*)*[bc]",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(?:a?){29}a{29}b?$",
        "^(a(?1)?(?1)?(?1)?)+$",
    };
    size_t i;

    for (i = 0; i < sizeof greps / sizeof *greps; i++) {
        char words[128];

        snprintf(words, sizeof words, "the expression \"%s\" is too costly",
                 greps[i]);
        refuses(greps[i], bytes_str(as), words);
        YES(test_err.next[0] != '\0');
        refuses(slowly(greps[i]), bytes_str(as), "is too costly");
    }
}

TEST(an_expression_that_recurses_without_end_is_refused)
{
    refuses("(?R)", bytes_str(as), "expression");
    refuses(slowly("(?R)"), bytes_str(as), "expression");
}

TEST(calls_of_groups_end_soon)
{
    static const char *const greps[] = {"7d/a.*b/tag: AND *||(?R)",
                                        "(a|b|(?1)|)(?1)(?1)$x",
                                        "(?<n>a|\\g<n>|)*$x"};
    int64_t began = clock_steady_us();
    bool found = false;
    size_t i;

    for (i = 0; i < sizeof greps / sizeof *greps; i++)
        YES(look(greps[i], bytes_str(as), &found) != QUIRE_NO_MEMORY);
    YES(clock_steady_us() - began < 20000000);
}

TEST(no_expression_raises_its_own_limits)
{
    refuses("(*LIMIT_MATCH=4000000000)(a+)+$", bytes_str(as), "too costly");
    refuses("(*LIMIT_DEPTH=4000000000)(a+)+$", bytes_str(as), "too costly");
    refuses("(*LIMIT_HEAP=4000000000)(a+)+$", bytes_str(as), "too costly");
}

TEST(a_search_that_is_slow_at_each_of_many_places_is_refused)
{
    size_t len = 40000;
    char *data = test_alloc(len);

    memset(data, 'a', len);
    refuses(slowly("[^y]*[xz]"), bytes_of(data, len), "too costly");
    /* Sooner, or not at all, where it is quick. */
    NO(finds("[^y]*[xz]", bytes_of(data, len)));
}

TEST(going_far_back_takes_no_more_memory_than_it_may)
{
    size_t len = 1000000;
    char *data = test_alloc(len);

    memset(data, 'a', len);
    refuses("^(a|b)*c?$(?<=x)", bytes_of(data, len), "too costly");
    refuses(slowly("^(a|b)*c?$(?<=x)"), bytes_of(data, len), "too costly");
    YES(finds("^(a|b)*$", bytes_of(data, 50000)));
}

TEST(a_long_line_is_searched_alike_wherever_a_match_begins)
{
    static const char *const greps[] = {
        "(?<=xx)éa", "\\béa|éa\\b|xéa", "x+éax+$", "^.{2,}éa", "^(?s).*éa",
    };
    size_t len = 3000, at, g;
    char *data = test_alloc(len);
    quire_bytes line = {data, len};

    for (g = 0; g < sizeof greps / sizeof *greps; g++) {
        for (at = 1010; at < 1040; at++) {
            memset(data, 'x', len);
            NO(finds(greps[g], line));
            put(data + at, "éa");
            YES(finds(greps[g], line));
            YES(finds(slowly(greps[g]), line));
        }
    }
}

TEST(damage_is_searched_around_wherever_it_is)
{
    static const char *const damage[] = {"\x80", "\xff", "\xe2\x82", "\xc3"};
    size_t len = 4000, at, d, i;
    char *data = test_alloc(len);
    quire_bytes line = {data, len};

    for (d = 0; d < sizeof damage / sizeof *damage; d++) {
        for (at = 1000; at < 1100; at++) {
            for (i = 0; i < len; i++)
                data[i] = damage[d][i % strlen(damage[d])];
            NO(finds("éa|x", line));
            NO(finds(slowly("éa|x"), line));
            NO(finds(".", line));
            put(data + at, "éa");
            YES(finds("éa", line));
            YES(finds(slowly("éa"), line));
            NO(finds("éa.", line));
            NO(finds("(?<=x)éa", line));
            data[at - 1] = 'x';
            YES(finds("(?<=x)éa", line));
            YES(finds(slowly("(?<=x)éa"), line));
        }
    }
}

TEST(the_end_of_a_line_is_found_only_where_it_is_one)
{
    struct regex *m;
    bool found;

    OK(regex_new("b$", false, &m, &test_err));
    OK(regex_find(m, bytes_str("ab"), true, &found, &test_err));
    YES(found);
    OK(regex_find(m, bytes_str("ab"), false, &found, &test_err));
    NO(found);
    regex_free(m);
}

TEST(nothing_at_all_can_be_searched)
{
    YES(finds("^$", bytes_of(NULL, 0)));
    YES(finds("", bytes_of(NULL, 0)));
    NO(finds(".", bytes_of(NULL, 0)));
    regex_free(NULL);
}

TEST(a_search_without_memory_says_so)
{
    static const char *const greps[] = {"(?<n>o|u)+(?i:x)?|f.*e",
                                        "(*NO_JIT)^(a|b)*$"};
    size_t len = 5000, g;
    char *data = test_alloc(len);
    long n;

    memset(data, 'a', len);
    for (g = 0; g < 2; g++) {
        for (n = 1;; n++) {
            quire_status st;
            bool found;

            fault_arm(n, ENOMEM, false);
            st = look(greps[g], bytes_of(data, len), &found);
            if (!fault_disarm()) {
                OK(st);
                break;
            }
            /* Compiling to machine code is a favour. */
            if (st)
                IS(QUIRE_NO_MEMORY, st);
        }
        YES(n > 5);
    }
}

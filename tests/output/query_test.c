#include "output/query.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What the query finds in the text; "absent" if nothing. */
static void finds(const char *json, const char *query, const char *want)
{
    struct arena a = ARENA_INIT;
    quire_bytes got;

    YES(json_check(bytes_str(json), 0, NULL));
    OK(query_check(query, &test_err));
    OK(query_find(bytes_str(json), query, &a, &got, &test_err));
    if (got.data)
        SAME(bytes_str(want), got);
    else
        SAME_TEXT(want, "absent");
    arena_release(&a);
}

static void cannot_read(const char *query, const char *words)
{
    struct arena a = ARENA_INIT;
    quire_error err = {0}, same = {0};
    quire_bytes got;

    IS(QUIRE_INVALID, query_check(query, &err));
    IS(QUIRE_INVALID, query_find(bytes_str("{}"), query, &a, &got, &same));
    HAS(err.what, words);
    SAME_TEXT(err.what, same.what);
    IS(QUIRE_INVALID, query_check(query, NULL));
    YES(got.data == NULL);
    arena_release(&a);
}

static const char report[] =
    "{ \"items\": [ {\"title\": \"one\"}, {\"title\": \"two\", \"n\": 2} ],"
    "  \"a key\": 1, \"it's\": 2, \"b\\\\c\": 3, \"say \\\"x\\\"\": 4, \"\": 5,"
    "  \"0\": \"zero\", \"00\": \"twice\", \"text\": \"abc\","
    "  \"with-dash_9\": true, \"none\": null, \"o\": {\"length\": 7} }";

TEST(query_follows_names_and_indexes)
{
    finds(report, ".items[0].title", "\"one\"");
    finds(report, ".items[1]", "{\"title\": \"two\", \"n\": 2}");
    finds(report, "items[1].n", "2");
    finds(report, "with-dash_9", "true");
    finds(report, ".none", "null");
    finds("[[1,2],[3,[4,5]]]", "[1][1][0]", "4");
}

TEST(query_needs_no_leading_dot_and_takes_several)
{
    finds(report, "items.0.title", "\"one\"");
    finds(report, "..items...0..title..", "\"one\"");
    finds(report, ".items.[0].title", "\"one\"");
    finds(report, "items[0]title", "\"one\"");
}

TEST(query_of_nothing_is_the_whole_value)
{
    finds(" [1, 2] \n", "", "[1, 2]");
    finds("[1]", ".", "[1]");
    finds("[1]", " \t.. ", "[1]");
    finds(" 12 ", "", "12");
    finds("\"x\"", ".", "\"x\"");
}

TEST(query_is_trimmed_as_javascript_trims)
{
    finds(report, "  .text \n", "\"abc\"");
    finds(report, "\xc2\xa0.text\xef\xbb\xbf\xe3\x80\x80", "\"abc\"");
    finds(report, "items[ 0 ].title", "\"one\"");
    finds(report,
          "items[\xe2\x80\x83"
          "0\v].title",
          "\"one\"");
    finds(report, "[ 'a key' ]", "1");
    finds("{\" a \":1,\"a\":2}", "[' a ']", "1");
    finds("{\" a \":1,\"a\":2}", "[ a ]", "2");
}

TEST(query_takes_any_key_in_brackets)
{
    finds(report, "['a key']", "1");
    finds(report, "[\"a key\"]", "1");
    finds(report, "[a key]", "1");
    finds(report, "[it's]", "2");
    finds(report, "[\"it's\"]", "2");
    finds(report, "[o].length", "7");
    finds("{\"a.b\":1,\"[\":2,\"\xc3\xa9\":3,\"$\":4}", "['a.b']", "1");
    finds("{\"a.b\":1,\"[\":2,\"\xc3\xa9\":3,\"$\":4}", "[[]", "2");
    finds("{\"a.b\":1,\"[\":2,\"\xc3\xa9\":3,\"$\":4}", "[\xc3\xa9]", "3");
    finds("{\"a.b\":1,\"[\":2,\"\xc3\xa9\":3,\"$\":4}", "[$]", "4");
}

TEST(query_takes_a_backslash_before_quotes_and_backslashes)
{
    finds(report, "['it\\'s']", "2");
    finds(report, "['b\\\\c']", "3");
    finds(report, "['b\\c']", "3");
    finds(report, "[\"say \\\"x\\\"\"]", "4");
    finds(report, "['say \\\"x\\\"']", "4");
    finds("{\"\\\\n\":1}", "['\\n']", "1");
    finds("{\"b\\\\\":1}", "['b\\']", "1");
    finds("{\"b\\\\\":1}", "['b\\\\']", "1");
    finds("{\"b\\\\\\\\\":1}", "['b\\\\\\\\']", "1");
    /* and only inside of quotes */
    finds("{\"\\\\\\\\\":1}", "[\\\\]", "1");
}

TEST(query_takes_a_lone_quote_for_an_empty_key)
{
    finds(report, "['']", "5");
    finds(report, "[\"\"]", "5");
    finds(report, "[']", "5");
    finds(report, "[\"]", "5");
    finds("{\"'a\":1,\"a'\":2}", "['a]", "1");
    finds("{\"'a\":1,\"a'\":2}", "[a']", "2");
    finds("{\"'a\\\"\":1}", "['a\"]", "1");
}

TEST(query_ends_a_bracket_at_the_first_closing_one)
{
    cannot_read("['a]b']", "unexpected ''' at byte 6");
    finds("{\"'a\":{\"b\":1}}", "['a]b", "1");
}

TEST(query_takes_an_index_for_elements_alone)
{
    finds(report, "[0]", "absent");
    finds(report, "text[0]", "absent");
    finds(report, "none[0]", "absent");
    finds("12", "[0]", "absent");
    finds("[5,6]", "[01]", "6");
    finds("[5,6]", "[2]", "absent");
    finds("[]", "[0]", "absent");
}

TEST(query_takes_a_name_that_is_a_number_for_a_key_or_an_element)
{
    finds(report, ".0", "\"zero\"");
    finds(report, "['0']", "\"zero\"");
    finds(report, ".00", "\"twice\"");
    finds("[5,6]", ".1", "6");
    finds("[5,6]", "['1']", "6");
    finds("[5,6]", "['\\1']", "absent");
    finds("[5,6]", ".01", "absent");
    finds("[5,6]", ".00", "absent");
    finds("[5,6]", ".-1", "absent");
    finds("[5,6]", "[-1]", "absent");
    finds("[5,6]", "[\xd9\xa1]", "absent");
}

TEST(query_gives_the_length_of_an_array_and_of_nothing_else)
{
    finds(report, "items.length", "2");
    finds(report, "items['length']", "2");
    finds(report, "items[length]", "2");
    finds("[]", "length", "0");
    finds("[[1,[2,3]],{\"a\":[]},4]", "length", "3");
    finds("[[1,[2,3]],{\"a\":[]},4]", "[0].length", "2");
    finds("[[1,[2,3]],{\"a\":[]},4]", "[0][1].length", "2");
    finds(report, "text.length", "absent");
    finds(report, "length", "absent");
    finds(report, "o.length", "7");
    finds(report, "items.length.length", "absent");
    finds(report, "items.length[0]", "absent");
    finds(report, "items.size", "absent");
}

TEST(query_finds_no_element_at_a_number_that_does_not_fit)
{
    finds("[1]", "[18446744073709551615]", "absent");
    finds("[1]", "[18446744073709551614]", "absent");
    finds("[1]", "[18446744073709551616]", "absent");
    finds("[1]", "[99999999999999999999999999999999]", "absent");
    finds("[1]", ".18446744073709551616", "absent");
    finds("[[1],2]", "[0][18446744073709551615]", "absent");
    finds("[1]", "[00000000000000000000000000000000]", "1");
}

TEST(query_finds_nothing_in_what_has_no_inside)
{
    finds(report, "text.x", "absent");
    finds(report, "none.x", "absent");
    finds(report, "nope", "absent");
    finds(report, "nope.nope[3]", "absent");
    finds("true", "x", "absent");
    finds("{}", "__proto__", "absent");
    finds("{}", "toString", "absent");
    finds("[]", "map", "absent");
    finds("{\"__proto__\":1}", "__proto__", "1");
}

TEST(query_takes_the_last_of_a_repeated_key)
{
    finds("{\"a\":1,\"a\":2}", "a", "2");
    finds("{\"a\":{\"b\":1},\"a\":{\"b\":2}}", "a.b", "2");
    finds("{\"a\":{\"b\":1},\"a\":{}}", "a.b", "absent");
    finds("{\"a\":{\"b\":1},\"a\":3}", "a.b", "absent");
    finds("{\"a\":3,\"a\":{\"b\":1}}", "a.b", "1");
    finds("{\"a\":[1,2],\"a\":[]}", "a.length", "0");
    finds("{\"a\":[1,2],\"a\":\"x\"}", "a.length", "absent");
    finds("{\"a\":[1,2],\"a\":{\"length\":9}}", "a.length", "9");
    finds("{\"a\":{\"length\":9},\"a\":[1,2]}", "a.length", "2");
    finds("{\"a\":[1,2],\"a\":[3]}", "a[1]", "absent");
    finds("{\"a\":[[1]],\"a\":[[2]]}", "a[0][0]", "2");
    finds("{\"a\":{\"b\":1,\"b\":2},\"c\":{\"b\":3}}", "a.b", "2");
}

TEST(query_knows_a_key_however_it_is_spelled)
{
    finds("{\"\\u0061\":1}", "a", "1");
    finds("{\"\\ud83d\\ude00\":1}", "['\xf0\x9f\x98\x80']", "1");
    finds("{\"a\\/b\":1}", "['a/b']", "1");
    finds("{\"a\":1,\"\\u0061\":2}", "a", "2");
    finds("{\"\\ud800\":1}", "['\xef\xbf\xbd']", "absent");
    finds("{\"\xff\":1}", "[\xff]", "1");
    finds("{\"a\\u0000b\":1,\"a\":2}", "a", "2");
}

TEST(query_looks_in_no_container_that_is_not_meant)
{
    finds("[{\"a\":1},{\"a\":2},{\"a\":3}]", "[1].a", "2");
    finds("{\"x\":{\"a\":1},\"y\":{\"b\":{\"a\":2}}}", "a", "absent");
    finds("{\"x\":{\"a\":1},\"y\":{\"b\":{\"a\":2}}}", "y.a", "absent");
    finds("[[0,1],[2,3],4]", "[2]", "4");
    finds("[[0,1],[2,3],4]", "[0][1]", "1");
    finds("[[0],[2,3]]", "[0][1]", "absent");
}

TEST(query_says_what_cannot_be_read_and_where)
{
    static const struct {
        const char *query, *words;
    } bad[] = {
        {"[", "missing ] for the [ at byte 1"},
        {"a.b[0", "cannot read the query a.b[0: missing ]"},
        {"a.b[0", "at byte 4"},
        {"a[]", "nothing in the [] at byte 2"},
        {"a[ \t]", "nothing in the []"},
        {"$.a", "unexpected '$' at byte 1"},
        {"  a b ", "unexpected ' ' at byte 4"},
        {"a|b", "unexpected '|' at byte 2"},
        {"a]", "unexpected ']' at byte 2"},
        {"a.*", "unexpected '*' at byte 3"},
        {"a.\xc3\xa9", "unexpected '\xc3\xa9' at byte 3"},
        {"a\x1b[2J]", "cannot read the query a?[2J]: unexpected '?' at byte 2"},
        {"a\xff", "unexpected '?' at byte 2"},
        {"a\xc2\x9b", "unexpected '?' at byte 2"},
        {"'a'", "unexpected '''"},
        {"a:b", "unexpected ':'"},
        {"a[1:2", "missing ]"},
    };
    size_t i;

    for (i = 0; i < COUNT(bad); i++)
        cannot_read(bad[i].query, bad[i].words);
}

TEST(query_hints_at_how_to_write_one)
{
    quire_error err = {0};

    IS(QUIRE_INVALID, query_check("a..*", &err));
    HAS(err.next, ".items[0]['a key']");
}

TEST(query_error_leaves_room_for_what_is_wrong)
{
    char long_query[5000];
    quire_error err = {0};

    memset(long_query, 'a', sizeof long_query);
    long_query[sizeof long_query - 2] = '*';
    long_query[sizeof long_query - 1] = '\0';
    IS(QUIRE_INVALID, query_check(long_query, &err));
    HAS(err.what, "aaa...: unexpected '*' at byte 4999");
}

static char *repeat(const char *text, size_t times)
{
    size_t len = strlen(text), i;
    char *out = test_alloc(len * times + 1);

    for (i = 0; i < times; i++)
        memcpy(out + i * len, text, len);
    out[len * times] = '\0';
    return out;
}

TEST(query_has_up_to_64_kib)
{
    char *most = repeat(".", (size_t)64 * 1024);
    char *more = repeat(".", (size_t)64 * 1024 + 1);

    finds("7", most, "7");
    cannot_read(more, "has more than 65536 bytes");
}

TEST(query_goes_as_deep_as_json_does_and_no_deeper)
{
    struct buf json = BUF_INIT(1 << 16);

    buf_add_str(&json, repeat("[", JSON_MAX_DEPTH));
    buf_add_char(&json, '7');
    buf_add_str(&json, repeat("]", JSON_MAX_DEPTH));
    finds(buf_text(&json), repeat("[0]", JSON_MAX_DEPTH), "7");
    finds(buf_text(&json), repeat(".0", JSON_MAX_DEPTH - 1), "[7]");
    cannot_read(repeat(".0", JSON_MAX_DEPTH + 1), "more than 512 steps");
    buf_release(&json);
}

TEST(query_finds_a_slice_of_the_text_without_copying)
{
    struct arena a = ARENA_INIT;
    quire_bytes got;

    OK(query_find(bytes_str(report), ".items[1].n", &a, &got, &test_err));
    YES((const char *)got.data > report &&
        (const char *)got.data < report + sizeof report);
    EQ(0, a.used);
    arena_release(&a);
}

TEST(query_finds_nothing_in_a_text_that_is_no_json)
{
    static const char *const damaged[] =
        {"", "{", "[1,", "{\"a\":1} x", "{\"a\":[1,2}", "{'a':1}"};
    struct arena a = ARENA_INIT;
    size_t i;

    for (i = 0; i < COUNT(damaged); i++) {
        quire_bytes got;

        OK(query_find(bytes_str(damaged[i]), "a", &a, &got, &test_err));
        YES(got.data == NULL);
    }
    arena_release(&a);
}

TEST(query_reads_a_large_text_once_however_many_steps)
{
    struct buf json = BUF_INIT((size_t)64 << 20);
    struct arena a = ARENA_INIT;
    quire_bytes got;
    int i;

    /* 500 deep with 16 MB at the bottom: a look at each level would be a walk
     * over eight gigabytes. */
    buf_add_str(&json, repeat("{\"a\":", 500));
    buf_add_str(&json, "[0");
    for (i = 0; i < 16; i++)
        buf_add_str(&json, repeat(",1234567", (size_t)128 * 1024));
    buf_add_str(&json, "]");
    buf_add_str(&json, repeat("}", 500));
    NO(json.failed);
    OK(query_find(buf_bytes(&json), repeat(".a", 500), &a, &got, &test_err));
    EQ(json.len - 500 * 6, got.len);
    buf_release(&json);
    arena_release(&a);
}

TEST(query_says_so_when_there_is_no_memory)
{
    bool hit = true;
    long n;

    for (n = 1; hit; n++) {
        struct arena a = ARENA_INIT;
        quire_bytes got = {"x", 1};
        quire_error err = {0};
        quire_status st;

        fault_arm(n, ENOMEM, n % 2);
        st = query_find(bytes_str("{\"it's\":[1,2]}"), "['it\\'s'].length", &a,
                        &got, &err);
        hit = fault_disarm();
        EQ(hit ? QUIRE_NO_MEMORY : QUIRE_OK, st);
        if (hit) {
            HAS(err.what, "memory");
            YES(got.data == NULL);
        } else {
            SAME(bytes_str("2"), got);
        }
        arena_release(&a);
    }
    YES(n > 2);
}

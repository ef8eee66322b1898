#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const good[] = {
    "0",
    "-0",
    "1",
    "-1",
    "10",
    "1.5",
    "0.0",
    "-0.0e0",
    "1e5",
    "1E5",
    "1e+5",
    "1e-5",
    "0e0",
    "0E+00",
    "123456789012345678901234567890.098765432109876543210e-12345",
    "true",
    "false",
    "null",
    "\"\"",
    "\"a\"",
    "\"\\\"\"",
    "\"\\\\\"",
    "\"\\/\\b\\f\\n\\r\\t\"",
    "\"\\u0000\"",
    "\"\\uD800\"",
    "\"\\uDc00\\ud800\"",
    "\"\\uABCD\\uabcd\"",
    "\"\x7f\"",
    "\"é→😀\"",
    "[]",
    "[ ]",
    "[[]]",
    "[[],[]]",
    "{}",
    "{ }",
    "[1]",
    "[1,2]",
    "[ 1 , 2 ]",
    "{\"a\":1}",
    "{\"a\":1,\"a\":2}",
    "{\"\":\"\"}",
    "{\"__proto__\":{\"__proto__\":null}}",
    " \t\r\n{ \"a\" : [ true , null , { } ] }\n\r\t ",
    "{\"a\":{\"b\":{\"c\":[1,[2,[3]]]}}}",
    "[\"\\u0022\",\"]\",\"}\",\",\",\":\"]",
};

/* A text, the offset at which it goes wrong, and why. */
static const struct {
    const char *text;
    size_t at;
    const char *why;
} wrong[] = {
    {"", 0, "a value is missing at the end"},
    {" ", 1, "a value is missing at the end"},
    {"\xef\xbb\xbf{}", 0, "a byte order mark"},
    {"\x0b[]", 0, "this begins no value"},
    {"\x0c[]", 0, "this begins no value"},
    {"[\xc2\xa0]", 1, "this begins no value"},
    {"+1", 0, "this begins no value"},
    {".5", 0, "this begins no value"},
    {"NaN", 0, "this begins no value"},
    {"Infinity", 0, "this begins no value"},
    {"undefined", 0, "this begins no value"},
    {"'a'", 0, "this begins no value"},
    {"/**/1", 0, "this begins no value"},
    {"]", 0, "a value is missing before a closing bracket"},
    {"}", 0, "a value is missing before a closing bracket"},
    {",", 0, "this begins no value"},
    {"-", 1, "a digit is missing in a number"},
    {"--1", 1, "a digit is missing in a number"},
    {"-a", 1, "a digit is missing in a number"},
    {"-Infinity", 1, "a digit is missing in a number"},
    {"-.5", 1, "a digit is missing in a number"},
    {"1.", 2, "a digit is missing in a number"},
    {"1.e5", 2, "a digit is missing in a number"},
    {"[1.]", 3, "a digit is missing in a number"},
    {"1e", 2, "a digit is missing in a number"},
    {"1e+", 3, "a digit is missing in a number"},
    {"1e-x", 3, "a digit is missing in a number"},
    {"1e5.5", 3, "more text after the value"},
    {"01", 1, "a number begins with a needless zero"},
    {"-01", 2, "a number begins with a needless zero"},
    {"00", 1, "a number begins with a needless zero"},
    {"0x10", 1, "more text after the value"},
    {"1 2", 2, "more text after the value"},
    {"1,", 1, "more text after the value"},
    {"{}{}", 2, "more text after the value"},
    {"[]]", 2, "more text after the value"},
    {"truex", 4, "more text after the value"},
    {"tru", 0, "an unknown word; true, false or null could be here"},
    {"True", 0, "this begins no value"},
    {"TRUE", 0, "this begins no value"},
    {"nul", 0, "an unknown word; true, false or null could be here"},
    {"fals", 0, "an unknown word; true, false or null could be here"},
    {"falsy", 0, "an unknown word; true, false or null could be here"},
    {"\"", 1, "a string has no closing quote"},
    {"\"a", 2, "a string has no closing quote"},
    {"\"\\", 2, "a string has no closing quote"},
    {"\"\\\"", 3, "a string has no closing quote"},
    {"\"\\u", 3, "a string has no closing quote"},
    {"\"\\u12", 5, "a string has no closing quote"},
    {"\"\\u1234", 7, "a string has no closing quote"},
    {"\"\\u12\"", 1, "\\u without four hex digits"},
    {"\"\\u12G4\"", 1, "\\u without four hex digits"},
    {"\"\\u-123\"", 1, "\\u without four hex digits"},
    {"\"\\x41\"", 1, "an unknown escape in a string"},
    {"\"\\'\"", 1, "an unknown escape in a string"},
    {"\"\\U0041\"", 1, "an unknown escape in a string"},
    {"\"\\\n\"", 1, "an unknown escape in a string"},
    {"\"a\nb\"", 2, "a control character in a string"},
    {"\"a\tb\"", 2, "a control character in a string"},
    {"\"\x1f\"", 1, "a control character in a string"},
    {"[", 1, "a value is missing at the end"},
    {"[1", 2, "a closing bracket is missing at the end"},
    {"[1,", 3, "a value is missing at the end"},
    {"[1,]", 3, "a value is missing before a closing bracket"},
    {"[,1]", 1, "this begins no value"},
    {"[1,,2]", 3, "this begins no value"},
    {"[1 2]", 3, "a comma is missing"},
    {"[1:2]", 2, "a comma is missing"},
    {"[1}", 2, "a closing bracket of the wrong kind"},
    {"[}", 1, "a value is missing before a closing bracket"},
    {"{", 1, "a key is missing at the end"},
    {"{]", 1, "a key in quotes is missing"},
    {"{\"a\"", 4, "a colon is missing"},
    {"{\"a\"}", 4, "a colon is missing"},
    {"{\"a\",1}", 4, "a colon is missing"},
    {"{\"a\":", 5, "a value is missing at the end"},
    {"{\"a\":}", 5, "a value is missing before a closing bracket"},
    {"{\"a\":1", 6, "a closing bracket is missing at the end"},
    {"{\"a\":1,", 7, "a key is missing at the end"},
    {"{\"a\":1,}", 7, "a key in quotes is missing"},
    {"{\"a\":1 \"b\":2}", 7, "a comma is missing"},
    {"{\"a\":1]", 6, "a closing bracket of the wrong kind"},
    {"{,\"a\":1}", 1, "a key in quotes is missing"},
    {"{a:1}", 1, "a key in quotes is missing"},
    {"{1:1}", 1, "a key in quotes is missing"},
    {"{\"a\"::1}", 5, "this begins no value"},
    {"{\"a\":1}}", 7, "more text after the value"},
};

/* Is it JSON, by every look that can tell? They must agree. The text is put
 * into memory of its exact size, so that a sanitizer sees one byte more. */
static bool agree(const char *text, size_t len, struct json_error *error)
{
    char *exact = calloc(1, len ? len : 1);
    quire_bytes b = bytes_of(exact, len);
    struct json_error by_pick = {.why = NULL};
    struct json_scan it;
    bool ok;

    if (len)
        memcpy(exact, text, len);
    ok = json_check(b, 0, error);
    json_iter_init(&it, b);
    while (json_next(&it))
        YES(json_check(it.value, 0, NULL) &&
            (!it.key.data || json_kind(it.key) == JSON_STRING));
    if (json_pick(b, NULL, 0, &by_pick))
        YES(ok);
    if (ok && it.error.why)
        SAME_TEXT("not an object or an array", it.error.why);
    if (!ok && it.error.at != error->at) /* all stop at the same byte */
        SAME_TEXT("not an object or an array", it.error.why);
    free(exact);
    return ok;
}

TEST(json_check_accepts_all_of_the_grammar)
{
    struct json_error error = {.at = 7};
    size_t i;

    for (i = 0; i < COUNT(good); i++)
        if (!agree(good[i], strlen(good[i]), &error))
            SAME_TEXT(good[i], error.why);
    EQ(7, error.at); /* untouched on success */
}

TEST(json_check_says_where_a_text_goes_wrong_and_why)
{
    struct json_error error;
    size_t i;

    for (i = 0; i < COUNT(wrong); i++) {
        if (agree(wrong[i].text, strlen(wrong[i].text), &error))
            SAME_TEXT("rejected", wrong[i].text);
        SAME_TEXT(wrong[i].why, error.why);
        if (wrong[i].at != error.at)
            SAME_TEXT("(the offset)", wrong[i].text);
        EQ(wrong[i].at, error.at);
    }
}

TEST(json_check_accepts_no_control_character_anywhere_but_space)
{
    struct json_error error;
    char text[] = "\"x\"", outside[] = "[x1]";
    int c;

    for (c = 0; c < 0x20; c++) {
        bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';

        text[1] = outside[1] = (char)c;
        NO(agree(text, 3, &error));
        EQ(space, agree(outside, 4, &error));
    }
}

TEST(json_check_accepts_exactly_nine_letters_behind_a_backslash)
{
    struct json_error error;
    int c, n = 0;

    for (c = 0; c < 256; c++) {
        char text[] = "\"\\x0041\"";

        text[2] = (char)c;
        n += agree(text, 8, &error);
    }
    EQ(9, n);
}

TEST(json_check_stops_at_nul_bytes)
{
    struct json_error error;

    NO(agree("\0", 1, &error));
    NO(agree("{}\0", 3, &error));
    EQ(2, error.at);
    NO(agree("\"a\0\"", 4, &error));
    EQ(2, error.at);
}

TEST(json_never_reads_past_any_prefix_of_a_text)
{
    struct json_error error;
    size_t i, len;

    for (i = 0; i < COUNT(good); i++)
        for (len = 0; len <= strlen(good[i]); len++)
            agree(good[i], len, &error);
    for (i = 0; i < COUNT(wrong); i++)
        for (len = 0; len <= strlen(wrong[i].text); len++)
            agree(wrong[i].text, len, &error);
}

TEST(json_check_takes_no_prefix_of_a_container_for_the_whole)
{
    struct json_error error;
    size_t i, len;

    for (i = 0; i < COUNT(good); i++) {
        quire_bytes b = bytes_str(good[i]);
        const char *bracket = strpbrk(good[i], "]}");

        if (json_kind(b) < JSON_ARRAY || !bracket)
            continue;
        for (len = 0; len < b.len; len++) {
            NO(agree(good[i], len, &error));
            YES(error.at <= len);
        }
    }
}

/* ---- blocks ------------------------------------------------------------ */

TEST(json_strings_end_where_they_end_at_every_place_of_a_block)
{
    static const char *const middles[] = {
        "",        "\\\"",     "\\\\",        "\\n",
        "\\u0041", "\\\\\\\"", "\\\\\\\\\\n", "\\ud83d\\ude00",
    };
    struct json_error error;
    struct buf text = BUF_INIT(1 << 16);
    size_t before, after, m;

    for (before = 0; before < 140; before++) {
        for (after = 0; after < 70; after += 1 + after / 20) {
            for (m = 0; m < COUNT(middles); m++) {
                size_t i;

                buf_clear(&text);
                buf_add_char(&text, '"');
                for (i = 0; i < before; i++)
                    buf_add_char(&text, 'x');
                buf_add_str(&text, middles[m]);
                for (i = 0; i < after; i++)
                    buf_add_char(&text, '\x7f');
                if (agree(text.data, text.len, &error))
                    EQ(0, before);
                if (error.at != text.len) /* no quote up to the very end */
                    EQ(text.len, error.at);
                buf_add_char(&text, '"');
                if (!agree(text.data, text.len, &error))
                    SAME_TEXT(buf_text(&text), error.why);
            }
        }
    }
    buf_release(&text);
}

TEST(json_strings_show_a_bad_byte_at_every_place_of_a_block)
{
    struct json_error error;
    char text[160];
    size_t at;

    for (at = 1; at < sizeof text - 1; at++) {
        memset(text, 'x', sizeof text);
        text[0] = text[sizeof text - 1] = '"';
        text[at] = '\x1f';
        NO(agree(text, sizeof text, &error));
        EQ(at, error.at);
        text[at] = '"';
        NO(agree(text, sizeof text, &error));
        EQ(at + 1, error.at);
        text[at] = '\\'; /* \x, or the closing quote escaped */
        NO(agree(text, sizeof text, &error));
        EQ(at == sizeof text - 2 ? sizeof text : at, error.at);
        text[at] = (char)0xff; /* no matter of grammar */
        YES(agree(text, sizeof text, &error));
        NO(json_check(bytes_of(text, sizeof text), JSON_UTF8, &error));
        EQ(at, error.at);
        SAME_TEXT("a string is not UTF-8", error.why);
    }
}

TEST(json_strings_of_backslashes_only_are_paired_right)
{
    struct json_error error;
    char text[200];
    size_t n;

    memset(text, '\\', sizeof text);
    text[0] = '"';
    for (n = 0; n < 190; n++) {
        text[n + 1] = '"';
        EQ(n % 2 == 0, agree(text, n + 2, &error));
        text[n + 1] = '\\';
    }
}

TEST(json_takes_numbers_and_strings_of_any_length)
{
    size_t len = 100000;
    char *text = test_alloc(len);
    struct json_error error;
    int64_t v;

    memset(text, '7', len);
    YES(agree(text, len, &error));
    NO(json_read_int(bytes_of(text, len), &v));
    text[1] = '.';
    YES(agree(text, len, &error));
    text[len - 1] = 'e';
    NO(agree(text, len, &error));
    EQ(len, error.at);

    len = (size_t)16 << 20;
    text = test_alloc(len);
    memset(text, 'A', len);
    text[0] = text[len - 1] = '"';
    YES(json_check(bytes_of(text, len), JSON_UTF8, NULL));
    NO(json_check(bytes_of(text, len - 1), JSON_UTF8, &error));
    EQ(len - 1, error.at);
}

/* ---- depth ------------------------------------------------------------- */

static char *nested(size_t depth, const char *open, const char *shut)
{
    size_t one = strlen(open), i;
    char *text = test_alloc(depth * (one + 1));

    for (i = 0; i < depth; i++) {
        memcpy(text + i * one, open, one);
        text[depth * (one + 1) - 1 - i] = shut[i % strlen(shut)];
    }
    return text;
}

TEST(json_nests_as_deep_as_it_says_and_no_deeper)
{
    struct json_error error;
    char *text;

    text = nested(JSON_MAX_DEPTH, "[", "]");
    YES(agree(text, strlen(text), &error));
    text = nested(JSON_MAX_DEPTH + 1, "[", "]");
    NO(agree(text, strlen(text), &error));
    EQ(JSON_MAX_DEPTH, error.at);
    SAME_TEXT("nested too deeply", error.why);

    /* An object needs a value inside, so its innermost is a number's place. */
    text = nested(JSON_MAX_DEPTH / 2, "[{\"\":", "}");
    NO(agree(text, strlen(text), &error));
    text = test_alloc(1 << 20);
    memset(text, '[', 1 << 20);
    NO(agree(text, 1 << 20, &error));
    EQ(JSON_MAX_DEPTH, error.at);
}

TEST(json_remembers_what_kind_each_level_is)
{
    struct buf text = BUF_INIT(1 << 16);
    struct json_error error;
    size_t i, flip;

    for (flip = 0; flip <= 200; flip += 7) {
        uint64_t kinds = 0x9e3779b97f4a7c15u;
        char shut[200];

        buf_clear(&text);
        for (i = 0; i < 200; i++) {
            bool object = kinds >> i % 64 & 1;

            buf_add_str(&text, object ? "{\"k\":" : "[");
            shut[i] = object ? '}' : ']';
        }
        buf_add_str(&text, "0");
        if (flip < 200)
            shut[flip] = (char)(shut[flip] ^ ('}' ^ ']'));
        for (i = 200; i-- > 0;)
            buf_add_char(&text, shut[i]);
        EQ(flip >= 200, agree(text.data, text.len, &error));
    }
    buf_release(&text);
}

/* ---- looks ------------------------------------------------------------- */

static const char line[] =
    "{\"type\":\"message\",\"id\":\"a1\",\"parentId\":null,"
    "\"timestamp\":\"2025\",\"message\":{\"role\":\"user\",\"id\":\"inner\","
    "\"content\":[{\"type\":\"text\",\"text\":\"hi\"},7]}}";

#define FOUR_WANTS                                                 \
    {                                                              \
        JSON_WANT("type"), JSON_WANT("id"), JSON_WANT("parentId"), \
            JSON_WANT("timestamp")                                 \
    }

TEST(json_head_finds_the_keys_of_the_top_object_only)
{
    struct json_want w[] = FOUR_WANTS;

    YES(json_head(bytes_str(line), w, 4, NULL));
    SAME(bytes_str("\"message\""), w[0].value);
    SAME(bytes_str("\"a1\""), w[1].value);
    SAME(bytes_str("null"), w[2].value);
    SAME(bytes_str("\"2025\""), w[3].value);
}

TEST(json_head_stops_when_it_has_seen_them_all)
{
    struct json_want w[] = FOUR_WANTS;
    struct json_error error;
    const char *stop = strstr(line, ",\"message\":");
    size_t len;

    for (len = 0; len <= strlen(line); len++) {
        char *exact = malloc(len ? len : 1);

        memcpy(exact, line, len);
        EQ(len >= (size_t)(stop - line),
           json_head(bytes_of(exact, len), w, 4, &error));
        free(exact);
    }
}

TEST(json_head_leaves_absent_keys_without_an_address)
{
    struct json_want w[] = FOUR_WANTS;

    w[1].value = bytes_str("left from before");
    YES(json_head(bytes_str("{\"type\":1,\"ID\":2,\"ids\":3}"), w, 4, NULL));
    YES(w[0].value.data && !w[1].value.data && !w[2].value.data);
    YES(json_head(bytes_str(" {} "), w, 4, NULL));
    YES(!w[0].value.data);
}

TEST(json_head_takes_keys_in_any_order_and_spelling)
{
    struct json_want w[] = FOUR_WANTS;

    YES(json_head(bytes_str("{\"timestamp\" : 4 , \"x\":{\"id\":0},"
                            "\"parent\\u0049d\":3,\"\\u0069\\u0064\":[2],"
                            "\"\\u0074ype\":1"),
                  w, 4, NULL));
    SAME(bytes_str("1"), w[0].value);
    SAME(bytes_str("[2]"), w[1].value);
    SAME(bytes_str("3"), w[2].value);
    SAME(bytes_str("4"), w[3].value);
}

TEST(json_head_wants_an_object)
{
    struct json_want w[] = FOUR_WANTS;
    struct json_error error;

    NO(json_head(bytes_str("[1]"), w, 4, &error));
    SAME_TEXT("not an object", error.why);
    NO(json_head(bytes_str(" 1"), w, 4, &error));
    SAME_TEXT("not an object or an array", error.why);
    EQ(1, error.at);
    NO(json_head(bytes_of(NULL, 0), w, 4, &error));
    SAME_TEXT("a value is missing at the end", error.why);
}

TEST(json_pick_gives_the_last_of_a_repeated_key)
{
    static const char twice[] = "{\"id\":1,\"type\":2,\"\\u0069d\":3}";
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("type")};

    YES(json_pick(bytes_str(twice), w, 2, NULL));
    SAME(bytes_str("3"), w[0].value);
    SAME(bytes_str("3"), json_get(bytes_str(twice), "id"));

    /* and json_head() the last before it could stop */
    YES(json_head(bytes_str(twice), w, 2, NULL));
    SAME(bytes_str("1"), w[0].value);
    YES(json_head(bytes_str("{\"id\":1,\"id\":2,\"type\":3,\"id\":4}"), w, 2,
                  NULL));
    SAME(bytes_str("2"), w[0].value);
}

TEST(json_pick_reads_to_the_very_end)
{
    struct json_want w[] = {JSON_WANT("type")};
    struct json_error error;

    YES(json_pick(bytes_str(line), w, 1, NULL));
    NO(json_pick(bytes_str("{\"type\":1,\"x\":[1,]}"), w, 1, &error));
    EQ(17, error.at);
    NO(json_pick(bytes_str("{\"type\":1} x"), w, 1, &error));
    EQ(11, error.at);
}

TEST(json_get_chains_through_what_is_not_there)
{
    quire_bytes top = bytes_str(line);

    SAME(bytes_str("\"user\""), json_get(json_get(top, "message"), "role"));
    YES(!json_get(json_get(top, "missing"), "role").data);
    YES(!json_get(json_get(top, "type"), "role").data);
    YES(!json_get(json_get(json_get(top, "message"), "content"), "0").data);
    YES(!json_get(bytes_str("{\"a\":1,}"), "a").data);
}

TEST(json_get_takes_proto_for_a_key_like_any_other)
{
    quire_bytes o = bytes_str("{\"__proto__\":{\"x\":1},\"constructor\":2}");

    SAME(bytes_str("1"), json_get(json_get(o, "__proto__"), "x"));
    SAME(bytes_str("2"), json_get(o, "constructor"));
    YES(!json_get(o, "toString").data);
}

TEST(json_get_does_not_take_a_spelled_out_escape_for_its_key)
{
    quire_bytes o = bytes_str("{\"a\\nb\":1,\"a\\\\nb\":2}");

    SAME(bytes_str("1"), json_get(o, "a\nb"));
    SAME(bytes_str("2"), json_get(o, "a\\nb"));
}

TEST(json_get_knows_long_keys_with_escapes_at_their_end)
{
    quire_bytes o = bytes_str("{\"0123456789012345678901234567890\\u0031\":1,"
                              "\"0123456789012345678901234567890\":2}");

    SAME(bytes_str("1"), json_get(o, "01234567890123456789012345678901"));
    SAME(bytes_str("2"), json_get(o, "0123456789012345678901234567890"));
}

TEST(json_next_gives_members_and_elements_as_they_lie)
{
    struct json_scan it;
    struct buf seen = BUF_INIT(1 << 12);

    json_iter_init(&it,
                   bytes_str(" { \"a\" : [ 1 , 2 ] , \"b\":{} ,\"c\" :3 } "));
    while (json_next(&it))
        buf_addf(&seen, "%.*s=%.*s;", (int)it.key.len,
                 (const char *)it.key.data, (int)it.value.len,
                 (const char *)it.value.data);
    YES(!it.error.why);
    NO(json_next(&it));
    SAME_TEXT("\"a\"=[ 1 , 2 ];\"b\"={};\"c\"=3;", buf_text(&seen));

    buf_clear(&seen);
    json_iter_init(&it, bytes_str("[1,\"x\",[],{\"y\":[[]]},null]"));
    while (json_next(&it)) {
        YES(!it.key.data);
        buf_addf(&seen, "%.*s;", (int)it.value.len,
                 (const char *)it.value.data);
    }
    YES(!it.error.why);
    SAME_TEXT("1;\"x\";[];{\"y\":[[]]};null;", buf_text(&seen));
    buf_release(&seen);
}

TEST(json_next_goes_wrong_where_the_text_does_and_stays_so)
{
    struct json_scan it;

    json_iter_init(&it, bytes_str("[1,2 3]"));
    YES(json_next(&it));
    YES(json_next(&it));
    NO(json_next(&it));
    SAME_TEXT("a comma is missing", it.error.why);
    NO(json_next(&it));
    EQ(5, it.error.at);

    json_iter_init(&it, bytes_str("[] 1"));
    NO(json_next(&it));
    SAME_TEXT("more text after the value", it.error.why);
    json_iter_init(&it, bytes_str("7"));
    NO(json_next(&it));
    SAME_TEXT("not an object or an array", it.error.why);
}

TEST(json_scan_walks_everything_in_order)
{
    static const char *const names[] = {"bad", "end", "", "open", "close"};
    struct buf seen = BUF_INIT(1 << 12);
    struct json_scan s;
    enum json_step step;

    json_scan_init(&s, bytes_str("{\"a\":[1,{\"b\":\"x\"}],\"c\":{}}"));
    do {
        step = json_scan_next(&s);
        buf_addf(&seen, "%u%s%.*s%s%.*s ", s.depth, names[step], (int)s.key.len,
                 s.key.data ? (const char *)s.key.data : "",
                 s.key.data ? ":" : "",
                 step == JSON_STEP_SCALAR ? (int)s.value.len : 0,
                 (const char *)s.value.data);
    } while (step != JSON_STEP_END && step != JSON_STEP_BAD);
    SAME_TEXT("1open 2open\"a\": 21 3open 3\"b\":\"x\" 2close 1close "
              "2open\"c\": 1close 0close 0end ",
              buf_text(&seen));
    EQ(JSON_STEP_END, json_scan_next(&s));
    buf_release(&seen);
}

TEST(json_scan_skip_makes_one_step_of_a_container)
{
    struct json_scan s;

    json_scan_init(&s, bytes_str("[ {\"a\":[1,2]} , {\"b\":[3}] ]"));
    EQ(JSON_STEP_OPEN, json_scan_next(&s));
    EQ(JSON_STEP_OPEN, json_scan_next(&s));
    YES(json_scan_skip(&s));
    SAME(bytes_str("{\"a\":[1,2]}"), s.value);
    EQ(1, s.depth);
    EQ(JSON_STEP_OPEN, json_scan_next(&s));
    NO(json_scan_skip(&s));
    SAME_TEXT("a closing bracket of the wrong kind", s.error.why);
    EQ(JSON_STEP_BAD, json_scan_next(&s));
}

TEST(json_kind_goes_by_the_first_byte)
{
    EQ(JSON_OBJECT, json_kind(bytes_str("{}")));
    EQ(JSON_ARRAY, json_kind(bytes_str("[]")));
    EQ(JSON_STRING, json_kind(bytes_str("\"\"")));
    EQ(JSON_NUMBER, json_kind(bytes_str("-1")));
    EQ(JSON_NUMBER, json_kind(bytes_str("9")));
    EQ(JSON_BOOL, json_kind(bytes_str("false")));
    EQ(JSON_NULL, json_kind(bytes_str("null")));
    EQ(JSON_ABSENT, json_kind(bytes_str("x")));
    EQ(JSON_ABSENT, json_kind(bytes_of(NULL, 0)));
}

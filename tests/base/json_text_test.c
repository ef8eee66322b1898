#include "base/json.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void decodes(const char *string, const char *want, size_t n_mended)
{
    struct buf out = BUF_INIT(1 << 16);
    struct arena a = ARENA_INIT;

    YES(json_check(bytes_str(string), 0, NULL));
    EQ(n_mended, json_decode(bytes_str(string), &out));
    SAME_TEXT(want, buf_text(&out));
    SAME(bytes_str(want), json_text(bytes_str(string), &a));
    YES(utf8_check(buf_bytes(&out)));
    EQ(utf8_count_utf16(bytes_str(want)), json_count_utf16(bytes_str(string)));
    arena_release(&a);
    buf_release(&out);
}

TEST(json_decodes_every_escape)
{
    decodes("\"\"", "", 0);
    decodes("\"plain\"", "plain", 0);
    decodes("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 0);
    decodes("\"\\u0041\\u00e9\\u20AC\\uFFFF\"", "Aé€\xef\xbf\xbf", 0);
    decodes("\"\\ud83d\\ude00\"", "😀", 0);
    decodes("\"\\uD83D\\uDE00\\uDBFF\\uDFFF\"", "😀\xf4\x8f\xbf\xbf", 0);
    decodes("\"a\\\\u0041\"", "a\\u0041", 0);
}

TEST(json_decodes_half_a_pair_as_a_replacement_and_says_so)
{
    decodes("\"\\ud800\"", "\xef\xbf\xbd", 1);
    decodes("\"\\udc00x\"", "\xef\xbf\xbdx", 1);
    decodes("\"\\ud83dx\"", "\xef\xbf\xbdx", 1);
    decodes("\"\\ud83d\\n\"", "\xef\xbf\xbd\n", 1);
    decodes("\"\\ud83d\\u0041\"",
            "\xef\xbf\xbd"
            "A",
            1);
    decodes("\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd", 2);
    decodes("\"\\ud83d\\ud83d\\ude00\"", "\xef\xbf\xbd😀", 1);
}

TEST(json_decodes_damaged_utf8_as_replacements_too)
{
    decodes("\"a\xff\xe2\x82z\"", "a\xef\xbf\xbd\xef\xbf\xbdz", 2);
    decodes("\"\xe2\\u0082\"", "\xef\xbf\xbd\xc2\x82", 1);
}

TEST(json_decodes_nul_as_a_byte_like_any_other)
{
    struct buf out = BUF_INIT(100);

    EQ(0, json_decode(bytes_str("\"a\\u0000b\""), &out));
    SAME(bytes_of("a\0b", 3), buf_bytes(&out));
    YES(json_equal(bytes_str("\"a\\u0000b\""), bytes_of("a\0b", 3)));
    buf_release(&out);
}

static void decodes_between(size_t before, const char *escape, size_t after,
                            const char *text)
{
    static const char digits[] = "0123456789012345678901234567890123456789";
    char string[128], want[128];

    snprintf(string, sizeof string, "\"%.*s%s%.*s\"", (int)before, digits,
             escape, (int)after, digits);
    snprintf(want, sizeof want, "%.*s%s%.*s", (int)before, digits, text,
             (int)after, digits);
    decodes(string, want, 0);
}

TEST(json_decodes_an_escape_at_any_place_of_a_long_string)
{
    size_t before, after;

    for (before = 0; before < 40; before++) {
        for (after = 0; after < 40; after += 3) {
            decodes_between(before, "\\n", after, "\n");
            decodes_between(before, "\\\\\\\"", after, "\\\"");
            decodes_between(before, "\\u00e9", after, "é");
            decodes_between(before, "\\ud83d\\ude00", after, "😀");
        }
    }
}

TEST(json_decodes_into_a_buffer_that_has_room_for_the_text_alone)
{
    struct buf out = BUF_INIT(3);

    EQ(0, json_decode(bytes_str("\"\\n\\n\\n\""), &out));
    SAME(bytes_str("\n\n\n"), buf_bytes(&out));
    NO(out.failed);
    json_decode(bytes_str("\"x\""), &out);
    YES(out.failed);
    SAME(bytes_str("\n\n\n"), buf_bytes(&out));
    buf_release(&out);
}

TEST(json_text_borrows_what_needs_no_decoding)
{
    quire_bytes plain = bytes_str("\"größe\"");
    struct arena a = ARENA_INIT;

    YES(json_text(plain, &a).data == (const char *)plain.data + 1);
    EQ(0, a.used);
    SAME(bytes_str("a\n"), json_text(bytes_str("\"a\\n\""), &a));
    YES(a.used > 0);
    arena_release(&a);
}

TEST(json_text_gives_nothing_when_there_is_no_memory)
{
    struct arena a = ARENA_INIT;
    long n;

    for (n = 1;; n++) {
        quire_bytes got;
        bool hit;

        fault_arm(n, 0, false);
        got = json_text(bytes_str("\"a\\n\""), &a);
        hit = fault_disarm();
        arena_release(&a);
        if (!hit)
            break;
        YES(got.data == NULL);
    }
    YES(n > 1);
}

TEST(json_knows_a_key_however_it_is_spelled)
{
    YES(json_is(bytes_str("\"type\""), "type"));
    YES(json_is(bytes_str("\"\\u0074ype\""), "type"));
    YES(json_is(bytes_str("\"\\u0074\\u0079\\u0070\\u0065\""), "type"));
    YES(json_is(bytes_str("\"\\ud83d\\ude00\""), "😀"));
    YES(json_is(bytes_str("\"a\\/b\""), "a/b"));
    YES(json_is(bytes_str("\"\""), ""));
    NO(json_is(bytes_str("\"types\""), "type"));
    NO(json_is(bytes_str("\"typ\""), "type"));
    NO(json_is(bytes_str("\"typ\\u0065s\""), "type"));
    NO(json_is(bytes_str("\"\""), "x"));
    NO(json_is(bytes_str("\"x\""), ""));
}

TEST(json_does_not_take_a_spelling_for_the_text)
{
    NO(json_is(bytes_str("\"a\\nb\""), "a\\nb"));
    YES(json_is(bytes_str("\"a\\\\nb\""), "a\\nb"));
    NO(json_is(bytes_str("\"\\u0074\""), "\\u0074"));
}

TEST(json_takes_half_a_pair_for_no_text_at_all)
{
    NO(json_is(bytes_str("\"\\ud800\""), "\xef\xbf\xbd"));
    NO(json_is(bytes_str("\"\\ud800\""), "\xed\xa0\x80"));
    YES(json_is(bytes_str("\"\xff\""), "\xff"));
}

TEST(json_says_no_when_asked_whether_a_number_is_a_text)
{
    NO(json_is(bytes_str("12"), "12"));
    NO(json_is(bytes_str("null"), "null"));
    NO(json_is(bytes_of(NULL, 0), ""));
}

TEST(json_reads_integers_that_fit_and_no_others)
{
    static const struct {
        const char *text;
        int64_t want;
    } good[] = {
        {"0", 0},
        {"-0", 0},
        {"7", 7},
        {"-1", -1},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
    };
    static const char *const no[] = {
        "",      "-",
        "01",    "-01",
        "1.0",   "1e3",
        "+1",    " 1",
        "1 ",    "0x1",
        "true",  "\"1\"",
        "1a",    "9223372036854775808",
        "- 1",   "-9223372036854775809",
        "1E400", "99999999999999999999999999999",
    };
    int64_t v;
    size_t i;

    for (i = 0; i < COUNT(good); i++) {
        YES(json_read_int(bytes_str(good[i].text), &v));
        EQ(good[i].want, v);
    }
    v = 42;
    for (i = 0; i < COUNT(no); i++)
        NO(json_read_int(bytes_str(no[i]), &v));
    EQ(42, v);
}

TEST(json_reads_booleans)
{
    bool v = false;

    YES(json_read_bool(bytes_str("true"), &v) && v);
    YES(json_read_bool(bytes_str("false"), &v) && !v);
    NO(json_read_bool(bytes_str("\"true\""), &v));
    NO(json_read_bool(bytes_str("1"), &v));
    NO(json_read_bool(bytes_of(NULL, 0), &v));
}

TEST(json_counts_utf16_units_as_javascript_does)
{
    EQ(0, json_count_utf16(bytes_str("\"\"")));
    EQ(3, json_count_utf16(bytes_str("\"\\n\\u0041x\"")));
    EQ(4, json_count_utf16(bytes_str("\"😀\\ud83d\\ude00\"")));
    EQ(3, json_count_utf16(bytes_str("\"\\ud83dx\\ude00\"")));
    EQ(2, json_count_utf16(bytes_str("\"\\ude00\\ud83d\"")));
}

TEST(json_cuts_after_so_many_units_and_splits_no_pair)
{
    /*                      0 1    3  5      11          23    27 */
    static const char s[] = "\"é\\nx\\u0041\\ud83d\\ude00😀\"";
    /* after each number of units, the offset the cut is at */
    static const size_t want[] = {1, 3, 5, 6, 12, 12, 24, 24, 28, 28};
    struct buf cut = BUF_INIT(100);
    size_t i;

    EQ(8, json_count_utf16(bytes_str(s)));
    for (i = 0; i < COUNT(want); i++) {
        EQ(want[i], json_cut_utf16(bytes_str(s), i));

        /* What is kept is a string again, once it is closed. */
        buf_clear(&cut);
        buf_add(&cut, s, want[i]);
        buf_add_char(&cut, '"');
        YES(json_check(buf_bytes(&cut), JSON_UTF8, NULL));
        YES(json_count_utf16(buf_bytes(&cut)) <= i);
        YES(json_count_utf16(buf_bytes(&cut)) + 1 >= i || i > 8);
    }
    buf_release(&cut);
}

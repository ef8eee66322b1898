#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

/* A sequence that is damaged, and its maximal subparts by length. */
struct damage {
    const char *bytes;
    const char *parts; /* a digit each: "12" is one byte, then two */
};

static const struct damage damaged[] = {
    {"\x80", "1"},                 /* a continuation of nothing          */
    {"\xbf\x80", "11"},            /*                                    */
    {"\xc0\x80", "11"},            /* overlong NUL                       */
    {"\xc1\xbf", "11"},            /* overlong DEL                       */
    {"\xe0\x80\x80", "111"},       /* overlong, three bytes              */
    {"\xe0\x9f\xbf", "111"},       /* the last overlong of three         */
    {"\xf0\x80\x80\x80", "1111"},  /* overlong, four bytes               */
    {"\xf0\x8f\xbf\xbf", "1111"},  /* the last overlong of four          */
    {"\xed\xa0\x80", "111"},       /* U+D800                             */
    {"\xed\xbf\xbf", "111"},       /* U+DFFF                             */
    {"\xf4\x90\x80\x80", "1111"},  /* U+110000                           */
    {"\xf5\x80\x80\x80", "1111"},  /* begins nothing                     */
    {"\xff", "1"},                 /*                                    */
    {"\xc3", "1"},                 /* cut short                          */
    {"\xe2\x82", "2"},             /* cut short: one subpart of two      */
    {"\xf0\x9f\x98", "3"},         /* cut short: one of three            */
    {"\xe2\x82\xe2\x82", "22"},    /*                                    */
    {"\xf0\x9f\xf0\x9f\x98", "23"} /*                                    */
};

static const struct {
    uint32_t cp;
    const char *bytes;
} borders[] = {
    {0x01, "\x01"},
    {0x7f, "\x7f"},
    {0x80, "\xc2\x80"},
    {0x7ff, "\xdf\xbf"},
    {0x800, "\xe0\xa0\x80"},
    {0xd7ff, "\xed\x9f\xbf"},
    {0xe000, "\xee\x80\x80"},
    {0xfffd, "\xef\xbf\xbd"},
    {0xffff, "\xef\xbf\xbf"},
    {0x10000, "\xf0\x90\x80\x80"},
    {0x10ffff, "\xf4\x8f\xbf\xbf"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

TEST(utf8_reads_back_every_code_point_it_writes)
{
    uint32_t cp, got;
    char out[4];
    bool bad;

    for (cp = 0; cp <= 0x10ffff; cp++) {
        size_t n = utf8_encode(cp, out);
        bool surrogate = cp >= 0xd800 && cp <= 0xdfff;

        if (!utf8_check(bytes_of(out, n)) ||
            utf8_decode(bytes_of(out, n), &got, &bad) != n || bad ||
            got != (surrogate ? UTF8_REPLACEMENT : cp))
            EQ(cp, -1);
    }
    EQ(3, utf8_encode(0x110000, out));
    YES(!memcmp(out, "\xef\xbf\xbd", 3));
}

TEST(utf8_agrees_with_the_table_at_its_borders)
{
    size_t i;

    for (i = 0; i < COUNT(borders); i++) {
        uint32_t cp;
        char out[4];

        EQ(strlen(borders[i].bytes),
           utf8_decode(bytes_str(borders[i].bytes), &cp, NULL));
        EQ(borders[i].cp, cp);
        SAME(bytes_str(borders[i].bytes),
             bytes_of(out, utf8_encode(borders[i].cp, out)));
    }
}

TEST(utf8_takes_damage_apart_into_maximal_subparts)
{
    size_t i;

    for (i = 0; i < COUNT(damaged); i++) {
        quire_bytes rest = bytes_str(damaged[i].bytes);
        const char *part;

        NO(utf8_check(rest));
        EQ(0, utf8_find_bad(rest));
        for (part = damaged[i].parts; *part; part++) {
            uint32_t cp = 0;
            bool bad = false;
            size_t n = utf8_decode(rest, &cp, &bad);

            EQ(*part - '0', n);
            YES(bad);
            EQ(UTF8_REPLACEMENT, cp);
            rest = bytes_sub(rest, n, rest.len);
        }
        EQ(0, rest.len);
    }
}

TEST(utf8_mends_each_subpart_with_one_replacement)
{
    struct buf out = BUF_INIT(1 << 20);
    struct buf want = BUF_INIT(1 << 20);
    struct buf text = BUF_INIT(1 << 20);
    size_t i, n = 0, k;

    for (i = 0; i < COUNT(damaged); i++) {
        buf_addf(&text, "é%s|", damaged[i].bytes);
        buf_add_str(&want, "é");
        for (k = 0; k < strlen(damaged[i].parts); k++, n++)
            buf_add_str(&want, "\xef\xbf\xbd");
        buf_add_str(&want, "|");
    }
    EQ(n, utf8_add_mended(&out, buf_bytes(&text)));
    SAME(buf_bytes(&want), buf_bytes(&out));
    EQ(0, utf8_add_mended(&out, buf_bytes(&want)));
    YES(utf8_check(buf_bytes(&out)));

    /* n of them as well in UTF-16, beside an é and a bar for each sample */
    EQ(n + 2 * COUNT(damaged), utf8_count_utf16(buf_bytes(&text)));
    buf_release(&out);
    buf_release(&want);
    buf_release(&text);
}

TEST(utf8_finds_damage_at_every_place_of_a_block)
{
    size_t len, at;

    for (len = 1; len <= 70; len++) {
        for (at = 0; at < len; at++) {
            /* exactly as long as said, so that a sanitizer sees one more */
            char *text = malloc(len);

            memset(text, 'a', len);
            text[at] = (char)0xc3;
            EQ(at, utf8_find_bad(bytes_of(text, len)));
            EQ(len, utf8_count_utf16(bytes_of(text, len)));
            free(text);
        }
    }
}

TEST(utf8_has_nothing_against_an_empty_text)
{
    struct buf out = BUF_INIT(8);

    YES(utf8_check(bytes_of(NULL, 0)));
    EQ(0, utf8_find_bad(bytes_of(NULL, 0)));
    EQ(0, utf8_count_utf16(bytes_of(NULL, 0)));
    EQ(0, utf8_cut(bytes_of(NULL, 0), 5));
    EQ(0, utf8_cut_utf16(bytes_of(NULL, 0), 5));
    EQ(0, utf8_add_mended(&out, bytes_of(NULL, 0)));
    EQ(0, out.len);
    YES(utf8_check(bytes_of("a\0b", 3)));
}

TEST(utf8_counts_as_javascript_does)
{
    EQ(5, utf8_count_utf16(bytes_str("plain")));
    EQ(3, utf8_count_utf16(bytes_str("aé→")));
    EQ(2, utf8_count_utf16(bytes_str("😀")));
    EQ(6, utf8_count_utf16(bytes_str("a😀b😀")));
}

TEST(utf8_cut_splits_no_character)
{
    static const char text[] = "aé→😀";
    static const size_t want[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    size_t i;

    for (i = 0; i < COUNT(want); i++)
        EQ(want[i], utf8_cut(bytes_str(text), i));
}

TEST(utf8_cut_leaves_damage_as_it_comes)
{
    /* Nothing to keep whole here: the cut is where it was asked for. */
    EQ(2, utf8_cut(bytes_str("a\x80\x80\x80\x80\x80"), 2));
    EQ(5, utf8_cut(bytes_str("a\x80\x80\x80\x80\x80"), 5));
    EQ(2, utf8_cut(bytes_str("a\xe2zz"), 2));
    EQ(2, utf8_cut(bytes_str("a\xf0\x9fz"), 2));
    EQ(1, utf8_cut(bytes_str("\xff\xc3\xa9"), 1));
    EQ(1, utf8_cut(bytes_str("\xff\xc3\xa9"), 2));
}

TEST(utf8_cut_by_utf16_units_splits_no_pair)
{
    static const char text[] = "aé→😀b";
    static const size_t want[] = {0, 1, 3, 6, 6, 10, 11, 11};
    struct buf many = BUF_INIT(1 << 20);
    size_t i;

    for (i = 0; i < COUNT(want); i++)
        EQ(want[i], utf8_cut_utf16(bytes_str(text), i));

    /* over the wide steps, and where ASCII reaches past the limit */
    for (i = 0; i < 100; i++)
        buf_add_str(&many, "0123456789é");
    EQ(12 * 50 + 5, utf8_cut_utf16(buf_bytes(&many), 11 * 50 + 5));
    EQ(many.len, utf8_cut_utf16(buf_bytes(&many), 1100));
    EQ(many.len - 2, utf8_cut_utf16(buf_bytes(&many), 1099));
    buf_release(&many);
}

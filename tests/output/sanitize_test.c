#include "output/sanitize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define BAD          "\xef\xbf\xbd" /* U+FFFD */
#define ESC          "\x1b"

/* ---- running it --------------------------------------------------------- */

static uint64_t seed;

static uint64_t below(uint64_t n)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % n;
}

/* Too large for the stack. */
static struct sanitizer machine;

/* All that comes of a piece, through an output of just `cap` bytes. What the
 * header says of the end of a call is looked at each time. */
static void feed(quire_bytes piece, size_t cap, struct buf *got)
{
    char *out = malloc(cap);
    size_t n;

    do {
        n = sanitize_text(&machine, &piece, out, cap);
        YES(n <= cap);
        buf_add(got, out, n);
        YES(cap - n < SANITIZE_ROOM ||
            (piece.len == 0 && !sanitize_has_more(&machine)));
    } while (piece.len > 0 || sanitize_has_more(&machine));
    free(out);
}

/* The text of a stream: whole (`longest` 0), or in random pieces of up to
 * `longest` bytes, each in memory of its own. Until the test ends. */
static quire_bytes cleaned_in(quire_bytes in, size_t longest, size_t cap)
{
    struct buf got = BUF_INIT((size_t)1 << 24);
    size_t at = 0, n;
    char *out;

    sanitize_init(&machine);
    for (; at < in.len; at += n) {
        char *piece;

        n = longest ? 1 + (size_t)below(longest) : in.len;
        if (n > in.len - at)
            n = in.len - at;
        piece = malloc(n);
        memcpy(piece, (const char *)in.data + at, n);
        feed(bytes_of(piece, n), cap, &got);
        free(piece);
    }
    sanitize_end(&machine);
    feed(bytes_of(NULL, 0), cap, &got);
    NO(got.failed);
    out = test_alloc(got.len);
    if (got.len > 0)
        memcpy(out, got.data, got.len);
    n = got.len;
    buf_release(&got);
    return bytes_of(out, n);
}

static const char *readable(quire_bytes in)
{
    struct buf b = BUF_INIT(1 << 16);
    char *out;
    size_t i;

    for (i = 0; i < in.len && i < 400; i++)
        buf_addf(&b, "\\x%02x", ((const unsigned char *)in.data)[i]);
    out = test_alloc(b.len);
    if (b.len > 0)
        memcpy(out, b.data, b.len);
    buf_release(&b);
    return out;
}

/* Whole, a byte at a time, in pieces; with much room and with little. */
static void becomes_bytes(quire_bytes in, quire_bytes want)
{
    static const size_t pieces[] = {0, 1, 2, 3, 7};
    static const size_t caps[] = {SANITIZE_ROOM, SANITIZE_ROOM + 1, 40, 4096};
    size_t p, c;

    for (p = 0; p < COUNT(pieces); p++) {
        for (c = 0; c < COUNT(caps); c++) {
            quire_bytes got = cleaned_in(in, pieces[p], caps[c]);

            if (!bytes_equal(want, got))
                fprintf(stderr, "pieces of %zu, room of %zu: %s\n", pieces[p],
                        caps[c], readable(in));
            SAME(want, got);
        }
    }
}

#define BECOMES(in, want)                       \
    becomes_bytes(bytes_of(in, sizeof(in) - 1), \
                  bytes_of(want, sizeof(want) - 1))

/* ---- sequences ---------------------------------------------------------- */

TEST(sanitize_leaves_plain_text_as_it_is)
{
    BECOMES("", "");
    BECOMES("a", "a");
    BECOMES("one\ttwo\n\nthree\n", "one\ttwo\n\nthree\n");
    BECOMES(" !\"#$%&'()*+,-./0123456789:;<=>?@ABC[\\]^_`abc{|}~",
            " !\"#$%&'()*+,-./0123456789:;<=>?@ABC[\\]^_`abc{|}~");
    BECOMES("é € 😀 ꟿ 􏿿", "é € 😀 ꟿ 􏿿");
}

TEST(sanitize_drops_control_sequences)
{
    BECOMES("a" ESC "[mb", "ab");
    BECOMES("a" ESC "[31mred" ESC "[0m b", "ared b");
    BECOMES("a" ESC "[38;5;196;1mb", "ab");
    BECOMES("a" ESC "[38:2::1:2:3mb", "ab");
    BECOMES("a" ESC "[?25lb" ESC "[?25hc", "abc");
    BECOMES("a" ESC "[>0;95;0cb" ESC "[<1;2;3Mc" ESC "[=1cd", "abcd");
    BECOMES("a" ESC "[1 qb" ESC "[!pc" ESC "[4$~d", "abcd");
    BECOMES("a" ESC "[1;2'{b" ESC "[ @c", "abc");
    BECOMES("a" ESC "[2J" ESC "[H" ESC "[K" ESC "[1A" ESC "[10Gb", "ab");
    BECOMES("a" ESC "[@b" ESC "[~c" ESC "[`d", "abcd");
    /* one more "[" would be a function key; here it is the last byte */
    BECOMES("a" ESC "[[b", "ab");
}

TEST(sanitize_drops_strings)
{
    BECOMES("a" ESC "]0;a title\x07z", "az");
    BECOMES("a" ESC "]0;a title" ESC "\\z", "az");
    BECOMES("a" ESC "]8;;http://x" ESC "\\link" ESC "]8;;" ESC "\\z", "alinkz");
    BECOMES("a" ESC "P1$r0m" ESC "\\z", "az");
    BECOMES("a" ESC "P+q544e\x07z", "az");
    BECOMES("a" ESC "_Gi=1,a=T;AAAA" ESC "\\z", "az");
    BECOMES("a" ESC "^private" ESC "\\z", "az");
    BECOMES("a" ESC "Xstart" ESC "\\z", "az");
    BECOMES("a" ESC "]\x07z" ESC "P" ESC "\\y", "azy");
    BECOMES("a" ESC "]0;t\xc3\xaftle \xe2\x82\xac \t\x01\x7f\xff\x07z", "az");
}

TEST(sanitize_drops_other_escapes)
{
    BECOMES("a" ESC "(Bb", "ab");
    BECOMES("a" ESC ")0b" ESC "%Gc" ESC "#8d" ESC " Fe", "abcde");
    BECOMES("a" ESC "$(Bb" ESC "(%5c", "abc");
    BECOMES("a" ESC "7b" ESC "8c" ESC "=d" ESC ">e" ESC "cf", "abcdef");
    BECOMES("a" ESC "Mb" ESC "Dc" ESC "\\d" ESC "~e" ESC "0f", "abcdef");
}

TEST(sanitize_ends_a_sequence_where_a_terminal_aborts_it)
{
    BECOMES("a" ESC "[31\x18mb", "amb");
    BECOMES("a" ESC "[31\x1amb", "amb");
    BECOMES("a" ESC "\x18mb", "amb");
    BECOMES("a" ESC "(\x1a"
            "Bb",
            "aBb");
    BECOMES("a" ESC "]0;tit\x18le\x07z", "alez");
    BECOMES("a" ESC "P1\x1a+q\x07z", "a+qz");
    /* another sequence */
    BECOMES("a" ESC "[3" ESC "[31mb", "ab");
    BECOMES("a" ESC ESC "[31mb", "ab");
    BECOMES("a" ESC "(" ESC "[31mb", "ab");
    BECOMES("a" ESC "]0;tit" ESC "[31mred\x07 b", "ared b");
    BECOMES("a" ESC "]0;tit" ESC "]0;other\x07 b", "a b");
    BECOMES("a" ESC "]0;tit" ESC ESC "\\b", "ab");
    BECOMES("a" ESC "]0;tit" ESC "7b", "ab");
}

TEST(sanitize_passes_over_control_characters_in_a_sequence)
{
    BECOMES("a" ESC "[3\x07mb", "ab");
    BECOMES("a" ESC "[3\x00\x08\x0b\x0c\x0e\x1fmb", "ab");
    BECOMES("a" ESC "\x07[1mb", "ab");
    BECOMES("a" ESC "(\x00"
            "Bb",
            "ab");
}

TEST(sanitize_passes_over_delete_in_a_sequence)
{
    BECOMES("a" ESC "[3\x7f"
            "1mb",
            "ab");
    BECOMES("a" ESC "\x7f[1mb", "ab");
    BECOMES("a" ESC "(\x7f"
            "Bb",
            "ab");
}

TEST(sanitize_ends_a_sequence_with_its_line)
{
    BECOMES("a" ESC "[31\nmb", "a\nmb");
    BECOMES("a" ESC "[31\r\nmb", "a\nmb");
    BECOMES("a" ESC "[31\rmb", "a\nmb");
    BECOMES("a" ESC "[31\tmb", "a\tmb");
    BECOMES("a" ESC "\nb", "a\nb");
    BECOMES("a" ESC "\tb", "a\tb");
    BECOMES("a" ESC "(\nBb", "a\nBb");
    BECOMES("a" ESC "[31émb", "aémb");
    BECOMES("a" ESC "émb", "aémb");
    BECOMES("a" ESC "(😀Bb", "a😀Bb");
    BECOMES("a" ESC "[3\xffmb", "a" BAD "mb");
    BECOMES("a" ESC "[3\xc2\x9bmb", "amb");
    BECOMES("a" ESC "[3\xe2", "a" BAD);
}

TEST(sanitize_drops_a_sequence_that_never_ends)
{
    BECOMES("a" ESC, "a");
    BECOMES("a" ESC "[", "a");
    BECOMES("a" ESC "[31;1", "a");
    BECOMES("a" ESC "(", "a");
    BECOMES("a" ESC "]", "a");
    BECOMES("a" ESC "]0;title", "a");
    BECOMES("a" ESC "]0;title" ESC, "a");
    BECOMES("a" ESC "Pq" ESC, "a");
}

/* ---- strings of several lines ------------------------------------------- */

TEST(sanitize_drops_a_string_of_several_lines_that_ends)
{
    BECOMES("a" ESC "Pq#0;2;0;0;0\n#0~~@@vv\r\n-" ESC "\\z", "az");
    BECOMES("a" ESC "]1337;File=:AA\nBB\nCC\x07z", "az");
    BECOMES("a" ESC "_G;\n\n\n" ESC "\\z", "az");
    BECOMES("a" ESC "X\r" ESC "\\\nz", "a\nz");
}

TEST(sanitize_gives_back_the_lines_of_a_string_that_does_not_end)
{
    BECOMES("a" ESC "]0;title\nsecond\nthird", "a\nsecond\nthird");
    BECOMES("a" ESC "]0;title\r\nsecond\r\n", "a\nsecond\n");
    BECOMES("a" ESC "]0;title\rsecond", "a\nsecond");
    BECOMES("a" ESC "]0;title\nsec\xe2\x82\xac\x01\x7f\xc2\x9bond\xff\t.",
            "a\nsec\xe2\x82\xacond" BAD "\t.");
    BECOMES("a" ESC "]0;title\nsecond" ESC, "a\nsecond");
    BECOMES("a" ESC "]0;title\nsecond" ESC "[31mred\x07 b", "a\nsecondred b");
    BECOMES("a" ESC "]0;title\nsecond\x18third", "a\nsecondthird");
    BECOMES("a" ESC "]0;title\nsecond\x1athird", "a\nsecondthird");
    BECOMES("a" ESC "]0;title\nsecond\xe2\x82", "a\nsecond" BAD);
    BECOMES("a" ESC "]0;title\nsecond\xe2\x82" ESC "[1mx", "a\nsecond" BAD "x");
    BECOMES("a" ESC "]0;one\ntwo" ESC "]0;three\nfour\x07 five", "a\ntwo five");
    BECOMES("a" ESC "]0;one\ntwo" ESC "]0;three\nfour", "a\ntwo\nfour");
}

/* What is given back is the text it would have been by itself. */
TEST(sanitize_ends_a_line_that_is_given_back_as_it_ends_any_other)
{
    BECOMES("y\r" ESC "[K\nz", "y\n\nz");
    BECOMES(ESC "]x\ny\r" ESC "[K\nz", "\ny\n\nz");
    BECOMES("y\r\x18\nz", "y\n\nz");
    BECOMES(ESC "]x\ny\r\x18\nz", "\ny\n\nz");
}

TEST(sanitize_joins_no_character_over_what_aborts_a_string)
{
    BECOMES("\n\xe2\x18\x82\xac", "\n" BAD BAD BAD);
    BECOMES(ESC "]x\n\xe2\x18\x82\xac", "\n" BAD BAD BAD);
    BECOMES(ESC "]x\n\xe2" ESC "7\x82\xac", "\n" BAD BAD BAD);
}

/* A string whose lines take `n` bytes, then `end`. */
static quire_bytes long_string(size_t n, const char *unit, const char *end,
                               quire_bytes *lines)
{
    static const char start[] = "a" ESC "]x";
    size_t len = strlen(unit), i;
    char *text = test_alloc(n + 64), *at = text + sizeof start - 1;

    memcpy(text, start, sizeof start - 1);
    for (i = 0; i < n; i++)
        at[i] = i == 0 ? '\n' : unit[(i - 1) % len];
    *lines = bytes_of(at, n);
    strcpy(at + n, end);
    return bytes_of(text, sizeof start - 1 + n + strlen(end));
}

/* As it is, in pieces, and through little room. */
static void becomes_long(quire_bytes in, const char *before, quire_bytes lines,
                         const char *after)
{
    struct buf want = BUF_INIT((size_t)1 << 24);

    buf_add_str(&want, before);
    buf_add(&want, lines.data, lines.len);
    buf_add_str(&want, after);
    SAME(buf_bytes(&want), cleaned_in(in, 0, 1 << 20));
    SAME(buf_bytes(&want), cleaned_in(in, 5000, 100));
    SAME(buf_bytes(&want), cleaned_in(in, 0, SANITIZE_ROOM));
    buf_release(&want);
}

TEST(sanitize_puts_aside_so_much_and_no_more)
{
    quire_bytes lines, none = bytes_of("", 0);
    quire_bytes in = long_string(SANITIZE_HOLD, "some line\n", "\x07z", &lines);

    becomes_long(in, "a", none, "z");
    in = long_string(SANITIZE_HOLD, "some line\n", ESC "\\z", &lines);
    becomes_long(in, "a", none, "z");
    in = long_string(SANITIZE_HOLD, "some line\n", "", &lines);
    becomes_long(in, "a", lines, "");
    in = long_string(SANITIZE_HOLD + 1, "some line\n", "\x07z", &lines);
    becomes_long(in, "a", lines, "z");
    in = long_string(3 * SANITIZE_HOLD, "some line\n", ESC "\\z", &lines);
    becomes_long(in, "a", lines, "z");
}

TEST(sanitize_loses_nothing_where_the_room_for_a_string_ends)
{
    static const char euro[] = "\xe2\x82\xac";
    size_t shift;

    for (shift = 0; shift < 4; shift++) {
        quire_bytes lines;
        size_t n = SANITIZE_HOLD - shift;
        quire_bytes in = long_string(n, "x", "", &lines);
        char after[32];

        snprintf(after, sizeof after, "%s%s%s", euro, euro, euro);
        strcpy((char *)(uintptr_t)lines.data + n, after);
        becomes_long(bytes_of(in.data, in.len + 9), "a", lines, after);
        /* with a newline that is two bytes */
        strcpy((char *)(uintptr_t)lines.data + n, "\r\n\r\nyyyy");
        becomes_long(bytes_of(in.data, in.len + 8), "a", lines, "\n\nyyyy");
    }
}

/* ---- characters --------------------------------------------------------- */

TEST(sanitize_makes_every_end_of_line_a_newline)
{
    BECOMES("a\nb", "a\nb");
    BECOMES("a\r\nb", "a\nb");
    BECOMES("a\rb", "a\nb");
    BECOMES("x\r", "x\n");
    BECOMES("x\r\n", "x\n");
    BECOMES("a\r\rb", "a\n\nb");
    BECOMES("a\r\r\nb", "a\n\nb");
    BECOMES("a\n\rb", "a\n\nb");
    BECOMES("a\r\n\r\nb", "a\n\nb");
    BECOMES("a\r\n\nb", "a\n\nb");
    BECOMES("a\r" ESC "[K\nb", "a\n\nb");
    BECOMES("a\r\x01\nb", "a\n\nb");
    BECOMES("10%\r20%\r100%\n", "10%\n20%\n100%\n");
}

TEST(sanitize_drops_control_characters)
{
    char all[3 * 0x80 + 2];
    size_t n = 0, b;

    all[n++] = 'a';
    for (b = 0; b < 0x20; b++) {
        if (b != '\t' && b != '\n' && b != '\r' && b != 0x1b)
            all[n++] = (char)b;
    }
    all[n++] = 0x7f;
    for (b = 0x80; b < 0xa0; b++) { /* C1 */
        all[n++] = (char)0xc2;
        all[n++] = (char)b;
    }
    all[n++] = 'z';
    becomes_bytes(bytes_of(all, n), bytes_str("az"));
    BECOMES("a\x00"
            "b\x00\x00",
            "ab");
    BECOMES("\xc2\xa0", "\xc2\xa0"); /* the first one after C1 */
}

TEST(sanitize_begins_no_sequence_with_one_character)
{
    BECOMES("\xc2\x9b"
            "31m",
            "31m");
    BECOMES("\xc2\x9d"
            "0;title\x07z",
            "0;titlez");
    BECOMES("\xc2\x90q\xc2\x9cz", "qz");
    BECOMES("\x9b"
            "31m",
            BAD "31m");
}

TEST(sanitize_ends_no_string_with_one_character)
{
    BECOMES("a" ESC "]0;t\xc2\x9cz\x07y", "ay");
    BECOMES("a" ESC "]0;t\x9cz\x07y", "ay");
}

TEST(sanitize_replaces_each_maximal_subpart_of_damage)
{
    BECOMES("a\xff\xfe\xf5z", "a" BAD BAD BAD "z");
    BECOMES("a\x80\xbfz", "a" BAD BAD "z");
    BECOMES("a\xc0\xafz", "a" BAD BAD "z"); /* overlong */
    BECOMES("a\xc1\xbfz", "a" BAD BAD "z");
    BECOMES("a\xe0\x80\xafz", "a" BAD BAD BAD "z");
    BECOMES("a\xe0\x9f\xbfz", "a" BAD BAD BAD "z");
    BECOMES("a\xf0\x8f\xbf\xbfz", "a" BAD BAD BAD BAD "z");
    BECOMES("a\xed\xa0\x80z", "a" BAD BAD BAD "z"); /* surrogates */
    BECOMES("a\xed\xbf\xbfz", "a" BAD BAD BAD "z");
    BECOMES("a\xf4\x90\x80\x80z", "a" BAD BAD BAD BAD "z"); /* > 10ffff */
    BECOMES("a\xf7\xbf\xbf\xbfz", "a" BAD BAD BAD BAD "z");
    BECOMES("a\xc3z", "a" BAD "z"); /* cut */
    BECOMES("a\xe2\x82z", "a" BAD "z");
    BECOMES("a\xf0\x9f\x98z", "a" BAD "z");
    BECOMES("a\xf0\x9f\nz", "a" BAD "\nz");
    BECOMES("a\xf0\x9f\r\nz", "a" BAD "\nz");
    BECOMES("a\xf0\x9f" ESC "[1mz", "a" BAD "z");
    BECOMES("a\xf0\x9f\x01\x98\x80z", "a" BAD BAD BAD "z");
    BECOMES("\xc3", BAD);
    BECOMES("\xe2\x82", BAD);
    BECOMES("\xf0\x9f\x98", BAD);
    BECOMES("\xe2\xe2\x82\xf0\x9f\xe2\x82\xac", BAD BAD BAD "\xe2\x82\xac");
    BECOMES("\xe2\x28\xa1", BAD "(" BAD);
}

TEST(sanitize_keeps_marks_and_characters_that_are_only_odd)
{
    BECOMES("\xef\xbb\xbf"
            "a",
            "\xef\xbb\xbf"
            "a");
    BECOMES("a\xe2\x80\xa8"
            "b\xc2\x85"
            "c",
            "a\xe2\x80\xa8"
            "bc"); /* U+2028 stays, U+0085 is C1 */
    BECOMES("\xef\xbf\xbf\xef\xb7\x90" BAD, "\xef\xbf\xbf\xef\xb7\x90" BAD);
}

/* Runs long enough for the quick way, with what it must not miss anywhere. */
TEST(sanitize_finds_what_is_odd_anywhere_in_a_long_run)
{
    static const char odd[] = "\x00\x08\x0b\r\x1b\x1f\x7f\x80\xc3\xff";
    size_t len, at, k;

    for (len = 14; len < 52; len += 3) {
        for (at = 0; at < len; at++) {
            for (k = 0; k < sizeof odd - 1; k++) {
                char text[64];

                memset(text, 'x', len);
                text[at] = odd[k];
                SAME(cleaned_in(bytes_of(text, len), 1, 4096),
                     cleaned_in(bytes_of(text, len), 0, 4096));
            }
        }
    }
}

/* ---- whatever comes ----------------------------------------------------- */

static const struct {
    const char *text;
    size_t len;
} nasty[] = {
#define N(text)                \
    {                          \
        text, sizeof(text) - 1 \
    }
    N(ESC),
    N(ESC),
    N(ESC "["),
    N(ESC "]"),
    N(ESC "P"),
    N(ESC "_"),
    N(ESC "("),
    N(ESC "\\"),
    N("["),
    N("]"),
    N(";"),
    N("0"),
    N("31"),
    N("m"),
    N("\\"),
    N("\x07"),
    N("\x18"),
    N("\x1a"),
    N("\n"),
    N("\n"),
    N("\r"),
    N("\r\n"),
    N("\t"),
    N("\0"),
    N("\x7f"),
    N("\x0b"),
    N("a"),
    N("a plain run of text"),
    N(" "),
    N("("),
    N("\x80"),
    N("\x9b"),
    N("\xbf"),
    N("\xc0"),
    N("\xc2"),
    N("\xe0"),
    N("\xa0"),
    N("\xe2\x82"),
    N("\xed"),
    N("\xf0\x9f\x98"),
    N("\xf0\x90"),
    N("\xf4"),
    N("\xf5"),
    N("\xff"),
    N("\xc3\xa9"),
    N("€"),
    N("😀"),
    N("\xc2\x9b"),
    N("\xc2\x9c"),
    N("\xc2\xa0"),
    N("\xef\xbb\xbf"),
#undef N
};

static quire_bytes nasty_stream(size_t n_parts)
{
    struct buf b = BUF_INIT(1 << 20);
    char *out;
    size_t len;

    while (n_parts-- > 0) {
        size_t k = (size_t)below(COUNT(nasty));

        buf_add(&b, nasty[k].text, nasty[k].len);
    }
    len = b.len;
    out = test_alloc(len);
    if (len > 0)
        memcpy(out, b.data, len);
    buf_release(&b);
    return bytes_of(out, len);
}

static bool is_clean(quire_bytes text)
{
    const unsigned char *at = text.data;
    size_t i;

    for (i = 0; i < text.len; i++) {
        if ((at[i] < 0x20 && at[i] != '\t' && at[i] != '\n') || at[i] == 0x7f)
            return false;
        if (at[i] == 0xc2 && i + 1 < text.len && at[i + 1] < 0xa0)
            return false;
    }
    return utf8_check(text);
}

TEST(sanitize_gives_the_same_clean_text_however_a_stream_is_cut)
{
    size_t round, k;

    seed = 1;
    for (round = 0; round < 2000; round++) {
        quire_bytes in = nasty_stream(1 + (size_t)below(60));
        quire_bytes want = cleaned_in(in, 0, 1 << 14);

        YES(is_clean(want));
        SAME(want, cleaned_in(in, 1, SANITIZE_ROOM));
        for (k = 0; k < 4; k++) {
            size_t longest = 1 + (size_t)below(12);
            size_t cap = SANITIZE_ROOM + (size_t)below(40);
            quire_bytes got = cleaned_in(in, longest, cap);

            if (!bytes_equal(want, got))
                fprintf(stderr, "%s\n", readable(in));
            SAME(want, got);
        }
        SAME(want, cleaned_in(want, 0, 1 << 14));
        SAME(want, cleaned_in(want, 3, SANITIZE_ROOM));
    }
}

TEST(sanitize_can_be_ended_with_nothing_in_it)
{
    char out[SANITIZE_ROOM];
    quire_bytes none = bytes_of(NULL, 0);

    sanitize_init(&machine);
    NO(sanitize_has_more(&machine));
    EQ(0, sanitize_text(&machine, &none, out, sizeof out));
    sanitize_end(&machine);
    NO(sanitize_has_more(&machine));
    EQ(0, sanitize_text(&machine, &none, out, sizeof out));
}

#include "output/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/utf8.h"
#include "support/test.h"

/* ---- a source that cuts as it likes, and a reader that writes it down ---- */

struct text {
    quire_bytes bytes;
    quire_bytes later; /* what a second reading finds, if .data           */
    size_t piece;      /* 0: all at once; else up to so many bytes        */
    uint64_t seed;     /* 0: pieces of just that size                     */
    bool seeks;
    long fail_at; /* the n-th piece is preceded by `fail`            */
    quire_status fail;

    int n_reads;
    long n_pieces;
    size_t n_bytes; /* read, all in all                                */
    uint64_t from;  /* of the last reading                             */
};

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static quire_status text_read(void *ctx, uint64_t from, quire_write_fn write,
                              void *write_ctx, quire_error *err)
{
    struct text *t = ctx;
    quire_bytes all = t->n_reads && t->later.data ? t->later : t->bytes;
    size_t at = from < all.len ? (size_t)from : all.len;
    quire_status st;

    t->n_reads++;
    t->from = from;
    do {
        size_t n = t->piece ? t->piece : all.len;

        if (t->seed)
            n = (size_t)(next_random(&t->seed) % (t->piece + 1));
        if (n > all.len - at)
            n = all.len - at;
        if (++t->n_pieces == t->fail_at)
            return t->fail;
        /* A copy, so that a sanitizer sees who looks past its end. */
        char *copy = malloc(n ? n : 1);

        if (!copy)
            return QUIRE_NO_MEMORY;
        if (n)
            memcpy(copy, (const char *)all.data + at, n);
        st = write(write_ctx, bytes_of(copy, n), err);
        free(copy);
        at += n;
        t->n_bytes += n;
        if (st)
            return st;
    } while (at < all.len);
    return QUIRE_OK;
}

struct seen {
    struct buf out;
    long n_calls;
    long fail_at; /* the n-th call gives `fail` */
    quire_status fail;
};

static void write_down(struct buf *out, const quire_line *line)
{
    buf_addf(out, "%s%llu:", line->begins ? "" : "+",
             (unsigned long long)line->number);
    buf_add(out, line->text.data, line->text.len);
    buf_add_str(out, line->ends ? "|" : "~");
}

static quire_status see(void *ctx, const quire_line *line, quire_error *err)
{
    struct seen *s = ctx;

    (void)err;
    if (++s->n_calls == s->fail_at)
        return s->fail;
    write_down(&s->out, line);
    return QUIRE_OK;
}

#define SEEN_INIT                        \
    {                                    \
        .out = BUF_INIT((size_t)1 << 30) \
    }

static quire_status run(struct text *t, const quire_read_options *choice,
                        struct seen *s, uint64_t *n)
{
    struct lines_source source = {t->seeks, text_read, t};

    return lines_read(&source, choice, see, s, n, &test_err);
}

/* Reads `text` in several ways, all of which shall give `want`. */
static void expect(const char *want, const char *text, quire_read_options o)
{
    size_t piece;

    for (piece = 0; piece < 5; piece++) {
        struct text t = {.bytes = bytes_str(text), .piece = piece};
        struct seen s = SEEN_INIT;

        t.seeks = piece % 2;
        OK(run(&t, &o, &s, NULL));
        SAME(bytes_str(want), buf_bytes(&s.out));
        buf_release(&s.out);
    }
}

static void expect_none(quire_status status, const char *what, const char *text,
                        quire_read_options o)
{
    size_t piece;

    for (piece = 0; piece < 4; piece++) {
        struct text t = {.bytes = bytes_str(text), .piece = piece};
        struct seen s = SEEN_INIT;
        uint64_t n = 7;

        t.seeks = piece % 2;
        IS(status, run(&t, &o, &s, &n));
        SAME_TEXT(what, test_err.what);
        EQ(0, n);
        EQ(0, s.n_calls);
        buf_release(&s.out);
    }
}

#define CHOICE(...) \
    ((quire_read_options){sizeof(quire_read_options), __VA_ARGS__})

static const char five[] = "one\ntwo\nthree\nfour\nfive\n";

/* ---- each choice -------------------------------------------------------- */

TEST(lines_come_with_their_numbers_and_newlines)
{
    expect("1:one\n|2:two\n|3:three\n|4:four\n|5:five\n|", five,
           CHOICE(.offset = 0));
}

TEST(what_follows_the_last_newline_is_a_line_unless_it_is_empty)
{
    expect("1:a\n|2:b|", "a\nb", CHOICE(.offset = 0));
    expect("1:a\n|2:b\n|", "a\nb\n", CHOICE(.offset = 0));
    expect("1:a|", "a", CHOICE(.offset = 0));
    expect("2:b|", "a\nb", CHOICE(.tail = 1));
    expect("2:b\n|", "a\nb\n", CHOICE(.tail = 1));
}

TEST(empty_lines_are_lines)
{
    expect("1:\n|2:\n|3:\n|", "\n\n\n", CHOICE(.offset = 0));
    expect("2:\n|3:\n|", "\n\n\n", CHOICE(.tail = 2));
    expect("2:\n|", "\n\n\n", CHOICE(.offset = 2, .limit = 1));
    expect("1:\n|3:\n|", "\nx\n\n", CHOICE(.grep = "^$"));
}

TEST(a_carriage_return_is_left_alone)
{
    expect("1:a\r\n|2:b\r\n|", "a\r\nb\r\n", CHOICE(.offset = 0));
    expect("2:b\r\n|", "a\r\nb\r\n", CHOICE(.grep = "b\\r$"));
    expect_none(QUIRE_NOT_FOUND, "no line matches \"b$\"", "a\r\nb\r\n",
                CHOICE(.grep = "b$"));
}

TEST(an_empty_text_has_no_lines_and_that_is_fine)
{
    expect("", "", CHOICE(.offset = 0));
    expect("", "", CHOICE(.offset = 1));
    expect("", "", CHOICE(.limit = 3));
    expect("", "", CHOICE(.tail = 3));
    expect("", "", CHOICE(.offset = 1, .limit = 9, .tail = 3));
}

TEST(an_empty_text_has_no_second_line_and_no_match)
{
    expect_none(QUIRE_NOT_FOUND, "the text is empty", "", CHOICE(.offset = 2));
    expect_none(QUIRE_NOT_FOUND, "the text is empty", "",
                CHOICE(.offset = 2, .tail = 1));
    expect_none(QUIRE_NOT_FOUND, "no line matches \"\"", "",
                CHOICE(.grep = ""));
    expect_none(QUIRE_NOT_FOUND, "no line matches \"x\"", "",
                CHOICE(.grep = "x", .tail = 1));
}

TEST(an_offset_is_the_first_line_given)
{
    expect("4:four\n|5:five\n|", five, CHOICE(.offset = 4));
    expect("5:five\n|", five, CHOICE(.offset = 5));
}

TEST(an_offset_past_the_end_says_how_many_lines_there_are)
{
    expect_none(QUIRE_NOT_FOUND, "the text has only 5 lines", five,
                CHOICE(.offset = 6));
    expect_none(QUIRE_NOT_FOUND, "the text has only 5 lines", five,
                CHOICE(.offset = UINT64_MAX, .limit = UINT64_MAX));
    expect_none(QUIRE_NOT_FOUND, "the text has only 5 lines", five,
                CHOICE(.offset = 6, .tail = 1));
    expect_none(QUIRE_NOT_FOUND, "the text has only 5 lines", five,
                CHOICE(.offset = 6, .grep = "one", .tail = 1));
    expect_none(QUIRE_NOT_FOUND, "the text has only 1 line", "one",
                CHOICE(.offset = 2));
}

TEST(a_limit_is_how_many_lines_there_are_at_most)
{
    expect("1:one\n|2:two\n|", five, CHOICE(.limit = 2));
    expect("2:two\n|3:three\n|", five, CHOICE(.offset = 2, .limit = 2));
    expect("5:five\n|", five, CHOICE(.offset = 5, .limit = 2));
    expect("5:five\n|", five, CHOICE(.offset = 5, .limit = UINT64_MAX));
}

TEST(huge_numbers_do_not_wrap)
{
    expect("1:a|", "a", CHOICE(.limit = UINT64_MAX));
    expect("1:a|", "a", CHOICE(.tail = UINT64_MAX));
    expect("2:b|", "a\nb",
           CHOICE(.offset = 2, .limit = UINT64_MAX - 1, .tail = UINT64_MAX));
    expect("2:b|", "a\nb",
           CHOICE(.offset = 2, .limit = UINT64_MAX, .tail = UINT64_MAX - 1));
    expect("2:b|", "a\nb",
           CHOICE(.offset = 2, .limit = UINT64_MAX, .grep = "",
                  .tail = UINT64_MAX - 1));
    expect("2:b|", "a\nb",
           CHOICE(.offset = 2, .limit = UINT64_MAX - 2, .tail = 7));
}

TEST(grep_keeps_the_lines_it_is_found_in)
{
    expect("1:one\n|2:two\n|4:four\n|", five, CHOICE(.grep = "o"));
    expect("4:four\n|5:five\n|", five, CHOICE(.grep = "^f"));
    expect("3:three\n|", five, CHOICE(.grep = "(.)\\1$"));
    expect_none(QUIRE_NOT_FOUND, "no line matches \"six\"", five,
                CHOICE(.grep = "six"));
}

TEST(grep_minds_case_unless_told_otherwise)
{
    expect("2:TWO\n|", "one\nTWO\n", CHOICE(.grep = "two", .ignore_case = 1));
    expect("1:É\n|", "É\n", CHOICE(.grep = "é", .ignore_case = 1));
    expect_none(QUIRE_NOT_FOUND, "no line matches \"two\"", "one\nTWO\n",
                CHOICE(.grep = "two"));
}

TEST(tail_keeps_the_last_lines)
{
    expect("4:four\n|5:five\n|", five, CHOICE(.tail = 2));
    expect("1:one\n|2:two\n|3:three\n|4:four\n|5:five\n|", five,
           CHOICE(.tail = 5));
    expect("1:one\n|2:two\n|3:three\n|4:four\n|5:five\n|", five,
           CHOICE(.tail = 50));
}

TEST(choices_apply_in_the_documented_order)
{
    expect("2:two\n|4:four\n|", five,
           CHOICE(.offset = 2, .limit = 3, .grep = "o"));
    expect("2:two\n|", five, CHOICE(.offset = 2, .limit = 1, .grep = "o"));
    expect("2:two\n|", five, CHOICE(.limit = 2, .grep = "o", .tail = 1));
    expect("5:five\n|", five, CHOICE(.limit = 1, .grep = "five"));
    expect("3:three\n|4:four\n|", five,
           CHOICE(.offset = 2, .limit = 3, .tail = 2));
    expect("2:two\n|3:three\n|", five,
           CHOICE(.offset = 2, .limit = 2, .tail = 2));
    expect("4:four\n|", five, CHOICE(.grep = "o", .tail = 1));
    expect_none(QUIRE_NOT_FOUND, "no line matches \"one\"", five,
                CHOICE(.offset = 2, .grep = "one"));
}

TEST(the_count_is_of_lines_not_of_pieces)
{
    size_t len = 3 * LINES_PIECE;
    char *data = test_alloc(len);
    struct text t = {.bytes = {data, len}};
    struct seen s = SEEN_INIT;
    quire_read_options o = QUIRE_READ_OPTIONS_INIT;
    uint64_t n = 0;

    memset(data, 'x', len);
    data[3] = '\n';
    OK(run(&t, &o, &s, &n));
    EQ(2, n);
    EQ(4, s.n_calls);
    buf_release(&s.out);
}

/* ---- against a simple version of the same ------------------------------- */

struct plain {
    const char *grep;
    bool (*found)(quire_bytes line); /* without its newline */
};

static bool has(quire_bytes line, const char *needle)
{
    return memmem(line.data, line.len, needle, strlen(needle)) != NULL;
}

static bool has_a(quire_bytes line)
{
    return has(line, "a");
}

static bool has_ab(quire_bytes line)
{
    return has(line, "ab");
}

static bool has_euro(quire_bytes line)
{
    return has(line, "€");
}

static bool starts_b(quire_bytes line)
{
    return bytes_starts(line, bytes_str("b"));
}

static bool ends_b(quire_bytes line)
{
    return line.len && ((const char *)line.data)[line.len - 1] == 'b';
}

static bool is_empty(quire_bytes line)
{
    return line.len == 0;
}

static const struct plain plains[] = {
    {NULL, NULL},
    {"a", has_a},
    {"ab", has_ab},
    {"€", has_euro},
    {"^b", starts_b},
    {"b$", ends_b},
    {"^$", is_empty},
    {"(*NO_JIT)a", has_a},
    {"(*NO_JIT)€", has_euro},
    {"(*NO_JIT)b$", ends_b},
};

struct span {
    size_t at, len;
    uint64_t number;
};

static void reference_line(struct buf *out, quire_bytes text, struct span l)
{
    quire_bytes rest = bytes_sub(text, l.at, l.at + l.len);
    quire_line line = {l.number, rest, 1, 0};

    while (rest.len > LINES_PIECE) {
        line.text.len = utf8_cut(rest, LINES_PIECE);
        write_down(out, &line);
        rest = bytes_sub(rest, line.text.len, rest.len);
        line.text = rest;
        line.begins = 0;
    }
    line.ends = 1;
    write_down(out, &line);
}

/* What a line is searched by: its first piece, without a newline. */
static bool reference_found(const struct plain *p, quire_bytes line)
{
    bool whole = true;
    size_t len = line.len;

    if (!p->found)
        return true;
    if (len && ((const char *)line.data)[len - 1] == '\n')
        len--;
    if (line.len > LINES_PIECE) {
        size_t cut = utf8_cut(line, LINES_PIECE);

        whole = cut >= len;
        len = cut < len ? cut : len;
    }
    return (whole || p->found != ends_b) && p->found(bytes_of(line.data, len));
}

static quire_status reference(quire_bytes text, const quire_read_options *o,
                              const struct plain *p, struct buf *out)
{
    const char *data = text.data;
    struct span *spans = NULL;
    size_t n = 0, i, at = 0;
    uint64_t number = 0, offset = o->offset ? o->offset : 1;
    quire_status st = QUIRE_NOT_FOUND;

    while (at < text.len) {
        const char *end = memchr(data + at, '\n', text.len - at);
        size_t len = end ? (size_t)(end - data) + 1 - at : text.len - at;

        number++;
        if (number >= offset && (!o->limit || n < o->limit) &&
            reference_found(p, bytes_of(data + at, len))) {
            if ((n & (n - 1)) == 0)
                spans = realloc(spans, (2 * n + 1) * sizeof *spans);
            spans[n++] = (struct span){at, len, number};
        }
        at += len;
    }
    if ((offset > 1 && number < offset) || (p->found && !n))
        goto out;
    for (i = o->tail && n > o->tail ? n - (size_t)o->tail : 0; i < n; i++)
        reference_line(out, text, spans[i]);
    st = QUIRE_OK;
out:
    free(spans);
    return st;
}

static void compare(quire_bytes text, const quire_read_options *o,
                    const struct plain *p, struct text t)
{
    struct buf want = BUF_INIT((size_t)1 << 30);
    struct seen s = SEEN_INIT;
    quire_status st = reference(text, o, p, &want);

    t.bytes = text;
    IS(st, run(&t, o, &s, NULL));
    YES(bytes_equal(buf_bytes(&want), buf_bytes(&s.out)));
    buf_release(&want);
    buf_release(&s.out);
}

static quire_bytes random_text(uint64_t *seed, char *out, size_t n_units)
{
    static const char *const units[] = {"a",    "b",  "\n", "\n",
                                        "ab",   "é",  "€",  "\xff",
                                        "\x82", "\r", "😀",  "\xe2\x82"};
    struct buf b = BUF_INIT(n_units * 4 + 1);
    quire_bytes text = {out, 0};

    while (n_units--)
        buf_add_str(&b, units[next_random(seed) % 12]);
    if (b.len)
        memcpy(out, b.data, b.len);
    text.len = b.len;
    buf_release(&b);
    return text;
}

TEST(any_choice_of_any_text_in_any_pieces_is_what_the_simple_way_gives)
{
    uint64_t seed = 20240229;
    int i;

    for (i = 0; i < 6000; i++) {
        char data[256];
        quire_bytes text = random_text(&seed, data,
                                       (size_t)(next_random(&seed) % 60));
        const struct plain *p = &plains[next_random(&seed) % 10];
        quire_read_options o = QUIRE_READ_OPTIONS_INIT;
        struct text t = {.piece = 1 + (size_t)(next_random(&seed) % 30)};

        if (next_random(&seed) % 4 == 0)
            p = &plains[0];
        o.grep = p->grep;
        if (next_random(&seed) % 2)
            o.offset = next_random(&seed) % 8;
        if (next_random(&seed) % 2)
            o.limit = next_random(&seed) % 8;
        if (next_random(&seed) % 2)
            o.tail = next_random(&seed) % 6;
        t.seed = next_random(&seed) % 4 ? next_random(&seed) + 1 : 0;
        t.seeks = next_random(&seed) % 2;
        compare(text, &o, p, t);
    }
}

/* ---- long lines --------------------------------------------------------- */

TEST(a_line_of_just_a_piece_comes_whole_and_a_byte_more_does_not)
{
    char *data = test_alloc(2 * LINES_PIECE);
    static const struct {
        size_t len;
        const char *shape;
    } cases[] = {{LINES_PIECE - 1, "10"}, {LINES_PIECE, "10"},
                 {LINES_PIECE + 1, "20"}, {LINES_PIECE + 2, "20"},
                 {LINES_PIECE + 3, "20"}, {LINES_PIECE + 4, "20"}};
    size_t i;
    int newline;

    memset(data, 'x', 2 * LINES_PIECE);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (newline = 0; newline < 2; newline++) {
            struct text t = {.bytes = {data, cases[i].len}, .piece = 1000};
            quire_read_options o = QUIRE_READ_OPTIONS_INIT;
            struct seen s = SEEN_INIT;

            data[cases[i].len - 1] = newline ? '\n' : 'x';
            OK(run(&t, &o, &s, NULL));
            EQ(cases[i].shape[0] - '0', s.n_calls);
            buf_release(&s.out);
            compare(t.bytes, &o, &plains[0], (struct text){.piece = 0});
        }
        data[cases[i].len - 1] = 'x';
    }
}

static void put(char *at, const char *text)
{
    quire_bytes bytes = bytes_str(text);

    memcpy(at, bytes.data, bytes.len);
}

/* A line of `len` bytes, of "x" but for what is put at the cut. */
static quire_bytes long_text(char *data, size_t len, const char *at_cut,
                             size_t before)
{
    memset(data, 'x', len);
    put(data, "ab\n");
    put(data + 3 + LINES_PIECE - before, at_cut);
    return bytes_of(data, len);
}

TEST(no_character_is_split_where_a_long_line_is_cut)
{
    static const char *const at_cut[] = {"€",        "😀",    "é",
                                         "\xe2\x82", "\xf0", "\xff",
                                         "\x82\x82", "😀😀",   "b\n"};
    char *data = test_alloc(2 * LINES_PIECE);
    size_t i, before, after;

    for (i = 0; i < sizeof at_cut / sizeof *at_cut; i++) {
        for (before = 0; before < 6; before++) {
            for (after = 8; after < 10; after++) {
                /* Some end right behind the cut. */
                size_t len = after == 8
                                 ? 3 + LINES_PIECE - before + strlen(at_cut[i])
                                 : LINES_PIECE + LINES_PIECE / 2;
                quire_bytes text = long_text(data, len, at_cut[i], before);
                quire_read_options o = QUIRE_READ_OPTIONS_INIT;
                size_t piece = before % 2 ? 0 : LINES_PIECE / 3 + before;

                compare(text, &o, &plains[0], (struct text){.piece = piece});
                /* Pieces that end within the character. */
                compare(text, &o, &plains[0],
                        (struct text){.piece = 3 + LINES_PIECE - before + 1});
            }
        }
    }
}

TEST(a_line_of_five_mebibytes_is_given_whole_and_searched_by_its_beginning)
{
    size_t len = 5 * LINES_PIECE + 12;
    char *data = test_alloc(len);
    quire_bytes text = {data, len};
    static const struct text ways[] = {
        {.piece = 0},
        {.piece = 65536},
        {.piece = 3000000, .seed = 5},
        {.piece = LINES_PIECE + 1, .seeks = true},
    };
    size_t i, k, p;

    /* Three bytes each, so that every cut falls within one. */
    for (i = 0; i + 3 <= len; i += 3)
        put(data + i, "€");
    put(data, "ab\na.");
    put(data + 5 * LINES_PIECE, "ab\nb\nlast b");
    for (k = 0; k < sizeof ways / sizeof *ways; k++) {
        for (p = 0; p < 6; p++) {
            quire_read_options o = QUIRE_READ_OPTIONS_INIT;

            o.grep = plains[p].grep;
            compare(text, &o, &plains[p], ways[k]);
            o.tail = 2;
            compare(text, &o, &plains[p], ways[k]);
            o.offset = 2;
            compare(text, &o, &plains[p], ways[k]);
        }
    }
}

TEST(an_end_is_not_found_where_a_long_line_is_only_cut)
{
    char *data = test_alloc(LINES_PIECE + 8);
    quire_bytes text = {data, LINES_PIECE + 8};
    quire_read_options o = QUIRE_READ_OPTIONS_INIT;

    memset(data, 'b', text.len);
    o.grep = "b$";
    compare(text, &o, &plains[5], (struct text){.piece = 0});
    /* The newline alone is cut off: the end is in sight. */
    data[LINES_PIECE] = '\n';
    data[LINES_PIECE + 1] = 'x';
    text.len = LINES_PIECE + 2;
    compare(text, &o, &plains[5], (struct text){.piece = 0});
    compare(text, &o, &plains[5], (struct text){.piece = 999});
}

TEST(a_long_line_that_is_not_found_ends_where_it_ends)
{
    size_t len = LINES_PIECE + 100;
    char *data = test_alloc(len + 8);
    quire_read_options o = QUIRE_READ_OPTIONS_INIT;
    size_t piece;

    memset(data, 'x', len);
    put(data + len, "\nab\nb\nab");
    o.grep = plains[2].grep;
    /* Found out at the end of a piece, or with the newline in sight. */
    for (piece = 65536 - 9; piece < 65536 + 9; piece++)
        compare(bytes_of(data, len + 8), &o, &plains[2],
                (struct text){.piece = piece});
    compare(bytes_of(data, len + 8), &o, &plains[2], (struct text){.piece = 0});
}

TEST(long_lines_in_random_pieces_are_what_the_simple_way_gives)
{
    char *data = test_alloc(3 * LINES_PIECE);
    uint64_t seed = 77;
    int i;

    for (i = 0; i < 24; i++) {
        size_t len = LINES_PIECE * 2 + (size_t)(next_random(&seed) % 4096);
        size_t at = 0;
        const struct plain *p = &plains[i % 2 ? next_random(&seed) % 7 : 0];
        quire_read_options o = QUIRE_READ_OPTIONS_INIT;
        struct text t = {.seeks = i % 3 == 0};

        o.grep = p->grep;
        o.tail = i % 5 == 4;
        while (at + 256 < len) {
            char some[256];
            quire_bytes text = random_text(&seed, some, 50);
            size_t k;

            /* A newline now and then. */
            for (k = 0; k < text.len; k++)
                data[at++] = some[k] == '\n' && next_random(&seed) % 9999
                                 ? 'a'
                                 : some[k];
        }
        t.piece = (size_t)1 << (8 + next_random(&seed) % 14);
        t.seed = next_random(&seed) + 1;
        compare(bytes_of(data, at), &o, p, t);
    }
}

/* ---- reading no more than is needed ------------------------------------- */

static quire_bytes numbered_lines(size_t n)
{
    struct buf b = BUF_INIT((size_t)1 << 30);
    char *copy;
    quire_bytes text;
    size_t i;

    for (i = 1; i <= n; i++)
        buf_addf(&b, "this is line %zu\n", i);
    copy = test_alloc(b.len);
    memcpy(copy, b.data, b.len);
    text = bytes_of(copy, b.len);
    buf_release(&b);
    return text;
}

TEST(reading_stops_where_the_limit_is_reached)
{
    struct text t = {.bytes = numbered_lines(100000), .piece = 100};
    struct seen s = SEEN_INIT;
    quire_read_options o = QUIRE_READ_OPTIONS_INIT;

    o.offset = 3;
    o.limit = 2;
    OK(run(&t, &o, &s, NULL));
    SAME(bytes_str("3:this is line 3\n|4:this is line 4\n|"),
         buf_bytes(&s.out));
    EQ(100, t.n_bytes);
    o.tail = 1;
    t.n_bytes = 0;
    buf_clear(&s.out);
    OK(run(&t, &o, &s, NULL));
    SAME(bytes_str("4:this is line 4\n|"), buf_bytes(&s.out));
    EQ(200, t.n_bytes);
    buf_release(&s.out);
}

TEST(a_tail_is_counted_in_one_pass_and_read_from_near_its_start)
{
    size_t n = 1000000, tail;
    quire_bytes text = numbered_lines(n);

    for (tail = 1; tail <= n; tail *= 10) {
        struct text t = {.bytes = text, .piece = 65536, .seeks = true};
        struct seen s = SEEN_INIT;
        quire_read_options o = QUIRE_READ_OPTIONS_INIT;
        uint64_t given = 0;

        o.tail = tail;
        OK(run(&t, &o, &s, &given));
        EQ(tail, given);
        EQ(2, t.n_reads);
        YES(t.from <= text.len - text.len / n * tail / 2);
        YES(tail == n || t.n_bytes <= text.len + text.len / 16 +
                                          text.len / 10 * 12 * tail / n);
        buf_release(&s.out);
        compare(text, &o, &plains[0], (struct text){.seeks = true});
        compare(text, &o, &plains[0],
                (struct text){.seeks = true, .piece = 300000, .seed = 3});
    }
}

TEST(a_source_that_does_not_seek_is_read_from_its_start)
{
    struct text t = {.bytes = numbered_lines(100000), .piece = 65536};
    struct seen s = SEEN_INIT;
    quire_read_options o = QUIRE_READ_OPTIONS_INIT;

    o.tail = 1;
    OK(run(&t, &o, &s, NULL));
    EQ(0, t.from);
    SAME(bytes_str("100000:this is line 100000\n|"), buf_bytes(&s.out));
    buf_release(&s.out);
}

TEST(a_text_that_changes_between_two_passes_does_no_harm)
{
    static const char *const later[] = {"", "one\n", "o", "no newline at all",
                                        "one\ntwo\nthree\nfour\nfive+\nsix\n"};
    size_t i;
    int k;

    for (i = 0; i < sizeof later / sizeof *later; i++) {
        for (k = 0; k < 4; k++) {
            struct text t = {.bytes = bytes_str(five),
                             .later = bytes_str(later[i]),
                             .seeks = k % 2};
            struct seen s = SEEN_INIT;
            quire_read_options o = QUIRE_READ_OPTIONS_INIT;
            uint64_t n = 99;

            o.tail = 2;
            o.grep = k < 2 ? NULL : "o";
            OK(run(&t, &o, &s, &n));
            YES(n <= 2);
            EQ(2, t.n_reads);
            buf_release(&s.out);
        }
    }
}

TEST(a_tail_ends_where_it_was_counted_though_the_text_has_grown)
{
    struct text t = {.bytes = bytes_str("a\nb\nc\n"),
                     .later = bytes_str("a\nb\nc\nd\ne\n")};
    struct seen s = SEEN_INIT;
    quire_read_options o = QUIRE_READ_OPTIONS_INIT;

    o.tail = 2;
    OK(run(&t, &o, &s, NULL));
    SAME(bytes_str("2:b\n|3:c\n|"), buf_bytes(&s.out));
    t.n_reads = 0;
    buf_clear(&s.out);
    o.grep = "[^x]";
    OK(run(&t, &o, &s, NULL));
    SAME(bytes_str("2:b\n|3:c\n|"), buf_bytes(&s.out));
    buf_release(&s.out);
}

/* ---- statuses ----------------------------------------------------------- */

/* Choices that take each of the three ways through. */
static const quire_read_options ways[] = {
    {.size = sizeof(quire_read_options)},
    {.size = sizeof(quire_read_options), .offset = 2, .limit = 3},
    {.size = sizeof(quire_read_options), .grep = "o"},
    {.size = sizeof(quire_read_options), .tail = 2},
    {.size = sizeof(quire_read_options), .offset = 2, .limit = 3, .tail = 2},
    {.size = sizeof(quire_read_options), .grep = "o", .tail = 2},
    {.size = sizeof(quire_read_options),
     .offset = 2,
     .limit = 3,
     .grep = "o",
     .tail = 1},
};

TEST(a_status_of_the_reader_comes_out_unchanged_whenever_it_is_given)
{
    static const quire_status stats[] = {QUIRE_STOPPED, QUIRE_IO,
                                         QUIRE_NOT_FOUND, QUIRE_CHANGED};
    size_t i, w;
    long n;

    for (w = 0; w < sizeof ways / sizeof *ways; w++) {
        for (i = 0; i < 4; i++) {
            for (n = 1;; n++) {
                struct text t = {.bytes = bytes_of(five, sizeof five - 2),
                                 .piece = 3};
                struct seen s = SEEN_INIT;
                quire_status st;

                s.fail_at = n;
                s.fail = stats[i];
                st = run(&t, &ways[w], &s, NULL);
                buf_release(&s.out);
                if (s.n_calls < n) {
                    OK(st);
                    break;
                }
                IS(stats[i], st);
                EQ(n, s.n_calls);
            }
            YES(n > 1);
        }
    }
}

TEST(a_status_of_the_source_comes_out_unchanged_whenever_it_is_given)
{
    static const quire_status stats[] = {QUIRE_STOPPED, QUIRE_IO,
                                         QUIRE_DAMAGED};
    size_t i, w;
    long n;

    for (w = 0; w < sizeof ways / sizeof *ways; w++) {
        for (i = 0; i < 3; i++) {
            for (n = 1;; n++) {
                struct text t = {.bytes = bytes_str(five), .piece = 3};
                struct seen s = SEEN_INIT;
                quire_status st;

                t.fail_at = n;
                t.fail = stats[i];
                st = run(&t, &ways[w], &s, NULL);
                buf_release(&s.out);
                if (t.n_pieces < n) {
                    OK(st);
                    break;
                }
                IS(stats[i], st);
            }
            YES(n > 4);
        }
    }
}

TEST(success_leaves_the_error_alone)
{
    size_t w;

    for (w = 0; w < sizeof ways / sizeof *ways; w++) {
        struct text t = {.bytes = bytes_str(five), .piece = 3};
        struct seen s = SEEN_INIT;

        strcpy(test_err.what, "as it was");
        OK(run(&t, &ways[w], &s, NULL));
        SAME_TEXT("as it was", test_err.what);
        buf_release(&s.out);
    }
}

TEST(an_error_is_not_needed_to_fail)
{
    struct text t = {.bytes = bytes_str(five)};
    struct lines_source source = {false, text_read, &t};
    struct seen s = SEEN_INIT;

    IS(QUIRE_NOT_FOUND,
       lines_read(&source, &CHOICE(.offset = 9), see, &s, NULL, NULL));
    IS(QUIRE_NOT_FOUND,
       lines_read(&source, &CHOICE(.grep = "x"), see, &s, NULL, NULL));
    IS(QUIRE_INVALID,
       lines_read(&source, &CHOICE(.grep = "("), see, &s, NULL, NULL));
    buf_release(&s.out);
}

TEST(without_memory_a_line_is_not_gathered)
{
    char line[300];
    long n;

    memset(line, 'x', sizeof line);
    for (n = 1;; n++) {
        struct text t = {.bytes = {line, sizeof line}, .piece = 50};
        struct seen s = SEEN_INIT;
        quire_status st;

        buf_room(&s.out, 4096);
        fault_arm(n, ENOMEM, false);
        st = run(&t, &CHOICE(.offset = 1), &s, NULL);
        buf_release(&s.out);
        if (!fault_disarm()) {
            OK(st);
            break;
        }
        IS(QUIRE_NO_MEMORY, st);
    }
    YES(n > 6);
}

TEST(without_memory_every_way_says_so_and_leaks_nothing)
{
    static const char expression[] = "(?<n>o|u)+(?i:x)?|f.*e";
    size_t w;
    long n;

    for (w = 0; w < sizeof ways / sizeof *ways; w++) {
        for (n = 1;; n++) {
            struct lines_source source;
            struct text t = {.bytes = bytes_str(five), .piece = 3};
            struct seen s = SEEN_INIT;
            quire_read_options o = ways[w];
            quire_status st;

            if (o.grep)
                o.grep = expression;
            source = (struct lines_source){true, text_read, &t};
            buf_room(&s.out, 4096);
            fault_arm(n, ENOMEM, false);
            st = lines_read(&source, &o, see, &s, NULL, &test_err);
            buf_release(&s.out);
            if (!fault_disarm()) {
                OK(st);
                break;
            }
            /* Compiling to machine code is a favour. */
            if (st != QUIRE_OK)
                IS(QUIRE_NO_MEMORY, st);
        }
        YES(n > (ways[w].grep ? 5 : 1));
    }
}

/* ---- expressions; regex_test.c has more --------------------------------- */

TEST(an_expression_that_fails_gives_no_lines)
{
    expect_none(QUIRE_INVALID,
                "cannot read the expression \"(ab\" at character 3: missing "
                "closing parenthesis",
                five, CHOICE(.grep = "(ab"));
    expect_none(QUIRE_INVALID, "the expression \"(a+)+$\" is too costly",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n", CHOICE(.grep = "(a+)+$"));
    expect_none(QUIRE_INVALID, "the expression \"(a+)+$\" is too costly",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
                CHOICE(.grep = "(a+)+$", .tail = 1));
}

TEST(bytes_that_are_no_text_are_searched_around)
{
    expect("1:\xff\xfeword\x80\n|", "\xff\xfeword\x80\nother\xc3\n",
           CHOICE(.grep = "word"));
    expect("2:other\xc3\n|", "\xff\xfeword\x80\nother\xc3\n",
           CHOICE(.grep = "^oth"));
    expect_none(QUIRE_NOT_FOUND, "no line matches \"a.b\"",
                "a\xff"
                "b\n",
                CHOICE(.grep = "a.b"));
}

TEST(a_nul_is_a_byte_like_others)
{
    struct text t = {.bytes = bytes_of("a\0b\nc\0d\n", 8), .piece = 1};
    struct seen s = SEEN_INIT;

    OK(run(&t, &CHOICE(.grep = "^c\\0d$"), &s, NULL));
    SAME(bytes_of("2:c\0d\n|", 7), buf_bytes(&s.out));
    buf_release(&s.out);
}

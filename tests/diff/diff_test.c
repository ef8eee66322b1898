/* Comparing texts, beside a comparison that is slow and surely right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "diff/myers.h"
#include "support/test.h"

/* ---- the edit script ----------------------------------------------------- */

/* The length of the longest common subsequence, by the table. */
static size_t common(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
    size_t *row = calloc(m + 1, sizeof *row), i, j, best;

    for (i = 0; i < n; i++) {
        size_t corner = 0;

        for (j = 0; j < m; j++) {
            size_t above = row[j + 1];

            row[j + 1] = a[i] == b[j]     ? corner + 1
                         : above > row[j] ? above
                                          : row[j];
            corner = above;
        }
    }
    best = row[m];
    free(row);
    return best;
}

/* Compare; the unchanged elements must be equal, in order. Returns how many. */
static size_t compare(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
    bool *x = calloc(n + 1, 1), *y = calloc(m + 1, 1);
    struct myers_side left = {a, n, x}, right = {b, m, y};
    ptrdiff_t *room = calloc(myers_room(n, m), sizeof *room);
    size_t i, j = 0, same = 0;

    myers_diff(&left, &right, room);
    for (i = 0; i < n; i++) {
        if (x[i])
            continue;
        while (j < m && y[j])
            j++;
        YES(j < m && a[i] == b[j]);
        j++;
        same++;
    }
    while (j < m && y[j])
        j++;
    EQ(m, j);
    free(room);
    free(x);
    free(y);
    return same;
}

static uint32_t seed = 1;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

TEST(a_script_is_the_shortest_one)
{
    uint32_t a[80], b[80];
    int round;

    for (round = 0; round < 4000; round++) {
        size_t n = any(80), m = any(80), i;
        uint32_t letters = 1 + any(12);

        for (i = 0; i < n; i++)
            a[i] = any(letters);
        for (i = 0; i < m; i++)
            b[i] = any(letters);
        EQ(common(a, n, b, m), compare(a, n, b, m));
    }
}

TEST(a_script_of_an_edited_sequence_keeps_the_rest)
{
    static uint32_t a[20000], b[22000];
    size_t n = 20000, m = 0, i;

    for (i = 0; i < n; i++) {
        a[i] = any(1000000);
        if (any(100) == 0)
            continue;
        b[m++] = a[i];
        if (any(100) == 0)
            b[m++] = any(1000000);
    }
    YES(compare(a, n, b, m) > n * 97 / 100);
}

TEST(texts_with_little_in_common_take_bounded_time)
{
    static uint32_t a[60000], b[60000];
    size_t i;

    for (i = 0; i < 60000; i++) {
        a[i] = any(50);
        b[i] = 40 + any(50);
    }
    compare(a, 60000, b, 60000);
}

/* ---- texts --------------------------------------------------------------- */

static quire_status add_line(void *ctx, const quire_diff_line *line,
                             quire_error *err)
{
    struct buf *out = ctx;
    size_t i;

    (void)err;
    if (line->begins_hunk)
        buf_addf(out, "@%zu,%zu ", line->old_line, line->new_line);
    buf_addf(out, "%c%.*s", line->kind, (int)line->text.len,
             (const char *)line->text.data);
    if (out->data[out->len - 1] == '\n')
        out->len--;
    for (i = 0; i < line->n_marks; i++)
        buf_addf(out, "[%zu-%zu]", line->marks[i].from, line->marks[i].to);
    buf_add_char(out, ' ');
    return QUIRE_OK;
}

static const char *diff_of(const char *a, const char *b, size_t context)
{
    quire_diff_options o = QUIRE_DIFF_OPTIONS_INIT;
    struct buf out = BUF_INIT(1 << 20);
    quire_diff_summary sum;
    char *text;

    o.context = context;
    OK(quire_diff(bytes_str(a), bytes_str(b), &o, add_line, &out, &sum,
                  &test_err));
    buf_addf(&out, "+%zu-%zu/%zu", sum.added, sum.removed, sum.hunks);
    buf_add(&out, "", 1);
    text = test_alloc(out.len);
    memcpy(text, out.data, out.len);
    buf_release(&out);
    return text;
}

TEST(hunks_have_the_lines_around_a_change)
{
    SAME_TEXT("+0-0/0", diff_of("", "", 3));
    SAME_TEXT("+0-0/0", diff_of("a\nb\n", "a\nb\n", 3));
    SAME_TEXT("@1,1 +a +1-0/1", diff_of("", "a\n", 3));
    SAME_TEXT("@1,1 -a +0-1/1", diff_of("a\n", "", 3));
    SAME_TEXT("@2,2 =b -c +x =d +1-1/1",
              diff_of("a\nb\nc\nd\ne\n", "a\nb\nx\nd\ne\n", 1));
    SAME_TEXT("@1,1 -a =b @5,4 =e +f +1-1/2",
              diff_of("a\nb\nc\nd\ne\n", "b\nc\nd\ne\nf\n", 1));
    /* Hunks that touch are one. */
    SAME_TEXT("@1,1 -a =b =c +x +1-1/1", diff_of("a\nb\nc\n", "b\nc\nx\n", 1));
    SAME_TEXT("@2,2 -b +c +1-1/1", diff_of("a\nb", "a\nc\n", 0));
}

TEST(words_that_differ_are_marked)
{
    SAME_TEXT("@1,1 -int size_a = 1;[4-10] +int size_b = 1;[4-10] +1-1/1",
              diff_of("int size_a = 1;\n", "int size_b = 1;\n", 3));
    SAME_TEXT("@1,1 -some words here +some more words here[5-10] +1-1/1",
              diff_of("some words here\n", "some more words here\n", 3));
    /* Lines that were replaced have no marks. */
    SAME_TEXT("@1,1 -alpha beta gamma +nothing like it +1-1/1",
              diff_of("alpha beta gamma\n", "nothing like it\n", 3));
}

TEST(binary_contents_are_not_listed)
{
    quire_diff_summary sum;

    OK(quire_diff(bytes_of("a\0b", 3), bytes_str("c"), NULL, NULL, NULL, &sum,
                  &test_err));
    YES(sum.is_binary);
    EQ(0, sum.hunks);
}

/* Apply the listed changes to `a`: they must give `b`. */
struct applied {
    quire_bytes before;
    size_t line;
    struct buf text;
};

static quire_status apply(void *ctx, const quire_diff_line *line,
                          quire_error *err)
{
    struct applied *p = ctx;

    (void)err;
    if (line->kind != QUIRE_DIFF_REMOVED)
        buf_add(&p->text, line->text.data, line->text.len);
    return QUIRE_OK;
}

TEST(the_lines_of_a_script_are_the_new_text)
{
    quire_diff_options o = QUIRE_DIFF_OPTIONS_INIT;
    int round;

    o.context = SIZE_MAX / 4;
    for (round = 0; round < 500; round++) {
        struct buf a = BUF_INIT(1 << 16), b = BUF_INIT(1 << 16);
        struct applied p = {.text = BUF_INIT(1 << 16)};
        int i;

        buf_add_str(&a, "first\n");
        buf_add_str(&b, any(2) ? "first\n" : "second\n");
        for (i = 0; i < 40; i++) {
            buf_addf(any(3) ? &a : &b, "line %u x\n", any(9));
            if (any(2))
                buf_addf(&b, "line %u%s\n", any(9), any(2) ? " x" : "");
        }
        if (any(2))
            b.len--;
        OK(quire_diff(buf_bytes(&a), buf_bytes(&b), &o, apply, &p, NULL,
                      &test_err));
        if (!bytes_equal(buf_bytes(&a), buf_bytes(&b)))
            YES(bytes_equal(buf_bytes(&b), buf_bytes(&p.text)));
        buf_release(&a);
        buf_release(&b);
        buf_release(&p.text);
    }
}

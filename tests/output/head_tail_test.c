#include "output/head_tail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "support/slow.h"
#include "support/test.h"

#define DOTS "\xe2\x80\xa6"

static uint64_t seed;

/* Until the text does not fit any more the window has all of it. */
static void has_all(const struct head_tail *w, quire_bytes text)
{
    quire_bytes p[3];

    head_tail_pieces(w, p);
    EQ(text.len, p[0].len + p[1].len + p[2].len);
    SAME(bytes_sub(text, 0, p[0].len), p[0]);
    SAME(bytes_sub(text, p[0].len, p[0].len + p[1].len), p[1]);
    SAME(bytes_sub(text, p[0].len + p[1].len, text.len), p[2]);
}

/* Through the window in pieces of up to `longest` bytes (0: at once), each in
 * memory of its own. */
static void through(quire_bytes text, size_t threshold, size_t head,
                    size_t columns, size_t longest)
{
    quire_sink_result want = slow_shown(text, threshold, head, columns),
                      got = {0};
    struct head_tail w;
    bool fits = true;
    size_t at = 0, n;

    OK(head_tail_init(&w, threshold, head, columns, &test_err));
    for (; at < text.len; at += n) {
        quire_bytes part;
        char *piece;

        n = longest ? 1 + (size_t)slow_random(&seed, longest) : text.len;
        if (n > text.len - at)
            n = text.len - at;
        piece = malloc(n);
        memcpy(piece, (const char *)text.data + at, n);
        part = bytes_of(piece, n);
        if (fits)
            has_all(&w, bytes_sub(text, 0, at));
        fits = fits && head_tail_fits(&w, part);
        EQ(!slow_shown(bytes_sub(text, 0, at + n), threshold, head, columns)
                .truncated,
           fits);
        head_tail_add(&w, part);
        free(piece);
    }
    if (fits)
        has_all(&w, text);
    got.total_bytes = text.len;
    got.total_lines = want.total_lines;
    got.ends_in_line = want.ends_in_line; /* the sink's to say */
    head_tail_finish(&w, want.total_lines, &got);
    if (!bytes_equal(want.output, got.output))
        fprintf(stderr, "threshold %zu, head %zu, columns %zu: %.*s\n",
                threshold, head, columns, (int)text.len,
                (const char *)text.data);
    slow_same(&want, &got);
    head_tail_release(&w);
}

static void shows(const char *text, size_t threshold, size_t head,
                  size_t columns, const char *want)
{
    quire_sink_result naive = slow_shown(bytes_str(text), threshold, head,
                                         columns);

    SAME(bytes_str(want), naive.output);
    through(bytes_str(text), threshold, head, columns, 0);
    through(bytes_str(text), threshold, head, columns, 1);
    through(bytes_str(text), threshold, head, columns, 3);
}

TEST(head_tail_shows_a_text_that_fits_as_it_is)
{
    shows("", 0, 0, 0, "");
    shows("", 10, 5, 3, "");
    shows("0123456789", 10, 0, 0, "0123456789");
    shows("0123456789", 10, 5, 0, "0123456789");
    shows("0123456789", 11, 5, 10, "0123456789");
    shows("a\nb\n", 4, 2, 1, "a\nb\n");
    shows("€€€", 9, 4, 9, "€€€");
}

TEST(head_tail_shows_the_end_from_a_character_on)
{
    shows("0123456789", 9, 0, 0, "123456789");
    shows("0123456789", 1, 0, 0, "9");
    shows("0123456789", 0, 0, 0, "");
    shows("a€€", 6, 0, 0, "€€");
    shows("a€€", 5, 0, 0, "€");
    shows("a€€", 4, 0, 0, "€");
    shows("a€€", 3, 0, 0, "€");
    shows("a€€", 2, 0, 0, "");
    shows("one\ntwo\nthree\n", 7, 0, 0, "\nthree\n");
}

TEST(head_tail_shows_the_beginning_a_marker_and_the_end)
{
    shows("0123456789abcdef", 10, 4, 0,
          "0123\n[" DOTS "6B elided" DOTS "]\nabcdef");
    shows("0\n1\n2\n3\n4\n5\n6\n7\n", 8, 4, 0,
          "0\n1\n[" DOTS "4ln elided" DOTS "]\n6\n7\n");
    shows("ab\ncd\nef\ngh\nij\nkl\nmn", 10, 4, 0,
          "ab\nc\n[" DOTS "2ln elided" DOTS "]\nkl\nmn");
    /* the end begins with a newline: no other is put before it */
    shows("ab\ncd\nef\ngh\nij\nkl", 9, 3, 0,
          "ab\n[" DOTS "2ln elided" DOTS "]\nij\nkl");
    /* one line: bytes are told */
    shows("ab\ncd\nef\ngh", 8, 3, 0, "ab\n[" DOTS "3B elided" DOTS "]\nef\ngh");
}

TEST(head_tail_gives_the_end_what_the_beginning_cannot_use)
{
    shows("a€bcdefghijk", 8, 3, 0, "a\n[" DOTS "6B elided" DOTS "]\nefghijk");
    shows("€0123456789", 5, 2, 0, "56789");
    shows("😀0123456789", 6, 3, 0, "456789");
    /* nothing of a character is left in either end */
    shows("a€€€", 2, 1, 0, "a\n[" DOTS "9B elided" DOTS "]\n");
}

TEST(head_tail_cuts_lines_that_are_too_long)
{
    shows("0123456789", 100, 0, 10, "0123456789");
    shows("0123456789", 100, 0, 9, "012345" DOTS);
    shows("0123456789\n0123\n", 100, 0, 5, "01" DOTS "\n0123\n");
    shows("01\n0123\n012\n", 100, 0, 3, "01\n" DOTS "\n012\n");
    shows("abcd\nab\na\n\n", 100, 0, 1, DOTS "\n" DOTS "\na\n\n");
    shows("abcd\nab\na\n\n", 100, 0, 2, DOTS "\nab\na\n\n");
    shows("a€€€€", 100, 0, 8, "a€" DOTS);
    shows("a€€€€", 100, 0, 12, "a€€" DOTS);
    shows("a€€€€", 100, 0, 13, "a€€€€");
    shows("😀😀", 100, 0, 4, DOTS);
    shows("😀😀", 100, 0, 7, "😀" DOTS);
}

TEST(head_tail_counts_what_cut_lines_lost)
{
    quire_sink_result r = slow_shown(bytes_str("0123456789\nab\n€€€"), 100, 0,
                                     5);

    EQ(2, r.capped_lines);
    EQ(8 + 9, r.capped_bytes);
    EQ(3, r.total_lines);
    EQ(0, r.elided_bytes);
    YES(r.truncated);
    through(bytes_str("0123456789\nab\n€€€"), 100, 0, 5, 1);
}

TEST(head_tail_cuts_lines_before_it_looks_at_the_threshold)
{
    /* 40 bytes come to 13 */
    shows("0123456789012345678\n01234567890123456789", 13, 0, 6,
          "012" DOTS "\n012" DOTS);
    shows("0123456789012345678\n01234567890123456789", 12, 0, 6,
          "12" DOTS "\n012" DOTS);
    shows("aaaaaaaa\nbbbbbbbb\ncccccccc\ndddddddd\n", 12, 6, 5,
          "aa" DOTS "\n[" DOTS "2ln elided" DOTS "]\ndd" DOTS "\n");
}

TEST(head_tail_agrees_with_a_look_at_the_whole_text)
{
    int round;

    seed = 7;
    for (round = 0; round < 6000; round++) {
        quire_bytes text = slow_text(&seed, 300);
        size_t threshold = (size_t)slow_random(&seed, 201);
        size_t head = (size_t)slow_random(&seed, threshold / 2 + 1);
        size_t columns = (size_t)slow_random(&seed, 41);

        if (slow_random(&seed, 3) == 0)
            head = 0;
        if (slow_random(&seed, 3) == 0)
            columns = 0;
        through(text, threshold, head, columns, (size_t)slow_random(&seed, 20));
        through(text, threshold, head, columns, 1);
        through(text, threshold, head, columns, 0);
    }
}

/* Many times round, in pieces around the size of the ring. */
TEST(head_tail_agrees_after_many_rounds)
{
    int round;

    seed = 8;
    for (round = 0; round < 60; round++) {
        quire_bytes text = slow_text(&seed, 6000);

        through(text, 1 + (size_t)slow_random(&seed, 60), 0,
                (size_t)slow_random(&seed, 30),
                1 + (size_t)slow_random(&seed, 70));
        through(text, 64, 32, 0, 80);
    }
}

TEST(head_tail_without_memory_says_so)
{
    struct head_tail w;

    fault_arm(1, ENOMEM, false);
    IS(QUIRE_NO_MEMORY, head_tail_init(&w, 10, 5, 0, &test_err));
    YES(fault_disarm());
    head_tail_release(&w);
}

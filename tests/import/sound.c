/* sound.c - see sound.h */
#include "sound.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

#define CEILING ((size_t)1 << 30)

const char *quoted(const char *text)
{
    char *copy = test_alloc(strlen(text) + 1), *at;

    strcpy(copy, text);
    for (at = copy; *at; at++)
        if (*at == '\'')
            *at = '"';
    return copy;
}

void converted_quoted(struct converted *r, const struct import_format *format,
                      const char *text, bool whole)
{
    converted_init(r, false);
    r->options.whole = whole;
    converted_run(r, format, bytes_str(quoted(text)), 0);
    converted_check(r);
}

/* ---- the same however it comes ------------------------------------------ */

static void same_entries(const struct converted *a, const struct converted *b)
{
    EQ(a->n, b->n);
    EQ(a->n_settled, b->n_settled);
    EQ(a->output, b->output);
    SAME(bytes_of(a->text.data, a->text.len),
         bytes_of(b->text.data, b->text.len));
}

static void run(struct converted *r, const struct import_format *format,
                quire_bytes file, bool whole, size_t chunk)
{
    converted_init(r, false);
    r->options.whole = whole;
    converted_run(r, format, file, chunk);
    converted_check(r);
}

static void same_in_pieces(const struct import_format *format, quire_bytes file,
                           bool whole)
{
    static const size_t chunks[] = {1, 2, 3, 7, 64, 4096};
    struct converted once, other;
    size_t i, cut, step = 1 + file.len / 1500;

    run(&once, format, file, whole, 0);
    for (i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        run(&other, format, file, whole, chunks[i]);
        same_entries(&once, &other);
        SAME_TEXT(buf_text(&once.problems), buf_text(&other.problems));
        SAME_TEXT(buf_text(&once.counts), buf_text(&other.counts));
        converted_release(&other);
    }
    for (cut = 0; !whole && cut <= file.len; cut += step) {
        converted_init(&other, false);
        converted_resume(&other, format, file, cut);
        same_entries(&once, &other);
        converted_release(&other);
    }
    converted_release(&once);
}

/* ---- damage ------------------------------------------------------------- */

static void with_crlf(const struct import_format *format, quire_bytes file,
                      size_t n)
{
    struct buf text = BUF_INIT(CEILING);
    const char *at = file.data;
    struct converted r;
    size_t i;

    for (i = 0; i < file.len; i++) {
        if (at[i] == '\n')
            buf_add_char(&text, '\r');
        buf_add_char(&text, at[i]);
    }
    run(&r, format, buf_bytes(&text), false, 0);
    EQ(n, r.n);
    SAME_TEXT("", buf_text(&r.problems));
    converted_release(&r);
    buf_release(&text);
}

/* The whole file, with another line behind its first: nothing else is lost. */
static void with_line(const struct import_format *format, quire_bytes file,
                      const char *line, const char *problem, size_t n)
{
    struct buf text = BUF_INIT(CEILING);
    const char *nl = memchr(file.data, '\n', file.len);
    size_t first = (size_t)(nl - (const char *)file.data) + 1;
    struct converted r;

    buf_add(&text, file.data, first);
    buf_add_str(&text, line);
    buf_add(&text, nl + 1, file.len - first);
    run(&r, format, buf_bytes(&text), false, 0);
    EQ(n, r.n);
    HAS(buf_text(&r.problems), "line 2 ");
    HAS(buf_text(&r.problems), problem);
    converted_release(&r);
    buf_release(&text);
}

static void with_torn_tail(const struct import_format *format, quire_bytes file,
                           bool whole, size_t n)
{
    struct converted r;

    run(&r, format, bytes_sub(file, 0, file.len - 3), whole, 0);
    YES(r.n <= n);
    HAS(buf_text(&r.problems), "torn");
    converted_release(&r);
}

static void with_damage(const struct import_format *format, quire_bytes file)
{
    uint64_t seed;
    int i;

    for (seed = 1; seed <= 12; seed++) {
        struct buf text = BUF_INIT(CEILING);

        for (i = 0; i < 3; i++)
            buf_add(&text, file.data, file.len);
        generate_damage(&text, seed);
        same_in_pieces(format, buf_bytes(&text), false);
        buf_release(&text);
    }
}

/* ---- without memory ----------------------------------------------------- */

static quire_status take(void *ctx, const struct import_entry *e,
                         quire_error *err)
{
    size_t *n = ctx;

    (void)err;
    *n += e->json.len;
    return QUIRE_OK;
}

static quire_status once(const struct import_format *format, quire_bytes file,
                         bool whole, size_t *n)
{
    struct import_sink sink = {.ctx = n, .entry = take};
    struct import_options options = {.whole = whole};
    struct import_converter *c;
    quire_status st = import_converter_new(format, &sink, &options, &c,
                                           &test_err);

    *n = 0;
    if (st)
        return st;
    st = import_converter_feed(c, bytes_sub(file, 0, file.len / 2), &test_err);
    if (!st)
        st = import_converter_feed(c, bytes_sub(file, file.len / 2, file.len),
                                   &test_err);
    if (!st)
        st = import_converter_finish(c, &test_err);
    import_converter_free(c);
    return st;
}

static void without_memory(const struct import_format *format, quire_bytes file,
                           bool whole)
{
    quire_status st;
    size_t want, got;
    long n;

    OK(once(format, file, whole, &want));
    for (n = 1;; n++) {
        fault_arm(n, ENOMEM, false);
        st = once(format, file, whole, &got);
        if (!fault_disarm())
            break;
        if (st)
            EQ(QUIRE_NO_MEMORY, st);
        else
            EQ(want, got);
    }
    OK(st);
    YES(n > 5);
}

void sound_text(const struct import_format *format, const char *text)
{
    quire_bytes file = bytes_str(text);

    same_in_pieces(format, file, false);
    without_memory(format, file, false);
}

void sound(const struct import_format *format, const char *text, bool whole)
{
    quire_bytes file = bytes_str(quoted(text));
    struct converted r;
    size_t n;

    run(&r, format, file, whole, 0);
    SAME_TEXT("", buf_text(&r.problems));
    n = r.n;
    converted_release(&r);
    same_in_pieces(format, file, whole);
    with_torn_tail(format, file, whole, n);
    without_memory(format, file, whole);
    if (whole)
        return;
    with_crlf(format, file, n);
    with_line(format, file, "{no json\n", "garbage", n);
    with_line(format, file, "{\"a\":[1,\n", "torn", n);
    with_damage(format, file);
}

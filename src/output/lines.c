/*
 * lines.c - select lines of a text that arrives in pieces
 *
 * The source pushes pieces of any size, cut anywhere. Most lines are whole
 * within a piece and are passed on as slices of it. An unfinished line is held
 * until the next piece:
 *
 *     pieces   ....\n......\n..|.....\n.....\n...|..
 *     lines    [-----][-----][-+-----][-----][---+--
 *              slices          held   slice    held
 *
 * Invariants:
 *
 *   (1) What `each` sees depends on the text alone, not on where the source
 *       cuts it. So a cut in a long line is decided only when all that bears
 *       on it is there: LOOK_AHEAD bytes more, the rest of a character.
 *   (2) Held bytes belong to the current line, and are fewer than
 *       LINES_PIECE + LOOK_AHEAD. Nothing is held of a skipped line.
 *   (3) A status of `each` or of the source is returned unchanged. To end a
 *       source early we return QUIRE_STOPPED to it, and `enough` records
 *       that it was us.
 *
 * `tail` takes two passes, since the memory for one would depend on the text.
 * The first counts, the second emits what the count selects. Line numbers count
 * from the true beginning, so the first pass reads everything before the end;
 * but counting newlines alone is about as fast as memory is. On the way it
 * leaves marks, so that the second need not begin at the beginning. If the text
 * has grown in between, the second pass still ends where the first one did.
 */
#include "output/lines.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "output/regex.h"
#include "output/quote.h"

/* A character that begins before a cut has at most three bytes after it. */
#define LOOK_AHEAD 3

/* ---- one pass over the lines -------------------------------------------- */

struct reader {
    /* The selection. */
    uint64_t first, last; /* lines, from 1                                 */
    struct regex *match;  /* NULL: all of them                             */
    uint64_t skip, stop;  /* of these, skip the first `skip`, and end after the
                           * one that makes `stop` */
    quire_line_fn each;   /* NULL: only count                              */
    void *ctx;

    /* The current line. */
    uint64_t number;
    bool open;   /* bytes of it have arrived */
    bool begun;  /* a piece of it has been emitted */
    bool passed; /* it is not selected, or not any more */
    struct buf held;

    uint64_t n_found; /* lines that `match` accepts */
    uint64_t n_given;
    bool enough;
};

static void reader_init(struct reader *r, uint64_t first, uint64_t last,
                        struct regex *match)
{
    *r = (struct reader){
        .first = first,
        .last = last,
        .match = match,
        .stop = UINT64_MAX,
        .number = 1,
        .passed = first > 1,
        .held = BUF_INIT(LINES_PIECE + LOOK_AHEAD),
    };
}

static quire_status end_line(struct reader *r)
{
    r->number++;
    r->open = r->begun = false;
    r->passed = r->number < r->first;
    r->enough = r->number > r->last || r->n_found >= r->stop;
    return r->enough ? QUIRE_STOPPED : QUIRE_OK;
}

/* A line begins with `text`: is it selected? Sets r->passed if not. */
static quire_status choose_line(struct reader *r, quire_bytes text, bool whole,
                                quire_error *err)
{
    bool found = true;
    quire_status st;

    if (r->match) {
        if (text.len && ((const char *)text.data)[text.len - 1] == '\n')
            text.len--;
        st = regex_find(r->match, text, whole, &found, err);
        if (st)
            return st;
    }
    r->n_found += found;
    r->passed = !found || r->n_found <= r->skip || !r->each;
    return QUIRE_OK;
}

/* Emit the first `len` bytes of `rest`, the available part of the current line.
 * They are the last of it if `ends`. */
static quire_status emit_bytes(struct reader *r, quire_bytes rest, size_t len,
                               bool ends, quire_error *err)
{
    quire_line line = {r->number, {rest.data, len}, !r->begun, ends};
    quire_status st = QUIRE_OK;

    if (!r->begun) {
        /* A first piece may lack just the newline. */
        bool whole = ends || ((const char *)rest.data)[len] == '\n';

        st = choose_line(r, line.text, whole, err);
    }
    if (!st && !r->passed) {
        st = r->each(r->ctx, &line, err);
        r->n_given += !r->begun;
        r->begun = true;
    }
    if (!st && ends)
        st = end_line(r);
    return st;
}

/* Emit all that can be emitted of *rest, and leave the rest in it: less than
 * LINES_PIECE + LOOK_AHEAD bytes, and nothing if the line ends or is not
 * selected. */
static quire_status emit_ready(struct reader *r, quire_bytes *rest, bool ends,
                               quire_error *err)
{
    quire_status st = QUIRE_OK;

    while (!st && !r->passed && rest->len > LINES_PIECE &&
           (ends || rest->len >= LINES_PIECE + LOOK_AHEAD)) {
        size_t cut = utf8_cut(*rest, LINES_PIECE);

        st = emit_bytes(r, *rest, cut, false, err);
        *rest = bytes_sub(*rest, cut, rest->len);
    }
    if (!st && ends)
        st = r->passed ? end_line(r)
                       : emit_bytes(r, *rest, rest->len, true, err);
    if (ends || r->passed)
        rest->len = 0;
    return st;
}

/* The same where a part of the line is held already. */
static quire_status emit_held(struct reader *r, quire_bytes part, bool ends,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;

    do {
        size_t room = r->held.max - r->held.len;
        size_t n = part.len < room ? part.len : room;
        quire_bytes rest;

        buf_add(&r->held, part.data, n);
        if (r->held.failed)
            return buf_status(&r->held, "a line", err);
        part = bytes_sub(part, n, part.len);
        rest = buf_bytes(&r->held);
        st = emit_ready(r, &rest, ends && !part.len, err);
        memmove(r->held.data, rest.data, rest.len);
        r->held.len = rest.len;
    } while (!st && part.len && !r->passed);
    if (!st && part.len && ends)
        st = end_line(r);
    return st;
}

/* More bytes of the current line, the last ones if `ends`. */
static quire_status add_part(struct reader *r, quire_bytes part, bool ends,
                             quire_error *err)
{
    quire_status st;

    r->open = true;
    if (r->held.len)
        return emit_held(r, part, ends, err);
    st = emit_ready(r, &part, ends, err);
    if (!st && part.len) {
        buf_add(&r->held, part.data, part.len);
        st = buf_status(&r->held, "a line", err);
    }
    return st;
}

static quire_status add_piece(void *ctx, quire_bytes piece, quire_error *err)
{
    struct reader *r = ctx;
    quire_status st = QUIRE_OK;

    while (!st && piece.len) {
        const char *at = piece.data, *end = memchr(at, '\n', piece.len);
        size_t n = end ? (size_t)(end - at) + 1 : piece.len;

        st = add_part(r, bytes_of(at, n), end != NULL, err);
        piece = bytes_sub(piece, n, piece.len);
    }
    assert(r->held.len < LINES_PIECE + LOOK_AHEAD);
    return st;
}

/* Read from byte `from` until there is enough. */
static quire_status reader_run(struct reader *r,
                               const struct lines_source *source, uint64_t from,
                               quire_error *err)
{
    quire_status st = source->read(source->ctx, from, add_piece, r, err);

    if (!st && !r->enough && r->open) {
        /* The text behind the last newline is a line, too. */
        quire_bytes rest = buf_bytes(&r->held);

        st = emit_ready(r, &rest, true, err);
    }
    if (st == QUIRE_STOPPED && r->enough)
        st = QUIRE_OK;
    buf_release(&r->held);
    return st;
}

/* ---- counting, fast ----------------------------------------------------- */

/* A place to restart from. It may be in the middle of a line: that one has the
 * number n_newlines + 1, and cannot be emitted. */
struct mark {
    uint64_t at;
    uint64_t n_newlines; /* before it */
};

/* Marks are `step` apart. When the table is full, every second one is dropped
 * and the step doubles. So there are always at least MARKS / 2, and the second
 * pass reads at most that part of the text in vain. */
enum { MARKS = 64, MARK_STEP = 64 * 1024 };

struct counter {
    uint64_t last; /* count up to here         */
    uint64_t at, n_newlines;
    bool open; /* the last byte was not a newline */
    bool enough;
    uint64_t step, next; /* distance, and place, of marks */
    size_t n_marks;
    struct mark marks[MARKS];
};

static void add_mark(struct counter *c)
{
    size_t i;

    if (c->n_marks == MARKS) {
        for (i = 0; i < MARKS / 2; i++)
            c->marks[i] = c->marks[2 * i + 1];
        c->n_marks = MARKS / 2;
        c->step *= 2;
    }
    c->marks[c->n_marks++] = (struct mark){c->at, c->n_newlines};
    c->next = c->at + c->step;
}

static quire_status count_piece(void *ctx, quire_bytes piece, quire_error *err)
{
    struct counter *c = ctx;

    (void)err;
    while (piece.len) {
        uint64_t left = c->next - c->at;
        size_t n = piece.len < left ? piece.len : (size_t)left;
        const char *at = piece.data;

        c->n_newlines += bytes_count(bytes_of(at, n), '\n');
        c->open = at[n - 1] != '\n';
        c->at += n;
        piece = bytes_sub(piece, n, piece.len);
        c->enough = c->n_newlines >= c->last;
        if (c->enough)
            return QUIRE_STOPPED;
        if (c->at == c->next)
            add_mark(c);
    }
    return QUIRE_OK;
}

/* Count the lines of the text, up to line `last`. */
static quire_status count_lines(struct counter *c,
                                const struct lines_source *source,
                                uint64_t last, uint64_t *n, quire_error *err)
{
    quire_status st;

    *c = (struct counter){.last = last, .step = MARK_STEP, .next = MARK_STEP};
    st = source->read(source->ctx, 0, count_piece, c, err);
    if (st == QUIRE_STOPPED && c->enough)
        st = QUIRE_OK;
    *n = c->enough ? last : c->n_newlines + c->open;
    return st;
}

/* Where to begin so that line `first` is read whole. */
static struct mark find_mark(const struct counter *c, uint64_t first)
{
    struct mark best = {0, 0};
    size_t i;

    for (i = 0; i < c->n_marks && c->marks[i].n_newlines + 1 < first; i++)
        best = c->marks[i];
    return best;
}

/* ---- reading ------------------------------------------------------------ */

static quire_status fail_short(uint64_t n_lines, quire_error *err)
{
    if (n_lines == 0)
        return err_set(err, QUIRE_NOT_FOUND, "the text is empty");
    if (n_lines == 1)
        return err_set(err, QUIRE_NOT_FOUND, "the text has only 1 line");
    return err_set(err, QUIRE_NOT_FOUND, "the text has only %" PRIu64 " lines",
                   n_lines);
}

static quire_status fail_unmatched(const char *grep, quire_error *err)
{
    return err_set(err, QUIRE_NOT_FOUND, "no line matches \"%s\"",
                   quote_text(bytes_str(grep)).text);
}

/* The status of an empty result, after a pass from the start. */
static quire_status judge_empty(const struct reader *r, const char *grep,
                                quire_error *err)
{
    if (r->first > 1 && r->number <= r->first)
        return fail_short(r->number - 1, err);
    if (grep && r->n_found == 0)
        return fail_unmatched(grep, err);
    return QUIRE_OK;
}

/* Input shared by both passes of a call. */
struct job {
    const struct lines_source *source;
    const quire_read_options *choice;
    uint64_t first, last;
    uint64_t stop; /* stop after so many lines that `match` accepts */
    struct regex *match;
    quire_line_fn each;
    void *ctx;
    uint64_t n_given;
};

static quire_status read_all(struct job *j, quire_error *err)
{
    struct reader r;
    quire_status st;

    reader_init(&r, j->first, j->last, j->match);
    r.stop = j->stop;
    r.each = j->each;
    r.ctx = j->ctx;
    st = reader_run(&r, j->source, 0, err);
    j->n_given = r.n_given;
    return st ? st : judge_empty(&r, j->choice->grep, err);
}

static quire_status read_tail(struct job *j, quire_error *err)
{
    uint64_t tail = j->choice->tail, n_lines, first = j->first;
    struct mark from = {0, 0};
    struct counter c;
    struct reader r;
    quire_status st;

    st = count_lines(&c, j->source, j->last, &n_lines, err);
    if (st)
        return st;
    if (n_lines < first)
        return first > 1 ? fail_short(n_lines, err) : QUIRE_OK;
    if (n_lines - first >= tail)
        first = n_lines - tail + 1;
    if (j->source->seeks)
        from = find_mark(&c, first);
    reader_init(&r, first, n_lines, NULL);
    r.each = j->each;
    r.ctx = j->ctx;
    r.number = from.n_newlines + 1;
    st = reader_run(&r, j->source, from.at, err);
    j->n_given = r.n_given;
    return st;
}

/* Matching lines are searched twice: which of them are the last is known at the
 * end, and their number is unbounded. */
static quire_status read_tail_found(struct job *j, quire_error *err)
{
    uint64_t tail = j->choice->tail, n_found;
    struct reader r;
    quire_status st;

    reader_init(&r, j->first, j->last, j->match);
    r.stop = j->stop;
    st = reader_run(&r, j->source, 0, err);
    if (!st)
        st = judge_empty(&r, j->choice->grep, err);
    if (st)
        return st;
    n_found = r.n_found;
    reader_init(&r, j->first, j->last, j->match);
    r.skip = n_found > tail ? n_found - tail : 0;
    r.stop = n_found;
    r.each = j->each;
    r.ctx = j->ctx;
    st = reader_run(&r, j->source, 0, err);
    j->n_given = r.n_given;
    return st;
}

quire_status lines_read(const struct lines_source *source,
                        const quire_read_options *choice, quire_line_fn each,
                        void *ctx, uint64_t *n_lines, quire_error *err)
{
    uint64_t limit = choice->limit;
    struct job j = {
        .source = source,
        .choice = choice,
        .first = choice->offset ? choice->offset : 1,
        .last = UINT64_MAX,
        .stop = UINT64_MAX,
        .each = each,
        .ctx = ctx,
    };
    quire_status st = QUIRE_OK;

    if (limit && choice->grep)
        j.stop = limit;
    else if (limit && limit - 1 < UINT64_MAX - j.first)
        j.last = j.first + (limit - 1);
    if (choice->grep)
        st = regex_new(choice->grep, choice->ignore_case, &j.match, err);
    if (st)
        goto out;
    /* The limit cannot exceed the tail: one pass is enough. */
    if (!choice->tail || (limit && choice->tail >= limit))
        st = read_all(&j, err);
    else if (j.match)
        st = read_tail_found(&j, err);
    else
        st = read_tail(&j, err);
out:
    regex_free(j.match);
    if (n_lines)
        *n_lines = j.n_given;
    return st;
}

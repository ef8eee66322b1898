/*
 * diff.c - quire_diff(): lines, hunks, words
 *
 * Lines become numbers, equal lines the same one; so do the words of a line. Runs of
 * removed and added lines that follow each other are paired in order to mark words.
 */
#include "quire/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "base/opts.h"
#include "diff/myers.h"

/* Words are marked in lines up to this size, and where at least a third of them is
 * the same. */
enum { MARK_BYTES = 4096, MARK_WORDS = 1024 };

/* A text in parts: lines or words. */
struct parts {
    quire_bytes *list;
    struct myers_side side;
};

/* The numbers of parts. */
struct numbers {
    struct map map;
    uint32_t n;
};

static bool number_parts(struct numbers *x, struct parts *p, struct arena *keep)
{
    uint32_t *items = arena_array(keep, p->side.n + 1, sizeof *items);
    size_t i;

    p->side.changed = arena_array(keep, p->side.n + 1, sizeof(bool));
    if (!items || !p->side.changed)
        return false;
    p->side.item = items;
    for (i = 0; i < p->side.n; i++) {
        uint64_t *known = map_get(&x->map, p->list[i]);

        if (known) {
            items[i] = (uint32_t)*known;
            continue;
        }
        items[i] = x->n;
        if (!map_put(&x->map, p->list[i], x->n++, NULL))
            return false;
    }
    return true;
}

static bool compare_parts(struct parts *a, struct parts *b, struct arena *keep)
{
    struct numbers x = {.n = 0};
    ptrdiff_t *room = arena_array(keep, myers_room(a->side.n, b->side.n),
                                  sizeof *room);
    bool good;

    map_init(&x.map, (uint64_t)(uintptr_t)room, a->side.n);
    good = room && number_parts(&x, a, keep) && number_parts(&x, b, keep);
    if (good)
        myers_diff(&a->side, &b->side, room);
    map_release(&x.map);
    return good;
}

/* ---- lines -------------------------------------------------------------- */

static bool split_lines(quire_bytes text, struct parts *out, struct arena *keep)
{
    const char *at = text.data, *end = at + text.len;
    size_t n = text.len ? bytes_count(text, '\n') + (end[-1] != '\n') : 0, i;

    out->list = arena_array(keep, n + 1, sizeof *out->list);
    out->side.n = n;
    for (i = 0; out->list && i < n; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        stop = stop ? stop + 1 : end;
        out->list[i] = bytes_of(at, (size_t)(stop - at));
        at = stop;
    }
    return out->list != NULL;
}

/* ---- words -------------------------------------------------------------- */

static int class_of(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9') || c == '_' || c >= 0x80
               ? 1
           : c == ' ' || c == '\t' ? 2
                                   : 0;
}

/* Runs of letters and digits, runs of blanks, single signs. False: too many. */
static bool split_words(quire_bytes line, struct parts *out, struct arena *keep)
{
    const unsigned char *text = line.data;
    size_t at = 0, n = 0;

    out->list = arena_array(keep, MARK_WORDS, sizeof *out->list);
    if (!out->list || line.len > MARK_BYTES)
        return false;
    while (at < line.len) {
        size_t from = at++;
        int class = class_of(text[from]);

        while (class && at < line.len && class_of(text[at]) == class)
            at++;
        if (n == MARK_WORDS)
            return false;
        out->list[n++] = bytes_sub(line, from, at);
    }
    out->side.n = n;
    return true;
}

struct marks {
    quire_span *list;
    size_t n;
};

static bool collect_marks(const struct parts *p, struct marks *out,
                          struct arena *keep)
{
    size_t i, at = 0;

    out->list = arena_array(keep, p->side.n + 1, sizeof *out->list);
    out->n = 0;
    if (!out->list)
        return false;
    for (i = 0; i < p->side.n; at += p->list[i++].len) {
        quire_span *last = out->n ? &out->list[out->n - 1] : NULL;

        if (!p->side.changed[i])
            continue;
        if (last && last->to == at)
            last->to += p->list[i].len;
        else
            out->list[out->n++] = (quire_span){at, at + p->list[i].len};
    }
    return true;
}

/* Bytes of words, not of blanks and signs: all, or those that stay. */
static size_t count_bytes(const struct parts *p, bool all)
{
    size_t i, n = 0;

    for (i = 0; i < p->side.n; i++)
        if ((all || !p->side.changed[i]) &&
            class_of(*(const unsigned char *)p->list[i].data) == 1)
            n += p->list[i].len;
    return n;
}

static bool is_similar(const struct parts *a, const struct parts *b)
{
    size_t x = count_bytes(a, true), y = count_bytes(b, true);

    return count_bytes(a, false) * 3 >= (x < y ? x : y);
}

/* Lines that have little in common have no marks. */
static void mark_words(quire_bytes before, quire_bytes after, struct marks *a,
                       struct marks *b, struct arena *keep)
{
    struct parts x = {NULL}, y = {NULL};

    a->n = b->n = 0;
    if (!split_words(before, &x, keep) || !split_words(after, &y, keep) ||
        !compare_parts(&x, &y, keep) || !is_similar(&x, &y))
        return;
    if (!collect_marks(&x, a, keep) || !collect_marks(&y, b, keep))
        a->n = b->n = 0;
}

/* ---- hunks -------------------------------------------------------------- */

struct diff {
    quire_diff_options o;
    struct parts a, b;
    struct arena keep, words; /* `words`: of a run of changes                */
    quire_diff_fn each;
    void *ctx;
    quire_diff_summary sum;
    size_t x, y; /* the next line of each                                    */
    bool apart;  /* lines were left out since the last one that was listed   */
};

static quire_status emit(struct diff *d, int kind, const struct marks *marks,
                         quire_error *err)
{
    quire_diff_line line = {.kind = kind,
                            .begins_hunk = d->apart,
                            .old_line = d->x + 1,
                            .new_line = d->y + 1};

    line.text = kind == QUIRE_DIFF_ADDED ? d->b.list[d->y] : d->a.list[d->x];
    if (marks) {
        line.marks = marks->list;
        line.n_marks = marks->n;
    }
    d->sum.hunks += d->apart;
    d->apart = false;
    d->x += kind != QUIRE_DIFF_ADDED;
    d->y += kind != QUIRE_DIFF_REMOVED;
    return d->each(d->ctx, &line, err);
}

/* A run of removed lines, then of added ones. */
static quire_status emit_run(struct diff *d, quire_error *err)
{
    size_t removed = 0, added = 0, pairs, i;
    struct marks *marks;
    quire_status st = QUIRE_OK;

    while (d->x + removed < d->a.side.n && d->a.side.changed[d->x + removed])
        removed++;
    while (d->y + added < d->b.side.n && d->b.side.changed[d->y + added])
        added++;
    pairs = removed < added ? removed : added;
    arena_reset(&d->words);
    marks = arena_array(&d->words, 2 * pairs + 1, sizeof *marks);
    if (!marks)
        return err_memory(err);
    for (i = 0; d->o.words && i < pairs; i++)
        mark_words(d->a.list[d->x + i], d->b.list[d->y + i], &marks[2 * i],
                   &marks[2 * i + 1], &d->words);
    for (i = 0; !st && i < removed; i++)
        st = emit(d, QUIRE_DIFF_REMOVED, i < pairs ? &marks[2 * i] : NULL, err);
    for (i = 0; !st && i < added; i++)
        st = emit(d, QUIRE_DIFF_ADDED, i < pairs ? &marks[2 * i + 1] : NULL,
                  err);
    d->sum.removed += removed;
    d->sum.added += added;
    return st;
}

/* How many unchanged lines follow. */
static size_t count_unchanged(const struct diff *d)
{
    size_t n = 0;

    while (d->x + n < d->a.side.n && !d->a.side.changed[d->x + n] &&
           !d->b.side.changed[d->y + n])
        n++;
    return n;
}

static quire_status emit_unchanged(struct diff *d, size_t n, quire_error *err)
{
    quire_status st = QUIRE_OK;

    while (!st && n-- > 0)
        st = emit(d, QUIRE_DIFF_SAME, NULL, err);
    return st;
}

static quire_status emit_hunks(struct diff *d, quire_error *err)
{
    bool first = true;
    quire_status st = QUIRE_OK;

    d->apart = true;
    while (!st && (d->x < d->a.side.n || d->y < d->b.side.n)) {
        size_t same = count_unchanged(d), skip;
        bool last = d->x + same == d->a.side.n && d->y + same == d->b.side.n;
        size_t before = last ? 0 : d->o.context;
        size_t behind = first ? 0 : d->o.context;

        if (behind > same)
            behind = same;
        if (before > same - behind)
            before = same - behind;
        skip = same - behind - before;
        st = emit_unchanged(d, behind, err);
        d->x += skip;
        d->y += skip;
        d->apart |= skip > 0;
        if (!st)
            st = emit_unchanged(d, before, err);
        if (!st && !last)
            st = emit_run(d, err);
        first = false;
    }
    return st;
}

static bool is_binary(quire_bytes text)
{
    return text.len && memchr(text.data, '\0', text.len) != NULL;
}

quire_status quire_diff(quire_bytes before, quire_bytes after,
                        const quire_diff_options *options, quire_diff_fn each,
                        void *ctx, quire_diff_summary *out, quire_error *err)
{
    struct diff d = {.o = QUIRE_DIFF_OPTIONS_INIT,
                     .keep = ARENA_INIT,
                     .words = ARENA_INIT,
                     .each = each,
                     .ctx = ctx};
    quire_status st = QUIRE_OK;

    OPTIONS_READ(d.o, options);
    if (is_binary(before) || is_binary(after)) {
        d.sum.is_binary = 1;
    } else if (bytes_count(before, '\n') > INT32_MAX ||
               bytes_count(after, '\n') > INT32_MAX) {
        st = err_fail(err, QUIRE_INVALID, "", "too many lines to compare");
    } else if (!split_lines(before, &d.a, &d.keep) ||
               !split_lines(after, &d.b, &d.keep) ||
               !compare_parts(&d.a, &d.b, &d.keep)) {
        st = err_memory(err);
    } else {
        st = emit_hunks(&d, err);
    }
    if (out)
        *out = d.sum;
    arena_release(&d.words);
    arena_release(&d.keep);
    return st;
}

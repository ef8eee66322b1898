/* mask.c - see mask.h */
#include "purge/mask.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

/* ---- a stream ------------------------------------------------------------- */

/* Searched at once. */
#define WINDOW_BYTES ((size_t)1 << 20)

void masker_init(struct masker *m, const struct values *values,
                 quire_write_fn write, void *ctx)
{
    *m = (struct masker){.values = values,
                         .write = write,
                         .ctx = ctx,
                         .window = BUF_INIT((size_t)1 << 28)};
}

void masker_release(struct masker *m)
{
    buf_release(&m->window);
    spans_release(&m->spans);
}

static void count_span(const struct values *v, struct mask_counts *n,
                       const struct span *s)
{
    if (s->kind != SPAN_DIGEST) {
        n->values++;
        return;
    }
    n->digests++;
    if (n->seen)
        n->seen[values_digest(v, s)] = true;
}

/* Search the window, and write what no match can begin in any more. */
static quire_status search_window(struct masker *m, bool last, quire_error *err)
{
    size_t reach = values_reach(m->values), end = m->window.len, keep, i;
    quire_status st = QUIRE_OK;

    if (!last)
        end = end - m->done > reach ? end - reach : m->done;
    values_find(m->values, buf_bytes(&m->window), &m->spans);
    if (m->spans.failed)
        return err_memory(err);
    for (i = 0; i < m->spans.n && m->spans.list[i].from < end; i++) {
        const struct span *s = &m->spans.list[i];

        if (s->from < m->done)
            continue;
        count_span(m->values, &m->found, s);
        values_mask(m->values, m->window.data, m->window.len, s);
        if (s->to > end)
            end = s->to;
    }
    if (m->write && end > m->done)
        st = m->write(m->ctx, bytes_of(m->window.data + m->done, end - m->done),
                      err);
    keep = end < VALUE_BEHIND ? end : VALUE_BEHIND;
    if (m->window.len)
        memmove(m->window.data, m->window.data + end - keep,
                m->window.len - (end - keep));
    m->window.len -= end - keep;
    m->done = keep;
    return st;
}

quire_status masker_add(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct masker *m = ctx;
    size_t reach = values_reach(m->values);
    quire_status st = QUIRE_OK;

    while (bytes.len > 0 && !st) {
        size_t room = WINDOW_BYTES + 2 * reach, used = m->window.len - m->done;
        size_t now = room - used < bytes.len ? room - used : bytes.len;

        buf_add(&m->window, bytes.data, now);
        st = buf_status(&m->window, "a piece of a file", err);
        bytes = bytes_sub(bytes, now, bytes.len);
        if (!st && m->window.len - m->done >= room)
            st = search_window(m, false, err);
    }
    return st;
}

quire_status masker_end(struct masker *m, quire_error *err)
{
    return search_window(m, true, err);
}

/* ---- lines of JSON ---------------------------------------------------------- */

struct lines {
    const struct values *values;
    bool change;
    struct spans *spans;
    struct mask_counts *found;
    mask_line_fn each;
    void *ctx;
};

/* The part of a match that is in a token. */
static void mask_token(const struct values *v, char *line, size_t len,
                       quire_bytes token, const struct span *s)
{
    size_t from = (size_t)((const char *)token.data - line),
           to = from + token.len;
    struct span part = *s;

    if (s->to <= from || s->from >= to)
        return;
    if (json_kind(token) == JSON_NUMBER) {
        memset(line + from, ' ', to - from);
        line[from] = '0';
    } else if (json_kind(token) == JSON_STRING) {
        part.from = s->from > from ? s->from : from + 1;
        part.to = s->to < to ? s->to : to - 1;
        if (part.from < part.to)
            values_mask(v, line, len, &part);
    }
}

/* Mask within the strings and numbers of a line of JSON. */
static void mask_tokens(const struct values *v, char *line, quire_bytes was,
                        const struct span *spans, size_t n)
{
    struct json_scan scan;
    enum json_step step;
    size_t i;

    json_scan_init(&scan, was);
    while ((step = json_scan_next(&scan)) != JSON_STEP_END &&
           step != JSON_STEP_BAD) {
        const quire_bytes tokens[] = {scan.key, scan.value};
        size_t k;

        if (step == JSON_STEP_CLOSE)
            continue;
        for (k = 0; k < 2; k++) {
            size_t at = tokens[k].data ? (size_t)((const char *)tokens[k].data -
                                                  (const char *)was.data)
                                       : 0;

            if (!tokens[k].data || (k == 1 && step != JSON_STEP_SCALAR))
                continue;
            for (i = 0; i < n; i++)
                mask_token(v, line, was.len, bytes_of(line + at, tokens[k].len),
                           &spans[i]);
        }
    }
}

/* Mask the matches of a line; places are relative to it. */
static quire_status change_line(const struct lines *l, char *line, size_t len,
                                const struct span *spans, size_t n,
                                quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_bytes was = arena_dup(&tmp, bytes_of(line, len));
    size_t i;

    if (!was.data)
        return err_memory(err);
    for (i = 0; i < n; i++)
        values_mask(l->values, line, len, &spans[i]);
    if (!json_check(bytes_of(line, len), 0, NULL) && json_check(was, 0, NULL)) {
        memcpy(line, was.data, len);
        mask_tokens(l->values, line, was, spans, n);
    }
    arena_release(&tmp);
    return QUIRE_OK;
}

/* The matches from `first` on that begin in the line [from, to); *n of them. */
static quire_status take_line(const struct lines *l, char *text, size_t from,
                              size_t to, size_t first, size_t *n,
                              quire_error *err)
{
    struct span *spans = l->spans->list + first;
    struct mask_counts found = {.seen = l->found->seen};
    quire_status st = QUIRE_OK;
    size_t i;

    for (*n = 0; first + *n < l->spans->n && spans[*n].from < to; ++*n)
        count_span(l->values, &found, &spans[*n]);
    l->found->values += found.values;
    l->found->digests += found.digests;
    if (l->each)
        st = l->each(l->ctx, bytes_of(text + from, to - from), &found, err);
    if (st || !l->change)
        return st;
    for (i = 0; i < *n; i++) {
        spans[i].from -= from;
        spans[i].to -= from;
    }
    return change_line(l, text + from, to - from, spans, *n, err);
}

quire_status mask_lines(const struct values *values, char *text, size_t len,
                        bool change, struct spans *scratch,
                        struct mask_counts *found, mask_line_fn each, void *ctx,
                        quire_error *err)
{
    const struct lines l = {values, change, scratch, found, each, ctx};
    quire_status st = QUIRE_OK;
    size_t i = 0, n;

    values_find(values, bytes_of(text, len), scratch);
    if (scratch->failed)
        return err_memory(err);
    for (; i < scratch->n && !st; i += n) {
        size_t from = scratch->list[i].from, to = from;

        while (from > 0 && text[from - 1] != '\n')
            from--;
        /* A match over several lines, in text that is not JSON, is in the first. */
        if (scratch->list[i].to > to)
            to = scratch->list[i].to;
        while (to < len && text[to] != '\n')
            to++;
        st = take_line(&l, text, from, to, i, &n, err);
    }
    return st;
}

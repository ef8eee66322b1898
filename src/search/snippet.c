/* snippet.c - see snippet.h */
#include "search/snippet.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"

enum { BEFORE_BYTES = 50 };

static bool is_boundary(const char *text, size_t len, size_t at)
{
    return at >= len || ((unsigned char)text[at] & 0xc0) != 0x80;
}

/* The first span of the window with the most different leaves, then the most
 * matches. */
static size_t best_window(const struct text_span *spans, size_t n)
{
    size_t best = 0, best_score = 0, i, k;

    for (i = 0; i < n; i++) {
        uint64_t leaves = 0;
        size_t count = 0, score = 0;

        for (k = i; k < n &&
                    spans[k].to <= spans[i].from + SNIPPET_BYTES - BEFORE_BYTES;
             k++) {
            leaves |= (uint64_t)1 << spans[k].leaf % 64;
            count++;
        }
        for (; leaves; leaves &= leaves - 1)
            score += 100;
        score += count < 50 ? count : 50;
        if (score > best_score) {
            best_score = score;
            best = i;
        }
    }
    return best;
}

/* Where the snippet begins: a word, some bytes before the match. */
static size_t find_start(quire_bytes text, size_t match)
{
    const char *t = text.data;
    size_t from = match > BEFORE_BYTES ? match - BEFORE_BYTES : 0, at;

    if (from == 0)
        return 0;
    for (at = from; at < match; at++)
        if (t[at] == ' ' || t[at] == '\n')
            return at + 1;
    while (from < match && !is_boundary(t, text.len, from))
        from++;
    return from;
}

static size_t find_end(quire_bytes text, size_t from, size_t match_end)
{
    const char *t = text.data;
    size_t to = from + SNIPPET_BYTES, at;

    if (to < match_end)
        to = match_end;
    if (to - from > 2 * SNIPPET_BYTES)
        to = from + 2 * SNIPPET_BYTES;
    if (to >= text.len)
        return text.len;
    for (at = to; at > match_end && at > to - 20; at--)
        if (t[at] == ' ' || t[at] == '\n')
            return at;
    while (to > from && !is_boundary(t, text.len, to))
        to--;
    return to;
}

/* Copy the bytes as one line; matches are moved along. */
static void copy_line(quire_bytes text, size_t from, size_t to,
                      const struct text_span *spans, size_t n,
                      struct snippet *out, struct buf *line)
{
    const char *t = text.data;
    size_t at, k = 0, last = 0;
    bool open = false;

    while (k < n && spans[k].from < from)
        k++;
    for (at = from; at <= to; at++) {
        if (open && at == last) {
            out->matches[out->n - 1].to = (uint32_t)line->len;
            open = false;
        }
        while (k < n && spans[k].from <= at && at < to) {
            if (spans[k].from == at && !open && spans[k].to > at &&
                out->n < SNIPPET_MATCHES) {
                last = spans[k].to < to ? spans[k].to : to;
                open = true;
                out->matches[out->n++] =
                    (quire_search_match){(uint32_t)line->len, 0};
            }
            k++;
        }
        if (at < to)
            buf_add_char(line, (unsigned char)t[at] < 0x20 ? ' ' : t[at]);
    }
}

quire_status snippet_make(quire_bytes text, const struct text_span *spans,
                          size_t n, struct arena *keep, struct snippet *out,
                          quire_error *err)
{
    struct buf line = BUF_INIT(64 * 1024), whole = BUF_INIT(64 * 1024);
    size_t first = best_window(spans, n), from, to, matched;

    *out = (struct snippet){.text = ""};
    out->matches = arena_array(keep, SNIPPET_MATCHES, sizeof *out->matches);
    if (!out->matches)
        return err_memory(err);
    from = find_start(text, n ? spans[first].from : 0);
    to = find_end(text, from, n ? spans[first].to : 0);
    if (from > 0)
        buf_add_str(&line, "…");
    copy_line(text, from, to, spans, n, out, &line);
    matched = out->n ? out->matches[out->n - 1].to : 0;
    while (line.len > matched && line.data[line.len - 1] == ' ')
        line.len--;
    if (to < text.len)
        buf_add_str(&line, "…");
    /* Texts are UTF-8, outputs of programs are not always. */
    if (!line.failed && !utf8_check(buf_bytes(&line))) {
        out->n = 0;
        utf8_add_mended(&whole, buf_bytes(&line));
    } else {
        buf_add(&whole, line.data, line.len);
    }
    out->text = line.failed || whole.failed
                    ? NULL
                    : arena_text(keep, buf_bytes(&whole));
    buf_release(&whole);
    buf_release(&line);
    return out->text ? QUIRE_OK : err_memory(err);
}

/*
 * encoded_data.c - tell base64 and hex from text
 *
 * Whether a run is text is decided a window at a time, by how often upper case,
 * lower case and digits alternate. Of 63 changes possible, random base64 has 40
 * and hex 29; text in camelCase has 2 for each word, and few digits. The first
 * window is judged strictly, so that paths and names are not taken for data.
 *
 * Base64 between separators matters most: without this rule each of its
 * fragments would be a word of the index. Data that is one word costs a few
 * tokens at most, so hex that passes for text does no harm.
 */
#include "search/encoded_data.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"

enum {
    DATA_MIN = 200,
    DATA_WINDOW = 64,
    DATA_LINE_MIN = 60,
    DATA_LINE_MAX = 76,
};

enum kind {
    KIND_NONE, /* not data */
    KIND_UPPER,
    KIND_LOWER,
    KIND_DIGIT,
    KIND_OTHER, /* "+/=_-" */
};

static inline unsigned char byte_at(quire_bytes t, size_t at)
{
    return ((const unsigned char *)t.data)[at];
}

static inline enum kind kind_at(quire_bytes t, size_t at)
{
    unsigned char c = byte_at(t, at);

    if (c >= 'a' && c <= 'z')
        return KIND_LOWER;
    if (c >= 'A' && c <= 'Z')
        return KIND_UPPER;
    if (c >= '0' && c <= '9')
        return KIND_DIGIT;
    return c == '+' || c == '/' || c == '=' || c == '_' || c == '-' ? KIND_OTHER
                                                                    : KIND_NONE;
}

/* A walk over data that crosses line breaks. */
struct data_walk {
    quire_bytes text;
    size_t at, line_from;
    size_t n_bytes; /* without breaks */
};

struct data_window {
    unsigned n_upper, n_lower, n_digits, n_other, n_changes;
};

/* The end of the bytes from `at` on that may be data, or `max` of them. */
static size_t data_span(quire_bytes t, size_t at, size_t max)
{
    size_t end = t.len - at > max ? at + max : t.len;

    while (at < end && kind_at(t, at))
        at++;
    return at;
}

/* The end of a line break and the indentation behind it; `at` if there is none.
 * A break may be escaped, as in JSON. */
static size_t skip_break(quire_bytes t, size_t at)
{
    const char *p = t.data;
    size_t i = at;

    if (i < t.len && p[i] == '\r')
        i++;
    if (i < t.len && p[i] == '\n')
        i++;
    else if (t.len - at > 1 && p[at] == '\\' && p[at + 1] == 'n')
        return at + 2;
    else
        return at;
    while (i < t.len && (p[i] == ' ' || p[i] == '\t'))
        i++;
    return i;
}

/* Move to the next line of data. The last may be shorter; it is not a word with
 * others behind it. */
static bool next_line(struct data_walk *w)
{
    quire_bytes t = w->text;
    size_t len = w->at - w->line_from, from, to;

    if (len < DATA_LINE_MIN || len > DATA_LINE_MAX)
        return false;
    from = skip_break(t, w->at);
    if (from == w->at || from == t.len || byte_at(t, from) == '-')
        return false;
    to = data_span(t, from, DATA_LINE_MAX + 1);
    if (to - from > DATA_LINE_MAX || to == from ||
        (to - from < DATA_LINE_MIN && to < t.len &&
         !strchr("\r\n\\\"'`<", byte_at(t, to))))
        return false;
    w->at = w->line_from = from;
    return true;
}

/* Walk over one window; false if it is not a full one. */
static bool next_window(struct data_walk *w, struct data_window *out)
{
    enum kind kind, before = KIND_NONE;
    unsigned n = 0;

    *out = (struct data_window){0};
    for (; n < DATA_WINDOW; n++, w->at++) {
        if (w->at == w->text.len || !kind_at(w->text, w->at)) {
            if (!next_line(w))
                break;
        }
        kind = kind_at(w->text, w->at);
        out->n_upper += kind == KIND_UPPER;
        out->n_lower += kind == KIND_LOWER;
        out->n_digits += kind == KIND_DIGIT;
        out->n_other += kind == KIND_OTHER;
        out->n_changes += before && kind != before && kind != KIND_OTHER;
        if (kind != KIND_OTHER)
            before = kind;
    }
    w->n_bytes += n;
    return n == DATA_WINDOW;
}

/* Is it the beginning of data? */
static bool is_data(const struct data_window *w)
{
    if (w->n_other > 8)
        return false;
    /* Base64, or else hex and base32. */
    if (w->n_upper && w->n_lower)
        return w->n_upper >= 8 && w->n_lower >= 8 && w->n_digits >= 1 &&
               w->n_changes >= 26;
    return w->n_digits >= 8 && w->n_changes >= 12 && w->n_other <= 2;
}

/* Does data end before it? A binary has runs of equal bytes; "AAAA" is not a
 * word. */
static bool is_words(const struct data_window *w)
{
    return w->n_changes < 16 && w->n_lower > w->n_upper;
}

/* Is it announced, as in data:image/jpeg;base64,/9j/4AAQ... ? */
static bool is_declared(quire_bytes t, size_t at)
{
    static const char label[] = "base64,";
    size_t len = sizeof label - 1;

    while (at > len && kind_at(t, at - 1) == KIND_OTHER)
        at--;
    return at >= len && !memcmp((const char *)t.data + at - len, label, len);
}

/* encoded_data_end() of a line that may be data. */
static size_t walk_data(quire_bytes t, size_t from, size_t *clear)
{
    struct data_walk w = {t, from, from, 0};
    bool declared = is_declared(t, from);
    struct data_window window;
    size_t end = from, n_bytes = 0;

    if (!declared && (!next_window(&w, &window) || !is_data(&window))) {
        *clear = from + DATA_WINDOW / 2;
        return from;
    }
    /* The rest of less than a window belongs to what is before it. */
    do {
        end = w.at;
        n_bytes = w.n_bytes;
        if (!next_window(&w, &window)) {
            end = w.at;
            n_bytes = w.n_bytes;
            break;
        }
    } while (declared || !is_words(&window));
    *clear = end;
    return n_bytes >= DATA_MIN ? end : from;
}

size_t encoded_data_end(quire_bytes t, size_t from, size_t *clear)
{
    size_t i = from + DATA_LINE_MIN;

    if (t.len - from < DATA_MIN) {
        *clear = t.len;
        return from;
    }
    /* From its end, because a word of text ends soon: few bytes are read
     * twice. */
    for (; i > from; i--) {
        if (!kind_at(t, i - 1)) {
            *clear = i;
            return from;
        }
    }
    return walk_data(t, from, clear);
}

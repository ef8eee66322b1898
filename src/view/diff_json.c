/* diff_json.c - see diff_json.h */
#include "view/diff_json.h"

#include "base/bytes.h"
#include "base/utf8.h"

struct hunks {
    struct json_writer *w;
    size_t n, max;
    bool open, cut;
};

static void end_hunk(struct hunks *h)
{
    if (h->open) {
        json_array_end(h->w);
        json_object_end(h->w);
    }
    h->open = false;
}

static void begin_hunk(struct hunks *h, const quire_diff_line *line)
{
    end_hunk(h);
    json_object(h->w);
    json_put_uint(h->w, "old", line->old_line);
    json_put_uint(h->w, "new", line->new_line);
    json_key(h->w, "lines");
    json_array(h->w);
    h->open = true;
}

static size_t count_units(quire_bytes text)
{
    size_t n = 0;
    uint32_t cp;

    while (text.len > 0) {
        text = bytes_sub(text, utf8_decode(text, &cp, NULL), text.len);
        n += cp > 0xffff ? 2 : 1;
    }
    return n;
}

static void write_marks(struct hunks *h, const quire_diff_line *line,
                        size_t len)
{
    size_t i;

    json_array(h->w);
    for (i = 0; i < line->n_marks; i++) {
        quire_span m = line->marks[i];

        m.to = m.to < len ? m.to : len;
        if (m.from >= m.to)
            continue;
        json_array(h->w);
        json_uint(h->w, count_units(bytes_sub(line->text, 0, m.from)));
        json_uint(h->w, count_units(bytes_sub(line->text, 0, m.to)));
        json_array_end(h->w);
    }
    json_array_end(h->w);
}

static quire_status write_line(void *ctx, const quire_diff_line *line,
                               quire_error *err)
{
    struct hunks *h = ctx;
    quire_bytes text = line->text;
    const char kind[2] = {(char)line->kind, '\0'};

    (void)err;
    if (h->max && h->n == h->max) {
        h->cut = true;
        return QUIRE_OK;
    }
    h->n++;
    if (line->begins_hunk)
        begin_hunk(h, line);
    if (text.len && ((const char *)text.data)[text.len - 1] == '\n')
        text.len--;
    json_array(h->w);
    json_str(h->w, kind);
    json_bytes(h->w, text);
    if (line->n_marks)
        write_marks(h, line, text.len);
    json_array_end(h->w);
    return QUIRE_OK;
}

quire_status view_diff(quire_bytes before, quire_bytes after, size_t max_lines,
                       struct json_writer *w, quire_diff_summary *sum,
                       bool *cut, quire_error *err)
{
    struct hunks h = {.w = w, .max = max_lines};
    quire_status st;

    json_array(w);
    st = quire_diff(before, after, NULL, write_line, &h, sum, err);
    end_hunk(&h);
    json_array_end(w);
    *cut = h.cut;
    return st;
}

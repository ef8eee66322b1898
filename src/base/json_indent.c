/*
 * json_indent.c - indented JSON
 *
 * The layout of JSON.stringify(value, null, 2); values keep their spelling. The
 * text before a value depends only on the previous step and on the depth, so
 * it needs neither state nor recursion.
 */
#include "base/json.h"

static void add_line(struct buf *out, unsigned depth)
{
    static const char spaces[] = "                                ";
    size_t left = (size_t)depth * 2;

    buf_add_char(out, '\n');
    while (left > 0) {
        size_t n = left < sizeof spaces - 1 ? left : sizeof spaces - 1;

        buf_add(out, spaces, n);
        left -= n;
    }
}

/* Add a value, or the bracket that begins one; `depth` containers are around
 * it. */
static void add_value(const struct json_scan *s, unsigned depth, bool first,
                      struct buf *out)
{
    if (!first)
        buf_add_char(out, ',');
    if (depth > 0)
        add_line(out, depth);
    if (s->key.data) {
        buf_add(out, s->key.data, s->key.len);
        buf_add(out, ": ", 2);
    }
    buf_add(out, s->value.data, s->value.len);
}

void json_indent(quire_bytes json, struct buf *out)
{
    enum json_step step, before = JSON_STEP_OPEN;
    struct json_scan s;

    json_scan_init(&s, json);
    /* Indentation can make a text five hundred times as long, so a full buffer
     * ends the walk as well. */
    for (; !out->failed; before = step) {
        step = json_scan_next(&s);
        if (step == JSON_STEP_BAD || step == JSON_STEP_END)
            return;
        if (step == JSON_STEP_CLOSE) {
            if (before != JSON_STEP_OPEN)
                add_line(out, s.depth);
            buf_add_char(out, s.at[-1]);
        } else {
            add_value(&s, s.depth - (step == JSON_STEP_OPEN),
                      before == JSON_STEP_OPEN, out);
        }
    }
}

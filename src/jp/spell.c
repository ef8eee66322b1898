/*
 * spell.c - format JSON in the style of the file
 *
 * People read these files and keep them in version control, so new values follow
 * the style around them: one member per line where the neighbours have that,
 * with the same indentation and line ends, and one line otherwise.
 */
#include <string.h>

#include "base/bytes.h"
#include "jp/priv.h"

/* From the last line break in `space` on, a CR before it included; nothing if
 * there is none. */
static quire_bytes last_break(quire_bytes space)
{
    const char *s = space.data;
    size_t i = space.len;

    while (i > 0 && s[i - 1] != '\n')
        i--;
    if (i == 0)
        return bytes_of(NULL, 0);
    i--;
    if (i > 0 && s[i - 1] == '\r')
        i--;
    return bytes_sub(space, i, space.len);
}

/* What the first thing in the outermost container is indented by. */
quire_bytes json_style_indent(quire_bytes text)
{
    const char *s = text.data;
    quire_bytes indent;
    size_t from = 0, to;

    while (from < text.len && s[from] != '[' && s[from] != '{')
        from++;
    from += from < text.len;
    for (to = from; to < text.len && is_space(s[to]); to++)
        ;
    indent = last_break(bytes_sub(text, from, to));
    if (!indent.data)
        return bytes_str("  ");
    s = indent.data;
    return bytes_sub(indent, *s == '\r' ? 2 : 1, indent.len);
}

struct json_style json_style_of(quire_bytes text, quire_bytes unit,
                                quire_bytes key, quire_bytes value)
{
    const char *start = text.data, *at = key.data;
    const char *key_end = at + key.len;
    struct json_style m = {.unit = unit};
    quire_bytes space;

    while (at > start && is_space(at[-1]))
        at--;
    space = bytes_of(at, (size_t)((const char *)key.data - at));
    m.colon = bytes_of(key_end, (size_t)((const char *)value.data - key_end));
    m.before = last_break(space);
    m.lines = m.before.data != NULL;
    if (m.lines)
        return m;
    /* The first member says nothing about commas; a writer that puts a blank behind a
     * colon puts one there. */
    if (at > start && at[-1] == ',')
        m.before = space;
    else
        m.before = m.colon.len > 1 ? bytes_str(" ") : bytes_of("", 0);
    return m;
}

static void add(struct buf *out, quire_bytes bytes)
{
    buf_add(out, bytes.data, bytes.len);
}

/* The style of what is one level further in. */
static struct json_style style_within(const struct json_style *m,
                                      struct buf *before)
{
    struct json_style in = *m;

    if (m->lines) {
        buf_clear(before);
        add(before, m->before);
        add(before, m->unit);
        in.before = buf_bytes(before);
    }
    return in;
}

void write_object(struct buf *out, const struct json_style *m,
                  const struct pair *pairs, size_t n)
{
    size_t i;

    buf_add_char(out, '{');
    for (i = 0; i < n; i++) {
        if (i > 0)
            buf_add_char(out, ',');
        if (i > 0 || m->lines)
            add(out, m->before);
        if (m->lines)
            add(out, m->unit);
        json_add_quoted(out, bytes_str(pairs[i].key));
        add(out, m->colon);
        add(out, pairs[i].value);
    }
    if (m->lines)
        add(out, m->before);
    buf_add_char(out, '}');
}

void write_block(struct buf *out, const struct json_style *m,
                 const struct pair *pairs, size_t n)
{
    struct buf one = BUF_INIT(64 * 1024), two = BUF_INIT(64 * 1024),
               content = BUF_INIT(CONVERSATION_MAX);
    struct json_style block = style_within(m, &one),
                      inner = style_within(&block, &two);

    write_object(&content, &inner, pairs, n);
    buf_add_char(out, '[');
    if (m->lines)
        add(out, block.before);
    write_object(out, &block,
                 (struct pair[]){{"type", bytes_str("\"text\"")},
                                 {"content", buf_bytes(&content)}},
                 2);
    if (m->lines)
        add(out, m->before);
    buf_add_char(out, ']');
    out->failed |= one.failed || two.failed || content.failed;
    buf_release(&one);
    buf_release(&two);
    buf_release(&content);
}

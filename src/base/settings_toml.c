/* settings_toml.c - see settings_edit.h */
#include <string.h>

#include "base/bytes.h"
#include "base/settings_edit.h"

static const char begins[] = "# quire setup: begin";
static const char ends[] = "# quire setup: end";

/* The text did not end in a line break, and gets it back so. */
static const char open_end[] = " (behind an open line)";

/* Whether a line is a header of the table, or assigns it: [a.b], [a.b.c], a.b = , a = {. */
static bool names_table(const char *line, size_t len, const char *table)
{
    size_t n = strlen(table), parent = strcspn(table, ".");
    const char *end = line + len;

    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (line < end && *line == '[') {
        line++;
        return (size_t)(end - line) > n && !memcmp(line, table, n) &&
               (line[n] == ']' || line[n] == '.');
    }
    if ((size_t)(end - line) > n && !memcmp(line, table, n))
        return true;
    if ((size_t)(end - line) <= parent || memcmp(line, table, parent) != 0)
        return false;
    for (line += parent; line < end && *line == ' '; line++)
        ;
    return line < end && *line == '=';
}

/* Whether the text has the table outside of strings of several lines. */
static bool has_table(quire_bytes text, const char *table)
{
    const char *at = text.data, *end = at + text.len, *quote = NULL;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *c;

        stop = stop ? stop : end;
        if (!quote && names_table(at, (size_t)(stop - at), table))
            return true;
        for (c = at; c + 3 <= stop; c++) {
            if (quote ? !memcmp(c, quote, 3)
                      : !memcmp(c, "\"\"\"", 3) || !memcmp(c, "'''", 3)) {
                quote = quote ? NULL : *c == '"' ? "\"\"\"" : "'''";
                c += 2;
            } else if (!quote && *c == '#') {
                break;
            }
        }
        at = stop + 1;
    }
    return false;
}

/* What was added: from its first comment to behind its last. */
static bool find_added(quire_bytes text, size_t *from, size_t *to)
{
    const char *at = memmem(text.data, text.len, begins, sizeof begins - 1);
    const char *data = text.data, *stop, *line;

    if (!at || (at > data && at[-1] != '\n'))
        return false;
    stop = memmem(at, text.len - (size_t)(at - data), ends, sizeof ends - 1);
    line = memchr(at, '\n', text.len - (size_t)(at - data));
    if (!stop || !line)
        return false;
    *from = (size_t)(at - data);
    *to = (size_t)(stop - data) + sizeof ends - 1;
    if (*to < text.len && data[*to] == '\n')
        ++*to;
    if ((size_t)(line - at) == sizeof begins - 1 + sizeof open_end - 1 && *from)
        --*from; /* the line break that was added with it */
    return true;
}

enum settings_edit settings_toml_put(quire_bytes text, const char *table,
                                     const char *body, struct buf *out)
{
    bool is_open = text.len && ((const char *)text.data)[text.len - 1] != '\n';
    struct buf added = BUF_INIT(1 << 20), rest = BUF_INIT((size_t)64 << 20);
    enum settings_edit done = SETTINGS_DONE;
    size_t from, to;

    buf_addf(&added, "%s%s\n[%s]\n%s%s\n", begins, is_open ? open_end : "",
             table, body, ends);
    if (find_added(text, &from, &to)) {
        const char *data = text.data;

        if (memmem(data + from, to - from, body, strlen(body)))
            done = SETTINGS_SAME;
        buf_add(&rest, data, from);
        buf_add(&rest, data + to, text.len - to);
        text = buf_bytes(&rest);
        is_open = text.len && ((const char *)text.data)[text.len - 1] != '\n';
    }
    if (done == SETTINGS_DONE &&
        (has_table(text, table) ||
         (text.len &&
          memmem(text.data, text.len, begins, sizeof begins - 1)))) {
        done = SETTINGS_BAD;
    } else if (done == SETTINGS_DONE) {
        buf_clear(out);
        buf_add(out, text.data, text.len);
        if (is_open)
            buf_add_char(out, '\n');
        buf_add(out, added.data, added.len);
        done = out->failed || added.failed || rest.failed ? SETTINGS_BAD
                                                          : SETTINGS_DONE;
    }
    buf_release(&added);
    buf_release(&rest);
    return done;
}

enum settings_edit settings_toml_drop(quire_bytes text, const char *table,
                                      struct buf *out)
{
    const char *data = text.data;
    size_t from, to;

    if (!find_added(text, &from, &to))
        return has_table(text, table) ? SETTINGS_BAD : SETTINGS_SAME;
    buf_clear(out);
    buf_add(out, data, from);
    buf_add(out, data + to, text.len - to);
    return out->failed ? SETTINGS_BAD : SETTINGS_DONE;
}

/* parse.c - see parse.h */
#include "slash/parse.h"

#include <string.h>

#include "base/bytes.h"

/* A name comes before its prefixes. */
static const struct slash_form forms[] = {
    {SLASH_WRITE, "write", "WRITE", "/endwrite"},
    {SLASH_READ, "read", "READ", NULL},
    {SLASH_LIST, "list", "LIST", NULL},
    {SLASH_ADD_ENTRY, "mem add entry", "MEMORY", "/endmem"},
    {SLASH_ADD_LINK, "mem add link", "MEMORY", NULL},
    {SLASH_ENTRIES, "mem entries", "MEMORY", NULL},
    {SLASH_ENTRY, "mem entry", "MEMORY", NULL},
    {SLASH_SEARCH, "mem search", "MEMORY", NULL},
    {SLASH_EXPAND, "mem expand", "MEMORY", NULL},
    {SLASH_DENSITY, "mem density", "MEMORY", NULL},
    {SLASH_INVALIDATE, "mem invalidate", "MEMORY", NULL},
    {SLASH_PAD_WRITE, "mem write", "MEMORY", NULL},
    {SLASH_PAD_READ, "mem read", "MEMORY", NULL},
    {SLASH_PAD_READ, "mem show", "MEMORY", NULL},
    {SLASH_PAD_CLEAR, "mem clear", "MEMORY", NULL},
    {SLASH_SHARED_WRITE, "mem shared write", "MEMORY", NULL},
    {SLASH_SHARED_READ, "mem shared read", "MEMORY", NULL},
    {SLASH_SHARED_READ, "mem shared show", "MEMORY", NULL},
    {SLASH_SHARED_CLEAR, "mem shared clear", "MEMORY", NULL},
    {SLASH_MEM, "mem", "MEMORY", NULL},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static char byte_at(quire_bytes b, size_t at)
{
    return ((const char *)b.data)[at];
}

/* ---- words -------------------------------------------------------------- */

static quire_bytes skip_blanks(quire_bytes b)
{
    size_t n = 0;

    while (n < b.len && is_blank(byte_at(b, n)))
        n++;
    return bytes_sub(b, n, b.len);
}

quire_bytes slash_word(quire_bytes *rest)
{
    quire_bytes all = skip_blanks(*rest), word;
    size_t n = 0;

    while (n < all.len && !is_blank(byte_at(all, n)))
        n++;
    word = bytes_sub(all, 0, n);
    *rest = skip_blanks(bytes_sub(all, n, all.len));
    return word;
}

bool slash_id(quire_bytes word, int64_t *id)
{
    size_t at = word.len > 0 && byte_at(word, 0) == '#';
    int64_t value = 0;

    if (at == word.len)
        return false;
    for (; at < word.len; at++) {
        int digit = byte_at(word, at) - '0';

        if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *id = value;
    return true;
}

/* ---- lines -------------------------------------------------------------- */

void slash_scan_init(struct slash_scan *s, quire_bytes text)
{
    *s = (struct slash_scan){.text = text};
}

/* The next line, without its newline. */
static bool next_line(struct slash_scan *s, quire_bytes *line)
{
    size_t left = s->text.len - s->at;
    const char *from, *end;

    if (left == 0)
        return false;
    from = (const char *)s->text.data + s->at;
    end = memchr(from, '\n', left);
    *line = bytes_of(from, end ? (size_t)(end - from) : left);
    s->at += line->len + (end ? 1 : 0);
    s->line++;
    return true;
}

static quire_bytes trim_end(quire_bytes line)
{
    while (line.len > 0 && (is_blank(byte_at(line, line.len - 1)) ||
                            byte_at(line, line.len - 1) == '\r'))
        line.len--;
    return line;
}

/* Update the fence state; whether the line is a fence or inside one. */
static bool is_fenced(struct slash_scan *s, quire_bytes line)
{
    size_t from = 0, to;
    quire_bytes behind;
    char c;

    while (from < line.len && from < 4 && byte_at(line, from) == ' ')
        from++;
    c = from < line.len ? byte_at(line, from) : '\0';
    if (from > 3 || (c != '`' && c != '~'))
        return s->fence;
    for (to = from; to < line.len && byte_at(line, to) == c; to++)
        ;
    if (to - from < 3)
        return s->fence;
    behind = bytes_sub(line, to, line.len);
    if (s->fence) {
        if (c == s->fence && to - from >= s->fence_len && behind.len == 0)
            s->fence = 0;
        return true;
    }
    if (c == '`' && behind.len > 0 && memchr(behind.data, '`', behind.len))
        return false;
    s->fence = c;
    s->fence_len = to - from;
    return true;
}

/* ---- commands ----------------------------------------------------------- */

/* If `rest` begins with the words of `name`, remove them and return true. */
static bool take_name(const char *name, quire_bytes *rest)
{
    quire_bytes left = *rest, wanted = bytes_str(name);

    while (wanted.len > 0) {
        if (!bytes_equal(slash_word(&left), slash_word(&wanted)))
            return false;
    }
    *rest = left;
    return true;
}

static const struct slash_form *find_form(quire_bytes line, quire_bytes *args)
{
    size_t i;

    if (line.len < 2 || byte_at(line, 0) != '/' || is_blank(byte_at(line, 1)))
        return NULL;
    for (i = 0; i < sizeof forms / sizeof *forms; i++) {
        *args = bytes_sub(line, 1, line.len);
        if (take_name(forms[i].name, args))
            return &forms[i];
    }
    return NULL;
}

/* Take the lines up to the terminator as the body. */
static void take_body(struct slash_scan *s, struct slash_command *out)
{
    size_t from = s->at, to = from;
    quire_bytes line;

    out->closed = false;
    while (!out->closed && next_line(s, &line)) {
        if (line.len > 0 && byte_at(line, line.len - 1) == '\r')
            line.len--;
        out->closed = bytes_is(line, out->form->terminator);
        if (!out->closed)
            to = s->at;
    }
    out->body = bytes_sub(s->text, from, to);
}

bool slash_next(struct slash_scan *s, struct slash_command *out)
{
    quire_bytes line;

    *out = (struct slash_command){.closed = true};
    while (next_line(s, &line)) {
        line = trim_end(line);
        if (is_fenced(s, line))
            continue;
        out->form = find_form(line, &out->args);
        if (!out->form)
            continue;
        out->line = s->line;
        if (out->form->terminator)
            take_body(s, out);
        return true;
    }
    return false;
}

quire_bytes slash_content(quire_bytes body, struct buf *keep)
{
    struct slash_scan s;
    quire_bytes line;
    bool first = true;

    if (body.len > 0 && byte_at(body, body.len - 1) == '\n')
        body.len--;
    if (body.len == 0 || !memchr(body.data, '\r', body.len))
        return body;
    slash_scan_init(&s, body);
    buf_clear(keep);
    while (next_line(&s, &line)) {
        if (line.len > 0 && byte_at(line, line.len - 1) == '\r')
            line.len--;
        if (!first)
            buf_add_char(keep, '\n');
        buf_add(keep, line.data, line.len);
        first = false;
    }
    /* Keep an empty last line. */
    if (byte_at(body, body.len - 1) == '\n')
        buf_add_char(keep, '\n');
    return buf_bytes(keep);
}

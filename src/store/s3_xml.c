/* s3_xml.c - see s3_xml.h */
#include "store/s3_xml.h"

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"

struct reader {
    const char *at, *end;
    s3_xml_fn call;
    void *ctx;
    size_t depth, path_len, text_len;
    size_t begins[S3_XML_DEPTH_MAX]; /* where each name begins in the path */
    bool had_root;
    char path[S3_XML_PATH_MAX + 1];
    char text[S3_XML_TEXT_MAX + 1];
};

static quire_bytes rest(const struct reader *r)
{
    return bytes_of(r->at, (size_t)(r->end - r->at));
}

static bool skip_past(struct reader *r, const char *mark)
{
    size_t len = strlen(mark);
    const char *found = memmem(r->at, rest(r).len, mark, len);

    if (found)
        r->at = found + len;
    return found;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
}

/* ---- text ----------------------------------------------------------------- */

static bool add_text(struct reader *r, const char *bytes, size_t len)
{
    if (len > S3_XML_TEXT_MAX - r->text_len || memchr(bytes, '\0', len))
        return false;
    memcpy(r->text + r->text_len, bytes, len);
    r->text_len += len;
    return true;
}

/* "#65" or "#x41". */
static bool read_number(quire_bytes name, uint32_t *out)
{
    const char *at = name.data, *end = at + name.len;
    uint32_t base = 10, code = 0;

    at++;
    if (at < end && *at == 'x') {
        base = 16;
        at++;
    }
    if (at == end)
        return false;
    for (; at < end; at++) {
        int digit = hex_digit(*at);

        if (digit < 0 || (uint32_t)digit >= base || code > 0x10ffff)
            return false;
        code = code * base + (uint32_t)digit;
    }
    *out = code;
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

static bool add_entity(struct reader *r, quire_bytes name)
{
    static const struct {
        const char *name, *text;
    } known[] = {{"amp", "&"},
                 {"lt", "<"},
                 {"gt", ">"},
                 {"quot", "\""},
                 {"apos", "'"}};
    uint32_t code;
    char utf8[4];
    size_t i;

    for (i = 0; i < sizeof known / sizeof *known; i++) {
        if (bytes_is(name, known[i].name))
            return add_text(r, known[i].text, 1);
    }
    if (name.len < 2 || ((const char *)name.data)[0] != '#' ||
        !read_number(name, &code))
        return false;
    return add_text(r, utf8, utf8_encode(code, utf8));
}

static bool read_text(struct reader *r)
{
    while (r->at < r->end && *r->at != '<') {
        const char *from = r->at;

        if (*from == '&') {
            if (!skip_past(r, ";") ||
                !add_entity(r, bytes_of(from + 1, (size_t)(r->at - from) - 2)))
                return false;
            continue;
        }
        while (r->at < r->end && *r->at != '<' && *r->at != '&')
            r->at++;
        if (!add_text(r, from, (size_t)(r->at - from)))
            return false;
    }
    return true;
}

/* ---- elements ------------------------------------------------------------- */

static bool read_name(struct reader *r, quire_bytes *out)
{
    const char *from = r->at;

    while (r->at < r->end && !is_blank(*r->at) && !strchr("/><\"'=", *r->at))
        r->at++;
    *out = bytes_of(from, (size_t)(r->at - from));
    return out->len > 0;
}

static bool push(struct reader *r, quire_bytes name)
{
    if (r->depth == S3_XML_DEPTH_MAX || (r->depth == 0 && r->had_root) ||
        name.len + 1 > S3_XML_PATH_MAX - r->path_len)
        return false;
    if (r->depth > 0)
        r->path[r->path_len++] = '/';
    r->begins[r->depth++] = r->path_len;
    memcpy(r->path + r->path_len, name.data, name.len);
    r->path_len += name.len;
    r->text_len = 0;
    r->had_root = true;
    return true;
}

static bool pop(struct reader *r)
{
    r->path[r->path_len] = r->text[r->text_len] = '\0';
    if (!r->call(r->ctx, r->path, r->text))
        return false;
    r->path_len = r->begins[--r->depth];
    r->path_len -= r->depth > 0; /* the slash */
    r->text_len = 0;
    return true;
}

static bool read_end_tag(struct reader *r)
{
    quire_bytes name, open;

    if (r->depth == 0 || !read_name(r, &name))
        return false;
    open = bytes_of(r->path + r->begins[r->depth - 1],
                    r->path_len - r->begins[r->depth - 1]);
    skip_blanks(r);
    if (!bytes_equal(name, open) || r->at == r->end || *r->at++ != '>')
        return false;
    return pop(r);
}

/* Up to the ">"; *empty: "/>". */
static bool skip_attributes(struct reader *r, bool *empty)
{
    *empty = false;
    for (; r->at < r->end; r->at++) {
        char c = *r->at;

        if (c == '>') {
            r->at++;
            return true;
        }
        *empty = c == '/';
        if (c == '<')
            return false;
        if (c == '"' || c == '\'') {
            r->at++;
            r->at = memchr(r->at, c, rest(r).len);
            if (!r->at)
                return false;
        }
    }
    return false;
}

static bool read_start_tag(struct reader *r)
{
    quire_bytes name;
    bool empty;

    if (!read_name(r, &name) || !push(r, name) || !skip_attributes(r, &empty))
        return false;
    return !empty || pop(r);
}

static bool read_markup(struct reader *r)
{
    quire_bytes next = rest(r);

    if (bytes_starts(next, bytes_str("<?")))
        return skip_past(r, "?>");
    if (bytes_starts(next, bytes_str("<!--")))
        return skip_past(r, "-->");
    if (bytes_starts(next, bytes_str("</"))) {
        r->at += 2;
        return read_end_tag(r);
    }
    r->at++;
    return r->at < r->end && *r->at != '!' && read_start_tag(r);
}

bool s3_xml_read(quire_bytes xml, s3_xml_fn end, void *ctx)
{
    struct reader r = {.at = xml.data, .call = end, .ctx = ctx};

    r.end = xml.len ? r.at + xml.len : r.at;
    while (r.at < r.end) {
        if (*r.at == '<' ? !read_markup(&r) : !read_text(&r))
            return false;
        /* Between elements there are only blanks. */
        if (r.depth == 0) {
            while (r.text_len > 0 && is_blank(r.text[r.text_len - 1]))
                r.text_len--;
            if (r.text_len > 0)
                return false;
        }
    }
    return r.had_root && r.depth == 0;
}

/* parse.c - see parse.h */
#include "http/parse.h"

#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/utf8.h"

struct reading {
    const char *at, *end;
    int status;
    const char *why;
};

static bool bad(struct reading *r, int status, const char *why)
{
    r->status = status;
    r->why = why;
    return false;
}

/* Letters, digits and the marks that names and methods are made of. */
static bool is_token(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static quire_bytes slice(const char *from, const char *to)
{
    return bytes_of(from, (size_t)(to - from));
}

static bool is_text(quire_bytes b, const char *text)
{
    return b.len == strlen(text) && !strncasecmp(b.data, text, b.len);
}

/* ---- the first line ----------------------------------------------------- */

static bool read_target(struct reading *r, struct head *h, const char *from,
                        const char *to)
{
    const char *c, *mark;

    if (to - from > TARGET_MAX)
        return bad(r, 414, "request target is too long");
    for (c = from; c < to; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f)
            return bad(r, 400,
                       "request target has a character that must be encoded");
    /* A whole address is what a proxy is asked for. */
    if (to - from > 7 && !strncasecmp(from, "http://", 7)) {
        mark = memchr(from + 7, '/', (size_t)(to - from - 7));
        if (!mark)
            return bad(r, 400, "request target has no path");
        h->host = slice(from + 7, mark);
        from = mark;
    }
    if (*from != '/' && !(to - from == 1 && *from == '*'))
        return bad(r, 400, "request target does not begin with a slash");
    mark = memchr(from, '#', (size_t)(to - from));
    if (mark)
        return bad(r, 400, "request target has a fragment");
    mark = memchr(from, '?', (size_t)(to - from));
    h->path = slice(from, mark ? mark : to);
    if (mark)
        h->query = slice(mark + 1, to);
    return true;
}

static bool read_version(struct reading *r, struct head *h, const char *from,
                         const char *to)
{
    if (to - from != 8 || memcmp(from, "HTTP/", 5) != 0 || from[6] != '.')
        return bad(r, 400, "malformed request line");
    if (from[5] != '1' || (from[7] != '0' && from[7] != '1'))
        return bad(r, 505, "only HTTP/1.0 and HTTP/1.1 are supported");
    h->minor = from[7] - '0';
    h->keep = h->minor == 1;
    return true;
}

static bool read_first(struct reading *r, struct head *h, const char *from,
                       const char *to)
{
    const char *space = memchr(from, ' ', (size_t)(to - from)), *second, *c;

    if (!space || space == from || space - from > 32)
        return bad(r, 400, "malformed request line");
    for (c = from; c < space; c++)
        if (!is_token((unsigned char)*c))
            return bad(r, 400, "malformed method");
    second = memchr(space + 1, ' ', (size_t)(to - space - 1));
    if (!second || second == space + 1)
        return bad(r, to - from > TARGET_MAX ? 414 : 400,
                   "malformed request line");
    h->method = slice(from, space);
    return read_target(r, h, space + 1, second) &&
           read_version(r, h, second + 1, to);
}

/* ---- the others --------------------------------------------------------- */

static bool read_length(struct reading *r, struct head *h, quire_bytes value)
{
    const char *c = value.data;
    size_t i;

    if (value.len == 0 || value.len > 18)
        return bad(r, value.len ? 413 : 400, "malformed Content-Length");
    h->length = 0;
    for (i = 0; i < value.len; i++) {
        if (c[i] < '0' || c[i] > '9')
            return bad(r, 400, "malformed Content-Length");
        h->length = h->length * 10 + (uint64_t)(c[i] - '0');
    }
    return true;
}

/* Whether a list, "close, upgrade", has a word. */
static bool has_word(quire_bytes list, const char *word)
{
    const char *at = list.data, *end = at + list.len, *comma;

    while (at < end) {
        comma = memchr(at, ',', (size_t)(end - at));
        if (!comma)
            comma = end;
        while (at < comma && (*at == ' ' || *at == '\t'))
            at++;
        if (is_text(slice(at, comma), word) ||
            ((size_t)(comma - at) > strlen(word) &&
             !strncasecmp(at, word, strlen(word)) &&
             strchr(" \t", at[strlen(word)])))
            return true;
        at = comma + 1;
    }
    return false;
}

static bool read_field(struct reading *r, struct head *h, const char *from,
                       const char *to)
{
    const char *colon = memchr(from, ':', (size_t)(to - from)), *c;
    struct head_field *f = &h->fields[h->n_fields];

    if (*from == ' ' || *from == '\t')
        return bad(r, 400, "folded header line");
    if (!colon || colon == from)
        return bad(r, 400, "malformed header line");
    if (h->n_fields == HEAD_FIELDS_MAX)
        return bad(r, 431, "too many headers");
    for (c = from; c < colon; c++)
        if (!is_token((unsigned char)*c))
            return bad(r, 400, "malformed header name");
    for (c = colon + 1; c < to; c++)
        if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
            return bad(r, 400, "control character in a header");
    f->name = slice(from, colon);
    for (c = colon + 1; c < to && (*c == ' ' || *c == '\t'); c++)
        ;
    while (to > c && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    f->value = slice(c, to);
    h->n_fields++;
    return true;
}

/* What the headers say of the framing. */
static bool read_framing(struct reading *r, struct head *h)
{
    bool length = false, coding = false, host = false;
    size_t i;

    for (i = 0; i < h->n_fields; i++) {
        quire_bytes name = h->fields[i].name, value = h->fields[i].value;

        if (is_text(name, "content-length")) {
            if (length)
                return bad(r, 400, "duplicate Content-Length header");
            length = true;
            if (!read_length(r, h, value))
                return false;
        } else if (is_text(name, "transfer-encoding")) {
            if (coding || !is_text(value, "chunked"))
                return bad(r, 501, "unsupported transfer coding");
            coding = h->chunked = true;
        } else if (is_text(name, "host")) {
            if (host)
                return bad(r, 400, "duplicate Host header");
            host = true;
            if (!h->host.data)
                h->host = value;
        } else if (is_text(name, "connection")) {
            if (has_word(value, "close"))
                h->keep = false;
            else if (h->minor == 0 && has_word(value, "keep-alive"))
                h->keep = true;
        } else if (is_text(name, "expect")) {
            if (!is_text(value, "100-continue"))
                return bad(r, 417, "unsupported Expect header");
            h->expects = h->minor == 1;
        }
    }
    if (length && coding)
        return bad(r, 400, "both Content-Length and Transfer-Encoding");
    if (coding && h->minor == 0)
        return bad(r, 400, "Transfer-Encoding in HTTP/1.0");
    if (!host && h->minor == 1)
        return bad(r, 400, "missing Host header");
    return true;
}

/* Two of these would be ambiguous: a proxy in front may have used the other one. */
static bool is_once(struct reading *r, const struct head *h)
{
    static const char *const names[] = {"authorization",   "idempotency-key",
                                        "if-match",        "if-none-match",
                                        "if-range",        "range",
                                        "content-type",    "content-range",
                                        "origin",          "last-event-id",
                                        "content-encoding"};
    size_t i, k;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        bool seen = false;

        for (k = 0; k < h->n_fields; k++) {
            if (!is_text(h->fields[k].name, names[i]))
                continue;
            if (seen)
                return bad(r, 400, "duplicate header that may occur once");
            seen = true;
        }
    }
    return true;
}

enum head_state http_parse_head(quire_bytes bytes, struct head *out,
                                size_t *used, int *status, const char **why)
{
    struct reading r = {.at = bytes.data,
                        .end = (const char *)bytes.data + bytes.len};
    bool first = true;

    *used = 0;
    out->n_fields = 0;
    out->length = 0;
    out->chunked = out->expects = false;
    out->host = out->query = bytes_of(NULL, 0);
    /* Empty lines before a request are left over from the one before. */
    while (r.end - r.at >= 2 && r.at[0] == '\r' && r.at[1] == '\n' &&
           r.at - (const char *)bytes.data < 8)
        r.at += 2;
    for (;;) {
        const char *nl = memchr(r.at, '\n', (size_t)(r.end - r.at));
        bool fine;

        if (!nl) {
            if (bytes.len > HEAD_BYTES_MAX)
                bad(&r, first ? 414 : 431, "request head is too long");
            break;
        }
        if (nl == r.at || nl[-1] != '\r') {
            bad(&r, 400, "a line ends without a carriage return");
            break;
        }
        if (nl - (const char *)bytes.data > HEAD_BYTES_MAX) {
            bad(&r, first ? 414 : 431, "request head is too long");
            break;
        }
        if (nl - 1 == r.at && !first) {
            *used = (size_t)(nl + 1 - (const char *)bytes.data);
            if (read_framing(&r, out) && is_once(&r, out))
                return HEAD_DONE;
            break;
        }
        fine = first ? read_first(&r, out, r.at, nl - 1)
                     : read_field(&r, out, r.at, nl - 1);
        if (!fine)
            break;
        first = false;
        r.at = nl + 1;
    }
    *status = r.status;
    *why = r.why;
    return r.status ? HEAD_BAD : HEAD_MORE;
}

quire_bytes http_head_get(const struct head *h, const char *name)
{
    size_t i;

    for (i = 0; i < h->n_fields; i++)
        if (is_text(h->fields[i].name, name))
            return h->fields[i].value;
    return bytes_of(NULL, 0);
}

/* ---- chunks -------------------------------------------------------------- */

enum { SIZE, EXTENSION, SIZE_NL, DATA, DATA_CR, DATA_NL, TRAILER, TRAILER_NL };

/* A line may have so much besides; trailers together, too. */
enum { LINE_MAX_BYTES = 4096 };

/* One character of a line; false: it is wrong. */
static bool size_char(struct chunks *c, char now)
{
    int digit = hex_digit(now);

    if (++c->line > LINE_MAX_BYTES)
        return false;
    if (c->state == SIZE && digit >= 0) {
        if (++c->digits > 15)
            return false;
        c->size = c->size * 16 + (uint64_t)digit;
        return true;
    }
    if (now == '\r' && c->digits > 0) {
        c->state = SIZE_NL;
        return true;
    }
    if (c->state == SIZE && c->digits > 0 &&
        (now == ';' || now == ' ' || now == '\t')) {
        c->state = EXTENSION;
        return true;
    }
    return c->state == EXTENSION && ((unsigned char)now >= ' ' || now == '\t');
}

enum head_state http_parse_chunk(struct chunks *c, quire_bytes bytes,
                                 size_t *used, quire_bytes *piece)
{
    const char *at = bytes.data, *end = at + bytes.len;

    *piece = bytes_of(NULL, 0);
    while (at < end) {
        switch (c->state) {
        case SIZE:
        case EXTENSION:
            if (!size_char(c, *at++))
                return HEAD_BAD;
            break;
        case SIZE_NL:
            if (*at++ != '\n')
                return HEAD_BAD;
            c->left = c->size;
            c->state = c->size ? DATA : TRAILER;
            c->size = 0;
            c->digits = 0;
            c->line = 0;
            break;
        case DATA: {
            size_t n = (size_t)(end - at);

            if (n > c->left)
                n = (size_t)c->left;
            *piece = bytes_of(at, n);
            c->left -= n;
            at += n;
            if (c->left == 0)
                c->state = DATA_CR;
            *used = (size_t)(at - (const char *)bytes.data);
            return HEAD_MORE;
        }
        case DATA_CR:
            if (*at++ != '\r')
                return HEAD_BAD;
            c->state = DATA_NL;
            break;
        case DATA_NL:
            if (*at++ != '\n')
                return HEAD_BAD;
            c->state = SIZE;
            break;
        case TRAILER: /* read over, up to an empty line */
            if (++c->line > LINE_MAX_BYTES)
                return HEAD_BAD;
            if (*at == '\r')
                c->state = TRAILER_NL;
            else if ((unsigned char)*at < ' ' && *at != '\t')
                return HEAD_BAD;
            else
                c->digits++;
            at++;
            break;
        default: /* TRAILER_NL */
            if (*at++ != '\n')
                return HEAD_BAD;
            if (c->digits == 0) {
                *used = (size_t)(at - (const char *)bytes.data);
                return HEAD_DONE;
            }
            c->digits = 0;
            c->state = TRAILER;
            break;
        }
    }
    *used = bytes.len;
    return HEAD_MORE;
}

/* ---- percent-encoding ---------------------------------------------------- */

const char *http_percent_decode(quire_bytes text, bool plus, struct buf *out)
{
    const char *t = text.data;
    size_t i;

    for (i = 0; i < text.len; i++) {
        int high, low;

        if (t[i] == '+' && plus) {
            buf_add_char(out, ' ');
        } else if (t[i] != '%') {
            buf_add_char(out, t[i]);
        } else {
            high = text.len - i < 3 ? -1 : hex_digit(t[i + 1]);
            low = high < 0 ? -1 : hex_digit(t[i + 2]);
            if (low < 0)
                return "a % is not followed by two hex digits (bad_escape)";
            buf_add_char(out, (char)(high * 16 + low));
            i += 2;
        }
    }
    if (out->failed)
        return "it is too long";
    if (!utf8_check(buf_bytes(out)))
        return "it is not valid UTF-8 (invalid_utf8)";
    if (out->len > 0 && memchr(out->data, '\0', out->len))
        return "it has a NUL byte in it (nul_byte)";
    return NULL;
}

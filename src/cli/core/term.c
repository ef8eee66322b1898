/*
 * term.c - untrusted text on a terminal
 *
 * A session holds text of models, tools and web pages, and a terminal obeys
 * escape sequences. All stored text is printed through term_add(), which
 * removes them. In lines of JSON only characters above 0x7e can be dangerous:
 * JSON escapes the others.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "cli/core/cli.h"
#include "cli/cmd/session.h"

enum { ESCAPE_MAX = 4096 }; /* a longer one is plain text */

/* ---- the screen --------------------------------------------------------- */

static bool utf8_locale(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);

        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

const struct marks *term_marks(void)
{
    static const struct marks utf8 = {"│  ",    "├─ ", "…", "→",
                                      "← leaf", "●",   "○"};
    static const struct marks ascii = {"|  ",     "|- ", "...", "->",
                                       "<- leaf", "*",   "-"};

    return utf8_locale() ? &utf8 : &ascii;
}

size_t term_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long n = 0;

    if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
        n = size.ws_col;
    if (n <= 0 && columns)
        n = strtol(columns, NULL, 10);
    if (n <= 0 || n > 1000)
        n = 80;
    return n < 40 ? 40 : (size_t)n;
}

/* ---- removing escape sequences ------------------------------------------ */

/* The length of the escape sequence at the start of `text`; 1 if the escape
 * character begins none, or one without an end. */
static size_t escape_len(quire_bytes text)
{
    const unsigned char *s = text.data;
    size_t end = text.len < ESCAPE_MAX ? text.len : ESCAPE_MAX;
    size_t i;

    if (end < 2)
        return 1;
    if (s[1] == '[') { /* parameters, then one letter */
        for (i = 2; i < end && s[i] >= 0x20 && s[i] < 0x40; i++)
            ;
        return i < end && s[i] >= 0x40 && s[i] < 0x7f ? i + 1 : 1;
    }
    if (s[1] && strchr("]PX^_", s[1])) { /* a string, until BEL or ESC \ */
        for (i = 2; i < end; i++) {
            if (s[i] == 0x07)
                return i + 1;
            if (s[i] == 0x1b)
                return i + 1 < end && s[i + 1] == '\\' ? i + 2 : 1;
        }
        return 1;
    }
    for (i = 1; i < end && s[i] >= 0x20 && s[i] < 0x30; i++)
        ;
    return i < end && s[i] >= 0x30 && s[i] < 0x7f ? i + 1 : 1;
}

/* Control characters, and marks that change the writing direction. */
static bool is_control(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x200e ||
           cp == 0x200f || (cp >= 0x202a && cp <= 0x202e) ||
           (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

static bool is_break(uint32_t cp)
{
    return cp == '\n' || cp == '\r' || cp == 0x85 || cp == 0x2028 ||
           cp == 0x2029;
}

static void add_blank(struct buf *out)
{
    if (out->len && out->data[out->len - 1] != ' ')
        buf_add_char(out, ' ');
}

/* How many bytes at the start of `text` are printable ASCII: most are. */
static size_t plain_len(quire_bytes text)
{
    const char *s = text.data;
    size_t n = 0;

    while (n < text.len && s[n] > 0x20 && s[n] < 0x7f)
        n++;
    return n;
}

void term_add(struct buf *out, quire_bytes text, bool one_line)
{
    while (text.len) {
        const char *at = text.data;
        uint32_t cp;
        size_t n = plain_len(text);
        char encoded[4];

        buf_add(out, at, n);
        text = bytes_sub(text, n, text.len);
        if (!text.len)
            break;
        at = text.data;
        n = utf8_decode(text, &cp, NULL);
        if (cp == 0x1b) {
            n = escape_len(text);
        } else if (is_break(cp) || cp == '\t') {
            if (cp == '\r' && text.len > 1 && at[1] == '\n')
                n = 2;
            if (one_line)
                add_blank(out);
            else
                buf_add_char(out, cp == '\t' ? '\t' : '\n');
        } else if (cp == ' ' && one_line) {
            add_blank(out);
        } else if (!is_control(cp)) {
            buf_add(out, encoded, utf8_encode(cp, encoded));
        }
        text = bytes_sub(text, n, text.len);
    }
}

bool term_add_json(struct buf *out, quire_bytes value, size_t max_units,
                   bool one_line)
{
    struct buf text = BUF_INIT((size_t)1 << 30);
    bool cut;

    if (!value.data)
        return false;
    if (json_kind(value) == JSON_STRING) {
        size_t end = max_units == SIZE_MAX ? value.len - 1
                                           : json_cut_utf16(value, max_units);

        cut = end < value.len - 1;
        if (cut) {
            struct buf head = BUF_INIT((size_t)1 << 30);

            buf_add(&head, value.data, end);
            buf_add_char(&head, '"');
            if (!head.failed)
                json_decode(buf_bytes(&head), &text);
            buf_release(&head);
        } else {
            json_decode(value, &text);
        }
        term_add(out, buf_bytes(&text), one_line);
    } else {
        cut = value.len > max_units;
        if (cut)
            value.len = utf8_cut(value, max_units);
        term_add(out, value, true);
    }
    buf_release(&text);
    return cut;
}

/* ---- columns ------------------------------------------------------------ */

struct span {
    uint32_t from, to;
};

static bool in_spans(uint32_t cp, const struct span *spans, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        if (cp >= spans[i].from && cp <= spans[i].to)
            return true;
    }
    return false;
}

/* The common ranges of Unicode's width tables, so that columns stay aligned. */
static size_t columns_of(uint32_t cp)
{
    static const struct span none[] = {{0x300, 0x36f},   {0x1ab0, 0x1aff},
                                       {0x1dc0, 0x1dff}, {0x200b, 0x200d},
                                       {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
                                       {0xfe20, 0xfe2f}};
    static const struct span two[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},
                                      {0x3041, 0xa4cf},   {0xa960, 0xa97f},
                                      {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                                      {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                      {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
                                      {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                                      {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

    if (cp < 0x300)
        return 1;
    if (in_spans(cp, none, sizeof none / sizeof *none))
        return 0;
    return in_spans(cp, two, sizeof two / sizeof *two) ? 2 : 1;
}

/* How many bytes of `text` fit into `columns`; *used (may be NULL): how many
 * columns they take. */
static size_t fit_columns(quire_bytes text, size_t columns, size_t *used)
{
    size_t at = 0, n = 0;

    while (at < text.len) {
        uint32_t cp;
        size_t len = utf8_decode(bytes_sub(text, at, text.len), &cp, NULL);
        size_t wide = columns_of(cp);

        if (n + wide > columns)
            break;
        n += wide;
        at += len;
    }
    if (used)
        *used = n;
    return at;
}

size_t term_columns(quire_bytes text)
{
    size_t n;

    fit_columns(text, SIZE_MAX / 2, &n);
    return n;
}

void term_add_cut(struct buf *out, quire_bytes text, size_t columns)
{
    const char *dots = term_marks()->dots;
    size_t room = term_columns(bytes_str(dots));

    if (fit_columns(text, columns, NULL) == text.len) {
        buf_add(out, text.data, text.len);
    } else if (columns > room) {
        buf_add(out, text.data, fit_columns(text, columns - room, NULL));
        buf_add_str(out, dots);
    }
}

void term_add_cell(struct buf *out, quire_bytes text, size_t columns)
{
    size_t start = out->len, used;

    term_add_cut(out, text, columns);
    used = out->failed
               ? columns
               : term_columns(bytes_sub(buf_bytes(out), start, out->len));
    for (; used < columns; used++)
        buf_add_char(out, ' ');
}

/* ---- JSON --------------------------------------------------------------- */

void json_out_init(struct json_out *o, struct cli *cli)
{
    *o = (struct json_out){.cli = cli, .guard = isatty(STDOUT_FILENO)};
}

/* The first byte from `at` on that is not printed as it is. */
static const char *find_special(const struct json_out *o, const char *at,
                                const char *end)
{
    const char *cr;

    if (!o->guard) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));

        cr = memchr(at, '\r', (size_t)((lf ? lf : end) - at));
        return cr ? cr : lf ? lf : end;
    }
    while (at < end && *at != '\n' && *at != '\r' && *at != 0x7f &&
           (unsigned char)*at != 0xc2)
        at++;
    return at;
}

void json_out_add(struct json_out *o, quire_bytes json)
{
    const char *at = json.data, *end = at + json.len;

    while (at < end) {
        unsigned char c = (unsigned char)*at;
        const char *next;

        if (o->after_c2) {
            o->after_c2 = false;
            if (c >= 0x80 && c < 0xa0) {
                out_printf(o->cli, "\\u%04x", c);
                at++;
                continue;
            }
            out_str(o->cli, "\xc2");
        }
        next = find_special(o, at, end);
        out_write(o->cli, bytes_of(at, (size_t)(next - at)));
        if (next < end) {
            o->after_c2 = (unsigned char)*next == 0xc2;
            if (*next == 0x7f)
                out_str(o->cli, "\\u007f");
            next++;
        }
        at = next;
    }
}

void json_out_end(struct json_out *o)
{
    if (o->after_c2)
        out_str(o->cli, "\xc2");
    o->after_c2 = false;
    out_str(o->cli, "\n");
}

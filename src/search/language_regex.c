#include "search/language_regex.h"

#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "search/query_text.h"

/* ---- upper case --------------------------------------------------------- */

static bool is_upper(uint32_t cp)
{
    return (cp >= 'A' && cp <= 'Z') ||
           (cp >= 0xc0 && cp <= 0xde && cp != 0xd7) ||
           (cp >= 0x391 && cp <= 0x3a9) || (cp >= 0x400 && cp <= 0x42f);
}

/* The end of what is no text of the pattern at `at`: an escape, with its
 * braces, or the P of a named group; else `at`. */
static size_t skip_syntax(quire_bytes body, size_t at)
{
    const char *c = body.data;
    const char *brace;

    if (body.len - at > 2 && !memcmp(c + at, "(?P", 3))
        return at + 3;
    if (c[at] != '\\' || body.len - at < 2)
        return at;
    at += 2;
    if (at < body.len && c[at] == '{' && strchr("pPxNok", c[at - 1])) {
        brace = memchr(c + at, '}', body.len - at);
        return brace ? (size_t)(brace - c) + 1 : body.len;
    }
    if (c[at - 1] == 'x') {
        while (at < body.len && hex_digit(c[at]) >= 0)
            at++;
    } else if (c[at - 1] == 'p' || c[at - 1] == 'P') {
        at += at < body.len;
    }
    return at;
}

bool language_regex_has_upper(quire_bytes body)
{
    size_t at = 0;

    while (at < body.len) {
        size_t behind = skip_syntax(body, at);
        uint32_t cp;

        if (behind > at) {
            at = behind;
            continue;
        }
        at += utf8_decode(bytes_sub(body, at, body.len), &cp, NULL);
        if (is_upper(cp))
            return true;
    }
    return false;
}

/* ---- pattern or path ---------------------------------------------------- */

/* What has been seen of a pattern. */
struct shape {
    bool meta, strong; /* rules 3 and 4 */
    bool space, slash;
};

static void see_char(struct shape *s, uint32_t cp)
{
    if (cp < 0x80 && cp) {
        s->strong |= strchr("\\^$*+?|", (int)cp) != NULL;
        s->meta |= strchr("\\^$*+?|()[]{}", (int)cp) != NULL;
    }
    s->space |= cp == ' ';
}

static bool ends_at(quire_bytes text, size_t at, bool in_group)
{
    uint32_t cp = ' ';

    if (at < text.len)
        query_next_char(text, at, &cp);
    return cp == ' ' || (in_group && cp == ')');
}

/* How many bytes a slash at `at` and its "i" take, if they end the pattern. */
static size_t ending_at(quire_bytes text, size_t at, bool in_group)
{
    const char *c = text.data;

    if (ends_at(text, at + 1, in_group))
        return 1;
    return c[at + 1] == 'i' && ends_at(text, at + 2, in_group) ? 2 : 0;
}

/* Find the slash that ends the pattern. Returns its offset, or 0. */
static size_t find_end(quire_bytes text, bool in_group, struct shape *s,
                       size_t *ending)
{
    const char *c = text.data;
    size_t at = 1, class_at = 0; /* where [ is, if within a class */

    while (at < text.len && at <= LANGUAGE_REGEX_MAX + 1 && c[at] &&
           c[at] != '\n' && c[at] != '\r') {
        uint32_t cp;

        if (c[at] == '/' && !class_at) {
            *ending = ending_at(text, at, in_group);
            if (*ending)
                return at;
            s->slash = true;
        }
        if (s->slash && s->space)
            return 0; /* rule 4 */
        if (c[at] == '[' && !class_at)
            class_at = at;
        else if (c[at] == ']' && at > class_at + 1)
            class_at = 0;
        if (c[at] == '\\' && at + 1 < text.len) {
            see_char(s, '\\');
            at++;
        }
        at += query_next_char(text, at, &cp);
        see_char(s, cp);
    }
    return 0;
}

bool language_regex_find(quire_bytes text, bool in_group,
                         struct language_regex *out)
{
    const char *c = text.data;
    struct shape s = {.meta = false};
    size_t end, ending = 0;

    if (text.len < 3 || c[0] != '/' || ends_at(text, 1, false) ||
        strchr("/*+?", c[1]))
        return false;
    end = find_end(text, in_group, &s, &ending);
    if (!end)
        return false;
    out->body = bytes_sub(text, 1, end);
    out->len = end + ending;
    out->sensitive = ending == 1 && language_regex_has_upper(out->body);
    if (!utf8_check(out->body) || memchr(out->body.data, '\0', out->body.len))
        return false;
    return s.slash ? s.strong && !s.space : s.meta || s.space || ending == 2;
}

#include "search/query_text.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "base/letters.h"

static bool is_space(uint32_t cp)
{
    static const struct letters_range spaces[] = {
        {0, 0},           {0x09, 0x0d},     {0x20, 0x20},     {0x85, 0x85},
        {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029},
        {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
    };

    return letters_within(cp, spaces, sizeof spaces / sizeof *spaces);
}

size_t query_next_char(quire_bytes text, size_t at, uint32_t *cp)
{
    bool bad = false;
    size_t len = utf8_decode(bytes_sub(text, at, text.len), cp, &bad);

    if (bad || is_space(*cp))
        *cp = ' ';
    return len;
}

bool query_has_letter(quire_bytes text)
{
    uint32_t cp;
    size_t at;

    for (at = 0; at < text.len;) {
        at += query_next_char(text, at, &cp);
        if (cp != '_' && !letters_none(cp))
            return true;
    }
    return false;
}

quire_bytes query_shorten(quire_bytes text)
{
    size_t at, space = 0;
    uint32_t cp;

    if (text.len <= QUERY_MAX_BYTES)
        return text;
    text.len = utf8_cut(text, QUERY_MAX_BYTES);
    for (at = 0; at < text.len;) {
        size_t len = query_next_char(text, at, &cp);

        if (cp == ' ' && at)
            space = at;
        at += len;
    }
    return bytes_sub(text, 0, space ? space : text.len);
}

/*
 * normalize.c - normalize the text of prompts
 *
 * Words are split twice: here, for a query, and by SQLite's unicode61 for the
 * stored text. They need not agree on every character. A sign taken for a
 * letter here makes a phrase of the two words around it, and a letter taken for
 * a sign splits a word in two, which are both searched. So the table has the
 * signs that people type, not all of Unicode.
 */
#include "memory/normalize.h"

#include <stdint.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "store/fts_letters.h"

/* White space as in JavaScript, which is what the other programs trim. */
static bool is_blank(uint32_t cp)
{
    static const struct letters_range blanks[] = {
        {0x09, 0x0d},     {0x20, 0x20},     {0xa0, 0xa0},     {0x1680, 0x1680},
        {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f},
        {0x3000, 0x3000}, {0xfeff, 0xfeff},
    };

    return letters_within(cp, blanks, sizeof blanks / sizeof *blanks);
}

static bool is_word(uint32_t cp)
{
    return cp != '_' && !letters_none(cp);
}

void normalize_stored(struct buf *out, quire_bytes text)
{
    size_t first = out->len, ink = first; /* the end of the last visible
                                           * character */

    while (text.len) {
        const char *at = text.data;
        char encoded[4];
        uint32_t cp;
        size_t n = utf8_decode(text, &cp, NULL);

        if (cp == '\r') {
            n = text.len > 1 && at[1] == '\n' ? 2 : 1;
            cp = '\n';
        }
        text = bytes_sub(text, n, text.len);
        if (cp == '\n') {
            /* Remove the blanks before it, but not the newlines before those.
             */
            while (out->len > ink && out->data[out->len - 1] != '\n')
                out->len--;
        }
        if (is_blank(cp) && out->len == first)
            continue;
        buf_add(out, encoded, utf8_encode(cp, encoded));
        if (!is_blank(cp))
            ink = out->len;
    }
    if (!out->failed)
        out->len = ink;
}

void normalize_case(struct buf *out, quire_bytes text)
{
    const char *from = text.data;
    char *to = buf_room(out, text.len);
    size_t i;

    for (i = 0; to && i < text.len; i++) {
        char c = from[i];

        to[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    if (to)
        buf_grow(out, text.len);
}

bool normalize_next_word(quire_bytes *text, quire_bytes *word)
{
    size_t from = SIZE_MAX, at = 0;

    while (at < text->len) {
        uint32_t cp;
        bool bad = false;
        size_t n = utf8_decode(bytes_sub(*text, at, text->len), &cp, &bad);

        if (!bad && is_word(cp)) {
            if (from == SIZE_MAX)
                from = at;
        } else if (from != SIZE_MAX) {
            break;
        }
        at += n;
    }
    *word = from == SIZE_MAX ? bytes_of(NULL, 0) : bytes_sub(*text, from, at);
    *text = bytes_sub(*text, at, text->len);
    return from != SIZE_MAX;
}

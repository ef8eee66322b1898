/* normalize.c - normalize the text of prompts */
#include "memory/normalize.h"

#include <stdint.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "base/letters.h"

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

/*
 * quote.h - quote user input in a message
 *
 * The input comes from a model and goes to a terminal: a control character
 * could move the cursor there, and half a character would garble what follows.
 */
#ifndef OUTPUT_QUOTE_H
#define OUTPUT_QUOTE_H

#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"

/* More would leave too little of the message for what is wrong. */
#define QUOTED_MAX 100

struct quoted {
    char text[QUOTED_MAX + sizeof "..."];
};

/* Up to QUOTED_MAX bytes of it, with a question mark for each control character
 * and each piece that is not UTF-8, and dots if that was not all. */
static inline struct quoted quote_text(quire_bytes text)
{
    size_t stop = utf8_cut(text, QUOTED_MAX), at = 0, n = 0;
    struct quoted s;

    while (at < stop) {
        uint32_t cp;
        bool bad = false;
        size_t len = utf8_decode(bytes_sub(text, at, stop), &cp, &bad);

        if (bad || cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
            cp = '?';
        n += utf8_encode(cp, s.text + n);
        at += len;
    }
    memcpy(s.text + n, stop < text.len ? "..." : "", stop < text.len ? 4 : 1);
    return s;
}

#endif

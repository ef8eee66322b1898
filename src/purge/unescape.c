/* unescape.c - see unescape.h */
#include "purge/unescape.h"

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/utf8.h"

enum { DEPTH_MAX = 4 };

void escape_once(quire_bytes text, struct buf *out)
{
    struct buf quoted = BUF_INIT(out->max);

    json_add_quoted(&quoted, text);
    if (quoted.failed || quoted.len < 2)
        out->failed = true;
    else
        buf_add(out, quoted.data + 1, quoted.len - 2);
    buf_release(&quoted);
}

/* "0041" at `p`. */
static bool read_hex(quire_bytes text, size_t p, uint32_t *out)
{
    uint8_t pair[2];

    if (p + 4 > text.len || !hex_decode((const char *)text.data + p, 2, pair))
        return false;
    *out = (uint32_t)pair[0] << 8 | pair[1];
    return true;
}

/* Decode the number behind "\u" at `p`: how many bytes of the text it takes; 0: none. */
static size_t decode_number(quire_bytes text, size_t p, struct buf *out)
{
    const char *data = text.data;
    uint32_t cp, low;
    size_t used = 4;
    char bytes[4];

    if (!read_hex(text, p, &cp))
        return 0;
    if (cp >= 0xd800 && cp <= 0xdbff && p + 10 <= text.len &&
        data[p + 4] == '\\' && data[p + 5] == 'u' &&
        read_hex(text, p + 6, &low) && low >= 0xdc00 && low <= 0xdfff) {
        cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
        used = 10;
    }
    buf_add(out, bytes, utf8_encode(cp, bytes));
    return used;
}

static void decode_once(quire_bytes text, struct buf *out)
{
    static const char letters[] = "btnfr\"/\\", chars[] = "\b\t\n\f\r\"/\\";
    const char *data = text.data, *found;
    size_t p = 0, used;

    while (p < text.len) {
        if (data[p] != '\\' || p + 1 == text.len) {
            buf_add_char(out, data[p++]);
        } else if (data[p + 1] == 'u' &&
                   (used = decode_number(text, p + 2, out)) > 0) {
            p += 2 + used;
        } else if (data[p + 1] && (found = strchr(letters, data[p + 1]))) {
            buf_add_char(out, chars[found - letters]);
            p += 2;
        } else {
            buf_add_char(out, data[p++]);
        }
    }
}

bool unescapes_to(quire_bytes text, quire_bytes value)
{
    struct buf now = BUF_INIT(text.len + 16), next = BUF_INIT(text.len + 16);
    bool is = false;
    int depth;

    buf_add(&now, text.data, text.len);
    for (depth = 0; depth < DEPTH_MAX && !is; depth++) {
        struct buf swap = now;

        if (!now.len || !memchr(now.data, '\\', now.len))
            break;
        buf_clear(&next);
        decode_once(buf_bytes(&now), &next);
        now = next;
        next = swap;
        is = !now.failed && bytes_equal(buf_bytes(&now), value);
    }
    buf_release(&now);
    buf_release(&next);
    return is;
}

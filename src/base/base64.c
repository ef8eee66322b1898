/*
 * base64.c - base64 by table, through 64-bit words
 *
 * Both directions convert eight characters and six bytes at a time. The
 * decoding loop has no branch on content: a character outside the alphabet has
 * no KNOWN bit, the table values of all characters are and-ed together, and one
 * test at the end decides. Wrong bytes may have been written by then; the
 * caller discards them.
 *
 * Only the last four characters can be padded. They are decoded separately.
 */
#include "base/base64.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

static const char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";

enum {
    KNOWN = 0x40,
    ALL_KNOWN = (KNOWN << 18) + (KNOWN << 12) + (KNOWN << 6) + KNOWN,
};

/* clang-format off */
#define V(value) (KNOWN | (value))
static const uint8_t values[256] = {
    ['A'] = V(0),  ['B'] = V(1),  ['C'] = V(2),  ['D'] = V(3),
    ['E'] = V(4),  ['F'] = V(5),  ['G'] = V(6),  ['H'] = V(7),
    ['I'] = V(8),  ['J'] = V(9),  ['K'] = V(10), ['L'] = V(11),
    ['M'] = V(12), ['N'] = V(13), ['O'] = V(14), ['P'] = V(15),
    ['Q'] = V(16), ['R'] = V(17), ['S'] = V(18), ['T'] = V(19),
    ['U'] = V(20), ['V'] = V(21), ['W'] = V(22), ['X'] = V(23),
    ['Y'] = V(24), ['Z'] = V(25), ['a'] = V(26), ['b'] = V(27),
    ['c'] = V(28), ['d'] = V(29), ['e'] = V(30), ['f'] = V(31),
    ['g'] = V(32), ['h'] = V(33), ['i'] = V(34), ['j'] = V(35),
    ['k'] = V(36), ['l'] = V(37), ['m'] = V(38), ['n'] = V(39),
    ['o'] = V(40), ['p'] = V(41), ['q'] = V(42), ['r'] = V(43),
    ['s'] = V(44), ['t'] = V(45), ['u'] = V(46), ['v'] = V(47),
    ['w'] = V(48), ['x'] = V(49), ['y'] = V(50), ['z'] = V(51),
    ['0'] = V(52), ['1'] = V(53), ['2'] = V(54), ['3'] = V(55),
    ['4'] = V(56), ['5'] = V(57), ['6'] = V(58), ['7'] = V(59),
    ['8'] = V(60), ['9'] = V(61), ['+'] = V(62), ['/'] = V(63),
};
#undef V
/* clang-format on */

size_t base64_size(size_t raw)
{
    size_t groups = raw / 3 + (raw % 3 != 0);

    return groups > SIZE_MAX / 4 ? SIZE_MAX : groups * 4;
}

/* ---- decoding ----------------------------------------------------------- */

/* Four characters as 24 bits; *known loses its bit if one has none. */
static inline uint64_t read4(const uint8_t *at, unsigned *known)
{
    unsigned a = values[at[0]], b = values[at[1]];
    unsigned c = values[at[2]], d = values[at[3]];

    *known &= a & b & c & d;
    /* One subtraction removes all KNOWN bits; if one was missing the result is
     * meaningless, and is discarded. */
    return (uint64_t)((a << 18) + (b << 12) + (c << 6) + d - ALL_KNOWN);
}

static inline void write3(uint64_t bits, uint8_t *out)
{
    out[0] = (uint8_t)(bits >> 16);
    out[1] = (uint8_t)(bits >> 8);
    out[2] = (uint8_t)bits;
}

/* Decode all of `text`, which has no padding; false if it has other characters.
 */
static bool decode_body(quire_bytes text, uint8_t *out)
{
    const uint8_t *at = text.data, *end = at + text.len;
    unsigned known = KNOWN;

    /* Each store writes eight bytes of which six count: the next step
     * overwrites the other two. */
    for (; end - at >= 12; at += 8, out += 6) {
        uint64_t bits = read4(at, &known) << 24 | read4(at + 4, &known);

        bits = htobe64(bits << 16);
        memcpy(out, &bits, sizeof bits);
    }
    for (; at < end; at += 4, out += 3)
        write3(read4(at, &known), out);
    return known;
}

/* The last four characters, with one or two "=". False if they are anything
 * else, or have non-zero bits behind the last byte: encoding would not
 * reproduce those. */
static bool decode_padded(const uint8_t *at, unsigned n_padding, uint8_t *out)
{
    uint8_t whole[4] = {at[0], at[1], n_padding == 2 ? 'A' : at[2], 'A'};
    unsigned known = KNOWN;
    uint64_t bits = read4(whole, &known);

    if (!known || bits & (n_padding == 2 ? 0xffff : 0xff))
        return false;
    out[0] = (uint8_t)(bits >> 16);
    if (n_padding == 1)
        out[1] = (uint8_t)(bits >> 8);
    return true;
}

bool base64_decode(quire_bytes text, struct buf *out)
{
    const uint8_t *at = text.data;
    unsigned n_padding = 0;
    size_t body, raw;
    uint8_t *to;

    if (text.len % 4)
        return false;
    if (!text.len)
        return true;
    if (at[text.len - 1] == '=')
        n_padding = at[text.len - 2] == '=' ? 2 : 1;
    body = text.len - (n_padding ? 4 : 0);
    raw = text.len / 4 * 3 - n_padding;
    to = buf_room(out, raw);
    if (!to)
        return true;
    if (!decode_body(bytes_of(at, body), to))
        return false;
    if (n_padding && !decode_padded(at + body, n_padding, to + body / 4 * 3))
        return false;
    buf_grow(out, raw);
    return true;
}

/* ---- encoding ----------------------------------------------------------- */

static inline void write4(uint64_t bits, char *out)
{
    out[0] = alphabet[bits >> 18 & 63];
    out[1] = alphabet[bits >> 12 & 63];
    out[2] = alphabet[bits >> 6 & 63];
    out[3] = alphabet[bits & 63];
}

static inline uint64_t read3(const uint8_t *at)
{
    return (uint64_t)at[0] << 16 | (uint64_t)at[1] << 8 | at[2];
}

void base64_write(quire_bytes raw, char *out)
{
    uint8_t last[3] = {0};
    const uint8_t *at = raw.len ? raw.data : last, *end = at + raw.len;

    for (; end - at >= 6; at += 6, out += 8) {
        write4(read3(at), out);
        write4(read3(at + 3), out + 4);
    }
    for (; end - at >= 3; at += 3, out += 4)
        write4(read3(at), out);
    if (at == end)
        return;
    memcpy(last, at, (size_t)(end - at));
    write4(read3(last), out);
    out[3] = '=';
    if (end - at == 1)
        out[2] = '=';
}

void base64_encode(quire_bytes raw, struct buf *out)
{
    size_t size = base64_size(raw.len);
    char *to = buf_room(out, size);

    if (!to)
        return;
    base64_write(raw, to);
    buf_grow(out, size);
}

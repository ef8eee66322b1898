/*
 * match.c - see match.h
 *
 * The units around an anchor are matched one by one, in any spelling. That may match too
 * much (how deep backslashes are nested is not known), so that a match is decoded as often
 * as it can be, and counts if one of the results is the value.
 */
#include "purge/match.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/find_many.h"
#include "base/utf8.h"
#include "purge/unescape.h"

enum { ANCHOR_MAX = 128 };

static void classify(struct unit *u)
{
    static const char controls[] = "\b\t\n\f\r", letters[] = "btnfr";
    const char *found;

    u->kind = UNIT_PLAIN;
    u->letter = 0;
    if (u->cp == '"' || u->cp == '/') {
        u->kind = UNIT_QUOTE;
    } else if (u->cp == '\\') {
        u->kind = UNIT_BACKSLASH;
    } else if (u->cp < 0x20) {
        u->kind = UNIT_CONTROL;
        found = u->cp ? strchr(controls, (int)u->cp) : NULL;
        if (found)
            u->letter = letters[found - controls];
    }
}

/* Split the value into units. Damaged UTF-8 is found as it is, byte by byte. */
bool value_read_units(struct value *one)
{
    size_t at = 0;

    one->units = malloc(one->bytes.len * sizeof *one->units);
    if (!one->units)
        return false;
    while (at < one->bytes.len) {
        struct unit *u = &one->units[one->n_units];
        bool bad = false;

        u->at = (uint32_t)at;
        u->len = (uint8_t)utf8_decode(bytes_sub(one->bytes, at, one->bytes.len),
                                      &u->cp, &bad);
        if (bad)
            u->cp = UINT32_MAX;
        classify(u);
        at += u->len;
        if (u->kind == UNIT_BACKSLASH && one->n_units > 0 &&
            u[-1].kind == UNIT_BACKSLASH)
            continue; /* part of the run */
        one->n_units++;
    }
    return true;
}

/* Neither escaped by JSON nor, as writers of ASCII do, by its number. */
static bool is_anchor(const struct unit *u)
{
    return u->kind == UNIT_PLAIN && u->cp < 0x7f;
}

void value_choose_anchor(struct value *one)
{
    size_t i, from = 0;

    one->n_anchor = 0;
    for (i = 0; i <= one->n_units; i++) {
        if (i < one->n_units && is_anchor(&one->units[i]) &&
            i - from < ANCHOR_MAX)
            continue;
        if (i - from > one->n_anchor) {
            one->anchor = from;
            one->n_anchor = i - from;
        }
        from = i < one->n_units && is_anchor(&one->units[i]) ? i : i + 1;
    }
    if (one->n_anchor >= FIND_MANY_LEAST)
        return;
    /* As it is written where it is not escaped. */
    one->anchor = 0;
    one->n_anchor = one->n_units;
}

quire_bytes value_anchor(const struct value *one)
{
    const struct unit *first = &one->units[one->anchor];
    const struct unit *last = first + one->n_anchor - 1;

    return bytes_sub(one->bytes, first->at, last->at + last->len);
}

/* ---- matching the units around an anchor ------------------------------------ */

size_t match_backslashes(quire_bytes text, size_t p)
{
    const char *data = text.data;
    size_t n = 0;

    while (p + n < text.len && data[p + n] == '\\')
        n++;
    return n;
}

static size_t backslashes_before(quire_bytes text, size_t p)
{
    const char *data = text.data;
    size_t n = 0;

    while (n < p && data[p - n - 1] == '\\')
        n++;
    return n;
}

/* "u000a" at `p`: its number. */
static bool read_number(quire_bytes text, size_t p, uint32_t *out)
{
    uint8_t pair[2];

    if (p + 5 > text.len || ((const char *)text.data)[p] != 'u' ||
        !hex_decode((const char *)text.data + p + 1, 2, pair))
        return false;
    *out = (uint32_t)pair[0] << 8 | pair[1];
    return true;
}

static uint32_t join_pair(uint32_t high, uint32_t low)
{
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/* The character that backslashes and numbers spell at `p`, and where it ends. */
bool match_escaped(quire_bytes text, size_t p, uint32_t *cp, size_t *end)
{
    size_t n = match_backslashes(text, p);
    uint32_t low;

    if (!n || !read_number(text, p + n, cp))
        return false;
    *end = p + n + 5;
    if (*cp < 0xd800 || *cp > 0xdbff)
        return true;
    p = *end;
    n = match_backslashes(text, p);
    if (!n || !read_number(text, p + n, &low) || low < 0xdc00 || low > 0xdfff)
        return false;
    *cp = join_pair(*cp, low);
    *end = p + n + 5;
    return true;
}

static bool is_raw(const struct value *one, const struct unit *u,
                   quire_bytes text, size_t p)
{
    return text.len - p >= u->len &&
           !memcmp((const char *)text.data + p,
                   (const char *)one->bytes.data + u->at, u->len);
}

/* Match the unit at *p and step over it. */
static bool match_forward(const struct value *one, const struct unit *u,
                          quire_bytes text, size_t *p)
{
    const char *data = text.data;
    uint32_t cp;
    size_t n, end;

    if (u->kind != UNIT_BACKSLASH && is_raw(one, u, text, *p)) {
        *p += u->len;
        return true;
    }
    n = match_backslashes(text, *p);
    if (u->kind == UNIT_BACKSLASH) {
        bool any = false;

        for (; match_escaped(text, *p, &cp, &end) && cp == u->cp; any = true)
            *p = end;
        n = match_backslashes(text, *p);
        *p += match_escaped(text, *p, &cp, &end) ? 0 : n;
        return any || n > 0;
    }
    if (n && *p + n < text.len &&
        ((u->kind == UNIT_QUOTE && (uint32_t)data[*p + n] == u->cp) ||
         (u->letter && data[*p + n] == u->letter))) {
        *p += n + 1;
        return true;
    }
    if (!match_escaped(text, *p, &cp, &end) || cp != u->cp)
        return false;
    *p = end;
    return true;
}

/* The character that a number spells before `p`, and where it begins. */
static bool read_escaped_before(quire_bytes text, size_t p, uint32_t *cp,
                                size_t *begin)
{
    size_t n = p >= 6 ? backslashes_before(text, p - 5) : 0;
    uint32_t high;

    if (!n || !read_number(text, p - 5, cp))
        return false;
    *begin = p - 5 - n;
    if (*cp < 0xdc00 || *cp > 0xdfff)
        return true;
    p = *begin;
    n = p >= 6 ? backslashes_before(text, p - 5) : 0;
    if (!n || !read_number(text, p - 5, &high) || high < 0xd800 ||
        high > 0xdbff)
        return false;
    *cp = join_pair(high, *cp);
    *begin = p - 5 - n;
    return true;
}

/* Match the unit that ends at *p and step back over it. `after_backslash`: the unit before
 * it is a run of backslashes, which takes those that are there. */
static bool match_backward(const struct value *one, const struct unit *u,
                           bool after_backslash, quire_bytes text, size_t *p)
{
    const char *data = text.data;
    uint32_t cp;
    size_t n, begin;

    if (u->kind == UNIT_BACKSLASH) {
        bool any = false;

        for (; read_escaped_before(text, *p, &cp, &begin) && cp == u->cp;
             any = true)
            *p = begin;
        n = backslashes_before(text, *p);
        *p -= n;
        return any || n > 0;
    }
    if (*p >= u->len && is_raw(one, u, text, *p - u->len)) {
        *p -= u->len;
        if (u->kind == UNIT_QUOTE && !after_backslash)
            *p -= backslashes_before(text, *p);
        return true;
    }
    if (u->letter && *p >= 2 && data[*p - 1] == u->letter &&
        data[*p - 2] == '\\') {
        *p -= 1;
        if (!after_backslash)
            *p -= backslashes_before(text, *p);
        return true;
    }
    if (!read_escaped_before(text, *p, &cp, &begin) || cp != u->cp)
        return false;
    *p = begin;
    return true;
}

/* Whether the bytes are the value, decoded or not. */
static bool is_value(const struct value *one, quire_bytes text)
{
    return bytes_equal(text, one->bytes) || unescapes_to(text, one->bytes);
}

/* A run of backslashes at the end of a value may be followed by those that escape what
 * comes next: the shortest end that is the value. */
static bool trim_end(const struct value *one, quire_bytes text, size_t from,
                     size_t *to)
{
    size_t run = backslashes_before(text, *to), n;

    if (run > *to - from)
        run = *to - from;
    for (n = 1; n < run; n *= 2) {
        if (is_value(one, bytes_sub(text, from, *to - run + n))) {
            *to = *to - run + n;
            return true;
        }
    }
    return is_value(one, bytes_sub(text, from, *to));
}

/* Match all units around unit `at`, which begins at `p`. */
bool value_match(const struct value *one, quire_bytes text, size_t at, size_t p,
                 size_t *from, size_t *to)
{
    size_t i;

    *from = *to = p;
    for (i = at; i < one->n_units; i++)
        if (!match_forward(one, &one->units[i], text, to))
            return false;
    for (i = at; i-- > 0;)
        if (!match_backward(one, &one->units[i],
                            i > 0 && one->units[i - 1].kind == UNIT_BACKSLASH,
                            text, from))
            return false;
    return one->units[one->n_units - 1].kind == UNIT_BACKSLASH
               ? trim_end(one, text, *from, to)
               : is_value(one, bytes_sub(text, *from, *to));
}

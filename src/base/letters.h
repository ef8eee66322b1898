/*
 * letters.h - characters that are not letters
 *
 * SQLite's table of characters ends with Unicode 6 and treats later ones, most
 * emoji among them, as part of a word; also the private-use characters that
 * prompts and editors draw icons with. Without this table "done" would be found
 * only together with the picture behind it.
 */
#ifndef BASE_LETTERS_H
#define BASE_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct letters_range {
    uint32_t first, last;
};

/* Whether `cp` is in one of the sorted ranges. */
static inline bool letters_within(uint32_t cp,
                                  const struct letters_range *ranges, size_t n)
{
    size_t i;

    for (i = 0; i < n && cp >= ranges[i].first; i++) {
        if (cp <= ranges[i].last)
            return true;
    }
    return false;
}

/* Certainly neither letter nor digit of any script. There are others: rare
 * signs that SQLite knows, and "_", which joins letters. */
static inline bool letters_none(uint32_t cp)
{
    static const struct letters_range none[] = {
        {0x00, 0x2f},       {0x3a, 0x40},       {0x5b, 0x5e},
        {0x60, 0x60},       {0x7b, 0xa9},       {0xab, 0xb1},
        {0xb4, 0xb4},       {0xb6, 0xb8},       {0xbb, 0xbb},
        {0xbf, 0xbf},       {0xd7, 0xd7},       {0xf7, 0xf7},
        {0x2000, 0x206f},   {0x20a0, 0x20cf},   {0x2190, 0x23ff},
        {0x2500, 0x2775},   {0x2794, 0x2bff},   {0x3000, 0x3004},
        {0x3008, 0x3020},   {0x3030, 0x3030},   {0x303d, 0x303f},
        {0xe000, 0xf8ff},   {0xfe00, 0xfe19},   {0xfe30, 0xfe6b},
        {0xff01, 0xff0f},   {0xff1a, 0xff20},   {0xff3b, 0xff40},
        {0xff5b, 0xff65},   {0xffe0, 0xffff},   {0x1f000, 0x1f0ff},
        {0x1f10d, 0x1f12f}, {0x1f16a, 0x1fbef}, {0xe0000, 0x10ffff},
    };

    return letters_within(cp, none, sizeof none / sizeof *none);
}

#endif

/* images.c - see images.h */
#include "view/images.h"

#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"

/* ---- which strings are images ------------------------------------------- */

static bool says_image(quire_bytes value)
{
    return json_kind(value) == JSON_STRING && value.len > 8 &&
           ascii_starts(bytes_sub(value, 1, value.len), "image/");
}

quire_bytes view_image_data(const struct json_string *s)
{
    struct json_want wants[] = {JSON_WANT("type"), JSON_WANT("mimeType"),
                                JSON_WANT("media_type")};
    const char *end = (const char *)s->text.data + s->text.len;
    const struct json_place *object;

    if (!s->depth || !s->key.data || !json_is(s->key, "data"))
        return bytes_of(NULL, 0);
    object = &s->place[s->depth - 1];
    /* It ends with an error where a key is missing: what was found counts. */
    json_head(bytes_of(object->at, (size_t)(end - object->at)), wants, 3, NULL);
    if (!json_is(wants[0].value, "image") && !says_image(wants[1].value) &&
        !says_image(wants[2].value))
        return bytes_of(NULL, 0);
    return bytes_sub(s->value, 1, s->value.len - 1);
}

/* ---- pictures ----------------------------------------------------------- */

static uint32_t big(const uint8_t *b, int n)
{
    uint32_t v = 0;

    while (n-- > 0)
        v = v << 8 | *b++;
    return v;
}

static uint32_t little(const uint8_t *b, int n)
{
    uint32_t v = 0;

    while (n-- > 0)
        v = v << 8 | b[n];
    return v;
}

/* The frame header is behind segments of two bytes of marker and two of length. */
static void read_jpeg(const uint8_t *b, size_t n, struct view_picture *p)
{
    size_t at = 2;

    while (at + 9 < n && b[at] == 0xff) {
        uint8_t marker = b[at + 1];

        if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 &&
            marker != 0xc8 && marker != 0xcc) {
            p->height = big(b + at + 5, 2);
            p->width = big(b + at + 7, 2);
            return;
        }
        at += marker == 0xff ? 1 : 2 + (size_t)big(b + at + 2, 2);
    }
}

static void read_webp(const uint8_t *b, size_t n, struct view_picture *p)
{
    if (n >= 30 && !memcmp(b + 12, "VP8X", 4)) {
        p->width = little(b + 24, 3) + 1;
        p->height = little(b + 27, 3) + 1;
    } else if (n >= 30 && !memcmp(b + 12, "VP8 ", 4)) {
        p->width = little(b + 26, 2) & 0x3fff;
        p->height = little(b + 28, 2) & 0x3fff;
    } else if (n >= 25 && !memcmp(b + 12, "VP8L", 4)) {
        uint32_t bits = little(b + 21, 4);

        p->width = (bits & 0x3fff) + 1;
        p->height = (bits >> 14 & 0x3fff) + 1;
    }
}

struct view_picture view_picture(quire_bytes head)
{
    const uint8_t *b = head.data;
    struct view_picture p = {.mime = NULL};

    if (head.len >= 24 && !memcmp(b, "\x89PNG\r\n\x1a\n", 8)) {
        p = (struct view_picture){"image/png", big(b + 16, 4), big(b + 20, 4)};
    } else if (head.len >= 10 &&
               (!memcmp(b, "GIF87a", 6) || !memcmp(b, "GIF89a", 6))) {
        p = (struct view_picture){"image/gif", little(b + 6, 2),
                                  little(b + 8, 2)};
    } else if (head.len >= 4 && !memcmp(b, "\xff\xd8\xff", 3)) {
        p.mime = "image/jpeg";
        read_jpeg(b, head.len, &p);
    } else if (head.len >= 16 && !memcmp(b, "RIFF", 4) &&
               !memcmp(b + 8, "WEBP", 4)) {
        p.mime = "image/webp";
        read_webp(b, head.len, &p);
    }
    return p;
}

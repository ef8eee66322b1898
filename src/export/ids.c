/* ids.c - ids of the target, derived from ours; see target.h */
#include <string.h>

#include <nettle/sha2.h>

#include "base/bytes.h"
#include "export/target.h"

static void add(struct sha256_ctx *h, quire_bytes text)
{
    static const uint8_t end = 0;

    if (text.len)
        sha256_update(h, text.len, text.data);
    sha256_update(h, 1, &end);
}

void export_hash(const struct export *x, quire_bytes id, unsigned part,
                 uint8_t out[EXPORT_HASH])
{
    uint8_t number[4] = {(uint8_t)part, (uint8_t)(part >> 8),
                         (uint8_t)(part >> 16), (uint8_t)(part >> 24)};
    struct sha256_ctx h;

    sha256_init(&h);
    add(&h, bytes_str("quire export"));
    add(&h, bytes_str(x->target->name));
    add(&h, bytes_str(x->session.id));
    add(&h, bytes_str(x->session.leaf));
    add(&h, id);
    sha256_update(&h, sizeof number, number);
    sha256_digest(&h, EXPORT_HASH, out);
}

static void format_uuid(const uint8_t b[16], char out[EXPORT_UUID_SIZE])
{
    static const size_t ends[] = {4, 6, 8, 10, 16};
    size_t from = 0, i;

    for (i = 0; i < 5; i++) {
        hex_encode(b + from, ends[i] - from, out);
        out += 2 * (ends[i] - from);
        from = ends[i];
        *out++ = '-';
    }
    out[-1] = '\0';
}

void export_uuid(const struct export *x, quire_bytes id, unsigned part,
                 char out[EXPORT_UUID_SIZE])
{
    uint8_t b[EXPORT_HASH];

    export_hash(x, id, part, b);
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    format_uuid(b, out);
}

void export_uuid_at(const struct export *x, quire_bytes id, unsigned part,
                    int64_t ms, char out[EXPORT_UUID_SIZE])
{
    uint8_t b[EXPORT_HASH];
    size_t i;

    export_hash(x, id, part, b);
    for (i = 0; i < 6; i++)
        b[i] = (uint8_t)((uint64_t)ms >> (40 - 8 * i));
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x70);
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    format_uuid(b, out);
}

void export_hex(const struct export *x, quire_bytes id, unsigned part, size_t n,
                char *out)
{
    uint8_t b[EXPORT_HASH];
    char hex[2 * EXPORT_HASH + 1];

    export_hash(x, id, part, b);
    hex_encode(b, EXPORT_HASH, hex);
    memcpy(out, hex, n);
    out[n] = '\0';
}

/* inventory.c - see inventory.h */
#include "sync/inventory.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

void inventory_release(struct inventory *v)
{
    free(v->items);
    *v = (struct inventory){0};
}

bool inventory_add(struct inventory *v, const struct item *item)
{
    size_t cap = v->cap ? v->cap * 2 : 256;
    struct item *more;

    if (v->n == v->cap) {
        more = realloc(v->items, cap * sizeof *more);
        if (!more)
            return false;
        v->items = more;
        v->cap = cap;
    }
    v->items[v->n++] = *item;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    size_t len = x->key.len < y->key.len ? x->key.len : y->key.len;
    int order;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    order = len ? memcmp(x->key.data, y->key.data, len) : 0;
    return order ? order
                 : (x->key.len > y->key.len) - (x->key.len < y->key.len);
}

void inventory_sort(struct inventory *v)
{
    if (v->n)
        qsort(v->items, v->n, sizeof *v->items, compare);
}

struct item *inventory_find(const struct inventory *v, enum item_kind kind,
                            quire_bytes key)
{
    struct item wanted = {.kind = kind, .key = key};

    return v->n ? bsearch(&wanted, v->items, v->n, sizeof *v->items, compare)
                : NULL;
}

/* ---- buckets -------------------------------------------------------------- */

uint32_t inventory_buckets(size_t n)
{
    uint32_t buckets = 16;

    while (buckets < BUCKETS_MAX && (size_t)buckets * 24 < n)
        buckets *= 2;
    return buckets;
}

/* Numbers travel with the lowest byte first. */
static uint64_t load(const void *from)
{
    const uint8_t *byte = from;
    uint64_t v = 0;
    int i;

    for (i = 7; i >= 0; i--)
        v = v << 8 | byte[i];
    return v;
}

static void store(uint64_t v, void *to)
{
    uint8_t *byte = to;
    int i;

    for (i = 0; i < 8; i++)
        byte[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t hash_item(const struct item *item, bool whole)
{
    struct sha256_ctx ctx;
    uint8_t kind = (uint8_t)item->kind, digest[SHA256_DIGEST_SIZE];

    sha256_init(&ctx);
    sha256_update(&ctx, 1, &kind);
    sha256_update(&ctx, item->key.len, item->key.data);
    if (whole)
        sha256_update(&ctx, sizeof item->digest, item->digest);
    sha256_digest(&ctx, sizeof digest, digest);
    return load(digest);
}

uint32_t inventory_bucket(const struct item *item, uint32_t buckets)
{
    return (uint32_t)hash_item(item, false) & (buckets - 1);
}

void inventory_sums(const struct inventory *v, uint32_t buckets,
                    struct buf *out)
{
    size_t len = (size_t)buckets * sizeof(uint64_t), i;
    char *room = buf_room(out, len);

    if (!room)
        return;
    memset(room, 0, len);
    for (i = 0; i < v->n; i++) {
        char *at = room +
                   inventory_bucket(&v->items[i], buckets) * sizeof(uint64_t);

        store(load(at) + hash_item(&v->items[i], true), at);
    }
    buf_grow(out, len);
}

/* ---- bytes ---------------------------------------------------------------- */

void number_add(uint64_t v, struct buf *out)
{
    for (; v > 127; v >>= 7)
        buf_add_char(out, (char)((v & 127) | 128));
    buf_add_char(out, (char)v);
}

bool number_read(quire_bytes from, size_t *at, uint64_t *v)
{
    unsigned shift;

    *v = 0;
    for (shift = 0; shift < 63 && *at < from.len; shift += 7) {
        uint8_t byte = ((const uint8_t *)from.data)[(*at)++];

        *v |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            return true;
    }
    return false;
}

void item_add(const struct item *item, struct buf *out)
{
    buf_add_char(out, (char)item->kind);
    number_add(item->key.len, out);
    buf_add(out, item->key.data, item->key.len);
    buf_add(out, item->digest, sizeof item->digest);
    number_add(item->n, out);
}

bool item_read(quire_bytes from, size_t *at, struct item *out)
{
    const char *bytes = from.data;
    uint64_t len;

    *out = (struct item){0};
    if (*at >= from.len || bytes[*at] < ITEM_SESSION ||
        bytes[*at] >= ITEM_KINDS)
        return false;
    out->kind = (enum item_kind)bytes[(*at)++];
    if (!number_read(from, at, &len) || len == 0 || len > ITEM_KEY_MAX ||
        len > from.len - *at)
        return false;
    out->key = bytes_sub(from, *at, *at + len);
    *at += len;
    if (from.len - *at < ITEM_DIGEST)
        return false;
    memcpy(out->digest, bytes + *at, ITEM_DIGEST);
    *at += ITEM_DIGEST;
    return number_read(from, at, &out->n);
}

/* tree.c - see tree.h */
#include "import/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/map.h"

/* Keys that are hashes must be the same everywhere, so these are fixed. */
static const uint64_t id_seed[2][2] = {
    {UINT64_C(0x7175697265206964), UINT64_C(0x696d706f72742031)},
    {UINT64_C(0x656e747279206964), UINT64_C(0x696d706f72742032)},
};

void tree_release(struct tree *t)
{
    free(t->nodes);
    free(t->slots);
    *t = (struct tree){.nodes = NULL};
}

/* ---- keys --------------------------------------------------------------- */

static void hash_key(quire_bytes text, uint64_t tweak, uint8_t out[16])
{
    int i, byte;

    for (i = 0; i < 2; i++) {
        uint64_t seed[2] = {id_seed[i][0], id_seed[i][1] ^ tweak};
        uint64_t h = map_hash(seed, text);

        for (byte = 0; byte < 8; byte++)
            *out++ = (uint8_t)(h >> 8 * byte);
    }
}

/* A uuid as programs print it: then the key is the number itself. */
static bool read_uuid(quire_bytes id, uint8_t out[16])
{
    const char *text = id.data;
    size_t i, n = 0;

    if (id.len != 36)
        return false;
    for (i = 0; i < 36; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash != (text[i] == '-') || (text[i] >= 'A' && text[i] <= 'F'))
            return false;
        if (dash)
            continue;
        if (!hex_decode(text + i, 1, out + n++))
            return false;
        i++;
    }
    return true;
}

struct tree_key tree_key_of(quire_bytes id)
{
    struct tree_key key = {.form = TREE_UUID};

    if (!read_uuid(id, key.bytes)) {
        key.form = TREE_HASH;
        hash_key(id, 0, key.bytes);
    }
    return key;
}

static bool is_short(const char *id, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++)
        if ((id[i] < '0' || id[i] > '9') && (id[i] < 'a' || id[i] > 'z') &&
            (id[i] < 'A' || id[i] > 'Z') && id[i] != '-' && id[i] != '_')
            return false;
    return len > 0 && len <= 16;
}

struct tree_key tree_key_short(quire_bytes id)
{
    struct tree_key key = {.form = TREE_SHORT};

    if (!is_short(id.data, id.len))
        return tree_key_of(id);
    memcpy(key.bytes, id.data, id.len);
    return key;
}

struct tree_key tree_key_part(struct tree_key whole, uint32_t part)
{
    struct tree_key key = whole;

    if (whole.form == TREE_PLACE) {
        memcpy(key.bytes + 12, &part, 4);
    } else if (part) {
        key.form = TREE_HASH;
        hash_key(bytes_of(whole.bytes, 16), part, key.bytes);
    }
    return key;
}

struct tree_key tree_key_place(uint32_t source, uint64_t at, uint32_t part)
{
    struct tree_key key = {.form = TREE_PLACE};

    /* Six bytes are enough for an offset, two for the number of a file. */
    at |= (uint64_t)source << 48;
    memcpy(key.bytes, &at, 8);
    memset(key.bytes + 8, 0, 4);
    memcpy(key.bytes + 12, &part, 4);
    return key;
}

struct tree_key tree_key_other(quire_bytes id)
{
    struct tree_key key = {.form = TREE_OTHER};

    hash_key(id, UINT64_C(0x616e73776572), key.bytes);
    return key;
}

/* ---- the table ---------------------------------------------------------- */

/* Nodes of different forms may have the same bytes. */
static bool is_key(const struct tree_node *n, const uint8_t bytes[16],
                   enum tree_form form)
{
    return n->form == (unsigned)form && !memcmp(n->key, bytes, 16);
}

static uint32_t slot_of(const struct tree *t, const uint8_t bytes[16],
                        enum tree_form form)
{
    uint64_t h = map_hash(t->seed, bytes_of(bytes, 16)) + (uint64_t)form;
    uint32_t mask = t->n_slots - 1, at = (uint32_t)h & mask;

    while (t->slots[at] && !is_key(&t->nodes[t->slots[at] - 1], bytes, form))
        at = (at + 1) & mask;
    return at;
}

uint32_t tree_find(const struct tree *t, const struct tree_key *key)
{
    if (!t->n_slots)
        return TREE_NONE;
    /* Empty: 0 - 1 is TREE_NONE. */
    return t->slots[slot_of(t, key->bytes, key->form)] - 1;
}

static bool grow_slots(struct tree *t, uint32_t n_slots)
{
    uint32_t *slots = calloc(n_slots, sizeof *slots);
    uint32_t i;

    if (!slots)
        return false;
    free(t->slots);
    t->slots = slots;
    t->n_slots = n_slots;
    for (i = 0; i < t->n; i++) {
        const struct tree_node *n = &t->nodes[i];

        slots[slot_of(t, n->key, (enum tree_form)n->form)] = i + 1;
    }
    return true;
}

static bool make_room(struct tree *t)
{
    /* Half as much again: the table must not double a gigabyte's memory. */
    uint32_t cap = t->cap ? t->cap + t->cap / 2 : 256;
    struct tree_node *nodes;

    if (t->n == t->cap) {
        if (cap >= TREE_NEXT_NONE)
            return false;
        nodes = realloc(t->nodes, cap * sizeof *nodes);
        if (!nodes)
            return false;
        t->nodes = nodes;
        t->cap = cap;
    }
    if (t->n_slots && t->n < t->n_slots / 4 * 3)
        return true;
    return grow_slots(t, t->n_slots ? t->n_slots * 2 : 512);
}

uint32_t tree_add(struct tree *t, const struct tree_key *key)
{
    struct tree_node *n;
    uint32_t slot;

    if (!make_room(t)) {
        t->failed = true;
        return TREE_NONE;
    }
    slot = slot_of(t, key->bytes, key->form);
    assert(!t->slots[slot]);
    n = &t->nodes[t->n];
    memcpy(n->key, key->bytes, 16);
    n->form = key->form & 7;
    n->entry = t->n;
    n->next = TREE_NEXT_NONE;
    t->slots[slot] = ++t->n;
    return t->n - 1;
}

/* ---- links -------------------------------------------------------------- */

uint32_t tree_tail(struct tree *t, uint32_t node)
{
    uint32_t end, at, next;

    if (node == TREE_NONE || t->nodes[node].entry == TREE_NONE)
        return TREE_NONE;
    at = end = t->nodes[node].entry;
    while (t->nodes[end].next != TREE_NEXT_NONE)
        end = t->nodes[end].next;
    /* Shorten the way: long chains are walked once. */
    for (; at != end; at = next) {
        next = t->nodes[at].next;
        t->nodes[at].next = end & TREE_NEXT_NONE;
    }
    return end;
}

void tree_extend(struct tree *t, uint32_t node, uint32_t below)
{
    uint32_t tail = tree_tail(t, node);

    if (tail != TREE_NONE && tail < below)
        t->nodes[tail].next = below & TREE_NEXT_NONE;
}

/* ---- ids ---------------------------------------------------------------- */

static size_t write_uuid(const uint8_t key[16], char *out)
{
    static const size_t lengths[] = {4, 2, 2, 2, 6};
    char *at = out;
    size_t i, from = 0;

    for (i = 0; i < 5; i++) {
        hex_encode(key + from, lengths[i], at);
        from += lengths[i];
        at += 2 * lengths[i];
        *at++ = '-';
    }
    *--at = '\0';
    return (size_t)(at - out);
}

/* Without leading zeros; returns the end. */
static char *write_number(char *at, uint64_t n, unsigned base)
{
    char digits[20];
    size_t len = 0;

    do
        digits[len++] = "0123456789abcdef"[n % base];
    while (n /= base);
    while (len)
        *at++ = digits[--len];
    return at;
}

static size_t write_place(const uint8_t key[16], char *out)
{
    uint64_t place;
    uint32_t part;
    char *at = out;

    memcpy(&place, key, 8);
    memcpy(&part, key + 12, 4);
    if (place >> 48) {
        *at++ = 'p';
        at = write_number(at, place >> 48, 10);
        *at++ = '.';
    } else {
        *at++ = 'b';
    }
    at = write_number(at, place & (((uint64_t)1 << 48) - 1), 16);
    if (part) {
        *at++ = '.';
        at = write_number(at, part, 10);
    }
    *at = '\0';
    return (size_t)(at - out);
}

size_t tree_id(const struct tree *t, uint32_t node, char out[TREE_ID_SIZE])
{
    const struct tree_node *n = &t->nodes[node];

    if (n->form == TREE_UUID)
        return write_uuid(n->key, out);
    if (n->form == TREE_PLACE)
        return write_place(n->key, out);
    if (n->form == TREE_SHORT) {
        memcpy(out, n->key, 16);
        out[16] = '\0';
        return strlen(out);
    }
    out[0] = 'x';
    hex_encode(n->key, 16, out + 1);
    return 33;
}

/* ---- state -------------------------------------------------------------- */

void tree_save(const struct tree *t, struct buf *out)
{
    state_put(out, &t->n, sizeof t->n);
    state_put(out, t->nodes, t->n * sizeof *t->nodes);
}

static bool valid_links(const struct tree *t)
{
    uint32_t i;

    for (i = 0; i < t->n; i++) {
        const struct tree_node *n = &t->nodes[i];

        if (n->entry != TREE_NONE &&
            (n->entry >= t->n || t->nodes[n->entry].entry != n->entry))
            return false;
        if (n->next != TREE_NEXT_NONE && (n->next <= i || n->next >= t->n))
            return false;
        if (n->form > TREE_SHORT ||
            (n->form == TREE_SHORT &&
             !is_short((const char *)n->key,
                       strnlen((const char *)n->key, sizeof n->key))))
            return false;
    }
    return true;
}

/* Each key once: a table with two equal ones has a node that nothing finds. */
static bool valid_keys(const struct tree *t)
{
    uint32_t i;

    for (i = 0; i < t->n; i++) {
        const struct tree_node *n = &t->nodes[i];

        if (t->slots[slot_of(t, n->key, (enum tree_form)n->form)] != i + 1)
            return false;
    }
    return true;
}

bool tree_restore(struct tree *t, struct state_reader *r)
{
    uint32_t n, n_slots = 512;

    state_get(r, &n, sizeof n);
    if (r->bad || n >= TREE_NEXT_NONE / 2 ||
        (size_t)(r->end - r->at) / sizeof *t->nodes < n)
        return false;
    t->cap = n + n / 8 + 256;
    t->nodes = malloc(t->cap * sizeof *t->nodes);
    if (!t->nodes)
        return false;
    state_get(r, t->nodes, n * sizeof *t->nodes);
    t->n = n;
    while (n_slots / 4 * 3 <= n)
        n_slots *= 2;
    return valid_links(t) && grow_slots(t, n_slots) && valid_keys(t);
}

/* index.c - see index.h */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/map.h"
#include "session/index.h"

/* An entry added before its parent: the parent comes later, or never. */
struct waiting {
    struct waiting *next;
    uint32_t child;
    quire_bytes parent;
};

static const char *const type_names[N_ENTRY_TYPES] = {
    [ENTRY_MESSAGE] = "message",
    [ENTRY_THINKING_LEVEL] = "thinking_level_change",
    [ENTRY_MODEL] = "model_change",
    [ENTRY_SERVICE_TIER] = "service_tier_change",
    [ENTRY_COMPACTION] = "compaction",
    [ENTRY_BRANCH_SUMMARY] = "branch_summary",
    [ENTRY_CUSTOM] = "custom",
    [ENTRY_CUSTOM_MESSAGE] = "custom_message",
    [ENTRY_LABEL] = "label",
    [ENTRY_TTSR] = "ttsr_injection",
    [ENTRY_MODE] = "mode_change",
    [ENTRY_TITLE] = "title_change",
    [ENTRY_RESET] = "reset_boundary",
};

enum entry_type entry_type_of(quire_bytes json_type)
{
    const char *text = json_type.data;
    int i;

    if (json_type.len == 9 && !memcmp(text, "\"message\"", 9))
        return ENTRY_MESSAGE; /* as most are */
    for (i = 1; i < N_ENTRY_TYPES; i++) {
        if (json_is(json_type, type_names[i]))
            return (enum entry_type)i;
    }
    return ENTRY_OTHER;
}

const char *entry_type_name(enum entry_type type)
{
    return type_names[type];
}

void index_init(struct index *x, uint64_t seed0, uint64_t seed1)
{
    *x = (struct index){.seed = {seed0, seed1}};
}

void index_release(struct index *x)
{
    free(x->list);
    free(x->slots);
    arena_release(&x->text);
    index_init(x, x->seed[0], x->seed[1]);
}

void index_clear(struct index *x)
{
    index_release(x);
}

/* ---- finding ------------------------------------------------------------ */

/* base/map.h would take thirty-two bytes a slot: as much again as the entries
 * themselves. These slots are eight, and hold enough of the hash that only the
 * matching entry is compared. */

/* Ids are eight hex digits from untrusted files. For those a keyed
 * multiplication is enough: without the key one cannot make them collide. */
static uint32_t hash_id(const struct index *x, quire_bytes id)
{
    uint64_t word = 0;

    if (id.len > 8)
        return (uint32_t)map_hash(x->seed, id);
    memcpy(&word, id.data, id.len);
    word = (word ^ x->seed[0]) * (x->seed[1] | 1);
    return (uint32_t)((word ^ word >> 32) * (x->seed[0] | 1) >> 32);
}

/* The slot of the id, or the free slot it would get. */
static struct index_slot *slot_of(const struct index *x, quire_bytes id,
                                  uint32_t hash)
{
    uint32_t i = hash & (x->n_slots - 1);

    for (;; i = (i + 1) & (x->n_slots - 1)) {
        struct index_slot *slot = &x->slots[i];

        if (!slot->at || (slot->hash == hash &&
                          bytes_equal(entry_id(&x->list[slot->at - 1]), id)))
            return slot;
    }
}

uint32_t index_find(const struct index *x, quire_bytes id)
{
    if (x->n_slots == 0 || id.len == 0)
        return NONE;
    return slot_of(x, id, hash_id(x, id))->at - 1; /* 0 - 1 is NONE */
}

bool index_taken(void *index, quire_bytes id)
{
    return index_find(index, id) != NONE;
}

static bool grow_slots(struct index *x)
{
    uint32_t n = x->n_slots ? x->n_slots * 2 : 64, i, k;
    struct index_slot *slots = n ? calloc(n, sizeof *slots) : NULL;

    if (!slots)
        return false;
    for (i = 0; i < x->n_slots; i++) {
        if (!x->slots[i].at)
            continue;
        k = x->slots[i].hash & (n - 1);
        while (slots[k].at)
            k = (k + 1) & (n - 1);
        slots[k] = x->slots[i];
    }
    free(x->slots);
    x->slots = slots;
    x->n_slots = n;
    return true;
}

/* ---- adding ------------------------------------------------------------- */

static bool grow_list(struct index *x)
{
    uint32_t cap = x->cap ? x->cap + x->cap / 2 : 64;
    struct entry *list;

    if (x->n_ids + 1 > x->n_slots / 8 * 7 && !grow_slots(x))
        return false;
    if (x->n < x->cap)
        return true;
    if (cap < x->cap || x->n == NONE - 1)
        return false;
    list = realloc(x->list, cap * sizeof *list);
    if (!list)
        return false;
    x->list = list;
    x->cap = cap;
    return true;
}

static bool set_id(struct index *x, struct entry *e, quire_bytes id)
{
    if (id.len == 0 || id.len > UINT16_MAX)
        return true; /* it cannot be referenced */
    e->id_len = (uint16_t)id.len;
    if (id.len <= sizeof e->id.near) {
        memcpy(e->id.near, id.data, id.len);
        return true;
    }
    e->flags |= ENTRY_FAR_ID;
    e->id.far = arena_dup(&x->text, id).data;
    return e->id.far != NULL;
}

/* Whether an entry has this id, of the length that nearly all have. */
static inline bool is_near(const struct entry *e, quire_bytes id)
{
    return id.len == 8 && e->id_len == 8 &&
           !(e->flags & (ENTRY_SUPERSEDED | ENTRY_FAR_ID)) &&
           !memcmp(e->id.near, id.data, 8);
}

/* Most parents are the entry just before. */
static bool set_parent(struct index *x, struct entry *e,
                       const struct index_line *line)
{
    quire_bytes parent = line->parent;
    struct waiting *w;

    e->parent = line->below - 1; /* 0 - 1 is NONE */
    if (line->below || parent.len == 0)
        return true;
    if (x->n > 0 && is_near(&x->list[x->n - 1], parent))
        e->parent = x->n - 1;
    else
        e->parent = index_find(x, parent);
    if (e->parent != NONE)
        return true;
    w = arena_alloc(&x->text, sizeof *w);
    if (!w)
        return false;
    *w = (struct waiting){x->waiting, x->n, arena_dup(&x->text, parent)};
    if (!w->parent.data)
        return false;
    x->waiting = w;
    e->flags |= ENTRY_ORPHAN;
    return true;
}

bool index_add(struct index *x, const struct index_line *line)
{
    struct entry e = {.at = line->at,
                      .len = line->len,
                      .body = line->body,
                      .type = line->type,
                      .flags = line->flags};
    struct waiting *was = x->waiting;
    struct index_slot *slot;
    uint32_t hash;

    if (!grow_list(x) || !set_id(x, &e, line->id) || !set_parent(x, &e, line)) {
        x->waiting = was;
        return false;
    }
    x->list[x->n++] = e;
    if (!e.id_len)
        return true;
    hash = hash_id(x, entry_id(&x->list[x->n - 1]));
    slot = slot_of(x, entry_id(&x->list[x->n - 1]), hash);
    if (slot->at) {
        x->list[slot->at - 1].flags |= ENTRY_SUPERSEDED;
        x->doubles = true;
    } else {
        x->n_ids++;
    }
    *slot = (struct index_slot){hash, x->n};
    return true;
}

void index_pop(struct index *x)
{
    const struct entry *e = &x->list[x->n - 1];

    assert(x->n > 0 && !(e->flags & ENTRY_ORPHAN));
    if (e->id_len) { /* nothing was added behind it, so freeing its slot is
                      * enough */
        slot_of(x, entry_id(e), hash_id(x, entry_id(e)))->at = 0;
        x->n_ids--;
    }
    x->n--;
}

void index_settle(struct index *x)
{
    struct waiting **at = &x->waiting;
    uint32_t i;

    while (*at) {
        struct waiting *w = *at;
        uint32_t parent = index_find(x, w->parent);

        if (parent == NONE) {
            at = &w->next;
            continue;
        }
        x->list[w->child].parent = parent;
        x->list[w->child].flags &= (uint8_t)~ENTRY_ORPHAN;
        x->forward |= parent >= w->child;
        *at = w->next;
    }
    for (i = 0; x->doubles && i < x->n; i++) {
        struct entry *e = &x->list[i];

        if (e->parent == NONE || !(x->list[e->parent].flags & ENTRY_SUPERSEDED))
            continue;
        e->parent = index_find(x, entry_id(&x->list[e->parent]));
        x->forward |= e->parent >= i;
    }
    x->doubles = false;
}

/* ---- walking ------------------------------------------------------------ */

uint32_t *index_path(const struct index *x, uint32_t leaf, struct arena *keep,
                     uint32_t *n)
{
    uint32_t *path = arena_alloc(keep, (x->n + (size_t)1) * sizeof *path);
    uint32_t at, first = x->n;
    uint64_t *seen = NULL;

    if (x->forward) /* only then can there be a cycle */
        seen = arena_array(keep, x->n / 64 + 1, sizeof *seen);
    if (!path || (x->forward && !seen))
        return NULL;
    /* From the leaf upwards, and so from the end of the array. */
    for (at = leaf; at != NONE; at = x->list[at].parent) {
        uint64_t bit = (uint64_t)1 << at % 64;

        if (seen && (seen[at / 64] & bit))
            break;
        if (seen)
            seen[at / 64] |= bit;
        path[--first] = at;
    }
    *n = x->n - first;
    return path + first;
}

bool index_awaits(const struct index *x, uint32_t below, quire_bytes id)
{
    const struct waiting *w;
    uint32_t steps = 0;

    if (!x->waiting || below == NONE)
        return false;
    while (x->list[below].parent != NONE && steps++ < x->n)
        below = x->list[below].parent;
    for (w = x->waiting; w; w = w->next) {
        if (w->child == below && bytes_equal(w->parent, id))
            return true;
    }
    return false;
}

uint8_t *index_cycles(const struct index *x, struct arena *keep)
{
    uint8_t *in_cycle = arena_array(keep, x->n + (size_t)1, 1);
    uint32_t *walk = arena_array(keep, x->n + (size_t)1, sizeof *walk);
    uint32_t i, at;

    if (!in_cycle || !walk)
        return NULL;
    /* Each walk marks entries with its number and stops at a marked one: its
     * own number means a cycle. So each entry is visited once. */
    for (i = 0; x->forward && i < x->n; i++) {
        for (at = i; at != NONE && !walk[at]; at = x->list[at].parent)
            walk[at] = i + 1;
        while (at != NONE && walk[at] == i + 1 && !in_cycle[at]) {
            in_cycle[at] = 1;
            at = x->list[at].parent;
        }
    }
    return in_cycle;
}

/* search_turns.c - see search_turns.h */
#include "api/search_turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/map.h"
#include "session/jsonl.h"

/* Entries of a session that branches; of one with more, turns of branches are not
 * known. At most 16 MiB. */
enum { IDS_MAX = 1 << 19, IDS_FIRST = 1 << 10 };

/* ---- ids ------------------------------------------------------------------- */

struct id_slot {
    uint64_t hash;
    uint64_t at; /* offset of the line, plus one; 0: free */
};

/* Where the line with an id is. Ids are told apart by 64 bits of a keyed hash. */
struct turn_ids {
    uint64_t seed[2];
    struct id_slot *slots; /* owned; a power of two of them */
    size_t n, size;
    bool full;
};

static struct id_slot *find_slot(const struct turn_ids *ids, uint64_t hash)
{
    size_t i = (size_t)hash & (ids->size - 1);

    while (ids->slots[i].at && ids->slots[i].hash != hash)
        i = (i + 1) & (ids->size - 1);
    return &ids->slots[i];
}

static bool grow_ids(struct turn_ids *ids)
{
    struct turn_ids more = *ids;
    size_t i;

    more.size = ids->size ? 2 * ids->size : IDS_FIRST;
    more.slots = calloc(more.size, sizeof *more.slots);
    if (!more.slots)
        return false;
    for (i = 0; i < ids->size; i++)
        if (ids->slots[i].at)
            *find_slot(&more, ids->slots[i].hash) = ids->slots[i];
    free(ids->slots);
    *ids = more;
    return true;
}

static quire_status add_id(struct turn_ids *ids, quire_bytes id, uint64_t at,
                           quire_error *err)
{
    uint64_t hash = map_hash(ids->seed, id);
    struct id_slot *slot;

    if (id.len == 0 || ids->full)
        return QUIRE_OK;
    if (ids->n >= IDS_MAX) {
        ids->full = true;
        return QUIRE_OK;
    }
    if (2 * ids->n >= ids->size && !grow_ids(ids))
        return err_memory(err);
    slot = find_slot(ids, hash);
    ids->n += slot->at == 0;
    *slot = (struct id_slot){hash, at + 1};
    return QUIRE_OK;
}

/* The content of an id in a line. */
static quire_bytes id_text(const struct jsonl_head *h, struct arena *tmp)
{
    if (json_kind(h->id) != JSON_STRING || json_is(h->type, "session"))
        return bytes_of("", 0);
    return h->plain ? bytes_sub(h->id, 1, h->id.len - 1)
                    : json_text(h->id, tmp);
}

static quire_status read_ids(struct turn_reader *t, uint64_t until,
                             quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct jsonl_value v;
    struct jsonl j;
    bool more = true;
    quire_status st = QUIRE_OK;

    jsonl_init(&j, t->log, 0, 1, false);
    while (!st && !(st = jsonl_next(&j, &v, &more, err)) && more &&
           v.at < until) {
        arena_reset(&tmp);
        if (v.text.len > 0 && v.is_object)
            st = add_id(t->ids, id_text(&v.head, &tmp), v.at, err);
    }
    jsonl_release(&j);
    arena_release(&tmp);
    return st;
}

static quire_status need_ids(struct turn_reader *t, uint64_t until,
                             quire_error *err)
{
    if (t->ids)
        return QUIRE_OK;
    t->ids = calloc(1, sizeof *t->ids);
    if (!t->ids)
        return err_memory(err);
    t->ids->seed[0] = (uint64_t)(uintptr_t)t;
    t->ids->seed[1] = (uint64_t)(uintptr_t)t->ids;
    return read_ids(t, until, err);
}

/* ---- stretches ------------------------------------------------------------- */

/* The stretch with the line at an offset, in either engine: the one in memory has what
 * is behind the home's. */
static quire_status find_stretch(struct search_index *x,
                                 const struct source *source, uint64_t at,
                                 struct arena *keep, struct turn *out,
                                 quire_error *err)
{
    struct engine *list[SEARCH_ENGINES] = {x->pending, x->home};
    quire_status st = QUIRE_NOT_FOUND;
    struct source known;
    int i;

    for (i = 0; i < SEARCH_ENGINES && st == QUIRE_NOT_FOUND; i++) {
        if (!list[i])
            continue;
        st = engine_find_source(list[i], source->kind, source->key, keep,
                                &known, err);
        if (!st && !engine_is_live(list[i], known.number))
            st = QUIRE_NOT_FOUND;
        if (!st)
            st = engine_find_turn(list[i], known.number, at, keep, out, err);
    }
    return st;
}

static void set_id(char to[TURN_ID_MAX], quire_bytes id)
{
    if (id.len >= TURN_ID_MAX)
        id.len = 0;
    if (id.len > 0)
        memcpy(to, id.data, id.len);
    to[id.len] = '\0';
}

/* The turn of a parent is that of `now`, which has no line yet. */
static quire_status take_parent(struct turn_reader *t, uint64_t at,
                                quire_bytes parent, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const struct id_slot *slot;
    struct turn found;
    quire_status st = turn_reader_save(t, err);

    t->is_open = false;
    t->now.number = 0;
    t->first[0] = '\0';
    if (st || parent.len == 0 || !t->log)
        return st;
    st = need_ids(t, at, err);
    if (st || t->ids->size == 0)
        return st;
    slot = find_slot(t->ids, map_hash(t->ids->seed, parent));
    if (slot->at) {
        st = find_stretch(t->x, t->source, slot->at - 1, &tmp, &found, err);
        if (!st) {
            t->now.number = found.number;
            set_id(t->first, bytes_str(found.first));
        }
    } else if (t->ids->full) {
        t->now.number = TURN_UNKNOWN;
    }
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* Begin a stretch with a line. */
static quire_status begin_stretch(struct turn_reader *t,
                                  const struct turn_line *line,
                                  quire_error *err)
{
    quire_status st = turn_reader_save(t, err);

    if (line->is_prompt && t->now.number != TURN_UNKNOWN) {
        t->now.number++;
        set_id(t->first, line->id);
    }
    t->now.at = line->at;
    t->is_open = true;
    return st;
}

bool turn_reader_branches(const struct turn_reader *t, quire_bytes parent)
{
    return t->last[0] && !bytes_is(parent, t->last);
}

quire_status turn_reader_line(struct turn_reader *t,
                              const struct turn_line *line, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (turn_reader_branches(t, line->parent))
        st = take_parent(t, line->at, line->parent, err);
    if (!st && (line->is_prompt || !t->is_open))
        st = begin_stretch(t, line, err);
    if (!st && t->ids)
        st = add_id(t->ids, line->id, line->at, err);
    if (line->id.len > 0)
        set_id(t->last, line->id);
    t->is_changed = true;
    return st;
}

quire_status turn_reader_save(struct turn_reader *t, quire_error *err)
{
    if (!t->is_open || !t->is_changed)
        return QUIRE_OK;
    t->is_changed = false;
    t->now.first = t->first;
    t->now.last = t->last;
    return engine_put_turn(t->to, t->source->number, &t->now, err);
}

quire_status turn_reader_continue(struct turn_reader *t, struct engine *of,
                                  uint32_t number, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct turn found;
    quire_status st = engine_find_turn(of, number, UINT64_MAX, &tmp, &found,
                                       err);

    if (!st) {
        t->now = found;
        set_id(t->first, bytes_str(found.first));
        set_id(t->last, bytes_str(found.last));
        t->is_open = of == t->to;
    }
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

void turn_reader_release(struct turn_reader *t)
{
    if (t->ids)
        free(t->ids->slots);
    free(t->ids);
    t->ids = NULL;
}

/* ---- hits ------------------------------------------------------------------ */

/* The home's engine may have the beginning of a stretch, the one in memory its end. */
static quire_status find_end(struct search_index *x,
                             const struct source *source, struct arena *keep,
                             struct turn *t, quire_error *err)
{
    struct source known;
    struct turn rest, last;
    quire_status st = engine_find_source(x->pending, source->kind, source->key,
                                         keep, &known, err);

    if (!st)
        st = engine_first_turn(x->pending, known.number, keep, &rest, err);
    if (!st)
        st = engine_find_turn(x->home, source->number, UINT64_MAX, keep, &last,
                              err);
    if (!st && last.at == t->at && rest.at > t->at &&
        rest.number == t->number && !strcmp(rest.first, t->first))
        t->last = rest.last;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

quire_status search_find_turn(struct search_index *x, struct engine *e,
                              const struct source *source,
                              const struct place *place, struct arena *keep,
                              struct turn *out, quire_error *err)
{
    quire_status st;

    if (source->kind != SOURCE_SESSION && source->kind != SOURCE_JP)
        return QUIRE_NOT_FOUND;
    st = engine_find_turn(e, source->number, place->offset, keep, out, err);
    if (!st && (out->number == 0 || out->number == TURN_UNKNOWN))
        return QUIRE_NOT_FOUND;
    if (!st && e == x->home && x->pending)
        st = find_end(x, source, keep, out, err);
    return st;
}

/* heads.c - see heads.h */
#include "session/heads.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "session/head.h"

void heads_release(struct heads *h)
{
    free(h->list);
    arena_release(&h->text);
    *h = (struct heads){.list = NULL};
}

/* ---- names -------------------------------------------------------------- */

/* The number of a name; false when out of memory. */
static bool find_name(struct heads *h, struct heads_names **of,
                      quire_bytes name, uint8_t *out)
{
    struct heads_names *names = *of;
    uint32_t i;

    if (!names) {
        names = *of = arena_array(&h->text, 1, sizeof *names);
        if (!names)
            return false;
        names->list[0] = "";
        names->n = 1;
    }
    if (!bytes_is(name, names->list[names->last])) {
        for (i = 0; i < names->n && !bytes_is(name, names->list[i]);)
            i++;
        if (i == HEADS_NAMES)
            i = HEADS_NAMES - 1;
        if (i == names->n) {
            names->list[i] = i == HEADS_NAMES - 1 ? "other"
                                                  : arena_text(&h->text, name);
            if (!names->list[i])
                return false;
            names->n++;
        }
        names->last = i;
    }
    *out = (uint8_t)names->last;
    return true;
}

/* ---- rows --------------------------------------------------------------- */

static uint32_t cap32(uint64_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static bool set_row(struct heads *h, const struct head *head,
                    struct head_row *row)
{
    *row = (struct head_row){
        .time_ms = head->time_ms,
        .cost_nano_usd = head->cost_nano_usd,
        .input = cap32(head->input),
        .output = cap32(head->output),
        .cached = cap32(head->cache_read + head->cache_write),
        .lines = head->lines,
        .calls = head->calls < UINT16_MAX ? (uint16_t)head->calls : UINT16_MAX,
        .flags = (uint16_t)head->flags,
    };
    return find_name(h, &h->types, head->type, &row->type) &&
           find_name(h, &h->roles, head->role, &row->role) &&
           find_name(h, &h->tools, head->tool, &row->tool) &&
           find_name(h, &h->models, head->model, &row->model);
}

quire_status heads_make_room(struct heads *h, uint32_t n, quire_error *err)
{
    struct head_row *grown;
    uint32_t cap = h->cap;

    if (n <= cap)
        return QUIRE_OK;
    cap = n > UINT32_MAX - n / 4 - 16 ? n : n + n / 4 + 16;
    grown = realloc(h->list, cap * sizeof *grown);
    if (!grown)
        return err_memory(err);
    h->list = grown;
    h->cap = cap;
    return QUIRE_OK;
}

quire_status heads_add(struct heads *h, const struct head *head,
                       quire_error *err)
{
    if (!set_row(h, head, &h->list[h->n]))
        return err_memory(err);
    h->n++;
    return QUIRE_OK;
}

/* calls.c - see calls.h */
#include "import/calls.h"

void calls_add(struct calls *calls, quire_bytes id, quire_bytes name,
               uint32_t node)
{
    struct tree_key key = tree_key_other(id);
    struct call *c = &calls->ring[calls->next];

    memcpy(c->key, key.bytes, sizeof c->key);
    c->node = node;
    c->answered = 0;
    short_json_set(&c->name, name);
    calls->next = (calls->next + 1) % CALLS_MAX;
    calls->n += calls->n < CALLS_MAX;
}

struct call *calls_find(struct calls *calls, quire_bytes id)
{
    struct tree_key key = tree_key_other(id);
    uint32_t i, at = calls->next;

    for (i = 0; i < calls->n; i++) {
        at = (at + CALLS_MAX - 1) % CALLS_MAX;
        if (!memcmp(calls->ring[at].key, key.bytes, sizeof key.bytes))
            return &calls->ring[at];
    }
    return NULL;
}

/* Oldest first, names without their free room. */
void calls_save(const struct calls *calls, struct buf *out)
{
    uint32_t i, at = calls->next + CALLS_MAX - calls->n;

    state_put(out, &calls->n, sizeof calls->n);
    for (i = 0; i < calls->n; i++, at++) {
        const struct call *c = &calls->ring[at % CALLS_MAX];

        state_put(out, c->key, sizeof c->key);
        state_put(out, &c->node, sizeof c->node);
        state_put(out, &c->answered, sizeof c->answered);
        state_put_bytes(out, short_json_get(&c->name));
    }
}

void calls_restore(struct calls *calls, uint32_t n_nodes,
                   struct state_reader *r)
{
    uint32_t i;

    *calls = (struct calls){.n = 0};
    state_get(r, &calls->n, sizeof calls->n);
    if (calls->n > CALLS_MAX) {
        calls->n = 0;
        r->bad = true;
    }
    for (i = 0; i < calls->n; i++) {
        struct call *c = &calls->ring[i];

        state_get(r, c->key, sizeof c->key);
        state_get(r, &c->node, sizeof c->node);
        state_get(r, &c->answered, sizeof c->answered);
        short_json_set(&c->name, state_get_bytes(r));
        r->bad |= c->node >= n_nodes;
    }
    calls->next = calls->n % CALLS_MAX;
}

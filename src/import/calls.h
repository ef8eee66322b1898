/*
 * calls.h - the last tool calls, for their results
 *
 * A result names its call by id only; our entry has the tool's name as well. A
 * result may also come twice. The last CALLS_MAX calls are remembered.
 */
#ifndef IMPORT_CALLS_H
#define IMPORT_CALLS_H

#include "import/hold.h"
#include "import/tree.h"

enum { CALLS_MAX = 256 };

struct call {
    uint8_t key[16];
    uint32_t node; /* of the answer */
    uint32_t answered;
    struct short_json name;
};

struct calls {
    struct call ring[CALLS_MAX];
    uint32_t n, next;
};

/* `id` is decoded, `name` a JSON string. */
void calls_add(struct calls *calls, quire_bytes id, quire_bytes name,
               uint32_t node);

/* NULL: not among the last. */
struct call *calls_find(struct calls *calls, quire_bytes id);

void calls_save(const struct calls *calls, struct buf *out);
void calls_restore(struct calls *calls, uint32_t n_nodes,
                   struct state_reader *r);

#endif

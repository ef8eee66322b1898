/* place.c - below the leaf; see codex.h */
#include "import/codex/codex.h"

uint32_t codex_place(struct import_converter *c, uint32_t part,
                     uint32_t *parent)
{
    uint32_t node;

    *parent = tree_tail(&c->tree, c->leaf);
    node = convert_part(c, part);
    if (node != TREE_NONE)
        c->leaf = node;
    return node;
}

quire_status codex_custom(struct import_converter *c, uint32_t part,
                          quire_bytes name, quire_bytes data, quire_error *err)
{
    uint32_t parent, node = codex_place(c, part, &parent);

    if (node == TREE_NONE)
        return err_memory(err);
    return entry_custom(c, node, parent, name, data, err);
}

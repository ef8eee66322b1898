/* linear.c - see linear.h */
#include "import/linear.h"

#include "import/value.h"

uint32_t linear_place(struct import_converter *c, uint32_t part,
                      uint32_t *parent)
{
    uint32_t node;

    *parent = tree_tail(&c->tree, c->leaf);
    node = convert_part(c, part);
    if (node != TREE_NONE)
        c->leaf = node;
    return node;
}

uint32_t linear_place_id(struct import_converter *c, quire_bytes id,
                         uint32_t *n_parts, uint32_t *parent)
{
    uint32_t node = TREE_NONE;

    *parent = tree_tail(&c->tree, c->leaf);
    if (value_has_text(id))
        node = convert_node(c, id);
    if (node == TREE_NONE && !c->tree.failed)
        node = convert_part(c, (*n_parts)++);
    if (node != TREE_NONE)
        c->leaf = node;
    return node;
}

quire_status linear_custom(struct import_converter *c, uint32_t part,
                           quire_bytes name, quire_bytes data, quire_error *err)
{
    uint32_t parent, node = linear_place(c, part, &parent);

    if (node == TREE_NONE)
        return err_memory(err);
    return entry_custom(c, node, parent, name, data, err);
}

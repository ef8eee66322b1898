/* parents.c - see parents.h */
#include "import/parents.h"

#include "import/value.h"

/* The node of the parent; TREE_NONE: a root. */
static uint32_t find_up(struct import_converter *c, quire_bytes parent)
{
    uint32_t up;

    if (!value_has_text(parent))
        return TREE_NONE;
    up = convert_find(c, parent);
    if (up != TREE_NONE)
        return up;
    convert_problem(c, 0, "missing_parent", "its parent is not in the file");
    /* Most probably the parent was in the part that cannot be read. */
    return c->after_damage ? c->leaf : TREE_NONE;
}

/* A node; TREE_NONE: the id is taken. */
static uint32_t claim(struct import_converter *c, quire_bytes id)
{
    uint32_t node = convert_node(c, id);

    if (node == TREE_NONE && !c->tree.failed) {
        convert_problem(c, 0, "duplicate_id", "a second record with its id");
        counts_add(&c->counts, "kept", bytes_str("duplicate"),
                   bytes_of(NULL, 0));
    }
    return node;
}

bool parents_place(struct import_converter *c, quire_bytes id,
                   quire_bytes parent, struct parents_place *p)
{
    uint32_t up = find_up(c, parent);

    p->node = claim(c, id);
    if (p->node == TREE_NONE)
        return false;
    p->above = tree_tail(&c->tree, up);
    c->after_damage = false;
    c->leaf = p->node;
    return true;
}

bool parents_next(struct import_converter *c, struct parents_place *p,
                  uint32_t part)
{
    struct tree_key key;
    uint32_t record = c->leaf, node;

    key.form = (enum tree_form)c->tree.nodes[record].form;
    memcpy(key.bytes, c->tree.nodes[record].key, sizeof key.bytes);
    key = tree_key_part(key, part);
    if (tree_find(&c->tree, &key) != TREE_NONE)
        key = tree_key_place(c->source, c->at, part);
    if (tree_find(&c->tree, &key) != TREE_NONE)
        return false;
    node = tree_add(&c->tree, &key);
    if (node == TREE_NONE)
        return false;
    p->above = tree_tail(&c->tree, record);
    tree_extend(&c->tree, record, node);
    p->node = node;
    return true;
}

void parents_skip(struct import_converter *c, quire_bytes id,
                  quire_bytes parent)
{
    uint32_t up = find_up(c, parent), node = claim(c, id);

    if (node == TREE_NONE)
        return;
    c->tree.nodes[node].entry = up == TREE_NONE ? TREE_NONE
                                                : c->tree.nodes[up].entry;
    if (c->tree.nodes[node].entry != TREE_NONE)
        c->leaf = node;
}

/* place.c - where a record goes in the tree; see claude_code.h */
#include "import/claude_code/claude_code.h"

static const quire_bytes none = {NULL, 0};

/* The node of the parent; TREE_NONE: the record is a root. */
static uint32_t find_up(struct import_converter *c, quire_bytes parent,
                        bool sidechain)
{
    uint32_t up;

    if (json_kind(parent) != JSON_STRING)
        return sidechain ? TREE_NONE : claude_of(c)->root;
    up = convert_find(c, parent);
    if (up != TREE_NONE)
        return up;
    convert_problem(c, 0, "missing_parent", "its parent is not in the file");
    /* Most probably the parent was in the part that cannot be read. */
    if (c->after_damage && !sidechain)
        return c->leaf;
    return TREE_NONE;
}

/* A node for the record; false: its uuid is taken. */
bool claude_claim(struct import_converter *c, const struct line *l,
                  uint32_t *node)
{
    *node = convert_node(c, l->of[LINE_UUID]);
    if (*node == TREE_NONE && !c->tree.failed) {
        convert_problem(c, 0, "duplicate_id", "a second record with its uuid");
        counts_add(&c->counts, "kept", bytes_str("duplicate"), none);
    }
    return *node != TREE_NONE;
}

bool claude_find_place(struct import_converter *c, const struct line *l,
                       quire_bytes parent, struct place *p)
{
    p->sidechain = c->sidechain;
    p->up = find_up(c, parent, p->sidechain);
    if (!claude_claim(c, l, &p->node))
        return false;
    p->parent = tree_tail(&c->tree, p->up);
    c->after_damage = false;
    return true;
}

/* The record is in the tree: here the session continues. */
void claude_set_leaf(struct import_converter *c, const struct place *p)
{
    if (p->sidechain)
        claude_of(c)->side_leaf = p->node;
    else
        c->leaf = p->node;
}

/* It belongs to the step of its parent. */
void claude_join_chain(struct import_converter *c, const struct place *p)
{
    if (p->up != TREE_NONE)
        tree_extend(&c->tree, p->up, p->node);
    claude_set_leaf(c, p);
}

/*
 * compact.c - compactions
 *
 * A compact_boundary and the summary behind it are two records and one entry,
 * at the place of the boundary. Until the summary comes the boundary is a node
 * without an entry.
 */
#include "import/claude_code/claude_code.h"

static const quire_bytes none = {NULL, 0};

/* A boundary without a summary: the context begins anew all the same. */
quire_status claude_end_boundary(struct import_converter *c, quire_error *err)
{
    struct claude *s = claude_of(c);
    uint32_t node = s->boundary;

    if (node == TREE_NONE)
        return QUIRE_OK;
    s->boundary = TREE_NONE;
    entry_begin(c, "reset_boundary", node, tree_tail(&c->tree, s->boundary_up));
    c->leaf = node;
    return entry_end(c, node, err);
}

/* The records that a compaction keeps stand before it. */
static uint32_t find_kept(struct import_converter *c, quire_bytes segment)
{
    uint32_t kept = TREE_NONE;

    if (json_kind(segment) == JSON_OBJECT)
        kept = convert_find(c, json_get(segment, "headUuid"));
    return kept == TREE_NONE ? TREE_NONE : c->tree.nodes[kept].entry;
}

static void read_boundary(struct import_converter *c, quire_bytes metadata)
{
    struct json_want w[] = {JSON_WANT("preTokens"), JSON_WANT("trigger"),
                            JSON_WANT("preservedSegment")};
    struct claude *s = claude_of(c);

    json_pick(metadata, w, 3, NULL);
    s->boundary_tokens.len = s->boundary_trigger.len = 0;
    if (json_kind(w[0].value) == JSON_NUMBER)
        short_json_set(&s->boundary_tokens, w[0].value);
    if (json_kind(w[1].value) == JSON_STRING)
        short_json_set(&s->boundary_trigger, w[1].value);
    s->boundary_kept = find_kept(c, w[2].value);
}

/* It has no parent of its own. The record it names as the logical one may be
 * written again behind it: then it follows the last one. */
quire_status claude_begin_boundary(struct import_converter *c,
                                   const struct line *l, quire_error *err)
{
    struct claude *s = claude_of(c);
    quire_bytes parent = l->of[LINE_PARENT];
    struct place p;

    if (json_kind(parent) != JSON_STRING)
        parent = l->of[LINE_LOGICAL_PARENT];
    p.up = convert_find(c, parent);
    if (p.up == TREE_NONE)
        p.up = c->leaf;
    if (!claude_claim(c, l, &p.node))
        return QUIRE_OK;
    read_boundary(c, l->of[LINE_COMPACT_METADATA]);
    s->boundary = p.node;
    s->boundary_up = p.up;
    return hold_close_above(c, tree_tail(&c->tree, p.up), err);
}

/* The texts of a summary as one JSON string: nearly always it is one. */
static quire_status add_summary(struct import_converter *c, quire_bytes content,
                                uint32_t node, quire_error *err)
{
    quire_bytes text = blocks_first_text(content);

    ADD(&c->out, ",\"summary\":");
    if (!text.data)
        text = bytes_str("\"\"");
    return entry_payload(c, IMPORT_TEXT, text, none, none, node, &c->out, err);
}

static quire_status add_compaction(struct import_converter *c, uint32_t node,
                                   uint32_t parent, quire_bytes content,
                                   quire_error *err)
{
    struct claude *s = claude_of(c);
    uint32_t kept = s->boundary_kept;
    char id[TREE_ID_SIZE];
    quire_status st;

    entry_begin(c, "compaction", node, parent);
    st = add_summary(c, content, node, err);
    /* Its own id: nothing is kept. */
    if (kept == TREE_NONE)
        kept = node;
    ADD(&c->out, ",\"firstKeptEntryId\":\"");
    buf_add(&c->out, id, tree_id(&c->tree, kept, id));
    buf_add_char(&c->out, '"');
    entry_raw(c, "tokensBefore",
              s->boundary_tokens.len ? short_json_get(&s->boundary_tokens)
                                     : bytes_str("0"));
    if (s->boundary_trigger.len > 2) {
        entry_raw(c, "details", bytes_str("{\"trigger\":"));
        add_bytes(&c->out, short_json_get(&s->boundary_trigger));
        buf_add_char(&c->out, '}');
    }
    s->boundary_tokens.len = s->boundary_trigger.len = 0;
    s->boundary_kept = TREE_NONE;
    return st ? st : entry_end(c, node, err);
}

quire_status claude_compact_summary(struct import_converter *c,
                                    const struct line *l, quire_error *err)
{
    struct claude *s = claude_of(c);
    struct place p;
    quire_status st;

    if (s->boundary != TREE_NONE) {
        p = (struct place){.up = s->boundary, .node = TREE_NONE};
        if (!claude_claim(c, l, &p.node))
            return QUIRE_OK;
        c->tree.nodes[p.node].entry = s->boundary;
        p.node = s->boundary;
        p.parent = tree_tail(&c->tree, s->boundary_up);
        s->boundary = TREE_NONE;
    } else if (!claude_find_place(c, l, l->of[LINE_PARENT], &p)) {
        return QUIRE_OK;
    }
    st = hold_close_above(c, p.parent, err);
    if (!st)
        st = add_compaction(c, p.node, p.parent, l->message[MESSAGE_CONTENT],
                            err);
    claude_set_leaf(c, &p);
    return st;
}

/*
 * json_tree.c - a document as nodes
 *
 * A node is two slices, its key and its bytes, and five links. Parsing creates
 * one for each value, in the order of the text, and decodes nothing; so the
 * tree costs little more than the scan under it, and an untouched document is
 * still the bytes of its root.
 *
 * A change marks the containers around it, up to the root, as touched: their
 * own bytes are out of date and they are written from their children. All other
 * nodes keep their bytes.
 *
 *        root *               * touched: written as {, members, }
 *       /    \                  the rest: copied whole
 *     a       b *
 *           / | \
 *         c   d   e  <- set
 *
 * Invariants:
 *
 *   (1) A touched node is a container, and so are all above it, touched.
 *   (2) A child's key has an address exactly if its parent is an object.
 *   (3) Links agree: first and last begin and end the chain of next, prev is
 *       its mirror, and every child on it names its parent.
 *
 * The links are also the stack: walking down and back up needs none.
 */
#include "base/json.h"

#include <assert.h>

#include "base/bytes.h"

/* (1): if a node is touched, so is everything above it. */
static void mark_touched(struct json_node *node)
{
    for (; node && !node->touched; node = node->parent)
        node->touched = true;
}

static void link_child(struct json_node *parent, struct json_node *child,
                       struct json_node *before)
{
    child->parent = parent;
    child->next = before;
    child->prev = before ? before->prev : parent->last;
    if (child->prev)
        child->prev->next = child;
    else
        parent->first = child;
    if (before)
        before->prev = child;
    else
        parent->last = child;
}

static void unlink_child(struct json_node *node)
{
    struct json_node *parent = node->parent;

    if (node->prev)
        node->prev->next = node->next;
    else
        parent->first = node->next;
    if (node->next)
        node->next->prev = node->prev;
    else
        parent->last = node->prev;
    node->parent = node->next = node->prev = NULL;
    node->key = bytes_of(NULL, 0);
}

/* ---- reading ----------------------------------------------------------- */

static struct json_node *add_node(struct arena *arena,
                                  const struct json_scan *s,
                                  struct json_node *parent)
{
    struct json_node *node = arena_alloc(arena, sizeof *node);

    if (!node)
        return NULL;
    *node = (struct json_node){.key = s->key,
                               .raw = s->value,
                               .kind = json_kind(s->value)};
    if (parent)
        link_child(parent, node, NULL);
    return node;
}

struct json_node *json_tree_read(quire_bytes text, struct arena *arena,
                                 struct json_error *error)
{
    struct json_node *root = NULL, *parent = NULL, *node;
    struct json_scan s;

    json_scan_init(&s, text);
    for (;;) {
        enum json_step step = json_scan_next(&s);

        switch (step) {
        case JSON_STEP_END: return root;
        case JSON_STEP_BAD: goto fail;
        case JSON_STEP_CLOSE:
            assert(parent); /* the scanner pairs brackets */
            parent->raw.len = (size_t)(s.at - (const char *)parent->raw.data);
            parent = parent->parent;
            continue;
        case JSON_STEP_SCALAR:
        case JSON_STEP_OPEN:
            node = add_node(arena, &s, parent);
            if (!node)
                goto fail;
            if (!root)
                root = node;
            if (step == JSON_STEP_OPEN)
                parent = node;
        }
    }
fail:
    if (error)
        *error = s.error;
    return NULL;
}

/* ---- writing ----------------------------------------------------------- */

static void add_bracket(struct buf *out, const struct json_node *node,
                        const char *object_array)
{
    buf_add_char(out, object_array[node->kind == JSON_ARRAY]);
}

void json_tree_write(const struct json_node *root, struct buf *out)
{
    const struct json_node *node = root;

    for (;;) {
        if (node != root && node->key.data) {
            buf_add(out, node->key.data, node->key.len);
            buf_add_char(out, ':');
        }
        if (!node->touched) {
            buf_add(out, node->raw.data, node->raw.len);
        } else {
            add_bracket(out, node, "{[");
            if (node->first) {
                node = node->first;
                continue;
            }
            add_bracket(out, node, "}]");
        }
        while (node != root && !node->next) {
            node = node->parent;
            add_bracket(out, node, "}]");
        }
        if (node == root)
            return;
        buf_add_char(out, ',');
        node = node->next;
    }
}

/* ---- look-ups ----------------------------------------------------------- */

struct json_node *json_tree_get(const struct json_node *node, const char *key)
{
    struct json_node *child;

    if (!node || node->kind != JSON_OBJECT)
        return NULL;
    for (child = node->last; child; child = child->prev)
        if (json_is(child->key, key))
            break;
    return child;
}

struct json_node *json_tree_at(const struct json_node *node, size_t index)
{
    struct json_node *child;

    if (!node || node->kind != JSON_ARRAY)
        return NULL;
    for (child = node->first; child && index; index--)
        child = child->next;
    return child;
}

/* ---- comparing --------------------------------------------------------- */

static bool equal_strings(quire_bytes a, quire_bytes b, struct arena *arena)
{
    quire_bytes text;

    if (bytes_equal(a, b))
        return true;
    text = json_text(b, arena);
    return text.data && json_equal(a, text);
}

/* Whether two nodes are equal apart from their children. */
static bool equal_shallow(const struct json_node *a, const struct json_node *b,
                          struct arena *arena)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == JSON_STRING)
        return equal_strings(a->raw, b->raw, arena);
    return a->kind == JSON_ARRAY || a->kind == JSON_OBJECT ||
           bytes_equal(a->raw, b->raw);
}

/* The number of members searched for one that is in another place in the other
 * object: searching all of a hundred thousand, for each of them, would take a
 * day. */
enum { LOOKED_AT_MAX = 256 };

/* The child of `parent` that has the key of `a`: mostly `b`, as writers keep to
 * an order. */
static const struct json_node *find_member_like(const struct json_node *a,
                                                const struct json_node *parent,
                                                const struct json_node *b,
                                                struct arena *arena)
{
    unsigned n = 0;

    if (!a->key.data || (b && equal_strings(a->key, b->key, arena)))
        return b;
    for (b = parent->last; b && n++ < LOOKED_AT_MAX; b = b->prev)
        if (equal_strings(a->key, b->key, arena))
            return b;
    return NULL;
}

static size_t count_children(const struct json_node *node)
{
    const struct json_node *child;
    size_t n = 0;

    for (child = node->first; child; child = child->next)
        n++;
    return n;
}

bool json_tree_same(const struct json_node *a, const struct json_node *b,
                    struct arena *arena)
{
    const struct json_node *root = a, *at = b;

    for (;;) {
        if (!at || !equal_shallow(a, at, arena) ||
            count_children(a) != count_children(at))
            return false;
        if (a->first) {
            a = a->first;
            at = find_member_like(a, at, at->first, arena);
            continue;
        }
        while (a != root && !a->next) {
            a = a->parent;
            at = at->parent;
        }
        if (a == root)
            return true;
        a = a->next;
        at = find_member_like(a, at->parent, at->next, arena);
    }
}

/* ---- changing ---------------------------------------------------------- */

/* A container set by json_tree_set() has content but no children: adding to it
 * as if it were empty would lose the content. */
static bool is_opaque(const struct json_node *node)
{
    struct json_scan it;

    if (node->touched || node->first)
        return false;
    json_iter_init(&it, node->raw);
    return json_next(&it);
}

void json_tree_set(struct json_node *node, quire_bytes json)
{
    node->raw = json;
    node->kind = json_kind(json);
    assert(node->kind != JSON_ABSENT);
    node->first = node->last = NULL;
    node->touched = false;
    mark_touched(node->parent);
}

void json_tree_replace(struct json_node *node, struct json_node *with)
{
    struct json_node *parent = node->parent, *before = node->next;
    quire_bytes key = node->key;

    assert(parent && !with->parent);
    unlink_child(node);
    link_child(parent, with, before);
    with->key = key;
    mark_touched(parent);
}

bool json_tree_insert(struct json_node *parent, const char *key,
                      struct json_node *child, struct json_node *before,
                      struct arena *arena)
{
    struct buf quoted = BUF_INIT(SIZE_MAX / 2);
    quire_bytes kept = {NULL, 0};

    assert(parent->kind == (key ? JSON_OBJECT : JSON_ARRAY));
    assert(!is_opaque(parent));
    assert(!child->parent && (!before || before->parent == parent));
    if (key) {
        json_add_quoted(&quoted, bytes_str(key));
        if (!quoted.failed)
            kept = arena_dup(arena, buf_bytes(&quoted));
        buf_release(&quoted);
        if (!kept.data)
            return false;
    }
    link_child(parent, child, before);
    child->key = kept;
    mark_touched(parent);
    return true;
}

void json_tree_remove(struct json_node *node)
{
    struct json_node *parent = node->parent;

    assert(parent);
    unlink_child(node);
    mark_touched(parent);
}

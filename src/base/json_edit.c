/*
 * json_edit.c - replace spans of a text, copy the rest
 *
 * An edit is a span and its replacement. Edits are collected, sorted by place
 * and applied in one pass, so a change costs one copy of the text, however many
 * edits there are and whatever their order.
 *
 * Spans for values are the values themselves. Members are harder because a
 * comma belongs to two members at once. In
 *
 *     { "a" : 1 , "b" : 2 , "c" : 3 }
 *
 * a removed member takes everything since the end of the value before it (so
 * "c" takes the comma in front), unless no member before it stays; then it
 * takes everything up to the next key (so "a" takes the comma behind). Either
 * way the remaining members are separated by single commas, and one pass over
 * the members, in order, decides which case applies. That is why all changes to
 * one object come in one call.
 *
 * Edits of one list, as json_splice() asserts:
 *
 *   (1) Each lies within the text.
 *   (2) No two overlap. Adjacent is fine; insertions at one place keep the
 *       order in which they were made.
 */
#include "base/json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json_priv.h"

void json_edits_init(struct json_edits *e, quire_bytes text,
                     struct arena *arena)
{
    *e = (struct json_edits){.text = text, .arena = arena};
}

/* Capacity doubles; the abandoned memory in the arena is at most as large as
 * the list itself. */
static bool grow_edits(struct json_edits *e)
{
    size_t cap = e->cap ? e->cap * 2 : 8;
    struct json_edit *list;

    if (e->n < e->cap)
        return true;
    list = arena_array(e->arena, cap, sizeof *list);
    if (!list) {
        e->failed = true;
        return false;
    }
    if (e->n)
        memcpy(list, e->list, e->n * sizeof *list);
    e->list = list;
    e->cap = cap;
    return true;
}

static void add_edit(struct json_edits *e, const char *from, const char *to,
                     quire_bytes with)
{
    const char *start = e->text.data;

    if (e->failed || !grow_edits(e))
        return;
    e->list[e->n] = (struct json_edit){
        .from = (size_t)(from - start),
        .to = (size_t)(to - start),
        .with = with,
        .order = e->n,
    };
    e->n++;
}

static const char *start_of(quire_bytes b)
{
    return b.data;
}

static const char *end_of(quire_bytes b)
{
    return start_of(b) + b.len;
}

void json_edit_value(struct json_edits *e, quire_bytes old, quire_bytes with)
{
    add_edit(e, start_of(old), end_of(old), with);
}

/* ---- members ----------------------------------------------------------- */

/* One pass over the members of one object. */
struct pass {
    struct json_edits *edits;
    const struct json_change *changes;
    size_t n_changes;
    bool *done;       /* for each change: its key was found */
    bool any_stays;   /* a member so far is kept */
    bool reaches_on;  /* the last edit extends to the next key */
    const char *tail; /* end of the last value; before that, the bracket's */
};

static size_t find_change(const struct pass *p, quire_bytes key)
{
    size_t i;

    for (i = 0; i < p->n_changes; i++)
        if (json_is(key, p->changes[i].key))
            break;
    return i;
}

static void remove_member(struct pass *p, const struct json_scan *it)
{
    const char *from = p->any_stays ? p->tail : start_of(it->key);

    add_edit(p->edits, from, end_of(it->value), bytes_of(NULL, 0));
    p->reaches_on = !p->any_stays;
}

static void extend_last_edit(struct json_edits *e, const char *to)
{
    e->list[e->n - 1].to = (size_t)(to - start_of(e->text));
}

static void pass_member(struct pass *p, const struct json_scan *it)
{
    struct json_edits *e = p->edits;
    size_t i = find_change(p, it->key);

    if (p->reaches_on && !e->failed)
        extend_last_edit(e, start_of(it->key));
    p->reaches_on = false;

    if (i == p->n_changes) {
        p->any_stays = true;
    } else if (p->done[i] || !p->changes[i].value.data) {
        remove_member(p, it);
    } else {
        json_edit_value(e, it->value, p->changes[i].value);
        p->any_stays = true;
    }
    if (i < p->n_changes)
        p->done[i] = true;
    p->tail = end_of(it->value);
}

/* The key and the value are two insertions, so that a value of megabytes is not
 * copied to be next to its key. */
static void append_member(struct pass *p, const struct json_change *c)
{
    struct json_edits *e = p->edits;
    struct buf head = BUF_INIT(SIZE_MAX / 2);
    quire_bytes kept = {NULL, 0};

    if (p->any_stays)
        buf_add_char(&head, ',');
    json_add_quoted(&head, bytes_str(c->key));
    buf_add_char(&head, ':');
    if (!head.failed)
        kept = arena_dup(e->arena, buf_bytes(&head));
    buf_release(&head);
    if (!kept.data) {
        e->failed = true;
        return;
    }
    add_edit(e, p->tail, p->tail, kept);
    add_edit(e, p->tail, p->tail, c->value);
    p->any_stays = true;
}

bool json_edit_members(struct json_edits *e, quire_bytes object,
                       const struct json_change *changes, size_t n_changes,
                       struct json_error *error)
{
    struct pass p = {.edits = e, .changes = changes, .n_changes = n_changes};
    size_t n_before = e->n, i;
    struct json_scan it;

    p.done = arena_array(e->arena, n_changes, sizeof *p.done);
    if (!p.done) {
        e->failed = true;
        return true;
    }
    json_iter_object(&it, object);
    if (!it.error.why)
        p.tail = end_of(it.value);
    while (json_next(&it))
        pass_member(&p, &it);
    if (it.error.why) {
        e->n = n_before;
        if (error)
            *error = it.error;
        return false;
    }
    for (i = 0; i < n_changes; i++)
        if (!p.done[i] && changes[i].value.data)
            append_member(&p, &changes[i]);
    return true;
}

/* ---- applying ---------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct json_edit *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void json_splice(struct json_edits *e, struct buf *out)
{
    size_t at = 0, i;

    if (e->failed) {
        out->failed = true;
        return;
    }
    if (e->n)
        qsort(e->list, e->n, sizeof *e->list, by_place);
    for (i = 0; i < e->n; i++) {
        const struct json_edit *edit = &e->list[i];

        assert(at <= edit->from);
        assert(edit->from <= edit->to && edit->to <= e->text.len);
        buf_add(out, start_of(e->text) + at, edit->from - at);
        buf_add(out, edit->with.data, edit->with.len);
        at = edit->to;
    }
    if (at < e->text.len)
        buf_add(out, start_of(e->text) + at, e->text.len - at);
}

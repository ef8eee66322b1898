/* json_strings.c - see json_strings.h */
#include "base/json_strings.h"

#include <string.h>

#include "base/bytes.h"

struct walk {
    struct json_scan scan;
    struct json_place place[JSON_MAX_DEPTH];
    unsigned depth;
};

/* The number of the item that has just been found in the innermost container. */
static size_t count_item(struct walk *w)
{
    return w->depth ? w->place[w->depth - 1].n++ : 0;
}

static void open_place(struct walk *w)
{
    size_t index = count_item(w);

    w->place[w->depth++] = (struct json_place){.at = w->scan.value.data,
                                               .key = w->scan.key,
                                               .index = index};
}

bool json_strings(quire_bytes json, json_string_fn each, void *ctx)
{
    struct walk w = {.depth = 0};
    enum json_step step;

    json_scan_init(&w.scan, json);
    while ((step = json_scan_next(&w.scan)) != JSON_STEP_END) {
        struct json_string s = {.text = json,
                                .value = w.scan.value,
                                .key = w.scan.key,
                                .place = w.place};

        if (step == JSON_STEP_BAD)
            return false;
        if (step == JSON_STEP_OPEN) {
            open_place(&w);
        } else if (step == JSON_STEP_CLOSE) {
            w.depth--;
        } else {
            s.index = count_item(&w);
            s.depth = w.depth;
            if (json_kind(s.value) == JSON_STRING && !each(ctx, &s))
                return false;
        }
    }
    return true;
}

/* ---- JSON pointers ------------------------------------------------------ */

static void add_step(struct buf *out, quire_bytes key, size_t index)
{
    struct buf name = BUF_INIT(1 << 20);
    size_t i;

    buf_add_str(out, "/");
    if (!key.data) {
        buf_addf(out, "%zu", index);
        return;
    }
    json_decode(key, &name);
    for (i = 0; i < name.len; i++) {
        if (name.data[i] == '~' || name.data[i] == '/')
            buf_addf(out, "~%c", name.data[i] == '~' ? '0' : '1');
        else
            buf_add(out, name.data + i, 1);
    }
    buf_release(&name);
}

void json_pointer_add(const struct json_string *s, struct buf *out)
{
    unsigned i;

    for (i = 1; i < s->depth; i++)
        add_step(out, s->place[i].key, s->place[i].index);
    if (s->depth)
        add_step(out, s->key, s->index);
}

struct lookup {
    quire_bytes pointer, value;
    struct buf text;
};

/* Only strings at the right depth are spelled out. */
static bool is_at(void *ctx, const struct json_string *s)
{
    struct lookup *l = ctx;

    if (bytes_count(l->pointer, '/') != s->depth)
        return true;
    buf_clear(&l->text);
    json_pointer_add(s, &l->text);
    if (l->text.failed || !bytes_equal(buf_bytes(&l->text), l->pointer))
        return true;
    l->value = s->value;
    return false;
}

quire_bytes json_at_pointer(quire_bytes json, quire_bytes pointer)
{
    struct lookup l = {.pointer = pointer, .text = BUF_INIT(1 << 22)};

    json_strings(json, is_at, &l);
    buf_release(&l.text);
    return l.value;
}

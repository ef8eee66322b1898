/* turns.c - see turns.h */
#include "view/turns.h"

#include "base/err.h"
#include "base/map.h"

struct call {
    quire_bytes id, tool, summary; /* in the graph's arena                   */
    quire_bytes entry;
    int64_t start_ms, end_ms; /* `end_ms` 0: no result                        */
    uint64_t output_bytes;
    size_t position; /* of the answer that made it                            */
    bool error;
};

struct turns {
    struct view_graph *g;
    struct json_writer *w;
    size_t *positions; /* of the entries that are read                        */
    size_t read;
    struct call *calls;
    size_t n_calls, cap;
    struct map by_id;
};

/* ---- calls -------------------------------------------------------------- */

static quire_bytes keep_text(struct turns *t, quire_bytes value)
{
    struct arena *keep = &t->g->keep;
    quire_bytes text;

    if (json_kind(value) != JSON_STRING)
        return bytes_str("");
    text = json_text(value, keep);
    return text.data ? arena_dup(keep, text) : text;
}

/* The argument that says most, cut: its first string. */
static quire_bytes summarize(struct turns *t, quire_bytes arguments)
{
    static const char *const best[] = {"command", "cmd",         "file_path",
                                       "path",    "pattern",     "query",
                                       "url",     "description", "prompt",
                                       NULL};
    quire_bytes value = bytes_of(NULL, 0), text;
    struct json_scan it;
    int i;

    for (i = 0; best[i] && json_kind(value) != JSON_STRING; i++)
        value = json_get(arguments, best[i]);
    if (json_kind(value) != JSON_STRING &&
        json_kind(arguments) == JSON_OBJECT) {
        json_iter_init(&it, arguments);
        while (json_next(&it) && json_kind(it.value) != JSON_STRING)
            ;
        value = it.value;
    }
    if (json_kind(value) != JSON_STRING)
        return bytes_str("");
    value = bytes_sub(value, 0, json_cut_utf16(value, 200));
    text = bytes_of(arena_printf(&t->g->keep, "%.*s\"", (int)value.len,
                                 (const char *)value.data),
                    value.len + 1);
    return text.data ? json_text(text, &t->g->keep) : text;
}

static quire_status add_call(struct turns *t, quire_bytes block,
                             const quire_entry *e, const quire_head *h,
                             quire_error *err)
{
    struct call *c;

    if (t->n_calls == t->cap) {
        size_t cap = t->cap ? 2 * t->cap : 64;
        struct call *grown = arena_array(&t->g->keep, cap, sizeof *grown);

        if (!grown)
            return err_memory(err);
        if (t->n_calls)
            memcpy(grown, t->calls, t->n_calls * sizeof *grown);
        t->calls = grown;
        t->cap = cap;
    }
    c = &t->calls[t->n_calls];
    *c = (struct call){.id = keep_text(t, json_get(block, "id")),
                       .tool = keep_text(t, json_get(block, "name")),
                       .summary = summarize(t, json_get(block, "arguments")),
                       .entry = t->g->list[e->ordinal].id,
                       .start_ms = h->time_ms,
                       .position = t->positions[t->read]};
    if (!c->id.data || !c->tool.data || !c->summary.data ||
        (c->id.len && !map_put(&t->by_id, c->id, t->n_calls, NULL)))
        return err_memory(err);
    t->n_calls++;
    return QUIRE_OK;
}

static quire_status add_calls(struct turns *t, const quire_entry *e,
                              const quire_head *h, quire_error *err)
{
    quire_bytes content = json_get(json_get(e->json, "message"), "content");
    struct json_scan it;
    quire_status st = QUIRE_OK;

    if (json_kind(content) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, content);
    while (!st && json_next(&it))
        if (json_is(json_get(it.value, "type"), "toolCall"))
            st = add_call(t, it.value, e, h, err);
    return st;
}

static quire_status add_result(struct turns *t, const quire_entry *e,
                               const quire_head *h, quire_error *err)
{
    quire_bytes id = keep_text(t, json_get(json_get(e->json, "message"),
                                           "toolCallId"));
    uint64_t *at;

    if (!id.data)
        return err_memory(err);
    at = map_get(&t->by_id, id);
    if (at) {
        struct call *c = &t->calls[*at];

        c->end_ms = h->time_ms;
        c->output_bytes = h->bytes;
        c->error = (h->flags & QUIRE_HEAD_ERROR) != 0;
    }
    return QUIRE_OK;
}

static quire_status read_entry(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    struct turns *t = ctx;
    const quire_head *h = &t->g->list[e->ordinal];
    quire_status st = h->flags & QUIRE_HEAD_CALLS ? add_calls(t, e, h, err)
                                                  : add_result(t, e, h, err);

    t->read++;
    return st;
}

/* Read the entries of the path that make calls or have a result. */
static quire_status read_calls(struct turns *t, quire_error *err)
{
    struct view_graph *g = t->g;
    size_t *ordinals = arena_array(&g->keep, g->n_path + 1, sizeof *ordinals);
    size_t i, n = 0;

    t->positions = arena_array(&g->keep, g->n_path + 1, sizeof *t->positions);
    if (!ordinals || !t->positions)
        return err_memory(err);
    for (i = 0; i < g->n_path; i++) {
        const quire_head *h = &g->list[g->path[i]];

        if (!(h->flags & QUIRE_HEAD_CALLS) && !view_is_role(h, "toolResult"))
            continue;
        t->positions[n] = i;
        ordinals[n++] = g->path[i];
    }
    return quire_session_entries_at(g->session, ordinals, n, read_entry, t,
                                    err);
}

/* ---- turns -------------------------------------------------------------- */

struct sums {
    uint64_t messages, input, output, cached, cost;
    int64_t first_ms, last_ms;
    const char *model;
};

static void add_head(struct sums *s, const quire_head *h)
{
    s->messages += !(h->flags & QUIRE_HEAD_HIDDEN);
    s->input += h->input_tokens;
    s->output += h->output_tokens;
    s->cached += h->cached_tokens;
    s->cost += h->cost_nano_usd;
    if (*h->model)
        s->model = h->model;
    if (h->time_ms && !s->first_ms)
        s->first_ms = h->time_ms;
    if (h->time_ms)
        s->last_ms = h->time_ms;
}

static void write_call(struct json_writer *w, const struct call *c)
{
    json_object(w);
    json_put_bytes(w, "id", c->entry);
    json_put_bytes(w, "call", c->id);
    json_put_bytes(w, "tool", c->tool);
    json_put_bytes(w, "summary", c->summary);
    json_put_uint(w, "position", c->position);
    json_put_int(w, "start_ms", c->start_ms);
    json_key(w, "duration_ms");
    if (c->end_ms && c->start_ms && c->end_ms >= c->start_ms)
        json_int(w, c->end_ms - c->start_ms);
    else
        json_null(w);
    json_put_bool(w, "error", c->error);
    json_put_uint(w, "output_bytes", c->output_bytes);
    json_object_end(w);
}

/* The turn at the positions from..to; *call is the first call that is not written. */
static void write_turn(struct turns *t, size_t from, size_t to, size_t *call)
{
    const struct view_graph *g = t->g;
    const quire_head *h = &g->list[g->path[from]];
    struct json_writer *w = t->w;
    struct sums s = {.model = ""};
    size_t i;

    for (i = from; i < to; i++)
        add_head(&s, &g->list[g->path[i]]);
    json_object(w);
    json_put_uint(w, "position", from);
    json_put_bytes(w, "id", h->id.data ? h->id : bytes_str(""));
    json_put_int(w, "time_ms", s.first_ms);
    json_put_int(w, "duration_ms", s.last_ms - s.first_ms);
    json_put_str(w, "model", s.model);
    json_put_uint(w, "messages", s.messages);
    json_put_uint(w, "input_tokens", s.input);
    json_put_uint(w, "output_tokens", s.output);
    json_put_uint(w, "cached_tokens", s.cached);
    json_put_uint(w, "cost_micro_usd", s.cost / 1000);
    json_key(w, "calls");
    json_array(w);
    for (; *call < t->n_calls && t->calls[*call].position < to; ++*call)
        write_call(w, &t->calls[*call]);
    json_array_end(w);
    json_object_end(w);
}

quire_status view_turns(struct view_graph *g, struct json_writer *w,
                        quire_error *err)
{
    struct turns t = {.g = g, .w = w};
    size_t from = 0, i, call = 0;
    quire_status st;

    map_init(&t.by_id, (uint64_t)(uintptr_t)g->list, g->n);
    st = read_calls(&t, err);
    json_key(w, "turns");
    json_array(w);
    for (i = 1; !st && i <= g->n_path; i++) {
        if (i < g->n_path && !view_is_prompt(&g->list[g->path[i]]))
            continue;
        write_turn(&t, from, i, &call);
        from = i;
    }
    json_array_end(w);
    map_release(&t.by_id);
    return st;
}

/* activity.c - see activity.h */
#include "session/activity.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "session/activity_priv.h"
#include "session/head.h"

#define HOUR_MS INT64_C(3600000)

void activity_release(struct activity *a)
{
    free(a->hours);
    free(a->uses);
    arena_release(&a->keep);
    *a = (struct activity){.keep = ARENA_INIT};
}

/* ---- names -------------------------------------------------------------- */

/* The number of a name; the last one stands for all that are too many. False: out of
 * memory. */
static bool find_name(struct activity *a, const char **list, uint32_t *n,
                      quire_bytes name, uint32_t *out)
{
    uint32_t i;

    for (i = 0; i < *n && !bytes_is(name, list[i]);)
        i++;
    if (i == ACTIVITY_NAMES)
        i = ACTIVITY_NAMES - 1;
    if (i == *n) {
        list[i] = i == ACTIVITY_NAMES - 1 ? "other"
                                          : arena_text(&a->keep, name);
        if (!list[i])
            return false;
        ++*n;
    }
    *out = i;
    return true;
}

static bool keep_text(struct activity *a, const char **to, quire_bytes text)
{
    if (*to && bytes_is(text, *to))
        return true;
    *to = arena_text(&a->keep, text);
    return *to != NULL;
}

/* ---- hours -------------------------------------------------------------- */

static void *grow(void *list, size_t n, size_t *cap, size_t size)
{
    size_t more = *cap ? *cap * 2 : 16;

    if (n < *cap)
        return list;
    list = realloc(list, more * size);
    if (list)
        *cap = more;
    return list;
}

struct activity_hour *activity_add_hour(struct activity *a, int64_t hour,
                                        uint32_t model)
{
    struct activity_hour *grown;

    if (a->n_hours == ACTIVITY_HOURS)
        return NULL;
    grown = grow(a->hours, a->n_hours, &a->cap_hours, sizeof *grown);
    if (!grown)
        return NULL;
    a->hours = grown;
    grown[a->n_hours] = (struct activity_hour){.hour = hour, .model = model};
    return &grown[a->n_hours++];
}

struct activity_tool *activity_add_use(struct activity *a, int64_t hour,
                                       uint32_t tool)
{
    struct activity_tool *grown;

    if (a->n_uses == ACTIVITY_HOURS)
        return NULL;
    grown = grow(a->uses, a->n_uses, &a->cap_uses, sizeof *grown);
    if (!grown)
        return NULL;
    a->uses = grown;
    grown[a->n_uses] = (struct activity_tool){.hour = hour, .tool = tool};
    return &grown[a->n_uses++];
}

/* What is being added happened about when what was added last did: look there. */
static struct activity_hour *find_hour(struct activity *a, int64_t hour,
                                       uint32_t model)
{
    size_t i;

    for (i = a->n_hours; i > 0 && a->n_hours - i < 32; i--) {
        struct activity_hour *h = &a->hours[i - 1];

        if (h->hour == hour && h->model == model)
            return h;
    }
    return a->n_hours == ACTIVITY_HOURS ? &a->hours[a->n_hours - 1]
                                        : activity_add_hour(a, hour, model);
}

static struct activity_tool *find_use(struct activity *a, int64_t hour,
                                      uint32_t tool)
{
    size_t i;

    for (i = a->n_uses; i > 0 && a->n_uses - i < 64; i--) {
        struct activity_tool *u = &a->uses[i - 1];

        if (u->hour == hour && u->tool == tool)
            return u;
    }
    return a->n_uses == ACTIVITY_HOURS ? &a->uses[a->n_uses - 1]
                                       : activity_add_use(a, hour, tool);
}

/* ---- lines -------------------------------------------------------------- */

struct reader {
    struct activity *a;
    bool failed; /* out of memory */
};

static void restart(void *ctx)
{
    struct reader *r = ctx;

    activity_release(r->a);
    r->a->agent = r->a->last = r->a->model = "";
}

static void read_header(void *ctx, quire_bytes line)
{
    struct reader *r = ctx;
    quire_bytes agent = json_get(line, "agent");

    if (json_kind(agent) != JSON_STRING)
        return;
    agent = json_text(agent, &r->a->keep);
    r->failed |= !agent.data || !keep_text(r->a, &r->a->agent, agent);
}

/* An entry whose parent is not the entry before begins a branch. */
static bool count_branch(struct activity *a, quire_bytes line)
{
    struct json_want wants[] = {JSON_WANT("id"), JSON_WANT("parentId")};
    quire_bytes id, parent;

    json_head(line, wants, 2, NULL);
    if (json_kind(wants[0].value) != JSON_STRING)
        return true;
    id = bytes_sub(wants[0].value, 1, wants[0].value.len - 1);
    parent = json_kind(wants[1].value) == JSON_STRING
                 ? bytes_sub(wants[1].value, 1, wants[1].value.len - 1)
                 : bytes_of("", 0);
    a->branches += *a->last && !bytes_is(parent, a->last);
    /* Long ids are not kept: they would grow with the file. */
    if (id.len > 64 || memchr(id.data, '\\', id.len))
        a->last = "";
    else
        return keep_text(a, &a->last, id);
    return true;
}

static bool is_result(const struct head *h)
{
    return bytes_is(h->role, "toolResult") ||
           bytes_is(h->role, "bashExecution") ||
           bytes_is(h->role, "pythonExecution");
}

static void add_tokens(struct activity_hour *to, const struct head *h)
{
    const uint64_t tokens[N_TOKENS] = {h->input, h->output, h->cache_read,
                                       h->cache_write};
    int k;

    for (k = 0; k < N_TOKENS; k++) {
        to->tokens[k] += tokens[k];
        if (!h->cost_nano_usd)
            to->unpriced[k] += tokens[k];
    }
    to->cost_nano_usd += h->cost_nano_usd;
}

static bool add_use(struct activity *a, const struct head *h, int64_t hour)
{
    struct activity_tool *use;
    uint32_t tool;

    if (!h->tool.len || (!h->calls && !is_result(h)))
        return true;
    if (!find_name(a, a->tools, &a->n_tools, h->tool, &tool))
        return false;
    use = find_use(a, hour, tool);
    if (!use)
        return false;
    use->calls += h->calls;
    use->errors += is_result(h) && h->flags & QUIRE_HEAD_ERROR;
    return true;
}

static bool add_entry(struct activity *a, const struct head *h)
{
    bool prompt = bytes_is(h->role, "user"), result = is_result(h);
    bool error = result && h->flags & QUIRE_HEAD_ERROR;
    struct activity_hour *hour;
    uint32_t model = 0;

    if (h->time_ms)
        a->last_ms = h->time_ms;
    a->compactions += bytes_is(h->type, "compaction");
    if (!bytes_is(h->type, "message"))
        return true;
    if (h->model.len && !keep_text(a, &a->model, h->model))
        return false;
    if (!find_name(a, a->models, &a->n_models,
                   bytes_is(h->role, "assistant") ? h->model : bytes_str(""),
                   &model))
        return false;
    hour = find_hour(a, a->last_ms / HOUR_MS, model);
    if (!hour)
        return false;
    hour->messages++;
    hour->prompts += prompt;
    hour->calls += h->calls;
    hour->errors += error;
    add_tokens(hour, h);
    a->prompts += prompt;
    a->calls += h->calls;
    a->errors += error;
    a->images += (h->flags & QUIRE_HEAD_IMAGES) != 0;
    return add_use(a, h, a->last_ms / HOUR_MS);
}

static void read_entry(void *ctx, quire_bytes line)
{
    struct reader *r = ctx;
    struct head h;

    if (!head_read(line, &h))
        return;
    r->failed |= !count_branch(r->a, line) || !add_entry(r->a, &h);
}

quire_status activity_read(struct log *file, struct activity *a,
                           quire_error *err)
{
    struct reader r = {.a = a};
    struct session_usage_observer o = {restart, read_header, read_entry, &r};
    struct session_usage usage = a->usage;
    quire_status st;

    if (!a->agent)
        a->agent = a->last = a->model = "";
    st = session_usage_read(file, &usage, &o, err);
    if (!st && r.failed)
        st = err_memory(err);
    a->usage = usage;
    return st;
}

/* ---- saving ------------------------------------------------------------- */

static void save_names(struct json_writer *w, const char *key,
                       const char *const *list, uint32_t n)
{
    uint32_t i;

    json_key(w, key);
    json_array(w);
    for (i = 0; i < n; i++)
        json_str(w, list[i]);
    json_array_end(w);
}

static void save_tokens(struct json_writer *w, const uint64_t tokens[N_TOKENS])
{
    int k;

    for (k = 0; k < N_TOKENS; k++)
        json_uint(w, tokens[k]);
}

static void save_hours(struct json_writer *w, const struct activity *a)
{
    size_t i;

    json_key(w, "hours");
    json_array(w);
    for (i = 0; i < a->n_hours; i++) {
        const struct activity_hour *h = &a->hours[i];

        json_array(w);
        json_int(w, h->hour);
        json_uint(w, h->model);
        json_uint(w, h->messages);
        json_uint(w, h->prompts);
        json_uint(w, h->calls);
        json_uint(w, h->errors);
        save_tokens(w, h->tokens);
        save_tokens(w, h->unpriced);
        json_uint(w, h->cost_nano_usd);
        json_array_end(w);
    }
    json_array_end(w);
}

static void save_uses(struct json_writer *w, const struct activity *a)
{
    size_t i;

    json_key(w, "uses");
    json_array(w);
    for (i = 0; i < a->n_uses; i++) {
        json_array(w);
        json_int(w, a->uses[i].hour);
        json_uint(w, a->uses[i].tool);
        json_uint(w, a->uses[i].calls);
        json_uint(w, a->uses[i].errors);
        json_array_end(w);
    }
    json_array_end(w);
}

void activity_counts(struct activity *a, uint64_t *out[ACTIVITY_COUNTS])
{
    struct session_usage *u = &a->usage;
    uint64_t *const list[ACTIVITY_COUNTS] = {&u->entries,    &u->messages,
                                             &u->input,      &u->output,
                                             &u->cache_read, &u->cache_write,
                                             &u->total,      &u->cost,
                                             &u->scanned,    &a->prompts,
                                             &a->calls,      &a->errors,
                                             &a->images,     &a->compactions,
                                             &a->branches};

    memcpy(out, list, sizeof list);
}

void activity_save(const struct activity *a, struct buf *out)
{
    struct activity copy = *a;
    uint64_t *counts[ACTIVITY_COUNTS];
    struct json_writer w;
    int i;

    activity_counts(&copy, counts);
    json_begin(&w, out);
    json_object(&w);
    json_put_str(&w, "agent", a->agent);
    json_put_str(&w, "last", a->last);
    json_put_str(&w, "model", a->model);
    json_put_int(&w, "last_ms", a->last_ms);
    json_put_bool(&w, "damaged", a->usage.damaged);
    json_key(&w, "tail");
    json_base64(&w, bytes_of(a->usage.tail, a->usage.tail_len));
    json_key(&w, "counts");
    json_array(&w);
    for (i = 0; i < ACTIVITY_COUNTS; i++)
        json_uint(&w, *counts[i]);
    json_array_end(&w);
    save_names(&w, "models", a->models, a->n_models);
    save_names(&w, "tools", a->tools, a->n_tools);
    save_hours(&w, a);
    save_uses(&w, a);
    json_object_end(&w);
}

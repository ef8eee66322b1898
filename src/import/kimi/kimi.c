/*
 * kimi.c - sessions of Kimi Code
 *
 * A line is {type, …, time}. Each record follows the one before.
 *
 *     context.append_message      a message of the user, or of the program
 *     context.append_loop_event   what the model does, in steps:
 *         step.begin … step.end   an answer; its usage is at the end
 *         content.part            text or thinking of it
 *         tool.call, tool.result  a call of it; a toolResult below it
 *     context.apply_compaction    a compaction
 *     config.update               a model_change; the directory
 *     turn.prompt, turn.steer, usage.record   repeat what others say
 *     llm.request, full_compaction.…          in the original only
 *     others                                  custom entries
 */
#include "import/blocks.h"
#include "import/fields.h"
#include "import/linear.h"

static const quire_bytes none = {NULL, 0};

enum line_field {
    LINE_TYPE,
    LINE_TIME,
    LINE_EVENT,
    LINE_MESSAGE,
    LINE_CONTENT,
    LINE_ROLE,
    LINE_MODEL,
    LINE_CWD,
    LINE_CREATED,
    LINE_SUMMARY,
    N_LINE_FIELDS
};

static const struct field_name line_fields[N_LINE_FIELDS] =
    {FIELD("type"),       FIELD("time"),    FIELD("event"),
     FIELD("message"),    FIELD("content"), FIELD("role"),
     FIELD("modelAlias"), FIELD("cwd"),     FIELD("created_at"),
     FIELD("summary")};

enum event_field {
    EVENT_TYPE,
    EVENT_PART,
    EVENT_CALL,
    EVENT_NAME,
    EVENT_ARGS,
    EVENT_RESULT,
    EVENT_USAGE,
    N_EVENT_FIELDS
};

static const struct field_name event_fields[N_EVENT_FIELDS] =
    {FIELD("type"), FIELD("part"),   FIELD("toolCallId"), FIELD("name"),
     FIELD("args"), FIELD("result"), FIELD("usage")};

struct line {
    quire_bytes text;
    quire_bytes of[N_LINE_FIELDS];
    quire_bytes event[N_EVENT_FIELDS];
};

struct kimi {
    struct short_json model;
    struct calls calls;
};

static struct kimi *kimi_of(const struct import_converter *c)
{
    return c->state;
}

static quire_status add_custom(struct import_converter *c, const struct line *l,
                               quire_error *err)
{
    quire_bytes type = l->of[LINE_TYPE];

    return linear_custom(c, 0,
                         value_is_string(type) ? value_name(type)
                                               : bytes_str("record"),
                         l->text, err);
}

static quire_status count(struct import_converter *c, const char *what,
                          quire_bytes type)
{
    counts_add(&c->counts, what, value_name(type), none);
    return QUIRE_OK;
}

/* ---- messages ----------------------------------------------------------- */

/* Text, think and image_url. */
static quire_status add_part(struct blocks *b, quire_bytes part,
                             quire_error *err)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("think"),
                            JSON_WANT("encrypted")};

    if (json_kind(part) == JSON_OBJECT && json_pick(part, w, 3, NULL) &&
        value_is(w[0].value, "think") && value_is_string(w[1].value))
        return blocks_thinking(b, w[1].value, w[2].value, err);
    return blocks_add_one(b, part, err);
}

static quire_status add_content(struct blocks *b, quire_bytes content,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (json_kind(content) != JSON_ARRAY)
        return blocks_add(b, content, err);
    json_iter_init(&it, content);
    while (!st && json_next(&it))
        st = add_part(b, it.value, err);
    return st;
}

static quire_status on_message(struct import_converter *c, const struct line *l,
                               quire_error *err)
{
    quire_bytes content = l->of[LINE_CONTENT], role = l->of[LINE_ROLE];
    struct blocks b = {.c = c, .out = &c->out};
    quire_status st = hold_close_all(c, err);
    const char *name = "user";
    uint32_t parent;

    if (json_kind(l->of[LINE_MESSAGE]) == JSON_OBJECT) {
        content = json_get(l->of[LINE_MESSAGE], "content");
        role = json_get(l->of[LINE_MESSAGE], "role");
    }
    if (value_is(role, "system") || value_is(role, "developer"))
        name = "developer";
    else
        convert_first_fact(c, FACT_PROMPT, blocks_first_text(content));
    b.node = linear_place(c, 0, &parent);
    if (st || b.node == TREE_NONE)
        return st ? st : err_memory(err);
    entry_begin_message(c, b.node, parent, name);
    st = add_content(&b, content, err);
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, b.node, err);
}

/* ---- steps -------------------------------------------------------------- */

/* The answer of the step, begun if need be. */
static quire_status open_answer(struct import_converter *c, bool fresh,
                                struct held **out, quire_error *err)
{
    uint32_t parent, node;
    quire_status st;

    *out = hold_last(&c->hold);
    if (*out && !fresh && !(*out)->answer.done)
        return QUIRE_OK;
    st = hold_close_all(c, err);
    node = linear_place(c, 0, &parent);
    if (st || node == TREE_NONE)
        return st ? st : err_memory(err);
    st = hold_open(c, node, out, err);
    if (st)
        return st;
    (*out)->answer.parent = parent;
    (*out)->answer.api = API_OPENAI_CHAT;
    (*out)->answer.model = kimi_of(c)->model;
    short_json_set(&(*out)->answer.provider, bytes_str("\"kimi\""));
    return QUIRE_OK;
}

static struct blocks blocks_of(struct import_converter *c, struct held *h)
{
    return (struct blocks){.c = c,
                           .node = h->node,
                           .out = &h->json,
                           .answer = &h->answer,
                           .calls = &kimi_of(c)->calls,
                           .comma = h->json.len > 0};
}

static quire_status on_part(struct import_converter *c, const struct line *l,
                            quire_error *err)
{
    struct held *h;
    quire_status st = open_answer(c, false, &h, err);
    struct blocks b;
    size_t before;

    if (st)
        return st;
    before = h->json.len;
    b = blocks_of(c, h);
    if (l->event[EVENT_PART].data)
        st = add_part(&b, l->event[EVENT_PART], err);
    return st ? st : hold_grown(c, h->json.len - before, err);
}

static quire_status on_call(struct import_converter *c, const struct line *l,
                            quire_error *err)
{
    struct held *h;
    quire_status st = open_answer(c, false, &h, err);
    struct blocks b;
    size_t before;

    if (st)
        return st;
    before = h->json.len;
    b = blocks_of(c, h);
    st = blocks_call(&b, l->event[EVENT_CALL], l->event[EVENT_NAME],
                     l->event[EVENT_ARGS], err);
    return st ? st : hold_grown(c, h->json.len - before, err);
}

/* No more blocks follow in this step, but its end with the usage may. */
static quire_status on_result(struct import_converter *c, const struct line *l,
                              quire_error *err)
{
    struct json_want w[] = {JSON_WANT("output"), JSON_WANT("isError"),
                            JSON_WANT("note")};
    quire_bytes id = l->event[EVENT_CALL], result = l->event[EVENT_RESULT];
    struct blocks b = {.c = c, .out = &c->out, .is_result = true};
    struct call *call = NULL;
    uint32_t parent;
    quire_status st;

    if (json_kind(result) == JSON_OBJECT)
        json_pick(result, w, 3, NULL);
    else
        w[0].value = result;
    if (value_has_text(id))
        call = calls_find(&kimi_of(c)->calls, convert_text(c, id));
    if (call && call->name.len)
        b.tool = short_json_get(&call->name);
    b.node = linear_place(c, 0, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    entry_begin_result(c, b.node, parent, id, b.tool);
    st = add_content(&b, w[0].value, err);
    if (!st && value_has_text(w[2].value))
        st = blocks_text(&b, w[2].value, err);
    return st ? st
              : entry_end_result(c, b.node, value_is_true(w[1].value), err);
}

/* Counts that do not overlap, in the spelling of either protocol. */
static void read_usage(struct answer *a, quire_bytes usage)
{
    struct json_want w[] = {JSON_WANT("inputOther"),
                            JSON_WANT("input_other"),
                            JSON_WANT("output"),
                            JSON_WANT("inputCacheRead"),
                            JSON_WANT("input_cache_read"),
                            JSON_WANT("inputCacheCreation"),
                            JSON_WANT("input_cache_creation")};

    if (json_kind(usage) != JSON_OBJECT || !json_pick(usage, w, 7, NULL))
        return;
    a->has_usage = 1;
    a->input = value_count(w[0].value) + value_count(w[1].value);
    a->output = value_count(w[2].value);
    a->cache_read = value_count(w[3].value) + value_count(w[4].value);
    a->cache_write_5m = value_count(w[5].value) + value_count(w[6].value);
}

static quire_status on_event(struct import_converter *c, const struct line *l,
                             quire_error *err)
{
    quire_bytes type = l->event[EVENT_TYPE];
    struct held *h;

    if (value_is(type, "step.begin"))
        return hold_close_all(c, err);
    if (value_is(type, "content.part"))
        return on_part(c, l, err);
    if (value_is(type, "tool.call"))
        return on_call(c, l, err);
    if (value_is(type, "tool.result"))
        return on_result(c, l, err);
    if (value_is(type, "step.end")) {
        h = hold_last(&c->hold);
        if (h)
            read_usage(&h->answer, l->event[EVENT_USAGE]);
        return hold_close_all(c, err);
    }
    counts_add(&c->counts, "unknown", bytes_str("event"), value_name(type));
    return add_custom(c, l, err);
}

/* ---- other records ------------------------------------------------------ */

static quire_status on_config(struct import_converter *c, const struct line *l,
                              quire_error *err)
{
    quire_bytes model = l->of[LINE_MODEL];
    struct kimi *s = kimi_of(c);
    uint32_t node, parent;

    convert_first_fact(c, FACT_CWD, l->of[LINE_CWD]);
    if (!value_has_text(model) || bytes_equal(short_json_get(&s->model), model))
        return count(c, "kept", l->of[LINE_TYPE]);
    short_json_set(&s->model, model);
    convert_fact(c, FACT_MODEL, model);
    node = linear_place(c, 0, &parent);
    if (node == TREE_NONE)
        return err_memory(err);
    entry_begin(c, "model_change", node, parent);
    ADD(&c->out, ",\"model\":\"kimi/");
    add_bytes(&c->out, value_name(model));
    buf_add_char(&c->out, '"');
    return entry_end(c, node, err);
}

static quire_status on_compaction(struct import_converter *c,
                                  const struct line *l, quire_error *err)
{
    quire_bytes text = l->of[LINE_SUMMARY];
    quire_status st = hold_close_all(c, err);
    uint32_t node, parent;

    if (!value_is_string(text) && json_kind(l->of[LINE_MESSAGE]) == JSON_OBJECT)
        text = blocks_first_text(json_get(l->of[LINE_MESSAGE], "content"));
    if (!value_is_string(text))
        text = blocks_first_text(l->of[LINE_CONTENT]);
    node = linear_place(c, 0, &parent);
    if (st || node == TREE_NONE)
        return st ? st : err_memory(err);
    entry_begin(c, "compaction", node, parent);
    ADD(&c->out, ",\"summary\":");
    st = entry_payload(c, IMPORT_TEXT, text.data ? text : bytes_str("\"\""),
                       none, none, node, &c->out, err);
    ADD(&c->out, ",\"firstKeptEntryId\":");
    entry_add_id(c, &c->out, node);
    entry_raw(c, "tokensBefore", bytes_str("0"));
    ADD(&c->out, ",\"details\":");
    if (!st)
        st = entry_payload(c, IMPORT_DATA,
                           entry_can_hold(l->text) ? l->text : bytes_str("{}"),
                           none, none, node, &c->out, err);
    return st ? st : entry_end(c, node, err);
}

static bool starts(quire_bytes type, const char *prefix)
{
    return value_is_string(type) &&
           bytes_starts(value_name(type), bytes_str(prefix));
}

static quire_status convert(struct import_converter *c, const struct line *l,
                            quire_error *err)
{
    quire_bytes type = l->of[LINE_TYPE];

    if (value_is(type, "context.append_loop_event"))
        return on_event(c, l, err);
    if (value_is(type, "context.append_message"))
        return on_message(c, l, err);
    if (value_is(type, "context.apply_compaction"))
        return on_compaction(c, l, err);
    if (value_is(type, "config.update"))
        return on_config(c, l, err);
    if (value_is(type, "turn.prompt") || value_is(type, "turn.steer") ||
        value_is(type, "usage.record"))
        return count(c, "repeated", type);
    if (value_is(type, "metadata") || value_is(type, "llm.request") ||
        starts(type, "full_compaction."))
        return count(c, "kept", type);
    if (!starts(type, "plan_mode.") && !starts(type, "permission."))
        counts_add(&c->counts, "unknown",
                   value_is_string(type) ? value_name(type)
                                         : bytes_str("record"),
                   none);
    return add_custom(c, l, err);
}

static quire_status record(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err)
{
    struct line l;
    struct fields event = {.names = event_fields,
                           .n = N_EVENT_FIELDS,
                           .of = l.event};
    struct fields f = {.names = line_fields,
                       .n = N_LINE_FIELDS,
                       .of = l.of,
                       .nested = LINE_EVENT,
                       .inner = &event};

    memset(&l, 0, sizeof l);
    l.text = text;
    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    c->after_damage = false;
    convert_stamp_number(c, l.of[LINE_TIME]);
    convert_stamp_number(c, l.of[LINE_CREATED]);
    return convert(c, &l, err);
}

static quire_status finish(struct import_converter *c, quire_error *err)
{
    (void)c;
    (void)err;
    return QUIRE_OK;
}

static void init(struct import_converter *c)
{
    (void)c;
}

static void save(const struct import_converter *c, struct buf *out)
{
    state_put_bytes(out, short_json_get(&kimi_of(c)->model));
    calls_save(&kimi_of(c)->calls, out);
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    short_json_set(&kimi_of(c)->model, state_get_bytes(r));
    calls_restore(&kimi_of(c)->calls, c->tree.n, r);
}

static const char *const record_starts[] = {"{\"type\":\"", NULL};

const struct import_format import_kimi = {
    .name = "kimi",
    .version = 1,
    .record_starts = record_starts,
    .state_size = sizeof(struct kimi),
    .init = init,
    .record = record,
    .finish = finish,
    .save = save,
    .restore = restore,
};

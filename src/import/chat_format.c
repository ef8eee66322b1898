/* chat_format.c - see chat_format.h */
#include "import/chat_format.h"

#include <stdio.h>

#include "import/blocks.h"
#include "import/fields.h"
#include "import/linear.h"

static const quire_bytes none = {NULL, 0};

enum message_field {
    MESSAGE_ROLE,
    MESSAGE_CONTENT,
    MESSAGE_MESSAGE,
    MESSAGE_FROM,
    MESSAGE_VALUE,
    MESSAGE_ID,
    MESSAGE_NAME,
    MESSAGE_CALLS,
    MESSAGE_CALL,
    MESSAGE_CALL_ID,
    MESSAGE_IS_ERROR,
    MESSAGE_REASONING,
    MESSAGE_REASONING_TEXT,
    MESSAGE_MODEL,
    MESSAGE_USAGE,
    MESSAGE_STOP,
    MESSAGE_FINISH,
    MESSAGE_TIMESTAMP,
    MESSAGE_CREATED,
    MESSAGE_TS,
    MESSAGE_TIME,
    MESSAGE_MESSAGES,
    MESSAGE_CONVERSATIONS,
    MESSAGE_TYPE,
    N_MESSAGE_FIELDS
};

static const struct field_name message_fields[N_MESSAGE_FIELDS] =
    {FIELD("role"),
     FIELD("content"),
     FIELD("message"),
     FIELD("from"),
     FIELD("value"),
     FIELD("id"),
     FIELD("name"),
     FIELD("tool_calls"),
     FIELD("function_call"),
     FIELD("tool_call_id"),
     FIELD("is_error"),
     FIELD("reasoning"),
     FIELD("reasoning_content"),
     FIELD("model"),
     FIELD("usage"),
     FIELD("stop_reason"),
     FIELD("finish_reason"),
     FIELD("timestamp"),
     FIELD("created_at"),
     FIELD("ts"),
     FIELD("time"),
     FIELD("messages"),
     FIELD("conversations"),
     FIELD("type")};

struct message {
    quire_bytes text;
    quire_bytes of[N_MESSAGE_FIELDS];
};

static struct chat_format *chat_of(const struct import_converter *c)
{
    return c->state;
}

static uint32_t place(struct import_converter *c, quire_bytes id,
                      uint32_t *parent)
{
    return linear_place_id(c, id, &chat_of(c)->n_parts, parent);
}

static quire_status add_custom(struct import_converter *c, quire_bytes name,
                               quire_bytes data, quire_error *err)
{
    uint32_t parent, node = place(c, none, &parent);

    return node == TREE_NONE ? err_memory(err)
                             : entry_custom(c, node, parent, name, data, err);
}

/* ---- results ------------------------------------------------------------ */

static quire_status add_result(struct import_converter *c, quire_bytes entry_id,
                               quire_bytes call_id, quire_bytes name,
                               quire_bytes content, bool is_error,
                               quire_error *err)
{
    struct blocks b = {.c = c, .out = &c->out, .is_result = true, .tool = name};
    struct call *call = NULL;
    uint32_t parent;
    quire_status st;

    if (!value_has_text(call_id) && chat_of(c)->last_call.len)
        call_id = short_json_get(&chat_of(c)->last_call);
    if (value_has_text(call_id))
        call = calls_find(&chat_of(c)->calls, convert_text(c, call_id));
    if (call && call->name.len)
        b.tool = short_json_get(&call->name);
    b.node = place(c, entry_id, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    entry_begin_result(c, b.node, parent, call_id, b.tool);
    st = blocks_add(&b, content, err);
    return st ? st : entry_end_result(c, b.node, is_error, err);
}

static quire_status on_tool(struct import_converter *c, const struct message *m,
                            quire_error *err)
{
    return add_result(c, m->of[MESSAGE_ID], m->of[MESSAGE_CALL_ID],
                      m->of[MESSAGE_NAME], m->of[MESSAGE_CONTENT],
                      value_is_true(m->of[MESSAGE_IS_ERROR]), err);
}

static bool is_result(quire_bytes block)
{
    struct json_want type = JSON_WANT("type");

    return json_kind(block) == JSON_OBJECT &&
           json_head(block, &type, 1, NULL) &&
           value_is(type.value, "tool_result");
}

static quire_status add_result_block(struct import_converter *c,
                                     quire_bytes block, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("tool_use_id"), JSON_WANT("content"),
                            JSON_WANT("is_error")};

    json_pick(block, w, 3, NULL);
    return add_result(c, none, w[0].value, none, w[1].value,
                      value_is_true(w[2].value), err);
}

/* ---- users -------------------------------------------------------------- */

/* Cline wraps the first one in a tag. */
static void note_prompt(struct import_converter *c, quire_bytes content)
{
    static const char tag[] = "\"<task>\\n";
    quire_bytes text = blocks_first_text(content);

    if (c->facts[FACT_PROMPT].len || !value_has_text(text))
        return;
    if (bytes_starts(text, bytes_str(tag))) {
        buf_clear(&c->blocks);
        buf_add_char(&c->blocks, '"');
        add_bytes(&c->blocks, bytes_sub(text, sizeof tag - 1, text.len));
        text = buf_bytes(&c->blocks);
    }
    convert_first_fact(c, FACT_PROMPT, text);
}

/* Results first, each a message; *others: there is more. */
static quire_status add_results(struct import_converter *c, quire_bytes content,
                                bool *others, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;
    bool some = false;

    *others = true;
    if (json_kind(content) != JSON_ARRAY)
        return QUIRE_OK;
    *others = false;
    json_iter_init(&it, content);
    while (!st && json_next(&it)) {
        if (!is_result(it.value)) {
            *others = true;
            continue;
        }
        some = true;
        st = add_result_block(c, it.value, err);
    }
    *others |= !some;
    return st;
}

static quire_status add_message(struct import_converter *c,
                                const struct message *m, const char *role,
                                quire_error *err)
{
    quire_bytes content = m->of[MESSAGE_CONTENT];
    struct blocks b = {.c = c, .out = &c->out};
    quire_status st = QUIRE_OK;
    struct json_scan it;
    uint32_t parent;

    b.node = place(c, m->of[MESSAGE_ID], &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    entry_begin_message(c, b.node, parent, role);
    if (json_kind(content) != JSON_ARRAY) {
        st = blocks_add(&b, content, err);
    } else {
        json_iter_init(&it, content);
        while (!st && json_next(&it))
            if (!is_result(it.value))
                st = blocks_add_one(&b, it.value, err);
    }
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, b.node, err);
}

static quire_status on_user(struct import_converter *c, const struct message *m,
                            quire_error *err)
{
    bool others;
    quire_status st = add_results(c, m->of[MESSAGE_CONTENT], &others, err);

    if (st || !others)
        return st;
    note_prompt(c, m->of[MESSAGE_CONTENT]);
    return add_message(c, m, "user", err);
}

static quire_status on_system(struct import_converter *c,
                              const struct message *m, quire_error *err)
{
    return add_message(c, m, "developer", err);
}

/* ---- answers ------------------------------------------------------------ */

/* Anthropic's counts do not overlap; of OpenAI's, input has what was cached. */
static void read_usage(struct answer *a, quire_bytes usage)
{
    struct json_want w[] = {JSON_WANT("input_tokens"),
                            JSON_WANT("output_tokens"),
                            JSON_WANT("cache_read_input_tokens"),
                            JSON_WANT("cache_creation_input_tokens"),
                            JSON_WANT("prompt_tokens"),
                            JSON_WANT("completion_tokens"),
                            JSON_WANT("prompt_tokens_details")};
    uint64_t input, cached;

    if (json_kind(usage) != JSON_OBJECT || !json_pick(usage, w, 7, NULL))
        return;
    a->has_usage = 1;
    a->input = value_count(w[0].value);
    a->output = value_count(w[1].value);
    a->cache_read = value_count(w[2].value);
    a->cache_write_5m = value_count(w[3].value);
    if (!w[4].value.data)
        return;
    input = value_count(w[4].value);
    cached = value_count(json_get(w[6].value, "cached_tokens"));
    a->input = input > cached ? input - cached : 0;
    a->cache_read = cached;
    a->output = value_count(w[5].value);
}

static enum stop_reason stop_of(quire_bytes reason)
{
    static const struct {
        const char *name;
        enum stop_reason stop;
    } reasons[] = {
        {"end_turn", STOP_END},      {"stop_sequence", STOP_END},
        {"stop", STOP_END},          {"tool_use", STOP_TOOL},
        {"tool_calls", STOP_TOOL},   {"function_call", STOP_TOOL},
        {"max_tokens", STOP_LENGTH}, {"length", STOP_LENGTH},
        {"refusal", STOP_ERROR},     {"content_filter", STOP_ERROR},
    };
    size_t i;

    for (i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (value_is(reason, reasons[i].name))
            return reasons[i].stop;
    return STOP_UNKNOWN;
}

/* {id, function: {name, arguments}}, or the function alone. */
static quire_status add_call(struct blocks *b, quire_bytes call,
                             quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("function"),
                            JSON_WANT("name"), JSON_WANT("arguments"),
                            JSON_WANT("custom")};
    struct chat_format *s = chat_of(b->c);
    quire_bytes id, inner;
    char made[48];

    json_pick(call, w, 5, NULL);
    inner = w[1].value.data ? w[1].value : w[4].value;
    id = w[0].value;
    if (json_kind(inner) == JSON_OBJECT) {
        w[2].value = json_get(inner, "name");
        w[3].value = json_get(inner, "arguments");
        if (!w[3].value.data)
            w[3].value = json_get(inner, "input");
    }
    if (!value_is_string(w[2].value))
        return blocks_raw(b, call, none, none, err);
    if (!value_has_text(id)) {
        snprintf(made, sizeof made, "\"call-%llx-%x\"",
                 (unsigned long long)b->c->at, s->n_parts++);
        id = bytes_str(made);
    }
    short_json_set(&s->last_call, id);
    return blocks_call(b, id, w[2].value, w[3].value, err);
}

static quire_status add_calls(struct blocks *b, const struct message *m,
                              quire_error *err)
{
    quire_bytes calls = m->of[MESSAGE_CALLS];
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (json_kind(calls) == JSON_ARRAY) {
        b->answer->api = API_OPENAI_CHAT;
        json_iter_init(&it, calls);
        while (!st && json_next(&it))
            st = add_call(b, it.value, err);
    }
    if (!st && json_kind(m->of[MESSAGE_CALL]) == JSON_OBJECT)
        st = add_call(b, m->of[MESSAGE_CALL], err);
    return st;
}

static quire_status add_reasoning(struct blocks *b, const struct message *m,
                                  quire_error *err)
{
    quire_bytes text = m->of[MESSAGE_REASONING_TEXT];

    if (!value_has_text(text))
        text = m->of[MESSAGE_REASONING];
    return value_has_text(text) ? blocks_thinking(b, text, none, err)
                                : QUIRE_OK;
}

/* Blocks that only Anthropic's messages have. */
static bool is_anthropic(quire_bytes content)
{
    struct json_want type = JSON_WANT("type");
    struct json_scan it;

    if (json_kind(content) != JSON_ARRAY)
        return false;
    json_iter_init(&it, content);
    while (json_next(&it)) {
        type.value = none;
        if (json_kind(it.value) == JSON_OBJECT &&
            json_head(it.value, &type, 1, NULL) &&
            (value_is(type.value, "tool_use") ||
             value_is(type.value, "thinking")))
            return true;
    }
    return false;
}

static void read_answer(struct import_converter *c, const struct message *m,
                        struct answer *a)
{
    quire_bytes model = m->of[MESSAGE_MODEL];

    a->api = is_anthropic(m->of[MESSAGE_CONTENT]) ? API_ANTHROPIC
                                                  : API_OPENAI_CHAT;
    a->model = chat_of(c)->model;
    if (value_has_text(model)) {
        short_json_set(&a->model, model);
        convert_fact(c, FACT_MODEL, model);
    }
    a->stop = stop_of(m->of[MESSAGE_STOP]);
    if (a->stop == STOP_UNKNOWN)
        a->stop = stop_of(m->of[MESSAGE_FINISH]);
    read_usage(a, m->of[MESSAGE_USAGE]);
}

static quire_status on_assistant(struct import_converter *c,
                                 const struct message *m, quire_error *err)
{
    struct blocks b = {.c = c, .calls = &chat_of(c)->calls};
    uint32_t parent, node = place(c, m->of[MESSAGE_ID], &parent);
    struct held *h;
    quire_status st;

    if (node == TREE_NONE)
        return err_memory(err);
    st = hold_open(c, node, &h, err);
    if (st)
        return st;
    h->answer.parent = parent;
    read_answer(c, m, &h->answer);
    b.node = node;
    b.out = &h->json;
    b.answer = &h->answer;
    st = add_reasoning(&b, m, err);
    if (!st)
        st = blocks_add(&b, m->of[MESSAGE_CONTENT], err);
    if (!st)
        st = add_calls(&b, m, err);
    c->hold.bytes += h->json.len;
    return st ? st : hold_close(c, h, err);
}

/* ---- messages ----------------------------------------------------------- */

typedef quire_status (*message_fn)(struct import_converter *c,
                                   const struct message *m, quire_error *err);

static message_fn find_role(quire_bytes role)
{
    static const struct {
        const char *name;
        message_fn convert;
    } roles[] = {
        {"user", on_user},           {"human", on_user},
        {"assistant", on_assistant}, {"model", on_assistant},
        {"ai", on_assistant},        {"gpt", on_assistant},
        {"system", on_system},       {"developer", on_system},
        {"tool", on_tool},           {"function", on_tool},
    };
    size_t i;

    for (i = 0; i < sizeof roles / sizeof *roles; i++)
        if (value_is(role, roles[i].name))
            return roles[i].convert;
    return NULL;
}

static void read_stamp(struct import_converter *c, const struct message *m)
{
    static const enum message_field times[] = {MESSAGE_TIMESTAMP,
                                               MESSAGE_CREATED, MESSAGE_TS,
                                               MESSAGE_TIME};
    size_t i;

    for (i = 0; i < sizeof times / sizeof *times; i++) {
        convert_stamp(c, m->of[times[i]]);
        convert_stamp_number(c, m->of[times[i]]);
    }
}

/* The role and the content, wherever they are. */
static message_fn read_message(struct message *m)
{
    quire_bytes inner = m->of[MESSAGE_MESSAGE];

    if (json_kind(inner) == JSON_OBJECT) {
        m->of[MESSAGE_CONTENT] = json_get(inner, "content");
        if (!m->of[MESSAGE_ROLE].data)
            m->of[MESSAGE_ROLE] = json_get(inner, "role");
        if (!m->of[MESSAGE_MODEL].data)
            m->of[MESSAGE_MODEL] = json_get(inner, "model");
        if (!m->of[MESSAGE_USAGE].data)
            m->of[MESSAGE_USAGE] = json_get(inner, "usage");
    }
    if (!m->of[MESSAGE_ROLE].data && value_is_string(m->of[MESSAGE_VALUE])) {
        m->of[MESSAGE_ROLE] = m->of[MESSAGE_FROM];
        m->of[MESSAGE_CONTENT] = m->of[MESSAGE_VALUE];
    }
    return find_role(m->of[MESSAGE_ROLE]);
}

static quire_status on_message(struct import_converter *c, struct message *m,
                               quire_error *err)
{
    message_fn convert = read_message(m);

    read_stamp(c, m);
    if (convert)
        return convert(c, m, err);
    counts_add(&c->counts, "unknown",
               value_is_string(m->of[MESSAGE_ROLE])
                   ? value_name(m->of[MESSAGE_ROLE])
                   : bytes_str("record"),
               none);
    return add_custom(c, bytes_str("record"), m->text, err);
}

/* A conversation of its own, in one record. */
static quire_status on_list(struct import_converter *c, quire_bytes list,
                            quire_bytes model, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    c->leaf = TREE_NONE;
    if (value_has_text(model))
        short_json_set(&chat_of(c)->model, model);
    json_iter_init(&it, list);
    while (!st && json_next(&it)) {
        struct message m = {.text = it.value};
        struct fields f = {.names = message_fields,
                           .n = N_MESSAGE_FIELDS,
                           .of = m.of};
        struct json_error bad;

        if (fields_parse(it.value, &f, &bad))
            st = on_message(c, &m, err);
    }
    return st;
}

/* ---- the format --------------------------------------------------------- */

const char *const chat_record_starts[] = {"{\"role\":", "{\"messages\":",
                                          "{\"content\":", NULL};

const char *const chat_lists[] = {"messages", "conversations", "history", NULL};

quire_status chat_record(struct import_converter *c, quire_bytes text,
                         struct json_error *bad, quire_error *err)
{
    struct message m = {.text = text};
    struct fields f = {.names = message_fields,
                       .n = N_MESSAGE_FIELDS,
                       .of = m.of};

    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    chat_of(c)->n_parts = 0;
    c->after_damage = false;
    if (json_kind(m.of[MESSAGE_MESSAGES]) == JSON_ARRAY)
        return on_list(c, m.of[MESSAGE_MESSAGES], m.of[MESSAGE_MODEL], err);
    if (json_kind(m.of[MESSAGE_CONVERSATIONS]) == JSON_ARRAY)
        return on_list(c, m.of[MESSAGE_CONVERSATIONS], m.of[MESSAGE_MODEL],
                       err);
    return on_message(c, &m, err);
}

/* What one object says beside its list. */
quire_status chat_member(struct import_converter *c, quire_bytes key,
                         quire_bytes value, quire_error *err)
{
    struct message m = {.text = value};

    chat_of(c)->n_parts = 0;
    if (json_is(key, "model") && value_has_text(value)) {
        short_json_set(&chat_of(c)->model, value);
        convert_fact(c, FACT_MODEL, value);
    } else if (json_is(key, "title") || json_is(key, "name")) {
        convert_fact(c, FACT_TITLE, value);
    } else if (json_is(key, "id") || json_is(key, "session_id") ||
               json_is(key, "conversation_id")) {
        convert_first_fact(c, FACT_SESSION, value);
    } else if (json_is(key, "cwd")) {
        convert_first_fact(c, FACT_CWD, value);
    } else if (json_is(key, "created_at") || json_is(key, "created")) {
        convert_stamp(c, value);
        convert_stamp_number(c, value);
    } else if (json_is(key, "system")) {
        m.of[MESSAGE_CONTENT] = value;
        return on_system(c, &m, err);
    } else {
        counts_add(&c->counts, "kept", value_name(key), none);
    }
    return QUIRE_OK;
}

quire_status chat_finish(struct import_converter *c, quire_error *err)
{
    (void)c;
    (void)err;
    return QUIRE_OK;
}

void chat_init(struct import_converter *c)
{
    (void)c;
}

void chat_save(const struct import_converter *c, struct buf *out)
{
    const struct chat_format *s = chat_of(c);

    state_put_bytes(out, short_json_get(&s->model));
    state_put_bytes(out, short_json_get(&s->last_call));
    calls_save(&s->calls, out);
}

void chat_restore(struct import_converter *c, struct state_reader *r)
{
    struct chat_format *s = chat_of(c);

    short_json_set(&s->model, state_get_bytes(r));
    short_json_set(&s->last_call, state_get_bytes(r));
    calls_restore(&s->calls, c->tree.n, r);
}

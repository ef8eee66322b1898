/*
 * message.c - messages of Gemini CLI
 *
 *     user                 a message; responses of functions in it: toolResult
 *     gemini               thoughts, text and toolCalls are one answer, the
 *                          results of the calls a toolResult each, below it
 *     info, error, warning custom entries
 */
#include "import/gemini/gemini.h"

#include "import/fields.h"
#include "import/linear.h"

static const quire_bytes none = {NULL, 0};

enum message_field {
    MESSAGE_ID,
    MESSAGE_TIMESTAMP,
    MESSAGE_TYPE,
    MESSAGE_CONTENT,
    MESSAGE_CALLS,
    MESSAGE_THOUGHTS,
    MESSAGE_TOKENS,
    MESSAGE_MODEL,
    MESSAGE_DISPLAY,
    N_MESSAGE_FIELDS
};

static const struct field_name message_fields[N_MESSAGE_FIELDS] = {
    FIELD("id"),      FIELD("timestamp"), FIELD("type"),
    FIELD("content"), FIELD("toolCalls"), FIELD("thoughts"),
    FIELD("tokens"),  FIELD("model"),     FIELD("displayContent"),
};

struct message {
    quire_bytes text;
    quire_bytes of[N_MESSAGE_FIELDS];
};

/* ---- places ------------------------------------------------------------- */

uint32_t gemini_place(struct import_converter *c, quire_bytes id,
                      uint32_t *parent)
{
    return linear_place_id(c, id, &gemini_of(c)->n_parts, parent);
}

quire_status gemini_custom(struct import_converter *c, quire_bytes id,
                           quire_bytes name, quire_bytes data, quire_error *err)
{
    uint32_t parent, node = gemini_place(c, id, &parent);

    return node == TREE_NONE ? err_memory(err)
                             : entry_custom(c, node, parent, name, data, err);
}

/* ---- results ------------------------------------------------------------ */

enum {
    CALL_ID,
    CALL_NAME,
    CALL_ARGS,
    CALL_RESULT,
    CALL_STATUS,
    CALL_DISPLAY,
    N_CALL
};

static void read_call(quire_bytes call, struct json_want w[N_CALL])
{
    static const struct json_want wants[N_CALL] = {JSON_WANT("id"),
                                                   JSON_WANT("name"),
                                                   JSON_WANT("args"),
                                                   JSON_WANT("result"),
                                                   JSON_WANT("status"),
                                                   JSON_WANT("resultDisplay")};

    memcpy(w, wants, sizeof wants);
    json_pick(call, w, N_CALL, NULL);
}

/* {"response": {"error": …}} */
static bool has_error(quire_bytes response)
{
    quire_bytes error = json_get(json_get(response, "response"), "error");

    return json_kind(error) > JSON_NULL;
}

static quire_status add_result(struct import_converter *c, quire_bytes id,
                               quire_bytes name, quire_bytes parts,
                               bool is_error, quire_error *err)
{
    struct blocks b = {.c = c, .out = &c->out, .is_result = true, .tool = name};
    uint32_t parent, node = gemini_place(c, none, &parent);
    quire_status st;

    if (node == TREE_NONE)
        return err_memory(err);
    b.node = node;
    entry_begin_result(c, node, parent, id, name);
    st = blocks_add_parts(&b, parts, err);
    return st ? st : entry_end_result(c, node, is_error, err);
}

/* Whether a call was run to its end, or ended by the user. */
static bool has_ended(quire_bytes status, quire_bytes result, bool *failed)
{
    *failed = value_is(status, "error") || value_is(status, "cancelled");
    if (*failed || value_is(status, "success"))
        return true;
    return !value_is_string(status) && json_kind(result) > JSON_NULL;
}

/* What the tools of an answer gave. */
static quire_status add_results(struct import_converter *c, quire_bytes calls,
                                quire_error *err)
{
    struct json_want w[N_CALL];
    quire_status st = QUIRE_OK;
    struct json_scan it;
    bool failed;

    if (json_kind(calls) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, calls);
    while (!st && json_next(&it)) {
        quire_bytes result;
        struct call *call;

        read_call(it.value, w);
        result = w[CALL_RESULT].value;
        if (json_kind(result) <= JSON_NULL &&
            value_is_string(w[CALL_DISPLAY].value))
            result = w[CALL_DISPLAY].value;
        if (!has_ended(w[CALL_STATUS].value, result, &failed))
            continue;
        st = add_result(c, w[CALL_ID].value, w[CALL_NAME].value, result, failed,
                        err);
        call = calls_find(&gemini_of(c)->calls,
                          convert_text(c, w[CALL_ID].value));
        if (call)
            call->answered = 1;
    }
    return st;
}

/* ---- answers ------------------------------------------------------------ */

static void read_tokens(struct answer *a, quire_bytes tokens)
{
    struct json_want w[] = {JSON_WANT("input"), JSON_WANT("output"),
                            JSON_WANT("cached"), JSON_WANT("thoughts"),
                            JSON_WANT("tool")};
    uint64_t input, cached;

    if (!json_pick(tokens, w, 5, NULL))
        return;
    input = value_count(w[0].value);
    cached = value_count(w[2].value);
    a->has_usage = 1;
    a->cache_read = cached;
    a->input = (input > cached ? input - cached : 0) + value_count(w[4].value);
    a->output = value_count(w[1].value) + value_count(w[3].value);
}

/* {subject, description}: two lines of one text. */
static quire_status add_thought(struct blocks *b, quire_bytes thought,
                                quire_error *err)
{
    struct json_want w[] = {JSON_WANT("subject"), JSON_WANT("description")};
    struct buf *text = &b->c->blocks;

    json_pick(thought, w, 2, NULL);
    if (!value_has_text(w[0].value) || !value_has_text(w[1].value)) {
        quire_bytes one = value_has_text(w[0].value) ? w[0].value : w[1].value;

        return value_is_string(one) ? blocks_thinking(b, one, none, err)
                                    : blocks_raw(b, thought, none, none, err);
    }
    buf_clear(text);
    buf_add_char(text, '"');
    add_bytes(text, value_name(w[0].value));
    ADD(text, "\\n");
    add_bytes(text, value_name(w[1].value));
    buf_add_char(text, '"');
    return text->failed ? err_memory(err)
                        : blocks_thinking(b, buf_bytes(text), none, err);
}

static quire_status add_thoughts(struct blocks *b, quire_bytes thoughts,
                                 quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (json_kind(thoughts) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, thoughts);
    while (!st && json_next(&it))
        st = add_thought(b, it.value, err);
    return st;
}

static quire_status add_calls(struct blocks *b, quire_bytes calls,
                              quire_error *err)
{
    struct json_want w[N_CALL];
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (json_kind(calls) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, calls);
    while (!st && json_next(&it)) {
        read_call(it.value, w);
        st = value_is_string(w[CALL_NAME].value)
                 ? blocks_call(b, w[CALL_ID].value, w[CALL_NAME].value,
                               w[CALL_ARGS].value, err)
                 : blocks_raw(b, it.value, none, none, err);
    }
    return st;
}

static quire_status on_answer(struct import_converter *c,
                              const struct message *m, quire_error *err)
{
    struct blocks b = {.c = c, .calls = &gemini_of(c)->calls};
    uint32_t parent, node = gemini_place(c, m->of[MESSAGE_ID], &parent);
    struct held *h;
    quire_status st;

    if (node == TREE_NONE)
        return err_memory(err);
    st = hold_open(c, node, &h, err);
    if (st)
        return st;
    h->answer.parent = parent;
    h->answer.api = API_GOOGLE;
    short_json_set(&h->answer.provider, bytes_str("\"google\""));
    if (value_is_string(m->of[MESSAGE_MODEL]))
        short_json_set(&h->answer.model, m->of[MESSAGE_MODEL]);
    convert_fact(c, FACT_MODEL, m->of[MESSAGE_MODEL]);
    read_tokens(&h->answer, m->of[MESSAGE_TOKENS]);
    b.node = node;
    b.out = &h->json;
    b.answer = &h->answer;
    st = add_thoughts(&b, m->of[MESSAGE_THOUGHTS], err);
    if (!st)
        st = blocks_add_parts(&b, m->of[MESSAGE_CONTENT], err);
    if (!st)
        st = add_calls(&b, m->of[MESSAGE_CALLS], err);
    c->hold.bytes += h->json.len;
    if (!st)
        st = hold_close(c, h, err);
    return st ? st : add_results(c, m->of[MESSAGE_CALLS], err);
}

/* ---- users -------------------------------------------------------------- */

/* Not what the program writes in the user's name. */
static void note_prompt(struct import_converter *c, quire_bytes content)
{
    quire_bytes text = blocks_first_text(content);

    if (text.data && !bytes_starts(text, bytes_str("\"<session_context>")) &&
        !bytes_starts(text, bytes_str("\"<state_snapshot>")))
        convert_first_fact(c, FACT_PROMPT, text);
}

static quire_bytes response_of(quire_bytes part)
{
    return json_kind(part) == JSON_OBJECT ? json_get(part, "functionResponse")
                                          : none;
}

static quire_status add_response(struct import_converter *c, quire_bytes part,
                                 quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("name")};
    quire_bytes response = response_of(part);
    struct call *call = NULL;

    json_pick(response, w, 2, NULL);
    if (value_is_string(w[0].value))
        call = calls_find(&gemini_of(c)->calls, convert_text(c, w[0].value));
    if (call && call->answered) {
        counts_add(&c->counts, "repeated", bytes_str("functionResponse"), none);
        return QUIRE_OK;
    }
    return add_result(c, w[0].value,
                      call && call->name.len ? short_json_get(&call->name)
                                             : w[1].value,
                      part, has_error(response), err);
}

/* Responses first, each a message; whether there is more is told by *others. */
static quire_status add_responses(struct import_converter *c,
                                  quire_bytes content, bool *others,
                                  quire_error *err)
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
        if (!response_of(it.value).data) {
            *others = true;
            continue;
        }
        some = true;
        st = add_response(c, it.value, err);
    }
    *others |= !some;
    return st;
}

static quire_status on_user(struct import_converter *c, const struct message *m,
                            quire_error *err)
{
    quire_bytes content = m->of[MESSAGE_CONTENT];
    struct blocks b = {.c = c, .out = &c->out};
    uint32_t parent;
    struct json_scan it;
    bool others;
    quire_status st = add_responses(c, content, &others, err);

    if (st || !others)
        return st;
    note_prompt(c, content);
    b.node = gemini_place(c, m->of[MESSAGE_ID], &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    entry_begin_message(c, b.node, parent, "user");
    if (json_kind(content) != JSON_ARRAY) {
        st = blocks_add_parts(&b, content, err);
    } else {
        json_iter_init(&it, content);
        while (!st && json_next(&it))
            if (!response_of(it.value).data)
                st = blocks_add_parts(&b, it.value, err);
    }
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, b.node, err);
}

/* ---- messages ----------------------------------------------------------- */

static bool is_notice(quire_bytes type)
{
    return value_is(type, "info") || value_is(type, "error") ||
           value_is(type, "warning");
}

quire_status gemini_message(struct import_converter *c, quire_bytes text,
                            quire_error *err)
{
    struct message m = {.text = text};
    struct fields f = {.names = message_fields,
                       .n = N_MESSAGE_FIELDS,
                       .of = m.of};
    struct json_error bad;
    quire_bytes type;
    size_t i;

    if (!fields_parse(text, &f, &bad))
        return QUIRE_OK;
    type = m.of[MESSAGE_TYPE];
    convert_stamp(c, m.of[MESSAGE_TIMESTAMP]);
    for (i = 0; i < f.n_unknown; i++)
        counts_add(&c->counts, "field", value_name(type),
                   value_name(f.unknown[i]));
    if (value_is(type, "user"))
        return on_user(c, &m, err);
    if (value_is(type, "gemini"))
        return on_answer(c, &m, err);
    if (!is_notice(type))
        counts_add(&c->counts, "unknown", value_name(type), none);
    return gemini_custom(c, m.of[MESSAGE_ID], value_name(type), text, err);
}

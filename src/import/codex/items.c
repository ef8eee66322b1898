/*
 * items.c - items of the conversation
 *
 * The model's items of one answer (reasoning, a message, calls) are records of
 * their own here, and blocks of one message there. An answer ends when its
 * usage, an output or a user's message comes; outputs may come before the
 * usage, so it stays open (hold.h) until then.
 *
 *     message user        a message; context that the program adds in the
 *                         user's name a custom_message
 *     message developer   a message
 *     message assistant   text blocks
 *     reasoning           thinking, with the encrypted content
 *     function_call, custom_tool_call, local_shell_call, …  toolCall
 *     …_output            toolResult
 *     image_generation_call  an image
 */
#include "import/codex/codex.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"

static const quire_bytes none = {NULL, 0};

/* ---- users -------------------------------------------------------------- */

static uint64_t hash_text(quire_bytes text)
{
    static const uint64_t seed[2] = {1, 2};

    return map_hash(seed, text);
}

bool codex_seen_text(const struct import_converter *c, quire_bytes text)
{
    const struct codex *s = codex_of(c);
    uint64_t hash = hash_text(text);
    uint32_t i;

    for (i = 0; i < CODEX_TEXTS && i < s->n_texts; i++)
        if (s->texts[i] == hash)
            return true;
    return false;
}

/* What the program writes in the user's name. */
static bool is_context(quire_bytes text)
{
    static const char *const starts[] =
        {"\"<environment_context>",    "\"<user_instructions>",
         "\"# AGENTS.md instructions", "\"<permissions instructions>",
         "\"<turn_aborted>",           "\"<skill",
         "\"<subagent_notification>",  "\"<user_shell_command>",
         "\"<INSTRUCTIONS>",           "\"<collaboration_mode>",
         "\"<apps_instructions>",      "\"<model_switch>"};
    size_t i;

    for (i = 0; text.data && i < sizeof starts / sizeof *starts; i++)
        if (bytes_starts(text, bytes_str(starts[i])))
            return true;
    return false;
}

static quire_status push_turn(struct import_converter *c, quire_error *err)
{
    struct codex *s = codex_of(c);
    uint32_t cap = s->cap_turns ? s->cap_turns * 2 : 16;
    uint32_t *turns;

    if (s->n_turns == s->cap_turns) {
        turns = realloc(s->turns, cap * sizeof *turns);
        if (!turns)
            return err_memory(err);
        s->turns = turns;
        s->cap_turns = cap;
    }
    s->turns[s->n_turns++] = c->leaf;
    return QUIRE_OK;
}

static quire_status on_prompt(struct import_converter *c, quire_bytes text,
                              quire_error *err)
{
    struct codex *s = codex_of(c);

    if (text.data) {
        s->texts[s->n_texts++ % CODEX_TEXTS] = hash_text(text);
        convert_first_fact(c, FACT_PROMPT, text);
    }
    return push_turn(c, err);
}

/* `role` is a JSON string. */
static quire_status add_message(struct import_converter *c,
                                const struct item *i, quire_bytes role,
                                quire_error *err)
{
    quire_bytes text = blocks_first_text(i->of[ITEM_CONTENT]);
    bool is_user = value_is(role, "user"), hidden = is_user && is_context(text);
    struct blocks b = {.c = c, .out = &c->out};
    quire_status st = hold_close_all(c, err);
    uint32_t node, parent;

    if (!st && is_user && !hidden)
        st = on_prompt(c, text, err);
    node = linear_place(c, 0, &parent);
    if (st || node == TREE_NONE)
        return st ? st : err_memory(err);
    entry_begin(c, hidden ? "custom_message" : "message", node, parent);
    if (hidden) {
        ADD(&c->out, ",\"customType\":\"codex/context\",\"content\":[");
    } else {
        ADD(&c->out, ",\"message\":{\"role\":");
        add_bytes(&c->out, role);
        ADD(&c->out, ",\"content\":[");
    }
    b.node = node;
    st = blocks_add(&b, i->of[ITEM_CONTENT], err);
    buf_add_char(&c->out, ']');
    if (st)
        return st;
    if (!hidden)
        return entry_end_message(c, node, err);
    ADD(&c->out, ",\"display\":false");
    return entry_end(c, node, err);
}

/* ---- answers ------------------------------------------------------------ */

/* The answer that takes the next item of the model. */
static quire_status open_answer(struct import_converter *c, struct held **out,
                                quire_error *err)
{
    struct codex *s = codex_of(c);
    uint32_t node, parent;
    quire_status st;

    *out = hold_last(&c->hold);
    if (*out && !(*out)->answer.done)
        return QUIRE_OK;
    st = hold_close_all(c, err);
    if (st)
        return st;
    node = linear_place(c, 0, &parent);
    if (node == TREE_NONE)
        return err_memory(err);
    st = hold_open(c, node, out, err);
    (*out)->answer.parent = parent;
    (*out)->answer.api = bytes_is(short_json_get(&s->provider), "\"anthropic\"")
                             ? API_ANTHROPIC
                             : API_OPENAI_RESPONSES;
    (*out)->answer.provider = s->provider;
    (*out)->answer.model = s->model;
    if (!s->provider.len)
        short_json_set(&(*out)->answer.provider, bytes_str("\"openai\""));
    return st;
}

static void comma(struct held *a)
{
    if (a->json.len)
        buf_add_char(&a->json, ',');
}

static quire_status on_assistant(struct import_converter *c,
                                 const struct item *i, struct held *a,
                                 quire_error *err)
{
    struct blocks b = {.c = c,
                       .node = a->node,
                       .out = &a->json,
                       .comma = a->json.len > 0};

    return blocks_add(&b, i->of[ITEM_CONTENT], err);
}

/* The texts of a list as one JSON string, a blank line between them. */
static void add_joined(struct buf *out, quire_bytes list)
{
    struct json_scan it;
    bool more = false;

    buf_add_char(out, '"');
    if (json_kind(list) == JSON_ARRAY) {
        json_iter_init(&it, list);
        while (json_next(&it)) {
            quire_bytes text = json_get(it.value, "text");

            if (!value_is_string(text))
                continue;
            if (more)
                ADD(out, "\\n\\n");
            more = true;
            add_bytes(out, value_name(text));
        }
    }
    buf_add_char(out, '"');
}

static quire_status on_reasoning(struct import_converter *c,
                                 const struct item *i, struct held *a,
                                 quire_error *err)
{
    quire_bytes list = i->of[ITEM_CONTENT];
    quire_status st = QUIRE_OK;

    comma(a);
    ADD(&a->json, "{\"type\":\"thinking\",\"thinking\":");
    add_joined(&a->json,
               json_kind(list) == JSON_ARRAY ? list : i->of[ITEM_SUMMARY]);
    if (i->of[ITEM_ENCRYPTED].len > 4) {
        ADD(&a->json, ",\"encrypted_content\":");
        st = entry_payload(c, IMPORT_OPAQUE, i->of[ITEM_ENCRYPTED], none, none,
                           a->node, &a->json, err);
    }
    buf_add_char(&a->json, '}');
    return st;
}

/* Calls without a name are named by what they are: "web_search". */
static struct short_json call_name(const struct item *i)
{
    static const char suffix[] = "_call\"";
    struct short_json name = {.len = 0};
    quire_bytes type = i->of[ITEM_TYPE];

    if (value_is_string(i->of[ITEM_NAME]) && i->of[ITEM_NAME].len > 2) {
        short_json_set(&name, i->of[ITEM_NAME]);
        return name;
    }
    if (type.len > sizeof suffix && type.len < sizeof name.text) {
        memcpy(name.text, type.data, type.len);
        name.len = (uint32_t)(type.len - sizeof suffix + 2);
        name.text[name.len - 1] = '"';
    }
    return name;
}

static quire_status on_call(struct import_converter *c, const struct item *i,
                            struct held *a, quire_error *err)
{
    static const enum item_field inputs[] = {ITEM_ARGUMENTS, ITEM_INPUT,
                                             ITEM_ACTION};
    struct short_json name = call_name(i);
    quire_bytes id = i->of[ITEM_CALL], input = bytes_str("null");
    struct blocks b = {.c = c,
                       .node = a->node,
                       .out = &a->json,
                       .answer = &a->answer,
                       .calls = &codex_of(c)->calls,
                       .comma = a->json.len > 0};
    char place[32];
    size_t k;

    if (!value_is_string(id))
        id = i->of[ITEM_ID];
    if (!value_is_string(id)) {
        snprintf(place, sizeof place, "\"call-%llx\"",
                 (unsigned long long)c->at);
        id = bytes_str(place);
    }
    for (k = 3; k-- > 0;)
        if (i->of[inputs[k]].data)
            input = i->of[inputs[k]];
    return blocks_call(&b, id, short_json_get(&name), input, err);
}

static quire_status on_image(struct import_converter *c, const struct item *i,
                             struct held *a, quire_error *err)
{
    static const char mime[] = "\"image/png\"";
    quire_status st;

    if (!value_is_string(i->of[ITEM_RESULT]))
        return on_call(c, i, a, err);
    comma(a);
    ADD(&a->json, "{\"type\":\"image\",\"data\":");
    st = entry_payload(c, IMPORT_IMAGE, i->of[ITEM_RESULT], bytes_str(mime),
                       none, a->node, &a->json, err);
    ADD(&a->json, ",\"mimeType\":\"image/png\"}");
    return st;
}

/* ---- items -------------------------------------------------------------- */

typedef quire_status (*answer_fn)(struct import_converter *c,
                                  const struct item *i, struct held *a,
                                  quire_error *err);

static quire_status on_answer_item(struct import_converter *c,
                                   const struct item *i, answer_fn convert,
                                   quire_error *err)
{
    struct held *a;
    quire_status st = open_answer(c, &a, err);
    size_t before;

    if (st)
        return st;
    before = a->json.len;
    st = convert(c, i, a, err);
    return st ? st : hold_grown(c, a->json.len - before, err);
}

static quire_status on_message(struct import_converter *c, const struct item *i,
                               quire_error *err)
{
    quire_bytes role = i->of[ITEM_ROLE];

    if (value_is(role, "assistant"))
        return on_answer_item(c, i, on_assistant, err);
    if (value_is(role, "system"))
        role = bytes_str("\"developer\"");
    return add_message(c, i,
                       value_is_string(role) ? role : bytes_str("\"user\""),
                       err);
}

quire_status codex_item(struct import_converter *c, const struct item *i,
                        quire_error *err)
{
    static const struct {
        const char *name;
        answer_fn convert;
    } of_answer[] = {
        {"reasoning", on_reasoning},         {"function_call", on_call},
        {"custom_tool_call", on_call},       {"local_shell_call", on_call},
        {"web_search_call", on_call},        {"tool_search_call", on_call},
        {"image_generation_call", on_image},
    };
    static const char *const outputs[] = {"function_call_output",
                                          "custom_tool_call_output",
                                          "tool_search_output",
                                          "local_shell_call_output",
                                          "tool_search_call_output",
                                          "mcp_tool_call_output"};
    quire_bytes type = i->of[ITEM_TYPE];
    size_t k;

    if (value_is(type, "message"))
        return on_message(c, i, err);
    for (k = 0; k < sizeof of_answer / sizeof *of_answer; k++)
        if (value_is(type, of_answer[k].name))
            return on_answer_item(c, i, of_answer[k].convert, err);
    for (k = 0; k < sizeof outputs / sizeof *outputs; k++)
        if (value_is(type, outputs[k]))
            return codex_output(c, i, err);
    if (!value_is(type, "ghost_snapshot") && !value_is(type, "compaction") &&
        !value_is(type, "agent_message"))
        counts_add(&c->counts, "unknown", value_name(type), none);
    return linear_custom(c, 0, value_name(type), i->json, err);
}

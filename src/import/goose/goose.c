/*
 * goose.c - sessions of Goose
 *
 *     {"session": row}, {"message": row}   of its database, as agent.c writes them
 *     {"table": "usage_ledger", "row": …}  what was paid for
 *     {working_dir, description, …}        first line of an older file
 *     {role, created, content}             its messages
 *
 * Messages follow each other; a toolResponse in one becomes a toolResult of its own.
 * Tokens are known of the session alone: they stand in its first answer, with the
 * cost in the ledger, whose lines come before the messages.
 */
#include "import/blocks.h"
#include "import/fields.h"
#include "import/linear.h"

static const quire_bytes none = {NULL, 0};

enum line_field {
    LINE_SESSION,
    LINE_MESSAGE,
    LINE_TABLE,
    LINE_ROW,
    LINE_ROLE,
    LINE_WORKING_DIR,
    N_LINE_FIELDS
};

static const struct field_name line_fields[N_LINE_FIELDS] =
    {FIELD("session"), FIELD("message"), FIELD("table"),
     FIELD("row"),     FIELD("role"),    FIELD("working_dir")};

struct goose {
    uint64_t input, output;
    double dollars;
    uint8_t has_usage; /* and it is in no answer yet */
    uint32_t n_parts;
    struct short_json model, provider;
    struct calls calls;
};

struct message {
    quire_bytes id, role, content;
};

static struct goose *goose_of(const struct import_converter *c)
{
    return c->state;
}

/* ---- content ------------------------------------------------------------ */

static bool is_type(quire_bytes block, const char *type)
{
    return json_kind(block) == JSON_OBJECT &&
           value_is(json_get(block, "type"), type);
}

/* {status: success, value: {name, arguments}} */
static quire_status add_call(struct blocks *b, quire_bytes block,
                             quire_error *err)
{
    quire_bytes value = json_get(json_get(block, "toolCall"), "value");

    return blocks_call(b, json_get(block, "id"), json_get(value, "name"),
                       json_get(value, "arguments"), err);
}

static quire_status add_block(struct blocks *b, quire_bytes block,
                              quire_error *err)
{
    struct json_want w[] = {JSON_WANT("text"),      JSON_WANT("thinking"),
                            JSON_WANT("signature"), JSON_WANT("data"),
                            JSON_WANT("mimeType"),  JSON_WANT("msg")};

    if (json_kind(block) != JSON_OBJECT)
        return blocks_add(b, block, err);
    json_pick(block, w, 6, NULL);
    if (is_type(block, "text") && value_is_string(w[0].value))
        return blocks_text(b, w[0].value, err);
    if (is_type(block, "thinking") && value_is_string(w[1].value))
        return blocks_thinking(b, w[1].value, w[2].value, err);
    if (is_type(block, "redactedThinking"))
        return blocks_raw(b, block, none, none, err);
    if (is_type(block, "image") && value_is_string(w[3].value))
        return blocks_image(b, w[3].value, w[4].value, err);
    if ((is_type(block, "toolRequest") ||
         is_type(block, "frontendToolRequest")) &&
        b->answer)
        return add_call(b, block, err);
    if (!is_type(block, "systemNotification"))
        counts_add(&b->c->counts, "block",
                   value_is_string(json_get(block, "type"))
                       ? value_name(json_get(block, "type"))
                       : bytes_str("block"),
                   none);
    return blocks_raw(b, block, none, none, err);
}

/* All but results, which are entries of their own. */
static quire_status add_content(struct blocks *b, quire_bytes content,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (json_kind(content) != JSON_ARRAY)
        return blocks_add(b, content, err);
    json_iter_init(&it, content);
    while (!st && json_next(&it))
        if (!is_type(it.value, "toolResponse"))
            st = add_block(b, it.value, err);
    return st;
}

/* ---- results ------------------------------------------------------------ */

/* The list of content: the value, or a member of it. */
static quire_status add_result_content(struct blocks *b, quire_bytes value,
                                       quire_error *err)
{
    quire_bytes list = json_kind(value) == JSON_OBJECT
                           ? json_get(value, "content")
                           : value;

    return add_content(b, list, err);
}

static quire_status add_result(struct import_converter *c, quire_bytes block,
                               quire_error *err)
{
    struct json_want w[] = {JSON_WANT("status"), JSON_WANT("value"),
                            JSON_WANT("error")};
    struct goose *s = goose_of(c);
    struct blocks b = {.c = c, .out = &c->out, .is_result = true};
    quire_bytes id = json_get(block, "id"), result;
    struct call *call = NULL;
    quire_status st = QUIRE_OK;
    uint32_t parent;
    bool failed;

    result = json_get(block, "toolResult");
    if (json_kind(result) == JSON_OBJECT)
        json_pick(result, w, 3, NULL);
    failed = value_is(w[0].value, "error") ||
             value_is_true(json_get(w[1].value, "isError"));
    if (value_has_text(id))
        call = calls_find(&s->calls, convert_text(c, id));
    if (call && call->name.len)
        b.tool = short_json_get(&call->name);
    b.node = linear_place(c, s->n_parts++, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    entry_begin_result(c, b.node, parent, id, b.tool);
    if (value_is_string(w[2].value))
        st = blocks_text(&b, w[2].value, err);
    else if (w[1].value.data)
        st = add_result_content(&b, w[1].value, err);
    return st ? st : entry_end_result(c, b.node, failed, err);
}

/* *others: there is more than results. */
static quire_status add_results(struct import_converter *c, quire_bytes content,
                                bool *others, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;
    bool some = false;

    *others = json_kind(content) != JSON_ARRAY;
    if (*others)
        return QUIRE_OK;
    json_iter_init(&it, content);
    while (!st && json_next(&it)) {
        bool is = is_type(it.value, "toolResponse");

        some |= is;
        *others |= !is;
        if (is)
            st = add_result(c, it.value, err);
    }
    *others |= !some;
    return st;
}

/* ---- messages ----------------------------------------------------------- */

static quire_status on_user(struct import_converter *c, const struct message *m,
                            quire_error *err)
{
    struct blocks b = {.c = c, .out = &c->out};
    bool others;
    uint32_t parent;
    quire_status st = add_results(c, m->content, &others, err);

    if (st || !others)
        return st;
    b.node = linear_place_id(c, m->id, &goose_of(c)->n_parts, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    convert_first_fact(c, FACT_PROMPT, blocks_first_text(m->content));
    entry_begin_message(c, b.node, parent, "user");
    st = add_content(&b, m->content, err);
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, b.node, err);
}

static void read_answer(struct goose *s, struct answer *a)
{
    a->model = s->model;
    a->provider = s->provider;
    if (!s->has_usage)
        return;
    s->has_usage = 0;
    a->has_usage = 1;
    a->input = s->input;
    a->output = s->output;
    a->dollars = s->dollars;
}

static quire_status on_assistant(struct import_converter *c,
                                 const struct message *m, quire_error *err)
{
    struct goose *s = goose_of(c);
    struct blocks b = {.c = c, .calls = &s->calls};
    struct held *h;
    uint32_t parent;
    quire_status st;
    bool others;

    b.node = linear_place_id(c, m->id, &s->n_parts, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    st = hold_open(c, b.node, &h, err);
    if (st)
        return st;
    h->answer.parent = parent;
    b.out = &h->json;
    b.answer = &h->answer;
    read_answer(s, &h->answer);
    st = add_content(&b, m->content, err);
    c->hold.bytes += h->json.len;
    if (!st)
        st = hold_close(c, h, err);
    return st || json_kind(m->content) != JSON_ARRAY
               ? st
               : add_results(c, m->content, &others, err);
}

static quire_status on_message(struct import_converter *c,
                               const struct message *m, quire_bytes whole,
                               quire_error *err)
{
    if (value_is(m->role, "assistant"))
        return on_assistant(c, m, err);
    if (value_is(m->role, "user"))
        return on_user(c, m, err);
    counts_add(&c->counts, "unknown", bytes_str("message"), none);
    return linear_custom(c, goose_of(c)->n_parts++, bytes_str("message"), whole,
                         err);
}

/* A row of the database. */
static quire_status on_row(struct import_converter *c, quire_bytes row,
                           quire_error *err)
{
    struct json_want w[] = {JSON_WANT("message_id"), JSON_WANT("role"),
                            JSON_WANT("content_json"),
                            JSON_WANT("created_timestamp")};
    struct message m;

    if (json_kind(row) == JSON_OBJECT)
        json_pick(row, w, 4, NULL);
    convert_stamp_number(c, w[3].value);
    m = (struct message){w[0].value, w[1].value, w[2].value};
    if (json_kind(m.content) != JSON_ARRAY) {
        convert_problem(c, 0, "garbage", "a message whose content is not JSON");
        m.content = none;
    }
    return on_message(c, &m, row, err);
}

static quire_status on_line(struct import_converter *c, quire_bytes text,
                            quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("role"),
                            JSON_WANT("content"), JSON_WANT("created")};
    struct message m;

    json_pick(text, w, 4, NULL);
    convert_stamp_number(c, w[3].value);
    m = (struct message){w[0].value, w[1].value, w[2].value};
    return on_message(c, &m, text, err);
}

/* ---- the session -------------------------------------------------------- */

enum {
    SESSION_ID,
    SESSION_NAME,
    SESSION_DESCRIPTION,
    SESSION_DIR,
    SESSION_IN,
    SESSION_OUT,
    SESSION_PROVIDER,
    SESSION_MODEL,
    SESSION_CREATED,
    N_SESSION
};

/* The row, or the first line of a file. */
static void on_session(struct import_converter *c, quire_bytes row)
{
    struct json_want w[N_SESSION] = {JSON_WANT("id"),
                                     JSON_WANT("name"),
                                     JSON_WANT("description"),
                                     JSON_WANT("working_dir"),
                                     JSON_WANT("accumulated_input_tokens"),
                                     JSON_WANT("accumulated_output_tokens"),
                                     JSON_WANT("provider_name"),
                                     JSON_WANT("model_config_json"),
                                     JSON_WANT("created_at")};
    struct goose *s = goose_of(c);
    quire_bytes model;

    if (json_kind(row) != JSON_OBJECT || !json_pick(row, w, N_SESSION, NULL))
        return;
    convert_first_fact(c, FACT_SESSION, w[SESSION_ID].value);
    convert_fact(c, FACT_TITLE, w[SESSION_DESCRIPTION].value);
    convert_fact(c, FACT_TITLE, w[SESSION_NAME].value);
    convert_first_fact(c, FACT_CWD, w[SESSION_DIR].value);
    convert_stamp_number(c, w[SESSION_CREATED].value);
    s->input = value_count(w[SESSION_IN].value);
    s->output = value_count(w[SESSION_OUT].value);
    s->has_usage = s->input || s->output;
    short_json_set(&s->provider, w[SESSION_PROVIDER].value);
    model = json_get(w[SESSION_MODEL].value, "model_name");
    short_json_set(&s->model, model);
    convert_fact(c, FACT_MODEL, model);
}

static quire_status on_table(struct import_converter *c, quire_bytes table,
                             quire_bytes row)
{
    struct goose *s = goose_of(c);

    if (value_is(table, "usage_ledger") && json_kind(row) == JSON_OBJECT) {
        s->dollars += value_dollars(json_get(row, "cost"));
        s->has_usage |= s->dollars > 0;
    }
    counts_add(&c->counts, "kept", bytes_str("table"), value_name(table));
    return QUIRE_OK;
}

/* ---- the format --------------------------------------------------------- */

static quire_status record(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err)
{
    quire_bytes of[N_LINE_FIELDS] = {none};
    struct fields f = {.names = line_fields, .n = N_LINE_FIELDS, .of = of};

    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    c->after_damage = false;
    goose_of(c)->n_parts = 0;
    if (of[LINE_MESSAGE].data)
        return on_row(c, of[LINE_MESSAGE], err);
    if (of[LINE_ROLE].data)
        return on_line(c, text, err);
    if (value_is_string(of[LINE_TABLE]))
        return on_table(c, of[LINE_TABLE], of[LINE_ROW]);
    if (of[LINE_SESSION].data || of[LINE_WORKING_DIR].data) {
        on_session(c, of[LINE_SESSION].data ? of[LINE_SESSION] : text);
        return QUIRE_OK;
    }
    counts_add(&c->counts, "unknown", bytes_str("record"), none);
    return linear_custom(c, goose_of(c)->n_parts++, bytes_str("record"), text,
                         err);
}

static quire_status finish(struct import_converter *c, quire_error *err)
{
    (void)c, (void)err;
    return QUIRE_OK;
}

static void init(struct import_converter *c)
{
    (void)c;
}

static void save(const struct import_converter *c, struct buf *out)
{
    const struct goose *s = goose_of(c);

    state_put(out, &s->input, sizeof s->input);
    state_put(out, &s->output, sizeof s->output);
    state_put(out, &s->dollars, sizeof s->dollars);
    state_put(out, &s->has_usage, sizeof s->has_usage);
    state_put_bytes(out, short_json_get(&s->model));
    state_put_bytes(out, short_json_get(&s->provider));
    calls_save(&s->calls, out);
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    struct goose *s = goose_of(c);

    state_get(r, &s->input, sizeof s->input);
    state_get(r, &s->output, sizeof s->output);
    state_get(r, &s->dollars, sizeof s->dollars);
    state_get(r, &s->has_usage, sizeof s->has_usage);
    short_json_set(&s->model, state_get_bytes(r));
    short_json_set(&s->provider, state_get_bytes(r));
    calls_restore(&s->calls, c->tree.n, r);
}

static const char *const record_starts[] = {"{\"message\":", "{\"session\":",
                                            "{\"role\":", "{\"id\":", NULL};

const struct import_format import_goose = {
    .name = "goose",
    .version = 1,
    .record_starts = record_starts,
    .state_size = sizeof(struct goose),
    .init = init,
    .record = record,
    .finish = finish,
    .save = save,
    .restore = restore,
};

/*
 * crush.c - sessions of Crush
 *
 *     {"session": row}                     as agent.c writes them
 *     {"message": row}                     its content is the list `parts`, each
 *                                          {type, data}
 *     {"table": "files", "row": row}       in the original only
 *
 * Messages follow each other: user, assistant (an answer; behind that of a summary a
 * compaction), tool (a toolResult for each part). Tokens and cost are known of the
 * session alone: they stand in its first answer.
 */
#include "import/blocks.h"
#include "import/fields.h"
#include "import/linear.h"

static const quire_bytes none = {NULL, 0};

enum line_field { LINE_SESSION, LINE_MESSAGE, LINE_TABLE, N_LINE_FIELDS };

static const struct field_name line_fields[N_LINE_FIELDS] = {FIELD("session"),
                                                             FIELD("message"),
                                                             FIELD("table")};

enum row_field {
    ROW_ID,
    ROW_ROLE,
    ROW_PARTS,
    ROW_MODEL,
    ROW_PROVIDER,
    ROW_SUMMARY,
    ROW_CREATED,
    N_ROW_FIELDS
};

struct message {
    struct json_want of[N_ROW_FIELDS];
    quire_bytes row, parts;
};

struct crush {
    uint64_t input, output;
    double dollars;
    uint8_t has_usage; /* and it is in no answer yet */
    uint32_t n_parts;
    struct calls calls;
};

static struct crush *crush_of(const struct import_converter *c)
{
    return c->state;
}

/* ---- parts -------------------------------------------------------------- */

struct part {
    quire_bytes json, type, data;
};

static struct part read_part(quire_bytes json)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("data")};

    if (json_kind(json) == JSON_OBJECT)
        json_pick(json, w, 2, NULL);
    return (struct part){json, w[0].value, w[1].value};
}

/* A member under either of two names. */
static quire_bytes get(quire_bytes object, const char *name, const char *other)
{
    quire_bytes value = json_get(object, name);

    return value.data ? value : json_get(object, other);
}

static quire_status add_binary(struct blocks *b, const struct part *p,
                               quire_error *err)
{
    quire_bytes mime = get(p->data, "MIMEType", "mime_type");
    quire_bytes data = get(p->data, "Data", "data");

    if (!value_is_string(data))
        return blocks_raw(b, p->json, none, none, err);
    if (value_is_string(mime) && bytes_starts(mime, bytes_str("\"image/")))
        return blocks_image(b, data, mime, err);
    return blocks_raw(b, p->json, data, mime, err);
}

static enum stop_reason stop_of(quire_bytes reason)
{
    return value_is(reason, "end_turn")     ? STOP_END
           : value_is(reason, "tool_use")   ? STOP_TOOL
           : value_is(reason, "max_tokens") ? STOP_LENGTH
           : value_is(reason, "canceled")   ? STOP_ABORTED
           : value_is(reason, "error")      ? STOP_ERROR
                                            : STOP_UNKNOWN;
}

static void read_finish(struct answer *a, quire_bytes data)
{
    quire_bytes message = json_get(data, "message");

    a->stop = stop_of(json_get(data, "reason"));
    if (a->stop == STOP_ERROR && value_has_text(message))
        short_json_set(&a->error, message);
}

static quire_status add_part(struct blocks *b, const struct part *p,
                             quire_error *err)
{
    quire_bytes text = json_get(p->data, "text");

    if (value_is(p->type, "text") && value_is_string(text))
        return text.len > 2 ? blocks_text(b, text, err) : QUIRE_OK;
    if (value_is(p->type, "reasoning")) {
        text = json_get(p->data, "thinking");
        return value_has_text(text)
                   ? blocks_thinking(b, text, json_get(p->data, "signature"),
                                     err)
                   : QUIRE_OK;
    }
    if (value_is(p->type, "image_url") &&
        value_is_string(json_get(p->data, "url")))
        return blocks_image_url(b, json_get(p->data, "url"), err);
    if (value_is(p->type, "binary"))
        return add_binary(b, p, err);
    if (value_is(p->type, "tool_call") && b->answer)
        return blocks_call(b, json_get(p->data, "id"),
                           json_get(p->data, "name"),
                           json_get(p->data, "input"), err);
    if (value_is(p->type, "finish")) {
        if (b->answer)
            read_finish(b->answer, p->data);
        return QUIRE_OK;
    }
    counts_add(&b->c->counts, "block",
               value_is_string(p->type) ? value_name(p->type)
                                        : bytes_str("part"),
               none);
    return blocks_raw(b, p->json, none, none, err);
}

static bool is_result(const struct part *p)
{
    return value_is(p->type, "tool_result");
}

static quire_status add_parts(struct blocks *b, quire_bytes parts,
                              quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;
    struct part p;

    if (json_kind(parts) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, parts);
    while (!st && json_next(&it)) {
        p = read_part(it.value);
        if (!is_result(&p))
            st = add_part(b, &p, err);
    }
    return st;
}

/* ---- results ------------------------------------------------------------ */

static quire_status add_result(struct import_converter *c, quire_bytes data,
                               quire_error *err)
{
    struct json_want w[] = {JSON_WANT("tool_call_id"), JSON_WANT("name"),
                            JSON_WANT("content"),      JSON_WANT("is_error"),
                            JSON_WANT("data"),         JSON_WANT("mime_type")};
    struct crush *s = crush_of(c);
    struct blocks b = {.c = c, .out = &c->out, .is_result = true};
    struct call *call = NULL;
    quire_status st = QUIRE_OK;
    uint32_t parent;

    if (json_kind(data) == JSON_OBJECT)
        json_pick(data, w, 6, NULL);
    if (value_has_text(w[0].value))
        call = calls_find(&s->calls, convert_text(c, w[0].value));
    b.tool = value_has_text(w[1].value) ? w[1].value
             : call && call->name.len   ? short_json_get(&call->name)
                                        : none;
    b.node = linear_place(c, s->n_parts++, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    entry_begin_result(c, b.node, parent, w[0].value, b.tool);
    if (value_is_string(w[2].value))
        st = blocks_text(&b, w[2].value, err);
    if (!st && value_has_text(w[4].value) && value_has_text(w[5].value))
        st = blocks_image(&b, w[4].value, w[5].value, err);
    return st ? st
              : entry_end_result(c, b.node, value_is_true(w[3].value), err);
}

static quire_status add_results(struct import_converter *c, quire_bytes parts,
                                bool *others, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;
    struct part p;

    *others = false;
    if (json_kind(parts) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, parts);
    while (!st && json_next(&it)) {
        p = read_part(it.value);
        if (is_result(&p))
            st = add_result(c, p.data, err);
        else
            *others |= !value_is(p.type, "finish");
    }
    return st;
}

/* ---- messages ----------------------------------------------------------- */

static quire_bytes first_text(quire_bytes parts)
{
    struct json_scan it;
    struct part p;

    if (json_kind(parts) != JSON_ARRAY)
        return none;
    json_iter_init(&it, parts);
    while (json_next(&it)) {
        p = read_part(it.value);
        if (value_is(p.type, "text") &&
            value_has_text(json_get(p.data, "text")))
            return json_get(p.data, "text");
    }
    return none;
}

static quire_status on_user(struct import_converter *c, const struct message *m,
                            const char *role, quire_error *err)
{
    struct blocks b = {.c = c, .out = &c->out};
    bool others;
    uint32_t parent;
    quire_status st = add_results(c, m->parts, &others, err);

    if (st || (!others && !strcmp(role, "tool")))
        return st;
    b.node = linear_place_id(c, m->of[ROW_ID].value, &crush_of(c)->n_parts,
                             &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    if (!strcmp(role, "user"))
        convert_first_fact(c, FACT_PROMPT, first_text(m->parts));
    entry_begin_message(c, b.node, parent,
                        !strcmp(role, "user") ? "user" : "developer");
    st = add_parts(&b, m->parts, err);
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, b.node, err);
}

static void take_usage(struct crush *s, struct answer *a)
{
    if (!s->has_usage)
        return;
    s->has_usage = 0;
    a->has_usage = 1;
    a->input = s->input;
    a->output = s->output;
    a->dollars = s->dollars;
}

static quire_status add_compaction(struct import_converter *c,
                                   const struct message *m, quire_error *err)
{
    uint32_t parent, node = linear_place(c, crush_of(c)->n_parts++, &parent);
    quire_bytes text = first_text(m->parts);
    quire_status st;

    if (node == TREE_NONE)
        return err_memory(err);
    entry_begin(c, "compaction", node, parent);
    ADD(&c->out, ",\"summary\":");
    st = entry_payload(c, IMPORT_TEXT, text.data ? text : bytes_str("\"\""),
                       none, none, node, &c->out, err);
    ADD(&c->out, ",\"firstKeptEntryId\":");
    entry_add_id(c, &c->out, node);
    entry_raw(c, "tokensBefore", bytes_str("0"));
    return st ? st : entry_end(c, node, err);
}

static quire_status on_assistant(struct import_converter *c,
                                 const struct message *m, quire_error *err)
{
    struct crush *s = crush_of(c);
    struct blocks b = {.c = c, .calls = &s->calls};
    struct held *h;
    uint32_t parent;
    quire_status st;
    bool others;

    b.node = linear_place_id(c, m->of[ROW_ID].value, &s->n_parts, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    st = hold_open(c, b.node, &h, err);
    if (st)
        return st;
    h->answer.parent = parent;
    b.out = &h->json;
    b.answer = &h->answer;
    short_json_set(&h->answer.model, m->of[ROW_MODEL].value);
    short_json_set(&h->answer.provider, m->of[ROW_PROVIDER].value);
    convert_fact(c, FACT_MODEL, m->of[ROW_MODEL].value);
    take_usage(s, &h->answer);
    st = add_parts(&b, m->parts, err);
    c->hold.bytes += h->json.len;
    if (!st)
        st = hold_close(c, h, err);
    if (!st)
        st = add_results(c, m->parts, &others, err);
    if (!st && (bytes_is(m->of[ROW_SUMMARY].value, "1") ||
                value_is_true(m->of[ROW_SUMMARY].value)))
        st = add_compaction(c, m, err);
    return st;
}

/* Its parts are a value, or text that is none: that is reported. */
static quire_status on_message(struct import_converter *c, quire_bytes row,
                               quire_error *err)
{
    struct message m = {.of = {JSON_WANT("id"), JSON_WANT("role"),
                               JSON_WANT("parts"), JSON_WANT("model"),
                               JSON_WANT("provider"),
                               JSON_WANT("is_summary_message"),
                               JSON_WANT("created_at")},
                        .row = row};
    quire_bytes role;

    if (json_kind(row) == JSON_OBJECT)
        json_pick(row, m.of, N_ROW_FIELDS, NULL);
    convert_stamp_number(c, m.of[ROW_CREATED].value);
    m.parts = m.of[ROW_PARTS].value;
    if (json_kind(m.parts) != JSON_ARRAY)
        convert_problem(c, 0, "garbage", "a message whose parts are not JSON");
    role = m.of[ROW_ROLE].value;
    if (value_is(role, "assistant"))
        return on_assistant(c, &m, err);
    if (value_is(role, "user"))
        return on_user(c, &m, "user", err);
    if (value_is(role, "tool"))
        return on_user(c, &m, "tool", err);
    if (value_is(role, "system"))
        return on_user(c, &m, "system", err);
    counts_add(&c->counts, "unknown", bytes_str("message"), none);
    return linear_custom(c, crush_of(c)->n_parts++, bytes_str("message"), row,
                         err);
}

static void on_session(struct import_converter *c, quire_bytes row)
{
    struct json_want w[] = {JSON_WANT("id"),
                            JSON_WANT("parent_session_id"),
                            JSON_WANT("title"),
                            JSON_WANT("prompt_tokens"),
                            JSON_WANT("completion_tokens"),
                            JSON_WANT("cost"),
                            JSON_WANT("created_at")};
    struct crush *s = crush_of(c);

    if (json_kind(row) != JSON_OBJECT || !json_pick(row, w, 7, NULL))
        return;
    convert_first_fact(c, FACT_SESSION, w[0].value);
    convert_first_fact(c, FACT_PARENT, w[1].value);
    convert_fact(c, FACT_TITLE, w[2].value);
    convert_stamp_number(c, w[6].value);
    s->input = value_count(w[3].value);
    s->output = value_count(w[4].value);
    s->dollars = value_dollars(w[5].value);
    s->has_usage = s->input || s->output || s->dollars > 0;
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
    crush_of(c)->n_parts = 0;
    if (of[LINE_MESSAGE].data)
        return on_message(c, of[LINE_MESSAGE], err);
    if (of[LINE_SESSION].data) {
        on_session(c, of[LINE_SESSION]);
        return QUIRE_OK;
    }
    if (value_is_string(of[LINE_TABLE])) {
        counts_add(&c->counts, "kept", bytes_str("table"),
                   value_name(of[LINE_TABLE]));
        return QUIRE_OK;
    }
    counts_add(&c->counts, "unknown", bytes_str("record"), none);
    return linear_custom(c, crush_of(c)->n_parts++, bytes_str("record"), text,
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
    const struct crush *s = crush_of(c);

    state_put(out, &s->input, sizeof s->input);
    state_put(out, &s->output, sizeof s->output);
    state_put(out, &s->dollars, sizeof s->dollars);
    state_put(out, &s->has_usage, sizeof s->has_usage);
    calls_save(&s->calls, out);
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    struct crush *s = crush_of(c);

    state_get(r, &s->input, sizeof s->input);
    state_get(r, &s->output, sizeof s->output);
    state_get(r, &s->dollars, sizeof s->dollars);
    state_get(r, &s->has_usage, sizeof s->has_usage);
    calls_restore(&s->calls, c->tree.n, r);
}

static const char *const record_starts[] = {"{\"message\":", "{\"session\":",
                                            NULL};

const struct import_format import_crush = {
    .name = "crush",
    .version = 1,
    .record_starts = record_starts,
    .state_size = sizeof(struct crush),
    .init = init,
    .record = record,
    .finish = finish,
    .save = save,
    .restore = restore,
};

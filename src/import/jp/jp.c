/*
 * jp.c - conversations of JP: events.json, one array
 *
 *     chat_request          a message of the user
 *     chat_response         message, reasoning or data: a block of an answer, with
 *     tool_call_request     the calls that come with it
 *     tool_call_response    a toolResult
 *     turn_start            in the original only
 *     others, a first element without a type    custom entries
 *
 * The content of a tool's response, and every string in the arguments of a call, is
 * base64. As JP does, a string that is no base64 of text is taken as it stands.
 * Content outside of the file ({"$blob": digest}) stays a reference. Times are UTC.
 */
#include "base/base64.h"
#include "base/utf8.h"
#include "import/blocks.h"
#include "import/fields.h"
#include "import/linear.h"

static const quire_bytes none = {NULL, 0};

enum event_field {
    EVENT_TYPE,
    EVENT_TIMESTAMP,
    EVENT_CONTENT,
    EVENT_MESSAGE,
    EVENT_REASONING,
    EVENT_DATA,
    EVENT_ID,
    EVENT_NAME,
    EVENT_ARGUMENTS,
    EVENT_IS_ERROR,
    N_EVENT_FIELDS
};

static const struct field_name event_fields[N_EVENT_FIELDS] =
    {FIELD("type"),      FIELD("timestamp"), FIELD("content"), FIELD("message"),
     FIELD("reasoning"), FIELD("data"),      FIELD("id"),      FIELD("name"),
     FIELD("arguments"), FIELD("is_error")};

struct event {
    quire_bytes text;
    quire_bytes of[N_EVENT_FIELDS];
};

struct jp {
    struct calls calls;
};

static struct jp *jp_of(const struct import_converter *c)
{
    return c->state;
}

static quire_status add_custom(struct import_converter *c,
                               const struct event *e, quire_error *err)
{
    quire_bytes type = e->of[EVENT_TYPE];
    quire_status st = hold_close_all(c, err);

    return st ? st
              : linear_custom(c, 0,
                              value_is_string(type) ? value_name(type)
                                                    : bytes_str("event"),
                              e->text, err);
}

/* "2026-03-01 10:00:00.123456" */
static void read_stamp(struct import_converter *c, quire_bytes timestamp)
{
    char text[64];
    quire_bytes name = value_name(timestamp);
    char *last = text + name.len;

    if (!value_is_string(timestamp) || name.len < 19 ||
        name.len > sizeof text - 4) {
        convert_stamp(c, timestamp);
        return;
    }
    text[0] = '"';
    memcpy(text + 1, name.data, name.len);
    if (text[11] == ' ')
        text[11] = 'T';
    /* A zone stands behind the time: "Z", "+00:00". */
    if (*last >= '0' && *last <= '9' &&
        !memchr(text + 12, '+', name.len - 11) &&
        !memchr(text + 12, '-', name.len - 11))
        *++last = 'Z';
    last[1] = '"';
    convert_stamp(c, bytes_of(text, (size_t)(last - text) + 2));
}

/* ---- base64 ------------------------------------------------------------- */

/* A string as what it stands for: added as a JSON string. */
static void add_decoded(struct import_converter *c, quire_bytes string,
                        struct buf *out)
{
    struct buf bytes = BUF_INIT(IMPORT_CEILING);
    quire_bytes text = convert_text(c, string);

    if (text.len && base64_decode(text, &bytes) && !bytes.failed &&
        utf8_find_bad(buf_bytes(&bytes)) == bytes.len)
        json_add_quoted(out, buf_bytes(&bytes));
    else
        add_bytes(out, string);
    out->failed |= bytes.failed;
    buf_release(&bytes);
}

/* A value, with every string in it decoded. */
static void add_decoded_value(struct import_converter *c, quire_bytes value,
                              struct buf *out)
{
    const char *copied = value.data, *end = copied + value.len;
    enum json_step step;
    struct json_scan s;

    json_scan_init(&s, value);
    while ((step = json_scan_next(&s)) != JSON_STEP_END &&
           step != JSON_STEP_BAD) {
        const char *at = s.value.data;

        if (step != JSON_STEP_SCALAR || !value_is_string(s.value))
            continue;
        buf_add(out, copied, (size_t)(at - copied));
        add_decoded(c, s.value, out);
        copied = at + s.value.len;
    }
    buf_add(out, copied, (size_t)(end - copied));
}

/* ---- answers ------------------------------------------------------------ */

/* The answer under way, begun if need be. */
static quire_status open_answer(struct import_converter *c, struct held **out,
                                quire_error *err)
{
    uint32_t parent, node;
    quire_status st;

    *out = hold_last(&c->hold);
    if (*out)
        return QUIRE_OK;
    node = linear_place(c, 0, &parent);
    if (node == TREE_NONE)
        return err_memory(err);
    st = hold_open(c, node, out, err);
    if (!st)
        (*out)->answer.parent = parent;
    return st;
}

/* Structured data as the text of JSON. */
static quire_status add_data(struct blocks *b, quire_bytes data,
                             quire_error *err)
{
    struct buf text = BUF_INIT(IMPORT_CEILING);
    quire_status st;

    json_add_quoted(&text, data);
    st = text.failed ? err_memory(err) : blocks_text(b, buf_bytes(&text), err);
    buf_release(&text);
    return st;
}

static quire_status add_call(struct blocks *b, const struct event *e,
                             quire_error *err)
{
    struct buf input = BUF_INIT(IMPORT_CEILING);
    quire_bytes arguments = e->of[EVENT_ARGUMENTS];
    quire_status st = QUIRE_OK;

    if (arguments.data)
        add_decoded_value(b->c, arguments, &input);
    if (input.failed)
        st = err_memory(err);
    else
        st = blocks_call(b, e->of[EVENT_ID], e->of[EVENT_NAME],
                         arguments.data ? buf_bytes(&input) : none, err);
    buf_release(&input);
    return st;
}

static quire_status on_answer(struct import_converter *c, const struct event *e,
                              quire_error *err)
{
    struct blocks b = {.c = c, .calls = &jp_of(c)->calls};
    struct held *h;
    quire_status st = open_answer(c, &h, err);
    size_t before;

    if (st)
        return st;
    before = h->json.len;
    b.node = h->node;
    b.out = &h->json;
    b.answer = &h->answer;
    b.comma = before > 0;
    if (value_is(e->of[EVENT_TYPE], "tool_call_request"))
        st = add_call(&b, e, err);
    else if (value_is_string(e->of[EVENT_MESSAGE]))
        st = blocks_text(&b, e->of[EVENT_MESSAGE], err);
    else if (value_is_string(e->of[EVENT_REASONING]))
        st = blocks_thinking(&b, e->of[EVENT_REASONING], none, err);
    else if (e->of[EVENT_DATA].data)
        st = add_data(&b, e->of[EVENT_DATA], err);
    return st ? st : hold_grown(c, h->json.len - before, err);
}

/* ---- the others --------------------------------------------------------- */

static quire_status on_request(struct import_converter *c,
                               const struct event *e, quire_error *err)
{
    struct blocks b = {.c = c, .out = &c->out};
    quire_status st = hold_close_all(c, err);
    uint32_t parent;

    if (st)
        return st;
    b.node = linear_place(c, 0, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    convert_first_fact(c, FACT_PROMPT, e->of[EVENT_CONTENT]);
    entry_begin_message(c, b.node, parent, "user");
    st = blocks_add(&b, e->of[EVENT_CONTENT], err);
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, b.node, err);
}

/* A string, or {"text"}, {"blob": base64} or {"$blob": digest}. */
static quire_status add_content(struct blocks *b, quire_bytes content,
                                quire_error *err)
{
    struct json_want w[] = {JSON_WANT("text"), JSON_WANT("blob")};
    struct buf text = BUF_INIT(IMPORT_CEILING);
    quire_status st = QUIRE_OK;

    if (json_kind(content) == JSON_OBJECT)
        json_pick(content, w, 2, NULL);
    else
        w[1].value = content;
    if (value_is_string(w[1].value))
        add_decoded(b->c, w[1].value, &text);
    if (text.failed)
        st = err_memory(err);
    else if (text.len)
        st = blocks_text(b, buf_bytes(&text), err);
    else if (value_is_string(w[0].value))
        st = blocks_text(b, w[0].value, err);
    else if (content.data)
        st = blocks_raw(b, content, none, none, err);
    buf_release(&text);
    return st;
}

static quire_status on_result(struct import_converter *c, const struct event *e,
                              quire_error *err)
{
    struct blocks b = {.c = c, .out = &c->out, .is_result = true};
    quire_bytes id = e->of[EVENT_ID];
    quire_status st = hold_close_all(c, err);
    struct call *call = NULL;
    uint32_t parent;

    if (st)
        return st;
    if (value_has_text(id))
        call = calls_find(&jp_of(c)->calls, convert_text(c, id));
    if (call && call->name.len)
        b.tool = short_json_get(&call->name);
    b.node = linear_place(c, 0, &parent);
    if (b.node == TREE_NONE)
        return err_memory(err);
    entry_begin_result(c, b.node, parent, id, b.tool);
    st = add_content(&b, e->of[EVENT_CONTENT], err);
    return st ? st
              : entry_end_result(c, b.node,
                                 value_is_true(e->of[EVENT_IS_ERROR]), err);
}

static quire_status convert(struct import_converter *c, const struct event *e,
                            quire_error *err)
{
    static const char *const known[] = {"inquiry_request", "inquiry_response",
                                        "config_delta", "compaction", NULL};
    quire_bytes type = e->of[EVENT_TYPE];
    const char *const *name;

    if (value_is(type, "chat_request"))
        return on_request(c, e, err);
    if (value_is(type, "chat_response") || value_is(type, "tool_call_request"))
        return on_answer(c, e, err);
    if (value_is(type, "tool_call_response"))
        return on_result(c, e, err);
    if (value_is(type, "turn_start")) {
        counts_add(&c->counts, "kept", value_name(type), none);
        return hold_close_all(c, err);
    }
    for (name = known; *name; name++)
        if (value_is(type, *name))
            return add_custom(c, e, err);
    if (value_is_string(type))
        counts_add(&c->counts, "unknown", value_name(type), none);
    return add_custom(c, e, err);
}

/* ---- the format --------------------------------------------------------- */

static quire_status record(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err)
{
    struct event e = {.text = text};
    struct fields f = {.names = event_fields, .n = N_EVENT_FIELDS, .of = e.of};

    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    c->after_damage = false;
    read_stamp(c, e.of[EVENT_TIMESTAMP]);
    return convert(c, &e, err);
}

/* The file is an array; of an object nothing is known. */
static quire_status member(struct import_converter *c, quire_bytes key,
                           quire_bytes value, quire_error *err)
{
    (void)value, (void)err;
    counts_add(&c->counts, "kept", value_name(key), none);
    return QUIRE_OK;
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
    calls_save(&jp_of(c)->calls, out);
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    calls_restore(&jp_of(c)->calls, c->tree.n, r);
}

static const char *const record_starts[] = {"{\"timestamp\":", NULL};
static const char *const lists[] = {NULL};

const struct import_format import_jp = {
    .name = "jp",
    .version = 1,
    .record_starts = record_starts,
    .state_size = sizeof(struct jp),
    .init = init,
    .record = record,
    .lists = lists,
    .member = member,
    .finish = finish,
    .save = save,
    .restore = restore,
};

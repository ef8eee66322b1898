/*
 * copilot.c - sessions of GitHub Copilot CLI
 *
 * A line is an event {type, data, id, timestamp, parentId}.
 *
 *     session.start, model_change   facts; a model_change
 *     user.message                  a message
 *     assistant.message             an answer; session.usage_record behind it
 *                                   is its usage
 *     tool.execution_complete       a toolResult
 *     tool.execution_start, assistant.turn_…   in the original only
 *     others                        custom entries
 *
 * An answer stays open until its usage, the next answer or a prompt comes: tools
 * may run in between.
 */
#include "import/blocks.h"
#include "import/fields.h"
#include "import/parents.h"

static const quire_bytes none = {NULL, 0};

enum line_field {
    LINE_TYPE,
    LINE_DATA,
    LINE_ID,
    LINE_TIMESTAMP,
    LINE_PARENT,
    N_LINE_FIELDS
};

static const struct field_name line_fields[N_LINE_FIELDS] = {FIELD("type"),
                                                             FIELD("data"),
                                                             FIELD("id"),
                                                             FIELD("timestamp"),
                                                             FIELD("parentId")};

enum data_field {
    DATA_SESSION,
    DATA_VERSION,
    DATA_START,
    DATA_SELECTED,
    DATA_CONTEXT,
    DATA_CONTENT,
    DATA_ATTACHMENTS,
    DATA_MODEL,
    DATA_MESSAGE,
    DATA_REQUESTS,
    DATA_OUTPUT,
    DATA_REASONING,
    DATA_CALL,
    DATA_TOOL,
    DATA_ARGUMENTS,
    DATA_SUCCESS,
    DATA_RESULT,
    DATA_ERROR,
    DATA_NEW_MODEL,
    DATA_INPUT,
    DATA_CACHE_READ,
    DATA_CACHE_WRITE,
    N_DATA_FIELDS
};

static const struct field_name data_fields[N_DATA_FIELDS] = {
    FIELD("sessionId"),       FIELD("copilotVersion"), FIELD("startTime"),
    FIELD("selectedModel"),   FIELD("context"),        FIELD("content"),
    FIELD("attachments"),     FIELD("model"),          FIELD("messageId"),
    FIELD("toolRequests"),    FIELD("outputTokens"),   FIELD("reasoningText"),
    FIELD("toolCallId"),      FIELD("toolName"),       FIELD("arguments"),
    FIELD("success"),         FIELD("result"),         FIELD("error"),
    FIELD("newModel"),        FIELD("inputTokens"),    FIELD("cacheReadTokens"),
    FIELD("cacheWriteTokens")};

struct event {
    quire_bytes of[N_LINE_FIELDS];
    quire_bytes data[N_DATA_FIELDS];
};

struct copilot {
    struct short_json model;
    struct calls calls;
};

static struct copilot *copilot_of(const struct import_converter *c)
{
    return c->state;
}

static bool place(struct import_converter *c, const struct event *e,
                  struct parents_place *p)
{
    return parents_place(c, e->of[LINE_ID], e->of[LINE_PARENT], p);
}

static quire_status add_custom(struct import_converter *c,
                               const struct event *e, quire_error *err)
{
    struct parents_place p;
    quire_bytes type = e->of[LINE_TYPE];

    return place(c, e, &p)
               ? entry_custom(c, p.node, p.above,
                              value_is_string(type) ? value_name(type)
                                                    : bytes_str("record"),
                              e->of[LINE_DATA], err)
               : QUIRE_OK;
}

static quire_status keep_in_original(struct import_converter *c,
                                     const struct event *e)
{
    counts_add(&c->counts, "kept", value_name(e->of[LINE_TYPE]), none);
    parents_skip(c, e->of[LINE_ID], e->of[LINE_PARENT]);
    return QUIRE_OK;
}

/* ---- the session -------------------------------------------------------- */

static void set_model(struct import_converter *c, quire_bytes model)
{
    short_json_set(&copilot_of(c)->model, model);
    convert_fact(c, FACT_MODEL, model);
}

static quire_status on_start(struct import_converter *c, const struct event *e,
                             quire_error *err)
{
    struct json_want w[] = {JSON_WANT("cwd"), JSON_WANT("branch")};

    convert_first_fact(c, FACT_SESSION, e->data[DATA_SESSION]);
    convert_fact(c, FACT_VERSION, e->data[DATA_VERSION]);
    if (json_kind(e->data[DATA_CONTEXT]) == JSON_OBJECT &&
        json_pick(e->data[DATA_CONTEXT], w, 2, NULL)) {
        convert_first_fact(c, FACT_CWD, w[0].value);
        convert_fact(c, FACT_BRANCH, w[1].value);
    }
    if (value_has_text(e->data[DATA_SELECTED]))
        set_model(c, e->data[DATA_SELECTED]);
    return add_custom(c, e, err);
}

static quire_status on_model(struct import_converter *c, const struct event *e,
                             quire_error *err)
{
    quire_bytes model = e->data[DATA_NEW_MODEL];
    struct parents_place p;

    if (!value_has_text(model))
        return add_custom(c, e, err);
    set_model(c, model);
    if (!place(c, e, &p))
        return QUIRE_OK;
    entry_begin(c, "model_change", p.node, p.above);
    ADD(&c->out, ",\"model\":\"github-copilot/");
    add_bytes(&c->out, value_name(model));
    buf_add_char(&c->out, '"');
    return entry_end(c, p.node, err);
}

/* ---- messages ----------------------------------------------------------- */

/* {type "blob", data, mimeType}: an image, or another file; others name a file. */
static quire_status add_attachment(struct blocks *b, quire_bytes a,
                                   quire_error *err)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("data"),
                            JSON_WANT("mimeType")};
    quire_bytes mime;

    if (json_kind(a) == JSON_OBJECT)
        json_pick(a, w, 3, NULL);
    if (!value_is_string(w[0].value) || !json_is(w[0].value, "blob") ||
        !value_is_string(w[1].value) || !value_is_string(w[2].value))
        return blocks_raw(b, a, none, none, err);
    mime = bytes_sub(w[2].value, 1, w[2].value.len);
    return bytes_starts(mime, bytes_str("image/"))
               ? blocks_image(b, w[1].value, w[2].value, err)
               : blocks_raw(b, a, w[1].value, w[2].value, err);
}

static quire_status on_user(struct import_converter *c, const struct event *e,
                            quire_error *err)
{
    quire_bytes attachments = e->data[DATA_ATTACHMENTS];
    struct blocks b = {.c = c, .out = &c->out};
    quire_status st = hold_close_all(c, err);
    struct parents_place p;
    struct json_scan it;

    if (st || !place(c, e, &p))
        return st;
    convert_first_fact(c, FACT_PROMPT, e->data[DATA_CONTENT]);
    b.node = p.node;
    entry_begin_message(c, p.node, p.above, "user");
    st = blocks_add(&b, e->data[DATA_CONTENT], err);
    if (json_kind(attachments) == JSON_ARRAY) {
        json_iter_init(&it, attachments);
        while (!st && json_next(&it))
            st = add_attachment(&b, it.value, err);
    }
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, p.node, err);
}

static quire_status add_requests(struct blocks *b, quire_bytes requests,
                                 quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (json_kind(requests) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, requests);
    while (!st && json_next(&it)) {
        struct json_want w[] = {JSON_WANT("toolCallId"), JSON_WANT("name"),
                                JSON_WANT("arguments")};

        json_pick(it.value, w, 3, NULL);
        st = value_is_string(w[1].value)
                 ? blocks_call(b, w[0].value, w[1].value, w[2].value, err)
                 : blocks_raw(b, it.value, none, none, err);
    }
    return st;
}

static quire_status open_answer(struct import_converter *c,
                                const struct event *e, struct held **out,
                                quire_error *err)
{
    struct parents_place p;
    quire_status st = hold_close_all(c, err);

    *out = NULL;
    if (st || !place(c, e, &p))
        return st;
    st = hold_open(c, p.node, out, err);
    if (st)
        return st;
    if (value_has_text(e->data[DATA_MODEL]))
        set_model(c, e->data[DATA_MODEL]);
    (*out)->answer.parent = p.above;
    (*out)->answer.api = API_OPENAI_CHAT;
    (*out)->answer.model = copilot_of(c)->model;
    short_json_set(&(*out)->answer.provider, bytes_str("\"github-copilot\""));
    if (value_has_text(e->data[DATA_MESSAGE]))
        short_json_set(&(*out)->answer.id, e->data[DATA_MESSAGE]);
    if (e->data[DATA_OUTPUT].data) {
        (*out)->answer.has_usage = 1;
        (*out)->answer.output = value_count(e->data[DATA_OUTPUT]);
    }
    return QUIRE_OK;
}

static quire_status on_assistant(struct import_converter *c,
                                 const struct event *e, quire_error *err)
{
    struct blocks b = {.c = c, .calls = &copilot_of(c)->calls};
    struct held *h;
    quire_status st = open_answer(c, e, &h, err);

    if (st || !h)
        return st;
    b.node = h->node;
    b.out = &h->json;
    b.answer = &h->answer;
    if (value_has_text(e->data[DATA_REASONING]))
        st = blocks_thinking(&b, e->data[DATA_REASONING], none, err);
    if (!st && (!value_is_string(e->data[DATA_CONTENT]) ||
                value_has_text(e->data[DATA_CONTENT])))
        st = blocks_add(&b, e->data[DATA_CONTENT], err);
    if (!st)
        st = add_requests(&b, e->data[DATA_REQUESTS], err);
    return st ? st : hold_grown(c, h->json.len, err);
}

/* Of the answer before. What was cached may be counted with the input. */
static quire_status on_usage(struct import_converter *c, const struct event *e,
                             quire_error *err)
{
    struct held *h = hold_last(&c->hold);
    uint64_t input = value_count(e->data[DATA_INPUT]);
    uint64_t cached;
    quire_status st = keep_in_original(c, e);

    if (!h || st)
        return st;
    h->answer.has_usage = 1;
    h->answer.cache_read = value_count(e->data[DATA_CACHE_READ]);
    h->answer.cache_write_5m = value_count(e->data[DATA_CACHE_WRITE]);
    cached = h->answer.cache_read + h->answer.cache_write_5m;
    h->answer.input = input >= cached ? input - cached : input;
    h->answer.output = value_count(e->data[DATA_OUTPUT]);
    return hold_close_all(c, err);
}

/* ---- tools -------------------------------------------------------------- */

/* The text that the model got. */
static quire_bytes result_text(const struct event *e)
{
    struct json_want w[] = {JSON_WANT("content"), JSON_WANT("message"),
                            JSON_WANT("detailedContent")};
    quire_bytes result = e->data[DATA_RESULT];
    size_t i;

    if (json_kind(result) != JSON_OBJECT)
        result = result.data ? result : e->data[DATA_ERROR];
    if (json_kind(result) != JSON_OBJECT)
        return result;
    json_pick(result, w, 3, NULL);
    for (i = 0; i < 3; i++)
        if (w[i].value.data)
            return w[i].value;
    return result;
}

static quire_status on_result(struct import_converter *c, const struct event *e,
                              quire_error *err)
{
    struct blocks b = {.c = c, .out = &c->out, .is_result = true};
    quire_bytes id = e->data[DATA_CALL];
    struct call *call = NULL;
    struct parents_place p;
    quire_status st;

    if (!place(c, e, &p))
        return QUIRE_OK;
    if (value_has_text(id))
        call = calls_find(&copilot_of(c)->calls, convert_text(c, id));
    b.node = p.node;
    b.tool = call && call->name.len ? short_json_get(&call->name)
                                    : e->data[DATA_TOOL];
    entry_begin_result(c, p.node, p.above, id, b.tool);
    st = blocks_add(&b, result_text(e), err);
    return st ? st
              : entry_end_result(c, p.node,
                                 bytes_is(e->data[DATA_SUCCESS], "false"), err);
}

/* The call is in the answer; if not, this is all that there is of it. */
static quire_status on_execution(struct import_converter *c,
                                 const struct event *e, quire_error *err)
{
    quire_bytes id = e->data[DATA_CALL];

    if (value_has_text(id) &&
        calls_find(&copilot_of(c)->calls, convert_text(c, id))) {
        counts_add(&c->counts, "repeated", value_name(e->of[LINE_TYPE]), none);
        parents_skip(c, e->of[LINE_ID], e->of[LINE_PARENT]);
        return QUIRE_OK;
    }
    if (value_has_text(id))
        calls_add(&copilot_of(c)->calls, convert_text(c, id),
                  e->data[DATA_TOOL], c->leaf == TREE_NONE ? 0 : c->leaf);
    return add_custom(c, e, err);
}

/* ---- events ------------------------------------------------------------- */

static bool is_one_of(quire_bytes type, const char *const *names)
{
    for (; *names; names++)
        if (value_is(type, *names))
            return true;
    return false;
}

static quire_status convert(struct import_converter *c, const struct event *e,
                            quire_error *err)
{
    static const struct {
        const char *name;
        quire_status (*convert)(struct import_converter *c,
                                const struct event *e, quire_error *err);
    } kinds[] = {
        {"session.start", on_start},
        {"session.resume", on_start},
        {"session.model_change", on_model},
        {"user.message", on_user},
        {"assistant.message", on_assistant},
        {"session.usage_record", on_usage},
        {"tool.execution_start", on_execution},
        {"tool.execution_complete", on_result},
    };
    static const char *const left[] = {"assistant.turn_start",
                                       "assistant.turn_end", NULL};
    static const char *const known[] = {"session.truncation",
                                        "session.shutdown", "subagent.started",
                                        NULL};
    quire_bytes type = e->of[LINE_TYPE];
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (value_is(type, kinds[i].name))
            return kinds[i].convert(c, e, err);
    if (is_one_of(type, left))
        return keep_in_original(c, e);
    if (!is_one_of(type, known))
        counts_add(&c->counts, "unknown",
                   value_is_string(type) ? value_name(type)
                                         : bytes_str("record"),
                   none);
    return add_custom(c, e, err);
}

static quire_status record(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err)
{
    struct event e;
    struct fields data = {.names = data_fields,
                          .n = N_DATA_FIELDS,
                          .of = e.data};
    struct fields f = {.names = line_fields,
                       .n = N_LINE_FIELDS,
                       .of = e.of,
                       .nested = LINE_DATA,
                       .inner = &data};

    memset(&e, 0, sizeof e);
    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    if (json_kind(e.of[LINE_DATA]) == JSON_OBJECT)
        e.of[LINE_DATA] = data.whole;
    convert_stamp(c, e.of[LINE_TIMESTAMP]);
    return convert(c, &e, err);
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
    state_put_bytes(out, short_json_get(&copilot_of(c)->model));
    calls_save(&copilot_of(c)->calls, out);
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    short_json_set(&copilot_of(c)->model, state_get_bytes(r));
    calls_restore(&copilot_of(c)->calls, c->tree.n, r);
}

static const char *const record_starts[] = {"{\"type\":\"", NULL};

const struct import_format import_copilot = {
    .name = "copilot",
    .version = 2,
    .record_starts = record_starts,
    .state_size = sizeof(struct copilot),
    .init = init,
    .record = record,
    .finish = finish,
    .save = save,
    .restore = restore,
};

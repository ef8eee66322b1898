/*
 * qwen.c - sessions of Qwen Code
 *
 *     user          a message of parts, as Google has them
 *     assistant     an answer: thoughts, text and calls, with its usage
 *     tool_result   responses of functions: a toolResult each
 *     system        chat_compression: a compaction; ui_telemetry and
 *                   attribution_snapshot: in the original only; else custom
 *
 * A record has the uuid of its parent.
 */
#include "import/blocks.h"
#include "import/fields.h"
#include "import/parents.h"

static const quire_bytes none = {NULL, 0};

enum line_field {
    LINE_UUID,
    LINE_PARENT,
    LINE_SESSION,
    LINE_TIMESTAMP,
    LINE_TYPE,
    LINE_CWD,
    LINE_VERSION,
    LINE_BRANCH,
    N_ENVELOPE,

    LINE_MESSAGE = N_ENVELOPE,
    LINE_MODEL,
    LINE_USAGE,
    LINE_RESULT,
    LINE_SUBTYPE,
    LINE_PAYLOAD,
    N_LINE_FIELDS
};

static const struct field_name line_fields[N_LINE_FIELDS] =
    {FIELD("uuid"),      FIELD("parentUuid"),    FIELD("sessionId"),
     FIELD("timestamp"), FIELD("type"),          FIELD("cwd"),
     FIELD("version"),   FIELD("gitBranch"),     FIELD("message"),
     FIELD("model"),     FIELD("usageMetadata"), FIELD("toolCallResult"),
     FIELD("subtype"),   FIELD("systemPayload")};

struct line {
    quire_bytes text;
    quire_bytes of[N_LINE_FIELDS];
};

struct qwen {
    struct calls calls;
};

static struct qwen *qwen_of(const struct import_converter *c)
{
    return c->state;
}

static bool place(struct import_converter *c, const struct line *l,
                  struct parents_place *p)
{
    return parents_place(c, l->of[LINE_UUID], l->of[LINE_PARENT], p);
}

static quire_bytes parts_of(const struct line *l)
{
    return json_kind(l->of[LINE_MESSAGE]) == JSON_OBJECT
               ? json_get(l->of[LINE_MESSAGE], "parts")
               : none;
}

static quire_status add_custom(struct import_converter *c, const struct line *l,
                               quire_bytes name, quire_error *err)
{
    struct parents_place p;

    if (!place(c, l, &p))
        return QUIRE_OK;
    buf_clear(&c->blocks);
    fields_copy_others(l->text, line_fields, N_ENVELOPE, &c->blocks);
    return c->blocks.failed ? err_memory(err)
                            : entry_custom(c, p.node, p.above, name,
                                           buf_bytes(&c->blocks), err);
}

/* ---- messages ----------------------------------------------------------- */

static quire_status on_user(struct import_converter *c, const struct line *l,
                            quire_error *err)
{
    struct blocks b = {.c = c, .out = &c->out};
    struct parents_place p;
    quire_status st;

    if (!place(c, l, &p))
        return QUIRE_OK;
    convert_first_fact(c, FACT_PROMPT, blocks_first_text(parts_of(l)));
    b.node = p.node;
    entry_begin_message(c, p.node, p.above, "user");
    st = blocks_add_parts(&b, parts_of(l), err);
    buf_add_char(&c->out, ']');
    return st ? st : entry_end_message(c, p.node, err);
}

/* The prompt has what was cached. What is thought may be counted with the
 * candidates or beside them: the total has it once. */
static void read_usage(struct answer *a, quire_bytes usage)
{
    struct json_want w[] = {JSON_WANT("promptTokenCount"),
                            JSON_WANT("candidatesTokenCount"),
                            JSON_WANT("cachedContentTokenCount"),
                            JSON_WANT("totalTokenCount")};
    uint64_t prompt, cached, total;

    if (json_kind(usage) != JSON_OBJECT || !json_pick(usage, w, 4, NULL))
        return;
    prompt = value_count(w[0].value);
    cached = value_count(w[2].value);
    total = value_count(w[3].value);
    a->has_usage = 1;
    a->input = prompt > cached ? prompt - cached : 0;
    a->cache_read = cached;
    a->output = total > prompt ? total - prompt : value_count(w[1].value);
}

static quire_status on_assistant(struct import_converter *c,
                                 const struct line *l, quire_error *err)
{
    struct blocks b = {.c = c, .calls = &qwen_of(c)->calls};
    struct parents_place p;
    struct held *h;
    quire_status st;

    if (!place(c, l, &p))
        return QUIRE_OK;
    st = hold_open(c, p.node, &h, err);
    if (st)
        return st;
    h->answer.parent = p.above;
    h->answer.api = API_OPENAI_CHAT;
    short_json_set(&h->answer.provider, bytes_str("\"qwen\""));
    if (value_is_string(l->of[LINE_MODEL]))
        short_json_set(&h->answer.model, l->of[LINE_MODEL]);
    convert_fact(c, FACT_MODEL, l->of[LINE_MODEL]);
    read_usage(&h->answer, l->of[LINE_USAGE]);
    b.node = p.node;
    b.out = &h->json;
    b.answer = &h->answer;
    st = blocks_add_parts(&b, parts_of(l), err);
    c->hold.bytes += h->json.len;
    return st ? st : hold_close(c, h, err);
}

/* ---- results ------------------------------------------------------------ */

static quire_status add_result(struct import_converter *c,
                               const struct parents_place *p, quire_bytes part,
                               quire_bytes id, bool is_error, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("name"),
                            JSON_WANT("response")};
    struct blocks b = {.c = c,
                       .node = p->node,
                       .out = &c->out,
                       .is_result = true};
    struct call *call = NULL;
    quire_status st;

    json_pick(json_get(part, "functionResponse"), w, 3, NULL);
    if (value_has_text(w[0].value))
        id = w[0].value;
    if (value_has_text(id))
        call = calls_find(&qwen_of(c)->calls, convert_text(c, id));
    b.tool = call && call->name.len ? short_json_get(&call->name) : w[1].value;
    is_error |= json_kind(json_get(w[2].value, "error")) > JSON_NULL;
    entry_begin_result(c, p->node, p->above, id, b.tool);
    st = blocks_add_parts(&b, part, err);
    return st ? st : entry_end_result(c, p->node, is_error, err);
}

/* A result for each part; without any, what was displayed. */
static quire_status on_result(struct import_converter *c, const struct line *l,
                              quire_error *err)
{
    struct json_want w[] = {JSON_WANT("callId"), JSON_WANT("status"),
                            JSON_WANT("resultDisplay")};
    quire_bytes parts = parts_of(l);
    struct parents_place p;
    quire_status st = QUIRE_OK;
    struct json_scan it;
    uint32_t n = 0;
    bool failed;

    json_pick(l->of[LINE_RESULT], w, 3, NULL);
    failed = value_is(w[1].value, "error") || value_is(w[1].value, "cancelled");
    if (!place(c, l, &p))
        return QUIRE_OK;
    if (json_kind(parts) != JSON_ARRAY)
        return add_result(c, &p,
                          value_is_string(w[2].value) ? w[2].value
                                                      : bytes_str("\"\""),
                          w[0].value, failed, err);
    json_iter_init(&it, parts);
    while (!st && json_next(&it)) {
        if (n++ && !parents_next(c, &p, n - 1))
            return QUIRE_OK;
        st = add_result(c, &p, it.value, w[0].value, failed, err);
    }
    return st || n
               ? st
               : add_result(c, &p, bytes_str("\"\""), w[0].value, failed, err);
}

/* ---- notices ------------------------------------------------------------ */

/* Its first text is the summary; all of it is in the details. */
static quire_status on_compression(struct import_converter *c,
                                   const struct line *l, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("info"), JSON_WANT("compressedHistory")};
    quire_bytes text = none;
    struct parents_place p;
    struct json_scan it;
    quire_status st;

    json_pick(l->of[LINE_PAYLOAD], w, 2, NULL);
    if (!place(c, l, &p))
        return QUIRE_OK;
    if (json_kind(w[1].value) == JSON_ARRAY) {
        json_iter_init(&it, w[1].value);
        while (!text.data && json_next(&it))
            text = blocks_first_text(json_get(it.value, "parts"));
    }
    entry_begin(c, "compaction", p.node, p.above);
    ADD(&c->out, ",\"summary\":");
    st = entry_payload(c, IMPORT_TEXT, text.data ? text : bytes_str("\"\""),
                       none, none, p.node, &c->out, err);
    ADD(&c->out, ",\"firstKeptEntryId\":");
    entry_add_id(c, &c->out, p.node);
    entry_uint(c, "tokensBefore",
               value_count(json_get(w[0].value, "originalTokenCount")));
    if (!st && json_kind(w[1].value) == JSON_ARRAY) {
        ADD(&c->out, ",\"details\":{\"history\":");
        st = entry_payload(c, IMPORT_DATA, w[1].value, none, none, p.node,
                           &c->out, err);
        buf_add_char(&c->out, '}');
    }
    return st ? st : entry_end(c, p.node, err);
}

static quire_status on_system(struct import_converter *c, const struct line *l,
                              quire_error *err)
{
    quire_bytes subtype = l->of[LINE_SUBTYPE];

    if (value_is(subtype, "chat_compression"))
        return on_compression(c, l, err);
    if (value_is(subtype, "ui_telemetry") ||
        value_is(subtype, "attribution_snapshot")) {
        counts_add(&c->counts, "kept", value_name(subtype), none);
        parents_skip(c, l->of[LINE_UUID], l->of[LINE_PARENT]);
        return QUIRE_OK;
    }
    if (!value_is(subtype, "slash_command"))
        counts_add(&c->counts, "unknown", bytes_str("system"),
                   value_name(subtype));
    return add_custom(c, l,
                      value_is_string(subtype) ? value_name(subtype)
                                               : bytes_str("system"),
                      err);
}

/* ---- records ------------------------------------------------------------ */

static quire_status record(struct import_converter *c, quire_bytes text,
                           struct json_error *bad, quire_error *err)
{
    struct line l = {.text = text};
    struct fields f = {.names = line_fields, .n = N_LINE_FIELDS, .of = l.of};
    quire_bytes type;
    size_t i;

    if (!fields_parse(text, &f, bad))
        return QUIRE_OK;
    type = l.of[LINE_TYPE];
    convert_stamp(c, l.of[LINE_TIMESTAMP]);
    convert_first_fact(c, FACT_SESSION, l.of[LINE_SESSION]);
    convert_first_fact(c, FACT_CWD, l.of[LINE_CWD]);
    convert_fact(c, FACT_VERSION, l.of[LINE_VERSION]);
    convert_fact(c, FACT_BRANCH, l.of[LINE_BRANCH]);
    for (i = 0; i < f.n_unknown; i++)
        counts_add(&c->counts, "field", value_name(type),
                   value_name(f.unknown[i]));
    if (value_is(type, "user"))
        return on_user(c, &l, err);
    if (value_is(type, "assistant"))
        return on_assistant(c, &l, err);
    if (value_is(type, "tool_result"))
        return on_result(c, &l, err);
    if (value_is(type, "system"))
        return on_system(c, &l, err);
    counts_add(&c->counts, "unknown",
               value_is_string(type) ? value_name(type) : bytes_str("record"),
               none);
    return add_custom(c, &l,
                      value_is_string(type) ? value_name(type)
                                            : bytes_str("record"),
                      err);
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
    calls_save(&qwen_of(c)->calls, out);
}

static void restore(struct import_converter *c, struct state_reader *r)
{
    calls_restore(&qwen_of(c)->calls, c->tree.n, r);
}

static const char *const record_starts[] = {"{\"uuid\":\"",
                                            "{\"parentUuid\":", NULL};

const struct import_format import_qwen = {
    .name = "qwen",
    .version = 1,
    .record_starts = record_starts,
    .state_size = sizeof(struct qwen),
    .init = init,
    .record = record,
    .finish = finish,
    .save = save,
    .restore = restore,
};

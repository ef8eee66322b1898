/*
 * event_text.c - see event_text.h
 *
 * A text is joined from values of the file, which stay, and from payloads, which
 * are decoded into buffers or lent by the blobs until the next one. So what was
 * joined is copied before another payload is decoded; a text of one payload is
 * not copied.
 */
#include "jp/event_text.h"

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "jp/priv.h"
#include "search/text_join.h"

struct event_reader {
    struct event_blobs blobs;
    event_text_fn each;
    void *ctx;
    struct event_place place;
    unsigned n_parts; /* of the event so far       */
    struct tool_names tools;
    struct arena tmp;      /* of one event              */
    struct buf plain, raw; /* of one payload            */
    bool failed;           /* no memory for an earlier one */
    uint64_t room;         /* bytes of blobs that the event may still fetch */
    struct buf out;        /* of one text               */
    struct text_join join;
};

/* ---- output ------------------------------------------------------------- */

static void begin_text(struct event_reader *r)
{
    text_join_begin(&r->join, &r->out);
}

/* Report the joined text, with the other members of `t`. */
static quire_status emit_text(struct event_reader *r, struct entry_text t,
                              quire_error *err)
{
    quire_status st;

    if (r->failed || r->plain.failed || r->raw.failed)
        return err_memory(err);
    st = text_join_end(&r->join, &t.text, err);
    if (st || (!t.text.len && !t.tool.len && !t.is_error && !t.has_image))
        return st;
    t.part = r->n_parts++;
    return r->each(r->ctx, &r->place, &t, err);
}

/* A string, or one in JP's {"text": …}. */
static void join_string(struct event_reader *r, quire_bytes value)
{
    if (json_kind(value) == JSON_OBJECT)
        value = json_get(value, "text");
    if (json_kind(value) == JSON_STRING)
        text_join_value(&r->join, value);
}

static quire_status emit_string(struct event_reader *r, enum text_kind kind,
                                enum text_role role, quire_bytes value,
                                quire_error *err)
{
    begin_text(r);
    join_string(r, value);
    return emit_text(r, (struct entry_text){.kind = kind, .role = role}, err);
}

/* The content of a string; empty if it is none. */
static quire_status decode_name(struct event_reader *r, quire_bytes value,
                                quire_bytes *out, quire_error *err)
{
    *out = bytes_of("", 0);
    if (json_kind(value) != JSON_STRING)
        return QUIRE_OK;
    *out = json_text(value, &r->tmp);
    return out->data ? QUIRE_OK : err_memory(err);
}

/* ---- payloads ----------------------------------------------------------- */

/* Make room for a payload: the text so far may be in the same buffers. */
static void begin_payload(struct event_reader *r)
{
    text_join_settle(&r->join);
    r->failed |= r->plain.failed || r->raw.failed;
    buf_clear(&r->plain);
    buf_clear(&r->raw);
}

/* A string that JP writes in base64. */
static void join_bare(struct event_reader *r, quire_bytes string)
{
    begin_payload(r);
    json_decode(string, &r->plain);
    if (bare_is_base64(buf_bytes(&r->plain), &r->raw))
        text_join_plain(&r->join, buf_bytes(&r->raw));
    else
        text_join_plain(&r->join, buf_bytes(&r->plain));
}

/* Bytes are text if they are UTF-8. */
static void join_base64(struct event_reader *r, quire_bytes string)
{
    begin_payload(r);
    json_decode(string, &r->plain);
    if (base64_decode(buf_bytes(&r->plain), &r->raw) &&
        utf8_check(buf_bytes(&r->raw)))
        text_join_plain(&r->join, buf_bytes(&r->raw));
}

/* An event may refer to the same blob many times: the sum is limited, so that a
 * small file does not become a huge text. */
static quire_status join_blob(struct event_reader *r, const struct payload *p,
                              quire_error *err)
{
    uint64_t limit = payload_limit(p);
    quire_error own = {0};
    quire_bytes content = {"", 0};
    quire_status st;

    if (!r->blobs.fetch)
        return QUIRE_OK;
    begin_payload(r);
    limit = limit < r->room ? limit : r->room;
    st = r->blobs.fetch(r->blobs.ctx, &p->digest, limit, &content, &own);
    if (!st && content.len <= limit && utf8_check(content)) {
        r->room -= content.len;
        text_join_plain(&r->join, content);
    }
    if (st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED || st == QUIRE_TOO_LARGE)
        return QUIRE_OK;
    if (st && err)
        *err = own;
    return st;
}

static quire_status join_payload(void *ctx, const struct payload *p,
                                 quire_error *err)
{
    struct event_reader *r = ctx;

    switch (p->form) {
    case FORM_ANSWER: join_bare(r, p->string); break;
    case FORM_STRING:
    case FORM_TEXT: text_join_value(&r->join, p->string); break;
    case FORM_BASE64: join_base64(r, p->string); break;
    case FORM_REF: return join_blob(r, p, err);
    case FORM_ODD: break;
    }
    return QUIRE_OK;
}

static bool is_image(quire_bytes resource)
{
    quire_bytes type = json_get(resource, "mimeType");

    return json_kind(type) == JSON_STRING &&
           bytes_starts(type, bytes_str("\"image/"));
}

/* A block of a response, or an item of a request's resources, which is a
 * resource itself unless it has one. */
static quire_status join_block(struct event_reader *r, quire_bytes block,
                               bool attached, bool *has_image, quire_error *err)
{
    quire_bytes inner = json_get(block, "resource"), resource = {NULL, 0};

    if (json_kind(block) != JSON_OBJECT)
        return QUIRE_OK;
    if (json_kind(inner) == JSON_OBJECT)
        resource = inner;
    else if (attached)
        resource = block;
    if (resource.data) {
        join_string(r, json_get(resource, "uri"));
        *has_image |= is_image(resource);
    }
    if (json_is(json_get(block, "type"), "question")) {
        join_string(r, json_get(json_get(block, "question"), "text"));
        join_string(r, json_get(block, "text"));
    }
    return payloads_of_block(block, attached && resource.data == block.data,
                             join_payload, r, err);
}

/* ---- events ------------------------------------------------------------- */

static quire_status read_resources(struct event_reader *r, quire_bytes list,
                                   quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    json_iter_init(&it, list);
    while (!st && json_next(&it)) {
        struct entry_text t = {.kind = TEXT_MESSAGE, .role = TEXT_ROLE_USER};

        begin_text(r);
        st = join_block(r, it.value, true, &t.has_image, err);
        if (!st)
            st = emit_text(r, t, err);
    }
    return st;
}

static quire_status read_request(struct event_reader *r, quire_bytes event,
                                 quire_error *err)
{
    struct json_want w[] = {JSON_WANT("content"), JSON_WANT("resources")};
    quire_status st;

    json_pick(event, w, 2, NULL);
    st = emit_string(r, TEXT_MESSAGE, TEXT_ROLE_USER, w[0].value, err);
    if (!st && json_kind(w[1].value) == JSON_ARRAY)
        st = read_resources(r, w[1].value, err);
    return st;
}

static quire_status read_response(struct event_reader *r, quire_bytes event,
                                  quire_error *err)
{
    struct json_want w[] = {JSON_WANT("reasoning"), JSON_WANT("message"),
                            JSON_WANT("data")};
    struct entry_text t = {.kind = TEXT_MESSAGE, .role = TEXT_ROLE_ASSISTANT};
    quire_status st;

    json_pick(event, w, 3, NULL);
    st = emit_string(r, TEXT_THINKING, t.role, w[0].value, err);
    if (st)
        return st;
    begin_text(r);
    join_string(r, w[1].value);
    if (w[2].value.data)
        text_join_within(&r->join, w[2].value);
    return emit_text(r, t, err);
}

static void join_arguments(struct event_reader *r, quire_bytes value)
{
    enum json_step step;
    struct json_scan s;

    json_scan_init(&s, value);
    do {
        step = json_scan_next(&s);
        if (step != JSON_STEP_SCALAR)
            continue;
        if (json_kind(s.value) == JSON_STRING)
            join_bare(r, s.value);
        else
            text_join_value(&r->join, s.value);
    } while (step != JSON_STEP_END && step != JSON_STEP_BAD);
}

static quire_status read_call(struct event_reader *r, quire_bytes event,
                              quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("name"),
                            JSON_WANT("arguments")};
    struct entry_text t = {.kind = TEXT_TOOL_INPUT,
                           .role = TEXT_ROLE_ASSISTANT};
    quire_status st;

    json_pick(event, w, 3, NULL);
    st = tool_names_add(&r->tools, w[0].value, w[1].value, err);
    if (!st)
        st = decode_name(r, w[1].value, &t.tool, err);
    if (st)
        return st;
    begin_text(r);
    if (w[2].value.data)
        join_arguments(r, w[2].value);
    return emit_text(r, t, err);
}

static quire_status read_result(struct event_reader *r, quire_bytes event,
                                quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("content"),
                            JSON_WANT("is_error")};
    struct entry_text t = {.kind = TEXT_TOOL_RESULT, .role = TEXT_ROLE_TOOL};
    quire_status st = QUIRE_OK;
    struct json_scan it;

    json_pick(event, w, 3, NULL);
    json_read_bool(w[2].value, &t.is_error);
    t.tool = tool_names_get(&r->tools, w[0].value);
    begin_text(r);
    if (json_kind(w[1].value) == JSON_ARRAY) {
        json_iter_init(&it, w[1].value);
        while (!st && json_next(&it))
            st = join_block(r, it.value, false, &t.has_image, err);
    } else {
        st = payloads_of_event(event, join_payload, r, err);
    }
    return st ? st : emit_text(r, t, err);
}

/* A question is of a tool, which has a name, or of one of the roles. */
static quire_status read_inquiry(struct event_reader *r, quire_bytes event,
                                 quire_error *err)
{
    quire_bytes source = json_get(event, "source"),
                origin = json_get(source, "source");
    struct entry_text t = {.kind = TEXT_MESSAGE};
    quire_status st = decode_name(r, origin, &origin, err);

    if (!st && text_role_of(origin, &t.role) && t.role == TEXT_ROLE_TOOL)
        st = decode_name(r, json_get(source, "name"), &t.tool, err);
    begin_text(r);
    join_string(r, json_get(json_get(event, "question"), "text"));
    return st ? st : emit_text(r, t, err);
}

static quire_status read_answer(struct event_reader *r, quire_bytes event,
                                quire_error *err)
{
    quire_bytes answer = json_get(event, "answer");

    begin_text(r);
    if (answer.data)
        text_join_within(&r->join, answer);
    return emit_text(r,
                     (struct entry_text){.kind = TEXT_MESSAGE,
                                         .role = TEXT_ROLE_USER},
                     err);
}

static quire_status read_compaction(struct event_reader *r, quire_bytes event,
                                    quire_error *err)
{
    quire_bytes summary = json_get(event, "summary");

    if (json_kind(summary) == JSON_OBJECT)
        summary = json_get(summary, "summary");
    return emit_string(r, TEXT_SUMMARY, TEXT_ROLE_NONE, summary, err);
}

static quire_status read_event(struct event_reader *r, quire_bytes event,
                               quire_error *err)
{
    static const struct {
        const char *type;
        quire_status (*read)(struct event_reader *r, quire_bytes event,
                             quire_error *err);
    } types[] = {
        {"chat_request", read_request},    {"chat_response", read_response},
        {"tool_call_request", read_call},  {"tool_call_response", read_result},
        {"inquiry_request", read_inquiry}, {"inquiry_response", read_answer},
        {"compaction", read_compaction},
    };
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("event_id"),
                            JSON_WANT("timestamp")};
    quire_status st;
    size_t i;

    json_pick(event, w, 3, NULL);
    event_time(w[2].value, &r->place.time_us);
    st = decode_name(r, w[0].value, &r->place.type, err);
    if (!st)
        st = decode_name(r, w[1].value, &r->place.id, err);
    for (i = 0; !st && i < sizeof types / sizeof *types; i++)
        if (bytes_is(r->place.type, types[i].type))
            return types[i].read(r, event, err);
    return st;
}

/* ---- pairs, before there were events ------------------------------------ */

static quire_status read_said(struct event_reader *r, enum text_role role,
                              quire_bytes value, quire_error *err)
{
    static const char *const keys[] = {"query", "content", "text", "message"};
    quire_bytes said = value;
    size_t i;

    for (i = 0; json_kind(value) == JSON_OBJECT && i < 4; i++) {
        said = json_get(value, keys[i]);
        if (json_kind(said) == JSON_STRING)
            break;
    }
    return emit_string(r, TEXT_MESSAGE, role, said, err);
}

static quire_status read_pair(struct event_reader *r, quire_bytes pair,
                              quire_error *err)
{
    struct json_want w[] = {JSON_WANT("timestamp"), JSON_WANT("message"),
                            JSON_WANT("reply")};
    quire_status st;

    json_pick(pair, w, 3, NULL);
    event_time(w[0].value, &r->place.time_us);
    st = read_said(r, TEXT_ROLE_USER, w[1].value, err);
    if (!st)
        st = emit_string(r, TEXT_THINKING, TEXT_ROLE_ASSISTANT,
                         json_get(w[2].value, "reasoning"), err);
    return st ? st : read_said(r, TEXT_ROLE_ASSISTANT, w[2].value, err);
}

/* ---- whole text --------------------------------------------------------- */

static quire_status read_array(struct event_reader *r, quire_bytes json,
                               bool legacy, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;
    uint64_t index;

    json_iter_init(&it, json);
    for (index = 0; !st && json_next(&it); index++) {
        if (json_kind(it.value) != JSON_OBJECT)
            continue;
        r->n_parts = 0;
        r->room = CONVERSATION_MAX;
        r->place = (struct event_place){.index = index,
                                        .id = {"", 0},
                                        .type = {"", 0}};
        st = legacy ? read_pair(r, it.value, err)
                    : read_event(r, it.value, err);
        arena_reset(&r->tmp);
    }
    return st;
}

quire_status event_texts(quire_bytes text, bool legacy, const char *where,
                         struct event_blobs blobs, event_text_fn each,
                         void *ctx, quire_error *err)
{
    /* Damage becomes U+FFFD: at worst, a byte becomes three. */
    struct event_reader r = {.blobs = blobs,
                             .each = each,
                             .ctx = ctx,
                             .plain = BUF_INIT(3 * CONVERSATION_MAX),
                             .raw = BUF_INIT(3 * CONVERSATION_MAX),
                             .out = BUF_INIT(4 * CONVERSATION_MAX)};
    quire_bytes json = {NULL, 0};
    quire_status st = events_check(text, where, &json, err);

    if (!st)
        st = tool_names_init(&r.tools, err);
    if (!st)
        st = read_array(&r, json, legacy, err);
    tool_names_release(&r.tools);
    buf_release(&r.plain);
    buf_release(&r.raw);
    buf_release(&r.out);
    arena_release(&r.tmp);
    return st;
}

/*
 * render.c - a conversation to be read
 *
 * Each event becomes a part or some, in the order of the file, with its content
 * wherever that lies. What the style leaves out is not opened: a brief look at
 * a conversation reads its events.json and nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "jp/priv.h"

struct rendering {
    quire_bytes text;
    struct blob_view blobs;
    const quire_print_options *o;
    struct problem_sink *sink;
    quire_part_fn each;
    void *ctx;
    uint64_t turn, first, last; /* this one; the ones that are shown */
    bool marked;                /* turns are marked in the file      */
    struct tool_names tools;
    struct arena tmp;      /* of one event                */
    struct buf plain, raw; /* of one payload              */
    quire_part part;       /* what parts of an event share */
};

/* ---- output ------------------------------------------------------------- */

static quire_status emit_part(struct rendering *r, const char *kind,
                              quire_bytes label, quire_bytes text,
                              quire_error *err)
{
    quire_part part = r->part;

    if (r->turn < r->first || r->turn > r->last)
        return QUIRE_OK;
    part.kind = kind;
    part.label = label;
    part.text = text;
    part.bytes = text.len;
    part.turn = r->turn;
    return r->each(r->ctx, &part, err);
}

/* The text of a string; another value is laid out to be read. */
static quire_bytes text_of(struct rendering *r, quire_bytes value)
{
    struct buf lines = BUF_INIT(CONVERSATION_MAX);
    quire_bytes text = {NULL, 0};

    if (json_kind(value) == JSON_STRING)
        return json_text(value, &r->tmp);
    json_indent(value, &lines);
    if (!lines.failed)
        text = arena_dup(&r->tmp, buf_bytes(&lines));
    buf_release(&lines);
    return text;
}

static quire_status emit_value(struct rendering *r, const char *kind,
                               quire_bytes label, quire_bytes value,
                               quire_error *err)
{
    quire_bytes text;

    if (!value.data)
        return QUIRE_OK;
    text = text_of(r, value);
    return text.data ? emit_part(r, kind, label, text, err) : err_memory(err);
}

/* ---- content ------------------------------------------------------------ */

struct showing {
    struct rendering *r;
    const char *kind;
    quire_bytes label;
};

static quire_status emit_lost(struct showing *s, const struct payload *p,
                              const char *kind, const char *what,
                              quire_error *err)
{
    struct rendering *r = s->r;
    quire_status st = report_problem(r->sink, r->text, p->value.data, kind,
                                     what, err);

    r->part.missing = 1;
    if (!st)
        st = emit_part(r, s->kind, s->label, bytes_str(what), err);
    r->part.missing = 0;
    return st;
}

/* A brief look knows how large it is without opening it. */
static quire_status emit_size(struct showing *s, uint64_t size,
                              quire_error *err)
{
    struct rendering *r = s->r;
    quire_part part = r->part;

    if (r->turn < r->first || r->turn > r->last)
        return QUIRE_OK;
    part.kind = s->kind;
    part.label = s->label;
    part.text = bytes_of("", 0);
    part.bytes = size;
    part.turn = r->turn;
    return r->each(r->ctx, &part, err);
}

static quire_status show_payload(void *ctx, const struct payload *p,
                                 quire_error *err)
{
    struct showing *s = ctx;
    struct rendering *r = s->r;
    bool brief = r->o->style == QUIRE_PRINT_BRIEF;
    struct ref_problem bad = {.kind = NULL};
    const char *odd = p->odd;
    quire_bytes content = {"", 0};
    quire_status st = QUIRE_OK;

    if (r->turn < r->first || r->turn > r->last)
        return QUIRE_OK;
    if (p->form == FORM_REF && brief)
        return emit_size(s, p->size, err);
    if (p->form == FORM_REF)
        st = payload_fetch(p, r->blobs, UINT64_MAX, &content, &bad, err);
    else if (p->form != FORM_ODD)
        odd = payload_content(p, &r->plain, &r->raw, &content);
    if (!st && (r->plain.failed || r->raw.failed))
        st = err_memory(err);
    if (!st && bad.kind && !bad.lost) {
        st = report_problem(r->sink, r->text, p->value.data, bad.kind, bad.what,
                            err);
        bad.kind = NULL;
    }
    if (st)
        return st;
    if (bad.kind || odd)
        return emit_lost(s, p, bad.kind ? bad.kind : "odd",
                         bad.kind ? bad.what : odd, err);
    return brief ? emit_size(s, content.len, err)
                 : emit_part(r, s->kind, s->label, content, err);
}

static quire_status show_block(struct rendering *r, const char *kind,
                               quire_bytes label, quire_bytes block,
                               quire_error *err)
{
    struct showing s = {r, kind, label};
    quire_bytes resource = json_get(block, "resource"), uri;

    if (json_is(json_get(block, "type"), "question"))
        return r->o->style == QUIRE_PRINT_BRIEF
                   ? QUIRE_OK
                   : emit_value(r, "question", label, block, err);
    if (json_kind(resource) == JSON_OBJECT) {
        uri = json_get(resource, "uri");
        s.kind = "resource";
        s.label = uri.data ? text_of(r, uri) : bytes_of("", 0);
    }
    return payloads_of_block(block, false, show_payload, &s, err);
}

static quire_status show_resources(struct rendering *r, quire_bytes list,
                                   quire_error *err)
{
    static const quire_bytes none = {"", 0};
    struct json_scan it;
    quire_status st = QUIRE_OK;

    json_iter_init(&it, list);
    while (!st && json_next(&it)) {
        struct showing s = {r, "resource", none};
        quire_bytes uri = json_get(it.value, "uri");

        if (json_kind(it.value) != JSON_OBJECT)
            continue;
        if (json_kind(json_get(it.value, "resource")) == JSON_OBJECT) {
            st = show_block(r, "resource", none, it.value, err);
            continue;
        }
        if (uri.data)
            s.label = text_of(r, uri);
        st = payloads_of_block(it.value, true, show_payload, &s, err);
    }
    return st;
}

/* ---- tools -------------------------------------------------------------- */

/* Every string in the arguments is base64 today. */
static quire_status show_arguments(struct rendering *r, quire_bytes label,
                                   quire_bytes arguments, quire_error *err)
{
    struct buf out = BUF_INIT(CONVERSATION_MAX),
               one = BUF_INIT(CONVERSATION_MAX);
    struct json_edits edits;
    struct json_scan s;
    enum json_step step;
    quire_bytes plain;
    quire_status st = QUIRE_OK;

    json_edits_init(&edits, arguments, &r->tmp);
    json_scan_init(&s, arguments);
    do {
        step = json_scan_next(&s);
        if (step != JSON_STEP_SCALAR || json_kind(s.value) != JSON_STRING)
            continue;
        buf_clear(&r->plain);
        buf_clear(&r->raw);
        buf_clear(&one);
        json_decode(s.value, &r->plain);
        if (!bare_is_base64(buf_bytes(&r->plain), &r->raw))
            continue;
        json_add_quoted(&one, buf_bytes(&r->raw));
        plain = arena_dup(&r->tmp, buf_bytes(&one));
        edits.failed = edits.failed || !plain.data;
        json_edit_value(&edits, s.value, plain);
    } while (step != JSON_STEP_END && step != JSON_STEP_BAD);
    if (!edits.failed)
        json_splice(&edits, &out);
    st = edits.failed ? err_memory(err)
                      : buf_status(&out, "the arguments of a call", err);
    if (!st)
        st = emit_value(r, "call", label, buf_bytes(&out), err);
    buf_release(&one);
    buf_release(&out);
    return st;
}

static quire_status show_call(struct rendering *r, quire_bytes event,
                              quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("name"),
                            JSON_WANT("arguments")};
    quire_bytes name;
    quire_status st;

    json_pick(event, w, 3, NULL);
    st = tool_names_add(&r->tools, w[0].value, w[1].value, err);
    if (st || r->o->style > QUIRE_PRINT_BRIEF)
        return st;
    name = w[1].value.data ? text_of(r, w[1].value) : bytes_of("", 0);
    if (r->o->style == QUIRE_PRINT_BRIEF || !w[2].value.data)
        return emit_part(r, "call", name, bytes_of("", 0), err);
    return show_arguments(r, name, w[2].value, err);
}

static quire_status show_answer(struct rendering *r, quire_bytes event,
                                quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("content"),
                            JSON_WANT("is_error")};
    struct showing s = {.r = r, .kind = "result"};
    struct json_scan it;
    quire_status st = QUIRE_OK;
    bool failed = false;

    if (r->o->style > QUIRE_PRINT_BRIEF)
        return QUIRE_OK;
    json_pick(event, w, 3, NULL);
    if (json_read_bool(w[2].value, &failed) && failed)
        s.kind = "error";
    s.label = tool_names_get(&r->tools, w[0].value);
    if (json_kind(w[1].value) != JSON_ARRAY)
        return payloads_of_event(event, show_payload, &s, err);
    json_iter_init(&it, w[1].value);
    while (!st && json_next(&it))
        st = show_block(r, s.kind, s.label, it.value, err);
    return st;
}

/* ---- the other events --------------------------------------------------- */

static quire_status show_request(struct rendering *r, quire_bytes event,
                                 quire_error *err)
{
    struct json_want w[] = {JSON_WANT("content"), JSON_WANT("author"),
                            JSON_WANT("resources")};
    quire_bytes author = {"", 0};
    quire_status st;

    json_pick(event, w, 3, NULL);
    if (json_kind(w[1].value) == JSON_STRING)
        author = text_of(r, w[1].value);
    st = emit_value(r, "user", author, w[0].value, err);
    if (!st && json_kind(w[2].value) == JSON_ARRAY &&
        r->o->style <= QUIRE_PRINT_BRIEF)
        st = show_resources(r, w[2].value, err);
    return st;
}

static quire_status show_response(struct rendering *r, quire_bytes event,
                                  quire_error *err)
{
    static const quire_bytes none = {"", 0};
    struct json_want w[] = {JSON_WANT("message"), JSON_WANT("reasoning"),
                            JSON_WANT("data")};
    quire_status st;

    if (r->o->style == QUIRE_PRINT_USER)
        return QUIRE_OK;
    json_pick(event, w, 3, NULL);
    st = emit_value(r, "assistant", none, w[0].value, err);
    if (!st && r->o->style == QUIRE_PRINT_FULL)
        st = emit_value(r, "reasoning", none, w[1].value, err);
    return st ? st : emit_value(r, "data", none, w[2].value, err);
}

static quire_status show_inquiry(struct rendering *r, quire_bytes event,
                                 bool asks, quire_error *err)
{
    quire_bytes label = {"", 0}, value, name;

    if (r->o->style != QUIRE_PRINT_FULL)
        return QUIRE_OK;
    if (!asks)
        return emit_value(r, "answer", label, json_get(event, "answer"), err);
    name = json_get(json_get(event, "source"), "name");
    if (json_kind(name) == JSON_STRING)
        label = text_of(r, name);
    value = json_get(json_get(event, "question"), "text");
    return emit_value(r, "question", label, value, err);
}

static quire_status show_compaction(struct rendering *r, quire_bytes event,
                                    quire_error *err)
{
    struct json_want w[] = {JSON_WANT("from_turn"), JSON_WANT("to_turn"),
                            JSON_WANT("summary")};
    quire_bytes summary;
    const char *label;

    if (r->o->style != QUIRE_PRINT_FULL)
        return QUIRE_OK;
    json_pick(event, w, 3, NULL);
    summary = json_get(w[2].value, "summary");
    label = arena_printf(&r->tmp, "turns %.*s to %.*s", (int)w[0].value.len,
                         (const char *)w[0].value.data, (int)w[1].value.len,
                         (const char *)w[1].value.data);
    if (!label)
        return err_memory(err);
    return summary.data
               ? emit_value(r, "compaction", bytes_str(label), summary, err)
               : emit_part(r, "compaction", bytes_str(label), bytes_of("", 0),
                           err);
}

static quire_status show_event(struct rendering *r, quire_bytes event,
                               quire_error *err)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("timestamp")};
    quire_bytes type;

    if (json_kind(event) != JSON_OBJECT || !json_pick(event, w, 2, NULL))
        return QUIRE_OK;
    type = w[0].value;
    r->part.at_us = 0;
    event_time(w[1].value, &r->part.at_us);
    if (json_is(type, r->marked ? "turn_start" : "chat_request"))
        r->turn++;
    if (json_is(type, "chat_request"))
        return show_request(r, event, err);
    if (json_is(type, "chat_response"))
        return show_response(r, event, err);
    if (json_is(type, "tool_call_request"))
        return show_call(r, event, err);
    if (json_is(type, "tool_call_response"))
        return show_answer(r, event, err);
    if (json_is(type, "inquiry_request") || json_is(type, "inquiry_response"))
        return show_inquiry(r, event, json_is(type, "inquiry_request"), err);
    if (json_is(type, "compaction"))
        return show_compaction(r, event, err);
    return QUIRE_OK;
}

/* ---- pairs, before there were events ------------------------------------ */

static quire_status show_said(struct rendering *r, const char *kind,
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
    if (json_kind(said) != JSON_STRING)
        return QUIRE_OK;
    return emit_value(r, kind, bytes_of("", 0), said, err);
}

static quire_status show_pair(struct rendering *r, quire_bytes pair,
                              quire_error *err)
{
    struct json_want w[] = {JSON_WANT("timestamp"), JSON_WANT("message"),
                            JSON_WANT("reply")};
    quire_bytes reasoning;
    quire_status st;

    if (json_kind(pair) != JSON_OBJECT || !json_pick(pair, w, 3, NULL))
        return QUIRE_OK;
    r->part.at_us = 0;
    event_time(w[0].value, &r->part.at_us);
    r->turn++;
    st = show_said(r, "user", w[1].value, err);
    if (st || r->o->style == QUIRE_PRINT_USER)
        return st;
    reasoning = json_get(w[2].value, "reasoning");
    if (r->o->style == QUIRE_PRINT_FULL && json_kind(reasoning) == JSON_STRING)
        st = emit_value(r, "reasoning", bytes_of("", 0), reasoning, err);
    return st ? st : show_said(r, "assistant", w[2].value, err);
}

/* ---- whole text --------------------------------------------------------- */

/* How many turns there are, and which are asked for. */
static void choose_turns(struct rendering *r, quire_bytes json, bool legacy)
{
    uint64_t starts = 0, requests = 0, all = 0, n;
    struct json_scan it;

    json_iter_init(&it, json);
    while (json_next(&it)) {
        quire_bytes type = json_get(it.value, "type");

        all += json_kind(it.value) == JSON_OBJECT;
        starts += json_is(type, "turn_start");
        requests += json_is(type, "chat_request");
    }
    r->marked = starts > 0;
    n = legacy ? all : starts ? starts : requests;
    r->first = r->o->first;
    r->last = r->o->last ? r->o->last : UINT64_MAX;
    /* What comes before the first turn belongs to it. */
    if (r->first <= 1)
        r->first = 0;
    if (r->o->tail) {
        r->first = r->o->tail < n ? n - r->o->tail + 1 : 0;
        r->last = UINT64_MAX;
    }
}

quire_status render_text(quire_bytes text, bool legacy, struct blob_view blobs,
                         const quire_print_options *options,
                         struct problem_sink *sink, quire_part_fn each,
                         void *ctx, quire_error *err)
{
    struct rendering r = {.text = text,
                          .blobs = blobs,
                          .o = options,
                          .sink = sink,
                          .each = each,
                          .ctx = ctx,
                          .plain = BUF_INIT(CONVERSATION_MAX),
                          .raw = BUF_INIT(CONVERSATION_MAX)};
    struct json_scan it;
    quire_bytes json = {NULL, 0};
    quire_status st = events_check(text, sink->where, &json, err);

    if (!st)
        st = tool_names_init(&r.tools, err);
    if (!st) {
        choose_turns(&r, json, legacy);
        json_iter_init(&it, json);
        while (!st && json_next(&it)) {
            st = legacy ? show_pair(&r, it.value, err)
                        : show_event(&r, it.value, err);
            arena_reset(&r.tmp);
        }
    }
    tool_names_release(&r.tools);
    buf_release(&r.plain);
    buf_release(&r.raw);
    arena_release(&r.tmp);
    return st;
}

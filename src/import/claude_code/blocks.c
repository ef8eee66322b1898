/*
 * blocks.c - the content of messages
 *
 *     Claude Code                          our format
 *     text                                 the same
 *     thinking, signature                  thinking, thinkingSignature
 *     redacted_thinking, data              redactedThinking, data
 *     tool_use: id, name, input            toolCall: id, name, arguments
 *     image: source {media_type, data}     image: mimeType, data
 *     document, and any other              as it stands, its data as a payload
 *
 * A tool_result is a message of its own and handled by the caller.
 */
#include "import/claude_code/claude_code.h"

enum block_field {
    BLOCK_TYPE,
    BLOCK_TEXT,
    BLOCK_THINKING,
    BLOCK_SIGNATURE,
    BLOCK_ID,
    BLOCK_NAME,
    BLOCK_INPUT,
    BLOCK_DATA,
    BLOCK_SOURCE,
    N_BLOCK_FIELDS
};

static const struct field_name block_fields[N_BLOCK_FIELDS] = {
    FIELD("type"),      FIELD("text"), FIELD("thinking"),
    FIELD("signature"), FIELD("id"),   FIELD("name"),
    FIELD("input"),     FIELD("data"), FIELD("source"),
};

static const quire_bytes none = {NULL, 0};

struct block {
    quire_bytes json;
    quire_bytes of[N_BLOCK_FIELDS];
    bool has_others; /* members that are not in the table */
    uint32_t node;
    struct answer *answer;
};

static bool is_string(quire_bytes value)
{
    return json_kind(value) == JSON_STRING;
}

static void add_member(struct buf *out, const char *key, quire_bytes json)
{
    ADD(out, ",\"");
    buf_add_str(out, key);
    ADD(out, "\":");
    add_bytes(out, json);
}

static quire_status add_text(struct import_converter *c, quire_bytes text,
                             uint32_t node, struct buf *out, quire_error *err)
{
    quire_status st;

    ADD(out, "{\"type\":\"text\",\"text\":");
    st = entry_payload(c, IMPORT_TEXT, text, none, none, node, out, err);
    buf_add_char(out, '}');
    return st;
}

static quire_status add_thinking(struct import_converter *c,
                                 const struct block *b, struct buf *out,
                                 quire_error *err)
{
    quire_status st;

    ADD(out, "{\"type\":\"thinking\",\"thinking\":");
    st = entry_payload(c, IMPORT_TEXT, b->of[BLOCK_THINKING], none, none,
                       b->node, out, err);
    if (!st && b->of[BLOCK_SIGNATURE].len > 2) {
        ADD(out, ",\"thinkingSignature\":");
        st = entry_payload(c, IMPORT_OPAQUE, b->of[BLOCK_SIGNATURE], none, none,
                           b->node, out, err);
    }
    buf_add_char(out, '}');
    return st;
}

static quire_status add_redacted(struct import_converter *c,
                                 const struct block *b, struct buf *out,
                                 quire_error *err)
{
    quire_status st;

    ADD(out, "{\"type\":\"redactedThinking\",\"data\":");
    st = entry_payload(c, IMPORT_OPAQUE, b->of[BLOCK_DATA], none, none, b->node,
                       out, err);
    buf_add_char(out, '}');
    return st;
}

static quire_status add_call(struct import_converter *c, const struct block *b,
                             struct buf *out, quire_error *err)
{
    quire_bytes input = b->of[BLOCK_INPUT];

    (void)err;
    b->answer->has_call = 1;
    calls_add(&claude_of(c)->calls, convert_text(c, b->of[BLOCK_ID]),
              b->of[BLOCK_NAME], b->node);
    ADD(out, "{\"type\":\"toolCall\"");
    add_member(out, "id", b->of[BLOCK_ID]);
    add_member(out, "name", b->of[BLOCK_NAME]);
    add_member(out, "arguments", input.data ? input : bytes_str("{}"));
    buf_add_char(out, '}');
    return QUIRE_OK;
}

/* The block as it stands, with the base64 in its source as a payload. */
static quire_status add_raw(struct import_converter *c, const struct block *b,
                            quire_bytes data, quire_bytes mime, struct buf *out,
                            quire_error *err)
{
    const char *from = b->json.data, *end = from + b->json.len;
    const char *at = data.data;
    quire_status st;

    if (!at || !is_string(data)) {
        add_bytes(out, b->json);
        return QUIRE_OK;
    }
    buf_add(out, from, (size_t)(at - from));
    st = entry_payload(c, IMPORT_IMAGE, data, mime, none, b->node, out, err);
    buf_add(out, at + data.len, (size_t)(end - at) - data.len);
    return st;
}

static quire_status add_source(struct import_converter *c,
                               const struct block *b, struct buf *out,
                               quire_error *err)
{
    struct json_want source[] = {JSON_WANT("type"), JSON_WANT("media_type"),
                                 JSON_WANT("data")};
    quire_bytes data, mime;
    quire_status st;

    if (!json_pick(b->of[BLOCK_SOURCE], source, 3, NULL) ||
        !is_string(source[0].value) || !json_is(source[0].value, "base64"))
        return add_raw(c, b, none, none, out, err);
    mime = source[1].value;
    data = source[2].value;
    if (!json_is(b->of[BLOCK_TYPE], "image") || !is_string(mime) ||
        !is_string(data))
        return add_raw(c, b, data, mime, out, err);
    ADD(out, "{\"type\":\"image\",\"data\":");
    st = entry_payload(c, IMPORT_IMAGE, data, mime, none, b->node, out, err);
    add_member(out, "mimeType", mime);
    buf_add_char(out, '}');
    return st;
}

static quire_status add_other(struct import_converter *c, const struct block *b,
                              struct buf *out, quire_error *err)
{
    quire_bytes type = b->of[BLOCK_TYPE];

    counts_add(&c->counts, "block",
               is_string(type) ? bytes_sub(type, 1, type.len - 1)
                               : bytes_str("?"),
               none);
    return add_raw(c, b, none, none, out, err);
}

static quire_status add_typed(struct import_converter *c, const struct block *b,
                              struct buf *out, quire_error *err)
{
    quire_bytes type = b->of[BLOCK_TYPE];

    if (!is_string(type))
        return add_other(c, b, out, err);
    if (json_is(type, "text") && is_string(b->of[BLOCK_TEXT]))
        return b->has_others
                   ? add_raw(c, b, none, none, out, err)
                   : add_text(c, b->of[BLOCK_TEXT], b->node, out, err);
    if (json_is(type, "tool_use") && b->answer && is_string(b->of[BLOCK_ID]) &&
        is_string(b->of[BLOCK_NAME]))
        return add_call(c, b, out, err);
    if (json_is(type, "thinking") && is_string(b->of[BLOCK_THINKING]))
        return add_thinking(c, b, out, err);
    if (json_is(type, "redacted_thinking") && is_string(b->of[BLOCK_DATA]))
        return add_redacted(c, b, out, err);
    if (b->of[BLOCK_SOURCE].data)
        return add_source(c, b, out, err);
    return add_other(c, b, out, err);
}

quire_status claude_block(struct import_converter *c, quire_bytes json,
                          uint32_t node, struct answer *a, struct buf *out,
                          quire_error *err)
{
    struct block b = {.json = json, .node = node, .answer = a};
    struct fields f = {.names = block_fields, .n = N_BLOCK_FIELDS, .of = b.of};
    struct json_error bad;

    if (out->len)
        buf_add_char(out, ',');
    if (is_string(json))
        return add_text(c, json, node, out, err);
    if (!fields_parse(json, &f, &bad)) {
        add_bytes(out, json);
        return QUIRE_OK;
    }
    b.has_others = f.n_unknown > 0;
    return add_typed(c, &b, out, err);
}

quire_status claude_blocks(struct import_converter *c, quire_bytes content,
                           uint32_t node, struct answer *a, struct buf *out,
                           quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (!content.data)
        return QUIRE_OK;
    if (json_kind(content) != JSON_ARRAY)
        return claude_block(c, content, node, a, out, err);
    json_iter_init(&it, content);
    while (!st && json_next(&it))
        st = claude_block(c, it.value, node, a, out, err);
    return st;
}

quire_bytes claude_first_text(quire_bytes content)
{
    struct json_scan it;

    if (is_string(content))
        return content;
    if (json_kind(content) != JSON_ARRAY)
        return none;
    json_iter_init(&it, content);
    while (json_next(&it)) {
        quire_bytes text = json_get(it.value, "text");

        if (is_string(text))
            return text;
    }
    return none;
}

/* blocks.c - see blocks.h */
#include "import/blocks.h"

#include <stdio.h>

#include "import/fields.h"

static const quire_bytes none = {NULL, 0};

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
    BLOCK_IMAGE_URL,
    BLOCK_REFUSAL,
    N_BLOCK_FIELDS
};

static const struct field_name block_fields[N_BLOCK_FIELDS] =
    {FIELD("type"),   FIELD("text"),      FIELD("thinking"), FIELD("signature"),
     FIELD("id"),     FIELD("name"),      FIELD("input"),    FIELD("data"),
     FIELD("source"), FIELD("image_url"), FIELD("refusal")};

/* A block of a list, and its members. */
struct block {
    quire_bytes json;
    quire_bytes of[N_BLOCK_FIELDS];
    bool has_others; /* members that are not in the table */
};

static void begin(struct blocks *b, const char *head)
{
    if (b->comma)
        buf_add_char(b->out, ',');
    b->comma = true;
    buf_add_str(b->out, head);
}

static void add_member(struct buf *out, const char *key, quire_bytes json)
{
    ADD(out, ",\"");
    buf_add_str(out, key);
    ADD(out, "\":");
    add_bytes(out, json);
}

static quire_status add_payload(struct blocks *b, enum import_payload_kind kind,
                                quire_bytes json, quire_bytes mime,
                                quire_error *err)
{
    return entry_payload(b->c, kind, json, mime,
                         kind == IMPORT_RESULT ? b->tool : none, b->node,
                         b->out, err);
}

/* ---- one block ---------------------------------------------------------- */

quire_status blocks_text(struct blocks *b, quire_bytes text, quire_error *err)
{
    quire_status st;

    begin(b, "{\"type\":\"text\",\"text\":");
    st = add_payload(b, b->is_result ? IMPORT_RESULT : IMPORT_TEXT, text, none,
                     err);
    buf_add_char(b->out, '}');
    return st;
}

quire_status blocks_thinking(struct blocks *b, quire_bytes text,
                             quire_bytes signature, quire_error *err)
{
    quire_status st;

    begin(b, "{\"type\":\"thinking\",\"thinking\":");
    st = add_payload(b, IMPORT_TEXT, text, none, err);
    if (!st && value_has_text(signature)) {
        ADD(b->out, ",\"thinkingSignature\":");
        st = add_payload(b, IMPORT_OPAQUE, signature, none, err);
    }
    buf_add_char(b->out, '}');
    return st;
}

/* Text that is JSON, spelled as a string: as the value, if it is an object. A
 * line break between its tokens becomes a space. */
static bool add_object(struct import_converter *c, quire_bytes string,
                       struct buf *out)
{
    bool bad;
    size_t i;

    if (!value_is_string(string) || string.len < 4)
        return false;
    buf_clear(&c->text);
    bad = json_decode(string, &c->text) > 0;
    c->failed |= c->text.failed;
    if (bad || c->text.failed ||
        json_kind(buf_bytes(&c->text)) != JSON_OBJECT ||
        !entry_can_hold(buf_bytes(&c->text)))
        return false;
    for (i = 0; i < c->text.len; i++)
        if (c->text.data[i] == '\n' || c->text.data[i] == '\r')
            c->text.data[i] = ' ';
    add_bytes(out, buf_bytes(&c->text));
    return true;
}

void blocks_add_input(struct import_converter *c, quire_bytes input,
                      struct buf *out)
{
    if (json_kind(input) == JSON_OBJECT) {
        add_bytes(out, input);
    } else if (!add_object(c, input, out)) {
        ADD(out, "{\"input\":");
        add_bytes(out, input.data ? input : bytes_str("null"));
        buf_add_char(out, '}');
    }
}

quire_status blocks_call(struct blocks *b, quire_bytes id, quire_bytes name,
                         quire_bytes input, quire_error *err)
{
    char place[48];

    (void)err;
    if (!value_is_string(id)) {
        snprintf(place, sizeof place, "\"call-%llx-%zx\"",
                 (unsigned long long)b->c->at, b->out->len);
        id = bytes_str(place);
    }
    if (b->answer)
        b->answer->has_call = 1;
    if (b->calls)
        calls_add(b->calls, convert_text(b->c, id), name, b->node);
    begin(b, "{\"type\":\"toolCall\"");
    add_member(b->out, "id", id);
    add_member(b->out, "name",
               value_is_string(name) ? name : bytes_str("\"\""));
    ADD(b->out, ",\"arguments\":");
    if (input.data)
        blocks_add_input(b->c, input, b->out);
    else
        ADD(b->out, "{}");
    buf_add_char(b->out, '}');
    return QUIRE_OK;
}

/* ---- images ------------------------------------------------------------- */

quire_status blocks_image(struct blocks *b, quire_bytes data, quire_bytes mime,
                          quire_error *err)
{
    quire_status st;

    begin(b, "{\"type\":\"image\",\"data\":");
    st = add_payload(b, IMPORT_IMAGE, data, mime, err);
    add_member(b->out, "mimeType",
               value_is_string(mime) ? mime : bytes_str("\"\""));
    buf_add_char(b->out, '}');
    return st;
}

/* "data:image/png;base64,…": where its parts begin. False: another URL. */
static bool split_url(quire_bytes url, size_t *mime_end, size_t *data_at)
{
    static const char prefix[] = "\"data:", mark[] = ";base64,";
    size_t head = url.len < 128 ? url.len : 128;
    const char *at;

    if (!value_is_string(url) || !bytes_starts(url, bytes_str(prefix)))
        return false;
    at = memmem(url.data, head, mark, sizeof mark - 1);
    if (!at || memchr(url.data, '\\', url.len))
        return false;
    *mime_end = (size_t)(at - (const char *)url.data);
    *data_at = *mime_end + sizeof mark - 1;
    return true;
}

/* What stands between "data:" and the mark, as a JSON string. */
static struct short_json mime_of(quire_bytes url, size_t mime_end)
{
    struct short_json mime = {.len = 0};
    size_t len = mime_end - 6;

    if (len + 2 > sizeof mime.text)
        return mime;
    mime.text[0] = mime.text[len + 1] = '"';
    memcpy(mime.text + 1, (const char *)url.data + 6, len);
    mime.len = (uint32_t)(len + 2);
    return mime;
}

/* What is behind the mark, as a JSON string. */
static void data_of(quire_bytes url, size_t data_at, struct buf *out)
{
    buf_add_char(out, '"');
    add_bytes(out, bytes_sub(url, data_at, url.len));
}

static quire_status add_document(struct blocks *b, quire_bytes data,
                                 quire_bytes mime, quire_bytes name,
                                 quire_error *err)
{
    quire_status st;

    begin(b, "{\"type\":\"document\",\"source\":{\"type\":\"base64\"");
    add_member(b->out, "media_type", mime.len ? mime : bytes_str("\"\""));
    ADD(b->out, ",\"data\":");
    st = add_payload(b, IMPORT_IMAGE, data, mime, err);
    buf_add_char(b->out, '}');
    if (value_has_text(name))
        add_member(b->out, "title", name);
    buf_add_char(b->out, '}');
    return st;
}

quire_status blocks_data_url(struct blocks *b, quire_bytes url,
                             quire_bytes name, bool *known, quire_error *err)
{
    struct buf data = BUF_INIT(IMPORT_CEILING);
    struct short_json mime;
    size_t mime_end, data_at;
    quire_status st;

    *known = split_url(url, &mime_end, &data_at);
    if (!*known)
        return QUIRE_OK;
    mime = mime_of(url, mime_end);
    data_of(url, data_at, &data);
    if (data.failed)
        st = err_memory(err);
    else if (bytes_starts(short_json_get(&mime), bytes_str("\"image/")))
        st = blocks_image(b, buf_bytes(&data), short_json_get(&mime), err);
    else
        st = add_document(b, buf_bytes(&data), short_json_get(&mime), name,
                          err);
    buf_release(&data);
    return st;
}

/* An image; its data as a JSON string of its own. */
quire_status blocks_image_url(struct blocks *b, quire_bytes url,
                              quire_error *err)
{
    struct buf data = BUF_INIT(IMPORT_CEILING);
    struct short_json mime;
    size_t mime_end, data_at;
    quire_status st;

    if (!split_url(url, &mime_end, &data_at)) {
        begin(b, "{\"type\":\"image_url\",\"image_url\":");
        st = add_payload(b, IMPORT_IMAGE_URL, url, none, err);
        buf_add_char(b->out, '}');
        return st;
    }
    mime = mime_of(url, mime_end);
    data_of(url, data_at, &data);
    st = data.failed
             ? err_memory(err)
             : blocks_image(b, buf_bytes(&data), short_json_get(&mime), err);
    buf_release(&data);
    return st;
}

/* ---- blocks as they stand ----------------------------------------------- */

quire_status blocks_raw(struct blocks *b, quire_bytes block, quire_bytes data,
                        quire_bytes mime, quire_error *err)
{
    const char *from = block.data, *end = from + block.len;
    const char *at = data.data;
    quire_status st;

    begin(b, "");
    if (!entry_can_hold(block)) {
        ADD(b->out, "{}");
        return QUIRE_OK;
    }
    if (!value_is_string(data)) {
        add_bytes(b->out, block);
        return QUIRE_OK;
    }
    buf_add(b->out, from, (size_t)(at - from));
    st = add_payload(b, IMPORT_IMAGE, data, mime, err);
    buf_add(b->out, at + data.len, (size_t)(end - at) - data.len);
    return st;
}

static quire_status add_unknown(struct blocks *b, quire_bytes block,
                                quire_bytes type, quire_error *err)
{
    counts_add(&b->c->counts, "block", value_name(type), none);
    return blocks_raw(b, block, none, none, err);
}

/* ---- a list of blocks --------------------------------------------------- */

static quire_status add_redacted(struct blocks *b, quire_bytes data,
                                 quire_error *err)
{
    quire_status st;

    begin(b, "{\"type\":\"redactedThinking\",\"data\":");
    st = add_payload(b, IMPORT_OPAQUE, data, none, err);
    buf_add_char(b->out, '}');
    return st;
}

static quire_status add_source(struct blocks *b, const struct block *k,
                               quire_error *err)
{
    struct json_want source[] = {JSON_WANT("type"), JSON_WANT("media_type"),
                                 JSON_WANT("data"), JSON_WANT("url")};
    quire_bytes data, mime;

    if (!json_pick(k->of[BLOCK_SOURCE], source, 4, NULL))
        return blocks_raw(b, k->json, none, none, err);
    if (value_is(source[0].value, "url") && value_is_string(source[3].value) &&
        value_is(k->of[BLOCK_TYPE], "image"))
        return blocks_image_url(b, source[3].value, err);
    if (!value_is(source[0].value, "base64"))
        return blocks_raw(b, k->json, none, none, err);
    mime = source[1].value;
    data = source[2].value;
    if (!value_is(k->of[BLOCK_TYPE], "image") || !value_is_string(mime) ||
        !value_is_string(data))
        return blocks_raw(b, k->json, data, mime, err);
    return blocks_image(b, data, mime, err);
}

/* A string, or an object with it. */
static quire_bytes url_of(quire_bytes image_url)
{
    return json_kind(image_url) == JSON_OBJECT ? json_get(image_url, "url")
                                               : image_url;
}

static quire_status add_typed(struct blocks *b, const struct block *k,
                              quire_error *err)
{
    quire_bytes type = k->of[BLOCK_TYPE];

    if (value_is_string(k->of[BLOCK_TEXT]))
        return value_is(type, "text") && k->has_others && !b->is_result
                   ? blocks_raw(b, k->json, none, none, err)
                   : blocks_text(b, k->of[BLOCK_TEXT], err);
    if (value_is(type, "tool_use") && b->answer &&
        value_is_string(k->of[BLOCK_ID]) && value_is_string(k->of[BLOCK_NAME]))
        return blocks_call(b, k->of[BLOCK_ID], k->of[BLOCK_NAME],
                           k->of[BLOCK_INPUT], err);
    if (value_is(type, "thinking") && value_is_string(k->of[BLOCK_THINKING]))
        return blocks_thinking(b, k->of[BLOCK_THINKING], k->of[BLOCK_SIGNATURE],
                               err);
    if (value_is(type, "redacted_thinking") &&
        value_is_string(k->of[BLOCK_DATA]))
        return add_redacted(b, k->of[BLOCK_DATA], err);
    if (k->of[BLOCK_SOURCE].data)
        return add_source(b, k, err);
    if (value_is_string(url_of(k->of[BLOCK_IMAGE_URL])))
        return blocks_image_url(b, url_of(k->of[BLOCK_IMAGE_URL]), err);
    if (value_is_string(k->of[BLOCK_REFUSAL]))
        return blocks_text(b, k->of[BLOCK_REFUSAL], err);
    return add_unknown(b, k->json, type, err);
}

quire_status blocks_add_one(struct blocks *b, quire_bytes json,
                            quire_error *err)
{
    struct block k = {.json = json};
    struct fields f = {.names = block_fields, .n = N_BLOCK_FIELDS, .of = k.of};
    struct json_error bad;

    if (value_is_string(json))
        return blocks_text(b, json, err);
    if (!fields_parse(json, &f, &bad))
        return add_unknown(b, json, none, err);
    k.has_others = f.n_unknown > 0;
    return add_typed(b, &k, err);
}

quire_status blocks_add(struct blocks *b, quire_bytes content, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (value_is_string(content))
        return blocks_text(b, content, err);
    if (json_kind(content) == JSON_OBJECT)
        return blocks_add_one(b, content, err);
    if (json_kind(content) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, content);
    while (!st && json_next(&it))
        st = blocks_add_one(b, it.value, err);
    return st;
}

quire_bytes blocks_first_text(quire_bytes content)
{
    struct json_scan it;

    if (value_is_string(content))
        return content;
    if (json_kind(content) == JSON_OBJECT) {
        quire_bytes text = json_get(content, "text");

        return value_is_string(text) ? text : none;
    }
    if (json_kind(content) != JSON_ARRAY)
        return none;
    json_iter_init(&it, content);
    while (json_next(&it)) {
        quire_bytes text = value_is_string(it.value)
                               ? it.value
                               : json_get(it.value, "text");

        if (value_is_string(text))
            return text;
    }
    return none;
}

/* content.c - the content of messages and outputs; see codex.h */
#include "import/codex/codex.h"

static const quire_bytes none = {NULL, 0};

static bool is_string(quire_bytes value)
{
    return json_kind(value) == JSON_STRING;
}

static quire_status add_text(struct import_converter *c, quire_bytes text,
                             enum import_payload_kind kind, quire_bytes tool,
                             uint32_t node, struct buf *out, quire_error *err)
{
    quire_status st;

    ADD(out, "{\"type\":\"text\",\"text\":");
    st = entry_payload(c, kind, text, none, tool, node, out, err);
    buf_add_char(out, '}');
    return st;
}

/* "data:image/png;base64,…": where its parts begin. False: another URL. */
static bool split_url(quire_bytes url, size_t *mime_end, size_t *data_at)
{
    static const char prefix[] = "\"data:", mark[] = ";base64,";
    size_t head = url.len < 128 ? url.len : 128;
    const char *at;

    if (!is_string(url) || !bytes_starts(url, bytes_str(prefix)))
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

/* An image; its data as a JSON string of its own. */
static quire_status add_image(struct import_converter *c, quire_bytes url,
                              uint32_t node, struct buf *out, quire_error *err)
{
    struct buf data = BUF_INIT(IMPORT_CEILING);
    struct short_json mime;
    size_t mime_end, data_at;
    quire_status st;

    if (!split_url(url, &mime_end, &data_at)) {
        ADD(out, "{\"type\":\"image_url\",\"image_url\":");
        st = entry_payload(c, IMPORT_IMAGE_URL, url, none, none, node, out,
                           err);
        buf_add_char(out, '}');
        return st;
    }
    mime = mime_of(url, mime_end);
    buf_add_char(&data, '"');
    add_bytes(&data, bytes_sub(url, data_at, url.len));
    ADD(out, "{\"type\":\"image\",\"data\":");
    st = data.failed
             ? err_memory(err)
             : entry_payload(c, IMPORT_IMAGE, buf_bytes(&data),
                             short_json_get(&mime), none, node, out, err);
    ADD(out, ",\"mimeType\":");
    add_bytes(out, mime.len ? short_json_get(&mime) : bytes_str("\"\""));
    buf_add_char(out, '}');
    buf_release(&data);
    return st;
}

/* A block of a message or an output. */
static quire_status add_block(struct import_converter *c, quire_bytes block,
                              enum import_payload_kind kind, quire_bytes tool,
                              uint32_t node, struct buf *out, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("text"),
                            JSON_WANT("image_url"), JSON_WANT("refusal")};

    if (is_string(block))
        return add_text(c, block, kind, tool, node, out, err);
    json_pick(block, w, 4, NULL);
    if (is_string(w[1].value))
        return add_text(c, w[1].value, kind, tool, node, out, err);
    if (is_string(w[2].value))
        return add_image(c, w[2].value, node, out, err);
    if (is_string(w[3].value))
        return add_text(c, w[3].value, kind, tool, node, out, err);
    counts_add(&c->counts, "block", codex_name(w[0].value), none);
    add_bytes(out, entry_can_hold(block) ? block : bytes_str("{}"));
    return QUIRE_OK;
}

quire_status codex_blocks(struct import_converter *c, quire_bytes content,
                          enum import_payload_kind kind, quire_bytes tool,
                          uint32_t node, struct buf *out, bool comma,
                          quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;

    if (is_string(content)) {
        if (comma)
            buf_add_char(out, ',');
        return add_text(c, content, kind, tool, node, out, err);
    }
    if (json_kind(content) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, content);
    while (!st && json_next(&it)) {
        if (comma)
            buf_add_char(out, ',');
        comma = true;
        st = add_block(c, it.value, kind, tool, node, out, err);
    }
    return st;
}

/* The first text of a content. */
quire_bytes codex_first_text(quire_bytes content)
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

/* entry.c - see entry.h */
#include "import/entry.h"

/* Sizes from which on a payload goes to the sink: of the JSON, quotes included.
 * An image's is that of our own format (docs/format.md). */
static const size_t payload_min[] = {
    [IMPORT_IMAGE] = 1026,  [IMPORT_IMAGE_URL] = 1026,
    [IMPORT_RESULT] = 4099, [IMPORT_TEXT] = (size_t)256 << 10,
    [IMPORT_OPAQUE] = 4099, [IMPORT_DATA] = 4097,
};

void add_bytes(struct buf *b, quire_bytes bytes)
{
    buf_add(b, bytes.data, bytes.len);
}

void add_uint(struct buf *b, uint64_t n)
{
    char digits[20], *at = digits + sizeof digits;

    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    buf_add(b, at, (size_t)(digits + sizeof digits - at));
}

void add_ms(struct buf *b, int64_t ms)
{
    if (ms < 0)
        buf_add_char(b, '-');
    add_uint(b, ms < 0 ? 0 - (uint64_t)ms : (uint64_t)ms);
}

void entry_add_id(struct import_converter *c, struct buf *b, uint32_t node)
{
    char id[TREE_ID_SIZE];

    if (node == TREE_NONE) {
        ADD(b, "null");
        return;
    }
    buf_add_char(b, '"');
    buf_add(b, id, tree_id(&c->tree, node, id));
    buf_add_char(b, '"');
}

void entry_begin_at(struct import_converter *c, const char *type, uint32_t node,
                    uint32_t parent, const struct stamp *stamp)
{
    struct buf *b = &c->out;

    buf_clear(b);
    ADD(b, "{\"type\":\"");
    buf_add_str(b, type);
    ADD(b, "\",\"id\":");
    entry_add_id(c, b, node);
    ADD(b, ",\"parentId\":");
    entry_add_id(c, b, parent);
    ADD(b, ",\"timestamp\":\"");
    buf_add_str(b, *stamp->text ? stamp->text : "1970-01-01T00:00:00.000Z");
    buf_add_char(b, '"');
}

void entry_begin(struct import_converter *c, const char *type, uint32_t node,
                 uint32_t parent)
{
    entry_begin_at(c, type, node, parent, &c->stamp);
}

void entry_raw(struct import_converter *c, const char *key, quire_bytes json)
{
    ADD(&c->out, ",\"");
    buf_add_str(&c->out, key);
    ADD(&c->out, "\":");
    add_bytes(&c->out, json);
}

void entry_uint(struct import_converter *c, const char *key, uint64_t n)
{
    entry_raw(c, key, bytes_of(NULL, 0));
    add_uint(&c->out, n);
}

bool entry_can_hold(quire_bytes json)
{
    enum json_step step;
    struct json_scan s;

    json_scan_init(&s, json);
    do
        step = json_scan_next(&s);
    while (step != JSON_STEP_BAD && step != JSON_STEP_END &&
           s.depth <= JSON_MAX_DEPTH / 2);
    return step == JSON_STEP_END;
}

quire_status entry_payload(struct import_converter *c,
                           enum import_payload_kind kind, quire_bytes json,
                           quire_bytes mime, quire_bytes tool, uint32_t node,
                           struct buf *out, quire_error *err)
{
    struct import_payload p = {kind, json, mime, tool, {NULL, 0}};
    char id[TREE_ID_SIZE];
    size_t before = out->len;
    quire_status st;

    if (json.len >= payload_min[kind] && c->sink.payload) {
        p.entry_id = bytes_of(id, tree_id(&c->tree, node, id));
        st = c->sink.payload(c->sink.ctx, &p, out, err);
        if (st || out->len > before)
            return st;
    }
    add_bytes(out, json);
    return out->failed ? err_memory(err) : QUIRE_OK;
}

/* entry_end.c - complete entries, on their way to the hold; see entry.h */
#include "import/entry.h"
#include "import/value.h"

quire_status entry_end(struct import_converter *c, uint32_t node,
                       quire_error *err)
{
    buf_add_char(&c->out, '}');
    return hold_entry(c, node, false, err);
}

quire_status entry_end_message(struct import_converter *c, uint32_t node,
                               quire_error *err)
{
    ADD(&c->out, ",\"timestamp\":");
    add_ms(&c->out, c->stamp.ms);
    ADD(&c->out, "}}");
    return hold_entry(c, node, true, err);
}

void entry_begin_message(struct import_converter *c, uint32_t node,
                         uint32_t parent, const char *role)
{
    entry_begin(c, "message", node, parent);
    ADD(&c->out, ",\"message\":{\"role\":\"");
    buf_add_str(&c->out, role);
    ADD(&c->out, "\",\"content\":[");
}

void entry_begin_result(struct import_converter *c, uint32_t node,
                        uint32_t parent, quire_bytes call, quire_bytes tool)
{
    quire_bytes empty = bytes_str("\"\"");

    entry_begin(c, "message", node, parent);
    ADD(&c->out, ",\"message\":{\"role\":\"toolResult\"");
    entry_raw(c, "toolCallId", value_is_string(call) ? call : empty);
    entry_raw(c, "toolName", value_is_string(tool) ? tool : empty);
    ADD(&c->out, ",\"content\":[");
}

quire_status entry_end_result(struct import_converter *c, uint32_t node,
                              bool is_error, quire_error *err)
{
    ADD(&c->out, "],\"isError\":");
    buf_add_str(&c->out, is_error ? "true" : "false");
    return entry_end_message(c, node, err);
}

quire_status entry_custom(struct import_converter *c, uint32_t node,
                          uint32_t parent, quire_bytes name, quire_bytes data,
                          quire_error *err)
{
    quire_status st = QUIRE_OK;

    entry_begin(c, "custom", node, parent);
    ADD(&c->out, ",\"customType\":\"");
    buf_add_str(&c->out, c->format->name);
    buf_add_char(&c->out, '/');
    add_bytes(&c->out, name);
    buf_add_char(&c->out, '"');
    if (data.data && !entry_can_hold(data)) {
        counts_add(&c->counts, "kept", bytes_str("deeply nested"),
                   bytes_of(NULL, 0));
        data.data = NULL;
    }
    if (data.data) {
        ADD(&c->out, ",\"data\":");
        st = entry_payload(c, IMPORT_DATA, data, bytes_of(NULL, 0),
                           bytes_of(NULL, 0), node, &c->out, err);
    }
    return st ? st : entry_end(c, node, err);
}

quire_status entry_title(struct import_converter *c, uint32_t node,
                         uint32_t parent, quire_bytes title, bool by_user,
                         quire_error *err)
{
    entry_begin(c, "title_change", node, parent);
    entry_raw(c, "title", title);
    entry_raw(c, "source", bytes_str(by_user ? "\"user\"" : "\"auto\""));
    return entry_end(c, node, err);
}

/* parts.c - rows of messages and their parts; see opencode.h */
#include "import/opencode/opencode.h"

#include <string.h>

#include "import/entry.h"
#include "import/value.h"

static const quire_bytes none = {NULL, 0};

quire_status opencode_object(struct import_converter *c, quire_bytes value,
                             quire_bytes *out, quire_error *err)
{
    struct arena *keep = &opencode_of(c)->scratch;
    quire_bytes text = value;

    *out = none;
    if (value_is_string(value)) {
        text = json_text(value, keep);
        if (!text.data)
            return err_memory(err);
        if (!json_check(text, JSON_UTF8, NULL) || !entry_can_hold(text))
            return QUIRE_OK;
    }
    while (text.len && strchr(" \t\r\n", *(const char *)text.data))
        text = bytes_sub(text, 1, text.len);
    if (json_kind(text) == JSON_OBJECT)
        *out = text;
    return QUIRE_OK;
}

quire_status opencode_row(struct import_converter *c, quire_bytes row,
                          quire_bytes *out, quire_error *err)
{
    quire_bytes data = json_get(row, "data");

    if (!data.data || json_get(row, "type").data ||
        json_get(row, "role").data) {
        *out = json_kind(row) == JSON_OBJECT ? row : none;
        return QUIRE_OK;
    }
    return opencode_object(c, data, out, err);
}

quire_bytes opencode_one_line(struct import_converter *c, quire_bytes json)
{
    char *copy, *at;

    if (!memchr(json.data, '\n', json.len) &&
        !memchr(json.data, '\r', json.len))
        return json;
    copy = arena_text(&opencode_of(c)->scratch, json);
    for (at = copy; at && *at; at++)
        if (*at == '\n' || *at == '\r')
            *at = ' ';
    return copy ? bytes_of(copy, json.len) : none;
}

static quire_status add_part(struct import_converter *c, struct message *m,
                             quire_bytes row, quire_error *err)
{
    struct json_want w[] = {JSON_WANT("type"), JSON_WANT("text")};
    struct part *p = &m->parts[m->n];
    quire_status st = opencode_row(c, row, &p->data, err);

    if (st)
        return st;
    if (!p->data.data) {
        convert_problem(c, 0, "garbage", "a part that is not JSON");
        return QUIRE_OK;
    }
    p->data = opencode_one_line(c, p->data);
    if (!p->data.data)
        return err_memory(err);
    json_pick(p->data, w, 2, NULL);
    p->type = w[0].value;
    p->text = w[1].value;
    m->n++;
    return QUIRE_OK;
}

quire_status opencode_parts(struct import_converter *c, quire_bytes list,
                            struct message *m, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct json_scan it;
    size_t n = 0;

    if (json_kind(list) != JSON_ARRAY)
        return QUIRE_OK;
    json_iter_init(&it, list);
    while (json_next(&it))
        n++;
    m->parts = arena_array(&opencode_of(c)->scratch, n, sizeof *m->parts);
    if (!m->parts)
        return err_memory(err);
    json_iter_init(&it, list);
    while (!st && json_next(&it))
        st = add_part(c, m, it.value, err);
    return st;
}

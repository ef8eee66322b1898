/* record.c - what formats read of a record: its time, texts, facts and nodes; see priv.h */
#include <string.h>

#include "base/utf8.h"
#include "import/priv.h"

void convert_problem(struct import_converter *c, size_t byte, const char *kind,
                     const char *message)
{
    struct import_problem p = {c->line, c->at + byte, kind, message};

    if (c->sink.problem)
        c->sink.problem(c->sink.ctx, &p);
}

/* As Date.toISOString() writes it: then the text can be copied. */
static bool is_canonical(quire_bytes text)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    const char *at = text.data;
    size_t i;

    if (text.len != sizeof shape - 1)
        return false;
    for (i = 0; i < text.len; i++)
        if (shape[i] == 'd' ? at[i] < '0' || at[i] > '9' : at[i] != shape[i])
            return false;
    return true;
}

static void set_stamp(struct import_converter *c, const struct stamp *s)
{
    c->stamp = *s;
    if (!c->inherited && !c->facts[FACT_CREATED].len)
        buf_add_str(&c->facts[FACT_CREATED], s->text);
    c->failed |= c->facts[FACT_CREATED].failed;
}

void convert_stamp(struct import_converter *c, quire_bytes timestamp)
{
    struct stamp s = {.ms = 0};
    quire_bytes text;

    if (json_kind(timestamp) != JSON_STRING)
        return;
    text = bytes_sub(timestamp, 1, timestamp.len - 1);
    if (!timestamp_parse(text, &s.ms))
        return;
    if (is_canonical(text))
        memcpy(s.text, text.data, text.len);
    else
        timestamp_format(s.ms * 1000, s.text);
    set_stamp(c, &s);
}

/* A number of seconds, milliseconds or microseconds, as one of milliseconds. */
static bool read_ms(quire_bytes number, int64_t *ms)
{
    const char *at = number.data, *end = at + number.len;
    int64_t n = 0, fraction = 0;
    int digits = 0, more = 0;

    for (; at < end && *at >= '0' && *at <= '9' && digits < 17; at++, digits++)
        n = n * 10 + (*at - '0');
    if (at < end && *at == '.')
        for (at++; at < end && *at >= '0' && *at <= '9'; at++)
            if (more++ < 3)
                fraction = fraction * 10 + (*at - '0');
    for (; more < 3; more++)
        fraction *= 10;
    *ms = digits > 14 ? n / 1000 : digits > 11 ? n : n * 1000 + fraction;
    return at == end && digits > 8 && digits < 17;
}

void convert_stamp_number(struct import_converter *c, quire_bytes number)
{
    struct stamp s = {.ms = 0};

    if (json_kind(number) != JSON_NUMBER || !read_ms(number, &s.ms))
        return;
    timestamp_format(s.ms * 1000, s.text);
    set_stamp(c, &s);
}

quire_bytes convert_text(struct import_converter *c, quire_bytes string)
{
    if (json_kind(string) != JSON_STRING)
        return bytes_of("", 0);
    if (string.len > 2 && !memchr(string.data, '\\', string.len))
        return bytes_sub(string, 1, string.len - 1);
    buf_clear(&c->text);
    json_decode(string, &c->text);
    c->failed |= c->text.failed;
    return bytes_of(c->text.data ? c->text.data : "", c->text.len);
}

void convert_fact(struct import_converter *c, enum fact f, quire_bytes string)
{
    struct buf *b = &c->facts[f];
    quire_bytes text;

    if (c->inherited || json_kind(string) != JSON_STRING || string.len <= 2)
        return;
    /* Most records say what the last one did. */
    text = bytes_sub(string, 1, string.len - 1);
    if (bytes_equal(buf_bytes(b), text))
        return;
    text = convert_text(c, string);
    buf_clear(b);
    buf_add(b, text.data, utf8_cut(text, b->max - 1));
    c->failed |= b->failed;
}

void convert_first_fact(struct import_converter *c, enum fact f,
                        quire_bytes string)
{
    if (!c->facts[f].len)
        convert_fact(c, f, string);
}

uint32_t convert_node(struct import_converter *c, quire_bytes id)
{
    struct tree_key key;

    if (json_kind(id) != JSON_STRING || id.len <= 2)
        return convert_part(c, 0);
    key = tree_key_of(convert_text(c, id));
    return tree_find(&c->tree, &key) == TREE_NONE ? tree_add(&c->tree, &key)
                                                  : TREE_NONE;
}

uint32_t convert_find(struct import_converter *c, quire_bytes id)
{
    struct tree_key key;

    if (json_kind(id) != JSON_STRING || id.len <= 2)
        return TREE_NONE;
    key = tree_key_of(convert_text(c, id));
    return tree_find(&c->tree, &key);
}

uint32_t convert_part(struct import_converter *c, uint32_t part)
{
    struct tree_key key = tree_key_place(c->source, c->at, part);

    return tree_add(&c->tree, &key);
}

quire_status convert_link(struct import_converter *c,
                          enum import_link_kind kind, quire_bytes string,
                          uint32_t node, quire_error *err)
{
    struct import_link l = {kind, {NULL, 0}, {"", 0}};
    char id[TREE_ID_SIZE];

    l.target = convert_text(c, string);
    if (!c->sink.link || !l.target.len)
        return QUIRE_OK;
    if (node != TREE_NONE)
        l.entry_id = bytes_of(id, tree_id(&c->tree, node, id));
    return c->sink.link(c->sink.ctx, &l, err);
}

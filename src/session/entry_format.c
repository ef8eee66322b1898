/* entry_format.c - see entry_format.h */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "session/entry_format.h"
#include "session/persist.h"

static bool key_is(quire_bytes key, const char *text)
{
    size_t len = strlen(text);

    return key.len == len + 2 && !memcmp((const char *)key.data + 1, text, len);
}

/* A string that is a reference and nothing else, quotes included. */
static bool is_ref(quire_bytes value)
{
    return value.len == QUIRE_REF_SIZE + 1 &&
           !memcmp(value.data, "\"blob:sha256:", 13);
}

/* Might persist_entry() have something to do here? It runs for every scalar, so
 * it may err, but only in this direction. */
static bool may_be_heavy(const struct json_scan *s)
{
    if (s->value.len >= PERSIST_MAX_UNITS || s->key_escaped)
        return true;
    if (s->key.len != 6 && s->key.len != 11 && s->key.len != 13)
        return false;
    return (s->value.len >= PERSIST_MIN_IMAGE && key_is(s->key, "data")) ||
           key_is(s->key, "image_url") || key_is(s->key, "partialJson") ||
           key_is(s->key, "jsonlEvents");
}

static quire_status fail_entry(quire_error *err, const char *why, size_t at)
{
    static const char hint[] =
        "an entry is one JSON object with a `type`, such as "
        "{\"type\":\"message\",\"message\":{\"role\":\"user\","
        "\"content\":\"...\"}}";

    if (at)
        return err_fail(err, QUIRE_INVALID, hint, "invalid entry: byte %zu: %s",
                        at, why);
    return err_fail(err, QUIRE_INVALID, hint, "invalid entry: %s", why);
}

/* Record a member of the entry itself; the value of a container is its bracket.
 */
static void record_member(struct entry_fields *v, const struct json_scan *s,
                          unsigned *n)
{
    bool first = (*n)++ == 0;

    if (key_is(s->key, "type")) {
        v->plain = first;
        v->type = s->value;
    } else if (key_is(s->key, "id")) {
        v->id = s->value;
        v->plain = false;
    } else if (key_is(s->key, "parentId")) {
        v->parent = s->value;
        v->plain = false;
    } else if (key_is(s->key, "timestamp")) {
        v->timestamp = s->value;
        v->plain = false;
    } else if (s->key_escaped || key_is(s->key, "quireOp")) {
        v->plain = false;
    }
}

quire_status entry_fields_read(quire_bytes entry, struct entry_fields *v,
                               quire_error *err)
{
    const char *body = NULL;
    struct json_scan s;
    enum json_step step;
    unsigned n = 0;

    *v = (struct entry_fields){.plain = false};
    json_scan_init(&s, entry);
    step = json_scan_next(&s);
    if (step != JSON_STEP_OPEN || *(const char *)s.value.data != '{')
        return fail_entry(err,
                          step == JSON_STEP_BAD ? s.error.why
                                                : "not a JSON object",
                          step == JSON_STEP_BAD ? s.error.at : 0);
    while ((step = json_scan_next(&s)) != JSON_STEP_END) {
        if (step == JSON_STEP_BAD)
            return fail_entry(err, s.error.why, s.error.at);
        if (step == JSON_STEP_CLOSE) {
            if (s.depth == 1 && body) {
                v->message = bytes_of(body, (size_t)(s.at - body));
                body = NULL;
            }
            continue;
        }
        v->heavy = v->heavy || may_be_heavy(&s);
        v->refs = v->refs || is_ref(s.value);
        if (s.depth == 1 || (s.depth == 2 && step == JSON_STEP_OPEN)) {
            record_member(v, &s, &n);
            if (key_is(s.key, "message"))
                body = step == JSON_STEP_OPEN ? s.value.data : NULL;
        } else if (s.depth == 2 && body && key_is(s.key, "role")) {
            v->role = s.value;
        }
    }
    if (json_kind(v->type) != JSON_STRING || v->type.len == 2)
        return fail_entry(err, "type is missing", 0);
    if (((const char *)v->type.data)[1] != 'm' && json_is(v->type, "session"))
        return fail_entry(err, "type \"session\" is reserved for the header",
                          0);
    return QUIRE_OK;
}

/* Copy the parts one after the other into space reserved for all of them. */
static char *add_all(char *at, const quire_bytes *parts, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        memcpy(at, parts[i].data, parts[i].len);
        at += parts[i].len;
    }
    return at;
}

static void add_front(struct buf *out, quire_bytes type,
                      const struct entry_defaults *f)
{
    quire_bytes parts[] = {bytes_str("{\"type\":"),      type,
                           bytes_str(",\"id\":"),        f->id,
                           bytes_str(",\"parentId\":"),  f->parent,
                           bytes_str(",\"timestamp\":"), f->timestamp,
                           bytes_str(",\"quireOp\":"),   f->op};
    size_t n = f->op.len ? 10 : 8, len = 0, i;
    char *room;

    for (i = 0; i < n; i++)
        len += parts[i].len;
    room = buf_room(out, len);
    if (room)
        buf_grow(out, (size_t)(add_all(room, parts, n) - room));
}

/* Add the members one by one, without those already written in front. */
static void add_rest(struct buf *out, quire_bytes entry)
{
    static const char *const front[] = {"type", "id", "parentId", "timestamp",
                                        "quireOp"};
    struct json_scan it;

    json_iter_init(&it, entry);
    while (json_next(&it)) {
        const char *from = it.key.data;
        const char *to = (const char *)it.value.data + it.value.len;
        bool skip = false;
        size_t i;

        for (i = 0; i < sizeof front / sizeof *front; i++)
            skip = skip || json_is(it.key, front[i]);
        if (skip)
            continue;
        buf_add_char(out, ',');
        buf_add(out, from, (size_t)(to - from));
    }
    buf_add_char(out, '}');
}

/* One entry, one line: valid JSON has line breaks between tokens only. */
static void join_lines(char *at, size_t len)
{
    char *end = at + len;

    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL)
        *at++ = ' ';
}

void entry_format_line(quire_bytes entry, const struct entry_fields *v,
                       const struct entry_defaults *f, struct buf *out,
                       size_t *body)
{
    const char *text = entry.data, *end = text + entry.len;
    size_t start = out->len;

    *body = 0;
    add_front(out, v->type, f);
    if (v->plain) {
        const char *rest = (const char *)v->type.data + v->type.len;
        const char *message = v->message.data;

        while (end > rest && end[-1] != '}')
            end--; /* white space behind it */
        if (message && message + v->message.len == end - 1)
            *body = out->len - start + (size_t)(message - rest);
        buf_add(out, rest, (size_t)(end - rest));
    } else {
        add_rest(out, entry);
    }
    if (!out->failed)
        join_lines(out->data + start, out->len - start);
}

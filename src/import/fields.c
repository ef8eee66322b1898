/* fields.c - see fields.h */
#include "import/fields.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"

/* Programs write members in the same order: begin behind the last hit. */
static size_t find_name(const struct field_name *names, size_t n, size_t guess,
                        quire_bytes key)
{
    const char *text = (const char *)key.data + 1;
    size_t len = key.len - 2, i, at = guess;

    for (i = 0; i < n; i++, at++) {
        if (at >= n)
            at = 0;
        if (names[at].len == len && !memcmp(names[at].name, text, len))
            return at;
    }
    if (memchr(text, '\\', len))
        for (at = 0; at < n; at++)
            if (json_is(key, names[at].name))
                return at;
    return n;
}

static bool read_member(struct json_scan *s, struct fields *f, size_t at,
                        bool is_open)
{
    quire_bytes key = s->key;

    if (at < f->n && f->inner && at == f->nested) {
        memset(f->inner->of, 0, f->inner->n * sizeof *f->inner->of);
        f->inner->n_unknown = 0;
        if (is_open && json_kind(s->value) == JSON_OBJECT) {
            f->of[at] = s->value;
            return fields_read(s, f->inner);
        }
    }
    if (is_open && !json_scan_skip(s))
        return false;
    if (at < f->n)
        f->of[at] = s->value;
    else if (f->n_unknown < FIELDS_UNKNOWN)
        f->unknown[f->n_unknown++] = key;
    return true;
}

bool fields_read(struct json_scan *s, struct fields *f)
{
    const char *from = s->value.data;
    enum json_step step;
    size_t guess = 0;

    while ((step = json_scan_next(s)) != JSON_STEP_CLOSE) {
        size_t at;

        if (step != JSON_STEP_OPEN && step != JSON_STEP_SCALAR)
            return false;
        at = find_name(f->names, f->n, guess, s->key);
        if (!read_member(s, f, at, step == JSON_STEP_OPEN))
            return false;
        if (at < f->n)
            guess = at + 1;
    }
    f->whole = bytes_of(from, (size_t)(s->at - from));
    return true;
}

bool fields_parse(quire_bytes text, struct fields *f, struct json_error *bad)
{
    struct json_scan s;
    enum json_step step;

    memset(f->of, 0, f->n * sizeof *f->of);
    f->n_unknown = 0;
    json_scan_init(&s, text);
    step = json_scan_next(&s);
    if (step == JSON_STEP_SCALAR ||
        (step == JSON_STEP_OPEN && json_kind(s.value) != JSON_OBJECT)) {
        *bad = (struct json_error){0, "not an object", false};
        return false;
    }
    if (step == JSON_STEP_OPEN && fields_read(&s, f) &&
        json_scan_next(&s) == JSON_STEP_END)
        return true;
    *bad = s.error;
    return false;
}

void fields_copy_others(quire_bytes object, const struct field_name *names,
                        size_t n, struct buf *out)
{
    struct json_scan it;
    size_t guess = 0;
    bool comma = false;

    buf_add_char(out, '{');
    json_iter_init(&it, object);
    while (json_next(&it)) {
        size_t at = find_name(names, n, guess, it.key);

        if (at < n) {
            guess = at + 1;
            continue;
        }
        if (comma)
            buf_add_char(out, ',');
        comma = true;
        buf_add(out, it.key.data, it.key.len);
        buf_add_char(out, ':');
        buf_add(out, it.value.data, it.value.len);
    }
    buf_add_char(out, '}');
}

/* whole.c - see whole.h */
#include "import/whole.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

/* Keys are short. */
enum { KEY_MAX = 256 };

/* Buffers of this size are kept from value to value. */
#define KEEP_BYTES ((size_t)1 << 20)

void whole_init(struct whole *w, const char *const *lists, size_t max,
                whole_fn each, void *ctx)
{
    *w = (struct whole){.lists = lists,
                        .max = max < WHOLE_MAX ? max : WHOLE_MAX,
                        .each = each,
                        .ctx = ctx,
                        .line = 1};
    w->value = (struct buf)BUF_INIT(w->max);
    w->key = (struct buf)BUF_INIT(KEY_MAX);
}

void whole_release(struct whole *w)
{
    buf_release(&w->value);
    buf_release(&w->key);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static quire_status problem(struct whole *w, const char *kind, quire_error *err)
{
    struct whole_value v = {.at = w->at, .line = w->line, .kind = kind};

    return w->each(w->ctx, &v, err);
}

/* The rest cannot be read. */
static quire_status give_up(struct whole *w, quire_error *err)
{
    w->place = WHOLE_END;
    w->reported = true;
    return problem(w, "garbage", err);
}

/* ---- a value ------------------------------------------------------------ */

static void begin_value(struct whole *w, enum whole_place back, char c)
{
    w->place = WHOLE_VALUE;
    w->back = back;
    w->is_key = back == WHOLE_COLON;
    w->is_scalar = c != '"' && c != '{' && c != '[';
    w->in_string = w->escaped = w->skipping = false;
    w->depth = 0;
    w->value_at = w->at;
    w->value_line = w->line;
    buf_clear(&w->value);
}

static void keep(struct whole *w, const char *from, size_t len)
{
    if (w->skipping)
        return;
    if (w->value.len + len > w->max) {
        w->skipping = true;
        buf_release(&w->value);
        w->value = (struct buf)BUF_INIT(w->max);
        return;
    }
    buf_add(&w->value, from, len);
}

static quire_status end_key(struct whole *w, quire_error *err)
{
    quire_bytes key = buf_bytes(&w->value);

    buf_clear(&w->key);
    if (!w->skipping && key.len < KEY_MAX && json_check(key, 0, NULL))
        buf_add(&w->key, key.data, key.len);
    else
        buf_add_str(&w->key, "\"\"");
    return w->key.failed ? err_memory(err) : QUIRE_OK;
}

/* A value may be spread over lines; records are on one. */
static void join_lines(struct buf *value)
{
    char *at = value->data;

    while (at &&
           (at = memchr(at, '\n', value->len - (size_t)(at - value->data))))
        *at++ = ' ';
}

static quire_status end_value(struct whole *w, quire_error *err)
{
    struct whole_value v = {.text = buf_bytes(&w->value),
                            .is_element = w->back == WHOLE_LIST,
                            .at = w->value_at,
                            .line = w->value_line,
                            .kind = w->skipping ? "too_long" : NULL};
    quire_status st;

    w->place = w->back;
    if (w->value.failed)
        return err_memory(err);
    if (w->is_key)
        return end_key(w, err);
    if (w->key.len)
        v.key = buf_bytes(&w->key);
    join_lines(&w->value);
    st = w->each(w->ctx, &v, err);
    if (w->value.cap > KEEP_BYTES)
        buf_release(&w->value);
    return st;
}

/* How many of the bytes are of the value; *ended: it ends with them. */
static size_t scan_value(struct whole *w, const char *at, size_t len,
                         bool *ended)
{
    size_t i;

    for (i = 0; i < len; i++) {
        char c = at[i];

        if (w->in_string) {
            if (w->escaped)
                w->escaped = false;
            else if (c == '\\')
                w->escaped = true;
            else if (c == '"')
                w->in_string = false;
            if (w->in_string || w->depth)
                continue;
            *ended = true;
            return i + 1;
        }
        if (w->is_scalar) {
            *ended = is_space(c) || c == ',' || c == ']' || c == '}';
            if (*ended)
                return i;
        } else if (c == '"') {
            w->in_string = true;
        } else if (c == '{' || c == '[') {
            w->depth++;
        } else if ((c == '}' || c == ']') && --w->depth == 0) {
            *ended = true;
            return i + 1;
        }
    }
    return len;
}

static quire_status take_value(struct whole *w, quire_bytes *bytes,
                               quire_error *err)
{
    bool ended = false;
    size_t n = scan_value(w, bytes->data, bytes->len, &ended);
    quire_bytes piece = bytes_sub(*bytes, 0, n);

    keep(w, piece.data, n);
    w->at += n;
    w->line += bytes_count(piece, '\n');
    *bytes = bytes_sub(*bytes, n, bytes->len);
    return ended ? end_value(w, err) : QUIRE_OK;
}

/* ---- between values ----------------------------------------------------- */

static bool is_list(const struct whole *w)
{
    const char *const *name;

    for (name = w->lists; name && *name; name++)
        if (json_is(buf_bytes(&w->key), *name))
            return true;
    return false;
}

/* A byte that begins or ends something; white space is passed over before. */
static quire_status take_mark(struct whole *w, char c, quire_error *err)
{
    bool ends_list = c == ']', ends_object = c == '}';

    switch (w->place) {
    case WHOLE_START:
        if (c != '[' && c != '{')
            return give_up(w, err);
        w->place = c == '[' ? WHOLE_LIST : WHOLE_OBJECT;
        return QUIRE_OK;
    case WHOLE_OBJECT:
        if (ends_object)
            w->place = WHOLE_END;
        else if (c == '"')
            begin_value(w, WHOLE_COLON, c);
        else if (c != ',')
            return give_up(w, err);
        return QUIRE_OK;
    case WHOLE_COLON:
        if (c != ':')
            return give_up(w, err);
        w->place = WHOLE_MEMBER;
        return QUIRE_OK;
    case WHOLE_MEMBER:
        if (c == '[' && is_list(w)) {
            w->in_object = true;
            w->place = WHOLE_LIST;
        } else if (c == ',' || ends_list || ends_object) {
            return give_up(w, err);
        } else {
            begin_value(w, WHOLE_OBJECT, c);
        }
        return QUIRE_OK;
    case WHOLE_LIST:
        if (ends_list) {
            w->place = w->in_object ? WHOLE_OBJECT : WHOLE_END;
            w->in_object = false;
        } else if (ends_object || c == ':') {
            return give_up(w, err);
        } else if (c != ',') {
            begin_value(w, WHOLE_LIST, c);
        }
        return QUIRE_OK;
    case WHOLE_VALUE:
    case WHOLE_END: break;
    }
    return w->reported ? QUIRE_OK : give_up(w, err);
}

static bool is_bom(const struct whole *w, unsigned char c)
{
    static const unsigned char bom[] = {0xef, 0xbb, 0xbf};

    return w->place == WHOLE_START && w->at < 3 && c == bom[w->at];
}

quire_status whole_feed(struct whole *w, quire_bytes bytes, quire_error *err)
{
    quire_status st = QUIRE_OK;

    while (!st && bytes.len) {
        char c = *(const char *)bytes.data;

        if (w->place == WHOLE_VALUE) {
            st = take_value(w, &bytes, err);
            continue;
        }
        if (!is_space(c) && !is_bom(w, (unsigned char)c))
            st = take_mark(w, c, err);
        if (w->place == WHOLE_VALUE)
            continue; /* its first byte is part of it */
        w->line += c == '\n';
        w->at++;
        bytes = bytes_sub(bytes, 1, bytes.len);
    }
    return st;
}

quire_status whole_end(struct whole *w, quire_error *err)
{
    if (w->place == WHOLE_START || w->place == WHOLE_END)
        return QUIRE_OK;
    w->place = WHOLE_END;
    w->at = w->at > 0 ? w->at - 1 : 0;
    return problem(w, "torn", err);
}

/* entry_lines.c - see entry_lines.h */
#include "session/entry_lines.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

/* ---- sets ---------------------------------------------------------------- */

/* Numbers are the same on every machine: the lowest byte first. */
static uint64_t number_at(const uint8_t *byte)
{
    uint64_t v = 0;
    int i;

    for (i = 7; i >= 0; i--)
        v = v << 8 | byte[i];
    return v;
}

void entry_set_add(struct entry_set *s, const quire_digest *canonical)
{
    s->n++;
    s->sum[0] += number_at(canonical->byte);
    s->sum[1] += number_at(canonical->byte + 8);
}

void entry_set_sum(const struct entry_set *s, uint8_t out[ENTRY_SUM_BYTES])
{
    int i;

    for (i = 0; i < ENTRY_SUM_BYTES; i++)
        out[i] = (uint8_t)(s->sum[i / 8] >> i % 8 * 8);
}

/* ---- ids ------------------------------------------------------------------ */

void entry_variant_suffix(const quire_digest *canonical,
                          char out[ENTRY_VARIANT_SIZE])
{
    out[0] = '~';
    hex_encode(canonical->byte, 8, out + 1);
}

/* Whether `digits` are lower-case hex digits. */
static bool are_hex(const char *digits, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (!strchr("0123456789abcdef", digits[i]) || !digits[i])
            return false;
    return true;
}

bool entry_id_is_marker(quire_bytes id, quire_bytes *target)
{
    const char *text = id.data;

    if (id.len < 11 || text[0] != '@' || text[id.len - 9] != '@' ||
        !are_hex(text + id.len - 8, 8))
        return false;
    if (target)
        *target = bytes_sub(id, 1, id.len - 9);
    return true;
}

quire_bytes entry_id_plain(quire_bytes id)
{
    quire_bytes target;

    if (entry_id_is_marker(id, &target))
        id = target;
    if (id.len > ENTRY_VARIANT_BYTES) {
        const char *end = (const char *)id.data + id.len - ENTRY_VARIANT_BYTES;

        if (*end == '~' && are_hex(end + 1, ENTRY_VARIANT_BYTES - 1))
            return bytes_sub(id, 0, id.len - ENTRY_VARIANT_BYTES);
    }
    return id;
}

/* ---- one line ------------------------------------------------------------- */

static quire_bytes trimmed(quire_bytes text)
{
    const char *at = text.data;
    size_t from = 0, to = text.len;

    while (from < to && strchr(" \t\r\n", at[from]) && at[from])
        from++;
    while (to > from && strchr(" \t\r\n", at[to - 1]) && at[to - 1])
        to--;
    return bytes_sub(text, from, to);
}

/* On one line: breaks between tokens become spaces. */
static bool on_one_line(quire_bytes *text, struct arena *keep)
{
    char *copy;
    size_t i;

    if (!memchr(text->data, '\n', text->len) &&
        !memchr(text->data, '\r', text->len))
        return true;
    copy = arena_alloc(keep, text->len);
    if (!copy)
        return false;
    memcpy(copy, text->data, text->len);
    for (i = 0; i < text->len; i++)
        if (copy[i] == '\n' || copy[i] == '\r')
            copy[i] = ' ';
    text->data = copy;
    return true;
}

static void add_quoted(struct buf *out, quire_bytes text)
{
    struct json_writer w;

    json_begin(&w, out);
    json_bytes(&w, text);
}

static quire_bytes quoted(quire_bytes text, struct arena *keep)
{
    struct buf b = BUF_INIT(1 << 16);
    quire_bytes out = {NULL, 0};

    add_quoted(&b, text);
    if (!b.failed)
        out = arena_dup(keep, buf_bytes(&b));
    buf_release(&b);
    return out;
}

void entry_line_rename(const struct entry_line *line, quire_bytes id,
                       quire_bytes parent, struct arena *keep, struct buf *out)
{
    struct json_want wants[] = {JSON_WANT("id"), JSON_WANT("parentId")};
    struct json_edits edits;

    json_edits_init(&edits, line->raw, keep);
    if (!json_pick(line->raw, wants, 2, NULL)) {
        buf_add(out, line->raw.data, line->raw.len);
        return;
    }
    if (id.data && wants[0].value.data)
        json_edit_value(&edits, wants[0].value, quoted(id, keep));
    if (parent.data && wants[1].value.data)
        json_edit_value(&edits, wants[1].value, quoted(parent, keep));
    json_splice(&edits, out);
}

/* Hash the canonical line. */
static bool hash_line(struct entry_line *line, struct arena *keep)
{
    quire_bytes id = line->id.data ? entry_id_plain(line->id) : line->id;
    quire_bytes parent = line->parent.data ? entry_id_plain(line->parent)
                                           : line->parent;
    bool same_id = id.len == line->id.len,
         same_parent = parent.len == line->parent.len;
    struct buf out = BUF_INIT(JSONL_MAX_LINE);

    if (same_id && same_parent) {
        hash_bytes(line->raw, &line->hash);
        return true;
    }
    entry_line_rename(line, same_id ? bytes_of(NULL, 0) : id,
                      same_parent ? bytes_of(NULL, 0) : parent, keep, &out);
    if (!out.failed)
        hash_bytes(buf_bytes(&out), &line->hash);
    same_id = !out.failed;
    buf_release(&out);
    return same_id;
}

bool entry_line_read(quire_bytes text, struct arena *keep,
                     struct entry_line *out)
{
    struct json_want wants[] = {JSON_WANT("type"), JSON_WANT("id"),
                                JSON_WANT("parentId")};

    *out = (struct entry_line){.raw = trimmed(text)};
    if (!on_one_line(&out->raw, keep) || !json_pick(out->raw, wants, 3, NULL) ||
        (json_kind(wants[0].value) == JSON_STRING &&
         json_is(wants[0].value, "session")))
        return false;
    if (json_kind(wants[1].value) == JSON_STRING && wants[1].value.len > 2)
        out->id = json_text(wants[1].value, keep);
    if (json_kind(wants[2].value) == JSON_STRING && wants[2].value.len > 2)
        out->parent = json_text(wants[2].value, keep);
    out->marker = out->id.data && entry_id_is_marker(out->id, NULL);
    return hash_line(out, keep);
}

void entry_marker_add(quire_bytes target, const char digits[9],
                      const char *timestamp, struct buf *out)
{
    struct buf id = BUF_INIT(1 << 16);

    buf_add_char(&id, '@');
    buf_add(&id, target.data, target.len);
    buf_addf(&id, "@%s", digits);
    buf_add_str(out, "{\"type\":\"custom\",\"id\":");
    add_quoted(out, buf_bytes(&id));
    buf_add_str(out, ",\"parentId\":");
    add_quoted(out, target);
    buf_addf(out, ",\"timestamp\":\"%s\",\"customType\":\"quire/head\"}",
             timestamp);
    if (id.failed)
        out->failed = true;
    buf_release(&id);
}

/* ---- all of a log --------------------------------------------------------- */

void entry_lines_init(struct entry_lines *e, struct log *log)
{
    *e = (struct entry_lines){.keep = ARENA_INIT};
    jsonl_init(&e->j, log, 0, 1, false);
}

void entry_lines_release(struct entry_lines *e)
{
    jsonl_release(&e->j);
    arena_release(&e->keep);
    arena_release(&e->own);
}

/* Whether a value stands before the header, or is it. */
static bool is_front(struct entry_lines *e, quire_bytes text, quire_error *err,
                     quire_status *st)
{
    quire_bytes type = json_get(text, "type");

    (void)err;
    if (e->in_body)
        return false;
    if (json_kind(type) == JSON_STRING && json_is(type, "session")) {
        quire_bytes line = trimmed(text);

        e->in_body = true;
        if (!on_one_line(&line, &e->own))
            *st = err_memory(err);
        e->header = arena_dup(&e->own, line);
        if (!e->header.data)
            *st = err_memory(err);
    }
    return true;
}

quire_status entry_lines_next(struct entry_lines *e, struct entry_line *out,
                              bool *more, quire_error *err)
{
    struct jsonl_value v;
    quire_status st;

    while (!(st = jsonl_next(&e->j, &v, more, err)) && *more) {
        if (!v.text.data || !v.is_object)
            continue;
        if (is_front(e, v.text, err, &st)) {
            if (st)
                return st;
            continue;
        }
        arena_reset(&e->keep);
        if (entry_line_read(v.text, &e->keep, out))
            return QUIRE_OK;
    }
    return st;
}

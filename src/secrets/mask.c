/* mask.c - mask the secrets of a text, of JSON, of a stream */
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json_strings.h"
#include "secrets/secrets.h"

void secrets_add_mask(struct buf *out, const char *kind)
{
    buf_addf(out, "[redacted: %s]", kind);
}

size_t secrets_mask_text(quire_bytes text, struct buf *out, secrets_fn each,
                         void *ctx)
{
    size_t done = 0, n = 0;
    struct secret s;

    while (secrets_next(text, done, SECRETS_SURE, &s)) {
        if (out) {
            buf_add(out, (const char *)text.data + done, s.at - done);
            secrets_add_mask(out, s.kind);
        }
        if (each)
            each(ctx, "", &s);
        done = s.at + s.len;
        n++;
    }
    if (out && done < text.len)
        buf_add(out, (const char *)text.data + done, text.len - done);
    return n;
}

/* ---- JSON ----------------------------------------------------------------- */

struct masking {
    bool mask;
    struct arena *keep; /* NULL: nothing to change */
    struct json_edits edits;
    struct buf decoded, masked, quoted, pointer;
    size_t n;
    secrets_fn each;
    void *ctx;
};

/* Ids that others refer to, and what its provider has signed. */
static bool is_left_alone(const struct json_string *s)
{
    static const char *const names[] =
        {"id",         "parentId",          "toolCallId",
         "timestamp",  "thinkingSignature", "signature",
         "targetId",   "encrypted_content", "textSignature",
         "responseId", "thoughtSignature",  "mimeType"};
    size_t i;

    for (i = 0; s->key.data && i < sizeof names / sizeof *names; i++)
        if (json_is(s->key, names[i]))
            return true;
    return false;
}

static const char *spell_place(struct masking *m, const struct json_string *s)
{
    const char *text;

    buf_clear(&m->pointer);
    json_pointer_add(s, &m->pointer);
    text = buf_text(&m->pointer);
    return text ? text : "";
}

/* The content of a string, in the JSON itself if it has no escapes. */
static quire_bytes decode(struct masking *m, quire_bytes value)
{
    quire_bytes inner = bytes_sub(value, 1, value.len - 1);

    if (!memchr(inner.data, '\\', inner.len))
        return inner;
    buf_clear(&m->decoded);
    json_decode(value, &m->decoded);
    return buf_bytes(&m->decoded);
}

static void replace(struct masking *m, const struct json_string *s,
                    quire_bytes with)
{
    quire_bytes kept;

    buf_clear(&m->quoted);
    json_add_quoted(&m->quoted, with);
    kept = m->quoted.failed ? bytes_of(NULL, 0)
                            : arena_dup(m->keep, buf_bytes(&m->quoted));
    m->edits.failed |= !kept.data;
    if (kept.data)
        json_edit_value(&m->edits, s->value, kept);
}

/* A member whose name says what its value is. */
static bool take_member(struct masking *m, const struct json_string *s,
                        quire_bytes text)
{
    quire_bytes name;
    struct secret found;

    if (!s->key.data)
        return false;
    name = bytes_sub(s->key, 1, s->key.len - 1);
    if (!secrets_of_member(name, text, &found))
        return false;
    m->n++;
    if (m->each)
        m->each(m->ctx, spell_place(m, s), &found);
    if (!m->mask)
        return true;
    buf_clear(&m->masked);
    secrets_add_mask(&m->masked, found.kind);
    replace(m, s, buf_bytes(&m->masked));
    return true;
}

static bool take_string(void *ctx, const struct json_string *s)
{
    struct masking *m = ctx;
    struct secret found;
    quire_bytes text;
    size_t done = 0;

    if (s->value.len < 10 || is_left_alone(s))
        return true;
    text = decode(m, s->value);
    if (m->decoded.failed)
        return false;
    if (!secrets_next(text, 0, SECRETS_SURE, &found)) {
        take_member(m, s, text);
        return !m->edits.failed;
    }
    buf_clear(&m->masked);
    do {
        m->n++;
        buf_add(&m->masked, (const char *)text.data + done, found.at - done);
        secrets_add_mask(&m->masked, found.kind);
        if (m->each)
            m->each(m->ctx, spell_place(m, s), &found);
        done = found.at + found.len;
    } while (secrets_next(text, done, SECRETS_SURE, &found));
    buf_add(&m->masked, (const char *)text.data + done, text.len - done);
    m->edits.failed |= m->masked.failed;
    if (m->mask && !m->edits.failed)
        replace(m, s, buf_bytes(&m->masked));
    return !m->edits.failed;
}

quire_status secrets_mask_json(quire_bytes json, bool mask, struct arena *keep,
                               quire_bytes *out, size_t *n, secrets_fn each,
                               void *ctx, quire_error *err)
{
    struct masking m = {.mask = mask,
                        .keep = keep,
                        .decoded = BUF_INIT((size_t)1 << 31),
                        .masked = BUF_INIT((size_t)1 << 31),
                        .quoted = BUF_INIT((size_t)1 << 31),
                        .pointer = BUF_INIT((size_t)1 << 20),
                        .each = each,
                        .ctx = ctx};
    struct buf text = BUF_INIT((size_t)1 << 31);
    quire_status st = QUIRE_OK;

    *out = json;
    json_edits_init(&m.edits, json, keep);
    json_strings(json, take_string, &m);
    *n = m.n;
    if (m.edits.n > 0 && !m.edits.failed) {
        json_splice(&m.edits, &text);
        *out = text.failed ? bytes_of(NULL, 0)
                           : arena_dup(keep, buf_bytes(&text));
    }
    if (m.edits.failed || m.decoded.failed || !out->data)
        st = err_memory(err);
    buf_release(&text);
    buf_release(&m.decoded);
    buf_release(&m.masked);
    buf_release(&m.quoted);
    buf_release(&m.pointer);
    return st;
}

/* ---- streams --------------------------------------------------------------
 *
 * Held back is the last line: no secret goes over a line break but a private key. A
 * line of more than LINE_LIMIT bytes is cut, between two values if there are any. */

enum { LINE_LIMIT = 64 * 1024 };
#define PIECE ((size_t)256 << 10)

/* Where a long line is cut. */
static size_t cut_line(quire_bytes held)
{
    const char *s = held.data;
    size_t at;

    for (at = held.len; at > held.len / 2; at--)
        if (s[at - 1] && strchr(",;{}|)\t", s[at - 1]))
            return at;
    for (at = held.len; at > held.len / 2; at--)
        if (s[at - 1] == ' ')
            return at;
    return held.len;
}

/* Up to where all is decided. */
static size_t decided(quire_bytes held)
{
    const char *s = held.data, *line = memrchr(s, '\n', held.len);
    size_t n = line ? (size_t)(line - s) + 1 : cut_line(held);
    size_t key = secrets_open_key(held, n);

    /* A key has at most 64 KiB. What stands before it in its line may reach into it. */
    if (key == n || held.len - key >= 2 * LINE_LIMIT)
        return n;
    line = memrchr(s, '\n', key);
    if (line)
        return (size_t)(line - s) + 1;
    return held.len < 4 * LINE_LIMIT ? 0 : n;
}

static void report_shifted(void *ctx, const char *place,
                           const struct secret *secret)
{
    struct secrets_stream *stream = ctx;
    struct secret s = *secret;

    s.at += stream->at;
    if (stream->each)
        stream->each(stream->ctx, place, &s);
}

static void add_piece(struct secrets_stream *s, quire_bytes piece, bool end,
                      struct buf *out)
{
    size_t n = 0;

    buf_add(&s->held, piece.data, piece.len);
    if (end)
        n = s->held.len;
    else if (s->held.len >= LINE_LIMIT ||
             (piece.len && memchr(piece.data, '\n', piece.len)))
        n = decided(buf_bytes(&s->held));
    out->failed |= s->held.failed;
    if (s->held.failed || n == 0)
        return;
    s->n += secrets_mask_text(bytes_of(s->held.data, n), out, report_shifted,
                              s);
    s->at += n;
    memmove(s->held.data, s->held.data + n, s->held.len - n);
    s->held.len -= n;
}

void secrets_stream_add(struct secrets_stream *s, quire_bytes piece, bool end,
                        struct buf *out)
{
    size_t n;

    do {
        n = piece.len < PIECE ? piece.len : PIECE;
        add_piece(s, bytes_sub(piece, 0, n), end && n == piece.len, out);
        piece = bytes_sub(piece, n, piece.len);
    } while (piece.len > 0);
}

void secrets_stream_release(struct secrets_stream *s)
{
    buf_release(&s->held);
}

/*
 * externalize.c - content goes out
 *
 * One pass finds the payloads, puts each into the store, and notes what comes
 * in its place; then the text is copied with these places changed. So the
 * memory it takes is the text twice and one payload.
 */
#include <stdio.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "blob/hash.h"
#include "jp/priv.h"

struct moving {
    quire_bytes text;
    quire_bytes unit;
    struct blob_view blobs;
    struct problem_sink *sink;
    struct moved *moved;
    struct arena tmp;
    struct json_edits edits;
    struct buf plain, raw; /* of one payload */
};

/* "\"<64 hex>\"" and the size, as they are written. */
struct ref_text {
    char hex[67], size[24];
};

static void spell_ref(const quire_blob_info *info, struct ref_text *t)
{
    char hex[65];

    hex_encode(info->digest.byte, sizeof info->digest.byte, hex);
    snprintf(t->hex, sizeof t->hex, "\"%s\"", hex);
    snprintf(t->size, sizeof t->size, "%llu", (unsigned long long)info->size);
}

/* An object with members that we do not know keeps them. */
static quire_status replace_members(struct moving *m, const struct payload *p,
                                    const struct ref_text *t, bool binary,
                                    quire_error *err)
{
    quire_bytes hex = arena_dup(&m->tmp, bytes_str(t->hex));
    quire_bytes size = arena_dup(&m->tmp, bytes_str(t->size));
    struct json_change changes[] = {{"text", {NULL, 0}},
                                    {"blob", {NULL, 0}},
                                    {"$blob", hex},
                                    {"size", size},
                                    {ENCODING, bytes_str("\"base64\"")}};

    if (!hex.data || !size.data)
        return err_memory(err);
    json_edit_members(&m->edits, p->value, changes, binary ? 5 : 4, NULL);
    return QUIRE_OK;
}

/* All that a tool answered is written as JP's document has it: a text block. */
static void write_ref(struct buf *out, const struct payload *p,
                      const struct json_style *manner, const struct ref_text *t,
                      bool binary)
{
    const struct pair pairs[] = {{"$blob", bytes_str(t->hex)},
                                 {"size", bytes_str(t->size)},
                                 {ENCODING, bytes_str("\"base64\"")}};

    if (p->answer && !p->block.data)
        write_block(out, manner, pairs, binary ? 3 : 2);
    else
        write_object(out, manner, pairs, binary ? 3 : 2);
}

static quire_status replace(struct moving *m, const struct payload *p,
                            const quire_blob_info *info, bool binary,
                            quire_error *err)
{
    struct json_style manner = json_style_of(m->text, m->unit, p->key,
                                             p->value);
    const char *end = (const char *)p->value.data + p->value.len;
    struct buf out = BUF_INIT(64 * 1024);
    quire_bytes old = p->value, with;
    struct ref_text t = {0};
    quire_status st;

    spell_ref(info, &t);
    if (p->others)
        return replace_members(m, p, &t, binary, err);
    if (p->rename) {
        old = bytes_of(p->key.data, (size_t)(end - (const char *)p->key.data));
        buf_add_str(&out, "\"content\"");
        buf_add(&out, manner.colon.data, manner.colon.len);
    }
    write_ref(&out, p, &manner, &t, binary);
    st = buf_status(&out, "a reference", err);
    with = arena_dup(&m->tmp, buf_bytes(&out));
    if (!st && !with.data)
        st = err_memory(err);
    if (!st)
        json_edit_value(&m->edits, old, with);
    buf_release(&out);
    return st;
}

/* A reference stays. It is checked as far as that is cheap; a missing blob is
 * not reported, since a partial fetch is normal. */
static quire_status check_ref(struct moving *m, const struct payload *p,
                              quire_error *err)
{
    quire_blob_info info;
    char what[200];
    quire_status st = blob_stat_within(m->blobs, &p->digest, payload_limit(p),
                                       &info, err);

    if (st)
        return st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED ? QUIRE_OK : st;
    if (info.size == p->size)
        return QUIRE_OK;
    describe_size(p, info.size, what, sizeof what);
    return report_problem(m->sink, m->text, p->value.data, "size", what, err);
}

/* Whether it was base64 and does not look like it: that is noted, so that it
 * comes back as what it was. All that a tool answered is base64 anyway. */
static bool is_binary_text(const struct payload *p, quire_bytes content)
{
    return p->form == FORM_BASE64 && !p->answer && !p->encoding &&
           utf8_check(content);
}

static quire_status move_payload(void *ctx, const struct payload *p,
                                 quire_error *err)
{
    struct moving *m = ctx;
    const char *odd = p->odd;
    quire_blob_info info;
    quire_bytes content = {NULL, 0};
    quire_status st;

    if (p->form == FORM_REF)
        return check_ref(m, p, err);
    if (p->form != FORM_ODD)
        odd = payload_content(p, &m->plain, &m->raw, &content);
    if (m->plain.failed || m->raw.failed)
        return err_memory(err);
    if (odd)
        return report_problem(m->sink, m->text, p->value.data, "odd", odd, err);
    st = blob_put(m->blobs, content, QUIRE_PUT_MOVE, &info, err);
    if (st)
        return st;
    m->moved->payloads++;
    m->moved->blobs += !info.existed;
    m->moved->bytes += content.len;
    return replace(m, p, &info, is_binary_text(p, content), err);
}

quire_status externalize_text(quire_bytes text, struct blob_view blobs,
                              struct problem_sink *sink, struct moved *moved,
                              struct buf *out, bool *changed, quire_error *err)
{
    struct moving m = {.text = text,
                       .unit = json_style_indent(text),
                       .blobs = blobs,
                       .sink = sink,
                       .moved = moved,
                       .tmp = ARENA_INIT,
                       .plain = BUF_INIT(CONVERSATION_MAX),
                       .raw = BUF_INIT(CONVERSATION_MAX)};
    quire_bytes json = {NULL, 0};
    quire_status st = events_check(text, sink->where, &json, err);

    *changed = false;
    json_edits_init(&m.edits, text, &m.tmp);
    if (!st)
        st = payloads_each(json, move_payload, &m, err);
    if (!st && m.edits.failed)
        st = err_memory(err);
    if (!st && m.edits.n > 0) {
        json_splice(&m.edits, out);
        st = buf_status(out, "a conversation", err);
        *changed = !st;
    }
    buf_release(&m.plain);
    buf_release(&m.raw);
    arena_release(&m.tmp);
    return st;
}

/* ---- is there any? ------------------------------------------------------ */

static quire_status count_one(void *ctx, const struct payload *p,
                              quire_error *err)
{
    (void)err;
    *(uint64_t *)ctx += p->form != FORM_REF && p->form != FORM_ODD;
    return QUIRE_OK;
}

quire_status externalize_count(quire_bytes text, const char *where, uint64_t *n,
                               quire_error *err)
{
    quire_bytes json = {NULL, 0};
    quire_status st = events_check(text, where, &json, err);

    *n = 0;
    return st ? st : payloads_each(json, count_one, n, err);
}

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
                                    const struct ref_text *t, quire_error *err)
{
    quire_bytes hex = arena_dup(&m->tmp, bytes_str(t->hex));
    quire_bytes size = arena_dup(&m->tmp, bytes_str(t->size));
    struct json_change changes[] = {{"text", {NULL, 0}},
                                    {"blob", {NULL, 0}},
                                    {"$blob", hex},
                                    {"size", size}};

    if (!hex.data || !size.data)
        return err_memory(err);
    json_edit_members(&m->edits, p->value, changes, 4, NULL);
    return QUIRE_OK;
}

static quire_status replace(struct moving *m, const struct payload *p,
                            const quire_blob_info *info, quire_error *err)
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
        return replace_members(m, p, &t, err);
    if (p->rename) {
        old = bytes_of(p->key.data, (size_t)(end - (const char *)p->key.data));
        buf_add_str(&out, "\"content\"");
        buf_add(&out, manner.colon.data, manner.colon.len);
    }
    write_object(&out, &manner,
                 (struct pair[]){{"$blob", bytes_str(t.hex)},
                                 {"size", bytes_str(t.size)}},
                 2);
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
    char what[160];
    quire_status st = blob_stat(m->blobs, &p->digest, &info, err);

    if (st)
        return st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED ? QUIRE_OK : st;
    if (info.size == p->size)
        return QUIRE_OK;
    snprintf(what, sizeof what,
             "blob %s has %llu bytes, not the %llu that are written here",
             digest_short(&p->digest).s, (unsigned long long)info.size,
             (unsigned long long)p->size);
    return report_problem(m->sink, m->text, p->value.data, "size", what, err);
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
    st = blob_put(m->blobs, content, 0, &info, err);
    if (st)
        return st;
    m->moved->payloads++;
    m->moved->blobs += !info.existed;
    m->moved->bytes += content.len;
    return replace(m, p, &info, err);
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

/*
 * hydrate.c - content comes back
 *
 * In the form that JP reads today: all that a tool answered is a bare string,
 * base64 as JP spells it; one of several blocks, or a resource, has {"text": …}.
 * What is not UTF-8, or was base64 in a resource, is {"blob": …}. So
 * externalizing and hydrating a file of JP's gives the same bytes.
 *
 * A text with one reference twenty times is twenty times as large afterwards:
 * the sum has a ceiling, and a blob that would exceed it is not unpacked.
 */
#include <stdio.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "jp/priv.h"

struct coming {
    quire_bytes text;
    quire_bytes unit;
    struct blob_view blobs;
    struct problem_sink *sink;
    struct moved *moved;
    struct arena tmp;
    struct json_edits edits;
    uint64_t lost;  /* references that lead nowhere, or to damage */
    uint64_t total; /* bytes of content, so far                   */
};

static quire_status report_too_large(const struct coming *c, quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_TOO_LARGE,
                               HINT_SHELL "read it with `quire jp print`",
                               "%.160s would have more than 1 GiB",
                               c->sink->where);
    return st;
}

/* The content as a JSON string, in `out`. */
static void spell_content(quire_bytes content, bool base64, struct buf *out)
{
    if (!base64) {
        json_add_quoted(out, content);
        return;
    }
    buf_add_char(out, '"');
    base64_encode(content, out);
    buf_add_char(out, '"');
}

static quire_status replace(struct coming *c, const struct payload *p,
                            quire_bytes content, quire_error *err)
{
    bool sole = p->block.data && !p->others;
    quire_bytes old = sole ? p->block : p->value;
    struct json_style manner = json_style_of(c->text, c->unit,
                                             sole ? p->block_key : p->key, old);
    bool utf8 = utf8_check(content) && !p->binary;
    bool bare = p->answer && utf8 && !p->others;
    struct buf string = BUF_INIT(CONVERSATION_MAX),
               object = BUF_INIT(CONVERSATION_MAX);
    const char *key = utf8 ? "text" : "blob";
    quire_bytes with;

    spell_content(content, bare || !utf8, &string);
    if (!bare && !p->others)
        write_object(&object, &manner, &(struct pair){key, buf_bytes(&string)},
                     1);
    with = bytes_of(NULL, 0);
    if (!string.failed && !object.failed)
        with = arena_dup(&c->tmp, buf_bytes(object.len ? &object : &string));
    buf_release(&string);
    buf_release(&object);
    if (!with.data)
        return err_memory(err);
    if (p->others) {
        struct json_change changes[] = {{"$blob", {NULL, 0}},
                                        {"size", {NULL, 0}},
                                        {key, with},
                                        {ENCODING, {NULL, 0}}};

        json_edit_members(&c->edits, p->value, changes, p->encoding ? 3 : 4,
                          NULL);
    } else {
        json_edit_value(&c->edits, old, with);
    }
    return QUIRE_OK;
}

static quire_status restore_payload(void *ctx, const struct payload *p,
                                    quire_error *err)
{
    struct coming *c = ctx;
    uint64_t room = CONVERSATION_MAX - c->total;
    struct ref_problem bad;
    quire_bytes content;
    quire_status st;

    if (p->form == FORM_ODD)
        return report_problem(c->sink, c->text, p->value.data, "odd", p->odd,
                              err);
    if (p->form != FORM_REF)
        return QUIRE_OK;
    st = payload_fetch(p, c->blobs, room, &content, &bad, err);
    if (st == QUIRE_TOO_LARGE || (!st && bad.lost && p->size > room))
        return report_too_large(c, err);
    if (!st && bad.kind)
        st = report_problem(c->sink, c->text, p->value.data, bad.kind, bad.what,
                            err);
    c->lost += !st && bad.lost;
    if (st || bad.lost)
        return st;
    c->total += content.len;
    c->moved->payloads++;
    c->moved->bytes += content.len;
    return c->lost ? QUIRE_OK : replace(c, p, content, err);
}

static quire_status report_lost(const struct coming *c, quire_error *err)
{
    quire_status st =
        err_fail(err, QUIRE_DAMAGED,
                 HINT_SHELL "fetch them from where it came from, or name their "
                            "directory with --store; nothing was changed",
                 "%.120s cannot be hydrated: %llu of its blobs %s",
                 c->sink->where, (unsigned long long)c->lost,
                 c->lost == 1 ? "is missing or damaged"
                              : "are missing or damaged");
    return st;
}

quire_status hydrate_text(quire_bytes text, struct blob_view blobs,
                          struct problem_sink *sink, struct moved *moved,
                          struct buf *out, bool *changed, quire_error *err)
{
    struct coming c = {.text = text,
                       .unit = json_style_indent(text),
                       .blobs = blobs,
                       .sink = sink,
                       .moved = moved,
                       .tmp = ARENA_INIT};
    quire_bytes json = {NULL, 0};
    quire_status st = events_check(text, sink->where, &json, err);

    *changed = false;
    json_edits_init(&c.edits, text, &c.tmp);
    if (!st)
        st = payloads_each(json, restore_payload, &c, err);
    if (!st && c.lost)
        st = report_lost(&c, err);
    if (!st && c.edits.failed)
        st = err_memory(err);
    if (!st && c.edits.n > 0) {
        json_splice(&c.edits, out);
        if (out->failed && c.total > CONVERSATION_MAX / 2)
            st = report_too_large(&c, err);
        else
            st = buf_status(out, "a conversation", err);
        *changed = !st;
    }
    arena_release(&c.tmp);
    return st;
}

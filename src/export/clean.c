/*
 * clean.c - see clean.h
 *
 * Where references stand (quire/import.h and docs/format.md):
 *
 *     data, result          of an image: base64 of the bytes
 *     data                  of redacted thinking: text
 *     thinkingSignature, encrypted_content, image_url: text
 *     data of a custom entry, replacementHistory: a JSON value
 *     any string            "<beginning>\n[2000 of 8893 bytes; all of them:
 *                           blob:sha256:<hex>]": text, if it begins so
 *     quireWhole            of an entry: the texts of its strings that were cut, and
 *                           end in a notice
 */
#include "export/clean.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "secrets/secrets.h"

enum { REF_LEN = QUIRE_REF_SIZE - 1 };

/* No line of an export is larger. */
#define CEILING ((size_t)2 << 30)

static const char scheme[] = "blob:sha256:", mark[] = " bytes; all of them: ";

/* docs/format.md: strings of 500,000 units or one less end in this. */
static const char whole_key[] = "quireWhole";
static const char cut_end[] =
    "\\n\\n[Session persistence truncated large content]\"";
enum { CUT_MIN = 499999, NOTICE_LEN = sizeof cut_end - 1 - 3 };

enum form { FORM_NONE, FORM_BASE64, FORM_TEXT, FORM_JSON };

struct scan {
    struct cleaner *c;
    struct json_scan json;
    struct json_edits edits;
    struct arena *tmp;
    quire_bytes type; /* of the object at hand: a string, or absent */
    size_t type_depth;
    bool again; /* JSON was put in, which may have references itself */

    struct json_scan whole; /* of quireWhole */
    quire_bytes next;       /* the next one; .data NULL: there is none */
    size_t n_whole, n_left; /* of them; that are not restored (yet)   */
};

static const quire_bytes none = {NULL, 0};

static bool key_is(const struct scan *s, const char *name)
{
    return s->json.key.data && json_is(s->json.key, name);
}

static bool type_is(const struct scan *s, const char *name)
{
    return s->type.data && s->type_depth == s->json.depth &&
           json_is(s->type, name);
}

/* What stands in the place of a reference that is the whole string. */
static enum form form_of(const struct scan *s)
{
    static const char *const texts[] = {"thinkingSignature",
                                        "encrypted_content", "image_url"};
    size_t i;

    if (key_is(s, "data"))
        return s->json.depth == 1               ? FORM_JSON
               : type_is(s, "redactedThinking") ? FORM_TEXT
                                                : FORM_BASE64;
    if (key_is(s, "result"))
        return FORM_BASE64;
    if (key_is(s, "replacementHistory"))
        return FORM_JSON;
    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        if (key_is(s, texts[i]))
            return FORM_TEXT;
    return FORM_NONE;
}

/* The content is lent until the next call with the store. */
static quire_status read_blob(struct scan *s, const char *ref, quire_bytes *out,
                              bool *there, quire_error *err)
{
    quire_error why = {0};
    quire_digest digest;
    quire_status st = quire_ref_parse(ref, &digest, &why);

    if (!st)
        st = quire_blob_get(s->c->q, &digest, out, &why);
    *there = !st;
    if (!st || st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED) {
        s->c->missing += !*there;
        return QUIRE_OK;
    }
    if (err)
        *err = why;
    return st;
}

static quire_status replace(struct scan *s, quire_bytes old, struct buf *b,
                            quire_error *err)
{
    quire_bytes with = b->failed ? none : arena_dup(s->tmp, buf_bytes(b));

    if (!with.data)
        return err_memory(err);
    json_edit_value(&s->edits, old, with);
    return QUIRE_OK;
}

static quire_status put_content(struct scan *s, quire_bytes old, enum form form,
                                quire_bytes content, quire_error *err)
{
    struct buf b = BUF_INIT(CEILING);
    quire_status st = QUIRE_OK;

    if (form == FORM_JSON && !json_check(content, JSON_UTF8, NULL))
        return QUIRE_OK;
    s->again |= form == FORM_JSON;
    if (form == FORM_JSON) {
        buf_add(&b, content.data, content.len);
    } else if (form == FORM_TEXT) {
        json_add_quoted(&b, content);
    } else {
        buf_add_char(&b, '"');
        base64_encode(content, &b);
        buf_add_char(&b, '"');
    }
    st = replace(s, old, &b, err);
    buf_release(&b);
    return st;
}

static quire_status hydrate_whole(struct scan *s, quire_bytes value,
                                  quire_error *err)
{
    enum form form = form_of(s);
    char ref[QUIRE_REF_SIZE];
    quire_bytes content;
    bool there;
    quire_status st;

    if (form == FORM_NONE)
        return QUIRE_OK;
    memcpy(ref, (const char *)value.data + 1, REF_LEN);
    ref[REF_LEN] = '\0';
    st = read_blob(s, ref, &content, &there, err);
    return st || !there ? st : put_content(s, value, form, content, err);
}

/* "[2000 of 8893 bytes; all of them: blob:sha256:<hex>]" at the end: where it
 * begins, how many bytes of the text are there, and of how many. */
static bool read_excerpt(quire_bytes text, size_t *kept, size_t *whole,
                         char ref[QUIRE_REF_SIZE])
{
    const char *t = text.data, *end = t + text.len, *at;
    unsigned long long n, of;
    char head[64];
    size_t len;

    if (text.len < REF_LEN + sizeof mark + 4 || end[-1] != ']')
        return false;
    at = end - 1 - REF_LEN;
    memcpy(ref, at, REF_LEN);
    ref[REF_LEN] = '\0';
    at -= sizeof mark - 1;
    if (memcmp(at, mark, sizeof mark - 1) != 0 ||
        memcmp(ref, scheme, sizeof scheme - 1) != 0)
        return false;
    for (len = 0; at > t && at[-1] != '\n' && len + 1 < sizeof head; len++)
        at--;
    memcpy(head, at, len);
    head[len] = '\0';
    if (at == t || sscanf(head, "[%llu of %llu", &n, &of) != 2)
        return false;
    *kept = (size_t)(at - t) - 1;
    *whole = (size_t)of;
    return *kept == n && n < of;
}

static quire_status hydrate_excerpt(struct scan *s, quire_bytes value,
                                    quire_error *err)
{
    quire_bytes text = json_text(value, s->tmp), content;
    char ref[QUIRE_REF_SIZE];
    size_t kept, whole;
    bool there;
    quire_status st;

    if (!text.data)
        return err_memory(err);
    if (!read_excerpt(text, &kept, &whole, ref))
        return QUIRE_OK;
    st = read_blob(s, ref, &content, &there, err);
    if (st || !there || content.len != whole ||
        !bytes_starts(content, bytes_sub(text, 0, kept)))
        return st;
    return put_content(s, value, FORM_TEXT, content, err);
}

static void step_whole(struct scan *s)
{
    enum json_step step = json_scan_next(&s->whole);

    s->next = step == JSON_STEP_SCALAR &&
                      json_kind(s->whole.value) == JSON_STRING
                  ? s->whole.value
                  : none;
    s->n_whole += s->next.data != NULL;
    s->n_left += s->next.data != NULL;
}

static void begin_whole(struct scan *s, quire_bytes entry)
{
    quire_bytes list = json_get(entry, whole_key);

    if (json_kind(list) != JSON_ARRAY)
        return;
    json_scan_init(&s->whole, list);
    if (json_scan_next(&s->whole) == JSON_STEP_OPEN)
        step_whole(s);
}

/* A string that was cut: the text of the next blob, if that begins so. */
static quire_status hydrate_cut(struct scan *s, quire_bytes value,
                                quire_error *err)
{
    quire_bytes text = json_text(value, s->tmp), content, ref;
    bool there;
    quire_status st;

    ref = json_text(s->next, s->tmp);
    if (!text.data || !ref.data || !arena_text(s->tmp, ref))
        return err_memory(err);
    st = read_blob(s, arena_text(s->tmp, ref), &content, &there, err);
    if (st)
        return st;
    if (there &&
        bytes_starts(content, bytes_sub(text, 0, text.len - NOTICE_LEN))) {
        st = put_content(s, value, FORM_TEXT, content, err);
        s->n_left--;
    } else if (there) {
        return QUIRE_OK; /* it was cut without one */
    }
    step_whole(s);
    return st;
}

static bool is_cut(quire_bytes value)
{
    return value.len > CUT_MIN &&
           !memcmp((const char *)value.data + value.len - sizeof cut_end + 1,
                   cut_end, sizeof cut_end - 1);
}

/* After all are restored: the entry is as it was before it was stored. */
static bool remove_whole(struct scan *s, quire_bytes entry)
{
    struct json_change gone = {whole_key, none};

    return json_edit_members(&s->edits, entry, &gone, 1, NULL);
}

static quire_status hydrate_string(struct scan *s, quire_bytes value,
                                   quire_error *err)
{
    const char *text = (const char *)value.data + 1;

    if (s->next.data && is_cut(value))
        return hydrate_cut(s, value, err);

    if (value.len < REF_LEN + 2)
        return QUIRE_OK;
    if (value.len == REF_LEN + 2 && !memcmp(text, scheme, sizeof scheme - 1))
        return hydrate_whole(s, value, err);
    if (text[value.len - 3] == ']')
        return hydrate_excerpt(s, value, err);
    return QUIRE_OK;
}

/* ---- secrets ------------------------------------------------------------- */

/* Ids, and bytes that are not text. */
static bool is_kept(const struct scan *s)
{
    static const char *const names[] = {"id",        "parentId", "toolCallId",
                                        "type",      "role",     "timestamp",
                                        "mimeType",  "model",    "provider",
                                        "api",       "targetId", "responseId",
                                        "media_type"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (key_is(s, names[i]))
            return true;
    return key_is(s, "data") && (type_is(s, "image") || type_is(s, "base64"));
}

/* They may have the secret in them, and do not fit a text that was changed. */
static bool is_opaque(const struct scan *s)
{
    static const char *const names[] = {"thinkingSignature", "signature",
                                        "encrypted_content", "textSignature",
                                        "thoughtSignature"};
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (key_is(s, names[i]))
            return true;
    return key_is(s, "data") && type_is(s, "redactedThinking");
}

static bool has_secret_name(const struct scan *s)
{
    quire_bytes name;

    if (!s->json.key.data)
        return false;
    name = json_text(s->json.key, s->tmp);
    return name.data && secrets_is_name(name);
}

static quire_status redact_slice(struct scan *s, quire_bytes value,
                                 quire_error *err)
{
    struct buf b = BUF_INIT(CEILING), quoted = BUF_INIT(CEILING);
    quire_bytes text = json_text(value, s->tmp);
    quire_status st = QUIRE_OK;

    if (!text.data)
        return err_memory(err);
    if (redact_text(s->c->redact, text, &b)) {
        json_add_quoted(&quoted, buf_bytes(&b));
        quoted.failed |= b.failed;
        st = replace(s, value, &quoted, err);
    }
    buf_release(&b);
    buf_release(&quoted);
    return st;
}

static quire_status redact_string(struct scan *s, quire_bytes value,
                                  quire_error *err)
{
    if (is_kept(s))
        return QUIRE_OK;
    if (is_opaque(s)) {
        s->c->opaque += value.len > 2;
        json_edit_value(&s->edits, value, bytes_str("\"\""));
        return QUIRE_OK;
    }
    if (value.len > 2 && has_secret_name(s)) {
        s->c->redact->secrets++;
        json_edit_value(&s->edits, value, bytes_str("\"" REDACTED "\""));
        return QUIRE_OK;
    }
    return redact_slice(s, value, err);
}

/* ---- passes -------------------------------------------------------------- */

typedef quire_status (*string_fn)(struct scan *s, quire_bytes value,
                                  quire_error *err);

static void note_type(struct scan *s)
{
    if (key_is(s, "type")) {
        s->type = s->json.value;
        s->type_depth = s->json.depth;
    }
}

static quire_status scan_strings(struct scan *s, string_fn each, bool keys,
                                 quire_error *err)
{
    quire_status st = QUIRE_OK;
    enum json_step step;

    while (!st && (step = json_scan_next(&s->json)) != JSON_STEP_END) {
        if (step == JSON_STEP_BAD)
            return err_set(err, QUIRE_DAMAGED, "an entry is not JSON");
        if (keys && step != JSON_STEP_CLOSE && s->json.key.data)
            st = redact_slice(s, s->json.key, err);
        if (st || step != JSON_STEP_SCALAR ||
            json_kind(s->json.value) != JSON_STRING)
            continue;
        note_type(s);
        st = each(s, s->json.value, err);
    }
    return st;
}

static quire_status pass(struct cleaner *c, quire_bytes json, string_fn each,
                         bool keys, struct arena *tmp, quire_bytes *out,
                         bool *again, quire_error *err)
{
    struct scan s = {.c = c, .tmp = tmp};
    struct buf b = BUF_INIT(CEILING);
    quire_status st;

    *out = json;
    *again = false;
    json_scan_init(&s.json, json);
    json_edits_init(&s.edits, json, tmp);
    if (each == hydrate_string)
        begin_whole(&s, json);
    st = scan_strings(&s, each, keys, err);
    if (!st && s.n_whole > 0 && s.n_left == 0 && !remove_whole(&s, json))
        st = err_memory(err);
    if (!st && (s.edits.n > 0 || s.edits.failed)) {
        json_splice(&s.edits, &b);
        *out = b.failed ? none : arena_dup(tmp, buf_bytes(&b));
        if (!out->data)
            st = err_memory(err);
    }
    *again = s.again;
    buf_release(&b);
    return st;
}

quire_status clean_entry(struct cleaner *c, quire_bytes json, struct arena *tmp,
                         quire_bytes *out, quire_error *err)
{
    quire_status st = QUIRE_OK;
    bool again = true;
    int i;

    /* A record that was put in has no records in it. */
    for (i = 0; !st && again && i < 2; i++) {
        if (!memmem(json.data, json.len, scheme, sizeof scheme - 1))
            break;
        st = pass(c, json, hydrate_string, false, tmp, out, &again, err);
        json = *out;
    }
    *out = json;
    if (!st && c->redact)
        st = pass(c, json, redact_string, true, tmp, out, &again, err);
    return st;
}

const char *clean_text(struct cleaner *c, const char *text, struct arena *keep)
{
    struct buf b = BUF_INIT(CEILING);
    const char *out = text;

    if (c->redact && redact_text(c->redact, bytes_str(text), &b))
        out = b.failed ? NULL : arena_text(keep, buf_bytes(&b));
    buf_release(&b);
    return out;
}

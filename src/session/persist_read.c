/*
 * persist_read.c - convert an entry from the disk
 *
 * Hydrating is lenient about the place of a reference, since other programs
 * write some, and strict about its form. Searching for references is lenient in
 * both: it serves collection, where one too many costs some disk, and one too
 * few costs an image.
 */
#include "session/persist.h"

#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "session/persist_priv.h"

static const char scheme[] = "blob:sha256:";

/* The notice of PERSIST_NOTICE, decoded. */
static const char notice[] =
    "\n\n[Session persistence truncated large content]";

enum {
    SCHEME_LEN = sizeof scheme - 1,
    FIRST_COLON = 4, /* in the scheme */
    HEX_LEN = 64,
    REF_LEN = SCHEME_LEN + HEX_LEN,
};

/* ---- hydrating ---------------------------------------------------------- */

struct reader {
    void (*missing)(void *ctx, const quire_digest *digest);
    void *ctx;

    /* What PERSIST_WHOLE lists, and how many of them are restored. */
    struct json_scan whole;
    quire_bytes next; /* .data NULL: none is left */
    size_t n_whole, n_restored;
};

/* Exactly a reference, in lower case, however it is spelled. */
static bool read_ref(struct walk *w, quire_bytes string, quire_digest *digest)
{
    quire_bytes text;
    const char *hex;
    size_t i;

    if (string.len < REF_LEN + 2 || string.len > REF_LEN * 6 + 2 ||
        !walk_text(w, string, &text) || text.len != REF_LEN ||
        !bytes_starts(text, bytes_of(scheme, SCHEME_LEN)))
        return false;
    hex = (const char *)text.data + SCHEME_LEN;
    for (i = 0; i < HEX_LEN; i++)
        if (hex[i] >= 'A' && hex[i] <= 'F')
            return false;
    return hex_decode(hex, sizeof digest->byte, digest->byte);
}

static void report_missing(struct walk *w, const quire_digest *digest)
{
    const struct reader *r = w->ctx;

    if (r->missing)
        r->missing(r->ctx, digest);
}

/* Read the blob; *there reports whether it is available. Absence is not an
 * error here, so its message is dropped. */
static quire_status fetch_blob(struct walk *w, const quire_digest *digest,
                               quire_bytes *content, bool *there,
                               quire_error *err)
{
    quire_error words = {0};
    quire_status st = QUIRE_NOT_FOUND;

    if (w->blobs.store)
        st = blob_get(w->blobs, digest, content, &words);
    *there = !st;
    if (!st || st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED)
        return QUIRE_OK;
    if (err)
        *err = words;
    return st;
}

/* Replace the reference `string` by an image. Encoded in place: it may be
 * large. */
static void replace_base64(struct walk *w, quire_bytes string,
                           quire_bytes content)
{
    size_t size = base64_size(content.len);
    char *quoted = size < SIZE_MAX / 2 ? arena_alloc(w->tmp, size + 2) : NULL;

    if (!quoted) {
        w->failed = true;
        return;
    }
    quoted[0] = '"';
    base64_write(content, quoted + 1);
    quoted[size + 1] = '"';
    walk_replace(w, string, bytes_of(quoted, size + 2));
}

static void replace_text(struct walk *w, quire_bytes string,
                         quire_bytes content)
{
    quire_bytes kept = {NULL, 0};

    buf_clear(&w->raw);
    json_add_quoted(&w->raw, content);
    if (!w->raw.failed)
        kept = arena_dup(w->tmp, buf_bytes(&w->raw));
    if (kept.data)
        walk_replace(w, string, kept);
    else
        w->failed = true;
}

static quire_status hydrate_string(struct walk *w, quire_bytes string,
                                   bool base64, quire_error *err)
{
    quire_digest digest;
    quire_bytes content;
    quire_status st;
    bool there;

    if (!read_ref(w, string, &digest))
        return QUIRE_OK;
    st = fetch_blob(w, &digest, &content, &there, err);
    if (st)
        return st;
    if (!there || !(base64 || utf8_check(content)))
        report_missing(w, &digest);
    else if (base64)
        replace_base64(w, string, content);
    else
        replace_text(w, string, content);
    return QUIRE_OK;
}

/* ---- cut strings --------------------------------------------------------- */

static void step_whole(struct reader *r)
{
    enum json_step step = json_scan_next(&r->whole);

    r->next = bytes_of(NULL, 0);
    if (step == JSON_STEP_SCALAR && json_kind(r->whole.value) == JSON_STRING)
        r->next = r->whole.value;
    r->n_whole += r->next.data != NULL;
}

static void begin_whole(struct reader *r, quire_bytes value)
{
    static const char key[] = "\"" PERSIST_WHOLE "\"";
    quire_bytes list;

    if (json_kind(value) != JSON_OBJECT ||
        !memmem(value.data, value.len, key, sizeof key - 1))
        return;
    list = json_get(value, PERSIST_WHOLE);
    if (json_kind(list) != JSON_ARRAY)
        return;
    json_scan_init(&r->whole, list);
    if (json_scan_next(&r->whole) == JSON_STEP_OPEN)
        step_whole(r);
}

static bool is_cut(quire_bytes string)
{
    static const char end[] = PERSIST_NOTICE "\"";
    const size_t n = sizeof end - 1;

    return string.len > PERSIST_MAX_UNITS &&
           !memcmp((const char *)string.data + string.len - n, end, n);
}

/* Replace a cut string by the text of the next blob, if it begins so: a string may
 * have been cut without one. */
static quire_status restore_string(struct walk *w, quire_bytes string,
                                   quire_error *err)
{
    struct reader *r = w->ctx;
    quire_bytes content, text, kept;
    quire_digest digest;
    quire_status st;
    bool there;

    if (!read_ref(w, r->next, &digest))
        return QUIRE_OK;
    st = fetch_blob(w, &digest, &content, &there, err);
    if (st)
        return st;
    if (!there) {
        report_missing(w, &digest);
        step_whole(r);
        return QUIRE_OK;
    }
    if (!walk_text(w, string, &text) || text.len < sizeof notice)
        return QUIRE_OK;
    kept = bytes_sub(text, 0, text.len - (sizeof notice - 1));
    if (!bytes_starts(content, kept) || !utf8_check(content))
        return QUIRE_OK;
    replace_text(w, string, content);
    r->n_restored++;
    step_whole(r);
    return QUIRE_OK;
}

/* All of them are restored: the value is as it was before it was persisted. */
static void remove_whole(struct walk *w)
{
    const struct reader *r = w->ctx;
    struct json_change gone = {PERSIST_WHOLE, {NULL, 0}};

    if (r->n_whole > 0 && r->n_restored == r->n_whole && !r->next.data &&
        !json_edit_members(&w->edits, w->value, &gone, 1, NULL))
        w->failed = true;
}

static quire_status visit_string(struct walk *w, enum key key,
                                 quire_bytes string, quire_error *err)
{
    const struct reader *r = w->ctx;

    if (r->next.data && is_cut(string))
        return restore_string(w, string, err);
    return key == KEY_IMAGE_URL ? hydrate_string(w, string, false, err)
                                : QUIRE_OK;
}

static quire_status close_object(struct walk *w, struct level *l,
                                 quire_error *err)
{
    if (l->data.data && level_is_image(l, false))
        return hydrate_string(w, l->data, true, err);
    if (l->result.data && l->facts & FACT_TYPE_GENERATED)
        return hydrate_string(w, l->result, true, err);
    return QUIRE_OK;
}

quire_status persist_hydrate(quire_bytes value, struct blob_view blobs,
                             struct arena *tmp, struct buf *out,
                             void (*missing)(void *ctx,
                                             const quire_digest *digest),
                             void *ctx, quire_error *err)
{
    struct reader reader = {.missing = missing, .ctx = ctx};
    struct walk w = {
        .value = value,
        .tmp = tmp,
        .blobs = blobs,
        .ctx = &reader,
        .string = visit_string,
        .close = close_object,
    };
    quire_status st;

    begin_whole(&reader, value);
    st = walk_run(&w, err);
    if (!st)
        remove_whole(&w);
    if (!st)
        st = walk_splice(&w, out, err);
    walk_release(&w);
    return st;
}

/* ---- references --------------------------------------------------------- */

struct seeker {
    persist_ref_fn each;
    void *ctx;
    struct buf text; /* a string decoded */
};

/* From colon to colon, of which text has few: several times as fast as a search
 * for the whole. */
static quire_status seek_text(struct seeker *s, quire_bytes text,
                              quire_error *err)
{
    const char *at = text.data, *end = at + text.len;
    quire_status st = QUIRE_OK;
    quire_digest digest;

    if (text.len < REF_LEN)
        return QUIRE_OK;
    at += FIRST_COLON;
    while (!st && (at = memchr(at, ':', (size_t)(end - at)))) {
        const char *ref = at - FIRST_COLON;

        at++;
        if (end - ref < REF_LEN)
            break;
        if (!memcmp(ref, scheme, SCHEME_LEN) &&
            hex_decode(ref + SCHEME_LEN, sizeof digest.byte, digest.byte))
            st = s->each(s->ctx, &digest, err);
    }
    return st;
}

/* Could this escape be part of a reference, or hide the letter in front of
 * what looks like one? All characters of a reference are from \u0030 to
 * \u007a. Line breaks and quotes cannot, nor can \u001b with which terminals
 * colour; to decode those would be to decode everything. */
static bool is_suspect(const char *at, size_t left)
{
    if (at[1] == 'b')
        return left >= 6 && !memcmp(at, "\\blob:", 6);
    return at[1] == 'u' && at[2] == '0' && at[3] == '0' && at[4] >= '3' &&
           at[4] <= '7';
}

static bool needs_decoding(quire_bytes string)
{
    const char *at = string.data, *end = at + string.len;

    for (; (at = memchr(at, '\\', (size_t)(end - at))); at += 2)
        if (is_suspect(at, (size_t)(end - at)))
            return true;
    return false;
}

static quire_status seek_string(struct seeker *s, quire_bytes string,
                                quire_error *err)
{
    quire_status st;

    if (string.len < REF_LEN + 2)
        return QUIRE_OK;
    if (!needs_decoding(string))
        return seek_text(s, bytes_sub(string, 1, string.len - 1), err);
    buf_clear(&s->text);
    json_decode(string, &s->text);
    st = buf_status(&s->text, "a string", err);
    return st ? st : seek_text(s, buf_bytes(&s->text), err);
}

/* Whether a string is a reference and nothing else. */
static bool is_bare_ref(quire_bytes string)
{
    return string.len == REF_LEN + 2 &&
           !memcmp((const char *)string.data + 1, scheme, SCHEME_LEN);
}

static bool holds_content(quire_bytes key)
{
    return json_is(key, "data") || json_is(key, "result") ||
           json_is(key, "image_url");
}

/* Whether a container that has just begun is the list of an entry. */
static bool is_whole_list(const struct json_scan *scan)
{
    return scan->depth == 2 && scan->key.data &&
           json_kind(scan->value) == JSON_ARRAY &&
           json_is(scan->key, PERSIST_WHOLE);
}

quire_status persist_typed_refs(quire_bytes value, persist_ref_fn each,
                                void *ctx, quire_error *err)
{
    struct seeker s = {each, ctx, BUF_INIT(REF_LEN)};
    quire_status st = QUIRE_OK;
    enum json_step step;
    struct json_scan scan;
    bool in_whole = false;

    json_scan_init(&scan, value);
    do {
        step = json_scan_next(&scan);
        if (step == JSON_STEP_OPEN && scan.depth <= 2)
            in_whole = is_whole_list(&scan);
        if (step == JSON_STEP_SCALAR && is_bare_ref(scan.value) &&
            (scan.key.data ? holds_content(scan.key)
                           : in_whole && scan.depth == 2))
            st = seek_text(&s, bytes_sub(scan.value, 1, scan.value.len - 1),
                           err);
    } while (!st && step != JSON_STEP_BAD && step != JSON_STEP_END);
    return st;
}

quire_status persist_refs(quire_bytes value, persist_ref_fn each, void *ctx,
                          quire_error *err)
{
    struct seeker s = {each, ctx, BUF_INIT(SIZE_MAX / 2)};
    quire_status st = QUIRE_OK;
    enum json_step step;
    struct json_scan scan;

    json_scan_init(&scan, value);
    do {
        step = json_scan_next(&scan);
        if (step != JSON_STEP_SCALAR && step != JSON_STEP_OPEN)
            continue;
        if (scan.key.data)
            st = seek_string(&s, scan.key, err);
        if (!st && json_kind(scan.value) == JSON_STRING)
            st = seek_string(&s, scan.value, err);
    } while (!st && step != JSON_STEP_BAD && step != JSON_STEP_END);
    buf_release(&s.text);
    if (!st && step == JSON_STEP_BAD)
        st = err_set(err, QUIRE_INVALID, "not JSON, byte %zu: %s",
                     scan.error.at, scan.error.why);
    return st;
}

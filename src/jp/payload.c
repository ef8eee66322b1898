/*
 * payload.c - where content is in an array of events
 *
 * Three places have payloads, and no other:
 *
 *     a tool_call_response    content: a bare string (all files today), one
 *                             of the objects below, or an array of blocks
 *     a block                 {"type":"text"}: content, or once text;
 *                             {"type":"resource"}: its resource
 *     a resource              content, or once text or blob; those of blocks,
 *                             and the `resources` of a chat_request
 *
 *     content                 {"$blob": hex, "size": n}, {"text": …} or
 *                             {"blob": base64}: exactly one of the three
 *
 * Questions, arguments, formatted text and messages of people and models are not
 * payloads. A key that is there twice means different things to different
 * readers, so such an object is left alone.
 */
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "base/timestamp.h"
#include "blob/hash.h"
#include "jp/priv.h"

static const char twice[] = "a key of it is there twice";

/* ---- members ------------------------------------------------------------ */

struct member {
    const char *name;
    quire_bytes key, value; /* .data is NULL: absent */
    bool again;
};

/* Find members by name; gives how many others there are. */
static size_t find_members(quire_bytes object, struct member *wanted, size_t n)
{
    struct json_scan it;
    size_t others = 0, i;

    json_iter_init(&it, object);
    while (json_next(&it)) {
        for (i = 0; i < n && !json_is(it.key, wanted[i].name); i++)
            ;
        others += i == n;
        if (i == n)
            continue;
        wanted[i].again |= wanted[i].key.data != NULL;
        wanted[i].key = it.key;
        wanted[i].value = it.value;
    }
    return others;
}

struct finder {
    payload_fn each;
    void *ctx;
    const struct member *sole; /* it is all that this member has */
};

static quire_status report_odd(struct finder *f, const struct member *m,
                               const char *what, quire_error *err)
{
    struct payload p = {.form = FORM_ODD,
                        .key = m->key,
                        .value = m->value,
                        .odd = what};

    return f->each(f->ctx, &p, err);
}

/* ---- content ------------------------------------------------------------ */

static const char *read_ref(const struct member *blob,
                            const struct member *size, struct payload *p)
{
    char hex[65] = "";
    int64_t n = -1;
    bool ok;

    p->form = FORM_REF;
    ok = json_kind(blob->value) == JSON_STRING && blob->value.len == 64 + 2;
    if (ok)
        memcpy(hex, (const char *)blob->value.data + 1, 64);
    if (!ok || !hex_decode(hex, sizeof p->digest.byte, p->digest.byte))
        return "$blob is not 64 hex digits";
    if (!size->key.data)
        return "it has a $blob and no size";
    if (!json_read_int(size->value, &n) || n < 0)
        return "its size is not a count of bytes";
    p->size = (uint64_t)n;
    return NULL;
}

/* Which of the three forms an object has; what is wrong if none. */
static const char *read_object(quire_bytes object, struct payload *p)
{
    struct member m[] = {{.name = "$blob"},
                         {.name = "text"},
                         {.name = "blob"},
                         {.name = "size"},
                         {.name = ENCODING}};
    size_t n = 0, i;

    p->others = find_members(object, m, 5) > 0;
    p->binary = m[0].key.data && json_is(m[4].value, "base64");
    p->encoding = m[4].key.data && !p->binary;
    p->others |= p->encoding;
    for (i = 0; i < 5; i++) {
        if (m[i].again)
            return twice;
        n += i < 3 && m[i].key.data;
    }
    if (n != 1)
        return n ? "it has more than one of $blob, text and blob"
                 : "it has none of $blob, text and blob";
    if (m[0].key.data)
        return read_ref(&m[0], &m[3], p);
    p->form = m[1].key.data ? FORM_TEXT : FORM_BASE64;
    p->string = m[1].key.data ? m[1].value : m[2].value;
    return json_kind(p->string) == JSON_STRING ? NULL
                                               : "its content is not a string";
}

static void note_sole(const struct finder *f, struct payload *p)
{
    if (!f->sole)
        return;
    p->answer = true;
    p->block_key = f->sole->key;
    p->block = f->sole->value;
}

static quire_status visit_content(struct finder *f, const struct member *m,
                                  bool answer, quire_error *err)
{
    struct payload p = {.key = m->key, .value = m->value, .answer = answer};
    const char *what;

    note_sole(f, &p);

    switch (json_kind(m->value)) {
    case JSON_STRING:
        p.form = answer ? FORM_ANSWER : FORM_STRING;
        p.string = m->value;
        return f->each(f->ctx, &p, err);
    case JSON_OBJECT:
        what = read_object(m->value, &p);
        return what ? report_odd(f, m, what, err) : f->each(f->ctx, &p, err);
    case JSON_NULL: return report_odd(f, m, "its content is null", err);
    default:
        return report_odd(f, m, "it is neither a string nor an object", err);
    }
}

/* The form before there was a `content`. */
static quire_status visit_old(struct finder *f, const struct member *m,
                              enum form form, quire_error *err)
{
    struct payload p = {.form = form,
                        .key = m->key,
                        .value = m->value,
                        .string = m->value,
                        .rename = true};

    note_sole(f, &p);

    if (json_kind(m->value) == JSON_NULL)
        return QUIRE_OK;
    if (json_kind(m->value) != JSON_STRING)
        return report_odd(f, m, "it is not a string", err);
    return f->each(f->ctx, &p, err);
}

/* ---- what holds content ------------------------------------------------- */

/* A text block or a resource: one of three members has its content. */
static quire_status visit_holder(struct finder *f, quire_bytes object,
                                 bool resource, quire_error *err)
{
    struct member m[] = {{.name = "content"},
                         {.name = "text"},
                         {.name = "blob"}};
    size_t n_names = resource ? 3 : 2, n = 0, last = 0, i;

    find_members(object, m, n_names);
    for (i = 0; i < n_names; i++) {
        if (m[i].again)
            return report_odd(f, &m[i], twice, err);
        if (!m[i].key.data)
            continue;
        n++;
        last = i;
    }
    if (n == 0)
        return QUIRE_OK;
    if (n > 1)
        return report_odd(f, &m[last], "its content is there in two forms",
                          err);
    if (last == 0)
        return visit_content(f, &m[0], false, err);
    return visit_old(f, &m[last], last == 1 ? FORM_STRING : FORM_BASE64, err);
}

static quire_status visit_block(struct finder *f, quire_bytes block,
                                quire_error *err)
{
    struct member m[] = {{.name = "type"}, {.name = "resource"}};

    if (json_kind(block) != JSON_OBJECT)
        return QUIRE_OK;
    find_members(block, m, 2);
    if (m[0].again)
        return report_odd(f, &m[0], twice, err);
    if (json_is(m[0].value, "text"))
        return visit_holder(f, block, false, err);
    if (!json_is(m[0].value, "resource") ||
        json_kind(m[1].value) != JSON_OBJECT)
        return QUIRE_OK;
    if (m[1].again)
        return report_odd(f, &m[1], twice, err);
    return visit_holder(f, m[1].value, true, err);
}

/* Whether an array is one text block that has nothing but its content. */
static bool is_sole_text(quire_bytes array)
{
    struct member m[] = {{.name = "type"},
                         {.name = "content"},
                         {.name = "text"}};
    struct json_scan it;
    quire_bytes block;

    json_iter_init(&it, array);
    if (!json_next(&it) || json_kind(it.value) != JSON_OBJECT)
        return false;
    block = it.value;
    return !json_next(&it) && find_members(block, m, 3) == 0 &&
           json_is(m[0].value, "text");
}

/* The blocks of the member `m` of a tool's answer. */
static quire_status visit_blocks(struct finder *f, const struct member *m,
                                 quire_error *err)
{
    struct json_scan it;
    quire_status st = QUIRE_OK;

    f->sole = is_sole_text(m->value) ? m : NULL;
    json_iter_init(&it, m->value);
    while (!st && json_next(&it))
        st = visit_block(f, it.value, err);
    f->sole = NULL;
    return st;
}

/* A resource stands in the list itself, or in a block. */
static quire_status visit_resources(struct finder *f, quire_bytes array,
                                    quire_error *err)
{
    struct json_scan it;
    quire_status st = QUIRE_OK;

    json_iter_init(&it, array);
    while (!st && json_next(&it)) {
        if (json_kind(it.value) != JSON_OBJECT)
            continue;
        if (json_kind(json_get(it.value, "resource")) == JSON_OBJECT)
            st = visit_block(f, it.value, err);
        else
            st = visit_holder(f, it.value, true, err);
    }
    return st;
}

quire_status payloads_of_block(quire_bytes block, bool resource,
                               payload_fn each, void *ctx, quire_error *err)
{
    struct finder f = {each, ctx, NULL};

    return resource ? visit_holder(&f, block, true, err)
                    : visit_block(&f, block, err);
}

quire_status payloads_of_event(quire_bytes event, payload_fn each, void *ctx,
                               quire_error *err)
{
    struct finder f = {each, ctx, NULL};
    struct member m[] = {{.name = "type"},
                         {.name = "content"},
                         {.name = "resources"}};
    bool answer;

    if (json_kind(event) != JSON_OBJECT)
        return QUIRE_OK;
    find_members(event, m, 3);
    answer = json_is(m[0].value, "tool_call_response");
    if (!answer && !json_is(m[0].value, "chat_request"))
        return QUIRE_OK;
    if (m[0].again)
        return report_odd(&f, &m[0], twice, err);
    if (m[answer ? 1 : 2].again)
        return report_odd(&f, &m[answer ? 1 : 2], twice, err);
    if (answer && json_kind(m[1].value) == JSON_ARRAY)
        return visit_blocks(&f, &m[1], err);
    /* What has a type is a block, also by itself. */
    if (answer && json_kind(m[1].value) == JSON_OBJECT &&
        json_get(m[1].value, "type").data)
        return visit_block(&f, m[1].value, err);
    if (answer && m[1].key.data)
        return visit_content(&f, &m[1], true, err);
    if (!answer && json_kind(m[2].value) == JSON_ARRAY)
        return visit_resources(&f, m[2].value, err);
    return QUIRE_OK;
}

quire_status payloads_each(quire_bytes json, payload_fn each, void *ctx,
                           quire_error *err)
{
    struct json_scan it;
    quire_status st = QUIRE_OK;

    json_iter_init(&it, json);
    while (!st && json_next(&it))
        st = payloads_of_event(it.value, each, ctx, err);
    return st;
}

/* ---- what they say ------------------------------------------------------ */

const char *payload_content(const struct payload *p, struct buf *text,
                            struct buf *raw, quire_bytes *content)
{
    buf_clear(text);
    buf_clear(raw);
    /* A blob holds the exact text, and half a character has none. */
    if (json_decode(p->string, text) > 0)
        return "its text is not UTF-8, or has half a surrogate pair";
    *content = buf_bytes(text);
    if (p->form == FORM_ANSWER && bare_is_base64(*content, raw))
        *content = buf_bytes(raw);
    if (p->form != FORM_BASE64)
        return NULL;
    if (!base64_decode(*content, raw) && !raw->failed)
        return "it is not base64, standard alphabet, padded";
    *content = buf_bytes(raw);
    return NULL;
}

/* All digits: a person has to find the file. */
struct hex_text {
    char s[65];
};

static struct hex_text digest_hex(const quire_digest *d)
{
    struct hex_text t = {""};

    hex_encode(d->byte, sizeof d->byte, t.s);
    return t;
}

void describe_size(const struct payload *p, uint64_t size, char *out,
                   size_t cap)
{
    struct hex_text hex = digest_hex(&p->digest);

    if (size == UINT64_MAX)
        snprintf(out, cap,
                 "blob %s has far more than the %llu bytes that are written "
                 "here",
                 hex.s, (unsigned long long)p->size);
    else
        snprintf(out, cap,
                 "blob %s has %llu bytes, not the %llu that are written here",
                 hex.s, (unsigned long long)size, (unsigned long long)p->size);
}

uint64_t payload_limit(const struct payload *p)
{
    uint64_t more = (uint64_t)1 << 20;

    return p->size > (UINT64_MAX - more) / 4 ? UINT64_MAX - 1
                                             : p->size * 4 + more;
}

/* The fault that a failed read of a blob is. */
static void describe_lost(const struct payload *p, quire_status st,
                          const quire_error *own, struct ref_problem *bad)
{
    bad->lost = true;
    bad->kind = st == QUIRE_NOT_FOUND ? "missing" : "damaged";
    if (st == QUIRE_NOT_FOUND)
        snprintf(bad->what, sizeof bad->what, "blob %s is not in the store",
                 digest_hex(&p->digest).s);
    else
        snprintf(bad->what, sizeof bad->what, "%.199s", own->what);
}

quire_status payload_fetch(const struct payload *p, struct blob_view blobs,
                           uint64_t room, quire_bytes *content,
                           struct ref_problem *bad, quire_error *err)
{
    quire_blob_info info = {0};
    quire_error own = {0};
    uint64_t limit = payload_limit(p);
    quire_status st = blob_stat_within(blobs, &p->digest,
                                       limit < room ? limit : room, &info,
                                       &own);

    *bad = (struct ref_problem){.kind = NULL};
    /* The size comes first: what has too much is not unpacked. */
    if (!st && info.size > limit) {
        bad->lost = true;
    } else if (!st && info.size > room) {
        return QUIRE_TOO_LARGE;
    }
    if (!st && info.size != p->size) {
        bad->kind = "size";
        describe_size(p, info.size, bad->what, sizeof bad->what);
    }
    if (!st && !bad->lost)
        st = blob_get(blobs, &p->digest, content, &own);
    if (st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED) {
        describe_lost(p, st, &own, bad);
        return QUIRE_OK;
    }
    if (st && err)
        *err = own;
    return st;
}

/* ---- references, anywhere ----------------------------------------------- */

quire_status references_each(quire_bytes text, reference_fn each, void *ctx,
                             quire_error *err)
{
    struct json_scan s;
    enum json_step step;
    quire_status st = QUIRE_OK;

    json_scan_init(&s, text);
    do {
        struct member blob = {0}, size = {.key = {"", 0}, .value = {"0", 1}};
        struct payload p;

        step = json_scan_next(&s);
        blob.value = s.value;
        if (step == JSON_STEP_SCALAR && s.key.data && json_is(s.key, "$blob") &&
            !read_ref(&blob, &size, &p))
            st = each(ctx, &p.digest, err);
    } while (!st && step != JSON_STEP_END && step != JSON_STEP_BAD);
    return st;
}

/* ---- texts -------------------------------------------------------------- */

/* Go on to `at`, and tell where that is, both from 1. */
static void find_place(struct problem_sink *h, quire_bytes text, size_t at,
                       size_t *line, size_t *byte)
{
    const char *s = text.data, *next;

    if (at < h->at)
        h->at = h->line = h->line_start = 0;
    while (h->at < at && (next = memchr(s + h->at, '\n', at - h->at))) {
        h->at = h->line_start = (size_t)(next - s) + 1;
        h->line++;
    }
    h->at = at;
    *line = h->line + 1;
    *byte = at - h->line_start + 1;
}

quire_status events_check(quire_bytes text, const char *where,
                          quire_bytes *json, quire_error *err)
{
    static const quire_bytes bom = {"\xef\xbb\xbf", 3};
    struct json_error bad = {.why = NULL};
    struct problem_sink from_start = {0};
    size_t skip, line, byte;
    quire_status st;

    skip = bytes_starts(text, bom) ? bom.len : 0;
    *json = bytes_sub(text, skip, text.len);
    if (!json_check(*json, 0, &bad)) {
        find_place(&from_start, text, skip + bad.at, &line, &byte);
        st = err_fail(err, QUIRE_DAMAGED, "mend it there; it was left as it is",
                      "%.120s is not JSON: line %zu, byte %zu: %s", where, line,
                      byte, bad.why);
        return st;
    }
    while (json->len && is_space(*(const char *)json->data))
        *json = bytes_sub(*json, 1, json->len);
    if (json_kind(*json) == JSON_ARRAY)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "name the directory of a conversation, as JP writes it",
                    "%.160s is not an array of events", where);
}

quire_status report_problem(struct problem_sink *h, quire_bytes text,
                            const void *at, const char *kind, const char *what,
                            quire_error *err)
{
    quire_problem p = {.kind = kind, .where = h->where};
    size_t line, byte;

    h->n++;
    if (!h->each)
        return QUIRE_OK;
    find_place(h, text, (size_t)((const char *)at - (const char *)text.data),
               &line, &byte);
    snprintf(p.what, sizeof p.what, "line %zu, byte %zu: %.200s", line, byte,
             what);
    return h->each(h->ctx, &p, err);
}

bool event_time(quire_bytes value, int64_t *us)
{
    char text[64];
    int64_t ms;

    if (json_kind(value) != JSON_STRING || value.len > sizeof text)
        return false;
    memcpy(text, (const char *)value.data + 1, value.len - 2);
    if (value.len > 12 && text[10] == ' ')
        text[10] = 'T';
    if (!timestamp_parse(bytes_of(text, value.len - 2), &ms))
        return false;
    *us = ms * 1000;
    return true;
}

/*
 * value.c - see value.h
 *
 * A value is a row of units, one a character. The longest run of units that JSON leaves as
 * they are is its anchor: anchors, and the spellings in base64, are searched for all at
 * once. Around an anchor the other units are matched one by one, in any spelling
 * (match.c).
 *
 * An anchor may itself be spelled \u0041: each \u that names a character of a value is
 * tried as well.
 */
#include "purge/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/find_many.h"
#include "base/utf8.h"
#include "purge/match.h"
#include "purge/unescape.h"

static const char marker[] = "[purged]";

enum {
    MARKER_LEN = sizeof marker - 1,
    BASE64_LEAST = 8, /* of a spelling, at least */
};

/* What is searched for. */
struct needle {
    enum span_kind kind;
    size_t value;       /* of the list; SPAN_DIGEST: which  */
    quire_bytes bytes;  /* in the value, or owned by `made` */
    quire_bytes masked; /* SPAN_BASE64, SPAN_DIGEST: what takes its place */
};

struct values {
    struct value *list; /* owned */
    size_t n;
    struct needle *needles; /* owned */
    size_t n_needles, cap_needles;
    void **made; /* owned: bytes of values and needles */
    size_t n_made, cap_made, n_digests;
    size_t reach;
    struct find_many *find; /* owned; of the needles when it was made     */
    bool stale;             /* there are more: see values_ready()         */
    bool ascii[128];        /* characters that a value has        */
    bool others;            /* a value has characters above ASCII */
};

/* ---- building ------------------------------------------------------------- */

/* `len` bytes that live as long as the values; NULL: out of memory. */
static char *make(struct values *v, size_t len)
{
    char *bytes;

    if (v->n_made == v->cap_made) {
        size_t cap = v->cap_made ? 2 * v->cap_made : 32;
        void **more = realloc(v->made, cap * sizeof *more);

        if (!more)
            return NULL;
        v->made = more;
        v->cap_made = cap;
    }
    bytes = malloc(len + 1);
    if (bytes)
        v->made[v->n_made++] = bytes;
    return bytes;
}

static quire_status add_needle(struct values *v, const struct needle *needle,
                               quire_error *err)
{
    if (v->n_needles == v->cap_needles) {
        size_t cap = v->cap_needles ? 2 * v->cap_needles : 32;
        struct needle *more = realloc(v->needles, cap * sizeof *more);

        if (!more)
            return err_memory(err);
        v->needles = more;
        v->cap_needles = cap;
    }
    v->needles[v->n_needles++] = *needle;
    v->stale = true;
    return QUIRE_OK;
}

static void add_mask(char *out, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++)
        out[i] = '*';
    if (len >= MARKER_LEN)
        memcpy(out, marker, MARKER_LEN);
}

/* The characters in base64 that only `text` decides when `before` bytes stand before it:
 * [*from, *to). They are at the same place when it is masked. */
static quire_status add_encoded(struct values *v, quire_bytes text,
                                size_t before, bool url, quire_error *err)
{
    size_t total = before + text.len, from = (8 * before + 5) / 6,
           to = 8 * total / 6;
    struct needle needle = {.kind = SPAN_BASE64};
    char *plain = make(v, total), *masked = make(v, total);
    char *found = make(v, base64_size(total)),
         *with = make(v, base64_size(total));
    size_t i;

    if (!plain || !masked || !found || !with)
        return err_memory(err);
    if (to < from + BASE64_LEAST)
        return QUIRE_OK;
    memset(plain, 0, before);
    memset(masked, 0, before);
    memcpy(plain + before, text.data, text.len);
    add_mask(masked + before, text.len);
    base64_write(bytes_of(plain, total), found);
    base64_write(bytes_of(masked, total), with);
    for (i = 0; url && i < to; i++) {
        found[i] = (char)(found[i] == '+'   ? '-'
                          : found[i] == '/' ? '_'
                                            : found[i]);
        with[i] = (char)(with[i] == '+' ? '-' : with[i] == '/' ? '_' : with[i]);
    }
    needle.bytes = bytes_of(found + from, to - from);
    needle.masked = bytes_of(with + from, to - from);
    if (url && !memchr(needle.bytes.data, '-', needle.bytes.len) &&
        !memchr(needle.bytes.data, '_', needle.bytes.len))
        return QUIRE_OK; /* the same in both alphabets */
    return add_needle(v, &needle, err);
}

static quire_status add_all_encoded(struct values *v, quire_bytes text,
                                    quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t before;

    for (before = 0; before < 3 && !st; before++) {
        st = add_encoded(v, text, before, false, err);
        if (!st)
            st = add_encoded(v, text, before, true, err);
    }
    return st;
}

/* In base64, as it is and as JSON has it. */
static quire_status add_base64(struct values *v, const struct value *one,
                               quire_error *err)
{
    struct buf quoted = BUF_INIT((size_t)8 * VALUE_MOST);
    quire_status st = add_all_encoded(v, one->bytes, err);
    char *kept;

    escape_once(one->bytes, &quoted);
    if (!st)
        st = buf_status(&quoted, "a value", err);
    if (!st && !bytes_equal(buf_bytes(&quoted), one->bytes)) {
        kept = make(v, quoted.len);
        if (kept) {
            memcpy(kept, quoted.data, quoted.len);
            st = add_all_encoded(v, bytes_of(kept, quoted.len), err);
        } else {
            st = err_memory(err);
        }
    }
    buf_release(&quoted);
    return st;
}

static void note_characters(struct values *v, const struct value *one)
{
    size_t i;

    for (i = 0; i < one->n_units; i++) {
        if (one->units[i].cp < 128)
            v->ascii[one->units[i].cp] = true;
        else
            v->others = true;
    }
}

static quire_status check_value(quire_bytes bytes, quire_error *err)
{
    size_t i, plain = 0;

    for (i = 0; i < bytes.len; i++) {
        char c = ((const char *)bytes.data)[i];

        plain += (uint8_t)c > 0x20 && c != '"' && c != '\\' && c != '*';
    }
    if (plain < VALUE_LEAST)
        return err_fail(err, QUIRE_INVALID,
                        "give more of it: so little is found everywhere",
                        "a value has fewer than %d characters", VALUE_LEAST);
    if (bytes.len > VALUE_MOST)
        return err_fail(err, QUIRE_INVALID, "give a part of it that is unique",
                        "a value is longer than %d bytes", VALUE_MOST);
    if (memmem(marker, MARKER_LEN, bytes.data, bytes.len))
        return err_set(err, QUIRE_INVALID,
                       "a value is part of \"%s\", which replaces values",
                       marker);
    return QUIRE_OK;
}

static quire_status add_value(struct values *v, quire_bytes bytes,
                              quire_error *err)
{
    struct value *one = &v->list[v->n];
    struct needle needle = {.kind = SPAN_TEXT, .value = v->n};
    char *copy;
    quire_status st = check_value(bytes, err);

    if (st)
        return st;
    copy = make(v, bytes.len);
    if (!copy)
        return err_memory(err);
    memcpy(copy, bytes.data, bytes.len);
    *one = (struct value){.bytes = bytes_of(copy, bytes.len)};
    v->n++;
    if (!value_read_units(one))
        return err_memory(err);
    value_choose_anchor(one);
    note_characters(v, one);
    needle.bytes = value_anchor(one);
    st = add_needle(v, &needle, err);
    if (16 * bytes.len + 64 > v->reach)
        v->reach = 16 * bytes.len + 64;
    return st ? st : add_base64(v, one, err);
}

quire_status values_new(const quire_bytes *list, size_t n, struct values **out,
                        quire_error *err)
{
    struct values *v;
    quire_status st = QUIRE_OK;
    size_t i;

    *out = NULL;
    if (n == 0 || n > VALUES_MAX)
        return err_set(err, QUIRE_INVALID,
                       n ? "more than %d values at once" : "there is no value",
                       VALUES_MAX);
    v = calloc(1, sizeof *v);
    if (!v)
        return err_memory(err);
    v->reach = 256;
    v->list = calloc(n, sizeof *v->list);
    if (!v->list)
        st = err_memory(err);
    for (i = 0; i < n && !st; i++)
        st = add_value(v, list[i], err);
    if (!st)
        st = values_ready(v, err);
    if (st)
        values_free(v);
    else
        *out = v;
    return st;
}

void values_free(struct values *v)
{
    size_t i;

    if (!v)
        return;
    for (i = 0; v->list && i < v->n; i++)
        free(v->list[i].units);
    for (i = 0; i < v->n_made; i++)
        free(v->made[i]);
    free(v->list);
    free(v->needles);
    free(v->made);
    find_many_free(v->find);
    free(v);
}

quire_status values_add_digest(struct values *v, const quire_digest *old,
                               const quire_digest *now, quire_error *err)
{
    enum { HEX = 2 * sizeof old->byte };
    char *from = make(v, HEX), *to = make(v, HEX), *capitals = make(v, HEX);
    struct needle needle = {.kind = SPAN_DIGEST, .value = v->n_digests};
    quire_status st;
    size_t i;

    v->n_digests++;
    if (!from || !to || !capitals)
        return err_memory(err);
    hex_encode(old->byte, sizeof old->byte, from);
    hex_encode(now->byte, sizeof now->byte, to);
    needle.bytes = bytes_of(from, HEX);
    needle.masked = bytes_of(to, HEX);
    st = add_needle(v, &needle, err);
    for (i = 0; i < HEX; i++)
        capitals[i] = (char)(from[i] >= 'a' ? from[i] - 'a' + 'A' : from[i]);
    needle.bytes = bytes_of(capitals, HEX);
    return st ? st : add_needle(v, &needle, err);
}

quire_status values_ready(struct values *v, quire_error *err)
{
    struct find_many *find;
    quire_bytes *list;
    size_t i;

    if (!v->stale)
        return QUIRE_OK;
    list = malloc(v->n_needles * sizeof *list);
    for (i = 0; list && i < v->n_needles; i++)
        list[i] = v->needles[i].bytes;
    find = list ? find_many_new(list, v->n_needles) : NULL;
    free(list);
    if (!find)
        return err_memory(err);
    find_many_free(v->find);
    v->find = find;
    v->stale = false;
    return QUIRE_OK;
}

size_t values_reach(const struct values *v)
{
    return v->reach;
}

size_t values_digest(const struct values *v, const struct span *s)
{
    return v->needles[s->which].value;
}

/* ---- finding --------------------------------------------------------------- */

static void add_span(struct spans *out, const struct span *s)
{
    if (out->n == out->cap) {
        size_t cap = out->cap ? 2 * out->cap : 64;
        struct span *more = realloc(out->list, cap * sizeof *more);

        if (!more) {
            out->failed = true;
            return;
        }
        out->list = more;
        out->cap = cap;
    }
    out->list[out->n++] = *s;
}

void spans_clear(struct spans *s)
{
    s->n = 0;
}

void spans_release(struct spans *s)
{
    free(s->list);
    *s = (struct spans){.n = 0};
}

static void find_needles(const struct values *v, quire_bytes text,
                         struct spans *out)
{
    size_t at = 0, which;

    for (; find_many_next(v->find, text, &at, &which); at++) {
        const struct needle *needle = &v->needles[which];
        struct span s = {at, at + needle->bytes.len, needle->kind, which};
        size_t k;

        if (needle->kind != SPAN_TEXT) {
            add_span(out, &s);
            continue;
        }
        /* Several values may have the same anchor. */
        for (k = which; k < v->n_needles; k++) {
            const struct value *one = &v->list[v->needles[k].value];

            if (v->needles[k].kind != SPAN_TEXT ||
                text.len - at < v->needles[k].bytes.len ||
                memcmp((const char *)text.data + at, v->needles[k].bytes.data,
                       v->needles[k].bytes.len) != 0)
                continue;
            if (value_match(one, text, one->anchor, at, &s.from, &s.to))
                add_span(out, &s);
        }
    }
}

static void try_escaped(const struct values *v, quire_bytes text, uint32_t cp,
                        size_t p, struct spans *out)
{
    struct span s = {.kind = SPAN_TEXT};
    size_t i, k;

    for (i = 0; i < v->n; i++)
        for (k = 0; k < v->list[i].n_units; k++)
            if (v->list[i].units[k].cp == cp &&
                value_match(&v->list[i], text, k, p, &s.from, &s.to))
                add_span(out, &s);
}

/* Values whose anchor has a character that is spelled by its number. */
static void find_escaped(const struct values *v, quire_bytes text,
                         struct spans *out)
{
    const char *data = text.data, *at;
    size_t p = 0, n, end;
    uint32_t cp;

    while (p < text.len &&
           (at = memchr(data + p, '\\', text.len - p)) != NULL) {
        p = (size_t)(at - data);
        n = match_backslashes(text, p);
        if (p + n < text.len && data[p + n] == 'u' &&
            match_escaped(text, p, &cp, &end) &&
            (cp < 128 ? v->ascii[cp] : v->others))
            try_escaped(v, text, cp, p, out);
        p += n + 1;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to < y->to) - (x->to > y->to);
}

/* Sort, and join those that overlap: only text can. */
static void join_spans(struct spans *s)
{
    size_t i, n = 0;

    if (s->n > 1)
        qsort(s->list, s->n, sizeof *s->list, by_place);
    for (i = 0; i < s->n; i++) {
        struct span *last = n ? &s->list[n - 1] : NULL;

        if (!last || s->list[i].from >= last->to ||
            (last->kind != s->list[i].kind &&
             !(last->from == s->list[i].from && last->to == s->list[i].to))) {
            s->list[n++] = s->list[i];
        } else if (s->list[i].to > last->to) {
            if (last->kind == SPAN_TEXT)
                last->to = s->list[i].to;
            else
                s->list[n++] = s->list[i];
        }
    }
    s->n = n;
}

void values_find(const struct values *v, quire_bytes text, struct spans *out)
{
    spans_clear(out);
    find_needles(v, text, out);
    find_escaped(v, text, out);
    join_spans(out);
}

/* ---- masking --------------------------------------------------------------- */

/* How many bytes at `p`, within `to`, stay as they are; *skip: or are masked as one. */
static size_t kept_at(const char *text, size_t p, size_t to, size_t *skip)
{
    size_t n = 0;

    *skip = 0;
    if ((uint8_t)text[p] < 0x20 || text[p] == '"')
        return 1;
    while (p + n < to && text[p + n] == '\\')
        n++;
    if (!n)
        return 0;
    if (p + n == to)
        return n;
    if (text[p + n] == 'u') {
        *skip = p + n + 5 <= to ? n + 5 : to - p;
        return 0;
    }
    if (text[p + n] == '/') {
        *skip = n + 1;
        return 0;
    }
    return strchr("bfnrt\"", text[p + n]) ? n + 1 : n;
}

static size_t backslashes_before(const char *text, size_t p)
{
    size_t n = 0;

    while (n < p && text[p - n - 1] == '\\')
        n++;
    return n;
}

/* Bytes at the start of a match that belong to an escape before it. */
static size_t skip_escape(const char *text, const struct span *s)
{
    size_t n = backslashes_before(text, s->from);

    if (n % 2 == 0 || !strchr("bfnrt\"/u\\", text[s->from]))
        return 0;
    return text[s->from] != 'u' ? 1 : s->to - s->from < 5 ? s->to - s->from : 5;
}

void values_mask(const struct values *v, char *text, size_t len,
                 const struct span *s)
{
    size_t p = s->from, run = 0, skip;
    bool marked = false;

    (void)len;
    if (s->kind != SPAN_TEXT) {
        memcpy(text + s->from, v->needles[s->which].masked.data,
               s->to - s->from);
        return;
    }
    p += skip_escape(text, s);
    while (p < s->to) {
        size_t kept = kept_at(text, p, s->to, &skip);

        if (kept) {
            p += kept;
            run = 0;
            continue;
        }
        for (skip = skip ? skip : 1; skip > 0; skip--, p++) {
            text[p] = '*';
            if (++run == MARKER_LEN && !marked) {
                memcpy(text + p + 1 - MARKER_LEN, marker, MARKER_LEN);
                marked = true;
            }
        }
    }
}

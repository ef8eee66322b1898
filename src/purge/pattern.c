/*
 * pattern.c - values that are given, and those that match a pattern
 *
 * A pattern is searched for first, in all that will be searched: every text that matches is
 * a value, and is then found in every spelling. Texts are matched line by line, as they
 * are stored.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "purge/purge.h"

enum {
    PATTERN_MAX = 4096,
    MATCH_STEPS = 1000000, /* at one place                             */
    LINE_BYTES = 1 << 20,  /* what is longer is matched in such parts  */
};

struct pattern {
    struct purge *p;
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    struct buf line;  /* the beginning of one that is not complete */
    struct map known; /* values that were found; bytes in p->keep  */
};

static quire_status add_value(struct pattern *t, quire_bytes value,
                              quire_error *err)
{
    quire_bytes kept;

    if (value.len < VALUE_LEAST || value.len > VALUE_MOST ||
        map_get(&t->known, value))
        return QUIRE_OK;
    if (t->known.n >= VALUES_MAX)
        return err_fail(err, QUIRE_INVALID, "give a narrower pattern",
                        "the pattern matches more than %d different texts",
                        VALUES_MAX);
    kept = arena_dup(&t->p->keep, value);
    return kept.data && map_put(&t->known, kept, 1, NULL) ? QUIRE_OK
                                                          : err_memory(err);
}

/* Every match in a text. One that costs too much is left out of it. */
static quire_status match_all(struct pattern *t, quire_bytes text,
                              quire_error *err)
{
    PCRE2_SIZE at = 0;
    quire_status st = QUIRE_OK;
    int rc;

    while (!st && at < text.len &&
           (rc = pcre2_match(t->code, text.data, text.len, at, 0, t->data,
                             t->limits)) != PCRE2_ERROR_NOMATCH) {
        const PCRE2_SIZE *place = pcre2_get_ovector_pointer(t->data);

        if (rc == PCRE2_ERROR_NOMEMORY)
            return err_memory(err);
        if (rc < 0)
            return err_fail(err, QUIRE_INVALID, "give a simpler pattern",
                            "the pattern takes too many steps");
        if (place[1] > place[0])
            st = add_value(t, bytes_sub(text, place[0], place[1]), err);
        at = place[1] > at ? place[1] : at + 1;
    }
    return st;
}

/* No bytes: the end of a text. */
static quire_status collect(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct pattern *t = ctx;
    const char *end = bytes.len ? memrchr(bytes.data, '\n', bytes.len) : NULL;
    size_t whole = end ? (size_t)(end - (const char *)bytes.data) + 1 : 0;
    quire_status st = QUIRE_OK;

    if (!bytes.len) {
        st = match_all(t, buf_bytes(&t->line), err);
        buf_clear(&t->line);
        return st;
    }
    if (t->line.len + bytes.len > LINE_BYTES && !whole)
        whole = bytes.len;
    if (whole) {
        buf_add(&t->line, bytes.data, whole);
        st = buf_status(&t->line, "a line", err);
        if (!st)
            st = match_all(t, buf_bytes(&t->line), err);
        buf_clear(&t->line);
    }
    buf_add(&t->line, (const char *)bytes.data + whole, bytes.len - whole);
    return st ? st : buf_status(&t->line, "a line", err);
}

static quire_status compile(struct pattern *t, const char *text,
                            quire_error *err)
{
    PCRE2_UCHAR8 why[120] = "";
    PCRE2_SIZE at;
    int code;

    if (strlen(text) > PATTERN_MAX)
        return err_set(err, QUIRE_INVALID,
                       "the pattern is longer than %d bytes", PATTERN_MAX);
    t->code = pcre2_compile((PCRE2_SPTR8)text, PCRE2_ZERO_TERMINATED,
                            PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &code,
                            &at, NULL);
    if (!t->code) {
        pcre2_get_error_message(code, why, sizeof why);
        return err_set(err, QUIRE_INVALID, "the pattern has a fault at %zu: %s",
                       (size_t)at, (const char *)why);
    }
    pcre2_jit_compile(t->code, PCRE2_JIT_COMPLETE); /* or slower */
    t->data = pcre2_match_data_create(1, NULL);
    t->limits = pcre2_match_context_create(NULL);
    if (!t->data || !t->limits)
        return err_memory(err);
    pcre2_set_match_limit(t->limits, MATCH_STEPS);
    return QUIRE_OK;
}

/* Everything that a purge searches. */
static quire_status collect_all(struct purge *p, quire_error *err)
{
    quire_status st = purge_find_blobs(p, err);

    if (!st)
        st = purge_find_files(p, err);
    return st ? st : purge_rows(p, p->q->catalog.db, "quire.db", false, err);
}

static quire_status match_pattern(struct pattern *t, const char *text,
                                  quire_error *err)
{
    quire_status st = compile(t, text, err);

    if (st)
        return st;
    t->p->collect = collect;
    t->p->collect_ctx = t;
    st = collect_all(t->p, err);
    t->p->collect = NULL;
    return st;
}

static quire_status make_values(struct pattern *t, quire_error *err)
{
    const quire_purge_options *o = t->p->options;
    size_t n = 0, i;
    quire_bytes *list = arena_array(&t->p->keep, o->n_values + t->known.n + 1,
                                    sizeof *list);

    if (!list)
        return err_memory(err);
    for (i = 0; i < o->n_values; i++)
        list[n++] = o->values[i];
    for (i = 0; i < t->known.n_slots; i++)
        if (t->known.slots[i].key)
            list[n++] = bytes_of(t->known.slots[i].key, t->known.slots[i].len);
    return n ? values_new(list, n, &t->p->values, err)
             : QUIRE_OK; /* the pattern matches nothing */
}

quire_status purge_read_values(struct purge *p, quire_error *err)
{
    struct pattern t = {.p = p, .line = BUF_INIT((size_t)1 << 31)};
    quire_status st = QUIRE_OK;

    map_init(&t.known, (uintptr_t)p, (uint64_t)clock_us(&p->q->clock));
    if (p->options->pattern)
        st = match_pattern(&t, p->options->pattern, err);
    else if (!p->options->n_values)
        st = err_set(err, QUIRE_INVALID, "there is no value to purge");
    if (!st)
        st = make_values(&t, err);
    pcre2_match_data_free(t.data);
    pcre2_match_context_free(t.limits);
    pcre2_code_free(t.code);
    buf_release(&t.line);
    map_release(&t.known);
    return st;
}

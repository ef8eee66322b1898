/*
 * regex_code.c - PCRE2 over whole texts, with limits on steps, memory and time
 *
 * PCRE2 limits the steps at one place of the text; the places are searched in
 * windows, and the time is checked between them, as output/regex.c explains.
 */
#include "search/regex_code.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <time.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/regex_calls.h"

#define PATTERN_MAX ((size_t)4096)
#define STEPS_MAX   300000
#define HEAP_KIB    (20 * 1024)
#define STACK_BYTES (32 * 1024)
#define STACK_MAX   (16 * 1024 * 1024)

/* Of one text; and the places that are searched before the time is checked. */
#define TEXT_WORK_US (2 * 1000 * 1000)
#define WINDOW_BYTES ((size_t)64 * 1024)

struct regex_code {
    pcre2_general_context *general;
    pcre2_code *code;
    bool jit;
};

struct regex_match {
    const struct regex_code *r;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
};

/* PCRE2 would call malloc() itself. With these the tests can make it fail. */
static void *alloc_memory(size_t size, void *ctx)
{
    (void)ctx;
    return malloc(size);
}

static void free_memory(void *p, void *ctx)
{
    (void)ctx;
    free(p);
}

static quire_status compile(struct regex_code *r, quire_bytes pattern,
                            bool ignore_case, quire_error *err)
{
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_MULTILINE |
                       PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT |
                       (ignore_case ? PCRE2_CASELESS : 0);
    pcre2_compile_context *how = pcre2_compile_context_create(r->general);
    PCRE2_UCHAR why[128];
    size_t at = 0;
    int code = 0;

    if (!how)
        return err_memory(err);
    pcre2_set_newline(how, PCRE2_NEWLINE_LF);
    r->code = pcre2_compile((PCRE2_SPTR)pattern.data, pattern.len, options,
                            &code, &at, how);
    pcre2_compile_context_free(how);
    if (r->code) {
        r->jit = !regex_has_calls(pattern) &&
                 pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE) == 0;
        return QUIRE_OK;
    }
    if (code == PCRE2_ERROR_HEAP_FAILED)
        return err_memory(err);
    pcre2_get_error_message(code, why, sizeof why);
    return err_fail(err, QUIRE_INVALID,
                    "put a backslash before a special character",
                    "cannot read the regular expression at byte %zu: %s",
                    at + 1, (const char *)why);
}

quire_status regex_code_new(quire_bytes pattern, bool ignore_case,
                            struct regex_code **out, quire_error *err)
{
    struct regex_code *r;
    quire_status st;

    *out = NULL;
    if (pattern.len > PATTERN_MAX)
        return err_fail(err, QUIRE_INVALID, "search for a part of it",
                        "the regular expression is longer than %zu bytes",
                        PATTERN_MAX);
    r = calloc(1, sizeof *r);
    if (!r)
        return err_memory(err);
    r->general = pcre2_general_context_create(alloc_memory, free_memory, NULL);
    st = r->general ? compile(r, pattern, ignore_case, err) : err_memory(err);
    if (st)
        regex_code_free(r);
    else
        *out = r;
    return st;
}

void regex_code_free(struct regex_code *r)
{
    if (!r)
        return;
    pcre2_code_free(r->code);
    pcre2_general_context_free(r->general);
    free(r);
}

quire_status regex_match_new(const struct regex_code *r,
                             struct regex_match **out, quire_error *err)
{
    struct regex_match *m = calloc(1, sizeof *m);

    *out = m;
    if (!m)
        return err_memory(err);
    m->r = r;
    m->data = pcre2_match_data_create(1, r->general);
    m->context = pcre2_match_context_create(r->general);
    if (r->jit)
        m->stack = pcre2_jit_stack_create(STACK_BYTES, STACK_MAX, r->general);
    if (!m->data || !m->context || (r->jit && !m->stack)) {
        regex_match_free(m);
        *out = NULL;
        return err_memory(err);
    }
    pcre2_set_match_limit(m->context, STEPS_MAX);
    pcre2_set_depth_limit(m->context, STEPS_MAX);
    pcre2_set_heap_limit(m->context, HEAP_KIB);
    if (m->stack)
        pcre2_jit_stack_assign(m->context, NULL, m->stack);
    return QUIRE_OK;
}

void regex_match_free(struct regex_match *m)
{
    if (!m)
        return;
    pcre2_jit_stack_free(m->stack);
    pcre2_match_context_free(m->context);
    pcre2_match_data_free(m->data);
    free(m);
}

static quire_status fail_match(int code, quire_error *err)
{
    PCRE2_UCHAR why[128];

    switch (code) {
    case PCRE2_ERROR_NOMEMORY: return err_memory(err);
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_JIT_STACKLIMIT:
        return err_fail(err, QUIRE_INVALID,
                        "avoid repeats within repeats, such as (a+)+, and "
                        "several .* in a row",
                        "the regular expression is too costly");
    default: break;
    }
    pcre2_get_error_message(code, why, sizeof why);
    return err_set(err, QUIRE_INVALID,
                   "cannot search for the regular expression: %s",
                   (const char *)why);
}

static int64_t work_us(void)
{
    struct timespec t = {0, 0};

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Where the window that begins at `from` ends: not within a character. */
static size_t window_end(quire_bytes text, size_t from)
{
    const unsigned char *at = text.data;
    size_t to = from + WINDOW_BYTES;

    if (text.len - from <= WINDOW_BYTES)
        return text.len;
    while (to < text.len && (at[to] & 0xc0) == 0x80)
        to++;
    return to;
}

static int search_window(struct regex_match *m, quire_bytes text, size_t from,
                         size_t to)
{
    pcre2_set_offset_limit(m->context, to < text.len ? to - 1 : PCRE2_UNSET);
    return pcre2_match(m->r->code, (PCRE2_SPTR)text.data, text.len, from,
                       PCRE2_NOTEMPTY, m->data, m->context);
}

quire_status regex_match_next(struct regex_match *m, quire_bytes text,
                              size_t at, bool *found, size_t *from, size_t *to,
                              quire_error *err)
{
    int64_t began_us = text.len - at > WINDOW_BYTES ? work_us() : 0;
    size_t end;
    int code = PCRE2_ERROR_NOMATCH;

    *found = false;
    while (code == PCRE2_ERROR_NOMATCH && at < text.len) {
        end = window_end(text, at);
        code = search_window(m, text, at, end);
        at = end;
        if (code == PCRE2_ERROR_NOMATCH && at < text.len &&
            work_us() - began_us > TEXT_WORK_US)
            return fail_match(PCRE2_ERROR_MATCHLIMIT, err);
    }
    if (code < 0 && code != PCRE2_ERROR_NOMATCH)
        return fail_match(code, err);
    *found = code >= 0;
    if (*found) {
        *from = pcre2_get_ovector_pointer(m->data)[0];
        *to = pcre2_get_ovector_pointer(m->data)[1];
    }
    return QUIRE_OK;
}

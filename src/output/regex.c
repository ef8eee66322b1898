/*
 * regex.c - PCRE2 with limits on time and memory
 *
 * A search tries the expression at each place of the line in turn. PCRE2 counts
 * the steps it takes at one place and starts again at the next, so its own
 * limit ends exponential searches, but not quadratic ones: some thousand steps
 * at each of a million places take minutes. Hence a long line is searched from
 * WINDOW_BYTES places at a time, and in between we check how much time it has
 * taken.
 *
 * The result does not depend on the window: lookbehind and "^" see the line
 * before it. Only constructs about the search itself differ: \G is true where a
 * window begins, and (*COMMIT) gives up one window.
 */
#include "output/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/regex_calls.h"
#include "output/quote.h"

/* At one place. A reasonable expression takes a few steps for each byte it
 * passes; this ends a bad one within milliseconds. */
#define STEPS_MAX 300000

/* For backtracking, of the interpreter; and the same for compiled code. */
#define HEAP_KIB    (20 * 1024)
#define STACK_BYTES (32 * 1024)
#define STACK_MAX   (16 * 1024 * 1024)

/* Every window searches for the first byte of a match again, perhaps to the end
 * of the line. Smaller windows make that expensive; within larger ones more
 * work goes unchecked, at worst STEPS_MAX for each place. */
#define WINDOW_BYTES 1024
#define LINE_WORK_US (1000 * 1000)

struct regex {
    const char *expression; /* borrowed */
    pcre2_general_context *general;
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack; /* NULL: no JIT on this machine */
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

/* The number of characters before byte `at`; 1 if the first one is at fault. */
static size_t character_at(const char *expression, size_t at)
{
    size_t n = 0, i;

    for (i = 0; i < at; i++)
        n += ((unsigned char)expression[i] & 0xc0) != 0x80;
    return n ? n : 1;
}

static quire_status fail_syntax(const char *expression, int code, size_t at,
                                quire_error *err)
{
    PCRE2_UCHAR why[128];

    pcre2_get_error_message(code, why, sizeof why);
    err_fail(err, QUIRE_INVALID, "put a backslash before a special character",
             "cannot read the expression \"%s\" at character %zu: %s",
             quote_text(bytes_str(expression)).text,
             character_at(expression, at), (const char *)why);
    return QUIRE_INVALID;
}

static quire_status compile_code(struct regex *m, bool ignore_case,
                                 quire_error *err)
{
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
                       PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT |
                       (ignore_case ? PCRE2_CASELESS : 0);
    pcre2_compile_context *how = pcre2_compile_context_create(m->general);
    size_t at = 0;
    int code = 0;

    if (!how)
        return err_memory(err);
    /* Independent of how libpcre2 was built: a line has no newline in it, and a
     * CR is a character. */
    pcre2_set_newline(how, PCRE2_NEWLINE_LF);
    m->code = pcre2_compile((PCRE2_SPTR)m->expression, PCRE2_ZERO_TERMINATED,
                            options, &code, &at, how);
    pcre2_compile_context_free(how);
    if (m->code)
        return QUIRE_OK;
    if (code == PCRE2_ERROR_HEAP_FAILED)
        return err_memory(err);
    return fail_syntax(m->expression, code, at, err);
}

static quire_status prepare_match(struct regex *m, quire_error *err)
{
    m->data = pcre2_match_data_create(1, m->general);
    m->context = pcre2_match_context_create(m->general);
    if (!m->data || !m->context)
        return err_memory(err);
    pcre2_set_match_limit(m->context, STEPS_MAX);
    pcre2_set_depth_limit(m->context, STEPS_MAX);
    pcre2_set_heap_limit(m->context, HEAP_KIB);
    /* Where memory cannot be made executable the interpreter is used, about ten
     * times slower. */
    if (regex_has_calls(bytes_str(m->expression)) ||
        pcre2_jit_compile(m->code, PCRE2_JIT_COMPLETE) != 0)
        return QUIRE_OK;
    m->stack = pcre2_jit_stack_create(STACK_BYTES, STACK_MAX, m->general);
    if (!m->stack)
        return err_memory(err);
    pcre2_jit_stack_assign(m->context, NULL, m->stack);
    return QUIRE_OK;
}

quire_status regex_new(const char *expression, bool ignore_case,
                       struct regex **out, quire_error *err)
{
    struct regex *m;
    quire_status st;

    *out = NULL;
    if (strnlen(expression, MATCH_EXPRESSION_MAX + 1) > MATCH_EXPRESSION_MAX) {
        err_fail(err, QUIRE_INVALID, "search for a part of it",
                 "the expression is longer than %d bytes",
                 MATCH_EXPRESSION_MAX);
        return QUIRE_INVALID;
    }
    m = calloc(1, sizeof *m);
    if (!m)
        return err_memory(err);
    m->expression = expression;
    m->general = pcre2_general_context_create(alloc_memory, free_memory, NULL);
    st = m->general ? compile_code(m, ignore_case, err) : err_memory(err);
    if (!st)
        st = prepare_match(m, err);
    if (!st)
        *out = m;
    else
        regex_free(m);
    return st;
}

void regex_free(struct regex *m)
{
    if (!m)
        return;
    pcre2_jit_stack_free(m->stack);
    pcre2_match_context_free(m->context);
    pcre2_match_data_free(m->data);
    pcre2_code_free(m->code);
    pcre2_general_context_free(m->general);
    free(m);
}

void regex_version(char *out, size_t cap)
{
    char text[64] = "";

    pcre2_config(PCRE2_CONFIG_VERSION, text);
    text[strcspn(text, " ")] = '\0'; /* its date follows */
    snprintf(out, cap, "pcre2 %s", text);
}

static quire_status fail_costly(const struct regex *m, quire_error *err)
{
    err_fail(err, QUIRE_INVALID,
             "avoid repeats within repeats, such as (a+)+, and several "
             ".* in a row",
             "the expression \"%s\" is too costly",
             quote_text(bytes_str(m->expression)).text);
    return QUIRE_INVALID;
}

static quire_status fail_search(const struct regex *m, int code,
                                quire_error *err)
{
    PCRE2_UCHAR why[128];

    switch (code) {
    case PCRE2_ERROR_NOMEMORY: return err_memory(err);
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_JIT_STACKLIMIT: return fail_costly(m, err);
    default: break;
    }
    pcre2_get_error_message(code, why, sizeof why);
    return err_set(err, QUIRE_INVALID,
                   "cannot search for the expression \"%s\": %s",
                   quote_text(bytes_str(m->expression)).text,
                   (const char *)why);
}

/* CPU time of this thread, not wall time: a busy machine does not make an
 * expression costly. */
static int64_t work_us(void)
{
    struct timespec t = {0, 0};

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Searches that begin at byte `from`, up to before byte `to`. */
static int search_window(struct regex *m, quire_bytes line, size_t from,
                         size_t to, bool whole)
{
    const char *text = line.data ? line.data : "";

    pcre2_set_offset_limit(m->context, to < line.len ? to - 1 : PCRE2_UNSET);
    return pcre2_match(m->code, (PCRE2_SPTR)text, line.len, from,
                       whole ? 0 : PCRE2_NOTEOL, m->data, m->context);
}

/* Where the window that begins at `from` ends: not within a character, since
 * PCRE2 cannot start there. */
static size_t window_end(quire_bytes line, size_t from)
{
    const unsigned char *text = line.data;
    size_t to = from + WINDOW_BYTES;

    if (line.len - from <= WINDOW_BYTES)
        return line.len;
    while (to < line.len && (text[to] & 0xc0) == 0x80)
        to++;
    return to;
}

quire_status regex_find(struct regex *m, quire_bytes line, bool whole,
                        bool *found, quire_error *err)
{
    int64_t began_us = line.len > WINDOW_BYTES ? work_us() : 0;
    size_t from = 0, to = window_end(line, 0);
    int code = search_window(m, line, from, to, whole);

    while (code == PCRE2_ERROR_NOMATCH && to < line.len) {
        if (work_us() - began_us > LINE_WORK_US)
            return fail_costly(m, err);
        from = to;
        to = window_end(line, from);
        code = search_window(m, line, from, to, whole);
    }
    /* Zero: found, with more groups than we have space for. */
    *found = code >= 0;
    if (code < 0 && code != PCRE2_ERROR_NOMATCH)
        return fail_search(m, code, err);
    return QUIRE_OK;
}

/*
 * query.c - select one value of a JSON text
 *
 * A query is parsed into steps, and the text is walked once with them.
 *
 *     .items[0].title        name "items", index 0, name "title"
 *
 * The walk enters a container only if it, and every container around it,
 * matches the steps so far; all others are skipped. So it needs no
 * backtracking, and the depth of the walk determines the next step:
 *
 *     { "a": {...}, "items": [ {"title": "x"} , ... ] }
 *     ^ no steps done        ^ one  ^ two
 *
 * Invariants of the walk:
 *
 *   (1) `depth` containers are open, and the first `depth - 1` steps lead to
 *       the innermost one. Its contents are matched with the next step.
 *   (2) `found` is the value of all the steps, in what was read so far. A
 *       repeated key has its last value: when a member matches again, what
 *       was found in an earlier one is dropped, even if the new one has no
 *       match.
 *   (3) `index` is how many elements of the innermost container have begun;
 *       or PASSED, once the walk has been in one of them. No later element of
 *       that array can match.
 *
 * Each byte of the text is read once, whatever the query.
 */
#include "output/query.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "output/chars.h"
#include "output/quote.h"

/* Ample; a path of an address becomes at most 24 KiB. */
#define QUERY_MAX ((size_t)64 * 1024)

/* No text that json_check() accepts is deeper. */
#define STEPS_MAX ((size_t)JSON_MAX_DEPTH)

#define PASSED SIZE_MAX

struct step {
    bool is_index;    /* [n]: in an array only                           */
    bool is_element;  /* a name that is a number as JavaScript spells it */
    bool is_escaped;  /* `name` is as written, with backslashes          */
    size_t index;     /* for the first two: the index; if it does not fit,
                       * PASSED - 1, which matches nothing */
    quire_bytes name; /* its key in an object                            */
};

struct reader {
    quire_bytes query; /* as given     */
    size_t at, end;    /* inside of it */
    quire_error *err;
};

/* ---- white space --------------------------------------------------------- */

/* White space as in String.prototype.trim(). */
static bool is_space(uint32_t cp)
{
    return (cp >= 0x09 && cp <= 0x0d) || cp == ' ' || cp == 0xa0 ||
           cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 ||
           cp == 0x2029 || cp == 0x202f || cp == 0x205f || cp == 0x3000 ||
           cp == 0xfeff;
}

static size_t space_at_start(quire_bytes text)
{
    uint32_t cp;
    size_t len = text.len ? utf8_decode(text, &cp, NULL) : 0;

    return len && is_space(cp) ? len : 0;
}

static size_t space_at_end(quire_bytes text)
{
    size_t len;

    /* None of them has more than three bytes. */
    for (len = 1; len <= 3 && len <= text.len; len++) {
        quire_bytes last = bytes_sub(text, text.len - len, text.len);

        if (space_at_start(last) == len)
            return len;
    }
    return 0;
}

static quire_bytes trim_space(quire_bytes text)
{
    size_t n;

    while (n = space_at_start(text), n)
        text = bytes_sub(text, n, text.len);
    while (n = space_at_end(text), n)
        text = bytes_sub(text, 0, text.len - n);
    return text;
}

/* ---- reading a query ----------------------------------------------------- */

static void add_hint(quire_error *err)
{
    err_next(err, "write names after dots, [0] for an element, ['a key'] for "
                  "any other key: .items[0]['a key']");
}

/* Bytes are counted from one. */
static quire_status fail_at(const struct reader *r, const char *why, size_t at)
{
    quire_status st = err_set(r->err, QUIRE_INVALID,
                              "cannot read the query %s: %s at byte %zu",
                              quote_text(r->query).text, why, at + 1);

    add_hint(r->err);
    return st;
}

static quire_status fail_unexpected(const struct reader *r)
{
    quire_bytes rest = bytes_sub(r->query, r->at, r->query.len);
    char why[sizeof "unexpected ''" + 4];
    uint32_t cp;

    rest.len = utf8_decode(rest, &cp, NULL);
    snprintf(why, sizeof why, "unexpected '%.4s'", quote_text(rest).text);
    return fail_at(r, why, r->at);
}

/* A lone quote is the first and the last character, too: an empty key. */
static bool is_quoted(quire_bytes text)
{
    const char *c = text.data;

    return (*c == '\'' || *c == '"') && c[text.len - 1] == *c;
}

/* `at` is an opening bracket. */
static quire_status read_bracket(struct reader *r, struct step *step)
{
    const char *text = r->query.data;
    size_t from = r->at + 1;
    const char *close = memchr(text + from, ']', r->end - from);
    quire_bytes inside;

    if (!close)
        return fail_at(r, "missing ] for the [", r->at);
    inside = trim_space(bytes_sub(r->query, from, (size_t)(close - text)));
    if (!inside.len)
        return fail_at(r, "nothing in the []", r->at);
    r->at = (size_t)(close - text) + 1;
    if (is_quoted(inside)) {
        inside = bytes_sub(inside, 1, inside.len > 1 ? inside.len - 1 : 1);
        step->is_escaped = memchr(inside.data, '\\', inside.len) != NULL;
    } else {
        step->is_index = all_chars(inside, is_digit_char);
    }
    step->name = inside;
    return QUIRE_OK;
}

/* Parse the next step; *more is false if there is none. */
static quire_status read_step(struct reader *r, struct step *step, bool *more)
{
    const char *text = r->query.data;
    size_t from;

    *step = (struct step){0};
    while (r->at < r->end && text[r->at] == '.')
        r->at++;
    *more = r->at < r->end;
    if (!*more)
        return QUIRE_OK;
    if (text[r->at] == '[')
        return read_bracket(r, step);
    from = r->at;
    while (r->at < r->end && is_name_char(text[r->at]))
        r->at++;
    if (r->at == from)
        return fail_unexpected(r);
    step->name = bytes_sub(r->query, from, r->at);
    return QUIRE_OK;
}

/* All steps, to `steps` (NULL: only count them); *n of them. */
static quire_status read_query(const char *query, struct step *steps, size_t *n,
                               quire_error *err)
{
    struct reader r = {.query = {query, strnlen(query, QUERY_MAX + 1)},
                       .err = err};
    quire_bytes inner;

    *n = 0;
    if (r.query.len > QUERY_MAX)
        return err_set(err, QUIRE_INVALID,
                       "the query %s has more than %zu bytes",
                       quote_text(r.query).text, QUERY_MAX);
    inner = trim_space(r.query);
    r.at = (size_t)((const char *)inner.data - query);
    r.end = r.at + inner.len;
    for (;;) {
        struct step step;
        bool more;
        quire_status st = read_step(&r, &step, &more);

        if (st || !more)
            return st;
        if (*n == STEPS_MAX)
            return err_set(err, QUIRE_INVALID,
                           "the query %s has more than %zu steps; JSON "
                           "cannot be that deep",
                           quote_text(r.query).text, STEPS_MAX);
        if (steps)
            steps[*n] = step;
        ++*n;
    }
}

quire_status query_check(const char *query, quire_error *err)
{
    size_t n;

    return read_query(query, NULL, &n, err);
}

/* ---- steps -------------------------------------------------------------- */

/* A number that is too large is a valid index without an element. */
static size_t read_index(quire_bytes digits)
{
    const char *c = digits.data;
    size_t n = 0, i;

    for (i = 0; i < digits.len; i++) {
        if (n > (PASSED - 10) / 10)
            return PASSED - 1;
        n = n * 10 + (size_t)(c[i] - '0');
    }
    return n;
}

/* A backslash before a quote or a backslash is not part of the key; before
 * anything else it is. */
static bool unescape(struct step *step, struct arena *tmp)
{
    const char *from = step->name.data, *end = from + step->name.len;
    char *key = arena_alloc(tmp, step->name.len);
    size_t n = 0;

    if (!key)
        return false;
    while (from < end) {
        if (*from == '\\' && end - from > 1 && strchr("'\"\\", from[1]))
            from++;
        key[n++] = *from++;
    }
    step->name = bytes_of(key, n);
    return true;
}

/* As JavaScript spells it: 0, 12, but not 00. */
static bool is_spelled_number(quire_bytes name)
{
    return all_chars(name, is_digit_char) &&
           (name.len == 1 || !bytes_starts(name, bytes_str("0")));
}

/* The steps of a query, ready for the walk. */
static quire_status get_steps(const char *query, struct arena *tmp,
                              struct step **steps, size_t *n, quire_error *err)
{
    quire_status st = read_query(query, NULL, n, err);
    size_t i;

    if (st)
        return st;
    *steps = arena_array(tmp, *n, sizeof **steps);
    if (!*steps)
        return err_memory(err);
    st = read_query(query, *steps, n, err);
    for (i = 0; i < *n && !st; i++) {
        struct step *s = &(*steps)[i];

        if (s->is_escaped && !unescape(s, tmp))
            return err_memory(err);
        s->is_element = !s->is_index && is_spelled_number(s->name);
        if (s->is_index || s->is_element)
            s->index = read_index(s->name);
    }
    return st;
}

/* ---- the walk ------------------------------------------------------------ */

struct walk {
    struct json_scan s;
    const struct step *steps;
    size_t n_steps;
    size_t index;      /* see (3)                                           */
    bool counting;     /* the innermost container is an array, and the query
                        * asks for its length */
    quire_bytes found; /* see (2)                                           */
    size_t length; /* found, but not a slice of the text. PASSED: not found */
};

/* Does the item that has just begun match the step? */
static bool matches_step(struct walk *w, const struct step *step)
{
    if (w->s.key.data)
        return !step->is_index && json_equal(w->s.key, step->name);
    if (w->index == PASSED)
        return false;
    w->index++;
    return (step->is_index || step->is_element) && step->index == w->index - 1;
}

/* Enter the container that the first `n_done` steps lead to. */
static void enter_container(struct walk *w, size_t n_done)
{
    const struct step *step = &w->steps[n_done];

    w->index = 0;
    w->counting = json_kind(w->s.value) == JSON_ARRAY && !step->is_index &&
                  n_done + 1 == w->n_steps && bytes_is(step->name, "length");
}

/* Visit a value, or the beginning of one, with `depth` containers around it. */
static void visit_value(struct walk *w, size_t depth, bool opens)
{
    if (depth > 0 && !matches_step(w, &w->steps[depth - 1])) {
        if (opens)
            json_scan_skip(&w->s);
        return;
    }
    w->found = bytes_of(NULL, 0);
    w->length = PASSED;
    if (depth < w->n_steps) {
        if (opens)
            enter_container(w, depth);
    } else if (!opens || json_scan_skip(&w->s)) {
        w->found = w->s.value;
    }
}

static void leave_container(struct walk *w)
{
    if (w->counting)
        w->length = w->index;
    w->counting = false;
    w->index = PASSED;
}

/* False if the text is damaged. */
static bool walk_text(struct walk *w, quire_bytes json)
{
    json_scan_init(&w->s, json);
    for (;;) {
        switch (json_scan_next(&w->s)) {
        case JSON_STEP_BAD: return false;
        case JSON_STEP_END: return true;
        case JSON_STEP_SCALAR: visit_value(w, w->s.depth, false); break;
        case JSON_STEP_OPEN: visit_value(w, w->s.depth - 1, true); break;
        case JSON_STEP_CLOSE: leave_container(w); break;
        }
    }
}

quire_status query_find(quire_bytes json, const char *query, struct arena *keep,
                        quire_bytes *out, quire_error *err)
{
    struct walk w = {.length = PASSED};
    struct arena tmp = ARENA_INIT;
    struct step *steps;
    quire_status st;

    *out = bytes_of(NULL, 0);
    st = get_steps(query, &tmp, &steps, &w.n_steps, err);
    if (st)
        goto out;
    w.steps = steps;
    /* The caller has checked the text; otherwise the result is undefined. */
    if (!walk_text(&w, json))
        goto out;
    *out = w.found;
    if (w.length != PASSED) {
        const char *text = arena_printf(keep, "%zu", w.length);

        if (text)
            *out = bytes_str(text);
        else
            st = err_memory(err);
    }
out:
    arena_release(&tmp);
    return st;
}

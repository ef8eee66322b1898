/*
 * json_scan.c - the JSON grammar, and the look-up functions
 *
 * json_scan_next() is the only function that implements the grammar. A step is
 * an item and all that comes before it:
 *
 *     { "type" : "message" , "tags" : [ 1 , 2 ] }
 *     ^ open
 *       ^-----------------^ scalar, with its key
 *                         ^------------^ open, with its key
 *                                        ^ scalar
 *                                          ^-^ scalar
 *                                              ^ close
 *                                                ^ close
 *
 * As the comma belongs to the item behind it, two facts decide what is legal at
 * any point: whether the innermost container is an object (a bit a level,
 * `in_object`), and whether a value has just ended (`after`). A closing bracket
 * is legal at the start of a step and nowhere else, which is why [1,] and
 * {"a":} need no rule of their own.
 *
 * Invariants between steps, of a scan that has not failed:
 *
 *   (1) start <= at <= end, and everything before `at` is a prefix of a
 *       correct text.
 *   (2) depth <= JSON_MAX_DEPTH, and bit d of in_object is right for every
 *       d < depth. Bits above are undefined.
 *   (3) depth == 0 && after: the one value is over.
 *
 * Cost: each byte is read once; inside strings, sixteen at a time. No memory
 * beyond the struct. bench/json_bench.c measures it.
 *
 * Elsewhere: the content of strings and numbers (json_text.c).
 */
#include "base/json.h"

#include <string.h>

#include "base/bytes.h"
#include "base/json_priv.h"
#include "base/utf8.h"

#define COLD __attribute__((cold, noinline))

/* Returns NULL, so that a token's scanner can return it for its end. */
COLD static const char *fail_at(struct json_scan *s, const char *at,
                                const char *why)
{
    s->error = (struct json_error){(size_t)(at - s->start), why, false};
    return NULL;
}

static inline quire_bytes slice(const char *from, const char *to)
{
    return bytes_of(from, (size_t)(to - from));
}

static inline const char *skip_space(const char *at, const char *end)
{
    while (at < end &&
           (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

static inline bool digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

/* ---- tokens: each returns its end, or NULL after fail_at() -------------- */

/* Is this byte, behind a backslash, a whole escape? A table and not a switch: a
 * branch on the next letter of prose is mispredicted. */
static inline bool short_escape(char c)
{
    static const bool yes[256] = {
        ['"'] = true, ['\\'] = true, ['/'] = true, ['b'] = true,
        ['f'] = true, ['n'] = true,  ['r'] = true, ['t'] = true,
    };

    return yes[(unsigned char)c];
}

/* `at` is a backslash that no short escape begins with. */
static const char *long_escape_end(struct json_scan *s, const char *at)
{
    const char *c = at + 1;
    int i;

    if (c < s->end && *c++ != 'u')
        return fail_at(s, at, "an unknown escape in a string");
    for (i = 0; c < s->end && i < 4; i++)
        if (hex_digit(*c++) < 0)
            return fail_at(s, at, "\\u without four hex digits");
    if (c == s->end)
        return fail_at(s, c, "a string has no closing quote");
    return c;
}

/* `at` is a special byte other than the closing quote; returns where the string
 * continues behind it. */
static inline const char *pass_special(struct json_scan *s, const char *at)
{
    if (*at != '\\')
        return fail_at(s, at, "a control character in a string");
    if (s->end - at >= 2 && short_escape(at[1]))
        return at + 2;
    return long_escape_end(s, at);
}

#if JSON_SSE2
/* The body of a string up to its closing quote, or up to less than 64 bytes
 * from the end of the text.
 *
 * Searching from one special byte to the next would be a loop with an
 * unpredictable exit every thirty bytes, since prose is full of \n and \".
 * Taking the bits of a block one by one costs one misprediction a block: 4.2
 * GB/s of session lines instead of 3.0. */
static inline const char *string_blocks(struct json_scan *s, const char *at)
{
    while (s->end - at >= 64) {
        const char *next = at + 64;
        uint64_t bits = json_special64(at);

        while (bits) {
            const char *c = at + __builtin_ctzll(bits);

            if (*c == '"')
                return c;
            c = pass_special(s, c);
            if (!c)
                return NULL;
            if (c >= at + 64) {
                next = c;
                break;
            }
            bits &= ~(uint64_t)0 << (c - at);
        }
        at = next;
    }
    return at;
}
#endif

/* Any string; out of line, to keep the path of the short ones short. */
__attribute__((noinline)) static const char *
long_string_end(struct json_scan *s, const char *at, bool *escaped)
{
    const char *body = at;

#if JSON_SSE2
    at = string_blocks(s, at);
#endif
    while (at && (at = json_plain(at, s->end)) < s->end && *at != '"')
        at = pass_special(s, at);
    if (!at)
        return NULL;
    if (at == s->end)
        return fail_at(s, at, "a string has no closing quote");
    if (escaped)
        *escaped = memchr(body, '\\', (size_t)(at - body)) != NULL;
    return at + 1;
}

/* `at` is behind the opening quote. *escaped (may be NULL) reports whether
 * there is a backslash. */
static inline const char *string_end(struct json_scan *s, const char *at,
                                     bool *escaped)
{
#if JSON_SSE2
    /* Keys, ids, single words: most strings end here. */
    if (s->end - at >= 16) {
        unsigned bits = json_special16(at);

        if (bits && at[__builtin_ctz(bits)] == '"') {
            if (escaped)
                *escaped = false;
            return at + __builtin_ctz(bits) + 1;
        }
    }
#endif
    return long_string_end(s, at, escaped);
}

static inline const char *digits_end(struct json_scan *s, const char *at)
{
    if (!digit(at, s->end))
        return fail_at(s, at, "a digit is missing in a number");
    while (digit(at, s->end))
        at++;
    return at;
}

static inline const char *number_end(struct json_scan *s, const char *at)
{
    if (*at == '-')
        at++;
    if (at < s->end && *at == '0') {
        at++;
        if (digit(at, s->end))
            return fail_at(s, at, "a number begins with a needless zero");
    } else {
        at = digits_end(s, at);
    }
    if (at && at < s->end && *at == '.')
        at = digits_end(s, at + 1);
    if (at && at < s->end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < s->end && (*at == '+' || *at == '-'))
            at++;
        at = digits_end(s, at);
    }
    return at;
}

static inline const char *word_end(struct json_scan *s, const char *at,
                                   const char *word, size_t len)
{
    if ((size_t)(s->end - at) < len || memcmp(at, word, len) != 0)
        return fail_at(s, at,
                       "an unknown word; true, false or null could be here");
    return at + len;
}

/* ---- steps ------------------------------------------------------------- */

static inline bool in_object(const struct json_scan *s)
{
    unsigned d = s->depth - 1;

    return s->in_object[d / 64] >> d % 64 & 1;
}

static inline enum json_step open_container(struct json_scan *s, const char *at)
{
    unsigned d = s->depth;
    uint64_t bit = (uint64_t)1 << d % 64;

    if (d == JSON_MAX_DEPTH) {
        fail_at(s, at, "nested too deeply");
        s->error.too_deep = true;
        return JSON_STEP_BAD;
    }
    if (*at == '{')
        s->in_object[d / 64] |= bit;
    else
        s->in_object[d / 64] &= ~bit;
    s->depth++;
    s->after = false;
    s->value = bytes_of(at, 1);
    s->at = at + 1;
    return JSON_STEP_OPEN;
}

static inline enum json_step close_container(struct json_scan *s,
                                             const char *at)
{
    s->depth--;
    s->after = true;
    s->at = at + 1;
    return JSON_STEP_CLOSE;
}

COLD static const char *bad_value(struct json_scan *s, const char *at)
{
    if (at == s->end)
        return fail_at(s, at, "a value is missing at the end");
    if (*at == ']' || *at == '}')
        return fail_at(s, at, "a value is missing before a closing bracket");
    if (at == s->start && s->end - at >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
        return fail_at(s, at, "a byte order mark");
    return fail_at(s, at, "this begins no value");
}

/* `at` is where a value has to begin. */
static inline enum json_step scan_value(struct json_scan *s, const char *at)
{
    const char *end;

    switch (at < s->end ? *at : '\0') {
    case '"': end = string_end(s, at + 1, NULL); break;
    case '{':
    case '[': return open_container(s, at);
    case 't': end = word_end(s, at, "true", 4); break;
    case 'f': end = word_end(s, at, "false", 5); break;
    case 'n': end = word_end(s, at, "null", 4); break;
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': end = number_end(s, at); break;
    default: end = bad_value(s, at); break;
    }
    if (!end)
        return JSON_STEP_BAD;
    s->value = slice(at, end);
    s->after = true;
    s->at = end;
    return JSON_STEP_SCALAR;
}

/* The key at `at`, and its colon; returns where the value has to begin. */
static inline const char *scan_key(struct json_scan *s, const char *at)
{
    const char *end;

    if (at == s->end)
        return fail_at(s, at, "a key is missing at the end");
    if (*at != '"')
        return fail_at(s, at, "a key in quotes is missing");
    end = string_end(s, at + 1, &s->key_escaped);
    if (!end)
        return NULL;
    s->key = slice(at, end);
    at = skip_space(end, s->end);
    if (at == s->end || *at != ':')
        return fail_at(s, at, "a colon is missing");
    return skip_space(at + 1, s->end);
}

/* Report what is wrong at `at`, where a comma or a closing bracket was due. */
COLD static const char *bad_separator(struct json_scan *s, const char *at)
{
    if (at == s->end)
        return fail_at(s, at, "a closing bracket is missing at the end");
    if (*at == ']' || *at == '}')
        return fail_at(s, at, "a closing bracket of the wrong kind");
    return fail_at(s, at, "a comma is missing");
}

static inline enum json_step scan_end(struct json_scan *s, const char *at)
{
    if (at < s->end) {
        fail_at(s, at, "more text after the value");
        return JSON_STEP_BAD;
    }
    s->at = at;
    return JSON_STEP_END;
}

static inline enum json_step scan_next(struct json_scan *s)
{
    const char *at = skip_space(s->at, s->end);

    if (s->error.why)
        return JSON_STEP_BAD;
    s->key = bytes_of(NULL, 0);
    if (s->depth == 0)
        return s->after ? scan_end(s, at) : scan_value(s, at);

    if (at < s->end && *at == (in_object(s) ? '}' : ']'))
        return close_container(s, at);
    if (s->after) {
        if (at == s->end || *at != ',') {
            bad_separator(s, at);
            return JSON_STEP_BAD;
        }
        at = skip_space(at + 1, s->end);
    }
    if (in_object(s)) {
        at = scan_key(s, at);
        if (!at)
            return JSON_STEP_BAD;
    }
    return scan_value(s, at);
}

void json_scan_init(struct json_scan *s, quire_bytes text)
{
    /* Field by field: the bits need no clearing, and 64 more bytes to clear are
     * measurable on a line of 200. */
    s->start = text.len ? text.data : "";
    s->at = s->start;
    s->end = s->start + text.len;
    s->depth = 0;
    s->after = false;
    s->key_escaped = false;
    s->key = bytes_of(NULL, 0);
    s->value = bytes_of(NULL, 0);
    s->error = (struct json_error){.why = NULL};
}

enum json_step json_scan_next(struct json_scan *s)
{
    return scan_next(s);
}

bool json_scan_skip(struct json_scan *s)
{
    const char *from = s->value.data;
    quire_bytes key = s->key;
    bool key_escaped = s->key_escaped;
    unsigned depth = s->depth;

    while (s->depth >= depth)
        if (scan_next(s) == JSON_STEP_BAD)
            return false;
    s->key = key;
    s->key_escaped = key_escaped;
    s->value = slice(from, s->at);
    return true;
}

/* ---- look-ups ----------------------------------------------------------- */

static bool finish_check(const struct json_scan *s, struct json_error *error)
{
    if (s->error.why && error)
        *error = s->error;
    return !s->error.why;
}

bool json_check(quire_bytes text, unsigned flags, struct json_error *error)
{
    struct json_scan s;
    enum json_step step;

    json_scan_init(&s, text);
    do
        step = scan_next(&s);
    while (step != JSON_STEP_BAD && step != JSON_STEP_END);

    /* A second pass, over bytes that are still in the cache. Outside strings
     * the grammar allows ASCII only, so checking the whole text checks its
     * strings. */
    if (step == JSON_STEP_END && flags & JSON_UTF8) {
        size_t at = utf8_find_bad(text);

        if (at < text.len)
            fail_at(&s, s.start + at, "a string is not UTF-8");
    }
    return finish_check(&s, error);
}

void json_iter_init(struct json_scan *it, quire_bytes container)
{
    json_scan_init(it, container);
    if (json_scan_next(it) == JSON_STEP_SCALAR)
        fail_at(it, it->value.data, "not an object or an array");
}

void json_iter_object(struct json_scan *it, quire_bytes object)
{
    json_iter_init(it, object);
    if (!it->error.why && !in_object(it))
        fail_at(it, it->value.data, "not an object");
}

bool json_next(struct json_scan *it)
{
    switch (json_scan_next(it)) {
    case JSON_STEP_SCALAR: return true;
    case JSON_STEP_OPEN: return json_scan_skip(it);
    case JSON_STEP_CLOSE: json_scan_next(it); return false;
    default: return false;
    }
}

static inline bool is_wanted(const struct json_want *w,
                             const struct json_scan *s)
{
    if (s->key_escaped)
        return json_equal(s->key, bytes_of(w->key, w->key_len));
    return s->key.len == w->key_len + 2 &&
           !memcmp((const char *)s->key.data + 1, w->key, w->key_len);
}

/* The index of the want that matches this member; n_wants if none. Writers keep
 * to an order, so the search begins behind the last match. */
static inline size_t match_want(const struct json_want *wants, size_t n_wants,
                                size_t guess, const struct json_scan *s)
{
    size_t i, n;

    for (i = guess, n = 0; n < n_wants; n++, i++) {
        if (i >= n_wants)
            i = 0;
        if (is_wanted(&wants[i], s))
            return i;
    }
    return n_wants;
}

static inline bool find_wants(quire_bytes text, struct json_want *wants,
                              size_t n_wants, bool stop_early,
                              struct json_error *error)
{
    struct json_scan s;
    size_t left = n_wants, guess = 0, i;

    for (i = 0; i < n_wants; i++)
        wants[i].value = bytes_of(NULL, 0);
    json_iter_object(&s, text);
    while (!(stop_early && !left) && json_next(&s)) {
        i = match_want(wants, n_wants, guess, &s);
        if (i == n_wants)
            continue;
        left -= !wants[i].value.data;
        /* This is s.value; but reading back as one load what was just stored as
         * two stalls the processor, a tenth of the time of a line. */
        wants[i].value = slice(s.value.data, s.at);
        guess = i + 1;
    }
    return finish_check(&s, error);
}

bool json_head(quire_bytes text, struct json_want *wants, size_t n_wants,
               struct json_error *error)
{
    return find_wants(text, wants, n_wants, true, error);
}

bool json_pick(quire_bytes text, struct json_want *wants, size_t n_wants,
               struct json_error *error)
{
    return find_wants(text, wants, n_wants, false, error);
}

quire_bytes json_get(quire_bytes object, const char *key)
{
    struct json_want want = {key, strlen(key), {NULL, 0}};

    if (!json_pick(object, &want, 1, NULL))
        return bytes_of(NULL, 0);
    return want.value;
}

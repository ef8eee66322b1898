/* usage.c - see usage.h */
#include "session/usage.h"

#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "session/jsonl.h"

/* ---- numbers ------------------------------------------------------------ */

#define MOST ((uint64_t)INT64_MAX)

/* Larger than any exponent that makes a difference, and small enough to add to
 * the length of a line. */
#define EXPONENT_MAX INT64_C(1000000000000)

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return a > MOST - b ? MOST : a + b;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The exponent of a number; 0 without one. */
static int64_t exponent_of(const char *at, const char *end)
{
    int64_t e = 0;
    bool minus;

    if (at == end)
        return 0;
    at++;
    minus = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    for (; at < end && is_digit(*at); at++)
        e = e > EXPONENT_MAX ? EXPONENT_MAX : e * 10 + (*at - '0');
    return minus ? -e : e;
}

/* Digit by digit: `power` is the weight of the next one, in units of the
 * result. */
static uint64_t read_digits(const char *digits, const char *end, int places)
{
    const char *point = digits, *e = digits, *at;
    int64_t power;
    uint64_t n = 0;

    while (point < end && is_digit(*point))
        point++;
    while (e < end && *e != 'e' && *e != 'E')
        e++;
    power = exponent_of(e, end) + places + (point - digits) - 1;
    for (at = digits; at < e && power >= -1; at++) {
        uint64_t digit = (uint64_t)(*at - '0');

        if (at == point)
            continue;
        if (power-- < 0)
            return add_saturating(n, digit >= 5);
        if (n > (MOST - digit) / 10)
            return MOST;
        n = n * 10 + digit;
    }
    for (; n > 0 && power >= 0; power--) {
        if (n > MOST / 10)
            return MOST;
        n *= 10;
    }
    return n;
}

uint64_t session_usage_number(quire_bytes json, int places)
{
    const char *at = json.data;

    if (json_kind(json) != JSON_NUMBER || *at == '-')
        return 0;
    return read_digits(at, at + json.len, places);
}

/* ---- usage -------------------------------------------------------------- */

/* Keys that matter, the first four in the order of struct sums. */
enum key {
    KEY_INPUT,
    KEY_OUTPUT,
    KEY_CACHE_READ,
    KEY_CACHE_WRITE,
    KEY_TOTAL_TOKENS,
    KEY_TOTAL,
    KEY_COST,
    KEY_USAGE,
    KEY_ROLE,
    KEY_OTHER
};

static const struct {
    const char *name;
    size_t len;
} keys[KEY_OTHER] = {
    [KEY_INPUT] = {"input", 5},
    [KEY_OUTPUT] = {"output", 6},
    [KEY_CACHE_READ] = {"cacheRead", 9},
    [KEY_CACHE_WRITE] = {"cacheWrite", 10},
    [KEY_TOTAL_TOKENS] = {"totalTokens", 11},
    [KEY_TOTAL] = {"total", 5},
    [KEY_COST] = {"cost", 4},
    [KEY_USAGE] = {"usage", 5},
    [KEY_ROLE] = {"role", 4},
};

static enum key key_of(quire_bytes key)
{
    const char *name = (const char *)key.data + 1;
    size_t len = key.len - 2;
    int k;

    for (k = 0; k < KEY_OTHER; k++) {
        if (len == keys[k].len && *name == *keys[k].name &&
            !memcmp(name, keys[k].name, len))
            return (enum key)k;
    }
    if (!memchr(name, '\\', len))
        return KEY_OTHER;
    for (k = 0; k < KEY_OTHER && !json_is(key, keys[k].name);)
        k++;
    return (enum key)k;
}

/* Four parts, and the total if it is given. */
struct sums {
    uint64_t part[4], total;
    bool has_total;
};

static uint64_t total_of(const struct sums *s)
{
    return s->has_total
               ? s->total
               : add_saturating(add_saturating(s->part[0], s->part[1]),
                                add_saturating(s->part[2], s->part[3]));
}

static void set_total(struct sums *s, quire_bytes value, int places)
{
    s->has_total = json_kind(value) == JSON_NUMBER;
    s->total = session_usage_number(value, places);
}

enum { DOLLAR_PLACES = 9 };

/* Read the members of an object that has just been opened, up to its end. A
 * repeated key has its last value. */
static bool read_cost(struct json_scan *s, struct sums *cost)
{
    enum json_step step;
    enum key key;

    while ((step = json_scan_next(s)) != JSON_STEP_CLOSE) {
        if (step != JSON_STEP_SCALAR &&
            (step != JSON_STEP_OPEN || !json_scan_skip(s)))
            return false;
        key = key_of(s->key);
        if (key <= KEY_CACHE_WRITE)
            cost->part[key] = session_usage_number(s->value, DOLLAR_PLACES);
        else if (key == KEY_TOTAL)
            set_total(cost, s->value, DOLLAR_PLACES);
    }
    return true;
}

struct usage {
    struct sums tokens, cost;
};

static bool is_object(const struct json_scan *s)
{
    return *(const char *)s->value.data == '{';
}

static bool read_usage(struct json_scan *s, struct usage *u)
{
    enum json_step step;
    enum key key;

    while ((step = json_scan_next(s)) != JSON_STEP_CLOSE) {
        bool open = step == JSON_STEP_OPEN;

        if (!open && step != JSON_STEP_SCALAR)
            return false;
        key = key_of(s->key);
        if (key == KEY_COST) {
            u->cost = (struct sums){.has_total = false};
            if (!open)
                set_total(&u->cost, s->value, DOLLAR_PLACES);
            else if (!(is_object(s) ? read_cost(s, &u->cost)
                                    : json_scan_skip(s)))
                return false;
            continue;
        }
        if (open && !json_scan_skip(s))
            return false;
        if (key <= KEY_CACHE_WRITE)
            u->tokens.part[key] = session_usage_number(s->value, 0);
        else if (key == KEY_TOTAL_TOKENS)
            set_total(&u->tokens, s->value, 0);
    }
    return true;
}

/* Read a message: false if it is not an object, or damaged. The role is at its
 * beginning, and only an assistant's message is read further: most of a file is
 * tool output. */
static bool read_message(quire_bytes message, bool *assistant, struct usage *u)
{
    enum json_step step;
    struct json_scan s;

    *assistant = false;
    *u = (struct usage){.tokens.has_total = false};
    json_scan_init(&s, message);
    if (json_scan_next(&s) != JSON_STEP_OPEN || !is_object(&s))
        return false;
    while ((step = json_scan_next(&s)) != JSON_STEP_CLOSE) {
        bool open = step == JSON_STEP_OPEN;
        enum key key;

        if (!open && step != JSON_STEP_SCALAR)
            return false;
        key = key_of(s.key);
        if (key == KEY_USAGE)
            *u = (struct usage){.tokens.has_total = false};
        if (open && !(key == KEY_USAGE && is_object(&s) ? read_usage(&s, u)
                                                        : json_scan_skip(&s)))
            return false;
        if (key == KEY_ROLE && !(*assistant = json_is(s.value, "assistant")))
            return true;
    }
    return json_scan_next(&s) == JSON_STEP_END;
}

static void count_usage(struct session_usage *t, const struct usage *u)
{
    const uint64_t *part = u->tokens.part;

    t->input = add_saturating(t->input, part[KEY_INPUT]);
    t->output = add_saturating(t->output, part[KEY_OUTPUT]);
    t->cache_read = add_saturating(t->cache_read, part[KEY_CACHE_READ]);
    t->cache_write = add_saturating(t->cache_write, part[KEY_CACHE_WRITE]);
    t->total = add_saturating(t->total, total_of(&u->tokens));
    t->cost = add_saturating(t->cost, total_of(&u->cost));
}

/* ---- entries ------------------------------------------------------------ */

/* Where writers put it, the message ends one byte before its entry does;
 * otherwise the entry is read from its beginning. False: it is not an entry. */
static bool find_message(const struct jsonl_value *v, bool *assistant,
                         struct usage *u)
{
    quire_bytes text = v->text;
    struct jsonl_head head;

    if (v->head.body_at &&
        read_message(bytes_sub(text, v->head.body_at, text.len - 1), assistant,
                     u))
        return true;
    if (!jsonl_parse_line(text, &head, NULL))
        return false;
    /* An entry with an invalid message is an entry all the same. */
    if (!read_message(json_get(text, "message"), assistant, u))
        *assistant = false;
    return true;
}

static void count_message(struct session_usage *t, const struct jsonl_value *v)
{
    struct usage u;
    bool assistant;

    if (!find_message(v, &assistant, &u))
        return;
    t->entries++;
    t->messages++;
    if (assistant)
        count_usage(t, &u);
}

/* ---- passes ------------------------------------------------------------- */

/* One pass over a file. */
struct pass {
    struct log *file;
    const struct session_usage_observer *observer; /* NULL: none */
    bool full;     /* parse everything in full */
    bool headed;   /* the header was read */
    bool doubtful; /* a line is not a value: a quick scan may have been wrong */
    bool has_torn; /* the line at torn_at is cut off, and may continue in later
                    * lines */
    uint64_t torn_at;

    /* The part before: */
    uint64_t at;
    bool open_end;    /* it has no line break so far */
    bool empty, torn; /* it holds no value; it holds the start of one */
};

static void count_value(struct pass *p, struct session_usage *t,
                        const struct jsonl_value *v)
{
    const struct session_usage_observer *o = p->observer;
    quire_bytes type = v->head.type;
    uint64_t before = t->entries;

    if (!v->is_object)
        return;
    if (json_is(type, "message")) {
        count_message(t, v);
    } else if (json_is(type, "session")) {
        p->headed = true;
        if (o)
            o->header(o->ctx, v->text);
    } else if (p->headed || !json_is(type, "title")) {
        t->entries++;
    }
    if (o && t->entries > before)
        o->entry(o->ctx, v->text);
}

/* Count the part before as a line: it is complete. */
static void count_line(struct pass *p)
{
    p->doubtful = p->doubtful || p->empty;
    p->has_torn = p->has_torn || p->torn;
    if (p->torn)
        p->torn_at = p->at;
}

static void visit_value(struct pass *p, struct session_usage *t,
                        const struct jsonl_value *v)
{
    count_line(p);
    p->at = v->at;
    p->open_end = v->open_end;
    p->empty = !v->text.data;
    p->torn = p->empty && !strcmp(v->kind, "torn");
    if (!p->empty && !p->open_end)
        count_value(p, t, v);
}

/* A part that holds no value does not show whether it is a line. */
static quire_status visit_end(struct pass *p, uint64_t end, quire_error *err)
{
    char last = '\n';
    size_t n = 1;
    quire_status st = QUIRE_OK;

    if (p->empty)
        st = log_read(p->file, end - 1, &last, 1, &n, err);
    p->open_end = p->open_end || last != '\n';
    if (!p->open_end)
        count_line(p);
    return st;
}

/* The bytes before the place where the count is to continue. */
static quire_status read_tail(struct log *file, uint64_t at,
                              unsigned char out[SESSION_USAGE_TAIL],
                              uint32_t *len, quire_error *err)
{
    size_t n = at < SESSION_USAGE_TAIL ? (size_t)at : SESSION_USAGE_TAIL;
    quire_status st = log_read(file, at - n, out, n, &n, err);

    *len = (uint32_t)n;
    return st;
}

static quire_status end_pass(struct pass *p, struct session_usage *t,
                             uint64_t end, quire_error *err)
{
    quire_status st = visit_end(p, end, err);

    if (st)
        return st;
    t->scanned = p->open_end ? p->at : end;
    t->damaged = p->full;
    /* A value that continues over line breaks may be incomplete. Only files
     * edited by hand have such values: they are counted again, as is a file
     * without a header so far. */
    if (!p->headed || (p->has_torn && end - p->torn_at <= JSONL_MAX_SPREAD))
        t->scanned = 0;
    return read_tail(p->file, t->scanned, t->tail, &t->tail_len, err);
}

static quire_status run_pass(struct pass *p, struct session_usage *t,
                             quire_error *err)
{
    struct jsonl_value v;
    struct jsonl j;
    quire_status st;
    bool more;

    jsonl_init(&j, p->file, t->scanned, 1, p->full || !p->headed);
    while (!(st = jsonl_next(&j, &v, &more, err)) && more) {
        visit_value(p, t, &v);
        j.full = p->full || !p->headed;
        if (p->doubtful && !p->full)
            break;
    }
    if (!st && !more)
        st = end_pass(p, t, j.base + j.at, err);
    jsonl_release(&j);
    return st;
}

/* Whether the counted part is unchanged. */
static quire_status is_same(struct log *file, const struct session_usage *t,
                            bool *same, quire_error *err)
{
    unsigned char tail[SESSION_USAGE_TAIL] = {0};
    uint32_t len = 0;
    quire_status st = QUIRE_OK;

    if (t->scanned)
        st = read_tail(file, t->scanned, tail, &len, err);
    *same = !st && t->scanned && len == t->tail_len &&
            !memcmp(tail, t->tail, len);
    return st;
}

quire_status session_usage_read(struct log *file, struct session_usage *t,
                                const struct session_usage_observer *observer,
                                quire_error *err)
{
    struct pass p = {.file = file, .observer = observer};
    struct session_usage next = *t;
    quire_status st = is_same(file, t, &p.headed, err);

    if (st)
        return st;
    if (!p.headed)
        next = (struct session_usage){0};
    if (!p.headed && observer)
        observer->restart(observer->ctx);
    p.full = next.damaged;
    st = run_pass(&p, &next, err);
    if (!st && p.doubtful && !p.full) {
        p = (struct pass){.file = file, .observer = observer, .full = true};
        next = (struct session_usage){0};
        if (observer)
            observer->restart(observer->ctx);
        st = run_pass(&p, &next, err);
    }
    if (!st)
        *t = next;
    return st;
}

/*
 * jsonl.c - see jsonl.h
 *
 * The window is a piece of the file in memory; it slides, and grows only for a
 * line that does not fit. The file is not mapped: truncation by another process
 * would be a signal then, where it now is a short read, and the page faults
 * cost about what the copying does.
 *
 * Invariants between calls:
 *
 *   (1) window.data[at] is byte base + at of the object, and the first that
 *       no value returned so far covers.
 *   (2) `line` is one more than the line breaks before it.
 */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "session/jsonl.h"

/* Fits the second-level cache, and keeps system calls few. */
#define PIECE ((size_t)256 * 1024)

void jsonl_init(struct jsonl *j, struct log *object, uint64_t from,
                uint64_t line, bool full)
{
    *j = (struct jsonl){.from = object, .full = full, .base = from};
    j->max_line = JSONL_MAX_LINE;
    j->window = (struct buf)BUF_INIT(JSONL_MAX_LINE + PIECE);
    j->line = line;
    j->patience = (uint64_t)64 << 20;
}

void jsonl_release(struct jsonl *j)
{
    buf_release(&j->window);
}

/* Drop what was consumed and read another piece. */
static quire_status refill(struct jsonl *j, quire_error *err)
{
    struct buf *w = &j->window;
    quire_status st;
    size_t n = 0, more;
    void *room;

    if (j->at > 0) {
        memmove(w->data, w->data + j->at, w->len - j->at);
        w->len -= j->at;
        j->base += j->at;
        j->at = 0;
    }
    /* Twice as much, as far as the limit allows. */
    more = w->len < PIECE ? PIECE : w->len;
    if (more > j->max_line + PIECE - w->len)
        more = j->max_line + PIECE - w->len;
    room = buf_room(w, more);
    if (!room)
        return buf_status(w, "a line", err);
    n = w->cap - w->len < PIECE ? w->cap - w->len : PIECE;
    st = log_read(j->from, j->base + w->len, room, n, &n, err);
    if (st)
        return st;
    buf_grow(w, n);
    j->ended = n == 0;
    return QUIRE_OK;
}

static quire_bytes ahead(const struct jsonl *j)
{
    return bytes_sub(buf_bytes(&j->window), j->at, j->window.len);
}

/* Consume `len` bytes of which `breaks` are line breaks. */
static void consume(struct jsonl *j, size_t len, uint64_t breaks)
{
    j->at += len;
    j->line += breaks;
}

uint64_t jsonl_breaks(quire_bytes text)
{
    const char *at = text.data, *end = at + text.len;
    uint64_t n = 0;

    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        n++;
        at++;
    }
    return n;
}

/* Skip white space; *more is false at the end. */
static quire_status skip_blank(struct jsonl *j, bool *more, quire_error *err)
{
    quire_status st;

    for (;;) {
        quire_bytes rest = ahead(j);
        const char *at = rest.data;
        size_t i = 0;

        if (j->base + j->at == 0 && rest.len >= 3 &&
            !memcmp(at, "\xef\xbb\xbf", 3)) {
            consume(j, 3, 0);
            continue;
        }
        while (i < rest.len && (at[i] == '\n' || at[i] == '\r' ||
                                at[i] == ' ' || at[i] == '\t')) {
            j->line += at[i] == '\n';
            i++;
        }
        j->at += i;
        *more = i < rest.len;
        /* Three bytes decide whether there is a byte order mark. */
        if ((*more && (j->base + j->at > 0 || rest.len >= 3)) || j->ended)
            return QUIRE_OK;
        st = refill(j, err);
        if (st)
            return st;
    }
}

/* The line that begins at `at`, without its break. *broken reports whether it
 * has one. A line that exceeds the limit ends the window. */
static quire_status find_line(struct jsonl *j, quire_bytes *line, bool *broken,
                              quire_error *err)
{
    size_t seen = 0;
    quire_status st;

    for (;;) {
        quire_bytes rest = ahead(j);
        const char *nl = NULL;

        if (seen < rest.len)
            nl = memchr((const char *)rest.data + seen, '\n', rest.len - seen);
        *broken = nl != NULL;
        *line = nl ? bytes_of(rest.data, (size_t)(nl - (const char *)rest.data))
                   : rest;
        if (nl || j->ended || rest.len >= j->max_line)
            return QUIRE_OK;
        seen = rest.len;
        st = refill(j, err);
        if (st)
            return st;
    }
}

static quire_bytes trim_blank(quire_bytes line)
{
    const char *at = line.data;

    while (line.len > 0 &&
           (at[line.len - 1] == '\r' || at[line.len - 1] == ' ' ||
            at[line.len - 1] == '\t'))
        line.len--;
    return line;
}

/* ---- heads -------------------------------------------------------------- */

static bool key_is(quire_bytes key, const char *text, size_t len)
{
    /* A key that is spelled with escapes is left to the full parse. */
    return key.len == len + 2 && !memcmp((const char *)key.data + 1, text, len);
}

/* `literal` at *at; *at moves behind it. */
#define PASS_LITERAL(at, end, literal)                 \
    ((size_t)((end) - *(at)) >= sizeof(literal) - 1 && \
     !memcmp(*(at), (literal), sizeof(literal) - 1) && \
     (*(at) += sizeof(literal) - 1, true))

/* A bit in each of eight bytes that a plain string does not have: quotes,
 * backslashes, blanks and below, and all that is not ASCII. The lowest one is
 * right; a borrow may set others above it. */
static inline uint64_t odd_bytes(const char *at)
{
    const uint64_t ones = 0x0101010101010101u, highs = ones << 7;
    uint64_t x, quote, slash;

    memcpy(&x, at, 8);
    quote = x ^ ones * '"';
    slash = x ^ ones * '\\';
    return (((x - ones * 0x21) & ~x) | ((quote - ones) & ~quote) |
            ((slash - ones) & ~slash) | x) &
           highs;
}

/* A short string of plain characters at *at, the opening quote included. */
static inline bool pass_plain(const char **at, const char *end,
                              quire_bytes *out)
{
    const char *from = *at, *c = from + 1;
    uint64_t odd = 0;

    if (from >= end || *from != '"')
        return false;
    while (end - c >= 8 && !(odd = odd_bytes(c)))
        c += 8;
    if (!odd)
        return false; /* near the end of the line: no entry is so short */
    c += __builtin_ctzll(odd) / 8;
    *out = bytes_of(from, (size_t)(c + 1 - from));
    *at = c + 1;
    return *c == '"';
}

/* The beginning of an entry exactly as every writer spells it. This is not a
 * second grammar: it matches one text, and whatever differs takes the slow
 * path. The slow path takes ten times as long, which is twice as long as
 * reading the file. */
static bool usual_head(quire_bytes line, struct jsonl_head *h)
{
    const char *at = line.data, *start = at, *end = at + line.len;
    quire_bytes when;

    if (line.len < 2 || end[-1] != '}' ||
        !PASS_LITERAL(&at, end, "{\"type\":") ||
        !pass_plain(&at, end, &h->type) ||
        !PASS_LITERAL(&at, end, ",\"id\":") || !pass_plain(&at, end, &h->id) ||
        !PASS_LITERAL(&at, end, ",\"parentId\":"))
        return false;
    if (PASS_LITERAL(&at, end, "null"))
        h->parent = bytes_of(at - 4, 4);
    else if (!pass_plain(&at, end, &h->parent))
        return false;
    if (!PASS_LITERAL(&at, end, ",\"timestamp\":") ||
        !pass_plain(&at, end, &when) || at >= end || (*at != ',' && *at != '}'))
        return false;
    h->body_at = PASS_LITERAL(&at, end, ",\"message\":{")
                     ? (size_t)(at - 1 - start)
                     : 0;
    h->body = bytes_of(NULL, 0);
    h->plain = true;
    return true;
}

/* The members of an entry in the order of writers: type, id, parentId first,
 * the message last. Stops as soon as it has them. */
static bool quick_head(quire_bytes line, struct jsonl_head *h)
{
    const char *text = line.data;
    struct json_scan s;

    *h = (struct jsonl_head){.body_at = 0};
    if (line.len < 2 || text[0] != '{' || text[line.len - 1] != '}')
        return false;
    json_scan_init(&s, line);
    if (json_scan_next(&s) != JSON_STEP_OPEN)
        return false;
    for (;;) {
        enum json_step step = json_scan_next(&s);

        if (step == JSON_STEP_OPEN) {
            if (key_is(s.key, "message", 7))
                h->body_at = (size_t)((const char *)s.value.data - text);
            if (h->type.data && h->id.data && h->parent.data)
                return true;
            if (!json_scan_skip(&s))
                return false;
        } else if (step != JSON_STEP_SCALAR) {
            return false;
        }
        if (key_is(s.key, "type", 4))
            h->type = s.value;
        else if (key_is(s.key, "id", 2))
            h->id = s.value;
        else if (key_is(s.key, "parentId", 8))
            h->parent = s.value;
        else if (key_is(s.key, "timestamp", 9) && h->type.data && h->id.data &&
                 h->parent.data && !json_is(h->type, "message"))
            return true; /* only a message has a body worth finding */
    }
}

bool jsonl_parse_line(quire_bytes text, struct jsonl_head *head, bool *bad_utf8)
{
    struct json_want wants[] = {JSON_WANT("type"), JSON_WANT("id"),
                                JSON_WANT("parentId"), JSON_WANT("message")};
    const char *start = text.data, *body_end;

    if (!json_pick(text, wants, 4, NULL))
        return false;
    if (bad_utf8)
        *bad_utf8 = !utf8_check(text);
    *head = (struct jsonl_head){.type = wants[0].value,
                                .id = wants[1].value,
                                .parent = wants[2].value};
    if (!wants[3].value.data)
        return true;
    head->body_at = (size_t)((const char *)wants[3].value.data - start);
    body_end = (const char *)wants[3].value.data + wants[3].value.len;
    if (body_end == start + text.len - 1)
        head->body = wants[3].value;
    return true;
}

/* ---- values ------------------------------------------------------------- */

/* Where the value that `text` begins with ends; 0 and *error if it does not. */
static size_t value_end(quire_bytes text, struct json_error *error)
{
    struct json_scan s;
    enum json_step step;

    json_scan_init(&s, text);
    step = json_scan_next(&s);
    if (step == JSON_STEP_OPEN)
        step = json_scan_skip(&s) ? JSON_STEP_SCALAR : JSON_STEP_BAD;
    *error = s.error;
    if (step == JSON_STEP_BAD)
        return 0;
    return (size_t)(s.at - (const char *)text.data);
}

/* The value may continue behind the line break that cut it off. */
static quire_status try_spread(struct jsonl *j, size_t line_len, size_t *end,
                               quire_error *err)
{
    struct json_error error;
    quire_bytes rest;

    while (!j->ended && ahead(j).len < line_len + JSONL_MAX_SPREAD) {
        quire_status st = refill(j, err);

        if (st)
            return st;
    }
    rest = ahead(j);
    if (rest.len > line_len + JSONL_MAX_SPREAD)
        rest.len = line_len + JSONL_MAX_SPREAD;
    *end = value_end(rest, &error);
    rest.len = *end ? *end : error.at;
    j->patience -= rest.len < j->patience ? rest.len : j->patience;
    return QUIRE_OK;
}

static void blame_value(struct jsonl_value *v, const char *kind,
                        const char *why, uint64_t at)
{
    v->kind = kind;
    v->why = why;
    v->bad_at = at;
}

/* Describe a line that holds no value. */
static void blame_line(struct jsonl_value *v, quire_bytes line, bool last,
                       const struct json_error *error)
{
    const char *text = line.data;

    v->text = bytes_of(NULL, 0);
    if (line.len > 0 && text[0] == '\0')
        blame_value(v, "nul", "bytes of zero where an entry should be", v->at);
    else if (error->at >= line.len && text[0] == '{')
        blame_value(v, "torn",
                    last ? "the last line is cut off" : "the line is cut off",
                    v->at);
    else if (error->too_deep && text[0] == '{' && text[line.len - 1] == '}')
        blame_value(v, "too_deep", error->why, v->at + error->at);
    else
        blame_value(v, "garbage", error->why, v->at + error->at);
}

/* Return a value with the text [0, end) of what is ahead, parsed in full. */
static void emit_full(struct jsonl_value *v, quire_bytes text)
{
    v->text = text;
    v->full = true;
    v->is_object = jsonl_parse_line(text, &v->head, &v->bad_utf8);
    if (!v->is_object)
        blame_value(v, "not_object", "a value that is not an object", v->at);
    else if (v->bad_utf8)
        blame_value(v, "utf8", "bytes that are not UTF-8",
                    v->at + utf8_find_bad(text));
}

/* A line that is one object and nothing else, as nearly all are: parsed once,
 * without searching for its end first. */
static bool emit_whole_line(struct jsonl_value *v, quire_bytes text)
{
    if (!jsonl_parse_line(text, &v->head, &v->bad_utf8))
        return false;
    v->text = text;
    v->full = v->is_object = true;
    if (v->bad_utf8)
        blame_value(v, "utf8", "bytes that are not UTF-8",
                    v->at + utf8_find_bad(text));
    return true;
}

/* Parse the value ahead in full; `line` is its first line. */
static quire_status parse_value(struct jsonl *j, quire_bytes line, bool broken,
                                struct jsonl_value *v, quire_error *err)
{
    struct json_error error;
    size_t len = line.len;
    size_t end = value_end(line, &error);
    const char *nl;
    quire_bytes rest;
    quire_status st;

    /* An error before the end of the line remains one with more text. */
    if (!end && error.at >= len && broken && j->patience > 0) {
        st = try_spread(j, len, &end, err);
        if (st)
            return st;
    }
    rest = ahead(j); /* which may have moved */
    if (!end) {
        blame_line(v, trim_blank(bytes_sub(rest, 0, len)), !broken, &error);
        consume(j, len + broken, broken);
        return QUIRE_OK;
    }
    emit_full(v, bytes_sub(rest, 0, end));
    /* The rest of the line is consumed with it. */
    for (;;) {
        nl = end < rest.len
                 ? memchr((const char *)rest.data + end, '\n', rest.len - end)
                 : NULL;
        if (nl || j->ended || rest.len >= j->max_line)
            break;
        st = refill(j, err);
        if (st)
            return st;
        rest = ahead(j);
        v->text.data = rest.data;
        v->is_object = jsonl_parse_line(v->text, &v->head, NULL);
    }
    len = nl ? (size_t)(nl - (const char *)rest.data) : rest.len;
    if (trim_blank(bytes_sub(rest, 0, len)).len > end)
        blame_value(v, "trailing", "more text behind the value", v->at + end);
    v->open_end = !nl;
    consume(j, len + (nl != NULL),
            jsonl_breaks(bytes_sub(rest, 0, len + (nl != NULL))));
    return QUIRE_OK;
}

static inline void emit_usual(struct jsonl_value *v, quire_bytes line,
                              uint64_t number)
{
    v->line = number;
    v->text = line;
    v->is_object = true;
    v->full = v->bad_utf8 = v->open_end = false;
    v->kind = v->why = NULL;
}

quire_status jsonl_next(struct jsonl *j, struct jsonl_value *v, bool *more,
                        quire_error *err)
{
    quire_status st = skip_blank(j, more, err);
    quire_bytes line, text;
    bool broken;

    if (st || !*more)
        return st;
    v->at = j->base + j->at;
    st = find_line(j, &line, &broken, err);
    if (st)
        return st;
    /* The common line first, before anything is set that it does not need. */
    if (!j->full && broken && line.len < j->max_line &&
        usual_head(line, &v->head)) {
        emit_usual(v, line, j->line);
        consume(j, line.len + 1, 1);
        return QUIRE_OK;
    }
    *v = (struct jsonl_value){.at = v->at, .line = j->line};
    if (line.len >= j->max_line) {
        blame_value(v, "too_long", "a line longer than 1 GiB", v->at);
        consume(j, line.len, 0);
        return QUIRE_OK;
    }
    text = trim_blank(line);
    if (j->full && broken && emit_whole_line(v, text)) {
        consume(j, line.len + 1, 1);
        return QUIRE_OK;
    }
    /* The last line is parsed in full: a crash may have cut it off. */
    if (j->full || !broken || !quick_head(text, &v->head))
        return parse_value(j, line, broken, v, err);
    v->text = text;
    v->is_object = true;
    consume(j, line.len + 1, 1);
    return QUIRE_OK;
}

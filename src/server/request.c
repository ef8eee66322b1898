/* request.c - see request.h */
#include "server/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bytes.h"
#include "base/err.h"
#include "server/response_json.h"
#include "server/router.h"

/* ---- values ------------------------------------------------------------- */

static quire_bytes value_of(struct request *c, const char *name)
{
    const struct field *f = c->route->fields;
    size_t i;

    for (i = 0; f && f[i].name; i++)
        if (!strcmp(f[i].name, name))
            return c->values[i];
    return bytes_of(NULL, 0);
}

bool request_is_null(struct request *c, const char *name)
{
    return json_kind(value_of(c, name)) == JSON_NULL;
}

quire_bytes request_json(struct request *c, const char *name)
{
    return value_of(c, name);
}

const char *request_text(struct request *c, const char *name)
{
    quire_bytes value = value_of(c, name);

    if (json_kind(value) != JSON_STRING)
        return NULL;
    return arena_text(&c->keep, json_text(value, &c->keep));
}

quire_bytes request_bytes(struct request *c, const char *name)
{
    quire_bytes value = value_of(c, name);

    if (json_kind(value) != JSON_STRING)
        return bytes_of(NULL, 0);
    return json_text(value, &c->keep);
}

uint64_t request_number(struct request *c, const char *name, uint64_t otherwise)
{
    int64_t n;

    return json_read_int(value_of(c, name), &n) ? (uint64_t)n : otherwise;
}

bool request_flag(struct request *c, const char *name, bool otherwise)
{
    bool flag;

    return json_read_bool(value_of(c, name), &flag) ? flag : otherwise;
}

const quire_bytes *request_elements(struct request *c, const char *name,
                                    size_t *n)
{
    quire_bytes value = value_of(c, name);
    struct json_scan it;
    quire_bytes *list;

    *n = 0;
    if (json_kind(value) != JSON_ARRAY)
        return NULL;
    json_iter_init(&it, value);
    while (json_next(&it))
        ++*n;
    list = arena_array(&c->keep, *n + 1, sizeof *list);
    *n = 0;
    json_iter_init(&it, value);
    while (list && json_next(&it))
        list[(*n)++] = it.value;
    return list;
}

const char *const *request_texts(struct request *c, const char *name)
{
    size_t n, i;
    const quire_bytes *values = request_elements(c, name, &n);
    const char **list = values ? arena_array(&c->keep, n + 1, sizeof *list)
                               : NULL;

    for (i = 0; list && i < n; i++)
        list[i] = arena_text(&c->keep, json_text(values[i], &c->keep));
    return list;
}

const char *const *request_list(struct request *c, const char *name)
{
    const char *text = request_text(c, name), *at, *end;
    const char **list = text ? arena_array(&c->keep, strlen(text) + 1,
                                           sizeof *list)
                             : NULL;
    size_t n = 0;

    for (at = text; list && *at; at = end + (*end == ',')) {
        end = strchrnul(at, ',');
        if (end > at)
            list[n++] = arena_text(&c->keep, bytes_of(at, (size_t)(end - at)));
    }
    if (n == 0)
        return NULL;
    list[n] = NULL;
    return list;
}

const char *request_param(const struct request *c, int index)
{
    return c->match.params[index];
}

int64_t request_id(struct request *c, int index)
{
    return strtoll(c->match.params[index], NULL, 10);
}

const char *request_ref(struct request *c, int index)
{
    return arena_printf(&c->keep, "#%s", c->match.params[index]);
}

uint64_t request_limit(struct request *c)
{
    const struct field *f = c->route->fields;
    uint64_t n = request_number(c, "limit", 0);

    while (strcmp(f->name, "limit") != 0)
        f++;
    return n == 0 ? f->otherwise : n < f->max ? n : f->max;
}

static bool refuse_cursor(struct request *c)
{
    request_refuse(c, 400, "invalid", "send next_cursor unchanged",
                   "invalid cursor");
    return false;
}

/* Digits and nothing else, from 1 on; *end is what follows them. */
static bool read_digits(const char *text, int64_t *n, const char **end)
{
    size_t len = strspn(text, "0123456789");

    *end = text + len;
    *n = len > 0 && len <= 18 ? strtoll(text, NULL, 10) : 0;
    return *n > 0 && text[0] != '0';
}

bool request_cursor_text(struct request *c, int64_t *us, const char **id)
{
    const char *cursor = request_text(c, "cursor"), *end;
    int64_t n;

    if (!cursor)
        return true;
    if (!read_digits(cursor, &n, &end) || *end != '.' || !end[1])
        return refuse_cursor(c);
    *us = n;
    *id = end + 1;
    return true;
}

bool request_cursor(struct request *c, int64_t *us, int64_t *id)
{
    const char *text = NULL, *end;

    if (!request_cursor_text(c, us, &text))
        return false;
    if (!text)
        return true;
    return (read_digits(text, id, &end) && !*end) || refuse_cursor(c);
}

/* ---- the session -------------------------------------------------------- */

static quire_status find_session(struct request *c, const char *which,
                                 const char **out, quire_error *err)
{
    const char *id;
    quire_status st = which ? quire_session_id(c->q, which, &id, err)
                            : err_memory(err);

    *out = st ? NULL : arena_text(&c->keep, bytes_str(id));
    return st || *out ? st : err_memory(err);
}

const char *request_session_noun(const struct request *c)
{
    return c->match.alias ? "session" : "conversation";
}

static bool is_number(const char *text)
{
    const char *end;
    int64_t n;

    return read_digits(text, &n, &end) && !*end;
}

/* A number with fewer digits than a prefix of an id must have. */
static bool is_short_number(const char *text)
{
    return is_number(text) && strlen(text) < 8;
}

/* Whether an id, or that which an agent has given the session, begins so: an import
 * leaves "ses_" out, and has "-" for another "_". */
static bool begins_so(const char *id, const char *prefix)
{
    prefix += strncmp(prefix, "ses_", 4) || !strncasecmp(id, prefix, 4) ? 0 : 4;
    for (; *prefix; id++, prefix++)
        if (strncasecmp(id, prefix, 1) != 0 && (*prefix != '_' || *id != '-'))
            return false;
    return true;
}

/* By an id, or what it begins with. The library also takes names of files. */
static quire_status find_by_id(struct request *c, const char *prefix,
                               const char **out, quire_error *err)
{
    quire_status st = find_session(c, prefix, out, err);

    if (st || begins_so(*out, prefix))
        return st;
    *out = NULL;
    return err_set(err, QUIRE_NOT_FOUND, "no session %.64s", prefix);
}

const char *request_session(struct request *c)
{
    const char *which = c->match.params[0];
    quire_error err;
    quire_status st = QUIRE_NOT_FOUND;

    if (c->session)
        return c->session;
    if (is_number(which)) {
        st = find_session(c, request_ref(c, 0), &c->session, &err);
        if (!st)
            c->session_number = request_id(c, 0);
    }
    if (st == QUIRE_NOT_FOUND && !is_short_number(which))
        st = find_by_id(c, which, &c->session, &err);
    request_fail_session(c, st, &err);
    return c->session;
}

const char *request_session_ref(struct request *c)
{
    return is_short_number(c->match.params[0]) ? request_ref(c, 0)
                                               : request_session(c);
}

bool request_session_number(struct request *c, int64_t *out)
{
    quire_session_row row;
    quire_error err;
    quire_status st = QUIRE_OK;

    if (!c->session_number && is_short_number(c->match.params[0]))
        c->session_number = request_id(c, 0);
    if (!c->session_number && !request_session(c))
        return false;
    if (!c->session_number) {
        st = quire_session_row_of(c->q, c->session, &row, &err);
        c->session_number = st ? 0 : row.number;
    }
    request_fail_session(c, st, &err);
    *out = c->session_number;
    return !st;
}

void request_fail_session(struct request *c, quire_status st,
                          const quire_error *err)
{
    const char *noun = request_session_noun(c);

    if (st == QUIRE_NOT_FOUND)
        request_refuse(c, 404, "not_found",
                       c->match.alias ? "GET /v1/sessions lists them"
                                      : "GET /v1/conversations lists them",
                       "no %s %s", noun, c->match.params[0]);
    else if (st == QUIRE_INVALID && !is_short_number(c->match.params[0]))
        request_fail_as(c, 400, quire_status_name(st),
                        "send more of the id, or the number", err);
    else if (st)
        request_fail(c, st, err);
}

bool request_session_field(struct request *c, const char *name,
                           const char **out)
{
    uint64_t number = request_number(c, name, 0);
    quire_error err;
    quire_status st;

    *out = NULL;
    if (!request_json(c, name).data)
        return true;
    st = find_session(c,
                      arena_printf(&c->keep, "#%llu",
                                   (unsigned long long)number),
                      out, &err);
    if (st == QUIRE_NOT_FOUND)
        request_refuse(c, 400, "invalid", "GET /v1/conversations lists them",
                       "%s: no conversation %llu", name,
                       (unsigned long long)number);
    else if (st)
        request_fail(c, st, &err);
    return !st;
}

/* What an id consists of: nothing else reaches the library, which would look for a
 * file of that name. */
static bool is_id(const char *text)
{
    return strspn(text, "0123456789ABCDEFabcdef-") == strlen(text);
}

bool request_session_name(struct request *c, const char *name, const char **out)
{
    const char *which = request_text(c, name);
    quire_error err;
    quire_status st = QUIRE_NOT_FOUND;

    *out = which;
    if (!which || !strcmp(which, "temp") || !strcmp(which, "user"))
        return true;
    if (is_number(which))
        st = find_session(c, arena_printf(&c->keep, "#%s", which), out, &err);
    if (st == QUIRE_NOT_FOUND && is_id(which) && !is_short_number(which))
        st = find_by_id(c, which, out, &err);
    if (st == QUIRE_NOT_FOUND)
        request_refuse(c, 400, "invalid", "GET /v1/sessions lists them",
                       "%s: no session %.64s", name, which);
    else if (st)
        request_fail(c, st, &err);
    return !st;
}

bool request_is_choice(struct request *c, const char *name, quire_bytes value)
{
    const struct field *f = c->route->fields;
    quire_bytes text;
    const char *at;
    size_t len;

    if (json_kind(value) != JSON_STRING)
        return false;
    text = json_text(value, &c->keep);
    while (strcmp(f->name, name) != 0)
        f++;
    for (at = f->type; *at; at += len) {
        at += *at == '/';
        len = strcspn(at, "/");
        if (len > 0 && bytes_equal(bytes_of(at, len), text))
            return true;
    }
    return false;
}

bool request_cwd(struct request *c, const char **out)
{
    *out = request_text(c, "cwd");
    if (!*out || **out == '/')
        return true;
    request_refuse(c, 400, "invalid",
                   "send an absolute path, like /home/me/project",
                   "cwd must begin with a slash");
    return false;
}

bool request_agent(struct request *c, const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789_-";
    const char *agent = request_text(c, name);
    size_t len = agent ? strlen(agent) : 1;

    if (!agent || (len >= 1 && len <= 64 && strspn(agent, letters) == len))
        return true;
    request_refuse(c, 400, "invalid", "such as index",
                   "%s must be 1 to 64 letters, digits, _ and -", name);
    return false;
}

/* ---- validation --------------------------------------------------------- */

static const char *const kind_names[] = {
    [FIELD_TEXT] = "a string",
    [FIELD_NUMBER] = "a whole number, 0 or more",
    [FIELD_FLAG] = "true or false",
    [FIELD_TEXTS] = "an array of at most 1000 strings",
    [FIELD_NUMBERS] = "an array of at most 1000 whole numbers, 0 or more",
    [FIELD_OBJECT] = "an object",
    [FIELD_ANY] = "JSON",
};

/* Text without NUL, unless it is read as bytes. */
static bool is_text(const struct field *f, quire_bytes value)
{
    struct buf text = BUF_INIT((size_t)1 << 31);
    bool fine = json_kind(value) == JSON_STRING && json_is_text(value);

    if (fine && !(f->flags & FIELD_BYTES)) {
        json_decode(value, &text);
        fine = !text.failed &&
               (text.len == 0 || !memchr(text.data, '\0', text.len));
    }
    buf_release(&text);
    return fine;
}

/* No field needs more. */
enum { ELEMENTS_MAX = 1000 };

static bool is_texts(const struct field *f, quire_bytes value)
{
    struct json_scan it;
    int n = 0;

    if (json_kind(value) != JSON_ARRAY)
        return false;
    json_iter_init(&it, value);
    while (json_next(&it))
        if (++n > ELEMENTS_MAX || !is_text(f, it.value))
            return false;
    return true;
}

static bool is_number_value(quire_bytes value, int64_t least)
{
    int64_t n;

    return json_read_int(value, &n) && n >= least;
}

static bool are_numbers(quire_bytes value)
{
    struct json_scan it;
    int n = 0;

    if (json_kind(value) != JSON_ARRAY)
        return false;
    json_iter_init(&it, value);
    while (json_next(&it))
        if (++n > ELEMENTS_MAX || !is_number_value(it.value, 0))
            return false;
    return true;
}

static bool fits(const struct field *f, quire_bytes value)
{
    bool b;

    if (json_kind(value) == JSON_NULL)
        return f->flags & FIELD_NULL;
    switch (f->kind) {
    case FIELD_TEXT: return is_text(f, value);
    case FIELD_NUMBER:
        return is_number_value(value, f->flags & FIELD_FROM_1 ? 1 : 0);
    case FIELD_NUMBERS: return are_numbers(value);
    case FIELD_FLAG: return json_read_bool(value, &b);
    case FIELD_TEXTS: return is_texts(f, value);
    case FIELD_OBJECT: return json_kind(value) == JSON_OBJECT;
    default: return true;
    }
}

/* Whether a field of the query is a list with commas. */
static bool is_list(const struct field *f)
{
    return f->kind == FIELD_TEXT && f->type && strchr(f->type, '*');
}

/* Convert a value of the query to JSON: a string, or a number or flag as it is. */
static bool take_query_value(struct request *c, size_t i, quire_bytes raw)
{
    const struct field *f = &c->route->fields[i];
    struct buf text = BUF_INIT(64 * 1024), json = BUF_INIT(256 * 1024);
    bool fine;

    /* A list may be given again: it gets longer. */
    if (is_list(f) && c->values[i].data) {
        json_decode(c->values[i], &text);
        buf_add_char(&text, ',');
    }
    fine = !http_percent_decode(raw, true, &text);

    if (fine && f->kind == FIELD_FLAG &&
        bytes_equal(buf_bytes(&text), bytes_str("1")))
        buf_add_str(&json, "true");
    else if (fine && (f->kind == FIELD_NUMBER || f->kind == FIELD_FLAG))
        buf_add(&json, text.data, text.len);
    else if (fine)
        json_add_quoted(&json, buf_bytes(&text));
    fine = fine && !json.failed && json_check(buf_bytes(&json), 0, NULL) &&
           fits(f, buf_bytes(&json));
    if (fine)
        c->values[i] = arena_dup(&c->keep, buf_bytes(&json));
    buf_release(&text);
    buf_release(&json);
    return fine && c->values[i].data;
}

static bool wrong_field(struct request *c, const struct field *f)
{
    bool text = f->kind == FIELD_TEXT || f->kind == FIELD_TEXTS;

    request_refuse(c, 400, "invalid", f->prose, "%s must be %s%s", f->name,
                   f->flags & FIELD_FROM_1 ? "a whole number, 1 or more"
                                           : kind_names[f->kind],
                   !text                    ? ""
                   : f->flags & FIELD_BYTES ? " of whole characters"
                                            : " without NUL");
    return false;
}

static bool unknown_field(struct request *c, quire_bytes name)
{
    request_refuse(c, 400, "invalid", "/openapi.json lists the fields",
                   "unknown field %.*s", (int)(name.len < 60 ? name.len : 60),
                   (const char *)name.data);
    return false;
}

/* One pair of a query, "name=value". */
static bool take_query_word(struct request *c, const char *at, const char *end)
{
    const struct field *f = c->route->fields;
    const char *eq = memchr(at, '=', (size_t)(end - at));
    quire_bytes name = bytes_of(at, (size_t)((eq ? eq : end) - at));
    quire_bytes value = eq ? bytes_of(eq + 1, (size_t)(end - eq - 1))
                           : bytes_of("", 0);
    size_t i;

    for (i = 0; f && f[i].name; i++)
        if (f[i].flags & FIELD_QUERY && bytes_is(name, f[i].name))
            return take_query_value(c, i, value) || wrong_field(c, &f[i]);
    /* Probes and browsers add parameters of their own to public addresses. */
    return name.len + value.len == 0 ||
           c->route->flags & (ROUTE_PUBLIC | ROUTE_LOCAL) ||
           unknown_field(c, name);
}

static bool take_query(struct request *c)
{
    quire_bytes query = exchange_head(c->x)->query;
    const char *at = query.data, *end = at + query.len, *amp;

    for (; at && at < end; at = amp + 1) {
        amp = memchr(at, '&', (size_t)(end - at));
        if (!amp)
            amp = end;
        if (!take_query_word(c, at, amp))
            return false;
    }
    return true;
}

/* Many programs send absent fields as null. */
static bool is_left_out(const struct field *f, quire_bytes value)
{
    return !value.data || (json_kind(value) == JSON_NULL &&
                           !(f->flags & (FIELD_NEEDED | FIELD_NULL)));
}

/* Check that the body has no unknown members. */
static bool check_members(struct request *c, quire_bytes body,
                          const struct json_want *wants, size_t n)
{
    struct json_scan it;
    size_t i;

    json_iter_init(&it, body);
    while (json_next(&it)) {
        for (i = 0; i < n; i++)
            if (!(c->route->fields[i].flags & FIELD_QUERY) &&
                json_is(it.key, wants[i].key))
                break;
        if (i == n)
            return unknown_field(c, json_text(it.key, &c->keep));
    }
    return true;
}

static bool take_body(struct request *c)
{
    const struct field *f = c->route->fields;
    quire_bytes body = exchange_body(c->x);
    struct json_want wants[FIELDS_MAX];
    struct json_error e = {.why = NULL};
    size_t i, n = 0;
    bool any = c->route->flags & ROUTE_WRITE;

    for (i = 0; f && f[i].name; i++, n++) {
        wants[i] = (struct json_want){f[i].name, strlen(f[i].name), {NULL, 0}};
        any |= !(f[i].flags & FIELD_QUERY);
    }
    if (!any || body.len == 0)
        return true;
    if (!json_check(body, JSON_UTF8, &e) || !json_pick(body, wants, n, &e)) {
        request_refuse(c, 400, "invalid", "send a JSON object",
                       "the body is not a JSON object: %s",
                       e.why ? e.why : "it is another kind of value");
        return false;
    }
    if (!check_members(c, body, wants, n))
        return false;
    for (i = 0; i < n; i++) {
        if (f[i].flags & FIELD_QUERY || is_left_out(&f[i], wants[i].value))
            continue;
        if (!fits(&f[i], wants[i].value))
            return wrong_field(c, &f[i]);
        c->values[i] = wants[i].value;
    }
    return true;
}

bool request_read_fields(struct request *c)
{
    const struct field *f = c->route->fields;
    bool any = false;
    size_t i;

    if (c->match.wrong) {
        request_refuse(c, 400, "invalid",
                       "/openapi.json describes every operation", "%s",
                       c->match.wrong);
        return false;
    }
    if (!take_query(c) || (!(c->route->flags & ROUTE_RAW) && !take_body(c)))
        return false;
    for (i = 0; f && f[i].name; i++) {
        any |= c->values[i].data != NULL;
        if (f[i].flags & FIELD_NEEDED && !c->values[i].data) {
            request_refuse(c, 400, "invalid", f[i].prose, "%s is missing",
                           f[i].name);
            return false;
        }
    }
    /* A PATCH without fields is a mistake of the client. */
    if (!any && !strcmp(c->route->method, "PATCH")) {
        request_refuse(c, 400, "invalid", "/openapi.json lists the fields",
                       "no field to change");
        return false;
    }
    return true;
}

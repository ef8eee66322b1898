/*
 * tool_read.c - the tool `read`: what an address names, in lines
 *
 *     artifact://3, agent://0-Scout   outputs and reports of the session
 *     quire://artifact/12, #12, path  files
 *     mem:7                           a fact
 *     blob:sha256:...                 content
 *     quire://session/ID#ENTRY        an entry; without #ENTRY the messages
 *
 * It answers with as many lines as fit into `budget`, and where to go on. Other sessions
 * can be read with `--read all`.
 */
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "mcp/priv.h"

enum { BUDGET = 16000, BUDGET_LEAST = 200, BUDGET_MOST = 1 << 20 };

const char read_schema[] =
    "{\"name\":\"read\",\"description\":\"Read an address, or file, by line"
    "s: from offset, matching grep, first limit or last tail. query: path i"
    "n a JSON report.\",\"inputSchema\":{\"type\":\"object\",\"properties\""
    ":{\"address\":{\"type\":\"string\"},\"offset\":{\"type\":\"integer\"},"
    "\"limit\":{\"type\":\"integer\"},\"tail\":{\"type\":\"integer\"},\"gre"
    "p\":{\"type\":\"string\"},\"query\":{\"type\":\"string\"}},\"required"
    "\":[\"address\"]}}";

struct lines {
    struct buf *text;
    size_t budget;
    uint64_t next; /* the first line that did not fit; 0: all did */
};

static quire_status take_line(void *ctx, const quire_line *line,
                              quire_error *err)
{
    struct lines *l = ctx;
    size_t room = l->budget - l->text->len;
    quire_bytes text = line->text;

    (void)err;
    if (l->next)
        return QUIRE_OK; /* the rest, up to the end: a tail is known then */
    if (text.len > room) {
        /* At least a part of the first line: else nothing could be read of it. */
        if (l->text->len == 0)
            buf_add(l->text, text.data, utf8_cut(text, room));
        l->next = line->number ? line->number +
                                     (l->text->len > 0 && l->text->len == room)
                               : 1;
        return QUIRE_STOPPED;
    }
    buf_add(l->text, text.data, text.len);
    return QUIRE_OK;
}

static quire_status take_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct buf *out = ctx;

    buf_add(out, bytes.data, bytes.len);
    return out->failed ? err_memory(err) : QUIRE_OK;
}

/* ---- by the store ---------------------------------------------------------- */

static quire_status read_lines(struct mcp_handle *h, quire_outputs *outputs,
                               const char *address, const quire_read_options *o,
                               struct lines *l, quire_error *err)
{
    quire_status st = quire_read(h->q, outputs, address, o, take_line, l, err);

    return st == QUIRE_STOPPED ? QUIRE_OK : st;
}

static quire_status read_output(struct mcp_call *c, struct mcp_handle *h,
                                const char *address, const char *query,
                                const quire_read_options *o, struct lines *l,
                                quire_error *err)
{
    quire_status st = handle_outputs(h, err);

    if (!st && query && *query)
        address = arena_printf(&c->keep, "%s?q=%s", address, query);
    if (!st && !address)
        return err_memory(err);
    if (!st && !handle_sees(h->m, address))
        st = err_set(err, QUIRE_NOT_FOUND, "no output %.100s", address);
    return st ? st : read_lines(h, h->outputs, address, o, l, err);
}

/* A file is read by its content's digest: with all that can be asked of lines. */
static quire_status read_artifact(struct mcp_handle *h, const char *which,
                                  const quire_read_options *o, struct lines *l,
                                  quire_error *err)
{
    quire_artifact_get_options get = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    char ref[QUIRE_REF_SIZE];
    quire_artifact a;
    quire_status st;

    get.any_session = h->m->read_all;
    if (!h->m->session && !h->m->read_all)
        return err_set(err, QUIRE_NOT_FOUND, "no artifact %.100s", which);
    st = quire_artifact_stat(h->q, h->m->session, which, &get, &a, err);
    if (!st && a.deleted_us)
        st = err_set(err, QUIRE_NOT_FOUND, "it was deleted");
    if (st)
        return st;
    quire_ref_format(&a.digest, ref);
    return read_lines(h, NULL, ref, o, l, err);
}

/* ---- text that is made here ------------------------------------------------ */

/* One line of a text; true: it is wanted. */
static bool is_match(const regex_t *grep, const char *line, size_t len)
{
    regmatch_t at = {.rm_so = 0, .rm_eo = (regoff_t)len};

    return !grep || !regexec(grep, line, 1, &at, REG_STARTEND);
}

static uint64_t count_matches(quire_bytes text, const regex_t *grep,
                              uint64_t offset)
{
    const char *at = text.data, *end = at + text.len, *stop;
    uint64_t number = 1, n = 0;

    for (; at < end; at = stop + 1, number++) {
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        n += number >= offset && is_match(grep, at, (size_t)(stop - at));
    }
    return n;
}

static void pick_lines(quire_bytes text, const regex_t *grep,
                       const quire_read_options *o, struct lines *l)
{
    uint64_t all = o->tail ? count_matches(text, grep, o->offset) : 0;
    uint64_t skip, number = 1, n = 0;
    const char *at = text.data, *end = at + text.len, *stop;

    if (o->limit && all > o->limit)
        all = o->limit;
    skip = o->tail && all > o->tail ? all - o->tail : 0;
    for (; at < end; at = stop, number++) {
        quire_line line = {.number = number};

        stop = memchr(at, '\n', (size_t)(end - at));
        line.text = bytes_of(at, (size_t)((stop ? stop : end) - at));
        stop = stop ? stop + 1 : end;
        if (number < o->offset || !is_match(grep, at, line.text.len) ||
            n++ < skip)
            continue;
        if (o->limit && n > o->limit)
            break;
        line.text.len = (size_t)(stop - at);
        if (take_line(l, &line, NULL))
            break;
    }
}

static quire_status filter_text(quire_bytes text, const quire_read_options *o,
                                struct lines *l, quire_error *err)
{
    regex_t grep;

    if (o->grep && regcomp(&grep, o->grep, REG_EXTENDED))
        return err_set(err, QUIRE_INVALID, "not a regular expression: %.100s",
                       o->grep);
    pick_lines(text, o->grep ? &grep : NULL, o, l);
    if (o->grep)
        regfree(&grep);
    return QUIRE_OK;
}

static quire_status read_memory(struct mcp_handle *h, const char *id,
                                struct buf *out, quire_error *err)
{
    quire_memory m;
    int64_t number;
    quire_status st;

    if (!json_read_int(bytes_str(id), &number))
        return err_set(err, QUIRE_INVALID, "mem: needs a number");
    st = quire_memory_get(h->q, number, 0, &m, err);
    if (st)
        return st;
    buf_addf(out, "[%s] ", quire_memory_type_name(m.type));
    buf_add(out, m.title.data, m.title.len);
    buf_add_char(out, '\n');
    buf_add(out, m.content.data, m.content.len);
    return QUIRE_OK;
}

static quire_status read_session(struct mcp_handle *h, const struct uri *u,
                                 struct buf *out, quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct buf json = BUF_INIT(RESOURCE_MAX + (1 << 20));
    quire_session *s = NULL;
    struct json_scan it;
    quire_entry e;
    quire_status st;

    o.flags = QUIRE_SESSION_READ;
    st = quire_session_open(h->q, u->id, &o, &s, err);
    if (!st && u->entry) {
        st = quire_session_entry(s, u->entry, &e, err);
        if (!st)
            json_indent(e.json, out);
    } else if (!st) {
        st = quire_session_context(s, NULL, take_bytes, NULL, &json, err);
        json_iter_init(&it, json_get(buf_bytes(&json), "messages"));
        while (!st && json_next(&it)) {
            buf_add(out, it.value.data, it.value.len);
            buf_add_char(out, '\n');
        }
    }
    quire_session_close(s);
    buf_release(&json);
    return st;
}

static quire_status read_text(struct mcp_handle *h, const char *address,
                              const struct uri *u, const quire_read_options *o,
                              struct lines *l, quire_error *err)
{
    struct buf text = BUF_INIT(2 * RESOURCE_MAX);
    quire_status st = u ? read_session(h, u, &text, err)
                        : read_memory(h, address + 4, &text, err);

    if (!st)
        st = buf_status(&text, "what the address names", err);
    if (!st)
        st = filter_text(buf_bytes(&text), o, l, err);
    buf_release(&text);
    return st;
}

/* ---- the call -------------------------------------------------------------- */

static quire_status read_address(struct mcp_call *c, struct mcp_handle *h,
                                 const char *address, const char *query,
                                 const quire_read_options *o, struct lines *l,
                                 quire_error *err)
{
    const char *which = address;
    struct uri u;

    if (!strncmp(address, "blob:", 5))
        return read_lines(h, NULL, address, o, l, err);
    if (!strncmp(address, "mem:", 4))
        return read_text(h, address, NULL, o, l, err);
    if (uri_read(address, &u)) {
        if (!uri_allowed(h->m, &u))
            return err_set(err, QUIRE_NOT_FOUND, "no session %.100s", u.id);
        if (u.kind == URI_SESSION)
            return read_text(h, address, &u, o, l, err);
        if (u.kind != URI_ARTIFACT)
            return read_output(c, h, address, query, o, l, err);
        which = arena_printf(&c->keep, "#%s", u.id);
        if (!which)
            return err_memory(err);
    }
    return read_artifact(h, which, o, l, err);
}

void tool_read(struct mcp_call *c, struct mcp_handle *h, quire_bytes arguments,
               struct buf *out)
{
    const char *address = message_text(c, arguments, "address");
    quire_read_options o = QUIRE_READ_OPTIONS_INIT;
    struct buf text = BUF_INIT(BUDGET_MOST + 1024);
    struct lines l = {.text = &text};
    struct json_writer w;
    quire_error err = {.what = ""};
    quire_status st;

    l.budget = argument_number(arguments, "budget", BUDGET_LEAST, BUDGET_MOST,
                               BUDGET);
    o.offset = argument_number(arguments, "offset", 0, UINT64_MAX / 2, 0);
    o.limit = argument_number(arguments, "limit", 0, UINT64_MAX / 2, 0);
    o.tail = argument_number(arguments, "tail", 0, UINT64_MAX / 2, 0);
    o.grep = message_text(c, arguments, "grep");
    st = address && *address
             ? read_address(c, h, address, message_text(c, arguments, "query"),
                            &o, &l, &err)
             : err_fail(&err, QUIRE_INVALID,
                        "Give an address that a hit or a result has.",
                        "address is missing");
    if (st) {
        tool_fail(c, out, st, &err);
    } else {
        tool_begin(&w, out);
        json_put_str(&w, "address", address);
        json_put_bytes(&w, "text", buf_bytes(&text));
        json_put_bool(&w, "truncated", l.next != 0);
        if (l.next)
            json_put_uint(&w, "next_offset", l.next);
        tool_end(&w);
    }
    buf_release(&text);
}

/*
 * outputs.c - what tools printed and sub-agents reported
 *
 * A body goes through a sink, as in a pipe: what is short comes back whole, of
 * what is long the end comes back and all of it is kept, to be read again by
 * its number.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "server/page.h"
#include "server/routes/handlers.h"

/* The outputs of ":id". NULL: answered. */
static quire_outputs *open_outputs(struct request *c)
{
    const char *session = request_session(c);
    quire_outputs *o = NULL;
    quire_error err;
    quire_status st;

    if (!session)
        return NULL;
    st = quire_outputs_open(c->q, session, &o, &err);
    if (st)
        request_fail(c, st, &err);
    return o;
}

/* ---- all ---------------------------------------------------------------- */

/* Where it lies on the disk is the server's business. */
static void put_output(struct request *c, const quire_output *o)
{
    json_object(&c->w);
    put_text(c, "id", o->id);
    put_text(c, "address", o->address);
    put_text(c, "tool", *o->tool ? o->tool : NULL);
    put_number(c, "bytes", (int64_t)o->bytes);
    put_time(c, "modified_at", o->modified_us);
    json_object_end(&c->w);
}

static quire_status give(void *ctx, const quire_output *o, quire_error *err)
{
    struct page *p = ctx;

    (void)err;
    put_output(p->c, o);
    return page_take(p, 0, 0);
}

void route_outputs_list(struct request *c)
{
    quire_outputs *o = open_outputs(c);
    struct page p = {.c = c};
    quire_error err;
    quire_status st;

    if (!o)
        return;
    page_begin(&p, "outputs");
    st = quire_outputs_list(o, give, &p, &err);
    page_end_rows(&p);
    page_end(&p, st, &err);
    quire_outputs_close(o);
}

/* ---- adding ------------------------------------------------------------- */

static void put_result(struct request *c, const quire_sink_result *r)
{
    char address[64];

    snprintf(address, sizeof address, "artifact://%s", r->id ? r->id : "");
    c->answer.status = r->id ? 201 : 200;
    c->unchanged = !r->id; /* it was short, and nothing is kept */
    json_object(&c->w);
    put_bytes(c, "output", r->output);
    put_flag(c, "truncated", r->truncated);
    put_number(c, "totalLines", (int64_t)r->total_lines);
    put_number(c, "totalBytes", (int64_t)r->total_bytes);
    put_number(c, "outputLines", (int64_t)r->output_lines);
    put_number(c, "outputBytes", (int64_t)r->output_bytes);
    put_text(c, "artifactId", r->id);
    put_text(c, "address", r->id ? address : NULL);
    json_object_end(&c->w);
}

/* The largest output that is shown: it is held in memory meanwhile. */
enum { QUOTED_MAX = 1024 * 1024 };

static void add_stream(struct request *c, quire_outputs *o)
{
    quire_sink_options options = QUIRE_SINK_OPTIONS_INIT;
    quire_sink_result result;
    quire_sink *sink = NULL;
    quire_error err;
    quire_status st;

    options.tool = request_text(c, "tool");
    options.threshold = request_number(c, "threshold", options.threshold);
    options.head = request_number(c, "head", 0);
    options.columns = request_number(c, "columns", 0);
    if (options.threshold > QUOTED_MAX || options.head > QUOTED_MAX) {
        request_refuse(c, 400, "invalid", "all of it is kept, and can be read",
                       "threshold and head are at most %d", QUOTED_MAX);
        return;
    }
    st = quire_sink_open(o, &options, &sink, &err);
    if (st) {
        request_fail(c, st, &err);
        return;
    }
    quire_sink_write(sink, exchange_body(c->x));
    quire_sink_finish(sink, &result);
    if (result.problem.status)
        request_fail(c, result.problem.status, &result.problem);
    else
        put_result(c, &result);
    quire_sink_free(sink);
}

/* The body, a piece at a time. */
struct feed {
    quire_bytes left;
};

static quire_status feed_some(void *ctx, void *buf, size_t cap, size_t *n,
                              quire_error *err)
{
    struct feed *f = ctx;

    (void)err;
    *n = f->left.len < cap ? f->left.len : cap;
    if (*n)
        memcpy(buf, f->left.data, *n);
    f->left = bytes_sub(f->left, *n, f->left.len);
    return QUIRE_OK;
}

static void add_report(struct request *c, quire_outputs *o, const char *agent)
{
    struct feed f = {exchange_body(c->x)};
    quire_output done;
    quire_error err;
    quire_status st = quire_report_put(o, agent, request_text(c, "parent"),
                                       feed_some, &f, &done, &err);

    if (st)
        request_fail(c, st, &err);
    else
        put_output(c, &done);
}

void route_outputs_add(struct request *c)
{
    const char *agent = request_text(c, "agent");
    quire_outputs *o = open_outputs(c);

    if (!o)
        return;
    if (agent)
        add_report(c, o, agent);
    else
        add_stream(c, o);
    quire_outputs_close(o);
}

/* ---- reading ------------------------------------------------------------ */

static quire_status give_line(void *ctx, const quire_line *line,
                              quire_error *err)
{
    return request_write(ctx, line->text, err);
}

/* "3" is what a tool printed, anything else a report. */
static const char *address_of(struct request *c, const char *name)
{
    bool number = !name[strspn(name, "0123456789")];

    return arena_printf(&c->keep, "%s://%s", number ? "artifact" : "agent",
                        name);
}

static quire_status pass_line(void *ctx, const quire_line *line,
                              quire_error *err)
{
    (void)ctx;
    (void)line;
    (void)err;
    return QUIRE_OK;
}

/* The library reports QUIRE_NOT_FOUND for an unknown output and for no matching
 * line; here the latter is an empty answer. */
static bool is_there(struct request *c, quire_outputs *o, const char *address)
{
    quire_read_options first = QUIRE_READ_OPTIONS_INIT;

    first.limit = 1;
    return !quire_read(c->q, o, address, &first, pass_line, NULL, NULL);
}

static void read_which(struct request *c, quire_read_options *options)
{
    *options = (quire_read_options)QUIRE_READ_OPTIONS_INIT;
    options->offset = request_number(c, "offset", 0);
    options->tail = request_number(c, "tail", 0);
    options->grep = request_text(c, "grep");
    options->ignore_case = request_flag(c, "ignore_case", false);
}

/* Lines of ":name" for `each`. False: answered. */
static bool read_lines(struct request *c, const quire_read_options *options,
                       quire_line_fn each, void *ctx)
{
    quire_outputs *o = open_outputs(c);
    const char *address;
    quire_error err;
    quire_status st;

    if (!o)
        return false;
    address = address_of(c, c->match.params[1]);
    st = address ? quire_read(c->q, o, address, options, each, ctx, &err)
                 : err_memory(&err);
    if (st == QUIRE_NOT_FOUND && (options->grep || options->offset > 1) &&
        is_there(c, o, address))
        st = QUIRE_OK;
    quire_outputs_close(o);
    if (st && st != QUIRE_STOPPED)
        request_fail(c, st, &err);
    return !st || st == QUIRE_STOPPED;
}

void route_outputs_get(struct request *c)
{
    quire_read_options options;

    read_which(c, &options);
    options.limit = request_number(c, "limit", 0);
    if (!read_lines(c, &options, give_line, c))
        return;
    response_header(&c->answer, "Content-Type", "text/plain; charset=utf-8");
    response_header(&c->answer, "Content-Security-Policy", "sandbox");
    response_header(&c->answer, "Content-Disposition", "attachment");
}

/* ---- lines with their numbers ------------------------------------------- */

/* Bytes of a line, and of an answer, about. */
enum { LINE_MAX_BYTES = 16 * 1024, LINES_MAX_BYTES = 4 * 1024 * 1024 };

struct lines {
    struct request *c;
    uint64_t limit, n;
    bool more;
};

/* A long line comes in pieces: the beginning of the first is shown. */
static quire_status put_line(void *ctx, const quire_line *line,
                             quire_error *err)
{
    struct lines *l = ctx;
    struct request *c = l->c;
    quire_bytes text = line->text;
    bool cut;

    (void)err;
    if (!line->begins)
        return QUIRE_OK;
    l->more = l->n == l->limit || c->answer.body.len >= LINES_MAX_BYTES;
    if (l->more)
        return QUIRE_STOPPED;
    l->n++;
    if (text.len && ((const char *)text.data)[text.len - 1] == '\n')
        text.len--;
    cut = !line->ends || text.len > LINE_MAX_BYTES;
    text.len = utf8_cut(text, LINE_MAX_BYTES);
    json_array(&c->w);
    json_uint(&c->w, line->number);
    json_bytes(&c->w, text);
    if (cut)
        json_bool(&c->w, true);
    json_array_end(&c->w);
    return c->answer.body.failed ? err_memory(err) : QUIRE_OK;
}

void route_outputs_lines(struct request *c)
{
    struct lines l = {.c = c, .limit = request_limit(c)};
    quire_read_options options;

    read_which(c, &options);
    if (options.tail > l.limit)
        options.tail = l.limit;
    json_object(&c->w);
    json_key(&c->w, "lines");
    json_array(&c->w);
    if (!read_lines(c, &options, put_line, &l))
        return;
    json_array_end(&c->w);
    put_flag(c, "more", l.more);
    json_object_end(&c->w);
}

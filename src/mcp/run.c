/*
 * run.c - the action `run`: a script in the session's files
 *
 * It is confined as `quire run` confines. A long output is stored whole, and the
 * answer has its beginning. The client gets progress if it asked for it; when it
 * cancels or disconnects, the script is killed.
 */
#include "mcp/run.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "mcp/priv.h"

struct run {
    struct mcp_call *call;
    struct buf out, err;
};

void run_put(struct json_writer *w, const quire_run_result *got,
             quire_bytes out, quire_bytes err)
{
    const quire_run_record *n = &got->record;

    json_key(w, "exit");
    if (n->exit < 0)
        json_null(w);
    else
        json_int(w, n->exit);
    json_key(w, "signal");
    if (n->signal)
        json_int(w, n->signal);
    else
        json_null(w);
    json_put_bool(w, "timed_out", got->timed_out);
    json_put_bytes(w, "stdout", out);
    json_put_bytes(w, "stderr", err);
    json_put_bool(w, "truncated", got->truncated);
    json_key(w, "artifact");
    if (*got->artifact)
        json_str(w, got->artifact);
    else
        json_null(w);
    put_raw(w, "confined", n->confined);
    put_raw(w, "limits_hit", n->hit);
    json_put_int(w, "duration_ms", n->duration_us / 1000);
    json_put_str(w, "session", n->session);
    json_put_int(w, "run", n->id);
    json_put_uint(w, "files", got->files.taken);
    json_put_uint(w, "files_passed", got->files.passed);
}

/* ---- while it runs ----------------------------------------------------- */

static quire_status take_output(void *ctx, int stream, quire_bytes bytes,
                                quire_error *err)
{
    struct run *r = ctx;
    struct buf *to = stream == 1 ? &r->out : &r->err;
    struct buf notice = BUF_INIT(1 << 16);
    struct mcp_peer *p = r->call->peer;

    buf_add(to, bytes.data, bytes.len);
    pthread_mutex_lock(&p->m->lock);
    progress_format(r->call, bytes, &notice);
    pthread_mutex_unlock(&p->m->lock);
    peer_send(p, &notice);
    return to->failed ? err_memory(err) : QUIRE_OK;
}

/* ---- what is asked for ------------------------------------------------- */

/* False, with an error: it cannot be run. */
static bool read_request(struct mcp_call *c, quire_bytes arguments,
                         const char *argv[4], quire_run_options *o,
                         quire_error *err)
{
    quire_bytes timeout = json_get(arguments, "timeout_ms");
    int64_t ms;

    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = message_text(c, arguments, "command");
    argv[3] = NULL;
    o->argv = argv;
    if (!argv[2] || !*argv[2]) {
        err_fail(err, QUIRE_INVALID, "Give a shell script as \"command\".",
                 "run needs a command");
        return false;
    }
    if (timeout.data && json_kind(timeout) != JSON_NULL) {
        if (!json_read_int(timeout, &ms) || ms < 1) {
            err_fail(err, QUIRE_INVALID, "Use milliseconds, or leave it out.",
                     "timeout_ms must be a whole number");
            return false;
        }
        o->timeout_ms = ms;
    }
    return true;
}

/* From here on a cancellation ends it. */
static quire_status listen_for_stop(struct mcp_call *c, int *fd,
                                    quire_error *err)
{
    struct mcp *m = c->peer->m;
    quire_status st = QUIRE_OK;

    *fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (*fd < 0)
        return err_sys(err, errno, "cannot make an eventfd");
    pthread_mutex_lock(&m->lock);
    c->stop_fd = *fd;
    if (m->stopped || atomic_load(&c->cancelled))
        st = err_set(err, QUIRE_STOPPED, "the server is about to end");
    pthread_mutex_unlock(&m->lock);
    return st;
}

/* And what is being said of it comes before its answer. */
static void stop_listening(struct mcp_call *c, int fd)
{
    struct mcp *m = c->peer->m;

    pthread_mutex_lock(&m->lock);
    c->stop_fd = -1;
    while (c->peer->sending > 0)
        pthread_cond_wait(&m->idle, &m->lock);
    pthread_mutex_unlock(&m->lock);
    if (fd >= 0)
        close(fd);
}

/* ---- the answer -------------------------------------------------------- */

static void put_envelope(struct json_writer *w, struct run *r,
                         const quire_run_result *got, quire_status st,
                         const quire_error *err)
{
    json_object(w);
    json_put_bool(w, "success", !st);
    json_key(w, st ? "error" : "data");
    json_object(w);
    if (st) {
        json_put_str(w, "code",
                     st == QUIRE_INVALID ? "invalid_params"
                                         : quire_status_name(st));
        json_put_str(w, "message", err->what);
        json_put_bool(w, "retryable", st == QUIRE_BUSY || st == QUIRE_IO);
        json_put_str(w, "suggestion",
                     *err->next ? message_hint(st, err)
                                : "Change what the message names.");
    } else {
        json_put_str(w, "action", "run");
        run_put(w, got, buf_bytes(&r->out), buf_bytes(&r->err));
    }
    json_object_end(w);
    json_object_end(w);
}

static void put_output_link(struct json_writer *w, const char *number)
{
    struct buf uri = BUF_INIT(64);

    buf_addf(&uri, "artifact://%s", number);
    json_object(w);
    json_put_str(w, "type", "resource_link");
    json_put_bytes(w, "uri", buf_bytes(&uri));
    json_put_str(w, "name", "all of the output");
    json_put_str(w, "mimeType", "text/plain");
    json_object_end(w);
    buf_release(&uri);
}

static void put_answer(struct run *r, const quire_run_result *got,
                       quire_status st, const quire_error *err)
{
    struct mcp_call *c = r->call;
    struct buf envelope = BUF_INIT((size_t)64 << 20);
    struct json_writer w;

    json_begin(&w, &envelope);
    put_envelope(&w, r, got, st, err);
    json_key(&c->w, "content");
    json_array(&c->w);
    json_object(&c->w);
    json_put_str(&c->w, "type", "text");
    json_put_bytes(&c->w, "text", buf_bytes(&envelope));
    json_object_end(&c->w);
    if (!st && *got->artifact && c->version >= V_2025_06_18)
        put_output_link(&c->w, got->artifact);
    json_array_end(&c->w);
    if (c->version >= V_2025_06_18) {
        json_put_raw(&c->w, "structuredContent", buf_bytes(&envelope));
    }
    json_put_bool(&c->w, "isError", st != QUIRE_OK);
    if (envelope.failed)
        message_refuse_memory(c);
    buf_release(&envelope);
}

void tool_run(struct mcp_call *c, struct mcp_handle *h, quire_bytes arguments)
{
    struct run r = {c, BUF_INIT(4 * LONG_TEXT), BUF_INIT(4 * LONG_TEXT)};
    quire_run_options o = QUIRE_RUN_OPTIONS_INIT;
    quire_run_result got = {.timed_out = 0};
    quire_error err = {.what = ""};
    const char *argv[4];
    quire_status st = QUIRE_OK;
    int fd = -1;

    if (!read_request(c, arguments, argv, &o, &err))
        st = err.status;
    if (!st)
        st = handle_outputs(h, &err);
    if (!st)
        st = listen_for_stop(c, &fd, &err);
    o.outputs = h->outputs;
    o.max_output = LONG_TEXT;
    o.drain = 1;
    o.stop_fd = fd;
    o.output = take_output;
    o.ctx = &r;
    if (!st)
        st = quire_run(h->w, &o, &got, &err);
    stop_listening(c, fd);
    put_answer(&r, &got, st, &err);
    if (!st && *got.artifact)
        handle_made(h->m, got.artifact);
    notifications_change(h->m, !st && (got.files.taken || got.files.dropped ||
                                       *got.artifact));
    buf_release(&r.out);
    buf_release(&r.err);
}

/* postgres_conn.c - see postgres_conn.h */
#include "store/postgres_conn.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "store/postgres_error.h"

/* A server that says nothing for so long is gone: no statement runs longer. */
enum { ANSWER_MS = 60000 };

enum { PARAMS_MAX = 64, KEY_MAX = 1 << 20 };

/* Something sent, whose result comes in turn. */
struct pg_flight {
    struct pg_flight *next;
    struct pg_receiver *to;
    uint64_t *prepared; /* a statement being prepared; 0 if that fails */
    bool sync;
};

/* ---- opening ------------------------------------------------------------ */

static void ignore_notice(void *ctx, const char *text)
{
    (void)ctx, (void)text;
}

static quire_status fail_connection(struct pg_conn *c, const char *verb,
                                    quire_error *err)
{
    const char *why = c->pq ? c->lib->errorMessage(c->pq) : "out of memory";

    c->broken = true;
    return err_fail(err, QUIRE_IO,
                    "is the server running, and may this user "
                    "connect to it?",
                    "cannot %s %s: %.*s", verb, c->what,
                    (int)strcspn(why, "\n"), why);
}

static quire_status enter_pipeline(struct pg_conn *c, quire_error *err)
{
    return c->lib->setnonblocking(c->pq, 1) || !c->lib->enterPipelineMode(c->pq)
               ? fail_connection(c, "use", err)
               : QUIRE_OK;
}

static quire_status exec_blocking(struct pg_conn *c, const char *sql,
                                  quire_error *err)
{
    PGresult *r = c->lib->exec(c->pq, sql);
    quire_status st = postgres_check(c->lib, r, c->what, err);

    if (!r)
        st = fail_connection(c, "use", err);
    c->lib->clear(r);
    return st;
}

quire_status pg_conn_open(const struct libpq *lib, const char *url,
                          const char *what, const char *set_up, bool unprepared,
                          struct pg_conn **out, quire_error *err)
{
    /* Later words win over those of the URL, but the first two are defaults. */
    const char *const keys[] = {"application_name", "connect_timeout", "dbname",
                                "client_encoding", NULL};
    const char *const values[] = {"quire", "10", url, "UTF8", NULL};
    struct pg_conn *c = calloc(1, sizeof *c);
    quire_status st;

    *out = NULL;
    if (!c)
        return err_memory(err);
    c->lib = lib;
    c->what = what;
    c->unprepared = unprepared;
    map_init(&c->prepared, 0, 0); /* its keys are our own */
    c->pq = lib->connectdbParams(keys, values, 1);
    if (!c->pq || lib->status(c->pq) != CONNECTION_OK) {
        st = fail_connection(c, "connect to", err);
    } else {
        lib->setNoticeProcessor(c->pq, ignore_notice, NULL);
        st = exec_blocking(c, set_up, err);
    }
    if (!st)
        st = enter_pipeline(c, err);
    if (st)
        pg_conn_close(c);
    else
        *out = c;
    return st;
}

static void free_flights(struct pg_flight *list)
{
    while (list) {
        struct pg_flight *next = list->next;

        free(list);
        list = next;
    }
}

void pg_conn_close(struct pg_conn *c)
{
    struct pg_flight *f;

    if (!c)
        return;
    for (f = c->first; f; f = f->next)
        if (f->to)
            f->to->take(f->to, NULL);
    free_flights(c->first);
    free_flights(c->unused);
    if (c->pq)
        c->lib->finish(c->pq);
    map_release(&c->prepared);
    arena_release(&c->texts);
    free(c);
}

/* ---- sending ------------------------------------------------------------ */

static bool add_flight(struct pg_conn *c, struct pg_receiver *to,
                       uint64_t *prepared, bool sync)
{
    struct pg_flight *f = c->unused;

    if (f)
        c->unused = f->next;
    else
        f = malloc(sizeof *f);
    if (!f) {
        c->broken = true; /* a result would go to the wrong receiver */
        return false;
    }
    *f = (struct pg_flight){.to = to, .prepared = prepared, .sync = sync};
    if (c->last)
        c->last->next = f;
    else
        c->first = f;
    c->last = f;
    c->waiting = true;
    return true;
}

/* The number of the prepared statement, 0: it is not prepared. NULL: out of memory. */
static uint64_t *find_prepared(struct pg_conn *c, const struct pg_call *call,
                               const Oid *types)
{
    struct buf text = BUF_INIT(KEY_MAX);
    uint64_t *number = NULL, *known;
    quire_bytes key;

    buf_add(&text, types, (size_t)call->n * sizeof *types);
    buf_add_str(&text, call->sql);
    known = text.failed ? NULL : map_get(&c->prepared, buf_bytes(&text));
    if (known) {
        number = (uint64_t *)(uintptr_t)*known;
    } else if (!text.failed) {
        key = arena_dup(&c->texts, buf_bytes(&text));
        number = arena_array(&c->texts, 1, sizeof *number);
        if (!key.data || !number ||
            !map_put(&c->prepared, key, (uint64_t)(uintptr_t)number, NULL))
            number = NULL;
    }
    buf_release(&text);
    return number;
}

static bool prepare(struct pg_conn *c, const struct pg_call *call,
                    const Oid *types, char name[24])
{
    uint64_t *number = find_prepared(c, call, types);
    bool known = number && *number;

    if (!number)
        return false;
    if (!known)
        *number = ++c->n_prepared;
    snprintf(name, 24, "q%llu", (unsigned long long)*number);
    return known ||
           (c->lib->sendPrepare(c->pq, name, call->sql, call->n, types) &&
            add_flight(c, NULL, number, false));
}

static bool send_call(struct pg_conn *c, const struct pg_call *call)
{
    const char *values[PARAMS_MAX];
    int lens[PARAMS_MAX], formats[PARAMS_MAX], i;
    Oid types[PARAMS_MAX];
    char name[24];

    for (i = 0; i < call->n; i++) {
        types[i] = call->params[i].type;
        values[i] = call->params[i].data;
        lens[i] = call->params[i].len;
        formats[i] = 1;
    }
    if (c->unprepared)
        return c->lib->sendQueryParams(c->pq, call->sql, call->n, types, values,
                                       lens, formats, 1);
    return prepare(c, call, types, name) &&
           c->lib->sendQueryPrepared(c->pq, name, call->n, values, lens,
                                     formats, 1);
}

bool pg_conn_send(struct pg_conn *c, const struct pg_call *call,
                  struct pg_receiver *to)
{
    bool sent = !c->broken && send_call(c, call) &&
                add_flight(c, to, NULL, false);

    /* What was sent has no place for its result. */
    c->broken |= !sent;
    return sent;
}

void pg_conn_forget(struct pg_conn *c, const struct pg_receiver *to)
{
    struct pg_flight *f;

    for (f = c->first; f; f = f->next)
        if (f->to == to)
            f->to = NULL;
}

/* ---- receiving ---------------------------------------------------------- */

/* Let bytes go out and come in, until a result is complete. */
static quire_status wait_for_result(struct pg_conn *c, quire_error *err)
{
    struct pollfd p = {.fd = c->lib->socket(c->pq)};
    int unsent, n;

    for (;;) {
        unsent = c->lib->flush(c->pq);
        if (unsent < 0)
            return fail_connection(c, "write to", err);
        if (!c->lib->isBusy(c->pq))
            return QUIRE_OK;
        p.events = (short)(POLLIN | (unsent ? POLLOUT : 0));
        n = poll(&p, 1, ANSWER_MS);
        if (n == 0) {
            c->broken = true;
            return err_fail(err, QUIRE_IO, "look whether the server is alive",
                            "%s has not answered for %d s", c->what,
                            ANSWER_MS / 1000);
        }
        if ((n < 0 && errno != EINTR) ||
            (n > 0 && p.revents & ~POLLOUT && !c->lib->consumeInput(c->pq)))
            return fail_connection(c, "read from", err);
    }
}

static void land(struct pg_conn *c, PGresult *r)
{
    struct pg_flight *f = c->first;

    c->first = f->next;
    if (!c->first)
        c->last = NULL;
    if (f->prepared && (!r || c->lib->resultStatus(r) != PGRES_COMMAND_OK))
        *f->prepared = 0;
    if (f->to)
        f->to->take(f->to, r);
    else
        c->lib->clear(r);
    f->next = c->unused;
    c->unused = f;
}

/* The result of what was sent first, or the sync; *status is the first failure of
 * the flight. */
static quire_status receive(struct pg_conn *c, quire_status *status,
                            quire_error *err)
{
    bool sync = c->first->sync;
    PGresult *r, *end;
    quire_status st = wait_for_result(c, err);

    if (st)
        return st;
    r = c->lib->getResult(c->pq);
    if (!r)
        return fail_connection(c, "read from", err);
    if (!*status)
        *status = postgres_check(c->lib, r, c->what, err);
    if (c->lib->resultStatus(r) == PGRES_PIPELINE_ABORTED ||
        c->lib->resultStatus(r) == PGRES_FATAL_ERROR) {
        c->lib->clear(r);
        r = NULL;
    }
    land(c, r);
    if (sync)
        return QUIRE_OK;
    /* A null ends the results of a query; a sync has none. */
    st = wait_for_result(c, err);
    end = st ? NULL : c->lib->getResult(c->pq);
    c->lib->clear(end);
    return !st && end ? fail_connection(c, "follow", err) : st;
}

quire_status pg_conn_wait(struct pg_conn *c, quire_error *err)
{
    quire_status status = QUIRE_OK, st = QUIRE_OK;

    if (!c->broken &&
        (!c->lib->pipelineSync(c->pq) || !add_flight(c, NULL, NULL, true)))
        st = fail_connection(c, "write to", err);
    if (!st && c->broken)
        st = fail_connection(c, "use", err);
    while (!st && c->first)
        st = receive(c, &status, err);
    while (c->first) /* of a broken connection */
        land(c, NULL);
    c->waiting = false;
    if (status == QUIRE_IO && c->lib->status(c->pq) != CONNECTION_OK)
        c->broken = true;
    return status ? status : st;
}

quire_status pg_conn_exec(struct pg_conn *c, const char *sql, quire_error *err)
{
    quire_status st;

    if (c->broken || !c->lib->exitPipelineMode(c->pq) ||
        c->lib->setnonblocking(c->pq, 0))
        return fail_connection(c, "use", err);
    st = exec_blocking(c, sql, err);
    if (!c->broken && enter_pipeline(c, st ? NULL : err) && !st)
        st = QUIRE_IO;
    return st;
}

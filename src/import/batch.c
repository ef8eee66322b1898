/* batch.c - see batch.h */
#include "import/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/parallel.h"

/* ---- results ---------------------------------------------------------------- */

struct import_result {
    struct parallel_result base;
    bool problem, failed;
    struct import_line line; /* agent lives as long as the registry         */
    uint64_t bytes;
    uint64_t at_line, at_byte; /* of a problem                              */
    const char *message;
    char text[]; /* path, session id or message                             */
};

/* A result with copies of two texts; the second may be NULL. */
static struct import_result *new_result(const char *path, const char *other)
{
    size_t n = strlen(path) + 1, more = other ? strlen(other) + 1 : 0;
    struct import_result *r = calloc(1, sizeof *r + n + more);

    if (!r)
        return NULL;
    memcpy(r->text, path, n);
    if (other)
        memcpy(r->text + n, other, more);
    r->line.source = r->text;
    r->message = r->line.session = other ? r->text + n : NULL;
    return r;
}

static quire_status send_line(struct import_batch *b,
                              const struct batch_line *l, quire_error *err)
{
    struct import_result *r = new_result(l->path, l->line.session);
    const char *session;

    if (!r)
        return err_memory(err);
    session = r->line.session;
    r->line = l->line;
    r->line.source = r->text;
    r->line.session = session;
    r->bytes = l->bytes;
    return parallel_emit(b->turn, &r->base, err);
}

quire_status batch_problem(struct import_batch *b, const char *path,
                           uint64_t line, uint64_t byte, const char *message,
                           bool failed, quire_error *err)
{
    struct import_result *r = new_result(path, message);

    if (!r)
        return err_memory(err);
    r->problem = true;
    r->failed = failed;
    r->at_line = line;
    r->at_byte = byte;
    return parallel_emit(b->turn, &r->base, err);
}

quire_status batch_deliver(const struct import_run *run,
                           struct import_summary *sum,
                           const struct import_result *r, quire_error *err)
{
    bool same = r->line.state == IMPORT_UNCHANGED;

    sum->bytes += r->bytes;
    if (r->problem) {
        sum->problems += r->failed;
        if (run->problem)
            run->problem(run->ctx, r->text, r->at_line, r->at_byte, r->message);
        return QUIRE_OK;
    }
    if (!r->line.agent)
        return QUIRE_OK;
    sum->found++;
    sum->unchanged += same;
    sum->imported += !same;
    sum->problems += r->line.problems;
    return run->line(run->ctx, &r->line, err);
}

/* ---- files that wait -------------------------------------------------------- */

bool import_is_local(quire_status st)
{
    return st == QUIRE_IO || st == QUIRE_BUSY || st == QUIRE_CHANGED ||
           st == QUIRE_EXISTS || st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED;
}

bool import_is_stopped(const struct import_run *run)
{
    return run->is_stopped && run->is_stopped(run->ctx);
}

bool import_is_in_project(const struct import_run *run, const char *cwd)
{
    size_t len = run->project ? strlen(run->project) : 0;

    return len == 0 || (cwd && !strncmp(cwd, run->project, len) &&
                        (cwd[len] == '/' || cwd[len] == '\0'));
}

/* Tell what stands before the next file that is committed. */
static quire_status tell_until_commit(struct import_batch *b, quire_error *err)
{
    quire_status st = QUIRE_OK;

    for (; b->next && !b->next->commits && !st; b->next = b->next->next)
        st = send_line(b, b->next, err);
    return st;
}

static quire_status take_committed(void *ctx, const char *path, quire_status st,
                                   quire_error *err)
{
    struct import_batch *b = ctx;
    quire_status told = tell_until_commit(b, err);
    const struct batch_line *l = b->next;

    if (told || !l)
        return told;
    b->next = l->next;
    if (!st)
        return send_line(b, l, err);
    return import_is_local(st)
               ? batch_problem(b, path, 0, 0, err->what, true, err)
               : st;
}

/* None of those that wait was committed. */
static quire_status tell_failures(struct import_batch *b,
                                  const quire_error *why, quire_error *err)
{
    quire_status st = QUIRE_OK;

    for (; b->next && !st; b->next = b->next->next)
        st = b->next->commits
                 ? batch_problem(b, b->next->path, 0, 0, why->what, true, err)
                 : send_line(b, b->next, err);
    return st;
}

quire_status batch_flush(struct import_batch *b, quire_error *err)
{
    quire_error why = {0};
    quire_status st = QUIRE_OK;

    b->next = b->first;
    if (b->n > 0)
        st = quire_import_commit_all(b->q, take_committed, b, &why);
    if (st && import_is_local(st))
        st = tell_failures(b, &why, err);
    else if (st && err)
        *err = why;
    if (!st)
        st = tell_until_commit(b, err);
    arena_release(&b->keep);
    b->first = NULL;
    b->end = &b->first;
    b->n = 0;
    return st;
}

static quire_status add_line(struct import_batch *b,
                             const struct batch_line *line, quire_error *err)
{
    struct batch_line *l = arena_array(&b->keep, 1, sizeof *l);

    if (!l)
        return err_memory(err);
    *l = *line;
    l->path = arena_text(&b->keep, bytes_str(line->path));
    if (line->line.session)
        l->line.session = arena_text(&b->keep, bytes_str(line->line.session));
    if (!l->path || (line->line.session && !l->line.session))
        return err_memory(err);
    *b->end = l;
    b->end = &l->next;
    b->n += l->commits;
    return QUIRE_OK;
}

quire_status batch_emit(struct import_batch *b, const struct batch_line *line,
                        quire_error *err)
{
    return line->commits || b->first ? add_line(b, line, err)
                                     : send_line(b, line, err);
}

bool batch_has(const struct import_batch *b, const char *id)
{
    const struct batch_line *l;

    for (l = b->first; l; l = l->next)
        if (l->line.session && !strcmp(l->line.session, id))
            return true;
    return false;
}

/*
 * report.c - findings of a check, on their way to the caller
 *
 * SQLite's check of quire.db may run in a thread beside the others, and its
 * result is reported first. While it runs (`report_first` is set) findings are
 * held back, HELD_MAX at most: one more waits for that result.
 */
#include "check/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { HELD_MAX = 1000 };

struct held {
    struct held *next;
    quire_problem problem;
    struct mending mending;
    char where[];
};

/* ---- text of a finding -------------------------------------------------- */

void problem_what(quire_problem *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(p->what, sizeof p->what, fmt, ap);
    va_end(ap);
}

void problem_next(quire_problem *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(p->next, sizeof p->next, fmt, ap);
    va_end(ap);
}

/* ---- delivery ----------------------------------------------------------- */

static quire_status deliver(struct checks *c, const quire_problem *problem,
                            const struct mending *mending, quire_error *err)
{
    /* What was never acknowledged is no damage. */
    c->sum.problems += strcmp(problem->kind, "unacknowledged") != 0;
    c->q->in_callback = true;
    c->said = c->found(c->ctx, problem, mending, err);
    c->q->in_callback = false;
    return c->said;
}

static quire_status hold_finding(struct checks *c, const quire_problem *problem,
                                 const struct mending *mending,
                                 quire_error *err)
{
    size_t len = strlen(problem->where) + 1;
    struct held *h = malloc(sizeof *h + len);

    if (!h)
        return err_memory(err);
    h->next = NULL;
    h->problem = *problem;
    h->mending = *mending;
    memcpy(h->where, problem->where, len);
    h->problem.where = h->where;
    if (!c->held)
        c->held_end = &c->held;
    *c->held_end = h;
    c->held_end = &h->next;
    c->n_held++;
    return QUIRE_OK;
}

/* The oldest finding held back, now the caller's; NULL: none. */
static struct held *take_held(struct checks *c)
{
    struct held *h = c->held;

    if (h) {
        c->held = h->next;
        c->n_held--;
    }
    return h;
}

quire_status findings_release(struct checks *c, quire_error *err)
{
    quire_status (*first)(struct checks *, quire_error *) = c->report_first;
    struct held *h;
    quire_status st;

    if (!first)
        return QUIRE_OK;
    c->report_first = NULL;
    st = first(c, err);
    while (!st && (h = take_held(c)) != NULL) {
        st = deliver(c, &h->problem, &h->mending, err);
        free(h);
    }
    return st;
}

void findings_drop(struct checks *c)
{
    struct held *h;

    while ((h = take_held(c)) != NULL)
        free(h);
}

quire_status checks_found(struct checks *c, const quire_problem *problem,
                          const struct mending *mending, quire_error *err)
{
    static const struct mending none;
    quire_status st = QUIRE_OK;

    if (!mending)
        mending = &none;
    if (c->report_first && c->n_held < HELD_MAX)
        return hold_finding(c, problem, mending, err);
    if (c->report_first)
        st = findings_release(c, err);
    return st ? st : deliver(c, problem, mending, err);
}

quire_status checks_progress(struct checks *c, uint64_t done, uint64_t total,
                             quire_error *err)
{
    if (!c->progress)
        return QUIRE_OK;
    c->q->in_callback = true;
    c->said = c->progress(c->progress_ctx, done, total, err);
    c->q->in_callback = false;
    return c->said;
}

bool checks_is_finding(quire_status st)
{
    return st != QUIRE_NO_MEMORY && st != QUIRE_BUSY;
}

void problem_of(quire_problem *p, const char *where, quire_status st,
                const quire_error *why)
{
    *p = (quire_problem){.where = where};
    p->kind = st == QUIRE_DAMAGED ? "database" : "unreadable";
    problem_what(p, "%s", *why->what ? why->what : "it cannot be looked at");
    problem_next(p, "%s",
                 *why->next ? why->next
                            : "keep a copy of it before anything else");
}

quire_status checks_report_failure(struct checks *c, const char *where,
                                   quire_status st, const quire_error *why,
                                   quire_error *err)
{
    quire_problem p;

    if (!st)
        return QUIRE_OK;
    if (c->said || !checks_is_finding(st)) {
        if (err)
            *err = *why;
        return st;
    }
    problem_of(&p, where, st, why);
    return checks_found(c, &p, NULL, err);
}

/*
 * check.c - check a whole home
 *
 * Five parts, each of which runs even if another had to stop:
 *
 *   catalogue   its log was not lost; SQLite's check of its file, then consistency of the rows:
 *               counters, dangling rows, full-text indexes
 *   files       each session and conversation, line by line
 *   references  each blob that a file or a row names exists
 *   search      each segment of the search indexes
 *   blobs       each blob matches its name
 *
 * Several threads check files and blobs where that pays, and SQLite's check
 * runs beside them. Findings are reported on the calling thread, in this order.
 *
 * A check writes nothing. A finding has a kind that programs can rely on, a
 * place, and a hint; repair.c knows, of each, whether it can be repaired
 * without loss.
 *
 * What a check cannot detect: an entry of a session, a title, a memory note
 * have no checksum. A flipped bit in them that leaves a line well-formed is
 * text like any other (docs/format.md).
 */
#include "check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"
#include "blob/hash.h"
#include "api/verify.h"
#include "api/transaction.h"

/* ---- every blob against its name ---------------------------------------- */

static quire_status report_blob(void *ctx, const quire_problem *problem,
                                quire_error *err)
{
    struct checks *c = ctx;
    struct mending m = {MEND_STRAY, 0, {{0}}};

    if (strcmp(problem->kind, "stray") != 0 ||
        quire_ref_parse(problem->where, &m.digest, NULL))
        m.how = MEND_NONE;
    return checks_found(c, problem, &m, err);
}

static quire_status report_progress(void *ctx, uint64_t done, uint64_t total,
                                    quire_error *err)
{
    return checks_progress(ctx, done, total, err);
}

static quire_status check_blobs(struct checks *c, quire_error *err)
{
    unsigned flags = BLOB_CHECK_STRAYS |
                     (c->flags & QUIRE_CHECK_QUICK ? BLOB_CHECK_QUICK : 0);
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = report_blob,
                               .progress = c->progress ? report_progress : NULL,
                               .ctx = c};
    quire_error why = {.what = ""};
    quire_status st = verify_all_blobs(c->q, flags, &hooks, &why);

    return checks_report_failure(c, c->rows ? "quire.db" : c->q->blob_path, st,
                                 &why, err);
}

/* ---- opening ------------------------------------------------------------ */

/* An unreadable catalogue is a finding; the larger blobs and the sessions can
 * be checked all the same, as if there was none. */
static quire_status open_without_rows(struct checks *c, quire_status st,
                                      const quire_error *why, quire_error *err)
{
    struct quire *q = c->q;

    c->blind = true;
    st = checks_report_failure(c, "quire.db", st, why, err);
    if (st)
        return st;
    c->db_path = q->db_path; /* until checks_release() */
    q->db_path = NULL;
    return need_blobs(q, false, err);
}

static quire_status open_all(struct checks *c, quire_error *err)
{
    struct quire *q = c->q;
    quire_error why = {.what = ""};
    quire_status st = need_blobs(q, false, &why);

    if (st == QUIRE_DAMAGED)
        return open_without_rows(c, st, &why, err);
    if (!st && q->catalog.db && q->kind == QUIRE_KIND_NATIVE &&
        q->catalog.schema >= SCHEMA_ARTIFACTS)
        st = need_all_artifacts(q, false, &why);
    if (st && err)
        *err = why;
    c->rows = !st && q->artifacts;
    return st;
}

/* All tenants are checked together: only the owner of the home may do that. */
static quire_status check_allowed(struct quire *q, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st)
        st = transaction_check_none(q, "a check of the home", err);
    if (st || q->tenant == TENANT_DEFAULT)
        return st;
    return err_fail(err, QUIRE_INVALID, "leave out --tenant",
                    "a home is checked for all tenants together");
}

/* ---- run ---------------------------------------------------------------- */

static quire_status check_parts(struct checks *c, quire_error *err)
{
    quire_status st = open_all(c, err);

    if (!st && !c->q->cluster)
        st = check_log(c, err);
    if (!st && c->q->catalog.db && !c->q->cluster)
        st = check_sqlite(c, err);
    if (!st && c->q->catalog.db && !c->q->cluster)
        st = check_sqlite_schema(c, err);
    if (!st && c->q->catalog.db)
        st = check_catalog(c, err);
    if (!st && c->q->catalog.db)
        st = check_row_tenants(c, err);
    if (!st && c->q->blobs)
        st = blob_index_build(c, err);
    if (!st)
        st = check_sources(c, err);
    if (!st && c->rows)
        st = check_contents(c, err);
    if (!st && c->q->catalog.db)
        st = check_originals(c, err);
    if (!st && c->rows)
        st = check_session_rows(c, err);
    if (!st && c->q->catalog.db && c->flags & QUIRE_CHECK_FULL)
        st = check_lists(c, err);
    if (!st)
        st = check_search(c, err);
    if (!st && c->q->blobs)
        st = check_blobs(c, err);
    /* Beside a database, what is in the home is derived, or a working copy. */
    if (!st && c->rows && !c->q->cluster)
        st = check_workspaces(c, err);
    if (!st && c->rows && !c->q->cluster)
        st = check_orphans(c, err);
    return st;
}

/* Report SQLite's result even if the rest failed, unless the caller has
 * stopped. */
static quire_status finish_check(struct checks *c, quire_status st,
                                 quire_error *err)
{
    quire_status settled = c->said ? QUIRE_OK
                                   : findings_release(c, st ? NULL : err);

    return st ? st : settled;
}

quire_status checks_run(struct checks *c, struct quire *q, unsigned flags,
                        quire_error *err)
{
    quire_status st = check_allowed(q, err);
    size_t i;

    c->q = q;
    c->flags = flags;
    c->begun_ns = clock_us(&clock_system) * 1000;
    map_init(&c->seen, (uint64_t)clock_us(&clock_system), (uint64_t)getpid());
    if (st)
        return st;
    st = finish_check(c, check_parts(c, err), err);
    for (i = 0; i < c->n_known; i++)
        c->sum.unreferenced += !c->known[i].referenced;
    return st;
}

void checks_release(struct checks *c)
{
    check_sqlite_stop(c);
    findings_drop(c);
    free(c->known);
    free(c->slots);
    map_release(&c->seen);
    arena_release(&c->keep);
    /* Blobs opened without rows are not for other callers. */
    if (c->db_path) {
        c->q->db_path = c->db_path;
        blobs_free(c->q->blobs);
        c->q->blobs = NULL;
    }
}

static quire_status emit_finding(void *ctx, const quire_problem *problem,
                                 const struct mending *mending,
                                 quire_error *err)
{
    const quire_check_hooks *h = ctx;

    (void)mending;
    return h->problem(h->ctx, problem, err);
}

quire_status quire_check(quire *q, unsigned flags,
                         const quire_check_hooks *hooks, quire_error *err)
{
    quire_check_hooks h;
    struct checks c = {.found = emit_finding, .ctx = &h};
    quire_status st;

    read_check_hooks(hooks, &h);
    c.progress = h.progress;
    c.progress_ctx = h.ctx;
    st = checks_run(&c, q, flags, err);
    if (h.summary)
        *h.summary = c.sum;
    checks_release(&c);
    return st;
}

/*
 * repair.c - repair what can be repaired without loss
 *
 * A full check runs first. Each finding names its repair, if there is one; each
 * repair runs once. Then a second check runs: what it no longer finds was
 * repaired, and what it still finds is reported, whatever the repairs returned.
 * Without a repair nothing is written.
 *
 * Nothing is deleted. Derived data is rebuilt; other data is only added to, or
 * written beside the original.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"
#include "check/check.h"
#include "check/reindex.h"
#include "api/session.h"

struct finding {
    quire_problem problem;
    struct mending mending;
    const char *how; /* in words; NULL: it was not mended */
    const char *why; /* it was tried, and failed          */
    struct finding *next;
};

struct findings {
    struct arena *keep;
    struct finding *first, *last;
    struct map keys; /* where, kind and byte of each */
    quire_check_summary sum;
};

/* ---- gathering ---------------------------------------------------------- */

static const char *key_of(const quire_problem *p, struct arena *keep)
{
    return arena_printf(keep, "%s\n%s\n%s", p->where, p->kind, p->what);
}

static quire_status collect_finding(void *ctx, const quire_problem *problem,
                                    const struct mending *mending,
                                    quire_error *err)
{
    struct findings *all = ctx;
    struct finding *f = arena_array(all->keep, 1, sizeof *f);
    const char *key = key_of(problem, all->keep);

    if (!f || !key || !map_put(&all->keys, bytes_str(key), 1, NULL))
        return err_memory(err);
    f->problem = *problem;
    f->mending = *mending;
    f->problem.where = arena_text(all->keep, bytes_str(problem->where));
    f->problem.kind = arena_text(all->keep, bytes_str(problem->kind));
    if (!f->problem.where || !f->problem.kind)
        return err_memory(err);
    if (all->last)
        all->last->next = f;
    else
        all->first = f;
    all->last = f;
    return QUIRE_OK;
}

static quire_status check_home(struct quire *q, const quire_check_hooks *h,
                               struct arena *keep, struct findings *out,
                               quire_error *err)
{
    struct checks c = {.found = collect_finding,
                       .ctx = out,
                       .progress = h->progress,
                       .progress_ctx = h->ctx};
    quire_status st;

    *out = (struct findings){.keep = keep};
    map_init(&out->keys, (uint64_t)clock_us(&clock_system), 0);
    st = checks_run(&c, q, QUIRE_CHECK_FULL, err);
    out->sum = c.sum;
    checks_release(&c);
    return st;
}

/* ---- mendings ----------------------------------------------------------- */

static quire_status mend_index(struct quire *q, quire_error *err)
{
    struct db *db = q->catalog.db;
    quire_status st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);

    if (st)
        return st;
    st = db_exec(db, "REINDEX", err);
    return sql_end(db, st, err);
}

/* The file of a label: in the home, or, a whole path, anywhere. */
static quire_status open_label(struct quire *q, const char *label,
                               struct store **store, const char **name,
                               bool *own, struct arena *keep, quire_error *err)
{
    const char *slash = strrchr(label, '/');
    const char *dir;

    *own = *label == '/';
    *name = label;
    if (!*own)
        return need_home(q, store, err);
    *name = slash + 1;
    dir = arena_text(keep, bytes_of(label, (size_t)(slash - label)));
    *store = NULL;
    return dir ? store_files_open(*dir ? dir : "/", false, store, err)
               : err_memory(err);
}

static quire_status mend_file(struct quire *q, struct finding *f,
                              struct arena *keep, quire_error *err)
{
    struct session_env env = sessions_env(q, q->kind == QUIRE_KIND_OMP);
    char noise[NAMES_ID_SIZE];
    struct store *store = NULL;
    const char *name, *to = NULL;
    bool changed = false, own;
    quire_status st = open_label(q, f->problem.where, &store, &name, &own, keep,
                                 err);

    if (!st)
        st = names_session_id(&rand_system, clock_us(&q->clock), false, noise,
                              err);
    if (!st) {
        to = arena_printf(keep, "%s.%s.bak", name, noise);
        st = to ? session_mend(&env, store, name, to, &changed, err)
                : err_memory(err);
    }
    if (!st) {
        f->how = changed ? arena_printf(keep,
                                        "mended; what it was is kept "
                                        "beside it in %s",
                                        strrchr(to, '/') ? strrchr(to, '/') + 1
                                                         : to)
                         : "mended with the rest of the file";
        st = f->how ? QUIRE_OK : err_memory(err);
    }
    if (own && store)
        store_free(store);
    return st;
}

/* Whether an earlier finding asks for the same. */
static const struct finding *same_before(const struct findings *all,
                                         const struct finding *f)
{
    const struct finding *g;

    for (g = all->first; g != f; g = g->next) {
        if (g->mending.how != f->mending.how)
            continue;
        if (f->mending.how == MEND_SEARCH &&
            g->mending.tenant != f->mending.tenant)
            continue;
        if (f->mending.how == MEND_FILE &&
            strcmp(g->problem.where, f->problem.where) != 0)
            continue;
        if (f->mending.how != MEND_STRAY)
            return g;
    }
    return NULL;
}

static const char *const done_messages[N_MENDS] = {
    [MEND_INDEX] = "the indexes of the database were rebuilt",
    [MEND_TENANTS] = "the row has the right tenant now",
    [MEND_COUNTERS] = "it was counted again",
    [MEND_SESSIONS] = "the rows and lists of sessions were rebuilt",
    [MEND_REMOVAL] = "the removal was finished",
    [MEND_STRAY] = "it was read, and has its row now",
    [MEND_FILE] = "mended",
    [MEND_LOG] = "the loss was accepted",
    [MEND_SEARCH] = "the index was rebuilt",
};

static quire_status repair_one(struct quire *q, struct finding *f,
                               struct arena *keep, quire_error *err)
{
    switch (f->mending.how) {
    case MEND_INDEX: return mend_index(q, err);
    case MEND_TENANTS: return repair_row_tenants(q->catalog.db, err);
    case MEND_COUNTERS: return reindex_counters(q, err);
    case MEND_SESSIONS: return quire_reindex(q, err);
    case MEND_STRAY:
        return blob_register_file(q->blobs, &f->mending.digest, err);
    case MEND_FILE: return mend_file(q, f, keep, err);
    case MEND_SEARCH: return replace_search(q, f->mending.tenant, err);
    case MEND_LOG: return db_sqlite_accept_loss(q->db_path, err);
    default: return QUIRE_OK; /* opening for writing has done it */
    }
}

static bool needs_rows(enum mend how)
{
    return how != MEND_FILE && how != MEND_NONE;
}

/* Failures are reported at the end, with the reason. */
static quire_status try_repair(struct quire *q, const struct findings *all,
                               struct finding *f, struct arena *keep,
                               quire_error *err)
{
    const struct finding *g = same_before(all, f);
    quire_error why = {.what = ""};
    quire_status st = QUIRE_OK;

    if (g) {
        f->how = g->how;
        f->why = g->why;
        return QUIRE_OK;
    }
    if (needs_rows(f->mending.how) && q->kind == QUIRE_KIND_NATIVE)
        st = need_all_artifacts(q, true, &why);
    if (!st)
        st = repair_one(q, f, keep, &why);
    if (st == QUIRE_NO_MEMORY) {
        if (err)
            *err = why;
        return st;
    }
    if (st)
        f->why = arena_text(keep, bytes_str(why.what));
    else if (!f->how)
        f->how = done_messages[f->mending.how];
    return f->how || f->why ? QUIRE_OK : err_memory(err);
}

static quire_status mend_all(struct quire *q, struct findings *all,
                             struct arena *keep, bool *any, quire_error *err)
{
    quire_status st = QUIRE_OK;
    enum mend how;
    struct finding *f;

    /* In the order of the kinds: what is derived is made of what is mended
     * before. */
    for (how = MEND_NONE + 1; how < N_MENDS && !st; how++) {
        for (f = all->first; f && !st; f = f->next) {
            if (f->mending.how != how)
                continue;
            *any = true;
            st = try_repair(q, all, f, keep, err);
        }
    }
    return st;
}

/* ---- telling ------------------------------------------------------------ */

static quire_status report_repaired(const quire_check_hooks *h,
                                    const struct finding *f, const char *how,
                                    quire_error *err)
{
    quire_problem p = f->problem;

    if (!h->mended)
        return QUIRE_OK;
    problem_next(&p, "%s", how);
    return h->mended(h->ctx, &p, err);
}

/* Those that are not among `after` any more. */
static quire_status report_resolved(const quire_check_hooks *h,
                                    const struct findings *before,
                                    const struct findings *after,
                                    struct arena *keep, quire_error *err)
{
    const struct finding *f;
    quire_status st = QUIRE_OK;

    for (f = before->first; f && !st; f = f->next) {
        const char *key = key_of(&f->problem, keep);

        if (!key)
            st = err_memory(err);
        else if (!map_get(&after->keys, bytes_str(key)))
            st = report_repaired(h, f, f->how ? f->how : "mended with the rest",
                                 err);
    }
    return st;
}

/* Why one that is still there could not be mended, if that was tried. */
static const char *why_not_repaired(const struct findings *before,
                                    const struct finding *f)
{
    const struct finding *g;

    for (g = before->first; g; g = g->next) {
        if (g->why && !strcmp(g->problem.where, f->problem.where) &&
            !strcmp(g->problem.kind, f->problem.kind))
            return g->why;
    }
    return NULL;
}

static quire_status report_left(const quire_check_hooks *h,
                                const struct findings *before,
                                const struct findings *after, quire_error *err)
{
    const struct finding *f;
    quire_status st = QUIRE_OK;

    for (f = after->first; f && !st; f = f->next) {
        quire_problem p = f->problem;
        const char *why = why_not_repaired(before, f);

        if (why) {
            size_t len = strlen(p.what);

            snprintf(p.what + len, sizeof p.what - len,
                     "; it cannot be mended: %s", why);
        }
        if (f->mending.how != MEND_NONE) /* the hint was this command */
            p.next[0] = '\0';
        st = h->problem(h->ctx, &p, err);
    }
    return st;
}

/* ---- all of it ---------------------------------------------------------- */

static quire_status report_plan(const quire_check_hooks *h,
                                const struct findings *all, quire_error *err)
{
    static const char *const plans[N_MENDS] = {
        [MEND_INDEX] = "the indexes of the database would be rebuilt",
        [MEND_TENANTS] = "the row would get the right tenant",
        [MEND_COUNTERS] = "it would be counted again",
        [MEND_SESSIONS] = "the rows and lists of sessions would be rebuilt",
        [MEND_REMOVAL] = "the removal would be finished",
        [MEND_STRAY] = "it would get its row",
        [MEND_LOG] = "the loss would be accepted",
        [MEND_SEARCH] = "the index would be rebuilt",
        [MEND_FILE] = ("a mended copy would take its place, the original would"
                       " be kept beside it"),
    };
    const struct finding *f;
    quire_status st = QUIRE_OK;

    for (f = all->first; f && !st; f = f->next)
        st = f->mending.how ? report_repaired(h, f, plans[f->mending.how], err)
                            : h->problem(h->ctx, &f->problem, err);
    return st;
}

static quire_status repair_and_report(struct quire *q,
                                      const quire_check_hooks *h,
                                      struct findings *before,
                                      struct findings *after,
                                      struct arena *keep, quire_error *err)
{
    bool any = false;
    quire_status st = mend_all(q, before, keep, &any, err);

    if (st)
        return st;
    if (any)
        st = check_home(q, h, keep, after, err);
    if (!st && any)
        st = report_resolved(h, before, after, keep, err);
    return st ? st : report_left(h, before, any ? after : before, err);
}

/* One that is lost is made anew, for the files that are there to get their rows
 * in it. */
static quire_status make_catalogue(struct quire *q, bool dry, quire_error *err)
{
    if (dry || q->read_only || q->kind != QUIRE_KIND_NATIVE || !q->db_path ||
        catalog_exists(q) || access(q->blob_path, F_OK) != 0)
        return QUIRE_OK;
    return need_catalog(q, true, err);
}

quire_status quire_repair(quire *q, unsigned flags,
                          const quire_check_hooks *hooks, quire_error *err)
{
    bool dry = flags & QUIRE_REPAIR_DRY;
    quire_check_hooks h;
    struct arena keep = ARENA_INIT;
    struct findings before = {.sum = {0}}, after = {.sum = {0}};
    quire_status st = QUIRE_OK;

    read_check_hooks(hooks, &h);
    st = make_catalogue(q, dry, err);
    if (!st)
        st = check_home(q, &h, &keep, &before, err);
    if (!st && before.first && !dry && q->read_only)
        st = read_only_error(err);
    if (!st)
        st = dry ? report_plan(&h, &before, err)
                 : repair_and_report(q, &h, &before, &after, &keep, err);
    if (h.summary)
        *h.summary = after.keep ? after.sum : before.sum;
    map_release(&before.keys);
    map_release(&after.keys);
    arena_release(&keep);
    return st;
}

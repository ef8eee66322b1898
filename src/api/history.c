/*
 * history.c - prompt history, as quire/history.h has it
 *
 * Chooses the database file, which a reader does not create.
 */
#include "memory/history.h"
#include "memory/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/opts.h"
#include "base/utf8.h"
#include "api/core/cluster.h"
#include "api/core/handle.h"
#include "api/search_query.h"

static quire_status open_history(struct quire *q, const char *path,
                                 quire_error *err)
{
    struct db_config config = {
        .path = path,
        .access = q->read_only ? DB_READ : DB_WRITE,
        .busy_ms = q->busy_ms,
    };
    struct db *db = NULL;
    quire_status st = db_sqlite_open_foreign(&config, &db, err);

    if (st)
        return st;
    st = trace_db(q, &db, err);
    if (!st)
        st = history_open(db, path, q->read_only, &q->history, err);
    if (st)
        db_close(db);
    return st;
}

static quire_status open_shared(struct quire *q, quire_error *err)
{
    struct db *db = NULL;
    quire_status st = cluster_catalog(q->cluster, q->read_only, &db, err);

    if (!st)
        st = trace_db(q, &db, err);
    if (!st)
        st = history_open_shared(db, q->tenant, q->read_only, &q->history, err);
    if (st)
        db_close(db);
    return st;
}

/* A reader of a home that has none gets none. */
quire_status need_history(struct quire *q, bool write, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_status st = check_free(q, err);
    const char *path = NULL;
    int dir;

    if (!st && write && q->read_only)
        st = read_only_error(err);
    if (!st && !strcmp(q->home, q->blob_path)) {
        st = err_fail(err, QUIRE_INVALID, "open a home",
                      "%s has blobs, and no prompt history", q->home);
    }
    if (!st)
        st = tenants_check(q, err);
    if (st || q->history)
        return st;
    if (q->cluster) {
        st = need_catalog(q, write, err); /* it has the tenant's row */
        if (!st)
            st = open_shared(q, err);
        return st == QUIRE_NOT_FOUND && !write ? QUIRE_OK : st;
    }
    path = arena_printf(&tmp, "%s/history.db", q->root);
    if (!path)
        st = err_memory(err);
    else if (!write && access(path, F_OK) != 0 && errno == ENOENT)
        path = NULL;
    if (!st && write)
        st = fs_open_dir(q->root, true, &dir, err);
    if (!st && write)
        close(dir);
    if (!st && path)
        st = open_history(q, path, err);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND && !write ? QUIRE_OK : st;
}

quire_status quire_history_add(quire *q, quire_bytes text, const char *cwd,
                               const char *session, int64_t *id,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct history_new prompt = {
        .prompt = text,
        .session = session,
        .at_s = clock_s(&q->clock),
    };
    int64_t row = 0;
    quire_status st = need_history(q, true, err);

    /* The directory of a prompt may be gone. */
    if (!st) {
        prompt.cwd = absolute_cwd(cwd, &tmp);
        if (!prompt.cwd && errno != ENOENT)
            st = err_sys(err, errno, "cannot tell the working directory");
    }
    if (!st)
        st = history_add(q->history, &prompt, &row, err);
    if (!st && id)
        *id = row;
    arena_release(&tmp);
    return st;
}

quire_status quire_history_put(quire *q, const quire_prompt *prompt,
                               int64_t *id, quire_error *err)
{
    struct history_new new = {.prompt = prompt->prompt,
                              .cwd = prompt->cwd,
                              .session = prompt->session,
                              .at_s = prompt->created_at_s,
                              .earlier = true};
    int64_t row = 0;
    quire_status st = need_history(q, true, err);

    if (!st)
        st = history_add(q->history, &new, &row, err);
    if (!st && id)
        *id = row;
    return st;
}

quire_status quire_history_remove(quire *q, const int64_t *ids, size_t n,
                                  quire_error *err)
{
    /* First without writing: where there is no history, none is created. */
    quire_status st = q->read_only ? read_only_error(err)
                                   : need_history(q, false, err);

    if (!st && n > 0 && !q->history)
        st = err_fail(err, QUIRE_NOT_FOUND, "", "there is no history");
    if (!st && n > 0)
        st = history_remove(q->history, ids, n, err);
    return st;
}

static quire_status read_options(const quire_history_options *options,
                                 struct history_find *out, struct arena *tmp,
                                 quire_error *err)
{
    quire_history_options o = QUIRE_HISTORY_OPTIONS_INIT;

    OPTIONS_READ(o, options);
    *out = (struct history_find){.limit = o.limit};
    if (!o.cwd)
        return QUIRE_OK;
    out->cwd = absolute_cwd(o.cwd, tmp);
    return out->cwd ? QUIRE_OK
                    : err_sys(err, errno, "cannot tell the working directory");
}

quire_status quire_history_list(quire *q, const quire_history_options *options,
                                quire_prompt_fn each, void *ctx,
                                quire_error *err)
{
    struct history_find what;
    struct arena tmp = ARENA_INIT;
    quire_status st = need_history(q, false, err);

    if (!st)
        st = read_options(options, &what, &tmp, err);
    if (!st) {
        q->in_callback = true;
        st = history_find(q->history, &what, each, ctx, err);
        q->in_callback = false;
    }
    arena_release(&tmp);
    return st;
}

/* ---- search ------------------------------------------------------------- */

struct finding {
    struct quire *q;
    struct search_query *k;
    quire_bytes text;
    bool literal; /* the text has no word */
    struct history_find what;
    quire_prompt_fn each;
    void *ctx;
    uint64_t n_given;
    struct arena all; /* the search */
};

/* A prompt that the index has found, if it matches still. */
static quire_status take_prompt(void *ctx, const quire_prompt *p,
                                quire_error *err)
{
    struct finding *f = ctx;
    struct segment_text fields = {.fields = {[FIELD_BODY] = p->prompt}};
    struct text_span spans[SEARCH_SPANS_MAX];
    bool keep = true;
    size_t n;
    quire_status st;

    if (f->what.cwd && (!p->cwd || strcmp(p->cwd, f->what.cwd) != 0))
        return QUIRE_OK;
    st = search_query_spans(f->k, &fields, spans, &n, &keep, err);
    if (st || !keep)
        return st;
    f->n_given++;
    f->k->n_given++;
    f->q->in_callback = true;
    st = f->each(f->ctx, p, err);
    f->q->in_callback = false;
    return st;
}

/* The newest first, of the same second the last one. */
static int by_time(const void *a, const void *b)
{
    const struct run_hit *x = a, *y = b;

    if (x->place.time_us != y->place.time_us)
        return x->place.time_us < y->place.time_us ? 1 : -1;
    return (x->place.offset < y->place.offset) -
           (x->place.offset > y->place.offset);
}

static quire_status emit_prompts(struct search_query *k, struct run_hit *hits,
                                 size_t n, quire_error *err)
{
    struct finding *f = k->ctx;
    quire_status st = QUIRE_OK;
    size_t i;

    if (n > 1)
        qsort(hits, n, sizeof *hits, by_time);
    for (i = 0; i < n && !st && f->n_given < f->what.limit; i++) {
        st = history_get(f->q->history, (int64_t)hits[i].place.offset,
                         take_prompt, f, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    return st;
}

static quire_status try_search(void *ctx, bool *given, quire_error *err)
{
    struct finding *f = ctx;
    struct search_query k = {.q = f->q,
                             .text = f->text,
                             .parts = PARTS_ROWS,
                             .only_kinds = 1u << TEXT_HISTORY,
                             .substrings = true,
                             .emit = emit_prompts,
                             .ctx = f,
                             .keep = &f->all};
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_status st;

    o.flat = 1;
    o.regex = f->literal;
    o.sort = QUIRE_SEARCH_NEWEST;
    o.limit = f->what.cwd ? UINT64_MAX : f->what.limit;
    k.o = o;
    f->k = &k;
    arena_reset(&f->all);
    st = search_query_prepare(&k, err);
    if (!st && f->q->history)
        st = search_query_run(&k, err);
    *given = f->n_given > 0;
    search_query_release(&k);
    return st;
}

/* Signs without a word are searched for as they are. */
static quire_status quote_signs(struct finding *f, struct arena *tmp,
                                quire_error *err)
{
    const char *at = f->text.data, *blank = " \t\r\n";
    size_t i;

    for (i = 0; i < f->text.len && strchr(blank, at[i]);)
        i++;
    f->literal = i < f->text.len && !memory_query_has_words(f->text) &&
                 !memmem(at, f->text.len, "\\E", 2);
    if (!f->literal)
        return QUIRE_OK;
    while (f->text.len > i && strchr(blank, at[f->text.len - 1]))
        f->text.len--;
    f->text = bytes_str(
        arena_printf(tmp, "\\Q%.*s\\E", (int)(f->text.len - i), at + i));
    return f->text.data ? QUIRE_OK : err_memory(err);
}

quire_status quire_history_search(quire *q, quire_bytes query,
                                  const quire_history_options *options,
                                  quire_prompt_fn each, void *ctx,
                                  quire_error *err)
{
    struct finding f = {.q = q, .text = query, .each = each, .ctx = ctx};
    bool sane = utf8_check(query) || memory_query_has_words(query);
    struct arena tmp = ARENA_INIT;
    quire_status st = need_history(q, false, err);

    if (!st)
        st = read_options(options, &f.what, &tmp, err);
    if (f.what.limit == 0)
        f.what.limit = HISTORY_LIMIT;
    if (f.what.limit > HISTORY_LIMIT_MAX && f.what.limit != UINT64_MAX)
        f.what.limit = HISTORY_LIMIT_MAX;
    if (!st && sane)
        st = quote_signs(&f, &tmp, err);
    /* No prompt has malformed signs. */
    if (!st && sane)
        st = search_query_retry(q, try_search, &f, err);
    arena_release(&f.all);
    arena_release(&tmp);
    return st;
}

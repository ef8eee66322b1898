/*
 * search.c - quire_search(): hits, pages, facets; and the indexes as such
 *
 * The steps in which a query is run are in search_query.h; `how` of a hit is the one
 * that found it. A cursor continues the last step.
 */
#include <stdlib.h>
#include <string.h>

#include "api/search_query.h"
#include "api/search_turns.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/opts.h"
#include "search/snippet.h"

static const char *const step_names[N_STEPS] = {
    [RELAX_NONE] = "exact",    [RELAX_STEM] = "stem",
    [RELAX_PREFIX] = "prefix", [RELAX_SUBSTRING] = "substring",
    [STEP_CLOSE] = "close",
};

/* What the hits of a search need. */
struct hits {
    struct search_query *k;
    quire_search_hit_fn each;
    void *ctx;
    /* The path to the leaf of a session with branches. */
    char *path_of;
    struct map path;
    struct arena path_memory;
};

/* ---- branches --------------------------------------------------------------------------- */

static quire_status add_to_path(void *ctx, const quire_entry *e,
                                quire_error *err)
{
    struct hits *g = ctx;
    quire_bytes id = arena_dup(&g->path_memory, e->id);

    return id.data && map_put(&g->path, id, 1, NULL) ? QUIRE_OK
                                                     : err_memory(err);
}

/* Read the current branch of a session. A session that cannot be opened has none. */
static quire_status read_path(struct hits *g, const char *session,
                              quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s = NULL;
    quire_status st;

    map_release(&g->path);
    map_init(&g->path, 1, 2);
    arena_release(&g->path_memory);
    g->path_of = arena_text(&g->path_memory, bytes_str(session));
    if (!g->path_of)
        return err_memory(err);
    o.flags = QUIRE_SESSION_READ;
    if (quire_session_open(g->k->q, session, &o, &s, NULL))
        return QUIRE_OK;
    st = quire_session_path(s, NULL, 0, add_to_path, g, err);
    quire_session_close(s);
    return st;
}

static quire_status is_active(struct hits *g, const struct source *s,
                              quire_bytes entry, int *active, quire_error *err)
{
    quire_status st = QUIRE_OK;

    *active = 1;
    if (s->kind != SOURCE_SESSION || !(s->flags & SOURCE_BRANCHED) ||
        entry.len == 0)
        return QUIRE_OK;
    if (!g->path_of || strcmp(g->path_of, s->session) != 0)
        st = read_path(g, s->session, err);
    *active = !st && map_get(&g->path, entry) != NULL;
    return st;
}

/* ---- hits ------------------------------------------------------------------------------- */

static const char *address_of(struct arena *keep, const struct source *s,
                              quire_bytes entry)
{
    const char *base = strrchr(s->key, '/');

    switch (s->kind) {
    case SOURCE_SESSION:
        return arena_printf(keep, "quire://session/%s%s%.*s", s->session,
                            entry.len ? "#" : "", (int)entry.len,
                            (const char *)entry.data);
    case SOURCE_OUTPUT:
        base = base ? base + 1 : s->key;
        if (strlen(base) > 3 && !strcmp(base + strlen(base) - 3, ".md"))
            return arena_printf(keep, "agent://%.*s", (int)strlen(base) - 3,
                                base);
        return arena_printf(keep, "artifact://%.*s", (int)strcspn(base, "."),
                            base);
    case SOURCE_ARTIFACT: return arena_printf(keep, "#%s", s->key);
    case SOURCE_MEMORY: return arena_printf(keep, "mem:%s", s->key);
    case SOURCE_HISTORY: return arena_printf(keep, "history:%s", s->key);
    case SOURCE_JP: return s->session;
    case N_SOURCE_KINDS: break;
    }
    return "";
}

static quire_status set_turn(struct search_query *k, const struct run_hit *h,
                             const struct source *s, quire_search_hit *hit,
                             quire_error *err)
{
    struct turn t;
    quire_status st = search_find_turn(search_index_of(k->q, h->engine),
                                       k->request.engines[h->engine], s,
                                       &h->place, &k->tmp, &t, err);

    hit->turn_first = hit->turn_last = "";
    if (!st) {
        hit->turn = t.number;
        hit->turn_first = t.first;
        hit->turn_last = t.last;
    }
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

static quire_status emit_hit(struct hits *g, const struct run_hit *h,
                             quire_error *err)
{
    struct search_query *k = g->k;
    struct text_span spans[SEARCH_SPANS_MAX];
    struct segment_text text;
    struct snippet snippet;
    struct source s;
    quire_bytes entry, shown;
    quire_search_hit hit = {.created_us = h->place.time_us, .score = h->score};
    unsigned meta = h->place.meta;
    bool keep = true;
    size_t n;
    quire_status st;

    arena_reset(&k->tmp);
    st = search_query_text(k, h, &s, &text, &entry, err);
    if (st == QUIRE_NOT_FOUND ||
        (!st && k->only_session && strcmp(s.session, k->only_session) != 0))
        return QUIRE_OK;
    if (!st)
        st = search_query_spans(k, &text, spans, &n, &keep, err);
    if (st || !keep)
        return st;
    shown = text.fields[FIELD_BODY];
    if (shown.len == 0 && n == 0)
        shown = text.fields[text.fields[FIELD_TITLE].len ? FIELD_TITLE
                                                         : FIELD_PATH];
    st = snippet_make(shown, spans, n, &k->tmp, &snippet, err);
    if (!st)
        st = is_active(g, &s, entry, &hit.active, err);
    if (st || (k->active && (k->active > 0) != (hit.active != 0)))
        return st;
    st = set_turn(k, h, &s, &hit, err);
    if (st)
        return st;
    hit.kind = text_kind_name((enum text_kind)PLACE_KIND(meta));
    hit.role = text_role_name((enum text_role)PLACE_ROLE(meta));
    hit.address = address_of(&k->tmp, &s, entry);
    hit.session = s.session;
    hit.entry = arena_text(&k->tmp, entry);
    hit.title = s.title;
    hit.project = s.project;
    hit.agent = s.agent;
    hit.tool = arena_text(&k->tmp, h->tool);
    hit.model = arena_text(&k->tmp, h->model);
    hit.snippet = snippet.text;
    hit.matches = snippet.matches;
    hit.n_matches = snippet.n;
    hit.how = step_names[k->step];
    hit.is_error = (meta & PLACE_ERROR) != 0;
    hit.first = h->in_group > 0;
    hit.in_session = h->in_group;
    hit.offset = h->place.offset;
    if (!hit.address || !hit.entry || !hit.tool || !hit.model)
        return err_memory(err);
    k->n_given++;
    k->q->in_callback = true;
    st = g->each(g->ctx, &hit, err);
    k->q->in_callback = false;
    return st;
}

static quire_status emit_hits(struct search_query *k, struct run_hit *hits,
                              size_t n, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < n && !st; i++)
        st = emit_hit(k->ctx, &hits[i], err);
    return st;
}

/* ---- results -------------------------------------------------------------------------------- */

static quire_status list_ignored(struct search_query *k,
                                 quire_search_result *out, quire_error *err)
{
    const struct search_ignored *one;
    quire_search_ignored *list;
    size_t n = 0;

    for (one = k->language.ignored; one; one = one->next)
        n++;
    list = arena_array(k->keep, n + 1, sizeof *list);
    if (!list)
        return err_memory(err);
    for (one = k->language.ignored; one; one = one->next) {
        quire_search_ignored *to = &list[out->n_ignored++];

        to->text = arena_text(k->keep, one->text);
        to->why = one->why;
        if (!to->text)
            return err_memory(err);
    }
    out->ignored = list;
    return QUIRE_OK;
}

static quire_status fill_result(struct search_query *k,
                                quire_search_result *out, quire_error *err)
{
    const struct run_result *from = &k->result;
    quire_status st = list_ignored(k, out, err);

    /* Branches are looked at for the hits of the page alone: of some, others may be left
     * out. What is a lower bound without that is none with it. */
    out->total = k->has_branched && !k->total_is_exact ? k->n_given : k->total;
    out->total_is_exact = k->total_is_exact && !k->has_branched;
    out->total_is_at_most = k->total_is_exact && k->has_branched;
    if (!st && k->o.facets)
        st = search_list_counts(k, &from->facets, out, err);
    if (!st && from->more && from->cursor.set) {
        out->next_cursor = search_cursor_write(k, &from->cursor);
        if (!out->next_cursor)
            st = err_memory(err);
    }
    return st;
}

/* ---- searching ------------------------------------------------------------------------------- */

struct asked {
    struct quire *q;
    quire_bytes query;
    const quire_search_options *o;
    quire_search_hit_fn each;
    void *ctx;
    quire_search_result *result;
};

static quire_status try_search(void *ctx, bool *given, quire_error *err)
{
    const struct asked *a = ctx;
    struct hits g = {.each = a->each, .ctx = a->ctx};
    struct search_query k = {.q = a->q,
                             .text = a->query,
                             .o = *a->o,
                             .parts = PARTS_ALL,
                             .last_step = STEP_CLOSE,
                             .emit = emit_hits,
                             .ctx = &g,
                             .keep = &a->q->search_loan};
    quire_status st = check_free(a->q, err);

    memset(a->result, 0, sizeof *a->result);
    if (st)
        return st;
    g.k = &k;
    arena_release(&a->q->search_loan);
    map_init(&g.path, 1, 2);
    st = search_query_prepare(&k, err);
    if (!st)
        st = search_query_run(&k, err);
    if (!st)
        st = fill_result(&k, a->result, err);
    *given = k.n_given > 0;
    search_query_release(&k);
    map_release(&g.path);
    arena_release(&g.path_memory);
    return st;
}

quire_status quire_search(quire *q, quire_bytes query,
                          const quire_search_options *options,
                          quire_search_hit_fn each, void *ctx,
                          quire_search_result *result, quire_error *err)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_search_result own;
    struct asked a = {q, query, &o, each, ctx, result ? result : &own};

    OPTIONS_READ(o, options);
    if (o.limit == UINT64_MAX)
        o.limit--;
    return search_query_retry(q, try_search, &a, err);
}

/* ---- the indexes -------------------------------------------------------------------------------- */

/* What one call of quire_search_update() reads, but for the last file: a second or
 * two, so that its caller can stop. */
#define UPDATE_BYTES ((uint64_t)32 << 20)

quire_status quire_search_update(quire *q, int *more, quire_error *err)
{
    struct search_progress p = {.max = UPDATE_BYTES};
    struct search_index *x;
    bool again = false, any = false;
    quire_status st = QUIRE_OK;
    int part;

    for (part = 0; part < N_SEARCH_PARTS && !st; part++) {
        st = need_search(q, (enum search_part)part, &x, err);
        if (!st)
            st = search_update(x, true, &p, err);
        if (!st && !p.more && x->home)
            st = engine_merge(x->home, false, &again, err);
        any |= again;
    }
    if (!st)
        search_trim_changes(q);
    if (more)
        *more = p.more || any;
    return st;
}

/* An index, if it is in the home and can be written. */
static quire_status purge_part(struct quire *q, enum search_part part,
                               bool *more, quire_error *err)
{
    struct search_progress p = {.max = UPDATE_BYTES};
    struct search_index *x;
    quire_status st = need_search(q, part, &x, err);

    *more = false;
    if (st || !x->home || x->fixed)
        return st;
    st = search_update(x, true, &p, err);
    *more = p.more;
    if (!st && !p.more)
        st = engine_purge(x->home, more, err);
    /* Nothing is left of an index that is removed. The next search builds it. */
    if (st == QUIRE_DAMAGED && !search_rows_are_damaged(q)) {
        *more = false;
        st = search_index_remove(x, err);
    }
    return st;
}

quire_status quire_search_purge(quire *q, int *more, quire_error *err)
{
    bool again = false, any = false;
    quire_status st = QUIRE_OK;
    int part;

    for (part = 0; part < N_SEARCH_PARTS && !st; part++) {
        st = purge_part(q, (enum search_part)part, &again, err);
        any |= again;
    }
    if (more)
        *more = any;
    return st;
}

quire_status search_empty(struct quire *q, quire_error *err)
{
    struct search_index *x;
    quire_status st = QUIRE_OK;
    int part;

    search_forget_texts(q);
    for (part = 0; part < N_SEARCH_PARTS && !st; part++) {
        st = need_search(q, (enum search_part)part, &x, err);
        if (!st)
            search_drop_pending(x);
        if (!st && !x->home)
            st = search_open_home(x, false, err);
        if (!st && x->home)
            st = engine_clear(x->home, err);
    }
    return st;
}

quire_status quire_search_rebuild(quire *q, quire_error *err)
{
    struct search_index *x;
    quire_status st = QUIRE_OK;
    int part;

    for (part = 0; part < N_SEARCH_PARTS && !st; part++) {
        st = need_search(q, (enum search_part)part, &x, err);
        if (!st)
            search_drop_pending(x);
        if (!st && x->home)
            st = engine_clear(x->home, err);
        if (!st)
            st = search_update(x, true, NULL, err);
    }
    return st;
}

quire_status quire_search_describe(quire *q, quire_search_stats *out,
                                   quire_error *err)
{
    quire_status st = QUIRE_OK;
    int part;

    *out = (quire_search_stats){.bytes = 0};
    for (part = 0; part < N_SEARCH_PARTS && !st; part++) {
        struct engine_info info = {.bytes = 0};
        struct search_index *x;

        st = need_search(q, (enum search_part)part, &x, err);
        if (!st && x->home)
            st = engine_info(x->home, &info, err);
        out->bytes += info.bytes;
        out->n_texts += info.n_texts;
        out->n_places += info.n_places;
        out->n_sources += info.n_sources;
        out->n_removed += info.n_dead;
    }
    return st;
}

quire_status quire_search_time(quire *q, const char *text, int64_t *us,
                               quire_error *err)
{
    if (search_parse_time(bytes_str(text), clock_us(&q->clock), us))
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID,
                    "write 2026-02-16, 2026-02-16T10:20:30Z, 7d or yesterday",
                    "\"%.60s\" is not a time", text);
}

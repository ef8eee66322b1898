/*
 * search.c - quire_search(): queries, hits, pages
 *
 * A query is parsed (search/language.h) and run (search/run.h). If it is plain words
 * and finds fewer than FEW_HITS, it is run again with words that match more, and the
 * new hits follow the others: other forms, beginnings, parts; at last most of the
 * words instead of all. `how` of a hit is the step that found it.
 *
 * A cursor continues the last step. It holds the numbers that scores depend on and is
 * tied to its query by a digest.
 */
#include "api/search.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "base/opts.h"
#include "search/language.h"
#include "search/snippet.h"

enum {
    LIMIT_DEFAULT = 20,
    LIMIT_MAX = 1000,
    FEW_HITS = 3,
    CLOSE_WORDS =
        3, /* queries with fewer words are not relaxed to most of them */
    SPANS_MAX = 512,
};

/* Behind the relaxed forms of words: most of the words. */
enum { STEP_CLOSE = N_RELAX, N_STEPS };

static const char *const step_names[N_STEPS] = {
    [RELAX_NONE] = "exact",    [RELAX_STEM] = "stem",
    [RELAX_PREFIX] = "prefix", [RELAX_SUBSTRING] = "substring",
    [STEP_CLOSE] = "close",
};

struct searching {
    struct search_index *x;
    quire_search_options o;
    struct search_language language;
    struct run_request request;
    struct source_set sets[RUN_ENGINES_MAX];
    int step;
    struct plan *plan;
    struct text_matcher *matcher; /* of the plan, for snippets */
    struct buf seen;              /* struct run_key: hits of earlier steps */
    uint64_t total;
    bool total_is_exact;
    uint64_t n_given;
    quire_search_hit_fn each;
    void *ctx;
    struct arena *keep; /* the whole search */
    struct arena tmp;   /* one hit */
    /* The path to the leaf of a session with branches. */
    char *path_of;
    struct map path;
    struct arena path_memory;
};

/* ---- filters ---------------------------------------------------------------------- */

static quire_status fail_filter(const char *name, quire_bytes value,
                                const char *known, quire_error *err)
{
    err_set(err, QUIRE_INVALID, "unknown %s \"%.*s\"", name,
            (int)(value.len < 60 ? value.len : 60), (const char *)value.data);
    err_next(err, "use %s", known);
    return QUIRE_INVALID;
}

static const char kinds_known[] =
    "message, thinking, tool_input, tool_result, summary, title, label, output, "
    "artifact, memory or history";

static quire_status add_kind(struct searching *k, quire_bytes name,
                             bool negated, quire_error *err)
{
    const unsigned all = (1u << N_TEXT_KINDS) - 1;
    struct run_request *r = &k->request;
    enum text_kind kind;

    if (!text_kind_of(name, &kind))
        return fail_filter("kind", name, kinds_known, err);
    if (negated)
        r->kinds = (r->kinds ? r->kinds : all) & ~(1u << kind);
    else
        r->kinds |= 1u << kind;
    return QUIRE_OK;
}

static quire_status add_role(struct searching *k, quire_bytes name,
                             bool negated, quire_error *err)
{
    const unsigned all = (1u << N_TEXT_ROLES) - 1;
    struct run_request *r = &k->request;
    enum text_role role;

    if (!text_role_of(name, &role))
        return fail_filter("role", name, "user, assistant, tool or system",
                           err);
    if (negated)
        r->roles = (r->roles ? r->roles : all) & ~(1u << role);
    else
        r->roles |= 1u << role;
    return QUIRE_OK;
}

static void add_name(quire_bytes *list, size_t *n, quire_bytes name)
{
    if (*n < RUN_TOOLS_MAX)
        list[(*n)++] = name;
}

static quire_status add_ignored(struct searching *k, quire_bytes text,
                                const char *why, quire_error *err)
{
    struct search_ignored *one = arena_array(k->keep, 1, sizeof *one), **at;

    if (!one)
        return err_memory(err);
    *one = (struct search_ignored){text, why, NULL};
    for (at = &k->language.ignored; *at;)
        at = &(*at)->next;
    *at = one;
    return QUIRE_OK;
}

static const char *text_of(struct searching *k, quire_bytes value)
{
    return arena_text(k->keep, value);
}

/* One filter of the query. Filters of sources are collected in `f`. */
static quire_status apply_filter(struct searching *k,
                                 const struct search_filter *one,
                                 struct source_filter *f, quire_error *err)
{
    struct run_request *r = &k->request;

    switch (one->key) {
    case FILTER_KIND: return add_kind(k, one->value, one->negated, err);
    case FILTER_ROLE: return add_role(k, one->value, one->negated, err);
    case FILTER_BEFORE:
        if (!r->before_us || one->time_us < r->before_us)
            r->before_us = one->time_us;
        return QUIRE_OK;
    case FILTER_AFTER:
        if (one->time_us > r->after_us)
            r->after_us = one->time_us;
        return QUIRE_OK;
    default: break;
    }
    if (one->negated)
        return add_ignored(k, one->value, "this filter cannot be negated", err);
    switch (one->key) {
    case FILTER_TOOL: add_name(r->tools, &r->n_tools, one->value); break;
    case FILTER_MODEL: add_name(r->models, &r->n_models, one->value); break;
    case FILTER_PROJECT: f->project = text_of(k, one->value); break;
    case FILTER_AGENT: f->agent = text_of(k, one->value); break;
    case FILTER_SESSION: f->session = text_of(k, one->value); break;
    case FILTER_PATH: f->path = text_of(k, one->value); break;
    case FILTER_IS:
        if (bytes_is(one->value, "error"))
            r->flags |= PLACE_ERROR;
        else if (bytes_is(one->value, "archived"))
            f->archived = 1;
        else
            return add_ignored(k, one->value, "not indexed yet", err);
        break;
    case FILTER_HAS:
        if (!bytes_is(one->value, "image"))
            return add_ignored(k, one->value, "not indexed yet", err);
        r->flags |= PLACE_IMAGE;
        break;
    default: return add_ignored(k, one->value, "not indexed yet", err);
    }
    return QUIRE_OK;
}

/* The id of the session that is meant. */
static quire_status resolve_session(struct searching *k, const char **session,
                                    quire_error *err)
{
    const char *key = NULL;
    quire_status st;

    if (!*session)
        return QUIRE_OK;
    /* Queries come from clients that must not learn which files there are. */
    if (!k->o.session && session_looks_like_path(*session))
        return err_fail(err, QUIRE_NOT_FOUND, "name it by its id",
                        "no session %.100s", *session);
    st = session_key(k->x->q, *session, k->keep, &key, err);
    *session = key;
    return st;
}

static quire_status apply_lists(struct searching *k, quire_error *err)
{
    const quire_search_options *o = &k->o;
    struct run_request *r = &k->request;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; o->kinds && o->kinds[i] && !st; i++)
        st = add_kind(k, bytes_str(o->kinds[i]), false, err);
    for (i = 0; o->roles && o->roles[i] && !st; i++)
        st = add_role(k, bytes_str(o->roles[i]), false, err);
    for (i = 0; o->tools && o->tools[i]; i++)
        add_name(r->tools, &r->n_tools, bytes_str(o->tools[i]));
    r->after_us = o->since_us;
    r->before_us = o->until_us;
    return st;
}

/* What is in both sets, of which 0 is all. No kind or role has the last bit. */
static unsigned intersect(unsigned a, unsigned b)
{
    if (!a || !b)
        return a | b;
    return a & b ? a & b : 1u << 31;
}

static quire_status apply_filters(struct searching *k, quire_error *err)
{
    struct run_request *r = &k->request;
    struct source_filter f = {.archived = -1};
    const struct search_filter *one;
    quire_status st = apply_lists(k, err);
    unsigned kinds = r->kinds, roles = r->roles;
    size_t i;

    r->kinds = r->roles = 0;
    for (one = k->language.filters; one && !st; one = one->next)
        st = apply_filter(k, one, &f, err);
    r->kinds = intersect(kinds, r->kinds);
    r->roles = intersect(roles, r->roles);
    if (!st && k->o.session)
        f.session = k->o.session;
    if (!st && k->o.project)
        f.project = k->o.project;
    if (!st && k->o.agent)
        f.agent = k->o.agent;
    if (!st)
        st = resolve_session(k, &f.session, err);
    if (st || !(f.session || f.project || f.agent || f.path || f.archived >= 0))
        return st;
    for (i = 0; i < r->n_engines && !st; i++) {
        st = engine_select(r->engines[i], &f, k->keep, &k->sets[i], err);
        r->sources[i] = &k->sets[i];
    }
    return st;
}

/* ---- cursors ----------------------------------------------------------------------- */

/* A page's end, as bytes: written in hex, without the weights that are not used. */
struct cursor {
    uint32_t version;
    int32_t step;
    uint8_t query[16]; /* digest of query and filters */
    struct run_key after;
    double n_texts, mean_words;
    int64_t now_us;
    uint64_t texts[RUN_ENGINES_MAX];
    uint32_t n_weights;
    float weights[RUN_WEIGHTS_MAX];
};

enum { CURSOR_VERSION = 1 };

/* Bytes of a cursor with so many weights. */
static size_t cursor_size(uint32_t n_weights)
{
    return offsetof(struct cursor, weights) + n_weights * sizeof(float);
}

/* `since` and `until` are left out: those of a later page differ, if they were given
 * as 7d. */
static void query_digest(const struct searching *k, quire_bytes query,
                         uint8_t out[16])
{
    const quire_search_options *o = &k->o;
    const struct run_request *r = &k->request;
    int64_t numbers[] = {o->sort,     o->flat,  o->regex, o->words_only,
                         o->versions, r->kinds, r->roles};
    const char *texts[] = {k->x->root, o->session, o->project, o->agent};
    struct sha256_ctx sha;
    size_t i;

    sha256_init(&sha);
    if (query.len)
        sha256_update(&sha, query.len, query.data);
    sha256_update(&sha, sizeof numbers, (const uint8_t *)numbers);
    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i])
            sha256_update(&sha, strlen(texts[i]) + 1,
                          (const uint8_t *)texts[i]);
    for (i = 0; o->tools && o->tools[i]; i++)
        sha256_update(&sha, strlen(o->tools[i]) + 1,
                      (const uint8_t *)o->tools[i]);
    sha256_digest(&sha, 16, out);
}

/* A number that hits can be sorted by: not NaN. */
static bool is_weight(double x)
{
    return x > -1e30 && x < 1e30;
}

/* Decode a cursor; false: malformed. Clients can change them. */
static bool decode_cursor(const char *text, struct cursor *c)
{
    size_t len = strlen(text);
    uint32_t i;

    memset(c, 0, sizeof *c);
    if (len % 2 != 0 || len / 2 < cursor_size(0) || len / 2 > sizeof *c ||
        !hex_decode(text, len / 2, (uint8_t *)c) ||
        c->version != CURSOR_VERSION || c->n_weights > RUN_WEIGHTS_MAX ||
        len / 2 != cursor_size(c->n_weights) || c->step < 0 ||
        c->step >= N_STEPS || !is_weight(c->n_texts) ||
        !is_weight(c->mean_words) || !is_weight(c->after.score))
        return false;
    for (i = 0; i < c->n_weights; i++)
        if (!is_weight(c->weights[i]))
            return false;
    return true;
}

static quire_status read_cursor(struct searching *k, quire_bytes query,
                                quire_error *err)
{
    struct run_cursor *at = &k->request.cursor;
    struct cursor c;
    uint8_t digest[16];

    if (!decode_cursor(k->o.cursor, &c))
        return err_fail(err, QUIRE_INVALID, "search again without it",
                        "the cursor is malformed");
    query_digest(k, query, digest);
    if (memcmp(c.query, digest, sizeof digest) != 0)
        return err_fail(err, QUIRE_INVALID,
                        "pass the query and filters of the first page",
                        "the cursor belongs to another query");
    *at = (struct run_cursor){.set = true,
                              .after = c.after,
                              .n_texts = c.n_texts,
                              .mean_words = c.mean_words,
                              .n_weights = c.n_weights,
                              .now_us = c.now_us};
    memcpy(at->weights, c.weights, sizeof at->weights);
    memcpy(at->texts, c.texts, sizeof at->texts);
    k->request.now_us = c.now_us;
    k->step = c.step;
    return QUIRE_OK;
}

static const char *write_cursor(struct searching *k, quire_bytes query,
                                const struct run_cursor *at)
{
    struct cursor c;
    size_t size = cursor_size(at->n_weights);
    char *out = arena_alloc(k->keep, 2 * size + 1);

    memset(&c, 0, sizeof c);
    c.version = CURSOR_VERSION;
    c.step = k->step;
    query_digest(k, query, c.query);
    /* Member by member: clients must not see what is between them. */
    c.after.score = at->after.score;
    c.after.time = at->after.time;
    c.after.text = at->after.text;
    c.after.source = at->after.source;
    c.after.offset = at->after.offset;
    c.after.part = at->after.part;
    c.after.group = at->after.group;
    c.after.place_offset = at->after.place_offset;
    c.after.place_part = at->after.place_part;
    c.n_texts = at->n_texts;
    c.mean_words = at->mean_words;
    c.n_weights = at->n_weights;
    c.now_us = at->now_us;
    memcpy(c.weights, at->weights, sizeof c.weights);
    memcpy(c.texts, at->texts, sizeof c.texts);
    if (out)
        hex_encode((const uint8_t *)&c, size, out);
    return out;
}

/* ---- texts ----------------------------------------------------------------------------- */

static quire_status read_candidate(void *ctx, size_t engine,
                                   const struct place *place,
                                   struct segment_text *out, quire_error *err)
{
    struct searching *k = ctx;
    struct source source;

    arena_reset(&k->tmp);
    return search_read_text(k->x, k->request.engines[engine], place, &source,
                            out, NULL, &k->tmp, err);
}

/* ---- branches --------------------------------------------------------------------------- */

static quire_status add_to_path(void *ctx, const quire_entry *e,
                                quire_error *err)
{
    struct searching *k = ctx;
    quire_bytes id = arena_dup(&k->path_memory, e->id);

    return id.data && map_put(&k->path, id, 1, NULL) ? QUIRE_OK
                                                     : err_memory(err);
}

/* Read the current branch of a session. A session that cannot be opened has none. */
static quire_status read_path(struct searching *k, const char *session,
                              quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s = NULL;
    quire_status st;

    map_release(&k->path);
    map_init(&k->path, 1, 2);
    arena_release(&k->path_memory);
    k->path_of = arena_text(&k->path_memory, bytes_str(session));
    if (!k->path_of)
        return err_memory(err);
    o.flags = QUIRE_SESSION_READ;
    if (quire_session_open(k->x->q, session, &o, &s, NULL))
        return QUIRE_OK;
    st = quire_session_path(s, NULL, 0, add_to_path, k, err);
    quire_session_close(s);
    return st;
}

static quire_status is_active(struct searching *k, const struct source *s,
                              quire_bytes entry, int *active, quire_error *err)
{
    quire_status st = QUIRE_OK;

    *active = 1;
    if (s->kind != SOURCE_SESSION || !(s->flags & SOURCE_BRANCHED) ||
        entry.len == 0)
        return QUIRE_OK;
    if (!k->path_of || strcmp(k->path_of, s->session) != 0)
        st = read_path(k, s->session, err);
    *active = !st && map_get(&k->path, entry) != NULL;
    return st;
}

/* ---- hits ------------------------------------------------------------------------------- */

static const char *address_of(struct searching *k, const struct source *s,
                              quire_bytes entry)
{
    const char *base = strrchr(s->key, '/');

    switch (s->kind) {
    case SOURCE_SESSION:
        return arena_printf(&k->tmp, "quire://session/%s%s%.*s", s->session,
                            entry.len ? "#" : "", (int)entry.len,
                            (const char *)entry.data);
    case SOURCE_OUTPUT:
        base = base ? base + 1 : s->key;
        if (strlen(base) > 3 && !strcmp(base + strlen(base) - 3, ".md"))
            return arena_printf(&k->tmp, "agent://%.*s", (int)strlen(base) - 3,
                                base);
        return arena_printf(&k->tmp, "artifact://%.*s", (int)strcspn(base, "."),
                            base);
    case SOURCE_ARTIFACT: return arena_printf(&k->tmp, "#%s", s->key);
    case SOURCE_MEMORY: return arena_printf(&k->tmp, "mem:%s", s->key);
    case SOURCE_HISTORY: return arena_printf(&k->tmp, "history:%s", s->key);
    case SOURCE_JP:
    case N_SOURCE_KINDS: break;
    }
    return "";
}

/* How many of the wanted leaves a text has, in hundredths. */
static unsigned share_of_leaves(const struct plan *p,
                                const struct text_span *spans, size_t n)
{
    uint64_t found = 0;
    unsigned have = 0, all = 0;
    size_t i;

    for (i = 0; i < n; i++)
        found |= (uint64_t)1 << spans[i].leaf % 64;
    for (i = 0; i < p->n_leaves && i < 64; i++) {
        all += p->leaves[i].wanted;
        have += p->leaves[i].wanted && found >> i & 1;
    }
    return all ? 100 * have / all : 100;
}

/* The matches in a text, for its snippet. Texts of which less than half of the words
 * were found are not close: *keep false. */
static quire_status find_spans(struct searching *k,
                               const struct segment_text *text,
                               struct text_span *spans, size_t *n, bool *keep,
                               quire_error *err)
{
    bool yes = true;
    quire_status st = QUIRE_OK;

    *n = 0;
    *keep = true;
    if (k->matcher)
        st = text_matches(k->matcher, text->fields, N_FIELDS, &yes, spans,
                          SPANS_MAX, n, err);
    /* A place whose text has changed since. */
    *keep = yes;
    if (!st && yes && k->step == STEP_CLOSE)
        *keep = share_of_leaves(k->plan, spans, *n) >= 50;
    return st;
}

static quire_status emit_hit(struct searching *k, const struct run_hit *h,
                             quire_error *err)
{
    struct engine *e = k->request.engines[h->engine];
    struct text_span spans[SPANS_MAX];
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
    st = search_read_text(k->x, e, &h->place, &s, &text, &entry, &k->tmp, err);
    if (st == QUIRE_NOT_FOUND)
        return QUIRE_OK;
    if (!st)
        st = find_spans(k, &text, spans, &n, &keep, err);
    if (st || !keep)
        return st;
    shown = text.fields[FIELD_BODY];
    if (shown.len == 0 && n == 0)
        shown = text.fields[text.fields[FIELD_TITLE].len ? FIELD_TITLE
                                                         : FIELD_PATH];
    st = snippet_make(shown, spans, n, &k->tmp, &snippet, err);
    if (!st)
        st = is_active(k, &s, entry, &hit.active, err);
    if (st)
        return st;
    hit.kind = text_kind_name((enum text_kind)PLACE_KIND(meta));
    hit.role = text_role_name((enum text_role)PLACE_ROLE(meta));
    hit.address = address_of(k, &s, entry);
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
    return k->each(k->ctx, &hit, err);
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* Any of the words; those that say nothing are left out. */
static quire_status close_tree(struct searching *k, struct query **out,
                               quire_error *err)
{
    const struct query *tree = k->language.tree, *kid;
    struct query *any = query_new(QUERY_OR, k->keep), *leaf;
    size_t n = 0;

    *out = NULL;
    if (!any)
        return err_memory(err);
    for (kid = tree->first; kid; kid = kid->next) {
        if (kid->op != QUERY_WORDS)
            continue;
        leaf = query_words(&kid->text, 1, kid->prefix, k->keep);
        if (!query_add(any, leaf))
            return err_memory(err);
        n++;
    }
    if (n >= CLOSE_WORDS)
        *out = any;
    return QUIRE_OK;
}

/* Prepare the plan of a step. *none: it has nothing to search for. */
static quire_status plan_step(struct searching *k, int step, bool *none,
                              quire_error *err)
{
    struct query *tree = k->language.tree;
    enum relax relax = step < N_RELAX ? (enum relax)step : RELAX_NONE;
    quire_status st = QUIRE_OK;

    text_matcher_free(k->matcher);
    k->matcher = NULL;
    search_plan_release(k->plan);
    k->plan = NULL;
    k->step = step;
    *none = false;
    if (!tree)
        return QUIRE_OK;
    if (step == STEP_CLOSE) {
        st = close_tree(k, &tree, err);
        *none = !st && !tree;
    }
    if (!st && !*none)
        st = search_plan_new(tree, relax, k->keep, &k->plan, err);
    if (!st && !k->plan)
        *none = true;
    if (!st && k->plan)
        st = text_matcher_new(k->plan, &k->matcher, err);
    k->request.plan = k->plan;
    return st;
}

static bool was_given(const struct searching *k, const struct run_key *key)
{
    const struct run_key *list = (const void *)k->seen.data;
    size_t n = k->seen.len / sizeof *list, i;

    for (i = 0; i < n; i++)
        if (list[i].text == key->text && list[i].source == key->source &&
            list[i].offset == key->offset)
            return true;
    return false;
}

static quire_status run_step(struct searching *k, struct run_result *result,
                             quire_error *err)
{
    quire_status st = search_run(&k->request, k->keep, result, err);
    size_t i;

    for (i = 0; i < result->n && !st; i++) {
        const struct run_hit *h = &result->hits[i];

        if (was_given(k, &h->key))
            continue;
        st = emit_hit(k, h, err);
        buf_add(&k->seen, &h->key, sizeof h->key);
    }
    if (!st && k->seen.failed)
        st = err_memory(err);
    return st;
}

static quire_status run_steps(struct searching *k, struct run_result *result,
                              quire_error *err)
{
    int step = k->step;
    bool none = false;
    quire_status st = plan_step(k, step, &none, err);

    if (!st && !none)
        st = run_step(k, result, err);
    k->total = result->total;
    k->total_is_exact = result->total_is_exact;
    while (!st && k->language.plain && !k->request.cursor.set &&
           k->n_given < FEW_HITS && !result->more && ++step < N_STEPS) {
        uint64_t before = k->n_given;

        st = plan_step(k, step, &none, err);
        if (!st && !none)
            st = run_step(k, result, err);
        if (k->n_given > before) {
            k->total = result->total > k->n_given ? result->total : k->n_given;
            k->total_is_exact = result->total_is_exact;
            if (step == STEP_CLOSE)
                k->total = k->n_given;
        }
    }
    return st;
}

/* ---- results -------------------------------------------------------------------------------- */

static quire_status list_ignored(struct searching *k, quire_search_result *out,
                                 quire_error *err)
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

static quire_status add_count(struct searching *k, quire_search_count *list,
                              size_t *n, const char *facet, quire_bytes name,
                              uint64_t count, quire_error *err)
{
    if (count == 0)
        return QUIRE_OK;
    list[*n] = (quire_search_count){facet, arena_text(k->keep, name), count};
    return list[(*n)++].name ? QUIRE_OK : err_memory(err);
}

static quire_status list_counts(struct searching *k, const struct run_facets *f,
                                quire_search_result *out, quire_error *err)
{
    size_t max = N_TEXT_KINDS + N_TEXT_ROLES + f->n_tools + f->n_models, i;
    quire_search_count *list = arena_array(k->keep, max + 1, sizeof *list);
    quire_status st = list ? QUIRE_OK : err_memory(err);

    for (i = 0; i < N_TEXT_KINDS && !st; i++)
        st = add_count(k, list, &out->n_counts, "kind",
                       bytes_str(text_kind_name((enum text_kind)i)),
                       f->kinds[i], err);
    for (i = 1; i < N_TEXT_ROLES && !st; i++)
        st = add_count(k, list, &out->n_counts, "role",
                       bytes_str(text_role_name((enum text_role)i)),
                       f->roles[i], err);
    for (i = 0; i < f->n_tools && !st; i++)
        st = add_count(k, list, &out->n_counts, "tool", f->tools[i].name,
                       f->tools[i].n, err);
    for (i = 0; i < f->n_models && !st; i++)
        st = add_count(k, list, &out->n_counts, "model", f->models[i].name,
                       f->models[i].n, err);
    out->counts = list;
    return st;
}

static quire_status fill_result(struct searching *k, quire_bytes query,
                                const struct run_result *from,
                                quire_search_result *out, quire_error *err)
{
    quire_status st = list_ignored(k, out, err);

    out->total = k->total;
    out->total_is_exact = k->total_is_exact;
    if (!st && k->o.facets)
        st = list_counts(k, &from->facets, out, err);
    if (!st && from->more && from->cursor.set) {
        out->next_cursor = write_cursor(k, query, &from->cursor);
        if (!out->next_cursor)
            st = err_memory(err);
    }
    return st;
}

/* ---- searching ------------------------------------------------------------------------------- */

static quire_status parse_query(struct searching *k, quire_bytes query,
                                quire_error *err)
{
    int64_t now_us = clock_us(&k->x->q->clock);
    struct query *tree;
    quire_status st;

    if (!k->o.regex) {
        st = search_language_parse(query, now_us, k->o.words_only, k->keep,
                                   &k->language, err);
        return st;
    }
    tree = query_new(QUERY_REGEX, k->keep);
    if (!tree)
        return err_memory(err);
    tree->text = arena_dup(k->keep, query);
    tree->sensitive = true;
    k->language = (struct search_language){.tree = tree, .n_terms = 1};
    return tree->text.data ? QUIRE_OK : err_memory(err);
}

static quire_status check_query(const struct searching *k, quire_bytes query,
                                quire_error *err)
{
    const char *at = query.data;
    size_t i;

    for (i = 0; i < query.len; i++)
        if (at[i] != ' ' && at[i] != '\t' && at[i] != '\n' && at[i] != '\r')
            break;
    if (i == query.len)
        return err_fail(err, QUIRE_INVALID, "give a word to search for",
                        "the query is empty");
    if (!k->language.tree && !k->language.filters)
        return err_fail(err, QUIRE_INVALID, "give a word to search for",
                        "the query has nothing to search for");
    return QUIRE_OK;
}

static void set_request(struct searching *k)
{
    struct run_request *r = &k->request;

    r->n_engines = search_engines(k->x, r->engines);
    r->sort = k->o.sort == QUIRE_SEARCH_NEWEST   ? RUN_NEWEST
              : k->o.sort == QUIRE_SEARCH_OLDEST ? RUN_OLDEST
                                                 : RUN_RANK;
    r->flat = k->o.flat != 0;
    r->versions = k->o.versions != 0;
    r->facets = k->o.facets != 0;
    r->limit = k->o.limit == 0          ? LIMIT_DEFAULT
               : k->o.limit > LIMIT_MAX ? LIMIT_MAX
                                        : (size_t)k->o.limit;
    r->now_us = clock_us(&k->x->q->clock);
    r->read = read_candidate;
    r->ctx = k;
}

static void release_search(struct searching *k)
{
    text_matcher_free(k->matcher);
    search_plan_release(k->plan);
    buf_release(&k->seen);
    map_release(&k->path);
    arena_release(&k->path_memory);
    arena_release(&k->tmp);
}

/* Bring the index up to date. Another process that does so is not waited for: what is
 * missing goes to the engine in memory. */
static quire_status update_first(struct searching *k, quire_error *err)
{
    struct search_progress p = {.each = k->o.progress,
                                .ctx = k->o.progress_ctx};

    if (k->o.no_update)
        return k->x->home ? engine_reload(k->x->home, NULL, err) : QUIRE_OK;
    return search_update(k->x, false, &p, err);
}

/* One attempt. *given: hits were passed on. */
static quire_status try_search(struct quire *q, quire_bytes query,
                               const quire_search_options *o,
                               quire_search_hit_fn each, void *ctx,
                               quire_search_result *result, bool *given,
                               quire_error *err)
{
    struct searching k = {.o = *o,
                          .each = each,
                          .ctx = ctx,
                          .keep = &q->search_loan,
                          .seen = BUF_INIT(SIZE_MAX)};
    struct run_result ran = {.n = 0};
    quire_status st = need_search(q, &k.x, err);

    if (st)
        return st;
    arena_release(&q->search_loan);
    map_init(&k.path, 1, 2);
    st = parse_query(&k, query, err);
    if (!st)
        st = check_query(&k, query, err);
    if (!st)
        st = update_first(&k, err);
    if (!st) {
        set_request(&k);
        st = apply_filters(&k, err);
    }
    if (!st && o->cursor)
        st = read_cursor(&k, query, err);
    if (!st)
        st = run_steps(&k, &ran, err);
    if (!st)
        st = fill_result(&k, query, &ran, result, err);
    *given = k.n_given > 0;
    release_search(&k);
    return st;
}

quire_status quire_search(quire *q, quire_bytes query,
                          const quire_search_options *options,
                          quire_search_hit_fn each, void *ctx,
                          quire_search_result *result, quire_error *err)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_search_result own;
    bool given = false;
    quire_status st;

    if (!result)
        result = &own;
    memset(result, 0, sizeof *result);
    OPTIONS_READ(o, options);
    st = try_search(q, query, &o, each, ctx, result, &given, err);
    /* A damaged index is built anew, once. */
    if (st == QUIRE_DAMAGED && !given && q->search &&
        !search_index_remove(q->search, NULL)) {
        q->search = NULL;
        memset(result, 0, sizeof *result);
        st = try_search(q, query, &o, each, ctx, result, &given, err);
    }
    return st;
}

/* ---- the index ---------------------------------------------------------------------------------- */

/* What one call of quire_search_update() reads, but for the last file: a second or
 * two, so that its caller can stop. */
#define UPDATE_BYTES ((uint64_t)32 << 20)

quire_status quire_search_update(quire *q, int *more, quire_error *err)
{
    struct search_progress p = {.max = UPDATE_BYTES};
    struct search_index *x;
    bool again = false;
    quire_status st = need_search(q, &x, err);

    if (!st)
        st = search_update(x, true, &p, err);
    if (!st && !p.more && x->home)
        st = engine_merge(x->home, false, &again, err);
    if (more)
        *more = p.more || again;
    return st;
}

quire_status quire_search_rebuild(quire *q, quire_error *err)
{
    struct search_index *x;
    quire_status st = need_search(q, &x, err);

    if (st)
        return st;
    search_drop_pending(x);
    if (x->home)
        st = engine_clear(x->home, err);
    return st ? st : search_update(x, true, NULL, err);
}

quire_status quire_search_describe(quire *q, quire_search_stats *out,
                                   quire_error *err)
{
    struct search_index *x;
    struct engine_info info = {.bytes = 0};
    quire_status st = need_search(q, &x, err);

    *out = (quire_search_stats){.bytes = 0};
    if (!st && x->home)
        st = engine_info(x->home, &info, err);
    out->bytes = info.bytes;
    out->n_texts = info.n_texts;
    out->n_places = info.n_places;
    out->n_sources = info.n_sources;
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

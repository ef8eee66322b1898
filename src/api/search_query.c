/* search_query.c - see search_query.h */
#include "api/search_query.h"

#include <stdlib.h>
#include <string.h>

#include "api/session_keeps.h"
#include "base/bytes.h"
#include "base/err.h"
#include "search/query_text.h"
#include "search/snippet.h"

enum {
    LIMIT_DEFAULT = 20,
    LIMIT_MAX = 1000,
    FEW_HITS = 3,
    CLOSE_WORDS =
        3, /* queries with fewer words are not relaxed to most of them */
    PARTS_MAX = 256 /* words of a text that are searched for as parts */
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

static quire_status add_kind(struct search_query *k, quire_bytes name,
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

static quire_status add_role(struct search_query *k, quire_bytes name,
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

static void add_name(struct run_names *list, quire_bytes name, bool negated)
{
    if (negated && list->n_not < RUN_NAMES_MAX)
        list->not [list->n_not++] = name;
    else if (!negated && list->n < RUN_NAMES_MAX)
        list->any[list->n++] = name;
}

/* Conditions on sources. */
struct conditions {
    struct source_condition list[SOURCE_CONDITIONS_MAX];
    size_t n;
    int archived, pinned; /* -1: either */
};

/* Alternatives are of one group. */
enum { GROUP_QUERY, GROUP_OPTIONS, GROUP_KEY };

static void add_condition(struct conditions *c, struct source_condition one)
{
    if (c->n < SOURCE_CONDITIONS_MAX)
        c->list[c->n++] = one;
}

/* The id of the session that is meant. Queries come from clients that must not learn
 * which files there are. */
static quire_status find_session(struct search_query *k, quire_bytes name,
                                 const char **id, quire_error *err)
{
    const char *which = arena_text(k->keep, name);

    if (!which)
        return err_memory(err);
    if (session_looks_like_path(which))
        return err_fail(err, QUIRE_NOT_FOUND, "name it by its id",
                        "no session %.100s", which);
    return session_key(k->q, which, k->keep, id, err);
}

/* A filter of sources. */
static quire_status add_source_filter(struct search_query *k,
                                      const struct search_filter *one,
                                      enum source_by by, struct conditions *c,
                                      quire_error *err)
{
    const char *value = arena_text(k->keep, one->value);
    quire_status st = value ? QUIRE_OK : err_memory(err);

    if (!st && by == SOURCE_BY_SESSION)
        st = find_session(k, one->value, &value, err);
    if (!st)
        add_condition(c, (struct source_condition){by, GROUP_QUERY, value,
                                                   one->negated});
    return st;
}

/* is: and has: of a query. */
static void add_flag(struct search_query *k, const struct search_filter *one,
                     struct conditions *c)
{
    static const struct {
        const char *name;
        unsigned flag;
    } flags[] = {{"error", PLACE_ERROR},
                 {"image", PLACE_IMAGE},
                 {"code", PLACE_CODE},
                 {"link", PLACE_LINK}};
    unsigned *set = one->negated ? &k->request.not_flags : &k->request.flags;
    size_t i;

    for (i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (bytes_is(one->value, flags[i].name)) {
            *set |= flags[i].flag;
            return;
        }
    }
    if (bytes_is(one->value, "archived"))
        c->archived = !one->negated;
    else if (bytes_is(one->value, "pinned"))
        c->pinned = !one->negated;
    else
        k->active = one->negated ? -1 : 1;
}

/* One filter of the query. Filters of sources are collected in `c`. */
static quire_status apply_filter(struct search_query *k,
                                 const struct search_filter *one,
                                 struct conditions *c, quire_error *err)
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
    case FILTER_TOOL:
        add_name(&r->tools, one->value, one->negated);
        return QUIRE_OK;
    case FILTER_MODEL:
        add_name(&r->models, one->value, one->negated);
        return QUIRE_OK;
    case FILTER_PROJECT:
        return add_source_filter(k, one, SOURCE_BY_PROJECT, c, err);
    case FILTER_AGENT:
        return add_source_filter(k, one, SOURCE_BY_AGENT, c, err);
    case FILTER_SESSION:
        return add_source_filter(k, one, SOURCE_BY_SESSION, c, err);
    case FILTER_PATH: return add_source_filter(k, one, SOURCE_BY_PATH, c, err);
    case FILTER_TAG: return add_source_filter(k, one, SOURCE_BY_TAG, c, err);
    case FILTER_IS:
    case FILTER_HAS: add_flag(k, one, c); return QUIRE_OK;
    }
    return QUIRE_OK;
}

static quire_status apply_lists(struct search_query *k, quire_error *err)
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
        add_name(&r->tools, bytes_str(o->tools[i]), false);
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

/* The options that name sources. */
static quire_status add_options(struct search_query *k, struct conditions *c,
                                quire_error *err)
{
    const quire_search_options *o = &k->o;
    struct source_condition session = {SOURCE_BY_SESSION, GROUP_OPTIONS, NULL,
                                       false},
                            project = {SOURCE_BY_PROJECT, GROUP_OPTIONS,
                                       o->project, false},
                            agent = {SOURCE_BY_AGENT, GROUP_OPTIONS, o->agent,
                                     false},
                            key = {SOURCE_BY_SESSION, GROUP_KEY, k->key, false};
    quire_status st = QUIRE_OK;

    if (o->session)
        st = session_key(k->q, o->session, k->keep, &session.value, err);
    if (session.value)
        add_condition(c, session);
    if (project.value)
        add_condition(c, project);
    if (agent.value)
        add_condition(c, agent);
    if (key.value)
        add_condition(c, key);
    return st;
}

/* Hits of a session have a number in common, so those of one session need no look at
 * the sources. Another session can have it by chance: the caller compares. */
static void narrow_to_session(struct search_query *k, struct conditions *c)
{
    struct run_request *r = &k->request;
    size_t i, m, left = 0;

    for (i = 0; i < c->n; i++) {
        const struct source_condition *one = &c->list[i];
        bool alone = one->by == SOURCE_BY_SESSION && !one->negated;

        for (m = 0; m < c->n; m++)
            alone &= m == i || c->list[m].by != one->by ||
                     c->list[m].group != one->group;
        if (!alone || r->one_group) {
            c->list[left++] = *one;
            continue;
        }
        r->one_group = true;
        r->group = search_group(one->value);
        k->only_session = one->value;
    }
    c->n = left;
}

static quire_status select_sources(struct search_query *k,
                                   const struct conditions *c, quire_error *err)
{
    struct run_request *r = &k->request;
    /* Hits that are not on the current branch are of sessions with several. */
    struct source_filter f = {.list = c->list,
                              .n = c->n,
                              .archived = c->archived,
                              .branched = k->active < 0,
                              .unpinned = c->pinned == 0};
    struct session_keeps keeps = {.arena = ARENA_INIT};
    quire_status st = QUIRE_OK;
    size_t i;

    if (c->n == 0 && c->archived < 0 && !f.branched && c->pinned < 0)
        return QUIRE_OK;
    if (c->pinned >= 0)
        st = session_keeps_load(k->q, &keeps, err);
    f.pinned = c->pinned >= 0 ? &keeps.pinned : NULL;
    for (i = 0; i < r->n_engines && !st; i++) {
        if (!r->engines[i])
            continue;
        st = engine_select(r->engines[i], &f, k->keep, &k->sets[i], err);
        r->sources[i] = &k->sets[i];
    }
    session_keeps_release(&keeps);
    return st;
}

/* With `is:active`, the sessions whose hits have to be looked at. */
static quire_status select_branched(struct search_query *k, quire_error *err)
{
    struct run_request *r = &k->request;
    struct source_filter f = {.archived = -1, .branched = true};
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; k->active && i < r->n_engines && !st; i++) {
        if (!r->engines[i])
            continue;
        st = engine_select(r->engines[i], &f, k->keep, &k->branched[i], err);
        r->branched[i] = &k->branched[i];
    }
    return st;
}

static quire_status apply_filters(struct search_query *k, quire_error *err)
{
    struct run_request *r = &k->request;
    struct conditions c = {.archived = -1, .pinned = -1};
    const struct search_filter *one;
    quire_status st = apply_lists(k, err);
    unsigned kinds = r->kinds, roles = r->roles;

    r->kinds = r->roles = 0;
    if (!st)
        st = add_options(k, &c, err);
    for (one = k->language.filters; one && !st; one = one->next)
        st = apply_filter(k, one, &c, err);
    r->kinds = intersect(intersect(kinds, r->kinds), k->only_kinds);
    r->roles = intersect(roles, r->roles);
    narrow_to_session(k, &c);
    if (!st)
        st = select_sources(k, &c, err);
    return st ? st : select_branched(k, err);
}

/* ---- texts ----------------------------------------------------------------------------- */

quire_status search_query_text(struct search_query *k, const struct run_hit *h,
                               struct source *source, struct segment_text *out,
                               quire_bytes *entry, quire_error *err)
{
    return search_read_text(search_index_of(k->q, h->engine),
                            k->request.engines[h->engine], &h->place, source,
                            out, entry, &k->tmp, err);
}

static quire_status read_candidate(void *ctx, size_t engine,
                                   const struct place *place,
                                   struct segment_text *out, quire_error *err)
{
    struct search_query *k = ctx;
    struct source source;

    arena_reset(&k->tmp);
    return search_read_text(search_index_of(k->q, engine),
                            k->request.engines[engine], place, &source, out,
                            NULL, &k->tmp, err);
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
quire_status search_query_spans(struct search_query *k,
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
                          SEARCH_SPANS_MAX, n, err);
    /* A place whose text has changed since. */
    *keep = yes;
    if (!st && yes && k->step == STEP_CLOSE)
        *keep = share_of_leaves(k->plan, spans, *n) >= 50;
    return st;
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* Any of the words; those that say nothing are left out. */
static quire_status close_tree(struct search_query *k, struct query **out,
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
static quire_status plan_step(struct search_query *k, int step, bool *none,
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

/* Drop the hits of earlier steps, and remember the others. */
static quire_status drop_known(struct search_query *k, struct run_hit *hits,
                               size_t *n, quire_error *err)
{
    size_t left = 0, i;

    for (i = 0; i < *n; i++) {
        struct place_name {
            uint64_t text, offset;
            uint32_t source, part;
        } *name = arena_array(k->keep, 1, sizeof *name);
        bool fresh = false;

        if (!name)
            return err_memory(err);
        name->text = hits[i].key.text;
        name->offset = hits[i].key.offset;
        name->source = hits[i].key.source;
        name->part = hits[i].key.part;
        if (!map_put(&k->seen, bytes_of(name, sizeof *name), 1, &fresh))
            return err_memory(err);
        if (fresh)
            hits[left++] = hits[i];
    }
    *n = left;
    return QUIRE_OK;
}

static quire_status run_step(struct search_query *k, quire_error *err)
{
    struct run_result *result = &k->result;
    quire_status st = search_run(&k->request, k->keep, result, err);
    size_t n = result->n;

    k->has_branched |= result->has_branched;
    if (!st)
        st = drop_known(k, result->hits, &n, err);
    if (k->request.flat && n > k->request.limit - k->n_given)
        n = k->request.limit - (size_t)k->n_given;
    return st || n == 0 ? st : k->emit(k, result->hits, n, err);
}

/* Whether another step is to follow. */
static bool is_little(const struct search_query *k)
{
    bool forms = k->all_forms && k->step < RELAX_PREFIX;

    if (k->parts_last && k->step == RELAX_PREFIX && k->n_given > 0)
        return false;
    return k->language.plain && !k->request.cursor.set &&
           k->step < k->last_step && !k->result.more &&
           k->n_given < (forms ? k->request.limit : FEW_HITS);
}

static void count_step(struct search_query *k, uint64_t before)
{
    if (k->n_given == before)
        return;
    k->total = k->result.total > k->n_given ? k->result.total : k->n_given;
    k->total_is_exact = k->result.total_is_exact;
    if (k->step == STEP_CLOSE)
        k->total = k->n_given;
}

quire_status search_query_run(struct search_query *k, quire_error *err)
{
    bool none = false;
    quire_status st = plan_step(k, k->step, &none, err);

    if (!st && !none)
        st = run_step(k, err);
    k->total = k->result.total;
    k->total_is_exact = none || k->result.total_is_exact;
    while (!st && is_little(k)) {
        uint64_t before = k->n_given;

        st = plan_step(k, k->step + 1, &none, err);
        if (!st && !none)
            st = run_step(k, err);
        count_step(k, before);
    }
    return st;
}

/* ---- preparing --------------------------------------------------------------------------- */

static quire_status parse_query(struct search_query *k, quire_error *err)
{
    int64_t now_us = clock_us(&k->q->clock);
    struct query *tree;
    quire_status st;

    if (!k->o.regex) {
        st = search_language_parse(k->text, now_us, k->o.words_only, k->keep,
                                   &k->language, err);
        return st;
    }
    tree = query_new(QUERY_REGEX, k->keep);
    if (!tree)
        return err_memory(err);
    tree->text = arena_dup(k->keep, k->text);
    tree->sensitive = true;
    k->language = (struct search_language){.tree = tree, .n_terms = 1};
    return tree->text.data ? QUIRE_OK : err_memory(err);
}

/* A text of which only the words, phrases and operators AND, OR, NOT and parentheses
 * count: in commands a dash, a slash or a colon excludes, filters and matches nothing. */
static quire_status escape_signs(struct search_query *k, quire_error *err)
{
    const char *at = k->text.data;
    struct buf out = BUF_INIT(SIZE_MAX);
    bool begins = true;
    size_t i;

    for (i = 0; i < k->text.len; i++) {
        if (at[i] == ':' || at[i] == '\\' || at[i] == '*' ||
            (begins && (at[i] == '-' || at[i] == '/')))
            buf_add_char(&out, '\\');
        buf_add_char(&out, at[i]);
        begins = at[i] && strchr(" \t\r\n(\"", at[i]);
    }
    k->text = arena_dup(k->keep, buf_bytes(&out));
    if (out.failed || !k->text.data)
        return (buf_release(&out), err_memory(err));
    buf_release(&out);
    return QUIRE_OK;
}

static quire_status check_query(const struct search_query *k, quire_error *err)
{
    const char *at = k->text.data;
    size_t i;

    for (i = 0; i < k->text.len; i++)
        if (at[i] != ' ' && at[i] != '\t' && at[i] != '\n' && at[i] != '\r')
            break;
    if (i == k->text.len)
        return err_fail(err, QUIRE_INVALID, "give a word to search for",
                        "the query is empty");
    if (!k->language.tree && !k->language.filters)
        return err_fail(err, QUIRE_INVALID, "give a word to search for",
                        "the query has nothing to search for");
    return QUIRE_OK;
}

quire_status search_query_check(struct quire *q, quire_bytes text,
                                quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct search_query k = {.q = q, .text = text, .keep = &tmp};
    quire_status st = parse_query(&k, err);

    if (!st)
        st = check_query(&k, err);
    arena_release(&tmp);
    return st;
}

/* The tree for a text of which each word, a run of letters and digits, may be anywhere.
 * NULL without words: then *st is QUIRE_OK. */
static struct query *parts_tree(quire_bytes text, struct arena *keep,
                                quire_status *st, quire_error *err)
{
    struct query *all = query_new(QUERY_AND, keep), *leaf;
    size_t at = 0, from = 0, n = 0, len;
    uint32_t cp = ' ';
    bool whole = all != NULL;

    for (; at <= text.len && whole && n < PARTS_MAX; at += len) {
        len = at < text.len ? query_next_char(text, at, &cp) : 1;
        if (at < text.len && query_has_letter(bytes_sub(text, at, at + len)))
            continue;
        if (at > from) {
            leaf = query_new(QUERY_SUBSTRING, keep);
            if (leaf)
                leaf->text = bytes_sub(text, from, at);
            whole = query_add(all, leaf);
            n++;
        }
        from = at + len;
    }
    *st = whole ? QUIRE_OK : err_memory(err);
    return whole ? query_unwrap(all) : NULL;
}

static void set_request(struct search_query *k)
{
    struct run_request *r = &k->request;

    r->n_engines = RUN_ENGINES_MAX;
    r->sort = k->o.sort == QUIRE_SEARCH_NEWEST   ? RUN_NEWEST
              : k->o.sort == QUIRE_SEARCH_OLDEST ? RUN_OLDEST
                                                 : RUN_RANK;
    r->flat = k->o.flat != 0;
    r->versions = k->o.versions != 0;
    r->facets = k->o.facets != 0;
    r->limit = k->o.limit == 0            ? LIMIT_DEFAULT
               : k->o.limit == UINT64_MAX ? SIZE_MAX / 2
               : k->o.limit > LIMIT_MAX   ? LIMIT_MAX
                                          : (size_t)k->o.limit;
    r->now_us = clock_us(&k->q->clock);
    r->read = read_candidate;
    r->ctx = k;
}

/* Bring the indexes up to date. Another process that does so is not waited for: what is
 * missing goes to the engine in memory. */
static quire_status update_first(struct search_query *k, quire_error *err)
{
    struct search_progress p = {.each = k->o.progress,
                                .ctx = k->o.progress_ctx};
    struct search_index *x;
    quire_status st = QUIRE_OK;
    int part;

    for (part = 0; part < N_SEARCH_PARTS && !st; part++) {
        if (!(k->parts & 1u << part))
            continue;
        st = need_search(k->q, (enum search_part)part, &x, err);
        if (!st && !k->o.no_update)
            st = search_update(x, false, &p, err);
        else if (!st && x->home)
            st = engine_reload(x->home, NULL, err);
        if (!st)
            search_engines(x, k->request.engines);
    }
    return st;
}

quire_status search_query_prepare(struct search_query *k, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (k->substrings && !k->o.regex)
        st = escape_signs(k, err);
    if (!st)
        st = parse_query(k, err);
    map_init(&k->seen, (uint64_t)(uintptr_t)k, (uint64_t)(uintptr_t)k->keep);
    if (!st && k->substrings && k->language.plain)
        k->language.tree = parts_tree(k->text, k->keep, &st, err);
    if (!st)
        st = check_query(k, err);
    if (!st)
        st = update_first(k, err);
    if (!st) {
        set_request(k);
        st = apply_filters(k, err);
    }
    if (!st && k->o.cursor)
        st = search_cursor_read(k, err);
    return st;
}

void search_query_release(struct search_query *k)
{
    text_matcher_free(k->matcher);
    search_plan_release(k->plan);
    map_release(&k->seen);
    arena_release(&k->tmp);
}

/* Derived, so that it can be removed at any time; one that is only read is passed over.
 * False: it cannot. */
static bool remove_indexes(struct quire *q)
{
    bool removed = true;
    int part;

    for (part = 0; part < N_SEARCH_PARTS; part++) {
        struct search_index *x = q->search[part];

        if (x && x->fixed)
            search_pass_over_home(x);
        else if (x)
            removed &= !search_index_remove(x, NULL);
    }
    return removed;
}

quire_status search_query_retry(struct quire *q,
                                quire_status (*run)(void *ctx, bool *given,
                                                    quire_error *err),
                                void *ctx, quire_error *err)
{
    bool given = false;
    quire_status st = run(ctx, &given, err);

    if (st == QUIRE_DAMAGED && !given && !search_rows_are_damaged(q) &&
        remove_indexes(q))
        st = run(ctx, &given, err);
    return st;
}

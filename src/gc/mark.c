/*
 * mark.c - find all references to blobs
 *
 * A source that is unchanged since the reference index read it is trusted. A
 * changed one is scanned again, and the difference updates the counts: in the
 * same transaction, a few sources at a time. If there are so many that most of
 * the counts would be rewritten again and again, the counts are marked as
 * wrong, all sources are recorded, and the counts are rebuilt from them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "gc/priv.h"

/* The label of the catalogue rows among the sources. */
#define ROWS_LABEL "quire.db"

/* Keys that one transaction changes, each in its own page: some milliseconds in
 * which no other process can write. */
enum { KEYS_AT_ONCE = 1000, SOURCES_AT_ONCE = 256 };

/* From here on rebuilding all counts is cheaper, or, for a single source, keeps
 * other writers from waiting for long. */
enum { KEYS_ANEW = 20000, KEYS_OF_ONE = 2000 };

/* ---- recorded sources --------------------------------------------------- */

static quire_status index_known(struct gc *g, quire_error *err)
{
    uint64_t seed[2];
    size_t i;
    quire_status st = rand_bytes(&rand_system, seed, sizeof seed, err);

    if (st)
        return st;
    map_init(&g->by_label, seed[0], seed[1]);
    g->met = calloc(g->n_known + 1, sizeof *g->met);
    if (!g->met)
        return err_memory(err);
    for (i = 0; i < g->n_known; i++)
        if (!map_put(&g->by_label, bytes_str(g->known[i].label), i, NULL))
            return err_memory(err);
    return QUIRE_OK;
}

quire_status gc_load(struct gc *g, quire_error *err)
{
    quire_status st = QUIRE_OK;

    gc_unload(g);
    if (g->l && !g->blind)
        st = ref_index_sources(g->l, &g->labels, &g->known, &g->n_known, err);
    return st ? st : index_known(g, err);
}

static void clear_tasks(struct gc *g)
{
    size_t i;

    for (i = 0; i < g->n_tasks; i++) {
        digest_set_release(&g->tasks[i].was);
        digest_set_release(&g->tasks[i].keys);
    }
    free(g->tasks);
    g->tasks = NULL;
    g->n_tasks = g->tasks_cap = 0;
}

void gc_unload(struct gc *g)
{
    clear_tasks(g);
    free(g->known);
    free(g->met);
    map_release(&g->by_label);
    arena_release(&g->labels);
    g->known = NULL;
    g->met = NULL;
    g->n_known = 0;
}

/* ---- changed sources ---------------------------------------------------- */

/* Load its recorded keys. If they are damaged a full run does without. */
static quire_status load_keys(struct gc *g, struct gc_task *t, quire_error *err)
{
    quire_error why;
    quire_status st = ref_index_keys(g->l, t->source.id, &t->was, &why);

    if (st == QUIRE_DAMAGED && g->config->full) {
        t->was.n = 0;
        return QUIRE_OK;
    }
    if (st == QUIRE_DAMAGED)
        err_next(&why,
                 HINT_SHELL "quire gc --full reads all files and rebuilds it");
    if (st && err)
        *err = why;
    return st;
}

static quire_status add_task(struct gc *g, const char *label,
                             const struct ref_index_source *known,
                             struct gc_task **out, quire_error *err)
{
    struct gc_task *t;

    if (g->n_tasks == g->tasks_cap) {
        g->tasks_cap = g->tasks_cap ? g->tasks_cap * 2 : 64;
        t = realloc(g->tasks, g->tasks_cap * sizeof *t);
        if (!t)
            return err_memory(err);
        g->tasks = t;
    }
    t = *out = &g->tasks[g->n_tasks++];
    *t = (struct gc_task){.known = known != NULL};
    if (known)
        t->source = *known;
    else
        t->source.label = arena_text(&g->labels, bytes_str(label));
    if (!t->source.label)
        return err_memory(err);
    return known ? load_keys(g, t, err) : QUIRE_OK;
}

static struct ref_index_source *find_known(struct gc *g, const char *label)
{
    uint64_t *at = map_get(&g->by_label, bytes_str(label));

    if (!at)
        return NULL;
    g->met[*at] = true;
    return &g->known[*at];
}

static bool is_same(const struct ref_index_source *s,
                    const struct object_info *info)
{
    return s->inode == info->inode && s->size == info->size &&
           s->modified_ns == info->modified_ns &&
           s->changed_ns == info->changed_ns;
}

static quire_status visit_source(void *ctx, const char *label,
                                 const struct object_info *info,
                                 quire_error *err)
{
    struct gc *g = ctx;
    uint64_t *at = map_get(&g->by_label, bytes_str(label));
    struct ref_index_source *known;
    struct gc_task *t;
    quire_status st;

    if (at && (*at == g->n_known || g->met[*at]))
        return QUIRE_OK; /* one root is below another */
    known = find_known(g, label);
    g->report->sources++;
    if (known && !g->anew && is_same(known, info) &&
        (known->whole || !g->strict))
        return QUIRE_OK;
    st = add_task(g, label, known, &t, err);
    if (st)
        return st;
    t->grown = known && !g->anew && !g->strict;
    return known || map_put(&g->by_label, bytes_str(t->source.label),
                            g->n_known, NULL)
               ? QUIRE_OK
               : err_memory(err);
}

/* The rows, as one source: they are read each time. */
static quire_status visit_rows(struct gc *g, quire_error *err)
{
    const struct gc_callbacks *callbacks = &g->config->callbacks;
    struct gc_task *t;
    quire_status st;

    st = add_task(g, ROWS_LABEL, find_known(g, ROWS_LABEL), &t, err);
    if (st)
        return st;
    t->rows = true;
    st = callbacks->rows(callbacks->ctx, &t->keys, err);
    digest_set_sort(&t->keys);
    if (!st && (t->known || !t->keys.n) &&
        digest_set_equal(&t->keys, &t->was)) {
        digest_set_release(&t->keys);
        digest_set_release(&t->was);
        g->n_tasks--;
    }
    return st;
}

static quire_status visit_missing(struct gc *g, quire_error *err)
{
    quire_status st = QUIRE_OK;
    struct gc_task *t;
    size_t i;

    for (i = 0; !st && i < g->n_known; i++) {
        if (g->met[i])
            continue;
        st = add_task(g, g->known[i].label, &g->known[i], &t, err);
        if (!st)
            t->gone = true;
    }
    return st;
}

/* ---- updating the counts ------------------------------------------------ */

/* The keys of `a` that are not in `b`. */
static quire_status subtract(const struct digest_set *a,
                             const struct digest_set *b, struct digest_set *out,
                             quire_error *err)
{
    size_t i, j = 0;

    for (i = 0; i < a->n; i++) {
        while (j < b->n && b->at[j] < a->at[i])
            j++;
        if ((j == b->n || b->at[j] != a->at[i]) &&
            !digest_set_add(out, a->at[i]))
            return err_memory(err);
    }
    return QUIRE_OK;
}

struct change {
    struct digest_set gone, come;
};

static void change_release(struct change *c)
{
    digest_set_release(&c->gone);
    digest_set_release(&c->come);
}

static quire_status add_change(const struct gc_task *t, struct change *c,
                               quire_error *err)
{
    static const struct digest_set none = KEYS_INIT;
    const struct digest_set *now = t->gone ? &none : &t->keys;
    quire_status st = subtract(&t->was, now, &c->gone, err);

    return st ? st : subtract(now, &t->was, &c->come, err);
}

static quire_status record_task(struct gc *g, struct gc_task *t,
                                quire_error *err)
{
    if (!t->gone)
        return ref_index_put_source(g->l, &t->source, &t->keys, err);
    return t->known ? ref_index_remove_source(g->l, t->source.id, err)
                    : QUIRE_OK;
}

quire_status gc_end(struct gc *g, quire_status st, quire_error *err)
{
    return sql_end(ref_index_db(g->l), st, err);
}

/* Record some tasks and apply their changes, in one transaction. */
static quire_status apply_some(struct gc *g, size_t *at, quire_error *err)
{
    struct db *db = ref_index_db(g->l);
    struct change c = {KEYS_INIT, KEYS_INIT};
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    size_t from = *at;

    if (st)
        return st;
    while (!st && *at < g->n_tasks && *at - from < SOURCES_AT_ONCE &&
           c.gone.n + c.come.n < KEYS_AT_ONCE) {
        st = add_change(&g->tasks[*at], &c, err);
        if (!st)
            st = record_task(g, &g->tasks[(*at)++], err);
    }
    digest_set_order(&c.gone);
    digest_set_order(&c.come);
    if (!st)
        st = ref_counts_update(g->l, &c.gone, &c.come, err);
    if (!st)
        st = ref_index_add_dereferenced(g->l, &c.gone, g->now_s, err);
    change_release(&c);
    return gc_end(g, st, err);
}

static quire_status set_dirty(struct gc *g, quire_error *err)
{
    struct db *db = ref_index_db(g->l);
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);

    return st ? st
              : gc_end(g, ref_index_set_number(g->l, REF_INDEX_DIRTY, 1, err),
                       err);
}

/* Record a task, and the keys it dropped; their number is added to *n. The
 * counts are rebuilt later. */
static quire_status record_change(struct gc *g, struct gc_task *t, size_t *n,
                                  quire_error *err)
{
    struct change c = {KEYS_INIT, KEYS_INIT};
    quire_status st = add_change(t, &c, err);

    if (!st)
        st = ref_index_add_dereferenced(g->l, &c.gone, g->now_s, err);
    *n += c.gone.n;
    change_release(&c);
    return st ? st : record_task(g, t, err);
}

static quire_status apply_all(struct gc *g, quire_error *err)
{
    struct db *db = ref_index_db(g->l);
    quire_status st = set_dirty(g, err);
    size_t at = 0, to, n;

    while (!st && at < g->n_tasks) {
        st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
        if (st)
            return st;
        to = at + SOURCES_AT_ONCE < g->n_tasks ? at + SOURCES_AT_ONCE
                                               : g->n_tasks;
        for (n = 0; !st && at < to && n < KEYS_AT_ONCE; at++)
            st = record_change(g, &g->tasks[at], &n, err);
        st = gc_end(g, st, err);
    }
    g->all = true;
    return st ? st : ref_counts_rebuild(g->l, err);
}

/* Of the dropped keys, those without another reference. */
static quire_status find_dereferenced(struct gc *g, struct digest_set *gone,
                                      quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;
    bool held;

    digest_set_sort(gone);
    for (i = 0; !st && i < gone->n; i++) {
        st = gc_is_referenced(g, gone->at[i], &held, err);
        if (!st && !held)
            st = gc_dereferenced_add(&g->loose,
                                     &(struct dereferenced_key){gone->at[i],
                                                                g->now_s},
                                     err);
    }
    gc_dereferenced_sort(&g->loose);
    return st;
}

/* The first pass of a full run trusts no count. */
static bool is_anew(struct gc *g)
{
    return g->config->full && !g->all;
}

static quire_status apply_changes(struct gc *g, quire_error *err)
{
    struct change c = {KEYS_INIT, KEYS_INIT};
    quire_status st = QUIRE_OK;
    size_t i, at = 0, most = 0;

    for (i = 0; !st && i < g->n_tasks; i++) {
        size_t before = c.gone.n + c.come.n;

        st = add_change(&g->tasks[i], &c, err);
        if (c.gone.n + c.come.n - before > most)
            most = c.gone.n + c.come.n - before;
    }
    if (!st && g->config->dry_run) {
        if (!digest_set_add_all(&g->come, &c.come) ||
            !digest_set_add_all(&g->gone, &c.gone))
            st = err_memory(err);
        digest_set_order(&g->come);
        digest_set_order(&g->gone);
    } else if (!st && (is_anew(g) || c.gone.n + c.come.n > KEYS_ANEW ||
                       most > KEYS_OF_ONE)) {
        st = apply_all(g, err);
    } else {
        while (!st && at < g->n_tasks)
            st = apply_some(g, &at, err);
    }
    if (!st)
        st = find_dereferenced(g, &c.gone, err);
    change_release(&c);
    return st;
}

quire_status gc_mark(struct gc *g, quire_error *err)
{
    const struct gc_callbacks *callbacks = &g->config->callbacks;
    quire_status st;

    g->report->sources = 0;
    st = callbacks->sources(callbacks->ctx, visit_source, g, err);
    if (!st)
        st = visit_rows(g, err);
    if (!st)
        st = visit_missing(g, err);
    if (!st)
        st = gc_scan(g, err);
    g->report->rescanned += g->n_tasks;
    g->anew = false;
    return st ? st : apply_changes(g, err);
}

/* ---- queries ------------------------------------------------------------ */

static int64_t count_of(const struct digest_set *k, uint64_t key)
{
    size_t from = 0, to = k->n, first;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (k->at[middle] < key)
            from = middle + 1;
        else
            to = middle;
    }
    for (first = from; from < k->n && k->at[from] == key;)
        from++;
    return (int64_t)(from - first);
}

quire_status gc_is_referenced(struct gc *g, uint64_t key, bool *held,
                              quire_error *err)
{
    uint32_t n = 0;
    quire_status st = QUIRE_OK;

    if (g->l && !g->blind)
        st = ref_counts_get(g->l, key, &n, err);
    *held = n + count_of(&g->come, key) - count_of(&g->gone, key) > 0;
    return st;
}

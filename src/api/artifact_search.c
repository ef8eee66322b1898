/*
 * artifact_search.c - quire_artifact_search(): artifacts by their words
 *
 * The query runs over the index of rows (search_query.h), restricted to artifacts and
 * to a session. Hits come as ids; their rows and content are read in lots, each by one
 * statement, and compared once more with the query: an artifact may have changed since
 * it was indexed. Filters that the index does not have are applied to the rows; then
 * all hits are asked for, and the limit is applied to what remains.
 */
#include "api/artifact_search.h"

#include <stdlib.h>
#include <string.h>

#include "api/search_query.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "search/lot.h"
#include "search/snippet.h"

struct finding {
    struct quire *q;
    const struct artifact_query *a;
    quire_hit_fn each;
    void *ctx;
    uint64_t n_given;
    struct arena all; /* the search */
    /* The lot that is being read. */
    const struct run_hit *hits;
    size_t n;
    struct arena keep;
    quire_hit found[LOT_MAX];
    bool has[LOT_MAX];
};

/* ---- rows --------------------------------------------------------------------- */

/* Whether a tag is in the JSON array of tags. The same code formatted both. */
static bool has_tag(const quire_artifact *one, const char *tag)
{
    struct buf quoted = BUF_INIT(4096);
    struct json_scan it;
    bool has = false;

    json_iter_init(&it, bytes_str(one->tags));
    json_add_quoted(&quoted, bytes_str(tag));
    while (!quoted.failed && !has && json_next(&it))
        has = bytes_equal(it.value, buf_bytes(&quoted));
    buf_release(&quoted);
    return has;
}

static bool is_wanted(const struct artifact_query *a, const quire_artifact *one)
{
    return one->deleted_us == 0 && (!a->key || !strcmp(one->session, a->key)) &&
           (!a->tag || has_tag(one, a->tag)) &&
           (!a->mime || !strncmp(one->mime, a->mime, strlen(a->mime))) &&
           (a->since_us == 0 || one->updated_us >= a->since_us) &&
           (a->until_us == 0 || one->updated_us < a->until_us);
}

static quire_status copy_artifact(const quire_artifact *from,
                                  struct arena *keep, quire_artifact *to,
                                  quire_error *err)
{
    *to = *from;
    to->session = arena_text(keep, bytes_str(from->session));
    to->path = arena_text(keep, bytes_str(from->path));
    to->mime = arena_text(keep, bytes_str(from->mime));
    to->purpose = arena_text(keep, bytes_str(from->purpose));
    to->source = arena_text(keep, bytes_str(from->source));
    to->agent = arena_text(keep, bytes_str(from->agent));
    to->tags = arena_text(keep, bytes_str(from->tags));
    to->meta = arena_text(keep, bytes_str(from->meta));
    return to->session && to->path && to->mime && to->purpose && to->source &&
                   to->agent && to->tags && to->meta
               ? QUIRE_OK
               : err_memory(err);
}

struct taking {
    struct search_query *k;
    struct finding *f;
};

/* Complete the hit that has the row, if it matches still. */
static quire_status take_row(void *ctx, const quire_artifact *one,
                             quire_bytes text, quire_error *err)
{
    struct taking *t = ctx;
    struct finding *f = t->f;
    struct segment_text fields = {{{NULL, 0}}};
    struct text_span spans[SEARCH_SPANS_MAX];
    struct snippet snippet;
    bool keep = true;
    size_t n = 0, i;
    quire_status st;

    for (i = 0; i < f->n && (int64_t)f->hits[i].place.offset != one->id;)
        i++;
    if (i == f->n || !is_wanted(f->a, one))
        return QUIRE_OK;
    search_artifact_fields(one, text, &fields);
    st = search_query_spans(t->k, &fields, spans, &n, &keep, err);
    if (st || !keep)
        return st;
    st = snippet_make(text, spans, n, &f->keep, &snippet, err);
    if (!st)
        st = copy_artifact(one, &f->keep, &f->found[i].artifact, err);
    f->found[i].snippet = snippet.text;
    f->found[i].score = f->hits[i].score;
    f->found[i].part = t->k->step != RELAX_NONE;
    f->has[i] = !st;
    return st;
}

static quire_status emit_lot(struct search_query *k, struct finding *f,
                             quire_error *err)
{
    struct taking t = {k, f};
    int64_t ids[LOT_MAX];
    quire_status st;
    size_t i;

    arena_reset(&f->keep);
    memset(f->has, 0, sizeof f->has);
    memset(f->found, 0, sizeof f->found);
    for (i = 0; i < f->n; i++)
        ids[i] = (int64_t)f->hits[i].place.offset;
    st = artifact_lot(f->q->artifacts, f->q->tenant, ids, f->n, take_row, &t,
                      err);
    for (i = 0; i < f->n && !st && f->n_given < f->a->limit; i++) {
        if (!f->has[i])
            continue;
        f->n_given++;
        k->n_given++;
        f->q->in_callback = true;
        st = f->each(f->ctx, &f->found[i], err);
        f->q->in_callback = false;
    }
    return st;
}

static quire_status emit_hits(struct search_query *k, struct run_hit *hits,
                              size_t n, quire_error *err)
{
    struct finding *f = k->ctx;
    quire_status st = QUIRE_OK;

    while (n > 0 && !st && f->n_given < f->a->limit) {
        uint64_t left = f->a->limit - f->n_given;

        f->hits = hits;
        f->n = n < LOT_MAX ? n : LOT_MAX;
        f->n = left < f->n ? (size_t)left : f->n;
        st = emit_lot(k, f, err);
        hits += f->n;
        n -= f->n;
    }
    return st;
}

/* Whether a query is one word. */
static bool is_word(const struct query *tree)
{
    return tree && tree->op == QUERY_WORDS &&
           !memchr(tree->text.data, ' ', tree->text.len);
}

/* ---- searching ----------------------------------------------------------------- */

static quire_status try_search(void *ctx, bool *given, quire_error *err)
{
    struct finding *f = ctx;
    const struct artifact_query *a = f->a;
    struct search_query k = {.q = f->q,
                             .text = bytes_str(a->text),
                             .parts = PARTS_ROWS,
                             .only_kinds = 1u << TEXT_ARTIFACT,
                             .key = a->key,
                             .last_step = RELAX_SUBSTRING,
                             .parts_last = true,
                             .emit = emit_hits,
                             .ctx = f,
                             .keep = &f->all};
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_status st;

    o.flat = 1;
    o.since_us = a->since_us;
    o.until_us = a->until_us;
    o.limit = a->tag || a->mime || a->limit > 1000 ? UINT64_MAX : a->limit;
    k.o = o;
    arena_reset(&f->all);
    st = search_query_prepare(&k, err);
    /* A single word is followed by those that begin with it. */
    k.all_forms = is_word(k.language.tree);
    if (!st)
        st = search_query_run(&k, err);
    *given = f->n_given > 0;
    search_query_release(&k);
    return st;
}

quire_status artifact_search(struct quire *q, const struct artifact_query *a,
                             quire_hit_fn each, void *ctx, uint64_t *n,
                             quire_error *err)
{
    struct finding *f = calloc(1, sizeof *f);
    struct artifact_query own = *a;
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;

    *n = 0;
    if (!f)
        return err_memory(err);
    f->q = q;
    f->a = &own;
    f->each = each;
    f->ctx = ctx;
    /* The key may be in memory of the handle that an update uses. */
    if (a->key) {
        own.key = arena_text(&tmp, bytes_str(a->key));
        st = own.key ? QUIRE_OK : err_memory(err);
    }
    if (!st)
        st = search_query_retry(q, try_search, f, err);
    *n = f->n_given;
    arena_release(&tmp);
    arena_release(&f->all);
    arena_release(&f->keep);
    free(f);
    return st;
}

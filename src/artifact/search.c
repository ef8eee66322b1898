/*
 * search.c - full-text search over artifacts
 *
 * The rank of a hit depends only on the artifact, by where the terms are and
 * how often (FULLTEXT_BY_PLACE of search/index.h): a statistic over all artifacts would have
 * to read them all. Equal ranks are ordered by the rarity of the terms, as BM25
 * weighs it, but among the hits alone: these are read anyway. Then the newest
 * comes first. A term that is everywhere has as many hits as there are
 * artifacts; then the newest RANKED_MAX are ranked, and *partial is set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/literals.h"
#include "artifact/mime.h"
#include "artifact/priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"
#include "search/index.h"
#include "search/lot.h"

#define RANKED_MAX 3000

/* What is read of artifacts to compare literals. */
#define LITERAL_BYTES ((uint64_t)256 << 20)

/* ---- snippets ----------------------------------------------------------- */

#define SNIPPET_BEFORE 40
#define SNIPPET_BYTES  160
#define SNIPPET_WORDS  8
#define SNIPPET_TEXT   ((size_t)256 * 1024)
#define SNIPPET_WORD   64

static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Offset of `word` in `text`, ASCII case ignored; text.len if there is none. */
static size_t find_word(quire_bytes text, quire_bytes word)
{
    const char *at = text.data, *w = word.data;
    size_t i, k;

    for (i = 0; word.len > 0 && i + word.len <= text.len; i++) {
        for (k = 0; k < word.len && fold(at[i + k]) == fold(w[k]); k++)
            ;
        if (k == word.len)
            return i;
    }
    return text.len;
}

static bool is_operator(quire_bytes word)
{
    return bytes_is(word, "AND") || bytes_is(word, "OR") ||
           bytes_is(word, "NOT");
}

/* The first offset of any of the first words of the query. Each is searched for
 * only before the offset found so far: the cost is that of one pass, or few. */
static size_t find_any(quire_bytes text, const char *query)
{
    static const char between[] = " \t\r\n\"'()*:";
    size_t first, n;

    text.len = text.len < SNIPPET_TEXT ? text.len : SNIPPET_TEXT;
    first = text.len;
    for (n = 0; *query && n < SNIPPET_WORDS; n++) {
        size_t len;

        query += strspn(query, between);
        len = strcspn(query, between);
        if (len > 0 && !is_operator(bytes_of(query, len))) {
            quire_bytes word = bytes_of(query, len < SNIPPET_WORD
                                                   ? len
                                                   : SNIPPET_WORD);
            size_t end = first + word.len < text.len ? first + word.len
                                                     : text.len;
            size_t at = find_word(bytes_sub(text, 0, end), word);

            first = at < first ? at : first;
        }
        query += len;
    }
    return first < text.len ? first : 0;
}

/* Some text around the first hit, on one line. */
static const char *make_snippet(quire_bytes text, const char *query,
                                struct arena *keep)
{
    struct buf out = BUF_INIT(4096), line = BUF_INIT(4096);
    size_t hit = find_any(text, query), from, len, i;
    const char *at = text.data, *snippet;

    from = hit > SNIPPET_BEFORE ? hit - SNIPPET_BEFORE : 0;
    while (from > 0 && from < text.len &&
           ((unsigned char)at[from] & 0xc0) == 0x80)
        from--;
    len = utf8_cut(bytes_sub(text, from, text.len), SNIPPET_BYTES);
    utf8_add_mended(&line, bytes_sub(text, from, from + len));
    if (from > 0)
        buf_add_str(&out, "…");
    for (i = 0; i < line.len; i++)
        buf_add_char(&out,
                     (unsigned char)line.data[i] < 0x20 ? ' ' : line.data[i]);
    while (out.len > 0 && out.data[out.len - 1] == ' ')
        out.len--;
    if (from + len < text.len)
        buf_add_str(&out, "…");
    snippet = out.failed || line.failed ? NULL
                                        : arena_text(keep, buf_bytes(&out));
    buf_release(&line);
    buf_release(&out);
    return snippet;
}

/* ---- queries ------------------------------------------------------------ */

struct found {
    int64_t id, score;
    uint64_t phrases; /* of the query that it has: bit i for the i-th */
    int64_t rarity;   /* the sum of theirs                            */
};

struct search_run {
    struct artifacts *a;
    const struct artifact_query *q;
    struct artifact_fulltext_view view;
    quire_hit_fn each;
    void *ctx;
    bool part; /* the terms are prefixes */
    struct literals literals;
    uint64_t literal_bytes; /* read to compare them */
    uint64_t n_given;
    size_t
        n_words; /* number of hits of the first pass in `found`, sorted by id */
    size_t n_found;
    struct found found[4 * RANKED_MAX]; /* two passes over two indexes */
};

static int by_id(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Best first; of equals, that with the rarest terms, then the newest. */
static int by_score(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    if (x->rarity != y->rarity)
        return x->rarity < y->rarity ? 1 : -1;
    return by_id(b, a);
}

/* The binary logarithm in 1/256, straight between the powers of two. */
static int64_t logarithm(uint64_t n)
{
    int64_t whole = 0;

    while (n >> (whole + 1))
        whole++;
    return 256 * whole + (int64_t)((n << 8 >> whole) - 256);
}

/* Rate hits by their terms. Of n hits d have a term: its rarity is
 * log((n + 1) / (d + 1/2)), the inverse document frequency of BM25. */
static void rate_terms(struct found *found, size_t n)
{
    int64_t rarity[FULLTEXT_PHRASES_MAX] = {0};
    uint64_t having[FULLTEXT_PHRASES_MAX] = {0}, rest;
    size_t i;
    int k;

    for (i = 0; i < n; i++)
        for (k = 0, rest = found[i].phrases; rest; k++, rest >>= 1)
            having[k] += rest & 1;
    for (k = 0; k < FULLTEXT_PHRASES_MAX; k++)
        rarity[k] = logarithm(2 * n + 2) - logarithm(2 * having[k] + 1);
    for (i = 0; i < n; i++)
        for (k = 0, rest = found[i].phrases; rest; k++, rest >>= 1)
            found[i].rarity += rest & 1 ? rarity[k] : 0;
}

/* Whether the first pass has found it. */
static bool is_known(const struct search_run *k, int64_t id)
{
    struct found key = {.id = id};

    return bsearch(&key, k->found, k->n_words, sizeof key, by_id);
}

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

static bool is_wanted(const struct artifact_query *q, const quire_artifact *one)
{
    return one->deleted_us == 0 &&
           (q->session == 0 || one->session_id == q->session) &&
           (!q->tag || has_tag(one, q->tag)) &&
           (!q->mime || !strncmp(one->mime, q->mime, strlen(q->mime))) &&
           (q->since_us == 0 || one->updated_us >= q->since_us) &&
           (q->until_us == 0 || one->updated_us < q->until_us);
}

/* Whether the artifact has all words of the query whose signs matter. */
static bool has_literals(struct search_run *k, const quire_artifact *one,
                         quire_bytes content)
{
    quire_bytes texts[] = {bytes_str(one->path), bytes_str(one->purpose),
                           bytes_str(one->tags), content};

    if (k->literals.n == 0)
        return true;
    k->literal_bytes += content.len;
    return literals_match(&k->literals, texts, sizeof texts / sizeof *texts,
                          k->part);
}

static quire_status emit_hit(struct search_run *k, int64_t id, int64_t score,
                             quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_hit hit = {.score = (double)score / 1e3, .part = k->part};
    quire_bytes content;
    quire_status st;

    st = artifact_by_id(k->a, k->q->tenant, id, &tmp, &hit.artifact, err);
    if (st == QUIRE_NOT_FOUND || (!st && !is_wanted(k->q, &hit.artifact))) {
        st = QUIRE_OK;
        goto out;
    }
    if (!st && (blob_get(blob_view_all(k->a->c.blobs), &hit.artifact.digest,
                         &content, NULL) ||
                !mime_is_text(hit.artifact.mime)))
        content = bytes_of("", 0);
    if (!st && !has_literals(k, &hit.artifact, content))
        goto out;
    if (!st) {
        hit.snippet = make_snippet(content, k->q->text, &tmp);
        st = hit.snippet ? k->each(k->ctx, &hit, err) : err_memory(err);
    }
    k->n_given += !st;
out:
    arena_release(&tmp);
    return st;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static bool is_passed(const struct artifact_fulltext_view *v, int64_t id)
{
    return v->n_passed &&
           bsearch(&id, v->passed, v->n_passed, sizeof id, by_number);
}

/* Artifacts of a removed session may still be in the index (fulltext.c). */
enum { ROWS_COUNT, ROWS_COUNT_FEW, ROWS_IDS, ROWS_IDS_FEW, N_ROWS };

#define COUNT "SELECT count(*) FROM artifact WHERE id IN ("
#define IDS   "SELECT id FROM artifact WHERE id IN ("

static const char *const row_texts[N_ROWS] = {
    [ROWS_COUNT] = COUNT LOT_PARAMETERS ")",
    [ROWS_COUNT_FEW] = COUNT LOT_FEW_PARAMETERS ")",
    [ROWS_IDS] = IDS LOT_PARAMETERS ") ORDER BY id",
    [ROWS_IDS_FEW] = IDS LOT_FEW_PARAMETERS ") ORDER BY id",
};

/* A statement over the rows of hits; `which` is the one for many. */
static quire_status use_rows(struct search_run *k, int which,
                             const struct fulltext_hit *hits, size_t n,
                             struct stmt **out, quire_error *err)
{
    struct sql *rows = &k->a->words.rows;
    int64_t ids[LOT_MAX];
    quire_status st = QUIRE_OK;
    size_t i;

    if (!rows->stmts)
        st = sql_init(rows, k->a->c.catalog->db, row_texts, N_ROWS, err);
    if (!st)
        st = sql_use(rows, which + (n <= LOT_FEW), out, err);
    for (i = 0; i < n; i++)
        ids[i] = hits[i].id;
    if (!st)
        lot_bind(*out, ids, n);
    return st;
}

/* Keep the hits that have a row. */
static quire_status select_existing(struct search_run *k,
                                    struct fulltext_hit *hits, size_t *n,
                                    quire_error *err)
{
    int64_t ids[LOT_MAX];
    size_t n_ids = 0, left = 0, i;
    struct stmt *s;
    quire_status st = use_rows(k, ROWS_IDS, hits, *n, &s, err);

    if (st)
        return st;
    while (n_ids < LOT_MAX && !(st = sql_row(s, err)))
        ids[n_ids++] = stmt_column_int(s, 0);
    stmt_reset(s);
    for (i = 0; i < *n; i++) {
        if (bsearch(&hits[i].id, ids, n_ids, sizeof *ids, by_number))
            hits[left++] = hits[i];
    }
    *n = left;
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* The same; nearly always all have one, and counting them is enough. */
static quire_status check_existing(struct search_run *k,
                                   struct fulltext_hit *hits, size_t *n,
                                   quire_error *err)
{
    struct stmt *s;
    quire_status st = use_rows(k, ROWS_COUNT, hits, *n, &s, err);
    bool all = false;

    if (st)
        return st;
    st = sql_row(s, err);
    if (!st)
        all = stmt_column_int(s, 0) == (int64_t)*n;
    stmt_reset(s);
    return st || all ? st : select_existing(k, hits, n, err);
}

/* Whether these hits, all that there are, need no check: emit_hit() skips those
 * without a row anyway, and before that they could only change rarities. Where
 * all hits have the same phrases, rarities are equal. */
static bool need_no_check(const struct search_run *k,
                          const struct fulltext_hit *hits, size_t n)
{
    size_t i;

    for (i = 1; i < n && hits[i].phrases == hits[0].phrases;)
        i++;
    return i >= n && !k->view.due;
}

/* The next hits of an index, but those without a row. `first`: there were none
 * before; *more: there may be others. */
static quire_status fetch_hits(struct search_run *k, struct fulltext *index,
                               struct fulltext_hit *hits, size_t *n, bool first,
                               bool *more, quire_error *err)
{
    quire_status st = fulltext_fetch(index, hits, LOT_MAX, n, err);

    *more = !st && *n == LOT_MAX;
    if (st || index != k->view.index ||
        (first && !*more && need_no_check(k, hits, *n)))
        return st;
    return *n ? check_existing(k, hits, n, err) : QUIRE_OK;
}

/* Append the newest matches of one index to those found before. */
static quire_status search_index(struct search_run *k, struct fulltext *index,
                                 const struct query *query, bool *partial,
                                 quire_error *err)
{
    struct fulltext_find f = {.query = query,
                              .scope = k->q->session,
                              .newest_first = true,
                              .scored = true,
                              .phrases = true};
    struct fulltext_hit hits[LOT_MAX];
    size_t room = k->n_found + RANKED_MAX, n, i;
    bool more = true, first = true;
    quire_status st = k->q->fts
                          ? fulltext_find_native(index, bytes_str(k->q->text),
                                                 &f, err)
                          : fulltext_find(index, &f, err);

    while (!st && more && k->n_found < room) {
        st = fetch_hits(k, index, hits, &n, first, &more, err);
        first = false;
        for (i = 0; !st && i < n && k->n_found < room; i++) {
            if ((!k->part || !is_known(k, hits[i].id)) &&
                (index != k->view.index || !is_passed(&k->view, hits[i].id)))
                k->found[k->n_found++] = (struct found){
                    .id = hits[i].id,
                    .score = (int64_t)hits[i].score,
                    .phrases = hits[i].phrases,
                };
        }
    }
    *partial |= !st && k->n_found == room;
    fulltext_end(index);
    return st;
}

static quire_status search_view(struct search_run *k, const struct query *query,
                                bool *partial, quire_error *err)
{
    struct artifact_fulltext_view *v = &k->view;
    quire_status st = QUIRE_OK;

    if (v->index)
        st = search_index(k, v->index, query, partial, err);
    if (!st && v->due)
        st = search_index(k, v->due, query, partial, err);
    return st;
}

static quire_status run_query(struct search_run *k, const struct query *query,
                              bool *partial, quire_error *err)
{
    size_t i, from = k->n_words;
    quire_status st = search_view(k, query, partial, err);

    rate_terms(k->found + from, k->n_found - from);
    qsort(k->found + from, k->n_found - from, sizeof *k->found, by_score);
    for (i = from; i < k->n_found && !st && k->n_given < k->q->limit; i++) {
        if (k->literal_bytes > LITERAL_BYTES) {
            *partial = true;
            break;
        }
        st = emit_hit(k, k->found[i].id, k->found[i].score, err);
    }
    if (!k->part) {
        qsort(k->found, k->n_found, sizeof *k->found, by_id);
        k->n_words = k->n_found;
    }
    return st;
}

static quire_status report_no_terms(quire_error *err)
{
    quire_status st = err_fail(err, QUIRE_INVALID,
                               "give a word, a part of one, or a \"phrase\"",
                               "the query has no search term");
    return st;
}

quire_status artifact_query_has_terms(const char *text, quire_error *err)
{
    return query_has_terms(bytes_str(text)) ? QUIRE_OK : report_no_terms(err);
}

/* The tree of the query; an expression has none. *n is its number of terms. */
static quire_status read_query(const struct artifact_query *q,
                               enum query_mode mode, struct arena *keep,
                               struct query **out, size_t *n, quire_error *err)
{
    quire_status st;

    *out = NULL;
    *n = 1;
    if (q->fts)
        return QUIRE_OK;
    st = query_parse(bytes_str(q->text), mode, keep, out, n, err);
    return st || *n ? st : report_no_terms(err);
}

quire_status artifact_search(struct artifacts *a,
                             const struct artifact_query *q, quire_hit_fn each,
                             void *ctx, bool *partial, quire_error *err)
{
    static const enum query_mode modes[] = {QUERY_ALL, QUERY_BEGINNING};
    struct search_run *k = malloc(sizeof *k);
    struct arena tmp = ARENA_INIT;
    struct query *query;
    quire_status st = k ? artifact_fulltext_view_open(a, q->tenant, &k->view,
                                                      err)
                        : err_memory(err);
    size_t i, n = 1;

    *partial = false;
    if (k) {
        k->a = a;
        k->q = q;
        k->each = each;
        k->ctx = ctx;
        k->n_given = 0;
        k->n_words = k->n_found = 0;
        k->literal_bytes = 0;
        literals_read(&k->literals,
                      q->fts || query_has_alternatives(bytes_str(q->text))
                          ? ""
                          : q->text);
    }
    for (i = 0; i < 2 && !st && k->n_given < q->limit; i++) {
        /* Prefixes of several words are tried only if whole words found
         * nothing: they cost ten times as much. */
        if (i > 0 && n > 1 && k->n_given > 0)
            break;
        if (i > 0 && n == 1 && k->literals.n &&
            !literals_have_prefix(&k->literals))
            break;
        k->part = i > 0;
        arena_reset(&tmp);
        st = read_query(q, modes[i], &tmp, &query, &n, err);
        if (!st)
            st = run_query(k, query, partial, err);
        if (st == QUIRE_INVALID && q->fts)
            err_next(err,
                     HINT_SHELL "leave out --fts to search for plain words");
        if (q->fts)
            break; /* the expression has its own prefix operators */
    }
    if (!st && k->n_given == 0)
        st = QUIRE_NOT_FOUND;
    arena_release(&tmp);
    if (k)
        artifact_fulltext_view_close(&k->view);
    free(k);
    return st;
}

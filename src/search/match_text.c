/*
 * match_text.c - whether one text matches a plan, and where
 *
 * The text is split as it is for the index. The tokens that the plan asks for are
 * listed with their places; phrases and nearness are decided over these lists.
 * Substrings are searched in the folded text, regular expressions in the text
 * itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/plan.h"
#include "search/regex_code.h"
#include "search/segment.h"
#include "search/tokenizer.h"

/* An occurrence of a token. The place has the field in its high half. */
struct occurrence {
    uint64_t place;
    uint32_t from, to;
};

struct wanted_token {
    const struct plan_token *token;
    struct buf found; /* struct occurrence, ascending */
};

struct leaf_state {
    size_t first;     /* of its tokens in the list of all */
    struct buf spans; /* struct occurrence: of the whole leaf */
    struct regex_match *regex;
    bool found;
};

struct text_matcher {
    const struct plan *p;
    struct wanted_token *tokens; /* owned */
    size_t n_tokens;
    struct leaf_state *leaves; /* owned */
    bool any_first[256];       /* a token may begin with this byte */
    bool any_token;            /* the plan is relaxed: compare all */
    uint64_t field;
    struct buf folded, map;
    bool has_folded;
    bool failed;
};

/* ---- life ------------------------------------------------------------------------- */

void text_matcher_free(struct text_matcher *m)
{
    size_t i;

    if (!m)
        return;
    for (i = 0; i < m->n_tokens; i++)
        buf_release(&m->tokens[i].found);
    for (i = 0; m->leaves && i < m->p->n_leaves; i++) {
        buf_release(&m->leaves[i].spans);
        regex_match_free(m->leaves[i].regex);
    }
    buf_release(&m->folded);
    buf_release(&m->map);
    free(m->tokens);
    free(m->leaves);
    free(m);
}

static quire_status init_leaf(struct text_matcher *m, size_t i,
                              quire_error *err)
{
    const struct plan_leaf *l = &m->p->leaves[i];
    struct leaf_state *s = &m->leaves[i];
    size_t k;

    s->first = m->n_tokens;
    s->spans = (struct buf)BUF_INIT(SIZE_MAX);
    for (k = 0; k < l->n_tokens; k++) {
        struct wanted_token *w = &m->tokens[m->n_tokens++];

        w->token = &l->tokens[k];
        w->found = (struct buf)BUF_INIT(SIZE_MAX);
        m->any_first[*(const uint8_t *)l->tokens[k].text.data] = true;
    }
    return l->kind == LEAF_REGEX ? regex_match_new(l->regex, &s->regex, err)
                                 : QUIRE_OK;
}

quire_status text_matcher_new(const struct plan *p, struct text_matcher **out,
                              quire_error *err)
{
    struct text_matcher *m = calloc(1, sizeof *m);
    quire_status st = QUIRE_OK;
    size_t n = 0, i;

    *out = NULL;
    if (!m)
        return err_memory(err);
    m->p = p;
    m->any_token = p->relax == RELAX_SUBSTRING;
    m->folded = (struct buf)BUF_INIT(SIZE_MAX);
    m->map = (struct buf)BUF_INIT(SIZE_MAX);
    for (i = 0; i < p->n_leaves; i++)
        n += p->leaves[i].n_tokens;
    m->tokens = calloc(n + 1, sizeof *m->tokens);
    m->leaves = calloc(p->n_leaves + 1, sizeof *m->leaves);
    if (!m->tokens || !m->leaves)
        st = err_memory(err);
    for (i = 0; i < p->n_leaves && !st; i++)
        st = init_leaf(m, i, err);
    if (st)
        text_matcher_free(m);
    else
        *out = m;
    return st;
}

/* ---- words -------------------------------------------------------------------------- */

static void on_token(void *ctx, const struct token *t)
{
    struct text_matcher *m = ctx;
    struct occurrence one = {m->field | t->place, t->from, t->to};
    size_t i;

    if (!m->any_token && !m->any_first[*(const uint8_t *)t->text.data])
        return;
    for (i = 0; i < m->n_tokens; i++) {
        struct buf *found = &m->tokens[i].found;

        if (!plan_token_matches(m->p, m->tokens[i].token, t->text))
            continue;
        /* The whole of an identifier and its first part may both match. */
        if (found->len > 0 &&
            ((struct occurrence *)(void *)(found->data + found->len))[-1]
                    .place == one.place)
            continue;
        buf_add(found, &one, sizeof one);
        m->failed |= found->failed;
    }
}

static const struct occurrence *find_place(const struct buf *list,
                                           uint64_t place)
{
    const struct occurrence *at = (const void *)list->data;
    size_t from = 0, to = list->len / sizeof *at;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (at[middle].place == place)
            return &at[middle];
        if (at[middle].place < place)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* ---- signs: C++ ------------------------------------------------------------------------ */

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the literal is at `at`, as a word of its own. */
static bool literal_at(quire_bytes text, size_t at, quire_bytes word,
                       bool prefix)
{
    const char *t = text.data, *w = word.data;
    size_t end = at + word.len, i;

    for (i = 0; i < word.len; i++)
        if (lower(t[at + i]) != lower(w[i]))
            return false;
    return !(is_word_byte(w[0]) && at > 0 && is_word_byte(t[at - 1])) &&
           (prefix || !is_word_byte(w[word.len - 1]) || end == text.len ||
            !is_word_byte(t[end]));
}

/* The literal that covers the beginning of a phrase, as the bytes of the phrase.
 * Words decide, too: a match is where the phrase is. */
static bool cover_literal(const struct text_matcher *m,
                          const struct plan_leaf *l, quire_bytes text,
                          struct occurrence *one)
{
    bool prefix = l->tokens[l->n_tokens - 1].prefix ||
                  m->p->relax >= RELAX_PREFIX;
    size_t len = l->literal.len;
    size_t at = one->from < len ? 0 : one->from - len + 1;

    for (; at <= one->from && at + len <= text.len; at++) {
        if (literal_at(text, at, l->literal, prefix)) {
            one->from = (uint32_t)at;
            one->to = (uint32_t)(at + len);
            return true;
        }
    }
    return false;
}

/* ---- phrases --------------------------------------------------------------------------- */

/* The occurrences of a leaf's phrase. */
static void find_phrases(struct text_matcher *m, size_t leaf,
                         const quire_bytes *fields)
{
    const struct plan_leaf *l = &m->p->leaves[leaf];
    struct leaf_state *s = &m->leaves[leaf];
    const struct buf *first = &m->tokens[s->first].found;
    const struct occurrence *at = (const void *)first->data;
    size_t n = first->len / sizeof *at, i, k;

    for (i = 0; i < n; i++) {
        struct occurrence one = at[i];
        const struct occurrence *next = &one;

        for (k = 1; k < l->n_tokens && next; k++) {
            next = find_place(&m->tokens[s->first + k].found,
                              at[i].place + l->tokens[k].place);
            if (next)
                one.to = next->to;
        }
        if (next && (l->literal.len == 0 ||
                     cover_literal(m, l, fields[one.place >> 32], &one)))
            buf_add(&s->spans, &one, sizeof one);
    }
    m->failed |= s->spans.failed;
}

/* ---- substrings, expressions ------------------------------------------------------------- */

static void fold_field(struct text_matcher *m, quire_bytes text)
{
    buf_clear(&m->folded);
    buf_clear(&m->map);
    if (!buf_room(&m->map, (text.len + 1) * sizeof(uint32_t))) {
        m->failed = true;
        return;
    }
    fold_text(text, &m->folded, (uint32_t *)(void *)m->map.data);
    m->failed |= m->folded.failed;
}

/* The last byte of the text whose character begins at or before `at` of the folded
 * text; with `end` the first one at or behind it. */
static uint32_t unfold(const struct text_matcher *m, size_t len, uint32_t at,
                       bool end)
{
    const uint32_t *map = (const uint32_t *)(const void *)m->map.data;
    size_t from = 0, to = len;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (map[middle] < at)
            from = middle + 1;
        else
            to = middle;
    }
    if (!end && from > 0 && (from == len || map[from] > at))
        from--;
    return (uint32_t)from;
}

static void find_substrings(struct text_matcher *m, size_t leaf,
                            quire_bytes text, uint64_t field)
{
    const struct plan_leaf *l = &m->p->leaves[leaf];
    struct leaf_state *s = &m->leaves[leaf];
    size_t at = 0;
    const char *hit;

    if (!m->has_folded)
        fold_field(m, text);
    m->has_folded = true;
    while (!m->failed && l->folded.len > 0 && at < m->folded.len &&
           (hit = memmem(m->folded.data + at, m->folded.len - at,
                         l->folded.data, l->folded.len))) {
        uint32_t from = (uint32_t)(hit - m->folded.data);
        struct occurrence one = {field, unfold(m, text.len, from, false),
                                 unfold(m, text.len,
                                        from + (uint32_t)l->folded.len, true)};

        buf_add(&s->spans, &one, sizeof one);
        m->failed |= s->spans.failed;
        at = from + l->folded.len;
    }
}

enum { REGEX_SPANS_MAX = 256 };

static quire_status find_regex(struct text_matcher *m, size_t leaf,
                               quire_bytes text, uint64_t field,
                               quire_error *err)
{
    struct leaf_state *s = &m->leaves[leaf];
    size_t at = 0, from, to, n = 0;
    bool found = true;
    quire_status st = QUIRE_OK;

    while (found && n++ < REGEX_SPANS_MAX && !st) {
        st = regex_match_next(s->regex, text, at, &found, &from, &to, err);
        if (!st && found) {
            struct occurrence one = {field, (uint32_t)from, (uint32_t)to};

            buf_add(&s->spans, &one, sizeof one);
            at = to;
        }
    }
    m->failed |= s->spans.failed;
    return st;
}

/* ---- one field ----------------------------------------------------------------------------- */

static quire_status read_field(struct text_matcher *m, quire_bytes text,
                               uint64_t field, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    m->field = field;
    m->has_folded = false;
    if (m->n_tokens > 0)
        tokenize_document(text, on_token, m);
    for (i = 0; i < m->p->n_leaves && !st; i++) {
        const struct plan_leaf *l = &m->p->leaves[i];

        if (l->kind == LEAF_SUBSTRING)
            find_substrings(m, i, text, field);
        else if (l->kind == LEAF_REGEX)
            st = find_regex(m, i, text, field, err);
    }
    return st;
}

/* ---- the tree ------------------------------------------------------------------------------- */

enum { NEAR_MAX = 64 };

/* The end of the shortest window that begins with the occurrence at `from` and has
 * every operand; 0: none. next[k] is where the last call left operand k: windows are
 * asked for in order. *words: of all operands. */
static uint64_t near_end(const struct text_matcher *m,
                         const struct plan_node *n, uint64_t from, size_t *next,
                         uint64_t *words)
{
    size_t k, kids = n->n_kids < NEAR_MAX ? n->n_kids : NEAR_MAX;
    uint64_t end = 0;

    *words = 0;
    for (k = 0; k < kids; k++) {
        const struct plan_leaf *l = &m->p->leaves[n->kids[k]->leaf];
        const struct buf *list = &m->leaves[n->kids[k]->leaf].spans;
        const struct occurrence *at = (const void *)list->data;
        size_t count = list->len / sizeof *at;
        uint64_t len = l->tokens[l->n_tokens - 1].place + 1;

        while (next[k] < count && at[next[k]].place < from)
            next[k]++;
        if (next[k] == count || at[next[k]].place >> 32 != from >> 32)
            return 0;
        if (at[next[k]].place + len > end)
            end = at[next[k]].place + len;
        *words += len;
    }
    return end;
}

static bool near_matches(const struct text_matcher *m,
                         const struct plan_node *n)
{
    size_t i, j, kids = n->n_kids < NEAR_MAX ? n->n_kids : NEAR_MAX;
    uint64_t end, words, reach = (uint64_t)(n->reach > 0 ? n->reach : 0);

    for (i = 0; i < kids; i++) {
        const struct buf *list = &m->leaves[n->kids[i]->leaf].spans;
        const struct occurrence *at = (const void *)list->data;
        size_t n_at = list->len / sizeof *at, next[NEAR_MAX] = {0};

        for (j = 0; j < n_at; j++) {
            end = near_end(m, n, at[j].place, next, &words);
            if (end > 0 && end - at[j].place <= words + reach)
                return true;
        }
    }
    return false;
}

static bool node_matches(const struct text_matcher *m,
                         const struct plan_node *n)
{
    size_t i;

    switch (n->op) {
    case QUERY_AND:
        for (i = 0; i < n->n_kids; i++)
            if (!node_matches(m, n->kids[i]))
                return false;
        return true;
    case QUERY_OR:
        for (i = 0; i < n->n_kids; i++)
            if (node_matches(m, n->kids[i]))
                return true;
        return false;
    case QUERY_NOT:
        return node_matches(m, n->kids[0]) && !node_matches(m, n->kids[1]);
    case QUERY_NEAR: return near_matches(m, n);
    case QUERY_WORDS:
    case QUERY_SUBSTRING:
    case QUERY_REGEX:
    case QUERY_EVERY: break;
    }
    return m->p->leaves[n->leaf].kind == LEAF_EVERY || m->leaves[n->leaf].found;
}

static int by_from(const void *a, const void *b)
{
    const struct text_span *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* The first `max` matches in the body, in order. */
static size_t list_spans(struct text_matcher *m, struct text_span *spans,
                         size_t max)
{
    size_t n = 0, i, k, each = max / (m->p->n_leaves ? m->p->n_leaves : 1);

    for (i = 0; i < m->p->n_leaves; i++) {
        const struct occurrence *at = (const void *)m->leaves[i].spans.data;
        size_t count = m->leaves[i].spans.len / sizeof *at;

        for (k = 0;
             m->p->leaves[i].wanted && k < count && k < each + 1 && n < max;
             k++) {
            if (at[k].place >> 32 == FIELD_BODY)
                spans[n++] = (struct text_span){at[k].from, at[k].to,
                                                (uint32_t)i};
        }
    }
    if (n > 1)
        qsort(spans, n, sizeof *spans, by_from);
    return n;
}

static void clear_state(struct text_matcher *m)
{
    size_t i;

    m->failed = false;
    for (i = 0; i < m->n_tokens; i++)
        buf_clear(&m->tokens[i].found);
    for (i = 0; i < m->p->n_leaves; i++) {
        buf_clear(&m->leaves[i].spans);
        m->leaves[i].found = false;
    }
}

quire_status text_matches(struct text_matcher *m, const quire_bytes *fields,
                          size_t n_fields, bool *yes, struct text_span *spans,
                          size_t max, size_t *n_spans, quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t i;

    clear_state(m);
    for (i = 0; i < n_fields && !st; i++) {
        if (fields[i].len > 0)
            st = read_field(m, fields[i], (uint64_t)i << 32, err);
    }
    for (i = 0; i < m->p->n_leaves && !st; i++) {
        if (m->p->leaves[i].kind == LEAF_WORDS)
            find_phrases(m, i, fields);
        m->leaves[i].found = m->leaves[i].spans.len > 0;
    }
    if (!st && m->failed)
        st = err_memory(err);
    *yes = !st && node_matches(m, m->p->root);
    if (spans)
        *n_spans = *yes ? list_spans(m, spans, max) : 0;
    return st;
}

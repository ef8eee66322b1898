/* plan.c - prepare a query: see plan.h */
#include "search/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/regex_code.h"
#include "search/regex_literals.h"
#include "search/stem.h"
#include "search/tokenizer.h"

enum { PLAN_LEAVES_MAX = 512 };

struct planning {
    struct plan *p;
    struct arena *keep;
    bool failed; /* out of memory */
    struct plan_leaf *leaf;
    size_t cap; /* of its tokens or pieces */
};

/* ---- leaves ------------------------------------------------------------------ */

/* Double an array of the arena when it is full. */
static void *grow_array(struct planning *k, void *old, size_t n, size_t size)
{
    void *more = old;

    if (n < k->cap)
        return old;
    k->cap = k->cap ? 2 * k->cap : 4;
    more = arena_array(k->keep, k->cap, size);
    if (more && n)
        memcpy(more, old, n * size);
    return more;
}

static void add_token(void *ctx, const struct token *t)
{
    struct planning *k = ctx;
    struct plan_leaf *l = k->leaf;
    struct plan_token *more = grow_array(k, l->tokens, l->n_tokens,
                                         sizeof *more);
    quire_bytes text = arena_dup(k->keep, t->text);
    char word[TOKEN_BYTES_MAX + 1];
    uint32_t i;

    if (!more || !text.data) {
        k->failed = true;
        return;
    }
    l->tokens = more;
    more[l->n_tokens] = (struct plan_token){.text = text, .place = t->place};
    /* Only words of plain letters have forms. */
    for (i = 0; i < text.len && i < TOKEN_BYTES_MAX; i++) {
        word[i] = ((const char *)text.data)[i];
        if (word[i] < 'a' || word[i] > 'z')
            break;
    }
    word[i] = '\0';
    more[l->n_tokens].stem = i == text.len ? (uint32_t)stem_length(word)
                                           : (uint32_t)text.len;
    l->n_tokens++;
}

static void add_piece(void *ctx, const struct text_piece *t)
{
    struct planning *k = ctx;
    struct plan_leaf *l = k->leaf;
    struct plan_piece *more = grow_array(k, l->pieces, l->n_pieces,
                                         sizeof *more);
    quire_bytes text = arena_dup(k->keep, t->text);

    if (!more || !text.data) {
        k->failed = true;
        return;
    }
    l->pieces = more;
    more[l->n_pieces++] = (struct plan_piece){text, t->cjk, t->open_left,
                                              t->open_right};
}

/* Signs that are part of a word: C++, C#, $HOME, a->b. Marks of a sentence around
 * it are not. */
static quire_bytes literal_of(quire_bytes text)
{
    static const char signs[] = "+#$@%&=~^|<>\\";
    static const char marks[] = ".,;:!?'()[]{}*\"";
    const char *at = text.data;
    size_t i;

    while (text.len > 0 && strchr(marks, at[0])) {
        at++;
        text.len--;
    }
    while (text.len > 0 && strchr(marks, at[text.len - 1]))
        text.len--;
    text.data = at;
    for (i = 0; i < text.len; i++) {
        if (at[i] == ' ')
            break;
        if (at[i] && strchr(signs, at[i]))
            return text;
    }
    return bytes_of("", 0);
}

static void plan_words(struct planning *k, const struct query *q)
{
    struct plan_leaf *l = k->leaf;
    size_t i;

    k->cap = 0;
    tokenize_query(q->text, add_token, k);
    for (i = 1; i < l->n_tokens; i++)
        l->tokens[i].place -= l->tokens[0].place;
    if (l->n_tokens > 0) {
        l->tokens[0].place = 0;
        l->tokens[l->n_tokens - 1].prefix = q->prefix;
    }
    l->literal = literal_of(q->text);
}

/* The longest piece is likely to be the rarest: it is searched for first. */
static int longest_first(const void *a, const void *b)
{
    const struct plan_piece *x = a, *y = b;

    return (x->text.len < y->text.len) - (x->text.len > y->text.len);
}

static quire_status plan_substring(struct planning *k, const struct query *q,
                                   quire_error *err)
{
    struct buf folded = BUF_INIT(SIZE_MAX);

    k->cap = 0;
    tokenize_pieces(q->text, add_piece, k);
    if (k->leaf->n_pieces > 1)
        qsort(k->leaf->pieces, k->leaf->n_pieces, sizeof *k->leaf->pieces,
              longest_first);
    fold_text(q->text, &folded, NULL);
    k->leaf->folded = arena_dup(k->keep, buf_bytes(&folded));
    k->failed |= folded.failed || !k->leaf->folded.data;
    buf_release(&folded);
    return k->failed ? err_memory(err) : QUIRE_OK;
}

static quire_status plan_regex(struct planning *k, const struct query *q,
                               quire_error *err)
{
    struct plan_leaf *l = k->leaf;
    struct query *required = NULL;
    quire_status st = regex_code_new(q->text, !q->sensitive, &l->regex, err);

    if (!st)
        st = regex_literals(q->text, k->keep, &required, err);
    if (!st && required)
        st = search_plan_new(required, RELAX_NONE, k->keep, &l->literals, err);
    return st;
}

static quire_status plan_leaf(struct planning *k, const struct query *q,
                              bool wanted, struct plan_node **out,
                              quire_error *err)
{
    static const enum leaf_kind kinds[] = {
        [QUERY_WORDS] = LEAF_WORDS,
        [QUERY_SUBSTRING] = LEAF_SUBSTRING,
        [QUERY_REGEX] = LEAF_REGEX,
        [QUERY_EVERY] = LEAF_EVERY,
    };
    quire_status st = QUIRE_OK;
    struct plan_leaf *l;

    *out = NULL;
    if (k->p->n_leaves == PLAN_LEAVES_MAX)
        return err_fail(err, QUIRE_INVALID, "search for fewer words",
                        "the query has more than %d terms", PLAN_LEAVES_MAX);
    l = k->leaf = &k->p->leaves[k->p->n_leaves];
    *l = (struct plan_leaf){.kind = kinds[q->op],
                            .text = q->text,
                            .wanted = wanted};
    k->p->n_leaves++;
    if (l->kind == LEAF_WORDS)
        plan_words(k, q);
    else if (l->kind == LEAF_SUBSTRING)
        st = plan_substring(k, q, err);
    else if (l->kind == LEAF_REGEX)
        st = plan_regex(k, q, err);
    if (!st && k->failed)
        st = err_memory(err);
    if (st || (l->kind == LEAF_WORDS && l->n_tokens == 0)) {
        k->p->n_leaves -= !st;
        return st;
    }
    k->p->exact &= l->kind != LEAF_SUBSTRING && l->kind != LEAF_REGEX &&
                   l->literal.len == 0;
    *out = arena_array(k->keep, 1, sizeof **out);
    if (!*out)
        return err_memory(err);
    (*out)->op = QUERY_WORDS;
    (*out)->leaf = (uint32_t)(l - k->p->leaves);
    return QUIRE_OK;
}

/* ---- trees -------------------------------------------------------------------- */

static quire_status plan_node(struct planning *k, const struct query *q,
                              bool wanted, struct plan_node **out,
                              quire_error *err);

static quire_status plan_kids(struct planning *k, const struct query *q,
                              bool wanted, struct plan_node *n,
                              quire_error *err)
{
    const struct query *kid;
    quire_status st = QUIRE_OK;
    size_t count = 0, i = 0;

    for (kid = q->first; kid; kid = kid->next)
        count++;
    n->kids = arena_array(k->keep, count + 1, sizeof *n->kids);
    if (!n->kids)
        return err_memory(err);
    for (kid = q->first; kid && !st; kid = kid->next, i++) {
        struct plan_node *one;

        st = plan_node(k, kid, wanted && !(q->op == QUERY_NOT && i > 0), &one,
                       err);
        if (!st && one)
            n->kids[n->n_kids++] = one;
        else if (!st && q->op == QUERY_NOT && i == 0)
            return QUIRE_OK; /* nothing to exclude from */
    }
    return st;
}

static quire_status plan_node(struct planning *k, const struct query *q,
                              bool wanted, struct plan_node **out,
                              quire_error *err)
{
    struct plan_node *n;
    quire_status st;

    *out = NULL;
    if (q->op == QUERY_WORDS || q->op == QUERY_SUBSTRING ||
        q->op == QUERY_REGEX || q->op == QUERY_EVERY)
        return plan_leaf(k, q, wanted, out, err);
    n = arena_array(k->keep, 1, sizeof *n);
    if (!n)
        return err_memory(err);
    n->op = q->op;
    n->reach = q->reach;
    st = plan_kids(k, q, wanted, n, err);
    if (st || n->n_kids == 0)
        return st;
    *out = n->n_kids == 1 ? n->kids[0] : n;
    return QUIRE_OK;
}

static size_t count_leaves(const struct query *q)
{
    size_t n = 1;

    for (q = q->first; q; q = q->next)
        n += count_leaves(q);
    return n;
}

quire_status search_plan_new(const struct query *tree, enum relax relax,
                             struct arena *keep, struct plan **out,
                             quire_error *err)
{
    struct planning k = {.keep = keep};
    size_t n = count_leaves(tree);
    quire_status st;

    *out = NULL;
    k.p = arena_array(keep, 1, sizeof *k.p);
    if (!k.p)
        return err_memory(err);
    k.p->leaves = arena_array(keep, n < PLAN_LEAVES_MAX ? n : PLAN_LEAVES_MAX,
                              sizeof *k.p->leaves);
    if (!k.p->leaves)
        return err_memory(err);
    k.p->relax = relax;
    k.p->exact = true;
    st = plan_node(&k, tree, true, &k.p->root, err);
    if (st || !k.p->root)
        search_plan_release(k.p);
    else
        *out = k.p;
    return st;
}

void search_plan_release(struct plan *p)
{
    size_t i;

    for (i = 0; p && i < p->n_leaves; i++) {
        regex_code_free(p->leaves[i].regex);
        search_plan_release(p->leaves[i].literals);
        p->leaves[i].regex = NULL;
        p->leaves[i].literals = NULL;
    }
}

bool plan_token_matches(const struct plan *p, const struct plan_token *t,
                        quire_bytes token)
{
    const struct plan_token *w = t;
    char word[TOKEN_BYTES_MAX + 1];

    if (bytes_equal(w->text, token))
        return true;
    if (token.len > w->text.len && bytes_starts(token, w->text) &&
        (w->prefix || p->relax >= RELAX_PREFIX))
        return true;
    if (p->relax == RELAX_STEM && token.len >= w->stem && w->stem > 2 &&
        token.len <= TOKEN_BYTES_MAX &&
        !memcmp(token.data, w->text.data, w->stem)) {
        memcpy(word, token.data, token.len);
        word[token.len] = '\0';
        return stem_length(word) == w->stem;
    }
    return p->relax >= RELAX_SUBSTRING && w->text.len >= 3 &&
           memmem(token.data, token.len, w->text.data, w->text.len);
}

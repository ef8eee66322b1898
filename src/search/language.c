/*
 * language.c - the parser of the query language
 *
 *     or      := and (OR and)*
 *     and     := unary (AND? unary)*
 *     unary   := (MINUS | NOT)* near
 *     near    := primary (NEAR primary)*          of words and phrases
 *     primary := term | NEAR_CALL | OPEN or CLOSE
 *
 * It runs over the tokens without filters, without what is ignored and without
 * empty parentheses. Where an operand is expected, an operator is a word; where
 * an operator has no operand behind it, it is a word, too.
 */
#include "search/language.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/language_lexer.h"
#include "search/query_text.h"

static const char why_letter[] = "no letter or digit";
static const char why_terms[] = "more than 64 terms";
static const char why_operator[] = "operator without terms on both sides";
static const char why_beside[] = "filters apply to the whole query";
static const char why_negated[] = "filter within negated parentheses";
static const char why_nothing[] = "nothing to exclude";

struct parser {
    const struct token *t;
    size_t at, n;
    bool words_only;
    int64_t now_us;
    struct arena *keep;
    struct search_language *out;
    struct search_filter **last_filter;
    bool special; /* there is more than words and phrases */
    bool failed;  /* out of memory */
};

/* ---- what has no effect ------------------------------------------------- */

/* Whether there is nothing but white space from `a` to `b`. */
static bool is_space_between(const char *a, const char *b)
{
    while (a < b) {
        uint32_t cp;

        a += query_next_char(bytes_of(a, (size_t)(b - a)), 0, &cp);
        if (cp != ' ')
            return false;
    }
    return true;
}

static const char *end_of(quire_bytes text)
{
    return (const char *)text.data + text.len;
}

/* Whether `b` continues `a`: "... ->" is one note. */
static bool join_notes(struct search_ignored *a, const struct search_ignored *b)
{
    if (!a || !b || strcmp(a->why, b->why) != 0 ||
        end_of(a->text) > (const char *)b->text.data ||
        !is_space_between(end_of(a->text), b->text.data))
        return false;
    a->text.len = (size_t)(end_of(b->text) - (const char *)a->text.data);
    a->next = b->next;
    return true;
}

/* Insert a note by its place in the text. */
static void note(struct parser *p, quire_bytes text, const char *why)
{
    struct search_ignored **at = &p->out->ignored, *before = NULL;
    struct search_ignored *one = arena_array(p->keep, 1, sizeof *one);

    if (!one) {
        p->failed = true;
        return;
    }
    while (*at && (const char *)(*at)->text.data < (const char *)text.data) {
        before = *at;
        at = &before->next;
    }
    *one = (struct search_ignored){text, why, *at};
    *at = one;
    join_notes(one, one->next);
    join_notes(before, one);
}

/* ---- filters ------------------------------------------------------------ */

static quire_bytes trim(quire_bytes text)
{
    const char *c = text.data;
    size_t from = 0, to = text.len;

    while (from < to && c[from] == ' ')
        from++;
    while (to > from && c[to - 1] == ' ')
        to--;
    return bytes_sub(text, from, to);
}

static void add_filter(struct parser *p, const struct token *t,
                       quire_bytes item, bool negated)
{
    struct search_filter *f = arena_array(p->keep, 1, sizeof *f);
    struct token one = {.content = item};
    quire_bytes value = token_text(&one, true, true, p->keep);
    bool alone = item.len == 0 || item.len == t->content.len;
    const char *why;

    if (!f || !value.data) {
        p->failed = true;
        return;
    }
    why = filter_set(f, t->key, trim(value), p->now_us);
    if (why) {
        note(p, alone ? t->all : item, why);
        return;
    }
    f->negated = negated;
    *p->last_filter = f;
    p->last_filter = &f->next;
}

/* The filter of a token, or one for each item of its list. */
static void add_filters(struct parser *p, const struct token *t, bool negated)
{
    bool is_list = !t->quoted && t->key != FILTER_BEFORE &&
                   t->key != FILTER_AFTER;
    const char *c = t->content.data;
    size_t from = 0, n = 0, i;

    for (i = 0; i <= t->content.len; i++) {
        if (i < t->content.len && (c[i] != ',' || !is_list))
            continue;
        if (i > from) {
            add_filter(p, t, bytes_sub(t->content, from, i), negated);
            n++;
        }
        from = i + 1;
    }
    if (n == 0)
        add_filter(p, t, bytes_of("", 0), negated);
}

/* ---- tokens for the parser ---------------------------------------------- */

/* The tokens kept so far, and the parentheses that are open. */
struct sieve {
    struct token *kept;
    size_t n;
    bool after_filter;   /* the last token was one, or held nothing else */
    enum filter_key key; /* of the last filter */
    size_t depth;
    struct {
        bool negated; /* it, or one around it */
        bool has_filter;
    } groups[LANGUAGE_MAX_DEPTH + 1];
};

static struct token *last_kept(struct sieve *s)
{
    return s->n ? &s->kept[s->n - 1] : NULL;
}

static bool is_negation(const struct token *t)
{
    return t && (t->kind == TOKEN_MINUS || t->kind == TOKEN_NOT);
}

/* Whether the last token is the OR of kind:a OR kind:b, which filters of one
 * key are anyway. */
static bool is_or_of_filters(struct sieve *s, enum filter_key key)
{
    const struct token *last = last_kept(s);

    return last && last->kind == TOKEN_OR && last->beside_filter &&
           s->key == key;
}

static void take_filter(struct parser *p, struct sieve *s,
                        const struct token *t)
{
    bool negated = false;

    for (; is_negation(last_kept(s)); s->n--)
        negated = !negated;
    if (s->groups[s->depth].negated)
        note(p, t->all, why_negated);
    else
        add_filters(p, t, negated);
    if (!negated && is_or_of_filters(s, t->key))
        s->n--;
    s->key = t->key;
    if (s->n)
        s->kept[s->n - 1].beside_filter = true;
    s->groups[s->depth].has_filter = true;
    s->after_filter = true;
}

static void keep_token(struct sieve *s, const struct token *t)
{
    s->kept[s->n] = *t;
    s->kept[s->n++].beside_filter = s->after_filter;
    s->after_filter = false;
}

static void open_group(struct sieve *s, const struct token *t)
{
    bool negated = s->groups[s->depth].negated || is_negation(last_kept(s));

    keep_token(s, t);
    s->depth++;
    s->groups[s->depth].negated = negated;
    s->groups[s->depth].has_filter = false;
}

/* Drop parentheses with nothing or only filters in them. */
static void close_group(struct parser *p, struct sieve *s,
                        const struct token *t)
{
    bool has_filter = s->groups[s->depth--].has_filter;

    if (last_kept(s)->kind != TOKEN_OPEN) {
        keep_token(s, t);
        return;
    }
    if (!has_filter) {
        note(p, last_kept(s)->all, why_letter);
        note(p, t->all, why_letter);
    }
    for (s->n--; is_negation(last_kept(s)); s->n--)
        note(p, last_kept(s)->all, has_filter ? why_nothing : why_letter);
    s->after_filter = has_filter;
    if (has_filter && s->n)
        s->kept[s->n - 1].beside_filter = true;
    s->groups[s->depth].has_filter |= has_filter;
}

/* Take out filters, what is ignored, and empty parentheses. The tokens that
 * stay move to the front of the same array. */
static void sieve_tokens(struct parser *p, struct tokens *tokens)
{
    struct sieve s = {.kept = tokens->list};
    size_t i;

    for (i = 0; i < tokens->n && !p->failed; i++) {
        struct token t = tokens->list[i];

        switch (t.kind) {
        case TOKEN_IGNORED: note(p, t.all, t.why); break;
        case TOKEN_FILTER: take_filter(p, &s, &t); break;
        case TOKEN_OPEN: open_group(&s, &t); break;
        case TOKEN_CLOSE: close_group(p, &s, &t); break;
        default: keep_token(&s, &t);
        }
    }
    p->t = s.kept;
    p->n = s.n;
}

/* ---- leaves ------------------------------------------------------------- */

static struct query *new_node(struct parser *p, enum query_op op)
{
    struct query *q = query_new(op, p->keep);

    p->failed |= !q;
    return q;
}

/* NULL: there are too many. */
static struct query *new_leaf(struct parser *p, enum query_op op,
                              const struct token *t, quire_bytes content)
{
    struct token from = {.content = content};
    struct query *q;

    if (p->out->n_terms >= QUERY_MAX_TERMS) {
        note(p, t->all, why_terms);
        return NULL;
    }
    q = new_node(p, op);
    if (!q)
        return NULL;
    q->text = op == QUERY_REGEX ? arena_dup(p->keep, content)
                                : token_text(&from, op == QUERY_SUBSTRING,
                                             !p->words_only, p->keep);
    p->failed |= !q->text.data;
    p->out->n_terms++;
    return q;
}

/* A token that is a word: a term, or an operator without operands. */
static struct query *new_word(struct parser *p, const struct token *t)
{
    bool is_term = t->kind == TOKEN_WORDS;
    struct query *q;

    if (!is_term && !query_has_letter(t->all)) {
        note(p, t->all, why_operator);
        return NULL;
    }
    q = new_leaf(p, QUERY_WORDS, t, is_term ? t->content : t->all);
    if (q)
        q->prefix = is_term && t->prefix;
    return q;
}

/* An operator without operands beside a filter belongs to the filter. AND has
 * the effect it says; of OR it must be reported. */
static struct query *read_stray_operator(struct parser *p,
                                         const struct token *t)
{
    if (!t->beside_filter)
        return new_word(p, t);
    if (t->kind != TOKEN_AND)
        note(p, t->all, why_beside);
    return NULL;
}

/* ---- operators ---------------------------------------------------------- */

static struct query *parse_or(struct parser *p);

static const struct token *current(const struct parser *p)
{
    return p->at < p->n ? &p->t[p->at] : NULL;
}

static bool is_current(const struct parser *p, enum token_kind kind)
{
    return p->at < p->n && p->t[p->at].kind == kind;
}

/* Whether there is something behind the current token, in its parentheses. */
static bool has_next(const struct parser *p)
{
    return p->at + 1 < p->n && p->t[p->at + 1].kind != TOKEN_CLOSE;
}

/* Append an operand, or its operands if it is the same operator. */
static void add_operand(struct parser *p, struct query *to, struct query *q)
{
    struct query *one, *next;

    if (!to || !q)
        return;
    if (q->op != to->op || (q->op != QUERY_AND && q->op != QUERY_OR)) {
        p->failed |= !query_add(to, q);
        return;
    }
    for (one = q->first; one; one = next) {
        next = one->next;
        one->next = NULL;
        query_add(to, one);
    }
}

/* NEAR(...): its content has tokens of its own, all of them text. */
static struct query *parse_near_call(struct parser *p, const struct token *t)
{
    struct query *near = new_node(p, QUERY_NEAR);
    struct tokens inside = {.n = 0};
    size_t i;

    if (!near || language_tokens(t->content, false, p->keep, &inside, NULL)) {
        p->failed = true;
        return NULL;
    }
    near->reach = t->reach;
    for (i = 0; i < inside.n; i++) {
        const struct token *one = &inside.list[i];

        if (one->kind == TOKEN_IGNORED)
            note(p, one->all, one->why);
        else
            add_operand(p, near, new_word(p, one));
    }
    return query_unwrap(near);
}

static struct query *parse_primary(struct parser *p)
{
    const struct token *t = &p->t[p->at++];
    struct query *q;

    /* Parentheses alone change nothing: an error message may have some. */
    p->special |= t->kind != TOKEN_WORDS && t->kind != TOKEN_OPEN;
    switch (t->kind) {
    case TOKEN_WORDS: return new_word(p, t);
    case TOKEN_SUBSTRING: return new_leaf(p, QUERY_SUBSTRING, t, t->content);
    case TOKEN_REGEX:
        q = new_leaf(p, QUERY_REGEX, t, t->content);
        if (q)
            q->sensitive = t->sensitive;
        return q;
    case TOKEN_NEAR_CALL: return parse_near_call(p, t);
    case TOKEN_OPEN:
        q = parse_or(p);
        p->at++; /* its TOKEN_CLOSE */
        return q;
    default: return read_stray_operator(p, t);
    }
}

/* The pair of a near/ operator. The left operand may be part of another. */
static struct query *new_pair(struct parser *p, const struct query *left,
                              struct query *right, int reach)
{
    struct query *near = new_node(p, QUERY_NEAR);
    struct query *copy = new_node(p, QUERY_WORDS);

    if (!near || !copy)
        return NULL;
    copy->text = left->text;
    copy->prefix = left->prefix;
    near->reach = reach;
    query_add(near, copy);
    query_add(near, right);
    return near;
}

static struct query *parse_near(struct parser *p)
{
    struct query *left = parse_primary(p), *right;
    struct query *pairs = NULL;

    while (left && left->op == QUERY_WORDS && is_current(p, TOKEN_NEAR) &&
           has_next(p) && p->t[p->at + 1].kind == TOKEN_WORDS &&
           p->out->n_terms + 1 < QUERY_MAX_TERMS) {
        int reach = p->t[p->at].reach;

        p->at++;
        p->out->n_terms += pairs != NULL; /* the copy of `left` */
        right = parse_primary(p);
        if (!pairs)
            pairs = new_node(p, QUERY_AND);
        if (!pairs || !right)
            break;
        add_operand(p, pairs, new_pair(p, left, right, reach));
        p->special = true;
        left = right;
    }
    return pairs ? query_unwrap(pairs) : left;
}

/* NOT is an operator before something that can be excluded. */
static bool is_not(const struct parser *p)
{
    enum token_kind next;

    if (!is_current(p, TOKEN_NOT) || !has_next(p))
        return false;
    next = p->t[p->at + 1].kind;
    return next != TOKEN_AND && next != TOKEN_OR && next != TOKEN_NEAR;
}

static struct query *parse_unary(struct parser *p, bool *negated)
{
    const struct token *first = current(p);
    struct query *q;

    for (*negated = false; is_current(p, TOKEN_MINUS) || is_not(p); p->at++) {
        *negated = !*negated;
        p->special = true;
    }
    q = parse_near(p);
    if (!q && is_negation(first) && first != &p->t[p->at - 1])
        note(p, first->all, why_nothing);
    return q;
}

/* (a AND b) NOT (c OR d). NULL: nothing, or out of memory. */
static struct query *join_operands(struct parser *p, struct query *wanted,
                                   struct query *unwanted)
{
    struct query *both, *first;

    if (p->failed)
        return NULL;
    if (!unwanted->first)
        return query_unwrap(wanted);
    first = wanted->first ? query_unwrap(wanted) : new_node(p, QUERY_EVERY);
    both = new_node(p, QUERY_NOT);
    if (!query_add(both, first) || !query_add(both, query_unwrap(unwanted)))
        return NULL;
    return both;
}

static struct query *parse_and(struct parser *p)
{
    struct query *wanted = new_node(p, QUERY_AND);
    struct query *unwanted = new_node(p, QUERY_OR);
    bool behind_operand = false, negated;

    while (p->at < p->n && !is_current(p, TOKEN_CLOSE) && !p->failed) {
        struct query *q;

        if (behind_operand && has_next(p)) {
            if (is_current(p, TOKEN_OR))
                break;
            if (is_current(p, TOKEN_AND)) {
                p->special = true;
                behind_operand = false;
                p->at++;
                continue;
            }
        }
        q = parse_unary(p, &negated);
        behind_operand |= q != NULL;
        add_operand(p, negated ? unwanted : wanted, q);
    }
    return join_operands(p, wanted, unwanted);
}

static struct query *parse_or(struct parser *p)
{
    struct query *any = new_node(p, QUERY_OR);

    add_operand(p, any, parse_and(p));
    while (is_current(p, TOKEN_OR) && !p->failed) {
        const struct token *t = &p->t[p->at++];
        struct query *q = parse_and(p);

        p->special = true;
        if (!q)
            note(p, t->all, why_operator);
        add_operand(p, any, q);
    }
    return query_unwrap(any);
}

quire_status search_language_parse(quire_bytes text, int64_t now_us,
                                   bool words_only, struct arena *keep,
                                   struct search_language *out,
                                   quire_error *err)
{
    struct arena scratch = ARENA_INIT;
    struct tokens tokens = {.n = 0};
    struct parser p = {.words_only = words_only,
                       .now_us = now_us,
                       .keep = keep,
                       .out = out,
                       .last_filter = &out->filters};
    quire_status st;

    *out = (struct search_language){.tree = NULL};
    st = language_tokens(text, words_only, &scratch, &tokens, err);
    if (!st) {
        sieve_tokens(&p, &tokens);
        out->tree = p.failed ? NULL : parse_or(&p);
        out->plain = out->tree && !p.special;
        st = p.failed ? err_memory(err) : QUIRE_OK;
    }
    arena_release(&scratch);
    return st;
}

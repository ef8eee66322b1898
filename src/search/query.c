/*
 * query.c - the tree of a user's text
 *
 * Every term becomes a leaf. NEAR, *, ^, (, -x, a:b and c++ are plain text, and
 * the index splits them as it splits every text. A quote ends a term, so no
 * leaf has one. AND, OR and AND NOT between two terms are operators; everywhere
 * else these words are terms, and so is NOT alone: "IF NOT EXISTS" is no
 * question.
 *
 * A term without a letter or digit is left out, since a phrase without words
 * matches nothing. Rare signs that query_text.h takes for letters become a leaf
 * without words, which the index leaves out. A query of nothing else matches
 * nothing.
 */
#include "search/query.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "search/query_text.h"

/* The next term from *at on, which is moved behind it. Terms may be empty. */
static quire_bytes next_term(quire_bytes text, size_t *at, bool *quoted)
{
    size_t from = *at, len;
    uint32_t cp;

    while (*at < text.len) {
        quire_bytes term = bytes_sub(text, from, *at);

        len = query_next_char(text, *at, &cp);
        *at += len;
        if (cp == '"') {
            *quoted = !*quoted;
            return term;
        }
        if (cp == ' ' && !*quoted)
            return term;
    }
    return bytes_sub(text, from, *at);
}

/* ---- trees -------------------------------------------------------------- */

struct query *query_new(enum query_op op, struct arena *keep)
{
    struct query *q = arena_array(keep, 1, sizeof *q);

    if (q)
        q->op = op;
    return q;
}

bool query_add(struct query *to, struct query *operand)
{
    if (!to || !operand)
        return false;
    if (to->last)
        to->last->next = operand;
    else
        to->first = operand;
    to->last = operand;
    return true;
}

struct query *query_unwrap(struct query *q)
{
    return q && q->first == q->last ? q->first : q;
}

/* Append a term to `out`, which has room for it: a blank takes no more bytes
 * than what it replaces. Returns the new length. */
static size_t copy_term(quire_bytes term, char *out, size_t n)
{
    size_t at, len;
    uint32_t cp;

    for (at = 0; at < term.len; at += len) {
        len = query_next_char(term, at, &cp);
        if (cp == ' ') {
            out[n++] = ' ';
        } else {
            memcpy(out + n, (const char *)term.data + at, len);
            n += len;
        }
    }
    return n;
}

struct query *query_words(const quire_bytes *terms, size_t n, bool prefix,
                          struct arena *keep)
{
    struct query *q = query_new(QUERY_WORDS, keep);
    size_t size = n, len = 0, i;
    char *text;

    for (i = 0; i < n; i++)
        size += terms[i].len;
    text = arena_alloc(keep, size);
    if (!q || !text)
        return NULL;
    for (i = 0; i < n; i++) {
        if (i > 0)
            text[len++] = ' ';
        len = copy_term(terms[i], text, len);
    }
    q->text = bytes_of(text, len);
    q->prefix = prefix;
    return q;
}

/* ---- terms -------------------------------------------------------------- */

void query_terms_init(struct query_terms *t, quire_bytes text)
{
    *t = (struct query_terms){.text = query_shorten(text)};
}

bool query_next_term(struct query_terms *t, quire_bytes *term)
{
    while (t->at < t->text.len && t->n < QUERY_MAX_TERMS) {
        t->in_quotes = t->quoted;
        *term = next_term(t->text, &t->at, &t->quoted);
        if (query_has_letter(*term)) {
            t->n++;
            return true;
        }
    }
    return false;
}

/* ---- operators ---------------------------------------------------------- */

struct term {
    quire_bytes text;
    bool quoted;
};

/* The terms of a text, and what is made of them. */
struct parse {
    struct term *terms; /* room for QUERY_MAX_TERMS */
    size_t n;
    enum query_mode mode;
    struct arena *keep;
    size_t count; /* of terms in the tree */
};

static bool is_word(const struct term *t, const char *word)
{
    return !t->quoted && bytes_is(t->text, word);
}

/* Whether the i-th term joins two others. */
static bool is_operator(const struct parse *p, size_t i, const char *word)
{
    return i > 0 && i + 1 < p->n && is_word(&p->terms[i], word);
}

/* "AND NOT" before a term. */
static bool is_and_not(const struct parse *p, size_t i)
{
    return i + 2 < p->n && is_operator(p, i, "AND") &&
           is_word(&p->terms[i + 1], "NOT");
}

static struct query *new_leaf(struct parse *p, size_t i, bool prefix)
{
    p->count++;
    return query_words(&p->terms[i].text, 1, prefix, p->keep);
}

/* Terms up to an OR: a AND b, or (a AND b) NOT (c OR d). The first is always a
 * term. *at is moved to where the next clause begins. NULL: out of memory. */
static struct query *parse_clause(struct parse *p, size_t *at)
{
    bool prefix = p->mode == QUERY_BEGINNING, whole = true;
    struct query *wanted = query_new(QUERY_AND, p->keep);
    struct query *unwanted = query_new(QUERY_OR, p->keep), *both;
    size_t i = *at;

    while (i < p->n && whole && (i == *at || !is_operator(p, i, "OR"))) {
        if (i > *at && is_and_not(p, i)) {
            whole = query_add(unwanted, new_leaf(p, i + 2, false));
            i += 3;
            continue;
        }
        if (i == *at || !is_operator(p, i, "AND"))
            whole = query_add(wanted, new_leaf(p, i, prefix));
        i++;
    }
    *at = i + 1;
    if (!whole || !unwanted)
        return NULL;
    if (!unwanted->first)
        return query_unwrap(wanted);
    both = query_new(QUERY_NOT, p->keep);
    return query_add(both, query_unwrap(wanted)) &&
                   query_add(both, query_unwrap(unwanted))
               ? both
               : NULL;
}

static void read_terms(quire_bytes text, struct parse *p)
{
    struct query_terms t;
    quire_bytes one;

    p->n = 0;
    query_terms_init(&t, text);
    while (p->n < QUERY_MAX_TERMS && query_next_term(&t, &one))
        p->terms[p->n++] = (struct term){one, t.in_quotes};
}

bool query_has_terms(quire_bytes text)
{
    struct query_terms t;
    quire_bytes one;

    query_terms_init(&t, text);
    return query_next_term(&t, &one);
}

bool query_has_alternatives(quire_bytes text)
{
    struct term terms[QUERY_MAX_TERMS];
    struct parse p = {.terms = terms};
    size_t i;

    read_terms(text, &p);
    for (i = 0; i < p.n; i++) {
        if (is_operator(&p, i, "OR") || is_and_not(&p, i))
            return true;
    }
    return false;
}

quire_status query_parse(quire_bytes text, enum query_mode mode,
                         struct arena *keep, struct query **out, size_t *n,
                         quire_error *err)
{
    struct term terms[QUERY_MAX_TERMS];
    struct parse p = {.terms = terms, .mode = mode, .keep = keep};
    struct query *any = query_new(QUERY_OR, keep);
    bool whole = any != NULL;
    size_t at = 0;

    read_terms(text, &p);
    while (at < p.n && whole) {
        if (mode == QUERY_ANY)
            whole = query_add(any, new_leaf(&p, at++, false));
        else
            whole = query_add(any, parse_clause(&p, &at));
    }
    *n = whole ? p.count : 0;
    *out = whole ? query_unwrap(any) : NULL;
    return whole ? QUIRE_OK : err_memory(err);
}

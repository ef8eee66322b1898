/*
 * query.c - trees, and the terms of a text
 *
 * A quote ends a term, so no leaf has one. A term without a letter or digit is left
 * out, since a phrase without words matches nothing.
 */
#include "search/query.h"

#include <string.h>

#include "base/bytes.h"
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

bool query_has_terms(quire_bytes text)
{
    struct query_terms t;
    quire_bytes one;

    query_terms_init(&t, text);
    return query_next_term(&t, &one);
}

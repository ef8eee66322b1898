/*
 * fts_query.c - user text as an FTS5 expression
 *
 * Every term becomes a quoted string, and in a string of FTS5 only the quote is
 * special. A quote never gets that far: it ends a term. So NEAR, *, ^, (, -x,
 * a:b and c++ are plain text, and the index splits them as it splits every text.
 * AND, OR and AND NOT between two terms are operators; everywhere else these
 * words are terms, and so is NOT alone: "IF NOT EXISTS" is no question.
 *
 * A term without a letter or digit is left out, since a phrase without words
 * matches nothing. Only SQLite knows which characters are letters, so
 * fts_letters.h lists just the ranges that certainly are not. Other non-letters
 * (rare signs) become a string without words. Between adjacent terms SQLite
 * drops such strings by itself, which it does not do for AND: hence the space.
 * A query of nothing else matches nothing.
 */
#include "store/fts_query.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "store/fts_letters.h"

/* More is not a query but a document. Each term is a walk through the index. */
#define MAX_TERMS 64
#define MAX_BYTES ((size_t)8 * 1024)

/* White space as in Unicode; and NUL, which no expression can hold. */
static bool is_space(uint32_t cp)
{
    static const struct letters_range spaces[] = {
        {0, 0},           {0x09, 0x0d},     {0x20, 0x20},     {0x85, 0x85},
        {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029},
        {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
    };

    return letters_within(cp, spaces, sizeof spaces / sizeof *spaces);
}

/* The next character, with a space for malformed bytes. */
static size_t next_char(quire_bytes text, size_t at, uint32_t *cp)
{
    bool bad = false;
    size_t len = utf8_decode(bytes_sub(text, at, text.len), cp, &bad);

    if (bad || is_space(*cp))
        *cp = ' ';
    return len;
}

static bool has_letter(quire_bytes term)
{
    uint32_t cp;
    size_t at;

    for (at = 0; at < term.len;) {
        at += next_char(term, at, &cp);
        if (cp != '_' && !letters_none(cp))
            return true;
    }
    return false;
}

/* The part of the text that is used. Half a word matches nothing, so the cut is
 * made at a space, if there is one. */
static quire_bytes shorten(quire_bytes text)
{
    size_t at, space = 0;
    uint32_t cp;

    if (text.len <= MAX_BYTES)
        return text;
    text.len = utf8_cut(text, MAX_BYTES);
    for (at = 0; at < text.len;) {
        size_t len = next_char(text, at, &cp);

        if (cp == ' ' && at)
            space = at;
        at += len;
    }
    return bytes_sub(text, 0, space ? space : text.len);
}

/* The next term from *at on, which is moved behind it. Terms may be empty. */
static quire_bytes next_term(quire_bytes text, size_t *at, bool *quoted)
{
    size_t from = *at, len;
    uint32_t cp;

    while (*at < text.len) {
        quire_bytes term = bytes_sub(text, from, *at);

        len = next_char(text, *at, &cp);
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

static void add_text(quire_bytes term, struct buf *out)
{
    size_t at, len;
    uint32_t cp;

    for (at = 0; at < term.len; at += len) {
        len = next_char(term, at, &cp);
        if (cp == ' ')
            buf_add_char(out, ' ');
        else
            buf_add(out, (const char *)term.data + at, len);
    }
}

void fts_add_phrase(const quire_bytes *terms, size_t n, struct buf *out)
{
    size_t i;

    buf_add_char(out, '"');
    for (i = 0; i < n; i++) {
        if (i > 0)
            buf_add_char(out, ' ');
        add_text(terms[i], out);
    }
    buf_add_char(out, '"');
}

void fts_terms_init(struct fts_terms *t, quire_bytes text)
{
    *t = (struct fts_terms){.text = shorten(text)};
}

bool fts_next_term(struct fts_terms *t, quire_bytes *term)
{
    while (t->at < t->text.len && t->n < MAX_TERMS) {
        t->in_quotes = t->quoted;
        *term = next_term(t->text, &t->at, &t->quoted);
        if (has_letter(*term)) {
            t->n++;
            return true;
        }
    }
    return false;
}

/* ---- expressions -------------------------------------------------------- */

struct term {
    quire_bytes text;
    bool quoted;
};

static bool is_word(const struct term *t, const char *word)
{
    return !t->quoted && bytes_is(t->text, word);
}

/* Whether the i-th of `n` terms joins two others. */
static bool is_operator(const struct term *t, size_t n, size_t i,
                        const char *word)
{
    return i > 0 && i + 1 < n && is_word(&t[i], word);
}

/* "AND NOT" before a term. */
static bool is_and_not(const struct term *t, size_t n, size_t i)
{
    return i + 2 < n && is_operator(t, n, i, "AND") &&
           is_word(&t[i + 1], "NOT");
}

static void add_term(const struct term *t, enum fts_mode mode, struct buf *out)
{
    fts_add_phrase(&t->text, 1, out);
    if (mode == FTS_PREFIX)
        buf_add_str(out, " *");
}

/* Terms up to an OR: "a" "b", or ("a" "b") NOT ("c" OR "d"). The first is always
 * a term. Returns where the next clause begins. */
static size_t add_clause(const struct term *t, size_t n, size_t from,
                         enum fts_mode mode, size_t *count, struct buf *out)
{
    const struct term *unwanted[MAX_TERMS];
    struct buf terms = BUF_INIT(2 * MAX_BYTES + 16 * (size_t)MAX_TERMS);
    size_t i = from, k, n_unwanted = 0;

    while (i < n && (i == from || !is_operator(t, n, i, "OR"))) {
        if (i > from && is_and_not(t, n, i)) {
            unwanted[n_unwanted++] = &t[i + 2];
            i += 3;
            continue;
        }
        if (i == from || !is_operator(t, n, i, "AND")) {
            buf_add_str(&terms, i > from ? " " : "");
            add_term(&t[i], mode, &terms);
            (*count)++;
        }
        i++;
    }
    out->failed |= terms.failed;
    buf_add_str(out, n_unwanted ? "(" : "");
    buf_add(out, terms.data, terms.len);
    for (k = 0; k < n_unwanted; k++) {
        buf_add_str(out, k ? " OR " : ") NOT (");
        add_term(unwanted[k], FTS_ALL, out);
    }
    buf_add_str(out, n_unwanted ? ")" : "");
    *count += n_unwanted;
    buf_release(&terms);
    return i + 1;
}

static size_t read_terms(quire_bytes text, struct term terms[MAX_TERMS])
{
    struct fts_terms t;
    quire_bytes one;
    size_t n = 0;

    fts_terms_init(&t, text);
    while (n < MAX_TERMS && fts_next_term(&t, &one))
        terms[n++] = (struct term){one, t.in_quotes};
    return n;
}

bool fts_has_alternatives(quire_bytes text)
{
    struct term terms[MAX_TERMS];
    size_t n = read_terms(text, terms), i;

    for (i = 0; i < n; i++) {
        if (is_operator(terms, n, i, "OR") || is_and_not(terms, n, i))
            return true;
    }
    return false;
}

size_t fts_query(quire_bytes text, enum fts_mode mode, struct buf *out)
{
    struct term terms[MAX_TERMS];
    size_t n = read_terms(text, terms), i, count = 0;

    if (mode == FTS_ANY) {
        for (i = 0; i < n; i++) {
            buf_add_str(out, i > 0 ? " OR " : "");
            add_term(&terms[i], mode, out);
        }
        return n;
    }
    for (i = 0; i < n;) {
        buf_add_str(out, i > 0 ? " OR " : "");
        i = add_clause(terms, n, i, mode, &count, out);
    }
    return count;
}

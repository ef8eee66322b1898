/*
 * language_lexer.c - the tokens of a query
 *
 * Syntax counts where a term begins: at the start, behind white space, behind
 * "(", ")" and "-". Elsewhere its characters are part of a word: f(x), a-b,
 * std::vector, a|b.
 */
#include "search/language_lexer.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/utf8.h"
#include "search/language_regex.h"
#include "search/query_text.h"

/* Words between phrases, if NEAR() has no number: that of FTS5. */
#define NEAR_REACH 10

static const char why_letter[] = "no letter or digit";
static const char why_utf8[] = "not UTF-8";
static const char why_deep[] = "parentheses nested too deeply";
static const char why_open[] = "parenthesis is not closed";
static const char why_terms[] = "more than 64 terms";
static const char why_long[] = "longer than 8 KiB";

struct lexer {
    quire_bytes text;
    size_t at;
    bool words_only;
    struct token *tokens; /* room for each byte, and a note at the end */
    size_t n, n_terms;
    size_t *opens; /* tokens of parentheses that are open */
    size_t n_open;
};

/* ---- characters --------------------------------------------------------- */

static char char_at(const struct lexer *x, size_t at)
{
    return at < x->text.len ? ((const char *)x->text.data)[at] : ' ';
}

static bool is_space_at(const struct lexer *x, size_t at)
{
    uint32_t cp = ' ';

    if (at < x->text.len)
        query_next_char(x->text, at, &cp);
    return cp == ' ';
}

/* Typographic quotes come in any pair: languages differ in which one opens. */
static bool is_quote(uint32_t cp)
{
    return cp == '"' || cp == 0x201c || cp == 0x201d || cp == 0x201e;
}

static bool is_quote_at(const struct lexer *x, size_t at)
{
    uint32_t cp = ' ';

    if (at < x->text.len)
        query_next_char(x->text, at, &cp);
    return is_quote(cp);
}

static bool is_escape(quire_bytes text, size_t at)
{
    const char *c = text.data;

    return c[at] == '\\' && at + 1 < text.len && c[at + 1] &&
           strchr("\"()-*/:\\", c[at + 1]);
}

/* A parenthesis at `at` that would close one of the text. */
static bool closes_at(const struct lexer *x, size_t at)
{
    return x->n_open > 0 && char_at(x, at) == ')';
}

/* White space, the end, or a parenthesis that closes. */
static bool ends_at(const struct lexer *x, size_t at)
{
    return is_space_at(x, at) || closes_at(x, at);
}

/* Where the word from `at` on ends. Parentheses within it belong to it. */
static size_t word_end(const struct lexer *x, size_t at)
{
    size_t inner = 0;

    while (!is_space_at(x, at) && !is_quote_at(x, at)) {
        uint32_t cp;

        if (!x->words_only && is_escape(x->text, at)) {
            at += 2;
            continue;
        }
        if (closes_at(x, at) && inner == 0 && !x->words_only)
            break;
        at += query_next_char(x->text, at, &cp);
        inner += cp == '(';
        inner -= cp == ')' && inner > 0;
    }
    return at;
}

/* The offset of the quote that ends a phrase whose first character is at `at`;
 * without one, the end of the text. A typographic quote does not end what "
 * began: it is text. */
static size_t phrase_end(const struct lexer *x, size_t at, bool typographic)
{
    uint32_t cp;

    while (at < x->text.len) {
        size_t len = query_next_char(x->text, at, &cp);

        if (!x->words_only && is_escape(x->text, at)) {
            at += 2;
            continue;
        }
        if (cp == '"' || (typographic && is_quote(cp)))
            break;
        at += len;
    }
    return at;
}

/* ---- adding tokens ------------------------------------------------------ */

/* The last token, if it ends where the lexer is. */
static struct token *adjacent(const struct lexer *x)
{
    struct token *last = x->n ? &x->tokens[x->n - 1] : NULL;
    const char *here = (const char *)x->text.data + x->at;

    return last && (const char *)last->all.data + last->all.len == here ? last
                                                                        : NULL;
}

static bool after_minus(const struct lexer *x)
{
    const struct token *last = adjacent(x);

    return last && last->kind == TOKEN_MINUS;
}

/* Add the token up to `to` and move there. */
static struct token *add_token(struct lexer *x, enum token_kind kind, size_t to)
{
    struct token *t = &x->tokens[x->n++];

    *t = (struct token){.kind = kind, .all = bytes_sub(x->text, x->at, to)};
    t->content = t->all;
    x->at = to;
    return t;
}

/* The minus before it has no effect, either. */
static void ignore(struct lexer *x, size_t to, const char *why)
{
    if (after_minus(x)) {
        x->n--;
        x->at--;
    }
    add_token(x, TOKEN_IGNORED, to)->why = why;
}

/* A term: [from, content_to) of [x->at, to). */
static void add_term(struct lexer *x, enum token_kind kind, size_t from,
                     size_t content_to, size_t to)
{
    quire_bytes content = bytes_sub(x->text, from, content_to);

    if (kind != TOKEN_REGEX && !query_has_letter(content)) {
        ignore(x, to, why_letter);
        return;
    }
    add_token(x, kind, to)->content = content;
    x->n_terms++;
}

/* ---- quotes ------------------------------------------------------------- */

/* The content of the quotes at `at`: from *from to *content_to; returns where
 * they end. */
static size_t read_quotes(const struct lexer *x, size_t at, size_t *from,
                          size_t *content_to)
{
    uint32_t cp;

    *from = at + query_next_char(x->text, at, &cp);
    *content_to = at = phrase_end(x, *from, cp != '"');
    return at < x->text.len ? at + query_next_char(x->text, at, &cp) : at;
}

static void read_phrase(struct lexer *x)
{
    size_t from, content_to, to = read_quotes(x, x->at, &from, &content_to);
    bool prefix = !x->words_only && char_at(x, to) == '*' && ends_at(x, to + 1);
    size_t n_terms = x->n_terms;

    add_term(x, TOKEN_WORDS, from, content_to, to + prefix);
    if (x->n_terms > n_terms) {
        x->tokens[x->n - 1].quoted = true;
        x->tokens[x->n - 1].prefix = prefix;
    }
}

/* ---- words -------------------------------------------------------------- */

static bool read_operator(struct lexer *x, size_t to)
{
    static const struct {
        const char *text;
        enum token_kind kind;
    } operators[] = {
        {"OR", TOKEN_OR},   {"|", TOKEN_OR},   {"||", TOKEN_OR},
        {"AND", TOKEN_AND}, {"&&", TOKEN_AND}, {"NOT", TOKEN_NOT},
    };
    quire_bytes word = bytes_sub(x->text, x->at, to);
    size_t i;

    for (i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (bytes_is(word, operators[i].text)) {
            add_token(x, operators[i].kind, to);
            return true;
        }
    }
    return false;
}

/* One to three digits from `from` to `to`. */
static bool read_reach(const struct lexer *x, size_t from, size_t to, int *out)
{
    size_t i;

    *out = 0;
    for (i = from; i < to; i++) {
        char c = char_at(x, i);

        if (c < '0' || c > '9')
            return false;
        *out = *out * 10 + (c - '0');
        if (i - from == 3)
            return false;
    }
    return to > from;
}

/* near/5 */
static bool read_near(struct lexer *x, size_t to)
{
    static const char name[] = "near/";
    size_t i;
    int reach;

    for (i = 0; name[i]; i++) {
        char c = char_at(x, x->at + i);

        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != name[i])
            return false;
    }
    if (x->at + i > to || !read_reach(x, x->at + i, to, &reach))
        return false;
    add_token(x, TOKEN_NEAR, to)->reach = reach;
    return true;
}

/* The end of the content of NEAR(: its comma or parenthesis. *close is the
 * parenthesis. False: another parenthesis comes first, or none. */
static bool find_near_end(const struct lexer *x, size_t at, size_t *comma,
                          size_t *close)
{
    *comma = 0;
    while (at < x->text.len && char_at(x, at) != ')') {
        size_t from, to;

        if (char_at(x, at) == '(')
            return false;
        if (char_at(x, at) == ',')
            *comma = at;
        if (is_quote_at(x, at))
            at = read_quotes(x, at, &from, &to);
        else
            at += is_escape(x->text, at) ? 2 : 1;
    }
    *close = at;
    return at < x->text.len;
}

/* NEAR(a "b c", 5), as FTS5 has it. */
static bool read_near_call(struct lexer *x)
{
    static const char name[] = "NEAR(";
    size_t from = x->at + strlen(name), comma, close, end;
    struct token *t;
    int reach = NEAR_REACH;

    if (from > x->text.len ||
        !bytes_is(bytes_sub(x->text, x->at, from), name) ||
        !find_near_end(x, from, &comma, &close) || !ends_at(x, close + 1))
        return false;
    end = comma ? comma : close;
    if (comma) {
        size_t to = close;

        for (comma++; comma < to && char_at(x, comma) == ' ';)
            comma++;
        while (to > comma && char_at(x, to - 1) == ' ')
            to--;
        if (!read_reach(x, comma, to, &reach))
            return false;
    }
    if (!query_has_letter(bytes_sub(x->text, from, end)))
        return false;
    t = add_token(x, TOKEN_NEAR_CALL, close + 1);
    t->content = bytes_sub(x->text, from, end);
    t->reach = reach;
    x->n_terms++;
    return true;
}

static bool read_filter(struct lexer *x, size_t to)
{
    enum filter_key key;
    size_t from, content_to = to;
    bool quoted;
    struct token *t;

    if (!filter_find_key(bytes_sub(x->text, x->at, to), &key, &from))
        return false;
    from += x->at;
    quoted = from == to && is_quote_at(x, to);
    if (quoted)
        to = read_quotes(x, to, &from, &content_to);
    t = add_token(x, TOKEN_FILTER, to);
    t->content = bytes_sub(x->text, from, content_to);
    t->key = key;
    t->quoted = quoted;
    return true;
}

/* Whether the character before `at` is a star without a backslash. */
static bool ends_with_star(const struct lexer *x, size_t from, size_t at)
{
    size_t n = 0;

    if (at <= from || char_at(x, at - 1) != '*')
        return false;
    while (at - 1 - n > from && char_at(x, at - 2 - n) == '\\')
        n++;
    return n % 2 == 0;
}

/* *part*, *part and *"some text"* */
static bool read_substring(struct lexer *x, size_t to)
{
    size_t from = x->at, content_to = to;

    while (from < to && char_at(x, from) == '*')
        from++;
    if (from == x->at)
        return false;
    if (from == to && is_quote_at(x, to)) {
        to = read_quotes(x, to, &from, &content_to);
        while (char_at(x, to) == '*')
            to++;
    } else {
        while (ends_with_star(x, from, content_to))
            content_to--;
    }
    add_term(x, TOKEN_SUBSTRING, from, content_to, to);
    return true;
}

static void read_plain_word(struct lexer *x, size_t to)
{
    size_t content_to = to, n_terms = x->n_terms;

    while (!x->words_only && ends_with_star(x, x->at, content_to))
        content_to--;
    add_term(x, TOKEN_WORDS, x->at, content_to, to);
    if (x->n_terms > n_terms)
        x->tokens[x->n - 1].prefix = content_to < to;
}

/* A word where syntax counts. */
static void read_word(struct lexer *x)
{
    size_t to = word_end(x, x->at);

    if (!after_minus(x) && (read_operator(x, to) || read_near(x, to)))
        return;
    if (!read_near_call(x) && !read_filter(x, to) && !read_substring(x, to))
        read_plain_word(x, to);
}

/* ---- the rest of the syntax --------------------------------------------- */

static bool read_regex(struct lexer *x)
{
    struct language_regex r;
    size_t to;

    if (!language_regex_find(bytes_sub(x->text, x->at, x->text.len),
                             x->n_open > 0, &r))
        return false;
    to = x->at + r.len;
    add_term(x, TOKEN_REGEX, x->at + 1, x->at + 1 + r.body.len, to);
    x->tokens[x->n - 1].sensitive = r.sensitive;
    return true;
}

/* A minus before a term. --force and a minus alone are words. */
static bool read_minus(struct lexer *x)
{
    if (char_at(x, x->at) != '-' || after_minus(x) ||
        char_at(x, x->at + 1) == '-' || ends_at(x, x->at + 1))
        return false;
    add_token(x, TOKEN_MINUS, x->at + 1);
    return true;
}

static bool read_parenthesis(struct lexer *x)
{
    struct token *t;

    if (closes_at(x, x->at)) {
        t = add_token(x, TOKEN_CLOSE, x->at + 1);
        if (x->n_open-- > LANGUAGE_MAX_DEPTH) {
            t->kind = TOKEN_IGNORED;
            t->why = why_deep;
        }
        return true;
    }
    if (char_at(x, x->at) != '(')
        return false;
    if (x->n_open >= LANGUAGE_MAX_DEPTH)
        ignore(x, x->at + 1, why_deep);
    else
        add_token(x, TOKEN_OPEN, x->at + 1);
    x->opens[x->n_open++] = x->n - 1;
    return true;
}

/* Where syntax counts: not directly behind a word or a phrase. */
static bool at_boundary(const struct lexer *x)
{
    const struct token *last = adjacent(x);

    return !last || last->kind == TOKEN_MINUS || last->kind == TOKEN_OPEN ||
           last->kind == TOKEN_CLOSE || last->why == why_deep ||
           last->why == why_utf8;
}

static void read_token(struct lexer *x)
{
    bool boundary = at_boundary(x) && !x->words_only;

    if (is_quote_at(x, x->at))
        read_phrase(x);
    else if (boundary) {
        if (!read_parenthesis(x) && !read_minus(x) && !read_regex(x))
            read_word(x);
    } else if (!closes_at(x, x->at) || !read_parenthesis(x))
        read_plain_word(x, word_end(x, x->at));
}

/* ---- the whole text ----------------------------------------------------- */

/* Skip white space, and ignore malformed bytes. */
static void skip_space(struct lexer *x)
{
    while (x->at < x->text.len && is_space_at(x, x->at)) {
        uint32_t cp;
        bool bad = false;
        size_t len = utf8_decode(bytes_sub(x->text, x->at, x->text.len), &cp,
                                 &bad);

        if (bad)
            ignore(x, x->at + len, why_utf8);
        else
            x->at += len;
    }
}

/* Parentheses that are not closed have no effect, nor has a minus before. */
static void drop_open(struct lexer *x)
{
    while (x->n_open > 0) {
        size_t i = x->opens[--x->n_open];
        struct token *t = &x->tokens[i];

        if (t->kind == TOKEN_OPEN) {
            t->kind = TOKEN_IGNORED;
            t->why = why_open;
        }
        if (i > 0 && t[-1].kind == TOKEN_MINUS) {
            t[-1].kind = TOKEN_IGNORED;
            t[-1].why = why_open;
        }
    }
}

/* Replace what follows the n-th token by a note up to `end`, with operators
 * that have lost their operand. */
static void cut(struct lexer *x, size_t n, const void *end, const char *why)
{
    const char *from;

    while (n > 0 && x->tokens[n - 1].kind >= TOKEN_MINUS &&
           x->tokens[n - 1].kind <= TOKEN_NEAR)
        n--;
    from = n < x->n ? x->tokens[n].all.data
                    : (const char *)x->text.data + x->at;
    x->tokens[n] = (struct token){
        .kind = TOKEN_IGNORED,
        .all = bytes_of(from, (size_t)((const char *)end - from)),
        .why = why,
    };
    x->n = n + 1;
}

static void read_text(struct lexer *x, quire_bytes whole)
{
    const char *end = (const char *)whole.data + whole.len;

    for (skip_space(x); x->at < x->text.len; skip_space(x)) {
        size_t n = x->n;

        read_token(x);
        if (x->n_terms > QUERY_MAX_TERMS) {
            cut(x, n, end, why_terms);
            break;
        }
    }
    if (x->at == x->text.len && x->text.len < whole.len &&
        x->n_terms <= QUERY_MAX_TERMS)
        cut(x, x->n, end, why_long);
    drop_open(x);
}

quire_status language_tokens(quire_bytes text, bool words_only,
                             struct arena *arena, struct tokens *out,
                             quire_error *err)
{
    struct lexer x = {.text = query_shorten(text), .words_only = words_only};

    x.tokens = arena_array(arena, x.text.len + 1, sizeof *x.tokens);
    x.opens = arena_array(arena, x.text.len + 1, sizeof *x.opens);
    if (!x.tokens || !x.opens)
        return err_memory(err);
    if (text.len) /* else its address may be NULL */
        read_text(&x, text);
    *out = (struct tokens){x.tokens, x.n};
    return QUIRE_OK;
}

quire_bytes token_text(const struct token *t, bool with_quotes,
                       bool with_escapes, struct arena *keep)
{
    quire_bytes from = t->content;
    char *out = arena_alloc(keep, from.len);
    size_t at, len, n = 0;

    for (at = 0; out && at < from.len; at += len) {
        uint32_t cp;

        at += with_escapes && is_escape(from, at);
        len = query_next_char(from, at, &cp);
        if (cp == ' ' || (cp == '"' && !with_quotes))
            out[n++] = ' ';
        else {
            memcpy(out + n, (const char *)from.data + at, len);
            n += len;
        }
    }
    return bytes_of(out, n);
}

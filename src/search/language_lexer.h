/*
 * language_lexer.h - the tokens of a query
 *
 * The lexer decides by the characters alone; whether an operator has operands
 * is for the parser (search/language.c). It returns the whole text: each byte
 * that is not white space belongs to a token.
 */
#ifndef SEARCH_LANGUAGE_LEXER_H
#define SEARCH_LANGUAGE_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "quire.h"
#include "search/filter.h"

enum { LANGUAGE_MAX_DEPTH = 32 }; /* of parentheses */

enum token_kind {
    TOKEN_WORDS, /* a word or a phrase; with `prefix`, `*` follows       */
    TOKEN_SUBSTRING,
    TOKEN_REGEX,
    TOKEN_FILTER,
    TOKEN_OPEN, /* each has its TOKEN_CLOSE                              */
    TOKEN_CLOSE,
    TOKEN_MINUS, /* directly before one of the above but TOKEN_CLOSE, or
                  * before TOKEN_NEAR_CALL                               */
    TOKEN_NOT,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NEAR,      /* near/5                                           */
    TOKEN_NEAR_CALL, /* NEAR(a "b c", 5): `content` is `a "b c"`         */
    TOKEN_IGNORED,   /* of no effect; `why` is a static text             */
};

struct token {
    enum token_kind kind;
    quire_bytes all;     /* where it stands in the text                  */
    quire_bytes content; /* without quotes, stars, slashes, the key...   */
    bool quoted;
    bool prefix;         /* TOKEN_WORDS */
    bool sensitive;      /* TOKEN_REGEX */
    int reach;           /* TOKEN_NEAR, TOKEN_NEAR_CALL */
    enum filter_key key; /* TOKEN_FILTER */
    const char *why;     /* TOKEN_IGNORED */
    bool beside_filter;  /* for the parser */
};

struct tokens {
    struct token *list;
    size_t n;
};

/* Split a text into tokens, which are the arena's and refer to the text. With
 * `words_only` there are TOKEN_WORDS and TOKEN_IGNORED only. QUIRE_NO_MEMORY. */
quire_status language_tokens(quire_bytes text, bool words_only,
                             struct arena *arena, struct tokens *out,
                             quire_error *err);

/* Copy the content of a token without its backslashes: before one of
 * " ( ) - * / : \ it is an escape. White space and malformed bytes become
 * blanks, and quotes, too, unless `with_quotes`. .data is NULL when out of
 * memory. */
quire_bytes token_text(const struct token *t, bool with_quotes,
                       bool with_escapes, struct arena *keep);

#endif

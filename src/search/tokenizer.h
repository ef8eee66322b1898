/*
 * tokenizer.h - split text into the tokens of an index
 *
 * A word is a run of letters and digits of any script, "_" and combining marks.
 * Its token is folded: without case and accents. An identifier has a token for
 * each part and for the whole; Chinese, Japanese and Korean have one for each
 * character and each pair. tokenizer.c describes them.
 *
 * Folding depends on the single character only, so that the folded form of a
 * part of a text is a part of the folded text. Nothing is allocated.
 */
#ifndef SEARCH_TOKENIZER_H
#define SEARCH_TOKENIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "quire.h"

enum { TOKEN_BYTES_MAX = 64 };

struct token {
    quire_bytes text;  /* folded, not empty, at most TOKEN_BYTES_MAX; lent until
                        * the function returns */
    uint32_t place;    /* counts from 0; several tokens may share a place */
    uint32_t from, to; /* the bytes of the input it represents */
};

typedef void (*token_fn)(void *ctx, const struct token *t);

struct tokenize_result {
    uint32_t n_places;
    bool left_out; /* a word was cut, or data such as base64 has no token */
};

/* Tokens of a document of less than 4 GiB, places ascending. Any bytes: damaged
 * UTF-8 separates words. */
struct tokenize_result tokenize_document(quire_bytes text, token_fn each,
                                         void *ctx);

/* Tokens of a query: one for each place, the most specific. */
struct tokenize_result tokenize_query(quire_bytes text, token_fn each,
                                      void *ctx);

/* A piece of a text that is searched as a substring: as much of one word as the
 * text has. A document that contains the text, and whose tokenize_document()
 * left nothing out, has these tokens:
 *
 *     closed on both sides    one that equals the piece
 *     open_left               one that ends with it
 *     open_right              one that begins with it
 *     both                    one that contains it
 *     cjk, one character      one that equals it
 *     cjk, more               each two characters that follow each other
 *
 * Words longer than TOKEN_BYTES_MAX are cut and open on the right. */
struct text_piece {
    quire_bytes text; /* folded, not empty; lent until the function returns */
    bool cjk;
    bool open_left;  /* it begins with the text: the word may begin earlier */
    bool open_right; /* it ends with the text: the word may continue */
};

typedef void (*text_piece_fn)(void *ctx, const struct text_piece *p);

/* The pieces of a text. A word of underscores only is not a piece. */
void tokenize_pieces(quire_bytes text, text_piece_fn each, void *ctx);

/* Add the folded text to `out`, separators and damaged bytes as they are. With
 * `map` (may be NULL), an array of text.len + 1: for each byte of the input,
 * where its character begins in what was added (a mark that is removed: where
 * the next begins); last, the length of that, which is to be below 4 GiB. */
void fold_text(quire_bytes text, struct buf *out, uint32_t *map);

#endif

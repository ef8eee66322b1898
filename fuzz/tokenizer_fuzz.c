/*
 * tokenizer_fuzz.c - any bytes as a document, a query and a substring
 *
 * The first two bytes of the input choose the substring of the rest. Its pieces
 * are among the tokens of the document unless something was left out, and its
 * folded form is a part of the folded document.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "holds.h"
#include "search/tokenizer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 4096, TOKENS_MAX = 4 * TEXT_MAX };

static struct bag {
    struct {
        char text[TOKEN_BYTES_MAX];
        size_t len;
    } tokens[TOKENS_MAX];
    size_t n;
    size_t input_len;
    struct token first; /* of its place */
} bag;

static void keep_token(void *ctx, const struct token *t)
{
    struct bag *b = ctx;

    HOLDS(t->text.len > 0 && t->text.len <= TOKEN_BYTES_MAX);
    HOLDS(utf8_check(t->text));
    HOLDS(t->from < t->to && t->to <= b->input_len);
    HOLDS(b->n < TOKENS_MAX);
    if (b->n && t->place != b->first.place)
        HOLDS(t->place > b->first.place && t->from >= b->first.to);
    if (!b->n || t->place != b->first.place)
        b->first = *t;
    memcpy(b->tokens[b->n].text, t->text.data, t->text.len);
    b->tokens[b->n++].len = t->text.len;
}

static void count_token(void *ctx, const struct token *t)
{
    uint32_t *n = ctx;

    /* One token a place; data takes one without. */
    HOLDS(t->place >= *n);
    *n = t->place + 1;
}

static bool has_token(quire_bytes text, bool open_left, bool open_right)
{
    size_t i, at, len;

    for (i = 0; i < bag.n; i++) {
        len = bag.tokens[i].len;
        for (at = 0; at + text.len <= len; at++) {
            if ((open_left || at == 0) &&
                (open_right || at + text.len == len) &&
                !memcmp(bag.tokens[i].text + at, text.data, text.len))
                return true;
        }
    }
    return false;
}

static void check_piece(void *ctx, const struct text_piece *p)
{
    size_t at = 0, first, second;
    uint32_t cp;

    HOLDS(p->text.len > 0 && utf8_check(p->text));
    if (*(const bool *)ctx)
        return;
    if (!p->cjk) {
        HOLDS(has_token(p->text, p->open_left, p->open_right));
        return;
    }
    first = utf8_decode(p->text, &cp, NULL);
    HOLDS(first < p->text.len || has_token(p->text, false, false));
    for (; at + first < p->text.len; at += first, first = second) {
        second = utf8_decode(bytes_sub(p->text, at + first, p->text.len), &cp,
                             NULL);
        HOLDS(has_token(bytes_sub(p->text, at, at + first + second), false,
                        false));
    }
}

/* The first boundary of a character at `at` or behind it. */
static size_t boundary(quire_bytes text, size_t at)
{
    size_t i = 0;
    uint32_t cp;

    while (i < at && i < text.len)
        i += utf8_decode(bytes_sub(text, i, text.len), &cp, NULL);
    return i;
}

static void check_fold(quire_bytes text, size_t from, size_t to)
{
    static uint32_t map[TEXT_MAX + 1];
    struct buf all = BUF_INIT(2 * TEXT_MAX), part = BUF_INIT(2 * TEXT_MAX);
    struct buf again = BUF_INIT(2 * TEXT_MAX);

    fold_text(text, &all, map);
    fold_text(buf_bytes(&all), &again, NULL);
    fold_text(bytes_sub(text, from, to), &part, NULL);
    HOLDS(!all.failed && !part.failed && map[text.len] == all.len);
    HOLDS(part.len == map[to] - map[from]);
    HOLDS(!part.len || !memcmp(part.data, all.data + map[from], part.len));
    /* Damaged bytes may meet when a mark between them is removed. */
    HOLDS(!utf8_check(text) || bytes_equal(buf_bytes(&all), buf_bytes(&again)));
    buf_release(&all);
    buf_release(&part);
    buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tokenize_result r;
    quire_bytes text;
    uint32_t n = 0;
    size_t from, to;

    if (size < 2)
        return 0;
    text = bytes_of(data + 2, size - 2 < TEXT_MAX ? size - 2 : TEXT_MAX);
    bag.n = 0;
    bag.input_len = text.len;
    r = tokenize_document(text, keep_token, &bag);
    HOLDS(!bag.n || bag.first.place < r.n_places);
    HOLDS(tokenize_query(text, count_token, &n).n_places >= n);
    from = boundary(text, data[0] * text.len / 256);
    to = boundary(text, from + data[1] * (text.len - from) / 255);
    tokenize_pieces(bytes_sub(text, from, to), check_piece, &r.left_out);
    check_fold(text, from, to);
    return 0;
}

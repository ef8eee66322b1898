/*
 * regex_literals_fuzz.c - the literals of any pattern, beside PCRE2
 *
 * The input is a pattern, and behind a NUL a text. A text with a match, with or
 * without case, satisfies the tree of literals.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "holds.h"
#include "search/regex_literals.h"

/* At one place; a pattern that takes more is not compared. */
#define STEPS_MAX 10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_match(quire_bytes pattern, uint32_t options, quire_bytes text)
{
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    size_t at;
    int code;
    pcre2_code *c = pcre2_compile(pattern.data, pattern.len,
                                  options | PCRE2_UTF, &code, &at, NULL);
    bool found = false;

    HOLDS(context && data);
    pcre2_set_match_limit(context, STEPS_MAX);
    if (c)
        found = pcre2_match(c, text.data, text.len, 0, 0, data, context) >= 0;
    pcre2_code_free(c);
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    return found;
}

static bool satisfies(quire_bytes text, const struct query *q)
{
    const struct query *one;

    if (q->op == QUERY_SUBSTRING)
        return is_match(q->text, PCRE2_LITERAL | PCRE2_CASELESS, text);
    for (one = q->first; one; one = one->next) {
        if (satisfies(text, one) == (q->op == QUERY_OR))
            return q->op == QUERY_OR;
    }
    return q->op == QUERY_AND;
}

/* Returns the number of leaves. */
static size_t check_tree(const struct query *q)
{
    const struct query *one;
    size_t n = 0;

    if (q->op == QUERY_SUBSTRING) {
        HOLDS(q->text.len >= 3 && utf8_check(q->text));
        HOLDS(!memchr(q->text.data, '\0', q->text.len));
        return 1;
    }
    HOLDS(q->op == QUERY_AND || q->op == QUERY_OR);
    HOLDS(q->first && q->first != q->last);
    for (one = q->first; one; one = one->next)
        n += check_tree(one);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
    quire_bytes pattern = bytes_of(data, nul ? (size_t)(nul - data) : size);
    quire_bytes text = nul ? bytes_of(nul + 1, size - pattern.len - 1)
                           : bytes_of("", 0);
    struct arena keep = ARENA_INIT;
    struct query *tree;

    HOLDS(!regex_literals(pattern, &keep, &tree, NULL));
    if (tree) {
        HOLDS(check_tree(tree) <= REGEX_LITERALS_MAX);
        if (utf8_check(text) && (is_match(pattern, PCRE2_CASELESS, text) ||
                                 is_match(pattern, 0, text)))
            HOLDS(satisfies(text, tree));
    }
    arena_release(&keep);
    return 0;
}

/*
 * search_query_fuzz.c - any text as a query of the search language
 *
 * The tree has the shape that search/language.h states, its texts are UTF-8
 * without NUL, notes are slices of the query in order, and the printed tree
 * parses to the same tree.
 */
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "holds.h"
#include "search/language.h"
#include "search/query_text.h"

#define NOW_US ((int64_t)1774960496789000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_leaf(const struct query *q)
{
    return q->op == QUERY_WORDS || q->op == QUERY_SUBSTRING ||
           q->op == QUERY_REGEX;
}

static void check_text(quire_bytes text)
{
    HOLDS(text.len > 0 && utf8_check(text));
    HOLDS(!memchr(text.data, '\0', text.len));
}

/* Returns the number of leaves. */
static size_t check_tree(const struct query *q, int depth)
{
    const struct query *one;
    size_t n = 0, n_operands = 0;

    /* Each parenthesis has at most OR, NOT, AND or OR, and NEAR in it. */
    HOLDS(depth <= 4 * 33);
    if (is_leaf(q)) {
        check_text(q->text);
        HOLDS(q->op != QUERY_WORDS || !memchr(q->text.data, '"', q->text.len));
        HOLDS(!q->first && (q->op == QUERY_WORDS || !q->prefix));
        return 1;
    }
    HOLDS(q->op != QUERY_EVERY);
    for (one = q->first; one; one = one->next, n_operands++) {
        HOLDS(one->op != q->op || q->op == QUERY_NOT);
        HOLDS(q->op != QUERY_NEAR || one->op == QUERY_WORDS);
        if (q->op != QUERY_NOT || one != q->first || one->op != QUERY_EVERY)
            n += check_tree(one, depth + 1);
    }
    HOLDS(n_operands >= 2 && (q->op != QUERY_NOT || n_operands == 2));
    return n;
}

static void check_notes(const struct search_language *l, quire_bytes text)
{
    const struct search_ignored *i;
    const struct search_filter *f;
    const char *at = text.data, *end = at + text.len;

    for (i = l->ignored; i; i = i->next) {
        const char *from = i->text.data;

        HOLDS(i->why && i->text.len > 0);
        HOLDS(from >= at && from + i->text.len <= end);
        at = from + i->text.len;
    }
    for (f = l->filters; f; f = f->next)
        check_text(f->value);
}

/* A longer query is cut. */
static void check_print(const struct search_language *l)
{
    struct buf once = BUF_INIT((size_t)1 << 20), twice = once;
    struct arena keep = ARENA_INIT;
    struct search_language again;

    search_language_print(l->tree, &once);
    HOLDS(!once.failed);
    if (once.len <= QUERY_MAX_BYTES) {
        HOLDS(!search_language_parse(buf_bytes(&once), NOW_US, false, &keep,
                                     &again, NULL));
        search_language_print(again.tree, &twice);
        HOLDS(bytes_equal(buf_bytes(&once), buf_bytes(&twice)));
        HOLDS(again.n_terms == l->n_terms);
        HOLDS(!again.ignored && !again.filters);
    }
    buf_release(&once);
    buf_release(&twice);
    arena_release(&keep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    quire_bytes text = bytes_of(size ? (const void *)data : "", size);
    struct arena keep = ARENA_INIT;
    struct search_language l;
    int64_t us;
    int words_only;

    for (words_only = 0; words_only < 2; words_only++) {
        HOLDS(
            !search_language_parse(text, NOW_US, words_only, &keep, &l, NULL));
        HOLDS(l.n_terms <= QUERY_MAX_TERMS);
        HOLDS(l.n_terms == (l.tree ? check_tree(l.tree, 1) : 0));
        HOLDS(!l.plain || l.tree);
        check_notes(&l, text);
        check_print(&l);
        arena_reset(&keep);
    }
    search_parse_time(text, NOW_US, &us);
    arena_release(&keep);
    return 0;
}

/*
 * language_print.c - a tree as a query
 *
 * Parentheses are written only where the tree needs them, so the text nests no
 * deeper than the one that was parsed.
 */
#include "search/language.h"

static void print_text(quire_bytes text, struct buf *out)
{
    const char *c = text.data;
    size_t i;

    buf_add_char(out, '"');
    for (i = 0; i < text.len; i++) {
        if (c[i] == '\\' || c[i] == '"')
            buf_add_char(out, '\\');
        buf_add_char(out, c[i]);
    }
    buf_add_char(out, '"');
}

static void print_leaf(const struct query *q, struct buf *out)
{
    if (q->op == QUERY_SUBSTRING)
        buf_add_char(out, '*');
    if (q->op == QUERY_REGEX) {
        buf_add_char(out, '/');
        buf_add(out, q->text.data, q->text.len);
        buf_add_str(out, q->sensitive ? "/" : "/i");
        return;
    }
    print_text(q->text, out);
    if (q->prefix || q->op == QUERY_SUBSTRING)
        buf_add_char(out, '*');
}

static void print_near(const struct query *q, struct buf *out)
{
    const struct query *one;

    buf_add_str(out, "NEAR(");
    for (one = q->first; one; one = one->next) {
        print_leaf(one, out);
        buf_add_str(out, one->next ? " " : "");
    }
    buf_addf(out, ", %d)", q->reach);
}

static void print_grouped(const struct query *q, struct buf *out)
{
    bool group = q->op == QUERY_AND || q->op == QUERY_OR || q->op == QUERY_NOT;

    buf_add_str(out, group ? "(" : "");
    search_language_print(q, out);
    buf_add_str(out, group ? ")" : "");
}

/* An operand of OR needs no parentheses: OR binds least. */
static void print_operands(const struct query *q, const char *between,
                           struct buf *out)
{
    const struct query *one;

    for (one = q->first; one; one = one->next) {
        if (q->op == QUERY_OR)
            search_language_print(one, out);
        else
            print_grouped(one, out);
        buf_add_str(out, one->next ? between : "");
    }
}

static void print_not(const struct query *q, struct buf *out)
{
    const struct query *wanted = q->first, *unwanted = wanted->next, *one;

    if (wanted->op == QUERY_AND)
        search_language_print(wanted, out);
    else if (wanted->op != QUERY_EVERY)
        print_grouped(wanted, out);
    if (wanted->op != QUERY_EVERY)
        buf_add_char(out, ' ');
    if (unwanted->op != QUERY_OR) {
        buf_add_char(out, '-');
        print_grouped(unwanted, out);
        return;
    }
    for (one = unwanted->first; one; one = one->next) {
        buf_add_char(out, '-');
        print_grouped(one, out);
        buf_add_str(out, one->next ? " " : "");
    }
}

void search_language_print(const struct query *tree, struct buf *out)
{
    if (!tree)
        return;
    switch (tree->op) {
    case QUERY_WORDS:
    case QUERY_SUBSTRING:
    case QUERY_REGEX: print_leaf(tree, out); break;
    case QUERY_NEAR: print_near(tree, out); break;
    case QUERY_AND: print_operands(tree, " ", out); break;
    case QUERY_OR: print_operands(tree, " OR ", out); break;
    case QUERY_NOT: print_not(tree, out); break;
    case QUERY_EVERY: break; /* within QUERY_NOT only */
    }
}

/*
 * fts5_expression.c - a query as an FTS5 expression
 *
 * In a string of FTS5 only the quote is special. Between adjacent strings FTS5
 * leaves out those without a word by itself, which it does not do for AND:
 * hence the blank as operator between leaves.
 */
#include "search/fts5.h"

static void add_string(const struct query *q, struct buf *out)
{
    const char *text = q->text.data;
    size_t i;

    buf_add_char(out, '"');
    for (i = 0; i < q->text.len; i++) {
        if (text[i] == '"')
            buf_add_char(out, '"');
        buf_add_char(out, text[i] ? text[i] : ' ');
    }
    buf_add_str(out, q->prefix ? "\" *" : "\"");
}

static void add_near(const struct query *q, struct buf *out)
{
    const struct query *one;

    buf_add_str(out, "NEAR(");
    for (one = q->first; one; one = one->next) {
        add_string(one, out);
        buf_add_char(out, ' ');
    }
    buf_addf(out, ", %d)", q->reach);
}

static bool has_only_leaves(const struct query *q)
{
    const struct query *one;

    for (one = q->first; one; one = one->next) {
        if (one->op != QUERY_WORDS)
            return false;
    }
    return true;
}

static void add_in_brackets(const struct query *q, struct buf *out)
{
    buf_add_char(out, '(');
    fts5_expression(q, out);
    buf_add_char(out, ')');
}

/* Operands of OR need no brackets: it binds least. */
static void add_operands(const struct query *q, const char *operator,
                         struct buf * out)
{
    const struct query *one;

    for (one = q->first; one; one = one->next) {
        if (one != q->first)
            buf_add_str(out, operator);
        if (q->op == QUERY_OR || one->op == QUERY_WORDS)
            fts5_expression(one, out);
        else
            add_in_brackets(one, out);
    }
}

void fts5_expression(const struct query *q, struct buf *out)
{
    if (!q)
        return;
    switch (q->op) {
    case QUERY_WORDS: add_string(q, out); break;
    case QUERY_NEAR: add_near(q, out); break;
    case QUERY_AND:
        add_operands(q, has_only_leaves(q) ? " " : " AND ", out);
        break;
    case QUERY_OR: add_operands(q, " OR ", out); break;
    case QUERY_NOT:
        add_in_brackets(q->first, out);
        buf_add_str(out, " NOT ");
        add_in_brackets(q->first->next, out);
        break;
    case QUERY_SUBSTRING:
    case QUERY_REGEX:
    case QUERY_EVERY: buf_add_str(out, "\"\""); break; /* matches nothing */
    }
}

/*
 * intercept.c - the wrapper behind intercept.h
 *
 * SLOTS lists the calls that can fail. Functions and table of the wrapper are
 * generated from it; the two calls that cannot fail go straight through.
 */
#include "search/intercept.h"

#include <stdlib.h>

struct intercepted {
    struct fulltext base;
    struct fulltext *inner;
    struct intercept intercept;
};

static const struct fulltext_ops intercepted_ops;

static struct intercepted *of(struct fulltext *x)
{
    return (struct intercepted *)x;
}

/* The index behind a wrapper, which a backend cannot read. */
static struct fulltext *unwrap(struct fulltext *x)
{
    return x->ops == &intercepted_ops ? of(x)->inner : x;
}

/* Each slot with its parameters, and with what is passed on. */
/* clang-format off */
#define SLOTS(X)                                                              \
    X(exists, (struct fulltext *x, bool *exists, quire_error *err),           \
      exists, err)                                                            \
    X(create, (struct fulltext *x, quire_error *err), err)                    \
    X(drop, (struct fulltext *x, quire_error *err), err)                      \
    X(add, (struct fulltext *x, const struct fulltext_document *d,            \
            quire_error *err), d, err)                                        \
    X(remove, (struct fulltext *x, const struct fulltext_document *d,         \
               quire_error *err), d, err)                                     \
    X(find, (struct fulltext *x, const struct fulltext_find *f,               \
             quire_error *err), f, err)                                       \
    X(find_native, (struct fulltext *x, quire_bytes expression,               \
                    const struct fulltext_find *f, quire_error *err),         \
      expression, f, err)                                                     \
    X(fetch, (struct fulltext *x, struct fulltext_hit *hits, size_t max,      \
              size_t *n, quire_error *err), hits, max, n, err)                \
    X(stats, (struct fulltext *x, struct fulltext_stats *out,                 \
              quire_error *err), out, err)                                    \
    X(frequency, (struct fulltext *x, const struct query *words, uint64_t *n, \
                  quire_error *err), words, n, err)                           \
    X(each_id, (struct fulltext *x, fulltext_id_fn each, void *ctx,           \
                quire_error *err), each, ctx, err)                            \
    X(includes, (struct fulltext *x, struct fulltext *other, bool *same,      \
                 quire_error *err), unwrap(other), same, err)
/* clang-format on */

#define DEFINE(slot, params, ...)                                      \
    static quire_status intercepted_##slot params                      \
    {                                                                  \
        const struct intercept *t = &of(x)->intercept;                 \
        const char *call = "index " #slot;                             \
        quire_status st = t->before ? t->before(t->ctx, call, "", err) \
                                    : QUIRE_OK;                        \
                                                                       \
        if (!st)                                                       \
            st = fulltext_##slot(of(x)->inner, __VA_ARGS__);           \
        if (t->after)                                                  \
            t->after(t->ctx, call, "", st);                            \
        return st;                                                     \
    }

SLOTS(DEFINE)

static void intercepted_end(struct fulltext *x)
{
    fulltext_end(of(x)->inner);
}

static void intercepted_close(struct fulltext *x)
{
    fulltext_close(of(x)->inner);
    free(x);
}

#define ENTRY(slot, params, ...) .slot = intercepted_##slot,

static const struct fulltext_ops intercepted_ops = {.end = intercepted_end,
                                                    .close = intercepted_close,
                                                    SLOTS(ENTRY)};

quire_status fulltext_intercept(struct fulltext *inner,
                                struct intercept intercept,
                                struct fulltext **out, quire_error *err)
{
    struct intercepted *t = malloc(sizeof *t);

    if (!t)
        return err_memory(err);
    *t = (struct intercepted){{&intercepted_ops}, inner, intercept};
    *out = &t->base;
    return QUIRE_OK;
}

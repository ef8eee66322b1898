/*
 * intercept_priv.h - the steps that every wrapper of intercept.h takes
 *
 * Each function takes three steps: call before(), the backend, after(). PASS
 * spells them. Calls that cannot fail go straight through.
 */
#ifndef STORE_INTERCEPT_PRIV_H
#define STORE_INTERCEPT_PRIV_H

#include "store/intercept.h"

static inline quire_status call_before(const struct intercept *t,
                                       const char *call, const char *on,
                                       quire_error *err)
{
    return t->before ? t->before(t->ctx, call, on, err) : QUIRE_OK;
}

static inline quire_status call_after(const struct intercept *t,
                                      const char *call, const char *on,
                                      quire_status result)
{
    if (t->after)
        t->after(t->ctx, call, on, result);
    return result;
}

#define PASS(t, call, on, expression)                                   \
    do {                                                                \
        quire_status st_ = call_before((t), (call), (on), err);         \
        return call_after((t), (call), (on), st_ ? st_ : (expression)); \
    } while (0)

/* The function of a slot that does nothing else: its name, the slot, what hooks
 * see, its parameters in brackets, and what it passes on. */
#define PASS_ON(fn, slot, to, hooks, call, on, params, ...)        \
    static quire_status intercepted_##fn params                    \
    {                                                              \
        PASS(hooks, call, on, (to)->ops->slot((to), __VA_ARGS__)); \
    }

#endif

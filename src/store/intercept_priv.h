/*
 * intercept_priv.h - the steps that every wrapper of intercept.h takes
 *
 * Each function takes three steps: call before(), the backend, after(). PASS
 * spells them. Calls that cannot fail go straight through.
 *
 * A wrapper of object.h, log.h and their like is one list of its slots:
 *
 *     X(kind, slot, call, on, parameters, arguments)
 *
 * kind        STORE, OPEN or DRAFT: what the slot's first parameter is; the
 *             function takes the three steps and no other.
 *             OWN: the function intercepted_<slot>() is written by hand above
 *             the list, because it wraps what it returns or consumes what it
 *             is given, or because it cannot fail
 * call, on    what the hooks see
 * parameters  of the slot, in brackets; the first is called `s`, `o` or `d`
 * arguments   the parameters behind the first, in brackets
 *
 * INTERCEPT_TABLE makes the functions and the table of the list: a new slot is
 * one line, and one that is missing does not compile.
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

#define INTERCEPT_ARGS(...) __VA_ARGS__
#define INTERCEPT_CALL(slot, to, hooks, call, on, params, args)            \
    static quire_status intercepted_##slot params                          \
    {                                                                      \
        PASS(hooks, call, on, (to)->ops->slot((to), INTERCEPT_ARGS args)); \
    }
#define INTERCEPT_STORE(slot, call, on, params, args)                       \
    INTERCEPT_CALL(slot, of_store(s)->inner, &of_store(s)->intercept, call, \
                   on, params, args)
#define INTERCEPT_OPEN(slot, call, on, params, args)                         \
    INTERCEPT_CALL(slot, of_open(o)->inner, of_open(o)->intercept, call, on, \
                   params, args)
#define INTERCEPT_DRAFT(slot, call, on, params, args)                          \
    INTERCEPT_CALL(slot, of_draft(d)->inner, of_draft(d)->intercept, call, on, \
                   params, args)
#define INTERCEPT_OWN(slot, call, on, params, args)

#define INTERCEPT_DEFINE(kind, slot, call, on, params, args) \
    INTERCEPT_##kind(slot, call, on, params, args)
#define INTERCEPT_ENTRY(kind, slot, call, on, params, args) \
    .slot = intercepted_##slot,
#define INTERCEPT_COUNT(kind, slot, call, on, params, args) +1

#define INTERCEPT_TABLE(type, slots)                                        \
    slots(INTERCEPT_DEFINE)                                                 \
                                                                            \
        static const type intercepted_ops = {slots(INTERCEPT_ENTRY)};       \
    _Static_assert(sizeof(type) ==                                          \
                       (0 slots(INTERCEPT_COUNT)) * sizeof(void (*)(void)), \
                   "each slot is in the list")

#endif

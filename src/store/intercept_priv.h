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
 * kind        STORE, OPEN or DRAFT: what the slot's first parameter is, called
 *             `s`, `o` or `d`; the function takes the three steps and no other.
 *             NEW_OPEN, NEW_DRAFT: a slot of a store; what it stores in *out is
 *             wrapped, too.
 *             END_STORE, END_OPEN, END_DRAFT: it ends its first parameter, and
 *             cannot fail: no hook runs.
 *             OWN: the function intercepted_<slot>() is written by hand above
 *             the list, because it consumes what it is given, or because it
 *             cannot fail
 * call, on    what the hooks see
 * parameters  of the slot, in brackets
 * arguments   the parameters behind the first, in brackets; of NEW_OPEN and
 *             NEW_DRAFT `&w->inner` instead of `out`
 *
 * INTERCEPT_STORE_TYPE and INTERCEPT_PART_TYPE, before the list, make the structs of
 * the wrappers: struct intercepted of a store, intercepted_open and
 * intercepted_draft. INTERCEPT_WRAP, after the list, makes log_intercept() and its
 * like.
 *
 * INTERCEPT_TABLE makes the functions and the table of the list: a new slot is
 * one line, and one that is missing does not compile.
 */
#ifndef STORE_INTERCEPT_PRIV_H
#define STORE_INTERCEPT_PRIV_H

#include <stdlib.h>

#include "base/err.h"
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

/* ---- the structs of the wrappers ----------------------------------------- */

#define INTERCEPT_TYPE(name, of, type, hooks) \
    struct name {                             \
        type base;                            \
        type *inner;                          \
        hooks intercept;                      \
    };                                        \
                                              \
    static struct name *of(type *wrapper)     \
    {                                         \
        return (struct name *)wrapper;        \
    }
#define INTERCEPT_STORE_TYPE(type, ops) \
    static const ops intercepted_ops;   \
    INTERCEPT_TYPE(intercepted, of_store, type, struct intercept)
#define INTERCEPT_PART_TYPE(part, type)                 \
    INTERCEPT_TYPE(intercepted_##part, of_##part, type, \
                   const struct intercept *)

#define INTERCEPT_WRAP(fn, type)                                         \
    quire_status fn(type *inner, struct intercept intercept, type **out, \
                    quire_error *err)                                    \
    {                                                                    \
        struct intercepted *t = malloc(sizeof *t);                       \
                                                                         \
        if (!t)                                                          \
            return err_memory(err);                                      \
        *t = (struct intercepted){{&intercepted_ops}, inner, intercept}; \
        *out = &t->base;                                                 \
        return QUIRE_OK;                                                 \
    }

/* ---- the functions of the list -------------------------------------------- */

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

#define INTERCEPT_NEW(slot, part, call, on, params, args)             \
    static quire_status intercepted_##slot params                     \
    {                                                                 \
        struct intercepted *t = of_store(s);                          \
        quire_status st = call_before(&t->intercept, call, on, err);  \
        struct intercepted_##part *w = st ? NULL : malloc(sizeof *w); \
                                                                      \
        if (!st && !w) {                                              \
            st = err_memory(err);                                     \
        } else if (!st) {                                             \
            w->base.ops = &intercepted_ops;                           \
            w->intercept = &t->intercept;                             \
            st = t->inner->ops->slot(t->inner, INTERCEPT_ARGS args);  \
        }                                                             \
        if (st)                                                       \
            free(w);                                                  \
        else                                                          \
            *out = &w->base;                                          \
        return call_after(&t->intercept, call, on, st);               \
    }
#define INTERCEPT_NEW_OPEN(slot, call, on, params, args) \
    INTERCEPT_NEW(slot, open, call, on, params, args)
#define INTERCEPT_NEW_DRAFT(slot, call, on, params, args) \
    INTERCEPT_NEW(slot, draft, call, on, params, args)

#define INTERCEPT_END(slot, wrapper, to, params) \
    static void intercepted_##slot params        \
    {                                            \
        (to)->ops->slot(to);                     \
        free(wrapper);                           \
    }
#define INTERCEPT_END_STORE(slot, call, on, params, args) \
    INTERCEPT_END(slot, s, of_store(s)->inner, params)
#define INTERCEPT_END_OPEN(slot, call, on, params, args) \
    INTERCEPT_END(slot, o, of_open(o)->inner, params)
#define INTERCEPT_END_DRAFT(slot, call, on, params, args) \
    INTERCEPT_END(slot, d, of_draft(d)->inner, params)
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

/*
 * quire/retain.h - rules by which sessions go to the trash
 */
#ifndef QUIRE_RETAIN_H
#define QUIRE_RETAIN_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A session that a rule removes: "age", "count" or "size". `action` is "trash", or
 * "busy": a process writes to it, and it stays until the next time. */
typedef quire_status (*quire_retain_fn)(void *ctx, const char *session,
                                        const char *rule, uint64_t bytes,
                                        const char *action, quire_error *err);

/* Begin with QUIRE_RETAIN_OPTIONS_INIT; later versions only add fields. */
typedef struct quire_retain_options {
    size_t size;
    int apply;            /* else nothing is moved                          */
    int64_t age_s;        /* what has not changed for longer goes; 0: never;
                             -1: the setting retain.age                     */
    int64_t bytes;        /* the files of all sessions have at most so many:
                             the oldest go; 0: any; -1: retain.size         */
    int64_t count;        /* so many stay: the oldest go; 0: all; -1:
                             retain.count                                   */
    quire_retain_fn each; /* may be NULL                                    */
    void *ctx;
} quire_retain_options;

#define QUIRE_RETAIN_OPTIONS_INIT                               \
    {                                                           \
        sizeof(quire_retain_options), 0, -1, -1, -1, NULL, NULL \
    }

/* Apply the rules to the sessions of the handle's tenant, archived ones too, or report
 * what they would remove. Pinned and held sessions stay; they count. What goes is moved
 * into the trash, each move with a row in the audit log. *n (may be NULL) is how many.
 * `options` may be NULL for all defaults.
 *
 * Owns: text is lent until `each` returns.
 * Fails: common. Those before are in the trash.
 *   QUIRE_INVALID  not a native home; a transaction is open
 * Durable: each move, before `each` is called for it. */
quire_status quire_retain(quire *q, const quire_retain_options *options,
                          uint64_t *n, quire_error *err);

QUIRE_DECLS_END

#endif

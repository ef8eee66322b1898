/*
 * quire/config.h - settings of a home
 *
 * quota.file, quota.session, quota.tenant, versions.kept, blob.layout,
 * blob.inline, durability, gc.auto, gc.grace, gc.purge, serve.rate,
 * serve.burst. A variable such as QUIRE_QUOTA_FILE overrides a setting for one
 * process. Sizes are given in bytes or with a unit (64K, 10M, 1G), and reported in
 * bytes. The default of a quota depends on the tenant of the handle: 16 MiB,
 * 1 GiB and 10 GiB for the default tenant, 1, 50 and 500 MiB for others.
 */
#ifndef QUIRE_CONFIG_H
#define QUIRE_CONFIG_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

typedef struct quire_setting {
    const char *key;
    const char *value;
    const char *from;      /* "default", "quire.db" (set in the home) or
                              "environment"                                */
    const char *otherwise; /* its default                                  */
    const char *about;     /* what it means, in a few words                */
    uint64_t reserved[4];
} quire_setting;

typedef quire_status (*quire_setting_fn)(void *ctx,
                                         const quire_setting *setting,
                                         quire_error *err);

/* Read one setting, or all of them in a fixed order.
 *
 * Owns: text is lent until the next call with `q`.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such setting
 *   QUIRE_INVALID    its stored value or its variable is not a valid value
 * Durable: reads only. */
quire_status quire_config_get(quire *q, const char *key, quire_setting *out,
                              quire_error *err);
quire_status quire_config_list(quire *q, quire_setting_fn each, void *ctx,
                               quire_error *err);

/* Set a setting in the home, for every process and tenant; `value` NULL
 * restores the default. The change is recorded in the audit log in the same
 * transaction.
 *
 * Owns: nothing.
 * Fails: common
 *   QUIRE_NOT_FOUND  no such setting
 *   QUIRE_INVALID    not a valid value; the home of another program has none
 * Durable: on return. */
quire_status quire_config_set(quire *q, const char *key, const char *value,
                              quire_error *err);

QUIRE_DECLS_END

#endif

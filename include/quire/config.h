/* quire/config.h - settings of a home */
#ifndef QUIRE_CONFIG_H
#define QUIRE_CONFIG_H

#include "quire/types.h"

QUIRE_DECLS_BEGIN

/* A setting: quota.file, quota.session, quota.tenant, versions.kept,
 * blob.layout, blob.inline, durability, gc.auto, gc.grace, gc.purge,
 * serve.rate, serve.burst. Text is on loan until the
 * next call with the same handle. */
typedef struct quire_setting {
    const char *key;
    const char *value;
    const char *from;      /* "default"; "quire.db": it was set in the home;
                         "environment": by a variable, QUIRE_QUOTA_FILE      */
    const char *otherwise; /* what it is if nobody sets it                   */
    const char *about;     /* what it means, in a few words                  */
    uint64_t reserved[4];
} quire_setting;

/* QUIRE_NOT_FOUND: no such setting. QUIRE_INVALID: what it was set to makes no
 * sense. */
quire_status quire_config_get(quire *q, const char *key, quire_setting *out,
                              quire_error *err);

typedef quire_status (*quire_setting_fn)(void *ctx,
                                         const quire_setting *setting,
                                         quire_error *err);
quire_status quire_config_list(quire *q, quire_setting_fn each, void *ctx,
                               quire_error *err);

/* Set it in the home, for everyone; NULL: as if it had never been set. Lasting.
 * QUIRE_INVALID: no such value. */
quire_status quire_config_set(quire *q, const char *key, const char *value,
                              quire_error *err);

QUIRE_DECLS_END

#endif

/* config.c - settings, as quire/config.h has them */
#include "api/core/handle.h"
#include "base/err.h"

quire_status quire_config_get(quire *q, const char *key, quire_setting *out,
                              quire_error *err)
{
    quire_status st = check_free(q, err);

    arena_reset(&q->loan);
    if (!st)
        st = need_catalog(q, false, err);
    return st ? st
              : settings_get(&q->catalog, q->tenant, key, &q->loan, out, err);
}

quire_status quire_config_list(quire *q, quire_setting_fn each, void *ctx,
                               quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st)
        st = need_catalog(q, false, err);
    return st ? st : settings_list(&q->catalog, q->tenant, each, ctx, err);
}

/* Modules that were opened with the old settings are opened again by the next
 * call. */
static void reopen_modules(struct quire *q)
{
    q->limits_state = q->secrets_state = 0;
    if (q->in_transaction)
        return;
    artifacts_free(q->artifacts);
    q->artifacts = NULL;
    blobs_free(q->blobs);
    q->blobs = NULL;
    q->catalog.relaxed = settings_is(&q->catalog, "durability", "flush");
    db_relax(q->catalog.db, q->catalog.relaxed);
}

quire_status quire_config_set(quire *q, const char *key, const char *value,
                              quire_error *err)
{
    quire_status st = settings_check(key, value, err);

    if (!st)
        st = check_free(q, err);
    if (!st && q->read_only)
        st = read_only_error(err);
    if (!st)
        st = need_catalog(q, true, err);
    if (st)
        return st;
    if (!catalog_has(&q->catalog, SCHEMA_SETTINGS))
        return err_fail(err, QUIRE_INVALID,
                        HINT_SHELL
                        "set a variable such as QUIRE_QUOTA_FILE instead",
                        "%s is a home of another program: it has no settings",
                        q->home);
    st = settings_set(&q->catalog, key, value, err);
    if (!st)
        reopen_modules(q);
    return st;
}

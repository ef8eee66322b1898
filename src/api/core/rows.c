/*
 * rows.c - rows of a native home: the catalogue, artifacts and memory of all tenants
 *
 * The first call that writes finishes removals that a crashed process recorded.
 */
#include "api/core/removals.h"
#include "api/core/trash.h"
#include "base/err.h"
#include "memory/memory.h"

quire_status need_rows(struct quire *q, bool write, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (st)
        return st;
    if (q->kind != QUIRE_KIND_NATIVE)
        return err_fail(err, QUIRE_INVALID,
                        HINT_SHELL "name a home of Quire's own with --home",
                        "%s is a home of another program: it has no artifacts "
                        "and no tenants",
                        q->home);
    if (write && q->read_only)
        return read_only_error(err);
    st = need_catalog(q, write, err);
    if (st)
        return st;
    if (!catalog_has(&q->catalog, SCHEMA_ARTIFACTS))
        return QUIRE_NOT_FOUND;
    arena_reset(&q->loan);
    if (write && !q->finished) {
        q->finished = true;
        finish_removals(q);
        trash_finish(q);
    }
    return QUIRE_OK;
}

quire_status need_all_artifacts(struct quire *q, bool write, quire_error *err)
{
    struct artifacts_config config = {.catalog = &q->catalog,
                                      .queue = q->commit_queue,
                                      .read_only = q->read_only};
    quire_status st = need_rows(q, write, err);

    if (!st)
        st = need_blobs(q, write, err);
    if (st || q->artifacts)
        return st;
    config.blobs = q->blobs;
    return artifacts_new(&config, &q->artifacts, err);
}

quire_status artifacts_limits(struct quire *q, struct artifact_limits *out,
                              quire_error *err)
{
    int64_t state = quire_changes(q);
    quire_status st;

    if (state && state == q->limits_state && q->tenant == q->limits_tenant) {
        *out = q->limits;
        return QUIRE_OK;
    }
    st = config_number(q, "quota.file", &out->file, err);
    if (!st)
        st = config_number(q, "quota.session", &out->session, err);
    if (!st)
        st = config_number(q, "quota.tenant", &out->tenant, err);
    if (!st)
        st = config_number(q, "versions.kept", &out->versions, err);
    q->limits = *out;
    q->limits_state = st ? 0 : state;
    q->limits_tenant = q->tenant;
    return st;
}

/* Over what is open. QUIRE_NOT_FOUND without a message: no memory yet. */
quire_status memories_open(struct quire *q, quire_error *err)
{
    if (!q->catalog.db || q->catalog.schema < SCHEMA_MEMORY)
        return QUIRE_NOT_FOUND;
    return q->memories ? QUIRE_OK
                       : memories_new(q->catalog.db, &q->clock,
                                      q->catalog.schema >= SCHEMA_AGENTS,
                                      &q->memories, err);
}

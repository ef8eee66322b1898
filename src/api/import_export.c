/* import_export.c - sessions that were placed for agents, as the import sees them */
#include <string.h>

#include "api/core/handle.h"
#include "api/session.h"
#include "base/bytes.h"
#include "base/err.h"
#include "catalog/import_ledger.h"

/* Importers write ids of agents with "-" alone. */
static const char *plain_id(struct arena *keep, const char *id)
{
    char *copy = arena_text(keep, bytes_str(id)), *at;

    for (at = copy; at && *at; at++)
        if (*at == '_')
            *at = '-';
    return copy;
}

quire_status quire_import_export_put(quire *q, const quire_import_export *e,
                                     quire_error *err)
{
    struct arena keep = ARENA_INIT;
    quire_import_export plain = *e;
    quire_status st = check_free(q, err);

    if (!st && q->read_only)
        st = read_only_error(err);
    if (!st)
        st = need_own_rows(q, false, err);
    if (!st)
        st = need_own_rows(q, true, err);
    if (!st && !(plain.id = plain_id(&keep, e->id)))
        st = err_memory(err);
    if (!st)
        st = exported_put(&q->catalog, q->tenant, &plain, err);
    arena_release(&keep);
    return st;
}

/* Whether a session of the home has this id. */
static quire_status find_session(struct quire *q, const char *id,
                                 quire_error *err)
{
    struct session_location p = {0};
    const char *key;
    quire_status st = session_lookup(q, id, &q->loan, &p, err);

    if (!st)
        st = session_location_key(&p, &q->loan, &key, err);
    if (!st && (!p.in_home || strcmp(key, id) != 0))
        st = QUIRE_NOT_FOUND;
    session_location_release(&p);
    return st;
}

quire_status quire_import_export_find(quire *q, const char *agent,
                                      const char *id, quire_import_export *out,
                                      quire_error *err)
{
    const char *plain;
    quire_status st = check_free(q, err);

    if (!st)
        st = need_own_rows(q, false, err);
    if (st)
        return st;
    plain = plain_id(&q->loan, id);
    st = plain ? exported_find(&q->catalog, q->tenant, agent, plain, &q->loan,
                               out, err)
               : err_memory(err);
    if (!st)
        st = find_session(q, out->session, err);
    if (st == QUIRE_NOT_FOUND)
        return err_set(err, st, "%s has no session %s of the home", agent, id);
    return st;
}

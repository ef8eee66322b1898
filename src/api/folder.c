/* folder.c - folders, as quire/folder.h has them */
#include "api/core/handle.h"
#include "base/err.h"

quire_status quire_folder_get(quire *q, int64_t id, quire_folder *out,
                              quire_error *err)
{
    quire_status st = need_own_rows(q, false, err);

    if (st && st != QUIRE_NOT_FOUND)
        return st;
    return folder_get(&q->catalog, q->tenant, id, &q->loan, out, err);
}

quire_status quire_folder_list(quire *q, quire_folder_fn each, void *ctx,
                               quire_error *err)
{
    quire_status st = need_own_rows(q, false, err);

    if (st == QUIRE_NOT_FOUND ||
        (!st && !catalog_has(&q->catalog, SCHEMA_FOLDERS)))
        return QUIRE_OK;
    if (st)
        return st;
    q->in_callback = true;
    st = folder_list(&q->catalog, q->tenant, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_folder_add(quire *q, const char *name, quire_folder *out,
                              quire_error *err)
{
    quire_status st = need_own_rows(q, true, err);

    return st ? st
              : folder_add(&q->catalog, q->tenant, name, &q->loan, out, err);
}

quire_status quire_folder_rename(quire *q, int64_t id, const char *name,
                                 quire_folder *out, quire_error *err)
{
    quire_status st = need_own_rows(q, true, err);

    return st ? st
              : folder_rename(&q->catalog, q->tenant, id, name, &q->loan, out,
                              err);
}

quire_status quire_folder_place(quire *q, int64_t id, uint64_t position,
                                quire_folder *out, quire_error *err)
{
    quire_status st = need_own_rows(q, true, err);

    return st ? st
              : folder_place(&q->catalog, q->tenant, id, position, &q->loan,
                             out, err);
}

quire_status quire_folder_remove(quire *q, int64_t id, quire_error *err)
{
    quire_status st = need_own_rows(q, true, err);

    return st ? st : folder_remove(&q->catalog, q->tenant, id, err);
}

quire_status quire_session_file(quire *q, const char *which, int64_t folder,
                                quire_error *err)
{
    quire_session_row row;
    quire_status st = quire_session_row_of(q, which, &row, err);

    if (!st && !row.number)
        st = err_fail(err, QUIRE_INVALID, "name a session of this home",
                      "session %.60s is not in a home that has folders", which);
    if (!st)
        st = need_own_rows(q, true, err);
    return st ? st
              : folder_move_session(&q->catalog, q->tenant, row.number, folder,
                                    err);
}

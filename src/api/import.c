/* import.c - the ledger of imports, as quire/import.h has it */
#include "api/core/handle.h"
#include "api/import_priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/map.h"
#include "catalog/import_ledger.h"

static quire_status not_imported(const char *path, quire_status st,
                                 quire_error *err)
{
    if (st != QUIRE_NOT_FOUND)
        return st;
    return err_set(err, st, "%s was not imported", path);
}

quire_status quire_import_find(quire *q, const char *path,
                               quire_import_file *out, quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st)
        st = need_own_rows(q, false, err);
    if (!st)
        st = import_find(&q->catalog, q->tenant, path, &q->loan, out, err);
    return not_imported(path, st, err);
}

quire_status quire_import_list(quire *q, const char *session,
                               quire_import_file_fn each, void *ctx,
                               quire_error *err)
{
    quire_status st = check_free(q, err);

    if (q->kind != QUIRE_KIND_NATIVE) /* nothing is imported there */
        return st;
    if (!st)
        st = need_own_rows(q, false, err);
    if (st) /* a home that was never written to */
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    q->in_callback = true;
    st = import_list(&q->catalog, q->tenant, session, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_import_scan(quire *q, quire_import_scan_fn each, void *ctx,
                               quire_error *err)
{
    quire_status st = check_free(q, err);

    if (q->kind != QUIRE_KIND_NATIVE) /* nothing is imported there */
        return st;
    if (!st)
        st = need_own_rows(q, false, err);
    if (st) /* a home that was never written to */
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    q->in_callback = true;
    st = import_scan(&q->catalog, q->tenant, each, ctx, err);
    q->in_callback = false;
    return st;
}

quire_status quire_import_state(quire *q, const char *path, quire_bytes *out,
                                quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st)
        st = need_own_rows(q, false, err);
    if (!st)
        st = import_state(&q->catalog, q->tenant, path, &q->loan, out, err);
    return not_imported(path, st, err);
}

uint64_t import_owner(const char *session)
{
    static const uint64_t seed[2] = {0x71756972, 9};

    return map_hash(seed, bytes_str(session)) >> 1;
}

quire_status quire_import_answered(quire *q, uint64_t answer,
                                   const char *session, int *elsewhere,
                                   quire_error *err)
{
    uint64_t owner = 0;
    quire_status st = check_free(q, err);

    *elsewhere = 0;
    if (!st)
        st = need_own_rows(q, false, err);
    if (!st)
        st = import_answer_owner(&q->catalog, q->tenant, answer, &owner, err);
    if (st == QUIRE_NOT_FOUND)
        return err_set(err, st, "the answer was not imported");
    *elsewhere = !st && owner != import_owner(session);
    return st;
}

/* Parts have to be all of the file. */
static quire_status check_parts(const quire_import_file *f,
                                const struct import_part *parts, size_t n,
                                quire_error *err)
{
    uint64_t at = 0;
    size_t i;

    for (i = 0; i < n && parts[i].at == at; i++)
        at += parts[i].size;
    if (i == n && at == f->bytes)
        return QUIRE_OK;
    if (n == 0)
        return err_set(err, QUIRE_NOT_FOUND,
                       "session %s of %s was removed, and the original with it",
                       f->session, f->path);
    return err_set(err, QUIRE_DAMAGED,
                   "the original of %s is not complete: byte %llu is missing",
                   f->path, (unsigned long long)at);
}

quire_status quire_import_original(quire *q, const char *path,
                                   quire_write_fn write, void *ctx,
                                   quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct import_part *parts = NULL;
    quire_import_file f;
    size_t n = 0, i;
    quire_status st = check_free(q, err);

    if (!st)
        st = need_own_rows(q, false, err);
    if (!st)
        st = import_find(&q->catalog, q->tenant, path, &keep, &f, err);
    st = not_imported(path, st, err);
    if (!st)
        st = import_parts(&q->catalog, q->tenant, path, &keep, &parts, &n, err);
    if (!st)
        st = check_parts(&f, parts, n, err);
    for (i = 0; i < n && !st; i++) {
        st = import_write_part(q, &parts[i], write, ctx, err);
        if (st == QUIRE_NOT_FOUND)
            st = err_set(err, QUIRE_DAMAGED,
                         "a blob of the original of %s is missing", path);
    }
    arena_release(&keep);
    return st;
}

quire_status quire_import_move(quire *q, const char *path, const char *to,
                               quire_error *err)
{
    quire_status st = check_free(q, err);

    if (!st && q->read_only)
        st = read_only_error(err);
    if (!st)
        st = need_own_rows(q, true, err);
    return st ? st : import_move(&q->catalog, q->tenant, path, to, err);
}

quire_status quire_import_touch(quire *q, const quire_import_file *file,
                                quire_error *err)
{
    struct import_update u = {.from = UINT64_MAX};
    struct arena keep = ARENA_INIT;
    quire_import_file f;
    quire_status st = check_free(q, err);

    if (!st && q->read_only)
        st = read_only_error(err);
    if (!st)
        st = need_own_rows(q, true, err);
    if (!st)
        st = import_find(&q->catalog, q->tenant, file->path, &keep, &f, err);
    st = not_imported(file->path, st, err);
    if (!st) {
        f.inode = file->inode;
        f.modified_ns = file->modified_ns;
        u.file = &f;
        st = import_store(&q->catalog, q->tenant, &u, err);
    }
    arena_release(&keep);
    return st;
}

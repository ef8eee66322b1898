/*
 * import_write.c - importing one file, as quire/import.h has it
 *
 *     bytes    cut into parts of 1 MiB, each a blob; a last part below 64 KiB is
 *              replaced by a larger one when the file grows
 *     blobs    collected, and put in one transaction for many
 *     entries  collected in memory, above 16 MiB in a temporary file, because the
 *              header, which stands before them, is known last
 *
 * commit() writes in this order, and waits for each: blobs, the session file, the
 * ledger. A new session file is complete before it has its name. A grown one
 * changes in place: the ledger records that it is being written, its provisional
 * entries are cut off, and new ones appended; after a crash in between, the next
 * import does it again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/import_priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "blob/hash.h"

/* ---- begin -------------------------------------------------------------- */

static quire_status load_row(struct quire_import *im, const char *path,
                             quire_error *err)
{
    quire *q = im->q;
    quire_status st = import_find(&q->catalog, q->tenant, path, &im->keep,
                                  &im->known, err);

    im->has_row = !st;
    if (st != QUIRE_NOT_FOUND)
        return st;
    im->known = (quire_import_file){
        .path = arena_text(&im->keep, bytes_str(path))};
    return im->known.path ? QUIRE_OK : err_memory(err);
}

/* Continue the last part if it is short. */
static quire_status load_parts(struct quire_import *im, quire_error *err)
{
    quire *q = im->q;
    struct import_part *parts;
    quire_bytes content;
    size_t n;
    quire_status st = import_parts(&q->catalog, q->tenant, im->known.path,
                                   &im->keep, &parts, &n, err);

    im->part_at = im->from = im->known.bytes;
    if (st)
        return st;
    if ((n == 0) != (im->known.bytes == 0) ||
        (n > 0 && parts[n - 1].at + parts[n - 1].size != im->known.bytes))
        return err_set(err, QUIRE_NOT_FOUND, "the original of %s was removed",
                       im->known.path);
    if (n == 0 || parts[n - 1].size >= PART_MIN)
        return QUIRE_OK;
    st = quire_blob_get(q, &parts[n - 1].digest, &content, err);
    if (st)
        return st;
    buf_add(&im->part, content.data, content.len);
    im->part_at = im->from = parts[n - 1].at;
    return buf_status(&im->part, "a part of a file", err);
}

static quire_status begin_grown(struct quire_import *im, quire_error *err)
{
    struct session_location p = {0};
    struct object_info info;
    quire_status st;

    if (!im->has_row)
        return err_set(err, QUIRE_NOT_FOUND, "%s was not imported",
                       im->known.path);
    st = load_parts(im, err);
    if (st || !im->known.is_main)
        return st;
    st = import_find_session(im, im->known.session, &p, err);
    if (!st)
        st = log_stat(p.store->logs, p.name, &info, err);
    if (!st)
        st = import_check_size(im, info.size, err);
    session_location_release(&p);
    return st;
}

static quire_status prepare(struct quire_import *im, const char *path,
                            quire_error *err)
{
    quire *q = im->q;
    quire_status st = sessions_mark_home(q, err);

    if (!st)
        st = need_all(q, err);
    if (!st)
        st = need_own_rows(q, true, err);
    if (!st)
        st = hold_blobs(q, err);
    im->held = !st;
    return st ? st : load_row(im, path, err);
}

quire_status quire_import_begin(quire *q, const char *path, int grown,
                                quire_import **out, quire_error *err)
{
    struct quire_import *im;
    quire_status st = sessions_may_write(q, err);

    *out = NULL;
    if (!st && q->kind != QUIRE_KIND_NATIVE)
        st =
            err_fail(err, QUIRE_INVALID,
                     HINT_SHELL "name another home with --home",
                     "%s is another program's home: sessions are imported into "
                     "a home of Quire",
                     q->home);
    if (st)
        return st;
    im = calloc(1, sizeof *im);
    if (!im)
        return err_memory(err);
    *im = (struct quire_import){.q = q,
                                .grown = grown != 0,
                                .lines = BUF_INIT(CEILING),
                                .part = BUF_INIT(CEILING),
                                .content = BUF_INIT(CEILING),
                                .spool = FS_TEMP_INIT,
                                .dir = -1};
    st = prepare(im, path, err);
    if (!st && grown)
        st = begin_grown(im, err);
    if (st)
        quire_import_abort(im);
    else
        *out = im;
    return st;
}

void quire_import_abort(quire_import *im)
{
    if (!im)
        return;
    if (im->held)
        release_blobs(im->q);
    fs_temp_release(&im->spool);
    if (im->dir >= 0)
        close(im->dir);
    buf_release(&im->lines);
    buf_release(&im->part);
    buf_release(&im->content);
    free(im->parts);
    arena_release(&im->keep);
    free(im);
}

/* ---- blobs -------------------------------------------------------------- */

static quire_status put_pending(struct quire_import *im, quire_error *err)
{
    size_t i, at = 0;
    quire_status st;

    if (im->n_pending == 0)
        return QUIRE_OK;
    st = quire_transaction_begin(im->q, err);
    if (st)
        return st;
    for (i = 0; i < im->n_pending && !st; at = im->ends[i++])
        st = quire_blob_put(im->q,
                            bytes_of(im->content.data + at, im->ends[i] - at),
                            0, NULL, err);
    if (st)
        quire_transaction_rollback(im->q);
    else
        st = quire_transaction_end(im->q, NULL, err);
    buf_clear(&im->content);
    im->n_pending = 0;
    return st;
}

static quire_status add_blob(struct quire_import *im, quire_bytes content,
                             quire_digest *digest, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (im->n_pending == PENDING_MAX ||
        (im->n_pending && im->content.len + content.len > PENDING_BYTES))
        st = put_pending(im, err);
    if (st)
        return st;
    hash_bytes(content, digest);
    buf_add(&im->content, content.data, content.len);
    im->ends[im->n_pending++] = im->content.len;
    return buf_status(&im->content, "a blob", err);
}

quire_status quire_import_blob(quire_import *im, quire_bytes content,
                               char ref[QUIRE_REF_SIZE], quire_error *err)
{
    quire_digest digest;
    quire_status st = add_blob(im, content, &digest, err);

    if (!st)
        quire_ref_format(&digest, ref);
    return st;
}

/* ---- the original ------------------------------------------------------- */

static quire_status end_part(struct quire_import *im, quire_error *err)
{
    struct import_part *part;
    size_t cap = im->cap_parts ? im->cap_parts * 2 : 16;

    if (im->part.len == 0)
        return QUIRE_OK;
    if (im->n_parts == im->cap_parts) {
        part = realloc(im->parts, cap * sizeof *part);
        if (!part)
            return err_memory(err);
        im->parts = part;
        im->cap_parts = cap;
    }
    part = &im->parts[im->n_parts++];
    part->at = im->part_at;
    part->size = im->part.len;
    im->part_at += im->part.len;
    if (add_blob(im, buf_bytes(&im->part), &part->digest, err))
        return QUIRE_NO_MEMORY;
    buf_clear(&im->part);
    return QUIRE_OK;
}

quire_status quire_import_bytes(quire_import *im, quire_bytes bytes,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;
    size_t n;

    while (bytes.len > 0 && !st) {
        n = PART_BYTES - im->part.len;
        if (n > bytes.len)
            n = bytes.len;
        buf_add(&im->part, bytes.data, n);
        bytes = bytes_sub(bytes, n, bytes.len);
        st = buf_status(&im->part, "a part of a file", err);
        if (!st && im->part.len == PART_BYTES)
            st = end_part(im, err);
    }
    return st;
}

/* ---- entries ------------------------------------------------------------ */

static quire_status spool_fail(int number, quire_error *err)
{
    return err_sys(err, number, "cannot write a temporary file in the home");
}

/* Move collected entries to the temporary file. */
static quire_status spool_lines(struct quire_import *im, quire_error *err)
{
    if (im->dir < 0) {
        im->dir = open(im->q->home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (im->dir < 0 || fs_temp_open(&im->spool, im->dir) != 0)
            return spool_fail(errno, err);
    }
    if (fs_write_all(im->spool.fd, buf_bytes(&im->lines)) != 0)
        return spool_fail(errno, err);
    im->spooled += im->lines.len;
    buf_clear(&im->lines);
    return QUIRE_OK;
}

quire_status quire_import_entry(quire_import *im, quire_bytes json,
                                int provisional, quire_error *err)
{
    buf_add(&im->lines, json.data, json.len);
    buf_add_char(&im->lines, '\n');
    im->bytes += json.len + 1;
    im->entries++;
    if (!provisional) {
        im->settled_bytes = im->bytes;
        im->settled_entries = im->entries;
    }
    if (buf_status(&im->lines, "an entry", err))
        return QUIRE_NO_MEMORY;
    return im->lines.len > SPOOL_MAX ? spool_lines(im, err) : QUIRE_OK;
}

/* ---- commit ------------------------------------------------------------- */

static quire_status commit_parts(struct quire_import *im,
                                 quire_import_file *file,
                                 const quire_import_header *header,
                                 quire_bytes state, quire_error *err)
{
    struct import_update u = {.file = file, .state = state};
    quire_status st = end_part(im, err);

    if (!st)
        st = put_pending(im, err);
    file->path = im->known.path;
    file->bytes = im->part_at;
    file->imported_us = clock_us(&im->q->clock);
    if (!st && header)
        st = im->grown ? import_write_grown(im, file, header, err)
                       : import_write_new(im, file, header, err);
    if (st)
        return st;
    u.from = im->from;
    u.parts = im->parts;
    u.n = im->n_parts;
    return import_store(&im->q->catalog, im->q->tenant, &u, err);
}

quire_status quire_import_commit(quire_import *im, quire_import_file *file,
                                 const quire_import_header *header,
                                 quire_bytes state, quire_error *err)
{
    const char *path = file->path;
    quire_status st = commit_parts(im, file, header, state, err);

    file->path = path; /* not our own copy */
    quire_import_abort(im);
    return st;
}

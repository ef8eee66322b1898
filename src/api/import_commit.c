/*
 * import_commit.c - write what imports have collected
 *
 * In this order, and each is durable before the next: blobs, session files, the
 * ledger. A new session file is complete before it has its name. A grown one changes
 * in place: the ledger records that it is being written, its provisional entries are
 * cut off, and new ones appended; after a crash in between, the next import does it
 * again.
 *
 * Each step waits for the disk. Imports that wait for one another share the waits:
 * one transaction for the blobs of all, one batch for their files, one transaction
 * for their rows. What fails for one of them alone (its session is in use) leaves
 * the others as they are.
 */
#include <stdlib.h>
#include <string.h>

#include "api/import_priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "store/object.h"

/* ---- what is written ---------------------------------------------------------- */

static const char *keep_text(struct quire_import *im, const char *text)
{
    return arena_text(&im->keep, bytes_str(text));
}

/* Take what the caller says of the file; `state` is lent. */
static quire_status complete(struct quire_import *im,
                             const quire_import_file *file,
                             const quire_import_header *header,
                             quire_bytes state, quire_error *err)
{
    quire_import_file *f = &im->file;
    quire_status st;

    *f = *file;
    f->path = im->known.path;
    f->agent = keep_text(im, file->agent);
    f->session = keep_text(im, file->session);
    f->cwd = keep_text(im, file->cwd);
    f->title = keep_text(im, file->title);
    f->mark = arena_dup(&im->keep, file->mark);
    if (file->output)
        f->output = keep_text(im, file->output);
    f->imported_us = clock_us(&im->q->clock);
    im->state = state;
    im->has_header = header != NULL;
    if (header)
        im->header = *header;
    if (header && header->parent)
        im->header.parent = keep_text(im, header->parent);
    if ((file->output && !f->output) || !f->agent || !f->session || !f->cwd ||
        !f->title || !f->mark.data ||
        (header && header->parent && !im->header.parent))
        return err_memory(err);
    st = import_end_part(im, err);
    buf_release(&im->part);
    buf_release(&im->said);
    buf_release(&im->spelled);
    return st;
}

static quire_status put_blobs(struct quire_import *list, quire_error *err)
{
    struct quire_import *im;
    quire_status st = QUIRE_OK;

    for (im = list; im && !st; im = im->next)
        st = import_pack_blobs(im, err);
    if (!st)
        st = quire_transaction_begin(list->q, err);
    if (st)
        return st;
    for (im = list; im && !st; im = im->next) {
        st = import_put_blobs(im, err);
        buf_release(&im->content);
        buf_release(&im->packed);
    }
    if (!st)
        return quire_transaction_end(list->q, NULL, err);
    quire_transaction_rollback(list->q);
    return st;
}

static quire_status write_session(struct quire_import *im, quire_error *err)
{
    quire_status st = QUIRE_OK;

    im->file.bytes = im->part_at;
    if (im->has_header)
        st = im->grown ? import_write_grown(im, &im->file, &im->header, err)
                       : import_write_new(im, &im->file, &im->header, err);
    else if (im->file.output)
        st = import_write_output(im, &im->file, err);
    buf_release(&im->lines);
    return st;
}

/* New files get their names with the commit; others are durable at once. */
static quire_status write_sessions(struct quire_import *list, quire_error *err)
{
    struct object_store *files = list->q->all->objects;
    struct quire_import *im;
    quire_status st = list->next ? object_begin(files, err) : QUIRE_OK;

    if (st)
        return st;
    for (im = list; im; im = im->next)
        im->status = write_session(im, &im->error);
    return list->next ? object_commit(files, err) : QUIRE_OK;
}

static quire_status write_rows(struct quire_import *list, quire_error *err)
{
    struct catalog *c = &list->q->catalog;
    struct quire_import *im;
    quire_status st = db_begin(c->db, DB_DURABLE, list->q->tenant, err);

    if (st)
        return st;
    for (im = list; im && !st; im = im->next) {
        struct import_update u = {.file = &im->file,
                                  .state = im->state,
                                  .from = im->from,
                                  .parts = im->parts,
                                  .n = im->n_parts,
                                  .answers = im->answers,
                                  .n_answers = im->n_answers,
                                  .owner = import_owner(im->file.session),
                                  .again = im->has_row && im->has_header &&
                                           im->from == 0};

        if (!im->status)
            st = import_put_rows(c, im->q->tenant, &u, err);
    }
    return sql_end(c->db, st, err);
}

static quire_status commit_all(struct quire_import *list, quire_error *err)
{
    quire_status st = put_blobs(list, err);

    if (!st)
        st = write_sessions(list, err);
    return st ? st : write_rows(list, err);
}

/* ---- one, or several ---------------------------------------------------------- */

quire_status quire_import_commit(quire_import *im, quire_import_file *file,
                                 const quire_import_header *header,
                                 quire_bytes state, quire_error *err)
{
    quire_status st = complete(im, file, header, state, err);

    if (!st)
        st = commit_all(im, err);
    if (!st && im->status) {
        st = im->status;
        if (err)
            *err = im->error;
    }
    file->bytes = im->file.bytes;
    file->settled_bytes = im->file.settled_bytes;
    file->written_bytes = im->file.written_bytes;
    file->entries = im->file.entries;
    file->settled_entries = im->file.settled_entries;
    file->imported_us = im->file.imported_us;
    quire_import_abort(im);
    return st;
}

quire_status quire_import_commit_later(quire_import *im,
                                       const quire_import_file *file,
                                       const quire_import_header *header,
                                       quire_bytes state, quire_error *err)
{
    quire_status st = complete(im, file, header, state, err);
    struct quire_import **end = &im->q->imports;

    if (!st && state.data) {
        im->state = arena_dup(&im->keep, state);
        st = im->state.data ? QUIRE_OK : err_memory(err);
    }
    if (st) {
        quire_import_abort(im);
        return st;
    }
    while (*end)
        end = &(*end)->next;
    *end = im;
    return QUIRE_OK;
}

quire_status quire_import_commit_all(quire *q, quire_import_done_fn done,
                                     void *ctx, quire_error *err)
{
    struct quire_import *list = q->imports, *im;
    quire_status st = list ? commit_all(list, err) : QUIRE_OK;

    q->imports = NULL;
    while ((im = list) != NULL) {
        list = im->next;
        if (!st)
            st = done(ctx, im->file.path, im->status, &im->error);
        quire_import_abort(im);
    }
    return st;
}

void import_drop_all(quire *q)
{
    struct quire_import *im;

    while ((im = q->imports) != NULL) {
        q->imports = im->next;
        quire_import_abort(im);
    }
}

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

#include "api/session.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "blob/hash.h"
#include "catalog/import_ledger.h"

#define PART_BYTES    ((size_t)1 << 20)
#define PART_MIN      ((size_t)64 << 10)
#define SPOOL_MAX     ((size_t)16 << 20)
#define PENDING_BYTES ((size_t)8 << 20)
#define CEILING       ((size_t)1 << 31)
enum { PENDING_MAX = 200 };

struct quire_import {
    quire *q;
    struct arena keep;
    quire_import_file known; /* .path: of the file; the rest of an earlier
                                import, if there is one                    */
    bool has_row, grown, held;

    struct buf lines;     /* entries that are not in the file yet    */
    struct fs_temp spool; /* and those before them                   */
    int dir;              /* of the spool; -1: there is none         */
    uint64_t spooled;
    uint64_t bytes, settled_bytes; /* of entries */
    uint64_t entries, settled_entries;

    struct buf part; /* the last, not complete part of the file */
    uint64_t part_at, from;
    struct import_part *parts; /* owned; new ones */
    size_t n_parts, cap_parts;

    struct buf content; /* of blobs that are not put yet */
    size_t ends[PENDING_MAX];
    size_t n_pending;
};

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

/* The file of the session with this id: not one whose id begins so. */
static quire_status find_session(struct quire_import *im, const char *id,
                                 struct session_location *p, quire_error *err)
{
    const char *key;
    quire_status st = session_lookup(im->q, id, &im->keep, p, err);

    if (!st)
        st = session_location_key(p, &im->keep, &key, err);
    if (!st && (!p->in_home || strcmp(key, id) != 0))
        st = QUIRE_NOT_FOUND;
    return st == QUIRE_NOT_FOUND
               ? err_set(err, st, "session %s was removed", id)
               : st;
}

/* Entries that others have appended would be lost. */
static quire_status check_size(const struct quire_import *im, uint64_t size,
                               quire_error *err)
{
    const quire_import_file *f = &im->known;

    if (size == f->written_bytes ||
        (f->written_bytes == IMPORT_WRITING && size >= f->settled_bytes))
        return QUIRE_OK;
    return err_fail(err, QUIRE_CHANGED,
                    HINT_SHELL
                    "fork the session and remove it: the next import "
                    "makes it anew",
                    "session %s was changed since it was imported", f->session);
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
    st = find_session(im, im->known.session, &p, err);
    if (!st)
        st = log_stat(p.store->logs, p.name, &info, err);
    if (!st)
        st = check_size(im, info.size, err);
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

typedef quire_status (*lines_fn)(void *ctx, quire_bytes lines,
                                 quire_error *err);

/* All entries, in pieces. */
static quire_status each_lines(struct quire_import *im, lines_fn each,
                               void *ctx, quire_error *err)
{
    struct buf piece = BUF_INIT(PART_BYTES);
    quire_status st = QUIRE_OK;
    uint64_t at;
    ssize_t n;

    if (im->spooled > 0 && !buf_room(&piece, PART_BYTES))
        st = err_memory(err);
    for (at = 0; at < im->spooled && !st; at += (uint64_t)n) {
        n = fs_read_at(im->spool.fd, piece.data, PART_BYTES, (off_t)at);
        if (n <= 0)
            st = err_sys(err, n < 0 ? errno : EIO,
                         "cannot read a temporary file in the home");
        else
            st = each(ctx, bytes_of(piece.data, (size_t)n), err);
    }
    buf_release(&piece);
    if (!st && im->lines.len > 0)
        st = each(ctx, buf_bytes(&im->lines), err);
    return st;
}

/* ---- a new session file ------------------------------------------------- */

static quire_status write_draft(void *ctx, quire_bytes lines, quire_error *err)
{
    return log_write(ctx, lines, err);
}

/* Give a draft the name of a session that exists. The old generation must be what an
 * import has left. */
static quire_status replace_session(struct quire_import *im,
                                    struct log_store *logs, const char *name,
                                    struct log_draft *d, quire_error *err)
{
    struct log *log;
    uint64_t size;
    bool named;
    quire_status st = session_hold(logs, name, im->q->busy_ms, &log, err);

    if (st) {
        log_discard(d);
        return st;
    }
    st = log_status(log, &size, &named, err);
    if (!st && im->has_row)
        st = check_size(im, size, err);
    if (st)
        log_discard(d);
    else
        st = log_replace(log, d, err);
    log_close(log);
    return st;
}

/* Whether the session file `name` was made by an import of this file. */
static quire_status check_ours(struct log_store *logs, const char *name,
                               const struct session_birth *birth,
                               quire_error *err)
{
    struct json_want w[] = {JSON_WANT("id"), JSON_WANT("agent"),
                            JSON_WANT("source")};
    char head[16384];
    struct object_info info;
    struct log *log;
    const char *line;
    size_t n = 0;
    quire_status st = log_open(logs, name, LOG_READ, &log, &info, err);

    if (st)
        return st;
    st = log_read(log, 0, head, sizeof head, &n, err);
    log_close(log);
    if (st)
        return st;
    line = memchr(head, '\n', n);
    n = line ? n - (size_t)(++line - head) : 0;
    if (n && json_head(bytes_of(line, n), w, 3, NULL) &&
        json_kind(w[1].value) == JSON_STRING &&
        json_kind(w[2].value) == JSON_STRING &&
        json_is(w[0].value, birth->id) && json_is(w[1].value, birth->agent) &&
        json_is(w[2].value, birth->source))
        return QUIRE_OK;
    return err_set(err, QUIRE_EXISTS,
                   "session %s exists, and was not imported from %s", birth->id,
                   birth->source);
}

struct comparing {
    struct log *log;
    uint64_t at;
    bool same;
};

static quire_status compare_lines(void *ctx, quire_bytes lines,
                                  quire_error *err)
{
    struct comparing *c = ctx;
    char piece[4096];
    quire_status st = QUIRE_OK;
    size_t n, got;

    while (lines.len > 0 && c->same && !st) {
        n = lines.len < sizeof piece ? lines.len : sizeof piece;
        st = log_read(c->log, c->at, piece, n, &got, err);
        c->same = !st && got == n && !memcmp(piece, lines.data, n);
        c->at += n;
        lines = bytes_sub(lines, n, lines.len);
    }
    return st;
}

/* Whether the session file is what would be written: a process that was killed
 * before it reached the ledger has left it. */
static quire_status is_same(struct quire_import *im, struct log_store *logs,
                            const char *name, const struct buf *head,
                            bool *same, quire_error *err)
{
    struct comparing c = {.same = true};
    struct object_info info;
    quire_status st = log_open(logs, name, LOG_READ, &c.log, &info, err);

    *same = false;
    if (st)
        return st;
    if (info.size == head->len + im->bytes) {
        st = compare_lines(&c, buf_bytes(head), err);
        if (!st)
            st = each_lines(im, compare_lines, &c, err);
        *same = !st && c.same;
    }
    log_close(c.log);
    return st;
}

/* Keep what stands in the way of a session file: entries may have been appended. */
static quire_status move_aside(struct quire_import *im, struct log_store *logs,
                               const char *name, quire_error *err)
{
    char noise[NAMES_ID_SIZE];
    const char *to;
    quire_status st = names_session_id(&rand_system, clock_us(&im->q->clock),
                                       false, noise, err);

    if (st)
        return st;
    to = arena_printf(&im->keep, "%s.%s.bak", name, noise);
    return to ? log_rename(logs, name, to, err) : err_memory(err);
}

static quire_status publish(struct quire_import *im, struct log_store *logs,
                            const char *name, struct log_draft *d,
                            const struct session_birth *birth,
                            const struct buf *head, quire_error *err)
{
    quire_status st = log_publish(d, name, false, NULL, err);
    bool same = false;

    if (st != QUIRE_EXISTS)
        return st;
    st = check_ours(logs, name, birth, err);
    if (!st)
        st = is_same(im, logs, name, head, &same, err);
    if (!st && !same)
        st = move_aside(im, logs, name, err);
    if (st || same) {
        log_discard(d);
        return st;
    }
    return log_publish(d, name, false, NULL, err);
}

static const char *new_name(struct quire_import *im,
                            const struct session_birth *birth)
{
    const char *dir = session_dir_of_cwd(im->q, birth->cwd, &im->keep);
    struct buf file = BUF_INIT(1024);
    const char *text, *name = NULL;

    names_file(birth->at_us, birth->id, &file);
    text = buf_text(&file);
    if (dir && text)
        name = arena_printf(&im->keep, "%s/%s", dir, text);
    buf_release(&file);
    return name;
}

/* Header and entries, as a draft. */
static quire_status make_draft(struct quire_import *im, const struct buf *head,
                               quire_import_file *file, struct log_draft **out,
                               quire_error *err)
{
    quire_status st = log_create(im->q->all->logs, out, err);

    if (st)
        return st;
    st = log_write(*out, buf_bytes(head), err);
    if (!st)
        st = each_lines(im, write_draft, *out, err);
    if (st)
        log_discard(*out);
    file->settled_bytes = head->len + im->settled_bytes;
    file->written_bytes = head->len + im->bytes;
    file->settled_entries = im->settled_entries;
    file->entries = im->entries;
    return st;
}

static quire_status write_new(struct quire_import *im, quire_import_file *file,
                              const quire_import_header *header,
                              quire_error *err)
{
    struct session_birth birth = {.id = file->session,
                                  .cwd = *file->cwd ? file->cwd : "/",
                                  .title = file->title,
                                  .parent = header->parent,
                                  .agent = file->agent,
                                  .source = file->path,
                                  .at_us = header->created_us};
    struct buf head = BUF_INIT(CEILING);
    struct session_location p = {0};
    const char *name = NULL;
    struct log_draft *d;
    quire_status st = QUIRE_NOT_FOUND;

    if (im->has_row && !strcmp(im->known.session, file->session))
        st = find_session(im, file->session, &p, err);
    if (st && st != QUIRE_NOT_FOUND)
        return st;
    if (st && !(name = new_name(im, &birth))) {
        st = err_memory(err);
        goto out;
    }
    st = session_head(&birth, header->updated_us, &head, err);
    if (!st)
        st = make_draft(im, &head, file, &d, err);
    if (!st && name)
        st = publish(im, im->q->all->logs, name, d, &birth, &head, err);
    else if (!st)
        st = replace_session(im, p.store->logs, p.name, d, err);
out:
    buf_release(&head);
    session_location_release(&p);
    return st;
}

/* ---- a grown session file ----------------------------------------------- */

struct appending {
    struct log *log;
    uint64_t size;
};

static quire_status append_lines(void *ctx, quire_bytes lines, quire_error *err)
{
    struct appending *a = ctx;
    quire_status st = log_append(a->log, LOG_NO_EPOCH, a->size, lines, err);

    a->size += lines.len;
    return st;
}

static quire_status append_held(struct quire_import *im, struct log *log,
                                quire_import_file *file,
                                const quire_import_header *header,
                                quire_error *err)
{
    struct appending a = {log, im->known.settled_bytes};
    uint64_t size;
    bool named;
    quire_status st = log_status(log, &size, &named, err);

    if (!st)
        st = check_size(im, size, err);
    if (!st)
        st = import_writing(&im->q->catalog, im->q->tenant, im->known.path,
                            err);
    if (!st && size > a.size)
        st = log_cut(log, a.size, err);
    if (!st)
        st = each_lines(im, append_lines, &a, err);
    if (!st && strcmp(file->title, im->known.title) != 0)
        st = session_set_slot(log, file->title, header->updated_us, err);
    if (!st)
        st = log_sync(log, err);
    file->settled_bytes = im->known.settled_bytes + im->settled_bytes;
    file->settled_entries = im->known.settled_entries + im->settled_entries;
    file->written_bytes = im->known.settled_bytes + im->bytes;
    file->entries = im->known.settled_entries + im->entries;
    return st;
}

static quire_status write_grown(struct quire_import *im,
                                quire_import_file *file,
                                const quire_import_header *header,
                                quire_error *err)
{
    struct session_location p = {0};
    struct log *log;
    quire_status st = find_session(im, im->known.session, &p, err);

    if (!st)
        st = session_hold(p.store->logs, p.name, im->q->busy_ms, &log, err);
    if (!st) {
        st = append_held(im, log, file, header, err);
        log_close(log);
    }
    session_location_release(&p);
    return st;
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
        st = im->grown ? write_grown(im, file, header, err)
                       : write_new(im, file, header, err);
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

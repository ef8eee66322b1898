/*
 * import_write.c - what one import collects, as quire/import.h has it
 *
 *     bytes    cut into parts (import_parts.c), each a blob; a last part below
 *              64 KiB is replaced by a larger one when the file grows
 *     blobs    collected, and put in one transaction for many
 *     entries  collected in memory, above 4 MiB in a temporary file, because the
 *              header, which stands before them, is known last
 *
 * import_commit.c writes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/import_priv.h"
#include "base/bytes.h"
#include "base/err.h"

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

/* Continue the last part if it is short. It is no string: behind one there is its
 * quote. */
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
    if (im->known.bytes > 0)
        im->scan = IMPORT_SCAN_LOST;
    if ((n == 0) != (im->known.bytes == 0) ||
        (n > 0 && parts[n - 1].at + parts[n - 1].size != im->known.bytes))
        return err_set(err, QUIRE_NOT_FOUND, "the original of %s was removed",
                       im->known.path);
    if (n == 0 || parts[n - 1].size >= PART_MIN ||
        parts[n - 1].form != IMPORT_PART_RAW)
        return QUIRE_OK;
    st = quire_blob_get(q, &parts[n - 1].digest, &content, err);
    if (st)
        return st;
    im->part_at = im->from = parts[n - 1].at;
    return quire_import_bytes(im, content, err);
}

static quire_status begin_grown(struct quire_import *im, quire_error *err)
{
    struct session_location p = {0};
    struct object_info info;
    quire_status st;

    if (!im->has_row)
        return err_set(err, QUIRE_NOT_FOUND, "%s was not imported",
                       im->known.path);
    if (im->known.written_bytes == IMPORT_WRITING &&
        im->known.settled_bytes == 0)
        return err_set(err, QUIRE_NOT_FOUND,
                       "session %s was being replaced when an import ended",
                       im->known.session);
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
    if (!st)
        st = secrets_policy(q, &im->secrets, err);
    if (!st) {
        im->secrets_place = arena_printf(&im->keep, "%s#", path);
        st = im->secrets_place ? load_row(im, path, err) : err_memory(err);
    }
    return st;
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
                                .notes = BUF_INIT(CEILING),
                                .part = BUF_INIT(CEILING),
                                .said = BUF_INIT(CEILING),
                                .spelled = BUF_INIT(CEILING),
                                .content = BUF_INIT(CEILING),
                                .packed = BUF_INIT(CEILING),
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
    buf_release(&im->notes);
    buf_release(&im->part);
    buf_release(&im->said);
    buf_release(&im->spelled);
    buf_release(&im->content);
    buf_release(&im->packed);
    free(im->parts);
    free(im->answers);
    arena_release(&im->masked);
    arena_release(&im->keep);
    free(im);
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
    uint64_t n;
    quire_status st = QUIRE_OK;

    if (im->secrets != SECRETS_OFF) {
        arena_reset(&im->masked);
        st = secrets_guard_entry(im->q, im->secrets, im->secrets_place,
                                 &im->masked, &json, &n, err);
    }
    if (st)
        return st;
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

quire_status quire_import_answer(quire_import *im, uint64_t answer,
                                 quire_error *err)
{
    size_t cap = im->cap_answers ? im->cap_answers * 2 : 64;
    uint64_t *more;

    if (im->n_answers == im->cap_answers) {
        more = realloc(im->answers, cap * sizeof *more);
        if (!more)
            return err_memory(err);
        im->answers = more;
        im->cap_answers = cap;
    }
    im->answers[im->n_answers++] = answer;
    return QUIRE_OK;
}

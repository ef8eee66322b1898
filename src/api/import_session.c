/* import_session.c - the session file of an import: see import_write.c */
#include <errno.h>
#include <string.h>

#include "api/core/removals.h"
#include "api/import_priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

quire_status import_find_session(struct quire_import *im, const char *id,
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

/* How many bytes of `lines`, which begin at `at`, stand before `end`. */
static size_t bytes_before(quire_bytes lines, uint64_t at, uint64_t end)
{
    if (at >= end)
        return 0;
    return end - at < lines.len ? (size_t)(end - at) : lines.len;
}

/* ---- a new session file ------------------------------------------------- */

/* Provisional entries, behind `settled` bytes, are a section of the log: the next
 * import cuts it off. */
struct drafting {
    struct log_draft *draft;
    uint64_t at, settled;
};

static quire_status write_draft(void *ctx, quire_bytes lines, quire_error *err)
{
    struct drafting *d = ctx;
    size_t n = bytes_before(lines, d->at, d->settled);
    quire_status st = log_write(d->draft, bytes_sub(lines, 0, n), err);

    d->at += lines.len;
    if (!st && n > 0 && d->at >= d->settled)
        st = log_section(d->draft, err);
    if (!st && n < lines.len)
        st = log_write(d->draft, bytes_sub(lines, n, lines.len), err);
    return st;
}

/* Whether lines are those of a log, as far as it goes. */
struct comparing {
    struct log *log;
    uint64_t at, end;
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
        n = c->end - c->at < n ? (size_t)(c->end - c->at) : n;
        if (n == 0)
            break;
        st = log_read(c->log, c->at, piece, n, &got, err);
        c->same = !st && got == n && !memcmp(piece, lines.data, n);
        c->at += n;
        lines = bytes_sub(lines, n, lines.len);
    }
    return st;
}

/* A name beside that of a session file, for what must not be lost. */
static const char *name_aside(struct quire_import *im, const char *name,
                              quire_error *err)
{
    char noise[NAMES_ID_SIZE];
    const char *to = NULL;

    if (!names_session_id(&rand_system, clock_us(&im->q->clock), false, noise,
                          err)) {
        to = arena_printf(&im->keep, "%s.%s.bak", name, noise);
        if (!to)
            err_memory(err);
    }
    return to;
}

static quire_status copy_aside(struct quire_import *im, struct log_store *logs,
                               const char *name, struct log *log,
                               quire_error *err)
{
    const char *to = name_aside(im, name, err);
    struct log_draft *d = NULL;
    quire_status st = to ? log_create(logs, to, &d, err) : QUIRE_NO_MEMORY;

    if (!st)
        st = log_copy(log, 0, UINT64_MAX, d, err);
    if (st && d)
        log_discard(d);
    return st ? st : log_publish(d, to, false, NULL, err);
}

/* An import that was interrupted has left some of its lines. If others follow,
 * entries were appended since: keep a copy. */
static quire_status keep_appended(struct quire_import *im,
                                  struct log_store *logs, const char *name,
                                  struct log *log, uint64_t size,
                                  const struct buf *head, quire_error *err)
{
    struct comparing c = {.log = log, .end = size, .same = true};
    quire_status st = compare_lines(&c, buf_bytes(head), err);

    if (!st)
        st = each_lines(im, compare_lines, &c, err);
    if (st || (c.same && c.at == size))
        return st;
    return copy_aside(im, logs, name, log, err);
}

/* Replace a session, which is held, by a draft. */
static quire_status replace_session(struct quire_import *im,
                                    struct log_store *logs, const char *name,
                                    struct log *log, struct log_draft *d,
                                    const struct buf *head, quire_error *err)
{
    uint64_t size;
    bool named;
    quire_status st = log_status(log, &size, &named, err);

    if (!st && im->known.written_bytes == IMPORT_WRITING)
        st = keep_appended(im, logs, name, log, size, head, err);
    if (!st)
        st = import_writing(&im->q->catalog, im->q->tenant, im->known.path, 0,
                            err);
    if (st)
        log_discard(d);
    else
        st = log_replace(log, d, err);
    return st;
}

/* Hold the session that is to be replaced. It must be what an import has left, but
 * for labels and titles. */
static quire_status hold_session(struct quire_import *im,
                                 const struct session_location *p,
                                 struct log **log, quire_error *err)
{
    uint64_t size;
    bool named;
    quire_status st = session_hold(p->store->logs, p->name, im->q->busy_ms, log,
                                   err);

    if (st) {
        *log = NULL;
        return st;
    }
    st = log_status(*log, &size, &named, err);
    if (!st)
        st = import_check_size(im, size, err);
    return st ? st : import_read_notes(im, *log, size, err);
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

/* Whether the session file is what would be written: a process that was killed
 * before it reached the ledger has left it. */
static quire_status is_same(struct quire_import *im, struct log_store *logs,
                            const char *name, const struct buf *head,
                            bool *same, quire_error *err)
{
    struct comparing c = {.end = UINT64_MAX, .same = true};
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
    const char *to = name_aside(im, name, err);

    return to ? log_rename(logs, name, to, err) : QUIRE_NO_MEMORY;
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

    names_file(birth->at_us, birth->id, true, &file);
    text = buf_text(&file);
    if (dir && text)
        name = arena_printf(&im->keep, "%s/%s", dir, text);
    buf_release(&file);
    return name;
}

/* Header and entries, as a draft. */
static quire_status make_draft(struct quire_import *im, const char *name,
                               const struct buf *head, quire_import_file *file,
                               struct log_draft **out, quire_error *err)
{
    struct drafting d = {.settled = im->settled_bytes};
    quire_status st = log_create(im->q->all->logs, name, &d.draft, err);

    if (st)
        return st;
    st = log_write(d.draft, buf_bytes(head), err);
    if (!st && d.settled == 0)
        st = log_section(d.draft, err);
    if (!st)
        st = each_lines(im, write_draft, &d, err);
    if (!st)
        st = import_write_notes(im, NULL, d.draft, err);
    if (st)
        log_discard(d.draft);
    *out = d.draft;
    file->settled_bytes = head->len + im->settled_bytes;
    file->written_bytes = head->len + im->bytes;
    file->settled_entries = im->settled_entries;
    file->entries = im->entries;
    return st;
}

/* A session that was moved stays in the project that it was moved to. */
static quire_status keep_project(struct quire_import *im, struct log *log,
                                 struct session_birth *birth, quire_error *err)
{
    const char *was = *im->known.cwd ? im->known.cwd : "/";
    struct list_meta meta = {.id = NULL};
    uint64_t size;
    bool named;
    quire_status st = log_status(log, &size, &named, err);

    if (!st)
        st = list_read(log, size, &im->keep, &meta, err);
    if (!st && meta.id && *meta.cwd && strcmp(meta.cwd, was) != 0)
        birth->cwd = meta.cwd;
    return st;
}

quire_status import_write_new(struct quire_import *im, quire_import_file *file,
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
    struct log *log = NULL;
    quire_status st = QUIRE_NOT_FOUND;

    if (im->has_row && !strcmp(im->known.session, file->session))
        st = import_find_session(im, file->session, &p, err);
    if (!st)
        st = hold_session(im, &p, &log, err);
    if (!st)
        st = keep_project(im, log, &birth, err);
    if (st && st != QUIRE_NOT_FOUND)
        goto out;
    if (im->title)
        birth.title = im->title;
    if (st && !(name = new_name(im, &birth))) {
        st = err_memory(err);
        goto out;
    }
    st = session_head(&birth, header->updated_us, &head, err);
    if (!st)
        st = make_draft(im, name ? name : p.name, &head, file, &d, err);
    if (!st && name)
        st = publish(im, im->q->all->logs, name, d, &birth, &head, err);
    else if (!st)
        st = replace_session(im, p.store->logs, p.name, log, d, &head, err);
out:
    if (log)
        log_close(log);
    buf_release(&head);
    session_location_release(&p);
    return st;
}

/* ---- a grown session file ----------------------------------------------- */

struct appending {
    struct log *log;
    uint64_t size, settled;
};

/* Each append is a section. */
static quire_status append_lines(void *ctx, quire_bytes lines, quire_error *err)
{
    struct appending *a = ctx;
    size_t n = bytes_before(lines, a->size, a->settled), done;
    quire_status st = QUIRE_OK;

    for (done = 0; done < lines.len && !st; done = n, n = lines.len) {
        if (n == 0)
            continue;
        st = log_append(a->log, LOG_NO_EPOCH, a->size,
                        bytes_sub(lines, done, n), err);
        a->size += n - done;
    }
    return st;
}

/* The provisional entries are cut off, and new ones appended. */
static quire_status append_new(struct quire_import *im, struct log *log,
                               uint64_t size, quire_error *err)
{
    struct appending a = {log, im->known.settled_bytes,
                          im->known.settled_bytes + im->settled_bytes};
    quire_status st = QUIRE_OK;

    if (size > a.size)
        st = log_cut(log, a.size, err);
    return st ? st : each_lines(im, append_lines, &a, err);
}

/* Labels and titles must not be lost in between: the file is replaced. */
static quire_status replace_end(struct quire_import *im, struct log_store *logs,
                                const char *name, struct log *log,
                                quire_error *err)
{
    struct drafting d = {.settled = im->settled_bytes};
    quire_status st = log_create(logs, name, &d.draft, err);

    if (st)
        return st;
    st = log_copy(log, 0, im->known.settled_bytes, d.draft, err);
    if (!st && d.settled == 0)
        st = log_section(d.draft, err);
    if (!st)
        st = each_lines(im, write_draft, &d, err);
    if (!st)
        st = import_write_notes(im, log, d.draft, err);
    if (!st)
        return log_replace(log, d.draft, err);
    log_discard(d.draft);
    return st;
}

static quire_status append_held(struct quire_import *im,
                                const struct session_location *p,
                                struct log *log, quire_import_file *file,
                                const quire_import_header *header,
                                quire_error *err)
{
    uint64_t size;
    bool named;
    quire_status st = log_status(log, &size, &named, err);

    if (!st)
        st = import_check_size(im, size, err);
    if (!st)
        st = import_read_notes(im, log, size, err);
    if (!st)
        st = import_writing(&im->q->catalog, im->q->tenant, im->known.path,
                            im->known.settled_bytes, err);
    if (!st)
        st = im->notes.len > 0
                 ? replace_end(im, p->store->logs, p->name, log, err)
                 : append_new(im, log, size, err);
    if (!st && !im->title && strcmp(file->title, im->known.title) != 0)
        st = session_set_slot(log, file->title, header->updated_us, err);
    if (!st)
        st = log_sync(log, err);
    file->settled_bytes = im->known.settled_bytes + im->settled_bytes;
    file->settled_entries = im->known.settled_entries + im->settled_entries;
    file->written_bytes = im->known.settled_bytes + im->bytes;
    file->entries = im->known.settled_entries + im->entries;
    return st;
}

quire_status import_write_grown(struct quire_import *im,
                                quire_import_file *file,
                                const quire_import_header *header,
                                quire_error *err)
{
    struct session_location p = {0};
    struct log *log;
    quire_status st = import_find_session(im, im->known.session, &p, err);

    if (!st)
        st = session_hold(p.store->logs, p.name, im->q->busy_ms, &log, err);
    if (!st) {
        st = append_held(im, &p, log, file, header, err);
        log_close(log);
    }
    session_location_release(&p);
    return st;
}

/* ---- an output ---------------------------------------------------------- */

static quire_status write_piece(void *ctx, quire_bytes piece, quire_error *err)
{
    return object_write(ctx, piece, err);
}

static quire_status make_output(struct quire_import *im,
                                struct object_store *objects, const char *name,
                                quire_error *err)
{
    struct draft *d;
    quire_status st = object_create(objects, &d, err);
    size_t i;

    if (st)
        return st;
    for (i = 0; i < im->n_parts && !st; i++)
        st = import_write_part(im->q, &im->parts[i], write_piece, d, err);
    if (st) {
        object_discard(d);
        return st;
    }
    st = object_publish(d, name, false, err);
    if (st != QUIRE_EXISTS)
        return st;
    object_discard(d);
    return QUIRE_OK;
}

quire_status import_write_output(struct quire_import *im,
                                 const quire_import_file *file,
                                 quire_error *err)
{
    struct session_location p = {0};
    const char *dir, *name = NULL;
    quire_status st = import_find_session(im, file->session, &p, err);

    if (!st) {
        dir = session_outputs_dir(p.name, &im->keep);
        name = dir ? arena_printf(&im->keep, "%s/%s", dir, file->output) : NULL;
        st = !name ? err_memory(err)
             : session_is_output(name)
                 ? make_output(im, p.store->objects, name, err)
                 : QUIRE_OK;
    }
    session_location_release(&p);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* import_session.c - the session file of an import: see import_write.c */
#include <errno.h>
#include <string.h>

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

quire_status import_check_size(const struct quire_import *im, uint64_t size,
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
    quire_status st = to ? log_create(logs, &d, err) : QUIRE_NO_MEMORY;

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

/* Give a draft the name of a session that exists. The old generation must be what an
 * import has left. */
static quire_status replace_session(struct quire_import *im,
                                    struct log_store *logs, const char *name,
                                    struct log_draft *d, const struct buf *head,
                                    quire_error *err)
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
        st = import_check_size(im, size, err);
    if (!st && im->has_row && im->known.written_bytes == IMPORT_WRITING)
        st = keep_appended(im, logs, name, log, size, head, err);
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
    quire_status st = QUIRE_NOT_FOUND;

    if (im->has_row && !strcmp(im->known.session, file->session))
        st = import_find_session(im, file->session, &p, err);
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
        st = replace_session(im, p.store->logs, p.name, d, &head, err);
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
        st = import_check_size(im, size, err);
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
        st = append_held(im, log, file, header, err);
        log_close(log);
    }
    session_location_release(&p);
    return st;
}

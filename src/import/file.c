/* file.c - import one file: see run.h */
#include "import/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/timestamp.h"
#include "import/agent.h"
#include "import/content.h"
#include "import/history_base.h"
#include "import/sidecar.h"

enum {
    MARK_HEAD = 4 << 10,
    MARK_TAIL = 16 << 10,
    MARK_BYTES = 32,

    /* The state of a converter is about a fortieth of its file. It is saved again
     * when this many bytes are new, or a 64th of the file; until then these bytes
     * are converted again, and their entries are provisional. */
    STATE_MIN = 64 << 10,
    STATE_MAX = 1 << 20,
};
#define CEILING ((size_t)1 << 30)

/* Where temporary files go; NULL: there is no home to write to. */
static const char *temp_dir(const struct import_batch *b)
{
    return b->q && !b->run->dry_run ? quire_home(b->q) : NULL;
}

/* ---- the mark ----------------------------------------------------------- */

static quire_status read_at(const struct importing *i, uint64_t at, void *buf,
                            size_t len, quire_error *err)
{
    ssize_t n = fs_read_at(i->fd, buf, len, (off_t)at);

    if (n == (ssize_t)len)
        return QUIRE_OK;
    return err_sys(err, n < 0 ? errno : EIO, "cannot read %s", i->found->path);
}

/* Hashes of the beginning, and of what stands before `end`. */
static quire_status make_mark(const struct importing *i, uint64_t end,
                              uint8_t mark[MARK_BYTES], quire_error *err)
{
    static const uint64_t seeds[4][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};
    size_t head = end < MARK_HEAD ? (size_t)end : MARK_HEAD;
    size_t tail = end < MARK_TAIL ? (size_t)end : MARK_TAIL;
    uint64_t hash;
    size_t n;
    quire_status st = read_at(i, 0, i->buf, head, err);

    if (!st)
        st = read_at(i, end - tail, i->buf + MARK_HEAD, tail, err);
    for (n = 0; n < 4 && !st; n++) {
        hash = map_hash(seeds[n], n < 2 ? bytes_of(i->buf, head)
                                        : bytes_of(i->buf + MARK_HEAD, tail));
        memcpy(mark + n * 8, &hash, 8);
    }
    return st;
}

/* ---- new, grown, unchanged, rewritten ----------------------------------- */

static bool copy_row(struct importing *i, const quire_import_file *row)
{
    i->row = *row;
    i->row.path = i->found->path;
    i->row.agent = arena_text(&i->keep, bytes_str(row->agent));
    i->row.session = arena_text(&i->keep, bytes_str(row->session));
    i->row.cwd = arena_text(&i->keep, bytes_str(row->cwd));
    i->row.title = arena_text(&i->keep, bytes_str(row->title));
    i->row.mark = arena_dup(&i->keep, row->mark);
    return i->row.agent && i->row.session && i->row.cwd && i->row.title &&
           i->row.mark.data;
}

static quire_status find_row(struct importing *i, quire_error *err)
{
    quire_import_file row;
    quire_status st = i->batch->q ? quire_import_find(i->batch->q,
                                                      i->found->path, &row, err)
                                  : QUIRE_NOT_FOUND;

    i->known = !st;
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    return copy_row(i, &row) ? QUIRE_OK : err_memory(err);
}

/* The main file of a session, and whether it is another one than ours. */
struct other_file {
    const char *ours;
    struct arena *keep;
    const char *path; /* NULL: there is none */
};

static quire_status take_other(void *ctx, const quire_import_file *f,
                               quire_error *err)
{
    struct other_file *o = ctx;

    (void)err;
    if (f->is_main && strcmp(f->path, o->ours) != 0)
        o->path = arena_text(o->keep, bytes_str(f->path));
    return QUIRE_OK;
}

/* A file that was moved keeps its row. Of two files of one name both are kept: the
 * second gets an id of its own. */
static quire_status resolve_id(struct importing *i, const char **id,
                               quire_error *err)
{
    static const uint64_t seed[2] = {0x71756972, 3};
    struct other_file other = {i->found->path, &i->keep, NULL};
    const struct import_run *run = i->run;
    quire_status st = QUIRE_OK;

    *id = i->known ? i->row.session : i->found->id;
    if (i->known || !i->batch->q || !i->found->is_main)
        return QUIRE_OK;
    st = quire_import_list(i->batch->q, *id, take_other, &other, err);
    if (st || !other.path)
        return st;
    if (content_was_moved(other.path, i->found) && !run->dry_run) {
        st = quire_import_move(i->batch->q, other.path, i->found->path, err);
        return st ? st : find_row(i, err);
    }
    i->parent = *id;
    *id = arena_printf(&i->keep, "%.8s-%016llx", *id,
                       (unsigned long long)map_hash(seed,
                                                    bytes_str(i->found->path)));
    return *id ? QUIRE_OK : err_memory(err);
}

static quire_status compare(struct importing *i, enum import_state *out,
                            quire_error *err)
{
    const quire_import_file *row = &i->row;
    uint64_t size = (uint64_t)i->st.st_size;
    uint8_t mark[MARK_BYTES];
    quire_status st;

    *out = i->known ? IMPORT_REWRITTEN : IMPORT_NEW;
    if (!i->known || row->written_bytes == UINT64_MAX)
        return QUIRE_OK;
    if (row->inode == i->st.st_ino && row->bytes == size &&
        row->modified_ns == stat_modified_ns(&i->st)) {
        *out = IMPORT_UNCHANGED;
        return QUIRE_OK;
    }
    if (i->found->is_rows || row->mark.len != MARK_BYTES || size < row->bytes ||
        (row->inode != i->st.st_ino && row->bytes != size))
        return QUIRE_OK;
    st = make_mark(i, row->bytes, mark, err);
    if (st || memcmp(mark, row->mark.data, MARK_BYTES) != 0)
        return st;
    *out = row->bytes == size ? IMPORT_UNCHANGED : IMPORT_GROWN;
    return QUIRE_OK;
}

/* Remember the new time of a file that was touched. */
static quire_status note_time(struct importing *i, quire_error *err)
{
    if (i->run->dry_run || (i->row.inode == i->st.st_ino &&
                            i->row.modified_ns == stat_modified_ns(&i->st)))
        return QUIRE_OK;
    i->row.inode = i->st.st_ino;
    i->row.modified_ns = stat_modified_ns(&i->st);
    return quire_import_touch(i->batch->q, &i->row, err);
}

/* ---- one session -------------------------------------------------------- */

/* Bytes of the file from `from` to its end: those from `fed` on to the converter,
 * those from `kept` on to the store. */
static quire_status pass_bytes(struct importing *i, uint64_t fed, uint64_t kept,
                               quire_error *err)
{
    uint64_t at = fed < kept ? fed : kept, end = (uint64_t)i->st.st_size;
    quire_bytes piece;
    quire_status st = QUIRE_OK;
    size_t n;

    for (; at < end && !st; at += n) {
        if (import_is_stopped(i->run))
            return err_set(err, QUIRE_STOPPED, "the import was stopped");
        n = end - at < BATCH_BUF ? (size_t)(end - at) : BATCH_BUF;
        if (at < fed && fed - at < n)
            n = (size_t)(fed - at);
        if (at < kept && kept - at < n)
            n = (size_t)(kept - at);
        st = read_at(i, at, i->buf, n, err);
        piece = bytes_of(i->buf, n);
        if (!st && i->im && at >= kept)
            st = quire_import_bytes(i->im, piece, err);
        if (!st && i->c && at >= fed)
            st = import_converter_feed(i->c, piece, err);
    }
    return st;
}

static quire_status make_converter(struct importing *i, bool *grown,
                                   quire_error *err)
{
    const struct import_format *format = i->found->agent->format;
    struct import_sink sink = file_sink(i);
    struct import_options options = {.whole = i->found->is_whole};
    quire_status st = QUIRE_DAMAGED;

    if (*grown)
        st = import_converter_restore(format, &sink, NULL, i->state, &i->c,
                                      err);
    if (st != QUIRE_DAMAGED)
        return st;
    *grown = false;
    return import_converter_new(format, &sink, &options, &i->c, err);
}

static quire_status load_state(struct importing *i, quire_error *err)
{
    quire_bytes state;
    quire_status st = quire_import_state(i->batch->q, i->found->path, &state,
                                         err);

    if (st)
        return st;
    i->state = arena_dup(&i->keep, state);
    return i->state.data ? QUIRE_OK : err_memory(err);
}

static quire_status feed_bases(struct importing *i, quire_error *err)
{
    bool missing;
    quire_status st = import_feed_bases(i->c, i->found, i->batch->places,
                                        temp_dir(i->batch), &missing, err);

    if (!st && missing) {
        i->problems++;
        file_report(i, 1, 0, "the file where this session begins is not there");
    }
    return st;
}

/* Begin as grown if that is possible, else anew. */
static quire_status begin(struct importing *i, enum import_state *state,
                          quire_error *err)
{
    bool grown = *state == IMPORT_GROWN && !i->found->is_whole;
    quire_status st = QUIRE_OK;

    if (grown &&
        i->row.version != import_format_version(i->found->agent->format))
        grown = false;
    if (grown && load_state(i, err))
        grown = false;
    if (grown && !i->run->dry_run) {
        st = quire_import_begin(i->batch->q, i->found->path, 1, &i->im, err);
        if (st == QUIRE_NOT_FOUND) /* the session was removed */
            grown = false;
        else if (st)
            return st;
    }
    if (!grown && !i->run->dry_run)
        st = quire_import_begin(i->batch->q, i->found->path, 0, &i->im, err);
    if (st && st != QUIRE_NOT_FOUND)
        return st;
    st = make_converter(i, &grown, err);
    if (!st && !grown && *state == IMPORT_GROWN && i->im) {
        /* The state was of another build. */
        quire_import_abort(i->im);
        st = quire_import_begin(i->batch->q, i->found->path, 0, &i->im, err);
    }
    if (*state == IMPORT_GROWN && !grown)
        *state = IMPORT_REWRITTEN;
    return st;
}

static int64_t time_us(const char *text, int64_t otherwise)
{
    int64_t ms;

    return text && timestamp_parse(bytes_str(text), &ms) ? ms * 1000
                                                         : otherwise;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Titles are stored in a slot; a prompt is shortened to a line. */
static const char *make_title(struct importing *i, const struct import_facts *f)
{
    char *title = arena_text(&i->keep, bytes_str(f->title    ? f->title
                                                 : f->prompt ? f->prompt
                                                             : ""));
    char *at;

    for (at = title; title && *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
    return title;
}

/* A small one, which is not continued, waits for others. */
static quire_status commit_file(struct importing *i, quire_import *im,
                                quire_import_file *f,
                                const quire_import_header *header,
                                quire_bytes state, quire_error *err)
{
    i->waits = !i->grown && i->st.st_size <= BATCH_FILE_MAX;
    return i->waits ? quire_import_commit_later(im, f, header, state, err)
                    : quire_import_commit(im, f, header, state, err);
}

static quire_status commit(struct importing *i, const char *id,
                           const struct import_facts *facts,
                           const struct buf *state, quire_error *err)
{
    quire_import_header header = {.parent = i->found->parent ? i->found->parent
                                            : i->parent      ? i->parent
                                                             : facts->parent};
    uint8_t mark[MARK_BYTES];
    quire_import_file f = {.path = i->found->path,
                           .agent = i->found->agent->name,
                           .session = id,
                           .is_main = 1,
                           .cwd = or_empty(facts->cwd),
                           .title = make_title(i, facts),
                           .inode = i->st.st_ino,
                           .modified_ns = stat_modified_ns(&i->st),
                           .mark = bytes_of(mark, sizeof mark),
                           .version = import_format_version(
                               i->found->agent->format),
                           .problems = (i->lazy ? 0 : i->problems) +
                                       (i->grown ? i->row.problems : 0)};
    quire_import *im = i->im;
    quire_status st = make_mark(i, (uint64_t)i->st.st_size, mark, err);

    if (st || !f.title)
        return st ? st : err_memory(err);
    header.created_us = time_us(facts->created,
                                stat_modified_ns(&i->st) / 1000);
    header.updated_us = time_us(facts->updated, header.created_us);
    i->im = NULL;
    return commit_file(i, im, &f, &header, buf_bytes(state), err);
}

/* Whether so little is new that the state need not be saved. */
static bool is_lazy(const struct importing *i)
{
    uint64_t size = (uint64_t)i->st.st_size, limit = size / 64;

    if (limit < STATE_MIN)
        limit = STATE_MIN;
    if (limit > STATE_MAX)
        limit = STATE_MAX;
    return i->grown && size - import_converter_offset(i->c) < limit;
}

/* End the converter. What it knows of a large file is freed, what the commit needs
 * of it copied. */
static quire_status end_converter(struct importing *i, struct import_facts *f,
                                  quire_error *err)
{
    const char **text[] = {&f->cwd,     &f->title,   &f->prompt,
                           &f->created, &f->updated, &f->parent};
    quire_status st;
    size_t n;

    i->ending = true;
    st = import_converter_finish(i->c, err);
    if (st)
        return st;
    import_converter_facts(i->c, f);
    f->cwd = f->cwd ? f->cwd : i->found->cwd;
    f->title = f->title ? f->title : i->found->title;
    for (n = 0; n < sizeof text / sizeof *text; n++)
        if (*text[n] && !(*text[n] = arena_text(&i->keep, bytes_str(*text[n]))))
            return err_memory(err);
    import_converter_free(i->c);
    i->c = NULL;
    return i->usage_status ? err_memory(err) : QUIRE_OK;
}

static quire_status convert(struct importing *i, enum import_state *state,
                            const char *id, bool *outside, quire_error *err)
{
    struct buf saved = BUF_INIT(CEILING);
    struct import_facts facts;
    quire_status st = begin(i, state, err);

    i->grown = *state == IMPORT_GROWN;
    if (!st && !i->grown && i->found->agent->has_bases)
        st = feed_bases(i, err);
    i->lazy = !st && is_lazy(i);
    if (!st)
        st = pass_bytes(i, import_converter_offset(i->c),
                        i->grown ? i->row.bytes : 0, err);
    if (!st && !i->lazy)
        st = import_converter_save(i->c, &saved, err);
    if (!st)
        st = end_converter(i, &facts, err);
    if (!st) {
        *outside = !import_is_in_project(i->run, facts.cwd);
        if (i->im && !*outside)
            st = commit(i, id, &facts, &saved, err);
    }
    if (i->grown) {
        i->entries += i->row.settled_entries;
        i->problems += i->row.problems;
    }
    buf_release(&saved);
    return st;
}

static quire_status emit(struct importing *i, enum import_state state,
                         const char *id, quire_error *err)
{
    bool same = state == IMPORT_UNCHANGED;
    uint64_t size = (uint64_t)i->st.st_size;
    struct batch_line w = {
        .line = {.agent = i->found->agent->name,
                 .source = i->found->path,
                 .session = id,
                 .state = state,
                 .entries = same ? i->row.entries : i->entries,
                 .bytes = size,
                 .problems = same ? i->row.problems
                                  : i->problems + i->end_problems},
        .path = i->found->path,
        .commits = i->waits,
    };

    if (w.line.entries == 0 && w.line.problems > 0 && !same)
        w.line.state = IMPORT_DAMAGED;
    if (!same)
        w.bytes = size - (state == IMPORT_GROWN ? i->row.bytes : 0);
    return batch_emit(i->batch, &w, err);
}

/* A session that an export has placed there. *same: the agent has not changed it. */
static quire_status find_placed(struct importing *i, bool *same,
                                quire_error *err)
{
    const struct import_found *f = i->found;
    quire_import_export e;
    quire_status st = i->batch->q ? quire_import_export_find(i->batch->q,
                                                             f->agent->name,
                                                             f->id, &e, err)
                                  : QUIRE_NOT_FOUND;

    *same = false;
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    i->parent = arena_text(&i->keep, bytes_str(e.session));
    i->placed_us = e.exported_us;
    *same = f->is_rows
                ? f->modified_ns / 1000 <= e.exported_us
                : !strcmp(e.path, f->path) && e.inode == f->inode &&
                      e.bytes == f->size && e.modified_ns == f->modified_ns;
    return i->parent ? QUIRE_OK : err_memory(err);
}

static quire_status import_session(struct importing *i, quire_error *err)
{
    enum import_state state;
    bool same;
    const char *id;
    bool outside = false;
    quire_status st = batch_has(i->batch, i->found->id)
                          ? batch_flush(i->batch, err)
                          : QUIRE_OK;

    if (!st)
        st = resolve_id(i, &id, err);
    i->id = st ? NULL : id;
    if (!st)
        st = compare(i, &state, err);
    if (!st && state != IMPORT_UNCHANGED) {
        st = find_placed(i, &same, err);
        if (!st && same && !i->known)
            return emit(i, IMPORT_UNCHANGED, i->parent, err);
    }
    if (st)
        return st;
    if (state == IMPORT_UNCHANGED) {
        outside = !import_is_in_project(i->run, i->row.cwd);
        st = outside ? QUIRE_OK : note_time(i, err);
    } else {
        st = convert(i, &state, id, &outside, err);
    }
    return st || outside ? st : emit(i, state, id, err);
}

/* ---- files that belong to a session ------------------------------------- */

static void on_sidecar(void *ctx, uint64_t line, uint64_t byte,
                       const char *message)
{
    struct importing *i = ctx;
    const char *text = line ? message
                            : arena_printf(&i->keep, "%s, byte %llu: %s",
                                           i->found->path,
                                           (unsigned long long)byte, message);
    quire_error ignored;

    i->problems++;
    batch_problem(i->batch, i->found->path, line, byte, text ? text : message,
                  true, &ignored);
}

static quire_status take_sidecar(struct importing *i, enum import_state state,
                                 quire_error *err)
{
    struct import_taking t = {.q = i->batch->q,
                              .found = i->found,
                              .fd = i->fd,
                              .from = state == IMPORT_GROWN ? i->row.bytes : 0,
                              .size = (uint64_t)i->st.st_size,
                              .problem = on_sidecar,
                              .ctx = i};

    return i->found->take(&t, err);
}

/* They are only kept; one that has changed is kept anew. */
static quire_status import_attachment(struct importing *i, quire_error *err)
{
    struct batch_line w = {.path = i->found->path,
                           .bytes = (uint64_t)i->st.st_size};
    uint8_t mark[MARK_BYTES];
    quire_import_file f = {.path = i->found->path,
                           .agent = i->found->agent->name,
                           .session = i->found->id,
                           .cwd = "",
                           .title = "",
                           .output = i->found->output,
                           .inode = i->st.st_ino,
                           .modified_ns = stat_modified_ns(&i->st),
                           .mark = bytes_of(mark, sizeof mark)};
    enum import_state state;
    quire_import *im;
    quire_status st = compare(i, &state, err);

    if (st || i->run->project)
        return st;
    if (state == IMPORT_UNCHANGED)
        return note_time(i, err);
    if (i->run->dry_run)
        return batch_emit(i->batch, &w, err);
    if (i->found->take) {
        f.session = "";
        st = take_sidecar(i, state, err);
        f.problems = i->problems;
        if (st)
            return st;
    }
    st = quire_import_begin(i->batch->q, i->found->path, 0, &i->im, err);
    if (!st)
        st = pass_bytes(i, UINT64_MAX, 0, err);
    if (!st)
        st = make_mark(i, (uint64_t)i->st.st_size, mark, err);
    if (st)
        return st;
    im = i->im;
    i->im = NULL;
    st = commit_file(i, im, &f, NULL, bytes_of(NULL, 0), err);
    w.commits = i->waits;
    return st ? st : batch_emit(i->batch, &w, err);
}

/* ---- all ---------------------------------------------------------------- */

static quire_status open_file(struct importing *i, quire_error *err)
{
    return content_open(i->found, temp_dir(i->batch), &i->fd, &i->st, err);
}

static quire_status import_one(struct importing *i, quire_error *err)
{
    struct import_batch *b = i->batch;
    quire_status st = open_file(i, err);

    /* Make room for what a large one collects. */
    if (!st && b->n > 0 && i->st.st_size > BATCH_FILE_MAX)
        st = batch_flush(b, err);
    if (!st)
        st = find_row(i, err);
    if (!st)
        st = i->found->is_main ? import_session(i, err)
                               : import_attachment(i, err);
    file_report_rest(i);
    import_converter_free(i->c);
    quire_import_abort(i->im);
    if (i->fd >= 0)
        close(i->fd);
    buf_release(&i->text);
    map_release(&i->copied);
    arena_release(&i->keep);
    return st;
}

quire_status import_file(struct import_batch *b,
                         const struct import_found *found, quire_error *err)
{
    struct importing i = {.run = b->run,
                          .batch = b,
                          .found = found,
                          .keep = ARENA_INIT,
                          .fd = -1,
                          .buf = b->buf,
                          .text = BUF_INIT(CEILING)};
    quire_error why = {0};
    quire_status st;

    map_init(&i.copied, 0x71756972, 4);
    st = import_one(&i, &why);
    if (st && import_is_local(st))
        return batch_problem(b, found->path, 0, 0, why.what, true, err);
    if (st && err)
        *err = why;
    return st;
}

/* run.c - see run.h */
#include "import/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/map.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "import/history_base.h"

enum {
    READ_BYTES = 256 << 10,
    MARK_HEAD = 4 << 10,
    MARK_TAIL = 16 << 10,
    MARK_BYTES = 32,
    EXCERPT = 2000, /* bytes of a long text that stay in the entry */

    /* The state of a converter is about a fortieth of its file. It is saved again
     * when this many bytes are new, or a 64th of the file; until then these bytes
     * are converted again, and their entries are provisional. */
    STATE_MIN = 64 << 10,
    STATE_MAX = 1 << 20,
};
#define CEILING ((size_t)1 << 30)

/* One file under way. */
struct importing {
    const struct import_run *run;
    const struct import_places *places;
    const struct import_found *found;
    struct arena keep;
    int fd;
    struct stat st;
    char *buf; /* READ_BYTES, of the run */

    bool known; /* `row` is what the ledger has */
    quire_import_file row;
    quire_bytes state;

    quire_import *im; /* NULL: a dry run */
    struct import_converter *c;
    uint64_t entries, settled;
    uint64_t problems;
    bool grown;
    bool lazy;   /* the state in the ledger stays */
    bool ending; /* problems of the end may be gone when it has grown */
    uint64_t end_problems;
    struct buf text; /* decoded payloads */
};

const char *import_state_name(enum import_state state)
{
    static const char *const names[] = {"new", "grown", "unchanged",
                                        "rewritten", "damaged"};

    return names[state];
}

static void report(const struct importing *i, uint64_t line, uint64_t byte,
                   const char *message)
{
    if (i->run->problem)
        i->run->problem(i->run->ctx, i->found->path, line, byte, message);
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

static int64_t modified_ns(const struct stat *st)
{
    return st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
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
    quire_status st = i->run->q ? quire_import_find(i->run->q, i->found->path,
                                                    &row, err)
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
    if (i->known || !run->q || !i->found->is_main)
        return QUIRE_OK;
    st = quire_import_list(run->q, *id, take_other, &other, err);
    if (st || !other.path)
        return st;
    if (access(other.path, F_OK) != 0 && !run->dry_run) {
        st = quire_import_move(run->q, other.path, i->found->path, err);
        return st ? st : find_row(i, err);
    }
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
        row->modified_ns == modified_ns(&i->st)) {
        *out = IMPORT_UNCHANGED;
        return QUIRE_OK;
    }
    if (row->mark.len != MARK_BYTES || size < row->bytes ||
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
                            i->row.modified_ns == modified_ns(&i->st)))
        return QUIRE_OK;
    i->row.inode = i->st.st_ino;
    i->row.modified_ns = modified_ns(&i->st);
    return quire_import_touch(i->run->q, &i->row, err);
}

/* ---- the sink ----------------------------------------------------------- */

static quire_status on_entry(void *ctx, const struct import_entry *e,
                             quire_error *err)
{
    struct importing *i = ctx;

    i->entries++;
    i->settled += !e->provisional;
    return i->im ? quire_import_entry(i->im, e->json, e->provisional || i->lazy,
                                      err)
                 : QUIRE_OK;
}

/* The bytes of a payload; false: it stays inline. */
static bool decode(struct importing *i, const struct import_payload *p)
{
    struct buf base64 = BUF_INIT(CEILING);
    bool ok = true;

    buf_clear(&i->text);
    if (p->kind == IMPORT_IMAGE) {
        json_decode(p->json, &base64);
        ok = base64_decode(buf_bytes(&base64), &i->text);
        ok = ok && !base64.failed;
    } else if (p->kind == IMPORT_DATA) {
        buf_add(&i->text, p->json.data, p->json.len);
    } else {
        json_decode(p->json, &i->text);
    }
    buf_release(&base64);
    return ok && !i->text.failed && i->text.len > 0;
}

/* A long text keeps its beginning, so that it can be read and found. */
static void add_excerpt(struct importing *i, const char *ref, struct buf *out)
{
    size_t n = utf8_cut(buf_bytes(&i->text), EXCERPT);
    struct buf text = BUF_INIT(CEILING);

    buf_add(&text, i->text.data, n);
    buf_addf(&text, "\n[%zu of %zu bytes; all of them: %s]", n, i->text.len,
             ref);
    json_add_quoted(out, buf_bytes(&text));
    out->failed = out->failed || text.failed;
    buf_release(&text);
}

static quire_status on_payload(void *ctx, const struct import_payload *p,
                               struct buf *out, quire_error *err)
{
    struct importing *i = ctx;
    char ref[QUIRE_REF_SIZE];
    quire_status st;

    if (!i->im || !decode(i, p))
        return QUIRE_OK;
    st = quire_import_blob(i->im, buf_bytes(&i->text), ref, err);
    if (st)
        return st;
    if (p->kind == IMPORT_RESULT || p->kind == IMPORT_TEXT)
        add_excerpt(i, ref, out);
    else
        json_add_quoted(out, bytes_str(ref));
    return buf_status(out, "an entry", err);
}

static void on_problem(void *ctx, const struct import_problem *p)
{
    struct importing *i = ctx;

    i->problems += !i->ending;
    i->end_problems += i->ending;
    report(i, p->line, p->byte, p->message);
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
        n = end - at < READ_BYTES ? (size_t)(end - at) : READ_BYTES;
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
    const struct import_format *format = i->found->format;
    struct import_sink sink = {.ctx = i,
                               .entry = on_entry,
                               .payload = i->im ? on_payload : NULL,
                               .problem = on_problem};
    quire_status st = QUIRE_DAMAGED;

    if (*grown)
        st = import_converter_restore(format, &sink, NULL, i->state, &i->c,
                                      err);
    if (st != QUIRE_DAMAGED)
        return st;
    *grown = false;
    return import_converter_new(format, &sink, NULL, &i->c, err);
}

static quire_status load_state(struct importing *i, quire_error *err)
{
    quire_bytes state;
    quire_status st = quire_import_state(i->run->q, i->found->path, &state,
                                         err);

    if (st)
        return st;
    i->state = arena_dup(&i->keep, state);
    return i->state.data ? QUIRE_OK : err_memory(err);
}

static quire_status feed_bases(struct importing *i, quire_error *err)
{
    bool missing;
    quire_status st = import_feed_bases(i->c, i->found, i->places, &missing,
                                        err);

    if (!st && missing) {
        i->problems++;
        report(i, 1, 0, "the file where this session begins is not there");
    }
    return st;
}

/* Begin as grown if that is possible, else anew. */
static quire_status begin(struct importing *i, enum import_state *state,
                          quire_error *err)
{
    bool grown = *state == IMPORT_GROWN;
    quire_status st = QUIRE_OK;

    if (grown && i->row.version != import_format_version(i->found->format))
        grown = false;
    if (grown && load_state(i, err))
        grown = false;
    if (grown && !i->run->dry_run) {
        st = quire_import_begin(i->run->q, i->found->path, 1, &i->im, err);
        if (st == QUIRE_NOT_FOUND) /* the session was removed */
            grown = false;
        else if (st)
            return st;
    }
    if (!grown && !i->run->dry_run)
        st = quire_import_begin(i->run->q, i->found->path, 0, &i->im, err);
    if (st && st != QUIRE_NOT_FOUND)
        return st;
    st = make_converter(i, &grown, err);
    if (!st && !grown && *state == IMPORT_GROWN && i->im) {
        /* The state was of another build. */
        quire_import_abort(i->im);
        st = quire_import_begin(i->run->q, i->found->path, 0, &i->im, err);
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

static bool in_project(const struct import_run *run, const char *cwd)
{
    size_t len = run->project ? strlen(run->project) : 0;

    return len == 0 || (cwd && !strncmp(cwd, run->project, len) &&
                        (cwd[len] == '/' || cwd[len] == '\0'));
}

static quire_status commit(struct importing *i, const char *id,
                           const struct import_facts *facts,
                           const struct buf *state, quire_error *err)
{
    quire_import_header header = {.parent = i->found->parent ? i->found->parent
                                                             : facts->parent};
    uint8_t mark[MARK_BYTES];
    quire_import_file f = {.path = i->found->path,
                           .agent = import_format_name(i->found->format),
                           .session = id,
                           .is_main = 1,
                           .cwd = or_empty(facts->cwd),
                           .title = make_title(i, facts),
                           .inode = i->st.st_ino,
                           .modified_ns = modified_ns(&i->st),
                           .mark = bytes_of(mark, sizeof mark),
                           .version = import_format_version(i->found->format),
                           .problems = (i->lazy ? 0 : i->problems) +
                                       (i->grown ? i->row.problems : 0)};
    quire_import *im = i->im;
    quire_status st = make_mark(i, (uint64_t)i->st.st_size, mark, err);

    if (st || !f.title)
        return st ? st : err_memory(err);
    header.created_us = time_us(facts->created, modified_ns(&i->st) / 1000);
    header.updated_us = time_us(facts->updated, header.created_us);
    i->im = NULL;
    return quire_import_commit(im, &f, &header, buf_bytes(state), err);
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

static quire_status convert(struct importing *i, enum import_state *state,
                            const char *id, bool *outside, quire_error *err)
{
    struct buf saved = BUF_INIT(CEILING);
    struct import_facts facts;
    quire_status st = begin(i, state, err);

    i->grown = *state == IMPORT_GROWN;
    if (!st && !i->grown && i->found->format == &import_codex)
        st = feed_bases(i, err);
    i->lazy = !st && is_lazy(i);
    if (!st)
        st = pass_bytes(i, import_converter_offset(i->c),
                        i->grown ? i->row.bytes : 0, err);
    if (!st && !i->lazy)
        st = import_converter_save(i->c, &saved, err);
    i->ending = true;
    if (!st)
        st = import_converter_finish(i->c, err);
    if (!st) {
        import_converter_facts(i->c, &facts);
        *outside = !in_project(i->run, facts.cwd);
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
                         const char *id, struct import_summary *sum,
                         quire_error *err)
{
    bool same = state == IMPORT_UNCHANGED;
    struct import_line line = {.agent = import_format_name(i->found->format),
                               .source = i->found->path,
                               .session = id,
                               .state = state,
                               .entries = same ? i->row.entries : i->entries,
                               .bytes = (uint64_t)i->st.st_size,
                               .problems = same
                                               ? i->row.problems
                                               : i->problems + i->end_problems};

    if (line.entries == 0 && line.problems > 0 && !same)
        line.state = IMPORT_DAMAGED;
    sum->found++;
    sum->unchanged += same;
    sum->imported += !same;
    sum->problems += line.problems;
    if (!same)
        sum->bytes += line.bytes - (state == IMPORT_GROWN ? i->row.bytes : 0);
    return i->run->line(i->run->ctx, &line, err);
}

static quire_status import_session(struct importing *i,
                                   struct import_summary *sum, quire_error *err)
{
    enum import_state state;
    const char *id;
    bool outside = false;
    quire_status st = resolve_id(i, &id, err);

    if (!st)
        st = compare(i, &state, err);
    if (st)
        return st;
    if (state == IMPORT_UNCHANGED) {
        outside = !in_project(i->run, i->row.cwd);
        st = outside ? QUIRE_OK : note_time(i, err);
    } else {
        st = convert(i, &state, id, &outside, err);
    }
    return st || outside ? st : emit(i, state, id, sum, err);
}

/* ---- files that belong to a session ------------------------------------- */

/* They are only kept; one that has changed is kept anew. */
static quire_status import_attachment(struct importing *i,
                                      struct import_summary *sum,
                                      quire_error *err)
{
    uint8_t mark[MARK_BYTES];
    quire_import_file f = {.path = i->found->path,
                           .agent = import_format_name(i->found->format),
                           .session = i->found->id,
                           .cwd = "",
                           .title = "",
                           .inode = i->st.st_ino,
                           .modified_ns = modified_ns(&i->st),
                           .mark = bytes_of(mark, sizeof mark)};
    enum import_state state;
    quire_import *im;
    quire_status st = compare(i, &state, err);

    if (st || i->run->project)
        return st;
    if (state == IMPORT_UNCHANGED)
        return note_time(i, err);
    sum->bytes += (uint64_t)i->st.st_size;
    if (i->run->dry_run)
        return QUIRE_OK;
    st = quire_import_begin(i->run->q, i->found->path, 0, &i->im, err);
    if (!st)
        st = pass_bytes(i, UINT64_MAX, 0, err);
    if (!st)
        st = make_mark(i, (uint64_t)i->st.st_size, mark, err);
    if (st)
        return st;
    im = i->im;
    i->im = NULL;
    return quire_import_commit(im, &f, NULL, bytes_of(NULL, 0), err);
}

/* ---- all ---------------------------------------------------------------- */

static quire_status open_file(struct importing *i, quire_error *err)
{
    if (i->found->compressed)
        return err_set(err, QUIRE_IO,
                       "%s is compressed with zstd, which cannot be read yet",
                       i->found->path);
    i->fd = open(i->found->path,
                 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (i->fd < 0 || fstat(i->fd, &i->st) != 0)
        return err_sys(err, errno, "cannot read %s", i->found->path);
    if (S_ISREG(i->st.st_mode))
        return QUIRE_OK;
    return err_set(err, QUIRE_IO, "%s is not a file", i->found->path);
}

static quire_status import_one(struct importing *i, struct import_summary *sum,
                               quire_error *err)
{
    quire_status st = open_file(i, err);

    if (!st)
        st = find_row(i, err);
    if (!st)
        st = i->found->is_main ? import_session(i, sum, err)
                               : import_attachment(i, sum, err);
    import_converter_free(i->c);
    quire_import_abort(i->im);
    if (i->fd >= 0)
        close(i->fd);
    buf_release(&i->text);
    arena_release(&i->keep);
    return st;
}

/* Whether the failure is one of this file alone. */
static bool is_local(quire_status st)
{
    return st == QUIRE_IO || st == QUIRE_BUSY || st == QUIRE_CHANGED ||
           st == QUIRE_EXISTS || st == QUIRE_NOT_FOUND || st == QUIRE_DAMAGED;
}

static quire_status import_file(const struct import_run *run,
                                const struct import_places *places,
                                const struct import_found *found, char *buf,
                                struct import_summary *sum, quire_error *err)
{
    struct importing i = {.run = run,
                          .places = places,
                          .found = found,
                          .keep = ARENA_INIT,
                          .fd = -1,
                          .buf = buf,
                          .text = BUF_INIT(CEILING)};
    quire_error why = {0};
    quire_status st = import_one(&i, sum, &why);

    if (st && is_local(st)) {
        sum->problems++;
        if (run->problem)
            run->problem(run->ctx, found->path, 0, 0, why.what);
        return QUIRE_OK;
    }
    if (st && err)
        *err = why;
    return st;
}

quire_status import_run(const struct import_run *run,
                        const struct import_places *places,
                        struct import_summary *out, quire_error *err)
{
    char *buf = malloc(READ_BYTES);
    quire_status st = buf ? QUIRE_OK : err_memory(err);
    size_t n;

    *out = (struct import_summary){.found = 0};
    for (n = 0; n < places->n && !st; n++) {
        const struct import_found *f = &places->list[n];

        if (f->modified_ns / 1000 >= run->since_us)
            st = import_file(run, places, f, buf, out, err);
        if (run->progress)
            run->progress(run->ctx, n + 1, places->n);
    }
    free(buf);
    return st;
}

/*
 * import_notes.c - labels and titles that were given to an imported session
 *
 * They are the lines behind what the last import has written, marked with "local"
 * (session/continue.c). An import keeps them: it writes them behind its own entries
 * again, below the last one, so that the leaf is what the agent has left. Any other
 * line there has another author, and the session is left alone.
 */
#include <errno.h>
#include <string.h>

#include "api/import_priv.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"
#include "session/jsonl.h"

/* The last entry is looked for in so many bytes. */
enum { TAIL_BYTES = 16 << 20 };

static quire_status is_changed(const struct quire_import *im, quire_error *err)
{
    return err_fail(err, QUIRE_CHANGED,
                    HINT_SHELL
                    "fork the session and remove it: the next import "
                    "makes it anew",
                    "session %s was changed since it was imported",
                    im->known.session);
}

quire_status import_check_size(const struct quire_import *im, uint64_t size,
                               quire_error *err)
{
    const quire_import_file *f = &im->known;
    bool partial = f->written_bytes == IMPORT_WRITING;

    if (size >= (partial ? f->settled_bytes : f->written_bytes))
        return QUIRE_OK;
    return is_changed(im, err);
}

static quire_status take_note(struct quire_import *im, quire_bytes line,
                              quire_error *err)
{
    quire_bytes title;

    if (json_is(json_get(line, "type"), "title_change")) {
        title = json_text(json_get(line, "title"), &im->keep);
        im->title = title.data ? arena_text(&im->keep, title) : NULL;
        if (!im->title)
            return err_memory(err);
    }
    buf_add(&im->notes, line.data, line.len);
    buf_add_char(&im->notes, '\n');
    return buf_status(&im->notes, "labels", err);
}

/* Whether a line is marked as made here. */
static bool is_note(quire_bytes line)
{
    quire_bytes local = json_get(line, "local");

    return local.len == 4 && !memcmp(local.data, "true", 4);
}

quire_status import_read_notes(struct quire_import *im, struct log *log,
                               uint64_t size, quire_error *err)
{
    const quire_import_file *f = &im->known;
    bool partial = f->written_bytes == IMPORT_WRITING, more = true;
    uint64_t from = partial ? f->settled_bytes : f->written_bytes;
    struct jsonl_value v;
    struct jsonl j;
    quire_status st = QUIRE_OK;

    buf_clear(&im->notes);
    im->title = NULL;
    if (size <= from)
        return QUIRE_OK;
    jsonl_init(&j, log, from, 1, true);
    while (!st && !(st = jsonl_next(&j, &v, &more, err)) && more) {
        if (v.is_object && is_note(v.text))
            st = take_note(im, v.text, err);
        else if (!partial)
            st = is_changed(im, err);
    }
    jsonl_release(&j);
    return st;
}

/* ---- writing them again --------------------------------------------------- */

/* The id of the last entry in lines that may begin within one. .data NULL: it cannot
 * be read. */
static quire_bytes last_id(quire_bytes lines, struct arena *keep)
{
    quire_bytes id = {NULL, 0}, line;
    size_t end = lines.len, from;
    const char *text = lines.data, *at;

    while (end > 0 && text[end - 1] == '\n')
        end--;
    at = end ? memrchr(text, '\n', end) : NULL;
    from = at ? (size_t)(at + 1 - text) : 0;
    line = bytes_sub(lines, from, end);
    if (end > from && text[from] == '{')
        id = json_get(line, "id");
    return json_kind(id) == JSON_STRING ? arena_dup(keep, id)
                                        : bytes_of(NULL, 0);
}

/* One note, below the entry with the id *parent, a JSON string; *parent is its own
 * then. */
static bool add_note(quire_bytes line, quire_bytes *parent, struct arena *tmp,
                     struct buf *out)
{
    struct json_change change = {"parentId", *parent};
    quire_bytes id = json_get(line, "id");
    struct json_edits edits;

    json_edits_init(&edits, line, tmp);
    if (parent->data && !json_edit_members(&edits, line, &change, 1, NULL))
        return false;
    json_splice(&edits, out);
    buf_add_char(out, '\n');
    if (json_kind(id) == JSON_STRING)
        *parent = id;
    return !out->failed;
}

/* All of them, below the entry with the id `parent`. */
static quire_status move_notes(struct quire_import *im, quire_bytes parent,
                               struct arena *tmp, struct buf *out,
                               quire_error *err)
{
    quire_bytes rest = buf_bytes(&im->notes), line;
    const char *end;

    while (rest.len > 0) {
        end = memchr(rest.data, '\n', rest.len);
        line = bytes_sub(rest, 0, (size_t)(end - (const char *)rest.data));
        rest = bytes_sub(rest, line.len + 1, rest.len);
        if (!add_note(line, &parent, tmp, out))
            return err_memory(err);
    }
    return QUIRE_OK;
}

static quire_status read_log_tail(struct log *log, uint64_t end,
                                  struct buf *out, quire_error *err)
{
    size_t n = end < TAIL_BYTES ? (size_t)end : TAIL_BYTES, got = 0;
    char *space = buf_room(out, n);
    quire_status st = space ? log_read(log, end - n, space, n, &got, err)
                            : err_memory(err);

    if (!st)
        buf_grow(out, got);
    return st;
}

/* The end of the entries of this import: of the spool, and what comes behind it. */
static quire_status read_lines_tail(struct quire_import *im, struct buf *out,
                                    quire_error *err)
{
    size_t n = im->spooled < TAIL_BYTES ? (size_t)im->spooled : TAIL_BYTES;
    char *space = n ? buf_room(out, n) : NULL;
    ssize_t got;

    if (n && !space)
        return err_memory(err);
    got = n ? fs_read_at(im->spool.fd, space, n, (off_t)(im->spooled - n)) : 0;
    if (got != (ssize_t)n)
        return err_sys(err, got < 0 ? errno : EIO,
                       "cannot read a temporary file in the home");
    buf_grow(out, n);
    buf_add(out, im->lines.data, im->lines.len);
    return buf_status(out, "entries", err);
}

quire_status import_write_notes(struct quire_import *im, struct log *settled,
                                struct log_draft *draft, quire_error *err)
{
    struct buf before = BUF_INIT(CEILING), out = BUF_INIT(CEILING);
    struct arena tmp = ARENA_INIT;
    quire_status st = QUIRE_OK;

    if (im->notes.len == 0)
        return QUIRE_OK;
    if (im->entries > 0)
        st = read_lines_tail(im, &before, err);
    else if (settled)
        st = read_log_tail(settled, im->known.settled_bytes, &before, err);
    if (!st)
        st = move_notes(im, last_id(buf_bytes(&before), &tmp), &tmp, &out, err);
    if (!st)
        st = log_section(draft, err);
    if (!st)
        st = log_write(draft, buf_bytes(&out), err);
    buf_release(&before);
    buf_release(&out);
    arena_release(&tmp);
    return st;
}

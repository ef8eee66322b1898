/* read_lines.c - the entries of a session, with its leaf and its header */
#include "api/sync/home.h"
#include "base/bytes.h"
#include "base/err.h"

/* Leaf, in `keep`: that of the last line with an id. */
static bool note_leaf(const struct entry_line *line, struct buf *leaf)
{
    quire_bytes id = line->id;

    if (!id.data)
        return true;
    entry_id_is_marker(id, &id);
    buf_clear(leaf);
    buf_add(leaf, id.data, id.len);
    return !leaf->failed;
}

quire_status lines_walk(struct log *log, line_fn each, void *ctx,
                        struct buf *leaf, struct arena *keep,
                        quire_bytes *header, quire_error *err)
{
    struct entry_lines lines;
    struct entry_line line;
    uint64_t n = 0;
    bool more;
    quire_status st;

    *header = bytes_of(NULL, 0);
    entry_lines_init(&lines, log);
    while (!(st = entry_lines_next(&lines, &line, &more, err)) && more) {
        if (!note_leaf(&line, leaf))
            st = err_memory(err);
        if (!st && !line.marker)
            st = each(ctx, &line, n++, err);
        if (st)
            break;
    }
    if (!st && lines.header.data) {
        *header = arena_dup(keep, lines.header);
        st = header->data ? QUIRE_OK : err_memory(err);
    }
    entry_lines_release(&lines);
    return st;
}

quire_status lines_each(struct moving *m, const char *name, line_fn each,
                        void *ctx, const char **leaf, quire_bytes *header,
                        quire_error *err)
{
    struct buf last = BUF_INIT(1 << 20);
    struct object_info info;
    struct log *log;
    quire_status st = log_open(m->q->all->logs, name, LOG_READ, &log, &info,
                               err);

    if (st)
        return st;
    st = lines_walk(log, each, ctx, &last, &m->keep, header, err);
    log_close(log);
    if (!st && leaf) {
        *leaf = last.len ? arena_text(&m->keep, buf_bytes(&last)) : NULL;
        if (last.len && !*leaf)
            st = err_memory(err);
    }
    buf_release(&last);
    return st;
}

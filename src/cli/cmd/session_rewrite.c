/*
 * session_rewrite.c - replace entries by lines of standard input
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

/* Either all is rewritten or nothing, so all of it is read first. */
#define INPUT_MAX ((size_t)2 << 30)

struct lines {
    struct buf text;
    quire_bytes *list; /* owned */
    size_t n;
};

static quire_status read_input(struct buf *out, quire_error *err)
{
    enum { PIECE = 256 * 1024 };
    ssize_t n = 1;

    while (n > 0 && !out->failed) {
        char *room = buf_room(out, PIECE);

        n = room ? fs_read_full(STDIN_FILENO, room, PIECE) : 0;
        if (n > 0)
            buf_grow(out, (size_t)n);
    }
    return n < 0 ? err_sys(err, errno, "cannot read standard input")
                 : buf_status(out, "standard input", err);
}

static quire_status split_lines(struct lines *l, quire_error *err)
{
    quire_bytes text = buf_bytes(&l->text);
    const char *at = text.data, *end = at + text.len, *stop;

    l->list = calloc(bytes_count(text, '\n') + 1, sizeof *l->list);
    if (!l->list)
        return err_memory(err);
    for (; at < end; at = stop + 1) {
        quire_bytes line;

        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        line = bytes_of(at, (size_t)(stop - at));
        if (!ascii_is_blank(line))
            l->list[l->n++] = line;
    }
    return QUIRE_OK;
}

static quire_status
print_rewritten(struct cli *cli, const quire_rewritten *done, quire_error *err)
{
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_uint(&r.json, "entries", done->entries);
        if (done->kept)
            json_put_str(&r.json, "kept", done->kept);
        else
            json_put_null(&r.json, "kept");
    } else if (done->kept) {
        buf_addf(&r.text, "%zu %s rewritten; the original is in ",
                 done->entries, done->entries == 1 ? "entry" : "entries");
        term_add(&r.text, bytes_str(done->kept), true);
    } else {
        buf_add_str(&r.text, "nothing changed");
    }
    return row_emit(&r, err);
}

static int session_rewrite(struct cli *cli, const struct args *args)
{
    struct lines l = {.text = BUF_INIT(INPUT_MAX)};
    quire_session *s = NULL;
    quire_rewritten done;
    quire_error err = {0};
    int code = open_session(cli, args, 0, &s);
    quire_status st;

    if (code)
        return code;
    st = read_input(&l.text, &err);
    if (!st)
        st = split_lines(&l, &err);
    if (!st)
        st = quire_session_rewrite(s, l.list, l.n, &done, &err);
    if (!st)
        st = print_rewritten(cli, &done, &err);
    if (st)
        code = session_fail(cli, &err);
    quire_session_close(s);
    free(l.list);
    buf_release(&l.text);
    return code;
}

const struct cmd cmd_session_rewrite = {
    .name = "session rewrite",
    .args = "[S]",
    .summary = "replace entries by those on standard input",
    .about =
        "Reads JSON lines, each an entry with the `id` of the one that it "
        "replaces. Entries keep their place in the tree: a different `parentId` "
        "is refused, a missing `parentId` or `timestamp` is kept. Entries that "
        "are not given stay as they are. Either all are replaced or none; the "
        "original file is kept beside the new one.\n\n"
        "So the output of `session show --json`, changed by a filter, can be "
        "written back. With `--json`: entries (how many changed), kept.",
    .examples = "quire session show last --json | quire session rewrite last",
    .store = STORE_WRITE,
    .run = session_rewrite,
};

/* trash.c - list and empty the trash */
#include <stdio.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/removal_lines.h"
#include "cli/cmd/session.h"

/* ---- ls ----------------------------------------------------------------- */

struct listing {
    struct cli *cli;
    bool ids;
};

static void add_text_line(struct buf *line, const quire_trashed *t)
{
    char when[LOCAL_TIME_SIZE], size[32];

    term_add(line, bytes_str(t->session), true);
    size_text(t->bytes, size, sizeof size);
    buf_addf(line, "  %-16s  %10s  ", local_time(t->removed_us, when), size);
    term_add(line, bytes_str(t->title), true);
}

static quire_status print_trashed(void *ctx, const quire_trashed *t,
                                  quire_error *err)
{
    struct listing *l = ctx;
    struct row r;

    if (row_begin(&r, l->cli)) {
        json_put_str(&r.json, "session", t->session);
        json_put_str(&r.json, "title", t->title);
        json_put_time(&r.json, "removed_at", t->removed_us);
        json_put_time(&r.json, "purge_at", t->purge_us);
        json_put_uint(&r.json, "bytes", t->bytes);
        json_put_str(&r.json, "path", t->path);
    } else if (l->ids) {
        term_add(&r.text, bytes_str(t->session), true);
    } else {
        add_text_line(&r.text, t);
    }
    return row_emit(&r, err);
}

static int trash_ls(struct cli *cli, const struct args *args)
{
    struct listing l = {cli, args_flag(args, "ids")};
    quire_error err = {0};

    if (quire_trash_list(cli->q, print_trashed, &l, &err) && !cli->out.error)
        return cli_fail(cli, &err);
    return EXIT_DONE;
}

static const struct opt ls_opts[] = {
    {.name = "ids", .kind = OPT_FLAG, .help = "only their ids, one a line"},
    {0},
};

const struct cmd cmd_trash_ls = {
    .name = "trash ls",
    .args = "",
    .summary = "list the sessions in the trash, the last removed first",
    .about = "A line a session: its id, when it was removed, the size of its "
             "files and artifacts, its title. With `--json`: session, title, "
             "removed_at, purge_at (when it is removed for good), bytes, path "
             "(where its file was).",
    .opts = ls_opts,
    .examples = "quire trash ls",
    .store = STORE_READ,
    .run = trash_ls,
};

/* ---- empty -------------------------------------------------------------- */

static int empty_one(struct cli *cli, quire_trash_empty_options *o)
{
    struct removal_lines lines;
    quire_error err = {0};
    quire_status st, said = QUIRE_OK;

    removal_lines_init(&lines);
    o->each = removal_keep;
    o->ctx = &lines;
    st = quire_trash_empty(cli->q, o, NULL, &err);
    /* Those before a failure are gone, too. */
    if (cli->json || o->dry_run)
        said = removal_lines_print(cli, &lines, st ? NULL : &err);
    removal_lines_release(&lines);
    return (st || said) && !cli->out.error ? session_fail(cli, &err)
                                           : EXIT_DONE;
}

static int trash_empty(struct cli *cli, const struct args *args)
{
    quire_trash_empty_options o = QUIRE_TRASH_EMPTY_OPTIONS_INIT;
    int code = EXIT_DONE;
    size_t i;

    o.dry_run = args_flag(args, "dry-run");
    o.older_s = (int64_t)(args_number(args, "older-than", 0) / 1000);
    if (!o.dry_run)
        quire_make_room(cli->q);
    if (!args->n_words)
        return empty_one(cli, &o);
    for (i = 0; i < args->n_words; i++) {
        o.which = args->words[i];
        code = cli_worse(code, empty_one(cli, &o));
    }
    return code;
}

static const struct opt empty_opts[] = {
    {.name = "older-than",
     .kind = OPT_TIME,
     .value = "DUR",
     .help = "only what was removed at least so long ago: 7d, 12h"},
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "remove nothing, print what would be removed"},
    {0},
};

const struct cmd cmd_trash_empty = {
    .name = "trash empty",
    .args = "[S...]",
    .summary = "remove what is in the trash for good",
    .about =
        "All of it, or the sessions named by their ids. `--dry-run` prints "
        "the files and artifacts that would be removed. With `--json` both "
        "print a line for each: path or row, and bytes. Blobs stay until "
        "`quire gc` removes them.",
    .opts = empty_opts,
    .examples = "quire trash empty --dry-run",
    .store = STORE_WRITE,
    .run = trash_empty,
};

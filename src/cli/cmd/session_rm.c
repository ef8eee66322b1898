/* session_rm.c - remove and restore sessions */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/removal_lines.h"
#include "cli/cmd/session.h"

/* ---- rm ----------------------------------------------------------------- */

static int print_removal(struct cli *cli, const char *which)
{
    quire_error err = {0};
    quire_status st = quire_session_removal(cli->q, which, removal_emit, cli,
                                            &err);

    return st && !cli->out.error ? session_fail(cli, &err) : EXIT_DONE;
}

typedef quire_status (*remove_fn)(quire *q, const char *which,
                                  quire_error *err);

static quire_status move_to_trash(quire *q, const char *which, quire_error *err)
{
    return quire_session_trash(q, which, QUIRE_TRASH_OR_REMOVE, NULL, err);
}

/* With --json the lines are printed once it is done. */
static int remove_one(struct cli *cli, const char *which, remove_fn run)
{
    struct removal_lines lines;
    quire_error err = {0};
    const char *path;
    char *copy = NULL;
    quire_status st = quire_session_find(cli->q, which, &path, &err);

    removal_lines_init(&lines);
    if (!st && !(copy = strdup(path)))
        st = err_memory(&err);
    if (!st && cli->json)
        st = quire_session_removal(cli->q, copy, removal_keep, &lines, &err);
    if (!st)
        st = run(cli->q, copy, &err);
    if (!st)
        st = removal_lines_print(cli, &lines, &err);
    removal_lines_release(&lines);
    free(copy);
    return st && !cli->out.error ? session_fail(cli, &err) : EXIT_DONE;
}

static int trash_one(struct cli *cli, const char *which)
{
    return remove_one(cli, which, move_to_trash);
}

static int remove_now(struct cli *cli, const char *which)
{
    return remove_one(cli, which, quire_session_remove);
}

static int session_rm(struct cli *cli, const struct args *args)
{
    if (args_flag(args, "dry-run"))
        return each_session(cli, args, print_removal);
    quire_make_room(cli->q);
    return each_session(cli, args,
                        args_flag(args, "now") ? remove_now : trash_one);
}

static const struct opt rm_opts[] = {
    {.name = "now",
     .kind = OPT_FLAG,
     .help = "remove them for good, not into the trash"},
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "remove nothing, print what would be removed"},
    {0},
};

const struct cmd cmd_session_rm = {
    .name = "session rm",
    .args = "S...",
    .summary = "move sessions and what belongs to them into the trash",
    .about =
        "Outputs, artifacts and the workspace go with a session. `session "
        "restore` brings it back; after the time of the setting trash.keep it "
        "is removed for good, as `trash empty` does and `--now`, which cannot "
        "be undone. A session outside the home, or of another program's home, "
        "has no trash and is removed at once. Blobs stay until `quire gc` "
        "removes them. `--dry-run` prints the files and artifacts that would "
        "be removed. With `--json` both print a line for each: path or row, and "
        "bytes. Files that cannot be removed are reported, with exit status 3; "
        "the next command that writes tries again.",
    .opts = rm_opts,
    .examples = "quire session rm --dry-run last",
    .store = STORE_WRITE,
    .run = session_rm,
};

/* ---- restore ------------------------------------------------------------ */

static int session_restore(struct cli *cli, const struct args *args)
{
    quire_error err = {0};
    const char *path;
    int code = EXIT_DONE;
    size_t i;

    for (i = 0; i < args->n_words; i++) {
        if (quire_session_restore(cli->q, args->words[i], &path, &err))
            code = cli_worse(code, session_fail(cli, &err));
        else
            session_print_path(cli, path);
    }
    return code;
}

const struct cmd cmd_session_restore = {
    .name = "session restore",
    .args = "S...",
    .summary = "bring sessions back from the trash",
    .about = "S is the id of a session in the trash, or the beginning of it; "
             "`trash ls` lists them. It comes back as it was and where it was, "
             "even if its artifacts exceed a quota. Prints the path of each "
             "file; with `--json`: path.",
    .examples = "quire session rm last; quire session restore $(quire trash ls "
                "--ids)",
    .store = STORE_WRITE,
    .run = session_restore,
};

/* watch.c - `quire watch`: changed workspace files become artifact versions */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/core/signals.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/session.h"

static void print_change(void *ctx, const char *session, const char *what,
                         const char *path, const char *why)
{
    struct row r;

    if (row_begin(&r, ctx)) {
        json_put_str(&r.json, "session", session);
        json_put_str(&r.json, "what", what);
        json_put_str(&r.json, "path", path);
        json_put_str(&r.json, "why", why);
    } else {
        buf_addf(&r.text, "%-9s %s/", what, session);
        term_add(&r.text, bytes_str(path), true);
        if (*why)
            buf_addf(&r.text, ": %s", why);
    }
    row_print(&r);
}

static int watch(struct cli *cli, const struct args *args)
{
    quire_watch *w = NULL;
    quire_error err = {0};
    quire_status st;
    bool once = args_flag(args, "once");

    signals_catch(SIGNALS_FORCE | SIGNALS_NO_HUP);
    st = quire_watch_open(cli->q, args_text(args, "session"), &w, &err);
    if (!st && quire_watch_blind(w) && !cli->quiet)
        fputs("quire: no inotify watches left; polling every two seconds\n"
              "hint: raise fs.inotify.max_user_watches\n",
              stderr);
    if (!st && !once && !cli->quiet && !cli->json)
        fprintf(stderr, "watching the files below %s/artifacts\n",
                quire_home(cli->q));
    do {
        if (!st)
            st = quire_watch_next(w, once ? 0 : -1, print_change, cli, &err);
        if (!st)
            st = out_flush(cli, &err);
    } while (!st && !once && !signals_caught());
    quire_watch_close(w);
    if (st && !cli->out.error)
        return artifact_fail(cli, &err);
    return EXIT_DONE;
}

static const struct opt watch_opts[] = {
    {.name = "once",
     .kind = OPT_FLAG,
     .help = "compare all files once, and end"},
    {0},
};

const struct cmd cmd_watch = {
    .name = "watch",
    .args = "",
    .summary = "keep artifacts in step with the files of workspaces",
    .about =
        "Watches the files of all sessions' workspaces, or of --session, until "
        "it is interrupted. A file that an editor or a program writes becomes a "
        "new version of its artifact, or a new artifact; a deleted file "
        "soft-deletes its artifact. Changes made before the start are found, "
        "too. Prints a line a change: taken (a file became an artifact), dropped "
        "(its file is gone), given (an artifact became a file), withdrawn (its "
        "artifact was deleted) or passed, with the reason; with --json an object "
        "with session, what, path, why.",
    .opts = watch_opts,
    .examples = "quire watch --once",
    .store = STORE_WRITE,
    .stays = true,
    .run = watch,
};

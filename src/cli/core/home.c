#include "cli/core/home.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "cli/core/cli.h"

static bool is_absent(const char *path)
{
    return access(path, F_OK) != 0 && errno == ENOENT;
}

/* A line on standard error, unless --quiet. `kind` is for programs. */
static void print_notice(struct cli *cli, const char *kind, const char *text,
                         const char *home)
{
    struct buf line = BUF_INIT(16384), what = BUF_INIT(8192);
    struct json_writer w;

    if (cli->quiet)
        return;
    buf_addf(&what, "%s %s", text, home);
    if (cli->json) {
        json_begin(&w, &line);
        json_object(&w);
        json_put_bytes(&w, "warning", buf_bytes(&what));
        json_put_str(&w, "kind", kind);
        json_object_end(&w);
    } else {
        buf_add_str(&line, "quire: ");
        buf_add(&line, what.data, what.len);
    }
    buf_add_char(&line, '\n');
    out_flush(cli, NULL);
    if (!line.failed && !what.failed)
        fs_write_all(STDERR_FILENO, buf_bytes(&line));
    buf_release(&line);
    buf_release(&what);
}

/* The directory that `home` is in. */
static void find_parent(const char *home, char parent[PATH_MAX])
{
    size_t len = strlen(home);

    while (len > 1 && home[len - 1] == '/')
        len--;
    while (len > 0 && home[len - 1] != '/')
        len--;
    while (len > 1 && home[len - 1] == '/')
        len--;
    snprintf(parent, PATH_MAX, "%.*s", len ? (int)len : 1, len ? home : ".");
}

static int refuse_parent(struct cli *cli, const struct args *args,
                         const char *home, const char *parent)
{
    const char *variable = args_env(args, "home");
    quire_error err = {0};

    err_fail(&err, QUIRE_NOT_FOUND, "",
             "cannot create the home %.200s: there is no directory %.200s",
             home, parent);
    err_next(&err, "correct %s, or create that directory first",
             variable ? variable : "--home");
    return cli_fail(cli, &err);
}

int home_check(struct cli *cli, const struct args *args, bool *report)
{
    const char *home = args_text(args, "home");
    bool named = home && !args_env(args, "home");
    char parent[PATH_MAX];

    *report = false;
    if (!home || strlen(home) >= PATH_MAX || !is_absent(home))
        return EXIT_DONE;
    if (args->cmd->store != STORE_WRITE) {
        if (named)
            print_notice(cli, "no_home", "there is no home at", home);
        return EXIT_DONE;
    }
    find_parent(home, parent);
    if (is_absent(parent))
        return refuse_parent(cli, args, home, parent);
    if (named && args->cmd->stays) /* now: its end may be far */
        print_notice(cli, "home_created", "creating the home", home);
    *report = named && !args->cmd->stays;
    return EXIT_DONE;
}

void home_report_created(struct cli *cli)
{
    if (!is_absent(quire_home(cli->q)))
        print_notice(cli, "home_created", "created the home",
                     quire_home(cli->q));
}

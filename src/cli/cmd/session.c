#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

/* ---- shared by the verbs ------------------------------------------------ */

int session_named(struct cli *cli, const struct args *args, const char **which)
{
    *which = args->n_words ? args->words[0] : args_text(args, "session");
    if (*which && **which)
        return EXIT_DONE;
    return cli_usage(cli,
                     "name it, or give --session S; `last` is the one used "
                     "last in this directory",
                     "`quire %s` needs a session", args->cmd->name);
}

int session_fail(struct cli *cli, const quire_error *err)
{
    int code = cli_fail(cli, err);

    return err->status == QUIRE_INVALID ? EXIT_NO : code;
}

/* The paths of all sessions named, each once, ended by NULL; in `keep`. */
static quire_status find_all(struct cli *cli, const struct args *args,
                             struct arena *keep, const char ***paths,
                             quire_error *err)
{
    const char *path;
    quire_status st = QUIRE_OK;
    size_t i, k, n = 0;

    *paths = arena_array(keep, args->n_words + 1, sizeof **paths);
    if (!*paths)
        return err_memory(err);
    for (i = 0; i < args->n_words && !st; i++) {
        st = quire_session_find(cli->q, args->words[i], &path, err);
        for (k = 0; k < n && !st && strcmp((*paths)[k], path) != 0; k++)
            ;
        if (st || k < n)
            continue;
        (*paths)[n] = arena_text(keep, bytes_str(path));
        st = (*paths)[n++] ? QUIRE_OK : err_memory(err);
    }
    return st;
}

int each_session(struct cli *cli, const struct args *args,
                 int (*run)(struct cli *cli, const char *which))
{
    struct arena keep = ARENA_INIT;
    const char *which, **paths;
    quire_error err = {0};
    int code = session_named(cli, args, &which);

    if (code)
        return code;
    if (args->n_words < 2)
        return run(cli, which);
    if (find_all(cli, args, &keep, &paths, &err))
        code = session_fail(cli, &err);
    for (; !err.status && *paths; paths++)
        code = cli_worse(code, run(cli, *paths));
    arena_release(&keep);
    return code;
}

int open_session(struct cli *cli, const struct args *args, unsigned flags,
                 quire_session **out)
{
    quire_session_options options = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info = {0};
    quire_error err = {0};
    const char *which;
    int code = session_named(cli, args, &which);

    if (code)
        return code;
    options.flags = flags;
    if (quire_session_open(cli->q, which, &options, out, &err))
        return session_fail(cli, &err);
    /* Unreadable entries are skipped, with a warning. */
    quire_session_describe(*out, &info);
    if (info.problems)
        session_warn(cli, "damaged",
                     "%llu place%s in %s cannot be read; `quire session check` "
                     "lists them",
                     (unsigned long long)info.problems,
                     info.problems == 1 ? "" : "s",
                     info.path ? info.path : which);
    if (info.archived && !(flags & QUIRE_SESSION_READ))
        session_warn(cli, "archived",
                     "session %s is archived: `quire session unarchive` brings "
                     "it back to the lists",
                     info.id);
    return EXIT_DONE;
}

int session_print(struct cli *cli, quire_session *s)
{
    quire_session_info info = {0};
    quire_error err = {0};
    struct row r;
    int code = EXIT_DONE;

    if (quire_session_flush(s, &err)) {
        code = cli_fail(cli, &err);
    } else {
        quire_session_describe(s, &info);
        row_begin_json(&r, cli);
        json_put_str(&r.json, "id", info.id);
        json_put_optional(&r.json, "path", info.path);
        row_print(&r);
    }
    quire_session_close(s);
    return code;
}

void session_entry_json(struct buf *line, quire_session *s,
                        const quire_appended *entry)
{
    quire_session_info info;
    struct json_writer w;

    json_begin(&w, line);
    json_object(&w);
    json_put_str(&w, "id", entry->id);
    json_put_optional(&w, "parentId", entry->parent);
    if (entry->truncated)
        json_put_bool(&w, "truncated", true);
    if (entry->existed)
        json_put_bool(&w, "existed", true);
    if (entry->continued) {
        quire_session_describe(s, &info);
        json_put_str(&w, "session", info.id);
    }
    json_object_end(&w);
}

void session_continued(struct cli *cli, quire_session *s)
{
    quire_session_info info;

    quire_session_describe(s, &info);
    session_warn(cli, "continued",
                 "session %s was imported and stays as it is: it goes on in "
                 "session %s",
                 info.parent, info.id);
}

void session_warn(struct cli *cli, const char *kind, const char *fmt, ...)
{
    struct buf line = BUF_INIT(8192);
    char what[1024];
    va_list ap;

    if (cli->quiet)
        return;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (cli->json) {
        struct json_writer w;

        json_begin(&w, &line);
        json_object(&w);
        json_put_str(&w, "warning", what);
        json_put_str(&w, "kind", kind);
        json_object_end(&w);
    } else {
        buf_add_str(&line, "quire: warning: ");
        term_add(&line, bytes_str(what), true);
    }
    buf_add_char(&line, '\n');
    fs_write_all(STDERR_FILENO, buf_bytes(&line));
    buf_release(&line);
}

/* Flush the session, print `line` once it is durable, and close. */
static int finish_change(struct cli *cli, quire_session *s, quire_status st,
                         quire_error *err, struct buf *line)
{
    int code = EXIT_DONE;

    if (!st)
        st = quire_session_flush(s, err);
    if (st)
        code = cli_fail(cli, err);
    else if (line->len)
        out_line(cli, line);
    quire_session_close(s);
    buf_release(line);
    return code;
}

/* ---- new ---------------------------------------------------------------- */

static int session_new(struct cli *cli, const struct args *args)
{
    quire_session_options options = QUIRE_SESSION_OPTIONS_INIT;
    const char *parent = args_text(args, "parent");
    quire_session *s = NULL, *from = NULL;
    quire_session_info info = {0};
    quire_error err = {0};
    quire_status st = QUIRE_OK;

    if (parent) {
        options.flags = QUIRE_SESSION_READ;
        st = quire_session_open(cli->q, parent, &options, &from, &err);
        if (!st)
            quire_session_describe(from, &info);
        options.parent = info.id;
    }
    options.flags = QUIRE_SESSION_AT_ONCE;
    options.cwd = args_text(args, "cwd");
    options.title = args_text(args, "title");
    options.file = args_text(args, "file");
    if (!st)
        st = quire_session_new(cli->q, &options, &s, &err);
    quire_session_close(from);
    return st ? session_fail(cli, &err) : session_print(cli, s);
}

static const struct opt new_opts[] = {
    {.name = "cwd",
     .kind = OPT_PATH,
     .value = "DIR",
     .help = "its project directory; the working directory unless given"},
    {.name = "title",
     .kind = OPT_TEXT,
     .value = "TEXT",
     .help = "a title to find it by"},
    {.name = "parent",
     .kind = OPT_TEXT,
     .value = "S",
     .help = "the session it comes from, for its header"},
    {.name = "file",
     .kind = OPT_PATH,
     .value = "PATH",
     .help = "write it there instead of in the home; the directory must exist"},
    {0},
};

const struct cmd cmd_session_new = {
    .name = "session new",
    .args = "",
    .summary = "create a session",
    .about = "Writes the session's file and prints one JSON object: id, path.",
    .opts = new_opts,
    .examples = "quire session new --title 'first steps'",
    .store = STORE_WRITE,
    .run = session_new,
};

/* ---- branch ------------------------------------------------------------- */

/* TEXT, or all of standard input for `-`. */
static quire_status read_summary(const char *text, struct buf *out,
                                 quire_error *err)
{
    ssize_t n = 1;

    if (strcmp(text, "-") != 0) {
        buf_add_str(out, text);
    } else {
        while (n > 0 && !out->failed) {
            char *room = buf_room(out, 4096);

            n = room ? fs_read_full(STDIN_FILENO, room, 4096) : 0;
            if (n > 0)
                buf_grow(out, (size_t)n);
        }
        while (out->len && out->data[out->len - 1] == '\n')
            out->len--;
    }
    if (n < 0)
        return err_sys(err, errno, "cannot read standard input");
    if (out->len && memchr(out->data, '\0', out->len))
        return err_set(err, QUIRE_INVALID, "the summary contains a NUL byte");
    return buf_status(out, "the summary", err);
}

static int session_branch(struct cli *cli, const struct args *args)
{
    const char *text = args_text(args, "summary");
    const char *id = strcmp(args->words[1], "root") ? args->words[1] : NULL;
    struct buf summary = BUF_INIT(16 * 1024 * 1024);
    struct buf line = BUF_INIT(4096);
    quire_session *s = NULL;
    quire_appended entry = {0};
    quire_error err = {0};
    quire_status st;
    int code;

    if (text && read_summary(text, &summary, &err)) {
        code = cli_fail(cli, &err);
        goto out;
    }
    code = open_session(cli, args, 0, &s);
    if (code)
        goto out;
    if (text)
        st = quire_session_branch_summary(s, id, buf_text(&summary),
                                          bytes_of(NULL, 0), &entry, &err);
    else
        st = quire_session_branch(s, id, 1, &entry, &err);
    if (!st && entry.continued)
        session_continued(cli, s);
    if (!st)
        session_entry_json(&line, s, &entry);
    code = finish_change(cli, s, st, &err, &line);
out:
    buf_release(&summary);
    return code;
}

static const struct opt branch_opts[] = {
    {.name = "summary",
     .kind = OPT_TEXT,
     .value = "TEXT|-",
     .help = "a summary of the branch that is left; `-` reads standard input"},
    {0},
};

const struct cmd cmd_session_branch = {
    .name = "session branch",
    .args = "S ENTRY",
    .summary = "make an earlier entry the current leaf",
    .about = "The next append goes below ENTRY; `root` is before the first "
             "entry. Nothing is erased: entries after ENTRY stay as a branch."
             "\n\n"
             "Prints one JSON object, id and parentId, of the entry that "
             "records the change: the summary, or one that is in no context.",
    .opts = branch_opts,
    .examples = "quire session branch last root\n"
                "quire session branch last a1 --summary 'tried, too slow'",
    .store = STORE_WRITE,
    .run = session_branch,
};

/* ---- label -------------------------------------------------------------- */

static int session_label(struct cli *cli, const struct args *args)
{
    const char *label = args->n_words > 2 ? args->words[2] : NULL;
    struct buf line = BUF_INIT(4096);
    quire_session *s = NULL;
    quire_appended entry = {0};
    quire_error err = {0};
    quire_status st;
    int code = open_session(cli, args, 0, &s);

    if (code)
        return code;
    st = quire_session_label(s, args->words[1], label, &entry, &err);
    if (!st && cli->json)
        session_entry_json(&line, s, &entry);
    return finish_change(cli, s, st, &err, &line);
}

const struct cmd cmd_session_label = {
    .name = "session label",
    .args = "S ENTRY [LABEL]",
    .summary = "set or remove the label of an entry",
    .about = "Without LABEL the label is removed. With `--json`: id and "
             "parentId of the entry that records the change.",
    .examples = "quire session label last a1 checkpoint",
    .store = STORE_WRITE,
    .run = session_label,
};

/* ---- rename ------------------------------------------------------------- */

static int session_rename(struct cli *cli, const struct args *args)
{
    quire_session *s = NULL;
    quire_error err = {0};
    int code = open_session(cli, args, 0, &s);

    if (code)
        return code;
    if (quire_session_rename(s, args->words[1], &err)) {
        code = cli_fail(cli, &err);
        quire_session_close(s);
        return code;
    }
    if (cli->json)
        return session_print(cli, s);
    return finish_change(cli, s, QUIRE_OK, &err, &(struct buf)BUF_INIT(0));
}

const struct cmd cmd_session_rename = {
    .name = "session rename",
    .args = "S TITLE",
    .summary = "set the title of a session",
    .about = "An empty TITLE removes it. With `--json`: id, path.",
    .examples = "quire session rename last 'a better title'",
    .store = STORE_WRITE,
    .run = session_rename,
};

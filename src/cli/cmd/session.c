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
#include "cli/cmd/session.h"

extern const struct noun noun_session;

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

void session_entry_json(struct buf *line, const quire_appended *entry)
{
    struct json_writer w;

    json_begin(&w, line);
    json_object(&w);
    json_put_str(&w, "id", entry->id);
    json_put_optional(&w, "parentId", entry->parent);
    if (entry->truncated)
        json_put_bool(&w, "truncated", true);
    if (entry->existed)
        json_put_bool(&w, "existed", true);
    json_object_end(&w);
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
    quire_session *s = NULL;
    quire_error err = {0};

    options.flags = QUIRE_SESSION_AT_ONCE;
    options.cwd = args_text(args, "cwd");
    options.title = args_text(args, "title");
    if (quire_session_new(cli->q, &options, &s, &err))
        return cli_fail(cli, &err);
    return session_print(cli, s);
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
    {0},
};

static const struct cmd cmd_session_new = {
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
    if (!st)
        session_entry_json(&line, &entry);
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

static const struct cmd cmd_session_branch = {
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
        session_entry_json(&line, &entry);
    return finish_change(cli, s, st, &err, &line);
}

static const struct cmd cmd_session_label = {
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

static const struct cmd cmd_session_rename = {
    .name = "session rename",
    .args = "S TITLE",
    .summary = "set the title of a session",
    .about = "An empty TITLE removes it. With `--json`: id, path.",
    .examples = "quire session rename last 'a better title'",
    .store = STORE_WRITE,
    .run = session_rename,
};

/* ---- the noun ----------------------------------------------------------- */

static const struct cmd *const verbs[] = {
    &cmd_session_new,     &cmd_session_append,
    &cmd_session_show,    &cmd_session_tree,
    &cmd_session_context, &cmd_session_branch,
    &cmd_session_label,   &cmd_session_rename,
    &cmd_session_fork,    &cmd_session_extract,
    &cmd_session_move,    &cmd_session_ls,
    &cmd_session_recent,  &cmd_session_files,
    &cmd_session_export,  &cmd_session_check,
    &cmd_session_repair,  &cmd_session_migrate,
    &cmd_session_archive, &cmd_session_unarchive,
    &cmd_session_rm,      NULL,
};

const struct noun noun_session = {
    .name = "session",
    .summary = "the entries of an agent's session, as a tree",
    .about =
        "A session is a file of JSON lines: a header, then entries, each "
        "naming its parent. Appending adds an entry below the current leaf; "
        "going back to an earlier entry starts a branch and erases nothing.\n\n"
        "S names a session: its id or the beginning of it, the path of a "
        "session file anywhere, or `last`, the one used last in this "
        "directory. Where S is optional, `--session` or QUIRE_SESSION replaces "
        "it.",
    .verbs = verbs,
};

/*
 * tool.c - `quire tool workspace`: what an agent asks of its session's files
 *
 * A request a line, an answer a line, each as soon as it is there: whoever asks
 * and waits for the answer gets it. The session is the process's own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/artifact.h"

extern const struct noun noun_tool;

/* More than any artifact, however it is encoded. */
#define LINE_MAX_BYTES ((size_t)512 << 20)

/* Whether the answer says that it was done. */
static bool is_success(quire_bytes answer)
{
    static const char begins[] = "{\"success\":true";

    return answer.len >= sizeof begins - 1 &&
           !memcmp(answer.data, begins, sizeof begins - 1);
}

static quire_status answer_line(struct cli *cli, quire_workspace *w,
                                quire_bytes line, bool *refused,
                                quire_error *err)
{
    quire_bytes answer;
    quire_status st = quire_workspace_call(w, line, &answer, err);

    if (st)
        return st;
    *refused |= !is_success(answer);
    out_write(cli, answer);
    out_write(cli, bytes_of("\n", 1));
    return out_flush(cli, err);
}

static bool is_blank(quire_bytes line)
{
    const char *t = line.data;
    size_t i;

    for (i = 0; i < line.len; i++)
        if (!strchr(" \t\r\n", t[i]))
            return false;
    return true;
}

static quire_status answer_all(struct cli *cli, quire_workspace *w,
                               bool *refused, quire_error *err)
{
    quire_status st = QUIRE_OK;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n = 0;

    while (!st && (n = getline(&line, &cap, stdin)) > 0)
        if ((size_t)n > LINE_MAX_BYTES)
            st = err_set(err, QUIRE_TOO_LARGE, "a request is too long");
        else if (!is_blank(bytes_of(line, (size_t)n)))
            st = answer_line(cli, w, bytes_of(line, (size_t)n), refused, err);
    if (!st && ferror(stdin))
        st = err_sys(err, errno, "cannot read standard input");
    free(line);
    return st;
}

static int tool_workspace(struct cli *cli, const struct args *args)
{
    quire_workspace *w = NULL;
    bool refused = false;
    quire_error err = {0};
    quire_status st;

    if (args_flag(args, "schema")) {
        out_write(cli, bytes_str(quire_workspace_schema()));
        out_write(cli, bytes_of("\n", 1));
        return EXIT_DONE;
    }
    st = quire_workspace_open(cli->q, args_text(args, "session"), &w, &err);
    /* What happened to the files while nobody looked. */
    if (!st && quire_workspace_sync(w, NULL, NULL, NULL, NULL, &err))
        cli_fail(cli, &err); /* said, and no more: they are as they were */
    if (!st)
        st = answer_all(cli, w, &refused, &err);
    quire_workspace_close(w);
    if (st && !cli->out.error)
        return cli_fail(cli, &err);
    return refused ? EXIT_NO : EXIT_DONE;
}

static const struct opt workspace_opts[] = {
    {.name = "schema",
     .kind = OPT_FLAG,
     .help = "print what a model is told of the tool, and do nothing else"},
    {0},
};

static const struct cmd cmd_tool_workspace = {
    .name = "tool workspace",
    .args = "",
    .summary = "write, read, list, search and delete a session's files",
    .about =
        "Reads requests from standard input, one JSON object a line, and prints "
        "an answer for each, one object a line: {\"success\":true,\"data\":…} or "
        "{\"success\":false,\"error\":{\"code\",\"message\",\"retryable\","
        "\"suggestion\"}}. The session is the one of --session, for all "
        "requests; without it the built-in session `temp`.\n\n"
        "A request has an action: write (filename, content; encoding base64 "
        "for binary content; purpose, tags), read (filename; offset and limit "
        "in bytes), list (limit, cursor), search (query, limit), delete "
        "(filename). Its scope is artifact, kept and searchable, or scratchpad. "
        "Exits with 1 if a request was refused.",
    .opts = workspace_opts,
    .examples = "echo '{\"action\":\"list\"}' | quire tool workspace\n"
                "quire tool workspace --schema",
    .store = STORE_WRITE,
    .run = tool_workspace,
};

static const struct cmd *const verbs[] = {&cmd_tool_workspace, NULL};

const struct noun noun_tool = {
    .name = "tool",
    .summary = "tools as agents call them",
    .about = "Requests in, answers out, as JSON.",
    .verbs = verbs,
};

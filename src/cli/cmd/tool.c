/*
 * tool.c - `quire tool workspace`: the workspace tool for agents
 *
 * One request a line, one response a line, flushed after each. All requests are
 * for one session.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "cli/cmd/artifact.h"

/* More than the largest artifact, encoded. */
#define LINE_MAX_BYTES ((size_t)512 << 20)

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

static quire_status answer_all(struct cli *cli, quire_workspace *w,
                               bool *refused, quire_error *err)
{
    quire_status st = QUIRE_OK;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n = 0;

    while (!st && (n = getline(&line, &cap, stdin)) > 0)
        if ((size_t)n > LINE_MAX_BYTES)
            st = err_set(err, QUIRE_TOO_LARGE,
                         "a request is longer than 512 MiB");
        else if (!ascii_is_blank(bytes_of(line, (size_t)n)))
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
    const char *read = args_text(args, "read"), *session;
    quire_error err = {0};
    quire_status st;
    int code;

    if (args_flag(args, "schema")) {
        out_write(cli, bytes_str(quire_workspace_schema()));
        out_write(cli, bytes_of("\n", 1));
        return EXIT_DONE;
    }
    code = session_default(cli, args, true, &session);
    if (code)
        return code;
    st = quire_workspace_open(cli->q, session, &w, &err);
    if (!st)
        quire_workspace_read_all(w, read && !strcmp(read, "all"));
    /* Pick up files that changed since the last run. A failure is reported and
     * leaves the artifacts as they were. */
    if (!st && quire_workspace_sync(w, NULL, NULL, NULL, NULL, &err))
        cli_fail(cli, &err);
    if (!st)
        st = answer_all(cli, w, &refused, &err);
    quire_workspace_close(w);
    if (st && !cli->out.error)
        return cli_fail(cli, &err);
    return refused ? EXIT_NO : EXIT_DONE;
}

static const struct opt workspace_opts[] = {
    {.name = "read",
     .kind = OPT_CHOICE,
     .value = "session|all",
     .help = "`all`: search all sessions, and read what was found by its id"},
    {.name = "schema",
     .kind = OPT_FLAG,
     .help = "print the tool's JSON schema for a model, and end"},
    {0},
};

const struct cmd cmd_tool_workspace = {
    .name = "tool workspace",
    .args = "",
    .summary = "write, read, list, search and delete a session's files",
    .about =
        "Reads requests from standard input, one JSON object a line, and prints "
        "a response for each, one object a line: {\"success\":true,\"data\":…} or "
        "{\"success\":false,\"error\":{\"code\",\"message\",\"retryable\","
        "\"suggestion\"}}. The session is the one of --session, for all "
        "requests; else the last one of the current directory, else a new "
        "one.\n\n"
        "A request has an action: write (filename, content; encoding base64 "
        "for binary content; purpose, tags, source_agent_id), read (filename or "
        "artifact_id; offset and limit "
        "in bytes), list (limit, cursor), search (query, limit), delete "
        "(filename). Its scope is artifact (stored and searchable) or scratchpad. "
        "Exits with 1 if a request was refused.",
    .opts = workspace_opts,
    .examples = "echo '{\"action\":\"list\"}' | quire tool workspace\n"
                "quire tool workspace --schema",
    .store = STORE_WRITE,
    .run = tool_workspace,
};

/*
 * mcp.c - `quire mcp`: an MCP server on standard input and output
 *
 * Standard output carries the protocol only.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/json.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/artifact.h"
#include "mcp/stdio.h"

static void add_option(struct json_writer *w, const struct args *args,
                       const char *name, const char *option)
{
    const char *value = args_text(args, name);

    if (!value)
        return;
    json_str(w, option);
    json_str(w, value);
}

/* The form that most clients have in their settings. They start us with their
 * own environment, so settings of this one become options. */
static int print_config(struct cli *cli, const struct args *args)
{
    struct buf line = BUF_INIT(1 << 20), text = BUF_INIT(1 << 20);
    struct json_writer w;
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

    json_begin(&w, &line);
    json_object(&w);
    json_key(&w, "mcpServers");
    json_object(&w);
    json_key(&w, "quire");
    json_object(&w);
    json_put_bytes(&w, "command",
                   n > 0 ? bytes_of(self, (size_t)n) : bytes_str("quire"));
    json_key(&w, "args");
    json_array(&w);
    json_str(&w, "mcp");
    add_option(&w, args, "home", "--home");
    add_option(&w, args, "tenant", "--tenant");
    add_option(&w, args, "session", "--session");
    add_option(&w, args, "read", "--read");
    if (args_flag(args, "allow-run"))
        json_str(&w, "--allow-run");
    json_array_end(&w);
    json_object_end(&w);
    json_object_end(&w);
    json_object_end(&w);
    if (cli->json)
        buf_add(&text, line.data, line.len);
    else
        json_indent(buf_bytes(&line), &text);
    out_line(cli, &text);
    buf_release(&line);
    buf_release(&text);
    return EXIT_DONE;
}

static int mcp(struct cli *cli, const struct args *args)
{
    const char *read = args_text(args, "read");
    quire_options store = QUIRE_OPTIONS_INIT;
    struct stdio_config config = {
        .mcp = {.store = &store, .session = args_text(args, "session")},
        .q = cli->q,
        .in = STDIN_FILENO,
        .out = STDOUT_FILENO,
        .watch = true,
    };
    quire_error err = {0};

    if (args_flag(args, "print-config"))
        return print_config(cli, args);
    cli_store_options(args, &store);
    config.mcp.of_directory = !config.mcp.session ||
                              !strcmp(config.mcp.session, "last");
    if (config.mcp.of_directory)
        config.mcp.session = NULL;
    config.mcp.allow_run = args_flag(args, "allow-run");
    config.mcp.read_all = read && !strcmp(read, "all");
    return stdio_serve(&config, &err) ? artifact_fail(cli, &err) : EXIT_DONE;
}

static const struct opt mcp_opts[] = {
    {.name = "allow-run",
     .kind = OPT_FLAG,
     .help = "let the tool run commands, confined as by `quire run`"},
    {.name = "read",
     .kind = OPT_CHOICE,
     .value = "session|all",
     .help = "which sessions' resources can be read; `session` unless given"},
    {.name = "print-config",
     .kind = OPT_FLAG,
     .help = "print the settings for a client, and end"},
    {0},
};

const struct cmd cmd_mcp = {
    .name = "mcp",
    .args = "",
    .summary = "serve a session to an MCP client",
    .about =
        "Serves the Model Context Protocol on standard input and output, until "
        "the input ends: versions 2024-11-05 to 2025-11-25, which open with "
        "`initialize`, and 2026-07-28. It offers one session: --session, else the "
        "last one of the current directory, else a new one, created by the "
        "first call that needs it. It has the tool `workspace`, the same as `quire tool "
        "workspace`; as resources its artifacts, outputs, reports and entries; "
        "the prompts `recall` and `hand-off`. Files that other programs change "
        "become versions of their artifacts, and subscribed clients are "
        "notified.\n\n"
        "Clients start it: put the output of --print-config into their "
        "settings; docs/mcp.md says where.",
    .opts = mcp_opts,
    .examples = "quire mcp --print-config\n"
                "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}' | "
                "quire mcp",
    .store = STORE_WRITE,
    .stays = true,
    .run = mcp,
};

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
    add_option(&w, args, "tools", "--tools");
    if (args_flag(args, "allow-append"))
        json_str(&w, "--allow-append");
    if (args_flag(args, "read-only"))
        json_str(&w, "--read-only");
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

/* The tools that are named, separated by commas; 0: one of them does not exist, which is
 * reported. */
static unsigned read_tools(struct cli *cli, const char *names)
{
    unsigned all = 0, bit;

    for (; *names; names += *names == ',') {
        size_t len = strcspn(names, ",");

        bit = mcp_tool_bit(bytes_of(names, len));
        if (!bit) {
            cli_usage(cli, "workspace, recall, read, remember or session",
                      "unknown tool '%.*s'", (int)len, names);
            return 0;
        }
        all |= bit;
        names += len;
    }
    return all;
}

static bool choose_tools(struct cli *cli, const struct args *args,
                         struct mcp_config *config)
{
    const char *names = args_text(args, "tools");

    config->tools = MCP_TOOL_WORKSPACE | MCP_TOOL_RECALL | MCP_TOOL_READ |
                    MCP_TOOL_REMEMBER;
    if (names)
        config->tools = read_tools(cli, names);
    if (!config->tools)
        return false;
    if (args_flag(args, "allow-append"))
        config->tools |= names ? 0 : MCP_TOOL_SESSION;
    else
        config->tools &= ~(unsigned)MCP_TOOL_SESSION;
    return true;
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
    config.mcp.asks_roots = config.mcp.of_directory;
    if (!choose_tools(cli, args, &config.mcp))
        return EXIT_USAGE;
    if (args_flag(args, "read-only")) {
        if (config.mcp.allow_run || args_flag(args, "allow-append"))
            return cli_usage(cli, "choose one of them",
                             "--read-only permits neither --allow-run nor "
                             "--allow-append");
        config.mcp.read_only = true;
        config.watch = false;
    }
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
    {.name = "allow-append",
     .kind = OPT_FLAG,
     .help = "offer the tool `session`, which appends to the transcript"},
    {.name = "tools",
     .kind = OPT_TEXT,
     .value = "NAME,...",
     .help =
         "offer these tools alone: workspace, recall, read, remember, session"},
    {.name = "read-only",
     .kind = OPT_FLAG,
     .help = "change nothing: no writing actions, no `remember`"},
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
        "last one of the client's directory (its first root, else the current "
        "directory), else a new one, created by the first call that writes. It has the "
        "tools `workspace`, the same as `quire tool workspace`; `recall`, which searches "
        "memory and the session; `read`, which reads any address by lines; `remember`, "
        "which keeps facts; and with --allow-append `session`. As resources it has its artifacts, outputs, reports and entries; "
        "and the prompts `recall` and `hand-off`. Files that other programs change "
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

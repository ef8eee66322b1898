/*
 * setup.c - `quire setup`: Quire in the settings of an agent or editor
 *
 * One row an agent: where its settings are, and how they name an MCP server. The file is
 * edited, not rewritten: comments, order and spelling stay (base/settings_edit.h). A file that
 * cannot be understood is left alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/settings_edit.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/setup.h"
#include "cli/core/cli.h"

#define FILE_MAX ((size_t)16 << 20)

static const struct setup_agent agents[] = {
    {"claude-code", "CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json",
     "mcpServers", FORM_COMMAND, "claude-code"},
    {"codex", "CODEX_HOME", ".codex/config.toml", "config.toml", NULL,
     FORM_TOML, "codex"},
    {"gemini", NULL, ".gemini/settings.json", NULL, "mcpServers", FORM_COMMAND,
     "gemini"},
    {"opencode", NULL, ".config/opencode/opencode.json", NULL, "mcp", FORM_LIST,
     "opencode"},
    {"cursor", NULL, ".cursor/mcp.json", NULL, "mcpServers", FORM_COMMAND,
     NULL},
    {"vscode", NULL, ".config/Code/User/mcp.json", NULL, "servers", FORM_STDIO,
     NULL},
    {"zed", NULL, ".config/zed/settings.json", NULL, "context_servers",
     FORM_ENV, NULL},
};

static const struct setup_agent *find_agent(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof agents / sizeof *agents; i++)
        if (!strcmp(agents[i].name, name))
            return &agents[i];
    return NULL;
}

/* ---- the command ------------------------------------------------------------ */

/* {"command","args"} and the like. Options of this command line become arguments: clients
 * start the server with their own environment. */
static void write_value(const struct setup *s, enum setup_form form,
                        struct buf *out)
{
    struct json_writer w;
    size_t i;

    json_begin(&w, out);
    json_object(&w);
    if (form == FORM_STDIO)
        json_put_str(&w, "type", "stdio");
    if (form == FORM_LIST)
        json_put_str(&w, "type", "local");
    json_key(&w, "command");
    if (form == FORM_LIST) {
        json_array(&w);
        for (i = 0; i < s->n_argv; i++)
            json_str(&w, s->argv[i]);
        json_array_end(&w);
    } else {
        json_str(&w, s->argv[0]);
        json_key(&w, "args");
        json_array(&w);
        for (i = 1; i < s->n_argv; i++)
            json_str(&w, s->argv[i]);
        json_array_end(&w);
    }
    if (form == FORM_ENV)
        json_put_raw(&w, "env", bytes_str("{}"));
    json_object_end(&w);
}

/* A string of JSON is one of TOML as well, but for DEL, which no path has to have. */
static void write_toml(const struct setup *s, struct buf *out)
{
    struct json_writer w;
    size_t i;

    buf_add_str(out, "command = ");
    json_begin(&w, out);
    json_str(&w, s->argv[0]);
    buf_add_str(out, "\nargs = ");
    json_begin(&w, out);
    json_array(&w);
    for (i = 1; i < s->n_argv; i++)
        json_str(&w, s->argv[i]);
    json_array_end(&w);
    buf_add_char(out, '\n');
}

static void write_hook(const struct setup *s, struct buf *out)
{
    struct buf command = BUF_INIT(8192);
    struct json_writer w;

    buf_addf(&command, "'%s' import --agent claude-code --quiet", s->argv[0]);
    json_begin(&w, out);
    json_object(&w);
    json_key(&w, "hooks");
    json_array(&w);
    json_object(&w);
    json_put_str(&w, "type", "command");
    json_put_bytes(&w, "command", buf_bytes(&command));
    json_object_end(&w);
    json_array_end(&w);
    json_object_end(&w);
    buf_release(&command);
}

/* ---- one file ---------------------------------------------------------------- */

/* The whole of a file; an absent one is empty. */
static quire_status read_file(const char *path, struct buf *out, bool *exists,
                              quire_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = 1;
    char *room;

    *exists = fd >= 0;
    if (fd < 0)
        return errno == ENOENT ? QUIRE_OK
                               : err_sys(err, errno, "cannot read %s", path);
    while (n > 0 && (room = buf_room(out, 65536))) {
        n = fs_read_full(fd, room, 65536);
        if (n > 0)
            buf_grow(out, (size_t)n);
    }
    close(fd);
    if (n < 0)
        return err_sys(err, errno, "cannot read %s", path);
    return buf_status(out, path, err);
}

/* Replace a file atomically; a link is followed, and the mode stays. */
static quire_status write_file(const char *path, quire_bytes text,
                               quire_error *err)
{
    char real[PATH_MAX], dir[PATH_MAX];
    struct stat old;
    bool has_old = realpath(path, real) && !stat(real, &old);
    char *slash;
    quire_status st;
    int fd;

    snprintf(dir, sizeof dir, "%s", has_old ? real : path);
    slash = strrchr(dir, '/');
    if (!slash)
        return err_set(err, QUIRE_INVALID, "%s is not absolute", path);
    *slash = '\0';
    st = fs_open_dir(*dir ? dir : "/", true, &fd, err);
    if (st)
        return st;
    st = fs_replace(fd, slash + 1, text, err);
    if (!st && has_old && fchmodat(fd, slash + 1, old.st_mode & 07777, 0))
        st = err_sys(err, errno, "cannot set the mode of %s", path);
    close(fd);
    return st;
}

static enum settings_edit edit(const struct setup *s, enum setup_part part,
                               quire_bytes text, struct buf *out)
{
    static const char mark[] = "import --agent claude-code";
    struct buf value = BUF_INIT(1 << 16);
    enum settings_edit done;

    if (part == PART_HOOK) {
        write_hook(s, &value);
        done = s->undo ? settings_json_drop_element(text, "hooks", "SessionEnd",
                                                    mark, out)
                       : settings_json_put_element(text, "hooks", "SessionEnd",
                                                   buf_text(&value), mark, out);
    } else if (s->agent->form == FORM_TOML) {
        write_toml(s, &value);
        done = s->undo ? settings_toml_drop(text, "mcp_servers.quire", out)
                       : settings_toml_put(text, "mcp_servers.quire",
                                           buf_text(&value), out);
    } else {
        write_value(s, s->agent->form, &value);
        done = s->undo
                   ? settings_json_drop(text, s->agent->object, "quire", out)
                   : settings_json_put(text, s->agent->object, "quire",
                                       buf_text(&value), out);
    }
    if (value.failed)
        done = SETTINGS_BAD;
    buf_release(&value);
    return done;
}

static int report(struct cli *cli, const struct setup *s, const char *path,
                  const char *action)
{
    struct row row;
    quire_error err = {0};

    if (row_begin(&row, cli)) {
        json_put_str(&row.json, "agent", s->agent->name);
        json_put_str(&row.json, "path", path);
        json_put_str(&row.json, "action", action);
        json_put_bool(&row.json, "dry_run", s->dry_run);
        return row_emit(&row, &err) ? cli_fail(cli, &err) : EXIT_DONE;
    }
    out_printf(cli, "%s%s %s\n", s->dry_run ? "would be " : "", action, path);
    return EXIT_DONE;
}

/* The file that is left when all that was added is removed: one that setup has made. */
static bool is_leftover(quire_bytes text)
{
    return text.len == 0 || bytes_equal(text, bytes_str("{\n}\n"));
}

static quire_status change_file(const struct setup *s, const char *path,
                                enum setup_part part, const char **action,
                                quire_error *err)
{
    struct buf text = BUF_INIT(FILE_MAX), out = BUF_INIT(2 * FILE_MAX);
    enum settings_edit done = SETTINGS_SAME;
    bool exists, removes;
    quire_status st = read_file(path, &text, &exists, err);

    *action = "unchanged";
    if (!st && (exists || !s->undo))
        done = edit(s, part, buf_bytes(&text), &out);
    if (!st && done == SETTINGS_BAD)
        st = err_fail(err, QUIRE_INVALID,
                      "edit it by hand: `quire mcp --print-config` prints what "
                      "belongs there",
                      "%s cannot be changed safely", path);
    removes = !st && done == SETTINGS_DONE && s->undo &&
              is_leftover(buf_bytes(&out));
    if (!st && done == SETTINGS_DONE)
        *action = removes ? "removed" : exists ? "changed" : "created";
    if (!st && done == SETTINGS_DONE && !s->dry_run) {
        if (removes && unlink(path))
            st = err_sys(err, errno, "cannot remove %s", path);
        else if (!removes)
            st = write_file(path, buf_bytes(&out), err);
    }
    buf_release(&text);
    buf_release(&out);
    return st;
}

/* ---- the command ------------------------------------------------------------- */

static bool find_path(const struct setup *s, enum setup_part part,
                      char path[PATH_MAX])
{
    const char *home = getenv("HOME");
    const char *base = s->agent->env ? getenv(s->agent->env) : NULL;

    if (base && *base)
        return snprintf(path, PATH_MAX, "%s/%s", base,
                        part == PART_HOOK ? "settings.json"
                                          : s->agent->below_env) < PATH_MAX;
    return home && *home &&
           snprintf(path, PATH_MAX, "%s/%s", home,
                    part == PART_HOOK ? ".claude/settings.json"
                                      : s->agent->path) < PATH_MAX;
}

static int change(struct cli *cli, const struct setup *s, enum setup_part part)
{
    quire_error err = {0};
    char path[PATH_MAX];
    const char *action;

    if (!find_path(s, part, path)) {
        err_fail(&err, QUIRE_INVALID, "set HOME", "there is no home directory");
        return cli_fail(cli, &err);
    }
    if (change_file(s, path, part, &action, &err))
        return cli_fail(cli, &err);
    return report(cli, s, path, action);
}

/* The agent's sessions stay imported: Claude Code has hooks; of the others `quire serve` sees
 * the files. */
static int keep_imported(struct cli *cli, const struct setup *s)
{
    if (!s->agent->imports)
        return EXIT_DONE;
    if (!strcmp(s->agent->name, "claude-code"))
        return change(cli, s, PART_HOOK);
    if (!s->undo && !s->dry_run && !cli->json && !cli->quiet)
        fprintf(
            stderr,
            "`quire import --agent %s --watch` keeps its sessions imported; "
            "so does `quire serve` after `quire config set import.watch on`\n",
            s->agent->imports);
    return EXIT_DONE;
}

static void add_argument(struct setup *s, const struct args *args,
                         const char *name, const char *option)
{
    const char *value = args_text(args, name);

    if (!value || s->n_argv + 2 > SETUP_ARGS_MAX)
        return;
    s->argv[s->n_argv++] = option;
    s->argv[s->n_argv++] = value;
}

static int setup(struct cli *cli, const struct args *args)
{
    struct setup s = {.undo = args_flag(args, "undo"),
                      .dry_run = args_flag(args, "dry-run")};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    quire_error err = {0};
    int code;

    s.agent = find_agent(args->words[0]);
    if (!s.agent)
        return cli_usage(cli,
                         "claude-code, codex, gemini, opencode, cursor, vscode "
                         "or zed",
                         "unknown agent '%.40s'", args->words[0]);
    if (n < 0) {
        err_sys(&err, errno, "cannot find this program");
        return cli_fail(cli, &err);
    }
    self[n] = '\0';
    s.argv[s.n_argv++] = self;
    s.argv[s.n_argv++] = "mcp";
    add_argument(&s, args, "home", "--home");
    add_argument(&s, args, "tenant", "--tenant");
    add_argument(&s, args, "read", "--read");
    code = change(cli, &s, PART_SERVER);
    if (!code)
        code = keep_imported(cli, &s);
    if (!code && !s.undo && !s.dry_run && setup_check(&s, &err))
        code = cli_fail(cli, &err);
    return code;
}

static const struct opt setup_opts[] = {
    {.name = "undo", .kind = OPT_FLAG, .help = "remove what setup has added"},
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "say which files would be changed, and change nothing"},
    {.name = "read",
     .kind = OPT_CHOICE,
     .value = "session|all",
     .help = "which sessions the model can read; `session` unless given"},
    {0},
};

const struct cmd cmd_setup = {
    .name = "setup",
    .args = "AGENT",
    .summary = "add Quire to the settings of an agent or editor",
    .about =
        "Adds `quire mcp` as an MCP server to the user's settings of AGENT: "
        "claude-code, codex, gemini, opencode, cursor, vscode or zed. The rest of "
        "the file stays byte for byte, comments too; a file that cannot be changed "
        "safely is left alone. Then the server is started once, to see that it "
        "answers. --undo removes what was added.\n\n"
        "Claude Code also gets a hook that imports its sessions when one ends; "
        "of Codex, Gemini and opencode `quire import --watch` keeps the sessions "
        "imported.\n\n"
        "With `--json` a line for each file: agent, path, action (created, changed, "
        "unchanged, removed), dry_run.",
    .opts = setup_opts,
    .examples = "quire setup claude-code --dry-run\n"
                "quire setup codex --dry-run",
    .store = STORE_NONE,
    .run = setup,
};

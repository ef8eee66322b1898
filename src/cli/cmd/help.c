#include <string.h>

#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/core/help.h"

/* ---- help --------------------------------------------------------------- */

/* For the Makefile and tests. */
static const struct opt help_opts[] = {
    {.name = "man",
     .kind = OPT_FLAG,
     .hidden = true,
     .help = "the manual page of NOUN or of a command, or quire(1), as "
             "scdoc source"},
    {.name = "man-list",
     .kind = OPT_FLAG,
     .hidden = true,
     .help = "the names of all manual pages, one a line"},
    {.name = "examples",
     .kind = OPT_FLAG,
     .hidden = true,
     .help = "the examples of all commands, as a shell script"},
    {.name = "list",
     .kind = OPT_FLAG,
     .hidden = true,
     .help = "every command and every option it has, one a line"},
    {0},
};

static void add_all_examples(struct buf *out)
{
    const struct cmd *cmd;
    size_t i;

    for (i = 0; (cmd = cli_cmd_at(i)); i++)
        buf_addf(out, "# %s\n%s\n", cmd->name, cmd->examples);
}

static void add_list(struct buf *out)
{
    const struct cmd *cmd;
    const struct opt *o;
    size_t i;

    for (o = cli_globals; o->name; o++) {
        if (!o->hidden)
            buf_addf(out, "--%s\n", o->name);
    }
    for (i = 0; (cmd = cli_cmd_at(i)); i++) {
        buf_addf(out, "%s\n", cmd->name);
        for (o = cmd->opts; o && o->name; o++) {
            if (!o->hidden)
                buf_addf(out, "%s --%s\n", cmd->name, o->name);
        }
    }
}

static void add_json(struct buf *out, const struct args *args)
{
    const struct cmd *cmd;
    size_t i;

    for (i = 0; (cmd = cli_cmd_at(i)); i++) {
        if (args->cmd && args->cmd != cmd)
            continue;
        if (args->noun && cli_verb(args->noun, cmd_verb(cmd)) != cmd)
            continue;
        help_json(out, cmd);
        buf_add_char(out, '\n');
    }
}

/* `quire help blob put` is `quire blob put --help`: parse the arguments as a
 * command line, which also reports errors in them. */
static int find_topic(struct cli *cli, const struct args *args,
                      struct args *topic)
{
    const char *argv[8] = {"quire", "--help", "--"};
    int argc = 3;
    size_t i;

    for (i = 0; i < args->n_words; i++) {
        const char *word = args->words[i];

        /* Manual pages go by their own names, too. */
        if (args_flag(args, "man") && !strncmp(word, "quire", 5))
            word += word[5] == '-' ? 6 : 5;
        if (*word)
            argv[argc++] = word;
    }
    return args_parse(cli, argc, argv, topic);
}

static int print_help(struct cli *cli, const struct args *args)
{
    struct buf text = BUF_INIT(1024 * 1024);
    struct args topic;
    int code = find_topic(cli, args, &topic);

    if (!code) {
        if (args_flag(args, "man"))
            man_page(&text, topic.noun, topic.cmd);
        else if (args_flag(args, "man-list"))
            man_names(&text);
        else if (args_flag(args, "examples"))
            add_all_examples(&text);
        else if (args_flag(args, "list"))
            add_list(&text);
        else if (cli->json)
            add_json(&text, &topic);
        else if (topic.cmd)
            help_cmd(&text, topic.cmd, cli->out.color);
        else if (topic.noun)
            help_noun(&text, topic.noun, cli->out.color);
        else
            help_all(&text, cli->out.color);
        out_write(cli, buf_bytes(&text));
    }
    args_release(&topic);
    buf_release(&text);
    return code;
}

const struct cmd cmd_help = {
    .name = "help",
    .args = "[NOUN [VERB]]",
    .summary = "show help on a command",
    .about = "With `--json`, the commands and their options as data.",
    .opts = help_opts,
    .examples = "quire help blob put",
    .paged = true,
    .run = print_help,
};

/* ---- version ------------------------------------------------------------ */

static int print_version(struct cli *cli, const struct args *args)
{
    struct buf line = BUF_INIT(4096);
    struct json_writer w;
    const char *library;
    char out[64];
    unsigned i;

    (void)args;
    if (!cli->json) {
        out_printf(cli, "quire %s\n", quire_version());
        return EXIT_DONE;
    }
    json_begin(&w, &line);
    json_object(&w);
    json_put_str(&w, "version", quire_version());
    json_key(&w, "libraries");
    json_object(&w);
    for (i = 0; (library = quire_version_of(i, out)); i++) {
        const char *space = strchr(library, ' ');
        char name[32] = "";

        if (!space || space - library >= (int)sizeof name)
            continue;
        memcpy(name, library, (size_t)(space - library));
        json_put_str(&w, name, space + 1);
    }
    json_object_end(&w);
    json_object_end(&w);
    out_line(cli, &line);
    buf_release(&line);
    return EXIT_DONE;
}

const struct cmd cmd_version = {
    .name = "version",
    .args = "",
    .summary = "print the version",
    .about = "With `--json`, also the versions of its libraries.",
    .examples = "quire version --json",
    .run = print_version,
};

/* ---- completion --------------------------------------------------------- */

static int print_completion(struct cli *cli, const struct args *args)
{
    static const struct {
        const char *shell;
        void (*add)(struct buf *out);
    } shells[] = {{"bash", complete_bash},
                  {"zsh", complete_zsh},
                  {"fish", complete_fish}};
    struct buf text = BUF_INIT(1024 * 1024);
    size_t i;

    for (i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (!strcmp(shells[i].shell, args->words[0]))
            shells[i].add(&text);
    }
    out_write(cli, buf_bytes(&text));
    buf_release(&text);
    return EXIT_DONE;
}

const struct cmd cmd_completion = {
    .name = "completion",
    .args = "bash|zsh|fish",
    .summary = "print a completion script for a shell",
    .about = "For bash, evaluate it in ~/.bashrc or save it as `quire` in the "
             "directory of bash-completion. For zsh, save it as `_quire` in a "
             "directory of $fpath. For fish, save it as `quire.fish` in "
             "~/.config/fish/completions.",
    .examples = "quire completion bash > quire.bash",
    .run = print_completion,
};

/*
 * try.c - a program on the command line frame that has an option of each kind
 *
 * The kinds that no command of quire uses yet are tested here; and what a new
 * command takes is quote_text: one entry, one function.
 */
#include "cli/core/cli.h"

const struct noun *const cli_nouns[] = {NULL};

const struct opt cli_globals[] = {
    {.name = "json", .kind = OPT_FLAG, .help = "as JSON"},
    {.name = "help", .letter = 'h', .kind = OPT_FLAG, .help = "explain"},
    {.name = "version", .kind = OPT_FLAG, .help = "tell the version"},
    {.name = "as",
     .kind = OPT_TEXT,
     .value = "NAME",
     .env = "TRY_AS",
     .help = "who is asking"},
    {0},
};

static int show(struct cli *cli, const struct args *args)
{
    const char *tag;
    size_t i;

    out_printf(cli, "flag %d", args_flag(args, "flag"));
    if (args_text(args, "text"))
        out_printf(cli, " text %s", args_text(args, "text"));
    if (args_text(args, "size"))
        out_printf(cli, " size %llu",
                   (unsigned long long)args_number(args, "size", 0));
    if (args_text(args, "time"))
        out_printf(cli, " time %llu",
                   (unsigned long long)args_number(args, "time", 0));
    for (i = 0; (tag = args_list(args, "tag", i)); i++)
        out_printf(cli, " tag %s", tag);
    if (args_text(args, "as"))
        out_printf(cli, " as %s%s", args_text(args, "as"),
                   args_env(args, "as") ? " (environment)" : "");
    for (i = 0; i < args->n_words; i++)
        out_printf(cli, " [%s]", args->words[i]);
    out_str(cli, "\n");
    return EXIT_DONE;
}

static const struct opt opts[] = {
    {.name = "flag", .letter = 'f', .kind = OPT_FLAG, .help = "a flag"},
    {.name = "text",
     .letter = 't',
     .kind = OPT_TEXT,
     .value = "T",
     .help = "x"},
    {.name = "size",
     .letter = 's',
     .kind = OPT_SIZE,
     .value = "N",
     .help = "x"},
    {.name = "time", .kind = OPT_TIME, .value = "DUR", .help = "x"},
    {.name = "tag", .kind = OPT_LIST, .value = "TAG", .help = "x"},
    {0},
};

static const struct cmd cmd_show = {
    .name = "show",
    .args = "PATH|#ID [B [C...]]",
    .summary = "show what was understood",
    .opts = opts,
    .examples = "try show x",
    .run = show,
};

const struct cmd *const cli_plain[] = {&cmd_show, NULL};
const struct cmd *const cli_hidden[] = {NULL};

int main(int argc, char **argv)
{
    static struct cli cli;
    struct args args;
    int code;

    out_init(&cli.out);
    code = args_parse(&cli, argc, (const char *const *)argv, &args);
    if (!code)
        code = args.cmd->run(&cli, &args);
    code = out_close(&cli, code);
    args_release(&args);
    return code;
}

/*
 * man.c - manual pages, as scdoc source
 *
 * In scdoc headings begin with #, text indented by a tab belongs to the
 * paragraph above, *bold* and _underlined_. `like this` in the command table
 * becomes bold.
 */
#include "cli/core/help.h"

#include <string.h>

#include "cli/core/cli.h"

/* Characters with a meaning in scdoc get a backslash. */
static void add_escaped(struct buf *out, const char *text, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++) {
        if (strchr("\\*_#-+[]|.;<>~`", text[i]))
            buf_add_char(out, '\\');
        buf_add_char(out, text[i] == HELP_BLANK ? ' ' : text[i]);
    }
}

static void add_text(struct buf *out, const char *text)
{
    add_escaped(out, text, strlen(text));
}

/* Prose, `things` in bold, after `indent` on each line. */
static void add_prose(struct buf *out, const char *text, const char *indent)
{
    bool bold = false, fresh = true;

    for (; *text; text++) {
        if (fresh && *text != '\n')
            buf_add_str(out, indent);
        fresh = *text == '\n';
        if (*text == '`') {
            buf_add_char(out, '*');
            bold = !bold;
        } else if (fresh) {
            buf_add_char(out, '\n');
        } else {
            add_escaped(out, text, 1);
        }
    }
    buf_add_char(out, '\n');
}

static void add_options(struct buf *out, const struct opt *o)
{
    for (; o && o->name; o++) {
        if (o->hidden)
            continue;
        buf_add_char(out, '*');
        if (o->letter) {
            buf_add_str(out, "\\-");
            add_escaped(out, &o->letter, 1);
            buf_add_str(out, "*, *");
        }
        buf_add_str(out, "\\-\\-");
        add_text(out, o->name);
        buf_add_char(out, '*');
        if (o->kind != OPT_FLAG) {
            buf_add_str(out, " _");
            add_text(out, o->value);
            buf_add_char(out, '_');
        }
        buf_add_char(out, '\n');
        add_prose(out, o->help, "\t");
        buf_add_char(out, '\n');
    }
}

/* A backslash escapes the next character in literal text, too. */
static void add_examples(struct buf *out, const char *examples)
{
    buf_add_str(out, "```\n");
    for (; *examples; examples++) {
        if (*examples == '\\')
            buf_add_char(out, '\\');
        buf_add_char(out, *examples);
    }
    buf_add_str(out, "\n```\n\n");
}

static void add_synopsis(struct buf *out, const struct cmd *cmd)
{
    struct buf usage = BUF_INIT(4096);

    help_usage(&usage, cmd);
    add_text(out, buf_text(&usage));
    buf_add_str(out, "\n");
    buf_release(&usage);
}

static void add_about(struct buf *out, const struct cmd *cmd)
{
    struct buf about = BUF_INIT(64 << 10);

    cmd_about(cmd, &about);
    if (about.len) {
        add_prose(out, buf_text(&about), "");
        buf_add_char(out, '\n');
    }
    buf_release(&about);
}

/* From the first option that is not hidden; NULL: all are. */
static const struct opt *shown_options(const struct cmd *cmd)
{
    const struct opt *o;

    for (o = cmd->opts; o && o->name; o++)
        if (!o->hidden)
            return o;
    return NULL;
}

static void add_command(struct buf *out, const struct cmd *cmd)
{
    buf_addf(out, "## %s\n\n", cmd_verb(cmd));
    add_synopsis(out, cmd);
    buf_add_char(out, '\n');
    add_prose(out, cmd->summary, "");
    buf_add_char(out, '\n');
    add_about(out, cmd);
    add_options(out, shown_options(cmd));
    add_examples(out, cmd->examples);
}

static void add_exit_status(struct buf *out)
{
    buf_add_str(out,
                "# EXIT STATUS\n\n"
                "*0*\n\tdone\n\n"
                "*1*\n\tno match, or refused: it does not exist, or exists "
                "already\n\n"
                "*2*\n\twrong usage\n\n"
                "*3*\n\tfailed: no permission, a full disk, a lock that "
                "another process holds\n\n"
                "*4*\n\tstored data is damaged\n\n");
}

static void add_see_also(struct buf *out, const struct noun *self)
{
    size_t i;

    buf_add_str(out, "# SEE ALSO\n\n");
    if (self)
        buf_add_str(out, "*quire*(1), ");
    for (i = 0; cli_nouns[i]; i++) {
        if (cli_nouns[i] != self)
            buf_addf(out, "*quire\\-%s*(1), ", cli_nouns[i]->name);
    }
    buf_add_str(out, "*libquire*(3), *quire\\-format*(5)\n");
}

static const char common_options[] =
    "The options of every command (*\\-\\-home*, *\\-\\-json* and so on) are "
    "in *quire*(1).\n\n";

static void noun_page(struct buf *out, const struct noun *noun)
{
    size_t i;

    buf_addf(out,
             "quire-%s(1) \"Quire " QUIRE_VERSION "\"\n\n"
             "# NAME\n\nquire-%s - %s\n\n# SYNOPSIS\n\n",
             noun->name, noun->name, noun->summary);
    for (i = 0; noun->verbs[i]; i++) {
        if (i)
            buf_add_char(out, '\n');
        add_synopsis(out, noun->verbs[i]);
    }
    buf_add_str(out, "\n# DESCRIPTION\n\n");
    add_prose(out, noun->about, "");
    buf_addf(out, "\n%s# COMMANDS\n\n", common_options);
    for (i = 0; noun->verbs[i]; i++)
        add_command(out, noun->verbs[i]);
    add_exit_status(out);
    add_see_also(out, noun);
}

/* The page of a command without a noun. */
static void command_page(struct buf *out, const struct cmd *cmd)
{
    const struct opt *o = shown_options(cmd);

    buf_addf(out,
             "quire-%s(1) \"Quire " QUIRE_VERSION "\"\n\n"
             "# NAME\n\nquire-%s - %s\n\n# SYNOPSIS\n\n",
             cmd->name, cmd->name, cmd->summary);
    add_synopsis(out, cmd);
    buf_add_str(out, "\n# DESCRIPTION\n\n");
    add_about(out, cmd);
    buf_add_str(out, common_options);
    if (o) {
        buf_add_str(out, "# OPTIONS\n\n");
        add_options(out, o);
    }
    buf_add_str(out, "# EXAMPLES\n\n");
    add_examples(out, cmd->examples);
    add_exit_status(out);
    buf_add_str(out, "# SEE ALSO\n\n*quire*(1), *libquire*(3), "
                     "*quire\\-format*(5)\n");
}

/* A noun or command, with a reference to its page. */
static void add_item(struct buf *out, const char *name, const char *summary)
{
    buf_addf(out, "*%s*\n\t", name);
    add_text(out, summary);
    buf_addf(out, "; see *quire\\-%s*(1)\n\n", name);
}

static void main_page(struct buf *out)
{
    const struct opt *o;
    size_t i;

    buf_add_str(out,
                "quire(1) \"Quire " QUIRE_VERSION "\"\n\n"
                "# NAME\n\nquire - the storage engine for agent sessions\n\n"
                "# SYNOPSIS\n\n"
                "*quire* \\[_OPTION_...\\] _NOUN_ _VERB_ \\[...\\]\n\n"
                "*quire* \\[_OPTION_...\\] _COMMAND_ \\[...\\]\n\n"
                "# DESCRIPTION\n\n"
                "Quire stores an agent's sessions, outputs, files and memory "
                "in one directory, the home. Results go to standard output, "
                "messages to standard error.\n\n"
                "# NOUNS\n\n");
    for (i = 0; cli_nouns[i]; i++)
        add_item(out, cli_nouns[i]->name, cli_nouns[i]->summary);
    buf_add_str(out, "# COMMANDS\n\n");
    for (i = 0; cli_plain[i]; i++)
        add_item(out, cli_plain[i]->name, cli_plain[i]->summary);
    buf_add_str(out, "# OPTIONS\n\nThey may stand before or after noun and "
                     "verb. *\\-\\-* ends the options; *-* as a file is "
                     "standard input or output.\n\n");
    add_options(out, cli_globals);
    buf_add_str(out, "# ENVIRONMENT\n\n");
    for (o = cli_globals; o->name; o++) {
        if (!o->env || o->hidden)
            continue;
        buf_add_char(out, '*');
        add_text(out, o->env);
        buf_add_str(out, "*\n\tused when *\\-\\-");
        add_text(out, o->name);
        buf_add_str(out, "* is not given\n\n");
    }
    buf_add_str(
        out,
        "*PAGER*\n\tshows output longer than the screen; *less* if it is "
        "not set, none if it is empty or *cat*\n\n"
        "*NO\\_COLOR*, *CLICOLOR\\_FORCE*\n\tno colour; colour even if "
        "standard output is not a terminal\n\n"
        "# FILES\n\n"
        "_$XDG\\_DATA\\_HOME/quire_, else _~/.local/share/quire_\n\tthe home "
        "unless *\\-\\-home* or *QUIRE\\_HOME* names another\n\n"
        "# JSON\n\n"
        "With *\\-\\-json* a command prints one object a line. Times end in "
        "\\_at and are RFC 3339, sizes end in \\_bytes. Fields may be added; "
        "CHANGELOG.md lists every other change. An error is one object on "
        "standard error: *error* is the message, *kind* names it for programs "
        "(*usage*, *not\\_found*, *damaged* and so on), *hint* says what to do "
        "next and may be empty.\n\n");
    add_exit_status(out);
    add_see_also(out, NULL);
}

void man_page(struct buf *out, const struct noun *noun, const struct cmd *cmd)
{
    if (noun)
        noun_page(out, noun);
    else if (cmd)
        command_page(out, cmd);
    else
        main_page(out);
}

void man_names(struct buf *out)
{
    size_t i;

    buf_add_str(out, "quire\n");
    for (i = 0; cli_nouns[i]; i++)
        buf_addf(out, "quire-%s\n", cli_nouns[i]->name);
    for (i = 0; cli_plain[i]; i++)
        buf_addf(out, "quire-%s\n", cli_plain[i]->name);
}

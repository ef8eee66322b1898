#include "cli/core/help.h"

#include <assert.h>
#include <string.h>

#include "base/json.h"
#include "cli/core/cli.h"

enum { WIDTH = 80, COLUMN_MAX = 30, ABOUT_MAX = 64 << 10 };

const char help_exit_status[] =
    "0 done, 1 no match or refused, 2 wrong usage, 3 failed, 4 damaged.";

/* ---- laying out --------------------------------------------------------- */

static void add_spaces(struct buf *out, size_t n)
{
    while (n--)
        buf_add_char(out, ' ');
}

/* Words from column `col` on, further lines from `indent`; an empty line in
 * the text begins a paragraph. Ends with a newline. */
static void add_wrapped(struct buf *out, const char *text, size_t col,
                        size_t indent)
{
    bool fresh = true;

    for (;;) {
        size_t gap = strspn(text, " \n"), len, i;

        if (memmem(text, gap, "\n\n", 2)) {
            buf_add_str(out, "\n\n");
            add_spaces(out, indent);
            col = indent;
            fresh = true;
        }
        text += gap;
        len = strcspn(text, " \n");
        if (!len)
            break;
        if (!fresh && col + 1 + len > WIDTH) {
            buf_add_char(out, '\n');
            add_spaces(out, indent);
            col = indent;
            fresh = true;
        }
        if (!fresh) {
            buf_add_char(out, ' ');
            col++;
        }
        for (i = 0; i < len; i++)
            buf_add_char(out, text[i] == HELP_BLANK ? ' ' : text[i]);
        col += len;
        fresh = false;
        text += len;
    }
    buf_add_char(out, '\n');
}

static void add_heading(struct buf *out, const char *text, bool bold)
{
    buf_addf(out, "\n%s%s%s\n", bold ? "\033[1m" : "", text,
             bold ? "\033[0m" : "");
}

/* A row of two columns, the second one starting at `column`. */
static void add_row(struct buf *out, const char *left, const char *right,
                    size_t column)
{
    size_t len = strlen(left) + 2;

    buf_addf(out, "  %s", left);
    if (len + 2 > column) {
        buf_add_char(out, '\n');
        len = 0;
    }
    add_spaces(out, column - len);
    add_wrapped(out, right, column, column);
}

/* The summary, as a sentence of its own. */
static void add_sentence(struct buf *out, const char *summary)
{
    struct buf text = BUF_INIT(1024);
    char first = summary[0];

    if (first >= 'a' && first <= 'z')
        first = (char)(first - 'a' + 'A');
    buf_addf(&text, "%c%s.", first, summary + 1);
    add_wrapped(out, buf_text(&text), 0, 0);
    buf_release(&text);
}

static void add_options(struct buf *out, const struct opt *opts)
{
    struct buf left = BUF_INIT(256);
    const struct opt *o;
    size_t column = 0;

    for (o = opts; o && o->name; o++) {
        buf_clear(&left);
        opt_spell(o, true, &left);
        if (!o->hidden && left.len + 4 > column && left.len + 4 <= COLUMN_MAX)
            column = left.len + 4;
    }
    if (!column)
        column = COLUMN_MAX;
    for (o = opts; o && o->name; o++) {
        if (o->hidden)
            continue;
        buf_clear(&left);
        opt_spell(o, true, &left);
        add_row(out, buf_text(&left), o->help, column);
    }
    buf_release(&left);
}

static void add_examples(struct buf *out, const char *examples, bool bold)
{
    add_heading(out, "Examples:", bold);
    while (*examples) {
        size_t len = strcspn(examples, "\n");

        buf_addf(out, "  %.*s\n", (int)len, examples);
        examples += len + (examples[len] == '\n');
    }
}

void help_usage(struct buf *out, const struct cmd *cmd)
{
    const struct opt *o;
    const char *at;
    size_t depth = 0;

    buf_addf(out, "quire %s", cmd->name);
    for (o = cmd->opts; o && o->name; o++) {
        if (o->hidden)
            continue;
        if (o->letter)
            buf_addf(out, " [-%c", o->letter);
        else
            buf_addf(out, " [--%s", o->name);
        if (o->kind != OPT_FLAG)
            buf_addf(out, "%c%s", HELP_BLANK, o->value);
        buf_add_str(out, o->kind == OPT_LIST ? "]..." : "]");
    }
    if (*cmd->args)
        buf_add_char(out, ' ');
    for (at = cmd->args; *at; at++) {
        depth += *at == '[';
        depth -= *at == ']';
        buf_add_char(out, *at == ' ' && depth ? HELP_BLANK : *at);
    }
}

/* ---- the three pages ---------------------------------------------------- */

void help_cmd(struct buf *out, const struct cmd *cmd, bool bold)
{
    struct buf usage = BUF_INIT(4096), about = BUF_INIT(ABOUT_MAX);
    const struct opt *o = cmd->opts;

    help_usage(&usage, cmd);
    buf_add_str(out, "usage: ");
    add_wrapped(out, buf_text(&usage), 7, 11);
    buf_release(&usage);
    buf_add_char(out, '\n');
    add_sentence(out, cmd->summary);
    cmd_about(cmd, &about);
    if (about.len) {
        buf_add_char(out, '\n');
        add_wrapped(out, buf_text(&about), 0, 0);
    }
    buf_release(&about);
    while (o && o->name && o->hidden)
        o++;
    if (o && o->name) {
        add_heading(out, "Options:", bold);
        add_options(out, o);
    }
    buf_add_char(out, '\n');
    add_wrapped(out,
                "Options of every command (--home, --json, --quiet, ...): see "
                "`quire --help`.",
                0, 0);
    buf_addf(out, "Exit status: %s\n", help_exit_status);
    add_examples(out, cmd->examples, bold);
}

void help_noun(struct buf *out, const struct noun *noun, bool bold)
{
    size_t i, column = 0;

    buf_addf(out, "usage: quire %s VERB [...]\n\n", noun->name);
    add_sentence(out, noun->summary);
    buf_add_char(out, '\n');
    assert(noun->verbs[0]);
    add_wrapped(out, noun->about, 0, 0);
    add_heading(out, "Verbs:", bold);
    for (i = 0; noun->verbs[i]; i++) {
        size_t len = strlen(cmd_verb(noun->verbs[i])) + 4;

        column = len > column ? len : column;
    }
    for (i = 0; noun->verbs[i]; i++)
        add_row(out, cmd_verb(noun->verbs[i]), noun->verbs[i]->summary, column);
    buf_addf(out, "\nRun `quire %s VERB --help` for one of them.\n",
             noun->name);
    add_examples(out, noun->verbs[0]->examples, bold);
}

void help_all(struct buf *out, bool bold)
{
    const struct opt *o;
    size_t i;

    buf_add_str(out, "usage: quire [OPTION...] NOUN VERB [...]\n"
                     "       quire [OPTION...] COMMAND [...]\n\n"
                     "The storage engine for agent sessions.\n");
    add_heading(out, "Nouns:", bold);
    for (i = 0; cli_nouns[i]; i++)
        add_row(out, cli_nouns[i]->name, cli_nouns[i]->summary, 16);
    add_heading(out, "Commands:", bold);
    for (i = 0; cli_plain[i]; i++)
        add_row(out, cli_plain[i]->name, cli_plain[i]->summary, 16);
    add_heading(out, "Options, before or after noun and verb:", bold);
    add_options(out, cli_globals);
    add_heading(out, "Environment:", bold);
    for (o = cli_globals; o->name; o++) {
        struct buf text = BUF_INIT(128);

        if (!o->env || o->hidden)
            continue;
        buf_addf(&text, "used when --%s is not given", o->name);
        add_row(out, o->env, buf_text(&text), 24);
        buf_release(&text);
    }
    add_row(out, "PAGER, NO_COLOR", "the pager to use; no colours if set", 24);
    buf_addf(out, "\nExit status: %s\n", help_exit_status);
    buf_add_str(out, "Run `quire help NOUN VERB` or `quire NOUN VERB --help` "
                     "for one command.\n");
    add_examples(out, "printf hello | quire blob put\nquire blob get 2cf24dba",
                 bold);
}

/* ---- for programs ------------------------------------------------------- */

void help_json(struct buf *out, const struct cmd *cmd)
{
    struct buf usage = BUF_INIT(4096);
    struct json_writer w;
    const struct opt *o;
    size_t i;

    help_usage(&usage, cmd);
    for (i = 0; i < usage.len; i++) {
        if (usage.data[i] == HELP_BLANK)
            usage.data[i] = ' ';
    }
    json_begin(&w, out);
    json_object(&w);
    json_put_str(&w, "command", cmd->name);
    json_put_bytes(&w, "usage", buf_bytes(&usage));
    json_put_str(&w, "summary", cmd->summary);
    json_key(&w, "options");
    json_array(&w);
    for (o = cmd->opts; o && o->name; o++) {
        if (o->hidden)
            continue;
        json_object(&w);
        json_put_str(&w, "name", o->name);
        if (o->kind != OPT_FLAG) {
            json_put_str(&w, "value", o->value);
        }
        json_put_str(&w, "summary", o->help);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_release(&usage);
}

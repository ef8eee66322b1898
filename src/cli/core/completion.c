/*
 * completion.c - completions for bash, zsh and fish
 *
 * All three find the noun and the verb among the words typed so far, skipping
 * options and their values, then offer what the command table allows next. Names
 * of sessions, tenants and the like they get from `quire __complete`, which only
 * reads. These names are untrusted: no shell may expand them.
 */
#include "cli/core/help.h"

#include <string.h>

#include "cli/core/cli.h"

/* How a shell can complete a value or argument. */
enum filler { FILL_NOTHING, FILL_FILES, FILL_DIRS };

static enum filler filler_of(const char *text)
{
    if (strstr(text, "DIR"))
        return FILL_DIRS;
    return strstr(text, "FILE") ? FILL_FILES : FILL_NOTHING;
}

/* Whether the first argument in `args` is spelled `word`: "S" of "[S...]". */
static bool begins_with_word(const char *args, const char *word)
{
    size_t len = strlen(word);

    args += strspn(args, "[");
    return !strncmp(args, word, len) &&
           (strspn(args + len, "].") > 0 || !args[len] || args[len] == ' ');
}

/* The kind of names that can be completed, for `quire __complete`; NULL: none. */
static const char *list_of_option(const struct opt *o)
{
    if (!strcmp(o->name, "session"))
        return "sessions";
    if (!strcmp(o->name, "tenant"))
        return "tenants";
    if (o->value && !strcmp(o->value, "TARGET"))
        return "targets";
    if (o->value && !strcmp(o->value, "AGENT") && strcmp(o->name, "in") != 0)
        return "agents";
    return !strcmp(o->name, "type") ? "memory-types" : NULL;
}

static const char *list_of_args(const struct cmd *cmd)
{
    static const struct {
        const char *word, *list;
    } lists[] = {
        {"S", "sessions"},         {"NAME|#ID", "tenants"}, {"KEY", "settings"},
        {"PATH|#ID", "artifacts"}, {"N|ID|URL", "outputs"},
    };
    size_t i;

    if (!strcmp(cmd->name, "session unarchive"))
        return "archived";
    if (!strcmp(cmd->name, "artifact restore"))
        return "deleted";
    for (i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (begins_with_word(cmd->args, lists[i].word))
            return lists[i].list;
    }
    return NULL;
}

/* For single quotes in any of the shells; characters in `special` get a
 * backslash. */
static void add_quoted(struct buf *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            buf_add_str(out, "'\\''");
            continue;
        }
        if (strchr(special, *text))
            buf_add_char(out, '\\');
        buf_add_char(out, *text);
    }
}

/* "a b c" of "a|b|c". */
static void add_choices(struct buf *out, const char *choices)
{
    char word[64];
    size_t i;

    for (i = 0; opt_word(choices, i, word, sizeof word); i++)
        buf_addf(out, "%s%s", i ? " " : "", word);
}

static void add_top_words(struct buf *out)
{
    size_t i;

    for (i = 0; cli_nouns[i]; i++)
        buf_addf(out, "%s ", cli_nouns[i]->name);
    for (i = 0; cli_plain[i]; i++)
        buf_addf(out, "%s%s", i ? " " : "", cli_plain[i]->name);
}

/* The words that `args` may be; false if it is not a choice. */
static bool add_arg_words(struct buf *out, const char *args)
{
    if (strstr(args, "NOUN"))
        add_top_words(out);
    else if (opt_is_choice(args))
        add_choices(out, args);
    else
        return false;
    return true;
}

/* Call `add` for every option of the table that takes a value; `cmd` is NULL
 * for those of all commands. */
static void each_valued(struct buf *out,
                        void (*add)(struct buf *, const struct cmd *,
                                    const struct opt *))
{
    const struct cmd *cmd;
    const struct opt *o;
    size_t i;

    for (o = cli_globals; o->name; o++) {
        if (o->kind != OPT_FLAG)
            add(out, NULL, o);
    }
    for (i = 0; (cmd = cli_cmd_at(i)); i++) {
        for (o = cmd->opts; o && o->name; o++) {
            if (o->kind != OPT_FLAG && !o->hidden)
                add(out, cmd, o);
        }
    }
}

/* Whether no earlier command has an option of this name. */
static bool is_first_of_name(const struct cmd *cmd, const struct opt *o)
{
    const struct cmd *earlier;
    size_t i;

    for (i = 0; cmd && (earlier = cli_cmd_at(i)) != cmd; i++) {
        if (opt_find(earlier->opts, o->name))
            return false;
    }
    return true;
}

/* ---- bash --------------------------------------------------------------- */

static void bash_pattern(struct buf *out, const struct cmd *cmd,
                         const struct opt *o)
{
    if (!is_first_of_name(cmd, o))
        return;
    buf_addf(out, "--%s | ", o->name);
    if (o->letter)
        buf_addf(out, "-%c | ", o->letter);
}

static void bash_value(struct buf *out, const struct cmd *cmd,
                       const struct opt *o)
{
    const char *spelled[2] = {"--", "-"};
    char letter[2] = {o->letter, '\0'};
    int i;

    for (i = 0; i < (o->letter ? 2 : 1); i++) {
        if (i)
            buf_add_str(out, " | ");
        else
            buf_add_str(out, "    ");
        if (cmd)
            buf_addf(out, "'%s %s%s'", cmd->name, spelled[i],
                     i ? letter : o->name);
        else
            buf_addf(out, "*' %s%s'", spelled[i], i ? letter : o->name);
    }
    buf_add_str(out, ")\n");
    if (o->kind == OPT_CHOICE) {
        buf_add_str(out, "        words='");
        add_choices(out, o->value);
        buf_add_str(out, "'\n");
    } else if (o->kind == OPT_PATH) {
        buf_addf(out, "        compopt -o %s 2>/dev/null\n",
                 filler_of(o->value) == FILL_DIRS ? "dirnames" : "default");
    }
    if (list_of_option(o))
        buf_addf(out, "        list=%s\n", list_of_option(o));
    buf_add_str(out, "        ;;\n");
}

static void bash_options(struct buf *out, const struct opt *o)
{
    for (; o && o->name; o++) {
        if (!o->hidden)
            buf_addf(out, " --%s", o->name);
    }
}

static void bash_command(struct buf *out, const struct cmd *cmd)
{
    buf_addf(out, "    '%s')\n        opts='", cmd->name);
    bash_options(out, cmd->opts);
    buf_add_str(out, "'\n");
    buf_add_str(out, "        words='");
    add_arg_words(out, cmd->args);
    buf_add_str(out, "'\n");
    if (filler_of(cmd->args) != FILL_NOTHING) {
        buf_addf(out, "        [[ $cur == -* ]] || compopt -o %s 2>/dev/null\n",
                 filler_of(cmd->args) == FILL_DIRS ? "dirnames" : "default");
    }
    if (list_of_args(cmd))
        buf_addf(out, "        list=%s\n", list_of_args(cmd));
    buf_add_str(out, "        ;;\n");
}

/* The function that offers names, and the start of the main function. */
static const char bash_start[] =
    "# bash completion for quire\n\n"
    "# Names that quire lists: they are not expanded.\n"
    "_quire_list() {\n"
    "    local word\n"
    "    while IFS=$'\\t' read -r word _; do\n"
    "        [[ $word == \"$2\"* ]] &&\n"
    "            COMPREPLY+=(\"$(printf %q \"$word\")\")\n"
    "    done < <(\"${COMP_WORDS[0]}\" __complete \"$1\" --"
    " \"${COMP_WORDS[@]:1:COMP_CWORD-1}\" 2>/dev/null)\n"
    "    [[ $1 == sessions && $2 == */* ]] &&"
    " compopt -o default 2>/dev/null\n"
    "}\n\n"
    "_quire() {\n"
    "    local cur prev noun='' verb='' word words='' opts='' i\n"
    "    local list=''\n"
    "    local value=yes\n"
    "    cur=${COMP_WORDS[COMP_CWORD]}\n"
    "    prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    COMPREPLY=()\n"
    "    # bash cuts words at \"=\".\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=''\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n";

/* Find the noun and the verb among the words before the cursor. */
static void bash_find_command(struct buf *out)
{
    size_t i;

    buf_add_str(out, "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                     "        word=${COMP_WORDS[i]}\n"
                     "        case $word in\n"
                     "        ");
    each_valued(out, bash_pattern);
    out->len -= 3; /* the last " | " */
    buf_add_str(out, ")\n"
                     "            [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))\n"
                     "            ((i++))\n"
                     "            ;;\n"
                     "        -* | =) ;;\n"
                     "        *)\n"
                     "            if [[ -z $noun ]]; then\n"
                     "                noun=$word\n"
                     "            elif [[ -z $verb ]]; then\n"
                     "                verb=$word\n"
                     "            fi\n"
                     "            ;;\n"
                     "        esac\n"
                     "    done\n");
    for (i = 0; cli_nouns[i]; i++) {
        if (cli_nouns[i]->alias)
            buf_addf(out, "    [[ $noun == %s ]] && noun=%s\n",
                     cli_nouns[i]->alias, cli_nouns[i]->name);
    }
    buf_add_str(out, "    case $noun in\n"
                     "    ");
    for (i = 0; cli_nouns[i]; i++)
        buf_addf(out, "%s%s", i ? " | " : "", cli_nouns[i]->name);
    buf_add_str(out, ") ;;\n"
                     "    *) verb='' ;;\n"
                     "    esac\n");
}

/* After an option that takes a value: offer its values. */
static void bash_offer_values(struct buf *out)
{
    buf_add_str(out, "    case \"$noun${verb:+ $verb} $prev\" in\n");
    each_valued(out, bash_value);
    buf_add_str(out, "    *)\n        value=no\n        ;;\n    esac\n"
                     "    if [[ $value == yes ]]; then\n"
                     "        COMPREPLY=($(compgen -W \"$words\" -- "
                     "\"$cur\"))\n"
                     "        [[ $list ]] && _quire_list \"$list\" \"$cur\"\n"
                     "        return\n"
                     "    fi\n");
}

/* Elsewhere: offer nouns, verbs, arguments and options. */
static void bash_offer_words(struct buf *out)
{
    const struct cmd *cmd;
    size_t i, v;

    buf_add_str(out, "    case \"$noun${verb:+ $verb}\" in\n"
                     "    '')\n        words='");
    add_top_words(out);
    buf_add_str(out, "'\n        ;;\n");
    for (i = 0; cli_nouns[i]; i++) {
        buf_addf(out, "    '%s')\n        words='", cli_nouns[i]->name);
        for (v = 0; cli_nouns[i]->verbs[v]; v++)
            buf_addf(out, "%s%s", v ? " " : "",
                     cmd_verb(cli_nouns[i]->verbs[v]));
        buf_add_str(out, "'\n        ;;\n");
    }
    for (i = 0; (cmd = cli_cmd_at(i)); i++)
        bash_command(out, cmd);
    buf_add_str(out, "    esac\n"
                     "    if [[ $cur == -* ]]; then\n"
                     "        words=\"$opts");
    bash_options(out, cli_globals);
    buf_add_str(out, "\"\n"
                     "    fi\n"
                     "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                     "    [[ $list && $cur != -* ]] &&"
                     " _quire_list \"$list\" \"$cur\"\n");
}

void complete_bash(struct buf *out)
{
    buf_add_str(out, bash_start);
    bash_find_command(out);
    bash_offer_values(out);
    bash_offer_words(out);
    buf_add_str(out, "}\n\n"
                     "complete -F _quire quire\n");
}

/* ---- zsh ---------------------------------------------------------------- */

/* `list` NULL: no names can be listed. */
static void zsh_action(struct buf *out, const char *value, bool path,
                       const char *list)
{
    struct buf words = BUF_INIT(4096);

    if (list) {
        buf_addf(out, " _quire_list %s", list);
    } else if (add_arg_words(&words, value)) {
        buf_addf(out, "(%s)", buf_text(&words));
    } else if (filler_of(value) == FILL_DIRS) {
        buf_add_str(out, "_files -/");
    } else if (path || filler_of(value) == FILL_FILES) {
        buf_add_str(out, "_files");
    } else {
        buf_add_char(out, ' ');
    }
    buf_release(&words);
}

static void zsh_option(struct buf *out, const struct opt *o, bool letter)
{
    if (letter)
        buf_addf(out, "        '-%c", o->letter);
    else
        buf_addf(out, "        '--%s", o->name);
    if (o->kind != OPT_FLAG)
        buf_add_char(out, letter ? '+' : '=');
    buf_add_char(out, '[');
    add_quoted(out, o->help, "[]:\\");
    buf_add_char(out, ']');
    if (o->kind != OPT_FLAG) {
        buf_add_char(out, ':');
        add_quoted(out, o->kind == OPT_CHOICE ? o->name : o->value, ":");
        buf_add_char(out, ':');
        zsh_action(out, o->value, o->kind == OPT_PATH, list_of_option(o));
    }
    buf_add_str(out, "' \\\n");
}

static void zsh_options(struct buf *out, const struct opt *o)
{
    for (; o && o->name; o++) {
        if (o->hidden)
            continue;
        if (o->letter)
            zsh_option(out, o, true);
        zsh_option(out, o, false);
    }
}

/* _quire, _quire_blob, _quire_blob_put. */
static void zsh_function(struct buf *out, const char *name)
{
    buf_add_str(out, *name ? "_quire_" : "_quire");
    for (; *name; name++)
        buf_add_char(out, *name == ' ' ? '_' : *name);
}

static void zsh_command(struct buf *out, const struct cmd *cmd)
{
    buf_add_char(out, '\n');
    zsh_function(out, cmd->name);
    buf_add_str(out, "() {\n    _arguments -s -S \\\n");
    zsh_options(out, cmd->opts);
    buf_add_str(out, "        $_quire_globals \\\n        '*:");
    add_quoted(out, *cmd->args ? cmd->args : "nothing", ":[]\\");
    buf_add_char(out, ':');
    zsh_action(out, cmd->args, false, list_of_args(cmd));
    buf_add_str(out, "'\n}\n");
}

/* Offer the names of one level, then call the function of the chosen one. */
static void zsh_level(struct buf *out, const struct noun *noun)
{
    const struct cmd *cmd;
    size_t i;

    buf_add_char(out, '\n');
    zsh_function(out, noun ? noun->name : "");
    buf_add_str(out, "() {\n"
                     "    local context state state_descr line\n"
                     "    local -a names\n"
                     "    typeset -A opt_args\n");
    if (!noun)
        buf_add_str(out, "    local -a _quire_typed\n"
                         "    _quire_typed=(\"${(@)words[2,CURRENT-1]}\")\n");
    buf_add_str(out, "    names=(\n");
    for (i = 0; !noun && cli_nouns[i]; i++) {
        buf_addf(out, "        '%s:", cli_nouns[i]->name);
        add_quoted(out, cli_nouns[i]->summary, ":\\");
        buf_add_str(out, "'\n");
    }
    for (i = 0; (cmd = noun ? noun->verbs[i] : cli_plain[i]); i++) {
        buf_addf(out, "        '%s:", cmd_verb(cmd));
        add_quoted(out, cmd->summary, ":\\");
        buf_add_str(out, "'\n");
    }
    buf_addf(out,
             "    )\n"
             "    _arguments -C -s -S $_quire_globals '1:%s:->name' "
             "'*::word:->rest'\n"
             "    case $state in\n"
             "    name) _describe '%s' names ;;\n"
             "    rest)\n"
             "        case $line[1] in\n",
             noun ? "verb" : "command", noun ? "verb" : "command");
    for (i = 0; !noun && cli_nouns[i]; i++) {
        buf_addf(out, "        %s", cli_nouns[i]->name);
        if (cli_nouns[i]->alias)
            buf_addf(out, "|%s", cli_nouns[i]->alias);
        buf_add_str(out, ") ");
        zsh_function(out, cli_nouns[i]->name);
        buf_add_str(out, " ;;\n");
    }
    for (i = 0; (cmd = noun ? noun->verbs[i] : cli_plain[i]); i++) {
        buf_addf(out, "        %s) ", cmd_verb(cmd));
        zsh_function(out, cmd->name);
        buf_add_str(out, " ;;\n");
    }
    buf_add_str(out, "        esac\n        ;;\n    esac\n}\n");
}

void complete_zsh(struct buf *out)
{
    const struct cmd *cmd;
    size_t i;

    buf_add_str(out, "#compdef quire\n\n"
                     "# Names that quire lists.\n"
                     "_quire_list() {\n"
                     "    local -a found names\n"
                     "    found=(\"${(@f)$(quire __complete $1 --"
                     " \"${(@Q)_quire_typed}\" 2>/dev/null)}\")\n"
                     "    names=(\"${(@)found%%$'\\t'*}\")\n"
                     "    found=(\"${(@)found/$'\\t'/  }\")\n"
                     "    [[ -n $found[1] ]] && compadd -l -d found -a names\n"
                     "    [[ $1 == sessions && $PREFIX == */* ]] && _files\n"
                     "}\n\n"
                     "typeset -ga _quire_globals\n_quire_globals=( \\\n");
    zsh_options(out, cli_globals);
    buf_add_str(out, ")\n");
    for (i = 0; (cmd = cli_cmd_at(i)); i++)
        zsh_command(out, cmd);
    for (i = 0; cli_nouns[i]; i++)
        zsh_level(out, cli_nouns[i]);
    zsh_level(out, NULL);
    buf_add_str(out, "\n_quire \"$@\"\n");
}

/* ---- fish --------------------------------------------------------------- */

static void fish_pattern(struct buf *out, const struct cmd *cmd,
                         const struct opt *o)
{
    if (!is_first_of_name(cmd, o))
        return;
    buf_addf(out, " --%s", o->name);
    if (o->letter)
        buf_addf(out, " -%c", o->letter);
}

static void fish_options(struct buf *out, const char *cmd_name,
                         const struct opt *o)
{
    for (; o && o->name; o++) {
        if (o->hidden)
            continue;
        buf_add_str(out, "complete -c quire");
        if (cmd_name)
            buf_addf(out, " -n '__quire_in %s'", cmd_name);
        buf_addf(out, " -l %s", o->name);
        if (o->letter)
            buf_addf(out, " -s %c", o->letter);
        if (o->kind == OPT_CHOICE) {
            buf_add_str(out, " -x -a '");
            add_choices(out, o->value);
            buf_add_char(out, '\'');
        } else if (o->kind == OPT_PATH) {
            buf_add_str(out, filler_of(o->value) == FILL_DIRS
                                 ? " -x -a '(__fish_complete_directories)'"
                                 : " -r -F");
        } else if (list_of_option(o)) {
            buf_addf(out, " -x -a '(__quire_list %s)'", list_of_option(o));
        } else if (o->kind != OPT_FLAG) {
            buf_add_str(out, " -x");
        }
        buf_add_str(out, " -d '");
        add_quoted(out, o->help, "\\");
        buf_add_str(out, "'\n");
    }
}

static void fish_word(struct buf *out, const char *under, const char *word,
                      const char *summary)
{
    buf_addf(out, "complete -c quire -n '__quire_at%s%s' -a %s -d '",
             *under ? " " : "", under, word);
    add_quoted(out, summary, "\\");
    buf_add_str(out, "'\n");
}

/* __quire_words: the noun and the verb among the words before the cursor. */
static void fish_find_command(struct buf *out)
{
    size_t i;

    buf_add_str(out, "# The words typed so far, without options and their "
                     "values.\n"
                     "function __quire_words\n"
                     "    set -l skip 0\n"
                     "    for word in (commandline -opc)[2..-1]\n"
                     "        if test $skip = 1\n"
                     "            set skip 0\n"
                     "            continue\n"
                     "        end\n"
                     "        switch $word\n"
                     "            case");
    each_valued(out, fish_pattern);
    buf_add_str(out, "\n"
                     "                set skip 1\n");
    for (i = 0; cli_nouns[i]; i++) {
        if (cli_nouns[i]->alias)
            buf_addf(out, "            case %s\n                echo %s\n",
                     cli_nouns[i]->alias, cli_nouns[i]->name);
    }
    buf_add_str(out, "            case '-*'\n"
                     "            case '*'\n"
                     "                echo $word\n"
                     "        end\n"
                     "    end\n"
                     "end\n\n");
}

/* The other functions that the lines below them call. */
static const char fish_functions[] =
    "# Whether they are just these.\n"
    "function __quire_at\n"
    "    set -l words (__quire_words)\n"
    "    test \"$words\" = \"$argv\"\n"
    "end\n\n"
    "# Whether they begin with these.\n"
    "function __quire_in\n"
    "    set -l words (__quire_words)\n"
    "    set -l n (count $argv)\n"
    "    test (count $words) -ge $n\n"
    "    and test \"$words[1..$n]\" = \"$argv\"\n"
    "end\n\n"
    "# Names that quire lists.\n"
    "function __quire_list\n"
    "    set -l typed (commandline -opc)\n"
    "    command $typed[1] __complete $argv[1] --"
    " $typed[2..-1] 2>/dev/null\n"
    "    if test $argv[1] = sessions\n"
    "        and string match -q '*/*' -- (commandline -ct)\n"
    "        __fish_complete_path (commandline -ct)\n"
    "    end\n"
    "end\n\n"
    "complete -c quire -f\n";

/* Every noun and verb. */
static void fish_names(struct buf *out)
{
    size_t i, v;

    for (i = 0; cli_nouns[i]; i++) {
        const struct noun *noun = cli_nouns[i];

        fish_word(out, "", noun->name, noun->summary);
        for (v = 0; noun->verbs[v]; v++)
            fish_word(out, noun->name, cmd_verb(noun->verbs[v]),
                      noun->verbs[v]->summary);
    }
    for (i = 0; cli_plain[i]; i++)
        fish_word(out, "", cli_plain[i]->name, cli_plain[i]->summary);
}

/* The options and arguments of a command. */
static void fish_command(struct buf *out, const struct cmd *cmd)
{
    struct buf words = BUF_INIT(4096);

    fish_options(out, cmd->name, cmd->opts);
    if (list_of_args(cmd))
        buf_addf(out,
                 "complete -c quire -n '__quire_in %s' -a '(__quire_list "
                 "%s)'\n",
                 cmd->name, list_of_args(cmd));
    if (add_arg_words(&words, cmd->args))
        buf_addf(out, "complete -c quire -n '__quire_in %s' -a '%s'\n",
                 cmd->name, buf_text(&words));
    else if (filler_of(cmd->args) != FILL_NOTHING)
        buf_addf(out, "complete -c quire -n '__quire_in %s' -F\n", cmd->name);
    buf_release(&words);
}

void complete_fish(struct buf *out)
{
    const struct cmd *cmd;
    size_t i;

    buf_add_str(out, "# fish completion for quire\n\n");
    fish_find_command(out);
    buf_add_str(out, fish_functions);
    fish_options(out, NULL, cli_globals);
    fish_names(out);
    for (i = 0; (cmd = cli_cmd_at(i)); i++)
        fish_command(out, cmd);
}

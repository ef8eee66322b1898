#include "cli/core/opt.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "cli/core/cli.h"
#include "cli/core/suggest.h"

enum { WORD_MAX = 64 };

/* ---- tables ------------------------------------------------------------- */

const struct opt *opt_find(const struct opt *table, const char *name)
{
    for (; table && table->name; table++) {
        if (!strcmp(table->name, name))
            return table;
    }
    return NULL;
}

static const struct opt *find_letter(const struct opt *table, char letter)
{
    for (; table && table->name; table++) {
        if (table->letter == letter)
            return table;
    }
    return NULL;
}

void opt_spell(const struct opt *opt, bool with_letter, struct buf *out)
{
    if (opt->letter && with_letter)
        buf_addf(out, "-%c, ", opt->letter);
    buf_addf(out, "--%s", opt->name);
    if (opt->kind != OPT_FLAG)
        buf_addf(out, " %s", opt->value);
}

bool opt_word(const char *choices, size_t index, char *out, size_t cap)
{
    for (; *choices; choices += *choices == '|') {
        size_t len = strcspn(choices, "|");

        if (!index--) {
            snprintf(out, cap, "%.*s", (int)len, choices);
            return true;
        }
        choices += len;
    }
    return false;
}

/* ---- values ------------------------------------------------------------- */

/* "packed, loose or flat". */
static void add_choices(struct buf *out, const char *choices)
{
    char word[WORD_MAX], next[WORD_MAX];
    size_t i;

    for (i = 0; opt_word(choices, i, word, sizeof word); i++) {
        bool more = opt_word(choices, i + 1, next, sizeof next);

        if (i)
            buf_add_str(out, more ? ", " : " or ");
        buf_add_str(out, word);
    }
}

/* Find `text` among "a|b|c"; else report an error about `what`, the option or
 * argument. */
static int read_choice(struct cli *cli, const char *what, const char *choices,
                       const char *text, uint64_t *index)
{
    struct buf all = BUF_INIT(512);
    struct suggestion g = {.word = text};
    char word[WORD_MAX], near[WORD_MAX] = "", hint[WORD_MAX + 32] = "";
    int code;

    for (*index = 0; opt_word(choices, *index, word, sizeof word); ++*index) {
        if (!strcmp(word, text))
            return 0;
        g.best = NULL;
        suggest_offer(&g, word);
        if (suggest_take(&g) && !near[0])
            memcpy(near, word, sizeof near);
    }
    if (near[0])
        snprintf(hint, sizeof hint, "did you mean `%s`?", near);
    add_choices(&all, choices);
    code = cli_usage(cli, hint, "%s must be %s, not `%s`", what, buf_text(&all),
                     text);
    buf_release(&all);
    return code;
}

/* For the error about a value of the wrong kind. */
static const char *const kind_words[] = {
    [OPT_PATH] = "a path",
    [OPT_NUMBER] = "a whole number",
    [OPT_SIZE] = "a size, such as 4096, 64K or 1G",
    [OPT_TIME] = "a time, such as 500ms, 2s, 5m, 24h or 7d",
};

/* Check one value and remember it. `from` is how the user gave it. */
static int add_value(struct cli *cli, struct args *args, const struct opt *opt,
                     const char *text, const char *from, bool from_env)
{
    struct opt_value v = {.opt = opt, .text = text, .from_env = from_env};
    bool good = true;
    int code;

    switch (opt->kind) {
    case OPT_FLAG:
    case OPT_TEXT:
    case OPT_LIST: break;
    case OPT_PATH: good = text[0] != '\0'; break;
    case OPT_NUMBER: good = units_parse(text, units_none, &v.number); break;
    case OPT_SIZE: good = units_parse(text, units_bytes, &v.number); break;
    case OPT_TIME: good = units_parse(text, units_ms, &v.number); break;
    case OPT_CHOICE:
        code = read_choice(cli, from, opt->value, text, &v.number);
        if (code)
            return code;
        break;
    }
    if (!good)
        return cli_usage(cli, "", "%s needs %s, not `%s`", from,
                         kind_words[opt->kind], text);
    args->values[args->n_values++] = v;
    return 0;
}

/* ---- arguments in order ------------------------------------------------- */

struct walk {
    struct cli *cli;
    struct args *args;
    const char *const *argv;
    int argc;
    int at;
    const char **words;
};

static const struct opt *own_opts(const struct args *args)
{
    return args->cmd ? args->cmd->opts : NULL;
}

static bool some_command_has(const char *option)
{
    const struct cmd *cmd;
    size_t i;

    for (i = 0; (cmd = cli_cmd_at(i)); i++) {
        if (opt_find(cmd->opts, option))
            return true;
    }
    return false;
}

static int unknown_option(struct walk *w, const char *spelled, const char *name)
{
    const struct args *args = w->args;
    struct suggestion g = {.word = name};
    const struct opt *tables[2] = {own_opts(args), cli_globals};
    char hint[160] = "";
    size_t t;

    for (t = 0; t < 2; t++) {
        const struct opt *o;

        for (o = tables[t]; o && o->name; o++) {
            if (!o->hidden)
                suggest_offer(&g, o->name);
        }
    }
    if (!args->cmd && some_command_has(name))
        snprintf(hint, sizeof hint,
                 "give the options of a command after its name");
    else if (args->cmd && args->n_words > 0 &&
             strstr(args->cmd->args, "COMMAND"))
        snprintf(hint, sizeof hint,
                 "give options of the command after --: `quire %s -- %s %s`",
                 args->cmd->name, w->words[0], spelled);
    else if (strlen(name) > 1 && suggest_take(&g))
        snprintf(hint, sizeof hint, "did you mean --%s?", suggest_take(&g));
    else if (!args->cmd)
        snprintf(hint, sizeof hint, "run `quire --help` for the list");
    else
        snprintf(hint, sizeof hint, "run `quire %s --help` for the list",
                 args->cmd->name);
    if (args->cmd)
        return cli_usage(w->cli, hint, "`quire %s` has no option %s",
                         args->cmd->name, spelled);
    return cli_usage(w->cli, hint, "quire has no option %s", spelled);
}

/* Take the value of `opt`: the part after `=` or the letter, else the next
 * argument, also if it begins with a dash: `--range -100`. */
static int take_value(struct walk *w, const struct opt *opt,
                      const char *spelled, const char *attached)
{
    if (opt->kind == OPT_FLAG) {
        if (attached)
            return cli_usage(w->cli, "", "%s takes no value", spelled);
    } else if (!attached) {
        if (w->at == w->argc)
            return cli_usage(w->cli, "", "%s needs a value: %s", spelled,
                             opt->value);
        attached = w->argv[w->at++];
    }
    return add_value(w->cli, w->args, opt, attached, spelled, false);
}

static int long_option(struct walk *w, const char *arg)
{
    const char *equals = strchr(arg, '=');
    char spelled[128]; /* a longer name is in no table */
    const struct opt *opt;

    snprintf(spelled, sizeof spelled, "%.*s",
             equals ? (int)(equals - arg) : (int)sizeof spelled, arg);
    opt = opt_find(own_opts(w->args), spelled + 2);
    if (!opt)
        opt = opt_find(cli_globals, spelled + 2);
    if (!opt)
        return unknown_option(w, spelled, spelled + 2);
    return take_value(w, opt, spelled, equals ? equals + 1 : NULL);
}

/* -q, -qh, -oFILE, -o FILE. */
static int short_options(struct walk *w, const char *arg)
{
    for (arg++; *arg; arg++) {
        const char spelled[3] = {'-', *arg, '\0'};
        const struct opt *opt = find_letter(own_opts(w->args), *arg);
        int code;

        if (!opt)
            opt = find_letter(cli_globals, *arg);
        if (!opt)
            return unknown_option(w, spelled, spelled + 1);
        if (opt->kind != OPT_FLAG)
            return take_value(w, opt, spelled, arg[1] ? arg + 1 : NULL);
        code = take_value(w, opt, spelled, NULL);
        if (code)
            return code;
    }
    return 0;
}

enum { HINT_MAX = 200, VERBS_OFFERED = 3 };

/* "did you mean `quire a ls`, `quire b ls` or `quire c ls`?", of the nouns that
 * have the verb. False, and nothing is written: none has. */
static bool offer_verb(const char *verb, char *hint, size_t cap)
{
    const char *names[VERBS_OFFERED];
    size_t i, n = 0, len;

    for (i = 0; cli_nouns[i] && n < VERBS_OFFERED; i++) {
        const struct cmd *cmd = cli_verb(cli_nouns[i], verb);

        if (cmd)
            names[n++] = cmd->name;
    }
    if (!n)
        return false;
    len = (size_t)snprintf(hint, cap, "did you mean ");
    for (i = 0; i < n && len < cap; i++)
        len += (size_t)snprintf(hint + len, cap - len, "%s`quire %s`%s",
                                i == 0       ? ""
                                : i == n - 1 ? " or "
                                             : ", ",
                                names[i], i == n - 1 ? "?" : "");
    return true;
}

/* What another program calls by that name: a command, else a verb. */
static bool offer_synonym(const char *word, char *hint, size_t cap)
{
    const char *name;
    size_t i;

    for (i = 0; (name = suggest_synonym(word, i)); i++) {
        if (cli_plain_cmd(name) || cli_noun(name)) {
            snprintf(hint, cap, "did you mean `quire %s`?", name);
            return true;
        }
        if (offer_verb(name, hint, cap))
            return true;
    }
    return false;
}

static int unknown_command(struct walk *w, const char *word)
{
    struct suggestion g = {.word = word};
    const char *advice = suggest_advice(word);
    char hint[HINT_MAX] = "run `quire help` for the list";
    size_t i;

    for (i = 0; cli_nouns[i]; i++)
        suggest_offer(&g, cli_nouns[i]->name);
    for (i = 0; cli_plain[i]; i++)
        suggest_offer(&g, cli_plain[i]->name);
    if (advice)
        snprintf(hint, sizeof hint, "%s", advice);
    else if (!offer_verb(word, hint, sizeof hint) && /* without its noun */
             !offer_synonym(word, hint, sizeof hint) && suggest_take(&g))
        snprintf(hint, sizeof hint, "did you mean `quire %s`?",
                 suggest_take(&g));
    return cli_usage(w->cli, hint, "`%s` is not a command", word);
}

static int unknown_verb(struct walk *w, const char *word)
{
    const struct noun *noun = w->args->noun;
    struct suggestion g = {.word = word};
    const char *name = NULL, *near;
    char hint[HINT_MAX];
    size_t i;

    for (i = 0; (name = suggest_synonym(word, i)) && !cli_verb(noun, name); i++)
        ;
    for (i = 0; noun->verbs[i]; i++)
        suggest_offer(&g, cmd_verb(noun->verbs[i]));
    near = name || suggest_synonym(word, 0) ? name : suggest_take(&g);
    if (near)
        snprintf(hint, sizeof hint, "did you mean `quire %s %s`?", noun->name,
                 near);
    else if (suggest_advice(word))
        snprintf(hint, sizeof hint, "%s", suggest_advice(word));
    else
        snprintf(hint, sizeof hint, "run `quire %s --help` for the list",
                 noun->name);
    return cli_usage(w->cli, hint, "`%s %s` is not a command", noun->name,
                     word);
}

static int take_word(struct walk *w, const char *word)
{
    struct args *args = w->args;

    if (args->cmd) {
        w->words[args->n_words++] = word;
        return 0;
    }
    if (args->noun) {
        args->cmd = cli_verb(args->noun, word);
        return args->cmd ? 0 : unknown_verb(w, word);
    }
    args->noun = cli_noun(word);
    if (args->noun)
        return 0;
    args->cmd = cli_plain_cmd(word);
    return args->cmd ? 0 : unknown_command(w, word);
}

/* ---- checks at the end -------------------------------------------------- */

static int read_environment(struct cli *cli, struct args *args)
{
    const struct opt *opt;

    for (opt = cli_globals; opt->name; opt++) {
        const char *text = opt->env ? getenv(opt->env) : NULL;
        int code;

        if (!text || !*text || args_text(args, opt->name))
            continue;
        code = add_value(cli, args, opt, text, opt->env, true);
        if (code)
            return code;
    }
    return 0;
}

/* The arguments of "A [B|C [D...]]" in turn: "A", "B|C", "D...". NULL at the
 * end; *needed: it is outside brackets. */
static const char *next_word(const char **at, size_t *len, bool *needed)
{
    const char *word;

    *needed = true;
    for (; **at && strchr(" []", **at); ++*at)
        *needed = *needed && **at == ' ';
    word = *at;
    *len = strcspn(word, " []");
    *at += *len;
    return *len ? word : NULL;
}

bool opt_is_choice(const char *args)
{
    return args[0] >= 'a' && args[0] <= 'z' && !strpbrk(args, " []");
}

static int check_arguments(struct cli *cli, const struct args *args)
{
    const char *text = args->cmd->args, *at = text, *word;
    char hint[160];
    bool needed, any = strstr(text, "...") != NULL;
    size_t len, n;
    uint64_t index;

    snprintf(hint, sizeof hint, "usage: quire %s%s%s", args->cmd->name,
             *text ? " " : "", text);
    for (n = 0; (word = next_word(&at, &len, &needed)); n++) {
        if (needed && n >= args->n_words)
            return cli_usage(cli, hint, "`quire %s` needs %s%.*s",
                             args->cmd->name,
                             opt_is_choice(text) ? "one of " : "",
                             (int)strcspn(word, " []."), word);
    }
    if (args->n_words > n && !any)
        return cli_usage(cli, hint, "`quire %s` takes no argument `%s`",
                         args->cmd->name, args->words[n]);
    if (opt_is_choice(text))
        return read_choice(cli, "the argument", text, args->words[0], &index);
    return 0;
}

int args_parse(struct cli *cli, int argc, const char *const *argv,
               struct args *args)
{
    struct walk w = {.cli = cli, .args = args, .argv = argv, .argc = argc};
    bool ended = false;
    size_t letters = 0, n_globals = 0;
    quire_error err = {0};
    int i, code = 0;

    memset(args, 0, sizeof *args);
    /* Every option takes at least one byte of an argument that begins with a
     * dash, and the environment sets each global option at most once. */
    for (i = 1; i < argc; i++)
        letters += argv[i][0] == '-' ? strlen(argv[i]) : 0;
    while (cli_globals[n_globals].name)
        n_globals++;
    args->values = arena_array(&args->arena, letters + n_globals + 1,
                               sizeof *args->values);
    w.words = arena_array(&args->arena, (size_t)argc + 1, sizeof *w.words);
    if (!args->values || !w.words) {
        err_memory(&err);
        return cli_fail(cli, &err);
    }
    args->words = w.words;

    for (w.at = 1; w.at < argc && !code;) {
        const char *arg = argv[w.at++];

        if (ended || arg[0] != '-' || !arg[1])
            code = take_word(&w, arg);
        else if (!strcmp(arg, "--"))
            ended = true;
        else
            code = arg[1] == '-' ? long_option(&w, arg)
                                 : short_options(&w, arg);
    }
    if (!code)
        code = read_environment(cli, args);
    if (!code && args->cmd && !args_flag(args, "help") &&
        !args_ask_version(args))
        code = check_arguments(cli, args);
    return code;
}

void args_release(struct args *args)
{
    arena_release(&args->arena);
}

/* ---- look-ups ----------------------------------------------------------- */

static const struct opt *declared(const struct args *args, const char *name)
{
    const struct opt *opt = opt_find(own_opts(args), name);

    if (!opt)
        opt = opt_find(cli_globals, name);
    assert(opt && "no table has an option of this name");
    return opt;
}

/* The last one given wins. */
static const struct opt_value *find_value(const struct args *args,
                                          const char *name)
{
    const struct opt *opt = declared(args, name);
    size_t i;

    for (i = args->n_values; i--;) {
        if (args->values[i].opt == opt)
            return &args->values[i];
    }
    return NULL;
}

bool args_flag(const struct args *args, const char *name)
{
    assert(declared(args, name)->kind == OPT_FLAG);
    return find_value(args, name) != NULL;
}

const char *args_text(const struct args *args, const char *name)
{
    const struct opt_value *v = find_value(args, name);

    return v ? v->text : NULL;
}

bool args_ask_version(const struct args *args)
{
    return !opt_find(own_opts(args), "version") && args_flag(args, "version");
}

uint64_t args_number(const struct args *args, const char *name,
                     uint64_t otherwise)
{
    const struct opt_value *v = find_value(args, name);

    return v ? v->number : otherwise;
}

uint64_t args_limit(const struct args *args, uint64_t otherwise)
{
    uint64_t n = args_number(args, "limit", otherwise);

    return n ? n : UINT64_MAX;
}

const char *args_list(const struct args *args, const char *name, size_t index)
{
    const struct opt *opt = declared(args, name);
    size_t i;

    assert(opt->kind == OPT_LIST);
    for (i = 0; i < args->n_values; i++) {
        if (args->values[i].opt == opt && !index--)
            return args->values[i].text;
    }
    return NULL;
}

const char *args_env(const struct args *args, const char *name)
{
    const struct opt_value *v = find_value(args, name);

    return v && v->from_env ? v->opt->env : NULL;
}

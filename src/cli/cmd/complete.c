/*
 * complete.c - `quire __complete`: the words that a shell's completion offers
 *
 * The completion scripts call it with a kind of word and the words typed so far,
 * from which it takes the options that choose the store. A line a word, a tab and
 * a description behind it where there is one. A failure prints nothing: a shell
 * that completes has no place for a message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "import/agents.h"

/* More are not read by anybody. */
enum { WORDS_MAX = 500, ABOUT_COLUMNS = 60 };

/* The options of the words typed so far; text is in `keep`. */
struct typed {
    const char *home, *tenant, *session, *kind;
    struct arena keep;
};

static void emit_word(struct cli *cli, const char *word, quire_bytes about)
{
    struct buf line = BUF_INIT(1 << 16);

    /* A name with a newline or the like cannot be offered. */
    term_add(&line, bytes_str(word), true);
    if (!bytes_is(buf_bytes(&line), word) || !line.len) {
        buf_release(&line);
        return;
    }
    if (about.len) {
        buf_add_char(&line, '\t');
        term_add_cut(&line, about, ABOUT_COLUMNS);
    }
    buf_add_char(&line, '\n');
    out_write(cli, buf_bytes(&line));
    buf_release(&line);
}

/* ---- the kinds ---------------------------------------------------------- */

static quire_status emit_session(void *ctx, const quire_session_info *info,
                                 quire_error *err)
{
    struct buf title = BUF_INIT(1 << 16);

    if (info->title)
        term_add(&title, bytes_str(info->title), true);
    emit_word(ctx, info->id, buf_bytes(&title));
    buf_release(&title);
    return out_status(ctx, err);
}

static void list_sessions(struct cli *cli, bool archived)
{
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;

    if (!archived)
        emit_word(cli, "last",
                  bytes_str("the one used last in this directory"));
    o.archived = archived;
    o.limit = WORDS_MAX;
    quire_session_list(cli->q, &o, emit_session, cli, NULL);
}

static quire_status emit_tenant(void *ctx, const quire_tenant *t,
                                quire_error *err)
{
    emit_word(ctx, t->name, bytes_str(t->disabled ? "disabled" : ""));
    return out_status(ctx, err);
}

static quire_status emit_setting(void *ctx, const quire_setting *s,
                                 quire_error *err)
{
    emit_word(ctx, s->key, bytes_str(s->value));
    return out_status(ctx, err);
}

static quire_status emit_artifact(void *ctx, const quire_artifact *a,
                                  quire_error *err)
{
    emit_word(ctx, a->path, bytes_str(""));
    return out_status(ctx, err);
}

static void list_artifacts(struct cli *cli, const char *session, bool deleted)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;

    o.limit = WORDS_MAX;
    o.deleted = deleted;
    quire_artifact_list(cli->q, session, &o, emit_artifact, cli, NULL);
}

static quire_status emit_output(void *ctx, const quire_output *o,
                                quire_error *err)
{
    emit_word(ctx, o->id, bytes_str(o->tool));
    return out_status(ctx, err);
}

static void list_outputs(struct cli *cli, const char *session)
{
    quire_outputs *o;

    if (quire_outputs_open(cli->q, session, &o, NULL))
        return;
    quire_outputs_list(o, emit_output, cli, NULL);
    quire_outputs_close(o);
}

static void list_kind(struct cli *cli, const char *kind, const struct typed *t)
{
    if (!strcmp(kind, "sessions"))
        list_sessions(cli, false);
    else if (!strcmp(kind, "archived"))
        list_sessions(cli, true);
    else if (!strcmp(kind, "tenants"))
        quire_tenant_list(cli->q, emit_tenant, cli, NULL);
    else if (!strcmp(kind, "settings"))
        quire_config_list(cli->q, emit_setting, cli, NULL);
    else if (!strcmp(kind, "artifacts"))
        list_artifacts(cli, t->session, false);
    else if (!strcmp(kind, "deleted"))
        list_artifacts(cli, t->session, true);
    else if (!strcmp(kind, "outputs"))
        list_outputs(cli, t->session);
}

static void list_memory_types(struct cli *cli)
{
    const char *name;
    int i;

    for (i = 0; (name = quire_memory_type_name((quire_memory_type)i)); i++)
        emit_word(cli, name, bytes_str(""));
}

static void list_agents(struct cli *cli)
{
    const struct import_agent *const *a;

    for (a = import_agents; *a; a++)
        emit_word(cli, (*a)->name, bytes_str((*a)->title));
}

static void list_targets(struct cli *cli)
{
    quire_export_target t;
    unsigned i;

    for (i = 0; quire_export_target_at(i, &t); i++)
        emit_word(cli, t.name, bytes_str(t.title));
}

/* Words that no store has. False: another kind. */
static bool list_fixed(struct cli *cli, const char *kind)
{
    if (!strcmp(kind, "memory-types"))
        list_memory_types(cli);
    else if (!strcmp(kind, "agents"))
        list_agents(cli);
    else if (!strcmp(kind, "targets"))
        list_targets(cli);
    else
        return false;
    return true;
}

/* ---- the words typed so far --------------------------------------------- */

/* As a shell would: ~/x is below HOME. */
static const char *expand_home(const char *path, struct arena *keep)
{
    const char *home = getenv("HOME");

    if (!path || strncmp(path, "~/", 2) != 0 || !home)
        return path;
    return arena_printf(keep, "%s%s", home, path + 1);
}

/* The value of `--name` in "--name value", "--name=value" or, as bash splits it,
 * "--name = value"; NULL if it is not given. */
static const char *find_value(const struct args *args, const char *name)
{
    const char *found = NULL;
    size_t i, len = strlen(name);

    for (i = 1; i < args->n_words; i++) {
        const char *word = args->words[i];

        if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, len) != 0)
            continue;
        if (word[2 + len] == '=')
            found = word + 3 + len;
        else if (word[2 + len] != '\0')
            continue;
        else if (i + 2 < args->n_words && !strcmp(args->words[i + 1], "="))
            found = args->words[i + 2];
        else if (i + 1 < args->n_words)
            found = args->words[i + 1];
    }
    return found && *found ? found : NULL;
}

static void read_typed(const struct args *args, struct typed *t)
{
    t->home = expand_home(find_value(args, "home"), &t->keep);
    t->tenant = find_value(args, "tenant");
    t->kind = find_value(args, "kind");
    t->session = find_value(args, "session");
    if (!t->session)
        t->session = args_text(args, "session"); /* QUIRE_SESSION */
}

static int complete(struct cli *cli, const struct args *args)
{
    quire_options options = QUIRE_OPTIONS_INIT;
    struct typed t = {.keep = ARENA_INIT};
    const char *path;
    int k;

    if (list_fixed(cli, args->words[0]))
        return EXIT_DONE;
    read_typed(args, &t);
    cli_store_options(args, &options);
    if (t.home)
        options.home = t.home;
    if (t.tenant)
        options.tenant = t.tenant;
    if (!strcmp(args->words[0], "tenants"))
        options.tenant = "default";
    for (k = QUIRE_KIND_NATIVE; t.kind && k <= QUIRE_KIND_JP; k++) {
        if (!strcmp(t.kind, quire_kind_name((quire_kind)k)))
            options.kind = (quire_kind)k;
    }
    options.flags |= QUIRE_READ_ONLY;
    options.busy_ms = 0;
    if (!quire_open(&options, &cli->q, NULL)) {
        if (!t.session && !quire_session_find(cli->q, "last", &path, NULL))
            t.session = "last"; /* as session_default() */
        list_kind(cli, args->words[0], &t);
        quire_close(cli->q);
    }
    arena_release(&t.keep);
    return EXIT_DONE;
}

const struct cmd cmd_complete = {
    .name = "__complete",
    .args = "KIND [WORD...]",
    .summary = "list the words that a shell's completion offers",
    .about = "For the scripts that `quire completion` prints.",
    .examples = "quire __complete sessions",
    .store = STORE_NONE,
    .run = complete,
};

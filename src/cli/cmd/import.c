/*
 * import.c - `quire import`: sessions of other agents
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "cli/core/cli.h"
#include "cli/core/secrets.h"
#include "cli/core/signals.h"
#include "import/find.h"
#include "import/known.h"
#include "import/run.h"
#include "import/survey.h"
#include "import/watch.h"

struct importer {
    struct cli *cli;
    const struct args *args;
    struct import_run run;
    const struct import_agent *wanted[IMPORT_AGENTS_MAX + 1];
    bool again; /* unchanged sessions were printed before */
};

/* ---- what to import ----------------------------------------------------- */

static int fail_unknown(struct cli *cli, const char *name)
{
    const struct import_agent *const *a;
    struct buf known = BUF_INIT(4096);
    int code;

    for (a = import_agents; *a; a++)
        buf_addf(&known, "%s%s", known.len ? ", " : "", (*a)->name);
    code = cli_usage(cli, buf_text(&known),
                     "there is no importer for agent `%s`", name);
    buf_release(&known);
    return code;
}

static bool is_wanted(const struct args *args, const char *agent)
{
    const char *name;
    size_t i;

    for (i = 0; (name = args_list(args, "agent", i)) != NULL; i++)
        if (!strcmp(name, agent))
            return true;
    return i == 0;
}

/* The agents that are wanted, ended by NULL, in the order of the registry. */
static int read_agents(struct cli *cli, const struct args *args,
                       const struct import_agent *wanted[])
{
    const struct import_agent *const *a;
    const char *name;
    size_t n = 0, i;

    for (i = 0; (name = args_list(args, "agent", i)) != NULL; i++)
        if (!import_agent_of(name))
            return fail_unknown(cli, name);
    for (a = import_agents; *a; a++)
        if (is_wanted(args, (*a)->name))
            wanted[n++] = *a;
    wanted[n] = NULL;
    return 0;
}

/* What was named, or all places. */
static quire_status find_files(const struct args *args,
                               const struct import_agent *const *agents,
                               struct import_places *places, quire_error *err)
{
    const char *format = args_text(args, "format"), *from;
    const struct import_agent *as = format ? import_agent_of(format) : NULL;
    quire_status st = QUIRE_OK;
    size_t i, n = 0;

    for (i = 0; !st && (from = args_list(args, "from", i)) != NULL; i++, n++)
        st = as ? import_find_as(places, from, as, err)
                : import_find_from(places, from, agents, err);
    for (i = 0; !st && i < args->n_words; i++, n++)
        st = as ? import_find_as(places, args->words[i], as, err)
                : import_find_from(places, args->words[i], agents, err);
    return n > 0 ? st : import_find_default(places, agents, err);
}

static int check_format(struct cli *cli, const struct args *args)
{
    const char *format = args_text(args, "format");

    if (!format)
        return 0;
    if (!import_agent_of(format))
        return fail_unknown(cli, format);
    if (args_list(args, "from", 0) || args->n_words > 0)
        return 0;
    return cli_usage(cli, "name one: `quire import --format chat talk.json`",
                     "--format says of which agent a file is, and none is "
                     "named");
}

/* ---- output ------------------------------------------------------------- */

static void add_text(struct row *r, const struct import_line *line)
{
    char size[32];

    size_text(line->bytes, size, sizeof size);
    buf_addf(&r->text, "%-11s  %-9s  %7llu  %10s  ", line->agent,
             import_state_name(line->state), (unsigned long long)line->entries,
             size);
    term_add(&r->text, bytes_str(line->session), true);
    if (line->problems) {
        buf_add_str(&r->text, "  ");
        add_count(&r->text, line->problems, "problem", "problems");
    }
}

static quire_status print_line(void *ctx, const struct import_line *line,
                               quire_error *err)
{
    const struct importer *i = ctx;
    struct cli *cli = i->cli;
    struct row r;

    /* There may be ten thousand; their number is printed. */
    if ((!cli->json || i->again) && line->state == IMPORT_UNCHANGED)
        return QUIRE_OK;
    if (!cli->json)
        print_heading(cli, "agent        state      entries        size  "
                           "session");
    if (row_begin(&r, cli)) {
        json_put_str(&r.json, "agent", line->agent);
        json_put_str(&r.json, "source", line->source);
        json_put_str(&r.json, "session", line->session);
        json_put_str(&r.json, "state", import_state_name(line->state));
        json_put_uint(&r.json, "entries", line->entries);
        json_put_uint(&r.json, "bytes", line->bytes);
        json_put_uint(&r.json, "problems", line->problems);
    } else {
        add_text(&r, line);
    }
    return row_emit(&r, err);
}

static void print_summary(struct cli *cli, const struct import_summary *sum)
{
    char size[32];
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_uint(&r.json, "found", sum->found);
        json_put_uint(&r.json, "imported", sum->imported);
        json_put_uint(&r.json, "unchanged", sum->unchanged);
        json_put_uint(&r.json, "problems", sum->problems);
        json_put_uint(&r.json, "bytes", sum->bytes);
    } else {
        size_text(sum->bytes, size, sizeof size);
        add_count(&r.text, sum->found, "session", "sessions");
        buf_addf(&r.text, " found, %llu imported (%s), %llu unchanged",
                 (unsigned long long)sum->imported, size,
                 (unsigned long long)sum->unchanged);
        if (sum->problems) {
            buf_add_str(&r.text, ", ");
            add_count(&r.text, sum->problems, "problem", "problems");
        }
    }
    row_print(&r);
}

static void warn_problem(void *ctx, const char *path, uint64_t line,
                         uint64_t byte, const char *message)
{
    if (line)
        session_warn(((struct importer *)ctx)->cli, "import",
                     "%s, line %llu (byte %llu): %s", path,
                     (unsigned long long)line, (unsigned long long)byte,
                     message);
    else
        session_warn(((struct importer *)ctx)->cli, "import", "%s", message);
}

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
    progress_at(((struct importer *)ctx)->cli, done, total);
}

/* ---- import ------------------------------------------------------------- */

/* An absolute path without a slash at its end. */
static const char *project_path(const struct args *args, char real[PATH_MAX])
{
    const char *dir = args_text(args, "project");
    size_t len;

    if (!dir)
        return NULL;
    if (!realpath(dir, real))
        snprintf(real, PATH_MAX, "%s", dir); /* it may be gone */
    len = strlen(real);
    while (len > 1 && real[len - 1] == '/')
        real[--len] = '\0';
    return real;
}

/* For a thread that imports, too. */
static quire_status open_another(void *ctx, quire **out, quire_error *err)
{
    const struct importer *i = ctx;
    quire_options options = QUIRE_OPTIONS_INIT;

    cli_store_options(i->args, &options);
    options.peer = i->cli->q;
    if (!quire_open(&options, out, err))
        quire_on_secret(*out, cli_note_secret, i->cli);
    return *out ? QUIRE_OK : err->status;
}

/* On a terminal, before what may take a while: what there is. */
static quire_status print_found(const struct importer *i,
                                const struct import_places *places,
                                quire_error *err)
{
    struct import_survey_row rows[IMPORT_AGENTS_MAX];
    char when[LOCAL_TIME_SIZE], size[32];
    size_t n, k;
    quire_status st;

    if (i->again || !i->cli->out.progress.enabled)
        return QUIRE_OK;
    st = import_survey(i->cli->q, places, rows, &n, err);
    for (k = 0; k < n && !st; k++) {
        size_text(rows[k].bytes, size, sizeof size);
        fprintf(stderr, "found %-11s  %6llu %-8s  %10s  newest %s, %llu here\n",
                rows[k].agent->name, (unsigned long long)rows[k].sessions,
                rows[k].sessions == 1 ? "session" : "sessions", size,
                local_time(rows[k].newest_ns / 1000, when),
                (unsigned long long)rows[k].imported);
    }
    return st;
}

/* Find what these agents have, and import it; `w` watches where it is from then on,
 * unless it is NULL. */
static quire_status import_once(struct importer *i,
                                const struct import_agent *const *agents,
                                struct import_watch *w,
                                struct import_summary *sum, quire_error *err)
{
    struct arena keep = ARENA_INIT;
    struct import_known_files known;
    struct import_places places = {.keep = &keep, .known = &known};
    quire_status st;

    known_init(&known, i->cli->q);
    st = find_files(i->args, agents, &places, err);
    if (!st && w)
        st = import_watch_add(w, &places, err);
    if (!st)
        st = print_found(i, &places, err);
    if (!st) {
        progress_start(i->cli, "import", false);
        st = import_run(&i->run, &places, sum, err);
        progress_end(i->cli);
    }
    known_release(&known);
    arena_release(&keep);
    return st;
}

/* ---- keep importing ------------------------------------------------------- */

static bool is_interrupted(void *ctx)
{
    (void)ctx;
    return signals_caught() != 0;
}

static void print_watching(struct cli *cli, const struct import_watch *w)
{
    size_t missing = import_watch_missing(w);

    if (missing && !cli->quiet)
        fprintf(stderr,
                "quire: no inotify watches left for %zu directories\n"
                "hint: raise fs.inotify.max_user_watches\n",
                missing);
    if (!cli->quiet && !cli->json)
        fprintf(stderr, "watching %zu directories\n", import_watch_count(w));
}

/* Which agent a named file belongs to is decided among all. */
static const struct import_agent *const *
next_agents(const struct importer *i,
            const struct import_agent *const changed[],
            const struct import_agent *out[])
{
    size_t n = 0;

    if (args_list(i->args, "from", 0) || i->args->n_words > 0)
        return i->wanted;
    for (; *changed; changed++)
        if (is_wanted(i->args, (*changed)->name))
            out[n++] = *changed;
    out[n] = NULL;
    return out;
}

static quire_status follow(struct importer *i, struct import_watch *w, int wake,
                           quire_error *err)
{
    const struct import_agent *changed[IMPORT_AGENTS_MAX + 1];
    const struct import_agent *next[IMPORT_AGENTS_MAX + 1];
    struct import_summary sum;
    quire_status st = import_once(i, i->wanted, w, &sum, err);

    if (st)
        return st;
    print_summary(i->cli, &sum);
    print_watching(i->cli, w);
    i->again = true;
    while (!st) {
        st = out_flush(i->cli, err);
        if (!st)
            st = import_watch_wait(w, wake, changed, err);
        if (!st)
            st = import_once(i, next_agents(i, changed, next), w, &sum, err);
    }
    return st;
}

/* Until it is interrupted. */
static quire_status keep_importing(struct importer *i, quire_error *err)
{
    struct import_watch *w = NULL;
    quire_status st;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return err_sys(err, errno, "cannot make a pipe");
    signals_notify(ends[1]);
    signals_catch(SIGNALS_FORCE | SIGNALS_NO_HUP);
    i->run.is_stopped = is_interrupted;
    i->cli->out.pager = NULL; /* lines come as long as it runs */
    st = import_watch_open(&w, err);
    if (!st)
        st = follow(i, w, ends[0], err);
    import_watch_close(w);
    signals_notify(-1);
    close(ends[0]);
    close(ends[1]);
    return st == QUIRE_STOPPED ? QUIRE_OK : st;
}

/* ---- the command ---------------------------------------------------------- */

static int check_usage(struct cli *cli, const struct args *args)
{
    if (args_flag(args, "watch") && args_flag(args, "dry-run"))
        return cli_usage(cli, "leave one of them out",
                         "--watch keeps importing, --dry-run imports nothing");
    return check_format(cli, args);
}

static int import_all(struct cli *cli, const struct args *args)
{
    struct importer i = {.cli = cli,
                         .args = args,
                         .run = {.q = cli->q,
                                 .dry_run = args_flag(args, "dry-run"),
                                 .line = print_line,
                                 .problem = warn_problem,
                                 .progress = show_progress,
                                 .open = open_another}};
    const char *since = args_text(args, "since");
    bool watches = args_flag(args, "watch");
    char project[PATH_MAX];
    struct import_summary sum;
    quire_error err = {0};
    quire_status st;
    int code = read_agents(cli, args, i.wanted);

    if (!code)
        code = check_usage(cli, args);
    if (code)
        return code;
    if (since && quire_search_time(cli->q, since, &i.run.since_us, &err))
        return (cli_fail(cli, &err), EXIT_USAGE);
    i.run.project = project_path(args, project);
    i.run.ctx = &i;
    st = watches ? keep_importing(&i, &err)
                 : import_once(&i, i.wanted, NULL, &sum, &err);
    if (st)
        return cli->out.error ? EXIT_FAILED : cli_fail(cli, &err);
    if (!watches)
        print_summary(cli, &sum);
    return EXIT_DONE;
}

/* ---- ls ----------------------------------------------------------------- */

static quire_status print_file(void *ctx, const quire_import_file *f,
                               quire_error *err)
{
    struct cli *cli = ctx;
    char when[LOCAL_TIME_SIZE];
    char size[32];
    struct row r;

    if (!cli->json)
        print_heading(cli, "agent        imported               size  source");
    if (row_begin(&r, cli)) {
        json_put_str(&r.json, "agent", f->agent);
        json_put_str(&r.json, "source", f->path);
        json_put_str(&r.json, "session", f->session);
        json_put_bool(&r.json, "main", f->is_main);
        json_put_optional(&r.json, "title", f->title);
        json_put_optional(&r.json, "cwd", f->cwd);
        json_put_uint(&r.json, "entries", f->entries);
        json_put_uint(&r.json, "bytes", f->bytes);
        json_put_uint(&r.json, "problems", f->problems);
        json_put_time(&r.json, "modified_at", f->modified_ns / 1000);
        json_put_time(&r.json, "imported_at", f->imported_us);
    } else {
        size_text(f->bytes, size, sizeof size);
        buf_addf(&r.text, "%-11s  %s  %10s  ", f->agent,
                 local_time(f->imported_us, when), size);
        term_add(&r.text, bytes_str(f->path), true);
    }
    return row_emit(&r, err);
}

static int import_ls(struct cli *cli)
{
    quire_error err = {0};
    quire_status st = quire_import_list(cli->q, NULL, print_file, cli, &err);

    return st && !cli->out.error ? cli_fail(cli, &err) : EXIT_DONE;
}

static int import_command(struct cli *cli, const struct args *args)
{
    if (args->n_words == 1 && !strcmp(args->words[0], "ls"))
        return import_ls(cli);
    return import_all(cli, args);
}

/* "Agents: codex (Codex: `~/.codex`, or `CODEX_HOME`); …." */
static void add_agents(struct buf *out)
{
    const struct import_agent *const *a;

    buf_add_str(out, "Agents: ");
    for (a = import_agents; *a; a++)
        buf_addf(out, "%s%s (%s: %s)", a == import_agents ? "" : "; ",
                 (*a)->name, (*a)->title, (*a)->where);
    buf_add_char(out, '.');
}

static const struct opt import_opts[] = {
    {.name = "agent",
     .kind = OPT_LIST,
     .value = "AGENT",
     .help = "only sessions of this agent; may be repeated"},
    {.name = "from",
     .kind = OPT_LIST,
     .value = "PATH",
     .help = "import from this file or directory instead of the known places; "
             "may be repeated"},
    {.name = "format",
     .kind = OPT_TEXT,
     .value = "AGENT",
     .help = "the files that are named are of this agent, whatever their name "
             "and content"},
    {.name = "project",
     .kind = OPT_PATH,
     .value = "DIR",
     .help = "only sessions of this directory and those below"},
    {.name = "since",
     .kind = OPT_TEXT,
     .value = "TIME",
     .help = "only files changed since: 2026-02-16, 7d, \"3 weeks ago\""},
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "import nothing, print what would be imported"},
    {.name = "watch",
     .kind = OPT_FLAG,
     .help = "then keep importing what the agents write, until it is "
             "interrupted"},
    {0},
};

const struct cmd cmd_import = {
    .name = "import",
    .args = "[ls|PATH...]",
    .summary = "import the sessions of other agents",
    .about =
        "Finds the sessions of other agents in their places, listed below, and "
        "makes a session of each, with the id, times, directory and title that "
        "the agent has recorded. Sub-agents become sessions that name their "
        "parent. Nothing is written there. PATH is the same as --from PATH.\n\n"
        "The original bytes are kept: `quire session export S --to original` "
        "writes them; of a session in a database they are its rows, as lines of "
        "JSON. Images, and texts of tools above 4 KiB, become blobs; of a "
        "text the beginning stays in the entry. Prompts go to the prompt history, "
        "notes to the memory. An unchanged file is not read "
        "again, of one that grew only what is new.\n\n"
        "On a terminal first lists what each agent has, and how many of its "
        "sessions are in the home. Prints a line for each session; with `--json`: agent, source, session, "
        "state (new, grown, unchanged, rewritten, damaged), entries, bytes, "
        "problems, and last found, imported, unchanged, problems, bytes. What "
        "cannot be read is reported with file, line and byte, and the rest is "
        "imported.\n\n"
        "With --watch it goes on: when an agent has written, and paused for a "
        "moment, what is new is imported, with a line for each session. While "
        "nothing is written it sleeps. `quire config set import.watch on` lets "
        "`quire serve` do the same.\n\n"
        "`quire import ls` lists the files that were imported; with `--json`: "
        "agent, source, session, main (false: a file that belongs to the "
        "session), title, cwd, entries, bytes, problems, modified_at, "
        "imported_at.",
    .add_about = add_agents,
    .opts = import_opts,
    .examples = "quire import --dry-run\n"
                "quire import --agent claude-code --since 30d\n"
                "quire import --format chat talk.json\n"
                "quire import ls",
    .store = STORE_WRITE,
    .paged = true,
    .run = import_command,
};

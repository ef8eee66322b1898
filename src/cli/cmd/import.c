/*
 * import.c - `quire import`: sessions of other agents
 */
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
#include "import/run.h"

static const struct import_format *const agents[] = {&import_claude_code,
                                                     &import_codex};
enum { N_AGENTS = sizeof agents / sizeof *agents };

/* ---- what to import ----------------------------------------------------- */

static int check_agents(struct cli *cli, const struct args *args)
{
    const char *name;
    size_t i;

    for (i = 0; (name = args_list(args, "agent", i)) != NULL; i++)
        if (!import_format_of(name))
            return cli_usage(cli, "claude-code, codex",
                             "there is no importer for agent `%s`", name);
    return 0;
}

static bool is_wanted(const struct args *args, const struct import_format *f)
{
    const char *name;
    size_t i;

    for (i = 0; (name = args_list(args, "agent", i)) != NULL; i++)
        if (import_format_of(name) == f)
            return true;
    return i == 0;
}

/* The only agent that is wanted; NULL: several. */
static const struct import_format *only_agent(const struct args *args)
{
    const char *name = args_list(args, "agent", 0);

    return name && !args_list(args, "agent", 1) ? import_format_of(name) : NULL;
}

static quire_status find_files(const struct args *args,
                               struct import_places *places, quire_error *err)
{
    quire_status st = QUIRE_OK;
    const char *from;
    size_t i;

    for (i = 0; !st && (from = args_list(args, "from", i)) != NULL; i++)
        st = import_places_from(places, from, only_agent(args), err);
    if (i > 0)
        return st;
    for (i = 0; i < N_AGENTS && !st; i++)
        if (is_wanted(args, agents[i]))
            st = import_places_default(places, agents[i], err);
    return st;
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
    struct cli *cli = ctx;
    struct row r;

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
        session_warn(ctx, "import", "%s, line %llu (byte %llu): %s", path,
                     (unsigned long long)line, (unsigned long long)byte,
                     message);
    else
        session_warn(ctx, "import", "%s", message);
}

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
    progress_at(ctx, done, total);
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

static int import_all(struct cli *cli, const struct args *args)
{
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};
    struct import_run run = {.q = cli->q,
                             .dry_run = args_flag(args, "dry-run"),
                             .line = print_line,
                             .problem = warn_problem,
                             .progress = show_progress,
                             .ctx = cli};
    const char *since = args_text(args, "since");
    char project[PATH_MAX];
    struct import_summary sum;
    quire_error err = {0};
    quire_status st = QUIRE_OK;
    int code = check_agents(cli, args);

    if (code)
        return code;
    if (since && quire_search_time(cli->q, since, &run.since_us, &err))
        return (cli_fail(cli, &err), EXIT_USAGE);
    run.project = project_path(args, project);
    st = find_files(args, &places, &err);
    if (!st) {
        progress_start(cli, "import", false);
        st = import_run(&run, &places, &sum, &err);
        progress_end(cli);
    }
    arena_release(&keep);
    if (st)
        return cli->out.error ? EXIT_FAILED : cli_fail(cli, &err);
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
    if (args->n_words == 0)
        return import_all(cli, args);
    if (!strcmp(args->words[0], "ls"))
        return import_ls(cli);
    return cli_usage(cli,
                     "`quire import ls` shows what was imported, `--from "
                     "PATH` imports from another place",
                     "`quire import` takes no argument `%s`", args->words[0]);
}

static const struct opt import_opts[] = {
    {.name = "agent",
     .kind = OPT_LIST,
     .value = "NAME",
     .help =
         "only sessions of this agent: claude-code, codex; may be repeated"},
    {.name = "from",
     .kind = OPT_LIST,
     .value = "PATH",
     .help = "import from this file or directory instead of the known places; "
             "may be repeated"},
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
    {0},
};

const struct cmd cmd_import = {
    .name = "import",
    .args = "[ls]",
    .summary = "import the sessions of other agents",
    .about =
        "Finds the sessions of Claude Code (`~/.claude`, or "
        "`CLAUDE_CONFIG_DIR`) and Codex (`~/.codex`, or `CODEX_HOME`) and makes "
        "a session of each, with the id, times, directory and title that the "
        "agent has recorded. Sub-agents become sessions that name their parent. "
        "Nothing is written there.\n\n"
        "The original bytes are kept: `quire session export S --to original` "
        "writes them. Images, and texts of tools above 4 KiB, become blobs; of a "
        "text the beginning stays in the entry. An unchanged file is not read "
        "again, of one that grew only what is new.\n\n"
        "Prints a line for each session; with `--json`: agent, source, session, "
        "state (new, grown, unchanged, rewritten, damaged), entries, bytes, "
        "problems, and last found, imported, unchanged, problems, bytes. What "
        "cannot be read is reported with file, line and byte, and the rest is "
        "imported.\n\n"
        "`quire import ls` lists the files that were imported; with `--json`: "
        "agent, source, session, main (false: a file that belongs to the "
        "session), title, cwd, entries, bytes, problems, modified_at, "
        "imported_at.",
    .opts = import_opts,
    .examples = "quire import --dry-run\n"
                "quire import --agent claude-code --since 30d\n"
                "quire import ls",
    .store = STORE_WRITE,
    .paged = true,
    .run = import_command,
};

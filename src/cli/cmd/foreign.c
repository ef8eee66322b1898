/*
 * foreign.c - sessions of other agents, read where they are
 *
 * A home of another agent (~/.claude) and its files are only ever read. A command that
 * reads imports what is new in them into a home of its own below Quire's cache
 * directory, one a directory that was named, and works on that:
 *
 *     $XDG_CACHE_HOME/quire/agents/<hash of the path>/     a home
 *     $XDG_CACHE_HOME/quire/agents/files/                  of single files
 *
 * Sessions whose file is gone are removed there. All of it may be deleted.
 */
#include "cli/cmd/foreign.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/json.h"
#include "base/map.h"
#include "cli/cmd/session.h"
#include "cli/core/cli.h"
#include "import/agent.h"
#include "import/find.h"
#include "import/run.h"

struct foreign {
    struct cli *cli;
    quire_options options; /* of the home in the cache */
    char home[PATH_MAX];
    struct arena *keep;
    const char *session; /* the last one that was imported */

    /* Main files that are there now, and sessions whose file is gone. */
    struct map there;
    const char **gone;
    size_t n_gone, cap_gone;
};

/* ---- the home in the cache ------------------------------------------------ */

static quire_status name_home(struct foreign *f, const char *name,
                              quire_error *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;

    if (cache && *cache == '/')
        n = snprintf(f->home, sizeof f->home, "%s/quire/agents/%s", cache,
                     name);
    else if (home && *home == '/')
        n = snprintf(f->home, sizeof f->home, "%s/.cache/quire/agents/%s", home,
                     name);
    if (n > 0 && (size_t)n < sizeof f->home)
        return QUIRE_OK;
    return err_fail(err, QUIRE_INVALID, "set XDG_CACHE_HOME",
                    "cannot tell where the cache directory is: "
                    "XDG_CACHE_HOME and HOME name no absolute path");
}

static quire_status name_home_of(struct foreign *f, const char *dir,
                                 quire_error *err)
{
    static const uint64_t seed[2] = {0x71756972, 7};
    char real[PATH_MAX], name[32];

    if (!realpath(dir, real))
        return err_sys(err, errno, "cannot open %s", dir);
    snprintf(name, sizeof name, "%016llx",
             (unsigned long long)map_hash(seed, bytes_str(real)));
    return name_home(f, name, err);
}

/* ---- import ---------------------------------------------------------------- */

static quire_status take_line(void *ctx, const struct import_line *line,
                              quire_error *err)
{
    struct foreign *f = ctx;

    f->session = arena_text(f->keep, bytes_str(line->session));
    return f->session ? QUIRE_OK : err_memory(err);
}

static void warn_problem(void *ctx, const char *path, uint64_t line,
                         uint64_t byte, const char *message)
{
    struct cli *cli = ((struct foreign *)ctx)->cli;

    if (line)
        session_warn(cli, "import", "%s, line %llu (byte %llu): %s", path,
                     (unsigned long long)line, (unsigned long long)byte,
                     message);
    else
        session_warn(cli, "import", "%s", message);
}

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
    progress_at(((struct foreign *)ctx)->cli, done, total);
}

static quire_status open_another(void *ctx, quire **out, quire_error *err)
{
    const struct foreign *f = ctx;
    quire_options options = f->options;

    options.peer = f->cli->q;
    return quire_open(&options, out, err);
}

/* ---- files that are gone ---------------------------------------------------- */

static quire_status note_gone(void *ctx, const quire_import_file *file,
                              quire_error *err)
{
    struct foreign *f = ctx;
    size_t cap = f->cap_gone ? f->cap_gone * 2 : 16;
    const char **more;

    if (!file->is_main || map_get(&f->there, bytes_str(file->path)))
        return QUIRE_OK;
    if (f->n_gone == f->cap_gone) {
        more = arena_array(f->keep, cap, sizeof *more);
        if (!more)
            return err_memory(err);
        if (f->n_gone)
            memcpy(more, f->gone, f->n_gone * sizeof *more);
        f->gone = more;
        f->cap_gone = cap;
    }
    f->gone[f->n_gone] = arena_text(f->keep, bytes_str(file->session));
    return f->gone[f->n_gone++] ? QUIRE_OK : err_memory(err);
}

static quire_status remove_gone(struct foreign *f,
                                const struct import_places *places,
                                quire_error *err)
{
    quire_status st = QUIRE_OK;
    bool fresh;
    size_t i;

    for (i = 0; i < places->n && !st; i++)
        if (!map_put(&f->there, bytes_str(places->list[i].path), 1, &fresh))
            st = err_memory(err);
    if (!st)
        st = quire_import_list(f->cli->q, NULL, note_gone, f, err);
    for (i = 0; i < f->n_gone && !st; i++) {
        st = quire_session_remove(f->cli->q, f->gone[i], err);
        if (st == QUIRE_NOT_FOUND) /* removed before */
            st = QUIRE_OK;
    }
    return st;
}

/* ---- a home ------------------------------------------------------------------ */

/* Import `path` into the home in the cache. `agent` is whose home it is; NULL: it is a
 * file. */
static quire_status import_path(struct foreign *f, const char *path,
                                const struct import_agent *agent,
                                quire_error *err)
{
    struct import_places places = {.keep = f->keep};
    struct import_run run = {.q = f->cli->q,
                             .line = take_line,
                             .problem = warn_problem,
                             .progress = show_progress,
                             .open = open_another,
                             .ctx = f};
    struct import_summary sum;
    quire_status st = agent ? import_find_as(&places, path, agent, err)
                            : import_find_from(&places, path, NULL, err);

    if (st)
        return st;
    progress_start(f->cli, "reading", false);
    st = import_run(&run, &places, &sum, err);
    progress_end(f->cli);
    return st || !agent ? st : remove_gone(f, &places, err);
}

static quire_status open_cache(struct foreign *f, quire_error *err)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    int fd;
    quire_status st = fs_open_dir(f->home, true, &fd, err);

    if (st)
        return st;
    close(fd);
    o.home = f->home;
    o.kind = QUIRE_KIND_NATIVE;
    o.tenant = "default";
    o.busy_ms = f->options.busy_ms;
    f->options = o;
    return quire_open(&o, &f->cli->q, err);
}

/* Home and tenant of the command. The path is kept by `args`. */
static quire_status use_cache(struct foreign *f, struct args *args,
                              quire_options *options, quire_error *err)
{
    options->home = arena_text(&args->arena, bytes_str(f->home));
    options->kind = QUIRE_KIND_NATIVE;
    options->tenant = "default";
    return options->home ? QUIRE_OK : err_memory(err);
}

static quire_status use_home(struct foreign *f, struct args *args,
                             const char *agent, quire_options *options,
                             quire_error *err)
{
    const char *home = options->home;
    quire_status st = name_home_of(f, home, err);

    if (!st)
        st = open_cache(f, err);
    if (!st)
        st = import_path(f, home, import_agent_of(agent), err);
    return st ? st : use_cache(f, args, options, err);
}

/* ---- single files -------------------------------------------------------------- */

/* Whether the first line is one of a session file of ours. */
static bool is_ours(quire_bytes head)
{
    const char *end = head.len ? memchr(head.data, '\n', head.len) : NULL;
    quire_bytes line = end ? bytes_of(head.data,
                                      (size_t)(end - (const char *)head.data))
                           : head;
    quire_bytes type;

    if (line.len == 0 || *(const char *)line.data != '{')
        return !end; /* empty; damage is for the importer to say */
    type = json_get(line, "type");
    return json_is(type, "session") || json_is(type, "title");
}

/* Claude Code takes any .jsonl for its own: its lines name their session. */
static bool is_claude_head(quire_bytes head)
{
    return memmem(head.data, head.len, "\"sessionId\":", 12) ||
           memmem(head.data, head.len, "\"leafUuid\":", 11);
}

/* Whether a path is a session file of an agent whose format is not ours. */
static bool is_agents_file(const char *path)
{
    const struct import_agent *const *a;
    struct import_candidate c = {.path = path};
    const char *base = strrchr(path, '/');
    char head[IMPORT_HEAD];
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    c.base = base ? base + 1 : path;
    c.head = places_head(path, head);
    if (is_ours(c.head))
        return false;
    for (a = import_agents; *a; a++)
        if (strcmp((*a)->name, "pi") != 0 && strcmp((*a)->name, "omp") != 0 &&
            (*a)->match_file(&c) == IMPORT_LIKELY)
            return true;
    return name_ends(c.base, ".jsonl") && is_claude_head(c.head);
}

static bool takes_session(const struct args *args)
{
    return args->noun && !strcmp(args->noun->name, "session") &&
           (args->cmd->store == STORE_READ ||
            !strcmp(args->cmd->name, "session export")) &&
           args->n_words > 0 && strcmp(args->cmd->name, "session check") != 0;
}

/* Import the files that are named, and name their sessions instead. */
static quire_status use_files(struct foreign *f, struct args *args,
                              quire_options *options, bool *used,
                              quire_error *err)
{
    const char **words = arena_array(&args->arena, args->n_words,
                                     sizeof *words);
    quire_status st = words ? QUIRE_OK : err_memory(err);
    size_t i;

    *used = false;
    for (i = 0; i < args->n_words && !st; i++) {
        words[i] = args->words[i];
        if (!is_agents_file(words[i]))
            continue;
        if (!*used)
            st = name_home(f, "files", err);
        if (!st && !*used)
            st = open_cache(f, err);
        *used = true;
        f->session = NULL;
        if (!st)
            st = import_path(f, words[i], NULL, err);
        if (!st && f->session) {
            words[i] = arena_text(&args->arena, bytes_str(f->session));
            st = words[i] ? QUIRE_OK : err_memory(err);
        }
    }
    if (!st && *used) {
        args->words = words;
        st = use_cache(f, args, options, err);
    }
    return st;
}

/* Lists and searches write what they have derived, to the home in the cache then. */
static bool only_reads(const struct args *args)
{
    enum store_access use = args->cmd->store;

    return use == STORE_READ ||
           (use == STORE_EITHER &&
            (!strcmp(args->cmd->name, "search") ||
             !strcmp(args->cmd->name, "resume") ||
             (args->noun && !strcmp(args->noun->name, "session"))));
}

int foreign_use(struct cli *cli, struct args *args, quire_options *options)
{
    struct arena keep = ARENA_INIT;
    struct foreign f = {.cli = cli, .options = *options, .keep = &keep};
    bool reads = !options->blobs && only_reads(args);
    bool used = false;
    quire_error err = {0};
    quire_status st = QUIRE_OK;
    const char *agent = NULL;

    if (reads && options->home && !options->kind)
        agent = quire_home_agent(options->home);
    map_init(&f.there, 0x71756972, 8);
    if (agent && access(options->home, F_OK) == 0)
        st = use_home(&f, args, agent, options, &err);
    else if (reads && takes_session(args))
        st = use_files(&f, args, options, &used, &err);
    quire_close(cli->q);
    cli->q = NULL;
    map_release(&f.there);
    arena_release(&keep);
    return st ? cli_fail(cli, &err) : EXIT_DONE;
}

/*
 * search.c - one search over everything
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "cli/cmd/session_around.h"

enum { LIST_MAX = 32 };

/* ---- hits ------------------------------------------------------------------ */

struct listing {
    struct cli *cli;
    uint64_t context; /* --context: entries around each hit */
    uint64_t n;
    bool flat;
};

static void put_matches(struct json_writer *w, const quire_search_hit *h)
{
    size_t i;

    json_key(w, "matches");
    json_array(w);
    for (i = 0; i < h->n_matches; i++) {
        json_array(w);
        json_uint(w, h->matches[i].from);
        json_uint(w, h->matches[i].to);
        json_array_end(w);
    }
    json_array_end(w);
}

static void put_hit(struct json_writer *w, const quire_search_hit *h)
{
    char score[32];

    snprintf(score, sizeof score, "%.6f", h->score);
    json_put_str(w, "kind", h->kind);
    json_put_str(w, "address", h->address);
    json_put_optional(w, "session", h->session);
    json_put_optional(w, "entry", h->entry);
    json_put_optional(w, "title", h->title);
    json_put_optional(w, "project", h->project);
    json_put_optional(w, "agent", h->agent);
    json_put_optional(w, "role", h->role);
    json_put_optional(w, "tool", h->tool);
    json_put_optional(w, "model", h->model);
    json_put_time(w, "created_at", h->created_us);
    if (h->turn)
        json_put_uint(w, "turn", h->turn);
    else
        json_put_null(w, "turn");
    json_put_optional(w, "turn_first", h->turn_first);
    json_put_optional(w, "turn_last", h->turn_last);
    json_put_str(w, "snippet", h->snippet);
    put_matches(w, h);
    json_put_raw(w, "score", bytes_str(score));
    json_put_str(w, "how", h->how);
    json_put_bool(w, "active", h->active);
    json_put_bool(w, "error", h->is_error);
    if (h->in_session)
        json_put_uint(w, "in_session", h->in_session);
}

/* The snippet with its matches marked, on a terminal that shows it. */
static void add_snippet(struct buf *out, const quire_search_hit *h, bool color)
{
    size_t at = 0, i;

    for (i = 0; color && i < h->n_matches; i++) {
        term_add(out, bytes_of(h->snippet + at, h->matches[i].from - at), true);
        buf_add_str(out, "\033[1;31m");
        term_add(out,
                 bytes_of(h->snippet + h->matches[i].from,
                          h->matches[i].to - h->matches[i].from),
                 true);
        buf_add_str(out, "\033[0m");
        at = h->matches[i].to;
    }
    term_add(out, bytes_str(h->snippet + at), true);
}

/* The session of a group of hits. */
static void print_session(struct listing *l, const quire_search_hit *h)
{
    bool color = l->cli->out.color;
    struct buf line = BUF_INIT((size_t)1 << 20);
    char when[LOCAL_TIME_SIZE];

    if (l->n > 0)
        out_str(l->cli, "\n");
    buf_add_str(&line, color ? "\033[1m" : "");
    term_add(&line, bytes_str(*h->title ? h->title : h->address), true);
    buf_add_str(&line, color ? "\033[0m" : "");
    if (*h->session) {
        buf_add_str(&line, "  ");
        term_add(&line, bytes_str(h->session), true);
    }
    if (*h->project) {
        buf_add_str(&line, "  ");
        term_add(&line, bytes_str(h->project), true);
    }
    buf_addf(&line, "  %s", local_time(h->created_us, when));
    if (h->in_session > 3)
        buf_addf(&line, "  %llu hits", (unsigned long long)h->in_session);
    out_line(l->cli, &line);
    buf_release(&line);
}

/* What a hit is: "user", "bash", "thinking". */
static const char *hit_label(const quire_search_hit *h)
{
    if (*h->tool)
        return h->tool;
    return *h->role && !strcmp(h->kind, "message") ? h->role : h->kind;
}

static void print_hit(struct listing *l, const quire_search_hit *h)
{
    struct buf line = BUF_INIT((size_t)1 << 20);

    if (l->flat || h->first)
        print_session(l, h);
    buf_addf(&line, "  %-11s ", hit_label(h));
    add_snippet(&line, h, l->cli->out.color);
    out_line(l->cli, &line);
    buf_addf(&line, "              %s%s%s%s", h->address,
             h->active ? "" : " (not on the current branch)",
             strcmp(h->how, "exact") ? ", " : "",
             strcmp(h->how, "exact") ? h->how : "");
    out_line(l->cli, &line);
    buf_release(&line);
}

/* ---- context ---------------------------------------------------------------- */

struct context {
    struct listing *l;
    const struct around *around;
    const char *entry; /* the hit */
    struct buf line;
    struct json_writer *json; /* NULL: text */
};

static quire_status add_context(void *ctx, const quire_entry *e,
                                quire_error *err)
{
    struct context *k = ctx;

    if (!around_has(k->around, e))
        return QUIRE_OK;
    if (k->json) {
        json_raw(k->json, e->json);
        return QUIRE_OK;
    }
    buf_addf(&k->line, "              %c ",
             bytes_is(e->id, k->entry) ? '>' : ' ');
    entry_add_kind(&k->line, e);
    buf_add_str(&k->line, "  ");
    entry_add_snippet(&k->line, e);
    out_line(k->l->cli, &k->line);
    return out_status(k->l->cli, err);
}

/* The entries around a hit. A session that was removed meanwhile has none. */
static quire_status each_around(struct listing *l, const quire_search_hit *h,
                                struct json_writer *json, quire_error *err)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct around around = AROUND_INIT;
    struct context k = {l, &around, h->entry, BUF_INIT((size_t)1 << 20), json};
    quire_session *s = NULL;
    quire_status st = QUIRE_OK;

    o.flags = QUIRE_SESSION_READ;
    if (quire_session_open(l->cli->q, h->session, &o, &s, NULL))
        return QUIRE_OK;
    if (!around_choose(&around, s, h->entry, l->context, NULL))
        st = quire_session_entries(s, 0, add_context, &k, err);
    quire_session_close(s);
    around_release(&around);
    buf_release(&k.line);
    return st;
}

static quire_status emit_hit(void *ctx, const quire_search_hit *h,
                             quire_error *err)
{
    struct listing *l = ctx;
    bool around = l->context > 0 && *h->entry;
    quire_status st = QUIRE_OK;
    struct row r;

    if (l->cli->json) {
        row_begin(&r, l->cli);
        put_hit(&r.json, h);
        if (around) {
            json_key(&r.json, "context");
            json_array(&r.json);
            st = each_around(l, h, &r.json, err);
            json_array_end(&r.json);
        }
        l->n++;
        return st ? st : row_emit(&r, err);
    }
    print_hit(l, h);
    if (around)
        st = each_around(l, h, NULL, err);
    l->n++;
    return st ? st : out_status(l->cli, err);
}

/* ---- hits that wait ---------------------------------------------------------- */

/* With their surroundings, hits are printed after the search: it has the handle. */
struct waiting {
    struct arena memory;
    quire_search_hit *list; /* owned */
    size_t n, cap;
};

static quire_status copy_hit(struct arena *keep, const quire_search_hit *h,
                             quire_search_hit *to)
{
    const char **texts[] = {&to->kind,       &to->address,  &to->session,
                            &to->entry,      &to->title,    &to->project,
                            &to->agent,      &to->role,     &to->tool,
                            &to->model,      &to->snippet,  &to->how,
                            &to->turn_first, &to->turn_last};
    quire_search_match *matches = arena_array(keep, h->n_matches + 1,
                                              sizeof *matches);
    size_t i;

    *to = *h;
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = arena_text(keep, bytes_str(*texts[i]));
        if (!*texts[i])
            return QUIRE_NO_MEMORY;
    }
    if (!matches)
        return QUIRE_NO_MEMORY;
    if (h->n_matches)
        memcpy(matches, h->matches, h->n_matches * sizeof *matches);
    to->matches = matches;
    return QUIRE_OK;
}

static quire_status add_waiting(void *ctx, const quire_search_hit *h,
                                quire_error *err)
{
    struct waiting *w = ctx;
    quire_search_hit *more;

    if (w->n == w->cap) {
        more = realloc(w->list, (2 * w->cap + 16) * sizeof *more);
        if (!more)
            return err_memory(err);
        w->list = more;
        w->cap = 2 * w->cap + 16;
    }
    return copy_hit(&w->memory, h, &w->list[w->n++]) ? err_memory(err)
                                                     : QUIRE_OK;
}

static quire_status search_and_print(struct listing *l, quire_bytes query,
                                     const quire_search_options *o,
                                     quire_search_result *result,
                                     quire_error *err)
{
    struct waiting w = {.n = 0};
    quire_status st;
    size_t i;

    if (l->context == 0)
        return quire_search(l->cli->q, query, o, emit_hit, l, result, err);
    st = quire_search(l->cli->q, query, o, add_waiting, &w, result, err);
    for (i = 0; i < w.n && !st; i++)
        st = emit_hit(l, &w.list[i], err);
    free(w.list);
    arena_release(&w.memory);
    return st;
}

/* ---- the search -------------------------------------------------------------- */

static quire_status show_progress(void *ctx, uint64_t done, uint64_t total)
{
    progress_at(ctx, done, total);
    return QUIRE_OK;
}

/* The values of a list option, ended by NULL. */
static void read_list(const struct args *args, const char *name,
                      const char *out[LIST_MAX + 1])
{
    size_t i;

    for (i = 0; i < LIST_MAX && args_list(args, name, i); i++)
        out[i] = args_list(args, name, i);
    out[i] = NULL;
}

static int read_time(struct cli *cli, const struct args *args, const char *name,
                     int64_t *us)
{
    const char *text = args_text(args, name);
    quire_error err = {0};

    if (text && quire_search_time(cli->q, text, us, &err))
        return (cli_fail(cli, &err), EXIT_USAGE);
    return EXIT_DONE;
}

/* The words of the query, joined by blanks. */
static void join_words(const struct args *args, struct buf *query)
{
    size_t i;

    for (i = 0; i < args->n_words; i++) {
        if (i > 0)
            buf_add_char(query, ' ');
        buf_add_str(query, args->words[i]);
    }
}

/* What of the query had no effect goes to standard error; the cursor is a result. */
static void print_rest(struct cli *cli, const quire_search_result *result,
                       uint64_t n)
{
    struct row r;
    size_t i;

    for (i = 0; i < result->n_ignored && !cli->quiet; i++)
        session_warn(cli, "ignored", "ignored \"%s\": %s",
                     result->ignored[i].text, result->ignored[i].why);
    if (cli->json && result->next_cursor) {
        row_begin(&r, cli);
        json_put_str(&r.json, "next_cursor", result->next_cursor);
        row_print(&r);
    } else if (!cli->json && result->next_cursor && n > 0) {
        out_printf(cli, "\n%s%llu hits; more with --limit or --cursor %s\n",
                   result->total_is_exact     ? ""
                   : result->total_is_at_most ? "at most "
                                              : "at least ",
                   (unsigned long long)result->total, result->next_cursor);
    }
}

static int search_fail(struct cli *cli, const quire_error *err)
{
    int code = cli_fail(cli, err);

    return err->status == QUIRE_INVALID ? EXIT_USAGE : code;
}

static int search_run(struct cli *cli, const struct args *args)
{
    const char *kinds[LIST_MAX + 1], *roles[LIST_MAX + 1], *tools[LIST_MAX + 1];
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    quire_search_result result;
    struct buf query = BUF_INIT((size_t)1 << 20);
    struct listing l = {.cli = cli,
                        .context = args_number(args, "context", 0),
                        .flat = args_flag(args, "flat")};
    quire_error err = {0};
    quire_status st;
    int code = read_time(cli, args, "since", &o.since_us);

    if (!code)
        code = read_time(cli, args, "until", &o.until_us);
    if (code)
        return code;
    read_list(args, "kind", kinds);
    read_list(args, "role", roles);
    read_list(args, "tool", tools);
    o.kinds = kinds[0] ? kinds : NULL;
    o.roles = roles[0] ? roles : NULL;
    o.tools = tools[0] ? tools : NULL;
    o.session = args_text(args, "session");
    o.project = args_text(args, "project");
    o.agent = args_text(args, "agent");
    o.sort = (quire_search_sort)args_number(args, "sort", 0);
    o.limit = args_limit(args, 20);
    o.cursor = args_text(args, "cursor");
    o.regex = args_flag(args, "regex");
    o.versions = args_flag(args, "versions");
    o.flat = l.flat;
    o.progress = show_progress;
    o.progress_ctx = cli;
    join_words(args, &query);
    progress_start(cli, "indexing", true);
    st = query.failed
             ? err_memory(&err)
             : search_and_print(&l, buf_bytes(&query), &o, &result, &err);
    progress_end(cli);
    buf_release(&query);
    if (st)
        return cli->out.error ? EXIT_FAILED : search_fail(cli, &err);
    print_rest(cli, &result, l.n);
    return l.n ? EXIT_DONE : EXIT_NO;
}

static const struct opt search_opts[] = {
    {.name = "kind",
     .letter = 'k',
     .kind = OPT_LIST,
     .value = "KIND",
     .help = "only texts of this kind: message, thinking, tool_input, "
             "tool_result, summary, title, label, output, artifact, memory, "
             "history; may be given again"},
    {.name = "role",
     .kind = OPT_LIST,
     .value = "ROLE",
     .help = "only texts of this role: user, assistant, tool, system"},
    {.name = "tool",
     .kind = OPT_LIST,
     .value = "NAME",
     .help = "only inputs and results of this tool"},
    {.name = "project",
     .kind = OPT_TEXT,
     .value = "DIR",
     .help = "only sessions of this directory or below it; its last parts are "
             "enough"},
    {.name = "agent",
     .kind = OPT_TEXT,
     .value = "NAME",
     .help = "only sessions of this agent"},
    {.name = "since",
     .kind = OPT_TEXT,
     .value = "TIME",
     .help = "from TIME on: 2026-02-16, 7d, yesterday"},
    {.name = "until", .kind = OPT_TEXT, .value = "TIME", .help = "before TIME"},
    {.name = "sort",
     .kind = OPT_CHOICE,
     .value = "rank|newest|oldest",
     .help = "the order of hits; rank unless given"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N sessions, or hits with --flat; 20 unless given, 0 for "
             "1000"},
    {.name = "cursor",
     .kind = OPT_TEXT,
     .value = "CURSOR",
     .help = "continue behind the page that printed it"},
    {.name = "regex",
     .kind = OPT_FLAG,
     .help = "QUERY is a regular expression of PCRE2"},
    {.name = "flat",
     .kind = OPT_FLAG,
     .help = "every hit, not three of each session"},
    {.name = "context",
     .letter = 'C',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "print N entries before and after each hit"},
    {.name = "versions",
     .kind = OPT_FLAG,
     .help = "older versions of artifacts, too"},
    {0},
};

const struct cmd cmd_search = {
    .name = "search",
    .args = "QUERY...",
    .summary = "search sessions, outputs, artifacts, memory and history",
    .about =
        "Finds texts with every word of QUERY: messages, thinking, inputs and "
        "results of tools, summaries, titles, labels, outputs, artifacts, memory "
        "and prompts. A word also finds the parts of identifiers: `header` finds "
        "parseHTTPHeader. Hits are grouped by session, the best three of each.\n\n"
        "QUERY may have \"a phrase\", prefix*, *part*, -without, OR, ( ), "
        "near/5, /regex/ and filters: kind:, role:, tool:, project:, session:, "
        "model:, agent:, is:error, has:image, before:, after:, path:. Anything "
        "else is text, and what had no effect is reported. quire-search(7) and "
        "docs/search.md describe all of it.\n\n"
        "A query of plain words that finds almost nothing is relaxed: other forms "
        "of its words, longer words, most of the words; `how` reports it.\n\n"
        "The first search builds an index, later ones add what is new: a hit was "
        "stored before the search began. Exits with 1 if nothing is found.",
    .opts = search_opts,
    .examples = "quire search linker error\n"
                "quire search 'kind:tool_input git rebase' --since 7d\n"
                "quire search '\"permission denied\" is:error' --json\n"
                "quire search --regex 'E0[0-9]{3}' --flat",
    .store = STORE_EITHER,
    .paged = true,
    .run = search_run,
};

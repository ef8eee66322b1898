/*
 * session_ls.c - list sessions
 *
 * JSON is printed line by line. The table is collected first, for the width of
 * its columns.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

enum {
    ID_COLUMNS_MIN = 8,
    TITLE_COLUMNS_MIN = 20,
    TITLE_COLUMNS_MAX = 50,
    FIXED_COLUMNS = 2 + 16 + 2 + 5 + 2 + 10 + 2 + 2, /* all but id and two */
    TOTALS_COLUMNS = 6 + 2 + 12 + 2 + 10 + 2,        /* number, tokens, cost */
};

struct table_row {
    const char *id, *title, *cwd;
    int64_t modified_us;
    uint64_t messages, bytes;
    int64_t number, cost; /* with --totals: billionths of a dollar */
    uint64_t tokens;
    const char *cost_source;
};

/* Of a session, with --totals: what the price table adds to its cost. */
struct priced {
    int64_t nano;
    const char *source;
};

/* The main file of an imported session. */
struct origin {
    const char *agent, *source;
};

/* Which sessions, and in which order: what the library does not choose. */
struct choice {
    int64_t before_us; /* changed before this time        */
    uint64_t larger;   /* files of more bytes; 0: any     */
    uint64_t limit;    /* 0: all                          */
    const char *sort;  /* "size", "age"; NULL: as they come */
};

/* A copy that waits to be sorted. */
struct kept {
    quire_session_info info;
    quire_session_row row;
    bool has_row;
};

struct listing {
    struct cli *cli;
    struct map origins; /* struct origin by id; with --json   */
    struct map priced;  /* struct priced by id; with --totals */
    bool ids;
    bool totals;
    struct buf line;
    struct arena arena; /* what rows point to */
    struct table_row *rows;
    size_t n, cap;
    struct choice choice;
    struct kept *kept; /* owned; with choice.sort */
    size_t n_kept, kept_cap;
    uint64_t n_emitted;
};

/* ---- one a line --------------------------------------------------------- */

/* Dollars, exactly, with at least `decimals` decimals. */
static void add_cost(struct buf *out, int64_t nano, int decimals)
{
    char digits[16];
    int len = snprintf(digits, sizeof digits, "%09lld",
                       (long long)(nano % 1000000000));

    while (len > decimals && digits[len - 1] == '0')
        len--;
    buf_addf(out, "%lld", (long long)(nano / 1000000000));
    if (len > 0)
        buf_addf(out, ".%.*s", len, digits);
}

static quire_status add_priced(void *ctx, const quire_summary *s,
                               quire_error *err)
{
    struct listing *l = ctx;
    struct priced *p = arena_alloc(&l->arena, sizeof *p);
    const char *id = arena_text(&l->arena, bytes_str(s->row->id));

    if (!p || !id ||
        !map_put(&l->priced, bytes_str(id), (uint64_t)(uintptr_t)p, NULL))
        return err_memory(err);
    *p = (struct priced){(int64_t)s->computed_micro_usd * 1000, s->cost_source};
    return QUIRE_OK;
}

static struct priced price_of(const struct listing *l,
                              const quire_session_row *row)
{
    const uint64_t *found = map_get(&l->priced, bytes_str(row->id));
    struct priced p = {0, "unknown"};

    if (found)
        p = *(const struct priced *)(uintptr_t)*found;
    p.nano += row->cost_nano_usd;
    return p;
}

static void add_totals(struct json_writer *w, const quire_session_row *row,
                       const struct priced *price)
{
    struct buf cost = BUF_INIT(64);

    if (row->number)
        json_put_int(w, "number", row->number);
    else
        json_put_null(w, "number");
    json_put_str(w, "state", row->state);
    json_key(w, "tokens");
    json_object(w);
    json_put_uint(w, "input", row->input_tokens);
    json_put_uint(w, "output", row->output_tokens);
    json_put_uint(w, "cache_read", row->cache_read_tokens);
    json_put_uint(w, "cache_write", row->cache_write_tokens);
    json_put_uint(w, "total", row->total_tokens);
    json_object_end(w);
    add_cost(&cost, price->nano, 0);
    json_put_raw(w, "cost", buf_bytes(&cost));
    json_put_str(w, "cost_source", price->source);
    buf_release(&cost);
}

/* `created`, `modified` and `bytes` are older names of created_at, modified_at
 * and size_bytes. `row` is NULL without --totals. */
static void add_members(struct json_writer *w, const quire_session_info *info,
                        const struct origin *origin,
                        const quire_session_row *row,
                        const struct priced *price)
{
    json_put_str(w, "id", info->id);
    json_put_optional(w, "path", info->path);
    json_put_str(w, "cwd", info->cwd ? info->cwd : "");
    json_put_optional(w, "title", info->title);
    json_put_optional(w, "created", info->created);
    json_put_time(w, "modified", info->modified_us);
    if (info->messages == UINT64_MAX)
        json_put_null(w, "messages");
    else
        json_put_uint(w, "messages", info->messages);
    json_put_uint(w, "bytes", info->bytes);
    json_put_optional(w, "parent", info->parent);
    json_put_optional(w, "first", info->first);
    json_put_optional(w, "status", info->status);
    json_put_bool(w, "archived", info->archived);
    json_put_bool(w, "pinned", info->pinned);
    json_put_bool(w, "held", info->held);
    if (info->held)
        json_put_str(w, "hold_reason", info->hold_reason);
    json_put_optional(w, "created_at", info->created);
    json_put_time(w, "modified_at", info->modified_us);
    json_put_uint(w, "size_bytes", info->bytes);
    json_put_str(w, "backend", info->path ? "file" : "memory");
    if (origin) {
        json_put_str(w, "agent", origin->agent);
        json_put_str(w, "source", origin->source);
    }
    if (row)
        add_totals(w, row, price);
}

static quire_status add_origin(void *ctx, const quire_import_file *f,
                               quire_error *err)
{
    struct listing *l = ctx;
    struct origin *o = arena_alloc(&l->arena, sizeof *o);
    const char *id = arena_text(&l->arena, bytes_str(f->session));

    if (!f->is_main)
        return QUIRE_OK;
    if (!o || !id)
        return err_memory(err);
    o->agent = arena_text(&l->arena, bytes_str(f->agent));
    o->source = arena_text(&l->arena, bytes_str(f->path));
    if (o->agent && o->source &&
        map_put(&l->origins, bytes_str(id), (uint64_t)(uintptr_t)o, NULL))
        return QUIRE_OK;
    return err_memory(err);
}

static const struct origin *origin_of(const struct listing *l, const char *id)
{
    const uint64_t *found = map_get(&l->origins, bytes_str(id));

    return found ? (const struct origin *)(uintptr_t)*found : NULL;
}

/* ---- a table ------------------------------------------------------------ */

static quire_status keep_row(struct listing *l, const quire_session_info *info,
                             const quire_session_row *totals, quire_error *err)
{
    const char *title = info->title && *info->title ? info->title : info->first;
    struct table_row row = {.modified_us = info->modified_us,
                            .messages = info->messages,
                            .bytes = info->bytes};

    if (l->n == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 64;
        struct table_row *rows = realloc(l->rows, cap * sizeof *rows);

        if (!rows)
            return err_memory(err);
        l->rows = rows;
        l->cap = cap;
    }
    if (totals) {
        row.number = totals->number;
        row.tokens = totals->total_tokens;
        row.cost = price_of(l, totals).nano;
        row.cost_source = price_of(l, totals).source;
    }
    if (!strcmp(info->status, "damaged"))
        title = "(damaged; see `quire session check`)";
    row.id = arena_text(&l->arena, bytes_str(info->id));
    row.title = arena_text(&l->arena, bytes_str(title ? title : ""));
    row.cwd = arena_text(&l->arena, bytes_str(info->cwd ? info->cwd : ""));
    if (!row.id || !row.title || !row.cwd)
        return err_memory(err);
    l->rows[l->n++] = row;
    return QUIRE_OK;
}

/* Whole ids: a prefix that is unique in the list may not be in the home. */
static size_t id_columns(const struct listing *l)
{
    size_t i, most = ID_COLUMNS_MIN;

    for (i = 0; i < l->n; i++) {
        size_t len = strlen(l->rows[i].id);

        if (len > most)
            most = len < 36 ? len : 36;
    }
    return most;
}

static void add_cell(struct buf *line, const char *text, size_t columns)
{
    struct buf seen = BUF_INIT(1024 * 1024);

    term_add(&seen, bytes_str(text), true);
    term_add_cell(line, buf_bytes(&seen), columns);
    buf_add_str(line, "  ");
    buf_release(&seen);
}

/* "~/src/quire" of what is below the home directory. */
static void add_directory(struct buf *line, const char *cwd, size_t columns)
{
    struct buf seen = BUF_INIT(1024 * 1024);
    const char *home = getenv("HOME");
    size_t len = home ? strlen(home) : 0;

    if (len > 1 && !strncmp(cwd, home, len) && (!cwd[len] || cwd[len] == '/')) {
        buf_add_char(&seen, '~');
        cwd += len;
    }
    term_add(&seen, bytes_str(cwd), true);
    term_add_cut(line, buf_bytes(&seen), columns);
    buf_release(&seen);
}

static void add_total_cells(struct buf *line, const struct table_row *row)
{
    struct buf cost = BUF_INIT(64);
    char number[24] = "-";

    if (row->number)
        snprintf(number, sizeof number, "%lld", (long long)row->number);
    if (!strcmp(row->cost_source, "unknown")) {
        buf_add_char(&cost, '-');
    } else {
        if (strcmp(row->cost_source, "reported") != 0)
            buf_add_char(&cost, '~');
        add_cost(&cost, row->cost, 2);
    }
    buf_addf(line, "%6s  %12llu  %10s  ", number,
             (unsigned long long)row->tokens, buf_text(&cost));
    buf_release(&cost);
}

static void print_row(struct listing *l, const struct table_row *row, size_t id,
                      size_t title, size_t place)
{
    char when[LOCAL_TIME_SIZE], size[32], messages[24] = "-";
    struct buf short_id = BUF_INIT(1024);

    buf_addf(&short_id, "%.*s", (int)id, row->id);
    add_cell(&l->line, short_id.failed ? "" : buf_text(&short_id), id);
    buf_release(&short_id);
    size_text(row->bytes, size, sizeof size);
    if (row->messages != UINT64_MAX)
        snprintf(messages, sizeof messages, "%llu",
                 (unsigned long long)row->messages);
    buf_addf(&l->line, "%-16s  %5s  %10s  ", local_time(row->modified_us, when),
             messages, size);
    if (l->totals)
        add_total_cells(&l->line, row);
    add_cell(&l->line, row->title, title);
    add_directory(&l->line, row->cwd, place);
    out_line(l->cli, &l->line);
}

static void print_table(struct listing *l)
{
    size_t id = id_columns(l), width = term_width();
    size_t fixed = id + FIXED_COLUMNS + (l->totals ? TOTALS_COLUMNS : 0);
    size_t left = width > fixed ? width - fixed : 0;
    size_t title = left / 2, place;
    bool color = l->cli->out.color;
    size_t i;

    if (!l->n)
        return;
    if (title < TITLE_COLUMNS_MIN)
        title = TITLE_COLUMNS_MIN;
    if (title > TITLE_COLUMNS_MAX)
        title = TITLE_COLUMNS_MAX;
    place = left > title + TITLE_COLUMNS_MIN ? left - title : TITLE_COLUMNS_MIN;
    /* Not cut if it is not a terminal. */
    if (!isatty(STDOUT_FILENO))
        place = SIZE_MAX / 4;
    buf_addf(&l->line, "%s%-*s  %-16s  %5s  %10s  ", color ? "\033[1m" : "",
             (int)id, "id", "modified", "msgs", "size");
    if (l->totals)
        buf_addf(&l->line, "%6s  %12s  %10s  ", "number", "tokens", "cost");
    buf_addf(&l->line, "%-*s  %s%s", (int)title, "title", "directory",
             color ? "\033[0m" : "");
    out_line(l->cli, &l->line);
    for (i = 0; i < l->n; i++)
        print_row(l, &l->rows[i], id, title, place);
}

/* ---- the verbs ---------------------------------------------------------- */

static quire_status emit_any(struct listing *l, const quire_session_info *info,
                             const quire_session_row *row, quire_error *err)
{
    struct priced price = {0, "unknown"};
    struct row out;

    if (!l->cli->json && !l->ids)
        return keep_row(l, info, row, err);
    if (row)
        price = price_of(l, row);
    if (row_begin(&out, l->cli))
        add_members(&out.json, info, origin_of(l, info->id), row, &price);
    else
        term_add(&out.text, bytes_str(info->id), true);
    return row_emit(&out, err);
}

/* Without memory it is NULL. */
static void copy_text(struct listing *l, const char **text)
{
    if (*text)
        *text = arena_text(&l->arena, bytes_str(*text));
}

static quire_status keep_any(struct listing *l, const quire_session_info *info,
                             const quire_session_row *row, quire_error *err)
{
    struct kept *k;

    if (l->n_kept == l->kept_cap) {
        size_t cap = l->kept_cap ? 2 * l->kept_cap : 64;
        struct kept *more = realloc(l->kept, cap * sizeof *more);

        if (!more)
            return err_memory(err);
        l->kept = more;
        l->kept_cap = cap;
    }
    k = &l->kept[l->n_kept++];
    *k = (struct kept){.info = *info, .has_row = row != NULL};
    if (row)
        k->row = *row;
    copy_text(l, &k->info.id);
    copy_text(l, &k->info.path);
    copy_text(l, &k->info.cwd);
    copy_text(l, &k->info.title);
    copy_text(l, &k->info.parent);
    copy_text(l, &k->info.created);
    copy_text(l, &k->info.first);
    copy_text(l, &k->info.status);
    copy_text(l, &k->info.hold_reason);
    copy_text(l, &k->row.id);
    copy_text(l, &k->row.state);
    return k->info.id && k->info.status ? QUIRE_OK : err_memory(err);
}

static quire_status list_any(struct listing *l, const quire_session_info *info,
                             const quire_session_row *row, quire_error *err)
{
    const struct choice *c = &l->choice;

    if (info->modified_us >= c->before_us ||
        (c->larger && info->bytes <= c->larger))
        return QUIRE_OK;
    if (c->sort)
        return keep_any(l, info, row, err);
    if (c->limit && l->n_emitted == c->limit)
        return QUIRE_OK;
    l->n_emitted++;
    return emit_any(l, info, row, err);
}

static int by_size(const void *a, const void *b)
{
    const quire_session_info *x = &((const struct kept *)a)->info,
                             *y = &((const struct kept *)b)->info;

    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes)
                                : strcmp(x->id, y->id);
}

/* The one that has not changed for the longest time first. */
static int by_age(const void *a, const void *b)
{
    const quire_session_info *x = &((const struct kept *)a)->info,
                             *y = &((const struct kept *)b)->info;

    return x->modified_us != y->modified_us
               ? (x->modified_us > y->modified_us) -
                     (x->modified_us < y->modified_us)
               : strcmp(x->id, y->id);
}

static quire_status emit_sorted(struct listing *l, quire_error *err)
{
    const struct choice *c = &l->choice;
    quire_status st = QUIRE_OK;
    size_t i;

    if (l->n_kept)
        qsort(l->kept, l->n_kept, sizeof *l->kept,
              !strcmp(c->sort, "age") ? by_age : by_size);
    for (i = 0; i < l->n_kept && !st && (!c->limit || i < c->limit); i++)
        st = emit_any(l, &l->kept[i].info,
                      l->kept[i].has_row ? &l->kept[i].row : NULL, err);
    return st;
}

static quire_status list_one(void *ctx, const quire_session_info *info,
                             quire_error *err)
{
    return list_any(ctx, info, NULL, err);
}

static quire_status list_row(void *ctx, const quire_session_row *row,
                             quire_error *err)
{
    return list_any(ctx, row->info, row, err);
}

static quire_status list_rows(struct listing *l, const quire_list_options *o,
                              quire_error *err)
{
    quire_row_options rows = QUIRE_ROW_OPTIONS_INIT;
    quire_options options = QUIRE_OPTIONS_INIT;
    quire *q = NULL;
    quire_status st;

    rows.cwd = o->cwd;
    rows.archived = o->archived;
    rows.limit = o->limit;
    rows.pinned = o->pinned;
    st = quire_session_rows(l->cli->q, &rows, list_row, l, err);
    /* If totals cannot be stored, a read-only handle computes them. */
    if (st != QUIRE_BUSY && st != QUIRE_IO)
        return st;
    cli_store_options(l->cli->args, &options);
    options.flags |= QUIRE_READ_ONLY;
    st = quire_open(&options, &q, err);
    if (!st)
        st = quire_session_rows(q, &rows, list_row, l, err);
    quire_close(q);
    return st;
}

static int list(struct cli *cli, const quire_list_options *options, bool ids,
                bool totals, const struct choice *choice)
{
    struct listing l = {.cli = cli,
                        .choice = *choice,
                        .ids = ids,
                        .totals = totals,
                        .line = BUF_INIT(4 * 1024 * 1024)};
    quire_error err = {0};
    quire_status st = QUIRE_OK;
    uint64_t pending;
    int code = EXIT_DONE;

    map_init(&l.origins, (uint64_t)clock_us(&clock_system), (uint64_t)getpid());
    map_init(&l.priced, (uint64_t)clock_us(&clock_system), (uint64_t)getpid());
    if (cli->json) /* a list is possible without a catalogue */
        quire_import_list(cli->q, NULL, add_origin, &l, NULL);
    if (totals && !ids)
        st = quire_session_summaries(cli->q, INT64_MAX, add_priced, &l,
                                     &pending, &err);
    if (!st)
        st = totals ? list_rows(&l, options, &err)
                    : quire_session_list(cli->q, options, list_one, &l, &err);
    if (!st && choice->sort)
        st = emit_sorted(&l, &err);
    if (st && !cli->out.error)
        code = cli_fail(cli, &err);
    else
        print_table(&l);
    free(l.rows);
    free(l.kept);
    map_release(&l.origins);
    map_release(&l.priced);
    arena_release(&l.arena);
    buf_release(&l.line);
    return code;
}

static int session_ls(struct cli *cli, const struct args *args)
{
    quire_list_options options = QUIRE_LIST_OPTIONS_INIT;
    struct choice choice = {.before_us = INT64_MAX};
    int64_t older_us = (int64_t)args_number(args, "older-than", 0) * 1000;

    if (older_us)
        choice.before_us = clock_us(&clock_system) - older_us;
    choice.larger = args_number(args, "larger-than", 0);
    choice.limit = args_number(args, "limit", 0);
    choice.sort = args_text(args, "sort");
    options.cwd = args_text(args, "cwd");
    options.archived = args_flag(args, "archived");
    if (!older_us && !choice.larger && !choice.sort)
        options.limit = choice.limit;
    options.pinned = args_flag(args, "pinned");
    if (options.cwd && args_flag(args, "all"))
        return cli_usage(cli, "leave one of them out",
                         "--cwd and --all exclude each other");
    return list(cli, &options, args_flag(args, "ids"),
                args_flag(args, "totals"), &choice);
}

static const struct opt ls_opts[] = {
    {.name = "cwd",
     .kind = OPT_PATH,
     .value = "DIR",
     .help = "only those of the project directory DIR"},
    {.name = "all",
     .kind = OPT_FLAG,
     .help = "those of every project, which is the default"},
    {.name = "archived", .kind = OPT_FLAG, .help = "archived sessions instead"},
    {.name = "pinned", .kind = OPT_FLAG, .help = "only pinned sessions"},
    {.name = "older-than",
     .kind = OPT_TIME,
     .value = "DUR",
     .help = "only those that have not changed for so long: 30d, 12h"},
    {.name = "larger-than",
     .kind = OPT_SIZE,
     .value = "SIZE",
     .help = "only those whose file is larger: 10M"},
    {.name = "sort",
     .kind = OPT_CHOICE,
     .value = "size|age",
     .help = "the largest, or the one that changed least recently, first"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N; 0, the default, for all"},
    {.name = "ids", .kind = OPT_FLAG, .help = "only their ids, one a line"},
    {.name = "totals",
     .kind = OPT_FLAG,
     .help = "also their numbers, tokens and cost"},
    {0},
};

const struct cmd cmd_session_ls = {
    .name = "session ls",
    .args = "",
    .summary = "list sessions, the last changed first",
    .about =
        "A line a session: its id, "
        "when it was changed, how many messages it has (`-` when the file "
        "is too large to count them), its size, its title or else its first "
        "message, its project directory.\n\n"
        "With `--json`: id, path, cwd, title, created_at, modified_at, "
        "messages, size_bytes, parent, first, status, archived, pinned, held; "
        "null where there is none, and hold_reason of a held one. `created`, `modified` and `bytes` are older names of "
        "created_at, modified_at and size_bytes.\n\n"
        "With `--totals` also the session's number in the catalogue, and the "
        "tokens and dollars that its messages report; with `--json` as number, "
        "state, tokens (input, output, cache_read, cache_write, total), cost "
        "and cost_source. An answer without dollars gets them from a table of "
        "prices (the setting prices.file, and built-in list prices): the "
        "source is reported, computed, partial (some models have no price) or "
        "unknown; in a table `~` is before what is not all reported, and `-` "
        "is unknown. Each file is read from where it was read last. An unfinished "
        "last line does not count.",
    .opts = ls_opts,
    .examples = "quire session ls --limit 20\n"
                "quire session ls --cwd . --json",
    .store = STORE_EITHER,
    .paged = true,
    .run = session_ls,
};

static int session_recent(struct cli *cli, const struct args *args)
{
    quire_list_options options = QUIRE_LIST_OPTIONS_INIT;
    const struct choice all = {.before_us = INT64_MAX};
    char *here = getcwd(NULL, 0);
    quire_error err = {0};
    int code;

    if (!here) {
        err_sys(&err, errno, "cannot tell the working directory");
        return cli_fail(cli, &err);
    }
    options.cwd = here;
    options.limit = args_number(args, "limit", 10);
    code = list(cli, &options, args_flag(args, "ids"), false, &all);
    free(here);
    return code;
}

static const struct opt recent_opts[] = {
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N; 10 unless given, 0 for all"},
    {.name = "ids", .kind = OPT_FLAG, .help = "only their ids, one a line"},
    {0},
};

const struct cmd cmd_session_recent = {
    .name = "session recent",
    .args = "",
    .summary = "list the newest sessions of this directory",
    .about = "The same as `session ls --cwd . --limit 10`.",
    .opts = recent_opts,
    .examples = "quire session recent",
    .store = STORE_EITHER,
    .paged = true,
    .run = session_recent,
};

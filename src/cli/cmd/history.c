/*
 * history.c - the prompts a person typed
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"

/* ---- add ---------------------------------------------------------------- */

/* More than a prompt may have, so that the library reports the limit. */
#define TYPED_MAX ((size_t)32 << 20)

static quire_status read_typed(struct buf *typed, quire_error *err)
{
    ssize_t n = 1;

    while (n > 0 && !typed->failed) {
        char *room = buf_room(typed, 64 * 1024);

        n = room ? fs_read_full(STDIN_FILENO, room, 64 * 1024) : 0;
        if (n > 0)
            buf_grow(typed, (size_t)n);
    }
    if (n < 0) {
        err_sys(err, errno, "cannot read standard input");
        if (err)
            err->status = QUIRE_IO;
        return QUIRE_IO;
    }
    return buf_status(typed, "the prompt", err);
}

/* "<id>" of ".../<time>_<id>.jsonl", without reading the file. */
static bool id_in_name(const char *path, char *id, size_t cap)
{
    const char *name = strrchr(path, '/');
    const char *from = strchr(name ? name : path, '_');
    const char *end = from ? strstr(++from, ".jsonl") : NULL;

    if (!end || end == from || (size_t)(end - from) >= cap)
        return false;
    snprintf(id, cap, "%.*s", (int)(end - from), from);
    return true;
}

/* The id of the session that --session names; "" if it names none. */
static int session_id(struct cli *cli, const struct args *args, char *id,
                      size_t cap)
{
    const char *which = args_text(args, "session"), *path;
    quire_session_options options = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;
    quire_error err = {0};

    *id = '\0';
    if (!which)
        return EXIT_DONE;
    if (quire_session_find(cli->q, which, &path, &err))
        return session_fail(cli, &err);
    if (id_in_name(path, id, cap))
        return EXIT_DONE;
    options.flags = QUIRE_SESSION_READ;
    if (quire_session_open(cli->q, which, &options, &s, &err))
        return session_fail(cli, &err);
    quire_session_describe(s, &info);
    snprintf(id, cap, "%s", info.id);
    quire_session_close(s);
    return EXIT_DONE;
}

static void print_added(struct cli *cli, int64_t id)
{
    struct row r;

    row_begin_json(&r, cli);
    if (id)
        json_put_int(&r.json, "id", id);
    else
        json_put_null(&r.json, "id");
    row_print(&r);
}

static int history_add(struct cli *cli, const struct args *args)
{
    struct buf typed = BUF_INIT(TYPED_MAX);
    quire_bytes text = bytes_str(args->words[0]);
    quire_error err = {0};
    quire_status st = QUIRE_OK;
    char session[256];
    int64_t id = 0;
    int code = session_id(cli, args, session, sizeof session);

    if (code)
        return code;
    if (!strcmp(args->words[0], "-")) {
        st = read_typed(&typed, &err);
        text = buf_bytes(&typed);
    }
    if (!st)
        st = quire_history_add(cli->q, text, args_text(args, "cwd"),
                               *session ? session : NULL, &id, &err);
    if (st)
        code = st == QUIRE_INVALID ? (cli_fail(cli, &err), EXIT_USAGE)
                                   : cli_fail(cli, &err);
    else if (cli->json)
        print_added(cli, id);
    else if (!id && !cli->quiet)
        fprintf(stderr, "the prompt is blank and was not stored\n");
    buf_release(&typed);
    return code;
}

static const struct opt add_opts[] = {
    {.name = "cwd",
     .kind = OPT_PATH,
     .value = "DIR",
     .help = "the directory of the prompt; the working directory unless given"},
    {0},
};

const struct cmd cmd_history_add = {
    .name = "history add",
    .args = "TEXT|-",
    .summary = "store a prompt",
    .about =
        "Stores TEXT, or standard input, with the time, the directory and "
        "the session (--session, QUIRE_SESSION). Blanks around it and at "
        "the ends of its lines are dropped. A prompt that exists already "
        "becomes the newest.\n\nPrints nothing; with `--json` its id, null "
        "for a blank prompt.",
    .opts = add_opts,
    .examples = "quire history add 'why does the build fail?'\n"
                "printf 'fix the build' | quire history add -",
    .store = STORE_WRITE,
    .run = history_add,
};

/* ---- ls, search --------------------------------------------------------- */

struct listing {
    struct cli *cli;
    size_t width;
    size_t n;
    struct buf line;
};

/* Rows may come from other programs: 0 for a time out of range. */
static int64_t typed_us(const quire_prompt *p)
{
    const int64_t max_s = INT64_MAX / 1000000;

    return p->created_at_s < -max_s || p->created_at_s > max_s
               ? 0
               : p->created_at_s * 1000000;
}

static void print_json(struct listing *l, const quire_prompt *p)
{
    struct json_writer w;
    struct json_out o;

    json_begin(&w, &l->line);
    json_object(&w);
    json_put_int(&w, "id", p->id);
    json_put_bytes(&w, "prompt", p->prompt);
    json_put_time(&w, "created_at", typed_us(p));
    if (p->cwd)
        json_put_str(&w, "cwd", p->cwd);
    else
        json_put_null(&w, "cwd");
    json_put_optional(&w, "session", p->session);
    json_object_end(&w);
    if (l->line.failed)
        return;
    json_out_init(&o, l->cli);
    json_out_add(&o, buf_bytes(&l->line));
    json_out_end(&o);
}

static void print_row(struct listing *l, const quire_prompt *p)
{
    const char *end = p->prompt.len
                          ? memchr(p->prompt.data, '\n', p->prompt.len)
                          : NULL;
    size_t len = end ? (size_t)(end - (const char *)p->prompt.data)
                     : p->prompt.len;
    struct buf seen = BUF_INIT((size_t)1 << 30);
    char when[LOCAL_TIME_SIZE];

    print_heading(l->cli, "typed             prompt");
    buf_addf(&l->line, "%-16s  ", local_time(typed_us(p), when));
    term_add(&seen, bytes_sub(p->prompt, 0, len), true);
    if (end) /* there is more */
        buf_add_str(&seen, term_marks()->dots);
    term_add_cut(&l->line, buf_bytes(&seen), l->width);
    l->line.failed |= seen.failed;
    buf_release(&seen);
    out_line(l->cli, &l->line);
}

static quire_status list_one(void *ctx, const quire_prompt *p, quire_error *err)
{
    struct listing *l = ctx;

    buf_clear(&l->line);
    if (l->cli->json)
        print_json(l, p);
    else
        print_row(l, p);
    l->n++;
    if (l->line.failed)
        return err_memory(err);
    return out_status(l->cli, err);
}

/* `query` NULL: all of them. */
static int print_prompts(struct cli *cli, const struct args *args,
                         const char *query)
{
    quire_history_options options = QUIRE_HISTORY_OPTIONS_INIT;
    struct listing l = {
        .cli = cli,
        .width = isatty(STDOUT_FILENO) ? term_width() - 18 : SIZE_MAX / 4,
        .line = BUF_INIT((size_t)1 << 30),
    };
    quire_error err = {0};
    quire_status st;
    int code = EXIT_DONE;

    options.cwd = args_text(args, "cwd");
    options.limit = args_limit(args, 100);
    st = query ? quire_history_search(cli->q, bytes_str(query), &options,
                                      list_one, &l, &err)
               : quire_history_list(cli->q, &options, list_one, &l, &err);
    buf_release(&l.line);
    if (st && cli->out.error)
        return EXIT_FAILED;
    if (st)
        code = cli_fail(cli, &err);
    if (st == QUIRE_INVALID)
        code = EXIT_USAGE;
    if (!st && query && !l.n)
        code = EXIT_NO;
    return code;
}

static const struct opt find_opts[] = {
    {.name = "cwd",
     .kind = OPT_PATH,
     .value = "DIR",
     .help = "only those typed in the directory DIR"},
    {.name = "limit",
     .letter = 'n',
     .kind = OPT_NUMBER,
     .value = "N",
     .help = "at most N; 100 unless given, 0 for all"},
    {0},
};

static int history_ls(struct cli *cli, const struct args *args)
{
    return print_prompts(cli, args, NULL);
}

const struct cmd cmd_history_ls = {
    .name = "history ls",
    .args = "",
    .summary = "list prompts, the newest first",
    .about = "A line a prompt: when it was typed last, and its first line. "
             "With `--json`: id, prompt, created_at, cwd, session; null where "
             "there is none.",
    .opts = find_opts,
    .examples = "quire history ls --limit 20\n"
                "quire history ls --cwd . --json",
    .store = STORE_READ,
    .paged = true,
    .run = history_ls,
};

static int history_search(struct cli *cli, const struct args *args)
{
    return print_prompts(cli, args, args->words[0]);
}

const struct cmd cmd_history_search = {
    .name = "history search",
    .args = "QUERY",
    .summary = "find prompts by words, the newest first",
    .about =
        "Finds prompts with every word of QUERY, in any order, whole or as "
        "a part of a word, ignoring case. Characters other than letters "
        "and digits separate words; a QUERY without letters and digits "
        "must match as it is. Printed as by `history ls`. Exits with 1 "
        "without a match.",
    .opts = find_opts,
    .examples = "quire history search 'build fail'\n"
                "quire history search build --cwd . --json",
    .store = STORE_READ,
    .paged = true,
    .run = history_search,
};

/* ---- rm ----------------------------------------------------------------- */

struct removal {
    struct listing listing;
    bool print;       /* the prompts, instead of collecting their ids   */
    struct buf ids;   /* int64_t; of the prompts named                  */
    struct buf found; /* int64_t; of those that exist, once each        */
};

static bool holds(const struct buf *ids, int64_t id)
{
    size_t at;

    for (at = 0; at < ids->len; at += sizeof id) {
        if (!memcmp(ids->data + at, &id, sizeof id))
            return true;
    }
    return false;
}

static quire_status take_prompt(void *ctx, const quire_prompt *p,
                                quire_error *err)
{
    struct removal *r = ctx;

    if (r->ids.len && !holds(&r->ids, p->id))
        return QUIRE_OK;
    if (r->print)
        return list_one(&r->listing, p, err);
    buf_add(&r->found, &p->id, sizeof p->id);
    return r->found.failed ? err_memory(err) : QUIRE_OK;
}

/* The ids named; else --match, --cwd or --all says which prompts are meant. */
static int read_ids(struct cli *cli, const struct args *args, struct buf *ids)
{
    bool some = args_text(args, "match") || args_text(args, "cwd") ||
                args_flag(args, "all");
    size_t i;

    if (!args->n_words && !some)
        return cli_usage(
            cli,
            "give ids, as `quire history ls --json` prints them, or --match "
            "QUERY, --cwd DIR or --all",
            "no prompt is named");
    if (args->n_words && some)
        return cli_usage(cli, "leave out one of them",
                         "ids and --match, --cwd or --all exclude each other");
    for (i = 0; i < args->n_words; i++) {
        const char *text = args->words[i] + (args->words[i][0] == '#');
        int64_t id;

        if (!json_read_int(bytes_str(text), &id) || id < 1)
            return cli_usage(cli, "`quire history ls --json` prints the ids",
                             "`%s` is not the id of a prompt", args->words[i]);
        buf_add(ids, &id, sizeof id);
    }
    return EXIT_DONE;
}

static quire_status each_prompt(struct cli *cli, const struct args *args,
                                struct removal *r, quire_error *err)
{
    quire_history_options options = QUIRE_HISTORY_OPTIONS_INIT;
    const char *query = args_text(args, "match");

    options.cwd = args_text(args, "cwd");
    options.limit = UINT64_MAX;
    return query ? quire_history_search(cli->q, bytes_str(query), &options,
                                        take_prompt, r, err)
                 : quire_history_list(cli->q, &options, take_prompt, r, err);
}

/* Every prompt named exists: else nothing is removed. */
static quire_status check_named(const struct removal *r, quire_error *err)
{
    size_t at;

    for (at = 0; at < r->ids.len; at += sizeof(int64_t)) {
        int64_t id;

        memcpy(&id, r->ids.data + at, sizeof id);
        if (!holds(&r->found, id))
            return err_fail(err, QUIRE_NOT_FOUND,
                            "`quire history ls --json` lists the ids",
                            "no prompt %lld in the history", (long long)id);
    }
    return QUIRE_OK;
}

static quire_status remove_prompts(struct cli *cli, const struct args *args,
                                   struct removal *r, quire_error *err)
{
    bool dry = args_flag(args, "dry-run");
    quire_status st = each_prompt(cli, args, r, err);

    if (!st)
        st = check_named(r, err);
    if (!st && (dry || cli->json)) {
        r->print = true;
        st = each_prompt(cli, args, r, err);
    }
    if (!st && !dry)
        st = quire_history_remove(cli->q,
                                  (const int64_t *)(const void *)r->found.data,
                                  r->found.len / sizeof(int64_t), err);
    return st;
}

static int history_rm(struct cli *cli, const struct args *args)
{
    struct removal r = {
        .listing = {.cli = cli,
                    .width = isatty(STDOUT_FILENO) ? term_width() - 18
                                                   : SIZE_MAX / 4,
                    .line = BUF_INIT((size_t)1 << 30)},
        .ids = BUF_INIT((size_t)1 << 24),
        .found = BUF_INIT((size_t)1 << 30),
    };
    quire_error err = {0};
    quire_status st;
    int code = read_ids(cli, args, &r.ids);

    if (code)
        goto out;
    st = r.ids.failed ? err_memory(&err) : remove_prompts(cli, args, &r, &err);
    if (st && !cli->out.error)
        code = cli_fail(cli, &err);
    if (st == QUIRE_INVALID)
        code = EXIT_USAGE;
    if (!st && args_text(args, "match") && !r.found.len)
        code = EXIT_NO;
out:
    buf_release(&r.listing.line);
    buf_release(&r.ids);
    buf_release(&r.found);
    return code;
}

static const struct opt rm_opts[] = {
    {.name = "match",
     .kind = OPT_TEXT,
     .value = "QUERY",
     .help = "those that `history search QUERY` finds"},
    {.name = "cwd",
     .kind = OPT_PATH,
     .value = "DIR",
     .help = "those typed in the directory DIR; with --match only these"},
    {.name = "all", .kind = OPT_FLAG, .help = "the whole history"},
    {.name = "dry-run",
     .kind = OPT_FLAG,
     .help = "remove nothing, list the prompts that would be removed"},
    {0},
};

const struct cmd cmd_history_rm = {
    .name = "history rm",
    .args = "[ID...]",
    .summary = "remove prompts",
    .about = "Removes the prompts with these ids, or those that --match, --cwd "
             "or --all names, and overwrites their text in history.db. This "
             "cannot be undone. Prints nothing; with `--dry-run` or `--json` "
             "the prompts, as `history ls` prints them. Exits with 1, and "
             "removes nothing, if one of the ids does not exist or --match "
             "finds none.",
    .opts = rm_opts,
    .examples = "quire history rm --match 'build fail' --dry-run\n"
                "quire history rm --cwd . --dry-run",
    .store = STORE_WRITE,
    .run = history_rm,
};

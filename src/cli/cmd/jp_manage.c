/*
 * jp_manage.c - create, change, move and remove whole conversations
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "cli/core/cli.h"
#include "cli/cmd/artifact.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/jp.h"
#include "cli/cmd/session.h"

/* The largest configuration, and the most that is appended at once. */
#define CONFIG_MAX ((size_t)16 << 20)
#define LINES_MAX  ((size_t)1 << 30)

#define LOCATIONS                                                                \
    "An id is looked for in the nearest `.jp` upwards and in JP's private data " \
    "for that workspace; "

/* ---- shared ------------------------------------------------------------- */

static quire_status print_named(void *ctx, const quire_conversation *one,
                                quire_error *err)
{
    struct row r;

    if (row_begin(&r, ctx)) {
        json_put_str(&r.json, "id", one->id);
        json_put_str(&r.json, "path", one->path);
    } else {
        buf_add_str(&r.text, one->id);
    }
    return row_emit(&r, err);
}

/* Print the id of a conversation that was just made. */
static int print_made(struct cli *cli, const char *path)
{
    quire_error err = {0};

    if (quire_conversation_list(path, 0, print_named, cli, &err) &&
        !cli->out.error)
        return jp_fail(cli, &err);
    return EXIT_DONE;
}

/* The option --config as bytes; "-" is standard input. */
static int read_config(struct cli *cli, const struct args *args,
                       struct buf *text, quire_conversation_options *o)
{
    const char *file = args_text(args, "config");
    quire_error err = {0};

    o->title = args_text(args, "title");
    if (!file)
        return EXIT_DONE;
    if (input_read(file, text, &err))
        return jp_fail(cli, &err);
    o->config = buf_bytes(text);
    return EXIT_DONE;
}

/* ---- new ---------------------------------------------------------------- */

struct place {
    struct arena *keep;
    bool local; /* JP's private location is wanted */
    const char *first, *second;
};

static quire_status note_location(void *ctx, const char *path, quire_error *err)
{
    struct place *p = ctx;
    const char *copy = arena_text(p->keep, bytes_str(path));

    if (!p->first)
        p->first = copy;
    else
        p->second = copy;
    return copy ? QUIRE_OK : err_memory(err);
}

static bool is_directory(const char *path)
{
    struct stat st;

    return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The location that `dir` means; NULL: none. */
static const char *location_of(const char *dir, struct arena *keep)
{
    const char *slash = strrchr(dir, '/');
    const char *below = arena_printf(keep, "%s/.jp", dir);

    if (is_directory(arena_printf(keep, "%s/conversations", dir)) ||
        (is_directory(dir) && !strcmp(slash ? slash + 1 : dir, ".jp")))
        return dir;
    return is_directory(below) ? below : NULL;
}

static int find_location(struct cli *cli, const struct args *args,
                         struct arena *keep, const char **out)
{
    struct place p = {.keep = keep, .local = args_flag(args, "local")};
    const char *dir = args->n_words ? args->words[0] : NULL;
    quire_error err = {0};

    if (dir && p.local)
        return cli_usage(cli, "leave one of them out",
                         "--local goes without a directory");
    if (dir)
        *out = location_of(dir, keep);
    else if (quire_conversation_locations(note_location, &p, &err))
        return jp_fail(cli, &err);
    else
        *out = p.local ? p.second : p.first;
    if (*out)
        return EXIT_DONE;
    if (p.local && p.first)
        err_fail(&err, QUIRE_NOT_FOUND,
                 "open the workspace once with JP, which creates it",
                 "JP has no private data for %.180s", p.first);
    else
        err_fail(&err, QUIRE_NOT_FOUND,
                 "create one, or name a directory that has one",
                 "no .jp in %.180s%s", dir ? dir : "this directory",
                 dir ? "" : " or above");
    return jp_fail(cli, &err);
}

static int jp_new(struct cli *cli, const struct args *args)
{
    quire_conversation_options o = QUIRE_CONVERSATION_OPTIONS_INIT;
    struct buf config = BUF_INIT(CONFIG_MAX);
    struct arena keep = ARENA_INIT;
    const char *location = NULL, *blobs = NULL;
    quire_error err = {0};
    char path[PATH_MAX];
    quire *q = NULL;
    int code = find_location(cli, args, &keep, &location);

    if (!code)
        code = read_config(cli, args, &config, &o);
    if (!code) {
        blobs = arena_printf(&keep, "%s/blobs", location);
        code = jp_open_store(cli, args, blobs, true, &q);
    }
    if (!code &&
        quire_conversation_create(q, location, &o, path, sizeof path, &err))
        code = jp_fail(cli, &err);
    if (!code)
        code = print_made(cli, path);
    jp_close_written(q);
    buf_release(&config);
    arena_release(&keep);
    return code;
}

static const struct opt new_opts[] = {
    {.name = "title",
     .kind = OPT_TEXT,
     .value = "TEXT",
     .help = "its title, also in the name of its directory"},
    {.name = "config",
     .kind = OPT_PATH,
     .value = "FILE",
     .help = "a JSON object for base_config.json; an empty one unless given"},
    {.name = "local",
     .kind = OPT_FLAG,
     .help = "in JP's private data instead of the `.jp` of the workspace"},
    {0},
};

const struct cmd cmd_jp_new = {
    .name = "jp new",
    .args = "[DIR]",
    .summary = "create a conversation",
    .about =
        "In DIR, a `.jp` or a workspace with one; else in the nearest `.jp` "
        "upwards. It has a metadata.json, an empty events.json and a "
        "base_config.json; JP sees it when it is complete. Its id is the time "
        "in tenths of a second, or the next one that is free. Prints the id; "
        "with `--json`: id, path.",
    .opts = new_opts,
    .examples = "quire jp new --title 'Fix the build'",
    .run = jp_new,
};

/* ---- fork --------------------------------------------------------------- */

static int jp_fork(struct cli *cli, const struct args *args)
{
    quire_conversation_options o = QUIRE_CONVERSATION_OPTIONS_INIT;
    struct buf config = BUF_INIT(CONFIG_MAX);
    struct arena keep = ARENA_INIT;
    const char *dir = NULL;
    quire_error err = {0};
    char path[PATH_MAX];
    quire *q = NULL;
    int code = jp_find(cli, args->words[0], &keep, &dir);

    if (!code)
        code = read_config(cli, args, &config, &o);
    if (!code)
        code = jp_open(cli, args, dir, true, &q);
    if (!code && quire_conversation_fork(q, dir, &o, path, sizeof path, &err))
        code = jp_fail(cli, &err);
    if (!code)
        code = print_made(cli, path);
    jp_close_written(q);
    buf_release(&config);
    arena_release(&keep);
    return code;
}

static const struct opt fork_opts[] = {
    {.name = "title",
     .kind = OPT_TEXT,
     .value = "TEXT",
     .help = "its title; that of the source unless given"},
    {.name = "config",
     .kind = OPT_PATH,
     .value = "FILE",
     .help = "a JSON object for base_config.json; that of the source unless "
             "given"},
    {0},
};

const struct cmd cmd_jp_fork = {
    .name = "jp fork",
    .args = "DIR",
    .summary = "copy a conversation",
    .about =
        "DIR is the id of a conversation, its directory, or its events.json. "
        "The copy lies beside it, and has a new id, the same events, "
        "configuration, title and labels. Both refer to the same blobs. Prints the id; with `--json`: id, path.",
    .opts = fork_opts,
    .examples = "quire jp fork jp-c17780000011",
    .run = jp_fork,
};

/* ---- append ------------------------------------------------------------- */

static void print_appended(struct cli *cli, uint64_t n)
{
    struct row r;

    if (row_begin(&r, cli)) {
        json_put_uint(&r.json, "events", n);
    } else {
        buf_add_str(&r.text, "appended ");
        add_count(&r.text, n, "event", "events");
    }
    row_print(&r);
}

static int jp_append(struct cli *cli, const struct args *args)
{
    struct buf lines = BUF_INIT(LINES_MAX);
    struct arena keep = ARENA_INIT;
    const char *dir = NULL;
    quire_error err = {0};
    uint64_t n = 0;
    quire *q = NULL;
    int code = jp_find(cli, args->words[0], &keep, &dir);

    if (!code)
        code = jp_open(cli, args, dir, true, &q);
    if (!code &&
        (input_read(NULL, &lines, &err) ||
         quire_conversation_append(q, dir, buf_bytes(&lines), &n, &err)))
        code = jp_fail(cli, &err);
    if (!code)
        print_appended(cli, n);
    jp_close_written(q);
    buf_release(&lines);
    arena_release(&keep);
    return code;
}

const struct cmd cmd_jp_append = {
    .name = "jp append",
    .args = "DIR",
    .summary = "append events to a conversation",
    .about =
        "DIR is the id of a conversation, its directory, or its events.json. "
        "Standard input has a JSON object a line, an event as JP has it: a "
        "type, what belongs to that, and a timestamp, which is the present "
        "time if it is missing. All are appended or none. The other bytes of "
        "events.json stay, and the new events follow its layout. `jp "
        "externalize` moves their content into blobs.\n\n"
        "With `--json`: events (how many were appended).",
    .examples = "printf '{\"type\":\"turn_start\"}' | "
                "quire jp append jp-c17780000011",
    .run = jp_append,
};

/* ---- archive, rm: everywhere -------------------------------------------- */

/* An id means the conversation wherever JP keeps it: both copies go. */
struct everywhere {
    struct arena keep;
    const char *paths[8];
    size_t n;
};

static quire_status note_path(void *ctx, const char *path, quire_error *err)
{
    struct everywhere *e = ctx;

    if (e->n == sizeof e->paths / sizeof *e->paths)
        return QUIRE_OK;
    e->paths[e->n] = arena_text(&e->keep, bytes_str(path));
    return e->paths[e->n++] ? QUIRE_OK : err_memory(err);
}

typedef quire_status (*change_fn)(struct cli *cli, const struct args *args,
                                  quire *q, const char *path, quire_error *err);

static int change_one(struct cli *cli, const struct args *args,
                      const char *path, change_fn change)
{
    quire_error err = {0};
    quire *q = NULL;
    int code = jp_open(cli, args, path, true, &q);

    if (!code && change(cli, args, q, path, &err) && !cli->out.error)
        code = jp_fail(cli, &err);
    jp_close_written(q);
    return code;
}

static int change_all(struct cli *cli, const struct args *args,
                      change_fn change)
{
    int code = EXIT_DONE;
    size_t w, i;

    for (w = 0; w < args->n_words; w++) {
        struct everywhere e = {.keep = ARENA_INIT};
        quire_error err = {0};

        if (quire_conversation_find(args->words[w], note_path, &e, &err))
            code = cli_worse(code, jp_fail(cli, &err));
        else
            for (i = 0; i < e.n; i++)
                code = cli_worse(code,
                                 change_one(cli, args, e.paths[i], change));
        arena_release(&e.keep);
    }
    return code;
}

static quire_status print_path(struct cli *cli, const char *path,
                               quire_error *err)
{
    struct row r;

    if (row_begin(&r, cli))
        json_put_str(&r.json, "path", path);
    else
        buf_add_str(&r.text, path);
    return row_emit(&r, err);
}

typedef quire_status (*move_fn)(quire *q, const char *dir, char *path,
                                size_t cap, quire_error *err);

/* Move a conversation and print its new path. */
static quire_status move_one(struct cli *cli, quire *q, const char *dir,
                             move_fn move, quire_error *err)
{
    char path[PATH_MAX];
    quire_status st = move(q, dir, path, sizeof path, err);

    return st ? st : print_path(cli, path, err);
}

static quire_status archive_one(struct cli *cli, const struct args *args,
                                quire *q, const char *dir, quire_error *err)
{
    (void)args;
    return move_one(cli, q, dir, quire_conversation_archive, err);
}

static int jp_archive(struct cli *cli, const struct args *args)
{
    return change_all(cli, args, archive_one);
}

const struct cmd cmd_jp_archive = {
    .name = "jp archive",
    .args = "DIR...",
    .summary = "archive conversations",
    .about =
        "DIR is the id of a conversation or its directory. " LOCATIONS
        "if both have it, both copies are archived. The directory moves to "
        "`.archive` beside it, and its metadata gets the time. Prints the "
        "new path; with `--json`: path.",
    .examples = "quire jp archive jp-c17780000011",
    .run = jp_archive,
};

static quire_status unarchive_one(struct cli *cli, const struct args *args,
                                  quire *q, const char *dir, quire_error *err)
{
    (void)args;
    return move_one(cli, q, dir, quire_conversation_unarchive, err);
}

static int jp_unarchive(struct cli *cli, const struct args *args)
{
    return change_all(cli, args, unarchive_one);
}

const struct cmd cmd_jp_unarchive = {
    .name = "jp unarchive",
    .args = "DIR...",
    .summary = "restore archived conversations",
    .about = "The reverse of `jp archive`. Prints the new path; with `--json`: "
             "path.",
    .examples = "quire jp unarchive jp-c17780000011",
    .run = jp_unarchive,
};

static quire_status print_removal(void *ctx, const char *path, const char *row,
                                  uint64_t bytes, quire_error *err)
{
    struct row r;

    (void)row;
    if (row_begin(&r, ctx)) {
        json_put_str(&r.json, "path", path);
        json_put_uint(&r.json, "bytes", bytes);
    } else {
        buf_add_str(&r.text, path);
    }
    return row_emit(&r, err);
}

static quire_status remove_one(struct cli *cli, const struct args *args,
                               quire *q, const char *dir, quire_error *err)
{
    unsigned flags = args_flag(args, "dry-run") ? QUIRE_CONVERSATION_REMOVE_DRY
                                                : 0u;

    return quire_conversation_remove(q, dir, flags, print_removal, cli, err);
}

static int jp_rm(struct cli *cli, const struct args *args)
{
    return change_all(cli, args, remove_one);
}

static const struct opt rm_opts[] = {
    {.name = "dry-run",
     .letter = 'n',
     .kind = OPT_FLAG,
     .help = "print what would be deleted and delete nothing"},
    {0},
};

const struct cmd cmd_jp_rm = {
    .name = "jp rm",
    .args = "DIR...",
    .summary = "delete conversations permanently",
    .about = "DIR is the id of a conversation or its directory. " LOCATIONS
             "if both have it, both copies are deleted. This cannot be undone; "
             "`jp archive` hides a conversation instead. Blobs stay until a "
             "collection removes them. Prints the files; with `--json`: path, "
             "bytes.",
    .opts = rm_opts,
    .examples = "quire jp rm --dry-run jp-c17780000011",
    .run = jp_rm,
};

/* ---- show --------------------------------------------------------------- */

struct showing {
    struct cli *cli;
    uint64_t files, blobs, missing;
};

static quire_status count_file(void *ctx, const quire_conversation_file *file,
                               quire_error *err)
{
    struct showing *s = ctx;

    (void)err;
    s->files += !file->blob;
    s->blobs += file->blob && !file->missing;
    s->missing += file->missing != 0;
    return QUIRE_OK;
}

/* An id is the time of creation, in tenths of a second. */
static int64_t created_us(const char *id)
{
    long long tenths = strncmp(id, "jp-c", 4) ? 0 : strtoll(id + 4, NULL, 10);

    return tenths > 0 && tenths < INT64_MAX / 100000 ? tenths * 100000 : 0;
}

static void add_line(struct buf *out, const char *name, const char *value)
{
    buf_addf(out, "%s%-9s ", out->len ? "\n" : "", name);
    term_add(out, bytes_str(*value ? value : "-"), true);
}

static void add_number(struct buf *out, const char *name, uint64_t n)
{
    buf_addf(out, "\n%-9s %llu", name, (unsigned long long)n);
}

static void add_shown(struct buf *out, const struct showing *s,
                      const quire_conversation *one)
{
    char when[LOCAL_TIME_SIZE];

    add_line(out, "id", one->id);
    add_line(out, "title", one->title);
    add_line(out, "state", jp_states[one->state]);
    add_line(out, "created", local_time(created_us(one->id), when));
    add_line(out, "modified", local_time(one->last_us, when));
    add_number(out, "events", one->events);
    add_number(out, "files", s->files);
    add_number(out, "blobs", s->blobs);
    if (s->missing)
        add_number(out, "missing", s->missing);
    add_line(out, "path", one->path);
    if (one->problem)
        add_line(out, "problem", one->problem);
}

static quire_status show_one(void *ctx, const quire_conversation *one,
                             quire_error *err)
{
    struct showing *s = ctx;
    struct row r;

    if (row_begin(&r, s->cli)) {
        jp_add_members(&r.json, one);
        json_put_time(&r.json, "created_at", created_us(one->id));
        json_put_uint(&r.json, "files", s->files);
        json_put_uint(&r.json, "blobs", s->blobs);
        json_put_uint(&r.json, "missing", s->missing);
    } else {
        add_shown(&r.text, s, one);
    }
    return row_emit(&r, err);
}

static int jp_show(struct cli *cli, const struct args *args)
{
    struct showing s = {.cli = cli};
    struct arena keep = ARENA_INIT;
    const char *dir = NULL;
    quire_error err = {0};
    quire *q = NULL;
    int code;

    if (args_flag(args, "files"))
        return jp_files(cli, args);
    code = jp_find(cli, args->words[0], &keep, &dir);
    if (!code)
        code = jp_open(cli, args, dir, false, &q);
    /* One that cannot be read is shown with its problem. */
    if (!code && quire_conversation_files(q, dir, count_file, &s, &err) &&
        err.status != QUIRE_DAMAGED)
        code = jp_fail(cli, &err);
    if (!code &&
        quire_conversation_list(dir, QUIRE_CONVERSATION_DETAILS, show_one, &s,
                                &err) &&
        !cli->out.error)
        code = jp_fail(cli, &err);
    quire_close(q);
    arena_release(&keep);
    return code;
}

static const struct opt show_opts[] = {
    {.name = "files",
     .kind = OPT_FLAG,
     .help = "list its files, as `jp files` does"},
    {.name = "null",
     .letter = '0',
     .kind = OPT_FLAG,
     .help = "with --files: end each path with a NUL"},
    BLOBS_OPT,
    {0},
};

const struct cmd cmd_jp_show = {
    .name = "jp show",
    .args = "DIR",
    .summary = "show what a conversation is, without its content",
    .about =
        "DIR is the id of a conversation, its directory, or its events.json. "
        "Id, title, state, times, how many events, files and blobs it has, "
        "and how many blobs are missing. No blob is opened; `jp print` prints "
        "the conversation itself.\n\n"
        "With `--json`: as `jp ls`, and created_at, files, blobs, missing.",
    .opts = show_opts,
    .examples = "quire jp show jp-c17780000011",
    .run = jp_show,
};

/*
 * jp.c - JP's conversations: externalize, hydrate, files
 */
#include "cli/cmd/jp.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "cli/core/cli.h"
#include "cli/cmd/commands.h"
#include "cli/cmd/session.h"
#include "cli/core/atomic_output.h"
#include "cli/core/auto_gc.h"

#define DIR_ABOUT                                                               \
    "DIR is a conversation: its id, a unique beginning of that, its "           \
    "directory or its events.json; or what holds conversations: a "             \
    "`conversations` directory, a `.jp`, or a workspace with one; then it is "  \
    "about all of them, archived and trashed ones too. An id is looked for in " \
    "the nearest `.jp` upwards and in JP's private data for that workspace. "

/* ---- shared by the verbs ------------------------------------------------ */

int jp_fail(struct cli *cli, const quire_error *err)
{
    int code = cli_fail(cli, err);

    return err->status == QUIRE_INVALID ? EXIT_NO : code;
}

struct found {
    struct arena *keep;
    const char *path; /* the first */
};

static quire_status keep_path(void *ctx, const char *path, quire_error *err)
{
    struct found *f = ctx;

    if (f->path)
        return QUIRE_OK;
    f->path = arena_text(f->keep, bytes_str(path));
    return f->path ? QUIRE_OK : err_memory(err);
}

int jp_find(struct cli *cli, const char *name, struct arena *keep,
            const char **path)
{
    struct found f = {.keep = keep};
    quire_error err = {0};

    if (quire_conversation_find(name, keep_path, &f, &err))
        return jp_fail(cli, &err);
    *path = f.path;
    return EXIT_DONE;
}

static void trace_line(void *ctx, const char *line)
{
    (void)ctx;
    fprintf(stderr, "trace: %s\n", line);
}

int jp_open_store(struct cli *cli, const struct args *args, const char *blobs,
                  bool write, quire **out)
{
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_error err = {0};

    cli_store_options(args, &options);
    options.tenant = NULL;
    options.blobs = blobs;
    options.layout = QUIRE_LAYOUT_LOOSE;
    if (!write)
        options.flags |= QUIRE_READ_ONLY;
    if (args_flag(args, "trace"))
        options.trace = trace_line;
    return quire_open(&options, out, &err) ? jp_fail(cli, &err) : EXIT_DONE;
}

int jp_open(struct cli *cli, const struct args *args, const char *dir,
            bool write, quire **out)
{
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_error err = {0};
    char path[PATH_MAX];

    cli_store_options(args, &options);
    if (options.blobs)
        return jp_open_store(cli, args, options.blobs, write, out);
    if (quire_conversation_store(dir, path, sizeof path, &err))
        return jp_fail(cli, &err);
    return jp_open_store(cli, args, path, write, out);
}

/* A store beside `conversations` belongs to a location, which is a home; another
 * one is not collected, since what refers to it is not known. */
void jp_close_written(quire *q)
{
    quire_options options = QUIRE_OPTIONS_INIT;
    char home[PATH_MAX], *slash;
    quire *whole = NULL;
    int n = q ? snprintf(home, sizeof home, "%s", quire_home(q)) : -1;

    quire_close(q);
    if (n < 0 || (size_t)n >= sizeof home)
        return;
    slash = strrchr(home, '/');
    if (!slash || slash == home || strcmp(slash, "/blobs") != 0)
        return;
    *slash = '\0';
    options.home = home;
    if (quire_open(&options, &whole, NULL))
        return;
    if (quire_home_kind(whole) == QUIRE_KIND_JP && quire_collect_due(whole))
        auto_gc_start(home);
    quire_close(whole);
}

quire_status jp_problem(void *ctx, const quire_problem *problem,
                        quire_error *err)
{
    struct troubles *t = ctx;
    quire_error own = {0};

    (void)err;
    t->code = EXIT_DAMAGED;
    err_set(&own, QUIRE_DAMAGED, "%.100s: %.150s", problem->where,
            problem->what);
    cli_fail(t->cli, &own);
    return QUIRE_OK;
}

/* The conversations that the arguments name. */
struct named {
    struct cli *cli;
    struct arena keep;
    const char **paths;
    size_t n, cap;
};

static quire_status add_path(void *ctx, const quire_conversation *one,
                             quire_error *err)
{
    struct named *l = ctx;

    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 64;
        const char **more = arena_array(&l->keep, cap, sizeof *more);

        if (!more)
            return err_memory(err);
        if (l->n)
            memcpy(more, l->paths, l->n * sizeof *more);
        l->paths = more;
        l->cap = cap;
    }
    l->paths[l->n] = arena_text(&l->keep, bytes_str(one->path));
    return l->paths[l->n++] ? QUIRE_OK : err_memory(err);
}

typedef int (*one_fn)(void *ctx, quire *q, const char *path);

/* Call `one` for each conversation named. An error is reported, and the next one
 * follows. */
static int for_each(struct cli *cli, const struct args *args, bool write,
                    bool single, one_fn one, void *ctx)
{
    int code = EXIT_DONE;
    size_t w, i;

    for (w = 0; w < args->n_words; w++) {
        struct named l = {.cli = cli};
        quire_error err = {0};
        const char *dir = NULL;
        quire *q = NULL;
        int bad = jp_find(cli, args->words[w], &l.keep, &dir);

        if (!bad && quire_conversation_list(dir, 0, add_path, &l, &err))
            bad = jp_fail(cli, &err);
        if (!bad && single && (l.n > 1 || args->n_words > 1))
            return arena_release(&l.keep),
                   cli_usage(cli, "name one of them",
                             "-o needs exactly one conversation");
        if (!bad && l.n > 0)
            bad = jp_open(cli, args, dir, write, &q);
        code = cli_worse(code, bad);
        for (i = 0; i < l.n && !bad; i++)
            code = cli_worse(code, one(ctx, q, l.paths[i]));
        if (write)
            jp_close_written(q);
        else
            quire_close(q);
        arena_release(&l.keep);
    }
    return code;
}

/* ---- externalize, hydrate in place -------------------------------------- */

struct moving {
    struct cli *cli;
    bool back;
    size_t n; /* conversations without an error */
    quire_moved sum;
};

static int move_one(void *ctx, quire *q, const char *path)
{
    struct moving *m = ctx;
    struct troubles t = {m->cli, EXIT_DONE};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = jp_problem,
                               .ctx = &t};
    quire_moved moved = {0};
    quire_error err = {0};
    quire_status st;

    st = m->back
             ? quire_conversation_hydrate(q, path, NULL, NULL, &hooks, &moved,
                                          &err)
             : quire_conversation_externalize(q, path, &hooks, &moved, &err);
    m->n += !st;
    m->sum.payloads += moved.payloads;
    m->sum.blobs += moved.blobs;
    m->sum.bytes += moved.bytes;
    m->sum.problems += moved.problems + (st && !moved.problems);
    return st ? cli_worse(t.code, jp_fail(m->cli, &err)) : t.code;
}

/* `bytes` is an older name of size_bytes. */
static void add_members(struct json_writer *w, const struct moving *m)
{
    json_put_uint(w, "payloads", m->sum.payloads);
    if (!m->back)
        json_put_uint(w, "blobs", m->sum.blobs);
    json_put_uint(w, "bytes", m->sum.bytes);
    json_put_uint(w, "size_bytes", m->sum.bytes);
    json_put_uint(w, "conversations", m->n);
    json_put_uint(w, "problems", m->sum.problems);
}

static void print_moved(struct moving *m)
{
    char size[32];
    struct row r;

    if (row_begin(&r, m->cli)) {
        add_members(&r.json, m);
    } else {
        size_text(m->sum.bytes, size, sizeof size);
        buf_add_str(&r.text, m->back ? "brought " : "moved ");
        add_count(&r.text, m->sum.payloads, "payload", "payloads");
        buf_addf(&r.text, " (%s) %s ", size, m->back ? "back into" : "out of");
        add_count(&r.text, m->n, "conversation", "conversations");
        if (!m->back) {
            buf_add_str(&r.text, ", ");
            add_count(&r.text, m->sum.blobs, "new blob", "new blobs");
        }
    }
    row_print(&r);
}

static int jp_externalize(struct cli *cli, const struct args *args)
{
    struct moving m = {.cli = cli};
    int code = for_each(cli, args, true, false, move_one, &m);

    if (m.n > 0)
        print_moved(&m);
    return code;
}

static const struct opt externalize_opts[] = {BLOBS_OPT, {0}};

const struct cmd cmd_jp_externalize = {
    .name = "jp externalize",
    .args = "DIR...",
    .summary = "move the content of conversations into blobs",
    .about = DIR_ABOUT
    "Results of tools and attachments are stored under their SHA-256 in "
    "`blobs` beside `conversations`, and replaced in events.json by {\"$blob\": "
    "\"<64 hex>\", \"size\": n}, for the result of a tool in a text block. All other bytes of the file stay; a file "
    "without content to move is not written. A file that another program "
    "changes meanwhile, or that JP has locked, is not changed.\n\n"
    "A payload that is neither content nor a reference is reported and not "
    "changed; the exit status is 4 then. With `--json`: payloads, blobs (that are "
    "new), size_bytes (of content; `bytes` is its older name), conversations, "
    "problems.",
    .opts = externalize_opts,
    .examples = "quire jp externalize .jp",
    .run = jp_externalize,
};

/* ---- hydrate ------------------------------------------------------------ */

struct printing {
    struct cli *cli;
    const char *file;
};

static quire_status print_text(void *ctx, quire_bytes bytes, quire_error *err)
{
    out_write(ctx, bytes);
    return out_flush(ctx, err);
}

static quire_status atomic_output_text(void *ctx, quire_bytes bytes,
                                       quire_error *err)
{
    return atomic_output_write(ctx, bytes, err);
}

static int print_one(void *ctx, quire *q, const char *path)
{
    struct printing *p = ctx;
    struct troubles t = {p->cli, EXIT_DONE};
    quire_check_hooks hooks = {.size = sizeof hooks,
                               .problem = jp_problem,
                               .ctx = &t};
    bool to_file = strcmp(p->file, "-") != 0;
    struct atomic_output save = ATOMIC_OUTPUT_INIT;
    quire_error err = {0};
    quire_status st = QUIRE_OK;

    if (to_file)
        st = atomic_output_open(&save, p->file, &err);
    if (!st)
        st = to_file ? quire_conversation_hydrate(q, path, atomic_output_text,
                                                  &save, &hooks, NULL, &err)
                     : quire_conversation_hydrate(q, path, print_text, p->cli,
                                                  &hooks, NULL, &err);
    if (!st && to_file)
        st = atomic_output_commit(&save, &err);
    if (st && st != QUIRE_STOPPED && (to_file || !p->cli->out.error))
        t.code = cli_worse(t.code, jp_fail(p->cli, &err));
    if (to_file)
        atomic_output_release(&save);
    return t.code;
}

static int jp_hydrate(struct cli *cli, const struct args *args)
{
    struct moving m = {.cli = cli, .back = true};
    struct printing p = {.cli = cli, .file = args_text(args, "output")};
    int code;

    if (p.file)
        return for_each(cli, args, false, true, print_one, &p);
    code = for_each(cli, args, true, false, move_one, &m);
    if (m.n > 0)
        print_moved(&m);
    return code;
}

static const struct opt hydrate_opts[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPT_PATH,
     .value = "FILE",
     .help = "write the text to FILE, or with `-` to standard output, and "
             "leave the conversation as it is"},
    BLOBS_OPT,
    {0},
};

const struct cmd cmd_jp_hydrate = {
    .name = "jp hydrate",
    .args = "DIR",
    .summary = "move the content of a conversation back from blobs",
    .about = DIR_ABOUT
    "References in events.json are replaced by their content, in the form that "
    "JP reads today; an externalized file becomes byte for byte the original. "
    "The blobs stay.\n\n"
    "Blobs that are missing or damaged are reported, the conversation is not "
    "changed, and the exit status is 4. A blob that is whole and of another "
    "size than its reference says is reported and used. With `--json`: payloads, size_bytes, conversations, "
    "problems.",
    .opts = hydrate_opts,
    .examples = "quire jp hydrate .jp/conversations/17780000011-hello -o -",
    .run = jp_hydrate,
};

/* ---- files -------------------------------------------------------------- */

struct filing {
    struct cli *cli;
    char end; /* behind a path                    */
    char here[PATH_MAX];
    struct map seen;
    struct arena keep;
    int code;
};

/* Relative to the working directory, if below it. */
static const char *relative_path(const struct filing *f, const char *path)
{
    size_t len = strlen(f->here);

    return len > 1 && !strncmp(path, f->here, len) && path[len] == '/'
               ? path + len + 1
               : path;
}

static void add_file_json(struct buf *line, const char *path,
                          const quire_conversation_file *file)
{
    struct json_writer w;

    json_begin(&w, line);
    json_object(&w);
    json_put_str(&w, "path", path);
    json_put_bool(&w, "blob", file->blob);
    json_put_bool(&w, "missing", file->missing);
    json_object_end(&w);
    buf_add_char(line, '\n');
}

static quire_status list_file(void *ctx, const quire_conversation_file *file,
                              quire_error *err)
{
    struct filing *f = ctx;
    const char *path = arena_text(&f->keep, bytes_str(file->path));
    struct buf line = BUF_INIT(64 * 1024);
    quire_error lost = {0};
    bool fresh;

    if (!path || !map_put(&f->seen, bytes_str(path), 1, &fresh))
        return err_memory(err);
    if (!fresh)
        return QUIRE_OK;
    path = relative_path(f, path);
    if (file->missing) {
        err_fail(&lost, QUIRE_DAMAGED,
                 "copy it from the machine the conversation is from",
                 "%.200s is referenced and missing", path);
        f->code = cli_worse(f->code, cli_fail(f->cli, &lost));
    }
    if (f->cli->json) {
        add_file_json(&line, path, file);
    } else if (!file->missing) {
        buf_add_str(&line, path);
        buf_add_char(&line, f->end);
    }
    if (line.len)
        out_write(f->cli, buf_bytes(&line));
    buf_release(&line);
    return out_status(f->cli, err);
}

static int list_files(void *ctx, quire *q, const char *path)
{
    struct filing *f = ctx;
    quire_error err = {0};

    if (quire_conversation_files(q, path, list_file, f, &err) &&
        !f->cli->out.error)
        return jp_fail(f->cli, &err);
    return EXIT_DONE;
}

int jp_files(struct cli *cli, const struct args *args)
{
    struct filing f = {.cli = cli,
                       .end = args_flag(args, "null") ? '\0' : '\n'};
    uint64_t seed[2] = {0, 0};
    quire_error err = {0};
    int code;

    if (rand_bytes(&rand_system, seed, sizeof seed, &err))
        return cli_fail(cli, &err);
    map_init(&f.seen, seed[0], seed[1]);
    if (!getcwd(f.here, sizeof f.here))
        f.here[0] = '\0';
    code = for_each(cli, args, false, false, list_files, &f);
    map_release(&f.seen);
    arena_release(&f.keep);
    return cli_worse(code, f.code);
}

static const struct opt files_opts[] = {
    {.name = "null",
     .letter = '0',
     .kind = OPT_FLAG,
     .help = "end each path with a NUL instead of a newline"},
    BLOBS_OPT,
    {0},
};

const struct cmd cmd_jp_files = {
    .name = "jp files",
    .args = "DIR",
    .summary = "list the files that a conversation consists of",
    .about = DIR_ABOUT
    "Its JSON files, and the file of each referenced blob, once: the files to "
    "add to version control. Paths are relative to the working directory, or "
    "absolute if not below it.\n\n"
    "A missing blob is reported and not listed; the exit status is 4 then. With `--json`: path, blob, missing.",
    .opts = files_opts,
    .examples = "quire jp files -0 .jp | xargs -0 ls",
    .run = jp_files,
};

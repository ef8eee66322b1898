/*
 * session_target.c - `session export --to TARGET`: for other agents and formats
 */
#include "cli/cmd/session_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/cmd/session.h"
#include "cli/core/atomic_output.h"
#include "cli/core/cli.h"

struct left_out {
    const char *kind;
    uint64_t n;
};

struct exports {
    struct cli *cli;
    quire_export_target target;
    quire_export_options options;
    const char *to; /* -o; NULL: standard output */
    bool below;     /* `to` is a directory */
    bool install;
    struct arena keep;
    const char **files; /* written so far */
    size_t n_files, cap_files;
    struct left_out *dropped;
    size_t n_dropped, cap_dropped;

    /* Of the session at hand. */
    quire_exported out;
    struct atomic_output save;
    const char *path; /* being written; NULL: not yet */
};

/* ---- what is reported ---------------------------------------------------- */

/* The array with room for one more; NULL: no memory. */
static void *grow(struct arena *keep, void *list, size_t n, size_t *cap,
                  size_t size)
{
    void *more = list;

    if (n < *cap)
        return list;
    *cap = *cap ? *cap * 2 : 16;
    more = arena_array(keep, *cap, size);
    if (more && n)
        memcpy(more, list, n * size);
    return more;
}

static quire_status add_file(struct exports *x, const char *path,
                             quire_error *err)
{
    const char **list = grow(&x->keep, x->files, x->n_files, &x->cap_files,
                             sizeof *list);

    if (!list)
        return err_memory(err);
    x->files = list;
    x->files[x->n_files] = arena_text(&x->keep, bytes_str(path));
    return x->files[x->n_files++] ? QUIRE_OK : err_memory(err);
}

static void add_dropped(void *ctx, const char *kind, uint64_t n)
{
    struct exports *x = ctx;
    struct left_out *list = x->dropped;
    size_t i;

    for (i = 0; i < x->n_dropped; i++) {
        if (!strcmp(list[i].kind, kind)) {
            list[i].n += n;
            return;
        }
    }
    list = grow(&x->keep, list, x->n_dropped, &x->cap_dropped, sizeof *list);
    kind = arena_text(&x->keep, bytes_str(kind));
    if (!list || !kind)
        return; /* the next allocation fails, too, and is reported */
    x->dropped = list;
    x->dropped[x->n_dropped++] = (struct left_out){kind, n};
}

static void print_json(struct exports *x)
{
    struct row r;
    size_t i;

    row_begin(&r, x->cli);
    json_put_str(&r.json, "to", x->target.name);
    json_key(&r.json, "files");
    json_array(&r.json);
    for (i = 0; i < x->n_files; i++)
        json_str(&r.json, x->files[i]);
    json_array_end(&r.json);
    json_key(&r.json, "dropped");
    json_array(&r.json);
    for (i = 0; i < x->n_dropped; i++) {
        json_object(&r.json);
        json_put_str(&r.json, "kind", x->dropped[i].kind);
        json_put_uint(&r.json, "count", x->dropped[i].n);
        json_object_end(&r.json);
    }
    json_array_end(&r.json);
    row_print(&r);
}

static void warn_dropped(struct exports *x)
{
    struct buf b = BUF_INIT(64 * 1024);
    size_t i;

    for (i = 0; i < x->n_dropped; i++)
        buf_addf(&b, "%s%llu %s", i ? ", " : "",
                 (unsigned long long)x->dropped[i].n, x->dropped[i].kind);
    if (b.len && buf_text(&b))
        session_warn(x->cli, "dropped", "left out or replaced: %s", b.data);
    buf_release(&b);
}

static void print_result(struct exports *x)
{
    size_t i;

    if (x->cli->json && x->n_files > 0) {
        print_json(x);
        return;
    }
    for (i = 0; x->install && i < x->n_files; i++) {
        struct row r;

        row_begin(&r, x->cli);
        term_add(&r.text, bytes_str(x->files[i]), true);
        row_print(&r);
    }
    warn_dropped(x);
}

/* ---- one session --------------------------------------------------------- */

static quire_status open_file(struct exports *x, quire_error *err)
{
    x->path = x->below ? arena_printf(&x->keep, "%s/%s", x->to, x->out.name)
                       : x->to;
    return x->path ? atomic_output_open(&x->save, x->path, err)
                   : err_memory(err);
}

static quire_status write_piece(void *ctx, quire_bytes piece, quire_error *err)
{
    struct exports *x = ctx;
    quire_status st = QUIRE_OK;

    if (!x->to) {
        out_write(x->cli, piece);
        return out_status(x->cli, err);
    }
    if (!x->path)
        st = open_file(x, err);
    return st ? st : atomic_output_write(&x->save, piece, err);
}

static quire_status write_one(struct exports *x, const char *which,
                              quire_error *err)
{
    quire_status st = quire_export_write(x->cli->q, which, x->target.name,
                                         &x->options, write_piece, x, &x->out,
                                         err);

    if (st || !x->to)
        return st;
    if (!x->path)
        st = open_file(x, err); /* it has no messages */
    if (!st)
        st = atomic_output_commit(&x->save, err);
    return st ? st : add_file(x, x->path, err);
}

static quire_status install_one(struct exports *x, const char *which,
                                quire_error *err)
{
    quire_status st = quire_export_install(x->cli->q, which, x->target.name,
                                           &x->options, &x->out, err);

    return st ? st : add_file(x, x->out.path, err);
}

static int export_one(struct exports *x, const char *which)
{
    quire_error err = {0};
    quire_status st;
    bool quiet;

    x->save = (struct atomic_output)ATOMIC_OUTPUT_INIT;
    x->path = NULL;
    st = x->install ? install_one(x, which, &err) : write_one(x, which, &err);
    /* out_close() reports a failed write; a signal needs no message. */
    quiet = st == QUIRE_STOPPED || (!x->to && x->cli->out.error);
    if (st && !x->to && !quiet)
        out_discard(x->cli);
    if (x->path)
        atomic_output_release(&x->save);
    if (!st)
        return EXIT_DONE;
    return quiet ? EXIT_FAILED : session_fail(x->cli, &err);
}

/* ---- all ----------------------------------------------------------------- */

static bool find_target(const char *name, quire_export_target *out)
{
    unsigned i;

    for (i = 0; quire_export_target_at(i, out); i++)
        if (!strcmp(out->name, name))
            return true;
    return false;
}

static bool is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Where the files go; several need a directory, or lines in one. */
static int read_output(struct exports *x, const struct args *args, size_t n)
{
    const char *to = args_text(args, "output");
    size_t len = to ? strlen(to) : 0;
    quire_error err = {0};
    int dir;

    if (to && !strcmp(to, "-"))
        to = NULL;
    x->to = to;
    if (x->install && to)
        return cli_usage(x->cli, "leave out one of them",
                         "--install and --output exclude each other");
    if (x->install && !x->target.can_install)
        return cli_usage(x->cli,
                         x->target.can_resume
                             ? "`quire resume` prints the command that imports "
                               "it"
                             : "write a file with -o FILE",
                         "%s has no place for sessions", x->target.title);
    if (n > 1 && !to && !x->install && !x->target.is_lines)
        return cli_usage(x->cli, "write files with -o DIR/",
                         "several sessions cannot be one file of %s",
                         x->target.title);
    if (!to)
        return EXIT_DONE;
    x->below = n > 1 || to[len - 1] == '/' || is_dir(to);
    if (!x->below)
        return EXIT_DONE;
    if (fs_open_dir(to, true, &dir, &err))
        return cli_fail(x->cli, &err);
    close(dir);
    while (len > 1 && to[len - 1] == '/')
        len--;
    x->to = arena_text(&x->keep, bytes_of(to, len));
    return x->to ? EXIT_DONE : EXIT_FAILED;
}

int session_export_target(struct cli *cli, const struct args *args)
{
    quire_export_options defaults = QUIRE_EXPORT_OPTIONS_INIT;
    struct exports x = {.cli = cli,
                        .options = defaults,
                        .install = args_flag(args, "install"),
                        .keep = ARENA_INIT};
    const char *to = args_text(args, "to"), *one;
    size_t n = args->n_words, i;
    int code = EXIT_DONE;

    if (!find_target(to ? to : "jsonl", &x.target))
        return cli_usage(cli, "`quire session export --help` lists the targets",
                         "sessions cannot be exported to `%s`", to);
    x.options.leaf = args_text(args, "leaf");
    x.options.from = args_text(args, "from");
    x.options.redact = args_flag(args, "redact");
    x.options.dropped = add_dropped;
    x.options.dropped_ctx = &x;
    code = n ? EXIT_DONE : session_named(cli, args, &one);
    if (!code)
        code = read_output(&x, args, n);
    for (i = 0; i < n && !code; i++)
        code = export_one(&x, args->words[i]);
    if (!n && !code)
        code = export_one(&x, one);
    if (!code)
        print_result(&x);
    arena_release(&x.keep);
    return code;
}

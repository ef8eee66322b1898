/*
 * session_original.c - `session export --to original`: the bytes of another agent
 */
#include "cli/cmd/session_original.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "cli/cmd/session.h"
#include "cli/core/atomic_output.h"

/* The files of a session, the main one first. */
struct originals {
    struct cli *cli;
    struct arena keep;
    const char **paths, **names; /* in the ledger; below the target */
    size_t n, cap;
};

/* The name of a file relative to the directory of the main one. */
static const char *relative_name(const struct originals *o, const char *path)
{
    const char *main_path = o->n ? o->paths[0] : path;
    const char *base = strrchr(main_path, '/');
    size_t dir = base ? (size_t)(base - main_path) + 1 : 0;
    const char *last = strrchr(path, '/');

    if (!strncmp(path, main_path, dir) && !strstr(path + dir, "../"))
        return path + dir;
    return last ? last + 1 : path;
}

static quire_status add_file(void *ctx, const quire_import_file *f,
                             quire_error *err)
{
    struct originals *o = ctx;
    const char *path = arena_text(&o->keep, bytes_str(f->path));
    size_t cap = o->cap ? o->cap * 2 : 16;
    const char **paths, **names;

    if (!path)
        return err_memory(err);
    if (o->n == o->cap) {
        paths = arena_array(&o->keep, cap, sizeof *paths);
        names = arena_array(&o->keep, cap, sizeof *names);
        if (!paths || !names)
            return err_memory(err);
        if (o->n) {
            memcpy(paths, o->paths, o->n * sizeof *paths);
            memcpy(names, o->names, o->n * sizeof *names);
        }
        o->paths = paths;
        o->names = names;
        o->cap = cap;
    }
    o->names[o->n] = relative_name(o, path);
    o->paths[o->n++] = path;
    return QUIRE_OK;
}

static quire_status find_originals(struct originals *o, const char *session,
                                   quire_error *err)
{
    quire_status st = quire_import_list(o->cli->q, session, add_file, o, err);

    if (st || o->n > 0)
        return st;
    return err_fail(err, QUIRE_NOT_FOUND,
                    "without `--to original` it is written in Quire's format",
                    "session %s was not imported: it has no original", session);
}

static quire_status write_out(void *ctx, quire_bytes bytes, quire_error *err)
{
    struct cli *cli = ctx;

    out_write(cli, bytes);
    return out_status(cli, err);
}

static quire_status write_saved(void *ctx, quire_bytes bytes, quire_error *err)
{
    return atomic_output_write(ctx, bytes, err);
}

static quire_status save_file(struct originals *o, size_t i, const char *to,
                              quire_error *err)
{
    struct atomic_output save = ATOMIC_OUTPUT_INIT;
    quire_status st = atomic_output_open(&save, to, err);

    if (!st)
        st = quire_import_original(o->cli->q, o->paths[i], write_saved, &save,
                                   err);
    if (!st)
        st = atomic_output_commit(&save, err);
    atomic_output_release(&save);
    return st;
}

/* Below the directory `to`, which is created. */
static quire_status save_below(struct originals *o, size_t i, const char *to,
                               quire_error *err)
{
    char *path = arena_printf(&o->keep, "%s/%s", to, o->names[i]);
    char *slash;
    quire_status st;
    int dir;

    if (!path)
        return err_memory(err);
    slash = strrchr(path, '/');
    *slash = '\0';
    st = fs_open_dir(path, true, &dir, err);
    *slash = '/';
    if (st)
        return st;
    close(dir);
    o->names[i] = path;
    return save_file(o, i, path, err);
}

static void print_files(struct originals *o)
{
    struct row r;
    size_t i;

    if (!o->cli->json)
        return;
    row_begin(&r, o->cli);
    json_put_str(&r.json, "to", "original");
    json_key(&r.json, "files");
    json_array(&r.json);
    for (i = 0; i < o->n; i++)
        json_str(&r.json, o->names[i]);
    json_array_end(&r.json);
    json_key(&r.json, "dropped");
    json_array(&r.json);
    json_array_end(&r.json);
    row_print(&r);
}

int session_export_original(struct cli *cli, const char *session,
                            const char *to)
{
    struct originals o = {.cli = cli, .keep = ARENA_INIT};
    bool saves = to && strcmp(to, "-") != 0;
    quire_error err = {0};
    size_t i;
    quire_status st = find_originals(&o, session, &err);

    if (!st && !saves) {
        st = quire_import_original(cli->q, o.paths[0], write_out, cli, &err);
    } else if (!st && o.n == 1) {
        o.names[0] = to;
        st = save_file(&o, 0, to, &err);
    } else if (!st) {
        for (i = 0; i < o.n && !st; i++)
            st = save_below(&o, i, to, &err);
    }
    if (!st && saves)
        print_files(&o);
    arena_release(&o.keep);
    return st && st != QUIRE_STOPPED && (saves || !cli->out.error)
               ? cli_fail(cli, &err)
               : EXIT_DONE;
}

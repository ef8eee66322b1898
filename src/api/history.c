/*
 * history.c - prompt history, as quire/history.h has it
 *
 * Chooses the database file, which a reader does not create.
 */
#include "memory/history.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "base/opts.h"
#include "api/core/handle.h"

static quire_status open_history(struct quire *q, const char *path,
                                 quire_error *err)
{
    struct db_config config = {
        .path = path,
        .access = q->read_only ? DB_READ : DB_WRITE,
        .busy_ms = q->busy_ms,
    };
    struct db *db = NULL;
    quire_status st = db_sqlite_open_foreign(&config, &db, err);

    if (st)
        return st;
    st = trace_db(q, &db, err);
    if (!st)
        st = history_open(db, path, q->read_only, &q->history, err);
    if (st)
        db_close(db);
    return st;
}

/* A reader of a home that has none gets none. */
quire_status need_history(struct quire *q, bool write, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    quire_status st = check_free(q, err);
    const char *path = NULL;
    int dir;

    if (!st && write && q->read_only)
        st = read_only_error(err);
    if (!st && !strcmp(q->home, q->blob_path)) {
        st = err_fail(err, QUIRE_INVALID, "open a home",
                      "%s has blobs, and no prompt history", q->home);
    }
    if (!st)
        st = tenants_check(q, err);
    if (st || q->history)
        return st;
    path = arena_printf(&tmp, "%s/history.db", q->root);
    if (!path)
        st = err_memory(err);
    else if (!write && access(path, F_OK) != 0 && errno == ENOENT)
        path = NULL;
    if (!st && write)
        st = fs_open_dir(q->root, true, &dir, err);
    if (!st && write)
        close(dir);
    if (!st && path)
        st = open_history(q, path, err);
    arena_release(&tmp);
    return st == QUIRE_NOT_FOUND && !write ? QUIRE_OK : st;
}

quire_status quire_history_add(quire *q, quire_bytes text, const char *cwd,
                               const char *session, int64_t *id,
                               quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct history_new prompt = {
        .prompt = text,
        .session = session,
        .at_s = clock_s(&q->clock),
    };
    int64_t row = 0;
    quire_status st = need_history(q, true, err);

    /* The directory of a prompt may be gone. */
    if (!st) {
        prompt.cwd = absolute_cwd(cwd, &tmp);
        if (!prompt.cwd && errno != ENOENT)
            st = err_sys(err, errno, "cannot tell the working directory");
    }
    if (!st)
        st = history_add(q->history, &prompt, &row, err);
    if (!st && id)
        *id = row;
    arena_release(&tmp);
    return st;
}

quire_status quire_history_remove(quire *q, const int64_t *ids, size_t n,
                                  quire_error *err)
{
    /* First without writing: where there is no history, none is created. */
    quire_status st = q->read_only ? read_only_error(err)
                                   : need_history(q, false, err);

    if (!st && n > 0 && !q->history)
        st = err_fail(err, QUIRE_NOT_FOUND, "", "there is no history");
    if (!st && n > 0)
        st = history_remove(q->history, ids, n, err);
    return st;
}

static quire_status find(struct quire *q, const quire_bytes *query,
                         const quire_history_options *options,
                         quire_prompt_fn each, void *ctx, quire_error *err)
{
    quire_history_options o = QUIRE_HISTORY_OPTIONS_INIT;
    struct history_find what = {.query = query};
    struct arena tmp = ARENA_INIT;
    quire_status st = need_history(q, false, err);

    OPTIONS_READ(o, options);
    what.limit = o.limit;
    if (!st && o.cwd) {
        what.cwd = absolute_cwd(o.cwd, &tmp);
        if (!what.cwd)
            st = err_sys(err, errno, "cannot tell the working directory");
    }
    if (!st) {
        q->in_callback = true;
        st = history_find(q->history, &what, each, ctx, err);
        q->in_callback = false;
    }
    arena_release(&tmp);
    return st;
}

quire_status quire_history_list(quire *q, const quire_history_options *options,
                                quire_prompt_fn each, void *ctx,
                                quire_error *err)
{
    return find(q, NULL, options, each, ctx, err);
}

quire_status quire_history_search(quire *q, quire_bytes query,
                                  const quire_history_options *options,
                                  quire_prompt_fn each, void *ctx,
                                  quire_error *err)
{
    return find(q, &query, options, each, ctx, err);
}

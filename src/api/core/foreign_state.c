/*
 * foreign_state.c - the reference index of another program's home
 *
 * A native home has it in the catalogue. In another program's home a catalogue
 * would make the home native, so the index is in .quire/state.db, beside a
 * .gitignore that keeps .quire out of version control. All of it is derived, except
 * for roots and pins.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "gc/ref_index.h"
#include "api/core/handle.h"

/* Its only step so far. */
static quire_status prepare(struct db *db, quire_error *err)
{
    bool has;
    quire_status st = db_has_table(db, "collection", &has, err);

    if (st || has)
        return st;
    st = db_begin(db, DB_DURABLE, DB_ALL_TENANTS, err);
    if (st)
        return st;
    st = db_has_table(db, "collection", &has, err);
    if (!st && !has)
        st = schema_create_ref_index(db, err);
    return sql_end(db, st, err);
}

/* .quire/ with its .gitignore. */
static quire_status make_place(const char *dir, quire_error *err)
{
    quire_status st;
    int fd;

    st = fs_open_dir(dir, true, &fd, err);
    if (st)
        return st;
    if (faccessat(fd, ".gitignore", F_OK, 0) != 0)
        st = fs_replace(fd, ".gitignore", bytes_str("*\n"), err);
    close(fd);
    return st;
}

static quire_status open_state(struct quire *q, bool write, const char *dir,
                               const char *path, quire_error *err)
{
    struct db_config config = {
        .path = path,
        .access = q->read_only ? DB_READ : DB_WRITE,
        .busy_ms = q->busy_ms,
    };
    quire_status st = QUIRE_OK;

    if (!write && access(path, F_OK) != 0 && errno == ENOENT)
        return QUIRE_OK;
    if (write)
        st = make_place(dir, err);
    if (!st)
        st = db_sqlite_open(&config, &q->state, err);
    if (!st)
        st = trace_db(q, &q->state, err);
    if (!st && !q->read_only)
        st = prepare(q->state, err);
    if (st)
        foreign_state_close(q);
    return st;
}

quire_status need_ref_index_db(struct quire *q, bool write, struct db **out,
                               quire_error *err)
{
    char *dir = NULL, *path = NULL;
    quire_status st = QUIRE_OK;

    *out = NULL;
    if (write && q->read_only)
        return read_only_error(err);
    if (q->kind == QUIRE_KIND_NATIVE) {
        st = need_catalog(q, write, err);
        if (!st && q->catalog.schema >= SCHEMA_REF_INDEX)
            *out = q->catalog.db;
        return st;
    }
    if (!q->state) {
        if (asprintf(&dir, "%s/.quire", q->home) < 0)
            dir = NULL;
        if (dir && asprintf(&path, "%s/state.db", dir) < 0)
            path = NULL;
        st = path ? open_state(q, write, dir, path, err) : err_memory(err);
        free(path);
        free(dir);
    }
    *out = q->state;
    return st;
}

void foreign_state_close(struct quire *q)
{
    if (q->state)
        db_close(q->state);
    q->state = NULL;
}

quire_status foreign_state_open_lock(struct quire *q, int *fd, quire_error *err)
{
    bool native = q->kind == QUIRE_KIND_NATIVE;
    char *dir = NULL;
    quire_status st = QUIRE_OK;
    int at;

    if (asprintf(&dir, "%s%s", q->home, native ? "" : "/.quire") < 0)
        return err_memory(err);
    st = native ? fs_open_dir(dir, true, &at, err) : make_place(dir, err);
    if (!st && !native)
        st = fs_open_dir(dir, false, &at, err);
    if (!st) {
        *fd = fs_open_beneath(at, "gc.lock", O_RDWR | O_CREAT, 0600);
        if (*fd < 0)
            st = err_sys(err, errno, "cannot open %s/gc.lock", dir);
        close(at);
    }
    free(dir);
    return st;
}

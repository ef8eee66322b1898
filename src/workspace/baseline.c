/*
 * baseline.c - state of each file when it last agreed with its artifact
 *
 * Changes are queued and written in one transaction: when enough are queued, or
 * after a second, so that a write waits only for its own syncs. A flush syncs
 * the directories first and then writes the rows: the table only records what
 * is durable.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/fs.h"
#include "workspace/priv.h"

enum {
    COPY_GET,
    COPY_EACH,
    COPY_ANY,
    COPY_SET,
    COPY_DROP,
    COPY_FORGET,
    N_COPY
};

static const char *const texts[N_COPY] = {
    [COPY_GET] = "SELECT path, inode, size, modified, changed, sha256"
                 " FROM copy WHERE session = ?1 AND path = ?2",
    [COPY_EACH] = "SELECT path, inode, size, modified, changed, sha256"
                  " FROM copy WHERE session = ?1",
    [COPY_ANY] = "SELECT 1 FROM copy WHERE session = ?1 LIMIT 1",
    [COPY_SET] = "INSERT INTO copy(session, path, inode, size, modified,"
                 " changed, sha256) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"
                 " ON CONFLICT(session, path) DO UPDATE SET inode = ?3,"
                 " size = ?4, modified = ?5, changed = ?6, sha256 = ?7",
    [COPY_DROP] = "DELETE FROM copy WHERE session = ?1 AND path = ?2",
    [COPY_FORGET] = "DELETE FROM copy WHERE session = ?1",
};

/* Flush when this many changes are queued. Above SYNCS_MAX, one syncfs() is
 * faster than syncing each directory. */
enum { CHANGES_MAX = 64, SYNCS_MAX = 16 };
#define CHANGES_US 1000000

/* Resolution of the kernel's file times: changes within it have the same time.
 */
#define STEP_NS 20000000

quire_status baseline_init(struct workspace *s, quire_error *err)
{
    return sql_init(&s->sql, s->c.db, texts, N_COPY, err);
}

/* ---- reading ------------------------------------------------------------ */

static bool read_row(struct stmt *s, struct baseline *out)
{
    out->inode = (uint64_t)stmt_column_int(s, 1);
    out->size = (uint64_t)stmt_column_int(s, 2);
    out->modified_ns = stmt_column_int(s, 3);
    out->changed_ns = stmt_column_int(s, 4);
    return sql_digest(s, 5, &out->digest);
}

quire_status baseline_get(struct workspace *s, int64_t session,
                          const char *path, struct baseline *out,
                          quire_error *err)
{
    struct stmt *q;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = s->n_changes; i-- > 0;)
        if (!strcmp(s->changes[i].path, path)) {
            *out = s->changes[i].now;
            return s->changes[i].drop ? QUIRE_NOT_FOUND : QUIRE_OK;
        }
    st = sql_use(&s->sql, COPY_GET, &q, err);
    if (st)
        return st;
    stmt_bind_int(q, 1, session);
    stmt_bind_text(q, 2, bytes_str(path));
    st = sql_row(q, err);
    if (!st && !read_row(q, out))
        st = QUIRE_NOT_FOUND;
    stmt_reset(q);
    return st;
}

quire_status baseline_each(struct workspace *s, int64_t session,
                           baseline_fn each, void *ctx, quire_error *err)
{
    struct stmt *q;
    struct baseline one;
    bool row = true;
    quire_status st = baseline_flush(s, err);

    if (!st)
        st = sql_use(&s->sql, COPY_EACH, &q, err);
    if (st)
        return st;
    stmt_bind_int(q, 1, session);
    while (!st && row) {
        st = stmt_step(q, &row, err);
        if (!st && row && read_row(q, &one))
            st = each(ctx, (const char *)stmt_column_bytes(q, 0).data, &one,
                      err);
    }
    stmt_reset(q);
    return st;
}

/* ---- writing ------------------------------------------------------------ */

static struct baseline_change *add_change(struct workspace *s, const char *path)
{
    size_t cap = s->cap_changes ? 2 * s->cap_changes : 16;
    bool lost = s->lost;
    struct baseline_change *list;

    s->lost = true;
    if (s->n_changes == s->cap_changes) {
        list = realloc(s->changes, cap * sizeof *list);
        if (!list)
            return NULL;
        s->changes = list;
        s->cap_changes = cap;
    }
    s->changes[s->n_changes] = (struct baseline_change){.path = strdup(path)};
    if (!s->changes[s->n_changes].path)
        return NULL;
    if (s->n_changes == 0)
        s->queued_us = clock_us(s->c.clock);
    s->lost = lost;
    return &s->changes[s->n_changes++];
}

void baseline_put(struct workspace *s, const char *path, const struct stat *st,
                  const quire_digest *digest)
{
    struct baseline_change *change = add_change(s, path);
    struct timespec now;

    if (!change)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    change->now = (struct baseline){.inode = (uint64_t)st->st_ino,
                                    .size = (uint64_t)st->st_size,
                                    .modified_ns = ns_of(st->st_mtim),
                                    .changed_ns = ns_of(st->st_ctim),
                                    .digest = *digest};
    /* It may change again without a change of its time. */
    if (ns_of(now) - change->now.changed_ns < STEP_NS)
        change->now.changed_ns = 0;
}

void baseline_remove(struct workspace *s, const char *path)
{
    struct baseline_change *change = add_change(s, path);

    if (!change)
        return;
    /* Flush at once: another handle that finds the artifact restored and this
     * file gone would conclude that the user removed the file. */
    change->drop = true;
    s->urgent = true;
}

bool baseline_is_due(const struct workspace *s)
{
    return s->urgent || s->n_changes >= CHANGES_MAX ||
           (s->n_changes > 0 &&
            clock_us(s->c.clock) - s->queued_us > CHANGES_US);
}

static quire_status write_change(struct workspace *s, int64_t session,
                                 const struct baseline_change *n,
                                 quire_error *err)
{
    struct stmt *q;
    quire_status st = sql_use(&s->sql, n->drop ? COPY_DROP : COPY_SET, &q, err);

    if (st)
        return st;
    stmt_bind_int(q, 1, session);
    stmt_bind_text(q, 2, bytes_str(n->path));
    if (!n->drop) {
        stmt_bind_int(q, 3, (int64_t)n->now.inode);
        stmt_bind_int(q, 4, (int64_t)n->now.size);
        stmt_bind_int(q, 5, n->now.modified_ns);
        stmt_bind_int(q, 6, n->now.changed_ns);
        stmt_bind_bytes(q, 7, bytes_of(n->now.digest.byte, 32));
    }
    return sql_run(q, err);
}

/* Sync the files and their directories. A file removed meanwhile needs no sync.
 */
static quire_status sync_changes(struct workspace *s, quire_error *err)
{
    const char *name = s->names[WORKSPACE_ARTIFACT];
    bool made;
    int dir = workspace_open_dir(s, name, false, &made), failed = 0;
    quire_status st = QUIRE_OK;
    size_t i;

    if (dir < 0 && errno == ENOENT)
        return QUIRE_OK;
    if (dir < 0)
        return err_sys(err, errno, "cannot open %s",
                       s->paths[WORKSPACE_ARTIFACT]);
    if (s->n_changes > SYNCS_MAX)
        failed = syncfs(dir);
    for (i = 0; i < s->n_changes && s->n_changes <= SYNCS_MAX && !failed; i++) {
        struct stat info;
        int fd = workspace_open_file(dir, s->changes[i].path, &info);

        if (fd >= 0) {
            failed = fdatasync(fd);
            close(fd);
        }
        if (!failed && fs_sync_parents(dir, s->changes[i].path) < 0)
            failed = errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
    }
    if (failed)
        st = err_sys(err, errno, "cannot sync %s",
                     s->paths[WORKSPACE_ARTIFACT]);
    close(dir);
    return st;
}

static quire_status write_changes(struct workspace *s, quire_error *err)
{
    struct db *db = s->c.db;
    int64_t session = 0;
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    size_t i;

    if (st)
        return st;
    /* Without a row the session is gone, and so are its files. */
    st = workspace_session(s, &session, err);
    for (i = 0; i < s->n_changes && !st && session; i++)
        st = write_change(s, session, &s->changes[i], err);
    return sql_end(db, st, err);
}

static void clear_changes(struct workspace *s)
{
    size_t i;

    for (i = 0; i < s->n_changes; i++)
        free(s->changes[i].path);
    s->n_changes = 0;
    s->urgent = false;
}

quire_status baseline_flush(struct workspace *s, quire_error *err)
{
    quire_status st = QUIRE_OK;

    if (s->n_changes == 0)
        return QUIRE_OK;
    st = sync_changes(s, err);
    if (!st)
        st = write_changes(s, err);
    clear_changes(s);
    return st;
}

quire_status baseline_clear(struct workspace *s, int64_t session,
                            quire_error *err)
{
    struct db *db = s->c.db;
    struct stmt *q;
    quire_status st = sql_use(&s->sql, COPY_ANY, &q, err);

    clear_changes(s);
    if (st)
        return st;
    stmt_bind_int(q, 1, session);
    st = sql_row(q, err);
    stmt_reset(q);
    if (st)
        return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
    st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    if (st)
        return st;
    st = sql_use(&s->sql, COPY_FORGET, &q, err);
    if (!st) {
        stmt_bind_int(q, 1, session);
        st = sql_run(q, err);
    }
    return sql_end(db, st, err);
}

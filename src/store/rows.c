/* rows.c - the statements of the backend in rows, names, what its parts share */
#include "store/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/rows_priv.h"

#define ENTRY                                                     \
    "SELECT n.dir, n.base, c.id, c.size, c.modified FROM named n" \
    " JOIN content c ON c.id = n.content "

/* The failure of a condition is that of a constraint, which ends the transaction: an
 * append need not wait for the answer before it commits. */
#define APPEND_IF(condition)                                            \
    "UPDATE content SET size = CASE WHEN size = ?2 AND epoch <= ?4 AND" \
    " " condition " THEN size + ?3 END, epoch = ?4, modified = ?5"      \
    " WHERE id = ?1"

static const char *const texts[N_ROWS_SQL] = {
    [ROWS_FIND] = ENTRY "WHERE n.dir = ?1 AND n.base = ?2",
    [ROWS_IN_DIR] = ENTRY "WHERE n.dir = ?1 ORDER BY n.base",
    [ROWS_BELOW] = ENTRY "WHERE n.dir = ?1 OR (n.dir >= ?2 AND n.dir < ?3)"
                         " ORDER BY n.dir, n.base",
    [ROWS_EVERY] = ENTRY "ORDER BY n.dir, n.base",
    [ROWS_NAME] = "INSERT INTO named(dir, base, content) VALUES(?1, ?2, ?3)"
                  " ON CONFLICT(dir, base) DO NOTHING RETURNING content",
    [ROWS_NAME_REPLACE] =
        "INSERT INTO named(dir, base, content) VALUES(?1, ?2, ?3)"
        " ON CONFLICT(dir, base) DO UPDATE SET content = excluded.content",
    [ROWS_NAME_MOVE] = "UPDATE named SET dir = ?3, base = ?4 WHERE dir = ?1"
                       " AND base = ?2",
    [ROWS_NAME_SWAP] = "UPDATE named SET content = ?4 WHERE dir = ?1 AND"
                       " base = ?2 AND content = ?3 RETURNING content",
    [ROWS_UNNAME] = "DELETE FROM named WHERE dir = ?1 AND base = ?2"
                    " RETURNING content",
    [ROWS_NEXT_BLOCK] = "INSERT INTO content_block(made) VALUES(?1)"
                        " RETURNING id",
    [ROWS_ADD] = "INSERT INTO content(id, size, modified, epoch, hold_epoch,"
                 " until, holder) VALUES(?1, 0, ?2, 0, 0, 0, '')",
    [ROWS_TOUCH] = "UPDATE content SET modified = ?2 WHERE id = ?1",
    [ROWS_TOUCH_NAMED] =
        "UPDATE content SET modified = ?2 WHERE id = ?1 AND EXISTS"
        " (SELECT 1 FROM named WHERE content = ?1) RETURNING id",
    [ROWS_DROP] = "DELETE FROM content WHERE id = ?1",
    [ROWS_STATUS] =
        "SELECT c.size, c.epoch, c.hold_epoch, (SELECT count(*) FROM named n"
        " WHERE n.dir = ?2 AND n.base = ?3 AND n.content = c.id)"
        " FROM content c WHERE c.id = ?1",
    [ROWS_APPEND] = APPEND_IF("1 = 1"),
    [ROWS_APPEND_HELD] = APPEND_IF("hold_epoch = ?6"),
    [ROWS_GROW] = "UPDATE content SET size = size + ?2, modified = ?3"
                  " WHERE id = ?1",
    [ROWS_CUT] = "UPDATE content SET size = ?2, modified = ?3 WHERE id = ?1",
    [ROWS_HOLD] = "UPDATE content SET holder = ?2, until = ?3, hold_epoch ="
                  " hold_epoch + 1 WHERE id = ?1 AND until < ?4"
                  " RETURNING hold_epoch",
    [ROWS_RENEW] = "UPDATE content SET until = ?3 WHERE id = ?1 AND"
                   " hold_epoch = ?2 RETURNING id",
    [ROWS_RELEASE] = "UPDATE content SET until = 0, holder = '' WHERE id = ?1"
                     " AND hold_epoch = ?2",
    [ROWS_HOLDER] = "SELECT holder FROM content WHERE id = ?1",
    [ROWS_PIECES] =
        "SELECT at, bytes FROM piece WHERE content = ?1 AND at < ?3 AND at >="
        " coalesce((SELECT max(at) FROM piece WHERE content = ?1 AND at <= ?2),"
        " 0) ORDER BY at",
    [ROWS_ADD_PIECE] = "INSERT INTO piece(content, at, bytes)"
                       " VALUES(?1, ?2, ?3)",
    [ROWS_SET_PIECE] = "UPDATE piece SET bytes = ?3 WHERE content = ?1 AND"
                       " at = ?2",
    [ROWS_CUT_PIECES] = "DELETE FROM piece WHERE content = ?1 AND at >= ?2",
    [ROWS_LEASE_GET] = "SELECT epoch, until, holder FROM lease WHERE name = ?1",
    [ROWS_LEASE_PUT] =
        "INSERT INTO lease(name, epoch, until, holder) VALUES(?1, ?2, ?3, ?4)"
        " ON CONFLICT(name) DO UPDATE SET epoch = excluded.epoch,"
        " until = excluded.until, holder = excluded.holder"
        " WHERE lease.epoch = ?5 AND lease.until = ?6 RETURNING epoch",
    [ROWS_LEASE_COUNT] =
        "INSERT INTO lease(name, epoch, until, holder) VALUES(?1, 1, 0, '')"
        " ON CONFLICT(name) DO UPDATE SET epoch = lease.epoch + 1",
    [ROWS_LOCK_PUT] =
        "INSERT INTO store_lock(root, holder, exclusive, until)"
        " VALUES(?1, ?2, ?3, ?4) ON CONFLICT(root, holder) DO UPDATE SET"
        " exclusive = excluded.exclusive, until = excluded.until",
    [ROWS_LOCK_DROP] = "DELETE FROM store_lock WHERE root = ?1 AND holder = ?2",
    [ROWS_LOCK_OTHERS] =
        "SELECT coalesce(sum(exclusive), 0), count(*) FROM store_lock WHERE"
        " root = ?1 AND holder <> ?2 AND until >= ?3",
};

/* ---- what the parts share -------------------------------------------------- */

int64_t rows_now(const struct rows *r)
{
    return clock_us(r->clock);
}

quire_status rows_use(struct rows *r, enum rows_sql which, struct stmt **out,
                      quire_error *err)
{
    return sql_use(&r->sql, (int)which, out, err);
}

quire_status rows_begin(struct rows *r, quire_error *err)
{
    return r->batch ? QUIRE_OK : db_begin(r->db, DB_DURABLE, DB_NO_TENANT, err);
}

quire_status rows_end(struct rows *r, quire_status st, quire_error *err)
{
    if (r->batch)
        return st;
    st = sql_end(r->db, st, err);
    if (st)
        r->ids_left = 0; /* the block may have been taken in it */
    return st;
}

quire_status rows_writable(const struct rows *r, quire_error *err)
{
    return r->read_only ? err_set(err, QUIRE_INVALID,
                                  "%s is open for reading only", r->place)
                        : QUIRE_OK;
}

/* ---- names ------------------------------------------------------------------ */

quire_status rows_dir(const struct rows *r, const char *dir, struct arena *keep,
                      quire_bytes *out, quire_error *err)
{
    const char *sep = *r->root && *dir ? "/" : "";
    const char *whole = arena_printf(keep, "%s%s%s", r->root, sep, dir);

    *out = whole ? bytes_str(whole) : bytes_str("");
    return whole ? QUIRE_OK : err_memory(err);
}

quire_status rows_split(const struct rows *r, const char *name,
                        struct arena *keep, struct rows_name *out,
                        quire_error *err)
{
    const char *slash = strrchr(name, '/');
    size_t len = slash ? (size_t)(slash - name) : 0;
    char *dir = arena_text(keep, bytes_of(name, len));

    out->base = bytes_str(slash ? slash + 1 : name);
    return dir ? rows_dir(r, dir, keep, &out->dir, err) : err_memory(err);
}

/* `dir` is a column: what follows the root. */
static quire_status read_entry(const struct rows *r, struct stmt *s,
                               struct arena *keep, struct rows_entry *e,
                               quire_error *err)
{
    quire_bytes dir = stmt_column_bytes(s, 0);
    size_t skip = strlen(r->root);

    if (skip > 0)
        skip += dir.len > skip;
    if (keep) {
        e->dir = arena_text(keep, bytes_of((const char *)dir.data + skip,
                                           dir.len - skip));
        e->base = arena_text(keep, stmt_column_bytes(s, 1));
        if (!e->dir || !e->base)
            return err_memory(err);
    }
    e->content = stmt_column_int(s, 2);
    e->info = (struct object_info){
        .size = (uint64_t)stmt_column_int(s, 3),
        .modified_s = stmt_column_int(s, 4) / 1000000,
        .modified_ns = stmt_column_int(s, 4) * 1000,
        .changed_ns = stmt_column_int(s, 4) * 1000,
        .device = 1,
        .inode = (uint64_t)e->content,
    };
    return QUIRE_OK;
}

quire_status rows_find(struct rows *r, const char *name, struct rows_entry *out,
                       quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct rows_name n;
    struct stmt *s = NULL;
    quire_status st = rows_split(r, name, &tmp, &n, err);

    *out = (struct rows_entry){0};
    if (!st)
        st = rows_use(r, ROWS_FIND, &s, err);
    if (!st) {
        stmt_bind_bytes(s, 1, n.dir);
        stmt_bind_bytes(s, 2, n.base);
        st = sql_row(s, err);
    }
    if (!st)
        st = read_entry(r, s, NULL, out, err);
    sql_reset(&r->sql, ROWS_FIND);
    arena_release(&tmp);
    return st;
}

/* The statement that selects what is in `dir`, bound. */
static quire_status ask_list(struct rows *r, quire_bytes dir, bool deep,
                             struct arena *keep, struct stmt **s,
                             quire_error *err)
{
    enum rows_sql which = !deep     ? ROWS_IN_DIR
                          : dir.len ? ROWS_BELOW
                                    : ROWS_EVERY;
    const char *from, *to;
    quire_status st = rows_use(r, which, s, err);

    if (st || which == ROWS_EVERY)
        return st;
    stmt_bind_bytes(*s, 1, dir);
    if (which == ROWS_IN_DIR)
        return QUIRE_OK;
    from = arena_printf(keep, "%s/", (const char *)dir.data);
    to = arena_printf(keep, "%s0",
                      (const char *)dir.data); /* '0' follows '/' */
    if (!from || !to)
        return err_memory(err);
    stmt_bind_bytes(*s, 2, bytes_str(from));
    stmt_bind_bytes(*s, 3, bytes_str(to));
    return QUIRE_OK;
}

struct entries {
    struct rows_entry *at;
    size_t n, cap;
};

static struct rows_entry *next_entry(struct entries *l)
{
    struct rows_entry *more;
    size_t cap = l->cap ? 2 * l->cap : 64;

    if (l->n == l->cap) {
        more = realloc(l->at, cap * sizeof *more);
        if (!more)
            return NULL;
        l->at = more;
        l->cap = cap;
    }
    return &l->at[l->n++];
}

quire_status rows_list(struct rows *r, const char *dir, bool deep,
                       struct arena *keep, struct rows_entry **out, size_t *n,
                       quire_error *err)
{
    struct entries l = {NULL, 0, 0};
    struct rows_entry *e;
    struct stmt *s = NULL;
    quire_bytes whole;
    bool row = false;
    quire_status st = rows_dir(r, dir, keep, &whole, err);

    if (!st)
        st = ask_list(r, whole, deep, keep, &s, err);
    while (!st && !(st = stmt_step(s, &row, err)) && row) {
        e = next_entry(&l);
        st = e ? read_entry(r, s, keep, e, err) : err_memory(err);
    }
    if (s)
        stmt_reset(s);
    *n = st ? 0 : l.n;
    *out = st || !l.n ? NULL : arena_array(keep, l.n, sizeof *l.at);
    if (*out)
        memcpy(*out, l.at, l.n * sizeof *l.at);
    else if (!st && l.n)
        st = err_memory(err);
    free(l.at);
    return st;
}

quire_status rows_unname(struct rows *r, const struct rows_name *n,
                         quire_error *err)
{
    struct stmt *s = NULL;
    int64_t content = 0;
    quire_status st = rows_use(r, ROWS_UNNAME, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, n->dir);
    stmt_bind_bytes(s, 2, n->base);
    st = sql_take_number(s, &content, err);
    if (!st)
        st = rows_use(r, ROWS_TOUCH, &s, err);
    if (st)
        return st;
    /* From now on it is kept for open handles. */
    stmt_bind_int(s, 1, content);
    stmt_bind_int(s, 2, rows_now(r));
    return stmt_post(s, err);
}

static quire_status move_entry(struct rows *r, const char *from, const char *to,
                               struct arena *keep, quire_error *err)
{
    struct rows_name old, new;
    struct stmt *s = NULL;
    quire_status st = rows_split(r, from, keep, &old, err);

    if (!st)
        st = rows_split(r, to, keep, &new, err);
    if (!st)
        st = rows_use(r, ROWS_NAME_MOVE, &s, err);
    if (st)
        return st;
    stmt_bind_bytes(s, 1, old.dir);
    stmt_bind_bytes(s, 2, old.base);
    stmt_bind_bytes(s, 3, new.dir);
    stmt_bind_bytes(s, 4, new.base);
    return stmt_post(s, err);
}

/* QUIRE_EXISTS: the name, or one below it, is taken. */
static quire_status check_free_name(struct rows *r, const char *to,
                                    struct arena *keep, quire_error *err)
{
    struct rows_entry one, *all;
    size_t n;
    quire_status st = rows_find(r, to, &one, err);

    if (!st)
        return QUIRE_EXISTS;
    if (st != QUIRE_NOT_FOUND)
        return st;
    st = rows_list(r, to, true, keep, &all, &n, err);
    return st ? st : n ? QUIRE_EXISTS : QUIRE_OK;
}

/* Everything below a directory, to the same place below another. */
static quire_status move_below(struct rows *r, const char *from, const char *to,
                               struct arena *keep, quire_error *err)
{
    struct rows_entry *all;
    size_t i, n, skip = strlen(from);
    quire_status st = rows_list(r, from, true, keep, &all, &n, err);

    if (!st && n == 0)
        return QUIRE_NOT_FOUND;
    for (i = 0; i < n && !st; i++) {
        const char *sep = *all[i].dir ? "/" : "";
        const char *old = arena_printf(keep, "%s%s%s", all[i].dir, sep,
                                       all[i].base);
        const char *new = old ? arena_printf(keep, "%s%s", to, old + skip)
                              : NULL;

        st = new ? move_entry(r, old, new, keep, err) : err_memory(err);
    }
    return st;
}

quire_status rows_rename(struct rows *r, const char *from, const char *to,
                         bool deep, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    struct rows_entry e;
    quire_status st = rows_writable(r, err);

    if (!st)
        st = rows_begin(r, err);
    if (st)
        return st;
    st = rows_find(r, from, &e, err);
    if (!st) {
        st = check_free_name(r, to, &tmp, err);
        if (!st)
            st = move_entry(r, from, to, &tmp, err);
    } else if (st == QUIRE_NOT_FOUND && deep) {
        st = check_free_name(r, to, &tmp, err);
        if (!st)
            st = move_below(r, from, to, &tmp, err);
    }
    /* Taken by another since it was looked up: the constraint. */
    st = rows_end(r, st, err);
    arena_release(&tmp);
    return st;
}

/* ---- life --------------------------------------------------------------- */

quire_status rows_init(struct rows *r, struct db *db, quire_error *err)
{
    r->db = db;
    pthread_mutex_init(&r->turn, NULL);
    return sql_init(&r->sql, db, texts, N_ROWS_SQL, err);
}

void rows_drop_part(struct rows *r)
{
    if (--r->n_parts > 0)
        return;
    if (r->batch)
        db_rollback(r->db);
    sql_release(&r->sql);
    db_close(r->db);
    pthread_mutex_destroy(&r->turn);
    free(r->dir_lease);
    free(r->root);
    free(r->place);
    free(r);
}

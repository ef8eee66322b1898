/*
 * rows_lease.c - locks and leases in rows
 *
 * A lease is a row that changes only if it is still what was read: two processes never
 * get the same epoch. The lock of a directory is a lease whose name no caller can
 * give.
 *
 * The lock of the store is a row for each holder. Both write theirs, then look: a
 * shared holder backs off from an exclusive one; the exclusive one waits until no other
 * row is left, while new ones back off. A row ends after LOCK_MS, so that a process that died
 * keeps others waiting no longer.
 *
 * Times are of the clocks of the machines. They decide only when another process may try:
 * each append and each renewal compares epochs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/err.h"
#include "store/rows_priv.h"

#define LOCK_MS     60000
#define DIR_LOCK_MS 60000

static int64_t now_ms(const struct rows *r)
{
    return rows_now(r) / 1000;
}

static quire_status unlock(struct rows *r, quire_status st)
{
    pthread_mutex_unlock(&r->turn);
    return st;
}

/* Sleep without the turn; false: the time is over. */
static bool pause_until(struct rows *r, int64_t end_us, long *pause_ns)
{
    struct timespec t = {.tv_nsec = *pause_ns};

    if (clock_steady_us() >= end_us)
        return false;
    pthread_mutex_unlock(&r->turn);
    nanosleep(&t, NULL);
    pthread_mutex_lock(&r->turn);
    if (*pause_ns < 80 * 1000000)
        *pause_ns *= 2;
    return true;
}

/* ---- the lock of the store ------------------------------------------------------ */

static quire_status put_lock(struct rows *r, bool exclusive, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = rows_use(r, ROWS_LOCK_PUT, &s, err);

    if (st)
        return st;
    r->lock_until_ms = now_ms(r) + LOCK_MS;
    stmt_bind_bytes(s, 1, bytes_str(r->root));
    stmt_bind_text(s, 2, bytes_str(r->me));
    stmt_bind_int(s, 3, exclusive);
    stmt_bind_int(s, 4, r->lock_until_ms);
    return stmt_post(s, err);
}

static void drop_lock(struct rows *r)
{
    struct stmt *s = NULL;

    r->locked = LEASE_UNLOCK;
    if (rows_use(r, ROWS_LOCK_DROP, &s, NULL))
        return;
    stmt_bind_bytes(s, 1, bytes_str(r->root));
    stmt_bind_text(s, 2, bytes_str(r->me));
    (void)stmt_post(s, NULL); /* else it ends by itself */
}

/* *blocked: others hold what excludes ours. */
static quire_status look_at_others(struct rows *r, bool exclusive,
                                   bool *blocked, bool *rival, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = rows_use(r, ROWS_LOCK_OTHERS, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_str(r->root));
    stmt_bind_text(s, 2, bytes_str(r->me));
    stmt_bind_int(s, 3, now_ms(r));
    st = sql_row(s, err);
    if (!st) {
        *rival = stmt_column_int(s, 0) > 0;
        *blocked = *rival || (exclusive && stmt_column_int(s, 1) > 0);
    }
    stmt_reset(s);
    return st;
}

static quire_status wait_for_lock(struct rows *r, bool exclusive,
                                  int64_t end_us, quire_error *err)
{
    bool blocked = true, rival = false, ours = false;
    long pause_ns = 2 * 1000000;
    quire_status st = QUIRE_OK;

    while (!st && blocked) {
        if (!ours) {
            st = put_lock(r, exclusive, err);
            ours = !st;
        }
        if (!st)
            st = look_at_others(r, exclusive, &blocked, &rival, err);
        if (st || !blocked)
            break;
        /* Two that want it alone would wait for each other. */
        if (rival) {
            drop_lock(r);
            ours = false;
        }
        if (!pause_until(r, end_us, &pause_ns))
            st =
                err_fail(err, QUIRE_BUSY, "try again when it has finished",
                         exclusive && !rival
                             ? "other processes are writing to the store %s"
                             : "another process holds the store %s exclusively",
                         r->place);
    }
    if (st && ours)
        drop_lock(r);
    return st;
}

static quire_status rows_lock(struct lease_store *s, enum lease_mode mode,
                              int wait_ms, quire_error *err)
{
    struct rows *r = rows_of_leases(s);
    int64_t end = clock_steady_us() + wait_ms * INT64_C(1000);
    quire_status st = QUIRE_OK;

    pthread_mutex_lock(&r->turn);
    if (mode == LEASE_UNLOCK && r->locked)
        drop_lock(r);
    else if (mode != LEASE_UNLOCK)
        st = rows_writable(r, err);
    if (!st && mode != LEASE_UNLOCK)
        st = wait_for_lock(r, mode == LEASE_EXCLUSIVE, end, err);
    if (!st)
        r->locked = mode;
    return unlock(r, st);
}

/* ---- leases --------------------------------------------------------------------- */

/* The name in the table, in `keep`: of its root, and of its kind. */
static const char *lease_name(const struct rows *r, const char *kind,
                              const char *name, struct arena *keep)
{
    return arena_printf(keep, "%s|%s|%s", r->root, kind, name);
}

static quire_status read_lease(struct rows *r, const char *name,
                               struct lease_record *out, quire_error *err)
{
    struct stmt *s = NULL;
    quire_status st = rows_use(r, ROWS_LEASE_GET, &s, err);

    *out = (struct lease_record){.epoch = 0};
    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_str(name));
    st = sql_row(s, err);
    if (!st) {
        out->epoch = (uint64_t)stmt_column_int(s, 0);
        out->until_ms = stmt_column_int(s, 1);
        sql_copy_text(s, 2, out->holder, sizeof out->holder);
    }
    stmt_reset(s);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* QUIRE_NOT_FOUND: it is not what it was any more. */
static quire_status write_lease(struct rows *r, const char *name,
                                const struct lease_record *was,
                                const struct lease_record *now,
                                quire_error *err)
{
    struct stmt *s = NULL;
    int64_t got;
    quire_status st = rows_use(r, ROWS_LEASE_PUT, &s, err);

    if (st)
        return st;
    stmt_bind_bytes(s, 1, bytes_str(name));
    stmt_bind_int(s, 2, (int64_t)now->epoch);
    stmt_bind_int(s, 3, now->until_ms);
    stmt_bind_text(s, 4, bytes_str(now->holder));
    stmt_bind_int(s, 5, (int64_t)was->epoch);
    stmt_bind_int(s, 6, was->until_ms);
    return sql_take_number(s, &got, err);
}

enum change { TAKE, RENEW, RELEASE };

/* Change a lease as the rules allow, again if another changed it meanwhile. */
static quire_status change_lease(struct rows *r, enum change what,
                                 const char *kind, const char *name,
                                 const char *holder, int64_t duration_ms,
                                 uint64_t *epoch, quire_error *err)
{
    struct arena tmp = ARENA_INIT;
    const char *key = lease_name(r, kind, name, &tmp);
    struct lease_record was, now;
    quire_status st = key ? QUIRE_NOT_FOUND : err_memory(err);

    while (st == QUIRE_NOT_FOUND) {
        st = read_lease(r, key, &was, err);
        if (st)
            break;
        now = was;
        if (what == TAKE)
            st = lease_record_take(&now, name, holder, now_ms(r), duration_ms,
                                   err);
        else if (what == RENEW)
            st = lease_record_renew(&now, name, *epoch, now_ms(r), duration_ms,
                                    err);
        else
            st = lease_record_release(&now, name, *epoch, err);
        if (!st)
            st = write_lease(r, key, &was, &now, err);
        if (!st)
            *epoch = now.epoch;
    }
    arena_release(&tmp);
    return st;
}

static quire_status rows_take(struct lease_store *s, const char *name,
                              const char *holder, int64_t duration_ms,
                              uint64_t *epoch, quire_error *err)
{
    struct rows *r = rows_of_leases(s);

    pthread_mutex_lock(&r->turn);
    return unlock(r, change_lease(r, TAKE, "lease", name, holder, duration_ms,
                                  epoch, err));
}

static quire_status rows_renew(struct lease_store *s, const char *name,
                               uint64_t epoch, int64_t duration_ms,
                               quire_error *err)
{
    struct rows *r = rows_of_leases(s);

    pthread_mutex_lock(&r->turn);
    return unlock(r, change_lease(r, RENEW, "lease", name, NULL, duration_ms,
                                  &epoch, err));
}

static quire_status rows_release(struct lease_store *s, const char *name,
                                 uint64_t epoch, quire_error *err)
{
    struct rows *r = rows_of_leases(s);

    pthread_mutex_lock(&r->turn);
    return unlock(r, change_lease(r, RELEASE, "lease", name, NULL, 0, &epoch,
                                  err));
}

/* ---- directories, the generation ------------------------------------------------ */

/* The rules want one component: the slashes of a directory are the first byte that no
 * name has. */
static char *flat_name(const char *dir)
{
    char *out = malloc(strlen(dir) + 2), *at;

    if (!out)
        return NULL;
    sprintf(out, "d%s", dir);
    for (at = out; (at = strchr(at, '/'));)
        *at = '\x01';
    return out;
}

/* Long directories have the end of their name, and a hash of all, in a lease. */
static void shorten(char *name)
{
    size_t len = strlen(name), keep = LEASE_NAME_SIZE - 32;
    uint64_t hash = UINT64_C(14695981039346656037);
    char digits[20];
    size_t i;

    if (len < LEASE_NAME_SIZE)
        return;
    for (i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
    snprintf(digits, sizeof digits, "d%016llx", (unsigned long long)hash);
    memmove(name + strlen(digits), name + len - keep, keep + 1);
    memcpy(name, digits, strlen(digits));
}

static quire_status rows_lock_dir(struct lease_store *s, const char *dir,
                                  int wait_ms, quire_error *err)
{
    struct rows *r = rows_of_leases(s);
    int64_t end = clock_steady_us() + wait_ms * INT64_C(1000);
    char *name = flat_name(dir);
    long pause_ns = 2 * 1000000;
    quire_status st;

    if (!name)
        return err_memory(err);
    shorten(name);
    pthread_mutex_lock(&r->turn);
    do
        st = change_lease(r, TAKE, "dir", name, r->me, DIR_LOCK_MS,
                          &r->dir_epoch, err);
    while (st == QUIRE_BUSY && pause_until(r, end, &pause_ns));
    if (st == QUIRE_BUSY)
        err_fail(err, st, "try again when it has finished",
                 "another process is changing the contents of %s/%s", r->place,
                 dir);
    if (st)
        free(name);
    else
        r->dir_lease = name;
    return unlock(r, st);
}

static void rows_unlock_dir(struct lease_store *s)
{
    struct rows *r = rows_of_leases(s);

    pthread_mutex_lock(&r->turn);
    if (r->dir_lease) /* a failure leaves one that ends by itself */
        (void)change_lease(r, RELEASE, "dir", r->dir_lease, NULL, 0,
                           &r->dir_epoch, NULL);
    free(r->dir_lease);
    r->dir_lease = NULL;
    unlock(r, QUIRE_OK);
}

static void rows_touch_gen(struct lease_store *s)
{
    struct rows *r = rows_of_leases(s);
    struct arena tmp = ARENA_INIT;
    struct stmt *st = NULL;
    const char *name = lease_name(r, "gen", "", &tmp);

    pthread_mutex_lock(&r->turn);
    if (name && !rows_use(r, ROWS_LEASE_COUNT, &st, NULL)) {
        stmt_bind_bytes(st, 1, bytes_str(name));
        (void)stmt_post(st, NULL);
    }
    unlock(r, QUIRE_OK);
    arena_release(&tmp);
}

static quire_status rows_gen(struct lease_store *s, int64_t *mark,
                             quire_error *err)
{
    struct rows *r = rows_of_leases(s);
    struct arena tmp = ARENA_INIT;
    struct lease_record record = {.epoch = 0};
    const char *name = lease_name(r, "gen", "", &tmp);
    quire_status st = name ? QUIRE_OK : err_memory(err);

    pthread_mutex_lock(&r->turn);
    if (!st)
        st = read_lease(r, name, &record, err);
    *mark = (int64_t)record.epoch;
    arena_release(&tmp);
    return unlock(r, st);
}

static void rows_free_leases(struct lease_store *s)
{
    struct rows *r = rows_of_leases(s);

    if (r->locked)
        drop_lock(r);
    rows_drop_part(r);
}

const struct lease_ops rows_lease_ops = {
    .lock = rows_lock,
    .touch_gen = rows_touch_gen,
    .gen = rows_gen,
    .lock_dir = rows_lock_dir,
    .unlock_dir = rows_unlock_dir,
    .take = rows_take,
    .renew = rows_renew,
    .release = rows_release,
    .free = rows_free_leases,
};

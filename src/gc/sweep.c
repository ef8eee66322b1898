/*
 * sweep.c - remove blobs in short critical sections
 *
 * Before anything is removed there must have been a moment in which
 *
 *   (1) no process was about to write a reference: we held the store
 *       exclusively;
 *   (2) everything that refers had been read.
 *
 * Marking takes longer than writers should wait. So we lock the store for a
 * moment, read its generation, and unlock; mark everything; lock the store
 * again. If the generation is the same no process has held it in between, and
 * the marks are valid. If not, try again; after some tries, mark with the store
 * locked.
 *
 * After that moment a reference to an unreferenced blob can only come from a
 * put, which renews the time the blob was seen. Removal compares that time, in
 * the critical section of a put: the database's transaction for rows, the store
 * for files. Blobs are removed in turns of some milliseconds, rows before
 * files, with pauses in between for waiting writers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "gc/priv.h"

/* The longest time, and the most blobs, of one turn with the store locked. */
#define TURN_NS ((int64_t)5000000)
enum { BLOBS_AT_ONCE = 1024 };

/* Longer than the retry interval of processes that wait for the store or the
 * database. */
#define STORE_PAUSE_NS 20000000L
#define ROWS_PAUSE_NS  2500000L

/* Attempts to mark without the lock. */
enum { TRIES = 4 };

/* ---- locking ------------------------------------------------------------ */

static quire_status lock_store(struct gc *g, quire_error *err)
{
    quire_status st = lease_lock(g->b->c.leases, LEASE_EXCLUSIVE,
                                 g->b->c.busy_ms, err);

    if (st == QUIRE_BUSY) {
        err_fail(err, st, "collect again later; nothing is lost",
                 "a process is about to refer to blobs of %s: a batch is open, "
                 "or a session with an image that has no file yet",
                 object_place(g->b->c.files));
    }
    return st;
}

static void unlock_store(struct gc *g)
{
    lease_lock(g->b->c.leases, LEASE_UNLOCK, 0, NULL);
}

static void pause_ns(long ns)
{
    struct timespec left = {ns / 1000000000, ns % 1000000000};

    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

/* Times are in seconds: a blob put in the current second could be put again in
 * it and look the same. With no grace time, wait for the next second. */
static void wait_next_second(const struct gc *g)
{
    int64_t now_us = clock_us(g->b->c.clock);

    if (g->config->grace_s == 0 && now_us / 1000000 == g->now_s)
        pause_ns((long)(1000000 - now_us % 1000000) * 1000);
}

/* ---- a quiet moment ----------------------------------------------------- */

/* Counts are sums kept for long. Before a removal the key is looked up in the
 * records they are the sums of. */
static quire_status verify_counts(struct gc *g, const struct gc_candidate *list,
                                  size_t n, quire_error *err)
{
    struct digest_set all = KEYS_INIT;
    quire_status st = ref_counts_collect(g->l, &all, err);
    bool sound = true;
    size_t i;

    for (i = 0; !st && sound && i < n; i++)
        sound = !digest_set_has(&all, key_of(&list[i].digest));
    digest_set_release(&all);
    return st || sound ? st : ref_counts_rebuild(g->l, err);
}

static quire_status read_generation(struct gc *g, int64_t *mark,
                                    quire_error *err)
{
    quire_status st = lock_store(g, err);

    if (st)
        return st;
    st = lease_gen(g->b->c.leases, mark, err);
    unlock_store(g);
    return st;
}

static quire_status mark_all(struct gc *g, quire_error *err)
{
    quire_status st = gc_load(g, err);

    return st ? st : gc_mark(g, err);
}

/* QUIRE_OK with the store locked; everything has been marked, and no process is
 * about to write. */
static quire_status find_quiet_moment(struct gc *g, quire_error *err)
{
    int64_t before, after;
    quire_status st = QUIRE_OK;
    int tries;

    for (tries = 0; !st && tries < TRIES; tries++) {
        st = read_generation(g, &before, err);
        if (!st)
            st = mark_all(g, err);
        if (!st)
            st = lock_store(g, err);
        if (st)
            return st;
        st = lease_gen(g->b->c.leases, &after, err);
        if (!st && before == after)
            return QUIRE_OK;
        unlock_store(g);
    }
    if (!st)
        st = lock_store(g, err);
    if (st)
        return st;
    st = mark_all(g, err);
    if (st)
        unlock_store(g);
    return st;
}

/* It gained a reference after it was judged, and lost it again. */
static bool is_just_dereferenced(const struct gc *g,
                                 const struct gc_candidate *c)
{
    int64_t since_s;

    return g->config->grace_s > 0 &&
           gc_dereferenced_since(&g->loose, key_of(&c->digest), &since_s);
}

/* Keep those that are still unreferenced. */
static quire_status recheck_all(struct gc *g, struct gc_candidate *list,
                                size_t *n, quire_error *err)
{
    size_t i, left = 0;
    quire_status st;

    g->loose.n = 0; /* these were judged */
    /* A file that has grown may have been changed before its old end as well.
     */
    g->strict = true;
    st = verify_counts(g, list, *n, err);
    if (!st)
        st = find_quiet_moment(g, err);
    if (st)
        return st;
    unlock_store(g);
    for (i = 0; !st && i < *n; i++) {
        bool held = false;

        st = gc_is_referenced(g, key_of(&list[i].digest), &held, err);
        if (!held && !is_just_dereferenced(g, &list[i]))
            list[left++] = list[i];
    }
    *n = left;
    return st;
}

/* ---- a turn ------------------------------------------------------------- */

/* The results for the candidates of a turn. */
struct turn {
    bool gone[BLOBS_AT_ONCE], in_file[BLOBS_AT_ONCE];
    bool undone; /* its rows were not removed, and so nothing was */
};

/* A file that has a row by now was put again. */
static quire_status may_remove(struct gc *g, const struct gc_candidate *c,
                               const char *name, bool *may, quire_error *err)
{
    struct object_store *files = g->b->c.files;
    struct object_info info;
    struct blob_location p;
    quire_status st = QUIRE_NOT_FOUND;

    *may = false;
    if (g->b->rows)
        st = blob_table_find(g->b->rows, &c->digest, 0, &p, err);
    if (st != QUIRE_NOT_FOUND)
        return st;
    st = object_stat(files, name, &info, err);
    *may = !st && info.modified_s <= c->seen_s;
    return st;
}

static quire_status remove_file(struct gc *g, const struct gc_candidate *c,
                                bool *gone, quire_error *err)
{
    struct object_store *files = g->b->c.files;
    char name[NAME_BYTES];
    quire_status st = QUIRE_OK;

    layout_name(g->b->c.layout, &c->digest, name);
    if (!c->has_row)
        st = may_remove(g, c, name, gone, err);
    if (!st && *gone)
        st = object_remove(files, name, err);
    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* A row id is reused when it was the last: it must not pass for one that was
 * judged. */
static quire_status record_removed(struct gc *g, int64_t n, quire_error *err)
{
    int64_t last, noted, blobs;
    quire_status st = blob_table_last(g->b->rows, &last, err);

    if (!st)
        st = ref_index_get_number(g->l, REF_INDEX_LAST, &noted, err);
    if (!st && last < noted)
        st = ref_index_set_number(g->l, REF_INDEX_LAST, last, err);
    if (!st)
        st = ref_index_get_number(g->l, REF_INDEX_BLOBS, &blobs, err);
    return st ? st
              : ref_index_set_number(g->l, REF_INDEX_BLOBS,
                                     blobs > n ? blobs - n : 0, err);
}

static quire_status remove_rows(struct gc *g, struct gc_candidate *list,
                                size_t n, struct turn *t, quire_error *err)
{
    struct db *db = ref_index_db(g->l);
    quire_status st = db_begin(db, DB_SOON, DB_ALL_TENANTS, err);
    int64_t rows = 0;
    size_t i;

    if (st)
        return st;
    for (i = 0; !st && i < n; i++) {
        if (list[i].has_row)
            st = blob_table_remove(g->b->rows, &list[i].digest, list[i].seen_s,
                                   &t->in_file[i], &list[i].stored, err);
        t->gone[i] = list[i].has_row && !st;
        rows += t->gone[i];
        if (!st)
            st = ref_index_unmark(g->l, &list[i].digest, err);
        if (st == QUIRE_NOT_FOUND)
            st = QUIRE_OK;
    }
    if (!st && g->b->rows)
        st = record_removed(g, rows, err);
    st = gc_end(g, st, err);
    t->undone = st;
    for (i = 0; t->undone && i < n; i++)
        t->gone[i] = false;
    return st;
}

/* Rows before files: a file without a row is found again, a row without its
 * file is damage. */
static quire_status remove_some(struct gc *g, struct gc_candidate *list,
                                size_t n, struct turn *t, quire_error *err)
{
    quire_status st = remove_rows(g, list, n, t, err);
    size_t i;

    for (i = 0; !st && i < n; i++)
        if (!list[i].has_row || (t->gone[i] && t->in_file[i]))
            st = remove_file(g, &list[i], &t->gone[i], err);
    return st;
}

/* The callback may take its time: the store is not locked. */
static quire_status report_removed(struct gc *g,
                                   const struct gc_candidate *list, size_t n,
                                   const struct turn *t, quire_error *err)
{
    const struct gc_config *c = g->config;
    quire_status st = QUIRE_OK;
    size_t i;

    for (i = 0; i < n; i++) {
        if (!t->gone[i])
            continue;
        g->report->removed++;
        g->report->bytes_freed += list[i].stored;
        if (!st && c->each)
            st = c->each(c->each_ctx, &list[i].digest, err);
    }
    return st;
}

/* ---- all turns ---------------------------------------------------------- */

static int64_t monotonic_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static quire_status run_turn(struct gc *g, struct gc_candidate *list, size_t n,
                             int64_t *took_ns, bool *undone, quire_error *err)
{
    struct turn t = {{false}, {false}, false};
    bool files = list[n - 1].in_file; /* they come last */
    quire_status st = files ? lock_store(g, err) : QUIRE_OK, reported;

    if (st)
        return st;
    *took_ns = -monotonic_ns();
    st = remove_some(g, list, n, &t, err);
    if (files)
        unlock_store(g);
    *took_ns += monotonic_ns();
    *undone = t.undone;
    reported = report_removed(g, list, n, &t, st ? NULL : err);
    return st ? st : reported;
}

static int files_last(const void *a, const void *b)
{
    const struct gc_candidate *x = a, *y = b;

    return x->in_file != y->in_file
               ? x->in_file - y->in_file
               : memcmp(&x->digest, &y->digest, sizeof x->digest);
}

/* As many as fit into one turn. */
static quire_status remove_all(struct gc *g, struct gc_candidate *list,
                               size_t n, quire_error *err)
{
    size_t at = 0, some = 16, now;
    quire_status st = QUIRE_OK;
    int64_t took_ns = 0;
    bool undone;

    if (n)
        qsort(list, n, sizeof *list, files_last);
    while (!st && at < n) {
        if (at > 0)
            pause_ns(list[at].in_file ? STORE_PAUSE_NS : ROWS_PAUSE_NS);
        now = some < n - at ? some : n - at;
        undone = false;
        st = run_turn(g, list + at, now, &took_ns, &undone, err);
        /* A smaller one may fit on a full disk. */
        if (st == QUIRE_IO && undone && now > 1) {
            some = now / 2;
            st = QUIRE_OK;
            continue;
        }
        at += now;
        if (took_ns < TURN_NS / 2 && some < BLOBS_AT_ONCE)
            some *= 2;
        else if (took_ns > TURN_NS && some > 1)
            some /= 2;
    }
    return st;
}

quire_status gc_sweep(struct gc *g, struct gc_candidate *list, size_t n,
                      quire_error *err)
{
    struct object_store *files = g->b->c.files;
    quire_status st;

    wait_next_second(g);
    st = recheck_all(g, list, &n, err);
    if (!st)
        st = object_begin(files, err);
    if (st)
        return st;
    st = remove_all(g, list, n, err);
    if (!st)
        return object_commit(files, err);
    object_rollback(files);
    return st;
}

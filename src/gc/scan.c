/*
 * scan.c - scan many files for references
 *
 * Several threads, each taking the next file until none is left. They touch
 * only the task they took.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/parallel.h"
#include "gc/priv.h"
#include "blob/gunzip.h"
#include "gc/ref_scan.h"

enum { WORKERS_MAX = PARALLEL_PARTS_MAX };

/* A file changed this recently may change again without a new time: the clocks
 * of file systems tick. The next pass reads it again. */
#define FRESH_NS INT64_C(20000000)

struct scan_run {
    struct gc *g;
    atomic_size_t next;
    atomic_bool stop;
};

struct worker {
    struct scan_run *run;
    void *hired;
    char *buf;         /* owned */
    int64_t looked_ns; /* when the current file was checked, or before */
    quire_status status;
    quire_error error;
};

static quire_status record_key(void *ctx, const quire_digest *d, uint64_t at,
                               quire_error *err)
{
    (void)at;
    return digest_set_add(ctx, key_of(d)) ? QUIRE_OK : err_memory(err);
}

static quire_status read_tail(struct object *file, uint64_t end,
                              unsigned char tail[REF_INDEX_TAIL], uint32_t *len,
                              quire_error *err)
{
    size_t n = end < REF_INDEX_TAIL ? (size_t)end : REF_INDEX_TAIL;
    quire_status st = object_read(file, end - n, tail, n, &n, err);

    *len = (uint32_t)n;
    return st;
}

/* Whether it still begins with what was read. */
static quire_status has_only_grown(struct object *file, const struct gc_task *t,
                                   const struct object_info *info, bool *grown,
                                   quire_error *err)
{
    unsigned char tail[REF_INDEX_TAIL] = {0};
    uint32_t len = 0;
    quire_status st = QUIRE_OK;

    *grown = t->grown && info->inode == t->source.inode &&
             info->size > t->source.size && t->source.size > 0;
    if (*grown)
        st = read_tail(file, t->source.size, tail, &len, err);
    *grown = *grown && !st && len == t->source.tail_len &&
             !memcmp(tail, t->source.tail, len);
    return st;
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* `when` it was checked. */
static void fill_source(struct ref_index_source *s,
                        const struct object_info *info, uint64_t end,
                        int64_t when)
{
    bool fresh = when - info->changed_ns < FRESH_NS ||
                 when - info->modified_ns < FRESH_NS;

    s->inode = info->inode;
    s->size = end;
    s->modified_ns = fresh ? 0 : info->modified_ns;
    s->changed_ns = fresh ? 0 : info->changed_ns;
}

/* oh-my-pi packs sessions that were not used for a while. Our own compressed
 * logs are read as what they hold. */
static quire_status is_packed(const char *label, struct object *file,
                              bool *packed, quire_error *err)
{
    size_t len = strlen(label), n = 0;
    unsigned char head[2];
    quire_status st = QUIRE_OK;

    *packed = len > 3 && !strcmp(label + len - 3, ".gz");
    if (*packed && !(st = object_read(file, 0, head, sizeof head, &n, err)))
        *packed = n == 0 || head[0] != '{';
    return st;
}

static quire_status read_packed(struct worker *w, struct gc_task *t,
                                struct object *file, uint64_t *end,
                                quire_error *err)
{
    struct gunzip *g;
    uint64_t unpacked;
    quire_status st = gunzip_new(file, &g, err);

    if (st)
        return st;
    st = ref_scan_stream(gunzip_read, g, 0, w->buf, record_key, &t->keys,
                         &unpacked, err);
    *end = gunzip_at(g);
    t->source.whole = true;
    gunzip_free(g);
    if (st == QUIRE_DAMAGED) {
        err_fail(err, st, "repair it, or move it out of the home",
                 "cannot unpack %s: its references cannot be "
                 "read",
                 t->source.label);
    }
    return st;
}

static quire_status read_plain(struct worker *w, struct gc_task *t,
                               struct object *file,
                               const struct object_info *info, uint64_t *end,
                               quire_error *err)
{
    bool grown;
    quire_status st = has_only_grown(file, t, info, &grown, err);

    if (!st && grown && !digest_set_add_all(&t->keys, &t->was))
        st = err_memory(err);
    if (st)
        return st;
    st = ref_scan_object(file, grown ? t->source.size : 0, w->buf, record_key,
                         &t->keys, end, err);
    t->source.whole = !grown;
    return st;
}

static quire_status read_file(struct worker *w, struct gc_task *t,
                              struct object *file,
                              const struct object_info *info, quire_error *err)
{
    uint64_t end = 0;
    bool packed;
    quire_status st = is_packed(t->source.label, file, &packed, err);

    if (!st)
        st = packed ? read_packed(w, t, file, &end, err)
                    : read_plain(w, t, file, info, &end, err);
    if (st)
        return st;
    digest_set_sort(&t->keys);
    fill_source(&t->source, info, end, w->looked_ns);
    return read_tail(file, end, t->source.tail, &t->source.tail_len, err);
}

static quire_status read_task(struct worker *w, struct gc_task *t,
                              quire_error *err)
{
    const struct gc_callbacks *callbacks = &w->run->g->config->callbacks;
    struct object_info info;
    struct object *file;
    quire_status st;

    if (t->gone || t->rows)
        return QUIRE_OK;
    w->looked_ns = now_ns();
    st = callbacks->open(w->hired, t->source.label, &file, &info, err);
    t->gone = st == QUIRE_NOT_FOUND; /* since it was listed */
    if (st)
        return t->gone ? QUIRE_OK : st;
    st = read_file(w, t, file, &info, err);
    object_close(file);
    return st;
}

static void *run_worker(void *ctx)
{
    struct worker *w = ctx;
    struct gc *g = w->run->g;
    size_t i;

    while (!w->status && !atomic_load(&w->run->stop) &&
           (i = atomic_fetch_add(&w->run->next, 1)) < g->n_tasks)
        w->status = read_task(w, &g->tasks[i], &w->error);
    if (w->status)
        atomic_store(&w->run->stop, true);
    return NULL;
}

static quire_status init_worker(struct worker *w, quire_error *err)
{
    const struct gc_callbacks *callbacks = &w->run->g->config->callbacks;

    w->buf = malloc(REF_SCAN_PIECE);
    return w->buf ? callbacks->worker_open(callbacks->ctx, &w->hired, err)
                  : err_memory(err);
}

static size_t count_workers(const struct gc *g)
{
    size_t n = g->n_tasks / 4 + 1, cores = parallel_n_threads();

    if (n > cores)
        n = cores;
    return n < WORKERS_MAX ? n : WORKERS_MAX;
}

quire_status gc_scan(struct gc *g, quire_error *err)
{
    const struct gc_callbacks *callbacks = &g->config->callbacks;
    struct scan_run run = {.g = g};
    struct worker workers[WORKERS_MAX];
    size_t n = count_workers(g), i;
    quire_status st = QUIRE_OK;

    if (g->n_tasks == 0)
        return QUIRE_OK;
    memset(workers, 0, sizeof workers);
    for (i = 0; i < WORKERS_MAX; i++)
        workers[i].run = &run;
    for (i = 0; !st && i < n; i++)
        st = init_worker(&workers[i], err);
    if (!st)
        parallel_parts(run_worker, workers, sizeof *workers, n);
    for (i = 0; i < n; i++) {
        if (!st && workers[i].status) {
            st = workers[i].status;
            if (err)
                *err = workers[i].error;
        }
        if (workers[i].hired)
            callbacks->worker_close(workers[i].hired);
        free(workers[i].buf);
    }
    return st;
}

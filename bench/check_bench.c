/*
 * check_bench.c - a whole home against its names
 *
 * Fifty thousand outputs of tools, of the sizes real sessions have. `check
 * --full` looks at everything in the home; the limit is what nobody can do
 * without: reading what is stored, inflating it and hashing that, with nothing
 * but the libraries, on as many threads as there are processors.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <isa-l/igzip_lib.h>
#include <nettle/sha2.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "bench.h"

#define CHECK "check --full, 50,000 outputs"

enum { HANDS_MAX = 8 };

struct piece {
    off_t at;
    size_t stored, size;
};

struct outputs {
    struct piece *list;
    size_t n;
    int fd; /* of all that is stored, one after the other */
    uint64_t bytes;
};

static void pack(quire_bytes content, struct buf *out)
{
    struct isal_zstream z;
    static uint8_t level[ISAL_DEF_LVL2_DEFAULT];
    size_t room = 2 * content.len + 1024;
    char *at = buf_room(out, room);

    if (!at)
        bench_fail("no memory");
    isal_deflate_stateless_init(&z);
    z.level = 2;
    z.level_buf = level;
    z.level_buf_size = sizeof level;
    z.gzip_flag = IGZIP_GZIP;
    z.next_in = (uint8_t *)(uintptr_t)content.data;
    z.avail_in = (uint32_t)content.len;
    z.end_of_stream = 1;
    z.next_out = (uint8_t *)at;
    z.avail_out = (uint32_t)room;
    if (isal_deflate_stateless(&z) != COMP_OK)
        bench_fail("deflate failed");
    buf_grow(out, z.total_out);
}

/* Put them all, and write what gzip makes of each to a file. */
static void furnish(struct bench *b, quire *q, struct outputs *o)
{
    struct buf text = BUF_INIT(1 << 20), packed = BUF_INIT(1 << 22);
    char *path = place_path(b, "stored");
    quire_blob_info info;
    quire_error err;
    off_t at = 0;
    size_t i;

    o->fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    o->list = calloc(o->n, sizeof *o->list);
    if (o->fd < 0 || !o->list)
        bench_fail("cannot write %s", path);
    free(path);
    bench_ok(quire_begin(q, &err), &err);
    for (i = 0; i < o->n; i++) {
        text_output(&text, i, text_output_size((int)(i * 7919 % 1001)));
        buf_addf(&text, "%zu\n", i);
        bench_ok(quire_blob_put(q, buf_bytes(&text), 0, &info, &err), &err);
        buf_clear(&packed);
        pack(buf_bytes(&text), &packed);
        if (fs_write_all(o->fd, buf_bytes(&packed)) < 0)
            bench_fail("cannot write what is stored");
        o->list[i] = (struct piece){at, packed.len, text.len};
        at += (off_t)packed.len;
        o->bytes += text.len;
    }
    bench_ok(quire_commit(q, &err), &err);
    buf_release(&text);
    buf_release(&packed);
}

struct hand {
    const struct outputs *o;
    size_t from, to;
};

static void *read_inflate_hash(void *ctx)
{
    struct hand *h = ctx;
    uint8_t *in = malloc(1 << 20), *out = malloc(1 << 20);
    struct inflate_state state;
    struct sha256_ctx sha;
    uint8_t digest[32];
    size_t i;

    for (i = h->from; in && out && i < h->to; i++) {
        const struct piece *p = &h->o->list[i];

        if (pread(h->o->fd, in, p->stored, p->at) != (ssize_t)p->stored)
            bench_fail("cannot read what is stored");
        isal_inflate_init(&state);
        state.crc_flag = ISAL_GZIP;
        state.next_in = in;
        state.avail_in = (uint32_t)p->stored;
        state.next_out = out;
        state.avail_out = 1 << 20;
        if (isal_inflate_stateless(&state) != ISAL_DECOMP_OK)
            bench_fail("inflate failed");
        sha256_init(&sha);
        sha256_update(&sha, p->size, out);
        sha256_digest(&sha, sizeof digest, digest);
    }
    free(in);
    free(out);
    return NULL;
}

static double least(const struct outputs *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = cores < 1 ? 1 : cores > HANDS_MAX ? HANDS_MAX : (size_t)cores;
    struct hand hands[HANDS_MAX];
    pthread_t threads[HANDS_MAX];
    double began = now_s();
    size_t i;

    for (i = 0; i < n; i++) {
        hands[i] = (struct hand){o, o->n * i / n, o->n * (i + 1) / n};
        if (pthread_create(&threads[i], NULL, read_inflate_hash, &hands[i]))
            bench_fail("no thread");
    }
    for (i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return now_s() - began;
}

static quire_status no_problem(void *ctx, const quire_problem *p,
                               quire_error *err)
{
    (void)ctx, (void)err;
    bench_fail("%s: %s", p->where, p->what);
}

static double check(quire *q)
{
    quire_check_hooks hooks = {.size = sizeof hooks, .problem = no_problem};
    quire_error err;
    double began = now_s();

    bench_ok(quire_check(q, QUIRE_CHECK_FULL, &hooks, &err), &err);
    return now_s() - began;
}

static void run(struct bench *b)
{
    struct outputs o = {.n = b->quick ? 2000 : 50000};
    struct readings r = {.n = 0};
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    int i, rounds = b->quick ? 2 : 9;
    double mb;

    furnish(b, q, &o);
    mb = (double)o.bytes / 1e6;
    check(q);
    least(&o);
    for (i = 0; i < rounds; i++)
        readings_add(&r, mb / check(q), mb / least(&o));
    report(b,
           (struct line){CHECK, "MB/s", "read + inflate + sha256, all cores",
                         NEED_RATIO, 0.6},
           &r);
    quire_close(q);
    close(o.fd);
    free(o.list);
    place_clear(b, "home");
    place_clear(b, "stored");
}

const struct measure check_measures[] = {
    {run, {CHECK, NULL}},
    {NULL, {NULL}},
};

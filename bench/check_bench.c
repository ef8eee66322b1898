/*
 * check_bench.c - a whole home against its names
 *
 * `check --full` looks at everything in the home; the limit is what nobody can
 * do without: reading what is stored, inflating it and hashing that, with
 * nothing but the libraries, on as many threads as there are processors.
 *
 *   50,000 outputs     of tools, of the sizes real sessions have, in blobs
 *   1,000,000 blobs    the home of home_make.h: small ones, and ten thousand
 *                      sessions that refer to them, which are read and hashed
 *                      too. For information, what is left of the limit if
 *                      sessions are read and not hashed.
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
#include "home_make.h"

#define CHECK  "check --full, 50,000 outputs"
#define MANY   "check --full, 1,000,000 blobs"
#define BARELY "check --full, sessions just read"

enum { HANDS_MAX = 8, READ = 256 * 1024 };

struct piece {
    off_t at;
    size_t stored, size;
    bool plain; /* gzip would not make it smaller */
};

struct outputs {
    struct piece *list;
    size_t n;
    int fd; /* of all that is stored, one after the other */
    off_t end;
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

static void outputs_open(struct bench *b, struct outputs *o, size_t n)
{
    char *path = place_path(b, "stored");

    *o = (struct outputs){.n = n};
    o->fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    o->list = calloc(n, sizeof *o->list);
    if (o->fd < 0 || !o->list)
        bench_fail("cannot write %s", path);
    free(path);
}

static void outputs_close(struct bench *b, struct outputs *o)
{
    close(o->fd);
    free(o->list);
    place_clear(b, "stored");
}

/* Number `i`, as it would be stored; written when there is enough of it. */
static void outputs_add(struct outputs *o, size_t i, quire_bytes content,
                        struct buf *out)
{
    size_t was = out->len;
    bool plain;

    pack(content, out);
    plain = out->len - was >= content.len;
    if (plain) {
        out->len = was;
        buf_add(out, content.data, content.len);
    }
    o->list[i] = (struct piece){o->end, out->len - was, content.len, plain};
    o->end += (off_t)(out->len - was);
    o->bytes += content.len;
    if (out->len < READ && i < o->n - 1)
        return;
    if (fs_write_all(o->fd, buf_bytes(out)) < 0)
        bench_fail("cannot write what is stored");
    buf_clear(out);
}

/* Put them all, and write what gzip makes of each to a file. */
static void furnish(struct bench *b, quire *q, struct outputs *o, size_t n)
{
    struct buf text = BUF_INIT(1 << 20), packed = BUF_INIT(1 << 22);
    quire_blob_info info;
    quire_error err;
    size_t i;

    outputs_open(b, o, n);
    bench_ok(quire_begin(q, &err), &err);
    for (i = 0; i < o->n; i++) {
        text_output(&text, i, text_output_size((int)(i * 7919 % 1001)));
        buf_addf(&text, "%zu\n", i);
        bench_ok(quire_blob_put(q, buf_bytes(&text), 0, &info, &err), &err);
        outputs_add(o, i, buf_bytes(&text), &packed);
    }
    bench_ok(quire_commit(q, &err), &err);
    buf_release(&text);
    buf_release(&packed);
}

/* ---- the limit ---------------------------------------------------------- */

struct hand {
    const struct outputs *o;
    const struct home *home; /* NULL: without sessions */
    bool hash;               /* sessions too           */
    size_t part, parts;
};

static void hash_bytes(const void *data, size_t len)
{
    struct sha256_ctx sha;
    uint8_t digest[32];

    sha256_init(&sha);
    sha256_update(&sha, len, data);
    sha256_digest(&sha, sizeof digest, digest);
}

static void read_output(const struct outputs *o, const struct piece *p,
                        uint8_t *in, uint8_t *out)
{
    struct inflate_state state;

    if (pread(o->fd, in, p->stored, p->at) != (ssize_t)p->stored)
        bench_fail("cannot read what is stored");
    if (p->plain) {
        hash_bytes(in, p->size);
        return;
    }
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
    state.next_in = in;
    state.avail_in = (uint32_t)p->stored;
    state.next_out = out;
    state.avail_out = 1 << 20;
    if (isal_inflate_stateless(&state) != ISAL_DECOMP_OK)
        bench_fail("inflate failed");
    hash_bytes(out, p->size);
}

static void read_session(const struct hand *h, int number, uint8_t *buf)
{
    char path[HOME_PATH];
    struct sha256_ctx sha;
    uint8_t digest[32];
    ssize_t n;
    int fd;

    home_session_path(h->home, number, path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    sha256_init(&sha);
    while ((n = read(fd, buf, READ)) > 0) {
        if (h->hash)
            sha256_update(&sha, (size_t)n, buf);
    }
    if (n < 0)
        bench_fail("cannot read %s", path);
    sha256_digest(&sha, sizeof digest, digest);
    close(fd);
}

static void *read_inflate_hash(void *ctx)
{
    struct hand *h = ctx;
    uint8_t *in = malloc(1 << 20), *out = malloc(1 << 20);
    size_t i, end = h->o->n * (h->part + 1) / h->parts, sessions;

    if (!in || !out)
        bench_fail("no memory");
    for (i = h->o->n * h->part / h->parts; i < end; i++)
        read_output(h->o, &h->o->list[i], in, out);
    sessions = h->home ? (size_t)h->home->n_sessions : 0;
    end = sessions * (h->part + 1) / h->parts;
    for (i = sessions * h->part / h->parts; i < end; i++)
        read_session(h, (int)i, in);
    free(in);
    free(out);
    return NULL;
}

static double least(const struct outputs *o, const struct home *home, bool hash)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = cores < 1 ? 1 : cores > HANDS_MAX ? HANDS_MAX : (size_t)cores;
    struct hand hands[HANDS_MAX];
    pthread_t threads[HANDS_MAX];
    double began = now_s();
    size_t i;

    for (i = 0; i < n; i++) {
        hands[i] = (struct hand){o, home, hash, i, n};
        if (pthread_create(&threads[i], NULL, read_inflate_hash, &hands[i]))
            bench_fail("no thread");
    }
    for (i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    return now_s() - began;
}

/* ---- the check ---------------------------------------------------------- */

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
    struct readings r = {.n = 0};
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    int i, rounds = b->quick ? 2 : 9;
    struct outputs o;
    double mb;

    furnish(b, q, &o, b->quick ? 2000 : 50000);
    mb = (double)o.bytes / 1e6;
    check(q);
    least(&o, NULL, false);
    for (i = 0; i < rounds; i++)
        readings_add(&r, mb / check(q), mb / least(&o, NULL, false));
    report(b,
           (struct line){CHECK, "MB/s", "read + inflate + sha256, all cores",
                         NEED_RATIO, 0.6},
           &r);
    quire_close(q);
    outputs_close(b, &o);
    place_clear(b, "home");
}

/* The blobs of a home, as they would be stored. */
static void store_blobs(struct bench *b, struct outputs *o, size_t n)
{
    struct buf packed = BUF_INIT(1 << 22);
    char text[HOME_BLOB];
    size_t i;

    outputs_open(b, o, n);
    for (i = 0; i < n; i++)
        outputs_add(o, i, bytes_of(text, home_blob(i, text)), &packed);
    buf_release(&packed);
}

static void run_many(struct bench *b)
{
    struct readings r = {.n = 0}, barely = {.n = 0};
    int i, rounds = b->quick ? 2 : 5;
    struct outputs o;
    struct home h;
    double mb, took;

    home_make(&h, b, b->quick ? 200 : 10000);
    store_blobs(b, &o, (size_t)h.n_sessions * PER_SESSION);
    mb = (double)(o.bytes + h.bytes) / 1e6;
    check(h.q);
    least(&o, &h, true);
    for (i = 0; i < rounds; i++) {
        took = check(h.q);
        readings_add(&r, mb / took, mb / least(&o, &h, true));
        readings_add(&barely, mb / took, mb / least(&o, &h, false));
        report_note(b, MANY, "%.0f ms, %.0f MB", took * 1e3, mb);
    }
    report(b,
           (struct line){MANY, "MB/s", "read + inflate + sha256, all cores",
                         NEED_RATIO, 0.6},
           &r);
    report(b,
           (struct line){BARELY, "MB/s", "sha256 of blobs only", NEED_NOTHING,
                         0},
           &barely);
    outputs_close(b, &o);
    home_clear(&h);
}

const struct measure check_measures[] = {
    {run, {CHECK, NULL}},
    {run_many, {MANY, BARELY, NULL}},
    {NULL, {NULL}},
};

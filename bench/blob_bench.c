/*
 * blob_bench.c - pieces of 100 KiB, in and out
 *
 * The limit is what the libraries underneath need for the same bytes: SHA-256
 * by nettle, and the codec that the layout uses, each called in the plainest
 * way with memory that is ready. Everything else, finding, locking, rows,
 * files, waiting for the disk, is ours to answer for.
 *
 * Pieces go in by batches, as an importer would; a line each tells what
 * a put costs that waits for the disk alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <isa-l/igzip_lib.h>
#include <nettle/sha2.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/fs.h"
#include "bench.h"

/* A batch is what `quire blob put` makes one of: 16 MiB. */
enum { PIECE = 100 * 1024, BATCH = 160, PIECES_MAX = 2 * BATCH };

/* ---- the libraries alone ------------------------------------------------ */

struct libraries {
    quire_layout layout;
    struct isal_zstream fast;
    uint8_t *level_buf;
    z_stream stable;
    struct inflate_state inflate;
    uint8_t *out;
};

static const size_t out_bytes = 2 * PIECE;

static void libraries_init(struct libraries *l, quire_layout layout)
{
    *l = (struct libraries){.layout = layout};
    l->level_buf = malloc(ISAL_DEF_LVL2_DEFAULT);
    l->out = malloc(out_bytes);
    if (!l->level_buf || !l->out ||
        deflateInit2(&l->stable, 6, Z_DEFLATED, MAX_WBITS + 16, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        bench_fail("no memory");
    memset(l->out, 0, out_bytes);
}

static void libraries_release(struct libraries *l)
{
    deflateEnd(&l->stable);
    free(l->level_buf);
    free(l->out);
}

static void just_hash(quire_bytes bytes, quire_digest *out)
{
    struct sha256_ctx ctx;

    sha256_init(&ctx);
    sha256_update(&ctx, bytes.len, bytes.data);
    sha256_digest(&ctx, sizeof out->byte, out->byte);
}

/* Into l->out; gives the length. The libraries take no const pointers but
 * write to none of these. */
static size_t just_pack(struct libraries *l, quire_bytes bytes)
{
    if (l->layout == QUIRE_LAYOUT_PACKED) {
        isal_deflate_stateless_init(&l->fast);
        l->fast.level = 2;
        l->fast.level_buf = l->level_buf;
        l->fast.level_buf_size = ISAL_DEF_LVL2_DEFAULT;
        l->fast.gzip_flag = IGZIP_GZIP;
        l->fast.next_in = (uint8_t *)(uintptr_t)bytes.data;
        l->fast.avail_in = (uint32_t)bytes.len;
        l->fast.end_of_stream = 1;
        l->fast.next_out = l->out;
        l->fast.avail_out = (uint32_t)out_bytes;
        if (isal_deflate_stateless(&l->fast) != COMP_OK)
            bench_fail("isa-l does not compress");
        return out_bytes - l->fast.avail_out;
    }
    deflateReset(&l->stable);
    l->stable.next_in = (uint8_t *)(uintptr_t)bytes.data;
    l->stable.avail_in = (uInt)bytes.len;
    l->stable.next_out = l->out;
    l->stable.avail_out = (uInt)out_bytes;
    if (deflate(&l->stable, Z_FINISH) != Z_STREAM_END)
        bench_fail("zlib does not compress");
    return out_bytes - l->stable.avail_out;
}

static void just_unpack(struct libraries *l, quire_bytes packed)
{
    isal_inflate_init(&l->inflate);
    l->inflate.crc_flag = ISAL_GZIP;
    l->inflate.next_in = (uint8_t *)(uintptr_t)packed.data;
    l->inflate.avail_in = (uint32_t)packed.len;
    l->inflate.next_out = l->out;
    l->inflate.avail_out = (uint32_t)out_bytes;
    if (isal_inflate_stateless(&l->inflate) != ISAL_DECOMP_OK)
        bench_fail("isa-l does not unpack");
}

/* ---- pieces ------------------------------------------------------------- */

struct pieces {
    struct buf all; /* one after the other */
    quire_digest name[PIECES_MAX];
    size_t n;
};

static void pieces_make(struct pieces *p, size_t n, uint64_t seed)
{
    struct buf one = BUF_INIT(2 * PIECE);
    size_t i;

    p->all.max = (size_t)PIECES_MAX * PIECE;
    buf_clear(&p->all);
    p->n = n;
    for (i = 0; i < n; i++) {
        text_code(&one, seed * PIECES_MAX + i, PIECE);
        buf_add(&p->all, one.data, one.len);
        just_hash(buf_bytes(&one), &p->name[i]);
    }
    if (p->all.failed)
        bench_fail("no memory");
    buf_release(&one);
}

static quire_bytes piece(const struct pieces *p, size_t i)
{
    return bytes_of(p->all.data + i * PIECE, PIECE);
}

static double megabytes(const struct pieces *p)
{
    return (double)p->all.len / 1e6;
}

/* ---- one side at a time ------------------------------------------------- */

/* Both sides take the same pieces; each gives the seconds it took. */
struct side {
    quire *q;
    struct libraries *libraries;
    const struct pieces *pieces;
    const struct buf *packed; /* for reading: the packed form of each */
    size_t batch;             /* pieces; 1: no batch                  */
    int existed;              /* what every put must say              */
    double *commit_s;         /* adds up the time in commits, if any  */
};

static void commit(const struct side *s)
{
    double began = now_s();
    quire_error err;

    bench_ok(quire_commit(s->q, &err), &err);
    if (s->commit_s)
        *s->commit_s += now_s() - began;
}

static double put_all(const struct side *s)
{
    double began = now_s();
    quire_blob_info info;
    quire_error err;
    size_t i;

    for (i = 0; i < s->pieces->n; i++) {
        if (s->batch > 1 && i % s->batch == 0)
            bench_ok(quire_begin(s->q, &err), &err);
        bench_ok(quire_blob_put(s->q, piece(s->pieces, i), 0, &info, &err),
                 &err);
        if (info.existed != s->existed ||
            memcmp(&info.digest, &s->pieces->name[i], sizeof info.digest))
            bench_fail("put did not do what was to be measured");
        if (s->batch > 1 &&
            (i % s->batch == s->batch - 1 || i == s->pieces->n - 1))
            commit(s);
    }
    return now_s() - began;
}

static double get_all(const struct side *s)
{
    double began = now_s();
    quire_bytes content;
    quire_error err;
    size_t i;

    for (i = 0; i < s->pieces->n; i++) {
        bench_ok(quire_blob_get(s->q, &s->pieces->name[i], &content, &err),
                 &err);
        if (content.len != PIECE)
            bench_fail("get gave %zu bytes", content.len);
    }
    return now_s() - began;
}

static double hash_all(const struct side *s)
{
    double began = now_s();
    quire_digest digest;
    size_t i;

    for (i = 0; i < s->pieces->n; i++)
        just_hash(piece(s->pieces, i), &digest);
    return now_s() - began;
}

static double hash_and_pack_all(const struct side *s)
{
    double began = now_s();
    quire_digest digest;
    size_t i;

    for (i = 0; i < s->pieces->n; i++) {
        just_hash(piece(s->pieces, i), &digest);
        just_pack(s->libraries, piece(s->pieces, i));
    }
    return now_s() - began;
}

static double unpack_and_hash_all(const struct side *s)
{
    double began = now_s();
    quire_digest digest;
    size_t i;

    for (i = 0; i < s->pieces->n; i++) {
        just_unpack(s->libraries, buf_bytes(&s->packed[i]));
        just_hash(bytes_of(s->libraries->out, PIECE), &digest);
    }
    return now_s() - began;
}

/* One reading: both sides, the other one first each time. */
static void take_turns(struct readings *r, const struct side *s,
                       double (*ours)(const struct side *),
                       double (*limit)(const struct side *), double amount)
{
    double a, b;

    if (r->n % 2) {
        a = ours(s);
        b = limit(s);
    } else {
        b = limit(s);
        a = ours(s);
    }
    readings_add(r, amount / a, amount / b);
}

/* ---- content that is there already -------------------------------------- */

/* The store's clock runs ahead, a second more with every round: otherwise the
 * content would be found marked as seen already. */
static void measure_present(struct bench *b, const char *name,
                            quire_layout layout, size_t batch, enum need need)
{
    int64_t clock_us = ((int64_t)time(NULL) + 60) * 1000000;
    struct pieces pieces = {.n = 0};
    struct side side = {.pieces = &pieces, .batch = BATCH};
    struct readings r = {.n = 0};
    int i, n = b->quick ? 3 : 15;

    if (!bench_wants(b, name))
        return;
    pieces_make(&pieces, b->quick ? BATCH : PIECES_MAX, 1);
    side.q = place_store(b, "present", layout, &clock_us);
    put_all(&side);
    side.existed = 1;
    side.batch = batch;
    for (i = 0; i < n; i++) {
        clock_us += 1000000;
        take_turns(&r, &side, put_all, hash_all, megabytes(&pieces));
    }
    quire_close(side.q);
    place_clear(b, "present");
    buf_release(&pieces.all);
    report(b, (struct line){name, "MB/s", "nettle sha256", need, 0.8}, &r);
}

#define PRESENT_PACKED     "put present 100 KiB, packed"
#define PRESENT_LOOSE      "put present 100 KiB, loose"
#define PRESENT_PACKED_ONE "put present 100 KiB, packed, single"
#define PRESENT_LOOSE_ONE  "put present 100 KiB, loose, single"

static void present(struct bench *b)
{
    measure_present(b, PRESENT_PACKED, QUIRE_LAYOUT_PACKED, BATCH, NEED_RATIO);
    measure_present(b, PRESENT_LOOSE, QUIRE_LAYOUT_LOOSE, BATCH, NEED_RATIO);
    measure_present(b, PRESENT_PACKED_ONE, QUIRE_LAYOUT_PACKED, 1,
                    NEED_NOTHING);
    measure_present(b, PRESENT_LOOSE_ONE, QUIRE_LAYOUT_LOOSE, 1, NEED_NOTHING);
}

/* ---- new content -------------------------------------------------------- */

static void measure_new(struct bench *b, const char *name, quire_layout layout,
                        size_t n_pieces, int n)
{
    bool packed = layout == QUIRE_LAYOUT_PACKED;
    struct pieces pieces = {.n = 0};
    struct libraries libraries;
    struct side side = {.pieces = &pieces, .batch = BATCH};
    struct readings r = {.n = 0};
    double commit_s = 0, all_s = 0;
    uint64_t round;
    int i;

    if (!bench_wants(b, name))
        return;
    libraries_init(&libraries, layout);
    side.libraries = &libraries;
    side.q = place_store(b, "new", layout, NULL);
    for (round = 0; r.n < n; round++) {
        pieces_make(&pieces, n_pieces, 100 + round);
        /* The first round makes the store and warms the libraries up. */
        if (round == 0)
            put_all(&side);
        else
            take_turns(&r, &side, put_all, hash_and_pack_all,
                       megabytes(&pieces));
        side.commit_s = &commit_s;
    }
    quire_close(side.q);
    place_clear(b, "new");
    for (i = 0; i < r.n; i++)
        all_s += megabytes(&pieces) / r.value[i];
    report(b,
           (struct line){name, "MB/s",
                         packed ? "sha256 + isa-l 2" : "sha256 + zlib 6",
                         NEED_RATIO, 0.7},
           &r);
    report_note(b, name,
                "the text shrinks to 1/%.2f; %.0f %% of the time is commits,"
                " which wait for the disk",
                PIECE / (double)just_pack(&libraries, piece(&pieces, 0)),
                100 * commit_s / all_s);
    libraries_release(&libraries);
    buf_release(&pieces.all);
}

#define NEW_PACKED "put new 100 KiB, packed"
#define NEW_LOOSE  "put new 100 KiB, loose"

static void fresh(struct bench *b)
{
    measure_new(b, NEW_PACKED, QUIRE_LAYOUT_PACKED,
                b->quick ? BATCH : PIECES_MAX, b->quick ? 3 : 9);
    measure_new(b, NEW_LOOSE, QUIRE_LAYOUT_LOOSE, BATCH, b->quick ? 3 : 7);
}

/* ---- new content, each piece waiting for the disk ----------------------- */

/* What has to happen at the least: for `packed` an append that is synced, for
 * `loose` a file and its name. */
static void just_write(quire_layout layout, int dir, int log, size_t i,
                       quire_bytes bytes)
{
    char name[32];
    int fd = log;
    bool ok;

    if (layout != QUIRE_LAYOUT_PACKED) {
        snprintf(name, sizeof name, "file-%zu", i);
        fd = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    }
    ok = fd >= 0 && fs_write_all(fd, bytes) == 0 && fdatasync(fd) == 0;
    if (ok && fd != log) {
        char proc[40];

        snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
        ok = linkat(AT_FDCWD, proc, dir, name, AT_SYMLINK_FOLLOW) == 0 &&
             fsync(dir) == 0;
    }
    if (!ok)
        bench_fail("cannot write: %s", strerror(errno));
    if (fd != log)
        close(fd);
}

/* Turns are taken piece by piece here: what a sync costs changes from one
 * moment to the next. */
static void measure_single(struct bench *b, const char *name,
                           quire_layout layout)
{
    bool packed = layout == QUIRE_LAYOUT_PACKED;
    struct pieces pieces = {.n = 0};
    struct libraries libraries;
    struct readings r = {.n = 0};
    char *path;
    quire *q;
    int dir, log;
    size_t i;

    if (!bench_wants(b, name))
        return;
    libraries_init(&libraries, layout);
    pieces_make(&pieces, b->quick ? 16 : PIECES_MAX, 2);
    q = place_store(b, "single", layout, NULL);
    path = place_path(b, "limit");
    fs_open_dir(path, true, &dir, NULL);
    log = openat(dir, "log", O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    free(path);
    if (log < 0)
        bench_fail("cannot write: %s", strerror(errno));
    for (i = 0; i < pieces.n; i++) {
        size_t stored = just_pack(&libraries, piece(&pieces, i));
        quire_error err;
        double t0, t1, t2;

        t0 = now_s();
        bench_ok(quire_blob_put(q, piece(&pieces, i), 0, NULL, &err), &err);
        t1 = now_s();
        just_write(layout, dir, log, i, bytes_of(libraries.out, stored));
        t2 = now_s();
        if (i > 0) /* the first one makes the store */
            readings_add(&r, 1 / (t1 - t0), 1 / (t2 - t1));
    }
    close(log);
    close(dir);
    quire_close(q);
    place_clear(b, "single");
    place_clear(b, "limit");
    libraries_release(&libraries);
    buf_release(&pieces.all);
    report(b,
           (struct line){name, "/s",
                         packed ? "append + fdatasync, packed bytes"
                                : "file, fdatasync, name, fsync, packed bytes",
                         NEED_NOTHING, 0},
           &r);
}

#define SINGLE_PACKED "put new 100 KiB, packed, single"
#define SINGLE_LOOSE  "put new 100 KiB, loose, single"

static void single(struct bench *b)
{
    measure_single(b, SINGLE_PACKED, QUIRE_LAYOUT_PACKED);
    measure_single(b, SINGLE_LOOSE, QUIRE_LAYOUT_LOOSE);
}

/* ---- reading ------------------------------------------------------------ */

static void measure_get(struct bench *b, const char *name, quire_layout layout)
{
    static struct buf packed[PIECES_MAX];
    struct pieces pieces = {.n = 0};
    struct libraries libraries;
    struct side side = {.pieces = &pieces, .packed = packed, .batch = BATCH};
    struct readings r = {.n = 0};
    int i, n = b->quick ? 3 : 15;

    if (!bench_wants(b, name))
        return;
    libraries_init(&libraries, layout);
    side.libraries = &libraries;
    pieces_make(&pieces, b->quick ? BATCH : PIECES_MAX, 3);
    for (i = 0; i < (int)pieces.n; i++) {
        size_t len = just_pack(&libraries, piece(&pieces, (size_t)i));

        packed[i] = (struct buf)BUF_INIT(out_bytes);
        buf_add(&packed[i], libraries.out, len);
    }
    side.q = place_store(b, "get", layout, NULL);
    put_all(&side);
    get_all(&side);
    for (i = 0; i < n; i++)
        take_turns(&r, &side, get_all, unpack_and_hash_all, megabytes(&pieces));
    quire_close(side.q);
    place_clear(b, "get");
    for (i = 0; i < (int)pieces.n; i++)
        buf_release(&packed[i]);
    libraries_release(&libraries);
    buf_release(&pieces.all);
    report(b, (struct line){name, "MB/s", "inflate + sha256", NEED_RATIO, 0.7},
           &r);
}

#define GET_PACKED "get 100 KiB, packed"
#define GET_LOOSE  "get 100 KiB, loose"

static void get(struct bench *b)
{
    measure_get(b, GET_PACKED, QUIRE_LAYOUT_PACKED);
    measure_get(b, GET_LOOSE, QUIRE_LAYOUT_LOOSE);
}

const struct measure blob_measures[] = {
    {present,
     {PRESENT_PACKED, PRESENT_LOOSE, PRESENT_PACKED_ONE, PRESENT_LOOSE_ONE}},
    {fresh, {NEW_PACKED, NEW_LOOSE}},
    {single, {SINGLE_PACKED, SINGLE_LOOSE}},
    {get, {GET_PACKED, GET_LOOSE}},
    {NULL, {NULL}},
};

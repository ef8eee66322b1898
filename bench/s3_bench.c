/*
 * s3_bench.c - objects in S3 beside libcurl alone
 *
 * The same store, the same sizes, one connection or sixteen: our put (hash, sign,
 * one request) and get (open, read, compare) beside a loop of libcurl over one
 * request that was signed before, which looks at nothing. A get of a mebibyte
 * spends as long on its SHA-256 as on the transfer.
 *
 * Only where QUIRE_TEST_S3 names a store, such as that of tests/cluster/rgw; the
 * server shares the machine, and limits both.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "bench.h"
#include "store/libcurl.h"
#include "store/s3.h"

enum { THREADS_MAX = 16 };

/* CURLOPT_… that the store does not need. */
enum {
    OPT_POSTFIELDS = 10015,
    OPT_POSTFIELDSIZE_LARGE = 30120,
};

struct load {
    struct object_store *store;
    const struct s3_config *config;
    const struct libcurl *curl;
    quire_bytes bytes;
    bool is_put, is_ours;
    double seconds;
    int number;
    long done;
};

/* ---- ours ----------------------------------------------------------------- */

static void put_ours(struct load *l, const char *name)
{
    struct draft *d;
    quire_error err;

    bench_ok(object_create(l->store, &d, &err), &err);
    bench_ok(object_write(d, l->bytes, &err), &err);
    bench_ok(object_publish(d, name, true, &err), &err);
}

static void get_ours(struct load *l, const char *name, char *to)
{
    struct object_info info;
    struct object *o;
    quire_error err;
    size_t n;

    bench_ok(object_open(l->store, name, &o, &info, &err), &err);
    bench_ok(object_read(o, 0, to, l->bytes.len, &n, &err), &err);
    object_close(o);
    if (n != l->bytes.len)
        bench_fail("an object has %zu bytes", n);
}

static void run_ours(struct load *l)
{
    double began = now_s();
    char name[32], *to = malloc(l->bytes.len);

    if (!to)
        bench_fail("no memory");
    snprintf(name, sizeof name, "%d", l->number);
    for (; now_s() - began < l->seconds; l->done++) {
        if (l->is_put)
            put_ours(l, name);
        else
            get_ours(l, name, to);
    }
    free(to);
}

/* ---- libcurl alone -------------------------------------------------------- */

static size_t ignore(char *from, size_t size, size_t n, void *ctx)
{
    (void)from;
    *(size_t *)ctx += size * n;
    return size * n;
}

static struct curl_slist *add(const struct load *l, struct curl_slist *list,
                              const char *name, const char *value)
{
    char line[600];

    snprintf(line, sizeof line, "%s: %s", name, value);
    return l->curl->slist_append(list, line);
}

/* Signed once: it holds for a quarter of an hour. */
static struct curl_slist *sign(const struct load *l, const char *path)
{
    const struct s3_config *c = l->config;
    struct sigv4_key key = {c->credentials.id, c->credentials.secret, c->region,
                            "s3"};
    char time[SIGV4_TIME_SIZE], sha256[SIGV4_SHA256_SIZE];
    struct sigv4_pair headers[] = {{"host", c->host},
                                   {"x-amz-content-sha256", sha256},
                                   {"x-amz-date", time}};
    struct sigv4_request r = {.method = l->is_put ? "PUT" : "GET",
                              .path = path,
                              .headers = headers,
                              .n_headers = 3,
                              .payload = sha256,
                              .time = time};
    struct buf line = BUF_INIT(1000);
    struct curl_slist *list = NULL;
    int i;

    sigv4_time(clock_s(&clock_system), time);
    sigv4_sha256(l->is_put ? l->bytes : bytes_of(NULL, 0), sha256);
    sigv4_authorization(&key, &r, &line);
    for (i = 0; i < 3; i++)
        list = add(l, list, headers[i].name, headers[i].value);
    list = add(l, list, "authorization", buf_text(&line));
    list = add(l, list, "content-type", "");
    buf_release(&line);
    return add(l, list, "expect", "");
}

static void *set_up(const struct load *l, struct curl_slist **headers,
                    size_t *got)
{
    const struct s3_config *c = l->config;
    int (*set)(void *, int, ...) = l->curl->easy_setopt;
    void *easy = l->curl->easy_init();
    char url[600], path[300];

    if (!easy)
        bench_fail("no memory");
    snprintf(path, sizeof path, "/%s/%s/%d", c->bucket, c->prefix, l->number);
    snprintf(url, sizeof url, "%s%s", c->base, path);
    *headers = sign(l, path);
    set(easy, LIBCURL_URL, url);
    set(easy, LIBCURL_HTTPHEADER, *headers);
    set(easy, LIBCURL_WRITEFUNCTION, ignore);
    set(easy, LIBCURL_WRITEDATA, got);
    set(easy, LIBCURL_TCP_NODELAY, 1L);
    if (l->is_put) {
        set(easy, OPT_POSTFIELDS, l->bytes.data);
        set(easy, OPT_POSTFIELDSIZE_LARGE, (int64_t)l->bytes.len);
        set(easy, LIBCURL_CUSTOMREQUEST, "PUT");
    }
    return easy;
}

static void run_curl(struct load *l)
{
    struct curl_slist *headers;
    size_t got = 0;
    void *easy = set_up(l, &headers, &got);
    double began = now_s();
    long status = 0;

    for (; now_s() - began < l->seconds; l->done++) {
        if (l->curl->easy_perform(easy))
            bench_fail("libcurl cannot reach the store");
        l->curl->easy_getinfo(easy, LIBCURL_RESPONSE_CODE, &status);
        if (status != 200)
            bench_fail("libcurl got status %ld", status);
    }
    l->curl->easy_cleanup(easy);
    l->curl->slist_free_all(headers);
}

/* ---- both ----------------------------------------------------------------- */

static void *run_load(void *ctx)
{
    struct load *l = ctx;

    if (l->is_ours)
        run_ours(l);
    else
        run_curl(l);
    return NULL;
}

/* Objects a second. */
static double rate(const struct load *of, int n_threads, bool is_ours)
{
    struct load loads[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    double began = now_s();
    long done = 0;
    int i;

    for (i = 0; i < n_threads; i++) {
        loads[i] = *of;
        loads[i].is_ours = is_ours;
        loads[i].number = i;
        if (pthread_create(&threads[i], NULL, run_load, &loads[i]))
            bench_fail("no thread");
    }
    for (i = 0; i < n_threads; i++) {
        pthread_join(threads[i], NULL);
        done += loads[i].done;
    }
    return (double)done / (now_s() - began);
}

/* The order of the lines: size, then put and get, then 1 and 16. */
#define NAMES(size)                                                     \
    "S3 put " size ", 1 connection", "S3 put " size ", 16 connections", \
        "S3 get " size ", 1 connection", "S3 get " size ", 16 connections"
#define ALL_NAMES NAMES("1 KiB"), NAMES("64 KiB"), NAMES("1 MiB")

static const char *const names[] = {ALL_NAMES};

static void measure_one(struct bench *b, struct load *l, int line)
{
    static const size_t sizes[] = {1024, 65536, 1048576};
    struct readings r = {.n = 0};
    struct buf bytes = BUF_INIT(1 << 21);
    int n_threads = line % 2 ? THREADS_MAX : 1, i;
    struct load fill = *l;

    text_noise(&bytes, 1, sizes[line / 4]);
    l->bytes = fill.bytes = buf_bytes(&bytes);
    l->is_put = line % 4 < 2;
    fill.is_put = true;
    fill.seconds = 0.01;
    rate(&fill, n_threads, true); /* what is there to be read */
    for (i = 0; i < (b->quick ? 1 : 3); i++)
        readings_add(&r, rate(l, n_threads, true), rate(l, n_threads, false));
    report(b,
           (struct line){names[line], "/s", "libcurl alone", NEED_RATIO, 0.5},
           &r);
    buf_release(&bytes);
}

static void measure_s3(struct bench *b)
{
    struct s3_config c;
    struct s3_client *client;
    struct load l = {.seconds = b->quick ? 0.05 : 0.4};
    quire_error err;
    char url[500];
    int i;

    if (!getenv("QUIRE_TEST_S3")) {
        report_note(b, names[0], "QUIRE_TEST_S3 names no S3 store");
        return;
    }
    snprintf(url, sizeof url, "%s/bench", getenv("QUIRE_TEST_S3"));
    bench_ok(s3_config_read(url, &s3_env_process, &c, &err), &err);
    bench_ok(s3_client_new(&c, &client, &err), &err);
    bench_ok(s3_store_new(client, NULL, &l.store, &err), &err);
    bench_ok(libcurl_load(&l.curl, &err), &err);
    l.config = s3_client_config(client);
    for (i = 0; i < 12; i++) {
        if (bench_wants(b, names[i]))
            measure_one(b, &l, i);
    }
    bench_ok(object_clear(l.store, "", &err), &err);
    object_store_free(l.store);
}

const struct measure s3_measures[] = {
    {measure_s3, {ALL_NAMES}},
    {NULL, {NULL}},
};

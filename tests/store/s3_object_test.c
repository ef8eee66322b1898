/*
 * Objects in S3 beyond the promises of object.h: large ones, many threads, names
 * of any bytes. Over any store: the stand-in of tests/s3 and real ones.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "store/s3_calls.h"
#include "store/s3_upload.h"
#include "support/s3.h"
#include "support/test.h"

static struct object_store *open_store(void)
{
    if (!test_has_s3())
        SKIP("QUIRE_TEST_S3 names no S3 store");
    return test_s3_objects();
}

static void end(struct object_store *s)
{
    OK(object_clear(s, "", &test_err));
    object_store_free(s);
}

/* In pieces of changing sizes. */
static quire_status put(struct object_store *s, const char *name,
                        quire_bytes bytes, bool replace)
{
    struct draft *d;
    size_t at = 0, len = 1;
    quire_status st;

    OK(object_create(s, &d, &test_err));
    for (; at < bytes.len; at += len, len = len * 7 % 300007) {
        if (len > bytes.len - at)
            len = bytes.len - at;
        OK(object_write(d, bytes_sub(bytes, at, at + len), &test_err));
    }
    st = object_publish(d, name, replace, &test_err);
    if (st == QUIRE_EXISTS)
        object_discard(d);
    return st;
}

static quire_bytes noise(uint64_t seed, size_t len)
{
    char *p = test_alloc(len);

    test_noise(seed, p, len);
    return bytes_of(p, len);
}

/* All of it, in pieces of `step`. */
static void reads_as(struct object *o, quire_bytes want, size_t step)
{
    char *got = test_alloc(want.len + step);
    size_t at = 0, n = 1;

    while (n > 0) {
        OK(object_read(o, at, got + at, step, &n, &test_err));
        at += n;
        YES(at <= want.len);
    }
    SAME(want, bytes_of(got, at));
}

static void holds_large(struct object_store *s, quire_bytes want)
{
    static const uint64_t places[] = {0, 1048575, 1048576, 2000000, 70000, 3};
    struct object_info info;
    struct object *o;
    char piece[5000];
    size_t n, i;

    OK(object_stat(s, "large", &info, &test_err));
    EQ(want.len, info.size);
    OK(object_open(s, "large", &o, &info, &test_err));
    EQ(want.len, info.size);
    reads_as(o, want, 99991);
    for (i = 0; i < sizeof places / sizeof *places; i++) {
        size_t at = (size_t)places[i];

        OK(object_read(o, at, piece, sizeof piece, &n, &test_err));
        SAME(bytes_sub(want, at, at + sizeof piece), bytes_of(piece, n));
    }
    OK(object_read(o, want.len - 10, piece, sizeof piece, &n, &test_err));
    SAME(bytes_sub(want, want.len - 10, want.len), bytes_of(piece, n));
    OK(object_read(o, want.len, piece, sizeof piece, &n, &test_err));
    EQ(0, n);
    object_close(o);
    OK(object_open(s, "large", &o, &info, &test_err));
    reads_as(o, want, want.len);
    object_close(o);
}

TEST(s3_object_of_some_mebibytes_is_spooled_and_read_by_range)
{
    struct object_store *s = open_store();
    quire_bytes want = noise(1, 3000001);

    OK(put(s, "large", want, true));
    holds_large(s, want);
    end(s);
}

TEST(s3_object_above_16_mib_goes_in_parts)
{
    struct object_store *s = open_store();
    quire_bytes want = noise(2, (size_t)S3_WHOLE_MAX + S3_PART_BYTES + 1);

    OK(put(s, "large", want, true));
    holds_large(s, want);
    IS(QUIRE_EXISTS, put(s, "large", bytes_str("x"), false));
    end(s);
}

/* The largest that is in memory, and the smallest that is not; the sizes of
 * windows. */
TEST(s3_object_of_every_size_at_a_boundary_comes_back)
{
    static const size_t sizes[] = {0,       1,       65536,   1048575,
                                   1048576, 1048577, 3145728, 3145729};
    struct object_store *s = open_store();
    struct object_info info;
    struct object *o;
    size_t i;

    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        quire_bytes want = noise(i, sizes[i]);

        OK(put(s, "x", want, true));
        OK(object_open(s, "x", &o, &info, &test_err));
        EQ(sizes[i], info.size);
        YES(info.modified_s > 1500000000);
        reads_as(o, want, 65536);
        object_close(o);
    }
    end(s);
}

TEST(s3_large_object_that_is_replaced_or_removed_is_not_mixed)
{
    struct object_store *s = open_store();
    quire_bytes want = noise(3, 2000000), other = noise(4, 2000000);
    struct object_info info;
    struct object *o;
    char piece[1000];
    size_t n;

    OK(put(s, "x", want, true));
    OK(object_open(s, "x", &o, &info, &test_err));
    OK(put(s, "x", other, true));
    OK(object_read(o, 0, piece, sizeof piece, &n, &test_err));
    SAME(bytes_sub(want, 0, sizeof piece), bytes_of(piece, n));
    IS(QUIRE_CHANGED,
       object_read(o, 1500000, piece, sizeof piece, &n, &test_err));
    HAS(test_err.what, "replaced or removed");
    object_close(o);
    OK(object_open(s, "x", &o, &info, &test_err));
    OK(object_remove(s, "x", &test_err));
    IS(QUIRE_CHANGED,
       object_read(o, 1500000, piece, sizeof piece, &n, &test_err));
    object_close(o);
    end(s);
}

/* ---- names ---------------------------------------------------------------- */

static quire_status collect(void *ctx, const char *name,
                            const struct object_info *info, quire_error *err)
{
    (void)info;
    (void)err;
    buf_addf(ctx, "%s\n", name);
    return QUIRE_OK;
}

TEST(s3_names_may_have_any_printable_bytes)
{
    static const char *const names[] = {
        "!exclaims",  "$1 'x'",  "100%25",
        "a b/c+d",    "a&b;<c>", "a=b?c#d",
        "colon:at@x", "~tilde",  "\xc3\xbc\xe2\x82\xac",
    };
    struct object_store *s = open_store();
    struct buf want = BUF_INIT(1000), got = BUF_INIT(1000);
    struct object_info info;
    struct object *o;
    char *text;
    size_t i;

    for (i = 0; i < sizeof names / sizeof *names; i++) {
        OK(put(s, names[i], bytes_str(names[i]), false));
        buf_addf(&want, "%s\n", names[i]);
    }
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        OK(object_open(s, names[i], &o, &info, &test_err));
        reads_as(o, bytes_str(names[i]), 100);
        object_close(o);
    }
    OK(object_list(s, "", collect, &got, &test_err));
    SAME(buf_bytes(&want), buf_bytes(&got));
    text = test_alloc(1100);
    memset(text, 'x', 1100);
    IS(QUIRE_INVALID, object_stat(s, text, &info, &test_err));
    HAS(test_err.what, "too long");
    buf_release(&want);
    buf_release(&got);
    end(s);
}

static quire_status count(void *ctx, const char *name,
                          const struct object_info *info, quire_error *err)
{
    char want[32];

    (void)err;
    snprintf(want, sizeof want, "n/%03d", (*(int *)ctx)++);
    SAME_TEXT(want, name);
    EQ(3, info->size);
    return QUIRE_OK;
}

TEST(s3_list_goes_on_over_pages_and_leaves_out_what_is_not_ours)
{
    struct s3_client *client;
    struct object_store *s;
    struct s3_body body = {.sha256 = S3_EMPTY_SHA256};
    const char *root;
    char key[200];
    int i, n = 0;

    if (!test_has_s3())
        SKIP("QUIRE_TEST_S3 names no S3 store");
    s = test_s3_failing("", &client);
    root = s3_client_config(client)->prefix;
    for (i = 0; i < 230; i++) {
        snprintf(key, sizeof key, "n/%03d", i);
        OK(put(s, key, bytes_str("123"), true));
    }
    snprintf(key, sizeof key, "%s/n/", root);
    OK(s3_put(client, key, &body, &test_err));
    OK(object_list(s, "", count, &n, &test_err));
    EQ(230, n);
    OK(object_clear(s, "n", &test_err));
    n = 0;
    OK(object_list(s, "", count, &n, &test_err));
    EQ(0, n);
    OK(s3_delete(client, key, &test_err));
    OK(s3_delete(client, key, &test_err)); /* absent is success */
    end(s);
}

/* ---- threads -------------------------------------------------------------- */

enum { THREADS = 12, ROUNDS = 15 };

struct load {
    struct object_store *store;
    int number;
    const char *failed;
};

static bool round_trip(struct object_store *s, int thread, int i)
{
    char name[32], text[64], got[64];
    struct object_info info;
    struct object *o;
    struct draft *d;
    size_t n = 0;
    bool same;

    snprintf(name, sizeof name, "%d/%d", thread, i);
    snprintf(text, sizeof text, "content of %s", name);
    if (object_create(s, &d, NULL))
        return false;
    if (object_write(d, bytes_str(text), NULL)) {
        object_discard(d);
        return false;
    }
    if (object_publish(d, name, true, NULL) ||
        object_open(s, name, &o, &info, NULL))
        return false;
    same = !object_read(o, 0, got, sizeof got, &n, NULL) &&
           bytes_is(bytes_of(got, n), text);
    object_close(o);
    return same && !object_remove(s, name, NULL);
}

static void *work(void *ctx)
{
    struct load *l = ctx;
    int i;

    for (i = 0; i < ROUNDS && !l->failed; i++) {
        if (!round_trip(l->store, l->number, i))
            l->failed = "a round trip";
    }
    return NULL;
}

TEST(s3_threads_share_a_store_and_few_connections)
{
    struct s3_config c;
    struct s3_client *client;
    struct object_store *s;
    struct load loads[THREADS];
    pthread_t threads[THREADS];
    int i;

    object_store_free(open_store());
    OK(s3_config_read(getenv("QUIRE_TEST_S3"), &s3_env_process, &c, &test_err));
    c.prefix = "threads";
    c.n_connections = 3;
    OK(s3_client_new(&c, &client, &test_err));
    OK(s3_store_new(client, NULL, &s, &test_err));
    for (i = 0; i < THREADS; i++) {
        loads[i] = (struct load){s, i, NULL};
        EQ(0, pthread_create(&threads[i], NULL, work, &loads[i]));
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        YES(loads[i].failed == NULL);
    }
    /* put, get, and a look before the removal */
    EQ(THREADS * ROUNDS * 4, s3_client_counts(client).requests);
    EQ(0, s3_client_counts(client).repeated);
    end(s);
}

/* ---- what a store refuses ------------------------------------------------- */

TEST(s3_body_that_is_not_what_was_signed_is_refused)
{
    struct s3_client *client;
    struct s3_body body = {.bytes = {"x", 1},
                           .len = 1,
                           .sha256 = S3_EMPTY_SHA256};
    struct s3_response a;

    if (!test_has_s3())
        SKIP("QUIRE_TEST_S3 names no S3 store");
    client = test_s3_client("");
    IS(QUIRE_IO, s3_put(client, "t/wrong", &body, &test_err));
    HAS(test_err.what, "400");
    IS(QUIRE_NOT_FOUND, s3_head(client, "t/wrong", &a, &test_err));
    s3_client_free(client);
}

static const char *without(void *ctx, const char *name)
{
    return !strcmp(name, ctx) ? "wrong-and-secret" : getenv(name);
}

static void refused_for(const char *variable, const char *hint)
{
    struct s3_env env = {without, test_alloc(100)};
    struct s3_config c;
    struct s3_client *client;
    struct s3_page page;
    struct arena keep = ARENA_INIT;

    strcpy(env.ctx, variable);
    OK(s3_config_read(getenv("QUIRE_TEST_S3"), &env, &c, &test_err));
    OK(s3_client_new(&c, &client, &test_err));
    IS(QUIRE_IO, s3_list(client, "t", NULL, &keep, &page, &test_err));
    HAS(test_err.what, "403");
    HAS(test_err.next, hint);
    NO(strstr(test_err.what, "secret"));
    arena_release(&keep);
    s3_client_free(client);
}

TEST(s3_credentials_that_are_wrong_are_named_and_not_shown)
{
    object_store_free(open_store());
    refused_for("AWS_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY");
    refused_for("AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID");
}

TEST(s3_bucket_that_does_not_exist_is_reported)
{
    struct object_store *s = open_store();
    struct object_info info;
    struct object *o;

    object_store_free(s);
    OK(s3_store_open("s3://no-such-bucket/x", &s, &test_err));
    IS(QUIRE_IO, put(s, "x", bytes_str("1"), true));
    HAS(test_err.what, "NoSuchBucket");
    HAS(test_err.next, "create the bucket");
    IS(QUIRE_IO, object_open(s, "x", &o, &info, &test_err));
    IS(QUIRE_IO, object_list(s, "", collect, NULL, &test_err));
    object_store_free(s);
}

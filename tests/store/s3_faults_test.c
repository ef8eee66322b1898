/*
 * An S3 store that fails: each way with the status that is promised, in bounded
 * time, and without a word of the credentials. Over tests/s3/server.py, which
 * makes the faults that a prefix names: CALL.KIND.COUNT.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "store/s3_calls.h"
#include "store/s3_upload.h"
#include "support/s3.h"
#include "support/test.h"

enum { SMALL = 1000, LARGE = 2000000 };

static quire_status put(struct object_store *s, const char *name, size_t len)
{
    char *bytes = test_alloc(len);
    struct draft *d;

    test_noise(len, bytes, len);
    OK(object_create(s, &d, &test_err));
    OK(object_write(d, bytes_of(bytes, len), &test_err));
    return object_publish(d, name, true, &test_err);
}

static quire_status read_all(struct object_store *s, const char *name,
                             size_t len)
{
    struct object_info info;
    struct object *o;
    char *want = test_alloc(len), *got = test_alloc(len);
    size_t n;
    quire_status st = object_open(s, name, &o, &info, &test_err);

    if (st)
        return st;
    EQ(len, info.size);
    st = object_read(o, 0, got, len, &n, &test_err);
    object_close(o);
    test_noise(len, want, len);
    if (!st)
        SAME(bytes_of(want, len), bytes_of(got, n));
    return st;
}

static quire_status take_name(void *ctx, const char *name,
                              const struct object_info *info, quire_error *err)
{
    (void)name;
    (void)info;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

/* ---- what is tried: each returns what the faulty call did ------------------ */

static quire_status try_get(struct object_store *s)
{
    OK(put(s, "x", SMALL));
    return read_all(s, "x", SMALL);
}

static quire_status try_get_large(struct object_store *s)
{
    OK(put(s, "x", LARGE));
    return read_all(s, "x", LARGE);
}

static quire_status try_stat(struct object_store *s)
{
    struct object_info info;
    quire_status st;

    OK(put(s, "x", SMALL));
    st = object_stat(s, "x", &info, &test_err);
    if (!st)
        EQ(SMALL, info.size);
    return st;
}

static quire_status try_put(struct object_store *s)
{
    quire_status st = put(s, "x", SMALL);

    if (!st)
        OK(read_all(s, "x", SMALL));
    return st;
}

static quire_status try_puts(struct object_store *s)
{
    quire_status st = try_put(s);

    return st ? st : try_put(s);
}

static quire_status try_remove(struct object_store *s)
{
    struct object_info info;
    quire_status st;

    OK(put(s, "x", SMALL));
    st = object_remove(s, "x", &test_err);
    if (!st)
        IS(QUIRE_NOT_FOUND, object_stat(s, "x", &info, &test_err));
    return st;
}

static quire_status try_list(struct object_store *s)
{
    int n = 0;
    quire_status st;

    OK(put(s, "x", SMALL));
    st = object_list(s, "", take_name, &n, &test_err);
    if (!st)
        EQ(1, n);
    return st;
}

/* In parts. What failed is not there. */
static quire_status try_parts(struct object_store *s)
{
    const size_t len = (size_t)S3_WHOLE_MAX + 1;
    struct object_info info;
    quire_status st = put(s, "x", len);

    if (st)
        IS(QUIRE_NOT_FOUND, object_stat(s, "x", &info, NULL));
    else
        OK(read_all(s, "x", len));
    return st;
}

struct fault_case {
    const char *fault;
    quire_status (*attempt)(struct object_store *s);
    quire_status status;
    const char *what; /* a part of the message; NULL: none */
    /* At least; -1: none. libcurl itself repeats what a connection that was kept
     * did not answer. */
    int repeated;
};

static const struct fault_case cases[] = {
    {"GET.500.2", try_get, QUIRE_OK, NULL, 2},
    {"GET.429.1", try_get, QUIRE_OK, NULL, 1},
    {"GET.503.0", try_get, QUIRE_IO, "status 503 InternalError, repeatedly", 2},
    {"GET.501.0", try_get, QUIRE_IO, "status 501", -1},
    {"GET.403.0", try_get, QUIRE_IO, "status 403", -1},
    {"GET.301.0", try_get, QUIRE_IO, "status 301", -1},
    {"GET.refuse.2", try_get, QUIRE_OK, NULL, 0},
    {"GET.refuse.0", try_get, QUIRE_IO, "eturned nothing", 2},
    {"GET.closeafter.0", try_get_large, QUIRE_OK, NULL, 0},
    {"GET.cut.1", try_get, QUIRE_OK, NULL, 1},
    {"GET.cut.2", try_get_large, QUIRE_OK, NULL, 2},
    {"GET.cut.0", try_get, QUIRE_IO, "repeatedly", 2},
    {"GET.slow.1", try_get, QUIRE_OK, NULL, 1},
    {"GET.slow.0", try_get, QUIRE_IO, "imeout", 1},
    {"GET.drip.0", try_get, QUIRE_IO, "imeout", 1},
    {"GET.flip.0", try_get, QUIRE_DAMAGED, "SHA-256 differs", -1},
    {"GET.flip.0", try_get_large, QUIRE_DAMAGED, "SHA-256 differs", -1},
    {"GET.long.0", try_get, QUIRE_IO, "longer than expected", -1},
    {"GET.short.0", try_get, QUIRE_IO, "another range", -1},
    {"GET.shift.0", try_get_large, QUIRE_IO, "another range", -1},
    {"GET.total.0", try_get, QUIRE_IO, "another range", -1},
    {"GET.ignore.0", try_get, QUIRE_OK, NULL, -1},
    {"GET.ignore.0", try_get_large, QUIRE_IO, "longer than expected", -1},
    {"HEAD.500.1", try_stat, QUIRE_OK, NULL, 1},
    {"HEAD.refuse.1", try_stat, QUIRE_OK, NULL, 0},
    {"HEAD.403.0", try_stat, QUIRE_IO, "status 403", -1},
    {"PUT.500.2", try_put, QUIRE_OK, NULL, 2},
    {"PUT.500.0", try_put, QUIRE_IO, "status 500", 2},
    {"PUT.cutrequest.1", try_put, QUIRE_OK, NULL, 0},
    {"PUT.cutrequest.0", try_put, QUIRE_IO, "repeatedly", 2},
    {"PUT.lost.1", try_put, QUIRE_OK, NULL, 0},
    {"PUT.lost.0", try_put, QUIRE_IO, "repeatedly", 2},
    {"PUT.slow.0", try_put, QUIRE_IO, "imeout", 1},
    {"PUT.mismatch.1", try_put, QUIRE_OK, NULL, 1},
    {"PUT.mismatch.0", try_put, QUIRE_IO, "XAmzContentSHA256Mismatch", 2},
    {"PUT.closeafter.0", try_puts, QUIRE_OK, NULL, 0},
    {"PUT.404.0", try_put, QUIRE_IO, "absent", -1},
    {"DELETE.500.1", try_remove, QUIRE_OK, NULL, 1},
    {"DELETE.lost.1", try_remove, QUIRE_OK, NULL, 0},
    {"DELETE.403.0", try_remove, QUIRE_IO, "status 403", -1},
    {"LIST.500.1", try_list, QUIRE_OK, NULL, 1},
    {"LIST.cut.1", try_list, QUIRE_OK, NULL, 1},
    {"LIST.404.0", try_list, QUIRE_IO, "no list", -1},
    {"LIST.html.0", try_list, QUIRE_IO, "is not a list", -1},
    {"LIST.elsewhere.0", try_list, QUIRE_IO, "is not a list", -1},
    {"LIST.loop.0", try_list, QUIRE_IO, "does not end", -1},
    {"LIST.empty.0", try_list, QUIRE_IO, "does not end", -1},
    {"BEGIN.500.1", try_parts, QUIRE_OK, NULL, 1},
    {"BEGIN.html.0", try_parts, QUIRE_IO, "no id", -1},
    {"BEGIN.403.0", try_parts, QUIRE_IO, "status 403", -1},
    {"PART.500.2", try_parts, QUIRE_OK, NULL, 2},
    {"PART.cutrequest.1", try_parts, QUIRE_OK, NULL, 0},
    {"PART.500.0", try_parts, QUIRE_IO, "status 500", 2},
    {"PART.noetag.0", try_parts, QUIRE_IO, "no ETag", -1},
    {"PART.badetag.0", try_parts, QUIRE_IO, "no ETag", -1},
    {"COMPLETE.500.1", try_parts, QUIRE_OK, NULL, 1},
    {"COMPLETE.500.0", try_parts, QUIRE_IO, "status 500", 2},
    {"COMPLETE.lost.1", try_parts, QUIRE_OK, NULL, 0},
    {"COMPLETE.embedded.1", try_parts, QUIRE_OK, NULL, -1},
};

/* Two requests of 0.7 s at most and the pauses between, with room for a busy
 * machine. */
enum { BOUND_US = 8000000 };

static void check_case(const struct fault_case *c)
{
    struct s3_client *client;
    struct object_store *s = test_s3_failing(c->fault, &client);
    int64_t begun = clock_steady_us(), took;
    quire_status st;
    struct s3_counts counts;

    memset(&test_err, 0, sizeof test_err);
    st = c->attempt(s);
    took = clock_steady_us() - begun;
    counts = s3_client_counts(client);
    object_store_free(s);
    if (st != c->status || (c->what && !strstr(test_err.what, c->what)) ||
        (c->repeated >= 0 ? counts.repeated < (uint64_t)c->repeated
                          : counts.repeated > 0) ||
        took > BOUND_US) {
        printf("%s: %s, %d repeated, %d ms: %s\n", c->fault,
               quire_status_name(st), (int)counts.repeated, (int)(took / 1000),
               test_err.what);
        YES(!"as the table says");
    }
    YES(!st || *test_err.next);
    NO(strstr(test_err.what, getenv("AWS_SECRET_ACCESS_KEY")));
}

static void check_cases(const char *call)
{
    size_t i, n = 0;

    if (!test_has_s3_faults())
        SKIP("no S3 store here misbehaves: tests/s3/run");
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strncmp(cases[i].fault, call, strlen(call)) != 0)
            continue;
        check_case(&cases[i]);
        n++;
    }
    YES(n > 0);
}

TEST(s3_faults_while_reading_have_their_status)
{
    check_cases("GET.");
    check_cases("HEAD.");
}

TEST(s3_faults_while_writing_have_their_status)
{
    check_cases("PUT.");
    check_cases("DELETE.");
}

TEST(s3_faults_of_lists_have_their_status)
{
    check_cases("LIST.");
}

TEST(s3_faults_of_uploads_in_parts_leave_no_object)
{
    check_cases("BEGIN.");
    check_cases("PART.");
    check_cases("COMPLETE.");
}

/* ---- connections ---------------------------------------------------------- */

/* As `variable`; everything else as it is. */
struct other_env {
    const char *variable, *value;
};

static const char *other_get(void *ctx, const char *name)
{
    const struct other_env *o = ctx;

    return strcmp(name, o->variable) ? getenv(name) : o->value;
}

static quire_status list_over(const char *url, const struct s3_env *env)
{
    struct s3_config c;
    struct s3_client *client;
    struct s3_page page;
    struct arena keep = ARENA_INIT;
    quire_status st;

    OK(s3_config_read(url, env, &c, &test_err));
    c.patience_ms = 500;
    OK(s3_client_new(&c, &client, &test_err));
    st = s3_list(client, "nothing", NULL, &keep, &page, &test_err);
    arena_release(&keep);
    s3_client_free(client);
    return st;
}

TEST(s3_server_that_is_not_there_is_reported)
{
    if (!test_has_s3_faults())
        SKIP("no S3 store here misbehaves: tests/s3/run");
    IS(QUIRE_IO,
       list_over("s3://bucket?endpoint=http://127.0.0.1:1", &s3_env_process));
    HAS(test_err.what, "connect");
    HAS(test_err.next, "check that the store is up");
}

TEST(s3_certificate_is_verified)
{
    const char *endpoint = getenv("QUIRE_TEST_S3_TLS");
    struct other_env ca = {"AWS_CA_BUNDLE", getenv("QUIRE_TEST_S3_CA")};
    struct s3_env env = {other_get, &ca};
    char url[200];

    if (!endpoint)
        SKIP("no S3 store over TLS: tests/s3/run, with openssl");
    snprintf(url, sizeof url, "%s?endpoint=%s", getenv("QUIRE_TEST_S3"),
             endpoint);
    IS(QUIRE_IO, list_over(url, &s3_env_process));
    HAS(test_err.next, "AWS_CA_BUNDLE");
    OK(list_over(url, &env));
    ca.value = "/nonexistent";
    IS(QUIRE_IO, list_over(url, &env));
    HAS(test_err.next, "AWS_CA_BUNDLE");
}

/* ---- our own calls -------------------------------------------------------- */

static quire_status busy_work(struct object_store **s)
{
    struct s3_client *client = NULL;
    struct s3_config c;
    struct draft *d;
    struct object *o;
    struct object_info info;
    static char large[2200000];
    char piece[100];
    size_t n;
    int seen = 0;
    quire_status st;

    st = s3_config_read(getenv("QUIRE_TEST_S3"), &s3_env_process, &c,
                        &test_err);
    if (!st)
        c.prefix = "sweep";
    if (!st)
        st = s3_client_new(&c, &client, &test_err);
    if (!st)
        st = s3_store_new(client, NULL, s, &test_err);
    if (!st)
        st = object_create(*s, &d, &test_err);
    if (st)
        return st;
    st = object_write(d, bytes_of(large, 1000), &test_err);
    if (!st)
        st = object_write(d, bytes_of(large, 2200000), &test_err);
    if (st)
        object_discard(d);
    else
        st = object_publish(d, "x", false, &test_err);
    if (st)
        return st;
    st = object_open(*s, "x", &o, &info, &test_err);
    if (st)
        return st;
    st = object_read(o, 2000000, piece, sizeof piece, &n, &test_err);
    object_close(o);
    if (!st)
        st = object_list(*s, "", take_name, &seen, &test_err);
    return st ? st : object_remove(*s, "x", &test_err);
}

TEST(s3_store_survives_every_failing_call)
{
    long n;

    if (!test_has_s3_faults())
        SKIP("no S3 store here misbehaves: tests/s3/run");
    for (n = 1;; n++) {
        struct object_store *s = NULL;
        quire_status st;
        bool struck;

        fault_arm(n, EIO, false);
        st = busy_work(&s);
        struck = fault_disarm();
        if (s)
            OK(object_clear(s, "", &test_err));
        object_store_free(s);
        if (!struck) {
            OK(st);
            break;
        }
    }
    YES(n > 20);
}

/* s3_client.c - see s3_client.h */
#include "store/s3_client.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"

enum { DELAY_MIN_MS = 50, DELAY_MAX_MS = 4000, MISMATCHES_MAX = 3 };

struct s3_client {
    struct s3_config config;
    const struct libcurl *curl;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct s3_connection **idle; /* room for all */
    unsigned n_idle, n_open;
    struct s3_counts counts;
};

quire_status s3_client_new(struct s3_config *c, struct s3_client **out,
                           quire_error *err)
{
    struct s3_client *s = calloc(1, sizeof *s);
    const struct libcurl *curl;
    quire_status st = s ? libcurl_load(&curl, err) : err_memory(err);

    if (!st) {
        s->idle = calloc(c->n_connections, sizeof(struct s3_connection *));
        if (!s->idle)
            st = err_memory(err);
    }
    if (st) {
        free(s);
        s3_config_release(c);
        return st;
    }
    s->config = *c;
    s->curl = curl;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->freed, NULL);
    *c = (struct s3_config){.place = NULL};
    *out = s;
    return QUIRE_OK;
}

void s3_client_free(struct s3_client *s)
{
    if (!s)
        return;
    while (s->n_idle > 0)
        s3_connection_free(s->idle[--s->n_idle]);
    free(s->idle);
    pthread_cond_destroy(&s->freed);
    pthread_mutex_destroy(&s->lock);
    s3_config_release(&s->config);
    free(s);
}

const struct s3_config *s3_client_config(const struct s3_client *s)
{
    return &s->config;
}

struct s3_counts s3_client_counts(struct s3_client *s)
{
    struct s3_counts counts;

    pthread_mutex_lock(&s->lock);
    counts = s->counts;
    pthread_mutex_unlock(&s->lock);
    return counts;
}

/* ---- the pool ------------------------------------------------------------- */

/* NULL: out of memory. Each holder is bounded in time, so waiting is too. */
static struct s3_connection *borrow(struct s3_client *s)
{
    struct s3_connection *conn = NULL;

    pthread_mutex_lock(&s->lock);
    while (s->n_idle == 0 && s->n_open == s->config.n_connections)
        pthread_cond_wait(&s->freed, &s->lock);
    if (s->n_idle > 0)
        conn = s->idle[--s->n_idle]; /* the one that was used last */
    else
        s->n_open++;
    pthread_mutex_unlock(&s->lock);
    if (conn)
        return conn;
    conn = s3_connection_new(s->curl, &s->config);
    if (!conn) {
        pthread_mutex_lock(&s->lock);
        s->n_open--;
        pthread_cond_signal(&s->freed);
        pthread_mutex_unlock(&s->lock);
    }
    return conn;
}

static void give_back(struct s3_client *s, struct s3_connection *conn,
                      bool repeated)
{
    pthread_mutex_lock(&s->lock);
    s->idle[s->n_idle++] = conn;
    s->counts.requests++;
    s->counts.repeated += repeated;
    pthread_cond_signal(&s->freed);
    pthread_mutex_unlock(&s->lock);
}

/* ---- what an answer means ------------------------------------------------- */

enum verdict {
    SUCCESS,
    ABSENT,
    REFUSED,  /* the same request would fail again */
    MISMATCH, /* bytes were damaged on the way: again, but not for long */
    FAILED,   /* of the server or the network: again */
};

static enum verdict judge_result(const struct s3_response *a)
{
    switch (a->result) {
    case LIBCURL_COULDNT_RESOLVE_HOST:
    case LIBCURL_COULDNT_CONNECT:
    case LIBCURL_PARTIAL_FILE:
    case LIBCURL_OPERATION_TIMEDOUT:
    case LIBCURL_SSL_CONNECT_ERROR:
    case LIBCURL_GOT_NOTHING:
    case LIBCURL_SEND_ERROR:
    case LIBCURL_RECV_ERROR:
    case LIBCURL_SEND_FAIL_REWIND: return FAILED;
    default: return REFUSED;
    }
}

static enum verdict judge(const struct s3_request *r,
                          const struct s3_response *a)
{
    if (a->result != LIBCURL_OK)
        return judge_result(a);
    if (a->status >= 200 && a->status < 300)
        return SUCCESS;
    if (a->status == 416 && r->range_len > 0)
        return SUCCESS;
    if (a->status == 404 && strcmp(a->code, "NoSuchBucket") != 0 &&
        strcmp(a->code, "NoSuchUpload") != 0)
        return ABSENT;
    if (!strcmp(a->code, "BadDigest") || !strcmp(a->code, "RequestTimeout") ||
        !strcmp(a->code, "XAmzContentSHA256Mismatch"))
        return MISMATCH;
    /* 501: a request that the store does not know */
    if (a->status == 429 || (a->status >= 500 && a->status != 501))
        return FAILED;
    return REFUSED;
}

static const char *hint_for(const struct s3_response *a)
{
    static const struct {
        const char *code, *hint;
    } hints[] = {
        {"NoSuchBucket", "create the bucket, or correct its name"},
        {"InvalidAccessKeyId", "check AWS_ACCESS_KEY_ID and the endpoint"},
        {"SignatureDoesNotMatch",
         "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the region"},
        {"RequestTimeTooSkewed", "set the clock of this machine"},
        {"ExpiredToken", "get new credentials, and restart"},
        {"AuthorizationHeaderMalformed",
         "set AWS_REGION to that of the bucket"},
        {"PermanentRedirect", "set AWS_REGION to that of the bucket"},
        {"QuotaExceeded", "free space in the store, or raise its quota"},
    };
    size_t i;

    for (i = 0; i < sizeof hints / sizeof *hints; i++) {
        if (!strcmp(a->code, hints[i].code))
            return hints[i].hint;
    }
    if (a->result == LIBCURL_PEER_FAILED_VERIFICATION ||
        a->result == LIBCURL_SSL_CACERT_BADFILE)
        return "set AWS_CA_BUNDLE to a file with the certificate that signed "
               "the server's";
    if (a->status == 403)
        return "let these credentials read, write, delete and list the bucket";
    if (a->status == 301 || a->status == 307)
        return "check the endpoint and AWS_REGION";
    return a->status >= 500 || a->status == 429 || !a->status
               ? "check that the store is up and reachable; then try again"
               : "check the endpoint of the store";
}

/* "cannot PUT s3://b/k: 503 SlowDown, 4 times". */
static quire_status describe(const struct s3_client *s,
                             const struct s3_request *r,
                             const struct s3_response *a, int tries,
                             quire_error *err)
{
    char why[100];

    if (a->too_long)
        snprintf(why, sizeof why, "the answer is longer than expected");
    else if (a->result == LIBCURL_ABORTED_BY_CALLBACK)
        snprintf(why, sizeof why, "the temporary file cannot be read");
    else if (a->result != LIBCURL_OK)
        snprintf(why, sizeof why, "%s", s->curl->easy_strerror(a->result));
    else
        snprintf(why, sizeof why, "status %ld%s%s", a->status,
                 *a->code ? " " : "", a->code);
    return err_fail(err, QUIRE_IO, hint_for(a),
                    "cannot %s s3://%s%s%.90s: %s%s", r->method,
                    s->config.bucket, r->key ? "/" : "", r->key ? r->key : "",
                    why, tries > 1 ? ", repeatedly" : "");
}

/* ---- repetition ----------------------------------------------------------- */

static void wait_ms(int64_t ms)
{
    struct timespec t = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};

    nanosleep(&t, NULL);
}

/* Full jitter: anything up to a bound that doubles with each try. */
static int64_t choose_delay_ms(int tries)
{
    int64_t most = DELAY_MIN_MS;
    uint32_t random = 0;

    while (--tries > 0 && most < DELAY_MAX_MS)
        most *= 2;
    if (most > DELAY_MAX_MS)
        most = DELAY_MAX_MS;
    if (rand_bytes(&rand_system, &random, sizeof random, NULL))
        random = UINT32_MAX / 2;
    return 1 + (int64_t)(random % (uint32_t)most);
}

static bool may_repeat(const struct s3_client *s, enum verdict verdict,
                       int tries, int64_t begun_us)
{
    int64_t delay_ms, passed_ms;

    if (verdict != FAILED && (verdict != MISMATCH || tries == MISMATCHES_MAX))
        return false;
    delay_ms = choose_delay_ms(tries);
    passed_ms = (clock_steady_us() - begun_us) / 1000;
    if (passed_ms + delay_ms > s->config.patience_ms)
        return false;
    wait_ms(delay_ms);
    return true;
}

quire_status s3_send(struct s3_client *s, const struct s3_request *request,
                     struct s3_response *out, quire_error *err)
{
    int64_t begun_us = clock_steady_us();
    enum verdict verdict;
    int tries = 0;

    do {
        struct s3_connection *conn = borrow(s);
        quire_status st = conn ? s3_exchange(conn, request, out, err)
                               : err_memory(err);

        if (conn)
            give_back(s, conn, tries > 0);
        if (st)
            return st;
        verdict = judge(request, out);
        tries++;
    } while (may_repeat(s, verdict, tries, begun_us));
    if (verdict == SUCCESS)
        return QUIRE_OK;
    if (verdict == ABSENT)
        return QUIRE_NOT_FOUND;
    return describe(s, request, out, tries, err);
}

/*
 * response_cache.c - see response_cache.h
 *
 * Direct-mapped: each request hashes to one slot, and a new entry overwrites the
 * old. So no search and no ageing is needed.
 */
#include "server/response_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum { PLACES = 1024, ANSWER_MAX = 256 * 1024, BYTES_MAX = 8 << 20 };

struct kept {
    char *bytes; /* owned: request, headers, body; NULL: empty        */
    size_t request, headers, body;
    int status;
    int64_t state, tenant;
};

struct response_cache {
    pthread_mutex_t lock;
    struct kept at[PLACES];
    size_t bytes;
    size_t hand; /* the slot to evict next */
};

struct response_cache *response_cache_new(void)
{
    struct response_cache *m = calloc(1, sizeof *m);

    if (m)
        pthread_mutex_init(&m->lock, NULL);
    return m;
}

static void drop(struct response_cache *m, struct kept *k)
{
    m->bytes -= k->request + k->headers + k->body;
    free(k->bytes);
    *k = (struct kept){.bytes = NULL};
}

void response_cache_free(struct response_cache *m)
{
    size_t i;

    if (!m)
        return;
    for (i = 0; i < PLACES; i++)
        drop(m, &m->at[i]);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static struct kept *place_of(struct response_cache *m, quire_bytes request)
{
    const unsigned char *p = request.data;
    uint64_t hash = 14695981039346656037u;
    size_t i;

    for (i = 0; i < request.len; i++)
        hash = (hash ^ p[i]) * 1099511628211u;
    return &m->at[(hash ^ hash >> 32) % PLACES];
}

/* A request contains a token: compare in constant time. */
static bool is_same(const struct kept *k, quire_bytes request)
{
    const unsigned char *a = (const unsigned char *)k->bytes, *b = request.data;
    unsigned differs = 0;
    size_t i;

    if (k->request != request.len)
        return false;
    for (i = 0; i < request.len; i++)
        differs |= (unsigned)(a[i] ^ b[i]);
    return !differs;
}

bool response_cache_find(struct response_cache *m, quire_bytes request,
                         int64_t state, struct response *answer,
                         int64_t *tenant)
{
    const struct kept *k;
    bool found;

    pthread_mutex_lock(&m->lock);
    k = place_of(m, request);
    found = k->bytes && k->state == state && is_same(k, request);
    if (found) {
        answer->status = k->status;
        buf_add(&answer->headers, k->bytes + k->request, k->headers);
        buf_add(&answer->body, k->bytes + k->request + k->headers, k->body);
        *tenant = k->tenant;
    }
    pthread_mutex_unlock(&m->lock);
    return found;
}

void response_cache_add(struct response_cache *m, quire_bytes request,
                        int64_t state, const struct response *answer,
                        int64_t tenant)
{
    size_t size = request.len + answer->headers.len + answer->body.len;
    struct kept *k;
    char *bytes;

    if (answer->content || answer->headers.failed || answer->body.failed ||
        size > ANSWER_MAX)
        return;
    bytes = malloc(size + 1);
    if (!bytes)
        return;
    memcpy(bytes, request.data, request.len);
    if (answer->headers.len)
        memcpy(bytes + request.len, answer->headers.data, answer->headers.len);
    if (answer->body.len)
        memcpy(bytes + request.len + answer->headers.len, answer->body.data,
               answer->body.len);
    pthread_mutex_lock(&m->lock);
    k = place_of(m, request);
    drop(m, k);
    *k = (struct kept){.bytes = bytes,
                       .request = request.len,
                       .headers = answer->headers.len,
                       .body = answer->body.len,
                       .status = answer->status,
                       .state = state,
                       .tenant = tenant};
    m->bytes += size;
    while (m->bytes > BYTES_MAX) {
        if (&m->at[m->hand] != k)
            drop(m, &m->at[m->hand]);
        m->hand = (m->hand + 1) % PLACES;
    }
    pthread_mutex_unlock(&m->lock);
}

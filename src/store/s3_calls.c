/* s3_calls.c - see s3_calls.h */
#include "store/s3_calls.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"

/* The largest answer: a page of keys in which every byte is an entity. */
#define LIST_MAX ((size_t)16 << 20)

static quire_status bad_answer(const struct s3_client *s, const char *key,
                               const char *what, quire_error *err)
{
    return err_fail(err, QUIRE_IO, "check the endpoint of the store",
                    "s3://%s/%.90s: the server's answer %s",
                    s3_client_config(s)->bucket, key, what);
}

quire_status s3_put(struct s3_client *s, const char *key,
                    const struct s3_body *body, quire_error *err)
{
    struct s3_request r = {.method = "PUT",
                           .key = key,
                           .body = body,
                           .content_sha256 = body->sha256};
    struct s3_response a;
    quire_status st = s3_send(s, &r, &a, err);

    return st == QUIRE_NOT_FOUND
               ? bad_answer(s, key, "is that it is absent", err)
               : st;
}

quire_status s3_head(struct s3_client *s, const char *key,
                     struct s3_response *out, quire_error *err)
{
    struct s3_request r = {.method = "HEAD", .key = key};
    quire_status st = s3_send(s, &r, out, err);

    if (!st && out->length < 0)
        st = bad_answer(s, key, "has no length", err);
    return st;
}

quire_status s3_get(struct s3_client *s, const char *key, uint64_t from,
                    struct buf *into, struct s3_response *out, quire_error *err)
{
    struct s3_request r = {.method = "GET",
                           .key = key,
                           .range_from = from,
                           .range_len = into->max,
                           .into = into};
    quire_status st = s3_send(s, &r, out, err);
    uint64_t total, want;

    if (st)
        return st;
    if (out->status == 416) { /* an empty object, or behind the end of one */
        if (out->total < 0)
            out->total = 0;
        return QUIRE_OK;
    }
    if (out->status != 206) { /* the whole object: the range was ignored */
        out->first = 0;
        out->total = (int64_t)into->len;
    }
    total = out->total < 0 ? 0 : (uint64_t)out->total;
    want = total - from < into->max ? total - from : into->max;
    if (out->first == (int64_t)from && total >= from && into->len == want)
        return QUIRE_OK;
    return bad_answer(s, key, "is another range", err);
}

quire_status s3_delete(struct s3_client *s, const char *key, quire_error *err)
{
    struct s3_request r = {.method = "DELETE", .key = key};
    struct s3_response a;
    quire_status st = s3_send(s, &r, &a, err);

    return st == QUIRE_NOT_FOUND ? QUIRE_OK : st;
}

/* Keys that do not begin with the prefix, or go backwards, would make a caller
 * remove what it did not mean to, or list for ever. */
static bool is_page_of(const struct s3_page *page, const char *prefix)
{
    const struct s3_listed *l;

    for (l = page->first; l; l = l->next) {
        if (strncmp(l->key, prefix, strlen(prefix)) != 0 ||
            (l->next && strcmp(l->key, l->next->key) >= 0))
            return false;
    }
    return true;
}

quire_status s3_list(struct s3_client *s, const char *prefix, const char *token,
                     struct arena *keep, struct s3_page *out, quire_error *err)
{
    struct buf text = BUF_INIT(LIST_MAX);
    struct s3_request r = {.method = "GET",
                           .query = {{"list-type", "2"},
                                     {"prefix", prefix},
                                     {"max-keys", "1000"}},
                           .n_query = 3,
                           .into = &text};
    struct s3_response a;
    quire_status st;

    if (token)
        r.query[r.n_query++] = (struct sigv4_pair){"continuation-token", token};
    st = s3_send(s, &r, &a, err);
    /* A bucket that does not exist is no empty list. */
    if (st == QUIRE_NOT_FOUND)
        st = bad_answer(s, prefix, "is that there is no list", err);
    if (!st && (!s3_read_page(buf_bytes(&text), keep, out) ||
                !is_page_of(out, prefix)))
        st = bad_answer(s, prefix, "is not a list of these keys", err);
    buf_release(&text);
    return st;
}

/*
 * s3_upload.c - an object in parts
 *
 *     POST ?uploads                      the SHA-256 of the whole; an id
 *     PUT  ?partNumber=1&uploadId=…      each part; its ETag
 *     POST ?uploadId=…                   the ETags: the object appears
 *     DELETE ?uploadId=…                 instead, after a failure
 *
 * An answer to the last POST can be lost, and its repetition then finds no such
 * upload. The object itself shows whether it was done: it has the SHA-256.
 */
#include "store/s3_upload.h"

#include <assert.h>
#include <nettle/sha2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/parallel.h"
#include "store/s3_calls.h"

enum { PARTS_MAX = 10000, AT_ONCE = 4, COMPLETE_TRIES = 3 };

#define ANSWER_MAX ((size_t)64 * 1024)

struct upload {
    struct s3_client *client;
    const char *key, *id;
    const struct s3_body *body;
    uint64_t part_bytes;
    unsigned n_parts;
    char (*etags)[S3_ETAG_SIZE]; /* one a part */
    atomic_uint next;
    atomic_bool failed;
};

/* One of the threads that send parts. */
struct sender {
    struct upload *upload;
    quire_status status;
    quire_error err;
};

static quire_status fail(const struct upload *u, const char *why,
                         quire_error *err)
{
    return err_fail(err, QUIRE_IO, "try again; check the store's log",
                    "s3://%s/%.120s: the upload in parts failed: %s",
                    s3_client_config(u->client)->bucket, u->key, why);
}

/* ---- begin ---------------------------------------------------------------- */

static quire_status begin(struct upload *u, struct arena *keep,
                          quire_error *err)
{
    struct buf text = BUF_INIT(ANSWER_MAX);
    struct s3_body nothing = {.sha256 = S3_EMPTY_SHA256};
    struct s3_request r = {.method = "POST",
                           .key = u->key,
                           .query = {{"uploads", ""}},
                           .n_query = 1,
                           .body = &nothing,
                           .content_sha256 = u->body->sha256,
                           .into = &text};
    struct s3_response a;
    quire_status st = s3_send(u->client, &r, &a, err);

    if (!st) {
        u->id = s3_read_upload_id(buf_bytes(&text), keep);
        st = u->id ? QUIRE_OK : fail(u, "it has no id", err);
    }
    buf_release(&text);
    return st == QUIRE_NOT_FOUND ? fail(u, "not found", err) : st;
}

/* ---- parts ---------------------------------------------------------------- */

static quire_status hash_part(const struct s3_body *b,
                              char out[SIGV4_SHA256_SIZE], quire_error *err)
{
    uint8_t piece[32 * 1024], digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx c;
    uint64_t done = 0;

    if (!b->from_file) {
        sigv4_sha256(b->bytes, out);
        return QUIRE_OK;
    }
    sha256_init(&c);
    while (done < b->len) {
        size_t want = b->len - done < sizeof piece ? (size_t)(b->len - done)
                                                   : sizeof piece;
        ssize_t n = pread(b->fd, piece, want, (off_t)(b->offset + done));

        if (n <= 0)
            return err_set(err, QUIRE_IO,
                           "cannot read the temporary file of an upload");
        sha256_update(&c, (size_t)n, piece);
        done += (uint64_t)n;
    }
    sha256_digest(&c, sizeof digest, digest);
    hex_encode(digest, sizeof digest, out);
    return QUIRE_OK;
}

/* ETags come back in an XML document. */
static bool is_etag(const char *etag)
{
    const char *at = etag;

    while (*at > ' ' && *at <= '~' && !strchr("<>&", *at))
        at++;
    return *etag && !*at;
}

static quire_status send_part(struct upload *u, unsigned part, quire_error *err)
{
    uint64_t from = part * u->part_bytes, rest = u->body->len - from;
    struct s3_body piece = *u->body;
    char number[16], sha256[SIGV4_SHA256_SIZE];
    struct s3_request r = {.method = "PUT",
                           .key = u->key,
                           .query = {{"partNumber", number},
                                     {"uploadId", u->id}},
                           .n_query = 2,
                           .body = &piece};
    struct s3_response a;
    quire_status st;

    piece.len = rest < u->part_bytes ? rest : u->part_bytes;
    piece.offset += from;
    if (!piece.from_file)
        piece.bytes = bytes_sub(piece.bytes, (size_t)from,
                                (size_t)(from + piece.len));
    piece.sha256 = sha256;
    snprintf(number, sizeof number, "%u", part + 1);
    st = hash_part(&piece, sha256, err);
    if (!st)
        st = s3_send(u->client, &r, &a, err);
    if (st)
        return st == QUIRE_NOT_FOUND ? fail(u, "not found", err) : st;
    if (!is_etag(a.etag))
        return fail(u, "a part has no ETag", err);
    memcpy(u->etags[part], a.etag, S3_ETAG_SIZE);
    return QUIRE_OK;
}

static void *send_parts(void *ctx)
{
    struct sender *w = ctx;
    struct upload *u = w->upload;
    unsigned part;

    while (!u->failed && !w->status &&
           (part = atomic_fetch_add(&u->next, 1)) < u->n_parts) {
        w->status = send_part(u, part, &w->err);
        if (w->status)
            u->failed = true;
    }
    return NULL;
}

static quire_status send_all(struct upload *u, quire_error *err)
{
    struct sender senders[AT_ONCE];
    size_t n = u->n_parts < AT_ONCE ? u->n_parts : AT_ONCE, i;

    for (i = 0; i < n; i++)
        senders[i] = (struct sender){.upload = u};
    parallel_parts(send_parts, senders, sizeof *senders, n);
    for (i = 0; i < n; i++) {
        if (!senders[i].status)
            continue;
        if (err)
            *err = senders[i].err;
        return senders[i].status;
    }
    return QUIRE_OK;
}

/* ---- end ------------------------------------------------------------------ */

static bool is_complete(struct upload *u)
{
    struct s3_response a;

    return !s3_head(u->client, u->key, &a, NULL) &&
           a.length == (int64_t)u->body->len &&
           !strcmp(a.content_sha256, u->body->sha256);
}

static quire_status complete(struct upload *u, quire_error *err)
{
    struct buf list = BUF_INIT((size_t)PARTS_MAX * (S3_ETAG_SIZE + 80));
    struct buf text = BUF_INIT(ANSWER_MAX);
    char sha256[SIGV4_SHA256_SIZE];
    struct s3_body body = {.sha256 = sha256};
    struct s3_request r = {.method = "POST",
                           .key = u->key,
                           .query = {{"uploadId", u->id}},
                           .n_query = 1,
                           .body = &body,
                           .into = &text};
    struct s3_response a;
    quire_status st;
    unsigned i;
    int tries = 0;

    buf_add_str(&list, "<CompleteMultipartUpload>");
    for (i = 0; i < u->n_parts; i++)
        buf_addf(&list,
                 "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag></Part>",
                 i + 1, u->etags[i]);
    buf_add_str(&list, "</CompleteMultipartUpload>");
    st = buf_status(&list, "a list of parts", err);
    body.bytes = buf_bytes(&list);
    body.len = list.len;
    sigv4_sha256(body.bytes, sha256);
    for (; !st && tries < COMPLETE_TRIES; tries++) {
        st = s3_send(u->client, &r, &a, err);
        if (!st && s3_read_completed(buf_bytes(&text)))
            break;
        if (is_complete(u)) {
            st = QUIRE_OK;
            break;
        }
        if (st == QUIRE_NOT_FOUND)
            st = fail(u, "not found", err);
    }
    if (tries == COMPLETE_TRIES)
        st = fail(u, "it was not completed", err);
    buf_release(&list);
    buf_release(&text);
    return st;
}

static void give_up(struct upload *u)
{
    struct s3_request r = {.method = "DELETE",
                           .key = u->key,
                           .query = {{"uploadId", u->id}},
                           .n_query = 1};
    struct s3_response a;

    s3_send(u->client, &r, &a, NULL);
}

static quire_status send_in_parts(struct s3_client *s, const char *key,
                                  const struct s3_body *body, quire_error *err)
{
    struct upload u = {.client = s,
                       .key = key,
                       .body = body,
                       .part_bytes = S3_PART_BYTES};
    struct arena keep = ARENA_INIT;
    quire_status st;

    if (body->len / PARTS_MAX >= u.part_bytes)
        u.part_bytes = body->len / PARTS_MAX + 1;
    u.n_parts = (unsigned)((body->len + u.part_bytes - 1) / u.part_bytes);
    assert(u.n_parts > 0 && u.n_parts <= PARTS_MAX);
    u.etags = calloc(u.n_parts, sizeof *u.etags);
    st = u.etags ? begin(&u, &keep, err) : err_memory(err);
    if (!st) {
        st = send_all(&u, err);
        if (!st)
            st = complete(&u, err);
        if (st)
            give_up(&u);
    }
    free(u.etags);
    arena_release(&keep);
    return st;
}

quire_status s3_upload(struct s3_client *s, const char *key,
                       const struct s3_body *body, quire_error *err)
{
    if (body->len <= S3_WHOLE_MAX)
        return s3_put(s, key, body, err);
    if (body->len <= S3_SIZE_MAX)
        return send_in_parts(s, key, body, err);
    return err_set(err, QUIRE_TOO_LARGE,
                   "%.120s is larger than an object of S3 can be", key);
}

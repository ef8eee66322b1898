/* search_cursor.c - the text of a cursor: see search_query.h */
#include <stddef.h>
#include <string.h>

#include <nettle/sha2.h>

#include "api/search_query.h"
#include "base/bytes.h"
#include "base/err.h"

/* A page's end, as bytes: written in hex, without the weights that are not used. */
struct cursor {
    uint32_t version;
    int32_t step;
    uint8_t query[16]; /* digest of query and filters */
    struct run_key after;
    double n_texts, mean_words;
    int64_t now_us;
    uint64_t texts[RUN_ENGINES_MAX];
    uint32_t n_weights;
    float weights[RUN_WEIGHTS_MAX];
};

enum { CURSOR_VERSION = 2 };

/* Bytes of a cursor with so many weights. */
static size_t cursor_size(uint32_t n_weights)
{
    return offsetof(struct cursor, weights) + n_weights * sizeof(float);
}

/* `since` and `until` are left out: those of a later page differ, if they were given
 * as 7d. */
static void query_digest(const struct search_query *k, uint8_t out[16])
{
    const quire_search_options *o = &k->o;
    const struct run_request *r = &k->request;
    int64_t numbers[] = {o->sort,     o->flat,  o->regex, o->words_only,
                         o->versions, r->kinds, r->roles};
    const char *texts[] = {k->q->root, o->session, o->project, o->agent};
    struct sha256_ctx sha;
    size_t i;

    sha256_init(&sha);
    if (k->text.len)
        sha256_update(&sha, k->text.len, k->text.data);
    sha256_update(&sha, sizeof numbers, (const uint8_t *)numbers);
    for (i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i])
            sha256_update(&sha, strlen(texts[i]) + 1,
                          (const uint8_t *)texts[i]);
    for (i = 0; o->tools && o->tools[i]; i++)
        sha256_update(&sha, strlen(o->tools[i]) + 1,
                      (const uint8_t *)o->tools[i]);
    sha256_digest(&sha, 16, out);
}

/* A number that hits can be sorted by: not NaN. */
static bool is_weight(double x)
{
    return x > -1e30 && x < 1e30;
}

/* Decode a cursor; false: malformed. Clients can change them. */
static bool decode_cursor(const char *text, struct cursor *c)
{
    size_t len = strlen(text);
    uint32_t i;

    memset(c, 0, sizeof *c);
    if (len % 2 != 0 || len / 2 < cursor_size(0) || len / 2 > sizeof *c ||
        !hex_decode(text, len / 2, (uint8_t *)c) ||
        c->version != CURSOR_VERSION || c->n_weights > RUN_WEIGHTS_MAX ||
        len / 2 != cursor_size(c->n_weights) || c->step < 0 ||
        c->step >= N_STEPS || !is_weight(c->n_texts) ||
        !is_weight(c->mean_words) || !is_weight(c->after.score))
        return false;
    for (i = 0; i < c->n_weights; i++)
        if (!is_weight(c->weights[i]))
            return false;
    return true;
}

quire_status search_cursor_read(struct search_query *k, quire_error *err)
{
    struct run_cursor *at = &k->request.cursor;
    struct cursor c;
    uint8_t digest[16];

    if (!decode_cursor(k->o.cursor, &c))
        return err_fail(err, QUIRE_INVALID, "search again without it",
                        "the cursor is malformed");
    query_digest(k, digest);
    if (memcmp(c.query, digest, sizeof digest) != 0)
        return err_fail(err, QUIRE_INVALID,
                        "pass the query and filters of the first page",
                        "the cursor belongs to another query");
    *at = (struct run_cursor){.set = true,
                              .after = c.after,
                              .n_texts = c.n_texts,
                              .mean_words = c.mean_words,
                              .n_weights = c.n_weights,
                              .now_us = c.now_us};
    memcpy(at->weights, c.weights, sizeof at->weights);
    memcpy(at->texts, c.texts, sizeof at->texts);
    k->request.now_us = c.now_us;
    k->step = c.step;
    return QUIRE_OK;
}

const char *search_cursor_write(struct search_query *k,
                                const struct run_cursor *at)
{
    struct cursor c;
    size_t size = cursor_size(at->n_weights);
    char *out = arena_alloc(k->keep, 2 * size + 1);

    memset(&c, 0, sizeof c);
    c.version = CURSOR_VERSION;
    c.step = k->step;
    query_digest(k, c.query);
    /* Member by member: clients must not see what is between them. */
    c.after.score = at->after.score;
    c.after.time = at->after.time;
    c.after.text = at->after.text;
    c.after.source = at->after.source;
    c.after.offset = at->after.offset;
    c.after.part = at->after.part;
    c.after.group = at->after.group;
    c.after.place_offset = at->after.place_offset;
    c.after.place_part = at->after.place_part;
    c.n_texts = at->n_texts;
    c.mean_words = at->mean_words;
    c.n_weights = at->n_weights;
    c.now_us = at->now_us;
    memcpy(c.weights, at->weights, sizeof c.weights);
    memcpy(c.texts, at->texts, sizeof c.texts);
    if (out)
        hex_encode((const uint8_t *)&c, size, out);
    return out;
}

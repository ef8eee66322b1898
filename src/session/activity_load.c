/*
 * activity_load.c - activity as it was saved; see activity.h
 *
 * It was written by this program, but a database can be damaged: what does not have the
 * shape is refused, and counted again from the file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/json.h"
#include "session/activity.h"
#include "session/activity_priv.h"

static bool load_text(struct activity *a, quire_bytes value, const char **out)
{
    quire_bytes text;

    if (json_kind(value) != JSON_STRING)
        return false;
    text = json_text(value, &a->keep);
    *out = text.data ? arena_text(&a->keep, text) : NULL;
    return *out != NULL;
}

static bool load_names(struct activity *a, quire_bytes array, const char **list,
                       uint32_t *n)
{
    struct json_scan it;

    if (json_kind(array) != JSON_ARRAY)
        return false;
    json_iter_init(&it, array);
    while (json_next(&it)) {
        if (*n == ACTIVITY_NAMES || !load_text(a, it.value, &list[*n]))
            return false;
        ++*n;
    }
    return true;
}

/* Up to `n` numbers of an array; false if there are not as many. */
static bool load_numbers(quire_bytes array, int64_t *out, size_t n)
{
    struct json_scan it;
    size_t i = 0;

    if (json_kind(array) != JSON_ARRAY)
        return false;
    json_iter_init(&it, array);
    while (json_next(&it)) {
        if (i == n || !json_read_int(it.value, &out[i]))
            return false;
        i++;
    }
    return i == n;
}

enum { HOUR_NUMBERS = 6 + 2 * N_TOKENS + 1, USE_NUMBERS = 4 };

static bool load_hour(struct activity *a, quire_bytes array)
{
    int64_t v[HOUR_NUMBERS];
    struct activity_hour *h;
    int k;

    if (!load_numbers(array, v, HOUR_NUMBERS) || v[1] < 0 ||
        v[1] >= (int64_t)a->n_models)
        return false;
    h = activity_add_hour(a, v[0], (uint32_t)v[1]);
    if (!h)
        return false;
    h->messages = (uint32_t)v[2];
    h->prompts = (uint32_t)v[3];
    h->calls = (uint32_t)v[4];
    h->errors = (uint32_t)v[5];
    for (k = 0; k < N_TOKENS; k++) {
        h->tokens[k] = (uint64_t)v[6 + k];
        h->unpriced[k] = (uint64_t)v[6 + N_TOKENS + k];
    }
    h->cost_nano_usd = (uint64_t)v[6 + 2 * N_TOKENS];
    return true;
}

static bool load_use(struct activity *a, quire_bytes array)
{
    int64_t v[USE_NUMBERS];
    struct activity_tool *u;

    if (!load_numbers(array, v, USE_NUMBERS) || v[1] < 0 ||
        v[1] >= (int64_t)a->n_tools)
        return false;
    u = activity_add_use(a, v[0], (uint32_t)v[1]);
    if (!u)
        return false;
    u->calls = (uint32_t)v[2];
    u->errors = (uint32_t)v[3];
    return true;
}

static bool load_list(struct activity *a, quire_bytes array,
                      bool (*load)(struct activity *a, quire_bytes item))
{
    struct json_scan it;

    if (json_kind(array) != JSON_ARRAY)
        return false;
    json_iter_init(&it, array);
    while (json_next(&it))
        if (!load(a, it.value))
            return false;
    return true;
}

static bool load_tail(struct session_usage *u, quire_bytes value)
{
    struct buf tail = BUF_INIT(SESSION_USAGE_TAIL);
    bool good = json_kind(value) == JSON_STRING && value.len >= 2 &&
                base64_decode(bytes_sub(value, 1, value.len - 1), &tail);

    if (good && tail.len)
        memcpy(u->tail, tail.data, tail.len);
    u->tail_len = (uint32_t)tail.len;
    buf_release(&tail);
    return good;
}

static bool load_counts(struct activity *a, quire_bytes array)
{
    uint64_t *to[ACTIVITY_COUNTS];
    int64_t v[ACTIVITY_COUNTS];
    int i;

    if (!load_numbers(array, v, ACTIVITY_COUNTS))
        return false;
    activity_counts(a, to);
    for (i = 0; i < ACTIVITY_COUNTS; i++) {
        if (v[i] < 0)
            return false;
        *to[i] = (uint64_t)v[i];
    }
    return true;
}

bool activity_load(quire_bytes json, struct activity *a)
{
    enum {
        AGENT,
        LAST,
        MODEL,
        LAST_MS,
        DAMAGED,
        TAIL,
        COUNTS,
        MODELS,
        TOOLS,
        HOURS,
        USES,
        N
    };
    struct json_want w[N] = {JSON_WANT("agent"),   JSON_WANT("last"),
                             JSON_WANT("model"),   JSON_WANT("last_ms"),
                             JSON_WANT("damaged"), JSON_WANT("tail"),
                             JSON_WANT("counts"),  JSON_WANT("models"),
                             JSON_WANT("tools"),   JSON_WANT("hours"),
                             JSON_WANT("uses")};

    *a = (struct activity){.keep = ARENA_INIT};
    if (json_pick(json, w, N, NULL) &&
        load_text(a, w[AGENT].value, &a->agent) &&
        load_text(a, w[LAST].value, &a->last) &&
        load_text(a, w[MODEL].value, &a->model) &&
        json_read_int(w[LAST_MS].value, &a->last_ms) &&
        json_read_bool(w[DAMAGED].value, &a->usage.damaged) &&
        load_tail(&a->usage, w[TAIL].value) &&
        load_counts(a, w[COUNTS].value) &&
        load_names(a, w[MODELS].value, a->models, &a->n_models) &&
        load_names(a, w[TOOLS].value, a->tools, &a->n_tools) &&
        load_list(a, w[HOURS].value, load_hour) &&
        load_list(a, w[USES].value, load_use))
        return true;
    activity_release(a);
    return false;
}

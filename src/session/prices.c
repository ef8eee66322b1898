/* prices.c - see prices.h */
#include "session/prices.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/json.h"

/* ---- finding ------------------------------------------------------------ */

/* How well a name of a table fits a model: its length; 0: not at all. */
static size_t fit(const char *name, const char *model)
{
    size_t len = strlen(name);

    if (len > 0 && name[len - 1] == '$')
        return strlen(model) == len - 1 && !strncmp(name, model, len - 1) ? len
                                                                          : 0;
    return strncmp(name, model, len) ? 0 : len;
}

/* The better of `best` and what the table has. */
static const struct price *better(const struct price *list, size_t n,
                                  const char *model, const struct price *best)
{
    size_t most = best ? strlen(best->model) : 0, i, len;

    for (i = 0; i < n && list[i].model; i++) {
        len = fit(list[i].model, model);
        if (len > most) {
            most = len;
            best = &list[i];
        }
    }
    return best;
}

static const struct price *find_exactly(const struct prices *own,
                                        const char *model)
{
    const struct price *best = own ? better(own->list, own->n, model, NULL)
                                   : NULL;

    return better(prices_known, SIZE_MAX, model, best);
}

/* What stands behind the name of a gateway; NULL: there is none. */
static const char *without_gateway(const char *model)
{
    static const char *const vendors[] = {"anthropic.", "openai.", "google."};
    const char *slash = strrchr(model, '/'), *at;
    size_t i;

    if (slash)
        return slash + 1;
    for (i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if ((at = strstr(model, vendors[i])) != NULL)
            return at + strlen(vendors[i]);
    return NULL;
}

const struct price *prices_find(const struct prices *own, const char *model)
{
    const struct price *found = NULL;

    for (; model && *model && !found; model = without_gateway(model))
        found = find_exactly(own, model);
    return found;
}

/* ---- costs -------------------------------------------------------------- */

#define MOST ((uint64_t)INT64_MAX)

/* tokens * micro / 1000, rounded down once for each thousand of tokens. */
static uint64_t multiply(uint64_t tokens, uint64_t micro)
{
    uint64_t thousands = tokens / 1000, rest = tokens % 1000;

    if (micro && thousands > MOST / 2 / micro)
        return MOST;
    return thousands * micro + rest * micro / 1000;
}

uint64_t price_nano(const struct price *p, const uint64_t tokens[N_TOKENS])
{
    uint64_t sum = 0, part;
    int k;

    for (k = 0; k < N_TOKENS; k++) {
        part = multiply(tokens[k], p->micro[k]);
        sum = sum > MOST - part ? MOST : sum + part;
    }
    return sum;
}

/* ---- a file ------------------------------------------------------------- */

/* A million dollars for a million tokens is more than anything costs. */
#define MICRO_MAX UINT64_C(1000000000000)

static quire_status fail(size_t i, const char *what, quire_error *err)
{
    return err_fail(err, QUIRE_INVALID,
                    "the guide has an example under \"Costs\"",
                    "price %zu of the table %s", i + 1, what);
}

enum { MODEL, INPUT, OUTPUT, CACHE_READ, CACHE_WRITE, DATE, N_MEMBERS };

/* A number of dollars; absent: `otherwise`. */
static bool read_dollars(quire_bytes value, uint64_t otherwise, uint64_t *out)
{
    *out = otherwise;
    if (!value.data)
        return true;
    *out = session_usage_number(value, 6);
    return json_kind(value) == JSON_NUMBER &&
           *(const char *)value.data != '-' && *out <= MICRO_MAX;
}

static quire_status read_price(quire_bytes object, size_t i, struct arena *keep,
                               struct price *out, quire_error *err)
{
    struct json_want w[N_MEMBERS] = {JSON_WANT("model"),
                                     JSON_WANT("input"),
                                     JSON_WANT("output"),
                                     JSON_WANT("cache_read"),
                                     JSON_WANT("cache_write"),
                                     JSON_WANT("date")};
    quire_bytes text;
    int k;

    if (json_kind(object) != JSON_OBJECT ||
        !json_pick(object, w, N_MEMBERS, NULL))
        return fail(i, "is not an object", err);
    if (json_kind(w[MODEL].value) != JSON_STRING || w[MODEL].value.len <= 2)
        return fail(i, "has no model", err);
    if (!w[INPUT].value.data || !w[OUTPUT].value.data)
        return fail(i, "has no input or no output", err);
    for (k = 0; k < N_TOKENS; k++)
        if (!read_dollars(w[INPUT + k].value, out->micro[TOKEN_INPUT],
                          &out->micro[k]))
            return fail(i, "has a number of dollars that is none", err);
    text = json_text(w[MODEL].value, keep);
    out->model = text.data ? arena_text(keep, text) : NULL;
    out->date = "";
    if (json_kind(w[DATE].value) == JSON_STRING) {
        text = json_text(w[DATE].value, keep);
        out->date = text.data ? arena_text(keep, text) : NULL;
    }
    if (!out->model || !out->date)
        return err_memory(err);
    return *out->model ? QUIRE_OK : fail(i, "has no model", err);
}

static size_t count(quire_bytes array)
{
    struct json_scan it;
    size_t n = 0;

    json_iter_init(&it, array);
    while (json_next(&it))
        n++;
    return n;
}

quire_status prices_read(quire_bytes json, struct arena *keep,
                         struct prices *out, quire_error *err)
{
    struct json_scan it;
    struct json_error bad;
    quire_bytes array;
    quire_status st = QUIRE_OK;
    size_t n;

    *out = (struct prices){.n = 0};
    if (!json_check(json, 0, &bad))
        return err_fail(err, QUIRE_INVALID,
                        "the guide has an example under \"Costs\"",
                        "the table of prices is not JSON: byte %zu: %s", bad.at,
                        bad.why);
    array = json_get(json, "prices");
    if (json_kind(array) != JSON_ARRAY)
        return err_fail(err, QUIRE_INVALID,
                        "the guide has an example under \"Costs\"",
                        "the table of prices has no list `prices`");
    n = count(array);
    if (n > PRICES_MAX)
        return err_set(err, QUIRE_INVALID,
                       "the table has %zu prices, more than %d", n, PRICES_MAX);
    out->list = arena_array(keep, n + 1, sizeof *out->list);
    if (!out->list)
        return err_memory(err);
    json_iter_init(&it, array);
    while (!st && json_next(&it)) {
        st = read_price(it.value, out->n, keep, &out->list[out->n], err);
        out->n += !st;
    }
    return st;
}

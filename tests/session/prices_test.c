/* What tokens cost, by model. */
#include "session/prices.h"

#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

static struct arena keep;

static const char *known(const char *model)
{
    const struct price *p = prices_find(NULL, model);

    return p ? p->model : "none";
}

static quire_status read(const char *json, struct prices *out)
{
    return prices_read(bytes_str(json), &keep, out, &test_err);
}

TEST(a_model_is_priced_by_the_longest_name_it_begins_with)
{
    SAME_TEXT("claude-opus-4-5", known("claude-opus-4-5-20251101"));
    SAME_TEXT("claude-opus-4-2025", known("claude-opus-4-20250514"));
    SAME_TEXT("claude-opus-4$", known("claude-opus-4"));
    SAME_TEXT("gpt-5-codex-mini", known("gpt-5-codex-mini"));
    SAME_TEXT("gemini-2.5-flash-lite", known("gemini-2.5-flash-lite-preview"));
    SAME_TEXT("gemini-2.5-flash", known("gemini-2.5-flash"));
}

TEST(a_version_that_was_not_known_has_no_price)
{
    SAME_TEXT("none", known("claude-opus-9"));
    SAME_TEXT("none", known("claude-opus-4-9"));
    SAME_TEXT("none", known("gpt-5.9"));
    SAME_TEXT("none", known("gpt-50"));
    SAME_TEXT("none", known("gpt-4o-audio"));
    SAME_TEXT("none", known("llama-4"));
    SAME_TEXT("none", known(""));
    YES(!prices_find(NULL, NULL));
}

TEST(names_of_gateways_are_skipped)
{
    SAME_TEXT("claude-sonnet-4-5", known("anthropic/claude-sonnet-4-5"));
    SAME_TEXT("claude-sonnet-4.5",
              known("openrouter/anthropic/claude-sonnet-4.5"));
    SAME_TEXT("claude-sonnet-4-2025",
              known("us.anthropic.claude-sonnet-4-20250514-v1:0"));
    SAME_TEXT("claude-sonnet-4@2025", known("claude-sonnet-4@20250514"));
    SAME_TEXT("gemini-2.5-pro", known("models/gemini-2.5-pro"));
    SAME_TEXT("none", known("anthropic/"));
}

TEST(costs_are_integers_and_saturate)
{
    static const uint64_t tokens[N_TOKENS] = {1000000, 1000, 1, 0};
    static const uint64_t many[N_TOKENS] = {UINT64_MAX, UINT64_MAX, 0, 0};
    const struct price *p = prices_find(NULL, "claude-sonnet-4-5");

    YES(p != NULL);
    EQ(3000000000 + 15000000 + 300, price_nano(p, tokens));
    EQ(INT64_MAX, price_nano(p, many));
}

TEST(a_table_of_the_users_comes_before_the_built_in_one)
{
    static const uint64_t tokens[N_TOKENS] = {1000000, 1000000, 1000000,
                                              1000000};
    struct prices own;

    keep = (struct arena)ARENA_INIT;
    OK(read("{\"prices\":[{\"model\":\"gpt-5$\",\"input\":2,\"output\":1e1},"
            "{\"model\":\"own\",\"input\":0.0000005,\"output\":0.1,"
            "\"cache_read\":0,\"cache_write\":7,\"date\":\"2026-01\"}]}",
            &own));
    EQ(2, own.n);
    EQ(INT64_C(16000000000), price_nano(prices_find(&own, "gpt-5"), tokens));
    SAME_TEXT("2026-01", prices_find(&own, "own-2")->date);
    EQ(INT64_C(7100001000), price_nano(prices_find(&own, "own-2"), tokens));
    SAME_TEXT("gpt-5-mini", prices_find(&own, "gpt-5-mini")->model);
    arena_release(&keep);
}

TEST(what_is_no_table_is_refused_with_its_place)
{
    static const struct {
        const char *json, *why;
    } bad[] = {
        {"", "not JSON"},
        {"{\"prices\":[}", "byte 11"},
        {"{}", "no list `prices`"},
        {"{\"prices\":[1]}", "price 1 of the table is not an object"},
        {"{\"prices\":[{}]}", "price 1 of the table has no model"},
        {"{\"prices\":[{\"model\":\"\",\"input\":1,\"output\":1}]}",
         "has no model"},
        {"{\"prices\":[{\"model\":\"a\",\"output\":1}]}", "has no input"},
        {"{\"prices\":[{\"model\":\"a\",\"input\":-1,\"output\":1}]}",
         "number of dollars"},
        {"{\"prices\":[{\"model\":\"a\",\"input\":\"1\",\"output\":1}]}",
         "number of dollars"},
        {"{\"prices\":[{\"model\":\"a\",\"input\":1e9,\"output\":1}]}",
         "number of dollars"},
    };
    struct prices own;
    size_t i;

    keep = (struct arena)ARENA_INIT;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        IS(QUIRE_INVALID, read(bad[i].json, &own));
        HAS(test_err.what, bad[i].why);
    }
    arena_release(&keep);
}

TEST(no_name_of_the_built_in_table_stands_twice)
{
    const struct price *p, *other;

    for (p = prices_known; p->model; p++)
        for (other = p + 1; other->model; other++)
            YES(strcmp(p->model, other->model) != 0);
}

/* Buckets: what they hold, what they get back, and that they stay few. */
#include "server/rate_limit.h"

#include "support/test.h"

#define S INT64_C(1000000000)

static int take_all(struct rate_limit *r, uint64_t key, uint64_t rate,
                    uint64_t burst, int64_t now_ns)
{
    int64_t wait;
    int n = 0;

    while (n < 10000 && rate_limit_take(r, key, 1, rate, burst, now_ns, &wait))
        n++;
    return n;
}

TEST(a_bucket_holds_its_burst_and_gets_its_rate_back)
{
    struct rate_limit *r = rate_limit_new();
    int64_t wait = 0;

    EQ(20, take_all(r, 7, 10, 20, 5 * S));
    NO(rate_limit_take(r, 7, 1, 10, 20, 5 * S, &wait));
    EQ(S / 10, wait);
    EQ(1, take_all(r, 7, 10, 20, 5 * S + wait));
    EQ(10, take_all(r, 7, 10, 20, 6 * S + wait));
    EQ(20, take_all(r, 7, 10, 20, 60 * S));
    EQ(1, take_all(r, 7, 1, 1, 90 * S));
    rate_limit_free(r);
}

TEST(several_tokens_are_taken_all_or_none)
{
    struct rate_limit *r = rate_limit_new();
    int64_t wait = 0;

    YES(rate_limit_take(r, 5, 8, 10, 20, S, &wait));
    NO(rate_limit_take(r, 5, 13, 10, 20, S, &wait));
    EQ(S / 10, wait);
    YES(rate_limit_take(r, 5, 12, 10, 20, S, &wait));
    EQ(0, take_all(r, 5, 10, 20, S));
    NO(rate_limit_take(r, 5, 21, 10, 20, 60 * S, &wait));
    rate_limit_free(r);
}

TEST(a_look_takes_nothing)
{
    struct rate_limit *r = rate_limit_new();
    int64_t wait = 0;
    int i;

    for (i = 0; i < 100; i++)
        YES(rate_limit_has(r, 3, 1, 2, S, &wait));
    YES(rate_limit_is_full(r, S));
    EQ(2, take_all(r, 3, 1, 2, S));
    NO(rate_limit_has(r, 3, 1, 2, S, &wait));
    NO(rate_limit_is_full(r, S));
    YES(rate_limit_is_full(r, 3 * S));
    rate_limit_free(r);
}

TEST(one_that_asks_too_often_is_no_others_affair)
{
    struct rate_limit *r = rate_limit_new();
    uint64_t key;

    for (key = 1; key < 300; key++)
        EQ(3, take_all(r, key, 1, 3, S));
    rate_limit_free(r);
}

TEST(a_faster_rate_does_not_wait_for_what_a_slower_one_owed)
{
    struct rate_limit *r = rate_limit_new();
    int64_t wait = 0;

    EQ(1000, take_all(r, 1, 1, 1000, S));
    NO(rate_limit_take(r, 1, 1, 1000, 10, S, &wait));
    YES(wait <= S / 100);
    EQ(10, take_all(r, 1, 1000, 10, S + S / 100));
    rate_limit_free(r);
}

TEST(any_number_makes_sense)
{
    struct rate_limit *r = rate_limit_new();
    int64_t wait = 0;

    YES(rate_limit_take(r, 1, 1, UINT64_MAX, UINT64_MAX, S, &wait));
    YES(rate_limit_take(r, 2, 1, 999999999999999, 1, S, &wait));
    YES(rate_limit_take(r, 0, 1, 1, 999999999999999, S, &wait));
    EQ(3600, take_all(r, 4, 1, 999999999999999, S));
    rate_limit_free(r);
}

/*
 * Keys of requests: each is claimed once, and forgotten after a day.
 */
#include <stdio.h>

#include "base/bytes.h"
#include "support/catalog.h"
#include "support/tenants.h"

static int64_t now_us = INT64_C(4000000000000000);

static int64_t tell_time(void *ctx)
{
    (void)ctx;
    return now_us;
}

static quire *open_at(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.tenant = "default";
    o.now_us = tell_time;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static quire_idempotency claim(quire *q, const char *key, const char *request)
{
    quire_idempotency c;

    OK(quire_idempotency_begin(q, key, bytes_str(request), bytes_str("body"),
                               &c, &test_err));
    return c;
}

static int64_t count(void)
{
    return catalogue_number("SELECT count(*) FROM claim");
}

TEST(a_key_is_claimed_once_and_answered_again)
{
    quire *q = open_at();
    quire_idempotency c = claim(q, "a", "PUT");

    YES(c.fresh);
    c = claim(q, "a", "PUT");
    YES(!c.fresh && c.same && !c.status); /* somebody is at it */
    OK(quire_idempotency_end(q, "a", 201, bytes_str("made"), &test_err));
    c = claim(q, "a", "PUT");
    YES(!c.fresh && c.same);
    EQ(201, c.status);
    YES(bytes_is(c.answer, "made"));
    c = claim(q, "a", "DELETE");
    YES(!c.fresh && !c.same);
    quire_close(q);
}

/* Some at a time: nobody waits until a thousand of them are gone. The one that
 * is asked for is as old as the others, whenever its turn would be. */
TEST(a_key_is_forgotten_after_a_day)
{
    quire *q = open_at();
    char key[16];
    int i;

    for (i = 0; i < 300; i++) {
        snprintf(key, sizeof key, "k%03d", i);
        YES(claim(q, key, "PUT").fresh);
    }
    now_us += INT64_C(24) * 3600 * 1000000;
    NO(claim(q, "k299", "PUT").fresh); /* to the microsecond */
    now_us += 1;
    YES(claim(q, "k299", "DELETE").fresh);
    YES(count() > 1);
    for (i = 0; i < 5; i++)
        NO(claim(q, "k299", "DELETE").fresh);
    EQ(1, count());
    quire_close(q);
    catalogue_sound();
}

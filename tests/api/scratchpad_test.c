/* Scratchpads: which there are. */
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/test.h"

static quire *open_home(const char *tenant)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.tenant = tenant;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static quire_status add_pad(void *ctx, const quire_pad *pad, quire_error *err)
{
    (void)err;
    YES(pad->size > 0);
    YES(pad->updated_us > 0);
    buf_addf(ctx, "'%s' ", pad->name);
    return QUIRE_OK;
}

static void lists(quire *q, const char *want)
{
    struct buf got = BUF_INIT(4096);

    OK(quire_pad_list(q, add_pad, &got, &test_err));
    SAME_TEXT(want, buf_text(&got));
    buf_release(&got);
}

static quire_status stop(void *ctx, const quire_pad *pad, quire_error *err)
{
    (void)pad;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_STOPPED;
}

TEST(scratchpads_are_listed_by_name_each_tenants_own)
{
    quire *q = open_home("default"), *other;
    char token[QUIRE_TOKEN_SIZE];
    quire_tenant t;
    int n = 0;

    lists(q, ""); /* of a home that has none yet */
    OK(quire_pad_append(q, "zoe", bytes_str("z"), NULL, &test_err));
    OK(quire_pad_append(q, "", bytes_str("all"), NULL, &test_err));
    OK(quire_pad_append(q, "ann", bytes_str("a"), NULL, &test_err));
    OK(quire_pad_append(q, "ann", bytes_str("b"), NULL, &test_err));
    lists(q, "'' 'ann' 'zoe' ");
    IS(QUIRE_STOPPED, quire_pad_list(q, stop, &n, &test_err));
    EQ(1, n);
    OK(quire_tenant_add(q, "other", token, &t, &test_err));
    other = open_home("other");
    lists(other, "");
    OK(quire_pad_append(other, "own", bytes_str("o"), NULL, &test_err));
    lists(other, "'own' ");
    OK(quire_pad_clear(q, "ann", &test_err));
    lists(q, "'' 'zoe' ");
    quire_close(other);
    quire_close(q);
}

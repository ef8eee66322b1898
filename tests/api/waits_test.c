/* Waits of each operation for the database: see store/db.h. */
#include <stdio.h>
#include <stdlib.h>

#include "api/core/handle.h"
#include "base/bytes.h"
#include "store/intercept.h"
#include "support/catalog.h"
#include "support/test.h"

static void show(const char *what)
{
    if (getenv("WAITS"))
        fprintf(stderr, "   wait %.110s\n", what);
}

static struct waits waits = {.on = show};

static quire *open_counted(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    OK(quire_open(&o, &q, &test_err));
    q->db_hook = waits_hook(&waits);
    return q;
}

static quire_status drop(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)ctx;
    (void)bytes;
    (void)err;
    return QUIRE_OK;
}

static quire_status ignore_hit(void *ctx, const quire_hit *hit,
                               quire_error *err)
{
    (void)ctx;
    (void)hit;
    (void)err;
    return QUIRE_OK;
}
static quire_status ignore_mem(void *ctx, const quire_memory *hit,
                               quire_error *err)
{
    (void)ctx;
    (void)hit;
    (void)err;
    return QUIRE_OK;
}

TEST(operations_wait_for_the_database_as_rarely_as_documented)
{
    quire *q = open_counted();
    quire_artifact a;
    quire_memory_options m = QUIRE_MEMORY_OPTIONS_INIT;
    quire_memory added;
    char path[32];
    int i, partial;
    long n[16] = {0};

    m.title = bytes_str("title");
    m.content = bytes_str("content words");
    for (i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "a/b%d.txt", i);
        if (getenv("WAITS"))
            fprintf(stderr, "put\n");
        waits.n = 0;
        OK(quire_artifact_put(q, "user", path, bytes_str(path), NULL, &a,
                              &test_err));
        n[0] = waits.n;
        if (getenv("WAITS"))
            fprintf(stderr, "get\n");
        waits.n = 0;
        OK(quire_artifact_get(q, "user", path, NULL, drop, NULL, &a,
                              &test_err));
        n[1] = waits.n;
        if (getenv("WAITS"))
            fprintf(stderr, "memory add\n");
        waits.n = 0;
        OK(quire_memory_add(q, NULL, &m, &added, &test_err));
        n[2] = waits.n;
        if (getenv("WAITS"))
            fprintf(stderr, "search\n");
        waits.n = 0;
        OK(quire_artifact_search(q, "user", "txt", NULL, ignore_hit, NULL,
                                 &partial, &test_err));
        n[3] = waits.n;
        if (getenv("WAITS"))
            fprintf(stderr, "memory search\n");
        waits.n = 0;
        OK(quire_memory_search(q, bytes_str("words"), NULL, ignore_mem, NULL,
                               &partial, &test_err));
        n[4] = waits.n;
    }
    printf("put %ld get %ld memory add %ld search %ld memory search %ld\n",
           n[0], n[1], n[2], n[3], n[4]);
    quire_close(q);
}

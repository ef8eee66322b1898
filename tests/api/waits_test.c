/* How often operations wait for the database (store/db.h): each wait is a round
 * trip when it is a network away. A number that rises makes every server slower. */
#include <stdio.h>
#include <stdlib.h>

#include "api/core/handle.h"
#include "base/bytes.h"
#include "store/intercept.h"
#include "support/test.h"

/* With WAITS=1 in the environment each wait is printed. */
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

static quire_status drop_bytes(void *ctx, quire_bytes bytes, quire_error *err)
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

static quire_status ignore_memory(void *ctx, const quire_memory *hit,
                                  quire_error *err)
{
    (void)ctx;
    (void)hit;
    (void)err;
    return QUIRE_OK;
}

static void put(quire *q, int n)
{
    char path[32];

    snprintf(path, sizeof path, "a/b%d.txt", n);
    OK(quire_artifact_put(q, "user", path, bytes_str(path), NULL, NULL,
                          &test_err));
}

static void put_again(quire *q, int n)
{
    char text[32];

    snprintf(text, sizeof text, "text %d", n);
    OK(quire_artifact_put(q, "user", "a/same.txt", bytes_str(text), NULL, NULL,
                          &test_err));
}

static void get(quire *q, int n)
{
    (void)n;
    OK(quire_artifact_get(q, "user", "a/b0.txt", NULL, drop_bytes, NULL, NULL,
                          &test_err));
}

static void add_memory(quire *q, int n)
{
    quire_memory_options o = QUIRE_MEMORY_OPTIONS_INIT;

    (void)n;
    o.title = bytes_str("title");
    o.content = bytes_str("content words");
    OK(quire_memory_add(q, "user", &o, NULL, &test_err));
}

static void append(quire *q, int n)
{
    static char id[64];
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;

    o.flags = n ? 0 : QUIRE_SESSION_AT_ONCE;
    if (n)
        OK(quire_session_open(q, id, &o, &s, &test_err));
    else
        OK(quire_session_new(q, &o, &s, &test_err));
    quire_session_describe(s, &info);
    snprintf(id, sizeof id, "%s", info.id);
    OK(quire_session_append(s, bytes_str("{\"type\":\"x\"}"), NULL, NULL,
                            &test_err));
    OK(quire_session_flush(s, &test_err));
    quire_session_close(s);
}

static void search(quire *q, int n)
{
    int partial;

    (void)n;
    OK(quire_artifact_search(q, "user", "same", NULL, ignore_hit, NULL,
                             &partial, &test_err));
}

static void search_memory(quire *q, int n)
{
    int partial;

    (void)n;
    OK(quire_memory_search(q, bytes_str("words"), NULL, ignore_memory, NULL,
                           &partial, &test_err));
}

/* The index of a search is a file of its own on the machine that searches. */
static const struct {
    const char *name;
    void (*run)(quire *q, int n);
    long most;
} operations[] = {
    {"put", put, 2},
    {"put again", put_again, 2},
    {"get", get, 1},
    {"memory add", add_memory, 2},
    {"append", append, 0},
    {"search", search, 2},
    {"memory search", search_memory, 2},
};

TEST(operations_wait_for_the_database_as_rarely_as_documented)
{
    quire *q = open_counted();
    size_t i;
    int n;

    for (i = 0; i < sizeof operations / sizeof *operations; i++) {
        for (n = 0; n < 4; n++) { /* statements are prepared, tables there */
            waits.n = 0;
            show(operations[i].name);
            operations[i].run(q, n);
        }
        if (waits.n != operations[i].most)
            fprintf(stderr, "%s waits %ld times\n", operations[i].name,
                    waits.n);
        EQ(operations[i].most, waits.n);
    }
    quire_close(q);
}

/* response_cache_test.c - answers that are kept */
#include "server/response_cache.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "support/test.h"

static void add(struct response_cache *m, const char *request, int64_t state,
                const char *body, size_t len)
{
    struct response a = response_new();

    a.status = 200;
    response_header(&a, "ETag", "\"%s\"", request);
    buf_add(&a.body, body, len);
    response_cache_add(m, bytes_str(request), state, &a, 7);
    buf_release(&a.headers);
    buf_release(&a.body);
}

/* What is answered; NULL: nothing is kept. Lives until the test ends. */
static const char *find(struct response_cache *m, const char *request,
                        int64_t state)
{
    struct response a = response_new();
    int64_t tenant = 0;
    char *body = NULL;

    if (response_cache_find(m, bytes_str(request), state, &a, &tenant)) {
        EQ(7, tenant);
        EQ(200, a.status);
        HAS(buf_text(&a.headers), request);
        body = test_alloc(a.body.len + 1);
        memcpy(body, a.body.len ? (char *)a.body.data : "", a.body.len);
        body[a.body.len] = '\0';
    }
    buf_release(&a.headers);
    buf_release(&a.body);
    return body;
}

TEST(an_answer_is_given_again_in_the_same_state_only)
{
    struct response_cache *m = response_cache_new();

    YES(m);
    NO(find(m, "token\n/a?", 1));
    add(m, "token\n/a?", 1, "one", 3);
    SAME_TEXT("one", find(m, "token\n/a?", 1));
    SAME_TEXT("one", find(m, "token\n/a?", 1));
    NO(find(m, "token\n/a?", 2));
    NO(find(m, "tokem\n/a?", 1));
    NO(find(m, "token\n/a?x", 1));
    add(m, "token\n/a?", 2, "two", 3);
    NO(find(m, "token\n/a?", 1));
    SAME_TEXT("two", find(m, "token\n/a?", 2));
    response_cache_free(m);
    response_cache_free(NULL);
}

TEST(what_is_kept_is_bounded_and_whole)
{
    size_t size = 200000;
    char *body = test_alloc(2 * size), name[32];
    struct response_cache *m = response_cache_new();
    int i, kept = 0;

    memset(body, 'x', 2 * size);
    add(m, "long", 1, body, 2 * size);
    NO(find(m, "long", 1));
    for (i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "request %d", i);
        body[0] = (char)('a' + i % 26);
        add(m, name, 1, body, size);
    }
    for (i = 0; i < 200; i++) {
        const char *got;

        snprintf(name, sizeof name, "request %d", i);
        got = find(m, name, 1);
        if (!got)
            continue;
        kept++;
        EQ(size, strlen(got));
        EQ('a' + i % 26, got[0]);
    }
    YES(kept > 0 && (size_t)kept * size <= (size_t)8 << 20);
    YES(find(m, "request 199", 1)); /* the last one at least */
    response_cache_free(m);
}

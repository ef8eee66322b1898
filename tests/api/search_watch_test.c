/*
 * search_watch_test.c - searches with a watch find what those without it find
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/search.h"
#include "base/bytes.h"
#include "support/test.h"

static quire_search_watch *watch;

static quire *open_watched(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.tenant = "default";
    o.search_watch = watch;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static quire_status count_hit(void *ctx, const quire_search_hit *hit,
                              quire_error *err)
{
    (void)hit;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static int hits(quire *q, const char *query)
{
    quire_search_options o = QUIRE_SEARCH_OPTIONS_INIT;
    int n = 0;

    o.flat = 1;
    OK(quire_search(q, bytes_str(query), &o, count_hit, &n, NULL, &test_err));
    return n;
}

static void write_file(const char *name, const char *how, const char *text)
{
    FILE *f = fopen(test_path(name), how);

    YES(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

#define HEADER                                           \
    "{\"type\":\"session\",\"version\":3,\"id\":\"%s\"," \
    "\"timestamp\":\"2026-02-01T00:00:00.000Z\",\"cwd\":\"/srv\"}\n"
#define ENTRY                                                              \
    "{\"type\":\"message\",\"id\":\"%s\",\"parentId\":null,\"timestamp\":" \
    "\"2026-02-01T00:00:01.000Z\",\"message\":{\"role\":\"user\","         \
    "\"content\":\"%s\"}}\n"

static const char *header_of(const char *id)
{
    char *text = test_alloc(256);

    snprintf(text, 256, HEADER, id);
    return text;
}

static const char *entry_of(const char *id, const char *words)
{
    char *text = test_alloc(512);

    snprintf(text, 512, ENTRY, id, words);
    return text;
}

/* What another program does to files is found at once, by every handle. */
TEST(a_search_with_a_watch_finds_every_change)
{
    quire *q, *other;

    OK(quire_search_watch_new(&watch, &test_err));
    YES(mkdir(test_path("home"), 0700) == 0);
    q = open_watched();
    other = open_watched();
    EQ(0, hits(q, "walrus")); /* there are no sessions yet */
    YES(mkdir(test_path("home/sessions"), 0700) == 0);
    YES(mkdir(test_path("home/sessions/--srv--"), 0700) == 0);
    write_file("home/sessions/--srv--/2026-02-01T00-00-00-000Z_a.jsonl", "w",
               header_of("a"));
    EQ(0, hits(q, "walrus"));
    write_file("home/sessions/--srv--/2026-02-01T00-00-00-000Z_a.jsonl", "a",
               entry_of("a1", "walrus"));
    EQ(1, hits(q, "walrus"));
    EQ(1, hits(other, "walrus"));
    EQ(1, hits(q, "walrus"));
    write_file("home/sessions/--srv--/2026-02-01T00-00-00-000Z_b.jsonl", "w",
               header_of("b"));
    write_file("home/sessions/--srv--/2026-02-01T00-00-00-000Z_b.jsonl", "a",
               entry_of("b1", "walrus of another session"));
    EQ(2, hits(other, "walrus"));
    EQ(2, hits(q, "walrus"));
    YES(mkdir(test_path("home/archive"), 0700) == 0);
    YES(rename(test_path("home/sessions"),
               test_path("home/archive/sessions")) == 0);
    EQ(2, hits(q, "walrus"));
    YES(unlink(test_path("home/archive/sessions/--srv--/"
                         "2026-02-01T00-00-00-000Z_b.jsonl")) == 0);
    EQ(1, hits(q, "walrus"));
    EQ(1, hits(other, "walrus"));
    quire_close(other);
    quire_close(q);
    quire_search_watch_free(watch);
}

/* The state by which a search decides that nothing has changed. */
TEST(the_state_of_a_watch_changes_with_the_files_only)
{
    struct search_watch_state a, b;
    quire *q;

    OK(quire_search_watch_new(&watch, &test_err));
    YES(mkdir(test_path("home"), 0700) == 0);
    q = open_watched();
    YES(mkdir(test_path("home/sessions"), 0700) == 0);
    YES(search_watch_read(q, &a) && search_watch_read(q, &b));
    EQ(0, memcmp(&a, &b, sizeof a));
    write_file("home/sessions/x", "w", "");
    YES(search_watch_read(q, &b));
    YES(memcmp(&a, &b, sizeof a) != 0);
    quire_close(q);
    quire_search_watch_free(watch);
}

TEST(changes_of_session_files_have_a_number)
{
    uint64_t before, after;
    quire *q;

    watch = NULL;
    YES(mkdir(test_path("home"), 0700) == 0);
    q = open_watched();
    EQ(0, quire_session_changes(q));
    quire_close(q);
    OK(quire_search_watch_new(&watch, &test_err));
    q = open_watched();
    YES(mkdir(test_path("home/sessions"), 0700) == 0);
    before = quire_session_changes(q);
    YES(before != 0);
    EQ(before, quire_session_changes(q));
    write_file("home/sessions/x", "w", "");
    after = quire_session_changes(q);
    YES(after != before);
    EQ(after, quire_session_changes(q));
    write_file("home/sessions/x", "a", "more");
    YES(quire_session_changes(q) != after);
    quire_close(q);
    quire_search_watch_free(watch);
}

static quire *open_home(int i)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    char name[32];
    quire *q;

    snprintf(name, sizeof name, "home%d", i);
    YES(mkdir(test_path(name), 0700) == 0);
    o.home = test_path(name);
    o.tenant = "default";
    o.search_watch = watch;
    OK(quire_open(&o, &q, &test_err));
    snprintf(name, sizeof name, "home%d/sessions", i);
    YES(mkdir(test_path(name), 0700) == 0);
    return q;
}

/* A watch that had to make room and came back has no state of before. */
TEST(a_directory_that_was_watched_before_has_a_new_state)
{
    enum { N = 12 };
    struct search_watch_state before, now;
    quire *q[N];
    int i;

    OK(quire_search_watch_new(&watch, &test_err));
    for (i = 0; i < N; i++)
        q[i] = open_home(i);
    YES(search_watch_read(q[0], &before));
    for (i = 1; i < N; i++)
        YES(search_watch_read(q[i], &now));
    YES(search_watch_read(q[0], &now));
    YES(memcmp(&before, &now, sizeof now) != 0);
    for (i = 0; i < N; i++)
        quire_close(q[i]);
    quire_search_watch_free(watch);
}

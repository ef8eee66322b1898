/*
 * Reads through the tool `workspace` are counted, for many at once.
 */
#include <stdio.h>

#include "base/bytes.h"
#include "store/db.h"
#include "support/catalog.h"
#include "support/test.h"

static int64_t now_us; /* what the handles believe */

static int64_t tell_time(void *ctx)
{
    (void)ctx;
    return now_us;
}

static quire *open_home(void)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    now_us = INT64_C(1800000000000000);
    o.home = test_path("home");
    o.now_us = tell_time;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static void asks(quire_workspace *w, const char *action, const char *name,
                 const char *content)
{
    char request[512];
    quire_bytes answer;

    snprintf(request, sizeof request,
             "{\"action\":\"%s\",\"filename\":\"%s\"%s%s%s}", action, name,
             content ? ",\"content\":\"" : "", content ? content : "",
             content ? "\"" : "");
    OK(quire_workspace_call(w, bytes_str(request), &answer, &test_err));
    SAME(bytes_str("{\"success\":true"), bytes_of(answer.data, 15));
}

static void was_read(quire *q, const char *path, uint64_t n)
{
    quire_artifact a;

    OK(quire_artifact_stat(q, "temp", path, NULL, &a, &test_err));
    EQ(n, a.reads);
}

TEST(workspace_reads_are_written_by_the_first_request_after_a_second)
{
    quire *q = open_home();
    quire_artifact a;
    quire_workspace *w;
    int64_t read_us;

    OK(quire_workspace_open(q, "temp", &w, &test_err));
    asks(w, "write", "a.txt", "one");
    asks(w, "write", "b.txt", "two");
    read_us = now_us;
    asks(w, "read", "a.txt", NULL);
    asks(w, "read", "a.txt", NULL);
    asks(w, "read", "b.txt", NULL);
    was_read(q, "a.txt", 0);
    now_us += 1500000;
    asks(w, "write", "c.txt", "three");
    was_read(q, "a.txt", 2);
    was_read(q, "b.txt", 1);
    OK(quire_artifact_stat(q, "temp", "b.txt", NULL, &a, &test_err));
    EQ(read_us, a.read_us);
    quire_workspace_close(w);
    was_read(q, "a.txt", 2); /* not once more */
    quire_close(q);
}

TEST(workspace_reads_are_written_when_it_is_closed)
{
    quire *q = open_home();
    quire_workspace *w;

    OK(quire_workspace_open(q, "temp", &w, &test_err));
    asks(w, "write", "a.txt", "one");
    asks(w, "write", "b.txt", "two");
    asks(w, "read", "a.txt", NULL);
    asks(w, "read", "b.txt", NULL);
    asks(w, "delete", "b.txt", NULL); /* and its count with it */
    quire_workspace_close(w);
    was_read(q, "a.txt", 1);
    quire_close(q);
}

TEST(workspace_reads_are_written_when_there_are_many)
{
    quire *q = open_home();
    quire_workspace *w;
    char name[32];
    int i;

    OK(quire_workspace_open(q, "temp", &w, &test_err));
    for (i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "%d.txt", i);
        asks(w, "write", name, "text");
    }
    for (i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "%d.txt", i);
        asks(w, "read", name, NULL);
        was_read(q, "0.txt", i == 63);
    }
    was_read(q, "63.txt", 1);
    quire_workspace_close(w);
    quire_close(q);
}

TEST(workspace_reads_wait_for_whoever_is_writing)
{
    quire *q = open_home();
    quire_workspace *w;
    struct db *other;

    OK(quire_workspace_open(q, "temp", &w, &test_err));
    asks(w, "write", "a.txt", "one");
    asks(w, "read", "a.txt", NULL);
    other = catalogue_open();
    OK(db_begin(other, DB_SOON, DB_ALL_TENANTS, &test_err));
    now_us += 1500000;
    asks(w, "read", "a.txt", NULL); /* answered, and not counted */
    other->ops->rollback(other);
    was_read(q, "a.txt", 0);
    asks(w, "read", "a.txt", NULL);
    was_read(q, "a.txt", 3);
    other->ops->close(other);
    quire_workspace_close(w);
    quire_close(q);
}

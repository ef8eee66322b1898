/*
 * The promises of store/object.h, over every backend, bare and behind the
 * wrapper.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/backends.h"
#include "support/test.h"

/* A promise over all backends: those of this machine, and a bucket. */
#define OBJECT_PROMISE(sentence, body) \
    TEST(sentence)                     \
    {                                  \
        backend_each(body);            \
    }                                  \
    TEST(s3_##sentence)                \
    {                                  \
        backend_each_s3(body);         \
    }                                  \
    _Static_assert(1, "takes the semicolon")

static void publishing(struct store *s)
{
    OK(backend_put(s, "a/b/one", "first", false));
    backend_holds(s, "a/b/one", "first");
    IS(QUIRE_EXISTS, backend_put(s, "a/b/one", "second", false));
    backend_holds(s, "a/b/one", "first");
    OK(backend_put(s, "a/b/one", "third", true));
    backend_holds(s, "a/b/one", "third");
    OK(backend_put(s, "empty", "", false));
    backend_holds(s, "empty", "");
}

OBJECT_PROMISE(object_publish_keeps_or_replaces_as_asked, publishing);

static void publishing_again(struct store *s)
{
    struct draft *d;

    OK(backend_put(s, "a/0", "theirs", false));
    OK(backend_put(s, "a/1", "theirs too", false));
    OK(object_create(s->objects, &d, &test_err));
    OK(object_write(d, bytes_str("ours"), &test_err));
    OK(object_settle(d, &test_err));
    IS(QUIRE_EXISTS, object_publish(d, "a/0", false, &test_err));
    IS(QUIRE_EXISTS, object_publish(d, "a/1", false, &test_err));
    OK(object_publish(d, "a/2", false, &test_err));
    backend_holds(s, "a/0", "theirs");
    backend_holds(s, "a/1", "theirs too");
    backend_holds(s, "a/2", "ours");
}

OBJECT_PROMISE(object_draft_whose_name_is_taken_can_have_another,
               publishing_again);

static void discarding(struct store *s)
{
    struct draft *d;

    OK(object_create(s->objects, &d, &test_err));
    OK(object_write(d, bytes_str("never"), &test_err));
    object_discard(d);
    YES(backend_lacks(s, "never"));
    if (test_exists(test_path("store")))
        EQ(0, test_count_files(test_path("store")));
}

OBJECT_PROMISE(object_draft_that_is_discarded_leaves_nothing, discarding);

static void open_survives(struct store *s)
{
    struct object_info info;
    struct object *o;
    char buf[16];
    size_t n;

    OK(backend_put(s, "x", "before", false));
    OK(object_open(s->objects, "x", &o, &info, &test_err));
    OK(backend_put(s, "x", "after!!", true));
    OK(object_read(o, 0, buf, sizeof buf, &n, &test_err));
    SAME(bytes_str("before"), bytes_of(buf, n));
    OK(object_remove(s->objects, "x", &test_err));
    OK(object_read(o, 3, buf, 2, &n, &test_err));
    SAME(bytes_str("or"), bytes_of(buf, n));
    OK(object_read(o, 6, buf, 2, &n, &test_err));
    EQ(0, n);
    OK(object_read(o, 600, buf, 2, &n, &test_err));
    EQ(0, n);
    object_close(o);
}

OBJECT_PROMISE(object_that_is_open_stays_what_it_was, open_survives);

static void absent(struct store *s)
{
    struct object_info info;
    struct object *o;

    /* Before the store exists at all, and after. */
    YES(backend_lacks(s, "no"));
    IS(QUIRE_NOT_FOUND, object_open(s->objects, "no", &o, &info, &test_err));
    IS(QUIRE_NOT_FOUND, object_remove(s->objects, "no", &test_err));
    if (s->dirs)
        IS(QUIRE_NOT_FOUND, directory_rename(s->dirs, "no", "yes", &test_err));
    OK(backend_put(s, "a/yes", "1", false));
    YES(backend_lacks(s, "a/no"));
    YES(backend_lacks(s, "b/no"));
    IS(QUIRE_NOT_FOUND, object_remove(s->objects, "a/no", &test_err));
    IS(QUIRE_NOT_FOUND, object_remove(s->objects, "b/no", &test_err));
    if (s->dirs)
        IS(QUIRE_NOT_FOUND, directory_rename(s->dirs, "b/no", "x", &test_err));
}

OBJECT_PROMISE(object_that_is_absent_is_an_answer_everywhere, absent);

static void touching(struct store *s)
{
    struct object_info info;
    struct object *o;
    quire_status st;

    OK(backend_put(s, "x", "1", false));
    OK(object_open(s->objects, "x", &o, &info, &test_err));
    st = object_touch(o, 1234567890, &test_err);
    object_close(o);
    IS(backend_is_bucket(s) ? QUIRE_INVALID : QUIRE_OK, st);
    OK(object_stat(s->objects, "x", &info, &test_err));
    EQ(!st, info.modified_s == 1234567890);
    OK(backend_put(s, "x", "2", true));
    OK(object_stat(s->objects, "x", &info, &test_err));
    YES(info.modified_s > 1234567890);
}

OBJECT_PROMISE(object_touch_renews_the_time_where_it_is_kept, touching);

static quire_status join(void *ctx, const char *name,
                         const struct object_info *info, quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s=%d ", name, (int)info->size);
    return QUIRE_OK;
}

static quire_status stop_at_second(void *ctx, const char *name,
                                   const struct object_info *info,
                                   quire_error *err)
{
    (void)name;
    (void)info;
    (void)err;
    return ++*(int *)ctx == 2 ? QUIRE_STOPPED : QUIRE_OK;
}

static void listing(struct store *s)
{
    struct buf got = BUF_INIT(1000);
    int n = 0;

    OK(object_list(s->objects, "", join, &got, &test_err));
    EQ(0, got.len);
    OK(backend_put(s, "b", "1", false));
    OK(backend_put(s, "a/z", "12", false));
    OK(backend_put(s, "a/b/c", "123", false));
    OK(backend_put(s, "a-b", "", false)); /* '-' sorts before '/' */
    OK(backend_put(s, "ab", "", false));  /* 'b' after it         */
    OK(object_list(s->objects, "", join, &got, &test_err));
    SAME_TEXT("a-b=0 a/b/c=3 a/z=2 ab=0 b=1 ", buf_text(&got));
    buf_clear(&got);
    OK(object_list(s->objects, "a", join, &got, &test_err));
    SAME_TEXT("a/b/c=3 a/z=2 ", buf_text(&got));
    buf_clear(&got);
    OK(object_list(s->objects, "nowhere", join, &got, &test_err));
    EQ(0, got.len);
    IS(QUIRE_STOPPED,
       object_list(s->objects, "", stop_at_second, &n, &test_err));
    EQ(2, n);
    buf_release(&got);
}

OBJECT_PROMISE(object_list_is_in_order_and_can_be_stopped, listing);

static void batching(struct store *s)
{
    char name[32];
    int i;

    OK(backend_put(s, "before", "0", false));
    OK(object_begin(s->objects, &test_err));
    for (i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "d%d/x%d", i % 7, i);
        OK(backend_put(s, name, name, i % 2));
        if (i % 2 == 0)
            IS(QUIRE_EXISTS, backend_put(s, name, "other", false));
    }
    OK(backend_put(s, "d1/x1", "replaced", true));
    backend_holds(s, "d1/x1", "replaced");
    OK(object_commit(s->objects, &test_err));
    for (i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "d%d/x%d", i % 7, i);
        backend_holds(s, name, i == 1 ? "replaced" : name);
    }
    OK(object_begin(s->objects, &test_err));
    OK(backend_put(s, "after", "1", false));
    object_rollback(s->objects);
    YES(backend_lacks(s, "after"));
    backend_holds(s, "before", "0");
    OK(backend_put(s, "after", "2", false)); /* no longer in a batch */
    backend_holds(s, "after", "2");
}

OBJECT_PROMISE(object_batch_sees_itself_and_can_be_taken_back, batching);

static void staged_is_hidden(struct store *s)
{
    struct store *other;

    OK(object_begin(s->objects, &test_err));
    OK(backend_put(s, "x", "1", false));
    OK(store_files_open(test_path("store"), false, &other, &test_err));
    YES(backend_lacks(other, "x"));
    OK(object_commit(s->objects, &test_err));
    backend_holds(other, "x", "1");
    store_free(other);
}

TEST(files_of_a_batch_are_hidden_from_others_until_the_commit)
{
    struct store *s = backend_files();

    staged_is_hidden(s);
    store_free(s);
}

TEST(files_store_is_not_made_by_looking)
{
    struct store *s = backend_files();

    YES(backend_lacks(s, "x"));
    NO(test_exists(test_path("store")));
    store_free(s);
}

TEST(files_store_open_for_reading_refuses_to_write)
{
    struct store *s;
    struct draft *d;

    OK(store_files_open(test_path("store"), true, &s, &test_err));
    IS(QUIRE_INVALID, object_create(s->objects, &d, &test_err));
    NO(test_exists(test_path("store")));
    store_free(s);
}

TEST(files_store_does_not_follow_links_or_wait_for_a_fifo)
{
    struct store *s = backend_files();
    struct object_info info;
    struct object *o;
    struct buf got = BUF_INIT(100);

    OK(backend_put(s, "real", "1", false));
    test_write_file(test_path("secret"), bytes_str("s"));
    YES(symlink("../secret", test_path("store/link")) == 0);
    YES(symlink("..", test_path("store/up")) == 0);
    EQ(0, system(strcat(strcpy(test_alloc(600), "mkfifo "),
                        test_path("store/fifo"))));
    YES(object_open(s->objects, "link", &o, &info, &test_err) != QUIRE_OK);
    YES(object_open(s->objects, "up/secret", &o, &info, &test_err) != QUIRE_OK);
    IS(QUIRE_INVALID, object_open(s->objects, "fifo", &o, &info, &test_err));
    HAS(test_err.what, "not a regular file");
    OK(object_list(s->objects, "", join, &got, &test_err));
    SAME_TEXT("real=1 ", buf_text(&got));
    buf_release(&got);
    store_free(s);
}

static void one_line(void *ctx, const char *line)
{
    buf_addf(ctx, "%s\n", line);
}

TEST(a_trace_tells_every_call_and_its_result)
{
    struct buf log = BUF_INIT(4096);
    struct trace t = {one_line, &log};
    struct store *tapped;

    OK(store_memory_open(&clock_system, &tapped, &test_err));
    OK(store_intercept(tapped, trace_hook(&t), &test_err));
    OK(backend_put(tapped, "x", "12", false));
    YES(backend_lacks(tapped, "y"));
    SAME_TEXT("object create : ok\nobject write : ok\nobject write : ok\n"
              "object publish x: ok\nobject stat y: not_found\n",
              buf_text(&log));
    store_free(tapped);
    buf_release(&log);
}

/* ---- every system call and allocation of the files backend fails in turn - */

static void busy_work(struct store *s, quire_status *worst)
{
    struct log_draft *log;
    struct draft *d;
    struct log *l;
    quire_status st;

#define TRY(call)          \
    do {                   \
        st = (call);       \
        if (st && !*worst) \
            *worst = st;   \
    } while (0)
    TRY(lease_lock(s->leases, LEASE_SHARED, 0, &test_err));
    TRY(log_create(s->logs, "log", &log, &test_err));
    if (!st) {
        TRY(log_write(log, bytes_str("line\n"), &test_err));
        if (st)
            log_discard(log);
        else
            TRY(log_publish(log, "log/a", false, &l, &test_err));
    }
    if (!st) {
        TRY(log_append(l, LOG_NO_EPOCH, 5, bytes_str("more\n"), &test_err));
        TRY(log_sync(l, &test_err));
        log_close(l);
    }
    TRY(object_create(s->objects, &d, &test_err));
    if (!st) {
        TRY(object_write(d, bytes_str("content"), &test_err));
        TRY(object_publish(d, "p/q/r", true, &test_err));
    }
    TRY(object_begin(s->objects, &test_err));
    TRY(object_create(s->objects, &d, &test_err));
    if (!st)
        TRY(object_publish(d, "p/q/s", true, &test_err));
    TRY(object_commit(s->objects, &test_err));
    TRY(directory_rename(s->dirs, "p/q/s", "p/t", &test_err));
    TRY(object_remove(s->objects, "p/t", &test_err));
#undef TRY
}

TEST(files_store_survives_every_failing_call)
{
    long n;

    for (n = 1;; n++) {
        struct store *s = backend_files();
        struct buf names = BUF_INIT(1000);
        quire_status worst = QUIRE_OK;
        bool struck;

        fault_arm(n, EIO, false);
        busy_work(s, &worst);
        struck = fault_disarm();
        store_free(s);
        /* No litter; and what has a name is complete. */
        s = backend_files();
        OK(object_list(s->objects, "", join, &names, &test_err));
        if (names.len) {
            const char *text = buf_text(&names);

            YES(strstr(text, "log/a=5 ") || strstr(text, "log/a=10 ") ||
                !strstr(text, "log/a"));
            YES(strstr(text, "p/q/r=7 ") || strstr(text, "p/q/r=0 ") ||
                !strstr(text, "p/q/r"));
        }
        buf_release(&names);
        store_free(s);
        test_forget_dir();
        if (!struck) {
            OK(worst);
            break;
        }
    }
    YES(n > 30);
}

static void removing_in_a_batch(struct store *s)
{
    OK(backend_put(s, "a", "1", false));
    OK(backend_put(s, "b", "2", false));
    OK(object_begin(s->objects, &test_err));
    OK(object_remove(s->objects, "a", &test_err));
    YES(backend_lacks(s, "a"));
    OK(object_commit(s->objects, &test_err));
    YES(backend_lacks(s, "a"));
    backend_holds(s, "b", "2");
}

OBJECT_PROMISE(object_remove_in_a_batch, removing_in_a_batch);

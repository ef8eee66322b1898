/*
 * The promises of store/log.h, over every backend, bare and behind the wrapper.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/backends.h"
#include "support/test.h"

/* Of every name: "" or that of a compressed log. */
static const char *ending = "";

/* One of the last four names made. */
static const char *called(const char *name)
{
    static char names[4][64];
    static unsigned n;

    snprintf(names[++n % 4], sizeof *names, "%s%s", name, ending);
    return names[n % 4];
}

/* Over every backend, as plain and as compressed logs. */
static void logs_each(void (*body)(struct store *s))
{
    backend_each(body);
    ending = ".jsonl.gz";
    backend_each(body);
    ending = "";
}

static struct log_draft *draft_of(struct store *s, const char *name,
                                  const char *text)
{
    struct log_draft *d;

    OK(log_create(s->logs, called(name), &d, &test_err));
    OK(log_write(d, bytes_str(text), &test_err));
    return d;
}

static void put(struct store *s, const char *name, const char *text)
{
    OK(log_publish(draft_of(s, name, text), called(name), true, NULL,
                   &test_err));
}

static void reads(struct log *l, const char *text)
{
    char buf[256];
    size_t n;

    OK(log_read(l, 0, buf, sizeof buf, &n, &test_err));
    SAME(bytes_str(text), bytes_of(buf, n));
}

static void holds(struct store *s, const char *name, const char *text)
{
    struct object_info info;
    struct log *l;

    OK(log_open(s->logs, called(name), LOG_READ, &l, &info, &test_err));
    EQ(strlen(text), info.size);
    reads(l, text);
    log_close(l);
}

static void extends(struct store *s)
{
    struct log *a, *b;
    struct object_info info;
    uint64_t size;
    bool named;

    put(s, "d/log", "one\n");
    OK(log_open(s->logs, called("d/log"), LOG_APPEND, &a, &info, &test_err));
    OK(log_open(s->logs, called("d/log"), LOG_READ, &b, &info, &test_err));
    OK(log_append(a, LOG_NO_EPOCH, 4, bytes_str("two\n"), &test_err));
    reads(a, "one\ntwo\n");
    reads(b, "one\ntwo\n");
    OK(log_status(a, &size, &named, &test_err));
    EQ(8, size);
    YES(named);
    OK(log_sync(a, &test_err));
    OK(log_patch(a, 1, bytes_str("NE"), &test_err));
    reads(b, "oNE\ntwo\n");
    holds(s, "d/log", "oNE\ntwo\n");
    IS(QUIRE_CHANGED, log_patch(a, 7, bytes_str("xx"), &test_err));
    log_close(a);
    log_close(b);
}

TEST(what_is_added_to_an_open_object_everybody_sees_at_once)
{
    logs_each(extends);
}

static void absent(struct store *s)
{
    struct object_info info;
    struct log *o;

    IS(QUIRE_NOT_FOUND,
       log_open(s->logs, called("nothing"), LOG_APPEND, &o, &info, &test_err));
}

TEST(an_object_that_is_not_there_cannot_be_edited)
{
    logs_each(absent);
}

static void held(struct store *s)
{
    struct log *a, *b;
    struct object_info info;

    put(s, "log", "one\n");
    OK(log_open(s->logs, called("log"), LOG_APPEND, &a, &info, &test_err));
    OK(log_open(s->logs, called("log"), LOG_APPEND, &b, &info, &test_err));
    OK(log_hold(a, 0, &test_err));
    IS(QUIRE_BUSY, log_hold(b, 1, &test_err));
    HAS(test_err.what, "writing");
    log_close(a);
    OK(log_hold(b, 0, &test_err));
    log_close(b);
}

static void released(struct store *s)
{
    struct log *a, *b;
    struct object_info info;

    put(s, "log", "one\n");
    OK(log_open(s->logs, called("log"), LOG_APPEND, &a, &info, &test_err));
    OK(log_open(s->logs, called("log"), LOG_APPEND, &b, &info, &test_err));
    log_release(a); /* not held: nothing happens */
    OK(log_hold(a, 0, &test_err));
    OK(log_append(a, LOG_NO_EPOCH, 4, bytes_str("two\n"), &test_err));
    log_release(a);
    OK(log_hold(b, 0, &test_err));
    IS(QUIRE_BUSY, log_hold(a, 0, &test_err));
    OK(log_sync(a, &test_err));
    log_release(b);
    OK(log_hold(a, 0, &test_err));
    log_close(a);
    log_close(b);
    holds(s, "log", "one\ntwo\n");
}

TEST(a_log_that_is_released_can_be_held_by_another_handle)
{
    logs_each(released);
}

TEST(one_handle_at_a_time_holds_an_object)
{
    logs_each(held);
}

static void swapped(struct store *s)
{
    struct log *a, *b;
    struct object_info was, info;
    uint64_t size;
    bool named;

    put(s, "d/log", "old\n");
    OK(log_open(s->logs, called("d/log"), LOG_APPEND, &a, &was, &test_err));
    OK(log_open(s->logs, called("d/log"), LOG_READ, &b, &info, &test_err));
    OK(log_hold(a, 0, &test_err));
    OK(log_replace(a, draft_of(s, "log", "new\n"), &test_err));
    holds(s, "d/log", "new\n");
    reads(b, "old\n"); /* whoever had it open still has it */
    OK(log_status(b, &size, &named, &test_err));
    NO(named);
    log_close(b);

    /* What is open now is the new one, and still ours alone. */
    OK(log_append(a, LOG_NO_EPOCH, 4, bytes_str("more\n"), &test_err));
    holds(s, "d/log", "new\nmore\n");
    OK(log_status(a, &size, &named, &test_err));
    YES(named);
    OK(log_stat(s->logs, called("d/log"), &info, &test_err));
    YES(info.inode != was.inode);
    OK(log_open(s->logs, called("d/log"), LOG_APPEND, &b, &info, &test_err));
    IS(QUIRE_BUSY, log_hold(b, 0, &test_err));
    log_close(a);
    log_close(b);
}

TEST(an_object_is_swapped_without_being_let_go)
{
    logs_each(swapped);
}

static void gone(struct store *s)
{
    struct object_info info;
    struct log *o;
    uint64_t size;
    bool named;

    put(s, "log", "one\n");
    OK(log_open(s->logs, called("log"), LOG_APPEND, &o, &info, &test_err));
    OK(log_remove(s->logs, called("log"), &test_err));
    OK(log_status(o, &size, &named, &test_err));
    NO(named);
    log_close(o);
}

TEST(an_open_object_knows_when_its_name_is_gone)
{
    logs_each(gone);
}

static void lost(struct store *s)
{
    struct object_info info;
    struct log *o;

    put(s, "log", "one\n");
    OK(log_open(s->logs, called("log"), LOG_APPEND, &o, &info, &test_err));
    OK(log_hold(o, 0, &test_err));
    OK(log_append(o, LOG_NO_EPOCH, 4, bytes_str("two\n"), &test_err));
    OK(log_sync(o, &test_err));
    OK(log_rename(s->logs, called("log"), called("aside"), &test_err));
    put(s, "log", "other\n");
    OK(log_append(o, LOG_NO_EPOCH, 8, bytes_str("three\n"), &test_err));
    IS(QUIRE_CHANGED, log_sync(o, &test_err));
    HAS(test_err.what, "moved, replaced or removed");
    log_close(o);
}

TEST(a_sync_of_a_held_object_that_was_moved_aside_is_refused)
{
    logs_each(lost);
}

static void publishing(struct store *s)
{
    struct log_draft *d;
    struct log *l, *other;
    struct object_info info;

    d = draft_of(s, "log", "one\n");
    OK(log_settle(d, &test_err));
    OK(log_publish(d, called("d/log"), false, &l, &test_err));
    holds(s, "d/log", "one\n");
    /* It is held from the beginning. */
    OK(log_open(s->logs, called("d/log"), LOG_APPEND, &other, &info,
                &test_err));
    IS(QUIRE_BUSY, log_hold(other, 0, &test_err));
    log_close(other);
    OK(log_append(l, LOG_NO_EPOCH, 4, bytes_str("two\n"), &test_err));
    holds(s, "d/log", "one\ntwo\n");
    log_close(l);
    /* A taken name leaves the draft, for another. */
    d = draft_of(s, "log", "three\n");
    IS(QUIRE_EXISTS, log_publish(d, called("d/log"), false, &l, &test_err));
    IS(QUIRE_EXISTS, log_publish(d, called("d/log"), false, NULL, &test_err));
    OK(log_publish(d, called("d/other"), false, &l, &test_err));
    log_close(l);
    holds(s, "d/log", "one\ntwo\n");
    holds(s, "d/other", "three\n");
    put(s, "d/log", "again\n");
    holds(s, "d/log", "again\n");
    log_discard(draft_of(s, "log", "never\n"));
}

TEST(log_publish_makes_it_and_append_extends_it)
{
    logs_each(publishing);
}

static void fencing(struct store *s)
{
    struct object_info info;
    struct log *l;

    put(s, "log", "one\n");
    OK(log_open(s->logs, called("log"), LOG_APPEND, &l, &info, &test_err));
    OK(log_append(l, 7, 4, bytes_str("two\n"), &test_err));
    OK(log_append(l, 9, 8, bytes_str("three\n"), &test_err));
    IS(QUIRE_CHANGED, log_append(l, 8, 14, bytes_str("old\n"), &test_err));
    HAS(test_err.what, "lease");
    holds(s, "log", "one\ntwo\nthree\n");
    OK(log_append(l, 9, 14, bytes_str("four\n"), &test_err));
    log_close(l);
}

TEST(log_append_with_an_old_epoch_is_refused)
{
    logs_each(fencing);
}

static void renaming(struct store *s)
{
    struct object_info info;

    put(s, "old", "text");
    put(s, "taken", "other");
    IS(QUIRE_EXISTS,
       log_rename(s->logs, called("old"), called("taken"), &test_err));
    holds(s, "old", "text");
    holds(s, "taken", "other");
    OK(log_rename(s->logs, called("old"), called("deep/er/new"), &test_err));
    holds(s, "deep/er/new", "text");
    IS(QUIRE_NOT_FOUND, log_stat(s->logs, called("old"), &info, &test_err));
    IS(QUIRE_NOT_FOUND,
       log_rename(s->logs, called("old"), called("x"), &test_err));
    OK(log_remove(s->logs, called("taken"), &test_err));
    IS(QUIRE_NOT_FOUND, log_remove(s->logs, called("taken"), &test_err));
    OK(log_stat(s->logs, called("deep/er/new"), &info, &test_err));
    EQ(4, info.size);
}

TEST(log_rename_moves_and_never_replaces)
{
    logs_each(renaming);
}

static quire_status join(void *ctx, const char *dir, const char *name,
                         const struct object_info *info, quire_error *err)
{
    char *names = ctx;

    (void)err;
    sprintf(names + strlen(names), "%s|%.*s:%d ", dir,
            (int)(strlen(name) - strlen(ending)), name, (int)info->size);
    return QUIRE_OK;
}

static void listing(struct store *s)
{
    char names[256] = "";

    OK(log_list(s->logs, "sessions", join, names, &test_err));
    SAME_TEXT("", names);
    put(s, "sessions/a/1", "1");
    put(s, "sessions/a/2", "22");
    put(s, "sessions/b/3", "333");
    put(s, "sessions/b/deep/4", "4444"); /* an output beside a session */
    put(s, "sessions/top", "");
    put(s, "archive/c/5", "");
    OK(log_list(s->logs, "sessions", join, names, &test_err));
    EQ(strlen("a|1:1 a|2:2 b|3:3 "), strlen(names));
    HAS(names, "a|1:1 ");
    HAS(names, "a|2:2 ");
    HAS(names, "b|3:3 ");
}

TEST(log_list_shows_two_levels_with_sizes)
{
    logs_each(listing);
}

static void cutting(struct store *s)
{
    struct object_info info;
    struct log *l;

    put(s, "log", "one\ntorn");
    OK(log_open(s->logs, called("log"), LOG_APPEND, &l, &info, &test_err));
    YES(log_unfinished(l) == UINT64_MAX);
    OK(log_cut(l, 4, &test_err));
    reads(l, "one\n");
    OK(log_append(l, LOG_NO_EPOCH, 4, bytes_str("two\n"), &test_err));
    holds(s, "log", "one\ntwo\n");
    log_close(l);
}

TEST(log_cut_takes_an_unfinished_append_off)
{
    logs_each(cutting);
}

TEST(log_of_a_store_open_for_reading_cannot_be_appended_to)
{
    struct store *s = backend_files();
    struct object_info info;
    struct log *l;

    put(s, "log", "one\n");
    store_free(s);
    OK(store_files_open(test_path("store"), true, &s, &test_err));
    IS(QUIRE_INVALID,
       log_open(s->logs, "log", LOG_APPEND, &l, &info, &test_err));
    holds(s, "log", "one\n");
    store_free(s);
}

TEST(a_file_that_took_the_place_of_another_keeps_its_permissions)
{
    struct store *s = backend_files();
    struct object_info info;
    struct log *o;

    put(s, "log", "old");
    YES(chmod(test_path("store/log"), 0644) == 0);
    OK(log_open(s->logs, "log", LOG_APPEND, &o, &info, &test_err));
    OK(log_replace(o, draft_of(s, "log", "new"), &test_err));
    log_close(o);
    store_free(s);
    YES(access(test_path("store/log"), R_OK) == 0);
    {
        struct stat st;

        YES(stat(test_path("store/log"), &st) == 0);
        EQ(0644, st.st_mode & 0777);
    }
}

static void one_line(void *ctx, const char *line)
{
    strcat(strcat(ctx, line), "\n");
}

TEST(log_and_lease_calls_are_traced_by_their_names)
{
    char lines[1024] = "";
    struct trace t = {one_line, lines};
    struct object_info info;
    struct store *s;
    struct log *l;
    uint64_t epoch;

    OK(store_memory_open(&clock_system, &s, &test_err));
    OK(store_intercept(s, trace_hook(&t), &test_err));
    put(s, "x", "1");
    OK(log_open(s->logs, "x", LOG_APPEND, &l, &info, &test_err));
    OK(log_append(l, LOG_NO_EPOCH, 1, bytes_str("2"), &test_err));
    OK(log_replace(l, draft_of(s, "log", "3"), &test_err));
    log_close(l);
    OK(lease_take(s->leases, "job", "a", 1000, &epoch, &test_err));
    OK(directory_rename(s->dirs, "x", "y", &test_err));
    SAME_TEXT("log create : ok\nlog write : ok\nlog publish x: ok\n"
              "log open x: ok\nlog append : ok\nlog create : ok\n"
              "log write : ok\nlog replace : ok\nlease take job: ok\n"
              "directory rename x: ok\n",
              lines);
    store_free(s);
}

/* Whether a call was failed. What it left is a log that can be read. */
static bool fail_one(int disk, long n)
{
    struct fault f = {.left = n, .status = QUIRE_IO};
    struct log_draft *d;
    struct object_info info;
    struct log *l = NULL;
    struct store *s;
    quire_status st;

    if (disk)
        s = backend_files();
    else
        OK(store_memory_open(&clock_system, &s, &test_err));
    OK(store_intercept(s, fault_hook(&f), &test_err));
    st = log_create(s->logs, called("log"), &d, &test_err);
    if (!st && log_write(d, bytes_str("one\n"), &test_err))
        log_discard(d);
    else if (!st)
        log_publish(d, called("log"), false, &l, &test_err);
    if (l && !log_append(l, LOG_NO_EPOCH, 4, bytes_str("two\n"), &test_err))
        log_sync(l, &test_err);
    if (l && !log_create(s->logs, called("log"), &d, &test_err))
        log_replace(l, d, &test_err);
    if (l)
        log_close(l);
    n = f.struck;
    f.left = 0;
    if (!log_stat(s->logs, called("log"), &info, &test_err))
        YES(info.size == 0 || info.size == 4 || info.size == 8);
    else
        YES(n);
    store_free(s);
    test_forget_dir();
    return n;
}

TEST(log_calls_that_fail_leak_nothing_and_leave_a_whole_log)
{
    int disk;
    long n;

    for (disk = 0; disk < 3; disk++) {
        ending = disk == 2 ? ".jsonl.gz" : "";
        for (n = 1; fail_one(disk, n); n++)
            ;
        EQ(8, n);
    }
    ending = "";
}

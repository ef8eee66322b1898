/*
 * The promises of store/object.h, over every backend, bare and behind the
 * tap. A new backend adds one line to `backends`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "store/intercept.h"
#include "support/store.h"

static struct fault idle;

static struct store *open_memory(void)
{
    struct store *s;

    OK(store_memory_open(&clock_system, &s, &test_err));
    return s;
}

static struct store *open_files(void)
{
    struct store *s;

    OK(store_files_open(test_path("store"), false, &s, &test_err));
    return s;
}

static struct store *open_tapped(void)
{
    struct store *s = open_files();

    OK(store_intercept(s, fault_hook(&idle), &test_err));
    return s;
}

static struct store *(*const backends[])(void) = {
    open_memory,
    open_files,
    open_tapped,
};

static void over_all(void (*body)(struct store *s))
{
    size_t i;

    for (i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct store *s = backends[i]();

        body(s);
        store_free(s);
        test_forget_dir();
    }
}

static quire_status put(struct store *s, const char *name, const char *text,
                        bool replace)
{
    struct draft *d;
    quire_status st;

    OK(object_create(s->objects, &d, &test_err));
    /* In two pieces, as streams come. */
    OK(object_write(d, bytes_of(text, strlen(text) / 2), &test_err));
    OK(object_write(d, bytes_str(text + strlen(text) / 2), &test_err));
    st = object_publish(d, name, replace, &test_err);
    if (st == QUIRE_EXISTS)
        object_discard(d);
    return st;
}

static void holds(struct store *s, const char *name, const char *text)
{
    struct object_info info, stat;
    struct object *o;
    char buf[256];
    size_t n;

    OK(object_stat(s->objects, name, &stat, &test_err));
    OK(object_open(s->objects, name, &o, &info, &test_err));
    EQ(strlen(text), info.size);
    EQ(strlen(text), stat.size);
    OK(object_read(o, 0, buf, sizeof buf, &n, &test_err));
    SAME(bytes_str(text), bytes_of(buf, n));
    object_close(o);
}

static bool gone(struct store *s, const char *name)
{
    struct object_info info;

    return object_stat(s->objects, name, &info, &test_err) == QUIRE_NOT_FOUND;
}

static void publishing(struct store *s)
{
    OK(put(s, "a/b/one", "first", false));
    holds(s, "a/b/one", "first");
    IS(QUIRE_EXISTS, put(s, "a/b/one", "second", false));
    holds(s, "a/b/one", "first");
    OK(put(s, "a/b/one", "third", true));
    holds(s, "a/b/one", "third");
    OK(put(s, "empty", "", false));
    holds(s, "empty", "");
}

TEST(object_publish_keeps_or_replaces_as_asked)
{
    over_all(publishing);
}

static void publishing_again(struct store *s)
{
    struct draft *d;

    OK(put(s, "a/0", "theirs", false));
    OK(put(s, "a/1", "theirs too", false));
    OK(object_create(s->objects, &d, &test_err));
    OK(object_write(d, bytes_str("ours"), &test_err));
    OK(object_settle(d, &test_err));
    IS(QUIRE_EXISTS, object_publish(d, "a/0", false, &test_err));
    IS(QUIRE_EXISTS, object_publish(d, "a/1", false, &test_err));
    OK(object_publish(d, "a/2", false, &test_err));
    holds(s, "a/0", "theirs");
    holds(s, "a/1", "theirs too");
    holds(s, "a/2", "ours");
}

TEST(object_draft_whose_name_is_taken_can_have_another)
{
    over_all(publishing_again);
}

static void claiming(struct store *s)
{
    OK(put(s, "a/b/one", "1", false));
    OK(object_lock_dir(s->objects, "a/b", 0, &test_err));
    OK(put(s, "a/b/two", "2", false)); /* it hinders nobody who does not ask */
    object_unlock_dir(s->objects);
    OK(object_lock_dir(s->objects, "", 0, &test_err));
    object_unlock_dir(s->objects);
    OK(object_lock_dir(s->objects, "a/b", 0, &test_err));
    object_unlock_dir(s->objects);
}

TEST(object_directory_can_be_claimed_and_let_go)
{
    over_all(claiming);
}

TEST(object_claim_is_the_same_whichever_store_reaches_the_directory)
{
    struct store *whole, *part;

    OK(store_files_open(test_path("s"), false, &whole, &test_err));
    OK(put(whole, "a/b/one", "1", false));
    OK(store_files_open(test_path("s/a/b"), false, &part, &test_err));
    OK(object_lock_dir(part->objects, "", 0, &test_err));
    IS(QUIRE_BUSY, object_lock_dir(whole->objects, "a/b", 5, &test_err));
    OK(object_lock_dir(whole->objects, "a", 0, &test_err));
    object_unlock_dir(whole->objects);
    object_unlock_dir(part->objects);
    OK(object_lock_dir(whole->objects, "a/b", 0, &test_err));
    IS(QUIRE_BUSY, object_lock_dir(part->objects, "", 5, &test_err));
    object_unlock_dir(whole->objects);
    IS(QUIRE_NOT_FOUND,
       object_lock_dir(whole->objects, "nowhere", 0, &test_err));
    store_free(part);
    store_free(whole);
}

static void discarding(struct store *s)
{
    struct draft *d;

    OK(object_create(s->objects, &d, &test_err));
    OK(object_write(d, bytes_str("never"), &test_err));
    object_discard(d);
    YES(gone(s, "never"));
    if (test_exists(test_path("store")))
        EQ(0, test_count_files(test_path("store")));
}

TEST(object_draft_that_is_discarded_leaves_nothing)
{
    over_all(discarding);
}

static void open_survives(struct store *s)
{
    struct object_info info;
    struct object *o;
    char buf[16];
    size_t n;

    OK(put(s, "x", "before", false));
    OK(object_open(s->objects, "x", &o, &info, &test_err));
    OK(put(s, "x", "after!!", true));
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

TEST(object_that_is_open_stays_what_it_was)
{
    over_all(open_survives);
}

static void absent(struct store *s)
{
    struct object_info info;
    struct object *o;

    /* Before the store exists at all, and after. */
    YES(gone(s, "no"));
    IS(QUIRE_NOT_FOUND, object_open(s->objects, "no", &o, &info, &test_err));
    IS(QUIRE_NOT_FOUND, object_remove(s->objects, "no", &test_err));
    IS(QUIRE_NOT_FOUND, object_rename(s->objects, "no", "yes", &test_err));
    OK(put(s, "a/yes", "1", false));
    YES(gone(s, "a/no"));
    YES(gone(s, "b/no"));
    IS(QUIRE_NOT_FOUND, object_remove(s->objects, "a/no", &test_err));
    IS(QUIRE_NOT_FOUND, object_remove(s->objects, "b/no", &test_err));
    IS(QUIRE_NOT_FOUND, object_rename(s->objects, "b/no", "x", &test_err));
}

TEST(object_that_is_absent_is_an_answer_everywhere)
{
    over_all(absent);
}

static void renaming(struct store *s)
{
    OK(put(s, "old", "text", false));
    OK(put(s, "taken", "other", false));
    IS(QUIRE_EXISTS, object_rename(s->objects, "old", "taken", &test_err));
    holds(s, "old", "text");
    holds(s, "taken", "other");
    OK(object_rename(s->objects, "old", "deep/er/new", &test_err));
    holds(s, "deep/er/new", "text");
    YES(gone(s, "old"));
}

TEST(object_rename_moves_and_never_replaces)
{
    over_all(renaming);
}

static void touching(struct store *s)
{
    struct object_info info;
    struct object *o;

    OK(put(s, "x", "1", false));
    OK(object_open(s->objects, "x", &o, &info, &test_err));
    OK(object_touch(o, 1234567890, &test_err));
    object_close(o);
    OK(object_stat(s->objects, "x", &info, &test_err));
    EQ(1234567890, info.modified_s);
    OK(put(s, "x", "2", true));
    OK(object_stat(s->objects, "x", &info, &test_err));
    YES(info.modified_s > 1234567890);
}

TEST(object_touch_renews_the_time)
{
    over_all(touching);
}

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
    OK(put(s, "b", "1", false));
    OK(put(s, "a/z", "12", false));
    OK(put(s, "a/b/c", "123", false));
    OK(put(s, "a-b", "", false)); /* '-' sorts before '/' */
    OK(put(s, "ab", "", false));  /* 'b' after it         */
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

TEST(object_list_is_in_order_and_can_be_stopped)
{
    over_all(listing);
}

static void batching(struct store *s)
{
    char name[32];
    int i;

    OK(put(s, "before", "0", false));
    OK(object_begin(s->objects, &test_err));
    for (i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "d%d/x%d", i % 7, i);
        OK(put(s, name, name, i % 2));
        if (i % 2 == 0)
            IS(QUIRE_EXISTS, put(s, name, "other", false));
    }
    OK(put(s, "d1/x1", "replaced", true));
    holds(s, "d1/x1", "replaced");
    OK(object_commit(s->objects, &test_err));
    for (i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "d%d/x%d", i % 7, i);
        holds(s, name, i == 1 ? "replaced" : name);
    }
    OK(object_begin(s->objects, &test_err));
    OK(put(s, "after", "1", false));
    object_rollback(s->objects);
    YES(gone(s, "after"));
    holds(s, "before", "0");
    OK(put(s, "after", "2", false)); /* no longer in a batch */
    holds(s, "after", "2");
}

TEST(object_batch_sees_itself_and_can_be_taken_back)
{
    over_all(batching);
}

static void staged_is_hidden(struct store *s)
{
    struct store *other;

    OK(object_begin(s->objects, &test_err));
    OK(put(s, "x", "1", false));
    OK(store_files_open(test_path("store"), false, &other, &test_err));
    YES(gone(other, "x"));
    OK(object_commit(s->objects, &test_err));
    holds(other, "x", "1");
    store_free(other);
}

TEST(files_of_a_batch_are_hidden_from_others_until_the_commit)
{
    struct store *s = open_files();

    staged_is_hidden(s);
    store_free(s);
}

static void locking(struct store *s)
{
    OK(object_lock(s->objects, OBJECT_SHARED, 0, &test_err));
    OK(object_lock(s->objects, OBJECT_EXCLUSIVE, 0, &test_err));
    OK(object_lock(s->objects, OBJECT_UNLOCK, 0, &test_err));
    OK(object_lock(s->objects, OBJECT_UNLOCK, 0, &test_err));
}

TEST(object_lock_can_change_its_mode)
{
    over_all(locking);
}

TEST(files_store_lock_is_between_handles)
{
    struct store *a = open_files(), *b = open_files();

    OK(object_lock(a->objects, OBJECT_SHARED, 0, &test_err));
    OK(object_lock(b->objects, OBJECT_SHARED, 0, &test_err));
    IS(QUIRE_BUSY, object_lock(b->objects, OBJECT_EXCLUSIVE, 5, &test_err));
    HAS(test_err.what, "store");
    store_free(a);
    OK(object_lock(b->objects, OBJECT_EXCLUSIVE, 5, &test_err));
    store_free(b);
}

TEST(files_store_is_not_made_by_looking)
{
    struct store *s = open_files();

    YES(gone(s, "x"));
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
    struct store *s = open_files();
    struct object_info info;
    struct object *o;
    struct buf got = BUF_INIT(100);

    OK(put(s, "real", "1", false));
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
    OK(put(tapped, "x", "12", false));
    YES(gone(tapped, "y"));
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
    TRY(object_lock(s->objects, OBJECT_SHARED, 0, &test_err));
    TRY(log_create(s->logs, &log, &test_err));
    if (!st)
        TRY(log_write(log, bytes_str("line\n"), &test_err));
    if (!st)
        TRY(log_publish(log, "log/a", false, &l, &test_err));
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
    TRY(object_rename(s->objects, "p/q/s", "p/t", &test_err));
    TRY(object_remove(s->objects, "p/t", &test_err));
#undef TRY
}

TEST(files_store_survives_every_failing_call)
{
    long n;

    for (n = 1;; n++) {
        struct store *s = open_files();
        struct buf names = BUF_INIT(1000);
        quire_status worst = QUIRE_OK;
        bool struck;

        fault_arm(n, EIO, false);
        busy_work(s, &worst);
        struck = fault_disarm();
        store_free(s);
        /* No litter; and what has a name is complete. */
        s = open_files();
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

/* ---- combing ------------------------------------------------------------ */

struct combed {
    char names[512]; /* "dir|name " of each, in the order they came */
    int n;
};

static bool wants_no_log(void *ctx, const char *name)
{
    (void)ctx;
    return !strstr(name, ".log");
}

static quire_status note_combed(void *ctx, const char *dir, const char *name,
                                const struct object_info *info,
                                quire_error *err)
{
    struct combed *c = ctx;
    size_t used = strlen(c->names);

    (void)err;
    snprintf(c->names + used, sizeof c->names - used, "%s|%s:%d ", dir, name,
             info ? (int)info->size : -1);
    c->n++;
    return QUIRE_OK;
}

static void combing(struct store *s)
{
    struct combed c = {.n = 0};

    OK(put(s, "top/a.jsonl", "1", false));
    OK(put(s, "top/x/b.jsonl", "22", false));
    OK(put(s, "top/x/y/z/.hidden", "333", false));
    OK(put(s, "top/x/y/1.bash.log", "4444", false));
    OK(put(s, "topmost/no", "", false));
    OK(object_find(s->objects, "top", wants_no_log, note_combed, &c,
                   &test_err));
    EQ(3, c.n);
    HAS(c.names, "|a.jsonl:1 ");
    HAS(c.names, "x|b.jsonl:2 ");
    HAS(c.names, "x/y/z|.hidden:3 ");
    c = (struct combed){.n = 0};
    OK(object_find(s->objects, "nowhere", wants_no_log, note_combed, &c,
                   &test_err));
    EQ(0, c.n);
    OK(object_find(s->objects, "", wants_no_log, note_combed, &c, &test_err));
    EQ(4, c.n);
    HAS(c.names, "topmost|no:0 ");
}

TEST(object_comb_meets_everything_below)
{
    over_all(combing);
}

TEST(object_comb_tells_of_links)
{
    struct store *s = open_files();
    struct combed c = {.n = 0};

    OK(put(s, "top/x/b.jsonl", "22", false));
    EQ(0, symlink("/etc/passwd", test_path("store/top/x/link")));
    EQ(0, symlink("/etc", test_path("store/top/dir")));
    OK(object_find(s->objects, "top", wants_no_log, note_combed, &c,
                   &test_err));
    EQ(3, c.n);
    HAS(c.names, "x|link:-1 ");
    HAS(c.names, "|dir:-1 ");
    store_free(s);
}

static void removing_in_a_batch(struct store *s)
{
    OK(put(s, "a", "1", false));
    OK(put(s, "b", "2", false));
    OK(object_begin(s->objects, &test_err));
    OK(object_remove(s->objects, "a", &test_err));
    YES(gone(s, "a"));
    OK(object_commit(s->objects, &test_err));
    YES(gone(s, "a"));
    holds(s, "b", "2");
}

TEST(object_remove_in_a_batch)
{
    over_all(removing_in_a_batch);
}

static void marking(struct store *s)
{
    int64_t one, two, three;

    OK(put(s, "a", "1", false));
    OK(object_lock(s->objects, OBJECT_SHARED, 0, &test_err));
    OK(object_gen(s->objects, &one, &test_err));
    object_touch_gen(s->objects);
    OK(object_gen(s->objects, &two, &test_err));
    object_touch_gen(s->objects);
    OK(object_gen(s->objects, &three, &test_err));
    YES(one != two && two != three);
    OK(object_gen(s->objects, &two, &test_err));
    EQ(three, two);
    OK(object_lock(s->objects, OBJECT_UNLOCK, 0, &test_err));
}

TEST(object_marks_differ)
{
    over_all(marking);
}

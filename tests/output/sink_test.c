/*
 * The sink, over memory and over files: what it shows is measured by the slow
 * way of support/slow.h, what it keeps by the stream cleaned at once.
 */
#include "output/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "output/sanitize.h"
#include "store/intercept.h"
#include "support/durability.h"
#include "support/slow.h"
#include "support/store.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define DOTS         "\xe2\x80\xa6"

/* ---- the house ---------------------------------------------------------- */

/* A store with a session in it, p/s.jsonl, and the outdir of that. */
struct room {
    struct store *store;
    struct output_dir outdir;
    bool disk;

    /* Fail the n-th call of this name ("": any), or all from it on. */
    const char *fail_call;
    long fail_at;
    bool fail_stays;
    quire_status fail_status;
    bool failed;

    int opened;
    bool unopenable;

    int followed;
    const char *moved_to; /* follow() gives these */
    const char *moved_owner;
};

static quire_status before(void *ctx, const char *call, const char *on,
                           quire_error *err)
{
    struct room *r = ctx;

    (void)on;
    if (!r->fail_call || (*r->fail_call && strcmp(r->fail_call, call) != 0) ||
        r->fail_at == 0 || --r->fail_at > 0)
        return QUIRE_OK;
    r->failed = true;
    if (r->fail_stays)
        r->fail_at = 1;
    if (err) {
        err->status = r->fail_status;
        snprintf(err->what, sizeof err->what, "%s: on purpose", call);
    }
    return r->fail_status;
}

static void put_file(struct room *r, const char *name, const char *text)
{
    struct draft *d;

    OK(object_create(r->store->objects, &d, &test_err));
    OK(object_write(d, bytes_str(text), &test_err));
    OK(object_publish(d, name, true, &test_err));
}

static void room_open(struct room *r, bool disk)
{
    *r = (struct room){.disk = disk};
    if (disk)
        OK(store_files_open(test_path("home"), false, &r->store, &test_err));
    else
        OK(store_memory_open(&test_clock, &r->store, &test_err));
    OK(store_intercept(r->store, (struct intercept){.before = before, .ctx = r},
                       &test_err));
    r->outdir = (struct output_dir){.store = r->store,
                                    .dir = "p/s",
                                    .owner = "p/s.jsonl",
                                    .ctx = r};
    put_file(r, "p/s.jsonl", "{}\n");
}

static void room_close(struct room *r)
{
    if (r->disk)
        NO(test_litter(test_path("home")));
    store_free(r->store);
    test_forget_dir();
}

static void over_both(void (*body)(struct room *r))
{
    int disk;

    for (disk = 0; disk < 2; disk++) {
        struct room r;

        room_open(&r, disk);
        body(&r);
        room_close(&r);
    }
}

static quire_status join(void *ctx, const char *name,
                         const struct object_info *info, quire_error *err)
{
    (void)info;
    (void)err;
    buf_addf(ctx, "%s ", name);
    return QUIRE_OK;
}

static void stands(struct room *r, const char *want)
{
    struct buf got = BUF_INIT(1 << 16);

    OK(object_list(r->store->objects, "", join, &got, &test_err));
    SAME_TEXT(want, buf_text(&got));
    buf_release(&got);
}

#define NOTHING_STANDS(r) stands((r), "p/s.jsonl ")

static quire_bytes read_all(struct store *store, const char *name)
{
    struct object_info info;
    struct object *o;
    size_t n;
    char *out;

    OK(object_open(store->objects, name, &o, &info, &test_err));
    out = test_alloc(info.size);
    OK(object_read(o, 0, out, info.size, &n, &test_err));
    object_close(o);
    EQ(info.size, n);
    return bytes_of(out, n);
}

/* ---- pouring ------------------------------------------------------------ */

static uint64_t seed;

/* The whole stream cleaned at once; until the test ends. */
static quire_bytes cleaned(quire_bytes in)
{
    static struct sanitizer c;
    size_t cap = 3 * in.len + SANITIZE_ROOM, n;
    char *out = test_alloc(cap);

    sanitize_init(&c);
    n = sanitize_text(&c, &in, out, cap);
    sanitize_end(&c);
    in = bytes_of(NULL, 0);
    n += sanitize_text(&c, &in, out + n, cap - n);
    return bytes_of(out, n);
}

struct poured {
    quire_sink_options options;
    quire_bytes stream;
    size_t longest; /* pieces up to so many bytes; 0: at once */
    struct sink *sink;
    quire_sink_result result;
};

static const quire_sink_options usual = QUIRE_SINK_OPTIONS_INIT;

static struct poured pouring(const char *text, uint64_t threshold)
{
    struct poured p = {.options = usual, .stream = bytes_str(text)};

    p.options.tool = "bash";
    p.options.threshold = threshold;
    return p;
}

static quire_status pour(struct output_dir *outdir, struct poured *p)
{
    quire_bytes in = p->stream;
    quire_status st = sink_new(outdir, &p->options, NULL, &p->sink, &test_err);
    size_t at = 0, n;

    if (st)
        return st;
    for (; at < in.len; at += n) {
        n = p->longest ? 1 + (size_t)slow_random(&seed, p->longest) : in.len;
        if (n > in.len - at)
            n = in.len - at;
        sink_write(p->sink, bytes_sub(in, at, at + n));
    }
    memset(&p->result, 0xa5, sizeof p->result); /* all of it is filled in */
    sink_finish(p->sink, &p->result);
    return QUIRE_OK;
}

/* What is quote_text is right, whatever became of the file. */
static void shows_right(struct poured *p)
{
    quire_bytes text = cleaned(p->stream);
    quire_sink_result want = slow_shown(text, (size_t)p->options.threshold,
                                        (size_t)p->options.head,
                                        (size_t)p->options.columns);

    slow_same(&want, &p->result);
}

static void is_kept(struct room *r, struct poured *p, const char *id,
                    const char *name)
{
    char path[700];

    shows_right(p);
    YES(p->result.truncated);
    EQ(QUIRE_OK, p->result.problem.status);
    SAME_TEXT(id, p->result.id);
    snprintf(path, sizeof path, "%s/%s", store_place(r->store), name);
    SAME_TEXT(path, p->result.path);
    SAME(cleaned(p->stream), read_all(r->store, name));
    if (r->disk)
        SAME(cleaned(p->stream), test_read_file(p->result.path));
    sink_free(p->sink);
}

static void no_file(struct poured *p)
{
    YES(p->result.id == NULL);
    YES(p->result.path == NULL);
}

static void is_lost(struct poured *p, quire_status status)
{
    shows_right(p);
    YES(p->result.truncated);
    no_file(p);
    EQ(status, p->result.problem.status);
    YES(p->result.problem.what[0]);
    sink_free(p->sink);
}

static void is_whole(struct poured *p)
{
    shows_right(p);
    NO(p->result.truncated);
    no_file(p);
    EQ(QUIRE_OK, p->result.problem.status);
    SAME(cleaned(p->stream), p->result.output);
    sink_free(p->sink);
}

/* ---- when there is a file ----------------------------------------------- */

static void around_the_threshold(struct room *r)
{
    static const char text[] = "0123456789";
    struct poured p = pouring("", 10);

    OK(pour(&r->outdir, &p));
    is_whole(&p);
    p = pouring(text, 11);
    OK(pour(&r->outdir, &p));
    is_whole(&p);
    p = pouring(text, 10);
    OK(pour(&r->outdir, &p));
    is_whole(&p);
    NOTHING_STANDS(r);
    p = pouring(text, 9);
    OK(pour(&r->outdir, &p));
    SAME(bytes_str("123456789"), p.result.output);
    is_kept(r, &p, "0", "p/s/0.bash.log");
    p = pouring(text, 0);
    OK(pour(&r->outdir, &p));
    EQ(0, p.result.output.len);
    is_kept(r, &p, "1", "p/s/1.bash.log");
    stands(r, "p/s.jsonl p/s/0.bash.log p/s/1.bash.log ");
}

TEST(sink_makes_a_file_of_more_than_the_threshold)
{
    over_both(around_the_threshold);
}

/* It is the clean text that is measured. */
static void only_dirt(struct room *r)
{
    struct poured p = pouring("\x1b[31m0123\x1b[0m\r\n456\x07\x01\x02", 8);

    OK(pour(&r->outdir, &p));
    SAME(bytes_str("0123\n456"), p.result.output);
    is_whole(&p);
    p = pouring("\x1b]0;title without an end", 0);
    OK(pour(&r->outdir, &p));
    EQ(0, p.result.total_lines);
    is_whole(&p);
    p = pouring("\xff\xff\xff", 8); /* grows */
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "0", "p/s/0.bash.log");
}

TEST(sink_measures_clean_text)
{
    over_both(only_dirt);
}

static void capped_columns(struct room *r)
{
    static const char *const lines[] = {"01234567890123456789\n", "0123456\n",
                                        "01234567\n", "012345678\n"};
    static const size_t columns[] = {10, 6, 6, 6};
    size_t i;

    for (i = 0; i < COUNT(lines); i++) {
        struct poured p = pouring(lines[i], 1000);
        char id[24], name[48];

        p.options.columns = columns[i];
        OK(pour(&r->outdir, &p));
        EQ(1, p.result.capped_lines);
        EQ(0, p.result.elided_bytes);
        snprintf(id, sizeof id, "%zu", i);
        snprintf(name, sizeof name, "p/s/%zu.bash.log", i);
        is_kept(r, &p, id, name);
    }
}

TEST(sink_makes_a_file_when_only_a_line_was_cut)
{
    over_both(capped_columns);
}

static void exact_columns(struct room *r)
{
    struct poured p = pouring("0123456789\n0123456789", 1000);

    p.options.columns = 10;
    OK(pour(&r->outdir, &p));
    is_whole(&p);
    NOTHING_STANDS(r);
}

TEST(sink_makes_no_file_when_every_line_fits)
{
    over_both(exact_columns);
}

static void late_cap(struct room *r)
{
    struct poured p = pouring("one\ntwo\n0123456789abc\nfour\n", 1000);

    p.options.columns = 12;
    p.longest = 1;
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "0", "p/s/0.bash.log");
}

TEST(sink_keeps_what_came_before_the_first_long_line)
{
    over_both(late_cap);
}

static void random_streams(struct room *r)
{
    int round, n = 0;

    seed = 3;
    for (round = 0; round < 150; round++) {
        quire_bytes text = slow_text(&seed, 400);
        struct poured p = pouring("", slow_random(&seed, 300));
        char id[24], name[48];

        p.stream = text;
        p.options.head = slow_random(&seed, 200); /* may be too much */
        p.options.columns = slow_random(&seed, 40);
        p.longest = (size_t)slow_random(&seed, 30);
        OK(pour(&r->outdir, &p));
        if (!p.result.truncated) {
            is_whole(&p);
            continue;
        }
        snprintf(id, sizeof id, "%d", n);
        snprintf(name, sizeof name, "p/s/%d.bash.log", n++);
        is_kept(r, &p, id, name);
    }
    YES(n > 20);
}

TEST(sink_keeps_every_stream_whole_and_numbers_them_in_turn)
{
    over_both(random_streams);
}

/* Several of its batches, with a string that is never ended in the middle. */
static void large(struct room *r)
{
    size_t len = 1500000, i;
    char *text = test_alloc(len);
    struct poured p = pouring("", 51200);

    test_prose(5, text, len);
    for (i = 0; i < 40; i++)
        memcpy(text + i * 37111, i % 2 ? "\x1b[32m" : "\xe2\x82\xac\r\n", 5);
    memcpy(text + 300000, "\x1b]0;", 4);
    p.stream = bytes_of(text, len);
    p.options.head = 20480;
    p.options.columns = 768;
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "0", "p/s/0.bash.log");
    p.longest = 9000;
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "1", "p/s/1.bash.log");
    SAME(read_all(r->store, "p/s/0.bash.log"),
         read_all(r->store, "p/s/1.bash.log"));
}

TEST(sink_keeps_a_large_stream_whole)
{
    over_both(large);
}

/* Batches that fit come before the one that does not, and end anywhere in a
 * line that has just its length. */
static void late_spill(struct room *r)
{
    size_t shift, i, len = 600000;
    char *text = test_alloc(len + 8);

    for (shift = 0; shift < 6; shift++) {
        struct poured p = pouring("", 1 << 20);
        char id[24], name[48];

        for (i = 0; i < len; i++)
            text[i] = (i + shift) % 6 == 5 ? '\n' : 'x';
        memcpy(text + len - 8, "too long", 8);
        p.stream = bytes_of(text, len);
        p.options.columns = 5;
        p.options.head = shift * 1000;
        OK(pour(&r->outdir, &p));
        EQ(1, p.result.capped_lines);
        snprintf(id, sizeof id, "%zu", shift);
        snprintf(name, sizeof name, "p/s/%zu.bash.log", shift);
        is_kept(r, &p, id, name);
    }
}

TEST(sink_keeps_what_was_held_back_when_the_file_begins)
{
    over_both(late_spill);
}

static void names(struct room *r)
{
    static const struct {
        const char *tool, *name;
    } of[] = {
        {"bash", "p/s/0.bash.log"},
        {NULL, "p/s/1.tool.log"},
        {"", "p/s/2.tool.log"},
        {"../../etc/pass wd", "p/s/3.etc_pass_wd.log"},
        {"__", "p/s/4.tool.log"},
        {"a.b/c\nd", "p/s/5.a_b_c_d.log"},
        {"mcp__server-1__tool", "p/s/6.mcp__server-1__tool.log"},
        {"é", "p/s/7.tool.log"},
    };
    size_t i;

    for (i = 0; i < COUNT(of); i++) {
        struct poured p = pouring("0123456789", 3);
        char id[24];

        p.options.tool = of[i].tool;
        OK(pour(&r->outdir, &p));
        snprintf(id, sizeof id, "%zu", i);
        is_kept(r, &p, id, of[i].name);
    }
}

TEST(sink_cleans_the_name_of_the_tool)
{
    over_both(names);
}

TEST(sink_without_a_shelf_keeps_no_file)
{
    struct poured p = pouring("0123456789", 3);

    OK(pour(NULL, &p));
    shows_right(&p);
    YES(p.result.truncated);
    no_file(&p);
    EQ(QUIRE_OK, p.result.problem.status);
    sink_free(p.sink);
}

TEST(sink_shows_no_more_than_a_gibibyte)
{
    struct poured p = pouring("", ((uint64_t)1 << 30) + 1);

    IS(QUIRE_INVALID, pour(NULL, &p));
    YES(p.sink == NULL);
    p.options.threshold = UINT64_MAX;
    p.options.head = UINT64_MAX;
    IS(QUIRE_INVALID, pour(NULL, &p));
}

TEST(sink_takes_any_size_of_columns_and_head)
{
    struct poured p = pouring("0123456789", 6);

    p.options.head = UINT64_MAX;
    p.options.columns = UINT64_MAX;
    OK(pour(NULL, &p));
    SAME(bytes_str("012\n[" DOTS "4B elided" DOTS "]\n789"), p.result.output);
    sink_free(p.sink);
}

static void unfinished(struct room *r)
{
    struct poured p = pouring("", 3);

    OK(sink_new(&r->outdir, &p.options, NULL, &p.sink, &test_err));
    sink_write(p.sink, bytes_str("0123456789"));
    sink_free(p.sink);
    NOTHING_STANDS(r);
    OK(sink_new(&r->outdir, &p.options, NULL, &p.sink, &test_err));
    sink_free(p.sink);
    sink_free(NULL);
    NOTHING_STANDS(r);
}

TEST(sink_that_is_not_finished_leaves_nothing)
{
    over_both(unfinished);
}

TEST(sink_has_its_file_safe_when_it_says_so)
{
    struct room r;
    struct poured p = pouring("0123456789", 3);

    room_open(&r, true);
    lasting_watch(true);
    OK(pour(&r.outdir, &p));
    EQ(0, lasting_marked());
    EQ(0, lasting_breaches());
    lasting_watch(false);
    is_kept(&r, &p, "0", "p/s/0.bash.log");
    room_close(&r);
}

static quire_status open_late(void *ctx, struct output_dir *s, quire_error *err)
{
    struct room *r = ctx;

    r->opened++;
    if (r->unopenable) {
        err->status = QUIRE_IO;
        snprintf(err->what, sizeof err->what, "not today");
        return QUIRE_IO;
    }
    s->store = r->store;
    return QUIRE_OK;
}

static void late(struct room *r)
{
    struct poured p = pouring("0123456789", 10);

    r->outdir.store = NULL;
    r->outdir.open = open_late;
    OK(pour(&r->outdir, &p));
    is_whole(&p);
    EQ(0, r->opened);
    p.options.threshold = 3;
    r->unopenable = true;
    OK(pour(&r->outdir, &p));
    SAME_TEXT("not today", p.result.problem.what);
    is_lost(&p, QUIRE_IO);
    EQ(1, r->opened);
    r->unopenable = false;
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "0", "p/s/0.bash.log");
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "1", "p/s/1.bash.log");
    EQ(2, r->opened);
}

TEST(sink_opens_the_store_for_the_first_file)
{
    over_both(late);
}

/* ---- when there cannot be one ------------------------------------------- */

static void lost_to(struct room *r, const char *call, long at,
                    quire_status status)
{
    size_t len = 700000; /* several writes */
    char *text = test_alloc(len);
    struct poured p = pouring("", 1000);

    test_prose(6, text, len);
    p.stream = bytes_of(text, len);
    p.options.head = 300;
    r->fail_call = call;
    r->fail_at = at;
    r->fail_status = status;
    r->failed = false;
    OK(pour(&r->outdir, &p));
    r->fail_call = NULL;
    YES(r->failed);
    HAS(p.result.problem.what, "on purpose");
    is_lost(&p, status);
    NOTHING_STANDS(r);
    if (r->disk)
        EQ(1, test_count_files(test_path("home")));
}

static void each_loss(struct room *r)
{
    struct poured p = pouring("0123456789", 3);

    lost_to(r, "object create", 1, QUIRE_IO);
    lost_to(r, "object write", 1, QUIRE_IO);
    lost_to(r, "object write", 2, QUIRE_IO);
    lost_to(r, "object write", 3, QUIRE_NO_MEMORY);
    lost_to(r, "object settle", 1, QUIRE_IO);
    lost_to(r, "lease lock directory", 1, QUIRE_BUSY);
    lost_to(r, "directory scan", 1, QUIRE_IO);
    lost_to(r, "object publish", 1, QUIRE_IO);
    OK(pour(&r->outdir, &p)); /* no number was lost */
    is_kept(r, &p, "0", "p/s/0.bash.log");
}

TEST(sink_goes_on_without_a_file_that_fails)
{
    over_both(each_loss);
}

TEST(sink_gives_up_when_somebody_else_is_numbering_for_good)
{
    struct store *other;
    struct room r;
    struct poured p = pouring("0123456789", 3);

    room_open(&r, true);
    OK(store_files_open(test_path("home"), false, &other, &test_err));
    OK(lease_lock_dir(other->leases, "p", 0, &test_err));
    r.outdir.busy_ms = 20;
    OK(pour(&r.outdir, &p));
    is_lost(&p, QUIRE_BUSY);
    NOTHING_STANDS(&r);
    lease_unlock_dir(other->leases);
    p.sink = NULL;
    OK(pour(&r.outdir, &p));
    is_kept(&r, &p, "0", "p/s/0.bash.log");
    store_free(other);
    room_close(&r);
}

TEST(sink_lets_go_of_the_directory_after_a_failure)
{
    static const char *const calls[] = {"directory scan", "object publish"};
    struct store *other;
    struct room r;
    size_t i;

    room_open(&r, true);
    OK(store_files_open(test_path("home"), false, &other, &test_err));
    for (i = 0; i < COUNT(calls); i++) {
        lost_to(&r, calls[i], 1, QUIRE_IO);
        OK(lease_lock_dir(other->leases, "p", 0, &test_err));
        lease_unlock_dir(other->leases);
    }
    store_free(other);
    room_close(&r);
}

static void owner_gone(struct room *r)
{
    struct poured p = pouring("0123456789", 3);

    OK(object_remove(r->store->objects, "p/s.jsonl", &test_err));
    OK(pour(&r->outdir, &p));
    is_lost(&p, QUIRE_NOT_FOUND);
    stands(r, "");
    if (r->disk) {
        EQ(0, test_count_files(test_path("home")));
        NO(test_exists(test_path("home/p/s")));
    }
}

TEST(sink_leaves_nothing_to_a_session_that_is_gone)
{
    over_both(owner_gone);
}

static bool follow(void *ctx, struct output_dir *s)
{
    struct room *r = ctx;

    r->followed++;
    if (!r->moved_to)
        return false;
    s->dir = r->moved_to;
    s->owner = r->moved_owner;
    return true;
}

static void owner_moved(struct room *r)
{
    struct poured p = pouring("0123456789", 3);

    r->outdir.follow = follow;
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "0", "p/s/0.bash.log");
    EQ(0, r->followed); /* it is where it was */
    OK(directory_rename(r->store->dirs, "p/s.jsonl", "q/t.jsonl", &test_err));
    OK(directory_rename(r->store->dirs, "p/s", "q/t", &test_err));
    r->moved_to = "q/t";
    r->moved_owner = "q/t.jsonl";
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "1", "q/t/1.bash.log");
    EQ(1, r->followed);
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "2", "q/t/2.bash.log");
    EQ(1, r->followed);
    stands(r, "q/t.jsonl q/t/0.bash.log q/t/1.bash.log q/t/2.bash.log ");
    r->moved_to = NULL;
    OK(object_clear(r->store->objects, "q", &test_err));
    OK(pour(&r->outdir, &p));
    is_lost(&p, QUIRE_NOT_FOUND);
    YES(r->followed >= 2);
    stands(r, "");
}

TEST(sink_follows_a_session_that_has_moved)
{
    over_both(owner_moved);
}

static void nobodys(struct room *r)
{
    struct poured p = pouring("0123456789", 3);

    r->outdir.owner = NULL;
    r->outdir.dir = "";
    OK(object_remove(r->store->objects, "p/s.jsonl", &test_err));
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "0", "0.bash.log");
    OK(pour(&r->outdir, &p));
    is_kept(r, &p, "1", "1.bash.log");
}

TEST(sink_may_belong_to_nobody)
{
    over_both(nobodys);
}

/* ---- each call fails once ----------------------------------------------- */

enum fate { SEAM, SEAM_FOR_GOOD, SYSTEM, SYSTEM_FOR_GOOD };

/* The stream of the sweep: two batches, a head, cut lines. */
static struct poured sweep_stream(void)
{
    size_t len = 300000;
    char *text = test_alloc(len);
    struct poured p = pouring("", 2000);

    test_prose(9, text, len);
    p.stream = bytes_of(text, len);
    p.options.head = 500;
    p.options.columns = 30;
    p.longest = 100000;
    return p;
}

/* Nothing or the whole, as another process would find it. */
static void is_whole_or_none(struct room *r, const struct poured *p)
{
    struct store *again = r->store;
    struct object_info info;
    struct buf got = BUF_INIT(1 << 16);
    bool kept;

    if (r->disk)
        OK(store_files_open(test_path("home"), true, &again, &test_err));
    kept = object_stat(again->objects, "p/s/0.bash.log", &info, &test_err) ==
           QUIRE_OK;
    OK(object_list(again->objects, "", join, &got, &test_err));
    SAME_TEXT(kept ? "p/s.jsonl p/s/0.bash.log " : "p/s.jsonl ",
              buf_text(&got));
    buf_release(&got);
    if (kept)
        SAME(cleaned(p->stream), read_all(again, "p/s/0.bash.log"));
    if (p->sink && p->result.id)
        YES(kept);
    if (r->disk) {
        NO(test_litter(test_path("home")));
        store_free(again);
    }
}

/* Run `p` with its n-th call failing; whether it came to that. */
static bool strike(struct room *r, struct poured *p, enum fate fate, long n,
                   bool *refused)
{
    bool struck;
    quire_status st;

    if (fate == SYSTEM || fate == SYSTEM_FOR_GOOD)
        fault_arm(n, n % 2 ? ENOMEM : ENOSPC, fate == SYSTEM_FOR_GOOD);
    r->fail_call = fate == SEAM || fate == SEAM_FOR_GOOD ? "" : NULL;
    r->fail_at = n;
    r->fail_stays = fate == SEAM_FOR_GOOD;
    r->fail_status = QUIRE_IO;
    st = pour(&r->outdir, p);
    struck = fault_disarm() || r->failed;
    r->fail_call = NULL;
    *refused = st == QUIRE_NO_MEMORY;
    if (st && !*refused)
        OK(st);
    if (!struck)
        OK(st);
    return struck;
}

static void sweep(bool disk, enum fate fate, long at_least)
{
    bool struck = true;
    long n;

    for (n = 1; struck; n++) {
        struct poured p = sweep_stream();
        struct room r;
        bool refused;

        room_open(&r, disk);
        seed = (uint64_t)n;
        struck = strike(&r, &p, fate, n, &refused);
        if (!refused) {
            shows_right(&p);
            YES(p.result.truncated);
            EQ(p.result.id == NULL, p.result.problem.status != QUIRE_OK);
            EQ(p.result.id == NULL, p.result.path == NULL);
            EQ(p.result.id == NULL, p.result.problem.what[0] != '\0');
            if (!struck)
                YES(p.result.id != NULL);
        }
        is_whole_or_none(&r, &p);
        sink_free(p.sink);
        room_close(&r);
    }
    YES(n > at_least);
}

TEST(sink_survives_each_call_through_the_seam_failing)
{
    sweep(false, SEAM, 8);
    sweep(true, SEAM, 8);
    sweep(true, SEAM_FOR_GOOD, 8);
}

TEST(sink_survives_each_system_call_and_allocation_failing_once)
{
    sweep(false, SYSTEM, 8);
    sweep(true, SYSTEM, 20);
}

TEST(sink_survives_the_system_failing_for_good)
{
    sweep(false, SYSTEM_FOR_GOOD, 8);
    sweep(true, SYSTEM_FOR_GOOD, 10);
}

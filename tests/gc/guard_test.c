/*
 * The safeguards of a collection, one at a time.
 *
 * Most of them stand behind another one, or in a gap that is a moment wide, so
 * that a walk through all steps can pass without meeting them. Here each has a
 * story in which it alone is between a blob and its loss. Where something must
 * happen in the middle of something else it happens at a call through the
 * storage seams, which quire_options.trace hears.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "blob/hash.h"
#include "support/catalog.h"
#include "support/gc.h"
#include "support/tenants.h"

/* A blob in a file, and some in rows. */
enum { LARGE = 2, SMALL = 3, DYING = 4 };

enum { DAY_S = 86400 };

static quire *begin(quire_kind kind)
{
    collect_clock_start();
    mkdir(test_path("home"), 0700);
    if (kind == QUIRE_KIND_JP)
        mkdir(test_path("home/conversations"), 0700);
    return collect_open(kind);
}

static void end(quire *q)
{
    quire_close(q);
    collect_clock_stop();
}

static void put(quire *q, int n)
{
    OK(quire_blob_put(q, collect_content(n), 0, NULL, &test_err));
}

/* Its bytes, not only its name. */
static bool there(quire *q, int n)
{
    quire_bytes got;
    quire_status st = quire_blob_get(q, collect_digest(n), &got, &test_err);

    if (st != QUIRE_NOT_FOUND)
        OK(st);
    return !st;
}

static void later(int64_t s)
{
    collect_now_us += s * 1000000;
}

/* So often and so late that whatever is not referred to goes. */
static quire_status sweep(quire *q)
{
    quire_status st = QUIRE_OK;
    int i;

    for (i = 0; !st && i < 3; i++) {
        later(2 * DAY_S);
        st = collect_run(q, 0, DAY_S, NULL);
    }
    return st;
}

/* ---- stops -------------------------------------------------------------- */

/* What happens, through a handle of its own, when a call that begins like this
 * has been made for the n-th time. */
static struct {
    const char *call;
    int n;
    void (*happens)(quire *q);
    int heard;
    quire_status status;
} stop;

static void stop_at(const char *call, int n, void (*happens)(quire *q))
{
    memset(&stop, 0, sizeof stop);
    stop.call = call;
    stop.n = n;
    stop.happens = happens;
}

static void hear(void *ctx, const char *line)
{
    quire *q;

    (void)ctx;
    if (strncmp(line, stop.call, strlen(stop.call)) != 0 ||
        ++stop.heard != stop.n)
        return;
    q = collect_open(QUIRE_KIND_NATIVE);
    stop.happens(q);
    quire_close(q);
}

static quire *open_heard(void)
{
    quire *q = collect_open_as(QUIRE_KIND_NATIVE, NULL, hear, 0);

    YES(q != NULL);
    return q;
}

/* With no grace time, and stopped; it came to that. */
static void collect_heard(void)
{
    quire *q = open_heard();

    OK(collect_run(q, 0, 0, NULL));
    YES(stop.heard >= stop.n);
    quire_close(q);
}

/* A collection in the middle of something. */
static void collect_now(quire *q)
{
    stop.status = collect_run(q, 0, 0, NULL);
}

/* ---- who holds leaves a mark -------------------------------------------- */

/* The calls of a collection: the sessions are looked through once to judge, and
 * once more, with nobody kept out, before anything goes. */
#define LOOKED       "directory find sessions"
#define LOOKED_AWAY  "directory find archive"
#define LOOKED_TWICE 2

static char path[4096];

static void fork_path(quire *q)
{
    quire_session *s;

    OK(quire_session_fork(q, path, NULL, &s, &test_err));
    quire_session_close(s);
}

/* Brought in from where nothing is looked for: the copy refers to a blob that
 * nothing referred to, and no put renews it. Its place has been looked at. */
TEST(collect_guard_a_fork_behind_the_second_look_is_seen)
{
    quire *q = begin(QUIRE_KIND_NATIVE);

    put(q, LARGE);
    put(q, SMALL);
    put(q, DYING);
    collect_foreign(QUIRE_KIND_NATIVE, "s", LARGE, SMALL);
    snprintf(path, sizeof path, "%s", test_path("s.jsonl"));
    EQ(0, rename(test_path(collect_path(QUIRE_KIND_NATIVE, "s")), path));
    later(10);
    stop_at(LOOKED, LOOKED_TWICE, fork_path);
    collect_heard();
    YES(there(q, LARGE) && there(q, SMALL));
    NO(there(q, DYING));
    collect_sound(QUIRE_KIND_NATIVE, "a fork behind the look");
    end(q);
}

static void put_back(quire *q)
{
    const char *back;

    OK(quire_session_unarchive(q, path, &back, &test_err));
    snprintf(path, sizeof path, "%s", back);
}

static void put_away(quire *q)
{
    const char *away;

    OK(quire_session_archive(q, path, &away, &test_err));
    snprintf(path, sizeof path, "%s", away);
}

/* Each time the sessions have been looked through it comes out of the archive,
 * and goes back after that was: neither look meets it. */
static void hear_dodging(void *ctx, const char *line)
{
    quire *q;
    bool out = !strncmp(line, LOOKED, strlen(LOOKED));
    bool back = !strncmp(line, LOOKED_AWAY, strlen(LOOKED_AWAY));

    (void)ctx;
    if ((!out && !back) || stop.heard == stop.n)
        return;
    stop.heard++;
    q = collect_open(QUIRE_KIND_NATIVE);
    (out ? put_back : put_away)(q);
    quire_close(q);
}

TEST(collect_guard_a_session_that_moves_under_both_looks_is_seen)
{
    quire *q = begin(QUIRE_KIND_NATIVE), *other;

    OK(collect_session(q, LARGE, path));
    OK(collect_append_to(q, path, SMALL));
    put_away(q);
    put(q, DYING);
    later(10);
    stop_at("", 3, NULL); /* out, back, out */
    other = collect_open_as(QUIRE_KIND_NATIVE, NULL, hear_dodging, 0);
    OK(collect_run(other, 0, 0, NULL));
    EQ(3, stop.heard);
    quire_close(other);
    YES(there(q, LARGE) && there(q, SMALL));
    NO(there(q, DYING));
    collect_sound(QUIRE_KIND_NATIVE, "a session that moves");
    end(q);
}

/* ---- who holds is waited for -------------------------------------------- */

static void remove_and_collect(quire *q)
{
    OK(quire_session_remove(q, path, &test_err));
    collect_now(q);
}

/* The source is open, and gone; the copy has no name yet. */
TEST(collect_guard_nothing_goes_while_a_session_is_forked)
{
    quire *q = begin(QUIRE_KIND_NATIVE), *other;
    quire_session *s;

    OK(collect_session(q, LARGE, path));
    OK(collect_append_to(q, path, SMALL));
    later(10);
    stop_at("log create", 1, remove_and_collect);
    other = open_heard();
    OK(quire_session_fork(other, path, NULL, &s, &test_err));
    EQ(1, stop.heard);
    EQ(QUIRE_BUSY, stop.status);
    YES(there(q, LARGE) && there(q, SMALL));
    quire_session_close(s);
    quire_close(other);
    OK(sweep(q));
    collect_sound(QUIRE_KIND_NATIVE, "a fork without its source");
    end(q);
}

static void collect_in_a_move(const char *call)
{
    quire *q = begin(QUIRE_KIND_NATIVE), *other;
    quire_session *s;

    OK(collect_session(q, LARGE, path));
    put(q, DYING);
    later(10);
    stop_at(call, 1, collect_now);
    other = open_heard();
    OK(quire_session_move(other, path, "/a", &s, &test_err));
    YES(stop.heard >= 1);
    EQ(QUIRE_BUSY, stop.status);
    YES(there(q, DYING));
    quire_session_close(s);
    quire_close(other);
    OK(collect_run(q, 0, 0, NULL));
    YES(there(q, LARGE));
    NO(there(q, DYING));
    end(q);
    test_forget_dir();
}

/* Before anything of it is moved, and between its outputs and itself. */
TEST(collect_guard_nothing_goes_while_a_session_is_moved)
{
    collect_in_a_move("lease lock directory");
    collect_in_a_move("directory rename");
}

/* The lock that a handle has already would not keep it from itself. */
TEST(collect_guard_a_handle_does_not_collect_what_it_holds)
{
    static const char answer[] = "{\"type\":\"message\",\"message\":{\"role\":"
                                 "\"assistant\",\"content\":[]}}";
    quire *q = begin(QUIRE_KIND_NATIVE);
    quire_session *s;

    OK(quire_session_new(q, NULL, &s, &test_err));
    OK(collect_append(s, LARGE));
    OK(collect_append(s, SMALL));
    later(10);
    IS(QUIRE_BUSY, collect_run(q, 0, 0, NULL));
    HAS(test_err.what, "of this handle");
    YES(test_err.next[0]);
    YES(there(q, LARGE) && there(q, SMALL));
    OK(collect_run(q, QUIRE_COLLECT_DRY_RUN, 0, NULL));
    OK(quire_session_append(s, bytes_str(answer), NULL, NULL, &test_err));
    OK(collect_run(q, 0, 0, NULL));
    YES(there(q, LARGE) && there(q, SMALL));
    quire_session_close(s);
    end(q);
}

/* ---- files without rows ------------------------------------------------- */

/* What a crash between the two leaves. The file has the system's time: now. */
static void put_without_row(quire *q)
{
    put(q, LARGE);
    tenants_sql("DELETE FROM blob");
}

/* By somebody whose clock is behind: the file becomes older than it was. */
static void put_long_ago(quire *q)
{
    later(-2 * DAY_S);
    put(q, LARGE);
    later(2 * DAY_S);
}

TEST(collect_guard_a_file_that_has_its_row_again_stays)
{
    quire *q = begin(QUIRE_KIND_NATIVE);

    put_without_row(q);
    later(10);
    stop_at(LOOKED, LOOKED_TWICE, put_long_ago);
    collect_heard();
    YES(there(q, LARGE));
    collect_sound(QUIRE_KIND_NATIVE, "a row again");
    end(q);
}

static void lose_catalogue(void)
{
    EQ(0, unlink(catalogue_file()));
    unlink(catalogue_file_beside("-wal"));
    unlink(catalogue_file_beside("-shm"));
}

/* Without a catalogue its own time is all that is known of a file. One that was
 * there, and was put again, has its grace time from then. */
TEST(collect_guard_a_file_that_was_put_again_is_as_young_as_its_row)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    int i;

    put_without_row(q);
    later(30 * DAY_S);
    put(q, LARGE);
    quire_close(q);
    lose_catalogue();
    q = collect_open(QUIRE_KIND_NATIVE);
    for (i = 0; i < 3; i++) {
        later(2 * DAY_S);
        OK(collect_run(q, 0, 7 * DAY_S, NULL));
        YES(there(q, LARGE));
    }
    later(2 * DAY_S);
    OK(collect_run(q, 0, 7 * DAY_S, NULL));
    NO(there(q, LARGE));
    end(q);
}

/* They are looked for once a day; what was found is not forgotten meanwhile. */
TEST(collect_guard_a_stray_file_goes_though_others_look_every_hour)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    int i;

    put_without_row(q);
    for (i = 0; i < 50 && there(q, LARGE); i++) {
        later(3600);
        OK(collect_run(q, QUIRE_COLLECT_YES, DAY_S, NULL));
    }
    NO(there(q, LARGE));
    YES(i >= 24);
    end(q);
}

/* ---- what lies elsewhere ------------------------------------------------ */

/* A session that was begun elsewhere, without an image. */
static void write_session(const char *name)
{
    snprintf(path, sizeof path, "%s", test_path(name));
    test_write_file(path,
                    bytes_str(
                        "{\"type\":\"session\",\"version\":3,\"id\":\"s\","
                        "\"timestamp\":\"2026-02-16T10:20:30.000Z\",\"cwd\":"
                        "\"/w\"}\n"));
}

/* In the home, where no session is looked for. */
TEST(collect_guard_a_session_beside_the_sessions_is_remembered)
{
    quire *q = begin(QUIRE_KIND_NATIVE);

    mkdir(test_path("home/notes"), 0700);
    write_session("home/notes/s.jsonl");
    OK(collect_append_to(q, path, LARGE));
    write_session("home/sessions.jsonl");
    OK(collect_append_to(q, path, SMALL));
    put(q, DYING);
    OK(sweep(q));
    YES(there(q, LARGE) && there(q, SMALL));
    NO(there(q, DYING));
    collect_sound(QUIRE_KIND_NATIVE, "beside the sessions");
    end(q);
}

#define ELSEWHERE "ws/conversations/17780000011-a"

/* An event that has "ok" to say, in base64. */
static void write_conversation(void)
{
    mkdir(test_path("ws"), 0700);
    mkdir(test_path("ws/conversations"), 0700);
    mkdir(test_path(ELSEWHERE), 0700);
    test_write_file(test_path(ELSEWHERE "/events.json"),
                    bytes_str("[{\"timestamp\":\"2026-02-16 10:20:30.0\","
                              "\"type\":\"tool_call_response\",\"id\":\"1\","
                              "\"content\":\"b2s=\"}]\n"));
}

/* The content of a conversation goes into the store of a home that it does not
 * lie in. */
static void externalize_elsewhere(quire_kind kind)
{
    quire *q = begin(kind);
    quire_digest ok;
    quire_bytes got;

    write_conversation();
    hash_bytes(bytes_str("ok"), &ok);
    put(q, DYING);
    OK(quire_conversation_externalize(q, test_path(ELSEWHERE), NULL, NULL,
                                      &test_err));
    OK(quire_blob_get(q, &ok, &got, &test_err));
    OK(sweep(q));
    OK(quire_blob_get(q, &ok, &got, &test_err));
    NO(there(q, DYING));
    end(q);
    test_forget_dir();
}

TEST(collect_guard_a_conversation_of_another_place_is_remembered)
{
    externalize_elsewhere(QUIRE_KIND_JP);
    externalize_elsewhere(QUIRE_KIND_NATIVE);
}

/* The place where a disk was mounted is there, and empty. One file that is gone
 * from among others was removed. */
TEST(collect_guard_a_file_of_a_bare_directory_is_missed)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    quire_collect_report r;

    mkdir(test_path("disk"), 0700);
    write_session("disk/s.jsonl");
    OK(collect_append_to(q, path, LARGE));
    OK(sweep(q));
    EQ(0, rename(test_path("disk"), test_path("unmounted")));
    mkdir(test_path("disk"), 0700);
    later(2 * DAY_S);
    IS(QUIRE_NOT_FOUND, collect_run(q, 0, 0, &r));
    HAS(test_err.what, "disk/s.jsonl");
    HAS(test_err.what, "is missing");
    HAS(test_err.next, "--drop-root");
    EQ(0, r.removed);
    YES(there(q, LARGE));
    test_write_file(test_path("disk/other"), bytes_str(""));
    OK(sweep(q));
    NO(there(q, LARGE));
    end(q);
}

/* ---- times that nothing reaches ----------------------------------------- */

/* In microseconds it would be more than there are numbers for, and come out as
 * a time to come. */
TEST(collect_guard_a_purge_after_millions_of_years_purges_nothing)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    quire_collect_report r;

    OK(quire_config_set(q, "gc.purge", "999999999d", &test_err));
    OK(quire_artifact_put(q, NULL, "a", collect_content(LARGE), NULL, NULL,
                          &test_err));
    OK(quire_artifact_remove(q, NULL, "a", 0, &test_err));
    later(400 * DAY_S);
    OK(collect_run(q, QUIRE_COLLECT_DRY_RUN, 0, &r));
    EQ(0, r.purged);
    OK(collect_run(q, 0, 0, &r));
    EQ(0, r.purged);
    OK(quire_artifact_restore(q, NULL, "a", NULL, &test_err));
    YES(there(q, LARGE));
    end(q);
}

static void collect_with_grace(int64_t grace_s)
{
    quire *q = begin(QUIRE_KIND_NATIVE);
    quire_collect_report r;
    int i;

    put(q, LARGE);
    put(q, SMALL);
    for (i = 0; i < 3; i++) {
        later(400 * DAY_S);
        OK(collect_run(q, 0, grace_s, &r));
        EQ(0, r.removed);
        EQ(2, r.waiting);
    }
    YES(there(q, LARGE) && there(q, SMALL));
    end(q);
    test_forget_dir();
}

TEST(collect_guard_a_grace_time_without_end_does_not_end)
{
    collect_with_grace(INT64_MAX);
    collect_with_grace(INT64_MAX - 1);
    collect_with_grace(INT64_MAX / 2);
}

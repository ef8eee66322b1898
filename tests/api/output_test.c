/*
 * Outputs through the public header: whose they are, and what becomes of them
 * when their session goes somewhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "support/test.h"

struct scene {
    quire *q;
    char path[512]; /* of the session's file                */
    char id[64];
};

static quire *open_home(const char *home, unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = home;
    o.flags = flags;
    o.busy_ms = 2000;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static void scene_open(struct scene *s)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *session;

    s->q = open_home(test_path("home"), 0);
    o.cwd = "/one";
    o.flags = QUIRE_SESSION_AT_ONCE;
    OK(quire_session_new(s->q, &o, &session, &test_err));
    quire_session_describe(session, &info);
    snprintf(s->path, sizeof s->path, "%s", info.path);
    snprintf(s->id, sizeof s->id, "%s", info.id);
    quire_session_close(session);
}

/* Print `text` into a sink that shows four bytes of it; gives what is wrong. */
static quire_error print(quire_outputs *o, const char *tool, const char *text,
                         char id[32])
{
    quire_sink_options options = QUIRE_SINK_OPTIONS_INIT;
    quire_sink_result result;
    quire_sink *sink;

    options.tool = tool;
    options.threshold = 4;
    OK(quire_sink_open(o, &options, &sink, &test_err));
    quire_sink_write(sink, bytes_str(text));
    quire_sink_finish(sink, &result);
    YES(result.truncated);
    SAME(bytes_str(text + strlen(text) - 4), result.output);
    snprintf(id, 32, "%s", result.id ? result.id : "");
    if (result.id)
        SAME(bytes_str(text), test_read_file(result.path));
    else
        YES(result.problem.what[0]);
    quire_sink_free(sink);
    return result.problem;
}

static void prints(quire_outputs *o, const char *tool, const char *text,
                   const char *id)
{
    char got[32];
    quire_error problem = print(o, tool, text, got);

    EQ(QUIRE_OK, problem.status);
    SAME_TEXT(id, got);
}

static quire_status add_line(void *ctx, const quire_line *line,
                             quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%llu:", (unsigned long long)line->number);
    buf_add(ctx, line->text.data, line->text.len);
    return QUIRE_OK;
}

static void reads(struct scene *s, quire_outputs *o, const char *address,
                  const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_read(s->q, o, address, NULL, add_line, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

static quire_status add_address(void *ctx, const quire_output *one,
                                quire_error *err)
{
    (void)err;
    buf_addf(ctx, "%s(%s,%llu) ", one->address, one->tool,
             (unsigned long long)one->bytes);
    YES(test_exists(one->path));
    return QUIRE_OK;
}

static void lists(quire_outputs *o, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_outputs_list(o, add_address, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

struct text {
    const char *at;
};

static quire_status give_text(void *ctx, void *buf, size_t cap, size_t *n,
                              quire_error *err)
{
    struct text *t = ctx;

    (void)err;
    *n = strlen(t->at) < cap ? strlen(t->at) : cap;
    *n = *n > 3 ? 3 : *n; /* in pieces, as streams come */
    memcpy(buf, t->at, *n);
    t->at += *n;
    return QUIRE_OK;
}

static quire_status give_nothing(void *ctx, void *buf, size_t cap, size_t *n,
                                 quire_error *err)
{
    (void)ctx;
    (void)buf;
    (void)cap;
    (void)n;
    (void)err;
    return QUIRE_STOPPED;
}

static void reports(quire_outputs *o, const char *name, const char *parent,
                    const char *text, const char *id)
{
    struct text t = {text};
    quire_output out;

    OK(quire_report_put(o, name, parent, give_text, &t, &out, &test_err));
    SAME_TEXT(id, out.id);
    EQ(strlen(text), out.bytes);
    SAME(bytes_str(text), test_read_file(out.path));
}

TEST(outputs_of_a_session_are_numbered_listed_and_read)
{
    struct scene s;
    quire_outputs *o;

    scene_open(&s);
    OK(quire_outputs_open(s.q, s.id, &o, &test_err));
    NO(quire_outputs_temporary(o));
    NO(test_exists(quire_outputs_dir(o))); /* nothing is kept yet */
    prints(o, "bash", "one\ntwo\nthree\n", "0");
    prints(o, "a/b", "second output", "1");
    reports(o, "Scout", NULL, "{\"found\":[7,\"x\"]}", "0-Scout");
    reports(o, "Scout", NULL, "again", "1-Scout");
    reports(o, "Reader", "0-Scout", "below", "0-Scout.0-Reader");
    lists(o, "artifact://0(bash,14) artifact://1(a_b,13) agent://0-Scout(,17) "
             "agent://0-Scout.0-Reader(,5) agent://1-Scout(,5) ");
    reads(&s, o, "artifact://0", "1:one\n2:two\n3:three\n");
    reads(&s, o, "agent://0-Scout?q=.found[1]", "0:x");
    reads(&s, o, "agent://0-Scout/found/0", "0:7");
    reads(&s, o, "agent://0-Scout/0-Reader", "1:below");
    reads(&s, o, "agent://0-Scout/none", "0:null");
    quire_outputs_close(o);
    quire_close(s.q);
}

TEST(outputs_that_are_not_there_are_answered_with_those_that_are)
{
    quire_read_options lines = QUIRE_READ_OPTIONS_INIT;
    struct buf got = BUF_INIT(1 << 20);
    struct scene s;
    quire_outputs *o;

    scene_open(&s);
    OK(quire_outputs_open(s.q, s.path, &o, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_read(s.q, o, "artifact://0", NULL, add_line, &got, &test_err));
    HAS(test_err.what, "available: none");
    prints(o, "bash", "one\ntwo\n", "0");
    prints(o, "bash", "one\ntwo\n", "1");
    reports(o, "Scout", NULL, "no JSON", "0-Scout");
    IS(QUIRE_NOT_FOUND,
       quire_read(s.q, o, "artifact://7", NULL, add_line, &got, &test_err));
    HAS(test_err.what, "available: 0-1");
    IS(QUIRE_NOT_FOUND,
       quire_read(s.q, o, "agent://Scout", NULL, add_line, &got, &test_err));
    HAS(test_err.what, "available: 0-Scout");
    IS(QUIRE_NOT_FOUND, quire_read(s.q, o, "agent://0-Scout/x", NULL, add_line,
                                   &got, &test_err));
    HAS(test_err.what, "not JSON");
    IS(QUIRE_INVALID,
       quire_read(s.q, NULL, "artifact://0", NULL, add_line, &got, &test_err));
    lines.offset = 2;
    IS(QUIRE_INVALID, quire_read(s.q, o, "agent://0-Scout/x", &lines, add_line,
                                 &got, &test_err));
    EQ(0, got.len);
    quire_outputs_close(o);
    quire_close(s.q);
}

/* The list of what there is ends with the newest, and splits no number. */
TEST(outputs_that_are_too_many_to_name_are_named_from_the_newest)
{
    struct buf got = BUF_INIT(1 << 20);
    struct scene s;
    quire_outputs *o;
    char name[640];
    int i;

    scene_open(&s);
    OK(quire_outputs_open(s.q, s.id, &o, &test_err));
    prints(o, "bash", "one\ntwo\n", "0");
    for (i = 1000; i < 1200; i += 2) {
        snprintf(name, sizeof name, "%s/%d.x.log", quire_outputs_dir(o), i);
        test_write_file(name, bytes_str("x"));
    }
    IS(QUIRE_NOT_FOUND,
       quire_read(s.q, o, "artifact://7", NULL, add_line, &got, &test_err));
    HAS(test_err.what, "available: ... 1");
    YES(!strcmp(test_err.what + strlen(test_err.what) - 10, "1196, 1198"));
    quire_outputs_close(o);
    quire_close(s.q);
}

TEST(outputs_follow_a_session_that_is_moved_and_archived)
{
    const char *away;
    quire_session *moved;
    quire_outputs *o;
    struct scene s;

    scene_open(&s);
    OK(quire_outputs_open(s.q, s.id, &o, &test_err));
    prints(o, "bash", "before the move", "0");
    OK(quire_session_move(s.q, s.id, "/two", &moved, &test_err));
    quire_session_close(moved);
    reads(&s, o, "artifact://0", "1:before the move");
    prints(o, "bash", "after the move", "1");
    HAS(quire_outputs_dir(o), "--two--");
    OK(quire_session_archive(s.q, s.id, &away, &test_err));
    prints(o, "bash", "in the archive", "2");
    HAS(quire_outputs_dir(o), "archive/");
    lists(o, "artifact://0(bash,15) artifact://1(bash,14) "
             "artifact://2(bash,14) ");
    quire_outputs_close(o);
    quire_close(s.q);
}

TEST(outputs_of_a_session_that_is_gone_are_not_left_behind)
{
    quire_outputs *o;
    struct scene s;
    struct text t = {"report"};
    quire_output report;
    quire_error problem;
    char id[32];

    scene_open(&s);
    OK(quire_outputs_open(s.q, s.id, &o, &test_err));
    prints(o, "bash", "before it went", "0");
    OK(quire_session_remove(s.q, s.id, &test_err));
    NO(test_exists(quire_outputs_dir(o)));
    problem = print(o, "bash", "after it went", id);
    EQ(QUIRE_NOT_FOUND, problem.status);
    HAS(problem.what, "deleted meanwhile");
    IS(QUIRE_NOT_FOUND,
       quire_report_put(o, "Late", NULL, give_text, &t, &report, &test_err));
    NO(test_exists(quire_outputs_dir(o)));
    quire_outputs_close(o);
    quire_close(s.q);
}

TEST(outputs_are_copied_with_a_fork_and_numbers_go_on)
{
    quire_session_info info;
    quire_session *fork;
    quire_outputs *o;
    struct scene s;
    char id[64];

    scene_open(&s);
    OK(quire_outputs_open(s.q, s.id, &o, &test_err));
    prints(o, "bash", "the first one", "0");
    reports(o, "Scout", NULL, "found", "0-Scout");
    quire_outputs_close(o);
    OK(quire_session_fork(s.q, s.id, NULL, &fork, &test_err));
    quire_session_describe(fork, &info);
    snprintf(id, sizeof id, "%s", info.id);
    quire_session_close(fork);
    OK(quire_outputs_open(s.q, id, &o, &test_err));
    reads(&s, o, "artifact://0", "1:the first one");
    prints(o, "bash", "the second one", "1");
    reports(o, "Scout", NULL, "found", "1-Scout");
    quire_outputs_close(o);
    quire_close(s.q);
}

/* By id from its own home, by path from another: one directory, one claim. */
TEST(outputs_get_one_number_each_however_their_session_is_named)
{
    quire_outputs *by_id, *by_path;
    struct scene s;
    quire *other;
    char id[32];
    int i;

    scene_open(&s);
    other = open_home(test_path("other"), 0);
    OK(quire_outputs_open(s.q, s.id, &by_id, &test_err));
    OK(quire_outputs_open(other, s.path, &by_path, &test_err));
    SAME_TEXT(quire_outputs_dir(by_id), quire_outputs_dir(by_path));
    for (i = 0; i < 6; i++) {
        char wanted[32];

        snprintf(wanted, sizeof wanted, "%d", i);
        print(i % 2 ? by_id : by_path, i % 2 ? "a" : "b", "some text", id);
        SAME_TEXT(wanted, id);
    }
    quire_outputs_close(by_id);
    quire_outputs_close(by_path);
    quire_close(other);
    quire_close(s.q);
}

/* The tests' own directory is found by TMPDIR, too. */
static void open_temporary(struct scene *s, const char *tmp, quire_outputs **o)
{
    const char *was = getenv("TMPDIR");
    char *keep = was ? strdup(was) : NULL;

    setenv("TMPDIR", tmp, 1);
    OK(quire_outputs_open(s->q, NULL, o, &test_err));
    if (keep)
        setenv("TMPDIR", keep, 1);
    else
        unsetenv("TMPDIR");
    free(keep);
}

TEST(outputs_of_no_session_are_temporary_and_the_users_own)
{
    struct stat info;
    quire_outputs *o;
    struct scene s;

    scene_open(&s);
    OK(mkdir(test_path("tmp"), 0755) ? QUIRE_IO : QUIRE_OK);
    open_temporary(&s, test_path("tmp//"), &o);
    YES(quire_outputs_temporary(o));
    HAS(quire_outputs_dir(o), "/tmp/quire-");
    NO(test_exists(quire_outputs_dir(o))); /* nothing is kept yet */
    prints(o, "make", "a long output", "0");
    OK(stat(quire_outputs_dir(o), &info) ? QUIRE_IO : QUIRE_OK);
    EQ(0700, info.st_mode & 0777);
    quire_outputs_close(o);
    open_temporary(&s, test_path("tmp"), &o);
    reads(&s, o, "artifact://0", "1:a long output");
    quire_outputs_close(o);
    quire_close(s.q);
}

/* Somebody was there first. */
TEST(outputs_are_not_kept_in_a_directory_that_is_not_the_users_own)
{
    struct buf got = BUF_INIT(1 << 20);
    quire_outputs *o;
    quire_error problem;
    struct scene s;
    char id[32];

    scene_open(&s);
    OK(mkdir(test_path("tmp"), 0755) ? QUIRE_IO : QUIRE_OK);
    OK(mkdir(test_path("theirs"), 0700) ? QUIRE_IO : QUIRE_OK);
    open_temporary(&s, test_path("tmp"), &o);
    OK(symlink(test_path("theirs"), quire_outputs_dir(o)) ? QUIRE_IO
                                                          : QUIRE_OK);
    problem = print(o, "make", "a long output", id);
    EQ(QUIRE_IO, problem.status);
    HAS(problem.what, "yours alone");
    IS(QUIRE_IO,
       quire_read(s.q, o, "artifact://0", NULL, add_line, &got, &test_err));
    unlink(quire_outputs_dir(o));
    OK(mkdir(quire_outputs_dir(o), 0700) ? QUIRE_IO : QUIRE_OK);
    OK(chmod(quire_outputs_dir(o), 0777) ? QUIRE_IO : QUIRE_OK);
    problem = print(o, "make", "a long output", id);
    EQ(QUIRE_IO, problem.status);
    EQ(0, test_count_files(test_path("theirs")));
    quire_outputs_close(o);
    quire_close(s.q);
}

TEST(outputs_of_a_store_that_is_read_only_are_read_and_not_written)
{
    struct scene s;
    quire_outputs *o;
    quire_sink *sink;
    quire_output report;
    struct text t = {"x"};
    quire *reader;

    scene_open(&s);
    OK(quire_outputs_open(s.q, s.id, &o, &test_err));
    prints(o, "bash", "one\ntwo\n", "0");
    quire_outputs_close(o);
    reader = open_home(test_path("home"), QUIRE_READ_ONLY);
    OK(quire_outputs_open(reader, s.id, &o, &test_err));
    lists(o, "artifact://0(bash,8) ");
    IS(QUIRE_INVALID, quire_sink_open(o, NULL, &sink, &test_err));
    IS(QUIRE_INVALID,
       quire_report_put(o, "Scout", NULL, give_text, &t, &report, &test_err));
    quire_outputs_close(o);
    quire_close(reader);
    quire_close(s.q);
}

TEST(a_report_whose_stream_fails_leaves_nothing)
{
    struct scene s;
    quire_outputs *o;
    quire_output report;

    scene_open(&s);
    OK(quire_outputs_open(s.q, s.id, &o, &test_err));
    IS(QUIRE_STOPPED, quire_report_put(o, "Scout", NULL, give_nothing, NULL,
                                       &report, &test_err));
    IS(QUIRE_INVALID, quire_report_put(o, "Scout", "../up", give_nothing, NULL,
                                       &report, &test_err));
    NO(test_exists(quire_outputs_dir(o)));
    quire_outputs_close(o);
    quire_close(s.q);
}

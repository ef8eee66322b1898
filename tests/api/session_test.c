/* Sessions through the public header: where they lie and how they move. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "support/test.h"

static int n_opened; /* logs, by the trace */

static void count_opens(void *ctx, const char *line)
{
    (void)ctx;
    n_opened += !strncmp(line, "log open ", 9);
}

static quire *home(const char *name, quire_kind kind)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path(name);
    o.kind = kind;
    o.busy_ms = 0;
    o.trace = count_opens;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static quire_session *begin(quire *q, const char *cwd)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s;

    o.flags = QUIRE_SESSION_AT_ONCE;
    o.cwd = cwd;
    OK(quire_session_new(q, &o, &s, &test_err));
    return s;
}

static void add(quire_session *s, const char *json)
{
    OK(quire_session_append(s, bytes_str(json), NULL, NULL, &test_err));
}

static char *keep(const char *text)
{
    return strcpy(test_alloc(strlen(text) + 1), text);
}

static char *id_of(quire_session *s)
{
    quire_session_info info;

    quire_session_describe(s, &info);
    return keep(info.id);
}

static char *path_of(quire_session *s)
{
    quire_session_info info;

    quire_session_describe(s, &info);
    return keep(info.path);
}

static quire_session *reading(quire *q, const char *which)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s;

    o.flags = QUIRE_SESSION_READ;
    OK(quire_session_open(q, which, &o, &s, &test_err));
    return s;
}

struct listed {
    int n;
    char ids[512], last[4096], status[64], first[256];
    uint64_t messages;
};

static quire_status note(void *ctx, const quire_session_info *info,
                         quire_error *err)
{
    struct listed *l = ctx;

    (void)err;
    l->n++;
    snprintf(l->ids + strlen(l->ids), sizeof l->ids - strlen(l->ids), "%s ",
             info->id);
    snprintf(l->last, sizeof l->last, "%s", info->path);
    if (l->n == 1)
        snprintf(l->status, sizeof l->status, "%s", info->status);
    snprintf(l->first, sizeof l->first, "%s", info->first);
    l->messages = info->messages;
    return QUIRE_OK;
}

static struct listed list(quire *q, const char *cwd, int archived)
{
    quire_list_options o = QUIRE_LIST_OPTIONS_INIT;
    struct listed l = {0};

    o.cwd = cwd;
    o.archived = archived;
    OK(quire_session_list(q, &o, note, &l, &test_err));
    return l;
}

TEST(a_session_is_found_by_id_beginning_and_path)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = begin(q, "/srv/demo"), *r;
    char *id = id_of(s), *path = path_of(s), part[13];
    const char *found;

    HAS(path, "/sessions/--srv-demo--/");
    add(s, "{\"type\":\"x\"}");
    quire_session_close(s);
    quire_close(q);

    q = home("h", QUIRE_KIND_AUTO); /* it is still ours, not oh-my-pi's */
    EQ(QUIRE_KIND_NATIVE, quire_home_kind(q));
    snprintf(part, sizeof part, "%.12s", id);
    OK(quire_session_find(q, part, &found, &test_err));
    SAME_TEXT(path, found);
    r = reading(q, path);
    SAME_TEXT(id, id_of(r));
    quire_session_close(r);
    IS(QUIRE_NOT_FOUND, quire_session_find(q, "zzz", &found, &test_err));
    HAS(test_err.what, "no session zzz");
    IS(QUIRE_NOT_FOUND, quire_session_find(q, "", &found, &test_err));
    IS(QUIRE_INVALID, quire_session_find(q, test_path("h"), &found, &test_err));
    HAS(test_err.what, "a directory");
    quire_session_close(begin(q, "/srv/other"));
    IS(QUIRE_INVALID, quire_session_find(q, "1", &found, &test_err));
    HAS(test_err.what, "2 sessions begin with 1");
    quire_close(q);
}

TEST(a_session_file_anywhere_is_opened_in_place)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    const char *file = test_path("loose.jsonl"), *link = test_path("l.jsonl");
    quire_session *s;

    test_write_file(file, bytes_str("{\"type\":\"session\",\"version\":3,"
                                    "\"id\":\"x\"}\n"));
    YES(symlink(file, link) == 0);
    OK(quire_session_open(q, link, NULL, &s, &test_err));
    add(s, "{\"type\":\"x\",\"id\":\"a\"}");
    quire_session_close(s);
    HAS((const char *)test_read_file(file).data, "\"id\":\"a\"");
    NO(test_exists(test_path("h/sessions")));
    quire_close(q);
}

TEST(oh_my_pi_finds_sessions_where_it_looks_for_them)
{
    char was[4096] = "", sub[4096];
    quire_session *s;
    quire *q;

    if (getenv("HOME"))
        snprintf(was, sizeof was, "%s", getenv("HOME"));
    YES(mkdir(test_path("user"), 0700) == 0);
    setenv("HOME", test_path("user"), 1);
    snprintf(sub, sizeof sub, "%s", test_path("user/work"));
    YES(mkdir(sub, 0700) == 0);
    q = home("agent", QUIRE_KIND_OMP);
    s = begin(q, sub);
    HAS(path_of(s), "/sessions/-work/");
    quire_session_close(s);
    s = begin(q, "/srv/x");
    HAS(path_of(s), "/sessions/--srv-x--/");
    add(s, "{\"type\":\"x\"}");
    quire_session_close(s);
    NO(test_exists(test_path("agent/quire.db")));
    NO(test_litter(test_path("agent")));
    quire_close(q);
    setenv("HOME", was, 1);
}

TEST(a_list_tells_what_the_ends_of_files_tell)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = begin(q, "/w");
    char *text = test_alloc(60000);
    struct listed l;

    add(s, "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":["
           "{\"type\":\"text\",\"text\":\"fix\\n the  \\u0007bug\"}]}}");
    add(s, "{\"type\":\"message\",\"message\":{\"role\":\"assistant\","
           "\"stopReason\":\"toolUse\",\"content\":[]}}");
    l = list(q, NULL, 0);
    EQ(1, l.n);
    SAME_TEXT("fix the bug", l.first);
    SAME_TEXT("interrupted", l.status);
    EQ(2, l.messages);
    memset(text, 'x', 50000);
    snprintf(text, 200,
             "{\"type\":\"message\",\"message\":{\"role\":"
             "\"assistant\",\"stopReason\":\"stop\",\"content\":\"");
    text[strlen(text)] = 'x';
    strcpy(text + 50000, "\"}}");
    add(s, text);
    l = list(q, NULL, 0);
    YES(l.messages == UINT64_MAX); /* it was not read whole */
    SAME_TEXT("fix the bug", l.first);
    quire_session_close(s);
    quire_close(q);
}

TEST(a_second_list_reads_no_file_and_a_third_the_one_that_changed)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = NULL;
    int i;

    for (i = 0; i < 20; i++) {
        quire_session_close(s);
        s = begin(q, i % 2 ? "/a" : "/b");
    }
    usleep(50000); /* what has just changed is not remembered */
    EQ(20, list(q, NULL, 0).n);
    EQ(10, list(q, "/a", 0).n);
    n_opened = 0;
    EQ(20, list(q, NULL, 0).n);
    EQ(0, n_opened);
    add(s, "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":"
           "\"new\"}}");
    SAME_TEXT("pending", list(q, "/a", 0).status);
    YES(n_opened > 0);
    quire_session_close(s);
    quire_close(q);
}

TEST(a_file_that_is_no_session_is_listed_as_damaged)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    struct listed l;

    quire_session_close(begin(q, "/w"));
    test_write_file(test_path("h/sessions/--w--/x_lost.jsonl"),
                    bytes_str("rubbish\n"));
    l = list(q, NULL, 0);
    EQ(2, l.n);
    HAS(l.ids, "lost");
    quire_close(q);
}

static void put_output(const char *session_path, const char *name)
{
    char dir[4200], file[4400];

    snprintf(dir, sizeof dir, "%.*s", (int)strlen(session_path) - 6,
             session_path);
    mkdir(dir, 0700);
    snprintf(file, sizeof file, "%s/%s", dir, name);
    test_write_file(file, bytes_str("output"));
}

static quire_status count_text(void *ctx, const char *text, quire_error *err)
{
    (void)text;
    (void)err;
    ++*(int *)ctx;
    return QUIRE_OK;
}

static int n_files(quire_session *s)
{
    int n = 0;

    OK(quire_session_files(s, count_text, &n, &test_err));
    return n;
}

static void count_warning(void *ctx, const char *message)
{
    HAS(message, "0.bash.log");
    ++*(int *)ctx;
}

/* Whether the n-th call was reached, with that call failing. */
static bool fork_failing(quire *q, const char *id, long n, int *n_warnings)
{
    quire_session_copy_options o = QUIRE_SESSION_COPY_OPTIONS_INIT;
    int before = *n_warnings;
    quire_session *f;
    quire_status st;
    bool reached;
    char *copy;

    o.warn = count_warning;
    o.warn_ctx = n_warnings;
    fault_arm(n, EIO, false);
    st = quire_session_copy(q, id, &o, &f, &test_err);
    reached = fault_disarm();
    if (st)
        return reached;
    EQ(*n_warnings > before ? 1 : 2, n_files(f));
    copy = id_of(f);
    quire_session_close(f);
    /* So that the next lookup makes as many calls as this one. */
    OK(quire_session_remove(q, copy, &test_err));
    return reached;
}

TEST(a_fork_warns_of_an_output_that_it_cannot_read_and_goes_on)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = begin(q, "/w");
    char *id = id_of(s);
    int n_warnings = 0;
    long n = 1;

    add(s, "{\"type\":\"x\",\"id\":\"a\"}");
    put_output(path_of(s), "0.bash.log");
    quire_session_close(s);
    while (fork_failing(q, id, n, &n_warnings))
        n++;
    EQ(1, n_warnings > 0);
    quire_close(q);
}

TEST(a_fork_and_an_extract_come_with_their_outputs)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = begin(q, "/w"), *f;
    char *id = id_of(s);
    quire_session_info info;

    add(s, "{\"type\":\"x\",\"id\":\"a\"}");
    add(s, "{\"type\":\"x\",\"id\":\"b\"}");
    put_output(path_of(s), "0.bash.log");
    EQ(2, n_files(s));
    OK(quire_session_fork(q, id, NULL, &f, &test_err));
    quire_session_describe(f, &info);
    SAME_TEXT(id, info.parent);
    EQ(2, info.entries);
    EQ(2, n_files(f));
    quire_session_close(f);
    OK(quire_session_fork(q, id, "/elsewhere", &f, &test_err));
    quire_session_describe(f, &info);
    SAME_TEXT("/elsewhere", info.cwd);
    HAS(info.path, "--elsewhere--");
    quire_session_close(f);
    OK(quire_session_extract(q, id, "a", &f, &test_err));
    quire_session_describe(f, &info);
    SAME_TEXT(path_of(s), info.parent);
    EQ(1, info.entries);
    quire_session_close(f);
    IS(QUIRE_NOT_FOUND, quire_session_extract(q, id, "zz", &f, &test_err));
    HAS(test_err.what, "no entry zz");
    EQ(4, list(q, NULL, 0).n);
    quire_session_close(s);
    quire_close(q);
}

TEST(a_session_moves_with_its_outputs_or_not_at_all)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = begin(q, "/w"), *m;
    char *id = id_of(s), *path = path_of(s), clash[4096];
    quire_session_info info;

    put_output(path, "0.bash.log");
    IS(QUIRE_BUSY, quire_session_move(q, id, "/v", &m, &test_err));
    quire_session_close(s);

    /* Outputs of another are in the way: the session stays where it is. */
    snprintf(clash, sizeof clash, "%s", test_path("h/sessions/--v--"));
    YES(mkdir(clash, 0700) == 0);
    snprintf(clash, sizeof clash, "%s%s", test_path("h/sessions/--v--"),
             strrchr(path, '/'));
    clash[strlen(clash) - 6] = '\0';
    YES(mkdir(clash, 0700) == 0);
    strcat(clash, "/x");
    test_write_file(clash, bytes_str("x"));
    IS(QUIRE_EXISTS, quire_session_move(q, id, "/v", &m, &test_err));
    YES(test_exists(path));
    unlink(clash);
    clash[strlen(clash) - 2] = '\0';
    rmdir(clash);

    OK(quire_session_move(q, id, "/v", &m, &test_err));
    quire_session_describe(m, &info);
    SAME_TEXT("/v", info.cwd);
    HAS(info.path, "/sessions/--v--/");
    EQ(2, n_files(m));
    NO(test_exists(path));
    quire_session_close(m);
    OK(quire_session_move(q, id, "/v", &m, &test_err)); /* there already */
    quire_session_close(m);
    quire_close(q);
}

TEST(a_session_is_put_away_brought_back_and_deleted_with_its_outputs)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = begin(q, "/w");
    char *id = id_of(s), *path = path_of(s);
    const char *where;

    put_output(path, "0.bash.log");
    quire_session_close(s);
    OK(quire_session_archive(q, id, &where, &test_err));
    HAS(where, "/archive/sessions/--w--/");
    EQ(0, list(q, NULL, 0).n);
    EQ(1, list(q, NULL, 1).n);
    IS(QUIRE_EXISTS, quire_session_archive(q, id, &where, &test_err));
    s = reading(q, id); /* it can be read where it is */
    EQ(2, n_files(s));
    quire_session_close(s);
    OK(quire_session_unarchive(q, id, &where, &test_err));
    SAME_TEXT(path, where);
    IS(QUIRE_EXISTS, quire_session_unarchive(q, id, &where, &test_err));
    OK(quire_session_remove(q, id, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_remove(q, id, &test_err));
    EQ(0, test_count_files(test_path("h/sessions")));
    quire_close(q);
}

TEST(a_store_open_for_reading_begins_and_changes_no_session)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = begin(q, "/w");
    char *id = id_of(s);
    const char *path;

    quire_session_close(s);
    quire_close(q);
    o.home = test_path("h");
    o.flags = QUIRE_READ_ONLY;
    OK(quire_open(&o, &q, &test_err));
    IS(QUIRE_INVALID, quire_session_new(q, NULL, &s, &test_err));
    IS(QUIRE_INVALID, quire_session_open(q, id, NULL, &s, &test_err));
    IS(QUIRE_INVALID, quire_session_remove(q, id, &test_err));
    IS(QUIRE_INVALID, quire_session_archive(q, id, &path, &test_err));
    IS(QUIRE_INVALID, quire_session_fork(q, id, NULL, &s, &test_err));
    quire_session_close(reading(q, id));
    EQ(1, list(q, NULL, 0).n);
    quire_close(q);
}

TEST(the_last_session_is_the_newest_of_the_working_directory)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    const char *path;
    char *id;
    quire_session *s;

    IS(QUIRE_NOT_FOUND, quire_session_find(q, "last", &path, &test_err));
    HAS(test_err.what, "no session of");
    s = begin(q, NULL);
    id = id_of(s);
    quire_session_close(s);
    quire_session_close(begin(q, "/elsewhere"));
    OK(quire_session_find(q, "last", &path, &test_err));
    HAS(path, id);
    quire_close(q);
}

TEST(a_damaged_session_is_repaired_and_the_original_kept)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = begin(q, "/w");
    char *id = id_of(s), *path = path_of(s);
    const char *kept;
    FILE *f;

    add(s, "{\"type\":\"x\",\"id\":\"a\"}");
    quire_session_close(s);
    OK(quire_session_repair(q, id, &kept, &test_err));
    YES(kept == NULL);
    f = fopen(path, "a");
    fputs("{\"type\":\"x\",\"id\":\"b\",\"par", f);
    fclose(f);
    OK(quire_session_repair(q, id, &kept, &test_err));
    YES(test_exists(kept));
    HAS((const char *)test_read_file(kept).data, "\"par");
    EQ(1, list(q, NULL, 0).n);
    quire_close(q);
}

TEST(only_a_session_is_removed_and_nothing_beside_another_file)
{
    quire *q = home("h", QUIRE_KIND_AUTO);

    test_write_file(test_path("data.jsonl"), bytes_str("{\"a\":1}\n"));
    YES(mkdir(test_path("data"), 0700) == 0);
    test_write_file(test_path("data/precious"), bytes_str("x"));
    IS(QUIRE_DAMAGED,
       quire_session_remove(q, test_path("data.jsonl"), &test_err));
    YES(test_exists(test_path("data.jsonl")));
    YES(test_exists(test_path("data/precious")));
    quire_close(q);
}

TEST(a_session_that_cannot_be_opened_is_not_moved)
{
    quire *q = home("h", QUIRE_KIND_AUTO);
    quire_session *s = begin(q, "/w"), *m;
    char *path = path_of(s);

    quire_session_close(s);
    test_write_file(path, bytes_str("rubbish\n"));
    IS(QUIRE_DAMAGED, quire_session_move(q, path, "/v", &m, &test_err));
    YES(test_exists(path));
    quire_close(q);
}

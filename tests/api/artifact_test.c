/*
 * Artifacts through the public header.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "store/db.h"
#include "support/catalog.h"
#include "support/older.h"
#include "support/test.h"

static int64_t now_us; /* what the handles believe */

static int64_t tell_time(void *ctx)
{
    (void)ctx;
    return now_us += 1000;
}

static quire *open_home(unsigned flags)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path("home");
    o.flags = flags;
    o.busy_ms = 20000;
    o.now_us = tell_time;
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static quire_artifact puts_text(quire *q, const char *session, const char *path,
                                const char *text)
{
    quire_artifact a;

    OK(quire_artifact_put(q, session, path, bytes_str(text), NULL, &a,
                          &test_err));
    EQ(strlen(text), a.size);
    return a;
}

static quire_status add_bytes(void *ctx, quire_bytes bytes, quire_error *err)
{
    (void)err;
    buf_add(ctx, bytes.data, bytes.len);
    return QUIRE_OK;
}

static void holds(quire *q, const char *session, const char *which,
                  int64_t version, const char *text)
{
    struct buf got = BUF_INIT(1 << 22);
    quire_artifact_get_options o = QUIRE_ARTIFACT_GET_OPTIONS_INIT;
    quire_artifact a;

    o.version = version;
    OK(quire_artifact_get(q, session, which, &o, add_bytes, &got, &a,
                          &test_err));
    SAME(bytes_str(text), buf_bytes(&got));
    buf_release(&got);
}

static void is_absent(quire *q, const char *session, const char *which)
{
    quire_artifact a;

    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(q, session, which, NULL, &a, &test_err));
    YES(test_err.what[0] && test_err.next[0]);
}

static quire_status add_one(void *ctx, const quire_artifact *a,
                            quire_error *err)
{
    (void)err;
    buf_addf(ctx, "#%lld:%s:%lld ", (long long)a->id, a->path,
             (long long)a->version);
    return QUIRE_OK;
}

static void lists(quire *q, const char *session,
                  const quire_artifact_list_options *o, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 22);

    OK(quire_artifact_list(q, session, o, add_one, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

TEST(an_artifact_is_put_replaced_and_read_by_path_id_and_version)
{
    quire *q = open_home(0);
    quire_artifact a = puts_text(q, NULL, "notes/a.md", "first");

    EQ(1, a.id);
    EQ(1, a.version);
    YES(a.created);
    SAME_TEXT("notes/a.md", a.path);
    SAME_TEXT("user", a.session);
    SAME_TEXT("text/markdown", a.mime);
    EQ(5, a.session_used);
    a = puts_text(q, NULL, "notes\\a.md", "the second");
    EQ(1, a.id);
    EQ(2, a.version);
    NO(a.created);
    EQ(10, a.tenant_used);
    holds(q, NULL, "notes//a.md", 0, "the second");
    holds(q, NULL, "#1", 0, "the second");
    holds(q, NULL, "notes/a.md", 1, "first");
    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(
           q, NULL, "notes/a.md",
           &(quire_artifact_get_options){sizeof(quire_artifact_get_options),
                                         .version = 3},
           &a, &test_err));
    is_absent(q, NULL, "notes/b.md");
    is_absent(q, NULL, "#2");
    is_absent(q, "temp", "notes/a.md");
    is_absent(q, "temp", "#1"); /* of another session */
    a = puts_text(q, "temp", "notes/a.md", "other");
    EQ(2, a.id);
    quire_close(q);
}

TEST(content_that_is_the_same_makes_no_version)
{
    quire *q = open_home(0);
    quire_artifact a = puts_text(q, NULL, "a", "x"), b;

    b = puts_text(q, NULL, "a", "x");
    EQ(1, b.version);
    YES(b.updated_us > a.updated_us);
    EQ(1, b.session_used);
    quire_close(q);
}

TEST(a_put_tells_whether_it_has_changed_anything)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire *q = open_home(0);
    quire_artifact a;

    NO(puts_text(q, NULL, "a.md", "same").unchanged);
    YES(puts_text(q, NULL, "a.md", "same").unchanged);
    NO(puts_text(q, NULL, "a.md", "other").unchanged);
    o.purpose = "for nothing";
    OK(quire_artifact_put(q, NULL, "a.md", bytes_str("other"), &o, &a,
                          &test_err));
    NO(a.unchanged);
    OK(quire_artifact_put(q, NULL, "a.md", bytes_str("other"), &o, &a,
                          &test_err));
    YES(a.unchanged);
    quire_close(q);
}

TEST(only_the_last_twenty_versions_are_kept)
{
    quire *q = open_home(0);
    quire_artifact a;
    struct buf got = BUF_INIT(1 << 20);
    char text[32];
    int i;

    for (i = 1; i <= 25; i++) {
        snprintf(text, sizeof text, "number %d", i);
        puts_text(q, NULL, "a", text);
    }
    IS(QUIRE_NOT_FOUND,
       quire_artifact_stat(
           q, NULL, "a",
           &(quire_artifact_get_options){sizeof(quire_artifact_get_options),
                                         .version = 5},
           &a, &test_err));
    holds(q, NULL, "a", 6, "number 6");
    OK(quire_artifact_versions(q, NULL, "a", add_one, &got, &test_err));
    YES(bytes_starts(buf_bytes(&got), bytes_str("#1:a:25 #1:a:24 ")));
    buf_release(&got);
    quire_close(q);
}

TEST(what_is_put_away_can_be_brought_back_and_its_path_is_free_meanwhile)
{
    quire_artifact_list_options away = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    quire *q = open_home(0);
    quire_artifact a;

    away.deleted = 1;
    puts_text(q, NULL, "a", "old");
    OK(quire_artifact_remove(q, NULL, "a", 0, &test_err));
    is_absent(q, NULL, "a");
    IS(QUIRE_NOT_FOUND, quire_artifact_remove(q, NULL, "a", 0, &test_err));
    lists(q, NULL, NULL, "");
    lists(q, NULL, &away, "#1:a:1 ");
    a = puts_text(q, NULL, "a", "new one");
    EQ(2, a.id);
    EQ(7, a.session_used);
    IS(QUIRE_EXISTS, quire_artifact_restore(q, NULL, "a", &a, &test_err));
    OK(quire_artifact_remove(q, NULL, "#2", 1, &test_err)); /* for good */
    OK(quire_artifact_restore(q, NULL, "a", &a, &test_err));
    EQ(1, a.id);
    holds(q, NULL, "a", 0, "old");
    lists(q, NULL, &away, "");
    IS(QUIRE_NOT_FOUND, quire_artifact_restore(q, NULL, "a/b", &a, &test_err));
    quire_close(q);
}

TEST(lists_are_newest_first_and_go_on_where_they_ended)
{
    quire_artifact_list_options o = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    quire *q = open_home(0);
    quire_artifact a;

    puts_text(q, NULL, "a", "1");
    puts_text(q, "temp", "t", "1");
    puts_text(q, NULL, "b", "1");
    puts_text(q, NULL, "c", "1");
    puts_text(q, NULL, "a", "2");
    lists(q, NULL, NULL, "#1:a:2 #4:c:1 #3:b:1 ");
    o.limit = 2;
    lists(q, NULL, &o, "#1:a:2 #4:c:1 ");
    OK(quire_artifact_stat(q, NULL, "c", NULL, &a, &test_err));
    o.before_us = a.updated_us;
    o.before_id = a.id;
    lists(q, NULL, &o, "#3:b:1 ");
    o = (quire_artifact_list_options)QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    o.all_sessions = 1;
    lists(q, NULL, &o, "#1:a:2 #4:c:1 #3:b:1 #2:t:1 ");
    quire_close(q);
}

TEST(a_file_above_16_mebibytes_is_refused_and_nothing_changes)
{
    size_t len = (16 << 20) + 1;
    char *text = test_alloc(len);
    quire *q = open_home(0);
    quire_artifact a;

    memset(text, 'x', len);
    OK(quire_artifact_put(q, NULL, "a", bytes_of(text, len - 1), NULL, &a,
                          &test_err));
    IS(QUIRE_TOO_LARGE, quire_artifact_put(q, NULL, "a", bytes_of(text, len),
                                           NULL, &a, &test_err));
    HAS(test_err.what, "16777217");
    OK(quire_artifact_stat(q, NULL, "a", NULL, &a, &test_err));
    EQ(len - 1, a.size);
    EQ(1, a.version);
    quire_close(q);
}

/* Fill a session to the brim, then go on at its edge. */
TEST(a_quota_is_exact_and_a_refusal_changes_nothing)
{
    size_t len = 1 << 20;
    char *text = test_alloc(len), path[32];
    quire *q = open_home(0);
    quire_artifact a;
    int i;

    OK(quire_config_set(q, "quota.session", "50M", &test_err));
    for (i = 0; i < 50; i++) {
        memset(text, 'a' + i % 26, len);
        text[0] = (char)i;
        snprintf(path, sizeof path, "f%d", i);
        OK(quire_artifact_put(q, NULL, path, bytes_of(text, len), NULL, &a,
                              &test_err));
    }
    EQ(50 * len, a.session_used);
    IS(QUIRE_QUOTA,
       quire_artifact_put(q, NULL, "one", bytes_str("x"), NULL, &a, &test_err));
    HAS(test_err.what, "1 above the quota");
    is_absent(q, NULL, "one");
    OK(quire_artifact_put(q, NULL, "none", bytes_of("", 0), NULL, &a,
                          &test_err));
    OK(quire_artifact_put(q, NULL, "f0", bytes_of(text, len), NULL, &a,
                          &test_err));
    OK(quire_artifact_put(q, NULL, "f0", bytes_of(text, len - 1), NULL, &a,
                          &test_err));
    OK(quire_artifact_put(q, NULL, "one", bytes_str("x"), NULL, &a, &test_err));
    EQ(50 * len, a.session_used);
    OK(quire_artifact_put(q, "temp", "more", bytes_str("xy"), NULL, &a,
                          &test_err));
    EQ(2, a.session_used);
    EQ(50 * len + 2, a.tenant_used);
    quire_close(q);
}

TEST(what_cannot_be_is_refused)
{
    static const char *const many[] = {"1",  "2",  "3",  "4",  "5",  "6",  "7",
                                       "8",  "9",  "10", "11", "12", "13", "14",
                                       "15", "16", "17", "18", "19", "20", "21",
                                       "22", "23", "24", "25", "26", "27", "28",
                                       "29", "30", "31", "32", "33", NULL};
    static const char *const empty[] = {"", NULL};
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire *q = open_home(0);
    quire_artifact a;

    IS(QUIRE_INVALID, quire_artifact_put(q, NULL, "../a", bytes_str("x"), NULL,
                                         &a, &test_err));
    HAS(test_err.what, "traversal");
    o.mime = "no type";
    IS(QUIRE_INVALID,
       quire_artifact_put(q, NULL, "a", bytes_str("x"), &o, &a, &test_err));
    o.mime = NULL;
    o.meta = "[1]";
    IS(QUIRE_INVALID,
       quire_artifact_put(q, NULL, "a", bytes_str("x"), &o, &a, &test_err));
    o.meta = NULL;
    o.tags = many;
    IS(QUIRE_INVALID,
       quire_artifact_put(q, NULL, "a", bytes_str("x"), &o, &a, &test_err));
    o.tags = empty;
    IS(QUIRE_INVALID,
       quire_artifact_put(q, NULL, "a", bytes_str("x"), &o, &a, &test_err));
    IS(QUIRE_NOT_FOUND, quire_artifact_put(q, "nobody", "a", bytes_str("x"),
                                           NULL, &a, &test_err));
    lists(q, NULL, NULL, "");
    quire_close(q);
}

TEST(what_an_artifact_says_of_itself_stays_until_it_is_said_anew)
{
    static const char *const tags[] = {"one", "t\"wo", NULL};
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire *q = open_home(0);
    quire_artifact a;

    o.purpose = "why";
    o.tags = tags;
    o.meta = "{\"k\":1}";
    o.mime = "x/y; charset=z";
    OK(quire_artifact_put(q, NULL, "a.txt", bytes_str("1"), &o, &a, &test_err));
    OK(quire_artifact_put(q, NULL, "a.txt", bytes_str("2"), NULL, &a,
                          &test_err));
    OK(quire_artifact_stat(q, NULL, "a.txt", NULL, &a, &test_err));
    SAME_TEXT("why", a.purpose);
    SAME_TEXT("[\"one\",\"t\\\"wo\"]", a.tags);
    SAME_TEXT("{\"k\":1}", a.meta);
    SAME_TEXT("text/plain", a.mime); /* not said again: found anew */
    OK(quire_artifact_stat(
        q, NULL, "a.txt",
        &(quire_artifact_get_options){sizeof(quire_artifact_get_options),
                                      .version = 1},
        &a, &test_err));
    SAME_TEXT("x/y; charset=z", a.mime);
    quire_close(q);
}

TEST(a_put_that_expects_something_finds_it_or_changes_nothing)
{
    quire_artifact_options o = QUIRE_ARTIFACT_OPTIONS_INIT;
    quire *q = open_home(0);
    quire_artifact a;
    char hex[65];

    o.expect = "none";
    OK(quire_artifact_put(q, NULL, "a", bytes_str("1"), &o, &a, &test_err));
    hex_encode(a.digest.byte, sizeof a.digest.byte, hex);
    IS(QUIRE_CHANGED,
       quire_artifact_put(q, NULL, "a", bytes_str("2"), &o, &a, &test_err));
    HAS(test_err.what, "expected");
    o.expect = hex;
    OK(quire_artifact_put(q, NULL, "a", bytes_str("2"), &o, &a, &test_err));
    IS(QUIRE_CHANGED,
       quire_artifact_put(q, NULL, "a", bytes_str("3"), &o, &a, &test_err));
    IS(QUIRE_CHANGED,
       quire_artifact_put(q, NULL, "b", bytes_str("3"), &o, &a, &test_err));
    OK(quire_artifact_stat(q, NULL, "a", NULL, &a, &test_err));
    EQ(2, a.version);
    quire_close(q);
}

TEST(a_removal_that_expects_something_finds_it_or_changes_nothing)
{
    quire *q = open_home(0);
    quire_artifact a = puts_text(q, NULL, "a", "1");
    char old[65], now[65];

    hex_encode(a.digest.byte, sizeof a.digest.byte, old);
    a = puts_text(q, NULL, "a", "2");
    hex_encode(a.digest.byte, sizeof a.digest.byte, now);
    IS(QUIRE_CHANGED,
       quire_artifact_remove_expected(q, NULL, "a", 0, old, &test_err));
    HAS(test_err.what, "expected");
    IS(QUIRE_CHANGED,
       quire_artifact_remove_expected(q, NULL, "#1", 1, "none", &test_err));
    holds(q, NULL, "a", 0, "2");
    OK(quire_artifact_remove_expected(q, NULL, "a", 0, now, &test_err));
    IS(QUIRE_NOT_FOUND,
       quire_artifact_remove_expected(q, NULL, "a", 0, now, &test_err));
    OK(quire_artifact_remove_expected(q, NULL, "#1", 1, now, &test_err));
    quire_close(q);
}

TEST(a_session_has_artifacts_of_its_own)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;
    quire *q = open_home(0);
    quire_artifact a;
    char id[64];

    o.flags = QUIRE_SESSION_AT_ONCE;
    OK(quire_session_new(q, &o, &s, &test_err));
    quire_session_describe(s, &info);
    snprintf(id, sizeof id, "%s", info.id);
    quire_session_close(s);
    puts_text(q, NULL, "a", "of the user");
    a = puts_text(q, id, "a", "of the session");
    SAME_TEXT(id, a.session);
    EQ(1, a.session_id); /* built-in ones do not count */
    EQ(14, a.session_used);
    EQ(25, a.tenant_used);
    id[8] = '\0'; /* the beginning of it will do */
    holds(q, id, "a", 0, "of the session");
    quire_close(q);
}

TEST(a_reader_of_a_home_without_artifacts_finds_none)
{
    quire *q = open_home(QUIRE_READ_ONLY);

    lists(q, NULL, NULL, "");
    is_absent(q, NULL, "a");
    NO(test_exists(test_path("home")));
    quire_close(q);
}

TEST(no_artifact_is_below_another)
{
    quire *q = open_home(0);
    quire_artifact a;

    puts_text(q, "user", "a.txt", "x");
    puts_text(q, "user", "dir/in/b.txt", "x");
    IS(QUIRE_EXISTS, quire_artifact_put(q, "user", "a.txt/under",
                                        bytes_str("x"), NULL, &a, &test_err));
    HAS(test_err.what, "below a file");
    IS(QUIRE_EXISTS, quire_artifact_put(q, "user", "dir/in/b.txt/c/d",
                                        bytes_str("x"), NULL, &a, &test_err));
    IS(QUIRE_EXISTS, quire_artifact_put(q, "user", "dir", bytes_str("x"), NULL,
                                        &a, &test_err));
    HAS(test_err.what, "dir cannot be a file");
    /* Names that only begin alike, and other sessions, are no matter. */
    puts_text(q, "user", "dir.txt", "x");
    puts_text(q, "user", "a.txt0", "x");
    puts_text(q, "user", "a", "x");
    puts_text(q, "temp", "dir", "x");
    /* What was put away is in nobody's way, until it comes back. */
    OK(quire_artifact_remove(q, "user", "dir/in/b.txt", 0, &test_err));
    puts_text(q, "user", "dir", "x");
    IS(QUIRE_EXISTS,
       quire_artifact_restore(q, "user", "dir/in/b.txt", &a, &test_err));
    OK(quire_artifact_remove(q, "user", "dir", 0, &test_err));
    OK(quire_artifact_restore(q, "user", "dir/in/b.txt", &a, &test_err));
    quire_close(q);
}

/* ---- many at once ------------------------------------------------------- */

enum { WRITERS = 6, PUTS = 12 };

static void *write_many(void *ctx)
{
    int w = *(int *)ctx, i;
    quire_options o = QUIRE_OPTIONS_INIT;
    quire_error err;
    quire *q;
    char path[32], text[64];

    o.home = test_path("home");
    o.busy_ms = 60000;
    if (quire_open(&o, &q, &err))
        return ctx;
    for (i = 0; i < PUTS; i++) {
        snprintf(path, sizeof path, "p%d", (i + w) % 7);
        snprintf(text, sizeof text, "%*d", 1 + (i * 7 + w) % 40, w);
        if (quire_artifact_put(q, NULL, path, bytes_str(text), NULL, NULL,
                               &err)) {
            fprintf(stderr, "%s\n", err.what);
            break;
        }
    }
    quire_close(q);
    return i < PUTS ? ctx : NULL;
}

static quire_status add_size(void *ctx, const quire_artifact *a,
                             quire_error *err)
{
    (void)err;
    *(uint64_t *)ctx += a->size;
    return QUIRE_OK;
}

TEST(totals_are_right_whoever_puts_at_once)
{
    pthread_t threads[WRITERS];
    int numbers[WRITERS], i;
    uint64_t sum = 0;
    quire *q = open_home(0);
    quire_artifact a;
    void *failed;

    puts_text(q, NULL, "p0", "x");
    for (i = 0; i < WRITERS; i++) {
        numbers[i] = i;
        EQ(0, pthread_create(&threads[i], NULL, write_many, &numbers[i]));
    }
    for (i = 0; i < WRITERS; i++) {
        EQ(0, pthread_join(threads[i], &failed));
        YES(failed == NULL);
    }
    OK(quire_artifact_list(q, NULL, NULL, add_size, &sum, &test_err));
    a = puts_text(q, NULL, "p0", "");
    puts_text(q, NULL, "zero", "");
    sum = 0;
    OK(quire_artifact_list(q, NULL, NULL, add_size, &sum, &test_err));
    EQ(sum, a.session_used);
    quire_close(q);
}

/* ---- sessions that go --------------------------------------------------- */

struct gone {
    quire *q;
    char id[64], path[512];
};

static void gone_open(struct gone *g)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;

    g->q = open_home(0);
    o.flags = QUIRE_SESSION_AT_ONCE;
    OK(quire_session_new(g->q, &o, &s, &test_err));
    quire_session_describe(s, &info);
    snprintf(g->id, sizeof g->id, "%s", info.id);
    snprintf(g->path, sizeof g->path, "%s", info.path);
    quire_session_close(s);
    puts_text(g->q, NULL, "mine", "stays");
    puts_text(g->q, g->id, "a", "goes");
    puts_text(g->q, g->id, "a", "goes as well");
}

TEST(artifacts_go_with_their_session_and_totals_with_them)
{
    quire_artifact_list_options all = QUIRE_ARTIFACT_LIST_OPTIONS_INIT;
    struct gone g;
    quire_artifact a;

    all.all_sessions = 1;
    gone_open(&g);
    OK(quire_session_remove(g.q, g.id, &test_err));
    NO(test_exists(g.path));
    lists(g.q, NULL, &all, "#1:mine:1 ");
    a = puts_text(g.q, NULL, "more", "x");
    EQ(6, a.tenant_used);
    EQ(3, a.id); /* no id is given twice */
    quire_close(g.q);
}

/* As if whoever removed it had died after it was noted. */
static void note_removal(const char *name, const char *path)
{
    struct stat info = {.st_size = 0};
    char sql[700];
    struct db *db;

    stat(path, &info);
    db = catalogue_open();
    snprintf(sql, sizeof sql, "INSERT INTO removal VALUES('%s', %lld, %lld)",
             name, (long long)info.st_size,
             (long long)info.st_mtim.tv_sec * 1000000000 +
                 info.st_mtim.tv_nsec);
    OK(db_exec(db, sql, &test_err));
    db_close(db);
}

TEST(a_removal_that_was_interrupted_is_finished_by_whoever_comes_next)
{
    struct gone g;
    quire *q;

    gone_open(&g);
    quire_close(g.q);
    YES(test_exists(g.path));
    note_removal(strstr(g.path, "/sessions/") + 1, g.path);
    note_removal("sessions/--x--/never.jsonl", ""); /* gone already */
    note_removal("blobs", "");                      /* no session's */
    q = open_home(QUIRE_READ_ONLY);
    lists(q, NULL, NULL, "#1:mine:1 ");
    quire_close(q);
    YES(test_exists(g.path)); /* who reads removes nothing */
    q = open_home(0);
    puts_text(q, NULL, "more", "x");
    NO(test_exists(g.path));
    holds(q, NULL, "mine", 0, "stays");
    quire_close(q);
}

TEST(a_session_that_was_used_after_its_removal_was_noted_stays)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session *s;
    struct gone g;

    gone_open(&g);
    quire_close(g.q);
    note_removal(strstr(g.path, "/sessions/") + 1, g.path);
    g.q = open_home(0);
    OK(quire_session_open(g.q, g.path, &o, &s, &test_err));
    OK(quire_session_append(s, bytes_str("{\"type\":\"custom\"}"), NULL, NULL,
                            &test_err));
    puts_text(g.q, NULL, "more", "x"); /* it is held */
    YES(test_exists(g.path));
    quire_session_close(s);
    quire_close(g.q);
    g.q = open_home(0);
    puts_text(g.q, NULL, "more", "y"); /* it has changed */
    YES(test_exists(g.path));
    quire_close(g.q);
}

/* ---- older homes -------------------------------------------------------- */

TEST(a_home_from_before_artifacts_is_read_and_brought_up_to_date)
{
    quire *q = open_home(0);

    OK(quire_blob_put(q, bytes_str("old"), 0, NULL, &test_err));
    quire_close(q);
    test_undo_steps(2);
    q = open_home(QUIRE_READ_ONLY);
    lists(q, NULL, NULL, "");
    is_absent(q, NULL, "a");
    quire_close(q);
    q = open_home(0);
    puts_text(q, NULL, "a", "new");
    holds(q, NULL, "a", 0, "new");
    quire_close(q);
}

TEST(a_home_from_before_tenant_keys_is_read_and_brought_up_to_date)
{
    quire *q = open_home(0);
    unsigned flags[] = {QUIRE_READ_ONLY, 0};
    size_t i;

    puts_text(q, NULL, "a", "one");
    puts_text(q, NULL, "a", "two");
    holds(q, NULL, "a", 0, "two");
    quire_close(q);
    test_undo_steps(18);
    for (i = 0; i < 2; i++) {
        quire_artifact got;

        q = open_home(flags[i]);
        holds(q, NULL, "a", 1, "one");
        holds(q, NULL, "a", 2, "two");
        OK(quire_artifact_stat(q, NULL, "a", NULL, &got, &test_err));
        YES(got.reads > 0);
        quire_close(q);
    }
    catalogue_sound();
}

/* ---- a model to compare with -------------------------------------------- */

/* What should be there: a few paths in two sessions, each with a text of a few
 * words, or nothing. */
enum { SLOTS = 12, VOCABULARY = 6, STEPS = 400 };

static const char *const vocabulary[VOCABULARY] = {"apple",      "parseHeader",
                                                   "snake_case", "東京都",
                                                   "Éclair",     "zebra42"};

struct slot {
    char path[16];
    const char *session;
    bool living, away;
    unsigned words; /* a bit each */
    size_t size;
};

static void spell_text(unsigned words, char *out)
{
    int i;

    *out = '\0';
    for (i = 0; i < VOCABULARY; i++) {
        if (words >> i & 1) {
            strcat(out, vocabulary[i]);
            strcat(out, " ");
        }
    }
}

struct found {
    struct slot *slots;
    unsigned hits; /* a bit for each slot */
};

static quire_status note_hit(void *ctx, const quire_hit *hit, quire_error *err)
{
    struct found *f = ctx;
    unsigned i;

    (void)err;
    for (i = 0; i < SLOTS; i++) {
        if (!strcmp(f->slots[i].path, hit->artifact.path) &&
            !strcmp(f->slots[i].session, hit->artifact.session)) {
            NO(f->hits >> i & 1); /* each once */
            f->hits |= 1u << i;
        }
    }
    return QUIRE_OK;
}

static void compare_search(quire *q, struct slot *slots, int word,
                           const char *session)
{
    quire_artifact_search_options o = QUIRE_ARTIFACT_SEARCH_OPTIONS_INIT;
    struct found f = {slots, 0};
    unsigned wanted = 0, i;
    quire_status st;

    o.limit = 0;
    o.all_sessions = !session;
    for (i = 0; i < SLOTS; i++) {
        if (slots[i].living && (slots[i].words >> word & 1) &&
            (!session || !strcmp(session, slots[i].session)))
            wanted |= 1u << i;
    }
    st = quire_artifact_search(q, session, vocabulary[word], &o, note_hit, &f,
                               NULL, &test_err);
    IS(wanted ? QUIRE_OK : QUIRE_NOT_FOUND, st);
    EQ(wanted, f.hits);
}

static void change(quire *q, struct slot *s, unsigned random)
{
    quire_artifact a;
    char text[128];

    switch (random % 5) {
    case 0:
        IS(s->living ? QUIRE_OK : QUIRE_NOT_FOUND,
           quire_artifact_remove(q, s->session, s->path, 0, &test_err));
        s->away |= s->living;
        s->living = false;
        break;
    case 1:
        if (s->living || !s->away)
            break;
        OK(quire_artifact_restore(q, s->session, s->path, &a, &test_err));
        s->living = true;
        s->away = false;
        break;
    default:
        if (s->away && !s->living)
            break; /* which one comes back would be another question */
        s->words = random >> 8 & ((1u << VOCABULARY) - 1);
        spell_text(s->words, text);
        a = puts_text(q, s->session, s->path, text);
        s->size = strlen(text);
        s->living = true;
        break;
    }
}

TEST(what_is_found_and_counted_is_what_a_simple_model_says)
{
    struct slot slots[SLOTS] = {{.living = false}};
    quire *q = open_home(0), *reader = NULL;
    unsigned seed = 5, i;
    uint64_t sum = 0;
    quire_artifact a;
    int step;

    for (i = 0; i < SLOTS; i++) {
        snprintf(slots[i].path, sizeof slots[i].path, "f%u", i / 2);
        slots[i].session = i % 2 ? "temp" : "user";
    }
    for (step = 0; step < STEPS; step++) {
        seed = seed * 1664525u + 1013904223u;
        change(q, &slots[seed >> 10 & 7], seed >> 4);
        seed = seed * 1664525u + 1013904223u;
        change(q, &slots[(seed >> 10) % SLOTS], seed >> 4);
        if (!reader)
            reader = open_home(QUIRE_READ_ONLY);
        /* One that cannot write sees what the index does not have yet. */
        compare_search(reader, slots, (int)(seed >> 20) % VOCABULARY,
                       step % 3 ? NULL : "temp");
        if (step % 4 == 0)
            compare_search(q, slots, (int)(seed >> 20) % VOCABULARY,
                           step % 3 ? NULL : "temp");
    }
    quire_close(reader);
    a = puts_text(q, "user", "last", "");
    for (i = 0; i < SLOTS; i++)
        sum += slots[i].living ? slots[i].size : 0;
    EQ(sum, a.tenant_used);
    quire_close(q);
}

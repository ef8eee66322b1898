/*
 * Sessions as rows, through the public header: numbers, and what files add up
 * to, whatever happens to the files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "store/db.h"
#include "support/catalog.h"
#include "support/older.h"
#include "support/tenants.h"

#define ANSWER(id, input, cost)                                               \
    "{\"type\":\"message\",\"id\":\"" id "\",\"parentId\":null,\"timestamp\"" \
    ":\"2026-02-16T10:20:30.000Z\",\"message\":{\"role\":\"assistant\","      \
    "\"content\":[],\"usage\":{\"input\":" #input                             \
    ",\"output\":1,\"cost\":{\"total\":" #cost "}}}}\n"
#define SAID                                                           \
    "{\"type\":\"message\",\"id\":\"q\",\"parentId\":null,"            \
    "\"timestamp\":\"2026-02-16T10:20:30.000Z\",\"message\":{\"role\"" \
    ":\"user\",\"content\":\"hi\"}}\n"

static void append_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

    YES(fd >= 0);
    EQ(strlen(text), write(fd, text, strlen(text)));
    close(fd);
}

/* A file system's clock has ticked since the last change. */
static void wait_a_tick(void)
{
    usleep(40000);
}

static quire_session_row row_of(quire *q, const char *which)
{
    quire_session_row row;

    OK(quire_session_row_of(q, which, &row, &test_err));
    return row;
}

/* "#number title state: messages tokens cost". */
static void add_row(struct buf *out, const quire_session_row *row)
{
    buf_addf(out, "#%lld %s %s: %llu %llu %lld; ", (long long)row->number,
             row->title, row->state, (unsigned long long)row->messages,
             (unsigned long long)row->total_tokens,
             (long long)row->cost_nano_usd);
}

static void row_is(quire *q, const char *which, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 16);
    quire_session_row row = row_of(q, which);

    add_row(&got, &row);
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

static quire_status see_row(void *ctx, const quire_session_row *row,
                            quire_error *err)
{
    (void)err;
    add_row(ctx, row);
    return QUIRE_OK;
}

static void rows_are(quire *q, const quire_row_options *o, const char *wanted)
{
    struct buf got = BUF_INIT(1 << 20);

    OK(quire_session_rows(q, o, see_row, &got, &test_err));
    SAME(bytes_str(wanted), buf_bytes(&got));
    buf_release(&got);
}

static int64_t counts(const char *sql)
{
    struct db *db;
    struct stmt *s;
    int64_t n;
    bool row;

    db = catalogue_open();
    OK(db_prepare(db, sql, &s, &test_err));
    OK(stmt_step(s, &row, &test_err));
    n = stmt_column_int(s, 0);
    stmt_finalize(s);
    db_close(db);
    return n;
}

TEST(a_session_gets_its_row_when_it_is_first_seen)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");
    struct tenants_session b = tenants_session(q, "b");
    quire_session_row row;

    tenants_put(q, "x", "a built-in session has a number below zero");
    row_is(q, a.id, "#1 a active: 0 0 0; ");
    append_text(b.path, SAID ANSWER("r", 10, 0.0000001));
    row_is(q, b.id, "#2 b active: 2 11 100; ");
    row = row_of(q, b.path);
    EQ(2, row.number);
    SAME_TEXT(b.id, row.id);
    SAME_TEXT(b.path, row.path);
    SAME_TEXT("", row.parent);
    EQ(2, row.entries);
    EQ(10, row.input_tokens);
    EQ(1, row.output_tokens);
    YES(row.created_us > 0 && row.updated_us >= row.created_us);
    SAME_TEXT("/w", row.info->cwd);
    EQ(2, row.info->messages);
    row_is(q, "#1", "#1 a active: 0 0 0; ");
    IS(QUIRE_NOT_FOUND, quire_session_row_of(q, "#3", &row, &test_err));
    YES(test_err.what[0] && test_err.next[0]);
    IS(QUIRE_NOT_FOUND, quire_session_row_of(q, "#-1", &row, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_row_of(q, "user", &row, &test_err));
    quire_close(q);
}

TEST(rows_are_listed_the_newest_first_and_numbered_the_oldest_first)
{
    quire_row_options o = QUIRE_ROW_OPTIONS_INIT;
    quire *q = tenants_open(NULL, 0);
    char after[64];
    quire_session_row row;

    tenants_session(q, "a");
    wait_a_tick();
    tenants_session(q, "b");
    wait_a_tick();
    tenants_session(q, "c");
    rows_are(q, NULL,
             "#3 c active: 0 0 0; #2 b active: 0 0 0; #1 a active: 0 0 0; ");
    o.limit = 2;
    rows_are(q, &o, "#3 c active: 0 0 0; #2 b active: 0 0 0; ");
    row = row_of(q, "#2");
    o.after_us = row.updated_us;
    snprintf(after, sizeof after, "%s", row.id);
    o.after_id = after;
    rows_are(q, &o, "#1 a active: 0 0 0; ");
    o = (quire_row_options)QUIRE_ROW_OPTIONS_INIT;
    o.cwd = "/elsewhere";
    rows_are(q, &o, "");
    o.cwd = "/w";
    o.limit = 1;
    rows_are(q, &o, "#3 c active: 0 0 0; ");
    quire_close(q);
}

TEST(a_home_that_is_not_there_has_no_rows_and_is_not_made)
{
    quire *q = tenants_open(NULL, 0);
    quire_session_row row;

    rows_are(q, NULL, "");
    IS(QUIRE_NOT_FOUND, quire_session_row_of(q, "x", &row, &test_err));
    IS(QUIRE_NOT_FOUND, quire_session_row_of(q, "#1", &row, &test_err));
    NO(test_exists(test_path("home")));
    quire_close(q);
}

/* The traces of one look: how often a session's file was opened. */
static void hear(void *ctx, const char *line)
{
    int *n = ctx;

    if (strstr(line, "log open") && strstr(line, ".jsonl"))
        ++*n;
}

TEST(a_file_that_has_not_changed_is_not_opened)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");
    quire_options o = QUIRE_OPTIONS_INIT;
    int opened = 0;

    append_text(a.path, SAID);
    quire_close(q);
    wait_a_tick();
    o.home = test_path("home");
    o.trace = hear;
    o.trace_ctx = &opened;
    OK(quire_open(&o, &q, &test_err));
    rows_are(q, NULL, "#1 a active: 1 0 0; ");
    YES(opened > 0);
    opened = 0;
    rows_are(q, NULL, "#1 a active: 1 0 0; ");
    EQ(0, opened);
    quire_close(q);
}

TEST(what_was_counted_is_not_counted_again)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");

    append_text(a.path, ANSWER("a", 5, 1));
    row_is(q, a.id, "#1 a active: 1 6 1000000000; ");
    /* A sum that no file gives shows what is kept of the last look. */
    tenants_sql("UPDATE tally SET messages = 41");
    append_text(a.path, ANSWER("b", 5, 1) "{\"type\":\"mess");
    row_is(q, a.id, "#1 a active: 42 12 2000000000; ");
    append_text(a.path, "age\",\"message\":{}}\n");
    row_is(q, a.id, "#1 a active: 43 12 2000000000; ");
    quire_close(q);
}

TEST(a_file_that_is_another_is_counted_from_its_start)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");
    quire_bytes header = test_read_file(a.path), was;
    struct buf text = BUF_INIT(1 << 16);
    struct stat st;
    int fd;

    append_text(a.path, SAID ANSWER("a", 5, 1));
    row_is(q, a.id, "#1 a active: 2 6 1000000000; ");
    /* Replaced by one that is longer. */
    buf_add(&text, header.data, header.len);
    buf_add_str(&text, ANSWER("c", 7, 2) ANSWER("d", 7, 2) ANSWER("e", 7, 2));
    test_write_file(test_path("new"), buf_bytes(&text));
    EQ(0, rename(test_path("new"), a.path));
    row_is(q, a.id, "#1 a active: 3 24 6000000000; ");
    /* Written anew in its place, and longer. */
    buf_clear(&text);
    buf_add(&text, header.data, header.len);
    buf_add_str(&text, SAID SAID SAID SAID SAID SAID SAID SAID);
    YES(text.len > (size_t)(stat(a.path, &st), st.st_size));
    fd = open(a.path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    EQ(text.len, write(fd, text.data, text.len));
    close(fd);
    row_is(q, a.id, "#1 a active: 8 0 0; ");
    /* Of the same size. */
    was = test_read_file(a.path);
    wait_a_tick();
    row_is(q, a.id, "#1 a active: 8 0 0; ");
    fd = open(a.path, O_WRONLY | O_CLOEXEC);
    EQ(8, pwrite(fd, "{\"type\":", 8, (off_t)header.len));
    EQ(7, pwrite(fd, "\"custom", 7, (off_t)header.len + 8));
    close(fd);
    EQ(was.len, test_read_file(a.path).len);
    row_is(q, a.id, "#1 a active: 7 0 0; ");
    EQ(0, truncate(a.path, (off_t)header.len)); /* cut short */
    row_is(q, a.id, "#1 a active: 0 0 0; ");
    buf_release(&text);
    quire_close(q);
}

TEST(a_session_keeps_its_number_and_the_row_follows_it)
{
    quire_row_options away = QUIRE_ROW_OPTIONS_INIT;
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");
    quire_session_row row;
    quire_session *s;
    const char *path;

    away.archived = 1;
    append_text(a.path, ANSWER("a", 5, 1));
    rows_are(q, NULL, "#1 a active: 1 6 1000000000; ");
    OK(quire_session_move(q, a.id, "/elsewhere", &s, &test_err));
    OK(quire_session_rename(s, "b", &test_err));
    quire_session_close(s);
    rows_are(q, NULL, "#1 b active: 1 6 1000000000; ");
    row = row_of(q, "#1");
    HAS(row.path, "--elsewhere--");
    OK(quire_session_archive(q, a.id, &path, &test_err));
    rows_are(q, NULL, "");
    rows_are(q, &away, "#1 b archived: 1 6 1000000000; ");
    row_is(q, "#1", "#1 b archived: 1 6 1000000000; ");
    EQ(1, counts("SELECT count(*) FROM tally WHERE state = 'archived' AND name"
                 " LIKE 'archive/sessions/%'"));
    OK(quire_session_unarchive(q, a.id, &path, &test_err));
    rows_are(q, NULL, "#1 b active: 1 6 1000000000; ");
    rows_are(q, &away, "");
    quire_close(q);
}

TEST(a_fork_has_a_row_of_its_own_and_a_parent)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");
    quire_session_row row;
    quire_session_info info;
    quire_session *s;
    char id[64];

    append_text(a.path, ANSWER("a", 5, 1));
    row_is(q, a.id, "#1 a active: 1 6 1000000000; ");
    OK(quire_session_fork(q, a.id, NULL, &s, &test_err));
    quire_session_describe(s, &info);
    snprintf(id, sizeof id, "%s", info.id);
    quire_session_close(s);
    row = row_of(q, id);
    EQ(2, row.number);
    SAME_TEXT(a.id, row.parent);
    EQ(1, row.messages);
    quire_close(q);
}

TEST(a_row_goes_with_its_session_and_its_number_is_not_given_again)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a"), b;
    quire_session_row row;

    row_is(q, a.id, "#1 a active: 0 0 0; ");
    OK(quire_session_remove(q, a.id, &test_err));
    EQ(0, counts("SELECT count(*) FROM tally"));
    IS(QUIRE_NOT_FOUND, quire_session_row_of(q, "#1", &row, &test_err));
    b = tenants_session(q, "b");
    row_is(q, b.id, "#2 b active: 0 0 0; ");
    rows_are(q, NULL, "#2 b active: 0 0 0; ");
    quire_close(q);
}

TEST(a_session_that_is_about_to_be_removed_gets_no_row)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");
    char sql[1024];

    tenants_put(q, "x", "y"); /* which has the turn of finishing removals */
    snprintf(sql, sizeof sql, "INSERT INTO removal VALUES('%s', 1, 1)",
             strstr(a.path, "sessions/"));
    tenants_sql(sql);
    rows_are(q, NULL, "");
    EQ(0, counts("SELECT count(*) FROM tally"));
    EQ(0, counts("SELECT count(*) FROM session WHERE id > 0"));
    tenants_sql("DELETE FROM removal");
    rows_are(q, NULL, "#1 a active: 0 0 0; ");
    quire_close(q);
}

TEST(a_row_tells_of_the_artifacts_too)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");
    quire_session_row row;
    quire_artifact one;

    OK(quire_artifact_put(q, a.id, "f", bytes_str("four"), NULL, &one,
                          &test_err));
    row = row_of(q, a.id);
    EQ(one.session_id, row.number);
    EQ(1, row.artifacts);
    EQ(4, row.artifact_bytes);
    quire_close(q);
}

TEST(a_reader_counts_and_writes_nothing)
{
    quire *q = tenants_open(NULL, 0), *r;
    struct tenants_session a = tenants_session(q, "a");
    struct tenants_session b;

    append_text(a.path, SAID);
    row_is(q, a.id, "#1 a active: 1 0 0; ");
    wait_a_tick();
    b = tenants_session(q, "b");
    append_text(a.path, SAID);
    append_text(b.path, SAID);
    r = tenants_open(NULL, QUIRE_READ_ONLY);
    row_is(r, a.id, "#1 a active: 2 0 0; ");
    row_is(r, b.id, "#0 b active: 1 0 0; ");
    rows_are(r, NULL, "#0 b active: 1 0 0; #1 a active: 2 0 0; ");
    EQ(1, counts("SELECT count(*) FROM tally WHERE messages = 1"));
    quire_close(r);
    /* A catalogue from before there were rows. */
    test_undo_steps(5);
    r = tenants_open(NULL, QUIRE_READ_ONLY);
    row_is(r, a.id, "#0 a active: 2 0 0; ");
    quire_close(r);
    quire_close(q);
}

TEST(two_tenants_may_have_sessions_of_one_id)
{
    quire *q = tenants_open(NULL, 0), *t;
    struct tenants_session a = tenants_session(q, "a"), b;
    quire_bytes file;
    quire_session_row row;

    tenants_add("acme");
    t = tenants_open("acme", 0);
    b = tenants_session(t, "b");
    append_text(a.path, SAID);
    file = test_read_file(a.path);
    test_write_file(b.path, file); /* the same header, in another home */
    append_text(b.path, SAID);
    row_is(q, a.id, "#1 a active: 1 0 0; ");
    row_is(t, b.path, "#2 a active: 2 0 0; ");
    rows_are(q, NULL, "#1 a active: 1 0 0; ");
    rows_are(t, NULL, "#2 a active: 2 0 0; ");
    IS(QUIRE_NOT_FOUND, quire_session_row_of(t, "#1", &row, &test_err));
    quire_close(t);
    OK(quire_tenant_remove(q, "acme", 1, &test_err));
    EQ(1, counts("SELECT count(*) FROM tally"));
    quire_close(q);
}

TEST(what_is_damaged_is_listed_without_a_number)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");
    quire_session_row row;

    test_write_file(a.path, bytes_str("this is no session\n"));
    rows_are(q, NULL, "#0  active: 0 0 0; ");
    IS(QUIRE_DAMAGED, quire_session_row_of(q, a.path, &row, &test_err));
    YES(test_err.next[0]);
    test_write_file(a.path,
                    bytes_str("{\"type\":\"session\",\"id\":\"user\"}\n" SAID));
    rows_are(q, NULL, "#0  active: 1 0 0; ");
    quire_close(q);
}

TEST(a_session_that_lies_elsewhere_has_no_number)
{
    quire *q = tenants_open(NULL, 0);
    struct tenants_session a = tenants_session(q, "a");

    append_text(a.path, SAID);
    test_write_file(test_path("out.jsonl"), test_read_file(a.path));
    row_is(q, test_path("out.jsonl"), "#0 a active: 1 0 0; ");
    EQ(0, counts("SELECT count(*) FROM tally"));
    quire_close(q);
}

static quire_status ignore(void *ctx, const quire_session_info *info,
                           quire_error *err)
{
    (void)ctx;
    (void)info;
    (void)err;
    return QUIRE_OK;
}

static quire_status come_back(void *ctx, const quire_session_row *row,
                              quire_error *err)
{
    quire_session_row other;

    (void)err;
    IS(QUIRE_INVALID, quire_session_list(ctx, NULL, ignore, NULL, &test_err));
    IS(QUIRE_INVALID, quire_session_row_of(ctx, row->id, &other, &test_err));
    IS(QUIRE_INVALID, quire_session_rows(ctx, NULL, come_back, ctx, &test_err));
    return QUIRE_EXISTS;
}

TEST(a_callback_may_end_the_list_and_not_use_the_handle)
{
    quire *q = tenants_open(NULL, 0);

    tenants_session(q, "a");
    tenants_session(q, "b");
    IS(QUIRE_EXISTS, quire_session_rows(q, NULL, come_back, q, &test_err));
    quire_close(q);
}

/* More than go into one transaction, by two processes at once: each session has
 * one number, and none is left out. */
TEST(two_processes_number_the_same_sessions_once)
{
    enum { SESSIONS = 600, PROCESSES = 3 };
    quire *q = tenants_open(NULL, 0);
    struct buf text = BUF_INIT(1 << 16);
    pid_t pids[PROCESSES];
    char name[128];
    int i, status;

    tenants_session(q, "first");
    quire_close(q);
    for (i = 1; i < SESSIONS; i++) {
        buf_clear(&text);
        buf_addf(&text,
                 "{\"type\":\"session\",\"version\":3,\"id\":\"%016x\","
                 "\"cwd\":\"/w\"}\n" SAID,
                 i);
        snprintf(name, sizeof name, "home/sessions/--w--/x_%016x.jsonl", i);
        test_write_file(test_path(name), buf_bytes(&text));
    }
    buf_release(&text);
    for (i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            struct buf got = BUF_INIT(1 << 20);
            quire_status st;

            q = tenants_open(NULL, 0);
            st = quire_session_rows(q, NULL, see_row, &got, &test_err);
            if (!st && memmem(got.data, got.len, "#0 ", 3))
                st = QUIRE_DAMAGED;
            quire_close(q);
            _exit((int)st);
        }
    }
    for (i = 0; i < PROCESSES; i++) {
        EQ(pids[i], waitpid(pids[i], &status, 0));
        EQ(0, status);
    }
    EQ(SESSIONS, counts("SELECT count(*) FROM tally"));
    EQ(SESSIONS, counts("SELECT count(DISTINCT id) FROM session"));
    EQ(SESSIONS, counts("SELECT max(id) FROM session"));
    EQ(SESSIONS - 1, counts("SELECT sum(messages) FROM tally"));
}

/* ---- a model ------------------------------------------------------------ */

struct model {
    struct tenants_session s;
    uint64_t messages, tokens, cost;
};

static unsigned draw(uint64_t *seed, unsigned below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % below;
}

/* Something happens to one of them. */
static void change(quire *q, struct model *m, uint64_t *seed)
{
    unsigned n = draw(seed, 1000);
    const char *path;
    quire_session *s;
    char text[512];

    switch (draw(seed, 6)) {
    case 0:
        OK(quire_session_find(q, m->s.id, &path, &test_err));
        append_text(path, SAID);
        m->messages++;
        break;
    case 1:
        OK(quire_session_move(q, m->s.id, n % 2 ? "/a" : "/b", &s, &test_err));
        quire_session_close(s);
        break;
    case 2:
        OK(quire_session_open(q, m->s.id, NULL, &s, &test_err));
        OK(quire_session_rename(s, n % 2 ? "one" : "two", &test_err));
        quire_session_close(s);
        break;
    default:
        snprintf(text, sizeof text,
                 "{\"type\":\"message\",\"id\":\"%x\",\"parentId\":null,"
                 "\"timestamp\":\"x\",\"message\":{\"role\":\"assistant\","
                 "\"usage\":{\"totalTokens\":%u,\"cost\":{\"input\":0.000%03u,"
                 "\"output\":%ue-9}}}}\n",
                 n, n, n, n);
        OK(quire_session_find(q, m->s.id, &path, &test_err));
        append_text(path, text);
        m->messages++;
        m->tokens += n;
        m->cost += n * UINT64_C(1000) + n;
        break;
    }
}

static void agrees(const struct model *m, const quire_session_row *row)
{
    EQ(m->messages, row->messages);
    EQ(m->tokens, row->total_tokens);
    EQ(m->cost, row->cost_nano_usd);
}

struct comparison {
    const struct model *models;
    size_t n, seen;
};

static quire_status compare(void *ctx, const quire_session_row *row,
                            quire_error *err)
{
    struct comparison *c = ctx;
    size_t i;

    (void)err;
    for (i = 0; i < c->n; i++) {
        if (!strcmp(c->models[i].s.id, row->id)) {
            agrees(&c->models[i], row);
            EQ(i + 1, row->number);
            c->seen++;
        }
    }
    return QUIRE_OK;
}

TEST(rows_agree_with_a_model_whatever_happens)
{
    enum { N = 4, STEPS = 150 };
    quire *q = tenants_open(NULL, 0);
    struct model models[N] = {0};
    uint64_t seed = 20260216;
    int i;

    for (i = 0; i < N; i++) {
        models[i].s = tenants_session(q, "t");
        agrees(&models[i], &(quire_session_row){.number = 0});
        EQ(i + 1, row_of(q, models[i].s.id).number);
    }
    for (i = 0; i < STEPS; i++) {
        struct model *m = &models[draw(&seed, N)];
        struct comparison c = {models, N, 0};
        quire_session_row row;

        change(q, m, &seed);
        if (draw(&seed, 3) == 0) {
            row = row_of(q, m->s.id);
            agrees(m, &row);
        } else if (draw(&seed, 2) == 0) {
            OK(quire_session_rows(q, NULL, compare, &c, &test_err));
            EQ(N, c.seen);
        }
    }
    quire_close(q);
}

/* ---- faults ------------------------------------------------------------- */

/* The clocks of file systems tick too slowly to tell which is the newer. */
static void make_old(const char *path)
{
    struct timespec times[2] = {{1000000, 0}, {1000000, 0}};

    EQ(0, utimensat(AT_FDCWD, path, times, 0));
}

/* Each call in turn fails: the next look finds all of it, with one number
 * each. */
static void sweep(bool inside, long stride)
{
    bool struck = true;
    long n;

    for (n = 1; struck; n += stride) {
        quire *q = tenants_open(NULL, 0);
        struct tenants_session a = tenants_session(q, "a"), b;
        struct buf got = BUF_INIT(1 << 16);
        quire_status st;

        append_text(a.path, SAID);
        row_is(q, a.id, "#1 a active: 1 0 0; ");
        append_text(a.path, ANSWER("x", 1, 1));
        make_old(a.path);
        b = tenants_session(q, "b");
        sqlite_faults(inside);
        fault_arm(n, n % 2 ? ENOMEM : EIO, false);
        st = quire_session_rows(q, NULL, see_row, &got, &test_err);
        struck = fault_disarm();
        sqlite_faults(false);
        if (st)
            YES(test_err.what[0]);
        else if (!struck)
            SAME(bytes_str("#2 b active: 0 0 0; #1 a active: 2 2 1000000000; "),
                 buf_bytes(&got));
        buf_release(&got);
        quire_close(q);
        q = tenants_open(NULL, 0);
        row_is(q, b.id, "#2 b active: 0 0 0; ");
        rows_are(q, NULL, "#2 b active: 0 0 0; #1 a active: 2 2 1000000000; ");
        EQ(2, counts("SELECT count(*) FROM tally"));
        quire_close(q);
        test_forget_dir();
    }
    YES(n > 10);
}

TEST(a_look_survives_each_call_failing_once)
{
    sweep(false, 1);
}

/* Thousands of calls: some of them, or each with QUIRE_TEST_LONG set. */
TEST(a_look_survives_sqlite_itself_failing)
{
    sweep(true, getenv("QUIRE_TEST_LONG") ? 1 : 17);
}

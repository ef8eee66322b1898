/*
 * workspace_bench.c - files of a session that lie open
 *
 *   run             A command that does nothing, in a workspace of some files that
 *                   are in step, from quire_run() to its return. The limit is the
 *                   same without confinement: what is left is what the kernel
 *                   takes for namespaces, mounts and filters, and how we ask for
 *                   them.
 *   tool            A new file of 10 KB through the tool, and the same file read.
 *                   The limit is what it waits for, by hand: a temporary file
 *                   written, synced and renamed, a commit of SQLite's own that
 *                   has the bytes, and the file read. Notes of what files were
 *                   are written once for many writes, so a median does not show
 *                   them: the mean is told beside it. The same with bytes that
 *                   have no words tells what the index of words takes.
 *   watch           Ten thousand directories, each with a file, of a hundred
 *                   sessions: from nothing being watched until all is, and has
 *                   been looked at once. The limit is a second; what the kernel
 *                   needs for the watches alone is told beside it.
 *
 * What a client of `quire tool workspace` sees is in tool_bench.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/fs.h"
#include "base/json.h"
#include "bench.h"

enum { SIZE = 10 * 1024 };

/* The libraries' functions take `char *const *` and write to none of it. */
static char *arg(const char *text)
{
    return (char *)(uintptr_t)text;
}

static void write_file(const char *path, quire_bytes content)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0 || fs_write_all(fd, content) < 0)
        bench_fail("cannot write %s: %s", path, strerror(errno));
    close(fd);
}

static quire_workspace *open_workspace(quire *q, const char *session)
{
    quire_workspace *w;
    quire_error err;

    bench_ok(quire_workspace_open(q, session, &w, &err), &err);
    bench_ok(quire_workspace_make(w, &err), &err);
    return w;
}

/* A file that has changed a moment ago is looked into once more: a while, and two
 * looks, and then nothing is left to do. */
static void settle(quire_workspace *w)
{
    quire_error err;

    usleep(30000);
    bench_ok(quire_workspace_sync(w, NULL, NULL, NULL, NULL, &err), &err);
    bench_ok(quire_workspace_sync(w, NULL, NULL, NULL, NULL, &err), &err);
}

/* ---- a command ---------------------------------------------------------- */

#define RUN     "run: confined true"
#define RUN_CLI "run: confined true, as a process"

static double time_run(quire_workspace *w, int unconfined)
{
    static const char *const argv[] = {"true", NULL};
    quire_run_options o = QUIRE_RUN_OPTIONS_INIT;
    quire_run_result got;
    quire_error err;
    double began = now_s();

    o.argv = argv;
    o.unconfined = unconfined;
    bench_ok(quire_run(w, &o, &got, &err), &err);
    began = now_s() - began;
    if (got.record.exit != 0)
        bench_fail("true ended with %d", got.record.exit);
    return began * 1e3;
}

static double time_process(char **argv)
{
    double began = now_s();

    if (place_run(argv, NULL, NULL))
        bench_fail("%s %s %s %s did not run", argv[0], argv[1], argv[2],
                   argv[3]);
    return (now_s() - began) * 1e3;
}

static void run_in(struct bench *b, quire_workspace *w, char *home)
{
    struct readings inside = {.n = 0}, processes = {.n = 0};
    char *confined[] = {arg(b->quire), arg("--home"), home, arg("run"),
                        arg("--"),     arg("true"),   NULL};
    char *free_[] =
        {arg(b->quire),       arg("--home"), home,        arg("run"),
         arg("--unconfined"), arg("--"),     arg("true"), NULL};
    int i, n = b->quick ? 5 : 200;

    time_run(w, 0);
    time_run(w, 1);
    for (i = 0; i < n; i++) {
        double ms = time_run(w, 0);

        readings_add(&inside, ms, time_run(w, 1));
    }
    for (i = 0; i < n / 2; i++) {
        double ms = time_process(confined);

        readings_add(&processes, ms, time_process(free_));
    }
    report(b, (struct line){RUN, "ms", "the same unconfined", NEED_WITHIN, 5},
           &inside);
    report(b,
           (struct line){RUN_CLI, "ms", "the same unconfined", NEED_NOTHING, 0},
           &processes);
}

static quire_status see_layer(void *ctx, const char *layer, int ok,
                              const char *why, quire_error *err)
{
    struct bench *b = ctx;

    (void)err;
    if (!ok)
        report_note(b, RUN, "this machine has no %s: %s", layer, why);
    return QUIRE_OK;
}

static void commands(struct bench *b)
{
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    quire_workspace *w = open_workspace(q, "temp");
    struct buf text = BUF_INIT(1 << 20);
    char *home = place_path(b, "home"), path[4096];
    quire_error err;
    int i;

    for (i = 0; i < 20; i++) {
        text_code(&text, (uint64_t)i, 4096);
        snprintf(path, sizeof path, "%s/file_%d.c", quire_workspace_dir(w, 0),
                 i);
        write_file(path, buf_bytes(&text));
    }
    settle(w);
    run_in(b, w, home);
    bench_ok(quire_run_probe(see_layer, b, &err), &err);
    quire_workspace_close(w);
    quire_close(q);
    place_clear(b, "home");
    buf_release(&text);
    free(home);
}

/* ---- the tool ----------------------------------------------------------- */

#define TOOL    "workspace tool: write + read 10 KB"
#define REWRITE "workspace tool: rewrite + read 10 KB"
#define NOISE   "workspace tool: 10 KB without words"

static void call(quire_workspace *w, const struct buf *request)
{
    quire_bytes answer;
    quire_error err;

    bench_ok(quire_workspace_call(w, buf_bytes(request), &answer, &err), &err);
    if (answer.len < 16 || memcmp(answer.data, "{\"success\":true", 15) != 0)
        bench_fail("the tool says %.*s", (int)answer.len,
                   (const char *)answer.data);
}

static void spell(struct buf *out, const char *action, const char *filename,
                  const struct buf *content, bool noise)
{
    struct json_writer w;

    buf_clear(out);
    json_begin(&w, out);
    json_object(&w);
    json_put_str(&w, "action", action);
    json_put_str(&w, "filename", filename);
    if (content) {
        json_put_bytes(&w, "content", buf_bytes(content));
    }
    if (content && noise) {
        json_put_str(&w, "encoding", "base64");
    }
    json_object_end(&w);
}

struct by_hand {
    sqlite3 *db;
    sqlite3_stmt *insert;
    char *dir, *db_path; /* owned */
};

static void hand_open(const struct bench *b, struct by_hand *h)
{
    h->dir = place_path(b, "by-hand");
    h->db_path = place_path(b, "by-hand/rows.db");
    if (mkdir(h->dir, 0700) < 0)
        bench_fail("cannot make %s: %s", h->dir, strerror(errno));
    if (sqlite3_open(h->db_path, &h->db) ||
        sqlite3_exec(h->db,
                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                     "CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB)",
                     NULL, NULL, NULL) ||
        sqlite3_prepare_v2(h->db, "INSERT INTO t(body) VALUES(?1)", -1,
                           &h->insert, NULL))
        bench_fail("cannot make %s: %s", h->db_path, sqlite3_errmsg(h->db));
}

static void hand_close(const struct bench *b, struct by_hand *h)
{
    sqlite3_finalize(h->insert);
    sqlite3_close(h->db);
    place_clear(b, "by-hand");
    free(h->dir);
    free(h->db_path);
}

static double time_hand(struct by_hand *h, int number, const struct buf *text)
{
    char temp[4096], name[4096], back[SIZE];
    double began = now_s();
    int fd;

    snprintf(temp, sizeof temp, "%s/.temp", h->dir);
    snprintf(name, sizeof name, "%s/file_%d.c", h->dir, number);
    fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || fs_write_all(fd, buf_bytes(text)) < 0 || fdatasync(fd) < 0)
        bench_fail("cannot write %s: %s", temp, strerror(errno));
    close(fd);
    sqlite3_bind_blob(h->insert, 1, text->data, (int)text->len, SQLITE_STATIC);
    if (sqlite3_step(h->insert) != SQLITE_DONE || sqlite3_reset(h->insert))
        bench_fail("cannot insert: %s", sqlite3_errmsg(h->db));
    if (rename(temp, name) < 0)
        bench_fail("cannot rename %s: %s", temp, strerror(errno));
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fs_read_full(fd, back, sizeof back) != SIZE)
        bench_fail("cannot read %s", name);
    close(fd);
    return (now_s() - began) * 1e3;
}

/* What is written: a file of a new name, one that was written before, or one
 * that has no words for the index. */
enum kind { NEW, OVER, NO_WORDS };

struct scene {
    quire *q;
    quire_workspace *w;
    struct by_hand hand;
    struct buf text, spelled, put, get;
};

/* A write and a read, ours and by hand; in milliseconds. */
static void one_round(struct scene *s, enum kind kind, int i, double *ours,
                      double *by_hand)
{
    int number = kind == OVER ? i & 7 : i;
    char filename[64];

    snprintf(filename, sizeof filename, "src/file_%d.%s", number,
             kind == NO_WORDS ? "bin" : "c");
    if (kind == NO_WORDS)
        text_noise(&s->text, (uint64_t)i + 100, SIZE);
    else
        text_code(&s->text, (uint64_t)i + 100, SIZE);
    buf_clear(&s->spelled);
    if (kind == NO_WORDS)
        base64_encode(buf_bytes(&s->text), &s->spelled);
    spell(&s->put, "write", filename, kind == NO_WORDS ? &s->spelled : &s->text,
          kind == NO_WORDS);
    spell(&s->get, "read", filename, NULL, false);
    *ours = now_s();
    call(s->w, &s->put);
    call(s->w, &s->get);
    *ours = (now_s() - *ours) * 1e3;
    *by_hand = time_hand(&s->hand, number, &s->text);
}

static void measure_tool(struct bench *b, enum kind kind, struct line line)
{
    struct scene s = {.text = BUF_INIT(4 * SIZE),
                      .spelled = BUF_INIT(1 << 20),
                      .put = BUF_INIT(1 << 20),
                      .get = BUF_INIT(4096)};
    struct readings r = {.n = 0};
    double sum = 0, sum_hand = 0, ours, by_hand;
    int i, n = b->quick ? 20 : 1000;

    if (!bench_wants(b, line.name))
        return;
    s.q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    s.w = open_workspace(s.q, "temp");
    hand_open(b, &s.hand);
    for (i = -5; i < n; i++) {
        one_round(&s, kind, i + 5, &ours, &by_hand);
        if (i < 0)
            continue;
        readings_add(&r, ours, by_hand);
        sum += ours;
        sum_hand += by_hand;
    }
    report(b, line, &r);
    report_note(b, line.name, "mean %.2f ms, by hand %.2f ms", sum / n,
                sum_hand / n);
    hand_close(b, &s.hand);
    quire_workspace_close(s.w);
    quire_close(s.q);
    place_clear(b, "home");
    buf_release(&s.text);
    buf_release(&s.spelled);
    buf_release(&s.put);
    buf_release(&s.get);
}

static void tool(struct bench *b)
{
    static const char limit[] = "its syncs, by hand";

    measure_tool(b, NEW, (struct line){TOOL, "ms", limit, NEED_WITHIN, 0.3});
    measure_tool(b, NO_WORDS,
                 (struct line){NOISE, "ms", limit, NEED_NOTHING, 0});
    measure_tool(b, OVER, (struct line){REWRITE, "ms", limit, NEED_NOTHING, 0});
}

/* ---- watching ----------------------------------------------------------- */

#define WATCH "watch: 10,000 directories"

enum { DIRS_EACH = 100 };

static void make_files(quire_workspace *w, int session)
{
    char path[4096];
    int i;

    for (i = 0; i < DIRS_EACH; i++) {
        int len = snprintf(path, sizeof path, "%s/dir_%d",
                           quire_workspace_dir(w, 0), i);
        char text[64];

        if (mkdir(path, 0750) < 0)
            bench_fail("cannot make %s: %s", path, strerror(errno));
        snprintf(path + len, sizeof path - (size_t)len, "/notes.txt");
        snprintf(text, sizeof text, "file %d of session %d\n", i, session);
        write_file(path, bytes_str(text));
    }
}

static void make_sessions(quire *q, int n)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_workspace *w;
    quire_session *s;
    quire_error err;
    int i;

    o.cwd = "/bench";
    o.flags = QUIRE_SESSION_AT_ONCE;
    for (i = 0; i < n; i++) {
        bench_ok(quire_session_new(q, &o, &s, &err), &err);
        quire_session_describe(s, &info);
        w = open_workspace(q, info.id);
        make_files(w, i);
        settle(w);
        quire_workspace_close(w);
        quire_session_close(s);
    }
}

static void see(void *ctx, const char *session, const char *what,
                const char *path, const char *why)
{
    (void)ctx;
    bench_fail("%s of %s was not in step: %s %s", path, session, what, why);
}

static double time_watch(struct bench *b, quire *q)
{
    double began = now_s();
    quire_watch *watch;
    quire_error err;

    bench_ok(quire_watch_open(q, NULL, &watch, &err), &err);
    bench_ok(quire_watch_next(watch, 0, see, NULL, &err), &err);
    began = now_s() - began;
    if (quire_watch_blind(watch))
        report_note(b, WATCH, "the system has too few watches to give");
    quire_watch_close(watch);
    return began * 1e3;
}

static int bare_watches;

static int add_bare(const char *path, const struct stat *st, int type,
                    struct FTW *at)
{
    (void)st;
    (void)at;
    if (type == FTW_D &&
        inotify_add_watch(bare_watches, path, IN_CLOSE_WRITE | IN_CREATE) < 0)
        return -1;
    return 0;
}

/* Every directory watched, every file looked at, and nothing else. */
static double time_bare(const struct bench *b)
{
    char *path = place_path(b, "home/artifacts");
    double began = now_s();

    bare_watches = inotify_init1(IN_CLOEXEC);
    if (bare_watches < 0 || nftw(path, add_bare, 64, FTW_PHYS) < 0)
        bench_fail("cannot watch %s: %s", path, strerror(errno));
    began = now_s() - began;
    close(bare_watches);
    free(path);
    return began * 1e3;
}

static void watching(struct bench *b)
{
    quire *q = place_store(b, "home", QUIRE_LAYOUT_PACKED, NULL);
    struct readings r = {.n = 0};
    quire_error err;
    double bare = 0;
    int i, rounds = b->quick ? 2 : 11;

    /* To make it does not wait for the disk. */
    bench_ok(quire_config_set(q, "durability", "flush", &err), &err);
    make_sessions(q, b->quick ? 5 : 100);
    bench_ok(quire_config_set(q, "durability", "each", &err), &err);
    for (i = 0; i < rounds; i++) {
        readings_add(&r, time_watch(b, q), 1000);
        bare += time_bare(b) / rounds;
    }
    report(b, (struct line){WATCH, "ms", "a second", NEED_BELOW, 1}, &r);
    report_note(b, WATCH, "the watches and a look at each file alone: %.0f ms",
                bare);
    quire_close(q);
    place_clear(b, "home");
}

const struct measure workspace_measures[] = {
    {commands, {RUN, RUN_CLI}},
    {tool, {TOOL, NOISE, REWRITE}},
    {watching, {WATCH}},
    {NULL, {NULL}},
};

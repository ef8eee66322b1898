/* Whole imports: files of agents, the ledger, sessions and originals. */
#include "import/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/err.h"
#include "generate.h"
#include "import/find.h"
#include "store/intercept.h"
#include "support/catalog.h"
#include "support/older.h"

#define UUID    "11111111-2222-4333-8444-555555555555"
#define ROLL    "rollout-2025-09-03T10-00-00-" UUID
#define CEILING ((size_t)1 << 30)

/* ---- an import ---------------------------------------------------------- */

struct imported {
    struct import_line last; /* text is not kept */
    char session[80];
    struct import_summary sum;
};

static quire_status take_line(void *ctx, const struct import_line *line,
                              quire_error *err)
{
    struct imported *got = ctx;

    (void)err;
    got->last = *line;
    snprintf(got->session, sizeof got->session, "%s", line->session);
    return QUIRE_OK;
}

static quire *open_home(const char *name)
{
    quire_options o = QUIRE_OPTIONS_INIT;
    quire *q;

    o.home = test_path(name);
    OK(quire_open(&o, &q, &test_err));
    return q;
}

static struct imported import_from(quire *q, const char *path)
{
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};
    struct imported got = {.last = {.entries = 0}};
    struct import_run run = {.q = q, .line = take_line, .ctx = &got};

    OK(import_find_from(&places, path, NULL, &test_err));
    OK(import_run(&run, &places, &got.sum, &test_err));
    arena_release(&keep);
    return got;
}

static struct imported import_bytes(quire *q, const char *name,
                                    quire_bytes bytes)
{
    FILE *f = fopen(test_path(name), "r+"); /* the same inode */

    if (!f)
        f = fopen(test_path(name), "w");
    YES(f != NULL);
    YES(ftruncate(fileno(f), 0) == 0);
    EQ(bytes.len, fwrite(bytes.data, 1, bytes.len, f));
    fclose(f);
    return import_from(q, test_path(name));
}

/* ---- what came of it ---------------------------------------------------- */

static void same_original(quire *q, const char *name, quire_bytes bytes)
{
    struct buf got = BUF_INIT(CEILING);

    OK(quire_import_original(q, test_path(name), buf_write, &got, &test_err));
    SAME(bytes, buf_bytes(&got));
    buf_release(&got);
}

static const char *session_path(quire *q, const char *id)
{
    const char *path = NULL;
    char *copy;

    OK(quire_session_find(q, id, &path, &test_err));
    copy = test_alloc(strlen(path) + 1);
    return strcpy(copy, path);
}

/* The log of a session, which is compressed. */
static struct log *session_log(quire *q, const char *id, enum log_mode mode,
                               struct store **store, struct object_info *info)
{
    const char *path = session_path(q, id), *base = strrchr(path, '/');
    char *dir = test_alloc((size_t)(base - path) + 1);
    struct log *log;

    memcpy(dir, path, (size_t)(base - path));
    dir[base - path] = '\0';
    OK(store_files_open(dir, mode == LOG_READ, store, &test_err));
    OK(log_open((*store)->logs, base + 1, mode, &log, info, &test_err));
    return log;
}

static quire_bytes session_bytes(quire *q, const char *id)
{
    struct object_info info;
    struct store *store;
    struct log *log = session_log(q, id, LOG_READ, &store, &info);
    char *bytes = test_alloc((size_t)info.size + 1);
    size_t n;

    OK(log_read(log, 0, bytes, (size_t)info.size, &n, &test_err));
    EQ(info.size, n);
    log_close(log);
    store_free(store);
    return bytes_of(bytes, n);
}

static void append_to_session(quire *q, const char *id, quire_bytes line)
{
    struct object_info info;
    struct store *store;
    struct log *log = session_log(q, id, LOG_APPEND, &store, &info);

    OK(log_append(log, LOG_NO_EPOCH, info.size, line, &test_err));
    log_close(log);
    store_free(store);
}

static quire_status no_problem(void *ctx, const quire_session_problem *p,
                               quire_error *err)
{
    (void)ctx;
    return err_set(err, QUIRE_DAMAGED, "line %llu: %s",
                   (unsigned long long)p->line, p->message);
}

/* What follows the first line: the time of the title depends on the file's end. */
static quire_bytes behind_title(quire_bytes file)
{
    return bytes_sub(file, 256, file.len);
}

static void same_as_at_once(quire *q, const char *name, quire_bytes bytes)
{
    quire *fresh = open_home("fresh");
    struct imported got = import_bytes(fresh, name, bytes);

    EQ(IMPORT_NEW, got.last.state);
    SAME(behind_title(session_bytes(fresh, got.session)),
         behind_title(session_bytes(q, got.session)));
    quire_close(fresh);
}

/* ---- tests -------------------------------------------------------------- */

static void round_trip(const char *name,
                       void (*generate)(struct generated *, uint64_t, size_t,
                                        bool))
{
    struct generated g;
    struct imported got;
    quire *q = open_home("home");

    generate(&g, 1, 3 << 20, true);
    got = import_bytes(q, name, buf_bytes(&g.file));
    EQ(IMPORT_NEW, got.last.state);
    EQ(g.file.len, got.last.bytes);
    YES(got.last.entries > 0);
    same_original(q, name, buf_bytes(&g.file));
    OK(quire_session_check(q, got.session, no_problem, NULL, &test_err));

    got = import_from(q, test_path(name));
    EQ(IMPORT_UNCHANGED, got.last.state);
    EQ(0, got.sum.bytes);
    EQ(1, got.sum.unchanged);
    buf_release(&g.file);
    quire_close(q);
    catalogue_sound();
}

TEST(an_imported_file_of_claude_code_is_given_back_with_every_byte)
{
    round_trip(UUID ".jsonl", generate_claude);
}

TEST(an_imported_file_of_codex_is_given_back_with_every_byte)
{
    round_trip(ROLL ".jsonl", generate_codex);
}

static void damaged_round_trip(uint64_t seed)
{
    char name[64];
    struct generated g;
    quire *q = open_home("home");

    snprintf(name, sizeof name, "damaged-%d.jsonl", (int)seed);
    generate_claude(&g, seed, 100 << 10, false);
    generate_damage(&g.file, seed);
    import_bytes(q, name, buf_bytes(&g.file));
    same_original(q, name, buf_bytes(&g.file));
    buf_release(&g.file);
    quire_close(q);
}

TEST(a_damaged_file_is_imported_and_given_back)
{
    uint64_t seed;

    for (seed = 1; seed <= 5; seed++)
        damaged_round_trip(seed);
}

static void grow(const char *name,
                 void (*generate)(struct generated *, uint64_t, size_t, bool))
{
    struct generated g;
    struct imported got;
    quire *q = open_home("home");
    size_t at, step = 7001;

    generate(&g, 2, 600 << 10, true);
    for (at = 20000; at < g.file.len; at += step) {
        got = import_bytes(q, name, bytes_of(g.file.data, at));
        EQ(at == 20000 ? IMPORT_NEW : IMPORT_GROWN, got.last.state);
        EQ(at == 20000 ? at : step, got.sum.bytes);
        step = step * 5 / 4;
    }
    import_bytes(q, name, buf_bytes(&g.file));
    same_original(q, name, buf_bytes(&g.file));
    OK(quire_session_check(q, got.session, no_problem, NULL, &test_err));
    same_as_at_once(q, name, buf_bytes(&g.file));
    buf_release(&g.file);
    quire_close(q);
    catalogue_sound();
}

TEST(a_file_of_claude_code_that_grows_becomes_what_it_is_at_once)
{
    grow(UUID ".jsonl", generate_claude);
}

TEST(a_file_of_codex_that_grows_becomes_what_it_is_at_once)
{
    grow(ROLL ".jsonl", generate_codex);
}

TEST(a_file_that_was_rewritten_is_converted_anew)
{
    static const char name[] = UUID ".jsonl";
    struct generated a, b;
    struct imported got;
    quire *q = open_home("home");

    generate_claude(&a, 3, 100 << 10, false);
    generate_claude(&b, 4, 200 << 10, false);
    import_bytes(q, name, buf_bytes(&a.file));
    got = import_bytes(q, name, buf_bytes(&b.file));
    EQ(IMPORT_REWRITTEN, got.last.state);
    same_original(q, name, buf_bytes(&b.file));
    same_as_at_once(q, name, buf_bytes(&b.file));
    got = import_bytes(q, name, bytes_of(b.file.data, b.file.len / 2));
    EQ(IMPORT_REWRITTEN, got.last.state);
    same_original(q, name, bytes_of(b.file.data, b.file.len / 2));
    buf_release(&a.file);
    buf_release(&b.file);
    quire_close(q);
    catalogue_sound();
}

/* ---- kill -9 ------------------------------------------------------------ */

static void import_in_child(const char *name, unsigned delay_us)
{
    pid_t pid = fork();
    int status;

    YES(pid >= 0);
    if (pid == 0) {
        import_from(open_home("home"), test_path(name));
        _exit(0);
    }
    usleep(delay_us);
    kill(pid, SIGKILL);
    EQ(pid, waitpid(pid, &status, 0));
}

TEST(after_kill_9_of_an_import_the_next_one_completes_it)
{
    static const char name[] = UUID ".jsonl";
    struct generated g;
    struct imported got;
    unsigned i;
    size_t len;
    quire *q;

    generate_claude(&g, 5, 4 << 20, true);
    for (i = 1; i <= 24; i++) {
        len = g.file.len * i / 24;
        test_write_file(test_path("next"), bytes_of(g.file.data, len));
        YES(rename(test_path("next"), test_path(name)) == 0);
        import_in_child(name, i * 977 % 30000);
    }
    q = open_home("home");
    got = import_from(q, test_path(name));
    YES(got.sum.found == 1 && got.sum.problems == 0);
    same_original(q, name, buf_bytes(&g.file));
    OK(quire_session_check(q, got.session, no_problem, NULL, &test_err));
    same_as_at_once(q, name, buf_bytes(&g.file));
    quire_close(q);
    buf_release(&g.file);
    catalogue_sound();
}

static void append_file(const char *name, quire_bytes bytes)
{
    FILE *f = fopen(test_path(name), "a");

    YES(f != NULL);
    EQ(bytes.len, fwrite(bytes.data, 1, bytes.len, f));
    fclose(f);
}

TEST(after_kill_9_of_imports_of_a_growing_file_nothing_is_lost_or_twice)
{
    static const char name[] = UUID ".jsonl";
    struct generated g;
    struct imported got;
    unsigned i;
    size_t at = 0, n;
    quire *q;

    generate_claude(&g, 6, 1 << 20, true);
    test_write_file(test_path(name), bytes_of("", 0));
    for (i = 0; at < g.file.len; i++, at += n) {
        n = g.file.len - at < 40000 ? g.file.len - at : 40000;
        append_file(name, bytes_of(g.file.data + at, n));
        import_in_child(name, 3000 + i * 1777 % 20000);
    }
    q = open_home("home");
    got = import_from(q, test_path(name));
    YES(got.sum.found == 1 && got.sum.problems == 0);
    same_original(q, name, buf_bytes(&g.file));
    same_as_at_once(q, name, buf_bytes(&g.file));
    quire_close(q);
    buf_release(&g.file);
    catalogue_sound();
}

/* An import that was killed has left no size of the session file to compare with. */
TEST(what_was_appended_after_an_interrupted_import_is_kept)
{
    static const char name[] = UUID ".jsonl";
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct generated g;
    struct imported got;
    quire_session *s;
    struct db *db;
    quire *q = open_home("home");
    int files;

    generate_claude(&g, 12, 50 << 10, false);
    got = import_bytes(q, name, bytes_of(g.file.data, g.file.len / 2));
    db = catalogue_open();
    OK(db_exec(db, "UPDATE import_file SET written = -1", &test_err));
    db_close(db);
    OK(quire_session_open(q, got.session, &o, &s, &test_err));
    OK(quire_session_append(s,
                            bytes_str("{\"type\":\"custom\",\"customType\":"
                                      "\"mine\"}"),
                            NULL, NULL, &test_err));
    OK(quire_session_flush(s, &test_err));
    quire_session_close(s);
    files = test_count_files(test_path("home/sessions"));
    got = import_bytes(q, name, buf_bytes(&g.file));
    YES(got.sum.problems == 0);
    EQ(files + 1, test_count_files(test_path("home/sessions")));
    same_as_at_once(q, name, buf_bytes(&g.file));
    quire_close(q);
    buf_release(&g.file);
}

TEST(a_session_file_that_did_not_reach_the_ledger_is_found_again)
{
    static const char name[] = UUID ".jsonl";
    struct generated g;
    struct imported got;
    struct db *db;
    quire *q = open_home("home");
    int files;

    generate_claude(&g, 11, 50 << 10, false);
    import_bytes(q, name, buf_bytes(&g.file));
    files = test_count_files(test_path("home/sessions"));
    db = catalogue_open();
    OK(db_exec(db, "DELETE FROM import_file", &test_err));
    db_close(db);
    got = import_from(q, test_path(name));
    EQ(IMPORT_NEW, got.last.state);
    EQ(files, test_count_files(test_path("home/sessions")));
    same_original(q, name, buf_bytes(&g.file));

    /* Entries of one's own are kept beside it. */
    test_write_file(test_path("text"), session_bytes(q, got.session));
    db = catalogue_open();
    OK(db_exec(db, "DELETE FROM import_file", &test_err));
    db_close(db);
    append_to_session(
        q, got.session,
        bytes_str("{\"type\":\"custom\",\"id\":\"own\",\"parentId\":null,"
                  "\"timestamp\":\"2025-01-01T00:00:00.000Z\"}\n"));
    import_from(q, test_path(name));
    EQ(files + 1, test_count_files(test_path("home/sessions")));
    SAME(test_read_file(test_path("text")), session_bytes(q, got.session));
    buf_release(&g.file);
    quire_close(q);
}

/* ---- appending to it ---------------------------------------------------- */

static const char two_lines[] =
    "{\"type\":\"user\",\"uuid\":\"a1\",\"parentUuid\":null,\"timestamp\":"
    "\"2025-09-03T10:00:01.000Z\",\"cwd\":\"/srv\",\"message\":{\"role\":\"user\","
    "\"content\":\"one\"}}\n"
    "{\"type\":\"user\",\"uuid\":\"a2\",\"parentUuid\":\"a1\",\"timestamp\":"
    "\"2025-09-03T10:00:02.000Z\",\"cwd\":\"/srv\",\"message\":{\"role\":\"user\","
    "\"content\":\"two\"}}\n";

struct first_entry {
    char id[80];
};

static quire_status take_first(void *ctx, const quire_entry *e,
                               quire_error *err)
{
    struct first_entry *f = ctx;

    (void)err;
    if (!*f->id)
        snprintf(f->id, sizeof f->id, "%.*s", (int)e->id.len,
                 (const char *)e->id.data);
    return QUIRE_OK;
}

TEST(an_open_imported_session_becomes_its_fork_with_the_first_append)
{
    static const quire_bytes entry = {"{\"type\":\"custom\"}", 17};
    quire *q = open_home("home");
    struct imported got = import_bytes(q, UUID ".jsonl", bytes_str(two_lines));
    quire_bytes was = session_bytes(q, got.session);
    struct first_entry first = {""};
    quire_session_info info;
    quire_appended done;
    quire_session *s;

    OK(quire_session_open(q, got.session, NULL, &s, &test_err));
    OK(quire_session_entries(s, 0, take_first, &first, &test_err));
    IS(QUIRE_INVALID,
       quire_session_append(s, bytes_str("{}"), NULL, &done, &test_err));
    quire_session_describe(s, &info);
    SAME_TEXT(got.session, info.id); /* a refused entry makes no fork */

    OK(quire_session_branch(s, first.id, 0, NULL, &test_err));
    OK(quire_session_append(s, entry, NULL, &done, &test_err));
    YES(done.continued);
    SAME_TEXT(first.id, done.parent); /* the leaf had been moved there */
    quire_session_describe(s, &info);
    YES(strcmp(got.session, info.id) != 0);
    SAME_TEXT(got.session, info.parent);
    EQ(3, info.entries);
    OK(quire_session_append(s, entry, NULL, &done, &test_err));
    YES(!done.continued);
    OK(quire_session_flush(s, &test_err));
    quire_session_close(s);
    SAME(was, session_bytes(q, got.session));
    quire_close(q);
    catalogue_sound();
}

/* Label the first entry of the session, and set its title. */
static void annotate(quire *q, const char *id)
{
    struct first_entry first = {""};
    quire_session *s;

    OK(quire_session_open(q, id, NULL, &s, &test_err));
    OK(quire_session_entries(s, 0, take_first, &first, &test_err));
    OK(quire_session_label(s, first.id, "mine", NULL, &test_err));
    OK(quire_session_rename(s, "my title", &test_err));
    quire_session_close(s);
}

/* Both are there, and the leaf is below the last entry of the import. */
static void is_annotated(quire *q, const char *id)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    struct first_entry first = {""};
    quire_session_info info;
    quire_entry entry;
    quire_session *s;

    o.flags = QUIRE_SESSION_READ;
    OK(quire_session_open(q, id, &o, &s, &test_err));
    quire_session_describe(s, &info);
    SAME_TEXT("my title", info.title);
    OK(quire_session_entries(s, 0, take_first, &first, &test_err));
    OK(quire_session_entry(s, first.id, &entry, &test_err));
    SAME(bytes_str("mine"), entry.label);
    quire_session_close(s);
    OK(quire_session_check(q, id, no_problem, NULL, &test_err));
}

/* ---- moving it ----------------------------------------------------------- */

static void move_session(quire *q, const char *id, const char *cwd)
{
    quire_session_info info;
    quire_session *s;

    OK(quire_session_move(q, id, cwd, &s, &test_err));
    quire_session_describe(s, &info);
    SAME_TEXT(cwd, info.cwd);
    quire_session_close(s);
}

static void is_in(quire *q, const char *id, const char *cwd, uint64_t entries)
{
    quire_session_options o = QUIRE_SESSION_OPTIONS_INIT;
    quire_session_info info;
    quire_session *s;

    o.flags = QUIRE_SESSION_READ;
    OK(quire_session_open(q, id, &o, &s, &test_err));
    quire_session_describe(s, &info);
    SAME_TEXT(cwd, info.cwd);
    EQ(entries, info.entries);
    quire_session_close(s);
    OK(quire_session_check(q, id, no_problem, NULL, &test_err));
    EQ(1, test_count_files(test_path("home/sessions")));
}

static const char third_line[] =
    "{\"type\":\"user\",\"uuid\":\"a3\",\"parentUuid\":\"a2\",\"timestamp\":"
    "\"2025-09-03T10:00:03.000Z\",\"cwd\":\"/srv\",\"message\":{\"role\":\"user\","
    "\"content\":\"three\"}}\n";

TEST(an_imported_session_that_was_moved_is_continued_where_it_is)
{
    static const char *const places[] = {"/a/project/with/a/longer/name", "/x"};
    static const char name[] = UUID ".jsonl";
    quire_bytes two = bytes_str(two_lines);
    struct imported got;
    size_t i;

    for (i = 0; i < 2; i++) {
        quire *q = open_home("home");

        got = import_bytes(q, name, two);
        move_session(q, got.session, places[i]);
        EQ(IMPORT_UNCHANGED, import_from(q, test_path(name)).last.state);
        append_file(name, bytes_str(third_line));
        EQ(IMPORT_GROWN, import_from(q, test_path(name)).last.state);
        is_in(q, got.session, places[i], 3);
        same_original(q, name, test_read_file(test_path(name)));

        /* Another content: it is converted anew, and stays there. */
        got = import_bytes(q, name, bytes_sub(two, 0, two.len / 2));
        EQ(IMPORT_REWRITTEN, got.last.state);
        is_in(q, got.session, places[i], 1);
        quire_close(q);
    }
    catalogue_sound();
}

TEST(a_labelled_session_that_was_moved_twice_is_continued_with_its_label)
{
    static const char name[] = UUID ".jsonl";
    quire *q = open_home("home");
    struct imported got = import_bytes(q, name, bytes_str(two_lines));

    annotate(q, got.session);
    move_session(q, got.session, "/a/longer/name/than/before");
    move_session(q, got.session, "/b");
    append_file(name, bytes_str(third_line));
    EQ(IMPORT_GROWN, import_from(q, test_path(name)).last.state);
    is_annotated(q, got.session);
    same_original(q, name, test_read_file(test_path(name)));
    quire_close(q);
    catalogue_sound();
}

/* ---- failing calls ------------------------------------------------------ */

/* An import in which the n-th call fails; false: none was left to fail. */
static bool import_failing(const char *name, long n)
{
    struct arena keep = ARENA_INIT;
    struct import_places places = {.keep = &keep};
    struct imported got = {.last = {.entries = 0}};
    struct import_run run = {.line = take_line, .ctx = &got};
    quire *q = open_home("home");
    bool failed;

    run.q = q;
    OK(import_find_from(&places, test_path(name), NULL, &test_err));
    fault_arm(n, n % 2 ? ENOMEM : EIO, false);
    import_run(&run, &places, &got.sum, &test_err);
    failed = fault_disarm();
    arena_release(&keep);
    quire_close(q);
    return failed;
}

TEST(an_import_in_which_any_call_fails_is_completed_by_the_next)
{
    static const char name[] = UUID ".jsonl";
    struct generated g;
    size_t len;
    quire *q;
    long n = 0;

    generate_claude(&g, 9, 400 << 10, true);
    test_write_file(test_path(name), bytes_of("", 0));
    for (len = 0; len < g.file.len; n++) { /* it grows between the failures */
        size_t step = g.file.len - len < 2000 ? g.file.len - len : 2000;

        append_file(name, bytes_of(g.file.data + len, step));
        len += step;
        import_failing(name, 1 + n * 3);
    }
    q = open_home("home");
    import_from(q, test_path(name));
    same_original(q, name, buf_bytes(&g.file));
    same_as_at_once(q, name, buf_bytes(&g.file));
    quire_close(q);
    buf_release(&g.file);
    catalogue_sound();
}

TEST(labels_survive_an_import_in_which_any_call_fails)
{
    static const char name[] = UUID ".jsonl";
    struct imported got;
    struct generated g;
    size_t len = 20000;
    quire *q = open_home("home");
    long n;

    generate_claude(&g, 11, 200 << 10, true);
    got = import_bytes(q, name, bytes_of(g.file.data, len));
    annotate(q, got.session);
    quire_close(q);
    for (n = 1; len + 1000 < g.file.len; n += 2, len += 1000) {
        append_file(name, bytes_of(g.file.data + len, 1000));
        import_failing(name, n);
        q = open_home("home");
        is_annotated(q, got.session);
        quire_close(q);
    }
    append_file(name, bytes_of(g.file.data + len, g.file.len - len));
    q = open_home("home");
    import_from(q, test_path(name));
    is_annotated(q, got.session);
    same_original(q, name, buf_bytes(&g.file));
    quire_close(q);
    buf_release(&g.file);
    catalogue_sound();
}

/* A move in which the n-th call fails. It may leave the ledger saying that the
 * session is being written: it is written again then. */
static bool move_failing(const char *id, long n)
{
    quire *q = open_home("home");
    quire_session *s = NULL;
    bool failed;

    fault_arm(n, n % 2 ? ENOMEM : EIO, false);
    quire_session_move(q, id, n % 4 < 2 ? "/a/longer/name" : "/b", &s,
                       &test_err);
    failed = fault_disarm();
    quire_session_close(s);
    quire_close(q);
    return failed;
}

TEST(a_session_whose_move_failed_is_continued_by_the_next_import)
{
    static const char name[] = UUID ".jsonl";
    quire *q = open_home("home");
    struct imported got = import_bytes(q, name, bytes_str(two_lines));
    bool failed = true;
    char line[300];
    long n;

    quire_close(q);
    for (n = 1; failed; n++) {
        failed = move_failing(got.session, n);
        q = open_home("home");
        snprintf(line, sizeof line,
                 "{\"type\":\"user\",\"uuid\":\"a%ld\",\"parentUuid\":\"a%ld\","
                 "\"timestamp\":\"2025-09-03T10:00:03.000Z\",\"cwd\":\"/srv\","
                 "\"message\":{\"role\":\"user\",\"content\":\"more\"}}\n",
                 n + 2, n + 1);
        append_file(name, bytes_str(line));
        got = import_from(q, test_path(name));
        EQ(0, got.sum.problems);
        EQ(2 + n, got.last.entries);
        same_original(q, name, test_read_file(test_path(name)));
        OK(quire_session_check(q, got.session, no_problem, NULL, &test_err));
        quire_close(q);
    }
    YES(n > 20);
    catalogue_sound();
}

/* An append to an imported session in which the n-th call fails. */
static bool append_failing(const char *id, long n)
{
    static const quire_bytes entry = {"{\"type\":\"custom\"}", 17};
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_options options = QUIRE_OPTIONS_INIT;
    quire_session *s = NULL;
    bool failed;
    quire *q;

    options.home = test_path("home");
    options.busy_ms = 20;
    OK(quire_open(&options, &q, &test_err));
    o.op = "once";
    OK(quire_session_open(q, id, NULL, &s, &test_err));
    fault_arm(n, n % 2 ? ENOMEM : EIO, false);
    if (!quire_session_append(s, entry, &o, NULL, &test_err))
        quire_session_flush(s, &test_err);
    failed = fault_disarm();
    quire_session_close(s);
    quire_close(q);
    return failed;
}

TEST(an_append_to_an_imported_session_is_done_once_whatever_call_fails)
{
    quire *q = open_home("home");
    struct imported got = import_bytes(q, UUID ".jsonl", bytes_str(two_lines));
    quire_bytes was = session_bytes(q, got.session);
    quire_append_options o = QUIRE_APPEND_OPTIONS_INIT;
    quire_session_info info;
    quire_appended done;
    quire_session *s;
    long n = 1;

    quire_close(q);
    while (append_failing(got.session, n) && n < 2000)
        n += 1 + n / 6;
    YES(n > 10 && n < 2000);
    q = open_home("home");
    SAME(was, session_bytes(q, got.session));
    o.op = "once";
    OK(quire_session_open(q, got.session, NULL, &s, &test_err));
    OK(quire_session_append(s, bytes_str("{\"type\":\"custom\"}"), &o, &done,
                            &test_err));
    YES(done.existed);
    quire_session_describe(s, &info);
    EQ(3, info.entries);
    quire_session_close(s);
    quire_close(q);
    catalogue_sound();
}

TEST(a_first_import_survives_every_call_that_fails)
{
    static const char name[] = UUID ".jsonl";
    struct generated g;
    quire *q;
    long n = 1;

    generate_claude(&g, 10, 30 << 10, true);
    test_write_file(test_path(name), buf_bytes(&g.file));
    YES(mkdir(test_path("empty"), 0700) == 0);
    while (import_failing(name, n)) {
        n++;
        q = open_home("home");
        EQ(0, import_from(q, test_path(name)).sum.problems);
        same_original(q, name, buf_bytes(&g.file));
        quire_close(q);
        catalogue_copy(test_path("empty"), test_path("home"));
    }
    YES(n > 50);
    buf_release(&g.file);
}

/* ---- collection, older homes -------------------------------------------- */

TEST(a_collection_keeps_the_original_of_an_imported_session)
{
    static const char name[] = UUID ".jsonl";
    quire_collect_options o = QUIRE_COLLECT_OPTIONS_INIT;
    quire_collect_report report = {0};
    struct generated g;
    struct imported got;
    quire *q = open_home("home");

    generate_claude(&g, 7, 1 << 20, true);
    got = import_bytes(q, name, buf_bytes(&g.file));
    o.grace_s = 0;
    o.flags = QUIRE_COLLECT_YES;
    OK(quire_collect(q, &o, &report, &test_err));
    OK(quire_collect(q, &o, &report, &test_err));
    EQ(0, report.removed);
    same_original(q, name, buf_bytes(&g.file));

    OK(quire_session_remove(q, got.session, &test_err));
    IS(QUIRE_NOT_FOUND, quire_import_original(q, test_path(name), buf_write,
                                              &g.file, &test_err));
    got = import_from(q, test_path(name));
    EQ(IMPORT_UNCHANGED, got.last.state);
    buf_release(&g.file);
    quire_close(q);
}

TEST(a_home_of_an_older_version_gets_the_ledger)
{
    struct generated g;
    quire *q = open_home("home");

    generate_claude(&g, 8, 20 << 10, false);
    import_bytes(q, UUID ".jsonl", buf_bytes(&g.file));
    quire_close(q);
    test_undo_steps(20);
    q = open_home("home");
    YES(import_from(q, test_path(UUID ".jsonl")).sum.imported == 1);
    same_original(q, UUID ".jsonl", buf_bytes(&g.file));
    buf_release(&g.file);
    quire_close(q);
    catalogue_sound();
}

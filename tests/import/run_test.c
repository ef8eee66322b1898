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

    OK(import_places_from(&places, path, NULL, &test_err));
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

static quire_bytes session_bytes(quire *q, const char *id)
{
    return test_read_file(session_path(q, id));
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
    append_file(strstr(session_path(q, got.session), "home/sessions"),
                bytes_str(
                    "{\"type\":\"custom\",\"id\":\"own\",\"parentId\":null,"
                    "\"timestamp\":\"2025-01-01T00:00:00.000Z\"}\n"));
    import_from(q, test_path(name));
    EQ(files + 1, test_count_files(test_path("home/sessions")));
    SAME(test_read_file(test_path("text")), session_bytes(q, got.session));
    buf_release(&g.file);
    quire_close(q);
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
    OK(import_places_from(&places, test_path(name), NULL, &test_err));
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
